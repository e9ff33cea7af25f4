#include "base/limits.h"
#include "change/change_patch.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "records/bundle_owner.h"
#include "service/service_parts.h"
#include "volumes/effects.h"

#include <assert.h>

/* A change passes through these steps, from the request to the answer:
 *
 *     compute -> rejected with errors | nothing to do | reported (dry run) | saved as a plan
 *             -> written -> visible in the cache -> answered
 *                       -> another writer was faster: wait for its change -> compute again */

static void mutation_row_add(struct mutation_row *row, struct mutation *mutation)
{
    mutation->next = NULL;
    if (row->first == NULL) {
        row->last = &row->first;
    }
    *row->last = mutation;
    row->last = &mutation->next;
}

static void wait_for(struct mutation *mutation, uint64_t revision)
{
    mutation->wanted = revision;
    mutation_row_add(&mutation->service->waiting, mutation);
}

/* How long a change waits until another manager has ended its change of the same subjects. If that
 * manager fails, this manager completes its change (service_parted.c). Clients wait longer than
 * this, so they receive an answer with the reason. */
enum { PARTED_WAIT_MS = LIMIT_SESSION_TTL_MS + 5000 };

/* ---- memory of an attempt ---- */

enum { WORK_FIRST_BYTES = 128 * 1024 }; /* enough for a change of one group, with a margin */

static void work_end(struct mutation *mutation)
{
    struct service *service = mutation->service;

    if (mutation->work != NULL && service->spare == NULL) {
        arena_clear(mutation->work);
        service->spare = mutation->work;
    } else {
        arena_free(mutation->work);
    }
    mutation->work = NULL;
    mutation->machines = (struct mutation_machines){ 0 };
}

static void mutation_work_begin(struct mutation *mutation)
{
    struct service *service = mutation->service;

    work_end(mutation);
    mutation->work = service->spare != NULL
                         ? service->spare
                         : arena_new_wide(LIMIT_WORK_ARENA_BYTES, WORK_FIRST_BYTES);
    mutation->reported = (struct mutation_notice){ 0 };
    mutation->machines = (struct mutation_machines){ 0 };
    service->spare = NULL;
}

/* Free the memory of the attempt, except the answer, when the transaction has been sent. Many
 * changes may wait for one sync of the disk; the next change can reuse this memory while it is
 * still in the processor's cache. */
static void work_let_go(struct mutation *mutation)
{
    mutation->reported = mutation_notice_make(mutation);
    mutation->change = (struct change){ .object_count = mutation->change.object_count };
    work_end(mutation);
}

/* ---- answers ---- */

/* End the change with an answer; its body may be empty. */
static void answer_end(struct mutation *mutation, struct text body)
{
    struct service_answer answer = {
        .errors = &mutation->errors,
        .body = body,
        .revision = cache_revision(mutation->service->cache),
        .location = mutation->request.single,
        .is_made = mutation->is_written && mutation->makes,
    };

    work_end(mutation);
    mutation->done(mutation->arg, &answer);
}

static void mutation_answer_give(struct mutation *mutation, const struct doc *body)
{
    struct text bytes = { 0 };
    struct buf buf;

    if (body != NULL) {
        buf_init(&buf, mutation->arena);
        json_format(&buf, body);
        bytes = buf_text(&buf);
    }
    answer_end(mutation, bytes);
}

static void answer_error(struct mutation *mutation, const struct err *err, const struct doc *body)
{
    err_list_add(&mutation->errors, err);
    mutation_answer_give(mutation, body);
}

static void mutation_answer_report(struct mutation *mutation)
{
    struct doc body;

    if (mutation->reported.head.length > 0) {
        answer_end(mutation, mutation_reported_text(mutation));
        return;
    }
    body = mutation_answer(mutation);
    mutation_answer_give(mutation, &body);
}

/* ---- consent ---- */

MUST_CHECK static bool is_mutation_within(uint64_t needed, uint64_t allowed, const char *what,
                                          struct err *err)
{
    if (needed <= allowed) {
        return true;
    }
    err_set(err, CODE_R0405, "the change would %s %llu, but only %llu are allowed", what,
            (unsigned long long)needed, (unsigned long long)allowed);
    return err_hint(err, "look at the plan, then allow the change: --allow %s=%llu", what,
                    (unsigned long long)needed);
}

/* False if the change deletes a paused object and the request does not allow that. */
MUST_CHECK static bool is_lifted(const struct mutation *mutation, struct err *err)
{
    const struct doc *lifts = &mutation->change.lifts;
    const struct doc *first = lifts->items;
    struct text kind;
    struct text by;

    if (mutation->change.needs.lift <= mutation->request.allow.lift) {
        return true;
    }
    kind = mutation_text_of(first, "kind");
    by = mutation_text_of(first, "by");
    err_set(err, CODE_R0437, "%s '%.*s' is paused%s%.*s: this change would end the pause",
            schema_kind_find(kind)->singular, TEXT_ARG(mutation_text_of(first, "name")),
            by.length > 0 ? " by " : "", TEXT_ARG(by));
    return err_hint(
        err,
        "the plan shows who paused the object, and why; then allow the change: allow=lift:%llu",
        (unsigned long long)mutation->change.needs.lift);
}

MUST_CHECK static bool is_allowed(struct mutation *mutation, struct err *err)
{
    const struct change_needs *needs = &mutation->change.needs;
    const struct service_allow *allow = &mutation->request.allow;

    return is_lifted(mutation, err) &&
           is_mutation_within(needs->destroy, allow->destroy, "destroy", err) &&
           is_mutation_within(needs->replace, allow->replace, "replace", err) &&
           is_mutation_within(needs->reboot, allow->reboot, "reboot", err) &&
           is_mutation_within(needs->rename, allow->rename, "rename", err) &&
           mutation_reruns_agreed(mutation, err);
}

/* ---- after writing ---- */

static void fault_lost(struct mutation *mutation)
{
    struct err err;

    err_set(&err, CODE_R0401, "other requests keep changing the same objects");
    err_hint(&err, "try again");
    answer_error(mutation, &err, NULL);
}

static void mutation_operation_end(struct mutation *mutation)
{
    struct service *service = mutation->service;

    if (mutation->is_large) {
        assert(service->operations > 0);
        service->operations--;
        mutation->is_large = false;
    }
}

static void mutation_write(struct mutation *mutation);

static void mutation_written(void *arg, const struct commit_answer *answer)
{
    struct mutation *mutation = arg;
    struct err err = answer->err;

    mutation_operation_end(mutation);
    if (answer->outcome == OUTCOME_OK && mutation->batch_end < mutation->change.object_count) {
        mutation->batch = mutation->batch_end;
        mutation_write(mutation);
        return;
    }
    if (answer->outcome == OUTCOME_OK) {
        mutation->is_written = true;
        wait_for(mutation, answer->revision);
        return;
    }
    if (answer->outcome == OUTCOME_UNKNOWN) {
        err_set(&err, CODE_R0542, "it is not known whether the change was made");
        err_hint(&err, "read the object again; the same Idempotency-Key makes it at most once");
        answer_error(mutation, &err, NULL);
        return;
    }
    if (err.code != CODE_R0502) {
        answer_error(mutation, &err, NULL);
    } else if (++mutation->tries >= LIMIT_CHANGE_TRIES) {
        fault_lost(mutation);
    } else {
        wait_for(mutation, answer->revision);
    }
}

/* ---- computing ---- */

static bool is_same_request(const struct mutation *mutation, struct text mark)
{
    struct text hash;
    struct text now =
        arena_printf(mutation->arena, "\"%016llx\"", (unsigned long long)mutation_hash(mutation));

    return json_member_find(mark, TEXT("hash"), &hash) && text_is_equal(hash, now);
}

static bool is_mutation_repeated(struct mutation *mutation)
{
    const struct cache_object *entry;
    struct service_answer answer = { .errors = &mutation->errors };

    if (mutation->request.idempotency_key.length == 0) {
        return false;
    }
    entry = cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Request"),
                       mutation->request.idempotency_key);
    if (entry == NULL || entry->parts[CACHE_BASE].bytes == NULL) {
        return false;
    }
    if (!json_member_find(blob_text(entry->parts[CACHE_BASE].bytes), TEXT("answer"),
                          &answer.body)) {
        return false;
    }
    if (!is_same_request(mutation, blob_text(entry->parts[CACHE_BASE].bytes))) {
        struct err err;

        err_set(&err, CODE_R0412, "the Idempotency-Key '%.*s' was used for another request",
                TEXT_ARG(mutation->request.idempotency_key));
        err_hint(&err, "use a new key for each request, and the same key only to repeat it");
        answer_error(mutation, &err, NULL);
        return true;
    }
    answer.body = arena_text(mutation->arena, answer.body);
    answer.revision = cache_revision(mutation->service->cache);
    answer.location = mutation->request.single;
    mutation->done(mutation->arg, &answer);
    return true;
}

/* Return the current state of the single object of the request, or of its group if the request is
 * about a group only. NULL if there is none. */
static const struct cache_object *mutation_named_find(struct mutation *mutation)
{
    const struct service_change *request = &mutation->request;
    const struct change_object *object = &mutation->change.objects[0];
    const struct cache *cache = mutation->service->cache;
    const struct doc *kind;
    const struct doc *cluster;
    const struct doc *name;

    kind = request->document_count == 1 ? doc_child(&request->documents[0], "kind") : NULL;
    if (!doc_is_scalar(kind) || !text_is(kind->text, "NodeGroup")) {
        return cache_find(cache, mutation->actor.tenant, text_from(object->kind->name), object->id);
    }
    cluster = doc_child(&request->documents[0], "cluster");
    name = doc_child(&request->documents[0], "name");
    return objects_find(
        cache, mutation->actor.tenant, objects_kind("NodeGroup"),
        arena_printf(mutation->work, "%.*s/%.*s", TEXT_ARG(cluster->text), TEXT_ARG(name->text)));
}

/* True if the object in the request still has the revision that the sender last read. */
static bool is_matching(struct mutation *mutation)
{
    const struct change *change = &mutation->change;
    const struct cache_object *named;
    uint64_t revision;
    struct err err;

    if (mutation->request.if_match == 0 || change->object_count != 1) {
        return true;
    }
    named = mutation_named_find(mutation);
    revision = named == NULL ? 0 : named->parts[CACHE_SPEC].revision;
    if (revision == mutation->request.if_match) {
        return true;
    }
    err_set(&err, CODE_R0401,
            "%s '%.*s' was changed in the meantime: it is at revision %llu, not %llu",
            change->objects[0].kind->singular, TEXT_ARG(change->objects[0].name),
            (unsigned long long)revision, (unsigned long long)mutation->request.if_match);
    err_note(&err, "by %.*s, %.*s", TEXT_ARG(change->objects[0].old_stored.part.meta.by),
             TEXT_ARG(change->objects[0].old_stored.part.meta.updated));
    err_hint(&err, "read it again and make the change on the current object");
    answer_error(mutation, &err, NULL);
    return false;
}

/* True if the change may write protected objects. The request must then contain the revision that
 * the sender last read. */
static bool is_seen(struct mutation *mutation)
{
    const struct service_change *request = &mutation->request;
    struct err err;

    if (!request->is_unpinned || request->is_dry_run || !mutation->change.is_protected) {
        return true;
    }
    err_set(&err, CODE_R0432, "%s '%.*s' is protected: state the revision that you have read",
            mutation->change.objects[0].kind->singular, TEXT_ARG(mutation->change.objects[0].name));
    err_hint(&err, "send the ETag of the GET answer as If-Match");
    answer_error(mutation, &err, NULL);
    return false;
}

/* Return the first pin that the other list lacks; NULL: it has all of them. Pins of missing objects
 * are skipped: a new object gets a new id in each attempt, and an object that has been created
 * since then has a pin in the other list. */
static const struct store_compare *pin_missing(const struct store_compare *pins, size_t count,
                                               const struct store_compare *others,
                                               size_t other_count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_found = pins[i].revision == 0;

        for (size_t j = 0; j < other_count && !is_found; j++) {
            is_found =
                pins[i].revision == others[j].revision && text_is_equal(pins[i].key, others[j].key);
        }
        if (!is_found) {
            return &pins[i];
        }
    }
    return NULL;
}

/* Name the object of a key as users know it: "cluster 'shop'", "nodegroup 'shop/web'". */
static struct text mutation_key_words(const struct mutation *mutation, struct text key)
{
    struct arena *arena = mutation->work;
    struct text tenant = text_slice(key, 1, SIZE_MAX);
    struct text kind;
    struct text id;
    struct text first;
    struct text name;
    const struct schema_kind *row;

    tenant = text_slice(tenant, 0, text_find_byte(tenant, '/'));
    kind = text_slice(key, tenant.length + 2, SIZE_MAX);
    kind = text_slice(kind, 0, text_find_byte(kind, '/'));
    id = text_slice(key, tenant.length + kind.length + 3, SIZE_MAX);
    while (id.length > 0 && id.data[id.length - 1] != '/') {
        id.length--; /* skip the last part of the key, which identifies the object */
    }
    id.length -= id.length > 0;
    if (text_is(kind, "Name")) { /* the key is /TENANT/Name/Cluster/NAME */
        return arena_printf(arena, "the name '%.*s'",
                            TEXT_ARG(text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX)));
    }
    first = text_slice(id, 0, text_find_byte(id, '/'));
    name = objects_cluster_name(mutation->service->cache, arena, tenant, first);
    row = schema_kind_find(kind);
    return name.length == 0
               ? arena_printf(arena, "%s '%.*s'", row == NULL ? "what is named" : row->singular,
                              TEXT_ARG(id))
               : arena_printf(arena, "%s '%.*s%.*s'", row == NULL ? "cluster" : row->singular,
                              TEXT_ARG(name), TEXT_ARG(text_slice(id, first.length, SIZE_MAX)));
}

/* True if the pins of the saved plan are still valid and the change has no other pins. */
static bool is_mutation_pinned(struct mutation *mutation)
{
    const struct mutation_pins *pins = mutation->pins;
    const struct change *change = &mutation->change;
    const struct store_compare *moved;
    struct err err;

    if (pins == NULL) {
        return true;
    }
    moved = pin_missing(pins->items, pins->count, change->pins, change->pin_count);
    if (moved == NULL) {
        moved = pin_missing(change->pins, change->pin_count, pins->items, pins->count);
    }
    if (moved == NULL) {
        return true;
    }
    err_set(&err, CODE_R0408, "the plan was made for another state: %.*s has changed",
            TEXT_ARG(mutation_key_words(mutation, moved->key)));
    err_hint(&err, "make the plan again");
    answer_error(mutation, &err, NULL);
    return false;
}

/* Build the document of a patched object: its current state with the patch applied. */
MUST_CHECK static bool patch_lay(struct mutation *mutation, struct err *err)
{
    const struct service_patch *request = mutation->patch;
    struct service *service = mutation->service;
    struct change_patched *patched;
    struct change_patch patch;

    if (request == NULL) {
        return true;
    }
    patch = (struct change_patch){ request->patch_kind, mutation->actor.tenant, request->kind,
                                   request->name, request->patch };
    patched = arena_one(mutation->work, struct change_patched);
    if (!change_patch_lay(mutation->work, service->cache,
                          mutation->request.is_refreshing_from ? NULL : service->names, &patch,
                          patched, err) ||
        !mutation_vars_lay(mutation, &patched->document, err)) {
        return false;
    }
    mutation->request.documents = &patched->document;
    mutation->request.document_count = 1;
    mutation->known = &patched->known;
    return true;
}

/* True if a bundle is stored and the tenant may use it. */
static bool mutation_bundle_has(void *arg, struct text digest)
{
    const struct mutation *mutation = arg;
    const struct service *service = mutation->service;

    return bundle_owner_may_use(service->cache, mutation->actor.tenant, digest) &&
           service->reconciler.bundle_has(service->reconciler.arg, digest);
}

static void change_compute(struct mutation *mutation)
{
    struct service *service = mutation->service;
    struct change_request request = {
        .tenant = mutation->actor.tenant,
        .reach = mutation->actor.reach,
        .by = mutation->actor.user,
        .why = mutation->request.why,
        .now = service_now(service, mutation->work),
        .mode = mutation->request.mode,
        .documents = mutation->request.documents,
        .document_count = mutation->request.document_count,
        .takes = mutation->request.takes,
        .take_count = mutation->request.take_count,
        .is_refreshing_from = mutation->request.is_refreshing_from,
        .is_rewriting_groups = mutation->request.replaces.length +
                                   mutation->request.reboots.length +
                                   mutation->request.commissions.length >
                               0,
        .restores = mutation->restores,
        .bundles = mutation->request.is_dry_run ? mutation->request.bundles : NULL,
        .bundle_count = mutation->request.is_dry_run ? mutation->request.bundle_count : 0,
        .bundle_has = service->reconciler.bundle_has == NULL ? NULL : mutation_bundle_has,
        .bundle_arg = mutation,
        .can_miss_plugins = mutation->request.can_miss_plugins,
        .names = service->names,
        .known = mutation->known,
        .plugins = service->reconciler.plugins,
        .plugins_show = service->reconciler.plugins_show,
        .plugins_arg = service->reconciler.arg,
        .id_make = service->ports.id_make,
        .id_arg = service->ports.arg,
    };

    err_list_init(&mutation->errors, mutation->arena);
    mutation->change = change_make(mutation->work, service->cache, &request, &mutation->errors);
    mutation->makes = false;
    for (size_t i = 0; i < mutation->change.object_count; i++) {
        mutation->makes = mutation->makes || mutation->change.objects[i].revision == 0;
    }
}

static void mutation_escaped(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)outcome;
    answer_error(arg, &answer->err, NULL);
}

/* True if it is not too late to begin the request. A manager that was suspended during a request
 * must not begin it later: the sender has received no answer, and may have acted on that. A partly
 * written change is always completed. */
MUST_CHECK static bool is_timely(const struct mutation *mutation, struct err *err)
{
    const struct service_ports *ports = &mutation->service->ports;
    int64_t age_ms = ports->wall_ms(ports->arg) - mutation->begun_ms;

    if (mutation->batch > 0 || age_ms <= LIMIT_CHANGE_AGE_MS) {
        return true;
    }
    err_set(err, CODE_R0577,
            "this request arrived %lld s ago, and could not be written in that time",
            (long long)(age_ms / 1000));
    return err_hint(err, "check the current state, and make the change again if it is still "
                         "needed");
}

static void mutation_write(struct mutation *mutation)
{
    struct service *service = mutation->service;
    struct err err;

    if (!is_timely(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }

    mutation_commit_make(mutation);
    if (!service_commit(service, mutation->arena, &mutation->actor, &mutation->commit,
                        mutation_written, mutation_escaped, mutation)) {
        return;
    }
    service->operations += mutation->is_large;
    if (!mutation->is_large && mutation->batch_end == mutation->change.object_count) {
        work_let_go(mutation);
    }
}

static void plan_saved(void *arg, const struct commit_answer *answer)
{
    struct mutation *mutation = arg;

    if (answer->outcome != OUTCOME_OK) {
        answer_error(mutation, &answer->err, NULL);
        return;
    }
    mutation->is_written = true;
    wait_for(mutation, answer->revision);
}

struct mutation *mutation_new(struct service *service, struct arena *arena,
                              const struct service_actor *actor,
                              const struct service_change *change, service_done *done, void *arg)
{
    struct mutation *mutation = arena_one(arena, struct mutation);

    *mutation = (struct mutation){
        .service = service,
        .arena = arena,
        .actor = *actor,
        .request = *change,
        .begun_ms = service->ports.wall_ms(service->ports.arg),
        .done = done,
        .arg = arg,
    };
    return mutation;
}

/* True if the change may wait longer, up to most_ms in total. It waits for the traits of a plugin,
 * for the pass that moves the machines of a renamed group, or for another manager's change. */
static bool may_wait(struct mutation *mutation, int64_t most_ms)
{
    const struct service *service = mutation->service;
    int64_t now = service->ports.wall_ms(service->ports.arg);

    if (mutation->held_ms == 0) {
        mutation->held_ms = now;
    }
    return now >= mutation->held_ms && now - mutation->held_ms < most_ms;
}

/* True if a change of the tenant is being written in several transactions. The check covers the
 * whole tenant, because the subjects of this change are not known before it is computed. */
static bool is_mutation_parted(struct mutation *mutation)
{
    struct arena_mark mark = arena_mark(mutation->arena);
    bool is_any =
        service_is_parted(mutation->service,
                          arena_printf(mutation->arena, "%.*s/", TEXT_ARG(mutation->actor.tenant)));

    arena_rewind(mutation->arena, mark);
    return is_any;
}

/* True if the store accepts changes. If its disk is full, a partial commit cannot be completed
 * either. */
MUST_CHECK static bool is_store_writable(const struct service *service, struct err *err)
{
    struct store_status status;

    store_status(service->store, &status);
    if (!status.is_writable) {
        *err = status.problem;
    }
    return status.is_writable;
}

/* True unless another manager is writing a change of the same subjects in several transactions. In
 * that case this change was computed from an inconsistent state. */
MUST_CHECK static bool is_mutation_whole(struct mutation *mutation, struct err *err)
{
    const struct change *change = &mutation->change;

    for (size_t i = 0; i < change->object_count; i++) {
        const struct change_object *object = &change->objects[i];

        if (object->kind->owner == OWNER_CLUSTER &&
            service_is_parted(mutation->service, arena_printf(mutation->work, "%.*s/%.*s",
                                                              TEXT_ARG(mutation->actor.tenant),
                                                              TEXT_ARG(object->id)))) {
            if (!is_store_writable(mutation->service, err)) {
                return false;
            }
            err_set(err, CODE_R0576, "a change of %s '%.*s' is only partly written",
                    object->kind->singular, TEXT_ARG(object->name));
            return err_hint(err, "another manager completes it; try again");
        }
    }
    return true;
}

void mutation_start(struct mutation *mutation)
{
    struct service *service = mutation->service;
    struct err err;

    if (service->operations > 0) {
        mutation_row_add(&service->held, mutation);
        return;
    }
    if (is_mutation_parted(mutation) &&
        (service->is_following ||
         (is_store_writable(service, &err) && may_wait(mutation, PARTED_WAIT_MS)))) {
        mutation_row_add(&service->held, mutation);
        return;
    }
    mutation->batch = 0;
    err_list_init(&mutation->errors, mutation->arena);
    if (is_mutation_repeated(mutation)) {
        return;
    }
    if (mutation->used_id.length > 0 && !service_plan_is_unused(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    mutation_work_begin(mutation);
    if (!patch_lay(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    change_compute(mutation);
    if (mutation->errors.errors == 0 && mutation->change.is_early &&
        may_wait(mutation, LIMIT_HOST_START_MS)) {
        /* the change waits in this list for the next run */
        mutation_row_add(&service->held, mutation);
        return;
    }
    if (mutation->errors.errors == 0 && !mutation_renames_settled(mutation, &err)) {
        if (may_wait(mutation, LIMIT_HOST_START_MS)) {
            mutation_row_add(&service->held, mutation);
        } else {
            answer_error(mutation, &err, NULL);
        }
        return;
    }
    if (mutation->errors.errors == 0 && !mutation_judge(mutation)) {
        return; /* the change starts again when the plugins have answered */
    }
    if (mutation->errors.errors == 0 && !mutation_preflight(mutation)) {
        return; /* the change starts again when the providers have answered */
    }
    if (mutation->errors.errors > 0) {
        mutation_answer_give(mutation, NULL);
        return;
    }
    if (!service_scope_check(service, mutation->work, &mutation->actor, &mutation->change, &err) ||
        !is_mutation_whole(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    if (!is_matching(mutation) || !is_seen(mutation) || !is_mutation_pinned(mutation)) {
        return;
    }
    if (!mutation_victims_take(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    if (!mutation_commission_take(mutation)) {
        mutation_answer_give(mutation, NULL);
        return;
    }
    if (!mutation_roles_check(mutation)) {
        mutation_answer_give(mutation, NULL);
        return;
    }
    mutation_rolls_report(mutation);
    mutation_slots_report(mutation);
    if (!mutation_pacing_check(mutation, &err) || !mutation_replace_take(mutation, &err) ||
        !mutation_reboot_take(mutation, &err)) {
        answer_error(mutation, &err, NULL);
        return;
    }
    volumes_effects_report(
        &(struct volumes_effects){ .arena = mutation->work,
                                   .cache = service->cache,
                                   .tenant = mutation->actor.tenant,
                                   .plugins = service->reconciler.plugins,
                                   .retain_ms = service->reconciler.volumes_keep_ms },
        &mutation->change);
    if (mutation->request.is_saved &&
        (mutation->change.op_count > 0 || !mutation->request.is_saved_unless_empty)) {
        service_plan_store(mutation, plan_saved, mutation_escaped);
        return;
    }
    if (mutation->request.is_dry_run || mutation->change.op_count == 0) {
        mutation_answer_report(mutation);
        return;
    }
    if (!mutation_rolls_agreed(mutation, &err) || !is_allowed(mutation, &err)) {
        struct doc body = mutation_answer(mutation);

        answer_error(mutation, &err, &body);
        return;
    }
    mutation_preflight_write(mutation);
    mutation_write(mutation);
}

/* ---- waiting ---- */

/* Take all entries of a list; entries that are added in the meantime wait for the next run. */
static struct mutation *mutation_row_take(struct mutation_row *row)
{
    struct mutation *first = row->first;

    *row = (struct mutation_row){ 0 };
    return first;
}

void mutation_run_waiting(struct service *service)
{
    uint64_t revision = cache_revision(service->cache);
    struct mutation *next;

    for (struct mutation *mutation = mutation_row_take(&service->waiting); mutation != NULL;
         mutation = next) {
        next = mutation->next;
        if (mutation->wanted > revision) {
            mutation_row_add(&service->waiting, mutation);
        } else if (mutation->is_written) {
            mutation_answer_report(mutation);
        } else {
            mutation_start(mutation);
        }
    }
    if (service->operations > 0) {
        return;
    }
    for (struct mutation *mutation = mutation_row_take(&service->held); mutation != NULL;
         mutation = next) {
        next = mutation->next;
        mutation_start(mutation);
    }
}
