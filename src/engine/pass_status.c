#include "codec/json.h"
#include "engine/control_parts.h"

#include <assert.h>

/* names: pass_ */

/* How a cluster stands, in its status: {"alarms":N?,"holds":N,"machines":{"creating":N,"leaving":N,"ready":N,"sick":N,"wanted":N},
 * "rotation":WORDS,"ssh":LINE}, how far the change of its authorities is, and the lines of authorized_keys that let reeve in,
 * where there are any.
 * `creating` until a machine runs and, where its group has a probe, has answered once. Written when it is another than
 * before, in the same transactions as what makes it so. */

struct standing {
    size_t creating;
    size_t leaving;
    size_t ready;
    size_t alarms; /* machines that show another host key */
    size_t sick;   /* or unreachable, or its bootstrap has failed */
    uint64_t wanted;
};

/* Where a machine is counted. */
static size_t *place_of(struct standing *standing, const struct plan_record *record)
{
    switch (record->state) {
    case PLAN_RECORD_CREATE:
        return &standing->creating;
    case PLAN_RECORD_DELETE:
        return &standing->leaving;
    case PLAN_RECORD_ACTIVE:
        break;
    }
    if (record->sick_since_ms > 0 || record->unreachable_since_ms > 0 ||
        record->failed_since_ms > 0) {
        return &standing->sick;
    }
    return record->is_starting ? &standing->creating : &standing->ready;
}

bool pass_is_probed(const struct pass *pass, struct text group)
{
    const struct fleet_group *found = fleet_group_find(pass->keeper->cluster, group);

    return found != NULL && found->ready != FLEET_READY_RUNNING &&
           (found->probe.is_there || tending_has_stages(pass->keeper->control, found));
}

static void action_count(struct standing *standing, const struct pass *pass,
                         const struct plan_action *action)
{
    const struct plan_record *record =
        action->record == PLAN_NONE ? NULL : &pass->world.records[action->record];

    switch (action->act) {
    case PLAN_ACT_CREATE:
        standing->creating++;
        break;
    case PLAN_ACT_ADOPT:
        standing->ready++;
        break;
    case PLAN_ACT_ACTIVATE:
        --*place_of(standing, record);
        ++*(pass_is_probed(pass, record->group) ? &standing->creating : &standing->ready);
        break;
    case PLAN_ACT_FORGET:
        --*place_of(standing, record);
        break;
    case PLAN_ACT_DESTROY:
        if (record != NULL) {
            --*place_of(standing, record);
        }
        standing->leaving++;
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

/* What lets reeve in to its machines; empty: nothing, or it is still being made. */
static struct text keys_line(const struct pass *pass)
{
    const struct control_ports *ports = &pass->keeper->control->ports;
    struct text line = TEXT("");

    for (size_t i = 0; i < pass->source_count && ports->keys != NULL && line.length == 0; i++) {
        (void)!ports->keys(ports->arg, pass->keeper->cluster->key, pass->sources[i].plugin, &line);
    }
    return arena_text(pass->arena, line);
}

static struct text status_format(const struct pass *pass, const struct standing *standing)
{
    struct doc line = doc_text(keys_line(pass), NULL);
    struct doc rotating = doc_text(tending_rotating(pass->keeper), NULL);
    struct buf buf;

    buf_init(&buf, pass->arena);
    buf_add_string(&buf, "{");
    if (standing->alarms > 0) {
        buf_printf(&buf, "\"alarms\":%zu,", standing->alarms);
    }
    buf_printf(&buf,
               "\"holds\":%zu,\"machines\":{\"creating\":%zu,\"leaving\":%zu,"
               "\"ready\":%zu,\"sick\":%zu,\"wanted\":%llu}",
               pass->plan.hold_count, standing->creating, standing->leaving, standing->ready,
               standing->sick, (unsigned long long)standing->wanted);
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

/* The status stands in most transactions, and its compare alone would refuse most of those that a missing guard
 * lets through: where the simulator takes one away it must not stand in. */
bool pass_hides_a_guard(const struct pass *pass)
{
    const struct plan_limits *limits = &pass->keeper->control->options.limits;

    return !GUARD(limits, G2) || !GUARD(limits, G10) || BUG(limits, BUG_EPOCH_UNCOMPARED);
}

void pass_status_make(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->keeper->cluster;
    const struct cache_object *object =
        cache_find(pass->keeper->control->cache, cluster->tenant, TEXT("Cluster"), cluster->id);
    struct standing standing = { 0 };
    const struct cache_bytes *old;
    struct text value;

    if (object == NULL || !cluster->is_there || pass_hides_a_guard(pass)) {
        return;
    }
    old = &object->parts[CACHE_STATUS];
    for (size_t i = 0; i < pass->world.record_count; i++) {
        ++*place_of(&standing, &pass->world.records[i]);
    }
    for (size_t i = 0; i < cluster->count; i++) {
        standing.alarms +=
            cluster->machines[i]->is_alarmed && cluster->machines[i]->state == PLAN_RECORD_ACTIVE;
    }
    for (size_t i = 0; i < pass->world.group_count; i++) {
        standing.wanted += pass->world.groups[i].size;
    }
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        action_count(&standing, pass, &pass->plan.actions[i]);
    }
    value = status_format(pass, &standing);
    if (old->bytes == NULL || !text_is_equal(blob_text(old->bytes), value)) {
        unit_add(pass->arena, &pass->units,
                 control_key(pass->arena, cluster, "Cluster", TEXT(""), CACHE_STATUS),
                 old->revision, value);
    }
}
