#include "cli/term/wrap.h"

#include "cli/term/glyph.h"

#include <stdbool.h>

void wrap_write(struct buf *out, struct text text, size_t indent, size_t columns, bool is_begun)
{
    size_t used = indent;
    bool is_at_start = true;

    buf_add_bytes(out, ' ', is_begun ? 0 : indent);
    for (size_t at = 0; at < text.length;) {
        size_t end = at;
        struct text word;

        while (end < text.length && text.data[end] != ' ' && text.data[end] != '\n') {
            end++;
        }
        word = text_slice(text, at, end - at);
        if (!is_at_start && used + 1 + glyph_text_columns(word) > columns) {
            buf_add_bytes(out, '\n', 1);
            buf_add_bytes(out, ' ', indent);
            used = indent;
            is_at_start = true;
        }
        if (!is_at_start) {
            buf_add_bytes(out, ' ', 1);
            used++;
        }
        glyph_write_text(out, word);
        used += glyph_text_columns(word);
        is_at_start = false;
        if (end < text.length && text.data[end] == '\n') {
            buf_add_bytes(out, '\n', 1);
            buf_add_bytes(out, ' ', indent);
            used = indent;
            is_at_start = true;
        }
        at = end + 1;
    }
    buf_add_bytes(out, '\n', 1);
}
