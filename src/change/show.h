#ifndef REEVE_CHANGE_SHOW_H
#define REEVE_CHANGE_SHOW_H

#include "base/buf.h"
#include "state/objects.h"

/* Objects as the API sends them, joined from the bytes in the cache without parsing. */

/* The entries of an object's stored spec, without the braces around them. */
struct text show_spec_entries(const struct cache_object *object);

/* A displayed group of a cluster: its path and its stored bytes. */
struct show_group {
    struct text path;
    struct text bytes;
    struct text base; /* stored below .../base; empty: none. Only show_whole reads it. */
};

/* The displayed parts of one object. */
struct show {
    struct text kind;
    struct text bytes;         /* stored below .../spec */
    struct text base;          /* as in struct show_group */
    struct text status;        /* stored below .../status; empty: none */
    uint64_t revision;         /* of the spec */
    struct show_group *groups; /* NULL: no groups; unsorted, sorted by the call */
    size_t group_count;
};

/* The number of bytes that show_bytes appends for an object without groups. */
size_t show_count_bytes(const struct show *show);

/* Append the object. */
void show_bytes(struct buf *buf, const struct show *show);

/* Append a single object so that it can be applied again: fields that it removes from its sources
 * are null, else they would return. False: the stored bytes cannot be parsed. */
MUST_CHECK bool show_whole(struct buf *buf, const struct show *show, struct err *err);

/* The same for an object of the cache; a cluster with its groups. */
MUST_CHECK bool show_object_whole(struct buf *buf, const struct cache *cache,
                                  const struct cache_object *object, struct err *err);

/* Append one object: its stored bytes, with the revision of its spec in the metadata, and its
 * status after the spec. A cluster has its groups in its spec, unless `is_brief`. */
void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief);

/* Records store times in milliseconds, while the API shows RFC 3339. Returns the JSON with the
 * numbers of these members, at any depth, as times; it lives in the arena, or is `json` itself if
 * there are none. */
struct text show_times(struct arena *arena, struct text json, const struct text *names,
                       size_t count);

#endif
