#include "ocean.h"

#include "codec/doc_child.h"
#include "codec/json.h"

#include <strings.h>

/* A droplet has the tag `reeve`, tags (words) that encode reeve's tags, and one data word with
 * labels, owner, user and address. The data word contains the first digits of the token, so that
 * droplets never share it. It also contains letters of a hash, so that a droplet with two data
 * words, during a change, can be read. */

#define OCEAN_DATA "reeve.data."

enum { OCEAN_TOKEN_SHOWN = 12, OCEAN_HASH_SHOWN = 6 };

static struct doc ocean_parse(struct arena *arena, struct text json)
{
    struct doc doc = { 0 };
    struct err err;

    return json.length > 0 && json_parse(arena, json, NULL, &doc, &err) && doc_is_map(&doc)
               ? doc
               : (struct doc){ 0 };
}

/* Returns the tags of a droplet that are words of reeve, in upper or lower case. */
static struct tag_codec_words ocean_read_words(struct arena *arena, const struct doc *droplet)
{
    const struct doc *list = doc_child(droplet, "tags");
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct tag_codec_words words = { .items = arena_array(arena, struct text, count) };

    for (size_t i = 0; i < count; i++) {
        if (doc_is_scalar(&list->items[i]) && list->items[i].text.length > strlen(OCEAN_TAG) &&
            strncasecmp(list->items[i].text.data, OCEAN_TAG ":", strlen(OCEAN_TAG ":")) == 0) {
            words.items[words.count++] = list->items[i].text;
        }
    }
    return words;
}

/* Reads the data word of a droplet. */
static void ocean_read_data(struct arena *arena, struct text json, struct ocean_machine *out)
{
    struct doc doc = ocean_parse(arena, json);
    struct doc_builder labels;
    struct buf text;
    struct doc map;

    out->user = doc_child_text(&doc, "user");
    out->shows_public = text_is(doc_child_text(&doc, "public"), "true");
    if (doc_child(&doc, "labels") == NULL && doc_child(&doc, "owner") == NULL) {
        return;
    }
    doc_builder_init(&labels, arena);
    if (doc_child(&doc, "labels") != NULL) {
        doc_builder_put(&labels, "labels", *doc_child(&doc, "labels"));
    }
    if (doc_child(&doc, "owner") != NULL) {
        doc_builder_put(&labels, "owner", *doc_child(&doc, "owner"));
    }
    map = doc_builder_map(&labels, NULL);
    buf_init(&text, arena);
    json_format(&text, &map);
    out->labels = buf_text(&text);
}

/* Adds the user tags that belong to one data word. */
static void ocean_add_user_words(struct arena *arena, struct ocean_machine *out, struct text data)
{
    struct tag_codec_words more = ocean_label_words(arena, data);
    struct text *all = arena_array(arena, struct text, (size_t)out->user_words.count + more.count);
    uint32_t count = 0;

    for (uint32_t i = 0; i < out->user_words.count; i++) {
        all[count++] = out->user_words.items[i];
    }
    for (uint32_t i = 0; i < more.count; i++) {
        all[count++] = more.items[i];
    }
    out->user_words = (struct tag_codec_words){ .items = all, .count = count };
}

void ocean_machine_read(struct ocean_call *work, const struct doc *droplet,
                        struct ocean_machine *out)
{
    struct tag_codec_words words = ocean_read_words(work->arena, droplet);
    struct tag_codec_tags tags = tag_codec_from_words(work->arena, words.items, words.count);
    struct text data = TEXT("");
    struct text kept;

    *out = (struct ocean_machine){ .words = words };
    if (tag_codec_value(tags.items, tags.count, "reeve.cluster_id").length == 0 &&
        journal_is_young(&work->ocean->journal, "created", doc_child_text(droplet, "id"),
                         work->ocean->settings.lag_ms, NULL) &&
        journal_find(work->arena, &work->ocean->journal, "created", doc_child_text(droplet, "id"),
                     &kept, NULL)) {
        (void)!tag_codec_from_json(work->arena, kept, &tags);
    }
    out->tags.items = arena_array(work->arena, struct reeve_tag, tags.count);
    for (uint32_t i = 0; i < tags.count; i++) {
        if (text_has_prefix(plain_text(tags.items[i].name), TEXT(OCEAN_DATA))) {
            data = plain_text(tags.items[i].value);
            ocean_add_user_words(work->arena, out, data);
        } else {
            out->tags.items[out->tags.count++] = tags.items[i];
        }
    }
    out->cluster = tag_codec_value(tags.items, tags.count, "reeve.cluster_id");
    out->token = tag_codec_value(tags.items, tags.count, "reeve.token");
    ocean_read_data(work->arena, data, out);
    if (out->cluster.length > 0 && words.count == 0) {
        out->words = ocean_machine_words(work->arena, out);
    }
}

static struct text ocean_data_name(struct arena *arena, struct text token, struct text data)
{
    struct text hash = tag_codec_hash(arena, data);

    return arena_printf(arena, OCEAN_DATA "%.*s.%.*s",
                        TEXT_ARG(property_token_part(token, OCEAN_TOKEN_SHOWN)),
                        TEXT_ARG(text_slice(hash, 0, OCEAN_HASH_SHOWN)));
}

struct tag_codec_tags ocean_machine_tags(struct arena *arena, const struct ocean_machine *machine)
{
    struct doc labels = ocean_parse(arena, machine->labels);
    struct reeve_tag *tags = arena_array(arena, struct reeve_tag, machine->tags.count + 1);
    uint32_t count = machine->tags.count;
    struct doc_builder builder;
    struct doc map;
    struct buf data;

    doc_builder_init(&builder, arena);
    if (doc_is_map(doc_child(&labels, "labels")) && doc_child(&labels, "labels")->entry_count > 0) {
        doc_builder_put(&builder, "labels", *doc_child(&labels, "labels"));
    }
    if (doc_child_text(&labels, "owner").length > 0) {
        doc_builder_put(&builder, "owner", *doc_child(&labels, "owner"));
    }
    if (machine->user.length > 0) {
        doc_builder_put(&builder, "user", doc_text(machine->user, NULL));
    }
    if (machine->shows_public) {
        doc_builder_put(&builder, "public", doc_bool(true, NULL));
    }
    for (uint32_t i = 0; i < count; i++) {
        tags[i] = machine->tags.items[i];
    }
    map = doc_builder_map(&builder, NULL);
    if (map.entry_count > 0) {
        buf_init(&data, arena);
        json_format(&data, &map);
        tags[count++] = (struct reeve_tag){
            plain_answer(ocean_data_name(arena, machine->token, buf_text(&data))),
            plain_answer(buf_text(&data)),
        };
    }
    return (struct tag_codec_tags){ .items = tags, .count = count };
}

struct tag_codec_words ocean_machine_words(struct arena *arena, const struct ocean_machine *machine)
{
    struct tag_codec_tags tags = ocean_machine_tags(arena, machine);

    return tag_codec_to_words(arena, tags.items, tags.count);
}

/* True if DigitalOcean accepts the tag, and if it cannot be mistaken for a tag of reeve. */
static bool is_ocean_user_tag(struct text tag)
{
    if (tag.length == 0 || tag.length > TAG_CODEC_WORD_BYTES) {
        return false;
    }
    for (size_t i = 0; i < tag.length; i++) {
        char byte = tag.data[i];

        if (!(((byte | 32) >= 'a' && (byte | 32) <= 'z') || (byte >= '0' && byte <= '9') ||
              byte == '_' || byte == ':' || byte == '-')) {
            return false;
        }
    }
    return tag.length < strlen(OCEAN_TAG) ||
           strncasecmp(tag.data, OCEAN_TAG, strlen(OCEAN_TAG)) != 0;
}

static void ocean_add_label(struct arena *arena, struct tag_codec_words *list, struct text name,
                            const struct doc *value)
{
    struct text tag;

    if (!doc_is_scalar(value)) {
        return;
    }
    tag = arena_printf(arena, "%.*s:%.*s", TEXT_ARG(name), TEXT_ARG(value->text));
    if (is_ocean_user_tag(tag)) {
        list->items = arena_grow(arena, list->items, list->count * sizeof(*list->items),
                                 (list->count + 1) * sizeof(*list->items));
        list->items[list->count++] = tag;
    }
}

struct tag_codec_words ocean_label_words(struct arena *arena, struct text labels)
{
    struct doc doc = ocean_parse(arena, labels);
    const struct doc *map = doc_child(&doc, "labels");
    struct tag_codec_words list = { 0 };

    for (size_t i = 0; doc_is_map(map) && i < map->entry_count; i++) {
        ocean_add_label(arena, &list, map->entries[i].key, &map->entries[i].value);
    }
    if (doc_child_text(&doc, "owner").length > 0) {
        ocean_add_label(arena, &list, TEXT("owner"), doc_child(&doc, "owner"));
    }
    return list;
}

/* Returns the droplet's address of this type: "public" or "private". */
static struct text ocean_address(const struct doc *droplet, const char *type)
{
    const struct doc *list = doc_child(doc_child(droplet, "networks"), "v4");

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (text_is(doc_child_text(&list->items[i], "type"), type)) {
            return doc_child_text(&list->items[i], "ip_address");
        }
    }
    return TEXT("");
}

static int32_t ocean_state(struct text status)
{
    return text_is(status, "new")      ? REEVE_PENDING
           : text_is(status, "active") ? REEVE_RUNNING
                                       : REEVE_STOPPED;
}

void ocean_machine_row(struct ocean_call *work, const struct doc *droplet,
                       const struct ocean_machine *machine)
{
    const struct doc *image = doc_child(droplet, "image");
    struct text slug = doc_child_text(image, "slug");
    struct doc_builder properties;
    struct reeve_row_v1 row = { .struct_size = sizeof(row) };
    struct doc map;
    struct buf json;

    doc_builder_init(&properties, work->arena);
    if (text_is(slug, "null") || slug.length == 0) {
        slug = doc_child_text(image, "id");
    }
    doc_builder_put(&properties, "image", doc_text(slug, NULL));
    doc_builder_put(&properties, "size", doc_text(doc_child_text(droplet, "size_slug"), NULL));
    doc_builder_put(&properties, "user",
                    doc_text(machine->user.length > 0 ? machine->user : TEXT("root"), NULL));
    map = doc_builder_map(&properties, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    row.tags = machine->tags.items;
    row.tag_count = machine->tags.count;
    row.id = plain_answer(doc_child_text(droplet, "id"));
    row.state = ocean_state(doc_child_text(droplet, "status"));
    row.address =
        plain_answer(ocean_address(droplet, machine->shows_public ? "public" : "private"));
    row.zone = plain_answer(doc_child_text(doc_child(droplet, "region"), "slug"));
    row.properties = plain_answer(buf_text(&json));
    work->ocean->host->row(work->call, &row);
}
