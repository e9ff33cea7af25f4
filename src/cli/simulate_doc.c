#include "base/macros.h"
#include "cli/simulate.h"
#include "codec/doc.h"

#include <assert.h>

struct text simulate_time(struct arena *arena, uint64_t time_ms)
{
    static const struct {
        uint64_t ms;
        char unit;
    } units[] = {
        { 24 * 60 * 60 * 1000, 'd' }, { 60 * 60 * 1000, 'h' }, { 60 * 1000, 'm' }, { 1000, 's' }
    };
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        unsigned long long count = time_ms / units[i].ms;

        time_ms %= units[i].ms;
        if (count > 0 || (i + 1 == ARRAY_COUNT(units) && buf_text(&buf).length == 0)) {
            buf_printf(&buf, "%llu%c", count, units[i].unit);
        }
    }
    return buf_text(&buf);
}

/* ---- documents ---- */

static void simulate_doc_number_put(struct arena *arena, struct doc_builder *builder,
                                    const char *key, uint64_t number)
{
    doc_builder_put(builder, key, doc_int(arena, (int64_t)number, NULL));
}

static void simulate_doc_text_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

static const char *simulate_doc_event_name(enum simulation_event_kind kind)
{
    static const char *const names[] = {
        [SIMULATION_FAULT_BEGINS] = "fault", [SIMULATION_FAULT_ENDS] = "faultEnded",
        [SIMULATION_MISSES] = "missed",      [SIMULATION_ACTS] = "act",
        [SIMULATION_HOLD_BEGINS] = "hold",   [SIMULATION_HOLD_ENDS] = "holdEnded",
        [SIMULATION_IS_WHOLE] = "whole",
    };

    assert((size_t)kind < ARRAY_COUNT(names));
    return names[kind];
}

static struct doc simulate_doc_event_doc(struct arena *arena, const struct simulation_event *event)
{
    bool is_fault = event->kind == SIMULATION_FAULT_BEGINS || event->kind == SIMULATION_FAULT_ENDS;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    simulate_doc_number_put(arena, &builder, "atMs", event->at_ms);
    simulate_doc_text_put(&builder, "event", text_from(simulate_doc_event_name(event->kind)));
    simulate_doc_text_put(&builder, "cluster", event->cluster);
    simulate_doc_text_put(&builder, "group", event->group);
    if (event->kind == SIMULATION_ACTS) {
        simulate_doc_text_put(&builder, "act", text_from(plan_act_name(event->act)));
    }
    simulate_doc_text_put(&builder, "rule", event->rule);
    simulate_doc_text_put(&builder, is_fault ? "fault" : "fact", event->fact);
    simulate_doc_number_put(arena, &builder, "machines", event->count);
    if (event->kind == SIMULATION_IS_WHOLE) {
        simulate_doc_number_put(arena, &builder, "tookMs", event->took_ms);
    }
    return doc_builder_map(&builder, NULL);
}

struct doc simulate_events_doc(struct arena *arena, const struct simulate *simulate)
{
    size_t count = simulate->result->event_count;
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = simulate_doc_event_doc(arena, &simulate->result->events[i]);
    }
    return doc_list(items, count, NULL);
}

static struct doc groups_doc(struct arena *arena, const struct simulation_result *result)
{
    struct doc *items = arena_array(arena, struct doc, result->group_count);

    for (size_t i = 0; i < result->group_count; i++) {
        const struct simulation_group *group = &result->groups[i];
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        simulate_doc_text_put(&builder, "cluster", group->cluster);
        simulate_doc_text_put(&builder, "group", group->path);
        simulate_doc_text_put(&builder, "plugin", group->plugin);
        simulate_doc_number_put(arena, &builder, "wanted", group->wanted);
        simulate_doc_number_put(arena, &builder, "ready", group->ready);
        simulate_doc_number_put(arena, &builder, "made", group->made);
        simulate_doc_number_put(arena, &builder, "ended", group->ended);
        simulate_doc_number_put(arena, &builder, "lost", group->lost);
        simulate_doc_number_put(arena, &builder, "longestShortMs", group->longest_ms);
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, result->group_count, NULL);
}

static struct doc simulate_doc_holds_doc(struct arena *arena,
                                         const struct simulation_result *result)
{
    struct doc *items = arena_array(arena, struct doc, result->hold_count);

    for (size_t i = 0; i < result->hold_count; i++) {
        const struct simulation_hold *hold = &result->holds[i];
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        simulate_doc_text_put(&builder, "cluster", hold->cluster);
        simulate_doc_text_put(&builder, "group", hold->group);
        simulate_doc_text_put(&builder, "rule", hold->rule);
        simulate_doc_text_put(&builder, "why", hold->why);
        simulate_doc_text_put(&builder, "fact", hold->fact);
        simulate_doc_text_put(&builder, "advice", hold->advice);
        simulate_doc_number_put(arena, &builder, "sinceMs", hold->since_ms);
        simulate_doc_number_put(arena, &builder, "wouldCreate", hold->would_create);
        simulate_doc_number_put(arena, &builder, "wouldDestroy", hold->would_destroy);
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, result->hold_count, NULL);
}

static struct doc faults_doc(struct arena *arena, const struct simulate *simulate)
{
    size_t count = simulate->options->fault_count;
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        const struct simulation_fault *fault = &simulate->options->faults[i];
        const struct simulation_struck *struck = &simulate->result->struck[i];
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        simulate_doc_text_put(&builder, "fault", fault->word);
        simulate_doc_number_put(arena, &builder, "atMs", fault->at_ms);
        simulate_doc_number_put(arena, &builder, "lengthMs", fault->span_ms);
        simulate_doc_number_put(arena, &builder, "struck", struck->struck);
        doc_builder_put(&builder, "harmed", doc_bool(struck->has_harm, NULL));
        if (struck->is_healed) {
            simulate_doc_number_put(arena, &builder, "healedMs", struck->healed_ms);
        }
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, count, NULL);
}

struct doc simulate_doc(struct arena *arena, const struct simulate *simulate)
{
    const struct simulation_result *result = simulate->result;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    simulate_doc_number_put(arena, &builder, "durationMs", simulate->options->duration_ms);
    simulate_doc_number_put(arena, &builder, "seed", simulate->options->seed);
    doc_builder_put(&builder, "asWanted", doc_bool(result->is_whole, NULL));
    doc_builder_put(&builder, "faults", faults_doc(arena, simulate));
    doc_builder_put(&builder, "groups", groups_doc(arena, result));
    doc_builder_put(&builder, "holds", simulate_doc_holds_doc(arena, result));
    simulate_doc_number_put(arena, &builder, "passes", result->passes);
    simulate_doc_number_put(arena, &builder, "callsRefused", result->refused);
    simulate_doc_number_put(arena, &builder, "callsUnanswered", result->unanswered);
    simulate_doc_number_put(arena, &builder, "eventsLeftOut", result->events_left_out);
    return doc_builder_map(&builder, NULL);
}
