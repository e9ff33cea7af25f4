#include "volumes/volume.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "records/record.h"

#include <assert.h>

static const char *const volume_state_names[] = {
    [VOLUME_STATE_USED] = "used",       [VOLUME_STATE_FREE] = "free",
    [VOLUME_STATE_KEPT] = "kept",       [VOLUME_STATE_ORPHAN] = "orphan",
    [VOLUME_STATE_FOREIGN] = "foreign", [VOLUME_STATE_DELETING] = "deleting",
};

const char *volume_state_name(enum volume_state state)
{
    assert(state < VOLUME_STATE_COUNT);
    return volume_state_names[state];
}

static void volume_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static void volume_number_put(struct arena *arena, struct doc_builder *builder, const char *key,
                              uint64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, key, doc_int(arena, (int64_t)value, NULL));
    }
}

static struct text volume_json(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* The entries must be in byte order of their keys. */
struct text volume_format(struct arena *arena, const struct volume *volume)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    volume_text_put(&builder, "attached", volume->attached);
    volume_text_put(&builder, "by", volume->by);
    volume_number_put(arena, &builder, "bytes", volume->bytes);
    volume_number_put(arena, &builder, "callAfter", volume->call_after_ms);
    volume_text_put(&builder, "cause", volume->cause);
    volume_text_put(&builder, "cluster", volume->cluster);
    volume_number_put(arena, &builder, "free", volume->free_ms);
    volume_text_put(&builder, "group", volume->group);
    volume_text_put(&builder, "id", volume->id);
    volume_text_put(&builder, "keep", volume->keep);
    volume_text_put(&builder, "kind", volume->kind);
    volume_number_put(arena, &builder, "missed", volume->missed);
    volume_number_put(arena, &builder, "missedAt", volume->missed_ms);
    volume_text_put(&builder, "name", volume->name);
    volume_text_put(&builder, "node", volume->node);
    volume_text_put(&builder, "plugin", volume->plugin);
    volume_text_put(&builder, "rule", volume->rule);
    volume_number_put(arena, &builder, "since", (uint64_t)volume->since_wall_ms);
    volume_number_put(arena, &builder, "slot", volume->slot);
    doc_builder_put(&builder, "state", doc_text(text_from(volume_state_name(volume->state)), NULL));
    volume_text_put(&builder, "token", volume->token);
    volume_number_put(arena, &builder, "tries", volume->refusals);
    volume_number_put(arena, &builder, "until", (uint64_t)volume->until_wall_ms);
    volume_text_put(&builder, "zone", volume->zone);
    return volume_json(arena, &builder);
}

bool volume_parse(struct arena *arena, struct text key, struct text bytes, struct volume *out,
                  struct err *err)
{
    struct doc doc;
    int state = 0;

    if (!json_parse(arena, bytes, NULL, &doc, err)) {
        return false;
    }
    while (state < VOLUME_STATE_COUNT &&
           !text_is(doc_child_text(&doc, "state"), volume_state_names[state])) {
        state++;
    }
    if (state == VOLUME_STATE_COUNT || doc_child_text(&doc, "id").length == 0) {
        return err_set(err, CODE_R0554, "the record of volume %.*s has no id or no known state",
                       TEXT_ARG(key));
    }
    *out = (struct volume){
        .key = key,
        .plugin = doc_child_text(&doc, "plugin"),
        .kind = doc_child_text(&doc, "kind"),
        .id = doc_child_text(&doc, "id"),
        .zone = doc_child_text(&doc, "zone"),
        .cluster = doc_child_text(&doc, "cluster"),
        .group = doc_child_text(&doc, "group"),
        .slot = (uint64_t)doc_child_number(&doc, "slot"),
        .node = doc_child_text(&doc, "node"),
        .name = doc_child_text(&doc, "name"),
        .keep = doc_child_text(&doc, "keep"),
        .token = doc_child_text(&doc, "token"),
        .attached = doc_child_text(&doc, "attached"),
        .bytes = (uint64_t)doc_child_number(&doc, "bytes"),
        .state = (enum volume_state)state,
        .free_ms = (uint64_t)doc_child_number(&doc, "free"),
        .since_wall_ms = doc_child_number(&doc, "since"),
        .until_wall_ms = doc_child_number(&doc, "until"),
        .rule = doc_child_text(&doc, "rule"),
        .by = doc_child_text(&doc, "by"),
        .cause = doc_child_text(&doc, "cause"),
        .refusals = (uint32_t)doc_child_number(&doc, "tries"),
        .call_after_ms = (uint64_t)doc_child_number(&doc, "callAfter"),
        .missed = (uint32_t)doc_child_number(&doc, "missed"),
        .missed_ms = (uint64_t)doc_child_number(&doc, "missedAt"),
    };
    return true;
}

bool volume_read(struct arena *arena, const struct cache_object *object, struct volume *out)
{
    struct text id = cache_id(object);
    struct text key = text_slice(id, text_find_byte(id, '/') + 1, id.length);
    struct err err;

    return object->parts[CACHE_STATUS].bytes != NULL &&
           volume_parse(arena, arena_text(arena, key),
                        arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)), out, &err);
}

struct text volume_name(struct arena *arena, const struct volume *volume)
{
    return volume->node.length > 0 && volume->name.length > 0
               ? arena_printf(arena, "%.*s-%.*s", TEXT_ARG(volume->node), TEXT_ARG(volume->name))
               : volume->id;
}

struct text volume_command(struct arena *arena, const struct cache_object *object)
{
    struct doc doc;
    struct err err;

    return object != NULL && object->parts[CACHE_SPEC].bytes != NULL &&
                   json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_SPEC].bytes)),
                              NULL, &doc, &err)
               ? doc_child_text(doc_child(&doc, "delete"), "by")
               : TEXT("");
}

struct text volume_command_format(struct arena *arena, struct text by, struct text why,
                                  int64_t wall_ms)
{
    struct doc_builder builder;
    struct doc_builder whole;

    doc_builder_init(&builder, arena);
    volume_number_put(arena, &builder, "at", (uint64_t)wall_ms);
    volume_text_put(&builder, "by", by);
    volume_text_put(&builder, "why", why);
    doc_builder_init(&whole, arena);
    doc_builder_put(&whole, "delete", doc_builder_map(&builder, NULL));
    return volume_json(arena, &whole);
}
