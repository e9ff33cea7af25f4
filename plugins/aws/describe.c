/* Listings: all pages of all regions in the settings, or of the regions of the requested ids. If a
 * region fails, the listing is incomplete. The call fails only if every region fails. */
#include "instance.h"
#include "share.h"

#include "base/set.h"

enum {
    PAGE_ROWS = 1000,
    PAGES_MAX = 1000,
    RESTARTS_MAX = 3,
    FILTER_IDS_MAX = 200,
    ROW_BYTES_MAX = 16 * 1024 * 1024
};

struct describe_listing {
    struct aws_work *work;
    struct text cluster;
    struct text region;
    /* ids of reported instances, because an instance may be on two pages or may be read twice */
    struct set *seen;
    struct arena *row_arena; /* memory of one row */
    uint64_t ends_ms;        /* deadline of the region, by http_now_ms() */
    /* The shared listing that collects the rows of all clusters. NULL: only the rows of this
     * cluster are read, and passed to the host. */
    struct share_listing *shared;
};

/* Passes a machine to the host, or adds it to the shared listing. */
static void describe_hand(struct describe_listing *listing, const struct instance *instance)
{
    struct arena_mark mark = arena_mark(listing->work->arena);
    struct reeve_row_v1 row;

    if (listing->shared == NULL) {
        instance_report(listing->work, listing->region, instance);
        return;
    }
    instance_row(listing->work, listing->region, instance, &row);
    share_row_add(listing->shared, instance->cluster, &row);
    arena_rewind(listing->work->arena, mark);
}

/* The elements of a row that instance_read() and instance_row() use. They are a fifth of the row's
 * bytes. */
static const char *const describe_kept[] = {
    "blockDeviceMapping",
    "imageId",
    "instanceId",
    "instanceLifecycle",
    "instanceState",
    "instanceType",
    "ipAddress",
    "placement",
    "privateIpAddress",
    "reason",
    "rootDeviceName",
    "stateReason",
    "tagSet",
    NULL,
};

static bool describe_on_row(void *arg, const struct xml_node *row)
{
    struct describe_listing *listing = arg;
    struct arena_mark mark = arena_mark(listing->row_arena);
    struct instance *instance = arena_one(listing->row_arena, struct instance);
    struct text id;

    instance_read(listing->row_arena, row, instance);
    if ((listing->shared != NULL || text_is_equal(instance->cluster, listing->cluster)) &&
        instance->id.length > 0) {
        id = arena_printf(listing->row_arena, "%.*s/%.*s", TEXT_ARG(listing->region),
                          TEXT_ARG(instance->id));
        if (!set_has(listing->seen, id)) {
            (void)set_add(listing->seen, arena_text(listing->work->arena, id));
            describe_hand(listing, instance);
        }
    }
    arena_rewind(listing->row_arena, mark);
    return true;
}

/* Reads one page. *inout_token is the token of this page, and afterwards the token of the next
 * page. */
static int32_t describe_page(struct describe_listing *listing, const struct text *ids, size_t count,
                             struct text *inout_token, struct ec2_ask *ask,
                             struct ec2_answer *answer)
{
    struct aws_work *work = listing->work;
    struct ec2_query query;

    ec2_query_init(&query, work->arena, "DescribeInstances");
    if (listing->shared != NULL) {
        ec2_query_filter(&query, 1, "tag-key", TEXT("reeve.cluster_id"));
    } else {
        ec2_query_filter(&query, 1, "tag:reeve.cluster_id", listing->cluster);
    }
    if (count > 0) {
        ec2_query_add(&query, "Filter.2.Name", TEXT("instance-id"));
    }
    for (size_t i = 0; i < count; i++) {
        ec2_query_addf(&query, ids[i], "Filter.2.Value.%zu", i + 1);
    }
    ec2_query_add(&query, "MaxResults", arena_number(work->arena, PAGE_ROWS));
    if (inout_token->length > 0) {
        ec2_query_add(&query, "NextToken", *inout_token);
    }
    *ask = (struct ec2_ask){ .what = "DescribeInstances",
                             .region = listing->region,
                             .body = buf_text(&query.body),
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_LISTING,
                             .ends_ms = listing->ends_ms,
                             .rows = "reservationSet/item/instancesSet/item",
                             .on_row = describe_on_row,
                             .kept = describe_kept,
                             .arg = listing };
    if (ec2_call(work, ask, answer) == REEVE_OK) {
        *inout_token = xml_text(answer->root, "nextToken");
    }
    return answer->result;
}

/* Reads all pages of a region. If the token of a page has expired, reads again from the first
 * page. */
static int32_t describe_region(struct describe_listing *listing, const struct text *ids,
                               size_t count)
{
    struct ec2_ask ask;
    struct ec2_answer answer;
    struct text token = { 0 };
    size_t restarts = 0;

    for (size_t page = 0; page < PAGES_MAX; page++) {
        int32_t result = describe_page(listing, ids, count, &token, &ask, &answer);

        if (result == REEVE_OK && token.length == 0) {
            return REEVE_OK;
        }
        if (result != REEVE_OK && token.length > 0 && restarts < RESTARTS_MAX &&
            ec2_is_refused_as(&answer, "InvalidNextToken")) {
            token = TEXT("");
            restarts++;
        } else if (result == REEVE_INVALID && ec2_is_refused_as(&answer, "InvalidNextToken")) {
            return REEVE_TRANSIENT;
        } else if (result != REEVE_OK) {
            return ec2_refuse(listing->work, "", &ask, &answer);
        }
    }
    return aws_refuse(listing->work, REEVE_TRANSIENT, "",
                      "DescribeInstances: the listing of %.*s has no end",
                      TEXT_ARG(listing->region));
}

/* Collects the requested ids of a region, without the prefix of the region. Returns their
 * number. */
static size_t describe_ids(struct aws_work *work, const struct reeve_query_v1 *query,
                           struct text region, struct text **out)
{
    size_t count = 0;

    *out = arena_array(work->arena, struct text, query->id_count + 1);
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct text of;
        struct text instance;

        if (aws_id_split(aws_text(query->ids[i]), &of, &instance) && text_is_equal(of, region)) {
            (*out)[count++] = instance;
        }
    }
    return count;
}

/* Collects the regions to read: the regions of the settings, and the regions of the requested ids.
 * Returns their number. */
static size_t describe_regions(struct aws_work *work, const struct reeve_query_v1 *query,
                               struct text **out)
{
    const struct aws_settings *settings = &work->aws->settings;
    struct set seen;
    size_t count = 0;

    set_init(&seen, work->arena);
    *out = arena_array(work->arena, struct text, settings->region_count + query->id_count + 1);
    for (size_t i = 0; query->id_count == 0 && i < settings->region_count; i++) {
        (*out)[count++] = settings->regions[i];
    }
    for (uint32_t i = 0; i < query->id_count; i++) {
        struct text region;
        struct text instance;

        if (aws_id_split(aws_text(query->ids[i]), &region, &instance) && set_add(&seen, region)) {
            (*out)[count++] = region;
        }
    }
    return count;
}

/* Reads all rows of a region, or the rows of the requested ids, in requests of at most
 * FILTER_IDS_MAX ids. */
static int32_t describe_rows(struct describe_listing *listing, const struct reeve_query_v1 *query)
{
    struct text *ids;
    size_t count;
    int32_t result = REEVE_OK;

    if (query->id_count == 0) {
        return describe_region(listing, NULL, 0);
    }
    count = describe_ids(listing->work, query, listing->region, &ids);
    for (size_t i = 0; i < count && result == REEVE_OK; i += FILTER_IDS_MAX) {
        result = describe_region(listing, ids + i,
                                 count - i < FILTER_IDS_MAX ? count - i : FILTER_IDS_MAX);
    }
    return result;
}

/* Reads all regions, for the host or for a shared listing. */
static int32_t describe_all(struct aws_work *work, const struct reeve_query_v1 *query,
                            struct share_listing *shared)
{
    AUTO(arena) row_arena = arena_new_small(ROW_BYTES_MAX);
    struct set seen;
    struct describe_listing listing = { .work = work,
                                        .cluster = aws_text(query->cluster),
                                        .seen = &seen,
                                        .row_arena = row_arena,
                                        .shared = shared };
    struct text *regions;
    size_t count = describe_regions(work, query, &regions);
    size_t failed = 0;
    int32_t first = REEVE_OK;

    set_init(&seen, work->arena);
    for (size_t i = 0; i < count; i++) {
        uint64_t left_ms = work->aws->host->left_ms(work->call);
        int32_t result;

        /* each region gets an equal part of the remaining time, so that a region that does not
         * answer leaves time for the others */
        listing.region = regions[i];
        listing.ends_ms = http_now_ms() + left_ms / (count - i);
        result = describe_rows(&listing, query);
        if (result != REEVE_OK) {
            failed++;
            first = first == REEVE_OK ? result : first;
            aws_log(work->aws, REEVE_LOG_WARNING, "event=aws.region_failed region=%.*s result=%d",
                    TEXT_ARG(regions[i]), result);
        }
    }
    if (failed > 0 && failed == count) {
        return first;
    }
    if (failed > 0 && shared != NULL) {
        shared->is_incomplete = true;
    } else if (failed > 0) {
        work->aws->host->incomplete(work->call);
    }
    return REEVE_OK;
}

static int32_t describe_shared(struct aws_work *work, struct share_listing *out)
{
    struct reeve_query_v1 all = { .struct_size = sizeof(all) };

    return describe_all(work, &all, out);
}

static int32_t describe_one(struct aws_work *work, struct text cluster, struct text id)
{
    struct instance *instance = arena_one(work->arena, struct instance);
    struct text region;
    int32_t result = REEVE_OK;

    switch (instance_find(work, cluster, id, &region, instance, &result)) {
    case INSTANCE_FOUND:
        console_key_find(work, region, id, instance);
        instance_report(work, region, instance);
        return REEVE_OK;
    case INSTANCE_GONE:
        return REEVE_OK;
    case INSTANCE_YOUNG:
        return aws_refuse(work, REEVE_TRANSIENT, "", "EC2 does not show the new machine %.*s yet",
                          TEXT_ARG(id));
    case INSTANCE_FAILED:
        return result;
    }
    return REEVE_UNKNOWN;
}

int32_t aws_describe(struct aws_work *work, const struct reeve_query_v1 *query)
{
    if (query->id_count == 1) {
        return describe_one(work, aws_text(query->cluster), aws_text(query->ids[0]));
    }
    if (query->id_count == 0 && work->aws->settings.region_count == 0) {
        return aws_refuse(work, REEVE_INVALID, "",
                          "the account's settings have no `regions`: list the regions in which "
                          "reeve looks for machines, like regions: [eu-west-1]");
    }
    if (query->id_count == 0 && share_is_used(work, aws_text(query->cluster))) {
        return share_describe(work, aws_text(query->cluster), describe_shared);
    }
    return describe_all(work, query, NULL);
}
