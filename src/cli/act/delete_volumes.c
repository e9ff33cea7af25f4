/* reeve delete volume: sends a separate request, because volumes are not described in files. */
#include "cli/act/delete_volumes.h"

#include "cli/args/consent.h"
#include "cli/manager/listing.h"
#include "cli/manager/session.h"
#include "codec/doc_child.h"

#include <string.h>

static const struct schema_kind *delete_volumes_kind(const char *word)
{
    struct text text = text_from(word);

    return schema_kind_of_word(text_slice(text, 0, text_find_byte(text, '/')));
}

bool delete_volumes_is_meant(const struct command *command)
{
    return command->args.argument_count > 0 &&
           delete_volumes_kind(command->args.words[0]) == schema_kind_find(TEXT("Volume"));
}

/* True if the argument identifies the volume: by its name, with or without its cluster, by its key,
 * or by the provider's id. */
static bool delete_volumes_is_named(struct command *command, const struct doc *volume,
                                    struct text word)
{
    return text_is_equal(word, listing_name(command->arena, volume)) ||
           text_is_equal(word, listing_text(volume, "metadata", "name")) ||
           text_is_equal(word, listing_text(volume, "metadata", "id")) ||
           text_is_equal(word, listing_text(volume, "status", "id"));
}

/* Return the volume that an argument identifies. NULL: an error was added. */
static const struct doc *delete_volumes_find(struct command *command, const struct listing *all,
                                             const char *argument)
{
    struct text word = text_from(argument);
    const struct schema_kind *kind = schema_kind_find(TEXT("Volume"));
    const struct doc *found = NULL;
    size_t count = 0;

    if (delete_volumes_kind(argument) == kind && text_find_byte(word, '/') != SIZE_MAX) {
        word = text_slice(word, text_find_byte(word, '/') + 1, word.length);
    }
    for (size_t i = 0; i < all->count; i++) {
        if (delete_volumes_is_named(command, &all->items[i], word)) {
            found = &all->items[i];
            count++;
        }
    }
    if (count == 1) {
        return found;
    }
    if (count == 0) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                     "there is no volume '%.*s'", TEXT_ARG(word)),
                        "reeve get volumes lists them");
    } else {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0426,
                                     "%zu volumes are called '%.*s'", count, TEXT_ARG(word)),
                        "select one by its key: reeve get volumes -o wide");
    }
    return NULL;
}

static void delete_volumes_show(struct command *command, const struct doc *volume)
{
    int64_t bytes = doc_child_number(doc_child(volume, "status"), "bytes");

    buf_printf(&command->notes, "  - destroy %.*s %.*s (%.*s",
               TEXT_ARG(listing_text(volume, "status", "kind")),
               TEXT_ARG(listing_name(command->arena, volume)),
               TEXT_ARG(listing_text(volume, "status", "id")));
    if (bytes > 0) {
        buf_printf(&command->notes, ", %lld GiB", (long long)(bytes >> 30));
    }
    buf_printf(&command->notes, "): its data is lost\n");
}

static bool delete_volumes_send(struct command *command, const struct session *session,
                                const struct doc *volume)
{
    struct client_request request = { .method = "DELETE", .accept = "application/json" };
    const char *why = args_value(&command->args, FLAG_DELETE_MESSAGE);
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/volumes/");
    client_path_add(&path, listing_text(volume, "metadata", "id"));
    buf_add_string(&path, "?allow=destroy:1");
    if (why != NULL) {
        buf_add_string(&path, "&why=");
        client_path_add(&path, text_from(why));
    }
    request.path = buf_text(&path);
    if (!session_ask(command, session, &request, &answer)) {
        return false;
    }
    buf_printf(&command->notes, "%.*s is deleted when the manager has listed it once more\n",
               TEXT_ARG(listing_ref(command->arena, volume)));
    return true;
}

enum exit_code delete_volumes(struct command *command)
{
    const struct args *args = &command->args;
    bool is_first = strchr(args->words[0], '/') != NULL;
    const char *const *words = args->words + !is_first;
    size_t count = args->argument_count - !is_first;
    const struct doc **doomed = arena_array(command->arena, const struct doc *, count + 1);
    struct consent_needs needs = { .destroy = count };
    struct session session;
    struct listing all;

    if (count == 0) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "delete needs the names of volumes"),
                        "use: reeve delete volume CLUSTER/NAME; reeve get volumes lists them");
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !listing_get(command, &session, schema_kind_find(TEXT("Volume")), TEXT(""), &all)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        doomed[i] = delete_volumes_find(command, &all, words[i]);
        if (doomed[i] == NULL) {
            return EXIT_CODE_NOT_FOUND;
        }
        delete_volumes_show(command, doomed[i]);
    }
    command_flush(command);
    if (!consent_get(command, &needs, session_words(command, &session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; i < count; i++) {
        if (!delete_volumes_send(command, &session, doomed[i])) {
            return EXIT_CODE_FAILED;
        }
    }
    return EXIT_CODE_DONE;
}
