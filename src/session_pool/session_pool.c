#include "session_pool/session_pool.h"

#include "base/limits.h"
#include "session_pool/session_pool_parts.h"

#include <assert.h>
#include <stdio.h>

/* A run joins the queue of its node, and the node joins the queue of its zone. The zones form a
 * ring and take turns while the limits allow. After a run, a node with further runs goes to the end
 * of its zone's queue. Without further runs, its session is idle, and is closed after a while.
 *
 * Runs start only in the pool's timer, which becomes due immediately after any change. */

struct session_pool_limits session_pool_limits_usual(void)
{
    return (struct session_pool_limits){
        .process_sessions = LIMIT_SESSION_SESSIONS,
        .session_pool = LIMIT_SESSION_POOL,
        .runs = LIMIT_SESSION_POOL_RUNS,
        .zone_runs = LIMIT_SESSION_POOL_ZONE_RUNS,
        .waiting = LIMIT_SESSION_POOL_WAITING,
        .idle_ms = LIMIT_SESSION_POOL_IDLE_MS,
        .open_ms = LIMIT_SESSION_POOL_OPEN_MS,
        .pause_ms = LIMIT_SESSION_POOL_PAUSE_MS,
        .pause_max_ms = LIMIT_SESSION_POOL_PAUSE_MAX_MS,
    };
}

static uint64_t session_pool_now_ms(const struct session_pool *session_pool)
{
    return loop_now_ms(session_pool->options.loop);
}

static uint64_t session_pool_first_due(const struct heap *heap)
{
    const struct heap_node *first = heap_first(heap);

    return first == NULL ? UINT64_MAX : first->due;
}

static void timer_set(struct session_pool *session_pool)
{
    uint64_t due = session_pool_first_due(&session_pool->waiting);
    uint64_t now = session_pool_now_ms(session_pool);

    due = session_pool_first_due(&session_pool->idle) < due
              ? session_pool_first_due(&session_pool->idle)
              : due;
    due = session_pool_first_due(&session_pool->idle_processes) < due
              ? session_pool_first_due(&session_pool->idle_processes)
              : due;
    if (session_pool->is_dirty) {
        loop_timer_start(session_pool->timer, 0, 0);
    } else if (due != UINT64_MAX) {
        loop_timer_start(session_pool->timer, due > now ? due - now : 0, 0);
    } else {
        loop_timer_stop(session_pool->timer);
    }
}

void session_pool_stir(struct session_pool *session_pool)
{
    if (!session_pool->is_dirty && !session_pool->is_closing) {
        session_pool->is_dirty = true;
        loop_timer_start(session_pool->timer, 0, 0);
    }
}

/* ---- nodes and zones ---- */

static struct zone *zone_have(struct session_pool *session_pool, struct text name)
{
    struct zone *zone = map_find(&session_pool->zones, name);

    if (zone == NULL) {
        zone = arena_one(session_pool->memory, struct zone);
        zone->name = arena_text(session_pool->memory, name);
        zone->last = &zone->first;
        zone->next = session_pool->turn == NULL ? zone : session_pool->turn->next;
        if (session_pool->turn == NULL) {
            session_pool->turn = zone;
        } else {
            session_pool->turn->next = zone;
        }
        map_put(&session_pool->zones, zone->name, zone);
    }
    return zone;
}

static struct node *node_have(struct session_pool *session_pool, struct text name,
                              struct zone *zone)
{
    struct node *node = map_find(&session_pool->nodes, name);

    if (node == NULL) {
        node = rows_resize(NULL, sizeof(*node));
        *node = (struct node){ .session_pool = session_pool, .memory = arena_new_small(SIZE_MAX) };
        node->name = blob_text(node->name_blob = blob_new(name));
        node->last = &node->first;
        map_put(&session_pool->nodes, node->name, node);
    }
    node->zone = node->running == NULL && !node->is_listed ? zone : node->zone;
    return node;
}

static void node_free(struct node *node)
{
    session_pool_close_session(node);
    heap_remove(&node->session_pool->idle, &node->idle);
    (void)map_remove(&node->session_pool->nodes, node->name);
    arena_free(node->memory);
    blob_free(node->name_blob);
    rows_free(node);
}

/* Adds the node to the list of its zone if it has a run to start. Otherwise its idle time
 * starts. */
static void node_go(struct node *node)
{
    struct session_pool *session_pool = node->session_pool;
    struct zone *zone = node->zone;
    uint64_t idle_ms = session_pool->options.limits.idle_ms;
    uint64_t peace_ms = node->not_before_ms + session_pool->options.limits.pause_max_ms;

    if (node->running != NULL || node->is_listed) {
        return;
    }
    if (node->first == NULL) {
        /* the number of failures is kept after the back-off, so that the next pause is longer */
        heap_put(&session_pool->idle, &node->idle,
                 node->failures > 0 && peace_ms > session_pool_now_ms(session_pool) + idle_ms
                     ? peace_ms
                     : session_pool_now_ms(session_pool) + idle_ms);
    } else {
        heap_remove(&session_pool->idle, &node->idle);
        node->is_listed = true;
        node->next = NULL;
        *zone->last = node;
        zone->last = &node->next;
    }
    session_pool_stir(session_pool);
}

/* ---- runs ---- */

static void session_pool_run_free(struct session_pool_run *run)
{
    struct text key = secret_reveal(run->order.target.key);

    if (key.length > 0) {
        secret_wipe((char *)(uintptr_t)key.data, key.length);
    }
    if (run->order.input.length > 0) {
        secret_wipe((char *)(uintptr_t)run->order.input.data, run->order.input.length);
    }
    arena_free(run->memory);
}

/* Calls `done` of the run. The callback may call every function except session_pool_close. */
static void run_report(struct session_pool_run *run, enum outcome outcome,
                       const struct transport_answer *answer, uint64_t retry_ms)
{
    struct session_run_result result = { .answer = *answer,
                                         .retry_ms = retry_ms,
                                         .is_asked = run->is_asked };

    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        result.output[i] = buf_text(&run->output[i]);
    }
    run->done(run->arg, outcome, &result);
    session_pool_run_free(run);
}

void session_pool_run_end(struct session_pool_run *run, enum outcome outcome,
                          const struct transport_answer *answer)
{
    struct node *node = run->node;
    struct session_pool *session_pool = node->session_pool;
    uint64_t now = session_pool_now_ms(session_pool);
    struct transport_answer reported = *answer;

    assert(node->running == run && node->zone->running > 0 && session_pool->running > 0);
    node->running = NULL;
    node->zone->running--;
    session_pool->running--;
    if (reported.host_key.length == 0) {
        reported.host_key = node->host_key;
        reported.is_first = node->is_first;
    }
    reported.message = arena_text(run->memory, reported.message);
    reported.host_key = arena_text(run->memory, reported.host_key);
    node_go(node);
    run_report(run, outcome, &reported, node->not_before_ms > now ? node->not_before_ms - now : 0);
}

void session_pool_run_fail(struct session_pool_run *run, enum outcome outcome,
                           enum transport_fault fault, const char *why)
{
    struct transport_answer answer = { .fault = fault, .message = text_from(why) };

    session_pool_run_end(run, outcome, &answer);
}

/* Ends a run that has not started and removes it from its node's queue. */
static void session_pool_waiting_refuse(struct session_pool_run *run, enum transport_fault fault,
                                        const char *why)
{
    struct node *node = run->node;
    struct transport_answer answer = { .fault = fault, .message = text_from(why) };
    struct session_pool_run **at = &node->first;

    while (*at != run) {
        at = &(*at)->next;
    }
    *at = run->next;
    if (run->next == NULL) {
        node->last = at;
    }
    heap_remove(&node->session_pool->waiting, &run->due);
    run_report(run, OUTCOME_REFUSED, &answer, 0);
}

/* Starts the first run of the first node in the zone's list, if the node still has one. */
static void zone_begin(struct session_pool *session_pool, struct zone *zone)
{
    struct node *node = zone->first;
    struct session_pool_run *run = node->first;

    zone->first = node->next;
    if (zone->first == NULL) {
        zone->last = &zone->first;
    }
    node->is_listed = false;
    if (run == NULL) { /* the run was rejected in the meantime */
        node_go(node);
        return;
    }
    node->first = run->next;
    if (node->first == NULL) {
        node->last = &node->first;
    }
    heap_remove(&session_pool->waiting, &run->due);
    if (run->order.wait_ms > 0) {
        run->due_ms = session_pool_now_ms(session_pool) + run->order.deadline_ms;
    }
    node->running = run;
    zone->running++;
    session_pool->running++;
    session_pool_run_begin(run);
}

/* Starts runs while the limits allow. Zones take turns; a zone that has no run or has reached its
 * limit is skipped. */
static void runs_begin(struct session_pool *session_pool)
{
    const struct session_pool_limits *limits = &session_pool->options.limits;
    size_t passed = 0;

    while (session_pool->turn != NULL && session_pool->running < limits->runs &&
           passed < session_pool->zones.count) {
        struct zone *zone = session_pool->turn;

        session_pool->turn = zone->next;
        if (zone->first != NULL && zone->running < limits->zone_runs) {
            zone_begin(session_pool, zone);
            passed = 0;
        } else {
            passed++;
        }
    }
}

static void session_pool_timer_due(void *arg)
{
    struct session_pool *session_pool = arg;
    uint64_t now;

    loop_now_update(session_pool->options.loop);
    now = session_pool_now_ms(session_pool);
    session_pool->is_dirty = false;
    while (session_pool_first_due(&session_pool->waiting) <= now) {
        struct session_pool_run *run =
            heap_owner(heap_first(&session_pool->waiting), struct session_pool_run, due);

        session_pool_waiting_refuse(
            run, run->is_cancelled ? TRANSPORT_FAULT_CANCELLED : TRANSPORT_FAULT_LATE,
            run->is_cancelled ? "the run was cancelled" : "the run waited too long in the queue");
    }
    while (session_pool_first_due(&session_pool->idle) <= now) {
        struct node *node = heap_owner(heap_first(&session_pool->idle), struct node, idle);

        node_free(node);
    }
    session_pool_sweep(session_pool, false);
    runs_begin(session_pool);
    timer_set(session_pool);
}

/* ---- calls of the user ---- */

static struct text session_pool_keep(struct arena *arena, struct text text)
{
    return text_from(arena_string(arena, text));
}

static void order_copy(struct arena *arena, struct session_run_spec *order)
{
    struct transport_target *target = &order->target;

    target->address = session_pool_keep(arena, target->address);
    target->user = session_pool_keep(arena, target->user);
    target->key = secret_from(arena_text(arena, secret_reveal(target->key)));
    target->certificate = session_pool_keep(arena, target->certificate);
    target->host_keys = session_pool_keep(arena, target->host_keys);
    target->authority = session_pool_keep(arena, target->authority);
    target->host_name = session_pool_keep(arena, target->host_name);
    order->command = arena_text(arena, order->command);
    order->input = arena_text(arena, order->input);
    order->path = arena_text(arena, order->path);
}

/* Writes the digest of all members of a target. Each different target has separate sessions. */
static void target_digest(const struct transport_target *target, char out[static DIGEST_TEXT_BYTES])
{
    const struct text parts[] = {
        target->address,   target->user,      secret_reveal(target->key), target->certificate,
        target->host_keys, target->authority, target->host_name
    };
    struct digest_stream *stream = digest_stream_new();
    char numbers[64];

    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        digest_stream_add(stream, parts[i]);
        digest_stream_add(stream, (struct text){ "", 1 });
    }
    snprintf(numbers, sizeof(numbers), "%u %d %d %d", target->port, target->is_first_key_accepted,
             target->is_operators, (int)target->exchange);
    digest_stream_add(stream, text_from(numbers));
    digest_stream_end(stream, out);
}

struct session_pool_run *session_pool_run(struct session_pool *session_pool,
                                          const struct session_run_spec *order,
                                          session_pool_done *done, void *arg)
{
    uint64_t most = UINT64_MAX / 4;
    struct session_pool_run *run;
    struct arena *memory;

    if (session_pool->waiting.count >= session_pool->options.limits.waiting ||
        session_pool->is_closing) {
        return NULL;
    }
    memory = arena_new_small(SIZE_MAX);
    run = arena_one(memory, struct session_pool_run);
    *run = (struct session_pool_run){ .memory = memory, .order = *order, .done = done, .arg = arg };
    assert(order->read_input == NULL ||
           (order->kind == SESSION_POOL_EXEC && order->input.length == 0));
    order_copy(memory, &run->order);
    if (order->read_input == NULL) {
        run->order.input_bytes = order->input.length;
    }
    target_digest(&run->order.target, run->target);
    digest_sha256(secret_reveal(run->order.target.key), run->login);
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        buf_init(&run->output[i], memory);
    }
    run->node = node_have(session_pool, order->node, zone_have(session_pool, order->zone));
    *run->node->last = run;
    run->node->last = &run->next;
    loop_now_update(session_pool->options.loop);
    run->order.deadline_ms = order->deadline_ms < most ? order->deadline_ms : most;
    run->due_ms = session_pool_now_ms(session_pool) +
                  (order->wait_ms > 0 ? order->wait_ms : run->order.deadline_ms);
    heap_put(&session_pool->waiting, &run->due, run->due_ms);
    node_go(run->node);
    session_pool_stir(session_pool);
    return run;
}

void session_pool_pause(struct session_pool_run *run)
{
    run->is_paused = true;
    if (run->call != NULL) {
        transport_pause(run->call);
    }
}

void session_pool_resume(struct session_pool_run *run)
{
    run->is_paused = false;
    if (run->call != NULL) {
        transport_resume(run->call);
    }
}

void session_pool_cancel(struct session_pool_run *run)
{
    run->is_cancelled = true;
    if (run->call != NULL) {
        transport_cancel(run->call);
    } else if (run->due.is_in) {
        heap_put(&run->node->session_pool->waiting, &run->due, 0); /* the timer reports the run */
        session_pool_stir(run->node->session_pool);
    }
}

struct session_pool_state session_pool_state(const struct session_pool *session_pool)
{
    struct session_pool_state state = { .waiting = session_pool->waiting.count,
                                        .running = session_pool->running,
                                        .session_pool = session_pool->process_count,
                                        .opened = session_pool->opened };

    for (const struct process *process = session_pool->process_list; process != NULL;
         process = process->next) {
        state.sessions += process->sessions;
    }
    return state;
}

/* ---- opening and closing ---- */

bool session_pool_open(const struct session_pool_options *options, struct session_pool **out,
                       struct err *err)
{
    struct session_pool *session_pool = rows_resize(NULL, sizeof(*session_pool));

    assert(options->limits.process_sessions > 0 && options->limits.session_pool > 0);
    assert(options->limits.runs > 0 && options->limits.zone_runs > 0);
    *session_pool =
        (struct session_pool){ .options = *options, .memory = arena_new_small(SIZE_MAX) };
    map_init(&session_pool->nodes, session_pool->memory);
    map_init(&session_pool->zones, session_pool->memory);
    if (!loop_timer_open(options->loop, session_pool_timer_due, session_pool, &session_pool->timer,
                         err)) {
        arena_free(session_pool->memory);
        rows_free(session_pool);
        return false;
    }
    *out = session_pool;
    return true;
}

void session_pool_close(struct session_pool *session_pool)
{
    const struct map_node *entry;

    if (session_pool == NULL) {
        return;
    }
    session_pool->is_closing = true;
    while ((entry = map_first(&session_pool->nodes, TEXT(""))) != NULL) {
        struct node *node = entry->value;

        session_pool_close_session(node); /* this call reports the active run */
        if (node->running != NULL) {
            session_pool_run_fail(node->running, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED,
                                  "the manager is stopping");
        }
        while (node->first != NULL) {
            session_pool_waiting_refuse(node->first, TRANSPORT_FAULT_CANCELLED,
                                        "the manager is stopping");
        }
        node_free(node);
    }
    session_pool_sweep(session_pool, true);
    loop_timer_close(session_pool->timer);
    heap_clear(&session_pool->waiting);
    heap_clear(&session_pool->idle);
    heap_clear(&session_pool->idle_processes);
    arena_free(session_pool->memory);
    rows_free(session_pool);
}
