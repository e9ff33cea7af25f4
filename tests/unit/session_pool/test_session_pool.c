/* The session pool with simulated session processes: the order of calls, the choice of sessions,
 * and the reported events. Requirements: C30. */
#include "unit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "session/transport_end.h"
#include "session_pool/session_pool.h"
#include "session_pool/session_pool_parts.h"

enum {
    FAKES_MAX = 16,
    TURN_MS = 20,
    TURNS_MAX = 3000,
    DEADLINE_MS = 20000,
    SHORT_MS = 50,
    NODES = 6
};

/* ---- hands that do as the test says ---- */

struct fake {
    struct transport base;
    size_t sessions;
    bool is_dropped;
    void (*ended)(void *arg, const char *why);
    void *ended_arg;
};

/* The behaviour of all fakes, and their recorded events. */
struct stage {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct session_pool *session_pool;
    struct fake *fakes[FAKES_MAX];
    size_t fake_count;
    size_t openssh_count;
    bool is_unmakable;
    size_t begun; /* number of started calls */
    size_t under_way;
    size_t most_under_way;
};

static struct stage *stage;

static void fake_begin(struct transport_session *session)
{
    struct fake *fake = (struct fake *)session->transport;

    fake->sessions++;
    if (text_is(session->target.address, "refuses")) {
        session_failed(session, TRANSPORT_FAULT_USER_KEY, TEXT("ssh-ed25519 SHOWN"), "not you");
    } else if (text_is(session->target.address, "other") &&
               !text_is(session->target.host_keys, "ssh-ed25519 SHOWN")) {
        session_failed(session, TRANSPORT_FAULT_HOST_KEY, TEXT("ssh-ed25519 SHOWN"), "not that");
    } else if (!text_is(session->target.address, "silent")) {
        session_opened(session, TEXT("ssh-ed25519 SHOWN"), session->target.is_first_key_accepted);
    }
}

static void fake_end(struct transport_session *session)
{
    (void)session;
}

/* "hold" waits until the test lets it end; anything else ends at once. */
static void fake_call(struct transport_call *call)
{
    char much[LIMIT_SESSION_POOL_OUTPUT_BYTES + 100];

    stage->begun++;
    stage->under_way++;
    stage->most_under_way =
        stage->under_way > stage->most_under_way ? stage->under_way : stage->most_under_way;
    call->is_sent = true;
    if (text_is(call->command, "hold")) {
        return;
    }
    memset(much, 'a', sizeof(much));
    call_output(call, TRANSPORT_OUT, (struct text){ much, sizeof(much) });
    call_output(call, TRANSPORT_ERROR, TEXT("oh"));
    stage->under_way--;
    call_ended(call, 7, TEXT(""));
}

static void fake_drop(struct transport_call *call)
{
    (void)call;
    stage->under_way--;
}

static void fake_flow(struct transport_call *call)
{
    (void)call;
}

static void fake_free(struct transport *transport)
{
    transport_fini(transport);
    rows_free(transport);
}

static bool fake_make(void *arg, bool is_openssh, void (*ended)(void *arg, const char *why),
                      void *ended_arg, struct transport **out, struct err *err)
{
    static const struct transport_driver driver = {
        .name = "fake",
        .session_bytes = sizeof(struct transport_session),
        .call_bytes = sizeof(struct transport_call),
        .has_files = true,
        .begin = fake_begin,
        .end = fake_end,
        .call = fake_call,
        .drop = fake_drop,
        .flow = fake_flow,
        .free = fake_free,
    };
    struct fake *fake = rows_resize(NULL, sizeof(*fake));

    (void)arg;
    *fake = (struct fake){ .base = { .driver = &driver, .traits = { .has_sntrup761 = is_openssh } },
                           .ended = ended,
                           .ended_arg = ended_arg };
    if (stage->is_unmakable) {
        rows_free(fake);
        return err_set(err, CODE_R0700, "there is none");
    }
    assert_true(transport_init(&fake->base, stage->loop, err));
    assert_true(stage->fake_count < FAKES_MAX);
    stage->fakes[stage->fake_count++] = fake;
    stage->openssh_count += is_openssh;
    *out = &fake->base;
    return true;
}

static void fake_drop_all(void *arg, struct transport *transport)
{
    (void)arg;
    for (size_t i = 0; i < stage->fake_count; i++) {
        if (stage->fakes[i] == (struct fake *)transport) {
            stage->fakes[i] = NULL;
        }
    }
    transport_free(transport);
}

/* ---- asking and waiting ---- */

struct reply {
    bool has_come;
    bool has_returned;
    enum outcome outcome;
    struct transport_answer answer;
    char message[LIMIT_ERROR_TEXT_BYTES];
    char host_key[64];
    size_t out_bytes;
    char error[8];
    uint64_t retry_ms;
    bool is_asked;
    struct session_pool_run *run;
    size_t number; /* number in the order of ends */
};

static size_t ends;

static void came(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct reply *reply = arg;

    assert_true(reply->has_returned);
    assert_false(reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->answer = result->answer;
    reply->out_bytes = result->output[TRANSPORT_OUT].length;
    reply->retry_ms = result->retry_ms;
    reply->is_asked = result->is_asked;
    reply->number = ++ends;
    snprintf(reply->message, sizeof(reply->message), "%.*s", TEXT_ARG(result->answer.message));
    snprintf(reply->host_key, sizeof(reply->host_key), "%.*s", TEXT_ARG(result->answer.host_key));
    snprintf(reply->error, sizeof(reply->error), "%.*s", TEXT_ARG(result->output[TRANSPORT_ERROR]));
}

static struct session_run_spec order_of(const char *node, const char *address, const char *command)
{
    return (struct session_run_spec){ .node = text_from(node),
                                      .zone = TEXT("a"),
                                      .target = { .address = text_from(address),
                                                  .port = 22,
                                                  .user = TEXT("root"),
                                                  .key = secret_from(TEXT("key")),
                                                  .host_keys = TEXT("ssh-ed25519 SHOWN") },
                                      .command = text_from(command),
                                      .deadline_ms = DEADLINE_MS };
}

static struct reply *ask_for(const struct session_run_spec *order)
{
    struct reply *reply = arena_one(stage->arena, struct reply);

    reply->run = session_pool_run(stage->session_pool, order, came, reply);
    assert_non_null(reply->run);
    reply->has_returned = true;
    return reply;
}

static struct reply *ask(const char *node, const char *address, const char *command)
{
    struct session_run_spec order = order_of(node, address, command);

    return ask_for(&order);
}

/* Runs iterations, so that a wrong event would have time to happen. */
static void turn(int count)
{
    for (int i = 0; i < count; i++) {
        loop_run_once(stage->loop, 1);
    }
}

static struct reply *wait_for(struct reply *reply)
{
    for (int i = 0; i < TURNS_MAX && !reply->has_come; i++) {
        loop_run_once(stage->loop, TURN_MS);
    }
    assert_true(reply->has_come);
    return reply;
}

/* Waits until this number of calls is active. */
static void calls_wait(size_t count)
{
    for (int i = 0; i < TURNS_MAX && stage->under_way < count; i++) {
        loop_run_once(stage->loop, TURN_MS);
    }
    assert_int_equal(stage->under_way, count);
}

/* Waits until the session process with this number was asked for this number of sessions. */
static void sessions_wait(size_t process, size_t count)
{
    for (int i = 0;
         i < TURNS_MAX && (stage->fake_count <= process || stage->fakes[process] == NULL ||
                           stage->fakes[process]->sessions < count);
         i++) {
        loop_run_once(stage->loop, TURN_MS);
    }
    assert_true(stage->fake_count > process && stage->fakes[process] != NULL);
    assert_int_equal(stage->fakes[process]->sessions, count);
}

static void assert_ended(const struct reply *reply, enum outcome outcome,
                         enum transport_fault fault)
{
    assert_int_equal(reply->answer.fault, fault);
    assert_int_equal(reply->outcome, outcome);
}

static struct session_pool_limits limits_small(void)
{
    struct session_pool_limits limits = session_pool_limits_usual();

    limits.pause_ms = 200;
    limits.pause_max_ms = 400;
    return limits;
}

static void pool_open(struct session_pool_limits limits)
{
    struct session_pool_options options = { .loop = stage->loop,
                                            .log = stage->log,
                                            .random = random_system(),
                                            .maker = { .make = fake_make, .drop = fake_drop_all },
                                            .limits = limits };
    struct err err;

    assert_true(session_pool_open(&options, &stage->session_pool, &err));
}

/* ---- reports ---- */

static void a_run_reports_code_and_output(void **state)
{
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    reply = ask("n", "here", "run");
    assert_false(reply->has_come);
    wait_for(reply);
    assert_ended(reply, OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_int_equal(reply->answer.code, 7);
    assert_int_equal(reply->out_bytes, LIMIT_SESSION_POOL_OUTPUT_BYTES);
    assert_int_equal(reply->answer.bytes[TRANSPORT_OUT], LIMIT_SESSION_POOL_OUTPUT_BYTES + 100);
    assert_int_equal(reply->answer.dropped[TRANSPORT_OUT], 100);
    assert_string_equal(reply->error, "oh");
    assert_string_equal(reply->host_key, "ssh-ed25519 SHOWN");
    assert_false(reply->answer.is_first);
}

static size_t heard_bytes;

static void heard(void *arg, enum transport_stream stream, struct text piece)
{
    (void)arg;
    heard_bytes += stream == TRANSPORT_OUT ? piece.length : 0;
}

/* Output beyond the limit is not sent by the session process, which only counts it. */
static void a_listener_gets_no_more_than_he_wants(void **state)
{
    struct session_run_spec order = order_of("n", "here", "run");
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    order.output = heard;
    heard_bytes = 0;
    wait_for(ask_for(&order));
    assert_int_equal(heard_bytes, LIMIT_SESSION_POOL_OUTPUT_BYTES + 100);
    order.output_max = 1000;
    heard_bytes = 0;
    reply = wait_for(ask_for(&order));
    assert_int_equal(heard_bytes, 1000);
    assert_int_equal(reply->answer.bytes[TRANSPORT_OUT], LIMIT_SESSION_POOL_OUTPUT_BYTES + 100);
    assert_int_equal(reply->answer.dropped[TRANSPORT_OUT],
                     LIMIT_SESSION_POOL_OUTPUT_BYTES + 100 - 1000);
}

static void a_first_key_is_reported_to_be_written_down(void **state)
{
    struct session_run_spec order = order_of("n", "here", "run");
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    order.target.host_keys = TEXT("");
    order.target.is_first_key_accepted = true;
    reply = wait_for(ask_for(&order));
    assert_true(reply->answer.is_first);
    assert_string_equal(reply->host_key, "ssh-ed25519 SHOWN");
}

/* ---- turns ---- */

static void one_run_at_a_time_of_a_node(void **state)
{
    struct reply *first;
    struct reply *second;
    struct reply *third;

    (void)state;
    pool_open(limits_small());
    first = ask("n", "here", "hold");
    second = ask("n", "here", "run");
    third = ask("n", "here", "run");
    wait_for(ask("other", "here", "run"));
    turn(5);
    assert_false(first->has_come || second->has_come || third->has_come);
    assert_int_equal(session_pool_state(stage->session_pool).waiting, 2);
    session_pool_cancel(first->run);
    wait_for(third);
    assert_ended(first, OUTCOME_UNKNOWN, TRANSPORT_FAULT_CANCELLED);
    assert_ended(second, OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_true(first->number < second->number && second->number < third->number);
}

static void no_more_than_so_many_at_once(void **state)
{
    struct session_pool_limits limits = limits_small();
    struct reply *replies[NODES];
    char name[8];

    (void)state;
    limits.runs = 2;
    pool_open(limits);
    for (size_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof(name), "n%zu", i);
        replies[i] = ask(name, "here", "hold");
    }
    calls_wait(2);
    turn(10);
    assert_int_equal(stage->under_way, 2);
    assert_int_equal(session_pool_state(stage->session_pool).waiting, NODES - 2);
    for (size_t i = 0; i < NODES; i++) {
        while (replies[i]->run->call == NULL) {
            turn(1);
        }
        session_pool_cancel(replies[i]->run);
        wait_for(replies[i]);
    }
    assert_int_equal(stage->most_under_way, 2);
}

static void a_full_zone_does_not_hold_up_another(void **state)
{
    struct session_pool_limits limits = limits_small();
    struct session_run_spec order = order_of("b1", "here", "run");

    (void)state;
    limits.zone_runs = 1;
    pool_open(limits);
    ask("a1", "here", "hold");
    ask("a2", "here", "hold");
    ask("a3", "here", "hold");
    order.zone = TEXT("b");
    wait_for(ask_for(&order));
    calls_wait(1);
    turn(5);
    assert_int_equal(stage->under_way, 1);
    assert_int_equal(session_pool_state(stage->session_pool).waiting, 2);
}

static void who_waits_too_long_is_refused(void **state)
{
    struct session_run_spec order = order_of("n", "here", "run");
    struct reply *late;

    (void)state;
    pool_open(limits_small());
    ask("n", "here", "hold");
    calls_wait(1);
    order.deadline_ms = SHORT_MS;
    late = wait_for(ask_for(&order));
    assert_ended(late, OUTCOME_REFUSED, TRANSPORT_FAULT_LATE);
    assert_false(late->is_asked);
    assert_int_equal(stage->begun, 1);
}

/* The deadline of a waiting call starts when the call starts. */
static void who_may_wait_has_all_of_its_time_then(void **state)
{
    struct session_run_spec order = order_of("n", "here", "run");
    struct reply *first;
    struct reply *patient;
    uint64_t end;

    (void)state;
    pool_open(limits_small());
    first = ask("n", "here", "hold");
    order.deadline_ms = SHORT_MS;
    order.wait_ms = DEADLINE_MS;
    patient = ask_for(&order);
    for (end = loop_now_ms(stage->loop) + 2 * SHORT_MS; loop_now_ms(stage->loop) < end;) {
        turn(1); /* longer than its deadline */
    }
    assert_false(patient->has_come);
    session_pool_cancel(first->run);
    wait_for(patient);
    assert_int_equal(patient->outcome, OUTCOME_OK);
    assert_true(patient->is_asked);
    order.command = TEXT("hold");
    order.wait_ms = UINT32_MAX; /* the wait time is independent of the deadline */
    patient = wait_for(ask_for(&order));
    assert_ended(patient, OUTCOME_UNKNOWN, TRANSPORT_FAULT_LATE);
    assert_true(patient->is_asked);
}

static void who_is_cancelled_while_waiting_is_refused(void **state)
{
    struct reply *second;

    (void)state;
    pool_open(limits_small());
    ask("n", "here", "hold");
    second = ask("n", "here", "run");
    calls_wait(1);
    session_pool_cancel(second->run);
    assert_false(second->has_come);
    wait_for(second);
    assert_ended(second, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED);
}

static void only_so_many_may_wait(void **state)
{
    struct session_pool_limits limits = limits_small();
    struct session_run_spec order = order_of("n", "here", "run");

    (void)state;
    limits.waiting = 2;
    pool_open(limits);
    ask("n", "here", "run");
    ask("n", "here", "run");
    assert_null(session_pool_run(stage->session_pool, &order, came, NULL));
}

/* ---- sessions ---- */

static void a_session_is_kept_and_closed_when_idle(void **state)
{
    (void)state;
    pool_open(limits_small());
    wait_for(ask("n", "here", "run"));
    wait_for(ask("n", "here", "run"));
    assert_int_equal(session_pool_state(stage->session_pool).opened, 1);
    assert_int_equal(session_pool_state(stage->session_pool).sessions, 1);
    /* takes effect from the end of the next call on */
    stage->session_pool->options.limits.idle_ms = SHORT_MS;
    wait_for(ask("n", "here", "run"));
    assert_int_equal(session_pool_state(stage->session_pool).opened, 1);
    for (int i = 0; i < TURNS_MAX && session_pool_state(stage->session_pool).session_pool > 0;
         i++) {
        loop_run_once(stage->loop, TURN_MS);
    }
    assert_int_equal(session_pool_state(stage->session_pool).sessions, 0);
    assert_int_equal(session_pool_state(stage->session_pool).session_pool, 0);
    wait_for(ask("n", "here", "run"));
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
}

static void another_target_is_another_session(void **state)
{
    struct session_run_spec order = order_of("n", "here", "run");

    (void)state;
    pool_open(limits_small());
    wait_for(ask_for(&order));
    order.target.key = secret_from(TEXT("kez"));
    wait_for(ask_for(&order));
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
    order.target.port = 23;
    wait_for(ask_for(&order));
    order.target.host_keys = TEXT("ssh-ed25519 OTHER");
    wait_for(ask_for(&order));
    assert_int_equal(session_pool_state(stage->session_pool).opened, 4);
    assert_int_equal(session_pool_state(stage->session_pool).sessions, 1);
    assert_int_equal(stage->openssh_count, 0);
    order.target.exchange = TRANSPORT_SNTRUP761; /* libssh does not support it */
    assert_ended(wait_for(ask_for(&order)), OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_int_equal(stage->openssh_count, 1);
}

static void full_session_pool_give_up_what_is_idle(void **state)
{
    struct session_pool_limits limits = limits_small();

    (void)state;
    limits.session_pool = 2;
    limits.process_sessions = 1;
    pool_open(limits);
    wait_for(ask("n1", "here", "run"));
    wait_for(ask("n2", "here", "run"));
    assert_int_equal(session_pool_state(stage->session_pool).session_pool, 2);
    wait_for(ask("n3", "here", "run"));
    assert_int_equal(session_pool_state(stage->session_pool).sessions, 2);
    ask("n4", "here", "hold");
    ask("n5", "here", "hold");
    calls_wait(2);
    assert_ended(wait_for(ask("n6", "here", "run")), OUTCOME_REFUSED, TRANSPORT_FAULT_PROCESS);
}

/* ---- failures ---- */

/* The back-off is longer than this process could be delayed; then the test sets it as if most of it
 * had passed. */
static void a_node_that_refuses_is_left_in_peace(void **state)
{
    struct session_pool_limits limits = session_pool_limits_usual();
    struct reply *reply;
    struct node *node;

    (void)state;
    limits.pause_ms = limits.pause_max_ms = 60000;
    pool_open(limits);
    reply = wait_for(ask("n", "refuses", "run"));
    assert_ended(reply, OUTCOME_REFUSED, TRANSPORT_FAULT_USER_KEY);
    assert_true(reply->is_asked);
    assert_string_equal(reply->message, "not you");
    assert_in_range(reply->retry_ms, 30000, 60000);
    reply = wait_for(ask("n", "here", "run"));
    assert_ended(reply, OUTCOME_REFUSED, TRANSPORT_FAULT_USER_KEY);
    assert_false(reply->is_asked);
    assert_in_range(reply->retry_ms, 1, 60000);
    assert_int_equal(session_pool_state(stage->session_pool).opened, 1);
    node = map_find(&stage->session_pool->nodes, TEXT("n"));
    assert_non_null(node);
    node->not_before_ms = loop_now_ms(stage->loop) + SHORT_MS;
    do {
        turn(1);
        reply = wait_for(ask("n", "here", "run"));
    } while (reply->outcome != OUTCOME_OK);
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
    assert_int_equal(reply->retry_ms, 0);
}

/* The back-off after a mismatch applies only to the key that was expected then. */
static void a_host_key_that_is_right_now_is_tried_at_once(void **state)
{
    struct session_run_spec order = order_of("n", "other", "run");
    struct session_pool_limits limits = session_pool_limits_usual();
    struct reply *reply;

    (void)state;
    limits.pause_ms = limits.pause_max_ms = 60000;
    pool_open(limits);
    order.target.host_keys = TEXT("ssh-ed25519 FIRST");
    assert_ended(wait_for(ask_for(&order)), OUTCOME_REFUSED, TRANSPORT_FAULT_HOST_KEY);
    reply = wait_for(ask_for(&order));
    assert_ended(reply, OUTCOME_REFUSED, TRANSPORT_FAULT_HOST_KEY);
    assert_false(reply->is_asked);
    order.target.host_keys = TEXT("ssh-ed25519 SHOWN");
    assert_ended(wait_for(ask_for(&order)), OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
}

/* A key that was rotated does not wait for the back-off of the former one. */
static void another_key_of_the_user_is_tried_at_once(void **state)
{
    struct session_run_spec order = order_of("n", "refuses", "run");
    struct session_pool_limits limits = session_pool_limits_usual();
    struct reply *reply;

    (void)state;
    limits.pause_ms = limits.pause_max_ms = 60000;
    pool_open(limits);
    assert_ended(wait_for(ask_for(&order)), OUTCOME_REFUSED, TRANSPORT_FAULT_USER_KEY);
    order.target.certificate =
        /* the certificate was renewed, the key is the same */
        TEXT("ssh-ed25519-cert-v01@openssh.com AAAA");
    reply = wait_for(ask_for(&order));
    assert_ended(reply, OUTCOME_REFUSED, TRANSPORT_FAULT_USER_KEY);
    assert_false(reply->is_asked);
    order.target.key = secret_from(TEXT("another key"));
    order.target.address = TEXT("here");
    assert_ended(wait_for(ask_for(&order)), OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
}

static void a_process_that_ends_makes_its_calls_unknown(void **state)
{
    struct reply *running;
    struct reply *other;

    (void)state;
    pool_open(limits_small());
    running = ask("n", "here", "hold");
    calls_wait(1);
    stage->fakes[0]->ended(stage->fakes[0]->ended_arg, "killed");
    session_failed(running->run->node->session, TRANSPORT_FAULT_PROCESS, TEXT(""), "killed");
    wait_for(running);
    assert_ended(running, OUTCOME_UNKNOWN, TRANSPORT_FAULT_PROCESS);
    other = wait_for(ask("n", "here", "run")); /* with another session process, immediately */
    assert_ended(other, OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_null(stage->fakes[0]);
    assert_int_equal(session_pool_state(stage->session_pool).session_pool, 1);
}

static void who_had_not_begun_is_tried_with_another(void **state)
{
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    reply = ask("n", "silent", "run");
    sessions_wait(0, 1);
    assert_int_equal(session_pool_state(stage->session_pool).sessions, 1);
    stage->fakes[0]->ended(stage->fakes[0]->ended_arg, "killed");
    session_failed(reply->run->node->session, TRANSPORT_FAULT_PROCESS, TEXT(""), "killed");
    sessions_wait(1, 1);
    turn(10);
    assert_false(reply->has_come);
    assert_int_equal(stage->fake_count, 2);
    session_opened(reply->run->node->session, TEXT(""), false);
    assert_ended(wait_for(reply), OUTCOME_OK, TRANSPORT_FAULT_NONE);
}

static void a_session_lost_while_idle_costs_nothing(void **state)
{
    struct session_run_spec order = order_of("n", "here", "hold");
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    reply = ask_for(&order);
    calls_wait(1);
    session_failed(reply->run->node->session, TRANSPORT_FAULT_CUT, TEXT(""), "cut");
    assert_ended(wait_for(reply), OUTCOME_UNKNOWN, TRANSPORT_FAULT_CUT);
    assert_ended(wait_for(ask("n", "here", "run")), OUTCOME_OK, TRANSPORT_FAULT_NONE);
    assert_int_equal(session_pool_state(stage->session_pool).opened, 2);
}

static void without_session_pool_there_is_a_reason(void **state)
{
    struct reply *reply;

    (void)state;
    pool_open(limits_small());
    stage->is_unmakable = true;
    reply = wait_for(ask("n", "here", "run"));
    assert_ended(reply, OUTCOME_REFUSED, TRANSPORT_FAULT_PROCESS);
    assert_string_equal(reply->message, "there is none");
}

static void a_close_reports_everybody(void **state)
{
    struct reply *running;
    struct reply *opening;
    struct reply *waiting;

    (void)state;
    pool_open(limits_small());
    running = ask("n", "here", "hold");
    waiting = ask("n", "here", "run");
    opening = ask("o", "silent", "run");
    calls_wait(1);
    sessions_wait(0, 2);
    session_pool_close(stage->session_pool);
    stage->session_pool = NULL;
    assert_ended(running, OUTCOME_UNKNOWN, TRANSPORT_FAULT_CLOSED);
    assert_ended(waiting, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED);
    assert_ended(opening, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED);
    for (size_t i = 0; i < stage->fake_count; i++) {
        assert_null(stage->fakes[i]);
    }
}

/* ---- the suite ---- */

static int stage_open(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct err err;

    (void)state;
    stage = arena_one(arena, struct stage);
    stage->arena = arena;
    stage->log = log_new(&(struct log_options){ .fd = -1 });
    return loop_open(&stage->loop, &err) ? 0 : -1;
}

static int stage_close(void **state)
{
    (void)state;
    session_pool_close(stage->session_pool);
    log_free(stage->log);
    loop_close(stage->loop);
    arena_free(stage->arena);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_reports_code_and_output),
        CASE(a_listener_gets_no_more_than_he_wants),
        CASE(a_first_key_is_reported_to_be_written_down),
        CASE(one_run_at_a_time_of_a_node),
        CASE(no_more_than_so_many_at_once),
        CASE(a_full_zone_does_not_hold_up_another),
        CASE(who_waits_too_long_is_refused),
        CASE(who_may_wait_has_all_of_its_time_then),
        CASE(who_is_cancelled_while_waiting_is_refused),
        CASE(only_so_many_may_wait),
        CASE(a_session_is_kept_and_closed_when_idle),
        CASE(another_target_is_another_session),
        CASE(full_session_pool_give_up_what_is_idle),
        CASE(a_node_that_refuses_is_left_in_peace),
        CASE(a_host_key_that_is_right_now_is_tried_at_once),
        CASE(another_key_of_the_user_is_tried_at_once),
        CASE(a_process_that_ends_makes_its_calls_unknown),
        CASE(who_had_not_begun_is_tried_with_another),
        CASE(a_session_lost_while_idle_costs_nothing),
        CASE(without_session_pool_there_is_a_reason),
        CASE(a_close_reports_everybody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
