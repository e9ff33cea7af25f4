#include "remote/program.h"

#include "base/buf.h"
#include "hand/script.h"

#include <assert.h>
#include <string.h>

static struct text file_get(const char *name)
{
    for (size_t i = 0; i < program_file_count; i++) {
        if (strcmp(program_files[i].name, name) == 0) {
            return program_files[i].bytes;
        }
    }
    assert(false);
    return TEXT("");
}

struct text program_text(struct arena *arena, const char *name)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add(&buf, file_get("common"));
    if (strcmp(name, "stage") == 0) {
        buf_add(&buf, file_get("send"));
    }
    buf_add(&buf, file_get(name));
    return buf_text(&buf);
}

struct text program_command(struct arena *arena, const char *name, bool is_root,
                            const struct text *words, size_t count)
{
    bool is_stage = strcmp(name, "stage") == 0;
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, is_root ? "exec sh -c " : "exec sudo -n -- sh -c ");
    buf_add(&buf, script_quote(arena, program_text(arena, name)));
    buf_add_string(&buf, " reeve " PROGRAM_FOLDER " \"$SSH_CONNECTION\"");
    if (is_stage) { /* which begins it, and goes */
        buf_add_byte(&buf, ' ');
        buf_add(&buf, script_quote(arena, program_text(arena, "run")));
    }
    for (size_t i = 0; i < count; i++) {
        buf_add_byte(&buf, ' ');
        buf_add(&buf, script_quote(arena, words[i]));
    }
    return buf_text(&buf);
}
