#ifndef LOCAL_NETLINK_H
#define LOCAL_NETLINK_H

#include "base/macros.h"

#include <stdbool.h>
#include <stdint.h>

/* Access to the kernel's network configuration by rtnetlink, in the network namespace of the thread
 * that opens the descriptor. On failure the functions return false (or -1) and set errno. Only one
 * thread may use a descriptor. */

/* Opens a descriptor; the caller closes it. */
int netlink_open(void);

/* Properties of a link. */
struct netlink_link {
    int index;
    bool is_bridge;
    bool is_up;
    uint8_t mac[6];
};

/* Finds a link by name. Fails with ENODEV if there is none. */
bool netlink_find(int fd, const char *name, struct netlink_link *out);

/* netlink_make_bridge creates a bridge with this hardware address. netlink_remove removes a link
 * and its dependents. */
bool netlink_make_bridge(int fd, const char *name, const uint8_t mac[static 6]);
bool netlink_remove(int fd, int index);

/* The far end of a link pair. */
struct netlink_peer {
    const char *name;
    const uint8_t *mac; /* hardware address: 6 bytes */
    int namespace;      /* its network namespace */
};

/* Creates a link pair: `name` in this namespace, as a port of the bridge `master`, and the far end.
 * Both are down. */
bool netlink_make_pair(int fd, const char *name, int master, const struct netlink_peer *peer);

/* netlink_up enables a link. netlink_add_address adds an address to it. netlink_add_gateway sets
 * the default route to `gateway`. */
bool netlink_up(int fd, int index);
bool netlink_add_address(int fd, int index, uint32_t address, unsigned prefix);
bool netlink_add_gateway(int fd, uint32_t gateway);

/* Returns whether a route over another link than `own` (0: any link) covers one of these addresses.
 * The default route and its halves are ignored. If there is such a route, *out_other is its first
 * address. */
bool netlink_find_clash(int fd, uint32_t first, uint32_t last, int own, uint32_t *out_other);

#endif
