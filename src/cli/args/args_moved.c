/* Former spellings of reeve's own verbs: the error has the current command with the user's
 * arguments, ready to paste. Nothing runs under an old name. */
#include "base/buf.h"
#include "cli/args/args_reader.h"

#include <string.h>

/* True if the word needs no quotes on a command line. */
static bool is_args_moved_plain(struct text word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./:=,@%+";

    for (size_t i = 0; i < word.length; i++) {
        if (strchr(safe, word.data[i]) == NULL) {
            return false;
        }
    }
    return word.length > 0;
}

/* Add a space and the word, quoted for a shell if necessary. */
static void args_moved_word_add(struct buf *out, struct text word)
{
    buf_add_string(out, " ");
    if (is_args_moved_plain(word)) {
        buf_add(out, word);
        return;
    }
    buf_add_string(out, "'");
    for (size_t i = 0; i < word.length; i++) {
        if (word.data[i] == '\'') {
            buf_add_string(out, "'\\''");
        } else {
            buf_add_bytes(out, word.data[i], 1);
        }
    }
    buf_add_string(out, "'");
}

/* Convert KEY=VALUE to labels.KEY=VALUE and KEY- to labels.KEY=null. Other words are unchanged. */
static struct text label_path(struct arena *arena, struct text word)
{
    if (text_find_byte(word, '=') != SIZE_MAX) {
        return arena_printf(arena, "labels.%.*s", TEXT_ARG(word));
    }
    if (text_has_suffix(word, TEXT("-"))) {
        return arena_printf(arena, "labels.%.*s=null", (int)(word.length - 1), word.data);
    }
    return word;
}

/* Add the arguments of the user, without the arguments at `first` and `dropped`. */
static void arguments_add(const struct args_reader *reader, const struct verb_moved *moved,
                          size_t first, size_t dropped, struct buf *out)
{
    bool is_value = false;
    bool is_over = false;

    for (size_t i = 0; i < reader->count; i++) {
        struct text word = text_from(reader->strings[i]);
        bool is_flag = !is_over && args_word_is_flag(reader->strings[i]);

        if (i != first && i != dropped) {
            args_moved_word_add(out, moved->words == MOVED_LABELS && !is_value && !is_flag
                                         ? label_path(reader->arena, word)
                                         : word);
        }
        is_over = is_over || text_is(word, "--");
        is_value = is_flag && args_takes_next(reader->strings[i]);
    }
}

/* True if the user gave an output format. */
static bool is_form_given(const struct args_reader *reader)
{
    for (size_t i = 0; i < reader->count && strcmp(reader->strings[i], "--") != 0; i++) {
        struct text word = text_from(reader->strings[i]);

        if (text_has_prefix(word, TEXT("-o")) || text_is(word, "--output") ||
            text_has_prefix(word, TEXT("--output="))) {
            return true;
        }
    }
    return false;
}

/* Return the text that follows the arguments, without a leading "-o FORM" if the user gave a
 * format. */
static const char *words_behind(const struct args_reader *reader, const struct verb_moved *moved)
{
    const char *rest = strncmp(moved->back, "-o ", 3) == 0 && is_form_given(reader)
                           ? strchr(moved->back + 3, ' ')
                           : moved->back;

    return rest == NULL ? "" : rest + (rest[0] == ' ');
}

bool args_moved_error(struct args_reader *reader, size_t first, size_t second)
{
    const char *word = first < reader->count ? reader->strings[first] : NULL;
    const char *next = second < reader->count ? reader->strings[second] : NULL;
    const struct verb_moved *moved = word == NULL ? NULL : verb_moved_find(word, next);
    const char *back;
    bool is_dropped;
    struct buf use;
    struct err *err;

    if (moved == NULL) {
        return false;
    }
    is_dropped = moved->word[0] != '\0' || (moved->words == MOVED_FORM && next != NULL);
    err = err_list_set(reader->errors, ARGS_NOWHERE, CODE_R0009, "'reeve %s%s%s' was renamed",
                       moved->verb, moved->word[0] == '\0' ? "" : " ", moved->word);
    buf_init(&use, reader->arena);
    buf_printf(&use, "reeve %s", moved->front);
    arguments_add(reader, moved, first, is_dropped ? second : first, &use);
    back = words_behind(reader, moved);
    if (back[0] != '\0') {
        buf_printf(&use, " %s", back);
    }
    if (moved->words == MOVED_FORM) { /* without a format, the flags of Ansible imply `ansible` */
        args_moved_word_add(&use, next == NULL ? TEXT("ansible") : text_from(next));
    }
    return err_hint(err, "use: %.*s", TEXT_ARG(buf_text(&use))) || true;
}
