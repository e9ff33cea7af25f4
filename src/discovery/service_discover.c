#include "base/limits.h"
#include "discovery/discover_parts.h"

#include <string.h>

/* public names start with: discover_ service_ */

/* Discovers machines by address.
 *
 * Normal case: no address is known yet. The host key of each address is read by a key exchange,
 * without a login, for all addresses at the same time. When all have answered, one transaction
 * creates a row for each machine that has presented a key.
 *
 * A network is discovered in pieces. Its addresses that accept connections to the port become the
 * addresses of the request (decision 0150). Known machines are then not an error: a machine of a
 * cluster is skipped, and a known row gets the source `probe`.
 *
 * Failures: a known address rejects the request as a whole, before anything is sent. A machine that
 * does not answer gets no row, and the answer has the reason. If another row has the same host key,
 * the new row is marked as a duplicate, or no row is created (R0826, discover_rows.c). A known row
 * does not change if its machine presents another key (R0713). */

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
        return err_hint(
            err, "if this is a different machine, remove the known one: reeve discover forget %.*s",
            TEXT_ARG(row.id));
    }
    return true;
}

static void discover_key_reported(void *arg, struct text host_key, struct text why)
{
    struct discover_target *target = arg;
    struct discover *discover = target->discover;

    target->host_key = arena_text(discover->arena, host_key);
    if (host_key.length == 0) {
        err_set(&target->err, CODE_R0719, "%.*s presents no host key: %.*s",
                TEXT_ARG(target->address), TEXT_ARG(why));
    }
    if (--discover->pending == 0) {
        discover_write(discover);
    }
}

void discover_keys_read(struct discover *discover)
{
    const struct service_controller *reconciler = &discover->service->reconciler;

    /* an immediate answer must not end the request before all keys are requested */
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
                                   .source = TEXT("manual"),
                                   .why = "discovered by its address",
                                   .done = done,
                                   .arg = arg };
    if (discover->request.port == 0) {
        discover->request.port = DISCOVER_PORT;
    }
    if (service->reconciler.host_key == NULL) {
        err_set(&err, CODE_R0548, "this manager cannot connect to machines");
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (request->network.length > 0 ? !discover_network_begin(discover, &err)
                                    : !discover_addresses_begin(discover, &err)) {
        service_refuse(service, arena, &err, done, arg);
    }
}
