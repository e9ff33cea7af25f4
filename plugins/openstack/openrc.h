#ifndef STACK_OPENRC_H
#define STACK_OPENRC_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>

/* public names start with: openrc_ */

/* An account of OpenStack, in the formats that users have: the lines of an openrc file, or JSON
 * with the same names. All texts live in the arena of openrc_read(); empty: not given. */
struct openrc {
    struct text auth_url;
    struct text region;
    struct text interface;
    struct text credential_id; /* id of an application credential */
    struct text credential_name;
    struct text credential_secret;
    struct text user_name;
    struct text user_id;
    struct text password;
    struct text project_name;
    struct text project_id;
    struct text user_domain_name;
    struct text user_domain_id;
    struct text project_domain_name;
    struct text project_domain_id;
};

enum { OPENRC_BYTES = 65536 };

/* Reads an account. `export`, quotes, comments and unknown names are accepted. A value that needs a
 * shell to evaluate it is rejected. On failure *out_why is set; it contains no value of the
 * account. Pure. */
MUST_CHECK bool openrc_read(struct arena *arena, struct text secret, struct openrc *out,
                            const char **out_why);

#endif
