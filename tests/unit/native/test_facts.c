/* What a node is, where its kernel says something that the one of this machine does not. */
#include "unit.h"

#include "native/facts.h"
#include "native/say.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { CPUS_POSSIBLE = 4096, CPUS = 1500 };

/* In place of libc's: a kernel that could have more processors than fit into one set. */
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *cpus)
{
    (void)pid;
    if (bytes * 8 < CPUS_POSSIBLE) {
        errno = EINVAL;
        return -1;
    }
    for (size_t i = 0; i < CPUS; i++) {
        CPU_SET_S(i, bytes, cpus);
    }
    return 0;
}

static void many_processors(void **state)
{
    static char said[64 * 1024];
    int ends[2];
    ssize_t count;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    say_open(ends[1]);
    facts_say("10.0.0.1 1 10.0.0.2 22");
    say_flush();
    count = read(ends[0], said, sizeof(said) - 1);
    assert_true(count > 0);
    assert_non_null(strstr(said, "\naddress 10.0.0.2\n"));
    assert_non_null(strstr(said, "\ncpus 1500\n"));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
