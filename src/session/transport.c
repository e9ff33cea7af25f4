#include "session/transport.h"

#include "base/limits.h"
#include "session/script.h"
#include "session/transport_end.h"
#include "sys/digest.h"

#include <assert.h>

const char *transport_fault_name(enum transport_fault fault)
{
    static const char *const names[] = {
        [TRANSPORT_FAULT_NONE] = "none",
        [TRANSPORT_FAULT_INVALID] = "invalid",
        [TRANSPORT_FAULT_UNSUPPORTED] = "unsupported",
        [TRANSPORT_FAULT_UNREACHABLE] = "unreachable",
        [TRANSPORT_FAULT_PROTOCOL] = "protocol",
        [TRANSPORT_FAULT_HOST_KEY] = "host key",
        [TRANSPORT_FAULT_USER_KEY] = "user key",
        [TRANSPORT_FAULT_LATE] = "late",
        [TRANSPORT_FAULT_CUT] = "cut",
        [TRANSPORT_FAULT_CANCELLED] = "cancelled",
        [TRANSPORT_FAULT_CLOSED] = "closed",
        [TRANSPORT_FAULT_LIMIT] = "limit",
        [TRANSPORT_FAULT_NODE] = "node",
        [TRANSPORT_FAULT_DIGEST] = "digest",
        [TRANSPORT_FAULT_PROCESS] = "session",
    };

    assert(fault < TRANSPORT_FAULT_COUNT);
    return names[fault];
}

struct transport_traits transport_traits(const struct transport *transport)
{
    return transport->traits;
}

bool transport_is_open(const struct transport_session *session)
{
    return session->state == SESSION_OPEN;
}

/* ---- requests ---- */

/* Copies a target. Its members that only the login needs go into the arena `login`. */
static struct transport_target target_copy(struct arena *arena, struct arena *login,
                                           const struct transport_target *target)
{
    struct transport_target copy = *target;

    copy.address = text_from(arena_string(arena, target->address));
    copy.user = text_from(arena_string(arena, target->user));
    copy.key = secret_from(text_from(arena_string(login, secret_reveal(target->key))));
    copy.certificate = text_from(arena_string(login, text_trim(target->certificate)));
    copy.host_keys = text_from(arena_string(arena, text_trim(target->host_keys)));
    copy.authority = text_from(arena_string(arena, text_trim(target->authority)));
    copy.host_name = text_from(arena_string(arena, target->host_name));
    return copy;
}

/* Returns whether the text is one word of visible characters, so that it can be written into a
 * configuration file or a list. */
static bool is_transport_word(struct text text)
{
    return text_is_visible(text) && text_find_byte(text, '"') == SIZE_MAX &&
           text_find_byte(text, '\\') == SIZE_MAX;
}

static bool is_transport_name(struct text text)
{
    return text.length > 0 && text.length <= LIMIT_SESSION_NAME_BYTES && is_transport_word(text) &&
           text_find_byte(text, ' ') == SIZE_MAX && text_find_byte(text, '%') == SIZE_MAX &&
           text.data[0] != '-';
}

/* Returns the reason why no driver can use this target, or NULL. */
static const char *target_fault(const struct transport_target *target)
{
    bool is_pinned = target->host_keys.length > 0 || target->authority.length > 0;

    return !is_transport_name(target->address) ? "the address is not valid"
           : target->user.length > 0 && !is_transport_name(target->user)
               ? "the user name is invalid"
           : target->is_operators             ? NULL
           : !is_transport_name(target->user) ? "the user name is invalid"
           : target->port == 0                ? "the port is 0"
           : target->key.length == 0          ? "there is no key to log in with"
           : !is_transport_word(target->certificate) || !is_transport_word(target->authority) ||
                   (target->host_name.length > 0 && !is_transport_name(target->host_name))
               ? "a key, a certificate or a name is not one line of plain text"
           : !is_pinned && !target->is_first_key_accepted
               ? "the host key is unknown, and the first key that the host shows may not be accepted"
               : NULL;
}

/* Wipes and drops the login data. Sessions are many and last long, and the driver has copied the
 * data that it still needs. */
static void login_forget(struct transport_session *session)
{
    secret_wipe((char *)(uintptr_t)secret_reveal(session->target.key).data,
                session->target.key.length);
    session->target.key = secret_from(TEXT(""));
    session->target.certificate = TEXT("");
}

struct transport_session *transport_open(struct transport *transport,
                                         const struct transport_target *target,
                                         uint64_t deadline_ms, transport_lost_fn *lost,
                                         transport_done *done, void *arg)
{
    const struct transport_driver *driver = transport->driver;
    AUTO(arena) login = arena_new_small(SIZE_MAX);
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct transport_session *session = arena_alloc(memory, driver->session_bytes);
    const char *fault;

    *session = (struct transport_session){ .transport = transport,
                                           .memory = memory,
                                           .deadline_ms = deadline_ms,
                                           .lost = lost,
                                           .done = done,
                                           .arg = arg };
    session->target = target_copy(memory, login, target);
    transport->sessions++;
    fault = target_fault(&session->target);
    if (fault != NULL) {
        session_failed(session, TRANSPORT_FAULT_INVALID, TEXT(""), "%s", fault);
    } else if (session->target.exchange == TRANSPORT_SNTRUP761 &&
               !transport->traits.has_sntrup761) {
        session_failed(session, TRANSPORT_FAULT_UNSUPPORTED, TEXT(""),
                       "%s does not support "
                       "sntrup761",
                       driver->name);
    } else {
        transport_deadline_set(transport, &transport->opens, &session->deadline, deadline_ms);
        driver->begin(session);
    }
    login_forget(session);
    return session;
}

static struct transport_call *transport_call_new(struct transport_session *session,
                                                 enum call_kind kind, uint64_t deadline_ms,
                                                 transport_done *done, void *arg)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct transport_call *call = arena_alloc(memory, session->transport->driver->call_bytes);

    *call = (struct transport_call){ .session = session,
                                     .memory = memory,
                                     .kind = kind,
                                     .deadline_ms = deadline_ms,
                                     .output_max = UINT64_MAX,
                                     .next = session->calls,
                                     .done = done,
                                     .arg = arg };
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        buf_init(&call->lines[i], memory);
        buf_init(&call->taken[i], memory);
    }
    session->calls = call;
    session->call_count++;
    return call;
}

static void call_refuse(struct transport_call *call, enum transport_fault fault, const char *why)
{
    call->is_left = true;
    call_ready(call, OUTCOME_REFUSED, fault, text_from(why));
}

static struct transport_call *transport_call_begin(struct transport_call *call)
{
    struct transport_session *session = call->session;
    struct transport *transport = session->transport;

    if (session->state != SESSION_OPEN || session->is_closing) {
        call_refuse(call, TRANSPORT_FAULT_CLOSED, "the session is not open");
    } else if (session->call_count > LIMIT_SESSION_CALLS) {
        call_refuse(call, TRANSPORT_FAULT_LIMIT, "the session has too many active calls");
    } else if (call->input_left > LIMIT_SESSION_INPUT_BYTES ||
               call->command.length > LIMIT_SESSION_COMMAND_BYTES ||
               call->limit > LIMIT_SESSION_GET_BYTES) {
        call_refuse(call, TRANSPORT_FAULT_LIMIT, "the call has too many bytes");
    } else if (text_find_byte(call->command, '\0') != SIZE_MAX) {
        call_refuse(call, TRANSPORT_FAULT_INVALID, "the command has a NUL in it");
    } else if (call->kind != CALL_EXEC && (call->path.length == 0 || call->path.data[0] != '/' ||
                                           call->path.length > LIMIT_PATH_BYTES)) {
        call_refuse(call, TRANSPORT_FAULT_INVALID, "the path is not absolute, or is too long");
    } else {
        transport_deadline_set(transport, &transport->deadlines, &call->deadline,
                               call->deadline_ms);
        transport->driver->call(call);
    }
    return call;
}

static void input_set(struct transport_call *call, struct text input, uint64_t bytes,
                      transport_wants_fn *wants)
{
    assert(wants == NULL || input.length == 0);
    call->input = arena_text(call->memory, input);
    call->input_left = wants == NULL ? input.length : bytes;
    call->wants = wants;
}

struct transport_call *transport_exec(struct transport_session *session,
                                      const struct transport_command *command, transport_done *done,
                                      void *arg)
{
    struct transport_call *call =
        transport_call_new(session, CALL_EXEC, command->deadline_ms, done, arg);

    call->command = command->command;
    input_set(call, command->input, command->input_bytes, command->wants);
    call->output_max = command->output_max;
    call->is_linewise = command->is_linewise;
    call->output = command->output;
    return transport_call_begin(call);
}

struct transport_call *transport_put(struct transport_session *session,
                                     const struct transport_file *file, transport_done *done,
                                     void *arg)
{
    struct transport_call *call =
        transport_call_new(session, CALL_PUT, file->deadline_ms, done, arg);
    char digest[DIGEST_TEXT_BYTES];

    assert(file->wants == NULL || file->digest.length > 0);
    call->path = arena_text(call->memory, file->path);
    input_set(call, file->bytes, file->input_bytes, file->wants);
    call->mode = file->mode & 07777;
    if (file->digest.length == 0) {
        digest_sha256(file->bytes, digest);
    }
    call->digest =
        arena_text(call->memory, file->digest.length > 0 ? file->digest : text_from(digest));
    if (!session->transport->driver->has_files) {
        call->command = script_put(call->memory, call->path, call->mode, call->digest);
        call->output_max = LIMIT_SESSION_WHY_BYTES;
    }
    return transport_call_begin(call);
}

struct transport_call *transport_get(struct transport_session *session, struct text path,
                                     size_t limit_bytes, uint64_t deadline_ms, transport_done *done,
                                     void *arg)
{
    struct transport_call *call = transport_call_new(session, CALL_GET, deadline_ms, done, arg);

    call->path = arena_text(call->memory, path);
    call->limit = limit_bytes;
    if (!session->transport->driver->has_files) {
        call->command = script_get(call->memory, call->path, limit_bytes);
        call->output_max = limit_bytes + DIGEST_TEXT_BYTES + 1;
    }
    return transport_call_begin(call);
}

void transport_cancel(struct transport_call *call)
{
    if (!call->is_ready) {
        call_leave(call);
        call_ready(call, call->is_sent ? OUTCOME_UNKNOWN : OUTCOME_REFUSED,
                   TRANSPORT_FAULT_CANCELLED, TEXT("the call was cancelled"));
    }
}

static void call_flow(struct transport_call *call, bool is_paused)
{
    if (call->is_paused != is_paused) {
        call->is_paused = is_paused;
        if (!call->is_left) {
            call->session->transport->driver->flow(call);
        }
    }
}

void transport_pause(struct transport_call *call)
{
    call_flow(call, true);
}

void transport_resume(struct transport_call *call)
{
    call_flow(call, false);
}

void transport_close(struct transport_session *session)
{
    struct transport *transport;

    if (session == NULL) {
        return;
    }
    assert(!session->is_closing);
    transport = session->transport;
    session_failed(session, TRANSPORT_FAULT_CLOSED, TEXT(""), "the session was closed");
    session->is_closing = true;
    session->is_lost = false;
    for (struct transport_session **at = &transport->due; *at != NULL; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            break;
        }
    }
    while (session->calls != NULL) {
        struct transport_call *call = session->calls;

        call_unlist(call);
        transport_call_report(call);
    }
    transport->driver->end(session);
    if (!session->is_reported) {
        session_open_report(session);
    }
    transport->sessions--;
    arena_free(session->memory);
    transport_timer_set(transport);
}

/* ---- opening and closing ---- */

bool transport_init(struct transport *transport, struct loop *loop, struct err *err)
{
    transport->loop = loop;
    transport->last_ready = &transport->ready;
    return loop_timer_open(loop, transport_due, transport, &transport->timer, err);
}

void transport_fini(struct transport *transport)
{
    loop_timer_close(transport->timer);
    heap_clear(&transport->opens);
    heap_clear(&transport->deadlines);
}

void transport_free(struct transport *transport)
{
    if (transport != NULL) {
        assert(transport->sessions == 0);
        transport->driver->free(transport);
    }
}
