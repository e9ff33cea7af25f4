/* XML answers of a provider: no input breaks the parser; rows equal the elements at their path in
 * the whole tree; and the result depends neither on the pieces in which the bytes arrive nor on the
 * removal of unused elements. */
#include "fuzz.h"
#include "xml.h"

enum { ARENA_BYTES = 256 * 1024 * 1024 };

struct seen {
    size_t count;
    uint64_t hash;
    uint64_t kept_hash;
};

/* Returns a hash of the tree. */
static uint64_t tree_hash(const struct xml_node *node, uint64_t seed)
{
    uint64_t hash = text_hash(node->text, text_hash(node->name, seed));

    for (const struct xml_node *child = node->first; child != NULL; child = child->next) {
        hash = tree_hash(child, hash * 31 + 1);
    }
    return hash;
}

static const char *const kept[] = { "id", "in", NULL };

/* Returns a hash of the kept children of a row. Text between them is ignored, because it may arrive
 * in other pieces. */
static uint64_t kept_hash(const struct xml_node *row, uint64_t seed)
{
    uint64_t hash = seed;

    for (const struct xml_node *child = row->first; child != NULL; child = child->next) {
        if (text_is(child->name, kept[0]) || text_is(child->name, kept[1])) {
            hash = tree_hash(child, hash * 31 + 1);
        }
    }
    return hash;
}

static bool on_row(void *arg, const struct xml_node *row)
{
    struct seen *seen = arg;

    seen->count++;
    seen->hash = tree_hash(row, seen->hash);
    seen->kept_hash = kept_hash(row, seen->kept_hash);
    return true;
}

/* Parses the bytes in pieces of `step` bytes. Returns whether the document is valid. */
static bool read_rows(struct text bytes, size_t step, bool is_filtered, struct seen *seen,
                      uint64_t *out_rest)
{
    AUTO(arena) arena = arena_new_small(ARENA_BYTES);
    struct xml_reader *reader = xml_reader_new(arena, TEXT("s/item"), on_row, seen);
    const struct xml_node *root = NULL;
    bool goes_on = true;

    if (is_filtered) {
        xml_reader_keep(reader, kept);
    }
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
    struct seen some = { 0 };
    uint64_t rest[3];
    bool is_valid = read_rows(bytes, size + 1, false, &whole, &rest[0]);
    bool is_valid_filtered = read_rows(bytes, 1 + size % 5, true, &some, &rest[2]);
    size_t count = 0;

    FUZZ_CHECK(read_rows(bytes, 1 + size % 7, false, &parts, &rest[1]) == is_valid);
    if (!is_valid) {
        return 0;
    }
    FUZZ_CHECK(root != NULL);
    /* removing elements of a valid document does not change the rest */
    FUZZ_CHECK(is_valid_filtered && some.count == whole.count &&
               some.kept_hash == whole.kept_hash && rest[2] == rest[0]);
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
