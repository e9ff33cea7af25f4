#ifndef REEVE_SYS_LOOP_H
#define REEVE_SYS_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"

/* The one loop of a process: it waits for descriptors, timers and signals and calls back, one at a
 * time, on the thread that runs it.
 *
 * Lifetime: what is opened here belongs to the loop until it is closed; whatever is still open is
 *           closed by loop_close. `arg` is the caller's and lives as long as what it was given to.
 * Closing:  allowed at any time, also from the callback of the very thing. It is not called again
 *           after that, and the pointer is invalid at once.
 * Threads:  all calls are on one thread.
 * Failure:  at most LIMIT_LOOP_WATCHES things at once; beyond that, and where the system refuses,
 *           opening is R0532. */
struct loop;

/* Called back without a further word: a timer, a task. */
typedef void loop_fn(void *arg);

/* Make the loop; the caller ends it with loop_close. */
MUST_CHECK bool loop_open(struct loop **out, struct err *err);

/* Close all that is still open, calling nobody back, and free the loop. Not from a callback. NULL is
 * allowed. */
void loop_close(struct loop *loop);

/* For AUTO(loop). */
void loop_cleanup(struct loop **loop);
#define AUTO_loop __attribute__((cleanup(loop_cleanup))) struct loop *

/* Run until loop_stop is called, or until no timer runs, no descriptor is watched and no task is
 * waiting. Not from a callback. */
void loop_run(struct loop *loop);

/* One turn: wait for something for at most wait_ms, call back what is due, return. For tests, and for
 * who has to do something else between. */
void loop_run_once(struct loop *loop, uint64_t wait_ms);

/* Let loop_run return after this callback's turn. Where it does not run yet, it returns at once the
 * next time. */
void loop_stop(struct loop *loop);

/* Monotonic time of the turn in ms: the same for all callbacks of one turn, unless one of them takes
 * so long that it calls loop_now_update. */
uint64_t loop_now_ms(const struct loop *loop);
void loop_now_update(struct loop *loop);

/* ---- timers ---- */

struct loop_timer;

/* A timer that does not run yet. */
MUST_CHECK bool loop_timer_open(struct loop *loop, loop_fn *due, void *arg, struct loop_timer **out,
                                struct err *err);

/* Call back after after_ms, and then every every_ms (0: once only). What it was set to before is
 * forgotten. A repeating one that is late does not catch up on what it missed. */
void loop_timer_start(struct loop_timer *timer, uint64_t after_ms, uint64_t every_ms);

/* Do not call back; the timer can be started again. */
void loop_timer_stop(struct loop_timer *timer);

/* Is it set? A one-shot timer is not while and after it calls back. */
bool loop_timer_is_running(const struct loop_timer *timer);

/* End it. NULL is allowed. */
void loop_timer_close(struct loop_timer *timer);

/* ---- descriptors ---- */

/* What a descriptor is watched for, and what it is. An error or a hang-up of the other side counts as
 * all that was asked for: the read or write tells which. */
/* LOOP_CLOSED: the other end of a socket sends nothing more, whatever is still to be read. */
enum { LOOP_READABLE = 1, LOOP_WRITABLE = 2, LOOP_CLOSED = 4 };

struct loop_descriptor;

typedef void loop_descriptor_fn(void *arg, unsigned events);

/* Watch a descriptor, which becomes non-blocking, stays the caller's, and must stay open until this
 * is closed. Nothing is watched for yet. A regular file cannot be watched, and no descriptor twice. */
MUST_CHECK bool loop_descriptor_open(struct loop *loop, int fd, loop_descriptor_fn *ready,
                                     void *arg, struct loop_descriptor **out, struct err *err);

/* Watch for these events from now on; 0 = for none. It is level-triggered: called again as long as
 * there is something to read, or room to write. */
void loop_descriptor_want(struct loop_descriptor *descriptor, unsigned events);

/* End it; the descriptor may be closed from now on. NULL is allowed. */
void loop_descriptor_close(struct loop_descriptor *descriptor);

/* ---- signals ---- */

struct loop_signal;

typedef void loop_signal_fn(void *arg, int number);

/* Be called back, in a turn of the loop, when this process has got a signal. Several that came at
 * once may be told once. A signal alone does not keep loop_run running. */
MUST_CHECK bool loop_signal_open(struct loop *loop, int number, loop_signal_fn *seen, void *arg,
                                 struct loop_signal **out, struct err *err);

/* End it; with the last one for its number the signal does again what it does by default. NULL is
 * allowed. */
void loop_signal_close(struct loop_signal *signal);

/* ---- tasks ---- */

struct loop_task;

/* Call back once, after all that this turn has to call, before the loop sleeps; what is opened by a
 * task comes after the next turn. In the order of opening. The task ends by itself before it is called;
 * *out, which may be NULL, is for loop_task_cancel before that. */
MUST_CHECK bool loop_task_open(struct loop *loop, loop_fn *run, void *arg, struct loop_task **out,
                               struct err *err);

/* Do not call it. NULL is allowed. */
void loop_task_cancel(struct loop_task *task);

/* ---- measures ---- */

enum { LOOP_LAG_STEPS = 24 };

/* How long turns took, without waiting: for so long nobody else was served. Step i counts the turns
 * of less than 2^i microseconds and not less than half of that; the last one all above. */
struct loop_lag {
    uint64_t turns;
    uint64_t busy_us; /* all turns together */
    uint64_t max_us;
    uint64_t steps[LOOP_LAG_STEPS];
};

/* What was measured since the loop was made, or since loop_lag_reset_max for max_us. */
struct loop_lag loop_lag(const struct loop *loop);
void loop_lag_reset_max(struct loop *loop);

#endif
