/* The launcher: listed calls are executed, everything else is refused, and nothing outlives the
 * manager. Each case runs in a separate process, because a process has only one launcher. */

#include "sys/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/fd.h"
#include "sys/stream.h"
#include "unit.h"

enum { WAIT_MS = 20000 };

static char folder[] = "/tmp/launcher-XXXXXX";
static char listed_path[64];
static char unlisted_path[64];
static char socket_path[64];

static void double_number(void *data, size_t bytes)
{
    if (bytes == sizeof(int)) {
        *(int *)data *= 2;
    }
}

static struct launcher_options launcher_lists(void)
{
    return (struct launcher_options){
        .programs = { { "/bin/sh",
                        { "sh", "-c", "echo $0 $#; exec sleep 1000", "exit 7" },
                        "last" },
                      { "/bin/does-not-exist", { "sh" }, NULL } },
        .program_count = 2,
        .files = { listed_path },
        .file_count = 1,
        .calls = { NULL, double_number },
        .socket = socket_path,
    };
}

/* Runs a case in a separate process that has a launcher. */
static void with_launcher(void (*run)(void))
{
    struct launcher_options options = launcher_lists();
    struct err err;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (!launcher_start(&options, &err)) {
            _exit(100);
        }
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* cmocka's assertions would jump out of the case's process. */
#define CHECK(condition)              \
    do {                              \
        if (!(condition)) {           \
            _exit(__LINE__ % 90 + 1); \
        }                             \
    } while (0)

static bool launcher_spawns(const char *path, const char *const *argv, struct child_spawned *out,
                            int output, struct err *err)
{
    struct child_options options = {
        .path = path, .argv = argv, .is_session = true, .is_killed_with_parent = true
    };
    AUTO(fd) nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    return launcher_spawn(&options, (int[]){ nothing, output < 0 ? nothing : output, nothing }, out,
                          err);
}

static void case_programs(void)
{
    struct child_spawned spawned = { 0 };
    struct err err = { 0 };
    int status;

    CHECK(launcher_spawns("/bin/sh", (const char *[]){ "sh", "-c", "exit 7", NULL }, &spawned, -1,
                          &err));
    /* the process is a child of this process, not of the launcher */
    CHECK(waitpid(spawned.pid, &status, 0) == spawned.pid && WEXITSTATUS(status) == 7);
    CHECK(!launcher_spawns("/bin/sh", (const char *[]){ "sh", "-c", "id", NULL }, &spawned, -1,
                           &err));
    CHECK(err.code == CODE_R0533);
    CHECK(!launcher_spawns("/bin/cat", (const char *[]){ "cat", NULL }, &spawned, -1, &err));
    CHECK(!launcher_spawns("/bin/does-not-exist", (const char *[]){ "sh", NULL }, &spawned, -1,
                           &err));
    CHECK(strstr(err.text, "the program cannot be run") != NULL);
    CHECK(waitpid(-1, &status, WNOHANG) == 0); /* only the launcher is left */
}

static void test_listed_programs_are_started(void **state)
{
    (void)state;
    with_launcher(case_programs);
}

static void case_last_argument(void)
{
    struct child_spawned spawned = { 0 };
    struct err err;
    char line[64] = "";
    int pipes[2];
    int status;

    CHECK(pipe2(pipes, O_CLOEXEC) == 0);
    CHECK(launcher_spawns("/bin/sh",
                          (const char *[]){ "sh", "-c", "echo $0 $#; exec sleep 1000", NULL },
                          &spawned, pipes[1], &err));
    CHECK(read(pipes[0], line, sizeof(line) - 1) > 0 && strcmp(line, "last 0\n") == 0);
    launcher_signal(spawned.pid, SIGUSR1); /* the launcher does not send this signal */
    CHECK(waitpid(spawned.pid, &status, WNOHANG) == 0);
    launcher_signal(getpid(), SIGKILL); /* the launcher has not started this process */
    launcher_signal(spawned.pid, SIGKILL);
    CHECK(waitpid(spawned.pid, &status, 0) == spawned.pid && WTERMSIG(status) == SIGKILL);
}

static void
test_the_last_argument_is_the_launchers_and_signals_reach_its_programs_only(void **state)
{
    (void)state;
    with_launcher(case_last_argument);
}

static void case_files(void)
{
    char bytes[8] = "";
    int fd;

    (void)!unlink(listed_path);
    fd = launcher_open(listed_path, O_RDONLY | O_CLOEXEC, 0);
    CHECK(fd < 0 && errno == ENOENT);
    fd = launcher_open(listed_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    CHECK(fd >= 0 && write(fd, "secret", 6) == 6 && close(fd) == 0);
    fd = launcher_open(listed_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    CHECK(fd < 0 && errno == EEXIST);
    /* the launcher opens it only for reading */
    fd = launcher_open(listed_path, O_RDWR | O_TRUNC | O_CLOEXEC, 0);
    CHECK(fd >= 0 && read(fd, bytes, sizeof(bytes)) == 6 && write(fd, "x", 1) < 0);
    /* a file that is not listed is opened in this process, with its rights */
    fd = launcher_open(unlisted_path, O_RDONLY | O_CLOEXEC, 0);
    CHECK(fd < 0 && errno == ENOENT);
}

static void test_listed_files_are_read_and_made(void **state)
{
    (void)state;
    with_launcher(case_files);
}

static void case_calls(void)
{
    int number = 21;
    char many[LAUNCHER_CALL_BYTES] = "x";

    CHECK(launcher_call(1, &number, sizeof(number)) && number == 42);
    CHECK(launcher_call(0, &number, sizeof(number)) && number == 42); /* there is no such call */
    CHECK(launcher_call(1000, many, sizeof(many)) && many[0] == 'x');
    CHECK(close(open(socket_path, O_CREAT | O_WRONLY, 0600)) == 0);
    launcher_socket_remove();
    CHECK(access(socket_path, F_OK) != 0);
}

static void test_listed_calls_are_made(void **state)
{
    (void)state;
    with_launcher(case_calls);
}

/* The manager is killed by SIGKILL while a program runs that ignores the end of its input. */
static void test_nothing_outlives_the_manager(void **state)
{
    struct launcher_options options = launcher_lists();
    struct child_spawned spawned = { 0 };
    struct pollfd ended = { .events = POLLIN };
    int pipes[2];
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) {
        struct err err;

        CHECK(launcher_start(&options, &err));
        CHECK(launcher_spawns("/bin/sh",
                              (const char *[]){ "sh", "-c", "echo $0 $#; exec sleep 1000", NULL },
                              &spawned, -1, &err));
        CHECK(write(pipes[1], &spawned.pid, sizeof(spawned.pid)) == sizeof(spawned.pid));
        pause();
        _exit(0);
    }
    assert_int_equal(read(pipes[0], &spawned.pid, sizeof(spawned.pid)), sizeof(spawned.pid));
    ended.fd = (int)syscall(SYS_pidfd_open, spawned.pid, 0);
    assert_true(ended.fd >= 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(poll(&ended, 1, WAIT_MS), 1);
    close(ended.fd);
    close(pipes[0]);
    close(pipes[1]);
}

static int folder_set_up(void **state)
{
    (void)state;
    stream_prepare();
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(listed_path, sizeof(listed_path), "%s/listed", folder);
    snprintf(unlisted_path, sizeof(unlisted_path), "%s/unlisted", folder);
    snprintf(socket_path, sizeof(socket_path), "%s/socket", folder);
    return 0;
}

static int folder_tear_down(void **state)
{
    (void)state;
    (void)!unlink(listed_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listed_programs_are_started),
        cmocka_unit_test(
            test_the_last_argument_is_the_launchers_and_signals_reach_its_programs_only),
        cmocka_unit_test(test_listed_files_are_read_and_made),
        cmocka_unit_test(test_listed_calls_are_made),
        cmocka_unit_test(test_nothing_outlives_the_manager),
    };

    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
