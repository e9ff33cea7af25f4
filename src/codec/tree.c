#include "codec/tree.h"

#include "base/sort.h"
#include "codec/source.h"

#include <assert.h>
#include <string.h>

/* Return the maximum number of entries on the stack. */
static size_t room_max(const struct tree *tree)
{
    return tree->nodes_max + LIMIT_DOCUMENT_DEPTH;
}

void tree_init(struct tree *tree, struct arena *arena, const struct origin *origin)
{
    assert(arena != NULL);
    tree->arena = arena;
    tree->pending_arena = NULL;
    tree->pending = tree->own;
    tree->pending_count = 0;
    tree->pending_room = TREE_PENDING_OWN;
    tree->origin = origin;
    tree->tolerated = NULL;
    tree->depth = 0;
    tree->nodes = 0;
    tree->nodes_max = LIMIT_DOCUMENT_NODES;
    tree->root = (struct doc){ 0 };
}

void tree_fini(struct tree *tree)
{
    assert(tree->pending != NULL);
    arena_free(tree->pending_arena);
    tree->pending_arena = NULL;
    tree->pending = NULL;
}

void tree_reset(struct tree *tree)
{
    assert(tree->depth == 0);
    assert(tree->pending_count == 0);
    tree->root = (struct doc){ 0 };
}

const struct doc_entry *tree_key_now(const struct tree *tree)
{
    const struct tree_frame *top = tree_top(tree);

    assert(tree->pending_count <= tree->pending_room);
    if (top == NULL || !top->has_key) {
        return NULL;
    }
    assert(tree->pending_count > top->first);
    return &tree->pending[tree->pending_count - 1];
}

/* Double the stack in a new arena, so that the old one can be freed. */
static void pending_grow(struct tree *tree)
{
    size_t most = room_max(tree);
    size_t room = tree->pending_room * 2 < most ? tree->pending_room * 2 : most;
    /* The stack is the only allocation in its arena, so this is its limit. */
    struct arena *arena = arena_new(most * sizeof(struct doc_entry) + 4096);
    struct doc_entry *pending = arena_array(arena, struct doc_entry, room);

    assert(room > tree->pending_room);
    memcpy(pending, tree->pending, tree->pending_count * sizeof(*pending));
    arena_free(tree->pending_arena);
    tree->pending_arena = arena;
    tree->pending = pending;
    tree->pending_room = room;
}

static struct doc_entry *pending_push(struct tree *tree)
{
    if (tree->pending_count == tree->pending_room) {
        pending_grow(tree);
    }
    assert(tree->pending_count < tree->pending_room);
    return &tree->pending[tree->pending_count++];
}

MUST_CHECK static bool nodes_count(struct tree *tree, size_t nodes, struct place place,
                                   struct err *err)
{
    assert(nodes > 0);
    assert(tree->nodes <= tree->nodes_max);
    if (nodes > tree->nodes_max - tree->nodes) {
        err_set(err, CODE_R0108, "expected at most %zu values in one text, found more",
                tree->nodes_max);
        err_hint(err, "split it into several files");
        place.length += place.length == 0;
        err_place(err, place);
        return tree_locate(tree, err);
    }
    tree->nodes += nodes;
    return true;
}

MUST_CHECK static bool fail_deep(const struct tree *tree, struct place place, struct err *err)
{
    assert(tree->depth <= LIMIT_DOCUMENT_DEPTH);
    err_set(err, CODE_R0107, "expected at most %d lists and maps inside each other, found more",
            LIMIT_DOCUMENT_DEPTH);
    place.length += place.length == 0;
    err_place(err, place);
    return tree_locate(tree, err);
}

bool tree_open(struct tree *tree, enum doc_kind kind, struct place place, struct err *err)
{
    assert(kind == DOC_KIND_LIST || kind == DOC_KIND_MAP);
    assert(!tree_wants_key(tree));
    if (tree->depth == LIMIT_DOCUMENT_DEPTH) {
        return fail_deep(tree, place, err);
    }
    if (!nodes_count(tree, 1, place, err)) {
        return false;
    }
    tree->frames[tree->depth++] = (struct tree_frame){
        .doc = { .kind = (uint8_t)kind,
                 .line = place.line,
                 .column = place.column,
                 .length = place.length,
                 .origin = tree->origin },
        .first = tree->pending_count,
        .nodes_start = tree->nodes - 1,
    };
    return true;
}

void tree_key(struct tree *tree, struct text key, struct place place)
{
    struct tree_frame *top = &tree->frames[tree->depth - 1];

    assert(tree_wants_key(tree));
    if (top->doc.length == 0) {
        top->doc.line = place.line;
        top->doc.column = place.column;
        top->doc.length = place.length;
    }
    top->has_key = true;
    *pending_push(tree) = (struct doc_entry){
        .key = key, .line = place.line, .column = place.column, .length = place.length
    };
}

/* Store a finished value: with its key, after its siblings, or at the root. */
static void tree_value_put(struct tree *tree, const struct doc *value, size_t height)
{
    struct tree_frame *top = tree->depth == 0 ? NULL : &tree->frames[tree->depth - 1];

    assert(value->kind != DOC_KIND_NONE);
    if (top == NULL) {
        assert(tree->root.kind == DOC_KIND_NONE);
        tree->root = *value;
        return;
    }
    if (top->doc.kind == DOC_KIND_LIST) {
        pending_push(tree)->value = *value;
    } else {
        assert(top->has_key);
        tree->pending[tree->pending_count - 1].value = *value;
        top->has_key = false;
    }
    if (height > top->height) {
        top->height = height;
    }
}

bool tree_add(struct tree *tree, const struct doc *scalar, struct err *err)
{
    assert(doc_is_scalar(scalar));
    if (tree->nodes < tree->nodes_max) {
        tree->nodes++;
    } else if (!nodes_count(tree, 1, doc_place(scalar), err)) {
        return false;
    }
    tree_value_put(tree, scalar, 0);
    return true;
}

bool tree_add_again(struct tree *tree, const struct tree_branch *branch, struct place place,
                    struct err *err)
{
    assert(branch->nodes > 0);
    assert(branch->height <= LIMIT_DOCUMENT_DEPTH);
    if (branch->height > LIMIT_DOCUMENT_DEPTH - tree->depth) {
        return fail_deep(tree, place, err);
    }
    if (!nodes_count(tree, branch->nodes, place, err)) {
        return false;
    }
    tree_value_put(tree, &branch->doc, branch->height);
    return true;
}

static int tree_entry_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct doc_entry *)a)->key, ((const struct doc_entry *)b)->key);
}

MUST_CHECK static bool double_report(struct tree *tree, const struct doc_entry *first,
                                     const struct doc_entry *again, struct err *err)
{
    err_set(err, CODE_R0102, "key '%.*s' appears twice in the same map", TEXT_ARG(again->key));
    err_note(err, "the first one is in line %u", first->line);
    err_hint(err, "keep one of the two");
    err_place(err, doc_key_place(again));
    err->note_place = doc_key_place(first);
    err_at(err, again->key);
    return !tree_locate(tree, err) && tree_tolerate(tree, err);
}

/* Compare neighbouring entries. Entries with equal keys are in the order of the text, and the first
 * one is kept. If a duplicate key is a fatal error, the first duplicate in the text is reported. */
MUST_CHECK static bool entries_check(struct tree *tree, struct doc_entry *entries, size_t *count,
                                     struct err *err)
{
    const struct doc_entry *again = NULL;
    size_t kept = *count == 0 ? 0 : 1;

    for (size_t i = 1; i < *count; i++) {
        int order = text_compare(entries[kept - 1].key, entries[i].key);

        assert(order <= 0);
        if (order < 0) {
            entries[kept++] = entries[i];
        } else if (tree->tolerated != NULL) {
            if (!double_report(tree, &entries[kept - 1], &entries[i], err)) {
                return false;
            }
        } else {
            if (again == NULL || entries[i].line < again->line ||
                (entries[i].line == again->line && entries[i].column < again->column)) {
                again = &entries[i];
            }
            entries[kept++] = entries[i];
        }
    }
    *count = kept;
    return again == NULL || double_report(tree, &again[-1], again, err);
}

/* True if the entries are in byte order and keys are unique, as in canonical texts. */
static bool is_tree_ordered(const struct doc_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (text_compare(entries[i - 1].key, entries[i].key) >= 0) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool map_close(struct tree *tree, struct doc *doc, size_t first, struct err *err)
{
    size_t count = tree->pending_count - first;
    struct doc_entry *entries =
        arena_copy(tree->arena, tree->pending + first, count * sizeof(*entries));

    assert(!doc_is_list(doc));
    tree->pending_count = first;
    if (!is_tree_ordered(entries, count)) {
        sort_stable(tree->arena, entries, count, sizeof(*entries), tree_entry_compare, NULL);
        if (!entries_check(tree, entries, &count, err)) {
            return false;
        }
    }
    doc->entries = entries;
    doc->entry_count = count;
    return true;
}

static void list_close(struct tree *tree, struct doc *doc, size_t first)
{
    size_t count = tree->pending_count - first;
    struct doc *items = arena_array(tree->arena, struct doc, count);

    assert(!doc_is_map(doc));
    for (size_t i = 0; i < count; i++) {
        items[i] = tree->pending[first + i].value;
    }
    tree->pending_count = first;
    doc->items = items;
    doc->item_count = count;
}

void tree_stretch(struct tree *tree, uint32_t line, uint32_t end_column)
{
    struct doc *doc = &tree->frames[tree->depth - 1].doc;

    assert(tree->depth > 0);
    assert(end_column > 0);
    if (doc->line == line && end_column > doc->column) {
        doc->length = end_column - doc->column;
    }
}

bool tree_close(struct tree *tree, struct tree_branch *out, struct err *err)
{
    const struct tree_frame *top;
    struct doc doc;

    assert(tree->depth > 0);
    assert(tree_key_now(tree) == NULL);
    top = &tree->frames[--tree->depth];
    doc = top->doc;
    if (doc.kind == DOC_KIND_LIST) {
        list_close(tree, &doc, top->first);
    } else if (!map_close(tree, &doc, top->first, err)) {
        return false;
    }
    *out = (struct tree_branch){ .doc = doc,
                                 .nodes = tree->nodes - top->nodes_start,
                                 .height = top->height + 1 };
    tree_value_put(tree, &doc, out->height);
    return true;
}

bool tree_locate(const struct tree *tree, struct err *err)
{
    size_t end = tree->pending_count;

    for (size_t i = tree->depth; i > 0; i--) {
        const struct tree_frame *frame = &tree->frames[i - 1];

        assert(frame->first <= end);
        if (frame->doc.kind == DOC_KIND_LIST) {
            err_at_index(err, end - frame->first);
        } else if (frame->has_key) {
            assert(end > frame->first);
            err_at(err, tree->pending[end - 1].key);
        }
        end = frame->first;
    }
    return false;
}

bool tree_tolerate(struct tree *tree, struct err *err)
{
    assert(err->code != CODE_NONE);
    if (tree->tolerated == NULL || tree->tolerated->errors >= LIMIT_ERRORS_KEPT) {
        return false;
    }
    err_list_add(tree->tolerated, err);
    return true;
}
