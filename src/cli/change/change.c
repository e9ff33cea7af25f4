#include "cli/change/change.h"

#include "cli/args/consent.h"
#include "cli/change/change_parts.h"
#include "cli/change/change_text.h"
#include "cli/change/plan_text.h"
#include "cli/manager/follow.h"
#include "cli/manager/job_text.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "plan/superseded.h"
#include "sys/interrupt.h"

#include <assert.h>

/* HTTP status of a failed If-Match: the object has changed. */
#define STATUS_MOVED 412

struct text change_body(struct command *command, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, command->arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

bool change_pin_get(struct command *command, const struct session *session,
                    const struct target *target, struct text *out)
{
    struct text path = session_path(command, target->kind, target->name);
    const struct doc *items;
    struct doc history;

    path = arena_printf(command->arena, "%.*s?view=history", TEXT_ARG(path));
    if (!session_get(command, session, path, &history)) {
        return false;
    }
    items = doc_child(&history, "items");
    *out = doc_is_list(items) && items->item_count > 0
               ? doc_child_text(&items->items[0], "revision")
               : TEXT("");
    return true;
}

/* ---- requests ---- */

/* The separator before the next query parameter. */
static const char *query_next(struct buf *path)
{
    return text_find_byte(buf_text(path), '?') == SIZE_MAX ? "?" : "&";
}

/* Return the path with its query: PATH?dry-run=1, or PATH?allow=destroy:4&why=... */
static struct text change_query_make(struct command *command, const struct change_call *call,
                                     bool is_dry, struct text allow)
{
    const char *why = args_named(&command->args, "message");
    struct buf path;

    buf_init(&path, command->arena);
    buf_add(&path, call->path);
    if (is_dry && !call->is_plan) {
        buf_add_string(&path, "?dry-run=1");
    }
    if (!is_dry && allow.length > 0) {
        buf_add_string(&path, "?allow=");
        client_path_add(&path, allow);
    }
    if (why != NULL &&
        !text_has_prefix(call->path, TEXT("/v1/plans"))) { /* for plans the body has the reason */
        buf_add_string(&path, is_dry || allow.length > 0 ? "&why=" : "?why=");
        client_path_add(&path, text_from(why));
    }
    if (call->victims.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "victims=");
        client_path_add(&path, call->victims);
    }
    if (call->replaces.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "replace=");
        client_path_add(&path, call->replaces);
    }
    if (call->reboots.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "reboot=");
        client_path_add(&path, call->reboots);
    }
    if (call->commissions.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "commission=");
        client_path_add(&path, call->commissions);
    }
    if (call->batching.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "batching=");
        client_path_add(&path, call->batching);
    }
    if (call->vars.length > 0) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "vars=");
        client_path_add(&path, call->vars);
    }
    if (call->is_move) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "move=1");
    }
    if (call->is_adoption) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "adopt=1");
    }
    if (call->is_absent) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "absent=1");
    }
    if (call->is_release) {
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "release=1");
    }
    if (args_named(&command->args, "allow-missing-plugin") != NULL &&
        !text_has_prefix(call->path, TEXT("/v1/plans/"))) { /* fixed in a saved plan */
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "allow-missing-plugin=1");
    }
    if (args_named(&command->args, "no-preflight") != NULL &&
        !text_has_prefix(call->path, TEXT("/v1/plans/"))) { /* fixed in a saved plan */
        buf_add_string(&path, query_next(&path));
        buf_add_string(&path, "no-preflight=1");
    }
    return buf_text(&path);
}

/* Send one request; its answer becomes call->answer. False: the manager rejected it, and errors
 * were added. */
static bool change_call_send(struct command *command, const struct session *session,
                             const struct change_set *set, struct change_call *call, bool is_dry,
                             struct text allow)
{
    struct client_request request = {
        .method = call->method,
        .path = change_query_make(command, call, is_dry, allow),
        .accept = "application/json",
        .content_type = call->content_type,
        .body = call->body,
        .if_match = call->if_match,
    };
    struct client_answer answer;
    struct doc ignored;

    if (!is_dry || call->is_plan) {
        request.idempotency_key = session_key(command);
    }
    if (!session_call(command, session, &request, &answer)) {
        return false;
    }
    if (answer.head.status == STATUS_MOVED && call->if_match.length > 0) {
        conflict_report(command, session, call);
        return false;
    }
    if (!session_is_done(&answer)) {
        sent_refused(command, set->sent, &answer, &ignored);
        return false;
    }
    if (answer.body.length == 0) { /* status 204: there is nothing to print */
        call->answer = doc_map(NULL, 0, NULL);
        return true;
    }
    if (!session_parse(command, &answer, &call->answer)) {
        return false;
    }
    if (is_dry) { /* the plan is valid for one use, so exactly the shown change is carried out */
        sent_warned(command, set->sent, &call->answer);
    }
    return true;
}

/* Return the value of {"allow":{...}} or of allow=. It permits exactly the effect that the user was
 * shown. */
static struct text change_allow_format(struct arena *arena, const struct doc *needs, bool is_json)
{
    static const char *const classes[] = {
        "destroy", "replace", "reboot", "rename", "lift", "rerun"
    };
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
        int64_t number = doc_child_number(needs, classes[i]);

        if (number > 0) {
            buf_printf(&buf, is_json ? "%s\"%s\":%lld" : "%s%s:%lld", buf.length == 0 ? "" : ",",
                       classes[i], (long long)number);
        }
    }
    return buf_text(&buf);
}

/* Carry out one call whose effect was shown. */
static bool call_do(struct command *command, const struct session *session,
                    const struct change_set *set, struct change_call *call)
{
    const struct doc *needs = doc_child(&call->answer, "needs");
    struct text allow = change_allow_format(command->arena, needs, call->is_plan);
    struct change_call again = *call;
    bool is_done;

    if (!call->is_plan) {
        return change_call_send(command, session, set, call, false, allow);
    }
    /* the manager saved no plan, because the change would write nothing */
    if (doc_child_text(&call->answer, "id").length == 0) {
        return true;
    }
    again.is_plan = false;
    again.path = arena_printf(command->arena, "/v1/plans/%.*s/apply",
                              TEXT_ARG(doc_child_text(&call->answer, "id")));
    again.body =
        arena_printf(command->arena, "{\"allow\":{%.*s}%s}", TEXT_ARG(allow),
                     args_named(&command->args, "supersede") != NULL ? ",\"supersede\":true" : "");
    again.content_type = "application/json";
    again.method = "POST";
    is_done = change_call_send(command, session, set, &again, false, TEXT(""));
    call->answer = is_done ? again.answer : call->answer;
    return is_done;
}

/* ---- the consent that it needs ---- */

/* True if the change writes anything, including data that users cannot see, such as the stored text
 * of the applied file. */
static bool is_change_changed(const struct change_set *set)
{
    bool is_any = false;

    for (size_t i = 0; i < set->count; i++) {
        is_any = is_any || text_is(doc_child_text(&set->calls[i].answer, "changed"), "true");
    }
    return is_any;
}

/* True if the change has an effect that users can see and consent to. */
static bool is_change_visible(const struct change_set *set)
{
    bool is_any = false;

    for (size_t i = 0; i < set->count; i++) {
        const struct doc *plan = doc_child(&set->calls[i].answer, "plan");

        for (size_t j = 0; doc_is_list(plan) && j < plan->item_count; j++) {
            is_any = is_any || !text_is(doc_child_text(&plan->items[j], "change"), "none");
        }
    }
    return is_any;
}

/* True if the change keeps a value that was changed by hand and differs from the file. */
static bool keeps_any(const struct change_set *set)
{
    bool is_any = false;

    for (size_t i = 0; i < set->count; i++) {
        is_any = is_any || change_text_kept_count(&set->calls[i].answer) > 0;
    }
    return is_any;
}

/* True if the change of the object creates or changes something in addition to removals. */
static bool is_more_than_loss(const struct doc *object)
{
    const struct doc *sums = doc_child(object, "sums");
    struct text change = doc_child_text(object, "change");

    if (text_is(change, "destroy") || text_is(change, "none")) {
        return false;
    }
    return text_is(change, "create") || doc_child(object, "groups") == NULL ||
           doc_child_count(object, "changes") > 0 ||
           doc_child_number(sums, "create") + doc_child_number(sums, "change") > 0;
}

/* Add the consent that an object needs. If exactly one cluster is deleted or renamed, the user must
 * type its name. */
static void object_need(const struct doc *object, struct consent_needs *needs, size_t *clusters)
{
    struct text change = doc_child_text(object, "change");
    bool is_named = text_is(change, "destroy") || text_is(change, "rename");

    /* deleting a cluster without machines destroys nothing, so its name need not be typed */
    if (text_is(change, "destroy") && doc_child_number(doc_child(object, "sums"), "destroy") == 0) {
        is_named = false;
    }
    if (is_named && text_is(doc_child_text(object, "kind"), "Cluster")) {
        (*clusters)++;
        needs->to_type = doc_child_text(object, text_is(change, "rename") ? "was" : "name");
    }
    needs->is_change = needs->is_change || is_more_than_loss(object);
}

static struct consent_needs needs_sum(const struct change_set *set)
{
    struct consent_needs needs = { 0 };
    size_t clusters = 0;

    for (size_t i = 0; i < set->count; i++) {
        const struct doc *answer = &set->calls[i].answer;
        const struct doc *reported = doc_child(answer, "needs");
        const struct doc *plan = doc_child(answer, "plan");

        needs.destroy += (uint64_t)doc_child_number(reported, "destroy");
        needs.replace += (uint64_t)doc_child_number(reported, "replace");
        needs.reboot += (uint64_t)doc_child_number(reported, "reboot");
        needs.rename += (uint64_t)doc_child_number(reported, "rename");
        needs.rerun += (uint64_t)doc_child_number(reported, "rerun");
        needs.volumes += (uint64_t)change_text_lost_count(answer);
        for (size_t j = 0; doc_is_list(plan) && j < plan->item_count; j++) {
            object_need(&plan->items[j], &needs, &clusters);
        }
    }
    if (clusters != 1) {
        needs.to_type = TEXT("");
    }
    return needs;
}

/* Check the consent to superseding rollouts. Files can replace the target of a running rollout that
 * their author does not know of, so the user must confirm this with --supersede (UX.md 3.4). The
 * manager checks this too. It is also checked here before the question, so that the manager does
 * not refuse after the user has agreed. */
static bool rollouts_check(struct command *command, const struct change_set *set)
{
    bool is_said = args_named(&command->args, "supersede") != NULL;
    struct err err;

    for (size_t i = 0; i < set->count && !is_said; i++) {
        if (set->calls[i].is_plan &&
            !superseded_check(doc_child(&set->calls[i].answer, "plan"), &err)) {
            err_list_add(&command->errors, &err);
            return false;
        }
    }
    return true;
}

bool change_rollouts_report(struct command *command, const struct change_set *set)
{
    int64_t count = 0;
    struct err err;

    for (size_t i = 0; i < set->count; i++) {
        const struct doc *answer = &set->calls[i].answer;
        int64_t more = doc_child_number(doc_child(answer, "needs"), "supersede");

        if (count == 0 && more > 0) {
            (void)!superseded_check(doc_child(answer, "plan"), &err);
        }
        count += more;
    }
    if (count == 0 || args_named(&command->args, "supersede") != NULL) {
        return false;
    }
    buf_printf(&command->notes, "applying this will need --supersede: %s", err.text);
    if (count > 1) {
        buf_printf(&command->notes, ", and so %s %lld more", count == 2 ? "is" : "are",
                   (long long)count - 1);
    }
    buf_add_string(&command->notes, "\n");
    return true;
}

/* ---- showing ---- */

/* Return the plans of all calls as one list, in the format that plan_text_write reads. */
static struct doc plans_join(struct command *command, const struct change_set *set)
{
    struct doc *items;
    size_t count = 0;

    for (size_t i = 0; i < set->count; i++) {
        count += doc_child_count(&set->calls[i].answer, "plan");
    }
    items = arena_array(command->arena, struct doc, count + 1);
    count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct doc *plan = doc_child(&set->calls[i].answer, "plan");

        for (size_t j = 0; doc_is_list(plan) && j < plan->item_count; j++) {
            items[count++] = plan->items[j];
        }
    }
    return doc_list(items, count, NULL);
}

struct detail {
    struct command *command;
    const struct change_set *set;
    struct text words;
};

static void set_write(struct detail *detail, enum plan_detail how)
{
    const struct change_set *set = detail->set;
    struct doc plan = plans_join(detail->command, set);
    struct change_text text = { .plan = &plan,
                                .words = detail->words,
                                .id = set->calls[0].is_plan
                                          ? doc_child_text(&set->calls[0].answer, "id")
                                          : TEXT(""),
                                .revision = doc_child_text(&set->calls[0].answer, "revision"),
                                .detail = how };
    struct doc *answers = arena_array(detail->command->arena, struct doc, set->count);

    for (size_t i = 0; i < set->count; i++) {
        answers[i] = set->calls[i].answer;
    }
    text.answers = answers;
    text.answer_count = set->count;
    change_text_write(detail->command, &text);
}

static void detail_write(void *arg)
{
    set_write(arg, PLAN_FULL);
}

static bool is_change_for_programs(const struct command *command)
{
    const char *format = args_output(&command->args);

    return format != NULL && !text_is(text_from(format), "text");
}

static enum plan_detail change_detail_of(const struct command *command)
{
    if (args_named(&command->args, "full") != NULL) {
        return PLAN_FULL;
    }
    return args_named(&command->args, "summary") != NULL ? PLAN_SUMMARY : PLAN_NORMAL;
}

/* Print warnings now, so that the user sees them before a question or before a job is watched. With
 * -o json they are part of the answer. */
static bool warnings_report(struct command *command)
{
    if (command->is_strict && command->errors.warnings > 0) {
        return false;
    }
    if (!is_change_for_programs(command)) {
        command_warn(command);
    }
    return true;
}

bool change_dry(struct command *command, const struct session *session, struct change_call *call)
{
    struct change_set set = { call, 1, NULL };

    assert(!call->is_plan);
    return change_call_send(command, session, &set, call, true, TEXT(""));
}

bool change_show(struct command *command, const struct session *session, struct change_set *set,
                 bool *out_differs)
{
    struct detail detail = { command, set, session_words(command, session) };

    for (size_t i = 0; i < set->count; i++) {
        if (!change_call_send(command, session, set, &set->calls[i], true, TEXT(""))) {
            return false;
        }
    }
    *out_differs = is_change_visible(set) || keeps_any(set);
    if (!is_change_for_programs(command)) {
        set_write(&detail, change_detail_of(command));
    }
    return true;
}

/* ---- all of it ---- */

/* Return the id of the object of an answer. Empty: the answer has no object, or several. */
static struct text object_id(const struct doc *answer)
{
    const struct doc *objects = doc_child(answer, "objects");

    return doc_is_list(objects) && objects->item_count == 1
               ? doc_child_text(&objects->items[0], "id")
               : TEXT("");
}

/* True if a later change of the same cluster supersedes the job of this one. */
static bool is_job_superseded(const struct change_set *set, size_t index)
{
    struct text id = object_id(&set->calls[index].answer);

    for (size_t i = index + 1; id.length > 0 && i < set->count; i++) {
        if (doc_child_number(&set->calls[i].answer, "job") > 0 &&
            text_is_equal(object_id(&set->calls[i].answer), id)) {
            return true;
        }
    }
    return false;
}

/* Watch the jobs that change the machines. Each call has a separate job. */
static enum exit_code jobs_follow(struct command *command, const struct session *session,
                                  const struct change_set *set, bool is_seen)
{
    bool is_detached = args_named(&command->args, "detach") != NULL;
    enum exit_code code = EXIT_CODE_DONE;
    uint64_t deadline_ms = session_deadline(command, session);
    bool has_job = false;

    for (size_t i = 0; i < set->count && code == EXIT_CODE_DONE; i++) {
        int64_t number = doc_child_number(&set->calls[i].answer, "job");
        struct follow follow = { .number = (uint64_t)number,
                                 .is_announced = true,
                                 .plan = doc_child(&set->calls[i].answer, "plan"),
                                 .deadline_ms = deadline_ms };

        if (number <= 0 || is_job_superseded(set, i)) {
            continue;
        }
        has_job = true;
        if (is_detached) {
            buf_printf(&command->notes,
                       "job/%lld continues; reeve job watch %lld, reeve job cancel %lld\n",
                       (long long)number, (long long)number, (long long)number);
        } else {
            code = follow_run(command, session, &follow);
        }
    }
    if (!has_job && is_seen) {
        buf_add_string(&command->notes, "the change is recorded\n");
    }
    return code;
}

static enum exit_code set_do(struct command *command, const struct session *session,
                             struct change_set *set)
{
    bool is_seen = is_change_visible(set);
    size_t done = 0;

    interrupt_expect(INTERRUPT_DURING);
    while (done < set->count && call_do(command, session, set, &set->calls[done])) {
        done++;
    }
    interrupt_expect(INTERRUPT_READING);
    if (done < set->count && done > 0) {
        buf_printf(&command->notes, "%zu of %zu changes were made before that\n", done, set->count);
    }
    if (done == set->count) {
        for (size_t i = 0; i < set->count; i++) {
            change_text_done(command, &set->calls[i].answer,
                             is_seen ? CHANGE_TEXT_DONE : CHANGE_TEXT_UNSEEN);
        }
        if (set->then != NULL && !set->then(command, session, set->arg)) {
            return EXIT_CODE_FAILED;
        }
        if (!is_change_for_programs(command)) {
            return jobs_follow(command, session, set, is_seen);
        }
    }
    return EXIT_CODE_DONE;
}

/* True if the earlier consent covers this change. */
static bool is_change_agreed(const struct consent_needs *needs, const struct consent_needs *agreed)
{
    return needs->destroy <= agreed->destroy && needs->replace <= agreed->replace &&
           needs->reboot <= agreed->reboot && needs->rename <= agreed->rename &&
           needs->rerun <= agreed->rerun && needs->to_type.length == 0;
}

/* Warn about holds and other reasons why machines wait, even if the specification is already as
 * requested. */
static void waiting_report(struct command *command, const struct session *session,
                           const struct change_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct doc *plan = doc_child(&set->calls[i].answer, "plan");

        for (size_t j = 0; doc_is_list(plan) && j < plan->item_count; j++) {
            struct text name = doc_child_text(&plan->items[j], "name");

            if (text_is(doc_child_text(&plan->items[j], "kind"), "Cluster")) {
                job_text_holds_warn(command, session, name,
                                    arena_printf(command->arena, "cluster/%.*s", TEXT_ARG(name)));
            }
        }
    }
}

enum exit_code change_run(struct command *command, const struct session *session,
                          struct change_set *set)
{
    struct detail detail = { command, set, session_words(command, session) };
    bool differs = false;
    bool has_changes;
    struct consent_needs needs;

    interrupt_expect(INTERRUPT_BEFORE);
    if (!change_show(command, session, set, &differs)) {
        return EXIT_CODE_FAILED;
    }
    has_changes = is_change_visible(set);
    if (args_named(&command->args, "dry-run") != NULL) {
        for (size_t i = 0; i < set->count; i++) {
            change_text_answer(command, &set->calls[i].answer);
        }
        (void)change_rollouts_report(command, set);
        return EXIT_CODE_DONE;
    }
    if (!warnings_report(command)) {
        return EXIT_CODE_INVALID;
    }
    if (!rollouts_check(command, set)) {
        return EXIT_CODE_CONFLICT;
    }
    if (!only_check(command, set)) {
        return EXIT_CODE_DECLINED;
    }
    needs = needs_sum(set);
    if (!has_changes && !is_change_changed(set)) {
        change_text_nothing(command, &set->calls[0].answer);
        if (!is_change_for_programs(command)) {
            waiting_report(command, session, set);
        }
        return EXIT_CODE_DONE;
    }
    if (has_changes && !(set->agreed != NULL && is_change_agreed(&needs, set->agreed)) &&
        !consent_get(command, &needs, detail.words,
                     is_change_for_programs(command) ? NULL : detail_write, &detail)) {
        return EXIT_CODE_DECLINED;
    }
    return set_do(command, session, set);
}

enum exit_code change_apply_saved(struct command *command, const struct session *session,
                                  struct text id)
{
    struct change_call call = { .method = "GET", .is_plan = true };
    struct change_set set = { &call, 1, NULL };
    struct detail detail = { command, &set, session_words(command, session) };
    struct consent_needs needs;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/plans/");
    client_path_add(&path, id);
    interrupt_expect(INTERRUPT_BEFORE);
    if (!session_get(command, session, buf_text(&path), &call.answer)) {
        return EXIT_CODE_FAILED;
    }
    sent_warned(command, NULL, &call.answer);
    if (!is_change_for_programs(command)) {
        set_write(&detail, change_detail_of(command));
    }
    if (args_named(&command->args, "dry-run") != NULL) {
        change_text_answer(command, &call.answer);
        return EXIT_CODE_DONE;
    }
    if (!warnings_report(command)) {
        return EXIT_CODE_INVALID;
    }
    if (!rollouts_check(command, &set)) {
        return EXIT_CODE_CONFLICT;
    }
    if (!only_check(command, &set)) {
        return EXIT_CODE_DECLINED;
    }
    needs = needs_sum(&set);
    if (is_change_visible(&set) &&
        !consent_get(command, &needs, detail.words,
                     is_change_for_programs(command) ? NULL : detail_write, &detail)) {
        return EXIT_CODE_DECLINED;
    }
    return set_do(command, session, &set);
}
