/* Playbook runs that wait for each other, until they have their certificate. This file replaces the
 * signer. */
#include "unit.h"

#include "access/authority.h"
#include "base/macros.h"
#include "nodes/playbook_runs.h"

enum { TURN_MS = 20, TURNS = 500 };

/* Number of requests to the signer, and the callback for the last request. */
static size_t ask_count;
static signer_done *ask_done;
static void *ask_arg;

/* Replaces the function of the module access. */
enum authorities_answer authorities_ask(struct authorities *authorities, struct text cluster,
                                        struct sign_ask *ask, signer_done *done, void *arg,
                                        struct err *err)
{
    (void)authorities;
    (void)cluster;
    (void)ask;
    (void)err;
    ask_count++;
    ask_done = done;
    ask_arg = arg;
    return AUTHORITIES_READY;
}

struct fixture {
    struct loop *loop;
    struct log *log;
    struct playbook_runs *runs;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct log_options quiet = { .fd = -1 };
    struct err err;

    assert_true(loop_open(&fixture->loop, &err));
    fixture->log = log_new(&quiet);
    fixture->runs = playbook_runs_new(&(struct playbook_runs_options){ .loop = fixture->loop,
                                                                       .log = fixture->log,
                                                                       .clock = clock_system(),
                                                                       .random = random_system(),
                                                                       .runs = 1 });
    ask_count = 0;
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    playbook_runs_free(fixture->runs);
    loop_close(fixture->loop);
    log_free(fixture->log);
    free(fixture);
    return 0;
}

struct node {
    struct playbook_place *place;
    bool has_ended;
    enum nodes_end end;
};

static void on_event(void *arg, const struct playbook_event *event)
{
    struct node *node = arg;

    assert_int_equal(event->kind, PLAYBOOK_EVENT_ENDED);
    node->has_ended = true;
    node->end = event->end;
}

static void join(struct fixture *fixture, const char *name, const char *playbook, struct node *node)
{
    struct control_way way = { .cluster = TEXT("default/1"), .name = text_from(name) };
    struct playbook_order order = { .way = &way,
                                    .cluster_name = TEXT("shop"),
                                    .digest = TEXT("d"),
                                    .playbook = text_from(playbook) };

    *node = (struct node){ .place = playbook_runs_join(fixture->runs, &order, on_event, node) };
    assert_non_null(node->place);
}

static void turn_until(struct fixture *fixture, const bool *is_over)
{
    for (int i = 0; i < TURNS && !*is_over; i++) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_true(*is_over);
}

/* Lets the first run send its request to the signer, while the run of `second` has its nodes and
 * waits. */
static void two_begin(struct fixture *fixture, struct node *first, struct node *second)
{
    bool is_asked = false;

    join(fixture, "web-0", "a.yml", first);
    join(fixture, "web-1", "b.yml", second);
    for (int i = 0; i < TURNS && !is_asked; i++) {
        loop_run_once(fixture->loop, TURN_MS);
        is_asked = ask_count > 0;
    }
    for (int i = 0; i < 5; i++) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_int_equal(ask_count, 1);
}

static void signer_refuse(void)
{
    struct err err;

    err_set(&err, CODE_R0843, "no");
    ask_done(ask_arg, OUTCOME_REFUSED, NULL, &err);
}

/* The other run ends before the iteration in which the stopped run is refused. */
static void test_a_stopped_run_does_not_begin(void **state)
{
    struct fixture *fixture = *state;
    struct node first;
    struct node second;

    two_begin(fixture, &first, &second);
    playbook_runs_stop(second.place);
    signer_refuse();
    assert_true(first.has_ended);
    assert_int_equal(first.end, NODES_END_REFUSED);
    assert_false(second.has_ended);
    assert_int_equal(ask_count, 1);
    turn_until(fixture, &second.has_ended);
    assert_int_equal(second.end, NODES_END_INTERRUPTED);
}

static void test_a_node_does_not_join_a_stopped_run(void **state)
{
    struct fixture *fixture = *state;
    struct node first;
    struct node second;
    struct node third;

    two_begin(fixture, &first, &second);
    playbook_runs_stop(second.place);
    join(fixture, "web-2", "b.yml", &third);
    turn_until(fixture, &second.has_ended);
    assert_false(third.has_ended);
    signer_refuse();
    for (int i = 0; i < TURNS && ask_count == 1; i++) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_int_equal(ask_count, 2);
    signer_refuse();
    assert_true(third.has_ended);
    assert_int_equal(third.end, NODES_END_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_stopped_run_does_not_begin, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_node_does_not_join_a_stopped_run, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
