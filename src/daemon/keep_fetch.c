#include "daemon/keep_fetch.h"

#include "base/limits.h"
#include "daemon/keep_fetch_parts.h"
#include "fetch/url.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The happy path: a pass says what a file wants (keep_fetch_want); nothing is kept of it, so it is fetched; what came is
 * written down, as what may be run where the file pins it, else as what waits; the pass that follows finds a provider, or
 * a hold. What goes wrong is said where the provider should be, and tried again after a pause. */

#define LATEST "latest"

static uint64_t now_ms(const struct keep_fetch *fetch)
{
    return clock_monotonic_ms(fetch->options.clock);
}

static struct text tenant_of(struct text cluster)
{
    return text_slice(cluster, 0, text_find_byte(cluster, '/'));
}

/* ---- what is wanted ---- */

static struct want *want_find(const struct keep_fetch *fetch, struct text tenant, struct text name)
{
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        if (text_is_equal(want->origin.name, name) && text_is_equal(want->tenant, tenant)) {
            return want;
        }
    }
    return NULL;
}

static struct text lower_text(struct arena *arena, struct text text)
{
    char *made = arena_string(arena, text);

    for (size_t i = 0; i < text.length; i++) {
        made[i] = (char)(made[i] >= 'A' && made[i] <= 'F' ? made[i] - 'A' + 'a' : made[i]);
    }
    return (struct text){ made, text.length };
}

static struct plugin_origin origin_keep(struct arena *arena, const struct plugin_origin *origin)
{
    return (struct plugin_origin){
        .name = arena_text(arena, origin->name),
        .version = origin->version.length == 0 ? TEXT(LATEST) : arena_text(arena, origin->version),
        .url = origin->url.length == 0 ? TEXT("") : arena_text(arena, origin->url),
        .sha256 = lower_text(arena, origin->sha256),
    };
}

static bool is_same(const struct plugin_origin *a, const struct plugin_origin *b)
{
    return text_is_equal(a->version, b->version) && text_is_equal(a->url, b->url) &&
           text_is_equal(a->sha256, b->sha256);
}

/* What files say now. Something else than before is tried at once. */
static void want_say(struct want *want, const struct plugin_origin *origin)
{
    struct arena *said = arena_new_small(SIZE_MAX);
    struct plugin_origin kept = origin_keep(said, origin);

    if (want->said != NULL && is_same(&want->origin, &kept)) {
        arena_free(said);
        return;
    }
    arena_free(want->said);
    want->said = said;
    want->origin = kept;
    want->serial++;
    want->failures = 0;
    want->due_ms = 0;
    want->trouble[0] = '\0';
}

static void cluster_add(struct want *want, struct text cluster)
{
    struct want_cluster *one = want->clusters;

    while (one != NULL && !text_is_equal(one->key, cluster)) {
        one = one->next;
    }
    if (one == NULL) {
        one = arena_one(want->told, struct want_cluster);
        *one = (struct want_cluster){ want->clusters, arena_text(want->told, cluster) };
        want->clusters = one;
    }
}

static struct want *want_get(struct keep_fetch *fetch, struct text tenant,
                             const struct plugin_origin *origin)
{
    struct want *want = want_find(fetch, tenant, origin->name);

    if (want == NULL && fetch->count < LIMIT_FETCH_WANTS) {
        want = arena_one(fetch->home, struct want);
        *want = (struct want){ .next = fetch->wants,
                               .fetch = fetch,
                               .tenant = arena_text(fetch->home, tenant),
                               .told = arena_new_small(SIZE_MAX) };
        fetch->wants = want;
        fetch->count++;
    }
    if (want != NULL) {
        want_say(want, origin);
    }
    return want;
}

/* ---- where it is ---- */

/* K11: by its address, else where releases are; the newest one by a name that a server keeps for it. */
MUST_CHECK static bool place_find(const struct keep_fetch *fetch, struct arena *arena,
                                  const struct plugin_origin *origin, struct text *url,
                                  struct text *also, struct err *err)
{
    const struct config_fetch *config = fetch->options.config;
    struct fetch_url read;
    struct text base;

    *also = TEXT("");
    if (!config->is_enabled) {
        err_set(err, CODE_R0647, "there is no such plugin here, and this manager fetches none");
        return false;
    }
    if (origin->url.length > 0) {
        *url = origin->url;
        return fetch_url_parse(*url, &read, err);
    }
    if (config->releases == NULL) {
        return err_set(err, CODE_R0611, "there is no such plugin here");
    }
    base = arena_printf(arena, "%s/kadende-plugins/kadende-provider-%.*s/releases",
                        config->releases, TEXT_ARG(origin->name));
    *url = arena_printf(arena, "%.*s/download/%.*s/plugin.so", TEXT_ARG(base),
                        TEXT_ARG(origin->version));
    if (text_is(origin->version, LATEST)) {
        *also = *url;
        *url = arena_printf(arena, "%.*s/latest/download/plugin.so", TEXT_ARG(base));
    }
    return fetch_url_parse(*url, &read, err);
}

/* ---- fetching ---- */

/* What came is one of three: what is kept already, what the file pins, or what somebody has to look at first. */
static void came(struct want *want, const struct fetch_answer *answer)
{
    struct keep_fetch *fetch = want->fetch;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct kept kept = kept_read(arena, fetch->options.cache, want->tenant, want->origin.name);
    struct kept_bytes bytes = {
        .digest = text_from(answer->digest),
        .asked = want->origin.version,
        .version = answer->version.length > 0 ? answer->version : want->origin.version,
        .by = want->origin.sha256.length > 0 ? TEXT("pinned") : TEXT(""),
        .bytes = (int64_t)answer->bytes,
    };
    struct text also;
    struct err err;

    if (!place_find(fetch, arena, &want->origin, &bytes.url, &also, &err)) {
        want_fail(want, &err);
        return;
    }
    if (want->is_restored || (text_is_equal(kept.now.digest, bytes.digest) &&
                              kept_check(&kept.now, &want->origin, bytes.url, &err))) {
        want->state = "same";
        want_answer(want, NULL);
        want_wake(want);
        return;
    }
    if (want->origin.sha256.length > 0 || text_is_equal(kept.now.digest, bytes.digest)) {
        bytes.by = bytes.by.length > 0 ? bytes.by : kept.now.by;
        kept.now = bytes;
        kept.next = (struct kept_bytes){ 0 };
        want->state = "moved";
        want_write(want, &kept, "plugin.fetched", &bytes);
    } else {
        kept.next = bytes;
        want->state = "waits";
        want_write(want, &kept, "plugin.waits", &bytes);
    }
}

static void fetched(void *arg, const struct fetch_answer *answer)
{
    struct want *want = arg;

    want->is_busy = false;
    if (want->fetch->is_closed) {
        return;
    }
    if (want->fetched_serial != want->serial) { /* files say something else by now */
        struct err err;

        err_set(&err, CODE_R0649, "the files have changed while it was fetched");
        want_answer(want, &err);
        want_wake(want);
    } else if (answer->is_good) {
        came(want, answer);
    } else {
        want_fail(want, &answer->err);
    }
}

/* Begin to fetch, if it is time and there is room. `digest`: of what is kept and is to be had again; empty: what the file
 * pins, if it does. False: err says why not. */
MUST_CHECK static bool want_begin(struct want *want, struct text digest, bool is_asked_for,
                                  struct err *err)
{
    struct keep_fetch *fetch = want->fetch;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text url;
    struct text also;

    if (!place_find(fetch, arena, &want->origin, &url, &also, err)) {
        return false;
    }
    if (want->is_busy || fetch->options.is_dry || (now_ms(fetch) < want->due_ms && !is_asked_for)) {
        return true;
    }
    if (fetcher_count(fetch->fetcher) >= LIMIT_FETCHES) {
        want->due_ms = now_ms(fetch) + LIMIT_FETCH_PAUSE_MS / fetch->options.haste;
        return true;
    }
    want->is_busy = true;
    want->is_restored = digest.length > 0;
    want->fetched_serial = want->serial;
    fetcher_fetch(fetch->fetcher, url, also, digest.length > 0 ? digest : want->origin.sha256,
                  fetched, want);
    return true;
}

/* ---- the ports ---- */

static void refuse(struct keep_fetch *fetch, const char *why)
{
    snprintf(fetch->refusal, sizeof(fetch->refusal), "%s", why);
}

/* One that is installed is never fetched; but what the file pins holds for it as well. */
static void installed_check(struct keep_fetch *fetch, const struct plugins_entry *entry,
                            const struct plugin_origin *origin)
{
    struct kept_bytes bytes = { .digest = entry->digest };
    struct plugin_origin pin = { .name = origin->name, .sha256 = origin->sha256 };
    struct err err;

    if (!kept_check(&bytes, &pin, TEXT(""), &err)) {
        err_set(&err, CODE_R0644,
                "the file pins the digest %.*s, and the one that is installed "
                "has %.*s",
                TEXT_ARG(origin->sha256), TEXT_ARG(entry->digest));
        refuse(fetch, err.text);
    }
}

void keep_fetch_want(struct keep_fetch *fetch, struct text cluster,
                     const struct plugin_origin *origin, struct plugin_waiting *out)
{
    struct plugins_entry entry;
    struct want *want;
    struct kept kept;
    struct text also;
    struct text url;
    struct err err;

    *out = (struct plugin_waiting){ 0 };
    fetch->refusal[0] = '\0';
    arena_clear(fetch->scratch);
    if (plugins_is_installed(fetch->plugins, origin->name, &entry)) {
        installed_check(fetch, &entry, origin);
        return;
    }
    want = want_get(fetch, tenant_of(cluster), origin);
    if (want == NULL) {
        refuse(fetch, "there are too many plugins that are fetched");
        return;
    }
    cluster_add(want, cluster);
    kept = kept_read(fetch->scratch, fetch->options.cache, want->tenant, origin->name);
    if (kept.now.digest.length > 0) {
        if (place_find(fetch, fetch->scratch, &want->origin, &url, &also, &err) &&
            !kept_check(&kept.now, &want->origin, want->origin.url, &err)) {
            refuse(fetch, err.text);
        }
    } else if (kept.next.digest.length > 0) {
        refuse(fetch, "it was fetched, and waits for an approval");
    } else if (!want_begin(want, TEXT(""), false, &err)) {
        refuse(fetch, err.text);
    } else {
        refuse(fetch, want->trouble[0] != '\0' ? want->trouble : "it is being fetched");
    }
    if (kept.next.digest.length > 0) {
        out->digest = kept.next.digest;
        out->words = kept_words(fetch->scratch, origin->name, &kept);
    }
}

void keep_fetch_approve(struct keep_fetch *fetch, struct text tenant, struct text plugin,
                        struct text digest)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct want *want = want_find(fetch, tenant, plugin);
    struct kept kept = kept_read(arena, fetch->options.cache, tenant, plugin);

    if (want == NULL || want->is_busy || fetch->options.is_dry ||
        !text_is_equal(kept.next.digest, digest)) {
        return;
    }
    kept.now = kept.next;
    kept.now.by = TEXT("approved");
    kept.next = (struct kept_bytes){ 0 };
    want_write(want, &kept, "plugin.approved", &kept.now);
}

struct provider *keep_fetch_find(struct keep_fetch *fetch, struct text tenant, struct text seat,
                                 const char **trouble)
{
    struct text plugin = plugins_name(seat); /* its account is nothing to be fetched */
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct want *want = want_find(fetch, tenant, plugin);
    struct plugins_entry entry;
    struct plugins_file file;
    struct provider *provider;
    bool is_spoiled;
    struct kept kept;
    struct err err;

    if (fetch->refusal[0] != '\0') {
        memcpy(fetch->trouble, fetch->refusal, sizeof(fetch->trouble));
        fetch->refusal[0] = '\0';
        *trouble = fetch->trouble;
        return NULL;
    }
    if (plugins_is_installed(fetch->plugins, plugin, &entry)) {
        return plugins_find(fetch->plugins, tenant, seat, trouble);
    }
    kept = kept_read(arena, fetch->options.cache, tenant, plugin);
    if (kept.now.digest.length == 0) {
        *trouble = "there is no such plugin here";
        return NULL;
    }
    file = (struct plugins_file){ seat, fetcher_path(fetch->fetcher, arena, kept.now.digest),
                                  kept.now.digest };
    provider = plugins_find_fetched(fetch->plugins, tenant, &file, trouble, &is_spoiled);
    if (is_spoiled && want != NULL) {
        fetcher_remove(fetch->fetcher, kept.now.digest);
        if (!want_begin(want, kept.now.digest, false, &err) || want->trouble[0] != '\0') {
            snprintf(fetch->trouble, sizeof(fetch->trouble), "%s",
                     want->trouble[0] != '\0' ? want->trouble : err.text);
            *trouble = fetch->trouble;
        }
    }
    if (want != NULL) {
        want->is_asked = provider == NULL && !is_spoiled;
    }
    return provider;
}

void keep_fetch_upgrade(struct keep_fetch *fetch, struct text tenant, struct text plugin,
                        keep_fetch_done *done, void *arg)
{
    struct want *want = want_find(fetch, tenant, plugin);
    struct plugins_entry entry;
    struct err err;

    if (plugins_is_installed(fetch->plugins, plugin, &entry)) {
        err_set(&err, CODE_R0649, "the plugin '%.*s' is installed here, and is not fetched",
                TEXT_ARG(plugin));
        err_hint(&err, "reeve plugin install brings another one");
        done(arg, NULL, &err);
        return;
    }
    if (want == NULL) {
        err_set(&err, CODE_R0611, "no cluster wants a plugin '%.*s'", TEXT_ARG(plugin));
        err_hint(&err, "what a plugin is upgraded to, the files say that name it");
        done(arg, NULL, &err);
        return;
    }
    if (want->is_busy || want->done != NULL) {
        err_set(&err, CODE_R0642, "it is being fetched just now");
        err_hint(&err, "ask again in a moment");
        done(arg, NULL, &err);
        return;
    }
    want->done = done;
    want->arg = arg;
    if (!want_begin(want, TEXT(""), true, &err)) {
        want_answer(want, &err);
    } else if (!want->is_busy) {
        err_set(&err, CODE_R0642, "too much is being fetched just now");
        want_answer(want, &err);
    }
}

/* ---- going on ---- */

/* Has it said by now who it is? */
static bool is_there_now(struct want *want)
{
    const char *trouble;

    want->fetch->refusal[0] = '\0';
    return keep_fetch_find(want->fetch, want->tenant, want->origin.name, &trouble) != NULL;
}

uint64_t keep_fetch_run(struct keep_fetch *fetch)
{
    uint64_t revision = cache_revision(fetch->options.cache);
    uint64_t now = now_ms(fetch);
    uint64_t due = UINT64_MAX;

    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        if (want->written_revision > 0 && want->written_revision <= revision) {
            want->written_revision = 0;
            want_answer(want, NULL);
            want_wake(want);
        }
        if (want->is_asked && is_there_now(want)) {
            want_wake(want);
        }
        if (want->due_ms > 0 && want->due_ms <= now) {
            want->due_ms = 0;
            want_wake(want);
        } else if (want->due_ms > 0 && want->due_ms - now < due) {
            due = want->due_ms - now;
        }
    }
    return due;
}

/* ---- showing ---- */

bool keep_fetch_has(const struct keep_fetch *fetch, struct text tenant,
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

void keep_fetch_put(const struct keep_fetch *fetch, struct arena *arena, struct text tenant,
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

size_t keep_fetch_show(struct keep_fetch *fetch, struct arena *arena, struct text tenant,
                       struct doc *out, size_t most)
{
    size_t count = 0;

    for (struct want *want = fetch->wants; want != NULL && count < most; want = want->next) {
        struct doc_builder builder;

        if (!text_is_equal(want->tenant, tenant) || is_there_now(want)) {
            continue;
        }
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "name", doc_text(arena_text(arena, want->origin.name), NULL));
        keep_fetch_put(fetch, arena, tenant, want->origin.name, &builder);
        doc_builder_put(&builder, "trouble",
                        doc_text(want->trouble[0] != '\0'
                                     ? arena_text(arena, text_from(want->trouble))
                                     : TEXT("it is being fetched, or waits for an approval"),
                                 NULL));
        out[count++] = doc_builder_map(&builder, NULL);
    }
    return count;
}

size_t keep_fetch_count(const struct keep_fetch *fetch)
{
    return fetch->count;
}

struct doc keep_fetch_policy(const struct keep_fetch *fetch, struct arena *arena)
{
    const struct config_fetch *config = fetch->options.config;
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
    doc_builder_put(&builder, "files", doc_bool(config->takes_files, NULL));
    doc_builder_put(&builder, "releases",
                    doc_text(text_from(config->releases == NULL ? "" : config->releases), NULL));
    return doc_builder_map(&builder, NULL);
}

/* ---- beginning and ending ---- */

bool keep_fetch_open(const struct keep_fetch_options *options, struct keep_fetch **out,
                     struct err *err)
{
    const struct config_fetch *config = options->config;
    uint32_t haste = options->haste < 10 ? options->haste : 10; /* a server's pace is its own */
    struct fetcher_options fetcher = {
        .loop = options->loop,
        .program = options->program,
        .folder = config->folder != NULL ? config->folder : options->folder,
        .ca = config->ca,
        .allowed = config->allowed,
        .allowed_count = config->allowed_count,
        .takes_files = config->takes_files,
        .deadline_ms = LIMIT_FETCH_MS / haste,
        .slow_ms = LIMIT_FETCH_SLOW_MS / haste,
    };
    struct arena *home = arena_new_small(SIZE_MAX);
    struct keep_fetch *fetch = arena_one(home, struct keep_fetch);

    *fetch = (struct keep_fetch){ .options = *options, .home = home };
    if (!fetcher_open(&fetcher, &fetch->fetcher, err)) {
        arena_free(home);
        return false;
    }
    fetch->scratch = arena_new_small(SIZE_MAX);
    *out = fetch;
    return true;
}

void keep_fetch_join(struct keep_fetch *fetch, struct plugins *plugins)
{
    assert(fetch->plugins == NULL);
    fetch->plugins = plugins;
}

void keep_fetch_close(struct keep_fetch *fetch)
{
    struct err err;

    if (fetch == NULL || fetch->is_closed) {
        return;
    }
    fetch->is_closed = true;
    err_set(&err, CODE_R0642, "this manager ends");
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        want_answer(want, &err);
    }
    fetcher_close(fetch->fetcher);
}

bool keep_fetch_is_over(const struct keep_fetch *fetch)
{
    return fetch == NULL || fetcher_is_over(fetch->fetcher);
}

void keep_fetch_free(struct keep_fetch *fetch)
{
    if (fetch == NULL) {
        return;
    }
    keep_fetch_close(fetch);
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        arena_free(want->said);
        arena_free(want->told);
    }
    fetcher_free(fetch->fetcher);
    arena_free(fetch->scratch);
    arena_free(fetch->home);
}
