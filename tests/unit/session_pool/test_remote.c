/* Messages of a session process are checked as if an attacker controlled it: each invalid message
 * ends this process, and nothing else. */
#include "unit.h"

#include "base/limits.h"
#include "session/transport_parts.h"
#include "session_pool/remote.h"
#include "wire/session_ipc.h"

#include <sys/stat.h>
#include <unistd.h>

enum { TURN_MS = 50, TURNS_MAX = 1200, CALLED = 2 };

static char folder[] = "/tmp/reeve-remote-XXXXXX";

struct fixture {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct transport *transport;
    struct transport_session *session;
    size_t alive;
    char ended[LIMIT_ERROR_TEXT_BYTES];
    bool is_opened;
    enum outcome outcome;
    bool call_has_come;
    enum outcome call_outcome;
    struct transport_answer call_answer;
    size_t output_bytes;
    struct transport_call *call;
    bool is_paused;
    struct text input;
};

static void ended(void *arg, const char *why)
{
    struct fixture *fixture = arg;

    assert_int_equal(fixture->ended[0], '\0');
    snprintf(fixture->ended, sizeof(fixture->ended), "%s", why);
}

static void call_came(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct fixture *fixture = arg;

    assert_false(fixture->call_has_come);
    fixture->call_has_come = true;
    fixture->call_outcome = outcome;
    fixture->call_answer = *answer;
}

static void output_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct fixture *fixture = arg;

    (void)stream;
    fixture->output_bytes += piece.length;
}

/* Records that a call has a number, so that the session process may refer to it. */
static void called_note(struct fixture *fixture)
{
    FILE *file = fopen(arena_printf(fixture->arena, "%s/called", folder).data, "w");

    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void opened(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct fixture *fixture = arg;
    struct transport_command command = { .command = TEXT("true"),
                                         .input = fixture->input,
                                         .deadline_ms = 20000,
                                         .output_max = UINT64_MAX,
                                         .output = output_came };

    (void)answer;
    fixture->is_opened = true;
    fixture->outcome = outcome;
    if (outcome == OUTCOME_OK) {
        fixture->call = transport_exec(fixture->session, &command, call_came, fixture);
        if (fixture->is_paused) {
            transport_pause(fixture->call);
        }
    }
    called_note(fixture);
}

/* Makes a shell script in place of reeve-session, which sends these messages regardless of its
 * input. Before each message it reads some input, and from the third message on it waits for the
 * call, so that numbers exist. Then it waits. */
static struct text program_make(struct fixture *fixture, const struct session_ipc_message *messages,
                                size_t count)
{
    struct text path = arena_printf(fixture->arena, "%s/hand", folder);
    FILE *script = fopen(path.data, "w");

    assert_non_null(script);
    (void)remove(arena_printf(fixture->arena, "%s/called", folder).data);
    fputs("#!/bin/sh\n", script);
    for (size_t i = 0; i < count; i++) {
        struct text name = arena_printf(fixture->arena, "%s/frame%zu", folder, i);
        FILE *frame = fopen(name.data, "w");
        struct text bytes;
        struct buf buf;

        buf_init(&buf, fixture->arena);
        if (messages[i].type != 0) {
            session_ipc_format(&buf, &messages[i]);
        } else {
            buf_add_string(&buf, "\xff\xff\xff\xff");
        }
        bytes = buf_text(&buf);
        assert_non_null(frame);
        assert_int_equal(fwrite(bytes.data, 1, bytes.length, frame), bytes.length);
        assert_int_equal(fclose(frame), 0);
        if (i >= CALLED) {
            fprintf(script, "until [ -e %s/called ]; do sleep 0.01; done\n", folder);
        }
        fprintf(script, "head -c 1 <&3 >/dev/null; cat %s >&3; sleep 0.1\n", name.data);
    }
    fputs("exec cat <&3 >/dev/null\n", script);
    assert_int_equal(fclose(script), 0);
    assert_int_equal(chmod(path.data, 0755), 0);
    return path;
}

static struct session_ipc_message ready(void)
{
    return (struct session_ipc_message){ .type = SESSION_IPC_READY,
                                         .ready = { .version = TEXT("0") } };
}

static struct session_ipc_message opened_ok(void)
{
    return (struct session_ipc_message){ .type = SESSION_IPC_OPENED, .opened = { .session = 1 } };
}

static struct transport_target a_target(void)
{
    return (struct transport_target){ .address = TEXT("192.0.2.1"),
                                      .port = 22,
                                      .user = TEXT("root"),
                                      .key = secret_from(TEXT("key")),
                                      .host_keys = TEXT("ssh-ed25519 AAAA") };
}

/* Starts the process with these messages, and runs until it has ended, the call has ended, or
 * nothing more happens. */
static void play(struct fixture *fixture, const struct session_ipc_message *messages, size_t count,
                 bool is_paused)
{
    struct remote_options options = { .loop = fixture->loop,
                                      .log = fixture->log,
                                      .folder = "/",
                                      .alive = &fixture->alive,
                                      .ended = ended,
                                      .arg = fixture };
    struct transport_target target = a_target();
    struct err err;

    fixture->is_paused = is_paused;
    options.program = program_make(fixture, messages, count).data;
    assert_true(remote_open(&options, &fixture->transport, &err));
    fixture->session = transport_open(fixture->transport, &target, 20000, NULL, opened, fixture);
    for (int i = 0; i < TURNS_MAX && fixture->ended[0] == '\0' && !fixture->call_has_come; i++) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    for (int i = 0; i < 5; i++) {
        loop_run_once(fixture->loop, 1);
    }
}

static struct fixture *fixture_new(void)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct fixture *fixture = arena_one(arena, struct fixture);
    struct err err;

    fixture->arena = arena;
    fixture->log = log_new(&(struct log_options){ .fd = -1 });
    assert_true(loop_open(&fixture->loop, &err));
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    transport_close(fixture->session);
    transport_free(fixture->transport);
    while (fixture->alive > 0) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    loop_close(fixture->loop);
    log_free(fixture->log);
    arena_free(fixture->arena);
}

/* Asserts that the last of these messages ends the process: open sessions are lost, and active
 * calls have an unknown outcome. */
static void assert_lie(const struct session_ipc_message *messages, size_t count, const char *why)
{
    struct fixture *fixture = fixture_new();

    play(fixture, messages, count, false);
    /* these events are reported in later iterations */
    for (int i = 0; i < TURNS_MAX && !(count > 2 ? fixture->call_has_come : fixture->is_opened);
         i++) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    if (strstr(fixture->ended, why) == NULL) {
        print_error("ended: '%s', not '%s'\n", fixture->ended, why);
    }
    assert_non_null(strstr(fixture->ended, why));
    assert_false(transport_is_open(fixture->session));
    if (count > 2) {
        assert_true(fixture->call_has_come);
        assert_int_equal(fixture->call_outcome, OUTCOME_UNKNOWN);
        assert_int_equal(fixture->call_answer.fault, TRANSPORT_FAULT_PROCESS);
    } else {
        assert_true(fixture->is_opened);
        assert_int_equal(fixture->outcome, OUTCOME_REFUSED);
    }
    fixture_free(fixture);
}

static void the_first_word_is_ready_or_failed(void **state)
{
    struct session_ipc_message first[] = { opened_ok() };
    struct session_ipc_message twice[] = { ready(), ready() };
    struct session_ipc_message failed[] = { { .type = SESSION_IPC_FAILED,
                                              .failed = { TEXT("no sandbox") } } };
    struct session_ipc_message noise[] = { { 0 } };

    (void)state;
    assert_lie(first, 1, "an impossible message");
    assert_lie(twice, 2, "an impossible message");
    assert_lie(failed, 1, "no sandbox");
    assert_lie(noise, 1, "the frame has");
}

static void a_session_is_one_that_was_asked_for(void **state)
{
    static const struct session_ipc_opened lies[] = {
        { .session = 2 },
        { .session = 0 },
        { .session = 1, .outcome = OUTCOME_UNKNOWN, .fault = TRANSPORT_FAULT_CUT },
        { .session = 1, .outcome = OUTCOME_OK, .fault = TRANSPORT_FAULT_CUT },
        { .session = 1, .outcome = OUTCOME_REFUSED },
        { .session = 1, .outcome = OUTCOME_COUNT, .fault = TRANSPORT_FAULT_CUT },
        { .session = 1, .outcome = OUTCOME_REFUSED, .fault = TRANSPORT_FAULT_COUNT },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lies); i++) {
        struct session_ipc_message messages[] = {
            ready(), { .type = SESSION_IPC_OPENED, .opened = lies[i] }
        };

        assert_lie(messages, 2, "an impossible message");
    }
}

static void a_call_ends_as_one_can(void **state)
{
    static const struct session_ipc_ended lies[] = {
        { .call = 2 },
        { .call = 1, .code = 256 },
        { .call = 1, .code = -2 },
        { .call = 1, .outcome = OUTCOME_OK, .fault = TRANSPORT_FAULT_CUT },
        { .call = 1, .outcome = OUTCOME_UNKNOWN },
        { .call = 1, .content = { "x", 1 } }, /* the call has no file to get */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lies); i++) {
        struct session_ipc_message messages[] = { ready(),
                                                  opened_ok(),
                                                  { .type = SESSION_IPC_ENDED, .ended = lies[i] } };

        assert_lie(messages, 3, "an impossible message");
    }
}

static void output_belongs_to_a_call(void **state)
{
    struct session_ipc_message messages[] = {
        ready(), opened_ok(), { .type = SESSION_IPC_OUTPUT, .output = { 7, 0, TEXT("x") } }
    };

    (void)state;
    assert_lie(messages, 3, "an impossible message");
    messages[2].output = (struct session_ipc_output){ 1, TRANSPORT_STREAM_COUNT, TEXT("x") };
    assert_lie(messages, 3, "an impossible message");
}

/* The process gets one piece of input for each request, and no more than exist. Requests for more
 * pieces are an attack on the manager's memory. */
static void input_goes_as_it_is_asked_for(void **state)
{
    struct session_ipc_message messages[] = { ready(),
                                              opened_ok(),
                                              { .type = SESSION_IPC_WANT, .want = { 1 } },
                                              { .type = SESSION_IPC_WANT, .want = { 1 } },
                                              { .type = SESSION_IPC_ENDED,
                                                .ended = { .call = 1, .code = 3 } } };
    struct session_ipc_message more[] = { messages[0], messages[1], messages[2], messages[3],
                                          messages[3] };
    struct session_ipc_message unknown[] = { messages[0],
                                             messages[1],
                                             { .type = SESSION_IPC_WANT, .want = { 7 } } };

    (void)state;
    for (int is_lie = 0; is_lie < 2; is_lie++) {
        struct fixture *fixture = fixture_new();

        fixture->input = (struct text){ arena_alloc(fixture->arena, LIMIT_SESSION_PIECE_BYTES + 1),
                                        LIMIT_SESSION_PIECE_BYTES + 1 };
        play(fixture, is_lie != 0 ? more : messages, 5, false);
        assert_int_equal(fixture->ended[0] != '\0', is_lie);
        assert_true(fixture->call_has_come);
        assert_int_equal(fixture->call_outcome, is_lie != 0 ? OUTCOME_UNKNOWN : OUTCOME_OK);
        fixture_free(fixture);
    }
    assert_lie(messages, 3, "an impossible message"); /* the call has no input */
    assert_lie(unknown, 3, "an impossible message");
}

enum { SESSIONS = 2, MANY = SESSIONS * LIMIT_SESSION_CALLS, CANCELLED = MANY - 4 };

static struct {
    struct fixture *fixture;
    struct transport_session *sessions[SESSIONS];
    size_t opened;
    struct transport_call *calls[MANY];
    size_t order[MANY]; /* order in which the calls got their piece */
    size_t given;
    size_t words;
} many;

static void piece_wanted(void *arg)
{
    static const char piece[LIMIT_SESSION_PIECE_BYTES];
    size_t number = (size_t)((struct transport_call **)arg - many.calls);

    many.order[many.given++] = number;
    transport_give(many.calls[number], (struct text){ piece, sizeof(piece) });
}

static void word_came(void *arg, enum transport_stream stream, struct text piece)
{
    (void)arg;
    (void)stream;
    (void)piece;
    many.words++;
}

static void nothing_came(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer;
}

static void many_opened(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    (void)arg;
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    for (size_t i = many.opened * LIMIT_SESSION_CALLS; i < (many.opened + 1) * LIMIT_SESSION_CALLS;
         i++) {
        struct transport_command command = { .command = TEXT("true"),
                                             .input_bytes = LIMIT_SESSION_PIECE_BYTES,
                                             .wants = piece_wanted,
                                             .deadline_ms = 60000,
                                             .output_max = UINT64_MAX,
                                             .output = word_came };

        many.calls[i] =
            transport_exec(many.sessions[many.opened], &command, nothing_came, &many.calls[i]);
    }
    if (++many.opened == SESSIONS) {
        called_note(many.fixture);
    }
}

static void file_put(const char *name, struct text bytes)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.length, file), bytes.length);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Makes a process in which all calls request input, followed by another message. It reads nothing
 * until the file `take` exists. The file `taken` exists when it has read everything. */
static void reluctant_make(struct arena *arena)
{
    struct buf begin;
    struct buf asks;

    buf_init(&begin, arena);
    buf_init(&asks, arena);
    session_ipc_format(&begin, &(struct session_ipc_message){ .type = SESSION_IPC_READY,
                                                              .ready = { .version = TEXT("0") } });
    for (uint64_t i = 1; i <= SESSIONS; i++) {
        session_ipc_format(&begin, &(struct session_ipc_message){ .type = SESSION_IPC_OPENED,
                                                                  .opened = { .session = i } });
    }
    for (uint64_t i = 1; i <= MANY; i++) {
        session_ipc_format(
            &asks, &(struct session_ipc_message){ .type = SESSION_IPC_WANT, .want = { i } });
    }
    session_ipc_format(&asks, &(struct session_ipc_message){ .type = SESSION_IPC_OUTPUT,
                                                             .output = { 1, 0, TEXT("x") } });
    file_put("begin", buf_text(&begin));
    file_put("asks", buf_text(&asks));
    file_put("hand", TEXT("#!/bin/sh\ncd \"${0%/*}\"; rm -f called take taken\n"
                          "head -c 1 <&3 >/dev/null; cat begin >&3\n"
                          "until [ -e called ]; do sleep 0.01; done; cat asks >&3\n"
                          "until [ -e take ]; do sleep 0.01; done\n"
                          "until dd iflag=nonblock bs=64k <&3 >/dev/null 2>&1; do : >taken; "
                          "sleep 0.01; done\n"));
}

/* Waits until the process has read everything that was sent so far. */
static void taken_wait(void)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/taken", folder);
    for (int i = 0; i < TURNS_MAX && access(path, F_OK) != 0; i++) {
        assert_int_equal(usleep(TURN_MS * 1000), 0);
    }
    assert_int_equal(access(path, F_OK), 0);
}

/* Pieces for all nodes at the same time would need megabytes, so input that cannot be sent yet is
 * not read from its source. */
static void input_waits_until_it_is_taken(void **state)
{
    struct fixture *fixture = fixture_new();
    struct remote_options options = { .loop = fixture->loop,
                                      .program =
                                          arena_printf(fixture->arena, "%s/hand", folder).data,
                                      .log = fixture->log,
                                      .folder = "/",
                                      .alive = &fixture->alive,
                                      .ended = ended,
                                      .arg = fixture };
    struct transport_target target = a_target();
    struct err err;

    (void)state;
    memset(&many, 0, sizeof(many));
    many.fixture = fixture;
    reluctant_make(fixture->arena);
    assert_true(remote_open(&options, &fixture->transport, &err));
    for (size_t i = 0; i < SESSIONS; i++) {
        many.sessions[i] =
            transport_open(fixture->transport, &target, 60000, NULL, many_opened, NULL);
    }
    while (many.words == 0 && fixture->ended[0] == '\0') {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_string_equal(fixture->ended, "");
    assert_true(many.given > 0 && many.given < CANCELLED);
    file_put("take", TEXT(""));
    taken_wait();
    transport_cancel(
        many.calls
            /* this call has requested input and is cancelled before it gets it; the message after
             * that lets everything continue */
            [CANCELLED]);
    while (many.given < MANY - 1 && fixture->ended[0] == '\0') {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_string_equal(fixture->ended, "");
    for (size_t i = 0; i < MANY - 1; i++) {
        assert_int_equal(many.order[i], i < CANCELLED ? i : i + 1);
    }
    for (size_t i = 1; i < SESSIONS; i++) {
        transport_close(many.sessions[i]);
    }
    fixture->session = many.sessions[0];
    fixture_free(fixture);
}

/* A paused call receives at most the window. */
static void output_keeps_to_its_window(void **state)
{
    struct fixture *fixture = fixture_new();
    struct text much = { arena_alloc(fixture->arena, LIMIT_SESSION_WINDOW_BYTES * 2 + 1),
                         LIMIT_SESSION_WINDOW_BYTES * 2 + 1 };
    struct session_ipc_message messages[] = {
        ready(), opened_ok(), { .type = SESSION_IPC_OUTPUT, .output = { 1, 0, much } }
    };

    (void)state;
    play(fixture, messages, 3, true);
    assert_non_null(strstr(fixture->ended, "an impossible message"));
    assert_int_equal(fixture->output_bytes, 0);
    fixture_free(fixture);
}

/* The control: the same sequence with only valid messages succeeds. */
static void the_truth_is_believed(void **state)
{
    struct fixture *fixture = fixture_new();
    struct session_ipc_message messages[] = {
        ready(),
        opened_ok(),
        { .type = SESSION_IPC_OUTPUT, .output = { 1, 0, TEXT("x") } },
        { .type = SESSION_IPC_ENDED, .ended = { .call = 1, .code = 3 } },
    };

    (void)state;
    play(fixture, messages, 4, false);
    assert_string_equal(fixture->ended, "");
    assert_true(fixture->call_has_come);
    assert_int_equal(fixture->call_outcome, OUTCOME_OK);
    assert_int_equal(fixture->call_answer.code, 3);
    assert_int_equal(fixture->output_bytes, 1);
    assert_true(transport_is_open(fixture->session));
    assert_int_equal(secret_reveal(fixture->session->target.key).length,
                     0); /* no copy remains in this process */
    fixture_free(fixture);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_end(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_word_is_ready_or_failed),
        cmocka_unit_test(a_session_is_one_that_was_asked_for),
        cmocka_unit_test(a_call_ends_as_one_can),
        cmocka_unit_test(output_belongs_to_a_call),
        cmocka_unit_test(input_goes_as_it_is_asked_for),
        cmocka_unit_test(input_waits_until_it_is_taken),
        cmocka_unit_test(output_keeps_to_its_window),
        cmocka_unit_test(the_truth_is_believed),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_end);
}
