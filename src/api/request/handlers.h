#ifndef REEVE_API_REQUEST_HANDLERS_H
#define REEVE_API_REQUEST_HANDLERS_H

#include "api/request/route.h"

/* public names start with: api_ */

/* Declares the functions of routes.def. Each function answers its call exactly once, immediately or
 * later. */
#define ROUTE(method, path, who, function, parameters, consumes, help) route_fn function;
#include "api/request/routes.def"
#undef ROUTE

#endif
