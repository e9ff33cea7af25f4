#ifndef REEVE_INVENTORY_TRAITS_H
#define REEVE_INVENTORY_TRAITS_H

#include "records/discovered.h"
#include "selector/selector.h"

/* public names start with: traits_ */

/* Selectors about machines of the inventory, and about the facts of nodes.
 *
 * A key of a row is one of `address`, `id`, `name`, `serial`, `state` and `status`, else a fact,
 * else a tag of a source. A key that is not known is absent. */
bool traits_row_matches(struct arena *arena, const struct discovered *row,
                        const struct selector *selector);

/* The text of a scalar in a map. False: it is absent, or `map` is no map. */
bool traits_value_find(const struct doc *map, struct text key, struct text *out);

/* The value of a fact, in the spelling of rows (cpu, arch, memory) or of nodes (cpus, architecture,
 * memory_kib): both find it in either map. `mem` is short for `memory`. The text lives in the arena
 * or in `facts`. */
bool traits_fact_find(struct arena *arena, const struct doc *facts, struct text key,
                      struct text *out);

/* Selects the facts of a row from the facts that a machine has reported: arch, cpu, kernel, memory
 * and os, and of one that waits also disks, storage, gpu, gpuModel, firmware and firmwareVersion;
 * empty: none of them is known. Facts of `former`, the present ones of the row, that are not
 * reported now are kept. The text lives in the arena. */
struct text traits_facts_make(struct arena *arena, struct text reported, struct text former);

#endif
