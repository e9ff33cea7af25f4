#include "fetch/order.h"

#include "base/buf.h"
#include "base/hex.h"
#include "base/limits.h"
#include "codec/json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { DIGEST_DIGITS = 64 };

static struct text order_text_of(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static uint64_t order_number_of(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    return text_parse_int64(order_text_of(doc, name), &number) && number > 0 ? (uint64_t)number : 0;
}

static struct text order_json_of(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static bool is_order_digest(struct text text)
{
    return text.length == DIGEST_DIGITS && hex_is(text);
}

MUST_CHECK static bool order_refuse(const char *what, struct err *err)
{
    return err_set(err, CODE_R0650, "a message between reeve-fetch and its manager has no %s",
                   what);
}

/* ---- orders ---- */

static struct doc networks_doc(struct arena *arena, const struct fetch_order *order)
{
    struct doc *items = arena_array(arena, struct doc, order->allowed_count);

    for (size_t i = 0; i < order->allowed_count; i++) {
        char words[FETCH_IP_TEXT_BYTES];

        fetch_ip_format(&order->allowed[i].ip, words);
        items[i] = doc_text(arena_printf(arena, "%s/%u", words, order->allowed[i].bits), NULL);
    }
    return doc_list(items, order->allowed_count, NULL);
}

struct text fetch_order_format(struct arena *arena, const struct fetch_order *order)
{
    struct doc_builder builder;

    assert(order->allowed_count <= LIMIT_FETCH_NETWORKS);
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "allow", networks_doc(arena, order));
    doc_builder_put(&builder, "also", doc_text(order->also, NULL));
    doc_builder_put(&builder, "ca", doc_bool(order->has_ca, NULL));
    doc_builder_put(&builder, "deadline", doc_int(arena, (int64_t)order->deadline_ms, NULL));
    doc_builder_put(&builder, "file", doc_bool(order->has_file, NULL));
    doc_builder_put(&builder, "sha256", doc_text(order->sha256, NULL));
    doc_builder_put(&builder, "slow", doc_int(arena, (int64_t)order->slow_ms, NULL));
    doc_builder_put(&builder, "url", doc_text(order->url, NULL));
    return order_json_of(arena, &builder);
}

bool fetch_order_parse(struct arena *arena, struct text bytes, struct fetch_order *out,
                       struct err *err)
{
    struct fetch_order order = { 0 };
    const struct doc *networks;
    struct doc doc;

    if (bytes.length > LIMIT_FETCH_ORDER_BYTES || !json_parse(arena, bytes, NULL, &doc, err) ||
        !doc_is_map(&doc)) {
        return order_refuse("order", err);
    }
    order.url = order_text_of(&doc, "url");
    order.also = order_text_of(&doc, "also");
    order.sha256 = order_text_of(&doc, "sha256");
    order.deadline_ms = order_number_of(&doc, "deadline");
    order.slow_ms = order_number_of(&doc, "slow");
    order.has_ca = text_is(order_text_of(&doc, "ca"), "true");
    order.has_file = text_is(order_text_of(&doc, "file"), "true");
    if (order.url.length == 0 || order.deadline_ms == 0 || order.slow_ms == 0 ||
        (order.sha256.length > 0 && !is_order_digest(order.sha256))) {
        return order_refuse("address, digest or deadline", err);
    }
    networks = doc_child(&doc, "allow");
    if (!doc_is_list(networks) || networks->item_count > LIMIT_FETCH_NETWORKS) {
        return order_refuse("list of networks", err);
    }
    for (size_t i = 0; i < networks->item_count; i++) {
        if (!doc_is_scalar(&networks->items[i]) ||
            !fetch_net_parse(networks->items[i].text, &order.allowed[order.allowed_count++], err)) {
            return order_refuse("network", err);
        }
    }
    *out = order;
    return true;
}

/* ---- answers ---- */

struct text fetch_answer_format(struct arena *arena, const struct fetch_answer *answer)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (!answer->is_good) {
        doc_builder_put(&builder, "code",
                        doc_text(text_from(code_get(answer->err.code)->name), NULL));
        doc_builder_put(&builder, "error", doc_text(text_from(answer->err.text), NULL));
        doc_builder_put(&builder, "hint", doc_text(text_from(answer->err.hint), NULL));
        return order_json_of(arena, &builder);
    }
    assert(is_order_digest(text_from(answer->digest)));
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)answer->bytes, NULL));
    doc_builder_put(&builder, "digest", doc_text(text_from(answer->digest), NULL));
    doc_builder_put(&builder, "url", doc_text(answer->url, NULL));
    doc_builder_put(&builder, "version", doc_text(answer->version, NULL));
    return order_json_of(arena, &builder);
}

bool fetch_answer_parse(struct arena *arena, struct text bytes, struct fetch_answer *out,
                        struct err *err)
{
    struct fetch_answer answer = { 0 };
    struct text digest;
    struct text code;
    struct doc doc;

    if (bytes.length == 0 || bytes.length > LIMIT_FETCH_ANSWER_BYTES ||
        !json_parse(arena, bytes, NULL, &doc, err) || !doc_is_map(&doc)) {
        return order_refuse("answer", err);
    }
    digest = order_text_of(&doc, "digest");
    code = order_text_of(&doc, "code");
    if (code.length > 0) {
        enum code number = code_find(code);

        err_set(&answer.err, number == CODE_NONE ? CODE_R0650 : number, "%.*s",
                TEXT_ARG(order_text_of(&doc, "error")));
        err_hint(&answer.err, "%.*s", TEXT_ARG(order_text_of(&doc, "hint")));
    } else if (!is_order_digest(digest) || order_number_of(&doc, "bytes") > LIMIT_FETCH_BYTES) {
        return order_refuse("digest", err);
    } else {
        answer.is_good = true;
        memcpy(answer.digest, digest.data, DIGEST_DIGITS);
        answer.bytes = order_number_of(&doc, "bytes");
        answer.url = order_text_of(&doc, "url");
        answer.version = order_text_of(&doc, "version");
    }
    *out = answer;
    return true;
}
