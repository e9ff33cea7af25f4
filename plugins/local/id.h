#ifndef LOCAL_ID_H
#define LOCAL_ID_H

#include "work.h"

/* Ids of machines: 8 digits for the folder and the cluster, a dash, 16 digits for the token. */

/* Returns the prefix of the ids of a cluster's machines: 8 digits and a dash. */
const char *id_prefix(struct work *work, struct text cluster);

/* Returns the id if it has this format, otherwise NULL. Only ids with this format become parts of
 * paths. */
const char *id_check(struct work *work, struct text id);

#endif
