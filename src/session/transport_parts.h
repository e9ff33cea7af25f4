#ifndef REEVE_SESSION_TRANSPORT_PARTS_H
#define REEVE_SESSION_TRANSPORT_PARTS_H

#include "base/buf.h"
#include "base/heap.h"
#include "base/mem.h"
#include "session/transport.h"

/* private to src/session */

/* The common part of all drivers. transport.c implements the guarantees: exactly one `done`, never
 * early; deadlines; the delivery of output; complete files. A driver begins and drops sessions and
 * calls, and reports events. */

enum session_state { SESSION_OPENING, SESSION_OPEN, SESSION_OVER };

/* First member of a driver's struct for a session. The driver's members after it are zero when the
 * session begins. */
struct transport_session {
    struct transport *transport;
    struct arena *memory;
    enum session_state state;
    /* lives in `memory`; key and certificate exist only until `begin` returns */
    struct transport_target target;
    struct heap_node deadline;      /* deadline for opening the session */
    uint64_t deadline_ms;           /* time limit in ms for opening, from the call of
                                     * transport_open */
    struct transport_session *next; /* next session in the list of sessions with a pending report */
    bool is_due;                    /* the session is in that list */
    /* `done` of transport_open was called, or the session was closed before */
    bool is_reported;
    bool is_lost; /* `lost` must still be called */
    bool is_closing;
    enum outcome outcome; /* outcome of opening the session */
    struct transport_answer answer;
    struct transport_call *calls;
    size_t call_count;
    transport_lost_fn *lost;
    transport_done *done;
    void *arg;
};

enum call_kind { CALL_EXEC, CALL_PUT, CALL_GET };

/* First member of a driver's struct for a call. */
struct transport_call {
    struct transport_session *session;
    struct transport_call *next; /* next call of the same session */
    struct transport_call *next_ready;
    struct arena *memory;
    enum call_kind kind;
    struct text path; /* path of a put or get */
    unsigned mode;    /* mode of a put */
    uint64_t limit;   /* size limit of a get */
    /* Command for the shell, also for put and get. A driver that needs it after its function `call`
     * has returned must copy it. */
    struct text command;
    struct text digest;   /* digest of the whole input of a put */
    struct text input;    /* input given with the call; empty if `wants` is used */
    uint64_t input_left;  /* number of input bytes that are still to be given */
    bool is_wanting;      /* the driver waits for the next piece */
    uint64_t deadline_ms; /* time limit in ms from the start of the call */
    struct heap_node deadline;
    uint64_t output_max;
    bool is_linewise;
    bool is_sent; /* the node may have received the call */
    bool is_paused;
    bool is_ready; /* outcome and answer are final */
    bool is_left;  /* the driver has dropped the call */
    enum outcome outcome;
    struct transport_answer answer;
    struct buf lines[TRANSPORT_STREAM_COUNT]; /* the last line, if it is incomplete */
    struct buf taken[TRANSPORT_STREAM_COUNT]; /* output of a get or put that has arrived so far */
    transport_output_fn *output;
    transport_wants_fn *wants;
    transport_done *done;
    void *arg;
};

/* Functions of a driver. transport.c does not call them while the driver is inside a call of
 * transport.c, with two exceptions: `output` may pause and cancel, and call_want may give and
 * cancel. */
struct transport_driver {
    const char *name;
    size_t session_bytes;
    size_t call_bytes;
    /* if the driver itself enforces deadlines: extra time in ms after which transport.c ends the
     * call */
    uint64_t late_ms;
    bool has_files; /* the driver implements put and get; otherwise they run as commands */
    /* begins a session; later, the key and the certificate are not available */
    void (*begin)(struct transport_session *session);
    /* frees the session's resources; also called for a session that was not begun */
    void (*end)(struct transport_session *session);
    void (*call)(struct transport_call *call);
    void (*drop)(struct transport_call *call); /* the call was cancelled */
    /* the call was paused or resumed */
    void (*flow)(struct transport_call *call);
    /* passes on a piece of input, after call_want */
    void (*give)(struct transport_call *call, struct text piece);
    void (*free)(struct transport *transport);
};

/* First member of a driver's struct. */
struct transport {
    const struct transport_driver *driver;
    struct transport_traits traits;
    struct loop *loop;
    struct loop_timer *timer;
    struct heap opens;     /* sessions that are being opened, by deadline */
    struct heap deadlines; /* calls, by deadline */
    struct transport_call *ready;
    struct transport_call **last_ready;
    struct transport_session *due;
    size_t sessions;
    bool is_reporting;
};

/* Initializes the common part of a driver, whose other members are set. Fails with R0532 if the
 * loop has no free slot. */
MUST_CHECK bool transport_init(struct transport *transport, struct loop *loop, struct err *err);

/* Frees the timer. The function `free` of a driver must call it. */
void transport_fini(struct transport *transport);

#endif
