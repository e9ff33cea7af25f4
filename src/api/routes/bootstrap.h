#ifndef REEVE_API_ROUTES_BOOTSTRAP_H
#define REEVE_API_ROUTES_BOOTSTRAP_H

#include "api/request/call.h"

/* names: bootstrap_ */

/* POST /v1/{kinds}/{name}/bootstrap: stages of machines run again, in batches, as a job (decision 0107). */

/* POST .../say, where the word is one of such a job: job-cancel, job-pause, job-resume. False: it is another word, and the call
 * is not answered. */
bool bootstrap_say(struct call *call, const struct doc *body);

#endif
