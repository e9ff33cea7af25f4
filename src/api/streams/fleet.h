#ifndef REEVE_API_STREAMS_FLEET_H
#define REEVE_API_STREAMS_FLEET_H

#include "api/request/call.h"

/* names: fleets_ */

/* Carry on with answers of /v1/fleet that are being made: one piece. To be called once a turn. */
void fleets_run(struct api *api);

/* Refuse them: the manager ends. */
void fleets_drain(struct api *api);

#endif
