#include "api/contiv/contiv.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "inventory/inventory.h"
#include "model/merge.h"
#include "model/nest.h"
#include "service/service_command.h"
#include "service/service_read.h"
#include "state/objects.h"

/* public names start with: contiv_ */

/* Requests of the compatibility API that change nodes. A request is checked completely before
 * anything is written, and is answered as soon as its job is committed. */

enum { CONTIV_NODES_MAX = 30 };

struct contiv_request {
    bool is_move; /* true: the nodes leave their current groups first */
    bool is_new;  /* true: their new host group does not exist yet */
    struct call *call;
    struct contiv_body body;
    struct contiv_nodes all;
    const struct contiv_node **nodes; /* nodes of the request */
    size_t count;
    struct text group; /* path of the host group */
};

/* ---- checks ---- */

static void contiv_fault_add(struct buf *faults, struct text line)
{
    buf_printf(faults, "%s%.*s", faults->length > 0 ? "; " : "", TEXT_ARG(line));
}

/* Return the error text of Contiv's cluster manager for a transition that is not in
 * lifecycle.def. */
static struct text contiv_transition(struct call *call, const struct contiv_node *node,
                                     enum lifecycle_status to)
{
    struct text from = contiv_capital(call->arena, lifecycle_status_name(contiv_node_status(node)));

    return arena_printf(
        call->arena, "transition from '%.*s' to '%.*s' is not allowed for '%.*s'", TEXT_ARG(from),
        TEXT_ARG(contiv_capital(call->arena, lifecycle_status_name(to))), TEXT_ARG(node->name));
}

/* Read the body and find its nodes, each of which must exist. Returns false if the request was
 * rejected. */
MUST_CHECK static bool contiv_request_read(struct call *call, struct contiv_request *out)
{
    struct buf faults;

    *out = (struct contiv_request){ .call = call };
    if (!contiv_body_read(call, &out->body) || !contiv_nodes_find(call, &out->all)) {
        return false;
    }
    if (out->body.node_count == 0 || out->body.node_count > CONTIV_NODES_MAX) {
        contiv_refuse(
            call, 400,
            arena_printf(call->arena, "nodes must list 1 to %d nodes", (int)CONTIV_NODES_MAX));
        return false;
    }
    buf_init(&faults, call->arena);
    out->nodes = arena_array(call->arena, const struct contiv_node *, out->body.node_count);
    for (size_t i = 0; i < out->body.node_count; i++) {
        const struct contiv_node *node = contiv_node_find(&out->all, out->body.nodes[i]);
        bool is_seen = false;

        if (node == NULL) {
            contiv_fault_add(&faults, arena_printf(call->arena, "node '%.*s' doesn't exists",
                                                   TEXT_ARG(out->body.nodes[i])));
            continue;
        }
        for (size_t j = 0; j < out->count; j++) {
            is_seen = is_seen || out->nodes[j] == node;
        }
        if (!is_seen) {
            out->nodes[out->count++] = node;
        }
    }
    if (faults.length > 0) {
        contiv_refuse(call, 404, buf_text(&faults));
        return false;
    }
    return true;
}

/* Check that every node is discovered and may get the status. The error lists all nodes that may
 * not. */
MUST_CHECK static bool contiv_status_check(const struct contiv_request *request,
                                           enum lifecycle_status to)
{
    struct call *call = request->call;
    struct buf faults;

    buf_init(&faults, call->arena);
    for (size_t i = 0; i < request->count; i++) {
        const struct contiv_node *node = request->nodes[i];

        if (contiv_node_state(node) != LIFECYCLE_STATE_DISCOVERED) {
            contiv_fault_add(&faults,
                             arena_printf(call->arena, "node '%.*s' is not in discovered state",
                                          TEXT_ARG(node->name)));
        } else if (!lifecycle_may_move(contiv_node_status(node), to)) {
            contiv_fault_add(&faults, contiv_transition(call, node, to));
        }
    }
    if (faults.length > 0) {
        contiv_refuse(call, 409, buf_text(&faults));
    }
    return faults.length == 0;
}

/* ---- host groups ---- */

static bool contiv_is_host_group(struct text name)
{
    return text_is(name, "service-master") || text_is(name, "service-worker");
}

/* Return the group with this path from the cluster's file; NULL if there is none. */
static const struct doc *contiv_group_find(const struct doc *cluster, struct text path)
{
    const struct doc *groups = doc_child(cluster, "groups");

    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        if (text_is_equal(groups->entries[i].key, path)) {
            return &groups->entries[i].value;
        }
    }
    return NULL;
}

/* Create a host group without nodes. No machine is allocated to it automatically. */
static void contiv_group_create(struct contiv_request *request, service_done *done)
{
    struct call *call = request->call;
    struct doc *role = arena_one(call->arena, struct doc);
    struct doc_builder plugin;
    struct doc_builder group;

    *role = doc_text(request->group, NULL);
    doc_builder_init(&plugin, call->arena);
    doc_builder_put(&plugin, "name", doc_text(TEXT(INVENTORY_PLUGIN), NULL));
    doc_builder_init(&group, call->arena);
    doc_builder_put(&group, "size", doc_int(call->arena, 0, NULL));
    doc_builder_put(&group, "resourcePlugin", doc_builder_map(&plugin, NULL));
    doc_builder_put(&group, "roles", doc_list(role, 1, NULL));
    doc_builder_put(&group, "autoCommission", doc_text(TEXT("off"), NULL));
    contiv_cluster_put(call, "groups", request->group, doc_builder_map(&group, NULL), done,
                       request);
}

static struct text contiv_json(struct call *call, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, call->arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

/* Write the new size of a group, and the machines that are allocated to it. */
static void contiv_group_grow(struct contiv_request *request, int64_t size, struct text taken,
                              service_done *done)
{
    struct call *call = request->call;
    struct doc *patch = arena_one(call->arena, struct doc);
    struct service_patch write = {
        .kind = schema_kind_find(TEXT("NodeGroup")),
        .name = arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(call->api->options.contiv->cluster),
                             TEXT_ARG(request->group)),
        .patch_kind = CHANGE_PATCH_MERGE,
        .patch = patch,
        .change = { .commissions = taken,
                    .is_move = request->is_move,
                    .allow = contiv_allow_all(),
                    .why = TEXT(CONTIV_WHY) },
    };
    struct doc_builder builder;

    if (request->body.vars.entry_count > 0) {
        write.change.vars = contiv_json(call, &request->body.vars);
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "size", doc_int(call->arena, size, NULL));
    *patch = doc_builder_map(&builder, NULL);
    service_patch(call->api->options.service, call->arena, &call->actor, &write, done, request);
}

/* Continue a request when this manager's cache contains the written change. */
static void contiv_wait(struct contiv_request *request, const struct service_answer *answer,
                        route_fn *run)
{
    struct call *call = request->call;

    call->state = request;
    call->run = run;
    call->wanted = answer->revision;
    call_wait(call);
    call->api->options.loop_turn_want(call->api->options.arg);
}

/* Called after the last write of a request: answers the call. */
static void contiv_request_written(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;

    if (answer->errors->errors > 0) {
        call_refuse_all(request->call, answer->errors, answer->body);
        return;
    }
    contiv_done(request->call);
}

/* ---- commission ---- */

/* Return the name of a node in a commission. For a node without a group this is the name in the
 * request, because a machine with a duplicate name is accepted only by its id. */
static struct text contiv_commission_name(const struct contiv_request *request,
                                          const struct discovered *row)
{
    bool is_by_id = row->claim.token.length > 0;

    for (size_t i = 0; i < request->body.node_count; i++) {
        is_by_id = is_by_id || text_is_equal(request->body.nodes[i], row->id);
    }
    return is_by_id ? row->id : row->name;
}

/* Format the nodes of the request as NAME=FINGERPRINT,... A commission also approves their host
 * keys, because Contiv's cluster manager accepted every host key. */
static struct text contiv_commission_words(const struct contiv_request *request)
{
    struct call *call = request->call;
    struct buf buf;

    buf_init(&buf, call->arena);
    for (size_t i = 0; i < request->count; i++) {
        const struct discovered *row = request->nodes[i]->row;
        struct text key = discovered_fingerprint(call->arena, row);

        buf_printf(&buf, "%s%.*s", i > 0 ? "," : "",
                   TEXT_ARG(contiv_commission_name(request, row)));
        if (key.length > 0 && !discovered_is_approved(row)) {
            buf_printf(&buf, "=%.*s", TEXT_ARG(key));
        }
    }
    return buf_text(&buf);
}

/* Return the number of machines that the group has, or that are reserved for it. */
static int64_t contiv_group_taken(const struct contiv_request *request)
{
    int64_t count = 0;

    for (size_t i = 0; i < request->all.count; i++) {
        count += text_is_equal(contiv_node_group(&request->all.items[i]), request->group) &&
                 (request->all.items[i].member != NULL ||
                  request->all.items[i].row->reserved.cluster.length > 0 ||
                  request->all.items[i].row->claim.token.length > 0);
    }
    return count;
}

static void contiv_move_reserved(void *arg, const struct service_answer *answer);

static void contiv_commission_write(struct contiv_request *request)
{
    struct call *call = request->call;
    struct doc cluster = contiv_cluster_read(call);
    const struct doc *group = contiv_group_find(&cluster, request->group);
    int64_t size = doc_child_number(group, "size");
    int64_t needed = contiv_group_taken(request) + (int64_t)request->count;

    contiv_group_grow(request, needed > size ? needed : size, contiv_commission_words(request),
                      request->is_move ? contiv_move_reserved : contiv_request_written);
}

static void contiv_commission_go_on(struct call *call)
{
    contiv_commission_write(call->state);
}

static void contiv_group_created(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;

    if (answer->errors->errors > 0) {
        call_refuse_all(request->call, answer->errors, answer->body);
        return;
    }
    contiv_wait(request, answer, contiv_commission_go_on);
}

/* Check the host group of a request. Returns false if the request was rejected. */
MUST_CHECK static bool contiv_group_check(struct contiv_request *request, bool *out_is_new)
{
    struct call *call = request->call;
    struct doc cluster = contiv_cluster_read(call);

    request->group = request->body.host_group;
    *out_is_new = contiv_group_find(&cluster, request->group) == NULL;
    if (request->group.length > 0 && (!*out_is_new || contiv_is_host_group(request->group))) {
        return true;
    }
    contiv_refuse(call, 400,
                  arena_printf(call->arena,
                               "invalid or empty host-group specified: '%.*s'; the host groups are "
                               "service-master, service-worker and the groups of the cluster",
                               TEXT_ARG(request->group)));
    return false;
}

void api_contiv_commission(struct call *call)
{
    struct contiv_request *request = arena_one(call->arena, struct contiv_request);
    bool is_new;

    if (!contiv_request_read(call, request) || !contiv_group_check(request, &is_new) ||
        !contiv_status_check(request, LIFECYCLE_STATUS_PROVISIONING)) {
        return;
    }
    if (is_new) {
        contiv_group_create(request, contiv_group_created);
    } else {
        contiv_commission_write(request);
    }
}

/* ---- decommission ---- */

/* Return the JSON Pointer of a group's size in the file: racks/r1 gives
 * /groups/racks/groups/r1/size. */
static struct text contiv_size_pointer(struct arena *arena, struct text path)
{
    struct buf buf;

    buf_init(&buf, arena);
    while (path.length > 0) {
        struct text part = text_slice(path, 0, text_find_byte(path, '/'));

        buf_printf(&buf, "/groups/%.*s", TEXT_ARG(part));
        path = text_slice(path, part.length + 1, path.length);
    }
    buf_add_string(&buf, "/size");
    return buf_text(&buf);
}

/* Build the patch operation that reduces the size of a node's group by the number of its nodes in
 * the request, and append the names of these nodes. Returns false if an earlier node of the request
 * is in the same group. */
static bool contiv_shrink_make(const struct contiv_request *request, size_t at, struct buf *names,
                               struct doc *out)
{
    struct call *call = request->call;
    struct text path = contiv_node_group(request->nodes[at]);
    struct contiv_reader reader = { .arena = call->arena };
    struct service_get get = {
        .kind = schema_kind_find(TEXT("NodeGroup")),
        .name = arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(call->api->options.contiv->cluster),
                             TEXT_ARG(path)),
        .view = SERVICE_VIEW_OBJECT,
    };
    struct doc_builder builder;
    int64_t size;

    for (size_t i = 0; i < at; i++) {
        if (text_is_equal(contiv_node_group(request->nodes[i]), path)) {
            return false;
        }
    }
    service_get(call->api->options.service, call->arena, &call->actor, &get, contiv_read_done,
                &reader);
    size = reader.is_there ? doc_child_number(doc_child(&reader.doc, "spec"), "size") : 0;
    for (size_t i = at; i < request->count; i++) {
        const struct contiv_node *node = request->nodes[i];

        if (node->member != NULL && text_is_equal(contiv_node_group(node), path)) {
            buf_printf(names, "%s%.*s", names->length > 0 ? "," : "", TEXT_ARG(node->member->name));
            size -= size > 0;
        }
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "op", doc_text(TEXT("replace"), NULL));
    doc_builder_put(&builder, "path", doc_text(contiv_size_pointer(call->arena, path), NULL));
    doc_builder_put(&builder, "value", doc_int(call->arena, size, NULL));
    *out = doc_builder_map(&builder, NULL);
    return true;
}

/* Reduce the sizes of all groups of the nodes in one change. */
static void contiv_decommission_write(struct contiv_request *request, bool is_dry_run,
                                      service_done *done)
{
    struct call *call = request->call;
    struct doc *operations = arena_array(call->arena, struct doc, request->count);
    struct doc *patch = arena_one(call->arena, struct doc);
    struct service_patch write = {
        .kind = schema_kind_find(TEXT("Cluster")),
        .name = call->api->options.contiv->cluster,
        .patch_kind = CHANGE_PATCH_JSON,
        .patch = patch,
        .change = { .is_dry_run = is_dry_run,
                    .allow = contiv_allow_all(),
                    .why = TEXT(CONTIV_WHY) },
    };
    struct buf names;
    size_t count = 0;

    buf_init(&names, call->arena);
    for (size_t i = 0; i < request->count; i++) {
        count += contiv_shrink_make(request, i, &names, &operations[count]);
    }
    *patch = doc_list(operations, count, NULL);
    write.change.victims = buf_text(&names);
    service_patch(call->api->options.service, call->arena, &call->actor, &write, done, request);
}

void api_contiv_decommission(struct call *call)
{
    struct contiv_request *request = arena_one(call->arena, struct contiv_request);

    if (contiv_request_read(call, request) &&
        contiv_status_check(request, LIFECYCLE_STATUS_CANCELLED)) {
        contiv_decommission_write(request, false, contiv_request_written);
    }
}

/* ---- update ---- */

/* Run all stages again on nodes that stay in their host group, on all nodes at the same time. */
static void contiv_update_write(struct contiv_request *request)
{
    struct call *call = request->call;
    struct select_request *nodes = arena_one(call->arena, struct select_request);
    struct service_bootstrap *order = arena_one(call->arena, struct service_bootstrap);
    struct buf names;

    buf_init(&names, call->arena);
    for (size_t i = 0; i < request->count; i++) {
        buf_printf(&names, "%s%.*s", i > 0 ? "," : "", TEXT_ARG(request->nodes[i]->member->name));
    }
    *nodes = (struct select_request){ .is_acting = true,
                                      .cluster = call->api->options.contiv->cluster,
                                      .names = buf_text(&names) };
    *order = (struct service_bootstrap){
        .verb = BATCHES_VERB_BOOTSTRAP,
        .request = nodes,
        .from = TEXT("0"),
        .is_again = true,
        .why = TEXT(CONTIV_WHY),
        .batching = { .batch = { .number = 100, .is_percent = true, .is_given = true },
                      .max_fail = { .number = 100, .is_percent = true, .is_given = true } },
    };
    service_bootstrap(call->api->options.service, call->arena, &call->actor, order,
                      contiv_request_written, request);
}

static void contiv_update_go_on(struct call *call)
{
    contiv_update_write(call->state);
}

/* Called when the variables are written. If they differ from the previous variables of the nodes,
 * the rollouts of their groups configure the nodes again. Otherwise the stages run again, as for a
 * request without variables. */
static void contiv_vars_written(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;
    struct call *call = request->call;
    struct contiv_reader reader = { .arena = call->arena };

    if (answer->errors->errors > 0) {
        call_refuse_all(call, answer->errors, answer->body);
        return;
    }
    contiv_read_done(&reader, answer);
    if (reader.is_there && doc_child(&reader.doc, "job") != NULL) {
        contiv_done(call);
        return;
    }
    contiv_wait(request, answer, contiv_update_go_on);
}

/* Return the fields of a group as a patch of its cluster: racks/r1 gives {groups: {racks: {groups:
 * {r1: ...}}}}. */
static struct doc contiv_group_patch(struct arena *arena, struct text path, struct doc fields)
{
    struct text first = text_slice(path, 0, text_find_byte(path, '/'));
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc below =
        first.length == path.length
            ? fields
            : contiv_group_patch(arena, text_slice(path, first.length + 1, path.length), fields);

    below = nest_put(arena, &none, arena_string(arena, first), below);
    return nest_put(arena, &none, "groups", below);
}

/* Set the variables of the nodes: their existing variables, overridden by those of the request. */
static void contiv_vars_write(struct contiv_request *request)
{
    struct call *call = request->call;
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc own = nest_put(call->arena, &none, "vars", request->body.vars);
    struct doc *patch = arena_one(call->arena, struct doc);
    struct service_patch write = {
        .kind = schema_kind_find(TEXT("Cluster")),
        .name = call->api->options.contiv->cluster,
        .patch_kind = CHANGE_PATCH_MERGE,
        .patch = patch,
        .change = { .allow = contiv_allow_all(), .why = TEXT(CONTIV_WHY) },
    };

    *patch = none;
    for (size_t i = 0; i < request->count; i++) {
        const struct contiv_node *node = request->nodes[i];
        struct doc members =
            nest_put(call->arena, &none, arena_string(call->arena, node->member->name), own);

        members = nest_put(call->arena, &none, "members", members);
        members = contiv_group_patch(call->arena, contiv_node_group(node), members);
        *patch = merge_layers(call->arena, MERGE_PLAIN, patch, &members);
    }
    service_patch(call->api->options.service, call->arena, &call->actor, &write,
                  contiv_vars_written, request);
}

/* ---- update: another host group ---- */

/* Reserve the nodes for their new group. They join it after they have left the previous group
 * (decision 0153). */

static void contiv_move_go_on(struct call *call)
{
    contiv_decommission_write(call->state, false, contiv_request_written);
}

static void contiv_move_reserved(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;

    if (answer->errors->errors > 0) {
        call_refuse_all(request->call, answer->errors, answer->body);
        return;
    }
    contiv_wait(request, answer, contiv_move_go_on);
}

/* Called when the rules of roles permit the nodes to leave. Nothing has been written until then. */
static void contiv_move_checked(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;

    if (answer->errors->errors > 0) {
        call_refuse_all(request->call, answer->errors, answer->body);
    } else if (request->is_new) {
        contiv_group_create(request, contiv_group_created);
    } else {
        contiv_commission_write(request);
    }
}

/* Return the number of nodes that are not in the given host group. */
static size_t contiv_movers_count(const struct contiv_request *request)
{
    struct text group = request->body.host_group;
    size_t count = 0;

    for (size_t i = 0; group.length > 0 && i < request->count; i++) {
        count += !text_is_equal(contiv_node_group(request->nodes[i]), group);
    }
    return count;
}

void api_contiv_update(struct call *call)
{
    struct contiv_request *request = arena_one(call->arena, struct contiv_request);
    size_t movers;

    if (!contiv_request_read(call, request) ||
        !contiv_status_check(request, LIFECYCLE_STATUS_MAINTENANCE)) {
        return;
    }
    movers = contiv_movers_count(request);
    if (movers == 0 && request->body.vars.entry_count > 0) {
        contiv_vars_write(request);
    } else if (movers == 0) {
        contiv_update_write(request);
    } else if (movers < request->count) {
        contiv_refuse(
            call, 409,
            arena_printf(
                call->arena,
                "some of the nodes are in host group '%.*s' already: update these nodes in a separate request",
                TEXT_ARG(request->body.host_group)));
    } else if (contiv_group_check(request, &request->is_new)) {
        request->is_move = true;
        contiv_decommission_write(request, true, contiv_move_checked);
    }
}

/* ---- discover ---- */

/* Called when the rows have been created. An address at which no sshd answered is an error, because
 * Contiv's cluster manager ran a playbook on each address. */
static void contiv_discovered(void *arg, const struct service_answer *answer)
{
    struct contiv_request *request = arg;
    struct call *call = request->call;
    struct contiv_reader reader = { .arena = call->arena };
    const struct doc *problems;
    struct buf faults;

    if (answer->errors->errors > 0) {
        call_refuse_all(call, answer->errors, answer->body);
        return;
    }
    contiv_read_done(&reader, answer);
    problems = reader.is_there ? doc_child(&reader.doc, "problems") : NULL;
    buf_init(&faults, call->arena);
    for (size_t i = 0; doc_is_list(problems) && i < problems->item_count; i++) {
        contiv_fault_add(&faults,
                         arena_printf(call->arena, "%.*s: %.*s",
                                      TEXT_ARG(doc_child_text(&problems->items[i], "address")),
                                      TEXT_ARG(doc_child_text(&problems->items[i], "why"))));
    }
    if (faults.length > 0) {
        contiv_refuse(call, 503, buf_text(&faults));
        return;
    }
    contiv_done(call);
}

void api_contiv_discover(struct call *call)
{
    struct contiv_request *request = arena_one(call->arena, struct contiv_request);
    struct service_discover discover = { .is_approved = call->actor.reach == NULL };

    *request = (struct contiv_request){ .call = call };
    if (!contiv_body_read(call, &request->body)) {
        return;
    }
    if (request->body.address_count == 0) {
        contiv_refuse(call, 400, TEXT("addrs must list addresses"));
        return;
    }
    discover.addresses = request->body.addresses;
    discover.count = request->body.address_count;
    service_discover(call->api->options.service, call->arena, &call->actor, &discover,
                     contiv_discovered, request);
}

/* ---- evidence ---- */

/* Read one member of a posted event. */
static struct membership_member contiv_member_read(struct call *call, const struct doc *node,
                                                   bool is_alive)
{
    struct text label = doc_child_text(node, "label");
    struct text serial = doc_child_text(node, "serial");
    struct wire_pair *tags = arena_array(call->arena, struct wire_pair, 2);

    tags[0] = (struct wire_pair){ TEXT("NodeLabel"), label };
    tags[1] = (struct wire_pair){ TEXT("NodeSerial"), serial };
    return (struct membership_member){
        .name = label,
        .address = doc_child_text(node, "addr"),
        .status = is_alive ? MEMBERSHIP_ALIVE : MEMBERSHIP_GONE_FAILED,
        .tags = { tags, 2 },
    };
}

/* Handles POST monitor/event: evidence of the source "posted". */
void api_contiv_event(struct call *call)
{
    const struct api_contiv *contiv = call->api->options.contiv;
    struct membership_report report = { 0 };
    struct membership_member *members;
    const struct doc *event;
    const struct doc *nodes;
    struct contiv_body body;
    struct text name;

    if (!contiv_body_read(call, &body)) {
        return;
    }
    event = doc_child(&body.whole, "monitor_event");
    nodes = doc_child(event, "nodes");
    name = doc_child_text(event, "name");
    if ((!text_is(name, "discovered") && !text_is(name, "disappeared")) || !doc_is_list(nodes) ||
        nodes->item_count == 0 || nodes->item_count > CONTIV_NODES_MAX) {
        contiv_refuse(call, 400,
                      arena_printf(call->arena,
                                   "invalid monitor event: name is discovered or disappeared, and "
                                   "nodes lists 1 to %d of {label, serial, addr}",
                                   (int)CONTIV_NODES_MAX));
        return;
    }
    members = arena_array(call->arena, struct membership_member, nodes->item_count);
    for (size_t i = 0; i < nodes->item_count; i++) {
        members[i] = contiv_member_read(call, &nodes->items[i], text_is(name, "discovered"));
        if (members[i].name.length == 0 || members[i].address.length == 0) {
            contiv_refuse(call, 400, TEXT("each node of a monitor event needs label and addr"));
            return;
        }
    }
    report.change = text_is(name, "discovered") ? MEMBERSHIP_JOIN : MEMBERSHIP_FAILED;
    report.members = members;
    report.count = nodes->item_count;
    contiv->observed(contiv->arg, call->actor.tenant, &report);
    contiv_done(call);
}
