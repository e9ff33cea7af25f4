/* reeve drain and undrain: take nodes out of service and put them back, with one job for each
 * cluster (docs/decisions/0135). The hooks drain.sh and undrain.sh of the bundles run on the
 * nodes. */
#include "cli/args/consent.h"
#include "cli/manager/batching.h"
#include "cli/manager/follow.h"
#include "codec/doc_child.h"

/* public names start with: drain_ */

struct drain {
    struct command *command;
    const char *verb; /* "drain" or "undrain" */
    const char *use;
    struct session session;
    struct batching batching;
    struct selected selected;
    enum exit_code worst; /* worst exit code of the jobs */
};

static void drain_code_add(struct drain *drain, enum exit_code code)
{
    if (drain->worst == EXIT_CODE_DONE ||
        (drain->worst == EXIT_CODE_PARTIAL && code != EXIT_CODE_DONE)) {
        drain->worst = code;
    }
}

/* Send the request for the job of a cluster; a dry request only finds the nodes. False: an error
 * was added. */
static bool drain_post(struct drain *drain, const struct selected_place *place, bool is_dry,
                       struct doc *out)
{
    struct command *command = drain->command;
    struct client_request request = { .method = "POST", .content_type = "application/json" };
    struct batching batching = drain->batching;
    struct batching_body body;

    batching.is_dry = is_dry;
    batching_body_init(&body, command);
    batching_text(&body, "verb", text_from(drain->verb));
    batching_text(&body, "why", text_from(args_named(&command->args, "message")));
    if (!batching_put(&body, &batching, &drain->selected, place)) {
        return false;
    }
    request.path = batching_path(command, place, "jobs");
    request.body = batching_body_format(&body);
    return session_ask(command, &drain->session, &request, out);
}

/* Report the nodes that are left out, each with its reason. */
static void drain_left_report(struct drain *drain, const struct doc *answer)
{
    const struct doc *left = doc_child(answer, "left");

    for (size_t i = 0; doc_is_list(left) && i < left->item_count; i++) {
        buf_printf(&drain->command->notes, "%.*s is left out: %.*s\n",
                   TEXT_ARG(doc_child_text(&left->items[i], "node")),
                   TEXT_ARG(doc_child_text(&left->items[i], "why")));
    }
}

/* List the nodes of a dry run as notes. */
static void drain_nodes_report(struct drain *drain, const struct doc *answer)
{
    const struct doc *batches = doc_child(answer, "batches");

    for (size_t i = 0; doc_is_list(batches) && i < batches->item_count; i++) {
        const struct doc *names = doc_child(&batches->items[i], "nodes");

        buf_printf(&drain->command->notes, "%s %zu of %zu:", "batch", i + 1, batches->item_count);
        for (size_t j = 0; doc_is_list(names) && j < names->item_count; j++) {
            buf_printf(&drain->command->notes, " %.*s", TEXT_ARG(names->items[j].text));
        }
        buf_add_string(&drain->command->notes, "\n");
    }
    drain_left_report(drain, answer);
}

/* Show the nodes of all clusters. False: no cluster has any; an error was added. */
static bool drain_show(struct drain *drain)
{
    struct command *command = drain->command;
    bool is_any = false;

    for (size_t i = 0; i < drain->selected.count; i++) {
        struct err_list before = command->errors;
        struct doc answer;

        if (drain_post(drain, &drain->selected.items[i], true, &answer)) {
            drain_nodes_report(drain, &answer);
            is_any = true;
        } else if (selected_is_empty_part(&drain->selected, &command->errors, before.count)) {
            command->errors = before;
        } else {
            return false;
        }
    }
    return is_any || err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                           "no machine is selected"),
                              "%s", drain->use);
}

/* Begin the job of a cluster, and watch it until it has ended. */
static void drain_place(struct drain *drain, const struct selected_place *place)
{
    struct command *command = drain->command;
    struct err_list before = command->errors;
    struct doc answer;

    if (!drain_post(drain, place, false, &answer)) {
        if (selected_is_empty_part(&drain->selected, &command->errors, before.count)) {
            command->errors = before;
        } else {
            drain_code_add(drain, EXIT_CODE_FAILED);
        }
        return;
    }
    drain_code_add(drain, follow_job(command, &drain->session, doc_child_number(&answer, "job"),
                                     args_named(&command->args, "detach") != NULL));
}

/* Batch flags that do not apply to these verbs. All other batch flags work as with every verb. */
static const struct batching_refusal refusals[] = {
    { "surge", "drain and undrain have no --surge: they create no machines",
      "--batch sets how many nodes are drained at the same time" },
    { "unavailable", "drain and undrain have no --unavailable: the policy of the group applies",
      "reeve set CLUSTER/GROUP rollout.unavailable=N changes it" },
};

/* Ask before nodes leave service. Their return to service needs no consent. */
static bool drain_agree(struct drain *drain, bool is_consent_needed)
{
    struct command *command = drain->command;
    struct consent_needs needs = { .is_change = true };

    command_flush(command);
    return !is_consent_needed ||
           consent_get(command, &needs, session_words(command, &drain->session), NULL, NULL);
}

static enum exit_code drain_run(struct drain *drain, bool is_consent_needed)
{
    struct command *command = drain->command;
    const struct args *args = &command->args;

    if (!batching_read(command, refusals, ARRAY_COUNT(refusals), &drain->batching)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &drain->session) ||
        !selected_read(command, &drain->session, args->words, args->argument_count, drain->use,
                       &drain->selected) ||
        !drain_show(drain)) {
        return EXIT_CODE_FAILED;
    }
    if (drain->batching.is_dry) {
        return EXIT_CODE_DONE;
    }
    if (!drain_agree(drain, is_consent_needed)) {
        return EXIT_CODE_DECLINED;
    }
    for (size_t i = 0; i < drain->selected.count; i++) {
        if (i > 0 && batching_is_late(&drain->batching)) {
            batching_unbegun(command, &drain->selected, i);
            drain_code_add(drain, EXIT_CODE_TIMEOUT);
            break;
        }
        drain_place(drain, &drain->selected.items[i]);
    }
    return drain->worst;
}

enum exit_code verb_drain(struct command *command)
{
    struct drain drain = { .command = command,
                           .verb = "drain",
                           .use = "reeve drain shop/web-0, or -l SELECTOR" };

    return drain_run(&drain, true);
}

enum exit_code verb_undrain(struct command *command)
{
    struct drain drain = { .command = command,
                           .verb = "undrain",
                           .use = "reeve undrain shop/web-0, or -g shop/web" };

    return drain_run(&drain, false);
}
