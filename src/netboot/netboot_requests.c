#include "base/limits.h"
#include "netboot/netboot.h"
#include "power/power.h"
#include "query/query_parts.h"
#include "state/objects.h"

/* Requests of machines that boot from the network: their rows are found, and changes are written.
 *
 * Failures: another manager has changed the row: the report is decided again. A machine repeats its
 * report every few seconds, so that one that is lost costs a moment. */

enum { NETBOOT_TRIES = 3 };

struct netboot_request {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct netboot_report report;
    struct netboot_decision decision;
    unsigned tries;
    service_done *done;
    void *arg;
};

static void netboot_request_run(struct netboot_request *request);

static void netboot_answer(const struct netboot_request *request)
{
    service_report_body(request->service, request->arena, request->decision.answer, request->done,
                        request->arg);
}

static void netboot_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct netboot_request *request = arg;

    if (outcome == OUTCOME_OK) {
        netboot_answer(request);
    } else {
        service_refuse(request->service, request->arena, &answer->err, request->done, request->arg);
    }
}

/* Reads the row of the machine. False: it has none. */
static bool netboot_row_find(const struct service *service, struct arena *arena,
                             const struct netboot_report *report, struct discovered *out,
                             uint64_t *out_revision, size_t *out_rows)
{
    const struct cache *cache = service->cache;
    struct text prefix =
        arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(report->tenant));
    bool is_found = false;

    *out_rows = 0;
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct discovered row;

        (*out_rows)++;
        if (discovered_read(arena, object, &row) && netboot_is_same(&row, report) &&
            (!is_found || text_is_equal(row.host_key, report->host_key) ||
             row.claim.token.length > 0)) {
            *out = row;
            *out_revision = object->parts[CACHE_BASE].revision;
            is_found = true;
        } else {
            arena_rewind(arena, mark);
        }
    }
    return is_found;
}

static struct text netboot_id_make(const struct netboot_request *request)
{
    const struct service_ports *ports = &request->service->ports;

    for (;;) {
        char id[37];
        struct text made;

        ports->id_make(ports->arg, id);
        made = arena_printf(request->arena, "m-%.6s", id);
        if (cache_find(request->service->cache, request->report.tenant, TEXT(DISCOVERED_KIND),
                       made) == NULL) {
            return made;
        }
    }
}

/* True if this second has room for another write. */
static bool netboot_has_room(struct service *service)
{
    int64_t second = service->ports.wall_ms(service->ports.arg) / 1000;

    if (second != service->boot_second) {
        service->boot_second = second;
        service->boot_reports = 0;
    }
    return service->boot_reports++ < NETBOOT_WRITES;
}

static void netboot_write(struct netboot_request *request, uint64_t revision)
{
    struct service *service = request->service;
    struct arena *arena = request->arena;
    struct discovered *row = &request->decision.row;
    struct store_compare compares[2] = { { .revision = revision } };
    struct store_event event;
    struct store_op ops[2];
    size_t count = 1;

    ops[0] = (struct store_op){ .key = discovered_key(arena, request->report.tenant, row->id),
                                .value = discovered_format(arena, row) };
    compares[0].key = ops[0].key;
    if (request->decision.is_switched_off &&
        power_order_op(arena, service->cache, request->report.tenant, row->id, POWER_ACTION_OFF,
                       service->ports.wall_ms(service->ports.arg),
                       TEXT("its disks are wiped, and it is in no group"), &ops[1], &compares[1])) {
        count = 2;
    }
    event = service_event(
        service, arena, &request->actor,
        &(struct service_event){
            .type = request->decision.event == NULL ? "" : request->decision.event,
            .machine = &(struct record){ .plan.id = row->id },
            .fact = arena_printf(arena, "%.*s (%.*s)%s%.*s", TEXT_ARG(row->name), TEXT_ARG(row->id),
                                 request->decision.fact.length > 0 ? ": " : "",
                                 TEXT_ARG(request->decision.fact)) });
    service_txn(
        service, arena, &request->actor,
        &(struct store_txn){ compares, count, ops, count, &event, request->decision.event != NULL },
        netboot_written, request);
}

static void netboot_request_run(struct netboot_request *request)
{
    struct service *service = request->service;
    struct discovered row;
    uint64_t revision = 0;
    size_t rows;
    bool is_known =
        netboot_row_find(service, request->arena, &request->report, &row, &revision, &rows);
    struct err err;

    if (!is_known) {
        request->report.new_id = netboot_id_make(request);
    }
    netboot_decide(request->arena, is_known ? &row : NULL, &request->report,
                   service->ports.wall_ms(service->ports.arg), &request->decision);
    if (!request->decision.is_changed) {
        netboot_answer(request);
        return;
    }
    if (!is_known && rows >= NETBOOT_ROWS_MAX) {
        err_set(&err, CODE_R0422, "the inventory has %zu machines, and takes no unknown ones",
                rows);
    } else if (!netboot_has_room(service)) {
        err_set(&err, CODE_R0422,
                "the manager takes at most %d reports of netboot systems a second", NETBOOT_WRITES);
    } else {
        netboot_write(request, revision);
        return;
    }
    service_refuse(service, request->arena, &err, request->done, request->arg);
}

void netboot_take(struct service *service, struct arena *arena, const struct netboot_report *report,
                  service_done *done, void *arg)
{
    struct netboot_request *request = arena_one(arena, struct netboot_request);

    *request =
        (struct netboot_request){ .service = service,
                                  .arena = arena,
                                  .actor = { .tenant = report->tenant, .user = TEXT("reeve") },
                                  .report = *report,
                                  .done = done,
                                  .arg = arg };
    netboot_request_run(request);
}

enum netboot_start netboot_start_of(const struct service *service, struct arena *arena,
                                    struct text tenant, struct text mac, struct text *out_why)
{
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));

    *out_why = TEXT("unknown to this manager");
    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct discovered row;
        bool has_mac = false;
        bool is_netbooted = false;

        if (!discovered_read(arena, object, &row)) {
            continue;
        }
        for (size_t i = 0; i < row.mac_count; i++) {
            has_mac = has_mac || text_is_equal(row.macs[i], mac);
        }
        for (size_t i = 0; i < row.source_count; i++) {
            is_netbooted = is_netbooted || text_is(row.sources[i].kind, "netboot");
        }
        if (!has_mac) {
            arena_rewind(arena, mark);
            continue;
        }
        if (row.claim.token.length > 0 && row.install.state != DISCOVERED_INSTALL_WANTED &&
            row.install.state != DISCOVERED_INSTALL_RUNNING) {
            *out_why = arena_printf(arena, "member %.*s", TEXT_ARG(row.claim.name));
            return NETBOOT_START_DISK;
        }
        if (!is_netbooted) {
            *out_why = arena_printf(arena, "%.*s, which has a system of its own", TEXT_ARG(row.id));
            return NETBOOT_START_DISK;
        }
        *out_why = arena_printf(arena, "%.*s of the inventory", TEXT_ARG(row.id));
    }
    return NETBOOT_START_SYSTEM;
}

bool netboot_may_read(const struct service *service, struct arena *arena, struct text tenant,
                      struct text digest, struct text id)
{
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct discovered row;

        if (discovered_read(arena, object, &row) && row.install.id.length > 0 &&
            text_is_equal(row.install.id, id) && text_is_equal(row.install.digest, digest) &&
            row.install.state == DISCOVERED_INSTALL_RUNNING) {
            return true;
        }
        arena_rewind(arena, mark);
    }
    return false;
}
