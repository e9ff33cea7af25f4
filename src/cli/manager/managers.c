#include "cli/manager/managers.h"

#include "base/macros.h"
#include "cli/args/when.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"

/* public names start with: managers_ */

bool managers_get(struct command *command, const struct session *session, struct text cluster,
                  struct doc *out)
{
    struct client_request request = { .method = "GET" };
    struct client_answer answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/managers");
    if (cluster.length > 0) {
        buf_add_string(&path, "?cluster=");
        client_path_add(&path, cluster);
    }
    request.path = buf_text(&path);
    *out = doc_map(NULL, 0, NULL);
    if (!session_call(command, session, &request, &answer)) {
        return false;
    }
    return !session_is_done(&answer) || session_parse(command, &answer, out);
}

struct text managers_summary(struct command *command, const struct doc *managers)
{
    static const char *const states[] = {
        "live", "draining", "drained", "silent", "ended", "gone"
    };
    const struct doc *items = doc_child(managers, "items");
    struct text note = doc_child_text(managers, "note");
    const char *before = ": ";
    struct buf buf;

    if (!doc_is_list(items) || note.length > 0) {
        return note;
    }
    buf_init(&buf, command->arena);
    buf_printf(&buf, "%zu manager%s", items->item_count, TEXT_PLURAL(items->item_count));
    for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
        size_t count = 0;

        for (size_t j = 0; j < items->item_count; j++) {
            count += text_is(doc_child_text(&items->items[j], "state"), states[i]);
        }
        if (count > 0) {
            buf_printf(&buf, "%s%zu %s", before, count, states[i]);
            before = ", ";
        }
    }
    return buf_text(&buf);
}

void managers_waiting_write(struct command *command, const struct doc *managers, size_t lines)
{
    const struct doc *waiting = doc_child(managers, "waiting");
    size_t count = doc_is_list(waiting) ? waiting->item_count : 0;

    if (count > 0) {
        buf_printf(&command->out, "clusters without a manager %zu\n", count);
    }
    for (size_t i = 0; i < count && i < lines; i++) {
        const struct doc *one = &waiting->items[i];

        buf_add_string(&command->out, "  ! ");
        glyph_write_text(&command->out, doc_child_text(one, "cluster"));
        buf_printf(&command->out,
                   "  since %.*s: ", TEXT_ARG(when_format(command, doc_child_text(one, "since"))));
        glyph_write_text(&command->out, doc_child_text(one, "reason"));
        buf_add_string(&command->out, "\n");
    }
    if (count > lines) {
        buf_printf(&command->out, "  ... and %zu more: %s manager status\n", count - lines,
                   command->program);
    }
}

static void managers_member_write(struct command *command, const struct doc *member)
{
    struct text reason = doc_child_text(member, "reason");
    struct text name = doc_child_text(member, "name");

    buf_add_string(&command->out, "  member ");
    glyph_write_text(&command->out, name.length > 0 ? name : doc_child_text(member, "peer"));
    buf_printf(&command->out, "  %.*s%s", TEXT_ARG(doc_child_text(member, "kind")),
               text_is(doc_child_text(member, "leader"), "true") ? ", leader" : "");
    if (text_is(doc_child_text(member, "state"), "answers")) {
        buf_printf(&command->out, ", %.*s entries behind", TEXT_ARG(doc_child_text(member, "lag")));
    } else {
        buf_printf(&command->out, ", silent for %.*s s",
                   TEXT_ARG(doc_child_text(member, "silentSeconds")));
    }
    if (reason.length > 0) {
        buf_add_string(&command->out, ": ");
        glyph_write_text(&command->out, reason);
    }
    buf_add_string(&command->out, "\n");
}

void managers_level_write(struct command *command, const struct doc *managers, bool has_members)
{
    const struct doc *members = doc_child(managers, "members");
    struct text level = doc_child_text(managers, "level");
    struct text reason = doc_child_text(managers, "levelReason");

    if (level.length == 0 || (!has_members && text_is(level, "A"))) {
        return;
    }
    buf_printf(&command->out, "store level %.*s", TEXT_ARG(level));
    if (reason.length > 0) {
        buf_add_string(&command->out, ": ");
        glyph_write_text(&command->out, reason);
    }
    buf_add_string(&command->out, "\n");
    for (size_t i = 0; has_members && doc_is_list(members) && i < members->item_count; i++) {
        managers_member_write(command, &members->items[i]);
    }
}
