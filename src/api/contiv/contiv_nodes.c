#include "api/contiv/contiv.h"
#include "api/request/handlers.h"
#include "base/map.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "state/objects.h"

#include <ctype.h>

/* Nodes as the compatibility API shows them: the machines of the inventory that are free, and the
 * members of its cluster. */

/* ---- finding ---- */

MUST_CHECK static bool contiv_members_find(struct call *call, struct select_nodes *out)
{
    struct select_request request = { .cluster = call->api->options.contiv->cluster };
    struct err err;

    *out = (struct select_nodes){ 0 };
    if (contiv_cluster_id(call).length == 0 ||
        select_nodes(call->api->options.cache, call->arena, &call->actor, &request, out, &err)) {
        return true;
    }
    call_refuse(call, &err);
    return false;
}

static void contiv_node_add(struct call *call, struct contiv_nodes *nodes, size_t *room,
                            struct contiv_node node)
{
    if (nodes->count == *room) {
        size_t more = 2 * *room + 16;

        nodes->items = arena_grow(call->arena, nodes->items, *room * sizeof(*nodes->items),
                                  more * sizeof(*nodes->items));
        *room = more;
    }
    nodes->items[nodes->count++] = node;
}

bool contiv_nodes_find(struct call *call, struct contiv_nodes *out)
{
    const struct cache *cache = call->api->options.cache;
    struct text id = contiv_cluster_id(call);
    struct text prefix =
        arena_printf(call->arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(call->actor.tenant));
    struct select_nodes members;
    struct map tokens; /* token to struct select_node, only of nodes without an inventory row */
    size_t room = 0;

    *out = (struct contiv_nodes){ 0 };
    if (!contiv_members_find(call, &members)) {
        return false;
    }
    map_init(&tokens, call->arena);
    for (size_t i = 0; i < members.count; i++) {
        map_put(&tokens, members.items[i].token, &members.items[i]);
    }
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct discovered *row = arena_one(call->arena, struct discovered);
        bool is_claimed;

        if (!discovered_read(call->arena, object, row) || row->is_ignored) {
            continue;
        }
        is_claimed = row->claim.token.length > 0;
        if (is_claimed && !text_is_equal(row->claim.cluster, id)) {
            continue; /* the machine belongs to another cluster, which this API does not serve */
        }
        contiv_node_add(call, out, &room,
                        (struct contiv_node){
                            .name = row->name,
                            .row = row,
                            .member = is_claimed ? map_remove(&tokens, row->claim.token) : NULL });
    }
    for (size_t i = 0; i < members.count; i++) {
        const struct select_node *member = &members.items[i];

        if (map_find(&tokens, member->token) != NULL) {
            contiv_node_add(call, out, &room,
                            (struct contiv_node){ .name = member->name, .member = member });
        }
    }
    return true;
}

const struct contiv_node *contiv_node_find(const struct contiv_nodes *nodes, struct text name)
{
    for (size_t i = 0; i < nodes->count; i++) {
        const struct contiv_node *node = &nodes->items[i];

        if (text_is_equal(node->name, name) ||
            (node->row != NULL && text_is_equal(node->row->id, name)) ||
            (node->member != NULL && text_is_equal(node->member->name, name))) {
            return node;
        }
    }
    return NULL;
}

/* ---- status ---- */

enum lifecycle_status contiv_node_status(const struct contiv_node *node)
{
    const struct select_node *member = node->member;

    if (member == NULL) {
        return node->row->claim.token.length > 0 ? LIFECYCLE_STATUS_PROVISIONING
                                                 : node->row->status;
    }
    return member->status;
}

static enum lifecycle_status contiv_node_prev_status(const struct contiv_node *node)
{
    enum lifecycle_status status = contiv_node_status(node);

    if (node->member != NULL && status != LIFECYCLE_STATUS_PROVISIONING) {
        return node->member->prev_status;
    }
    if (node->row == NULL) {
        return LIFECYCLE_STATUS_INCOMPLETE;
    }
    /* the row still has the status from the time before a cluster claimed the machine */
    return status == LIFECYCLE_STATUS_PROVISIONING ? node->row->status : node->row->prev_status;
}

enum lifecycle_state contiv_node_state(const struct contiv_node *node)
{
    if (node->row != NULL) {
        return node->row->state;
    }
    return node->member->displayed == DISPLAYED_UNREACHABLE ? LIFECYCLE_STATE_DISAPPEARED
           : node->member->displayed == DISPLAYED_CREATING  ? LIFECYCLE_STATE_UNKNOWN
                                                            : LIFECYCLE_STATE_DISCOVERED;
}

struct text contiv_node_group(const struct contiv_node *node)
{
    return node->member != NULL                   ? node->member->group->path
           : node->row->claim.group.length > 0    ? node->row->claim.group
           : node->row->reserved.group.length > 0 ? node->row->reserved.group
                                                  : node->row->cleanup.group;
}

struct text contiv_capital(struct arena *arena, const char *word)
{
    char *copy = arena_string(arena, text_from(word));

    copy[0] = (char)toupper((unsigned char)copy[0]);
    return text_from(copy);
}

/* ---- showing ---- */

static void contiv_put(struct doc_builder *builder, const char *key, struct text value)
{
    doc_builder_put(builder, key, doc_text(value, NULL));
}

static struct doc contiv_monitoring_show(struct call *call, const struct contiv_node *node)
{
    struct text label = node->name;
    struct text serial = TEXT("");
    struct doc_builder builder;

    for (size_t i = 0; node->row != NULL && i < node->row->source_count; i++) {
        const struct discovered_source *source = &node->row->sources[i];
        struct err err;
        struct doc tags;

        if (source->tags.length > 0 && json_parse(call->arena, source->tags, NULL, &tags, &err) &&
            doc_child_text(&tags, "NodeLabel").length > 0) {
            label = doc_child_text(&tags, "NodeLabel");
            serial = doc_child_text(&tags, "NodeSerial");
        }
    }
    doc_builder_init(&builder, call->arena);
    contiv_put(&builder, "label", label);
    contiv_put(&builder, "serial_number",
               serial.length == 0 && node->row != NULL ? node->row->serial : serial);
    contiv_put(&builder, "management_address",
               node->row != NULL ? node->row->address : node->member->address);
    return doc_builder_map(&builder, NULL);
}

static struct doc contiv_inventory_show(struct call *call, const struct contiv_node *node)
{
    enum lifecycle_state prev = node->row != NULL ? node->row->prev_state : LIFECYCLE_STATE_UNKNOWN;
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    contiv_put(&builder, "name", node->name);
    contiv_put(&builder, "status",
               contiv_capital(call->arena, lifecycle_status_name(contiv_node_status(node))));
    contiv_put(&builder, "prev_status",
               contiv_capital(call->arena, lifecycle_status_name(contiv_node_prev_status(node))));
    contiv_put(&builder, "state",
               contiv_capital(call->arena, lifecycle_state_name(contiv_node_state(node))));
    contiv_put(&builder, "prev_state", contiv_capital(call->arena, lifecycle_state_name(prev)));
    return doc_builder_map(&builder, NULL);
}

static struct doc contiv_configuration_show(struct call *call, const struct contiv_node *node)
{
    struct text address = node->row != NULL ? node->row->address : node->member->address;
    struct doc_builder vars;
    struct doc_builder builder;

    doc_builder_init(&vars, call->arena);
    contiv_put(&vars, "node_name", node->name);
    contiv_put(&vars, "node_addr", address);
    doc_builder_init(&builder, call->arena);
    contiv_put(&builder, "inventory_name", node->name);
    contiv_put(&builder, "host_group", contiv_node_group(node));
    contiv_put(&builder, "ssh_address", address);
    doc_builder_put(&builder, "inventory_vars", doc_builder_map(&vars, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc contiv_node_show(struct call *call, const struct contiv_node *node)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "monitoring_state", contiv_monitoring_show(call, node));
    doc_builder_put(&builder, "inventory_state", contiv_inventory_show(call, node));
    doc_builder_put(&builder, "configuration_state", contiv_configuration_show(call, node));
    return doc_builder_map(&builder, NULL);
}

void api_contiv_nodes(struct call *call)
{
    struct contiv_nodes nodes;
    struct doc_builder builder;
    struct map names;
    struct doc body;

    if (!contiv_nodes_find(call, &nodes)) {
        return;
    }
    map_init(&names, call->arena);
    doc_builder_init(&builder, call->arena);
    for (size_t i = 0; i < nodes.count; i++) {
        const struct contiv_node *node = &nodes.items[i];
        /* machines with the same name are listed by their ids */
        struct text key =
            map_find(&names, node->name) == NULL || node->row == NULL ? node->name : node->row->id;

        map_put(&names, node->name, (void *)(uintptr_t)node);
        doc_builder_put(&builder, arena_string(call->arena, key), contiv_node_show(call, node));
    }
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

void api_contiv_node(struct call *call)
{
    struct contiv_nodes nodes;
    const struct contiv_node *node;
    struct doc body;

    if (!contiv_nodes_find(call, &nodes)) {
        return;
    }
    node = contiv_node_find(&nodes, call->name);
    if (node == NULL) {
        contiv_refuse(call, 404,
                      arena_printf(call->arena, "the specified node '%.*s' doesn't exists",
                                   TEXT_ARG(call->name)));
        return;
    }
    body = contiv_node_show(call, node);
    call_report(call, 200, &body);
}
