/* Changes of single fields: set, scale and upgrade. Each is a merge patch against the current
 * state, pinned to the revision that was shown. */
#include "cli/args/fields.h"
#include "cli/args/pick.h"
#include "cli/args/secret_file.h"
#include "cli/change/change.h"
#include "cli/change/members.h"
#include "cli/manager/batching.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "model/nest.h"

#include <string.h>

/* Make a PATCH call for an object, pinned to its present revision. */
static bool patch_make(struct command *command, const struct session *session,
                       const struct target *target, const struct doc *patch,
                       struct change_call *out)
{
    *out = (struct change_call){ .method = "PATCH",
                                 .path = session_path(command, target->kind, target->name),
                                 .content_type = "application/merge-patch+json",
                                 .body = change_body(command, patch) };
    return change_pin_get(command, session, target, &out->if_match);
}

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

/* Read CLUSTER/GROUP, also as nodegroup/CLUSTER/GROUP. */
static bool set_group_read(struct command *command, const char *word, const char *use,
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

    if (!set_group_read(command, command->args.words[0], "scale shop/web 4", &target) ||
        !pick_read(command, &pick) || !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    /* pinned before the size is read: +3 is relative to the size at that revision */
    if (!change_pin_get(command, &session, &target, &pin) ||
        !set_size_read(command, &session, &target, command->args.words[1], &size) ||
        !fields_put(command, &patch, TEXT("size"), 0, doc_int(command->arena, size, NULL)) ||
        (pick.rule != NULL &&
         !fields_put(command, &patch, TEXT("pick"), 0, doc_text(text_from(pick.rule), NULL))) ||
        !patch_make(command, &session, &target, &patch, &call)) {
        return EXIT_CODE_FAILED;
    }
    call.if_match = pin;
    call.victims = pick.nodes;
    return change_run(command, &session, &set);
}

/* ---- set ---- */

/* Check that the object exists, because a patch of its cluster would create a missing group. */
static bool is_set_there(struct command *command, const struct session *session,
                         const struct target *target)
{
    struct text pin;

    return target->kind->owner != OWNER_NODEGROUP || change_pin_get(command, session, target, &pin);
}

/* Put the fields of an object into the patch. A group is changed by the patch of its cluster. */
static bool fields_lay(struct command *command, const struct target *target,
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
static bool set_target_lay(struct command *command, const struct session *session,
                           const struct target *target, const struct doc *patch,
                           struct target *lifted, struct doc *patches, size_t *count)
{
    struct text cluster = target_cluster(target);
    bool is_group = target->kind->owner == OWNER_NODEGROUP;
    struct target object =
        is_group ? (struct target){ schema_kind_find(TEXT("Cluster")), cluster } : *target;
    size_t at = 0;

    if (!is_set_there(command, session, target)) {
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
    return fields_lay(command, target, patch, &patches[at]);
}

/* Read TARGET... PATH=VALUE...; an argument with an equals sign is a field, because no name
 * contains one. */
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

/* Change several objects; groups of one cluster are changed together. `patches` has one entry for
 * each target. `batching` has the batch flags as JSON; empty: none. */
static enum exit_code targets_change(struct command *command, const struct session *session,
                                     const struct targets *targets, const struct doc *patches,
                                     struct text batching)
{
    struct sent sent = { &patches[0], 1, NULL };
    struct change_set set = { 0 };
    struct target *lifted = arena_array(command->arena, struct target, targets->count);
    struct doc *laid = arena_array(command->arena, struct doc, targets->count);

    set.calls = arena_array(command->arena, struct change_call, targets->count);
    if (targets->count == 1) { /* a single target needs no combined change */
        lifted[set.count] = targets->items[0];
        laid[set.count++] = patches[0];
        set.sent = &sent;
    }
    for (size_t i = 0; targets->count > 1 && i < targets->count; i++) {
        if (!set_target_lay(command, session, &targets->items[i], &patches[i], lifted, laid,
                            &set.count)) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    for (size_t i = 0; i < set.count; i++) {
        if (!patch_make(command, session, &lifted[i], &laid[i], &set.calls[i])) {
            return EXIT_CODE_NOT_FOUND;
        }
        set.calls[i].batching = batching;
    }
    return change_run(command, session, &set);
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
    return targets_change(command, &session, &targets, patches, TEXT(""));
}

/* ---- upgrade ---- */

/* Batch flags that do not apply, because an upgrade starts the rollout of its group. */
static const struct batching_refusal upgrade_refusals[] = {
    { "surge", "upgrade has no --surge: no machine is created",
      "--batch sets how many run at a time" },
    { "unavailable", "upgrade has no --unavailable: it is a policy of the group",
      "reeve set CLUSTER/GROUP rollout.unavailable=N" },
    { "spread", "upgrade has no --spread: the rollout of the group has its own order",
      "--batch sets how many run at a time" },
    { "order", "upgrade has no --order: members that are out of service are first, then by slot",
      "--canary sets how many run first, alone" },
    { "seed", "upgrade has no --seed: the order is not random", "leave it out" },
    { "deadline", "upgrade has no --deadline: its job continues until all members run the revision",
      "reeve rollout abort CLUSTER/GROUP stops it" },
};

/* number of groups that ranges of nodes may add to the groups on the command line */
enum { UPGRADE_GROUPS = 100 };

static const struct output_column upgrade_columns[] = {
    { "GROUP", ".group", OUTPUT_KEEP, false },   { "REVISION", ".current", OUTPUT_KEEP, false },
    { "NEWEST", ".newest", OUTPUT_KEEP, false }, { "PUSHED", ".pushed", OUTPUT_DROP, false },
    { "REF", ".ref", OUTPUT_DROP, false },
};
static const struct output_view upgrade_view = { "nodegroup/{group}", upgrade_columns,
                                                 ARRAY_COUNT(upgrade_columns) };

/* Add the rows of one configuration: the objects that do not use its newest revision. */
static void upgrade_rows_add(struct command *command, const struct doc *config,
                             const struct doc *revisions, struct doc *rows, size_t *count,
                             size_t room)
{
    const struct doc *newest = doc_child(config, "newest");
    struct text best = doc_child_text(newest, "revision");

    for (size_t i = 0; doc_is_list(revisions) && i < revisions->item_count; i++) {
        const struct doc *revision = &revisions->items[i];
        const struct doc *groups = doc_child(revision, "groups");

        for (size_t j = 0; doc_is_list(groups) && j < groups->item_count && *count < room; j++) {
            struct doc_builder builder;

            if (text_is_equal(doc_child_text(revision, "revision"), best)) {
                break;
            }
            doc_builder_init(&builder, command->arena);
            doc_builder_put(&builder, "current", *doc_child(revision, "revision"));
            doc_builder_put(&builder, "group", groups->items[j]);
            doc_builder_put(&builder, "newest", doc_text(best, NULL));
            doc_builder_put(&builder, "pushed", doc_text(doc_child_text(newest, "at"), NULL));
            doc_builder_put(&builder, "ref", doc_text(doc_child_text(newest, "ref"), NULL));
            rows[(*count)++] = doc_builder_map(&builder, NULL);
        }
    }
}

/* Handle upgrade without a target: list the objects that could be upgraded. */
static enum exit_code upgrade_list(struct command *command, const struct session *session)
{
    enum { ROWS_MAX = 10000 };
    struct doc *rows = arena_array(command->arena, struct doc, ROWS_MAX);
    const struct doc *configs;
    struct output output;
    struct doc answer;
    size_t count = 0;
    struct err err;

    if (!output_parse(command->arena,
                      command_output_is(command, "text") ? NULL : args_output(&command->args), NULL,
                      OUTPUT_TABLE, &upgrade_view, &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!session_get(command, session, TEXT("/v1/configs"), &answer)) {
        return EXIT_CODE_FAILED;
    }
    configs = doc_child(&answer, "items");
    for (size_t i = 0; doc_is_list(configs) && i < configs->item_count; i++) {
        struct text name = doc_child_text(&configs->items[i], "name");
        struct doc shown;

        if (!session_get(command, session,
                         arena_printf(command->arena, "/v1/configs/%.*s", TEXT_ARG(name)),
                         &shown)) {
            return EXIT_CODE_FAILED;
        }
        upgrade_rows_add(command, &configs->items[i], doc_child(&shown, "revisions"), rows, &count,
                         ROWS_MAX);
    }
    if (count == 0) {
        buf_add_string(&command->notes,
                       "every group has the newest revision of its configuration\n");
    }
    output_write(command->arena, &output, &command->out_style,
                 &(struct output_data){ rows, count, rows, count }, &command->out);
    return EXIT_CODE_DONE;
}

/* Read CLUSTER/GROUP, or CLUSTER for the groups that have the configuration of its defaults. */
static bool upgrade_target_read(struct command *command, const char *word, struct target *out)
{
    if (strchr(word, '/') != NULL) {
        return set_group_read(command, word, "upgrade shop/web", out);
    }
    *out = (struct target){ schema_kind_find(TEXT("Cluster")), text_from(word) };
    return true;
}

/* Get the revision that a group will use: the revision from --config, or the newest of its
 * configuration. */
static bool upgrade_wanted(struct command *command, const struct session *session,
                           const struct target *target, struct text *out)
{
    const char *config = args_value(&command->args, FLAG_UPGRADE_CONFIG);
    const struct doc *value;
    const struct doc *spec;
    struct text current;
    struct doc group;

    if (config != NULL) {
        *out = text_from(config);
        return true;
    }
    if (!session_get(command, session, session_path(command, target->kind, target->name), &group)) {
        return false;
    }
    spec = doc_child(&group, "spec");
    value = doc_child(target->kind->owner == OWNER_NODEGROUP ? spec : doc_child(spec, "defaults"),
                      "configuration");
    current = doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
    if (current.length == 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0829,
                              "%s has no configuration of its own",
                              arena_string(command->arena, target_format(command->arena, target))),
                 "%s upgrade %.*s --config NAME; upgrade CLUSTER moves the groups that have the "
                 "configuration of its defaults",
                 command->program, TEXT_ARG(target->name));
        return false;
    }
    *out = text_slice(current, 0, text_find_byte(current, '@'));
    return true;
}

/* Put the values of --var K=V into the variables of an object. They become part of the object, so
 * every later run uses them. */
static bool upgrade_vars_put(struct command *command, struct text prefix, struct doc *patch)
{
    return fields_set_vars(command, FLAG_UPGRADE_VAR, "upgrade shop/web", prefix, patch);
}

/* Put --on-fail into the rollout of the object: later rollouts use it too. */
static bool upgrade_on_fail_put(struct command *command, struct text prefix, struct doc *patch)
{
    const char *word = args_value(&command->args, FLAG_UPGRADE_ON_FAIL);

    return word == NULL ||
           fields_put(command, patch,
                      arena_printf(command->arena, "%.*srollout.onFail", TEXT_ARG(prefix)), 0,
                      doc_text(text_from(word), NULL));
}

/* True if a group has this name; *out_is_known is false if that could not be determined. */
static bool is_upgrade_group(struct command *command, const struct session *session,
                             const struct target *target, bool *out_is_known)
{
    struct client_request request = {
        .method = "GET",
        .path = session_path(command, target->kind, target->name),
    };
    struct client_answer answer;

    *out_is_known = session_call(command, session, &request, &answer);
    return *out_is_known && answer.head.status != 404;
}

/* Return the patch of a group. Earlier arguments of the command line may already have added to
 * it. */
static struct doc *upgrade_patch_of(struct targets *targets, struct doc *patches,
                                    const struct target *target)
{
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->items[i].kind == target->kind &&
            text_is_equal(targets->items[i].name, target->name)) {
            return &patches[i];
        }
    }
    targets->items[targets->count] = *target;
    patches[targets->count] = doc_map(NULL, 0, NULL);
    return &patches[targets->count++];
}

/* Put the variables of --var into the member of a node. They are stored when the plan is carried
 * out. */
static bool upgrade_member_put(struct members *members, const struct member *one,
                               struct targets *targets, struct doc *patches)
{
    struct command *command = members->command;
    struct arena *arena = command->arena;
    struct target group = {
        schema_kind_find(TEXT("NodeGroup")),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(one->cluster),
                     TEXT_ARG(listing_text(one->node, "metadata", "group"))),
    };
    struct doc *patch = upgrade_patch_of(targets, patches, &group);
    const struct doc *known = doc_child(patch, "members");
    struct doc own = doc_map(NULL, 0, NULL);
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc all;

    if (!upgrade_vars_put(command, TEXT(""), &own)) {
        return false;
    }
    all =
        nest_put(arena, known == NULL ? &none : known, arena_string(arena, members_name(one)), own);
    *patch = nest_put(arena, patch, "members", all);
    return true;
}

/* Process an argument that selects nodes: --var sets variables of single members. */
static bool upgrade_members_take(struct command *command, const struct session *session,
                                 const char *word, struct targets *targets, struct doc *patches,
                                 size_t room)
{
    struct members members = { .command = command,
                               .session = session,
                               .use = "upgrade shop/web-0 --var device=/dev/sdb" };

    if (args_value(&command->args, FLAG_UPGRADE_CONFIG) != NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--config applies to groups, and '%s' is not a group", word),
                 "%s upgrade CLUSTER/GROUP --config NAME; --var alone sets variables of nodes",
                 command->program);
        return false;
    }
    if (!members_word_read(&members, word)) {
        return false;
    }
    for (size_t i = 0; i < members.count; i++) {
        if (targets->count == room) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "the nodes are in too many groups"),
                            "name nodes of at most %zu groups in one command", room);
        }
        if (!upgrade_member_put(&members, &members.items[i], targets, patches)) {
            return false;
        }
    }
    return true;
}

/* Process one argument: a cluster, a group, or with --var a node. */
static bool upgrade_word_take(struct command *command, const struct session *session,
                              const char *word, struct targets *targets, struct doc *patches,
                              size_t room)
{
    struct target target;
    struct text wanted;
    bool is_group;
    bool is_known = true;
    struct doc *patch;

    if (!upgrade_target_read(command, word, &target)) {
        return false;
    }
    is_group = target.kind->owner == OWNER_NODEGROUP;
    if (is_group && args_value_at(&command->args, FLAG_UPGRADE_VAR, 0) != NULL &&
        !is_upgrade_group(command, session, &target, &is_known)) {
        return is_known && upgrade_members_take(command, session, word, targets, patches, room);
    }
    patch = upgrade_patch_of(targets, patches, &target);
    return upgrade_wanted(command, session, &target, &wanted) &&
           fields_put(command, patch,
                      is_group ? TEXT("configuration") : TEXT("defaults.configuration"), 0,
                      doc_text(wanted, NULL)) &&
           upgrade_on_fail_put(command, is_group ? TEXT("") : TEXT("defaults."), patch) &&
           upgrade_vars_put(command, is_group ? TEXT("") : TEXT("defaults."), patch);
}

/* Read the batch flags. False: an error was added. */
static bool upgrade_batching_read(struct command *command, struct text *out)
{
    struct batching batching;
    struct batching_body body;

    *out = TEXT("");
    if (!batching_read(command, upgrade_refusals, ARRAY_COUNT(upgrade_refusals), &batching)) {
        return false;
    }
    if (!batching_is_given(command)) {
        return true;
    }
    batching_body_init(&body, command);
    if (!batching_sizes_put(&body, &batching)) {
        return false;
    }
    *out = batching_body_format(&body);
    return true;
}

/* Read the arguments, or find the groups that -l selects. Groups without an own configuration are
 * selected only if --config names a configuration. False: an error was added. */
static bool upgrade_words_get(struct command *command, const struct session *session,
                              const char *const **out_words, size_t *out_count)
{
    const struct args *args = &command->args;
    const char *selector = args_value(args, FLAG_UPGRADE_SELECTOR);
    bool is_any = args_value(args, FLAG_UPGRADE_CONFIG) != NULL;
    struct listing groups;
    struct buf query;
    const char **words;

    *out_words = args->words;
    *out_count = args->argument_count;
    if (selector == NULL) {
        return true;
    }
    if (args->argument_count > 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "-l and names of groups exclude each other"),
                        "%s upgrade -l 'tier=gold'", command->program);
    }
    buf_init(&query, command->arena);
    buf_add_string(&query, "selector=");
    client_path_add(&query, text_from(selector));
    if (!listing_get(command, session, schema_kind_find(TEXT("NodeGroup")), buf_text(&query),
                     &groups)) {
        return false;
    }
    words = arena_array(command->arena, const char *, groups.count + 1);
    for (size_t i = 0; i < groups.count; i++) {
        if (is_any || listing_text(&groups.items[i], "spec", "configuration").length > 0) {
            words[(*out_count)++] =
                arena_string(command->arena, listing_name(command->arena, &groups.items[i]));
        }
    }
    *out_words = words;
    return *out_count > 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                 "no group with a configuration of its own matches '%s'", selector),
                    "%s upgrade -l SELECTOR --config NAME gives one to groups that have none",
                    command->program);
}

enum exit_code verb_upgrade(struct command *command)
{
    const char *const *words;
    size_t count;
    struct text batching;
    size_t room;
    struct targets targets = { 0 };
    struct session session;
    struct doc *patches;

    if (!session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (!upgrade_words_get(command, &session, &words, &count)) {
        return EXIT_CODE_FAILED;
    }
    if (count == 0) {
        return upgrade_list(command, &session);
    }
    room = count + UPGRADE_GROUPS;
    if (!upgrade_batching_read(command, &batching)) {
        return EXIT_CODE_USAGE;
    }
    targets.items = arena_array(command->arena, struct target, room);
    patches = arena_array(command->arena, struct doc, room);
    for (size_t i = 0; i < count; i++) {
        if (!upgrade_word_take(command, &session, words[i], &targets, patches, room)) {
            return EXIT_CODE_FAILED;
        }
    }
    return targets_change(command, &session, &targets, patches, batching);
}
