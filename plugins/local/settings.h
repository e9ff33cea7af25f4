#ifndef LOCAL_SETTINGS_H
#define LOCAL_SETTINGS_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A range of IPv4 addresses, in the computer's own byte order. Its first one is the bridge's. */
struct range {
    uint32_t first; /* the network itself: 10.77.0.0 */
    uint32_t last;  /* its broadcast: 10.77.0.255 */
    unsigned prefix;
};

enum settings_isolation {
    SETTINGS_ISOLATION_AUTO,
    SETTINGS_ISOLATION_LXC,
    SETTINGS_ISOLATION_PLAIN
};

/* What the manager's configuration says for this plugin:
 * {"network": {"bridge", "cidr", "namespace"}, "mirror", "isolation"}; all of it may be absent. */
struct settings {
    const char *bridge;
    const char *namespace; /* NULL: the network of the host */
    struct range range;
    const char *mirror; /* of Debian packages; NULL: the machine's own */
    enum settings_isolation isolation;
};

/* Read them; what they hold lives in the arena. False: `out_why` says what is wrong, for people. */
bool settings_read(struct arena *arena, struct text json, struct settings *out,
                   const char **out_why);

/* An address as text, in the arena. */
const char *settings_address(struct arena *arena, uint32_t address);

#endif
