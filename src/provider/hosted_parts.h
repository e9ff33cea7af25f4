#ifndef REEVE_PROVIDER_HOSTED_PARTS_H
#define REEVE_PROVIDER_HOSTED_PARTS_H

#include "base/limits.h"
#include "provider/hosted.h"

/* private to src/provider */
/* public names start with: hosted_ */

/* Internals of a hosted provider. hosted.c starts processes and sends calls; hosted_take.c handles
 * messages from the process. */

/* One call, from the engine's request to its `done`. */
struct hosted_call {
    struct hosted_call *next;
    struct arena *arena;
    uint64_t id;
    enum wire_method method;
    uint64_t deadline_ms;
    struct text frame;  /* the request; empty: never sent */
    bool is_sent;       /* it was sent and may have an effect */
    bool is_under_way;  /* the process is executing it */
    bool is_given_up;   /* abandoned: reported to the engine, but the process has not answered */
    bool is_ready;      /* outcome and answer are final */
    bool is_one;        /* DESCRIBE of one machine */
    bool is_known_sent; /* DESCRIBE with a listing token: "unchanged" is a valid answer */
    enum outcome outcome;
    struct provider_answer answer;
    struct provider_row *rows;
    size_t row_room;
    struct provider_resource *resources;
    size_t row_bytes; /* memory used by the rows */
    struct wire_list faults;
    provider_done *done;
    hosted_judged *judged; /* of VALIDATE */
    hosted_preflighted *preflighted;
    struct provider_preflight found; /* of PREFLIGHT */
    void *arg;
};

/* A request of the process to read or write its state, until the state port has answered. */
struct hosted_ask {
    struct hosted_ask *next;
    struct hosted *self; /* NULL: the process has ended, so the answer is dropped */
    uint64_t number;
};

struct hosted {
    struct provider provider; /* must be first */
    struct hosted_options options;
    struct arena *memory;
    struct link *link;
    struct hosted_call *calls; /* in the order of the requests */
    struct hosted_call **last;
    struct hosted_ask *asks;
    size_t asks_count;
    size_t ready;
    size_t waiting;   /* number of unsent calls */
    size_t under_way; /* number of calls in the process */
    size_t reading;   /* number of calls in the process that only read */
    uint64_t next_id;
    uint64_t made;
    uint64_t starts;
    bool is_closed;
    bool is_blind;                    /* the problem that its credential is missing was reported */
    bool is_greeted;                  /* its process has sent HELLO */
    uint64_t greeted_until_ms;        /* deadline of HELLO */
    unsigned failures;                /* consecutive */
    uint64_t not_before_ms;           /* no restart before this time */
    char why[LIMIT_ERROR_TEXT_BYTES]; /* reason of its last end */
    char *settings;                   /* of the account; NULL: none */
    bool is_renewing;   /* The process restarts with new settings once no call is active. */
    struct arena *shut; /* memory of `sandbox`; NULL: not reported yet */
    struct wire_list sandbox;
};

/* ---- hosted.c ---- */

/* Marks a call as finished; the next run reports it. */
void hosted_call_ready(struct hosted *self, struct hosted_call *call, enum outcome outcome);

/* Finishes a call with a failure; `why` is a message for users. */
void hosted_call_fail(struct hosted *self, struct hosted_call *call, const char *why);

/* Returns whether the call only reads. A failed read had no effect, but a failed change may have
 * had one. */
bool hosted_is_reading(const struct hosted_call *call);

/* Frees an abandoned call, which was already reported to the engine. */
void hosted_call_remove(struct hosted *self, struct hosted_call *call);

/* Closes the connection to the process and ends its calls. Another process starts after a pause. */
void hosted_forget(struct hosted *self, const char *why);

/* Sends waiting calls while the window has room. */
void hosted_send(struct hosted *self);

/* ---- hosted_settings.c ---- */

/* Ends a process whose settings differ from those of its account, if it has no active call. */
void hosted_renew(struct hosted *self);

/* Returns the settings of the plugin, overridden by those of the account. */
struct text hosted_settings_merged(const struct hosted *self, struct arena *arena);

/* ---- hosted_secret.c ---- */

/* Sends the call to the process, with the credential of the account. Returns false if it was not
 * sent; `err` has the reason. */
MUST_CHECK bool hosted_hand(struct hosted *self, const struct hosted_call *call, struct err *err);

/* ---- hosted_state.c ---- */

/* Handles a request of the process to read or write its state. */
void hosted_state_take(struct hosted *self, const struct wire_state_ask *ask);

/* Drops pending state requests of a process that has ended: later answers of the port are
 * ignored. */
void hosted_state_drop(struct hosted *self);

/* ---- hosted_take.c ---- */

/* Handles a message from the process. Callback of link_options.reported. */
void hosted_event(void *arg, const struct wire_message *message);

#endif
