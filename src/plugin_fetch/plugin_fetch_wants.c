#include "base/limits.h"
#include "fetch/url.h"
#include "plugin_fetch/plugin_fetch_parts.h"

/* public names start with: want_ */

/* Plugins that files name and that are not installed, and their addresses. */

struct want *want_find(const struct plugin_fetch *fetch, struct text tenant, struct text name)
{
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        if (text_is_equal(want->origin.name, name) && text_is_equal(want->tenant, tenant)) {
            return want;
        }
    }
    return NULL;
}

struct text want_digest(struct arena *arena, struct text digest)
{
    char *made = arena_string(arena, digest);

    for (size_t i = 0; i < digest.length; i++) {
        made[i] = (char)(made[i] >= 'A' && made[i] <= 'F' ? made[i] - 'A' + 'a' : made[i]);
    }
    return (struct text){ made, digest.length };
}

static struct plugin_origin origin_keep(struct arena *arena, const struct plugin_origin *origin)
{
    return (struct plugin_origin){
        .name = arena_text(arena, origin->name),
        .version =
            origin->version.length == 0 ? TEXT(KEEP_LATEST) : arena_text(arena, origin->version),
        .url = origin->url.length == 0 ? TEXT("") : arena_text(arena, origin->url),
        .sha256 = want_digest(arena, origin->sha256),
    };
}

static bool is_plugin_fetch_wants_same(const struct plugin_origin *a, const struct plugin_origin *b)
{
    return text_is_equal(a->version, b->version) && text_is_equal(a->url, b->url) &&
           text_is_equal(a->sha256, b->sha256);
}

/* Updates the record to the current sources in files. A change is attempted immediately. */
static void want_say(struct want *want, const struct plugin_origin *origin)
{
    struct arena *said = arena_new_small(SIZE_MAX);
    struct plugin_origin kept = origin_keep(said, origin);

    if (want->said != NULL && is_plugin_fetch_wants_same(&want->origin, &kept)) {
        arena_free(said);
        return;
    }
    arena_free(want->said);
    want->said = said;
    want->origin = kept;
    want->serial++;
    want->failures = 0;
    want->due_ms = 0;
    want->problem[0] = '\0';
}

void want_add(struct want *want, struct text cluster)
{
    struct want_cluster *one = want->clusters;

    while (one != NULL && !text_is_equal(one->key, cluster)) {
        one = one->next;
    }
    if (one == NULL) {
        one = arena_one(want->reported, struct want_cluster);
        *one = (struct want_cluster){ want->clusters, arena_text(want->reported, cluster) };
        want->clusters = one;
    }
}

struct want *want_get(struct plugin_fetch *fetch, struct text tenant,
                      const struct plugin_origin *origin)
{
    struct want *want = want_find(fetch, tenant, origin->name);

    if (want == NULL && fetch->count < LIMIT_FETCH_WANTS) {
        want = arena_one(fetch->memory, struct want);
        *want = (struct want){ .next = fetch->wants,
                               .fetch = fetch,
                               .tenant = arena_text(fetch->memory, tenant),
                               .reported = arena_new_small(SIZE_MAX) };
        fetch->wants = want;
        fetch->count++;
    }
    if (want != NULL) {
        want_say(want, origin);
    }
    return want;
}

/* The address of a plugin is its own URL, or else an address below the base URL of releases (K11).
 * The latest version has a fixed name there, which the server maintains. */
bool want_place(const struct plugin_fetch *fetch, struct arena *arena,
                const struct plugin_origin *origin, struct text *url, struct text *also,
                struct err *err)
{
    const struct plugin_fetch_settings *config = fetch->options.config;
    struct fetch_url read;
    struct text base;

    *also = TEXT("");
    if (!config->is_enabled) {
        err_set(err, CODE_R0647,
                "no such plugin is installed, and this manager does not fetch plugins");
        return false;
    }
    if (origin->url.length > 0) {
        *url = origin->url;
        return fetch_url_parse(*url, &read, err);
    }
    if (config->releases == NULL) {
        return err_set(err, CODE_R0611, "this manager has no such plugin");
    }
    base = arena_printf(arena, "%s/kadende-plugins/kadende-provider-%.*s/releases",
                        config->releases, TEXT_ARG(origin->name));
    *url = arena_printf(arena, "%.*s/download/%.*s/plugin.so", TEXT_ARG(base),
                        TEXT_ARG(origin->version));
    if (text_is(origin->version, KEEP_LATEST)) {
        *also = *url;
        *url = arena_printf(arena, "%.*s/latest/download/plugin.so", TEXT_ARG(base));
    }
    return fetch_url_parse(*url, &read, err);
}
