#ifndef REEVE_WIRE_MEMBER_IPC_H
#define REEVE_WIRE_MEMBER_IPC_H

#include "wire/frame.h"

/* public names start with: member_ipc_ */

/* The messages between a manager and the process that runs this host's member of the managed store
 * (reeve-store), over a unix socket, in frames (wire/frame.h). Fuzzed by tests/fuzz/fuzz_member.c.
 *
 * A connection has one request and one reply: manager -> process: ASK; process -> manager: REPLY.
 */

enum member_ipc_type { MEMBER_IPC_ASK = 1, MEMBER_IPC_REPLY = 17 };

/* What each method does is in etcd_member/member.h. */
enum member_ipc_method {
    MEMBER_IPC_STATUS,
    MEMBER_IPC_START,
    MEMBER_IPC_STOP,
    MEMBER_IPC_WAIT_APPLIED,
    MEMBER_IPC_PUT_ASIDE,
    MEMBER_IPC_REBUILD,
    MEMBER_IPC_METHOD_COUNT
};

/* With what a member is run. URLs are https://ADDRESS:PORT; an empty one means that the member only
 * listens on unix sockets in its folder. */
struct member_ipc_arguments {
    struct text manager; /* id of the manager that the folder belongs to */
    struct text name;    /* name of the member; a name is never used for a second member */
    struct text token;   /* token of the store's cluster; a rebuilt store has another one */
    struct text cluster; /* the members at the start of this one: NAME=PEER-URL,NAME=PEER-URL */
    uint64_t is_joining; /* 1: the member was added to a store that exists */
    struct text peer_listen;
    struct text peer_advertise; /* the member's address in the store's list of members */
    struct text client_listen;
    struct text client_advertise;
    /* files with which peers and clients are authenticated; empty while a URL is not https */
    struct text ca;
    struct text certificate;
    struct text key;
};

struct member_ipc_ask {
    uint64_t method;
    struct member_ipc_arguments arguments; /* for START and REBUILD */
    uint64_t timeout_ms; /* time limit of the method; 0: the limit of the process */
};

enum member_ipc_state {
    MEMBER_IPC_ABSENT,     /* the folder has no member */
    MEMBER_IPC_STOPPED,    /* there is a member; it shall not run */
    MEMBER_IPC_RUNNING,    /* etcd runs */
    MEMBER_IPC_ENDING,     /* etcd was asked to end */
    MEMBER_IPC_WAITING,    /* etcd ended by itself and is started again after a pause */
    MEMBER_IPC_REBUILDING, /* the store is being rebuilt from the member's database */
    MEMBER_IPC_STATE_COUNT
};

/* The fields after `hint` describe the member after the method has ended. */
struct member_ipc_reply {
    uint64_t code; /* enum code; CODE_NONE: success */
    struct text message;
    struct text hint;
    uint64_t state; /* enum member_ipc_state */
    struct member_ipc_arguments arguments;
    uint64_t pid;        /* of etcd; 0: it does not run */
    uint64_t crashes;    /* how often etcd ended by itself since it last ran for a minute */
    struct text reason;  /* why etcd ended last; empty: it never ended by itself */
    uint64_t is_serving; /* 1: etcd serves clients, so its members had a quorum since its start */
    /* raft, as far as the member knows by itself; 0: not known. `term` and `last` are those of the
     * member's log when etcd started. */
    uint64_t term;
    uint64_t last;
    uint64_t committed;
    uint64_t applied;
    uint64_t has_leader;
    struct text version; /* of etcd */
    uint64_t bytes;      /* size of the database file */
    uint64_t free_bytes; /* that are left on the disk of the folder */
};

struct member_ipc_message {
    enum member_ipc_type type;
    union {
        struct member_ipc_ask ask;
        struct member_ipc_reply reply;
    };
};

/* Append the frame of a message. */
void member_ipc_format(struct buf *buf, const struct member_ipc_message *message);

/* Read a complete frame. Texts borrow from the frame. Fails with R0595 if the frame is invalid or
 * of an unknown type. */
MUST_CHECK bool member_ipc_parse(struct arena *arena, struct text frame,
                                 struct member_ipc_message *out, struct err *err);

#endif
