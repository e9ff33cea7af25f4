#include "base/limits.h"
#include "codec/json_member.h"
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
 * A network is discovered in pieces. Its addresses that accept connections to the port become the
 * addresses of such a request (decision 0150). Known machines are no error then: a machine of a
 * cluster is skipped, and a row gets the source `probe`.
 *
 * Failures: a known address rejects the request as a whole, before anything is sent. A machine that
 * does not answer gets no row, and the answer says why. A host key that another row has: no row
 * (R0826). A known row whose machine shows another key does not change (R0713). */

enum {
    DISCOVER_PORT = 22,
    DISCOVER_ADDRESSES_MAX = 30, /* rows of one transaction */
    DISCOVER_BITS_MIN = 22,      /* of the largest network */
    DISCOVER_PIECE = 64,         /* addresses of a network in one request */
    DISCOVER_RENEW_MS = 10 * 1000,
};

struct discover_target {
    struct discover *discover;
    struct text address; /* as it was given */
    struct text host;
    uint16_t port;
    struct text host_key;
    struct err err; /* why there is no row; code NONE: there is one */
    struct discovered row;
    bool is_known;                 /* A row has the address: it is renewed. */
    uint64_t revision;             /* of that row */
    const struct discovered *twin; /* another row with its host key; NULL: there is none */
};

/* The network of a request, and the piece of it that is probed. */
struct discover_network {
    uint32_t first; /* address */
    uint64_t count; /* of addresses that machines can have */
    uint64_t next;  /* offset of the next piece; `count`: there is none */
    size_t known;   /* machines that a cluster or a row has */
};

struct discover {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_discover request;
    struct discover_network network;
    struct discover_target *targets;
    size_t target_count;
    size_t pending;
    struct doc answer;
    service_done *done;
    void *arg;
};

/* ---- addresses ---- */

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
    uint32_t v4;

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
        (!text_parse_v4(target->host, &v4) && !is_discover_v6(target->host))) {
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

/* Reads the place of a machine of a cluster. False: it has none, or it is destroyed. */
static bool discover_record_read(struct arena *arena, const struct cache_object *object,
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

static struct text discover_records_prefix(const struct discover *discover)
{
    return arena_printf(discover->arena, "/%.*s/Resource/", TEXT_ARG(discover->actor.tenant));
}

/* Finds a machine of any cluster of the tenant that has the address. */
static bool discover_record_has(const struct discover *discover,
                                const struct discover_target *target, struct text *out_name)
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

/* True if a member of the stored row, or of a map in it, is the text. Rows are compared without
 * being parsed: there may be 100,000. */
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

/* Finds the row that has the address. */
static bool discover_row_has(const struct discover *discover, const struct discover_target *target,
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
    if (discover_row_has(discover, target, &row)) {
        err_set(err, CODE_R0825, "address %.*s is already known, as %.*s (%.*s)",
                TEXT_ARG(target->address), TEXT_ARG(row.name), TEXT_ARG(row.id));
        return err_hint(err, "reeve discover forget %.*s removes it, if the machine is another one",
                        TEXT_ARG(row.id));
    }
    return true;
}

/* ---- rows ---- */

static bool is_discover_probe(const struct discover *discover)
{
    return discover->request.network.length > 0;
}

static struct text discover_source(const struct discover *discover)
{
    return is_discover_probe(discover) ? TEXT("probe") : TEXT("manual");
}

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
        .why = is_discover_probe(discover) ? TEXT("answered a probe of its network")
                                           : TEXT("discovered by its address"),
        .by = discover->actor.user,
        .source_count = 1,
    };
    row->sources[0] = (struct discovered_source){ .kind = discover_source(discover),
                                                  .address = target->host,
                                                  .since_ms = now_ms,
                                                  .seen_ms = now_ms };
    discovered_state_set(row, LIFECYCLE_STATE_DISCOVERED, now_ms);
    if (discover->request.is_approved) {
        row->approved_by = discover->actor.user;
        row->approved_key = discovered_fingerprint(discover->arena, row);
        row->approved_ms = now_ms;
    }
}

/* Compare a row with a target: it has the address, which is renewed if the target has answered a
 * probe, or it is another machine with the same host key. */
static void discover_row_compare(struct discover *discover, const struct cache_object *object,
                                 struct discover_target *target)
{
    struct text bytes = blob_text(object->parts[CACHE_BASE].bytes);
    bool has_address =
        is_discover_probe(discover) && discover_member_is(bytes, "", "address", target->host);
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

/* Rejects a host key that another row, or an earlier address of the request, has. */
static void discover_twins_find(struct discover *discover)
{
    for (size_t i = 0; i < discover->target_count; i++) {
        struct discover_target *target = &discover->targets[i];
        const struct discovered *twin = target->twin;

        if (target->host_key.length == 0 || target->is_known) {
            continue;
        }
        if (twin != NULL) {
            err_set(&target->err, CODE_R0826, "machine %.*s (%.*s) at %.*s has the same host key",
                    TEXT_ARG(twin->name), TEXT_ARG(twin->id), TEXT_ARG(twin->address));
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

/* A known machine that answered a probe: its row gets the source, at most every ten seconds. A row
 * whose machine shows another key than before is never changed by it. Returns true if the row has
 * changed. */
static bool discover_renew(struct discover *discover, struct discover_target *target)
{
    struct discovered *row = &target->row;
    int64_t now_ms = discover->service->ports.wall_ms(discover->service->ports.arg);
    size_t at = 0;

    if (row->host_key.length > 0 && !text_is_equal(row->host_key, target->host_key)) {
        err_set(&target->err, CODE_R0713, "%.*s shows another host key than that of %.*s (%.*s)",
                TEXT_ARG(target->address), TEXT_ARG(row->name), TEXT_ARG(row->id));
        target->host_key = TEXT("");
        return false;
    }
    while (at < row->source_count && !text_is(row->sources[at].kind, "probe")) {
        at++;
    }
    if (at == DISCOVERED_SOURCES ||
        (at < row->source_count && now_ms - row->sources[at].seen_ms < DISCOVER_RENEW_MS)) {
        return false;
    }
    if (at == row->source_count) {
        row->sources[row->source_count++] =
            (struct discovered_source){ .kind = TEXT("probe"), .since_ms = now_ms };
    }
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

/* How much of a network was probed, and where the next request continues. */
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
    if (is_discover_probe(discover)) {
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
            err_hint(&err, "another request came first: repeat the command");
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
            .fact = arena_printf(arena, "%.*s (%.*s) at %.*s, host key %.*s, %s",
                                 TEXT_ARG(row->name), TEXT_ARG(row->id), TEXT_ARG(target->address),
                                 TEXT_ARG(discovered_fingerprint(arena, row)),
                                 row->approved_by.length > 0 ? "approved" : "not approved") });
}

static void discover_write(struct discover *discover)
{
    struct service *service = discover->service;
    struct arena *arena = discover->arena;
    struct store_txn txn = { 0 };
    struct store_compare *compares =
        arena_array(arena, struct store_compare, discover->target_count);
    struct store_event *events = arena_array(arena, struct store_event, discover->target_count);
    struct store_op *ops = arena_array(arena, struct store_op, discover->target_count);

    discover_rows_compare(discover);
    discover_twins_find(discover);
    for (size_t i = 0; i < discover->target_count; i++) {
        struct discover_target *target = &discover->targets[i];

        if (target->host_key.length == 0 ||
            (target->is_known && !discover_renew(discover, target))) {
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
    if (txn.op_count == 0) {
        service_report(service, arena, &discover->answer, discover->done, discover->arg);
        return;
    }
    txn.compares = compares;
    txn.compare_count = txn.op_count;
    txn.ops = ops;
    txn.events = events;
    service_txn(service, arena, &discover->actor, &txn, discover_written, discover);
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

/* Read the host keys of all addresses. */
static void discover_keys_read(struct discover *discover)
{
    const struct service_controller *reconciler = &discover->service->reconciler;

    /* an answer at once does not end the request before all are asked */
    discover->pending = discover->target_count + 1;
    for (size_t i = 0; i < discover->target_count; i++) {
        struct discover_target *target = &discover->targets[i];

        reconciler->host_key(reconciler->arg, target->host, target->port, discover_key_reported,
                             target);
    }
    if (--discover->pending == 0) {
        discover_write(discover);
    }
}

/* ---- networks ---- */

/* Parse NETWORK/BITS. R0844: it is no network, or a larger one than is probed. */
MUST_CHECK static bool discover_network_parse(struct discover *discover, struct err *err)
{
    struct text text = discover->request.network;
    size_t slash = text_find_byte(text, '/');
    struct discover_network *network = &discover->network;
    uint32_t first = 0;
    int64_t bits = 0;

    if (slash == SIZE_MAX || !text_parse_int64(text_slice(text, slash + 1, SIZE_MAX), &bits) ||
        bits < 1 || bits > 32 || !text_parse_v4(text_slice(text, 0, slash), &first)) {
        err_set(err, CODE_R0844, "'%.*s' is not a network of IPv4", TEXT_ARG(text));
        return err_hint(err, "write 10.0.0.0/24; machines with IPv6 are discovered by address");
    }
    if (bits < DISCOVER_BITS_MIN) {
        err_set(err, CODE_R0844, "%.*s has more addresses than reeve probes: 1024 (/%d)",
                TEXT_ARG(text), DISCOVER_BITS_MIN);
        return err_hint(err, "probe parts of it, one after the other");
    }
    network->count = UINT64_C(1) << (32 - bits);
    if ((first & (network->count - 1)) != 0) {
        return err_set(err, CODE_R0844, "the network of '%.*s' begins at another address",
                       TEXT_ARG(text));
    }
    if (first >> 24 == 0 || first >> 28 >= 14) {
        return err_set(err, CODE_R0844, "no machine has an address in %.*s", TEXT_ARG(text));
    }
    if (bits < 31) {
        first++; /* the first address is that of the network, the last one reaches all machines */
        network->count -= 2;
    }
    network->first = first;
    return true;
}

/* Skip the addresses of machines that a cluster has. */
static void discover_records_skip(struct discover *discover, bool *are_alive)
{
    const struct cache *cache = discover->service->cache;
    const struct discover_network *network = &discover->network;
    struct text prefix = discover_records_prefix(discover);

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct record record;
        uint32_t address;
        uint64_t offset;

        if (!discover_record_read(scratch, object, &record) ||
            !text_parse_v4(record.address, &address) ||
            !is_discover_port(record.port, discover->request.port)) {
            continue;
        }
        offset = (uint64_t)address - network->first;
        if (offset >= discover->request.from && offset < network->next) {
            are_alive[offset - discover->request.from] = false;
        }
    }
}

/* The machines that answered become the addresses of the request, as many as one transaction
 * takes. */
static void discover_swept(void *arg, const bool *are_alive)
{
    struct discover *discover = arg;
    struct discover_network *network = &discover->network;
    struct arena *arena = discover->arena;
    uint64_t offset = discover->request.from;
    bool are_new[DISCOVER_PIECE] = { 0 };
    struct err err;

    if (are_alive == NULL) {
        err_set(&err, CODE_R0548, "this manager is stopping");
        service_refuse(discover->service, arena, &err, discover->done, discover->arg);
        return;
    }
    memcpy(are_new, are_alive, network->next - offset);
    discover_records_skip(discover, are_new);
    for (; offset < network->next && discover->target_count < DISCOVER_ADDRESSES_MAX; offset++) {
        struct discover_target *target = &discover->targets[discover->target_count];
        uint32_t address = network->first + (uint32_t)offset;

        if (!are_new[offset - discover->request.from]) {
            network->known += are_alive[offset - discover->request.from];
            continue;
        }
        *target = (struct discover_target){ .discover = discover, .port = discover->request.port };
        target->host = arena_printf(arena, "%u.%u.%u.%u", (unsigned)(address >> 24),
                                    (unsigned)(address >> 16 & 255), (unsigned)(address >> 8 & 255),
                                    (unsigned)(address & 255));
        target->address =
            target->port == DISCOVER_PORT
                ? target->host
                : arena_printf(arena, "%.*s:%u", TEXT_ARG(target->host), (unsigned)target->port);
        discover->target_count++;
    }
    network->next = offset;
    discover_keys_read(discover);
}

MUST_CHECK static bool discover_network_begin(struct discover *discover, struct err *err)
{
    const struct service_controller *reconciler = &discover->service->reconciler;
    struct discover_network *network = &discover->network;
    uint64_t from = discover->request.from;

    if (discover->actor.reach != NULL) {
        return err_set(err, CODE_R0409, "an operator of the tenant probes networks");
    }
    if (discover->request.count > 0 || discover->request.is_approved) {
        err_set(err, CODE_R0426, "a network is probed without addresses and without approval");
        return err_hint(err, "machines of a network are approved one by one, by the host key that "
                             "each shows");
    }
    if (!discover_network_parse(discover, err)) {
        return false;
    }
    if (from >= network->count) {
        return err_set(err, CODE_R0426, "the network has %llu addresses",
                       (unsigned long long)network->count);
    }
    network->next = network->count - from > DISCOVER_PIECE ? from + DISCOVER_PIECE : network->count;
    discover->targets =
        arena_array(discover->arena, struct discover_target, DISCOVER_ADDRESSES_MAX);
    if (reconciler->sweep == NULL ||
        !reconciler->sweep(reconciler->arg, network->first + (uint32_t)from,
                           (size_t)(network->next - from), discover->request.port, discover_swept,
                           discover)) {
        return err_set(err, CODE_R0845, "this manager probes other networks now");
    }
    return true;
}

/* ---- requests ---- */

MUST_CHECK static bool discover_addresses_begin(struct discover *discover, struct err *err)
{
    const struct service_discover *request = &discover->request;

    if (request->count == 0 || request->count > DISCOVER_ADDRESSES_MAX) {
        return err_set(err, CODE_R0426, "a request discovers 1 to %d addresses",
                       DISCOVER_ADDRESSES_MAX);
    }
    discover->targets = arena_array(discover->arena, struct discover_target, request->count);
    discover->target_count = request->count;
    for (size_t i = 0; i < request->count; i++) {
        discover->targets[i] =
            (struct discover_target){ .discover = discover, .address = request->addresses[i] };
        if (!discover_check(discover, &discover->targets[i], err)) {
            return false;
        }
    }
    discover_keys_read(discover);
    return true;
}

void service_discover(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_discover *request,
                      service_done *done, void *arg)
{
    struct discover *discover = arena_one(arena, struct discover);
    struct err err;

    *discover = (struct discover){ .service = service,
                                   .arena = arena,
                                   .actor = *actor,
                                   .request = *request,
                                   .done = done,
                                   .arg = arg };
    if (discover->request.port == 0) {
        discover->request.port = DISCOVER_PORT;
    }
    if (service->reconciler.host_key == NULL) {
        err_set(&err, CODE_R0548, "this manager reaches no machines");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (is_discover_probe(discover) ? !discover_network_begin(discover, &err)
                                    : !discover_addresses_begin(discover, &err)) {
        service_refuse(service, arena, &err, done, arg);
    }
}
