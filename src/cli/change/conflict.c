#include "cli/args/when.h"
#include "cli/change/change_parts.h"
#include "cli/change/difference.h"
#include "cli/manager/listing.h"
#include "cli/term/flow.h"
#include "codec/json.h"

#include <assert.h>

/* public names start with: conflict_ */

/* Maximum number of listed fields that only the other user changed; further fields are only
 * counted. */
#define CONFLICT_OTHERS 3

/* Get an object in its current or a past state. The result is absent, without an error, if the
 * manager does not return the object. */
static struct doc conflict_object_find(struct command *command, const struct session *session,
                                       struct text path)
{
    struct client_request request = { .method = "GET", .path = path, .accept = "application/json" };
    struct client_answer answer;
    struct doc object = { 0 };
    struct err err;

    if (!client_call(command->arena, &session->client, &request, &answer, &err) ||
        !session_is_done(&answer) ||
        !json_parse(command->arena, answer.body, NULL, &object, &err)) {
        return (struct doc){ 0 };
    }
    return object;
}

/* Return the value at a path of differences_find. A key may contain dots, so every key that matches
 * a prefix of the path is tried. */
static const struct doc *value_find(const struct doc *doc, struct text path, unsigned depth)
{
    if (path.length == 0) {
        return doc;
    }
    for (size_t i = 0; doc_is_map(doc) && depth < LIMIT_DOCUMENT_DEPTH && i < doc->entry_count;
         i++) {
        struct text key = doc->entries[i].key;
        bool is_end = text_is_equal(path, key);
        const struct doc *found;

        if (!is_end && (!text_has_prefix(path, key) || path.data[key.length] != '.')) {
            continue;
        }
        found = value_find(&doc->entries[i].value,
                           is_end ? TEXT("") : text_slice(path, key.length + 1, path.length),
                           depth + 1);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static struct text value_words(struct arena *arena, const struct doc *value)
{
    return value == NULL || doc_is_null(value) ? TEXT("(none)") : flow_format(arena, value);
}

/* Write "size: yours 7, theirs 9, it was 6; image, zones changed as well". */
static struct text values_report(struct arena *arena, const struct differences *found,
                                 const struct doc *yours)
{
    struct buf both;
    struct buf others;
    size_t other_count = 0;

    buf_init(&both, arena);
    buf_init(&others, arena);
    for (size_t i = 0; i < found->count; i++) {
        const struct difference *one = &found->items[i];
        const struct doc *own = value_find(yours, one->path, 0);

        if (own != NULL && (one->old_value == NULL || !doc_is_equal(own, one->old_value))) {
            buf_printf(&both, "%s%.*s: yours %.*s, theirs %.*s, previously %.*s",
                       both.length > 0 ? "; " : "", TEXT_ARG(one->path),
                       TEXT_ARG(value_words(arena, own)),
                       TEXT_ARG(value_words(arena, one->new_value)),
                       TEXT_ARG(value_words(arena, one->old_value)));
        } else if (other_count++ < CONFLICT_OTHERS) {
            buf_printf(&others, "%s%.*s: %.*s -> %.*s", others.length > 0 ? "; " : "",
                       TEXT_ARG(one->path), TEXT_ARG(value_words(arena, one->old_value)),
                       TEXT_ARG(value_words(arena, one->new_value)));
        }
    }
    if (other_count > 0) {
        buf_printf(&both, "%sthey changed %.*s%s", both.length > 0 ? "; " : "",
                   TEXT_ARG(buf_text(&others)), other_count > CONFLICT_OTHERS ? " and more" : "");
    }
    return buf_text(&both);
}

/* Return the path of the object that a call changes. The path of a POST has an action such as /undo
 * after it, which is removed. */
static struct text path_of(const struct change_call *call)
{
    struct text action = TEXT("/undo");
    bool is_action =
        text_is(text_from(call->method), "POST") && text_has_suffix(call->path, action);

    return is_action ? text_slice(call->path, 0, call->path.length - action.length) : call->path;
}

void conflict_report(struct command *command, const struct session *session,
                     const struct change_call *call)
{
    struct arena *arena = command->arena;
    struct text path = path_of(call);
    struct doc now = conflict_object_find(command, session, path);
    struct doc was = conflict_object_find(
        command, session,
        arena_printf(arena, "%.*s?at=%.*s", TEXT_ARG(path), TEXT_ARG(call->if_match)));
    struct text ref = doc_is_map(&now) ? listing_ref(arena, &now) : path;
    const struct doc *old_spec = doc_child(&was, "spec");
    const struct doc *new_spec = doc_child(&now, "spec");
    struct doc yours = doc_map(NULL, 0, NULL);
    struct err ignored;
    struct err *err;

    assert(call->if_match.length > 0);
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0401,
                       "%.*s was changed in the meantime by %.*s, %.*s; your change was not made",
                       TEXT_ARG(ref), TEXT_ARG(listing_text(&now, "metadata", "by")),
                       TEXT_ARG(when_format(command, listing_text(&now, "metadata", "updated"))));
    if (doc_is_map(old_spec) && doc_is_map(new_spec)) {
        struct differences found;

        (void)!json_parse(arena, call->body, NULL, &yours, &ignored); /* a DELETE has no body */
        differences_init(&found, arena);
        differences_find(&found, old_spec, new_spec);
        err_note(err, "%.*s", TEXT_ARG(values_report(arena, &found, &yours)));
    }
    err_hint(err, "check the difference and try again: reeve diff %.*s --rev %.*s", TEXT_ARG(ref),
             TEXT_ARG(call->if_match));
}
