/* Events of a run: from passes, from machines, and from observations of the current state. */
#include "base/limits.h"
#include "codec/json.h"
#include "state/cache.h"
#include "trial/trial_parts.h"

#include <assert.h>

/* A listing that lacks machines is reported once per interval. */
enum { MISSED_AGAIN_MS = 5 * 60 * 1000 };

void trial_event_add(struct trial *trial, const struct trial_event *event)
{
    struct trial_result *result = trial->result;

    if (result->event_count == LIMIT_TRIAL_EVENTS) {
        result->events_left_out++;
        return;
    }
    if (result->event_count == trial->event_room) {
        size_t room = trial->event_room == 0 ? 256 : trial->event_room * 2;

        result->events = arena_grow(trial->arena, result->events,
                                    trial->event_room * sizeof(*event), room * sizeof(*event));
        trial->event_room = room;
    }
    result->events[result->event_count] = *event;
    result->events[result->event_count++].at_ms = trial_time(trial);
}

/* ---- groups ---- */

static struct text seen_group_key(struct arena *arena, struct text cluster, struct text path)
{
    return arena_printf(arena, "%.*s %.*s", TEXT_ARG(cluster), TEXT_ARG(path));
}

struct trial_group *trial_group_find(const struct trial *trial, struct text cluster,
                                     struct text path)
{
    struct arena_mark mark = arena_mark(trial->memory);
    struct trial_group *group =
        map_find(&trial->group_by_key, seen_group_key(trial->memory, cluster, path));

    arena_rewind(trial->memory, mark);
    return group;
}

void trial_group_init(struct trial *trial)
{
    map_init(&trial->group_by_key, trial->memory);
    for (size_t i = 0; i < trial->cluster_count; i++) {
        struct trial_cluster *cluster = &trial->clusters[i];

        for (size_t j = 0; j < cluster->group_count; j++) {
            struct trial_group *group = &cluster->groups[j];

            group->is_short = group->wanted > 0;
            map_put(&trial->group_by_key, seen_group_key(trial->memory, cluster->key, group->path),
                    group);
        }
    }
}

/* ---- passes ---- */

/* The reported actions of a pass, grouped by act, rule and group. */
struct folded {
    const struct plan_action *first;
    uint64_t count;
};

static bool is_seen_shown(enum plan_act act)
{
    return act == PLAN_ACT_CREATE || act == PLAN_ACT_DESTROY || act == PLAN_ACT_REBOOT ||
           act == PLAN_ACT_ADOPT || act == PLAN_ACT_LABEL || act == PLAN_ACT_MOVE;
}

/* Returns whether a machine is missing that was in service before, not one that is new. */
static bool is_miss(const struct plan_world *world, const struct plan_action *action)
{
    return action->act == PLAN_ACT_NOTE && action->rule == PLAN_RULE_absent &&
           action->record != PLAN_NONE &&
           world->records[action->record].state == PLAN_RECORD_ACTIVE;
}

static bool is_new_miss(struct trial *trial, struct trial_group *group)
{
    uint64_t last = group->missed_ms;
    bool is_new = !group->was_missed || trial_time(trial) - last > MISSED_AGAIN_MS;

    group->was_missed = true;
    group->missed_ms = trial_time(trial);
    return is_new;
}

static void fold(struct arena *arena, struct map *map, const struct plan_action *action)
{
    struct text key = arena_printf(arena, "%02d %03d %.*s", (int)action->act, (int)action->rule,
                                   TEXT_ARG(action->group));
    struct folded *folded = map_find(map, key);

    if (folded == NULL) {
        folded = arena_one(arena, struct folded);
        *folded = (struct folded){ .first = action };
        map_put(map, key, folded);
    }
    folded->count++;
}

static void folded_report(struct trial *trial, const struct trial_cluster *cluster,
                          const struct folded *folded)
{
    const struct plan_action *action = folded->first;
    struct trial_group *group = trial_group_find(trial, cluster->key, action->group);
    bool is_missing = action->act == PLAN_ACT_NOTE;

    if (is_missing && group != NULL && !is_new_miss(trial, group)) {
        return;
    }
    trial_event_add(trial, &(struct trial_event){
                               .kind = is_missing ? TRIAL_MISSES : TRIAL_ACTS,
                               .cluster = cluster->name,
                               .group = arena_text(trial->arena, action->group),
                               .act = action->act,
                               .rule = text_from(plan_rule_name(action->rule)),
                               .fact = arena_text(trial->arena, action->fact),
                               .count = folded->count,
                           });
}

void trial_pass_reported(void *arg, const struct control_report *report)
{
    struct trial *trial = arg;
    const struct trial_cluster *cluster = map_find(&trial->cluster_by_key, report->cluster);
    AUTO(arena) arena = NULL;
    struct map map;

    trial->result->passes++;
    trial->is_reported = true;
    if (report->end != CONTROL_END_DONE || report->plan == NULL || report->world == NULL ||
        cluster == NULL) {
        return;
    }
    arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    map_init(&map, arena);
    for (size_t i = 0; i < report->plan->action_count; i++) {
        const struct plan_action *action = &report->plan->actions[i];

        if (is_seen_shown(action->act) || is_miss(report->world, action)) {
            fold(arena, &map, action);
        }
    }
    for (const struct map_node *node = map_first(&map, TEXT("")); node != NULL;
         node = map_after(&map, node->key)) {
        folded_report(trial, cluster, node->value);
    }
}

void trial_machine_reported(void *arg, struct sim_machine *machine, bool is_end)
{
    struct trial *trial = arg;
    struct trial_group *group =
        trial_group_find(trial, sim_tags(machine).cluster, sim_tags(machine).group);

    trial->is_changed = true;
    if (!is_end) {
        trial->look_until_ms = trial->now_ms + TRIAL_BOOT_MS;
    }
    if (group != NULL) {
        group->made += !is_end;
        group->ended += is_end;
    }
}

/* ---- observations ---- */

static void seen_ready_count(struct trial *trial)
{
    for (size_t i = 0; i < trial->result->group_count; i++) {
        trial->result->groups[i].ready = 0;
    }
    for (struct trial_cloud *cloud = trial->clouds; cloud != NULL; cloud = cloud->next) {
        for (size_t i = 0; i < trial->cluster_count; i++) {
            struct text key = trial->clusters[i].key;

            for (struct sim_machine *one = sim_first(cloud->cloud, key); one != NULL;
                 one = sim_next(cloud->cloud, key, one)) {
                struct trial_group *group = one->is_planted || !sim_is_running(cloud->cloud, one)
                                                ? NULL
                                                : trial_group_find(trial, key, sim_tags(one).group);

                if (group != NULL) {
                    group->ready++;
                }
            }
        }
    }
}

/* Updates whether the group is short of machines, and since when. */
static void seen_group_look(struct trial *trial, const struct trial_cluster *cluster,
                            struct trial_group *group)
{
    bool is_short = group->ready < group->wanted;
    uint64_t took_ms = trial_time(trial) - group->short_since_ms;

    if (group->is_short && took_ms > group->longest_ms) {
        group->longest_ms = took_ms;
    }
    if (is_short && !group->is_short) {
        group->short_since_ms = trial_time(trial);
    } else if (!is_short && group->is_short) {
        trial_event_add(trial, &(struct trial_event){ .kind = TRIAL_IS_WHOLE,
                                                      .cluster = cluster->name,
                                                      .group = group->path,
                                                      .count = group->ready,
                                                      .took_ms = took_ms });
    }
    group->is_short = is_short;
}

static bool is_any_short(const struct trial *trial)
{
    for (size_t i = 0; i < trial->result->group_count; i++) {
        if (trial->result->groups[i].is_short) {
            return true;
        }
    }
    return false;
}

/* A fault has effects until it has ended and nothing is missing. */
static void harm_note(struct trial *trial)
{
    bool is_short = is_any_short(trial);

    for (size_t i = 0; i < trial->options.fault_count; i++) {
        struct trial_struck *struck = &trial->result->struck[i];

        if (!struck->has_begun || struck->is_over) {
            continue;
        }
        if (is_short) {
            struck->has_harm = true;
            struck->is_healed = false;
        } else if (struck->has_harm && !struck->is_healed) {
            struck->is_healed = true;
            struck->healed_ms = trial_time(trial) - trial->options.faults[i].at_ms;
        }
        struck->is_over = struck->has_ended && !is_short;
    }
}

/* Returns the text of a member; the old text if it is equal, because a run may be long. */
static struct text seen_text_of(struct trial *trial, const struct doc *doc, const char *name,
                                struct text old)
{
    const struct doc *value = doc_child(doc, name);
    struct text text = doc_is_scalar(value) ? value->text : TEXT("");

    return text_is_equal(text, old) ? old : arena_text(trial->arena, text);
}

static uint64_t seen_number_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);
    int64_t number = 0;

    return doc_is_scalar(value) && text_parse_int64(value->text, &number) && number > 0
               ? (uint64_t)number
               : 0;
}

static void hold_event(struct trial *trial, const struct trial_hold *hold,
                       enum trial_event_kind kind)
{
    trial_event_add(trial, &(struct trial_event){ .kind = kind,
                                                  .cluster = hold->cluster,
                                                  .group = hold->group,
                                                  .rule = hold->rule,
                                                  .fact = hold->fact,
                                                  .count = hold->would_destroy });
}

static void seen_hold_read(struct trial *trial, struct text bytes, struct trial_hold *hold)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc doc;
    struct err err;
    bool is_read = json_parse(arena, bytes, NULL, &doc, &err);

    assert(is_read && "it was written a moment ago");
    (void)is_read;
    hold->cluster = seen_text_of(trial, &doc, "cluster", hold->cluster);
    hold->group = seen_text_of(trial, &doc, "group", hold->group);
    hold->rule = seen_text_of(trial, &doc, "rule", hold->rule);
    hold->why = seen_text_of(trial, &doc, "why", hold->why);
    hold->advice = seen_text_of(trial, &doc, "advice", hold->advice);
    hold->fact = seen_text_of(trial, &doc, "fact", hold->fact);
    hold->would_create = seen_number_of(&doc, "wouldCreate");
    hold->would_destroy = seen_number_of(&doc, "wouldDestroy");
}

static void hold_see(struct trial *trial, const struct cache_object *object)
{
    struct trial_held *held = map_find(&trial->holds, cache_id(object));
    bool is_new = held == NULL;

    if (is_new) {
        held = arena_one(trial->memory, struct trial_held);
        *held = (struct trial_held){ .hold.since_ms = trial_time(trial) };
        map_put(&trial->holds, arena_text(trial->memory, cache_id(object)), held);
    }
    held->serial = trial->serial;
    seen_hold_read(trial, blob_text(object->parts[CACHE_STATUS].bytes), &held->hold);
    if (is_new) {
        hold_event(trial, &held->hold, TRIAL_HOLD_BEGINS);
    }
}

static void holds_look(struct trial *trial)
{
    struct text prefix = TEXT("/" TRIAL_TENANT "/Hold/");
    const struct map_node *node;

    trial->serial++;
    for (const struct cache_object *object = cache_first(trial->cache, prefix); object != NULL;
         object = cache_next(trial->cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL) {
            hold_see(trial, object);
        }
    }
    for (node = map_first(&trial->holds, TEXT("")); node != NULL;) {
        struct text key = node->key;
        const struct trial_held *held = node->value;

        if (held->serial != trial->serial) {
            map_remove(&trial->holds, key);
            hold_event(trial, &held->hold, TRIAL_HOLD_ENDS);
        }
        node = map_after(&trial->holds, key);
    }
}

void trial_look(struct trial *trial)
{
    if (trial->is_reported && trial->control != NULL) {
        trial->is_reported = false;
        holds_look(trial);
    }
    if (!trial->is_changed && trial->now_ms > trial->look_until_ms) {
        return;
    }
    trial->is_changed = false;
    seen_ready_count(trial);
    for (size_t i = 0; i < trial->cluster_count; i++) {
        for (size_t j = 0; j < trial->clusters[i].group_count; j++) {
            seen_group_look(trial, &trial->clusters[i], &trial->clusters[i].groups[j]);
        }
    }
    harm_note(trial);
}

void trial_sum(struct trial *trial)
{
    struct trial_result *result = trial->result;

    trial->is_changed = true;
    trial->is_reported = true;
    trial_look(trial);
    result->holds = arena_array(trial->arena, struct trial_hold, trial->holds.count);
    for (const struct map_node *node = map_first(&trial->holds, TEXT("")); node != NULL;
         node = map_after(&trial->holds, node->key)) {
        result->holds[result->hold_count++] = ((const struct trial_held *)node->value)->hold;
    }
    assert(result->hold_count == trial->holds.count);
    result->is_whole = result->hold_count == 0 && !is_any_short(trial);
}
