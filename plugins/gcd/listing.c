#include "gce.h"

#include "codec/doc_child.h"

enum { GCE_LISTING_TRIES = 3, GCE_PAGES_MAX = 1000 };

#define GCE_FIELDS                                                                              \
    "items%2F*%2Finstances(name%2Czone%2Cstatus%2CstatusMessage%2Cdescription%2CmachineType%2C" \
    "networkInterfaces)%2Citems%2F*%2Fwarning%2Fcode%2CnextPageToken%2Cunreachables"

/* A listing in progress. */
struct gce_listing {
    struct gce_call *work;
    struct doc *rows;
    size_t count;
    bool is_incomplete;
    struct gce_answer answer;
};

/* Adds an instance. If an id occurs twice, only the newest row is kept. */
static void gce_listing_add(struct gce_listing *listing, const struct doc *instance)
{
    for (size_t i = 0; i < listing->count; i++) {
        if (text_is_equal(doc_child_text(&listing->rows[i], "name"),
                          doc_child_text(instance, "name")) &&
            text_is_equal(doc_child_text(&listing->rows[i], "zone"),
                          doc_child_text(instance, "zone"))) {
            listing->rows[i] = *instance;
            return;
        }
    }
    listing->rows =
        arena_grow(listing->work->arena, listing->rows, listing->count * sizeof(*listing->rows),
                   (listing->count + 1) * sizeof(*listing->rows));
    listing->rows[listing->count++] = *instance;
}

/* Reads one page: instances by zone. A zone with a warning could not be read. */
static void gce_listing_page(struct gce_listing *listing)
{
    const struct doc *items = doc_child(&listing->answer.doc, "items");

    if (doc_child_count(&listing->answer.doc, "unreachables") > 0) {
        listing->is_incomplete = true;
    }
    for (size_t i = 0; doc_is_map(items) && i < items->entry_count; i++) {
        const struct doc *scope = &items->entries[i].value;
        const struct doc *instances = doc_child(scope, "instances");
        struct text warning = doc_child_text(doc_child(scope, "warning"), "code");

        if (warning.length > 0 && !text_is(warning, "NO_RESULTS_ON_PAGE")) {
            listing->is_incomplete = true;
        }
        for (size_t k = 0; doc_is_list(instances) && k < instances->item_count; k++) {
            gce_listing_add(listing, &instances->items[k]);
        }
    }
}

/* Reads all pages once. */
static int32_t gce_listing_read(struct gce_listing *listing, struct text cluster)
{
    struct gce_call *work = listing->work;
    struct text page = TEXT("");

    listing->count = 0;
    listing->rows = NULL;
    listing->is_incomplete = false;
    for (unsigned i = 0; i < GCE_PAGES_MAX; i++) {
        struct gce_request request = {
            .method = "GET",
            .url = arena_printf(work->arena,
                                "/aggregated/instances?filter=labels.reeve-cluster%%3D%.*s"
                                "&maxResults=500&returnPartialSuccess=true&fields=%s%s%.*s",
                                TEXT_ARG(tag_codec_hash(work->arena, cluster)), GCE_FIELDS,
                                page.length > 0 ? "&pageToken=" : "", TEXT_ARG(page)),
            .kind = CLASSIFY_READ,
            .priority = HTTP_LISTING,
        };

        if (gce_send(work, &request, &listing->answer) != REEVE_OK) {
            return listing->answer.result;
        }
        gce_listing_page(listing);
        page = gce_url(work, doc_child_text(&listing->answer.doc, "nextPageToken"));
        if (page.length == 0) {
            return REEVE_OK;
        }
    }
    listing->is_incomplete = true;
    return REEVE_OK;
}

/* True if the page token has expired. All pages are then read again. */
static bool is_gce_page_expired(const struct gce_answer *answer)
{
    return answer->status == 400 && classify_contains(answer->last.message, "pageToken");
}

static int32_t gce_report_all(struct gce_call *work, const struct reeve_query_v1 *query)
{
    struct gce_listing listing = { .work = work };
    int32_t result = REEVE_UNKNOWN;

    for (unsigned i = 0; i < GCE_LISTING_TRIES && result != REEVE_OK; i++) {
        result = gce_listing_read(&listing, plain_text(query->cluster));
        if (result != REEVE_OK && !is_gce_page_expired(&listing.answer)) {
            return gce_refuse(work, "", "list the instances", &listing.answer);
        }
    }
    if (result != REEVE_OK || listing.is_incomplete) {
        work->gce->host->incomplete(work->call);
    }
    for (size_t i = 0; i < listing.count; i++) {
        struct gce_machine machine;

        gce_machine_read(work->arena, &listing.rows[i], &machine);
        if (text_is_equal(machine.cluster, plain_text(query->cluster))) {
            gce_machine_row(work, &listing.rows[i], &machine, false);
        }
    }
    return REEVE_OK;
}

int32_t gce_describe(struct gce_call *work, const struct reeve_query_v1 *query)
{
    if (query->id_count == 0) {
        return gce_report_all(work, query);
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct gce_machine machine;
        struct doc instance;
        int32_t result = gce_instance_get(work, plain_text(query->cluster),
                                          plain_text(query->ids[i]), &instance, &machine);

        if (result == REEVE_OK) {
            gce_machine_row(work, &instance, &machine, query->id_count == 1);
        } else if (result != REEVE_GONE) {
            return result;
        }
    }
    return REEVE_OK;
}
