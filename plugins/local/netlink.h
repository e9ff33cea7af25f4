#ifndef LOCAL_NETLINK_H
#define LOCAL_NETLINK_H

#include "base/macros.h"

#include <stdbool.h>
#include <stdint.h>

/* The kernel's network by rtnetlink, in the network namespace of the thread that opens it. False (or -1)
 * leaves the reason in errno. A descriptor is used by one thread. */

/* Open; the caller closes it. */
int netlink_open(void);

/* What is known of a link. */
struct netlink_link {
    int index;
    bool is_bridge;
    bool is_up;
    uint8_t mac[6];
};

/* Find a link by its name; ENODEV: there is none. */
bool netlink_find(int fd, const char *name, struct netlink_link *out);

/* Make a bridge with this hardware address; end a link with what hangs on it. */
bool netlink_make_bridge(int fd, const char *name, const uint8_t mac[static 6]);
bool netlink_remove(int fd, int index);

/* The other end of a pair. */
struct netlink_peer {
    const char *name;
    const uint8_t *mac; /* its hardware address: 6 bytes */
    int namespace;      /* where it is */
};

/* Make a pair: `name` here, as a port of the bridge `master`, and the peer; both are down. */
bool netlink_make_pair(int fd, const char *name, int master, const struct netlink_peer *peer);

/* Switch a link on; give it an address; send all that is for elsewhere to `gateway`. */
bool netlink_up(int fd, int index);
bool netlink_add_address(int fd, int index, uint32_t address, unsigned prefix);
bool netlink_add_gateway(int fd, uint32_t gateway);

/* Is any of these addresses on the way of a route that does not leave by link `own` (0: none is ours)? The
 * default route, and halves of it, do not count. On true, *out_other is the start of that route. */
bool netlink_find_clash(int fd, uint32_t first, uint32_t last, int own, uint32_t *out_other);

#endif
