#ifndef REEVE_DAEMON_PLUGIN_FETCH_RECORD_H
#define REEVE_DAEMON_PLUGIN_FETCH_RECORD_H

#include "base/err.h"
#include "base/macros.h"
#include "codec/doc.h"
#include "state/cache.h"
#include "records/plugin_origin.h"

/* names: kept_ */

/* The stored record of a fetched plugin: /TENANT/Plugin/NAME/base. */

#define KEPT_INSTALLED "installed"

/* Bytes, and where they came from. */
struct kept_bytes {
    struct text digest;  /* empty: none */
    struct text url;     /* as it was asked for */
    struct text asked;   /* the version that was asked for */
    struct text version; /* that was found */
    struct text by;      /* pinned, approved, installed */
    int64_t bytes;
};

struct kept {
    uint64_t revision; /* 0: nothing stands */
    struct kept_bytes now;
    struct kept_bytes next; /* waits for an approval */
};

struct text kept_key(struct arena *arena, struct text tenant, struct text name);

/* Read the record; empty where it cannot be read. Texts live in the arena. */
struct kept kept_read(struct arena *arena, const struct cache *cache, struct text tenant,
                      struct text name);

struct text kept_format(struct arena *arena, const struct kept *kept);

/* {digest, version, url, bytes, by} of bytes, for records and people. */
void kept_put(struct doc_builder *builder, struct arena *arena, const struct kept_bytes *bytes);

/* Has an operator brought it himself? Then files need not say where it is; what they pin holds for
 * it as well. */
bool kept_is_installed(const struct kept_bytes *kept);

/* May the kept plugin make the machines of a group with this origin? R0644: the file pins another
 * digest. R0649: it names another version or address. */
MUST_CHECK bool kept_check(const struct kept_bytes *kept, const struct plugin_origin *origin,
                           struct text url, struct err *err);

/* What waits, in words, with its digest; for the hold. */
struct text kept_words(struct arena *arena, struct text name, const struct kept *kept);

#endif
