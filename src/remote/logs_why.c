#include "remote/bounds.h"
#include "remote/logs_parts.h"
#include "remote/node.h"

#include <string.h>

enum { WHY_LINES = 256, WHY_BYTES = 256 };

/* Returns the first line of a batch that reports an error; otherwise the last line that is not
 * empty. Empty: there is no such line. */
static struct text page_find(const struct logs_line *lines, size_t count, bool *is_error)
{
    struct text last = TEXT("");

    for (size_t i = 0; i < count && !*is_error; i++) {
        struct text line = text_slice(text_trim(lines[i].text), 0, WHY_BYTES);

        *is_error = node_line_is_error(line);
        last = line.length > 0 ? line : last;
    }
    return last;
}

struct text logs_why(struct logs *logs, struct arena *arena, const struct logs_key *key)
{
    uint64_t tail = logs_tail(logs, key);
    char room[WHY_BYTES];
    size_t length = 0;
    bool is_error = false;
    uint64_t offset = 0;
    size_t count;

    do {
        AUTO(arena) page = arena_new_small(SIZE_MAX);
        struct logs_line *lines;
        struct text found;
        struct err err;

        if (!logs_read(logs, page, key, &offset, WHY_LINES, &lines, &count, &err)) {
            break;
        }
        found = page_find(lines, count, &is_error);
        if (found.length > 0) {
            memcpy(room, found.data, found.length);
            length = found.length;
        }
        if (offset >= REMOTE_WHY_BYTES && offset < tail) {
            offset = tail; /* skip the lines between the beginning and the end */
        }
    } while (count > 0 && !is_error);
    return arena_text(arena, (struct text){ room, length });
}
