#include "cli/args/command.h"
#include "cli/change/load.h"
#include "cli/change/load_bundles.h"
#include "cli/term/report.h"
#include "codec/doc.h"
#include "codec/json.h"

/* Number of objects of each kind in the files. */
struct counts {
    uint64_t clusters;
    uint64_t groups;
    uint64_t nodes;
    uint64_t others;
    uint64_t missing; /* bundles that the files refer to, but that do not exist */
};

static struct counts counts_make(const struct model_set *set)
{
    struct counts counts = { 0 };

    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];

        if (object->kind != NULL && object->kind->owner == OWNER_CLUSTER) {
            counts.clusters++;
            counts.groups += object->leaf_count;
            counts.nodes += object->node_count;
        } else {
            counts.others++;
        }
    }
    return counts;
}

/* Checks that need a manager, which reeve plan and reeve apply make. */
static const char *const unchecked[] = { "plugins and their properties", "accounts and secrets",
                                         "bundles by digest", "configurations",
                                         "the current state of clusters" };

static void validate_text_write(struct command *command, struct counts counts)
{
    unsigned long long clusters = counts.clusters;
    unsigned long long groups = counts.groups;
    unsigned long long nodes = counts.nodes;
    unsigned long long others = counts.others;

    if (args_has(&command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    style_add(&command->out_style, &command->out, STYLE_HINT, "ok");
    if (clusters > 0) {
        buf_printf(&command->out, ": %llu cluster%s, %llu group%s, %llu node%s", clusters,
                   TEXT_PLURAL(clusters), groups, TEXT_PLURAL(groups), nodes, TEXT_PLURAL(nodes));
    }
    if (others > 0) {
        buf_printf(&command->out, "%s %llu %s%s", clusters > 0 ? "," : ":", others,
                   clusters > 0 ? "other object" : "object", TEXT_PLURAL(others));
    }
    if (command->errors.warnings > 0) {
        buf_printf(&command->out, "; %zu warning%s", command->errors.warnings,
                   TEXT_PLURAL(command->errors.warnings));
    }
    if (counts.missing > 0) {
        buf_printf(&command->out, "; %llu bundle%s missing", (unsigned long long)counts.missing,
                   counts.missing == 1 ? " is" : "s are");
    }
    buf_add_bytes(&command->out, '\n', 1);
    buf_add_string(&command->notes, "not checked without a manager: ");
    for (size_t i = 0; i < ARRAY_COUNT(unchecked); i++) {
        buf_printf(&command->notes, "%s%s", i == 0 ? "" : ", ", unchecked[i]);
    }
    buf_add_string(&command->notes, "; reeve plan -f FILE checks these too\n");
}

static void validate_number_put(struct command *command, struct doc_builder *builder,
                                const char *key, uint64_t number)
{
    doc_builder_put(builder, key, doc_int(command->arena, (int64_t)number, NULL));
}

/* Write the result as JSON. It includes warnings, in the same format as errors of other
 * commands. */
static void validate_json_write(struct command *command, struct counts counts, struct load load)
{
    struct report report = { .arena = command->arena,
                             .sources = &command->sources,
                             .style = &command->error_style,
                             .is_strict = command->is_strict };
    struct doc *not_checked = arena_array(command->arena, struct doc, ARRAY_COUNT(unchecked));
    struct doc_builder builder;
    struct doc warnings;
    struct doc answer;

    err_list_sort(&command->errors, command->arena);
    report_items(&report, &command->errors, &warnings);
    doc_builder_init(&builder, command->arena);
    validate_number_put(command, &builder, "files", load.files);
    validate_number_put(command, &builder, "documents", load.documents);
    validate_number_put(command, &builder, "clusters", counts.clusters);
    validate_number_put(command, &builder, "groups", counts.groups);
    validate_number_put(command, &builder, "nodes", counts.nodes);
    validate_number_put(command, &builder, "missingBundles", counts.missing);
    for (size_t i = 0; i < ARRAY_COUNT(unchecked); i++) {
        not_checked[i] = doc_text(text_from(unchecked[i]), NULL);
    }
    doc_builder_put(&builder, "notChecked", doc_list(not_checked, ARRAY_COUNT(unchecked), NULL));
    validate_number_put(command, &builder, "exit",
                        exit_of_errors(&command->errors, command->is_strict));
    doc_builder_put(&builder, "warnings", warnings);
    answer = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &answer);
    command->has_reported = true;
}

enum exit_code verb_validate(struct command *command)
{
    struct model_set set;
    struct counts counts;
    struct load load;
    size_t missing;

    if (!command_needs_files(command, FLAG_VALIDATE_FILE)) {
        return EXIT_CODE_USAGE;
    }
    command->is_strict = args_has(&command->args, FLAG_VALIDATE_STRICT);
    load = load_overlaid(command, FLAG_VALIDATE_FILE, FLAG_VALIDATE_OVERLAY, &set);
    missing = load_bundles_look(command, &set);
    if (command->errors.errors > 0) {
        return EXIT_CODE_INVALID;
    }
    counts = counts_make(&set);
    counts.missing = missing;
    if (command_output_is(command, "json")) {
        validate_json_write(command, counts, load);
    } else if (!command_output_is(command, "gcc") &&
               !(command->is_strict && command->errors.warnings > 0)) {
        validate_text_write(command, counts);
    }
    return EXIT_CODE_DONE;
}
