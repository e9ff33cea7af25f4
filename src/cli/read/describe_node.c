#include "base/time.h"
#include "cli/args/when.h"
#include "cli/manager/nodes.h"
#include "cli/read/describe_parts.h"
#include "cli/read/why_waits.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "plan/compute.h"
#include "ssh/host_key.h"

#include <string.h>

static void describe_node_line_write(struct command *command, const char *title, struct text value)
{
    if (value.length > 0) {
        buf_printf(&command->out, "%-10s ", title);
        glyph_write_text(&command->out, value);
        buf_add_string(&command->out, "\n");
    }
}

/* Return a text for the rule that led to the state. */
static struct text because(struct command *command, struct text rule)
{
    for (int i = 0; i < PLAN_RULE_COUNT; i++) {
        if (text_is(rule, plan_rule_name((enum plan_rule)i))) {
            return arena_printf(command->arena, "%.*s: %s", TEXT_ARG(rule),
                                plan_rule_text((enum plan_rule)i));
        }
    }
    return rule;
}

/* Return the request to the provider that has no answer yet, as text. */
static const char *under_way(const struct doc *status)
{
    struct text state = doc_child_text(status, "state");
    bool is_answered = text_is(doc_child_text(status, "answered"), "true");

    if (text_is(state, "create")) {
        return doc_child_text(status, "fault").length > 0
                   ? "nothing: the provider refused the creation, and reeve waits before the next try"
               : doc_child_text(status, "id").length > 0
                   ? "create: answered, but the machine is not in the listing of the provider yet"
               : is_answered ? ""
                             : "create: the provider has not answered yet";
    }
    if (text_is(state, "delete")) {
        return is_answered ? "terminate: answered, the record is removed next"
                           : "terminate: repeated until the provider answers";
    }
    return "";
}

static struct text describe_node_age_format(struct command *command, const struct doc *status,
                                            const char *field)
{
    int64_t moment_ms = nodes_moment(status, field);
    char *time = arena_alloc(command->arena, TIME_TEXT_BYTES);

    if (moment_ms <= 0) {
        return TEXT("");
    }
    time_format(moment_ms, time);
    return when_format(command, text_from(time));
}

/* Format the login user. Empty: unknown. */
static struct text login_format(struct command *command, const struct doc *status)
{
    struct text user = doc_child_text(status, "user");
    struct text port = doc_child_text(status, "port");

    return user.length == 0 ? TEXT("")
                            : arena_printf(command->arena, "%.*s@%.*s%s%.*s", TEXT_ARG(user),
                                           TEXT_ARG(doc_child_text(status, "address")),
                                           port.length > 0 ? " port " : "", TEXT_ARG(port));
}

static struct text slot_format(struct command *command, const struct doc *status)
{
    return arena_printf(command->arena, "%lld", (long long)doc_child_number(status, "slot"));
}

/* Write one signal: the state that the provider or the probe reports, and since when. */
static void signal_write(struct command *command, const char *name, const char *word,
                         struct text since, struct text cause)
{
    describe_node_line_write(command, name,
                             arena_printf(command->arena, "%s%s%.*s%s%.*s", word,
                                          since.length > 0 ? ", since " : "", TEXT_ARG(since),
                                          cause.length > 0 ? ": " : "", TEXT_ARG(cause)));
}

/* Return the step at which the probe began to get answers. NULL: none of the shown steps. */
static const struct doc *answer_find(const struct doc *steps)
{
    for (size_t i = doc_is_list(steps) ? steps->item_count : 0; i > 0; i--) {
        struct text type = doc_child_text(&steps->items[i - 1], "type");

        if ((text_is(type, "machine.ready") || text_is(type, "machine.healthy")) &&
            text_is(doc_child_text(&steps->items[i - 1], "rule"), "probe")) {
            return &steps->items[i - 1];
        }
    }
    return NULL;
}

static void health_write(struct command *command, const struct doc *status, const struct doc *steps)
{
    const struct doc *answer = answer_find(steps);
    struct text cause = doc_child_text(status, "cause");

    if (!text_is(doc_child_text(status, "state"), "active")) {
        return;
    }
    signal_write(command, "provider", "reports that the machine runs",
                 describe_node_age_format(command, status, "active"), TEXT(""));
    if (doc_child_text(status, "unhealthy").length > 0) {
        signal_write(command, "probe", "fails",
                     describe_node_age_format(command, status, "unhealthy"), cause);
    } else if (doc_child_text(status, "unreachable").length > 0) {
        signal_write(command, "probe", "does not reach the machine",
                     describe_node_age_format(command, status, "unreachable"), cause);
    } else if (doc_child_text(status, "starting").length > 0) {
        signal_write(command, "probe", "has not been answered yet", TEXT(""), TEXT(""));
    } else if (answer != NULL) {
        signal_write(command, "probe", "is answered",
                     when_format(command, doc_child_text(answer, "time")),
                     doc_child_text(answer, "fact"));
    }
}

/* Write the kind of the fault, and the provider's message. */
static void fault_write(struct command *command, const struct doc *status)
{
    struct text fault = doc_child_text(status, "fault");
    struct text cause = doc_child_text(status, "cause");

    describe_node_line_write(
        command, "fault",
        fault.length == 0 || cause.length == 0
            ? fault
            : arena_printf(command->arena, "%.*s: %.*s", TEXT_ARG(fault), TEXT_ARG(cause)));
}

/* Write the unexpected host key that the machine presents, in the form that users compare. */
static void shown_write(struct command *command, const struct doc *status, struct text name)
{
    struct text shown = doc_child_text(status, "shown");
    char fingerprint[SSH_FINGERPRINT_BYTES];

    if (ssh_host_key_fingerprint(shown, fingerprint)) {
        describe_node_line_write(
            command, "shows",
            arena_printf(command->arena,
                         "%s (%.*s); if it is the right one: reeve ca accept %.*s %s", fingerprint,
                         (int)text_find_byte(shown, ' '), shown.data, TEXT_ARG(name), fingerprint));
    }
}

/* Format who revoked the keys of the node and when. Such a node may still be ready, but all other
 * members reject it. */
static struct text revoked_format(struct command *command, const struct doc *step)
{
    const struct doc *revoked = doc_is_map(step) ? doc_child(step, "revoked") : NULL;
    struct text by = doc_is_map(revoked) ? doc_child_text(revoked, "by") : TEXT("");

    /* without a user, reeve has revoked the keys because the machine leaves */
    return !doc_is_map(revoked)
               ? TEXT("")
               : arena_printf(
                     command->arena, "revoked%s%.*s, since %.*s%s", by.length > 0 ? " by " : "",
                     TEXT_ARG(by), TEXT_ARG(when_format(command, doc_child_text(revoked, "at"))),
                     by.length > 0 ? "; the machine gets new keys only when it is replaced" : "");
}

/* Write the result of the newest check by reeve verify, the files that differ, and the reason why a
 * drifted node is not corrected. */
static void verified_write(struct command *command, const struct doc *verified)
{
    const struct doc *files = doc_child(verified, "files");
    struct text since = doc_child_text(verified, "since"); /* an RFC 3339 time, or milliseconds */
    struct text why = doc_child_text(verified, "why");
    char *time = arena_alloc(command->arena, TIME_TEXT_BYTES);

    if (!doc_is_map(verified)) {
        return;
    }
    if (doc_child_number(verified, "since") > 0) {
        time_format(doc_child_number(verified, "since"), time);
        since = text_from(time);
    }
    describe_node_line_write(command, "verified",
                             arena_printf(command->arena, "%.*s, since %.*s (%.*s, %.*s)%s%.*s",
                                          TEXT_ARG(doc_child_text(verified, "verdict")),
                                          TEXT_ARG(when_format(command, since)),
                                          TEXT_ARG(doc_child_text(verified, "level")),
                                          TEXT_ARG(doc_child_text(verified, "cause")),
                                          why.length > 0 ? ": " : "", TEXT_ARG(why)));
    if (text_is(doc_child_text(verified, "level"), "deep")) {
        describe_node_line_write(command, "",
                                 arena_printf(command->arena, "%lld of %lld tasks judged",
                                              (long long)doc_child_number(verified, "judged"),
                                              (long long)doc_child_number(verified, "tasks")));
    }
    for (size_t i = 0; doc_is_list(files) && i < files->item_count; i++) {
        describe_node_line_write(command, i == 0 ? "files" : "", files->items[i].text);
    }
    if (doc_child_number(verified, "more") > 0) {
        describe_node_line_write(command, "",
                                 arena_printf(command->arena, "and %lld more",
                                              (long long)doc_child_number(verified, "more")));
    }
    if (text_is(doc_child_text(verified, "uncorrected"), "true")) {
        describe_node_line_write(
            command, "",
            TEXT("a correction did not remove the drift, and is not repeated automatically"));
    }
}

/* Write the status of the node, with the progress of a drain command, and what blocks it. */
static void lifecycle_write(struct command *command, const struct doc *lifecycle,
                            const struct doc *machine)
{
    struct text status = doc_child_text(machine, "status");
    struct text since = doc_child_text(lifecycle, "since"); /* an RFC 3339 time, or milliseconds */
    struct text why = doc_child_text(lifecycle, "why");
    char *time = arena_alloc(command->arena, TIME_TEXT_BYTES);

    if (!doc_is_map(lifecycle) || doc_child_text(lifecycle, "reason").length == 0) {
        if (status.length > 0) {
            describe_node_line_write(command, "status",
                                     arena_printf(command->arena, "%.*s, before: %.*s",
                                                  TEXT_ARG(status),
                                                  TEXT_ARG(doc_child_text(machine, "prevStatus"))));
        }
        return;
    }
    if (doc_child_number(lifecycle, "since") > 0) {
        time_format(doc_child_number(lifecycle, "since"), time);
        since = text_from(time);
    }
    describe_node_line_write(command, "status",
                             arena_printf(command->arena,
                                          "maintenance: %.*s by %.*s, since %.*s%s%.*s",
                                          TEXT_ARG(doc_child_text(lifecycle, "reason")),
                                          TEXT_ARG(doc_child_text(lifecycle, "by")),
                                          TEXT_ARG(when_format(command, since)),
                                          why.length > 0 ? ": " : "", TEXT_ARG(why)));
    describe_node_line_write(command, "blocker", doc_child_text(lifecycle, "blocker"));
}

/* Write how long the changed stages have waited for their rollout slot, the reason, and the next
 * step. */
static void rollout_write(struct command *command, const struct doc *why)
{
    const struct doc *slot = doc_child(why, "slot");

    if (doc_is_map(slot)) {
        describe_node_line_write(
            command, doc_child_text(slot, "verb").length > 0 ? "batch" : "rollout",
            arena_printf(command->arena, "waits for %.*s (job/%.*s, %.*s); %.*s",
                         TEXT_ARG(doc_child_text(slot, "waitsFor")),
                         TEXT_ARG(doc_child_text(slot, "job")),
                         TEXT_ARG(when_format(command, doc_child_text(slot, "since"))),
                         TEXT_ARG(doc_child_text(slot, "next"))));
    }
}

/* Format the roles of the node, separated by commas. */
static struct text roles_format(struct command *command, const struct doc *why)
{
    const struct doc *machine = doc_child(why, "machine");
    const struct doc *roles = doc_child(machine, "roles");
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < doc_child_count(machine, "roles"); i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : ", ", TEXT_ARG(roles->items[i].text));
    }
    return buf_text(&buf);
}

/* Read the row of a machine of the inventory whose image is or was installed. A machine of another
 * plugin has none. */
static struct doc image_row_get(struct command *command, const struct session *session,
                                const struct doc *node)
{
    const struct doc *status = doc_child(node, "status");
    struct text id = doc_child_text(status, "id");
    struct doc row = { .kind = DOC_KIND_NONE };

    return text_is(doc_child_text(status, "plugin"), "inventory") && id.length > 0 &&
                   describe_discovered_get(command, session, id, &row) &&
                   doc_is_map(doc_child(&row, "install"))
               ? row
               : (struct doc){ .kind = DOC_KIND_NONE };
}

static void describe_node_status_write(struct command *command, struct text cluster,
                                       const struct doc *node, const struct doc *why,
                                       const struct doc *row)
{
    const struct doc *steps = doc_child(why, "steps");
    const struct doc *status = doc_child(node, "status");
    struct text group = listing_text(node, "metadata", "group");

    describe_node_line_write(command, "node",
                             arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                          TEXT_ARG(listing_text(node, "metadata", "name"))));
    describe_node_line_write(
        command, "group",
        arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group)));
    describe_node_line_write(command, "state", text_from(nodes_state(node)));
    describe_node_line_write(command, "hint", doc_child_text(doc_child(status, "problem"), "hint"));
    describe_node_line_write(command, "because",
                             because(command, doc_child_text(status, "reason")));
    if (doc_is_present(row)) {
        describe_discovered_install(command, row);
    } else {
        describe_node_line_write(command, "under way", text_from(under_way(status)));
    }
    fault_write(command, status);
    describe_node_line_write(command, "tries", doc_child_text(status, "tries"));
    describe_node_line_write(command, "machine", doc_child_text(status, "id"));
    describe_node_line_write(command, "plugin", doc_child_text(status, "plugin"));
    describe_node_line_write(command, "address", doc_child_text(status, "address"));
    describe_node_line_write(command, "login", login_format(command, status));
    describe_node_line_write(command, "host key", doc_child_text(status, "hostKey"));
    describe_node_line_write(command, "alarm", doc_child_text(status, "alarm"));
    shown_write(command, status,
                arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                             TEXT_ARG(listing_text(node, "metadata", "name"))));
    describe_node_line_write(command, "host", doc_child_text(status, "host"));
    describe_node_line_write(command, "zone", doc_child_text(status, "zone"));
    describe_node_line_write(command, "slot", slot_format(command, status));
    describe_node_line_write(command, "made", describe_node_age_format(command, status, "made"));
    health_write(command, status, steps);
    describe_node_line_write(command, nodes_is_failed(node) ? "failed" : "step",
                             nodes_step(command, node));
    lifecycle_write(command, doc_child(doc_child(status, "node"), "lifecycle"),
                    doc_child(why, "machine"));
    verified_write(command, doc_child(doc_child(status, "node"), "verified"));
    rollout_write(command, why);
    describe_node_line_write(command, "roles", roles_format(command, why));
    describe_node_line_write(command, "waits for",
                             why_role_words(command->arena, doc_child(why, "machine")));
    describe_node_line_write(command, "keys", revoked_format(command, doc_child(status, "node")));
    describe_node_line_write(command, "protected", doc_child_text(status, "protected"));
    describe_node_line_write(command, "token", listing_text(node, "metadata", "id"));
}

/* Add a word with a blank before it; an empty word adds no blank. */
static void describe_node_word_add(struct command *command, struct text word)
{
    if (word.length > 0) {
        buf_add_string(&command->out, "  ");
        glyph_write_text(&command->out, word);
    }
}

static void events_write(struct command *command, const struct doc *steps)
{
    buf_add_string(&command->out, "\n");
    style_add(&command->out_style, &command->out, STYLE_STRONG, "last events");
    buf_add_string(&command->out, "\n");
    for (size_t i = 0; i < steps->item_count; i++) {
        const struct doc *step = &steps->items[i];

        buf_printf(&command->out, "  %.*s  %.*s",
                   TEXT_ARG(when_format(command, doc_child_text(step, "time"))),
                   TEXT_ARG(doc_child_text(step, "type")));
        describe_node_word_add(command, doc_child_text(step, "rule"));
        describe_node_word_add(command, doc_child_text(step, "fact"));
        buf_add_string(&command->out, "\n");
    }
}

static void describe_node_next_write(struct command *command, struct text cluster,
                                     const struct doc *node)
{
    buf_add_string(&command->out, "\n");
    style_add(&command->out_style, &command->out, STYLE_STRONG, "next");
    buf_printf(&command->out, "\n  %s why %.*s/%.*s\n", command->program, TEXT_ARG(cluster),
               TEXT_ARG(listing_text(node, "metadata", "name")));
}

/* Get the decisions about the node. If none are known (R0434), the other data is still shown. */
static bool steps_get(struct command *command, const struct session *session, struct text cluster,
                      const struct doc *node, struct doc *out)
{
    struct client_request request = { .method = "GET" };
    struct client_answer answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/why?cluster=");
    client_path_add(&path, cluster);
    buf_add_string(&path, "&name=");
    client_path_add(&path, listing_text(node, "metadata", "name"));
    request.path = buf_text(&path);
    if (!session_call(command, session, &request, &answer)) {
        return false;
    }
    *out = (struct doc){ 0 };
    return !session_is_done(&answer) || session_parse(command, &answer, out);
}

static void describe_node_json_write(struct command *command, const struct doc *node,
                                     const struct doc *why)
{
    struct doc_builder builder;
    struct doc all;

    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "object", *node);
    if (doc_is_present(why)) {
        doc_builder_put(&builder, "why", *why);
    }
    all = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &all);
}

enum exit_code describe_node(struct command *command, const struct session *session,
                             struct text cluster, struct text name)
{
    const struct doc *node;
    const struct doc *steps;
    struct nodes nodes;
    struct doc why;
    struct doc row;

    if (!nodes_get_named(command, session, cluster, name, &nodes)) {
        return EXIT_CODE_NOT_FOUND;
    }
    node = nodes_find(&nodes, name);
    if (node == NULL) {
        struct err *err =
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                         "'%.*s' has no machine '%.*s'", TEXT_ARG(cluster), TEXT_ARG(name));

        (void)!err_hint(
            err,
            "reeve get resources -c %.*s lists them; reeve why %.*s/%.*s shows those that are gone",
            TEXT_ARG(cluster), TEXT_ARG(cluster), TEXT_ARG(name));
        return EXIT_CODE_NOT_FOUND;
    }
    if (!steps_get(command, session, cluster, node, &why)) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "json")) {
        describe_node_json_write(command, node, &why);
        return EXIT_CODE_DONE;
    }
    steps = doc_child(&why, "steps");
    row = image_row_get(command, session, node);
    describe_node_status_write(command, cluster, node, &why, &row);
    if (doc_is_list(steps)) {
        events_write(command, steps);
    }
    describe_node_next_write(command, cluster, node);
    command_fold(command, 0);
    return EXIT_CODE_DONE;
}
