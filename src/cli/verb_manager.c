/* reeve manager: commands about the managers that share a store. */
#include "cli/args/consent.h"
#include "cli/leaving.h"
#include "cli/manager/session.h"
#include "cli/offline.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* public names start with: manager_ */

/* Sends a command about one manager. */
MUST_CHECK static bool manager_order(struct command *command, const struct session *session,
                                     struct text name, const char *word, struct doc *answer)
{
    const char *message = args_value(&command->args, FLAG_MANAGER_MESSAGE);
    struct client_request request = { .method = "POST" };
    struct doc_builder builder;
    struct doc body;
    struct buf path;
    struct buf bytes;

    doc_builder_init(&builder, command->arena);
    if (message != NULL) {
        doc_builder_put(&builder, "message", doc_text(text_from(message), NULL));
    }
    body = doc_builder_map(&builder, NULL);
    buf_init(&bytes, command->arena);
    json_format(&bytes, &body);
    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/managers/");
    client_path_add(&path, name);
    buf_printf(&path, "/%s", word);
    request.path = buf_text(&path);
    request.body = buf_text(&bytes);
    request.content_type = "application/json";
    return session_ask(command, session, &request, answer);
}

static enum exit_code manager_drain(struct command *command, struct text name, bool is_draining)
{
    struct session session;
    struct doc answer;

    if (!session_open(command, &session) ||
        !manager_order(command, &session, name, is_draining ? "drain" : "undrain", &answer)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->notes,
               is_draining
                   ? "%.*s hands its clusters over and takes no others until it is undrained; "
                     "%s manager status\n"
                   : "%.*s takes clusters again; %s manager status\n",
               TEXT_ARG(name), command->program);
    return EXIT_CODE_DONE;
}

/* Declares the machines of a manager's host lost, after the user has typed the name of the manager
 * or given --yes. */
static enum exit_code manager_forget(struct command *command, struct text name)
{
    struct consent_needs needs = { .is_change = true, .to_type = name };
    struct session session;
    struct doc answer;

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    command_say(
        command,
        arena_printf(
            command->arena,
            "All machines on the host of manager %.*s count as gone and are created again elsewhere. If that host still runs, they exist twice.\n",
            TEXT_ARG(name)));
    if (!consent_get(command, &needs, session_words(command, &session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    if (!manager_order(command, &session, name, "forget", &answer)) {
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->notes, "the machines on the host of %.*s count as gone; %s get holds\n",
               TEXT_ARG(name), command->program);
    return EXIT_CODE_DONE;
}

/* Makes a manager leave the store permanently: the named manager, or else the manager of the
 * context. */
static enum exit_code manager_leave(struct command *command)
{
    struct consent_needs needs = { .is_change = true };
    struct session session;
    struct text name;
    struct doc answer;

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    if (command->args.argument_count == 2) {
        name = text_from(command->args.words[1]);
    } else if (session_get(command, &session, TEXT("/v1/managers"), &answer)) {
        name = doc_child_text(&answer, "name");
    } else {
        return EXIT_CODE_FAILED;
    }
    command_say(
        command,
        arena_printf(
            command->arena,
            "Manager %.*s hands over its clusters, then leaves the store for good, and its process ends.\n",
            TEXT_ARG(name)));
    if (!consent_get(command, &needs, session_words(command, &session), NULL, NULL)) {
        return EXIT_CODE_DECLINED;
    }
    if (!manager_order(command, &session, name, "leave", &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (text_is(doc_child_text(&answer, "state"), "removed")) {
        buf_printf(&command->notes, "%.*s had ended, and is removed from the store\n",
                   TEXT_ARG(name));
        return EXIT_CODE_DONE;
    }
    return leaving_wait(command, &session, name);
}

static enum exit_code manager_refuse(struct command *command, const char *what, const char *hint)
{
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005, "%s", what), "%s",
             hint);
    return EXIT_CODE_USAGE;
}

/* ---- keys for another host ---- */

/* Adds the arguments by which reeved finds its files. False: an error was added. */
MUST_CHECK static bool manager_config_add(struct command *command, const char **arguments,
                                          size_t *count)
{
    const char *config = args_value(&command->args, FLAG_MANAGER_CONFIG);
    const char *why = "";

    config = config == NULL ? offline_config_find(command, &why) : config;
    if (config == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "manager %s needs --config: %s", command->args.words[0], why),
                 "name the configuration of the manager of this machine: reeve manager %s --config "
                 "/etc/reeve/reeved.yaml",
                 command->args.words[0]);
        return false;
    }
    arguments[(*count)++] = "--config";
    arguments[(*count)++] = config;
    return true;
}

static enum exit_code manager_token(struct command *command)
{
    const char *ttl = args_value(&command->args, FLAG_MANAGER_TTL);
    const char *arguments[OFFLINE_ARGUMENTS];
    size_t count = 0;

    if (!manager_config_add(command, arguments, &count)) {
        return EXIT_CODE_USAGE;
    }
    arguments[count++] = "--join-token";
    arguments[count++] = ttl == NULL ? "15m" : ttl;
    return offline_run(command, arguments, count);
}

/* Passes the token to the program on its standard input, because arguments of processes are visible
 * to every user. */
MUST_CHECK static bool manager_token_give(struct command *command, struct text token)
{
    int pipe[2];

    if (pipe2(pipe, O_CLOEXEC) == 0 &&
        write(pipe[1], token.data, token.length) == (ssize_t)token.length &&
        dup2(pipe[0], STDIN_FILENO) == STDIN_FILENO) {
        close(pipe[0]);
        close(pipe[1]);
        return true;
    }
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0011, "a pipe cannot be created: %s",
                 strerror(errno));
    return false;
}

static enum exit_code manager_join(struct command *command)
{
    const char *token = command->args.words[1];
    const char *arguments[OFFLINE_ARGUMENTS];
    size_t count = 0;

    if (!manager_config_add(command, arguments, &count)) {
        return EXIT_CODE_USAGE;
    }
    arguments[count++] = "--join";
    if (strcmp(token, "-") != 0 && !manager_token_give(command, text_from(token))) {
        return EXIT_CODE_FAILED;
    }
    return offline_run(command, arguments, count);
}

static enum exit_code manager_move_store(struct command *command)
{
    const char *to = args_value(&command->args, FLAG_MANAGER_TO);
    const char *arguments[OFFLINE_ARGUMENTS];
    size_t count = 0;

    if (to == NULL ||
        (strcmp(to, "managed") != 0 && strcmp(to, "etcd") != 0 && strcmp(to, "sqlite") != 0)) {
        return manager_refuse(command, "manager move-store needs --to managed, etcd or sqlite",
                              "reeve manager move-store --to managed");
    }
    if (!manager_config_add(command, arguments, &count)) {
        return EXIT_CODE_USAGE;
    }
    arguments[count++] = "--move-store";
    arguments[count++] = to;
    return offline_run(command, arguments, count);
}

/* ---- the verb ---- */

static enum exit_code manager_alone(struct command *command,
                                    enum exit_code (*run)(struct command *command))
{
    return command->args.argument_count == 1
               ? run(command)
               : manager_refuse(command,
                                arena_printf(command->arena, "manager %s takes no name",
                                             command->args.words[0])
                                    .data,
                                "reeve get managers NAME shows one of them");
}

enum exit_code verb_manager(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = text_from(args->words[0]);
    bool is_draining = text_is(word, "drain");
    bool is_joining = text_is(word, "join");

    if (text_is(word, "status")) {
        return manager_alone(command, get_managers_status);
    }
    if (text_is(word, "token")) {
        return manager_alone(command, manager_token);
    }
    if (text_is(word, "move-store")) {
        return manager_alone(command, manager_move_store);
    }
    if (text_is(word, "leave")) {
        return manager_leave(command);
    }
    if (!is_draining && !is_joining && !text_is(word, "undrain") && !text_is(word, "forget")) {
        return manager_refuse(
            command,
            "manager is followed by status, drain, undrain, leave, forget, token, join or "
            "move-store",
            "reeve manager status");
    }
    if (args->argument_count != 2) {
        return manager_refuse(
            command, is_joining ? "the token is missing" : "the name of one manager is missing",
            is_joining ? "reeve manager token, on the host of a manager, makes one"
                       : "reeve get managers lists them");
    }
    if (text_is(word, "forget")) {
        return manager_forget(command, text_from(args->words[1]));
    }
    return is_joining ? manager_join(command)
                      : manager_drain(command, text_from(args->words[1]), is_draining);
}
