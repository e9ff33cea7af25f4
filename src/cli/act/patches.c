#include "cli/act/patches.h"

#include "cli/args/fields.h"

/* public names start with: patches_ */

bool patches_make(struct command *command, const struct session *session,
                  const struct target *target, const struct doc *patch, struct change_call *out)
{
    *out = (struct change_call){ .method = "PATCH",
                                 .path = session_path(command, target->kind, target->name),
                                 .content_type = "application/merge-patch+json",
                                 .body = change_body(command, patch) };
    return change_pin_get(command, session, target, &out->if_match);
}

bool patches_group_read(struct command *command, const char *word, const char *use,
                        struct target *out)
{
    const struct schema_kind *kind = schema_kind_find(TEXT("NodeGroup"));
    struct text text = text_from(word);
    struct text front = text_slice(text, 0, text_find_byte(text, '/'));

    if (schema_kind_of_word(front) == kind && front.length < text.length) {
        text = text_slice(text, front.length + 1, text.length);
    }
    if (text_find_byte(text, '/') == SIZE_MAX) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                       "'%s' is not the name of a group", word);

        return err_hint(err, "write CLUSTER/GROUP: reeve %s", use);
    }
    *out = (struct target){ kind, text };
    return true;
}

/* Check that the object exists. A patch of its cluster would create a missing group. */
static bool is_patched_there(struct command *command, const struct session *session,
                             const struct target *target)
{
    struct text pin;

    return target->kind->owner != OWNER_NODEGROUP || change_pin_get(command, session, target, &pin);
}

/* Put the fields of an object into the patch. The patch of a group is that of its cluster. */
static bool patches_fields_lay(struct command *command, const struct target *target,
                               const struct doc *fields, struct doc *patch)
{
    struct text cluster = target_cluster(target);

    if (target->kind->owner != OWNER_NODEGROUP) {
        for (size_t i = 0; i < fields->entry_count; i++) {
            if (!fields_put(command, patch, fields->entries[i].key, 0, fields->entries[i].value)) {
                return false;
            }
        }
        return true;
    }
    for (size_t i = 0; i < fields->entry_count; i++) {
        struct text group = text_slice(target->name, cluster.length + 1, target->name.length);
        struct text path = arena_printf(command->arena, "groups.%.*s.%.*s", TEXT_ARG(group),
                                        TEXT_ARG(fields->entries[i].key));

        if (!fields_put(command, patch, path, 0, fields->entries[i].value)) {
            return false;
        }
    }
    return true;
}

/* Add a target. Several groups of one cluster become one change of that cluster: either all groups
 * are changed, or none. */
static bool patches_target_lay(struct command *command, const struct session *session,
                               const struct target *target, const struct doc *patch,
                               struct target *lifted, struct doc *patches, size_t *count)
{
    struct text cluster = target_cluster(target);
    bool is_group = target->kind->owner == OWNER_NODEGROUP;
    struct target object =
        is_group ? (struct target){ schema_kind_find(TEXT("Cluster")), cluster } : *target;
    size_t at = 0;

    if (!is_patched_there(command, session, target)) {
        return false;
    }
    while (at < *count &&
           !(lifted[at].kind == object.kind && text_is_equal(lifted[at].name, object.name))) {
        at++;
    }
    if (at == *count) {
        lifted[at] = object;
        patches[at] = doc_map(NULL, 0, NULL);
        (*count)++;
    }
    return patches_fields_lay(command, target, patch, &patches[at]);
}

enum exit_code patches_send(struct command *command, const struct session *session,
                            const struct targets *targets, const struct doc *patches,
                            struct text batching)
{
    struct sent sent = { &patches[0], 1, NULL };
    struct change_set set = { 0 };
    struct target *lifted = arena_array(command->arena, struct target, targets->count);
    struct doc *laid = arena_array(command->arena, struct doc, targets->count);

    set.calls = arena_array(command->arena, struct change_call, targets->count);
    if (targets->count == 1) { /* A single target needs no combined change. */
        lifted[set.count] = targets->items[0];
        laid[set.count++] = patches[0];
        set.sent = &sent;
    }
    for (size_t i = 0; targets->count > 1 && i < targets->count; i++) {
        if (!patches_target_lay(command, session, &targets->items[i], &patches[i], lifted, laid,
                                &set.count)) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    for (size_t i = 0; i < set.count; i++) {
        if (!patches_make(command, session, &lifted[i], &laid[i], &set.calls[i])) {
            return EXIT_CODE_NOT_FOUND;
        }
        set.calls[i].batching = batching;
    }
    return change_run(command, session, &set);
}
