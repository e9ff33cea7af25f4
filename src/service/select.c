#include "service/select.h"

#include "base/sort.h"
#include "base/suggest.h"
#include "change/change.h"
#include "codec/json.h"
#include "inventory/member_status.h"
#include "inventory/traits.h"
#include "model/nest.h"
#include "model/set.h"
#include "selector/ranges.h"
#include "service/select_change.h"
#include "state/holders.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* The state of a selection. Records are parsed in `scratch`, and results are copied to the
 * arena. */
struct selecting {
    const struct cache *cache;
    struct arena *arena;
    struct arena *scratch;
    const struct service_actor *actor;
    const struct select_request *request;
    struct selector selector; /* parsed request->labels; count 0: none */
    struct select_change change;
    struct text *patterns;
    bool *are_met;
    size_t pattern_count;
    unsigned states; /* the requested states, one bit for each of enum displayed; 0: all states */
    const struct select_group **groups; /* groups of the current cluster */
    size_t group_count;
    struct holders holders; /* role holders of the current cluster */
    bool has_group;         /* the requested group exists */
    struct select_node *items;
    size_t count;
    size_t room;
};

/* ---- groups ---- */

static struct doc labels_copy(struct arena *arena, const struct doc *labels)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; doc_is_map(labels) && i < labels->entry_count; i++) {
        const struct doc_entry *entry = &labels->entries[i];

        if (doc_is_scalar(&entry->value)) {
            doc_builder_put(&builder, arena_string(arena, entry->key),
                            doc_text(arena_text(arena, entry->value.text), NULL));
        }
    }
    return doc_builder_map(&builder, NULL);
}

static struct select_group *select_group_new(struct selecting *selecting, struct text path)
{
    struct select_group *group = arena_one(selecting->arena, struct select_group);

    *group = (struct select_group){ .path = arena_text(selecting->arena, path),
                                    .labels = doc_map(NULL, 0, NULL) };
    return group;
}

/* Read the current groups of a cluster, with their effective labels. A cluster that cannot be read
 * has no groups, but keeps its machines. */
static void select_groups_read(struct selecting *selecting, const struct cache_object *cluster)
{
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct model_object *object;
    struct stored_object stored;
    struct err_list errors;
    struct model_set set;
    struct doc own;
    struct err err;

    selecting->group_count = 0;
    err_list_init(&errors, scratch);
    if (!objects_read(scratch, selecting->cache, objects_kind("Cluster"), cluster, &stored, &err)) {
        arena_free(scratch);
        return;
    }
    own = stored_join(scratch, &stored, STORED_OWN);
    own = nest_put(scratch, &own, "name", doc_text(stored.part.meta.name, NULL));
    model_set_init(&set, scratch, &errors);
    object = model_set_add_stored(&set, stored.kind, &own, stored_made(scratch, &stored), false);
    model_set_resolve(&set);
    object = errors.count > 0 ? NULL : &set.objects[0];
    selecting->groups = arena_array(selecting->arena, const struct select_group *,
                                    object == NULL ? 1 : object->leaf_count + 1);
    for (size_t i = 0; object != NULL && i < object->leaf_count; i++) {
        const struct doc *leaf = &object->leaves[i].doc;
        const struct doc *transport = doc_child(doc_child(leaf, "ssh"), "transport");
        const struct doc *key = doc_child(leaf, "sshKeySecret");
        struct select_group *group = select_group_new(selecting, object->leaves[i].path);

        group->labels = labels_copy(selecting->arena, doc_child(leaf, "labels"));
        group->key_secret = doc_is_scalar(key) && !doc_is_null(key)
                                ? arena_text(selecting->arena, key->text)
                                : TEXT("");
        group->roles = roles_group_read(selecting->arena, leaf);
        group->is_operators = doc_is_scalar(transport) && text_is(transport->text, "openssh");
        selecting->has_group |= objects_group_is_below(group->path, selecting->request->group);
        selecting->groups[selecting->group_count++] = group;
    }
    arena_free(scratch);
}

static const struct select_group *select_group_find(struct selecting *selecting, struct text path)
{
    static const struct select_group none = { .labels = { .kind = DOC_KIND_MAP } };

    for (size_t i = 0; i < selecting->group_count; i++) {
        if (text_is_equal(selecting->groups[i]->path, path)) {
            return selecting->groups[i];
        }
    }
    return path.length == 0 ? &none : select_group_new(selecting, path);
}

/* ---- one machine ---- */

/* Bits for conditions of machines that are selected in the same way as states. */
enum { STATE_OUTDATED = 1 << DISPLAYED_COUNT, STATE_BLOCKED = STATE_OUTDATED << 1 };

static bool is_in_state(const struct selecting *selecting, const struct select_node *node)
{
    return selecting->states == 0 || (selecting->states & 1u << node->displayed) != 0 ||
           (node->is_outdated && (selecting->states & STATE_OUTDATED) != 0) ||
           (node->is_blocked && (selecting->states & STATE_BLOCKED) != 0);
}

/* True if the name matches one of the patterns. Each matching pattern counts as used, even if other
 * conditions exclude the machine. */
static bool is_select_named(struct selecting *selecting, const struct record *record)
{
    bool is_met = selecting->pattern_count == 0;

    for (size_t i = 0; i < selecting->pattern_count; i++) {
        struct text pattern = selecting->patterns[i];

        if (ranges_has(pattern, record->name) || text_is_equal(pattern, record->plan.id) ||
            text_is_equal(pattern, record->plan.token)) {
            selecting->are_met[i] = true;
            is_met = true;
        }
    }
    return is_met;
}

struct select_traits {
    struct arena *arena;
    const struct select_node *node;
    struct doc facts;
    struct text role; /* the role that is compared; empty: compare the label or fact of this name */
};

/* Find a machine's trait for a selector: among reeve's own fields, then labels, then facts. */
static bool select_trait_find(void *arg, struct text key, struct text *out)
{
    const struct select_traits *traits = arg;
    const struct select_node *node = traits->node;
    const struct {
        const char *key;
        struct text value;
    } own[] = {
        { "cluster", node->cluster }, { "group", node->group->path },
        { "name", node->name },       { "role", traits->role },
        { "plugin", node->plugin },   { "state", text_from(node->state) },
        { "zone", node->zone },       { "status", text_from(lifecycle_status_name(node->status)) },
    };

    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        if (text_is(key, own[i].key) && own[i].value.length > 0) {
            *out = own[i].value;
            return true;
        }
    }
    return traits_value_find(&node->group->labels, key, out) ||
           traits_fact_find(traits->arena, &traits->facts, key, out);
}

/* True if a condition holds. A node with several roles matches each of them: it has `role=web` if
 * one of its roles or its label is web, and `role!=web` if none is. */
static bool is_select_clause_met(struct select_traits *traits, const struct selector_clause *clause)
{
    const struct selector one = { clause, 1 };
    const struct roles_list *roles = &traits->node->roles;
    bool is_for_all = clause->op == SELECTOR_NOT_IN || clause->op == SELECTOR_MISSING;
    bool is_met;

    traits->role = TEXT("");
    is_met = selector_matches(&one, select_trait_find, traits);
    for (size_t i = 0; text_is(clause->key, "role") && i < roles->count; i++) {
        traits->role = roles->items[i];
        if (selector_matches(&one, select_trait_find, traits) != is_for_all) {
            is_met = !is_for_all;
        }
    }
    return is_met;
}

static bool is_selected(struct selecting *selecting, const struct select_node *node)
{
    struct select_traits traits = { selecting->scratch, .node = node };
    struct err err;

    if (selecting->selector.count == 0) {
        return true;
    }
    if (node->facts.length == 0 ||
        !json_parse_record(selecting->scratch, node->facts, NULL, &traits.facts, &err)) {
        traits.facts = doc_map(NULL, 0, NULL);
    }
    for (size_t i = 0; i < selecting->selector.count; i++) {
        if (!is_select_clause_met(&traits, &selecting->selector.clauses[i])) {
            return false;
        }
    }
    return true;
}

/* Return the state of a machine's node; an empty state if there is none yet. */
static struct node_state select_state_read(struct selecting *selecting, struct text id)
{
    const struct cache_object *object =
        cache_find(selecting->cache, selecting->actor->tenant, TEXT("Node"), id);
    struct node_state state;
    struct err err;

    return object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
                   node_state_parse(selecting->scratch,
                                    blob_text(object->parts[CACHE_STATUS].bytes), &state, &err)
               ? state
               : (struct node_state){ 0 };
}

static bool select_may_read(const struct selecting *selecting, struct text cluster,
                            struct text path)
{
    const struct change_reach *reach = selecting->actor->reach;

    return reach == NULL ||
           (selecting->request->is_acting
                ? reach->may_write(reach->arg, cluster, path)
                : reach->may_read(reach->arg, objects_kind("Cluster"), cluster, path));
}

static void select_keep(struct arena *arena, struct select_node *node)
{
    struct text *const texts[] = { &node->name,    &node->token, &node->id,       &node->plugin,
                                   &node->zone,    &node->user,  &node->host_key, &node->alarm,
                                   &node->address, &node->facts };

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        *texts[i] = arena_text(arena, *texts[i]);
    }
}

static struct select_node select_node_make(struct selecting *selecting, const struct record *record,
                                           const struct node_state *state)
{
    enum displayed displayed = displayed_of(&record->plan);
    enum lifecycle_status prev;
    enum lifecycle_status status = member_status_of(record, state, &prev);
    const struct select_group *group = select_group_find(selecting, record->plan.group);
    struct roles_list listed = roles_group_of(&group->roles, record->name);

    return (struct select_node){
        .group = group,
        .roles =
            holders_roles_of(selecting->arena, &selecting->holders, &listed, record->plan.token),
        .name = record->name.length > 0 ? record->name : record->plan.token,
        .token = record->plan.token,
        .id = record->plan.id,
        .plugin = record->plugin,
        .zone = record->plan.zone,
        .address = record->address,
        .user = record->user,
        .host_key = record->host_key,
        .alarm = record->alarm,
        .facts = state->facts,
        .displayed = displayed,
        .state = displayed_name(displayed),
        .is_outdated = record->is_outdated,
        .is_blocked = record->is_blocked,
        .record_state = record->plan.state,
        .port = record->port,
        .drain = state->lifecycle.drain,
        .status = status,
        .prev_status = prev,
        .is_drifted = state->verified.verdict == NODE_VERDICT_DRIFTED,
        .is_failed = select_change_is_failed(record, state),
    };
}

static void node_add(struct selecting *selecting, const struct select_node *node)
{
    if (selecting->count == selecting->room) {
        size_t room = selecting->room == 0 ? 64 : selecting->room * 2;

        selecting->items = arena_grow(selecting->arena, selecting->items,
                                      selecting->room * sizeof(*node), room * sizeof(*node));
        selecting->room = room;
    }
    selecting->items[selecting->count] = *node;
    select_keep(selecting->arena, &selecting->items[selecting->count++]);
}

static void node_take(struct selecting *selecting, const struct cache_object *object,
                      struct text cluster, struct text key)
{
    struct text id = cache_id(object);
    struct text token = text_slice(id, text_find_byte(id, '/') + 1, id.length);
    struct node_state state;
    struct select_node node;
    struct record record;
    struct err err;

    if (object->parts[CACHE_STATUS].bytes == NULL ||
        (selecting->request->names.length > 0 &&
         !ranges_may_have(selecting->request->names, token,
                          blob_text(object->parts[CACHE_STATUS].bytes))) ||
        !record_parse(selecting->scratch, token, blob_text(object->parts[CACHE_STATUS].bytes),
                      &record, &err) ||
        !objects_group_is_below(record.plan.group, selecting->request->group) ||
        !select_may_read(selecting, cluster, record.plan.group) ||
        !is_select_named(selecting, &record)) {
        return;
    }
    state = select_state_read(selecting, id);
    node = select_node_make(selecting, &record, &state);
    node.cluster = cluster;
    node.key = key;
    if (is_in_state(selecting, &node) && is_selected(selecting, &node) &&
        select_change_has(&selecting->change, &record, &state)) {
        node_add(selecting, &node);
    }
}

/* ---- all of them ---- */

MUST_CHECK static bool select_cluster_take(struct selecting *selecting,
                                           const struct cache_object *cluster, struct err *err)
{
    struct text tenant = selecting->actor->tenant;
    struct text id = arena_text(selecting->arena, cache_id(cluster));
    struct text name = objects_cluster_name(selecting->cache, selecting->arena, tenant, id);
    struct text key = arena_printf(selecting->arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(id));
    struct text prefix =
        arena_printf(selecting->arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(id));

    if (!select_change_enter(&selecting->change, selecting->cache, tenant, id, err)) {
        select_change_leave(&selecting->change);
        return false;
    }
    select_groups_read(selecting, cluster);
    selecting->holders = holders_read(selecting->arena, selecting->cache, tenant, id);
    for (const struct cache_object *object = cache_first(selecting->cache, prefix); object != NULL;
         object = cache_next(selecting->cache, prefix, object)) {
        struct arena_mark mark = arena_mark(selecting->scratch);

        node_take(selecting, object, name, key);
        arena_rewind(selecting->scratch, mark);
    }
    select_change_leave(&selecting->change);
    return true;
}

MUST_CHECK static bool select_clusters_take(struct selecting *selecting, struct err *err)
{
    struct text wanted = selecting->request->cluster;
    struct text prefix =
        arena_printf(selecting->arena, "/%.*s/Cluster/", TEXT_ARG(selecting->actor->tenant));
    const struct cache_object *object;

    if (wanted.length > 0) {
        object = objects_find(selecting->cache, selecting->actor->tenant, objects_kind("Cluster"),
                              wanted);
        if (object == NULL) {
            err_set(err, CODE_R0403, "there is no cluster '%.*s'", TEXT_ARG(wanted));
            return err_hint(err, "reeve get clusters lists those that exist");
        }
        return select_cluster_take(selecting, object, err);
    }
    for (object = cache_first(selecting->cache, prefix); object != NULL;
         object = cache_next(selecting->cache, prefix, object)) {
        if (!select_cluster_take(selecting, object, err)) {
            return false;
        }
    }
    return true;
}

/* Rank machines with the same name: an active machine first, then one that is being created. */
static int select_worth_of(const struct select_node *node)
{
    return node->record_state == PLAN_RECORD_ACTIVE   ? 2
           : node->record_state == PLAN_RECORD_CREATE ? 1
                                                      : 0;
}

int select_order(const struct select_node *node, struct text cluster, struct text name)
{
    int order = text_compare(node->cluster, cluster);

    return order != 0 ? order : ranges_compare(node->name, name);
}

/* Order by cluster and name. If *arg is true, failed machines come first within a name. */
static int select_node_compare(const void *a, const void *b, void *arg)
{
    const struct select_node *left = a;
    const struct select_node *right = b;
    int order = select_order(left, right->cluster, right->name);

    if (order == 0 && *(const bool *)arg) {
        order = (int)right->is_failed - (int)left->is_failed;
    }
    return order != 0 ? order : select_worth_of(right) - select_worth_of(left);
}

/* Keep one machine for each name: during a replacement two machines have the same name. */
static void doubles_drop(struct selecting *selecting)
{
    size_t kept = 0;

    for (size_t i = 0; i < selecting->count; i++) {
        const struct select_node *node = &selecting->items[i];

        if (kept == 0 || !text_is_equal(selecting->items[kept - 1].name, node->name) ||
            !text_is_equal(selecting->items[kept - 1].cluster, node->cluster)) {
            selecting->items[kept++] = *node;
        }
    }
    selecting->count = kept;
}

MUST_CHECK static bool states_read(struct selecting *selecting, struct err *err)
{
    struct text rest = selecting->request->states;
    enum displayed displayed;
    struct text word;

    while (ranges_next(&rest, &word)) {
        if (text_is(word, "outdated")) {
            selecting->states |= STATE_OUTDATED;
        } else if (text_is(word, "blocked")) {
            selecting->states |= STATE_BLOCKED;
        } else if (displayed_parse(word, &displayed)) {
            selecting->states |= 1u << displayed;
        } else {
            err_set(err, CODE_R0426, "'%.*s' is not a state of a machine", TEXT_ARG(word));
            return err_hint(err, "there are %s,outdated,blocked", displayed_names());
        }
    }
    return true;
}

MUST_CHECK static bool select_request_read(struct selecting *selecting, struct err *err)
{
    const struct select_request *request = selecting->request;
    struct text rest = request->names;
    struct text word;

    selecting->patterns = arena_array(selecting->arena, struct text, request->names.length / 2 + 2);
    while (ranges_next(&rest, &word)) {
        if (!ranges_is_pattern(word)) {
            err_set(err, CODE_R0426, "'%.*s' is not a range of names", TEXT_ARG(word));
            return err_hint(err, "write web-[0-3,7]");
        }
        selecting->patterns[selecting->pattern_count++] = word;
    }
    selecting->are_met = arena_array(selecting->arena, bool, selecting->pattern_count + 1);
    memset(selecting->are_met, 0, selecting->pattern_count + 1);
    return states_read(selecting, err) &&
           select_change_parse(request->failed_of, request->revision, &selecting->change, err) &&
           (request->labels.length == 0 ||
            selector_parse(selecting->arena, request->labels, &selecting->selector, err));
}

/* Add a hint: if `name` is a group, how to select it; otherwise how to list the machines. */
MUST_CHECK static bool name_hint(const struct selecting *selecting, struct text name,
                                 struct err *err)
{
    struct text cluster = selecting->request->cluster;

    for (size_t i = 0; cluster.length > 0 && i < selecting->group_count; i++) {
        if (text_is_equal(selecting->groups[i]->path, name)) {
            return err_hint(err, "that is a group: all of its machines are -g %.*s/%.*s",
                            TEXT_ARG(cluster), TEXT_ARG(name));
        }
    }
    return err_hint(err, "reeve get nodes lists those that exist");
}

/* Add a hint to an error about a group: the most similar name. */
MUST_CHECK static bool group_hint(const struct selecting *selecting, struct err *err)
{
    struct suggest suggest = suggest_start(selecting->request->group);

    for (size_t i = 0; i < selecting->group_count; i++) {
        suggest_offer(&suggest, selecting->groups[i]->path);
    }
    if (suggest_best(&suggest).length == 0) {
        return err_hint(err, "reeve get nodegroups lists those that exist");
    }
    return err_hint(err, "did you mean '%.*s/%.*s'?", TEXT_ARG(selecting->request->cluster),
                    TEXT_ARG(suggest_best(&suggest)));
}

/* Reject a selection if a part of it does not exist. Then nothing is done to the other machines
 * either. */
MUST_CHECK static bool unmet_check(const struct selecting *selecting, struct err *err)
{
    const struct select_request *request = selecting->request;

    if (request->group.length > 0 && !selecting->has_group && selecting->count == 0) {
        err_set(err, CODE_R0403, "there is no nodegroup '%.*s/%.*s'", TEXT_ARG(request->cluster),
                TEXT_ARG(request->group));
        return group_hint(selecting, err);
    }
    for (size_t i = 0; i < selecting->pattern_count; i++) {
        if (!selecting->are_met[i]) {
            err_set(err, CODE_R0403, "there is no machine '%.*s'%s%.*s",
                    TEXT_ARG(selecting->patterns[i]), request->cluster.length > 0 ? " in " : "",
                    TEXT_ARG(request->cluster));
            return name_hint(selecting, selecting->patterns[i], err);
        }
    }
    return select_change_check(&selecting->change, request->cluster, err);
}

bool select_nodes(const struct cache *cache, struct arena *arena, const struct service_actor *actor,
                  const struct select_request *request, struct select_nodes *out, struct err *err)
{
    struct selecting selecting = {
        .cache = cache, .arena = arena, .actor = actor, .request = request
    };
    bool is_of_job = request->failed_of.length > 0;
    bool is_found;

    selecting.scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    is_found = select_request_read(&selecting, err) && select_clusters_take(&selecting, err) &&
               unmet_check(&selecting, err);
    arena_free(selecting.scratch);
    if (!is_found) {
        return false;
    }
    sort_stable(arena, selecting.items, selecting.count, sizeof(*selecting.items),
                select_node_compare, &is_of_job);
    doubles_drop(&selecting);
    *out = (struct select_nodes){ selecting.items, selecting.count };
    return true;
}
