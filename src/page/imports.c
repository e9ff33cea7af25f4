#include "page/imports.h"

#include "base/buf.h"
#include "page/table.h"

#include <string.h>

/* Replaces `from "preact"` by `from "../lib/preact.js"`. There is no parser: a library's name in
 * quotes is replaced if it follows `from` or `import` directly. */

static bool is_of_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' || byte == '.';
}

/* Returns whether the text ends with this word, ignoring trailing blanks. */
static bool is_behind(struct text before, struct text word)
{
    struct text text = text_trim(before);
    size_t rest = text.length - word.length;

    return text_has_suffix(text, word) && (rest == 0 || !is_of_word(text.data[rest - 1]));
}

/* Returns the library whose name is between this quote and the next quote of the same kind; NULL:
 * no library has this name. */
static const struct page_pair *library_at(struct text module, size_t quote)
{
    struct text rest = text_slice(module, quote + 1, module.length);
    struct text before = text_slice(module, 0, quote);
    size_t end = text_find_byte(rest, module.data[quote]);

    if (end == SIZE_MAX ||
        (!is_behind(before, TEXT("from")) && !is_behind(before, TEXT("import")))) {
        return NULL;
    }
    for (size_t i = 0; i < page_table_library_count; i++) {
        if (text_is(text_slice(rest, 0, end), page_table_libraries[i].name)) {
            return &page_table_libraries[i];
        }
    }
    return NULL;
}

/* Adds the relative path from a module to the root folder of the page. */
static void up_add(struct buf *buf, struct text name)
{
    size_t depth = 0;

    for (size_t i = 0; i < name.length; i++) {
        if (name.data[i] == '/') {
            buf_add_string(buf, "../");
            depth++;
        }
    }
    if (depth == 0) {
        buf_add_string(buf, "./");
    }
}

struct text page_imports_resolve(struct arena *arena, struct text name, struct text module)
{
    struct buf buf;
    size_t done = 0;

    buf_init(&buf, arena);
    for (size_t at = 0; at < module.length; at++) {
        const struct page_pair *library =
            module.data[at] == '"' || module.data[at] == '\'' ? library_at(module, at) : NULL;

        if (library != NULL) {
            buf_add(&buf, text_slice(module, done, at + 1 - done));
            up_add(&buf, name);
            buf_add_string(&buf, library->value);
            done = at + 1 + strlen(library->name);
            at = done; /* continue after the closing quote, so that it is not taken for an opening
                        * quote */
        }
    }
    buf_add(&buf, text_slice(module, done, module.length));
    return buf_text(&buf);
}
