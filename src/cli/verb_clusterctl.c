/* reeve clusterctl: the commands of Contiv's clusterctl (C32), for users and scripts that know
 * them. Without --url, requests go to the manager of the context, below /contiv. With --url, they
 * go to any program that serves that API: reeve's listener, or Contiv's clusterm. */
#include "cli/clusterctl.h"
#include "cli/term/output.h"
#include "cli/term/table.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "sys/interrupt.h"

#include <string.h>

/* public names start with: clusterctl_ verb_ */

/* ---- requests ---- */

static bool clusterctl_open(struct clusterctl *out, struct command *command, const char *url)
{
    struct err err;

    *out = (struct clusterctl){ .command = command };
    if (url == NULL) {
        out->prefix = "/contiv";
        return session_open(command, &out->session);
    }
    out->prefix = "";
    out->session.client = (struct client){ .timeout_ms = LIMIT_REQUEST_MS };
    /* no token is sent, so any host is allowed */
    if (!address_parse_open(text_from(url), &out->session.client.address, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}

/* Report an unsuccessful answer: print its line of text, and set the exit code from its status. */
static void clusterctl_refused(const struct clusterctl *ctl, const struct client_answer *answer)
{
    int status = answer->head.status;
    enum code code = status == 404                    ? CODE_R0403
                     : status == 409                  ? CODE_R0822
                     : status == 401                  ? CODE_R0410
                     : status == 403                  ? CODE_R0409
                     : status == 503                  ? CODE_R0018
                     : status == 400 || status == 415 ? CODE_R0426
                                                      : CODE_R0020;
    struct text line = text_trim(answer->body);

    if (strncmp(answer->head.content_type, "text/", 5) != 0) {
        session_refused(ctl->command, answer);
        return;
    }
    err_list_set(&ctl->command->errors, (struct place){ 0 }, code, "%.*s (status %d)",
                 TEXT_ARG(line.length > 0 ? line : TEXT("the request was refused")), status);
}

static bool clusterctl_call(const struct clusterctl *ctl, const char *method, const char *path,
                            const struct doc *body, struct client_answer *out)
{
    struct command *command = ctl->command;
    struct client_request request = { .method = method, .accept = "*/*" };
    struct buf buf;

    request.path = arena_printf(command->arena, "%s%s", ctl->prefix, path);
    if (body != NULL) {
        buf_init(&buf, command->arena);
        json_format(&buf, body);
        request.body = buf_text(&buf);
        request.content_type = "application/json";
        interrupt_expect(INTERRUPT_DURING);
    }
    if (!session_call(command, &ctl->session, &request, out)) {
        return false;
    }
    if (!session_is_done(out)) {
        clusterctl_refused(ctl, out);
        return false;
    }
    return true;
}

bool clusterctl_get(const struct clusterctl *ctl, const char *path, struct doc *out)
{
    struct client_answer answer;

    return clusterctl_call(ctl, "GET", path, NULL, &answer) &&
           session_parse(ctl->command, &answer, out);
}

/* ---- bodies ---- */

static struct doc clusterctl_words(const struct clusterctl *ctl, size_t from)
{
    const struct args *args = &ctl->command->args;
    size_t count = args->argument_count > from ? args->argument_count - from : 0;
    struct doc *items = arena_array(ctl->command->arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(text_from(args->words[from + i]), NULL);
    }
    return doc_list(items, count, NULL);
}

static void clusterctl_flag_put(const struct clusterctl *ctl, struct doc_builder *builder,
                                const char *key, enum flag_id flag)
{
    const char *value = args_value(&ctl->command->args, flag);

    if (value != NULL) {
        doc_builder_put(builder, key, doc_text(text_from(value), NULL));
    }
}

/* Send a POST request with the arguments from an index on as a list, and with the flags of the
 * command line. */
static enum exit_code clusterctl_post(const struct clusterctl *ctl, const char *path,
                                      const char *key, size_t from)
{
    struct command *command = ctl->command;
    struct client_answer answer;
    struct doc_builder builder;
    struct doc body;

    if (command->args.argument_count <= from) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "clusterctl %s needs at least one %s", command->args.words[0],
                              strcmp(key, "addrs") == 0 ? "address" : "node"),
                 "%s clusterctl --help lists the commands", command->program);
        return EXIT_CODE_USAGE;
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, key, clusterctl_words(ctl, from));
    clusterctl_flag_put(ctl, &builder, "host_group", FLAG_CLUSTERCTL_HOST_GROUP);
    clusterctl_flag_put(ctl, &builder, "extra_vars", FLAG_CLUSTERCTL_EXTRA_VARS);
    body = doc_builder_map(&builder, NULL);
    return clusterctl_call(ctl, "POST", path, &body, &answer) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
}

/* ---- nodes ---- */

static const struct output_column columns[] = {
    { "NODE", ".inventory_state.name", OUTPUT_KEEP, false },
    { "STATUS", ".inventory_state.status", OUTPUT_KEEP, false },
    { "STATE", ".inventory_state.state", OUTPUT_KEEP, false },
    { "HOST-GROUP", ".configuration_state.host_group", OUTPUT_KEEP, false },
    { "ADDRESS", ".monitoring_state.management_address", OUTPUT_DROP, false },
    { "SERIAL", ".monitoring_state.serial_number", OUTPUT_DROP, false },
};
static const struct output_view view = { "node/{name}", columns, ARRAY_COUNT(columns) };

static enum exit_code clusterctl_show(const struct clusterctl *ctl, const struct doc *rows,
                                      size_t count)
{
    struct command *command = ctl->command;
    struct output output;
    struct err err;

    if (!output_parse(command->arena, NULL, NULL, OUTPUT_TABLE, &view, &command->sources, &output,
                      &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    table_write(command->arena, &output, &command->out_style, rows, count, &command->out);
    return EXIT_CODE_DONE;
}

static bool clusterctl_is_json(const struct clusterctl *ctl)
{
    return args_has(&ctl->command->args, FLAG_CLUSTERCTL_JSON);
}

static enum exit_code clusterctl_print(const struct clusterctl *ctl, const struct doc *doc)
{
    json_format_pretty(&ctl->command->out, doc);
    return EXIT_CODE_DONE;
}

/* Show all nodes, or only those in the arguments. */
static enum exit_code clusterctl_nodes(const struct clusterctl *ctl)
{
    struct command *command = ctl->command;
    size_t count = command->args.argument_count - 2;
    struct doc *rows = arena_array(command->arena, struct doc, count + 1);
    struct doc all;

    if (count == 0) {
        if (!clusterctl_get(ctl, "/info/nodes", &all)) {
            return EXIT_CODE_FAILED;
        }
        if (clusterctl_is_json(ctl)) {
            return clusterctl_print(ctl, &all);
        }
        rows = arena_array(command->arena, struct doc, all.entry_count);
        for (size_t i = 0; doc_is_map(&all) && i < all.entry_count; i++) {
            rows[count++] = all.entries[i].value;
        }
        return clusterctl_show(ctl, rows, count);
    }
    for (size_t i = 0; i < count; i++) {
        struct buf path;

        buf_init(&path, command->arena);
        buf_add_string(&path, "/info/node/");
        client_path_add(&path, text_from(command->args.words[2 + i]));
        if (!clusterctl_get(ctl, arena_string(command->arena, buf_text(&path)), &rows[i])) {
            return EXIT_CODE_FAILED;
        }
        if (clusterctl_is_json(ctl)) {
            clusterctl_print(ctl, &rows[i]);
        }
    }
    return clusterctl_is_json(ctl) ? EXIT_CODE_DONE : clusterctl_show(ctl, rows, count);
}

/* ---- jobs ---- */

/* How long a job may print nothing before the connection counts as dead, in ms. */
enum { CLUSTERCTL_SILENCE_MS = 24 * 3600 * 1000 };

static bool clusterctl_line_take(void *arg, const struct client_event *event)
{
    struct command *command = arg;

    buf_printf(&command->out, "%.*s\n", TEXT_ARG(event->data));
    command_flush(command);
    return true;
}

/* Print the log of a job while it grows. */
static enum exit_code clusterctl_follow(const struct clusterctl *ctl, const char *label)
{
    struct command *command = ctl->command;
    /* a separate arena for the call, because the call frees its memory at its end, but the
     * command's output must remain */
    AUTO(arena) call_arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct client client = ctl->session.client;
    struct client_request request = {
        .method = "GET",
        .path = arena_printf(command->arena, "%s/info/logs/%s", ctl->prefix, label),
        .accept = "text/plain",
    };
    struct client_stream stream = { .event = clusterctl_line_take,
                                    .arg = command,
                                    .deadline_ms = session_deadline(command, &ctl->session) };
    struct client_answer answer;
    struct err err;

    client.timeout_ms = CLUSTERCTL_SILENCE_MS;
    if (!client_stream_read(call_arena, &client, &request, &stream, &answer, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    if (!session_is_done(&answer)) {
        clusterctl_refused(ctl, &answer);
        return EXIT_CODE_FAILED;
    }
    return EXIT_CODE_DONE;
}

static enum exit_code clusterctl_job(const struct clusterctl *ctl, const char *label)
{
    struct command *command = ctl->command;
    const struct doc *logs;
    struct doc job;

    if (args_has(&command->args, FLAG_CLUSTERCTL_FOLLOW)) {
        return clusterctl_follow(ctl, label);
    }
    if (!clusterctl_get(
            ctl, arena_string(command->arena, arena_printf(command->arena, "/info/job/%s", label)),
            &job)) {
        return EXIT_CODE_FAILED;
    }
    if (clusterctl_is_json(ctl)) {
        return clusterctl_print(ctl, &job);
    }
    buf_printf(&command->out, "Description: %.*s\nStatus: %.*s\n",
               TEXT_ARG(doc_child_text(&job, "desc")), TEXT_ARG(doc_child_text(&job, "status")));
    if (doc_child_text(&job, "error").length > 0) {
        buf_printf(&command->out, "Error: %.*s\n", TEXT_ARG(doc_child_text(&job, "error")));
    }
    logs = doc_child(&job, "logs");
    buf_add_string(&command->out, "Logs:\n");
    for (size_t i = 0; doc_is_list(logs) && i < logs->item_count; i++) {
        buf_printf(&command->out, "  %.*s\n", TEXT_ARG(logs->items[i].text));
    }
    return EXIT_CODE_DONE;
}

/* ---- globals and settings ---- */

static enum exit_code clusterctl_show_doc(const struct clusterctl *ctl, const char *path)
{
    struct doc doc;

    return clusterctl_get(ctl, path, &doc) ? clusterctl_print(ctl, &doc) : EXIT_CODE_FAILED;
}

static enum exit_code clusterctl_global_set(const struct clusterctl *ctl)
{
    const char *vars = args_value(&ctl->command->args, FLAG_CLUSTERCTL_EXTRA_VARS);
    struct client_answer answer;
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, ctl->command->arena);
    doc_builder_put(&builder, "extra_vars", doc_text(text_from(vars == NULL ? "" : vars), NULL));
    body = doc_builder_map(&builder, NULL);
    return clusterctl_call(ctl, "POST", "/globals", &body, &answer) ? EXIT_CODE_DONE
                                                                    : EXIT_CODE_FAILED;
}

/* Implements config set FILE. The file has the settings in the format that config get prints. */
static enum exit_code clusterctl_config_set(const struct clusterctl *ctl)
{
    struct command *command = ctl->command;
    struct client_answer answer;
    struct doc_builder builder;
    struct doc config;
    struct doc body;

    if (command->args.argument_count != 3) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                     "clusterctl config set needs a file: FILE, or - for standard input");
        return EXIT_CODE_USAGE;
    }
    if (!clusterctl_file_read(command, command->args.words[2], &config)) {
        return EXIT_CODE_FAILED;
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "config", config);
    body = doc_builder_map(&builder, NULL);
    return clusterctl_call(ctl, "POST", "/config", &body, &answer) ? EXIT_CODE_DONE
                                                                   : EXIT_CODE_FAILED;
}

/* ---- the command line ---- */

/* Return an argument by its index, or "" if there is none. */
static const char *clusterctl_word(const struct args *args, size_t index)
{
    return args->argument_count > index ? args->words[index] : "";
}

static enum exit_code clusterctl_usage(struct command *command)
{
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "clusterctl has no command '%s %s'", clusterctl_word(&command->args, 0),
                          clusterctl_word(&command->args, 1)),
             "%s clusterctl --help lists the commands", command->program);
    return EXIT_CODE_USAGE;
}

static enum exit_code clusterctl_node_run(const struct clusterctl *ctl)
{
    const char *word = clusterctl_word(&ctl->command->args, 1);

    return strcmp(word, "commission") == 0 ? clusterctl_post(ctl, "/commission/nodes", "nodes", 2)
           : strcmp(word, "decommission") == 0
               ? clusterctl_post(ctl, "/decommission/nodes", "nodes", 2)
           : strcmp(word, "update") == 0 ? clusterctl_post(ctl, "/update/nodes", "nodes", 2)
           : strcmp(word, "get") == 0    ? clusterctl_nodes(ctl)
                                         : clusterctl_usage(ctl->command);
}

enum exit_code verb_clusterctl(struct command *command)
{
    const struct args *args = &command->args;
    const char *noun = clusterctl_word(args, 0);
    const char *word = clusterctl_word(args, 1);
    struct clusterctl ctl;

    if (strcmp(noun, "import") == 0) {
        return args->argument_count == 2 ? clusterctl_import(command) : clusterctl_usage(command);
    }
    if (!clusterctl_open(&ctl, command, args_value(args, FLAG_CLUSTERCTL_URL))) {
        return EXIT_CODE_FAILED;
    }
    if (strcmp(noun, "node") == 0 || strcmp(noun, "nodes") == 0) {
        return clusterctl_node_run(&ctl);
    }
    if (strcmp(noun, "discover") == 0) {
        return clusterctl_post(&ctl, "/discover/nodes", "addrs", 1);
    }
    if (strcmp(noun, "job") == 0 && strcmp(word, "get") == 0 && args->argument_count == 3) {
        return clusterctl_job(&ctl, args->words[2]);
    }
    if (strcmp(noun, "global") == 0 && args->argument_count == 2) {
        return strcmp(word, "get") == 0   ? clusterctl_show_doc(&ctl, "/info/globals")
               : strcmp(word, "set") == 0 ? clusterctl_global_set(&ctl)
                                          : clusterctl_usage(command);
    }
    if (strcmp(noun, "config") == 0) {
        return strcmp(word, "get") == 0   ? clusterctl_show_doc(&ctl, "/config")
               : strcmp(word, "set") == 0 ? clusterctl_config_set(&ctl)
                                          : clusterctl_usage(command);
    }
    return clusterctl_usage(command);
}
