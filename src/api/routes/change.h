#ifndef REEVE_API_ROUTES_CHANGE_H
#define REEVE_API_ROUTES_CHANGE_H

#include "api/request/call.h"
#include "service/service_change.h"

/* private to src/api/routes */
/* public names start with: bootstrap_ secrets_ */

/* Functions that change.c shares with other routes that change objects. */

/* POST /v1/{kinds}/{name}/bootstrap runs stages of machines again, in batches, as a job (decision
 * 0107). */

/* Handles POST .../say for the commands about these jobs: job-cancel, job-pause, job-resume.
 * Returns false for another command; the call is then not answered. */
bool bootstrap_say(struct call *call, const struct doc *body);

/* Pass changes to the service, which copies them. The value of a Secret is sealed and stored
 * (api_vault), and its digest replaces it in the change. The service never sees the value, and the
 * value is wiped from the memory of the request. */
void secrets_change(struct call *call, const struct service_change *change);
void secrets_patch(struct call *call, const struct service_patch *patch);

#endif
