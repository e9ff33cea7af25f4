#include "base/limits.h"
#include "records/reboot_request.h"
#include "service/mutation_members.h"
#include "wire/wire.h"

#include <assert.h>

/* public names start with: mutation_ reboot_ */

/* Requests to reboot some members of a group (docs/decisions/0120).
 *
 * Normal case: the request is stored in the commands of the group (`reboot`, pass_commands.c). It
 * has the tokens of the members, a number above all earlier requests about them, and the name of
 * the sender. It is written in the transaction that writes the group's specification again. The
 * planner begins each reboot when the group allows it; the record then has the number, so that no
 * reboot begins twice.
 *
 * Failure modes: a member that is being created, destroyed or rebooted, or that cannot be rebooted,
 * is rejected (R0821), and nothing is written. "-" drops requests that have not begun. */

/* Return the requests that are already stored. */
static const struct doc *reboot_waiting(const struct mutation_members *members)
{
    return doc_child(&members->requests, "reboot");
}

/* ---- selection ---- */

/* True if the member's plugin can reboot it, or the manager logs in to it. An unknown plugin is
 * reported later. */
static bool is_rebootable(const struct mutation_members *members, const struct record *record)
{
    const struct service_controller *reconciler = &members->mutation->service->reconciler;
    struct text name = text_slice(record->plugin, 0, text_find_byte(record->plugin, '/'));
    const struct wire_hello *hello =
        reconciler->plugins == NULL ? NULL
                                    : reconciler->plugins->find(reconciler->plugins->arg, name);

    return hello == NULL || (hello->methods >> WIRE_REBOOT & 1) != 0 ||
           (record->address.length > 0 && reconciler->logs_in != NULL &&
            reconciler->logs_in(reconciler->arg, record->plugin));
}

static bool is_reboot_waiting(const struct mutation_members *members, const struct record *record)
{
    return reboots_request_of(reboot_waiting(members), record->plan.token).number >
           record->reboot_number;
}

MUST_CHECK static bool reboot_check(const struct mutation_members *members,
                                    const struct record *record, struct err *err)
{
    if (plan_is_rebooting(&record->plan) || is_reboot_waiting(members, record)) {
        return mutation_members_refuse(
            members, record->name,
            plan_is_rebooting(&record->plan)
                ? "the machine is being rebooted already"
                : "a reboot of the machine was requested already, and waits for its rollout slot",
            "reeve job watch shows the progress", err);
    }
    return is_rebootable(members, record) ||
           mutation_members_refuse(
               members, record->name,
               "the plugin cannot reboot the machine, and the manager cannot log in to it",
               "reboot the machine at its provider; reeve replace NODE replaces it if the plugin can make machines",
               err);
}

static const struct mutation_members_kind reboot_kind = {
    .code = CODE_R0821,
    .name = "reboot",
    .past = "rebooted",
    .named_max = LIMIT_REBOOT_MACHINES,
    .max_hint = "name fewer machines at a time",
    .gone_hint = "reeve tree shows the next machine in the slot",
    .check = reboot_check,
};

/* ---- writing ---- */

/* Return the tokens of a request whose machines still wait for the reboot. */
static struct doc waiting_tokens(const struct mutation_members *members,
                                 const struct reboot_request *request)
{
    struct doc *items = arena_array(members->arena, struct doc, request->tokens->item_count);
    size_t count = 0;

    for (size_t i = 0; i < request->tokens->item_count; i++) {
        for (size_t j = 0; j < members->record_count; j++) {
            const struct record *record = &members->records[j];

            if (text_is_equal(record->plan.token, request->tokens->items[i].text) &&
                record->reboot_number < request->number &&
                record->plan.state == PLAN_RECORD_ACTIVE) {
                items[count++] = request->tokens->items[i];
            }
        }
    }
    return doc_list(items, count, NULL);
}

static struct doc mutation_reboot_request_make(const struct mutation_members *members,
                                               uint64_t number, struct text by, struct doc tokens)
{
    struct doc_builder builder;

    doc_builder_init(&builder, members->arena);
    doc_builder_put(&builder, "by", doc_text(by, NULL));
    doc_builder_put(&builder, "number", doc_int(members->arena, (int64_t)number, NULL));
    doc_builder_put(&builder, "tokens", tokens);
    return doc_builder_map(&builder, NULL);
}

/* Return the waiting requests, followed by the new one. The list is empty if no member is
 * chosen. */
static struct doc requests_make(const struct mutation_members *members, size_t *out_tokens)
{
    const struct doc *waiting = reboot_waiting(members);
    size_t room = doc_is_list(waiting) ? waiting->item_count : 0;
    struct doc *items = arena_array(members->arena, struct doc, room + 1);
    struct reboot_request request;
    uint64_t newest = 0;
    size_t count = 0;
    size_t at = 0;

    *out_tokens = members->count;
    for (size_t i = 0; i < members->record_count; i++) {
        newest =
            members->records[i].reboot_number > newest ? members->records[i].reboot_number : newest;
    }
    while (reboots_request_next(waiting, &at, &request)) {
        struct doc tokens = waiting_tokens(members, &request);

        newest = request.number > newest ? request.number : newest;
        if (tokens.item_count > 0 && members->count > 0) {
            *out_tokens += tokens.item_count;
            items[count++] =
                mutation_reboot_request_make(members, request.number, request.by, tokens);
        }
    }
    if (members->count > 0) {
        items[count++] = mutation_reboot_request_make(
            members, newest + 1, members->mutation->actor.user, mutation_members_tokens(members));
    }
    return doc_list(items, count, NULL);
}

MUST_CHECK static bool reboot_words_write(struct mutation_members *members, struct err *err)
{
    size_t tokens = 0;
    struct doc made = requests_make(members, &tokens);

    if (tokens > LIMIT_REBOOT_WAITING) {
        err_set(err, CODE_R0821,
                "%zu machines of '%.*s' wait for a reboot, but at most %d may wait", tokens,
                TEXT_ARG(members->path), LIMIT_REBOOT_WAITING);
        return err_hint(err, "wait until some of them are done: reeve job watch");
    }
    mutation_members_write(members, made);
    return true;
}

bool mutation_reboot_take(struct mutation *mutation, struct err *err)
{
    struct text names = mutation->request.reboots;
    struct mutation_members members;
    bool is_drop = text_is(names, "-");

    if (names.length == 0) {
        return true;
    }
    if (!mutation_members_begin(mutation, &reboot_kind, &members, err) ||
        (!is_drop && !mutation_members_choose(&members, names, err))) {
        return false;
    }
    assert(is_drop == (members.count == 0));
    if (!reboot_words_write(&members, err)) {
        return false;
    }
    mutation->change.needs.reboot += members.count;
    mutation_members_report(&members);
    return true;
}
