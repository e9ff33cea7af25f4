#include "bmc/bmc_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

bool bmc_address_is_own(struct arena *arena, struct text address)
{
    const char *wanted = arena_string(arena, address);
    struct ifaddrs *list = NULL;
    bool is_own = false;

    if (getifaddrs(&list) != 0) {
        return false;
    }
    for (const struct ifaddrs *one = list; one != NULL && !is_own; one = one->ifa_next) {
        char words[INET6_ADDRSTRLEN] = "";

        if (one->ifa_addr == NULL || (one->ifa_flags & IFF_LOOPBACK) != 0) {
            continue;
        }
        if (one->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in v4;

            memcpy(&v4, one->ifa_addr, sizeof(v4));
            (void)inet_ntop(AF_INET, &v4.sin_addr, words, sizeof(words));
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            struct sockaddr_in6 v6;

            memcpy(&v6, one->ifa_addr, sizeof(v6));
            (void)inet_ntop(AF_INET6, &v6.sin6_addr, words, sizeof(words));
        }
        is_own = words[0] != '\0' && strcmp(words, wanted) == 0;
    }
    freeifaddrs(list);
    return is_own;
}
