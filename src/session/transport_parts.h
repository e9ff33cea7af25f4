#ifndef REEVE_SESSION_TRANSPORT_PARTS_H
#define REEVE_SESSION_TRANSPORT_PARTS_H

#include "base/buf.h"
#include "base/heap.h"
#include "base/mem.h"
#include "session/transport.h"

/* What every driver of the port is made of. transport.c keeps the promises that all share: one `done`, never too
 * early; deadlines; what is handed on of output, and how; the ends of files. A driver does the rest: it is asked to
 * begin and to drop, and says what came. */

enum session_state { SESSION_OPENING, SESSION_OPEN, SESSION_OVER };

/* First member of a driver's session, all zero behind it when it begins. */
struct transport_session {
    struct transport *transport;
    struct arena *memory;
    enum session_state state;
    struct transport_target target; /* in home; key and certificate are there for `begin` alone */
    struct heap_node deadline;      /* of open */
    uint64_t deadline_ms;           /* from its beginning */
    struct transport_session *next; /* among those of which something is to be told */
    bool is_due;                    /* it is among them */
    bool is_reported;               /* done of open was called, or is not to be */
    bool is_lost;                   /* lost is to be called */
    bool is_closing;
    enum outcome outcome; /* of open */
    struct transport_answer answer;
    struct transport_call *calls;
    size_t call_count;
    transport_lost_fn *lost;
    transport_done *done;
    void *arg;
};

enum call_kind { CALL_EXEC, CALL_PUT, CALL_GET };

/* First member of a driver's call. */
struct transport_call {
    struct transport_session *session;
    struct transport_call *next; /* of its session */
    struct transport_call *next_ready;
    struct arena *memory;
    enum call_kind kind;
    struct text path; /* put, get */
    unsigned mode;    /* put */
    uint64_t limit;   /* get */
    struct text
        command; /* for the shell; of put and get as well. A driver that needs it behind `call` copies it */
    struct text digest;   /* put: of all of its input */
    struct text input;    /* that is given by itself; empty where `wants` is asked */
    uint64_t input_left;  /* bytes that were not given yet */
    bool is_wanting;      /* the driver waits for the next piece */
    uint64_t deadline_ms; /* from its beginning */
    struct heap_node deadline;
    uint64_t output_max;
    bool is_linewise;
    bool is_sent; /* the node may have got it */
    bool is_paused;
    bool is_ready; /* outcome and answer stand */
    bool is_left;  /* the driver has nothing to do with it any more */
    enum outcome outcome;
    struct transport_answer answer;
    struct buf lines[TRANSPORT_STREAM_COUNT]; /* the line that is not whole yet */
    struct buf taken[TRANSPORT_STREAM_COUNT]; /* get, put: what came */
    transport_output_fn *output;
    transport_wants_fn *wants;
    transport_done *done;
    void *arg;
};

/* What a driver does. It is never called back from within its own words to transport.c, but for `output`, which may
 * pause and cancel, and call_want, which may give and cancel. */
struct transport_driver {
    const char *name;
    size_t session_bytes;
    size_t call_bytes;
    uint64_t late_ms; /* it keeps deadlines itself; so long after them it is given up */
    bool has_files;   /* put and get are begun as they are; else as commands */
    void (*begin)(struct transport_session *session); /* the last that sees key and certificate */
    void (*end)(struct transport_session *session); /* let all go; also of one that has not begun */
    void (*call)(struct transport_call *call);
    void (*drop)(struct transport_call *call);                    /* nobody waits for it any more */
    void (*flow)(struct transport_call *call);                    /* it was paused or resumed */
    void (*give)(struct transport_call *call, struct text piece); /* of input, after call_want */
    void (*free)(struct transport *transport);
};

/* First member of a driver. */
struct transport {
    const struct transport_driver *driver;
    struct transport_traits traits;
    struct loop *loop;
    struct loop_timer *timer;
    struct heap opens;     /* sessions that are being opened, by their deadlines */
    struct heap deadlines; /* calls */
    struct transport_call *ready;
    struct transport_call **last_ready;
    struct transport_session *due;
    size_t sessions;
    bool is_reporting;
};

/* Begin a driver, whose other fields are set already. R0532. */
MUST_CHECK bool transport_init(struct transport *transport, struct loop *loop, struct err *err);

/* Let its timer go; transport_free calls the driver's `free`, which calls this. */
void transport_fini(struct transport *transport);

#endif
