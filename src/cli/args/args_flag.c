/* Flags of the command line and their values. Each error suggests the most similar flag or
 * value. */
#include "base/buf.h"
#include "base/suggest.h"
#include "cli/args/args_reader.h"

#include <string.h>

const char *args_verb_name(const struct args_reader *reader)
{
    return reader->args->verb == NULL ? "reeve" : reader->args->verb->name;
}

void args_help_hint(const struct args_reader *reader, struct err *err)
{
    if (reader->args->verb == NULL) {
        err_hint(err, "reeve --help lists the verbs and flags");
    } else {
        err_hint(err, "reeve %s --help shows how it is used", reader->args->verb->name);
    }
}

static void args_flag_add(struct args_reader *reader, const struct flag *flag, const char *value)
{
    reader->args->flags[reader->args->flag_count++] = (struct args_flag){ flag->id, value };
}

/* True if the text is one of the allowed words. "cols=" allows every text that begins with it. */
static bool is_word_allowed(const struct flag *flag, struct text value)
{
    struct text words = text_from(flag->words);

    while (words.length > 0) {
        struct text word = flag_word_next(&words);

        if (text_is_equal(word, value) ||
            (text_has_suffix(word, TEXT("=")) && text_has_prefix(value, word))) {
            return true;
        }
    }
    return false;
}

/* Format the allowed words for a message: "text, gcc or json". */
static const char *args_flag_words_format(struct arena *arena, const struct flag *flag)
{
    struct text words = text_from(flag->words);
    struct buf buf;

    buf_init(&buf, arena);
    while (words.length > 0) {
        struct text word = flag_word_next(&words);

        if (buf.length > 0) {
            buf_add_string(&buf, words.length == 0 ? " or " : ", ");
        }
        buf_add(&buf, word);
        buf_add_string(&buf, text_has_suffix(word, TEXT("=")) ? "..." : "");
    }
    return buf_text(&buf).data;
}

static void args_flag_value_check(struct args_reader *reader, const struct flag *flag,
                                  const char *value)
{
    struct text text = text_from(value);
    struct text words = text_from(flag->words);
    struct suggest suggest;
    struct text best;
    struct err *err;
    int64_t number;

    if (flag->sort == FLAG_NUMBER) {
        if (!text_parse_int64(text, &number) || number < 0) {
            err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0004, "--%s takes a number, got '%s'",
                         flag->name, value);
        }
        return;
    }
    if (text.length == 0 && flag->sort != FLAG_WORD && flag->sort != FLAG_FORMAT) {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0003,
                           "--%s needs a %s, got an empty text", flag->name, flag->value_name);
        args_help_hint(reader, err);
        return;
    }
    if (words.length == 0 || is_word_allowed(flag, text)) {
        return;
    }
    suggest = suggest_start(text);
    while (words.length > 0) {
        suggest_offer(&suggest, flag_word_next(&words));
    }
    best = suggest_best(&suggest);
    err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0004, "--%s does not accept '%s'",
                       flag->name, value);
    if (best.length > 0) {
        err_hint(err, "did you mean '%.*s'? allowed: %s", TEXT_ARG(best),
                 args_flag_words_format(reader->arena, flag));
    } else {
        err_hint(err, "allowed: %s", args_flag_words_format(reader->arena, flag));
    }
}

static bool flag_is_shown(const struct flag *flag)
{
    return flag->help[0] != '\0';
}

/* Add the hint for a flag that belongs to other verbs. */
static void other_verb_hint(const struct args_reader *reader, struct err *err, struct text spelling,
                            const struct flag *flag)
{
    const struct verb *owner = &verbs_table[flag->owner];
    const struct verb *verb = reader->args->verb;

    if (verb == NULL) {
        err_hint(err, "'%.*s' is a flag of verbs; the verb is missing: reeve %s",
                 TEXT_ARG(spelling), owner->synopsis);
    } else if (strcmp(flag->name, "yes") == 0) {
        err_hint(err, "leave the flag out: reeve %s does not ask", verb->name);
    } else if (strcmp(flag->name, "cluster") == 0 && (strstr(verb->synopsis, "TARGET") != NULL ||
                                                      strstr(verb->synopsis, "CLUSTER") != NULL)) {
        err_hint(err, "name the cluster without a flag: reeve %s shop", verb->name);
    } else {
        err_hint(err, "'%.*s' is a flag of %s; reeve %s --help lists those of %s",
                 TEXT_ARG(spelling), owner->name, reader->args->verb->name,
                 reader->args->verb->name);
    }
}

/* Add the error for an unknown flag. `spelling` includes the dashes but not the value. */
static void unknown_flag(struct args_reader *reader, struct text spelling)
{
    struct text name = spelling.length > 2 ? text_slice(spelling, 2, spelling.length) : TEXT("");
    const struct flag *other = flag_find(VERB_COUNT, name);
    struct suggest suggest = suggest_start(name);
    struct text best;
    struct err *err;

    if (other == NULL && spelling.length == 2) {
        other = flag_find_letter(VERB_COUNT, spelling.data[1]);
    }
    err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0002, "%s has no flag '%.*s'",
                       args_verb_name(reader), TEXT_ARG(spelling));
    if (other != NULL && flag_is_shown(other)) {
        if (other->owner < VERB_COUNT) {
            other_verb_hint(reader, err, spelling, other);
        } else {
            err_hint(err, "'%.*s' is used without a verb: reeve %.*s", TEXT_ARG(spelling),
                     TEXT_ARG(spelling));
        }
        return;
    }
    for (size_t i = 0; i < flags_count; i++) {
        if (flag_is_of(&flags_table[i], reader->verb) && flag_is_shown(&flags_table[i])) {
            suggest_offer(&suggest, text_from(flags_table[i].name));
        }
    }
    best = suggest_best(&suggest);
    if (best.length > 0) {
        err_hint(err, "did you mean '--%.*s'?", TEXT_ARG(best));
    } else {
        args_help_hint(reader, err);
    }
}

static void missing_value(struct args_reader *reader, const struct flag *flag)
{
    struct err *err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0003,
                                   "--%s needs a %s after it", flag->name, flag->value_name);

    if (flag->words[0] != '\0') {
        err_hint(err, "allowed: %s", args_flag_words_format(reader->arena, flag));
    } else {
        args_help_hint(reader, err);
    }
}

/* True if the value was forgotten, as in `-f --strict`; a file of that name is given as ./--strict.
 * A column in reverse order (-COLUMN) and a negative number are values, too. */
static bool value_is_missing(const struct flag *flag, const char *next)
{
    bool is_turned = flag->sort == FLAG_ORDER && next[0] == '-' && next[1] != '-' &&
                     strlen(next) > 2; /* a short option like -o is a flag */

    return args_word_is_flag(next) && !is_turned;
}

/* Take the value of a flag from the attached text, or from the next word. Returns the number of
 * words used. */
static size_t args_flag_value_take(struct args_reader *reader, const struct flag *flag,
                                   const char *attached, size_t at)
{
    const char *value = attached;
    size_t used = 0;

    if (value == NULL && at + 1 < reader->count) {
        value = reader->strings[at + 1];
        used = 1;
        if (value_is_missing(flag, value)) {
            value = NULL;
            used = 0;
        }
    }
    if (value == NULL) {
        missing_value(reader, flag);
        return 0;
    }
    args_flag_value_check(reader, flag, value);
    args_flag_add(reader, flag, value);
    return used;
}

/* Read --name or --name=value. Returns how many words after it were used. */
size_t args_long_read(struct args_reader *reader, size_t at)
{
    struct text word = text_from(reader->strings[at]);
    size_t equals = text_find_byte(word, '=');
    struct text spelling = text_slice(word, 0, equals);
    const struct flag *flag = flag_find(reader->verb, text_slice(spelling, 2, spelling.length));
    const char *attached = equals == SIZE_MAX ? NULL : reader->strings[at] + equals + 1;

    if (flag == NULL) {
        unknown_flag(reader, spelling);
        return 0;
    }
    if (flag->sort != FLAG_NONE) {
        return args_flag_value_take(reader, flag, attached, at);
    }
    if (attached != NULL) {
        err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0004, "--%s takes no value, got '%s'",
                     flag->name, attached);
        return 0;
    }
    args_flag_add(reader, flag, NULL);
    return 0;
}

/* True for -file in place of --file: a typing error that must not be read as -f ile. */
static bool is_long_with_one_dash(const struct args_reader *reader, struct text word)
{
    struct text name = text_slice(word, 1, text_find_byte(word, '=') - 1);

    return name.length > 1 && flag_find(reader->verb, name) != NULL;
}

/* Read -q, -qv, -fFILE or -f FILE. Returns how many words after it were used. */
size_t args_short_read(struct args_reader *reader, size_t at)
{
    struct text word = text_from(reader->strings[at]);

    if (is_long_with_one_dash(reader, word)) {
        struct err *err =
            err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0002, "%s has no flag '%s'",
                         args_verb_name(reader), reader->strings[at]);

        err_hint(err, "did you mean '-%s'?", reader->strings[at]);
        return 0;
    }
    for (size_t i = 1; i < word.length; i++) {
        const struct flag *flag = flag_find_letter(reader->verb, word.data[i]);

        if (flag == NULL) {
            char spelling[3] = { '-', word.data[i], '\0' };

            /* -fiel is more likely a misspelled long flag than bundled letters */
            if (i == 1 && word.length > 2) {
                unknown_flag(reader, arena_printf(reader->arena, "-%s", reader->strings[at]));
            } else {
                unknown_flag(reader, text_from(spelling));
            }
            return 0;
        }
        if (flag->sort != FLAG_NONE) {
            const char *attached = i + 1 < word.length ? reader->strings[at] + i + 1 : NULL;

            if (attached != NULL && attached[0] == '=') {
                attached++;
            }
            return args_flag_value_take(reader, flag, attached, at);
        }
        args_flag_add(reader, flag, NULL);
    }
    return 0;
}
