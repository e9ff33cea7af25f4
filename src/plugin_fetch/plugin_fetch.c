#include "plugin_fetch/plugin_fetch.h"

#include "base/limits.h"
#include "plugin_fetch/plugin_fetch_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: controller_ want_ */

/* The normal case: a pass reports that a file uses a plugin (plugin_fetch_want). If no file of the
 * plugin is stored, it is fetched. The fetched bytes are recorded as permitted to run if the file
 * pins them, or else as waiting for approval. The next pass finds a provider, or a hold. If the
 * fetch fails, the pass gets an error instead of a provider, and the fetch is retried after a
 * pause. */

static uint64_t plugin_fetch_now_ms(const struct plugin_fetch *fetch)
{
    return clock_monotonic_ms(fetch->options.clock);
}

static struct text tenant_of(struct text cluster)
{
    return text_slice(cluster, 0, text_find_byte(cluster, '/'));
}

/* ---- fetching ---- */

/* Handles fetched bytes. Either they equal the stored bytes, or they match the digest that the file
 * pins, or an operator must approve them first. */
static void came(struct want *want, const struct fetch_answer *answer)
{
    struct plugin_fetch *fetch = want->fetch;
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

    if (!want_place(fetch, arena, &want->origin, &bytes.url, &also, &err)) {
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
    if (want->fetched_serial != want->serial) { /* the files name another plugin or digest by now */
        struct err err;

        err_set(&err, CODE_R0649, "the files changed while the plugin was fetched");
        want_answer(want, &err);
        want_wake(want);
    } else if (answer->is_good) {
        came(want, answer);
    } else {
        want_fail(want, &answer->err);
    }
}

/* Begins to fetch if it is due and there is room. `digest` is the digest of stored bytes whose file
 * must be fetched again. Empty: fetch the digest that the file pins, if any. Returns false with the
 * reason in `err`. */
MUST_CHECK static bool want_begin(struct want *want, struct text digest, bool is_asked_for,
                                  struct err *err)
{
    struct plugin_fetch *fetch = want->fetch;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text url;
    struct text also;

    if (!want_place(fetch, arena, &want->origin, &url, &also, err)) {
        return false;
    }
    if (want->is_busy || fetch->options.is_dry ||
        (plugin_fetch_now_ms(fetch) < want->due_ms && !is_asked_for)) {
        return true;
    }
    if (fetcher_count(fetch->fetcher) >= LIMIT_FETCHES) {
        want->due_ms =
            plugin_fetch_now_ms(fetch) + LIMIT_FETCH_PAUSE_MS / fetch->options.time_scale;
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

static void daemon_plugin_fetch_refuse(struct plugin_fetch *fetch, const char *why)
{
    snprintf(fetch->refusal, sizeof(fetch->refusal), "%s", why);
}

/* An installed plugin is never fetched, but a digest that the file pins applies to it as well. */
static void installed_check(struct plugin_fetch *fetch, const struct plugins_entry *entry,
                            const struct plugin_origin *origin)
{
    struct kept_bytes bytes = { .digest = entry->digest };
    struct plugin_origin pin = { .name = origin->name, .sha256 = origin->sha256 };
    struct err err;

    if (!kept_check(&bytes, &pin, TEXT(""), &err)) {
        err_set(&err, CODE_R0644,
                "the file pins the digest %.*s, but the installed plugin "
                "has %.*s",
                TEXT_ARG(origin->sha256), TEXT_ARG(entry->digest));
        daemon_plugin_fetch_refuse(fetch, err.text);
    }
}

void plugin_fetch_want(struct plugin_fetch *fetch, struct text cluster,
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
        daemon_plugin_fetch_refuse(fetch, "too many plugins are being fetched");
        return;
    }
    want_add(want, cluster);
    kept = kept_read(fetch->scratch, fetch->options.cache, want->tenant, origin->name);
    if (kept.now.digest.length > 0) {
        if ((kept_is_installed(&kept.now) ||
             want_place(fetch, fetch->scratch, &want->origin, &url, &also, &err)) &&
            !kept_check(&kept.now, &want->origin, want->origin.url, &err)) {
            daemon_plugin_fetch_refuse(fetch, err.text);
        }
    } else if (kept.next.digest.length > 0) {
        daemon_plugin_fetch_refuse(fetch, "the plugin was fetched and waits for an approval");
    } else if (!want_begin(want, TEXT(""), false, &err)) {
        daemon_plugin_fetch_refuse(fetch, err.text);
    } else {
        daemon_plugin_fetch_refuse(fetch, want->problem[0] != '\0' ? want->problem
                                                                   : "the plugin is being fetched");
    }
    if (kept.next.digest.length > 0) {
        out->digest = kept.next.digest;
        out->words = kept_words(fetch->scratch, origin->name, &kept);
    }
}

void plugin_fetch_approve(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
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

struct provider *plugin_fetch_find(struct plugin_fetch *fetch, struct text tenant,
                                   struct text instance, const char **problem)
{
    /* the account in the name does not affect the fetch */
    struct text plugin = plugins_name(instance);
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct want *want = want_find(fetch, tenant, plugin);
    struct plugins_entry entry;
    struct plugins_file file;
    struct provider *provider;
    bool is_spoiled;
    struct kept kept;
    struct err err;

    if (fetch->refusal[0] != '\0') {
        memcpy(fetch->problem, fetch->refusal, sizeof(fetch->problem));
        fetch->refusal[0] = '\0';
        *problem = fetch->problem;
        return NULL;
    }
    if (plugins_is_installed(fetch->plugins, plugin, &entry)) {
        return plugins_find(fetch->plugins, tenant, instance, problem);
    }
    kept = kept_read(arena, fetch->options.cache, tenant, plugin);
    if (kept.now.digest.length == 0) {
        *problem = "this manager has no such plugin";
        return NULL;
    }
    file = (struct plugins_file){ instance, fetcher_path(fetch->fetcher, arena, kept.now.digest),
                                  kept.now.digest };
    if (fetch->options.blob_want != NULL && !fetcher_has(fetch->fetcher, kept.now.digest) &&
        fetch->options.blob_want(fetch->options.arg, kept.now.digest)) {
        *problem = "the plugin is being fetched from another manager";
        return NULL;
    }
    provider = plugins_find_fetched(fetch->plugins, tenant, &file, problem, &is_spoiled);
    if (is_spoiled && kept_is_installed(&kept.now)) {
        *problem = KEEP_LOST;
    } else if (is_spoiled && want != NULL) {
        fetcher_remove(fetch->fetcher, kept.now.digest);
        if (!want_begin(want, kept.now.digest, false, &err) || want->problem[0] != '\0') {
            snprintf(fetch->problem, sizeof(fetch->problem), "%s",
                     want->problem[0] != '\0' ? want->problem : err.text);
            *problem = fetch->problem;
        }
    }
    if (want != NULL) {
        want->is_asked = provider == NULL && !is_spoiled;
    }
    return provider;
}

void plugin_fetch_upgrade(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
                          plugin_fetch_done *done, void *arg)
{
    struct want *want = want_find(fetch, tenant, plugin);
    struct plugins_entry entry;
    struct err err;

    if (plugins_is_installed(fetch->plugins, plugin, &entry)) {
        err_set(&err, CODE_R0649, "the plugin '%.*s' is installed here, and is not fetched",
                TEXT_ARG(plugin));
        err_hint(&err, "the plugin is part of this reeve; upgrade reeve to change it");
        done(arg, NULL, &err);
        return;
    }
    if (want == NULL) {
        err_set(&err, CODE_R0611, "no cluster file uses a plugin '%.*s'", TEXT_ARG(plugin));
        err_hint(&err, "a plugin is upgraded to the version that the cluster files name");
        done(arg, NULL, &err);
        return;
    }
    if (want->is_busy || want->done != NULL) {
        err_set(&err, CODE_R0642, "plugin '%.*s' is being fetched now", TEXT_ARG(plugin));
        err_hint(&err, "try again in a moment");
        done(arg, NULL, &err);
        return;
    }
    want->done = done;
    want->arg = arg;
    if (!want_begin(want, TEXT(""), true, &err)) {
        want_answer(want, &err);
    } else if (!want->is_busy) {
        err_set(&err, CODE_R0642, "too many plugins are being fetched; try again later");
        want_answer(want, &err);
    }
}

/* ---- iterations ---- */

bool want_is_there(struct want *want, const char **problem)
{
    want->fetch->refusal[0] = '\0';
    return plugin_fetch_find(want->fetch, want->tenant, want->origin.name, problem) != NULL;
}

uint64_t plugin_fetch_run(struct plugin_fetch *fetch)
{
    uint64_t revision = cache_revision(fetch->options.cache);
    uint64_t now = plugin_fetch_now_ms(fetch);
    uint64_t due = UINT64_MAX;
    const char *problem;

    installs_run(fetch);
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        if (want->written_revision > 0 && want->written_revision <= revision) {
            want->written_revision = 0;
            want_answer(want, NULL);
            want_wake(want);
        }
        if (want->is_asked && want_is_there(want, &problem)) {
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

/* ---- start and end ---- */

bool plugin_fetch_open(const struct plugin_fetch_options *options, struct plugin_fetch **out,
                       struct err *err)
{
    const struct plugin_fetch_settings *config = options->config;
    /* bounded, because time scaling does not make servers faster */
    uint32_t time_scale = options->time_scale < 10 ? options->time_scale : 10;
    struct fetcher_options fetcher = {
        .loop = options->loop,
        .program = options->program,
        .folder = config->folder != NULL ? config->folder : options->folder,
        .ca = config->ca,
        .allowed = config->allowed,
        .allowed_count = config->allowed_count,
        .is_file_url_allowed = config->is_file_url_allowed,
        .deadline_ms = LIMIT_FETCH_MS / time_scale,
        .slow_ms = LIMIT_FETCH_SLOW_MS / time_scale,
    };
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct plugin_fetch *fetch = arena_one(memory, struct plugin_fetch);

    *fetch = (struct plugin_fetch){ .options = *options, .memory = memory };
    if (!fetcher_open(&fetcher, &fetch->fetcher, err)) {
        arena_free(memory);
        return false;
    }
    fetch->scratch = arena_new_small(SIZE_MAX);
    *out = fetch;
    return true;
}

void plugin_fetch_join(struct plugin_fetch *fetch, struct plugins *plugins)
{
    assert(fetch->plugins == NULL);
    fetch->plugins = plugins;
}

void plugin_fetch_refuse(struct plugin_fetch *fetch)
{
    struct err err;

    err_set(&err, CODE_R0642, "this manager is stopping");
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        want_answer(want, &err);
    }
    installs_refuse(fetch, &err);
}

void plugin_fetch_close(struct plugin_fetch *fetch)
{
    if (fetch == NULL || fetch->is_closed) {
        return;
    }
    plugin_fetch_refuse(fetch);
    fetch->is_closed = true;
    fetcher_close(fetch->fetcher);
}

bool plugin_fetch_is_over(const struct plugin_fetch *fetch)
{
    return fetch == NULL || fetcher_is_over(fetch->fetcher);
}

void plugin_fetch_free(struct plugin_fetch *fetch)
{
    if (fetch == NULL) {
        return;
    }
    plugin_fetch_close(fetch);
    for (struct want *want = fetch->wants; want != NULL; want = want->next) {
        arena_free(want->said);
        arena_free(want->reported);
    }
    installs_free(fetch);
    fetcher_free(fetch->fetcher);
    arena_free(fetch->scratch);
    arena_free(fetch->memory);
}
