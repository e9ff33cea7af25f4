#include "api/request/problem.h"

#include "base/exits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "state/fault.h"

#include <assert.h>

/* Error codes whose HTTP status is more precise than the default status of their category. */
static const struct {
    enum code code;
    unsigned status;
} closer[] = {
    { CODE_R0101, 400 }, { CODE_R0103, 400 }, { CODE_R0104, 400 }, { CODE_R0122, 400 },
    { CODE_R0123, 400 }, { CODE_R0124, 400 }, { CODE_R0410, 401 }, { CODE_R0422, 429 },
    { CODE_R0424, 405 }, { CODE_R0425, 415 }, { CODE_R0432, 428 }, { CODE_R0503, 410 },
    { CODE_R0506, 503 },
};

/* Chooses the error that represents the whole answer: the one that determines the exit code. */
static const struct err *problem_err_choose(const struct err_list *errors)
{
    enum exit_code code = exit_of_errors(errors, true);

    for (size_t i = 0; i < errors->count; i++) {
        if (exit_of_kind(err_kind(&errors->items[i])) == code) {
            return &errors->items[i];
        }
    }
    assert(errors->count > 0);
    return &errors->items[0];
}

unsigned problem_status(const struct problem *problem)
{
    const struct err *err = problem_err_choose(problem->errors);

    if (err->code == CODE_R0401 && problem->is_conditional) {
        return 412;
    }
    for (size_t i = 0; i < ARRAY_COUNT(closer); i++) {
        if (closer[i].code == err->code) {
            return closer[i].status;
        }
    }
    return (unsigned)exit_status_of_kind(err_kind(err));
}

static void problem_string_put(struct doc_builder *builder, const char *key, const char *string)
{
    if (string[0] != '\0') {
        doc_builder_put(builder, key, doc_text(text_from(string), NULL));
    }
}

void problem_format(struct buf *buf, const struct problem *problem)
{
    struct arena *arena = buf->arena;
    const struct err *first = problem_err_choose(problem->errors);
    const struct code_page *page = code_get(first->code);
    size_t seen = problem->errors->errors + problem->errors->warnings;
    struct doc *items = arena_array(arena, struct doc, problem->errors->count);
    struct doc_builder builder;
    struct doc body;

    for (size_t i = 0; i < problem->errors->count; i++) {
        items[i] = fault_show(arena, &problem->errors->items[i], problem->is_file);
    }
    doc_builder_init(&builder, arena);
    problem_string_put(&builder, "code", page->name);
    problem_string_put(&builder, "detail", first->text);
    doc_builder_put(&builder, "errors", doc_list(items, problem->errors->count, NULL));
    doc_builder_put(&builder, "exit", doc_int(arena, exit_of_errors(problem->errors, true), NULL));
    problem_string_put(&builder, "hint", first->hint);
    doc_builder_put(&builder, "request", doc_text(problem->request, NULL));
    doc_builder_put(&builder, "status", doc_int(arena, problem_status(problem), NULL));
    problem_string_put(&builder, "title", page->title);
    if (seen > problem->errors->count) {
        doc_builder_put(&builder, "total", doc_int(arena, (int64_t)seen, NULL));
    }
    doc_builder_put(&builder, "type",
                    doc_text(arena_printf(arena, "/errors/%s", page->name), NULL));
    if (seen > problem->errors->count) {
        doc_builder_put(&builder, "warnings",
                        doc_int(arena, (int64_t)problem->errors->warnings, NULL));
    }
    body = doc_builder_map(&builder, NULL);
    json_format(buf, &body);
    if (problem->plan.length > 0) {
        buf->length--; /* drop the closing brace, to append the plan, which is already JSON */
        buf_add_string(buf, ",\"plan\":");
        buf_add(buf, problem->plan);
        buf_add_string(buf, "}");
    }
}

/* ---- one line ---- */

/* Returns the error text of Contiv's cluster manager for a code. */
static const char *problem_contiv_words(enum code code)
{
    return code == CODE_R0823   ? "can't commission the node without existence of a master: "
           : code == CODE_R0824 ? "the change will leave only worker nodes: "
           : code == CODE_R0842 ? "the node is not in discovered state: "
           : code == CODE_R0825 ? "the node already exist: "
           : code == CODE_R0822 || code == CODE_R0827 || code == CODE_R0815
               ? "the transition is not allowed: "
               : "";
}

void problem_line_format(struct buf *buf, const struct problem *problem)
{
    for (size_t i = 0; i < problem->errors->count; i++) {
        const struct err *err = &problem->errors->items[i];

        if (err->severity == ERR_SEVERITY_WARNING) {
            continue;
        }
        buf_printf(buf, "%s%s%s: %s%s%s", buf->length > 0 ? "; " : "",
                   problem_contiv_words(err->code), code_get(err->code)->name, err->text,
                   err->hint[0] == '\0' ? "" : "; ", err->hint);
    }
    buf_add_string(buf, "\n");
}
