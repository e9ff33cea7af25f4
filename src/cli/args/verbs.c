#include "cli/args/verbs.h"

#include "base/macros.h"
#include "cli/args/command.h"
#include "simulation/fault.h"

#include <assert.h>
#include <string.h>

const struct verb verbs_table[] = {
#define VERB(id, function, name, summary, synopsis, argument, least, most, since, text) \
    { VERB_##id, name, summary, synopsis, argument, least, most, since, text, function },
#include "cli/args/verbs.def"
#undef VERB
};
const size_t verbs_count = ARRAY_COUNT(verbs_table);

const struct flag flags_table[] = {
#define FLAG(verb, id, name, letter, sort, value_name, words, repeats, help) \
    { VERB_##verb, FLAG_##verb##_##id, name, letter, sort, value_name, words, repeats, help },
#include "cli/args/verbs.def"
#undef FLAG
};
const size_t flags_count = ARRAY_COUNT(flags_table);

const struct verb_example verbs_examples[] = {
#define EXAMPLE(verb, command, code, text) { VERB_##verb, command, EXIT_CODE_##code, text },
#include "cli/args/verbs.def"
#undef EXAMPLE
};
const size_t verbs_example_count = ARRAY_COUNT(verbs_examples);

const struct verb_exit verbs_exits[] = {
#define VERB_EXIT(verb, code, text) { VERB_##verb, EXIT_CODE_##code, text },
#include "cli/args/verbs.def"
#undef VERB_EXIT
};
const size_t verbs_exit_count = ARRAY_COUNT(verbs_exits);

const struct verb_foreign verbs_foreign[] = {
#define FOREIGN(word, verb, rest) { word, verb, rest },
#include "cli/args/verbs.def"
#undef FOREIGN
};
const size_t verbs_foreign_count = ARRAY_COUNT(verbs_foreign);

const struct verb_moved verbs_moved[] = {
#define MOVED(verb, word, front, back, words) { verb, word, front, back, words },
#include "cli/args/verbs.def"
#undef MOVED
};
const size_t verbs_moved_count = ARRAY_COUNT(verbs_moved);

static const enum verb_id hidden[] = {
#define HIDDEN(verb) VERB_##verb,
#include "cli/args/verbs.def"
#undef HIDDEN
};

const struct verb_short verbs_short[] = {
#define SHORT(heading, verb) { heading, VERB_##verb },
#include "cli/args/verbs.def"
#undef SHORT
};
const size_t verbs_short_count = ARRAY_COUNT(verbs_short);

const struct verb_named verbs_topics[] = {
#define TOPIC(name, summary) { name, summary },
#include "cli/args/verbs.def"
#undef TOPIC
};
const size_t verbs_topic_count = ARRAY_COUNT(verbs_topics);

const char *verb_use_with_files(const struct verb *verb)
{
    return verb->name;
}

const struct verb *verb_find(struct text name)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (text_is(name, verbs_table[i].name)) {
            return &verbs_table[i];
        }
    }
    return NULL;
}

bool verb_is_hidden(const struct verb *verb)
{
    for (size_t i = 0; i < ARRAY_COUNT(hidden); i++) {
        if (hidden[i] == verb->id) {
            return true;
        }
    }
    return false;
}

const struct verb_moved *verb_moved_find(const char *verb, const char *word)
{
    for (size_t i = 0; i < verbs_moved_count; i++) {
        const struct verb_moved *moved = &verbs_moved[i];

        if (strcmp(moved->verb, verb) == 0 &&
            (moved->word[0] == '\0' || (word != NULL && strcmp(moved->word, word) == 0))) {
            return moved;
        }
    }
    return NULL;
}

const struct verb_foreign *verb_foreign_find(struct text word)
{
    for (size_t i = 0; i < verbs_foreign_count; i++) {
        if (text_is(word, verbs_foreign[i].word)) {
            return &verbs_foreign[i];
        }
    }
    return NULL;
}

static const struct verb_named *verbs_named_find(const struct verb_named *items, size_t count,
                                                 struct text name)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(name, items[i].name)) {
            return &items[i];
        }
    }
    return NULL;
}

const struct verb_named *verb_topic_find(struct text name)
{
    return verbs_named_find(verbs_topics, verbs_topic_count, name);
}

bool flag_is_of(const struct flag *flag, enum verb_id verb)
{
    return flag->owner == verb || flag->owner == VERB_COMMON;
}

const struct flag *flag_find(enum verb_id verb, struct text name)
{
    for (size_t i = 0; i < flags_count; i++) {
        if ((verb == VERB_COUNT || flag_is_of(&flags_table[i], verb)) &&
            text_is(name, flags_table[i].name)) {
            return &flags_table[i];
        }
    }
    return NULL;
}

const struct flag *flag_find_letter(enum verb_id verb, char letter)
{
    assert(letter != 0);
    for (size_t i = 0; i < flags_count; i++) {
        if ((verb == VERB_COUNT || flag_is_of(&flags_table[i], verb)) &&
            flags_table[i].letter == letter) {
            return &flags_table[i];
        }
    }
    return NULL;
}

struct text flag_word_next(struct text *words)
{
    size_t end = text_find_byte(*words, '|');
    struct text word = text_slice(*words, 0, end);

    *words = end == SIZE_MAX ? TEXT("") : text_slice(*words, end + 1, words->length);
    return word;
}

void verbs_suggest(struct suggest *suggest)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (!verb_is_hidden(&verbs_table[i])) {
            suggest_offer(suggest, text_from(verbs_table[i].name));
        }
    }
}
