/* reeve ui: prints a link that logs a browser in. */
#include "cli/manager/session.h"
#include "codec/doc_child.h"

/* Return the address of the page: the public address from the manager's configuration, or else the
 * address that this command uses, if a browser can use it, or else the address at which the manager
 * listens. */
static struct text ui_base_of(const struct session *session, const struct doc *answer)
{
    const struct address *address = &session->client.address;
    bool is_reported = text_is(doc_child_text(answer, "public"), "true");

    return is_reported || address->kind == ADDRESS_UNIX ? doc_child_text(answer, "address")
                                                        : address->url;
}

enum exit_code verb_ui(struct command *command)
{
    struct client_request request = { .method = "POST", .path = TEXT("/v1/links") };
    struct session session;
    struct text base;
    struct doc answer;

    if (!session_open(command, &session) || !session_ask(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    base = ui_base_of(&session, &answer);
    if (base.length == 0) {
        err_hint(
            err_list_set(
                &command->errors, (struct place){ 0 }, CODE_R0761,
                "this manager listens only at its unix socket, which a browser cannot open"),
            "start it with --listen-plain 127.0.0.1:8080, or add listen: to its configuration");
        return EXIT_CODE_UNAVAILABLE;
    }
    /* browsers do not send the part after #, so the link is not logged; the page reads it and
     * removes it from the address */
    buf_printf(&command->out, "%.*s/ui/#link=%.*s\n", TEXT_ARG(base),
               TEXT_ARG(doc_child_text(&answer, "link")));
    if (args_has(&command->args, FLAG_UI_PRINT)) {
        return EXIT_CODE_DONE;
    }
    buf_printf(&command->notes, "open the link within %lld s; it works once\n",
               (long long)doc_child_number(&answer, "seconds"));
    if (!text_is(doc_child_text(&answer, "page"), "true")) {
        buf_add_string(&command->notes,
                       "this manager was built without the page: the link shows how to add it\n");
    }
    return EXIT_CODE_DONE;
}
