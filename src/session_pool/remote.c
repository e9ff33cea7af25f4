#include "session_pool/remote.h"

#include "base/limits.h"
#include "session_pool/remote_parts.h"

#include <assert.h>

/* Starts the session process and configures it. Sessions and calls become messages with numbers, by
 * which replies are matched.
 *
 * Failures: if the process ends, sends an invalid message, or does not answer in time, it is ended
 * with all of its sessions and calls. If it stops reading, requests that do not fit into its queue
 * are rejected: they were not sent. */

static struct remote *remote_self_of(const struct transport_session *session)
{
    return (struct remote *)session->transport;
}

bool remote_send(struct remote *self, const struct session_ipc_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text frame;
    struct buf buf;
    bool is_sent;

    if (self->is_over) {
        return false;
    }
    buf_init(&buf, arena);
    session_ipc_format(&buf, message);
    frame = buf_text(&buf);
    if (message->type != SESSION_IPC_OPEN) {
        return worker_send(self->worker, frame);
    }
    is_sent = worker_send_secret(self->worker, frame);
    secret_wipe(buf.data, buf.room);
    return is_sent;
}

void remote_over(struct remote *self, const char *why)
{
    if (self->is_over) {
        return;
    }
    self->is_over = true;
    loop_timer_stop(self->start);
    for (struct remote_session *session = self->sessions; session != NULL;
         session = session->next) {
        session_failed(&session->base, TRANSPORT_FAULT_PROCESS, TEXT(""), "%s", why);
    }
    self->options.ended(self->options.arg, why);
}

static void remote_worker_ended(void *arg, const char *why)
{
    remote_over(arg, why);
}

static void remote_worker_wrote(void *keep, struct text piece)
{
    struct log *log = keep;

    log_warn(log, "session", "stderr",
             log_text("text", text_trim(text_slice(piece, 0, LIMIT_LOG_LINE_BYTES / 2))));
}

static void start_late(void *arg)
{
    remote_over(arg, "the session process sent nothing before the deadline");
}

/* ---- driver callbacks of transport.c ---- */

static void remote_driver_begin(struct transport_session *base)
{
    struct remote_session *session = (struct remote_session *)base;
    struct remote *self = remote_self_of(base);
    const struct transport_target *target = &base->target;
    struct session_ipc_message message = { .type = SESSION_IPC_OPEN };

    session->next = self->sessions;
    self->sessions = session;
    self->session_count++;
    if (self->session_count > LIMIT_SESSION_SESSIONS) {
        session_failed(base, TRANSPORT_FAULT_LIMIT, TEXT(""),
                       "the process has reached its limit of sessions");
        return;
    }
    message.open = (struct session_ipc_open){
        .session = self->next_session + 1,
        .left_ms = base->deadline_ms,
        .address = target->address,
        .port = target->port,
        .user = target->user,
        .key = secret_reveal(target->key),
        .certificate = target->certificate,
        .host_keys = target->host_keys,
        .authority = target->authority,
        .host_name = target->host_name,
        .is_first_key_accepted = target->is_first_key_accepted,
        .is_operators = target->is_operators,
        .exchange = target->exchange,
    };
    if (!remote_send(self, &message)) {
        session_failed(base, TRANSPORT_FAULT_PROCESS, TEXT(""),
                       "the session process has ended or does not respond");
        return;
    }
    session->id = ++self->next_session;
}

static void remote_driver_end(struct transport_session *base)
{
    struct remote_session *session = (struct remote_session *)base;
    struct remote *self = remote_self_of(base);
    struct session_ipc_message message = { .type = SESSION_IPC_CLOSE };

    for (struct remote_session **at = &self->sessions; *at != NULL; at = &(*at)->next) {
        if (*at == session) {
            *at = session->next;
            self->session_count--;
            break;
        }
    }
    message.close.session = session->id;
    if (session->id != 0 && !self->is_over && !remote_send(self, &message)) {
        remote_over(self, "the session process does not respond");
    }
    session->id = 0;
}

static void remote_driver_call(struct transport_call *base)
{
    static const enum session_ipc_kind kinds[] = {
        [CALL_EXEC] = SESSION_IPC_EXEC, [CALL_PUT] = SESSION_IPC_PUT, [CALL_GET] = SESSION_IPC_GET
    };
    struct remote_call *call = (struct remote_call *)base;
    struct remote *self = remote_self_of(base->session);
    struct session_ipc_message message = { .type = SESSION_IPC_CALL };

    call->last = &call->first;
    message.call = (struct session_ipc_call){
        .call = self->next_call + 1,
        .session = ((const struct remote_session *)base->session)->id,
        .kind = kinds[base->kind],
        .left_ms = base->deadline_ms,
        .command = base->command,
        .input_bytes = base->input_left,
        .output_max = base->output_max,
        .is_linewise = base->is_linewise,
        .is_listened = base->output != NULL,
        .path = base->path,
        .mode = base->mode,
        .digest = base->digest,
        .limit = base->limit,
    };
    if (!remote_send(self, &message)) {
        call_failed(base, OUTCOME_REFUSED, TRANSPORT_FAULT_PROCESS,
                    "the session process has ended or does not respond");
        return;
    }
    call->id = ++self->next_call;
    base->is_sent = true;
    base->is_linewise = false; /* the process itself splits the output into lines */
}

static void remote_driver_drop(struct transport_call *base)
{
    struct remote_call *call = (struct remote_call *)base;
    struct session_ipc_message message = { .type = SESSION_IPC_CANCEL };

    remote_rest_drop(call);
    message.cancel.call = call->id;
    if (call->id != 0) {
        call->id = 0;
        /* if this fails, the process has ended, and with it the call */
        (void)!remote_send(remote_self_of(base->session), &message);
    }
}

static void remote_driver_flow(struct transport_call *base)
{
    if (!base->is_paused) {
        loop_timer_start(remote_self_of(base->session)->again, 0, 0);
    }
}

static void remote_driver_give(struct transport_call *base, struct text piece)
{
    struct session_ipc_message message = { .type = SESSION_IPC_INPUT };

    message.input = (struct session_ipc_input){ ((const struct remote_call *)base)->id, piece };
    if (!remote_send(remote_self_of(base->session), &message)) {
        remote_over(remote_self_of(base->session), "the session process does not respond");
    }
}

static void remote_driver_free(struct transport *transport)
{
    struct remote *self = (struct remote *)transport;

    worker_close(self->worker);
    loop_timer_close(self->start);
    loop_timer_close(self->again);
    queue_clear(&self->asking);
    transport_fini(transport);
    rows_free(self);
}

/* ---- start ---- */

int remote_pid(const struct transport *transport)
{
    return worker_pid(((const struct remote *)transport)->worker);
}

MUST_CHECK static bool remote_process_start(struct remote *self, struct err *err)
{
    static const char *const argv[] = { "reeve-session", "serve", NULL };
    struct worker_options options = {
        .loop = self->options.loop,
        .program = self->options.program,
        .argv = argv,
        .end_ms = LIMIT_SESSION_END_MS,
        .queue_max = LIMIT_SESSION_QUEUE_BYTES,
        .unreadable = CODE_R0701,
        .unstarted = CODE_R0700,
        .alive = self->options.alive,
        .reported = remote_reported,
        .ended = remote_worker_ended,
        .taken = remote_input_give,
        .wrote = remote_worker_wrote,
        .arg = self,
        .keep = self->options.log,
    };
    struct session_ipc_message message = { .type = SESSION_IPC_BEGIN };

    message.begin = (struct session_ipc_begin){ .is_openssh = self->options.is_openssh,
                                                .folder = text_from(self->options.folder) };
    if (!worker_open(&options, &self->worker, err)) {
        return false;
    }
    loop_timer_start(self->start, LIMIT_SESSION_START_MS, 0);
    return remote_send(self, &message) ||
           err_set(err, CODE_R0700, "the session process does not receive messages");
}

bool remote_open(const struct remote_options *options, struct transport **out, struct err *err)
{
    static const struct transport_driver driver = {
        .name = "reeve-session",
        .session_bytes = sizeof(struct remote_session),
        .call_bytes = sizeof(struct remote_call),
        .late_ms = LIMIT_SESSION_LATE_MS,
        .has_files = true,
        .begin = remote_driver_begin,
        .end = remote_driver_end,
        .call = remote_driver_call,
        .drop = remote_driver_drop,
        .flow = remote_driver_flow,
        .give = remote_driver_give,
        .free = remote_driver_free,
    };
    struct remote *self = rows_resize(NULL, sizeof(*self));

    *self = (struct remote){
        .base = { .driver = &driver,
                  .traits = { .has_signal_names = !options->is_openssh,
                              .has_authorities = options->is_openssh,
                              .has_sntrup761 = options->is_openssh } },
        .options = *options,
    };
    if (!transport_init(&self->base, options->loop, err) ||
        !loop_timer_open(options->loop, start_late, self, &self->start, err) ||
        !loop_timer_open(options->loop, remote_rest_report, self, &self->again, err) ||
        !remote_process_start(self, err)) {
        remote_driver_free(&self->base);
        return false;
    }
    *out = &self->base;
    return true;
}
