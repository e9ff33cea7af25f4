/* The session pool with real reeve-session and sshd processes: test_processes REEVE-HAND [HOSTS].
 * REEVE-HAND is the path of reeve-session. */
#include "unit.h"

#include "base/buf.h"
#include "session_pool/processes.h"
#include "ssh_env.h"
#include "sys/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { HOSTS = 12, TURN_MS = 100, WAIT_MS = 120000, DEADLINE_MS = 60000, PIDS = 8 };
/* files per writer; in total fewer than the number of attempts to remove the folder */
enum { WRITERS = 4, FILES = 200 };

static char *program;
static size_t hosts = HOSTS;

struct fixture {
    struct ssh_env *env;
    struct loop *loop;
    struct log *log;
    struct session_processes *processes;
    struct session_pool *session_pool;
    size_t alive;
};

struct reply {
    bool has_come;
    enum outcome outcome;
    enum transport_fault fault;
    int code;
    char message[256];
    char out[64];
};

static void came(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct reply *reply = arg;

    assert_false(reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->fault = result->answer.fault;
    reply->code = result->answer.code;
    snprintf(reply->message, sizeof(reply->message), "%.*s", TEXT_ARG(result->answer.message));
    snprintf(reply->out, sizeof(reply->out), "%.*s", TEXT_ARG(result->output[TRANSPORT_OUT]));
}

static void begin(struct fixture *fixture, size_t host, bool is_openssh, const char *command,
                  struct reply *reply)
{
    struct ssh_env *env = fixture->env;
    struct session_run_spec order = { .node = ssh_env_address(env, host),
                                      .zone = TEXT("a"),
                                      .target = { .address = ssh_env_address(env, host),
                                                  .port = env->port,
                                                  .user = env->user,
                                                  .key = secret_from(env->key),
                                                  .host_keys = env->host_keys[host] },
                                      .command = text_from(command),
                                      .deadline_ms = DEADLINE_MS };

    if (is_openssh) {
        order.target.exchange = TRANSPORT_SNTRUP761;
    }
    *reply = (struct reply){ 0 };
    assert_non_null(session_pool_run(fixture->session_pool, &order, came, reply));
}

static void wait_all(struct fixture *fixture, const struct reply *replies, size_t count)
{
    uint64_t end = loop_now_ms(fixture->loop) + WAIT_MS;

    for (size_t i = 0; i < count; i++) {
        while (!replies[i].has_come && loop_now_ms(fixture->loop) < end) {
            loop_run_once(fixture->loop, TURN_MS);
        }
        assert_true(replies[i].has_come);
    }
}

static void assert_ran(const struct reply *reply, const char *out)
{
    if (reply->outcome != OUTCOME_OK) {
        print_error("%s: %s\n", transport_fault_name(reply->fault), reply->message);
    }
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->code, 0);
    assert_string_equal(reply->out, out);
}

static void a_command_runs_on_every_host(void **state)
{
    struct fixture *fixture = *state;
    struct reply *replies = arena_array(fixture->env->arena, struct reply, hosts);

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < hosts; i++) {
            begin(fixture, i, false, "true", &replies[i]);
        }
        wait_all(fixture, replies, hosts);
        for (size_t i = 0; i < hosts; i++) {
            assert_ran(&replies[i], "");
        }
    }
    assert_int_equal(session_pool_state(fixture->session_pool).opened,
                     hosts); /* each session has run both commands */
    assert_int_equal(session_pool_state(fixture->session_pool).sessions, hosts);
}

static void both_kinds_of_session_pool(void **state)
{
    struct fixture *fixture = *state;
    struct reply replies[2];

    begin(fixture, 0, false, "echo a", &replies[0]);
    begin(fixture, 1, true, "echo b", &replies[1]);
    wait_all(fixture, replies, 2);
    assert_ran(&replies[0], "a\n");
    assert_ran(&replies[1], "b\n");
    assert_int_equal(session_pool_state(fixture->session_pool).session_pool, 2);
}

/* Active runs have an unknown outcome; the next run uses another process. */
static void a_killed_process_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct text mark = ssh_env_path(fixture->env, "begun");
    struct reply replies[2];
    char command[128];
    int pids[PIDS];

    snprintf(command, sizeof(command), "touch %s; sleep 60", mark.data);
    for (int kind = 0; kind < 2; kind++) {
        unlink(mark.data);
        begin(fixture, 0, kind != 0, command, &replies[0]);
        while (access(mark.data, F_OK) != 0) {
            assert_false(replies[0].has_come);
            loop_run_once(fixture->loop, 10);
        }
        assert_int_equal(session_pool_processes_pids(fixture->processes, pids, PIDS), 1);
        kill(pids[0], SIGKILL);
        wait_all(fixture, replies, 1);
        assert_int_equal(replies[0].outcome, OUTCOME_UNKNOWN);
        assert_int_equal(replies[0].fault, TRANSPORT_FAULT_PROCESS);
        begin(fixture, 0, false, "echo again", &replies[1]);
        wait_all(fixture, replies, 2);
        assert_ran(&replies[1], "again\n");
        session_pool_close(fixture->session_pool);
        fixture->session_pool = NULL;
        assert_true(session_pool_open(
            &(struct session_pool_options){ .loop = fixture->loop,
                                            .log = fixture->log,
                                            .random = random_system(),
                                            .maker =
                                                session_pool_processes_maker(fixture->processes),
                                            .limits = session_pool_limits_usual() },
            &fixture->session_pool, &(struct err){ 0 }));
    }
}

/* Keys do not remain on the disk. */
static void nothing_is_left_in_the_folder(void **state)
{
    struct fixture *fixture = *state;
    struct text folder = ssh_env_path(fixture->env, "hands");
    struct reply reply;
    struct stat status;
    char path[128];

    begin(fixture, 0, true, "true", &reply);
    wait_all(fixture, &reply, 1);
    assert_ran(&reply, "");
    snprintf(path, sizeof(path), "%s/0", folder.data);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    snprintf(path, sizeof(path), "%s/0/1k", folder.data);
    assert_int_not_equal(stat(path, &status), 0); /* the file was read and removed */
    session_pool_close(fixture->session_pool);
    fixture->session_pool = NULL;
    assert_int_equal(rmdir(folder.data), 0); /* the folder is empty */
}

/* A session process that continues to write, as when it is killed while it opens sessions, for a
 * limited time. */
static void write_on(const char *path)
{
    int made = 0;
    bool goes_on = true;

    while (goes_on) { /* until the folder is gone, or was removed often enough */
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        made += file >= 0;
        goes_on = made < FILES && (file >= 0 || errno == EEXIST);
        if (file >= 0) {
            close(file);
        }
    }
    _exit(0);
}

static pid_t writer_start(const char *path)
{
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        write_on(path);
    }
    return child;
}

static void what_is_written_to_the_last_goes_as_well(void **state)
{
    struct fixture *fixture = *state;
    struct text folder = ssh_env_path(fixture->env, "hands");
    struct reply reply;
    char path[128];
    pid_t writers[WRITERS];
    bool is_gone;

    begin(fixture, 0, false, "true", &reply);
    wait_all(fixture, &reply, 1);
    assert_ran(&reply, "");
    snprintf(path, sizeof(path), "%s/0/late", folder.data);
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i] = writer_start(path);
    }
    while (access(path, F_OK) != 0) {
        loop_run_once(fixture->loop, 1);
    }
    session_pool_close(fixture->session_pool);
    fixture->session_pool = NULL;
    is_gone = rmdir(folder.data) == 0;
    for (size_t i = 0; i < WRITERS; i++) {
        kill(writers[i], SIGKILL);
        assert_int_equal(waitpid(writers[i], NULL, 0), writers[i]);
    }
    assert_true(is_gone);
}

/* ---- the suite ---- */

static int fixture_open(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct err err;

    assert_non_null(fixture);
    fixture->env = ssh_env_open(hosts);
    fixture->log = log_new(&(struct log_options){ .fd = STDERR_FILENO });
    assert_true(loop_open(&fixture->loop, &err));
    assert_true(session_pool_processes_open(
        &(struct session_pool_processes_options){ .loop = fixture->loop,
                                                  .log = fixture->log,
                                                  .program = program,
                                                  .folder =
                                                      ssh_env_path(fixture->env, "hands").data,
                                                  .alive = &fixture->alive },
        &fixture->processes, &err));
    assert_true(session_pool_open(
        &(struct session_pool_options){ .loop = fixture->loop,
                                        .log = fixture->log,
                                        .random = random_system(),
                                        .maker = session_pool_processes_maker(fixture->processes),
                                        .limits = session_pool_limits_usual() },
        &fixture->session_pool, &err));
    *state = fixture;
    return 0;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    session_pool_close(fixture->session_pool);
    session_pool_processes_close(fixture->processes);
    while (fixture->alive > 0) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    loop_close(fixture->loop);
    log_free(fixture->log);
    ssh_env_close(fixture->env);
    free(fixture);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(a_command_runs_on_every_host),
        CASE(both_kinds_of_session_pool),
        CASE(a_killed_process_is_replaced),
        CASE(nothing_is_left_in_the_folder),
        CASE(what_is_written_to_the_last_goes_as_well),
    };

    int failed;

    if (argc < 2) {
        return 2;
    }
    program = realpath(argv[1], NULL);
    if (argc > 2) {
        hosts = (size_t)strtoul(argv[2], NULL, 10);
        cmocka_set_test_filter("a_command*");
    }
    stream_prepare();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(program);
    return failed;
}
