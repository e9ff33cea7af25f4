/* Creates containers in a minimal loop with liblxc, as the baseline for the plugin `local`
 * (bench/local.py):
 *
 *   bench_lxc loop IMAGE SHIM FOLDER BRIDGE COUNT
 *       defines and starts the containers one after the other, waits for each banner, then removes
 *       the containers. Prints the seconds until the last start and until the last banner.
 *   bench_lxc banners ADDRESS...
 *       waits until sshd answers at each address. Prints the seconds. */
#include "base/macros.h"

#include <arpa/inet.h>
#include <lxc/lxccontainer.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 250, PATH_BYTES = 1024, WAIT_S = 30 };

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Try once to read the banner of sshd. */
static bool has_banner(const char *address)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(22) };
    struct timeval wait = { .tv_sec = 1 };
    char banner[4] = { 0 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_there;

    (void)inet_pton(AF_INET, address, &to.sin_addr);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    is_there = connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0 &&
               recv(fd, banner, sizeof(banner), MSG_WAITALL) == 4 && memcmp(banner, "SSH-", 4) == 0;
    (void)close(fd);
    return is_there;
}

static bool await_banner(const char *address)
{
    double ends = now_s() + WAIT_S;

    while (!has_banner(address)) {
        if (now_s() > ends) {
            (void)fprintf(stderr, "%s does not answer\n", address);
            return false;
        }
        (void)nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    return true;
}

static bool set(struct lxc_container *container, const char *key, const char *value)
{
    return container->set_config_item(container, key, value);
}

/* Define one container with the minimal configuration that sshd needs. */
static struct lxc_container *define(char *const *arg, unsigned i)
{
    static const char *const fixed[][2] = {
        { "lxc.net.0.type", "veth" },
        { "lxc.net.0.flags", "up" },
        { "lxc.net.0.name", "eth0" },
        { "lxc.mount.auto", "proc:mixed sys:ro" },
        { "lxc.autodev", "1" },
        { "lxc.pty.max", "64" },
        { "lxc.tty.max", "0" },
        { "lxc.mount.entry", "tmpfs run tmpfs mode=755,create=dir 0 0" },
        { "lxc.mount.entry", "tmpfs tmp tmpfs mode=1777,create=dir 0 0" },
        { "lxc.init.cmd", "/sbin/bench-init" },
        { "lxc.signal.halt", "SIGTERM" },
    };
    char name[32];
    char path[PATH_BYTES];
    char root[PATH_BYTES * 4];
    char address[64];
    struct lxc_container *container;
    bool is_set;

    (void)snprintf(name, sizeof(name), "bare%u", i);
    (void)snprintf(path, sizeof(path), "%s/%s", arg[2], name);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof(path), "%s/%s/upper", arg[2], name);
    (void)mkdir(path, 0755);
    (void)snprintf(root, sizeof(root), "overlay:%s:%s:%s", arg[1], arg[0], path);
    (void)snprintf(address, sizeof(address), "10.78.0.%u/24", i + 10);
    container = lxc_container_new(name, arg[2]);
    is_set = container != NULL && set(container, "lxc.rootfs.path", root) &&
             set(container, "lxc.uts.name", name);
    for (size_t k = 0; is_set && k < ARRAY_COUNT(fixed); k++) {
        is_set = set(container, fixed[k][0], fixed[k][1]);
    }
    is_set = is_set && set(container, "lxc.net.0.link", arg[3]) &&
             set(container, "lxc.net.0.ipv4.address", address) &&
             container->save_config(container, NULL);
    return is_set ? container : NULL;
}

static int run_loop(char *const *arg)
{
    static struct lxc_container *containers[COUNT_MAX];
    unsigned count = (unsigned)atoi(arg[4]);
    double begin = now_s();
    double started;
    bool is_well = count <= COUNT_MAX;

    for (unsigned i = 0; is_well && i < count; i++) {
        containers[i] = define(arg, i);
        is_well = containers[i] != NULL && containers[i]->want_daemonize(containers[i], true) &&
                  containers[i]->start(containers[i], 0, NULL);
    }
    started = now_s();
    for (unsigned i = 0; is_well && i < count; i++) {
        char address[64];

        (void)snprintf(address, sizeof(address), "10.78.0.%u", i + 10);
        is_well = await_banner(address);
    }
    if (is_well) {
        (void)printf("%.4f %.4f\n", started - begin, now_s() - begin);
    }
    for (unsigned i = 0; i < count && containers[i] != NULL; i++) {
        (void)containers[i]->stop(containers[i]);
        (void)containers[i]->destroy(containers[i]);
        (void)lxc_container_put(containers[i]);
    }
    return is_well ? 0 : 1;
}

int main(int argc, char **argv)
{
    double begin = now_s();
    bool is_well = true;

    if (argc == 7 && strcmp(argv[1], "loop") == 0) {
        return run_loop(argv + 2);
    }
    if (argc < 3 || strcmp(argv[1], "banners") != 0) {
        return 2;
    }
    for (int i = 2; is_well && i < argc; i++) {
        is_well = await_banner(argv[i]);
    }
    (void)printf("%.4f\n", now_s() - begin);
    return is_well ? 0 : 1;
}
