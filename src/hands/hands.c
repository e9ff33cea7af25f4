#include "hands/hands.h"

#include "base/limits.h"
#include "hands/hands_parts.h"

#include <assert.h>
#include <stdio.h>

/* The happy path: a run joins the queue of its node, the node the queue of its zone; zones take turns in a ring while
 * there is room. When a run has ended its node goes to the end of its zone's queue, if it has another one; else its
 * session is idle, and closed after a while.
 *
 * All that begins, begins in the timer of the pool, which is due at once after anything has changed. */

struct hands_limits hands_limits_usual(void)
{
    return (struct hands_limits){
        .hand_sessions = LIMIT_HAND_SESSIONS,
        .hands = LIMIT_HANDS,
        .runs = LIMIT_HANDS_RUNS,
        .zone_runs = LIMIT_HANDS_ZONE_RUNS,
        .waiting = LIMIT_HANDS_WAITING,
        .idle_ms = LIMIT_HANDS_IDLE_MS,
        .open_ms = LIMIT_HANDS_OPEN_MS,
        .pause_ms = LIMIT_HANDS_PAUSE_MS,
        .pause_max_ms = LIMIT_HANDS_PAUSE_MAX_MS,
    };
}

static uint64_t now_ms(const struct hands *hands)
{
    return loop_now_ms(hands->options.loop);
}

static uint64_t first_due(const struct heap *heap)
{
    const struct heap_node *first = heap_first(heap);

    return first == NULL ? UINT64_MAX : first->due;
}

static void timer_set(struct hands *hands)
{
    uint64_t due = first_due(&hands->waiting);
    uint64_t now = now_ms(hands);

    due = first_due(&hands->idle) < due ? first_due(&hands->idle) : due;
    due = first_due(&hands->idle_hands) < due ? first_due(&hands->idle_hands) : due;
    if (hands->is_dirty) {
        loop_timer_start(hands->timer, 0, 0);
    } else if (due != UINT64_MAX) {
        loop_timer_start(hands->timer, due > now ? due - now : 0, 0);
    } else {
        loop_timer_stop(hands->timer);
    }
}

void hands_stir(struct hands *hands)
{
    if (!hands->is_dirty && !hands->is_closing) {
        hands->is_dirty = true;
        loop_timer_start(hands->timer, 0, 0);
    }
}

/* ---- nodes and zones ---- */

static struct zone *zone_have(struct hands *hands, struct text name)
{
    struct zone *zone = map_find(&hands->zones, name);

    if (zone == NULL) {
        zone = arena_one(hands->home, struct zone);
        zone->name = arena_text(hands->home, name);
        zone->last = &zone->first;
        zone->next = hands->turn == NULL ? zone : hands->turn->next;
        if (hands->turn == NULL) {
            hands->turn = zone;
        } else {
            hands->turn->next = zone;
        }
        map_put(&hands->zones, zone->name, zone);
    }
    return zone;
}

static struct node *node_have(struct hands *hands, struct text name, struct zone *zone)
{
    struct node *node = map_find(&hands->nodes, name);

    if (node == NULL) {
        node = rows_resize(NULL, sizeof(*node));
        *node = (struct node){ .hands = hands, .home = arena_new_small(SIZE_MAX) };
        node->name = blob_text(node->name_blob = blob_new(name));
        node->last = &node->first;
        map_put(&hands->nodes, node->name, node);
    }
    node->zone = node->running == NULL && !node->is_listed ? zone : node->zone;
    return node;
}

static void node_free(struct node *node)
{
    hands_session_close(node);
    heap_remove(&node->hands->idle, &node->idle);
    (void)map_remove(&node->hands->nodes, node->name);
    arena_free(node->home);
    blob_free(node->name_blob);
    rows_free(node);
}

/* It has something to do and may begin; or it is idle from now on. */
static void node_go(struct node *node)
{
    struct hands *hands = node->hands;
    struct zone *zone = node->zone;
    uint64_t idle_ms = hands->options.limits.idle_ms;
    uint64_t peace_ms = node->not_before_ms + hands->options.limits.pause_max_ms;

    if (node->running != NULL || node->is_listed) {
        return;
    }
    if (node->first == NULL) {
        /* how often it failed in a row is remembered for a while longer than its pause */
        heap_put(&hands->idle, &node->idle,
                 node->failures > 0 && peace_ms > now_ms(hands) + idle_ms
                     ? peace_ms
                     : now_ms(hands) + idle_ms);
    } else {
        heap_remove(&hands->idle, &node->idle);
        node->is_listed = true;
        node->next = NULL;
        *zone->last = node;
        zone->last = &node->next;
    }
    hands_stir(hands);
}

/* ---- runs ---- */

static void run_free(struct hands_run *run)
{
    struct text key = secret_reveal(run->order.target.key);

    if (key.length > 0) {
        secret_wipe((char *)(uintptr_t)key.data, key.length);
    }
    if (run->order.input.length > 0) {
        secret_wipe((char *)(uintptr_t)run->order.input.data, run->order.input.length);
    }
    arena_free(run->home);
}

/* Whoever is told may do anything but close the pool. */
static void run_tell(struct hands_run *run, enum outcome outcome,
                     const struct transport_answer *answer, uint64_t retry_ms)
{
    struct hands_result result = { .answer = *answer,
                                   .retry_ms = retry_ms,
                                   .is_asked = run->is_asked };

    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        result.output[i] = buf_text(&run->output[i]);
    }
    run->done(run->arg, outcome, &result);
    run_free(run);
}

void hands_run_end(struct hands_run *run, enum outcome outcome,
                   const struct transport_answer *answer)
{
    struct node *node = run->node;
    struct hands *hands = node->hands;
    uint64_t now = now_ms(hands);
    struct transport_answer told = *answer;

    assert(node->running == run && node->zone->running > 0 && hands->running > 0);
    node->running = NULL;
    node->zone->running--;
    hands->running--;
    if (told.host_key.length == 0) {
        told.host_key = node->host_key;
        told.is_first = node->is_first;
    }
    told.message = arena_text(run->home, told.message);
    told.host_key = arena_text(run->home, told.host_key);
    node_go(node);
    run_tell(run, outcome, &told, node->not_before_ms > now ? node->not_before_ms - now : 0);
}

void hands_run_fail(struct hands_run *run, enum outcome outcome, enum transport_fault fault,
                    const char *why)
{
    struct transport_answer answer = { .fault = fault, .message = text_from(why) };

    hands_run_end(run, outcome, &answer);
}

/* A run that has not begun leaves the queue of its node. */
static void waiting_refuse(struct hands_run *run, enum transport_fault fault, const char *why)
{
    struct node *node = run->node;
    struct transport_answer answer = { .fault = fault, .message = text_from(why) };
    struct hands_run **at = &node->first;

    while (*at != run) {
        at = &(*at)->next;
    }
    *at = run->next;
    if (run->next == NULL) {
        node->last = at;
    }
    heap_remove(&node->hands->waiting, &run->due);
    run_tell(run, OUTCOME_REFUSED, &answer, 0);
}

/* The first run of the first node of a zone that has one. */
static void zone_begin(struct hands *hands, struct zone *zone)
{
    struct node *node = zone->first;
    struct hands_run *run = node->first;

    zone->first = node->next;
    if (zone->first == NULL) {
        zone->last = &zone->first;
    }
    node->is_listed = false;
    if (run == NULL) { /* it was refused meanwhile */
        node_go(node);
        return;
    }
    node->first = run->next;
    if (node->first == NULL) {
        node->last = &node->first;
    }
    heap_remove(&hands->waiting, &run->due);
    if (run->order.wait_ms > 0) {
        run->due_ms = now_ms(hands) + run->order.deadline_ms;
    }
    node->running = run;
    zone->running++;
    hands->running++;
    hands_run_begin(run);
}

/* Zones take turns; one that has nothing to begin, or has its fill, is passed over. */
static void runs_begin(struct hands *hands)
{
    const struct hands_limits *limits = &hands->options.limits;
    size_t passed = 0;

    while (hands->turn != NULL && hands->running < limits->runs && passed < hands->zones.count) {
        struct zone *zone = hands->turn;

        hands->turn = zone->next;
        if (zone->first != NULL && zone->running < limits->zone_runs) {
            zone_begin(hands, zone);
            passed = 0;
        } else {
            passed++;
        }
    }
}

static void timer_due(void *arg)
{
    struct hands *hands = arg;
    uint64_t now;

    loop_now_update(hands->options.loop);
    now = now_ms(hands);
    hands->is_dirty = false;
    while (first_due(&hands->waiting) <= now) {
        struct hands_run *run = heap_owner(heap_first(&hands->waiting), struct hands_run, due);

        waiting_refuse(run, run->is_cancelled ? TRANSPORT_FAULT_CANCELLED : TRANSPORT_FAULT_LATE,
                       run->is_cancelled ? "it was cancelled" : "its turn did not come in time");
    }
    while (first_due(&hands->idle) <= now) {
        struct node *node = heap_owner(heap_first(&hands->idle), struct node, idle);

        node_free(node);
    }
    hands_sweep(hands, false);
    runs_begin(hands);
    timer_set(hands);
}

/* ---- what a caller says ---- */

static struct text keep(struct arena *arena, struct text text)
{
    return text_from(arena_string(arena, text));
}

static void order_copy(struct arena *arena, struct hands_order *order)
{
    struct transport_target *target = &order->target;

    target->address = keep(arena, target->address);
    target->user = keep(arena, target->user);
    target->key = secret_from(arena_text(arena, secret_reveal(target->key)));
    target->certificate = keep(arena, target->certificate);
    target->host_keys = keep(arena, target->host_keys);
    target->authority = keep(arena, target->authority);
    target->host_name = keep(arena, target->host_name);
    order->command = arena_text(arena, order->command);
    order->input = arena_text(arena, order->input);
    order->path = arena_text(arena, order->path);
}

/* Whoever differs in anything of this has another session. */
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
    snprintf(numbers, sizeof(numbers), "%u %d %d %d", target->port, target->takes_first,
             target->is_operators, (int)target->exchange);
    digest_stream_add(stream, text_from(numbers));
    digest_stream_end(stream, out);
}

struct hands_run *hands_run(struct hands *hands, const struct hands_order *order, hands_done *done,
                            void *arg)
{
    uint64_t most = UINT64_MAX / 4;
    struct hands_run *run;
    struct arena *home;

    if (hands->waiting.count >= hands->options.limits.waiting || hands->is_closing) {
        return NULL;
    }
    home = arena_new_small(SIZE_MAX);
    run = arena_one(home, struct hands_run);
    *run = (struct hands_run){ .home = home, .order = *order, .done = done, .arg = arg };
    assert(order->read_input == NULL || (order->kind == HANDS_EXEC && order->input.length == 0));
    order_copy(home, &run->order);
    if (order->read_input == NULL) {
        run->order.input_bytes = order->input.length;
    }
    target_digest(&run->order.target, run->target);
    digest_sha256(secret_reveal(run->order.target.key), run->login);
    for (int i = 0; i < TRANSPORT_STREAM_COUNT; i++) {
        buf_init(&run->output[i], home);
    }
    run->node = node_have(hands, order->node, zone_have(hands, order->zone));
    *run->node->last = run;
    run->node->last = &run->next;
    loop_now_update(hands->options.loop);
    run->order.deadline_ms = order->deadline_ms < most ? order->deadline_ms : most;
    run->due_ms = now_ms(hands) + (order->wait_ms > 0 ? order->wait_ms : run->order.deadline_ms);
    heap_put(&hands->waiting, &run->due, run->due_ms);
    node_go(run->node);
    hands_stir(hands);
    return run;
}

void hands_pause(struct hands_run *run)
{
    run->is_paused = true;
    if (run->call != NULL) {
        transport_pause(run->call);
    }
}

void hands_resume(struct hands_run *run)
{
    run->is_paused = false;
    if (run->call != NULL) {
        transport_resume(run->call);
    }
}

void hands_cancel(struct hands_run *run)
{
    run->is_cancelled = true;
    if (run->call != NULL) {
        transport_cancel(run->call);
    } else if (run->due.is_in) {
        heap_put(&run->node->hands->waiting, &run->due, 0); /* told by the timer */
        hands_stir(run->node->hands);
    }
}

struct hands_state hands_state(const struct hands *hands)
{
    struct hands_state state = { .waiting = hands->waiting.count,
                                 .running = hands->running,
                                 .hands = hands->hand_count,
                                 .opened = hands->opened };

    for (const struct hand *hand = hands->hand_list; hand != NULL; hand = hand->next) {
        state.sessions += hand->sessions;
    }
    return state;
}

/* ---- beginning and ending ---- */

bool hands_open(const struct hands_options *options, struct hands **out, struct err *err)
{
    struct hands *hands = rows_resize(NULL, sizeof(*hands));

    assert(options->limits.hand_sessions > 0 && options->limits.hands > 0);
    assert(options->limits.runs > 0 && options->limits.zone_runs > 0);
    *hands = (struct hands){ .options = *options, .home = arena_new_small(SIZE_MAX) };
    map_init(&hands->nodes, hands->home);
    map_init(&hands->zones, hands->home);
    if (!loop_timer_open(options->loop, timer_due, hands, &hands->timer, err)) {
        arena_free(hands->home);
        rows_free(hands);
        return false;
    }
    *out = hands;
    return true;
}

void hands_close(struct hands *hands)
{
    const struct map_node *entry;

    if (hands == NULL) {
        return;
    }
    hands->is_closing = true;
    while ((entry = map_first(&hands->nodes, TEXT(""))) != NULL) {
        struct node *node = entry->value;

        hands_session_close(node); /* its run is told by this, where it is under way */
        if (node->running != NULL) {
            hands_run_fail(node->running, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED,
                           "the manager ends");
        }
        while (node->first != NULL) {
            waiting_refuse(node->first, TRANSPORT_FAULT_CANCELLED, "the manager ends");
        }
        node_free(node);
    }
    hands_sweep(hands, true);
    loop_timer_close(hands->timer);
    heap_clear(&hands->waiting);
    heap_clear(&hands->idle);
    heap_clear(&hands->idle_hands);
    arena_free(hands->home);
    rows_free(hands);
}
