#include "plugin_fetch/plugin_fetch_parts.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: plugin_fetch_ */

/* Access of other managers to the files of plugins: reading and sending. */

bool plugin_fetch_blob_has(const struct plugin_fetch *fetch, struct text digest)
{
    return fetcher_has(fetch->fetcher, digest);
}

/* Reads exactly these bytes. */
static bool is_plugin_fetch_part_read(int fd, char *out, size_t length, uint64_t offset)
{
    size_t done = 0;

    while (done < length) {
        ssize_t count = pread(fd, out + done, length - done, (off_t)(offset + done));

        if (count <= 0 && !(count < 0 && errno == EINTR)) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

bool plugin_fetch_blob_read(const struct plugin_fetch *fetch, struct arena *arena,
                            struct text digest, uint64_t offset, uint64_t length, struct text *out,
                            uint64_t *out_size, struct err *err)
{
    const char *path = arena_string(arena, fetcher_path(fetch->fetcher, arena, digest));
    AUTO(fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    uint64_t size;
    char *bytes;

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return err_set(err, CODE_R0403, "this manager does not have the plugin sha256:%.*s",
                       TEXT_ARG(digest));
    }
    size = (uint64_t)status.st_size;
    length = offset >= size ? 0 : length < size - offset ? length : size - offset;
    bytes = arena_room(arena, (size_t)length + 1);
    if (!is_plugin_fetch_part_read(fd, bytes, (size_t)length, offset)) {
        return err_set(err, CODE_R0534, "the file of a plugin cannot be read");
    }
    *out = (struct text){ bytes, (size_t)length };
    *out_size = size;
    return true;
}

bool plugin_fetch_blob_put(struct plugin_fetch *fetch, struct text digest, struct text bytes,
                           struct err *err)
{
    struct fetch_answer answer;

    return fetcher_put(fetch->fetcher, bytes, digest, &answer, err);
}
