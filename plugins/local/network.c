/* All operations run on a separate thread, which enters the namespace of the bridge and then exits.
 * So no other thread of the process is ever in a wrong namespace.
 *
 * A process may be killed after it created a machine's namespace and before it created the link
 * pair. So a machine's network is complete only if both exist; otherwise the network is created
 * again. */
#include "network.h"

#include "address.h"
#include "disk.h"
#include "lock.h"
#include "netlink.h"
#include "run.h"
#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MAC_BYTES = 6 };

static const char *const namespaces = "/run/netns";

/* A task for the thread, and its result. */
struct errand {
    struct work *work;
    const char *id;                /* id of the machine; NULL: only the bridge */
    const struct machine *machine; /* only for attach */
    int32_t (*run)(struct errand *errand);
    int32_t result;
};

const char *network_path(struct work *work, const char *id)
{
    return work_path(work, "machines/%s/net", id);
}

/* Returns the name of the machine's link in the bridge. */
static const char *link_name(struct work *work, const char *id)
{
    return arena_printf(work->arena, "rv%012llx",
                        (unsigned long long)(text_hash(text_from(id), 0) & 0xffffffffffffULL))
        .data;
}

/* Derives the bridge's hardware address, which identifies this plugin as its owner, so that the
 * plugin never changes a bridge of other software. */
static void bridge_mark(const struct work *work, uint8_t out[static MAC_BYTES])
{
    const struct local *local = work->local;
    uint64_t hash = text_hash(text_from(local->settings.bridge), local->folder_hash);

    out[0] = 0x52; /* locally administered, unicast */
    memcpy(out + 1, &hash, MAC_BYTES - 1);
}

/* Derives a machine's hardware address from its IP address. So hosts that sent to an earlier
 * machine with this IP address can send to the new machine immediately. With another hardware
 * address, resolving the address again would take them half a minute. */
static void machine_mark(const struct machine *machine, uint8_t out[static MAC_BYTES])
{
    uint32_t bytes = htonl(machine->address);

    out[0] = 0x52;
    out[1] = 0x56;
    memcpy(out + 2, &bytes, sizeof(bytes));
}

static bool is_ours(const struct work *work, const struct netlink_link *link)
{
    uint8_t mac[MAC_BYTES];

    bridge_mark(work, mac);
    return link->is_bridge && memcmp(link->mac, mac, MAC_BYTES) == 0;
}

static bool is_namespace(const char *path)
{
    struct statfs status;

    return statfs(path, &status) == 0 && status.f_type == NSFS_MAGIC;
}

/* Creates a network namespace, enters it with this thread and keeps it at `path`. */
static bool make_namespace(const char *path)
{
    AUTO(fd) file = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    AUTO(fd) links = FD_NONE;
    struct netlink_link loopback;

    if (file < 0 || unshare(CLONE_NEWNET) != 0 ||
        mount("/proc/thread-self/ns/net", path, NULL, MS_BIND, NULL) != 0) {
        return false;
    }
    links = netlink_open();
    return links >= 0 && netlink_find(links, "lo", &loopback) && netlink_up(links, loopback.index);
}

static bool enter_namespace(const char *path)
{
    AUTO(fd) fd = open(path, O_RDONLY | O_CLOEXEC);

    return fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
}

static bool end_namespace(const char *path)
{
    while (is_namespace(path)) {
        if (umount2(path, MNT_DETACH) != 0) {
            return false;
        }
    }
    return unlink(path) == 0 || errno == ENOENT;
}

static const char *memory_path(struct work *work)
{
    assert(work->local->settings.namespace != NULL);
    return arena_printf(work->arena, "%s/%s", namespaces, work->local->settings.namespace).data;
}

/* Enters the namespace of the bridge. With is_made, creates it if it is missing. */
static int32_t enter_memory(struct work *work, bool is_made)
{
    const char *path;

    if (work->local->settings.namespace == NULL) {
        return REEVE_OK;
    }
    path = memory_path(work);
    if (is_namespace(path)) {
        return enter_namespace(path)
                   ? REEVE_OK
                   : work_refuse(work, REEVE_TRANSIENT, "",
                                 "the network namespace %s cannot be entered: %m", path);
    }
    if (!is_made) {
        return REEVE_GONE;
    }
    /* record first that the plugin owns the namespace, because namespaces of other software are
     * never removed */
    if (!disk_write(work_path(work, "namespace"), text_from(path), 0600) ||
        !disk_folders(namespaces, 0755) || !make_namespace(path)) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "the network namespace %s cannot be made: %m; it needs root", path);
    }
    return REEVE_OK;
}

static int32_t make_bridge(struct work *work, int links, int *out_index)
{
    const struct settings *settings = &work->local->settings;
    uint8_t mac[MAC_BYTES];
    struct netlink_link bridge;
    uint32_t other;

    if (netlink_find_clash(links, settings->range.first, settings->range.last, 0, &other)) {
        return work_refuse(work, REEVE_INVALID, "",
                           "the range %s/%u is in use on this computer (a route to %s): give the "
                           "plugin another one in its settings, network.cidr",
                           settings_address(work->arena, settings->range.first),
                           settings->range.prefix, settings_address(work->arena, other));
    }
    bridge_mark(work, mac);
    if (!netlink_make_bridge(links, settings->bridge, mac) ||
        !netlink_find(links, settings->bridge, &bridge) ||
        !netlink_add_address(links, bridge.index, settings->range.first + 1,
                             settings->range.prefix) ||
        !netlink_up(links, bridge.index)) {
        return work_refuse(work, REEVE_TRANSIENT, "", "the bridge %s cannot be made: %m",
                           settings->bridge);
    }
    *out_index = bridge.index;
    return REEVE_OK;
}

/* Ensures that the bridge is complete and that the plugin owns it. Requires the network lock. */
static int32_t ensure_bridge(struct work *work, int links, int *out_index)
{
    const struct settings *settings = &work->local->settings;
    struct netlink_link bridge;

    if (netlink_find(links, settings->bridge, &bridge)) {
        if (!is_ours(work, &bridge)) {
            return work_refuse(work, REEVE_INVALID, "",
                               "the link %s on this computer is not this plugin's: give it a name "
                               "and a range of its own in its settings, network.bridge and "
                               "network.cidr",
                               settings->bridge);
        }
        if (bridge.is_up) { /* setting the bridge up is the last step of its creation */
            *out_index = bridge.index;
            return REEVE_OK;
        }
        (void)netlink_remove(links, bridge.index);
    }
    return make_bridge(work, links, out_index);
}

/* Ensures that the namespace and the bridge exist. */
static int32_t ensure_memory(struct work *work, int *out_links, int *out_index)
{
    AUTO(fd) lock = lock_take(work, "network");
    int32_t result;

    if (lock < 0) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "another call is changing the network: try again");
    }
    result = enter_memory(work, true);
    if (result != REEVE_OK) {
        return result;
    }
    *out_links = netlink_open();
    if (*out_links < 0) {
        return work_refuse(work, REEVE_TRANSIENT, "", "no netlink socket: %m");
    }
    return ensure_bridge(work, *out_links, out_index);
}

/* Sets the address of the machine's link and the default route, in the machine's namespace. */
static bool finish_inside(const struct machine *machine, const struct range *range)
{
    AUTO(fd) links = netlink_open();
    struct netlink_link link;

    return links >= 0 && netlink_find(links, "eth0", &link) &&
           netlink_add_address(links, link.index, machine->address, range->prefix) &&
           netlink_up(links, link.index) && netlink_add_gateway(links, range->first + 1);
}

static int32_t attach(struct errand *errand)
{
    struct work *work = errand->work;
    const char *path = network_path(work, errand->id);
    const char *name = link_name(work, errand->id);
    AUTO(fd) links = FD_NONE;
    AUTO(fd) memory = FD_NONE;
    AUTO(fd) inside = FD_NONE;
    uint8_t mac[MAC_BYTES];
    struct netlink_peer peer = { .name = "eth0", .mac = mac };
    struct netlink_link link;
    int bridge = 0;
    int32_t result = ensure_memory(work, &links, &bridge);

    if (result != REEVE_OK) {
        return result;
    }
    if (netlink_find(links, name, &link)) {
        if (is_namespace(path) && link.is_up) { /* setting the link up is the last step */
            return REEVE_OK;
        }
        (void)netlink_remove(links, link.index);
    }
    memory = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (memory < 0 || !end_namespace(path) || !make_namespace(path)) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "the network namespace of the machine cannot be made: %m");
    }
    inside = open(path, O_RDONLY | O_CLOEXEC);
    machine_mark(errand->machine, mac);
    peer.namespace = inside;
    if (inside < 0 || setns(memory, CLONE_NEWNET) != 0 ||
        !netlink_make_pair(links, name, bridge, &peer) || setns(inside, CLONE_NEWNET) != 0 ||
        !finish_inside(errand->machine, &work->local->settings.range) ||
        !netlink_find(links, name, &link) || !netlink_up(links, link.index)) {
        return work_refuse(work, REEVE_TRANSIENT, "",
                           "the machine's link to the bridge cannot be made: %m");
    }
    return REEVE_OK;
}

static int32_t detach(struct errand *errand)
{
    struct work *work = errand->work;
    const char *path = network_path(work, errand->id);
    AUTO(fd) links = FD_NONE;
    struct netlink_link link;

    if (enter_memory(work, false) == REEVE_OK) {
        links = netlink_open();
        if (links >= 0 && netlink_find(links, link_name(work, errand->id), &link) &&
            !netlink_remove(links, link.index) && errno != ENODEV) {
            return work_refuse(work, REEVE_TRANSIENT, "", "the machine's link stays: %m");
        }
    }
    return end_namespace(path) ? REEVE_OK
                               : work_refuse(work, REEVE_TRANSIENT, "",
                                             "the machine's network namespace stays: %m");
}

static int32_t end_memory(struct errand *errand)
{
    struct work *work = errand->work;
    AUTO(fd) lock = lock_take(work, "network");
    AUTO(fd) links = FD_NONE;
    struct netlink_link bridge;

    if (lock < 0 || address_is_any(work)) {
        return REEVE_OK; /* the process that destroys the last machine removes the network */
    }
    run_tidy(work); /* called with the same lock, so that no machine can start now */
    if (enter_memory(work, false) != REEVE_OK) {
        return REEVE_OK;
    }
    links = netlink_open();
    if (links >= 0 && netlink_find(links, work->local->settings.bridge, &bridge) &&
        is_ours(work, &bridge)) {
        (void)netlink_remove(links, bridge.index);
    }
    if (disk_is_there(work_path(work, "namespace")) && end_namespace(memory_path(work))) {
        (void)unlink(work_path(work, "namespace"));
    }
    return REEVE_OK;
}

static void *run_errand(void *arg)
{
    struct errand *errand = arg;

    errand->result = errand->run(errand);
    return NULL;
}

static int32_t send_errand(struct errand *errand)
{
    pthread_t thread;

    errand->result = REEVE_TRANSIENT;
    if (pthread_create(&thread, NULL, run_errand, errand) != 0) {
        return work_refuse(errand->work, REEVE_TRANSIENT, "", "no thread for the network: %m");
    }
    (void)pthread_join(thread, NULL);
    return errand->result;
}

int32_t network_attach(struct work *work, const struct machine *machine)
{
    assert(machine->address != 0);
    return send_errand(
        &(struct errand){ .work = work, .id = machine->id, .machine = machine, .run = attach });
}

int32_t network_detach(struct work *work, const char *id)
{
    return send_errand(&(struct errand){ .work = work, .id = id, .run = detach });
}

int32_t network_end(struct work *work)
{
    return send_errand(&(struct errand){ .work = work, .run = end_memory });
}
