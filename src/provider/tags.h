#ifndef REEVE_PROVIDER_TAGS_H
#define REEVE_PROVIDER_TAGS_H

#include "records/provider.h"
#include "wire/wire.h"

/* names: tags_ */

/* How a machine's stamp is spelled for plugins and the providers behind them (K18): reeve.cluster_id and so on. */

/* As a list of wire_pair in the arena; texts are borrowed. */
struct wire_list tags_write(struct arena *arena, const struct provider_tags *tags);

/* From what a provider gave back; what is not there is empty, what is not ours is passed over. */
struct provider_tags tags_read(struct arena *arena, const struct wire_list *list);

#endif
