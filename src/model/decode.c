#include "model/decode.h"

#include <assert.h>

static uint32_t decode_number_of(const struct doc *leaf, const char *name, uint32_t when_absent)
{
    const struct doc *value = doc_child(leaf, name);
    int64_t number = 0;

    if (!doc_is_scalar(value) || !text_parse_int64(value->text, &number)) {
        return when_absent;
    }
    assert(number >= 0 && number < UINT32_MAX);
    return (uint32_t)number;
}

struct group group_decode(struct arena *arena, struct text cluster, struct text path,
                          const struct doc *leaf)
{
    const struct doc *naming = doc_child(leaf, "naming");
    const struct doc *plugin = doc_child(doc_child(leaf, "resourcePlugin"), "name");
    struct group group = {
        .path = path,
        .size = decode_number_of(leaf, "size", 0),
        .min_size = decode_number_of(leaf, "minSize", 0),
        .max_size = decode_number_of(leaf, "maxSize", GROUP_NO_MAX),
        .first_number = decode_number_of(leaf, "firstNumber", 0),
        .has_size = doc_is_scalar(doc_child(leaf, "size")),
        .plugin = doc_is_scalar(plugin) ? plugin->text : TEXT(""),
    };
    struct err err;
    bool is_good = naming_parse(doc_is_scalar(naming) ? naming->text : TEXT(NAMING_DEFAULT),
                                &group.naming, &err);

    assert(is_good && "the normal form holds formats that were read before");
    (void)is_good;
    group.affix = naming_expand(arena, &group.naming, cluster, path);
    return group;
}
