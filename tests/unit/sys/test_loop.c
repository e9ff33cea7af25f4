/* The event loop: each test ends with the event for which it waits. A timer of 10 s ends the test
 * if the event never happens. */

#include "unit.h"

#include "sys/loop.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { GIVE_UP_MS = 10000 };

struct fixture {
    struct loop *loop;
    struct loop_timer *give_up;
    struct loop_timer *timer;
    struct loop_timer *other;
    struct loop_descriptor *descriptor;
    struct loop_signal *signal;
    struct loop_task *task;
    int pair[2];
    int calls;
    int number;
    uint64_t began_ms;
    unsigned events;
    char order[64];
};

static void too_late(void *arg)
{
    (void)arg;
    fail_msg("what was waited for never came");
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct err err;

    memset(&fixture, 0, sizeof(fixture));
    assert_true(loop_open(&fixture.loop, &err));
    assert_true(loop_timer_open(fixture.loop, too_late, NULL, &fixture.give_up, &err));
    loop_timer_start(fixture.give_up, GIVE_UP_MS, 0);
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fixture.pair), 0);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    loop_close(fixture->loop);
    for (int i = 0; i < 2; i++) {
        if (fixture->pair[i] >= 0) {
            close(fixture->pair[i]);
        }
    }
    return 0;
}

static uint64_t real_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct loop_timer *timer_make(struct fixture *fixture, loop_fn *due)
{
    struct loop_timer *timer;
    struct err err;

    assert_true(loop_timer_open(fixture->loop, due, fixture, &timer, &err));
    return timer;
}

static void stop(void *arg)
{
    struct fixture *fixture = arg;

    fixture->calls++;
    loop_stop(fixture->loop);
}

static void count(void *arg)
{
    struct fixture *fixture = arg;

    fixture->calls++;
}

static void test_a_timer_is_due_once_and_not_before_its_time(void **state)
{
    struct fixture *fixture = *state;
    struct loop_timer *timer = timer_make(fixture, stop);
    uint64_t start = real_ms();

    assert_false(loop_timer_is_running(timer));
    loop_timer_start(timer, 20, 0);
    assert_true(loop_timer_is_running(timer));
    loop_run(fixture->loop);
    assert_true(real_ms() - start >= 19); /* both clocks may round */
    assert_int_equal(fixture->calls, 1);
    assert_false(loop_timer_is_running(timer));
}

static void work_then_start(void *arg)
{
    struct fixture *fixture = arg;
    uint64_t start = real_ms();

    while (real_ms() - start < 50) {
    }
    fixture->began_ms = real_ms();
    loop_timer_start(fixture->other, 40, 0);
}

static void test_a_timer_counts_from_now_however_long_the_callback_took(void **state)
{
    struct fixture *fixture = *state;

    fixture->timer = timer_make(fixture, work_then_start);
    fixture->other = timer_make(fixture, stop);
    loop_timer_start(fixture->timer, 0, 0);
    loop_run(fixture->loop);
    assert_true(real_ms() - fixture->began_ms >= 39);
}

static void third_closes(void *arg)
{
    struct fixture *fixture = arg;

    if (++fixture->calls == 3) {
        loop_timer_close(fixture->timer);
        loop_timer_close(fixture->give_up); /* nothing is left, so loop_run ends */
    }
}

static void test_a_repeating_timer_may_close_itself_and_the_loop_ends_with_nothing(void **state)
{
    struct fixture *fixture = *state;

    fixture->timer = timer_make(fixture, third_closes);
    loop_timer_start(fixture->timer, 1, 1);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 3);
}

static void close_other(void *arg)
{
    struct fixture *fixture = arg;

    fixture->calls++;
    loop_timer_close(fixture->other);
    fixture->other = NULL;
    loop_timer_start(timer_make(fixture, stop), 5, 0);
}

static void test_what_is_closed_in_a_callback_is_not_called_though_it_was_due(void **state)
{
    struct fixture *fixture = *state;

    /* both are due in the same iteration, in this order */
    fixture->timer = timer_make(fixture, close_other);
    fixture->other = timer_make(fixture, too_late);
    loop_timer_start(fixture->timer, 1, 0);
    loop_timer_start(fixture->other, 1, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 2);
}

static void test_a_stopped_timer_is_not_due(void **state)
{
    struct fixture *fixture = *state;
    struct loop_timer *stopped = timer_make(fixture, too_late);

    loop_timer_start(stopped, 1, 0);
    loop_timer_stop(stopped);
    loop_timer_start(timer_make(fixture, stop), 10, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 1);
}

static void readable(void *arg, unsigned events)
{
    struct fixture *fixture = arg;
    char byte;

    fixture->events |= events;
    if (read(fixture->pair[0], &byte, 1) == 1 && ++fixture->calls == 3) {
        loop_stop(fixture->loop);
    }
}

static struct loop_descriptor *descriptor_make(struct fixture *fixture, int fd,
                                               loop_descriptor_fn *ready)
{
    struct err err;

    assert_true(
        loop_descriptor_open(fixture->loop, fd, ready, fixture, &fixture->descriptor, &err));
    return fixture->descriptor;
}

static void test_a_descriptor_is_reported_as_long_as_there_is_something_to_read(void **state)
{
    struct fixture *fixture = *state;

    loop_descriptor_want(descriptor_make(fixture, fixture->pair[0], readable), LOOP_READABLE);
    assert_int_equal(write(fixture->pair[1], "abc", 3), 3);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 3);
    assert_int_equal(fixture->events, LOOP_READABLE);
}

static void ready_and_close(void *arg, unsigned events)
{
    struct fixture *fixture = arg;

    fixture->events = events;
    fixture->calls++;
    loop_descriptor_close(fixture->descriptor);
    close(fixture->pair[0]);
    fixture->pair[0] = -1;
    loop_stop(fixture->loop);
}

static void test_a_descriptor_may_be_closed_in_its_callback(void **state)
{
    struct fixture *fixture = *state;

    loop_descriptor_want(descriptor_make(fixture, fixture->pair[0], ready_and_close),
                         LOOP_READABLE | LOOP_WRITABLE);
    loop_run(fixture->loop);
    assert_int_equal(fixture->events, LOOP_WRITABLE);
    for (int i = 0; i < 3; i++) {
        loop_run_once(fixture->loop, 0);
    }
    assert_int_equal(fixture->calls, 1);
}

static void work_and_look_at_the_clock(void *arg)
{
    struct fixture *fixture = arg;
    uint64_t begun_ms = loop_now_ms(fixture->loop);

    while (loop_now_ms(fixture->loop) < begun_ms + 3) {
        loop_now_update(fixture->loop);
    }
    fixture->calls++;
}

/* An iteration waits no longer than permitted, even if that time has passed before it begins to
 * wait; the timer that ends the test would be due next. */
static void test_one_turn_waits_no_longer_than_it_may(void **state)
{
    struct fixture *fixture = *state;

    loop_timer_start(timer_make(fixture, work_and_look_at_the_clock), 0, 0);
    loop_run_once(fixture->loop, 1);
    assert_int_equal(fixture->calls, 1);
}

static void test_a_hang_up_is_reported_as_what_was_asked_for(void **state)
{
    struct fixture *fixture = *state;

    loop_descriptor_want(descriptor_make(fixture, fixture->pair[0], ready_and_close),
                         LOOP_READABLE);
    close(fixture->pair[1]);
    fixture->pair[1] = -1;
    loop_run(fixture->loop);
    assert_int_equal(fixture->events, LOOP_READABLE);
}

/* poll reports an error for the write end of a pipe without a reader, and libuv then stops watching
 * it. */
static void third_call_closes(void *arg, unsigned events)
{
    struct fixture *fixture = arg;

    fixture->events = events;
    if (++fixture->calls == 3) {
        loop_descriptor_close(fixture->descriptor);
        loop_stop(fixture->loop);
    }
}

static void test_an_error_is_reported_until_somebody_looks(void **state)
{
    struct fixture *fixture = *state;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    loop_descriptor_want(descriptor_make(fixture, ends[1], third_call_closes), LOOP_WRITABLE);
    close(ends[0]);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 3);
    assert_int_equal(fixture->events, LOOP_WRITABLE);
    close(ends[1]);
}

static void test_nothing_wanted_nothing_reported(void **state)
{
    struct fixture *fixture = *state;
    struct loop_descriptor *watched = descriptor_make(fixture, fixture->pair[0], readable);

    loop_descriptor_want(watched, LOOP_READABLE);
    loop_descriptor_want(watched, 0);
    assert_int_equal(write(fixture->pair[1], "abc", 3), 3);
    loop_timer_start(timer_make(fixture, stop), 5, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->events, 0);
    /* the same descriptor may be watched again immediately */
    loop_descriptor_close(watched);
    fixture->calls = 0;
    loop_descriptor_want(descriptor_make(fixture, fixture->pair[0], readable), LOOP_READABLE);
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 3);
}

static void test_a_regular_file_and_a_second_watch_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct loop_descriptor *other = NULL;
    struct err err;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    assert_false(loop_descriptor_open(fixture->loop, file, readable, fixture, &other, &err));
    assert_int_equal(err.code, CODE_R0532);
    close(file);
    loop_descriptor_want(descriptor_make(fixture, fixture->pair[0], readable), LOOP_READABLE);
    assert_false(
        loop_descriptor_open(fixture->loop, fixture->pair[0], readable, fixture, &other, &err));
    assert_int_equal(err.code, CODE_R0532);
    assert_null(other);
}

static void signal_stops(void *arg, int number)
{
    struct fixture *fixture = arg;

    fixture->number = number;
    loop_stop(fixture->loop);
}

static void send_signal(void *arg)
{
    (void)arg;
    kill(getpid(), SIGUSR1);
}

static void test_a_signal_is_reported_in_a_turn_and_its_default_comes_back(void **state)
{
    struct fixture *fixture = *state;
    struct sigaction action;
    struct err err;

    assert_true(
        loop_signal_open(fixture->loop, SIGUSR1, signal_stops, fixture, &fixture->signal, &err));
    loop_timer_start(timer_make(fixture, send_signal), 1, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->number, SIGUSR1);
    loop_signal_close(fixture->signal);
    assert_int_equal(sigaction(SIGUSR1, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL);
    assert_false(
        loop_signal_open(fixture->loop, SIGKILL, signal_stops, fixture, &fixture->signal, &err));
    assert_int_equal(err.code, CODE_R0532);
}

static void test_a_signal_alone_keeps_no_loop_running(void **state)
{
    struct fixture *fixture = *state;
    struct err err;

    assert_true(
        loop_signal_open(fixture->loop, SIGUSR1, signal_stops, fixture, &fixture->signal, &err));
    loop_timer_close(fixture->give_up);
    loop_run(fixture->loop);
    assert_int_equal(fixture->number, 0);
}

static void note(struct fixture *fixture, const char *word)
{
    strcat(fixture->order, word);
}

static void task_a(void *arg)
{
    note(arg, "a");
}

static void task_b(void *arg)
{
    struct fixture *fixture = arg;

    note(fixture, "b");
    loop_stop(fixture->loop);
}

static void task_late(void *arg)
{
    note(arg, "late");
}

static void task_opens(void *arg)
{
    struct fixture *fixture = arg;
    struct err err;

    note(fixture, "opens-");
    assert_true(loop_task_open(fixture->loop, task_b, fixture, NULL, &err));
    loop_task_cancel(fixture->task);
}

static void timer_opens_tasks(void *arg)
{
    struct fixture *fixture = arg;
    struct err err;

    note(fixture, "timer-");
    assert_true(loop_task_open(fixture->loop, task_opens, fixture, NULL, &err));
    assert_true(loop_task_open(fixture->loop, task_late, fixture, &fixture->task, &err));
    assert_true(loop_task_open(fixture->loop, task_a, fixture, NULL, &err));
    note(fixture, "end-");
}

static void test_tasks_run_in_order_after_the_callback_and_may_be_cancelled(void **state)
{
    struct fixture *fixture = *state;

    loop_timer_start(timer_make(fixture, timer_opens_tasks), 1, 0);
    loop_run(fixture->loop);
    assert_string_equal(fixture->order, "timer-end-opens-ab");
}

static void test_a_waiting_task_keeps_the_loop_from_sleeping(void **state)
{
    struct fixture *fixture = *state;
    struct err err;

    loop_timer_stop(fixture->give_up);
    assert_true(loop_task_open(fixture->loop, count, fixture, NULL, &err));
    loop_run(fixture->loop);
    assert_int_equal(fixture->calls, 1);
}

static void test_all_that_is_open_goes_with_the_loop(void **state)
{
    struct fixture *fixture = *state;
    struct loop *loop;
    struct loop_timer *timer;
    struct loop_descriptor *descriptor;
    struct loop_signal *watched;
    struct err err;

    assert_true(loop_open(&loop, &err));
    assert_true(loop_timer_open(loop, too_late, NULL, &timer, &err));
    loop_timer_start(timer, 0, 1);
    assert_true(loop_descriptor_open(loop, fixture->pair[0], readable, fixture, &descriptor, &err));
    loop_descriptor_want(descriptor, LOOP_WRITABLE);
    assert_true(loop_signal_open(loop, SIGUSR2, signal_stops, fixture, &watched, &err));
    assert_true(loop_task_open(loop, too_late, NULL, NULL, &err));
    loop_close(loop);
    assert_int_equal(fixture->events, 0);
}

static void work(void *arg)
{
    uint64_t start = real_ms();

    while (real_ms() - start < 20) {
    }
    stop(arg);
}

/* Returns whether the reported lag excludes sleep. The loop mostly sleeps until `work`. If the
 * computer does not schedule this process in that time, the loop counts as busy. */
static bool lag_is_without_sleep(struct fixture *fixture, uint64_t wait_ms)
{
    uint64_t before_us = loop_lag(fixture->loop).busy_us;
    uint64_t start = real_ms();

    loop_timer_start(timer_make(fixture, count), 5, 0);
    loop_timer_start(timer_make(fixture, work), wait_ms, 0);
    loop_run(fixture->loop);
    loop_run_once(fixture->loop, 0);
    loop_run_once(fixture->loop, 0);
    return (loop_lag(fixture->loop).busy_us - before_us) / 1000 + wait_ms * 2 / 3 <=
           real_ms() - start;
}

static void test_a_long_callback_is_measured_and_sleep_is_not(void **state)
{
    struct fixture *fixture = *state;
    struct loop_lag lag;
    uint64_t turns = 0;
    bool is_without_sleep = false;

    for (uint64_t wait_ms = 150; !is_without_sleep && wait_ms < GIVE_UP_MS / 2; wait_ms *= 4) {
        is_without_sleep = lag_is_without_sleep(fixture, wait_ms);
    }
    assert_true(is_without_sleep);
    lag = loop_lag(fixture->loop);
    assert_true(lag.turns > 0);
    assert_true(lag.max_us >= 19000);
    for (int i = 0; i < LOOP_LAG_STEPS; i++) {
        turns += lag.steps[i];
    }
    assert_int_equal(turns, lag.turns);
    assert_true(lag.busy_us >= lag.max_us);
    loop_lag_reset_max(fixture->loop);
    assert_int_equal(loop_lag(fixture->loop).max_us, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_a_timer_is_due_once_and_not_before_its_time),
        CASE(test_a_timer_counts_from_now_however_long_the_callback_took),
        CASE(test_a_repeating_timer_may_close_itself_and_the_loop_ends_with_nothing),
        CASE(test_what_is_closed_in_a_callback_is_not_called_though_it_was_due),
        CASE(test_a_stopped_timer_is_not_due),
        CASE(test_a_descriptor_is_reported_as_long_as_there_is_something_to_read),
        CASE(test_a_descriptor_may_be_closed_in_its_callback),
        CASE(test_one_turn_waits_no_longer_than_it_may),
        CASE(test_a_hang_up_is_reported_as_what_was_asked_for),
        CASE(test_an_error_is_reported_until_somebody_looks),
        CASE(test_nothing_wanted_nothing_reported),
        CASE(test_a_regular_file_and_a_second_watch_are_refused),
        CASE(test_a_signal_is_reported_in_a_turn_and_its_default_comes_back),
        CASE(test_a_signal_alone_keeps_no_loop_running),
        CASE(test_tasks_run_in_order_after_the_callback_and_may_be_cancelled),
        CASE(test_a_waiting_task_keeps_the_loop_from_sleeping),
        CASE(test_all_that_is_open_goes_with_the_loop),
        CASE(test_a_long_callback_is_measured_and_sleep_is_not),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
