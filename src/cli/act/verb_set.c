/* Changes of single fields: set and scale. Each is a merge patch against the current state, pinned
 * to the revision that was shown. */
#include "cli/act/patches.h"
#include "cli/args/fields.h"
#include "cli/args/pick.h"
#include "cli/args/secret_file.h"
#include "cli/change/change.h"
#include "codec/doc_child.h"

#include <string.h>

/* Read PATH=VALUE; the value of a secret comes from a file. */
static bool field_take(struct command *command, const struct target *target, const char *word,
                       struct doc *patch)
{
    struct text text = text_from(word);
    struct doc value;

    if (target->kind->owner != OWNER_SECRET || !text_has_prefix(text, TEXT("value="))) {
        return fields_set(command, patch, word);
    }
    return secret_file_word(command, text_slice(text, sizeof("value=") - 1, text.length), &value) &&
           fields_put(command, patch, TEXT("value"), 0, value);
}

/* ---- scale ---- */

static bool size_refuse(struct command *command, const char *word)
{
    struct err *err =
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "'%s' is not a size", word);

    return err_hint(err, "write a number from 0 to %d, or a difference: 4, +2, -1",
                    LIMIT_GROUP_SIZE);
}

/* Add an error for a +N or -N that results in an invalid size. */
static bool change_refuse(struct command *command, const struct target *target, const char *word,
                          int64_t now, int64_t size)
{
    bool is_small = size < 0;
    struct err *err = err_list_set(
        &command->errors, (struct place){ 0 }, CODE_R0305,
        "%s has the size %lld; '%s' would make it %lld, but the %s is %d",
        arena_string(command->arena, target_format(command->arena, target)), (long long)now, word,
        (long long)size, is_small ? "smallest" : "largest", is_small ? 0 : LIMIT_GROUP_SIZE);

    return is_small ? err_hint(err, "reeve scale %.*s 0 removes all machines and keeps the group",
                               TEXT_ARG(target->name))
                    : err_hint(err, "reeve scale %.*s %d sets the maximum size",
                               TEXT_ARG(target->name), LIMIT_GROUP_SIZE);
}

/* Read the requested size; +N and -N are relative to the current one. */
static bool set_size_read(struct command *command, const struct session *session,
                          const struct target *target, const char *word, int64_t *out)
{
    struct text text = text_from(word);
    bool is_relative = word[0] == '+' || word[0] == '-';
    struct doc group;
    int64_t number;
    int64_t now;

    if (word[0] == '+') {
        text = text_slice(text, 1, text.length);
    }
    if (!text_parse_int64(text, &number) || (word[0] == '+' && number < 0) ||
        number > LIMIT_GROUP_SIZE || number < -LIMIT_GROUP_SIZE) {
        return size_refuse(command, word);
    }
    if (is_relative) {
        if (!session_get(command, session, session_path(command, target->kind, target->name),
                         &group)) {
            return false;
        }
        now = doc_child_number(doc_child(&group, "spec"), "size");
        number += now;
        if (number < 0 || number > LIMIT_GROUP_SIZE) {
            return change_refuse(command, target, word, now, number);
        }
    }
    *out = number;
    return true;
}

enum exit_code verb_scale(struct command *command)
{
    struct doc patch = doc_map(NULL, 0, NULL);
    struct sent sent = { &patch, 1, NULL };
    struct change_call call;
    struct change_set set = { &call, 1, &sent };
    struct session session;
    struct target target;
    struct pick pick;
    struct text pin;
    int64_t size = 0;

    if (!patches_group_read(command, command->args.words[0], "scale shop/web 4", &target) ||
        !pick_read(command, &pick) || !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    /* pinned before the size is read: +3 is relative to the size at that revision */
    if (!change_pin_get(command, &session, &target, &pin) ||
        !set_size_read(command, &session, &target, command->args.words[1], &size) ||
        !fields_put(command, &patch, TEXT("size"), 0, doc_int(command->arena, size, NULL)) ||
        (pick.rule != NULL &&
         !fields_put(command, &patch, TEXT("pick"), 0, doc_text(text_from(pick.rule), NULL))) ||
        !patches_make(command, &session, &target, &patch, &call)) {
        return EXIT_CODE_FAILED;
    }
    call.if_match = pin;
    call.victims = pick.nodes;
    return change_run(command, &session, &set);
}

/* ---- set ---- */

/* Read TARGET... PATH=VALUE...: no name contains an equals sign. */
static bool set_read(struct command *command, struct targets *out, struct doc *patch)
{
    const struct args *args = &command->args;
    size_t count = 0;

    while (count < args->argument_count && strchr(args->words[count], '=') == NULL) {
        count++;
    }
    if (count == 0 || count == args->argument_count) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0023,
                         count == 0 ? "no object is given" : "set needs a field and its value"),
            count == 0 ? "use: reeve set shop/web size=4" : "reeve set %s labels.tier=gold",
            args->words[0]);
    }
    if (!targets_read(command, args->words, count, out)) {
        return false;
    }
    if (out->count == 0) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "no object is given"),
            "use: reeve %s", args->verb->synopsis);
    }
    for (size_t i = count; i < args->argument_count; i++) {
        if (!field_take(command, &out->items[0], args->words[i], patch)) {
            return false;
        }
    }
    return true;
}

enum exit_code verb_set(struct command *command)
{
    struct doc patch = doc_map(NULL, 0, NULL);
    struct targets targets;
    struct session session;
    struct doc *patches;

    if (!set_read(command, &targets, &patch)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    patches = arena_array(command->arena, struct doc, targets.count);
    for (size_t i = 0; i < targets.count; i++) {
        patches[i] = patch;
    }
    return patches_send(command, &session, &targets, patches, TEXT(""));
}
