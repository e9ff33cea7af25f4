#include "change/show.h"

#include "base/sort.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/nest.h"
#include "state/flat.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Stored bytes are {"kind":"K","metadata":{...},"spec":{...}} (model/stored.h) in canonical form,
 * so their parts are found without parsing. */

#define SPEC_SEAM   "},\"spec\":{"
#define STATUS_SEAM ",\"status\":"

enum { REVISION_BYTES = 40 };

static struct text show_bytes_of(const struct cache_object *object, enum cache_part part)
{
    return object->parts[part].bytes == NULL ? TEXT("") : blob_text(object->parts[part].bytes);
}

/* Return the position of the first entry of the metadata, which follows {"kind":"K","metadata":{ */
static size_t meta_start(struct text kind)
{
    return strlen("{\"kind\":\"\",\"metadata\":{") + kind.length;
}

/* Return the position of the first entry of the spec. No text in the metadata can match the
 * separator, because quotes in texts are escaped. */
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
    return entries_of(cache_kind(object), show_bytes_of(object, CACHE_SPEC));
}

/* ---- groups ---- */

static int show_path_sort(const void *a, const void *b, void *arg)
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
                (struct show_group){ objects_group_path(group), show_bytes_of(group, CACHE_SPEC),
                                     show_bytes_of(group, CACHE_BASE) };
        }
    }
    *out_count = count;
    return items;
}

static struct text show_step_at(struct text path, size_t offset)
{
    struct text rest = text_slice(path, offset, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Join the groups. Their names have no characters that JSON escapes. */
static void groups_join(struct buf *buf, const struct show_group *items, size_t count,
                        size_t offset)
{
    bool is_first = true;

    buf_add_string(buf, "{");
    for (size_t start = 0, end; start < count; start = end) {
        struct text step = show_step_at(items[start].path, offset);
        size_t below = start;
        size_t below_offset = offset + step.length + 1;
        struct text entries = TEXT("");

        for (end = start;
             end < count && text_is_equal(show_step_at(items[end].path, offset), step);) {
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

/* Make the entry of the metadata for the revision, which only the store knows. */
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

        sort_stable(buf->arena, show->groups, show->group_count, sizeof(*show->groups),
                    show_path_sort, NULL);
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

static struct show show_show_of(struct arena *arena, const struct cache *cache,
                                const struct cache_object *object, bool is_brief)
{
    struct show show = {
        .kind = cache_kind(object),
        .bytes = show_bytes_of(object, CACHE_SPEC),
        .base = show_bytes_of(object, CACHE_BASE),
        .status = show_bytes_of(object, CACHE_STATUS),
        .revision = object->parts[CACHE_SPEC].revision,
    };

    if (!is_brief && text_is(cache_kind(object), "Cluster")) {
        show.groups = groups_find(arena, cache, object, &show.group_count);
    }
    return show;
}

void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief)
{
    struct show show = show_show_of(buf->arena, cache, object, is_brief);

    show_bytes(buf, &show);
}

/* ---- objects with removed fields ---- */

/* True if the text may contain a null. If the word is only part of a string, the text is parsed
 * unnecessarily. */
static bool base_has_null(struct text base)
{
    return base.length > 0 && memmem(base.data, base.length, "null", strlen("null")) != NULL;
}

static bool has_nulls(const struct show *show)
{
    bool has = base_has_null(show->base);

    for (size_t i = 0; !has && i < show->group_count; i++) {
        has = base_has_null(show->groups[i].base);
    }
    return has;
}

/* Read the user's own specification, and the layers below it. */
MUST_CHECK static bool sides_read(struct arena *arena, const struct show *show, struct doc *own,
                                  struct doc *layers, struct err *err)
{
    struct stored_object stored = {
        .kind = schema_kind_find(show->kind),
        .groups = arena_array(arena, struct stored_group, show->group_count),
        .group_count = show->group_count,
    };

    assert(stored.kind != NULL);
    if (!stored_part_parse(arena, show->bytes, show->base, NULL, &stored.part, err)) {
        return false;
    }
    for (size_t i = 0; i < show->group_count; i++) {
        const struct show_group *group = &show->groups[i];

        stored.groups[i].path = group->path;
        if (!stored_part_parse(arena, group->bytes, group->base, NULL, &stored.groups[i].part,
                               err)) {
            return false;
        }
    }
    *own = stored_join(arena, &stored, STORED_OWN);
    *layers = stored_join(arena, &stored, STORED_LAYERS);
    return true;
}

/* Repeats the labels in the metadata, which must be equal to those of the spec. */
static struct doc labels_repeat(struct arena *arena, const struct doc *shown,
                                const struct doc *spec)
{
    const struct doc *metadata = doc_child(shown, "metadata");
    const struct doc *labels = doc_child(spec, "labels");
    struct doc repeated;

    if (labels == NULL || doc_child(metadata, "labels") == NULL) {
        return *shown;
    }
    repeated = nest_put(arena, metadata, "labels", *labels);
    return nest_put(arena, shown, "metadata", repeated);
}

bool show_whole(struct buf *buf, const struct show *show, struct err *err)
{
    struct arena *arena = buf->arena;
    struct doc shown;
    struct doc layers;
    struct doc own;
    struct doc spec;
    struct buf bytes;

    if (!has_nulls(show)) {
        show_bytes(buf, show);
        return true;
    }
    buf_init(&bytes, arena);
    show_bytes(&bytes, show); /* this call sorts the groups */
    if (!sides_read(arena, show, &own, &layers, err) ||
        !json_parse(arena, buf_text(&bytes), NULL, &shown, err)) {
        return false;
    }
    spec = flat_nulls(arena, doc_child(&shown, "spec"), &own, &layers);
    shown = nest_put(arena, &shown, "spec", spec);
    shown = labels_repeat(arena, &shown, &spec);
    json_format(buf, &shown);
    return true;
}

bool show_object_whole(struct buf *buf, const struct cache *cache,
                       const struct cache_object *object, struct err *err)
{
    struct show show = show_show_of(buf->arena, cache, object, false);

    return show_whole(buf, &show, err);
}

/* ---- times ---- */

/* If the JSON has a member such as `"name":123` at this position, with one of these names, returns
 * the end of the number and sets its value. Otherwise returns 0. Quotes in texts are escaped, so a
 * text cannot be mistaken for a member. */
static size_t moment_end(struct text json, size_t at, const struct text *names, size_t count,
                         size_t *out_from, int64_t *out_ms)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = at + names[i].length + 3;
        size_t end = from;

        if (from >= json.length || json.data[from - 2] != '"' || json.data[from - 1] != ':' ||
            !text_is_equal(text_slice(json, at + 1, names[i].length), names[i])) {
            continue;
        }
        while (end < json.length && json.data[end] >= '0' && json.data[end] <= '9') {
            end++;
        }
        *out_from = from;
        return end > from && text_parse_int64(text_slice(json, from, end - from), out_ms) ? end : 0;
    }
    return 0;
}

struct text show_times(struct arena *arena, struct text json, const struct text *names,
                       size_t count)
{
    size_t written = 0;
    struct buf buf;

    for (size_t i = 0; i < json.length; i++) {
        size_t from;
        int64_t ms;
        size_t end = json.data[i] == '"' ? moment_end(json, i, names, count, &from, &ms) : 0;
        char time[TIME_TEXT_BYTES];

        if (end == 0) {
            continue;
        }
        if (written == 0) {
            buf_init(&buf, arena);
        }
        time_format(ms, time);
        buf_add(&buf, text_slice(json, written, from - written));
        buf_printf(&buf, "\"%s\"", time);
        written = end;
        i = end - 1;
    }
    if (written == 0) {
        return json;
    }
    buf_add(&buf, text_slice(json, written, SIZE_MAX));
    return buf_text(&buf);
}
