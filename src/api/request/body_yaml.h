#ifndef REEVE_API_REQUEST_BODY_YAML_H
#define REEVE_API_REQUEST_BODY_YAML_H

#include "api/request/call.h"
#include "service/service_change.h"

/* A file as a person wrote it, for POST /v1/apply and /v1/plans: a client without a YAML reader
 * sends the file unchanged, and errors
 * name line and column. */

/* Is the body such a file, and no JSON? */
bool body_is_yaml(const struct call *call);

/* The documents of the file; what else a change says is in the parameters. Faults go to the list,
 * with their places. False: there was one, and nothing came out. */
MUST_CHECK bool body_apply_yaml(struct call *call, struct service_change *out,
                                struct err_list *errors);

#endif
