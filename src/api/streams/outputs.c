#include "api/request/take.h"
#include "api/streams/streams.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/nest.h"

#include <string.h>

/* public names start with: outputs_ */

/* Each manager stores the output of the stages that it ran. The lease holder answers a request for
 * output: it reads its own part, requests the other parts from the managers that the node state
 * names, and merges the parts.
 *
 * Failure modes: if a manager with a part is unreachable or does not answer in time, the answer
 * contains the other parts. The member `missing` then lists the missing output, the manager that
 * has it, and the time since which that manager is unreachable. */

enum { OUTPUTS_MANAGERS = 8, OUTPUTS_ANSWER_BYTES = 8 * 1024 * 1024 };

/* One attempt whose output another manager has. */
struct outputs_attempt {
    int64_t stage;
    int64_t attempt;
    struct text manager; /* id of the manager */
};

struct outputs;

/* The part of one manager. */
struct outputs_part {
    struct outputs *outputs;
    struct text manager;
    struct peers_call *call; /* NULL: the call has ended */
    struct buf bytes;
    int status;
    struct doc answer;  /* answer of the manager; not a map: there is none */
    struct text reason; /* why there is no answer */
};

struct outputs {
    struct outputs *next;
    struct outputs **link;
    struct call *call;
    struct service_answer whole;
    struct err_list errors; /* an empty list, for the answer */
    struct doc own;
    struct outputs_attempt *attempts;
    size_t attempt_count;
    struct outputs_part parts[OUTPUTS_MANAGERS];
    size_t part_count;
    size_t waiting;
};

/* ---- reading ---- */

static struct text outputs_member(const struct doc *map, const char *name)
{
    const struct doc *member = doc_is_map(map) ? doc_child(map, name) : NULL;

    return doc_is_scalar(member) ? member->text : TEXT("");
}

static int64_t outputs_number(const struct doc *map, const char *name)
{
    int64_t number = -1;

    return text_parse_int64(outputs_member(map, name), &number) ? number : -1;
}

/* True if the parameters of the request do not exclude this stage and attempt. */
static bool outputs_is_wanted(const struct call *call, const struct outputs_attempt *attempt)
{
    struct text stage = call_parameter(call, "stage");
    struct text number = call_parameter(call, "attempt");
    int64_t wanted = 0;

    return call_parameter(call, "hook").length == 0 &&
           (stage.length == 0 || (text_parse_int64(stage, &wanted) && wanted == attempt->stage)) &&
           (number.length == 0 ||
            (text_parse_int64(number, &wanted) && (wanted == 0 || wanted == attempt->attempt)));
}

/* Returns the attempt of a stage at which the client continues, from the parameter `offset`. 0: the
 * client has received no output of this stage. */
static int64_t outputs_seen(const struct call *call, int64_t stage)
{
    struct text rest = call_parameter(call, "offset");

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text one = text_slice(rest, 0, comma);
        size_t dot = text_find_byte(one, '.');
        struct text behind = text_slice(one, dot == SIZE_MAX ? one.length : dot + 1, SIZE_MAX);
        int64_t number = -1;
        int64_t attempt = 0;

        if (text_parse_int64(text_slice(one, 0, dot), &number) && number == stage &&
            text_parse_int64(text_slice(behind, 0, text_find_byte(behind, '.')), &attempt)) {
            return attempt;
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, SIZE_MAX);
    }
    return 0;
}

/* Return the newest attempt of a stage that any manager has. */
static int64_t outputs_newest(const struct outputs *outputs, int64_t stage)
{
    int64_t newest = 0;

    for (size_t i = 0; i < outputs->attempt_count; i++) {
        const struct outputs_attempt *attempt = &outputs->attempts[i];

        newest = attempt->stage == stage && attempt->attempt > newest ? attempt->attempt : newest;
    }
    return newest;
}

/* Returns the first attempt of a stage to show: the attempt at which the client continues, or the
 * latest one. */
static int64_t outputs_first(const struct outputs *outputs, int64_t stage)
{
    int64_t seen = outputs_seen(outputs->call, stage);

    return call_parameter(outputs->call, "attempt").length > 0 ? 0
           : seen > 0                                          ? seen
                                                               : outputs_newest(outputs, stage);
}

/* Reads the list of attempts from the state of the node (member node.outputs of the answer). */
static void outputs_attempts_read(struct outputs *outputs)
{
    const struct doc *node = doc_child(&outputs->own, "node");
    const struct doc *items = doc_is_map(node) ? doc_child(node, "outputs") : NULL;
    size_t count = doc_is_list(items) ? items->item_count : 0;

    outputs->attempts = arena_array(outputs->call->arena, struct outputs_attempt, count);
    for (size_t i = 0; i < count; i++) {
        outputs->attempts[outputs->attempt_count++] =
            (struct outputs_attempt){ .stage = outputs_number(&items->items[i], "stage"),
                                      .attempt = outputs_number(&items->items[i], "attempt"),
                                      .manager = outputs_member(&items->items[i], "manager") };
    }
}

/* ---- putting together ---- */

static int64_t outputs_line_order(const struct doc *line)
{
    int64_t stage = outputs_number(line, "stage");

    return stage < 0 ? INT64_MAX : stage; /* outputs of hooks come last */
}

static int outputs_compare(const void *a, const void *b, void *arg)
{
    const struct doc *one = a;
    const struct doc *two = b;
    int64_t stages[] = { outputs_line_order(one), outputs_line_order(two) };
    int64_t attempts[] = { outputs_number(one, "attempt"), outputs_number(two, "attempt") };

    (void)arg;
    if (stages[0] != stages[1]) {
        return stages[0] < stages[1] ? -1 : 1;
    }
    return attempts[0] < attempts[1] ? -1 : attempts[0] > attempts[1];
}

/* Adds the lines of one answer, without those that are not to be shown. */
static size_t outputs_lines_add(const struct outputs *outputs, const struct doc *answer,
                                struct doc *out, size_t count)
{
    const struct doc *lines = doc_child(answer, "lines");

    for (size_t i = 0; doc_is_list(lines) && i < lines->item_count; i++) {
        int64_t stage = outputs_number(&lines->items[i], "stage");

        if (stage < 0 ||
            outputs_number(&lines->items[i], "attempt") >= outputs_first(outputs, stage)) {
            out[count++] = lines->items[i];
        }
    }
    return count;
}

static size_t outputs_line_count(const struct doc *answer)
{
    const struct doc *lines = doc_is_map(answer) ? doc_child(answer, "lines") : NULL;

    return doc_is_list(lines) ? lines->item_count : 0;
}

/* Merges the lines of all parts, sorted by stage and attempt. The lines of one attempt come from
 * one manager and keep their order. */
static struct doc outputs_lines(const struct outputs *outputs)
{
    size_t room = outputs_line_count(&outputs->own);
    size_t count;
    struct doc *items;

    for (size_t i = 0; i < outputs->part_count; i++) {
        room += outputs_line_count(&outputs->parts[i].answer);
    }
    items = arena_array(outputs->call->arena, struct doc, room + 1);
    count = outputs_lines_add(outputs, &outputs->own, items, 0);
    for (size_t i = 0; i < outputs->part_count; i++) {
        if (doc_is_map(&outputs->parts[i].answer)) {
            count = outputs_lines_add(outputs, &outputs->parts[i].answer, items, count);
        }
    }
    sort_stable(outputs->call->arena, items, count, sizeof(*items), outputs_compare, NULL);
    return doc_list(items, count, NULL);
}

/* Returns the position of a stage from the member `next` of an answer; empty: it has none. */
static struct text outputs_place(const struct doc *answer, struct text stage)
{
    struct text rest = outputs_member(answer, "next");

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text one = text_slice(rest, 0, comma);

        if (text_is_equal(text_slice(one, 0, text_find_byte(one, '.')), stage)) {
            return one;
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, SIZE_MAX);
    }
    return TEXT("");
}

/* Compares two positions of one stage, STAGE.ATTEMPT.BYTE. */
static bool is_outputs_place_later(struct text a, struct text b)
{
    int64_t numbers[2][3] = { { 0 } };
    struct text both[] = { a, b };

    for (size_t i = 0; i < ARRAY_COUNT(both); i++) {
        for (size_t j = 0; j < 3 && both[i].length > 0; j++) {
            size_t dot = text_find_byte(both[i], '.');

            (void)!text_parse_int64(text_slice(both[i], 0, dot), &numbers[i][j]);
            both[i] = dot == SIZE_MAX ? TEXT("") : text_slice(both[i], dot + 1, both[i].length);
        }
    }
    return numbers[0][1] != numbers[1][1] ? numbers[0][1] > numbers[1][1]
                                          : numbers[0][2] > numbers[1][2];
}

/* Adds the positions of the stages that this answer is the first to have. Each is the furthest
 * position in any answer. */
static void outputs_places_add(const struct outputs *outputs, size_t index, struct buf *buf)
{
    const struct doc *answer = index == 0 ? &outputs->own : &outputs->parts[index - 1].answer;
    struct text rest = outputs_member(answer, "next");

    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text best = text_slice(rest, 0, comma);
        struct text stage = text_slice(best, 0, text_find_byte(best, '.'));
        bool is_first = true;

        for (size_t i = 0; i <= outputs->part_count; i++) {
            struct text other =
                outputs_place(i == 0 ? &outputs->own : &outputs->parts[i - 1].answer, stage);

            is_first = is_first && (i >= index || other.length == 0);
            best = other.length > 0 && is_outputs_place_later(other, best) ? other : best;
        }
        if (is_first) {
            buf_printf(buf, "%s%.*s", buf->length == 0 ? "" : ",", TEXT_ARG(best));
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, SIZE_MAX);
    }
}

static struct text outputs_next(const struct outputs *outputs)
{
    struct buf buf;

    buf_init(&buf, outputs->call->arena);
    for (size_t i = 0; i <= outputs->part_count; i++) {
        outputs_places_add(outputs, i, &buf);
    }
    return buf_text(&buf);
}

/* Returns the name of a manager, or its id if the name is not known. */
static struct text outputs_name(const struct call *call, struct text id)
{
    const struct api_options *options = &call->api->options;
    const struct managers *managers = options->managers(options->arg);
    const struct managers_row *row = managers == NULL ? NULL : managers_find(managers, id);

    return row == NULL ? id : arena_text(call->arena, row->name);
}

/* Describe one attempt that cannot be read: {attempt, manager, reason, since, stage}. */
static struct doc outputs_missing_one(const struct outputs *outputs,
                                      const struct outputs_attempt *attempt, struct text reason)
{
    const struct api_options *options = &outputs->call->api->options;
    struct arena *arena = outputs->call->arena;
    struct doc_builder builder;
    struct peers_state state;
    char since[TIME_TEXT_BYTES];

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "attempt", doc_int(arena, attempt->attempt, NULL));
    doc_builder_put(&builder, "manager",
                    doc_text(outputs_name(outputs->call, attempt->manager), NULL));
    doc_builder_put(&builder, "reason", doc_text(reason, NULL));
    if (peers_state_find(options->peers, attempt->manager, &state) && !state.is_reachable &&
        state.since_wall_ms > 0) {
        time_format(state.since_wall_ms, since);
        doc_builder_put(&builder, "since", doc_text(arena_text(arena, text_from(since)), NULL));
    }
    doc_builder_put(&builder, "stage", doc_int(arena, attempt->stage, NULL));
    return doc_builder_map(&builder, NULL);
}

/* Lists the attempts to show whose manager has not answered. */
static struct doc outputs_missing(const struct outputs *outputs)
{
    struct arena *arena = outputs->call->arena;
    struct doc *items = arena_array(arena, struct doc, outputs->attempt_count);
    size_t count = 0;

    for (size_t i = 0; i < outputs->attempt_count; i++) {
        const struct outputs_attempt *attempt = &outputs->attempts[i];

        if (!outputs_is_wanted(outputs->call, attempt) ||
            attempt->attempt < outputs_first(outputs, attempt->stage)) {
            continue;
        }
        for (size_t j = 0; j < outputs->part_count; j++) {
            const struct outputs_part *part = &outputs->parts[j];

            if (text_is_equal(part->manager, attempt->manager) && !doc_is_map(&part->answer)) {
                items[count++] = outputs_missing_one(outputs, attempt, part->reason);
            }
        }
    }
    return doc_list(items, count, NULL);
}

/* ---- the answer ---- */

static void outputs_unlink(struct outputs *outputs)
{
    *outputs->link = outputs->next;
    if (outputs->next != NULL) {
        outputs->next->link = outputs->link;
    }
}

static void outputs_end(struct outputs *outputs)
{
    struct call *call = outputs->call;
    bool has_more = text_is(outputs_member(&outputs->own, "more"), "true");
    struct doc missing = outputs_missing(outputs);
    struct doc doc = outputs->own;
    struct buf buf;

    for (size_t i = 0; i < outputs->part_count; i++) {
        has_more = has_more || text_is(outputs_member(&outputs->parts[i].answer, "more"), "true");
    }
    doc = nest_put(call->arena, &doc, "lines", outputs_lines(outputs));
    doc = nest_put(call->arena, &doc, "more", doc_bool(has_more, NULL));
    doc = nest_put(call->arena, &doc, "next", doc_text(outputs_next(outputs), NULL));
    if (missing.item_count > 0) {
        doc = nest_put(call->arena, &doc, "missing", missing);
    }
    buf_init(&buf, call->arena);
    json_format(&buf, &doc);
    outputs->whole.body = buf_text(&buf);
    outputs_unlink(outputs);
    call_answered(call, &outputs->whole);
}

static void outputs_part_end(struct outputs_part *part, struct text reason)
{
    struct outputs *outputs = part->outputs;
    struct err err;

    peers_call_end(part->call);
    part->call = NULL;
    part->reason = arena_text(outputs->call->arena, reason);
    if (part->status == 200 && reason.length == 0 &&
        (!json_parse(outputs->call->arena, buf_text(&part->bytes), NULL, &part->answer, &err) ||
         !doc_is_map(&part->answer))) {
        part->answer = (struct doc){ .kind = DOC_KIND_NONE };
        part->reason = TEXT("the answer cannot be read");
    } else if (part->status != 200 && reason.length == 0) {
        part->reason = TEXT("the manager answered with an error");
    }
    if (--outputs->waiting == 0) {
        outputs_end(outputs);
    }
}

static void on_outputs_bytes(void *arg)
{
    struct outputs_part *part = arg;
    char bytes[LIMIT_ANSWER_LINE_BYTES];
    bool is_end = false;
    size_t count = 1;

    while (count > 0 && !is_end) {
        count = peers_call_read(part->call, bytes, sizeof(bytes), &is_end);
        buf_add(&part->bytes, (struct text){ bytes, count });
    }
    if (is_end) {
        outputs_part_end(part, TEXT(""));
    }
}

static void on_outputs_head(void *arg, const struct answer_head *head)
{
    struct outputs_part *part = arg;

    part->status = head->status;
    on_outputs_bytes(part);
}

static void on_outputs_failure(void *arg, const char *reason)
{
    outputs_part_end(arg, text_from(reason));
}

/* ---- asking ---- */

/* Requests a manager's part. Returns false if the manager cannot be reached. */
static bool outputs_part_send(struct outputs_part *part)
{
    struct call *call = part->outputs->call;
    const struct api_options *options = &call->api->options;
    struct peers_events events = { on_outputs_head, on_outputs_bytes, on_outputs_failure, part };
    struct http_field fields[2] = { { "Reeve-Forwarded", forward_user(call, true) },
                                    { "Reeve-Tenant",
                                      arena_string(call->arena, call->actor.tenant) } };
    struct peers_request request = { .method = TEXT("GET"),
                                     .target = call->request->raw_target,
                                     .fields = fields,
                                     .field_count = ARRAY_COUNT(fields),
                                     .head_ms = LIMIT_PEER_CONNECT_MS,
                                     .bytes_max = OUTPUTS_ANSWER_BYTES };
    struct peers_state state;
    struct err err;

    if (options->peers == NULL || !peers_state_find(options->peers, part->manager, &state)) {
        part->reason = TEXT("this manager has no link to that manager");
    } else if (!state.is_reachable) {
        part->reason = arena_text(call->arena, text_from(state.reason));
    } else if (peers_call_start(options->peers, part->manager, &request, &events, &part->call,
                                &err)) {
        return true;
    } else {
        part->reason = arena_text(call->arena, text_from(err.text));
    }
    return false;
}

/* Collects the managers that have output of the attempts to show. */
static void outputs_parts_find(struct outputs *outputs)
{
    const struct api_options *options = &outputs->call->api->options;
    const struct managers *managers =
        options->managers == NULL ? NULL : options->managers(options->arg);
    const struct managers_row *here = managers == NULL ? NULL : managers_here(managers);

    for (size_t i = 0; here != NULL && i < outputs->attempt_count; i++) {
        const struct outputs_attempt *attempt = &outputs->attempts[i];
        size_t at = 0;

        if (text_is_equal(attempt->manager, here->id) ||
            !outputs_is_wanted(outputs->call, attempt) ||
            attempt->attempt < outputs_first(outputs, attempt->stage)) {
            continue;
        }
        while (at < outputs->part_count &&
               !text_is_equal(outputs->parts[at].manager, attempt->manager)) {
            at++;
        }
        if (at == outputs->part_count && at < OUTPUTS_MANAGERS) {
            outputs->parts[at] =
                (struct outputs_part){ .outputs = outputs, .manager = attempt->manager };
            buf_init(&outputs->parts[at].bytes, outputs->call->arena);
            outputs->part_count++;
        }
    }
}

void outputs_answered(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;
    struct api *api = call->api;
    struct outputs *outputs = arena_one(call->arena, struct outputs);
    struct err err;

    *outputs = (struct outputs){ .call = call, .whole = *answer };
    err_list_init(&outputs->errors, call->arena);
    /* the errors of the service are freed when this call returns */
    outputs->whole.errors = &outputs->errors;
    if (answer->errors->errors > 0 || forward_is_local(call->request) ||
        !json_parse(call->arena, answer->body, NULL, &outputs->own, &err) ||
        !doc_is_map(&outputs->own)) {
        call_answered(call, answer);
        return;
    }
    outputs_attempts_read(outputs);
    outputs_parts_find(outputs);
    if (outputs->part_count == 0) {
        call_answered(call, answer);
        return;
    }
    outputs->next = api->outputs;
    outputs->link = &api->outputs;
    if (outputs->next != NULL) {
        outputs->next->link = &outputs->next;
    }
    api->outputs = outputs;
    for (size_t i = 0; i < outputs->part_count; i++) {
        outputs->waiting += outputs_part_send(&outputs->parts[i]);
    }
    if (outputs->waiting == 0) {
        outputs_end(outputs);
    }
}

void outputs_drain(struct api *api)
{
    while (api->outputs != NULL) {
        struct outputs *outputs = api->outputs;
        struct err err;

        for (size_t i = 0; i < outputs->part_count; i++) {
            peers_call_end(outputs->parts[i].call);
        }
        outputs_unlink(outputs);
        err_set(&err, CODE_R0428, "this manager is stopping");
        call_refuse(outputs->call, &err);
    }
}
