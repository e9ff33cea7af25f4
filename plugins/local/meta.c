#include "meta.h"

#include "base/buf.h"
#include "codec/doc.h"
#include "codec/json.h"
#include "disk.h"

#include <arpa/inet.h>
#include <errno.h>

static const char *const retained_names[MACHINE_KEEP_COUNT] = { "slot", "node", "always" };

const char *meta_keep_name(enum machine_keep keep)
{
    return retained_names[keep];
}

bool meta_keep_find(struct text name, enum machine_keep *out)
{
    for (size_t i = 0; i < MACHINE_KEEP_COUNT; i++) {
        if (text_is(name, retained_names[i])) {
            *out = (enum machine_keep)i;
            return true;
        }
    }
    return false;
}

static struct doc format_volumes(struct arena *arena, const struct machine *machine)
{
    struct doc *items = arena_array(arena, struct doc, machine->volume_count);

    for (size_t i = 0; i < machine->volume_count; i++) {
        const struct machine_volume *volume = &machine->volumes[i];
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "name", doc_text(volume->name, NULL));
        doc_builder_put(&builder, "mount", doc_text(volume->mount, NULL));
        doc_builder_put(&builder, "key", doc_text(volume->key, NULL));
        doc_builder_put(&builder, "keep", doc_text(text_from(meta_keep_name(volume->keep)), NULL));
        doc_builder_put(&builder, "sizeBytes", doc_int(arena, (int64_t)volume->size_bytes, NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, machine->volume_count, NULL);
}

static struct doc format_tags(struct arena *arena, const struct machine *machine)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < machine->tag_count; i++) {
        doc_builder_add(&builder, &(struct doc_entry){
                                      .key = work_text(machine->tags[i].name),
                                      .value = doc_text(work_text(machine->tags[i].value), NULL) });
    }
    return doc_builder_map(&builder, NULL);
}

struct text meta_format(struct work *work, const struct machine *machine)
{
    struct arena *arena = work->arena;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "cluster", doc_text(machine->cluster, NULL));
    doc_builder_put(&builder, "token", doc_text(machine->token, NULL));
    doc_builder_put(&builder, "name", doc_text(machine->name, NULL));
    doc_builder_put(&builder, "zone", doc_text(machine->zone, NULL));
    doc_builder_put(&builder, "labels", doc_text(machine->labels, NULL));
    doc_builder_put(&builder, "image", doc_text(machine->image, NULL));
    doc_builder_put(&builder, "layer", doc_text(machine->layer, NULL));
    doc_builder_put(&builder, "isolation", doc_text(machine->isolation, NULL));
    doc_builder_put(&builder, "user", doc_text(machine->user, NULL));
    doc_builder_put(&builder, "address",
                    doc_text(text_from(settings_address(arena, machine->address)), NULL));
    doc_builder_put(&builder, "cpusMilli", doc_int(arena, machine->cpus_milli, NULL));
    doc_builder_put(&builder, "memoryBytes", doc_int(arena, (int64_t)machine->memory_bytes, NULL));
    doc_builder_put(&builder, "isHost", doc_bool(machine->is_host, NULL));
    doc_builder_put(&builder, "isGoing", doc_bool(machine->is_going, NULL));
    doc_builder_put(&builder, "volumes", format_volumes(arena, machine));
    doc_builder_put(&builder, "tags", format_tags(arena, machine));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Return a member as text, number or boolean. A missing member is empty, 0 or false. */
static struct text read_text(const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);

    return doc_is_scalar(value) ? value->text : (struct text){ "", 0 };
}

static int64_t read_number(const struct doc *doc, const char *key)
{
    int64_t number = 0;

    return text_parse_int64(read_text(doc, key), &number) ? number : 0;
}

static void read_volumes(const struct doc *list, struct machine *out)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count && i < MACHINE_VOLUMES_MAX; i++) {
        const struct doc *item = &list->items[i];
        struct machine_volume *volume = &out->volumes[out->volume_count++];

        *volume = (struct machine_volume){ .name = read_text(item, "name"),
                                           .mount = read_text(item, "mount"),
                                           .key = read_text(item, "key"),
                                           .size_bytes = (uint64_t)read_number(item, "sizeBytes") };
        (void)!meta_keep_find(read_text(item, "keep"), &volume->keep);
    }
}

static void read_tags(const struct doc *map, struct machine *out)
{
    for (size_t i = 0; doc_is_map(map) && i < map->entry_count && i < MACHINE_TAGS_MAX; i++) {
        out->tags[out->tag_count++] =
            (struct reeve_tag){ .name = work_answer(map->entries[i].key),
                                .value = work_answer(map->entries[i].value.text) };
    }
}

bool meta_read(struct work *work, const char *id, struct machine *out)
{
    struct text bytes;
    struct doc doc;
    struct err err;
    struct in_addr address;

    if (!disk_read(work->arena, work_path(work, "machines/%s/meta.json", id), MACHINE_META_BYTES,
                   &bytes)) {
        return false;
    }
    if (!json_parse(work->arena, bytes, NULL, &doc, &err) ||
        inet_pton(AF_INET, arena_string(work->arena, read_text(&doc, "address")), &address) != 1) {
        errno = EBADMSG;
        return false;
    }
    *out = (struct machine){ .id = arena_string(work->arena, text_from(id)),
                             .cluster = read_text(&doc, "cluster"),
                             .token = read_text(&doc, "token"),
                             .name = read_text(&doc, "name"),
                             .zone = read_text(&doc, "zone"),
                             .labels = read_text(&doc, "labels"),
                             .image = read_text(&doc, "image"),
                             .layer = read_text(&doc, "layer"),
                             .isolation = read_text(&doc, "isolation"),
                             .user = read_text(&doc, "user"),
                             .address = ntohl(address.s_addr),
                             .cpus_milli = read_number(&doc, "cpusMilli"),
                             .memory_bytes = (uint64_t)read_number(&doc, "memoryBytes"),
                             .is_host = text_is(read_text(&doc, "isHost"), "true"),
                             .is_going = text_is(read_text(&doc, "isGoing"), "true") };
    read_volumes(doc_child(&doc, "volumes"), out);
    read_tags(doc_child(&doc, "tags"), out);
    return true;
}

bool meta_replace(struct work *work, const struct machine *machine)
{
    return disk_replace(work_path(work, "machines/%s/meta.json", machine->id),
                        meta_format(work, machine), 0600);
}
