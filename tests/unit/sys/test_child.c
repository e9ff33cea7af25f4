/* Children: real programs of the base system, each with a deadline. */

#include "sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include "base/limits.h"
#include "sys/stream.h"
#include "unit.h"

enum { DEADLINE_MS = 20000 };

struct fixture {
    struct loop *loop;
    struct child *child;
    struct child_end end;
    unsigned ends;
    char output[2][1 << 17]; /* output of the child */
    char live[1 << 17];
    size_t live_length;
    unsigned pieces;
    bool kill_at_first_piece;
    bool stop_at_first_piece;
    bool pause_at_first_piece;
};

static int setup(void **state)
{
    static struct fixture fixture;
    struct err err;

    memset(&fixture, 0, sizeof(fixture));
    stream_prepare();
    assert_true(loop_open(&fixture.loop, &err));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    loop_close(fixture->loop);
    return 0;
}

static void ended(void *arg, const struct child_end *end)
{
    struct fixture *fixture = arg;

    fixture->end = *end;
    fixture->ends++;
    for (int i = 0; i < 2; i++) {
        assert_in_range(end->output[i].length, 0, sizeof(fixture->output[i]) - 1);
        if (end->output[i].length > 0) {
            memcpy(fixture->output[i], end->output[i].data, end->output[i].length);
        }
        fixture->output[i][end->output[i].length] = '\0';
    }
}

static void piece_seen(void *arg, enum child_stream stream, struct text piece)
{
    struct fixture *fixture = arg;

    if (stream != CHILD_OUT) { /* a shell reports there that its child was killed */
        return;
    }
    assert_true(fixture->live_length + piece.length < sizeof(fixture->live));
    memcpy(fixture->live + fixture->live_length, piece.data, piece.length);
    fixture->live_length += piece.length;
    if (fixture->pieces++ == 0) {
        if (fixture->kill_at_first_piece) {
            child_kill(fixture->child);
        }
        if (fixture->stop_at_first_piece) {
            child_stop(fixture->child);
        }
        if (fixture->pause_at_first_piece) {
            child_pause(fixture->child);
        }
    }
}

static struct child_options options_of(struct fixture *fixture, const char *const *argv)
{
    return (struct child_options){ .path = argv[0],
                                   .argv = argv,
                                   .deadline_ms = DEADLINE_MS,
                                   .grace_ms = DEADLINE_MS,
                                   .output_max = 1 << 16,
                                   .done = ended,
                                   .arg = fixture };
}

static void run(struct fixture *fixture, const struct child_options *options)
{
    struct err err;

    if (!child_start(fixture->loop, options, &fixture->child, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(fixture->ends, 0); /* the end is never reported before the call has returned */
    loop_run(fixture->loop);
    assert_int_equal(fixture->ends, 1);
}

#define SHELL(script) ((const char *const[]){ "/bin/sh", "-c", script, NULL })

static void test_output_and_code_come_back(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("echo out; echo err >&2; exit 7"));

    run(fixture, &options);
    assert_int_equal(fixture->end.code, 7);
    assert_int_equal(fixture->end.signal, 0);
    assert_false(fixture->end.is_late);
    assert_string_equal(fixture->output[CHILD_OUT], "out\n");
    assert_string_equal(fixture->output[CHILD_ERROR], "err\n");
}

static void test_arguments_arrive_as_they_are_and_the_environment_is_what_was_given(void **state)
{
    struct fixture *fixture = *state;
    static const char *const argv[] = {
        "/usr/bin/printf", "%s|", "$HOME", "a b;id", "*", "", NULL
    };
    static const char *const env[] = { "/usr/bin/env", NULL };
    static const char *const envp[] = { "ONE=1", NULL };
    struct child_options options = options_of(fixture, argv);

    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "$HOME|a b;id|*||");
    fixture->ends = 0;
    options = options_of(fixture, env);
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "");
    fixture->ends = 0;
    options.envp = envp;
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "ONE=1\n");
}

static void test_no_descriptor_is_inherited_by_accident(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, SHELL("for f in 0 1 2 3 4 5 6 7 8 9 40; do [ -e /proc/$$/fd/$f ] && "
                                  "echo $f; done; pwd; cut -d' ' -f5 /proc/$$/stat; echo $$"));
    int leak = fcntl(0, F_DUPFD, 40); /* without close-on-exec, as a careless library leaves it */
    char expected[160];
    int pid = 0;

    assert_int_equal(leak, 40);
    run(fixture, &options);
    close(leak);
    assert_int_equal(sscanf(fixture->output[CHILD_OUT], "0\n1\n2\n/\n%d\n", &pid), 1);
    snprintf(expected, sizeof(expected), "0\n1\n2\n/\n%d\n%d\n", pid, pid);
    /* its process group has its process id */
    assert_string_equal(fixture->output[CHILD_OUT], expected);
}

/* Ignores a signal or sets its default action, also for signals that libc reserves. */
static void signal_ignore(int number, bool is_ignored)
{
    const uintptr_t action[16] = { is_ignored ? 1 : 0 }; /* SIG_IGN, SIG_DFL */

    assert_int_equal(syscall(SYS_rt_sigaction, number, action, NULL, 8), 0);
}

static void test_no_blocked_or_ignored_signal_is_inherited(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, (const char *const[]){ "/bin/cat", "/proc/self/status", NULL });
    sigset_t blocked;
    sigset_t before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    signal_ignore(SIGUSR2, true);
    signal_ignore(32, true);
    run(fixture, &options);
    signal_ignore(32, false);
    signal_ignore(SIGUSR2, false);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_non_null(strstr(fixture->output[CHILD_OUT], "\nSigBlk:\t0000000000000000\n"));
    assert_non_null(strstr(fixture->output[CHILD_OUT], "\nSigIgn:\t0000000000000000\n"));
}

static void test_descriptors_get_the_numbers_that_were_asked_for(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(
        fixture, SHELL("cat <&3; cat <&4; for f in 5 6 7 8 9; do [ -e /proc/$$/fd/$f ] && echo $f; "
                       "done; exit 0"));
    struct child_descriptor given[2];
    int three[2];
    int four[2];

    assert_int_equal(pipe2(three, O_CLOEXEC), 0);
    assert_int_equal(pipe2(four, O_CLOEXEC), 0);
    assert_int_equal(write(three[1], "three\n", 6), 6);
    assert_int_equal(write(four[1], "four\n", 5), 5);
    close(three[1]);
    close(four[1]);
    /* exchanged descriptors, if they happen to have these numbers: neither overwrites the other */
    given[0] = (struct child_descriptor){ three[0], 3 };
    given[1] = (struct child_descriptor){ four[0], 4 };
    assert_int_equal(fcntl(three[0], F_GETFD), FD_CLOEXEC);
    options.descriptors = given;
    options.descriptor_count = 2;
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "three\nfour\n");
    /* and the descriptors of this process are unchanged */
    assert_int_equal(fcntl(three[0], F_GETFD), FD_CLOEXEC);
    close(three[0]);
    close(four[0]);
}

static void test_descriptors_may_change_places(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("cat /dev/fd/58 /dev/fd/59"));
    struct child_descriptor given[2] = { { 58, 59 }, { 59, 58 } };
    const char *words[] = { "eight\n", "nine\n" };

    for (int i = 0; i < 2; i++) {
        int ends[2];

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(write(ends[1], words[i], strlen(words[i])), strlen(words[i]));
        close(ends[1]);
        assert_int_equal(dup3(ends[0], 58 + i, O_CLOEXEC), 58 + i);
        close(ends[0]);
    }
    options.descriptors = given;
    options.descriptor_count = 2;
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "nine\neight\n");
    close(58);
    close(59);
}

static void test_input_is_written_and_ended_however_long(void **state)
{
    struct fixture *fixture = *state;
    static const char *const argv[] = { "/usr/bin/sha256sum", NULL };
    static char input[1 << 20]; /* much more than the capacity of a pipe */
    struct child_options options = options_of(fixture, argv);

    options.input = (struct text){ input, sizeof(input) };
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT],
                        "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58  -\n");
}

static void test_input_that_nobody_reads_hurts_nobody(void **state)
{
    struct fixture *fixture = *state;
    static char input[1 << 20];
    struct child_options options = options_of(fixture, SHELL("exec <&-; echo done"));

    options.input = (struct text){ input, sizeof(input) };
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "done\n");
    assert_int_equal(fixture->end.code, 0);
}

static void test_output_is_kept_up_to_its_bound_and_reported_live_beyond_it(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, SHELL("head -c 100000 /dev/zero | tr '\\0' x"));

    options.output_max = 1000;
    options.output = piece_seen;
    run(fixture, &options);
    assert_int_equal(fixture->end.output[CHILD_OUT].length, 1000);
    assert_int_equal(fixture->end.dropped[CHILD_OUT], 99000);
    assert_int_equal(fixture->end.dropped[CHILD_ERROR], 0);
    assert_int_equal(fixture->live_length, 100000);
}

/* The child has ended, and its output is in the pipe for longer than the manager waits for another
 * process that holds the pipe. */
static void test_who_is_paused_loses_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("echo one; sleep 0.1; echo two"));
    struct err err;
    uint64_t until;

    options.output = piece_seen;
    fixture->pause_at_first_piece = true;
    assert_true(child_start(fixture->loop, &options, &fixture->child, &err));
    while (fixture->pieces == 0) {
        loop_run_once(fixture->loop, DEADLINE_MS);
    }
    until = loop_now_ms(fixture->loop) + LIMIT_CHILD_DRAIN_MS * 3;
    while (loop_now_ms(fixture->loop) < until) {
        loop_run_once(fixture->loop, 10);
    }
    assert_int_equal(fixture->pieces, 1);
    assert_int_equal(fixture->ends, 0);
    child_resume(fixture->child);
    /* simulates that this process is not scheduled for a while */
    usleep(LIMIT_CHILD_DRAIN_MS * 2000);
    while (fixture->ends == 0) {
        loop_run_once(fixture->loop, DEADLINE_MS);
    }
    assert_int_equal(fixture->end.code, 0);
    assert_string_equal(fixture->output[CHILD_OUT], "one\ntwo\n");
}

static void test_without_an_ear_output_goes_nowhere(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, SHELL("[ /dev/null -ef /proc/$$/fd/1 ] && exit 3"));

    options.output_max = 0;
    run(fixture, &options);
    assert_int_equal(fixture->end.code, 3);
}

static void test_a_deadline_ends_it(void **state)
{
    struct fixture *fixture = *state;
    static const char *const argv[] = { "/bin/sleep", "600", NULL };
    struct child_options options = options_of(fixture, argv);

    options.deadline_ms = 20;
    run(fixture, &options);
    assert_true(fixture->end.is_late);
    assert_int_equal(fixture->end.code, -1);
    assert_int_equal(fixture->end.signal, SIGTERM);
}

/* The child first gets SIGTERM, and reports it if it is scheduled within its grace period. */
static void test_who_does_not_listen_is_killed_after_the_grace(void **state)
{
    struct fixture *fixture = *state;
    bool has_heard = false;

    for (uint64_t grace_ms = 50; !has_heard && grace_ms < DEADLINE_MS; grace_ms *= 4) {
        struct child_options options = options_of(
            fixture, SHELL("trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done"));

        options.grace_ms = grace_ms;
        options.output = piece_seen;
        fixture->stop_at_first_piece = true;
        fixture->pieces = 0;
        fixture->live_length = 0;
        fixture->ends = 0;
        run(fixture, &options);
        assert_int_equal(fixture->end.signal, SIGKILL);
        assert_false(fixture->end.is_late);
        has_heard = strstr(fixture->output[CHILD_OUT], "ready\nno\n") != NULL;
    }
    assert_true(has_heard);
}

static void test_it_is_killed_at_once_on_demand(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, SHELL("trap '' TERM; echo ready; while :; do sleep 600; done"));

    options.output = piece_seen;
    fixture->kill_at_first_piece = true;
    run(fixture, &options);
    assert_int_equal(fixture->end.signal, SIGKILL);
}

/* Returns whether a process with this id exists and is not a zombie. */
static bool is_alive(int pid)
{
    char path[64];
    char status[512];
    int file;
    ssize_t count;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    count = file < 0 ? -1 : read(file, status, sizeof(status) - 1);
    close(file);
    if (count <= 0) {
        return false;
    }
    status[count] = '\0';
    return strstr(status, ") Z") == NULL && strstr(status, ") X") == NULL;
}

static void end_await(int pid)
{
    for (int i = 0; i < 10000 && is_alive(pid); i++) {
        usleep(1000);
    }
    assert_false(is_alive(pid));
}

static void test_what_it_leaves_in_its_group_goes_with_it(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("sleep 600 & echo $!"));

    run(fixture, &options); /* the child holds the pipes, so this returns only after its end */
    assert_int_equal(fixture->end.code, 0);
    end_await(atoi(fixture->output[CHILD_OUT]));
}

static void test_who_left_the_group_and_holds_the_pipes_holds_nobody_up(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(
        fixture, SHELL("exec 3>&1; P=$(setsid sh -c 'sleep 600 >&3 2>&3 & echo $!'); echo $P"));
    int pid;

    options.envp = (const char *const[]){ "PATH=/usr/bin:/bin", NULL };
    run(fixture, &options);
    assert_int_equal(fixture->end.code, 0);
    pid = atoi(fixture->output[CHILD_OUT]);
    assert_true(pid > 0);
    assert_true(is_alive(pid));
    kill(pid, SIGKILL);
}

static void test_a_session_of_its_own(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options =
        options_of(fixture, SHELL("[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && exit 5"));

    options.is_session = true;
    run(fixture, &options);
    assert_int_equal(fixture->end.code, 5);
}

static void test_limits_and_folder_hold(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("ulimit -n; ulimit -c; pwd"));
    struct child_limit limits[] = { { RLIMIT_NOFILE, 32 }, { RLIMIT_CORE, 0 } };

    options.limits = limits;
    options.limit_count = 2;
    options.folder = "/usr";
    run(fixture, &options);
    assert_string_equal(fixture->output[CHILD_OUT], "32\n0\n/usr\n");
}

static void test_without_a_pid_descriptor_it_is_reported_all_the_same(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("echo $$; exit 9"));

    options.is_without_pid_fd = true;
    run(fixture, &options);
    assert_int_equal(fixture->end.code, 9);
    fixture->ends = 0;
    options = options_of(fixture, (const char *const[]){ "/bin/sleep", "600", NULL });
    options.is_without_pid_fd = true;
    options.deadline_ms = 10;
    run(fixture, &options);
    assert_int_equal(fixture->end.signal, SIGTERM);
}

static void test_what_cannot_be_started_says_why_and_leaves_nothing(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *path;
        const char *folder;
        const char *words;
    } cases[] = {
        { "/no/such/program", NULL, "the program cannot be run: No such file" },
        { "/etc/passwd", NULL, "the program cannot be run: Permission denied" },
        { "/bin/true", "/no/such/folder", "the working directory cannot be entered: No such file" },
    };
    int before = dup(0);
    int after;

    close(before);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct child_options options =
            options_of(fixture, (const char *const[]){ cases[i].path, NULL });
        struct err err;

        options.folder = cases[i].folder;
        options.input = TEXT("in");
        assert_false(child_start(fixture->loop, &options, &fixture->child, &err));
        assert_int_equal(err.code, CODE_R0533);
        assert_non_null(strstr(err.text, cases[i].words));
        assert_non_null(strstr(err.text, cases[i].path));
    }
    loop_run(fixture->loop);
    assert_int_equal(fixture->ends, 0);
    after = dup(0); /* the lowest free descriptor is the same as before, so none is left open */
    close(after);
    assert_int_equal(after, before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* A process starts a child that is bound to it, and is killed: the child is killed too. */
static void test_a_bound_child_dies_with_its_parent(void **state)
{
    struct fixture *fixture = *state;
    int ends[2];
    pid_t parent;
    int pid = 0;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    parent = fork();
    if (parent == 0) {
        struct child_options options =
            options_of(fixture, (const char *const[]){ "/bin/sleep", "600", NULL });
        struct err err;

        options.is_killed_with_parent = true;
        pid = child_start(fixture->loop, &options, &fixture->child, &err)
                  ? child_pid(fixture->child)
                  : -1;
        if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid)) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
    assert_true(pid > 0);
    assert_true(is_alive(pid));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    end_await(pid);
    close(ends[0]);
    close(ends[1]);
}

static void test_many_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct child_options options = options_of(fixture, SHELL("echo x"));
    struct err err;

    for (int i = 0; i < 50; i++) {
        assert_true(child_start(fixture->loop, &options, &fixture->child, &err));
    }
    loop_run(fixture->loop);
    assert_int_equal(fixture->ends, 50);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_output_and_code_come_back),
        CASE(test_arguments_arrive_as_they_are_and_the_environment_is_what_was_given),
        CASE(test_no_descriptor_is_inherited_by_accident),
        CASE(test_no_blocked_or_ignored_signal_is_inherited),
        CASE(test_descriptors_get_the_numbers_that_were_asked_for),
        CASE(test_descriptors_may_change_places),
        CASE(test_input_is_written_and_ended_however_long),
        CASE(test_input_that_nobody_reads_hurts_nobody),
        CASE(test_output_is_kept_up_to_its_bound_and_reported_live_beyond_it),
        CASE(test_who_is_paused_loses_nothing),
        CASE(test_without_an_ear_output_goes_nowhere),
        CASE(test_a_deadline_ends_it),
        CASE(test_who_does_not_listen_is_killed_after_the_grace),
        CASE(test_it_is_killed_at_once_on_demand),
        CASE(test_what_it_leaves_in_its_group_goes_with_it),
        CASE(test_who_left_the_group_and_holds_the_pipes_holds_nobody_up),
        CASE(test_a_session_of_its_own),
        CASE(test_limits_and_folder_hold),
        CASE(test_without_a_pid_descriptor_it_is_reported_all_the_same),
        CASE(test_what_cannot_be_started_says_why_and_leaves_nothing),
        CASE(test_a_bound_child_dies_with_its_parent),
        CASE(test_many_at_once),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
