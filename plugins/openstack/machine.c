#include "stack.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "host_key.h"

/* The exact tags are metadata, in pieces if a value is longer than nova accepts. Other metadata
 * items of the plugin have separate names. Labels are metadata for users, and `reeve.labels` has
 * all labels as JSON. Server tags are only for finding machines. */

#define STACK_USER   "openstack.user"
#define STACK_FROM   "openstack.image"
#define STACK_PUBLIC "openstack.public"
#define STACK_DISKS  "openstack.volumes"
#define STACK_LABELS "reeve.labels"

enum {
    STACK_META_BYTES = 255,
    STACK_META_MAX = 128,
    STACK_KEY_PAUSE_MS = 5000,
    STACK_KEY_LINES = 400
};

/* Returns the metadata of a server as a list of tags. */
static struct tag_codec_tags stack_pairs(struct arena *arena, const struct doc *map)
{
    size_t count = doc_is_map(map) ? map->entry_count : 0;
    struct tag_codec_tags list = { .items = arena_array(arena, struct reeve_tag, count) };

    for (size_t i = 0; i < count; i++) {
        if (doc_is_scalar(&map->entries[i].value)) {
            list.items[list.count++] =
                (struct reeve_tag){ plain_answer(map->entries[i].key),
                                    plain_answer(map->entries[i].value.text) };
        }
    }
    return list;
}

/* True for a key reeve.NAME that is the first piece of a tag. NAME.1 continues NAME. */
static bool is_stack_tag(struct text name)
{
    size_t last = name.length;

    while (last > 0 && name.data[last - 1] >= '0' && name.data[last - 1] <= '9') {
        last--;
    }
    return text_has_prefix(name, TEXT("reeve.")) && !text_has_prefix(name, TEXT(STACK_LABELS)) &&
           (last == name.length || last == 0 || name.data[last - 1] != '.');
}

void stack_machine_read(struct arena *arena, const struct doc *server, struct stack_machine *out)
{
    struct tag_codec_tags all = stack_pairs(arena, doc_child(server, "metadata"));

    *out = (struct stack_machine){ 0 };
    out->tags.items = arena_array(arena, struct reeve_tag, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        struct text value;

        if (is_stack_tag(plain_text(all.items[i].name)) &&
            tag_codec_join(arena, &all, plain_text(all.items[i].name), '.', &value)) {
            out->tags.items[out->tags.count++] =
                (struct reeve_tag){ all.items[i].name, plain_answer(value) };
        }
    }
    out->cluster = tag_codec_value(out->tags.items, out->tags.count, "reeve.cluster_id");
    out->token = tag_codec_value(out->tags.items, out->tags.count, "reeve.token");
    out->user = tag_codec_value(all.items, all.count, STACK_USER);
    out->image = tag_codec_value(all.items, all.count, STACK_FROM);
    out->shows_public = tag_codec_value(all.items, all.count, STACK_PUBLIC).length > 0;
    out->has_disks = tag_codec_value(all.items, all.count, STACK_DISKS).length > 0;
}

/* ---- metadata ---- */

/* True for a key that nova accepts and that does not belong to reeve. */
static bool is_stack_label(struct text key)
{
    for (size_t i = 0; i < key.length; i++) {
        char byte = key.data[i];

        if (!((byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z') ||
              byte == '-' || byte == '_' || byte == '.' || byte == ':')) {
            return false;
        }
    }
    return key.length > 0 && key.length <= STACK_META_BYTES &&
           !text_has_prefix(key, TEXT("reeve.")) && !text_has_prefix(key, TEXT("openstack."));
}

static void stack_put_label(struct doc_builder *into, struct text key, const struct doc *value)
{
    if (doc_is_scalar(value) && is_stack_label(key) && value->text.length <= STACK_META_BYTES) {
        doc_builder_add(into,
                        &(struct doc_entry){ .key = key, .value = doc_text(value->text, NULL) });
    }
}

void stack_put_pieces(struct arena *arena, struct doc_builder *into, struct text name,
                      struct text value)
{
    struct tag_codec_tags pieces = { 0 };

    tag_codec_split(arena, &pieces, name, '.', value, STACK_META_BYTES);
    for (uint32_t i = 0; i < pieces.count; i++) {
        doc_builder_add(into, &(struct doc_entry){
                                  .key = plain_text(pieces.items[i].name),
                                  .value = doc_text(plain_text(pieces.items[i].value), NULL) });
    }
}

/* Puts the labels of a request into metadata. */
static void stack_put_labels(struct arena *arena, struct doc_builder *into, struct text labels)
{
    const struct doc *map;
    struct doc doc;
    struct err err;

    if (labels.length == 0 || !json_parse(arena, labels, NULL, &doc, &err)) {
        return;
    }
    map = doc_child(&doc, "labels");
    for (size_t i = 0; doc_is_map(map) && i < map->entry_count; i++) {
        if (!text_is(map->entries[i].key, "owner") || doc_child_text(&doc, "owner").length == 0) {
            stack_put_label(into, map->entries[i].key, &map->entries[i].value);
        }
    }
    if (doc_child_text(&doc, "owner").length > 0) {
        stack_put_label(into, TEXT("owner"), doc_child(&doc, "owner"));
    }
    if (doc_child_text(&doc, "owner").length > 0 || (doc_is_map(map) && map->entry_count > 0)) {
        stack_put_pieces(arena, into, TEXT(STACK_LABELS), labels);
    }
}

bool stack_label_metadata(struct arena *arena, struct text labels, struct doc *out)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    stack_put_labels(arena, &builder, labels);
    *out = doc_builder_map(&builder, NULL);
    return out->entry_count <= STACK_META_MAX;
}

bool stack_metadata(struct arena *arena, const struct reeve_wish_v1 *wanted,
                    const struct stack_shape *shape, struct text image, struct doc *out)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    stack_put_labels(arena, &builder, plain_text(wanted->labels));
    for (uint32_t i = 0; i < wanted->tag_count; i++) {
        stack_put_pieces(arena, &builder, plain_text(wanted->tags[i].name),
                         plain_text(wanted->tags[i].value));
    }
    doc_builder_put(&builder, STACK_USER, doc_text(shape->user, NULL));
    doc_builder_put(&builder, STACK_FROM, doc_text(image, NULL));
    if (shape->is_public) {
        doc_builder_put(&builder, STACK_PUBLIC, doc_text(TEXT("true"), NULL));
    }
    if (shape->disk_count > 0) {
        doc_builder_put(&builder, STACK_DISKS, doc_text(TEXT("true"), NULL));
    }
    *out = doc_builder_map(&builder, NULL);
    return out->entry_count <= STACK_META_MAX;
}

/* ---- rows ---- */

bool is_stack_deleted(const struct doc *server)
{
    struct text status = doc_child_text(server, "status");

    return text_is(status, "DELETED") || text_is(status, "SOFT_DELETED");
}

static int32_t stack_state(const struct doc *server)
{
    static const struct {
        const char *name;
        int32_t state;
    } states[] = {
        { "BUILD", REEVE_PENDING },         { "ACTIVE", REEVE_RUNNING },
        { "REBOOT", REEVE_RUNNING },        { "HARD_REBOOT", REEVE_RUNNING },
        { "PASSWORD", REEVE_RUNNING },      { "RESIZE", REEVE_RUNNING },
        { "VERIFY_RESIZE", REEVE_RUNNING }, { "REVERT_RESIZE", REEVE_RUNNING },
        { "MIGRATING", REEVE_RUNNING },     { "RESCUE", REEVE_RUNNING },
        { "REBUILD", REEVE_RUNNING },       { "SHUTOFF", REEVE_STOPPED },
        { "SUSPENDED", REEVE_STOPPED },     { "PAUSED", REEVE_STOPPED },
        { "SHELVED", REEVE_STOPPED },       { "SHELVED_OFFLOADED", REEVE_STOPPED },
    };
    struct text status = doc_child_text(server, "status");

    if (text_is(doc_child_text(server, "OS-EXT-STS:task_state"), "deleting")) {
        return REEVE_STOPPING;
    }
    for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
        if (text_is(status, states[i].name)) {
            return states[i].state;
        }
    }
    /* state ERROR, or an unknown state */
    return doc_child_number(server, "OS-EXT-STS:power_state") == 1 ? REEVE_RUNNING : REEVE_STOPPED;
}

/* Returns the first address of a kind; IPv4 addresses take precedence. */
static struct text stack_address(const struct doc *server, const char *kind)
{
    const struct doc *networks = doc_child(server, "addresses");
    struct text other = TEXT("");

    for (size_t i = 0; doc_is_map(networks) && i < networks->entry_count; i++) {
        const struct doc *list = &networks->entries[i].value;

        for (size_t k = 0; doc_is_list(list) && k < list->item_count; k++) {
            struct text address = doc_child_text(&list->items[k], "addr");

            if (!text_is(doc_child_text(&list->items[k], "OS-EXT-IPS:type"), kind)) {
                continue;
            }
            if (doc_child_number(&list->items[k], "version") == 4) {
                return address;
            }
            other = other.length > 0 ? other : address;
        }
    }
    return other;
}

/* Reads the host key from the console, at most every 5 s for a machine. */
static struct text stack_ask_host_key(struct stack_call *work, struct text region,
                                      struct text server, const struct stack_machine *machine)
{
    struct text id = stack_id_format(work, region, server);
    struct stack_answer answer;
    struct text key;

    if (journal_is_young(&work->stack->journal, "keyprobe", id, STACK_KEY_PAUSE_MS, NULL) ||
        !journal_put(&work->stack->journal, "keyprobe", id, TEXT("")) ||
        stack_console_get(work, region, server, STACK_KEY_LINES, &answer) != REEVE_OK ||
        !host_key_find(doc_child_text(&answer.doc, "output"), machine->token, &key)) {
        return TEXT("");
    }
    (void)!journal_put(&work->stack->journal, "hostkey", id, key);
    return key;
}

/* Returns the machine's host key. Empty: it is not known yet. */
static struct text stack_host_key(struct stack_call *work, struct text region,
                                  const struct doc *server, const struct stack_machine *machine,
                                  bool is_single)
{
    struct text uuid = doc_child_text(server, "id");
    struct text key;

    if (journal_find(work->arena, &work->stack->journal, "hostkey",
                     stack_id_format(work, region, uuid), &key, NULL)) {
        return key;
    }
    return is_single && machine->token.length > 0 &&
                   text_is(doc_child_text(server, "status"), "ACTIVE")
               ? stack_ask_host_key(work, region, uuid, machine)
               : TEXT("");
}

static void stack_put_text(struct doc_builder *into, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(into, name, doc_text(value, NULL));
    }
}

static struct text stack_properties(struct stack_call *work, const struct doc *server,
                                    const struct stack_machine *machine, struct text host_key)
{
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    stack_put_text(&builder, "size", doc_child_text(doc_child(server, "flavor"), "original_name"));
    stack_put_text(&builder, "image", machine->image);
    stack_put_text(&builder, "user", machine->user);
    stack_put_text(&builder, "hostKey", host_key);
    if (text_is(doc_child_text(server, "status"), "ERROR")) {
        stack_put_text(&builder, "fault", doc_child_text(doc_child(server, "fault"), "message"));
    }
    return stack_json(work, &builder);
}

void stack_machine_row(struct stack_call *work, struct text region, const struct doc *server,
                       const struct stack_machine *machine, bool is_single)
{
    struct text key = stack_host_key(work, region, server, machine, is_single);
    struct reeve_row_v1 row = {
        .struct_size = sizeof(row),
        .tag_count = machine->tags.count,
        .tags = machine->tags.items,
        .id = plain_answer(stack_id_format(work, region, doc_child_text(server, "id"))),
        .state = stack_state(server),
        .address =
            plain_answer(stack_address(server, machine->shows_public ? "floating" : "fixed")),
        .zone = plain_answer(doc_child_text(server, "OS-EXT-AZ:availability_zone")),
        .properties = plain_answer(stack_properties(work, server, machine, key)),
    };

    work->stack->host->row(work->call, &row);
}
