#include "gce.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <stdlib.h>

/* The checks before the first machine is created. Each check reports its faults. A check without an
 * answer causes a notice. */

static const char *const gce_permissions[] = {
    "compute.instances.create",
    "compute.instances.delete",
    "compute.instances.get",
    "compute.instances.list",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setTags",
    "compute.instances.reset",
    "compute.instances.start",
    "compute.instances.getSerialPortOutput",
    "compute.instances.getGuestAttributes",
    "compute.disks.create",
    "compute.subnetworks.use",
    "compute.zoneOperations.get",
};

struct gce_plan {
    struct gce_call *work;
    const struct reeve_need_v1 *need;
    struct gce_shape shape;
    struct text zones[GCE_ZONES_MAX];
    size_t zone_count;
    int64_t cpus; /* cpus of the machine type; 0: unknown */
    struct text architecture;
    int32_t result;
};

/* Keeps the first result that is not a success. */
static void gce_plan_note(struct gce_plan *plan, int32_t result)
{
    if (result != REEVE_OK && (plan->result == REEVE_OK || result == REEVE_AUTH)) {
        plan->result = result;
    }
}

/* Reports that a check got no answer. If the account was rejected, that is a fault. */
static void gce_plan_notice(struct gce_plan *plan, const char *pointer, const char *what,
                            const struct gce_answer *answer)
{
    struct gce_call *work = plan->work;
    struct text message = arena_printf(work->arena, "not checked: %s: %.*s", what,
                                       TEXT_ARG(text_slice(answer->last.message, 0, 300)));

    if (answer->result == REEVE_AUTH) {
        gce_plan_note(plan, gce_refuse(work, pointer, what, answer));
        return;
    }
    work->gce->host->notice(work->call, plain_answer(text_from(pointer)), plain_answer(message));
}

/* ---- permissions ---- */

static bool has_gce_text(const struct doc *list, const char *wanted)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (doc_is_scalar(&list->items[i]) && text_is(list->items[i].text, wanted)) {
            return true;
        }
    }
    return false;
}

/* Returns false if Google rejects the account itself. Every other check would report the same. */
static bool gce_check_permissions(struct gce_plan *plan)
{
    struct gce_call *work = plan->work;
    struct gce_request request = {
        .method = "POST",
        .url =
            arena_printf(work->arena, "%.*s/v1/projects/%.*s:testIamPermissions",
                         TEXT_ARG(work->gce->settings.resource_manager), TEXT_ARG(work->project)),
        .kind = CLASSIFY_READ,
        .priority = HTTP_READ,
    };
    struct gce_answer answer;
    struct buf missing;
    struct buf body;

    buf_init(&body, work->arena);
    for (size_t i = 0; i < ARRAY_COUNT(gce_permissions); i++) {
        buf_printf(&body, "%s\"%s\"", i == 0 ? "{\"permissions\":[" : ",", gce_permissions[i]);
    }
    buf_add_string(&body, "]}");
    request.body = buf_text(&body);
    if (gce_send(work, &request, &answer) != REEVE_OK) {
        gce_plan_notice(plan, "", "test the permissions", &answer);
        return answer.result != REEVE_AUTH || answer.status == 403;
    }
    buf_init(&missing, work->arena);
    for (size_t i = 0; i < ARRAY_COUNT(gce_permissions); i++) {
        if (!has_gce_text(doc_child(&answer.doc, "permissions"), gce_permissions[i])) {
            buf_printf(&missing, "%s%s", missing.length == 0 ? "" : ", ", gce_permissions[i]);
        }
    }
    if (missing.length > 0) {
        gce_plan_note(plan, gce_fault(work, REEVE_AUTH, "",
                                      "the account lacks permissions in the project %.*s: %.*s",
                                      TEXT_ARG(work->project), TEXT_ARG(buf_text(&missing))));
    }
    return true;
}

/* ---- zones and machine types ---- */

/* Memory and cpus of Amazon's size names, for users that migrate a file from there. */
static const struct {
    const char *suffix;
    int64_t cpus;
    int64_t memory_mb;
} gce_foreign[] = {
    { ".nano", 2, 512 },    { ".micro", 2, 1024 }, { ".small", 2, 2048 },
    { ".medium", 2, 4096 }, { ".large", 2, 8192 }, { ".xlarge", 4, 16384 },
};

/* Returns how far a machine type is from the requested size: memory counts before cpus. */
static int64_t gce_distance(const struct doc *type, int64_t cpus, int64_t memory_mb)
{
    return llabs(doc_child_number(type, "memoryMb") - memory_mb) * 100 +
           llabs(doc_child_number(type, "guestCpus") - cpus);
}

/* Returns the name of the machine type that is nearest to a type of another provider. Empty:
 * none. */
static struct text gce_nearest_type(struct gce_plan *plan, struct text zone)
{
    struct gce_call *work = plan->work;
    struct gce_answer answer;
    const struct doc *items;
    const struct doc *best = NULL;
    int64_t cpus = 2;
    int64_t memory_mb = 4096;

    for (size_t i = 0; i < ARRAY_COUNT(gce_foreign); i++) {
        if (text_has_suffix(plan->shape.machine_type, text_from(gce_foreign[i].suffix))) {
            cpus = gce_foreign[i].cpus;
            memory_mb = gce_foreign[i].memory_mb;
        }
    }
    if (gce_get(work,
                arena_printf(work->arena, "/zones/%.*s/machineTypes?maxResults=500",
                             TEXT_ARG(gce_url(work, zone))),
                &answer) != REEVE_OK) {
        return TEXT("");
    }
    items = doc_child(&answer.doc, "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (best == NULL ||
            gce_distance(&items->items[i], cpus, memory_mb) < gce_distance(best, cpus, memory_mb)) {
            best = &items->items[i];
        }
    }
    return doc_child_text(best, "name");
}

static void gce_check_type(struct gce_plan *plan, struct text zone)
{
    struct gce_call *work = plan->work;
    struct gce_answer answer;

    if (gce_get(work,
                arena_printf(work->arena, "/zones/%.*s/machineTypes/%.*s",
                             TEXT_ARG(gce_url(work, zone)),
                             TEXT_ARG(gce_url(work, plan->shape.machine_type))),
                &answer) == REEVE_OK) {
        plan->cpus = doc_child_number(&answer.doc, "guestCpus");
        if (doc_child_text(&answer.doc, "architecture").length > 0) {
            plan->architecture = doc_child_text(&answer.doc, "architecture");
        }
        return;
    }
    if (answer.status != 404) {
        gce_plan_notice(plan, plan->shape.type_pointer, "get the machine type", &answer);
        return;
    }
    gce_plan_note(plan,
                  gce_fault(work, REEVE_INVALID, plan->shape.type_pointer,
                            "there is no machine type '%.*s' in %.*s (nearest by cpus and memory: "
                            "%.*s)",
                            TEXT_ARG(plan->shape.machine_type), TEXT_ARG(zone),
                            TEXT_ARG(gce_nearest_type(plan, zone))));
}

static void gce_check_zones(struct gce_plan *plan)
{
    struct gce_call *work = plan->work;

    for (size_t i = 0; i < plan->zone_count; i++) {
        struct gce_answer answer;

        if (gce_get(
                work,
                arena_printf(work->arena, "/zones/%.*s", TEXT_ARG(gce_url(work, plan->zones[i]))),
                &answer) == REEVE_OK) {
            gce_check_type(plan, plan->zones[i]);
        } else if (answer.status == 404 || answer.status == 400) {
            gce_plan_note(plan, gce_fault(work, REEVE_INVALID, "",
                                          "Google has no zone '%.*s' for this project",
                                          TEXT_ARG(plan->zones[i])));
        } else {
            gce_plan_notice(plan, "", "get the zone", &answer);
        }
    }
}

/* ---- image, key, subnet ---- */

static void gce_check_image(struct gce_plan *plan)
{
    struct gce_call *work = plan->work;
    struct text image;
    int32_t result = gce_resolve_image(work, plan->shape.image, plan->architecture, &image);

    gce_plan_note(plan, result);
    if (result == REEVE_OK) {
        work->gce->host->pin(work->call, REEVE_TEXT("/image"), plain_answer(image));
    }
}

static void gce_check_subnet(struct gce_plan *plan, struct text region)
{
    struct gce_call *work = plan->work;
    struct gce_answer answer;

    if (plan->shape.subnet.length == 0 ||
        gce_get(work,
                arena_printf(work->arena, "/regions/%.*s/subnetworks/%.*s",
                             TEXT_ARG(gce_url(work, region)),
                             TEXT_ARG(gce_url(work, plan->shape.subnet))),
                &answer) == REEVE_OK) {
        return;
    }
    if (answer.status == 404 || answer.status == 400) {
        gce_plan_note(plan, gce_fault(work, REEVE_INVALID, "/subnet",
                                      "there is no subnetwork '%.*s' in the region %.*s",
                                      TEXT_ARG(plan->shape.subnet), TEXT_ARG(region)));
    } else {
        gce_plan_notice(plan, "/subnet", "get the subnetwork", &answer);
    }
}

/* ---- quotas ---- */

/* Returns the GB of disks that one machine needs. Volumes of slots are not counted, because they
 * may already exist. */
static int64_t gce_need_gb(const struct gce_plan *plan, bool is_standard)
{
    const struct gce_shape *shape = &plan->shape;
    int64_t root_gb = shape->root_gb > 0 ? shape->root_gb : 10;
    int64_t gb = text_is(shape->root_type, "pd-standard") == is_standard ? root_gb : 0;

    for (size_t i = 0; i < shape->disk_count; i++) {
        if (shape->disks[i].is_node &&
            text_is(shape->disks[i].type, "pd-standard") == is_standard) {
            gb += shape->disks[i].gib;
        }
    }
    return gb;
}

/* Returns the amount of a quota that one machine needs. 0: none. */
static int64_t gce_need(const struct gce_plan *plan, struct text metric)
{
    return text_is(metric, "INSTANCES")          ? 1
           : text_is(metric, "CPUS")             ? plan->cpus
           : text_is(metric, "IN_USE_ADDRESSES") ? plan->shape.is_public
           : text_is(metric, "DISKS_TOTAL_GB")   ? gce_need_gb(plan, true)
           : text_is(metric, "SSD_TOTAL_GB")     ? gce_need_gb(plan, false)
                                                 : 0;
}

/* Reads the whole part of a number such as 24.0. */
static int64_t gce_whole(const struct doc *quota, const char *name)
{
    struct text text = doc_child_text(quota, name);
    int64_t number = 0;

    return text_parse_int64(text_slice(text, 0, text_find_byte(text, '.')), &number) ? number : 0;
}

/* Returns the number of machines that fit into the quotas of a region, and the metric that limits
 * it. */
static int64_t gce_room(const struct gce_plan *plan, const struct doc *region,
                        struct text *out_metric)
{
    const struct doc *list = doc_child(region, "quotas");
    int64_t room = INT32_MAX;

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        struct text metric = doc_child_text(&list->items[i], "metric");
        int64_t need = gce_need(plan, metric);
        int64_t left = gce_whole(&list->items[i], "limit") - gce_whole(&list->items[i], "usage");

        if (need > 0 && (left < 0 ? 0 : left / need) < room) {
            room = left < 0 ? 0 : left / need;
            *out_metric = metric;
        }
    }
    return room;
}

static void gce_check_regions(struct gce_plan *plan)
{
    struct gce_call *work = plan->work;
    struct text metric = TEXT("");
    struct text last = TEXT("");
    int64_t room = 0;
    bool is_known = plan->zone_count > 0;

    for (size_t i = 0; i < plan->zone_count; i++) {
        struct text region = gce_region(plan->zones[i]);
        struct gce_answer answer;

        if (text_is_equal(region, last)) {
            continue;
        }
        last = region;
        gce_check_subnet(plan, region);
        if (gce_get(work,
                    arena_printf(work->arena, "/regions/%.*s", TEXT_ARG(gce_url(work, region))),
                    &answer) == REEVE_OK) {
            room += gce_room(plan, &answer.doc, &metric);
        } else {
            is_known = false;
            if (answer.status != 404 && answer.status != 400) {
                gce_plan_notice(plan, "", "get the quotas of the region", &answer);
            }
        }
    }
    if (!is_known) {
        return;
    }
    work->gce->host->fact(work->call, REEVE_TEXT("quotaLeft"),
                          plain_answer(arena_number(work->arena, room)));
    if (plan->need->count > (uint64_t)room) {
        gce_plan_note(plan, gce_fault(work, REEVE_QUOTA, "",
                                      "the quota %.*s leaves room for %lld machines, %llu are "
                                      "needed: request a higher quota at Google",
                                      TEXT_ARG(metric), (long long)room,
                                      (unsigned long long)plan->need->count));
    }
}

static void gce_plan_zones(struct gce_plan *plan)
{
    const struct gce_settings *settings = &plan->work->gce->settings;

    for (uint32_t i = 0; i < plan->need->zone_count && i < GCE_ZONES_MAX; i++) {
        plan->zones[plan->zone_count++] = plain_text(plan->need->zones[i]);
    }
    if (plan->zone_count == 0 && settings->zone_count > 0) {
        plan->zones[plan->zone_count++] = settings->zones[0];
    }
    if (plan->zone_count == 0) {
        gce_plan_note(plan,
                      gce_fault(plan->work, REEVE_INVALID, "",
                                "no zone: state zones of the group, or of the account's settings"));
    }
}

int32_t gce_preflight(struct gce_call *work, const struct reeve_need_v1 *need)
{
    struct gce_plan plan = { .work = work, .need = need };
    struct text keys;

    gce_plan_note(&plan, gce_shape_read(work, &plan.shape));
    plan.architecture = gce_type_architecture(plan.shape.machine_type);
    gce_plan_zones(&plan);
    if (!gce_check_permissions(&plan)) {
        return plan.result;
    }
    gce_check_zones(&plan);
    gce_check_image(&plan);
    gce_plan_note(&plan, gce_resolve_key(work, plan.shape.key, &keys));
    gce_check_regions(&plan);
    work->gce->host->fact(work->call, REEVE_TEXT("arch"),
                          text_is(plan.architecture, "ARM64") ? REEVE_TEXT("arm64")
                                                              : REEVE_TEXT("amd64"));
    return plan.result;
}
