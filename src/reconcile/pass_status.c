#include "codec/json.h"
#include "reconcile/control_parts.h"
#include "records/displayed.h"

#include <assert.h>

/* public names start with: pass_ */

/* The status of a cluster: {"alarms":N?,"holds":N,"machines":{...},"observed":REVISION,
 * "rotation":TEXT,"ssh":LINE}. `machines` is {"blocked":N?,"creating":N,"failed":N,"leaving":N,
 * "maintenance":N?,"outdated":N,"ready":N,"unhealthy":N,"unreachable":N,"wanted":N}. Machines are
 * counted by displayed state; `creating` includes starting machines; `outdated` and `blocked` are
 * independent of the displayed state. `observed` is the revision of the specification to which the
 * counts refer. `rotation` is the progress of a rotation of authorities, and `ssh` the line of
 * authorized_keys for reeve. It is written when it changes, in the same transactions as the
 * cause. */

struct group_status {
    size_t counts[DISPLAYED_COUNT + 1]; /* the last one counts forgotten records */
    /* the state of each record after the pass, in which two actions may concern one record */
    enum displayed *states;
    size_t alarms; /* number of machines that present an unexpected host key */
    size_t outdated;
    size_t blocked;
    uint64_t wanted;
};

bool pass_is_probed(const struct pass *pass, struct text group)
{
    const struct fleet_group *found = fleet_group_find(pass->reconciler->cluster, group);

    return found != NULL && found->ready != FLEET_READY_RUNNING &&
           (probes_has_probe(pass->reconciler->control, found) ||
            members_has_stages(pass->reconciler->control, found));
}

static void action_count(struct group_status *group_status, const struct pass *pass,
                         const struct plan_action *action)
{
    const struct plan_record *record =
        action->record == PLAN_NONE ? NULL : &pass->world.records[action->record];

    switch (action->act) {
    case PLAN_ACT_CREATE:
        group_status->counts[DISPLAYED_CREATING]++;
        break;
    case PLAN_ACT_ADOPT:
        group_status->counts[DISPLAYED_READY]++;
        break;
    case PLAN_ACT_ACTIVATE:
        group_status->states[action->record] =
            pass_is_probed(pass, record->group) ? DISPLAYED_STARTING : DISPLAYED_READY;
        break;
    case PLAN_ACT_FORGET:
        group_status->states[action->record] = DISPLAYED_COUNT;
        break;
    case PLAN_ACT_DESTROY:
        if (record != NULL) {
            group_status->states[action->record] = DISPLAYED_LEAVING;
        } else {
            group_status->counts[DISPLAYED_LEAVING]++;
        }
        break;
    case PLAN_ACT_NOTE:
    case PLAN_ACT_SET_ID:
    case PLAN_ACT_CONFIRM:
    case PLAN_ACT_TERMINATE:
    case PLAN_ACT_ASK:
    case PLAN_ACT_MOVE:
    case PLAN_ACT_LABEL:
    case PLAN_ACT_REBOOT:
        break;
    }
}

/* Return the lines of authorized_keys for the cluster's machines; empty: there are none yet. */
static struct text keys_line(const struct pass *pass)
{
    const struct control_ports *ports = &pass->reconciler->control->ports;
    struct text line = TEXT("");

    for (size_t i = 0; i < pass->source_count && ports->keys != NULL && line.length == 0; i++) {
        (void)!ports->keys(ports->arg, pass->reconciler->cluster->key, pass->sources[i].plugin,
                           &line);
    }
    return arena_text(pass->arena, line);
}

/* Returns the revision of the specification to which the counts refer. A manager that has just
 * started may determine a lower revision, because its cache lacks a deleted group; then the
 * recorded revision is kept. */
static uint64_t observed_of(const struct pass *pass, struct text former)
{
    uint64_t wanted = pass->reconciler->cluster->wanted_revision;
    const struct doc *observed;
    int64_t number = 0;
    struct doc doc;
    struct err err;

    if (former.length == 0 || !json_parse(pass->arena, former, NULL, &doc, &err)) {
        return wanted;
    }
    observed = doc_child(&doc, "observed");
    return doc_is_scalar(observed) && text_parse_int64(observed->text, &number) &&
                   number > (int64_t)wanted
               ? (uint64_t)number
               : wanted;
}

static struct text status_format(const struct pass *pass, const struct group_status *group_status,
                                 struct text former)
{
    struct doc line = doc_text(keys_line(pass), NULL);
    struct doc rotating = doc_text(members_rotating(pass->reconciler), NULL);
    const size_t *counts = group_status->counts;
    struct buf buf;

    buf_init(&buf, pass->arena);
    buf_add_string(&buf, "{");
    if (group_status->alarms > 0) {
        buf_printf(&buf, "\"alarms\":%zu,", group_status->alarms);
    }
    buf_printf(&buf, "\"holds\":%zu,\"machines\":{", pass->plan.hold_count);
    if (group_status->blocked > 0) {
        buf_printf(&buf, "\"blocked\":%zu,", group_status->blocked);
    }
    for (enum displayed i = DISPLAYED_MAINTENANCE; i <= DISPLAYED_DRIFTED; i++) {
        if (counts[i] > 0) {
            buf_printf(&buf, "\"%s\":%zu,", displayed_name(i), counts[i]);
        }
    }
    buf_printf(&buf,
               "\"creating\":%zu,\"failed\":%zu,\"leaving\":%zu,"
               "\"outdated\":%zu,\"ready\":%zu,\"unhealthy\":%zu,\"unreachable\":%zu,"
               "\"wanted\":%llu},\"observed\":%llu",
               counts[DISPLAYED_CREATING] + counts[DISPLAYED_STARTING] + counts[DISPLAYED_REFUSED],
               counts[DISPLAYED_FAILED], counts[DISPLAYED_LEAVING], group_status->outdated,
               counts[DISPLAYED_READY] + counts[DISPLAYED_DRIFTED], counts[DISPLAYED_UNHEALTHY],
               counts[DISPLAYED_UNREACHABLE], (unsigned long long)group_status->wanted,
               (unsigned long long)observed_of(pass, former));
    if (rotating.text.length > 0) {
        buf_add_string(&buf, ",\"rotation\":");
        json_format(&buf, &rotating);
    }
    if (line.text.length > 0) {
        buf_add_string(&buf, ",\"ssh\":");
        json_format(&buf, &line);
    }
    buf_add_string(&buf, "}");
    return buf_text(&buf);
}

/* True if the status must not be written because the simulator has switched off a guard. Most
 * transactions contain the status. Its compare alone would refuse most writes that the missing
 * guard permits, and would act as a substitute for the guard. */
bool pass_hides_a_guard(const struct pass *pass)
{
    const struct plan_limits *limits = &pass->reconciler->control->options.limits;

    return !GUARD(limits, G2) || !GUARD(limits, G10) || BUG(limits, BUG_EPOCH_UNCOMPARED);
}

void pass_status_make(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->reconciler->cluster;
    const struct cache_object *object =
        cache_find(pass->reconciler->control->cache, cluster->tenant, TEXT("Cluster"), cluster->id);
    struct group_status group_status = { 0 };
    const struct cache_bytes *old;
    struct text value;

    if (object == NULL || !cluster->is_there || pass_hides_a_guard(pass)) {
        return;
    }
    old = &object->parts[CACHE_STATUS];
    group_status.states = arena_array(pass->arena, enum displayed, pass->world.record_count);
    for (size_t i = 0; i < pass->world.record_count; i++) {
        group_status.states[i] = displayed_of(&pass->world.records[i]);
        group_status.outdated += pass_is_outdated(pass, i);
        group_status.blocked += pass_is_blocked(pass, i);
    }
    for (size_t i = 0; i < cluster->count; i++) {
        group_status.alarms +=
            cluster->machines[i]->is_alarmed && cluster->machines[i]->state == PLAN_RECORD_ACTIVE;
    }
    for (size_t i = 0; i < pass->world.group_count; i++) {
        group_status.wanted += pass->world.groups[i].size;
    }
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        action_count(&group_status, pass, &pass->plan.actions[i]);
    }
    for (size_t i = 0; i < pass->world.record_count; i++) {
        group_status.counts[group_status.states[i]]++;
    }
    value =
        status_format(pass, &group_status, old->bytes == NULL ? TEXT("") : blob_text(old->bytes));
    if (old->bytes == NULL || !text_is_equal(blob_text(old->bytes), value)) {
        unit_add(pass->arena, &pass->units,
                 control_key(pass->arena, cluster, "Cluster", TEXT(""), CACHE_STATUS),
                 old->revision, value);
    }
}
