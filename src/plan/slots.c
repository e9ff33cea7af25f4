#include "plan/slots.h"

#include "base/buf.h"

#include <assert.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct slots slots_of(const struct group *group)
{
    if (group == NULL) {
        return (struct slots){ 0, 0 };
    }
    return (struct slots){ group->first_number, (uint64_t)group->first_number + group->size };
}

uint64_t slots_count(struct slots slots)
{
    assert(slots.first <= slots.end);
    return slots.end - slots.first;
}

struct slots_rest slots_without(struct slots own, struct slots others)
{
    struct slots none = { own.end, own.end };
    struct slots_rest rest = { own, none };

    assert(own.first <= own.end && others.first <= others.end);
    if (others.first == others.end) {
        return rest;
    }
    rest.below.end = most(own.first, least(own.end, others.first));
    rest.above.first = least(own.end, most(own.first, others.end));
    return rest;
}

uint64_t slots_rest_count(struct slots_rest rest)
{
    return slots_count(rest.below) + slots_count(rest.above);
}

struct text slots_rest_format(struct arena *arena, const struct group *group,
                              struct slots_rest rest)
{
    struct slots parts[2] = { rest.below, rest.above };
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (slots_count(parts[i]) == 0) {
            continue;
        }
        if (buf.length > 0) {
            buf_add_string(&buf, ", ");
        }
        buf_add(&buf,
                naming_range_format(arena, &group->affix, parts[i].first, slots_count(parts[i])));
    }
    return buf_text(&buf);
}
