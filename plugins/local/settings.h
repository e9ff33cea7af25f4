#ifndef LOCAL_SETTINGS_H
#define LOCAL_SETTINGS_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A range of IPv4 addresses, in host byte order. Its first usable address is the address of the
 * bridge. */
struct range {
    uint32_t first; /* address of the network: 10.77.0.0 */
    uint32_t last;  /* its broadcast address: 10.77.0.255 */
    unsigned prefix;
};

enum settings_isolation {
    SETTINGS_ISOLATION_AUTO,
    SETTINGS_ISOLATION_LXC,
    SETTINGS_ISOLATION_PLAIN
};

/* The manager's configuration for this plugin: {"network": {"bridge", "cidr", "namespace"},
 * "mirror", "isolation"}; every member is optional. */
struct settings {
    const char *bridge;
    const char *namespace; /* namespace; NULL: the network of the host */
    struct range range;
    const char *mirror; /* mirror of Debian packages; NULL: the mirror of this computer */
    enum settings_isolation isolation;
};

/* Reads the settings, whose data lives in the arena. On failure *out_why is the error. */
bool settings_read(struct arena *arena, struct text json, struct settings *out,
                   const char **out_why);

/* Returns an address as text, in the arena. */
const char *settings_address(struct arena *arena, uint32_t address);

#endif
