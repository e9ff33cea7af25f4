#ifndef REEVE_CLI_CHANGE_OVERLAY_H
#define REEVE_CLI_CHANGE_OVERLAY_H

#include "cli/change/load.h"

/* names: overlay_ */

/* --overlay: files that are merged over those of -f before the documents are resolved, by the rules
 * of FILE.md 6: maps merge key by key, groups by name, lists and scalars replace, `null` drops. An
 * overlay without a name is meant for the one object of its kind. */

/* Lay the documents of `over`, by kind and name, over those of `base`, and put all of them into
 * `out`, which is empty. None of the three was resolved. Every value keeps its place in the file it
 * came from. Faults go to the errors of `out`. */
void overlay_lay(struct model_set *out, const struct model_set *base, const struct model_set *over);

#endif
