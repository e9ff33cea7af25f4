#include "base/limits.h"
#include "discovery/discover_parts.h"

#include <string.h>

/* public names start with: discover_ */

/* Probes a network; each request probes one piece of it (decision 0150).
 *
 * Normal case: the addresses of a piece that accept connections to the port become the targets of
 * the request, whose host keys are read next. A machine of a cluster is skipped, because the
 * cluster's own probes observe it.
 *
 * Failures: if more machines answer than fit in one transaction, the next piece begins with the
 * first remaining machine. */

/* Parses NETWORK/BITS. R0844: the text is not a network, or the network is too large to be
 * probed. */
MUST_CHECK static bool discover_network_parse(struct discover *discover, struct err *err)
{
    struct text text = discover->request.network;
    size_t slash = text_find_byte(text, '/');
    struct discover_network *network = &discover->network;
    uint32_t first = 0;
    int64_t bits = 0;

    if (slash == SIZE_MAX || !text_parse_int64(text_slice(text, slash + 1, SIZE_MAX), &bits) ||
        bits < 1 || bits > 32 || !text_parse_v4(text_slice(text, 0, slash), &first)) {
        err_set(err, CODE_R0844, "'%.*s' is not an IPv4 network", TEXT_ARG(text));
        return err_hint(err, "write 10.0.0.0/24; machines with IPv6 are discovered by address");
    }
    if (bits < DISCOVER_BITS_MIN) {
        err_set(err, CODE_R0844, "%.*s has more addresses than reeve probes: 1024 (/%d)",
                TEXT_ARG(text), DISCOVER_BITS_MIN);
        return err_hint(err, "probe parts of the network, one after the other");
    }
    network->count = UINT64_C(1) << (32 - bits);
    if ((first & (network->count - 1)) != 0) {
        return err_set(err, CODE_R0844,
                       "'%.*s' does not begin with the first address of its network",
                       TEXT_ARG(text));
    }
    if (first >> 24 == 0 || first >> 28 >= 14) {
        return err_set(err, CODE_R0844, "no machine has an address in %.*s", TEXT_ARG(text));
    }
    if (bits < 31) {
        /* the first address is the network address, and the last is the broadcast address */
        first++;
        network->count -= 2;
    }
    network->first = first;
    return true;
}

/* Skips the addresses of machines that belong to a cluster. */
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

/* The machines that answered become the addresses of the request, as many as one transaction can
 * take. */
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

bool discover_network_begin(struct discover *discover, struct err *err)
{
    const struct service_controller *reconciler = &discover->service->reconciler;
    struct discover_network *network = &discover->network;
    uint64_t from = discover->request.from;

    if (discover->actor.reach != NULL) {
        return err_set(err, CODE_R0409, "only an operator of the tenant may probe networks");
    }
    if (discover->request.count > 0 || discover->request.is_approved) {
        err_set(err, CODE_R0426, "a request with network must not have addresses or approve");
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
    discover->source = TEXT("probe");
    discover->why = "answered a probe of its network";
    network->next = network->count - from > DISCOVER_PIECE ? from + DISCOVER_PIECE : network->count;
    discover->targets =
        arena_array(discover->arena, struct discover_target, DISCOVER_ADDRESSES_MAX);
    if (reconciler->sweep == NULL ||
        !reconciler->sweep(reconciler->arg, network->first + (uint32_t)from,
                           (size_t)(network->next - from), discover->request.port, discover_swept,
                           discover)) {
        return err_set(err, CODE_R0845,
                       "this manager is probing other networks, and no more requests may wait");
    }
    return true;
}
