#ifndef REEVE_API_ROUTES_CHANGE_H
#define REEVE_API_ROUTES_CHANGE_H

#include "api/request/call.h"
#include "service/service_change.h"

/* private to src/api/routes */
/* names: bootstrap_ secrets_ */

/* The parts of the routes that change objects (change.c). */

/* POST /v1/{kinds}/{name}/bootstrap: stages of machines run again, in batches, as a job (decision
 * 0107). */

/* POST .../say, where the word is one of such a job: job-cancel, job-pause, job-resume. False: it
 * is another word, and the call is not answered. */
bool bootstrap_say(struct call *call, const struct doc *body);

/* Changes on their way to the service. A Secret comes with its value and goes on with a digest of
 * it, when the value is kept sealed (api_vault); no value gets past here, and none stays in memory
 * of the request. The change is copied. */
void secrets_change(struct call *call, const struct service_change *change);
void secrets_patch(struct call *call, const struct service_patch *patch);

#endif
