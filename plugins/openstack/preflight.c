#include "stack.h"

#include "base/buf.h"
#include "codec/doc_child.h"

/* The checks before the first machine is created. Each check reports its faults. A check without an
 * answer causes a notice. */

struct stack_plan {
    struct stack_call *work;
    const struct reeve_need_v1 *need;
    struct stack_shape shape;
    struct stack_found found;
    struct text region;
    int32_t result;
};

/* Keeps the first result that is not a success. */
static void stack_plan_note(struct stack_plan *plan, int32_t result)
{
    if (result != REEVE_OK && (plan->result == REEVE_OK || result == REEVE_AUTH)) {
        plan->result = result;
    }
}

/* Reports that a check got no answer. If the account was rejected, that is a fault, unless the
 * plugin needs the right only for the check. */
static void stack_plan_notice(struct stack_plan *plan, const char *pointer, const char *what,
                              bool is_needed, const struct stack_answer *answer)
{
    struct stack_call *work = plan->work;
    struct text message = arena_printf(work->arena, "not checked: %s: %.*s", what,
                                       TEXT_ARG(text_slice(answer->last.message, 0, 300)));

    if (answer->result == REEVE_AUTH && is_needed) {
        stack_plan_note(plan, stack_refuse(work, pointer, what, answer));
        return;
    }
    work->stack->host->notice(work->call, plain_answer(text_from(pointer)), plain_answer(message));
}

/* ---- the region, zones, keypair ---- */

static bool stack_plan_region(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;

    plan->region = plan->shape.region;
    for (size_t i = 0; i < work->region_count; i++) {
        if (plan->region.length == 0 || text_is_equal(plan->region, work->regions[i])) {
            plan->region = work->regions[i];
            return true;
        }
    }
    stack_plan_note(plan, stack_fault(work, REEVE_INVALID, "/region",
                                      "'%.*s' is not one of the regions in the account's settings",
                                      TEXT_ARG(plan->region)));
    return false;
}

/* True if the zone is in the list and available. Appends the names of all zones. */
static bool has_stack_zone(const struct doc *list, struct text zone, struct buf *names)
{
    bool is_found = false;

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        struct text name = doc_child_text(&list->items[i], "zoneName");
        struct text available =
            doc_child_text(doc_child(&list->items[i], "zoneState"), "available");

        if (text_is(available, "true")) {
            is_found |= text_is_equal(name, zone);
            buf_add_string(names, names->length == 0 ? "" : ", ");
            buf_add(names, name);
        }
    }
    return is_found;
}

static void stack_check_zones(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;
    struct stack_answer answer;

    if (plan->need->zone_count == 0) {
        return;
    }
    if (stack_get(work, STACK_COMPUTE, plan->region, TEXT("/os-availability-zone"), &answer) !=
        REEVE_OK) {
        stack_plan_notice(plan, "", "list the availability zones", false, &answer);
        return;
    }
    for (uint32_t i = 0; i < plan->need->zone_count; i++) {
        struct text zone = plain_text(plan->need->zones[i]);
        struct buf names;

        buf_init(&names, work->arena);
        if (!has_stack_zone(doc_child(&answer.doc, "availabilityZoneInfo"), zone, &names)) {
            stack_plan_note(plan,
                            stack_fault(work, REEVE_INVALID, "",
                                        "region %.*s has no availability zone '%.*s'; there are: "
                                        "%.*s",
                                        TEXT_ARG(plan->region), TEXT_ARG(zone),
                                        TEXT_ARG(buf_text(&names))));
        }
    }
}

static void stack_check_key(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;
    struct stack_answer answer;

    if (plan->shape.key.length == 0 ||
        stack_get(work, STACK_COMPUTE, plan->region,
                  arena_printf(work->arena, "/os-keypairs/%.*s",
                               TEXT_ARG(stack_url(work, plan->shape.key))),
                  &answer) == REEVE_OK) {
        return;
    }
    if (is_stack_missing(&answer)) {
        stack_plan_note(plan, stack_fault(work, REEVE_INVALID, "/key",
                                          "the account's user has no keypair '%.*s' in region "
                                          "%.*s",
                                          TEXT_ARG(plan->shape.key), TEXT_ARG(plan->region)));
    } else {
        stack_plan_notice(plan, "/key", "get the keypair", false, &answer);
    }
}

/* ---- quotas ---- */

/* Returns the number of machines that one limit permits. INT32_MAX: it is unlimited. */
static int64_t stack_room(const struct doc *absolute, const char *most, const char *used,
                          int64_t each)
{
    int64_t limit = doc_child_number(absolute, most);
    int64_t left = limit - doc_child_number(absolute, used);

    if (limit < 0 || each <= 0 || doc_child(absolute, most) == NULL) {
        return INT32_MAX;
    }
    return left < 0 ? 0 : left / each;
}

static void stack_check_limits(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;
    const struct stack_found *found = &plan->found;
    const struct {
        const char *what;
        const char *most;
        const char *used;
        int64_t each;
    } limits[] = {
        { "instances", "maxTotalInstances", "totalInstancesUsed", 1 },
        { "cores", "maxTotalCores", "totalCoresUsed", found->flavor_cpus },
        { "RAM", "maxTotalRAMSize", "totalRAMUsed", found->flavor_ram },
    };
    struct stack_answer answer;
    const struct doc *absolute;
    const char *what = "";
    int64_t room = INT32_MAX;

    if (stack_get(work, STACK_COMPUTE, plan->region, TEXT("/limits"), &answer) != REEVE_OK) {
        if (answer.status == 406) {
            stack_plan_note(plan, stack_refuse(work, "",
                                               "the cloud's compute service is too old for reeve, "
                                               "which needs microversion 2.79",
                                               &answer));
        } else {
            stack_plan_notice(plan, "", "get the limits", false, &answer);
        }
        return;
    }
    absolute = doc_child(doc_child(&answer.doc, "limits"), "absolute");
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++) {
        int64_t each = stack_room(absolute, limits[i].most, limits[i].used, limits[i].each);

        if (each < room) {
            room = each;
            what = limits[i].what;
        }
    }
    if (room < INT32_MAX) {
        work->stack->host->fact(work->call, REEVE_TEXT("quotaLeft"),
                                plain_answer(arena_number(work->arena, room)));
    }
    if (plan->need->count > (uint64_t)room) {
        stack_plan_note(plan,
                        stack_fault(work, REEVE_QUOTA, "",
                                    "the project's quota of %s leaves room for %lld "
                                    "machines, %llu are needed: ask the cloud for a higher "
                                    "one",
                                    what, (long long)room, (unsigned long long)plan->need->count));
    }
}

/* ---- the network, volumes ---- */

/* Checks the number of free addresses. Most clouds show it only to administrators; then nothing is
 * reported. */
static void stack_check_addresses(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;
    struct stack_answer answer;
    const struct doc *row;
    int64_t left;

    if (plan->found.network.length == 0) {
        return;
    }
    if (stack_get(work, STACK_NETWORK, plan->region,
                  arena_printf(work->arena, "/network-ip-availabilities/%.*s",
                               TEXT_ARG(stack_url(work, plan->found.network))),
                  &answer) != REEVE_OK) {
        if (answer.result != REEVE_AUTH && !is_stack_missing(&answer)) {
            stack_plan_notice(plan, "/network", "get the free addresses", false, &answer);
        }
        return;
    }
    row = doc_child(&answer.doc, "network_ip_availability");
    left = doc_child_number(row, "total_ips") - doc_child_number(row, "used_ips");
    if (plan->need->count > (uint64_t)(left < 0 ? 0 : left)) {
        stack_plan_note(plan, stack_fault(work, REEVE_CAPACITY, "/network",
                                          "the network has %lld free addresses, %llu are needed",
                                          (long long)left, (unsigned long long)plan->need->count));
    }
}

/* True if a type is in the list. Otherwise *names has the types in the list. */
static bool stack_has_type(const struct doc *list, struct text type, struct buf *names)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        struct text name = doc_child_text(&list->items[i], "name");

        if (text_is_equal(name, type)) {
            return true;
        }
        buf_add_string(names, names->length == 0 ? "" : ", ");
        buf_add(names, name);
    }
    return false;
}

static void stack_check_type(struct stack_plan *plan, const struct doc *list, const char *pointer,
                             struct text type)
{
    struct buf names;

    buf_init(&names, plan->work->arena);
    if (type.length > 0 && !stack_has_type(list, type, &names)) {
        stack_plan_note(plan, stack_fault(plan->work, REEVE_INVALID, pointer,
                                          "there is no volume type '%.*s'; there are: %.*s",
                                          TEXT_ARG(type), TEXT_ARG(buf_text(&names))));
    }
}

static void stack_check_volume_types(struct stack_plan *plan)
{
    const struct stack_shape *shape = &plan->shape;
    struct stack_call *work = plan->work;
    bool has_type = shape->boot_type.length > 0;
    struct stack_answer answer;
    const struct doc *list;

    for (size_t i = 0; i < shape->disk_count; i++) {
        has_type |= shape->disks[i].type.length > 0;
    }
    if (!has_type) {
        return;
    }
    if (stack_get(work, STACK_VOLUME, plan->region, TEXT("/types"), &answer) != REEVE_OK) {
        stack_plan_notice(plan, shape->boot_type.length > 0 ? "/bootVolume/type" : "/volumes",
                          "list the volume types", false, &answer);
        return;
    }
    list = doc_child(&answer.doc, "volume_types");
    stack_check_type(plan, list, "/bootVolume/type", shape->boot_type);
    for (size_t i = 0; i < shape->disk_count; i++) {
        stack_check_type(plan, list, arena_printf(work->arena, "/volumes/%zu/type", i).data,
                         shape->disks[i].type);
    }
}

/* Checks the zones for volumes. Zones of cinder may have other names than zones of nova. */
static void stack_check_volume_zones(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;
    struct stack_answer answer;
    const struct doc *list;

    if (plan->shape.disk_count == 0 || plan->need->zone_count == 0) {
        return;
    }
    if (stack_get(work, STACK_VOLUME, plan->region, TEXT("/os-availability-zone"), &answer) !=
        REEVE_OK) {
        stack_plan_notice(plan, "/volumes", "list the zones of volumes", false, &answer);
        return;
    }
    list = doc_child(&answer.doc, "availabilityZoneInfo");
    for (uint32_t i = 0; i < plan->need->zone_count; i++) {
        struct text zone = plain_text(plan->need->zones[i]);
        bool is_known = !doc_is_list(list);

        for (size_t k = 0; !is_known && k < list->item_count; k++) {
            is_known = text_is_equal(doc_child_text(&list->items[k], "zoneName"), zone);
        }
        if (!is_known) {
            stack_plan_note(plan, stack_fault(work, REEVE_INVALID, "/volumes",
                                              "the volume service has no zone '%.*s': a volume "
                                              "is made in the zone of its machine",
                                              TEXT_ARG(zone)));
        }
    }
}

static void stack_check_volume_limits(struct stack_plan *plan)
{
    const struct stack_shape *shape = &plan->shape;
    const char *pointer = shape->boot_gb > 0 ? "/bootVolume" : "/volumes";
    int64_t count = shape->boot_gb > 0;
    int64_t gb = shape->boot_gb;
    struct stack_call *work = plan->work;
    struct stack_answer answer;
    const struct doc *absolute;
    int64_t room;
    int64_t by_size;

    /* volumes of slots may already exist, so only volumes of machines are counted */
    for (size_t i = 0; i < shape->disk_count; i++) {
        count += shape->disks[i].is_node;
        gb += shape->disks[i].is_node ? shape->disks[i].gib : 0;
    }
    if (count == 0) {
        return;
    }
    if (stack_get(work, STACK_VOLUME, plan->region, TEXT("/limits"), &answer) != REEVE_OK) {
        stack_plan_notice(plan, pointer, "get the limits of volumes", false, &answer);
        return;
    }
    absolute = doc_child(doc_child(&answer.doc, "limits"), "absolute");
    room = stack_room(absolute, "maxTotalVolumes", "totalVolumesUsed", count);
    by_size = stack_room(absolute, "maxTotalVolumeGigabytes", "totalGigabytesUsed", gb);
    room = by_size < room ? by_size : room;
    if (plan->need->count > (uint64_t)room) {
        stack_plan_note(plan, stack_fault(work, REEVE_QUOTA, pointer,
                                          "the project's quota of volumes leaves room for %lld "
                                          "machines, %llu are needed",
                                          (long long)room, (unsigned long long)plan->need->count));
    }
}

/* Passes the current meaning of the symbolic names to the host. */
static void stack_plan_pin(struct stack_plan *plan)
{
    struct stack_call *work = plan->work;

    if (plan->found.flavor.length > 0) {
        work->stack->host->pin(work->call, REEVE_TEXT("/flavor"), plain_answer(plan->found.flavor));
    }
    if (plan->found.image.length > 0) {
        work->stack->host->pin(work->call, REEVE_TEXT("/image"), plain_answer(plan->found.image));
    }
    if (plan->found.architecture.length > 0) {
        work->stack->host->fact(work->call, REEVE_TEXT("arch"),
                                text_is(plan->found.architecture, "x86_64") ? REEVE_TEXT("amd64")
                                : text_is(plan->found.architecture, "aarch64")
                                    ? REEVE_TEXT("arm64")
                                    : plain_answer(plan->found.architecture));
    }
}

int32_t stack_preflight(struct stack_call *work, const struct reeve_need_v1 *need)
{
    struct stack_plan plan = { .work = work, .need = need };

    stack_plan_note(&plan, stack_shape_read(work, &plan.shape));
    if (!stack_plan_region(&plan)) {
        return plan.result;
    }
    if (plan.shape.flavor.length > 0) {
        stack_plan_note(&plan, stack_resolve(work, &plan.shape, plan.region, true, &plan.found));
    }
    if (plan.result == REEVE_AUTH) {
        return plan.result;
    }
    stack_check_limits(&plan);
    stack_check_zones(&plan);
    stack_check_key(&plan);
    stack_check_addresses(&plan);
    stack_check_volume_types(&plan);
    stack_check_volume_zones(&plan);
    stack_check_volume_limits(&plan);
    stack_plan_pin(&plan);
    return plan.result;
}
