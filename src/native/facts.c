#include "native/facts.h"

#include "native/file.h"
#include "native/mark.h"
#include "native/say.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NETWORKS_MAX = 64, ANSWER_BYTES = 32 * 1024, TEXT_BYTES = 80, CPUS_MAX = 8192 };

/* An address of this node, with the length of its network. */
struct network {
    unsigned interface;
    int family;
    char text[TEXT_BYTES];
};

/* ---- addresses ---- */

/* As `ip` writes it: of a line between two, our end alone. */
static bool network_read(const struct nlmsghdr *head, struct network *out)
{
    const struct ifaddrmsg *message = NLMSG_DATA(head);
    const char *at = (const char *)message + NLMSG_ALIGN(sizeof(*message));
    const char *end = (const char *)head + head->nlmsg_len;
    size_t bytes = message->ifa_family == AF_INET ? 4 : 16;
    const void *address = NULL;
    const void *local = NULL;
    char text[INET6_ADDRSTRLEN];
    bool is_between;

    if (message->ifa_family != AF_INET && message->ifa_family != AF_INET6) {
        return false;
    }
    while (end - at >= (ptrdiff_t)sizeof(struct rtattr)) {
        const struct rtattr *part = (const struct rtattr *)(const void *)at;

        if (part->rta_len < sizeof(*part) || part->rta_len > end - at) {
            break;
        }
        if (part->rta_len == RTA_LENGTH(bytes) && part->rta_type == IFA_ADDRESS) {
            address = at + RTA_LENGTH(0);
        } else if (part->rta_len == RTA_LENGTH(bytes) && part->rta_type == IFA_LOCAL) {
            local = at + RTA_LENGTH(0);
        }
        at += RTA_ALIGN(part->rta_len);
    }
    is_between = address != NULL && local != NULL && memcmp(address, local, bytes) != 0;
    local = local != NULL ? local : address;
    if (local == NULL || inet_ntop(message->ifa_family, local, text, sizeof(text)) == NULL) {
        return false;
    }
    *out = (struct network){ .interface = message->ifa_index, .family = message->ifa_family };
    if (is_between) {
        (void)snprintf(out->text, sizeof(out->text), "%s", text);
    } else {
        (void)snprintf(out->text, sizeof(out->text), "%s/%u", text, message->ifa_prefixlen);
    }
    return true;
}

/* One datagram of the kernel's answer. False: it was the last. */
static bool answer_read(const char *bytes, size_t left, struct network *networks,
                        size_t *inout_count)
{
    while (left >= sizeof(struct nlmsghdr)) {
        const struct nlmsghdr *head = (const struct nlmsghdr *)(const void *)bytes;
        size_t whole = NLMSG_ALIGN((size_t)head->nlmsg_len);

        if (head->nlmsg_len < sizeof(*head) || head->nlmsg_len > left ||
            head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR) {
            return false;
        }
        if (head->nlmsg_type == RTM_NEWADDR && *inout_count < NETWORKS_MAX &&
            head->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ifaddrmsg)) &&
            network_read(head, &networks[*inout_count])) {
            (*inout_count)++;
        }
        bytes += whole < left ? whole : left;
        left -= whole < left ? whole : left;
    }
    return true;
}

static size_t networks_read(struct network *networks)
{
    struct {
        struct nlmsghdr head;
        struct ifaddrmsg message;
    } question = { .head = { .nlmsg_len = sizeof(question),
                             .nlmsg_type = RTM_GETADDR,
                             .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP } };
    _Alignas(struct nlmsghdr) static char bytes[ANSWER_BYTES];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    const struct timeval patience = { .tv_sec = 5 };
    size_t count = 0;
    ssize_t length;

    if (fd < 0) {
        return 0;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question)) {
        do {
            length = recv(fd, bytes, sizeof(bytes), 0);
        } while (length > 0 && answer_read(bytes, (size_t)length, networks, &count));
    }
    (void)close(fd);
    return count;
}

/* As `ip` lists them: by interface, those of version 4 first; else as the kernel tells them. */
static bool is_behind(const struct network *a, const struct network *b)
{
    return a->interface != b->interface ? a->interface > b->interface : a->family > b->family;
}

static void networks_say(void)
{
    static struct network networks[NETWORKS_MAX];
    size_t count = networks_read(networks);

    for (size_t i = 1; i < count; i++) {
        struct network one = networks[i];
        size_t at = i;

        for (; at > 0 && is_behind(&networks[at - 1], &one); at--) {
            networks[at] = networks[at - 1];
        }
        networks[at] = one;
    }
    for (size_t i = 0; i < count; i++) {
        say_line("network %s", networks[i].text);
    }
}

/* ---- files ---- */

/* What stands behind a word at the beginning of a line, without what a shell takes away from it. */
static void value_find(const char *path, const char *word, const char *end,
                       char value[static FILE_LINE_BYTES])
{
    FILE *file = fopen(path, "re");
    char line[FILE_LINE_BYTES];

    value[0] = '\0';
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *from = line + strlen(word);
        size_t length;

        if (strncmp(line, word, strlen(word)) != 0) {
            continue;
        }
        from += strspn(from, " \t");
        if (from[0] == '"' || from[0] == '\'') {
            const char quote[] = { from[0], '\n', '\0' };

            from++;
            length = strcspn(from, quote);
        } else {
            length = strcspn(from, end);
        }
        (void)snprintf(value, FILE_LINE_BYTES, "%.*s", (int)length, from);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

static void os_say(void)
{
    char id[FILE_LINE_BYTES];
    char version[FILE_LINE_BYTES];

    value_find("/etc/os-release", "ID=", " \t\n", id);
    value_find("/etc/os-release", "VERSION_ID=", " \t\n", version);
    say_line("os %.200s %.200s", id, version);
}

static void address_say(const char *connection)
{
    char words[FILE_LINE_BYTES];
    char *rest = words;
    const char *address;

    (void)snprintf(words, sizeof(words), "%s", connection);
    (void)mark_word(&rest);
    (void)mark_word(&rest);
    address = mark_word(&rest);
    say_line("address %s", strncmp(address, "::ffff:", 7) == 0 ? address + 7 : address);
}

/* Those that this may run on. The kernel tells nothing where there is not room for as many as it could have. */
static void cpus_say(void)
{
    static cpu_set_t cpus[CPUS_MAX / CPU_SETSIZE];

    (void)sched_getaffinity(0, sizeof(cpus), cpus);
    say_line("cpus %d", CPU_COUNT_S(sizeof(cpus), cpus));
}

void facts_say(const char *connection)
{
    char line[FILE_LINE_BYTES];
    struct utsname system;
    struct statvfs disk;
    uint64_t disk_kib = 0;

    (void)uname(&system);
    say_line("hostname %s", system.nodename);
    address_say(connection);
    networks_say();
    say_line("kernel %s", system.release);
    say_line("architecture %s", system.machine);
    os_say();
    cpus_say();
    value_find("/proc/meminfo", "MemTotal:", " \t\n", line);
    say_line("memory %s", line);
    if (statvfs("/", &disk) == 0) {
        disk_kib = (uint64_t)disk.f_blocks * disk.f_frsize / 1024;
    }
    say_line("disk %" PRIu64, disk_kib);
    if (!file_line("/proc/sys/kernel/random/boot_id", line)) {
        line[0] = '\0';
    }
    say_line("boot %s", line);
}
