#include "signer/signer.h"

#include "base/limits.h"
#include "ssh/cert.h"
#include "unit.h"

#include <signal.h>

/* The manager's side of the signer, with a real process that is killed during requests. */

#define ROOT "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBNRAttEKJO19avnRdF+5KDY0In1zS7vmp05ZQC38tkw"

enum { TURN_MS = 20, TURNS = 3000, MANY = 200 };

struct world {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct signer *signer;
    struct text sealed; /* the sealed authority that each new process loads */
    size_t begun;
    size_t outcomes[OUTCOME_COUNT];
    enum code code;   /* code of the last failed request */
    struct text last; /* last result: sealed authority or certificate */
    bool asks_again;  /* the client repeats a request whose outcome is unknown */
};

static const char *program;
static char folder[] = "/tmp/reeve-signer-XXXXXX";
static char key[64];
static char book[64];
static struct text principal = { "cluster:acme/a", 14 };

static void ask(struct world *world, enum sign_method method, struct text sealed);

static void reported(void *arg, enum outcome outcome, const struct sign_reply *answer,
                     const struct err *err)
{
    struct world *world = arg;

    world->outcomes[outcome]++;
    if (outcome == OUTCOME_OK) {
        assert_null(err);
        world->last = arena_text(world->arena,
                                 answer->sealed.length > 0 ? answer->sealed : answer->certificate);
    } else {
        assert_null(answer);
        world->code = err->code;
        if (outcome == OUTCOME_UNKNOWN && world->asks_again) {
            world->asks_again = false;
            ask(world, SIGN_CERTIFY, TEXT(""));
        }
    }
}

static void ask(struct world *world, enum sign_method method, struct text sealed)
{
    struct sign_ask question = { .method = method,
                                 .authority = TEXT("acme/a"),
                                 .who = TEXT("tester"),
                                 .sealed = sealed,
                                 .kind = SSH_CERT_USER,
                                 .key = TEXT(ROOT),
                                 .name = TEXT("root"),
                                 .principals = { &principal, 1 } };

    signer_ask(world->signer, &question, reported, world);
}

static void begun(void *arg)
{
    struct world *world = arg;

    world->begun++;
    if (world->sealed.length > 0) {
        ask(world, SIGN_LOAD, world->sealed);
    }
}

static size_t reported_count(const struct world *world)
{
    return world->outcomes[OUTCOME_OK] + world->outcomes[OUTCOME_REFUSED] +
           world->outcomes[OUTCOME_UNKNOWN];
}

static void turn_until_reported(struct world *world, size_t count)
{
    for (size_t i = 0; i < TURNS && reported_count(world) < count; i++) {
        loop_run_once(world->loop, TURN_MS);
    }
    assert_int_equal(reported_count(world), count);
}

static void turn_until_ready(struct world *world)
{
    for (size_t i = 0; i < TURNS && !signer_is_ready(world->signer); i++) {
        loop_run_once(world->loop, TURN_MS);
    }
    assert_true(signer_is_ready(world->signer));
}

static void world_make(struct world *world, uint64_t call_ms)
{
    struct log_options log = { .clock = clock_system(), .fd = -1 };
    struct err err;

    *world = (struct world){ .arena = arena_new(LIMIT_WORK_ARENA_BYTES), .log = log_new(&log) };
    snprintf(key, sizeof(key), "%s/key", folder);
    snprintf(book, sizeof(book), "%s/book", folder);
    assert_true(loop_open(&world->loop, &err));
    struct signer_options options = { .loop = world->loop,
                                      .log = world->log,
                                      .program = program,
                                      .key = key,
                                      .book = book,
                                      .can_make_key = true,
                                      .call_ms = call_ms,
                                      .begun = begun,
                                      .arg = world };
    assert_true(signer_open(&options, &world->signer, &err));
    turn_until_ready(world);
}

/* Creates one authority, which is loaded into this and each later process. */
static void world_fill(struct world *world)
{
    ask(world, SIGN_MAKE, TEXT(""));
    turn_until_reported(world, 1);
    assert_int_equal(world->outcomes[OUTCOME_OK], 1);
    world->sealed = world->last;
    ask(world, SIGN_LOAD, world->sealed);
    turn_until_reported(world, 2);
    assert_int_equal(world->outcomes[OUTCOME_OK], 2);
    memset(world->outcomes, 0, sizeof(world->outcomes));
}

static void world_end(struct world *world)
{
    size_t before;

    signer_close(world->signer);
    before = reported_count(world);
    for (size_t i = 0; i < TURNS && !signer_is_over(world->signer); i++) {
        loop_run_once(world->loop, TURN_MS);
    }
    assert_true(signer_is_over(world->signer));
    assert_int_equal(reported_count(world), before);
    signer_free(world->signer);
    log_free(world->log);
    loop_close(world->loop);
    arena_free(world->arena);
    unlink(key);
    unlink(book);
}

static void test_questions_are_answered_once_and_in_order(void **state)
{
    struct world world;
    struct ssh_cert cert;
    struct err err;

    (void)state;
    world_make(&world, LIMIT_SIGNER_CALL_MS);
    world_fill(&world);
    for (size_t i = 0; i < MANY; i++) {
        ask(&world, SIGN_CERTIFY, TEXT(""));
    }
    assert_int_equal(reported_count(&world), 0); /* no callback is called within a request */
    turn_until_reported(&world, MANY);
    assert_int_equal(world.outcomes[OUTCOME_OK], MANY);
    assert_true(ssh_cert_parse(world.arena, world.last, &cert, &err));
    ask(&world, SIGN_ROTATE, TEXT(""));
    turn_until_reported(&world, MANY + 1);
    assert_int_equal(world.outcomes[OUTCOME_REFUSED], 1);
    assert_int_equal(world.code, CODE_R0750);
    world_end(&world);
}

static void test_a_kill_makes_what_is_open_unknown_and_it_begins_again(void **state)
{
    struct world world;

    (void)state;
    world_make(&world, LIMIT_SIGNER_CALL_MS);
    world_fill(&world);
    kill(-signer_pid(world.signer),
         SIGSTOP); /* with the inner process, which would otherwise answer some or all requests */
    for (size_t i = 0; i < MANY; i++) {
        ask(&world, SIGN_CERTIFY, TEXT(""));
    }
    world.asks_again = true;
    kill(signer_pid(world.signer), SIGKILL);
    /* all open requests; one is repeated, and refused while no process runs */
    turn_until_reported(&world, MANY + 1);
    assert_int_equal(world.outcomes[OUTCOME_UNKNOWN], MANY);
    assert_int_equal(world.outcomes[OUTCOME_REFUSED], 1);
    assert_int_equal(world.code, CODE_R0748);
    turn_until_ready(&world);
    assert_int_equal(world.begun, 2);
    turn_until_reported(&world, MANY + 2); /* the request that loads the authority */
    memset(world.outcomes, 0, sizeof(world.outcomes));
    ask(&world, SIGN_CERTIFY, TEXT(""));
    turn_until_reported(&world, 1);
    assert_int_equal(world.outcomes[OUTCOME_OK], 1);
    world_end(&world);
}

/* No request is sent before the process is stopped, because that request would have to be answered
 * in time too. */
static void test_one_that_does_not_answer_in_time_is_ended(void **state)
{
    struct world world;
    int pid;

    (void)state;
    world_make(&world, 300);
    pid = signer_pid(world.signer);
    /* the inner process would continue, so the whole process group, which the child leads, is
     * stopped */
    kill(-pid, SIGSTOP);
    ask(&world, SIGN_CERTIFY, TEXT(""));
    turn_until_reported(&world, 1);
    assert_int_equal(world.outcomes[OUTCOME_UNKNOWN], 1);
    assert_int_equal(world.code, CODE_R0751);
    turn_until_ready(&world);
    assert_true(signer_pid(world.signer) != pid);
    world_end(&world);
}

static void test_what_is_open_at_the_end_is_unknown(void **state)
{
    struct world world;

    (void)state;
    world_make(&world, LIMIT_SIGNER_CALL_MS);
    world_fill(&world);
    for (size_t i = 0; i < MANY; i++) {
        ask(&world, SIGN_CERTIFY, TEXT(""));
    }
    world_end(&world);
    assert_int_equal(world.outcomes[OUTCOME_UNKNOWN], MANY);
}

static void test_a_program_that_is_not_there_is_said(void **state)
{
    struct world world = { 0 };
    struct signer_options options = { .program = "/nonexistent/reeve-signer",
                                      .key = "/nonexistent/key",
                                      .book = "/nonexistent/book",
                                      .call_ms = 1000,
                                      .begun = begun,
                                      .arg = &world };
    struct log_options log = { .clock = clock_system(), .fd = -1 };
    AUTO(loop) loop = NULL;
    struct err err = { 0 };

    (void)state;
    assert_true(loop_open(&loop, &err));
    options.loop = loop;
    options.log = log_new(&log);
    assert_false(signer_open(&options, &world.signer, &err));
    assert_int_equal(world.begun, 0);
    log_free(options.log);
}

static int folder_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_questions_are_answered_once_and_in_order),
        cmocka_unit_test(test_a_kill_makes_what_is_open_unknown_and_it_begins_again),
        cmocka_unit_test(test_one_that_does_not_answer_in_time_is_ended),
        cmocka_unit_test(test_what_is_open_at_the_end_is_unknown),
        cmocka_unit_test(test_a_program_that_is_not_there_is_said),
    };

    if (argc != 2) {
        return 2;
    }
    program = argv[1];
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("signer/signer", cases, folder_up, folder_down);
}
