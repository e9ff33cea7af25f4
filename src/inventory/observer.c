#include "inventory/observer.h"

#include "base/limits.h"
#include "codec/json.h"
#include "inventory/observer_parts.h"
#include "records/record.h"
#include "state/objects.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Normal case: the rows are followed by a watch of the cache. Each row waits in a heap for its next
 * decision; a report or probe result makes it due immediately. A decision that changes the row
 * writes the row and its event, unless another manager has changed the row in the meantime.
 *
 * Failures: if a write is rejected or its outcome is unknown, the decision is repeated after the
 * cache has caught up. If too many machines fail at the same time, a hold freezes all states
 * (evidence_is_held). */

uint64_t observer_now(const struct observer *observer)
{
    return observer->options.now_ms(observer->options.arg) * observer->options.times;
}

void observer_row_wait(struct observer_row *row, uint64_t at_ms)
{
    if (at_ms == UINT64_MAX) {
        heap_remove(&row->observer->due, &row->waiting);
    } else {
        heap_put(&row->observer->due, &row->waiting, at_ms);
    }
}

void observer_row_wait_before(struct observer_row *row, uint64_t at_ms)
{
    if (!row->waiting.is_in || row->waiting.due > at_ms) {
        observer_row_wait(row, at_ms);
    }
}

static void observer_wake(const struct observer *observer)
{
    observer->options.wake(observer->options.arg);
}

/* ---- tenants ---- */

struct observer_tenant *observer_tenant_get(struct observer *observer, struct text name)
{
    struct observer_tenant *tenant = observer->tenants;

    while (tenant != NULL && !text_is_equal(tenant->name, name)) {
        tenant = tenant->next;
    }
    if (tenant == NULL) {
        tenant = arena_one(observer->memory, struct observer_tenant);
        *tenant = (struct observer_tenant){ .next = observer->tenants,
                                            .name = arena_text(observer->memory, name) };
        observer->tenants = tenant;
    }
    return tenant;
}

static void observer_hold_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct observer_tenant *tenant = arg;

    (void)answer;
    tenant->is_writing = false;
    tenant->is_hold_dirty = tenant->is_hold_dirty || outcome != OUTCOME_OK;
}

static void observer_hold_write(struct observer *observer, struct observer_tenant *tenant)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    int64_t now_ms = observer->options.wall_ms(observer->options.arg);
    struct store_op op = {
        .key = objects_key(arena, tenant->name, TEXT(OBSERVER_HOLD_KIND), TEXT(OBSERVER_HOLD_ID),
                           CACHE_BASE),
        .value =
            arena_printf(arena, "{\"since\":%lld,\"why\":\"%s\"}", (long long)now_ms, tenant->why),
        .is_delete = !tenant->is_held,
    };
    struct store_event event = {
        .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(tenant->name)),
        .body = arena_printf(arena, "{\"actor\":\"reeve\",\"fact\":\"%s\",\"type\":\"%s\"}",
                             tenant->why, tenant->is_held ? "inventory.held" : "inventory.freed"),
        .time_ms = (uint64_t)now_ms,
    };

    tenant->is_hold_dirty = false;
    tenant->is_writing = true;
    store_txn(observer->options.store,
              &(struct store_txn){ .ops = &op, .op_count = 1, .events = &event, .event_count = 1 },
              observer_hold_written, tenant);
}

/* Count the failing machines of a tenant, and set or end the hold. */
static void observer_crowd_look(struct observer *observer, struct observer_tenant *tenant)
{
    struct evidence_crowd crowd = { .is_source_down = tenant->is_source_down };
    uint64_t now_ms = observer_now(observer);
    struct text prefix = tenant->name;
    bool is_held;

    for (const struct map_node *node = map_first(&observer->rows, prefix);
         node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(&observer->rows, node->key)) {
        const struct observer_row *row = node->value;
        const struct evidence *evidence = &row->evidence;

        if (row->tenant != tenant || row->state != LIFECYCLE_STATE_DISCOVERED) {
            continue;
        }
        crowd.known++;
        crowd.missing += evidence->failed_ms > 0;
        crowd.failing +=
            evidence->failed_ms > 0 && now_ms - evidence->failed_ms <= EVIDENCE_TOGETHER_MS;
    }
    is_held = evidence_is_held(&crowd, tenant->is_held);
    if (is_held == tenant->is_held) {
        return;
    }
    tenant->is_held = is_held;
    tenant->is_hold_dirty = true;
    if (is_held && !tenant->is_source_down) {
        snprintf(tenant->why, sizeof(tenant->why),
                 "%zu of %zu machines failed within a minute: the manager may be cut off",
                 crowd.failing, crowd.known);
    } else if (!is_held) {
        snprintf(tenant->why, sizeof(tenant->why), "only %zu of %zu machines can be reached",
                 crowd.known - crowd.missing, crowd.known);
    }
}

/* ---- rows ---- */

bool observer_row_is_over(struct observer_row *row)
{
    if (row->observer != NULL) {
        return false;
    }
    if (!row->is_probing && !row->is_keying && !row->is_writing && !row->is_cleaning &&
        !row->is_reading_facts) {
        rows_free(row);
    }
    return true;
}

bool observer_row_read(struct arena *arena, const struct observer_row *row, struct discovered *out,
                       uint64_t *out_revision)
{
    const struct cache_object *object =
        cache_find(row->observer->options.cache, row->tenant->name, TEXT(DISCOVERED_KIND), row->id);

    if (!discovered_read(arena, object, out)) {
        return false;
    }
    *out_revision = object->parts[CACHE_BASE].revision;
    return true;
}

static void observer_row_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct observer_row *row = arg;
    struct observer *observer = row->observer;

    /* the cache shows whether the row was written; if not, the decision is repeated */
    (void)outcome;
    (void)answer;
    row->is_writing = false;
    if (observer_row_is_over(row)) {
        return;
    }
    observer_row_wait(row, observer_now(observer) + OBSERVER_BUSY_MS);
    observer_wake(observer);
}

void observer_row_write(struct observer_row *row, const struct discovered *changed,
                        uint64_t revision, const char *type, struct text fact)
{
    struct observer *observer = row->observer;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc_builder builder;
    struct store_event event;
    struct buf buf;
    struct doc doc;

    struct store_op ops[] = {
        { .key = discovered_key(arena, row->tenant->name, row->id),
          .value = discovered_format(arena, changed) },
        { .key = discovered_hooks_key(arena, row->tenant->name, row->id), .is_delete = true },
    };
    bool has_hooks = changed->cleanup.since_ms == 0 &&
                     cache_find(observer->options.cache, row->tenant->name,
                                TEXT(DISCOVERED_CLEANUP_KIND), row->id) != NULL;
    struct store_compare compare = { .key = ops[0].key, .revision = revision };

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(TEXT("reeve"), NULL));
    doc_builder_put(
        &builder, "fact",
        doc_text(arena_printf(arena, "%.*s (%.*s)%s%.*s", TEXT_ARG(changed->name),
                              TEXT_ARG(row->id), fact.length > 0 ? ": " : "", TEXT_ARG(fact)),
                 NULL));
    doc_builder_put(&builder, "id", doc_text(row->id, NULL));
    doc_builder_put(&builder, "type", doc_text(text_from(type == NULL ? "" : type), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    event = (struct store_event){
        .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(row->tenant->name)),
        .body = buf_text(&buf),
        .time_ms = (uint64_t)observer->options.wall_ms(observer->options.arg),
    };
    row->is_writing = true;
    store_txn(observer->options.store,
              &(struct store_txn){ &compare, 1, ops, has_hooks ? 2 : 1, &event, type != NULL },
              observer_row_written, row);
}

/* ---- probes ---- */

static void observer_probed(void *arg, bool is_alive)
{
    struct observer_row *row = arg;
    struct observer *observer = row->observer;

    row->is_probing = false;
    if (observer_row_is_over(row)) {
        return;
    }
    observer->probes--;
    evidence_probe(&row->evidence, is_alive, observer_now(observer));
    observer_row_wait(row, 0);
    observer_wake(observer);
}

static void observer_probe_begin(struct observer_row *row, const struct discovered *stored)
{
    struct observer *observer = row->observer;

    if (observer->probes >= OBSERVER_PROBES) {
        observer_row_wait(row, observer_now(observer) + OBSERVER_BUSY_MS);
        return;
    }
    row->is_probing = true;
    observer->probes++;
    observer->options.probe(observer->options.arg, stored->address,
                            stored->port == 0 ? 22 : stored->port, observer_probed, row);
}

/* ---- pending cleanups ---- */

static void observer_cleaned(void *arg, bool is_done, struct text why)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer_row *row = arg;
    struct observer *observer = row->observer;
    struct discovered stored;
    uint64_t revision;

    row->is_cleaning = false;
    if (observer_row_is_over(row)) {
        return;
    }
    row->cleaned_ms = observer_now(observer);
    observer_row_wait(row, row->cleaned_ms + OBSERVER_CLEANUP_AGAIN_MS);
    if (row->is_writing || !observer_row_read(arena, row, &stored, &revision) ||
        stored.cleanup.since_ms == 0) {
        /* the next decision repeats the cleanup, which has no effect if nothing is left to clean
         * up */
        return;
    }
    if (is_done) {
        stored.cleanup = (struct discovered_cleanup){ 0 };
        stored.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING] = (struct discovered_mark){ 0 };
        observer_row_write(row, &stored, revision, "node.cleaned", TEXT(""));
    } else if (!text_is_equal(why, stored.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].reason)) {
        stored.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].reason = record_sentence(arena, why);
        observer_row_write(row, &stored, revision, NULL, TEXT(""));
    }
}

/* Start the pending cleanup of a machine that is reachable again, before any other use of the
 * machine (I30). The cleanup requires a login, so the machine must have the approved host key
 * (I27). */
static void observer_cleanup_begin(struct observer_row *row, const struct discovered *stored)
{
    struct observer *observer = row->observer;
    bool is_early =
        row->cleaned_ms > 0 && observer_now(observer) - row->cleaned_ms < OBSERVER_CLEANUP_AGAIN_MS;

    if (stored->cleanup.since_ms == 0 || stored->claim.token.length > 0 ||
        !discovered_is_approved(stored) || stored->state != LIFECYCLE_STATE_DISCOVERED ||
        observer->options.cleanup == NULL || row->is_cleaning || row->is_writing) {
        return;
    }
    if (is_early) {
        observer_row_wait(row, row->cleaned_ms + OBSERVER_CLEANUP_AGAIN_MS);
        return;
    }
    row->is_cleaning = true;
    observer->options.cleanup(observer->options.arg, row->tenant->name, stored, observer_cleaned,
                              row);
}

/* ---- decisions ---- */

/* Apply the derived state to the row. Returns the type of the event, or NULL if nothing changes. */
static const char *observer_opinion_lay(struct arena *arena, struct observer_row *row,
                                        const struct evidence_opinion *opinion,
                                        struct discovered *stored, struct text *out_fact)
{
    const struct observer *observer = row->observer;
    int64_t wall_ms = observer->options.wall_ms(observer->options.arg);
    struct discovered_mark *flapping = &stored->conditions[LIFECYCLE_CONDITION_FLAPPING];

    if (opinion->is_flapping != (flapping->since_ms > 0)) {
        *flapping = opinion->is_flapping
                        ? (struct discovered_mark){ wall_ms, arena_printf(arena,
                                                                          "more than %d changes in "
                                                                          "10 min",
                                                                          EVIDENCE_FLAPS) }
                        : (struct discovered_mark){ 0 };
        *out_fact = opinion->is_flapping ? flapping->reason : TEXT("2 min without a change");
        return opinion->is_flapping ? "node.flapping" : "node.steady";
    }
    if (opinion->state != stored->state && !row->tenant->is_held) {
        bool is_back = stored->state == LIFECYCLE_STATE_DISAPPEARED;

        discovered_state_set(stored, opinion->state, wall_ms);
        for (size_t i = 0; i < stored->source_count; i++) {
            stored->sources[i].note = text_from(opinion->cause);
        }
        *out_fact = text_from(opinion->cause);
        return opinion->state == LIFECYCLE_STATE_DISAPPEARED ? "node.lost"
               : is_back                                     ? "node.returned"
                                                             : "node.seen";
    }
    if (opinion->is_suspected && !row->is_suspected) {
        for (size_t i = 0; i < stored->source_count; i++) {
            stored->sources[i].note = TEXT("suspected");
        }
        row->is_suspected = true;
        return "node.suspected";
    }
    if (!opinion->is_suspected && row->is_suspected) {
        for (size_t i = 0; i < stored->source_count; i++) {
            stored->sources[i].note = TEXT("");
        }
        row->is_suspected = false;
    }
    return NULL;
}

/* Ends an installation that has not made progress in time. Returns the type of the event; NULL:
 * nothing changes, and the row is decided again at the deadline. */
static const char *observer_install_lay(struct arena *arena, struct observer_row *row,
                                        struct discovered *stored, struct text *out_fact)
{
    const struct observer *observer = row->observer;
    struct discovered_install *install = &stored->install;
    uint64_t limit_ms = install->state == DISCOVERED_INSTALL_DONE
                            ? 0 /* the member waits for its first login */
                            : discovered_install_limit(install);
    int64_t wall_ms = observer->options.wall_ms(observer->options.arg);
    int64_t due_ms = install->since_ms + (int64_t)(limit_ms / observer->options.times);

    if (limit_ms == 0 || stored->claim.token.length == 0) {
        return NULL;
    }
    if (wall_ms <= due_ms) {
        observer_row_wait_before(row, observer_now(observer) + (uint64_t)(due_ms - wall_ms + 1) *
                                                                   observer->options.times);
        return NULL;
    }
    install->why = arena_printf(arena, "the machine has not %s within %llu min",
                                install->state == DISCOVERED_INSTALL_WANTED ? "begun to install"
                                                                            : "ended this step",
                                (unsigned long long)limit_ms / 60000);
    install->step = install->step.length > 0 ? install->step : TEXT("start");
    install->state = DISCOVERED_INSTALL_FAILED;
    install->since_ms = wall_ms;
    *out_fact = arena_printf(arena, "%.*s: %.*s", TEXT_ARG(install->step), TEXT_ARG(install->why));
    return "node.install_failed";
}

static void observer_decide(struct observer_row *row)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer *observer = row->observer;
    struct evidence_opinion opinion;
    struct discovered stored;
    struct text fact = TEXT("");
    uint64_t revision;
    const char *type;

    if (row->is_writing || !observer_row_read(arena, row, &stored, &revision)) {
        /* the decision follows when the current write has ended, or is not needed because the row
         * no longer exists */
        return;
    }
    opinion = evidence_decide(&row->evidence, stored.state, observer_now(observer));
    type = observer_opinion_lay(arena, row, &opinion, &stored, &fact);
    type = type == NULL ? observer_twin_lay(arena, row, &stored, &fact) : type;
    type = type == NULL ? observer_install_lay(arena, row, &stored, &fact) : type;
    if (type != NULL) {
        observer_row_write(row, &stored, revision, type, fact);
        return;
    }
    observer_row_wait(row, opinion.due_ms);
    (void)observer_install_lay(arena, row, &stored, &fact); /* waits for the deadline */
    observer_renew(row);
    if (opinion.wants_probe && !row->is_probing && !row->is_writing && stored.address.length > 0) {
        observer_probe_begin(row, &stored);
    }
    observer_key_begin(row, &stored);
    observer_cleanup_begin(row, &stored);
    observer_facts_begin(row, &stored);
}

/* ---- following the rows ---- */

static void observer_index_put(struct map *map, struct observer_row *row, struct text key)
{
    /* a map keeps the key of the first put, so that key must live as long as the map */
    map_put(map, map_find(map, key) == NULL ? arena_text(map->arena, key) : key, row);
}

/* Handle the first appearance of a new machine's row in the cache: its source reports the machine
 * as alive. */
static void observer_row_appeared(struct observer_row *row, struct text key)
{
    struct observer_new *one = map_remove(&row->observer->pending, key);

    if (one != NULL) {
        evidence_report(&row->evidence, EVIDENCE_SOURCE_ALIVE, observer_now(row->observer));
        one->is_over = true;
        one->tenant->pending--;
        if (one->is_written) { /* otherwise it is still queued, or its answer is pending */
            arena_free(one->renewal.arena);
        }
    }
}

/* Index a row by its sources and its address. The keys of a previous address stay in the index
 * until another row has that address; therefore observer_member_find compares the address too. */
static void observer_row_index(struct observer_row *row, const struct discovered *stored)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer *observer = row->observer;
    struct text tenant = row->tenant->name;

    for (size_t i = 0; i < stored->source_count; i++) {
        const struct discovered_source *source = &stored->sources[i];

        if (source->name.length > 0) {
            struct text key = arena_printf(arena, "%.*s/%.*s/%.*s", TEXT_ARG(tenant),
                                           TEXT_ARG(source->kind), TEXT_ARG(source->name));

            observer_index_put(&observer->sources, row, key);
            observer_row_appeared(row, key);
        }
    }
    if (stored->address.length > 0) {
        observer_index_put(
            &observer->seen, row,
            arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(stored->address)));
    }
}

static struct observer_row *observer_row_new(struct observer *observer, struct text tenant,
                                             const struct discovered *stored)
{
    struct observer_row *row =
        rows_resize(NULL, sizeof(*row) + tenant.length + stored->id.length + 2);
    char *at = (char *)(row + 1);
    uint64_t now_ms = observer_now(observer);

    *row = (struct observer_row){ .observer = observer,
                                  .tenant = observer_tenant_get(observer, tenant) };
    row->key = (struct text){ at, tenant.length + 1 + stored->id.length };
    memcpy(at, tenant.data, tenant.length);
    at[tenant.length] = '/';
    memcpy(at + tenant.length + 1, stored->id.data, stored->id.length);
    row->id = text_slice(row->key, tenant.length + 1, SIZE_MAX);
    /* the stored state at the start of the manager is not a change, and needs no immediate probe */
    row->evidence.probed_ms = now_ms;
    if (stored->state == LIFECYCLE_STATE_DISCOVERED) {
        row->evidence.alive_ms = now_ms;
    } else {
        row->evidence.failed_ms = now_ms;
    }
    row->tenant->rows++;
    map_put(&observer->rows, row->key, row);
    observer_row_wait(row, now_ms + EVIDENCE_SPACING_MS);
    return row;
}

/* Remove all keys of the row from the indexes. */
static void observer_index_remove(struct map *map, const struct observer_row *row)
{
    const struct map_node *node = map_first(map, TEXT(""));

    while (node != NULL) {
        struct text key = node->key;

        if (node->value == row) {
            map_remove(map, key);
        }
        node = map_after(map, key);
    }
}

/* Remove a row that is no longer in any index. */
static void observer_row_end(struct observer_row *row)
{
    struct observer *observer = row->observer;

    heap_remove(&observer->due, &row->waiting);
    row->tenant->rows--;
    if (row->renewal != NULL) {
        arena_free(row->renewal->arena);
    }
    observer->probes -= row->is_probing;
    observer->keys -= row->is_keying;
    observer->logins -= row->is_reading_facts;
    row->observer = NULL;
    (void)observer_row_is_over(row);
}

static void observer_row_drop(struct observer_row *row)
{
    struct observer *observer = row->observer;

    map_remove(&observer->rows, row->key);
    observer_identity_remove(row);
    observer_index_remove(&observer->sources, row);
    observer_index_remove(&observer->seen, row);
    observer_row_end(row);
}

/* Start new indexes. Their memory is freed together with them. */
static void observer_maps_init(struct observer *observer)
{
    arena_free(observer->indexes);
    observer->indexes = arena_new_small(SIZE_MAX);
    map_init(&observer->rows, observer->indexes);
    map_init(&observer->sources, observer->indexes);
    map_init(&observer->seen, observer->indexes);
    map_init(&observer->known, observer->indexes);
}

/* End all rows. */
static void observer_rows_clear(struct observer *observer)
{
    struct map_cursor cursor;

    /* the keys are memory of the rows; moving a cursor does not compare keys */
    for (const struct map_node *node = map_cursor_seek(&cursor, &observer->rows, TEXT(""));
         node != NULL; node = map_cursor_next(&cursor)) {
        observer_row_end(node->value);
    }
    observer_maps_init(observer);
}

static void observer_row_look(struct observer *observer, struct text tenant, struct text id,
                              struct blob *bytes)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer_row *row =
        map_find(&observer->rows, arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(id)));
    struct discovered stored;
    struct err err;
    bool is_moved;

    if (bytes == NULL ||
        !discovered_parse(arena, arena_text(arena, id), blob_text(bytes), &stored, &err)) {
        if (row != NULL) {
            observer_row_drop(row);
        }
        return;
    }
    if (row == NULL) {
        row = observer_row_new(observer, tenant, &stored);
    }
    is_moved = row->state != stored.state;
    if (row->state == LIFECYCLE_STATE_DISAPPEARED && is_moved) {
        observer_facts_renew(row);
    }
    if ((discovered_is_approved(&stored) && stored.read_ms == 0) || stored.install.id.length > 0) {
        observer_row_wait_before(row, 0);
    }
    row->state = stored.state;
    row->has_key = stored.host_key.length > 0;
    observer_row_index(row, &stored);
    observer_identity_index(row, &stored);
    if (is_moved) {
        observer_key_renew(row);
        observer_twins_wait(row);
    }
}

static void observer_changed(void *arg, enum cache_watch_state state,
                             const struct cache_change *change)
{
    struct observer *observer = arg;

    if (state == CACHE_WATCH_RESET) {
        observer->watch = NULL; /* observer_run reads all rows again */
    } else if (change->part == CACHE_BASE) {
        observer_row_look(observer, change->tenant, change->id, change->bytes);
    }
}

/* Read all rows, and follow their changes. */
static void observer_load(struct observer *observer)
{
    struct cache *cache = observer->options.cache;
    const struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT(DISCOVERED_KIND) };

    observer_rows_clear(observer);
    for (const struct cache_object *object = cache_first(cache, TEXT("/")); object != NULL;
         object = cache_next(cache, TEXT("/"), object)) {
        if (text_is(cache_kind(object), DISCOVERED_KIND)) {
            observer_row_look(observer, cache_tenant(object), cache_id(object),
                              object->parts[CACHE_BASE].bytes);
        }
    }
    observer->watch =
        cache_watch(cache, &scope, cache_revision(cache) + 1, observer_changed, observer);
}

/* ---- iterations ---- */

uint64_t observer_run(struct observer *observer)
{
    const struct heap_node *first;
    uint64_t now_ms;

    if (observer->is_closed || cache_state(observer->options.cache) != CACHE_READY) {
        return UINT64_MAX;
    }
    if (observer->watch == NULL) {
        observer_load(observer);
    }
    now_ms = observer_now(observer);
    first = heap_first(&observer->due);
    if (first != NULL && first->due <= now_ms) {
        for (struct observer_tenant *one = observer->tenants; one != NULL; one = one->next) {
            observer_crowd_look(observer, one);
        }
    }
    while ((first = heap_first(&observer->due)) != NULL && first->due <= now_ms) {
        struct observer_row *row = heap_owner(first, struct observer_row, waiting);

        heap_remove(&observer->due, &row->waiting);
        observer_decide(row);
        if (row->waiting.is_in && row->waiting.due <= now_ms) {
            observer_row_wait(row, now_ms + OBSERVER_BUSY_MS); /* never twice in an iteration */
        }
    }
    for (struct observer_tenant *one = observer->tenants; one != NULL; one = one->next) {
        if (one->is_hold_dirty && !one->is_writing) {
            observer_hold_write(observer, one);
        }
    }
    observer_news_write(observer);
    first = heap_first(&observer->due);
    return first == NULL ? UINT64_MAX : (first->due - now_ms) / observer->options.times + 1;
}

struct observer *observer_new(const struct observer_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct observer *observer = arena_one(memory, struct observer);

    assert(options->times > 0);
    *observer = (struct observer){ .memory = memory, .options = *options };
    observer->news_last = &observer->news;
    observer_maps_init(observer);
    map_init(&observer->pending, memory);
    return observer;
}

void observer_close(struct observer *observer)
{
    if (observer == NULL || observer->is_closed) {
        return;
    }
    observer->is_closed = true;
    if (observer->watch != NULL) {
        cache_watch_close(observer->watch);
        observer->watch = NULL;
    }
    observer_rows_clear(observer);
}

void observer_free(struct observer *observer)
{
    struct map_cursor cursor;

    if (observer != NULL) {
        observer_close(observer);
        for (struct observer_new *one = observer->news, *next; one != NULL; one = next) {
            next = one->next;
            if (!one->is_over) {
                map_remove(&observer->pending, one->key);
            }
            arena_free(one->renewal.arena);
        }
        for (const struct map_node *node = map_cursor_seek(&cursor, &observer->pending, TEXT(""));
             node != NULL; node = map_cursor_next(&cursor)) {
            arena_free(((struct observer_new *)node->value)->renewal.arena);
        }
        heap_clear(&observer->due);
        arena_free(observer->indexes);
        arena_free(observer->memory);
    }
}
