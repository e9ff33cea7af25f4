#ifndef COMMON_FIRST_START_H
#define COMMON_FIRST_START_H

#include "base/macros.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: first_start_ */

/* The script of a machine's first boot, for cloud-init's user data or GCE's startup-script. It
 * creates the login user, mounts volumes, writes the host key to the console, and runs the script
 * of the create request. It runs once per token; if it was interrupted, it runs again. */

/* A disk that the script formats if it is empty. */
struct first_start_volume {
    struct text device; /* a path that always names this disk: /dev/disk/by-id/... */
    struct text mount;  /* absolute mount point; empty: not mounted */
};

struct first_start {
    struct text token;     /* token of the create request: letters and digits */
    struct text host_name; /* host name; empty: the image sets it */
    struct text user;      /* login user; empty: root */
    struct text keys;      /* lines for its authorized_keys */
    struct text init;      /* script to run at the end; empty: none */
    /* URL to which the host key is also written; empty: none */
    struct text guest_attribute;
    const struct first_start_volume *volumes;
    size_t volume_count;
};

/* Limits of the providers, in bytes. EC2 counts before base64, OpenStack after it. */
enum {
    FIRST_START_AWS_BYTES = 16384,
    FIRST_START_DIGITAL_OCEAN_BYTES = 65536,
    FIRST_START_OPENSTACK_BYTES = 65535 / 4 * 3,
    FIRST_START_GCD_BYTES = 262144
};

/* Returns the script, in the arena. The same input gives the same bytes. */
struct text first_start_format(struct arena *arena, const struct first_start *start);

#endif
