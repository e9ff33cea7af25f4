/* reeve: the command line. Every command takes the same steps: read the arguments, let the verb
 * fill its buffers, write them, and exit with one code. */
#include "base/limits.h"
#include "cli/args/command.h"
#include "cli/args/help.h"
#include "cli/args/pager.h"
#include "cli/args/target.h"
#include "cli/term/report.h"
#include "provider/plugins.h"
#include "sys/stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *locale_name(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && value[0] != '\0') {
            return value;
        }
    }
    return NULL;
}

static void styles_decide(struct command *command)
{
    struct style_facts facts = {
        .is_terminal = stream_is_terminal_out(),
        .columns = stream_columns_out(),
        .color_flag = args_value(&command->args, FLAG_COMMON_COLOR),
        .is_ascii = args_has(&command->args, FLAG_COMMON_ASCII),
        .no_color = getenv("NO_COLOR"),
        .clicolor_force = getenv("CLICOLOR_FORCE"),
        .term = getenv("TERM"),
        .plain = getenv("REEVE_PLAIN"),
        .columns_text = getenv("COLUMNS"),
        .locale = locale_name(),
    };

    command->out_style = style_decide(&facts);
    facts.is_terminal = stream_is_terminal_error();
    facts.columns = stream_columns_error();
    command->error_style = style_decide(&facts);
}

/* Handle `reeve` without a verb, which means reeve status. If no manager is configured, print the
 * help instead. */
static enum exit_code nothing_asked(struct command *command)
{
    enum exit_code code = verb_status(command);

    if (exit_of_errors(&command->errors, false) == EXIT_CODE_UNAVAILABLE) {
        err_list_init(&command->errors, command->arena);
        help_write(command, NULL);
    }
    return code == EXIT_CODE_FAILED ? EXIT_CODE_DONE : code;
}

static enum exit_code cli_command_run(struct command *command)
{
    const struct verb *verb = command->args.verb;

    if (args_has(&command->args, FLAG_COMMON_HELP) &&
        !args_has(&command->args, FLAG_COMPLETION_WORDS)) {
        /* --help is answered regardless of the other arguments */
        if (verb != NULL || command->errors.errors == 0) {
            err_list_init(&command->errors, command->arena);
        }
        help_write(command, verb);
        return EXIT_CODE_DONE;
    }
    if (command->errors.errors > 0) {
        return EXIT_CODE_USAGE;
    }
    if (verb != NULL) {
        return verb->run(command);
    }
    if (args_has(&command->args, FLAG_TOP_VERSION)) {
        return verb_version(command);
    }
    if (args_has(&command->args, FLAG_TOP_HELP_ALL)) {
        help_write_all(command);
    } else {
        return nothing_asked(command);
    }
    return EXIT_CODE_DONE;
}

/* Return the command that shows all errors, for verbs with -o json. */
static const char *more_command(const struct command *command)
{
    const struct verb *verb = command->args.verb;

    return verb != NULL && verb->id == VERB_VALIDATE ? "reeve validate -o json" : NULL;
}

/* Write all output, data first. A full disk must not hide the errors of the verb. */
static void cli_command_write(struct command *command)
{
    struct buf text;
    struct err err;
    struct report report = {
        .arena = command->arena,
        .sources = &command->sources,
        .style = &command->error_style,
        .format = command_output_is(command, "json")  ? REPORT_JSON
                  : command_output_is(command, "gcc") ? REPORT_GCC
                                                      : REPORT_TEXT,
        .is_strict = command->is_strict,
        .more = more_command(command),
    };

    buf_init(&text, command->arena);
    if (!pager_show(command) && !stream_write_out(buf_text(&command->out), &err)) {
        err_list_add(&command->errors, &err);
    }
    if (!args_has(&command->args, FLAG_COMMON_QUIET) &&
        (report.format != REPORT_JSON || command->errors.count == 0)) {
        command_fold_notes(command);
        buf_add(&text, buf_text(&command->notes));
    }
    if (!command->has_reported || command->errors.errors > 0) {
        report_write(&report, &command->errors, &text);
    }
    if (!stream_write_error(buf_text(&text), &err)) {
        err_list_add(&command->errors, &err); /* only the exit code can report this failure */
    }
}

/* Return the name of the program for printed commands, with its path if reeve is not in PATH, so
 * that users can paste the commands. */
static const char *program_name(int argc, char **argv)
{
    return argc > 0 && strchr(argv[0], '/') != NULL ? argv[0] : "reeve";
}

int main(int argc, char **argv)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct command command = { .arena = arena,
                               .program = program_name(argc, argv),
                               .trusted = plugins_trusted_here };
    enum exit_code code;
    enum exit_code code_of_errors;

    stream_prepare();
    source_set_init(&command.sources, arena);
    err_list_init(&command.errors, arena);
    buf_init(&command.out, arena);
    buf_init(&command.notes, arena);
    args_parse(arena, argc > 0 ? (size_t)argc - 1 : 0, argv + (argc > 0 ? 1 : 0), &command.args,
               &command.errors);
    styles_decide(&command);
    code = cli_command_run(&command);
    if (command.args.verb != NULL && command.args.verb->argument == ARGUMENT_TARGET) {
        target_hint_kind(&command);
    }
    cli_command_write(&command);
    code_of_errors = exit_of_errors(&command.errors, command.is_strict);
    if (code == EXIT_CODE_PARTIAL || code == EXIT_CODE_TIMEOUT || code == EXIT_CODE_DIFFERENT) {
        /* partial success, timeouts and differences take precedence over the codes of errors */
        return (int)code;
    }
    return (int)(code_of_errors != EXIT_CODE_DONE ? code_of_errors : code);
}
