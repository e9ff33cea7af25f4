#include "state/revoked.h"

#include "base/buf.h"
#include "codec/json.h"

#include <assert.h>

/* Number of hexadecimal digits that distinguish a token from all others: 6 bytes of its series and
 * 4 bytes of its number in the series (records/series.h). With fewer digits, the id would also
 * revoke the next machine in the slot. */
enum { TOKEN_PART = 20 };

struct text revoked_id(struct arena *arena, struct text name, struct text token)
{
    return arena_printf(arena, "%.*s.%.*s", TEXT_ARG(name),
                        TEXT_ARG(text_slice(token, 0, TOKEN_PART)));
}

struct text revoked_key_body(struct text line)
{
    size_t first = text_find_byte(line, ' ');
    struct text rest = text_slice(line, first == SIZE_MAX ? line.length : first + 1, SIZE_MAX);
    size_t second = text_find_byte(rest, ' ');

    return second == SIZE_MAX ? line : text_slice(line, 0, first + 1 + second);
}

static void revoked_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

struct text revoked_format(struct arena *arena, const struct revoked *revoked)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    assert(revoked->id.length > 0 && revoked->until_ms > 0);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_int(arena, revoked->at_ms, NULL));
    revoked_text_put(&builder, "by", revoked->by);
    revoked_text_put(&builder, "id", revoked->id);
    revoked_text_put(&builder, "name", revoked->name);
    revoked_text_put(&builder, "root", revoked->keys[0]);
    doc_builder_put(&builder, "until", doc_int(arena, revoked->until_ms, NULL));
    revoked_text_put(&builder, "user", revoked->keys[1]);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static struct text revoked_word_of(const struct doc *map, const char *key)
{
    const struct doc *value = doc_child(map, key);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

bool revoked_parse(struct arena *arena, struct text bytes, struct revoked *out, struct err *err)
{
    struct revoked revoked;
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err) || !doc_is_map(&doc)) {
        return err_set(err, CODE_R0753, "the revocation record of a machine cannot be read");
    }
    revoked = (struct revoked){
        .id = revoked_word_of(&doc, "id"),
        .name = revoked_word_of(&doc, "name"),
        .keys = { revoked_word_of(&doc, "root"), revoked_word_of(&doc, "user") },
        .by = revoked_word_of(&doc, "by"),
    };
    if (revoked.id.length == 0 || !text_parse_int64(revoked_word_of(&doc, "at"), &revoked.at_ms) ||
        !text_parse_int64(revoked_word_of(&doc, "until"), &revoked.until_ms)) {
        return err_set(err, CODE_R0753, "the revocation record of a machine is incomplete");
    }
    *out = revoked;
    return true;
}
