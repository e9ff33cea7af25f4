#include "cli/listing.h"

#include "base/sort.h"
#include "cli/plan_writer.h"

#include <assert.h>

struct text listing_text(const struct doc *doc, const char *outer, const char *inner)
{
    return plan_child_text(doc_child(doc, outer), inner);
}

struct text listing_name(struct arena *arena, const struct doc *object)
{
    struct text name = listing_text(object, "metadata", "name");
    struct text cluster = listing_text(object, "metadata", "cluster");

    return cluster.length == 0
               ? name
               : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(name));
}

struct text listing_ref(struct arena *arena, const struct doc *object)
{
    const struct schema_kind *kind = schema_kind_find(plan_child_text(object, "kind"));

    return arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                        TEXT_ARG(listing_name(arena, object)));
}

struct text listing_hold(struct arena *arena, const struct doc *hold)
{
    struct text ref = listing_ref(arena, hold);
    size_t colon = ref.length;

    if (text_find_byte(ref, ':') != SIZE_MAX) {
        return ref; /* of a group: hold/shop/web:bake */
    }
    while (colon > 0 && ref.data[colon - 1] != '/') {
        colon--;
    }
    assert(colon > 0);
    return arena_printf(arena, "%.*s:%.*s", (int)colon - 1, ref.data, (int)(ref.length - colon),
                        ref.data + colon);
}

static void items_add(struct command *command, struct listing *listing, const struct doc *items)
{
    size_t wanted = listing->count + items->item_count;

    if (wanted > listing->room) {
        size_t room = wanted + listing->room;

        listing->items =
            arena_grow(command->arena, listing->items, listing->room * sizeof(*listing->items),
                       room * sizeof(*listing->items));
        listing->room = room;
    }
    for (size_t i = 0; i < items->item_count; i++) {
        listing->items[listing->count++] = items->items[i];
    }
}

/* A manager lists by id; people look for names. */
static int name_compare(const void *a, const void *b, void *arg)
{
    int order = text_compare(listing_text(a, "metadata", "cluster"),
                             listing_text(b, "metadata", "cluster"));

    (void)arg;
    return order != 0 ? order
                      : text_compare(listing_text(a, "metadata", "name"),
                                     listing_text(b, "metadata", "name"));
}

bool listing_get(struct command *command, const struct session *session,
                 const struct schema_kind *kind, struct text query, struct listing *out)
{
    struct text next = TEXT("");

    *out = (struct listing){ 0 };
    do {
        struct doc page;
        struct buf path;

        buf_init(&path, command->arena);
        buf_printf(&path, "/v1/%s?limit=%d", kind->plural, LIMIT_LIST_PAGE);
        if (query.length > 0) {
            buf_printf(&path, "&%.*s", TEXT_ARG(query));
        }
        if (next.length > 0) {
            buf_add_string(&path, "&next=");
            client_path_add(&path, next);
        }
        if (!session_get(command, session, buf_text(&path), &page)) {
            return false;
        }
        if (doc_is_list(doc_child(&page, "items"))) {
            items_add(command, out, doc_child(&page, "items"));
        }
        out->revision = (uint64_t)plan_child_number(&page, "revision");
        next = plan_child_text(&page, "next");
    } while (next.length > 0);
    sort_stable(command->arena, out->items, out->count, sizeof(*out->items), name_compare, NULL);
    return true;
}
