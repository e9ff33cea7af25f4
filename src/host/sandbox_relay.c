#include "base/limits.h"
#include "host/relay.h"
#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A new network namespace has only a loopback interface. The listening socket is created inside,
 * and served from outside: a socket belongs forever to the namespace in which it was created. */

enum { CLIENTS_MAX = 32, BACKLOG = 32, LOOK_MS = 10 * 1000, REAP_MS = 200 };

/* ---- inside ---- */

static bool sandbox_relay_loopback_raise(void)
{
    AUTO(fd) any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = { .ifr_name = "lo" };

    if (any < 0 || ioctl(any, SIOCGIFFLAGS, &request) != 0) {
        return false;
    }
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
    return ioctl(any, SIOCSIFFLAGS, &request) == 0;
}

static int listener_make(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(RELAY_PORT),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    AUTO(fd) fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int out = fd;

    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(fd, BACKLOG) != 0) {
        return FD_NONE;
    }
    fd = FD_NONE;
    return out;
}

static bool relay_socket_send(int socket, int listener)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    char byte = 0;
    struct iovec piece = { &byte, 1 };
    struct msghdr message = { .msg_iov = &piece,
                              .msg_iovlen = 1,
                              .msg_control = control.room,
                              .msg_controllen = sizeof(control.room) };

    CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
    CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
    CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &listener, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

void sandbox_network_leave(int socket, struct sandbox_report *report)
{
    static const char *const variables[] = { "https_proxy", "HTTPS_PROXY" };
    AUTO(fd) listener = FD_NONE;

    if (unshare(CLONE_NEWNET) != 0) {
        sandbox_miss(report, SANDBOX_NETWORK, "the kernel refuses", errno);
        return;
    }
    if (!sandbox_relay_loopback_raise() || (listener = listener_make()) < 0 ||
        !relay_socket_send(socket, listener)) {
        sandbox_miss(report, SANDBOX_NETWORK,
                     "the network was separated, but the relay could not be set up", errno);
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(variables); i++) {
        setenv(variables[i], "http://127.0.0.1:3128", 1);
    }
    sandbox_note(report, SANDBOX_NETWORK);
}

/* ---- outside ---- */

static int relay_socket_receive(int socket)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    char byte;
    struct iovec piece = { &byte, 1 };
    struct msghdr message = { .msg_iov = &piece,
                              .msg_iovlen = 1,
                              .msg_control = control.room,
                              .msg_controllen = sizeof(control.room) };
    int listener = FD_NONE;

    while (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < 0 && errno == EINTR) {
    }
    if (CMSG_FIRSTHDR(&message) != NULL && CMSG_FIRSTHDR(&message)->cmsg_type == SCM_RIGHTS) {
        memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
    }
    return listener;
}

/* Switches a helper process to a user that is neither root nor the manager's user, because helpers
 * use the network, or read files that a plugin has written. */
static void helper_become(uid_t user)
{
    struct sandbox_options options = { .profile = SANDBOX_CLOUD };
    struct sandbox_report unused = { 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (user != 0 && (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 ||
                      setresuid(user, user, user) != 0)) {
        _exit(1);
    }
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (!sandbox_drop(0)) {
        _exit(1);
    }
    sandbox_filter(&options, &unused);
}

struct outside {
    const struct sandbox_options *options;
    const struct sandbox_identity *identity;
    pid_t inside;
    pid_t counter; /* process that counts the bytes in the folder; 0: none runs */
    unsigned clients;
    bool is_too_large;
    int status; /* wait status of the process inside */
    bool is_over;
};

static void client_take(struct outside *outside, int listener)
{
    AUTO(fd) client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    pid_t pid = client < 0 || outside->clients == CLIENTS_MAX ? -1 : fork();

    if (pid == 0) {
        close(listener);
        /* another user than the plugin's, so that the plugin cannot access the process */
        helper_become(outside->identity->own == 0 ? 0 : outside->identity->own ^ 1u);
        relay_serve(client, outside->options->relay);
        _exit(0);
    }
    outside->clients += pid > 0;
}

static void sandbox_relay_folder_look(struct outside *outside)
{
    uint64_t most = outside->options->folder_bytes;

    if (most == 0 || outside->options->folder == NULL || outside->counter != 0) {
        return;
    }
    outside->counter = fork();
    if (outside->counter == 0) {
        helper_become(outside->identity->own);
        _exit(sandbox_folder_bytes(outside->options->folder, most) > most ? SANDBOX_EXIT_FOLDER
                                                                          : 0);
    }
    outside->counter = outside->counter > 0 ? outside->counter : 0;
}

static void helpers_reap(struct outside *outside)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == outside->inside) {
            outside->is_over = true;
            outside->status = status;
        } else if (pid == outside->counter) {
            outside->counter = 0;
            if (WIFEXITED(status) && WEXITSTATUS(status) == SANDBOX_EXIT_FOLDER) {
                outside->is_too_large = true;
                kill(outside->inside, SIGKILL);
            }
        } else {
            outside->clients -= outside->clients > 0;
        }
    }
}

int sandbox_relay(const struct sandbox_options *options, const struct sandbox_identity *identity,
                  pid_t inside, int socket,
                  void (*strip)(const struct sandbox_options *options, bool is_root))
{
    struct outside outside = { .options = options, .identity = identity, .inside = inside };
    int listener = relay_socket_receive(socket);
    int ended = (int)syscall(SYS_pidfd_open, inside, 0);
    struct pollfd waits[2] = { { .events = POLLIN }, { .events = POLLIN } };
    int waited_ms = 0;

    /* the two descriptors that are still needed become 0 and 1 */
    listener = listener < 0 ? FD_NONE : fcntl(listener, F_DUPFD_CLOEXEC, 10);
    ended = fcntl(ended, F_DUPFD_CLOEXEC, 10);
    waits[0].fd = ended < 0 ? FD_NONE : dup3(ended, 0, O_CLOEXEC);
    waits[1].fd = listener < 0 ? FD_NONE : dup3(listener, 1, O_CLOEXEC);
    (void)!syscall(SYS_close_range, waits[1].fd < 0 ? 1u : 2u, ~0u, 0);
    strip(options, identity->is_root);
    while (!outside.is_over) {
        bool is_busy = outside.clients > 0 || outside.counter != 0 || waits[0].fd < 0;
        int step_ms = is_busy ? REAP_MS : LOOK_MS;

        if (poll(waits, 2, step_ms) == 0) {
            waited_ms += step_ms;
        }
        if (waits[1].fd >= 0 && waits[1].revents != 0) {
            client_take(&outside, waits[1].fd);
        }
        if (waited_ms >= LOOK_MS) {
            waited_ms = 0;
            sandbox_relay_folder_look(&outside);
        }
        helpers_reap(&outside);
    }
    return outside.is_too_large ? SANDBOX_EXIT_FOLDER << 8 : outside.status;
}
