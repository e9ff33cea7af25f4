#include "remote/program.h"

#include "base/buf.h"
#include "session/script.h"

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

/* The parts of a command before its arguments: constant texts and quoted programs. A shell joins
 * adjacent quoted strings into one word. */
struct parts {
    struct text texts[20];
    size_t count;
};

static void program_add(struct parts *parts, struct text text)
{
    assert(parts->count < ARRAY_COUNT(parts->texts));
    parts->texts[parts->count++] = text;
}

/* Adds the parts of the program `stage`. The common part occurs only once, although `stage` starts
 * another program that needs it. */
static void stage_parts(struct parts *parts)
{
    program_add(parts, TEXT("'common=$3 main=$4; eval \"$common\"; shift 2; eval \"$main\"'"));
    program_add(parts, TEXT(ARGUMENTS " "));
    program_add(parts, file_get("common"));
    program_add(parts, TEXT(" "));
    program_add(parts, file_get("stages"));
    program_add(parts, file_get("send"));
    program_add(parts, file_get("stage"));
    program_add(parts, TEXT(" "));
    program_add(parts, file_get("run"));
}

/* Adds the parts that several programs share. One is for programs that write outside of reeve's
 * folder, the other for programs that read stages. */
static void shared_parts(struct parts *parts, const char *name)
{
    static const char *const writers[] = { "keys", "trust", "classic", "distribute", "release" };

    for (size_t i = 0; i < ARRAY_COUNT(writers); i++) {
        if (strcmp(name, writers[i]) == 0) {
            program_add(parts, file_get("before"));
        }
    }
    if (strcmp(name, "trust") == 0 || strcmp(name, "distribute") == 0) {
        program_add(parts, file_get("members"));
        program_add(parts, file_get("own"));
    }
    if (strcmp(name, "cleanup") == 0 || strcmp(name, "drain") == 0) {
        program_add(parts, file_get("hooks"));
    }
    if (strcmp(name, "verify") == 0) {
        program_add(parts, file_get("own"));
        program_add(parts, file_get("states"));
        program_add(parts, file_get("hooks"));
    }
    if (strcmp(name, "look") == 0 || strcmp(name, "clean") == 0) {
        program_add(parts, file_get("stages"));
    }
    if (strcmp(name, "look") == 0 || strcmp(name, "machine") == 0) {
        program_add(parts, file_get("facts"));
    }
}

static struct parts program_parts_make(const struct program_call *call)
{
    struct parts parts = { .count = 0 };

    program_add(&parts, call->is_root ? TEXT("exec sh -c ") : TEXT("exec sudo -n -- sh -c "));
    if (strcmp(call->name, "stage") == 0) {
        stage_parts(&parts);
    } else {
        program_add(&parts, file_get("common"));
        shared_parts(&parts, call->name);
        program_add(&parts, file_get(call->name));
        program_add(&parts, TEXT(ARGUMENTS));
    }
    return parts;
}

static size_t program_bytes_of(const struct parts *parts, const struct text *words, size_t count)
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

size_t program_command_bytes(const struct program_call *call)
{
    struct parts parts = program_parts_make(call);

    return program_bytes_of(&parts, call->words, call->count);
}

struct text program_command(struct arena *arena, const struct program_call *call)
{
    struct parts parts = program_parts_make(call);
    struct buf buf;

    buf_init(&buf, arena);
    (void)buf_reserve(&buf, program_bytes_of(&parts, call->words, call->count));
    for (size_t i = 0; i < parts.count; i++) {
        buf_add(&buf, parts.texts[i]);
    }
    for (size_t i = 0; i < call->count; i++) {
        buf_add_byte(&buf, ' ');
        script_quote_add(&buf, call->words[i]);
    }
    return buf_text(&buf);
}
