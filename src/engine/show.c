#include "engine/show.h"

#include "base/sort.h"
#include "model/nest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Stored is {"kind":"K","metadata":{...},"spec":{...}} (model/stored.h), canonical, so its seams are
 * found without reading it. */

#define SPEC_SEAM "},\"spec\":{"

static struct text bytes_of(const struct cache_object *object, enum cache_part part)
{
    return object->parts[part].bytes == NULL ? TEXT("") : blob_text(object->parts[part].bytes);
}

/* Where the metadata's first entry stands: behind {"kind":"K","metadata":{ */
static size_t meta_start(const struct cache_object *object)
{
    return strlen("{\"kind\":\"\",\"metadata\":{") + object->kind.length;
}

/* Where the spec's first entry stands. No text of the metadata can look like the seam: the quotes in a
 * text are escaped. */
static size_t spec_start(const struct cache_object *object)
{
    struct text bytes = bytes_of(object, CACHE_SPEC);
    size_t at = meta_start(object);
    const char *seam = memmem(bytes.data + at, bytes.length - at, SPEC_SEAM, strlen(SPEC_SEAM));

    assert(seam != NULL);
    return (size_t)(seam - bytes.data) + strlen(SPEC_SEAM);
}

struct text show_spec_entries(const struct cache_object *object)
{
    struct text bytes = bytes_of(object, CACHE_SPEC);
    size_t start = spec_start(object);

    return text_slice(bytes, start, bytes.length - start - 2);
}

/* ---- groups ---- */

struct group_item {
    struct text path; /* first: sorted by it */
    struct text entries;
};

static int path_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(*(const struct text *)a, *(const struct text *)b);
}

static struct group_item *groups_find(struct arena *arena, const struct cache *cache,
                                      const struct cache_object *cluster, size_t *out_count)
{
    struct text prefix = objects_group_prefix(arena, cluster->tenant, cluster->id);
    const struct cache_object *group;
    struct group_item *items;
    size_t count = 0;

    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        count++;
    }
    items = arena_array(arena, struct group_item, count);
    count = 0;
    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        if (group->parts[CACHE_SPEC].bytes != NULL) {
            items[count++] =
                (struct group_item){ objects_group_path(group), show_spec_entries(group) };
        }
    }
    sort_stable(arena, items, count, sizeof(*items), path_sort, NULL);
    *out_count = count;
    return items;
}

static struct text step_at(struct text path, size_t offset)
{
    struct text rest = text_slice(path, offset, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Names of groups have no byte that JSON would escape. */
static void groups_join(struct buf *buf, const struct group_item *items, size_t count,
                        size_t offset)
{
    bool is_first = true;

    buf_add_string(buf, "{");
    for (size_t start = 0, end; start < count; start = end) {
        struct text step = step_at(items[start].path, offset);
        size_t below = start;
        size_t below_offset = offset + step.length + 1;
        struct text entries = TEXT("");

        for (end = start; end < count && text_is_equal(step_at(items[end].path, offset), step);) {
            end++;
        }
        if (items[start].path.length < below_offset) {
            entries = items[below++].entries;
        }
        buf_printf(buf, "%s\"%.*s\":{", is_first ? "" : ",", TEXT_ARG(step));
        buf_add(buf, entries);
        if (below < end) {
            buf_add_string(buf, entries.length > 0 ? ",\"groups\":" : "\"groups\":");
            groups_join(buf, items + below, end - below, below_offset);
        }
        buf_add_string(buf, "}");
        is_first = false;
    }
    buf_add_string(buf, "}");
}

static void spec_add(struct buf *buf, const struct cache *cache, const struct cache_object *object)
{
    struct text entries = show_spec_entries(object);
    struct group_item *items;
    size_t count;

    items = groups_find(buf->arena, cache, object, &count);
    buf_add(buf, entries);
    if (entries.length > 0) {
        buf_add_string(buf, ",");
    }
    buf_add_string(buf, "\"groups\":");
    groups_join(buf, items, count, 0);
}

void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief)
{
    struct text bytes = bytes_of(object, CACHE_SPEC);
    struct text status = bytes_of(object, CACHE_STATUS);
    size_t meta = meta_start(object);
    char revision[40];
    int length;

    assert(bytes.length > meta && bytes.data[meta - 1] == '{');
    length = snprintf(revision, sizeof(revision), "\"revision\":%llu,",
                      (unsigned long long)object->parts[CACHE_SPEC].revision);
    buf_add(buf, text_slice(bytes, 0, meta));
    buf_add(buf, (struct text){ revision, (size_t)length });
    if (is_brief || !text_is(object->kind, "Cluster")) {
        buf_add(buf, text_slice(bytes, meta, bytes.length - meta - 1));
    } else {
        buf_add(buf, text_slice(bytes, meta, spec_start(object) - meta));
        spec_add(buf, cache, object);
        buf_add_string(buf, "}");
    }
    if (status.length > 0) {
        buf_add_string(buf, ",\"status\":");
        buf_add(buf, status);
    }
    buf_add_string(buf, "}");
}
