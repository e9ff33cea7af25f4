#ifndef REEVE_INVENTORY_TRAITS_H
#define REEVE_INVENTORY_TRAITS_H

#include "records/discovered.h"
#include "selector/selector.h"

/* public names start with: traits_ */

/* Evaluates selectors over machines of the inventory and over the facts of nodes.
 *
 * A key of a row is one of `address`, `id`, `name`, `serial`, `state` and `status`, else a fact,
 * else a tag of a source. An unknown key counts as absent. */
bool traits_row_matches(struct arena *arena, const struct discovered *row,
                        const struct selector *selector);

/* Get the text of a scalar in a map. Returns false if the key is absent or `map` is not a map. */
bool traits_value_find(const struct doc *map, struct text key, struct text *out);

/* Get the value of a fact. The key may be spelled as in rows (cpu, arch, memory) or as in nodes
 * (cpus, architecture, memory_kib), for both kinds of maps. `mem` is short for `memory`. The text
 * is in the arena or in `facts`. */
bool traits_fact_find(struct arena *arena, const struct doc *facts, struct text key,
                      struct text *out);

/* Selects the facts of a row from the facts that a machine has reported: arch, cpu, kernel, memory
 * and os. For a machine that waits to be commissioned also disks, storage, gpu, gpuModel, firmware
 * and firmwareVersion. Facts in `former`, the stored facts of the row, that are missing in the
 * report are kept. Returns a text in the arena, or empty if no fact is known. */
struct text traits_facts_make(struct arena *arena, struct text reported, struct text former);

#endif
