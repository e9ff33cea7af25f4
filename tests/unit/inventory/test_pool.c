/* Random simulations of the inventory: waiting machines, two managers that share a store,
 * operators, and a source with arbitrary reports. An oracle reads every change of a row and reports
 * violations: I29 (a machine is claimed twice, or without a request), I30, I32, I33. With a guard
 * switched off it must find a violation, which shows that the test is effective. Requirements: C17,
 * C18, C21, C27. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "inventory/evidence.h"
#include "inventory/inventory.h"
#include "plan/guard.h"
#include "reconcile/control_parts.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum {
    RING = 4096,
    MANAGERS = 2,
    ROWS = 6,
    TOKENS = 400,
    STEPS = 300,
    WORLDS = 60,
    /* time scale, by which a waiting machine counts as unchanged after a millisecond */
    HASTE = 60000,
};

#define OTHER "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFzcOrK4sQ1pWnqbdN6v0u7yNqXhSTT6kRm0tSE4nQ2c"
#define KEY   "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINyEHrZWDlmP9CXYeLcOG2MmD9UYRxIEBlXlejMwVG2i"

/* The oracle's data about one row. */
struct seen {
    struct discovered row;
    bool is_there;
};

struct token {
    char name[16];
    size_t cluster;
    size_t answers; /* number of pending answers */
    bool is_destroyed;
};

static struct {
    struct arena *arena;
    struct store *store;
    struct cache *caches[MANAGERS + 1]; /* the last cache belongs to the oracle */
    struct inventory *inventories[MANAGERS];
    struct seen seen[ROWS];
    struct token tokens[TOKENS];
    size_t token_count;
    int64_t now_ms;
    uint64_t random;
    uint32_t guards_off;
    bool is_cleaned[ROWS]; /* A cleanup has succeeded, so no cleanup is pending. */
    char fault[200];       /* the first violation; empty: none */
} pool;

/* How often each situation has occurred in all simulations. A situation that never occurs would not
 * be tested. */
static struct {
    unsigned reserved; /* claims of machines that an operator has reserved */
    unsigned automatic;
    unsigned ended;
    unsigned pending; /* pending cleanups */
    unsigned moved;   /* reservations of machines that were members */
} counts;

static const char *const clusters[] = { "c1", "c2" };
static const char *const policies[] = { "{\"autoCommission\":\"10.0.0.0/24\"}",
                                        "{\"autoCommission\":\"listed\"}" };

static uint64_t draw(uint64_t below)
{
    pool.random ^= pool.random << 13;
    pool.random ^= pool.random >> 7;
    pool.random ^= pool.random << 17;
    return pool.random % below;
}

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return ++pool.now_ms;
}

static void wake(void *arg)
{
    (void)arg;
}

static struct text row_id(size_t row)
{
    return arena_printf(pool.arena, "m-%06zx", row);
}

/* ---- the oracle ---- */

__attribute__((format(printf, 1, 2))) static void fault_note(const char *format, ...)
{
    va_list arguments;

    if (pool.fault[0] == '\0') {
        va_start(arguments, format);
        vsnprintf(pool.fault, sizeof(pool.fault), format, arguments);
        va_end(arguments);
    }
}

static const struct token *token_find(struct text name)
{
    for (size_t i = 0; i < pool.token_count; i++) {
        if (text_is(name, pool.tokens[i].name)) {
            return &pool.tokens[i];
        }
    }
    return NULL;
}

/* True if the group may have the machine: an operator has reserved it and approved its key, or the
 * cluster file permits it. */
static bool is_asked(const struct discovered *row, const struct discovered_claim *claim)
{
    static const enum lifecycle_condition against[] = { LIFECYCLE_CONDITION_FAILED,
                                                        LIFECYCLE_CONDITION_DUPLICATE,
                                                        LIFECYCLE_CONDITION_FLAPPING };

    if (row->reserved.cluster.length > 0) {
        return text_is_equal(row->reserved.cluster, claim->cluster) && discovered_is_approved(row);
    }
    for (size_t i = 0; i < ARRAY_COUNT(against); i++) {
        if (row->conditions[against[i]].since_ms > 0) {
            return false;
        }
    }
    return !row->is_ignored && row->status == LIFECYCLE_STATUS_UNALLOCATED &&
           (text_is(claim->cluster, "c1") ? text_has_prefix(row->address, TEXT("10.0.0."))
                                          : discovered_is_approved(row));
}

static void claim_check(size_t number, const struct discovered *was, const struct discovered *now)
{
    bool was_claimed = was->claim.token.length > 0;
    bool is_claimed = now->claim.token.length > 0;
    const struct token *token;

    if (was_claimed && is_claimed && !text_is_equal(was->claim.token, now->claim.token)) {
        fault_note("I29: m-%zu is claimed by two records", number);
    }
    counts.moved +=
        was_claimed && was->reserved.cluster.length == 0 && now->reserved.cluster.length > 0;
    counts.ended += was_claimed && !is_claimed;
    counts.pending += was->cleanup.since_ms == 0 && now->cleanup.since_ms > 0;
    if (!was_claimed && is_claimed) {
        *(was->reserved.cluster.length > 0 ? &counts.reserved : &counts.automatic) += 1;
        if (was->cleanup.since_ms > 0) {
            fault_note("I30: m-%zu is claimed before its cleanup", number);
        }
        if (was->state != LIFECYCLE_STATE_DISCOVERED || !is_asked(was, &now->claim)) {
            fault_note("I29: m-%zu is claimed unasked", number);
        }
        for (size_t i = 0; i < ROWS; i++) {
            if (i != number && pool.seen[i].is_there &&
                text_is_equal(pool.seen[i].row.claim.token, now->claim.token)) {
                fault_note("I29: m-%zu and m-%zu belong to one record", number, i);
            }
        }
    }
    if (was_claimed && !is_claimed) {
        token = token_find(was->claim.token);
        if (token == NULL || !token->is_destroyed) {
            fault_note("I33: m-%zu lost its claim, and nobody destroyed it", number);
        }
    }
}

static void status_check(size_t number, const struct discovered *was, const struct discovered *now)
{
    if (was->claim.token.length + now->claim.token.length == 0 && was->status != now->status &&
        !lifecycle_may_move(was->status, now->status)) {
        fault_note("I32: m-%zu goes from %s to %s", number, lifecycle_status_name(was->status),
                   lifecycle_status_name(now->status));
    }
    if (was->cleanup.since_ms > 0 && now->cleanup.since_ms == 0 && !pool.is_cleaned[number]) {
        fault_note("I30: the cleanup of m-%zu is forgotten", number);
    }
}

static void on_change(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    struct discovered now;
    struct seen *seen;
    struct err err;
    size_t number;

    (void)arg;
    assert_int_equal(state, CACHE_WATCH_CHANGE);
    if (change->part != CACHE_BASE || change->bytes == NULL) {
        return;
    }
    number = (size_t)(change->id.data[change->id.length - 1] - '0');
    seen = &pool.seen[number];
    assert_true(discovered_parse(pool.arena, arena_text(pool.arena, change->id),
                                 arena_text(pool.arena, blob_text(change->bytes)), &now, &err));
    if (seen->is_there) {
        claim_check(number, &seen->row, &now);
        status_check(number, &seen->row, &now);
    }
    *seen = (struct seen){ now, true };
}

/* ---- the world ---- */

static void manager_start(size_t manager)
{
    pool.caches[manager] = cache_new(pool.store, RING);
    pool.inventories[manager] =
        inventory_new(&(struct inventory_options){ .store = pool.store,
                                                   .cache = pool.caches[manager],
                                                   .wall_ms = wall_ms,
                                                   .wake = wake,
                                                   .times = HASTE,
                                                   .guards_off = pool.guards_off });
}

static void run_some(uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++) {
        size_t manager = (size_t)draw(MANAGERS);

        switch (draw(4)) {
        case 0:
            store_run(pool.store);
            cache_run(pool.caches[MANAGERS]);
            break;
        case 1:
            cache_run(pool.caches[manager]);
            break;
        default:
            inventory_run(pool.inventories[manager]);
            break;
        }
    }
}

static void settle(void)
{
    for (int i = 0; i < 60; i++) {
        store_run(pool.store);
        for (size_t j = 0; j <= MANAGERS; j++) {
            cache_run(pool.caches[j]);
        }
        for (size_t j = 0; j < MANAGERS; j++) {
            inventory_run(pool.inventories[j]);
        }
    }
}

/* Kills a manager. Its sent requests may still take effect. */
static void manager_kill(size_t manager)
{
    inventory_close(pool.inventories[manager]);
    settle();
    cache_free(pool.caches[manager]);
    inventory_free(pool.inventories[manager]);
    manager_start(manager);
    settle();
}

static void on_stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg; /* if another writer was faster, the change is dropped */
    (void)outcome;
    (void)answer;
}

static void row_write(const struct discovered *row, uint64_t revision)
{
    struct store_op op = { .key = discovered_key(pool.arena, TEXT("t"), row->id),
                           .value = discovered_format(pool.arena, row) };
    struct store_compare compare = { .key = op.key, .revision = revision };

    store_txn(
        pool.store,
        &(struct store_txn){ .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 },
        on_stored, NULL);
}

static bool row_read(size_t number, struct discovered *out, uint64_t *out_revision)
{
    const struct cache_object *object =
        cache_find(pool.caches[MANAGERS], TEXT("t"), TEXT(DISCOVERED_KIND), row_id(number));

    if (!discovered_read(pool.arena, object, out)) {
        return false;
    }
    *out_revision = object->parts[CACHE_BASE].revision;
    return true;
}

/* ---- what happens ---- */

static void machine_seen(size_t number)
{
    struct discovered row = { .id = row_id(number),
                              .name = row_id(number),
                              .address = arena_printf(pool.arena, "10.0.%u.%zu", (unsigned)draw(2),
                                                      number + 1),
                              .host_key = TEXT(KEY),
                              .status = LIFECYCLE_STATUS_UNALLOCATED };

    discovered_state_set(&row, LIFECYCLE_STATE_DISCOVERED, ++pool.now_ms);
    row_write(&row, 0);
}

static void operator_decides(struct discovered *row)
{
    struct inventory_commission wanted = { .cluster = text_from(clusters[draw(2)]),
                                           .group = TEXT("web"),
                                           .is_by_id = true,
                                           .can_approve = true,
                                           .is_move = draw(4) == 0,
                                           .by = TEXT("ana"),
                                           .now_ms = ++pool.now_ms };
    struct err err;

    switch (draw(5)) {
    case 0:
        row->is_ignored = !row->is_ignored;
        break;
    case 1:
        row->approved_by = TEXT("ana");
        row->approved_key = discovered_fingerprint(pool.arena, row);
        break;
    case 2:
        row->reserved = (struct discovered_reservation){ 0 };
        break;
    default:
        wanted.fingerprint = draw(2) == 0 ? discovered_fingerprint(pool.arena, row) : TEXT("");
        (void)!inventory_commission(pool.arena, row, &wanted, &err);
        break;
    }
}

static void membership_says(struct discovered *row)
{
    struct discovered_mark *mark = &row->conditions[draw(2) == 0 ? LIFECYCLE_CONDITION_DUPLICATE
                                                                 : LIFECYCLE_CONDITION_FLAPPING];

    if (draw(6) == 0 && row->claim.token.length == 0) {
        /* the machine may have been reinstalled */
        row->host_key = draw(2) == 0 ? TEXT(KEY) : TEXT(OTHER);
    } else if (draw(3) == 0) {
        *mark = (struct discovered_mark){ mark->since_ms > 0 ? 0 : ++pool.now_ms, TEXT("seen") };
    } else {
        discovered_state_set(row,
                             row->state == LIFECYCLE_STATE_DISCOVERED ? LIFECYCLE_STATE_DISAPPEARED
                                                                      : LIFECYCLE_STATE_DISCOVERED,
                             ++pool.now_ms);
    }
}

static void row_changes(size_t number)
{
    struct discovered row;
    uint64_t revision;

    if (!row_read(number, &row, &revision)) {
        machine_seen(number);
        return;
    }
    if (row.cleanup.since_ms > 0 && draw(3) == 0) {
        row.cleanup = (struct discovered_cleanup){ 0 };
        row.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING] = (struct discovered_mark){ 0 };
        pool.is_cleaned[number] = true;
    } else if (draw(2) == 0) {
        operator_decides(&row);
    } else {
        membership_says(&row);
    }
    row_write(&row, revision);
}

static void on_answer(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    (void)outcome;
    (void)answer;
    ((struct token *)arg)->answers--;
}

static struct provider *some_provider(void)
{
    return inventory_provider(pool.inventories[draw(MANAGERS)], TEXT("t"));
}

static struct intent intent_of(const struct token *token)
{
    return (struct intent){ .token = text_from(token->name),
                            .cluster = arena_printf(pool.arena, "t/%s", clusters[token->cluster]) };
}

static void record_created(struct token *token)
{
    struct intent intent = intent_of(token);
    struct provider_request request = {
        .tags = { .cluster = intent.cluster,
                  .life = TEXT("life"),
                  .group = TEXT("web"),
                  .token = intent.token,
                  .mac = TEXT("mac") },
        .name = intent.token,
        .more = text_from(policies[token->cluster]),
    };

    token->answers++;
    provider_create(some_provider(), &intent, &request, on_answer, token);
}

static void record_destroyed(struct token *token)
{
    struct intent intent = intent_of(token);

    intent.state = PLAN_RECORD_DELETE;
    intent.reason = TEXT("size");
    intent.id = discovered_claimed(pool.arena, pool.caches[MANAGERS], TEXT("t"),
                                   text_from(clusters[token->cluster]), intent.token);
    if (intent.id.length > 0) {
        token->is_destroyed = true;
        token->answers++;
        provider_destroy(some_provider(), &intent, on_answer, token);
    }
}

static void records_change(void)
{
    struct token *token = &pool.tokens[pool.token_count];

    if (pool.token_count == 0 || (draw(2) == 0 && pool.token_count < TOKENS)) {
        snprintf(token->name, sizeof(token->name), "t%zu", pool.token_count++);
        token->cluster = (size_t)draw(2);
        record_created(token);
        return;
    }
    token = &pool.tokens[draw(pool.token_count)];
    if (!token->is_destroyed && draw(2) == 0) {
        record_created(token); /* repeat the create, perhaps with another manager */
    } else {
        record_destroyed(token);
    }
}

/* ---- worlds ---- */

static void world_run(uint64_t seed, uint32_t guards_off)
{
    static const struct cache_scope scope = {
        .prefix = { "/", 1 }, .kind = { DISCOVERED_KIND, sizeof(DISCOVERED_KIND) - 1 }
    };
    struct cache_watch *watch;

    memset(&pool, 0, sizeof(pool));
    pool.arena = arena_new(SIZE_MAX);
    pool.random = seed * 0x9e3779b97f4a7c15U + 1;
    pool.guards_off = guards_off;
    pool.now_ms = INT64_C(1795643220000);
    pool.store = memory_open((const unsigned char *)"0123456789abcdef");
    pool.caches[MANAGERS] = cache_new(pool.store, RING);
    for (size_t i = 0; i < MANAGERS; i++) {
        manager_start(i);
    }
    settle();
    watch = cache_watch(pool.caches[MANAGERS], &scope, cache_revision(pool.caches[MANAGERS]) + 1,
                        on_change, NULL);
    for (size_t i = 0; i < STEPS && pool.fault[0] == '\0'; i++) {
        if (draw(40) == 0) {
            manager_kill((size_t)draw(MANAGERS));
        } else if (draw(2) == 0) {
            row_changes((size_t)draw(ROWS));
        } else {
            records_change();
        }
        run_some(draw(24));
    }
    settle();
    cache_watch_close(watch);
    for (size_t i = 0; i < MANAGERS; i++) {
        inventory_close(pool.inventories[i]);
    }
    for (size_t i = 0; i <= MANAGERS; i++) {
        cache_free(pool.caches[i]);
    }
    store_close(pool.store);
    for (size_t i = 0; i < MANAGERS; i++) {
        inventory_free(pool.inventories[i]);
    }
    arena_free(pool.arena);
}

static void nothing_forbidden_happens(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        world_run(seed, 0);
        if (pool.fault[0] != '\0') {
            fail_msg("world %llu: %s", (unsigned long long)seed, pool.fault);
        }
    }
    assert_true(counts.reserved > WORLDS && counts.automatic > WORLDS && counts.ended > WORLDS &&
                counts.pending > WORLDS / 2 && counts.moved > WORLDS / 2);
}

/* True if one of the simulations shows a violation without the guard. */
static bool is_noticed(uint32_t guard, const char *invariant)
{
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        world_run(seed, 1U << guard);
        if (strstr(pool.fault, invariant) != NULL) {
            return true;
        }
    }
    return false;
}

static void a_missing_compare_of_the_claim_is_noticed(void **state)
{
    (void)state;
    assert_true(is_noticed(G23, "I29"));
}

/* ---- membership ---- */

/* Lets a source and probes report arbitrary results about one machine. Returns false if the source
 * alone made it disappear: it reported a failure, without two failed probes. */
static bool opinions_are_second(uint64_t seed, uint32_t guards_off)
{
    struct evidence evidence = { .guards_off = guards_off };
    enum lifecycle_state state = LIFECYCLE_STATE_DISCOVERED;
    uint64_t now_ms = 1000000;
    unsigned failures = 0;
    enum evidence_source source = EVIDENCE_SOURCE_NONE;

    pool.random = seed * 0x9e3779b97f4a7c15U + 1;
    for (int i = 0; i < 400; i++) {
        struct evidence_opinion opinion;

        now_ms += draw(8000);
        if (draw(2) == 0) {
            source = draw(2) == 0 ? EVIDENCE_SOURCE_ALIVE : EVIDENCE_SOURCE_FAILED;
            evidence_report(&evidence, source, now_ms);
            failures = source == EVIDENCE_SOURCE_ALIVE ? 0 : failures;
        } else {
            bool is_alive = draw(2) == 0;

            evidence_probe(&evidence, is_alive, now_ms);
            failures = is_alive ? 0 : failures + 1;
        }
        opinion = evidence_decide(&evidence, state, now_ms);
        if (state == LIFECYCLE_STATE_DISCOVERED && opinion.state == LIFECYCLE_STATE_DISAPPEARED &&
            source == EVIDENCE_SOURCE_FAILED && failures < 2) {
            return false;
        }
        state = opinion.state;
    }
    return true;
}

static void a_source_alone_makes_nothing_disappear(void **state)
{
    bool is_noticed_once = false;

    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        assert_true(opinions_are_second(seed, 0));
        is_noticed_once = is_noticed_once || !opinions_are_second(seed, 1U << G25);
    }
    assert_true(is_noticed_once);
}

/* ---- self-suspicion ---- */

enum { CROWD = 9 };

/* Cuts the manager off from its machines at random times, so that a source and probes report all of
 * them as failed within a minute. Returns false if a machine has disappeared because of that (I33,
 * I17). The rows are updated in the same way as by the observer. */
static bool is_cut_survived(uint64_t seed, uint32_t guards_off)
{
    struct evidence evidences[CROWD] = { 0 };
    enum lifecycle_state states[CROWD];
    uint64_t now_ms = 1000000;
    uint64_t cut_ms = 0;
    bool is_held = false;

    pool.random = seed * 0x9e3779b97f4a7c15U + 1;
    for (size_t i = 0; i < CROWD; i++) {
        states[i] = LIFECYCLE_STATE_DISCOVERED;
        evidence_report(&evidences[i], EVIDENCE_SOURCE_ALIVE, now_ms);
        evidence_probe(&evidences[i], true, now_ms);
    }
    for (int step = 0; step < 600; step++) {
        struct evidence_crowd crowd = { .known = CROWD, .guards_off = guards_off };

        now_ms += 500 + draw(500);
        if (cut_ms == 0 ? draw(100) == 0 : now_ms - cut_ms > 120000) {
            cut_ms = cut_ms == 0 ? now_ms : 0;
        }
        for (size_t i = 0; i < CROWD; i++) {
            evidence_report(&evidences[i],
                            cut_ms > 0 ? EVIDENCE_SOURCE_FAILED : EVIDENCE_SOURCE_ALIVE, now_ms);
            crowd.missing += evidences[i].failed_ms > 0;
            crowd.failing += evidences[i].failed_ms > 0 &&
                             now_ms - evidences[i].failed_ms <= EVIDENCE_TOGETHER_MS;
        }
        is_held = evidence_is_held(&crowd, is_held);
        for (size_t i = 0; i < CROWD; i++) {
            struct evidence_opinion opinion = evidence_decide(&evidences[i], states[i], now_ms);

            if (opinion.wants_probe) {
                evidence_probe(&evidences[i], cut_ms == 0, now_ms);
            }
            states[i] = is_held ? states[i] : opinion.state;
            if (states[i] == LIFECYCLE_STATE_DISAPPEARED) {
                return false;
            }
        }
    }
    return true;
}

static void a_cut_of_the_manager_makes_nothing_disappear(void **state)
{
    bool is_noticed_once = false;

    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        assert_true(is_cut_survived(seed, 0));
        is_noticed_once = is_noticed_once || !is_cut_survived(seed, 1U << G17);
    }
    assert_true(is_noticed_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_forbidden_happens),
        cmocka_unit_test(a_missing_compare_of_the_claim_is_noticed),
        cmocka_unit_test(a_source_alone_makes_nothing_disappear),
        cmocka_unit_test(a_cut_of_the_manager_makes_nothing_disappear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
