#include "ocean.h"

#include "codec/doc_child.h"

#include <strings.h>

/* Adds a tag to a droplet, or removes it. A tag must exist before it is added to a droplet;
 * creating an existing tag has no effect. */
static int32_t ocean_tag_change(struct ocean_call *work, struct text id, struct text tag,
                                bool is_added)
{
    struct ocean_request create = {
        .method = "POST",
        .path = TEXT("/tags"),
        .body = arena_printf(work->arena, "{\"name\":\"%.*s\"}", TEXT_ARG(tag)),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct ocean_request change = {
        .method = is_added ? "POST" : "DELETE",
        .path = arena_printf(work->arena, "/tags/%.*s/resources", TEXT_ARG(ocean_url(work, tag))),
        .body = arena_printf(work->arena,
                             "{\"resources\":[{\"resource_id\":\"%.*s\",\"resource_type\":"
                             "\"droplet\"}]}",
                             TEXT_ARG(id)),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct ocean_answer answer;

    if (is_added && ocean_send(work, &create, &answer) != REEVE_OK && answer.status != 422) {
        return ocean_refuse(work, "", "create a tag", &answer);
    }
    if (ocean_send(work, &change, &answer) != REEVE_OK && (is_added || answer.status != 404)) {
        if (is_added && text_has_prefix(tag, TEXT(OCEAN_TAG ":"))) {
            struct ocean_answer ignored;

            /* delete the tag of the account too, because no other droplet has it */
            create.method = "DELETE";
            create.path = arena_printf(work->arena, "/tags/%.*s", TEXT_ARG(ocean_url(work, tag)));
            create.body = TEXT("");
            (void)ocean_send(work, &create, &ignored);
        }
        return ocean_refuse(work, "", is_added ? "add a tag" : "remove a tag", &answer);
    }
    return REEVE_OK;
}

static bool has_ocean_word(const struct tag_codec_words *list, struct text word)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].length == word.length &&
            strncasecmp(list->items[i].data, word.data, word.length) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds (or removes) each word of a list that the other list does not have. */
static int32_t ocean_tags_apply(struct ocean_call *work, struct text id,
                                const struct tag_codec_words *words,
                                const struct tag_codec_words *except, bool is_added)
{
    for (uint32_t i = 0; i < words->count; i++) {
        int32_t result = has_ocean_word(except, words->items[i])
                             ? REEVE_OK
                             : ocean_tag_change(work, id, words->items[i], is_added);

        if (result != REEVE_OK) {
            return result;
        }
    }
    return REEVE_OK;
}

int32_t ocean_tags_delete(struct ocean_call *work, const struct tag_codec_words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        struct ocean_request request = {
            .method = "DELETE",
            .path =
                arena_printf(work->arena, "/tags/%.*s", TEXT_ARG(ocean_url(work, words->items[i]))),
            .kind = CLASSIFY_ONCE,
            .priority = HTTP_CHANGE,
        };
        struct ocean_answer answer;

        if (ocean_send(work, &request, &answer) != REEVE_OK && answer.status != 404) {
            return ocean_refuse(work, "", "delete a tag of the droplet", &answer);
        }
    }
    return REEVE_OK;
}

/* Returns the words of `old` that are not in `now`. No other droplet uses them. */
static struct tag_codec_words ocean_obsolete(struct arena *arena, const struct tag_codec_words *old,
                                             const struct tag_codec_words *now)
{
    struct tag_codec_words list = { .items = arena_array(arena, struct text, old->count) };

    for (uint32_t i = 0; i < old->count; i++) {
        if (!has_ocean_word(now, old->items[i])) {
            list.items[list.count++] = old->items[i];
        }
    }
    return list;
}

int32_t ocean_label(struct ocean_call *work, struct text cluster, struct text id,
                    struct text labels)
{
    struct ocean_machine machine;
    struct ocean_machine after;
    struct tag_codec_words own_new;
    struct tag_codec_words user_new;
    struct tag_codec_words obsolete;
    struct doc droplet;
    int32_t result = ocean_droplet_get(work, cluster, id, &droplet, &machine);

    if (result != REEVE_OK) {
        return result;
    }
    after = machine;
    after.labels = labels;
    own_new = ocean_machine_words(work->arena, &after);
    user_new = ocean_label_words(work->arena, labels);
    /* new tags are added before old ones are removed, so that the machine always has its identity
     * and either its old or its new data */
    result = ocean_tags_apply(work, id, &own_new, &machine.words, true);
    if (result == REEVE_OK) {
        result = ocean_tags_apply(work, id, &user_new, &machine.user_words, true);
    }
    if (result == REEVE_OK) {
        result = ocean_tags_apply(work, id, &machine.user_words, &user_new, false);
    }
    if (result == REEVE_OK) {
        obsolete = ocean_obsolete(work->arena, &machine.words, &own_new);
        result = ocean_tags_delete(work, &obsolete);
    }
    return result;
}
