#include "query/query_parts.h"
#include "records/bundle_owner.h"

/* public names start with: service_ */

/* Requests about plugins and bundles; the controller has their data. */

static struct doc plugins_list(struct service *service, struct arena *arena, struct text tenant)
{
    const struct service_controller *reconciler = &service->reconciler;

    return reconciler->plugins_show == NULL
               ? doc_list(NULL, 0, NULL)
               : reconciler->plugins_show(reconciler->arg, arena, tenant);
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
            service_report(service, arena, &list.items[i], done, arg);
            return;
        }
    }
    if (name.length > 0) {
        err_set(&err, CODE_R0611, "there is no plugin '%.*s' here", TEXT_ARG(name));
        err_hint(&err, "reeve get plugins lists the installed plugins");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    if (service->reconciler.accounts_show != NULL) {
        doc_builder_put(
            &builder, "accounts",
            service->reconciler.accounts_show(service->reconciler.arg, arena, actor->tenant));
    }
    if (service->reconciler.fetch_show != NULL) {
        doc_builder_put(&builder, "fetch",
                        service->reconciler.fetch_show(service->reconciler.arg, arena));
    }
    doc_builder_put(&builder, "items", list);
    if (service->reconciler.manager_show != NULL) {
        doc_builder_put(&builder, "manager",
                        service->reconciler.manager_show(service->reconciler.arg, arena));
    }
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
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
        service_report(moving->service, moving->arena, doc, moving->done, moving->arg);
    }
}

void service_plugin_upgrade(struct service *service, struct arena *arena,
                            const struct service_actor *actor, struct text name, service_done *done,
                            void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct moving *moving = arena_one(arena, struct moving);
    struct err err;

    *moving = (struct moving){ service, arena, done, arg };
    if (reconciler->plugin_upgrade == NULL) {
        err_set(&err, CODE_R0647, "this manager reconciles no clusters, and fetches no plugins");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    reconciler->plugin_upgrade(reconciler->arg, actor->tenant, name, moved, moving);
}

void service_plugin_install(struct service *service, struct arena *arena,
                            const struct service_actor *actor, const struct plugin_order *order,
                            service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct moving *moving = arena_one(arena, struct moving);
    struct plugin_order whole = *order;
    struct err err;

    *moving = (struct moving){ service, arena, done, arg };
    if (reconciler->plugin_install == NULL) {
        err_set(&err, CODE_R0647, "this manager reconciles no clusters, and has no plugins");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    whole.tenant = actor->tenant;
    whole.user = actor->user;
    reconciler->plugin_install(reconciler->arg, &whole, moved, moving);
}

/* ---- bundles ---- */

/* An archive that the tenant will own, and the answer to its sender. */
struct owning {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void owned(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct owning *owning = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(owning->service, owning->arena, &answer->err, owning->done, owning->arg);
        return;
    }
    service_report(owning->service, owning->arena, &owning->answer, owning->done, owning->arg);
}

/* Records that the tenant owns an archive, which it has sent completely, and answers. An existing
 * record stays. */
static void service_archive_own(struct service *service, struct arena *arena,
                                const struct service_actor *actor, struct text digest,
                                const struct doc *answer, service_done *done, void *arg)
{
    struct owning *owning = arena_one(arena, struct owning);
    struct text now = service_now(service, arena);
    struct store_event event;
    struct store_op op;

    *owning = (struct owning){ service, arena, *answer, done, arg };
    if (bundle_owner_has(service->cache, actor->tenant, digest)) {
        service_report(service, arena, answer, done, arg);
        return;
    }
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, TEXT(BUNDLE_OWNER_KIND), digest, CACHE_BASE),
        .value = arena_printf(arena, "{\"at\":\"%.*s\",\"by\":\"%.*s\"}", TEXT_ARG(now),
                              TEXT_ARG(actor->user)),
    };
    event = service_event(service, arena, actor,
                          &(struct service_event){ .type = "bundle.kept", .fact = digest });
    service_txn(service, arena, actor, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, owned,
                owning);
}

void service_bundle_put(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text bytes, service_done *done,
                        void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct doc doc;
    struct err err;

    err_set(&err, CODE_R0726, "this manager reconciles no clusters, and stores no bundles");
    if (reconciler->bundle_put == NULL ||
        !reconciler->bundle_put(reconciler->arg, bytes, arena, &doc, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    service_archive_own(service, arena, actor, mutation_text_of(&doc, "digest"), &doc, done, arg);
}

void service_bundle_piece(struct service *service, struct arena *arena,
                          const struct service_actor *actor, const struct service_piece *piece,
                          service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct service_piece taken = *piece;
    struct doc_builder builder;
    struct doc doc;
    struct err err;
    uint64_t have;

    taken.tenant = actor->tenant;
    taken.is_owned = bundle_owner_has(service->cache, actor->tenant, piece->digest);
    err_set(&err, CODE_R0726, "this manager reconciles no clusters, and stores no archives");
    if (reconciler->bundle_piece == NULL ||
        !reconciler->bundle_piece(reconciler->arg, &taken, &have, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)piece->size, NULL));
    doc_builder_put(&builder, "digest", doc_text(piece->digest, NULL));
    doc_builder_put(&builder, "have", doc_int(arena, (int64_t)have, NULL));
    doc = doc_builder_map(&builder, NULL);
    if (have == piece->size) {
        service_archive_own(service, arena, actor, piece->digest, &doc, done, arg);
    } else {
        service_report(service, arena, &doc, done, arg);
    }
}

static bool is_plugins_kept(const struct service *service, struct text digest)
{
    return service->reconciler.bundle_has != NULL &&
           service->reconciler.bundle_has(service->reconciler.arg, digest);
}

static struct doc digest_show(struct arena *arena, struct text digest)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "digest", doc_text(digest, NULL));
    return doc_builder_map(&builder, NULL);
}

/* if only other tenants own a bundle, it counts as missing */
void service_bundle(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text digest, service_done *done, void *arg)
{
    struct doc doc;
    struct err err;

    if (!bundle_owner_may_use(service->cache, actor->tenant, digest) ||
        !is_plugins_kept(service, digest)) {
        err_set(&err, CODE_R0403, "no bundle with digest %.*s is stored here", TEXT_ARG(digest));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc = digest_show(arena, digest);
    service_report(service, arena, &doc, done, arg);
}

void service_bundle_share(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text digest, service_done *done,
                          void *arg)
{
    struct doc doc;
    struct err err;

    if (!is_plugins_kept(service, digest)) {
        err_set(&err, CODE_R0403, "no bundle with digest %.*s is stored here", TEXT_ARG(digest));
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc = digest_show(arena, digest);
    service_archive_own(service, arena, actor, digest, &doc, done, arg);
}
