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

/* What all programs begin with is in the command once, also where the program starts another one of ours. */
static void stage_add(struct arena *arena, struct buf *buf)
{
    struct buf main;

    buf_init(&main, arena);
    buf_add(&main, file_get("send"));
    buf_add(&main, file_get("stage"));
    buf_add_string(buf, "'common=$3 main=$4; eval \"$common\"; shift 2; eval \"$main\"'");
    buf_add_string(buf, " reeve " PROGRAM_FOLDER " \"$SSH_CONNECTION\" ");
    buf_add(buf, script_quote(arena, file_get("common")));
    buf_add_byte(buf, ' ');
    buf_add(buf, script_quote(arena, buf_text(&main)));
    buf_add_byte(buf, ' ');
    buf_add(buf, script_quote(arena, file_get("run")));
}

static void program_add(struct arena *arena, struct buf *buf, const char *name)
{
    struct buf text;

    buf_init(&text, arena);
    buf_add(&text, file_get("common"));
    buf_add(&text, file_get(name));
    buf_add(buf, script_quote(arena, buf_text(&text)));
    buf_add_string(buf, " reeve " PROGRAM_FOLDER " \"$SSH_CONNECTION\"");
}

struct text program_command(struct arena *arena, const char *name, bool is_root,
                            const struct text *words, size_t count)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, is_root ? "exec sh -c " : "exec sudo -n -- sh -c ");
    if (strcmp(name, "stage") == 0) {
        stage_add(arena, &buf);
    } else {
        program_add(arena, &buf, name);
    }
    for (size_t i = 0; i < count; i++) {
        buf_add_byte(&buf, ' ');
        buf_add(&buf, script_quote(arena, words[i]));
    }
    return buf_text(&buf);
}
