/* Writes a plan for users.
 *
 *     cluster shop, version 1: 2 groups, 9 nodes
 *       db   3 nodes  db-[0-2]   aws
 *              machineSize  m6i.large   group
 *       web  6 nodes  web-[0-5]  aws
 *
 * and compared with other files, what is destroyed first:
 *
 *     cluster shop, version 1: 3 groups, 11 nodes; destroy 2, change 3, create 2 nodes
 *       - old    destroy old-[0-1]
 *       ~ db     size 3
 *             machineSize  m6i.large -> m6i.xlarge   group
 *       + cache  size 2  create cache-[0-1]
 *         1 group unchanged
 *
 * PLAN_NORMAL writes at most PLAN_TEXT_LINES lines: values are left out first, then groups are
 * replaced by a count. */
#include "cli/change/plan_text.h"

#include "cli/change/plan_writer.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

#include <string.h>

/* Ways in which an object or group differs, worst first. */
static const struct {
    const char *word;
    const char *mark;
    enum style_color color;
} changes[] = {
    { "destroy", "-", STYLE_REMOVED }, { "rename", "~", STYLE_CHANGED },
    { "change", "~", STYLE_CHANGED },  { "create", "+", STYLE_ADDED },
    { "none", " ", STYLE_FAINT },
};
#define CHANGE_NONE (ARRAY_COUNT(changes) - 1)
#define RANK_NONE   (CHANGE_NONE + 1)

/* Lines reserved for the end of a plan: the counts of further groups, unchanged groups and further
 * objects, an empty line, and the hint to --full. */
#define PLAN_LINES_KEPT 5

static size_t change_of(const struct doc *doc)
{
    struct text word = doc_child_text(doc, "change");

    for (size_t i = 0; i < CHANGE_NONE; i++) {
        if (text_is(word, changes[i].word)) {
            return i;
        }
    }
    return CHANGE_NONE;
}

/* ---- groups ---- */

struct group_columns {
    size_t path;
    size_t size;
    size_t members;
};

static struct text size_cell(struct plan_writer *writer, const struct doc *group)
{
    int64_t size = doc_child_number(group, "size");

    return writer->has_machines
               ? arena_printf(writer->command->arena, "%lld node%s", (long long)size,
                              TEXT_PLURAL(size))
               : arena_printf(writer->command->arena, "size %lld", (long long)size);
}

struct text plan_text_members(struct arena *arena, const struct doc *group)
{
    struct text members = doc_child_text(group, "members");
    struct text planned = doc_child_text(group, "planned");

    return planned.length == 0 ? members
                               : arena_printf(arena, "%.*s%splanned %.*s", TEXT_ARG(members),
                                              members.length > 0 ? ", " : "", TEXT_ARG(planned));
}

static struct group_columns columns_measure(struct plan_writer *writer, const struct doc *groups)
{
    struct group_columns columns = { 0 };

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *group = &groups->items[i];

        columns.path = glyph_widest(columns.path, doc_child_text(group, "path"), PLAN_PATH_COLUMNS);
        columns.size = glyph_widest(columns.size, size_cell(writer, group), PLAN_PATH_COLUMNS);
        columns.members = glyph_widest(
            columns.members, plan_text_members(writer->command->arena, group), PLAN_VALUE_COLUMNS);
    }
    return columns;
}

static void plan_text_group_write(struct plan_writer *writer, const struct doc *group,
                                  struct group_columns columns)
{
    buf_add_string(writer->out, "  ");
    plan_cell_write(writer, doc_child_text(group, "path"), columns.path);
    buf_add_string(writer->out, "  ");
    plan_cell_write(writer, size_cell(writer, group), columns.size);
    buf_add_string(writer->out, "  ");
    if (writer->has_machines) {
        plan_cell_write(writer, plan_text_members(writer->command->arena, group), columns.members);
        buf_add_string(writer->out, "  ");
    }
    /* a template may have no plugin */
    glyph_write_text(writer->out, doc_child_text(group, "plugin"));
    plan_line_end(writer);
    if (writer->has_values) {
        plan_values_write(writer, doc_child(group, "values"), 6);
        plan_labels_write(writer, doc_child(group, "labels"), 6);
    }
}

static const char *full_flag(const struct plan_text *text)
{
    return text->full_flag == NULL ? "--full" : text->full_flag;
}

static void members_write(struct plan_writer *writer, const struct doc *group, const char *key)
{
    struct text members = doc_child_text(group, key);

    if (members.length > 0) {
        buf_printf(writer->out, "  %s ", key);
        glyph_write_text(writer->out, members);
    }
}

/* Write why these members are chosen: "(picked by name)", "(pick oldest)", or both. */
static void choice_write(struct plan_writer *writer, const struct doc *group)
{
    struct text named = doc_child_text(group, "named");
    struct text rule = doc_child_text(group, "pick");

    if (named.length > 0 && rule.length > 0) {
        buf_add_string(writer->out, " (");
        glyph_write_text(writer->out, named);
        buf_printf(writer->out, " picked by name, the rest by %.*s)", TEXT_ARG(rule));
    } else if (named.length > 0) {
        buf_add_string(writer->out, " (picked by name)");
    } else if (rule.length > 0) {
        buf_printf(writer->out, " (pick %.*s)", TEXT_ARG(rule));
    }
}

/* Write "healthy web-3, unreachable web-1". */
static void states_write(struct plan_writer *writer, const struct doc *states)
{
    for (size_t i = 0; doc_is_map(states) && i < states->entry_count; i++) {
        buf_printf(writer->out, "%s%.*s ", i == 0 ? "" : ", ", TEXT_ARG(states->entries[i].key));
        glyph_write_text(writer->out, states->entries[i].value.text);
    }
}

/* Write the states of the members to destroy, and a warning if a healthy member is destroyed while
 * an unhealthy member remains (G22). */
static void victims_write(struct plan_writer *writer, const struct doc *group)
{
    const struct doc *victims = doc_child(group, "victims");
    const struct doc *spares = doc_child(group, "spares");

    if (doc_is_map(victims)) {
        buf_add_string(writer->out, "      victims: ");
        states_write(writer, victims);
        plan_line_end(writer);
    }
    if (doc_is_map(spares)) {
        buf_add_string(writer->out, "      ");
        style_add(&writer->command->out_style, writer->out, STYLE_REMOVED, "warning:");
        buf_add_string(writer->out,
                       " healthy machines are destroyed, although these unhealthy machines stay: ");
        states_write(writer, spares);
        plan_line_end(writer);
    }
}

/* Format a duration, rounded up: "40 s", "12 min", "3 h". */
static struct text span_format(struct arena *arena, int64_t ms)
{
    int64_t seconds = (ms + 999) / 1000;

    return seconds < 120    ? arena_printf(arena, "%lld s", (long long)seconds)
           : seconds < 7200 ? arena_printf(arena, "%lld min", (long long)(seconds + 59) / 60)
                            : arena_printf(arena, "%lld h", (long long)(seconds + 3599) / 3600);
}

/* Write "in place 4: canary 1 (bakes 20 s), then 3 batches of at most 1; 1 at a time (unavailable);
 * stops at 1 failure; about 40 s". */
static void in_place_write(struct plan_writer *writer, const struct doc *in_place)
{
    struct arena *arena = writer->command->arena;
    int64_t members = doc_child_number(in_place, "members");
    int64_t canary = doc_child_number(in_place, "canary");
    int64_t batches = doc_child_number(in_place, "batches") - (canary > 0);
    int64_t bake_ms = doc_child_number(in_place, "bakeMs");
    int64_t max_fail = doc_child_number(in_place, "maxFail");
    int64_t pause_ms = doc_child_number(in_place, "pauseMs");
    bool is_bound_by_batch = text_is(doc_child_text(in_place, "bound"), "batch");

    if (!doc_is_map(in_place)) {
        return;
    }
    buf_printf(writer->out, "      in place %lld:", (long long)members);
    if (canary > 0) {
        buf_printf(writer->out, " canary %lld", (long long)canary);
        if (bake_ms > 0 && batches > 0) {
            struct text bake = span_format(arena, bake_ms);

            buf_printf(writer->out, " (bakes %.*s)", TEXT_ARG(bake));
        }
        buf_add_string(writer->out, batches > 0 ? ", then" : "");
    }
    if (batches > 0) {
        buf_printf(writer->out, " %lld batch%s of at most %lld", (long long)batches,
                   batches == 1 ? "" : "es", (long long)doc_child_number(in_place, "batch"));
        if (pause_ms > 0 && batches > 1) {
            struct text pause = span_format(arena, pause_ms);

            buf_printf(writer->out, " with %.*s between them", TEXT_ARG(pause));
        }
    }
    buf_printf(writer->out, "; %lld at a time (%s)",
               (long long)doc_child_number(in_place, is_bound_by_batch ? "batch" : "atOnce"),
               is_bound_by_batch ? "batch" : "unavailable");
    if (max_fail > 0) {
        buf_printf(writer->out, "; stops at %lld failure%s", (long long)max_fail,
                   TEXT_PLURAL(max_fail));
    }
    if (doc_child(in_place, "estimateMs") != NULL) {
        struct text estimate = span_format(arena, doc_child_number(in_place, "estimateMs"));

        buf_printf(writer->out, "; about %.*s", TEXT_ARG(estimate));
    }
    plan_line_end(writer);
    if (doc_child(in_place, "rerun") != NULL) {
        buf_printf(writer->out,
                   "      rerun %lld: ", (long long)doc_child_number(in_place, "rerun"));
        glyph_write_text(writer->out, doc_child_text(in_place, "rerunStages"));
        buf_add_string(writer->out, " not idempotent, already started on ");
        glyph_write_text(writer->out, doc_child_text(in_place, "rerunOn"));
        if (doc_child_number(in_place, "rerun") > 1) {
            buf_printf(writer->out, " and %lld more",
                       (long long)doc_child_number(in_place, "rerun") - 1);
        }
        plan_line_end(writer);
    }
}

static void group_change_write(struct plan_writer *writer, const struct doc *group,
                               size_t path_columns)
{
    const struct style *style = &writer->command->out_style;
    size_t change = change_of(group);
    struct text was = doc_child_text(group, "was");
    int64_t size = doc_child_number(group, "size");
    bool is_resized = doc_child(group, "oldSize") != NULL;

    buf_add_string(writer->out, "  ");
    if (doc_child(group, "replace") != NULL || doc_child(group, "reboot") != NULL) {
        style_add(style, writer->out, STYLE_REMOVED, "!");
    } else {
        style_add(style, writer->out, changes[change].color, changes[change].mark);
    }
    buf_add_string(writer->out, " ");
    plan_cell_write(writer, doc_child_text(group, "path"), path_columns);
    if (is_resized && change != 0) {
        buf_printf(writer->out, "  size %lld -> %lld",
                   (long long)doc_child_number(group, "oldSize"), (long long)size);
    } else if (change != 0) {
        buf_printf(writer->out, "  size %lld", (long long)size);
    }
    members_write(writer, group, "destroy");
    choice_write(writer, group);
    members_write(writer, group, "unfilled");
    if (doc_child(group, "replace") != NULL) {
        buf_printf(writer->out, "  replace %lld", (long long)doc_child_number(group, "replace"));
    }
    if (doc_child(group, "replaced") != NULL) {
        buf_add_string(writer->out, ": ");
        glyph_write_text(writer->out, doc_child_text(group, "replaced"));
    }
    if (doc_child(group, "reboot") != NULL) {
        buf_printf(writer->out, "  reboot %lld: ", (long long)doc_child_number(group, "reboot"));
        glyph_write_text(writer->out, doc_child_text(group, "rebooted"));
    }
    if (doc_child(group, "supersedes") != NULL) {
        buf_printf(writer->out, "  (supersedes a rollout: %lld not %s so far)",
                   (long long)doc_child_number(group, "supersedes"),
                   doc_child(group, "inPlace") != NULL ? "changed" : "replaced");
    }
    members_write(writer, group, "create");
    if (was.length > 0) {
        buf_add_string(writer->out, "  renamed from ");
        glyph_write_text(writer->out, was);
    }
    plan_line_end(writer);
    victims_write(writer, group);
    plan_volumes_write(writer, doc_child(group, "volumes"));
    in_place_write(writer, doc_child(group, "inPlace"));
    if (writer->has_values) {
        plan_changes_write(writer, doc_child(group, "changes"), 8);
    }
    if (writer->text->detail == PLAN_FULL) {
        plan_values_write(writer, doc_child(group, "values"), 8);
        plan_labels_write(writer, doc_child(group, "labels"), 8);
    }
}

static void plan_text_rest_write(struct plan_writer *writer, size_t count, const char *what)
{
    if (count > 0) {
        buf_printf(writer->out, "  ... and %zu more %sgroup%s; %s shows all\n", count, what,
                   TEXT_PLURAL(count), full_flag(writer->text));
    }
}

static void groups_plain_write(struct plan_writer *writer, const struct doc *groups)
{
    struct group_columns columns = columns_measure(writer, groups);
    size_t i = 0;

    for (; i < groups->item_count && writer->lines_left > 0; i++) {
        plan_text_group_write(writer, &groups->items[i], columns);
    }
    plan_text_rest_write(writer, groups->item_count - i, "");
}

/* Return the rank of a group in the order: removed groups, groups that lose machines, other changed
 * groups, new groups. */
static size_t group_rank(const struct doc *group)
{
    if (change_of(group) == 0) {
        return 0;
    }
    return doc_child(group, "destroy") != NULL || doc_child(group, "replace") != NULL ||
                   doc_child(group, "reboot") != NULL
               ? 1
               : 1 + change_of(group);
}

/* Write the groups, worst first; unchanged groups are only counted, unless everything is shown. */
static void groups_compared_write(struct plan_writer *writer, const struct doc *groups,
                                  size_t others)
{
    struct group_columns columns = columns_measure(writer, groups);
    bool is_full = writer->text->detail == PLAN_FULL;
    size_t unchanged = others;
    size_t hidden = 0;

    for (size_t rank = 0; rank <= RANK_NONE; rank++) {
        for (size_t i = 0; i < groups->item_count; i++) {
            if (group_rank(&groups->items[i]) != rank) {
                continue;
            }
            if (rank == RANK_NONE && !is_full) {
                unchanged++;
            } else if (writer->lines_left > 0) {
                group_change_write(writer, &groups->items[i], columns.path);
            } else {
                hidden++;
            }
        }
    }
    plan_text_rest_write(writer, hidden, "changed ");
    if (unchanged > 0) {
        buf_printf(writer->out, "    %zu group%s unchanged", unchanged, TEXT_PLURAL(unchanged));
        plan_line_end(writer);
    }
}

/* ---- objects ---- */

static struct text plan_text_kind_word(struct plan_writer *writer, const struct doc *object)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(object, "kind"));

    (void)writer;
    return kind == NULL ? doc_child_text(object, "kind") : text_from(kind->singular);
}

/* Write the numbers of nodes that are created, destroyed and changed in the groups of an object. */
static void sums_write(struct plan_writer *writer, const struct doc *object)
{
    const struct doc *sums = doc_child(object, "sums");
    int64_t create = doc_child_number(sums, "create");

    buf_printf(writer->out, "; destroy %lld, replace %lld, ",
               (long long)doc_child_number(sums, "destroy"),
               (long long)doc_child_number(sums, "replace"));
    if (doc_child_number(sums, "reboot") > 0) {
        buf_printf(writer->out, "reboot %lld, ", (long long)doc_child_number(sums, "reboot"));
    }
    buf_printf(writer->out, "change %lld, create %lld node%s",
               (long long)doc_child_number(sums, "change"), (long long)create, TEXT_PLURAL(create));
    plan_volumes_sums_write(writer, sums);
}

/* Return the number of groups after the change. Removed groups are shown, but not counted. */
static int64_t groups_count(const struct doc *groups)
{
    int64_t count = 0;

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        count += text_is(doc_child_text(&groups->items[i], "change"), "destroy") ? 0 : 1;
    }
    return count;
}

static void object_line(struct plan_writer *writer, const struct doc *object)
{
    const struct style *style = &writer->command->out_style;
    struct text version = doc_child_text(object, "version");
    size_t change = change_of(object);

    style_on(style, writer->out, STYLE_STRONG);
    glyph_write_text(writer->out, plan_text_kind_word(writer, object));
    buf_add_bytes(writer->out, ' ', 1);
    glyph_write_text(writer->out, doc_child_text(object, "name"));
    style_off(style, writer->out);
    if (version.length > 0) {
        buf_add_string(writer->out, ", version ");
        glyph_write_text(writer->out, version);
    }
    if (writer->text->is_compared && change == CHANGE_NONE) {
        buf_add_string(writer->out, ": no difference");
        plan_line_end(writer);
        return;
    }
    if (doc_child(object, "groups") != NULL) {
        int64_t groups =
            groups_count(doc_child(object, "groups")) + doc_child_number(object, "others");
        int64_t nodes = doc_child_number(object, "nodes");

        buf_printf(writer->out, ": %lld group%s", (long long)groups, TEXT_PLURAL(groups));
        if (writer->has_machines) {
            buf_printf(writer->out, ", %lld node%s", (long long)nodes, TEXT_PLURAL(nodes));
        }
    }
    if (writer->text->is_compared &&
        (change == 0 || text_is(doc_child_text(object, "change"), "create"))) {
        buf_printf(writer->out, " (%s)", changes[change].word);
    }
    if (writer->text->is_compared && writer->has_machines) {
        sums_write(writer, object);
    }
    plan_line_end(writer);
}

static void object_write(struct plan_writer *writer, const struct doc *object)
{
    const struct doc *groups = doc_child(object, "groups");
    bool is_same = writer->text->is_compared && change_of(object) == CHANGE_NONE;

    writer->has_machines = text_is(doc_child_text(object, "kind"), "Cluster");
    object_line(writer, object);
    if (writer->text->detail == PLAN_SUMMARY || (is_same && writer->text->detail != PLAN_FULL)) {
        return;
    }
    if (writer->text->is_compared && writer->has_values) {
        plan_changes_write(writer, doc_child(object, "changes"), 4);
    }
    if (writer->text->detail == PLAN_FULL ||
        (groups == NULL && writer->has_values && !writer->text->is_compared)) {
        plan_values_write(writer, doc_child(object, "values"), 4);
    }
    if (doc_is_list(groups) && writer->text->is_compared) {
        groups_compared_write(writer, groups, (size_t)doc_child_number(object, "others"));
    } else if (doc_is_list(groups)) {
        groups_plain_write(writer, groups);
    }
}

/* Return the number of lines of the plan with all values, to find out whether they fit. */
static size_t lines_count(const struct plan_text *text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text->plan->item_count; i++) {
        const struct doc *object = &text->plan->items[i];
        const struct doc *groups = doc_child(object, "groups");

        lines += 1 + doc_child_count(object, text->is_compared ? "changes" : "values");
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            lines +=
                1 + doc_child_count(&groups->items[j], text->is_compared ? "changes" : "values");
        }
    }
    return lines;
}

/* Return the rank of an object: removed objects come before objects that lose machines. In a plan
 * without a comparison, all objects have the same rank and keep their order. */
static size_t object_rank(const struct doc *object)
{
    const struct doc *groups = doc_child(object, "groups");

    if (change_of(object) == 0) {
        return 0;
    }
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (doc_child(&groups->items[i], "destroy") != NULL ||
            doc_child(&groups->items[i], "replace") != NULL ||
            doc_child(&groups->items[i], "reboot") != NULL) {
            return 1;
        }
    }
    return 1 + change_of(object);
}

static void objects_write(struct plan_writer *writer)
{
    const struct doc *plan = writer->text->plan;
    size_t hidden = 0;

    for (size_t rank = 0; rank <= RANK_NONE; rank++) {
        for (size_t i = 0; i < plan->item_count; i++) {
            if (object_rank(&plan->items[i]) != rank) {
                continue;
            }
            if (writer->lines_left > 0) {
                object_write(writer, &plan->items[i]);
            } else {
                hidden++;
            }
        }
    }
    if (hidden > 0) {
        buf_printf(writer->out, "... and %zu more object%s; %s shows all\n", hidden,
                   TEXT_PLURAL(hidden), full_flag(writer->text));
    }
}

void plan_text_write(struct command *command, const struct plan_text *text)
{
    struct plan_writer writer = {
        .command = command, .out = &command->out, .text = text, .has_values = true
    };

    writer.lines_left = SIZE_MAX;
    if (text->detail == PLAN_NORMAL && lines_count(text) + text->lines_taken > PLAN_TEXT_LINES) {
        writer.has_values = false;
        writer.lines_left = PLAN_TEXT_LINES - PLAN_LINES_KEPT - text->lines_taken;
    }
    objects_write(&writer);
    if (!writer.has_values && text->detail == PLAN_NORMAL) {
        buf_printf(writer.out, "\n%s shows %s\n", full_flag(text),
                   text->is_compared ? "which values differ"
                                     : "the values and where they came from");
    }
}
