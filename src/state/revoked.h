#ifndef REEVE_STATE_REVOKED_H
#define REEVE_STATE_REVOKED_H

#include "base/err.h"
#include "base/mem.h"

/* public names start with: revoked_ REVOKED_ */

/* The revocation of a machine's keys: /TENANT/Revoked/CLUSTER/TOKEN/base, canonical JSON. It exists
 * until the last certificate that it covers has expired. */
#define REVOKED_KIND "Revoked"

enum { REVOKED_KEYS = 2 };

struct revoked {
    struct text id;   /* id in its certificates */
    struct text name; /* name of the revoked machine, for display */
    /* Public keys of root and of the login user, except keys that other members have too. Empty:
     * none. */
    struct text keys[REVOKED_KEYS];
    int64_t at_ms;    /* when the keys were revoked, by the wall clock */
    int64_t until_ms; /* when the entry expires, by the wall clock */
    /* the operator who revoked the keys; empty: they were revoked because the machine no longer
     * exists */
    struct text by;
};

/* Return the id in all certificates of a machine. It consists of the machine's name, for readers of
 * sshd's log, and a part that distinguishes the machine from all earlier machines with this
 * name. */
struct text revoked_id(struct arena *arena, struct text name, struct text token);

/* Return the type and the key of a line with a public key, without the comment of the line. */
struct text revoked_key_body(struct text line);

/* Format the value. */
struct text revoked_format(struct arena *arena, const struct revoked *revoked);

/* Parse the value. Texts live in the arena or in the bytes. Fails with R0753 if the bytes are
 * invalid. */
MUST_CHECK bool revoked_parse(struct arena *arena, struct text bytes, struct revoked *out,
                              struct err *err);

#endif
