#include "client/problem.h"

#include "codec/json.h"

#include <string.h>

static struct text problem_child_text(const struct doc *doc, const char *key)
{
    const struct doc *child = doc_child(doc, key);

    return doc_is_scalar(child) && !doc_is_null(child) ? child->text : TEXT("");
}

/* Returns the error code for an HTTP status if the body of the answer cannot be parsed. */
static enum code code_of_status(int status)
{
    switch (status) {
    case 401:
        return CODE_R0410;
    case 403:
        return CODE_R0409;
    case 404:
        return CODE_R0403;
    case 409:
    case 412:
    case 428:
        return CODE_R0401;
    case 503:
        return CODE_R0501;
    case 504:
        return CODE_R0016;
    default:
        return CODE_R0017;
    }
}

/* Count the errors and warnings that the manager has found and not listed: a list has a limit. */
static void problem_rest_count(const struct doc *problem, size_t errors_before,
                               size_t warnings_before, struct err_list *errors)
{
    int64_t listed_errors = (int64_t)(errors->errors - errors_before);
    int64_t listed_warnings = (int64_t)(errors->warnings - warnings_before);
    int64_t total = 0;
    int64_t warnings = 0;

    if (text_parse_int64(problem_child_text(problem, "total"), &total) &&
        text_parse_int64(problem_child_text(problem, "warnings"), &warnings) &&
        warnings >= listed_warnings && total - warnings >= listed_errors) {
        errors->errors = errors_before + (size_t)(total - warnings);
        errors->warnings = warnings_before + (size_t)warnings;
    }
}

/* An error of a newer manager may have a code that this version does not know. */
static void problem_item_read(int status, const struct doc *item, struct text text,
                              problem_place_fn *find, void *arg, struct err_list *errors)
{
    struct text name = problem_child_text(item, "code");
    enum code code = code_find(name);
    struct text pointer = problem_child_text(item, "pointer");
    struct text note = problem_child_text(item, "note");
    struct text hint = problem_child_text(item, "hint");
    struct err err;
    int64_t document = -1;

    if (code == CODE_NONE) {
        code = code_of_status(status);
        err_set(&err, code, "%.*s [%.*s]", TEXT_ARG(text), TEXT_ARG(name));
    } else {
        err_set(&err, code, "%.*s", TEXT_ARG(text));
    }
    if (text_is(problem_child_text(item, "severity"), "warning")) {
        err.severity = ERR_SEVERITY_WARNING;
    }
    if (note.length > 0) {
        err_note(&err, "%.*s", TEXT_ARG(note));
    }
    if (hint.length > 0) {
        err_hint(&err, "%.*s", TEXT_ARG(hint));
    }
    if (pointer.length < sizeof(err.path)) {
        memcpy(err.path, pointer.data == NULL ? "" : pointer.data, pointer.length);
        err.path[pointer.length] = '\0';
    }
    (void)!text_parse_int64(problem_child_text(item, "document"), &document);
    if (find != NULL && (document >= 0 || pointer.length > 0)) {
        err_place(&err, find(arg, document < 0 ? 0 : (size_t)document, pointer, code));
    }
    err_list_add(errors, &err);
}

void problem_read_items(const struct doc *items, int status, problem_place_fn *find, void *arg,
                        struct err_list *errors)
{
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        struct text text = problem_child_text(&items->items[i], "text");

        if (text.length == 0) {
            text = problem_child_text(&items->items[i], "detail");
        }
        problem_item_read(status, &items->items[i], text, find, arg, errors);
    }
}

void problem_read(struct arena *arena, const struct client_answer *answer, problem_place_fn *find,
                  void *arg, struct err_list *errors, struct doc *out_plan)
{
    size_t before = errors->errors;
    size_t warnings_before = errors->warnings;
    struct doc problem;
    struct err err;

    *out_plan = (struct doc){ 0 };
    if (!json_parse(arena, answer->body, NULL, &problem, &err) || !doc_is_map(&problem)) {
        err_hint(err_list_set(errors, (struct place){ 0 }, code_of_status(answer->head.status),
                              "the manager answered with status %d", answer->head.status),
                 "check that a manager listens there: reeve context show");
        return;
    }
    problem_read_items(doc_child(&problem, "errors"), answer->head.status, find, arg, errors);
    problem_rest_count(&problem, before, warnings_before, errors);
    if (errors->errors == before) {
        struct text text = problem_child_text(&problem, "detail");

        problem_item_read(answer->head.status, &problem,
                          text.length > 0 ? text : problem_child_text(&problem, "title"), NULL,
                          NULL, errors);
    }
    if (doc_is_map(doc_child(&problem, "plan"))) {
        *out_plan = *doc_child(&problem, "plan");
    }
}
