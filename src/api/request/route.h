#ifndef REEVE_API_REQUEST_ROUTE_H
#define REEVE_API_REQUEST_ROUTE_H

#include "model/schema.h"

struct call;

/* The role that a route requires. Each role includes the permissions of the roles listed before
 * it. */
enum route_who {
    ROUTE_ANYONE,
    ROUTE_KNOWN, /* any authenticated user */
    ROUTE_VIEWER,
    ROUTE_OPERATOR,
    ROUTE_ADMIN, /* admin of the tenant */
    ROUTE_OWNER, /* owner of the manager: admin of every tenant */
};

typedef void route_fn(struct call *call);

/* One row of routes.def. */
struct route {
    const char *method;
    /* Path pattern. {kinds}: the plural of a kind in files; {name}: one part; {name...}: one or
     * more parts. */
    const char *path;
    enum route_who who;
    route_fn *run;
    /* Names of its parameters, separated by spaces; every route also accepts the common parameters.
     * "*": any parameter. */
    const char *parameters;
    const char *consumes; /* media types of its body, separated by spaces; "": no body */
    const char *help;
};

/* Returns all rows in the order of routes.def, which is the order of matching. */
const struct route *route_table(size_t *out_count);

/* The result of matching a path. */
struct route_match {
    const struct route *route;      /* NULL: no route has this path and method */
    const struct schema_kind *kind; /* value of {kinds} */
    struct text name;               /* value of {name} or {name...} */
    /* If no route matched: the methods that this path supports; empty if the path is unknown. */
    const char *allowed[8];
    size_t allowed_count;
};

/* Finds the route of a method and a decoded path. HEAD counts as GET. */
struct route_match route_find(struct text method, struct text path);

/* Returns whether a name is a parameter of this route, or of every route. */
bool route_has_parameter(const struct route *route, struct text name);

/* Returns the name of a role as in grants: "viewer", "operator", ... */
const char *route_who_name(enum route_who who);

#endif
