/* reeve describe of a discovered machine that is not a member: shows its row in the inventory. */
#include "base/time.h"
#include "cli/args/when.h"
#include "cli/read/describe_parts.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"

/* names: describe_discovered_ discovered_ */

static void discovered_line_write(struct command *command, const char *title, struct text value)
{
    if (value.length > 0) {
        buf_printf(&command->out, "%-10s ", title);
        glyph_write_text(&command->out, value);
        buf_add_string(&command->out, "\n");
    }
}

/* Format "WORD, since TIME: WHY". The time is a number of milliseconds in `row`. */
static struct text discovered_since_format(struct command *command, struct text word,
                                           const struct doc *row, const char *since,
                                           struct text why)
{
    int64_t moment_ms = doc_child_number(row, since);
    char *time = arena_alloc(command->arena, TIME_TEXT_BYTES);
    struct text when = TEXT("");

    if (moment_ms > 0) {
        time_format(moment_ms, time);
        when = when_format(command, text_from(time));
    }
    return word.length == 0 ? TEXT("")
                            : arena_printf(command->arena, "%.*s%s%.*s%s%.*s", TEXT_ARG(word),
                                           when.length > 0 ? ", since " : "", TEXT_ARG(when),
                                           why.length > 0 ? ": " : "", TEXT_ARG(why));
}

static struct text discovered_address_format(struct command *command, const struct doc *row)
{
    struct text port = doc_child_text(row, "port");

    return arena_printf(command->arena, "%.*s%s%.*s", TEXT_ARG(doc_child_text(row, "address")),
                        port.length > 0 ? ":" : "", TEXT_ARG(port));
}

/* Write the group that has the machine or has reserved it. */
static void discovered_group_write(struct command *command, const struct doc *row)
{
    const struct doc *claim = doc_child(row, "claim");
    const struct doc *reserved = doc_child(row, "reserved");
    struct text cluster = doc_child_text(row, "cluster");

    if (doc_is_map(claim)) {
        discovered_line_write(command, "member",
                              arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster),
                                           TEXT_ARG(doc_child_text(claim, "name"))));
    }
    if (doc_is_map(reserved)) {
        discovered_line_write(command, "reserved",
                              arena_printf(command->arena, "for group %.*s by %.*s",
                                           TEXT_ARG(doc_child_text(reserved, "group")),
                                           TEXT_ARG(doc_child_text(reserved, "by"))));
    }
}

/* Write the state of the power, its BMC, and what an order waits for. */
static void discovered_power_write(struct command *command, const struct doc *row)
{
    const struct doc *power = doc_child(row, "power");
    const struct doc *order = doc_child(power, "order");

    if (!doc_is_map(power)) {
        return;
    }
    discovered_line_write(command, "power",
                          discovered_since_format(command, doc_child_text(power, "state"), power,
                                                  "stateAt", doc_child_text(power, "bmc")));
    if (doc_is_map(order)) {
        discovered_line_write(
            command, "",
            discovered_since_format(command,
                                    arena_printf(command->arena, "ordered %.*s by %.*s",
                                                 TEXT_ARG(doc_child_text(order, "action")),
                                                 TEXT_ARG(doc_child_text(order, "by"))),
                                    order, "since", doc_child_text(order, "why")));
    }
    discovered_line_write(command, "no power", doc_child_text(power, "fault"));
}

void describe_discovered_install(struct command *command, const struct doc *row)
{
    const struct doc *install = doc_child(row, "install");

    if (doc_is_map(install)) {
        discovered_line_write(command, "image",
                              discovered_since_format(
                                  command,
                                  arena_printf(command->arena, "%.*s %.*s%s%.*s",
                                               TEXT_ARG(doc_child_text(install, "image")),
                                               TEXT_ARG(doc_child_text(install, "state")),
                                               doc_child(install, "step") != NULL ? ", step " : "",
                                               TEXT_ARG(doc_child_text(install, "step"))),
                                  install, "since", doc_child_text(install, "why")));
    }
    if (doc_is_map(doc_child(row, "netboot"))) {
        discovered_line_write(command, "booted",
                              discovered_since_format(command, TEXT("from the network"),
                                                      doc_child(row, "netboot"), "since",
                                                      TEXT("")));
    }
    discovered_power_write(command, row);
}

static void discovered_key_write(struct command *command, const struct doc *row)
{
    const struct doc *approved = doc_child(row, "approved");
    struct text shown = doc_child_text(row, "fingerprint");
    bool is_approved = shown.length > 0 && text_is_equal(shown, doc_child_text(approved, "key"));

    if (shown.length > 0) {
        discovered_line_write(
            command, "host key",
            arena_printf(command->arena, "%.*s %s%.*s", TEXT_ARG(shown),
                         is_approved ? "approved by " : "observed by the manager, not verified",
                         TEXT_ARG(is_approved ? doc_child_text(approved, "by") : TEXT(""))));
    }
}

static void discovered_identity_write(struct command *command, const struct doc *row)
{
    const struct doc *identity = doc_child(row, "identity");
    const struct doc *macs = doc_child(identity, "macs");

    discovered_line_write(command, "serial", doc_child_text(identity, "serial"));
    discovered_line_write(command, "uuid", doc_child_text(identity, "uuid"));
    for (size_t i = 0; i < doc_child_count(identity, "macs"); i++) {
        discovered_line_write(command, i == 0 ? "macs" : "", macs->items[i].text);
    }
    discovered_line_write(command, "facts", flow_format(command->arena, doc_child(row, "facts")));
    discovered_line_write(command, "no facts",
                          doc_child_text(doc_child(row, "factsRead"), "error"));
}

static void discovered_sources_write(struct command *command, const struct doc *row)
{
    const struct doc *sources = doc_child(row, "sources");
    const struct doc *conditions = doc_child(row, "conditions");

    for (size_t i = 0; i < doc_child_count(row, "sources"); i++) {
        const struct doc *source = &sources->items[i];
        struct text name = doc_child_text(source, "name");

        discovered_line_write(
            command, i == 0 ? "seen by" : "",
            discovered_since_format(command,
                                    arena_printf(command->arena, "%.*s%s%.*s",
                                                 TEXT_ARG(doc_child_text(source, "kind")),
                                                 name.length > 0 ? " as " : "", TEXT_ARG(name)),
                                    source, "since", doc_child_text(source, "note")));
        discovered_line_write(command, "", flow_format(command->arena, doc_child(source, "tags")));
    }
    for (size_t i = 0; i < doc_child_count(row, "conditions"); i++) {
        const struct doc *condition = &conditions->items[i];

        discovered_line_write(command, i == 0 ? "but" : "",
                              discovered_since_format(command, doc_child_text(condition, "type"),
                                                      condition, "since",
                                                      doc_child_text(condition, "reason")));
    }
}

bool describe_discovered_get(struct command *command, const struct session *session,
                             struct text name, struct doc *out)
{
    struct client_request request = { .method = "GET" };
    struct client_answer answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes/");
    client_path_add(&path, name);
    request.path = buf_text(&path);
    return session_call(command, session, &request, &answer) && session_is_done(&answer) &&
           session_parse(command, &answer, out);
}

enum exit_code describe_discovered(struct command *command, const struct doc *row)
{
    struct text id = doc_child_text(row, "id");

    if (command_output_is(command, "json")) {
        struct doc_builder builder;
        struct doc all;

        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "object", *row);
        all = doc_builder_map(&builder, NULL);
        json_format_pretty(&command->out, &all);
        return EXIT_CODE_DONE;
    }
    discovered_line_write(command, "machine", id);
    discovered_line_write(command, "name", doc_child_text(row, "name"));
    discovered_line_write(command, "address", discovered_address_format(command, row));
    discovered_line_write(command, "state",
                          discovered_since_format(command, doc_child_text(row, "state"), row,
                                                  "stateSince", TEXT("")));
    discovered_line_write(command, "status",
                          discovered_since_format(command, doc_child_text(row, "status"), row,
                                                  "statusSince", doc_child_text(row, "why")));
    discovered_group_write(command, row);
    describe_discovered_install(command, row);
    discovered_key_write(command, row);
    discovered_line_write(command, "user", doc_child_text(row, "user"));
    discovered_identity_write(command, row);
    discovered_sources_write(command, row);
    buf_add_string(&command->out, "\n");
    buf_printf(&command->out, "history    %s events %.*s\n", command->program, TEXT_ARG(id));
    if (!doc_is_map(doc_child(row, "claim")) && !doc_is_map(doc_child(row, "reserved"))) {
        style_add(&command->out_style, &command->out, STYLE_STRONG, "next");
        buf_printf(&command->out, "\n  %s commission %.*s -g CLUSTER/GROUP\n", command->program,
                   TEXT_ARG(id));
    }
    return EXIT_CODE_DONE;
}
