#include "codec/doc_child.h"

#include "base/time.h"

struct text doc_child_text(const struct doc *doc, const char *key)
{
    const struct doc *child = doc_child(doc, key);

    return doc_is_scalar(child) ? child->text : TEXT("");
}

int64_t doc_child_number(const struct doc *doc, const char *key)
{
    int64_t number = 0;

    return text_parse_int64(doc_child_text(doc, key), &number) ? number : 0;
}

int64_t doc_child_moment(const struct doc *doc, const char *key)
{
    int64_t moment_ms = 0;

    return time_parse(doc_child_text(doc, key), &moment_ms) ? moment_ms : 0;
}

size_t doc_child_count(const struct doc *doc, const char *key)
{
    const struct doc *child = doc_child(doc, key);

    return doc_is_list(child) ? child->item_count : 0;
}
