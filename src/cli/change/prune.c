#include "cli/change/prune.h"

#include "cli/manager/listing.h"

#include <assert.h>

static bool is_prune_wanted(const struct wanted *wanted, const struct schema_kind *kind,
                            struct text name)
{
    for (size_t i = 0; i < wanted->sent.count; i++) {
        if (wanted->objects[i].kind == kind && text_is_equal(wanted->objects[i].name, name)) {
            return true;
        }
    }
    return false;
}

static struct text prune_query_make(struct command *command, const char *selector)
{
    struct buf query;

    buf_init(&query, command->arena);
    buf_add_string(&query, "fields=metadata&selector=");
    client_path_add(&query, text_from(selector));
    return buf_text(&query);
}

/* Add the objects of one kind. */
static bool kind_add(struct command *command, const struct session *session, struct text query,
                     const struct schema_kind *kind, const struct wanted *wanted,
                     struct change_call **calls, size_t *count)
{
    struct listing listing;
    struct change_call *all;

    if (!listing_get(command, session, kind, query, &listing)) {
        return false;
    }
    all = arena_array(command->arena, struct change_call, *count + listing.count);
    for (size_t i = 0; i < *count; i++) {
        all[i] = (*calls)[i];
    }
    for (size_t i = 0; i < listing.count; i++) {
        struct text name = listing_text(&listing.items[i], "metadata", "name");

        if (!is_prune_wanted(wanted, kind, name)) {
            all[(*count)++] =
                (struct change_call){ .method = "DELETE",
                                      .path = session_path(command, kind, name),
                                      .if_match =
                                          listing_text(&listing.items[i], "metadata", "revision") };
        }
    }
    *calls = all;
    return true;
}

bool prune_add(struct command *command, const struct session *session, const char *selector,
               const struct wanted *wanted, struct change_call **calls, size_t *count)
{
    static const char *const kinds[] = { "Cluster", "ClusterTemplate", "NodeGroupTemplate" };
    struct text query = prune_query_make(command, selector);

    assert(*count > 0);
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (!kind_add(command, session, query, schema_kind_find(text_from(kinds[i])), wanted, calls,
                      count)) {
            return false;
        }
    }
    return true;
}
