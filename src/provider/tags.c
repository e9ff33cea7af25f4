#include "provider/tags.h"

static const char *const names[] = { "reeve.cluster_id", "reeve.incarnation", "reeve.group",
                                     "reeve.token", "reeve.mac" };
#define SLOT_NAME "reeve.logical_id"

static struct text *tags_text_at(struct provider_tags *tags, size_t i)
{
    struct text *const texts[] = { &tags->cluster, &tags->life, &tags->group, &tags->token,
                                   &tags->mac };

    return texts[i];
}

struct wire_list tags_write(struct arena *arena, const struct provider_tags *tags)
{
    struct wire_pair *pairs = arena_array(arena, struct wire_pair, ARRAY_COUNT(names) + 1);
    struct provider_tags copy = *tags;
    size_t i;

    for (i = 0; i < ARRAY_COUNT(names); i++) {
        pairs[i] = (struct wire_pair){ text_from(names[i]), *tags_text_at(&copy, i) };
    }
    pairs[i] = (struct wire_pair){ TEXT(SLOT_NAME), arena_number(arena, (int64_t)tags->slot) };
    return (struct wire_list){ pairs, ARRAY_COUNT(names) + 1 };
}

struct provider_tags tags_read(struct arena *arena, const struct wire_list *list)
{
    struct provider_tags tags = { 0 };
    int64_t slot = 0;

    for (size_t at = 0; at < list->count; at++) {
        const struct wire_pair *pair = wire_item(*list, const struct wire_pair, at);

        for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
            if (text_is(pair->name, names[i])) {
                *tags_text_at(&tags, i) = arena_text(arena, pair->value);
            }
        }
        if (text_is(pair->name, SLOT_NAME)) {
            (void)!text_parse_int64(pair->value, &slot);
        }
    }
    tags.slot = slot < 0 ? 0 : (uint64_t)slot;
    return tags;
}

struct text tags_find(struct arena *arena, const struct wire_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct wire_pair *pair = wire_item(*list, const struct wire_pair, i);

        if (text_is(pair->name, name)) {
            return arena_text(arena, pair->value);
        }
    }
    return TEXT("");
}
