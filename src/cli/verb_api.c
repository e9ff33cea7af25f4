/* reeve api: sends a raw request with the address and the rights of the context in use. */
#include "cli/manager/session.h"
#include "sys/file.h"
#include "sys/interrupt.h"

#include <string.h>

static bool api_body_read(struct command *command, const char *data, struct text *out)
{
    struct err err;
    bool is_read = true;

    *out = text_from(data);
    if (strcmp(data, "-") == 0) {
        is_read = file_read_stdin(command->arena, LIMIT_DOCUMENT_BYTES, out, &err);
    } else if (data[0] == '@') {
        is_read = file_read(command->arena, data + 1, LIMIT_DOCUMENT_BYTES, out, &err);
    }
    if (!is_read) {
        err_list_add(&command->errors, &err);
    }
    return is_read;
}

/* Return the content type of the JSON body. For a patch, it depends on the first character of the
 * body. */
static const char *api_type_of(const char *method, struct text body)
{
    struct text start = text_trim(body);

    if (strcmp(method, "PATCH") != 0) {
        return "application/json";
    }
    return start.length > 0 && start.data[0] == '[' ? "application/json-patch+json"
                                                    : "application/merge-patch+json";
}

static struct text method_read(struct command *command, const char *word)
{
    struct text method = arena_printf(command->arena, "%s", word);
    char *letters = arena_string(command->arena, method);

    for (size_t i = 0; i < method.length; i++) {
        letters[i] =
            (char)(letters[i] >= 'a' && letters[i] <= 'z' ? letters[i] - 'a' + 'A' : letters[i]);
    }
    return text_from(letters);
}

enum exit_code verb_api(struct command *command)
{
    const char *data = args_value(&command->args, FLAG_API_DATA);
    struct text method = method_read(command, command->args.words[0]);
    struct client_request request = { .method = method.data,
                                      .path = text_from(command->args.words[1]),
                                      .accept = "*/*" };
    struct client_answer answer;
    struct session session;

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    if (data != NULL) {
        if (!api_body_read(command, data, &request.body)) {
            return EXIT_CODE_FAILED;
        }
        request.content_type = api_type_of(request.method, request.body);
    }
    if (!text_is(method, "GET") && !text_is(method, "HEAD")) {
        request.idempotency_key = session_key(command);
        interrupt_expect(INTERRUPT_DURING);
    }
    if (!session_call(command, &session, &request, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (session_is_done(&answer)) {
        buf_add(&command->out, answer.body);
        buf_add_string(&command->out,
                       answer.body.length == 0 || text_has_suffix(answer.body, TEXT("\n")) ? ""
                                                                                           : "\n");
    } else {
        session_refused(command, &answer);
    }
    return EXIT_CODE_DONE;
}
