#include "codec/json.h"
#include "inventory/inventory.h"
#include "service/service_command.h"
#include "service/service_parts.h"

/* public names start with: mutation_ commission_ */

/* Commissions machines of the inventory: a change of a group, usually of its size, together with
 * the machines that the group receives.
 *
 * Normal case: the transaction that writes the specification also reserves the rows of the machines
 * for the group. So neither takes effect without the other. The plugin `inventory` gives the
 * reserved machines to members of the group that have no machine.
 *
 * Failure modes: a machine does not qualify. All machines are checked, each failure gives one
 * error, and no row changes. */

enum { COMMISSIONS_MAX = 30 };

struct commission {
    struct mutation *mutation;
    struct text id;   /* cluster id */
    struct text path; /* path of the group */
    /* Number of machines by which the change enlarges the group. That many of the newly reserved
     * rows get the marker discovered_reservation.is_sized. */
    uint64_t growth;
    struct text seen[COMMISSIONS_MAX]; /* ids of the machines that were already reserved by this
                                        * request */
    size_t count;
    size_t named;        /* number of machines in the request */
    struct text request; /* name of the batches of this request; empty: all begin at once */
    struct text image;   /* image of the group; empty: none */
};

static void commission_fault(struct commission *commission, const struct err *err)
{
    err_list_add(&commission->mutation->errors, err);
}

/* Return the size of the group before the change; 0 if it did not exist. */
static uint64_t commission_former_size(const struct commission *commission)
{
    struct mutation *mutation = commission->mutation;
    struct fleet_cluster cluster = { .memory = mutation->work };
    uint64_t size = 0;

    if (mutation->change.objects[0].revision != 0 &&
        fleet_groups_read(mutation->work, &mutation->change.objects[0].old_stored, &cluster)) {
        for (size_t i = 0; i < cluster.group_count; i++) {
            if (text_is_equal(cluster.groups[i].plan.path, commission->path)) {
                size = cluster.groups[i].plan.size;
            }
        }
    }
    return size;
}

/* True if the machines of the group may come from the inventory. */
MUST_CHECK static bool commission_group_check(struct commission *commission, struct err *err)
{
    struct mutation *mutation = commission->mutation;
    struct fleet_cluster cluster = { .memory = mutation->work };
    uint64_t former = commission_former_size(commission);

    if (fleet_groups_read(mutation->work, &mutation->change.objects[0].new_stored, &cluster)) {
        for (size_t i = 0; i < cluster.group_count; i++) {
            const struct fleet_group *group = &cluster.groups[i];

            if (!text_is_equal(group->plan.path, commission->path) || group->choice_count == 0) {
                continue;
            }
            if (text_is(group->choices[0].plugin, INVENTORY_PLUGIN)) {
                commission->growth = group->plan.size > former ? group->plan.size - former : 0;
                commission->image = group->choices[0].image;
                return true;
            }
            err_set(err, CODE_R0822,
                    "group '%.*s' has plugin %.*s: it takes no machines of the "
                    "inventory",
                    TEXT_ARG(commission->path), TEXT_ARG(group->choices[0].plugin));
            return err_hint(err, "name a group with resourcePlugin: {name: inventory}");
        }
    }
    return err_set(err, CODE_R0403, "there is no group '%.*s'", TEXT_ARG(commission->path));
}

/* Read the row with this name. */
MUST_CHECK static bool commission_row_find(struct commission *commission, struct text name,
                                           struct discovered *out, uint64_t *out_revision,
                                           struct err *err)
{
    struct mutation *mutation = commission->mutation;
    size_t count;

    if (discovered_find(mutation->work, mutation->service->cache, mutation->actor.tenant, name, out,
                        out_revision, &count)) {
        return true;
    }
    if (count > 1) {
        err_set(err, CODE_R0826, "%zu machines of the inventory are named '%.*s'", count,
                TEXT_ARG(name));
        return err_hint(err, "name one by its id: reeve discover lists them");
    }
    err_set(err, CODE_R0403, "there is no machine '%.*s' in the inventory", TEXT_ARG(name));
    return err_hint(err, "reeve discover lists its machines");
}

static bool commission_is_seen(const struct commission *commission, struct text id)
{
    for (size_t i = 0; i < commission->count; i++) {
        if (text_is_equal(commission->seen[i], id)) {
            return true;
        }
    }
    return false;
}

/* ---- batches ---- */

void mutation_commission_batching_add(const struct mutation *mutation, struct buf *out)
{
    const struct service_batching *batching = mutation->request.batching;

    if (batching == NULL) {
        return;
    }
    buf_printf(out, " %lld%d %lld%d %llu %llu %llu %llu", (long long)batching->batch.number,
               batching->batch.is_percent, (long long)batching->max_fail.number,
               batching->max_fail.is_percent, (unsigned long long)batching->canary,
               (unsigned long long)batching->bake_ms, (unsigned long long)batching->pause_ms,
               (unsigned long long)batching->deadline_ms);
}

MUST_CHECK static bool commission_batching_check(const struct mutation *mutation, struct err *err)
{
    const struct service_batching *batching = mutation->request.batching;

    if (batching == NULL) {
        return true;
    }
    if (mutation->request.is_adoption) {
        return err_set(err, CODE_R0426,
                       "machines that are adopted run no stages: leave out "
                       "'batching'");
    }
    if (mutation->request.commissions.length == 0 &&
        (batching->by.length > 0 || batching->seed > 0 || batching->is_zone_apart ||
         batching->deadline_ms > 0)) {
        err_set(err, CODE_R0426, "the rollout of changed stages has its own order and no deadline");
        return err_hint(err, "leave out 'order', 'seed', 'spread' and 'deadlineMs'");
    }
    if (batching->by.length > 0 || batching->seed > 0 || batching->is_zone_apart) {
        err_set(err, CODE_R0426, "machines are commissioned in the order in which they are given");
        return err_hint(err, "leave out 'order', 'seed' and 'spread'");
    }
    return (batching->bake_ms == 0 || batching->canary > 0) ||
           err_set(err, CODE_R0426,
                   "bakeMs is the wait after the canaries: set canary as "
                   "well");
}

/* Return the number of machines of a share of the request, at least 1. */
static size_t commission_share(const struct commission *commission,
                               const struct service_share *share)
{
    size_t number = share->is_percent ? (commission->named * (size_t)share->number + 99) / 100
                                      : (size_t)share->number;

    return number == 0 ? 1 : number;
}

/* Return how many machines of the request begin at the same time. The default is 10 %. */
static size_t commission_batch_size(const struct commission *commission)
{
    static const struct service_share usual = { 10, true, true };
    const struct service_share *share = &commission->mutation->request.batching->batch;

    return commission_share(commission, share->is_given ? share : &usual);
}

/* Return the batch settings for the reservation of a machine: the common settings, and the number
 * of the machine's batch, from 0. */
static struct text commission_batching_make(const struct commission *commission)
{
    struct arena *arena = commission->mutation->work;
    const struct service_change *request = &commission->mutation->request;
    const struct service_batching *batching = request->batching;
    const struct service_ports *ports = &commission->mutation->service->ports;
    size_t at = commission->count;
    struct doc_builder builder;
    size_t size;
    struct doc doc;
    struct buf buf;

    if (commission->request.length == 0) {
        return TEXT("");
    }
    size = commission_batch_size(commission);
    at = at < batching->canary ? 0 : (at - batching->canary) / size + (batching->canary > 0);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, ports->wall_ms(ports->arg), NULL));
    doc_builder_put(&builder, "bake", doc_int(arena, (int64_t)batching->bake_ms, NULL));
    doc_builder_put(&builder, "batch", doc_int(arena, (int64_t)at, NULL));
    doc_builder_put(&builder, "by", doc_text(commission->mutation->actor.user, NULL));
    doc_builder_put(&builder, "canaries", doc_int(arena, batching->canary > 0, NULL));
    doc_builder_put(&builder, "deadline", doc_int(arena, (int64_t)batching->deadline_ms, NULL));
    doc_builder_put(&builder, "maxFail",
                    doc_int(arena,
                            (int64_t)(batching->max_fail.is_given
                                          ? commission_share(commission, &batching->max_fail)
                                          : size),
                            NULL));
    doc_builder_put(&builder, "pause", doc_int(arena, (int64_t)batching->pause_ms, NULL));
    doc_builder_put(&builder, "request", doc_text(commission->request, NULL));
    doc_builder_put(&builder, "why", doc_text(text_slice(request->why, 0, 200), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Count the machines of the request, and create the name of its batch job, which is unique within
 * the cluster. */
static void commission_batching_begin(struct commission *commission)
{
    struct mutation *mutation = commission->mutation;
    const struct service_ports *ports = &mutation->service->ports;
    struct text words = mutation->request.commissions;
    uint64_t hash;

    commission->named = 1;
    for (size_t i = 0; i < words.length; i++) {
        commission->named += words.data[i] == ',';
    }
    if (mutation->request.batching != NULL) {
        hash = text_hash(words, (uint64_t)ports->wall_ms(ports->arg));
        hash = text_hash(mutation->actor.user, hash ^ cache_revision(mutation->service->cache));
        commission->request = arena_printf(mutation->work, "%016llx", (unsigned long long)hash);
    }
}

/* Reserve one machine, NAME or NAME=FINGERPRINT. */
static void commission_one(struct commission *commission, struct text word)
{
    struct mutation *mutation = commission->mutation;
    const struct service_ports *ports = &mutation->service->ports;
    size_t equals = text_find_byte(word, '=');
    struct text name = text_slice(word, 0, equals);
    struct inventory_commission wanted = {
        .cluster = commission->id,
        .group = commission->path,
        .fingerprint = equals == SIZE_MAX ? TEXT("") : text_slice(word, equals + 1, SIZE_MAX),
        .by = mutation->actor.user,
        /* I27: a user with rights on one cluster only cannot reserve machines of the tenant */
        .can_approve = mutation->actor.reach == NULL,
        .is_adoption = mutation->request.is_adoption,
        .is_move = mutation->request.is_move,
        .image = commission->image,
        .now_ms = ports->wall_ms(ports->arg),
    };
    struct discovered row;
    bool was_reserved;
    uint64_t revision;
    struct err err;

    if (!commission_row_find(commission, name, &row, &revision, &err)) {
        commission_fault(commission, &err);
        return;
    }
    wanted.is_by_id = text_is_equal(name, row.id);
    was_reserved = row.reserved.cluster.length > 0;
    if (!inventory_commission(mutation->work, &row, &wanted, &err)) {
        commission_fault(commission, &err);
        return;
    }
    if (commission_is_seen(commission, row.id)) {
        return;
    }
    row.reserved.batching = commission_batching_make(commission);
    commission->seen[commission->count++] = row.id;
    if (!was_reserved && commission->growth > 0) {
        row.reserved.is_sized = true;
        commission->growth--;
    }
    /* increasing times keep the machines in the order of the request */
    row.reserved.at_ms += (int64_t)commission->count;
    mutation_op_append(
        mutation,
        (struct change_op){ .key = discovered_key(mutation->work, mutation->actor.tenant, row.id),
                            .value = discovered_format(mutation->work, &row) },
        revision);
}

bool mutation_commission_take(struct mutation *mutation)
{
    const struct service_patch *patch = mutation->patch;
    struct text rest = mutation->request.commissions;
    struct commission commission = { .mutation = mutation };
    struct err err;

    if (!commission_batching_check(mutation, &err)) {
        commission_fault(&commission, &err);
        return false;
    }
    if (rest.length == 0) {
        if (mutation->request.is_adoption || mutation->request.is_move) {
            err_set(&err, CODE_R0426, "'adopt' and 'move' belong to a request with 'commission'");
            commission_fault(&commission, &err);
        }
        return mutation->errors.errors == 0;
    }
    if (patch == NULL || patch->kind->owner != OWNER_NODEGROUP ||
        mutation->change.object_count != 1 || mutation->request.document_count != 1) {
        err_set(&err, CODE_R0426, "machines are commissioned into one node group");
        commission_fault(&commission, &err);
        return false;
    }
    commission.id = mutation->change.objects[0].id;
    commission.path = mutation_text_of(&mutation->request.documents[0], "name");
    if (!commission_group_check(&commission, &err)) {
        commission_fault(&commission, &err);
        return false;
    }
    commission_batching_begin(&commission);
    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');

        if (commission.count == COMMISSIONS_MAX) {
            err_set(&err, CODE_R0426, "a request commissions at most %d machines", COMMISSIONS_MAX);
            commission_fault(&commission, &err);
            break;
        }
        commission_one(&commission, text_trim(text_slice(rest, 0, comma)));
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, SIZE_MAX);
    }
    return mutation->errors.errors == 0;
}
