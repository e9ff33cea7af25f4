#include "roles/roles_change.h"

#include "base/buf.h"

/* ---- holders ---- */

/* True if a live node has the role both before and after the request. */
static bool has_roles_outside(const struct roles_change *change, struct text role)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        if (node->is_live && !node->is_leaving && roles_list_has(&node->before, role) &&
            roles_list_has(&node->after, role)) {
            return true;
        }
    }
    return false;
}

/* True if the rule of the role gives it to members of this group. */
static bool is_roles_candidate(const struct roles_rules *rules, struct text role,
                               const struct roles_node *node)
{
    const struct roles_rule *rule = roles_rule_find(rules, role);

    return rule != NULL && rule->keep > 0 &&
           (rule->of.count == 0 || roles_list_has(&rule->of, node->group));
}

/* True if the request creates nodes that have the role, or can get it. */
static bool is_roles_created(const struct roles_change *change, struct text role)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        if ((roles_list_has(&node->after, role) && !roles_list_has(&node->before, role)) ||
            (node->is_new && is_roles_candidate(change->rules, role, node))) {
            return true;
        }
    }
    return false;
}

/* ---- assigning roles ---- */

static void roles_given_check(const struct roles_change *change, const struct roles_node *node,
                              struct text role, struct err_list *errors)
{
    const struct roles_rule *rule = roles_rule_find(change->rules, role);
    struct err *err;

    for (size_t i = 0; rule != NULL && i < rule->needs.count; i++) {
        struct text needed = rule->needs.items[i];

        if (roles_list_has(&node->after, needed) || has_roles_outside(change, needed) ||
            (change->can_wait && is_roles_created(change, needed))) {
            continue;
        }
        err = err_list_set(
            errors, (struct place){ 0 }, CODE_R0823,
            "%.*s cannot get the role '%.*s': the role needs a node with the role '%.*s', and none outside of this request is in service",
            TEXT_ARG(node->name), TEXT_ARG(role), TEXT_ARG(needed));
        err_hint(err, "reeve get nodes -l role=%.*s lists the nodes with that role",
                 TEXT_ARG(needed));
    }
}

/* ---- removing nodes or roles ---- */

/* Count the live nodes that have the role before or after the request. */
static size_t roles_live_count(const struct roles_change *change, struct text role, bool is_after)
{
    size_t count = 0;

    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];
        const struct roles_list *roles = is_after ? &node->after : &node->before;

        count += node->is_live && (!is_after || !node->is_leaving) && roles_list_has(roles, role);
    }
    return count;
}

/* True if a live node that is not removed can take over the role from a holder that is removed. */
static bool has_roles_follower(const struct roles_change *change, struct text role)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        if (node->is_live && !node->is_leaving && is_roles_candidate(change->rules, role, node)) {
            return true;
        }
    }
    return false;
}

/* Returns a node that is not removed and needs the role; NULL if there is none. */
static const struct roles_node *roles_dependent_find(const struct roles_change *change,
                                                     struct text role, struct text *out_own)
{
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        for (size_t j = 0; !node->is_leaving && j < node->after.count; j++) {
            const struct roles_rule *rule = roles_rule_find(change->rules, node->after.items[j]);

            if (rule != NULL && roles_list_has(&rule->needs, role)) {
                *out_own = rule->name;
                return node;
            }
        }
    }
    return NULL;
}

/* Format the names of the live nodes that lose the role, for display. */
static struct text roles_losers(struct arena *arena, const struct roles_change *change,
                                struct text role)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        if (node->is_live && roles_list_has(&node->before, role)) {
            buf_printf(&buf, "%s%.*s", buf.length == 0 ? "" : ", ", TEXT_ARG(node->name));
        }
    }
    return buf_text(&buf);
}

static void roles_last_check(struct arena *arena, const struct roles_change *change,
                             struct text role, struct err_list *errors)
{
    const struct roles_node *dependent;
    struct text own;
    struct err *err;

    if (roles_live_count(change, role, false) == 0 || roles_live_count(change, role, true) > 0 ||
        has_roles_follower(change, role)) {
        return;
    }
    dependent = roles_dependent_find(change, role, &own);
    if (dependent == NULL) {
        return;
    }
    err = err_list_set(
        errors, (struct place){ 0 }, CODE_R0824,
        "the last node in service with the role '%.*s' would lose the role (%.*s), while %.*s has the role '%.*s', which needs it",
        TEXT_ARG(role), TEXT_ARG(roles_losers(arena, change, role)), TEXT_ARG(dependent->name),
        TEXT_ARG(own));
    err_hint(err, "remove the nodes with the role '%.*s' first, or in the same request",
             TEXT_ARG(own));
}

void roles_change_check(struct arena *arena, const struct roles_change *change,
                        struct err_list *errors)
{
    struct roles_list checked = { 0 };

    for (size_t i = 0; i < change->count; i++) {
        const struct roles_node *node = &change->nodes[i];

        for (size_t j = 0; j < node->after.count; j++) {
            if (!roles_list_has(&node->before, node->after.items[j])) {
                roles_given_check(change, node, node->after.items[j], errors);
            }
        }
    }
    for (size_t i = 0; i < change->count; i++) {
        const struct roles_list *before = &change->nodes[i].before;

        for (size_t j = 0; j < before->count; j++) {
            if (!roles_list_has(&checked, before->items[j])) {
                roles_list_add(arena, &checked, before->items[j]);
                roles_last_check(arena, change, before->items[j], errors);
            }
        }
    }
}

/* ---- waiting ---- */

static bool is_roles_held(const struct roles_node *nodes, size_t count, struct text role)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].is_live && !nodes[i].is_leaving && roles_list_has(&nodes[i].after, role)) {
            return true;
        }
    }
    return false;
}

struct text roles_wait_find(const struct roles_rules *rules, const struct roles_list *roles,
                            const struct roles_node *nodes, size_t count)
{
    for (size_t i = 0; i < roles->count; i++) {
        const struct roles_rule *rule = roles_rule_find(rules, roles->items[i]);

        for (size_t j = 0; rule != NULL && j < rule->needs.count; j++) {
            if (!roles_list_has(roles, rule->needs.items[j]) &&
                !is_roles_held(nodes, count, rule->needs.items[j])) {
                return rule->needs.items[j];
            }
        }
    }
    return TEXT("");
}
