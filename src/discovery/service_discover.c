#include "base/limits.h"
#include "query/query_parts.h"
#include "records/discovered.h"

#include <assert.h>
#include <string.h>

/* names: discover_ service_ */

/* Discovers machines by address.
 *
 * Normal case: no address is known yet. The host key of each is read by a key exchange, without a
 * login, all at once. When all have answered, one transaction makes a row of each that has shown a
 * key.
 *
 * Failures: a known address rejects the request as a whole, before anything is sent. A machine that
 * does not answer gets no row, and the answer says why. A host key that another row has: no row
 * (R0826). */

enum { DISCOVER_PORT = 22, DISCOVER_ADDRESSES_MAX = 30 };

struct discover_target {
    struct discover *discover;
    struct text address; /* as it was given */
    struct text host;
    uint16_t port;
    struct text host_key;
    struct err err; /* why there is no row; code NONE: there is one */
    struct discovered row;
};

struct discover {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_discover request;
    struct discover_target *targets;
    size_t pending;
    struct doc answer;
    service_done *done;
    void *arg;
};

/* ---- addresses ---- */

static bool is_discover_v4(struct text text)
{
    size_t parts = 0;

    while (parts < 4) {
        size_t dot = text_find_byte(text, '.');
        struct text part = text_slice(text, 0, dot);
        int64_t number;

        if (part.length == 0 || part.length > 3 || (part.length > 1 && part.data[0] == '0') ||
            !text_parse_int64(part, &number) || number < 0 || number > 255) {
            return false;
        }
        parts++;
        if (dot == SIZE_MAX) {
            return parts == 4;
        }
        text = text_slice(text, dot + 1, SIZE_MAX);
    }
    return false;
}

static bool is_discover_v6(struct text text)
{
    size_t colons = 0;

    for (size_t i = 0; i < text.length; i++) {
        colons += text.data[i] == ':';
        if (strchr("0123456789abcdefABCDEF:.", text.data[i]) == NULL) {
            return false;
        }
    }
    return colons >= 2 && text.length < LIMIT_ADDRESS_BYTES;
}

/* Splits ADDRESS, V4:PORT or [V6]:PORT. */
MUST_CHECK static bool discover_address_parse(struct discover_target *target, struct err *err)
{
    struct text text = target->address;
    size_t colon = text_find_byte(text, ':');
    size_t bracket = text_find_byte(text, ']');
    struct text port = TEXT("");
    int64_t number = DISCOVER_PORT;

    target->host = text;
    if (text.length > 0 && text.data[0] == '[' && bracket != SIZE_MAX) {
        target->host = text_slice(text, 1, bracket - 1);
        port = text_slice(text, bracket + 1, SIZE_MAX);
    } else if (colon != SIZE_MAX &&
               text_find_byte(text_slice(text, colon + 1, SIZE_MAX), ':') == SIZE_MAX) {
        target->host = text_slice(text, 0, colon);
        port = text_slice(text, colon, SIZE_MAX);
    }
    if ((port.length > 0 &&
         (port.data[0] != ':' || !text_parse_int64(text_slice(port, 1, SIZE_MAX), &number))) ||
        number < 1 || number > UINT16_MAX ||
        (!is_discover_v4(target->host) && !is_discover_v6(target->host))) {
        err_set(err, CODE_R0426, "'%.*s' is not an address", TEXT_ARG(text));
        return err_hint(err, "write 10.0.0.71, 10.0.0.71:2222 or [2001:db8::1]:22");
    }
    target->port = (uint16_t)number;
    return true;
}

static bool is_discover_port(uint16_t recorded, uint16_t port)
{
    return (recorded == 0 ? DISCOVER_PORT : recorded) == port;
}

/* Finds a machine of any cluster of the tenant that has the address. */
static bool discover_record_has(const struct discover *discover,
                                const struct discover_target *target, struct text *out_name)
{
    const struct cache *cache = discover->service->cache;
    struct arena *arena = discover->arena;
    struct text prefix = arena_printf(arena, "/%.*s/Resource/", TEXT_ARG(discover->actor.tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct text id = cache_id(object);
        size_t slash = text_find_byte(id, '/');
        struct record record;
        struct err err;

        if (slash != SIZE_MAX && object->parts[CACHE_STATUS].bytes != NULL &&
            record_parse(scratch, text_slice(id, slash + 1, SIZE_MAX),
                         blob_text(object->parts[CACHE_STATUS].bytes), &record, &err) &&
            record.plan.state != PLAN_RECORD_DELETE &&
            text_is_equal(record.address, target->host) &&
            is_discover_port(record.port, target->port)) {
            *out_name =
                arena_printf(arena, "%.*s/%.*s",
                             TEXT_ARG(objects_cluster_name(cache, arena, discover->actor.tenant,
                                                           text_slice(id, 0, slash))),
                             TEXT_ARG(record.name));
            return true;
        }
    }
    return false;
}

/* Finds the row that has the address, or the host key if `host_key` is not empty. */
static bool discover_row_has(const struct discover *discover, const struct discover_target *target,
                             struct text host_key, struct discovered *out)
{
    const struct cache *cache = discover->service->cache;
    struct arena *arena = discover->arena;
    struct text prefix =
        arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(discover->actor.tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);

        if (discovered_read(arena, object, out) &&
            (host_key.length > 0 ? text_is_equal(out->host_key, host_key)
                                 : text_is_equal(out->address, target->host) &&
                                       is_discover_port(out->port, target->port))) {
            return true;
        }
        arena_rewind(arena, mark);
    }
    return false;
}

MUST_CHECK static bool discover_check(const struct discover *discover,
                                      struct discover_target *target, struct err *err)
{
    struct discovered row;
    struct text name;

    if (!discover_address_parse(target, err)) {
        return false;
    }
    if (discover_record_has(discover, target, &name)) {
        return err_set(err, CODE_R0825, "address %.*s is already known, as %.*s",
                       TEXT_ARG(target->address), TEXT_ARG(name));
    }
    if (discover_row_has(discover, target, TEXT(""), &row)) {
        err_set(err, CODE_R0825, "address %.*s is already known, as %.*s (%.*s)",
                TEXT_ARG(target->address), TEXT_ARG(row.name), TEXT_ARG(row.id));
        return err_hint(err, "reeve discover forget %.*s removes it, if the machine is another one",
                        TEXT_ARG(row.id));
    }
    return true;
}

/* ---- rows ---- */

/* Makes an id that no row of the tenant, and no earlier target, has. */
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
        .name = target->host,
        .address = target->host,
        .port = target->port == DISCOVER_PORT ? 0 : target->port,
        .user = discover->request.user,
        .secret = discover->request.secret,
        .host_key = target->host_key,
        .prev_status = LIFECYCLE_STATUS_INCOMPLETE,
        .status = LIFECYCLE_STATUS_UNALLOCATED,
        .status_since_ms = now_ms,
        .why = TEXT("discovered by its address"),
        .by = discover->actor.user,
        .source_count = 1,
    };
    row->sources[0] = (struct discovered_source){
        .kind = TEXT("manual"), .address = target->host, .since_ms = now_ms, .seen_ms = now_ms
    };
    discovered_state_set(row, LIFECYCLE_STATE_DISCOVERED, now_ms);
    if (discover->request.is_approved) {
        row->approved_by = discover->actor.user;
        row->approved_key = discovered_fingerprint(discover->arena, row);
        row->approved_ms = now_ms;
    }
}

/* Rejects a host key that another row, or an earlier address of the request, has. */
static void discover_twins_find(struct discover *discover)
{
    for (size_t i = 0; i < discover->request.count; i++) {
        struct discover_target *target = &discover->targets[i];
        struct discovered row;

        if (target->host_key.length == 0) {
            continue;
        }
        if (discover_row_has(discover, target, target->host_key, &row)) {
            err_set(&target->err, CODE_R0826, "machine %.*s (%.*s) at %.*s has the same host key",
                    TEXT_ARG(row.name), TEXT_ARG(row.id), TEXT_ARG(row.address));
            target->host_key = TEXT("");
        }
        for (size_t j = 0; j < i; j++) {
            if (target->host_key.length > 0 &&
                text_is_equal(target->host_key, discover->targets[j].host_key)) {
                err_set(&target->err, CODE_R0826, "%.*s has the same host key",
                        TEXT_ARG(discover->targets[j].address));
                target->host_key = TEXT("");
            }
        }
    }
}

static struct doc discover_answer_make(struct discover *discover)
{
    struct arena *arena = discover->arena;
    struct doc *items = arena_array(arena, struct doc, discover->request.count);
    struct doc *problems = arena_array(arena, struct doc, discover->request.count);
    struct doc_builder builder;
    size_t problem_count = 0;
    size_t count = 0;

    for (size_t i = 0; i < discover->request.count; i++) {
        const struct discover_target *target = &discover->targets[i];

        if (target->host_key.length > 0) {
            items[count++] = discovered_show(arena, &target->row);
            continue;
        }
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "address", doc_text(target->address, NULL));
        doc_builder_put(&builder, "code",
                        doc_text(text_from(code_get(target->err.code)->name), NULL));
        doc_builder_put(&builder, "why",
                        doc_text(arena_text(arena, text_from(target->err.text)), NULL));
        problems[problem_count++] = doc_builder_map(&builder, NULL);
    }
    doc_builder_init(&builder, arena);
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
            err_hint(&err, "another request came first: repeat the command");
        }
        service_refuse(discover->service, discover->arena, &err, discover->done, discover->arg);
        return;
    }
    service_report(discover->service, discover->arena, &discover->answer, discover->done,
                   discover->arg);
}

static void discover_write(struct discover *discover)
{
    struct service *service = discover->service;
    struct arena *arena = discover->arena;
    struct store_compare *compares =
        arena_array(arena, struct store_compare, discover->request.count);
    struct store_event *events = arena_array(arena, struct store_event, discover->request.count);
    struct store_op *ops = arena_array(arena, struct store_op, discover->request.count);
    size_t count = 0;

    discover_twins_find(discover);
    for (size_t i = 0; i < discover->request.count; i++) {
        const struct discovered *row = &discover->targets[i].row;

        if (discover->targets[i].host_key.length == 0) {
            continue;
        }
        discover_row_make(discover, i);
        ops[count] =
            (struct store_op){ .key = discovered_key(arena, discover->actor.tenant, row->id),
                               .value = discovered_format(arena, row) };
        compares[count] = (struct store_compare){ .key = ops[count].key };
        events[count] = service_event(
            service, arena, &discover->actor,
            &(struct service_event){
                .type = "node.seen",
                .fact = arena_printf(arena, "%.*s (%.*s) at %.*s, host key %.*s, %s",
                                     TEXT_ARG(row->name), TEXT_ARG(row->id),
                                     TEXT_ARG(discover->targets[i].address),
                                     TEXT_ARG(discovered_fingerprint(arena, row)),
                                     row->approved_by.length > 0 ? "approved" : "not approved") });
        count++;
    }
    discover->answer = discover_answer_make(discover);
    if (count == 0) {
        service_report(service, arena, &discover->answer, discover->done, discover->arg);
        return;
    }
    service_txn(service, arena, &discover->actor,
                &(struct store_txn){ compares, count, ops, count, events, count }, discover_written,
                discover);
}

static void discover_key_reported(void *arg, struct text host_key, struct text why)
{
    struct discover_target *target = arg;
    struct discover *discover = target->discover;

    target->host_key = arena_text(discover->arena, host_key);
    if (host_key.length == 0) {
        err_set(&target->err, CODE_R0719, "%.*s shows no host key: %.*s", TEXT_ARG(target->address),
                TEXT_ARG(why));
    }
    if (--discover->pending == 0) {
        discover_write(discover);
    }
}

void service_discover(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_discover *request,
                      service_done *done, void *arg)
{
    struct discover *discover = arena_one(arena, struct discover);
    const struct service_controller *reconciler = &service->reconciler;
    struct err err;

    *discover =
        (struct discover){ .service = service,
                           .arena = arena,
                           .actor = *actor,
                           .request = *request,
                           .targets = arena_array(arena, struct discover_target, request->count),
                           .done = done,
                           .arg = arg };
    if (reconciler->host_key == NULL) {
        err_set(&err, CODE_R0548, "this manager reaches no machines");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (request->count == 0 || request->count > DISCOVER_ADDRESSES_MAX) {
        err_set(&err, CODE_R0426, "a request discovers 1 to %d addresses", DISCOVER_ADDRESSES_MAX);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    for (size_t i = 0; i < request->count; i++) {
        discover->targets[i] =
            (struct discover_target){ .discover = discover, .address = request->addresses[i] };
        if (!discover_check(discover, &discover->targets[i], &err)) {
            service_refuse(service, arena, &err, done, arg);
            return;
        }
    }
    /* an answer at once does not end the request before all are asked */
    discover->pending = request->count + 1;
    for (size_t i = 0; i < request->count; i++) {
        reconciler->host_key(reconciler->arg, discover->targets[i].host, discover->targets[i].port,
                             discover_key_reported, &discover->targets[i]);
    }
    if (--discover->pending == 0) {
        discover_write(discover);
    }
}
