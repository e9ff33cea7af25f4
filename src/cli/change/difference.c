#include "cli/change/difference.h"

#include "base/limits.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"

#include <assert.h>

void differences_init(struct differences *list, struct arena *arena)
{
    *list = (struct differences){ .arena = arena };
}

void differences_add(struct differences *list, struct text path, const struct doc *old_value,
                     const struct doc *new_value)
{
    if (list->count == list->room) {
        size_t room = list->room * 2 + 16;

        list->items = arena_grow(list->arena, list->items, list->room * sizeof(*list->items),
                                 room * sizeof(*list->items));
        list->room = room;
    }
    list->items[list->count++] = (struct difference){ path, old_value, new_value };
}

/* Iterate over both maps at the same time; their keys are in byte order. */
static void maps_walk(struct differences *list, const struct doc *a, const struct doc *b,
                      struct text prefix, unsigned depth)
{
    size_t i = 0;
    size_t j = 0;

    while (i < a->entry_count || j < b->entry_count) {
        const struct doc_entry *left = i < a->entry_count ? &a->entries[i] : NULL;
        const struct doc_entry *right = j < b->entry_count ? &b->entries[j] : NULL;
        int order = left == NULL ? 1 : right == NULL ? -1 : text_compare(left->key, right->key);
        struct text path =
            arena_printf(list->arena, "%.*s%s%.*s", TEXT_ARG(prefix), prefix.length > 0 ? "." : "",
                         TEXT_ARG(order <= 0 ? left->key : right->key));

        if (order == 0 && depth < LIMIT_DOCUMENT_DEPTH && doc_is_map(&left->value) &&
            doc_is_map(&right->value)) {
            maps_walk(list, &left->value, &right->value, path, depth + 1);
        } else if (order != 0 || !doc_is_equal(&left->value, &right->value)) {
            differences_add(list, path, order <= 0 ? &left->value : NULL,
                            order >= 0 ? &right->value : NULL);
        }
        i += order <= 0;
        j += order >= 0;
    }
}

void differences_find(struct differences *list, const struct doc *old_doc,
                      const struct doc *new_doc)
{
    assert(doc_is_map(old_doc));
    assert(doc_is_map(new_doc));
    maps_walk(list, old_doc, new_doc, TEXT(""), 0);
}

void difference_write_side(struct command *command, const char *mark, enum style_color color,
                           struct text path, const struct doc *value)
{
    if (value == NULL) {
        return;
    }
    style_on(&command->out_style, &command->out, color);
    buf_add_string(&command->out, mark);
    glyph_write_text(&command->out, path);
    buf_add_string(&command->out, ": ");
    glyph_write_text(&command->out, flow_format(command->arena, value));
    style_off(&command->out_style, &command->out);
    buf_add_string(&command->out, "\n");
}
