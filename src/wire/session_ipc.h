#ifndef REEVE_WIRE_SESSION_IPC_H
#define REEVE_WIRE_SESSION_IPC_H

#include "wire/frame.h"

/* public names start with: session_ipc_ */

/* The messages between the manager and a session process (reeve-session), over a socket pair, in
 * frames (wire/frame.h). They carry the calls of session/transport.h, which defines the fields and
 * the numbers of enums. Fuzzed by tests/fuzz/fuzz_session.c.
 *
 *     manager -> session process: BEGIN, then OPENs, CALLs, ...
 *     session process -> manager: READY or FAILED, then the results.
 *
 * Per call, at most LIMIT_SESSION_WINDOW_BYTES of output are sent before the manager confirms them
 * with MORE. Input of a call is sent in pieces of LIMIT_SESSION_PIECE_BYTES; each is sent when the
 * session process has space for it (WANT). So a node that does not read occupies the memory of one
 * piece only. */

enum session_ipc_type {
    SESSION_IPC_BEGIN = 1,
    SESSION_IPC_OPEN = 2,
    SESSION_IPC_CALL = 3,
    SESSION_IPC_CANCEL = 4,
    SESSION_IPC_MORE = 5,
    SESSION_IPC_CLOSE = 6,
    SESSION_IPC_INPUT = 7,
    SESSION_IPC_READY = 17,
    SESSION_IPC_FAILED = 18,
    SESSION_IPC_OPENED = 19,
    SESSION_IPC_LOST = 20,
    SESSION_IPC_OUTPUT = 21,
    SESSION_IPC_ENDED = 22,
    SESSION_IPC_WANT = 23,
};

/* Selects the driver of the transport. */
struct session_ipc_begin {
    uint64_t is_openssh;
    /* absolute path of the folder for OpenSSH's sockets and keys; it exists, and only this process
     * uses it */
    struct text folder;
};

struct session_ipc_open {
    uint64_t session;
    uint64_t left_ms;
    struct text address;
    uint64_t port;
    struct text user;
    struct text key;
    struct text certificate;
    struct text host_keys;
    struct text authority;
    struct text host_name;
    uint64_t is_first_key_accepted;
    uint64_t is_operators;
    uint64_t exchange;
};

enum session_ipc_kind {
    SESSION_IPC_EXEC,
    SESSION_IPC_PUT,
    SESSION_IPC_GET,
    SESSION_IPC_KIND_COUNT
};

/* A call. Fields that its kind does not use are empty. */
struct session_ipc_call {
    uint64_t call;
    uint64_t session;
    uint64_t kind; /* enum session_ipc_kind */
    uint64_t left_ms;
    struct text command;
    uint64_t input_bytes; /* number of bytes that INPUT messages will send, each after a WANT; for
                           * PUT the size of the file */
    uint64_t output_max;
    uint64_t is_linewise;
    uint64_t is_listened; /* the manager wants to receive the output */
    struct text path;
    uint64_t mode;
    struct text digest; /* digest of the file to put: SHA-256 in hex */
    uint64_t limit;
};

struct session_ipc_cancel {
    uint64_t call;
};

/* The manager has processed this many more bytes of the call's output. */
struct session_ipc_more {
    uint64_t call;
    uint64_t bytes;
};

struct session_ipc_close {
    uint64_t session;
};

/* The next piece of the call's input. */
struct session_ipc_input {
    uint64_t call;
    struct text bytes;
};

/* A description of the driver, and its sandbox: the name of each part, and "in force" or the reason
 * why it is missing. */
struct session_ipc_ready {
    struct text version;
    uint64_t has_signal_names;
    uint64_t has_authorities;
    uint64_t has_sntrup761;
    struct wire_list sandbox; /* list of struct wire_pair */
};

struct session_ipc_failed {
    struct text message;
};

struct session_ipc_opened {
    uint64_t session;
    uint64_t outcome;
    uint64_t fault;
    struct text message;
    struct text host_key;
    uint64_t is_first;
};

struct session_ipc_lost {
    uint64_t session;
    uint64_t fault;
    struct text message;
};

struct session_ipc_output {
    uint64_t call;
    uint64_t stream;
    struct text bytes;
};

struct session_ipc_ended {
    uint64_t call;
    uint64_t outcome;
    uint64_t fault;
    struct text message;
    int64_t code;
    struct text signal;
    uint64_t out_bytes;
    uint64_t error_bytes;
    uint64_t out_dropped;
    uint64_t error_dropped;
    struct text content;
};

/* The session process has space for the next piece of this call's input. */
struct session_ipc_want {
    uint64_t call;
};

struct session_ipc_message {
    enum session_ipc_type type;
    union {
        struct session_ipc_begin begin;
        struct session_ipc_open open;
        struct session_ipc_call call;
        struct session_ipc_cancel cancel;
        struct session_ipc_more more;
        struct session_ipc_close close;
        struct session_ipc_input input;
        struct session_ipc_ready ready;
        struct session_ipc_failed failed;
        struct session_ipc_opened opened;
        struct session_ipc_lost lost;
        struct session_ipc_output output;
        struct session_ipc_ended ended;
        struct session_ipc_want want;
    };
};

/* Append the frame of a message. */
void session_ipc_format(struct buf *buf, const struct session_ipc_message *message);

/* Read a complete frame. Texts borrow from the frame; lists live in the arena, whose limit bounds
 * them. Fails with R0701 if the frame is invalid or of an unknown type. */
MUST_CHECK bool session_ipc_parse(struct arena *arena, struct text frame,
                                  struct session_ipc_message *out, struct err *err);

#endif
