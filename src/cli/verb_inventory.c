/* reeve inventory: machines in the forms of other tools; with --list and --host an inventory script of Ansible. */
#include "cli/selected.h"
#include "codec/json.h"

#define INVENTORY_USE "reeve inventory ansible -c shop"

/* Machines that are named, or the flags; nothing said is all of them: it is only read. */
static bool query_add(struct command *command, const struct session *session,
                      const char *const *words, size_t count, struct buf *path)
{
    const struct args *args = &command->args;
    struct selected selected = selected_conditions(args);

    if (count > 0 || args_named(args, "cluster") != NULL || args_named(args, "group") != NULL) {
        if (!selected_read(command, session, words, count, INVENTORY_USE, &selected)) {
            return false;
        }
        if (selected.count > 1) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "the names are of %zu clusters", selected.count),
                            "name machines of one, or select with -l");
        }
    }
    selected_parameters(path, &selected, selected.count > 0 ? selected.items : NULL);
    selected_parameter(path, "port", text_from(args_value(args, FLAG_INVENTORY_PORT)));
    return true;
}

static bool ask(struct command *command, struct text path, struct text *out)
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

/* The variables of one, as Ansible asks for them; of one that is not there, none. */
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

/* A port of TCP, of the one form that has it. */
static bool port_check(struct command *command)
{
    const struct args *args = &command->args;
    const char *word = args_value(args, FLAG_INVENTORY_PORT);
    int64_t port;

    if (word == NULL) {
        return true;
    }
    if (args->word_count == 0 || !text_is(text_from(args->words[0]), "prometheus")) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--port is of what prometheus scrapes, and of no other form"),
                        "reeve inventory prometheus --port %s", word);
    }
    return (text_parse_int64(text_from(word), &port) && port >= 1 && port <= UINT16_MAX) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                 "--port is a number from 1 to 65535, got '%s'", word),
                    "9100 unless given");
}

enum exit_code verb_inventory(struct command *command)
{
    const struct args *args = &command->args;
    const char *host = args_value(args, FLAG_INVENTORY_HOST);
    bool is_script = host != NULL || args_has(args, FLAG_INVENTORY_LIST);
    size_t form_words = is_script ? 0 : 1;
    struct session session;
    struct text body;
    struct buf path;

    if (!port_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (args->word_count < form_words) {
        (void)!err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "inventory needs a form"),
                        "ansible, ssh, hosts, prometheus, terraform, csv or names: " INVENTORY_USE);
        return EXIT_CODE_USAGE;
    }
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/inventory/");
    client_path_add(&path, is_script ? TEXT("ansible-list") : text_from(args->words[0]));
    if (!session_open(command, &session) ||
        !query_add(command, &session, args->words + form_words, args->word_count - form_words,
                   &path) ||
        !ask(command, buf_text(&path), &body)) {
        return EXIT_CODE_FAILED;
    }
    if (host != NULL) {
        return host_write(command, body, host) ? EXIT_CODE_DONE : EXIT_CODE_FAILED;
    }
    buf_add(&command->out, body);
    return EXIT_CODE_DONE;
}
