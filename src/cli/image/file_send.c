#include "cli/image/file_send.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SEND_PIECE_BYTES = 4 * 1024 * 1024,
    SEND_PAUSE_MS = 500,
    SEND_IDLE_MAX = 120,
    SEND_BLOCK_BYTES = 256 * 1024,
    SEND_MIB = 1024 * 1024,
};

static bool file_send_fail(struct command *command, const char *path, const char *what)
{
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0011, "'%s' cannot be read: %s", path,
                 what);
    return false;
}

/* Reads up to `length` bytes at an offset. Fewer bytes: the file has ended; -1: errno. */
static ssize_t file_send_read(int fd, char *out, size_t length, uint64_t offset)
{
    size_t done = 0;

    while (done < length) {
        ssize_t count = pread(fd, out + done, length - done, (off_t)(offset + done));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return -1;
        }
        if (count == 0) {
            break;
        }
        done += (size_t)count;
    }
    return (ssize_t)done;
}

bool file_send_open(struct command *command, const char *path, struct file_send *out)
{
    struct digest_stream *stream;
    char *block = arena_alloc(command->arena, SEND_BLOCK_BYTES);
    struct stat status;
    ssize_t count = 1;
    uint64_t offset = 0;

    *out = (struct file_send){ .path = path };
    out->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (out->fd < 0) {
        return file_send_fail(command, path, strerror(errno));
    }
    if (fstat(out->fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(out->fd);
        return file_send_fail(command, path, "it is not a regular file");
    }
    stream = digest_stream_new();
    while (count > 0) {
        count = file_send_read(out->fd, block, SEND_BLOCK_BYTES, offset);
        if (count > 0) {
            digest_stream_add(stream, (struct text){ block, (size_t)count });
            offset += (uint64_t)count;
        }
    }
    digest_stream_end(stream, out->digest);
    out->bytes = offset;
    if (count < 0 || offset == 0) {
        close(out->fd);
        return file_send_fail(command, path, count < 0 ? strerror(errno) : "it is empty");
    }
    return true;
}

static void file_send_show(const struct file_send *file, uint64_t have)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\rsent %" PRIu64 " of %" PRIu64 " MiB (%d %%)%s", have / SEND_MIB,
                file->bytes / SEND_MIB, (int)(have * 100 / file->bytes),
                have == file->bytes ? "\n" : "");
    }
}

/* Sends one piece. *have is the number of bytes that the manager has. */
static bool file_send_piece(struct command *command, const struct session *session,
                            const struct file_send *file, uint64_t *have)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
    uint64_t left = file->bytes - *have;
    size_t length = left < SEND_PIECE_BYTES ? (size_t)left : SEND_PIECE_BYTES;
    char *bytes = arena_room(arena, length + 1);
    struct client_request request = {
        .method = "POST",
        .path = arena_printf(arena, "/v1/image-files/%s?bytes=%" PRIu64 "&offset=%" PRIu64,
                             file->digest, file->bytes, *have),
        .accept = "application/json",
        .content_type = "application/octet-stream",
    };
    struct client_answer answer;
    struct doc doc;
    struct err err;
    int64_t number;

    if (file_send_read(file->fd, bytes, length, *have) != (ssize_t)length) {
        return file_send_fail(command, file->path, "it has become shorter");
    }
    request.body = (struct text){ bytes, length };
    if (!client_call(arena, &session->client, &request, &answer, &err)) {
        err_note(&err, "the same command continues the upload");
        err_list_add(&command->errors, &err);
        return false;
    }
    if (answer.head.status >= 300) {
        session_refused(command, &answer);
        return false;
    }
    number = json_parse(arena, answer.body, NULL, &doc, &err) ? doc_child_number(&doc, "have") : -1;
    if (number < 0 || (uint64_t)number > file->bytes) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0854,
                     "the manager does not report how much of the image it has");
        return false;
    }
    *have = (uint64_t)number;
    return true;
}

bool file_send_run(struct command *command, const struct session *session,
                   const struct file_send *file)
{
    uint64_t have = 0;
    unsigned idle = 0;

    while (have < file->bytes && idle < SEND_IDLE_MAX) {
        uint64_t before = have;

        if (!file_send_piece(command, session, file, &have)) {
            return false;
        }
        idle = have > before ? 0 : idle + 1;
        if (have == before) {
            (void)poll(NULL, 0, SEND_PAUSE_MS);
        }
        file_send_show(file, have);
    }
    if (have < file->bytes) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0854,
                              "the manager accepts no more uploads now: too many are in progress"),
                 "try again in a minute");
        return false;
    }
    return true;
}
