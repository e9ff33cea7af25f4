#ifndef REEVE_DAEMON_PLUGIN_FETCH_RECORD_H
#define REEVE_DAEMON_PLUGIN_FETCH_RECORD_H

#include "base/err.h"
#include "base/macros.h"
#include "codec/doc.h"
#include "state/cache.h"
#include "records/plugin_origin.h"

/* public names start with: kept_ */

/* The stored record of a fetched plugin: /TENANT/Plugin/NAME/base. */

#define KEPT_INSTALLED "installed"

/* Stored or waiting bytes of a plugin, and their origin. */
struct kept_bytes {
    struct text digest;  /* digest of the bytes; empty: none */
    struct text url;     /* URL as it was requested */
    struct text asked;   /* requested version */
    struct text version; /* version that was found */
    struct text by;      /* reason why the bytes may run: pinned, approved or installed */
    int64_t bytes;
};

struct kept {
    uint64_t revision; /* 0: there is no record */
    struct kept_bytes now;
    struct kept_bytes next; /* bytes that wait for an approval */
};

struct text kept_key(struct arena *arena, struct text tenant, struct text name);

/* Reads the record; it is empty if it cannot be read. Texts live in the arena. */
struct kept kept_read(struct arena *arena, const struct cache *cache, struct text tenant,
                      struct text name);

struct text kept_format(struct arena *arena, const struct kept *kept);

/* Adds {digest, version, url, bytes, by} of these bytes, for records and display. */
void kept_put(struct doc_builder *builder, struct arena *arena, const struct kept_bytes *bytes);

/* Returns true if an operator installed the plugin. Files then need no address for it. A digest
 * pinned by a file applies to an installed plugin too. */
bool kept_is_installed(const struct kept_bytes *kept);

/* Checks whether the stored plugin may create the machines of a group with this origin. Fails with
 * R0644 if the file pins another digest, and with R0649 if the file has another version or
 * address. */
MUST_CHECK bool kept_check(const struct kept_bytes *kept, const struct plugin_origin *origin,
                           struct text url, struct err *err);

/* Describes the waiting bytes with their digest, for the text of the hold. */
struct text kept_words(struct arena *arena, struct text name, const struct kept *kept);

#endif
