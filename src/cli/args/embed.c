#include "cli/args/embed.h"

const struct embed_file *embed_find(const struct embed_file *files, size_t count, struct text name)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(name, files[i].name)) {
            return &files[i];
        }
    }
    return NULL;
}

struct text embed_summary(const struct embed_file *file)
{
    struct text line = text_slice(file->bytes, 0, text_find_byte(file->bytes, '\n'));

    return text_has_prefix(line, TEXT("# ")) ? text_slice(line, 2, line.length) : line;
}
