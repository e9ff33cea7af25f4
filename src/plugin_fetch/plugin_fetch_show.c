#include "base/limits.h"
#include "plugin_fetch/plugin_fetch_parts.h"

/* public names start with: controller_ */

/* Fetched plugins, for display. */

bool plugin_fetch_has(const struct plugin_fetch *fetch, struct text tenant,
                      const struct plugins_entry *entry)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct kept kept = kept_read(arena, fetch->options.cache, tenant, entry->name);

    return text_is_equal(kept.now.digest, entry->digest);
}

static struct doc bytes_doc(struct arena *arena, const struct kept_bytes *bytes)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    kept_put(&builder, arena, bytes);
    return doc_builder_map(&builder, NULL);
}

void plugin_fetch_put(const struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                      struct text name, struct doc_builder *builder)
{
    struct kept kept = kept_read(arena, fetch->options.cache, tenant, name);

    if (kept.now.digest.length > 0) {
        doc_builder_put(builder, "fetched", bytes_doc(arena, &kept.now));
    }
    if (kept.next.digest.length > 0) {
        doc_builder_put(builder, "waiting", bytes_doc(arena, &kept.next));
    }
}

static struct doc absent_doc(const struct plugin_fetch *fetch, struct arena *arena,
                             struct text tenant, struct text name, const char *problem)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(arena_text(arena, name), NULL));
    plugin_fetch_put(fetch, arena, tenant, name, &builder);
    doc_builder_put(&builder, "problem", doc_text(arena_text(arena, text_from(problem)), NULL));
    return doc_builder_map(&builder, NULL);
}

/* ---- plugins that the tenant stores ---- */

static struct text records_prefix(struct arena *arena, struct text tenant)
{
    return arena_printf(arena, "/%.*s/Plugin/", TEXT_ARG(tenant));
}

/* Returns whether the plugin of a record is known; *kept gets the record. */
static enum plugins_answer record_know(struct plugin_fetch *fetch, struct arena *arena,
                                       const struct cache_object *object, struct kept *kept)
{
    struct plugins_entry entry;
    struct plugins_file file;
    const char *problem;

    *kept = kept_read(arena, fetch->options.cache, cache_tenant(object), cache_id(object));
    if (kept->now.digest.length == 0) {
        return PLUGINS_ASKED;
    }
    file = (struct plugins_file){ cache_id(object),
                                  fetcher_path(fetch->fetcher, arena, kept->now.digest),
                                  kept->now.digest };
    return plugins_know_fetched(fetch->plugins, &file, &entry, &problem);
}

void plugin_fetch_know(struct plugin_fetch *fetch, struct text tenant)
{
    const struct cache *cache = fetch->options.cache;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix = records_prefix(arena, tenant);
    struct kept kept;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        (void)record_know(fetch, arena, object, &kept);
    }
}

size_t plugin_fetch_count(const struct plugin_fetch *fetch, struct text tenant)
{
    const struct cache *cache = fetch->options.cache;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix = records_prefix(arena, tenant);
    size_t count = fetch->count;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        count++;
    }
    return count;
}

/* Adds installed plugins whose program is missing or damaged and that no document references. */
static size_t lost_show(struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                        struct doc *out, size_t count)
{
    const struct cache *cache = fetch->options.cache;
    struct text prefix = records_prefix(arena, tenant);

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct kept kept;

        if (want_find(fetch, tenant, cache_id(object)) == NULL &&
            record_know(fetch, arena, object, &kept) == PLUGINS_SPOILED) {
            out[count++] = absent_doc(fetch, arena, tenant, cache_id(object), KEEP_LOST);
        }
    }
    return count;
}

size_t plugin_fetch_show(struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                         struct doc *out, size_t count)
{
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        const char *problem;

        if (!text_is_equal(want->tenant, tenant) || want_is_there(want, &problem)) {
            continue;
        }
        out[count++] = absent_doc(fetch, arena, tenant, want->origin.name,
                                  want->problem[0] != '\0' ? want->problem : problem);
    }
    return lost_show(fetch, arena, tenant, out, count);
}

struct doc plugin_fetch_policy(const struct plugin_fetch *fetch, struct arena *arena)
{
    const struct plugin_fetch_settings *config = fetch->options.config;
    struct doc *nets = arena_array(arena, struct doc, config->allowed_count);
    struct doc_builder builder;

    for (size_t i = 0; i < config->allowed_count; i++) {
        char words[FETCH_IP_TEXT_BYTES];

        fetch_ip_format(&config->allowed[i].ip, words);
        nets[i] = doc_text(arena_printf(arena, "%s/%u", words, config->allowed[i].bits), NULL);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "allow", doc_list(nets, config->allowed_count, NULL));
    doc_builder_put(&builder, "ca",
                    doc_text(text_from(config->ca == NULL ? "" : config->ca), NULL));
    doc_builder_put(&builder, "enabled", doc_bool(config->is_enabled, NULL));
    doc_builder_put(&builder, "files", doc_bool(config->is_file_url_allowed, NULL));
    doc_builder_put(&builder, "releases",
                    doc_text(text_from(config->releases == NULL ? "" : config->releases), NULL));
    return doc_builder_map(&builder, NULL);
}
