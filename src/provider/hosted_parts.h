#ifndef REEVE_PROVIDER_HOSTED_PARTS_H
#define REEVE_PROVIDER_HOSTED_PARTS_H

#include "base/limits.h"
#include "provider/hosted.h"

/* names: hosted_ */

/* What the files of a hosted provider share. hosted.c makes calls and processes, hosted_take.c takes what a process
 * says. */

/* One call, from the engine's request to its `done`. */
struct hosted_call {
    struct hosted_call *next;
    struct arena *arena;
    uint64_t id;
    enum wire_method method;
    uint64_t deadline_ms;
    struct text frame;  /* that asks for it; empty: it never goes */
    bool is_sent;       /* it may have an effect */
    bool is_under_way;  /* the process has it */
    bool is_given_up;   /* the engine was told; only its answer is still waited for */
    bool is_ready;      /* outcome and answer stand */
    bool is_one;        /* DESCRIBE of one machine */
    bool is_known_sent; /* DESCRIBE with a mark: "unchanged" means something */
    enum outcome outcome;
    struct provider_answer answer;
    struct provider_row *rows;
    size_t row_room;
    size_t row_bytes; /* so much memory they have cost */
    struct wire_list faults;
    provider_done *done;
    hosted_judged *judged; /* of VALIDATE */
    void *arg;
};

struct hosted {
    struct provider provider; /* first */
    struct hosted_options options;
    struct arena *memory;
    struct link *link;
    struct hosted_call *calls; /* in the order they were made */
    struct hosted_call **last;
    size_t ready;
    size_t waiting;   /* not sent yet */
    size_t under_way; /* that the process has */
    uint64_t next_id;
    uint64_t made;
    uint64_t starts;
    bool is_closed;
    bool is_blind;                    /* its credential could not be had, and that was told */
    bool is_greeted;                  /* its process has said HELLO */
    uint64_t greeted_until_ms;        /* it should have */
    unsigned failures;                /* in a row */
    uint64_t not_before_ms;           /* it is not started again before */
    char why[LIMIT_ERROR_TEXT_BYTES]; /* it ended last */
    struct arena *shut;               /* of its sandbox; NULL: it never said */
    struct wire_list sandbox;
};

/* ---- hosted.c ---- */

/* This is how the call ended: told by the next run. */
void hosted_call_ready(struct hosted *self, struct hosted_call *call, enum outcome outcome);

/* The same, by what went wrong: `why` is for people. */
void hosted_call_fail(struct hosted *self, struct hosted_call *call, const char *why);

/* The engine was told long ago: nothing is left of it. */
void hosted_call_remove(struct hosted *self, struct hosted_call *call);

/* Let the process go: its calls end, and there will be another one after a pause. */
void hosted_forget(struct hosted *self, const char *why);

/* Send what waits and has room now. */
void hosted_send(struct hosted *self);

/* ---- hosted_secret.c ---- */

/* Hand the call to the process, with the credential of the account. False: it was not, `err` says why. */
MUST_CHECK bool hosted_hand(struct hosted *self, const struct hosted_call *call, struct err *err);

/* ---- hosted_take.c ---- */

/* A message came from the process. For link_options.told. */
void hosted_event(void *arg, const struct wire_message *message);

#endif
