#ifndef REEVE_RECORDS_DISPLAYED_H
#define REEVE_RECORDS_DISPLAYED_H

#include "plan/world.h"

/* public names start with: displayed_ */

/* The displayed state of a node (UX.md section 1). Only this module computes it, from the record of
 * the node's machine. Lists, the tree, the status of a cluster, jobs, selectors, the overview of
 * all clusters, metrics and the page use the result. States that are problems come first; lists use
 * the same order. */
enum displayed {
    DISPLAYED_REFUSED,
    DISPLAYED_FAILED,
    DISPLAYED_UNHEALTHY,
    DISPLAYED_UNREACHABLE,
    DISPLAYED_CREATING,
    DISPLAYED_STARTING,
    DISPLAYED_LEAVING,
    DISPLAYED_MAINTENANCE, /* an operator has taken the node out of service */
    DISPLAYED_DRIFTED,     /* in service, but the node's files differ from its baseline */
    DISPLAYED_READY,
    DISPLAYED_COUNT,
};

/* Return the displayed state of a machine's record. A node whose latest run of stages has failed is
 * failed, even if it was ready before. */
enum displayed displayed_of(const struct plan_record *record);

/* True if a node in this state is in service. */
bool displayed_is_serving(enum displayed displayed);

/* Return the name of a state: "ready", "unhealthy". */
const char *displayed_name(enum displayed displayed);

/* Return all names, separated by commas, for hints. */
const char *displayed_names(void);

/* Find the state with this name. Returns false if there is none. */
MUST_CHECK bool displayed_parse(struct text name, enum displayed *out);

#endif
