/* Runs stages of machines again, in batches, and handles commands about these jobs. */
#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/request/take.h"
#include "api/routes/change.h"
#include "service/select.h"

/* public names start with: bootstrap_ */

/* Reads the verb of a job. A request on the route `bootstrap` has no verb. */
MUST_CHECK static bool bootstrap_verb_take(const struct doc *body, struct service_bootstrap *order,
                                           struct err *err)
{
    struct text verb;
    struct text level;

    if (!take_short(body, "verb", &verb, err) || !take_short(body, "level", &level, err)) {
        return false;
    }
    if (!batches_verb_find(verb, &order->verb) || order->verb == BATCHES_VERB_COMMISSION) {
        return err_set(err, CODE_R0426,
                       "'%.*s' is not a verb of jobs: the verbs are bootstrap, verify, correct, "
                       "drain, undrain and decommission",
                       TEXT_ARG(verb));
    }
    if (level.length > 0 && !text_is(level, "checksums") && !text_is(level, "hook") &&
        !text_is(level, "deep")) {
        return err_set(err, CODE_R0426,
                       "'%.*s' is not a level: the levels are checksums, hook and deep",
                       TEXT_ARG(level));
    }
    order->is_hook = text_is(level, "hook");
    order->is_deep = text_is(level, "deep");
    return true;
}

/* The beginning of the error text if the path is not a cluster or group with machines. */
static const char *const bootstrap_verb_places[] = {
    [BATCHES_VERB_BOOTSTRAP] = "stages run again on",
    [BATCHES_VERB_VERIFY] = "verifications run on",
    [BATCHES_VERB_CORRECT] = "corrections run on",
    [BATCHES_VERB_DRAIN] = "services leave",
    [BATCHES_VERB_UNDRAIN] = "services return to",
    [BATCHES_VERB_DECOMMISSION] = "machines leave",
};

static void bootstrap_order(struct call *call, bool has_verb)
{
    struct service_bootstrap *order = arena_one(call->arena, struct service_bootstrap);
    struct select_request *request = arena_one(call->arena, struct select_request);
    struct service_allow allow = { 0 };
    struct doc body;
    struct err err;

    *request = (struct select_request){ 0 };
    *order = (struct service_bootstrap){ .request = request };
    if (!body_take(call, &body)) {
        return;
    }
    if (!doc_is_map(&body)) {
        err_set(&err, CODE_R0426,
                "the body must be {nodes, from, batch, ...}; every member may be omitted");
        call_refuse(call, &err);
        return;
    }
    if ((has_verb && !bootstrap_verb_take(&body, order, &err)) ||
        !take_place(call, bootstrap_verb_places[order->verb], request, &err) ||
        !take_request(&body, request, &err) || !take_short(&body, "from", &order->from, &err) ||
        !take_flag(&body, "again", &order->is_again, &err) ||
        !take_short(&body, "why", &order->why, &err) ||
        !take_batching(&body, &order->batching, &err) ||
        !take_flag(&body, "dryRun", &order->is_dry, &err) || !body_allow(&body, &allow, &err)) {
        call_refuse(call, &err);
        return;
    }
    order->destroy = allow.destroy;
    service_bootstrap(call->api->options.service, call->arena, &call->actor, order, call_answered,
                      call);
}

void api_bootstrap(struct call *call)
{
    bootstrap_order(call, false);
}

void api_job_make(struct call *call)
{
    bootstrap_order(call, true);
}

/* ---- commands about a job ---- */

static const char *const job_commands[] = {
    [SERVICE_JOB_CANCEL] = "job-cancel",
    [SERVICE_JOB_PAUSE] = "job-pause",
    [SERVICE_JOB_RESUME] = "job-resume",
};

static bool job_command_find(const struct doc *body, enum service_job_command *out)
{
    const struct doc *word = doc_child(body, "command");

    for (size_t i = 0; i < ARRAY_COUNT(job_commands) && doc_is_scalar(word); i++) {
        if (text_is(word->text, job_commands[i])) {
            *out = (enum service_job_command)i;
            return true;
        }
    }
    return false;
}

bool bootstrap_say(struct call *call, const struct doc *body)
{
    struct service_job_say say = { 0 };
    struct err err;

    if (!job_command_find(body, &say.word)) {
        return false;
    }
    if (call->kind->owner != OWNER_CLUSTER) {
        err_set(&err, CODE_R0426, "'%s' applies to a job of a cluster, not to %s",
                job_commands[say.word], call->kind->plural);
        call_refuse(call, &err);
    } else if (!take_short(body, "job", &say.number, &err) ||
               !take_short(body, "why", &say.why, &err)) {
        call_refuse(call, &err);
    } else if (say.number.length == 0) {
        err_set(&err, CODE_R0426, "'%s' needs 'job', its number", job_commands[say.word]);
        call_refuse(call, &err);
    } else {
        service_job_say(call->api->options.service, call->arena, &call->actor, call->name, &say,
                        call_answered, call);
    }
    return true;
}
