/* The command line: flags anywhere, `--` ends them, `--flag=value`, `-fFILE`, bundled letters, and
 * KIND VERB read as VERB KIND.
 *
 * The verb decides which flags there are, but may stand behind flags, so the words are walked twice:
 * first to find the verb (a flag's name says whether a value follows, for it means the same
 * everywhere), then to read. */
#include "cli/args.h"

#include <assert.h>
#include <string.h>

#include "base/suggest.h"
#include "model/schema.h"

struct args_reader {
    struct arena *arena;
    char *const *strings;
    size_t count;
    size_t verb_at; /* index of the verb's word; count = none */
    enum verb_id verb;
    struct args *args;
    struct err_list *errors;
};

static const struct place no_place = { 0 };

static const char *verb_name(const struct args_reader *reader)
{
    return reader->args->verb == NULL ? "reeve" : reader->args->verb->name;
}

static void help_hint(const struct args_reader *reader, struct err *err)
{
    if (reader->args->verb == NULL) {
        err_hint(err, "reeve --help lists the verbs and flags");
    } else {
        err_hint(err, "reeve %s --help shows how it is used", reader->args->verb->name);
    }
}

/* ---- flags ---- */

static void flag_add(struct args_reader *reader, const struct flag *flag, const char *value)
{
    reader->args->flags[reader->args->flag_count++] = (struct args_flag){ flag->id, value };
}

/* Is the text one of the words? "cols=" stands for everything that begins so. */
static bool word_is_allowed(const struct flag *flag, struct text value)
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

/* "text, gcc or json" */
static const char *words_format(struct arena *arena, const struct flag *flag)
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

static void value_check(struct args_reader *reader, const struct flag *flag, const char *value)
{
    struct text text = text_from(value);
    struct text words = text_from(flag->words);
    struct suggest suggest;
    struct text best;
    struct err *err;
    int64_t number;

    if (flag->sort == FLAG_NUMBER) {
        if (!text_parse_int64(text, &number) || number < 0) {
            err_list_set(reader->errors, no_place, CODE_R0004, "--%s takes a number, got '%s'",
                         flag->name, value);
        }
        return;
    }
    if (text.length == 0 && flag->sort != FLAG_WORD && flag->sort != FLAG_FORMAT) {
        err = err_list_set(reader->errors, no_place, CODE_R0003, "--%s needs a %s, got an empty text",
                           flag->name, flag->value_name);
        help_hint(reader, err);
        return;
    }
    if (words.length == 0 || word_is_allowed(flag, text)) {
        return;
    }
    suggest = suggest_start(text);
    while (words.length > 0) {
        suggest_offer(&suggest, flag_word_next(&words));
    }
    best = suggest_best(&suggest);
    err = err_list_set(reader->errors, no_place, CODE_R0004, "--%s takes no '%s'", flag->name, value);
    if (best.length > 0) {
        err_hint(err, "did you mean '%.*s'? allowed: %s", TEXT_ARG(best),
                 words_format(reader->arena, flag));
    } else {
        err_hint(err, "allowed: %s", words_format(reader->arena, flag));
    }
}

static bool flag_is_shown(const struct flag *flag)
{
    return flag->help[0] != '\0';
}

/* `spelling` has its dashes and no value. */
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
    err = err_list_set(reader->errors, no_place, CODE_R0002, "%s has no flag '%.*s'",
                       verb_name(reader), TEXT_ARG(spelling));
    if (other != NULL && flag_is_shown(other)) {
        if (other->owner < VERB_COUNT) {
            err_hint(err, "'%.*s' is a flag of %s; reeve %s --help lists those of %s",
                     TEXT_ARG(spelling), verbs_table[other->owner].name, verb_name(reader),
                     verb_name(reader));
        } else {
            err_hint(err, "'%.*s' stands without a verb: reeve %.*s", TEXT_ARG(spelling),
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
        help_hint(reader, err);
    }
}

static void missing_value(struct args_reader *reader, const struct flag *flag)
{
    struct err *err = err_list_set(reader->errors, no_place, CODE_R0003, "--%s needs a %s behind it",
                                   flag->name, flag->value_name);

    if (flag->words[0] != '\0') {
        err_hint(err, "allowed: %s", words_format(reader->arena, flag));
    } else {
        help_hint(reader, err);
    }
}

/* Take the value of a flag from what is attached, or from the next word. Returns words used. */
static size_t value_take(struct args_reader *reader, const struct flag *flag, const char *attached,
                         size_t at)
{
    const char *value = attached;
    size_t used = 0;

    if (value == NULL && at + 1 < reader->count) {
        value = reader->strings[at + 1];
        used = 1;
        /* `-f --strict`: the value was forgotten, a file of that name is given as ./--strict */
        if (value[0] == '-' && value[1] != '\0' &&
            (strcmp(value, "--") == 0 || flag->sort != FLAG_NUMBER)) {
            value = NULL;
            used = 0;
        }
    }
    if (value == NULL) {
        missing_value(reader, flag);
        return 0;
    }
    value_check(reader, flag, value);
    flag_add(reader, flag, value);
    return used;
}

/* --name, --name=value. Returns how many words behind it were used. */
static size_t long_read(struct args_reader *reader, size_t at)
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
        return value_take(reader, flag, attached, at);
    }
    if (attached != NULL) {
        err_list_set(reader->errors, no_place, CODE_R0004, "--%s takes no value, got '%s'",
                     flag->name, attached);
        return 0;
    }
    flag_add(reader, flag, NULL);
    return 0;
}

/* -file for --file: a slip of the hand that must not be read as -f ile. */
static bool is_long_with_one_dash(const struct args_reader *reader, struct text word)
{
    struct text name = text_slice(word, 1, text_find_byte(word, '=') - 1);

    return name.length > 1 && flag_find(reader->verb, name) != NULL;
}

/* -q, -qv, -fFILE, -f FILE. Returns how many words behind it were used. */
static size_t short_read(struct args_reader *reader, size_t at)
{
    struct text word = text_from(reader->strings[at]);

    if (is_long_with_one_dash(reader, word)) {
        struct err *err = err_list_set(reader->errors, no_place, CODE_R0002, "%s has no flag '%s'",
                                       verb_name(reader), reader->strings[at]);

        err_hint(err, "did you mean '-%s'?", reader->strings[at]);
        return 0;
    }
    for (size_t i = 1; i < word.length; i++) {
        const struct flag *flag = flag_find_letter(reader->verb, word.data[i]);

        if (flag == NULL) {
            char spelling[3] = { '-', word.data[i], '\0' };

            if (i == 1 && word.length > 2) { /* -fiel: no bundle, more likely a long one */
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
            return value_take(reader, flag, attached, at);
        }
        flag_add(reader, flag, NULL);
    }
    return 0;
}

/* ---- the verb ---- */

static bool word_is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* Does the flag in this word take the next word as its value? Asked before the verb is known. */
static bool flag_takes_next(const char *word)
{
    struct text text = text_from(word);

    if (text_has_prefix(text, TEXT("--"))) {
        const struct flag *flag = flag_find(VERB_COUNT, text_slice(text, 2, text.length));

        return flag != NULL && flag->sort != FLAG_NONE;
    }
    for (size_t i = 1; i < text.length; i++) {
        const struct flag *flag = flag_find_letter(VERB_COUNT, text.data[i]);

        if (flag == NULL) {
            return false;
        }
        if (flag->sort != FLAG_NONE) {
            return i + 1 == text.length;
        }
    }
    return false;
}

/* Index of the n-th word (from 0) that is no flag, count where there is none. */
static size_t word_find(const struct args_reader *reader, size_t wanted)
{
    bool is_over = false;

    for (size_t i = 0; i < reader->count; i++) {
        if (!is_over && strcmp(reader->strings[i], "--") == 0) {
            is_over = true;
        } else if (!is_over && word_is_flag(reader->strings[i])) {
            i += flag_takes_next(reader->strings[i]) ? 1 : 0;
        } else if (wanted-- == 0) {
            return i;
        }
    }
    return reader->count;
}

static void coming_error(struct args_reader *reader, const struct verb_named *coming)
{
    struct err *err =
        err_list_set(reader->errors, no_place, CODE_R0010,
                     "'%s' needs a manager, which this version does not have", coming->name);

    err_hint(err, "reeve --help lists what this version can do");
}

static void foreign_error(struct args_reader *reader, const struct verb_foreign *foreign)
{
    struct err *err =
        err_list_set(reader->errors, no_place, CODE_R0009, "reeve has no '%s'", foreign->word);

    err_hint(err, "did you mean \"reeve %s %s\"?%s", foreign->verb, foreign->rest,
             verb_find(text_from(foreign->verb)) == NULL
                 ? " it needs a manager, which this version does not have"
                 : "");
}

static bool word_is_file(const char *word)
{
    struct text text = text_from(word);

    return text_has_suffix(text, TEXT(".yaml")) || text_has_suffix(text, TEXT(".yml")) ||
           text_has_suffix(text, TEXT(".json"));
}

static void unknown_verb(struct args_reader *reader, const char *word)
{
    const struct verb_foreign *foreign = verb_foreign_find(text_from(word));
    const struct verb_named *coming = verb_coming_find(text_from(word));
    struct suggest suggest = suggest_start(text_from(word));
    struct text best;
    struct err *err;

    if (foreign != NULL) {
        foreign_error(reader, foreign);
        return;
    }
    if (coming != NULL) {
        coming_error(reader, coming);
        return;
    }
    err = err_list_set(reader->errors, no_place, CODE_R0001, "reeve has no verb '%s'", word);
    verbs_suggest(&suggest);
    best = suggest_best(&suggest);
    if (best.length > 0) {
        err_hint(err, "did you mean 'reeve %.*s'?", TEXT_ARG(best));
        return;
    }
    if (code_find(text_from(word)) != CODE_NONE) {
        err_hint(err, "to read about the code: reeve explain %s", word);
    } else if (word_is_file(word)) {
        err_hint(err, "to check a file: reeve validate -f %s", word);
    } else {
        help_hint(reader, err);
    }
}

/* `reeve cluster` or `reeve clsuter explain`: the first word is a kind and stands alone, or was
 * meant as one. True where that settled the matter. */
static bool kind_error(struct args_reader *reader, const char *word, const char *next)
{
    const struct schema_kind *kind = schema_kind_of_word(text_from(word));
    struct suggest suggest = suggest_start(text_from(word));
    struct err *err;

    if (kind != NULL && next == NULL && verb_coming_find(text_from(word)) == NULL) {
        err = err_list_set(reader->errors, no_place, CODE_R0005, "'%s' is a kind, and a verb is missing",
                           word);
        err_hint(err, "reeve explain %s", kind->singular);
        return true;
    }
    if (kind == NULL && next != NULL && verb_find(text_from(next)) != NULL &&
        verb_find(text_from(next))->argument == ARGUMENT_SUBJECT) {
        schema_suggest_kinds(&suggest);
        if (suggest_best(&suggest).length > 0) {
            err = err_list_set(reader->errors, no_place, CODE_R0006, "reeve has no kind '%s'", word);
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
            return true;
        }
    }
    return false;
}

/* KIND VERB, where the kind is not itself a verb to come (job, plugin) that takes such a word. */
static bool is_kind_verb(const char *word, const char *next)
{
    const struct verb *verb = next == NULL ? NULL : verb_find(text_from(next));

    if (next == NULL || schema_kind_of_word(text_from(word)) == NULL) {
        return false;
    }
    return verb_coming_find(text_from(word)) == NULL ||
           (verb != NULL && verb->argument == ARGUMENT_SUBJECT);
}

/* Find the verb. KIND VERB is VERB KIND: the kind stays among the words, where the verb expects it. */
static void verb_read(struct args_reader *reader)
{
    size_t first = word_find(reader, 0);
    size_t second = word_find(reader, 1);
    const char *word = first < reader->count ? reader->strings[first] : NULL;
    const char *next = second < reader->count ? reader->strings[second] : NULL;

    reader->verb_at = first;
    reader->verb = VERB_TOP;
    if (word == NULL) {
        return;
    }
    reader->args->verb = verb_find(text_from(word));
    if (reader->args->verb == NULL && is_kind_verb(word, next)) {
        reader->args->verb = verb_find(text_from(next));
        reader->verb_at = second;
        word = reader->args->verb == NULL ? next : word;
    }
    if (reader->args->verb != NULL) {
        reader->verb = reader->args->verb->id;
        return;
    }
    if (!kind_error(reader, word, next)) {
        unknown_verb(reader, word);
    }
}

/* ---- the whole ---- */

static void words_check(struct args_reader *reader)
{
    const struct verb *verb = reader->args->verb;
    size_t count = reader->args->word_count;
    struct err *err;

    if ((count >= verb->least && count <= verb->most) ||
        args_has(reader->args, FLAG_COMPLETION_WORDS)) { /* our own scripts send whole lines */
        return;
    }
    if (count < verb->least) {
        err = err_list_set(reader->errors, no_place, CODE_R0005, "%s needs an argument", verb->name);
    } else if (verb->most == 0) {
        err = err_list_set(reader->errors, no_place, CODE_R0005, "%s takes no argument, got '%s'",
                           verb->name, reader->args->words[0]);
    } else {
        err = err_list_set(reader->errors, no_place, CODE_R0005, "%s takes one argument, got also '%s'",
                           verb->name, reader->args->words[verb->most]);
    }
    if (count > 0 && schema_kind_of_word(text_from(reader->args->words[0])) != NULL) {
        err_hint(err, "%s is about no single kind; use: reeve %s", verb->name, verb->synopsis);
    } else if (verb->most == 0 && flag_find_letter(verb->id, 'f') != NULL) {
        err_hint(err, "files are named with -f: reeve %s -f %s", verb->name,
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
    verb_read(&reader);
    if (errors->errors > errors_before) { /* one error is enough, but -o json still counts */
        err_list_init(&ignored, arena);
        reader.errors = &ignored;
        reader.verb = VERB_COUNT;
    }
    /* a bundle of letters gives more flags than words */
    for (size_t i = 0; i < count; i++) {
        out->flag_count += strlen(strings[i]);
    }
    out->flags = arena_array(arena, struct args_flag, out->flag_count + 1);
    out->flag_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_over && strcmp(strings[i], "--") == 0) {
            is_over = true;
        } else if (!is_over && text_has_prefix(text_from(strings[i]), TEXT("--"))) {
            i += long_read(&reader, i);
        } else if (!is_over && word_is_flag(strings[i])) {
            i += short_read(&reader, i);
        } else if (i != reader.verb_at) {
            out->words[out->word_count++] = strings[i];
        }
    }
    if (out->verb != NULL && errors->errors == errors_before) {
        words_check(&reader);
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

const char *args_output(const struct args *args)
{
    const char *value = NULL;

    for (size_t i = 0; i < args->flag_count; i++) {
        if (strcmp(flags_table[args->flags[i].id].name, "output") == 0) {
            value = args->flags[i].value;
        }
    }
    return value;
}
