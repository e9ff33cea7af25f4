#include "inventory/inventory.h"

#include "base/limits.h"
#include "codec/json.h"
#include "images/images.h"
#include "inventory/traits.h"
#include "plan/guard.h"
#include "power/power.h"
#include "records/fleet.h"
#include "records/intent.h"
#include "records/node_state.h"
#include "state/objects.h"

#include <assert.h>

/* The plugin of the inventory: a driver of the provider port (records/provider.h).
 *
 * Normal case: each call first requests the revision of the store and waits until the cache has
 * reached it, so that no listing is older than the call. Then it reads the cache. `create` and
 * `destroy` write one transaction that compares the revisions of the read objects, and answer when
 * the cache contains the result.
 *
 * Failures: if a compare fails because another manager was faster, the call reads again. If the
 * outcome of a transaction is unknown, so is the outcome of the call; a repeated create finds the
 * claim by its token. A create requires that the key of its token does not exist yet. So two create
 * calls with the same token claim only one machine, no matter how late one of them arrives
 * (I29). */

enum inventory_method {
    INVENTORY_CREATE,
    INVENTORY_DESTROY,
    INVENTORY_LABEL,
    INVENTORY_LIST,
    INVENTORY_FIND,
};

enum {
    INVENTORY_TRIES = 8,
    /* An abandoned transaction takes effect within this time, or not at all. */
    INVENTORY_LATE_MS = 60 * 1000,
};

struct inventory_tenant {
    struct provider provider; /* must be first */
    struct inventory_tenant *next;
    struct inventory *inventory;
    struct text tenant;
};

struct inventory_call {
    struct inventory_call *next;
    struct inventory_call **link;
    struct arena *arena;
    struct inventory *inventory; /* NULL: the call has ended, but the store has not answered yet */
    struct text tenant;
    enum inventory_method method;
    struct text cluster; /* TENANT/ID */
    struct text id;      /* of the machine */
    struct text token;   /* token of its record; empty: unknown */
    struct text labels;
    struct text reason;
    struct text known; /* marker of an earlier listing */
    struct provider_request request;
    uint64_t wanted; /* revision that the cache must reach */
    bool is_asking;  /* the store has not answered */
    bool is_written; /* the transaction is committed: only the cache lags */
    unsigned tries;
    provider_done *done;
    void *arg;
};

struct inventory {
    struct arena *memory;
    struct inventory_options options;
    struct inventory_tenant *tenants;
    struct inventory_call *calls; /* oldest first */
    struct inventory_call **last;
};

/* ---- ends ---- */

static void inventory_unlink(struct inventory_call *call)
{
    *call->link = call->next;
    if (call->next != NULL) {
        call->next->link = call->link;
    } else {
        call->inventory->last = call->link;
    }
    call->inventory = NULL;
}

static void inventory_end(struct inventory_call *call, enum outcome outcome,
                          const struct provider_answer *answer)
{
    inventory_unlink(call);
    call->done(call->arg, outcome, answer);
    arena_free(call->arena);
}

static void inventory_fail(struct inventory_call *call, enum outcome outcome,
                           enum provider_fault fault, struct text message)
{
    inventory_end(call, outcome, &(struct provider_answer){ .fault = fault, .message = message });
}

/* Returns the id of the cluster from TENANT/ID. */
static struct text inventory_cluster_id(const struct inventory_call *call)
{
    return text_slice(call->cluster, text_find_byte(call->cluster, '/') + 1, SIZE_MAX);
}

/* ---- transactions ---- */

static void inventory_wake(struct inventory *inventory)
{
    inventory->options.wake(inventory->options.arg);
}

static void inventory_committed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct inventory_call *call = arg;
    struct inventory *inventory = call->inventory;

    if (inventory == NULL) {
        arena_free(call->arena);
        return;
    }
    call->is_asking = false;
    if (outcome == OUTCOME_OK) {
        call->is_written = true;
        call->wanted = answer->revision;
    } else if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502 &&
               ++call->tries < INVENTORY_TRIES) {
        call->wanted = answer->revision;
    } else if (outcome == OUTCOME_UNKNOWN) {
        inventory_fail(call, OUTCOME_UNKNOWN, PROVIDER_FAULT_NONE,
                       TEXT("it is not known whether the claim was written"));
    } else {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_TRANSIENT,
                       text_from(answer->err.text));
    }
    inventory_wake(inventory);
}

static void inventory_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static struct store_event inventory_event(const struct inventory_call *call, const char *type,
                                          const struct discovered *row, struct text name,
                                          struct text group, struct text fact)
{
    const struct inventory_options *options = &call->inventory->options;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "actor", doc_text(TEXT("reeve"), NULL));
    inventory_text_put(&builder, "fact",
                       arena_printf(call->arena, "%.*s (%.*s), %.*s%.*s", TEXT_ARG(row->name),
                                    TEXT_ARG(row->id), TEXT_ARG(row->address), TEXT_ARG(fact)));
    inventory_text_put(&builder, "group", group);
    inventory_text_put(&builder, "id", row->id);
    inventory_text_put(&builder, "node", name);
    doc_builder_put(&builder, "type", doc_text(text_from(type), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, call->arena);
    json_format(&buf, &doc);
    return (struct store_event){
        .cluster = call->cluster,
        .body = buf_text(&buf),
        .time_ms = (uint64_t)options->wall_ms(options->arg),
    };
}

/* Writes a row, and the key of its claim (`claim` empty: the key is deleted), if neither has
 * changed. `hooks` are the hooks of its pending cleanup; empty: they are not written. `power` is an
 * order about the power of the machine, if there is power control. */
static void inventory_write(struct inventory_call *call, const struct discovered *row,
                            uint64_t revision, struct text token, struct text claim,
                            struct text hooks, enum power_action power,
                            const struct store_event *event)
{
    struct text key =
        discovered_claim_key(call->arena, call->tenant, inventory_cluster_id(call), token);
    const struct inventory_options *options = &call->inventory->options;
    struct store_op ops[4] = {
        { .key = discovered_key(call->arena, call->tenant, row->id),
          .value = discovered_format(call->arena, row) },
        { .key = key, .value = claim, .is_delete = claim.length == 0 },
        { .key = discovered_hooks_key(call->arena, call->tenant, row->id), .value = hooks },
    };
    struct store_compare compares[3] = { { .key = ops[0].key, .revision = revision },
                                         { .key = key, .revision = 0 } };
    struct store_txn txn = { .compares = compares,
                             /* at the end of a claim only the row is compared, because it contains
                              * the claim */
                             .compare_count = !GUARD(options, G23) ? 0
                                              : claim.length > 0   ? 2
                                                                   : 1,
                             .ops = ops,
                             .op_count = hooks.length > 0 ? 3 : 2,
                             .events = event,
                             .event_count = 1 };

    if (power != POWER_ACTION_NONE &&
        power_order_op(call->arena, options->cache, call->tenant, row->id, power,
                       options->wall_ms(options->arg), TEXT("the machine has left its group"),
                       &ops[txn.op_count], &compares[txn.compare_count])) {
        txn.op_count++;
        txn.compare_count++;
    }
    call->is_asking = true;
    store_txn(call->inventory->options.store, &txn, inventory_committed, call);
}

/* ---- create ---- */

static void inventory_create_end(struct inventory_call *call)
{
    struct text id = discovered_claimed(call->arena, call->inventory->options.cache, call->tenant,
                                        inventory_cluster_id(call), call->request.tags.token);

    if (id.length == 0) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_TRANSIENT,
                       TEXT("the claim of the machine was ended immediately"));
        return;
    }
    inventory_end(call, OUTCOME_OK, &(struct provider_answer){ .id = id });
}

static void inventory_facts_ask(void *arg, struct text row)
{
    const struct inventory_call *call = arg;
    const struct inventory_options *options = &call->inventory->options;

    if (options->facts_ask != NULL) {
        options->facts_ask(options->arg, call->tenant, row);
    }
}

/* Writes the order for the netboot system of a machine that gets an image. False: the image does
 * not exist, and the call has failed. */
static bool inventory_install_order(struct inventory_call *call,
                                    const struct inventory_wanted *wanted, struct discovered *row)
{
    struct image_version version;
    struct err err;

    if (wanted->image.length == 0 || row->netboot.boot.length == 0) {
        row->install = (struct discovered_install){ 0 };
        return true;
    }
    if (!image_resolve(call->arena, call->inventory->options.cache, call->tenant, wanted->image,
                       &version, &err)) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_INVALID,
                       arena_text(call->arena, text_from(err.text)));
        return false;
    }
    row->install = (struct discovered_install){
        .id = arena_printf(call->arena, "%.*s-%llx", TEXT_ARG(wanted->token),
                           (unsigned long long)wanted->now_ms),
        .state = DISCOVERED_INSTALL_WANTED,
        .since_ms = wanted->now_ms,
        .image = wanted->image,
        .digest = version.digest,
        .format = version.format,
        .bytes = version.bytes,
        .disk = wanted->disk,
        .arguments = wanted->arguments,
        .keys = call->request.keys,
        .is_wiped_after = wanted->is_wiped,
        .is_off_after = wanted->is_switched_off,
    };
    /* of the machine that was there before */
    row->user = TEXT("");
    row->secret = TEXT("");
    return true;
}

static void inventory_claim(struct inventory_call *call)
{
    const struct inventory_options *options = &call->inventory->options;
    const struct provider_tags *tags = &call->request.tags;
    struct inventory_wanted wanted = { .cluster = inventory_cluster_id(call),
                                       .group = tags->group,
                                       .name = call->request.name,
                                       .now_ms = options->wall_ms(options->arg),
                                       .times = options->times,
                                       .facts_ask = inventory_facts_ask,
                                       .facts_arg = call };
    bool is_automatic;
    struct text user;
    struct store_event event;
    struct discovered row;
    uint64_t revision;
    struct text why;

    if (call->is_written ||
        discovered_claimed(call->arena, options->cache, call->tenant, wanted.cluster, tags->token)
                .length > 0) {
        inventory_create_end(call);
        return;
    }
    inventory_wanted_read(call->arena, call->request.more, &wanted, &user);
    if (!inventory_choose(call->arena, options->cache, call->tenant,
                          options->fleet == NULL ? NULL : options->fleet(options->arg), &wanted,
                          &row, &revision, &why)) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_CAPACITY, why);
        return;
    }
    row.claim = (struct discovered_claim){ .cluster = wanted.cluster,
                                           .token = tags->token,
                                           .group = tags->group,
                                           .slot = tags->slot,
                                           .life = tags->life,
                                           .mac = tags->mac,
                                           .name = call->request.name,
                                           .labels = call->request.labels,
                                           .is_sized = row.reserved.is_sized,
                                           .is_adopted = row.reserved.is_adopted,
                                           .batching = row.reserved.batching };
    wanted.token = tags->token;
    if (!inventory_install_order(call, &wanted, &row)) {
        return;
    }
    is_automatic = row.reserved.cluster.length == 0;
    row.reserved = (struct discovered_reservation){ 0 };
    if (row.install.id.length > 0) {
        user = TEXT(""); /* root: the installed system has its keys */
    } else if (user.length == 0 && options->user != NULL) {
        user = options->user(options->arg, call->tenant);
    }
    row.user = row.user.length > 0 ? row.user : user;
    if (is_automatic && !discovered_is_approved(&row)) {
        /* the cluster file approves this machine in advance, by its network or by a pin */
        row.approved_by = TEXT("autoCommission");
        row.approved_key = discovered_fingerprint(call->arena, &row);
        row.approved_ms = wanted.now_ms;
    }
    if (discovered_format(call->arena, &row).length > DISCOVERED_ROW_BYTES) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_INVALID,
                       TEXT("labels, `install` and keys do not fit into the row of the machine"));
        return;
    }
    event = inventory_event(call, is_automatic ? "node.auto_claimed" : "node.claimed", &row,
                            call->request.name, tags->group, TEXT(""));
    inventory_write(call, &row, revision, tags->token,
                    arena_printf(call->arena, "{\"row\":\"%.*s\"}", TEXT_ARG(row.id)), TEXT(""),
                    POWER_ACTION_NONE, &event);
}

/* ---- destroy, label ---- */

/* Reads the row of the call's machine. Returns false if the cluster does not have this machine. */
static bool inventory_own_read(const struct inventory_call *call, struct text id,
                               struct discovered *out, uint64_t *out_revision)
{
    const struct cache_object *object =
        cache_find(call->inventory->options.cache, call->tenant, TEXT(DISCOVERED_KIND), id);

    if (!discovered_read(call->arena, object, out) || out->claim.token.length == 0 ||
        !text_is_equal(out->claim.cluster, inventory_cluster_id(call)) ||
        (call->token.length > 0 && !text_is_equal(out->claim.token, call->token))) {
        return false; /* it was returned and may be claimed by another record now */
    }
    if (out_revision != NULL) {
        *out_revision = object->parts[CACHE_BASE].revision;
    }
    return true;
}

/* Read the node state of the member that used the machine. All fields are empty if there is
 * none. */
static struct node_state inventory_node_read(const struct inventory_call *call,
                                             const struct discovered_claim *claim)
{
    const struct cache_object *object = cache_find(
        call->inventory->options.cache, call->tenant, TEXT("Node"),
        arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(claim->cluster), TEXT_ARG(claim->token)));
    struct node_state state;
    struct err err;

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
                   node_state_parse(
                       call->arena,
                       arena_text(call->arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                       &state, &err)
               ? state
               : (struct node_state){ 0 };
}

/* True if a machine that leaves its group may still have files that reeve or the configuration
 * wrote. */
static bool inventory_is_left(const struct discovered *row, const struct node_state *state)
{
    if (state->adoption == NODE_ADOPTION_BEGUN && state->keys.host.length == 0) {
        return false;
    }
    return row->claim.is_absent || row->state == LIFECYCLE_STATE_DISAPPEARED ||
           state->cleanup_failure.length > 0;
}

/* Set the status of a machine that leaves its group. If its commission or its changed stages
 * failed, it becomes unallocated, with the condition that excludes it from automatic allocation
 * (C25). */
static void inventory_status_return(const struct inventory_call *call,
                                    const struct discovered_claim *claim,
                                    const struct node_state *state, int64_t now_ms,
                                    struct discovered *row)
{
    bool is_start = state->start_failure.length > 0;
    struct text failure = is_start ? state->start_failure : state->leaves;

    if (failure.length > 0) {
        row->status = LIFECYCLE_STATUS_PROVISIONING;
        discovered_move(row, LIFECYCLE_STATUS_UNALLOCATED, now_ms, TEXT("reeve"),
                        arena_printf(call->arena,
                                     is_start ? "the commission as %.*s failed"
                                              : "changed stages failed on it as %.*s",
                                     TEXT_ARG(claim->name)));
        row->conditions[LIFECYCLE_CONDITION_FAILED] = (struct discovered_mark){ now_ms, failure };
        return;
    }
    row->status = LIFECYCLE_STATUS_CANCELLED;
    discovered_move(
        row, claim->is_released ? LIFECYCLE_STATUS_UNALLOCATED : LIFECYCLE_STATUS_DECOMMISSIONED,
        now_ms, TEXT("reeve"),
        arena_printf(call->arena, "left %.*s: %.*s", TEXT_ARG(claim->name),
                     TEXT_ARG(call->reason)));
}

/* Copy the facts that the node has reported about its machine to the row, if they fit. */
static void inventory_facts_keep(const struct inventory_call *call, const struct node_state *state,
                                 struct discovered *row)
{
    struct text former = row->facts;
    struct text facts = traits_facts_make(call->arena, state->facts, row->facts);

    row->facts = facts.length > 0 ? facts : former;
    if (discovered_format(call->arena, row).length > DISCOVERED_ROW_BYTES / 2) {
        row->facts = former;
    }
}

/* Reads into the order of a row what its group wants when a machine leaves: wiped disks, power off.
 * If the group no longer exists, what it wanted when the machine was claimed counts. */
static void inventory_leave_read(const struct inventory_call *call,
                                 const struct discovered_claim *claim,
                                 struct discovered_install *install)
{
    const struct inventory_options *options = &call->inventory->options;
    const struct fleet *fleet = options->fleet == NULL ? NULL : options->fleet(options->arg);
    const struct fleet_cluster *cluster = fleet == NULL ? NULL : fleet_find(fleet, call->cluster);
    const struct fleet_group *group =
        cluster == NULL ? NULL : fleet_group_find(cluster, claim->group);
    struct inventory_wanted wanted = { 0 };
    struct text unused;

    if (group != NULL) {
        inventory_wanted_read(call->arena, group->more, &wanted, &unused);
        install->is_wiped_after = wanted.is_wiped;
        install->is_off_after = wanted.is_switched_off;
    }
}

/* A machine that is to be wiped is started from the network; it is switched off afterwards
 * (netboot_requests.c). */
static enum power_action inventory_power_of(const struct discovered_install *install)
{
    return install->state == DISCOVERED_INSTALL_WIPE ? POWER_ACTION_NETBOOT
           : install->is_off_after                   ? POWER_ACTION_OFF
                                                     : POWER_ACTION_NONE;
}

/* Ends the order of a machine that leaves its group: a failed installation is why it leaves, and an
 * installed machine is wiped at its next boot from the network if its group wants that. False:
 * the installed system has never been a member, so nothing is left on it. */
static bool inventory_install_end(const struct inventory_call *call, int64_t now_ms,
                                  struct node_state *state, struct discovered *row)
{
    struct discovered_install *install = &row->install;
    bool is_installed = install->state == DISCOVERED_INSTALL_DONE;

    if (install->id.length == 0) {
        return true;
    }
    if (install->is_wiped_after && is_installed) {
        install->state = DISCOVERED_INSTALL_WIPE;
        install->id = arena_printf(call->arena, "wipe-%llx", (unsigned long long)now_ms);
        install->keys = TEXT("");
        install->step = TEXT("");
    } else if (!is_installed && install->state != DISCOVERED_INSTALL_FAILED) {
        install->state = DISCOVERED_INSTALL_FAILED;
        install->why = TEXT("the machine has left its group");
    } else if (!is_installed && state->start_failure.length == 0) {
        state->start_failure = arena_printf(call->arena, NODE_INSTALL_FAILURE "%.*s: %.*s",
                                            TEXT_ARG(install->step), TEXT_ARG(install->why));
    }
    install->since_ms = now_ms;
    return is_installed && state->keys.host.length > 0;
}

static void inventory_give_back(struct inventory_call *call)
{
    const struct inventory_options *options = &call->inventory->options;
    int64_t now_ms = options->wall_ms(options->arg);
    struct discovered_claim claim;
    struct store_event event;
    struct node_state state;
    struct discovered row;
    uint64_t revision;
    struct text hooks = TEXT("");
    bool is_left;

    if (call->is_written || !inventory_own_read(call, call->id, &row, &revision)) {
        inventory_end(call, OUTCOME_OK, &(struct provider_answer){ 0 });
        return;
    }
    claim = row.claim;
    state = inventory_node_read(call, &claim);
    is_left = inventory_is_left(&row, &state);
    row.claim = (struct discovered_claim){ 0 };
    inventory_leave_read(call, &claim, &row.install);
    is_left = inventory_install_end(call, now_ms, &state, &row) && is_left;
    inventory_status_return(call, &claim, &state, now_ms, &row);
    inventory_facts_keep(call, &state, &row);
    if (is_left) {
        row.cleanup = (struct discovered_cleanup){
            .cluster = claim.cluster,
            .name = objects_cluster_name(options->cache, call->arena, call->tenant, claim.cluster),
            .group = claim.group,
            .member = claim.name,
            .token = claim.token,
            .since_ms = now_ms,
        };
        row.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING] = (struct discovered_mark){
            now_ms, state.cleanup_failure.length > 0
                        ? state.cleanup_failure
                        : TEXT("the machine was unreachable when it left its group")
        };
        hooks = discovered_hooks_format(call->arena,
                                        &(struct discovered_hooks){
                                            .are_run = state.cleanup != FLEET_CLEANUP_NEVER &&
                                                       state.adoption == NODE_ADOPTION_NONE,
                                            .limit_ms = state.cleanup_ms,
                                            .hook = state.cleanup_hook,
                                        });
    }
    event = is_left ? inventory_event(
                          call, "node.cleanup_pending", &row, claim.name, claim.group,
                          arena_printf(
                              call->arena, ": %.*s (R0831)",
                              TEXT_ARG(row.conditions[LIFECYCLE_CONDITION_CLEANUP_PENDING].reason)))
                    : inventory_event(call, "node.moved", &row, claim.name, claim.group, TEXT(""));
    inventory_write(call, &row, revision, claim.token, TEXT(""), hooks,
                    is_left ? POWER_ACTION_NONE : inventory_power_of(&row.install), &event);
}

static void inventory_label_set(struct inventory_call *call)
{
    struct discovered row;
    uint64_t revision;

    if (call->is_written) {
        inventory_end(call, OUTCOME_OK, &(struct provider_answer){ 0 });
        return;
    }
    if (!inventory_own_read(call, call->id, &row, &revision)) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_GONE,
                       TEXT("the cluster has not claimed this machine"));
        return;
    }
    row.claim.labels = call->labels;
    if (discovered_format(call->arena, &row).length > DISCOVERED_ROW_BYTES) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_INVALID,
                       TEXT("the labels do not fit into the row of the machine"));
        return;
    }
    call->is_asking = true;
    store_txn(
        call->inventory->options.store,
        &(struct store_txn){
            .compares =
                &(struct store_compare){ .key = discovered_key(call->arena, call->tenant, row.id),
                                         .revision = revision },
            .compare_count = 1,
            .ops = &(struct store_op){ .key = discovered_key(call->arena, call->tenant, row.id),
                                       .value = discovered_format(call->arena, &row) },
            .op_count = 1 },
        inventory_committed, call);
}

/* ---- listings ---- */

/* A machine runs when its image is installed. One whose installation has failed is pending while
 * the size of its group is reduced again (discovery/service_returns.c), and has ended otherwise, so
 * that the planner returns it. */
static enum plan_row_state inventory_state_of(const struct discovered *row)
{
    switch (row->install.state) {
    case DISCOVERED_INSTALL_WANTED:
    case DISCOVERED_INSTALL_RUNNING:
        return PLAN_ROW_PENDING;
    case DISCOVERED_INSTALL_FAILED:
        return row->claim.is_sized ? PLAN_ROW_PENDING : PLAN_ROW_ENDED;
    case DISCOVERED_INSTALL_NONE:
    case DISCOVERED_INSTALL_DONE:
    case DISCOVERED_INSTALL_WIPE:
    case DISCOVERED_INSTALL_STATES:
        break;
    }
    return PLAN_ROW_RUNNING; /* only a probe can find out whether it runs */
}

static struct provider_row inventory_row(const struct inventory_call *call,
                                         const struct discovered *row)
{
    enum plan_row_state state = inventory_state_of(row);

    return (struct provider_row){
        .id = row->id,
        .tags = { .cluster = call->cluster,
                  .life = row->claim.life,
                  .group = row->claim.group,
                  .slot = row->claim.slot,
                  .token = row->claim.token,
                  .mac = row->claim.mac },
        .state = state,
        .end_reason = state == PLAN_ROW_ENDED ? TEXT("broken") : TEXT(""),
        .end_message = state == PLAN_ROW_ENDED ? row->install.why : TEXT(""),
        .address = row->address,
        .user = row->user,
        .host_key = row->host_key,
        .port = row->port,
    };
}

static void inventory_list_all(struct inventory_call *call)
{
    const struct cache *cache = call->inventory->options.cache;
    struct text prefix = arena_printf(call->arena, "/%.*s/" DISCOVERED_CLAIM_KIND "/%.*s/",
                                      TEXT_ARG(call->tenant), TEXT_ARG(inventory_cluster_id(call)));
    struct provider_answer answer = { .is_complete = true };
    struct provider_row *rows = NULL;
    size_t room = 0;
    uint64_t hash = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token =
            text_slice(cache_id(object), text_find_byte(cache_id(object), '/') + 1, SIZE_MAX);
        struct text id =
            discovered_claimed(call->arena, cache, call->tenant, inventory_cluster_id(call), token);
        struct discovered row;
        uint64_t revision;

        if (!inventory_own_read(call, id, &row, &revision) ||
            !text_is_equal(row.claim.token, token)) {
            continue;
        }
        if (answer.count == room) {
            rows =
                arena_grow(call->arena, rows, room * sizeof(*rows), (2 * room + 8) * sizeof(*rows));
            room = 2 * room + 8;
        }
        rows[answer.count++] = inventory_row(call, &row);
        hash = text_hash(id, hash + revision + (uint64_t)rows[answer.count - 1].state);
    }
    answer.rows = rows;
    answer.mark = arena_printf(call->arena, "%zu-%016llx", answer.count, (unsigned long long)hash);
    if (text_is_equal(answer.mark, call->known)) {
        answer.is_same = true;
        answer.count = 0;
    }
    inventory_end(call, OUTCOME_OK, &answer);
}

static void inventory_find_one(struct inventory_call *call)
{
    struct provider_answer answer = { .is_complete = true };
    struct provider_row shown;
    struct discovered row;

    if (inventory_own_read(call, call->id, &row, NULL)) {
        shown = inventory_row(call, &row);
        answer.rows = &shown;
        answer.count = 1;
    }
    inventory_end(call, OUTCOME_OK, &answer);
}

/* ---- calls ---- */

static void inventory_call_run(struct inventory_call *call)
{
    switch (call->method) {
    case INVENTORY_CREATE:
        inventory_claim(call);
        break;
    case INVENTORY_DESTROY:
        inventory_give_back(call);
        break;
    case INVENTORY_LABEL:
        inventory_label_set(call);
        break;
    case INVENTORY_LIST:
        inventory_list_all(call);
        break;
    case INVENTORY_FIND:
        inventory_find_one(call);
        break;
    }
}

static void inventory_fresh(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct inventory_call *call = arg;
    struct inventory *inventory = call->inventory;

    if (inventory == NULL) {
        arena_free(call->arena);
        return;
    }
    call->is_asking = false;
    call->wanted = answer->revision;
    if (outcome != OUTCOME_OK) {
        inventory_fail(call, OUTCOME_REFUSED, PROVIDER_FAULT_TRANSIENT,
                       text_from(answer->err.text));
    }
    inventory_wake(inventory);
}

static struct inventory_call *inventory_call_new(struct provider *port,
                                                 enum inventory_method method, struct text cluster,
                                                 provider_done *done, void *arg)
{
    const struct inventory_tenant *tenant = (const struct inventory_tenant *)port;
    struct inventory *inventory = tenant->inventory;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct inventory_call *call = arena_one(arena, struct inventory_call);

    *call = (struct inventory_call){
        .link = inventory->last,
        .arena = arena,
        .inventory = inventory,
        .tenant = tenant->tenant,
        .method = method,
        .cluster = arena_text(arena, cluster),
        .is_asking = true,
        .done = done,
        .arg = arg,
    };
    *inventory->last = call;
    inventory->last = &call->next;
    return call;
}

/* Reads the current revision of the store through a key that exists once a manager has started. Its
 * value is not used. */
static void inventory_begin(struct inventory_call *call)
{
    store_get(call->inventory->options.store,
              TEXT("/" OBJECTS_SYSTEM_TENANT "/Stamp/machines/base"), 0, inventory_fresh, call);
}

static void inventory_driver_create(struct provider *port, const struct intent *intent,
                                    const struct provider_request *request, provider_done *done,
                                    void *arg)
{
    struct inventory_call *call =
        inventory_call_new(port, INVENTORY_CREATE, request->tags.cluster, done, arg);
    struct arena *arena = call->arena;

    (void)intent;
    call->request = (struct provider_request){
        .tags = { .cluster = call->cluster,
                  .life = arena_text(arena, request->tags.life),
                  .group = arena_text(arena, request->tags.group),
                  .slot = request->tags.slot,
                  .token = arena_text(arena, request->tags.token),
                  .mac = arena_text(arena, request->tags.mac) },
        .name = arena_text(arena, request->name),
        .labels = arena_text(arena, request->labels),
        .more = arena_text(arena, request->more),
        .keys = arena_text(arena, request->keys),
    };
    inventory_begin(call);
}

static void inventory_driver_destroy(struct provider *port, const struct intent *intent,
                                     provider_done *done, void *arg)
{
    struct inventory_call *call =
        inventory_call_new(port, INVENTORY_DESTROY, intent_cluster(intent), done, arg);

    call->id = arena_text(call->arena, intent_id(intent));
    call->token = arena_text(call->arena, intent_token(intent));
    call->reason = arena_text(call->arena, intent_reason(intent));
    inventory_begin(call);
}

static void inventory_driver_label(struct provider *port, const struct intent *intent,
                                   struct text labels, provider_done *done, void *arg)
{
    struct inventory_call *call =
        inventory_call_new(port, INVENTORY_LABEL, intent_cluster(intent), done, arg);

    call->id = arena_text(call->arena, intent_id(intent));
    call->token = arena_text(call->arena, intent_token(intent));
    call->labels = arena_text(call->arena, labels);
    inventory_begin(call);
}

static void inventory_driver_list(struct provider *port, struct text cluster, struct text known,
                                  provider_done *done, void *arg)
{
    struct inventory_call *call = inventory_call_new(port, INVENTORY_LIST, cluster, done, arg);

    call->known = arena_text(call->arena, known);
    inventory_begin(call);
}

static void inventory_driver_find(struct provider *port, const struct intent *intent,
                                  provider_done *done, void *arg)
{
    struct inventory_call *call =
        inventory_call_new(port, INVENTORY_FIND, intent_cluster(intent), done, arg);

    call->id = arena_text(call->arena, intent_id(intent));
    call->token = arena_text(call->arena, intent_token(intent));
    inventory_begin(call);
}

/* ---- iterations ---- */

static bool inventory_is_due(const struct inventory_call *call)
{
    return !call->is_asking && cache_revision(call->inventory->options.cache) >= call->wanted;
}

size_t inventory_run(struct inventory *inventory)
{
    size_t count = 0;

    for (bool is_any = cache_state(inventory->options.cache) == CACHE_READY; is_any;) {
        is_any = false;
        /* the callback of a call may make new calls, so start over after each one */
        for (struct inventory_call *call = inventory->calls; call != NULL; call = call->next) {
            if (inventory_is_due(call)) {
                inventory_call_run(call);
                is_any = true;
                count++;
                break;
            }
        }
    }
    return count;
}

uint64_t inventory_due(const struct inventory *inventory)
{
    for (const struct inventory_call *call = inventory->calls; call != NULL; call = call->next) {
        if (inventory_is_due(call)) {
            return 0;
        }
    }
    return UINT64_MAX;
}

static size_t inventory_driver_run(struct provider *port)
{
    return inventory_run(((const struct inventory_tenant *)port)->inventory);
}

static uint64_t inventory_driver_due(const struct provider *port)
{
    return inventory_due(((const struct inventory_tenant *)port)->inventory);
}

static void inventory_driver_close(struct provider *port)
{
    inventory_close(((const struct inventory_tenant *)port)->inventory);
}

void inventory_close(struct inventory *inventory)
{
    static const struct provider_answer closed = { .message = { "the manager is stopping", 23 } };

    while (inventory != NULL && inventory->calls != NULL) {
        struct inventory_call *call = inventory->calls;

        if (!call->is_asking) {
            inventory_end(call, OUTCOME_UNKNOWN, &closed);
            continue;
        }
        inventory_unlink(call); /* the memory is freed when the store answers */
        call->done(call->arg, OUTCOME_UNKNOWN, &closed);
    }
}

/* ---- instances ---- */

struct inventory *inventory_new(const struct inventory_options *options)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct inventory *inventory = arena_one(memory, struct inventory);

    *inventory = (struct inventory){ .memory = memory, .options = *options };
    inventory->last = &inventory->calls;
    return inventory;
}

void inventory_free(struct inventory *inventory)
{
    if (inventory != NULL) {
        inventory_close(inventory);
        arena_free(inventory->memory);
    }
}

struct provider *inventory_provider(struct inventory *inventory, struct text tenant)
{
    static const struct provider_driver driver = {
        .name = INVENTORY_PLUGIN,
        .close = inventory_driver_close,
        .run = inventory_driver_run,
        .due = inventory_driver_due,
        .create = inventory_driver_create,
        .destroy = inventory_driver_destroy,
        .label = inventory_driver_label,
        .list = inventory_driver_list,
        .find = inventory_driver_find,
    };
    static const struct text in_place[] = { { "image", 5 } };
    struct inventory_tenant *one = inventory->tenants;

    while (one != NULL && !text_is_equal(one->tenant, tenant)) {
        one = one->next;
    }
    if (one == NULL) {
        one = arena_one(inventory->memory, struct inventory_tenant);
        *one = (struct inventory_tenant){
            .provider = { .driver = &driver,
                          .traits = { .late_ms = INVENTORY_LATE_MS,
                                      .is_strong = true,
                                      .has_tokens = true,
                                      .is_pool = true,
                                      .can_label = true,
                                      .in_place = in_place,
                                      .in_place_count = ARRAY_COUNT(in_place) } },
            .next = inventory->tenants,
            .inventory = inventory,
            .tenant = arena_text(inventory->memory, tenant),
        };
        inventory->tenants = one;
    }
    return &one->provider;
}
