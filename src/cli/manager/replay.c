#include "cli/manager/replay.h"

#include "base/hex.h"
#include "codec/doc_child.h"

/* Read the record of a pass as it was sent. */
static bool replay_record_read(struct command *command, const struct doc *answer, int64_t number,
                               struct ledger_pass *out)
{
    struct text digits = doc_child_text(answer, "record");
    char *bytes = arena_alloc(command->arena, digits.length / 2 + 1);
    struct text value = { bytes, digits.length / 2 };
    struct err *added;
    struct err err;

    if (digits.length == 0) {
        added = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0435,
                             "pass %lld is not stored: its input was too large", (long long)number);
        (void)!err_hint(added, "reeve why without --replay shows the rule and the fact");
        return false;
    }
    if (!hex_is(digits)) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0558,
                     "the record of pass %lld is not valid", (long long)number);
        return false;
    }
    hex_parse(digits, bytes);
    if (!ledger_read(command->arena, &value, 1, out, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    if (out->head.version != PLAN_VERSION) {
        added = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0436,
                             "pass %lld was decided by planner version %u, and this is version %d",
                             (long long)number, out->head.version, PLAN_VERSION);
        (void)!err_hint(added, "replay it with the reeve of that version");
        return false;
    }
    return true;
}

/* Cut the next line from the front of a text. */
static struct text replay_line_take(struct text *lines)
{
    struct text line = text_slice(*lines, 0, text_find_byte(*lines, '\n'));

    *lines = text_slice(*lines, line.length + 1, lines->length);
    return line;
}

static void difference_find(struct command *command, const struct ledger_pass *pass,
                            struct text again, struct replay *out)
{
    struct plan plans[2];
    struct text lines[2];
    struct err err;

    out->was = TEXT("the stored input cannot be read");
    out->now = TEXT("");
    if (!ledger_plan_read(command->arena, pass, pass->decision, &plans[0], &err) ||
        !ledger_plan_read(command->arena, pass, again, &plans[1], &err)) {
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        lines[i] = plan_lines(command->arena, &pass->world, &plans[i]);
    }
    do {
        out->was = replay_line_take(&lines[0]);
        out->now = replay_line_take(&lines[1]);
    } while (text_is_equal(out->was, out->now) && lines[0].length + lines[1].length > 0);
}

bool replay_pass(struct command *command, const struct session *session, struct text cluster,
                 int64_t number, struct replay *out)
{
    struct ledger_pass pass;
    struct text again;
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_printf(&path, "/v1/passes/%lld?view=record&cluster=", (long long)number);
    client_path_add(&path, cluster);
    if (!session_get(command, session, buf_text(&path), &answer) ||
        !replay_record_read(command, &answer, number, &pass)) {
        return false;
    }
    again = ledger_replay(command->arena, &pass);
    *out = (struct replay){ .head = pass.head,
                            .decision_bytes = pass.decision.length,
                            .is_same = text_is_equal(again, pass.decision) };
    if (!out->is_same) {
        difference_find(command, &pass, again, out);
    }
    return true;
}
