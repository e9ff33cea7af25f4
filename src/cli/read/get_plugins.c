#include "cli/manager/listing.h"
#include "cli/read/get_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: get_ */

/* reeve get plugins: lists the plugins of the manager, whether they can be used, and which clusters
 * use them. */

enum { DIGEST_SHORT = 12 };

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },         { "VERSION", ".version", OUTPUT_KEEP, false },
    { "PROFILE", ".profile", OUTPUT_DROP, false },   { "SCOPE", ".scope", OUTPUT_WIDE, false },
    { "DIGEST", ".short", OUTPUT_DROP, false },      { "STATE", ".state", OUTPUT_KEEP, false },
    { "CLUSTERS", ".clusters", OUTPUT_DROP, false }, { "WHY", ".problem", OUTPUT_DROP, false },
    { "ABOUT", ".about", OUTPUT_WIDE, false },       { "FILE", ".path", OUTPUT_WIDE, false },
};
static const struct output_view view = { "plugin/{name}", columns, ARRAY_COUNT(columns) };

bool get_is_plugins(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 0 ? TEXT("") : text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));

    return kind != NULL && strcmp(kind->name, "Plugin") == 0;
}

/* ---- users of the plugins ---- */

struct use {
    struct text plugin;
    struct text cluster;
};

struct uses {
    struct use *items;
    size_t count;
};

static void uses_take(struct uses *uses, const struct doc *holder, struct text cluster)
{
    struct text plugin = listing_text(holder, "resourcePlugin", "name");

    if (plugin.length > 0 && cluster.length > 0) {
        uses->items[uses->count++] = (struct use){ plugin, cluster };
    }
}

/* Get the uses of plugins: by groups, and by clusters for all of their groups. */
static bool get_plugins_uses_get(struct command *command, const struct session *session,
                                 struct uses *out)
{
    struct listing groups;
    struct listing clusters;

    if (!listing_get(command, session, schema_kind_of_word(TEXT("nodegroup")), TEXT(""), &groups) ||
        !listing_get(command, session, schema_kind_of_word(TEXT("cluster")), TEXT(""), &clusters)) {
        return false;
    }
    out->items = arena_array(command->arena, struct use, groups.count + clusters.count + 1);
    for (size_t i = 0; i < groups.count; i++) {
        uses_take(out, doc_child(&groups.items[i], "spec"),
                  listing_text(&groups.items[i], "metadata", "cluster"));
    }
    for (size_t i = 0; i < clusters.count; i++) {
        uses_take(out, doc_child(doc_child(&clusters.items[i], "spec"), "defaults"),
                  listing_text(&clusters.items[i], "metadata", "name"));
    }
    return true;
}

static struct doc clusters_doc(struct arena *arena, const struct uses *uses, struct text plugin)
{
    struct doc *items = arena_array(arena, struct doc, uses->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < uses->count; i++) {
        bool is_there = !text_is_equal(uses->items[i].plugin, plugin);

        for (size_t j = 0; j < count; j++) {
            is_there = is_there || text_is_equal(items[j].text, uses->items[i].cluster);
        }
        if (!is_there) {
            items[count++] = doc_text(uses->items[i].cluster, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

/* ---- rows ---- */

static const char *state_name(const struct doc *plugin)
{
    return doc_is_present(doc_child(plugin, "problem"))                ? "unusable"
           : !doc_is_present(doc_child(plugin, "version"))             ? "asked"
           : doc_child_number(doc_child(plugin, "process"), "pid") > 0 ? "running"
                                                                       : "ready";
}

static struct doc plugin_row(struct arena *arena, const struct doc *plugin, const struct uses *uses)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < plugin->entry_count; i++) {
        doc_builder_add(&builder, &plugin->entries[i]);
    }
    doc_builder_put(&builder, "state", doc_text(text_from(state_name(plugin)), NULL));
    doc_builder_put(&builder, "short",
                    doc_text(text_slice(doc_child_text(plugin, "digest"), 0, DIGEST_SHORT), NULL));
    doc_builder_put(&builder, "clusters",
                    clusters_doc(arena, uses, doc_child_text(plugin, "name")));
    return doc_builder_map(&builder, NULL);
}

/* True if the arguments after the kind select this plugin. Without arguments, all are selected. */
static bool is_get_plugins_meant(const struct args *args, struct text name)
{
    bool has_name = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = text_from(args->words[i]);
        size_t slash = text_find_byte(word, '/');

        if (i == 0 && slash == SIZE_MAX) {
            continue;
        }
        has_name = true;
        if (text_is_equal(slash == SIZE_MAX ? word : text_slice(word, slash + 1, word.length),
                          name)) {
            return true;
        }
    }
    return !has_name;
}

static bool get_plugins_flags_check(struct command *command)
{
    const struct args *args = &command->args;
    struct err *err;

    if (!args_has(args, FLAG_GET_SELECTOR) && !args_has(args, FLAG_GET_WATCH) &&
        !args_has(args, FLAG_GET_AT) && !args_has(args, FLAG_GET_CLUSTER)) {
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                       "plugins have no labels, no history and no cluster of their own");
    return err_hint(err, "reeve get plugins -o wide; -o path= selects fields");
}

static enum exit_code get_plugins_rows_write(struct command *command, struct output *output,
                                             const struct doc *items, const struct uses *uses)
{
    struct doc *rows = arena_array(command->arena, struct doc, items->item_count + 1);
    size_t count = 0;

    for (size_t i = 0; i < items->item_count; i++) {
        if (is_get_plugins_meant(&command->args, doc_child_text(&items->items[i], "name"))) {
            rows[count++] = plugin_row(command->arena, &items->items[i], uses);
        }
    }
    if (count == 0 && items->item_count > 0) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0611,
                                       "this manager has no plugin of that name");

        err_hint(err, "reeve get plugins lists its plugins");
        return EXIT_CODE_NOT_FOUND;
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ rows, count, rows, count }, &command->out);
    return EXIT_CODE_DONE;
}

enum exit_code get_plugins(struct command *command)
{
    struct uses uses = { NULL, 0 };
    struct session session;
    struct output output;
    struct doc answer;

    if (!get_output_parse(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_plugins_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/plugins"), &answer) ||
        !get_plugins_uses_get(command, &session, &uses)) {
        return EXIT_CODE_FAILED;
    }
    if (!doc_is_list(doc_child(&answer, "items"))) {
        return EXIT_CODE_DONE;
    }
    return get_plugins_rows_write(command, &output, doc_child(&answer, "items"), &uses);
}
