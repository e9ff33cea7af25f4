#include "base/mem.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(data, bytes)   ASAN_POISON_MEMORY_REGION(data, bytes)
#define UNPOISON(data, bytes) ASAN_UNPOISON_MEMORY_REGION(data, bytes)
#define REDZONE_BYTES         ((size_t)16)
#else
#define POISON(data, bytes)   ((void)(data), (void)(bytes))
#define UNPOISON(data, bytes) ((void)(data), (void)(bytes))
#define REDZONE_BYTES         ((size_t)0)
#endif

#define ALIGN_BYTES     ((size_t)16)
#define BLOCK_MIN_BYTES ((size_t)16 * 1024)
#define BLOCK_SMALL     ((size_t)640)
#define BLOCK_MAX_BYTES ((size_t)4 * 1024 * 1024)
#define SLAB_MAX_ITEMS  ((size_t)256)
#define PIECES_MAX      ((size_t)16)  /* number of pieces of a format that only joins texts */
#define SMALL_BYTES     ((size_t)128) /* most texts are shorter, and are formatted once */

struct block {
    struct block *older;
    size_t bytes; /* size of `data` */
    size_t used;
    _Alignas(16) unsigned char data[];
};

struct arena {
    struct block *newest;
    size_t limit_bytes;
    size_t used_bytes;
    size_t first_block_bytes;
    size_t next_block_bytes;
};

/* Call malloc(), and end the process on failure: a manager without memory cannot continue. */
static void *memory_get(size_t bytes)
{
    void *memory = malloc(bytes);

    assert(memory != NULL && "out of memory");
    return memory;
}

static size_t align_up(size_t bytes)
{
    assert(bytes <= SIZE_MAX - ALIGN_BYTES);
    return (bytes + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1);
}

struct arena *arena_new(size_t limit_bytes)
{
    struct arena *arena = memory_get(sizeof(*arena));

    assert(limit_bytes > 0);
    *arena = (struct arena){ .limit_bytes = limit_bytes,
                             .first_block_bytes = BLOCK_MIN_BYTES,
                             .next_block_bytes = BLOCK_MIN_BYTES };
    return arena;
}

struct arena *arena_new_small(size_t limit_bytes)
{
    struct arena *arena = arena_new(limit_bytes);

    arena->first_block_bytes = arena->next_block_bytes = BLOCK_SMALL;
    return arena;
}

static void block_free(struct block *block)
{
    UNPOISON(block->data, block->bytes);
    free(block);
}

void arena_free(struct arena *arena)
{
    if (arena == NULL) {
        return;
    }
    while (arena->newest != NULL) {
        struct block *older = arena->newest->older;

        block_free(arena->newest);
        arena->newest = older;
    }
    free(arena);
}

void arena_cleanup(struct arena **arena)
{
    arena_free(*arena);
    *arena = NULL;
}

size_t arena_left(const struct arena *arena)
{
    assert(arena->used_bytes <= arena->limit_bytes);
    return arena->limit_bytes - arena->used_bytes;
}

size_t arena_used(const struct arena *arena)
{
    return arena->used_bytes;
}

static void mem_block_add(struct arena *arena, size_t bytes_needed)
{
    size_t bytes = arena->next_block_bytes;
    struct block *block;

    if (bytes < bytes_needed) {
        bytes = bytes_needed; /* a single large request does not enlarge the next block */
    } else if (arena->next_block_bytes < BLOCK_MAX_BYTES) {
        arena->next_block_bytes *= 2;
    }
    block = memory_get(sizeof(*block) + bytes);
    *block = (struct block){ .older = arena->newest, .bytes = bytes };
    POISON(block->data, bytes);
    arena->newest = block;
}

struct arena *arena_new_small_for(size_t limit_bytes, size_t first_bytes)
{
    struct arena *arena = arena_new_small(limit_bytes);

    mem_block_add(arena, first_bytes);
    return arena;
}

struct arena *arena_new_wide(size_t limit_bytes, size_t first_bytes)
{
    struct arena *arena = arena_new(limit_bytes);

    mem_block_add(arena, first_bytes);
    return arena;
}

void arena_clear(struct arena *arena)
{
    struct block *first = arena->newest;

    while (first != NULL && first->older != NULL) {
        first = first->older;
    }
    arena_rewind(arena, (struct arena_mark){ .block = first });
    arena->next_block_bytes = arena->first_block_bytes;
}

/* Allocate memory that is not zeroed. */
static void *mem_bytes_take(struct arena *arena, size_t bytes)
{
    size_t taken = align_up(bytes) + REDZONE_BYTES;
    struct block *block = arena->newest;
    unsigned char *data;

    assert(taken <= arena_left(arena) && "arena limit: the caller must check its budget first");
    if (block == NULL || block->bytes - block->used < taken) {
        mem_block_add(arena, taken);
        block = arena->newest;
    }
    data = block->data + block->used;
    block->used += taken;
    arena->used_bytes += taken;
    UNPOISON(data, bytes);
    return data;
}

void *arena_room(struct arena *arena, size_t bytes)
{
    return mem_bytes_take(arena, bytes);
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    return memset(mem_bytes_take(arena, bytes), 0, bytes);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t item_bytes)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, item_bytes, &bytes)) {
        assert(false && "array size overflows");
    }
    return arena_alloc(arena, bytes);
}

/* Grow a large object that has its own block, by growing that block. No old copy remains, and
 * mremap avoids most copying. Returns NULL if the object shares its block. */
static void *block_grow(struct arena *arena, void *data, size_t old_taken, size_t new_taken)
{
    struct block *block = arena->newest;

    if (old_taken < BLOCK_MIN_BYTES || block == NULL || (unsigned char *)data != block->data ||
        block->used != old_taken) {
        return NULL;
    }
    UNPOISON(block->data, block->bytes);
    block = realloc(block, sizeof(*block) + new_taken);
    assert(block != NULL && "out of memory");
    block->bytes = block->used = new_taken;
    arena->newest = block;
    arena->used_bytes += new_taken - old_taken;
    return block->data;
}

void *arena_grow_room(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes)
{
    struct block *block = arena->newest;
    size_t old_taken = align_up(old_bytes) + REDZONE_BYTES;
    size_t new_taken = align_up(new_bytes) + REDZONE_BYTES;
    void *grown;

    assert(data != NULL || old_bytes == 0);
    assert(new_bytes >= old_bytes);
    if (data == NULL) {
        return mem_bytes_take(arena, new_bytes);
    }
    assert(new_taken - old_taken <= arena_left(arena));
    if (block != NULL && block->used >= old_taken &&
        (unsigned char *)data == block->data + block->used - old_taken &&
        block->bytes - block->used >= new_taken - old_taken) {
        block->used += new_taken - old_taken;
        arena->used_bytes += new_taken - old_taken;
        UNPOISON(data, new_bytes);
        return data;
    }
    grown = block_grow(arena, data, old_taken, new_taken);
    if (grown != NULL) {
        POISON((unsigned char *)grown + new_bytes, new_taken - new_bytes);
        return grown;
    }
    return memcpy(mem_bytes_take(arena, new_bytes), data, old_bytes);
}

void *arena_grow(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes)
{
    unsigned char *grown = arena_grow_room(arena, data, old_bytes, new_bytes);

    memset(grown + old_bytes, 0, new_bytes - old_bytes);
    return grown;
}

char *arena_string(struct arena *arena, struct text text)
{
    char *copy = mem_bytes_take(arena, text.length + 1);

    if (text.length > 0) {
        memcpy(copy, text.data, text.length);
    }
    copy[text.length] = '\0';
    return copy;
}

struct text arena_text(struct arena *arena, struct text text)
{
    return (struct text){ arena_string(arena, text), text.length };
}

void *arena_copy(struct arena *arena, const void *data, size_t bytes)
{
    void *copy = mem_bytes_take(arena, bytes);

    assert(data != NULL || bytes == 0);
    if (bytes > 0) {
        memcpy(copy, data, bytes);
    }
    return copy;
}

/* The pieces of a format that only joins texts (most formats do): %s, %.*s and the literal text
 * between them. */
struct pieces {
    struct text texts[PIECES_MAX];
    size_t count;
    size_t length; /* length of all pieces */
};

static void piece_add(struct pieces *pieces, const char *data, size_t length)
{
    assert(pieces->count < PIECES_MAX);
    pieces->texts[pieces->count++] = (struct text){ data, length };
    pieces->length += length;
}

/* Split a format into pieces. Returns false if it needs more than joining, or has too many
 * pieces. */
static bool pieces_split(struct pieces *pieces, const char *format, va_list args)
{
    while (*format != '\0') {
        const char *next = strchrnul(format, '%');
        const char *string;
        int most = INT_MAX;

        if (pieces->count + 2 > PIECES_MAX) {
            return false;
        }
        piece_add(pieces, format, (size_t)(next - format));
        if (*next == '\0') {
            return true;
        }
        if (next[1] == '.' && next[2] == '*' && next[3] == 's') {
            most = va_arg(args, int);
        } else if (next[1] != 's') {
            return false;
        }
        string = va_arg(args, const char *);
        assert(string != NULL && most >= 0);
        piece_add(pieces, string, strnlen(string, (size_t)most));
        format = next + (next[1] == 's' ? 2 : 4);
    }
    return true;
}

static struct text pieces_join(struct arena *arena, const struct pieces *pieces)
{
    char *data = mem_bytes_take(arena, pieces->length + 1);
    char *at = data;

    for (size_t i = 0; i < pieces->count; i++) {
        memcpy(at, pieces->texts[i].data, pieces->texts[i].length);
        at += pieces->texts[i].length;
    }
    assert((size_t)(at - data) == pieces->length);
    *at = '\0';
    return (struct text){ data, pieces->length };
}

struct text arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    NOT_CLEARED struct pieces pieces;
    va_list again;
    NOT_CLEARED char small[SMALL_BYTES]; /* vsnprintf() writes these bytes */
    int length;
    char *data;

    assert(format != NULL);
    pieces.count = 0;
    pieces.length = 0;
    va_copy(again, args);
    if (pieces_split(&pieces, format, again)) {
        va_end(again);
        return pieces_join(arena, &pieces);
    }
    va_end(again);
    va_copy(again, args);
    length = vsnprintf(small, sizeof(small), format, args);
    assert(length >= 0);
    data = arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof(small)) {
        memcpy(data, small, (size_t)length);
    } else {
        vsnprintf(data, (size_t)length + 1, format, again);
    }
    va_end(again);
    return (struct text){ data, (size_t)length };
}

struct text arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    struct text text;

    va_start(args, format);
    text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

struct text arena_number(struct arena *arena, int64_t number)
{
    char room[20];
    struct text digits = text_digits(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, room);
    char *out;

    if (number >= 0) {
        return arena_text(arena, digits);
    }
    out = mem_bytes_take(arena, digits.length + 2);
    out[0] = '-';
    memcpy(out + 1, digits.data, digits.length);
    out[digits.length + 1] = '\0';
    return (struct text){ out, digits.length + 1 };
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){
        .block = arena->newest,
        .block_used = arena->newest == NULL ? 0 : arena->newest->used,
        .used = arena->used_bytes,
    };
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    assert(mark.used <= arena->used_bytes);
    while (arena->newest != mark.block) {
        struct block *older = arena->newest->older;

        if (arena->next_block_bytes > arena->newest->bytes) {
            /* The size before this block was allocated. */
            arena->next_block_bytes = arena->newest->bytes;
        }
        block_free(arena->newest);
        arena->newest = older;
    }
    if (arena->newest != NULL) {
        struct block *block = arena->newest;

        assert(mark.block_used <= block->used);
        POISON(block->data + mark.block_used, block->bytes - mark.block_used);
        block->used = mark.block_used;
    }
    arena->used_bytes = mark.used;
}

struct slab {
    struct slab *older;
    _Alignas(16) unsigned char data[];
};

struct pool_item {
    struct pool_item *next;
};

struct pool {
    struct slab *slabs;
    struct pool_item *unused;
    size_t item_bytes; /* aligned, at least a pointer */
    size_t count;
    size_t made;
    size_t limit;
};

struct pool *pool_new(size_t item_bytes, size_t limit)
{
    struct pool *pool = memory_get(sizeof(*pool));

    assert(item_bytes > 0);
    assert(limit > 0);
    *pool = (struct pool){ .item_bytes = align_up(item_bytes), .limit = limit };
    return pool;
}

void pool_free(struct pool *pool)
{
    if (pool == NULL) {
        return;
    }
    while (pool->slabs != NULL) {
        struct slab *older = pool->slabs->older;

        free(pool->slabs);
        pool->slabs = older;
    }
    free(pool);
}

static void unused_push(struct pool *pool, void *data)
{
    struct pool_item *item = data;

    item->next = pool->unused;
    pool->unused = item;
    POISON(data, pool->item_bytes);
}

static void slab_add(struct pool *pool)
{
    size_t items = pool->made == 0 ? 8 : pool->made;
    struct slab *slab;

    if (items > SLAB_MAX_ITEMS) {
        items = SLAB_MAX_ITEMS;
    }
    if (items > pool->limit - pool->made) {
        items = pool->limit - pool->made;
    }
    assert(items > 0);
    slab = memory_get(sizeof(*slab) + items * pool->item_bytes);
    slab->older = pool->slabs;
    pool->slabs = slab;
    pool->made += items;
    for (size_t i = 0; i < items; i++) {
        unused_push(pool, slab->data + i * pool->item_bytes);
    }
}

void *pool_take(struct pool *pool)
{
    struct pool_item *item;

    assert(pool->count <= pool->limit);
    if (pool->count == pool->limit) {
        return NULL;
    }
    if (pool->unused == NULL) {
        slab_add(pool);
    }
    item = pool->unused;
    UNPOISON(item, pool->item_bytes);
    pool->unused = item->next;
    pool->count++;
    memset(item, 0, pool->item_bytes);
    return item;
}

void pool_give(struct pool *pool, void *item)
{
    assert(item != NULL);
    assert(pool->count > 0);
    pool->count--;
    unused_push(pool, item);
}

size_t pool_count(const struct pool *pool)
{
    return pool->count;
}

void *rows_resize(void *rows, size_t bytes)
{
    void *grown = realloc(rows, bytes);

    assert(bytes > 0);
    assert(grown != NULL && "out of memory");
    return grown;
}

void rows_free(void *rows)
{
    free(rows);
}

struct blob *blob_new(struct text text)
{
    struct blob *blob = memory_get(sizeof(*blob) + text.length + 1);

    assert(text.length < UINT32_MAX);
    blob->length = (uint32_t)text.length;
    blob->owners = 1;
    if (text.length > 0) {
        memcpy(blob->data, text.data, text.length);
    }
    blob->data[text.length] = '\0';
    return blob;
}

struct blob *blob_share(struct blob *blob)
{
    assert(blob->owners > 0 && blob->owners < UINT32_MAX);
    blob->owners++;
    return blob;
}

bool blob_is_shared(const struct blob *blob)
{
    return blob->owners > 1;
}

void blob_free(struct blob *blob)
{
    if (blob == NULL) {
        return;
    }
    assert(blob->owners > 0);
    if (--blob->owners == 0) {
        free(blob);
    }
}

struct text blob_text(const struct blob *blob)
{
    return (struct text){ blob->data, blob->length };
}
