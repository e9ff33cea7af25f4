#include "ocean.h"

#include "base/buf.h"
#include "codec/doc_child.h"

enum { OCEAN_NEAREST = 3 };

/* True if the list of texts contains this text. */
static bool has_ocean_text(const struct doc *list, struct text wanted)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        if (doc_is_scalar(&list->items[i]) && text_is_equal(list->items[i].text, wanted)) {
            return true;
        }
    }
    return false;
}

/* True if the size is available in every region. */
static bool is_ocean_size_there(const struct doc *size, const struct text *regions, size_t count)
{
    if (!text_is(doc_child_text(size, "available"), "true")) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!has_ocean_text(doc_child(size, "regions"), regions[i])) {
            return false;
        }
    }
    return true;
}

/* Converts a price such as 0.00744 to millionths. A price that cannot be parsed counts as the
 * highest. */
static int64_t ocean_price(const struct doc *size)
{
    struct text text = doc_child_text(size, "price_hourly");
    size_t point = text_find_byte(text, '.');
    struct text part = point == SIZE_MAX ? TEXT("") : text_slice(text, point + 1, 6);
    int64_t units;
    int64_t rest = 0;

    if (!text_parse_int64(text_slice(text, 0, point), &units) || units < 0 || units > 1000000 ||
        (part.length > 0 && !text_parse_int64(part, &rest))) {
        return INT64_MAX;
    }
    for (size_t i = part.length; i < 6; i++) {
        rest *= 10;
    }
    return units * 1000000 + rest;
}

/* Returns a value below 0 if `a` suits better than `b`: it has less memory, fewer cpus if cpus were
 * requested, or a lower price. If all are equal, compares the names, so that the choice does not
 * depend on the order of the list. */
static int ocean_compare_sizes(const struct doc *a, const struct doc *b,
                               const struct ocean_shape *shape)
{
    int64_t pairs[][2] = {
        { shape->memory_mb > 0 ? doc_child_number(a, "memory") : 0,
          shape->memory_mb > 0 ? doc_child_number(b, "memory") : 0 },
        { shape->cpus > 0 ? doc_child_number(a, "vcpus") : 0,
          shape->cpus > 0 ? doc_child_number(b, "vcpus") : 0 },
        { ocean_price(a), ocean_price(b) },
    };

    for (size_t i = 0; i < ARRAY_COUNT(pairs); i++) {
        if (pairs[i][0] != pairs[i][1]) {
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
        }
    }
    return text_compare(doc_child_text(a, "slug"), doc_child_text(b, "slug"));
}

const struct doc *ocean_size_choose(const struct doc *sizes, const struct ocean_shape *shape,
                                    const struct text *regions, size_t region_count)
{
    const struct doc *best = NULL;

    for (size_t i = 0; doc_is_list(sizes) && i < sizes->item_count; i++) {
        const struct doc *size = &sizes->items[i];
        struct text slug = doc_child_text(size, "slug");

        if (!is_ocean_size_there(size, regions, region_count)) {
            continue;
        }
        if (shape->size.length > 0) {
            if (text_is_equal(slug, shape->size)) {
                return size;
            }
            continue;
        }
        if (text_has_prefix(slug, shape->family) &&
            doc_child_number(size, "memory") >= shape->memory_mb &&
            doc_child_number(size, "vcpus") >= shape->cpus &&
            (best == NULL || ocean_compare_sizes(size, best, shape) < 0)) {
            best = size;
        }
    }
    return best;
}

struct text ocean_size_nearest(struct arena *arena, const struct doc *sizes,
                               const struct ocean_shape *shape, const struct text *regions,
                               size_t region_count)
{
    struct ocean_shape largest = *shape;
    size_t dash = text_find_byte(shape->size, '-');
    size_t count = 0;
    struct buf out;

    buf_init(&out, arena);
    if (shape->size.length > 0) {
        largest.family = dash == SIZE_MAX ? TEXT("s-") : text_slice(shape->size, 0, dash + 1);
    }
    for (size_t i = 0; doc_is_list(sizes) && i < sizes->item_count && count < OCEAN_NEAREST; i++) {
        const struct doc *size = &sizes->items[i];

        if (is_ocean_size_there(size, regions, region_count) &&
            text_has_prefix(doc_child_text(size, "slug"), largest.family)) {
            buf_add_string(&out, count++ == 0 ? "" : ", ");
            buf_add(&out, doc_child_text(size, "slug"));
        }
    }
    /* a region that does not exist has no sizes, so the sizes of all regions are more helpful */
    return count == 0 && region_count > 0 ? ocean_size_nearest(arena, sizes, shape, NULL, 0)
                                          : buf_text(&out);
}
