#include "cli/args/command.h"

#include "cli/term/fold.h"
#include "cli/term/report.h"
#include "sys/stream.h"

void command_fold(struct command *command, size_t from)
{
    fold_lines(command->arena, &command->out, from, command->out_style.columns, 0);
}

void command_fold_notes(struct command *command)
{
    fold_lines(command->arena, &command->notes, 0, command->error_style.columns, 0);
}

void command_flush(struct command *command)
{
    struct err err;

    command_fold_notes(command);
    command->has_written = command->has_written || command->out.length > 0;
    if (!stream_write_out(buf_text(&command->out), &err)) {
        err_list_add(&command->errors, &err);
    }
    if (!args_has(&command->args, FLAG_COMMON_QUIET) &&
        !stream_write_error(buf_text(&command->notes), &err)) {
        err_list_add(&command->errors, &err);
    }
    command->out.length = 0;
    command->notes.length = 0;
}

void command_say(struct command *command, struct text line)
{
    struct buf folded;
    struct err err;

    command_flush(command);
    buf_init(&folded, command->arena);
    buf_add(&folded, line);
    fold_lines(command->arena, &folded, 0, command->error_style.columns, 0);
    if (!stream_write_error(buf_text(&folded), &err)) {
        err_list_add(&command->errors, &err);
    }
}

void command_warn(struct command *command)
{
    const struct report report = { .arena = command->arena,
                                   .sources = &command->sources,
                                   .style = &command->error_style };
    struct buf text;
    struct err err;

    if (command->errors.errors > 0 || command->errors.warnings == 0) {
        return;
    }
    command_flush(command);
    buf_init(&text, command->arena);
    report_write(&report, &command->errors, &text);
    if (stream_write_error(buf_text(&text), &err)) {
        err_list_init(&command->errors, command->arena);
    }
}

bool command_is_verbose(const struct command *command)
{
    return args_has(&command->args, FLAG_COMMON_VERBOSE);
}

bool command_output_is(const struct command *command, const char *word)
{
    return text_is(text_from(args_output(&command->args)), word);
}

bool command_needs_files(struct command *command, enum flag_id flag)
{
    struct err *err;

    if (args_has(&command->args, flag)) {
        return true;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s needs a file",
                       command->args.verb->name);
    return err_hint(err, "name it with -f: reeve %s -f cluster.yaml",
                    verb_use_with_files(command->args.verb));
}
