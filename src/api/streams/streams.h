#ifndef REEVE_API_STREAMS_STREAMS_H
#define REEVE_API_STREAMS_STREAMS_H

#include "api/request/call.h"

/* names: executions_ fleets_ poll_ */

/* Answers in pieces or later, as api.c runs and ends them; watch.h is another. */

/* POST /v1/{kinds}/{name}/exec: a command on many machines, answered by lines of JSON as they come
 * (docs/reference/api.md).
 *
 * What a client has not read yet is bounded: then the machines wait, by the flow control of SSH. A
 * client that goes away ends what runs. */

/* Sends a sign of life on streams without recent output, and ends those whose client has lost the
 * permission. */
void executions_run(struct api *api);

/* End all of them. */
void executions_drain(struct api *api);

/* Carry on with answers of /v1/fleet that are being made: one piece. To be called once a turn. */
void fleets_run(struct api *api);

/* Refuse them: the manager ends. */
void fleets_drain(struct api *api);

/* ?wait=REVISION of objects and lists: the answer comes when there is something newer than that
 * revision, or 304 when there is not for LIMIT_POLL_MS. For scripts that cannot read a stream. */

/* Does the call wait first? True: it does, and call->run comes again when it has, or it was
 * refused. */
bool poll_begin(struct call *call);

/* Go on with those that have waited enough. */
void poll_run(struct api *api);

#endif
