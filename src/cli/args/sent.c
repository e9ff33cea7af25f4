#include "cli/args/sent.h"

#include "client/problem.h"

#include <string.h>

/* True if an error is about a key: the value is not a scalar, or the field is unknown. */
static bool is_about_key(enum code code, const struct doc *value)
{
    return code == CODE_R0301 || code == CODE_R0303 || code == CODE_R0306 || !doc_is_scalar(value);
}

/* Return the map entry to which a JSON pointer refers. NULL: the pointer refers to a list item, or
 * to nothing. */
static const struct doc_entry *sent_entry_at(struct arena *arena, const struct doc *document,
                                             struct text pointer)
{
    size_t slash = pointer.length;
    struct buf key;
    struct text step;

    while (slash > 0 && pointer.data[slash - 1] != '/') {
        slash--;
    }
    if (slash == 0) {
        return NULL;
    }
    step = text_slice(pointer, slash, pointer.length);
    buf_init(&key, arena);
    for (size_t i = 0; i < step.length; i++) {
        bool is_escape = step.data[i] == '~' && i + 1 < step.length;

        buf_add_bytes(&key, !is_escape ? step.data[i] : step.data[i + 1] == '1' ? '/' : '~', 1);
        i += is_escape ? 1 : 0;
    }
    return doc_entry_find(doc_at(document, text_slice(pointer, 0, slash - 1)), buf_text(&key));
}

struct finder {
    struct arena *arena;
    const struct sent *sent;
};

static struct place sent_place_find(void *arg, size_t document, struct text pointer, enum code code)
{
    const struct finder *finder = arg;
    const struct doc *root;
    const struct doc *value;
    const struct doc_entry *entry;

    if (document >= finder->sent->count) {
        return (struct place){ 0 };
    }
    root = &finder->sent->documents[document];
    value = doc_at(root, pointer);
    entry = sent_entry_at(finder->arena, root, pointer);
    while (value == NULL &&
           /* the field is missing: use the place of the map that should contain it */
           pointer.length > 0) {
        do {
            pointer.length--;
        } while (pointer.length > 0 && pointer.data[pointer.length] != '/');
        value = doc_at(root, pointer);
        entry = sent_entry_at(finder->arena, root, pointer);
    }
    if (pointer.length == 0 && doc_child(root, "name") != NULL) {
        return doc_place(doc_child(root, "name"));
    }
    if (entry != NULL && is_about_key(code, value)) {
        struct place place = doc_key_place(entry);

        return place_is_known(place) ? place : doc_place(value);
    }
    return value == NULL ? (struct place){ 0 } : doc_place(value);
}

/* Find the same error among the errors that this command has found, because those have exact
 * places, also for notes. */
static const struct err *known_find(const struct err_list *known, const struct err *err)
{
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        if (known->items[i].code == err->code && strcmp(known->items[i].text, err->text) == 0) {
            return &known->items[i];
        }
    }
    return NULL;
}

/* Add the errors of the manager, each at the line of the file. */
static void reported_add(struct command *command, const struct sent *sent,
                         struct err_list *reported)
{
    for (size_t i = 0; i < reported->count; i++) {
        const struct err *known = known_find(sent->known, &reported->items[i]);

        if (known != NULL && known->severity == ERR_SEVERITY_WARNING) {
            continue; /* warnings about files were already reported when the files were read */
        }
        if (known != NULL) {
            reported->items[i].place = known->place;
            reported->items[i].note_place = known->note_place;
        }
        err_list_add(&command->errors, &reported->items[i]);
    }
}

void sent_warned(struct command *command, const struct sent *sent, const struct doc *answer)
{
    static const struct sent nothing = { 0 };
    struct finder finder = { command->arena, sent == NULL ? &nothing : sent };
    struct err_list reported;

    err_list_init(&reported, command->arena);
    problem_read_items(doc_child(answer, "warnings"), 200, sent_place_find, &finder, &reported);
    reported_add(command, finder.sent, &reported);
}

void sent_refused(struct command *command, const struct sent *sent,
                  const struct client_answer *answer, struct doc *out_plan)
{
    static const struct sent nothing = { 0 };
    struct finder finder = { command->arena, sent == NULL ? &nothing : sent };
    struct err_list reported;

    err_list_init(&reported, command->arena);
    problem_read(command->arena, answer, sent_place_find, &finder, &reported, out_plan);
    reported_add(command, finder.sent, &reported);
    command->errors.errors +=
        reported.errors > reported.count ? reported.errors - reported.count : 0;
}
