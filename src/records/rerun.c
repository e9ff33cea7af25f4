#include "records/rerun.h"

#include "base/buf.h"
#include "codec/json.h"

struct text rerun_format(struct arena *arena, const struct rerun *rerun)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, rerun->at_ms, NULL));
    doc_builder_put(&builder, "by", doc_text(rerun->by, NULL));
    if (!rerun->is_failed) {
        doc_builder_put(&builder, "from", doc_int(arena, (int64_t)rerun->from, NULL));
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

bool rerun_parse(struct arena *arena, struct text bytes, struct rerun *out, struct err *err)
{
    const struct doc *from;
    const struct doc *at;
    const struct doc *by;
    int64_t number = 0;
    struct rerun rerun = { 0 };
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err) || !doc_is_map(&doc)) {
        return err_set(err, CODE_R0755, "a request to run stages again cannot be read");
    }
    from = doc_child(&doc, "from");
    at = doc_child(&doc, "at");
    by = doc_child(&doc, "by");
    if (!doc_is_scalar(at) || !text_parse_int64(at->text, &rerun.at_ms) ||
        (from != NULL &&
         (!doc_is_scalar(from) || !text_parse_int64(from->text, &number) || number < 0))) {
        return err_set(err, CODE_R0755, "a request to run stages again is incomplete");
    }
    rerun.is_failed = from == NULL;
    rerun.from = (uint64_t)number;
    rerun.by = doc_is_scalar(by) ? by->text : TEXT("");
    *out = rerun;
    return true;
}
