/* Writes a simulation as text: its events in order of virtual time, and the final state. */
#include "base/macros.h"
#include "cli/simulate.h"
#include "cli/term/glyph.h"
#include "cli/term/wrap.h"

#include <assert.h>

enum { TIME_COLUMNS = 11, LINE_COLUMNS = 80, LEAST_COLUMNS = 40 };

/* One line of the timeline: consecutive events of one type share a line. */
struct line {
    /* the first event; its `count` is the sum of all events, its `took_ms` the longest */
    struct simulation_event event;
    struct text group; /* group of the last event */
    size_t groups;
};

static size_t simulate_text_columns_of(const struct command *command)
{
    unsigned columns = command->out_style.columns;

    return columns == 0 || columns > LINE_COLUMNS ? LINE_COLUMNS
           : columns < LEAST_COLUMNS              ? LEAST_COLUMNS
                                                  : columns;
}

static bool is_simulate_text_alike(const struct line *line, const struct simulation_event *event)
{
    const struct simulation_event *first = &line->event;

    return first->kind == event->kind && first->kind != SIMULATION_FAULT_BEGINS &&
           first->kind != SIMULATION_FAULT_ENDS && first->act == event->act &&
           text_is_equal(first->rule, event->rule) && text_is_equal(first->cluster, event->cluster);
}

static struct line *lines_make(struct arena *arena, const struct simulate *simulate,
                               size_t *out_count)
{
    const struct simulation_result *result = simulate->result;
    struct line *lines = arena_array(arena, struct line, result->event_count);
    size_t count = 0;

    for (size_t i = 0; i < result->event_count; i++) {
        const struct simulation_event *event = &result->events[i];
        struct line *last = count == 0 ? NULL : &lines[count - 1];

        if (simulate->is_full || last == NULL || !is_simulate_text_alike(last, event)) {
            lines[count++] = (struct line){ *event, event->group, event->group.length > 0 };
            continue;
        }
        last->groups += event->group.length > 0 && !text_is_equal(last->group, event->group);
        last->group = event->group;
        last->event.at_ms = event->kind == SIMULATION_IS_WHOLE ? event->at_ms : last->event.at_ms;
        last->event.count += event->count;
        last->event.took_ms =
            event->took_ms > last->event.took_ms ? event->took_ms : last->event.took_ms;
    }
    *out_count = count;
    return lines;
}

/* ---- one line ---- */

/* Add the subject of a line: shop, shop/web, or shop (12 groups). */
static void simulate_text_subject_add(struct buf *buf, const struct line *line)
{
    glyph_write_text(buf, line->event.cluster);
    if (line->groups > 1) {
        buf_printf(buf, " (%zu groups)", line->groups);
    } else if (line->event.group.length > 0) {
        buf_add_string(buf, "/");
        glyph_write_text(buf, line->event.group);
    }
    buf_add_string(buf, ": ");
}

static void simulate_text_fault_add(struct buf *buf, const struct simulate *simulate,
                                    const struct simulation_event *event)
{
    const struct simulation_fault *fault = &simulate->options->faults[event->fault];
    const struct simulation_fault_page *page = simulation_fault_page(fault->kind);
    bool is_counted = page->argument == SIMULATION_ARGUMENT_COUNT || fault->span_ms == 0 ||
                      page->argument == SIMULATION_ARGUMENT_ZONE;

    buf_add_string(buf, fault->kind == SIMULATION_FAULT_APPROVE ? "" : "fault ");
    glyph_write_text(buf, fault->word);
    if (event->kind == SIMULATION_FAULT_ENDS) {
        buf_add_string(buf, " is over");
    } else if (is_counted) {
        buf_printf(buf, ": %llu %s%s", (unsigned long long)event->count,
                   fault->kind == SIMULATION_FAULT_APPROVE ? "hold" : "machine",
                   TEXT_PLURAL(event->count));
    } else {
        buf_printf(buf, ": %s", page->text);
    }
}

static void act_add(struct buf *buf, const struct simulation_event *event)
{
    static const struct {
        enum plan_act act;
        const char *word;
    } words[] = {
        { PLAN_ACT_CREATE, "creates" }, { PLAN_ACT_DESTROY, "destroys" },
        { PLAN_ACT_REBOOT, "reboots" }, { PLAN_ACT_ADOPT, "adopts" },
        { PLAN_ACT_LABEL, "labels" },   { PLAN_ACT_MOVE, "moves" },
    };
    const char *word = plan_act_name(event->act);

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        word = words[i].act == event->act ? words[i].word : word;
    }
    buf_printf(buf, "%s %llu machine%s (%.*s)", word, (unsigned long long)event->count,
               TEXT_PLURAL(event->count), TEXT_ARG(event->rule));
}

static void simulate_text_event_add(struct arena *arena, struct buf *buf,
                                    const struct simulate *simulate, const struct line *line)
{
    const struct simulation_event *event = &line->event;
    unsigned long long count = event->count;

    switch (event->kind) {
    case SIMULATION_FAULT_BEGINS:
    case SIMULATION_FAULT_ENDS:
        simulate_text_fault_add(buf, simulate, event);
        return;
    case SIMULATION_MISSES:
        simulate_text_subject_add(buf, line);
        buf_printf(buf, "a listing lacks %llu machine%s", count, TEXT_PLURAL(count));
        return;
    case SIMULATION_ACTS:
        simulate_text_subject_add(buf, line);
        act_add(buf, event);
        return;
    case SIMULATION_HOLD_BEGINS:
        simulate_text_subject_add(buf, line);
        buf_printf(buf, "held by %.*s", TEXT_ARG(event->rule));
        if (event->fact.length > 0) {
            buf_add_string(buf, ": ");
            glyph_write_text(buf, event->fact);
        }
        return;
    case SIMULATION_HOLD_ENDS:
        simulate_text_subject_add(buf, line);
        buf_printf(buf, "%.*s no longer holds", TEXT_ARG(event->rule));
        return;
    case SIMULATION_IS_WHOLE:
        simulate_text_subject_add(buf, line);
        buf_printf(buf, "all %llu machine%s ready, after %.*s", count, count == 1 ? " is" : "s are",
                   TEXT_ARG(simulate_time(arena, event->took_ms)));
        return;
    case SIMULATION_EVENT_COUNT:
        break;
    }
    assert(false);
}

/* Write text in the second column, wrapped at the width. */
static void simulate_text_row_write(struct command *command, struct text left, struct text text)
{
    size_t used = 2 + glyph_text_columns(left);

    buf_add_string(&command->out, "  ");
    glyph_write_text(&command->out, left);
    buf_add_bytes(&command->out, ' ', used < TIME_COLUMNS ? TIME_COLUMNS - used : 1);
    wrap_write(&command->out, text, TIME_COLUMNS, simulate_text_columns_of(command), true);
}

static void simulate_text_line_write(struct command *command, const struct simulate *simulate,
                                     const struct line *line)
{
    struct buf buf;

    buf_init(&buf, command->arena);
    simulate_text_event_add(command->arena, &buf, simulate, line);
    simulate_text_row_write(command, simulate_time(command->arena, line->event.at_ms),
                            buf_text(&buf));
}

static void timeline_write(struct command *command, const struct simulate *simulate)
{
    enum { TAIL = SIMULATE_LINES / 3, HEAD = SIMULATE_LINES - TAIL - 1 };
    size_t count;
    const struct line *lines = lines_make(command->arena, simulate, &count);
    bool is_folded = !simulate->is_full && count > SIMULATE_LINES;

    for (size_t i = 0; i < count; i++) {
        if (is_folded && i == HEAD) {
            buf_printf(&command->out, "  ... %zu lines more: --full\n", count - HEAD - TAIL);
            i = count - TAIL;
        }
        simulate_text_line_write(command, simulate, &lines[i]);
    }
    if (simulate->result->events_left_out > 0) {
        buf_printf(&command->out, "  ... and %llu events more than are kept\n",
                   (unsigned long long)simulate->result->events_left_out);
    }
}

/* ---- the end ---- */

static void simulate_text_heading_write(struct command *command, const char *heading)
{
    buf_add_string(&command->out, "\n");
    style_add(&command->out_style, &command->out, STYLE_STRONG, heading);
    buf_add_string(&command->out, "\n");
}

static void faults_write(struct command *command, const struct simulate *simulate)
{
    if (simulate->options->fault_count > 0) {
        simulate_text_heading_write(command, "after each fault");
    }
    for (size_t i = 0; i < simulate->options->fault_count; i++) {
        const struct simulation_struck *struck = &simulate->result->struck[i];
        struct text healed = simulate_time(command->arena, struck->healed_ms);

        buf_add_string(&command->out, "  ");
        glyph_write_text(&command->out, simulate->options->faults[i].word);
        if (!struck->has_harm) {
            buf_add_string(&command->out, ": no group lacked machines\n");
        } else if (struck->is_healed) {
            buf_printf(&command->out,
                       ": every group has its machines again %.*s after the fault began\n",
                       TEXT_ARG(healed));
        } else {
            buf_add_string(&command->out, ": machines are still missing at the end\n");
        }
    }
}

static void simulate_text_holds_write(struct command *command, const struct simulate *simulate)
{
    const struct simulation_result *result = simulate->result;
    size_t shown = simulate->is_full || result->hold_count < SIMULATE_GROUPS ? result->hold_count
                                                                             : SIMULATE_GROUPS;

    if (result->hold_count > 0) {
        simulate_text_heading_write(command, "held");
    }
    for (size_t i = 0; i < shown; i++) {
        const struct simulation_hold *hold = &result->holds[i];
        struct text since = simulate_time(command->arena, hold->since_ms);
        struct buf buf;

        buf_init(&buf, command->arena);
        buf_printf(&buf, "hold/%.*s%s%.*s:%.*s, since %.*s. %.*s", TEXT_ARG(hold->cluster),
                   hold->group.length > 0 ? "/" : "", TEXT_ARG(hold->group), TEXT_ARG(hold->rule),
                   TEXT_ARG(since), TEXT_ARG(hold->why));
        if (hold->fact.length > 0) {
            buf_add_string(&buf, ": ");
            glyph_write_text(&buf, hold->fact);
        }
        wrap_write(&command->out, buf_text(&buf), 2, simulate_text_columns_of(command), false);
        wrap_write(&command->out, hold->advice, 4, simulate_text_columns_of(command), false);
    }
    if (shown < result->hold_count) {
        buf_printf(&command->out, "  ... and %zu more: --full\n", result->hold_count - shown);
    }
}

static void simulate_text_group_write(struct command *command, const struct simulation_group *group,
                                      size_t width)
{
    struct line line = { .event = { .cluster = group->cluster, .group = group->path } };
    struct text longest = simulate_time(command->arena, group->longest_ms);
    struct text name;
    size_t used;
    struct buf buf;

    buf_init(&buf, command->arena);
    simulate_text_subject_add(&buf, &line);
    name = text_slice(buf_text(&buf), 0, buf_text(&buf).length - 2);
    used = glyph_text_columns(name);
    buf_printf(&command->out, "  %.*s", TEXT_ARG(name));
    buf_add_bytes(&command->out, ' ', used < width ? width - used : 0);
    buf_printf(&command->out, " %7llu %7llu %7llu %7llu %7llu  %.*s%s\n",
               (unsigned long long)group->wanted, (unsigned long long)group->ready,
               (unsigned long long)group->made, (unsigned long long)group->ended,
               (unsigned long long)group->lost, TEXT_ARG(longest),
               group->ready < group->wanted ? "  missing" : "");
}

/* Write the groups; if not all are shown, groups that lack machines come first. */
static void simulate_text_groups_write(struct command *command, const struct simulate *simulate)
{
    enum { WIDTH_LEAST = 10, WIDTH_MOST = 24 };
    const struct simulation_result *result = simulate->result;
    size_t room = simulate->is_full ? SIZE_MAX : SIMULATE_GROUPS;
    size_t width = WIDTH_LEAST;
    size_t shown = 0;

    for (size_t i = 0; i < result->group_count; i++) {
        size_t used = glyph_text_columns(result->groups[i].cluster) + 1 +
                      glyph_text_columns(result->groups[i].path);

        width = used > width ? used : width;
    }
    width = width > WIDTH_MOST ? WIDTH_MOST : width;
    simulate_text_heading_write(command, "at the end");
    buf_printf(&command->out, "  %-*s %7s %7s %7s %7s %7s  %s\n", (int)width, "GROUP", "WANTED",
               "READY", "MADE", "ENDED", "LOST", "LONGEST");
    for (int is_late = 0; is_late < 2; is_late++) {
        for (size_t i = 0; i < result->group_count && shown < room; i++) {
            bool is_short = result->groups[i].ready < result->groups[i].wanted;

            if (is_short == (is_late == 0)) {
                simulate_text_group_write(command, &result->groups[i], width);
                shown++;
            }
        }
    }
    if (shown < result->group_count) {
        buf_printf(&command->out, "  ... and %zu groups more: --full\n",
                   result->group_count - shown);
    }
}

static void sum_write(struct command *command, const struct simulation_result *result)
{
    uint64_t missing = 0;

    for (size_t i = 0; i < result->group_count; i++) {
        const struct simulation_group *group = &result->groups[i];

        missing += group->ready < group->wanted ? group->wanted - group->ready : 0;
    }
    buf_add_string(&command->out, "\n");
    if (result->is_whole) {
        style_add(&command->out_style, &command->out, STYLE_HINT, "everything is as wanted\n");
        return;
    }
    buf_printf(&command->out, "not everything is as wanted: %llu machine%s missing, %zu hold%s\n",
               (unsigned long long)missing, missing == 1 ? " is" : "s are", result->hold_count,
               result->hold_count == 1 ? " remains" : "s remain");
}

static void plugins_write(struct command *command, const struct simulation_result *result)
{
    struct buf buf;
    size_t count = 0;

    buf_init(&buf, command->arena);
    buf_add_string(&buf, "all machines are simulated, whichever plugin they use:");
    for (size_t i = 0; i < result->group_count; i++) {
        bool is_new = result->groups[i].plugin.length > 0;

        for (size_t j = 0; j < i && is_new; j++) {
            is_new = !text_is_equal(result->groups[i].plugin, result->groups[j].plugin);
        }
        if (is_new) {
            buf_add_string(&buf, count++ == 0 ? " " : ", ");
            glyph_write_text(&buf, result->groups[i].plugin);
        }
    }
    wrap_write(&command->out, buf_text(&buf), 0, simulate_text_columns_of(command), false);
}

void simulate_text_write(struct command *command, const struct simulate *simulate)
{
    const struct simulation_result *result = simulate->result;
    uint64_t wanted = 0;

    for (size_t i = 0; i < result->group_count; i++) {
        wanted += result->groups[i].wanted;
    }
    buf_printf(&command->out, "%llu cluster%s, %zu group%s, %llu machine%s; %.*s, seed %llu\n",
               (unsigned long long)result->clusters, TEXT_PLURAL(result->clusters),
               result->group_count, TEXT_PLURAL(result->group_count), (unsigned long long)wanted,
               TEXT_PLURAL(wanted),
               TEXT_ARG(simulate_time(command->arena, simulate->options->duration_ms)),
               (unsigned long long)simulate->options->seed);
    plugins_write(command, result);
    buf_add_string(&command->out, "\n");
    timeline_write(command, simulate);
    faults_write(command, simulate);
    simulate_text_holds_write(command, simulate);
    simulate_text_groups_write(command, simulate);
    sum_write(command, result);
}
