#include "cli/args/command.h"
#include "cli/args/embed.h"
#include "sys/file.h"

#include <string.h>
#include <unistd.h>

#define INIT_FILE "cluster.yaml"

/* Return the default example, which the user's manager must be able to apply. A manager that runs
 * as root can create containers. A manager of another user (quickstart.sh without root) cannot, so
 * its machines are files (plugin `file`). */
static const char *example_default(void)
{
    return geteuid() == 0 ? "minimal" : "files";
}

static void list_write(struct command *command)
{
    for (size_t i = 0; i < embed_example_count; i++) {
        struct text summary = embed_summary(&embed_examples[i]);

        buf_printf(&command->out, "%-16s %.*s\n", embed_examples[i].name, TEXT_ARG(summary));
    }
}

static void example_unknown(struct command *command, const char *name)
{
    struct suggest suggest = suggest_start(text_from(name));
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                   "there is no example '%s'", name);

    for (size_t i = 0; i < embed_example_count; i++) {
        suggest_offer(&suggest, text_from(embed_examples[i].name));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'? reeve init --list shows all",
                 TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve init --list shows the examples");
    }
}

/* Quote a path so that the shell reads it as one word, and reeve does not read it as a flag. */
static struct text quote_word(struct arena *arena, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._/+%@,:=-";
    const char *front = path[0] == '-' ? "./" : "";
    struct buf buf;

    if (path[strspn(path, plain)] == '\0') {
        return arena_printf(arena, "%s%s", front, path);
    }
    buf_init(&buf, arena);
    buf_printf(&buf, "'%s", front);
    for (size_t i = 0; path[i] != '\0'; i++) {
        if (path[i] == '\'') {
            buf_add_string(&buf, "'\\''");
        } else {
            buf_add_bytes(&buf, path[i], 1);
        }
    }
    buf_add_bytes(&buf, '\'', 1);
    return buf_text(&buf);
}

/* Return the example with the name of the user's file in the commands of its comments. */
static struct text example_named(struct arena *arena, struct text bytes, const char *path)
{
    struct text word = quote_word(arena, path);
    struct text name = TEXT("-f " INIT_FILE);
    struct buf buf;

    buf_init(&buf, arena);
    while (bytes.length > 0) {
        const char *at = memmem(bytes.data, bytes.length, name.data, name.length);
        size_t before = at == NULL ? bytes.length : (size_t)(at - bytes.data);

        buf_add(&buf, text_slice(bytes, 0, before));
        if (at != NULL) {
            buf_printf(&buf, "-f %.*s", TEXT_ARG(word));
            before += name.length;
        }
        bytes = text_slice(bytes, before, bytes.length);
    }
    return buf_text(&buf);
}

static void init_next_write(struct command *command, const char *path)
{
    struct text word = quote_word(command->arena, path);

    buf_printf(&command->notes,
               "wrote %s\n"
               "next: %s validate -f %.*s\n"
               "      %s plan --offline -f %.*s\n",
               path, command->program, TEXT_ARG(word), command->program, TEXT_ARG(word));
}

enum exit_code verb_init(struct command *command)
{
    const char *cloud = args_value(&command->args, FLAG_INIT_CLOUD);
    const char *name = args_value(&command->args, FLAG_INIT_EXAMPLE);
    const char *path = command->args.argument_count > 0 ? command->args.words[0] : INIT_FILE;
    const struct embed_file *file;
    struct err err;

    if (args_has(&command->args, FLAG_INIT_LIST)) {
        list_write(command);
        return EXIT_CODE_DONE;
    }
    if (cloud != NULL && name != NULL) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     "--cloud and --example both name the file to write: give one of them");
        return EXIT_CODE_USAGE;
    }
    if (cloud != NULL) {
        name = arena_string(command->arena, arena_printf(command->arena, "cloud-%s", cloud));
    } else if (name == NULL) {
        name = example_default();
    }
    file = embed_find(embed_examples, embed_example_count, text_from(name));
    if (file == NULL) {
        example_unknown(command, name);
        return EXIT_CODE_USAGE;
    }
    if (text_is(text_from(path), "-")) {
        buf_add(&command->out, file->bytes);
        return EXIT_CODE_DONE;
    }
    if (!file_create(path, example_named(command->arena, file->bytes, path), &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    init_next_write(command, path);
    return EXIT_CODE_DONE;
}
