#include "ocean.h"

#include "codec/doc_child.h"

#include <assert.h>

enum { OCEAN_REGIONS_MAX = 64 };

/* Finds one region in the provider's list. */
struct ocean_region_lookup {
    struct text wanted;
    bool is_found;
    bool is_open;
    struct buf names;
};

static bool ocean_on_region(void *arg, const struct doc *region)
{
    struct ocean_region_lookup *lookup = arg;
    struct text slug = doc_child_text(region, "slug");
    bool is_open = text_is(doc_child_text(region, "available"), "true");

    if (text_is_equal(slug, lookup->wanted)) {
        lookup->is_found = true;
        lookup->is_open = is_open;
    }
    if (is_open) {
        buf_add_string(&lookup->names, lookup->names.length == 0 ? "" : ", ");
        buf_add(&lookup->names, slug);
    }
    return true;
}

/* A check that could not be made is reported as a notice, because it is not a fault. */
static int32_t ocean_notice(struct ocean_call *work, const char *pointer, const char *what,
                            const struct ocean_answer *answer)
{
    struct text message = arena_printf(work->arena, "not checked: %s: %.*s", what,
                                       TEXT_ARG(text_slice(answer->last.message, 0, 300)));

    if (answer->result == REEVE_AUTH) {
        return ocean_refuse(work, pointer, what, answer);
    }
    work->ocean->host->notice(work->call, plain_answer(text_from(pointer)), plain_answer(message));
    return REEVE_OK;
}

static int32_t ocean_check_regions(struct ocean_call *work, const struct text *regions,
                                   size_t count)
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < count; i++) {
        struct ocean_region_lookup lookup = { .wanted = regions[i] };
        struct ocean_answer answer;

        buf_init(&lookup.names, work->arena);
        if (ocean_pages(work, "/regions", "regions", OCEAN_RATE_ALL, ocean_on_region, &lookup,
                        &answer) != REEVE_OK) {
            return ocean_notice(work, "/region", "list the regions", &answer);
        }
        if (!lookup.is_found || !lookup.is_open) {
            result = ocean_fault(work, REEVE_INVALID, "/region",
                                 lookup.is_found
                                     ? "the region '%.*s' accepts no new droplets; open are %.*s"
                                     : "DigitalOcean has no region '%.*s'; it has %.*s",
                                 TEXT_ARG(regions[i]), TEXT_ARG(buf_text(&lookup.names)));
        }
    }
    return result;
}

/* Checks whether the account may create droplets, and how many more droplets it may create. */
static int32_t ocean_check_account(struct ocean_call *work, uint64_t wanted)
{
    struct ocean_answer answer;
    const struct doc *account;
    int64_t limit;
    int64_t total;

    if (ocean_get(work, TEXT("/account"), &answer) != REEVE_OK) {
        return ocean_notice(work, "", "read the account", &answer);
    }
    account = doc_child(&answer.doc, "account");
    if (text_is(doc_child_text(account, "status"), "locked")) {
        return ocean_fault(work, REEVE_AUTH, "", "the account is locked by DigitalOcean: %.*s",
                           TEXT_ARG(doc_child_text(account, "status_message")));
    }
    limit = doc_child_number(account, "droplet_limit");
    if (ocean_get(work, TEXT("/droplets?page=1&per_page=1"), &answer) != REEVE_OK) {
        return ocean_notice(work, "", "count the droplets", &answer);
    }
    total = doc_child_number(doc_child(&answer.doc, "meta"), "total");
    total = total > limit ? limit : total;
    work->ocean->host->fact(work->call, REEVE_TEXT("quotaLeft"),
                            plain_answer(arena_number(work->arena, limit - total)));
    if (wanted > (uint64_t)(limit - total)) {
        return ocean_fault(work, REEVE_QUOTA, "",
                           "the account may have %lld droplets and has %lld: %llu more do not fit. "
                           "Request a higher limit at DigitalOcean",
                           (long long)limit, (long long)total, (unsigned long long)wanted);
    }
    return REEVE_OK;
}

/* Reports the values for the plan, and the pinned values that all machines of this generation
 * get. */
static void ocean_preflight_report(struct ocean_call *work, const struct ocean_found *found)
{
    const struct reeve_host_v1 *host = work->ocean->host;

    if (found->image.length > 0) {
        host->pin(work->call, REEVE_TEXT("/image"), plain_answer(found->image));
    }
    if (found->size.length == 0) {
        return;
    }
    host->pin(work->call, REEVE_TEXT("/size"), plain_answer(found->size));
    host->fact(work->call, REEVE_TEXT("arch"), REEVE_TEXT("amd64"));
    if (found->price.length > 0) {
        host->fact(work->call, REEVE_TEXT("pricePerHour"),
                   plain_answer(arena_printf(work->arena, "%.*s USD", TEXT_ARG(found->price))));
    }
}

/* Collects the regions in which machines are created. Returns their number. */
static size_t ocean_regions(struct ocean_call *work, const struct reeve_need_v1 *need,
                            const struct ocean_shape *shape, struct text *out)
{
    size_t count = 0;

    for (uint32_t i = 0; i < need->zone_count && count < OCEAN_REGIONS_MAX; i++) {
        out[count++] = plain_text(need->zones[i]);
    }
    if (count == 0 && shape->region.length > 0) {
        out[count++] = shape->region;
    } else if (count == 0 && work->ocean->settings.region.length > 0) {
        out[count++] = work->ocean->settings.region;
    }
    return count;
}

int32_t ocean_preflight(struct ocean_call *work, const struct reeve_need_v1 *need)
{
    struct text regions[OCEAN_REGIONS_MAX];
    struct ocean_shape shape;
    struct ocean_found found;
    int32_t results[4];
    size_t region_count;

    results[0] = ocean_shape_read(work, &shape);
    region_count = ocean_regions(work, need, &shape, regions);
    if (region_count == 0) {
        results[0] = ocean_fault(work, REEVE_INVALID, "/region",
                                 "no region: state region, or zones of the group");
    }
    results[1] = ocean_check_account(work, need->count);
    if (results[1] == REEVE_AUTH) {
        return REEVE_AUTH; /* no other check is possible */
    }
    results[2] = ocean_check_regions(work, regions, region_count);
    results[3] = ocean_resolve(work, &shape, regions, region_count, true, &found);
    ocean_preflight_report(work, &found);
    for (size_t i = 0; i < ARRAY_COUNT(results); i++) {
        if (results[i] != REEVE_OK) {
            return results[i];
        }
    }
    return REEVE_OK;
}
