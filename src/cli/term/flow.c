#include "cli/term/flow.h"

#include "base/buf.h"

#include <stdbool.h>
#include <string.h>

/* True if the text without quotes would have another meaning in {a: b, c}. */
static bool needs_quotes(struct text text)
{
    if (text.length == 0) {
        return true;
    }
    for (size_t i = 0; i < text.length; i++) {
        if (strchr(",[]{}#'\"", text.data[i]) != NULL || text.data[i] == ' ') {
            return true;
        }
    }
    return false;
}

static void flow_write(struct buf *buf, const struct doc *value, bool is_inner)
{
    if (doc_is_map(value)) {
        buf_add_bytes(buf, '{', 1);
        for (size_t i = 0; i < value->entry_count; i++) {
            buf_add_string(buf, i == 0 ? "" : ", ");
            buf_add(buf, value->entries[i].key);
            buf_add_string(buf, ": ");
            flow_write(buf, &value->entries[i].value, true);
        }
        buf_add_bytes(buf, '}', 1);
    } else if (doc_is_list(value)) {
        buf_add_bytes(buf, '[', 1);
        for (size_t i = 0; i < value->item_count; i++) {
            buf_add_string(buf, i == 0 ? "" : ", ");
            flow_write(buf, &value->items[i], true);
        }
        buf_add_bytes(buf, ']', 1);
    } else if (value->text.length == 0 || (is_inner && needs_quotes(value->text))) {
        buf_add_bytes(buf, '\'', 1);
        buf_add(buf, value->text);
        buf_add_bytes(buf, '\'', 1);
    } else {
        buf_add(buf, value->text);
    }
}

struct text flow_format(struct arena *arena, const struct doc *value)
{
    struct buf buf;

    buf_init(&buf, arena);
    if (doc_is_present(value)) {
        flow_write(&buf, value, false);
    }
    return buf_text(&buf);
}
