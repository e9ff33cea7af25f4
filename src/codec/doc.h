#ifndef REEVE_CODEC_DOC_H
#define REEVE_CODEC_DOC_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"

/* names: doc_ origin_ */

/* One tree for every document, whether it came as YAML, as JSON or was made by merging.
 *
 * Scalars are kept as they were spelled; what a spelling means is decided by whoever knows the
 * field (the schema), or by the core rules of YAML 1.2 (doc_core_type) where nobody does. Every key
 * and value knows its place in the user's text and where it came from (its origin).
 *
 * Lifetime: a tree lives in one arena and borrows bytes from the text it was read from (its source),
 *           which must live as long.
 * Sharing:  trees are never changed once built, so several may share branches. A struct doc is small
 *           and is copied by value.
 * Order:    the entries of a map lie in byte order of their keys and no key stands twice. */

enum doc_kind {
    DOC_KIND_NONE, /* absent: an all-zero struct doc; never stands inside a tree */
    DOC_KIND_SCALAR,
    DOC_KIND_LIST,
    DOC_KIND_MAP,
};

/* How a scalar was written. JSON strings are quoted; JSON numbers, true, false, null are plain. */
enum doc_style {
    DOC_STYLE_PLAIN,
    DOC_STYLE_QUOTED, /* '...', "...", | or >: text, whatever it looks like */
    DOC_STYLE_EMPTY,  /* nothing at all, as after `web:`; text is empty */
};

/* What a plain scalar means by the core rules of YAML 1.2. */
enum doc_type {
    DOC_TYPE_NULL,
    DOC_TYPE_BOOL,
    DOC_TYPE_INT,
    DOC_TYPE_FLOAT,
    DOC_TYPE_TEXT,
    DOC_TYPE_COUNT,
};

/* Where a value came from, in the order of FILE.md 6.9. */
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

/* Shared by all nodes that came the same way. Immutable; lives at least as long as the tree. */
struct origin {
    enum origin_kind kind;
    uint16_t source;   /* number of the text the spans point into; 0 = no text */
    struct text name;  /* "ct/web-std", "cluster/shop", a group's path, a slot; may be empty */
    uint64_t revision; /* of the named object; 0 = not from a store */
    struct place at;   /* for ORIGIN_TEMPLATE and _CLONE: the `from:` that brought it here */
};

struct doc {
    uint8_t kind;                /* enum doc_kind */
    uint8_t style;               /* enum doc_style; scalars only */
    bool has_faults;             /* a reader left out something that was wrong here; maps only */
    uint32_t line;               /* from 1; 0 = nowhere */
    uint32_t column;             /* from 1, in code points */
    uint32_t length;             /* in code points, on its first line */
    const struct origin *origin; /* NULL = made by the program */
    union {
        struct text text; /* scalars */
        struct {          /* lists */
            const struct doc *items;
            size_t item_count;
        };
        struct { /* maps */
            const struct doc_entry *entries;
            size_t entry_count;
        };
    };
};

/* One key of a map with its value. The key has a place of its own. */
struct doc_entry {
    struct text key;
    uint32_t line;
    uint32_t column;
    uint32_t length;
    struct doc value;
};

/* Is there a value at all? NULL is allowed and is absent. */
static inline bool doc_is_present(const struct doc *doc)
{
    return doc != NULL && doc->kind != DOC_KIND_NONE;
}

/* Is it a scalar, a list, a map? NULL is none of them. */
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

/* A list or a map? */
static inline bool doc_is_container(const struct doc *doc)
{
    return doc_is_list(doc) || doc_is_map(doc);
}

/* Are both the same branch, list or map, in memory? Then they are equal, with all below. */
static inline bool doc_is_shared(const struct doc *a, const struct doc *b)
{
    return (doc_is_map(a) && doc_is_map(b) && a->entries == b->entries &&
            a->entry_count == b->entry_count) ||
           (doc_is_list(a) && doc_is_list(b) && a->items == b->items &&
            a->item_count == b->item_count);
}

/* Is it a plain null of the core rules (null, Null, NULL, ~)? An empty scalar is not. */
bool doc_is_null(const struct doc *doc);

/* What a scalar means where no schema says so. Quoted ones are text, empty ones are null. */
enum doc_type doc_core_type(const struct doc *doc);

/* The entry, or the value, of a key of a map; NULL where there is none or doc is no map. */
const struct doc_entry *doc_entry_find(const struct doc *doc, struct text key);
const struct doc *doc_find(const struct doc *doc, struct text key);

/* The same for a string literal: doc_child(doc, "size"). */
static inline const struct doc *doc_child(const struct doc *doc, const char *key)
{
    assert(key != NULL);
    return doc_find(doc, text_from(key));
}

/* Follow a JSON Pointer (RFC 6901). NULL where it leads nowhere. */
const struct doc *doc_at(const struct doc *doc, struct text pointer);

/* The place of a value, and of the key of an entry, in the user's text. */
struct place doc_place(const struct doc *doc);
struct place doc_key_place(const struct doc_entry *entry);

/* Number of nodes: scalars, lists, maps, the tree itself included. */
size_t doc_count_nodes(const struct doc *doc);

/* Same tree: same kinds, keys and scalars, where a scalar counts with its core meaning and its
 * spelling. Places and origins do not count. */
bool doc_is_equal(const struct doc *a, const struct doc *b);

/* Scalars and containers made by the program, without a place unless `like` (may be NULL) gives
 * place and origin. Text is borrowed. */
static inline struct doc doc_like(enum doc_kind kind, const struct doc *like) /* an empty one */
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
static inline struct doc doc_text(struct text text, const struct doc *like) /* quoted */
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

/* A map of entries that the caller has in byte order without doubles (asserted). Borrowed. */
struct doc doc_map(const struct doc_entry *entries, size_t count, const struct doc *like);

/* Gives the origin that a copy of a node has in place of its own. */
typedef const struct origin *doc_origin_map(const struct origin *origin, void *arg);

/* A copy of the tree in which every node has the origin that `map` gives for its own. Bytes are
 * still borrowed, spans stay. */
struct doc doc_with_origins(struct arena *arena, const struct doc *doc, doc_origin_map *map,
                            void *arg);

/* Entries on their way to become a map: add in any order, later ones with the same key win. */
struct doc_builder {
    struct arena *arena;
    struct doc_entry *entries;
    size_t count;
    size_t room;
};

/* Start an empty map in memory of the caller; entries grow in the arena. */
void doc_builder_init(struct doc_builder *builder, struct arena *arena);

/* Add a whole entry (its key's place kept), or a value under a key made by the program. */
void doc_builder_grow(struct doc_builder *builder); /* makes room for more */
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

/* Sort, and give the map. `like` as in doc_map. */
struct doc doc_builder_map(struct doc_builder *builder, const struct doc *like);

#endif
