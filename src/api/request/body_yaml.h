#ifndef REEVE_API_REQUEST_BODY_YAML_H
#define REEVE_API_REQUEST_BODY_YAML_H

#include "api/request/call.h"
#include "service/service_change.h"

/* Reads the body of POST /v1/apply and /v1/plans as a YAML file. A client without a YAML parser
 * sends the user's file unchanged, and errors name line and column. */

/* Returns whether the body is a YAML file, not JSON. */
bool body_is_yaml(const struct call *call);

/* Reads the documents of the file; the other members of the change come from the parameters. Adds
 * each error with its line and column to the list. Returns false if there was an error; `out` is
 * not set then. */
MUST_CHECK bool body_apply_yaml(struct call *call, struct service_change *out,
                                struct err_list *errors);

#endif
