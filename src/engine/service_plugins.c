#include "engine/service_parts.h"

/* names: service_ */

/* Which plugins there are is known to whoever keeps clusters. */

static struct doc plugins_list(struct service *service, struct arena *arena, struct text tenant)
{
    const struct service_keeper *keeper = &service->keeper;

    return keeper->plugins_show == NULL ? doc_list(NULL, 0, NULL)
                                        : keeper->plugins_show(keeper->arg, arena, tenant);
}

void service_plugins(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text name, service_done *done,
                     void *arg)
{
    struct doc list = plugins_list(service, arena, actor->tenant);
    struct doc_builder builder;
    struct doc body;
    struct err err;

    for (size_t i = 0; i < list.item_count && name.length > 0; i++) {
        if (text_is_equal(doc_child(&list.items[i], "name")->text, name)) {
            service_tell(service, arena, &list.items[i], done, arg);
            return;
        }
    }
    if (name.length > 0) {
        err_set(&err, CODE_R0611, "there is no plugin '%.*s' here", TEXT_ARG(name));
        err_hint(&err, "reeve get plugins lists those that are");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    if (service->keeper.accounts_show != NULL) {
        doc_builder_put(&builder, "accounts",
                        service->keeper.accounts_show(service->keeper.arg, arena, actor->tenant));
    }
    if (service->keeper.fetch_show != NULL) {
        doc_builder_put(&builder, "fetch", service->keeper.fetch_show(service->keeper.arg, arena));
    }
    doc_builder_put(&builder, "items", list);
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_tell(service, arena, &body, done, arg);
}

/* ---- upgrades and installations ---- */

struct moving {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
};

static void moved(void *arg, const struct doc *doc, const struct err *err)
{
    const struct moving *moving = arg;

    if (err != NULL) {
        service_refuse(moving->service, moving->arena, err, moving->done, moving->arg);
    } else {
        service_tell(moving->service, moving->arena, doc, moving->done, moving->arg);
    }
}

void service_plugin_upgrade(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg)
{
    const struct service_keeper *keeper = &service->keeper;
    struct moving *moving = arena_one(arena, struct moving);
    struct err err;

    *moving = (struct moving){ service, arena, done, arg };
    if (keeper->plugin_upgrade == NULL) {
        err_set(&err, CODE_R0647, "this manager keeps no clusters, and fetches no plugins");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    keeper->plugin_upgrade(keeper->arg, actor->tenant, name, moved, moving);
}

void service_plugin_install(struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct plugin_order *order,
                            service_done *done, void *arg)
{
    const struct service_keeper *keeper = &service->keeper;
    struct moving *moving = arena_one(arena, struct moving);
    struct plugin_order whole = *order;
    struct err err;

    *moving = (struct moving){ service, arena, done, arg };
    if (keeper->plugin_install == NULL) {
        err_set(&err, CODE_R0647, "this manager keeps no clusters, and no plugins");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    whole.tenant = actor->tenant;
    whole.user = actor->user;
    keeper->plugin_install(keeper->arg, &whole, moved, moving);
}

/* ---- bundles ---- */

void service_bundle_put(struct service *service, struct arena *arena, struct text bytes,
                        service_done *done, void *arg)
{
    const struct service_keeper *keeper = &service->keeper;
    struct doc doc;
    struct err err;

    err_set(&err, CODE_R0726, "this manager keeps no clusters, and no bundles");
    if (keeper->bundle_put == NULL || !keeper->bundle_put(keeper->arg, bytes, arena, &doc, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_tell(service, arena, &doc, done, arg);
}

void service_bundle_piece(struct service *service, struct arena *arena,
                          const struct service_piece *piece, service_done *done, void *arg)
{
    const struct service_keeper *keeper = &service->keeper;
    struct doc_builder builder;
    struct doc doc;
    struct err err;
    uint64_t have;

    err_set(&err, CODE_R0726, "this manager keeps no clusters, and no bundles");
    if (keeper->bundle_piece == NULL || !keeper->bundle_piece(keeper->arg, piece, &have, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)piece->size, NULL));
    doc_builder_put(&builder, "digest", doc_text(piece->digest, NULL));
    doc_builder_put(&builder, "have", doc_int(arena, (int64_t)have, NULL));
    doc = doc_builder_map(&builder, NULL);
    service_tell(service, arena, &doc, done, arg);
}

void service_bundle(struct service *service, struct arena *arena, struct text digest,
                    service_done *done, void *arg)
{
    const struct service_keeper *keeper = &service->keeper;
    struct doc_builder builder;
    struct doc doc;
    struct err err;

    if (keeper->bundle_has == NULL || !keeper->bundle_has(keeper->arg, digest)) {
        err_set(&err, CODE_R0403, "no bundle with digest %.*s is kept here", TEXT_ARG(digest));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "digest", doc_text(digest, NULL));
    doc = doc_builder_map(&builder, NULL);
    service_tell(service, arena, &doc, done, arg);
}
