#include "base/limits.h"
#include "codec/json_member.h"
#include "discovery/discover_parts.h"

#include <assert.h>
#include <string.h>

/* public names start with: discover_ */

/* Rows of machines that were discovered: determines which are known, and makes one transaction for
 * the new ones. */

/* ---- known machines ---- */

bool discover_record_read(struct arena *arena, const struct cache_object *object,
                          struct record *out)
{
    struct text id = cache_id(object);
    size_t slash = text_find_byte(id, '/');
    struct err err;

    return slash != SIZE_MAX && object->parts[CACHE_STATUS].bytes != NULL &&
           record_parse(arena, text_slice(id, slash + 1, SIZE_MAX),
                        blob_text(object->parts[CACHE_STATUS].bytes), out, &err) &&
           out->plan.state != PLAN_RECORD_DELETE && out->address.length > 0;
}

struct text discover_records_prefix(const struct discover *discover)
{
    return arena_printf(discover->arena, "/%.*s/Resource/", TEXT_ARG(discover->actor.tenant));
}

bool discover_record_has(const struct discover *discover, const struct discover_target *target,
                         struct text *out_name)
{
    const struct cache *cache = discover->service->cache;
    struct arena *arena = discover->arena;
    struct text prefix = discover_records_prefix(discover);

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct text id = cache_id(object);
        struct record record;

        if (discover_record_read(scratch, object, &record) &&
            text_is_equal(record.address, target->host) &&
            is_discover_port(record.port, target->port)) {
            *out_name = arena_printf(
                arena, "%.*s/%.*s",
                TEXT_ARG(objects_cluster_name(cache, arena, discover->actor.tenant,
                                              text_slice(id, 0, text_find_byte(id, '/')))),
                TEXT_ARG(record.name));
            return true;
        }
    }
    return false;
}

/* True if a member of the stored row, or of a map in it, equals the text. Rows are compared without
 * being parsed, because there may be 100,000. */
static bool discover_member_is(struct text bytes, const char *map, const char *name,
                               struct text wanted)
{
    struct text value;

    if (map[0] != '\0') {
        if (!json_member_find(bytes, text_from(map), &bytes)) {
            return false;
        }
    }
    return wanted.length > 0 && json_member_find(bytes, text_from(name), &value) &&
           value.length == wanted.length + 2 &&
           text_is_equal(text_slice(value, 1, wanted.length), wanted);
}

bool discover_row_has(const struct discover *discover, const struct discover_target *target,
                      struct discovered *out)
{
    const struct cache *cache = discover->service->cache;
    struct arena *arena = discover->arena;
    struct text prefix =
        arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(discover->actor.tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        if (object->parts[CACHE_BASE].bytes != NULL &&
            discover_member_is(blob_text(object->parts[CACHE_BASE].bytes), "", "address",
                               target->host) &&
            discovered_read(arena, object, out) && is_discover_port(out->port, target->port)) {
            return true;
        }
    }
    return false;
}

/* ---- rows ---- */

/* True if known machines are updated instead of rejected. */
static bool is_discover_renewing(const struct discover *discover)
{
    return !text_is(discover->source, "manual");
}

/* Makes an id that no row of the tenant and no earlier target has. */
static struct text discover_id_make(const struct discover *discover, size_t before)
{
    const struct service_ports *ports = &discover->service->ports;

    for (;;) {
        char id[37];
        struct text made;
        bool is_used;

        ports->id_make(ports->arg, id);
        made = arena_printf(discover->arena, "m-%.6s", id);
        is_used = cache_find(discover->service->cache, discover->actor.tenant,
                             TEXT(DISCOVERED_KIND), made) != NULL;
        for (size_t i = 0; i < before; i++) {
            is_used = is_used || text_is_equal(discover->targets[i].row.id, made);
        }
        if (!is_used) {
            return made;
        }
    }
}

static void discover_row_make(struct discover *discover, size_t number)
{
    struct discover_target *target = &discover->targets[number];
    int64_t now_ms = discover->service->ports.wall_ms(discover->service->ports.arg);
    struct discovered *row = &target->row;

    *row = (struct discovered){
        .id = discover_id_make(discover, number),
        .name = target->name.length > 0 ? target->name : target->host,
        .address = target->host,
        .port = target->port == DISCOVER_PORT ? 0 : target->port,
        .user = discover->request.user,
        .secret = discover->request.secret,
        .host_key = target->host_key,
        .prev_status = LIFECYCLE_STATUS_INCOMPLETE,
        .status = LIFECYCLE_STATUS_UNALLOCATED,
        .status_since_ms = now_ms,
        .why = text_from(discover->why),
        .by = discover->actor.user,
        .source_count = 1,
    };
    row->sources[0] = (struct discovered_source){ .kind = discover->source,
                                                  .name = target->name,
                                                  .address = target->host,
                                                  .since_ms = now_ms,
                                                  .seen_ms = now_ms };
    if (target->duplicate.length > 0) {
        row->conditions[LIFECYCLE_CONDITION_DUPLICATE] =
            (struct discovered_mark){ now_ms, target->duplicate };
    }
    discovered_state_set(row, LIFECYCLE_STATE_DISCOVERED, now_ms);
    if (discover->request.is_approved) {
        row->approved_by = discover->actor.user;
        row->approved_key = discovered_fingerprint(discover->arena, row);
        row->approved_ms = now_ms;
    }
}

/* Compares a row with a target. A row with the same address is updated if the target has answered a
 * probe. A row with the same host key is another machine, and is recorded as the duplicate. */
static void discover_row_compare(struct discover *discover, const struct cache_object *object,
                                 struct discover_target *target)
{
    struct text bytes = blob_text(object->parts[CACHE_BASE].bytes);
    bool has_address =
        is_discover_renewing(discover) && discover_member_is(bytes, "", "address", target->host);
    bool has_key = discover_member_is(bytes, "identity", "hostKey", target->host_key);
    struct discovered *row;

    if (!has_address && !has_key) {
        return;
    }
    row = arena_one(discover->arena, struct discovered);
    if (!discovered_read(discover->arena, object, row)) {
        return;
    }
    if (has_address && is_discover_port(row->port, target->port)) {
        target->is_known = true;
        target->row = *row;
        target->revision = object->parts[CACHE_BASE].revision;
    } else if (has_key) {
        target->twin = row;
    }
}

static void discover_rows_compare(struct discover *discover)
{
    const struct cache *cache = discover->service->cache;
    struct text prefix = arena_printf(discover->arena, "/%.*s/" DISCOVERED_KIND "/",
                                      TEXT_ARG(discover->actor.tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        for (size_t i = 0; object->parts[CACHE_BASE].bytes != NULL && i < discover->target_count;
             i++) {
            if (discover->targets[i].host_key.length > 0) {
                discover_row_compare(discover, object, &discover->targets[i]);
            }
        }
    }
}

/* Handles two addresses with the same host key. If an operator has given the address and the other
 * machine is also reachable, the address gets a row that is marked as a duplicate: machines that
 * are reachable at the same time are different machines (decision 0163). An address that was found
 * by a probe or a boot report gets no row, because it may be another address of the same
 * machine. */
static void discover_twin_take(const struct discover *discover, struct discover_target *target,
                               bool is_there, struct text other)
{
    struct text why = arena_printf(discover->arena, "%.*s has the same host key", TEXT_ARG(other));

    if (is_there && text_is(discover->source, "manual")) {
        target->duplicate = why;
        return;
    }
    err_set(&target->err, CODE_R0826, "%.*s", TEXT_ARG(why));
    target->host_key = TEXT("");
}

/* Compare the host keys of new machines with those of other rows, and of earlier addresses of the
 * request. */
static void discover_twins_find(struct discover *discover)
{
    struct arena *arena = discover->arena;

    for (size_t i = 0; i < discover->target_count; i++) {
        struct discover_target *target = &discover->targets[i];
        const struct discovered *twin = target->twin;

        if (target->host_key.length == 0 || target->is_known) {
            continue;
        }
        if (twin != NULL) {
            discover_twin_take(discover, target, twin->state == LIFECYCLE_STATE_DISCOVERED,
                               arena_printf(arena, "machine %.*s (%.*s) at %.*s",
                                            TEXT_ARG(twin->name), TEXT_ARG(twin->id),
                                            TEXT_ARG(twin->address)));
        }
        for (size_t j = 0; j < i; j++) {
            if (target->host_key.length > 0 &&
                text_is_equal(target->host_key, discover->targets[j].host_key)) {
                discover_twin_take(discover, target, true, discover->targets[j].address);
            }
        }
    }
}

/* Handles a known machine that was seen: its row gets the source, at most every ten seconds. If the
 * machine presents another key than before, its row is not changed. Returns true if the row has
 * changed. */
static bool discover_renew(struct discover *discover, struct discover_target *target)
{
    struct discovered *row = &target->row;
    int64_t now_ms = discover->service->ports.wall_ms(discover->service->ports.arg);
    size_t at = 0;

    if (row->host_key.length > 0 && !text_is_equal(row->host_key, target->host_key)) {
        err_set(&target->err, CODE_R0713, "the host key of %.*s differs from that of %.*s (%.*s)",
                TEXT_ARG(target->address), TEXT_ARG(row->name), TEXT_ARG(row->id));
        target->host_key = TEXT("");
        return false;
    }
    while (at < row->source_count && !text_is_equal(row->sources[at].kind, discover->source)) {
        at++;
    }
    if (at == DISCOVERED_SOURCES ||
        (at < row->source_count && now_ms - row->sources[at].seen_ms < DISCOVER_RENEW_MS)) {
        return false;
    }
    if (at == row->source_count) {
        row->sources[row->source_count++] =
            (struct discovered_source){ .kind = discover->source, .since_ms = now_ms };
    }
    row->sources[at].name = target->name;
    row->sources[at].address = target->host;
    row->sources[at].seen_ms = now_ms;
    row->host_key = target->host_key;
    return discovered_format(discover->arena, row).length <= DISCOVERED_ROW_BYTES;
}

static struct doc discover_problem_show(struct arena *arena, const struct discover_target *target)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "address", doc_text(target->address, NULL));
    doc_builder_put(&builder, "code", doc_text(text_from(code_get(target->err.code)->name), NULL));
    doc_builder_put(&builder, "why",
                    doc_text(arena_text(arena, text_from(target->err.text)), NULL));
    return doc_builder_map(&builder, NULL);
}

/* Reports how much of a network was probed, and where the next request must continue. */
static void discover_network_show(const struct discover *discover, struct doc_builder *builder)
{
    const struct discover_network *network = &discover->network;
    struct arena *arena = discover->arena;

    doc_builder_put(builder, "addresses", doc_int(arena, (int64_t)network->count, NULL));
    doc_builder_put(builder, "known", doc_int(arena, (int64_t)network->known, NULL));
    if (network->next < network->count) {
        doc_builder_put(builder, "next", doc_int(arena, (int64_t)network->next, NULL));
    }
}

static struct doc discover_answer_make(struct discover *discover)
{
    struct arena *arena = discover->arena;
    struct doc *items = arena_array(arena, struct doc, discover->target_count);
    struct doc *problems = arena_array(arena, struct doc, discover->target_count);
    struct doc_builder builder;
    size_t problem_count = 0;
    size_t count = 0;

    for (size_t i = 0; i < discover->target_count; i++) {
        const struct discover_target *target = &discover->targets[i];

        if (target->host_key.length == 0) {
            problems[problem_count++] = discover_problem_show(arena, target);
        } else if (target->is_known) {
            discover->network.known++;
        } else {
            items[count++] = discovered_show(arena, &target->row);
        }
    }
    doc_builder_init(&builder, arena);
    if (discover->network.count > 0) {
        discover_network_show(discover, &builder);
    }
    doc_builder_put(&builder, "items", doc_list(items, count, NULL));
    doc_builder_put(&builder, "problems", doc_list(problems, problem_count, NULL));
    return doc_builder_map(&builder, NULL);
}

static void discover_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct discover *discover = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(
                &err,
                "another request has changed the inventory in the meantime: repeat the command");
        }
        service_refuse(discover->service, discover->arena, &err, discover->done, discover->arg);
        return;
    }
    service_report(discover->service, discover->arena, &discover->answer, discover->done,
                   discover->arg);
}

static struct store_event discover_event(const struct discover *discover,
                                         const struct discover_target *target)
{
    struct arena *arena = discover->arena;
    const struct discovered *row = &target->row;

    return service_event(
        discover->service, arena, &discover->actor,
        &(struct service_event){
            .type = "node.seen",
            .machine = &(struct record){ .plan.id = row->id },
            .fact = arena_printf(arena, "%.*s (%.*s) at %.*s, host key %.*s, %s%s%.*s",
                                 TEXT_ARG(row->name), TEXT_ARG(row->id), TEXT_ARG(target->address),
                                 TEXT_ARG(discovered_fingerprint(arena, row)),
                                 row->approved_by.length > 0 ? "approved" : "not approved",
                                 target->duplicate.length > 0 ? ", a duplicate: " : "",
                                 TEXT_ARG(target->duplicate)) });
}

/* True if the data that the source reports about a machine differs from its row. False for a boot
 * report with a used-up token, because such reports could fill the event log. */
static bool is_discover_contradiction(const struct discover *discover,
                                      const struct discover_target *target)
{
    return (target->err.code == CODE_R0713 || target->err.code == CODE_R0826) &&
           (text_is(discover->source, "probe") || discover->use.key.length > 0);
}

static struct store_event discover_contradiction(const struct discover *discover,
                                                 const struct discover_target *target)
{
    struct arena *arena = discover->arena;

    return service_event(
        discover->service, arena, &discover->actor,
        &(struct service_event){ .type = "node.contradicted",
                                 .fact = arena_text(arena, text_from(target->err.text)) });
}

void discover_write(struct discover *discover)
{
    struct service *service = discover->service;
    struct arena *arena = discover->arena;
    struct store_txn txn = { 0 };
    struct store_compare *compares =
        arena_array(arena, struct store_compare, discover->target_count + 1);
    struct store_event *events = arena_array(arena, struct store_event, discover->target_count);
    struct store_op *ops = arena_array(arena, struct store_op, discover->target_count + 1);

    discover_rows_compare(discover);
    discover_twins_find(discover);
    for (size_t i = 0; i < discover->target_count; i++) {
        struct discover_target *target = &discover->targets[i];

        if (target->host_key.length == 0 ||
            (target->is_known && !discover_renew(discover, target))) {
            if (is_discover_contradiction(discover, target)) {
                events[txn.event_count++] = discover_contradiction(discover, target);
            }
            continue;
        }
        if (!target->is_known) {
            discover_row_make(discover, i);
            events[txn.event_count++] = discover_event(discover, target);
        }
        ops[txn.op_count] =
            (struct store_op){ .key = discovered_key(arena, discover->actor.tenant, target->row.id),
                               .value = discovered_format(arena, &target->row) };
        compares[txn.op_count] =
            (struct store_compare){ .key = ops[txn.op_count].key,
                                    .revision = target->is_known ? target->revision : 0 };
        txn.op_count++;
    }
    discover->answer = discover_answer_make(discover);
    if (txn.op_count + txn.event_count == 0) {
        service_report(service, arena, &discover->answer, discover->done, discover->arg);
        return;
    }
    if (discover->use.key.length > 0 && txn.event_count > 0) {
        compares[txn.op_count] =
            (struct store_compare){ .key = discover->use.key, .revision = discover->use_revision };
        ops[txn.op_count++] = discover->use;
    }
    txn.compares = compares;
    txn.compare_count = txn.op_count;
    txn.ops = ops;
    txn.events = events;
    service_txn(service, arena, &discover->actor, &txn, discover_written, discover);
}
