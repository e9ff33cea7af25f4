/* Answers of a provider in XML: no bytes break the reader, rows are what the whole tree has at their
 * path, and the pieces in which the bytes arrive change nothing. */
#include "fuzz.h"
#include "xml.h"

enum { ARENA_BYTES = 256 * 1024 * 1024 };

struct seen {
    size_t count;
    uint64_t hash;
};

/* A hash of the tree. */
static uint64_t tree_hash(const struct xml_node *node, uint64_t seed)
{
    uint64_t hash = text_hash(node->text, text_hash(node->name, seed));

    for (const struct xml_node *child = node->first; child != NULL; child = child->next) {
        hash = tree_hash(child, hash * 31 + 1);
    }
    return hash;
}

static bool on_row(void *arg, const struct xml_node *row)
{
    struct seen *seen = arg;

    seen->count++;
    seen->hash = tree_hash(row, seen->hash);
    return true;
}

/* Reads in pieces of `step` bytes. Returns whether the document is valid. */
static bool read_rows(struct text bytes, size_t step, struct seen *seen, uint64_t *out_rest)
{
    AUTO(arena) arena = arena_new_small(ARENA_BYTES);
    struct xml_reader *reader = xml_reader_new(arena, TEXT("s/item"), on_row, seen);
    const struct xml_node *root = NULL;
    bool goes_on = true;

    for (size_t i = 0; i < bytes.length && goes_on; i += step) {
        goes_on = xml_reader_add(reader, text_slice(bytes, i, step));
    }
    if (goes_on) {
        root = xml_reader_end(reader);
    }
    *out_rest = root == NULL ? 0 : tree_hash(root, 0);
    xml_reader_free(reader);
    return root != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text bytes = { (const char *)data, size };
    AUTO(arena) arena = arena_new_small(ARENA_BYTES);
    const struct xml_node *root = xml_parse(arena, bytes);
    struct seen whole = { 0 };
    struct seen parts = { 0 };
    uint64_t rest[2];
    bool is_valid = read_rows(bytes, size + 1, &whole, &rest[0]);
    size_t count = 0;

    FUZZ_CHECK(read_rows(bytes, 1 + size % 7, &parts, &rest[1]) == is_valid);
    if (!is_valid) {
        return 0;
    }
    FUZZ_CHECK(root != NULL);
    FUZZ_CHECK(whole.count == parts.count && whole.hash == parts.hash && rest[0] == rest[1]);
    for (const struct xml_node *list = root->first; list != NULL; list = list->next) {
        for (const struct xml_node *item = list->first; text_is(list->name, "s") && item != NULL;
             item = item->next) {
            count += text_is(item->name, "item");
        }
    }
    FUZZ_CHECK(count == whole.count);
    return 0;
}
