/* Writes errors as problem+json (RFC 9457; UX.md 4.1 rule 10), in the format of a manager's answer,
 * with the place in the user's file and the exit code in addition. */
#include "base/exits.h"
#include "cli/term/report.h"
#include "codec/doc.h"

#include <assert.h>

static void report_json_place_put(const struct report *report, struct place place,
                                  struct doc_builder *builder)
{
    const char *name = source_name(report->sources, place.source);

    if (name == NULL) {
        return;
    }
    doc_builder_put(builder, "file", doc_text(text_from(name), NULL));
    if (place.line > 0) {
        doc_builder_put(builder, "line", doc_int(report->arena, place.line, NULL));
        doc_builder_put(builder, "column", doc_int(report->arena, place.column, NULL));
        doc_builder_put(builder, "length", doc_int(report->arena, place.length, NULL));
    }
}

static void report_json_string_put(struct doc_builder *builder, const char *key, const char *string)
{
    if (string[0] != '\0') {
        doc_builder_put(builder, key, doc_text(text_from(string), NULL));
    }
}

static struct doc report_json_item_make(const struct report *report, const struct err *err)
{
    struct doc_builder builder;

    doc_builder_init(&builder, report->arena);
    doc_builder_put(&builder, "pointer", doc_text(text_from(err->path), NULL));
    doc_builder_put(&builder, "code", doc_text(text_from(code_get(err->code)->name), NULL));
    doc_builder_put(&builder, "detail", doc_text(text_from(err->text), NULL));
    doc_builder_put(
        &builder, "severity",
        doc_text(err->severity == ERR_SEVERITY_ERROR ? TEXT("error") : TEXT("warning"), NULL));
    report_json_string_put(&builder, "hint", err->hint);
    report_json_string_put(&builder, "note", err->note);
    report_json_place_put(report, err->place, &builder);
    if (source_name(report->sources, err->note_place.source) != NULL) {
        struct doc_builder at;

        doc_builder_init(&at, report->arena);
        report_json_place_put(report, err->note_place, &at);
        doc_builder_put(&builder, "noteAt", doc_builder_map(&at, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

void report_items(const struct report *report, const struct err_list *errors, struct doc *out)
{
    struct doc *items = arena_array(report->arena, struct doc, errors->count);

    for (size_t i = 0; i < errors->count; i++) {
        items[i] = report_json_item_make(report, &errors->items[i]);
    }
    *out = doc_list(items, errors->count, NULL);
}

/* Return the error that determines the exit code. The whole problem has the title of this error. */
static const struct err *report_json_err_choose(const struct err_list *errors, enum exit_code code)
{
    for (size_t i = 0; i < errors->count; i++) {
        if (errors->items[i].severity == ERR_SEVERITY_ERROR &&
            exit_of_kind(err_kind(&errors->items[i])) == code) {
            return &errors->items[i];
        }
    }
    return &errors->items[0];
}

void report_problem(const struct report *report, const struct err_list *errors, struct doc *out)
{
    enum exit_code code = exit_of_errors(errors, report->is_strict);
    const struct err *first = report_json_err_choose(errors, code);
    const struct code_page *page = code_get(first->code);
    struct doc_builder builder;
    struct doc items;

    assert(errors->count > 0);
    report_items(report, errors, &items);
    doc_builder_init(&builder, report->arena);
    doc_builder_put(&builder, "type",
                    doc_text(arena_printf(report->arena, "/errors/%s", page->name), NULL));
    doc_builder_put(&builder, "title", doc_text(text_from(page->title), NULL));
    doc_builder_put(&builder, "status",
                    doc_int(report->arena, exit_status_of_kind(page->kind), NULL));
    doc_builder_put(&builder, "code", doc_text(text_from(page->name), NULL));
    doc_builder_put(&builder, "detail", doc_text(text_from(first->text), NULL));
    doc_builder_put(&builder, "errors", items);
    doc_builder_put(&builder, "total",
                    doc_int(report->arena, (int64_t)(errors->errors + errors->warnings), NULL));
    doc_builder_put(&builder, "exit", doc_int(report->arena, (int64_t)code, NULL));
    *out = doc_builder_map(&builder, NULL);
}
