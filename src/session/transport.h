#ifndef REEVE_SESSION_TRANSPORT_H
#define REEVE_SESSION_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/outcome.h"
#include "base/secret.h"
#include "base/text.h"
#include "sys/loop.h"

/* The transport port: sessions with nodes, and commands and files over them. Three drivers, one contract suite
 * (tests/contract/contract_transport.c): libssh and the OpenSSH client, inside of reeve-session, and in the manager what
 * reaches both through that process (session_pool/remote.h).
 *
 * - Every call is asynchronous and ends in exactly one `done`, never before the call has returned. What a caller
 *   hands in may go away when the call returns; what `done` is handed is valid until it returns.
 * - OUTCOME_REFUSED: nothing has happened on the node, `fault` says why. OUTCOME_UNKNOWN: the command may have run,
 *   or may still be running. A command that ran is OUTCOME_OK, whatever its exit code.
 * - A session whose host key is not the expected one is never opened: before that is known nothing is sent that is
 *   worth anything, no user name, no signature.
 * - A session stays open from one call to the next, until it is closed or lost; calls of one session run at once.
 * - All on the thread of the loop. */
struct transport;
struct transport_session;
struct transport_call;

/* Why something was refused, or is not known. */
enum transport_fault {
    TRANSPORT_FAULT_NONE,
    TRANSPORT_FAULT_INVALID,     /* what is asked for is wrong: no address, a key that is none */
    TRANSPORT_FAULT_UNSUPPORTED, /* this driver cannot: ask the other one */
    TRANSPORT_FAULT_UNREACHABLE, /* nobody listens, or there is no way there */
    TRANSPORT_FAULT_PROTOCOL,    /* who answers speaks no SSH, or none that both know */
    TRANSPORT_FAULT_HOST_KEY,    /* an alarm: the host has another key than it should have */
    TRANSPORT_FAULT_USER_KEY,    /* the host does not let this user in with this key */
    TRANSPORT_FAULT_LATE,        /* the deadline was over */
    TRANSPORT_FAULT_CUT,         /* the connection ended */
    TRANSPORT_FAULT_CANCELLED,   /* the caller wanted it no more */
    TRANSPORT_FAULT_CLOSED,      /* the session is not open */
    TRANSPORT_FAULT_LIMIT,       /* more than a named limit allows */
    TRANSPORT_FAULT_NODE,        /* the node could not: no space, no such file */
    TRANSPORT_FAULT_DIGEST,      /* the bytes that arrived are not those that were sent */
    TRANSPORT_FAULT_PROCESS,     /* the process that has the sessions ended, or cannot be had */
    TRANSPORT_FAULT_COUNT,
};

/* "host key", "late", ... */
const char *transport_fault_name(enum transport_fault fault);

/* The key exchange that both sides use. */
enum transport_exchange {
    TRANSPORT_CURVE25519, /* curve25519-sha256 */
    TRANSPORT_SNTRUP761, /* with sntrup761: safe from quantum computers as well, some 50 ms of cpu */
    TRANSPORT_EXCHANGE_COUNT,
};

/* Whom to reach, as whom, and how it is known that it is them. */
struct transport_target {
    struct text address; /* in numbers; under the operator's settings a name that they know */
    uint16_t port;
    struct text user;
    struct secret key;       /* the user's private key, in the words of an OpenSSH key file */
    struct text certificate; /* of that key, one line "TYPE BASE64"; empty: none */
    struct text host_keys;   /* any of these is right: lines "TYPE BASE64" */
    struct text authority;   /* who signed it for `host_name` is right: a line "TYPE BASE64" */
    struct text host_name;   /* in the host's certificate */
    bool takes_first;        /* none of both is known: take the key that it shows, and tell it */
    bool is_operators; /* as the operator's own ssh would: their settings, keys, known hosts */
    enum transport_exchange exchange;
};

enum transport_stream { TRANSPORT_OUT, TRANSPORT_ERROR, TRANSPORT_STREAM_COUNT };

/* How a call ended. */
struct transport_answer {
    enum transport_fault fault;
    struct text message; /* for people, where it is not OK */
    struct text
        host_key; /* open: "TYPE BASE64" of what it showed, where that is known; also when it is wrong */
    bool is_first; /* open: it was not known before, and is to be written down */
    int code;      /* exec: 0 to 255; -1: a signal ended it */
    struct text
        signal; /* "KILL"; empty: none, or traits.reports_signals is false and code is 128 + its number */
    uint64_t bytes[TRANSPORT_STREAM_COUNT];   /* exec: that came */
    uint64_t dropped[TRANSPORT_STREAM_COUNT]; /* beyond output_max */
    struct text content;                      /* get */
};

typedef void transport_done(void *arg, enum outcome outcome, const struct transport_answer *answer);

/* A piece of what a command writes. The call may be paused and cancelled from here, the session not closed. */
typedef void transport_output_fn(void *arg, enum transport_stream stream, struct text piece);

/* There is room for the next piece of a call's input: transport_give brings it, now or later. Never before the call has
 * returned, and not again before it was brought. The call may be cancelled from here. */
typedef void transport_wants_fn(void *arg);

/* An open session has ended by itself; its calls have been told before. It is still to be closed. */
typedef void transport_lost_fn(void *arg, enum transport_fault fault, struct text why);

/* One command. */
struct transport_command {
    struct text command; /* for the user's login shell */
    struct text input;   /* its standard input, then end of file; up to LIMIT_SESSION_INPUT_BYTES */
    uint64_t input_bytes;      /* with `wants`: how many there are of them, and `input` is empty */
    transport_wants_fn *wants; /* NULL: `input` is all */
    uint64_t deadline_ms;
    uint64_t output_max; /* bytes of each stream that are handed on; the rest is counted only */
    bool is_linewise;    /* pieces are whole lines with their ends; what is longer than
                                     LIMIT_SESSION_LINE_BYTES comes in several */
    transport_output_fn *output; /* NULL: nobody listens */
};

/* A file to put: it is there whole and synced, with these bytes, or as it was before. */
struct transport_file {
    struct text path; /* absolute */
    struct text bytes;
    uint64_t input_bytes;      /* with `wants`: how many, `bytes` is empty, and `digest` is known */
    transport_wants_fn *wants; /* NULL: `bytes` is all */
    struct text digest;        /* SHA-256 in hex; empty: it is counted here */
    unsigned mode;
    uint64_t deadline_ms;
};

/* What a driver says of itself. */
struct transport_traits {
    bool reports_signals; /* a signal is told as one, and not as 128 + its number */
    bool has_authorities; /* it knows certificates of hosts */
    bool has_sntrup761;
};

struct transport_traits transport_traits(const struct transport *transport);

/* Open a session. The result is the caller's to close in every case, also before `done`; `lost` may be NULL. */
struct transport_session *transport_open(struct transport *transport,
                                         const struct transport_target *target,
                                         uint64_t deadline_ms, transport_lost_fn *lost,
                                         transport_done *done, void *arg);

/* Run a command, put a file, get one (absolute path, at most limit_bytes, which are at most LIMIT_SESSION_GET_BYTES).
 * The result is valid until `done`. */
struct transport_call *transport_exec(struct transport_session *session,
                                      const struct transport_command *command, transport_done *done,
                                      void *arg);
struct transport_call *transport_put(struct transport_session *session,
                                     const struct transport_file *file, transport_done *done,
                                     void *arg);
struct transport_call *transport_get(struct transport_session *session, struct text path,
                                     size_t limit_bytes, uint64_t deadline_ms, transport_done *done,
                                     void *arg);

/* The next piece of its input, after `wants`; copied. From 1 to LIMIT_SESSION_PIECE_BYTES bytes, and no more than are left. */
void transport_give(struct transport_call *call, struct text piece);

/* Want it no more: done comes as ever, in a later turn. A command that runs may go on running. */
void transport_cancel(struct transport_call *call);

/* Hand on no output until it is resumed, but for what has been read already; what the node may send meanwhile is
 * bounded, and then the command waits. */
void transport_pause(struct transport_call *call);
void transport_resume(struct transport_call *call);

/* Close a session. Calls that are under way end first, each with its done; `open` that is under way as well. NULL is
 * allowed. */
void transport_close(struct transport_session *session);

/* Is it open? */
bool transport_is_open(const struct transport_session *session);

/* End a driver that has no sessions any more. NULL is allowed. */
void transport_free(struct transport *transport);

#endif
