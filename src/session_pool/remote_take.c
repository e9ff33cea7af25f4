#include "base/limits.h"
#include "session_pool/remote_parts.h"

#include <assert.h>
#include <string.h>

/* Handles messages from the process. They are validated as if a node had compromised the process:
 * ids must exist, outcomes must match their faults, and no more bytes may arrive than were
 * requested. After an invalid message the process is ended. */

/* The process may send at most one piece more than the window. */
enum { AHEAD_BYTES = 2 * LIMIT_SESSION_WINDOW_BYTES };

static struct remote_session *remote_take_session_find(const struct remote *self, uint64_t id)
{
    struct remote_session *session = self->sessions;

    while (session != NULL && session->id != id) {
        session = session->next;
    }
    return session;
}

static struct remote_call *remote_take_call_find(const struct remote *self, uint64_t id)
{
    for (const struct remote_session *session = self->sessions; session != NULL;
         session = session->next) {
        for (struct transport_call *call = session->base.calls; call != NULL; call = call->next) {
            struct remote_call *own = (struct remote_call *)call;

            if (own->id == id) {
                return own;
            }
        }
    }
    return NULL;
}

/* ---- output ---- */

/* Acknowledges `bytes` bytes, so that the process may send that many more. */
static void more_send(struct remote *self, const struct remote_call *call, size_t bytes)
{
    struct session_ipc_message message = { .type = SESSION_IPC_MORE };

    message.more = (struct session_ipc_more){ call->id, bytes };
    if (call->id != 0 && !remote_send(self, &message)) {
        remote_over(self, "the session process does not respond");
    }
}

static void remote_take_piece_keep(struct remote_call *call, enum transport_stream stream,
                                   struct text bytes)
{
    struct remote_piece *piece = rows_resize(NULL, sizeof(*piece) + bytes.length);

    *piece =
        (struct remote_piece){ .stream = stream, .bytes = { (char *)(piece + 1), bytes.length } };
    memcpy(piece + 1, bytes.data, bytes.length);
    *call->last = piece;
    call->last = &piece->next;
    call->waiting += bytes.length;
}

void remote_rest_drop(struct remote_call *call)
{
    for (struct remote_piece *piece = call->first, *next; piece != NULL; piece = next) {
        next = piece->next;
        rows_free(piece);
    }
    call->first = NULL;
    call->last = &call->first;
    call->waiting = 0;
}

/* Reports the end of a call after all of its earlier output was delivered. */
static void remote_take_end_report(struct remote_call *call)
{
    if (call->has_ended && call->first == NULL && !call->base.is_left) {
        transport_call_answered(&call->base, call->outcome, &call->answer);
    }
}

/* Delivers queued output. The receiver of a piece may pause or cancel the call. */
static void call_rest_report(struct remote *self, struct remote_call *call)
{
    while (call->first != NULL && !call->base.is_paused && !call->base.is_left) {
        struct remote_piece *piece = call->first;

        call->first = piece->next;
        if (call->first == NULL) {
            call->last = &call->first;
        }
        call->waiting -= piece->bytes.length;
        call_output(&call->base, piece->stream, piece->bytes);
        more_send(self, call, piece->bytes.length);
        rows_free(piece);
    }
    remote_take_end_report(call);
}

void remote_rest_report(void *arg)
{
    struct remote *self = arg;

    for (struct remote_session *session = self->sessions; session != NULL;
         session = session->next) {
        for (struct transport_call *call = session->base.calls; call != NULL; call = call->next) {
            if (!call->is_left && !call->is_paused) {
                call_rest_report(self, (struct remote_call *)call);
            }
        }
    }
}

/* ---- messages ---- */

/* True if the id was issued. Messages for a closed session or an ended call may still arrive; an id
 * that was never issued is invalid. */
static bool is_past(uint64_t id, uint64_t newest)
{
    return id > 0 && id <= newest;
}

static bool fault_fits(uint64_t outcome, uint64_t fault)
{
    return outcome < OUTCOME_COUNT && fault < TRANSPORT_FAULT_COUNT &&
           (outcome == OUTCOME_OK) == (fault == TRANSPORT_FAULT_NONE);
}

static bool opened_take(struct remote *self, const struct session_ipc_opened *opened)
{
    struct remote_session *session = remote_take_session_find(self, opened->session);

    if (!is_past(opened->session, self->next_session) || opened->outcome == OUTCOME_UNKNOWN ||
        !fault_fits(opened->outcome, opened->fault) ||
        opened->host_key.length > LIMIT_SESSION_KEYS_BYTES) {
        return false;
    }
    if (session == NULL || session->base.state == SESSION_OVER) {
        return true;
    }
    if (session->base.state != SESSION_OPENING) {
        return false;
    }
    if (opened->outcome == OUTCOME_OK) {
        session_opened(&session->base, opened->host_key, opened->is_first != 0);
    } else {
        session_failed(&session->base, (enum transport_fault)opened->fault, opened->host_key,
                       "%.*s", TEXT_ARG(opened->message));
    }
    return true;
}

static bool lost_take(struct remote *self, const struct session_ipc_lost *lost)
{
    struct remote_session *session = remote_take_session_find(self, lost->session);

    if (!is_past(lost->session, self->next_session) || !fault_fits(OUTCOME_UNKNOWN, lost->fault)) {
        return false;
    }
    if (session != NULL && session->base.state == SESSION_OPEN) {
        session_failed(&session->base, (enum transport_fault)lost->fault, TEXT(""), "%.*s",
                       TEXT_ARG(lost->message));
    }
    return true;
}

static bool remote_take_output_take(struct remote *self, const struct session_ipc_output *output)
{
    struct remote_call *call = remote_take_call_find(self, output->call);

    if (!is_past(output->call, self->next_call) || output->stream >= TRANSPORT_STREAM_COUNT) {
        return false;
    }
    if (call == NULL) {
        return true;
    }
    if (call->waiting + output->bytes.length > AHEAD_BYTES || call->base.kind != CALL_EXEC) {
        return false;
    }
    remote_take_piece_keep(call, (enum transport_stream)output->stream, output->bytes);
    call_rest_report(self, call);
    return true;
}

static bool ended_take(struct remote *self, const struct session_ipc_ended *ended)
{
    struct remote_call *call = remote_take_call_find(self, ended->call);

    if (!is_past(ended->call, self->next_call) || !fault_fits(ended->outcome, ended->fault) ||
        ended->code < -1 || ended->code > 255 || ended->signal.length > LIMIT_SESSION_NAME_BYTES ||
        (call != NULL && ended->content.length > call->base.limit)) {
        return false;
    }
    if (call == NULL) {
        return true;
    }
    call->id = 0;
    call->has_ended = true;
    call->outcome = (enum outcome)ended->outcome;
    call->answer = (struct transport_answer){
        .fault = (enum transport_fault)ended->fault,
        .message = arena_text(call->base.memory, ended->message),
        .code = (int)ended->code,
        .signal = arena_text(call->base.memory, ended->signal),
        .bytes = { ended->out_bytes, ended->error_bytes },
        .dropped = { ended->out_dropped, ended->error_dropped },
        .content = arena_text(call->base.memory, ended->content),
    };
    remote_take_end_report(call);
    return true;
}

/* Sends pieces of input in the order of the requests, one at a time. Pieces for all nodes of the
 * process at the same time would fill a megabyte of the queue. */
void remote_input_give(void *arg)
{
    struct remote *self = arg;

    while (!self->is_over && worker_waiting(self->worker) < LIMIT_SESSION_AHEAD_BYTES &&
           queue_text(&self->asking).length > 0) {
        struct remote_call *call;
        uint64_t id;

        memcpy(&id, queue_text(&self->asking).data, sizeof(id));
        self->asking.gone += sizeof(id);
        call = remote_take_call_find(self, id);
        if (call != NULL) { /* the call may have ended in the meantime */
            call->is_asking = false;
            (void)call_want(&call->base);
        }
    }
    queue_trim(&self->asking);
}

/* Handles a request for the next piece of input. It is invalid if the previous request is still
 * pending, or no input is left. */
static bool want_take(struct remote *self, const struct session_ipc_want *want)
{
    struct remote_call *call = remote_take_call_find(self, want->call);

    if (call == NULL) {
        return is_past(want->call, self->next_call);
    }
    if (call->base.is_wanting || call->is_asking || call->base.input_left == 0) {
        return false;
    }
    call->is_asking = true;
    memcpy(queue_room(&self->asking, sizeof(call->id)), &call->id, sizeof(call->id));
    self->asking.length += sizeof(call->id);
    remote_input_give(self);
    return true;
}

/* Handles the first message of the process, and logs missing parts of its sandbox. */
static bool remote_take_ready_take(struct remote *self, const struct session_ipc_ready *ready)
{
    if (self->is_greeted) {
        return false;
    }
    self->is_greeted = true;
    loop_timer_stop(self->start);
    for (size_t i = 0; i < ready->sandbox.count; i++) {
        const struct wire_pair *part = wire_item(ready->sandbox, struct wire_pair, i);

        if (!text_has_prefix(part->value, TEXT("in force"))) {
            log_info(self->options.log, "session", "sandbox_part_missing",
                     log_text("part", part->name), log_text("reason", part->value));
        }
    }
    return true;
}

static bool remote_take_message_take(struct remote *self, const struct session_ipc_message *message)
{
    if (!self->is_greeted && message->type != SESSION_IPC_READY &&
        message->type != SESSION_IPC_FAILED) {
        return false;
    }
    switch (message->type) {
    case SESSION_IPC_READY:
        return remote_take_ready_take(self, &message->ready);
    case SESSION_IPC_OPENED:
        return opened_take(self, &message->opened);
    case SESSION_IPC_LOST:
        return lost_take(self, &message->lost);
    case SESSION_IPC_OUTPUT:
        return remote_take_output_take(self, &message->output);
    case SESSION_IPC_ENDED:
        return ended_take(self, &message->ended);
    case SESSION_IPC_WANT:
        return want_take(self, &message->want);
    case SESSION_IPC_FAILED:
    case SESSION_IPC_BEGIN:
    case SESSION_IPC_OPEN:
    case SESSION_IPC_CALL:
    case SESSION_IPC_CANCEL:
    case SESSION_IPC_MORE:
    case SESSION_IPC_CLOSE:
    case SESSION_IPC_INPUT:
        break;
    }
    return false;
}

void remote_reported(void *arg, struct text frame)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct remote *self = arg;
    struct session_ipc_message message;
    struct err err;

    if (self->is_over) {
        return;
    }
    if (!session_ipc_parse(arena, frame, &message, &err)) {
        remote_over(self, err.text);
    } else if (message.type == SESSION_IPC_FAILED) {
        err_set(&err, CODE_R0700, "%.*s", TEXT_ARG(message.failed.message));
        remote_over(self, err.text);
    } else if (!remote_take_message_take(self, &message)) {
        remote_over(self, "the session process sent an impossible message");
    }
}
