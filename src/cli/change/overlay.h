#ifndef REEVE_CLI_CHANGE_OVERLAY_H
#define REEVE_CLI_CHANGE_OVERLAY_H

#include "cli/change/load.h"

/* public names start with: overlay_ */

/* --overlay: files that are merged over the files of -f before the documents are resolved, by the
 * rules of FILE.md 6: maps merge key by key, groups by name, lists and scalars replace, `null`
 * removes. An overlay without a name applies to the only object of its kind. */

/* Merge the documents of `over`, by kind and name, over those of `base`, and put all of them into
 * `out`, which is empty. None of the three sets may be resolved yet. Every value keeps its position
 * in its file. Errors go to the errors of `out`. */
void overlay_lay(struct model_set *out, const struct model_set *base, const struct model_set *over);

#endif
