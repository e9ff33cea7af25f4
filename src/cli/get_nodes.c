#include "cli/get_nodes.h"

#include "cli/plan_writer.h"
#include "cli/selected.h"

/* The words behind the kind, which may stand before the first of them as well: node/shop/web-0. */
static const char *const *words_of(struct command *command, size_t *out_count)
{
    const struct args *args = &command->args;
    struct text first = text_from(args->words[0]);
    size_t slash = text_find_byte(first, '/');
    const char **words;

    if (slash == SIZE_MAX) {
        *out_count = args->word_count - 1;
        return args->words + 1;
    }
    words = arena_array(command->arena, const char *, args->word_count);
    words[0] = args->words[0] + slash + 1;
    for (size_t i = 1; i < args->word_count; i++) {
        words[i] = args->words[i];
    }
    *out_count = args->word_count;
    return words;
}

static bool place_add(struct command *command, const struct session *session,
                      const struct selected *selected, const struct selected_place *place,
                      struct listing *out)
{
    size_t errors_before = command->errors.errors;
    struct err_list before = command->errors;
    struct doc answer;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/nodes");
    selected_parameters(&path, selected, place);
    if (!session_get(command, session, buf_text(&path), &answer)) {
        bool is_other = selected_is_empty_part(selected, &command->errors, errors_before);

        command->errors = is_other ? before : command->errors;
        return is_other;
    }
    out->revision = (uint64_t)plan_child_number(&answer, "revision");
    listing_add(command, out, doc_child(&answer, "items"));
    return true;
}

/* Whoever has no right to all of the tenant is shown the clusters that he may see. */
static bool everywhere_add(struct command *command, const struct session *session,
                           struct selected *selected, struct listing *out)
{
    struct err_list before = command->errors;

    if (place_add(command, session, selected, NULL, out)) {
        return true;
    }
    if (command->errors.items[command->errors.count - 1].code != CODE_R0409) {
        return false;
    }
    command->errors = before;
    if (!selected_everywhere(command, session, selected)) {
        return false;
    }
    for (size_t i = 0; i < selected->count; i++) {
        if (!place_add(command, session, selected, &selected->items[i], out)) {
            return false;
        }
    }
    return true;
}

bool get_nodes_list(struct command *command, const struct session *session, struct listing *out)
{
    const struct args *args = &command->args;
    size_t count;
    const char *const *words = words_of(command, &count);
    bool is_placed =
        count > 0 || args_named(args, "cluster") != NULL || args_named(args, "group") != NULL;
    struct selected selected = selected_conditions(args);

    *out = (struct listing){ 0 };
    if (!is_placed) {
        return everywhere_add(command, session, &selected, out);
    }
    if (!selected_read(command, session, words, count, "reeve get nodes -c shop", &selected)) {
        return false;
    }
    for (size_t i = 0; i < selected.count; i++) {
        if (!place_add(command, session, &selected, &selected.items[i], out)) {
            return false;
        }
    }
    return true;
}
