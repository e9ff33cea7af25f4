#ifndef COMMON_FIRST_START_H
#define COMMON_FIRST_START_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* names: first_start_ */

/* The script of a machine's first boot, for cloud-init's user data or GCE's startup-script: it
 * makes the login user, mounts volumes, writes the host key to the console, and runs the script of
 * the create request. It runs once per token, and again only if it was interrupted. */

/* A disk that the script formats if it is empty. */
struct first_start_volume {
    struct text device; /* a path that names this disk only: /dev/disk/by-id/... */
    struct text mount;  /* absolute; empty: not mounted */
};

struct first_start {
    struct text token;     /* of the create request: letters and digits */
    struct text host_name; /* empty: as the image sets it */
    struct text user;      /* login user; empty: root */
    struct text keys;      /* lines for its authorized_keys */
    struct text init;      /* script to run at the end; empty: none */
    /* URL to which the host key is written as well; empty: none */
    struct text guest_attribute;
    const struct first_start_volume *volumes;
    size_t volume_count;
};

/* What providers accept, in bytes. EC2 counts before base64, OpenStack after it. */
enum {
    FIRST_START_AWS_BYTES = 16384,
    FIRST_START_DIGITAL_OCEAN_BYTES = 65536,
    FIRST_START_OPENSTACK_BYTES = 65535 / 4 * 3,
    FIRST_START_GCD_BYTES = 262144
};

/* The script, in the arena. The same input gives the same bytes. */
struct text first_start_format(struct arena *arena, const struct first_start *start);

#endif
