/* Probes of ports of this computer, with the event loop of a manager. A timer of 10 s ends the test
 * if an answer never arrives. */

#include "unit.h"

#include "nodes/probe_runs.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GIVE_UP_MS = 10000 };

struct fixture {
    struct loop *loop;
    struct log *log;
    struct loop_timer *give_up;
    struct probe_runs *probes;
    int listener;
    uint16_t port;
    enum control_probed found;
    unsigned answers;
    unsigned answers_at_wake; /* number of answers when `wake` was last called */
    unsigned wakes;
};

static void too_late(void *arg)
{
    (void)arg;
    fail_msg("no answer came");
}

static void woken(void *arg)
{
    struct fixture *fixture = arg;

    fixture->wakes++;
    fixture->answers_at_wake = fixture->answers;
    loop_stop(fixture->loop);
}

static void answered(void *arg, const struct control_probed_answer *answer)
{
    struct fixture *fixture = arg;

    fixture->answers++;
    fixture->found = answer->found;
}

/* Reserves a port on the loopback interface, with or without listening on it. */
static void port_take(struct fixture *fixture, bool listens)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t length = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fixture->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fixture->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(fixture->listener, (struct sockaddr *)&address, &length), 0);
    assert_true(!listens || listen(fixture->listener, 4) == 0);
    fixture->port = ntohs(address.sin_port);
}

static int setup(void **state)
{
    static struct fixture fixture;
    const struct log_options options = { .fd = -1 };
    struct err err;

    fixture = (struct fixture){ .listener = -1 };
    assert_true(loop_open(&fixture.loop, &err));
    fixture.log = log_new(&options);
    assert_true(loop_timer_open(fixture.loop, too_late, NULL, &fixture.give_up, &err));
    loop_timer_start(fixture.give_up, GIVE_UP_MS, 0);
    fixture.probes = probe_runs_new(fixture.loop, fixture.log, NULL, woken, &fixture);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    probe_runs_free(fixture->probes);
    loop_close(fixture->loop);
    log_free(fixture->log);
    close(fixture->listener);
    return 0;
}

static void probe(struct fixture *fixture, bool is_ssh, uint64_t timeout_ms)
{
    const struct control_probe one = { .way = { .address = TEXT("127.0.0.1") },
                                       .port = fixture->port,
                                       .is_ssh = is_ssh,
                                       .timeout_ms = timeout_ms };

    probe_runs_start(fixture->probes, &one, answered, fixture);
    assert_int_equal(fixture->wakes, 0);
    loop_run(fixture->loop);
    assert_int_equal(fixture->wakes, 1);
    assert_int_equal(fixture->answers_at_wake, 1);
}

static void test_the_manager_is_woken_when_a_port_is_open(void **state)
{
    port_take(*state, true);
    probe(*state, false, GIVE_UP_MS);
    assert_int_equal(((struct fixture *)*state)->found, CONTROL_PROBED_WELL);
}

static void test_the_manager_is_woken_when_a_port_is_closed(void **state)
{
    port_take(*state, false);
    probe(*state, false, GIVE_UP_MS);
    assert_int_equal(((struct fixture *)*state)->found, CONTROL_PROBED_FAILING);
}

/* Like a stopped sshd: the kernel accepts the connection, but no banner is sent. */
static void test_the_manager_is_woken_when_no_banner_comes(void **state)
{
    port_take(*state, true);
    probe(*state, true, 50);
    assert_int_equal(((struct fixture *)*state)->found, CONTROL_PROBED_FAILING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_manager_is_woken_when_a_port_is_open, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_manager_is_woken_when_a_port_is_closed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_manager_is_woken_when_no_banner_comes, setup,
                                        teardown),
    };

    return cmocka_run_group_tests_name("keep_probe", tests, NULL, NULL);
}
