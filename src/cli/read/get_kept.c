#include "cli/args/when.h"
#include "cli/change/people.h"
#include "cli/manager/kept.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"

#include <string.h>

bool get_kept_is(const struct schema_kind *kind)
{
    return strcmp(kind->name, "Resource") == 0 || strcmp(kind->name, "Hold") == 0 ||
           strcmp(kind->name, "Job") == 0 || strcmp(kind->name, "Volume") == 0 ||
           people_is_kind(kind);
}

/* Return the NAME from KIND/NAME, or the word unchanged. */
static struct text get_kept_name_of(const struct get_kept *kept, const char *word)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');

    return slash != SIZE_MAX && schema_kind_of_word(text_slice(text, 0, slash)) == kept->kind
               ? text_slice(text, slash + 1, SIZE_MAX)
               : text;
}

/* True if the record belongs to this cluster ("ops") or group ("ops/web"). */
static bool is_get_kept_owner(const struct doc *object, struct text name)
{
    struct text cluster = listing_text(object, "metadata", "cluster");
    struct text group = listing_text(object, "metadata", "group");

    if (text_is_equal(name, cluster)) {
        return true;
    }
    return group.length > 0 && name.length == cluster.length + 1 + group.length &&
           text_has_prefix(name, cluster) && name.data[cluster.length] == '/' &&
           text_is_equal(text_slice(name, cluster.length + 1, SIZE_MAX), group);
}

static bool is_get_kept_named(struct command *command, const struct doc *object, struct text name)
{
    struct text ref = text_is(doc_child_text(object, "kind"), "Hold")
                          ? listing_hold(command->arena, object)
                          : listing_ref(command->arena, object);

    return is_get_kept_owner(object, name) ||
           text_is_equal(name, listing_name(command->arena, object)) ||
           text_is_equal(name, text_slice(ref, text_find_byte(ref, '/') + 1, SIZE_MAX)) ||
           text_is_equal(name, listing_text(object, "metadata", "name")) ||
           text_is_equal(name, listing_text(object, "metadata", "id")) ||
           text_is_equal(name, listing_text(object, "status", "id"));
}

/* True if the name is an existing cluster or group, which has no records of this kind. That is not
 * an error. */
static bool is_get_kept_there(struct command *command, const struct session *session,
                              struct text name)
{
    const struct schema_kind *kind = schema_kind_find(
        text_find_byte(name, '/') == SIZE_MAX ? TEXT("Cluster") : TEXT("NodeGroup"));
    struct err_list before = command->errors;
    struct doc ignored;
    bool is_found = text_find_byte(name, ':') == SIZE_MAX &&
                    session_get(command, session, session_path(command, kind, name), &ignored);

    command->errors = before;
    return is_found;
}

static bool missing_refuse(struct command *command, const struct get_kept *kept, struct text name)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                   "there is no %s '%.*s'", kept->kind->singular, TEXT_ARG(name));

    return err_hint(err, "reeve get %s lists those that exist", kept->kind->plural);
}

bool get_kept_choose(struct command *command, const struct session *session,
                     const struct get_kept *kept, struct listing *listing)
{
    bool *is_chosen = arena_array(command->arena, bool, listing->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < kept->count; i++) {
        struct text name = get_kept_name_of(kept, kept->words[i]);
        bool is_any = false;

        for (size_t j = 0; j < listing->count; j++) {
            if (is_get_kept_named(command, &listing->items[j], name)) {
                is_chosen[j] = true;
                is_any = true;
            }
        }
        if (!is_any && (people_is_kind(kept->kind) || !is_get_kept_there(command, session, name))) {
            return missing_refuse(command, kept, name);
        }
    }
    for (size_t i = 0; i < listing->count && kept->count > 0; i++) {
        if (is_chosen[i]) {
            listing->items[count++] = listing->items[i];
        }
    }
    listing->count = kept->count > 0 ? count : listing->count;
    return true;
}

void get_volume_row(struct command *command, const struct doc *volume, struct doc_builder *row)
{
    int64_t bytes = doc_child_number(doc_child(volume, "status"), "bytes");
    struct text until = listing_text(volume, "status", "until");
    bool is_kept = text_is(listing_text(volume, "status", "state"), "kept");

    doc_builder_put(row, "since",
                    doc_text(when_format(command, listing_text(volume, "status", "since")), NULL));
    if (bytes > 0) {
        doc_builder_put(
            row, "size",
            doc_text(arena_printf(command->arena, "%lld GiB", (long long)(bytes >> 30)), NULL));
    }
    if (is_kept) {
        doc_builder_put(
            row, "until",
            doc_text(until.length > 0 ? when_format(command, until) : TEXT("never"), NULL));
    }
}
