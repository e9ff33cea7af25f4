#include "netlink.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES = 1024, ANSWER_BYTES = 32768, WAIT_S = 5, WIDE_PREFIX = 4 };

/* A netlink message: header, family-specific struct, attributes. */
struct request {
    struct nlmsghdr header;
    char body[REQUEST_BYTES];
};

int netlink_open(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct timeval wait = { .tv_sec = WAIT_S };

    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    }
    return fd;
}

/* Begins a message; returns the family-specific struct. */
static void *begin(struct request *request, uint16_t type, uint16_t flags, size_t bytes)
{
    memset(request, 0, sizeof(*request));
    request->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(bytes);
    request->header.nlmsg_type = type;
    request->header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
    return request->body;
}

/* Appends an attribute and returns it. The result is needed to nest further attributes in it. */
static struct rtattr *add(struct request *request, unsigned short type, const void *data,
                          size_t bytes)
{
    size_t start = NLMSG_ALIGN(request->header.nlmsg_len);
    struct rtattr *attribute = (struct rtattr *)(void *)((char *)request + start);

    assert(start + RTA_SPACE(bytes) <= sizeof(*request));
    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(bytes);
    if (bytes > 0) {
        memcpy(RTA_DATA(attribute), data, bytes);
    }
    request->header.nlmsg_len = (uint32_t)(start + RTA_SPACE(bytes));
    return attribute;
}

static void add_text(struct request *request, unsigned short type, const char *text)
{
    (void)add(request, type, text, strlen(text) + 1);
}

/* Ends a nested attribute. It contains all attributes that were appended since it was begun. */
static void enclose(struct request *request, struct rtattr *attribute)
{
    attribute->rta_len =
        (unsigned short)((char *)request + request->header.nlmsg_len - (char *)attribute);
}

static bool send_request(int fd, const struct request *request)
{
    return send(fd, request, request->header.nlmsg_len, 0) == (ssize_t)request->header.nlmsg_len;
}

/* Sends the message and waits for the kernel's acknowledgement. */
static bool ask(int fd, struct request *request)
{
    char answer[ANSWER_BYTES] __attribute__((aligned(8)));
    const struct nlmsghdr *header = (const struct nlmsghdr *)(const void *)answer;
    const struct nlmsgerr *word;
    ssize_t got;

    request->header.nlmsg_flags |= NLM_F_ACK;
    if (!send_request(fd, request)) {
        return false;
    }
    got = recv(fd, answer, sizeof(answer), 0);
    if (got < 0) {
        return false;
    }
    if (!NLMSG_OK(header, (size_t)got) || header->nlmsg_type != NLMSG_ERROR) {
        errno = EPROTO;
        return false;
    }
    word = NLMSG_DATA(header);
    errno = -word->error;
    return word->error == 0;
}

/* Returns the data of an attribute, or NULL. */
static const void *find_attribute(const struct rtattr *first, int bytes, unsigned short type,
                                  size_t *out_bytes)
{
    for (const struct rtattr *attribute = first; RTA_OK(attribute, bytes);) {
        int step = (int)RTA_ALIGN(attribute->rta_len);

        if ((attribute->rta_type & NLA_TYPE_MASK) == type) {
            *out_bytes = RTA_PAYLOAD(attribute);
            return RTA_DATA(attribute);
        }
        attribute = (const struct rtattr *)(const void *)((const char *)attribute + step);
        bytes -= step;
    }
    return NULL;
}

static void read_link(const struct nlmsghdr *header, struct netlink_link *out)
{
    const struct ifinfomsg *link = NLMSG_DATA(header);
    const struct rtattr *first = IFLA_RTA(link);
    int bytes = (int)IFLA_PAYLOAD(header);
    size_t length;
    const void *found;

    *out =
        (struct netlink_link){ .index = link->ifi_index, .is_up = (link->ifi_flags & IFF_UP) != 0 };
    found = find_attribute(first, bytes, IFLA_ADDRESS, &length);
    if (found != NULL && length == sizeof(out->mac)) {
        memcpy(out->mac, found, length);
    }
    found = find_attribute(first, bytes, IFLA_LINKINFO, &length);
    if (found != NULL) {
        found = find_attribute(found, (int)length, IFLA_INFO_KIND, &length);
        out->is_bridge = found != NULL && length >= 6 && memcmp(found, "bridge", 6) == 0;
    }
}

bool netlink_find(int fd, const char *name, struct netlink_link *out)
{
    char answer[ANSWER_BYTES] __attribute__((aligned(8)));
    const struct nlmsghdr *header = (const struct nlmsghdr *)(const void *)answer;
    struct request request;
    ssize_t got;

    (void)begin(&request, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
    add_text(&request, IFLA_IFNAME, name);
    if (!send_request(fd, &request)) {
        return false;
    }
    got = recv(fd, answer, sizeof(answer), 0);
    if (got < 0 || !NLMSG_OK(header, (size_t)got)) {
        return false;
    }
    if (header->nlmsg_type == NLMSG_ERROR) {
        errno = -((const struct nlmsgerr *)NLMSG_DATA(header))->error;
        return false;
    }
    read_link(header, out);
    return true;
}

bool netlink_make_bridge(int fd, const char *name, const uint8_t mac[static 6])
{
    struct request request;
    struct rtattr *info;

    (void)begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
    add_text(&request, IFLA_IFNAME, name);
    (void)add(&request, IFLA_ADDRESS, mac, 6);
    info = add(&request, IFLA_LINKINFO, NULL, 0);
    (void)add(&request, IFLA_INFO_KIND, "bridge", 6);
    enclose(&request, info);
    return ask(fd, &request);
}

bool netlink_remove(int fd, int index)
{
    struct request request;
    struct ifinfomsg *link = begin(&request, RTM_DELLINK, 0, sizeof(struct ifinfomsg));

    assert(index > 0);
    link->ifi_index = index;
    return ask(fd, &request);
}

bool netlink_make_pair(int fd, const char *name, int master, const struct netlink_peer *peer)
{
    static const struct ifinfomsg nothing = { .ifi_family = AF_UNSPEC };
    struct request request;
    struct rtattr *info;
    struct rtattr *data;
    struct rtattr *other;
    struct ifinfomsg *link =
        begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));

    link->ifi_family = AF_UNSPEC;
    add_text(&request, IFLA_IFNAME, name);
    (void)add(&request, IFLA_MASTER, &master, sizeof(master));
    info = add(&request, IFLA_LINKINFO, NULL, 0);
    (void)add(&request, IFLA_INFO_KIND, "veth", 4);
    data = add(&request, IFLA_INFO_DATA, NULL, 0);
    other = add(&request, VETH_INFO_PEER, &nothing, sizeof(nothing));
    add_text(&request, IFLA_IFNAME, peer->name);
    (void)add(&request, IFLA_ADDRESS, peer->mac, 6);
    (void)add(&request, IFLA_NET_NS_FD, &peer->namespace, sizeof(peer->namespace));
    enclose(&request, other);
    enclose(&request, data);
    enclose(&request, info);
    return ask(fd, &request);
}

bool netlink_up(int fd, int index)
{
    struct request request;
    struct ifinfomsg *link = begin(&request, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));

    link->ifi_index = index;
    link->ifi_flags = IFF_UP;
    link->ifi_change = IFF_UP;
    return ask(fd, &request);
}

bool netlink_add_address(int fd, int index, uint32_t address, unsigned prefix)
{
    struct request request;
    uint32_t bytes = htonl(address);
    struct ifaddrmsg *message =
        begin(&request, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, sizeof(struct ifaddrmsg));

    assert(prefix <= 32);
    message->ifa_family = AF_INET;
    message->ifa_prefixlen = (uint8_t)prefix;
    message->ifa_index = (uint32_t)index;
    (void)add(&request, IFA_LOCAL, &bytes, sizeof(bytes));
    (void)add(&request, IFA_ADDRESS, &bytes, sizeof(bytes));
    return ask(fd, &request);
}

bool netlink_add_gateway(int fd, uint32_t gateway)
{
    struct request request;
    uint32_t bytes = htonl(gateway);
    struct rtmsg *route =
        begin(&request, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, sizeof(struct rtmsg));

    route->rtm_family = AF_INET;
    route->rtm_table = RT_TABLE_MAIN;
    route->rtm_protocol = RTPROT_STATIC;
    route->rtm_scope = RT_SCOPE_UNIVERSE;
    route->rtm_type = RTN_UNICAST;
    (void)add(&request, RTA_GATEWAY, &bytes, sizeof(bytes));
    return ask(fd, &request);
}

/* Returns whether this route directs some of the addresses to another link. */
static bool is_clash(const struct nlmsghdr *header, uint32_t first, uint32_t last, int own,
                     uint32_t *out_other)
{
    const struct rtmsg *route = NLMSG_DATA(header);
    const struct rtattr *attributes = RTM_RTA(route);
    int bytes = (int)RTM_PAYLOAD(header);
    size_t length;
    const void *target = find_attribute(attributes, bytes, RTA_DST, &length);
    const void *leaves = find_attribute(attributes, bytes, RTA_OIF, &length);
    uint32_t start;
    uint32_t end;
    int by = 0;

    if (target == NULL || route->rtm_dst_len < WIDE_PREFIX || route->rtm_type != RTN_UNICAST) {
        return false;
    }
    memcpy(&start, target, sizeof(start));
    start = ntohl(start);
    end = route->rtm_dst_len == 32 ? start : start | (~(uint32_t)0 >> route->rtm_dst_len);
    if (leaves != NULL) {
        memcpy(&by, leaves, sizeof(by));
    }
    if (start > last || end < first || (own != 0 && by == own)) {
        return false;
    }
    *out_other = start;
    return true;
}

bool netlink_find_clash(int fd, uint32_t first, uint32_t last, int own, uint32_t *out_other)
{
    char answer[ANSWER_BYTES] __attribute__((aligned(8)));
    struct request request;
    struct rtmsg *route = begin(&request, RTM_GETROUTE, NLM_F_DUMP, sizeof(struct rtmsg));
    bool is_found = false;

    route->rtm_family = AF_INET;
    if (!send_request(fd, &request)) {
        return false;
    }
    for (;
         /* read the answer to its end, because the rest would otherwise be read as the next answer;
          * the socket has a timeout */
         ;) {
        ssize_t got = recv(fd, answer, sizeof(answer), 0);
        const struct nlmsghdr *header = (const struct nlmsghdr *)(const void *)answer;

        if (got <= 0) {
            return is_found;
        }
        for (size_t left = (size_t)got; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) {
                return is_found;
            }
            is_found = is_found || is_clash(header, first, last, own, out_other);
        }
    }
}
