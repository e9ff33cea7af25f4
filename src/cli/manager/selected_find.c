/* Gets the selected machines from the manager. */
#include "cli/manager/selected.h"

#include <string.h>

struct selected selected_conditions(const struct args *args)
{
    return (struct selected){ .labels = text_from(args_named(args, "selector")),
                              .states = text_from(args_named(args, "state")),
                              .failed_of = text_from(args_named(args, "failed-of")),
                              .revision = text_from(args_named(args, "revision")) };
}

bool selected_is_empty_part(const struct selected *selected, const struct err_list *errors,
                            size_t count)
{
    enum code code = errors->count == count + 1 ? errors->items[count].code : CODE_NONE;

    return selected->count > 1 && !selected->is_named && (code == CODE_R0780 || code == CODE_R0795);
}

void selected_parameter(struct buf *path, const char *name, struct text value)
{
    if (value.length > 0) {
        buf_add_string(path, memchr(path->data, '?', path->length) == NULL ? "?" : "&");
        buf_add_string(path, name);
        buf_add_string(path, "=");
        client_path_add(path, value);
    }
}

void selected_parameters(struct buf *path, const struct selected *selected,
                         const struct selected_place *place)
{
    if (place != NULL) {
        selected_parameter(path, "cluster", place->cluster);
        selected_parameter(path, "group", place->group);
        selected_parameter(path, "nodes", place->names);
    }
    selected_parameter(path, "selector", selected->labels);
    selected_parameter(path, "state", selected->states);
    selected_parameter(path, "failedOf", selected->failed_of);
    selected_parameter(path, "revision", selected->revision);
}

/* ---- finding ---- */

struct finding {
    struct command *command;
    const struct session *session;
    const struct selected *selected;
    struct selected_node *nodes;
    size_t count;
    size_t room;
};

/* Read CLUSTER/NODE, one per line. */
static void lines_take(struct finding *finding, struct text lines)
{
    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');
        struct text line = text_slice(lines, 0, end);
        size_t slash = text_find_byte(line, '/');

        lines = end == SIZE_MAX ? TEXT("") : text_slice(lines, end + 1, lines.length);
        if (slash == SIZE_MAX) {
            continue;
        }
        if (finding->count == finding->room) {
            size_t room = finding->room == 0 ? 64 : finding->room * 2;

            finding->nodes =
                arena_grow(finding->command->arena, finding->nodes,
                           finding->room * sizeof(*finding->nodes), room * sizeof(*finding->nodes));
            finding->room = room;
        }
        finding->nodes[finding->count++] = (struct selected_node){
            .cluster = text_slice(line, 0, slash),
            .name = text_slice(line, slash + 1, line.length),
        };
    }
}

static bool selected_find_place_find(struct finding *finding, const struct selected_place *place)
{
    struct command *command = finding->command;
    struct err_list before = command->errors;
    struct client_request request = { .method = "GET" };
    struct client_answer answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/inventory/names");
    selected_parameters(&path, finding->selected, place);
    request.path = buf_text(&path);
    if (!session_call(command, finding->session, &request, &answer)) {
        return false;
    }
    if (session_is_done(&answer)) {
        lines_take(finding, answer.body);
        return true;
    }
    session_refused(command, &answer);
    if (!selected_is_empty_part(finding->selected, &command->errors, before.count)) {
        return false;
    }
    command->errors = before;
    return true;
}

bool selected_find(struct command *command, const struct session *session,
                   const struct selected *selected, struct selected_node **out, size_t *out_count)
{
    struct finding finding = { .command = command, .session = session, .selected = selected };

    for (size_t i = 0; i < selected->count; i++) {
        if (!selected_find_place_find(&finding, &selected->items[i])) {
            return false;
        }
    }
    *out = finding.nodes;
    *out_count = finding.count;
    return finding.count > 0 || err_hint(err_list_set(&command->errors, (struct place){ 0 },
                                                      CODE_R0780, "no machine is selected"),
                                         "an empty selection never means all machines");
}
