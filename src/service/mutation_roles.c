#include "records/displayed.h"
#include "roles/roles_change.h"
#include "selector/ranges.h"
#include "service/service_parts.h"
#include "state/holders.h"

/* public names start with: mutation_ */

/* Checks a change against the rules of roles (C12): which nodes get a role, and which nodes lose a
 * role or leave. roles/roles_change.h makes the decision.
 *
 * If the changed groups have no roles before and after the change, only these groups are read. */

struct roles_check {
    struct mutation *mutation;
    struct arena *arena;
    const struct change_object *object;
    const struct doc *planned;  /* the object in the plan; NULL: the plan lacks it */
    struct fleet_cluster whole; /* all groups of the cluster before the change */
    /* the groups that the change has read, in their state before the change */
    struct fleet_cluster was;
    struct fleet_cluster is; /* the same groups after the change */
    struct holders holders;
    struct roles_node *nodes;
    size_t count;
};

static const struct fleet_group *mutation_roles_group(const struct fleet_cluster *cluster,
                                                      struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

/* Return the group to which the machines of a path belong after the change; NULL: they leave. */
static const struct fleet_group *mutation_roles_after(const struct roles_check *check,
                                                      struct text path)
{
    const struct fleet_group *group = mutation_roles_group(&check->is, path);

    for (size_t i = 0; group == NULL && i < check->is.group_count; i++) {
        if (text_is_equal(check->is.groups[i].plan.renamed_from, path)) {
            group = &check->is.groups[i];
        }
    }
    if (group == NULL && mutation_roles_group(&check->was, path) == NULL) {
        /* the change does not touch this group */
        group = mutation_roles_group(&check->whole, path);
    }
    return group;
}

/* True if the plan removes the machine with this name from its group. */
static bool is_mutation_roles_victim(const struct roles_check *check, struct text path,
                                     struct text name)
{
    const struct doc *groups = doc_child(check->planned, "groups");

    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        const struct doc *group = &groups->items[i];
        struct text rest = mutation_text_of(group, "destroy");
        struct text pattern;

        if (!text_is_equal(mutation_text_of(group, "path"), path) &&
            !text_is_equal(mutation_text_of(group, "was"), path)) {
            continue;
        }
        while (ranges_next(&rest, &pattern)) {
            if (ranges_has(pattern, name)) {
                return true;
            }
        }
    }
    return false;
}

static struct roles_list mutation_roles_of(const struct fleet_group *group, struct text name)
{
    return group == NULL ? (struct roles_list){ 0 } : roles_group_of(&group->roles, name);
}

/* Return the roles of a machine after the change. A role ends if its rule is removed, has `keep:
 * 0`, or no longer applies to the group. */
static struct roles_list mutation_roles_left(const struct roles_check *check,
                                             const struct fleet_group *group,
                                             const struct roles_list *listed, struct text token)
{
    struct roles_list all = holders_roles_of(check->arena, &check->holders, listed, token);
    const struct roles_rules *rules =
        check->is.group_count > 0 ? &check->is.rules : &check->whole.rules;
    struct roles_list left = { 0 };

    for (size_t i = 0; i < all.count; i++) {
        const struct roles_rule *rule = roles_rule_find(rules, all.items[i]);
        bool is_kept = rule != NULL && rule->keep > 0 &&
                       (rule->of.count == 0 || roles_list_has(&rule->of, group->plan.path));

        if (is_kept || roles_list_has(listed, all.items[i])) {
            roles_list_add(check->arena, &left, all.items[i]);
        }
    }
    return left;
}

/* Add a machine. Returns the group to which it belongs after the change; NULL: it leaves. */
static const struct fleet_group *mutation_roles_record_add(struct roles_check *check,
                                                           const struct record *record)
{
    struct text path = record->plan.group;
    const struct fleet_group *before = mutation_roles_group(&check->whole, path);
    const struct fleet_group *after = mutation_roles_after(check, path);
    struct roles_list was = mutation_roles_of(before, record->name);
    struct roles_list is = mutation_roles_of(after, record->name);
    struct roles_node *node = &check->nodes[check->count++];

    *node = (struct roles_node){
        .name = record->name.length > 0 ? record->name : record->plan.token,
        .group = path,
        .before = holders_roles_of(check->arena, &check->holders, &was, record->plan.token),
        .is_live = record->plan.state == PLAN_RECORD_ACTIVE &&
                   displayed_is_serving(displayed_of(&record->plan)),
        .is_leaving = after == NULL || is_mutation_roles_victim(check, path, record->name),
    };
    if (!node->is_leaving) {
        node->after = mutation_roles_left(check, after, &is, record->plan.token);
    }
    return node->is_leaving ? NULL : after;
}

/* Add the new machines of the groups in the change. */
static void mutation_roles_new_add(struct roles_check *check, const struct fleet_group *group,
                                   size_t present)
{
    struct text old =
        group->plan.renamed_from.length > 0 ? group->plan.renamed_from : group->plan.path;
    const struct fleet_group *was = mutation_roles_group(&check->was, group->plan.path);
    bool is_grown;

    was = was == NULL ? mutation_roles_group(&check->was, old) : was;
    is_grown = was == NULL || group->plan.size > was->plan.size;
    if (group->plan.size <= present) {
        return;
    }
    check->nodes[check->count++] = (struct roles_node){
        .name =
            arena_printf(check->arena, "a new node of group '%.*s'", TEXT_ARG(group->plan.path)),
        .group = group->plan.path,
        .before = is_grown ? (struct roles_list){ 0 } : was->roles.roles,
        .after = group->roles.roles,
        .is_new = is_grown,
    };
}

static void mutation_roles_nodes_make(struct roles_check *check)
{
    size_t record_count;
    struct record *records = mutation_records(check->mutation, check->object->id, &record_count);
    size_t *present = arena_array(check->arena, size_t, check->is.group_count + 1);

    for (size_t i = 0; i < check->is.group_count; i++) {
        present[i] = 0;
    }
    check->nodes =
        arena_array(check->arena, struct roles_node, record_count + check->is.group_count + 1);
    for (size_t i = 0; i < record_count; i++) {
        const struct fleet_group *after;

        if (records[i].plan.state == PLAN_RECORD_DELETE) {
            continue;
        }
        after = mutation_roles_record_add(check, &records[i]);
        if (after >= check->is.groups && after < check->is.groups + check->is.group_count) {
            present[after - check->is.groups]++;
        }
    }
    for (size_t i = 0; i < check->is.group_count; i++) {
        mutation_roles_new_add(check, &check->is.groups[i], present[i]);
    }
}

static bool has_mutation_roles(const struct fleet_cluster *cluster)
{
    bool has_any = false;

    for (size_t i = 0; i < cluster->group_count; i++) {
        has_any = has_any || roles_group_has_any(&cluster->groups[i].roles);
    }
    return has_any;
}

/* Read all groups of the cluster as they are now. False: there is none yet, or it is unreadable. */
static bool mutation_roles_whole_read(struct roles_check *check)
{
    const struct cache *cache = check->mutation->service->cache;
    const struct cache_object *object =
        cache_find(cache, check->mutation->actor.tenant, TEXT("Cluster"), check->object->id);
    struct stored_object stored;
    struct err err;

    return object != NULL &&
           objects_read(check->arena, cache, objects_kind("Cluster"), object, &stored, &err) &&
           fleet_groups_read(check->arena, &stored, &check->whole);
}

/* Return the object of the plan that corresponds to this object of the change; NULL: none. */
static const struct doc *mutation_roles_planned(const struct change *change,
                                                const struct change_object *object)
{
    for (size_t i = 0; i < change->plan.item_count; i++) {
        if (mutation_current_find(change, &change->plan.items[i]) == object) {
            return &change->plan.items[i];
        }
    }
    return NULL;
}

static void mutation_roles_object_check(struct mutation *mutation,
                                        const struct change_object *object)
{
    struct roles_check check = { .mutation = mutation, .arena = mutation->work, .object = object };
    struct roles_change change = {
        /* a document may also create the nodes for which its groups wait; a patch of one group
         * cannot */
        .can_wait = mutation->patch == NULL && mutation->request.commissions.length == 0,
    };

    if (object->kind->owner != OWNER_CLUSTER || object->is_deleted ||
        (object->revision != 0 &&
         !fleet_groups_read(check.arena, &object->old_stored, &check.was)) ||
        (object->new_stored.group_count > 0 &&
         !fleet_groups_read(check.arena, &object->new_stored, &check.is))) {
        return;
    }
    check.holders =
        holders_read(check.arena, mutation->service->cache, mutation->actor.tenant, object->id);
    if (!has_mutation_roles(&check.was) && !has_mutation_roles(&check.is) &&
        check.holders.count == 0) {
        return;
    }
    if (object->revision != 0 && !mutation_roles_whole_read(&check)) {
        return;
    }
    check.planned = mutation_roles_planned(&mutation->change, object);
    mutation_roles_nodes_make(&check);
    change.rules = check.is.group_count > 0 ? &check.is.rules : &check.whole.rules;
    change.nodes = check.nodes;
    change.count = check.count;
    roles_change_check(check.arena, &change, &mutation->errors);
}

bool mutation_roles_check(struct mutation *mutation)
{
    for (size_t i = 0; i < mutation->change.object_count; i++) {
        mutation_roles_object_check(mutation, &mutation->change.objects[i]);
    }
    return mutation->errors.errors == 0;
}
