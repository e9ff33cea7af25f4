#ifndef REEVE_API_STREAMS_POLL_H
#define REEVE_API_STREAMS_POLL_H

#include "api/request/call.h"

/* names: poll_ */

/* ?wait=REVISION of objects and lists: the answer comes when there is something newer than that revision, or 304 when
 * there is not for LIMIT_POLL_MS. For scripts that cannot read a stream. */

/* Does the call wait first? True: it does, and call->run comes again when it has, or it was refused. */
bool poll_begin(struct call *call);

/* Go on with those that have waited enough. */
void poll_run(struct api *api);

#endif
