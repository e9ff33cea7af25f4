#include "api/streams/file_stream.h"

#include "sys/fd.h"

#include <errno.h>
#include <unistd.h>

/* A file as an answer. If it became shorter in the meantime, the connection ends early, so that the
 * client notices it. */

struct file_stream {
    int fd;
    uint64_t offset;
    uint64_t bytes;
};

static size_t file_stream_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct file_stream *stream = arg;
    ssize_t count;

    do {
        count = pread(stream->fd, out, room, (off_t)stream->offset);
    } while (count < 0 && errno == EINTR);
    *is_end = count <= 0;
    if (count <= 0) {
        return 0;
    }
    stream->offset += (size_t)count;
    return (size_t)count;
}

static void file_stream_closed(void *arg)
{
    struct file_stream *stream = arg;

    close(stream->fd);
    rows_free(stream);
}

void file_stream_answer(struct call *call, int fd, uint64_t bytes, bool has_deadline)
{
    struct file_stream *kept = rows_resize(NULL, sizeof(*kept));
    struct http_stream stream = { .read = file_stream_read,
                                  .closed = file_stream_closed,
                                  .arg = kept,
                                  .bytes = has_deadline ? bytes : 0,
                                  .has_end = has_deadline };

    *kept = (struct file_stream){ .fd = fd, .bytes = bytes };
    call_answer_fields(call, &(struct http_answer){ .status = 200,
                                                    .content_type = "application/octet-stream",
                                                    .stream = &stream });
}
