#include "base/limits.h"
#include "engine/control_parts.h"
#include "engine/reboots.h"

#include <assert.h>

/* names: probes_ */

/* Probes of the machines of all clusters: who is due is asked, and whose state changes has it written down with the
 * outcomes of calls. Only who holds a cluster's lease asks its machines. */

/* A probe under way. The cluster may be gone when it is answered, so it is looked up. */
struct ask {
    struct ask *next;
    struct ask **link;
    struct control *control;
    struct arena *arena;
    struct text cluster;
    struct text token;
    uint64_t ticket;
    bool is_command;
};

static uint64_t now_of(const struct control *control)
{
    return control->ports.now_ms(control->ports.arg);
}

/* ---- what is to be written ---- */

static void ill_free(struct ill *ill)
{
    arena_free(ill->arena);
}

static void ills_free(struct ill **ills)
{
    for (struct ill *ill = *ills, *next; ill != NULL; ill = next) {
        next = ill->next;
        ill_free(ill);
    }
    *ills = NULL;
}

/* The newest word of a kind about a machine counts. */
static void ill_put(struct reconciler *reconciler, struct ill *made)
{
    struct ill **at = &reconciler->ills;

    while (*at != NULL) {
        struct ill *ill = *at;

        if (ill->kind == made->kind && text_is_equal(ill->token, made->token)) {
            *at = ill->next;
            ill_free(ill);
        } else {
            at = &ill->next;
        }
    }
    *at = made;
    reconciler->is_woken = true;
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
}

static void key_reported(struct reconciler *reconciler, struct text token, enum ill_kind kind,
                         struct text host_key, struct text cause)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct ill *ill = arena_one(arena, struct ill);

    *ill = (struct ill){
        .arena = arena,
        .token = arena_text(arena, token),
        .kind = kind,
        .host_key = arena_text(arena, host_key),
        .cause = record_sentence(arena, cause),
    };
    ill_put(reconciler, ill);
}

void probes_host_key(struct reconciler *reconciler, struct text token, struct text host_key)
{
    key_reported(reconciler, token, ILL_HOST_KEY, host_key, TEXT(""));
}

void probes_alarm(struct reconciler *reconciler, struct text token, struct text host_key,
                  struct text why)
{
    key_reported(reconciler, token, ILL_ALARM, host_key, why);
}

void probes_calm(struct reconciler *reconciler, struct text token)
{
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);

    if (machine != NULL && machine->is_alarmed) {
        key_reported(reconciler, token, ILL_ALARM, TEXT(""), TEXT(""));
    }
}

void probes_boot(struct reconciler *reconciler, struct text token, struct text read)
{
    key_reported(reconciler, token, ILL_BOOT, TEXT(""), read);
}

static int64_t wall_of(const struct control *control)
{
    return control->ports.wall_ms(control->ports.arg);
}

/* Is this about to be written? Whoever tells it again does not know what the probe said. */
static bool is_among(const struct ill *ill, struct text token, enum health_state state)
{
    for (; ill != NULL; ill = ill->next) {
        if (ill->kind == ILL_STATE && ill->state == state && text_is_equal(ill->token, token)) {
            return true;
        }
    }
    return false;
}

static bool is_waiting(const struct reconciler *reconciler, struct text token,
                       enum health_state state)
{
    return is_among(reconciler->ills, token, state) ||
           is_among(reconciler->ills_sent, token, state);
}

static void state_reported(void *arg, const struct health_change *word)
{
    struct reconciler *reconciler = arg;
    uint64_t now = now_of(reconciler->control);
    uint64_t ago = word->since_ms == 0 || word->since_ms > now ? 0 : now - word->since_ms;
    struct arena *arena;
    struct ill *ill;

    if (word->why.length == 0 && is_waiting(reconciler, word->token, word->state)) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    ill = arena_one(arena, struct ill);
    *ill = (struct ill){
        .arena = arena,
        .token = arena_text(arena, word->token),
        .kind = word->is_cause ? ILL_CAUSE : ILL_STATE,
        .state = word->state,
        .since_ms = word->state == HEALTH_WELL ? 0 : reconciler_now(reconciler) - ago,
        .silent_wall_ms =
            word->state == HEALTH_UNREACHABLE ? wall_of(reconciler->control) - (int64_t)ago : 0,
        .cause = record_sentence(arena, word->why),
    };
    ill_put(reconciler, ill);
}

static const char *event_type(enum health_state state)
{
    return state == HEALTH_SICK          ? "machine.unhealthy"
           : state == HEALTH_UNREACHABLE ? "machine.unreachable"
                                         : "machine.well";
}

/* Is it in its record already? */
static bool stands(const struct ill *ill, const struct record *record)
{
    return ill->state == health_state_of(record->plan.sick_since_ms,
                                         record->plan.unreachable_since_ms,
                                         record->plan.is_starting);
}

static uint64_t since(const struct record *record)
{
    return record->plan.sick_since_ms > 0 ? record->plan.sick_since_ms
                                          : record->plan.unreachable_since_ms;
}

/* Which event tells it; NULL: it changes nothing. One that answers and has still to run its stages goes on starting. */
static const char *state_apply(const struct ill *ill, bool may_serve, struct record *record)
{
    bool begins = record->plan.is_starting && ill->state == HEALTH_WELL && may_serve;

    if (stands(ill, record) &&
        (ill->cause.length == 0 ||
         (ill->since_ms == since(record) && text_is_equal(record->cause, ill->cause)))) {
        return NULL; /* it was written before it was told again */
    }
    if (record->plan.is_starting && ill->state == HEALTH_WELL && !may_serve &&
        record->plan.sick_since_ms == 0 && record->plan.unreachable_since_ms == 0) {
        return NULL;
    }
    record->plan.sick_since_ms = ill->state == HEALTH_SICK ? ill->since_ms : 0;
    record->plan.unreachable_since_ms = ill->state == HEALTH_UNREACHABLE ? ill->since_ms : 0;
    record->silent_wall_ms = ill->silent_wall_ms;
    if (begins) {
        record_serve(record);
    }
    record->cause = ill->cause;
    return begins ? "machine.ready" : event_type(ill->state);
}

/* Since when, and since when it is silent, stays: no event tells it, or one whose reason comes and goes would fill the list. */
static bool cause_apply(const struct ill *ill, struct record *record)
{
    if (!stands(ill, record) || text_is_equal(record->cause, ill->cause)) {
        return false;
    }
    record->cause = ill->cause;
    return true;
}

/* A key that is on record is never replaced by one that was only seen. */
static const char *key_apply(const struct ill *ill, struct record *record)
{
    struct text shown;

    if (ill->kind == ILL_HOST_KEY) {
        if (record->host_key.length > 0 || ill->host_key.length == 0 ||
            !record_is_sentence(ill->host_key)) {
            return NULL;
        }
        record->host_key = ill->host_key;
        return "machine.hostkey";
    }
    shown = record_is_sentence(ill->host_key) ? ill->host_key : TEXT("");
    if (shown.length > 0 && text_is_equal(record->host_key, shown)) {
        return NULL; /* it was another one when it was seen, and has been said to be right since */
    }
    if ((record->alarm.length > 0) == (ill->cause.length > 0) &&
        text_is_equal(record->shown, shown)) {
        return NULL; /* who told it first has worded it */
    }
    record->alarm = ill->cause;
    record->shown = shown;
    return ill->cause.length > 0 ? "machine.alarm" : "machine.calm";
}

/* A machine that is well serves; where it is not probed, it is taken to be well. */
static bool serves_unprobed(const struct reconciler *reconciler, const struct record *record)
{
    const struct fleet_group *group = fleet_group_find(reconciler->cluster, record->plan.group);

    return group == NULL || group->ready == FLEET_READY_RUNNING ||
           !probes_has_probe(reconciler->control, group);
}

/* The first boot that is read is the one that it had before; another one ends the reboot. *out_fact is for the event. False: nothing
 * changes. */
static bool boot_apply(const struct reconciler *reconciler, const struct ill *ill,
                       struct record *record, struct text *out_fact, const char **out_type)
{
    struct arena *arena = reconciler->settle_arena;
    uint64_t now = reconciler_now(reconciler);
    uint64_t since_ms = record->plan.reboot_begun_ms;

    if (since_ms == 0 || reboots_boot(ill->cause).length == 0) {
        return false;
    }
    if (record->boot.length == 0) {
        record->boot = reboots_boot(ill->cause);
        return record_is_plain(record->boot);
    }
    if (!reboots_is_over(record, ill->cause, now)) {
        return false;
    }
    *out_fact = arena_printf(arena, "%.*s: it booted anew within %llu s",
                             TEXT_ARG(record_reboot_cause(arena, record)),
                             (unsigned long long)((now - since_ms) / 1000 + 1));
    *out_type = "machine.rebooted";
    record_reboot_end(record, now, serves_unprobed(reconciler, record));
    return true;
}

static void boot_write(struct reconciler *reconciler, const struct ill *ill, struct record *record,
                       struct text key, uint64_t revision)
{
    struct arena *arena = reconciler->settle_arena;
    struct text fact = TEXT("");
    const char *type = NULL;
    struct unit *unit;

    if (!boot_apply(reconciler, ill, record, &fact, &type)) {
        return;
    }
    unit = unit_add(arena, &reconciler->units, key, revision, record_format(arena, record));
    if (type != NULL) {
        unit->event = control_event(arena, reconciler,
                                    &(struct event){ .type = type,
                                                     .group = record->plan.group,
                                                     .slot = record->plan.slot,
                                                     .has_slot = true,
                                                     .rule = TEXT("reboot_asked"),
                                                     .fact = fact,
                                                     .token = record->plan.token,
                                                     .id = record->plan.id,
                                                     .node = record->name,
                                                     .pass = record->pass });
    }
}

/* What is found of a machine that did not come back after its reboot has that as its cause, too. */
static struct text late_cause(struct arena *arena, const struct record *record, struct text cause)
{
    return !record->plan.is_reboot_late || cause.length == 0
               ? cause
               : record_sentence(arena,
                                 arena_printf(arena, "did not come back after its %.*s; %.*s",
                                              TEXT_ARG(record_reboot_cause(arena, record)),
                                              TEXT_ARG(cause)));
}

static bool may_serve(struct reconciler *reconciler, const struct ill *ill)
{
    return ill->state == HEALTH_WELL && members_may_serve(reconciler, ill->token);
}

static void ill_write(struct reconciler *reconciler, const struct ill *ill, struct text key,
                      const struct fleet_machine *machine)
{
    struct arena *arena = reconciler->settle_arena;
    struct text token = arena_text(arena, ill->token);
    struct ill copied = *ill;
    struct record record;
    struct unit *unit;
    const char *type;
    struct err err;

    copied.cause = arena_text(arena, ill->cause);
    copied.host_key = arena_text(arena, ill->host_key);
    if (!record_parse(arena, token, arena_text(arena, blob_text(machine->bytes)), &record, &err) ||
        record.plan.state != PLAN_RECORD_ACTIVE) {
        return;
    }
    if (ill->kind == ILL_BOOT) {
        boot_write(reconciler, &copied, &record, key, machine->revision);
        return;
    }
    if ((ill->kind == ILL_STATE || ill->kind == ILL_CAUSE) && record.plan.reboot_begun_ms > 0 &&
        !record.plan.is_reboot_late) {
        return; /* it was found before the reboot began */
    }
    copied.cause = ill->kind == ILL_STATE || ill->kind == ILL_CAUSE
                       ? late_cause(arena, &record, copied.cause)
                       : copied.cause;
    if (ill->kind == ILL_CAUSE) {
        if (cause_apply(&copied, &record)) {
            unit_add(arena, &reconciler->units, key, machine->revision,
                     record_format(arena, &record));
        }
        return;
    }
    type = ill->kind == ILL_STATE ? state_apply(&copied, may_serve(reconciler, ill), &record)
                                  : key_apply(&copied, &record);
    if (type == NULL) {
        return;
    }
    unit =
        unit_add(arena, &reconciler->units, key, machine->revision, record_format(arena, &record));
    unit->event =
        control_event(arena, reconciler,
                      &(struct event){ .type = type,
                                       .group = record.plan.group,
                                       .slot = record.plan.slot,
                                       .has_slot = true,
                                       .rule = TEXT("probe"),
                                       .fact = ill->kind == ILL_HOST_KEY
                                                   ? TEXT("its first host key is taken and kept")
                                                   : copied.cause,
                                       .token = token,
                                       .id = record.plan.id,
                                       .node = record.name,
                                       .pass = record.pass });
}

void probes_settle(struct reconciler *reconciler)
{
    struct ill **at = &reconciler->ills;
    struct ill **last = &reconciler->ills_sent;

    assert(reconciler->ills_sent == NULL);
    while (*at != NULL) {
        struct ill *ill = *at;
        const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, ill->token);
        struct text key = control_key(reconciler->settle_arena, reconciler->cluster, "Resource",
                                      ill->token, CACHE_STATUS);
        size_t count = reconciler->units.count;

        if (reconciler_has_unit(reconciler, key)) {
            at = &ill->next;
            continue;
        }
        if (machine != NULL && reconciler->epoch != 0) {
            ill_write(reconciler, ill, key, machine);
        }
        *at = ill->next;
        if (reconciler->units.count == count) {
            ill_free(ill);
            continue;
        }
        ill->next = NULL;
        *last = ill;
        last = &ill->next;
    }
}

void probes_written(struct reconciler *reconciler)
{
    ills_free(&reconciler->ills_sent);
}

/* Is there a newer word of the same kind about the same machine? */
static bool is_overtaken(const struct reconciler *reconciler, const struct ill *sent)
{
    const struct ill *ill = reconciler->ills;

    while (ill != NULL && (ill->kind != sent->kind || !text_is_equal(ill->token, sent->token))) {
        ill = ill->next;
    }
    return ill != NULL;
}

void probes_refused(struct reconciler *reconciler)
{
    struct ill *kept = NULL;
    struct ill **kept_last = &kept;

    for (struct ill *ill = reconciler->ills_sent, *next; ill != NULL; ill = next) {
        next = ill->next;
        if (is_overtaken(reconciler, ill)) {
            ill_free(ill);
            continue;
        }
        ill->next = NULL;
        *kept_last = ill;
        kept_last = &ill->next;
    }
    *kept_last = reconciler->ills;
    reconciler->ills = kept;
    reconciler->ills_sent = NULL;
}

/* ---- asking ---- */

static void ask_unlink(struct ask *ask)
{
    *ask->link = ask->next;
    if (ask->next != NULL) {
        ask->next->link = ask->link;
    }
}

/* What was found out of its host key. */
static void keys_report(struct reconciler *reconciler, const struct ask *ask,
                        const struct control_probed_answer *answer)
{
    bool is_in = answer->found == CONTROL_PROBED_WELL || answer->found == CONTROL_PROBED_SICK;

    if (answer->found == CONTROL_PROBED_ALARM) {
        probes_alarm(reconciler, ask->token, answer->host_key, answer->why);
        return;
    }
    if (answer->host_key.length > 0) {
        probes_host_key(reconciler, ask->token, answer->host_key);
    }
    if (ask->is_command && is_in) {
        probes_calm(reconciler, ask->token);
    }
}

static void probe_reported(void *arg, const struct control_probed_answer *answer)
{
    static const enum health_state states[] = {
        [CONTROL_PROBED_WELL] = HEALTH_WELL,
        [CONTROL_PROBED_SICK] = HEALTH_SICK,
        [CONTROL_PROBED_UNREACHABLE] = HEALTH_UNREACHABLE,
        [CONTROL_PROBED_ALARM] = HEALTH_UNREACHABLE,
    };
    struct ask *ask = arg;
    struct control *control = ask->control;
    struct fleet_cluster *cluster = fleet_find(control->fleet, ask->cluster);
    struct reconciler *reconciler = cluster == NULL ? NULL : cluster->reconciler;

    control->probes--;
    ask_unlink(ask);
    if (reconciler != NULL && reconciler->health != NULL) {
        keys_report(reconciler, ask, answer);
        if (answer->found == CONTROL_PROBED_NOTHING) {
            health_skip(reconciler->health, ask->token, ask->ticket);
        } else {
            health_answer(reconciler->health, ask->token, ask->ticket, states[answer->found],
                          answer->why, now_of(control), state_reported, reconciler);
            if (control->suspicion.is_on || states[answer->found] == HEALTH_UNREACHABLE) {
                suspicion_update(control);
            }
        }
        heap_put(&control->probing, &reconciler->probing, health_due(reconciler->health));
    }
    arena_free(ask->arena);
}

static void ask_make(struct reconciler *reconciler, const struct health_ask *due)
{
    struct control *control = reconciler->control;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct ask *ask = arena_one(arena, struct ask);

    *ask = (struct ask){ .control = control,
                         .arena = arena,
                         .cluster = arena_text(arena, reconciler->cluster->key),
                         .token = arena_text(arena, due->way.token),
                         .ticket = due->ticket,
                         .is_command = due->port == 0 };
    ask->next = control->asks;
    ask->link = &control->asks;
    if (ask->next != NULL) {
        ask->next->link = &ask->next;
    }
    control->asks = ask;
    control->probes++;
    control->ports.probe(control->ports.arg,
                         &(struct control_probe){ .plugin = due->plugin,
                                                  .way = due->way,
                                                  .port = due->port,
                                                  .is_ssh = due->is_ssh,
                                                  .words = due->words,
                                                  .word_count = due->word_count,
                                                  .timeout_ms = due->timeout_ms },
                         probe_reported, ask);
}

bool probes_has_probe(const struct control *control, const struct fleet_group *group)
{
    return control->ports.probe != NULL && group->probe.is_there &&
           (!group->probe.is_default || members_has_stages(control, group));
}

static bool is_group_probed(void *arg, const struct fleet_group *group)
{
    const struct reconciler *reconciler = arg;

    return probes_has_probe(reconciler->control, group);
}

/* Those of one cluster that are due, as many as may be under way. */
static void cluster_probe(struct reconciler *reconciler, uint64_t now_ms)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct control *control = reconciler->control;
    struct health_clock clock = { now_ms, reconciler_now(reconciler) };
    struct health_ask due;

    if (reconciler->cluster->is_stale || reconciler->epoch == 0 ||
        reconciler->cluster->problem.code != CODE_NONE) {
        return; /* the next pass reads what is wanted, or says it can be read again, and comes back here */
    }
    health_sync(&reconciler->health, reconciler->cluster, &clock, is_group_probed, state_reported,
                reconciler);
    while (reconciler->health != NULL && control->probes < LIMIT_PROBES &&
           health_next(reconciler->health, arena, reconciler->cluster, now_ms, &due)) {
        ask_make(reconciler, &due);
    }
    if (reconciler->health != NULL) {
        heap_put(&control->probing, &reconciler->probing, health_due(reconciler->health));
    }
}

uint64_t probes_run(struct control *control, uint64_t now_ms)
{
    struct heap_node *first;

    while ((first = heap_first(&control->probing)) != NULL && first->due <= now_ms &&
           control->probes < LIMIT_PROBES) {
        struct reconciler *reconciler = heap_owner(first, struct reconciler, probing);

        heap_remove(&control->probing, first);
        cluster_probe(reconciler, now_ms);
    }
    return first == NULL || control->probes >= LIMIT_PROBES ? UINT64_MAX : first->due;
}

void probes_note(struct reconciler *reconciler)
{
    struct control *control = reconciler->control;
    bool is_probed = reconciler->health != NULL;

    for (size_t i = 0; i < reconciler->cluster->group_count && !is_probed; i++) {
        is_probed = probes_has_probe(control, &reconciler->cluster->groups[i]);
    }
    if (is_probed && control->ports.probe != NULL && !control->options.is_dry &&
        !control->options.is_single) {
        heap_put(&control->probing, &reconciler->probing, now_of(control));
    }
}

void probes_forget(struct control *control)
{
    for (struct ask *ask = control->asks, *next; ask != NULL; ask = next) {
        next = ask->next;
        arena_free(ask->arena);
    }
    control->asks = NULL;
}

void probes_drop(struct reconciler *reconciler)
{
    heap_remove(&reconciler->control->probing, &reconciler->probing);
    health_free(reconciler->health);
    reconciler->health = NULL;
    ills_free(&reconciler->ills);
    ills_free(&reconciler->ills_sent);
}
