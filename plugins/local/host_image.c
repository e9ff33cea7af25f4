#include "host_image.h"

#include "base/buf.h"
#include "disk.h"
#include "lock.h"
#include "sys/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { FILE_BYTES = 4 * 1024 * 1024, DEPTH = 6, SYSTEM_ID_MOST = 999 };

/* Files of the host's /etc that are copied to machines. Before adding a name, make sure that the
 * file can never contain a password, a key, an address, a person's name, or a command of the host's
 * operator. */
static const char *const shown[] = {
    "adduser.conf",
    "alternatives",
    "bindresvport.blacklist",
    "ca-certificates.conf",
    "debian_version",
    "deluser.conf",
    "dpkg/origins",
    "ethertypes",
    "gai.conf",
    "host.conf",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "libaudit.conf",
    "locale.alias",
    "localtime",
    "login.defs",
    "magic",
    "magic.mime",
    "mime.types",
    "networks",
    "nsswitch.conf",
    "os-release",
    "pam.conf",
    "pam.d",
    "perl",
    "protocols",
    "python3",
    "python3.11",
    "python3.13",
    "rpc",
    "security/access.conf",
    "security/group.conf",
    "security/limits.conf",
    "security/namespace.conf",
    "security/pam_env.conf",
    "security/time.conf",
    "selinux/semanage.conf",
    "services",
    "shells",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xattr.conf",
    "default/locale",
    "default/useradd",
    "gss/mech.d",
};

/* Files whose content comes from the plugin itself. */
static const struct {
    const char *name;
    const char *bytes;
    mode_t mode;
} written[] = {
    { "etc/profile",
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nexport PATH\n", 0644 },
    { "etc/bash.bashrc", "", 0644 },
    { "etc/environment", "PATH=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n",
      0644 },
    { "etc/motd", "", 0644 },
    { "etc/fstab", "", 0644 },
    { "etc/machine-id", "", 0444 },
    { "etc/subuid", "", 0644 },
    { "etc/subgid", "", 0644 },
    { "etc/sudoers",
      "Defaults env_reset\n"
      "Defaults secure_path=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n"
      "root ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n",
      0440 },
    { "etc/ssh/sshd_config",
      "PermitRootLogin prohibit-password\nPasswordAuthentication no\n"
      "KbdInteractiveAuthentication no\nUsePAM no\nPrintMotd no\n"
      "Subsystem sftp /usr/lib/openssh/sftp-server\n",
      0644 },
};

static const char *const folders[] = {
    "etc",          "etc/ssh",      "etc/sudoers.d", "etc/ssl",   "etc/security", "etc/dpkg",
    "etc/selinux",  "etc/default",  "etc/gss",       "usr",       "var",          "var/lib",
    "var/lib/misc", "var/lib/dpkg", "var/log",       "var/cache", "var/spool",    "var/mail",
    "var/backups",  "var/local",    "var/opt",       "home",      "opt",          "srv",
    "mnt",          "media",        "boot",          "proc",      "sys",          "dev",
    "run",          "tmp",          "var/tmp",       "root",      "var/lib/sudo",
};

/* A copy in progress: its destination, and a hash over all data. */
struct copy {
    struct work *work;
    uint64_t hash;
};

static void mix(struct copy *copy, const char *name, struct text bytes)
{
    copy->hash = text_hash(bytes, text_hash(text_from(name), copy->hash));
}

static bool put(struct copy *copy, const char *root, const char *name, struct text bytes,
                mode_t mode)
{
    mix(copy, name, bytes);
    return disk_write(arena_printf(copy->work->arena, "%s/%s", root, name).data, bytes, mode);
}

static bool copy_link(struct copy *copy, const char *from, const char *to)
{
    char target[PATH_MAX];
    ssize_t length = readlink(from, target, sizeof(target) - 1);

    if (length <= 0) {
        return true;
    }
    target[length] = '\0';
    mix(copy, from, text_from(target));
    return symlink(target, to) == 0 || errno == EEXIST;
}

/* Copies a file, link or folder of /etc if every user may read it. Other entries are skipped
 * without an error. */
static bool copy_entry(struct copy *copy, const char *from, const char *to, unsigned depth)
{
    struct arena *arena = copy->work->arena;
    struct stat status;
    struct text bytes;
    DIR *entries;
    const struct dirent *entry;
    bool is_done = true;

    if (lstat(from, &status) != 0) {
        return true;
    }
    if (S_ISLNK(status.st_mode)) {
        return copy_link(copy, from, to);
    }
    if (S_ISREG(status.st_mode)) {
        if ((status.st_mode & S_IROTH) == 0 || !disk_read(arena, from, FILE_BYTES, &bytes)) {
            return true;
        }
        mix(copy, from, bytes);
        return disk_write(to, bytes, status.st_mode & 0755);
    }
    if (!S_ISDIR(status.st_mode) || (status.st_mode & S_IXOTH) == 0 || depth == 0) {
        return true;
    }
    entries = disk_folder(to, 0755) ? opendir(from) : NULL;
    while (entries != NULL && is_done && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            is_done = copy_entry(copy, arena_printf(arena, "%s/%s", from, entry->d_name).data,
                                 arena_printf(arena, "%s/%s", to, entry->d_name).data, depth - 1);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return is_done;
}

/* Returns field i of a line of /etc/passwd or /etc/group. */
static struct text part_of(struct text line, unsigned i)
{
    for (;;) {
        size_t colon = text_find_byte(line, ':');

        if (i-- == 0) {
            return text_slice(line, 0, colon);
        }
        if (colon == SIZE_MAX) {
            return (struct text){ 0 };
        }
        line = text_slice(line, colon + 1, line.length);
    }
}

/* Removes the next line from a text. Returns false at the end. */
static bool next_line(struct text *rest, struct text *out)
{
    size_t end = text_find_byte(*rest, '\n');

    if (rest->length == 0) {
        return false;
    }
    *out = text_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? (struct text){ 0 } : text_slice(*rest, end + 1, rest->length);
    return true;
}

/* Returns whether the line is a system user or group, as packages create them. Accounts of people
 * are not copied. */
static bool is_of_system(struct text line)
{
    int64_t id;

    return text_parse_int64(part_of(line, 2), &id) && id > 0 &&
           (id <= SYSTEM_ID_MOST || id == 65534);
}

static bool put_users(struct copy *copy, const char *root)
{
    struct arena *arena = copy->work->arena;
    struct text rest = { 0 };
    struct text line;
    struct buf users;
    struct buf shadow;
    bool has_sshd = false;

    buf_init(&users, arena);
    buf_init(&shadow, arena);
    buf_add_string(&users, "root:x:0:0:root:/root:/bin/bash\n");
    buf_add_string(&shadow, "root:*:19000:0:99999:7:::\n");
    (void)!disk_read(arena, "/etc/passwd", FILE_BYTES, &rest);
    while (next_line(&rest, &line)) {
        struct text name = part_of(line, 0);

        if (is_of_system(line)) {
            buf_printf(&users, "%.*s:x:%.*s:%.*s::/nonexistent:/usr/sbin/nologin\n", TEXT_ARG(name),
                       TEXT_ARG(part_of(line, 2)), TEXT_ARG(part_of(line, 3)));
            buf_printf(&shadow, "%.*s:*:19000:0:99999:7:::\n", TEXT_ARG(name));
            has_sshd = has_sshd || text_is(name, "sshd");
        }
    }
    if (!has_sshd) {
        buf_add_string(&users, "sshd:x:998:65534::/run/sshd:/usr/sbin/nologin\n");
        buf_add_string(&shadow, "sshd:*:19000:0:99999:7:::\n");
    }
    return put(copy, root, "etc/passwd", buf_text(&users), 0644) &&
           put(copy, root, "etc/shadow", buf_text(&shadow), 0600);
}

static bool put_groups(struct copy *copy, const char *root)
{
    struct arena *arena = copy->work->arena;
    struct text rest = { 0 };
    struct text line;
    struct buf groups;
    struct buf shadow;

    buf_init(&groups, arena);
    buf_init(&shadow, arena);
    buf_add_string(&groups, "root:x:0:\n");
    buf_add_string(&shadow, "root:*::\n");
    (void)!disk_read(arena, "/etc/group", FILE_BYTES, &rest);
    while (next_line(&rest, &line)) {
        if (is_of_system(line)) {
            buf_printf(&groups, "%.*s:x:%.*s:\n", TEXT_ARG(part_of(line, 0)),
                       TEXT_ARG(part_of(line, 2)));
            buf_printf(&shadow, "%.*s:*::\n", TEXT_ARG(part_of(line, 0)));
        }
    }
    return put(copy, root, "etc/group", buf_text(&groups), 0644) &&
           put(copy, root, "etc/gshadow", buf_text(&shadow), 0600);
}

/* Creates /bin -> usr/bin and similar links, like those of the host. On failure errno is set; it is
 * ENOTSUP if the host's /bin and similar folders are not links into /usr. */
static bool put_links(struct copy *copy, const char *root)
{
    static const char *const names[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };
    struct arena *arena = copy->work->arena;
    char target[64];

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        ssize_t length =
            readlink(arena_printf(arena, "/%s", names[i]).data, target, sizeof(target) - 1);

        if (length < 0 && errno == ENOENT) {
            continue;
        }
        target[length < 0 ? 0 : length] = '\0';
        if (strncmp(target, "usr/", 4) != 0) {
            errno = ENOTSUP;
            return false;
        }
        if (symlink(target, arena_printf(arena, "%s/%s", root, names[i]).data) != 0) {
            return false;
        }
    }
    return true;
}

static mode_t folder_mode(const char *name)
{
    if (strcmp(name, "tmp") == 0 || strcmp(name, "var/tmp") == 0) {
        return 01777;
    }
    return strcmp(name, "root") == 0 || strcmp(name, "var/lib/sudo") == 0 ? 0700 : 0755;
}

static bool fill(struct copy *copy, const char *root)
{
    struct arena *arena = copy->work->arena;

    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        if (!disk_folder(arena_printf(arena, "%s/%s", root, folders[i]).data,
                         folder_mode(folders[i]))) {
            return false;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(shown); i++) {
        if (!copy_entry(copy, arena_printf(arena, "/etc/%s", shown[i]).data,
                        arena_printf(arena, "%s/etc/%s", root, shown[i]).data, DEPTH)) {
            return false;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(written); i++) {
        if (!put(copy, root, written[i].name, text_from(written[i].bytes), written[i].mode)) {
            return false;
        }
    }
    return put_users(copy, root) && put_groups(copy, root) && put_links(copy, root);
}

/* Creates the image under a temporary name, and renames it to the hash of its content. If an image
 * with that name exists, its content is equal, so it is used. */
static bool make(struct work *work, const char **out_layer)
{
    struct copy copy = { .work = work };
    const char *part = work_path(work, "images/.host.new");
    const char *whole;
    AUTO(fd) folder = FD_NONE;

    if (!disk_remove(part) || !disk_folder(part, 0755) ||
        !disk_folder(work_path(work, "images/.host.new/root"), 0755) ||
        !fill(&copy, work_path(work, "images/.host.new/root"))) {
        return false;
    }
    *out_layer = arena_printf(work->arena, "host-%016llx", (unsigned long long)copy.hash).data;
    whole = work_path(work, "images/%s", *out_layer);
    if (disk_is_there(whole)) {
        return disk_remove(part);
    }
    folder = open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder >= 0 && syncfs(folder) == 0 && rename(part, whole) == 0 &&
           disk_sync_folder(work_path(work, "images"));
}

int32_t host_image_ensure(struct work *work, const char **out_layer)
{
    struct local *local = work->local;
    AUTO(fd) lock = FD_NONE;

    (void)pthread_mutex_lock(&local->mutex);
    *out_layer = local->host_image;
    (void)pthread_mutex_unlock(&local->mutex);
    if (*out_layer != NULL) {
        return REEVE_OK;
    }
    if (access("/usr/sbin/sshd", X_OK) != 0) {
        return work_refuse(work, REEVE_INVALID, "/image",
                           "image: host needs an sshd on this computer: apt-get install "
                           "openssh-server (or take a Debian image)");
    }
    lock = lock_take(work, work_path(work, "images/host"));
    if (lock < 0 || !make(work, out_layer)) {
        return work_refuse(work, REEVE_TRANSIENT, "/image",
                           errno == ENOTSUP
                               ? "image: host needs a host whose /bin is a link to usr/bin: %m"
                               : "the image of this computer cannot be made: %m");
    }
    (void)pthread_mutex_lock(&local->mutex);
    if (local->host_image == NULL) {
        local->host_image = arena_string(local->arena, text_from(*out_layer));
    }
    (void)pthread_mutex_unlock(&local->mutex);
    return REEVE_OK;
}

bool host_image_hide(struct work *work, const char *upper)
{
    static const char *const names[] = { "local",     "local/bin",   "local/sbin",
                                         "local/lib", "local/share", "local/etc" };
    struct arena *arena = work->arena;

    if (!disk_folder(upper, 0755)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!disk_folder(arena_printf(arena, "%s/%s", upper, names[i]).data, 0755)) {
            return false;
        }
    }
    return setxattr(arena_printf(arena, "%s/local", upper).data, "trusted.overlay.opaque", "y", 1,
                    0) == 0;
}
