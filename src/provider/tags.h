#ifndef REEVE_PROVIDER_TAGS_H
#define REEVE_PROVIDER_TAGS_H

#include "records/provider.h"
#include "wire/wire.h"

/* public names start with: tags_ */

/* Names of a machine's tags at plugins and their providers, such as reeve.cluster_id (K18). */

/* Returns the tags as a list of wire_pair in the arena; the texts are not copied. */
struct wire_list tags_write(struct arena *arena, const struct provider_tags *tags);

/* Reads tags returned by a provider. Missing ones are empty; unknown ones are ignored. */
struct provider_tags tags_read(struct arena *arena, const struct wire_list *list);

/* Returns the tag with this name, in the arena; empty: there is none. */
struct text tags_find(struct arena *arena, const struct wire_list *list, const char *name);

#endif
