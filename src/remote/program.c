#include "remote/program.h"

#include "base/buf.h"
#include "hand/script.h"

#include <assert.h>
#include <string.h>

#define ARGUMENTS " reeve " PROGRAM_FOLDER " \"$SSH_CONNECTION\""

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

/* What a command is made of before its words: constant texts, those of programs in quotes. Words of a shell that touch each other are
 * one. */
struct parts {
    struct text texts[16];
    size_t count;
};

static void add(struct parts *parts, struct text text)
{
    assert(parts->count < ARRAY_COUNT(parts->texts));
    parts->texts[parts->count++] = text;
}

/* What all programs begin with is in the command once, also where the program starts another one of ours. */
static void stage_parts(struct parts *parts)
{
    add(parts, TEXT("'common=$3 main=$4; eval \"$common\"; shift 2; eval \"$main\"'"));
    add(parts, TEXT(ARGUMENTS " "));
    add(parts, file_get("common"));
    add(parts, TEXT(" "));
    add(parts, file_get("send"));
    add(parts, file_get("stage"));
    add(parts, TEXT(" "));
    add(parts, file_get("run"));
}

static struct parts parts_make(const char *name, bool is_root)
{
    struct parts parts = { .count = 0 };

    add(&parts, is_root ? TEXT("exec sh -c ") : TEXT("exec sudo -n -- sh -c "));
    if (strcmp(name, "stage") == 0) {
        stage_parts(&parts);
    } else {
        add(&parts, file_get("common"));
        add(&parts, file_get(name));
        add(&parts, TEXT(ARGUMENTS));
    }
    return parts;
}

static size_t bytes_of(const struct parts *parts, const struct text *words, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < parts->count; i++) {
        bytes += parts->texts[i].length;
    }
    for (size_t i = 0; i < count; i++) {
        bytes += 1 + script_quoted_bytes(words[i]);
    }
    return bytes;
}

size_t program_command_bytes(const char *name, bool is_root, const struct text *words, size_t count)
{
    struct parts parts = parts_make(name, is_root);

    return bytes_of(&parts, words, count);
}

struct text program_command(struct arena *arena, const char *name, bool is_root,
                            const struct text *words, size_t count)
{
    struct parts parts = parts_make(name, is_root);
    struct buf buf;

    buf_init(&buf, arena);
    (void)buf_reserve(&buf, bytes_of(&parts, words, count));
    for (size_t i = 0; i < parts.count; i++) {
        buf_add(&buf, parts.texts[i]);
    }
    for (size_t i = 0; i < count; i++) {
        buf_add_byte(&buf, ' ');
        script_quote_add(&buf, words[i]);
    }
    return buf_text(&buf);
}
