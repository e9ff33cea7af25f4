#include "provider/inventory_plugin.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "images/images.h"
#include "inventory/inventory.h"
#include "provider/plugin_doc.h"
#include "reeve/plugin.h"

const struct wire_hello *inventory_plugin_hello(void)
{
    static struct wire_property properties[] = {
        {
            .name = { "user", 4 },
            .type = REEVE_TYPE_TEXT,
            .role = REEVE_ROLE_USER,
            .flags = REEVE_PROPERTY_IN_PLACE,
            .help = { "the user that reeve logs in as, for machines that were discovered without a user",
                      72 },
            .example = { "ops", 3 },
        },
        {
            .name = { "image", 5 },
            .type = REEVE_TYPE_TEXT,
            .role = REEVE_ROLE_IMAGE,
            .flags = REEVE_PROPERTY_IN_PLACE,
            .help = { "the image that is installed on machines that have booted from the network",
                      73 },
            .example = { "debian-12", 9 },
        },
    };
    static const struct wire_hello hello = {
        .name = { INVENTORY_PLUGIN, sizeof(INVENTORY_PLUGIN) - 1 },
        .version = { REEVE_VERSION, sizeof(REEVE_VERSION) - 1 },
        .about = { "machines of the inventory: discovered, claimed and returned", 59 },
        .capabilities = REEVE_CAN_STRONG | REEVE_CAN_TOKEN,
        .methods = UINT64_C(1) << WIRE_CREATE | UINT64_C(1) << WIRE_DESTROY |
                   UINT64_C(1) << WIRE_DESCRIBE | UINT64_C(1) << WIRE_LABEL |
                   UINT64_C(1) << WIRE_VALIDATE,
        .properties = { properties, sizeof(properties) / sizeof(properties[0]) },
        .contract = (uint64_t)REEVE_PLUGIN_ABI_MAJOR << 16 | REEVE_PLUGIN_ABI_MINOR,
    };

    return &hello;
}

struct doc inventory_plugin_doc(struct arena *arena)
{
    const struct wire_hello *hello = inventory_plugin_hello();
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "builtIn", doc_bool(true, NULL));
    doc_builder_put(&builder, "name", doc_text(hello->name, NULL));
    plugin_doc_put(&builder, arena, hello);
    return doc_builder_map(&builder, NULL);
}

bool inventory_plugin_is(struct text name)
{
    return text_is(text_slice(name, 0, text_find_byte(name, '/')), INVENTORY_PLUGIN);
}

struct text inventory_plugin_secret(struct arena *arena, const struct cache *cache,
                                    const struct control_way *way, struct text otherwise)
{
    struct text tenant = text_slice(way->cluster, 0, text_find_byte(way->cluster, '/'));
    struct discovered row;

    /* machine ids of other plugins may look like row ids, so the token is compared too */
    if (!text_has_prefix(way->machine, TEXT("m-")) || way->token.length == 0 ||
        !discovered_read(arena, cache_find(cache, tenant, TEXT(DISCOVERED_KIND), way->machine),
                         &row) ||
        !text_is_equal(row.claim.token, way->token)) {
        return TEXT("");
    }
    if (row.install.id.length > 0) {
        return TEXT(""); /* the image has the keys of the cluster */
    }
    return row.secret.length > 0 ? row.secret : otherwise;
}

struct wire_list inventory_plugin_judge(struct arena *arena, const struct cache *cache,
                                        struct text tenant, struct text properties)
{
    struct wire_pair *fault = arena_one(arena, struct wire_pair);
    struct image_version unused;
    struct text image;
    struct doc doc;
    struct err err;

    if (!json_parse(arena, properties, NULL, &doc, &err)) {
        return (struct wire_list){ 0 };
    }
    image = doc_child_text(&doc, "image");
    if (image.length == 0 || image_resolve(arena, cache, tenant, image, &unused, &err)) {
        return (struct wire_list){ 0 };
    }
    *fault = (struct wire_pair){
        .name = TEXT("/image"),
        .value = arena_printf(arena, "%s; %s", err.text, err.hint),
    };
    return (struct wire_list){ fault, 1 };
}
