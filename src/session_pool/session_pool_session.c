#include "base/limits.h"
#include "session_pool/session_pool_parts.h"

#include <assert.h>

/* A run uses the session of its node, or opens one. A session is opened in the first process that
 * has room, in a new process, or in place of the session that has been idle longest.
 *
 * Failures: a node that cannot be reached is in back-off. The run is retried if nothing has
 * happened on the node: the process has ended before it sent anything to the node, or a kept
 * session was already closed. */

enum { TRIES_MAX = 3, PAUSE_DOUBLINGS_MAX = 20 };

static uint64_t session_pool_session_now_ms(const struct session_pool *session_pool)
{
    return loop_now_ms(session_pool->options.loop);
}

/* Returns the pause in ms after this many consecutive failures. It doubles with each failure;
 * jitter shortens it by up to half. */
static uint64_t pause_ms(const struct session_pool *session_pool, unsigned failures)
{
    const struct session_pool_limits *limits = &session_pool->options.limits;
    unsigned doublings = failures < PAUSE_DOUBLINGS_MAX ? failures : PAUSE_DOUBLINGS_MAX;
    uint64_t pause = limits->pause_ms << (doublings == 0 ? 0 : doublings - 1);

    pause = pause < limits->pause_max_ms ? pause : limits->pause_max_ms;
    return pause / 2 + random_below(session_pool->options.random, (size_t)(pause / 2) + 1);
}

/* ---- session processes ---- */

/* Records the failure of a process. The first failure causes no pause. Further consecutive failures
 * cause one, because they probably have a common cause. */
static void process_failed(struct session_pool *session_pool)
{
    session_pool->process_not_before_ms =
        session_pool->process_failures == 0
            ? 0
            : session_pool_session_now_ms(session_pool) +
                  pause_ms(session_pool, session_pool->process_failures);
    session_pool->process_failures++;
}

static void process_idle_set(struct process *process)
{
    struct session_pool *session_pool = process->session_pool;

    if (process->sessions == 0) {
        heap_put(&session_pool->idle_processes, &process->idle,
                 session_pool_session_now_ms(session_pool) + session_pool->options.limits.idle_ms);
    } else {
        heap_remove(&session_pool->idle_processes, &process->idle);
    }
    session_pool_stir(session_pool);
}

static void process_ended(void *arg, const char *why)
{
    struct process *process = arg;
    struct session_pool *session_pool = process->session_pool;

    log_warn(session_pool->options.log, "session", "ended", log_string("reason", why));
    process->is_over = true;
    process_failed(session_pool);
    session_pool_stir(session_pool);
}

MUST_CHECK static bool session_pool_session_process_make(struct session_pool *session_pool,
                                                         bool is_openssh, struct process **out,
                                                         struct err *err)
{
    const struct session_pool_maker *maker = &session_pool->options.maker;
    struct process *process = rows_resize(NULL, sizeof(*process));

    *process = (struct process){ .session_pool = session_pool, .is_openssh = is_openssh };
    if (!maker->make(maker->arg, is_openssh, process_ended, process, &process->transport, err)) {
        process_failed(session_pool);
        rows_free(process);
        return false;
    }
    process->next = session_pool->process_list;
    session_pool->process_list = process;
    session_pool->process_count++;
    *out = process;
    return true;
}

static struct process *process_with_room(const struct session_pool *session_pool, bool is_openssh)
{
    for (struct process *process = session_pool->process_list; process != NULL;
         process = process->next) {
        if (process->is_openssh == is_openssh && !process->is_over &&
            process->sessions < session_pool->options.limits.process_sessions) {
            return process;
        }
    }
    return NULL;
}

/* Closes the session that has been idle longest among the processes of this kind. Returns false if
 * none is idle. */
static bool idle_evict(struct session_pool *session_pool, bool is_openssh)
{
    struct node *oldest = NULL;

    for (size_t i = 0; i < session_pool->idle.count; i++) {
        struct node *node = heap_owner(session_pool->idle.nodes[i], struct node, idle);

        if (node->session != NULL && node->process->is_openssh == is_openssh &&
            !node->process->is_over && (oldest == NULL || node->idle.due < oldest->idle.due)) {
            oldest = node;
        }
    }
    if (oldest != NULL) {
        session_pool_close_session(oldest);
    }
    return oldest != NULL;
}

MUST_CHECK static bool process_have(struct session_pool *session_pool, bool is_openssh,
                                    struct process **out, struct err *err)
{
    *out = process_with_room(session_pool, is_openssh);
    if (*out != NULL) {
        return true;
    }
    if (session_pool->process_count < session_pool->options.limits.session_pool) {
        if (session_pool_session_now_ms(session_pool) < session_pool->process_not_before_ms) {
            return err_set(
                err, CODE_R0700,
                "the session process ended a moment ago, and has not been restarted yet");
        }
        return session_pool_session_process_make(session_pool, is_openssh, out, err);
    }
    if (idle_evict(session_pool, is_openssh)) {
        *out = process_with_room(session_pool, is_openssh);
    }
    return *out != NULL || err_set(err, CODE_R0700, "the limit of open sessions is reached");
}

void session_pool_sweep(struct session_pool *session_pool, bool is_all)
{
    for (struct process **at = &session_pool->process_list, *process; (process = *at) != NULL;) {
        bool is_idle =
            process->idle.is_in && process->idle.due <= session_pool_session_now_ms(session_pool);

        if (process->sessions == 0 && (is_all || process->is_over || is_idle)) {
            *at = process->next;
            heap_remove(&session_pool->idle_processes, &process->idle);
            session_pool->options.maker.drop(session_pool->options.maker.arg, process->transport);
            session_pool->process_count--;
            rows_free(process);
        } else {
            at = &process->next;
        }
    }
}

/* ---- runs ---- */

static bool may_again(const struct session_pool_run *run)
{
    return run->tries < TRIES_MAX && !run->is_cancelled && !run->node->session_pool->is_closing;
}

static void session_pool_session_again(struct session_pool_run *run)
{
    session_pool_close_session(run->node);
    session_pool_run_begin(run);
}

static void session_pool_session_output_came(void *arg, enum transport_stream stream,
                                             struct text piece)
{
    struct session_pool_run *run = arg;
    struct buf *kept = &run->output[stream];

    buf_add(kept, text_slice(piece, 0, LIMIT_SESSION_POOL_OUTPUT_BYTES - kept->length));
    if (run->order.output != NULL) {
        run->order.output(run->arg, stream, piece);
    }
}

static void session_pool_session_call_ended(void *arg, enum outcome outcome,
                                            const struct transport_answer *answer)
{
    struct session_pool_run *run = arg;
    bool is_gone = answer->fault == TRANSPORT_FAULT_CLOSED ||
                   answer->fault == TRANSPORT_FAULT_CUT || answer->fault == TRANSPORT_FAULT_PROCESS;

    run->call = NULL;
    if (outcome == OUTCOME_REFUSED && is_gone && may_again(run)) {
        session_pool_session_again(run);
        return;
    }
    session_pool_run_end(run, outcome, answer);
}

/* Sends the next piece of input. Only this piece is in memory, whatever the number of runs. */
static void input_wanted(void *arg)
{
    struct session_pool_run *run = arg;
    const struct session_run_spec *order = &run->order;
    char piece[LIMIT_SESSION_PIECE_BYTES];
    uint64_t left = order->input_bytes - run->given;
    size_t length = left < sizeof(piece) ? (size_t)left : sizeof(piece);
    uint64_t offset = run->given;

    run->given += length;
    if (order->read_input == NULL) {
        transport_give(run->call, text_slice(order->input, (size_t)offset, length));
    } else if (order->read_input(run->arg, offset, piece, length)) {
        transport_give(run->call, (struct text){ piece, length });
    } else {
        session_pool_cancel(run);
    }
}

static void session_pool_session_call_begin(struct session_pool_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct session_run_spec *order = &run->order;
    struct transport_session *session = run->node->session;
    uint64_t now = session_pool_session_now_ms(run->node->session_pool);
    uint64_t left_ms = run->due_ms > now ? run->due_ms - now : 1;
    struct transport_command command = {
        .command =
            order->write_command == NULL ? order->command : order->write_command(run->arg, arena),
        .input_bytes = order->input_bytes,
        .wants = input_wanted,
        .deadline_ms = left_ms,
        .output_max = order->output == NULL   ? LIMIT_SESSION_POOL_OUTPUT_BYTES
                      : order->output_max > 0 ? order->output_max
                                              : UINT64_MAX,
        .is_linewise = order->is_linewise,
        .output = session_pool_session_output_came,
    };
    char digest[DIGEST_TEXT_BYTES];
    struct transport_file file = { .path = order->path,
                                   .input_bytes = order->input_bytes,
                                   .wants = input_wanted,
                                   .mode = order->mode,
                                   .deadline_ms = left_ms };

    if (order->kind == SESSION_POOL_PUT) {
        digest_sha256(order->input, digest);
        file.digest = text_from(digest);
    }
    run->is_asked = true;
    run->given = 0;
    run->call = order->kind == SESSION_POOL_EXEC
                    ? transport_exec(session, &command, session_pool_session_call_ended, run)
                : order->kind == SESSION_POOL_PUT
                    ? transport_put(session, &file, session_pool_session_call_ended, run)
                    : transport_get(session, order->path, order->limit_bytes, left_ms,
                                    session_pool_session_call_ended, run);
    if (run->is_paused) {
        transport_pause(run->call);
    }
}

/* ---- sessions ---- */

void session_pool_close_session(struct node *node)
{
    struct transport_session *session = node->session;
    struct process *process = node->process;

    if (session == NULL) {
        return;
    }
    node->session = NULL; /* callbacks during the close must not find the session any more */
    node->process = NULL;
    transport_close(session);
    process->sessions--;
    process_idle_set(process);
}

/* True if the fault is in the manager and not in the node. */
static bool is_session_pool_session_ours(enum transport_fault fault)
{
    return fault == TRANSPORT_FAULT_INVALID || fault == TRANSPORT_FAULT_UNSUPPORTED ||
           fault == TRANSPORT_FAULT_CANCELLED || fault == TRANSPORT_FAULT_CLOSED ||
           fault == TRANSPORT_FAULT_LIMIT || fault == TRANSPORT_FAULT_PROCESS;
}

static void session_opened(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct node *node = arg;
    struct session_pool *session_pool = node->session_pool;
    struct session_pool_run *run = node->running;
    struct transport_answer reported = *answer;

    if (run == NULL || session_pool->is_closing) {
        return; /* the session is being closed */
    }
    arena_clear(node->memory);
    node->host_key = arena_text(node->memory, answer->host_key);
    node->why = arena_text(node->memory, answer->message);
    node->is_first = answer->is_first;
    if (outcome == OUTCOME_OK) {
        node->failures = 0;
        session_pool->process_failures = 0;
        if (run->is_cancelled) {
            session_pool_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED,
                                  "the run was cancelled");
        } else {
            session_pool_session_call_begin(run);
        }
        return;
    }
    reported.message = node->why;
    reported.host_key = node->host_key;
    if (answer->fault == TRANSPORT_FAULT_PROCESS && may_again(run)) {
        session_pool_session_again(run);
        return;
    }
    if (!is_session_pool_session_ours(answer->fault)) {
        node->failures++;
        node->fault = answer->fault;
        node->not_before_ms =
            session_pool_session_now_ms(session_pool) + pause_ms(session_pool, node->failures);
    }
    session_pool_close_session(node);
    session_pool_run_end(run, OUTCOME_REFUSED, &reported);
}

/* Called when a session is lost while it is idle, or after its run was reported. */
static void session_lost(void *arg, enum transport_fault fault, struct text why)
{
    struct node *node = arg;

    (void)fault;
    (void)why;
    session_pool_close_session(node);
}

static void session_begin(struct session_pool_run *run)
{
    const struct transport_target *target = &run->order.target;
    struct node *node = run->node;
    struct session_pool *session_pool = node->session_pool;
    bool is_openssh = target->is_operators || target->authority.length > 0 ||
                      target->exchange == TRANSPORT_SNTRUP761;
    uint64_t left_ms = run->due_ms > session_pool_session_now_ms(session_pool)
                           ? run->due_ms - session_pool_session_now_ms(session_pool)
                           : 1;
    uint64_t most_ms = session_pool->options.limits.open_ms;
    struct process *process;
    struct err err;

    if (!process_have(session_pool, is_openssh, &process, &err)) {
        session_pool_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_PROCESS, err.text);
        return;
    }
    run->is_asked = true;
    process->sessions++;
    session_pool->opened++;
    node->process = process;
    memcpy(node->target, run->target, sizeof(node->target));
    memcpy(node->login, run->login, sizeof(node->login));
    process_idle_set(process);
    node->session =
        transport_open(process->transport, target, left_ms < most_ms ? left_ms : most_ms,
                       session_lost, session_opened, node);
}

/* True if the node's back-off applies to this run. After a wrong host key, it applies only to
 * targets that expect the same key. After a rejected login, it applies only to runs with the same
 * user key. */
static bool is_in_backoff(const struct node *node, const struct session_pool_run *run)
{
    bool is_other = node->fault == TRANSPORT_FAULT_HOST_KEY
                        ? memcmp(node->target, run->target, sizeof(node->target)) != 0
                        : node->fault == TRANSPORT_FAULT_USER_KEY &&
                              memcmp(node->login, run->login, sizeof(node->login)) != 0;

    return session_pool_session_now_ms(node->session_pool) < node->not_before_ms && !is_other;
}

void session_pool_run_begin(struct session_pool_run *run)
{
    struct node *node = run->node;

    assert(node->running == run);
    run->tries++;
    if (run->is_cancelled) {
        session_pool_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED,
                              "the run was cancelled");
        return;
    }
    if (is_in_backoff(node, run)) {
        struct transport_answer answer = { .fault = node->fault,
                                           .message = node->why,
                                           .host_key = node->host_key };

        session_pool_run_end(run, OUTCOME_REFUSED, &answer);
        return;
    }
    if (node->session != NULL && (memcmp(node->target, run->target, sizeof(node->target)) != 0 ||
                                  !transport_is_open(node->session))) {
        session_pool_close_session(node);
    }
    if (node->session != NULL) {
        session_pool_session_call_begin(run);
    } else {
        session_begin(run);
    }
}
