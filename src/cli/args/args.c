/* Parses the command line. Flags may be anywhere until `--`, as `--flag=value`, `-fFILE` or bundled
 * letters. KIND VERB is read as VERB KIND. The verb determines the valid flags, but may come after
 * flags. So the arguments are read twice: first to find the verb, then to read everything. The
 * first pass can skip the values of flags, because a flag takes a value for all verbs or for
 * none. */
#include "cli/args/args.h"

#include "cli/args/args_reader.h"
#include "model/schema.h"

#include <string.h>

static void args_words_check(struct args_reader *reader)
{
    const struct verb *verb = reader->args->verb;
    size_t count = reader->args->argument_count;
    struct err *err;

    if ((count >= verb->least && count <= verb->most) ||
        /* completion scripts pass whole lines as arguments */
        args_has(reader->args, FLAG_COMPLETION_WORDS)) {
        return;
    }
    if (count == 0) {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0005, "%s needs an argument",
                           verb->name);
    } else if (count < verb->least) {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0005,
                           "%s needs %zu arguments, got only '%s'", verb->name, verb->least,
                           reader->args->words[count - 1]);
    } else if (verb->most == 0) {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0005,
                           "%s takes no argument, got '%s'", verb->name, reader->args->words[0]);
    } else {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0005,
                           verb->most == 1 ? "%s takes %zu argument, got also '%s'"
                                           : "%s takes %zu arguments, got also '%s'",
                           verb->name, verb->most, reader->args->words[verb->most]);
    }
    if (count > 0 && schema_kind_of_word(text_from(reader->args->words[0])) != NULL) {
        err_hint(err, "%s takes no kind; use: reeve %s", verb->name, verb->synopsis);
    } else if (verb->most == 0 && flag_find_letter(verb->id, 'f') != NULL) {
        err_hint(err, "files are given with -f: reeve %s -f %s", verb_use_with_files(verb),
                 reader->args->words[0]);
    } else {
        err_hint(err, "use: reeve %s", verb->synopsis);
    }
}

void args_parse(struct arena *arena, size_t count, char *const *strings, struct args *out,
                struct err_list *errors)
{
    struct args_reader reader = {
        .arena = arena, .strings = strings, .count = count, .args = out, .errors = errors
    };
    size_t errors_before = errors->errors;
    struct err_list ignored;
    bool is_over = false;

    *out = (struct args){ .words = arena_array(arena, const char *, count) };
    args_verb_read(&reader);
    /* one error is enough, but later flags such as -o json still apply */
    if (errors->errors > errors_before) {
        err_list_init(&ignored, arena);
        reader.errors = &ignored;
        reader.verb = VERB_COUNT;
    }
    /* one argument with several letters counts as several flags */
    for (size_t i = 0; i < count; i++) {
        out->flag_count += strlen(strings[i]);
    }
    out->flags = arena_array(arena, struct args_flag, out->flag_count + 1);
    out->flag_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_over && strcmp(strings[i], "--") == 0) {
            is_over = true;
            out->has_end = true;
            out->words_before = out->argument_count;
        } else if (!is_over && text_has_prefix(text_from(strings[i]), TEXT("--"))) {
            i += args_long_read(&reader, i);
        } else if (!is_over && args_word_is_flag(strings[i])) {
            i += args_short_read(&reader, i);
        } else if (i != reader.verb_at) {
            out->words[out->argument_count++] = strings[i];
        }
    }
    out->words_before = out->has_end ? out->words_before : out->argument_count;
    if (out->verb != NULL && errors->errors == errors_before) {
        args_words_check(&reader);
    }
}

bool args_has(const struct args *args, enum flag_id id)
{
    return args_value_at(args, id, 0) != NULL;
}

const char *args_value_at(const struct args *args, enum flag_id id, size_t index)
{
    for (size_t i = 0; i < args->flag_count; i++) {
        if (args->flags[i].id == id && index-- == 0) {
            return args->flags[i].value == NULL ? "" : args->flags[i].value;
        }
    }
    return NULL;
}

const char *args_value(const struct args *args, enum flag_id id)
{
    const char *value = NULL;

    for (size_t i = 0; i < args->flag_count; i++) {
        if (args->flags[i].id == id) {
            value = args->flags[i].value;
        }
    }
    return value;
}

static bool is_args_named(const struct args_flag *flag, const char *name)
{
    return strcmp(flags_table[flag->id].name, name) == 0;
}

const char *args_named_at(const struct args *args, const char *name, size_t index)
{
    for (size_t i = 0; i < args->flag_count; i++) {
        if (is_args_named(&args->flags[i], name) && index-- == 0) {
            return args->flags[i].value == NULL ? "" : args->flags[i].value;
        }
    }
    return NULL;
}

const char *args_named(const struct args *args, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < args->flag_count; i++) {
        if (is_args_named(&args->flags[i], name)) {
            value = args->flags[i].value == NULL ? "" : args->flags[i].value;
        }
    }
    return value;
}

const char *args_output(const struct args *args)
{
    return args_named(args, "output");
}
