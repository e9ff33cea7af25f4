#include "stack.h"

#include "codec/doc_child.h"

/* A listing with a filter or with pages silently leaves out the servers of a cell that is down. A
 * plain listing shows them, with the state UNKNOWN and little other data. So a plain listing is
 * made first. If it has a row in that state, the listing of the cluster may lack machines, and is
 * reported as incomplete. */

enum { STACK_LISTING_TRIES = 3, STACK_LISTING_PAGE = 500, STACK_LISTING_PAGES_MAX = 1000 };

/* A listing in progress. */
struct stack_listing {
    struct stack_call *work;
    struct text region;
    struct doc *rows;
    size_t count;
    bool is_incomplete;
    struct stack_answer answer;
};

/* Adds a server. If an id occurs twice, only the newest row is kept. */
static void stack_listing_add(struct stack_listing *listing, const struct doc *server)
{
    struct text id = doc_child_text(server, "id");

    if (!doc_is_map(doc_child(server, "metadata")) ||
        text_is(doc_child_text(server, "status"), "UNKNOWN")) {
        listing->is_incomplete = true;
        return;
    }
    for (size_t i = 0; i < listing->count; i++) {
        if (text_is_equal(doc_child_text(&listing->rows[i], "id"), id)) {
            listing->rows[i] = *server;
            return;
        }
    }
    listing->rows =
        arena_grow(listing->work->arena, listing->rows, listing->count * sizeof(*listing->rows),
                   (listing->count + 1) * sizeof(*listing->rows));
    listing->rows[listing->count++] = *server;
}

static int32_t stack_listing_get(struct stack_listing *listing, struct text path)
{
    struct stack_request request = {
        .method = "GET",
        .service = STACK_COMPUTE,
        .region = listing->region,
        .path = path,
        .kind = CLASSIFY_READ,
        .priority = HTTP_LISTING,
    };

    return stack_send(listing->work, &request, &listing->answer);
}

/* Checks whether every cell of the region answers. */
static int32_t stack_listing_cells(struct stack_listing *listing)
{
    const struct doc *list;
    int32_t result = stack_listing_get(listing, TEXT("/servers"));

    list = doc_child(&listing->answer.doc, "servers");
    listing->is_incomplete |= result == REEVE_OK && !doc_is_list(list);
    for (size_t i = 0; result == REEVE_OK && doc_is_list(list) && i < list->item_count; i++) {
        if (text_is(doc_child_text(&list->items[i], "status"), "UNKNOWN")) {
            listing->is_incomplete = true;
        }
    }
    return result;
}

/* Reads all pages once. The last page is empty. */
static int32_t stack_listing_read(struct stack_listing *listing, struct text cluster)
{
    struct stack_call *work = listing->work;
    struct text marker = TEXT("");

    listing->count = 0;
    listing->rows = NULL;
    for (unsigned page = 0; page < STACK_LISTING_PAGES_MAX; page++) {
        const struct doc *list;
        int32_t result = stack_listing_get(
            listing,
            arena_printf(work->arena, "/servers/detail?tags=reeve.c.%.*s&limit=%d%s%.*s",
                         TEXT_ARG(tag_codec_hash(work->arena, cluster)), STACK_LISTING_PAGE,
                         marker.length > 0 ? "&marker=" : "", TEXT_ARG(marker)));

        if (result != REEVE_OK) {
            return result;
        }
        list = doc_child(&listing->answer.doc, "servers");
        if (!doc_is_list(list)) {
            break;
        }
        if (list->item_count == 0) {
            return REEVE_OK;
        }
        for (size_t i = 0; i < list->item_count; i++) {
            stack_listing_add(listing, &list->items[i]);
        }
        marker = stack_url(work, doc_child_text(&list->items[list->item_count - 1], "id"));
    }
    listing->is_incomplete = true;
    return REEVE_OK;
}

bool stack_is_marker_gone(const struct stack_answer *answer)
{
    return answer->status == 400 && classify_contains(answer->last.message, "marker");
}

/* Reports the machines of the cluster in a region. If one of several regions does not answer, the
 * listing is incomplete and the machines of the other regions are reported. */
static int32_t stack_report_region(struct stack_call *work, struct text region, struct text cluster)
{
    struct stack_listing listing = { .work = work, .region = region };
    int32_t result = stack_listing_cells(&listing);
    bool is_read = false;

    for (unsigned i = 0; result == REEVE_OK && i < STACK_LISTING_TRIES && !is_read; i++) {
        is_read = stack_listing_read(&listing, cluster) == REEVE_OK;
        if (!is_read && !stack_is_marker_gone(&listing.answer)) {
            result = listing.answer.result;
        }
    }
    if (result == REEVE_TRANSIENT && work->region_count > 1) {
        work->stack->host->incomplete(work->call);
        return REEVE_OK;
    }
    if (result != REEVE_OK) {
        return stack_refuse(
            work, "",
            arena_printf(work->arena, "list the servers of region %.*s", TEXT_ARG(region)).data,
            &listing.answer);
    }
    if (!is_read || listing.is_incomplete) {
        work->stack->host->incomplete(work->call);
    }
    for (size_t i = 0; i < listing.count; i++) {
        struct stack_machine machine;

        stack_machine_read(work->arena, &listing.rows[i], &machine);
        if (text_is_equal(machine.cluster, cluster) && !is_stack_deleted(&listing.rows[i])) {
            stack_machine_row(work, region, &listing.rows[i], &machine, false);
        }
    }
    return REEVE_OK;
}

int32_t stack_describe(struct stack_call *work, const struct reeve_query_v1 *query)
{
    struct text cluster = plain_text(query->cluster);

    for (size_t i = 0; query->id_count == 0 && i < work->region_count; i++) {
        int32_t result = stack_report_region(work, work->regions[i], cluster);

        if (result != REEVE_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct text id = plain_text(query->ids[i]);
        struct stack_machine machine;
        struct stack_id place;
        struct doc server;
        int32_t result = stack_server_get(work, cluster, id, &server, &machine);

        if (result == REEVE_OK && stack_id_parse(id, &place)) {
            stack_machine_row(work, place.region, &server, &machine, query->id_count == 1);
        } else if (result != REEVE_GONE) {
            return result;
        }
    }
    return REEVE_OK;
}
