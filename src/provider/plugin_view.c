#include "provider/plugin_view.h"

#include "provider/plugin_doc.h"

/* Formats plugins for the API and the page. */

static void plugin_view_words_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

/* Returns the parts of the sandbox by name: "in force", or why one is missing. */
static struct doc sandbox_doc(struct arena *arena, const struct wire_list *pairs)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = wire_item(*pairs, const struct wire_pair, i);

        doc_builder_put(&builder, arena_string(arena, pair->name), doc_text(pair->value, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

/* Adds the sandbox state of the plugin's process. Before the first start of that process, adds the
 * sandbox state of the process that queried the plugin. */
static void sandbox_put(struct doc_builder *builder, struct arena *arena,
                        const struct plugins_entry *entry, const struct hosted_state *state)
{
    const struct wire_list *pairs = state != NULL && state->sandbox.count > 0 ? &state->sandbox
                                    : entry->hello != NULL ? &entry->hello->sandbox
                                                           : NULL;

    doc_builder_put(builder, "profile",
                    doc_text(text_from(sandbox_profile_name(entry->profile)), NULL));
    if (pairs != NULL && pairs->count > 0) {
        doc_builder_put(builder, "sandbox", sandbox_doc(arena, pairs));
    }
}

static struct doc process_doc(struct arena *arena, const struct hosted_state *state)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "pid", doc_int(arena, state->pid, NULL));
    doc_builder_put(&builder, "starts", doc_int(arena, (int64_t)state->starts, NULL));
    doc_builder_put(&builder, "calls", doc_int(arena, (int64_t)state->calls, NULL));
    doc_builder_put(&builder, "underWay", doc_int(arena, (int64_t)state->under_way, NULL));
    plugin_view_words_put(&builder, "endedBecause", state->why);
    return doc_builder_map(&builder, NULL);
}

struct doc plugin_view(struct arena *arena, const struct plugins_entry *entry,
                       const struct hosted_state *state, struct doc more)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < more.entry_count; i++) {
        doc_builder_add(&builder, &more.entries[i]);
    }
    plugin_view_words_put(&builder, "name", entry->name);
    plugin_view_words_put(&builder, "path", entry->path);
    plugin_view_words_put(&builder, "digest", entry->digest);
    if (entry->hello != NULL) {
        plugin_doc_put(&builder, arena, entry->hello);
    }
    sandbox_put(&builder, arena, entry, state);
    if (state != NULL) {
        doc_builder_put(&builder, "process", process_doc(arena, state));
    }
    if (entry->problem != NULL) {
        plugin_view_words_put(&builder, "problem", text_from(entry->problem));
    }
    return doc_builder_map(&builder, NULL);
}
