/* Tests a driver against the contract of session/transport.h, with real sshd processes. Usage:
 * contract_transport libssh|openssh|hand-libssh|hand-openssh REEVE-HAND [CASE]. REEVE-HAND is the
 * path of reeve-session. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "session/libssh.h"
#include "session/openssh.h"
#include "session_pool/remote.h"
#include "ssh_env.h"
#include "sys/digest.h"
#include "sys/stream.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    WAIT_MS = 60000,
    TURN_MS = 100,
    CALL_MS = 30000,
    IDLE_MS = 300,
    SHORT_MS = 300,
    STILL_MS = 3000,
    HOSTS = 2,
    PUTS = 12,
    SESSIONS_MAX = 8,
};

static const char *driver_name;
static char *program;
static struct ssh_env *env;
static bool is_over; /* the case */

/* ---- asking and waiting ---- */

struct fixture {
    struct arena *arena;
    struct loop *loop;
    struct transport *transport;
    struct transport_session *sessions[SESSIONS_MAX];
    struct log *log;
    size_t alive; /* number of running processes */
};

struct reply {
    struct arena *arena;
    bool has_come;
    bool call_has_returned;
    bool is_lost;
    enum outcome outcome;
    struct transport_answer answer;
    struct buf out[TRANSPORT_STREAM_COUNT];
    size_t pieces;
    size_t longest;
    bool is_torn; /* a received piece was not a complete line */
    bool is_paused_at_once;
    struct text input; /* input that was not passed yet */
    size_t asked;      /* number of times that a piece of input was requested */
    bool is_asked;
    bool is_input_held;
    struct transport_call *call;
    enum transport_fault lost_for;
};

static struct text copy(struct reply *reply, struct text text)
{
    return arena_text(reply->arena, text);
}

static void came(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct reply *reply = arg;

    if (is_over) {
        return;
    }
    assert_true(reply->call_has_returned);
    assert_false(reply->has_come);
    reply->has_come = true;
    reply->outcome = outcome;
    reply->answer = *answer;
    reply->answer.message = text_from(arena_string(reply->arena, answer->message));
    reply->answer.host_key = copy(reply, answer->host_key);
    reply->answer.signal = copy(reply, answer->signal);
    reply->answer.content = copy(reply, answer->content);
}

static void lost(void *arg, enum transport_fault fault, struct text why)
{
    struct reply *reply = arg;

    (void)why;
    assert_false(reply->is_lost);
    reply->is_lost = true;
    reply->lost_for = fault;
}

static void piece_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct reply *reply = arg;

    assert_true(piece.length > 0);
    assert_false(reply->has_come);
    reply->pieces++;
    reply->longest = piece.length > reply->longest ? piece.length : reply->longest;
    reply->is_torn = reply->is_torn || piece.data[piece.length - 1] != '\n';
    buf_add(&reply->out[stream], piece);
    if (reply->is_paused_at_once) {
        transport_pause(reply->call);
    }
}

static struct reply *reply_new(struct fixture *fixture)
{
    struct reply *reply = arena_one(fixture->arena, struct reply);

    reply->arena = fixture->arena;
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        buf_init(&reply->out[i], fixture->arena);
    }
    return reply;
}

static void turns(struct fixture *fixture, const bool *until)
{
    uint64_t end = loop_now_ms(fixture->loop) + WAIT_MS;

    while (!*until && loop_now_ms(fixture->loop) < end) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_true(*until);
}

static struct reply *wait_for(struct fixture *fixture, struct reply *reply)
{
    reply->call_has_returned = true;
    turns(fixture, &reply->has_come);
    return reply;
}

/* Runs iterations for a time, so that a wrong event would have time to arrive. */
static void idle(struct fixture *fixture, uint64_t ms)
{
    uint64_t end = loop_now_ms(fixture->loop) + ms;

    while (loop_now_ms(fixture->loop) < end) {
        loop_run_once(fixture->loop, 10);
    }
}

static struct transport_target target_of(size_t host)
{
    return (struct transport_target){ .address = ssh_env_address(env, host),
                                      .port = env->port,
                                      .user = env->user,
                                      .key = secret_from(env->key),
                                      .host_keys = env->host_keys[host] };
}

/* Registers a session, so that it is closed even if the test case fails. */
static void session_keep(struct fixture *fixture, struct transport_session *session)
{
    size_t i = 0;

    while (fixture->sessions[i] != NULL) {
        i++;
        assert_true(i < SESSIONS_MAX);
    }
    fixture->sessions[i] = session;
}

static void session_end(struct fixture *fixture, struct transport_session *session)
{
    size_t i = 0;

    while (fixture->sessions[i] != session) {
        i++;
        assert_true(i < SESSIONS_MAX);
    }
    fixture->sessions[i] = NULL;
    transport_close(session);
}

static struct reply *open_with(struct fixture *fixture, const struct transport_target *target,
                               uint64_t deadline_ms, struct transport_session **out)
{
    struct reply *reply = reply_new(fixture);

    *out = transport_open(fixture->transport, target, deadline_ms, lost, came, reply);
    session_keep(fixture, *out);
    return wait_for(fixture, reply);
}

/* Opens a session. *out is a reply that reports the loss of the session. */
static struct transport_session *open_good(struct fixture *fixture, struct reply **out)
{
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply = open_with(fixture, &target, CALL_MS, &session);

    if (reply->outcome != OUTCOME_OK) {
        print_error("%s\n", reply->answer.message.data);
    }
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_true(transport_is_open(session));
    if (out != NULL) {
        *out = reply;
    }
    return session;
}

/* Checks that opening a session fails with this reason. */
static void assert_not_opened(struct fixture *fixture, const struct transport_target *target,
                              uint64_t deadline_ms, enum transport_fault fault)
{
    struct transport_session *session;
    struct reply *reply = open_with(fixture, target, deadline_ms, &session);

    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    if (reply->answer.fault != fault) {
        print_error("%s: %s\n", transport_fault_name(reply->answer.fault),
                    reply->answer.message.data);
    }
    assert_int_equal(reply->answer.fault, fault);
    assert_true(reply->answer.message.length > 0);
    assert_false(transport_is_open(session));
    assert_false(reply->is_lost);
    session_end(fixture, session);
}

static struct reply *begin(struct fixture *fixture, struct transport_session *session,
                           struct transport_command command)
{
    struct reply *reply = reply_new(fixture);

    command.deadline_ms = command.deadline_ms == 0 ? CALL_MS : command.deadline_ms;
    command.output_max = command.output_max == 0 ? UINT64_MAX : command.output_max;
    command.output = piece_came;
    reply->call = transport_exec(session, &command, came, reply);
    reply->call_has_returned = true;
    return reply;
}

static struct reply *run(struct fixture *fixture, struct transport_session *session,
                         const char *command)
{
    return wait_for(fixture, begin(fixture, session,
                                   (struct transport_command){ .command = text_from(command) }));
}

static void assert_code(const struct reply *reply, int code)
{
    if (reply->outcome != OUTCOME_OK) {
        print_error("%s: %s\n", transport_fault_name(reply->answer.fault),
                    reply->answer.message.data);
    }
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_NONE);
    assert_int_equal(reply->answer.code, code);
}

static void assert_text_is(struct text actual, const char *expected)
{
    assert_int_equal(actual.length, strlen(expected));
    assert_memory_equal(actual.data, expected, actual.length);
}

/* Returns bytes of all values, the same for each run. */
static struct text noise(struct fixture *fixture, size_t bytes)
{
    char *data = arena_alloc(fixture->arena, bytes);
    uint32_t state = 2463534242u;

    for (size_t i = 0; i < bytes; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        data[i] = (char)(state & 0xff);
    }
    return (struct text){ data, bytes };
}

/* ---- commands ---- */

static void output_is_all_that_was_written(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply = run(fixture, session, "true");

    assert_code(reply, 0);
    assert_int_equal(reply->answer.bytes[TRANSPORT_OUT] + reply->answer.bytes[TRANSPORT_ERROR], 0);
    assert_int_equal(reply->pieces, 0);
    reply = run(fixture, session, "printf x");
    assert_code(reply, 0);
    assert_text_is(buf_text(&reply->out[TRANSPORT_OUT]), "x");
    assert_int_equal(reply->answer.bytes[TRANSPORT_OUT], 1);
    reply = run(fixture, session, "printf 'one\\n'; printf 'two' >&2; exit 3");
    assert_code(reply, 3);
    assert_text_is(buf_text(&reply->out[TRANSPORT_OUT]), "one\n");
    assert_text_is(buf_text(&reply->out[TRANSPORT_ERROR]), "two");
    session_end(fixture, session);
}

static void much_output_comes_whole(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply = run(fixture, session, "head -c 10000000 /dev/zero | tr '\\0' 'a'");
    struct text out = buf_text(&reply->out[TRANSPORT_OUT]);

    assert_code(reply, 0);
    assert_int_equal(out.length, 10000000);
    assert_true(out.data[0] == 'a' && memcmp(out.data, out.data + 1, out.length - 1) == 0);
    session_end(fixture, session);
}

static void input_comes_back_byte_by_byte(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text bytes = noise(fixture, LIMIT_SESSION_INPUT_BYTES);
    struct reply *reply = wait_for(
        fixture, begin(fixture, session,
                       (struct transport_command){ .command = TEXT("cat"), .input = bytes }));
    struct text out = buf_text(&reply->out[TRANSPORT_OUT]);

    assert_code(reply, 0);
    assert_int_equal(out.length, bytes.length);
    assert_memory_equal(out.data, bytes.data, bytes.length);
    /* without input the command gets end of file immediately; with input that no command reads, the
     * command still ends */
    assert_code(run(fixture, session, "cat"), 0);
    reply = wait_for(
        fixture, begin(fixture, session,
                       (struct transport_command){ .command = TEXT("exec true"), .input = bytes }));
    assert_code(reply, 0);
    session_end(fixture, session);
}

static void piece_give(struct reply *reply)
{
    struct text piece = text_slice(reply->input, 0, LIMIT_SESSION_PIECE_BYTES);

    reply->input = text_slice(reply->input, piece.length, reply->input.length);
    transport_give(reply->call, piece);
}

static void wanted(void *arg)
{
    struct reply *reply = arg;

    assert_true(reply->call_has_returned);
    assert_true(reply->input.length > 0);
    reply->asked++;
    reply->is_asked = true;
    if (!reply->is_input_held) {
        piece_give(reply);
    }
}

/* Runs a command whose input is requested piece by piece. */
static struct reply *feed(struct fixture *fixture, struct transport_session *session,
                          const char *words, struct text input, bool is_held)
{
    struct reply *reply = reply_new(fixture);
    struct transport_command command = { .command = text_from(words),
                                         .input_bytes = input.length,
                                         .wants = wanted,
                                         .deadline_ms = CALL_MS,
                                         .output_max = UINT64_MAX,
                                         .output = piece_came };

    reply->input = input;
    reply->is_input_held = is_held;
    reply->call = transport_exec(session, &command, came, reply);
    reply->call_has_returned = true;
    return reply;
}

/* Each piece is requested once, and only after the previous piece was sent. */
static void input_comes_in_pieces(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text bytes = noise(fixture, LIMIT_SESSION_INPUT_BYTES);
    struct reply *reply = wait_for(fixture, feed(fixture, session, "cat", bytes, false));
    struct text out = buf_text(&reply->out[TRANSPORT_OUT]);

    assert_code(reply, 0);
    assert_int_equal(out.length, bytes.length);
    assert_memory_equal(out.data, bytes.data, bytes.length);
    assert_int_equal(reply->asked, (LIMIT_SESSION_INPUT_BYTES + LIMIT_SESSION_PIECE_BYTES - 1) /
                                       LIMIT_SESSION_PIECE_BYTES);
    /* a command that must wait for the next piece gets no end of file */
    reply = feed(fixture, session, "cat", TEXT("late"), true);
    turns(fixture, &reply->is_asked);
    idle(fixture, IDLE_MS);
    assert_false(reply->has_come);
    assert_int_equal(reply->asked, 1);
    piece_give(reply);
    assert_code(wait_for(fixture, reply), 0);
    assert_text_is(buf_text(&reply->out[TRANSPORT_OUT]), "late");
    session_end(fixture, session);
}

/* Only as much input is requested as the windows of the connection can hold. Other sessions
 * continue meanwhile. */
static void a_node_that_takes_no_input_is_not_given_more(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text bytes = noise(fixture, LIMIT_SESSION_INPUT_BYTES);
    struct reply *stuck = feed(fixture, session, "exec sleep 60", bytes, false);

    turns(fixture, &stuck->is_asked);
    for (int i = 0; i < CALL_MS / (4 * IDLE_MS) && stuck->asked <= 1; i++) {
        idle(fixture, 4 * IDLE_MS);
    }
    assert_true(stuck->asked > 1 && stuck->input.length > 0);
    idle(fixture, 4 * IDLE_MS);
    assert_true(stuck->input.length > 0);
    assert_code(run(fixture, session, "true"), 0);
    transport_cancel(stuck->call);
    wait_for(fixture, stuck);
    assert_int_equal(stuck->answer.fault, TRANSPORT_FAULT_CANCELLED);
    session_end(fixture, session);
}

/* A command that waits for input can be cancelled, and its session can be closed. */
static void input_that_never_comes_holds_nobody(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply = feed(fixture, session, "cat", TEXT("never"), true);

    turns(fixture, &reply->is_asked);
    transport_cancel(reply->call);
    wait_for(fixture, reply);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_CANCELLED);
    reply = feed(fixture, session, "cat", TEXT("never"), true);
    turns(fixture, &reply->is_asked);
    session_end(fixture, session);
    assert_true(reply->has_come);
}

static void every_exit_code_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    static const int codes[] = { 0, 1, 2, 42, 81, 126, 127, 128, 137, 254, 255 };

    for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
        struct text command = arena_printf(fixture->arena, "exit %d", codes[i]);

        assert_code(run(fixture, session, command.data), codes[i]);
    }
    session_end(fixture, session);
}

static void a_signal_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply = run(fixture, session, "kill -TERM $$");

    if (transport_traits(fixture->transport).has_signal_names) {
        assert_code(reply, -1);
        assert_text_is(reply->answer.signal, "TERM");
    } else {
        assert_code(reply, 128 + 15);
        assert_int_equal(reply->answer.signal.length, 0);
    }
    session_end(fixture, session);
}

static void what_is_above_the_bound_is_counted(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply =
        wait_for(fixture, begin(fixture, session,
                                (struct transport_command){
                                    .command = TEXT("head -c 2000000 /dev/zero; echo abcdefgh >&2"),
                                    .output_max = 5 }));

    assert_code(reply, 0);
    assert_int_equal(buf_text(&reply->out[TRANSPORT_OUT]).length, 5);
    assert_text_is(buf_text(&reply->out[TRANSPORT_ERROR]), "abcde");
    assert_int_equal(reply->answer.bytes[TRANSPORT_OUT], 2000000);
    assert_int_equal(reply->answer.dropped[TRANSPORT_OUT], 2000000 - 5);
    assert_int_equal(reply->answer.dropped[TRANSPORT_ERROR], 4);
    session_end(fixture, session);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void file_make(struct text path)
{
    FILE *file = fopen(path.data, "w");

    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

/* Waits until this number of output pieces has arrived. */
static void pieces_wait(struct fixture *fixture, const struct reply *reply, size_t count)
{
    uint64_t end = loop_now_ms(fixture->loop) + CALL_MS;

    while (reply->pieces < count && !reply->has_come && loop_now_ms(fixture->loop) < end) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    assert_true(reply->pieces >= count);
}

/* Lines that arrive together may be one piece, so each line is written only after the previous line
 * was reported. */
static void lines_come_whole(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text reported = ssh_env_path(env, "told");
    struct transport_command command = {
        .command = arena_printf(fixture->arena,
                                "for i in 1 2 3; do printf 'ab'; sleep 0.05; echo \"c$i\"; "
                                "until [ -e %s$i ]; do sleep 0.01; done; done",
                                reported.data),
        .is_linewise = true
    };
    struct reply *reply = begin(fixture, session, command);

    for (size_t i = 1; i <= 3; i++) {
        pieces_wait(fixture, reply, i);
        assert_int_equal(reply->pieces, i);
        file_make(arena_printf(fixture->arena, "%s%zu", reported.data, i));
    }
    assert_code(wait_for(fixture, reply), 0);
    assert_false(reply->is_torn);
    assert_int_equal(reply->pieces, 3);
    assert_text_is(buf_text(&reply->out[TRANSPORT_OUT]), "abc1\nabc2\nabc3\n");
    /* a line without a line end, and a line that is too long */
    command.command = TEXT("head -c 20000 /dev/zero | tr '\\0' x; echo; printf end");
    reply = wait_for(fixture, begin(fixture, session, command));
    assert_int_equal(reply->pieces, 3);
    assert_int_equal(reply->longest, LIMIT_SESSION_LINE_BYTES);
    assert_int_equal(buf_text(&reply->out[TRANSPORT_OUT]).length, 20004);
    session_end(fixture, session);
}

/* The output of a paused command is not buffered without limit; after the pause, all of it
 * arrives. */
static void a_pause_holds_the_command_up(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text mark = ssh_env_path(env, "written");
    struct text command = arena_printf(
        fixture->arena, "rm -f %s; head -c 30000000 /dev/zero; touch %s", mark.data, mark.data);
    struct reply *reply = begin(fixture, session, (struct transport_command){ .command = command });
    size_t before;

    reply->is_paused_at_once = true;
    pieces_wait(fixture, reply, 1);
    idle(fixture, 800);
    assert_false(reply->has_come);
    assert_false(is_there(mark.data));
    before = reply->out[TRANSPORT_OUT].length;
    idle(fixture, 200);
    assert_int_equal(reply->out[TRANSPORT_OUT].length, before);
    assert_true(before < 4000000);
    reply->is_paused_at_once = false;
    transport_resume(reply->call);
    wait_for(fixture, reply);
    assert_code(reply, 0);
    assert_true(is_there(mark.data));
    assert_int_equal(reply->out[TRANSPORT_OUT].length, 30000000);
    session_end(fixture, session);
}

static void two_run_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text pipe = ssh_env_path(env, "pipe");
    struct text first = arena_printf(fixture->arena, "mkfifo %s; read a <%s; echo \"got $a\"",
                                     pipe.data, pipe.data);
    struct text second =
        arena_printf(fixture->arena, "while [ ! -p %s ]; do sleep 0.01; done; echo word >%s; rm %s",
                     pipe.data, pipe.data, pipe.data);
    struct reply *reader = begin(fixture, session, (struct transport_command){ .command = first });
    struct reply *writer = begin(fixture, session, (struct transport_command){ .command = second });

    assert_code(wait_for(fixture, writer), 0);
    assert_code(wait_for(fixture, reader), 0);
    assert_text_is(buf_text(&reader->out[TRANSPORT_OUT]), "got word\n");
    session_end(fixture, session);
}

static void too_many_calls_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *replies[LIMIT_SESSION_CALLS + 1];

    for (size_t i = 0; i <= LIMIT_SESSION_CALLS; i++) {
        replies[i] = begin(fixture, session, (struct transport_command){ .command = TEXT("true") });
    }
    wait_for(fixture, replies[LIMIT_SESSION_CALLS]);
    assert_int_equal(replies[LIMIT_SESSION_CALLS]->outcome, OUTCOME_REFUSED);
    assert_int_equal(replies[LIMIT_SESSION_CALLS]->answer.fault, TRANSPORT_FAULT_LIMIT);
    for (size_t i = 0; i < LIMIT_SESSION_CALLS; i++) {
        assert_code(wait_for(fixture, replies[i]), 0);
    }
    session_end(fixture, session);
}

/* ---- ends ---- */

/* A command that was not sent to a slow node before its deadline is refused. So the deadline is
 * extended until the command has begun. */
static void a_deadline_ends_the_waiting(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    uint64_t deadline_ms = SHORT_MS;
    struct reply *reply;
    struct text mark;

    do {
        struct transport_command command = { .deadline_ms = deadline_ms };

        mark = arena_printf(fixture->arena, "%s/begun-%" PRIu64, env->folder, deadline_ms);
        command.command = arena_printf(fixture->arena, "touch %s; sleep 60", mark.data);
        reply = wait_for(fixture, begin(fixture, session, command));
        assert_int_not_equal(reply->outcome, OUTCOME_OK);
        assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_LATE);
        deadline_ms *= 2;
    } while (!is_there(mark.data) && deadline_ms < CALL_MS);
    assert_true(is_there(mark.data));
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    assert_code(run(fixture, session, "true"), 0); /* the session is still usable */
    session_end(fixture, session);
}

static void what_is_cancelled_is_reported_once(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply =
        begin(fixture, session, (struct transport_command){ .command = TEXT("echo on; sleep 60") });

    while (reply->pieces == 0) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    transport_cancel(reply->call);
    assert_false(reply->has_come);
    wait_for(fixture, reply);
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_CANCELLED);
    assert_code(run(fixture, session, "true"), 0);
    session_end(fixture, session);
}

/* Kills sshd's process for this connection, which is the parent of the shell or above it. */
static void a_cut_is_unknown_and_the_session_lost(void **state)
{
    struct fixture *fixture = *state;
    struct reply *opened;
    struct transport_session *session = open_good(fixture, &opened);
    struct reply *reply =
        begin(fixture, session,
              (struct transport_command){
                  /* find the process of this session: sshd, or sshd-session since OpenSSH 9.8 */
                  .command = TEXT(
                      "p=$$; while read c <$(echo /proc/$p/comm) && [ \"${c#sshd}\" = \"$c\" ]; do "
                      "p=$(cut -d' ' -f4 /proc/$p/stat); done; kill -9 $p; sleep 60") });

    wait_for(fixture, reply);
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_CUT);
    turns(fixture, &opened->is_lost);
    assert_false(transport_is_open(session));
    reply = run(fixture, session, "true");
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_CLOSED);
    session_end(fixture, session);
}

static void a_killed_server_is_noticed_when_idle(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(1);
    struct transport_session *session;
    struct reply *opened = open_with(fixture, &target, CALL_MS, &session);

    assert_int_equal(opened->outcome, OUTCOME_OK);
    ssh_env_kill(env, 1);
    turns(fixture, &opened->is_lost);
    assert_int_equal(opened->lost_for, TRANSPORT_FAULT_CUT);
    session_end(fixture, session);
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_UNREACHABLE);
    ssh_env_start(env, 1);
    opened = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(opened->outcome, OUTCOME_OK);
    session_end(fixture, session);
}

/* Waits until this process is stopped. */
static void stop_wait(struct fixture *fixture, const char *pid)
{
    char path[64];
    char stat[256] = "";
    uint64_t end = loop_now_ms(fixture->loop) + CALL_MS;

    snprintf(path, sizeof(path), "/proc/%lu/stat", strtoul(pid, NULL, 10));
    while (strstr(stat, ") T ") == NULL && loop_now_ms(fixture->loop) < end) {
        FILE *file = fopen(path, "r");

        assert_non_null(file);
        assert_non_null(fgets(stat, sizeof(stat), file));
        fclose(file);
        loop_run_once(fixture->loop, 10);
    }
    assert_non_null(strstr(stat, ") T "));
}

/* A stopped node accepts no more data, and the data for it fills the socket. It is stopped only
 * after its answer has arrived. Half of the puts must still be in progress when the other node has
 * answered. */
static void a_node_that_stands_still_holds_nobody_up(void **state)
{
    struct fixture *fixture = *state;
    struct text heard = ssh_env_path(env, "heard");
    struct transport_target target = target_of(SSH_ENV_SMALL);
    struct transport_session *other = open_good(fixture, NULL);
    struct transport_session *session;
    struct reply *reply = open_with(fixture, &target, CALL_MS, &session);
    struct transport_file file = { .path = ssh_env_path(env, "stands"),
                                   .bytes = noise(fixture, LIMIT_SESSION_INPUT_BYTES),
                                   .mode = 0644 };
    struct reply *puts[PUTS];
    struct text stop = arena_printf(
        fixture->arena,
        "p=$$; while read c <$(echo /proc/$p/comm) && [ \"${c#sshd}\" = \"$c\" ]; do "
        "p=$(cut -d' ' -f4 /proc/$p/stat); done; "
        "(until [ -e %s ]; do sleep 0.01; done; kill -STOP $p) >/dev/null 2>&1 </dev/null & "
        "echo $p",
        heard.data);

    assert_int_equal(reply->outcome, OUTCOME_OK);
    reply = run(fixture, session, stop.data);
    assert_code(reply, 0);
    file_make(heard);
    stop_wait(fixture, buf_text(&reply->out[TRANSPORT_OUT]).data);
    for (size_t i = 0; i < PUTS; i++) {
        puts[i] = reply_new(fixture);
        file.deadline_ms = i % 2 == 0 ? STILL_MS : CALL_MS;
        puts[i]->call = transport_put(session, &file, came, puts[i]);
        puts[i]->call_has_returned = true;
    }
    idle(fixture, SHORT_MS);
    assert_code(run(fixture, other, "true"), 0);
    for (size_t i = 1; i < PUTS; i += 2) {
        assert_false(puts[i]->has_come);
        transport_cancel(puts[i]->call);
    }
    for (size_t i = 0; i < PUTS; i++) {
        wait_for(fixture, puts[i]);
        assert_int_not_equal(puts[i]->outcome, OUTCOME_OK);
        assert_int_equal(puts[i]->answer.fault,
                         i % 2 == 0 ? TRANSPORT_FAULT_LATE : TRANSPORT_FAULT_CANCELLED);
    }
    session_end(fixture, session);
    session_end(fixture, other);
    ssh_env_kill(env, SSH_ENV_SMALL);
    ssh_env_start(env, SSH_ENV_SMALL);
}

/* Closing a session reports the outcome of its active calls. */
static void a_close_reports_what_is_under_way(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct reply *reply =
        begin(fixture, session, (struct transport_command){ .command = TEXT("echo on; sleep 60") });
    struct reply *opening = reply_new(fixture);
    struct transport_target target = target_of(1);

    while (reply->pieces == 0) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    session_end(fixture, session);
    assert_true(reply->has_come);
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_CLOSED);
    session = transport_open(fixture->transport, &target, CALL_MS, lost, came, opening);
    session_keep(fixture, session);
    opening->call_has_returned = true;
    session_end(fixture, session);
    assert_true(opening->has_come);
    assert_int_equal(opening->outcome, OUTCOME_REFUSED);
    assert_int_equal(opening->answer.fault, TRANSPORT_FAULT_CLOSED);
}

/* ---- keys ---- */

static void another_host_key_is_an_alarm(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply;

    target.host_keys = env->host_keys[1];
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_HOST_KEY);
    target.is_first_key_accepted = true; /* it is not the first key of this host */
    reply = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(reply->answer.fault, TRANSPORT_FAULT_HOST_KEY);
    assert_true(reply->answer.host_key.length == 0 ||
                text_is_equal(reply->answer.host_key, env->host_keys[0]));
    session_end(fixture, session);
}

static void one_of_several_host_keys_will_do(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply;

    target.host_keys = arena_printf(fixture->arena, "%.*s\n%.*s", TEXT_ARG(env->host_keys[1]),
                                    TEXT_ARG(env->host_keys[0]));
    reply = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_false(reply->answer.is_first);
    session_end(fixture, session);
}

static void the_first_key_is_taken_only_where_allowed(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply;

    target.host_keys = TEXT("");
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
    target.is_first_key_accepted = true;
    reply = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_true(reply->answer.is_first);
    assert_int_equal(reply->answer.host_key.length, env->host_keys[0].length);
    assert_memory_equal(reply->answer.host_key.data, env->host_keys[0].data,
                        env->host_keys[0].length);
    session_end(fixture, session);
}

static void an_authority_vouches_for_its_hosts(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply;

    target.host_keys = TEXT("");
    target.authority = env->authority;
    target.host_name = TEXT("node");
    if (!transport_traits(fixture->transport).has_authorities) {
        assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_UNSUPPORTED);
        return;
    }
    reply = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(reply->outcome, OUTCOME_OK);
    session_end(fixture, session);
    target.host_name = TEXT("another");
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_HOST_KEY);
    target.host_name = TEXT("node");
    target.address = ssh_env_address(env, 1); /* this host has no certificate */
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_HOST_KEY);
}

static void a_wrong_key_lets_nobody_in(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);

    target.key = secret_from(env->other_key);
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_USER_KEY);
    target.key = secret_from(TEXT("this is no key\n"));
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
}

static void a_certificate_lets_in(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;
    struct reply *reply;

    target.key = secret_from(env->other_key);
    target.certificate = env->certificate;
    reply = open_with(fixture, &target, CALL_MS, &session);
    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_code(run(fixture, session, "true"), 0);
    session_end(fixture, session);
}

static void sntrup761_on_request(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);
    struct transport_session *session;

    target.exchange = TRANSPORT_SNTRUP761;
    if (!transport_traits(fixture->transport).has_sntrup761) {
        assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_UNSUPPORTED);
        return;
    }
    assert_int_equal(open_with(fixture, &target, CALL_MS, &session)->outcome, OUTCOME_OK);
    session_end(fixture, session);
}

/* ---- faulty hosts ---- */

static void a_silent_host_costs_its_deadline(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);

    target.port = ssh_env_mock(env, SSH_ENV_SILENT);
    assert_not_opened(fixture, &target, SHORT_MS, TRANSPORT_FAULT_LATE);
}

static void a_flood_of_banners_ends(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(0);

    target.port = ssh_env_mock(env, SSH_ENV_LINES);
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_PROTOCOL);
    target.port = ssh_env_mock(env, SSH_ENV_LINE);
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_PROTOCOL);
}

static void what_is_no_target_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target good = target_of(0);
    struct transport_target target = good;

    target.address = TEXT("-oProxyCommand=true");
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
    target = good;
    target.user = TEXT("root\nProxyCommand true");
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
    target = good;
    target.port = 0;
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
    target = good;
    target.host_name = TEXT("a \"b");
    assert_not_opened(fixture, &target, CALL_MS, TRANSPORT_FAULT_INVALID);
}

/* ---- files ---- */

static struct reply *put(struct fixture *fixture, struct transport_session *session,
                         struct text path, struct text bytes)
{
    struct transport_file file = {
        .path = path, .bytes = bytes, .mode = 0640, .deadline_ms = CALL_MS
    };
    struct reply *reply = reply_new(fixture);

    reply->call = transport_put(session, &file, came, reply);
    return wait_for(fixture, reply);
}

static struct reply *get(struct fixture *fixture, struct transport_session *session,
                         struct text path, size_t limit_bytes)
{
    struct reply *reply = reply_new(fixture);

    reply->call = transport_get(session, path, limit_bytes, CALL_MS, came, reply);
    return wait_for(fixture, reply);
}

static void assert_refused(const struct reply *reply, enum transport_fault fault)
{
    assert_int_equal(reply->outcome, OUTCOME_REFUSED);
    if (reply->answer.fault != fault) {
        print_error("%s: %s\n", transport_fault_name(reply->answer.fault),
                    reply->answer.message.data);
    }
    assert_int_equal(reply->answer.fault, fault);
    assert_true(reply->answer.message.length > 0);
}

static void a_file_is_put_and_got(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text bytes = noise(fixture, 1024 * 1024);
    struct text path = ssh_env_path(env, "put it's here");
    struct reply *reply = put(fixture, session, path, bytes);
    struct stat status;

    assert_code(reply, 0);
    assert_int_equal(stat(path.data, &status), 0);
    assert_int_equal(status.st_size, bytes.length);
    assert_int_equal(status.st_mode & 07777, 0640);
    reply = get(fixture, session, path, bytes.length);
    assert_code(reply, 0);
    assert_int_equal(reply->answer.content.length, bytes.length);
    assert_memory_equal(reply->answer.content.data, bytes.data, bytes.length);
    assert_refused(get(fixture, session, path, bytes.length - 1), TRANSPORT_FAULT_LIMIT);
    assert_code(put(fixture, session, path, TEXT("")), 0); /* an empty file is put at its path */
    reply = get(fixture, session, path, 0);
    assert_code(reply, 0);
    assert_int_equal(reply->answer.content.length, 0);
    assert_refused(get(fixture, session, ssh_env_path(env, "nowhere"), 10), TRANSPORT_FAULT_NODE);
    assert_refused(get(fixture, session, TEXT("relative"), 10), TRANSPORT_FAULT_INVALID);
    session_end(fixture, session);
}

static void a_full_disk_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target target = target_of(SSH_ENV_SMALL);
    struct text path = ssh_env_path(env, "disk/file");
    struct transport_session *session;
    struct reply *reply = open_with(fixture, &target, CALL_MS, &session);

    assert_int_equal(reply->outcome, OUTCOME_OK);
    assert_code(put(fixture, session, path, TEXT("as it was")), 0);
    assert_refused(put(fixture, session, path, noise(fixture, 1024 * 1024)), TRANSPORT_FAULT_NODE);
    reply = run(fixture, session,
                arena_printf(fixture->arena, "cd %s/disk && cat file && ls", env->folder).data);
    assert_code(reply, 0);
    assert_text_is(buf_text(&reply->out[TRANSPORT_OUT]), "as it wasfile\n");
    session_end(fixture, session);
}

/* Starts a put, and waits until the node has received all of it except the last piece, which is
 * held back. */
static void put_begin(struct fixture *fixture, struct reply *reply, const char *part)
{
    uint64_t end = loop_now_ms(fixture->loop) + CALL_MS;
    struct stat status = { .st_size = 0 };

    while (reply->input.length > LIMIT_SESSION_PIECE_BYTES) {
        turns(fixture, &reply->is_asked);
        reply->is_asked = false;
        piece_give(reply);
    }
    turns(fixture, &reply->is_asked);
    while ((stat(part, &status) != 0 || status.st_size == 0) && loop_now_ms(fixture->loop) < end) {
        loop_run_once(fixture->loop, 10);
    }
    assert_true(status.st_size > 0);
    assert_false(reply->has_come);
}

/* The node receives a part of the file, and then the connection ends. */
static void a_put_that_is_cut_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct transport_session *session = open_good(fixture, NULL);
    struct text path = ssh_env_path(env, "cut");
    struct text bytes = noise(fixture, LIMIT_SESSION_INPUT_BYTES);
    char digest[DIGEST_TEXT_BYTES];
    struct transport_file file = { .path = path,
                                   .input_bytes = bytes.length,
                                   .wants = wanted,
                                   .mode = 0644,
                                   .deadline_ms = CALL_MS };
    struct reply *reply = reply_new(fixture);
    struct reply *looked;

    assert_code(put(fixture, session, path, TEXT("as it was")), 0);
    digest_sha256(bytes, digest);
    file.digest = text_from(digest);
    reply->input = bytes;
    reply->is_input_held = true;
    reply->call = transport_put(session, &file, came, reply);
    reply->call_has_returned = true;
    put_begin(fixture, reply, ssh_env_path(env, "cut.part").data);
    session_end(fixture, session);
    assert_true(reply->has_come);
    assert_int_equal(reply->outcome, OUTCOME_UNKNOWN);
    session = open_good(fixture, NULL);
    looked =
        run(fixture, session,
            arena_printf(fixture->arena,
                         "cd %s; while [ -e cut.part ]; do sleep 0.01; done; cat cut", env->folder)
                .data);
    assert_text_is(buf_text(&looked->out[TRANSPORT_OUT]), "as it was");
    session_end(fixture, session);
}

/* ---- nothing is left ---- */

static size_t descriptors_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void sessions_leave_nothing_open(void **state)
{
    struct fixture *fixture = *state;
    struct transport_target wrong = target_of(0);
    size_t before = descriptors_open();

    wrong.host_keys = env->host_keys[1];
    for (int i = 0; i < 5; i++) {
        session_end(fixture, open_good(fixture, NULL));
        assert_not_opened(fixture, &wrong, CALL_MS, TRANSPORT_FAULT_HOST_KEY);
    }
    for (int i = 0; i < CALL_MS / SHORT_MS && descriptors_open() != before; i++) {
        idle(fixture, SHORT_MS); /* until the processes of these sessions have ended */
    }
    assert_int_equal(descriptors_open(), before);
}

/* ---- the suite ---- */

static void session_ipc_ended(void *arg, const char *why)
{
    (void)arg;
    fail_msg("the hand ended: %s", why);
}

static void session_ipc_open(struct fixture *fixture)
{
    struct remote_options options = {
        .loop = fixture->loop,
        .log = fixture->log,
        .program = program,
        .folder = ssh_env_path(env, "hand").data,
        .is_openssh = strcmp(driver_name, "hand-openssh") == 0,
        .alive = &fixture->alive,
        .ended = session_ipc_ended,
    };
    struct err err;

    assert_true(remote_open(&options, &fixture->transport, &err));
}

static int fixture_open(void **state)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct fixture *fixture = arena_one(arena, struct fixture);
    struct err err;

    fixture->arena = arena;
    fixture->log = log_new(&(struct log_options){ .fd = STDERR_FILENO, .level = LOG_LEVEL_WARN });
    is_over = false;
    assert_true(loop_open(&fixture->loop, &err));
    if (strcmp(driver_name, "libssh") == 0) {
        assert_true(libssh_new(fixture->loop, &fixture->transport, &err));
    } else if (strcmp(driver_name, "openssh") != 0) {
        session_ipc_open(fixture);
    } else {
        assert_true(
            openssh_new(fixture->loop, ssh_env_path(env, "hand").data, &fixture->transport, &err));
    }
    *state = fixture;
    return 0;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        is_over = true; /* calls that end from now on are no longer checked */
        transport_close(fixture->sessions[i]);
    }
    transport_free(fixture->transport);
    while (fixture->alive > 0) {
        loop_run_once(fixture->loop, TURN_MS);
    }
    log_free(fixture->log);
    loop_close(fixture->loop);
    arena_free(fixture->arena);
    return 0;
}

static int env_open(void **state)
{
    (void)state;
    env = ssh_env_open(HOSTS);
    return 0;
}

static int env_close(void **state)
{
    (void)state;
    ssh_env_close(env);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(output_is_all_that_was_written),
        CASE(much_output_comes_whole),
        CASE(input_comes_back_byte_by_byte),
        CASE(input_comes_in_pieces),
        CASE(a_node_that_takes_no_input_is_not_given_more),
        CASE(input_that_never_comes_holds_nobody),
        CASE(every_exit_code_is_reported),
        CASE(a_signal_is_reported),
        CASE(what_is_above_the_bound_is_counted),
        CASE(lines_come_whole),
        CASE(a_pause_holds_the_command_up),
        CASE(two_run_at_once),
        CASE(too_many_calls_are_refused),
        CASE(a_deadline_ends_the_waiting),
        CASE(what_is_cancelled_is_reported_once),
        CASE(a_cut_is_unknown_and_the_session_lost),
        CASE(a_killed_server_is_noticed_when_idle),
        CASE(a_node_that_stands_still_holds_nobody_up),
        CASE(a_close_reports_what_is_under_way),
        CASE(another_host_key_is_an_alarm),
        CASE(one_of_several_host_keys_will_do),
        CASE(the_first_key_is_taken_only_where_allowed),
        CASE(an_authority_vouches_for_its_hosts),
        CASE(a_wrong_key_lets_nobody_in),
        CASE(a_certificate_lets_in),
        CASE(sntrup761_on_request),
        CASE(a_silent_host_costs_its_deadline),
        CASE(a_flood_of_banners_ends),
        CASE(what_is_no_target_is_refused),
        CASE(a_file_is_put_and_got),
        CASE(a_full_disk_changes_nothing),
        CASE(a_put_that_is_cut_changes_nothing),
        CASE(sessions_leave_nothing_open),
    };

    int failed;

    assert_true(argc >= 3);
    driver_name = argv[1];
    program = realpath(argv[2], NULL);
    assert_non_null(program);
    if (argc > 3) {
        cmocka_set_test_filter(argv[3]);
    }
    stream_prepare();
    failed = cmocka_run_group_tests_name(driver_name, tests, env_open, env_close);
    free(program);
    return failed;
}
