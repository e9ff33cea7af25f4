#include "state/fault.h"

static void fault_string_put(struct doc_builder *builder, const char *key, const char *string)
{
    if (string[0] != '\0') {
        doc_builder_put(builder, key, doc_text(text_from(string), NULL));
    }
}

/* Put the position of the error in the file. */
static void fault_place_put(struct doc_builder *builder, struct place place)
{
    if (place.line > 0) {
        doc_builder_put(builder, "column", doc_int(builder->arena, place.column, NULL));
        doc_builder_put(builder, "length", doc_int(builder->arena, place.length, NULL));
        doc_builder_put(builder, "line", doc_int(builder->arena, place.line, NULL));
    }
}

/* Put the position to which the note refers. */
static void note_place_put(struct doc_builder *builder, struct place place)
{
    struct doc_builder at;

    if (place.line > 0) {
        doc_builder_init(&at, builder->arena);
        fault_place_put(&at, place);
        doc_builder_put(builder, "noteAt", doc_builder_map(&at, NULL));
    }
}

struct doc fault_show(struct arena *arena, const struct err *err, bool is_file)
{
    bool is_error = err->severity == ERR_SEVERITY_ERROR;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    fault_string_put(&builder, "code", code_get(err->code)->name);
    if (err->place.source > 0) {
        doc_builder_put(&builder, "document", doc_int(arena, err->place.source - 1, NULL));
    }
    fault_string_put(&builder, "hint", err->hint);
    fault_string_put(&builder, "note", err->note);
    doc_builder_put(&builder, "pointer", doc_text(text_from(err->path), NULL));
    fault_string_put(&builder, "severity", is_error ? "error" : "warning");
    fault_string_put(&builder, "text", err->text);
    if (is_file) {
        fault_place_put(&builder, err->place);
        note_place_put(&builder, err->note_place);
    }
    return doc_builder_map(&builder, NULL);
}
