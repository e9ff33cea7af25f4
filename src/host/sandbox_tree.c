#include "base/limits.h"
#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const sandbox_readable[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    /* shared libraries; name resolution, services and internet certificates; time zone */
    "/etc/ld.so.cache",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/gnutls",
    "/etc/pki",
    NULL,
};

const char *const sandbox_devices[] = { "/dev/null",   "/dev/zero",    "/dev/full",
                                        "/dev/random", "/dev/urandom", NULL };

#define QUIET (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* Folder where the new tree is assembled, in a private mount namespace. */
#define SITE "/tmp"

/* ---- single steps; errno has the error ---- */

/* Creates a detached mount of a file system without a device. */
static int plain_make(const char *type, const char *option, const char *value, unsigned attributes)
{
    AUTO(fd) made = fsopen(type, FSOPEN_CLOEXEC);

    if (made < 0 ||
        (option != NULL && fsconfig(made, FSCONFIG_SET_STRING, option, value, 0) != 0) ||
        fsconfig(made, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) {
        return FD_NONE;
    }
    return fsmount(made, FSMOUNT_CLOEXEC, attributes);
}

/* Clones the mount at a path, with reduced permissions. */
static int copy_make_at(int folder, const char *path, uint64_t attributes)
{
    struct mount_attr attr = { .attr_set = attributes };
    int copy = open_tree(folder, path,
                         (unsigned)(OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE) |
                             (path[0] == '\0' ? AT_EMPTY_PATH : 0));

    if (copy >= 0 &&
        mount_setattr(copy, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) != 0) {
        fd_cleanup(&copy);
        return FD_NONE;
    }
    return copy;
}

static int copy_make(const char *path, uint64_t attributes)
{
    return copy_make_at(AT_FDCWD, path, attributes);
}

/* Clones a path that must be below `within`. Links on the path are not followed. */
static int copy_make_within(const char *within, const char *path, uint64_t attributes)
{
    AUTO(fd) folder = FD_NONE;
    struct err unused;

    return sandbox_folder_open(within, path, &folder, &unused)
               ? copy_make_at(folder, "", attributes)
               : FD_NONE;
}

static bool piece_place(int piece, int root, const char *path)
{
    return piece >= 0 && move_mount(piece, "", root, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

/* Creates the folders on a path, accessible to all users, and at its end a folder or a file. */
static bool sandbox_tree_path_make(int root, const char *path, bool is_folder)
{
    char part[LIMIT_PATH_BYTES];
    size_t length = strlen(path);

    assert(path[0] != '/');
    if (length >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        memcpy(part, path, i);
        part[i] = '\0';
        if (i == length && !is_folder) {
            AUTO(fd) file = openat(root, part, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);

            return file >= 0;
        }
        if (mkdirat(root, part, 0755) != 0 && errno != EEXIST) {
            return false;
        }
    }
    return true;
}

/* ---- parts of the tree ---- */

/* Creates a copy of a symbolic link at the top level, such as /lib to /usr/lib. */
static bool link_repeat(int root, const char *path)
{
    char target[LIMIT_PATH_BYTES];
    ssize_t length = readlink(path, target, sizeof(target) - 1);

    if (length <= 0) {
        return false;
    }
    target[length] = '\0';
    return symlinkat(target, root, path + 1) == 0;
}

static bool machine_place(int root, const char *path, uint64_t attributes)
{
    AUTO(fd) piece = FD_NONE;
    struct stat status;

    if (stat(path, &status) != 0 || (strchr(path + 1, '/') == NULL && link_repeat(root, path))) {
        return true;
    }
    piece = copy_make(path, attributes);
    return sandbox_tree_path_make(root, path + 1, S_ISDIR(status.st_mode)) &&
           piece_place(piece, root, path + 1);
}

static bool machine_show(int root)
{
    for (size_t i = 0; sandbox_readable[i] != NULL; i++) {
        if (!machine_place(root, sandbox_readable[i], QUIET | MOUNT_ATTR_RDONLY)) {
            return false;
        }
    }
    for (size_t i = 0; sandbox_devices[i] != NULL; i++) {
        if (!machine_place(root, sandbox_devices[i], MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)) {
            return false;
        }
    }
    return true;
}

/* Mounts /proc. In a pid namespace it shows only the processes of that namespace. Otherwise it is
 * the machine's /proc, which is needed because the plugin is loaded through it; Landlock then
 * restricts it to /proc/self. */
static bool processes_show(int root, const struct sandbox_report *report)
{
    AUTO(fd) own = FD_NONE;

    if (sandbox_has(report, SANDBOX_PROCESSES)) {
        own = plain_make("proc", "subset", "pid", QUIET | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY);
    } else {
        own = copy_make("/proc", QUIET | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY);
    }
    return sandbox_tree_path_make(root, "proc", true) && piece_place(own, root, "proc");
}

static bool folders_show(int root, int folder, const char *path)
{
    char bytes[32];
    AUTO(fd) passing = FD_NONE;

    snprintf(bytes, sizeof(bytes), "%d", LIMIT_SANDBOX_PASSING_BYTES);
    passing = plain_make("tmpfs", "size", bytes, QUIET | MOUNT_ATTR_NOEXEC);
    if (!sandbox_tree_path_make(root, "tmp", true) || !piece_place(passing, root, "tmp") ||
        fchmodat(root, "tmp", 01777, 0) != 0) {
        return false;
    }
    return path == NULL ||
           (sandbox_tree_path_make(root, path + 1, true) && piece_place(folder, root, path + 1));
}

/* Changes the root. The old tree is mounted below the new one for a moment, and then detached. */
static bool root_change(int root)
{
    struct mount_attr attr = { .attr_set = QUIET | MOUNT_ATTR_RDONLY };

    return fchdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 &&
           mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) == 0;
}

/* Fills the empty tree and enters it. Returns the error, or NULL. */
static const char *tree_fill(int root, int folder, const char *path,
                             const struct sandbox_report *report)
{
    if (!machine_show(root)) {
        return "the files of the system cannot be mounted";
    }
    if (!processes_show(root, report)) {
        return "a separate /proc cannot be mounted";
    }
    if (!folders_show(root, folder, path)) {
        return "the plugin's folder cannot be mounted";
    }
    return root_change(root) ? NULL : "its file tree cannot be entered";
}

/* Creates the empty tree and enters it. Returns the error, or NULL. */
static const char *tree_empty(int root)
{
    return root_change(root) ? NULL : "its file tree cannot be entered";
}

/* Creates the file tree. The mount namespace is made private first, because mounts would otherwise
 * affect the whole machine. Returns the error, or NULL. */
static const char *tree_make(const struct sandbox_options *options,
                             const struct sandbox_report *report)
{
    const char *path = options->folder;
    AUTO(fd) folder = FD_NONE;
    AUTO(fd) root = FD_NONE;
    const char *wrong;
    int number;

    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return "the mounts cannot be made private";
    }
    if (path != NULL) {
        folder = options->within != NULL
                     ? copy_make_within(options->within, path, QUIET | MOUNT_ATTR_NOEXEC)
                     : copy_make(path, QUIET | MOUNT_ATTR_NOEXEC);
        if (folder < 0) {
            return "the plugin's folder cannot be mounted";
        }
    }
    root = plain_make("tmpfs", "size", "1m", QUIET);
    if (root < 0 || !piece_place(root, AT_FDCWD, SITE)) {
        return "an empty tree cannot be created";
    }
    wrong =
        options->profile == SANDBOX_KEYS ? tree_empty(root) : tree_fill(root, folder, path, report);
    if (wrong != NULL) {
        number = errno;
        (void)!umount2(SITE, MNT_DETACH);
        errno = number;
    }
    return wrong;
}

void sandbox_plant(const struct sandbox_options *options, struct sandbox_report *report)
{
    const char *wrong;
    mode_t mask;

    if (!sandbox_has(report, SANDBOX_FILES)) {
        return;
    }
    mask = umask(0022);
    wrong = tree_make(options, report);
    umask(mask);
    if (wrong != NULL) {
        sandbox_miss(report, SANDBOX_FILES, wrong, errno);
        (void)!chdir("/");
    }
}
