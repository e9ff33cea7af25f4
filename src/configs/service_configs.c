#include "base/limits.h"
#include "codec/json.h"
#include "model/check.h"
#include "query/query_parts.h"
#include "records/bundle_owner.h"
#include "records/configurations.h"

/* public names start with: configs_ */

/* Configuration repositories and their revisions (records/configurations.h). A revision never
 * changes. A push of the same bytes as the newest revision returns that revision. */

struct configs_request {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct text name;
    struct doc answer;
    service_done *done;
    void *arg;
};

static struct text configs_prefix(struct arena *arena, struct text tenant, const char *kind,
                                  struct text name)
{
    return arena_printf(arena, "/%.*s/%s/%.*s", TEXT_ARG(tenant), kind, TEXT_ARG(name));
}

/* The key prefix of the revisions of a configuration. */
static struct text configs_revisions(struct arena *arena, struct text tenant, struct text name)
{
    return configs_prefix(arena, tenant, CONFIGURATION_REVISION_KIND,
                          arena_printf(arena, "%.*s/", TEXT_ARG(name)));
}

static bool configs_is_stored(const struct cache_object *object)
{
    return object->parts[CACHE_BASE].bytes != NULL;
}

static void configs_refuse(const struct configs_request *request, const struct err *err)
{
    service_refuse(request->service, request->arena, err, request->done, request->arg);
}

static void configs_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const struct configs_request *request = arg;

    struct err err = answer->err;

    request->service->has_config_upgrades = true;
    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err,
                     "another change of this configuration was made first: repeat the command");
        }
        configs_refuse(request, &err);
        return;
    }
    service_report(request->service, request->arena, &request->answer, request->done, request->arg);
}

/* ---- which groups have a revision ---- */

/* Returns the display name of an object that uses a configuration: a group, or a cluster with a
 * default configuration for its groups. */
static struct text configs_user_name(const struct service *service, struct arena *arena,
                                     struct text tenant, const struct cache_object *object)
{
    struct text id = text_slice(cache_id(object), 0, text_find_byte(cache_id(object), '/'));

    if (text_is(cache_kind(object), "Cluster")) {
        return service_cluster_name(service, arena, tenant, id);
    }
    if (!text_is(cache_kind(object), "NodeGroup")) {
        return cache_id(object);
    }
    return arena_printf(arena, "%.*s/%.*s",
                        TEXT_ARG(service_cluster_name(service, arena, tenant, id)),
                        TEXT_ARG(objects_group_path(object)));
}

/* Adds the objects of one kind that have a configuration. */
static void configs_uses_add(const struct service *service, struct arena *arena, struct text tenant,
                             const char *kind, struct map *uses)
{
    struct text prefix = configs_prefix(arena, tenant, kind, TEXT(""));
    const struct cache_object *object = cache_first(service->cache, prefix);

    for (; object != NULL; object = cache_next(service->cache, prefix, object)) {
        AUTO(arena) work = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct text reference = configuration_use_of(work, object).reference;
        struct buf *names;

        if (reference.length == 0) {
            continue;
        }
        names = map_find(uses, reference);
        if (names == NULL) {
            names = arena_one(arena, struct buf);
            buf_init(names, arena);
            map_put(uses, arena_text(arena, reference), names);
        }
        buf_printf(names, "%s%.*s", names->length > 0 ? " " : "",
                   TEXT_ARG(configs_user_name(service, arena, tenant, object)));
    }
}

/* Returns a map from references NAME@rN to a struct buf with the names of the objects that use
 * them. */
static struct map configs_uses(const struct service *service, struct arena *arena,
                               struct text tenant)
{
    static const char *const kinds[] = { "Cluster", "NodeGroup", "ClusterTemplate",
                                         "NodeGroupTemplate" };
    struct map uses;

    map_init(&uses, arena);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        configs_uses_add(service, arena, tenant, kinds[i], &uses);
    }
    return uses;
}

static struct doc configs_groups_show(struct arena *arena, const struct map *uses,
                                      struct text reference)
{
    struct buf *names = map_find(uses, reference);
    struct text rest = names == NULL ? TEXT("") : buf_text(names);
    size_t count = rest.length > 0;
    struct doc *items;

    for (size_t i = 0; i < rest.length; i++) {
        count += rest.data[i] == ' ';
    }
    items = arena_array(arena, struct doc, count);
    for (size_t i = 0; i < count; i++) {
        size_t end = text_find_byte(rest, ' ');

        items[i] = doc_text(text_slice(rest, 0, end), NULL);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return doc_list(items, count, NULL);
}

/* ---- reading ---- */

/* One revision with its name and the groups that have it. */
static struct doc configs_revision_show(const struct service *service, struct arena *arena,
                                        struct text tenant, struct text name, uint64_t number,
                                        const struct map *uses)
{
    struct text reference = configuration_reference(arena, name, number);
    struct doc_builder builder;
    struct doc revision;

    if (!configuration_read(arena, service->cache, tenant, name, number, &revision)) {
        return (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < revision.entry_count; i++) {
        doc_builder_add(&builder, &revision.entries[i]);
    }
    if (uses != NULL) {
        doc_builder_put(&builder, "groups", configs_groups_show(arena, uses, reference));
    }
    doc_builder_put(&builder, "revision", doc_text(reference, NULL));
    return doc_builder_map(&builder, NULL);
}

/* The row of one configuration in a list. */
static struct doc configs_row(const struct service *service, struct arena *arena,
                              struct text tenant, struct text name, const struct map *uses)
{
    struct text prefix = configs_revisions(arena, tenant, name);
    const struct cache_object *object = cache_first(service->cache, prefix);
    uint64_t newest = configuration_newest(service->cache, tenant, name, NULL);
    struct doc_builder builder;
    int64_t revisions = 0;
    int64_t groups = 0;
    struct doc shown;

    for (; object != NULL; object = cache_next(service->cache, prefix, object)) {
        if (configs_is_stored(object)) {
            struct doc used = configs_groups_show(
                arena, uses, configuration_reference(arena, name, configuration_number_of(object)));

            revisions++;
            groups += (int64_t)used.item_count;
        }
    }
    shown = configs_revision_show(service, arena, tenant, name, newest, NULL);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "groups", doc_int(arena, groups, NULL));
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    if (doc_is_map(&shown)) {
        doc_builder_put(&builder, "newest", shown);
    }
    doc_builder_put(&builder, "revisions", doc_int(arena, revisions, NULL));
    return doc_builder_map(&builder, NULL);
}

void service_configs(struct service *service, struct arena *arena,
                     const struct service_actor *actor, service_done *done, void *arg)
{
    struct text prefix = configs_prefix(arena, actor->tenant, CONFIGURATION_KIND, TEXT(""));
    const struct cache_object *object = cache_first(service->cache, prefix);
    struct map uses = configs_uses(service, arena, actor->tenant);
    struct doc_builder builder;
    struct doc *rows = NULL;
    size_t count = 0;
    struct doc body;

    for (; object != NULL; object = cache_next(service->cache, prefix, object)) {
        count += configs_is_stored(object);
    }
    rows = arena_array(arena, struct doc, count);
    count = 0;
    for (object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        if (configs_is_stored(object)) {
            rows[count++] = configs_row(service, arena, actor->tenant,
                                        arena_text(arena, cache_id(object)), &uses);
        }
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "items", doc_list(rows, count, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

void service_config(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text name, service_done *done, void *arg)
{
    struct text prefix = configs_revisions(arena, actor->tenant, name);
    const struct cache_object *object;
    struct map uses = configs_uses(service, arena, actor->tenant);
    struct doc_builder builder;
    struct doc *rows = arena_array(arena, struct doc, LIMIT_CONFIGURATION_REVISIONS_STORED);
    size_t count = 0;
    struct doc body;
    struct err err;

    if (configuration_newest(service->cache, actor->tenant, name, NULL) == 0) {
        (void)!configuration_unknown(arena, service->cache, actor->tenant, name, 0, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    for (object = cache_first(service->cache, prefix);
         object != NULL && count < LIMIT_CONFIGURATION_REVISIONS_STORED;
         object = cache_next(service->cache, prefix, object)) {
        if (configs_is_stored(object)) {
            rows[count++] = configs_revision_show(service, arena, actor->tenant, name,
                                                  configuration_number_of(object), &uses);
        }
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    doc_builder_put(&builder, "revisions", doc_list(rows, count, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

/* Splits a reference from a request. NAME without a revision means the newest revision. */
MUST_CHECK static bool configs_find(const struct service *service, struct arena *arena,
                                    struct text tenant, struct text reference, struct text *name,
                                    uint64_t *number, struct doc *out, struct err *err)
{
    if (!configuration_reference_parse(reference, name, number)) {
        err_set(err, CODE_R0426, "'%.*s' is not a name of a configuration", TEXT_ARG(reference));
        return err_hint(err, "write NAME, or NAME@rN");
    }
    if (*number == 0) {
        *number = configuration_newest(service->cache, tenant, *name, NULL);
    }
    return (*number > 0 &&
            configuration_read(arena, service->cache, tenant, *name, *number, out)) ||
           configuration_unknown(arena, service->cache, tenant, *name, *number, err);
}

void service_config_files(struct service *service, struct arena *arena,
                          const struct service_actor *actor, struct text reference,
                          service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct doc_builder builder;
    struct doc revision;
    struct doc files;
    struct doc body;
    struct text name;
    uint64_t number;
    struct err err;

    if (!configs_find(service, arena, actor->tenant, reference, &name, &number, &revision, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    err_set(&err, CODE_R0726, "this manager stores no configurations");
    if (reconciler->config_files == NULL ||
        !reconciler->config_files(reconciler->arg, mutation_text_of(&revision, "digest"), arena,
                                  &files, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "files", files);
    doc_builder_put(&builder, "revision",
                    doc_text(configuration_reference(arena, name, number), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}

/* ---- pushing ---- */

/* True if the newest revision has this archive. If only an older revision has the archive, a new
 * revision is made, because a user who pushes earlier files again wants them to be the newest. */
static bool configs_is_newest(const struct configs_request *request, uint64_t newest,
                              struct text digest)
{
    struct doc revision;

    return newest > 0 &&
           configuration_read(request->arena, request->service->cache, request->actor.tenant,
                              request->name, newest, &revision) &&
           text_is_equal(mutation_text_of(&revision, "digest"), digest);
}

static struct doc configs_push_answer(struct arena *arena, struct text reference,
                                      struct text digest, bool is_new)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "digest", doc_text(digest, NULL));
    doc_builder_put(&builder, "new", doc_bool(is_new, NULL));
    doc_builder_put(&builder, "revision", doc_text(reference, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct text configs_json(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

/* Returns the record of a revision: the content of the archive, with author, time and reason of the
 * push. */
static struct text configs_record_make(const struct configs_request *request,
                                       const struct doc *content,
                                       const struct service_config_push *push)
{
    struct arena *arena = request->arena;
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < content->entry_count; i++) {
        doc_builder_add(&builder, &content->entries[i]);
    }
    /* in the format by which the removal of unused archives finds references */
    doc_builder_put(&builder, "archive",
                    doc_text(arena_printf(arena, "%.*s@sha256:%.*s", TEXT_ARG(request->name),
                                          TEXT_ARG(push->digest)),
                             NULL));
    doc_builder_put(&builder, "at", doc_text(service_now(request->service, arena), NULL));
    doc_builder_put(&builder, "by", doc_text(request->actor.user, NULL));
    doc_builder_put(&builder, "digest", doc_text(push->digest, NULL));
    doc_builder_put(&builder, "pinned", doc_bool(false, NULL));
    if (push->ref.length > 0) {
        doc_builder_put(&builder, "ref", doc_text(push->ref, NULL));
    }
    doc = doc_builder_map(&builder, NULL);
    return configs_json(arena, &doc);
}

/* Checks that the tenant has all secrets of the manifest. Fails with R0667 if one is missing. */
MUST_CHECK static bool configs_secrets_check(const struct configs_request *request,
                                             const struct doc *content, struct err *err)
{
    const struct doc *secrets = doc_child(content, "secrets");

    for (size_t i = 0; doc_is_map(secrets) && i < secrets->entry_count; i++) {
        struct text name =
            text_slice(secrets->entries[i].value.text, sizeof("secret://") - 1, SIZE_MAX);
        const struct cache_object *object =
            cache_find(request->service->cache, request->actor.tenant, TEXT("Secret"), name);

        if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL) {
            err_set(
                err, CODE_R0667,
                "configuration.yaml: secrets.%.*s refers to secret '%.*s', which does not exist",
                TEXT_ARG(secrets->entries[i].key), TEXT_ARG(name));
            return err_hint(err, "reeve create secret %.*s @FILE", TEXT_ARG(name));
        }
    }
    return true;
}

/* Adds a record for each bundle of the revision, which states that the tenant owns it, unless it
 * exists. */
static size_t configs_bundles_own(const struct configs_request *request, const struct doc *bundles,
                                  struct store_op *ops)
{
    struct arena *arena = request->arena;
    struct text now = service_now(request->service, arena);
    struct set seen;
    size_t count = 0;

    set_init(&seen, arena);
    for (size_t i = 0; doc_is_list(bundles) && i < bundles->item_count; i++) {
        struct text bundle = mutation_text_of(&bundles->items[i], "bundle");
        struct text digest = text_slice(bundle, text_find_byte(bundle, ':') + 1, SIZE_MAX);

        if (!bundle_owner_has(request->service->cache, request->actor.tenant, digest) &&
            set_add(&seen, digest)) {
            ops[count++] = (struct store_op){
                .key = objects_key(arena, request->actor.tenant, TEXT(BUNDLE_OWNER_KIND), digest,
                                   CACHE_BASE),
                .value = arena_printf(arena, "{\"at\":\"%.*s\",\"by\":\"%.*s\"}", TEXT_ARG(now),
                                      TEXT_ARG(request->actor.user)),
            };
        }
    }
    return count;
}

/* The number of stored revisions of a configuration, and the oldest revision that may be
 * removed. */
struct configs_stock {
    size_t count;
    struct text oldest; /* id of the oldest revision that is neither pinned nor used; empty: there
                         * is none */
};

static struct configs_stock configs_stock_take(const struct configs_request *request)
{
    const struct cache *cache = request->service->cache;
    struct arena *arena = request->arena;
    struct text prefix = configs_revisions(arena, request->actor.tenant, request->name);
    struct map uses = configs_uses(request->service, arena, request->actor.tenant);
    struct configs_stock stock = { 0 };
    const struct cache_object *object;

    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        uint64_t number = configuration_number_of(object);
        struct doc revision;

        if (!configs_is_stored(object)) {
            continue;
        }
        stock.count++;
        if (stock.oldest.length == 0 &&
            configuration_read(arena, cache, request->actor.tenant, request->name, number,
                               &revision) &&
            !text_is(mutation_text_of(&revision, "pinned"), "true") &&
            map_find(&uses, configuration_reference(arena, request->name, number)) == NULL) {
            stock.oldest = arena_text(arena, cache_id(object));
        }
    }
    return stock;
}

/* Adds the removal of the oldest revision if there are too many. */
static size_t configs_oldest_remove(const struct configs_request *request,
                                    const struct configs_stock *stock, struct store_op *ops)
{
    if (stock->count < LIMIT_CONFIGURATION_REVISIONS || stock->oldest.length == 0) {
        return 0;
    }
    ops[0] = (struct store_op){
        .key = objects_key(request->arena, request->actor.tenant, TEXT(CONFIGURATION_REVISION_KIND),
                           stock->oldest, CACHE_BASE),
        .is_delete = true,
    };
    return 1;
}

/* Writes the next revision: its record, the head of the configuration, and the ownership of its
 * bundles. */
static void configs_revision_write(struct configs_request *request, const struct doc *content,
                                   const struct configs_stock *stock,
                                   const struct service_config_push *push)
{
    struct service *service = request->service;
    struct arena *arena = request->arena;
    const struct doc *bundles = doc_child(content, "bundles");
    size_t room = 3 + (doc_is_list(bundles) ? bundles->item_count : 0);
    struct store_op *ops = arena_array(arena, struct store_op, room);
    struct store_compare compare;
    struct store_event event;
    uint64_t number = configuration_newest(service->cache, request->actor.tenant, request->name,
                                           &compare.revision) +
                      1;
    struct text reference = configuration_reference(arena, request->name, number);
    size_t count = 0;

    compare.key = objects_key(arena, request->actor.tenant, TEXT(CONFIGURATION_KIND), request->name,
                              CACHE_BASE);
    ops[count++] = (struct store_op){
        .key = compare.key,
        .value = configuration_head(
            arena, number,
            configuration_upgraded(service->cache, request->actor.tenant, request->name)),
    };
    ops[count++] = (struct store_op){
        .key = objects_key(arena, request->actor.tenant, TEXT(CONFIGURATION_REVISION_KIND),
                           configuration_revision_id(arena, request->name, number), CACHE_BASE),
        .value = configs_record_make(request, content, push),
    };
    count += configs_oldest_remove(request, stock, &ops[count]);
    count += configs_bundles_own(request, bundles, &ops[count]);
    event = service_event(
        service, arena, &request->actor,
        &(struct service_event){ .type = "config.pushed", .fact = reference, .why = push->ref });
    request->answer = configs_push_answer(arena, reference, push->digest, true);
    service_txn(service, arena, &request->actor,
                &(struct store_txn){ &compare, 1, ops, count, &event, 1 }, configs_written,
                request);
}

static struct configs_request *configs_request_new(struct service *service, struct arena *arena,
                                                   const struct service_actor *actor,
                                                   struct text name, service_done *done, void *arg)
{
    struct configs_request *request = arena_one(arena, struct configs_request);

    *request = (struct configs_request){ .service = service,
                                         .arena = arena,
                                         .actor = *actor,
                                         .name = arena_text(arena, name),
                                         .done = done,
                                         .arg = arg };
    return request;
}

/* Checks a reference for control characters, because it is shown on terminals. */
MUST_CHECK static bool configs_ref_check(struct text ref, struct err *err)
{
    bool is_good = ref.length <= LIMIT_WHY_BYTES;

    for (size_t i = 0; is_good && i < ref.length; i++) {
        is_good = (unsigned char)ref.data[i] >= ' ' && ref.data[i] != 0x7f;
    }
    return is_good ||
           err_set(err, CODE_R0429, "ref is not one line of at most %d bytes", LIMIT_WHY_BYTES);
}

/* Checks that this tenant has sent the archive, because knowing the digest of another tenant's
 * archive must give no access to it. */
MUST_CHECK static bool configs_is_sent(const struct configs_request *request, struct text digest,
                                       struct err *err)
{
    const struct service *service = request->service;

    if (service->reconciler.config_read == NULL) {
        return err_set(err, CODE_R0726, "this manager stores no configurations");
    }
    if (!bundle_owner_has(service->cache, request->actor.tenant, digest)) {
        err_set(err, CODE_R0732, "the archive %.*s was not sent", TEXT_ARG(digest));
        return err_hint(err, "reeve config push DIR --name NAME sends it; with the API: POST "
                             "/v1/archives/DIGEST");
    }
    return true;
}

void service_config_push(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_config_push *push,
                         service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct configs_request *request =
        configs_request_new(service, arena, actor, push->name, done, arg);
    struct service_answer refused = { 0 };
    struct configs_stock stock;
    struct err_list errors;
    struct doc content;
    uint64_t newest;
    struct err err;

    if (!check_object_name(push->name, &err) || !check_sha256(push->digest, &err) ||
        !configs_ref_check(push->ref, &err) || !configs_is_sent(request, push->digest, &err)) {
        configs_refuse(request, &err);
        return;
    }
    err_list_init(&errors, arena);
    if (!reconciler->config_read(reconciler->arg, push->digest, arena, &content, &errors)) {
        refused.errors = &errors;
        done(arg, &refused);
        return;
    }
    if (!configs_secrets_check(request, &content, &err)) {
        configs_refuse(request, &err);
        return;
    }
    newest = configuration_newest(service->cache, actor->tenant, request->name, NULL);
    if (configs_is_newest(request, newest, push->digest)) {
        request->answer = configs_push_answer(
            arena, configuration_reference(arena, request->name, newest), push->digest, false);
        service_report(service, arena, &request->answer, done, arg);
        return;
    }
    stock = configs_stock_take(request);
    if (stock.count >= LIMIT_CONFIGURATION_REVISIONS_STORED && stock.oldest.length == 0) {
        err_set(&err, CODE_R0320, "configuration '%.*s' already has %zu revisions",
                TEXT_ARG(request->name), stock.count);
        err_hint(&err, "all are pinned or used by groups: reeve config pin NAME@rN --unpin");
        configs_refuse(request, &err);
        return;
    }
    configs_revision_write(request, &content, &stock, push);
}

/* ---- pinning and removing ---- */

void service_config_pin(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text reference, bool is_pinned,
                        service_done *done, void *arg)
{
    struct configs_request *request =
        configs_request_new(service, arena, actor, TEXT(""), done, arg);
    const struct cache_object *object;
    struct store_compare compare;
    struct store_event event;
    struct doc_builder builder;
    struct doc revision;
    struct doc changed;
    struct store_op op;
    struct text id;
    uint64_t number;
    struct err err;

    if (!configs_find(service, arena, actor->tenant, reference, &request->name, &number, &revision,
                      &err)) {
        configs_refuse(request, &err);
        return;
    }
    id = configuration_revision_id(arena, request->name, number);
    object = cache_find(service->cache, actor->tenant, TEXT(CONFIGURATION_REVISION_KIND), id);
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < revision.entry_count; i++) {
        if (!text_is(revision.entries[i].key, "pinned")) {
            doc_builder_add(&builder, &revision.entries[i]);
        }
    }
    doc_builder_put(&builder, "pinned", doc_bool(is_pinned, NULL));
    changed = doc_builder_map(&builder, NULL);
    compare.key =
        objects_key(arena, actor->tenant, TEXT(CONFIGURATION_REVISION_KIND), id, CACHE_BASE);
    compare.revision = object->parts[CACHE_BASE].revision;
    op = (struct store_op){ .key = compare.key, .value = configs_json(arena, &changed) };
    event = service_event(
        service, arena, actor,
        &(struct service_event){ .type = is_pinned ? "config.pinned" : "config.unpinned",
                                 .fact = configuration_reference(arena, request->name, number) });
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "pinned", doc_bool(is_pinned, NULL));
    doc_builder_put(&builder, "revision",
                    doc_text(configuration_reference(arena, request->name, number), NULL));
    request->answer = doc_builder_map(&builder, NULL);
    service_txn(service, arena, &request->actor,
                &(struct store_txn){ &compare, 1, &op, 1, &event, 1 }, configs_written, request);
}

/* Lists the revisions that may be removed, oldest first, but not the newest `keep`. */
static size_t configs_removable(const struct configs_request *request, uint64_t keep,
                                uint64_t *numbers)
{
    const struct cache *cache = request->service->cache;
    struct arena *arena = request->arena;
    struct text prefix = configs_revisions(arena, request->actor.tenant, request->name);
    struct map uses = configs_uses(request->service, arena, request->actor.tenant);
    const struct cache_object *object;
    uint64_t *all = arena_array(arena, uint64_t, LIMIT_CONFIGURATION_REVISIONS_STORED);
    size_t count = 0;
    size_t removable = 0;

    for (object = cache_first(cache, prefix);
         object != NULL && count < LIMIT_CONFIGURATION_REVISIONS_STORED;
         object = cache_next(cache, prefix, object)) {
        if (configs_is_stored(object)) {
            all[count++] = configuration_number_of(object);
        }
    }
    for (size_t i = 0; i + keep < count; i++) {
        struct doc revision;

        if (configuration_read(arena, cache, request->actor.tenant, request->name, all[i],
                               &revision) &&
            !text_is(mutation_text_of(&revision, "pinned"), "true") &&
            map_find(&uses, configuration_reference(arena, request->name, all[i])) == NULL) {
            numbers[removable++] = all[i];
        }
    }
    return removable;
}

void service_config_gc(struct service *service, struct arena *arena,
                       const struct service_actor *actor, struct text name, uint64_t keep,
                       bool is_dry, service_done *done, void *arg)
{
    /* limit of one transaction; the next call removes the rest */
    enum { REMOVED_MAX = 50 };
    struct configs_request *request = configs_request_new(service, arena, actor, name, done, arg);
    uint64_t *numbers = arena_array(arena, uint64_t, LIMIT_CONFIGURATION_REVISIONS_STORED);
    struct store_compare *compares;
    struct doc_builder builder;
    struct store_event event;
    struct store_op *ops;
    struct doc *items;
    size_t count;
    struct err err;

    if (configuration_newest(service->cache, actor->tenant, name, NULL) == 0) {
        (void)!configuration_unknown(arena, service->cache, actor->tenant, name, 0, &err);
        configs_refuse(request, &err);
        return;
    }
    count = configs_removable(request, keep < 1 ? 1 : keep, numbers);
    count = count > REMOVED_MAX && !is_dry ? REMOVED_MAX : count;
    compares = arena_array(arena, struct store_compare, count);
    ops = arena_array(arena, struct store_op, count);
    items = arena_array(arena, struct doc, count);
    for (size_t i = 0; i < count; i++) {
        ops[i] = (struct store_op){
            .key = objects_key(arena, actor->tenant, TEXT(CONFIGURATION_REVISION_KIND),
                               configuration_revision_id(arena, name, numbers[i]), CACHE_BASE),
            .is_delete = true,
        };
        /* a revision that is pinned in the meantime is not removed */
        compares[i] = (struct store_compare){
            .key = ops[i].key,
            .revision = cache_find(service->cache, actor->tenant, TEXT(CONFIGURATION_REVISION_KIND),
                                   configuration_revision_id(arena, name, numbers[i]))
                            ->parts[CACHE_BASE]
                            .revision,
        };
        items[i] = doc_text(configuration_reference(arena, request->name, numbers[i]), NULL);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "removed", doc_list(items, count, NULL));
    request->answer = doc_builder_map(&builder, NULL);
    if (is_dry || count == 0) {
        service_report(service, arena, &request->answer, done, arg);
        return;
    }
    event = service_event(
        service, arena, actor,
        &(struct service_event){ .type = "config.removed", .fact = request->name, .count = count });
    service_txn(service, arena, &request->actor,
                &(struct store_txn){ compares, count, ops, count, &event, 1 }, configs_written,
                request);
}
