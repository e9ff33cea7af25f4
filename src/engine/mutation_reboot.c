#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "engine/reboots.h"
#include "engine/service_parts.h"
#include "engine/words.h"
#include "model/nest.h"
#include "model/ranges.h"
#include "wire/wire.h"

#include <assert.h>

/* names: mutation_ reboot_ */

/* An operator asks that some members of a group are rebooted (docs/decisions/0122).
 *
 * Normal case: the members become tokens in the words of the group (`reboot`, pass_words.c), with a number that no request about one
 * of them had before and the name of who asks, written in the transaction that writes the group's specification anew. The planner
 * begins each reboot when the group has room; the record then has the number, so that it is never begun twice.
 *
 * Failure modes: a member that is being created, destroyed or rebooted, and one that nobody can reboot, is refused (R0821), and
 * nothing is written. "-" drops requests that have not begun. */

struct reboot_asking {
    struct mutation *mutation;
    struct arena *arena;
    struct text id;   /* of the cluster */
    struct text path; /* of the group */
    struct record *records;
    size_t record_count;
    bool *is_chosen; /* of each record */
    size_t count;
    const struct doc *waiting; /* requests that are among the words already */
};

/* ---- choosing ---- */

MUST_CHECK static bool reboot_refuse(const struct reboot_asking *asking, struct text word,
                                     const char *why, const char *hint, struct err *err)
{
    err_set(err, CODE_R0821, "'%.*s/%.*s' cannot be rebooted: %s",
            TEXT_ARG(asking->mutation->change.objects[0].name), TEXT_ARG(word), why);
    return err_hint(err, "%s", hint);
}

static void reboot_records_read(struct reboot_asking *asking)
{
    size_t count = 0;
    size_t own = 0;

    asking->records = mutation_records(asking->mutation, asking->id, &count);
    for (size_t i = 0; i < count; i++) {
        if (text_is_equal(asking->records[i].plan.group, asking->path)) {
            asking->records[own++] = asking->records[i];
        }
    }
    asking->record_count = own;
    asking->is_chosen = arena_array(asking->arena, bool, own);
}

/* Can its plugin reboot it, or does the manager log in to it? A plugin that is not known says so later. */
static bool is_rebootable(const struct reboot_asking *asking, const struct record *record)
{
    const struct service_keeper *keeper = &asking->mutation->service->keeper;
    struct text name = text_slice(record->plugin, 0, text_find_byte(record->plugin, '/'));
    const struct wire_hello *hello =
        keeper->plugins == NULL ? NULL : keeper->plugins->find(keeper->plugins->arg, name);

    return hello == NULL || (hello->methods >> WIRE_REBOOT & 1) != 0 ||
           (record->address.length > 0 && keeper->logs_in != NULL &&
            keeper->logs_in(keeper->arg, record->plugin));
}

static bool is_reboot_waiting(const struct reboot_asking *asking, const struct record *record)
{
    return reboots_request_of(asking->waiting, record->plan.token).number > record->reboot_number;
}

MUST_CHECK static bool reboot_member_check(const struct reboot_asking *asking,
                                           const struct record *record, struct err *err)
{
    if (record->plan.state == PLAN_RECORD_CREATE) {
        return reboot_refuse(asking, record->name, "its machine is being created",
                             "wait until it is there: reeve wait node/CLUSTER/NODE --for ready",
                             err);
    }
    if (record->plan.state == PLAN_RECORD_DELETE) {
        return reboot_refuse(asking, record->name, "its machine is being destroyed already",
                             "reeve tree shows what comes in its slot", err);
    }
    if (plan_is_rebooting(&record->plan) || is_reboot_waiting(asking, record)) {
        return reboot_refuse(asking, record->name,
                             plan_is_rebooting(&record->plan)
                                 ? "it is being rebooted already"
                                 : "its reboot was requested already, and waits for its turn",
                             "reeve job watch shows how far it is", err);
    }
    if (!is_rebootable(asking, record)) {
        return reboot_refuse(asking, record->name,
                             "its plugin cannot reboot, and the manager has no login to it",
                             "reboot it at its provider; reeve replace NODE gives it another "
                             "machine where the plugin can make one",
                             err);
    }
    return true;
}

MUST_CHECK static bool reboot_word_choose(struct reboot_asking *asking, struct text word,
                                          struct err *err)
{
    bool is_found = false;

    for (size_t i = 0; i < asking->record_count; i++) {
        const struct record *record = &asking->records[i];
        bool is_token = text_is_equal(word, record->plan.token);

        if (!ranges_has(word, record->name) && !text_is_equal(word, record->plan.id) && !is_token) {
            continue;
        }
        /* Of two machines in a slot the one that is destroyed is meant by its token alone. */
        if (record->plan.state == PLAN_RECORD_DELETE && !is_token && asking->record_count > 1) {
            continue;
        }
        if (!reboot_member_check(asking, record, err)) {
            return false;
        }
        is_found = true;
        asking->count += !asking->is_chosen[i];
        asking->is_chosen[i] = true;
    }
    return is_found || reboot_refuse(asking, word, "the group has no such machine",
                                     "reeve tree CLUSTER shows what there is", err);
}

MUST_CHECK static bool reboot_choose(struct reboot_asking *asking, struct err *err)
{
    struct text rest = asking->mutation->request.reboots;
    struct text word;

    while (ranges_next(&rest, &word)) {
        if (!reboot_word_choose(asking, word, err)) {
            return false;
        }
    }
    if (asking->count > LIMIT_REBOOT_MACHINES) {
        err_set(err, CODE_R0821, "%zu machines are named, and at most %d may be", asking->count,
                LIMIT_REBOOT_MACHINES);
        return err_hint(err, "name fewer at a time");
    }
    assert(asking->count > 0);
    return true;
}

/* ---- writing ---- */

/* The tokens of a request that wait still. */
static struct doc waiting_tokens(const struct reboot_asking *asking,
                                 const struct reboot_request *request)
{
    struct doc *items = arena_array(asking->arena, struct doc, request->tokens->item_count);
    size_t count = 0;

    for (size_t i = 0; i < request->tokens->item_count; i++) {
        for (size_t j = 0; j < asking->record_count; j++) {
            const struct record *record = &asking->records[j];

            if (text_is_equal(record->plan.token, request->tokens->items[i].text) &&
                record->reboot_number < request->number &&
                record->plan.state == PLAN_RECORD_ACTIVE) {
                items[count++] = request->tokens->items[i];
            }
        }
    }
    return doc_list(items, count, NULL);
}

static struct doc request_make(const struct reboot_asking *asking, uint64_t number, struct text by,
                               struct doc tokens)
{
    struct doc_builder builder;

    doc_builder_init(&builder, asking->arena);
    doc_builder_put(&builder, "by", doc_text(by, NULL));
    doc_builder_put(&builder, "number", doc_int(asking->arena, (int64_t)number, NULL));
    doc_builder_put(&builder, "tokens", tokens);
    return doc_builder_map(&builder, NULL);
}

static struct doc chosen_tokens(const struct reboot_asking *asking)
{
    struct doc *items = arena_array(asking->arena, struct doc, asking->count);
    size_t count = 0;

    for (size_t i = 0; i < asking->record_count; i++) {
        if (asking->is_chosen[i]) {
            items[count++] = doc_text(asking->records[i].plan.token, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

/* Requests that wait, and the new one behind them. */
static struct doc requests_make(const struct reboot_asking *asking, size_t *out_tokens)
{
    size_t room = doc_is_list(asking->waiting) ? asking->waiting->item_count : 0;
    struct doc *items = arena_array(asking->arena, struct doc, room + 1);
    struct reboot_request request;
    uint64_t newest = 0;
    size_t count = 0;
    size_t at = 0;

    *out_tokens = asking->count;
    for (size_t i = 0; i < asking->record_count; i++) {
        newest =
            asking->records[i].reboot_number > newest ? asking->records[i].reboot_number : newest;
    }
    while (reboots_request_next(asking->waiting, &at, &request)) {
        struct doc tokens = waiting_tokens(asking, &request);

        newest = request.number > newest ? request.number : newest;
        if (tokens.item_count > 0 && asking->count > 0) {
            *out_tokens += tokens.item_count;
            items[count++] = request_make(asking, request.number, request.by, tokens);
        }
    }
    if (asking->count > 0) {
        items[count++] =
            request_make(asking, newest + 1, asking->mutation->actor.user, chosen_tokens(asking));
    }
    return doc_list(items, count, NULL);
}

MUST_CHECK static bool reboot_words_write(struct reboot_asking *asking,
                                          const struct cache_object *control,
                                          const struct doc *words, struct text key_id,
                                          struct err *err)
{
    struct mutation *mutation = asking->mutation;
    bool is_said = control != NULL && control->parts[CACHE_SPEC].bytes != NULL;
    struct change_op op = { .key = objects_key(asking->arena, mutation->actor.tenant,
                                               TEXT("Control"), key_id, CACHE_SPEC) };
    size_t tokens = 0;
    struct doc made = requests_make(asking, &tokens);
    struct doc written = nest_put(asking->arena, words, "reboot", made);
    struct buf buf;

    if (tokens > LIMIT_REBOOT_WAITING) {
        err_set(err, CODE_R0821, "%zu machines of '%.*s' wait to be rebooted, at most %d may",
                tokens, TEXT_ARG(asking->path), LIMIT_REBOOT_WAITING);
        return err_hint(err, "wait until some of them are through: reeve job watch");
    }
    buf_init(&buf, asking->arena);
    json_format(&buf, &written);
    op.value = buf_text(&buf);
    mutation_op_append(mutation, op, is_said ? control->parts[CACHE_SPEC].revision : 0);
    return true;
}

/* ---- the plan ---- */

static int rebooted_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

static struct doc rebooted_names(const struct reboot_asking *asking)
{
    struct text *names = arena_array(asking->arena, struct text, asking->record_count);
    struct buf buf;
    size_t count = 0;

    for (size_t i = 0; i < asking->record_count; i++) {
        if (asking->is_chosen[i]) {
            names[count++] = asking->records[i].name;
        }
    }
    sort_stable(asking->arena, names, count, sizeof(*names), rebooted_compare, NULL);
    buf_init(&buf, asking->arena);
    ranges_format(&buf, names, count);
    return doc_text(buf_text(&buf), NULL);
}

static bool reboot_object_tell(void *arg, const struct doc *planned, struct doc *out)
{
    struct reboot_asking *asking = arg;
    struct arena *arena = asking->arena;
    const struct doc *groups = doc_child(planned, "groups");
    const struct doc *sums = doc_child(planned, "sums");
    struct doc number = doc_int(arena, (int64_t)asking->count, NULL);
    struct doc *told;
    struct doc sum;

    if (!doc_is_list(groups) || sums == NULL) {
        return false;
    }
    told = arena_array(arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        told[i] = groups->items[i];
        if (text_is_equal(mutation_text_of(&told[i], "path"), asking->path)) {
            told[i] = nest_put(arena, &told[i], "change", doc_text(TEXT("change"), NULL));
            told[i] = nest_put(arena, &told[i], "reboot", number);
            told[i] = nest_put(arena, &told[i], "rebooted", rebooted_names(asking));
        }
    }
    sum = nest_put(arena, sums, "reboot", number);
    *out = nest_put(arena, planned, "groups", doc_list(told, groups->item_count, NULL));
    *out = nest_put(arena, out, "change", doc_text(TEXT("change"), NULL));
    *out = nest_put(arena, out, "sums", sum);
    return true;
}

bool mutation_reboot_take(struct mutation *mutation, struct err *err)
{
    const struct service_patch *patch = mutation->patch;
    struct reboot_asking asking = { .mutation = mutation, .arena = mutation->work };
    const struct cache_object *control;
    struct text key_id;
    struct doc words;

    if (mutation->request.reboots.length == 0) {
        return true;
    }
    if (patch == NULL || patch->kind->owner != OWNER_NODEGROUP ||
        mutation->change.object_count != 1 || mutation->request.document_count != 1 ||
        !doc_is_map(patch->patch) || patch->patch->entry_count > 0 ||
        mutation->request.replaces.length > 0) {
        err_set(err, CODE_R0821, "machines are rebooted by a request that changes nothing else");
        return err_hint(err, "send an empty merge patch of one node group: {}");
    }
    asking.id = mutation->change.objects[0].id;
    asking.path = mutation_text_of(&mutation->request.documents[0], "name");
    key_id = arena_printf(asking.arena, "%.*s/%.*s", TEXT_ARG(asking.id), TEXT_ARG(asking.path));
    control = cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Control"), key_id);
    words = words_read(asking.arena, control);
    asking.waiting = doc_child(&words, "reboot");
    reboot_records_read(&asking);
    if ((!text_is(mutation->request.reboots, "-") && !reboot_choose(&asking, err)) ||
        !reboot_words_write(&asking, control, &words, key_id, err)) {
        return false;
    }
    mutation->change.needs.reboot += asking.count;
    mutation_plan_tell(mutation, reboot_object_tell, &asking);
    return true;
}
