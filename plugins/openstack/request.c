#include "stack.h"

#include "first_start.h"

#include <gnutls/gnutls.h>

/* Makes the request that creates a server. */

enum { STACK_NAME_BYTES = 50, STACK_NAME_TOKEN = 12, STACK_USER_DATA_BYTES = 65535 };

static struct doc stack_one(struct arena *arena, struct doc item)
{
    return doc_list(arena_copy(arena, &item, sizeof(item)), 1, NULL);
}

static struct doc stack_named(struct arena *arena, const char *key, struct text value)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, key, doc_text(value, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Makes the first-start script in base64, and checks it against the limit. */
static int32_t stack_user_data(struct stack_call *work, const struct reeve_wish_v1 *wanted,
                               const struct stack_shape *shape, const struct stack_volume *volumes,
                               struct text *out)
{
    struct first_start_volume mounts[DISK_MAX];
    struct first_start start = {
        .token = plain_text(wanted->token),
        .host_name = property_dns_name(work->arena, plain_text(wanted->name), STACK_NAME_BYTES),
        .user = shape->user,
        .keys = plain_text(wanted->keys),
        .init = plain_text(wanted->init),
        .volumes = mounts,
        .volume_count = shape->disk_count,
    };
    gnutls_datum_t coded = { 0 };
    gnutls_datum_t plain;
    struct text script;

    for (size_t i = 0; i < shape->disk_count; i++) {
        mounts[i] = (struct first_start_volume){
            .device = stack_volume_device(work, volumes[i].id),
            .mount = shape->disks[i].mount,
        };
    }
    script = first_start_format(work->arena, &start);
    plain = (gnutls_datum_t){ (unsigned char *)(uintptr_t)script.data, (unsigned)script.length };

    if (script.length > FIRST_START_OPENSTACK_BYTES ||
        gnutls_base64_encode2(&plain, &coded) != GNUTLS_E_SUCCESS) {
        return stack_fault(work, REEVE_INVALID, "",
                           "the first-start script has %zu bytes; OpenStack accepts %d: make init "
                           "shorter",
                           script.length, FIRST_START_OPENSTACK_BYTES);
    }
    *out = arena_text(work->arena, (struct text){ (const char *)coded.data, coded.size });
    gnutls_free(coded.data);
    return out->length <= STACK_USER_DATA_BYTES
               ? REEVE_OK
               : stack_fault(work, REEVE_INVALID, "", "the first-start script is too long");
}

/* Adds the disk from which the server boots: its image, or a volume that is created from the
 * image. */
static void stack_put_boot(struct stack_call *work, struct doc_builder *into,
                           const struct stack_shape *shape, const struct stack_found *found)
{
    struct doc_builder mapping;

    if (shape->boot_gb == 0) {
        doc_builder_put(into, "imageRef", doc_text(found->image, NULL));
        return;
    }
    doc_builder_init(&mapping, work->arena);
    doc_builder_put(&mapping, "boot_index", doc_int(work->arena, 0, NULL));
    doc_builder_put(&mapping, "uuid", doc_text(found->image, NULL));
    doc_builder_put(&mapping, "source_type", doc_text(TEXT("image"), NULL));
    doc_builder_put(&mapping, "destination_type", doc_text(TEXT("volume"), NULL));
    doc_builder_put(&mapping, "volume_size", doc_int(work->arena, shape->boot_gb, NULL));
    doc_builder_put(&mapping, "delete_on_termination", doc_bool(true, NULL));
    if (shape->boot_type.length > 0) {
        doc_builder_put(&mapping, "volume_type", doc_text(shape->boot_type, NULL));
    }
    doc_builder_put(into, "block_device_mapping_v2",
                    stack_one(work->arena, doc_builder_map(&mapping, NULL)));
}

/* Adds the port. Without a port, adds the network and the security groups of the server. */
static void stack_put_network(struct stack_call *work, struct doc_builder *into,
                              const struct stack_shape *shape, const struct stack_found *found,
                              struct text port)
{
    struct doc *groups = arena_array(work->arena, struct doc, shape->group_count);

    if (port.length > 0) {
        doc_builder_put(into, "networks",
                        stack_one(work->arena, stack_named(work->arena, "port", port)));
        return;
    }
    doc_builder_put(into, "networks",
                    stack_one(work->arena, stack_named(work->arena, "uuid", found->network)));
    for (size_t i = 0; i < shape->group_count; i++) {
        groups[i] = stack_named(work->arena, "name", found->groups[i]);
    }
    if (shape->group_count > 0) {
        doc_builder_put(into, "security_groups", doc_list(groups, shape->group_count, NULL));
    }
}

/* Returns the server tags by which the server is found. */
static struct doc stack_tags(struct stack_call *work, const struct reeve_wish_v1 *wanted)
{
    struct doc *items = arena_array(work->arena, struct doc, 2);

    items[0] =
        doc_text(arena_printf(work->arena, "reeve.c.%.*s",
                              TEXT_ARG(tag_codec_hash(work->arena, plain_text(wanted->cluster)))),
                 NULL);
    items[1] = doc_text(
        arena_printf(work->arena, "reeve.t.%.*s", TEXT_ARG(plain_text(wanted->token))), NULL);
    return doc_list(items, 2, NULL);
}

static void stack_put_options(struct doc_builder *into, const struct stack_shape *shape,
                              struct text zone)
{
    if (shape->key.length > 0) {
        doc_builder_put(into, "key_name", doc_text(shape->key, NULL));
    }
    if (zone.length > 0) {
        doc_builder_put(into, "availability_zone", doc_text(zone, NULL));
    }
    if (shape->has_config_drive) {
        doc_builder_put(into, "config_drive", doc_bool(true, NULL));
    }
}

int32_t stack_server_body(struct stack_call *work, const struct reeve_wish_v1 *wanted,
                          struct stack_shape *shape, const struct stack_found *found,
                          const struct stack_volume *volumes, struct text port, struct text *out)
{
    struct doc_builder server;
    struct doc_builder body;
    struct text user_data;
    struct doc metadata;
    int32_t result;

    shape->user = stack_user(shape);
    result = stack_user_data(work, wanted, shape, volumes, &user_data);
    if (result != REEVE_OK) {
        return result;
    }
    if (!stack_metadata(work->arena, wanted, shape, found->image, &metadata)) {
        return stack_fault(work, REEVE_INVALID, "",
                           "the labels do not fit: OpenStack accepts 128 items of metadata");
    }
    doc_builder_init(&server, work->arena);
    doc_builder_put(
        &server, "name",
        doc_text(arena_printf(
                     work->arena, "%.*s-%.*s",
                     TEXT_ARG(property_dns_name(work->arena, plain_text(wanted->name),
                                                STACK_NAME_BYTES)),
                     TEXT_ARG(property_token_part(plain_text(wanted->token), STACK_NAME_TOKEN))),
                 NULL));
    doc_builder_put(&server, "flavorRef", doc_text(found->flavor, NULL));
    doc_builder_put(&server, "user_data", doc_text(user_data, NULL));
    doc_builder_put(&server, "metadata", metadata);
    doc_builder_put(&server, "tags", stack_tags(work, wanted));
    stack_put_boot(work, &server, shape, found);
    stack_put_network(work, &server, shape, found, port);
    stack_put_options(&server, shape, plain_text(wanted->zone));
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "server", doc_builder_map(&server, NULL));
    if (found->server_group.length > 0) {
        doc_builder_put(&body, "os:scheduler_hints",
                        stack_named(work->arena, "group", found->server_group));
    }
    *out = stack_json(work, &body);
    return REEVE_OK;
}
