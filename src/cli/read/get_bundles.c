#include "cli/manager/listing.h"
#include "cli/read/get_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: get_ */

/* reeve get bundles: lists the bundles to which stages of groups and of defaults refer. The manager
 * removes all other bundles after a while (docs/decisions/0054), so the list is complete. */

enum { DIGEST_SHORT = 12 };

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },     { "DIGEST", ".short", OUTPUT_KEEP, false },
    { "KEPT", ".kept", OUTPUT_KEEP, false },     { "USED BY", ".usedBy", OUTPUT_DROP, false },
    { "SHA256", ".digest", OUTPUT_WIDE, false },
};
static const struct output_view view = { "bundle/{name}@sha256:{digest}", columns,
                                         ARRAY_COUNT(columns) };

/* One bundle, and the objects that refer to it. */
struct bundle_use {
    struct text name;
    struct text digest; /* empty: the stage refers to a revision with an unknown digest */
    struct doc *users;
    size_t user_count;
};

struct bundle_uses {
    struct command *command;
    struct bundle_use *items;
    size_t count;
    size_t objects; /* number of objects, an upper bound of the users of one bundle */
};

bool get_is_bundles(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 0 ? TEXT("") : text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));

    return kind != NULL && strcmp(kind->name, "Bundle") == 0;
}

/* ---- the bundles ---- */

static struct bundle_use *get_bundles_use_find(struct bundle_uses *uses, struct text name,
                                               struct text digest)
{
    for (size_t i = 0; i < uses->count; i++) {
        if (text_is_equal(uses->items[i].name, name) &&
            text_is_equal(uses->items[i].digest, digest)) {
            return &uses->items[i];
        }
    }
    uses->items[uses->count] = (struct bundle_use){
        .name = name,
        .digest = digest,
        .users = arena_array(uses->command->arena, struct doc, uses->objects),
    };
    return &uses->items[uses->count++];
}

/* Add the bundles of the stages of one object: [{bundle: NAME@sha256:DIGEST}, ...]. */
static void stages_take(struct bundle_uses *uses, const struct doc *stages, struct text user)
{
    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        struct text bundle = doc_child_text(&stages->items[i], "bundle");
        size_t at = text_find_byte(bundle, '@');
        struct text rest = text_slice(bundle, at == SIZE_MAX ? bundle.length : at + 1, SIZE_MAX);
        struct bundle_use *use;

        if (bundle.length == 0) {
            continue;
        }
        use = get_bundles_use_find(uses, text_slice(bundle, 0, at),
                                   text_has_prefix(rest, TEXT("sha256:"))
                                       ? text_slice(rest, strlen("sha256:"), rest.length)
                                       : TEXT(""));
        if (use->user_count == 0 || !text_is_equal(use->users[use->user_count - 1].text, user)) {
            use->users[use->user_count++] = doc_text(user, NULL);
        }
    }
}

/* Adds the bundles of the stages of a group, or of a cluster's defaults, and of its
 * configuration. */
static void both_stages_take(struct bundle_uses *uses, const struct doc *group, struct text user)
{
    stages_take(uses, doc_child(group, "bootstrap"), user);
    stages_take(uses, doc_child(doc_child(group, "configured"), "bundles"), user);
}

static size_t stages_count(const struct listing *objects, bool has_defaults)
{
    size_t count = 0;

    for (size_t i = 0; i < objects->count; i++) {
        const struct doc *spec = doc_child(&objects->items[i], "spec");
        const struct doc *group = has_defaults ? doc_child(spec, "defaults") : spec;

        count += doc_child_count(group, "bootstrap") +
                 doc_child_count(doc_child(group, "configured"), "bundles");
    }
    return count;
}

static bool get_bundles_uses_get(struct bundle_uses *uses, const struct session *session)
{
    struct command *command = uses->command;
    struct listing groups;
    struct listing clusters;

    if (!listing_get(command, session, schema_kind_of_word(TEXT("nodegroup")), TEXT(""), &groups) ||
        !listing_get(command, session, schema_kind_of_word(TEXT("cluster")), TEXT(""), &clusters)) {
        return false;
    }
    uses->objects = groups.count + clusters.count + 1;
    uses->items = arena_array(command->arena, struct bundle_use,
                              stages_count(&groups, false) + stages_count(&clusters, true) + 1);
    for (size_t i = 0; i < clusters.count; i++) {
        const struct doc *spec = doc_child(&clusters.items[i], "spec");

        both_stages_take(uses, doc_child(spec, "defaults"),
                         listing_name(command->arena, &clusters.items[i]));
    }
    for (size_t i = 0; i < groups.count; i++) {
        both_stages_take(uses, doc_child(&groups.items[i], "spec"),
                         listing_name(command->arena, &groups.items[i]));
    }
    return true;
}

/* ---- rows ---- */

/* Find out whether the manager has the bundle. *out is "yes" or "no"; for a revision "-". */
static bool get_bundles_kept_read(struct command *command, const struct session *session,
                                  const struct bundle_use *use, struct text *out)
{
    struct err_list before = command->errors;
    struct doc ignored;

    *out = TEXT("-");
    if (use->digest.length == 0) {
        return true;
    }
    *out = TEXT("yes");
    if (session_get(command, session,
                    arena_printf(command->arena, "/v1/bundles/%.*s", TEXT_ARG(use->digest)),
                    &ignored)) {
        return true;
    }
    if (command->errors.items[command->errors.count - 1].code != CODE_R0403) {
        return false;
    }
    command->errors = before;
    *out = TEXT("no");
    return true;
}

/* True if the words after the kind select the bundle: NAME or NAME@sha256:DIGEST. The kind may be
 * part of the first word. No words select all. */
static bool is_get_bundles_meant(const struct args *args, const struct bundle_use *use)
{
    bool has_name = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = text_from(args->words[i]);
        size_t slash = text_find_byte(word, '/');

        if (i == 0 && slash == SIZE_MAX) {
            continue;
        }
        has_name = true;
        word = slash == SIZE_MAX ? word : text_slice(word, slash + 1, word.length);
        if (text_is_equal(text_slice(word, 0, text_find_byte(word, '@')), use->name) &&
            (text_find_byte(word, '@') == SIZE_MAX || text_has_suffix(word, use->digest))) {
            return true;
        }
    }
    return !has_name;
}

static struct doc get_bundles_row_make(struct arena *arena, const struct bundle_use *use,
                                       struct text kept)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(use->name, NULL));
    doc_builder_put(&builder, "digest", doc_text(use->digest, NULL));
    doc_builder_put(&builder, "short", doc_text(text_slice(use->digest, 0, DIGEST_SHORT), NULL));
    doc_builder_put(&builder, "kept", doc_text(kept, NULL));
    doc_builder_put(&builder, "usedBy", doc_list(use->users, use->user_count, NULL));
    return doc_builder_map(&builder, NULL);
}

static bool get_bundles_flags_check(struct command *command)
{
    static const char *const names[] = { "selector", "watch", "at", "cluster", "sort", "bare" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (args_named(&command->args, names[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s does not apply to bundles", names[i]),
                            "reeve get bundles -o json lists all of them");
        }
    }
    return true;
}

static enum exit_code get_bundles_rows_write(struct bundle_uses *uses,
                                             const struct session *session, struct output *output)
{
    struct command *command = uses->command;
    struct doc *rows = arena_array(command->arena, struct doc, uses->count + 1);
    bool is_named = command->args.argument_count > 1 || strchr(command->args.words[0], '/') != NULL;
    size_t count = 0;

    for (size_t i = 0; i < uses->count; i++) {
        struct text kept;

        if (!is_get_bundles_meant(&command->args, &uses->items[i])) {
            continue;
        }
        if (!get_bundles_kept_read(command, session, &uses->items[i], &kept)) {
            return EXIT_CODE_FAILED;
        }
        rows[count++] = get_bundles_row_make(command->arena, &uses->items[i], kept);
    }
    if (count == 0 && is_named) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                              "no group uses a bundle '%s'",
                              command->args.words[command->args.argument_count - 1]),
                 "reeve get bundles lists the bundles that groups name");
        return EXIT_CODE_NOT_FOUND;
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ rows, count, rows, count }, &command->out);
    return EXIT_CODE_DONE;
}

enum exit_code get_bundles(struct command *command)
{
    struct bundle_uses uses = { .command = command };
    struct session session;
    struct output output;

    if (!get_bundles_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_output_parse(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) || !get_bundles_uses_get(&uses, &session)) {
        return EXIT_CODE_FAILED;
    }
    return get_bundles_rows_write(&uses, &session, &output);
}
