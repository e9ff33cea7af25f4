#include "base/macros.h"
#include "codec/json.h"
#include "reconcile/control_parts.h"
#include "records/commands.h"

#include <assert.h>

/* public names start with: pass_commands_ */

/* Operator commands for a cluster or a group: /TENANT/Control/CLUSTER[/GROUP]/spec, a map:
 *
 *     paused    {until}    make no calls; until that time, or until it is resumed
 *     deleting  {at, by}   delete the cluster; without it a missing specification is damage
 *     rollout   "paused", "aborted"
 *     retry     {revision} retry work that has waited since before this command: at that revision,
 *                          or without it at the newest revision of this key
 *     rotate    {at}       rotate the authorities, once for each such command
 *     victims   [names]    remove these first when the group shrinks
 *     replace   {tokens, until, except}  replace these machines, and all that were recorded up to
 *                          that time of the cluster's clock, except the listed ones
 *     reboot    [{by, number, tokens}]  reboot these machines, once for each number above that
 *                          of their record */

static enum plan_rollout_command roll_of(const struct doc *doc)
{
    const struct doc *command = doc_child(doc, "rollout");

    if (!doc_is_scalar(command)) {
        return PLAN_ROLL_GOES;
    }
    return text_is(command->text, "aborted") ? PLAN_ROLL_ABORTED : PLAN_ROLL_PAUSED;
}

/* Return the name of the rotation request, which is its time. */
static struct text rotate_of(const struct doc *doc)
{
    const struct doc *at = doc_child(doc_child(doc, "rotate"), "at");

    return doc_is_scalar(at) && record_is_plain(at->text) ? at->text : TEXT("");
}

/* Returns the end of a pause that has an end time, by the cluster's clock. The end is computed
 * once, when the command is first read, so that later steps of the wall clock have no effect
 * (I18). */
static uint64_t pause_end(struct reconciler *reconciler, uint64_t revision, uint64_t until_ms)
{
    uint64_t wall_ms = (uint64_t)reconciler->control->ports.wall_ms(reconciler->control->ports.arg);
    struct reconciler_pause *pause;

    for (size_t i = 0; i < ARRAY_COUNT(reconciler->pauses); i++) {
        if (reconciler->pauses[i].revision == revision &&
            reconciler->pauses[i].epoch == reconciler->epoch) {
            return reconciler->pauses[i].ends_ms;
        }
    }
    pause = &reconciler->pauses[reconciler->pause_next++ % ARRAY_COUNT(reconciler->pauses)];
    *pause = (struct reconciler_pause){ .revision = revision,
                                        .epoch = reconciler->epoch,
                                        .ends_ms = reconciler_now(reconciler) +
                                                   (until_ms > wall_ms ? until_ms - wall_ms : 0) };
    return pause->ends_ms;
}

/* True if the commands pause the cluster or group. If several pauses expire, the next pass is at
 * the first expiry. */
static bool is_paused(struct pass *pass, const struct doc *doc, uint64_t revision)
{
    uint64_t until_ms = commands_pause_end_ms(doc);
    uint64_t ends_ms;
    uint64_t left_ms;

    if (!doc_is_map(doc_child(doc, "paused")) || until_ms == UINT64_MAX) {
        return doc_is_map(doc_child(doc, "paused"));
    }
    ends_ms = pause_end(pass->reconciler, revision, until_ms);
    left_ms = ends_ms > pass->world.now_ms ? ends_ms - pass->world.now_ms : 0;
    if (left_ms > 0 && (pass->pause_left_ms == 0 || left_ms < pass->pause_left_ms)) {
        pass->pause_left_ms = left_ms;
    }
    return left_ms > 0;
}

struct pass_commands pass_words_read(struct pass *pass, struct text group)
{
    const struct reconciler *reconciler = pass->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct text id = group.length == 0 ? cluster->id
                                       : arena_printf(pass->arena, "%.*s/%.*s",
                                                      TEXT_ARG(cluster->id), TEXT_ARG(group));
    const struct cache_object *object =
        cache_find(reconciler->control->cache, cluster->tenant, TEXT("Control"), id);
    struct doc *doc = arena_one(pass->arena, struct doc);
    struct err err;

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL) {
        return (struct pass_commands){ 0 };
    }
    if (!json_parse(pass->arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL, doc, &err)) {
        /* If the command cannot be parsed, the cluster counts as paused until it can be parsed. */
        return (struct pass_commands){ .is_paused = true };
    }
    return (struct pass_commands){
        .is_paused = is_paused(pass, doc, object->parts[CACHE_SPEC].revision) &&
                     !BUG(&reconciler->control->options.limits, BUG_PAUSE_UNREAD),
        .is_deleting = doc_is_map(doc_child(doc, "deleting")),
        .roll = roll_of(doc),
        .retry_revision = commands_retry_revision(doc, object->parts[CACHE_SPEC].revision),
        .victims = doc_child(doc, "victims"),
        .replace = doc_child(doc, "replace"),
        .reboot = doc_child(doc, "reboot"),
        .rotate = rotate_of(doc),
    };
}

bool pass_words_name(struct pass *pass, const struct pass_commands *commands,
                     const struct fleet_group *group, const struct plan_record *record)
{
    for (size_t i = 0; doc_is_list(commands->victims) && i < commands->victims->item_count; i++) {
        struct text command = commands->victims->items[i].text;

        if (command.length > 0 &&
            (text_is_equal(command, record->id) || text_is_equal(command, record->token) ||
             text_is_equal(command, naming_format(pass->arena, &group->affix, record->slot)))) {
            return true;
        }
    }
    return false;
}

uint64_t pass_words_replace_until(const struct pass_commands *commands)
{
    const struct doc *until = doc_child(commands->replace, "until");
    int64_t until_ms = 0;

    return doc_is_scalar(until) && text_parse_int64(until->text, &until_ms) && until_ms > 0
               ? (uint64_t)until_ms
               : 0;
}
