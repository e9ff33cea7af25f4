#include "engine/show.h"

#include "base/sort.h"
#include "model/nest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Stored is {"kind":"K","metadata":{...},"spec":{...}} (model/stored.h), canonical, so its seams are
 * found without reading it. */

#define SPEC_SEAM   "},\"spec\":{"
#define STATUS_SEAM ",\"status\":"

enum { REVISION_BYTES = 40 };

static struct text bytes_of(const struct cache_object *object, enum cache_part part)
{
    return object->parts[part].bytes == NULL ? TEXT("") : blob_text(object->parts[part].bytes);
}

/* Where the metadata's first entry stands: behind {"kind":"K","metadata":{ */
static size_t meta_start(struct text kind)
{
    return strlen("{\"kind\":\"\",\"metadata\":{") + kind.length;
}

/* Where the spec's first entry stands. No text of the metadata can look like the seam: the quotes in a
 * text are escaped. */
static size_t spec_start(struct text kind, struct text bytes)
{
    size_t at = meta_start(kind);
    const char *seam = memmem(bytes.data + at, bytes.length - at, SPEC_SEAM, strlen(SPEC_SEAM));

    assert(seam != NULL);
    return (size_t)(seam - bytes.data) + strlen(SPEC_SEAM);
}

static struct text entries_of(struct text kind, struct text bytes)
{
    size_t start = spec_start(kind, bytes);

    return text_slice(bytes, start, bytes.length - start - 2);
}

struct text show_spec_entries(const struct cache_object *object)
{
    return entries_of(cache_kind(object), bytes_of(object, CACHE_SPEC));
}

/* ---- groups ---- */

static int path_sort(const void *a, const void *b, void *arg)
{
    (void)arg;
    return nest_compare(((const struct show_group *)a)->path, ((const struct show_group *)b)->path);
}

static struct show_group *groups_find(struct arena *arena, const struct cache *cache,
                                      const struct cache_object *cluster, size_t *out_count)
{
    struct text prefix = objects_group_prefix(arena, cache_tenant(cluster), cache_id(cluster));
    const struct cache_object *group;
    struct show_group *items;
    size_t count = 0;

    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        count++;
    }
    items = arena_array(arena, struct show_group, count);
    count = 0;
    for (group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        if (group->parts[CACHE_SPEC].bytes != NULL) {
            items[count++] =
                (struct show_group){ objects_group_path(group), bytes_of(group, CACHE_SPEC) };
        }
    }
    *out_count = count;
    return items;
}

static struct text step_at(struct text path, size_t offset)
{
    struct text rest = text_slice(path, offset, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Names of groups have no byte that JSON would escape. */
static void groups_join(struct buf *buf, const struct show_group *items, size_t count,
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
            entries = entries_of(TEXT("NodeGroup"), items[below++].bytes);
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

/* The entry of the metadata that only the store knows. */
static struct text revision_entry(char out[REVISION_BYTES], uint64_t revision)
{
    int length = snprintf(out, REVISION_BYTES, "\"revision\":%llu,", (unsigned long long)revision);

    assert(length > 0 && length < REVISION_BYTES);
    return (struct text){ out, (size_t)length };
}

size_t show_count_bytes(const struct show *show)
{
    char revision[REVISION_BYTES];
    size_t status = show->status.length == 0 ? 0 : strlen(STATUS_SEAM) + show->status.length;

    assert(show->groups == NULL);
    return show->bytes.length + revision_entry(revision, show->revision).length + status;
}

void show_bytes(struct buf *buf, const struct show *show)
{
    size_t meta = meta_start(show->kind);
    struct text bytes = show->bytes;
    char revision[REVISION_BYTES];

    assert(bytes.length > meta && bytes.data[meta - 1] == '{');
    buf_add(buf, text_slice(bytes, 0, meta));
    buf_add(buf, revision_entry(revision, show->revision));
    if (show->groups == NULL) {
        buf_add(buf, text_slice(bytes, meta, bytes.length - meta - 1));
    } else {
        struct text entries = entries_of(show->kind, bytes);

        sort_stable(buf->arena, show->groups, show->group_count, sizeof(*show->groups), path_sort,
                    NULL);
        buf_add(buf, text_slice(bytes, meta, spec_start(show->kind, bytes) - meta));
        buf_add(buf, entries);
        buf_add_string(buf, entries.length > 0 ? ",\"groups\":" : "\"groups\":");
        groups_join(buf, show->groups, show->group_count, 0);
        buf_add_string(buf, "}");
    }
    if (show->status.length > 0) {
        buf_add_string(buf, STATUS_SEAM);
        buf_add(buf, show->status);
    }
    buf_add_string(buf, "}");
}

void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief)
{
    struct show show = {
        .kind = cache_kind(object),
        .bytes = bytes_of(object, CACHE_SPEC),
        .status = bytes_of(object, CACHE_STATUS),
        .revision = object->parts[CACHE_SPEC].revision,
    };

    if (!is_brief && text_is(cache_kind(object), "Cluster")) {
        show.groups = groups_find(buf->arena, cache, object, &show.group_count);
    }
    show_bytes(buf, &show);
}
