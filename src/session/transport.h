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

/* The transport port: sessions with nodes, and commands and file transfers over them. It has three
 * drivers and one contract suite (tests/contract/contract_transport.c). Two drivers, libssh and the
 * OpenSSH client, run inside reeve-session. In the manager, session_pool/remote.h reaches both
 * through that process.
 *
 * - Every call is asynchronous and ends in exactly one `done`, which is never called before the
 *   call has returned. Arguments must be valid only until the call returns. The arguments of
 *   `done` are valid until it returns.
 * - OUTCOME_REFUSED: nothing has happened on the node; `fault` gives the reason. OUTCOME_UNKNOWN:
 *   the command may have run or may still run. If the command ran to its end, the outcome is
 *   OUTCOME_OK, regardless of its exit code.
 * - A session with an unexpected host key is never opened. No user name and no signature is sent
 *   before the host key is verified.
 * - A session stays open between calls until it is closed or lost. Its calls run concurrently.
 * - All functions and callbacks run on the thread of the loop. */
struct transport;
struct transport_session;
struct transport_call;

/* Why a call was rejected, or why its outcome is unknown. */
enum transport_fault {
    TRANSPORT_FAULT_NONE,
    TRANSPORT_FAULT_INVALID,     /* invalid request: no address, or an invalid key */
    TRANSPORT_FAULT_UNSUPPORTED, /* this driver does not support the request; the other driver
                                  * does */
    TRANSPORT_FAULT_UNREACHABLE, /* connection refused, or no route */
    TRANSPORT_FAULT_PROTOCOL,    /* no SSH server, or no common algorithms */
    TRANSPORT_FAULT_HOST_KEY,    /* alarm: the host key differs from the expected one */
    TRANSPORT_FAULT_USER_KEY,    /* the host rejects this user with this key */
    TRANSPORT_FAULT_LATE,        /* the deadline has passed */
    TRANSPORT_FAULT_CUT,         /* the connection ended */
    TRANSPORT_FAULT_CANCELLED,   /* the caller has cancelled the call */
    TRANSPORT_FAULT_CLOSED,      /* the session is not open */
    TRANSPORT_FAULT_LIMIT,       /* a limit was exceeded; the message has the limit */
    TRANSPORT_FAULT_NODE,        /* an error on the node, such as a full disk or a missing file */
    TRANSPORT_FAULT_DIGEST,      /* received bytes differ from those sent */
    TRANSPORT_FAULT_PROCESS,     /* the session process ended or cannot be started */
    TRANSPORT_FAULT_COUNT,
};

/* Returns the name of a fault: "host key", "late", ... */
const char *transport_fault_name(enum transport_fault fault);

/* The key exchange algorithm. */
enum transport_exchange {
    TRANSPORT_CURVE25519, /* curve25519-sha256 */
    /* hybrid with sntrup761, which resists quantum computers; costs about 50 ms of CPU */
    TRANSPORT_SNTRUP761,
    TRANSPORT_EXCHANGE_COUNT,
};

/* A host, the user for the login, and the keys that the host may present. */
struct transport_target {
    struct text address; /* numeric; with the operator's settings it may be a name */
    uint16_t port;
    struct text user;
    struct secret key;       /* the user's private key, in OpenSSH key file format */
    struct text certificate; /* certificate of `key`, one line "TYPE BASE64"; empty: none */
    struct text host_keys;   /* accepted host keys: lines "TYPE BASE64" */
    /* CA that may sign the host key for `host_name`: a line "TYPE BASE64" */
    struct text authority;
    struct text host_name;      /* name in the host's certificate */
    bool is_first_key_accepted; /* no host key or CA is known: accept the first key and report it */
    bool is_operators;          /* use the operator's ssh settings, keys and known hosts */
    enum transport_exchange exchange;
};

enum transport_stream { TRANSPORT_OUT, TRANSPORT_ERROR, TRANSPORT_STREAM_COUNT };

/* How a call ended. */
struct transport_answer {
    enum transport_fault fault;
    struct text message; /* reason as text, if the outcome is not OK */
    /* set by open: the key that the host presented, "TYPE BASE64", also if it is not an expected
     * key; empty: unknown */
    struct text host_key;
    bool is_first; /* set by open: the first key was accepted, and the caller must record it */
    int code;      /* set by exec: 0 to 255; -1: ended by a signal */
    /* set by exec: name of the signal, such as "KILL"; empty: no signal, or traits.has_signal_names
     * is false and `code` is 128 plus the signal number */
    struct text signal;
    uint64_t bytes[TRANSPORT_STREAM_COUNT]; /* set by exec: number of bytes received */
    /* number of bytes beyond output_max, which were not delivered */
    uint64_t dropped[TRANSPORT_STREAM_COUNT];
    struct text content; /* set by get: the content of the file */
};

typedef void transport_done(void *arg, enum outcome outcome, const struct transport_answer *answer);

/* Receives a piece of a command's output. The callback may pause or cancel the call, but must not
 * close the session. */
typedef void transport_output_fn(void *arg, enum transport_stream stream, struct text piece);

/* Requests the next piece of a call's input. The caller answers with transport_give, immediately or
 * later. The callback is called again only after that piece was given, and never before the call
 * has returned. It may cancel the call. */
typedef void transport_wants_fn(void *arg);

/* Reports that an open session has ended by itself. `done` of its calls has been called before. The
 * caller must still close the session. */
typedef void transport_lost_fn(void *arg, enum transport_fault fault, struct text why);

/* A command to run. */
struct transport_command {
    struct text command; /* run by the user's login shell */
    /* standard input, which is followed by end of file; up to LIMIT_SESSION_INPUT_BYTES */
    struct text input;
    uint64_t input_bytes;      /* with `wants`: total length of the input; `input` is empty */
    transport_wants_fn *wants; /* NULL: `input` is complete */
    uint64_t deadline_ms;
    uint64_t output_max; /* maximum bytes to deliver per stream; further bytes are only counted */
    /* true: each piece consists of whole lines with their ends; a line longer than
     * LIMIT_SESSION_LINE_BYTES arrives in several pieces */
    bool is_linewise;
    transport_output_fn *output; /* NULL: discard the output */
};

/* A file to put. Afterwards, the file at the path is either complete and synced, with these bytes,
 * or unchanged. */
struct transport_file {
    struct text path; /* absolute path on the node */
    struct text bytes;
    uint64_t input_bytes;      /* with `wants`: total length of the file; `bytes` is empty, `digest`
                                * is set */
    transport_wants_fn *wants; /* NULL: `bytes` is complete */
    struct text digest;        /* SHA-256 in hexadecimal; empty: the transport computes it */
    unsigned mode;
    uint64_t deadline_ms;
};

/* Capabilities of a driver. */
struct transport_traits {
    bool has_signal_names; /* signals are reported by name, and not as 128 + number */
    bool has_authorities;  /* supports host certificates */
    bool has_sntrup761;
};

struct transport_traits transport_traits(const struct transport *transport);

/* Opens a session. The caller must close the returned session in every case, even before `done`.
 * `lost` may be NULL. */
struct transport_session *transport_open(struct transport *transport,
                                         const struct transport_target *target,
                                         uint64_t deadline_ms, transport_lost_fn *lost,
                                         transport_done *done, void *arg);

/* Run a command, put a file, and get a file. The path of a get is absolute, and limit_bytes is at
 * most LIMIT_SESSION_GET_BYTES. The returned call is valid until `done`. */
struct transport_call *transport_exec(struct transport_session *session,
                                      const struct transport_command *command, transport_done *done,
                                      void *arg);
struct transport_call *transport_put(struct transport_session *session,
                                     const struct transport_file *file, transport_done *done,
                                     void *arg);
struct transport_call *transport_get(struct transport_session *session, struct text path,
                                     size_t limit_bytes, uint64_t deadline_ms, transport_done *done,
                                     void *arg);

/* Gives the next piece of the input, after `wants` was called. The bytes are copied. There must be
 * 1 to LIMIT_SESSION_PIECE_BYTES bytes, and no more than the rest of the announced input. */
void transport_give(struct transport_call *call, struct text piece);

/* Cancels a call; `done` is called in a later iteration. A running command may continue to run. */
void transport_cancel(struct transport_call *call);

/* transport_pause pauses the delivery of output until transport_resume. Output that was already
 * read is still delivered. During a pause the node may send only a limited amount; beyond it, the
 * command blocks. */
void transport_pause(struct transport_call *call);
void transport_resume(struct transport_call *call);

/* Closes a session. First `done` is called for each active call, and for a pending open. NULL is
 * allowed. */
void transport_close(struct transport_session *session);

/* Returns whether the session is open. */
bool transport_is_open(const struct transport_session *session);

/* Frees a driver without sessions. NULL is allowed. */
void transport_free(struct transport *transport);

#endif
