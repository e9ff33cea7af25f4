#include "power_requests/power_requests.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/check.h"
#include "query/query_parts.h"
#include "records/discovered.h"

/* public names start with: power_ */

struct power_request {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void power_request_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    const struct power_request *request = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "the state of the machine has changed meanwhile: repeat the command");
        }
        service_refuse(request->service, request->arena, &err, request->done, request->arg);
        return;
    }
    service_report(request->service, request->arena, &request->answer, request->done, request->arg);
}

/* Finds the row. R0403, R0826. */
MUST_CHECK static bool power_row_find(const struct service *service, struct arena *arena,
                                      struct text tenant, struct text name, struct discovered *out,
                                      struct err *err)
{
    size_t count;

    if (discovered_find(arena, service->cache, tenant, name, out, NULL, &count)) {
        return true;
    }
    if (count > 1) {
        err_set(err, CODE_R0826, "%zu machines of the inventory are named '%.*s'", count,
                TEXT_ARG(name));
        return err_hint(err, "name one by its id: reeve discover lists them");
    }
    err_set(err, CODE_R0403, "there is no machine '%.*s' in the inventory", TEXT_ARG(name));
    return err_hint(err, "reeve discover --all lists its machines");
}

/* Finds the row and its power control. R0861: it has none. */
MUST_CHECK static bool power_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text name, struct discovered *out_row,
                                  struct power *out, struct err *err)
{
    if (!power_row_find(service, arena, tenant, name, out_row, err)) {
        return false;
    }
    if (power_read(arena, service->cache, tenant, out_row->id, out)) {
        return true;
    }
    err_set(err, CODE_R0861, "machine '%.*s' has no power control", TEXT_ARG(out_row->name));
    return err_hint(err, "reeve power set %.*s ipmi://USER@ADDRESS --secret NAME",
                    TEXT_ARG(out_row->id));
}

/* The record for display, with the id and the name of the machine. */
static struct doc power_answer_make(struct arena *arena, const struct power *power,
                                    const struct discovered *row)
{
    struct doc shown = power_show(arena, power);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < shown.entry_count; i++) {
        doc_builder_add(&builder, &shown.entries[i]);
    }
    doc_builder_put(&builder, "id", doc_text(row->id, NULL));
    doc_builder_put(&builder, "name", doc_text(row->name, NULL));
    return doc_builder_map(&builder, NULL);
}

static void power_request_write(struct power_request *request, const struct service_actor *actor,
                                const struct discovered *row, const struct power *power,
                                bool is_delete, const struct service_event *about)
{
    struct arena *arena = request->arena;
    struct power_request *kept = arena_one(arena, struct power_request);
    struct service_actor *sender = arena_one(arena, struct service_actor);
    struct store_op op = { .key = power_key(arena, actor->tenant, row->id),
                           .value = power_format(arena, power),
                           .is_delete = is_delete };
    struct store_compare compare = { .key = op.key, .revision = power->revision };
    struct service_event named = *about;
    struct store_event event;

    named.machine = &(struct record){ .plan.id = row->id };
    named.fact = arena_printf(arena, "%.*s (%.*s): %.*s", TEXT_ARG(row->name), TEXT_ARG(row->id),
                              TEXT_ARG(about->fact));
    event = service_event(request->service, arena, actor, &named);
    *kept = *request;
    *sender = *actor;
    kept->answer = power_answer_make(arena, power, row);
    service_txn(request->service, arena, sender,
                &(struct store_txn){ &compare, 1, &op, 1, &event, 1 }, power_request_written, kept);
}

/* ---- access ---- */

MUST_CHECK static bool power_access_read(struct arena *arena, const struct power_access *access,
                                         struct power *inout, struct err *err)
{
    inout->system = TEXT("");
    inout->pin = TEXT("");
    if (!power_url_parse(access->url, inout, err)) {
        return false;
    }
    if (access->secret.length == 0) {
        err_set(err, CODE_R0860, "the name of the secret with the password of the BMC is missing");
        return err_hint(err, "reeve create secret bmc --from-file password.txt, then --secret bmc");
    }
    if (!check_object_name(access->secret, err)) {
        return false;
    }
    if (access->pin.length > 0 && inout->protocol != POWER_REDFISH) {
        return err_set(err, CODE_R0860, "a BMC by IPMI has no certificate that could be pinned");
    }
    inout->secret = access->secret;
    return access->pin.length == 0 || power_pin_parse(arena, access->pin, &inout->pin, err);
}

void power_access_set(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text name,
                      const struct power_access *access, service_done *done, void *arg)
{
    struct power_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct power power = { 0 };
    struct discovered row;
    struct err err;

    if (!power_row_find(service, arena, actor->tenant, name, &row, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (!power_read(arena, service->cache, actor->tenant, row.id, &power)) {
        power = (struct power){ .row = row.id };
    }
    power.state = POWER_STATE_UNKNOWN;
    power.state_ms = 0;
    power.fault = TEXT("");
    power.fault_ms = 0;
    power.order = (struct power_order){ 0 };
    if (!power_access_read(arena, access, &power, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    power_request_write(
        &request, actor, &row, &power, false,
        &(struct service_event){ .type = "power.set", .fact = power_url_format(arena, &power) });
}

void power_access_clear(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text name, service_done *done,
                        void *arg)
{
    struct power_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct discovered row;
    struct power power;
    struct err err;

    if (!power_find(service, arena, actor->tenant, name, &row, &power, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    power_request_write(
        &request, actor, &row, &power, true,
        &(struct service_event){ .type = "power.unset", .fact = power_url_format(arena, &power) });
}

void power_get(struct service *service, struct arena *arena, const struct service_actor *actor,
               struct text name, service_done *done, void *arg)
{
    struct discovered row;
    struct power power;
    struct doc body;
    struct err err;

    if (!power_find(service, arena, actor->tenant, name, &row, &power, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    body = power_answer_make(arena, &power, &row);
    service_report(service, arena, &body, done, arg);
}

/* ---- orders ---- */

/* True if a manager of the store has this host in its address. */
static bool power_is_manager(const struct service *service, struct arena *arena,
                             struct text address)
{
    struct text prefix = TEXT("/" OBJECTS_SYSTEM_TENANT "/Manager/");

    for (const struct cache_object *object = cache_first(service->cache, prefix);
         object != NULL && address.length > 0;
         object = cache_next(service->cache, prefix, object)) {
        const struct blob *bytes = object->parts[CACHE_STATUS].bytes;
        struct text own;
        struct doc doc;
        struct err err;

        if (bytes == NULL ||
            !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                        NULL, &doc, &err)) {
            continue;
        }
        own = doc_child_text(&doc, "address");
        if (text_has_prefix(own, address) && own.length > address.length &&
            own.data[address.length] == ':') {
            return true;
        }
    }
    return false;
}

/* Refuses what would harm: no member without consent, no host of a manager, and no machine
 * whose disks are being written. Switching on is always possible. */
MUST_CHECK static bool power_command_check(const struct service *service, struct arena *arena,
                                           const struct discovered *row,
                                           const struct power_command *command, struct err *err)
{
    bool is_own = command->is_own_address != NULL && command->is_own_address(arena, row->address);

    if (command->action == POWER_ACTION_ON) {
        return true;
    }
    if (is_own || power_is_manager(service, arena, row->address)) {
        err_set(err, CODE_R0862, "machine '%.*s' is the host of a manager", TEXT_ARG(row->name));
        return err_hint(err, "stop the manager there first, and switch the machine by its BMC");
    }
    if (row->install.state == DISCOVERED_INSTALL_RUNNING) {
        err_set(err, CODE_R0862, "an image is being installed on machine '%.*s'",
                TEXT_ARG(row->name));
        return err_hint(err, "reeve decommission ends the installation");
    }
    if (row->claim.token.length > 0 && !command->has_consent) {
        err_set(err, CODE_R0862, "machine '%.*s' is member %.*s, which would be interrupted",
                TEXT_ARG(row->name), TEXT_ARG(row->claim.name));
        return err_hint(err, "give consent: --allow reboot=1; with the API: \"consent\": true");
    }
    return true;
}

void power_command(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text name, const struct power_command *command, service_done *done,
                   void *arg)
{
    struct power_request request = { .service = service, .arena = arena, .done = done, .arg = arg };
    struct discovered row;
    struct power power;
    struct err err;

    if (!power_find(service, arena, actor->tenant, name, &row, &power, &err) ||
        !power_command_check(service, arena, &row, command, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    power_order_set(&power, command->action, service->ports.wall_ms(service->ports.arg),
                    actor->user, command->why);
    power_request_write(
        &request, actor, &row, &power, false,
        &(struct service_event){ .type = "power.ordered",
                                 .fact = text_from(power_action_name(command->action)),
                                 .why = command->why });
}
