#include "gce.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "host_key.h"

/* The description has the exact tags as JSON, and other data that a listing needs: the user and the
 * kind of address. Labels are used to find machines, and shown to users. */

#define GCE_USER   "gcd.user"
#define GCE_IMAGE  "gcd.image"
#define GCE_PUBLIC "gcd.public"

enum { GCE_LABELS_MAX = 64, GCE_LABEL_BYTES = 63, GCE_KEY_PAUSE_MS = 5000 };

static bool is_gce_own(struct text name)
{
    return text_has_prefix(name, TEXT("gcd."));
}

void gce_machine_read(struct arena *arena, const struct doc *instance, struct gce_machine *out)
{
    struct tag_codec_tags tags = { 0 };

    *out = (struct gce_machine){ 0 };
    if (!tag_codec_from_json(arena, doc_child_text(instance, "description"), &tags)) {
        return;
    }
    out->tags.items = arena_array(arena, struct reeve_tag, tags.count);
    for (uint32_t i = 0; i < tags.count; i++) {
        if (!is_gce_own(plain_text(tags.items[i].name))) {
            out->tags.items[out->tags.count++] = tags.items[i];
        }
    }
    out->cluster = tag_codec_value(tags.items, tags.count, "reeve.cluster_id");
    out->token = tag_codec_value(tags.items, tags.count, "reeve.token");
    out->user = tag_codec_value(tags.items, tags.count, GCE_USER);
    out->image = tag_codec_value(tags.items, tags.count, GCE_IMAGE);
    out->shows_public = tag_codec_value(tags.items, tags.count, GCE_PUBLIC).length > 0;
}

struct text gce_description(struct arena *arena, const struct reeve_wish_v1 *wanted,
                            const struct gce_shape *shape, struct text image)
{
    struct reeve_tag *tags = arena_array(arena, struct reeve_tag, wanted->tag_count + 3);
    uint32_t count = wanted->tag_count;

    for (uint32_t i = 0; i < count; i++) {
        tags[i] = wanted->tags[i];
    }
    tags[count++] = (struct reeve_tag){ REEVE_TEXT(GCE_USER), plain_answer(shape->user) };
    tags[count++] = (struct reeve_tag){ REEVE_TEXT(GCE_IMAGE), plain_answer(image) };
    if (shape->is_public) {
        tags[count++] = (struct reeve_tag){ REEVE_TEXT(GCE_PUBLIC), REEVE_TEXT("true") };
    }
    return tag_codec_to_json(arena, tags, count);
}

/* ---- labels ---- */

/* True if Google accepts the text as a key or value of a label. */
static bool is_gce_label(struct text text, bool is_key)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
              byte == '-')) {
            return false;
        }
    }
    return text.length <= GCE_LABEL_BYTES &&
           (!is_key || (text.length > 0 && text.data[0] >= 'a' && text.data[0] <= 'z' &&
                        !text_has_prefix(text, TEXT("reeve-"))));
}

static void gce_add_label(struct doc_builder *labels, struct text key, const struct doc *value)
{
    if (doc_is_scalar(value) && is_gce_label(key, true) && is_gce_label(value->text, false)) {
        doc_builder_add(labels,
                        &(struct doc_entry){ .key = key, .value = doc_text(value->text, NULL) });
    }
}

/* Adds the labels that users see. Returns true if there are any. */
static bool gce_add_user_labels(struct arena *arena, struct doc_builder *into, struct text json)
{
    const struct doc *map;
    struct doc doc;
    struct err err;

    if (json.length == 0 || !json_parse(arena, json, NULL, &doc, &err)) {
        return false;
    }
    map = doc_child(&doc, "labels");
    if (doc_child_text(&doc, "owner").length > 0) {
        gce_add_label(into, TEXT("owner"), doc_child(&doc, "owner"));
    }
    for (size_t i = 0; doc_is_map(map) && i < map->entry_count; i++) {
        gce_add_label(into, map->entries[i].key, &map->entries[i].value);
    }
    return doc_child_text(&doc, "owner").length > 0 || (doc_is_map(map) && map->entry_count > 0);
}

bool gce_labels(struct arena *arena, struct text cluster, struct text token, struct text labels,
                struct doc *out)
{
    struct tag_codec_tags pieces = { 0 };
    struct doc_builder builder;
    struct buf escaped;

    doc_builder_init(&builder, arena);
    buf_init(&escaped, arena);
    if (gce_add_user_labels(arena, &builder, labels)) {
        tag_codec_escape(&escaped, labels);
        tag_codec_split(arena, &pieces, TEXT("reeve-labels"), '-', buf_text(&escaped),
                        GCE_LABEL_BYTES);
    }
    for (uint32_t i = 0; i < pieces.count; i++) {
        doc_builder_add(&builder, &(struct doc_entry){
                                      .key = plain_text(pieces.items[i].name),
                                      .value = doc_text(plain_text(pieces.items[i].value), NULL) });
    }
    doc_builder_put(&builder, "reeve-cluster", doc_text(tag_codec_hash(arena, cluster), NULL));
    doc_builder_put(&builder, "reeve-token", doc_text(token, NULL));
    *out = doc_builder_map(&builder, NULL);
    return out->entry_count <= GCE_LABELS_MAX;
}

/* ---- rows ---- */

static int32_t gce_state(struct text status)
{
    static const struct {
        const char *name;
        int32_t state;
    } states[] = {
        { "PROVISIONING", REEVE_PENDING }, { "STAGING", REEVE_PENDING },
        { "REPAIRING", REEVE_PENDING },    { "RUNNING", REEVE_RUNNING },
        { "STOPPED", REEVE_STOPPED },      { "TERMINATED", REEVE_STOPPED },
        { "SUSPENDED", REEVE_STOPPED },
    };

    for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
        if (text_is(status, states[i].name)) {
            return states[i].state;
        }
    }
    /* STOPPING, PENDING_STOP, SUSPENDING, DEPROVISIONING, and states that Google adds later */
    return REEVE_STOPPING;
}

static struct text gce_address(const struct doc *instance, bool is_public)
{
    const struct doc *list = doc_child(instance, "networkInterfaces");
    const struct doc *first = doc_is_list(list) && list->item_count > 0 ? &list->items[0] : NULL;
    const struct doc *access = doc_child(first, "accessConfigs");

    if (!is_public) {
        return doc_child_text(first, "networkIP");
    }
    return doc_is_list(access) && access->item_count > 0
               ? doc_child_text(&access->items[0], "natIP")
               : TEXT("");
}

/* Reads the host key from the guest attributes, at most every 5 s for a machine. */
static struct text gce_ask_host_key(struct gce_call *work, const struct doc *instance,
                                    const struct gce_machine *machine, struct text id)
{
    struct text path = arena_printf(
        work->arena, "/zones/%.*s/instances/%.*s/getGuestAttributes?queryPath=reeve%%2F",
        TEXT_ARG(gce_last_part(doc_child_text(instance, "zone"))),
        TEXT_ARG(doc_child_text(instance, "name")));
    struct gce_answer answer;
    const struct doc *items;
    struct text key;

    if (journal_is_young(&work->gce->journal, "keyprobe", id, GCE_KEY_PAUSE_MS, NULL) ||
        !journal_put(&work->gce->journal, "keyprobe", id, TEXT("")) ||
        gce_get(work, path, &answer) != REEVE_OK) {
        return TEXT("");
    }
    items = doc_child(doc_child(&answer.doc, "queryValue"), "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (host_key_find(doc_child_text(&items->items[i], "value"), machine->token, &key)) {
            (void)!journal_put(&work->gce->journal, "hostkey", id, key);
            return key;
        }
    }
    return TEXT("");
}

/* Returns the machine's host key. Empty: it is not known yet. */
static struct text gce_host_key(struct gce_call *work, const struct doc *instance,
                                const struct gce_machine *machine, struct text id, bool is_single)
{
    struct text key;

    if (journal_find(work->arena, &work->gce->journal, "hostkey", id, &key, NULL)) {
        return key;
    }
    return is_single && machine->token.length > 0 &&
                   text_is(doc_child_text(instance, "status"), "RUNNING")
               ? gce_ask_host_key(work, instance, machine, id)
               : TEXT("");
}

static struct text gce_properties(struct gce_call *work, const struct doc *instance,
                                  const struct gce_machine *machine, struct text host_key)
{
    struct text message = doc_child_text(instance, "statusMessage");
    struct doc_builder builder;
    struct doc map;
    struct buf json;

    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "size",
                    doc_text(gce_last_part(doc_child_text(instance, "machineType")), NULL));
    if (machine->image.length > 0) {
        doc_builder_put(&builder, "image", doc_text(machine->image, NULL));
    }
    if (machine->user.length > 0) {
        doc_builder_put(&builder, "user", doc_text(machine->user, NULL));
    }
    if (host_key.length > 0) {
        doc_builder_put(&builder, "hostKey", doc_text(host_key, NULL));
    }
    if (message.length > 0) {
        doc_builder_put(&builder, "statusMessage", doc_text(message, NULL));
    }
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return buf_text(&json);
}

void gce_machine_row(struct gce_call *work, const struct doc *instance,
                     const struct gce_machine *machine, bool is_single)
{
    struct text zone = gce_last_part(doc_child_text(instance, "zone"));
    struct text id = arena_printf(work->arena, "%.*s/%.*s/%.*s", TEXT_ARG(work->project),
                                  TEXT_ARG(zone), TEXT_ARG(doc_child_text(instance, "name")));
    struct text key = gce_host_key(work, instance, machine, id, is_single);
    struct reeve_row_v1 row = {
        .struct_size = sizeof(row),
        .tag_count = machine->tags.count,
        .tags = machine->tags.items,
        .id = plain_answer(id),
        .state = gce_state(doc_child_text(instance, "status")),
        .address = plain_answer(gce_address(instance, machine->shows_public)),
        .zone = plain_answer(zone),
        .properties = plain_answer(gce_properties(work, instance, machine, key)),
    };

    work->gce->host->row(work->call, &row);
}
