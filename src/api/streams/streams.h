#ifndef REEVE_API_STREAMS_STREAMS_H
#define REEVE_API_STREAMS_STREAMS_H

#include "api/request/call.h"

/* public names start with: copies_ executions_ fleets_ forward_ forwards_ outputs_ poll_ */

/* Answers that are sent in pieces or later; api.c runs and ends them. For watches see watch.h. */

/* POST /v1/{kinds}/{name}/exec runs a command on many machines. The answer is a stream of JSON
 * lines (docs/reference/api.md).
 *
 * Unread output is bounded: if the client does not read, the machines wait, through the flow
 * control of SSH. If the client disconnects, the running commands are stopped. */

/* Sends a progress row on each stream without recent output, so that its connection stays alive.
 * Ends the streams of clients that have lost the permission. */
void executions_run(struct api *api);

/* Ends all running commands and their streams. */
void executions_drain(struct api *api);

/* Makes the next piece of one pending answer of /v1/fleet. Call it once per iteration of the
 * loop. */
void fleets_run(struct api *api);

/* Rejects the pending requests for /v1/fleet, because the manager stops. */
void fleets_drain(struct api *api);

/* Implements the parameter wait=REVISION of objects and lists. The answer is sent when there is
 * something newer than that revision, or is 304 after LIMIT_POLL_MS without a change. It is meant
 * for scripts that cannot read a stream. */

/* Makes the call wait if its parameters request it. Returns true if it waits (call->run is called
 * again afterwards) or was rejected. */
bool poll_begin(struct call *call);

/* Continues the calls whose change has arrived or whose time is over. */
void poll_run(struct api *api);

/* Requests that only the lease holder of a cluster can answer. Another manager forwards such a
 * request once to the lease holder, and passes its answer on as it arrives. */

/* Runs the route of a call here, or forwards the call. Implements route_fn. */
void forward_run(struct call *call);

/* Returns whether calls of this route may be forwarded. */
bool forward_is_possible(const struct route *route);

/* Ends the streams of forwarded requests, and rejects requests without an answer. */
void forwards_drain(struct api *api);

/* Answers an upload after other managers have copied its bytes. Two managers must have them; three
 * if there are five or more; one if only this manager is live. The answer gets the member `copies`.
 * This is a service_done callback; `arg` is the call, and the answer contains `digest`. */
void copies_answered(void *arg, const struct service_answer *answer);

/* Fetches the bundle with a digest from another manager if necessary. Calls `run` once this manager
 * has the bundle, or no other manager has it. */
void copies_bundle_have(struct call *call, struct text digest, route_fn *run);

/* Returns the value of the header Reeve-Forwarded, which names the user of a request. is_local: the
 * receiving manager answers with its own data, whether or not it holds the lease. */
const char *forward_user(const struct call *call, bool is_local);

/* Returns whether the sending manager requests only the data of this manager (is_local). */
bool forward_is_local(const struct http_request *request);

/* Answers a request for the output of stages with the parts of all managers that have some. A
 * service_done callback; `arg` is the call. */
void outputs_answered(void *arg, const struct service_answer *answer);

/* Rejects requests for output that wait for other managers. */
void outputs_drain(struct api *api);

/* Serves a request below /peer/ that arrived on the listener for peers. */
void forward_peer_serve(struct call *call);

/* Returns the revision that the cache must have reached before a forwarded request is checked. */
uint64_t forward_revision(const struct http_request *request);

#endif
