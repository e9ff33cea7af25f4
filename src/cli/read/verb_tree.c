/* reeve tree: shows clusters and their groups with their desired sizes, and the machines that are
 * not in the desired state. */
#include "base/time.h"
#include "cli/args/when.h"
#include "cli/change/plan_text.h"
#include "cli/change/plan_writer.h"
#include "cli/manager/job_text.h"
#include "cli/manager/listing.h"
#include "cli/manager/live.h"
#include "cli/manager/nodes.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

#include <string.h>

enum {
    LEVELS_MAX = 32,   /* deeper levels get no branch lines */
    HOLDS_SHOWN = 3,   /* maximum number of shown holds of a cluster */
    GROUPS_SHOWN = 40, /* maximum number of shown groups of a cluster, unless unfolded */
    /* maximum number of shown nodes of a group in the same state, unless unfolded */
    NODES_SHOWN = 4,
};

struct tree_run {
    struct command *command;
    struct session session;
    struct target cluster; /* name empty: all */
    int64_t depth;         /* number of shown levels below a cluster; INT64_MAX: all */
    bool is_unfolded;
    struct nodes nodes;       /* the nodes of the present cluster */
    bool goes_on[LEVELS_MAX]; /* the branch of this level continues below */
};

/* Write the prefix of a line: the branch lines of all levels that continue next to it. */
static void rails_write(struct tree_run *run, size_t level)
{
    bool is_utf8 = run->command->out_style.is_utf8;

    buf_add_string(&run->command->out, "  ");
    for (size_t i = 0; i < level; i++) {
        bool goes_on = i < LEVELS_MAX && run->goes_on[i];

        buf_add_string(&run->command->out, !goes_on ? "   " : is_utf8 ? "\u2502  " : "|  ");
    }
}

static void branch_write(struct tree_run *run, size_t level, bool is_last)
{
    bool is_utf8 = run->command->out_style.is_utf8;

    rails_write(run, level);
    if (is_last) {
        buf_add_string(&run->command->out, is_utf8 ? "\u2514\u2500 " : "`- ");
    } else {
        buf_add_string(&run->command->out, is_utf8 ? "\u251c\u2500 " : "|- ");
    }
    if (level < LEVELS_MAX) {
        run->goes_on[level] = !is_last;
    }
}

/* Return the number of steps of a path before its last step. */
static size_t level_of(struct text path)
{
    size_t level = 0;

    for (size_t i = 0; i < path.length; i++) {
        level += path.data[i] == '/';
    }
    return level;
}

static struct text last_step(struct text path)
{
    size_t start = path.length;

    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    return text_slice(path, start, path.length);
}

/* Return the length of the common prefix of two paths that ends at a slash, in bytes. */
static size_t shared_steps(struct text a, struct text b)
{
    size_t steps = 0;

    for (size_t i = 0; i < a.length && i < b.length && a.data[i] == b.data[i]; i++) {
        steps += a.data[i] == '/';
    }
    return steps;
}

static size_t tree_ready_count(const struct tree_run *run, struct text path)
{
    struct nodes nodes = nodes_of(&run->nodes, path);
    size_t ready = 0;

    while (ready < nodes.count && nodes_is_serving(&nodes.items[nodes.count - 1 - ready])) {
        ready++;
    }
    return ready;
}

/* Return the number of ready machines that need no attention. A ready machine may still have a
 * failure to report, from a stage that is allowed to fail (onFailure: continue). */
static size_t healthy_count(const struct tree_run *run, struct text path)
{
    struct nodes nodes = nodes_of(&run->nodes, path);
    size_t ready = tree_ready_count(run, path);
    size_t healthy = 0;

    while (healthy < ready && !nodes_has_failure(&nodes.items[nodes.count - 1 - healthy])) {
        healthy++;
    }
    return healthy;
}

static void leaf_write(struct tree_run *run, const struct doc *group, size_t columns)
{
    struct command *command = run->command;
    int64_t size = doc_child_number(group, "size");
    struct text name = last_step(doc_child_text(group, "path"));
    size_t used = glyph_text_columns(name);

    glyph_write_text(&command->out, name);
    buf_add_bytes(&command->out, ' ', used < columns ? columns - used : 0);
    buf_printf(&command->out, "  %lld node%s wanted  ", (long long)size, TEXT_PLURAL(size));
    glyph_write_text(&command->out, plan_text_members(command->arena, group));
    if (run->nodes.count > 0) {
        struct nodes nodes = nodes_of(&run->nodes, doc_child_text(group, "path"));
        struct doc counts = nodes_counts(command->arena, &nodes);

        buf_add_string(&command->out, "  ");
        nodes_counts_write(&command->out, &counts, size);
    }
    buf_add_string(&command->out, "\n");
}

/* Format since when the machine is unhealthy or unreachable. */
static struct text since_format(struct command *command, const struct doc *status)
{
    int64_t unhealthy_ms = nodes_moment(status, "unhealthy");
    int64_t moment_ms = unhealthy_ms > 0 ? unhealthy_ms : nodes_moment(status, "unreachable");
    char *time = arena_alloc(command->arena, TIME_TEXT_BYTES);

    if (moment_ms == 0) {
        return TEXT("");
    }
    time_format(moment_ms, time);
    return when_format(command, text_from(time));
}

static void tree_node_write(struct tree_run *run, const struct doc *node, size_t level)
{
    struct command *command = run->command;
    const struct doc *status = doc_child(node, "status");
    struct text fault = doc_child_text(status, "fault");
    struct text cause = doc_child_text(status, "cause");

    struct text since = since_format(command, status);
    struct text alarm = doc_child_text(status, "alarm");
    struct text step = nodes_step_beside(command, &run->nodes, node);

    glyph_write_text(&command->out, listing_text(node, "metadata", "name"));
    buf_printf(&command->out, "  %s%s%s%.*s  %.*s%s%.*s%s%.*s\n", nodes_state(node),
               nodes_is_outdated(node) ? ", outdated" : "", since.length > 0 ? ", since " : "",
               TEXT_ARG(since), TEXT_ARG(doc_child_text(status, "reason")),
               fault.length > 0 ? ": " : "", TEXT_ARG(fault), cause.length > 0 ? ": " : "",
               TEXT_ARG(cause));
    if (step.length > 0 && !text_is(step, "bootstrapped")) {
        rails_write(run, level + 1);
        buf_add_string(&command->out, nodes_is_failed(node) ? "failed: " : "step: ");
        glyph_write_text(&command->out, step);
        buf_add_string(&command->out, "\n");
    }
    if (alarm.length > 0 && !text_is_equal(alarm, cause)) {
        rails_write(run, level + 1);
        buf_printf(&command->out, "alarm: %.*s\n", TEXT_ARG(alarm));
    }
}

/* Write machines below their group: some of each state that needs attention. Further machines are
 * only counted. */
static void tree_nodes_write(struct tree_run *run, const struct doc *group, size_t level)
{
    struct nodes nodes = nodes_of(&run->nodes, doc_child_text(group, "path"));
    size_t healthy = healthy_count(run, doc_child_text(group, "path"));
    size_t shown = run->is_unfolded ? nodes.count : nodes.count - healthy;

    nodes.count = shown;
    for (size_t at = 0; at < shown;) {
        size_t alike = nodes_alike(&nodes, at);
        size_t few = run->is_unfolded || alike <= NODES_SHOWN ? alike : NODES_SHOWN - 1;

        for (size_t i = 0; i < few; i++) {
            branch_write(run, level, at + i + 1 == shown);
            tree_node_write(run, &nodes.items[at + i], level);
        }
        if (few < alike) {
            branch_write(run, level, at + alike == shown);
            buf_printf(
                &run->command->out, "%zu more %s%s\n", alike - few, nodes_state(&nodes.items[at]),
                nodes_has_failure(&nodes.items[at + few]) && nodes_is_serving(&nodes.items[at])
                    ? ", with a stage that failed"
                    : "");
        }
        at += alike;
    }
}

/* True if no later group is on the same level below the same parent group. */
static bool is_last(const struct doc *groups, size_t at, size_t level)
{
    struct text path = doc_child_text(&groups->items[at], "path");

    for (size_t i = at + 1; i < groups->item_count; i++) {
        struct text other = doc_child_text(&groups->items[i], "path");

        if (shared_steps(path, other) < level) {
            return true;
        }
        if (shared_steps(path, other) == level) {
            size_t front = path.length - last_step(path).length;

            if (level_of(path) == level ||
                !text_is_equal(text_slice(path, 0, front), text_slice(other, 0, front))) {
                return false;
            }
        }
    }
    return true;
}

static void tree_groups_write(struct tree_run *run, const struct doc *groups)
{
    struct text before = TEXT("");
    size_t columns = 0;

    for (size_t i = 0; i < groups->item_count; i++) {
        columns = glyph_widest(columns, last_step(doc_child_text(&groups->items[i], "path")),
                               PLAN_PATH_COLUMNS);
    }
    for (size_t i = 0; i < groups->item_count; i++) {
        struct text path = doc_child_text(&groups->items[i], "path");
        struct text rest = path;
        size_t level = level_of(path);
        size_t known = i == 0 ? 0 : shared_steps(before, path);

        for (size_t step = 0; step < level && (int64_t)step < run->depth; step++) {
            struct text outer = text_slice(rest, 0, text_find_byte(rest, '/'));

            rest = text_slice(rest, outer.length + 1, rest.length);
            if (step >= known) {
                branch_write(run, step, is_last(groups, i, step));
                glyph_write_text(&run->command->out, outer);
                buf_add_string(&run->command->out, "\n");
            }
        }
        if ((int64_t)level < run->depth) {
            branch_write(run, level, is_last(groups, i, level));
            leaf_write(run, &groups->items[i], columns);
        }
        if ((int64_t)level + 1 < run->depth) {
            tree_nodes_write(run, &groups->items[i], level + 1);
        }
        before = path;
    }
}

/* True if anything in the group is not in the desired state. False if no machine of the group is
 * known. */
static bool has_problem(const struct tree_run *run, const struct doc *group)
{
    struct text path = doc_child_text(group, "path");
    size_t ready = tree_ready_count(run, path);

    return run->nodes.count > 0 && (nodes_of(&run->nodes, path).count > healthy_count(run, path) ||
                                    (int64_t)ready != doc_child_number(group, "size"));
}

/* Write the groups that need attention, and then other groups up to the limit. Further groups are
 * only counted. */
static void some_write(struct tree_run *run, const struct doc *groups)
{
    size_t count = groups->item_count;
    bool *is_shown = arena_array(run->command->arena, bool, count);
    struct doc *items = arena_array(run->command->arena, struct doc, GROUPS_SHOWN);
    size_t shown = 0;
    int64_t left_nodes = 0;
    struct doc some;

    for (size_t i = 0; i < count && shown < GROUPS_SHOWN; i++) {
        is_shown[i] = has_problem(run, &groups->items[i]);
        shown += is_shown[i];
    }
    for (size_t i = 0; i < count && shown < GROUPS_SHOWN; i++) {
        shown += !is_shown[i];
        is_shown[i] = true;
    }
    shown = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_shown[i]) {
            items[shown++] = groups->items[i];
        } else {
            left_nodes += doc_child_number(&groups->items[i], "size");
        }
    }
    some = doc_list(items, shown, NULL);
    tree_groups_write(run, &some);
    buf_printf(&run->command->out,
               "  and %zu more groups, %lld node%s wanted: --unfold shows them\n", count - shown,
               (long long)left_nodes, TEXT_PLURAL(left_nodes));
}

/* Write the holds that keep the cluster from its desired state until an operator approves or
 * rejects them. */
static bool tree_holds_write(struct tree_run *run, struct text cluster)
{
    struct command *command = run->command;
    struct listing holds;

    if (!job_text_holds_get(command, &run->session, cluster, TEXT(""), &holds)) {
        return false;
    }
    for (size_t i = 0; i < holds.count && i < HOLDS_SHOWN; i++) {
        job_text_hold(command, &holds.items[i]);
    }
    if (holds.count > HOLDS_SHOWN) {
        buf_printf(&command->out, "  ! and %zu more: reeve get holds\n", holds.count - HOLDS_SHOWN);
    }
    return true;
}

static bool cluster_write(struct tree_run *run, struct text name)
{
    struct command *command = run->command;
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));
    struct text path = session_path(command, kind, name);
    const struct doc *groups;
    struct doc effective;
    int64_t nodes;

    path = arena_printf(command->arena, "%.*s?view=effective", TEXT_ARG(path));
    if (!session_get(command, &run->session, path, &effective) ||
        !nodes_get(command, &run->session, name, &run->nodes)) {
        return false;
    }
    groups = doc_child(&effective, "groups");
    nodes = doc_child_number(&effective, "nodes");
    style_on(&command->out_style, &command->out, STYLE_STRONG);
    glyph_write_text(&command->out, doc_child_text(&effective, "name"));
    style_off(&command->out_style, &command->out);
    buf_printf(&command->out, "  %zu group%s, %lld node%s wanted\n",
               doc_child_count(&effective, "groups"),
               TEXT_PLURAL((int64_t)doc_child_count(&effective, "groups")), (long long)nodes,
               TEXT_PLURAL(nodes));
    if (!tree_holds_write(run, name)) {
        return false;
    }
    if (doc_is_list(groups) && (run->is_unfolded || groups->item_count <= GROUPS_SHOWN)) {
        tree_groups_write(run, groups);
    } else if (doc_is_list(groups)) {
        some_write(run, groups);
    }
    return true;
}

static bool tree_clusters_write(struct tree_run *run, uint64_t *out_revision)
{
    const struct schema_kind *kind = schema_kind_find(TEXT("Cluster"));
    struct listing clusters;

    if (run->cluster.name.length > 0) {
        *out_revision = 0;
        return cluster_write(run, run->cluster.name);
    }
    if (!listing_get(run->command, &run->session, kind, TEXT(""), &clusters)) {
        return false;
    }
    *out_revision = clusters.revision;
    for (size_t i = 0; i < clusters.count; i++) {
        if (!cluster_write(run, listing_text(&clusters.items[i], "metadata", "name"))) {
            return false;
        }
    }
    if (clusters.count == 0) {
        buf_add_string(&run->command->notes, "no clusters yet: reeve apply -f cluster.yaml\n");
    }
    return true;
}

static bool picture(void *arg, uint64_t *out_revision)
{
    struct tree_run *run = arg;
    size_t from = run->command->out.length;
    bool is_written = tree_clusters_write(run, out_revision);

    command_fold(run->command, from);
    return is_written;
}

/* Read shop or cluster/shop. The name of a group does not select a cluster of the same name. */
static bool tree_cluster_read(struct command *command, struct text word, struct text *out)
{
    size_t slash = text_find_byte(word, '/');
    const struct schema_kind *kind = schema_kind_of_word(text_slice(word, 0, slash));

    if (slash != SIZE_MAX && (kind == NULL || strcmp(kind->name, "Cluster") != 0)) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                         "'%.*s' is not the name of a cluster", TEXT_ARG(word)),
            "reeve tree shows a whole cluster; machines of a group: reeve get nodes -g %.*s",
            TEXT_ARG(word));
    }
    *out = slash == SIZE_MAX ? word : text_slice(word, slash + 1, word.length);
    return true;
}

enum exit_code verb_tree(struct command *command)
{
    const struct args *args = &command->args;
    struct tree_run run = { .command = command,
                            .depth = INT64_MAX,
                            .is_unfolded = args_has(args, FLAG_TREE_UNFOLD) };
    struct live live = { .kinds = "cluster,nodegroup", .draw = picture, .arg = &run };

    if (args_has(args, FLAG_TREE_DEPTH) &&
        !text_parse_int64(text_from(args_value(args, FLAG_TREE_DEPTH)), &run.depth)) {
        return EXIT_CODE_USAGE;
    }
    if (args->argument_count > 0) {
        if (!tree_cluster_read(command, text_from(args->words[0]), &run.cluster.name)) {
            return EXIT_CODE_USAGE;
        }
    }
    if (!session_open(command, &run.session)) {
        return EXIT_CODE_FAILED;
    }
    return live_run(command, &run.session, &live, args_has(args, FLAG_TREE_WATCH));
}
