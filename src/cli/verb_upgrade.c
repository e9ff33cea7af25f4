/* Moves groups to another revision of their configuration, or to another image. Each is a merge
 * patch against the current state, pinned to the revision that was shown. */
#include "cli/act/patches.h"
#include "cli/args/fields.h"
#include "cli/change/members.h"
#include "cli/manager/batching.h"
#include "cli/term/output.h"
#include "cli/upgrade_images.h"
#include "codec/doc_child.h"
#include "model/nest.h"

#include <string.h>

/* public names start with: verb_ */

/* Batch flags that do not apply: an upgrade begins the rollout of its group. */
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
    { "GROUP", ".group", OUTPUT_KEEP, false },     { "IMAGE", ".image", OUTPUT_DROP, false },
    { "CURRENT", ".current", OUTPUT_KEEP, false }, { "NEWEST", ".newest", OUTPUT_KEEP, false },
    { "PUSHED", ".pushed", OUTPUT_DROP, false },   { "REF", ".ref", OUTPUT_DROP, false },
};
static const struct output_view upgrade_view = { "nodegroup/{group}", upgrade_columns,
                                                 ARRAY_COUNT(upgrade_columns) };

/* The rows of one configuration: the objects that do not use its newest revision. */
static void upgrade_rows_add(struct command *command, const struct doc *config,
                             const struct doc *revisions, struct upgrade_rows *rows)
{
    const struct doc *newest = doc_child(config, "newest");
    struct text best = doc_child_text(newest, "revision");

    for (size_t i = 0; doc_is_list(revisions) && i < revisions->item_count; i++) {
        const struct doc *revision = &revisions->items[i];
        const struct doc *groups = doc_child(revision, "groups");

        for (size_t j = 0;
             doc_is_list(groups) && j < groups->item_count && rows->count < rows->room; j++) {
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
            rows->items[rows->count++] = doc_builder_map(&builder, NULL);
        }
    }
}

/* Without a target: list the objects that could be upgraded. */
static enum exit_code upgrade_list(struct command *command, const struct session *session)
{
    enum { ROWS_MAX = 10000 };
    struct upgrade_rows rows = { arena_array(command->arena, struct doc, ROWS_MAX), 0, ROWS_MAX };
    const struct doc *configs;
    struct output output;
    struct doc answer;
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
        upgrade_rows_add(command, &configs->items[i], doc_child(&shown, "revisions"), &rows);
    }
    if (!upgrade_images_list(command, session, &rows)) {
        return EXIT_CODE_FAILED;
    }
    if (rows.count == 0) {
        buf_add_string(
            &command->notes,
            "every group has the newest revision of its configuration, and of its image\n");
    }
    output_write(command->arena, &output, &command->out_style,
                 &(struct output_data){ rows.items, rows.count, rows.items, rows.count },
                 &command->out);
    return EXIT_CODE_DONE;
}

/* Read CLUSTER/GROUP, or CLUSTER for the groups that have the configuration of its defaults. */
static bool upgrade_target_read(struct command *command, const char *word, struct target *out)
{
    if (strchr(word, '/') != NULL) {
        return patches_group_read(command, word, "upgrade shop/web", out);
    }
    *out = (struct target){ schema_kind_find(TEXT("Cluster")), text_from(word) };
    return true;
}

/* The revision that a group is to use: the one from --config, or the newest of its
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

/* Put the values of --var K=V into the variables of an object. From then on they are part of the
 * object, so every later run uses them. */
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

/* Return the patch of a group. Earlier arguments of the command line may have started it. */
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

    if (args_value(&command->args, FLAG_UPGRADE_IMAGE) != NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--image applies to groups, and there is no group '%s'", word),
                 "%s upgrade CLUSTER/GROUP --image NAME; %s replace %s makes single nodes again",
                 command->program, command->program, word);
        return false;
    }
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

/* Put the revision of the configuration into the patch. An upgrade to another image leaves the
 * configuration as it is, unless --config names one. */
static bool upgrade_config_put(struct command *command, const struct session *session,
                               const struct target *target, struct doc *patch)
{
    bool is_group = target->kind->owner == OWNER_NODEGROUP;
    struct text wanted;

    if (args_value(&command->args, FLAG_UPGRADE_IMAGE) != NULL &&
        args_value(&command->args, FLAG_UPGRADE_CONFIG) == NULL) {
        return true;
    }
    return upgrade_wanted(command, session, target, &wanted) &&
           fields_put(command, patch,
                      is_group ? TEXT("configuration") : TEXT("defaults.configuration"), 0,
                      doc_text(wanted, NULL));
}

/* Process one argument: a cluster, a group, or with --var a node. */
static bool upgrade_word_take(struct command *command, const struct session *session,
                              const char *word, struct targets *targets, struct doc *patches,
                              size_t room)
{
    bool has_image = args_value(&command->args, FLAG_UPGRADE_IMAGE) != NULL;
    struct target target;
    bool is_group;
    bool is_known = true;
    bool is_changed;
    struct doc *patch;

    if (!upgrade_target_read(command, word, &target)) {
        return false;
    }
    is_group = target.kind->owner == OWNER_NODEGROUP;
    if (is_group && (has_image || args_value_at(&command->args, FLAG_UPGRADE_VAR, 0) != NULL) &&
        !is_upgrade_group(command, session, &target, &is_known)) {
        return is_known && upgrade_members_take(command, session, word, targets, patches, room);
    }
    patch = upgrade_patch_of(targets, patches, &target);
    return upgrade_config_put(command, session, &target, patch) &&
           (!has_image || upgrade_image_put(command, session, &target, patch, &is_changed)) &&
           upgrade_on_fail_put(command, is_group ? TEXT("") : TEXT("defaults."), patch) &&
           upgrade_vars_put(command, is_group ? TEXT("") : TEXT("defaults."), patch);
}

/* Drop the targets that have the requested image already, and for which nothing else is
 * requested. */
static void upgrade_unchanged_drop(struct targets *targets, struct doc *patches)
{
    size_t count = 0;

    for (size_t i = 0; i < targets->count; i++) {
        if (patches[i].entry_count > 0) {
            targets->items[count] = targets->items[i];
            patches[count++] = patches[i];
        }
    }
    targets->count = count;
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

/* Read the arguments, or find the groups that -l selects: of those without a configuration of their
 * own only if --config or --image names one. False: an error was added. */
static bool upgrade_words_get(struct command *command, const struct session *session,
                              const char *const **out_words, size_t *out_count)
{
    const struct args *args = &command->args;
    const char *selector = args_value(args, FLAG_UPGRADE_SELECTOR);
    bool is_any = args_value(args, FLAG_UPGRADE_CONFIG) != NULL ||
                  args_value(args, FLAG_UPGRADE_IMAGE) != NULL;
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
                                 is_any ? "no group matches '%s'"
                                        : "no group with a configuration of its own matches '%s'",
                                 selector),
                    is_any
                        ? "%s get nodegroups lists them"
                        : "%s upgrade -l SELECTOR --config NAME gives one to groups that have none",
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
    upgrade_unchanged_drop(&targets, patches);
    if (targets.count == 0) {
        return EXIT_CODE_DONE;
    }
    return patches_send(command, &session, &targets, patches, batching);
}
