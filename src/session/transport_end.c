#include "session/transport_end.h"

#include "base/limits.h"
#include "session/script.h"

#include <assert.h>
#include <stdarg.h>

/* The driver begins a call, and reports its output and its end. The call is then ready: a timer
 * that is due immediately reports it in the next iteration of the loop. The same timer handles
 * deadlines.
 *
 * Failures: when the deadline of a call passes, the driver drops the call, and the call is ready.
 * When a session ends, all of its calls are ready. When the caller closes a session, its calls are
 * reported immediately. */

/* ---- time ---- */

static uint64_t transport_end_first_due(struct heap *heap)
{
    const struct heap_node *first = heap_first(heap);

    return first == NULL ? UINT64_MAX : first->due;
}

void transport_timer_set(struct transport *transport)
{
    uint64_t open = transport_end_first_due(&transport->opens);
    uint64_t call = transport_end_first_due(&transport->deadlines);
    uint64_t due = open < call ? open : call;
    uint64_t now = loop_now_ms(transport->loop);

    if (transport->ready != NULL || transport->due != NULL) {
        loop_timer_start(transport->timer, 0, 0);
    } else if (due != UINT64_MAX) {
        loop_timer_start(transport->timer, due > now ? due - now : 0, 0);
    } else {
        loop_timer_stop(transport->timer);
    }
}

void transport_deadline_set(struct transport *transport, struct heap *heap, struct heap_node *node,
                            uint64_t deadline_ms)
{
    uint64_t most = UINT64_MAX / 4; /* a limit that prevents an overflow, and is too long to have an
                                     * effect */
    uint64_t wait_ms = (deadline_ms < most ? deadline_ms : most) + transport->driver->late_ms;

    loop_now_update(transport->loop);
    heap_put(heap, node, loop_now_ms(transport->loop) + wait_ms);
    transport_timer_set(transport);
}

/* ---- ends ---- */

void call_ready(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                struct text message)
{
    struct transport *transport = call->session->transport;

    assert(!call->is_ready);
    call->is_ready = true;
    call->outcome = outcome;
    call->answer.fault = fault;
    call->answer.message = message;
    heap_remove(&transport->deadlines, &call->deadline);
    call->next_ready = NULL;
    *transport->last_ready = call;
    transport->last_ready = &call->next_ready;
    transport_timer_set(transport);
}

/* Drops a call from the driver. The driver's later events for it are ignored. */
void call_leave(struct transport_call *call)
{
    if (!call->is_left) {
        call->is_left = true;
        call->session->transport->driver->drop(call);
    }
}

static void session_due(struct transport_session *session)
{
    struct transport *transport = session->transport;

    if (!session->is_due && !session->is_closing) {
        session->is_due = true;
        session->next = transport->due;
        transport->due = session;
        transport_timer_set(transport);
    }
}

/* Removes a call from the ready list. */
void call_unlist(struct transport_call *call)
{
    struct transport *transport = call->session->transport;
    struct transport_call **at = &transport->ready;

    transport->last_ready = &transport->ready;
    for (struct transport_call *one = transport->ready; one != NULL; one = one->next_ready) {
        if (one != call) {
            *at = one;
            at = &one->next_ready;
        }
    }
    *at = NULL;
    transport->last_ready = at;
}

void transport_call_report(struct transport_call *call)
{
    struct transport_session *session = call->session;

    for (struct transport_call **at = &session->calls; *at != NULL; at = &(*at)->next) {
        if (*at == call) {
            *at = call->next;
            break;
        }
    }
    session->call_count--;
    call->done(call->arg, call->outcome, &call->answer);
    if (call->input.length > 0) {
        secret_wipe((char *)(uintptr_t)call->input.data, call->input.length);
    }
    arena_free(call->memory);
}

void session_open_report(struct transport_session *session)
{
    session->is_reported = true;
    session->done(session->arg, session->outcome, &session->answer);
}

/* ---- events from a driver ---- */

void session_opened(struct transport_session *session, struct text host_key, bool is_first)
{
    assert(session->state == SESSION_OPENING);
    session->state = SESSION_OPEN;
    session->outcome = OUTCOME_OK;
    session->answer.host_key = arena_text(session->memory, host_key);
    session->answer.is_first = is_first;
    heap_remove(&session->transport->opens, &session->deadline);
    session_due(session);
}

void session_failed(struct transport_session *session, enum transport_fault fault,
                    struct text host_key, const char *format, ...)
{
    bool was_open = session->state == SESSION_OPEN;
    va_list args;

    if (session->state == SESSION_OVER) {
        return;
    }
    va_start(args, format);
    session->answer.message = arena_vprintf(session->memory, format, args);
    va_end(args);
    session->state = SESSION_OVER;
    session->answer.fault = fault;
    heap_remove(&session->transport->opens, &session->deadline);
    if (was_open && session->is_reported) {
        session->is_lost = true;
    } else { /* the result of opening was not reported yet */
        session->outcome = OUTCOME_REFUSED;
        session->answer.host_key = arena_text(session->memory, host_key);
    }
    for (struct transport_call *call = session->calls; call != NULL; call = call->next) {
        if (!call->is_ready) {
            call_leave(call);
            call_ready(call, call->is_sent ? OUTCOME_UNKNOWN : OUTCOME_REFUSED,
                       was_open ? fault : TRANSPORT_FAULT_CLOSED, session->answer.message);
        }
    }
    session_due(session);
}

static void piece_report(struct transport_call *call, enum transport_stream stream,
                         struct text piece)
{
    if (piece.length > 0 && !call->is_ready) {
        call->output(call->arg, stream, piece);
    }
}

/* Delivers whole lines, and buffers an incomplete line. */
static void lines_report(struct transport_call *call, enum transport_stream stream,
                         struct text piece)
{
    struct buf *line = &call->lines[stream];

    while (piece.length > 0) {
        size_t end = text_find_byte(piece, '\n');
        size_t most = LIMIT_SESSION_LINE_BYTES - line->length;
        size_t taken = end != SIZE_MAX && end < most ? end + 1 : piece.length;

        taken = taken < most ? taken : most;
        buf_add(line, text_slice(piece, 0, taken));
        piece = text_slice(piece, taken, piece.length);
        if (line->data[line->length - 1] == '\n' || line->length == LIMIT_SESSION_LINE_BYTES) {
            piece_report(call, stream, buf_text(line));
            line->length = 0;
        }
    }
}

void call_output(struct transport_call *call, enum transport_stream stream, struct text piece)
{
    uint64_t before = call->answer.bytes[stream];
    uint64_t left = before < call->output_max ? call->output_max - before : 0;
    struct text kept = text_slice(piece, 0, left < piece.length ? (size_t)left : piece.length);

    assert(!call->is_left);
    if (call->is_ready) {
        return;
    }
    call->answer.bytes[stream] += piece.length;
    call->answer.dropped[stream] += piece.length - kept.length;
    if (call->kind != CALL_EXEC) {
        buf_add(&call->taken[stream], kept);
    } else if (call->output != NULL && call->is_linewise) {
        lines_report(call, stream, kept);
    } else if (call->output != NULL) {
        piece_report(call, stream, kept);
    }
}

bool call_want(struct transport_call *call)
{
    assert(!call->is_left);
    if (call->input_left == 0) {
        return false;
    }
    if (!call->is_wanting && !call->is_ready) {
        call->is_wanting = true;
        if (call->wants != NULL) {
            call->wants(call->arg);
        } else {
            transport_give(call, text_slice(call->input, call->input.length - call->input_left,
                                            LIMIT_SESSION_PIECE_BYTES));
        }
    }
    return true;
}

void transport_give(struct transport_call *call, struct text piece)
{
    assert(call->is_wanting && piece.length > 0 && piece.length <= LIMIT_SESSION_PIECE_BYTES);
    assert(piece.length <= call->input_left);
    call->is_wanting = false;
    call->input_left -= piece.length;
    if (!call->is_left) {
        call->session->transport->driver->give(call, piece);
    }
}

static void put_end(struct transport_call *call, int code)
{
    enum transport_fault fault = code < 0 ? TRANSPORT_FAULT_CUT : script_put_fault(code);
    struct text why = script_plain(call->memory, buf_text(&call->taken[TRANSPORT_ERROR]));

    if (fault == TRANSPORT_FAULT_DIGEST) {
        why = TEXT("the received bytes differ from those sent");
    }
    /* UNKNOWN, because the command may have been interrupted after it had renamed the file */
    call_ready(call,
               fault == TRANSPORT_FAULT_NONE ? OUTCOME_OK
               : code < 0                    ? OUTCOME_UNKNOWN
                                             : OUTCOME_REFUSED,
               fault, why);
}

static void get_end(struct transport_call *call, int code)
{
    enum transport_fault fault = script_get_read(code, buf_text(&call->taken[TRANSPORT_OUT]),
                                                 call->limit, &call->answer.content);
    struct text why = script_plain(call->memory, buf_text(&call->taken[TRANSPORT_ERROR]));

    if (fault != TRANSPORT_FAULT_NONE) {
        call->answer.content = TEXT("");
        why = fault == TRANSPORT_FAULT_LIMIT
                  ? arena_printf(call->memory, "the file has more than %llu bytes",
                                 (unsigned long long)call->limit)
              : fault == TRANSPORT_FAULT_DIGEST ? TEXT("the file changed while it was read")
                                                : why;
    }
    call_ready(call, fault == TRANSPORT_FAULT_NONE ? OUTCOME_OK : OUTCOME_REFUSED, fault, why);
}

void call_ended(struct transport_call *call, int code, struct text signal)
{
    call->is_left = true;
    if (call->is_ready) {
        return;
    }
    switch (call->kind) {
    case CALL_PUT:
        put_end(call, code);
        return;
    case CALL_GET:
        get_end(call, code);
        return;
    case CALL_EXEC:
        break;
    }
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        piece_report(call, (enum transport_stream)i, buf_text(&call->lines[i]));
    }
    if (!call->is_ready) {
        call->answer.code = code;
        call->answer.signal = arena_text(call->memory, signal);
        call_ready(call, OUTCOME_OK, TRANSPORT_FAULT_NONE, TEXT(""));
    }
}

void call_failed(struct transport_call *call, enum outcome outcome, enum transport_fault fault,
                 const char *format, ...)
{
    struct text message;
    va_list args;

    call->is_left = true;
    if (call->is_ready) {
        return;
    }
    va_start(args, format);
    message = arena_vprintf(call->memory, format, args);
    va_end(args);
    call_ready(call, outcome, fault, message);
}

void transport_call_answered(struct transport_call *call, enum outcome outcome,
                             const struct transport_answer *answer)
{
    struct text message = arena_text(call->memory, answer->message);

    call->is_left = true;
    if (call->is_ready) {
        return;
    }
    call->answer = *answer;
    call->answer.host_key = TEXT("");
    call->answer.signal = arena_text(call->memory, answer->signal);
    call->answer.content = arena_text(call->memory, answer->content);
    call_ready(call, outcome, answer->fault, message);
}

/* ---- reporting ---- */

/* Ends sessions and calls whose deadline has passed. */
static void transport_end_deadlines_look(struct transport *transport)
{
    uint64_t now;

    loop_now_update(transport->loop);
    now = loop_now_ms(transport->loop);
    while (transport_end_first_due(&transport->opens) <= now) {
        struct transport_session *session =
            heap_owner(heap_first(&transport->opens), struct transport_session, deadline);

        session_failed(session, TRANSPORT_FAULT_LATE, TEXT(""),
                       "no session could be opened in time");
    }
    while (transport_end_first_due(&transport->deadlines) <= now) {
        struct transport_call *call =
            heap_owner(heap_first(&transport->deadlines), struct transport_call, deadline);

        call_leave(call);
        call_ready(call, call->is_sent ? OUTCOME_UNKNOWN : OUTCOME_REFUSED, TRANSPORT_FAULT_LATE,
                   TEXT("the call did not end in time"));
    }
}

/* Reports the end of an open session. The ends of its calls are reported before. */
static void transport_end_session_report(struct transport_session *session)
{
    struct transport_driver const *driver = session->transport->driver;

    if (!session->is_reported) {
        if (session->state == SESSION_OVER) {
            driver->end(session);
        }
        session_open_report(session); /* this callback may free the session */
        return;
    }
    if (session->is_lost) {
        session->is_lost = false;
        driver->end(session);
        if (session->lost != NULL) {
            session->lost(session->arg, session->answer.fault, session->answer.message);
        }
    }
}

void transport_due(void *arg)
{
    struct transport *transport = arg;
    struct transport_call *last;

    transport_end_deadlines_look(transport);
    transport->is_reporting = true;
    while (transport->ready != NULL) {
        last = transport->ready;
        transport->ready = last->next_ready;
        if (transport->ready == NULL) {
            transport->last_ready = &transport->ready;
        }
        transport_call_report(last);
    }
    while (transport->due != NULL) {
        struct transport_session *session = transport->due;

        transport->due = session->next;
        session->is_due = false;
        transport_end_session_report(session);
    }
    transport->is_reporting = false;
    transport_timer_set(transport);
}
