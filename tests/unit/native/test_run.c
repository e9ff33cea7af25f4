/* Running a stage where the system gives no more processes. */
#include "unit.h"

#include "native/file.h"
#include "native/mark.h"
#include "native/run.h"
#include "native/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHAIN "abababababababababababababababababababababababababababababababab"

static unsigned forks_left;
static char folder[] = "/tmp/reeve-native-XXXXXX";

/* In place of libc's. */
pid_t fork(void)
{
    if (forks_left == 0) {
        errno = EAGAIN;
        return -1;
    }
    forks_left--;
    return _Fork();
}

/* Attempt 1 of a stage with this script; `forks` are the processes that the runner may make, after itself. What is known when it is over. */
static struct mark run(const char *script, unsigned forks)
{
    static const char next[] = "1 " CHAIN " 1 " CHAIN "\n";
    char *arguments[RUN_FRONT + 1] = { NULL };
    const struct run order = { .folder = folder,
                               .stage = 0,
                               .digest = CHAIN,
                               .chain = CHAIN,
                               .attempt = 1,
                               .arguments = arguments + RUN_FRONT };
    struct mark mark;
    pid_t runner;
    int lock;

    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(folder));
    mark_folders(folder);
    assert_int_equal(mkdir("stage-0", 0700), 0);
    assert_true(file_put("stage-0/bootstrap.sh", 0600, script, strlen(script)));
    assert_true(file_put("marks/0.next", 0600, next, sizeof(next) - 1));
    lock = mark_lock(0);
    forks_left = 1 + forks;
    runner = run_begin(&order, lock);
    (void)close(lock);
    assert_true(runner > 0);
    assert_int_equal(waitpid(runner, NULL, 0), runner);
    mark_read(0, false, &mark);
    return mark;
}

static void leave(void)
{
    assert_int_equal(chdir("/"), 0);
    assert_true(tree_remove(folder));
}

static void none_for_the_stage(void **state)
{
    struct mark mark = run("echo here\n", 0);
    char line[FILE_LINE_BYTES];

    (void)state;
    assert_int_equal(mark.state, MARK_ENDED);
    assert_int_equal(mark.code, 126);
    assert_true(file_line("stage-0/output", line));
    assert_string_equal(line, "the stage cannot be started: Resource temporarily unavailable");
    leave();
}

/* Whom the stage has left running is heard all the same. */
static void none_for_who_keeps_output(void **state)
{
    struct mark mark =
        run("(until [ -e ../marks/0.end ]; do sleep 0.02; done; echo late) & exit 3\n", 1);
    char line[FILE_LINE_BYTES];

    (void)state;
    assert_int_equal(mark.state, MARK_ENDED);
    assert_int_equal(mark.code, 3);
    assert_true(file_line("stage-0/output", line));
    assert_string_equal(line, "late");
    leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_for_the_stage),
        cmocka_unit_test(none_for_who_keeps_output),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
