#include "records/node_state.h"

#include "base/buf.h"
#include "base/macros.h"
#include "codec/json.h"
#include "model/lifecycle.h"
#include "records/record.h"

#include <assert.h>

/* ---- writing ---- */

static void node_state_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static void node_state_number_put(struct doc_builder *builder, const char *key, uint64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, key, doc_int(builder->arena, (int64_t)value, NULL));
    }
}

static void keys_put(struct doc_builder *builder, const struct nodes_keys *keys)
{
    struct doc_builder map;

    if (keys->host.length > 0) {
        doc_builder_init(&map, builder->arena);
        node_state_text_put(&map, "host", keys->host);
        node_state_text_put(&map, "root", keys->root);
        node_state_text_put(&map, "user", keys->user);
        doc_builder_put(builder, "keys", doc_builder_map(&map, NULL));
    }
}

static void facts_put(struct doc_builder *builder, struct text facts)
{
    struct doc doc;
    struct err err;

    if (facts.length > 0 && json_parse(builder->arena, facts, NULL, &doc, &err)) {
        doc_builder_put(builder, "facts", doc);
    }
}

const char *node_verdict_name(enum node_verdict verdict)
{
    static const char *const names[NODE_VERDICT_COUNT] = {
        [NODE_VERDICT_NONE] = "",
        [NODE_VERDICT_SAME] = "same",
        [NODE_VERDICT_DRIFTED] = "drifted",
        [NODE_VERDICT_UNKNOWN] = "unknown",
    };

    assert(verdict < NODE_VERDICT_COUNT);
    return names[verdict];
}

const char *node_verify_cause_name(enum node_verify_cause cause)
{
    static const char *const names[NODE_VERIFY_CAUSE_COUNT] = {
        [NODE_VERIFY_OPERATOR] = "operator",
        [NODE_VERIFY_SCHEDULE] = "schedule",
        [NODE_VERIFY_RETURN] = "return",
        [NODE_VERIFY_CORRECTION] = "correction",
    };

    assert(cause < NODE_VERIFY_CAUSE_COUNT);
    return names[cause];
}

const char *node_drain_name(enum node_drain drain)
{
    static const char *const names[NODE_DRAIN_COUNT] = {
        [NODE_DRAIN_NONE] = "",
        [NODE_DRAIN_BEGUN] = "draining",
        [NODE_DRAIN_DONE] = "drained",
        [NODE_DRAIN_ENDING] = "undraining",
    };

    assert(drain < NODE_DRAIN_COUNT);
    return names[drain];
}

struct doc node_state_lifecycle_show(struct arena *arena, const struct node_state *state)
{
    const struct node_lifecycle *lifecycle = &state->lifecycle;
    bool is_out = lifecycle->drain != NODE_DRAIN_NONE;
    enum lifecycle_status status =
        is_out ? LIFECYCLE_STATUS_MAINTENANCE : LIFECYCLE_STATUS_ALLOCATED;
    enum lifecycle_status prev = is_out ? LIFECYCLE_STATUS_ALLOCATED : LIFECYCLE_STATUS_MAINTENANCE;
    struct doc_builder builder;

    if (lifecycle->wall_ms == 0) {
        return (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    node_state_text_put(&builder, "blocker", record_sentence(arena, lifecycle->blocker));
    node_state_text_put(&builder, "by", lifecycle->by);
    node_state_text_put(&builder, "prev", text_from(lifecycle_status_name(prev)));
    node_state_text_put(&builder, "reason", text_from(node_drain_name(lifecycle->drain)));
    doc_builder_put(&builder, "since", doc_int(arena, lifecycle->wall_ms, NULL));
    node_state_text_put(&builder, "status", text_from(lifecycle_status_name(status)));
    node_state_text_put(&builder, "why", record_sentence(arena, lifecycle->why));
    return doc_builder_map(&builder, NULL);
}

/* Puts the list of files that differ, and the number of further files. */
static void verified_files_put(struct doc_builder *builder, const struct node_verified *verified)
{
    struct doc *items = arena_array(builder->arena, struct doc, verified->files.length + 1);
    struct text rest = verified->files;
    size_t count = 0;

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');

        items[count++] =
            doc_text(record_sentence(builder->arena,
                                     text_slice(rest, 0, end == SIZE_MAX ? rest.length : end)),
                     NULL);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    if (count > 0) {
        doc_builder_put(builder, "files", doc_list(items, count, NULL));
        node_state_number_put(builder, "more",
                              verified->file_count > count ? verified->file_count - count : 0);
    }
}

static struct doc verified_format(struct arena *arena, const struct node_verified *verified)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, verified->wall_ms, NULL));
    node_state_text_put(&builder, "cause", text_from(node_verify_cause_name(verified->cause)));
    verified_files_put(&builder, verified);
    if (verified->is_deep) {
        doc_builder_put(&builder, "judged", doc_int(arena, (int64_t)verified->judged, NULL));
    }
    node_state_text_put(&builder, "level",
                        verified->is_deep   ? TEXT("deep")
                        : verified->is_hook ? TEXT("hook")
                                            : TEXT("checksums"));
    doc_builder_put(&builder, "since", doc_int(arena, verified->since_ms, NULL));
    node_state_number_put(&builder, "tasks", verified->tasks);
    node_state_text_put(&builder, "verdict", text_from(node_verdict_name(verified->verdict)));
    node_state_text_put(&builder, "why", record_sentence(arena, verified->why));
    return doc_builder_map(&builder, NULL);
}

struct doc node_state_verified_show(struct arena *arena, const struct node_state *state)
{
    struct doc doc;
    struct doc_builder builder;

    if (state->verified.verdict == NODE_VERDICT_NONE) {
        return (struct doc){ 0 };
    }
    doc = verified_format(arena, &state->verified);
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < doc.entry_count; i++) {
        doc_builder_add(&builder, &doc.entries[i]);
    }
    node_state_text_put(&builder, "baseline", state->baseline);
    if (state->is_uncorrected) {
        doc_builder_put(&builder, "uncorrected", doc_bool(true, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

struct doc node_hook_format(struct arena *arena, const struct node_hook *hook)
{
    struct doc_builder builder;
    struct doc vars;
    struct err err;

    doc_builder_init(&builder, arena);
    /* the removal of unused archives searches for texts of this form */
    node_state_text_put(&builder, "bundle",
                        arena_printf(arena, "cleanup@sha256:%.*s", TEXT_ARG(hook->digest)));
    node_state_number_put(&builder, "lacksVars", hook->lacks_vars ? 1 : 0);
    node_state_text_put(&builder, "playbook", hook->playbook);
    node_state_number_put(&builder, "timeout", hook->timeout_ms);
    if (hook->vars.length > 0 && json_parse(arena, hook->vars, NULL, &vars, &err)) {
        doc_builder_put(&builder, "vars", vars);
    }
    return doc_builder_map(&builder, NULL);
}

struct text node_state_format(struct arena *arena, const struct node_state *state)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    node_state_text_put(&builder, "archiveDone", state->archive_done);
    node_state_number_put(&builder, "attempt", state->attempt);
    node_state_number_put(&builder, "adoption", (uint64_t)state->adoption);
    node_state_number_put(&builder, "away", state->is_away ? 1 : 0);
    node_state_text_put(&builder, "baseline", state->baseline);
    node_state_text_put(&builder, "blocked", text_from(nodes_cause_name(state->blocked)));
    node_state_number_put(&builder, "blockedSince", (uint64_t)state->blocked_wall_ms);
    node_state_text_put(&builder, "blockedWhy", record_sentence(arena, state->blocked_why));
    node_state_text_put(&builder, "boot", state->boot);
    node_state_text_put(&builder, "chainDone", state->chain_done);
    node_state_text_put(&builder, "chainFailed", state->chain_failed);
    node_state_number_put(&builder, "cleaned", state->is_cleaned ? 1 : 0);
    node_state_number_put(&builder, "cleanup", state->cleanup);
    node_state_text_put(&builder, "cleanupFailure", record_sentence(arena, state->cleanup_failure));
    if (state->cleanup_hook.digest.length > 0) {
        doc_builder_put(&builder, "cleanupHook", node_hook_format(arena, &state->cleanup_hook));
    }
    node_state_number_put(&builder, "cleanupMs", state->cleanup_ms);
    node_state_number_put(&builder, "code", state->code < 0 ? 0 : (uint64_t)state->code);
    if (state->chain_failed.length > 0) {
        node_state_text_put(&builder, "end", text_from(nodes_end_name(state->end)));
    }
    facts_put(&builder, state->facts);
    node_state_text_put(&builder, "factsGiven", state->facts_given);
    node_state_number_put(&builder, "hostKey", state->host_key);
    node_state_text_put(&builder, "job", state->job);
    keys_put(&builder, &state->keys);
    node_state_text_put(&builder, "leaves", record_sentence(arena, state->leaves));
    node_state_number_put(&builder, "leaving", state->leaving_ms);
    if (state->lifecycle.wall_ms > 0) {
        doc_builder_put(&builder, "lifecycle", node_state_lifecycle_show(arena, state));
        node_state_number_put(&builder, "lifecycleAt", state->lifecycle.at_ms);
        node_state_text_put(&builder, "lifecycleJob", state->lifecycle.job);
    }
    node_state_number_put(&builder, "maintained", state->was_maintained ? 1 : 0);
    node_state_text_put(&builder, "marked", state->marked);
    node_state_text_put(&builder, "name", state->name);
    node_state_number_put(&builder, "number", state->number);
    node_state_text_put(&builder, "once", state->once);
    node_state_number_put(&builder, "operators", state->is_operators ? 1 : 0);
    node_state_text_put(&builder, "outputs", state->outputs);
    node_state_number_put(&builder, "released", state->is_released ? 1 : 0);
    node_state_number_put(&builder, "renew", state->renew_ms);
    node_state_number_put(&builder, "rerun", state->rerun);
    node_state_text_put(&builder, "retry", state->retry);
    node_state_number_put(&builder, "retryAt", (uint64_t)state->retry_wall_ms);
    node_state_text_put(&builder, "reverted", state->reverted);
    node_state_text_put(&builder, "revertedWhy", record_sentence(arena, state->reverted_why));
    node_state_number_put(&builder, "served", state->has_served ? 1 : 0);
    node_state_number_put(&builder, "since", (uint64_t)state->since_ms);
    node_state_text_put(&builder, "stage", state->stage);
    node_state_text_put(&builder, "startFailure", record_sentence(arena, state->start_failure));
    node_state_text_put(&builder, "step", state->step);
    node_state_text_put(&builder, "took", state->took);
    node_state_text_put(&builder, "trustGiven", state->trust_given);
    node_state_number_put(&builder, "uncorrected", state->is_uncorrected ? 1 : 0);
    if (state->verified.verdict != NODE_VERDICT_NONE) {
        doc_builder_put(&builder, "verified", verified_format(arena, &state->verified));
        node_state_number_put(&builder, "verifiedAt", state->verified.at_ms);
    }
    node_state_text_put(&builder, "verifyJob", state->verify_job);
    node_state_text_put(&builder, "why", record_sentence(arena, state->why));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct text node_state_facts_format(struct arena *arena, const struct node_state_facts *items,
                                    size_t count)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        assert(record_is_plain(items[i].name));
        buf_printf(&buf, "%s\"%.*s\":", i == 0 ? "{" : ",\n ", TEXT_ARG(items[i].name));
        buf_add(&buf, items[i].facts);
    }
    buf_add_string(&buf, count == 0 ? "{}\n" : "}\n");
    return buf_text(&buf);
}

bool node_state_has_failure(const struct node_state *state)
{
    return text_is(state->step, NODE_STATE_FAILED) ||
           (text_is(state->step, NODE_STATE_BOOTSTRAPPED) && state->chain_failed.length > 0);
}

struct text node_state_once(struct arena *arena, const struct node_state *state, bool is_failed,
                            uint64_t from)
{
    struct text rest = state->once;
    struct buf buf;

    buf_init(&buf, arena);
    while (rest.length > 0) {
        size_t comma = text_find_byte(rest, ',');
        struct text one = text_slice(rest, 0, comma);
        int64_t number;

        if (text_parse_int64(text_slice(one, 0, text_find_byte(one, ' ')), &number) &&
            number >= 0 &&
            (is_failed ? node_state_has_failure(state) && (uint64_t)number == state->number
                       : (uint64_t)number >= from)) {
            buf_printf(&buf, "%sstage-%.*s", buf.length == 0 ? "" : ", ", TEXT_ARG(one));
        }
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
    return buf_text(&buf);
}

bool node_state_took_next(struct text *rest, struct node_took *out)
{
    while (rest->length > 0) {
        size_t comma = text_find_byte(*rest, ',');
        struct text one = text_slice(*rest, 0, comma);
        size_t first = text_find_byte(one, ' ');
        struct text behind = text_slice(one, first == SIZE_MAX ? one.length : first + 1, SIZE_MAX);
        size_t second = text_find_byte(behind, ' ');

        *rest = comma == SIZE_MAX ? TEXT("") : text_slice(*rest, comma + 1, SIZE_MAX);
        if (second != SIZE_MAX && text_parse_int64(text_slice(one, 0, first), &out->number) &&
            text_parse_int64(text_slice(behind, 0, second), &out->attempt) &&
            text_parse_int64(text_slice(behind, second + 1, SIZE_MAX), &out->ms)) {
            return true;
        }
    }
    return false;
}

static void took_put(struct doc_builder *builder, struct text rest)
{
    struct doc *items = arena_array(builder->arena, struct doc, rest.length + 1);
    struct node_took took;
    size_t count = 0;

    while (node_state_took_next(&rest, &took)) {
        struct doc_builder one;

        doc_builder_init(&one, builder->arena);
        doc_builder_put(&one, "attempt", doc_int(builder->arena, took.attempt, NULL));
        doc_builder_put(&one, "ms", doc_int(builder->arena, took.ms, NULL));
        doc_builder_put(&one, "number", doc_int(builder->arena, took.number, NULL));
        items[count++] = doc_builder_map(&one, NULL);
    }
    if (count > 0) {
        doc_builder_put(builder, "took", doc_list(items, count, NULL));
    }
}

/* ---- location of output ---- */

/* One entry of node_state.outputs. */
struct node_output {
    int64_t number;
    int64_t attempt;
    struct text manager;
};

/* Reads the next entry from *rest. Returns false if there is none. */
static bool node_output_next(struct text *rest, struct node_output *out)
{
    while (rest->length > 0) {
        size_t comma = text_find_byte(*rest, ',');
        struct text one = text_slice(*rest, 0, comma);
        size_t first = text_find_byte(one, ' ');
        struct text behind = text_slice(one, first == SIZE_MAX ? one.length : first + 1, SIZE_MAX);
        size_t second = text_find_byte(behind, ' ');

        *rest = comma == SIZE_MAX ? TEXT("") : text_slice(*rest, comma + 1, SIZE_MAX);
        if (second != SIZE_MAX && text_parse_int64(text_slice(one, 0, first), &out->number) &&
            text_parse_int64(text_slice(behind, 0, second), &out->attempt)) {
            out->manager = text_slice(behind, second + 1, SIZE_MAX);
            return true;
        }
    }
    return false;
}

struct text node_state_output_note(struct arena *arena, struct text outputs, uint64_t number,
                                   uint64_t attempt, struct text manager)
{
    struct node_output output;
    struct text rest = outputs;
    size_t count = 1;
    struct buf buf;

    while (node_output_next(&rest, &output)) {
        count += (uint64_t)output.number != number || (uint64_t)output.attempt != attempt;
    }
    buf_init(&buf, arena);
    rest = outputs;
    while (node_output_next(&rest, &output)) {
        if ((uint64_t)output.number == number && (uint64_t)output.attempt == attempt) {
            continue; /* another manager has taken over the output from its first byte */
        }
        if (count > NODE_OUTPUTS) {
            count--;
            continue;
        }
        buf_printf(&buf, "%lld %lld %.*s,", (long long)output.number, (long long)output.attempt,
                   TEXT_ARG(output.manager));
    }
    buf_printf(&buf, "%llu %llu %.*s", (unsigned long long)number, (unsigned long long)attempt,
               TEXT_ARG(manager));
    return buf_text(&buf);
}

static void outputs_put(struct doc_builder *builder, struct text rest)
{
    struct doc *items = arena_array(builder->arena, struct doc, rest.length + 1);
    struct node_output output;
    size_t count = 0;

    while (node_output_next(&rest, &output)) {
        struct doc_builder one;

        doc_builder_init(&one, builder->arena);
        doc_builder_put(&one, "attempt", doc_int(builder->arena, output.attempt, NULL));
        doc_builder_put(&one, "manager", doc_text(output.manager, NULL));
        doc_builder_put(&one, "stage", doc_int(builder->arena, output.number, NULL));
        items[count++] = doc_builder_map(&one, NULL);
    }
    if (count > 0) {
        doc_builder_put(builder, "outputs", doc_list(items, count, NULL));
    }
}

void node_state_unblock(struct node_state *state)
{
    if (state->blocked != NODES_CAUSE_NONE) {
        state->blocked = NODES_CAUSE_NONE;
        state->blocked_why = TEXT("");
        state->blocked_wall_ms = 0;
        state->retry_wall_ms = 0;
    }
}

struct doc node_state_show(struct arena *arena, const struct node_state *state)
{
    bool is_failed = node_state_has_failure(state);
    struct doc_builder builder;

    if (state->step.length == 0 && state->why.length == 0 && state->blocked == NODES_CAUSE_NONE) {
        return (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    if (is_failed || text_has_prefix(state->step, TEXT("stage-"))) {
        node_state_number_put(&builder, "attempt", state->attempt);
        doc_builder_put(&builder, "number", doc_int(arena, state->number, NULL));
        node_state_text_put(&builder, "stage", state->stage);
    }
    if (is_failed) {
        doc_builder_put(&builder, "code", doc_int(arena, state->code, NULL));
        node_state_text_put(&builder, "end", text_from(nodes_end_name(state->end)));
    }
    node_state_text_put(&builder, "blocked", text_from(nodes_cause_name(state->blocked)));
    node_state_text_put(&builder, "once", node_state_once(arena, state, false, 0));
    node_state_number_put(&builder, "retryAt", (uint64_t)state->retry_wall_ms);
    node_state_number_put(&builder, "since", (uint64_t)state->since_ms);
    node_state_text_put(&builder, "step", state->step);
    outputs_put(&builder, state->outputs);
    took_put(&builder, state->took);
    node_state_text_put(&builder, "why", state->why.length > 0 ? state->why : state->blocked_why);
    return doc_builder_map(&builder, NULL);
}

/* ---- parsing ---- */

static struct text node_state_word_of(const struct doc *map, const char *key)
{
    const struct doc *value = doc_child(map, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static uint64_t node_state_number_of(const struct doc *map, const char *key)
{
    int64_t number = 0;

    return text_parse_int64(node_state_word_of(map, key), &number) && number > 0 ? (uint64_t)number
                                                                                 : 0;
}

static enum nodes_end node_state_end_of(struct text word)
{
    for (enum nodes_end end = NODES_END_DONE; end < NODES_END_COUNT; end++) {
        if (text_is(word, nodes_end_name(end))) {
            return end;
        }
    }
    return NODES_END_FAILED; /* the field exists only after a failure */
}

static struct text facts_of(struct arena *arena, const struct doc *facts)
{
    struct buf buf;

    if (!doc_is_map(facts)) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, facts);
    return buf_text(&buf);
}

/* Parse the latest verification. A verdict of a newer version counts as unknown. */
static struct node_verified verified_parse(struct arena *arena, const struct doc *doc)
{
    const struct doc *map = doc_child(doc, "verified");
    const struct doc *files = doc_child(map, "files");
    struct node_verified out = { .verdict = NODE_VERDICT_NONE };
    struct buf buf;

    if (!doc_is_map(map)) {
        return out;
    }
    out.verdict = NODE_VERDICT_UNKNOWN;
    for (enum node_verdict verdict = NODE_VERDICT_SAME; verdict < NODE_VERDICT_COUNT; verdict++) {
        if (text_is(node_state_word_of(map, "verdict"), node_verdict_name(verdict))) {
            out.verdict = verdict;
        }
    }
    for (enum node_verify_cause cause = 0; cause < NODE_VERIFY_CAUSE_COUNT; cause++) {
        if (text_is(node_state_word_of(map, "cause"), node_verify_cause_name(cause))) {
            out.cause = cause;
        }
    }
    out.is_hook = text_is(node_state_word_of(map, "level"), "hook");
    out.is_deep = text_is(node_state_word_of(map, "level"), "deep");
    out.tasks = node_state_number_of(map, "tasks");
    out.judged = node_state_number_of(map, "judged");
    out.wall_ms = (int64_t)node_state_number_of(map, "at");
    out.since_ms = (int64_t)node_state_number_of(map, "since");
    out.at_ms = node_state_number_of(doc, "verifiedAt");
    out.why = node_state_word_of(map, "why");
    out.file_count = node_state_number_of(map, "more");
    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(files) && i < files->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : "\n", TEXT_ARG(files->items[i].text));
        out.file_count++;
    }
    out.files = buf_text(&buf);
    return out;
}

/* Parse the lifecycle. A reason of a newer version counts as drained. */
static struct node_lifecycle lifecycle_parse(const struct doc *doc)
{
    const struct doc *map = doc_child(doc, "lifecycle");
    struct text status = node_state_word_of(map, "status");
    struct text reason = node_state_word_of(map, "reason");
    struct node_lifecycle out = { .drain = NODE_DRAIN_NONE };

    if (!doc_is_map(map)) {
        return out;
    }
    out = (struct node_lifecycle){
        .drain = text_is(status, lifecycle_status_name(LIFECYCLE_STATUS_MAINTENANCE))
                     ? NODE_DRAIN_DONE
                     : NODE_DRAIN_NONE,
        .wall_ms = (int64_t)node_state_number_of(map, "since"),
        .at_ms = node_state_number_of(doc, "lifecycleAt"),
        .by = node_state_word_of(map, "by"),
        .why = node_state_word_of(map, "why"),
        .blocker = node_state_word_of(map, "blocker"),
        .job = node_state_word_of(doc, "lifecycleJob"),
    };
    for (enum node_drain drain = NODE_DRAIN_BEGUN; drain < NODE_DRAIN_COUNT; drain++) {
        if (out.drain != NODE_DRAIN_NONE && text_is(reason, node_drain_name(drain))) {
            out.drain = drain;
        }
    }
    return out;
}

struct node_hook node_hook_parse(struct arena *arena, const struct doc *map)
{
    struct text bundle = node_state_word_of(map, "bundle");
    size_t colon = text_find_byte(bundle, ':');

    return colon == SIZE_MAX ? (struct node_hook){ 0 }
                             : (struct node_hook){
                                   .digest = text_slice(bundle, colon + 1, SIZE_MAX),
                                   .playbook = node_state_word_of(map, "playbook"),
                                   .timeout_ms = node_state_number_of(map, "timeout"),
                                   .vars = facts_of(arena, doc_child(map, "vars")),
                                   .lacks_vars = node_state_number_of(map, "lacksVars") > 0,
                               };
}

static enum node_adoption adoption_parse(const struct doc *doc)
{
    uint64_t number = node_state_number_of(doc, "adoption");

    return number <= NODE_ADOPTION_DONE ? (enum node_adoption)number : NODE_ADOPTION_NONE;
}

bool node_state_parse(struct arena *arena, struct text bytes, struct node_state *out,
                      struct err *err)
{
    const struct doc *keys;
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err) || !doc_is_map(&doc)) {
        return err_set(err, CODE_R0554, "the stored state of a node cannot be read");
    }
    keys = doc_child(&doc, "keys");
    *out = (struct node_state){
        .keys = { .host = node_state_word_of(keys, "host"),
                  .root = node_state_word_of(keys, "root"),
                  .user = node_state_word_of(keys, "user") },
        .marked = node_state_word_of(&doc, "marked"),
        .name = node_state_word_of(&doc, "name"),
        .host_key = node_state_number_of(&doc, "hostKey"),
        .trust_given = node_state_word_of(&doc, "trustGiven"),
        .renew_ms = node_state_number_of(&doc, "renew"),
        .facts = facts_of(arena, doc_child(&doc, "facts")),
        .facts_given = node_state_word_of(&doc, "factsGiven"),
        .chain_done = node_state_word_of(&doc, "chainDone"),
        .chain_failed = node_state_word_of(&doc, "chainFailed"),
        .adoption = adoption_parse(&doc),
        .has_served = node_state_number_of(&doc, "served") > 0,
        .was_maintained = node_state_number_of(&doc, "maintained") > 0,
        .rerun = node_state_number_of(&doc, "rerun"),
        .job = node_state_word_of(&doc, "job"),
        .retry = node_state_word_of(&doc, "retry"),
        .end = node_state_end_of(node_state_word_of(&doc, "end")),
        .start_failure = node_state_word_of(&doc, "startFailure"),
        .step = node_state_word_of(&doc, "step"),
        .why = node_state_word_of(&doc, "why"),
        .stage = node_state_word_of(&doc, "stage"),
        .number = (uint32_t)node_state_number_of(&doc, "number"),
        .attempt = (uint32_t)node_state_number_of(&doc, "attempt"),
        .code = (int)node_state_number_of(&doc, "code"),
        .once = node_state_word_of(&doc, "once"),
        .took = node_state_word_of(&doc, "took"),
        .outputs = node_state_word_of(&doc, "outputs"),
        .since_ms = (int64_t)node_state_number_of(&doc, "since"),
        .is_operators = node_state_number_of(&doc, "operators") > 0,
        .leaving_ms = node_state_number_of(&doc, "leaving"),
        .is_released = node_state_number_of(&doc, "released") > 0,
        .retry_wall_ms = (int64_t)node_state_number_of(&doc, "retryAt"),
        .blocked = nodes_cause_find(node_state_word_of(&doc, "blocked")),
        .blocked_why = node_state_word_of(&doc, "blockedWhy"),
        .blocked_wall_ms = (int64_t)node_state_number_of(&doc, "blockedSince"),
        .baseline = node_state_word_of(&doc, "baseline"),
        .boot = node_state_word_of(&doc, "boot"),
        .verified = verified_parse(arena, &doc),
        .verify_job = node_state_word_of(&doc, "verifyJob"),
        .is_uncorrected = node_state_number_of(&doc, "uncorrected") > 0,
        .is_away = node_state_number_of(&doc, "away") > 0,
        .cleanup = (uint32_t)node_state_number_of(&doc, "cleanup"),
        .cleanup_ms = node_state_number_of(&doc, "cleanupMs"),
        .is_cleaned = node_state_number_of(&doc, "cleaned") > 0,
        .cleanup_hook = node_hook_parse(arena, doc_child(&doc, "cleanupHook")),
        .cleanup_failure = node_state_word_of(&doc, "cleanupFailure"),
        .archive_done = node_state_word_of(&doc, "archiveDone"),
        .reverted = node_state_word_of(&doc, "reverted"),
        .reverted_why = node_state_word_of(&doc, "revertedWhy"),
        .leaves = node_state_word_of(&doc, "leaves"),
        .lifecycle = lifecycle_parse(&doc),
    };
    return true;
}

void node_state_failure_put(struct doc_builder *builder, const struct node_state *state)
{
    struct arena *arena = builder->arena;
    struct text why = record_sentence(arena, state->why);
    struct node_state shown = *state;
    struct text what =
        why.length > 0 ? why : arena_printf(arena, "exit code %d, without any output", state->code);

    shown.why = why;
    doc_builder_put(builder, "node", node_state_show(arena, &shown));
    doc_builder_put(builder, "text",
                    doc_text(arena_printf(arena, "stage-%u %.*s: %.*s", state->number,
                                          TEXT_ARG(state->stage), TEXT_ARG(what)),
                             NULL));
    doc_builder_put(builder, "tries", doc_int(arena, (int64_t)state->attempt, NULL));
}

uint64_t node_state_host_key(struct text host_key)
{
    /* The value has 63 bits, so that it fits into a JSON number. */
    return host_key.length == 0 ? 0 : (text_hash(host_key, 1) >> 1) | 1;
}

struct node_state node_state_copy(struct arena *arena, const struct node_state *state)
{
    struct node_state copy = *state;
    struct text *texts[] = {
        &copy.name,
        &copy.keys.name,
        &copy.keys.host,
        &copy.keys.root,
        &copy.keys.user,
        &copy.trust_given,
        &copy.facts,
        &copy.facts_given,
        &copy.chain_done,
        &copy.chain_failed,
        &copy.step,
        &copy.why,
        &copy.stage,
        &copy.once,
        &copy.took,
        &copy.outputs,
        &copy.retry,
        &copy.marked,
        &copy.job,
        &copy.blocked_why,
        &copy.baseline,
        &copy.boot,
        &copy.verify_job,
        &copy.verified.files,
        &copy.verified.why,
        &copy.lifecycle.by,
        &copy.lifecycle.why,
        &copy.lifecycle.blocker,
        &copy.lifecycle.job,
        &copy.start_failure,
        &copy.cleanup_failure,
        &copy.archive_done,
        &copy.reverted,
        &copy.reverted_why,
        &copy.leaves,
        &copy.cleanup_hook.digest,
        &copy.cleanup_hook.playbook,
        &copy.cleanup_hook.vars,
    };

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        *texts[i] = texts[i]->length == 0 ? TEXT("") : arena_text(arena, *texts[i]);
    }
    return copy;
}
