#include "cli/kept.h"

#include "cli/say.h"

bool kept_refuse(struct command *command, const char *word, const char *form)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "'%s' names none of these", word);

    return err_hint(err, "write %s; use: reeve %s", form, command->args.verb->synopsis);
}

/* shop, cluster/shop, shop/web, nodegroup/shop/web */
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

/* hold/shop:listing_brake, hold/shop/listing_brake, hold/shop/web:listing_brake */
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
                    : colon; /* of the whole cluster, as get prints it: shop/unlisted */
    }
    if (colon == SIZE_MAX || colon == 0 || colon + 1 == text.length) {
        return kept_refuse(command, word, "hold/CLUSTER:RULE or hold/CLUSTER/GROUP:RULE");
    }
    *rule = text_slice(text, colon + 1, text.length);
    *out = say_subject(text_slice(text, 0, colon));
    return true;
}
