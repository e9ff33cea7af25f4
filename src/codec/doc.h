#ifndef REEVE_CODEC_DOC_H
#define REEVE_CODEC_DOC_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: doc_ origin_ */

/* One tree type for all documents, whether read from YAML or JSON or made by merging.
 *
 * Scalars keep their spelling. The schema decides the meaning of a spelling; without a schema the
 * core rules of YAML 1.2 apply (doc_core_type). Every key and value has its position in the user's
 * text and its origin.
 *
 * Lifetime: a tree lives in one arena and borrows bytes from the text it was read from (its
 * source), which must be valid as long as the tree.
 *
 * Sharing: trees are never changed after they are built, so several trees may share branches. A
 * struct doc is small and is copied by value.
 *
 * Order: the entries of a map are in byte order of their keys, and keys are unique. */

enum doc_kind {
    DOC_KIND_NONE, /* absent: an all-zero struct doc; never inside a tree */
    DOC_KIND_SCALAR,
    DOC_KIND_LIST,
    DOC_KIND_MAP,
};

/* How a scalar was written. JSON strings are quoted; JSON numbers, true, false, null are plain. */
enum doc_style {
    DOC_STYLE_PLAIN,
    DOC_STYLE_QUOTED, /* '...', "...", | or >: always text */
    DOC_STYLE_EMPTY,  /* no text, as after `web:` */
};

/* The type of a plain scalar by the core rules of YAML 1.2. */
enum doc_type {
    DOC_TYPE_NULL,
    DOC_TYPE_BOOL,
    DOC_TYPE_INT,
    DOC_TYPE_FLOAT,
    DOC_TYPE_TEXT,
    DOC_TYPE_COUNT,
};

/* The source of a value, in the order of FILE.md 6.9. */
enum origin_kind {
    ORIGIN_FILE, /* the document itself */
    ORIGIN_DEFAULT,
    ORIGIN_TEMPLATE,
    ORIGIN_CLONE,
    ORIGIN_DEFAULTS,
    ORIGIN_GROUP,
    ORIGIN_ALTERNATIVE,
    ORIGIN_MEMBER,
    ORIGIN_LIVE,
    ORIGIN_KIND_COUNT,
};

/* The origin of values. All nodes of the same source share one. It is immutable and lives at least
 * as long as the tree. */
struct origin {
    enum origin_kind kind;
    uint16_t source; /* number of the text of the spans; 0: no text */
    /* the named source: "ct/web-std", "cluster/shop", a group's path, a slot; may be empty */
    struct text name;
    uint64_t revision; /* revision of the named object; 0: not from a store */
    /* Position of the `from:` that contributed the value (ORIGIN_TEMPLATE and _CLONE). */
    struct place at;
};

struct doc {
    uint8_t kind;                /* enum doc_kind */
    uint8_t style;               /* enum doc_style; scalars only */
    bool has_faults;             /* a reader omitted an invalid value from this map */
    uint32_t line;               /* line number from 1; 0: unknown */
    uint32_t column;             /* column from 1, in code points */
    uint32_t length;             /* length of its first line, in code points */
    const struct origin *origin; /* NULL: made by the program */
    union {
        struct text text; /* used by scalars */
        struct {          /* used by lists */
            const struct doc *items;
            size_t item_count;
        };
        struct { /* used by maps */
            const struct doc_entry *entries;
            size_t entry_count;
        };
    };
};

/* One key of a map with its value. The key has its own position. */
struct doc_entry {
    struct text key;
    uint32_t line;
    uint32_t column;
    uint32_t length;
    struct doc value;
};

/* True if there is a value. NULL is absent. */
static inline bool doc_is_present(const struct doc *doc)
{
    return doc != NULL && doc->kind != DOC_KIND_NONE;
}

/* True for a scalar, a list or a map, respectively. False for NULL. */
static inline bool doc_is_scalar(const struct doc *doc)
{
    return doc != NULL && doc->kind == DOC_KIND_SCALAR;
}

static inline bool doc_is_list(const struct doc *doc)
{
    return doc != NULL && doc->kind == DOC_KIND_LIST;
}

static inline bool doc_is_map(const struct doc *doc)
{
    return doc != NULL && doc->kind == DOC_KIND_MAP;
}

/* True for a list or a map. */
static inline bool doc_is_container(const struct doc *doc)
{
    return doc_is_list(doc) || doc_is_map(doc);
}

/* True if both are the same list or map in memory. Then all values below them are equal too. */
static inline bool doc_is_shared(const struct doc *a, const struct doc *b)
{
    return (doc_is_map(a) && doc_is_map(b) && a->entries == b->entries &&
            a->entry_count == b->entry_count) ||
           (doc_is_list(a) && doc_is_list(b) && a->items == b->items &&
            a->item_count == b->item_count);
}

/* True for a plain null of the core rules (null, Null, NULL, ~). An empty scalar is not a null. */
bool doc_is_null(const struct doc *doc);

/* Return the type of a scalar without a schema. Quoted scalars are text, empty scalars are null. */
enum doc_type doc_core_type(const struct doc *doc);

/* doc_entry_find returns the entry with a key of a map, doc_find the value of that entry. NULL:
 * there is none, or doc is not a map. */
const struct doc_entry *doc_entry_find(const struct doc *doc, struct text key);
const struct doc *doc_find(const struct doc *doc, struct text key);

/* Like doc_find(), with a string literal as the key: doc_child(doc, "size"). */
static inline const struct doc *doc_child(const struct doc *doc, const char *key)
{
    assert(key != NULL);
    return doc_find(doc, text_from(key));
}

/* Follow a JSON Pointer (RFC 6901). NULL if it leads to no value. */
const struct doc *doc_at(const struct doc *doc, struct text pointer);

/* doc_place returns the position of a value in the user's text, doc_key_place the position of the
 * key of an entry. */
struct place doc_place(const struct doc *doc);
struct place doc_key_place(const struct doc_entry *entry);

/* Return the number of nodes: scalars, lists and maps, with the tree itself. */
size_t doc_count_nodes(const struct doc *doc);

/* True if both trees have the same kinds, keys and scalars. Scalars are compared by core type and
 * spelling. Positions and origins do not count. */
bool doc_is_equal(const struct doc *a, const struct doc *b);

/* Make a scalar or a container in the program. Position and origin are those of `like`, or none if
 * `like` is NULL. Text is borrowed. */
static inline struct doc doc_like(enum doc_kind kind, const struct doc *like) /* empty value */
{
    struct doc doc = { .kind = (uint8_t)kind };

    if (like != NULL) {
        doc.line = like->line;
        doc.column = like->column;
        doc.length = like->length;
        doc.origin = like->origin;
    }
    return doc;
}
static inline struct doc doc_text(struct text text, const struct doc *like) /* a quoted scalar */
{
    struct doc doc = doc_like(DOC_KIND_SCALAR, like);

    doc.style = DOC_STYLE_QUOTED;
    doc.text = text;
    return doc;
}
static inline struct doc doc_plain(struct text spelling,
                                   const struct doc *like) /* number, true, false, null */
{
    struct doc doc = doc_like(DOC_KIND_SCALAR, like);

    assert(spelling.length > 0);
    doc.style = DOC_STYLE_PLAIN;
    doc.text = spelling;
    return doc;
}
struct doc doc_int(struct arena *arena, int64_t value, const struct doc *like);
struct doc doc_bool(bool value, const struct doc *like);
struct doc doc_list(const struct doc *items, size_t count, const struct doc *like);

/* Make a map of entries that are in byte order without duplicates (asserted). The entries are
 * borrowed. */
struct doc doc_map(const struct doc_entry *entries, size_t count, const struct doc *like);

/* Map the origin of a node to the origin that the copy of the node gets. */
typedef const struct origin *doc_origin_map(const struct origin *origin, void *arg);

/* Copy the tree; `map` gives every node of the copy its origin. Bytes are still borrowed, and spans
 * are kept. */
struct doc doc_with_origins(struct arena *arena, const struct doc *doc, doc_origin_map *map,
                            void *arg);

/* Collects the entries of a map. Entries may be added in any order; if several have the same key,
 * the last one counts. */
struct doc_builder {
    struct arena *arena;
    struct doc_entry *entries;
    size_t count;
    size_t room;
};

/* Initialize an empty map in memory of the caller. Entries grow in the arena. */
void doc_builder_init(struct doc_builder *builder, struct arena *arena);

/* Add an entry: doc_builder_add adds a whole entry with the position of its key, doc_builder_put a
 * value under a key made by the program. */
void doc_builder_grow(struct doc_builder *builder); /* makes space for more */
static inline void doc_builder_add(struct doc_builder *builder, const struct doc_entry *entry)
{
    assert(doc_is_present(&entry->value));
    if (builder->count == builder->room) {
        doc_builder_grow(builder);
    }
    builder->entries[builder->count++] = *entry;
}
static inline void doc_builder_put(struct doc_builder *builder, const char *key, struct doc value)
{
    doc_builder_add(builder, &(struct doc_entry){ .key = text_from(key), .value = value });
}

/* Sort the entries and return the map. `like` as in doc_map(). */
struct doc doc_builder_map(struct doc_builder *builder, const struct doc *like);

#endif
