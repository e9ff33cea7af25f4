#ifndef REEVE_PLAN_SUPERSEDED_H
#define REEVE_PLAN_SUPERSEDED_H

#include "base/err.h"
#include "codec/doc.h"

/* public names start with: superseded_ */

/* Finds the rollouts that a plan would supersede. Each group of such a rollout gets `supersedes` in
 * the plan: the number of machines that the rollout has not replaced so far (file_plan.h). */

/* False if the plan supersedes a rollout; R0439 names the first one. Applying the file then needs
 * an explicit confirmation (decision 0092). */
MUST_CHECK bool superseded_check(const struct doc *plan, struct err *err);

/* Return the number of rollouts that the plan supersedes. */
size_t superseded_count(const struct doc *plan);

#endif
