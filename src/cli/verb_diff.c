/* reeve diff: field by field, in the look of a unified diff. What files would change is told by the manager's
 * plan; two objects are compared as they are exported. */
#include "cli/flow.h"
#include "cli/glyph.h"
#include "cli/plan_writer.h"
#include "cli/wanted.h"
#include "codec/json.h"
#include "model/diff.h"
#include "model/nest.h"

/* One difference. */
struct difference {
    struct text path;
    const struct doc *old_value;
    const struct doc *new_value;
};

struct diff_run {
    struct command *command;
    struct session session;
    struct difference *items;
    size_t count;
    size_t room;
    bool has_any;
};

static void difference_add(struct diff_run *run, struct text path, const struct doc *old_value,
                           const struct doc *new_value)
{
    if (run->count == run->room) {
        size_t room = run->room * 2 + 16;

        run->items = arena_grow(run->command->arena, run->items, run->room * sizeof(*run->items),
                                room * sizeof(*run->items));
        run->room = room;
    }
    run->items[run->count++] = (struct difference){ path, old_value, new_value };
}

/* ---- writing ---- */

static void side_write(struct diff_run *run, const char *mark, enum style_color color,
                       struct text path, const struct doc *value)
{
    struct command *command = run->command;

    if (value == NULL) {
        return;
    }
    style_on(&command->out_style, &command->out, color);
    buf_add_string(&command->out, mark);
    glyph_write_text(&command->out, path);
    buf_add_string(&command->out, ": ");
    glyph_write_text(&command->out, flow_format(command->arena, value));
    style_off(&command->out_style, &command->out);
    buf_add_string(&command->out, "\n");
}

static void differences_json(struct diff_run *run, struct text old_name, struct text new_name)
{
    struct command *command = run->command;
    struct doc *items = arena_array(command->arena, struct doc, run->count + 1);
    struct doc_builder builder;
    struct doc all;

    for (size_t i = 0; i < run->count; i++) {
        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "path", doc_text(run->items[i].path, NULL));
        if (run->items[i].old_value != NULL) {
            doc_builder_put(&builder, "old", *run->items[i].old_value);
        }
        if (run->items[i].new_value != NULL) {
            doc_builder_put(&builder, "new", *run->items[i].new_value);
        }
        items[i] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "old", doc_text(old_name, NULL));
    doc_builder_put(&builder, "new", doc_text(new_name, NULL));
    doc_builder_put(&builder, "differences", doc_list(items, run->count, NULL));
    all = doc_builder_map(&builder, NULL);
    json_format(&command->out, &all);
    buf_add_string(&command->out, "\n");
}

/* Write what was gathered under the names of both sides, and begin anew. */
static void differences_write(struct diff_run *run, struct text old_name, struct text new_name)
{
    struct command *command = run->command;

    run->has_any = run->has_any || run->count > 0;
    if (command_output_is(command, "json")) {
        differences_json(run, old_name, new_name);
    } else if (run->count > 0) {
        buf_printf(&command->out, "--- %.*s\n+++ %.*s\n", TEXT_ARG(old_name), TEXT_ARG(new_name));
        for (size_t i = 0; i < run->count; i++) {
            side_write(run, "-", STYLE_REMOVED, run->items[i].path, run->items[i].old_value);
            side_write(run, "+", STYLE_ADDED, run->items[i].path, run->items[i].new_value);
        }
    }
    run->count = 0;
}

/* ---- from a plan ---- */

static void changes_gather(struct diff_run *run, const struct doc *owner, struct text prefix)
{
    const struct doc *changes = doc_child(owner, "changes");

    for (size_t i = 0; doc_is_list(changes) && i < changes->item_count; i++) {
        const struct doc *change = &changes->items[i];

        difference_add(run,
                       arena_printf(run->command->arena, "%.*s%.*s", TEXT_ARG(prefix),
                                    TEXT_ARG(plan_child_text(change, "path"))),
                       doc_child(change, "old"), doc_child(change, "new"));
    }
}

static const struct doc *word_doc(struct diff_run *run, struct text word)
{
    struct doc *doc = arena_one(run->command->arena, struct doc);

    *doc = doc_text(word, NULL);
    return doc;
}

static void group_gather(struct diff_run *run, const struct doc *group)
{
    struct arena *arena = run->command->arena;
    struct text path = plan_child_text(group, "path");
    struct text change = plan_child_text(group, "change");
    struct text prefix = arena_printf(arena, "groups.%.*s.", TEXT_ARG(path));
    struct text size = arena_printf(arena, "%.*ssize", TEXT_ARG(prefix));

    if (text_is(change, "none")) {
        return;
    }
    if (text_is(change, "rename")) {
        difference_add(run, arena_printf(arena, "%.*srenamedFrom", TEXT_ARG(prefix)), NULL,
                       word_doc(run, plan_child_text(group, "was")));
    }
    if (text_is(change, "destroy")) {
        difference_add(run, size, doc_child(group, "size"), NULL);
    } else if (text_is(change, "create")) {
        difference_add(run, size, NULL, doc_child(group, "size"));
    } else if (doc_child(group, "oldSize") != NULL) {
        difference_add(run, size, doc_child(group, "oldSize"), doc_child(group, "size"));
    }
    changes_gather(run, group, prefix);
}

/* `is_turned`: the plan leads back, so old and new change places. */
static void plan_write(struct diff_run *run, const struct doc *told, const char *side,
                       bool is_turned)
{
    struct doc clean = change_plan_clean(run->command->arena, told);
    const struct doc *plan = &clean;

    for (size_t i = 0; i < plan->item_count; i++) {
        const struct doc *object = &plan->items[i];
        const struct doc *groups = doc_child(object, "groups");
        const struct schema_kind *kind = schema_kind_find(plan_child_text(object, "kind"));
        struct text name =
            arena_printf(run->command->arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                         TEXT_ARG(plan_child_text(object, "name")));
        struct text other = arena_printf(run->command->arena, "%.*s (%s)", TEXT_ARG(name), side);

        changes_gather(run, object, TEXT(""));
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            group_gather(run, &groups->items[j]);
        }
        for (size_t j = 0; is_turned && j < run->count; j++) {
            const struct doc *old_value = run->items[j].old_value;

            run->items[j].old_value = run->items[j].new_value;
            run->items[j].new_value = old_value;
        }
        differences_write(run, is_turned ? other : name, is_turned ? name : other);
    }
}

/* What a request would do. False: refused, errors were added. */
static bool dry_call(struct diff_run *run, struct text path, struct text body,
                     const struct sent *sent, struct doc *out)
{
    struct command *command = run->command;
    struct client_request request = { .method = "POST",
                                      .path = path,
                                      .accept = "application/json",
                                      .content_type = "application/json",
                                      .body = body };
    struct client_answer answer;
    struct doc ignored;

    if (!session_call(command, &run->session, &request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        sent_refused(command, sent, &answer, &ignored);
        return false;
    }
    return session_parse(command, &answer, out);
}

static bool files_diff(struct diff_run *run)
{
    struct wanted wanted;
    struct doc answer;

    if (!wanted_read(run->command, FLAG_DIFF_FILE, &wanted)) {
        return false;
    }
    if (wanted.has_faults) {
        wanted_refuse(run->command, &run->session, &wanted);
        return false;
    }
    if (!dry_call(run, TEXT("/v1/plans?dry-run=1"), wanted_body(run->command, &wanted),
                  &wanted.sent, &answer)) {
        return false;
    }
    plan_write(run, doc_child(&answer, "plan"), "files", false);
    return true;
}

/* What going back would change is what was changed since, the other way round. */
static bool revision_diff(struct diff_run *run, const struct target *target, const char *revision)
{
    struct command *command = run->command;
    struct text path = session_path(command, target->kind, target->name);
    struct doc answer;

    if (!dry_call(run, arena_printf(command->arena, "%.*s/undo?dry-run=1", TEXT_ARG(path)),
                  arena_printf(command->arena, "{\"to\":%s}", revision), NULL, &answer)) {
        return false;
    }
    plan_write(run, doc_child(&answer, "plan"),
               arena_printf(command->arena, "revision %s", revision).data, true);
    return true;
}

/* ---- two objects ---- */

static bool is_same_map(const struct doc *a, const struct doc *b)
{
    return doc_is_map(a) && doc_is_map(b);
}

static void trees_gather(struct diff_run *run, const struct doc *a, const struct doc *b,
                         struct text prefix, unsigned depth)
{
    size_t i = 0;
    size_t j = 0;

    while (i < a->entry_count || j < b->entry_count) {
        const struct doc_entry *left = i < a->entry_count ? &a->entries[i] : NULL;
        const struct doc_entry *right = j < b->entry_count ? &b->entries[j] : NULL;
        int order = left == NULL ? 1 : right == NULL ? -1 : text_compare(left->key, right->key);
        struct text path = arena_printf(run->command->arena, "%.*s%s%.*s", TEXT_ARG(prefix),
                                        prefix.length > 0 ? "." : "",
                                        TEXT_ARG(order <= 0 ? left->key : right->key));

        if (order == 0 && depth < LIMIT_DOCUMENT_DEPTH &&
            is_same_map(&left->value, &right->value)) {
            trees_gather(run, &left->value, &right->value, path, depth + 1);
        } else if (order != 0 || !doc_is_equal(&left->value, &right->value)) {
            difference_add(run, path, order <= 0 ? &left->value : NULL,
                           order >= 0 ? &right->value : NULL);
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static bool flat_get(struct diff_run *run, const struct target *target, struct doc *out)
{
    static const char *const names[] = { "id", "kind", "name", "cluster" };
    struct text path = session_path(run->command, target->kind, target->name);

    path = arena_printf(run->command->arena, "%.*s?view=export", TEXT_ARG(path));
    if (!session_get(run->command, &run->session, path, out)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        *out = nest_put(run->command->arena, out, names[i], (struct doc){ 0 });
    }
    return true;
}

static bool objects_diff(struct diff_run *run, const struct target *a, const struct target *b)
{
    struct doc left;
    struct doc right;

    if (!flat_get(run, a, &left) || !flat_get(run, b, &right)) {
        return false;
    }
    trees_gather(run, &left, &right, TEXT(""), 0);
    differences_write(run, target_format(run->command->arena, a),
                      target_format(run->command->arena, b));
    return true;
}

/* ---- the verb ---- */

static bool diff_dispatch(struct diff_run *run)
{
    struct command *command = run->command;
    const char *revision = args_value(&command->args, FLAG_DIFF_REV);
    struct target a;
    struct target b;
    struct err *err;

    if (args_has(&command->args, FLAG_DIFF_FILE) && command->args.word_count == 0) {
        return files_diff(run);
    }
    if (revision != NULL && command->args.word_count > 0 &&
        !args_has(&command->args, FLAG_DIFF_FILE)) {
        return target_read(command, command->args.words, command->args.word_count, &a) &&
               revision_diff(run, &a, revision);
    }
    if (command->args.word_count == 2 && !args_has(&command->args, FLAG_DIFF_FILE)) {
        return target_parse(command, command->args.words[0], &a) &&
               target_parse(command, command->args.words[1], &b) && objects_diff(run, &a, &b);
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "diff needs files, two objects, or one and --rev");
    return err_hint(err, "use: reeve %s", command->args.verb->synopsis);
}

enum exit_code verb_diff(struct command *command)
{
    struct diff_run run = { .command = command };

    if (!session_open(command, &run.session) || !diff_dispatch(&run)) {
        return EXIT_CODE_USAGE;
    }
    if (!run.has_any && !command_output_is(command, "json")) {
        buf_add_string(&command->notes, "no difference\n");
    }
    return run.has_any && args_has(&command->args, FLAG_DIFF_EXIT_CODE) ? EXIT_CODE_DIFFERENT
                                                                        : EXIT_CODE_DONE;
}
