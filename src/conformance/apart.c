#include "base/exits.h"
#include "conformance/conformance_parts.h"
#include "sys/fd.h"
#include "sys/file.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* public names start with: apart_ conformance_ */

/* Plugins that create machines on this computer are tested in new namespaces: a network namespace,
 * so that no existing network is changed; a mount namespace; and a pid namespace, so that no
 * process outlives the test. */

/* Environment variable with the step of this process. Unset: outside of the namespaces. Then: first
 * process of the namespaces, and the test itself inside them. */
#define STEP       "REEVE_KIT_STEP"
#define STEP_FIRST "first"
#define STEP_IN    "in"

/* Folder in which liblxc creates lock files. */
#define LXC_FOLDER "/run/lxc"

enum { MOUNTS_MAX = 4096, MOUNT_LINE_BYTES = 8192, ARGUMENTS_MAX = 1024 };

/* Raises the loopback interface. The network has no exit, but its own addresses are reachable. */
MUST_CHECK static bool apart_loopback_raise(struct err *err)
{
    AUTO(fd) any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };

    return (any >= 0 && ioctl(any, SIOCSIFFLAGS, &request) == 0) ||
           err_set(err, CODE_R0622, "the test cannot set up its network namespace: %s",
                   strerror(errno));
}

/* Runs the same command again in the next step and reaps children until it has ended. */
MUST_CHECK static bool apart_again(struct arena *arena, const char *step, int *out_code,
                                   struct err *err)
{
    char *argv[ARGUMENTS_MAX + 1];
    size_t count = 0;
    struct text words;
    int status = 0;
    pid_t ended;
    pid_t pid;

    if (!file_read(arena, "/proc/self/cmdline", LIMIT_DOCUMENT_BYTES, &words, err)) {
        return false;
    }
    while (words.length > 0 && count < ARGUMENTS_MAX) {
        size_t length = text_find_byte(words, '\0');

        argv[count++] = arena_string(arena, text_slice(words, 0, length));
        words = text_slice(words, length + 1, words.length);
    }
    argv[count] = NULL;
    if (setenv(STEP, step, 1) != 0 ||
        posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0) {
        return err_set(err, CODE_R0622, "the test cannot be run in separate namespaces");
    }
    do {
        ended = waitpid(-1, &status, 0);
    } while (ended != pid && (ended > 0 || errno == EINTR));
    *out_code = ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CODE_FAILED;
    return true;
}

/* Sets up the first process of the pid namespace. It is killed when its parent ends, and then the
 * kernel kills all processes of the namespace. */
MUST_CHECK static bool first_begin(struct err *err)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        return err_set(err, CODE_R0622, "separate namespaces cannot be created: %s",
                       strerror(errno));
    }
    if (mount("tmpfs", LXC_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV, NULL) != 0 && errno != ENOENT) {
        return err_set(err, CODE_R0622, LXC_FOLDER ": %s", strerror(errno));
    }
    return apart_loopback_raise(err);
}

bool conformance_apart(struct arena *arena, const struct conformance_about *about,
                       bool *out_is_over, int *out_code, struct err *err)
{
    const char *step = getenv(STEP);

    *out_is_over = about->profile == SANDBOX_HOST && (step == NULL || strcmp(step, STEP_IN) != 0);
    if (!*out_is_over) {
        return true;
    }
    if (geteuid() != 0) {
        err_set(err, CODE_R0622,
                "this plugin makes machines on this computer, which only root may do");
        return err_hint(
            err,
            "run the test as root: the machines and their network are then in separate namespaces of the test");
    }
    if (step != NULL) {
        return first_begin(err) && apart_again(arena, STEP_IN, out_code, err);
    }
    if (unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID) != 0) {
        err_set(err, CODE_R0622, "separate namespaces cannot be created: %s", strerror(errno));
        return err_hint(err, "in a container this requires the capability CAP_SYS_ADMIN");
    }
    return apart_again(arena, STEP_FIRST, out_code, err);
}

/* Reads the mount point of a mountinfo line and unescapes it. */
static bool place_read(const char *line, char out[static MOUNT_LINE_BYTES])
{
    size_t length = 0;

    if (sscanf(line, "%*s %*s %*s %*s %8191s", out) != 1) {
        return false;
    }
    for (const char *at = out; *at != '\0'; at++) {
        unsigned octal;

        if (at[0] == '\\' && sscanf(at + 1, "%3o", &octal) == 1) {
            out[length++] = (char)octal;
            at += 3;
        } else {
            out[length++] = *at;
        }
    }
    out[length] = '\0';
    return true;
}

/* Unmounts the newest mount first, because it may be on top of an older one. */
static size_t last_unmount(const char *folder)
{
    char line[MOUNT_LINE_BYTES];
    char place[MOUNT_LINE_BYTES];
    char last[MOUNT_LINE_BYTES] = "";
    size_t length = strlen(folder);
    size_t count = 0;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");

    while (mounts != NULL && fgets(line, sizeof(line), mounts) != NULL) {
        if (place_read(line, place) && strncmp(place, folder, length) == 0 &&
            place[length] == '/') {
            memcpy(last, place, sizeof(last));
            count++;
        }
    }
    if (mounts == NULL) {
        return SIZE_MAX;
    }
    fclose(mounts);
    return count > 0 && umount2(last, MNT_DETACH | UMOUNT_NOFOLLOW) != 0 ? SIZE_MAX : count;
}

bool apart_clear(const char *folder)
{
    char room[PATH_MAX];
    const char *whole = realpath(folder, room);

    for (size_t i = 0; whole != NULL && i < MOUNTS_MAX; i++) {
        size_t count = last_unmount(whole);

        if (count == 0 || count == SIZE_MAX) {
            return count == 0;
        }
    }
    return false;
}
