#include "plan/victims.h"
#include "query/problem.h"
#include "query/query_parts.h"
#include "records/displayed.h"
#include "reeve/plugin.h"
#include "service/select.h"
#include "wire/wire.h"

/* public names start with: service_ repairs_ */

/* Decides how nodes with a problem are repaired, within the policy of their group (decision 0138):
 *
 * - A stage failed, and the machine answers: the stages that failed run again.
 * - The machine is unhealthy or unreachable: with `heal: replace`, another machine takes its slot.
 *   Otherwise it is rebooted, which destroys nothing.
 * - A machine that was rebooted since its problem began is replaced if its plugin can create
 *   another one and heal is not off; a second reboot would probably not help.
 *
 * This file only decides. A client sends the requests, which are checked again. */

/* The repair of a node, or the reason why there is none. */
struct repairs_choice {
    const char *by; /* "bootstrap", "reboot" or "replace"; NULL: none */
    struct text why;
};

struct repairs {
    struct service *service;
    struct arena *arena;
    struct service_policies policies;
    struct doc *items;
    size_t count;
    struct doc *left;
    size_t left_count;
};

static const struct wire_hello *repairs_plugin_find(const struct repairs *repairs,
                                                    struct text plugin)
{
    const struct model_plugins *plugins = repairs->service->reconciler.plugins;

    return plugins == NULL
               ? NULL
               : plugins->find(plugins->arg, text_slice(plugin, 0, text_find_byte(plugin, '/')));
}

/* True if the machine of the record may be replaced. */
static bool repairs_can_replace(const struct repairs *repairs, const struct record *record,
                                const struct fleet_group *group)
{
    const struct wire_hello *hello = repairs_plugin_find(repairs, record->plugin);

    return hello != NULL && (hello->capabilities & REEVE_CAN_DISPOSE) != 0 &&
           !record->plan.is_protected && !group->plan.is_protected;
}

static bool repairs_can_reboot(const struct repairs *repairs, const struct record *record)
{
    const struct service_controller *reconciler = &repairs->service->reconciler;
    const struct wire_hello *hello = repairs_plugin_find(repairs, record->plugin);

    return (hello != NULL && (hello->methods >> WIRE_REBOOT & 1) != 0) ||
           (record->plan.unreachable_since_ms == 0 && record->address.length > 0 &&
            reconciler->logs_in != NULL && reconciler->logs_in(reconciler->arg, record->plugin));
}

/* Return the repair of a machine that is not in service. */
static struct repairs_choice repairs_machine(const struct repairs *repairs,
                                             const struct record *record,
                                             const struct fleet_group *group)
{
    uint64_t since_ms = record->plan.unreachable_since_ms > 0 ? record->plan.unreachable_since_ms
                                                              : record->plan.failing_since_ms;
    bool was_rebooted = record->plan.rebooted_ms >= since_ms && record->plan.rebooted_ms > 0;
    bool can_replace = repairs_can_replace(repairs, record, group);
    bool can_reboot = repairs_can_reboot(repairs, record);

    if (group->plan.heal == PLAN_HEAL_REPLACE && can_replace) {
        return (struct repairs_choice){ "replace", TEXT("the group has heal: replace") };
    }
    if (was_rebooted && group->plan.heal != PLAN_HEAL_OFF && can_replace) {
        return (struct repairs_choice){ "replace", TEXT("a reboot has not helped") };
    }
    if (can_reboot) {
        return (struct repairs_choice){
            "reboot",
            was_rebooted
                ? TEXT("the machine was rebooted before, and the group allows no other repair")
                : TEXT("a reboot destroys nothing, and may help")
        };
    }
    return (struct repairs_choice){
        NULL,
        TEXT(
            "neither the plugin nor a login can reboot the machine, and the group does not allow a replacement")
    };
}

static struct repairs_choice repairs_choose(const struct repairs *repairs,
                                            const struct select_node *node,
                                            const struct record *record,
                                            const struct fleet_group *group)
{
    if (group == NULL) {
        return (struct repairs_choice){ NULL, TEXT("the group of the machine is not known") };
    }
    if (record->plan.state != PLAN_RECORD_ACTIVE) {
        return (struct repairs_choice){ NULL, record->plan.state == PLAN_RECORD_CREATE
                                                  ? TEXT("the machine is being created")
                                                  : TEXT("the machine is leaving") };
    }
    if (plan_is_rebooting(&record->plan) || record->plan.is_reboot_requested) {
        return (struct repairs_choice){ NULL, TEXT("the machine is being rebooted") };
    }
    if (record_is_replaced(record->plan.generation)) {
        return (struct repairs_choice){ NULL, TEXT("the machine is being replaced") };
    }
    if (record->plan.failing_since_ms > 0 || record->plan.unreachable_since_ms > 0) {
        return repairs_machine(repairs, record, group);
    }
    if (node->is_failed || node->displayed == DISPLAYED_FAILED) {
        return (struct repairs_choice){ "bootstrap", TEXT("a stage failed") };
    }
    if (node->drain != NODE_DRAIN_NONE) {
        return (struct repairs_choice){ NULL, TEXT("the node is in maintenance: reeve undrain") };
    }
    return (struct repairs_choice){
        NULL, node->is_drifted
                  ? TEXT("the files of the node differ from its baseline: reeve verify --fix")
              : node->displayed == DISPLAYED_READY
                  ? TEXT("the node is ready")
                  : TEXT("the node has no problem that a repair would solve")
    };
}

static void repairs_add(struct repairs *repairs, const struct select_node *node,
                        const struct record *record)
{
    struct repairs_choice choice =
        repairs_choose(repairs, node, record, service_policy_find(&repairs->policies, record));
    struct service_problem problem;
    struct doc_builder builder;

    doc_builder_init(&builder, repairs->arena);
    if (choice.by != NULL) {
        doc_builder_put(&builder, "by", doc_text(text_from(choice.by), NULL));
        if (service_problem_find(&repairs->policies, repairs->arena, record, &problem) &&
            problem.cause.length > 0) {
            doc_builder_put(&builder, "cause",
                            doc_text(record_sentence(repairs->arena, problem.cause), NULL));
        }
    }
    doc_builder_put(&builder, "cluster", doc_text(node->cluster, NULL));
    doc_builder_put(&builder, "group", doc_text(node->group->path, NULL));
    doc_builder_put(&builder, "node", doc_text(node->name, NULL));
    doc_builder_put(&builder, "state", doc_text(text_from(node->state), NULL));
    doc_builder_put(&builder, "why", doc_text(choice.why, NULL));
    if (choice.by != NULL) {
        repairs->items[repairs->count++] = doc_builder_map(&builder, NULL);
    } else {
        repairs->left[repairs->left_count++] = doc_builder_map(&builder, NULL);
    }
}

static void repairs_node_look(struct repairs *repairs, const struct select_node *node)
{
    size_t slash = text_find_byte(node->key, '/');
    struct text tenant = text_slice(node->key, 0, slash);
    struct text id = text_slice(node->key, slash + 1, SIZE_MAX);
    const struct cache_object *object =
        cache_find(repairs->service->cache, tenant, TEXT("Resource"),
                   arena_printf(repairs->arena, "%.*s/%.*s", TEXT_ARG(id), TEXT_ARG(node->token)));
    struct record record;
    struct err err;

    if (!text_is_equal(repairs->policies.id, id)) {
        repairs->policies = (struct service_policies){
            .service = repairs->service, .arena = repairs->arena, .tenant = tenant, .id = id
        };
    }
    if (object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
        record_parse(repairs->arena, node->token, blob_text(object->parts[CACHE_STATUS].bytes),
                     &record, &err)) {
        repairs_add(repairs, node, &record);
    }
}

void service_repairs(struct service *service, struct arena *arena, const struct select_nodes *nodes,
                     service_done *done, void *arg)
{
    struct repairs repairs = {
        .service = service,
        .arena = arena,
        .items = arena_array(arena, struct doc, nodes->count + 1),
        .left = arena_array(arena, struct doc, nodes->count + 1),
    };
    struct doc_builder builder;
    struct doc body;

    for (size_t i = 0; i < nodes->count; i++) {
        repairs_node_look(&repairs, &nodes->items[i]);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "items", doc_list(repairs.items, repairs.count, NULL));
    doc_builder_put(&builder, "left", doc_list(repairs.left, repairs.left_count, NULL));
    doc_builder_put(&builder, "revision",
                    doc_int(arena, (int64_t)cache_revision(service->cache), NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(service, arena, &body, done, arg);
}
