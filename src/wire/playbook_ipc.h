#ifndef REEVE_WIRE_PLAYBOOK_IPC_H
#define REEVE_WIRE_PLAYBOOK_IPC_H

#include "wire/frame.h"

/* public names start with: playbook_ipc_ */

/* The messages between the manager and a process that runs one playbook (reeve-playbook), over a
 * socket pair, in frames (wire/frame.h). Fuzzed by tests/fuzz/fuzz_playbook.c.
 *
 *     manager -> process: FILEs, then START; STOP at any time after that.
 *     process -> manager: READY, then LINEs and OUTPUTs, then END.
 *
 * A process runs one playbook and ends. If the socket is closed, it ends everything that it has
 * started. */

enum playbook_ipc_type {
    PLAYBOOK_IPC_FILE = 1,
    PLAYBOOK_IPC_START = 2,
    PLAYBOOK_IPC_STOP = 3,
    PLAYBOOK_IPC_READY = 17,
    PLAYBOOK_IPC_LINE = 18,
    PLAYBOOK_IPC_OUTPUT = 19,
    PLAYBOOK_IPC_END = 20,
};

enum playbook_ipc_file {
    PLAYBOOK_IPC_ARCHIVE, /* the canonical archive of the revision */
    PLAYBOOK_IPC_INVENTORY,
    PLAYBOOK_IPC_VARS,  /* JSON, a map */
    PLAYBOOK_IPC_LIMIT, /* names of hosts, one per line */
    PLAYBOOK_IPC_KNOWN_HOSTS,
    PLAYBOOK_IPC_KEY, /* private key, in OpenSSH's format */
    PLAYBOOK_IPC_CERTIFICATE,
    PLAYBOOK_IPC_FILE_COUNT
};

/* The next piece of a file. */
struct playbook_ipc_piece {
    uint64_t file; /* enum playbook_ipc_file */
    struct text bytes;
};

enum playbook_ipc_mode {
    PLAYBOOK_IPC_RUN,
    PLAYBOOK_IPC_CHECK,  /* --check --diff: nothing is changed */
    PLAYBOOK_IPC_SYNTAX, /* --syntax-check: no node is contacted */
    PLAYBOOK_IPC_MODE_COUNT
};

struct playbook_ipc_start {
    struct text ansible;  /* absolute path of ansible-playbook */
    struct text playbook; /* path in the archive */
    uint64_t mode;        /* enum playbook_ipc_mode */
    uint64_t forks;
    uint64_t timeout_ms;
    uint64_t start_ms; /* time limit for the first line of the callback */
};

struct playbook_ipc_stop {
    uint64_t is_now; /* end all processes immediately; otherwise the run ends at the next task */
};

struct playbook_ipc_ready {
    /* list of struct wire_pair: the name of a part, and "in force" or the reason why it is
     * missing */
    struct wire_list sandbox;
};

/* A line of the callback, without its line end. Lines that are too long, and lines beyond the limit
 * of a run, are dropped and counted. */
struct playbook_ipc_line {
    struct text bytes;
};

/* Output of the program ansible-playbook itself. */
struct playbook_ipc_output {
    uint64_t is_error;
    struct text bytes;
};

enum playbook_ipc_reason {
    PLAYBOOK_IPC_ENDED,     /* ansible-playbook ended by itself: code, signal */
    PLAYBOOK_IPC_LATE,      /* the deadline has passed */
    PLAYBOOK_IPC_STOPPED,   /* the manager stopped it */
    PLAYBOOK_IPC_SILENT,    /* the callback has not started in time */
    PLAYBOOK_IPC_UNSTARTED, /* ansible-playbook could not be started; see `message` */
    PLAYBOOK_IPC_REASON_COUNT
};

struct playbook_ipc_end {
    uint64_t reason; /* enum playbook_ipc_reason */
    int64_t code;    /* exit code; -1: ended by a signal */
    int64_t signal;
    uint64_t dropped; /* number of lines of the callback that were dropped */
    struct text message;
};

struct playbook_ipc_message {
    enum playbook_ipc_type type;
    union {
        struct playbook_ipc_piece piece;
        struct playbook_ipc_start start;
        struct playbook_ipc_stop stop;
        struct playbook_ipc_ready ready;
        struct playbook_ipc_line line;
        struct playbook_ipc_output output;
        struct playbook_ipc_end end;
    };
};

/* Append the frame of a message. */
void playbook_ipc_format(struct buf *buf, const struct playbook_ipc_message *message);

/* Read a complete frame. Texts borrow from the frame; lists live in the arena, whose limit bounds
 * them. Fails with R0843 if the frame is invalid or of an unknown type. */
MUST_CHECK bool playbook_ipc_parse(struct arena *arena, struct text frame,
                                   struct playbook_ipc_message *out, struct err *err);

#endif
