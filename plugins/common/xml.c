#include "xml.h"

#include "xml_filter.h"

#include "base/buf.h"

#include <assert.h>
#include <expat.h>
#include <stdint.h>

enum {
    DEPTH_MAX = 64,
    ROW_NODES_MAX = 10000,
    REST_NODES_MAX = 100000,
    ROW_BYTES_MAX = 4 * 1024 * 1024,
    REST_BYTES_MAX = 8 * 1024 * 1024,
    ROW_ARENA_BYTES = 64 * 1024 * 1024,
    PATH_BYTES = 256
};

/* An open element. */
struct xml_level {
    struct xml_node *node;
    struct xml_node *last; /* the first child */
    struct buf text;
};

struct xml_reader {
    struct arena *arena;     /* memory of all elements outside of rows */
    struct arena *row_arena; /* NULL: the document has no rows */
    XML_Parser parser;
    struct xml_filter *filter; /* NULL: rows are read completely */
    char rows[PATH_BYTES];
    struct text row_path;
    xml_on_row *on_row;
    void *arg;
    struct xml_level levels[DEPTH_MAX];
    size_t depth;
    size_t row_depth; /* depth of the open row; 0: no row is open */
    size_t nodes;     /* number of nodes in the open row, and in the rest */
    size_t rest_nodes;
    size_t bytes;
    size_t rest_bytes;
    const struct xml_node *root;
    bool has_failed;
};

static void xml_fail(struct xml_reader *reader)
{
    reader->has_failed = true;
    (void)XML_StopParser(reader->parser, XML_FALSE);
}

static struct arena *xml_arena(struct xml_reader *reader)
{
    return reader->row_depth > 0 ? reader->row_arena : reader->arena;
}

/* Adds bytes to the size of the row or of the rest, and checks its limit. */
static bool xml_may_add(struct xml_reader *reader, size_t bytes)
{
    size_t *used = reader->row_depth > 0 ? &reader->bytes : &reader->rest_bytes;
    size_t most = reader->row_depth > 0 ? ROW_BYTES_MAX : REST_BYTES_MAX;

    if (bytes > most - *used) {
        xml_fail(reader);
        return false;
    }
    *used += bytes;
    return true;
}

static bool xml_may_add_node(struct xml_reader *reader)
{
    size_t *used = reader->row_depth > 0 ? &reader->nodes : &reader->rest_nodes;

    if (++*used > (reader->row_depth > 0 ? ROW_NODES_MAX : REST_NODES_MAX)) {
        xml_fail(reader);
        return false;
    }
    return true;
}

/* True if the open elements below the document's element form the path of rows. */
static bool xml_is_row(const struct xml_reader *reader)
{
    struct text rest = reader->row_path;

    if (rest.length == 0 || reader->row_depth > 0) {
        return false;
    }
    for (size_t i = 1; i < reader->depth; i++) {
        struct text name = reader->levels[i].node->name;

        if (!text_has_prefix(rest, name)) {
            return false;
        }
        rest = text_slice(rest, name.length, rest.length);
        if (rest.length == 0) {
            return i + 1 == reader->depth;
        }
        if (rest.data[0] != '/') {
            return false;
        }
        rest = text_slice(rest, 1, rest.length);
    }
    return false;
}

static void XMLCALL xml_on_begin(void *arg, const XML_Char *name, const XML_Char **attributes)
{
    struct xml_reader *reader = arg;
    struct xml_node node = { .name = text_from(name) };
    struct xml_level *level;

    (void)attributes;
    if (reader->has_failed) {
        return;
    }
    if (reader->depth == DEPTH_MAX) {
        xml_fail(reader);
        return;
    }
    level = &reader->levels[reader->depth++];
    *level = (struct xml_level){ .node = &node };
    if (xml_is_row(reader)) {
        /* The row and all elements in it live in the arena of rows. */
        reader->row_depth = reader->depth;
        reader->nodes = 0;
        reader->bytes = 0;
    }
    if (!xml_may_add_node(reader) ||
        !xml_may_add(reader, node.name.length + sizeof(struct xml_node))) {
        return;
    }
    level->node = arena_one(xml_arena(reader), struct xml_node);
    level->node->name = arena_text(xml_arena(reader), node.name);
    buf_init(&level->text, xml_arena(reader));
}

static void XMLCALL xml_on_end(void *arg, const XML_Char *name)
{
    struct xml_reader *reader = arg;
    struct xml_level *level;
    struct xml_level *above;

    (void)name;
    if (reader->has_failed) {
        return;
    }
    assert(reader->depth > 0);
    level = &reader->levels[--reader->depth];
    level->node->text = text_trim(buf_text(&level->text));
    if (reader->row_depth == reader->depth + 1) {
        reader->row_depth = 0;
        if (!reader->on_row(reader->arg, level->node)) {
            xml_fail(reader);
        }
        arena_clear(reader->row_arena);
        return;
    }
    if (reader->depth == 0) {
        reader->root = level->node;
        return;
    }
    above = &reader->levels[reader->depth - 1];
    if (above->last == NULL) {
        above->node->first = level->node;
    } else {
        above->last->next = level->node;
    }
    above->last = level->node;
}

static void XMLCALL xml_on_text(void *arg, const XML_Char *bytes, int length)
{
    struct xml_reader *reader = arg;
    struct text text = { bytes, (size_t)length };

    if (reader->has_failed || reader->depth == 0) {
        return;
    }
    if (reader->levels[reader->depth - 1].text.length == 0 && text_trim(text).length == 0) {
        return;
    }
    if (xml_may_add(reader, text.length)) {
        buf_add(&reader->levels[reader->depth - 1].text, text);
    }
}

static void XMLCALL xml_on_doctype(void *arg, const XML_Char *name, const XML_Char *system,
                                   const XML_Char *public, int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    xml_fail(arg);
}

struct xml_reader *xml_reader_new(struct arena *arena, struct text rows, xml_on_row *on_row,
                                  void *arg)
{
    struct xml_reader *reader = arena_one(arena, struct xml_reader);

    assert(rows.length < PATH_BYTES && (rows.length == 0 || on_row != NULL));
    reader->arena = arena;
    memcpy(reader->rows, rows.length == 0 ? "" : rows.data, rows.length);
    reader->row_path = (struct text){ reader->rows, rows.length };
    reader->on_row = on_row;
    reader->arg = arg;
    reader->row_arena = rows.length == 0 ? NULL : arena_new_small(ROW_ARENA_BYTES);
    reader->parser = XML_ParserCreate("UTF-8");
    if (reader->parser == NULL) {
        reader->has_failed = true;
        return reader;
    }
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, xml_on_begin, xml_on_end);
    XML_SetCharacterDataHandler(reader->parser, xml_on_text);
    XML_SetStartDoctypeDeclHandler(reader->parser, xml_on_doctype);
    return reader;
}

void xml_reader_free(struct xml_reader *reader)
{
    if (reader != NULL) {
        if (reader->parser != NULL) {
            XML_ParserFree(reader->parser);
        }
        arena_free(reader->row_arena);
        reader->parser = NULL;
        reader->row_arena = NULL;
    }
}

static bool xml_pass(void *arg, struct text part)
{
    struct xml_reader *reader = arg;

    if (!reader->has_failed &&
        XML_Parse(reader->parser, part.data, (int)part.length, XML_FALSE) != XML_STATUS_OK) {
        reader->has_failed = true;
    }
    return !reader->has_failed;
}

void xml_reader_keep(struct xml_reader *reader, const char *const *names)
{
    assert(reader->row_path.length > 0);
    reader->filter = arena_one(reader->arena, struct xml_filter);
    xml_filter_init(reader->filter, reader->arena, reader->row_path, names, xml_pass, reader);
}

bool xml_reader_add(struct xml_reader *reader, struct text part)
{
    while (part.length > 0 && !reader->has_failed) {
        struct text piece = text_slice(part, 0, 1024 * 1024);

        if (reader->filter == NULL) {
            (void)xml_pass(reader, piece);
        } else if (!xml_filter_add(reader->filter, piece)) {
            reader->has_failed = true;
        }
        part = text_slice(part, piece.length, part.length);
    }
    return !reader->has_failed;
}

const struct xml_node *xml_reader_end(struct xml_reader *reader)
{
    if (!reader->has_failed && reader->filter != NULL) {
        reader->has_failed = !xml_filter_end(reader->filter);
    }
    if (!reader->has_failed && XML_Parse(reader->parser, "", 0, XML_TRUE) != XML_STATUS_OK) {
        reader->has_failed = true;
    }
    return reader->has_failed ? NULL : reader->root;
}

const struct xml_node *xml_parse(struct arena *arena, struct text bytes)
{
    struct xml_reader *reader = xml_reader_new(arena, TEXT(""), NULL, NULL);
    const struct xml_node *root = xml_reader_add(reader, bytes) ? xml_reader_end(reader) : NULL;

    xml_reader_free(reader);
    return root;
}

const struct xml_node *xml_find(const struct xml_node *node, const char *path)
{
    struct text rest = text_from(path);

    while (node != NULL && rest.length > 0) {
        size_t end = text_find_byte(rest, '/');
        struct text name = text_slice(rest, 0, end);
        const struct xml_node *child = node->first;

        while (child != NULL && !text_is_equal(child->name, name)) {
            child = child->next;
        }
        node = child;
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
    return node;
}

struct text xml_text(const struct xml_node *node, const char *path)
{
    const struct xml_node *found = xml_find(node, path);

    return found == NULL ? TEXT("") : found->text;
}
