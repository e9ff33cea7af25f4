#include "cli/manager/kept.h"

#include "cli/manager/say.h"

bool kept_refuse(struct command *command, const char *word, const char *form)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "'%s' is not a valid name for this command", word);

    return err_hint(err, "write %s; use: reeve %s", form, command->args.verb->synopsis);
}

bool kept_words_read(struct command *command, const char *const *words, size_t count,
                     struct kept_words *out)
{
    const struct schema_kind *kind = schema_kind_of_word(text_from(words[0]));

    *out = (struct kept_words){ .items = arena_array(command->arena, const char *, count) };
    if (kind != NULL && count == 1) {
        return kept_refuse(command, words[0], "a name after the kind");
    }
    for (size_t i = kind == NULL ? 0 : 1; i < count; i++) {
        struct text text = text_from(words[i]);
        size_t slash = text_find_byte(text, '/');
        bool has_kind =
            slash != SIZE_MAX && schema_kind_of_word(text_slice(text, 0, slash)) != NULL;

        out->items[out->count++] =
            kind == NULL || has_kind
                ? words[i]
                : arena_string(command->arena,
                               arena_printf(command->arena, "%s/%s", kind->singular, words[i]));
    }
    return true;
}

/* Read a cluster or group: shop, cluster/shop, shop/web, nodegroup/shop/web. */
bool kept_read(struct command *command, const char *word, struct target *out)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');
    const struct schema_kind *kind = schema_kind_of_word(text_slice(text, 0, slash));

    if (slash != SIZE_MAX && kind != NULL) {
        return target_parse(command, word, out) &&
               (target_has_cluster(out) || kept_refuse(command, word, "CLUSTER or CLUSTER/GROUP"));
    }
    if (text.length == 0) {
        return kept_refuse(command, word, "CLUSTER or CLUSTER/GROUP");
    }
    *out = say_subject(text);
    return true;
}

bool kept_job_number(struct text word, uint64_t *out)
{
    int64_t number = 0;

    for (size_t slash = text_find_byte(word, '/'); slash != SIZE_MAX;
         slash = text_find_byte(word, '/')) {
        word = text_slice(word, slash + 1, word.length);
    }
    *out = text_parse_int64(word, &number) && number > 0 ? (uint64_t)number : 0;
    return *out > 0;
}

/* Read a hold: hold/shop:listing_brake, hold/shop/listing_brake, hold/shop/web:listing_brake. */
bool kept_hold_read(struct command *command, const char *word, struct target *out,
                    struct text *rule)
{
    struct text text = text_from(word);
    size_t colon;

    if (text_has_prefix(text, TEXT("hold/"))) {
        text = text_slice(text, 5, text.length);
    }
    colon = text_find_byte(text, ':');
    for (size_t i = 0; i < text.length && text_find_byte(text, ':') == SIZE_MAX; i++) {
        colon = text.data[i] == '/'
                    ? i
                    /* reeve get prints the hold of a cluster with a slash, as in shop/unlisted */
                    : colon;
    }
    if (colon == SIZE_MAX || colon == 0 || colon + 1 == text.length) {
        return kept_refuse(command, word, "hold/CLUSTER:RULE or hold/CLUSTER/GROUP:RULE");
    }
    *rule = text_slice(text, colon + 1, text.length);
    *out = say_subject(text_slice(text, 0, colon));
    return true;
}
