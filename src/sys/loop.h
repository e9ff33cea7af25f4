#ifndef REEVE_SYS_LOOP_H
#define REEVE_SYS_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"

/* The event loop of a process: it waits for descriptors, timers and signals, and calls the
 * callbacks one at a time on the thread that runs it.
 *
 * Lifetime: everything opened here belongs to the loop until it is closed; loop_close() closes the
 * rest. `arg` belongs to the caller and must live as long as the object it was given to.
 *
 * Closing: allowed at any time, also from the object's own callback. The callback is not called
 * again, and the pointer is invalid immediately.
 *
 * Threads: all calls are on one thread.
 *
 * Failure: at most LIMIT_LOOP_WATCHES objects at the same time. Opening more fails with R0532, and
 * so does an error of the system. */
struct loop;
struct queue;

/* The callback of a timer or task. */
typedef void loop_fn(void *arg);

/* Make a loop. The caller ends it with loop_close(). */
MUST_CHECK bool loop_open(struct loop **out, struct err *err);

/* Close everything that is still open without callbacks, and free the loop. Not from a callback.
 * NULL is allowed. */
void loop_close(struct loop *loop);

/* For AUTO(loop). */
void loop_cleanup(struct loop **loop);
#define AUTO_loop __attribute__((cleanup(loop_cleanup))) struct loop *

/* Run until loop_stop() is called, or until no timer runs, no descriptor is watched and no task is
 * pending. Not from a callback. */
void loop_run(struct loop *loop);

/* Run one iteration: wait at most wait_ms, call the due callbacks, return. For tests, and for
 * callers with other work in between. */
void loop_run_once(struct loop *loop, uint64_t wait_ms);

/* Make loop_run() return after the current iteration. If it is not running yet, its next call
 * returns immediately. */
void loop_stop(struct loop *loop);

/* Monotonic time of the iteration in ms. It is the same for all callbacks of one iteration, unless
 * a slow callback calls loop_now_update(). */
uint64_t loop_now_ms(const struct loop *loop);
void loop_now_update(struct loop *loop);

/* ---- timers ---- */

struct loop_timer;

/* Make a timer that is not started yet. */
MUST_CHECK bool loop_timer_open(struct loop *loop, loop_fn *due, void *arg, struct loop_timer **out,
                                struct err *err);

/* Call back after after_ms, and then every every_ms (0: once only). Replaces the previous setting.
 * A repeating timer that is late does not catch up on missed calls. */
void loop_timer_start(struct loop_timer *timer, uint64_t after_ms, uint64_t every_ms);

/* Stop the timer; it can be started again. */
void loop_timer_stop(struct loop_timer *timer);

/* True if the timer is set. A one-shot timer is not, during its callback and after it. */
bool loop_timer_is_running(const struct loop_timer *timer);

/* Close the timer. NULL is allowed. */
void loop_timer_close(struct loop_timer *timer);

/* ---- descriptors ---- */

/* Events of a descriptor. An error or a hang-up counts as every requested event: the next read or
 * write shows which it is. */
/* LOOP_CLOSED: the other end of a socket sends nothing more, even if data is still to be read. */
enum { LOOP_READABLE = 1, LOOP_WRITABLE = 2, LOOP_CLOSED = 4 };

struct loop_descriptor;

typedef void loop_descriptor_fn(void *arg, unsigned events);

/* Watch a descriptor. It becomes non-blocking, is still owned by the caller, and must stay open
 * until the watch is closed. No events are watched yet. A regular file cannot be watched, and a
 * descriptor can have only one watch. */
MUST_CHECK bool loop_descriptor_open(struct loop *loop, int fd, loop_descriptor_fn *ready,
                                     void *arg, struct loop_descriptor **out, struct err *err);

/* Set the watched events; 0: none. Level-triggered: the callback repeats as long as there is data
 * to read, or space to write. */
void loop_descriptor_want(struct loop_descriptor *descriptor, unsigned events);

/* Send the bytes of a queue to a socket, as many as the socket accepts. Then watch for
 * LOOP_READABLE, and for LOOP_WRITABLE while bytes are left. True: all was sent, and the queue is
 * trimmed. A closed socket is not reported: the next read shows that. */
bool loop_descriptor_send(struct loop_descriptor *descriptor, int socket, struct queue *queue);

/* Close the watch; the descriptor may be closed after this. NULL is allowed. */
void loop_descriptor_close(struct loop_descriptor *descriptor);

/* ---- signals ---- */

struct loop_signal;

typedef void loop_signal_fn(void *arg, int number);

/* Call back, in an iteration of the loop, when this process receives a signal. Several signals at
 * the same time may be reported once. A signal watch alone does not keep loop_run() running. */
MUST_CHECK bool loop_signal_open(struct loop *loop, int number, loop_signal_fn *seen, void *arg,
                                 struct loop_signal **out, struct err *err);

/* Close the watch. Closing the last watch of a signal restores the signal's default action. NULL is
 * allowed. */
void loop_signal_close(struct loop_signal *signal);

/* ---- tasks ---- */

struct loop_task;

/* Call back once after all other callbacks of this iteration, before the loop sleeps. Tasks run in
 * the order of opening. A task that is opened by a task runs after the next iteration. The task is
 * closed before its call; *out (may be NULL) is for loop_task_cancel() before that. */
MUST_CHECK bool loop_task_open(struct loop *loop, loop_fn *run, void *arg, struct loop_task **out,
                               struct err *err);

/* Cancel the task. NULL is allowed. */
void loop_task_cancel(struct loop_task *task);

/* ---- measures ---- */

enum { LOOP_LAG_STEPS = 24 };

/* Durations of iterations without the time of waiting: during this time no other callback could
 * run. Step i counts the iterations of less than 2^i microseconds and at least half of that; the
 * last one counts all longer ones. */
struct loop_lag {
    uint64_t turns;
    uint64_t busy_us; /* total time of all iterations */
    uint64_t max_us;
    uint64_t steps[LOOP_LAG_STEPS];
};

/* The measurements since the loop was made; max_us since the last loop_lag_reset_max(). */
struct loop_lag loop_lag(const struct loop *loop);
void loop_lag_reset_max(struct loop *loop);

#endif
