/* reeve diff: compares field by field and prints a unified diff. The effect of files comes from the
 * manager's plan; two objects are compared in their exported form. */
#include "cli/change/change_text.h"
#include "cli/change/difference.h"
#include "cli/change/wanted.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/diff.h"
#include "model/nest.h"

struct diff_run {
    struct command *command;
    struct session session;
    struct differences found;
    /* manually changed values of the current object that applying the files would keep */
    struct doc kept;
    bool has_any;
};

/* ---- writing ---- */

static void differences_json(struct diff_run *run, struct text old_name, struct text new_name)
{
    struct command *command = run->command;
    struct doc *items = arena_array(command->arena, struct doc, run->found.count + 1);
    struct doc_builder builder;
    struct doc all;

    for (size_t i = 0; i < run->found.count; i++) {
        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "path", doc_text(run->found.items[i].path, NULL));
        if (run->found.items[i].old_value != NULL) {
            doc_builder_put(&builder, "old", *run->found.items[i].old_value);
        }
        if (run->found.items[i].new_value != NULL) {
            doc_builder_put(&builder, "new", *run->found.items[i].new_value);
        }
        items[i] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "old", doc_text(old_name, NULL));
    doc_builder_put(&builder, "new", doc_text(new_name, NULL));
    doc_builder_put(&builder, "differences", doc_list(items, run->found.count, NULL));
    if (run->kept.item_count > 0) {
        doc_builder_put(&builder, "kept", run->kept);
    }
    all = doc_builder_map(&builder, NULL);
    json_format(&command->out, &all);
    buf_add_string(&command->out, "\n");
}

/* Write the collected differences under the names of both sides, and reset the list. */
static void differences_write(struct diff_run *run, struct text old_name, struct text new_name)
{
    struct command *command = run->command;

    run->has_any = run->has_any || run->found.count > 0;
    if (command_output_is(command, "json")) {
        differences_json(run, old_name, new_name);
    } else if (run->found.count > 0) {
        buf_printf(&command->out, "--- %.*s\n+++ %.*s\n", TEXT_ARG(old_name), TEXT_ARG(new_name));
        for (size_t i = 0; i < run->found.count; i++) {
            difference_write_side(run->command, "-", STYLE_REMOVED, run->found.items[i].path,
                                  run->found.items[i].old_value);
            difference_write_side(run->command, "+", STYLE_ADDED, run->found.items[i].path,
                                  run->found.items[i].new_value);
        }
    }
    run->found.count = 0;
}

/* ---- from a plan ---- */

static void changes_gather(struct diff_run *run, const struct doc *owner, struct text prefix)
{
    const struct doc *changes = doc_child(owner, "changes");

    for (size_t i = 0; doc_is_list(changes) && i < changes->item_count; i++) {
        const struct doc *change = &changes->items[i];

        differences_add(&run->found,
                        arena_printf(run->command->arena, "%.*s%.*s", TEXT_ARG(prefix),
                                     TEXT_ARG(doc_child_text(change, "path"))),
                        doc_child(change, "old"), doc_child(change, "new"));
    }
}

static const struct doc *doc_of_word(struct diff_run *run, struct text word)
{
    struct doc *doc = arena_one(run->command->arena, struct doc);

    *doc = doc_text(word, NULL);
    return doc;
}

static void group_gather(struct diff_run *run, const struct doc *group)
{
    struct arena *arena = run->command->arena;
    struct text path = doc_child_text(group, "path");
    struct text change = doc_child_text(group, "change");
    struct text prefix = arena_printf(arena, "groups.%.*s.", TEXT_ARG(path));
    struct text size = arena_printf(arena, "%.*ssize", TEXT_ARG(prefix));

    if (text_is(change, "none")) {
        return;
    }
    if (text_is(change, "rename")) {
        differences_add(&run->found, arena_printf(arena, "%.*srenamedFrom", TEXT_ARG(prefix)), NULL,
                        doc_of_word(run, doc_child_text(group, "was")));
    }
    if (text_is(change, "destroy")) {
        const struct doc *old_size = doc_child(group, "oldSize");

        /* without `oldSize` the old size equals `size` */
        differences_add(&run->found, size, old_size != NULL ? old_size : doc_child(group, "size"),
                        NULL);
    } else if (text_is(change, "create")) {
        differences_add(&run->found, size, NULL, doc_child(group, "size"));
    } else if (doc_child(group, "oldSize") != NULL) {
        differences_add(&run->found, size, doc_child(group, "oldSize"), doc_child(group, "size"));
    }
    changes_gather(run, group, prefix);
}

/* Values of an object that were changed by hand: they differ from the files, and applying the files
 * would keep them. */
static struct doc diff_kept_of(struct diff_run *run, const struct doc *answer,
                               const struct doc *object)
{
    size_t all = change_text_kept_count(answer);
    struct doc *items = arena_array(run->command->arena, struct doc, all + 1);
    size_t count = 0;

    for (size_t i = 0; i < all; i++) {
        const struct doc *kept = &doc_child(answer, "kept")->items[i];

        if (text_is_equal(doc_child_text(kept, "kind"), doc_child_text(object, "kind")) &&
            text_is_equal(doc_child_text(kept, "name"), doc_child_text(object, "name"))) {
            items[count++] = *kept;
        }
    }
    return doc_list(items, count, NULL);
}

static void diff_plan_write(struct diff_run *run, const struct doc *answer)
{
    const struct doc *plan = doc_child(answer, "plan");

    for (size_t i = 0; doc_is_list(plan) && i < plan->item_count; i++) {
        const struct doc *object = &plan->items[i];
        const struct doc *groups = doc_child(object, "groups");
        const struct schema_kind *kind = schema_kind_find(doc_child_text(object, "kind"));
        struct text name =
            arena_printf(run->command->arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                         TEXT_ARG(doc_child_text(object, "name")));
        struct text other = arena_printf(run->command->arena, "%.*s (files)", TEXT_ARG(name));

        changes_gather(run, object, TEXT(""));
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            group_gather(run, &groups->items[j]);
        }
        run->kept = diff_kept_of(run, answer, object);
        differences_write(run, name, other);
    }
}

/* Get the effect of a request. False: the manager rejected it, and errors were added. */
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

    if (!wanted_read_overlaid(run->command, FLAG_DIFF_FILE, FLAG_DIFF_OVERLAY, &wanted)) {
        return false;
    }
    if (wanted.has_faults) {
        wanted_refuse(run->command, &run->session, &wanted);
        return false;
    }
    if (!dry_call(run, TEXT("/v1/plans?dry-run=1&allow-missing-plugin=1"),
                  wanted_body(run->command, &wanted), &wanted.sent, &answer)) {
        return false;
    }
    diff_plan_write(run, &answer);
    if (change_text_kept_count(&answer) > 0) {
        run->has_any = true;
        if (!command_output_is(run->command, "json")) {
            change_text_kept_write(run->command, &answer, SIZE_MAX);
        }
    }
    return true;
}

/* ---- two objects ---- */

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
    differences_find(&run->found, &left, &right);
    differences_write(run, target_format(run->command->arena, a),
                      target_format(run->command->arena, b));
    return true;
}

/* ---- two revisions ---- */

/* Read N, A..B or A..; 0 means now. */
static bool revisions_read(struct command *command, const char *word, int64_t *out_a,
                           int64_t *out_b)
{
    struct text text = text_from(word);
    size_t dots = 0;
    struct text end;
    bool is_read;

    while (dots + 1 < text.length && (text.data[dots] != '.' || text.data[dots + 1] != '.')) {
        dots++;
    }
    *out_b = 0;
    is_read = text_parse_int64(dots + 1 < text.length ? text_slice(text, 0, dots) : text, out_a);
    end = dots + 1 < text.length ? text_slice(text, dots + 2, text.length) : TEXT("");
    if (is_read && *out_a > 0 &&
        (end.length == 0 || (text_parse_int64(end, out_b) && *out_b > 0))) {
        return true;
    }
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     "--rev does not accept '%s'", word),
        "write a revision, or two: --rev 12, --rev 12..15; reeve describe TARGET --history lists them");
}

/* Get the spec at a revision, 0 = now. *out_name: "cluster/shop (revision 12)". */
static bool diff_spec_get(struct diff_run *run, const struct target *target, int64_t revision,
                          struct doc *out, struct text *out_name)
{
    struct arena *arena = run->command->arena;
    struct text path = session_path(run->command, target->kind, target->name);
    struct doc object;

    *out_name = target_format(arena, target);
    if (revision > 0) {
        path = arena_printf(arena, "%.*s?at=%lld", TEXT_ARG(path), (long long)revision);
        *out_name =
            arena_printf(arena, "%.*s (revision %lld)", TEXT_ARG(*out_name), (long long)revision);
    }
    if (!session_get(run->command, &run->session, path, &object)) {
        return false;
    }
    *out = doc_is_map(doc_child(&object, "spec")) ? *doc_child(&object, "spec")
                                                  : doc_map(NULL, 0, NULL);
    return true;
}

static bool revisions_diff(struct diff_run *run, const struct target *target, const char *word)
{
    struct text new_name;
    struct text old_name;
    struct doc new_spec;
    struct doc old_spec;
    int64_t a;
    int64_t b;

    if (!revisions_read(run->command, word, &a, &b) ||
        !diff_spec_get(run, target, a, &old_spec, &old_name) ||
        !diff_spec_get(run, target, b, &new_spec, &new_name)) {
        return false;
    }
    differences_find(&run->found, &old_spec, &new_spec);
    differences_write(run, old_name, new_name);
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

    if (args_has(&command->args, FLAG_DIFF_FILE) && command->args.argument_count == 0) {
        return files_diff(run);
    }
    if (revision != NULL && command->args.argument_count > 0 &&
        !args_has(&command->args, FLAG_DIFF_FILE)) {
        return target_read(command, command->args.words, command->args.argument_count, &a) &&
               revisions_diff(run, &a, revision);
    }
    if (command->args.argument_count == 2 && !args_has(&command->args, FLAG_DIFF_FILE)) {
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

    differences_init(&run.found, command->arena);
    if (!session_open(command, &run.session) || !diff_dispatch(&run)) {
        return EXIT_CODE_USAGE;
    }
    if (!run.has_any && !command_output_is(command, "json")) {
        buf_add_string(&command->notes, "no difference\n");
    }
    return run.has_any && args_has(&command->args, FLAG_DIFF_EXIT_CODE) ? EXIT_CODE_DIFFERENT
                                                                        : EXIT_CODE_DONE;
}
