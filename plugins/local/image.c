/* The key of an image is the hash of all its inputs: release, mirror, the computer's apt sources
 * and keyrings, the script. If images/KEY exists, it is used.
 *
 * Otherwise a thread of this process creates it, one thread per image, and every create that needs
 * the image waits. If a second process creates the same image, it waits for a lock. The script runs
 * in a new pid and mount namespace, whose first process the kernel kills when this process ends. So
 * after a kill -9 only a folder .KEY.new without mounts remains, which is removed later, and never
 * an incomplete image under its final name. */
#include "image.h"

#include "disk.h"
#include "host_image.h"
#include "lock.h"
#include "sys/fd.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAKING_MS = 20 * 60 * 1000, SOURCES_BYTES = 4 * 1024 * 1024, LOG_SHOWN = 400 };

/* Packages that the script installs. */
static const char packages[] =
    "openssh-server,python3-minimal,iproute2,sudo,ca-certificates,debian-archive-keyring";

/* The script that creates an image: `sh -c SCRIPT` NAME MIRROR RELEASE TARGET PACKAGES. */
static const char script[] = {
#include "make-image.inc"
    , 0
};

/* Names of releases. */
static const struct {
    const char *image;
    const char *release;
} releases[] = {
    { "debian-12", "bookworm" },
    { "debian-13", "trixie" },
};

/* An image that this process is creating. In local->making; protected by local->mutex. */
struct image_making {
    struct local *local;
    struct image_making *next;
    pthread_t thread;
    char key[64];
    char release[32];
    bool is_used; /* the slot is used: its thread has not been joined yet */
    bool is_done;
    char fault[LOG_SHOWN + 200]; /* error text; empty: success */
};

bool image_is_host(struct text image)
{
    return text_is(image, "host");
}

bool image_is_known(struct text image)
{
    bool is_known = image_is_host(image) || text_is(image, "debian");

    for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
        is_known = is_known || text_is(image, releases[i].image);
    }
    return is_known;
}

/* Returns VERSION_CODENAME of this computer. Empty: this computer is not a known Debian. */
static struct text own_release(struct work *work)
{
    struct text bytes;

    if (disk_read(work->arena, "/etc/os-release", SOURCES_BYTES, &bytes)) {
        for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
            const char *line =
                arena_printf(work->arena, "VERSION_CODENAME=%s\n", releases[i].release).data;

            if (memmem(bytes.data, bytes.length, line, strlen(line)) != NULL) {
                return text_from(releases[i].release);
            }
        }
    }
    return (struct text){ 0 };
}

static struct text release_of(struct work *work, struct text image)
{
    for (size_t i = 0; i < ARRAY_COUNT(releases); i++) {
        if (text_is(image, releases[i].image)) {
            return text_from(releases[i].release);
        }
    }
    return own_release(work);
}

/* Returns the hash of a folder's files, or of one file. It does not depend on the order of the
 * files. */
static uint64_t hash_files(struct work *work, const char *path)
{
    DIR *entries = opendir(path);
    const struct dirent *entry;
    struct text bytes;
    uint64_t sum = 0;

    if (entries == NULL) {
        return disk_read(work->arena, path, SOURCES_BYTES, &bytes)
                   ? text_hash(bytes, text_hash(text_from(path), 0))
                   : 0;
    }
    while ((entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] != '.' && entry->d_type != DT_DIR) {
            sum += hash_files(work, arena_printf(work->arena, "%s/%s", path, entry->d_name).data);
        }
    }
    (void)closedir(entries);
    return sum;
}

/* Returns RELEASE-HASH, the key of the image. Images with equal keys have equal content. */
static const char *key_of(struct work *work, struct text release)
{
    static const char *const sources[] = { "/etc/apt/sources.list", "/etc/apt/sources.list.d",
                                           "/etc/apt/trusted.gpg.d", "/usr/share/keyrings" };
    const char *mirror = work->local->settings.mirror;
    uint64_t hash = text_hash(text_from(script), text_hash(text_from(packages), 0));

    hash = text_hash(text_from(mirror), text_hash(release, hash));
    for (size_t i = 0; i < ARRAY_COUNT(sources) && mirror == NULL; i++) {
        uint64_t files = hash_files(work, sources[i]);

        hash = text_hash((struct text){ (const char *)&files, sizeof(files) }, hash);
    }
    return arena_printf(work->arena, "%.*s-%016llx", TEXT_ARG(release), (unsigned long long)hash)
        .data;
}

/* Reads the last part of the log, which contains the error of debootstrap. */
static void read_fault(struct work *work, const char *log, char *out, size_t out_bytes)
{
    struct text bytes = { 0 };
    size_t start;

    if (!disk_read(work->arena, log, (size_t)64 * 1024 * 1024, &bytes) || bytes.length == 0) {
        bytes = TEXT("no error message");
    }
    bytes = text_trim(bytes);
    start = bytes.length > LOG_SHOWN ? bytes.length - LOG_SHOWN : 0;
    (void)snprintf(out, out_bytes, "%.*s", (int)(bytes.length - start), bytes.data + start);
    for (char *byte = out; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < ' ') {
            *byte = ' ';
        }
        if ((unsigned char)*byte >= 0x7f) {
            *byte = '?';
        }
    }
}

/* Runs the script, in the child after the fork. Only async-signal-safe functions are permitted,
 * because the parent process has threads. */
static _Noreturn void run_script(const char *const *argv, int log, pid_t parent)
{
    static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                                               "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
                                               NULL };
    sigset_t none;
    int null = open("/dev/null", O_RDONLY);

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 ||
        dup2(log, 2) < 0) {
        _exit(126);
    }
    (void)execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)environment);
    _exit(127);
}

/* Waits for the script. Returns 0 on success, else its exit code, or -1. */
static int await_script(struct local *local, pid_t child)
{
    uint64_t ends_ms = work_now_ms() + MAKING_MS;
    int status = 0;

    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        bool is_stopping;

        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        if (ended < 0 && errno != EINTR) {
            return -1;
        }
        (void)pthread_mutex_lock(&local->mutex);
        is_stopping = local->is_stopping;
        (void)pthread_mutex_unlock(&local->mutex);
        if (is_stopping || work_now_ms() > ends_ms) {
            (void)kill(child, SIGKILL);
        }
        work_rest(50);
    }
}

/* Creates images/.KEY.new, and renames it when it is complete. Returns false on failure;
 * making->fault has the reason. */
static bool make(struct work *work, struct image_making *making)
{
    const char *part = work_path(work, "images/.%s.new", making->key);
    const char *whole = work_path(work, "images/%s", making->key);
    const char *log_path = work_path(work, "images/%s.log", making->key);
    const char *mirror = work->local->settings.mirror == NULL ? "" : work->local->settings.mirror;
    const char *const argv[] = {
        "/usr/bin/unshare", "--mount", "--pid",  "--fork", "--kill-child", "--propagation",
        "private",          "/bin/sh", "-c",     script,   "make-image",   mirror,
        making->release,    part,      packages, NULL
    };
    AUTO(fd) lock = lock_take(work, whole);
    AUTO(fd) log = FD_NONE;
    pid_t parent = getpid();
    pid_t child;

    if (lock < 0 || disk_is_there(whole)) {
        return lock >= 0;
    }
    log = open(log_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (log < 0 || !disk_remove(part) || !disk_folder(part, 0755)) {
        (void)snprintf(making->fault, sizeof(making->fault), "%s: %s", part, strerror(errno));
        return false;
    }
    work_log(work->local, REEVE_LOG_INFO,
             "event=local.image_making release=%s key=%s (about a minute, once)", making->release,
             making->key);
    child = fork();
    if (child == 0) {
        run_script(argv, log, parent);
    }
    if (child < 0 || await_script(work->local, child) != 0 || rename(part, whole) != 0 ||
        !disk_sync_folder(work_path(work, "images"))) {
        read_fault(work, log_path, making->fault, sizeof(making->fault));
        (void)disk_remove(part);
        return false;
    }
    (void)unlink(log_path);
    return true;
}

static void *run_making(void *arg)
{
    struct image_making *making = arg;
    struct local *local = making->local;
    AUTO(arena) arena = arena_new((size_t)256 * 1024 * 1024);
    struct work work = { .local = local, .arena = arena, .ends_ms = work_now_ms() + MAKING_MS };
    bool is_made = make(&work, making);

    work_log(local, is_made ? REEVE_LOG_INFO : REEVE_LOG_WARNING,
             "event=local.image_%s release=%s key=%s %s", is_made ? "made" : "failed",
             making->release, making->key, making->fault);
    (void)pthread_mutex_lock(&local->mutex);
    making->is_done = true;
    (void)pthread_cond_broadcast(&local->image_made);
    (void)pthread_mutex_unlock(&local->mutex);
    return NULL;
}

/* Returns the creation with this key, and starts it if necessary. NULL: no slot is free. Requires
 * the mutex. */
static struct image_making *begin_making(struct local *local, const char *key, struct text release)
{
    struct image_making *free_one = NULL;

    for (struct image_making *making = local->making; making != NULL; making = making->next) {
        if (making->is_used && !making->is_done && strcmp(making->key, key) == 0) {
            return making;
        }
        if (!making->is_used || making->is_done) {
            free_one = making;
        }
    }
    if (free_one == NULL || local->is_stopping) {
        return NULL;
    }
    if (free_one->is_used) {
        /* the thread has finished its work and is about to exit */
        (void)pthread_join(free_one->thread, NULL);
    }
    free_one->is_done = false;
    free_one->fault[0] = '\0';
    (void)snprintf(free_one->key, sizeof(free_one->key), "%s", key);
    (void)snprintf(free_one->release, sizeof(free_one->release), "%.*s", TEXT_ARG(release));
    free_one->is_used = pthread_create(&free_one->thread, NULL, run_making, free_one) == 0;
    return free_one->is_used ? free_one : NULL;
}

/* Waits until the creation has ended or the call's deadline is near. Requires the mutex. */
static bool await_making(struct work *work, const struct image_making *making)
{
    struct timespec until;
    uint64_t left_ms = work_left_ms(work);

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    left_ms = left_ms > 500 ? left_ms - 500 : 0; /* reserve time for the answer */
    until.tv_sec += (time_t)(left_ms / 1000);
    until.tv_nsec += (long)(left_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!making->is_done &&
           pthread_cond_timedwait(&work->local->image_made, &work->local->mutex, &until) == 0) {
    }
    return making->is_done;
}

/* Creates the image or waits for it. */
static int32_t await_image(struct work *work, const char *key, struct text release)
{
    struct local *local = work->local;
    struct image_making *making;
    char fault[LOG_SHOWN + 200] = "";
    bool is_done;

    (void)pthread_mutex_lock(&local->mutex);
    making = begin_making(local, key, release);
    is_done = making != NULL && await_making(work, making);
    if (is_done && strcmp(making->key, key) == 0) {
        memcpy(fault, making->fault, sizeof(fault));
    }
    (void)pthread_mutex_unlock(&local->mutex);
    if (!is_done) {
        if (work->call != NULL) {
            local->host->retry_after(work->call, 5000);
        }
        return work_refuse(work, REEVE_TRANSIENT, "/image",
                           "the image of Debian %.*s is being created, once, by debootstrap; that "
                           "takes about a minute: try again",
                           TEXT_ARG(release));
    }
    if (!disk_is_there(work_path(work, "images/%s", key))) {
        return work_refuse(work, REEVE_TRANSIENT, "/image",
                           "the image of Debian %.*s could not be made: %s", TEXT_ARG(release),
                           fault);
    }
    return REEVE_OK;
}

int32_t image_ensure(struct work *work, struct text image, const char **out_layer)
{
    struct text release;

    if (image_is_host(image)) {
        return host_image_ensure(work, out_layer);
    }
    release = release_of(work, image);
    if (release.length == 0) {
        return work_refuse(work, REEVE_INVALID, "/image",
                           "this computer is not Debian 12 or 13, so image 'debian' is ambiguous: "
                           "set debian-12 or debian-13");
    }
    *out_layer = key_of(work, release);
    if (disk_is_there(work_path(work, "images/%s", *out_layer))) {
        return REEVE_OK;
    }
    if (access("/usr/sbin/debootstrap", X_OK) != 0) {
        return work_refuse(work, REEVE_INVALID, "/image",
                           "debootstrap, which creates images, is missing: apt-get install "
                           "debootstrap, or set image: host");
    }
    return await_image(work, *out_layer, release);
}

void image_begin(struct local *local, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct image_making *making = arena_one(local->arena, struct image_making);

        making->local = local;
        making->next = local->making;
        local->making = making;
    }
}

void image_sweep(struct work *work)
{
    DIR *entries = opendir(work_path(work, "images"));
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        struct text name = text_from(entry->d_name);

        if (text_has_prefix(name, TEXT(".")) && text_has_suffix(name, TEXT(".new"))) {
            struct text key = text_slice(name, 1, name.length - 5);
            AUTO(fd) lock = lock_try(work, work_path(work, "images/%.*s", TEXT_ARG(key)));

            if (lock >= 0) {
                (void)disk_remove(work_path(work, "images/%s", entry->d_name));
            }
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

void image_stop(struct local *local)
{
    for (struct image_making *making = local->making; making != NULL; making = making->next) {
        if (making->is_used) {
            (void)pthread_join(making->thread, NULL);
        }
    }
}
