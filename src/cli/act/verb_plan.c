/* reeve plan: shows what the manager would change; --offline: shows which objects and values the
 * files describe (file_plan_make), without a manager. */
#include "cli/args/command.h"
#include "cli/change/load.h"
#include "cli/change/plan_moved.h"
#include "cli/change/plan_text.h"
#include "cli/change/wanted.h"
#include "cli/term/output.h"
#include "plan/file_plan.h"

static const struct output_column plan_columns[] = {
    { "CLUSTER", ".cluster", OUTPUT_KEEP, false },
    { "GROUP", ".path", OUTPUT_KEEP, false },
    { "SIZE", ".size", OUTPUT_KEEP, true },
    { "MEMBERS", ".members", OUTPUT_DROP, false },
    { "PLUGIN", ".plugin", OUTPUT_DROP, false },
    { "IMAGE", ".values.image", OUTPUT_DROP, false },
    { "CHANGE", ".change", OUTPUT_DROP, false },
    { "KIND", ".kind", OUTPUT_WIDE, false },
    { "MACHINESIZE", ".values.machineSize", OUTPUT_WIDE, false },
    { "ZONES", ".values.zones", OUTPUT_WIDE, false },
    { "CREATE", ".create", OUTPUT_WIDE, false },
    { "DESTROY", ".destroy", OUTPUT_WIDE, false },
};
static const struct output_view plan_view = { "{ref}", plan_columns, ARRAY_COUNT(plan_columns) };

/* ---- objects for programs ---- */

/* Return a value as a document, with the file name in place of the number of its source. */
static struct doc plan_value_doc(struct command *command, const struct doc *value)
{
    const struct doc *number = doc_child(value, "source");
    int64_t source = 0;
    const char *name = NULL;
    struct doc_builder builder;

    if (doc_is_scalar(number) && text_parse_int64(number->text, &source)) {
        name = source_name(&command->sources, (uint16_t)source);
    }
    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; i < value->entry_count; i++) {
        const struct doc_entry *entry = &value->entries[i];
        bool is_place = text_is(entry->key, "source") || text_is(entry->key, "line") ||
                        text_is(entry->key, "column");

        if (!is_place || (name != NULL && !text_is(entry->key, "source"))) {
            doc_builder_add(&builder, entry);
        }
    }
    if (name != NULL) {
        doc_builder_put(&builder, "file", doc_text(text_from(name), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc values_doc(struct command *command, const struct doc *values)
{
    struct doc *items = arena_array(command->arena, struct doc, values->item_count);

    for (size_t i = 0; i < values->item_count; i++) {
        items[i] = plan_value_doc(command, &values->items[i]);
    }
    return doc_list(items, values->item_count, NULL);
}

/* Return an object or group of the plan, and its groups, with places as FILE:LINE that users can
 * open. */
static struct doc plan_object_doc(struct command *command, const struct doc *object)
{
    struct doc_builder builder;

    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; i < object->entry_count; i++) {
        struct doc_entry entry = object->entries[i];

        if (text_is(entry.key, "values")) {
            entry.value = values_doc(command, &entry.value);
        } else if (text_is(entry.key, "groups")) {
            struct doc *groups = arena_array(command->arena, struct doc, entry.value.item_count);

            for (size_t j = 0; j < entry.value.item_count; j++) {
                groups[j] = plan_object_doc(command, &entry.value.items[j]);
            }
            entry.value = doc_list(groups, entry.value.item_count, NULL);
        }
        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc plan_doc(struct command *command, const struct doc *plan)
{
    struct doc *items = arena_array(command->arena, struct doc, plan->item_count);

    for (size_t i = 0; i < plan->item_count; i++) {
        items[i] = plan_object_doc(command, &plan->items[i]);
    }
    return doc_list(items, plan->item_count, NULL);
}

/* ---- rows for users ---- */

struct rows {
    struct doc *items;
    size_t count;
};

/* Return the list of values as a map from path to value, so that a column can refer to a value:
 * .values.zones */
static struct doc values_map(struct arena *arena, const struct doc *values)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; doc_is_list(values) && i < values->item_count; i++) {
        struct doc_entry entry = { .key = doc_child(&values->items[i], "path")->text,
                                   .value = *doc_child(&values->items[i], "value") };

        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, NULL);
}

static struct text cli_plan_child_text(const struct doc *doc, const char *key)
{
    const struct doc *child = doc_child(doc, key);

    return doc_is_scalar(child) ? child->text : TEXT("");
}

/* Make one row: an object, or one group of it (NULL: the object has none). */
static struct doc row_doc(struct arena *arena, const struct doc *object, const struct doc *group)
{
    const struct schema_kind *kind = schema_kind_find(cli_plan_child_text(object, "kind"));
    bool is_cluster = kind != NULL && kind->owner == OWNER_CLUSTER;
    struct text name = cli_plan_child_text(object, "name");
    const struct doc *row = group == NULL ? object : group;
    struct doc_builder builder;
    struct text ref;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < row->entry_count; i++) {
        doc_builder_add(&builder, &row->entries[i]);
    }
    if (group == NULL) {
        ref = arena_printf(arena, "%s/%.*s", kind == NULL ? "" : kind->singular, TEXT_ARG(name));
    } else {
        ref = arena_printf(arena, "%s/%.*s/%.*s", is_cluster ? "nodegroup" : "nodegrouptemplate",
                           TEXT_ARG(name), TEXT_ARG(cli_plan_child_text(group, "path")));
        doc_builder_put(&builder, "cluster", doc_text(name, NULL));
    }
    doc_builder_put(&builder, "kind", doc_text(cli_plan_child_text(object, "kind"), NULL));
    doc_builder_put(&builder, "ref", doc_text(ref, NULL));
    doc_builder_put(&builder, "values", values_map(arena, doc_child(row, "values")));
    return doc_builder_map(&builder, NULL);
}

/* Make one row for each group; objects without groups have a row only if names are requested. */
static struct rows plan_rows_make(struct arena *arena, const struct doc *plan, bool has_all)
{
    struct rows rows = { 0 };
    size_t room = 0;

    for (size_t i = 0; i < plan->item_count; i++) {
        const struct doc *groups = doc_child(&plan->items[i], "groups");

        room += 1 + (doc_is_list(groups) ? groups->item_count : 0);
    }
    rows.items = arena_array(arena, struct doc, room);
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct doc *object = &plan->items[i];
        const struct doc *groups = doc_child(object, "groups");

        if (!doc_is_list(groups) && has_all) {
            rows.items[rows.count++] = row_doc(arena, object, NULL);
        }
        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count; j++) {
            rows.items[rows.count++] = row_doc(arena, object, &groups->items[j]);
        }
    }
    return rows;
}

/* ---- the verb ---- */

static bool use_refuse(struct command *command, const char *text, const char *hint)
{
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s", text),
                    "%s", hint);
}

/* Return the ID from --rebase plan/ID. Empty: the argument is invalid. */
static struct text rebase_id(const struct args *args)
{
    struct text word = text_from(args_value(args, FLAG_PLAN_REBASE));

    return text_has_prefix(word, TEXT("plan/")) ? text_slice(word, 5, word.length) : TEXT("");
}

static bool plan_use_check(struct command *command)
{
    const struct args *args = &command->args;
    bool is_offline = args_has(args, FLAG_PLAN_OFFLINE);

    if (args_has(args, FLAG_PLAN_FULL) && args_has(args, FLAG_PLAN_SUMMARY)) {
        return use_refuse(command, "--full and --summary exclude each other",
                          "leave one of them out");
    }
    if (is_offline && args_has(args, FLAG_PLAN_SAVE)) {
        return use_refuse(command, "--save needs a manager, and --offline uses no manager",
                          "leave one of them out");
    }
    if (!is_offline && args_has(args, FLAG_PLAN_AGAINST)) {
        return use_refuse(command, "--against compares files, without a manager", "add --offline");
    }
    if (is_offline && args_has(args, FLAG_PLAN_EXIT_CODE) && !args_has(args, FLAG_PLAN_AGAINST)) {
        return use_refuse(
            command, "--exit-code with --offline needs --against: there is nothing to compare with",
            "add the files to compare with: --against old.yaml");
    }
    if (is_offline && args_has(args, FLAG_PLAN_REBASE)) {
        return use_refuse(
            command, "--rebase needs a plan that a manager stores, and --offline uses no manager",
            "leave one of them out");
    }
    if (args_has(args, FLAG_PLAN_REBASE) && rebase_id(args).length == 0) {
        return use_refuse(command, "--rebase needs the name of a saved plan",
                          "write --rebase plan/ID");
    }
    return command_needs_files(command, FLAG_PLAN_FILE);
}

static void plan_plan_write(struct command *command, const struct doc *plan,
                            const struct plan_text *text, struct output *output)
{
    struct doc objects = { 0 };
    struct rows rows = { 0 };
    struct output_data data;
    size_t from = command->out.length;

    if (output->format == OUTPUT_TEXT) {
        struct plan_text named = *text;

        objects = text->detail == PLAN_FULL ? plan_doc(command, plan) : *plan;
        named.plan = &objects;
        plan_text_write(command, &named);
        command_fold(command, from);
        return;
    }
    if (output->format == OUTPUT_JSON || output->format == OUTPUT_JSONL ||
        output->format == OUTPUT_YAML || output->format == OUTPUT_PATH) {
        objects = plan_doc(command, plan);
    } else {
        rows = plan_rows_make(command->arena, plan, output->format == OUTPUT_NAME);
    }
    data = (struct output_data){ objects.items, objects.item_count, rows.items, rows.count };
    output_write(command->arena, output, &command->out_style, &data, &command->out);
}

static enum plan_detail plan_detail_of(const struct args *args)
{
    if (args_has(args, FLAG_PLAN_FULL)) {
        return PLAN_FULL;
    }
    return args_has(args, FLAG_PLAN_SUMMARY) ? PLAN_SUMMARY : PLAN_NORMAL;
}

/* True if values are shown. They are hidden by default, because listing them for a large set takes
 * longer than everything else. */
static bool values_are_shown(const struct model_set *set, const struct output *output,
                             enum plan_detail detail)
{
    size_t leaves = 0;

    for (size_t i = 0; i < set->count; i++) {
        leaves += set->objects[i].leaf_count;
    }
    if (output->format == OUTPUT_NAME) {
        return false;
    }
    return output->format != OUTPUT_TEXT || detail == PLAN_FULL ||
           (detail == PLAN_NORMAL && leaves < PLAN_TEXT_LINES);
}

static enum exit_code plan_offline(struct command *command, struct output *output)
{
    bool is_compared = args_has(&command->args, FLAG_PLAN_AGAINST);
    struct file_plan_summary summary;
    struct plan_text text = { .summary = &summary, .is_compared = is_compared };
    struct file_plan_options options = { 0 };
    struct model_set against;
    struct model_set set;
    struct doc plan;

    load_overlaid(command, FLAG_PLAN_FILE, FLAG_PLAN_OVERLAY, &set);
    if (is_compared) {
        load_set(command, FLAG_PLAN_AGAINST, &against);
    }
    if (command->errors.errors > 0 || (command->is_strict && command->errors.warnings > 0)) {
        return EXIT_CODE_INVALID;
    }
    text.detail = plan_detail_of(&command->args);
    options.with_values = values_are_shown(&set, output, text.detail);
    options.with_defaults = text.detail == PLAN_FULL;
    plan = file_plan_make(command->arena, &set, is_compared ? &against : NULL, options, &summary);
    plan_plan_write(command, &plan, &text, output);
    return args_has(&command->args, FLAG_PLAN_EXIT_CODE) && summary.has_differences
               ? EXIT_CODE_DIFFERENT
               : EXIT_CODE_DONE;
}

/* Have the manager compute the plan; with --save it stores the plan under an id. */
static enum exit_code plan_online(struct command *command, struct output *output)
{
    bool is_rebased = args_has(&command->args, FLAG_PLAN_REBASE);
    struct change_call call = { .method = "POST",
                                .path = TEXT("/v1/plans"),
                                .content_type = "application/json",
                                .is_plan = args_has(&command->args, FLAG_PLAN_SAVE) || is_rebased };
    struct change_set set = { &call, 1, NULL };
    struct plan_text text = { .is_compared = true, .detail = plan_detail_of(&command->args) };
    bool differs = false;
    bool is_superseding;
    struct session session;
    struct wanted wanted;
    struct doc old_plan;

    if (!session_open(command, &session) ||
        !wanted_read_overlaid(command, FLAG_PLAN_FILE, FLAG_PLAN_OVERLAY, &wanted)) {
        return EXIT_CODE_INVALID;
    }
    if (wanted.has_faults) {
        wanted_refuse(command, &session, &wanted);
        return EXIT_CODE_INVALID;
    }
    /* A saved plan is carried out without its files, so the bundles are sent now. */
    if (call.is_plan && !wanted_send_bundles(command, &session, &wanted)) {
        return EXIT_CODE_FAILED;
    }
    call.body = wanted_body(command, &wanted);
    set.sent = &wanted.sent;
    if ((is_rebased && !plan_moved_get(command, &session, rebase_id(&command->args), &old_plan)) ||
        !change_show(command, &session, &set, &differs)) {
        return EXIT_CODE_FAILED;
    }
    if (is_rebased && output->format == OUTPUT_TEXT) {
        plan_moved_write(command, rebase_id(&command->args), doc_child(&old_plan, "plan"),
                         doc_child(&call.answer, "plan"));
    }
    if (output->format != OUTPUT_TEXT) {
        plan_plan_write(command, doc_child(&call.answer, "plan"), &text, output);
    }
    is_superseding = change_rollouts_report(command, &set);
    if (call.is_plan) {
        buf_printf(&command->notes, "plan/%.*s is kept for 24 hours: reeve apply plan/%.*s%s\n",
                   TEXT_ARG(cli_plan_child_text(&call.answer, "id")),
                   TEXT_ARG(cli_plan_child_text(&call.answer, "id")),
                   is_superseding ? " --supersede" : "");
    }
    return args_has(&command->args, FLAG_PLAN_EXIT_CODE) && differs ? EXIT_CODE_DIFFERENT
                                                                    : EXIT_CODE_DONE;
}

enum exit_code verb_plan(struct command *command)
{
    struct output output;
    struct err err;

    if (!plan_use_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!output_parse(command->arena, args_value(&command->args, FLAG_PLAN_OUTPUT),
                      args_value(&command->args, FLAG_PLAN_COLS), OUTPUT_TEXT, &plan_view,
                      &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    command->is_strict = args_has(&command->args, FLAG_PLAN_STRICT);
    return args_has(&command->args, FLAG_PLAN_OFFLINE) ? plan_offline(command, &output)
                                                       : plan_online(command, &output);
}
