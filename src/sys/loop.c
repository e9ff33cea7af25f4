#include "sys/loop.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

/* Every open object is a struct watch from one pool. libuv releases a handle only in the iteration
 * after uv_close, so the loop must own the memory, not the caller. A closed watch is never called
 * back; it returns to the pool when libuv has released it. */

struct watch {
    struct loop *loop;
    void *arg;
    bool is_open;
    unsigned wanted; /* requested events of a descriptor */
#ifdef REEVE_LATE_COMPLETIONS
    struct watch *late_next;
    uint64_t late_until_ms; /* time in ms of a delayed event of a descriptor; 0: none */
#endif
    union {
        loop_fn *due;
        loop_descriptor_fn *ready;
        loop_signal_fn *seen;
    };
    union {
        uv_handle_t any;
        uv_timer_t timer;
        uv_poll_t poll;
        uv_signal_t signal;
    } uv;
};

/* Distinct handle types for the header, so that the compiler detects a mix-up. */
struct loop_timer {
    struct watch watch;
};

struct loop_descriptor {
    struct watch watch;
};

struct loop_signal {
    struct watch watch;
};

struct loop_task {
    struct loop_task *next;
    struct loop *loop;
    loop_fn *run;
    void *arg;
    bool is_cancelled;
};

struct task_list {
    struct loop_task *first;
    struct loop_task **last;
};

struct loop {
    struct arena *memory;
    struct pool *watch_pool;
    struct pool *task_pool;
    struct task_list tasks; /* tasks to run at the end of this iteration */
    struct task_list now;   /* tasks that are being run */
    uv_loop_t uv;
    uv_prepare_t turn_end;
    uv_check_t after_poll;
    uv_idle_t no_sleep; /* runs while a task is pending */
    uv_timer_t once;    /* bounds loop_run_once() */
    uint64_t turn_start_ns;
    uint64_t idle_before_ns;
    struct loop_lag lag;
    bool is_running;
#ifdef REEVE_LATE_COMPLETIONS
    struct watch *late; /* descriptors with a delayed event */
    uv_timer_t late_timer;
    uint64_t late_state; /* state of the random numbers for delays */
#endif
};

MUST_CHECK static bool loop_error(const char *what, int number, struct err *err)
{
    err_set(err, CODE_R0532, "%s: %s", what, uv_strerror(number));
    if (number == UV_EMFILE || number == UV_ENFILE) {
        return err_hint(err, "raise the limit of open files (LimitNOFILE= of the service)");
    }
    return false;
}

MUST_CHECK static bool full_error(const char *what, int limit, struct err *err)
{
    return err_set(err, CODE_R0532, "%s: %d are open, which is the limit", what, limit);
}

/* ---- watches ---- */

static struct watch *watch_of(const uv_handle_t *handle)
{
    struct watch *watch = handle->data;

    assert(watch != NULL);
    assert(watch->is_open);
    return watch;
}

static void late_forget(struct watch *watch);

static struct watch *watch_take(struct loop *loop, void *arg)
{
    struct watch *watch = pool_take(loop->watch_pool);

    if (watch != NULL) {
        watch->loop = loop;
        watch->arg = arg;
        watch->is_open = true;
        late_forget(watch);
    }
    return watch;
}

/* Connects a watch with its handle, which libuv owns from now on. */
static void watch_begin(struct watch *watch)
{
    watch->uv.any.data = watch;
}

static void watch_gone(uv_handle_t *handle)
{
    struct watch *watch = handle->data;

    pool_give(watch->loop->watch_pool, watch);
}

static void watch_close(struct watch *watch)
{
    assert(watch->is_open && "closed twice");
    watch->is_open = false;
    late_forget(watch);
    uv_close(&watch->uv.any, watch_gone);
}

/* ---- timers ---- */

static void loop_timer_due(uv_timer_t *handle)
{
    struct watch *watch = watch_of((uv_handle_t *)handle);

    watch->due(watch->arg);
}

bool loop_timer_open(struct loop *loop, loop_fn *due, void *arg, struct loop_timer **out,
                     struct err *err)
{
    struct watch *watch = watch_take(loop, arg);

    assert(due != NULL);
    if (watch == NULL) {
        return full_error("a timer cannot be made", LIMIT_LOOP_WATCHES, err);
    }
    watch->due = due;
    uv_timer_init(&loop->uv, &watch->uv.timer);
    watch_begin(watch);
    *out = (struct loop_timer *)watch;
    return true;
}

void loop_timer_start(struct loop_timer *timer, uint64_t after_ms, uint64_t every_ms)
{
    uv_loop_t *uv = &timer->watch.loop->uv;
    uint64_t now_ms = uv_hrtime() / 1000000;
    uint64_t turn_ms = uv_now(uv);

    assert(timer->watch.is_open);
    /* libuv counts from the start of the iteration, which may be long ago because of slow
     * callbacks */
    after_ms += now_ms > turn_ms ? now_ms - turn_ms : 0;
    uv_timer_start(&timer->watch.uv.timer, loop_timer_due, after_ms, every_ms);
}

void loop_timer_stop(struct loop_timer *timer)
{
    assert(timer->watch.is_open);
    uv_timer_stop(&timer->watch.uv.timer);
}

bool loop_timer_is_running(const struct loop_timer *timer)
{
    assert(timer->watch.is_open);
    return uv_is_active(&timer->watch.uv.any) != 0;
}

void loop_timer_close(struct loop_timer *timer)
{
    if (timer != NULL) {
        watch_close(&timer->watch);
    }
}

/* ---- delayed completions ----
 *
 * All completions for the manager arrive by a descriptor: commits of the store, answers of plugins,
 * sessions and workers, and requests. A build with -Dlate_completions=true (docs/HACKING.md) delays
 * one event in LATE_ONE_IN by up to LATE_MAX_MS, so that other events come first. Each process
 * draws from its own random sequence, seeded by REEVE_LATE_SEED. */

static void poll_start(struct watch *watch);

#ifdef REEVE_LATE_COMPLETIONS
enum { LATE_ONE_IN = 40, LATE_MAX_MS = 1500, LATE_STEP_MS = 5 };

static uint64_t late_draw(struct loop *loop)
{
    loop->late_state ^= loop->late_state << 13;
    loop->late_state ^= loop->late_state >> 7;
    loop->late_state ^= loop->late_state << 17;
    return loop->late_state >> 11;
}

static void late_due(uv_timer_t *handle)
{
    struct loop *loop = handle->data;
    struct watch **link = &loop->late;
    uint64_t now_ms = uv_hrtime() / 1000000;

    while (*link != NULL) {
        struct watch *watch = *link;

        if (watch->late_until_ms > now_ms) {
            link = &watch->late_next;
            continue;
        }
        *link = watch->late_next;
        watch->late_until_ms = 0;
        if (watch->wanted != 0) {
            /* if the descriptor is still ready, the next iteration reports it again */
            poll_start(watch);
        }
    }
    if (loop->late == NULL) {
        uv_timer_stop(handle);
    }
}

/* For tests with random delays: true if this event is delayed and will be reported later. */
static bool late_put_off(struct watch *watch)
{
    struct loop *loop = watch->loop;

    if (late_draw(loop) % LATE_ONE_IN != 0) {
        return false;
    }
    uv_poll_stop(&watch->uv.poll);
    watch->late_until_ms = uv_hrtime() / 1000000 + 1 + late_draw(loop) % LATE_MAX_MS;
    watch->late_next = loop->late;
    loop->late = watch;
    uv_timer_start(&loop->late_timer, late_due, LATE_STEP_MS, LATE_STEP_MS);
    return true;
}

static bool is_loop_late(const struct watch *watch)
{
    return watch->late_until_ms != 0;
}

static void late_forget(struct watch *watch)
{
    struct watch **link = &watch->loop->late;

    while (*link != NULL && *link != watch) {
        link = &(*link)->late_next;
    }
    if (*link != NULL) {
        *link = watch->late_next;
    }
    watch->late_until_ms = 0;
}

static void late_open(struct loop *loop)
{
    const char *seed = getenv("REEVE_LATE_SEED");

    loop->late_state = (seed == NULL ? 1 : strtoull(seed, NULL, 10)) * 0x9e3779b97f4a7c15U + 1;
    loop->late_state ^= (uint64_t)getpid() << 32;
    uv_timer_init(&loop->uv, &loop->late_timer);
    loop->late_timer.data = loop;
}

static bool is_late_timer(const struct loop *loop, const uv_handle_t *handle)
{
    return handle == (const uv_handle_t *)&loop->late_timer;
}
#else
static bool late_put_off(struct watch *watch)
{
    (void)watch;
    return false;
}

static bool is_loop_late(const struct watch *watch)
{
    (void)watch;
    return false;
}

static void late_forget(struct watch *watch)
{
    (void)watch;
}

static void late_open(struct loop *loop)
{
    (void)loop;
}

static bool is_late_timer(const struct loop *loop, const uv_handle_t *handle)
{
    (void)loop;
    (void)handle;
    return false;
}
#endif

/* ---- descriptors ---- */

static void poll_ready(uv_poll_t *handle, int status, int events);

static void poll_start(struct watch *watch)
{
    int events = (watch->wanted & LOOP_READABLE ? UV_READABLE : 0) |
                 (watch->wanted & LOOP_WRITABLE ? UV_WRITABLE : 0) |
                 (watch->wanted & LOOP_CLOSED ? UV_DISCONNECT : 0);

    uv_poll_start(&watch->uv.poll, events, poll_ready);
}

static void poll_ready(uv_poll_t *handle, int status, int events)
{
    struct watch *watch = watch_of((uv_handle_t *)handle);
    unsigned reported = (events & UV_READABLE ? LOOP_READABLE : 0u) |
                        (events & UV_WRITABLE ? LOOP_WRITABLE : 0u) |
                        (events & UV_DISCONNECT ? LOOP_CLOSED : 0u);

    if (status < 0) { /* libuv has stopped watching: unread data would never be reported */
        reported = watch->wanted;
        poll_start(watch);
    } else if (late_put_off(watch)) {
        return;
    }
    watch->ready(watch->arg, reported);
}

bool loop_descriptor_open(struct loop *loop, int fd, loop_descriptor_fn *ready, void *arg,
                          struct loop_descriptor **out, struct err *err)
{
    struct watch *watch = watch_take(loop, arg);
    int number;

    assert(ready != NULL);
    if (watch == NULL) {
        return full_error("a descriptor cannot be watched", LIMIT_LOOP_WATCHES, err);
    }
    watch->ready = ready;
    number = uv_poll_init(&loop->uv, &watch->uv.poll, fd);
    if (number != 0) {
        pool_give(loop->watch_pool, watch);
        return loop_error("a descriptor cannot be watched", number, err);
    }
    watch_begin(watch);
    *out = (struct loop_descriptor *)watch;
    return true;
}

void loop_descriptor_want(struct loop_descriptor *descriptor, unsigned events)
{
    struct watch *watch = &descriptor->watch;

    assert(watch->is_open);
    assert((events & ~(unsigned)(LOOP_READABLE | LOOP_WRITABLE | LOOP_CLOSED)) == 0);
    watch->wanted = events;
    if (events == 0) {
        uv_poll_stop(&watch->uv.poll);
    } else if (!is_loop_late(watch)) {
        poll_start(watch);
    }
}

bool loop_descriptor_send(struct loop_descriptor *descriptor, int socket, struct queue *queue)
{
    while (queue_text(queue).length > 0) {
        struct text bytes = queue_text(queue);
        ssize_t sent = send(socket, bytes.data, bytes.length, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) { /* the socket is full or closed */
            loop_descriptor_want(descriptor, LOOP_READABLE | LOOP_WRITABLE);
            return false;
        }
        queue->gone += (size_t)sent;
    }
    queue_trim(queue);
    loop_descriptor_want(descriptor, LOOP_READABLE);
    return true;
}

void loop_descriptor_close(struct loop_descriptor *descriptor)
{
    if (descriptor != NULL) {
        watch_close(&descriptor->watch);
    }
}

/* ---- signals ---- */

static void loop_signal_seen(uv_signal_t *handle, int number)
{
    struct watch *watch = watch_of((uv_handle_t *)handle);

    watch->seen(watch->arg, number);
}

bool loop_signal_open(struct loop *loop, int number, loop_signal_fn *seen, void *arg,
                      struct loop_signal **out, struct err *err)
{
    struct watch *watch = watch_take(loop, arg);
    int failed;

    assert(seen != NULL);
    if (watch == NULL) {
        return full_error("a signal cannot be watched", LIMIT_LOOP_WATCHES, err);
    }
    watch->seen = seen;
    failed = uv_signal_init(&loop->uv, &watch->uv.signal);
    if (failed != 0) {
        pool_give(loop->watch_pool, watch);
        return loop_error("a signal cannot be watched", failed, err);
    }
    watch_begin(watch);
    failed = uv_signal_start(&watch->uv.signal, loop_signal_seen, number);
    if (failed != 0) {
        watch_close(watch);
        return loop_error("a signal cannot be watched", failed, err);
    }
    uv_unref(&watch->uv.any);
    *out = (struct loop_signal *)watch;
    return true;
}

void loop_signal_close(struct loop_signal *signal)
{
    if (signal != NULL) {
        watch_close(&signal->watch);
    }
}

/* ---- tasks ---- */

static void tasks_init(struct task_list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

static void no_sleep_spin(uv_idle_t *handle)
{
    (void)handle; /* an active idle handle prevents the loop from sleeping */
}

bool loop_task_open(struct loop *loop, loop_fn *run, void *arg, struct loop_task **out,
                    struct err *err)
{
    struct loop_task *task = pool_take(loop->task_pool);

    assert(run != NULL);
    if (task == NULL) {
        return full_error("a task cannot be deferred", LIMIT_LOOP_TASKS, err);
    }
    *task = (struct loop_task){ .loop = loop, .run = run, .arg = arg };
    *loop->tasks.last = task;
    loop->tasks.last = &task->next;
    uv_idle_start(&loop->no_sleep, no_sleep_spin);
    if (out != NULL) {
        *out = task;
    }
    return true;
}

void loop_task_cancel(struct loop_task *task)
{
    if (task != NULL) {
        assert(!task->is_cancelled);
        task->is_cancelled = true; /* the task stays in its list until it is executed, which frees
                                    * it */
    }
}

static void tasks_drop(struct loop *loop, struct task_list *list)
{
    while (list->first != NULL) {
        struct loop_task *task = list->first;

        list->first = task->next;
        pool_give(loop->task_pool, task);
    }
    tasks_init(list);
}

/* Runs after all other callbacks of the iteration. */
static void tasks_run(uv_check_t *handle)
{
    struct loop *loop = handle->data;

    if (loop->tasks.first == NULL) {
        return;
    }
    assert(loop->now.first == NULL);
    loop->now = loop->tasks;
    tasks_init(&loop->tasks);
    uv_idle_stop(&loop->no_sleep);
    while (loop->now.first != NULL) {
        struct loop_task *task = loop->now.first;
        loop_fn *run = task->is_cancelled ? NULL : task->run;
        void *arg = task->arg;

        loop->now.first = task->next;
        pool_give(loop->task_pool, task);
        if (run != NULL) {
            run(arg);
        }
    }
    tasks_init(&loop->now);
}

/* ---- measurements ---- */

static unsigned lag_step(uint64_t us)
{
    unsigned bits = us == 0 ? 0 : 64 - (unsigned)__builtin_clzll(us);

    return bits < LOOP_LAG_STEPS ? bits : LOOP_LAG_STEPS - 1;
}

/* Records the time since the last measurement as work. The time of sleep is not included. */
static void turn_note(struct loop *loop)
{
    uint64_t now_ns = uv_hrtime();
    uint64_t idle_ns = uv_metrics_idle_time(&loop->uv);
    uint64_t passed_ns = now_ns - loop->turn_start_ns;
    uint64_t slept_ns = idle_ns - loop->idle_before_ns;
    uint64_t busy_us = passed_ns > slept_ns ? (passed_ns - slept_ns) / 1000 : 0;

    if (loop->turn_start_ns != 0) {
        loop->lag.turns++;
        loop->lag.busy_us += busy_us;
        loop->lag.max_us = busy_us > loop->lag.max_us ? busy_us : loop->lag.max_us;
        loop->lag.steps[lag_step(busy_us)]++;
    }
    loop->turn_start_ns = now_ns;
    loop->idle_before_ns = idle_ns;
}

/* Runs directly before the loop sleeps. */
static void turn_measure(uv_prepare_t *handle)
{
    turn_note(handle->data);
}

struct loop_lag loop_lag(const struct loop *loop)
{
    return loop->lag;
}

void loop_lag_reset_max(struct loop *loop)
{
    loop->lag.max_us = 0;
}

/* ---- lifetime ---- */

bool loop_open(struct loop **out, struct err *err)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct loop *loop = arena_one(memory, struct loop);
    int failed = uv_loop_init(&loop->uv);

    if (failed != 0) {
        arena_free(memory);
        return loop_error("the loop cannot be made", failed, err);
    }
    loop->memory = memory;
    loop->watch_pool = pool_new(sizeof(struct watch), LIMIT_LOOP_WATCHES);
    loop->task_pool = pool_new(sizeof(struct loop_task), LIMIT_LOOP_TASKS);
    tasks_init(&loop->tasks);
    tasks_init(&loop->now);
    uv_loop_configure(&loop->uv, UV_METRICS_IDLE_TIME);
    uv_prepare_init(&loop->uv, &loop->turn_end);
    uv_check_init(&loop->uv, &loop->after_poll);
    uv_idle_init(&loop->uv, &loop->no_sleep);
    uv_timer_init(&loop->uv, &loop->once);
    late_open(loop);
    loop->turn_end.data = loop;
    loop->after_poll.data = loop;
    uv_prepare_start(&loop->turn_end, turn_measure);
    uv_check_start(&loop->after_poll, tasks_run);
    uv_unref((uv_handle_t *)&loop->turn_end);
    uv_unref((uv_handle_t *)&loop->after_poll);
    *out = loop;
    return true;
}

static bool is_loop_own(const struct loop *loop, const uv_handle_t *handle)
{
    return handle == (const uv_handle_t *)&loop->turn_end ||
           handle == (const uv_handle_t *)&loop->after_poll ||
           handle == (const uv_handle_t *)&loop->no_sleep ||
           handle == (const uv_handle_t *)&loop->once || is_late_timer(loop, handle);
}

static void handle_close(uv_handle_t *handle, void *arg)
{
    struct loop *loop = arg;

    if (uv_is_closing(handle)) {
        return;
    }
    if (is_loop_own(loop, handle)) {
        uv_close(handle, NULL);
    } else {
        watch_close(watch_of(handle));
    }
}

void loop_close(struct loop *loop)
{
    if (loop == NULL) {
        return;
    }
    assert(!loop->is_running && "loop_close from a callback");
    uv_walk(&loop->uv, handle_close, loop);
    while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0) {
    }
    tasks_drop(loop, &loop->tasks);
    assert(pool_count(loop->watch_pool) == 0);
    if (uv_loop_close(&loop->uv) != 0) {
        assert(false && "a handle is left open");
    }
    pool_free(loop->watch_pool);
    pool_free(loop->task_pool);
    arena_free(loop->memory);
}

void loop_cleanup(struct loop **loop)
{
    loop_close(*loop);
    *loop = NULL;
}

static void loop_turn(struct loop *loop, uv_run_mode mode)
{
    assert(!loop->is_running && "the loop is already running");
    loop->is_running = true;
    loop->turn_start_ns = 0; /* work outside of the loop does not count as its lag */
    uv_run(&loop->uv, mode);
    turn_note(loop); /* from libuv 1.45 on, timers run last in an iteration */
    loop->is_running = false;
}

void loop_run(struct loop *loop)
{
    loop_turn(loop, UV_RUN_DEFAULT);
}

static void once_over(uv_timer_t *handle)
{
    (void)handle; /* the expiry itself has ended the wait */
}

void loop_run_once(struct loop *loop, uint64_t wait_ms)
{
    uv_update_time(&loop->uv);
    /* a repeating timer: if it expires before the loop waits, its next expiry limits the wait */
    uv_timer_start(&loop->once, once_over, wait_ms, wait_ms);
    loop_turn(loop, wait_ms == 0 ? UV_RUN_NOWAIT : UV_RUN_ONCE);
    uv_timer_stop(&loop->once);
}

void loop_stop(struct loop *loop)
{
    uv_stop(&loop->uv);
}

uint64_t loop_now_ms(const struct loop *loop)
{
    return uv_now(&loop->uv);
}

void loop_now_update(struct loop *loop)
{
    uv_update_time(&loop->uv);
}
