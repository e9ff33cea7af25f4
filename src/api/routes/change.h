#ifndef REEVE_API_ROUTES_CHANGE_H
#define REEVE_API_ROUTES_CHANGE_H

#include "api/request/call.h"
#include "service/service_change.h"

/* private to src/api/routes */
/* public names start with: bootstrap_ secrets_ */

/* The parts of the routes that change objects (change.c). */

/* POST /v1/{kinds}/{name}/bootstrap runs stages of machines again, in batches, as a job (decision
 * 0107). */

/* Handles POST .../say for the commands about these jobs: job-cancel, job-pause, job-resume.
 * Returns false for another command; the call is then not answered. */
bool bootstrap_say(struct call *call, const struct doc *body);

/* Pass changes to the service. The value of a Secret is replaced by its digest after the value is
 * sealed and kept (api_vault). Values are not passed on and do not remain in the memory of the
 * request. The change is copied. */
void secrets_change(struct call *call, const struct service_change *change);
void secrets_patch(struct call *call, const struct service_patch *patch);

#endif
