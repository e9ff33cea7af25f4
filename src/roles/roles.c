#include "roles/roles.h"

#include "base/buf.h"
#include "base/sort.h"
#include "base/suggest.h"

#include <string.h>

/* ---- lists ---- */

bool roles_list_has(const struct roles_list *list, struct text role)
{
    for (size_t i = 0; i < list->count; i++) {
        if (text_is_equal(list->items[i], role)) {
            return true;
        }
    }
    return false;
}

void roles_list_add(struct arena *arena, struct roles_list *list, struct text role)
{
    struct text *items;

    if (roles_list_has(list, role)) {
        return;
    }
    items = arena_array(arena, struct text, list->count + 1);
    if (list->count > 0) {
        memcpy(items, list->items, list->count * sizeof(*items));
    }
    items[list->count] = role;
    *list = (struct roles_list){ items, list->count + 1 };
}

struct roles_list roles_list_copy(struct arena *arena, const struct roles_list *list)
{
    struct text *items = arena_array(arena, struct text, list->count + 1);

    for (size_t i = 0; i < list->count; i++) {
        items[i] = arena_text(arena, list->items[i]);
    }
    return (struct roles_list){ items, list->count };
}

struct roles_list roles_list_read(struct arena *arena, const struct doc *list)
{
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct text *items = arena_array(arena, struct text, count + 1);
    struct roles_list out = { items, 0 };

    for (size_t i = 0; i < count; i++) {
        if (doc_is_scalar(&list->items[i])) {
            items[out.count++] = arena_text(arena, list->items[i].text);
        }
    }
    return out;
}

/* ---- groups ---- */

struct roles_group roles_group_read(struct arena *arena, const struct doc *leaf)
{
    const struct doc *members = doc_child(leaf, "members");
    size_t room = doc_is_map(members) ? members->entry_count : 0;
    struct roles_member *own = arena_array(arena, struct roles_member, room + 1);
    struct roles_group out = { .roles = roles_list_read(arena, doc_child(leaf, "roles")),
                               .members = own };

    for (size_t i = 0; i < room; i++) {
        const struct doc *roles = doc_child(&members->entries[i].value, "roles");

        if (roles != NULL) {
            own[out.member_count++] =
                (struct roles_member){ arena_text(arena, members->entries[i].key),
                                       roles_list_read(arena, roles) };
        }
    }
    return out;
}

struct roles_list roles_group_of(const struct roles_group *group, struct text member)
{
    for (size_t i = 0; i < group->member_count; i++) {
        if (text_is_equal(group->members[i].name, member)) {
            return group->members[i].roles;
        }
    }
    return group->roles;
}

bool roles_group_has_any(const struct roles_group *group)
{
    bool has_any = group->roles.count > 0;

    for (size_t i = 0; i < group->member_count; i++) {
        has_any = has_any || group->members[i].roles.count > 0;
    }
    return has_any;
}

/* ---- rules ---- */

/* The built-in rules. They correspond to the host groups of Contiv. */
static const struct {
    const char *name;
    const char *needs; /* NULL: the role needs no other role */
} shipped[] = {
    { "cluster-node", NULL },
    { "service-master", NULL },
    { "service-worker", "service-master" },
};

static struct roles_rule roles_shipped_rule(struct arena *arena, size_t at)
{
    struct roles_rule rule = { .name = text_from(shipped[at].name) };

    if (shipped[at].needs != NULL) {
        roles_list_add(arena, &rule.needs, text_from(shipped[at].needs));
    }
    return rule;
}

static int roles_rule_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct roles_rule *)a)->name, ((const struct roles_rule *)b)->name);
}

static struct roles_rule roles_rule_read(struct arena *arena, const struct doc_entry *entry)
{
    const struct doc *keep = doc_child(&entry->value, "keep");
    const struct doc *spread = doc_child(&entry->value, "spread");
    int64_t number = 0;

    if (doc_is_scalar(keep) && (!text_parse_int64(keep->text, &number) || number < 0)) {
        number = 0;
    }
    return (struct roles_rule){
        .name = arena_text(arena, entry->key),
        .keep = (uint32_t)number,
        .of = roles_list_read(arena, doc_child(&entry->value, "of")),
        .is_spread = doc_is_scalar(spread) && text_is(spread->text, "zone"),
        .needs = roles_list_read(arena, doc_child(&entry->value, "needs")),
    };
}

struct roles_rules roles_rules_read(struct arena *arena, const struct doc *map)
{
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct roles_rule *items = arena_array(arena, struct roles_rule, count + ARRAY_COUNT(shipped));
    struct roles_rules out = { items, 0 };

    for (size_t i = 0; i < count; i++) {
        if (!doc_is_null(&map->entries[i].value)) {
            items[out.count++] = roles_rule_read(arena, &map->entries[i]);
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(shipped); i++) {
        if (roles_rule_find(&out, text_from(shipped[i].name)) == NULL) {
            items[out.count++] = roles_shipped_rule(arena, i);
        }
    }
    sort_stable(arena, items, out.count, sizeof(*items), roles_rule_compare, NULL);
    return out;
}

const struct roles_rule *roles_rule_find(const struct roles_rules *rules, struct text role)
{
    for (size_t i = 0; i < rules->count; i++) {
        if (text_is_equal(rules->items[i].name, role)) {
            return &rules->items[i];
        }
    }
    return NULL;
}

/* ---- cycles ---- */

/* A search that starts at one role and follows `needs`. It visits each rule once. */
struct roles_walk {
    const struct roles_rules *rules;
    struct text target;
    bool *is_seen;      /* visited rules, by index */
    struct text *steps; /* the roles from the start to the target */
    size_t step_count;
};

static bool roles_walk_reaches(struct roles_walk *walk, struct text role)
{
    const struct roles_rule *rule = roles_rule_find(walk->rules, role);

    walk->steps[walk->step_count++] = role;
    for (size_t i = 0; rule != NULL && i < rule->needs.count; i++) {
        const struct roles_rule *next = roles_rule_find(walk->rules, rule->needs.items[i]);

        if (text_is_equal(rule->needs.items[i], walk->target)) {
            return true;
        }
        if (next == NULL || walk->is_seen[next - walk->rules->items]) {
            continue;
        }
        walk->is_seen[next - walk->rules->items] = true;
        if (roles_walk_reaches(walk, next->name)) {
            return true;
        }
    }
    walk->step_count--;
    return false;
}

static struct roles_walk roles_walk_begin(struct arena *arena, const struct roles_rules *rules,
                                          struct text target)
{
    struct roles_walk walk = {
        .rules = rules,
        .target = target,
        .is_seen = arena_array(arena, bool, rules->count + 1),
        .steps = arena_array(arena, struct text, rules->count + 2),
    };

    memset(walk.is_seen, 0, (rules->count + 1) * sizeof(bool));
    return walk;
}

bool roles_rule_needs(const struct roles_rules *rules, struct text role, struct text other)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct roles_walk walk = roles_walk_begin(arena, rules, other);

    return roles_walk_reaches(&walk, role);
}

static struct text roles_walk_words(struct arena *arena, const struct roles_walk *walk)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add(&buf, walk->target);
    for (size_t i = 0; i < walk->step_count; i++) {
        buf_printf(&buf, " needs %.*s", TEXT_ARG(walk->steps[i]));
    }
    buf_printf(&buf, " needs %.*s", TEXT_ARG(walk->target));
    return buf_text(&buf);
}

const struct doc *roles_cycle_find(struct arena *arena, const struct doc *map,
                                   struct text *out_words)
{
    struct roles_rules rules = roles_rules_read(arena, map);

    for (size_t i = 0; doc_is_map(map) && i < map->entry_count; i++) {
        const struct doc *needs = doc_child(&map->entries[i].value, "needs");

        for (size_t j = 0; doc_is_list(needs) && j < needs->item_count; j++) {
            struct roles_walk walk = roles_walk_begin(arena, &rules, map->entries[i].key);

            if (text_is_equal(needs->items[j].text, walk.target) ||
                roles_walk_reaches(&walk, needs->items[j].text)) {
                *out_words = roles_walk_words(arena, &walk);
                return &needs->items[j];
            }
        }
    }
    return NULL;
}

/* ---- names ---- */

/* Return the known roles of a cluster: the roles of its nodes, the roles with a rule, and the
 * built-in roles. */
static struct roles_list roles_known(struct arena *arena, const struct doc *map,
                                     const struct roles_leaf *leaves, size_t leaf_count)
{
    struct roles_list known = { 0 };

    for (size_t i = 0; i < map->entry_count; i++) {
        roles_list_add(arena, &known, map->entries[i].key);
    }
    for (size_t i = 0; i < ARRAY_COUNT(shipped); i++) {
        roles_list_add(arena, &known, text_from(shipped[i].name));
    }
    for (size_t i = 0; i < leaf_count; i++) {
        struct roles_group group = roles_group_read(arena, leaves[i].doc);

        for (size_t j = 0; j < group.roles.count; j++) {
            roles_list_add(arena, &known, group.roles.items[j]);
        }
        for (size_t j = 0; j < group.member_count; j++) {
            for (size_t k = 0; k < group.members[j].roles.count; k++) {
                roles_list_add(arena, &known, group.members[j].roles.items[k]);
            }
        }
    }
    return known;
}

/* Reports each unknown name in a list. If `otherwise` is NULL there is no general hint,
 * and only names that resemble a known one are reported. */
static void roles_list_check(struct err_list *errors, const struct doc *list, const char *what,
                             const struct roles_list *known, const char *otherwise)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        const struct doc *name = &list->items[i];
        struct suggest suggest = suggest_start(name->text);
        struct text best;
        struct err *err;

        for (size_t j = 0; j < known->count; j++) {
            suggest_offer(&suggest, known->items[j]);
        }
        best = suggest_best(&suggest);
        if (!doc_is_scalar(name) || roles_list_has(known, name->text) ||
            (best.length == 0 && otherwise == NULL)) {
            continue;
        }
        err = err_list_set(errors, doc_place(name), CODE_R0333, "there is no %s '%.*s'", what,
                           TEXT_ARG(name->text));
        if (best.length > 0) {
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(best));
        } else {
            err_hint(err, "%s", otherwise);
        }
    }
}

void roles_names_check(struct arena *arena, struct err_list *errors, const struct doc *map,
                       const struct roles_leaf *leaves, size_t leaf_count)
{
    struct roles_list groups = { 0 };
    struct text *paths = arena_array(arena, struct text, leaf_count);
    struct roles_list known;

    if (!doc_is_map(map)) {
        return;
    }
    for (size_t i = 0; i < leaf_count; i++) {
        paths[i] = leaves[i].path;
    }
    groups = (struct roles_list){ paths, leaf_count };
    known = roles_known(arena, map, leaves, leaf_count);
    for (size_t i = 0; i < map->entry_count; i++) {
        const struct doc *rule = &map->entries[i].value;

        roles_list_check(errors, doc_child(rule, "of"), "group", &groups,
                         "name groups of this cluster by their paths: of: [web, db/main]");
        /* A role that no node has yet may be assigned later. If it is needed before, R0823 reports
         * it. */
        roles_list_check(errors, doc_child(rule, "needs"), "role", &known, NULL);
    }
}
