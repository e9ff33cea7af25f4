#ifndef REEVE_API_REQUEST_ROUTE_H
#define REEVE_API_REQUEST_ROUTE_H

#include "model/schema.h"

struct call;

/* Who may call a route: each may what those before it may. */
enum route_who {
    ROUTE_ANYONE,
    ROUTE_KNOWN, /* any authenticated user */
    ROUTE_VIEWER,
    ROUTE_OPERATOR,
    ROUTE_ADMIN, /* of the tenant */
    ROUTE_OWNER, /* of the whole: admin of every tenant */
};

typedef void route_fn(struct call *call);

/* One row of routes.def. */
struct route {
    const char *method;
    const char *
        path; /* {kinds}: the plural of a kind in files; {name}: one part; {name...}: one or more */
    enum route_who who;
    route_fn *run;
    /* That it knows, parted by blanks, besides those of every route; *: it takes any. */
    const char *parameters;
    const char *consumes; /* types of its body, parted by blanks; "" = it takes none */
    const char *help;
};

/* All rows, in the order of routes.def, which is the order of matching. */
const struct route *route_table(size_t *out_count);

/* What a path says. */
struct route_match {
    const struct route *route;      /* NULL: nothing has this path and method */
    const struct schema_kind *kind; /* of {kinds} */
    struct text name;               /* of {name} or {name...} */
    const char *allowed[8]; /* where there is no route: methods of this path; none: no such path */
    size_t allowed_count;
};

/* Find the route of a method and a decoded path. HEAD is GET. */
struct route_match route_find(struct text method, struct text path);

/* Is it a parameter of this route, or of every one? */
bool route_has_parameter(const struct route *route, struct text name);

/* "viewer", "operator", ...; the word for a role in a grant, back. */
const char *route_who_name(enum route_who who);

#endif
