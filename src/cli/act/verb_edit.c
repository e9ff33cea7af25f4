/* reeve edit: opens the object as a file in an editor, repeatedly until it is valid or the user
 * gives up. */
#include "cli/change/change.h"
#include "cli/term/export_text.h"
#include "cli/term/report.h"
#include "codec/yaml.h"
#include "sys/file.h"
#include "sys/foreground.h"
#include "sys/interrupt.h"
#include "sys/stream.h"

#include <stdlib.h>

/* One run of edit. */
struct editing {
    struct command *command;
    struct session session;
    struct target target;
    struct change_call call;
    struct text original; /* text of the object as the manager has stored it */
    struct text text;     /* the current text, without the comments that reeve added */
    struct text tried;    /* the text that was rejected last */
    const char *path;
};

/* Return the editor. NULL: none is configured, and there is no terminal for the default editor. */
static const char *editor_find(void)
{
    static const char *const names[] = { "VISUAL", "EDITOR" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *value = getenv(names[i]);

        if (value != NULL && value[0] != '\0') {
            return value;
        }
    }
    return stream_is_terminal_in() ? "sensible-editor" : NULL;
}

static bool original_get(struct editing *editing)
{
    struct command *command = editing->command;
    struct text path = session_path(command, editing->target.kind, editing->target.name);
    struct doc flat;
    struct buf text;

    if (!change_pin_get(command, &editing->session, &editing->target, &editing->call.if_match) ||
        !session_get(command, &editing->session,
                     arena_printf(command->arena, "%.*s?view=export", TEXT_ARG(path)), &flat)) {
        return false;
    }
    buf_init(&text, command->arena);
    export_text_write(&text, &flat, editing->target.kind->owner);
    editing->original = buf_text(&text);
    editing->text = editing->original;
    return true;
}

/* Add comment lines that begin with "## ". They are removed before the text is sent. */
static void comment_add(struct buf *out, struct text text)
{
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');

        buf_add_string(out, "## ");
        buf_add(out, text_slice(text, 0, end));
        buf_add_string(out, "\n");
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, text.length);
    }
}

static struct text comments_strip(struct arena *arena, struct text text)
{
    struct buf out;

    buf_init(&out, arena);
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');
        struct text line = text_slice(text, 0, end == SIZE_MAX ? end : end + 1);

        if (!text_has_prefix(line, TEXT("##"))) {
            buf_add(&out, line);
        }
        text = text_slice(text, line.length, text.length);
    }
    return buf_text(&out);
}

/* Return the text with the current errors as comments at the top. The errors are then removed from
 * the list, because the next check finds them again. */
static struct text commented(struct editing *editing)
{
    struct command *command = editing->command;
    struct style plain = { 0 };
    struct report report = { .arena = command->arena,
                             .sources = &command->sources,
                             .style = &plain };
    struct buf errors;
    struct buf out;

    buf_init(&errors, command->arena);
    buf_init(&out, command->arena);
    report_write(&report, &command->errors, &errors);
    comment_add(&out, arena_printf(command->arena, "%.*s; lines with ## are removed",
                                   TEXT_ARG(target_format(command->arena, &editing->target))));
    comment_add(&out, buf_text(&errors));
    buf_add(&out, editing->text);
    err_list_init(&command->errors, command->arena);
    return buf_text(&out);
}

static bool editor_run(struct editing *editing)
{
    struct command *command = editing->command;
    struct text bytes = commented(editing);
    struct err err;
    bool is_done = editing->path == NULL
                       ? foreground_file_make(command->arena, ".yaml", bytes, &editing->path, &err)
                       : foreground_file_write(editing->path, bytes, &err);

    command_flush(command);
    interrupt_leave();
    is_done = is_done && foreground_run(editor_find(), editing->path, &err) &&
              file_read(command->arena, editing->path, LIMIT_DOCUMENT_BYTES, &bytes, &err);
    interrupt_expect(INTERRUPT_BEFORE);
    if (!is_done) {
        err_list_add(&command->errors, &err);
        return false;
    }
    editing->text = comments_strip(command->arena, bytes);
    return true;
}

/* Check that the manager would accept the document. True: *out has the parsed document. */
static bool text_check(struct editing *editing, struct doc *out)
{
    struct command *command = editing->command;
    struct origin *origin = arena_one(command->arena, struct origin);
    struct yaml_docs docs;
    struct err err;

    origin->kind = ORIGIN_FILE;
    origin->source = source_set_add(&command->sources, "<edit>", editing->text);
    if (!yaml_parse(command->arena, editing->text, origin, &docs, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (docs.count != 1) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0117,
                     "there are %zu documents, and only one can be edited", docs.count);
        return false;
    }
    *out = docs.items[0];
    editing->call.body = change_body(command, out);
    return true;
}

/* Report where the edited text is stored if no change was made. */
static void kept_say(struct editing *editing)
{
    if (editing->path != NULL) {
        buf_printf(&editing->command->notes, "your text is saved in %s\n", editing->path);
    }
}

/* True if editing again would not help, because another user changed the object or no manager
 * answers. */
static bool is_for_nobody(const struct command *command)
{
    enum exit_code code = exit_of_errors(&command->errors, false);

    return code == EXIT_CODE_UNAVAILABLE || code == EXIT_CODE_CONFLICT ||
           code == EXIT_CODE_DENIED || code == EXIT_CODE_TIMEOUT;
}

/* Edit and send. If the manager rejects the text, edit again, until the user saves the same text
 * twice. */
static enum exit_code edit_loop(struct editing *editing)
{
    struct command *command = editing->command;
    struct doc document = { 0 };
    struct sent sent = { &document, 1, NULL };
    struct change_set set = { &editing->call, 1, &sent };

    for (;;) {
        struct err_list errors = command->errors;
        enum exit_code code = EXIT_CODE_INVALID;
        bool is_tried = editing->tried.data != NULL;

        if (!editor_run(editing)) {
            break;
        }
        if (text_is_equal(editing->text, editing->original) ||
            text_trim(editing->text).length == 0) {
            buf_add_string(&command->notes, "nothing changed\n");
            foreground_file_remove(editing->path);
            return EXIT_CODE_DONE;
        }
        if (is_tried && text_is_equal(editing->text, editing->tried)) {
            command->errors = errors;
            (void)text_check(editing, &document);
            break;
        }
        if (text_check(editing, &document)) {
            code = change_run(command, &editing->session, &set);
        }
        if (command->errors.errors == 0) {
            foreground_file_remove(editing->path);
            return code;
        }
        if (code == EXIT_CODE_DECLINED || is_for_nobody(command)) {
            break;
        }
        editing->tried = editing->text;
    }
    kept_say(editing);
    return EXIT_CODE_FAILED;
}

enum exit_code verb_edit(struct command *command)
{
    struct editing editing = { .command = command };

    editing.call.method = "PUT";
    editing.call.content_type = "application/json";
    if (!target_read(command, command->args.words, command->args.argument_count, &editing.target) ||
        !session_open(command, &editing.session)) {
        return EXIT_CODE_USAGE;
    }
    if (editor_find() == NULL) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0024,
                                       "there is no terminal to edit on; nothing was changed");

        (void)!err_hint(
            err,
            "set EDITOR, or: reeve get cluster NAME -o yaml --bare >FILE, then reeve apply -f FILE");
        return EXIT_CODE_DECLINED;
    }
    if (!original_get(&editing)) {
        return EXIT_CODE_NOT_FOUND;
    }
    editing.call.path = session_path(command, editing.target.kind, editing.target.name);
    return edit_loop(&editing);
}
