#include "cli/hosts/program.h"

#include "base/limits.h"
#include "session/script.h"
#include "sys/child.h"
#include "sys/loop.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* public names start with: program_ */

enum { PROGRAM_ANSWER_BYTES = 256 * 1024, PROGRAM_WORDS = 160 };

const char *program_find(struct arena *arena, const char *name)
{
    const char *value = getenv("PATH");
    struct text rest = text_from(value == NULL ? "/usr/local/bin:/usr/bin:/bin" : value);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, ':');
        struct text path = arena_printf(arena, "%.*s/%s", TEXT_ARG(text_slice(rest, 0, end)), name);

        if (path.data[0] == '/' && access(path.data, X_OK) == 0) {
            return path.data;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return NULL;
}

static void on_program_ended(void *arg, const struct child_end *end)
{
    struct program_answer *answer = arg;

    answer->out = arena_text(answer->arena, end->output[CHILD_OUT]);
    answer->said = arena_text(answer->arena, end->output[CHILD_ERROR]);
    answer->code = end->code;
    answer->is_late = end->is_late;
    answer->is_ended = true;
}

bool program_run(struct command *command, const char *const *argv, struct text input,
                 uint64_t deadline_ms, struct program_answer *out, struct err *err)
{
    struct arena *arena = command->arena;
    extern char **environ;
    struct child_options options = {
        .path = argv[0],
        .argv = argv,
        .envp = (const char *const *)environ,
        .folder = ".",
        .input = input,
        .deadline_ms = deadline_ms,
        .grace_ms = 1000,
        .output_max = PROGRAM_ANSWER_BYTES,
        .done = on_program_ended,
        .arg = out,
        .is_killed_with_parent = true,
    };
    struct child *child;

    *out = (struct program_answer){ .arena = arena };
    if (!loop_open(&out->loop, err)) {
        return false;
    }
    if (!child_start(out->loop, &options, &child, err)) {
        loop_close(out->loop);
        return false;
    }
    while (!out->is_ended) {
        loop_run_once(out->loop, deadline_ms);
    }
    loop_close(out->loop);
    return true;
}

struct text program_last_line(struct arena *arena, struct text said)
{
    struct text last = TEXT("");

    while (said.length > 0) {
        size_t end = text_find_byte(said, '\n');
        struct text line = text_trim(text_slice(said, 0, end));

        last = line.length > 0 ? line : last;
        said = end == SIZE_MAX ? TEXT("") : text_slice(said, end + 1, SIZE_MAX);
    }
    return script_plain(arena, last);
}

bool program_run_self(struct command *command, const char *const *words, struct text input,
                      uint64_t deadline_ms, struct program_answer *out, struct err *err)
{
    char path[LIMIT_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const char *argv[PROGRAM_WORDS];
    size_t count = 0;

    path[length > 0 ? length : 0] = '\0';
    argv[count++] = path;
    for (; words[count - 1] != NULL; count++) {
        assert(count + 1 < ARRAY_COUNT(argv));
        argv[count] = words[count - 1];
    }
    argv[count] = NULL;
    return program_run(command, argv, input, deadline_ms, out, err);
}
