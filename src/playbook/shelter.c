#include "playbook/shelter.h"

#include "host/sandbox.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "reeve-playbook"

/* Possible places for the folder of a run, which is in memory and belongs to the run's own mount
 * namespace. The first place where it can be made is used. systemd lets the manager write to
 * /run/reeve only. */
static const char *const run_folders[] = { "/run/" NAME, "/run/reeve/playbook" };

/* The usual user id of `nobody`. The run uses it if no user can be added for the run to the
 * system's user list. */
enum { NOBODY = 65534 };

enum { PARTS = 4, FOLDER_PERCENT = 25, CLEAR_ROUNDS = 1000, TREE_DESCRIPTORS = 16 };

struct entering {
    struct arena *arena;
    struct shelter *shelter;
    uid_t own; /* user to switch to; 0: none */
    bool is_root;
    bool has_mounts;   /* the process has its own mount namespace */
    bool is_in_memory; /* the folder is a separate mount in that namespace */
    struct wire_pair *parts;
    size_t part_count;
};

static void part_note(struct entering *entering, const char *name, const char *missing)
{
    struct text value =
        missing == NULL ? TEXT("in force")
                        : arena_printf(entering->arena, "%s%s%s", missing, errno == 0 ? "" : ": ",
                                       errno == 0 ? "" : strerror(errno));

    entering->parts[entering->part_count++] = (struct wire_pair){ text_from(name), value };
    entering->shelter->parts = (struct wire_list){ entering->parts, entering->part_count };
}

static bool shelter_file_fill(const char *path, const char *text)
{
    AUTO(fd) file = open(path, O_WRONLY | O_CLOEXEC);

    return file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Prepares namespaces for an ordinary user. The user id inside stays the same. */
static bool user_space_enter(void)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    char uids[64];
    char gids[64];

    snprintf(uids, sizeof(uids), "%u %u 1\n", uid, uid);
    snprintf(gids, sizeof(gids), "%u %u 1\n", gid, gid);
    return unshare(CLONE_NEWUSER) == 0 && shelter_file_fill("/proc/self/setgroups", "deny") &&
           shelter_file_fill("/proc/self/uid_map", uids) &&
           shelter_file_fill("/proc/self/gid_map", gids);
}

/* ---- the folder ---- */

/* Mounts the folder of the run, and returns its path; NULL: the mount is not possible. The size of
 * the folder is bounded, because it is in memory. */
static const char *folder_mount(void)
{
    char options[64];

    snprintf(options, sizeof(options), "mode=0700,size=%d%%", FOLDER_PERCENT);
    for (size_t i = 0; i < ARRAY_COUNT(run_folders); i++) {
        if ((mkdir(run_folders[i], 0755) == 0 || errno == EEXIST) &&
            mount("tmpfs", run_folders[i], "tmpfs", MS_NOSUID | MS_NODEV, options) == 0) {
            return run_folders[i];
        }
    }
    return NULL;
}

MUST_CHECK static bool folder_make(struct entering *entering, struct err *err)
{
    char path[] = "/tmp/" NAME "-XXXXXX";

    errno = 0;
    entering->has_mounts = entering->is_root && unshare(CLONE_NEWNS) == 0 &&
                           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    entering->shelter->folder = entering->has_mounts ? folder_mount() : NULL;
    if (entering->shelter->folder != NULL) {
        entering->is_in_memory = true;
        part_note(entering, "memory", NULL);
        return true;
    }
    part_note(entering, "memory", "the folder of the run is on a disk");
    if (mkdtemp(path) == NULL) {
        return err_set(err, CODE_R0843, "a folder for the run cannot be made: %s", strerror(errno));
    }
    entering->shelter->folder = arena_string(entering->arena, text_from(path));
    return true;
}

static int tree_remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    (void)!remove(path);
    return 0;
}

/* ---- the user ---- */

/* Adds the separate user to the system's user list, because ssh rejects a user without an entry. */
static bool shelter_user_name(const struct entering *entering)
{
    struct arena *arena = entering->arena;
    const char *path =
        arena_string(arena, arena_printf(arena, "%s/passwd", entering->shelter->folder));
    FILE *from = fopen("/etc/passwd", "re");
    FILE *to = fopen(path, "we");
    bool is_good = from != NULL && to != NULL;
    char bytes[4096];
    size_t got;

    while (is_good && (got = fread(bytes, 1, sizeof(bytes), from)) > 0) {
        is_good = fwrite(bytes, 1, got, to) == got;
    }
    is_good = is_good && fprintf(to, "%s:x:%u:%u::%s/home:/bin/sh\n", NAME, entering->own,
                                 entering->own, entering->shelter->folder) > 0;
    if (from != NULL) {
        fclose(from);
    }
    is_good = to != NULL && fclose(to) == 0 && is_good;
    return is_good && chmod(path, 0644) == 0 &&
           mount(path, "/etc/passwd", NULL, MS_BIND, NULL) == 0;
}

static bool user_become(uid_t own)
{
    return setgroups(0, NULL) == 0 && setresgid(own, own, own) == 0 &&
           setresuid(own, own, own) == 0;
}

/* Switches from root to another user. A run never has the user root. */
MUST_CHECK static bool shelter_user_change(struct entering *entering, struct err *err)
{
    errno = 0;
    if (!entering->is_root) {
        part_note(entering, "user", "the manager is not root, so a run has its user");
        return true;
    }
    entering->own = sandbox_user_of(NAME);
    if (entering->own == 0 || !entering->is_in_memory || !shelter_user_name(entering)) {
        entering->own = NOBODY;
    }
    if (chown(entering->shelter->folder, entering->own, entering->own) != 0 ||
        !user_become(entering->own)) {
        return err_set(err, CODE_R0843, "the run cannot get a separate user: %s", strerror(errno));
    }
    part_note(entering, "user", NULL);
    return true;
}

/* ---- processes ---- */

/* Waits for the process inside, removes the folder, and exits with the status of that process. */
static _Noreturn void inside_wait_for(const struct entering *entering, pid_t inside)
{
    int status = 0;

    (void)!syscall(SYS_close_range, 0u, ~0u, 0);
    while (waitpid(inside, &status, 0) < 0 && errno == EINTR) {
    }
    if (!entering->is_in_memory) {
        (void)!nftw(entering->shelter->folder, tree_remove_one, TREE_DESCRIPTORS,
                    FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Makes the kernel kill this process when the process that waits for it ends. */
static void death_bind(int outside)
{
    struct pollfd poll_fd = { .fd = outside, .events = POLLIN };

    (void)!prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (outside >= 0 && poll(&poll_fd, 1, 0) > 0) {
        _exit(1); /* the waiting process has already ended */
    }
}

MUST_CHECK static bool processes_part(struct entering *entering, struct err *err)
{
    AUTO(fd) outside = (int)syscall(SYS_pidfd_open, getpid(), 0);
    pid_t inside;

    errno = 0;
    entering->shelter->is_apart = unshare(CLONE_NEWPID) == 0;
    part_note(entering, "processes", entering->shelter->is_apart ? NULL : "the kernel refuses");
    inside = fork();
    if (inside < 0) {
        return err_set(err, CODE_R0843, "a process cannot be created: %s", strerror(errno));
    }
    if (inside > 0) {
        inside_wait_for(entering, inside);
    }
    if (!shelter_user_change(entering, err)) {
        return false;
    }
    (void)!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)!prctl(PR_SET_CHILD_SUBREAPER, 1);
    death_bind(outside);
    return true;
}

bool shelter_enter(struct arena *arena, struct shelter *out, struct err *err)
{
    struct entering entering = { .arena = arena,
                                 .shelter = out,
                                 .is_root = geteuid() == 0,
                                 .parts = arena_array(arena, struct wire_pair, PARTS) };

    *out = (struct shelter){ 0 };
    umask(0022); /* files may be readable by all, because the folder itself is closed to others */
    errno = 0;
    if (!entering.is_root) {
        (void)!user_space_enter(); /* without it the other parts are unavailable; they report the
                                    * reason */
    }
    return folder_make(&entering, err) && processes_part(&entering, err);
}

/* Kills the children of this process, whose own children then become its children. Returns false if
 * there are none. */
static bool children_kill(void)
{
    FILE *file = fopen("/proc/thread-self/children", "re");
    bool is_any = false;
    long pid;

    while (file != NULL && fscanf(file, "%ld", &pid) == 1) {
        is_any = true;
        (void)!kill((pid_t)pid, SIGKILL);
        while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_any;
}

void shelter_clear(const struct shelter *shelter)
{
    if (shelter->is_apart) {
        (void)!kill(-1, SIGKILL); /* all other processes of the namespace */
        return;
    }
    for (int i = 0; i < CLEAR_ROUNDS && children_kill(); i++) {
    }
}
