/* reeve get nodes -o FORM: prints machines in the formats of other tools. With --list and --host it
 * is an inventory script for Ansible. */
#include "cli/manager/selected.h"
#include "cli/manager/session.h"
#include "cli/read/get_parts.h"
#include "codec/json.h"
#include "model/schema.h"

#include <string.h>

/* public names start with: get_ */

#define FORMS_USE "reeve get nodes -c shop -o ansible"

/* Add the machines that the arguments or the flags select. Without either, all machines are
 * selected, because this command only reads. */
static bool query_add(struct command *command, const struct session *session,
                      const char *const *words, size_t count, struct buf *path)
{
    const struct args *args = &command->args;
    struct selected selected = selected_conditions(args);

    if (count > 0 || args_named(args, "cluster") != NULL || args_named(args, "group") != NULL) {
        if (!selected_read(command, session, words, count, FORMS_USE, &selected)) {
            return false;
        }
        if (selected.count > 1) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "the names belong to %zu clusters", selected.count),
                            "name machines of one cluster, or select machines with -l");
        }
    }
    selected_parameters(path, &selected, selected.count > 0 ? selected.items : NULL);
    selected_parameter(path, "port", text_from(args_value(args, FLAG_GET_PORT)));
    return true;
}

static bool get_forms_ask(struct command *command, struct text path, struct text *out)
{
    struct client_request request = { .method = "GET", .path = path };
    struct client_answer answer;
    struct session session;

    if (!session_open(command, &session) || !session_call(command, &session, &request, &answer)) {
        return false;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    *out = answer.body;
    return true;
}

/* Write the variables of one machine in the format that Ansible requests. A missing machine has no
 * variables. */
static bool host_write(struct command *command, struct text body, const char *name)
{
    const struct doc *vars;
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc doc;
    struct err err;

    if (!json_parse_answer(command->arena, body, &doc, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    vars = doc_child(&doc, "_meta");
    vars = vars == NULL ? NULL : doc_child(vars, "hostvars");
    vars = doc_is_map(vars) ? doc_find(vars, text_from(name)) : NULL;
    json_format(&command->out, vars == NULL ? &none : vars);
    buf_add_string(&command->out, "\n");
    return true;
}

static bool is_form(const char *word)
{
    static const char *const forms[] = { "ansible", "ssh", "hosts", "prometheus", "terraform" };

    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        if (word != NULL && strcmp(word, forms[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Check that the flag is a TCP port. */
static bool get_forms_port_check(struct command *command)
{
    const char *word = args_value(&command->args, FLAG_GET_PORT);
    int64_t port;

    return word == NULL ||
           (text_parse_int64(text_from(word), &port) && port >= 1 && port <= UINT16_MAX) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                 "--port is a number from 1 to 65535, got '%s'", word),
                    "the default is 9100");
}

/* Refuse flags of one format together with another format, and flags of lists together with any
 * format. */
static bool get_forms_flags_check(struct command *command, const char *form)
{
    static const char *const names[] = { "watch", "sort", "cols", "at", "bare" };
    static const struct {
        const char *flag;
        const char *form;
    } bound[] = { { "list", "ansible" }, { "host", "ansible" }, { "port", "prometheus" } };
    const struct args *args = &command->args;

    for (size_t i = 0; i < ARRAY_COUNT(bound); i++) {
        if (args_named(args, bound[i].flag) != NULL &&
            (form == NULL || strcmp(form, bound[i].form) != 0)) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s needs -o %s", bound[i].flag, bound[i].form),
                            "reeve get nodes -o %s --%s %s", bound[i].form, bound[i].flag,
                            args_named(args, bound[i].flag));
        }
    }
    for (size_t i = 0; form != NULL && i < ARRAY_COUNT(names); i++) {
        if (args_named(args, names[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "-o %s and --%s exclude each other", form, names[i]),
                            "leave one of them out");
        }
    }
    return get_forms_port_check(command);
}

bool get_forms_is(const struct command *command)
{
    const struct args *args = &command->args;

    return is_form(args_output(args)) || args_has(args, FLAG_GET_LIST) ||
           args_has(args, FLAG_GET_HOST) || args_has(args, FLAG_GET_PORT);
}

enum exit_code get_forms(struct command *command)
{
    const struct args *args = &command->args;
    const char *form = is_form(args_output(args)) ? args_output(args) : NULL;
    const char *host = args_value(args, FLAG_GET_HOST);
    bool is_script = host != NULL || args_has(args, FLAG_GET_LIST);
    struct text first = text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(first, 0, text_find_byte(first, '/')));
    struct session session;
    struct text body;
    struct buf path;
    const char *const *words;
    size_t count;

    if (!get_forms_flags_check(command, form)) {
        return EXIT_CODE_USAGE;
    }
    if (kind == NULL || strcmp(kind->name, "Node") != 0) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "-o %s applies only to nodes", form),
                        "reeve get nodes -o %s", form);
        return EXIT_CODE_USAGE;
    }
    words = get_nodes_words(command, &count);
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/inventory/");
    client_path_add(&path, text_from(is_script ? "ansible-list" : form));
    if (!session_open(command, &session) || !query_add(command, &session, words, count, &path) ||
        !get_forms_ask(command, buf_text(&path), &body)) {
        return EXIT_CODE_FAILED;
    }
    if (host != NULL) {
        return host_write(command, body, host) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
    }
    buf_add(&command->out, body);
    return EXIT_CODE_DONE;
}

bool get_output_parse(struct command *command, const struct output_view *view, struct output *out)
{
    const struct args *args = &command->args;
    struct err err;

    if (!output_parse(command->arena, args_value(args, FLAG_GET_OUTPUT),
                      args_value(args, FLAG_GET_COLS), OUTPUT_TABLE, view, &command->sources, out,
                      &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}
