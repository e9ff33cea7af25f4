#ifndef REEVE_API_STREAMS_EXEC_H
#define REEVE_API_STREAMS_EXEC_H

#include "api/request/call.h"

/* names: executions_ */

/* POST /v1/{kinds}/{name}/exec: a command on many machines, answered by lines of JSON as they come (docs/reference/api.md).
 *
 * What a client has not read yet is bounded: then the machines wait, by the flow control of SSH. A client that goes away ends
 * what runs. */

/* Sends a sign of life on streams without recent output, and ends those whose client has lost the
 * permission. */
void executions_run(struct api *api);

/* End all of them. */
void executions_drain(struct api *api);

#endif
