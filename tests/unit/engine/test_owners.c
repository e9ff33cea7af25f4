/* Two managers of one store (F3, F4): the lease holder is suspended between a check and the action,
 * the other manager takes over and acts, and then the first one continues. This test is built with
 * the switches of the simulator, so each story runs twice: with the guard of the epoch (G10)
 * nothing is duplicated or destroyed twice; without it, something is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "codec/json.h"
#include "reconcile/control.h"
#include "records/intent.h"
#include "service/service_change.h"
#include "plan/guard.h"
#include "provider/sim.h"
#include "link.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum {
    RING = 4096,
    SECOND = 1000,
    MINUTE = 60 * SECOND,
    OWNERS = 2,
    LAG = 5 * SECOND,
    AWAY = 30 * MINUTE
};

/* The point at which the first manager is suspended, after it begins to write a machine's
 * record. */
enum halt_at {
    HALT_NOWHERE,
    HALT_BEFORE_COMMIT, /* the write is in transit, and arrives after the end of the story */
    HALT_COMMITTED,     /* the store has the write, but its answer was not received */
    HALT_HEARD,         /* the answer was received, but the provider call was not made */
    HALT_CALLED,        /* the call was made, but its answer was not received */
};

struct owner {
    char session[8];
    uint64_t luck;
    struct store *link;
    struct cache *cache;
    struct provider *provider;
    struct control *control;
    bool is_halted;
    bool is_stalled; /* its requests to the store are delayed */
};

static struct lab {
    struct arena *arena;
    struct store *truth;
    struct cache *view;
    struct service *service;
    struct sim_cloud *cloud;
    struct owner owners[OWNERS];
    uint64_t now_ms;
    unsigned ids;
    uint32_t guards_off;
    char cluster[80]; /* TENANT/ID */
    enum halt_at halt_at;
    /* after its suspension, its watches report nothing before this time */
    uint64_t blind_until_ms;
    /* newest revision of all records when the suspension was requested */
    uint64_t records_revision;
    unsigned wanted;
    unsigned overshoots;  /* number of machines created beyond the desired size */
    unsigned ended_twice; /* number of destroy calls for ended machines */
    unsigned stale;       /* number of calls of a manager that had lost the lease */
    bool is_replied;
} lab;

/* ---- ports ---- */

static uint64_t now_ms(void *arg)
{
    (void)arg;
    return lab.now_ms;
}

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return INT64_C(1760000000000) + (int64_t)lab.now_ms;
}

static void id_make(void *arg, char out[static 37])
{
    (void)arg;
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++lab.ids);
}

static void luck_draw(void *arg, void *out, size_t bytes)
{
    struct owner *owner = arg;

    for (size_t i = 0; i < bytes; i++) {
        owner->luck ^= owner->luck << 13;
        owner->luck ^= owner->luck >> 7;
        owner->luck ^= owner->luck << 17;
        ((unsigned char *)out)[i] = (unsigned char)(owner->luck >> 24);
    }
}

static void mac_make(void *arg, struct text data, char out[static 33])
{
    (void)arg;
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)text_hash(data, 1),
             (unsigned long long)text_hash(data, 2));
}

static struct provider *provider_give(void *arg, struct text tenant, struct text plugin,
                                      const char **problem)
{
    (void)tenant;
    (void)plugin;
    *problem = "";
    return ((struct owner *)arg)->provider;
}

static bool is_record(const struct store_txn *txn)
{
    for (size_t i = 0; txn != NULL && i < txn->op_count; i++) {
        if (text_has_prefix(txn->ops[i].key, TEXT("/default/Resource/"))) {
            return true;
        }
    }
    return false;
}

static struct link_fate link_fate(void *arg, const struct store_txn *txn)
{
    struct owner *owner = arg;

    if (owner == &lab.owners[0] && lab.halt_at == HALT_BEFORE_COMMIT && is_record(txn)) {
        owner->is_halted = true;
        owner->is_stalled = true;
        lab.halt_at = HALT_NOWHERE;
    }
    return (struct link_fate){ 0 };
}

static uint64_t watch_lag(void *arg)
{
    const struct owner *owner = arg;

    return owner == &lab.owners[0] && lab.halt_at == HALT_NOWHERE && lab.blind_until_ms > lab.now_ms
               ? lab.blind_until_ms - lab.now_ms
               : 0;
}

/* ---- what must not be ---- */

static size_t machines(void)
{
    size_t count = 0;

    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        count += sim_is_there(machine);
    }
    return count;
}

/* Called before a machine is created or destroyed. */
static void changed(void *arg, struct sim_machine *machine, bool is_end)
{
    (void)arg;
    (void)machine;
    lab.overshoots += !is_end && machines() > lab.wanted;
}

static uint64_t lease(void)
{
    struct text id = text_slice(text_from(lab.cluster), sizeof("default/") - 1, SIZE_MAX);
    const struct cache_object *object = cache_find(lab.view, TEXT("default"), TEXT("Lease"), id);

    return object == NULL ? 0 : object->parts[CACHE_STATUS].revision;
}

static void asked(void *arg, enum sim_call call, const struct intent *intent)
{
    struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));

    (void)arg;
    lab.stale += intent_epoch(intent) != lease();
    while (machine != NULL && !text_is_equal(machine->id, intent_id(intent))) {
        machine = sim_next(lab.cloud, text_from(lab.cluster), machine);
    }
    lab.ended_twice += call == SIM_DESTROY && (machine == NULL || !sim_is_there(machine));
}

/* ---- the world turns ---- */

static uint64_t records_revision(void)
{
    struct text prefix = TEXT("/default/Resource/");
    uint64_t newest = 0;

    for (const struct cache_object *object = cache_first(lab.view, prefix); object != NULL;
         object = cache_next(lab.view, prefix, object)) {
        uint64_t revision = object->parts[CACHE_STATUS].revision;

        newest = revision > newest ? revision : newest;
    }
    return newest;
}

static void control_begin(struct owner *owner)
{
    struct control_options options = control_options_default();

    options.session = text_from(owner->session);
    options.clock = TEXT("lab");
    options.is_alone = false;
    options.limits.guards_off = lab.guards_off;
    owner->control = control_new(owner->link, owner->cache,
                                 (struct control_ports){ .now_ms = now_ms,
                                                         .wall_ms = wall_ms,
                                                         .random = luck_draw,
                                                         .mac = mac_make,
                                                         .provider_find = provider_give,
                                                         .arg = owner },
                                 options);
}

/* Returns whether the first manager must be suspended now. */
static bool is_time(enum halt_at at)
{
    if (lab.halt_at != at || records_revision() <= lab.records_revision) {
        return false;
    }
    lab.halt_at = HALT_NOWHERE;
    return true;
}

static size_t owner_run(struct owner *owner, uint64_t *due)
{
    bool is_first = owner == &lab.owners[0];
    size_t done;
    uint64_t next;

    if (owner->link == NULL || owner->is_halted || (is_first && is_time(HALT_COMMITTED))) {
        owner->is_halted = true;
        return 0;
    }
    done = store_run(owner->link) + cache_run(owner->cache);
    if (is_first && is_time(HALT_HEARD)) {
        owner->is_halted = true;
        return 0;
    }
    if (owner->control == NULL && cache_state(owner->cache) == CACHE_READY) {
        control_begin(owner);
    }
    next = owner->control == NULL ? UINT64_MAX : control_run(owner->control);
    *due = next < *due ? next : *due;
    owner->is_halted = owner->is_halted || (is_first && is_time(HALT_CALLED));
    next = link_due(owner->link);
    *due = next < *due ? next : *due;
    return done;
}

static size_t turn(uint64_t *due)
{
    size_t done = 0;
    uint64_t next;

    for (int i = 0; i < OWNERS; i++) {
        if (lab.owners[i].link != NULL && !lab.owners[i].is_stalled) {
            link_carry(lab.owners[i].link);
        }
    }
    done += store_run(lab.truth) + cache_run(lab.view);
    service_run(lab.service);
    for (int i = 0; i < OWNERS; i++) {
        done += owner_run(&lab.owners[i], due);
    }
    done += sim_cloud_run(lab.cloud);
    next = sim_cloud_due(lab.cloud);
    *due = next < *due ? next : *due;
    return done;
}

static void pass_time(uint64_t ms)
{
    uint64_t end = lab.now_ms + ms;

    for (int i = 0; i < 1000000 && lab.now_ms < end; i++) {
        uint64_t due = end;
        size_t done = 0;

        for (int j = 0; j < 12; j++) { /* everything is idle after some iterations */
            due = end;
            done = turn(&due);
        }
        if (done == 0) {
            lab.now_ms = due > lab.now_ms ? due : lab.now_ms + 1;
        }
    }
    assert_true(lab.now_ms >= end);
}

static void replied(void *arg, const struct service_answer *answer)
{
    (void)arg;
    assert_int_equal(answer->errors->count, 0);
    lab.is_replied = true;
}

static void request_as(unsigned size, enum change_mode mode)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_change change = { .mode = mode, .allow = { 1000, 1000, 1000, 1000 } };
    struct doc *doc = arena_one(lab.arena, struct doc);
    struct text json = arena_printf(lab.arena,
                                    "{\"groups\":{\"web\":{\"resourcePlugin\":{\"name\":\"sim\"},"
                                    "\"size\":%u}},\"name\":\"shop\",\"version\":\"1\"}",
                                    size);
    struct err err;

    assert_true(json_parse(lab.arena, json, arena_one(lab.arena, struct origin), doc, &err));
    change.documents = doc;
    change.document_count = 1;
    lab.is_replied = false;
    lab.wanted = mode == CHANGE_DELETE ? 0 : size;
    service_change(lab.service, lab.arena, &actor, &change, replied, NULL);
    for (int i = 0; i < 1000 && !lab.is_replied; i++) {
        store_run(lab.truth);
        cache_run(lab.view);
        service_run(lab.service);
    }
    assert_true(lab.is_replied);
}

static void request(unsigned size)
{
    request_as(size, CHANGE_APPLY);
}

/* ---- beginning and ending ---- */

static void owner_begin(unsigned index)
{
    struct owner *owner = &lab.owners[index];

    snprintf(owner->session, sizeof(owner->session), "m%u", index);
    owner->luck = 88172645463325252U + index;
    owner->provider = sim_provider_new(lab.cloud);
    owner->link = link_open((struct link_options){ .truth = lab.truth,
                                                   .now_ms = now_ms,
                                                   .fate = link_fate,
                                                   .watch_delay_ms = watch_lag,
                                                   .arg = owner });
    owner->cache = cache_new(owner->link, RING);
    owner->is_halted = false;
}

static void owner_end(struct owner *owner)
{
    link_cut(owner->link);
    provider_close(owner->provider);
    cache_free(owner->cache);
    store_close(owner->link);
    control_free(owner->control);
}

static void lab_begin(uint32_t guards_off)
{
    lab = (struct lab){ .now_ms = 1000, .guards_off = guards_off };
    lab.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    lab.truth = memory_open((const unsigned char *)"0123456789abcdef");
    lab.cloud = sim_cloud_new(
        (struct sim_options){ .now_ms = now_ms, .asked = asked, .boot_ms = 2 * SECOND });
    sim_watch(lab.cloud, changed, NULL);
    lab.view = cache_new(lab.truth, RING);
    lab.service =
        service_new(lab.truth, lab.view, (struct service_ports){ wall_ms, id_make, NULL });
    for (int i = 0; i < 40; i++) {
        store_run(lab.truth);
        cache_run(lab.view);
        service_run(lab.service);
    }
}

static void lab_end(void)
{
    for (int i = 0; i < OWNERS; i++) {
        owner_end(&lab.owners[i]);
    }
    cache_free(lab.view);
    while (store_run(lab.truth) > 0) {
    }
    store_close(lab.truth);
    service_free(lab.service);
    sim_cloud_free(lab.cloud);
    arena_free(lab.arena);
}

/* ---- the story ---- */

/* Returns the manager that has the lease. OWNERS: none. */
static unsigned leader(void)
{
    struct text prefix = TEXT("/default/Lease/");
    const struct cache_object *object = cache_first(lab.view, prefix);
    const char *value;

    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL) {
        return OWNERS;
    }
    value = arena_string(lab.arena, blob_text(object->parts[CACHE_STATUS].bytes));
    return strstr(value, "\"m0\"") != NULL ? 0 : 1;
}

static void cluster_name(void)
{
    const struct cache_object *object = cache_first(lab.view, TEXT("/default/Cluster/"));

    assert_non_null(object);
    snprintf(lab.cluster, sizeof(lab.cluster), "default/%.*s", TEXT_ARG(cache_id(object)));
}

struct story {
    enum halt_at halt_at;
    /* the first manager is changing the group from 2 machines to this size when it is suspended */
    unsigned size;
    bool is_blind; /* when it continues, it sees outdated data of the store for a while */
    uint32_t guards_off;
};

static void all_end(void)
{
    for (struct sim_machine *machine = sim_first(lab.cloud, text_from(lab.cluster));
         machine != NULL; machine = sim_next(lab.cloud, text_from(lab.cluster), machine)) {
        sim_end(lab.cloud, machine);
    }
}

/* Runs a story. The first manager has the lease, begins to apply `size` and is suspended. The other
 * manager completes the change. Then all machines end, and it replaces them, so that the first
 * manager's pending call is long obsolete. Then the first manager continues. The desired state does
 * not change in between, because otherwise the first manager would decide again just for that
 * reason. */
static void report(const struct story *story)
{
    uint64_t begun_ms;

    lab_begin(story->guards_off);
    request(2);
    cluster_name();
    owner_begin(0);
    pass_time(2 * MINUTE);
    owner_begin(1);
    pass_time(2 * MINUTE);
    assert_int_equal(machines(), 2);
    assert_int_equal(leader(), 0);
    lab.records_revision = records_revision();
    lab.halt_at = story->halt_at;
    lab.blind_until_ms = story->is_blind ? lab.now_ms + AWAY + LAG : 0;
    request(story->size);
    begun_ms = lab.now_ms;
    pass_time(10 * SECOND);
    assert_true(lab.owners[0].is_halted);
    assert_int_equal(lab.halt_at, HALT_NOWHERE);
    pass_time(10 * MINUTE);
    assert_int_equal(leader(), 1);
    assert_int_equal(machines(), story->size);
    all_end();
    pass_time(begun_ms + AWAY - lab.now_ms);
    assert_int_equal(machines(), story->size);
    assert_int_equal(lab.stale + lab.overshoots, 0);
    lab.ended_twice = 0; /* machines that died are destroyed nevertheless (G6) */
    lab.owners[0].is_halted = false;
    lab.owners[0].is_stalled = false;
    pass_time(10 * MINUTE);
}

static void nothing_is_doubled(enum halt_at at, unsigned size, bool is_blind)
{
    report(&(struct story){ .halt_at = at, .size = size, .is_blind = is_blind });
    assert_int_equal(lab.stale, 0);
    assert_int_equal(lab.overshoots, 0);
    assert_int_equal(lab.ended_twice, 0);
    assert_int_equal(machines(), size);
    assert_int_equal(leader(), 1);
    lab_end();
}

/* ---- tests ---- */

static void F4_a_create_that_was_not_committed(void **state)
{
    (void)state;
    nothing_is_doubled(HALT_BEFORE_COMMIT, 3, false);
}

static void F4_a_create_that_was_committed_unheard(void **state)
{
    (void)state;
    nothing_is_doubled(HALT_COMMITTED, 3, false);
    nothing_is_doubled(HALT_COMMITTED, 3, true);
}

static void F4_a_create_that_was_not_called_for(void **state)
{
    (void)state;
    nothing_is_doubled(HALT_HEARD, 3, false);
    nothing_is_doubled(HALT_HEARD, 3, true);
}

static void F1_a_create_that_was_called_for_unheard(void **state)
{
    (void)state;
    nothing_is_doubled(HALT_CALLED, 3, false);
}

static void F4_a_deletion_is_called_for_once(void **state)
{
    (void)state;
    nothing_is_doubled(HALT_BEFORE_COMMIT, 1, false);
    nothing_is_doubled(HALT_COMMITTED, 1, false);
    nothing_is_doubled(HALT_HEARD, 1, false);
    nothing_is_doubled(HALT_HEARD, 1, true);
    nothing_is_doubled(HALT_CALLED, 1, false);
}

/* The first manager is suspended in the middle of its plan for half an hour. Meanwhile the other
 * manager takes over, and the cluster is deleted and cleaned up. When the first manager continues,
 * it has no effect. */
static void a_sleeper_changes_nothing(enum halt_at at, unsigned size)
{
    struct text records = TEXT("/default/Resource/");
    uint64_t begun_ms;

    lab_begin(0);
    request(2);
    cluster_name();
    owner_begin(0);
    pass_time(2 * MINUTE);
    owner_begin(1);
    pass_time(2 * MINUTE);
    lab.records_revision = records_revision();
    lab.halt_at = at;
    begun_ms = lab.now_ms;
    request(size);
    pass_time(10 * SECOND);
    assert_true(lab.owners[0].is_halted);
    pass_time(10 * MINUTE);
    assert_int_equal(leader(), 1);
    request_as(size, CHANGE_DELETE);
    pass_time(begun_ms + AWAY - lab.now_ms);
    assert_int_equal(machines(), 0);
    assert_null(cache_first(lab.view, records));
    lab.ended_twice = 0;
    lab.owners[0].is_halted = false;
    lab.owners[0].is_stalled = false;
    pass_time(30 * MINUTE);
    assert_int_equal(lab.stale + lab.overshoots + lab.ended_twice, 0);
    assert_int_equal(machines(), 0);
    assert_null(cache_first(lab.view, records));
    lab_end();
}

static void A10_who_slept_through_a_deletion_changes_nothing(void **state)
{
    (void)state;
    for (enum halt_at at = HALT_BEFORE_COMMIT; at <= HALT_CALLED; at++) {
        a_sleeper_changes_nothing(at, 3);
    }
    a_sleeper_changes_nothing(HALT_BEFORE_COMMIT, 1);
    a_sleeper_changes_nothing(HALT_HEARD, 1);
}

/* Without guard G10, the same stories end with errors, which shows that the tests are effective.
 * The series numbers that each create compares (G18) would prevent some of these errors too, so
 * they are switched off. */
static void G10_is_what_prevents_it(void **state)
{
    (void)state;
    report(&(struct story){
        .halt_at = HALT_BEFORE_COMMIT, .size = 3, .guards_off = 1U << G10 | 1U << G18 });
    assert_true(lab.overshoots > 0);
    lab_end();
    report(
        &(struct story){ .halt_at = HALT_HEARD, .size = 3, .guards_off = 1U << G10 | 1U << G18 });
    assert_true(lab.stale > 0 && lab.overshoots > 0);
    lab_end();
    report(
        &(struct story){ .halt_at = HALT_HEARD, .size = 1, .guards_off = 1U << G10 | 1U << G18 });
    assert_true(lab.stale > 0 && lab.ended_twice > 0);
    lab_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F4_a_create_that_was_not_committed),
        cmocka_unit_test(F4_a_create_that_was_committed_unheard),
        cmocka_unit_test(F4_a_create_that_was_not_called_for),
        cmocka_unit_test(F1_a_create_that_was_called_for_unheard),
        cmocka_unit_test(F4_a_deletion_is_called_for_once),
        cmocka_unit_test(A10_who_slept_through_a_deletion_changes_nothing),
        cmocka_unit_test(G10_is_what_prevents_it),
    };

    return cmocka_run_group_tests_name("owners", tests, NULL, NULL);
}
