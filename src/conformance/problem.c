#include "conformance/conformance_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* public names start with: stage_ */

enum {
    TRIES_MAX = 8,       /* maximum attempts of a call for which the provider requests a retry */
    TRY_MS = 50,         /* pause before the first retry; doubles */
    LOOK_MS = 20,        /* time between two observations */
    DOUBT_LOOK_MS = 100, /* time between two observations while the outcome of a create is
                          * unknown */
    LAG_GRACE_MS = 2000, /* tolerance for busy computers, added to a declared lag */
    UNANSWERED_MAX = 3,
    IN_VAIN_MAX = 4,
};

static struct conformance_finding *finding_now(struct conformance_stage *stage)
{
    return &stage->findings[stage->now];
}

bool stage_broken(struct conformance_stage *stage, const char *format, ...)
{
    struct conformance_finding *finding = finding_now(stage);
    va_list args;

    if (finding->verdict != CONFORMANCE_BROKEN) {
        finding->verdict = CONFORMANCE_BROKEN;
        va_start(args, format);
        finding->words = arena_vprintf(stage->arena, format, args);
        va_end(args);
    }
    return false;
}

void stage_not_tried(struct conformance_stage *stage, const char *why)
{
    struct conformance_finding *finding = finding_now(stage);

    if (finding->verdict == CONFORMANCE_KEPT) {
        finding->verdict = CONFORMANCE_NOT_TRIED;
        finding->words = text_from(why);
    }
}

bool stage_is_over(const struct conformance_stage *stage)
{
    return stage->unanswered >= UNANSWERED_MAX;
}

/* ---- calls ---- */

static const char *method_name(enum wire_method method)
{
    static const char *const names[WIRE_METHOD_COUNT] = {
        [WIRE_VALIDATE] = "validate",
        [WIRE_CREATE] = "create",
        [WIRE_DESTROY] = "destroy",
        [WIRE_DESCRIBE] = "describe",
        [WIRE_LABEL] = "label",
        [WIRE_REBOOT] = "reboot",
        [WIRE_PREFLIGHT] = "preflight",
        [WIRE_RESOURCES] = "resources",
        [WIRE_RESOURCE_DESTROY] = "resource_destroy",
        [WIRE_CONSOLE] = "console",
    };

    assert(method < WIRE_METHOD_COUNT);
    return names[method];
}

/* Returns whether a message is from the host, not from the plugin. The host's messages begin with
 * the plugin's name. */
static bool is_from_host(const struct conformance_stage *stage,
                         const struct conformance_reply *reply, struct text *out_words)
{
    struct text prefix =
        arena_printf(stage->arena, "plugin %.*s: ", TEXT_ARG(stage->facts.open.name));

    *out_words = reply->answer.message;
    if (!text_has_prefix(reply->answer.message, prefix)) {
        return false;
    }
    *out_words = text_slice(reply->answer.message, prefix.length, reply->answer.message.length);
    return true;
}

static bool wants_again(const struct conformance_stage *stage,
                        const struct conformance_reply *reply)
{
    struct text words;

    if (reply->outcome == OUTCOME_OK || is_from_host(stage, reply, &words)) {
        return false;
    }
    return reply->outcome == OUTCOME_UNKNOWN || reply->answer.fault == PROVIDER_FAULT_THROTTLED ||
           reply->answer.fault == PROVIDER_FAULT_CAPACITY ||
           reply->answer.fault == PROVIDER_FAULT_TRANSIENT;
}

/* True if this failed create must not be repeated immediately, because the provider does not
 * compare tokens. */
static bool is_first_doubt(const struct conformance_stage *stage,
                           const struct conformance_reply *reply)
{
    return reply->method == WIRE_CREATE && reply->outcome == OUTCOME_UNKNOWN &&
           stage_doubt_ms(stage) > 0;
}

static bool trouble_failure_report(struct conformance_stage *stage,
                                   const struct conformance_reply *reply)
{
    const char *name = method_name(reply->method);
    struct text words;

    if (is_from_host(stage, reply, &words)) {
        stage->unanswered += memmem(words.data, words.length, "in time", strlen("in time")) != NULL;
        return stage_broken(stage, "%s gave no definite answer: %.*s", name, TEXT_ARG(words));
    }
    if (reply->outcome == OUTCOME_UNKNOWN) {
        return stage_broken(
            stage,
            "%s has returned an unknown outcome %d times (REEVE_UNKNOWN, or a result that does not "
            "exist): %.*s",
            name, TRIES_MAX, TEXT_ARG(words));
    }
    return stage_broken(
        stage, "%s was refused (%s): %.*s%s%.*s", name, provider_fault_name(reply->answer.fault),
        TEXT_ARG(words.length == 0 ? TEXT("without a message; call host->fault with the reason")
                                   : words),
        reply->token.length > 0 ? "; for the token " : "", TEXT_ARG(reply->token));
}

/* A temporary refusal counts as a failure only when listings can no longer be outdated. Until then
 * the plugin may be unable to find its own machine. */
struct conformance_reply *stage_call_try(struct conformance_stage *stage, struct provider *provider,
                                         enum wire_method method, const struct wire_call *wire)
{
    struct conformance_reply *reply = NULL;
    uint64_t waited = 0;
    uint64_t start_ms = stage_now_ms();

    for (int i = 0; i < TRIES_MAX || waited < stage->main->traits.lag_ms; i++) {
        uint64_t pause = (uint64_t)TRY_MS << (i < TRIES_MAX ? i : TRIES_MAX);
        struct wire_call again = *wire;

        if (again.age_ms != UINT64_MAX) {
            /* the machine grows older between the attempts, as it does for a manager */
            again.age_ms += stage_now_ms() - start_ms;
        }
        reply = stage_ask(stage, provider, method, &again);
        stage_wait(stage, reply);
        if (!wants_again(stage, reply) || is_first_doubt(stage, reply)) {
            break;
        }
        pause = reply->answer.retry_ms > pause ? reply->answer.retry_ms : pause;
        pause = pause < LIMIT_CONFORMANCE_WAIT_MS ? pause : LIMIT_CONFORMANCE_WAIT_MS;
        stage_pause(stage, pause);
        waited += pause;
    }
    return reply;
}

bool stage_call(struct conformance_stage *stage, struct provider *provider, enum wire_method method,
                const struct wire_call *wire, struct conformance_reply **out)
{
    *out = stage_call_try(stage, provider, method, wire);
    return (*out)->outcome == OUTCOME_OK || trouble_failure_report(stage, *out);
}

/* ---- machines ---- */

uint64_t stage_doubt_ms(const struct conformance_stage *stage)
{
    const struct provider_traits *traits = &stage->main->traits;
    uint64_t ms = traits->has_tokens ? 0 : traits->late_ms + traits->lag_ms;

    return ms < LIMIT_CONFORMANCE_WAIT_MS ? ms : LIMIT_CONFORMANCE_WAIT_MS;
}

void stage_doubt(const struct conformance_stage *stage, struct conformance_machine *machine,
                 const struct conformance_reply *reply)
{
    machine->is_in_doubt |= is_first_doubt(stage, reply);
}

/* Waits until a create without an answer can no longer take effect. Returns true if the machine
 * appeared in a listing, because a manager would then use that machine. */
static bool doubt_wait(struct conformance_stage *stage, struct conformance_machine *machine)
{
    struct wire_call wire = { .cluster = machine->tags.cluster, .age_ms = UINT64_MAX };

    for (uint64_t waited = 0; machine->is_in_doubt && waited <= stage_doubt_ms(stage);
         waited += DOUBT_LOOK_MS) {
        struct conformance_reply *reply = stage_ask(stage, stage->main, WIRE_DESCRIBE, &wire);

        stage_wait(stage, reply);
        for (size_t i = 0; reply->outcome == OUTCOME_OK && i < reply->answer.count; i++) {
            const struct provider_row *row = &reply->answer.rows[i];

            if (stage_is_live(row) && text_is_equal(row->tags.token, machine->tags.token)) {
                machine->id = row->id;
                machine->is_in_doubt = false;
                return true;
            }
        }
        stage_pause(stage, DOUBT_LOOK_MS);
    }
    machine->is_in_doubt = false;
    return false;
}

struct conformance_reply *stage_make_try(struct conformance_stage *stage, struct provider *provider,
                                         struct conformance_machine *machine,
                                         const struct wire_call *request)
{
    struct conformance_reply *reply = NULL;

    for (int i = 0; i < TRIES_MAX; i++) {
        if (doubt_wait(stage, machine)) {
            return NULL;
        }
        reply = stage_call_try(stage, provider, WIRE_CREATE, request);
        if (!is_first_doubt(stage, reply)) {
            break;
        }
        machine->is_in_doubt = true;
    }
    return reply;
}

bool stage_make_as(struct conformance_stage *stage, struct provider *provider,
                   struct conformance_machine *machine, const struct wire_call *request)
{
    struct conformance_reply *reply = stage_make_try(stage, provider, machine, request);

    if (reply == NULL) {
        return true;
    }
    if (reply->outcome != OUTCOME_OK) {
        return trouble_failure_report(stage, reply);
    }
    if (machine->id.length > 0 && !text_is_equal(machine->id, reply->answer.id)) {
        return stage_broken(
            stage,
            "called twice with one token, create made two machines: '%.*s' and '%.*s'. Search for the token before you create a machine",
            TEXT_ARG(machine->id), TEXT_ARG(reply->answer.id));
    }
    machine->id = reply->answer.id;
    return true;
}

bool stage_make(struct conformance_stage *stage, struct provider *provider,
                struct conformance_machine *machine)
{
    struct wire_call request = stage_request(stage, machine);

    return stage_make_as(stage, provider, machine, &request);
}

bool stage_destroy(struct conformance_stage *stage, struct text cluster, struct text id)
{
    struct conformance_machine *machine = stage_machine_of(stage, cluster, id);
    struct wire_call wire = stage_about_id(stage, cluster, id);
    struct conformance_reply *reply;

    if (machine != NULL) {
        machine->is_destroyed = true;
    }
    return stage_call(stage, stage->main, WIRE_DESTROY, &wire, &reply);
}

uint64_t stage_lag_ms(const struct conformance_stage *stage)
{
    uint64_t lag = stage->main->traits.lag_ms + LAG_GRACE_MS;

    return lag < LIMIT_CONFORMANCE_WAIT_MS ? lag : LIMIT_CONFORMANCE_WAIT_MS;
}

/* Returns whether to stop waiting. Each wait without result shortens later ones, so that all rules
 * are tested and the test ends. */
static bool has_waited(struct conformance_stage *stage, uint64_t waited, uint64_t most)
{
    unsigned times = stage->in_vain < IN_VAIN_MAX ? stage->in_vain : IN_VAIN_MAX;

    if (waited <= most >> (2 * times)) {
        return false;
    }
    stage->in_vain++;
    return true;
}

static const struct provider_row *row_any(const struct conformance_reply *reply, struct text id)
{
    for (size_t i = 0; i < reply->answer.count; i++) {
        if (text_is_equal(reply->answer.rows[i].id, id)) {
            return &reply->answer.rows[i];
        }
    }
    return NULL;
}

const struct provider_row *stage_row(const struct conformance_reply *reply, struct text id)
{
    const struct provider_row *row = row_any(reply, id);

    return row == NULL || row->state == PLAN_ROW_ENDED ? NULL : row;
}

bool stage_is_live(const struct provider_row *row)
{
    return row->state != PLAN_ROW_STOPPING && row->state != PLAN_ROW_ENDED;
}

static bool doubles_check(struct conformance_stage *stage, const struct conformance_reply *reply)
{
    for (size_t i = 0; i < reply->answer.count; i++) {
        struct text id = reply->answer.rows[i].id;

        if (row_any(reply, id) != &reply->answer.rows[i]) {
            return stage_broken(
                stage, "one listing of describe has '%.*s' twice: return one row for each machine",
                TEXT_ARG(id));
        }
    }
    return true;
}

bool stage_list(struct conformance_stage *stage, struct text cluster,
                struct conformance_reply **out)
{
    struct wire_call wire = { .cluster = cluster };
    uint64_t waited = 0;

    for (;;) {
        if (!stage_call(stage, stage->main, WIRE_DESCRIBE, &wire, out)) {
            return false;
        }
        if ((*out)->answer.is_complete) {
            return doubles_check(stage, *out);
        }
        if (has_waited(stage, waited, stage_lag_ms(stage))) {
            return stage_broken(
                stage, "describe reports every listing as incomplete: reeve would never replace "
                       "or destroy a machine of such a provider");
        }
        stage_pause(stage, LOOK_MS);
        waited += LOOK_MS;
    }
}

bool stage_list_with(struct conformance_stage *stage, const struct conformance_machine *machine,
                     struct conformance_reply **out)
{
    do {
        if (!stage_list(stage, machine->tags.cluster, out)) {
            return false;
        }
        if (stage_row(*out, machine->id) != NULL || stage->main->traits.is_strong) {
            break;
        }
        stage_pause(stage, LOOK_MS);
    } while (stage_age_ms(machine) < stage_lag_ms(stage));
    return true;
}

static bool find_once(struct conformance_stage *stage, struct text cluster, struct text id,
                      const struct provider_row **out)
{
    struct wire_call wire = stage_about_id(stage, cluster, id);
    struct conformance_reply *reply;

    wire.ids = (struct wire_list){ &id, 1 };
    wire.machine = TEXT("");
    if (!stage_call(stage, stage->main, WIRE_DESCRIBE, &wire, &reply)) {
        return false;
    }
    *out = reply->answer.count == 0 ? NULL : stage_row(reply, reply->answer.rows[0].id);
    return *out == NULL || text_is_equal((*out)->id, id) ||
           stage_broken(stage, "describe was called for '%.*s' only, but returned '%.*s'",
                        TEXT_ARG(id), TEXT_ARG((*out)->id));
}

/* A young machine that is not found is no fault as long as listings may be outdated. */
bool stage_find(struct conformance_stage *stage, struct text cluster, struct text id,
                const struct provider_row **out)
{
    const struct conformance_machine *machine = stage_machine_of(stage, cluster, id);
    bool may_wait = machine != NULL && !machine->is_destroyed && stage->main->traits.lag_ms > 0;

    while (find_once(stage, cluster, id, out)) {
        if (*out != NULL || !may_wait || stage_age_ms(machine) >= stage_lag_ms(stage)) {
            return true;
        }
        stage_pause(stage, LOOK_MS);
    }
    return false;
}

/* ---- observations ---- */

/* Returns another machine with the same token; NULL: there is none. */
static const struct provider_row *duplicate_find(const struct conformance_reply *reply,
                                                 const struct provider_row *row)
{
    for (size_t i = 0; i < reply->answer.count; i++) {
        const struct provider_row *other = &reply->answer.rows[i];

        if (other != row && row->tags.token.length > 0 &&
            text_is_equal(other->tags.token, row->tags.token) && stage_is_live(other)) {
            return other;
        }
    }
    return NULL;
}

static bool twins_check(struct conformance_stage *stage, const struct conformance_reply *reply,
                        const char *before)
{
    for (size_t i = 0; i < reply->answer.count; i++) {
        const struct provider_row *row = &reply->answer.rows[i];
        const struct provider_row *duplicate = duplicate_find(reply, row);

        if (duplicate != NULL && stage_is_live(row)) {
            return stage_broken(
                stage,
                "%s there are two machines with one token: '%.*s' and '%.*s'. One of them has no owner and still costs money: search for the token before you create a machine",
                before, TEXT_ARG(row->id), TEXT_ARG(duplicate->id));
        }
    }
    return true;
}

/* Counts machines. A machine being destroyed may be listed for a while and does not count. */
static size_t live_count(const struct conformance_reply *reply)
{
    size_t count = 0;

    for (size_t i = 0; i < reply->answer.count; i++) {
        count += stage_is_live(&reply->answer.rows[i]);
    }
    return count;
}

static bool count_report(struct conformance_stage *stage, const struct conformance_reply *reply,
                         const struct conformance_machine *machine, size_t count,
                         const char *before)
{
    if (stage_row(reply, machine->id) == NULL) {
        return stage_broken(stage,
                            "%s a listing that is reported as complete lacks machine '%.*s'%s",
                            before, TEXT_ARG(machine->id),
                            stage->main->traits.is_strong
                                ? "; the plugin has REEVE_CAN_STRONG: no listing may be outdated"
                                : ", longer than the declared lag_ms");
    }
    return stage_broken(stage, "%s %zu machines are listed in cluster %.*s, and %zu should be",
                        before, live_count(reply), TEXT_ARG(machine->tags.cluster), count);
}

bool stage_see(struct conformance_stage *stage, const struct conformance_machine *machine,
               size_t count, const char *before)
{
    uint64_t waited = 0;

    for (;;) {
        struct conformance_reply *reply;

        if (!stage_list(stage, machine->tags.cluster, &reply) ||
            !twins_check(stage, reply, before)) {
            return false;
        }
        if (live_count(reply) == count && stage_row(reply, machine->id) != NULL) {
            return true;
        }
        if (stage->main->traits.is_strong || has_waited(stage, waited, stage_lag_ms(stage))) {
            return count_report(stage, reply, machine, count, before);
        }
        stage_pause(stage, LOOK_MS);
        waited += LOOK_MS;
    }
}

bool stage_see_gone(struct conformance_stage *stage, const struct conformance_machine *machine)
{
    uint64_t most = stage->patience.change_ms + stage_lag_ms(stage);
    uint64_t waited = 0;

    for (;;) {
        const struct provider_row *row;
        struct conformance_reply *reply;

        if (!stage_list(stage, machine->tags.cluster, &reply) ||
            !stage_find(stage, machine->tags.cluster, machine->id, &row)) {
            return false;
        }
        if (stage_row(reply, machine->id) == NULL && row == NULL) {
            return true;
        }
        if (has_waited(stage, waited, most)) {
            return stage_broken(stage,
                                "destroy of '%.*s' returned OK, but %llu s later the machine "
                                "still exists",
                                TEXT_ARG(machine->id), (unsigned long long)(most / 1000));
        }
        stage_pause(stage, LOOK_MS);
        waited += LOOK_MS;
    }
}
