#include "cli/term/source.h"

#include <assert.h>
#include <string.h>

#define SOURCE_ROOM 8

void source_set_init(struct source_set *set, struct arena *arena)
{
    *set = (struct source_set){ .arena = arena };
}

uint16_t source_set_next(const struct source_set *set)
{
    return set->count >= UINT16_MAX ? 0 : (uint16_t)(set->count + 1);
}

uint16_t source_set_add(struct source_set *set, const char *name, struct text bytes)
{
    assert(source_set_next(set) != 0);
    if (set->count == set->room) {
        size_t room = set->room == 0 ? SOURCE_ROOM : set->room * 2;

        set->items = arena_grow(set->arena, set->items, set->room * sizeof(*set->items),
                                room * sizeof(*set->items));
        set->room = room;
    }
    set->items[set->count++] = (struct source){ .name = name, .bytes = bytes };
    return (uint16_t)set->count;
}

const char *source_name(const struct source_set *set, uint16_t number)
{
    return number == 0 || number > set->count ? NULL : set->items[number - 1].name;
}

/* Return the start of the next line. Lines end in LF or CR LF, as in the module codec. */
static size_t source_line_next(struct text bytes, size_t at)
{
    const char *end = at < bytes.length ? memchr(bytes.data + at, '\n', bytes.length - at) : NULL;

    return end == NULL ? bytes.length + 1 : (size_t)(end - bytes.data) + 1;
}

static void lines_index(struct arena *arena, struct source *source)
{
    size_t count = 0;

    for (size_t at = 0; at <= source->bytes.length; at = source_line_next(source->bytes, at)) {
        count++;
    }
    source->line_starts = arena_array(arena, size_t, count);
    for (size_t at = 0; at <= source->bytes.length; at = source_line_next(source->bytes, at)) {
        source->line_starts[source->line_count++] = at;
    }
    assert(source->line_count == count);
}

bool source_line(struct source_set *set, uint16_t number, uint32_t line, struct text *out)
{
    struct source *source;
    size_t start;

    if (number == 0 || number > set->count || line == 0) {
        return false;
    }
    source = &set->items[number - 1];
    if (source->line_starts == NULL) {
        lines_index(set->arena, source);
    }
    if (line > source->line_count) {
        return false;
    }
    start = source->line_starts[line - 1];
    *out = text_slice(source->bytes, start, source_line_next(source->bytes, start) - start - 1);
    if (text_has_suffix(*out, TEXT("\r"))) {
        out->length--;
    }
    return true;
}
