#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "engine/control_parts.h"
#include "engine/reboots.h"

#include <assert.h>
#include <stdio.h>

/* names: pass_ keeper_ */

/* The steps of a pass, in their order. */

enum { GATHER_TIMES = 4 }; /* the time that the last pass took */

static struct pass *pass_new(struct keeper *keeper)
{
    struct arena *arena = arena_new(SIZE_MAX);
    struct pass *pass = arena_one(arena, struct pass);

    *pass = (struct pass){ .arena = arena, .keeper = keeper };
    unit_row_init(&pass->units);
    keeper->pass = pass;
    return pass;
}

static uint64_t backoff(struct control *control, unsigned failures)
{
    uint64_t ms = 1000;

    for (unsigned i = 1; i < failures && ms < LIMIT_CONTROL_BACKOFF_MS; i++) {
        ms *= 2;
    }
    return control_jitter(control, ms < LIMIT_CONTROL_BACKOFF_MS ? ms : LIMIT_CONTROL_BACKOFF_MS);
}

/* Outcomes of calls come one after the other: each is written as it comes, but only after all of them, or a
 * while, is it worth to list and to decide again; of a large cluster, a longer while. */
static uint64_t keeper_gathered(const struct keeper *keeper)
{
    struct control *control = keeper->control;

    uint64_t wait_ms = LIMIT_CONTROL_GATHER_MS;

    if (wait_ms < GATHER_TIMES * keeper->took_ms) {
        wait_ms = GATHER_TIMES * keeper->took_ms;
    }
    return control->ports.now_ms(control->ports.arg) +
           (keeper->calls == NULL && !keeper->is_node_due ? 0 : wait_ms);
}

/* What is left of a time that began then; UINT64_MAX: it did not begin, or is over. */
static uint64_t time_left(const struct plan_world *world, uint64_t since_ms, uint64_t ms)
{
    uint64_t gone_ms = world->now_ms - since_ms;

    return since_ms > 0 && gone_ms < ms ? ms - gone_ms : UINT64_MAX;
}

/* How long one that is sick or unreachable, or whose bootstrap has failed, still has; UINT64_MAX: it is not, or nothing is done
 * about it. */
static uint64_t patience_left(const struct plan_world *world, const struct plan_record *record)
{
    uint64_t since_ms =
        record->sick_since_ms > 0 ? record->sick_since_ms : record->unreachable_since_ms;

    for (size_t i = 0; since_ms + record->failed_since_ms > 0 && i < world->group_count; i++) {
        const struct plan_group *group = &world->groups[i];

        if (text_is_equal(group->path, record->group)) {
            uint64_t ill_ms = time_left(world, since_ms, group->replace_after_ms);
            uint64_t kept_ms = time_left(world, record->failed_since_ms, group->kept_ms);

            return ill_ms < kept_ms ? ill_ms : kept_ms;
        }
    }
    return UINT64_MAX;
}

/* How long until one that was asked for by id may be asked for again; UINT64_MAX: it was not, or not lately. */
static uint64_t witness_left(const struct plan_limits *limits, const struct plan_world *world,
                             const struct plan_record *record)
{
    uint64_t again_ms = record->witnessed.last_ms + limits->witness_ms;

    if (record->witnessed.count == 0) {
        return UINT64_MAX;
    }
    return again_ms > world->now_ms ? again_ms - world->now_ms : UINT64_MAX;
}

/* How long until a reboot that has begun is overdue; UINT64_MAX: none has, or it is. */
static uint64_t reboot_left(const struct plan_limits *limits, const struct plan_world *world,
                            const struct plan_record *record)
{
    uint64_t due_ms;

    if (record->reboot_begun_ms == 0 || record->is_reboot_late) {
        return UINT64_MAX;
    }
    due_ms = plan_reboot_deadline(limits, &world->sources[record->source], record);
    return due_ms > world->now_ms ? due_ms - world->now_ms : 0;
}

/* A provider may take minutes to make a machine, which is young all the same when it answers. */
static uint64_t born_at(const struct keeper *keeper, const struct plan_world *world,
                        const struct plan_record *record)
{
    bool is_late = keeper->made_ms > record->created_ms && keeper->made_ms <= world->now_ms;

    return is_late ? keeper->made_ms : record->created_ms;
}

/* What was begun is looked after soon; a machine that starts the sooner the younger it is; one that is ill when its
 * time is over; and one that was asked for when it may be asked for again; and all when a pause ends by itself. */
static uint64_t soon_after(const struct keeper *keeper, const struct pass *pass)
{
    const struct control_options *options = &keeper->control->options;
    uint64_t soon = pass->acts ? options->limits.witness_ms : options->resync_ms;
    const struct plan_world *world = &pass->world;

    if (pass->pause_left_ms > 0 && pass->pause_left_ms < soon) {
        soon = pass->pause_left_ms;
    }
    for (size_t i = 0; pass->is_decided && i < world->record_count; i++) {
        const struct plan_record *record = &world->records[i];

        if (record->state == PLAN_RECORD_CREATE && record->id.length > 0) {
            uint64_t wait_ms = LIMIT_CONTROL_BOOT_MS;
            uint64_t age_ms = world->now_ms - born_at(keeper, world, record);

            wait_ms = age_ms / 4 > wait_ms ? age_ms / 4 : wait_ms;
            soon = wait_ms < soon ? wait_ms : soon;
        } else if (record->state == PLAN_RECORD_ACTIVE) {
            uint64_t left_ms = patience_left(world, record);
            uint64_t again_ms = witness_left(&options->limits, world, record);
            uint64_t reboot_ms = reboot_left(&options->limits, world, record);

            soon = left_ms < soon ? left_ms : soon;
            soon = again_ms < soon ? again_ms : soon;
            soon = reboot_ms < soon ? reboot_ms : soon;
        }
    }
    return soon < options->resync_ms ? soon : options->resync_ms;
}

/* Has any provider given its listing? The others are spared by their accounts, which stop asking after failures. */
static bool is_partly_heard(const struct pass *pass)
{
    for (size_t i = 0; pass != NULL && i < pass->source_count; i++) {
        if (pass->sources[i].plan.trouble.length == 0) {
            return true;
        }
    }
    return false;
}

/* When to look again. What was changed meanwhile is looked at at once. */
static uint64_t due_after(struct keeper *keeper, enum control_end end, const struct pass *pass)
{
    struct control *control = keeper->control;
    uint64_t now = control->ports.now_ms(control->ports.arg);

    switch (end) {
    case CONTROL_END_UNHEARD:
        if (is_partly_heard(pass)) {
            break; /* groups of other providers are looked after as ever (G19) */
        }
        return now + backoff(control, keeper->failures);
    case CONTROL_END_BROKEN:
        return now + backoff(control, keeper->failures);
    case CONTROL_END_FOREIGN:
        return now + control->options.session_ttl_ms / 2;
    case CONTROL_END_DONE:
    case CONTROL_END_QUIET:
    case CONTROL_END_HELD:
    case CONTROL_END_DAMAGED:
        break;
    }
    if (keeper->is_woken) {
        return now;
    }
    if (keeper->is_overtaken || keeper->outcomes != NULL) {
        return keeper_gathered(keeper);
    }
    return now + (pass == NULL ? control->options.resync_ms : soon_after(keeper, pass));
}

/* Has something come of calls, probes or nodes that is to be written? */
static bool has_outcomes(const struct keeper *keeper)
{
    return keeper->outcomes != NULL || keeper->ills != NULL || tending_is_dirty(keeper);
}

/* At once where something is to be written. What is known of nodes, and what probes have found, stays to be written where the
 * store took nothing, so it waits for the next pass then. */
static uint64_t due_of(const struct keeper *keeper, enum control_end end)
{
    bool is_known = keeper->outcomes == NULL;

    return is_known && (end == CONTROL_END_BROKEN || !has_outcomes(keeper)) ? keeper->due_ms : 0;
}

void pass_end(struct keeper *keeper, enum control_end end, struct text message)
{
    struct control *control = keeper->control;
    struct pass *pass = keeper->pass;

    keeper->failures =
        end == CONTROL_END_BROKEN || end == CONTROL_END_UNHEARD ? keeper->failures + 1 : 0;
    if (control->told != NULL) {
        control->told(control->told_arg,
                      &(struct control_report){
                          .cluster = keeper->cluster->key,
                          .end = end,
                          .revision = cache_revision(control->cache),
                          .machines = keeper->cluster->count,
                          .actions = pass == NULL ? 0 : pass->plan.action_count,
                          .holds = pass == NULL ? 0 : pass->plan.hold_count,
                          .message = message,
                          .begun_ms = keeper->begun_ms,
                          .world = pass != NULL && pass->is_decided ? &pass->world : NULL,
                          .plan = pass != NULL && pass->is_decided ? &pass->plan : NULL,
                      });
    }
    keeper->step = KEEPER_IDLE;
    keeper->wanted_revision = 0;
    keeper->serial++;
    keeper->took_ms = control->ports.now_ms(control->ports.arg) - keeper->begun_ms;
    keeper->due_ms = due_after(keeper, end, pass);
    keeper->is_overtaken = false;
    probes_note(keeper);
    tending_note(keeper);
    reboots_note(keeper);
    control_schedule(keeper, due_of(keeper, end));
    keeper->pass = NULL;
    if (pass != NULL) {
        arena_free(pass->arena);
    }
}

/* ---- lease ---- */

/* What stands in it; NULL: nothing, or nothing to be understood. */
static const struct doc *lease_read(struct arena *arena, const struct cache_object *lease)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    return lease != NULL && lease->parts[CACHE_STATUS].bytes != NULL &&
                   json_parse(arena, blob_text(lease->parts[CACHE_STATUS].bytes), NULL, doc, &err)
               ? doc
               : NULL;
}

static struct text lease_session(const struct doc *lease)
{
    const struct doc *session = doc_child(lease, "session");

    return doc_is_scalar(session) ? session->text : TEXT("");
}

/* This is the epoch from here on, and its clock. */
static void epoch_set(struct keeper *keeper, struct arena *arena, const struct doc *lease,
                      uint64_t epoch)
{
    if (keeper->epoch != epoch || !keeper->has_clock) {
        keeper->epoch = epoch;
        keeper->series_last = 0; /* the next token begins a new series */
        keeper_clock_set(keeper, arena, lease);
    }
}

/* The lease was lost and won again by this session since it was read last. Whatever is written under the old epoch would be
 * refused, for as long as nothing looks at the new one; and another manager may have changed what nodes are known for meanwhile. */
static void epoch_renew(struct keeper *keeper, const struct cache_object *lease)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    uint64_t revision = lease == NULL ? 0 : lease->parts[CACHE_STATUS].revision;
    const struct doc *said;

    if (keeper->epoch == 0 || revision <= keeper->epoch ||
        !GUARD(&keeper->control->options.limits, G10)) {
        return;
    }
    said = lease_read(arena, lease);
    if (text_is_equal(lease_session(said), keeper->control->options.session)) {
        keeper_epoch_end(keeper);
        epoch_set(keeper, arena, said, revision);
        keeper->is_woken = true;
    }
}

static const struct cache_object *lease_find(const struct keeper *keeper)
{
    return cache_find(keeper->control->cache, keeper->cluster->tenant, TEXT("Lease"),
                      keeper->cluster->id);
}

/* A session is dead when its beat stands still for its time, by our own clock: no clock is compared. */
static bool session_is_dead(struct keeper *keeper, struct text session)
{
    struct control *control = keeper->control;
    const struct cache_object *object =
        cache_find(control->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Session"), session);
    uint64_t now = control->ports.now_ms(control->ports.arg);
    uint64_t beat = object == NULL ? 0 : object->parts[CACHE_STATUS].revision;

    if (control->options.is_alone) {
        return true;
    }
    if (keeper->foreign_since_ms == 0 || keeper->foreign_beat != beat) {
        keeper->foreign_beat = beat;
        keeper->foreign_since_ms = now;
        return false;
    }
    return now - keeper->foreign_since_ms >= control->options.session_ttl_ms;
}

static void lease_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct keeper *keeper = arg;

    assert(keeper->step == KEEPER_LEASING);
    if (keeper->control->is_stopped) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        pass_end(keeper, CONTROL_END_BROKEN, text_from(answer->err.text));
        return;
    }
    keeper->wanted_revision = answer->revision;
}

static struct text lease_format(struct keeper *keeper, const struct doc *former)
{
    const struct control_options *options = &keeper->control->options;

    keeper_clock_set(keeper, keeper->pass->arena, former);
    keeper->has_clock = false; /* until it is committed */
    return arena_printf(
        keeper->pass->arena, "{\"ahead\":%lld,\"clock\":\"%.*s\",\"session\":\"%.*s\"}",
        (long long)keeper->clock_ahead_ms, TEXT_ARG(options->clock), TEXT_ARG(options->session));
}

static void lease_take(struct keeper *keeper, const struct doc *lease, uint64_t revision)
{
    struct pass *pass = keeper->pass;
    struct text key = control_key(pass->arena, keeper->cluster, "Lease", TEXT(""), CACHE_STATUS);
    struct store_compare compare = { .key = key, .revision = revision };
    struct store_op op = { .key = key, .value = lease_format(keeper, lease) };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    keeper->step = KEEPER_LEASING;
    keeper->foreign_since_ms = 0;
    store_txn(keeper->control->store, &txn, lease_told, keeper);
}

static void list_begin(struct keeper *keeper)
{
    keeper->step = KEEPER_LISTING;
    pass_list(keeper->pass);
}

/* Write what came of calls, before anything is decided. False: nothing of it is to be written. */
static bool settle_begin(struct keeper *keeper)
{
    keeper_outcomes_settle(keeper);
    if (keeper->units.count == 0) {
        return false;
    }
    keeper->is_settling = true;
    keeper->step = KEEPER_WRITING;
    keeper_write(keeper);
    return true;
}

/* A cluster that is gone, with all that was said and counted of it: it is not looked at any more, until something
 * of it is there again. Clusters that came and went would cost a pass each, for ever. */
static bool is_nothing_left(const struct keeper *keeper)
{
    const struct fleet_cluster *cluster = keeper->cluster;
    struct cache *cache = keeper->control->cache;
    char prefix[LIMIT_STORE_KEY_BYTES];
    static const char *const kinds[] = { "Control", "Hold" };

    if (cluster->is_there || cluster->count > 0 || keeper->calls != NULL ||
        cache_find(cache, cluster->tenant, TEXT("Control"), cluster->id) != NULL) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        int length = snprintf(prefix, sizeof(prefix), "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant),
                              kinds[i], TEXT_ARG(cluster->id));

        assert(length > 0 && (size_t)length < sizeof(prefix));
        if (cache_first(cache, (struct text){ prefix, (size_t)length }) != NULL) {
            return false;
        }
    }
    return true;
}

/* What is recorded or wanted cannot be understood, or stands there in part only, as a change of very many groups does between its
 * transactions: nothing is decided on it. True: the pass is over. */
static bool ends_damaged(struct keeper *keeper)
{
    const struct fleet_cluster *cluster = keeper->cluster;
    const struct err *err =
        cluster->damage.code != CODE_NONE ? &cluster->damage : &cluster->trouble;

    if (err->code == CODE_NONE) {
        return false;
    }
    pass_end(keeper, CONTROL_END_DAMAGED, text_from(err->text));
    return true;
}

void pass_begin(struct keeper *keeper)
{
    const struct cache_object *lease = lease_find(keeper);
    struct control *control = keeper->control;
    const struct doc *said;
    struct text session;

    epoch_renew(keeper, lease);
    if (has_outcomes(keeper) && settle_begin(keeper)) {
        return;
    }
    if (control->options.is_single ? !keeper->may_pass : is_nothing_left(keeper)) {
        return;
    }
    keeper->begun_ms = control->ports.now_ms(control->ports.arg);
    if (!keeper->may_pass && !keeper->is_woken && keeper->begun_ms < keeper->due_ms) {
        control_schedule(keeper, keeper->due_ms); /* it was for outcomes, and they are written */
        return;
    }
    keeper->may_pass = false;
    said = lease_read(pass_new(keeper)->arena, lease);
    session = lease_session(said);
    keeper->is_woken = false;
    keeper->is_node_due = false;
    fleet_wanted(control->fleet, keeper->cluster);
    if (ends_damaged(keeper)) {
        return;
    }
    if (control->options.is_dry) {
        epoch_set(keeper, keeper->pass->arena, said, 0);
        list_begin(keeper);
    } else if (text_is_equal(session, control->options.session)) {
        epoch_set(keeper, keeper->pass->arena, said, lease->parts[CACHE_STATUS].revision);
        list_begin(keeper);
    } else if (session.length == 0 || session_is_dead(keeper, session)) {
        lease_take(keeper, said, lease == NULL ? 0 : lease->parts[CACHE_STATUS].revision);
    } else {
        keeper_lease_lost(keeper);
        pass_end(keeper, CONTROL_END_FOREIGN, session);
    }
}

/* ---- snapshot ---- */

static void newest_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct keeper *keeper = arg;

    assert(keeper->step == KEEPER_READING);
    if (keeper->control->is_stopped) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        pass_end(keeper, CONTROL_END_BROKEN, text_from(answer->err.text));
    } else if (!keeper->control->options.is_dry && GUARD(&keeper->control->options.limits, G10) &&
               (answer->count == 0 || answer->items[0].revision != keeper->epoch)) {
        keeper_lease_lost(keeper);
        pass_end(keeper, CONTROL_END_BROKEN, TEXT("the lease is another's now"));
    } else {
        keeper->wanted_revision = answer->revision;
    }
}

/* The listings are complete: only now is the store asked, for its newest revision (G2). What came of calls
 * is written before. */
void pass_listed(struct keeper *keeper)
{
    struct pass *pass = keeper->pass;

    if (keeper->still.arena != NULL && pass_is_still(pass)) {
        pass_end(keeper, CONTROL_END_QUIET, TEXT(""));
        return;
    }
    if (keeper->still.arena != NULL || pass_is_told_same(pass)) {
        keeper_still_drop(keeper);
        pass_list(pass); /* what was only told to be the same is wanted whole */
        return;
    }
    keeper->step = KEEPER_READING;
    if (keeper->outcomes != NULL && settle_begin(keeper)) {
        return;
    }
    if (!GUARD(&keeper->control->options.limits, G2)) {
        keeper->wanted_revision = 1; /* whatever the cache has */
        return;
    }
    store_get(keeper->control->store,
              control_key(pass->arena, keeper->cluster, "Lease", TEXT(""), CACHE_STATUS), 0,
              newest_told, keeper);
}

/* ---- decide ---- */

static enum control_end end_of(const struct pass *pass)
{
    for (size_t i = 0; i < pass->source_count; i++) {
        if (pass->sources[i].plan.trouble.length > 0 && pass->sources[i].provider != NULL) {
            return CONTROL_END_UNHEARD;
        }
    }
    if (pass->plan.action_count > 0) {
        return CONTROL_END_DONE;
    }
    return pass->plan.hold_count > 0 ? CONTROL_END_HELD : CONTROL_END_QUIET;
}

static void pass_decide(struct keeper *keeper)
{
    struct pass *pass = keeper->pass;

    fleet_wanted(keeper->control->fleet, keeper->cluster); /* anew: listings take their time */
    if (!BUG(&keeper->control->options.limits, BUG_PART_IS_WHOLE) && ends_damaged(keeper)) {
        return;
    }
    if (!pass_has_asked_all(pass) && pass->is_crowded) {
        pass_end(keeper, CONTROL_END_BROKEN,
                 TEXT("machines of more plugins than one cluster may have"));
        return;
    }
    if (!pass_has_asked_all(pass)) {
        list_begin(keeper); /* what is wanted names a plugin since, which knows its machines */
        return;
    }
    pass_world_make(pass);
    plan_compute(pass->arena, &pass->world, &keeper->control->options.limits, &pass->plan);
    pass->is_decided = true;
    if (keeper->control->options.is_dry || keeper->is_dry) {
        keeper->is_woken =
            keeper->is_woken || keeper->is_dry; /* what it found is done by the next one */
        keeper->is_dry = false;
        pass_end(keeper, end_of(pass), TEXT(""));
        return;
    }
    pass_number_take(pass);
    pass_effects_make(pass);
    pass_holds_make(pass);
    pass_keep(pass);
    pass_status_make(pass);
    pass_jobs_make(pass);
    pass_tombstone_end(pass);
    if (pass->units.count == 0) {
        pass_still_note(pass);
        pass_end(keeper, end_of(pass), TEXT(""));
        return;
    }
    keeper->step = KEEPER_WRITING;
    keeper->units = pass->units;
    if (keeper->units.count == 0) {
        unit_row_init(&keeper->units);
    }
    keeper_write(keeper);
}

/* ---- what waited for the cache ---- */

static bool cache_has(const struct keeper *keeper)
{
    const struct cache *cache = keeper->control->cache;

    return keeper->wanted_revision > 0 && cache_state(cache) == CACHE_READY &&
           cache_revision(cache) >= keeper->wanted_revision;
}

static void leased(struct keeper *keeper)
{
    const struct cache_object *lease = lease_find(keeper);
    const struct doc *said = lease_read(keeper->pass->arena, lease);

    if (!text_is_equal(lease_session(said), keeper->control->options.session)) {
        pass_end(keeper, CONTROL_END_BROKEN, TEXT("the lease is another's now"));
        return;
    }
    epoch_set(keeper, keeper->pass->arena, said, lease->parts[CACHE_STATUS].revision);
    list_begin(keeper);
}

/* All units are in the store, and the cache shows them. */
static void written(struct keeper *keeper)
{
    if (!keeper->is_settling) {
        pass_end(keeper, end_of(keeper->pass), TEXT(""));
        return;
    }
    keeper->is_settling = false;
    arena_free(keeper->settle_arena);
    keeper->settle_arena = NULL;
    probes_written(keeper);
    tending_written(keeper);
    if (keeper->pass == NULL) {
        uint64_t gathered = keeper_gathered(keeper);

        keeper->step = KEEPER_IDLE;
        keeper->due_ms = (keeper->is_pass_due || keeper->is_node_due) && gathered < keeper->due_ms
                             ? gathered
                             : keeper->due_ms;
        control_schedule(
            keeper, keeper->outcomes == NULL && !tending_is_dirty(keeper) ? keeper->due_ms : 0);
    } else {
        keeper->is_overtaken = true; /* another listing shows what came of them */
        pass_listed(keeper);
    }
}

void keeper_broken(struct keeper *keeper, const struct err *err)
{
    char text[LIMIT_ERROR_TEXT_BYTES];
    struct text message = text_from(err->text);

    assert(keeper->step == KEEPER_WRITING);
    for (size_t i = 0; i <= message.length; i++) {
        text[i] = err->text[i];
    }
    arena_free(keeper->settle_arena);
    keeper->settle_arena = NULL;
    probes_refused(keeper);
    keeper->is_settling = false;
    unit_row_init(&keeper->units);
    pass_end(keeper, CONTROL_END_BROKEN, text_from(text));
}

void keeper_run(struct keeper *keeper)
{
    if (!cache_has(keeper)) {
        return;
    }
    keeper->wanted_revision = 0;
    switch (keeper->step) {
    case KEEPER_LEASING:
        leased(keeper);
        break;
    case KEEPER_READING:
        if (keeper->epoch == 0 &&
            !keeper->control->options.is_dry) { /* since the store was asked */
            pass_end(keeper, CONTROL_END_BROKEN, TEXT("this manager was silent for too long"));
        } else {
            pass_decide(keeper);
        }
        break;
    case KEEPER_WRITING:
        written(keeper);
        break;
    case KEEPER_IDLE:
    case KEEPER_LISTING:
        assert(false && "nothing is waited for");
        break;
    }
}
