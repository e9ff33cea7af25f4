#ifndef REEVE_API_USERS_PEOPLE_H
#define REEVE_API_USERS_PEOPLE_H

#include "api/request/call.h"

/* private to src/api/users */
/* names: people_ */

/* Internal to people.c: the fields of a new tenant, user, token or grant. */

struct people_record {
    struct text name; /* for people: of a token its id, of a grant its user and role */
    struct text id;   /* after /_/KIND/ */
    struct text value;
    const struct cache_object *needed; /* whose record must still be there */
    char *token;                       /* of a token: returned once */
};

/* Read the body of the call. R0429, R0403: what it refers to is not there; R0409: he may not make
 * it. */
MUST_CHECK bool people_read(struct call *call, enum identity_kind kind, struct people_record *out,
                            struct err *err);

/* The stored record of an object that the sender creates now. Empty texts are left out. */
struct text people_value(struct call *call, enum identity_kind kind, struct text id,
                         struct text name, const struct doc *spec);

#endif
