/* reeve release and decommission: take machines out of their groups; release also returns them to
 * their owners. The request sets a smaller size of their groups, and lists the machines to remove
 * first. The reconciler removes reeve's files from a machine before the provider releases it
 * (docs/decisions/0113). */
#include "cli/args/fields.h"
#include "cli/change/change.h"
#include "cli/change/members.h"
#include "cli/manager/batching.h"
#include "cli/manager/follow.h"
#include "cli/manager/say.h"
#include "codec/doc_child.h"

/* ---- --force ---- */

static enum exit_code release_abandon(struct members *list)
{
    struct command *command = list->command;

    for (size_t i = 0; i < list->count; i++) {
        const struct member *one = &list->items[i];

        if (!say_of_node(command, list->session, one->cluster,
                         listing_text(one->node, "metadata", "id"), "abandon",
                         args_named(&command->args, "message"))) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(
            &command->notes,
            "%.*s/%.*s: the release is abandoned; files that reeve wrote may remain on the machine (docs/reference/release.md)\n",
            TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)));
    }
    return EXIT_CODE_DONE;
}

/* ---- a smaller size ---- */

/* Check that the machine can be released. A machine that a plugin created cannot, because it has no
 * other owner. */
static bool release_may(struct members *list, const struct member *one)
{
    struct command *command = list->command;
    struct text plugin = listing_text(one->node, "status", "plugin");
    const struct doc *can;
    struct doc about;

    if (!session_get(command, list->session,
                     arena_printf(command->arena, "/v1/plugins/%.*s", TEXT_ARG(plugin)), &about)) {
        return false;
    }
    can = doc_child(&about, "can");
    for (size_t i = 0; doc_is_list(can) && i < can->item_count; i++) {
        if (doc_is_scalar(&can->items[i]) && text_is(can->items[i].text, "dispose")) {
            return err_hint(
                err_list_set(&command->errors, (struct place){ 0 }, CODE_R0817,
                             "%.*s/%.*s was made by plugin %.*s for reeve, and has no other owner",
                             TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)), TEXT_ARG(plugin)),
                "reeve scale %.*s/%.*s -1 --pick %.*s destroys it", TEXT_ARG(one->cluster),
                TEXT_ARG(listing_text(one->node, "metadata", "group")),
                TEXT_ARG(members_name(one)));
        }
    }
    return true;
}

static bool release_is_leaving(const struct member *one)
{
    return text_is(listing_text(one->node, "status", "state"), "delete");
}

static void release_leaving_report(struct command *command, const struct member *one)
{
    struct text step = nodes_step(command, one->node);

    buf_printf(&command->notes, "%.*s/%.*s is being released already%s%.*s\n",
               TEXT_ARG(one->cluster), TEXT_ARG(members_name(one)), step.length > 0 ? ": " : "",
               TEXT_ARG(step));
}

/* True if all selected members of the cluster that are not in a request yet belong to one group. */
static bool release_has_one_group(const struct members *list, size_t first)
{
    struct text group = listing_text(list->items[first].node, "metadata", "group");

    for (size_t i = first; i < list->count; i++) {
        if (text_is_equal(list->items[i].cluster, list->items[first].cluster) &&
            !text_is_equal(listing_text(list->items[i].node, "metadata", "group"), group)) {
            return false;
        }
    }
    return true;
}

/* Process a group of the cluster: put its smaller size into the patch, and the names of its
 * machines into the list. */
static bool release_group_put(struct members *list, size_t first, bool is_alone, struct doc *patch,
                              struct buf *all, struct change_call *out)
{
    struct command *command = list->command;
    struct text path = listing_text(list->items[first].node, "metadata", "group");
    struct text names;
    size_t count = members_group_take(list, first, out, &names);
    struct doc object;
    int64_t size;

    if (count == 0 || !session_get(command, list->session, out->path, &object)) {
        return false;
    }
    buf_printf(all, "%s%.*s", all->length > 0 ? "," : "", TEXT_ARG(names));
    size = doc_child_number(doc_child(&object, "spec"), "size") - (int64_t)count;
    return fields_put(command, patch,
                      is_alone ? TEXT("size")
                               : arena_printf(command->arena, "groups.%.*s.size", TEXT_ARG(path)),
                      0, doc_int(command->arena, size > 0 ? size : 0, NULL));
}

/* Make one request for list->items[first] and all other items of its cluster. It changes their
 * group, or the whole cluster if they belong to several groups, so that either all groups become
 * smaller or none. */
static bool release_call_make(struct members *list, size_t first, struct change_call *out)
{
    struct command *command = list->command;
    struct target cluster = { schema_kind_find(TEXT("Cluster")), list->items[first].cluster };
    bool is_alone = release_has_one_group(list, first);
    struct doc patch = doc_map(NULL, 0, NULL);
    struct buf names;

    buf_init(&names, command->arena);
    for (size_t i = first; i < list->count; i++) {
        if (text_is_equal(list->items[i].cluster, cluster.name) &&
            !release_group_put(list, i, is_alone, &patch, &names, out)) {
            return false;
        }
    }
    if (!is_alone) {
        out->path = session_path(command, cluster.kind, cluster.name);
        if (!change_pin_get(command, list->session, &cluster, &out->if_match)) {
            return false;
        }
    }
    out->victims = buf_text(&names);
    out->body = change_body(command, &patch);
    return true;
}

/* Make the requests for all machines. Machines that are already leaving are reported. False: an
 * error was added. */
static bool release_calls_make(struct members *list, bool is_release, bool is_absent,
                               struct change_set *out)
{
    struct command *command = list->command;

    *out = (struct change_set){ .calls =
                                    arena_array(command->arena, struct change_call, list->count) };
    for (size_t i = 0; i < list->count; i++) {
        if (release_is_leaving(&list->items[i])) {
            release_leaving_report(command, &list->items[i]);
            list->items[i].cluster = TEXT("");
        } else if (is_release && !release_may(list, &list->items[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].cluster.length == 0) {
            continue;
        }
        if (!release_call_make(list, i, &out->calls[out->count])) {
            return false;
        }
        out->calls[out->count].is_absent = is_absent;
        out->calls[out->count++].is_release = is_release;
    }
    return true;
}

static enum exit_code release_run(struct members *list, bool is_release, bool is_absent)
{
    struct change_set set;

    if (!release_calls_make(list, is_release, is_absent, &set)) {
        return EXIT_CODE_FAILED;
    }
    return set.count == 0 ? EXIT_CODE_DONE : change_run(list->command, list->session, &set);
}

/* ---- decommission in batches ---- */

/* The jobs of a decommission, one for each cluster. */
struct release_batches {
    struct members *list;
    struct batching batching;
    struct selected_place *places;
    uint64_t *counts; /* number of machines of each place */
    size_t count;
};

/* Batch flags that do not apply to decommission. All other batch flags work as with every verb. */
static const struct batching_refusal refusals[] = {
    { "surge", "decommission has no --surge: it creates no machines",
      "--batch sets how many leave at once" },
    { "unavailable", "decommission has no --unavailable: the machines leave for good",
      "--batch sets how many leave at once" },
};

/* Collect the machines of each cluster. */
static void release_places_make(struct release_batches *batches)
{
    struct members *list = batches->list;
    struct arena *arena = list->command->arena;

    batches->places = arena_array(arena, struct selected_place, list->count);
    batches->counts = arena_array(arena, uint64_t, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct member *one = &list->items[i];
        size_t at = 0;

        if (release_is_leaving(one)) {
            continue;
        }
        while (at < batches->count && !text_is_equal(batches->places[at].cluster, one->cluster)) {
            at++;
        }
        if (at == batches->count) {
            batches->places[batches->count] = (struct selected_place){ .cluster = one->cluster };
            batches->counts[batches->count++] = 0;
        }
        batches->places[at].names =
            arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(batches->places[at].names),
                         batches->counts[at]++ > 0 ? "," : "", TEXT_ARG(members_name(one)));
    }
}

static bool release_batches_post(struct release_batches *batches, size_t at, bool is_dry,
                                 struct doc *out)
{
    struct command *command = batches->list->command;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct batching batching = batches->batching;
    struct selected none = { .is_named = true };
    struct batching_body body;
    struct doc_builder allow;

    batching.is_dry = is_dry;
    batching_body_init(&body, command);
    doc_builder_init(&allow, command->arena);
    doc_builder_put(&allow, "destroy", doc_int(command->arena, (int64_t)batches->counts[at], NULL));
    doc_builder_put(&body.builder, "allow", doc_builder_map(&allow, NULL));
    batching_text(&body, "verb", TEXT("decommission"));
    batching_text(&body, "why", text_from(args_named(&command->args, "message")));
    if (!batching_put(&body, &batching, &none, &batches->places[at])) {
        return false;
    }
    request.path = batching_path(command, &batches->places[at], "jobs");
    request.body = batching_body_format(&body);
    return session_ask(command, batches->list->session, &request, out);
}

/* Show the batches of each cluster. False: an error was added. */
static bool release_batches_show(struct release_batches *batches)
{
    struct command *command = batches->list->command;

    for (size_t i = 0; i < batches->count; i++) {
        const struct doc *items;
        struct doc answer;

        if (!release_batches_post(batches, i, true, &answer)) {
            return false;
        }
        batching_seed(command, &batches->batching, doc_child_number(&answer, "seed"));
        items = doc_child(&answer, "batches");
        for (size_t j = 0; doc_is_list(items) && j < items->item_count; j++) {
            const struct doc *names = doc_child(&items->items[j], "nodes");

            buf_printf(&command->notes, "batch %zu of %zu:", j + 1, items->item_count);
            for (size_t k = 0; doc_is_list(names) && k < names->item_count; k++) {
                buf_printf(&command->notes, " %.*s", TEXT_ARG(names->items[k].text));
            }
            buf_add_string(&command->notes, "\n");
        }
    }
    return true;
}

/* Show the machines that leave, ask for consent, then begin and follow the jobs. The plan shows the
 * whole decommission; each batch is validated again when it begins. */
static enum exit_code decommission_batches(struct members *list, const struct batching *batching)
{
    struct command *command = list->command;
    struct release_batches batches = { .list = list, .batching = *batching };
    struct consent_needs needs = { 0 };
    enum exit_code worst = EXIT_CODE_DONE;
    struct change_set set;
    bool differs;

    release_places_make(&batches);
    if (!release_calls_make(list, false, false, &set) ||
        !change_show(command, list->session, &set, &differs) || !release_batches_show(&batches)) {
        return EXIT_CODE_FAILED;
    }
    if (batches.batching.is_dry || batches.count == 0) {
        return EXIT_CODE_DONE;
    }
    for (size_t i = 0; i < batches.count; i++) {
        needs.destroy += batches.counts[i];
    }
    command_flush(command);
    if (!consent_get(command, &needs, session_words(command, list->session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; i < batches.count; i++) {
        struct doc answer;
        enum exit_code code = EXIT_CODE_FAILED;

        if (release_batches_post(&batches, i, false, &answer)) {
            code = follow_job(command, list->session, doc_child_number(&answer, "job"),
                              args_named(&command->args, "detach") != NULL);
        }
        worst = worst == EXIT_CODE_DONE ? code : worst;
    }
    return worst;
}

enum exit_code verb_release(struct command *command)
{
    struct session session;
    struct members list = { .command = command,
                            .session = &session,
                            .use = "reeve release shop/rack-2",
                            .verb_past = "released" };

    if (!session_open(command, &session) || !members_read(&list)) {
        return EXIT_CODE_FAILED;
    }
    return args_has(&command->args, FLAG_RELEASE_FORCE) ? release_abandon(&list)
                                                        : release_run(&list, true, false);
}

/* Decommission machines and keep the size: other machines take over their slots, as after reeve
 * replace. */
static enum exit_code release_refill(struct command *command)
{
    if (args_has(&command->args, FLAG_DECOMMISSION_ABSENT)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "--absent and --refill exclude each other"),
                 "decommission the machine with --absent, then: %s scale CLUSTER/GROUP +1",
                 command->program);
        return EXIT_CODE_USAGE;
    }
    return members_request(command, MEMBERS_REPLACE, "reeve decommission dc/workers-3 --refill");
}

/* Read the batch flags. They are rejected with flags that determine in another way when machines
 * leave. */
static bool decommission_flags_read(struct command *command, struct batching *out)
{
    bool is_refill = args_has(&command->args, FLAG_DECOMMISSION_REFILL);

    if (!batching_is_given(command) ||
        (!is_refill && !args_has(&command->args, FLAG_DECOMMISSION_ABSENT))) {
        return batching_read(command, refusals, ARRAY_COUNT(refusals), out);
    }
    return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s",
                                 is_refill ? "with --refill the rollout of the group decides when "
                                             "each machine leaves"
                                           : "with --absent the machines leave at once"),
                    "leave out the batch flags%s",
                    is_refill ? ", or set rollout.batch of the group" : "");
}

enum exit_code verb_decommission(struct command *command)
{
    struct batching batching;
    struct session session;
    struct members list = { .command = command,
                            .session = &session,
                            .use = "reeve decommission dc/workers-3",
                            .verb_past = "decommissioned" };

    if (!decommission_flags_read(command, &batching)) {
        return EXIT_CODE_USAGE;
    }
    if (args_has(&command->args, FLAG_DECOMMISSION_REFILL)) {
        return release_refill(command);
    }
    if (!session_open(command, &session) || !members_select(&list)) {
        return EXIT_CODE_FAILED;
    }
    return batching_is_given(command)
               ? decommission_batches(&list, &batching)
               : release_run(&list, false, args_has(&command->args, FLAG_DECOMMISSION_ABSENT));
}
