/* Events of a run: from passes, from machines, and from observations of the current state. */
#include "base/limits.h"
#include "codec/json.h"
#include "simulation/simulation_parts.h"
#include "state/cache.h"

#include <assert.h>

/* Minimum time between two reports that a listing lacks machines. */
enum { MISSED_AGAIN_MS = 5 * 60 * 1000 };

void simulation_event_add(struct simulation *simulation, const struct simulation_event *event)
{
    struct simulation_result *result = simulation->result;

    if (result->event_count == LIMIT_SIMULATION_EVENTS) {
        result->events_left_out++;
        return;
    }
    if (result->event_count == simulation->event_room) {
        size_t room = simulation->event_room == 0 ? 256 : simulation->event_room * 2;

        result->events = arena_grow(simulation->arena, result->events,
                                    simulation->event_room * sizeof(*event), room * sizeof(*event));
        simulation->event_room = room;
    }
    result->events[result->event_count] = *event;
    result->events[result->event_count++].at_ms = simulation_time(simulation);
}

/* ---- groups ---- */

static struct text seen_group_key(struct arena *arena, struct text cluster, struct text path)
{
    return arena_printf(arena, "%.*s %.*s", TEXT_ARG(cluster), TEXT_ARG(path));
}

struct simulation_group *simulation_group_find(const struct simulation *simulation,
                                               struct text cluster, struct text path)
{
    struct arena_mark mark = arena_mark(simulation->memory);
    struct simulation_group *group =
        map_find(&simulation->group_by_key, seen_group_key(simulation->memory, cluster, path));

    arena_rewind(simulation->memory, mark);
    return group;
}

void simulation_group_init(struct simulation *simulation)
{
    map_init(&simulation->group_by_key, simulation->memory);
    for (size_t i = 0; i < simulation->cluster_count; i++) {
        struct simulation_cluster *cluster = &simulation->clusters[i];

        for (size_t j = 0; j < cluster->group_count; j++) {
            struct simulation_group *group = &cluster->groups[j];

            group->is_short = group->wanted > 0;
            map_put(&simulation->group_by_key,
                    seen_group_key(simulation->memory, cluster->key, group->path), group);
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

/* Returns whether a machine is missing that was in service earlier. New machines do not count. */
static bool is_miss(const struct plan_world *world, const struct plan_action *action)
{
    return action->act == PLAN_ACT_NOTE && action->rule == PLAN_RULE_absent &&
           action->record != PLAN_NONE &&
           world->records[action->record].state == PLAN_RECORD_ACTIVE;
}

static bool is_new_miss(struct simulation *simulation, struct simulation_group *group)
{
    uint64_t last = group->missed_ms;
    bool is_new = !group->was_missed || simulation_time(simulation) - last > MISSED_AGAIN_MS;

    group->was_missed = true;
    group->missed_ms = simulation_time(simulation);
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

static void folded_report(struct simulation *simulation, const struct simulation_cluster *cluster,
                          const struct folded *folded)
{
    const struct plan_action *action = folded->first;
    struct simulation_group *group = simulation_group_find(simulation, cluster->key, action->group);
    bool is_missing = action->act == PLAN_ACT_NOTE;

    if (is_missing && group != NULL && !is_new_miss(simulation, group)) {
        return;
    }
    simulation_event_add(simulation, &(struct simulation_event){
                                         .kind = is_missing ? SIMULATION_MISSES : SIMULATION_ACTS,
                                         .cluster = cluster->name,
                                         .group = arena_text(simulation->arena, action->group),
                                         .act = action->act,
                                         .rule = text_from(plan_rule_name(action->rule)),
                                         .fact = arena_text(simulation->arena, action->fact),
                                         .count = folded->count,
                                     });
}

void simulation_pass_reported(void *arg, const struct control_report *report)
{
    struct simulation *simulation = arg;
    const struct simulation_cluster *cluster =
        map_find(&simulation->cluster_by_key, report->cluster);
    AUTO(arena) arena = NULL;
    struct map map;

    simulation->result->passes++;
    simulation->is_reported = true;
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
        folded_report(simulation, cluster, node->value);
    }
}

void simulation_machine_reported(void *arg, struct sim_machine *machine, bool is_end)
{
    struct simulation *simulation = arg;
    struct simulation_group *group =
        simulation_group_find(simulation, sim_tags(machine).cluster, sim_tags(machine).group);

    simulation->is_changed = true;
    if (!is_end) {
        simulation->look_until_ms = simulation->now_ms + SIMULATION_BOOT_MS;
    }
    if (group != NULL) {
        group->made += !is_end;
        group->ended += is_end;
    }
}

/* ---- observations ---- */

static void seen_ready_count(struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->result->group_count; i++) {
        simulation->result->groups[i].ready = 0;
    }
    for (struct simulation_cloud *cloud = simulation->clouds; cloud != NULL; cloud = cloud->next) {
        for (size_t i = 0; i < simulation->cluster_count; i++) {
            struct text key = simulation->clusters[i].key;

            for (struct sim_machine *one = sim_first(cloud->cloud, key); one != NULL;
                 one = sim_next(cloud->cloud, key, one)) {
                struct simulation_group *group =
                    one->is_planted || !sim_is_running(cloud->cloud, one)
                        ? NULL
                        : simulation_group_find(simulation, key, sim_tags(one).group);

                if (group != NULL) {
                    group->ready++;
                }
            }
        }
    }
}

/* Updates whether the group is short of machines, and since when. */
static void seen_group_look(struct simulation *simulation, const struct simulation_cluster *cluster,
                            struct simulation_group *group)
{
    bool is_short = group->ready < group->wanted;
    uint64_t took_ms = simulation_time(simulation) - group->short_since_ms;

    if (group->is_short && took_ms > group->longest_ms) {
        group->longest_ms = took_ms;
    }
    if (is_short && !group->is_short) {
        group->short_since_ms = simulation_time(simulation);
    } else if (!is_short && group->is_short) {
        simulation_event_add(simulation, &(struct simulation_event){ .kind = SIMULATION_IS_WHOLE,
                                                                     .cluster = cluster->name,
                                                                     .group = group->path,
                                                                     .count = group->ready,
                                                                     .took_ms = took_ms });
    }
    group->is_short = is_short;
}

static bool is_any_short(const struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->result->group_count; i++) {
        if (simulation->result->groups[i].is_short) {
            return true;
        }
    }
    return false;
}

/* Records the harm of active faults. A fault counts as active until it has ended and no group lacks
 * machines. */
static void harm_note(struct simulation *simulation)
{
    bool is_short = is_any_short(simulation);

    for (size_t i = 0; i < simulation->options.fault_count; i++) {
        struct simulation_struck *struck = &simulation->result->struck[i];

        if (!struck->has_begun || struck->is_over) {
            continue;
        }
        if (is_short) {
            struck->has_harm = true;
            struck->is_healed = false;
        } else if (struck->has_harm && !struck->is_healed) {
            struck->is_healed = true;
            struck->healed_ms = simulation_time(simulation) - simulation->options.faults[i].at_ms;
        }
        struck->is_over = struck->has_ended && !is_short;
    }
}

/* Returns the text of a member. If it equals the old text, returns that, so that a long run does
 * not fill the memory. */
static struct text seen_text_of(struct simulation *simulation, const struct doc *doc,
                                const char *name, struct text old)
{
    const struct doc *value = doc_child(doc, name);
    struct text text = doc_is_scalar(value) ? value->text : TEXT("");

    return text_is_equal(text, old) ? old : arena_text(simulation->arena, text);
}

static uint64_t seen_number_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);
    int64_t number = 0;

    return doc_is_scalar(value) && text_parse_int64(value->text, &number) && number > 0
               ? (uint64_t)number
               : 0;
}

static void hold_event(struct simulation *simulation, const struct simulation_hold *hold,
                       enum simulation_event_kind kind)
{
    simulation_event_add(simulation, &(struct simulation_event){ .kind = kind,
                                                                 .cluster = hold->cluster,
                                                                 .group = hold->group,
                                                                 .rule = hold->rule,
                                                                 .fact = hold->fact,
                                                                 .count = hold->would_destroy });
}

static void seen_hold_read(struct simulation *simulation, struct text bytes,
                           struct simulation_hold *hold)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct doc doc;
    struct err err;
    bool is_read = json_parse(arena, bytes, NULL, &doc, &err);

    assert(is_read && "it was written a moment ago");
    (void)is_read;
    hold->cluster = seen_text_of(simulation, &doc, "cluster", hold->cluster);
    hold->group = seen_text_of(simulation, &doc, "group", hold->group);
    hold->rule = seen_text_of(simulation, &doc, "rule", hold->rule);
    hold->why = seen_text_of(simulation, &doc, "why", hold->why);
    hold->advice = seen_text_of(simulation, &doc, "advice", hold->advice);
    hold->fact = seen_text_of(simulation, &doc, "fact", hold->fact);
    hold->would_create = seen_number_of(&doc, "wouldCreate");
    hold->would_destroy = seen_number_of(&doc, "wouldDestroy");
}

static void hold_see(struct simulation *simulation, const struct cache_object *object)
{
    struct simulation_held *held = map_find(&simulation->holds, cache_id(object));
    bool is_new = held == NULL;

    if (is_new) {
        held = arena_one(simulation->memory, struct simulation_held);
        *held = (struct simulation_held){ .hold.since_ms = simulation_time(simulation) };
        map_put(&simulation->holds, arena_text(simulation->memory, cache_id(object)), held);
    }
    held->serial = simulation->serial;
    seen_hold_read(simulation, blob_text(object->parts[CACHE_STATUS].bytes), &held->hold);
    if (is_new) {
        hold_event(simulation, &held->hold, SIMULATION_HOLD_BEGINS);
    }
}

static void holds_look(struct simulation *simulation)
{
    struct text prefix = TEXT("/" SIMULATION_TENANT "/Hold/");
    const struct map_node *node;

    simulation->serial++;
    for (const struct cache_object *object = cache_first(simulation->cache, prefix); object != NULL;
         object = cache_next(simulation->cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL) {
            hold_see(simulation, object);
        }
    }
    for (node = map_first(&simulation->holds, TEXT("")); node != NULL;) {
        struct text key = node->key;
        const struct simulation_held *held = node->value;

        if (held->serial != simulation->serial) {
            map_remove(&simulation->holds, key);
            hold_event(simulation, &held->hold, SIMULATION_HOLD_ENDS);
        }
        node = map_after(&simulation->holds, key);
    }
}

void simulation_look(struct simulation *simulation)
{
    if (simulation->is_reported && simulation->control != NULL) {
        simulation->is_reported = false;
        holds_look(simulation);
    }
    if (!simulation->is_changed && simulation->now_ms > simulation->look_until_ms) {
        return;
    }
    simulation->is_changed = false;
    seen_ready_count(simulation);
    for (size_t i = 0; i < simulation->cluster_count; i++) {
        for (size_t j = 0; j < simulation->clusters[i].group_count; j++) {
            seen_group_look(simulation, &simulation->clusters[i],
                            &simulation->clusters[i].groups[j]);
        }
    }
    harm_note(simulation);
}

void simulation_sum(struct simulation *simulation)
{
    struct simulation_result *result = simulation->result;

    simulation->is_changed = true;
    simulation->is_reported = true;
    simulation_look(simulation);
    result->holds = arena_array(simulation->arena, struct simulation_hold, simulation->holds.count);
    for (const struct map_node *node = map_first(&simulation->holds, TEXT("")); node != NULL;
         node = map_after(&simulation->holds, node->key)) {
        result->holds[result->hold_count++] = ((const struct simulation_held *)node->value)->hold;
    }
    assert(result->hold_count == simulation->holds.count);
    result->is_whole = result->hold_count == 0 && !is_any_short(simulation);
}
