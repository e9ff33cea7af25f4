#ifndef REEVE_BASE_MEM_H
#define REEVE_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* public names start with: arena_ pool_ blob_ rows_ */

/* Memory for many small objects that is freed as a whole.
 *
 * Lifetime: everything from an arena is freed by arena_free(), or by an arena_rewind() to an older
 * mark; objects are not freed singly.
 *
 * Failure: a call never returns a failure. The caller first checks with arena_left() how much is
 * left; a request beyond limit_bytes is a bug and fails an assertion. If malloc returns NULL the
 * process ends, because all durable state is in the store.
 *
 * With AddressSanitizer, unused memory is poisoned and there are gaps between objects, so that
 * overruns are detected. */
struct arena;

/* Make an empty arena. The caller frees it, or declares it with AUTO(arena). */
struct arena *arena_new(size_t limit_bytes);

/* Like arena_new(), with a small first block, for many small arenas. */
struct arena *arena_new_small(size_t limit_bytes);

/* Like arena_new(), with a first block of first_bytes, if the size of the content is known. */
struct arena *arena_new_small_for(size_t limit_bytes, size_t first_bytes);

/* Like arena_new(), with a first block of at least first_bytes. */
struct arena *arena_new_wide(size_t limit_bytes, size_t first_bytes);

/* Drop all objects of the arena. Its first block is kept for reuse. */
void arena_clear(struct arena *arena);

/* Free the arena and all its objects. NULL is allowed. */
void arena_free(struct arena *arena);

/* Free the arena of an AUTO(arena) variable. */
void arena_cleanup(struct arena **arena);
#define AUTO_arena __attribute__((cleanup(arena_cleanup))) struct arena *

/* Return the number of bytes that may still be allocated. */
size_t arena_left(const struct arena *arena);

/* Return the number of bytes allocated so far, with padding. */
size_t arena_used(const struct arena *arena);

/* Allocate zeroed memory, aligned for every type. Never returns NULL; size 0 gives a valid
 * pointer. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* `count` objects of a type, or one, zeroed. */
#define arena_array(arena, type, count) ((type *)arena_alloc_array(arena, count, sizeof(type)))
#define arena_one(arena, type)          ((type *)arena_alloc(arena, sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t item_bytes);

/* Allocate memory that is not zeroed: the caller must write each byte before it reads it. */
void *arena_room(struct arena *arena, size_t bytes);

/* Resize an object of this arena (old_bytes; `data` may be NULL) to at least new_bytes. The newest
 * object grows in place, any other is copied; the new part is zeroed. */
void *arena_grow(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes);

/* Like arena_grow(), but the new part is not zeroed. */
void *arena_grow_room(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes);

/* Copy into the arena. arena_string() adds a NUL. */
struct text arena_text(struct arena *arena, struct text text);
void *arena_copy(struct arena *arena, const void *data, size_t bytes);
char *arena_string(struct arena *arena, struct text text);

/* Format like printf into the arena. The text has a NUL after it. */
struct text arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
struct text arena_vprintf(struct arena *arena, const char *format, va_list args) PRINTF_LIKE(2, 0);

/* Format a number in decimal. */
struct text arena_number(struct arena *arena, int64_t number);

/* A position in an arena. */
struct arena_mark {
    void *block;
    size_t block_used;
    size_t used;
};

/* Return the current position. */
struct arena_mark arena_mark(const struct arena *arena);

/* Drop everything that was allocated after the mark. Marks taken later become invalid. */
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* A pool of objects of one size that are allocated and freed singly, at most `limit` at the same
 * time. It is for objects that outlive one operation. Freed objects are reused; with
 * AddressSanitizer they are poisoned while they are free. */
struct pool;

/* Make a pool of objects of item_bytes (> 0). The caller frees it with pool_free(). */
struct pool *pool_new(size_t item_bytes, size_t limit);

/* Free the pool and all of its objects. NULL is allowed. */
void pool_free(struct pool *pool);

/* Allocate a zeroed object. Returns NULL at the limit, which the caller reports as an error. */
void *pool_take(struct pool *pool);

/* Return an object to its pool. */
void pool_give(struct pool *pool, void *item);

/* Return the number of allocated objects. */
size_t pool_count(const struct pool *pool);

/* Resize an array that its owner frees with rows_free(). `rows` is the previous array (NULL: none),
 * `bytes` its new size. The new part is not zeroed. rows_free() accepts NULL. */
void *rows_resize(void *rows, size_t bytes);
void rows_free(void *rows);

/* Immutable bytes with several owners, counted by reference. Only one thread may change the count:
 * a caller that passes a blob to another thread keeps its own reference until that thread is
 * done. */
struct blob {
    uint32_t length; /* 32 bits, because there are as many blobs as records */
    uint32_t owners;
    char data[]; /* ends in a NUL that `length` does not include */
};

/* Copy the bytes to a new blob with one owner. */
struct blob *blob_new(struct text text);

/* Add an owner. Returns the blob. */
struct blob *blob_share(struct blob *blob);

/* True if it has more than one owner. */
bool blob_is_shared(const struct blob *blob);

/* Remove an owner; the last one frees the blob. NULL is allowed. */
void blob_free(struct blob *blob);

/* Return the bytes. Borrowed from the blob. */
struct text blob_text(const struct blob *blob);

#endif
