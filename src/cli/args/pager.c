#include "cli/args/pager.h"

#include "sys/foreground.h"
#include "sys/interrupt.h"
#include "sys/stream.h"

#include <stdlib.h>
#include <string.h>

static bool is_paged(const struct verb *verb)
{
    static const enum verb_id paged[] = { VERB_DESCRIBE, VERB_DIFF, VERB_EXPLAIN, VERB_HELP };
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(paged); i++) {
        is_any = is_any || (verb != NULL && verb->id == paged[i]);
    }
    return is_any;
}

/* Find the user's pager. *out_program is NULL for the default pager. False: the user has disabled
 * the pager. */
static bool program_find(const char **out_program)
{
    static const char *const names[] = { "REEVE_PAGER", "PAGER" };

    *out_program = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *value = getenv(names[i]);

        if (value != NULL) {
            *out_program = value;
            return value[0] != '\0' && strcmp(value, "cat") != 0;
        }
    }
    return true;
}

static size_t line_count(struct text text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.length; i++) {
        lines += text.data[i] == '\n';
    }
    return lines;
}

bool pager_show(struct command *command)
{
    bool is_helped = args_has(&command->args, FLAG_COMMON_HELP);
    const char *program;
    struct err err;

    if (!command->out_style.is_drawn || !stream_is_terminal_in() ||
        args_has(&command->args, FLAG_COMMON_NO_PAGER) ||
        !(is_paged(command->args.verb) || is_helped) ||
        line_count(buf_text(&command->out)) < stream_rows_out() || !program_find(&program)) {
        return false;
    }
    interrupt_leave(); /* from now on, the pager handles Ctrl-C */
    return foreground_page(program, buf_text(&command->out), &err);
}
