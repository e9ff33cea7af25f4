/* reeve why: shows the rule and the facts that led to a decision. With --replay it shows whether
 * the decision would be the same now. */
#include "base/macros.h"
#include "cli/args/when.h"
#include "cli/manager/kept.h"
#include "cli/manager/listing.h"
#include "cli/manager/nodes.h"
#include "cli/manager/replay.h"
#include "cli/read/why_waits.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/nest.h"

#include <string.h>

/* The subject of the question. */
struct asked {
    struct text cluster;
    struct text name; /* name of a node, or path of a group; empty: the cluster itself */
    struct text hold; /* [GROUP:]RULE */
    struct text event;
    uint64_t job;
};

struct asking {
    struct command *command;
    struct session session;
    struct asked asked;
};

/* ---- the subject ---- */

/* Read event/shop/17. */
static bool why_event_read(struct command *command, struct text word, struct asked *out)
{
    size_t slash = text_find_byte(word, '/');
    int64_t number = 0;

    out->cluster = text_slice(word, 0, slash);
    out->event = text_slice(word, out->cluster.length + 1, word.length);
    return (text_parse_int64(out->event, &number) && number > 0) ||
           kept_refuse(command, command->args.words[0], "event/CLUSTER/NUMBER");
}

static bool why_hold_read(struct command *command, const char *word, struct asked *out)
{
    struct text rule = TEXT("");
    struct target target;
    struct text group;

    if (!kept_hold_read(command, word, &target, &rule)) {
        return false;
    }
    out->cluster = target_cluster(&target);
    group = text_slice(target.name, out->cluster.length + 1, target.name.length);
    out->hold = group.length == 0
                    ? rule
                    : arena_printf(command->arena, "%.*s:%.*s", TEXT_ARG(group), TEXT_ARG(rule));
    return true;
}

static bool job_read(struct command *command, struct text word, struct asked *out)
{
    return kept_job_number(word, &out->job) ||
           kept_refuse(command, command->args.words[0], "job/NUMBER, as listed by reeve get jobs");
}

/* Read a name without a kind: a node, if one cluster has a node with this name, or else a
 * cluster. */
static bool bare_read(struct asking *asking, struct text word)
{
    struct command *command = asking->command;
    struct listing nodes;
    struct buf others;

    if (!listing_get(command, &asking->session, schema_kind_find(TEXT("Resource")), TEXT(""),
                     &nodes)) {
        return false;
    }
    asking->asked.cluster = word;
    buf_init(&others, command->arena);
    for (size_t i = 0; i < nodes.count; i++) {
        struct text cluster = listing_text(&nodes.items[i], "metadata", "cluster");

        if (!text_is_equal(listing_text(&nodes.items[i], "metadata", "name"), word)) {
            continue;
        }
        if (asking->asked.name.length > 0 && !text_is_equal(asking->asked.cluster, cluster)) {
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                         "'%.*s' is a node of several clusters: %.*s/%.*s, %.*s/%.*s",
                         TEXT_ARG(word), TEXT_ARG(asking->asked.cluster), TEXT_ARG(word),
                         TEXT_ARG(cluster), TEXT_ARG(word));
            return false;
        }
        asking->asked.cluster = cluster;
        asking->asked.name = word;
    }
    return true;
}

/* Read a subject: shop/web-0, node/shop/web-0, cluster/shop, nodegroup/shop/web, hold/...,
 * event/... */
static bool asked_read(struct asking *asking)
{
    struct command *command = asking->command;
    const struct args *args = &command->args;
    struct text word = args->argument_count == 1
                           ? text_from(args->words[0])
                           : arena_printf(command->arena, "%s/%s", args->words[0], args->words[1]);
    size_t slash = text_find_byte(word, '/');
    struct text first = text_slice(word, 0, slash);
    const struct schema_kind *kind = schema_kind_of_word(first);

    if (slash != SIZE_MAX && (kind != NULL || text_is(first, "node") || text_is(first, "event"))) {
        struct text rest = text_slice(word, slash + 1, word.length);

        if (text_is(first, "event") || text_is(first, "ev")) {
            return why_event_read(command, rest, &asking->asked);
        }
        if (kind != NULL && text_is(text_from(kind->name), "Hold")) {
            return why_hold_read(command, arena_string(command->arena, rest), &asking->asked);
        }
        if (kind != NULL && strcmp(kind->name, "Job") == 0) {
            return job_read(command, rest, &asking->asked);
        }
        word = rest;
        slash = text_find_byte(word, '/');
        if (slash == SIZE_MAX) {
            asking->asked.cluster = word;
            return true;
        }
    }
    if (word.length == 0 || slash == 0) {
        return kept_refuse(command, args->words[0],
                           "CLUSTER/NODE, or another form that reeve why --help lists");
    }
    if (slash == SIZE_MAX) {
        return bare_read(asking, word);
    }
    asking->asked.cluster = text_slice(word, 0, slash);
    asking->asked.name = text_slice(word, slash + 1, word.length);
    return true;
}

/* ---- asking ---- */

static bool why_get(struct asking *asking, struct doc *out)
{
    const struct asked *asked = &asking->asked;
    struct buf path;

    buf_init(&path, asking->command->arena);
    buf_add_string(&path, "/v1/why?cluster=");
    client_path_add(&path, asked->cluster);
    if (asked->hold.length > 0) {
        buf_add_string(&path, "&hold=");
        client_path_add(&path, asked->hold);
    } else if (asked->event.length > 0) {
        buf_add_string(&path, "&event=");
        client_path_add(&path, asked->event);
    } else if (asked->name.length > 0) {
        buf_add_string(&path, "&name=");
        client_path_add(&path, asked->name);
        buf_add_string(&path,
                       args_has(&asking->command->args, FLAG_WHY_PREVIOUS) ? "&previous=1" : "");
    }
    return session_get(asking->command, &asking->session, buf_text(&path), out);
}

/* ---- for users ---- */

enum { TITLE_COLUMNS = 8 };

static void why_line_write(struct command *command, const char *title, struct text value)
{
    if (value.length > 0) {
        buf_printf(&command->out, "  %-*s ", TITLE_COLUMNS, title);
        glyph_write_text(&command->out, value);
        buf_add_string(&command->out, "\n");
    }
}

/* Format the most important fields of an input, or all of them with -v. */
static struct text input_format(struct command *command, const struct doc *input,
                                const char *const *names, size_t count)
{
    struct doc_builder builder;
    struct doc some;
    struct text all;

    if (command_is_verbose(command)) {
        all = flow_format(command->arena, input);
    } else {
        doc_builder_init(&builder, command->arena);
        for (size_t i = 0; i < count; i++) {
            const struct doc *value = doc_child(input, names[i]);

            if (doc_is_present(value)) {
                doc_builder_put(&builder, names[i], *value);
            }
        }
        some = doc_builder_map(&builder, NULL);
        all = flow_format(command->arena, &some);
    }
    return all.length <= 2 ? TEXT("") : text_slice(all, 1, all.length - 2); /* cut off the braces */
}

static void inputs_write(struct command *command, const struct doc *inputs)
{
    static const char *const record[] = { "state",     "id",        "created",  "active",
                                          "condemned", "absence",   "lookup",   "lookupSeen",
                                          "fault",     "refusals",  "failures", "losses",
                                          "doubt",     "callAfter", "protected" };
    static const char *const listed[] = { "id", "state", "verified", "oldIncarnation" };
    static const char *const group[] = { "size",      "minSize", "maxSize",      "heal",
                                         "protected", "paused",  "rollout",      "pick",
                                         "surge",     "batch",   "brakeApproved" };
    static const char *const source[] = { "name",         "complete", "problem",
                                          "unheardSince", "missing",  "unpinned" };
    static const char *const members[] = { "active", "creating", "leaving", "listed", "running" };
    static const char *const sighted[] = { "seen", "spared" };
    static const char *const cluster[] = { "paused",        "gone",      "deleting",
                                           "brakeApproved", "destroyed", "incarnationSince" };
    static const struct {
        const char *name;
        const char *const *fields;
        size_t count;
    } parts[] = {
        { "record", record, ARRAY_COUNT(record) },    { "listed", listed, ARRAY_COUNT(listed) },
        { "sighted", sighted, ARRAY_COUNT(sighted) }, { "group", group, ARRAY_COUNT(group) },
        { "members", members, ARRAY_COUNT(members) }, { "source", source, ARRAY_COUNT(source) },
        { "cluster", cluster, ARRAY_COUNT(cluster) },
    };
    const struct doc *limits = doc_child(inputs, "limits");

    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        const struct doc *input = doc_child(inputs, parts[i].name);

        if (doc_is_map(input)) {
            why_line_write(command, parts[i].name,
                           input_format(command, input, parts[i].fields, parts[i].count));
        }
    }
    if (doc_is_map(limits)) {
        struct text all = flow_format(command->arena, limits);

        why_line_write(command, "limits", text_slice(all, 1, all.length - 2));
    }
}

/* True if the steps name several nodes. Steps of the cluster name none. */
static bool has_several_nodes(const struct doc *steps)
{
    struct text first = TEXT("");

    for (size_t i = 0; i < steps->item_count; i++) {
        struct text node = doc_child_text(&steps->items[i], "node");

        if (first.length > 0 && node.length > 0 && !text_is_equal(node, first)) {
            return true;
        }
        first = first.length == 0 ? node : first;
    }
    return false;
}

static void steps_write(struct command *command, const struct doc *steps)
{
    bool has_nodes = has_several_nodes(steps);

    for (size_t i = 0; i < steps->item_count; i++) {
        const struct doc *step = &steps->items[i];
        struct text rule = doc_child_text(step, "rule");
        struct text fact = doc_child_text(step, "fact");
        struct text why = doc_child_text(step, "why");
        struct text pass = doc_child_text(step, "pass");
        struct text node = has_nodes ? doc_child_text(step, "node") : TEXT("");

        why_line_write(
            command, i == 0 ? "steps" : "",
            arena_printf(command->arena, "%.*s  %.*s%s%.*s%s%.*s%s%.*s%s%.*s%s%.*s",
                         TEXT_ARG(when_format(command, doc_child_text(step, "time"))),
                         TEXT_ARG(doc_child_text(step, "type")), node.length > 0 ? "  " : "",
                         TEXT_ARG(node), rule.length > 0 ? "  " : "", TEXT_ARG(rule),
                         fact.length > 0 ? ": " : "", TEXT_ARG(fact), why.length > 0 ? "  " : "",
                         TEXT_ARG(why), pass.length > 0 ? "  pass " : "", TEXT_ARG(pass)));
    }
}

/* Write a provider's report about machines, and their number. */
static void write_statement(struct command *command, const struct doc *said)
{
    for (size_t i = 0; doc_is_list(said) && i < said->item_count; i++) {
        int64_t more = doc_child_number(&said->items[i], "count") - 1;
        struct text node = doc_child_text(&said->items[i], "node");
        struct text others =
            more > 0 ? arena_printf(command->arena, " and %lld more", (long long)more) : TEXT("");

        why_line_write(command, i == 0 ? "said" : "",
                       arena_printf(command->arena, "%.*s%.*s: %.*s", TEXT_ARG(node),
                                    TEXT_ARG(others),
                                    TEXT_ARG(doc_child_text(&said->items[i], "text"))));
    }
}

/* Write why a member waits for its rollout slot or its batch. */
static void slot_write(struct command *command, const struct doc *slot)
{
    if (!doc_is_map(slot)) {
        return;
    }
    why_line_write(command, "slot",
                   arena_printf(command->arena, "the %sstages wait for %.*s (job/%.*s, %.*s)",
                                doc_child_text(slot, "verb").length > 0 ? "" : "changed ",
                                TEXT_ARG(doc_child_text(slot, "waitsFor")),
                                TEXT_ARG(doc_child_text(slot, "job")),
                                TEXT_ARG(when_format(command, doc_child_text(slot, "since")))));
    why_line_write(command, "then", doc_child_text(slot, "next"));
}

/* Write the present state of a node: "failed, outdated: stage-0 base: no such package (exit 3)". */
static void state_write(struct command *command, const struct doc *node)
{
    struct doc status;
    struct doc shown;
    struct text step;
    struct text cause;

    if (!doc_is_map(node)) {
        return;
    }
    status = doc_map(NULL, 0, NULL);
    shown = nest_put(command->arena, &status, "status", *node);
    step = nodes_step(command, &shown);
    cause = doc_child_text(node, "cause");
    why_line_write(command, "state",
                   arena_printf(command->arena, "%s%s%s%.*s%s%.*s", nodes_state(&shown),
                                nodes_is_outdated(&shown) ? ", outdated" : "",
                                cause.length > 0 ? ": " : "", TEXT_ARG(cause),
                                step.length > 0 ? ": " : "", TEXT_ARG(step)));
}

/* Write the next step for the node, and the action that helps. */
static void why_problem_write(struct command *command, const struct doc *node)
{
    const struct doc *problem = doc_child(node, "problem");
    struct text at = doc_child_text(problem, "nextAt");

    if (!doc_is_map(problem)) {
        return;
    }
    why_line_write(command, "next",
                   arena_printf(command->arena, "%.*s%s%.*s",
                                TEXT_ARG(doc_child_text(problem, "next")),
                                at.length > 0 ? ", at " : "", TEXT_ARG(at)));
    why_line_write(command, "hint", doc_child_text(problem, "hint"));
}

static void why_write(struct command *command, const struct doc *why)
{
    struct text subject = doc_child_text(why, "subject");
    struct text act = doc_child_text(why, "act");
    struct text rule = doc_child_text(why, "rule");
    /* only rules of the planner have a description */
    struct text description = doc_child_text(why, "description");
    struct text pass = doc_child_text(why, "pass");
    bool is_kept = text_is(doc_child_text(why, "kept"), "true");
    const struct doc *inputs = doc_child(why, "inputs");
    const struct doc *steps = doc_child(why, "steps");

    style_on(&command->out_style, &command->out, STYLE_STRONG);
    glyph_write_text(&command->out, subject);
    style_off(&command->out_style, &command->out);
    buf_printf(&command->out, "  %.*s, by %.*s\n",
               TEXT_ARG(act.length > 0 ? act : doc_child_text(why, "type")),
               TEXT_ARG(doc_child_text(why, "actor")));
    state_write(command, doc_child(why, "machine"));
    why_problem_write(command, doc_child(why, "machine"));
    why_line_write(command, "rule",
                   description.length == 0 ? rule
                                           : arena_printf(command->arena, "%.*s: %.*s",
                                                          TEXT_ARG(rule), TEXT_ARG(description)));
    why_line_write(command, "fact", doc_child_text(why, "fact"));
    write_statement(command, doc_child(why, "refusals"));
    why_line_write(command, "do", doc_child_text(why, "advice"));
    slot_write(command, doc_child(why, "slot"));
    why_line_write(command, "waits for", why_role_words(command->arena, doc_child(why, "machine")));
    why_line_write(command, "why",
                   /* without a rule, the message of a user is shown */
                   rule.length == 0 ? doc_child_text(why, "why") : TEXT(""));
    if (pass.length > 0) {
        struct text revision = doc_child_text(why, "revision");

        why_line_write(command, "pass",
                       arena_printf(command->arena, "%.*s%s%.*s  %.*s%s", TEXT_ARG(pass),
                                    revision.length > 0 ? ", on revision " : "", TEXT_ARG(revision),
                                    TEXT_ARG(when_format(command, doc_child_text(why, "time"))),
                                    is_kept ? "" : "  (its input is not stored)"));
    }
    if (doc_is_map(inputs)) {
        inputs_write(command, inputs);
    }
    if (doc_is_list(steps) && steps->item_count > 1) {
        steps_write(command, steps);
    }
    if (is_kept) {
        why_line_write(
            command, "next",
            arena_printf(command->arena, "%s why %.*s --replay%s", command->program,
                         TEXT_ARG(subject),
                         args_has(&command->args, FLAG_WHY_PREVIOUS) ? " --previous" : ""));
    }
    if (text_is(doc_child_text(why, "hasPrevious"), "true")) {
        why_line_write(
            command, "before",
            arena_printf(command->arena,
                         "%s why %.*s --previous shows why the previous machine was destroyed",
                         command->program, TEXT_ARG(subject)));
    }
}

static void doc_write(struct command *command, const struct doc *doc)
{
    if (command_output_is(command, "yaml")) {
        yaml_format(&command->out, doc);
    } else {
        json_format_pretty(&command->out, doc);
    }
}

static bool is_why_for_programs(struct command *command)
{
    return command_output_is(command, "json") || command_output_is(command, "yaml");
}

/* ---- deciding again ---- */

struct replaying {
    struct asking *asking;
    struct doc *items;
    size_t count;
    size_t same;
    size_t missing; /* number of passes whose record was dropped or never written */
};

static struct doc replay_doc(struct arena *arena, const struct replay *replay)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actions", doc_int(arena, replay->head.actions, NULL));
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)replay->decision_bytes, NULL));
    doc_builder_put(&builder, "holds", doc_int(arena, replay->head.holds, NULL));
    doc_builder_put(&builder, "pass", doc_int(arena, (int64_t)replay->head.number, NULL));
    doc_builder_put(&builder, "same", doc_bool(replay->is_same, NULL));
    if (!replay->is_same) {
        doc_builder_put(&builder, "now", doc_text(arena_text(arena, replay->now), NULL));
        doc_builder_put(&builder, "was", doc_text(arena_text(arena, replay->was), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

static void replay_write(struct command *command, const struct replay *replay)
{
    buf_printf(&command->out, "pass %llu: %s  (%u action%s, %u hold%s, %zu bytes)\n",
               (unsigned long long)replay->head.number,
               replay->is_same ? "same decision" : "decision differs", replay->head.actions,
               TEXT_PLURAL(replay->head.actions), replay->head.holds,
               TEXT_PLURAL(replay->head.holds), replay->decision_bytes);
    if (!replay->is_same) {
        why_line_write(command, "then",
                       replay->was.length > 0 ? replay->was : TEXT("nothing more"));
        why_line_write(command, "now", replay->now.length > 0 ? replay->now : TEXT("nothing more"));
    }
}

/* True if the only new error is that the pass has no record. When all passes are replayed, passes
 * without a record are counted. */
static bool is_why_missing(const struct err_list *errors, size_t before)
{
    return errors->errors == before + 1 && errors->items[errors->count - 1].code == CODE_R0435;
}

/* Replay one pass in a separate arena, because passes may be many and large. */
static bool replay_one(struct replaying *replaying, int64_t number, bool is_one_of_many)
{
    struct command *command = replaying->asking->command;
    AUTO(arena) scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct command inner = *command;
    struct replay replay;

    inner.arena = scratch;
    if (!replay_pass(&inner, &replaying->asking->session, replaying->asking->asked.cluster, number,
                     &replay)) {
        if (is_one_of_many && is_why_missing(&inner.errors, command->errors.errors)) {
            replaying->missing++;
            return true;
        }
        command->errors = inner.errors;
        return false;
    }
    replaying->items[replaying->count++] = replay_doc(command->arena, &replay);
    replaying->same += replay.is_same;
    if (!is_why_for_programs(command) &&
        (!is_one_of_many || !replay.is_same || command_is_verbose(command))) {
        replay_write(command, &replay);
    }
    return true;
}

static enum exit_code replays_end(struct replaying *replaying)
{
    struct command *command = replaying->asking->command;

    if (is_why_for_programs(command)) {
        struct doc_builder builder;
        struct doc all;

        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "missing",
                        doc_int(command->arena, (int64_t)replaying->missing, NULL));
        doc_builder_put(&builder, "passes", doc_list(replaying->items, replaying->count, NULL));
        doc_builder_put(&builder, "same", doc_bool(replaying->same == replaying->count, NULL));
        all = doc_builder_map(&builder, NULL);
        doc_write(command, &all);
    }
    if (replaying->same < replaying->count) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0559,
                                       "%zu of %zu decisions differ",
                                       replaying->count - replaying->same, replaying->count);

        (void)!err_hint(err, "reeve explain R0559");
        return EXIT_CODE_FAILED;
    }
    return EXIT_CODE_DONE;
}

static enum exit_code replay_all(struct asking *asking)
{
    struct command *command = asking->command;
    struct replaying replaying = { .asking = asking };
    const struct doc *items;
    struct doc passes;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/passes?cluster=");
    client_path_add(&path, asking->asked.cluster);
    if (!session_get(command, &asking->session, buf_text(&path), &passes)) {
        return EXIT_CODE_FAILED;
    }
    items = doc_child(&passes, "items");
    replaying.items = arena_array(command->arena, struct doc, doc_child_count(&passes, "items"));
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (!replay_one(&replaying, doc_child_number(&items->items[i], "pass"), true)) {
            return EXIT_CODE_FAILED;
        }
    }
    if (!is_why_for_programs(command)) {
        buf_printf(&command->out, "%zu decision%s of %.*s replayed: %zu with the same result",
                   replaying.count, TEXT_PLURAL(replaying.count), TEXT_ARG(asking->asked.cluster),
                   replaying.same);
        if (replaying.missing > 0) {
            buf_printf(&command->out, ", %zu not stored", replaying.missing);
        }
        buf_add_string(&command->out, "\n");
    }
    return replays_end(&replaying);
}

static enum exit_code replay_subject(struct asking *asking, const struct doc *why)
{
    struct command *command = asking->command;
    struct replaying replaying = { .asking = asking,
                                   .items = arena_one(command->arena, struct doc) };
    int64_t number = doc_child_number(why, "pass");

    if (number == 0) {
        struct err *err =
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0434,
                         "this state does not result from a decision of a reconcile pass");

        (void)!err_hint(err, "use reeve why without --replay");
        return EXIT_CODE_NOT_FOUND;
    }
    if (!replay_one(&replaying, number, false)) {
        return EXIT_CODE_FAILED;
    }
    return replays_end(&replaying);
}

/* Report on a job. A job has no decisions, so this reports why its clusters wait. */
static enum exit_code why_job_report(struct asking *asking)
{
    struct command *command = asking->command;
    struct doc reported;

    if (args_has(&command->args, FLAG_WHY_REPLAY)) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "a job makes no decisions that could be replayed"),
                 "name its cluster: reeve why CLUSTER --replay");
        return EXIT_CODE_USAGE;
    }
    if (!why_job(command, &asking->session, asking->asked.job, !is_why_for_programs(command),
                 &reported)) {
        return EXIT_CODE_FAILED;
    }
    if (is_why_for_programs(command)) {
        doc_write(command, &reported);
    }
    return EXIT_CODE_DONE;
}

/* True if the node waits for its rollout slot, so that the holds of its group block it. */
static bool is_why_outdated(struct command *command, const struct doc *node)
{
    struct doc status = doc_map(NULL, 0, NULL);
    struct doc shown;

    if (!doc_is_map(node)) {
        return false;
    }
    shown = nest_put(command->arena, &status, "status", *node);
    return nodes_is_outdated(&shown);
}

/* Report on a cluster or a group: its holds come before the last decision. The holds also come
 * first for a node that waits to be replaced, or to run changed stages. */
static bool why_report(struct asking *asking, const struct doc *why)
{
    struct command *command = asking->command;
    const struct asked *asked = &asking->asked;
    bool is_of_machine = text_is_equal(doc_child_text(why, "node"), asked->name) ||
                         text_is_equal(doc_child_text(why, "token"), asked->name) ||
                         text_is_equal(doc_child_text(why, "id"), asked->name);
    bool is_place = asked->hold.length == 0 && asked->event.length == 0 &&
                    (asked->name.length == 0 || !is_of_machine);
    const struct doc *node = doc_child(why, "machine");
    bool waits = !is_place && asked->hold.length == 0 && asked->event.length == 0 &&
                 is_why_outdated(command, node);
    struct doc all = *why;
    struct doc holds;

    if (is_place || waits) {
        if (!why_holds(command, &asking->session, asked->cluster,
                       waits ? doc_child_text(why, "group") : asked->name,
                       !is_why_for_programs(command), &holds)) {
            return false;
        }
        all = nest_put(command->arena, why, "holds", holds);
    }
    if (is_why_for_programs(command)) {
        doc_write(command, &all);
    } else {
        why_write(command, why);
    }
    return true;
}

static enum exit_code why_answer(struct asking *asking)
{
    struct command *command = asking->command;
    const struct args *args = &command->args;
    struct doc why;

    if (!session_open(command, &asking->session) || !asked_read(asking)) {
        return EXIT_CODE_USAGE;
    }
    if (asking->asked.job > 0) {
        return why_job_report(asking);
    }
    if (args_has(args, FLAG_WHY_ALL)) {
        return replay_all(asking);
    }
    if (!why_get(asking, &why)) {
        return EXIT_CODE_FAILED;
    }
    if (args_has(args, FLAG_WHY_REPLAY)) {
        return replay_subject(asking, &why);
    }
    return why_report(asking, &why) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

enum exit_code verb_why(struct command *command)
{
    struct asking asking = { .command = command };
    const struct args *args = &command->args;
    enum exit_code code;

    if (args_has(args, FLAG_WHY_ALL) && !args_has(args, FLAG_WHY_REPLAY)) {
        struct err *err =
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "--all needs --replay");

        (void)!err_hint(err, "use: reeve %s", args->verb->synopsis);
        return EXIT_CODE_USAGE;
    }
    code = why_answer(&asking);
    if (!is_why_for_programs(command)) {
        command_fold(command, 0);
    }
    return code;
}
