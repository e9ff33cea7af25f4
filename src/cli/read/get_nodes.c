#include "cli/manager/selected.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: get_ */

const char *const *get_nodes_words(struct command *command, size_t *out_count)
{
    const struct args *args = &command->args;
    struct text first = text_from(args->words[0]);
    size_t slash = text_find_byte(first, '/');
    const char **words;

    if (slash == SIZE_MAX) {
        *out_count = args->argument_count - 1;
        return args->words + 1;
    }
    words = arena_array(command->arena, const char *, args->argument_count);
    words[0] = args->words[0] + slash + 1;
    for (size_t i = 1; i < args->argument_count; i++) {
        words[i] = args->words[i];
    }
    *out_count = args->argument_count;
    return words;
}

/* The state of reading machines, page by page and cluster by cluster. */
struct nodes_reading {
    struct command *command;
    const struct session *session;
    /* If set, its arena holds the data of a page until the next page. NULL: all data is in the
     * command's arena. */
    struct paged *paged;
    get_nodes_page *page;
    void *arg;
    uint64_t revision;
    bool has_changed;
};

static bool page_ask(struct nodes_reading *reading, const struct selected *selected,
                     const struct selected_place *place, struct text next, struct doc *out)
{
    struct buf path;

    buf_init(&path, reading->command->arena);
    buf_add_string(&path, "/v1/nodes");
    selected_parameters(&path, selected, place);
    selected_parameter(&path, "limit",
                       arena_printf(reading->command->arena, "%d", LIMIT_NODES_PAGE));
    selected_parameter(&path, "next", next);
    return session_get(reading->command, reading->session, buf_text(&path), out);
}

static bool pages_read(struct nodes_reading *reading, const struct selected *selected,
                       const struct selected_place *place)
{
    struct command *command = reading->command;
    size_t errors_before = command->errors.errors;
    struct err_list before = command->errors;
    char kept[LIMIT_STORE_KEY_BYTES];
    struct text next = TEXT("");
    struct doc answer;

    do {
        if (!page_ask(reading, selected, place, next, &answer)) {
            bool is_other = selected_is_empty_part(selected, &command->errors, errors_before);

            command->errors = is_other ? before : command->errors;
            return is_other;
        }
        reading->revision = (uint64_t)doc_child_number(&answer, "revision");
        reading->has_changed |= doc_child(&answer, "changed") != NULL;
        reading->page(reading->arg, doc_child(&answer, "items"));
        next = doc_child_text(&answer, "next");
        /* the copy outlives the page that contained the text */
        next.length = next.length < sizeof(kept) ? next.length : 0;
        memcpy(kept, next.data, next.length);
        next.data = kept;
        if (reading->paged != NULL) {
            paged_next(reading->paged);
        }
    } while (next.length > 0);
    return true;
}

static bool get_nodes_place_add(struct nodes_reading *reading, const struct selected *selected,
                                const struct selected_place *place)
{
    struct command *command = reading->command;
    struct arena *memory = command->arena;
    bool is_read;

    command->arena = reading->paged == NULL ? memory : reading->paged->page;
    is_read = pages_read(reading, selected, place);
    command->arena = memory;
    return is_read;
}

/* Add the clusters that a user without a right to the whole tenant may read. */
static bool everywhere_add(struct nodes_reading *reading, struct selected *selected)
{
    struct command *command = reading->command;
    struct err_list before = command->errors;

    if (get_nodes_place_add(reading, selected, NULL)) {
        return true;
    }
    if (command->errors.items[command->errors.count - 1].code != CODE_R0409) {
        return false;
    }
    command->errors = before;
    if (!selected_everywhere(command, reading->session, selected)) {
        return false;
    }
    for (size_t i = 0; i < selected->count; i++) {
        if (!get_nodes_place_add(reading, selected, &selected->items[i])) {
            return false;
        }
    }
    return true;
}

static bool nodes_read(struct nodes_reading *reading)
{
    struct command *command = reading->command;
    const struct args *args = &command->args;
    size_t count;
    const char *const *words = get_nodes_words(command, &count);
    bool is_placed =
        count > 0 || args_named(args, "cluster") != NULL || args_named(args, "group") != NULL;
    struct selected selected = selected_conditions(args);

    if (!is_placed) {
        return everywhere_add(reading, &selected);
    }
    if (!selected_read(command, reading->session, words, count, "reeve get nodes -c shop",
                       &selected)) {
        return false;
    }
    for (size_t i = 0; i < selected.count; i++) {
        if (!get_nodes_place_add(reading, &selected, &selected.items[i])) {
            return false;
        }
    }
    return true;
}

bool get_nodes_pages(struct paged *paged, const struct session *session, get_nodes_page *page,
                     void *arg)
{
    struct command *command = paged->command;
    struct nodes_reading reading = {
        .command = command, .session = session, .paged = paged, .page = page, .arg = arg
    };

    /* only the data of pages is in the arena of pages */
    command->arena = paged->memory;
    if (!nodes_read(&reading)) {
        return false;
    }
    if (reading.has_changed) {
        buf_add_string(
            &command->notes,
            "machines changed while the list was read: each line shows its machine at the time when it was read\n");
    }
    command->arena = paged->page;
    return true;
}

struct list_filling {
    struct command *command;
    struct listing *out;
};

static void listing_fill(void *arg, const struct doc *items)
{
    struct list_filling *filling = arg;

    listing_add(filling->command, filling->out, items);
}

bool get_nodes_list(struct command *command, const struct session *session, struct listing *out)
{
    struct list_filling filling = { command, out };
    struct nodes_reading reading = {
        .command = command, .session = session, .page = listing_fill, .arg = &filling
    };

    *out = (struct listing){ 0 };
    if (!nodes_read(&reading)) {
        return false;
    }
    out->revision = reading.revision;
    return true;
}
