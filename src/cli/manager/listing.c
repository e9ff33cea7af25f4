#include "cli/manager/listing.h"

#include "base/sort.h"
#include "codec/doc_child.h"

#include <assert.h>

struct text listing_text(const struct doc *doc, const char *outer, const char *inner)
{
    return doc_child_text(doc_child(doc, outer), inner);
}

struct text listing_name(struct arena *arena, const struct doc *object)
{
    struct text name = listing_text(object, "metadata", "name");
    struct text cluster = listing_text(object, "metadata", "cluster");

    if (name.length == 0) { /* tokens and grants have only an id */
        return listing_text(object, "metadata", "id");
    }
    return cluster.length == 0
               ? name
               : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(name));
}

struct text listing_ref(struct arena *arena, const struct doc *object)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(object, "kind"));

    if (text_is(doc_child_text(object, "kind"), "Job")) {
        return arena_printf(arena, "job/%.*s", TEXT_ARG(listing_text(object, "metadata", "name")));
    }
    return arena_printf(arena, "%s/%.*s", kind == NULL ? "object" : kind->singular,
                        TEXT_ARG(listing_name(arena, object)));
}

struct text listing_hold(struct arena *arena, const struct doc *hold)
{
    struct text ref = listing_ref(arena, hold);
    size_t colon = ref.length;

    if (text_find_byte(ref, ':') != SIZE_MAX) {
        return ref; /* the reference is to a hold of a group: hold/shop/web:bake */
    }
    while (colon > 0 && ref.data[colon - 1] != '/') {
        colon--;
    }
    assert(colon > 0);
    return arena_printf(arena, "%.*s:%.*s", (int)colon - 1, ref.data, (int)(ref.length - colon),
                        ref.data + colon);
}

void listing_add(struct command *command, struct listing *listing, const struct doc *items)
{
    size_t wanted = listing->count + (doc_is_list(items) ? items->item_count : 0);

    if (wanted > listing->room) {
        size_t room = wanted + listing->room;

        listing->items =
            arena_grow(command->arena, listing->items, listing->room * sizeof(*listing->items),
                       room * sizeof(*listing->items));
        listing->room = room;
    }
    for (size_t i = 0; listing->count < wanted; i++) {
        listing->items[listing->count++] = items->items[i];
    }
}

/* Compares by name. A manager returns lists in the order of ids, but users look for names. */
static int listing_name_compare(const void *a, const void *b, void *arg)
{
    int order = text_compare(listing_text(a, "metadata", "cluster"),
                             listing_text(b, "metadata", "cluster"));

    (void)arg;
    return order != 0 ? order
                      : text_compare(listing_text(a, "metadata", "name"),
                                     listing_text(b, "metadata", "name"));
}

/* Get all pages of a list. The path already has its first query parameters. */
static bool pages_get(struct command *command, const struct session *session, struct text base,
                      struct listing *out)
{
    struct text next = TEXT("");

    do {
        struct doc page;
        struct buf path;

        buf_init(&path, command->arena);
        buf_add(&path, base);
        if (next.length > 0) {
            buf_add_string(&path, "&next=");
            client_path_add(&path, next);
        }
        if (!session_get(command, session, buf_text(&path), &page)) {
            return false;
        }
        listing_add(command, out, doc_child(&page, "items"));
        out->revision = (uint64_t)doc_child_number(&page, "revision");
        next = doc_child_text(&page, "next");
    } while (next.length > 0);
    return true;
}

static struct text list_path(struct command *command, const struct schema_kind *kind,
                             struct text query)
{
    return arena_printf(command->arena, "/v1/%s?limit=%d%s%.*s", kind->plural, LIMIT_LIST_PAGE,
                        query.length > 0 ? "&" : "", TEXT_ARG(query));
}

/* ---- users who may see parts of a tenant ---- */

static bool is_listing_of_cluster(const struct schema_kind *kind)
{
    static const char *const kinds[] = { "NodeGroup", "Resource", "Hold", "Job", "Volume" };

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (text_is(text_from(kind->name), kinds[i])) {
            return true;
        }
    }
    return false;
}

/* Get the objects of a kind that one grant gives access to: the cluster of the grant, objects in
 * that cluster, or the group of a grant on a group. */
static bool part_get(struct command *command, const struct session *session,
                     const struct schema_kind *kind, const struct doc *grant, struct listing *out)
{
    struct text cluster = doc_child_text(grant, "cluster");
    struct text group = doc_child_text(grant, "nodegroup");
    bool is_group = kind->owner == OWNER_NODEGROUP;
    struct text name = group.length == 0 ? cluster
                                         : arena_printf(command->arena, "%.*s/%.*s",
                                                        TEXT_ARG(cluster), TEXT_ARG(group));
    struct doc list;
    struct doc one;
    struct buf path;

    if (group.length == 0 && is_listing_of_cluster(kind)) {
        buf_init(&path, command->arena);
        buf_add(&path, list_path(command, kind, TEXT("")));
        buf_add_string(&path, "&cluster=");
        client_path_add(&path, cluster);
        return pages_get(command, session, buf_text(&path), out);
    }
    if ((group.length > 0) != is_group) {
        return true;
    }
    if (!session_get(command, session, session_path(command, kind, name), &one)) {
        return false;
    }
    list = doc_list(&one, 1, NULL);
    listing_add(command, out, &list);
    return true;
}

/* True if another grant gives access to everything that this grant covers. Of two equal grants, the
 * second counts as covered. */
static bool is_listing_covered(const struct doc *grants, size_t at)
{
    const struct doc *grant = &grants->items[at];

    for (size_t i = 0; i < grants->item_count; i++) {
        const struct doc *other = &grants->items[i];
        struct text group = doc_child_text(other, "nodegroup");
        bool is_same = text_is_equal(group, doc_child_text(grant, "nodegroup"));

        if (text_is_equal(doc_child_text(other, "cluster"), doc_child_text(grant, "cluster")) &&
            (is_same ? i < at : group.length == 0)) {
            return true;
        }
    }
    return false;
}

/* True if the request was refused because the user has no right to the whole tenant, but may have a
 * right to parts of it. */
static bool is_for_parts(const struct command *command, const struct schema_kind *kind,
                         struct text query, const struct err_list *before)
{
    const struct err_list *now = &command->errors;

    return now->errors == before->errors + 1 && now->items[now->count - 1].code == CODE_R0409 &&
           (kind->owner == OWNER_CLUSTER || is_listing_of_cluster(kind)) && query.length == 0;
}

/* If the user only has rights to some clusters, get the objects of these clusters. *out_is_any is
 * true if there is at least one such cluster. */
static bool parts_get(struct command *command, const struct session *session,
                      const struct schema_kind *kind, struct listing *out, bool *out_is_any)
{
    const struct doc *grants;
    struct doc who;

    if (!session_get(command, session, TEXT("/v1/whoami"), &who)) {
        return false;
    }
    grants = doc_child(&who, "grants");
    *out_is_any = doc_is_list(grants) && grants->item_count > 0;
    for (size_t i = 0; *out_is_any && i < grants->item_count; i++) {
        if (!is_listing_covered(grants, i) &&
            !part_get(command, session, kind, &grants->items[i], out)) {
            return false;
        }
    }
    return true;
}

bool listing_only_cluster(struct command *command, const struct session *session, struct text *out)
{
    const struct doc *grants;
    struct doc who;

    *out = TEXT("");
    if (!session_get(command, session, TEXT("/v1/whoami"), &who)) {
        return false;
    }
    grants = doc_child(&who, "grants");
    for (size_t i = 0; doc_is_list(grants) && i < grants->item_count; i++) {
        if (is_listing_covered(grants, i)) {
            continue;
        }
        if (out->length > 0 || doc_child_text(&grants->items[i], "nodegroup").length > 0) {
            *out = TEXT("");
            return true;
        }
        *out = arena_text(command->arena, doc_child_text(&grants->items[i], "cluster"));
    }
    return true;
}

bool listing_get(struct command *command, const struct session *session,
                 const struct schema_kind *kind, struct text query, struct listing *out)
{
    struct err_list before = command->errors;
    bool is_any = false;

    *out = (struct listing){ 0 };
    if (!pages_get(command, session, list_path(command, kind, query), out)) {
        struct err_list refused = command->errors;

        if (!is_for_parts(command, kind, query, &before)) {
            return false;
        }
        command->errors = before;
        if (!parts_get(command, session, kind, out, &is_any)) {
            return false;
        }
        if (!is_any) {
            command->errors = refused;
            return false;
        }
    }
    sort_stable(command->arena, out->items, out->count, sizeof(*out->items), listing_name_compare,
                NULL);
    return true;
}
