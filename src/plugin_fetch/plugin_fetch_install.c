#include "base/limits.h"
#include "model/check.h"
#include "plugin_fetch/plugin_fetch_parts.h"
#include "provider/plugin_doc.h"

#include <assert.h>

/* public names start with: installs_ controller_ */

/* Installs a plugin for an operator (docs/decisions/0042). The normal case: its bytes arrive with
 * the request or from an address and are stored in the folder under their digest. A separate
 * process loads them to determine their identity. Then one transaction records them as this
 * tenant's plugin of that name, and files can use it.
 *
 * A failure before that transaction has no lasting effect. An incomplete file is removed at the
 * next start. A complete file without a record is never loaded; it is removed here if it came
 * with this request. */

struct install {
    struct install *next;
    struct plugin_fetch *fetch;
    struct arena *arena;
    struct plugin_order order;
    struct fetch_answer came;
    struct text digest;
    struct text url;           /* address it was fetched from; empty: it came with the request */
    bool is_asked;             /* the plugin's identity was requested */
    uint64_t written_revision; /* revision that the cache must reach; 0: none */
    struct kept_bytes kept;    /* the record as it was written */
    struct plugins_entry entry;
    struct text replaced; /* digest of the previously stored bytes */
    const char *state;
    plugin_fetch_done *done; /* NULL: the request has failed because the manager shuts down */
    void *arg;
};

/* ---- end ---- */

static void install_free(struct install *install)
{
    struct install **place = &install->fetch->installs;

    while (*place != install) {
        place = &(*place)->next;
    }
    *place = install->next;
    arena_free(install->arena);
}

static struct plugins_file file_of(const struct install *install)
{
    return (struct plugins_file){
        install->order.name, fetcher_path(install->fetch->fetcher, install->arena, install->digest),
        install->digest
    };
}

struct named {
    struct text digest;
    const struct cache *cache;
    struct arena *arena;
    bool is_named;
};

static void named_row(void *arg, const struct cache_object *object)
{
    struct named *named = arg;
    struct kept kept =
        kept_read(named->arena, named->cache, cache_tenant(object), cache_id(object));

    named->is_named = named->is_named || text_is_equal(kept.now.digest, named->digest) ||
                      text_is_equal(kept.next.digest, named->digest);
}

/* Returns true if a record of any tenant, or another request, refers to these bytes, and also if
 * this cannot be determined. */
static bool is_named(const struct install *install)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Plugin") };
    struct named named = { install->digest, install->fetch->options.cache, arena, false };
    struct cache_page page = { 0 };
    struct err err;

    for (const struct install *one = install->fetch->installs; one != NULL; one = one->next) {
        named.is_named |= one != install && text_is_equal(one->digest, install->digest);
    }
    return named.is_named ||
           !cache_list(install->fetch->options.cache, arena, &scope, &page, LIMIT_FETCH_WANTS,
                       named_row, &named, &err) ||
           named.is_named || page.token.length > 0;
}

static void install_refuse(struct install *install, const struct err *err)
{
    struct plugin_fetch *fetch = install->fetch;
    struct plugins_file file;

    if (install->digest.length > 0) {
        file = file_of(install);
        plugins_forget_fetched(fetch->plugins, &file);
        if (install->came.is_new && !is_named(install)) {
            fetcher_remove(fetch->fetcher, install->digest);
        }
    }
    log_info(fetch->options.log, "fetch", "not_installed", log_text("plugin", install->order.name),
             log_string("code", code_get(err->code)->name), log_string("reason", err->text));
    if (install->done != NULL) {
        install->done(install->arg, NULL, err);
    }
    install_free(install);
}

static void install_report(struct install *install)
{
    const struct plugins_entry *entry = &install->entry;
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, install->arena);
    kept_put(&builder, install->arena, &install->kept);
    doc_builder_put(&builder, "name", doc_text(install->order.name, NULL));
    doc_builder_put(&builder, "profile",
                    doc_text(text_from(sandbox_profile_name(entry->profile)), NULL));
    doc_builder_put(&builder, "contract",
                    doc_text(plugin_doc_contract(install->arena, entry->hello), NULL));
    doc_builder_put(&builder, "state", doc_text(text_from(install->state), NULL));
    if (install->replaced.length > 0) {
        doc_builder_put(&builder, "replaced", doc_text(install->replaced, NULL));
    }
    doc = doc_builder_map(&builder, NULL);
    if (install->done != NULL) {
        install->done(install->arg, &doc, NULL);
    }
    install_free(install);
}

/* ---- writing ---- */

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct install *install = arg;

    if (outcome == OUTCOME_OK) {
        /* installs_run continues when the cache has this revision */
        install->written_revision = answer->revision;
        return;
    }
    install->came.is_new = install->came.is_new && outcome == OUTCOME_REFUSED;
    install_refuse(install, &answer->err);
}

static void install_write(struct install *install, const struct kept *before)
{
    struct plugin_fetch *fetch = install->fetch;
    const struct plugin_order *order = &install->order;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct kept kept = { .revision = before->revision, .now = install->kept };
    struct text key = kept_key(arena, order->tenant, order->name);
    struct store_compare compare = { .key = key, .revision = kept.revision };
    struct store_op ops[] = {
        { .key = key, .value = kept_format(arena, &kept) },
        { .key = news_problem_key(arena, order->tenant, order->name), .is_delete = true },
    };
    struct plugin_report reports = { order->tenant,      order->name,    order->user,
                                     "plugin.installed", &install->kept, NULL };
    struct store_event event = news_event(arena, fetch, &reports);
    struct store_txn txn = { .compares = &compare,
                             .compare_count = 1,
                             .ops = ops,
                             .op_count = ARRAY_COUNT(ops),
                             .events = &event,
                             .event_count = 1 };

    log_info(fetch->options.log, "fetch", "installed", log_text("plugin", order->name),
             log_text("tenant", order->tenant), log_text("by", order->user),
             log_text("digest", install->digest));
    store_txn(fetch->options.store, &txn, written, install);
}

/* Records the bytes as installed, after the check that they are a plugin for this reeve and report
 * this name. */
static void install_take(struct install *install)
{
    const struct plugin_order *order = &install->order;
    const struct wire_hello *hello = install->entry.hello;
    struct kept kept =
        kept_read(install->arena, install->fetch->options.cache, order->tenant, order->name);
    struct err err;

    install->kept = (struct kept_bytes){
        .digest = install->digest,
        .url = install->url,
        .asked = order->version.length > 0 ? order->version : TEXT(KEEP_LATEST),
        .version = install->came.version.length > 0 ? install->came.version
                                                    : arena_text(install->arena, hello->version),
        .by = TEXT(KEPT_INSTALLED),
        .bytes = (int64_t)install->came.bytes,
    };
    if (text_is_equal(kept.now.digest, install->digest)) {
        install->kept = kept.now;
        install->state = "same";
        install_report(install);
    } else if (kept.now.digest.length > 0 && !order->replaces) {
        err_set(&err, CODE_R0669, "the plugin '%.*s' exists with the digest %.*s (%.*s)",
                TEXT_ARG(order->name), TEXT_ARG(kept.now.digest), TEXT_ARG(kept.now.by));
        err_hint(&err, "reeve plugin install --replace replaces it, for all "
                       "clusters of the tenant");
        install_refuse(install, &err);
    } else {
        install->replaced = kept.now.digest;
        install->state = kept.now.digest.length > 0 ? "replaced" : "installed";
        install_write(install, &kept);
    }
}

/* ---- identity ---- */

static void install_look(struct install *install)
{
    struct plugins_file file = file_of(install);
    const char *problem = "";
    struct err err;

    switch (plugins_know_fetched(install->fetch->plugins, &file, &install->entry, &problem)) {
    case PLUGINS_ASKED:
        install->is_asked = true;
        return;
    case PLUGINS_KNOWN:
        install->is_asked = false;
        install_take(install);
        return;
    case PLUGINS_REFUSED:
    case PLUGINS_SPOILED:
        err_set(&err, CODE_R0670, "%s", problem);
        err_hint(&err, "reeve plugin check FILE describes the file");
        install_refuse(install, &err);
        return;
    }
}

static void fetched(void *arg, const struct fetch_answer *answer)
{
    struct install *install = arg;

    struct err ends;

    install->came = *answer;
    install->came.version = arena_text(install->arena, answer->version);
    install->digest = arena_text(install->arena, text_from(answer->digest));
    if (!answer->is_good) {
        install_refuse(install, &answer->err);
    } else if (install->done == NULL) { /* nothing is installed without a waiting request */
        err_set(&ends, CODE_R0642, "this manager is stopping");
        install_refuse(install, &ends);
    } else {
        install_look(install);
    }
}

/* ---- start ---- */

static struct plugin_order plugin_fetch_install_order_keep(struct arena *arena,
                                                           const struct plugin_order *order)
{
    struct plugin_order kept = {
        .tenant = arena_text(arena, order->tenant),
        .user = arena_text(arena, order->user),
        .name = arena_text(arena, order->name),
        .version = arena_text(arena, order->version),
        .url = arena_text(arena, order->url),
        .sha256 = want_digest(arena, order->sha256),
        .replaces = order->replaces,
    };

    return kept; /* the bytes of the request are used immediately and not copied */
}

MUST_CHECK static bool order_check(const struct plugin_fetch *fetch,
                                   const struct plugin_order *order, struct err *err)
{
    struct plugins_entry entry;
    size_t count = 0;

    if (!check_plugin_name(order->name, err) ||
        (order->sha256.length > 0 && !check_sha256(order->sha256, err))) {
        return false;
    }
    if (plugins_is_installed(fetch->plugins, order->name, &entry)) {
        err_set(err, CODE_R0669, "the plugin '%.*s' is part of this reeve and cannot be replaced",
                TEXT_ARG(order->name));
        return err_hint(err, "give your plugin another name, also in its code");
    }
    for (const struct install *one = fetch->installs; one != NULL; one = one->next) {
        count++;
    }
    if (count >= LIMIT_FETCHES ||
        (!order->has_bytes && fetcher_count(fetch->fetcher) >= LIMIT_FETCHES)) {
        err_set(err, CODE_R0642, "too many plugins are being installed or fetched just now");
        return err_hint(err, "try again in a moment");
    }
    return true;
}

static void install_begin(struct install *install, struct text bytes, bool has_bytes)
{
    struct plugin_fetch *fetch = install->fetch;
    const struct plugin_order *order = &install->order;
    struct plugin_origin origin = {
        .name = order->name,
        .version = order->version.length > 0 ? order->version : TEXT(KEEP_LATEST),
        .url = order->url,
    };
    struct text also;
    struct err err;

    if (has_bytes) {
        if (!fetcher_put(fetch->fetcher, bytes, order->sha256, &install->came, &err)) {
            install_refuse(install, &err);
            return;
        }
        install->digest = arena_text(install->arena, text_from(install->came.digest));
        install_look(install);
    } else if (!want_place(fetch, install->arena, &origin, &install->url, &also, &err)) {
        install_refuse(install, &err);
    } else {
        fetcher_fetch(fetch->fetcher, install->url, also, order->sha256, fetched, install);
    }
}

void plugin_fetch_install(struct plugin_fetch *fetch, const struct plugin_order *order,
                          plugin_fetch_done *done, void *arg)
{
    struct install *install;
    struct arena *arena;
    struct err err;

    assert(!fetch->is_closed);
    if (!order_check(fetch, order, &err)) {
        done(arg, NULL, &err);
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    install = arena_one(arena, struct install);
    *install = (struct install){ .next = fetch->installs,
                                 .fetch = fetch,
                                 .arena = arena,
                                 .order = plugin_fetch_install_order_keep(arena, order),
                                 .done = done,
                                 .arg = arg };
    fetch->installs = install;
    install_begin(install, order->bytes, order->has_bytes);
}

/* ---- iterations ---- */

/* Reconciles the clusters that wait for the plugin. */
static void want_report(const struct install *install)
{
    struct want *want = want_find(install->fetch, install->order.tenant, install->order.name);

    if (want != NULL) {
        want->problem[0] = '\0';
        want->failures = 0;
        want->due_ms = 0;
        want_wake(want);
    }
}

void installs_run(struct plugin_fetch *fetch)
{
    uint64_t revision = cache_revision(fetch->options.cache);
    struct install *next;

    for (struct install *install = fetch->installs; install != NULL; install = next) {
        next = install->next;
        if (install->is_asked) {
            install_look(install);
        } else if (install->written_revision > 0 && install->written_revision <= revision) {
            want_report(install);
            install_report(install);
        }
    }
}

void installs_refuse(struct plugin_fetch *fetch, const struct err *err)
{
    for (struct install *install = fetch->installs; install != NULL; install = install->next) {
        plugin_fetch_done *done = install->done;

        install->done = NULL;
        install->is_asked = false;
        if (done != NULL) {
            done(install->arg, NULL, err);
        }
    }
}

void installs_free(struct plugin_fetch *fetch)
{
    while (fetch->installs != NULL) {
        install_free(fetch->installs);
    }
}
