/* reeve audit: verifies that no event is missing, and that every event has its original content. */
#include "cli/manager/session.h"
#include "codec/doc_child.h"
#include "codec/json.h"

enum exit_code verb_audit(struct command *command)
{
    struct session session;
    struct text fault;
    struct doc audit;

    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/audit?verify=1"), &audit)) {
        return EXIT_CODE_FAILED;
    }
    if (command_output_is(command, "json")) {
        json_format_pretty(&command->out, &audit);
    } else {
        buf_printf(&command->out, "%.*s events were written, %.*s of them dropped for their age\n",
                   TEXT_ARG(doc_child_text(&audit, "written")),
                   TEXT_ARG(doc_child_text(&audit, "dropped")));
        buf_printf(&command->out, "%.*s\n", TEXT_ARG(doc_child_text(&audit, "head")));
    }
    fault = doc_child_text(&audit, "fault");
    if (fault.length > 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0578,
                              "the events do not match their hash chain: %.*s", TEXT_ARG(fault)),
                 "compare with an earlier backup; reeve events shows the remaining events");
        return EXIT_CODE_FAILED;
    }
    return EXIT_CODE_DONE;
}
