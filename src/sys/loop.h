#ifndef REEVE_SYS_LOOP_H
#define REEVE_SYS_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"

/* The event loop of a process. It waits for descriptors, timers and signals, and calls the
 * callbacks one at a time on the thread that runs it.
 *
 * Lifetime: an object that is opened here belongs to the loop until it is closed; loop_close()
 * closes the remaining ones. `arg` belongs to the caller and must live as long as the object.
 *
 * Closing: allowed at any time, also in the object's own callback. The callback is not called
 * again, and the pointer is invalid immediately.
 *
 * Threads: all calls are on one thread.
 *
 * Failure: at most LIMIT_LOOP_WATCHES objects can be open at the same time. Opening more fails with
 * R0532, and so does a system error. */
struct loop;
struct queue;

/* The callback of a timer or task. */
typedef void loop_fn(void *arg);

/* Create a loop. The caller frees it with loop_close(). */
MUST_CHECK bool loop_open(struct loop **out, struct err *err);

/* Close all open objects without calling their callbacks, and free the loop. Not allowed in a
 * callback. NULL is allowed. */
void loop_close(struct loop *loop);

/* Implements AUTO(loop). */
void loop_cleanup(struct loop **loop);
#define AUTO_loop __attribute__((cleanup(loop_cleanup))) struct loop *

/* Run until loop_stop() is called, or until no timer runs, no descriptor is watched and no task is
 * pending. Not allowed in a callback. */
void loop_run(struct loop *loop);

/* Run one iteration: wait at most wait_ms, call the due callbacks, return. It is meant for tests,
 * and for callers with other work in between. */
void loop_run_once(struct loop *loop, uint64_t wait_ms);

/* Make loop_run() return after the current iteration. If it is not running, its next call returns
 * immediately. */
void loop_stop(struct loop *loop);

/* Return the monotonic time of the iteration in ms. It is the same for all callbacks of one
 * iteration, unless a slow callback calls loop_now_update(). */
uint64_t loop_now_ms(const struct loop *loop);
void loop_now_update(struct loop *loop);

/* ---- timers ---- */

struct loop_timer;

/* Create a timer. It is not started yet. */
MUST_CHECK bool loop_timer_open(struct loop *loop, loop_fn *due, void *arg, struct loop_timer **out,
                                struct err *err);

/* Call `due` after after_ms, and then every every_ms (0: only once). Replaces the previous setting.
 * A repeating timer that is late does not make up for missed calls. */
void loop_timer_start(struct loop_timer *timer, uint64_t after_ms, uint64_t every_ms);

/* Stop the timer; it can be started again. */
void loop_timer_stop(struct loop_timer *timer);

/* True if the timer will be due. During and after its only call, a one-shot timer is not
 * running. */
bool loop_timer_is_running(const struct loop_timer *timer);

/* Close the timer. NULL is allowed. */
void loop_timer_close(struct loop_timer *timer);

/* ---- descriptors ---- */

/* Events of a descriptor. An error or a hang-up is reported as every requested event; the next read
 * or write then shows the error. */
/* LOOP_CLOSED: the peer of a socket sends nothing more, although some data may still be unread. */
enum { LOOP_READABLE = 1, LOOP_WRITABLE = 2, LOOP_CLOSED = 4 };

struct loop_descriptor;

typedef void loop_descriptor_fn(void *arg, unsigned events);

/* Watch a descriptor. It becomes non-blocking. The caller still owns it, and must keep it open
 * until the watch is closed. No events are watched yet. A regular file cannot be watched, and a
 * descriptor can have only one watch. */
MUST_CHECK bool loop_descriptor_open(struct loop *loop, int fd, loop_descriptor_fn *ready,
                                     void *arg, struct loop_descriptor **out, struct err *err);

/* Set the watched events; 0: none. They are level-triggered: the callback repeats as long as there
 * is data to read, or space to write. */
void loop_descriptor_want(struct loop_descriptor *descriptor, unsigned events);

/* Send the bytes of a queue to a socket, as many as the socket accepts. Then watch for
 * LOOP_READABLE, and also for LOOP_WRITABLE while bytes are left. Returns true if all was sent; the
 * queue is then trimmed. A closed socket is not reported here, but by the next read. */
bool loop_descriptor_send(struct loop_descriptor *descriptor, int socket, struct queue *queue);

/* Close the watch; after this the caller may close the descriptor. NULL is allowed. */
void loop_descriptor_close(struct loop_descriptor *descriptor);

/* ---- signals ---- */

struct loop_signal;

typedef void loop_signal_fn(void *arg, int number);

/* Call `seen`, in an iteration of the loop, when this process receives the signal. Signals in quick
 * succession may be reported once. A signal watch alone does not keep loop_run() running. */
MUST_CHECK bool loop_signal_open(struct loop *loop, int number, loop_signal_fn *seen, void *arg,
                                 struct loop_signal **out, struct err *err);

/* Close the watch. Closing the last watch of a signal restores the signal's default action. NULL is
 * allowed. */
void loop_signal_close(struct loop_signal *signal);

/* ---- tasks ---- */

struct loop_task;

/* Call `run` once, after all other callbacks of this iteration and before the loop sleeps. Tasks
 * run in the order in which they are opened. A task that is opened by a task runs in the next
 * iteration. A task is closed before its call; until then *out (may be NULL) can be passed to
 * loop_task_cancel(). */
MUST_CHECK bool loop_task_open(struct loop *loop, loop_fn *run, void *arg, struct loop_task **out,
                               struct err *err);

/* Cancel the task. NULL is allowed. */
void loop_task_cancel(struct loop_task *task);

/* ---- measures ---- */

enum { LOOP_LAG_STEPS = 24 };

/* Durations of iterations without their waiting time. During such a time no other callback could
 * run. Step i counts the iterations of less than 2^i microseconds and at least half of that; the
 * last step counts all longer ones. */
struct loop_lag {
    uint64_t turns;
    uint64_t busy_us; /* total time of all iterations */
    uint64_t max_us;
    uint64_t steps[LOOP_LAG_STEPS];
};

/* Return the measurements since the loop was created. max_us is the maximum since the latest
 * loop_lag_reset_max(). */
struct loop_lag loop_lag(const struct loop *loop);
void loop_lag_reset_max(struct loop *loop);

#endif
