/* reeve tree: clusters and their groups as what is wanted of them. */
#include "cli/glyph.h"
#include "cli/listing.h"
#include "cli/live.h"
#include "cli/plan_writer.h"

struct tree_run {
    struct command *command;
    struct session session;
    struct target cluster; /* name empty: all */
    int64_t depth;         /* levels below a cluster; INT64_MAX: all */
};

static void branch_write(struct tree_run *run, size_t level, bool is_last)
{
    bool is_utf8 = run->command->out_style.is_utf8;

    buf_add_bytes(&run->command->out, ' ', 2 + level * 3);
    if (is_last) {
        buf_add_string(&run->command->out, is_utf8 ? "\u2514\u2500 " : "`- ");
    } else {
        buf_add_string(&run->command->out, is_utf8 ? "\u251c\u2500 " : "|- ");
    }
}

/* Levels of a path above its last step. */
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

/* Bytes that two paths share up to a slash. */
static size_t shared_steps(struct text a, struct text b)
{
    size_t steps = 0;

    for (size_t i = 0; i < a.length && i < b.length && a.data[i] == b.data[i]; i++) {
        steps += a.data[i] == '/';
    }
    return steps;
}

static void leaf_write(struct tree_run *run, const struct doc *group, size_t columns)
{
    struct command *command = run->command;
    int64_t size = plan_child_number(group, "size");
    struct text name = last_step(plan_child_text(group, "path"));
    size_t used = glyph_text_columns(name);

    glyph_write_text(&command->out, name);
    buf_add_bytes(&command->out, ' ', used < columns ? columns - used : 0);
    buf_printf(&command->out, "  %lld node%s wanted  ", (long long)size, plan_plural(size));
    glyph_write_text(&command->out, plan_child_text(group, "members"));
    buf_add_string(&command->out, "\n");
}

/* Is there a later group on the same level below the same group? */
static bool is_last(const struct doc *groups, size_t at, size_t level)
{
    struct text path = plan_child_text(&groups->items[at], "path");

    for (size_t i = at + 1; i < groups->item_count; i++) {
        struct text other = plan_child_text(&groups->items[i], "path");

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

static void groups_write(struct tree_run *run, const struct doc *groups)
{
    struct text before = TEXT("");
    size_t columns = 0;

    for (size_t i = 0; i < groups->item_count; i++) {
        columns = plan_widest(columns, last_step(plan_child_text(&groups->items[i], "path")),
                              PLAN_PATH_COLUMNS);
    }
    for (size_t i = 0; i < groups->item_count; i++) {
        struct text path = plan_child_text(&groups->items[i], "path");
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
        before = path;
    }
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
    if (!session_get(command, &run->session, path, &effective)) {
        return false;
    }
    groups = doc_child(&effective, "groups");
    nodes = plan_child_number(&effective, "nodes");
    style_on(&command->out_style, &command->out, STYLE_STRONG);
    glyph_write_text(&command->out, plan_child_text(&effective, "name"));
    style_off(&command->out_style, &command->out);
    buf_printf(&command->out, "  %zu group%s, %lld node%s wanted\n",
               plan_child_count(&effective, "groups"),
               plan_plural((int64_t)plan_child_count(&effective, "groups")), (long long)nodes,
               plan_plural(nodes));
    if (doc_is_list(groups)) {
        groups_write(run, groups);
    }
    return true;
}

static bool picture(void *arg, uint64_t *out_revision)
{
    struct tree_run *run = arg;
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

enum exit_code verb_tree(struct command *command)
{
    const struct args *args = &command->args;
    struct tree_run run = { .command = command, .depth = INT64_MAX };
    struct live live = { .kinds = "cluster,nodegroup", .draw = picture, .arg = &run };

    if (args_has(args, FLAG_TREE_DEPTH) &&
        !text_parse_int64(text_from(args_value(args, FLAG_TREE_DEPTH)), &run.depth)) {
        return EXIT_CODE_USAGE;
    }
    if (args->word_count > 0) {
        struct text word = text_from(args->words[0]);
        size_t slash = text_find_byte(word, '/');

        run.cluster.name = slash == SIZE_MAX ? word : text_slice(word, slash + 1, word.length);
    }
    if (!session_open(command, &run.session)) {
        return EXIT_CODE_FAILED;
    }
    return live_run(command, &run.session, &live, args_has(args, FLAG_TREE_WATCH));
}
