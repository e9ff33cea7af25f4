#ifndef REEVE_WIRE_HAND_H
#define REEVE_WIRE_HAND_H

#include "wire/frame.h"

/* names: hand_ */

/* What the manager and a process that holds sessions with nodes (reeve-hand) say to each other, over a socket pair, in
 * frames (wire/frame.h). What a word means stands in hand/transport.h, whose calls they carry: numbers of enums are
 * those there. Fuzzed by tests/fuzz/fuzz_hand.c.
 *
 *     manager -> hand: BEGIN, then OPENs, CALLs, ...     hand -> manager: READY or FAILED, then what came of them.
 *
 * Output of a call that the manager has not taken yet (MORE) is bounded by LIMIT_HAND_WINDOW_BYTES. Input of a call goes in
 * pieces of LIMIT_HAND_PIECE_BYTES, each when the hand has room for it (WANT): a node that takes nothing holds one piece. */

enum hand_type {
    HAND_BEGIN = 1,
    HAND_OPEN = 2,
    HAND_CALL = 3,
    HAND_CANCEL = 4,
    HAND_MORE = 5,
    HAND_CLOSE = 6,
    HAND_INPUT = 7,
    HAND_READY = 17,
    HAND_FAILED = 18,
    HAND_OPENED = 19,
    HAND_LOST = 20,
    HAND_OUTPUT = 21,
    HAND_ENDED = 22,
    HAND_WANT = 23,
};

/* Be this driver of the port. */
struct hand_begin {
    uint64_t is_openssh;
    struct text folder; /* of OpenSSH's sockets and keys; its own, absolute, and there */
};

struct hand_open {
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
    uint64_t takes_first;
    uint64_t is_operators;
    uint64_t exchange;
};

enum hand_kind { HAND_EXEC, HAND_PUT, HAND_GET, HAND_KIND_COUNT };

/* What its kind does not have is empty. */
struct hand_call {
    uint64_t call;
    uint64_t session;
    uint64_t kind; /* enum hand_kind */
    uint64_t left_ms;
    struct text command;
    uint64_t input_bytes; /* that come by INPUT, each piece after a WANT; of a file: its bytes */
    uint64_t output_max;
    uint64_t is_linewise;
    uint64_t is_listened; /* somebody wants the output */
    struct text path;
    uint64_t mode;
    struct text digest; /* of the file to put: SHA-256 in hex */
    uint64_t limit;
};

struct hand_cancel {
    uint64_t call;
};

/* The manager has taken so many bytes of its output. */
struct hand_more {
    uint64_t call;
    uint64_t bytes;
};

struct hand_close {
    uint64_t session;
};

/* The next piece of its input. */
struct hand_input {
    uint64_t call;
    struct text bytes;
};

/* What the driver is; and the sandbox: name and "in force", or why not. */
struct hand_ready {
    struct text version;
    uint64_t tells_signals;
    uint64_t has_authorities;
    uint64_t has_sntrup761;
    struct wire_list sandbox; /* of struct wire_pair */
};

struct hand_failed {
    struct text message;
};

struct hand_opened {
    uint64_t session;
    uint64_t outcome;
    uint64_t fault;
    struct text message;
    struct text host_key;
    uint64_t is_first;
};

struct hand_lost {
    uint64_t session;
    uint64_t fault;
    struct text message;
};

struct hand_output {
    uint64_t call;
    uint64_t stream;
    struct text bytes;
};

struct hand_ended {
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

/* It has room for the next piece of this call's input. */
struct hand_want {
    uint64_t call;
};

struct hand_message {
    enum hand_type type;
    union {
        struct hand_begin begin;
        struct hand_open open;
        struct hand_call call;
        struct hand_cancel cancel;
        struct hand_more more;
        struct hand_close close;
        struct hand_input input;
        struct hand_ready ready;
        struct hand_failed failed;
        struct hand_opened opened;
        struct hand_lost lost;
        struct hand_output output;
        struct hand_ended ended;
        struct hand_want want;
    };
};

/* Add the frame of a message. */
void hand_format(struct buf *buf, const struct hand_message *message);

/* Read a whole frame. Texts are borrowed from it, lists live in the arena, which bounds them. R0701: it is none, or none
 * that this side knows. */
MUST_CHECK bool hand_parse(struct arena *arena, struct text frame, struct hand_message *out,
                           struct err *err);

#endif
