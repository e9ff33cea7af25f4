#include "records/accepted.h"

#include "base/buf.h"
#include "codec/json.h"
#include "records/record.h"

struct text accepted_format(struct arena *arena, const struct accepted *accepted)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, accepted->at_ms, NULL));
    doc_builder_put(&builder, "by", doc_text(accepted->by, NULL));
    doc_builder_put(&builder, "key", doc_text(accepted->key, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

bool accepted_parse(struct arena *arena, struct text bytes, struct text *out_key)
{
    const struct doc *key;
    struct doc doc;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    key = doc_child(&doc, "key");
    *out_key = doc_is_scalar(key) ? key->text : TEXT("");
    return out_key->length > 0 && record_is_sentence(*out_key);
}
