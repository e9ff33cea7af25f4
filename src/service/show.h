#ifndef REEVE_SERVICE_SHOW_H
#define REEVE_SERVICE_SHOW_H

#include "base/buf.h"
#include "state/objects.h"

/* Objects as the API sends them, joined from the bytes that the cache holds: nothing is parsed. */

/* The entries of an object's spec as they are stored, without the braces around them. */
struct text show_spec_entries(const struct cache_object *object);

/* A group of a cluster that is shown, by its path and its stored bytes. */
struct show_group {
    struct text path;
    struct text bytes;
    struct text base; /* stored below .../base; empty = none. show_whole alone wants it */
};

/* What is shown of one object. */
struct show {
    struct text kind;
    struct text bytes;         /* stored below .../spec */
    struct text base;          /* as in struct show_group */
    struct text status;        /* stored below .../status; empty = none */
    uint64_t revision;         /* of the spec */
    struct show_group *groups; /* NULL: none are shown; in any order, is sorted */
    size_t group_count;
};

/* Bytes that show_bytes appends of an object without groups. */
size_t show_count_bytes(const struct show *show);

/* Append it. */
void show_bytes(struct buf *buf, const struct show *show);

/* Append it as people get a single object, who may apply it again: what it takes away from what it is made
 * from is null, or it would come back. False: what is stored cannot be understood. */
MUST_CHECK bool show_whole(struct buf *buf, const struct show *show, struct err *err);

/* The same of what the cache holds, a cluster with its groups. */
MUST_CHECK bool show_object_whole(struct buf *buf, const struct cache *cache,
                                  const struct cache_object *object, struct err *err);

/* Append one object: its stored bytes with the revision of its spec put into the metadata, and its
 * status behind the spec. A cluster has its groups in its spec, unless `is_brief`. */
void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief);

/* Records count moments in milliseconds; people and programs read times. Returns the JSON with the numbers of these members, at any
 * depth, as times; it lives in the arena, or is `json` itself where there are none. */
struct text show_times(struct arena *arena, struct text json, const struct text *names,
                       size_t count);

#endif
