/* What remains of a link after its process has ended: no control group, even if another process is
 * in it for longer. */
#define _XOPEN_SOURCE 700

#include "unit.h"

#include "host/sandbox.h"
#include "provider/link.h"
#include "sys/stream.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TURN_MS = 20, DEADLINE_MS = 60000 };

static char program[] = "/tmp/reeve-link-XXXXXX";
static char group[64];
static size_t groups;
static bool has_ended;

static void reported(void *arg, const struct wire_message *message)
{
    (void)arg;
    (void)message;
}

static void ended(void *arg, const char *why)
{
    (void)arg;
    (void)why;
    has_ended = true;
}

static int group_count(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    groups += strcmp(path + walk->base, group) == 0;
    return 0;
}

static size_t groups_count(void)
{
    groups = 0;
    nftw("/sys/fs/cgroup", group_count, 16, FTW_PHYS);
    return groups;
}

/* Makes a program that exits after the open message. The process that remains is in another process
 * group. */
static void program_make(void)
{
    static const char words[] = "#!/bin/sh\nhead -c 1 <&3 >/dev/null\n"
                                "setsid sleep 1 3>&- 2>/dev/null </dev/null &\n"
                                "until [ \"$(cut -d' ' -f6 /proc/$!/stat)\" = $! ]; do :; done\n";
    int file = mkstemp(program);

    assert_true(file >= 0);
    assert_int_equal(write(file, words, sizeof(words) - 1), sizeof(words) - 1);
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
}

static void a_group_that_is_held_goes_when_it_is_left(void **state)
{
    size_t alive = 0;
    struct link_options options = { .log = log_new(&(struct log_options){ .fd = -1 }),
                                    .program = program,
                                    .open = { .profile = SANDBOX_CLOUD, .name = TEXT("p") },
                                    .end_ms = DEADLINE_MS,
                                    .alive = &alive,
                                    .reported = reported,
                                    .ended = ended };
    uint64_t end;
    struct link *link;
    struct err err;
    bool is_in_force;

    (void)state;
    program_make();
    assert_true(loop_open(&options.loop, &err));
    assert_true(link_open(&options, &link, &err));
    snprintf(group, sizeof(group), "reeve-host-%d-%d", getpid(), link_pid(link));
    is_in_force = strcmp(link_group(link), "in force") == 0;
    assert_true(!is_in_force || groups_count() > 0);
    end = loop_now_ms(options.loop) + DEADLINE_MS;
    while (!has_ended && loop_now_ms(options.loop) < end) {
        loop_run_once(options.loop, TURN_MS);
    }
    assert_true(has_ended);
    link_close(link);
    while (alive > 0 && loop_now_ms(options.loop) < end) {
        loop_run_once(options.loop, TURN_MS);
    }
    assert_int_equal(alive, 0);
    assert_int_equal(groups_count(), 0);
    loop_close(options.loop);
    log_free(options.log);
    unlink(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_that_is_held_goes_when_it_is_left),
    };

    stream_prepare();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
