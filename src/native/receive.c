#include "native/receive.h"

#include "native/file.h"
#include "native/say.h"
#include "native/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { CHUNK_BYTES = 64 * 1024 };

void receive_init(struct receive *receive, const char *digest)
{
    *receive = (struct receive){ .digest = digest };
    (void)snprintf(receive->whole, sizeof(receive->whole), "bundles/%s", digest);
    (void)snprintf(receive->part, sizeof(receive->part), "bundles/%s.part", digest);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Bytes that have arrived. */
static uint64_t have(const struct receive *receive)
{
    struct stat file;

    return stat(receive->part, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static _Noreturn void part_fail(const struct receive *receive, int error)
{
    (void)unlink(receive->part);
    say_fail("node", error, "the bundle cannot be written");
}

static void room_check(const struct receive *receive)
{
    struct statvfs disk;
    uint64_t free_kib = 0;

    if (receive->room == 0) {
        return;
    }
    if (statvfs("bundles", &disk) == 0) {
        free_kib = (uint64_t)disk.f_bavail * disk.f_frsize / 1024;
    }
    if (free_kib < receive->room) {
        say_fail("space", 0, "%" PRIu64 " KiB are free, and %" PRIu64 " KiB are needed", free_kib,
                 receive->room);
    }
}

/* What comes goes behind what is there, and through `sha`. */
static void input_take(const struct receive *receive, struct sha256 *sha)
{
    int fd = open(receive->part, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    static char bytes[CHUNK_BYTES];
    ssize_t count;

    if (fd < 0) {
        part_fail(receive, errno);
    }
    while ((count = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0) {
        if (count < 0 && errno == EAGAIN) {
            file_wait(STDIN_FILENO, POLLIN);
            continue;
        }
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            break; /* the connection is gone: what has come stays */
        }
        if (!file_write(fd, bytes, (size_t)count)) {
            part_fail(receive, errno);
        }
        sha256_add(sha, bytes, (size_t)count);
    }
    if (close(fd) != 0) {
        part_fail(receive, errno);
    }
}

static void part_digest(const struct receive *receive, struct sha256 *sha)
{
    int fd = open(receive->part, O_RDONLY | O_CLOEXEC);
    static char bytes[CHUNK_BYTES];
    ssize_t count;

    sha256_init(sha);
    while (fd >= 0 && (count = read(fd, bytes, sizeof(bytes))) > 0) {
        sha256_add(sha, bytes, (size_t)count);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

/* As many bytes as the bundle has are there: are they it? */
static void check(struct receive *receive, struct sha256 *sha)
{
    char digest[65];

    sha256_end(sha, digest);
    if (strcmp(digest, receive->digest) != 0) {
        (void)unlink(receive->part);
        say_fail("digest", 0, "what has arrived is not the bundle");
    }
    receive->is_checked = true;
}

static void locked(struct receive *receive)
{
    uint64_t before = have(receive);
    bool is_all = before == 0; /* the digest of a first piece is made as it comes */
    struct sha256 sha;
    uint64_t now;

    if (is_there(receive->whole)) {
        return;
    }
    sha256_init(&sha);
    if (receive->from >= 0 && before == (uint64_t)receive->from) {
        if (is_all) {
            room_check(receive);
        }
        input_take(receive, &sha);
    } else {
        is_all = false;
    }
    now = have(receive);
    if (now > receive->bytes) {
        (void)unlink(receive->part);
    } else if (now == receive->bytes) {
        if (!is_all) {
            part_digest(receive, &sha);
        }
        check(receive, &sha);
    }
}

/* Who holds the lock serves a connection that is gone, though its end may not have been heard of here. */
static int lock_take(void)
{
    static const char path[] = "bundles/lock";
    char line[FILE_LINE_BYTES];
    char number[24];
    uint64_t old;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        if (file_line("bundles/pid", line) && mark_number(line, &old) && old > 1 &&
            old <= INT32_MAX) {
            (void)kill((pid_t)old, SIGTERM);
        }
        fd = mark_alone(path, "the same bundle");
    }
    (void)snprintf(number, sizeof(number), "%ld\n", (long)getpid());
    if (fd < 0 || !file_put("bundles/pid", 0600, number, strlen(number))) {
        say_fail("node", errno, "the bundle's lock cannot be written");
    }
    return fd;
}

bool receive_piece(struct receive *receive)
{
    if (!is_there(receive->whole)) {
        int fd = lock_take();

        locked(receive);
        (void)file_put("bundles/pid", 0600, "",
                       0); /* nobody is to end what this program does next */
        (void)close(fd);
    }
    if (receive->is_checked || is_there(receive->whole)) {
        say_line("whole %s", receive->digest);
        return true;
    }
    say_line("part %s %" PRIu64, receive->digest, have(receive));
    return false;
}

void receive_keep(struct receive *receive, bool is_synced)
{
    if (!receive->is_checked) {
        return;
    }
    receive->is_checked = false;
    /* Of a connection that is gone, another program may be here as well: whoever comes first has done it. */
    if (((!is_synced && !file_sync(receive->part)) || rename(receive->part, receive->whole) != 0) &&
        !is_there(receive->whole)) {
        say_fail("node", errno, "the bundle cannot be kept");
    }
}
