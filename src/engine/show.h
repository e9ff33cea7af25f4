#ifndef REEVE_ENGINE_SHOW_H
#define REEVE_ENGINE_SHOW_H

#include "base/buf.h"
#include "engine/objects.h"

/* Objects as the API sends them, joined from the bytes that the cache holds: nothing is parsed. */

/* The entries of an object's spec as they are stored, without the braces around them. */
struct text show_spec_entries(const struct cache_object *object);

/* Append one object: its stored bytes with the revision of its spec put into the metadata, and its
 * status behind the spec. A cluster has its groups in its spec, unless `is_brief`. */
void show_object(struct buf *buf, const struct cache *cache, const struct cache_object *object,
                 bool is_brief);

#endif
