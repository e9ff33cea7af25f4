/* Finds the verb. KIND VERB counts as VERB KIND. Words of other tools, former spellings and typing
 * errors each have their own error. */
#include "base/suggest.h"
#include "cli/args/args_reader.h"
#include "cli/args/subject.h"
#include "model/schema.h"

#include <string.h>

bool args_word_is_flag(const char *word)
{
    /* a number or a text, not a flag, as in `scale -2` or `-m '- so'` */
    bool is_text = (word[1] >= '0' && word[1] <= '9') || word[1] == ' ';

    return word[0] == '-' && word[1] != '\0' && !is_text;
}

bool args_takes_next(const char *word)
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

/* Return the index of the n-th word (from 0) that is not a flag, or `count` if there is none. */
static size_t args_verb_word_find(const struct args_reader *reader, size_t wanted)
{
    bool is_over = false;

    for (size_t i = 0; i < reader->count; i++) {
        if (!is_over && strcmp(reader->strings[i], "--") == 0) {
            is_over = true;
        } else if (!is_over && args_word_is_flag(reader->strings[i])) {
            i += args_takes_next(reader->strings[i]) ? 1 : 0;
        } else if (wanted-- == 0) {
            return i;
        }
    }
    return reader->count;
}

static void foreign_error(struct args_reader *reader, const struct verb_foreign *foreign)
{
    struct err *err =
        err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0009, "reeve has no '%s'", foreign->word);

    err_hint(err, "did you mean \"reeve %s %s\"?", foreign->verb, foreign->rest);
}

static bool is_word_file(const char *word)
{
    struct text text = text_from(word);

    return text_has_suffix(text, TEXT(".yaml")) || text_has_suffix(text, TEXT(".yml")) ||
           text_has_suffix(text, TEXT(".json"));
}

static void unknown_verb(struct args_reader *reader, const char *word)
{
    const struct verb_foreign *foreign = verb_foreign_find(text_from(word));
    struct suggest suggest = suggest_start(text_from(word));
    struct text best;
    struct err *err;

    if (foreign != NULL) {
        foreign_error(reader, foreign);
        return;
    }
    err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0001, "reeve has no verb '%s'", word);
    verbs_suggest(&suggest);
    best = suggest_best(&suggest);
    if (best.length > 0) {
        err_hint(err, "did you mean 'reeve %.*s'?", TEXT_ARG(best));
        return;
    }
    if (code_find(text_from(word)) != CODE_NONE) {
        err_hint(err, "to read about the code: reeve explain %s", word);
    } else if (is_word_file(word)) {
        err_hint(err, "to check a file: reeve validate -f %s", word);
    } else {
        args_help_hint(reader, err);
    }
}

static bool takes_kind(const struct verb *verb)
{
    return verb->argument == ARGUMENT_SUBJECT || verb->argument == ARGUMENT_TARGET ||
           verb->argument == ARGUMENT_HOLD;
}

/* Add the error for `reeve cluster` or `reeve clsuter explain`: the first word is a kind without a
 * verb, or a misspelled kind. False: it is neither. */
static bool kind_error(struct args_reader *reader, const char *word, const char *next)
{
    const struct schema_kind *kind = schema_kind_of_word(text_from(word));
    struct err *err;

    if (kind != NULL && next == NULL) {
        err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0005,
                           "'%s' is a kind, and a verb is missing", word);
        err_hint(err, "reeve explain %s", kind->singular);
        return true;
    }
    if (kind == NULL && next != NULL && verb_find(text_from(next)) != NULL &&
        takes_kind(verb_find(text_from(next)))) {
        struct text meant = subject_suggest_kind(text_from(word));

        if (meant.length > 0) {
            err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0006, "reeve has no kind '%s'",
                               word);
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(meant));
            return true;
        }
    }
    return false;
}

/* True for KIND VERB: a kind, and after it the verb. */
static bool is_kind_verb(const char *word, const char *next)
{
    return next != NULL && schema_kind_of_word(text_from(word)) != NULL;
}

/* True if a word that is both a kind and a verb (job, rollout) is the kind, because a verb that
 * takes kinds follows. */
static bool is_kind_asked(const char *word, const char *next)
{
    static const enum verb_id asking[] = { VERB_EXPLAIN, VERB_GET, VERB_DESCRIBE, VERB_WAIT,
                                           VERB_EVENTS };
    const struct verb *verb = next == NULL ? NULL : verb_find(text_from(next));
    bool is_asking = false;

    for (size_t i = 0; verb != NULL && i < ARRAY_COUNT(asking); i++) {
        is_asking = is_asking || verb->id == asking[i];
    }
    return is_asking && schema_kind_of_word(text_from(word)) != NULL;
}

/* Find the verb. KIND VERB is read as VERB KIND: the kind remains the first of the words, where the
 * verb expects it. */
void args_verb_read(struct args_reader *reader)
{
    size_t first = args_verb_word_find(reader, 0);
    size_t second = args_verb_word_find(reader, 1);
    const char *word = first < reader->count ? reader->strings[first] : NULL;
    const char *next = second < reader->count ? reader->strings[second] : NULL;

    reader->verb_at = first;
    reader->verb = VERB_TOP;
    if (word == NULL) {
        return;
    }
    if (args_moved_error(reader, first, second)) {
        return;
    }
    reader->args->verb = verb_find(text_from(word));
    if (reader->args->verb == NULL ? is_kind_verb(word, next) : is_kind_asked(word, next)) {
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
