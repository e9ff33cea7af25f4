#ifndef REEVE_PLAN_SUPERSEDED_H
#define REEVE_PLAN_SUPERSEDED_H

#include "base/err.h"
#include "codec/doc.h"

/* names: superseded_ */

/* Rollouts that a plan would take the place of: each group of it that is being rolled has `supersedes`, the number of machines that
 * its rollout has not replaced so far (file_plan.h). */

/* False: the plan takes the place of a rollout; R0439 names the first one. Whoever applies a file says that he means it, or nothing is
 * done (decision 0098). */
MUST_CHECK bool superseded_check(const struct doc *plan, struct err *err);

/* How many rollouts. */
size_t superseded_count(const struct doc *plan);

#endif
