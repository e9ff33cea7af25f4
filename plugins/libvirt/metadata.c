/* Makes ids of machines, and formats and parses the metadata of a domain. Pure. */
#include "virt.h"

#include "codec/doc_child.h"
#include "codec/json.h"

#include <gnutls/crypto.h>

enum { VIRT_HASH_BYTES = 32, VIRT_UUID_BYTES = 16 };

/* ---- ids ---- */

struct text virt_token_id(struct arena *arena, struct text token)
{
    struct text of = arena_printf(arena, "reeve%.*s", TEXT_ARG(token));
    unsigned char hash[VIRT_HASH_BYTES];
    char hex[VIRT_UUID_BYTES * 2 + 1];

    (void)gnutls_hash_fast(GNUTLS_DIG_SHA256, of.data, of.length, hash);
    hash[6] = (hash[6] & 0x0f) | 0x80; /* version 8: a custom format */
    hash[8] = (hash[8] & 0x3f) | 0x80; /* the variant of RFC 9562 */
    text_format_hex(hash, VIRT_UUID_BYTES, hex);
    return arena_printf(arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
                        hex + 20);
}

bool virt_is_id(struct text id)
{
    for (size_t i = 0; i < id.length; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        char byte = id.data[i];

        if (is_dash ? byte != '-'
                    : !((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
    }
    return id.length == VIRT_UUID_LENGTH;
}

/* ---- metadata ---- */

struct doc virt_machine_volumes(struct arena *arena, const struct virt_machine *machine)
{
    struct doc *items = arena_array(arena, struct doc, machine->volume_count);

    for (size_t i = 0; i < machine->volume_count; i++) {
        struct doc_builder item;

        doc_builder_init(&item, arena);
        doc_builder_put(&item, "name", doc_text(machine->volumes[i].name, NULL));
        doc_builder_put(&item, "volume", doc_text(machine->volumes[i].volume, NULL));
        doc_builder_put(&item, "keep", doc_text(machine->volumes[i].keep, NULL));
        items[i] = doc_builder_map(&item, NULL);
    }
    return doc_list(items, machine->volume_count, NULL);
}

struct text virt_machine_json(struct arena *arena, const struct virt_machine *machine)
{
    struct doc_builder tags;
    struct doc_builder all;
    struct doc doc;
    struct buf json;

    doc_builder_init(&tags, arena);
    for (uint32_t i = 0; i < machine->tags.count; i++) {
        struct doc_entry entry = { .key = plain_text(machine->tags.items[i].name),
                                   .value =
                                       doc_text(plain_text(machine->tags.items[i].value), NULL) };

        doc_builder_add(&tags, &entry);
    }
    doc_builder_init(&all, arena);
    doc_builder_put(&all, "tags", doc_builder_map(&tags, NULL));
    doc_builder_put(&all, "zone", doc_text(machine->zone, NULL));
    doc_builder_put(&all, "user", doc_text(machine->user, NULL));
    doc_builder_put(&all, "hostKey", doc_text(machine->host_key, NULL));
    doc_builder_put(&all, "image", doc_text(machine->image, NULL));
    doc_builder_put(&all, "pool", doc_text(machine->pool, NULL));
    doc_builder_put(&all, "volumes", virt_machine_volumes(arena, machine));
    doc = doc_builder_map(&all, NULL);
    buf_init(&json, arena);
    json_format(&json, &doc);
    return virt_json_ascii(arena, buf_text(&json));
}

static void virt_machine_tags(struct arena *arena, const struct doc *tags, struct virt_machine *out)
{
    size_t count = doc_is_map(tags) ? tags->entry_count : 0;

    out->tags.items = arena_array(arena, struct reeve_tag, count);
    for (size_t i = 0; i < count; i++) {
        if (doc_is_scalar(&tags->entries[i].value)) {
            out->tags.items[out->tags.count++] =
                (struct reeve_tag){ plain_answer(tags->entries[i].key),
                                    plain_answer(tags->entries[i].value.text) };
        }
    }
    out->cluster = tag_codec_value(out->tags.items, out->tags.count, "reeve.cluster_id");
}

bool virt_machine_parse(struct arena *arena, struct text json, struct virt_machine *out)
{
    const struct doc *volumes;
    struct doc doc;
    struct err err;

    *out = (struct virt_machine){ 0 };
    if (!json_parse(arena, json, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    virt_machine_tags(arena, doc_child(&doc, "tags"), out);
    out->zone = doc_child_text(&doc, "zone");
    out->user = doc_child_text(&doc, "user");
    out->host_key = doc_child_text(&doc, "hostKey");
    out->image = doc_child_text(&doc, "image");
    out->pool = doc_child_text(&doc, "pool");
    volumes = doc_child(&doc, "volumes");
    for (size_t i = 0; doc_is_list(volumes) && i < volumes->item_count && i < VIRT_VOLUMES_MAX;
         i++) {
        out->volumes[out->volume_count++] =
            (struct virt_machine_volume){ doc_child_text(&volumes->items[i], "name"),
                                          doc_child_text(&volumes->items[i], "volume"),
                                          doc_child_text(&volumes->items[i], "keep") };
    }
    return out->cluster.length > 0;
}
