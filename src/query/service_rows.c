#include "query/service_rows.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

/* One row of the list. */
struct row {
    struct blob *spec;
    struct blob *status; /* NULL: the object has no status */
    uint64_t revision;
};

struct service_rows {
    struct arena *arena;
    struct arena *scratch; /* arena of `piece`; NULL: nothing was read yet */
    struct buf piece;      /* the joined piece that is being read */
    struct text kind;
    struct text between;
    struct text before;
    struct text behind;
    struct row *items;
    size_t count;
    size_t room;
    size_t bytes; /* number of bytes of all rows */
    /* Index of the next row to read. `count`: the text after the rows is next; greater: the end is
     * reached. */
    size_t next;
    struct text left; /* the unread part of the joined piece */
    bool is_begun;
};

struct service_rows *service_rows_new(struct arena *arena, const struct schema_kind *kind,
                                      struct text between)
{
    struct service_rows *rows = arena_one(arena, struct service_rows);

    rows->arena = arena;
    rows->kind = text_from(kind->name);
    rows->between = between;
    return rows;
}

static struct show rows_show_of(const struct service_rows *rows, const struct row *row)
{
    return (struct show){
        .kind = rows->kind,
        .bytes = blob_text(row->spec),
        .status = row->status == NULL ? TEXT("") : blob_text(row->status),
        .revision = row->revision,
    };
}

void service_rows_add(struct service_rows *rows, const struct cache_object *object)
{
    const struct cache_bytes *status = &object->parts[CACHE_STATUS];
    struct row *row;
    struct show show;

    assert(!rows->is_begun && object->parts[CACHE_SPEC].bytes != NULL);
    assert(text_is_equal(cache_kind(object), rows->kind));
    if (rows->count == rows->room) {
        size_t room = rows->room * 2 + 16;

        rows->items = arena_grow(rows->arena, rows->items, rows->room * sizeof(*rows->items),
                                 room * sizeof(*rows->items));
        rows->room = room;
    }
    row = &rows->items[rows->count++];
    *row = (struct row){
        .spec = blob_share(object->parts[CACHE_SPEC].bytes),
        .status = status->bytes == NULL ? NULL : blob_share(status->bytes),
        .revision = object->parts[CACHE_SPEC].revision,
    };
    show = rows_show_of(rows, row);
    rows->bytes += show_count_bytes(&show);
}

void service_rows_frame(struct service_rows *rows, struct text before, struct text behind)
{
    assert(!rows->is_begun);
    rows->before = before;
    rows->behind = behind;
}

size_t service_rows_bytes(const struct service_rows *rows)
{
    size_t gaps = rows->count == 0 ? 0 : rows->count - 1;

    return rows->before.length + rows->bytes + gaps * rows->between.length + rows->behind.length;
}

/* Join the next piece: a row, with the separator before it. */
static void piece_make(struct service_rows *rows)
{
    struct show show;

    if (rows->next >= rows->count) {
        rows->left = rows->next == rows->count ? rows->behind : TEXT("");
        rows->next = rows->count + 1;
        return;
    }
    show = rows_show_of(rows, &rows->items[rows->next]);
    rows->piece.length = 0; /* reuse the memory of the previous piece */
    buf_add(&rows->piece, rows->next == 0 ? TEXT("") : rows->between);
    show_bytes(&rows->piece, &show);
    rows->left = buf_text(&rows->piece);
    rows->next++;
}

size_t service_rows_read(struct service_rows *rows, char *out, size_t room)
{
    size_t used = 0;

    if (!rows->is_begun) {
        rows->is_begun = true;
        rows->scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
        buf_init(&rows->piece, rows->scratch);
        rows->left = rows->before;
    }
    while (used < room && (rows->left.length > 0 || rows->next <= rows->count)) {
        size_t taken = rows->left.length < room - used ? rows->left.length : room - used;

        if (taken > 0) {
            memcpy(out + used, rows->left.data, taken);
            rows->left = text_slice(rows->left, taken, rows->left.length);
            used += taken;
        } else {
            piece_make(rows);
        }
    }
    return used;
}

void service_rows_end(struct service_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        blob_free(rows->items[i].spec);
        blob_free(rows->items[i].status);
    }
    rows->count = 0;
    rows->next = 1;
    rows->is_begun = true;
    rows->left = TEXT("");
    arena_free(rows->scratch);
    rows->scratch = NULL;
}
