#ifndef REEVE_PROVIDER_TAGS_H
#define REEVE_PROVIDER_TAGS_H

#include "records/provider.h"
#include "wire/wire.h"

/* public names start with: tags_ */

/* Spelling of a machine's tags for plugins and their providers (K18): reeve.cluster_id and so
 * on. */

/* Returns the tags as a list of wire_pair in the arena; texts are borrowed. */
struct wire_list tags_write(struct arena *arena, const struct provider_tags *tags);

/* Reads tags returned by a provider. Missing ones are empty; unknown ones are ignored. */
struct provider_tags tags_read(struct arena *arena, const struct wire_list *list);

/* Returns the tag with this name, in the arena; empty: there is none. */
struct text tags_find(struct arena *arena, const struct wire_list *list, const char *name);

#endif
