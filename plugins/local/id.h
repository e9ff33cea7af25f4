#ifndef LOCAL_ID_H
#define LOCAL_ID_H

#include "work.h"

/* Names of machines: 8 digits for the folder and the cluster, a dash, 16 for the token. */

/* The beginning of the ids of a cluster's machines: 8 digits and a dash. */
const char *id_prefix(struct work *work, struct text cluster);

/* Is it an id that we would give? Nothing else ever becomes part of a path. NULL: no. */
const char *id_check(struct work *work, struct text id);

#endif
