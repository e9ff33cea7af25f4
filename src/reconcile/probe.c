#include "base/limits.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"

#include <assert.h>

/* public names start with: probes_ */

/* Probes of the machines of all clusters. Starts probes that are due, and writes changed states
 * together with outcomes of calls. Only the lease holder of a cluster probes its machines. */

/* A running probe. Its cluster may no longer exist when the answer arrives, so the cluster is
 * looked up by its key. */
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

static uint64_t probe_now_of(const struct control *control)
{
    return control->ports.now_ms(control->ports.arg);
}

/* ---- results ---- */

static void probe_finding_free(struct finding *finding)
{
    arena_free(finding->arena);
}

static void ills_free(struct finding **findings)
{
    for (struct finding *finding = *findings, *next; finding != NULL; finding = next) {
        next = finding->next;
        probe_finding_free(finding);
    }
    *findings = NULL;
}

/* Adds a result. The newest result of each kind about a machine replaces older ones. */
static void probe_finding_put(struct reconciler *reconciler, struct finding *made)
{
    struct finding **at = &reconciler->findings;

    while (*at != NULL) {
        struct finding *finding = *at;

        if (finding->kind == made->kind && text_is_equal(finding->token, made->token)) {
            *at = finding->next;
            probe_finding_free(finding);
        } else {
            at = &finding->next;
        }
    }
    *at = made;
    reconciler->is_woken = true;
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
}

static void key_reported(struct reconciler *reconciler, struct text token,
                         enum probe_finding_kind kind, struct text host_key, struct text cause)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct finding *finding = arena_one(arena, struct finding);

    *finding = (struct finding){
        .arena = arena,
        .token = arena_text(arena, token),
        .kind = kind,
        .host_key = arena_text(arena, host_key),
        .cause = record_sentence(arena, cause),
    };
    probe_finding_put(reconciler, finding);
}

void probes_host_key(struct reconciler *reconciler, struct text token, struct text host_key)
{
    key_reported(reconciler, token, PROBE_FINDING_HOST_KEY, host_key, TEXT(""));
}

void probes_alarm(struct reconciler *reconciler, struct text token, struct text host_key,
                  struct text why)
{
    key_reported(reconciler, token, PROBE_FINDING_ALARM, host_key, why);
}

void probes_cleared(struct reconciler *reconciler, struct text token)
{
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);

    if (machine != NULL && machine->is_alarmed) {
        key_reported(reconciler, token, PROBE_FINDING_ALARM, TEXT(""), TEXT(""));
    }
}

void probes_boot(struct reconciler *reconciler, struct text token, struct text read)
{
    key_reported(reconciler, token, PROBE_FINDING_BOOT, TEXT(""), read);
}

static int64_t probe_wall_of(const struct control *control)
{
    return control->ports.wall_ms(control->ports.arg);
}

/* True if this state is already being written. A repeated report lacks the reason that the probe
 * gave. */
static bool is_probe_among(const struct finding *finding, struct text token,
                           enum health_state state)
{
    for (; finding != NULL; finding = finding->next) {
        if (finding->kind == PROBE_FINDING_STATE && finding->state == state &&
            text_is_equal(finding->token, token)) {
            return true;
        }
    }
    return false;
}

static bool is_probe_waiting(const struct reconciler *reconciler, struct text token,
                             enum health_state state)
{
    return is_probe_among(reconciler->findings, token, state) ||
           is_probe_among(reconciler->ills_sent, token, state);
}

static void state_reported(void *arg, const struct health_change *word)
{
    struct reconciler *reconciler = arg;
    uint64_t now = probe_now_of(reconciler->control);
    uint64_t ago = word->since_ms == 0 || word->since_ms > now ? 0 : now - word->since_ms;
    struct arena *arena;
    struct finding *finding;

    if (word->why.length == 0 && is_probe_waiting(reconciler, word->token, word->state)) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    finding = arena_one(arena, struct finding);
    *finding = (struct finding){
        .arena = arena,
        .token = arena_text(arena, word->token),
        .kind = word->is_cause ? PROBE_FINDING_CAUSE : PROBE_FINDING_STATE,
        .state = word->state,
        .since_ms = word->state == HEALTH_WELL ? 0 : reconciler_now(reconciler) - ago,
        .silent_wall_ms = word->state == HEALTH_UNREACHABLE
                              ? probe_wall_of(reconciler->control) - (int64_t)ago
                              : 0,
        .cause = record_sentence(arena, word->why),
    };
    probe_finding_put(reconciler, finding);
}

static const char *event_type(enum health_state state)
{
    return state == HEALTH_FAILING       ? "machine.unhealthy"
           : state == HEALTH_UNREACHABLE ? "machine.unreachable"
                                         : "machine.healthy";
}

/* True if the record already contains the result. */
static bool stands(const struct finding *finding, const struct record *record)
{
    return finding->state == health_state_of(record->plan.failing_since_ms,
                                             record->plan.unreachable_since_ms,
                                             record->plan.is_starting);
}

static uint64_t since(const struct record *record)
{
    return record->plan.failing_since_ms > 0 ? record->plan.failing_since_ms
                                             : record->plan.unreachable_since_ms;
}

/* Applies a state to a record. Returns the type of its event; NULL: nothing changes. A machine that
 * answers but must still run its stages keeps the state starting. */
static const char *state_apply(const struct finding *finding, bool may_serve, struct record *record)
{
    bool begins = record->plan.is_starting && finding->state == HEALTH_WELL && may_serve;

    if (stands(finding, record) &&
        (finding->cause.length == 0 ||
         (finding->since_ms == since(record) && text_is_equal(record->cause, finding->cause)))) {
        return NULL; /* the result was written before it was reported again */
    }
    if (record->plan.is_starting && finding->state == HEALTH_WELL && !may_serve &&
        record->plan.failing_since_ms == 0 && record->plan.unreachable_since_ms == 0) {
        return NULL;
    }
    record->plan.failing_since_ms = finding->state == HEALTH_FAILING ? finding->since_ms : 0;
    record->plan.unreachable_since_ms =
        finding->state == HEALTH_UNREACHABLE ? finding->since_ms : 0;
    record->silent_wall_ms = finding->silent_wall_ms;
    if (begins) {
        record_serve(record);
    }
    record->cause = finding->cause;
    return begins ? "machine.ready" : event_type(finding->state);
}

/* Applies a changed reason. The times in the record are kept. No event is written, because an
 * alternating reason would fill the event log. */
static bool cause_apply(const struct finding *finding, struct record *record)
{
    if (!stands(finding, record) || text_is_equal(record->cause, finding->cause)) {
        return false;
    }
    record->cause = finding->cause;
    return true;
}

/* Apply a host key. A recorded key is never replaced by a key that the machine only presented. */
static const char *key_apply(const struct finding *finding, struct record *record)
{
    struct text shown;

    if (finding->kind == PROBE_FINDING_HOST_KEY) {
        if (record->host_key.length > 0 || finding->host_key.length == 0 ||
            !record_is_sentence(finding->host_key)) {
            return NULL;
        }
        record->host_key = finding->host_key;
        return "machine.hostkey";
    }
    shown = record_is_sentence(finding->host_key) ? finding->host_key : TEXT("");
    if (shown.length > 0 && text_is_equal(record->host_key, shown)) {
        return NULL; /* the key mismatched when the machine presented it, but was accepted later */
    }
    if ((record->alarm.length > 0) == (finding->cause.length > 0) &&
        text_is_equal(record->shown, shown)) {
        return NULL; /* the text of the first report is kept */
    }
    record->alarm = finding->cause;
    record->shown = shown;
    return finding->cause.length > 0 ? "machine.alarm" : "machine.alarm_cleared";
}

/* True if a machine is ready without a successful probe. A machine without a probe counts as
 * healthy. */
static bool serves_unprobed(const struct reconciler *reconciler, const struct record *record)
{
    const struct fleet_group *group = fleet_group_find(reconciler->cluster, record->plan.group);

    return group == NULL || group->ready == FLEET_READY_RUNNING ||
           !probes_has_probe(reconciler->control, group);
}

/* Applies a boot id. The first boot id that is read is the one before the reboot; a different boot
 * id ends the reboot. *out_fact is the text for the event. Returns false if nothing changes. */
static bool boot_apply(const struct reconciler *reconciler, const struct finding *finding,
                       struct record *record, struct text *out_fact, const char **out_type)
{
    struct arena *arena = reconciler->settle_arena;
    uint64_t now = reconciler_now(reconciler);
    uint64_t since_ms = record->plan.reboot_begun_ms;

    if (since_ms == 0 || reboots_boot(finding->cause).length == 0) {
        return false;
    }
    if (record->boot.length == 0) {
        record->boot = reboots_boot(finding->cause);
        return record_is_plain(record->boot);
    }
    if (!reboots_is_over(record, finding->cause, now)) {
        return false;
    }
    *out_fact = arena_printf(arena, "%.*s: the machine booted again within %llu s",
                             TEXT_ARG(record_reboot_cause(arena, record)),
                             (unsigned long long)((now - since_ms) / 1000 + 1));
    *out_type = "machine.rebooted";
    record_reboot_end(record, now, serves_unprobed(reconciler, record));
    return true;
}

static void boot_write(struct reconciler *reconciler, const struct finding *finding,
                       struct record *record, struct text key, uint64_t revision)
{
    struct arena *arena = reconciler->settle_arena;
    struct text fact = TEXT("");
    const char *type = NULL;
    struct unit *unit;

    if (!boot_apply(reconciler, finding, record, &fact, &type)) {
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

/* Returns the cause of a result. It also states if the machine is unreachable after its reboot. */
static struct text late_cause(struct arena *arena, const struct record *record, struct text cause)
{
    return !record->plan.is_reboot_late || cause.length == 0
               ? cause
               : record_sentence(arena,
                                 arena_printf(arena, "did not come back after its %.*s; %.*s",
                                              TEXT_ARG(record_reboot_cause(arena, record)),
                                              TEXT_ARG(cause)));
}

static bool may_serve(struct reconciler *reconciler, const struct finding *finding)
{
    return finding->state == HEALTH_WELL && members_may_serve(reconciler, finding->token);
}

static void probe_finding_write(struct reconciler *reconciler, const struct finding *finding,
                                struct text key, const struct fleet_machine *machine)
{
    struct arena *arena = reconciler->settle_arena;
    struct text token = arena_text(arena, finding->token);
    struct finding copied = *finding;
    struct record record;
    struct unit *unit;
    const char *type;
    struct err err;

    copied.cause = arena_text(arena, finding->cause);
    copied.host_key = arena_text(arena, finding->host_key);
    if (!record_parse(arena, token, arena_text(arena, blob_text(machine->bytes)), &record, &err) ||
        record.plan.state != PLAN_RECORD_ACTIVE) {
        return;
    }
    if (finding->kind == PROBE_FINDING_BOOT) {
        boot_write(reconciler, &copied, &record, key, machine->revision);
        return;
    }
    if ((finding->kind == PROBE_FINDING_STATE || finding->kind == PROBE_FINDING_CAUSE) &&
        record.plan.reboot_begun_ms > 0 && !record.plan.is_reboot_late) {
        return; /* the result is older than the reboot */
    }
    copied.cause = finding->kind == PROBE_FINDING_STATE || finding->kind == PROBE_FINDING_CAUSE
                       ? late_cause(arena, &record, copied.cause)
                       : copied.cause;
    if (finding->kind == PROBE_FINDING_CAUSE) {
        if (cause_apply(&copied, &record)) {
            unit_add(arena, &reconciler->units, key, machine->revision,
                     record_format(arena, &record));
        }
        return;
    }
    type = finding->kind == PROBE_FINDING_STATE
               ? state_apply(&copied, may_serve(reconciler, finding), &record)
               : key_apply(&copied, &record);
    if (type == NULL) {
        return;
    }
    unit =
        unit_add(arena, &reconciler->units, key, machine->revision, record_format(arena, &record));
    unit->event = control_event(
        arena, reconciler,
        &(struct event){ .type = type,
                         .group = record.plan.group,
                         .slot = record.plan.slot,
                         .has_slot = true,
                         .rule = TEXT("probe"),
                         .fact =
                             finding->kind == PROBE_FINDING_HOST_KEY
                                 ? TEXT("the first host key of the machine is accepted and stored")
                                 : copied.cause,
                         .token = token,
                         .id = record.plan.id,
                         .node = record.name,
                         .pass = record.pass });
}

void probes_settle(struct reconciler *reconciler)
{
    struct finding **at = &reconciler->findings;
    struct finding **last = &reconciler->ills_sent;

    assert(reconciler->ills_sent == NULL);
    while (*at != NULL) {
        struct finding *finding = *at;
        const struct fleet_machine *machine =
            fleet_machine_find(reconciler->cluster, finding->token);
        struct text key = control_key(reconciler->settle_arena, reconciler->cluster, "Resource",
                                      finding->token, CACHE_STATUS);
        size_t count = reconciler->units.count;

        if (reconciler_has_unit(reconciler, key)) {
            at = &finding->next;
            continue;
        }
        if (machine != NULL && reconciler->epoch != 0) {
            probe_finding_write(reconciler, finding, key, machine);
        }
        *at = finding->next;
        if (reconciler->units.count == count) {
            probe_finding_free(finding);
            continue;
        }
        finding->next = NULL;
        *last = finding;
        last = &finding->next;
    }
}

void probes_written(struct reconciler *reconciler)
{
    ills_free(&reconciler->ills_sent);
}

/* True if there is a newer result of the same kind about the same machine. */
static bool is_overtaken(const struct reconciler *reconciler, const struct finding *sent)
{
    const struct finding *finding = reconciler->findings;

    while (finding != NULL &&
           (finding->kind != sent->kind || !text_is_equal(finding->token, sent->token))) {
        finding = finding->next;
    }
    return finding != NULL;
}

void probes_refused(struct reconciler *reconciler)
{
    struct finding *kept = NULL;
    struct finding **kept_last = &kept;

    for (struct finding *finding = reconciler->ills_sent, *next; finding != NULL; finding = next) {
        next = finding->next;
        if (is_overtaken(reconciler, finding)) {
            probe_finding_free(finding);
            continue;
        }
        finding->next = NULL;
        *kept_last = finding;
        kept_last = &finding->next;
    }
    *kept_last = reconciler->findings;
    reconciler->findings = kept;
    reconciler->ills_sent = NULL;
}

/* ---- probing ---- */

static void ask_unlink(struct ask *ask)
{
    *ask->link = ask->next;
    if (ask->next != NULL) {
        ask->next->link = ask->link;
    }
}

/* Reports the host key that the probe found. */
static void probe_keys_report(struct reconciler *reconciler, const struct ask *ask,
                              const struct control_probed_answer *answer)
{
    bool is_in = answer->found == CONTROL_PROBED_WELL || answer->found == CONTROL_PROBED_FAILING;

    if (answer->found == CONTROL_PROBED_ALARM) {
        probes_alarm(reconciler, ask->token, answer->host_key, answer->why);
        return;
    }
    if (answer->host_key.length > 0) {
        probes_host_key(reconciler, ask->token, answer->host_key);
    }
    if (ask->is_command && is_in) {
        probes_cleared(reconciler, ask->token);
    }
}

static void probe_reported(void *arg, const struct control_probed_answer *answer)
{
    static const enum health_state states[] = {
        [CONTROL_PROBED_WELL] = HEALTH_WELL,
        [CONTROL_PROBED_FAILING] = HEALTH_FAILING,
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
        probe_keys_report(reconciler, ask, answer);
        if (answer->found == CONTROL_PROBED_NOTHING) {
            health_skip(reconciler->health, ask->token, ask->ticket);
        } else {
            health_answer(reconciler->health, ask->token, ask->ticket, states[answer->found],
                          answer->why, probe_now_of(control), state_reported, reconciler);
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
                                                  .argument_count = due->argument_count,
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

/* Start the probes of one cluster that are due, up to the limit of running probes. */
static void cluster_probe(struct reconciler *reconciler, uint64_t now_ms)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct control *control = reconciler->control;
    struct health_clock clock = { now_ms, reconciler_now(reconciler) };
    struct health_ask due;

    if (reconciler->cluster->is_stale || reconciler->epoch == 0 ||
        reconciler->cluster->problem.code != CODE_NONE) {
        return; /* the next pass reads the specification, and calls this function again */
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
        heap_put(&control->probing, &reconciler->probing, probe_now_of(control));
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
    ills_free(&reconciler->findings);
    ills_free(&reconciler->ills_sent);
}
