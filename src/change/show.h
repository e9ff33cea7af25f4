#ifndef REEVE_CHANGE_SHOW_H
#define REEVE_CHANGE_SHOW_H

#include "base/buf.h"
#include "state/objects.h"

/* Makes objects in the form that the API sends. They are joined from the bytes in the cache without
 * parsing. */

/* Return the entries of an object's stored spec, without the braces around them. */
struct text show_spec_entries(const struct cache_object *object);

/* A displayed group of a cluster: its path and its stored bytes. */
struct show_group {
    struct text path;
    struct text bytes;
    struct text base; /* bytes stored below .../base; empty: none. Only show_whole reads it. */
};

/* The parts of one object to be displayed. */
struct show {
    struct text kind;
    struct text bytes;  /* bytes stored below .../spec */
    struct text base;   /* bytes stored below .../base, as in struct show_group */
    struct text status; /* bytes stored below .../status; empty: none */
    uint64_t revision;  /* revision of the spec */
    /* NULL: no groups. The groups may be unsorted; the call sorts them. */
    struct show_group *groups;
    size_t group_count;
};

/* Return the number of bytes that show_bytes appends for an object without groups. */
size_t show_count_bytes(const struct show *show);

/* Append the object. */
void show_bytes(struct buf *buf, const struct show *show);

/* Appends a single object in a form that can be applied again. A field that the object removes from
 * its sources is null, because it would otherwise return when the form is applied. Returns false if
 * the stored bytes cannot be parsed. */
MUST_CHECK bool show_whole(struct buf *buf, const struct show *show, struct err *err);

/* Like show_whole, for an object of the cache; a cluster is appended with its groups. */
MUST_CHECK bool show_object_whole(struct buf *buf, const struct cache *cache,
                                  const struct cache_object *object, struct err *err);

/* Append one object: its stored bytes, with the revision of its spec in the metadata and its status
 * after the spec. The spec of a cluster includes its groups, unless `is_brief`. */
void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief);

/* Converts the numbers of members with these names, at any depth, to times in RFC 3339, because
 * records store milliseconds. The returned JSON lives in the arena. It is `json` itself if there
 * are no such members. */
struct text show_times(struct arena *arena, struct text json, const struct text *names,
                       size_t count);

#endif
