#include "cli/hosts/discover_setup.h"

#include "cli/hosts/ssh_host.h"
#include "codec/doc_child.h"
#include "remote/bundle.h"
#include "session/script.h"

/* public names start with: discover_ */

enum { SETUP_MS = 20 * 60 * 1000, SETUP_SSH_PORT = 22 };

bool discover_setup_read(struct command *command, struct text *out)
{
    const char *path = args_value(&command->args, FLAG_DISCOVER_SETUP);
    struct bundle bundle;
    struct err err;

    *out = TEXT("");
    if (path == NULL) {
        return true;
    }
    if (!bundle_read(command->arena, BUNDLE_STAGE, path, &bundle, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    *out = bundle.bytes;
    return true;
}

/* The script that root runs, with the bundle on standard input. The address of the machine is in
 * REEVE_ADDRESS, as the manager knows it. */
static struct text setup_script(struct command *command, struct text address)
{
    const struct args *args = &command->args;
    struct buf buf;

    buf_init(&buf, command->arena);
    buf_add_string(&buf, "set -eu; umask 077; dir=$(mktemp -d /var/tmp/reeve-setup.XXXXXX); "
                         "trap 'rm -rf -- \"$dir\"' EXIT; "
                         "tar -xf - -C \"$dir\" --no-same-owner --no-same-permissions; "
                         "cd \"$dir\"; umask 022; REEVE_ADDRESS=");
    script_quote_add(&buf, address);
    buf_add_string(&buf, " bash bootstrap.sh");
    for (size_t i = args->words_before; i < args->argument_count; i++) {
        buf_add_string(&buf, " ");
        script_quote_add(&buf, text_from(args->words[i]));
    }
    buf_add_string(&buf, " </dev/null 1>&2");
    return buf_text(&buf);
}

/* False: an error was added. */
static bool setup_host_run(struct command *command, struct text bundle, const struct doc *row)
{
    struct arena *arena = command->arena;
    struct text address = doc_child_text(row, "address");
    int64_t port = doc_child_number(row, "port");
    struct ssh_host host = {
        .command = command,
        .name = arena_string(arena, address),
        .user = args_value(&command->args, FLAG_DISCOVER_USER),
        .key = args_value(&command->args, FLAG_DISCOVER_KEY),
        .port = port == 0 || port == SETUP_SSH_PORT
                    ? NULL
                    : arena_printf(arena, "%lld", (long long)port).data,
    };
    struct program_answer answer;
    struct err err;

    if (!ssh_host_open(&host)) {
        return false;
    }
    if (!ssh_host_run(&host, ssh_host_root_line(arena, setup_script(command, address)), bundle,
                      SETUP_MS, &answer, &err) ||
        !ssh_host_judge(&host, "setup", &answer, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (!args_has(&command->args, FLAG_COMMON_QUIET)) {
        command_say(command, arena_printf(arena, "%s  setup      %.*s\n", host.name,
                                          TEXT_ARG(program_last_line(arena, answer.said))));
    }
    return true;
}

/* Forget the row of a machine that was not set up. */
static void setup_row_forget(struct command *command, const struct session *session,
                             const struct doc *row)
{
    struct client_request request = {
        .method = "POST",
        .path = arena_printf(command->arena, "/v1/nodes/%.*s/forget",
                             TEXT_ARG(doc_child_text(row, "id"))),
        .content_type = "application/json",
        .body = TEXT("{}"),
    };
    struct client_answer answer;

    if (session_call(command, session, &request, &answer) && !session_is_done(&answer)) {
        session_refused(command, &answer);
    }
}

struct doc discover_setup_run(struct command *command, const struct session *session,
                              struct text bundle, const struct doc *items)
{
    size_t count = doc_is_list(items) ? items->item_count : 0;
    struct doc *kept = arena_array(command->arena, struct doc, count);
    size_t kept_count = 0;

    for (size_t i = 0; i < count; i++) {
        if (setup_host_run(command, bundle, &items->items[i])) {
            kept[kept_count++] = items->items[i];
        } else {
            setup_row_forget(command, session, &items->items[i]);
        }
    }
    return doc_list(kept, kept_count, NULL);
}
