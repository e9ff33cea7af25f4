#ifndef REEVE_API_USERS_PEOPLE_H
#define REEVE_API_USERS_PEOPLE_H

#include "api/request/call.h"

/* private to src/api/users */
/* public names start with: people_ */

/* Internal to people.c: the fields of a new tenant, user, token or grant. */

struct people_record {
    /* Readable name: the id of a token, or the user and role of a grant. */
    struct text name;
    struct text id; /* part of the key after /_/KIND/ */
    struct text value;
    const struct cache_object *needed; /* this object must still exist when the record is written;
                                        * NULL: none */
    char *token;                       /* the new token, which is returned only once; NULL for other
                                        * kinds */
};

/* Reads the body of the call. R0429: the body is invalid; R0403: it refers to something that does
 * not exist; R0409: the sender may not create the object. */
MUST_CHECK bool people_read(struct call *call, enum identity_kind kind, struct people_record *out,
                            struct err *err);

/* Returns the record of an object that the sender creates now. Empty fields are omitted. */
struct text people_value(struct call *call, enum identity_kind kind, struct text id,
                         struct text name, const struct doc *spec);

#endif
