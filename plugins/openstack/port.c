#include "stack.h"

#include "codec/doc_child.h"

/* A port is created before its server and is named after the token, so that every create of a token
 * finds the same port. A port can be bound to only one server. nova does not delete the port with
 * the server. Ports and floating addresses have the hash of their cluster as the description. */

static struct text stack_port_name(struct stack_call *work, struct text token)
{
    return arena_printf(work->arena, "reeve-%.*s", TEXT_ARG(token));
}

static struct text stack_owner_mark(struct stack_call *work, struct text cluster)
{
    return arena_printf(work->arena, "reeve.c.%.*s",
                        TEXT_ARG(tag_codec_hash(work->arena, cluster)));
}

/* Deletes an object of the network service. It is not a fault if the object does not exist. */
static int32_t stack_network_delete(struct stack_call *work, struct text region, const char *kind,
                                    struct text id)
{
    struct stack_request request = {
        .method = "DELETE",
        .service = STACK_NETWORK,
        .region = region,
        .path = arena_printf(work->arena, "/%s/%.*s", kind, TEXT_ARG(stack_url(work, id))),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;

    return stack_send(work, &request, &answer) == REEVE_OK || is_stack_missing(&answer)
               ? REEVE_OK
               : stack_refuse(work, "", "delete the port or address", &answer);
}

/* Reads a list of the network service that a query selects. A failure is reported. */
static int32_t stack_network_list(struct stack_call *work, struct text region, const char *kind,
                                  const char *query, struct text value, const struct doc **out)
{
    struct stack_answer answer;
    const struct doc *list;

    *out = NULL;
    if (stack_get(
            work, STACK_NETWORK, region,
            arena_printf(work->arena, "/%s?%s=%.*s", kind, query, TEXT_ARG(stack_url(work, value))),
            &answer) != REEVE_OK) {
        return stack_refuse(work, "", "list the ports or addresses", &answer);
    }
    list = doc_child(&answer.doc, kind);
    if (!doc_is_list(list)) {
        return stack_no_list(work, "", kind);
    }
    *out = arena_copy(work->arena, list, sizeof(*list));
    return REEVE_OK;
}

/* True if a port takes precedence over another port: bound ports come first, then ports with lower
 * ids. */
static bool is_stack_better_port(const struct stack_port *port, const struct stack_port *than)
{
    bool is_bound = port->device.length > 0;

    return than->id.length == 0 || (is_bound && than->device.length == 0) ||
           (is_bound == (than->device.length > 0) && text_compare(port->id, than->id) < 0);
}

int32_t stack_port_find(struct stack_call *work, struct text region, struct text token,
                        bool is_exclusive, struct stack_port *out)
{
    const struct doc *list;
    int32_t result =
        stack_network_list(work, region, "ports", "name", stack_port_name(work, token), &list);

    *out = (struct stack_port){ 0 };
    for (size_t i = 0; result == REEVE_OK && i < list->item_count; i++) {
        struct stack_port port = { doc_child_text(&list->items[i], "id"),
                                   doc_child_text(&list->items[i], "device_id") };

        if (is_stack_better_port(&port, out)) {
            *out = port;
        }
    }
    for (size_t i = 0; result == REEVE_OK && is_exclusive && i < list->item_count; i++) {
        struct text id = doc_child_text(&list->items[i], "id");

        if (!text_is_equal(id, out->id) &&
            doc_child_text(&list->items[i], "device_id").length == 0) {
            result = stack_network_delete(work, region, "ports", id);
        }
    }
    return result;
}

static struct doc stack_group_list(struct stack_call *work, const struct stack_found *found,
                                   size_t count)
{
    struct doc *items = arena_array(work->arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(found->groups[i], NULL);
    }
    return doc_list(items, count, NULL);
}

int32_t stack_port_create(struct stack_call *work, struct text region, struct text token,
                          struct text cluster, const struct stack_found *found, size_t group_count,
                          struct text *out_id)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_NETWORK,
        .region = region,
        .path = TEXT("/ports"),
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;
    struct doc_builder subnet;
    struct doc_builder port;
    struct doc_builder body;

    doc_builder_init(&port, work->arena);
    doc_builder_put(&port, "network_id", doc_text(found->network, NULL));
    doc_builder_put(&port, "name", doc_text(stack_port_name(work, token), NULL));
    doc_builder_put(&port, "description", doc_text(stack_owner_mark(work, cluster), NULL));
    if (found->subnet.length > 0) {
        struct doc item;

        doc_builder_init(&subnet, work->arena);
        doc_builder_put(&subnet, "subnet_id", doc_text(found->subnet, NULL));
        item = doc_builder_map(&subnet, NULL);
        doc_builder_put(&port, "fixed_ips",
                        doc_list(arena_copy(work->arena, &item, sizeof(item)), 1, NULL));
    }
    if (group_count > 0) {
        doc_builder_put(&port, "security_groups", stack_group_list(work, found, group_count));
    }
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "port", doc_builder_map(&port, NULL));
    request.body = stack_json(work, &body);
    if (stack_send(work, &request, &answer) != REEVE_OK) {
        return stack_refuse(work, "", "create the port", &answer);
    }
    *out_id = doc_child_text(doc_child(&answer.doc, "port"), "id");
    return is_stack_uuid(*out_id)
               ? REEVE_OK
               : stack_fault(work, REEVE_UNKNOWN, "", "create the port: the answer has no id");
}

/* Deletes the floating address of a port, whose description has the port's name. */
static int32_t stack_floating_delete(struct stack_call *work, struct text region, struct text port)
{
    const struct doc *list;
    int32_t result = stack_network_list(work, region, "floatingips", "port_id", port, &list);

    for (size_t i = 0; result == REEVE_OK && i < list->item_count; i++) {
        if (text_has_prefix(doc_child_text(&list->items[i], "description"), TEXT("reeve.c."))) {
            result = stack_network_delete(work, region, "floatingips",
                                          doc_child_text(&list->items[i], "id"));
        }
    }
    return result;
}

int32_t stack_ports_delete(struct stack_call *work, struct text region, struct text token,
                           struct text id)
{
    const struct doc *list;
    int32_t result =
        stack_network_list(work, region, "ports", "name", stack_port_name(work, token), &list);

    for (size_t i = 0; result == REEVE_OK && i < list->item_count; i++) {
        struct text port = doc_child_text(&list->items[i], "id");
        struct text device = doc_child_text(&list->items[i], "device_id");

        if (device.length > 0 && !text_is_equal(device, id)) {
            continue;
        }
        result = stack_floating_delete(work, region, port);
        if (result == REEVE_OK) {
            result = stack_network_delete(work, region, "ports", port);
        }
    }
    return result;
}

int32_t stack_floating_create(struct stack_call *work, struct text region, struct text token,
                              struct text cluster, struct text external)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_NETWORK,
        .region = region,
        .path = TEXT("/floatingips"),
        .kind = CLASSIFY_ONCE, /* a port has only one floating address */
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;
    struct doc_builder address;
    struct doc_builder body;
    struct stack_port port;
    const struct doc *list;
    int32_t result = stack_port_find(work, region, token, false, &port);

    if (result != REEVE_OK) {
        return result;
    }
    result = stack_network_list(work, region, "floatingips", "port_id", port.id, &list);
    if (result != REEVE_OK || list->item_count > 0) {
        return result;
    }
    doc_builder_init(&address, work->arena);
    doc_builder_put(&address, "floating_network_id", doc_text(external, NULL));
    doc_builder_put(&address, "port_id", doc_text(port.id, NULL));
    doc_builder_put(&address, "description", doc_text(stack_owner_mark(work, cluster), NULL));
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "floatingip", doc_builder_map(&address, NULL));
    request.body = stack_json(work, &body);
    return stack_send(work, &request, &answer) == REEVE_OK ||
                   text_has_prefix(answer.last.code, TEXT("FloatingIPPortAlreadyAssociated"))
               ? REEVE_OK
               : stack_refuse(work, "/network/address", "create the floating address", &answer);
}

/* ---- resources ---- */

/* Returns the server that uses a port or a floating address. */
static struct text stack_device(const struct doc *item, const struct doc *ports)
{
    struct text port = doc_child_text(item, "port_id");

    for (size_t i = 0; ports != NULL && i < ports->item_count; i++) {
        if (port.length > 0 && text_is_equal(doc_child_text(&ports->items[i], "id"), port)) {
            return doc_child_text(&ports->items[i], "device_id");
        }
    }
    return doc_child_text(item, "device_id");
}

/* Reports ports, or floating addresses if `ports` has the ports of the cluster. */
static int32_t stack_resources_of(struct stack_call *work, struct text region, struct text cluster,
                                  const struct doc *ports, const struct doc **out_list)
{
    const struct doc *list;
    int32_t result = stack_network_list(work, region, ports == NULL ? "ports" : "floatingips",
                                        "description", stack_owner_mark(work, cluster), &list);

    *out_list = list;
    for (size_t i = 0; result == REEVE_OK && i < list->item_count; i++) {
        struct text device = stack_device(&list->items[i], ports);
        struct reeve_resource_v1 row = {
            .struct_size = sizeof(row),
            .kind = ports == NULL ? REEVE_TEXT("port") : REEVE_TEXT("address"),
            .id =
                plain_answer(stack_id_format(work, region, doc_child_text(&list->items[i], "id"))),
            .attached = device.length > 0 ? plain_answer(stack_id_format(work, region, device))
                                          : REEVE_TEXT(""),
        };

        work->stack->host->resource(work->call, &row);
    }
    return result;
}

int32_t stack_resources(struct stack_call *work, struct text cluster)
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < work->region_count && result == REEVE_OK; i++) {
        const struct doc *ports;
        const struct doc *addresses;

        result = stack_resources_of(work, work->regions[i], cluster, NULL, &ports);
        if (result == REEVE_OK) {
            result = stack_resources_of(work, work->regions[i], cluster, ports, &addresses);
        }
        if (result == REEVE_OK) {
            result = stack_volume_resources(work, work->regions[i], cluster);
        }
    }
    return result;
}

int32_t stack_resource_destroy(struct stack_call *work, struct text cluster, struct text kind,
                               struct text id)
{
    const char *name = text_is(kind, "port")      ? "ports"
                       : text_is(kind, "address") ? "floatingips"
                                                  : NULL;
    const struct doc *list;
    struct stack_id place;
    int32_t result;

    if (stack_id_parse(id, &place) && text_is(kind, "volume")) {
        return stack_volume_destroy(work, place.region, cluster, place.server);
    }
    if (name == NULL || !stack_id_parse(id, &place)) {
        return REEVE_OK;
    }
    result = stack_network_list(work, place.region, name, "description",
                                stack_owner_mark(work, cluster), &list);
    for (size_t i = 0; result == REEVE_OK && i < list->item_count; i++) {
        if (text_is_equal(doc_child_text(&list->items[i], "id"), place.server)) {
            return stack_network_delete(work, place.region, name, place.server);
        }
    }
    return result;
}
