#ifndef REEVE_BASE_MEM_H
#define REEVE_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

/* names: arena_ pool_ blob_ rows_ */

/* Memory that many small objects share and that is freed as a whole.
 *
 * Lifetime: everything from an arena dies with arena_free (or with the arena_rewind to a mark that
 *           is older than it); nothing is freed singly.
 * Failure:  none. The caller checks its budget first with arena_left; past limit_bytes is a bug and
 *           asserts. When malloc gives NULL the process ends: all state that counts is in the store.
 * Under ASan unused memory is poisoned and objects stand apart, so that overruns are seen. */
struct arena;

/* Make an empty arena. The caller frees it, or declares it with AUTO(arena). */
struct arena *arena_new(size_t limit_bytes);

/* The same for what is little, and there are many of: its first block is small. */
struct arena *arena_new_small(size_t limit_bytes);

/* The same with a first block of so many bytes, where it is known what goes into it. */
struct arena *arena_new_small_for(size_t limit_bytes, size_t first_bytes);

/* As arena_new, with a first block of at least so many bytes. */
struct arena *arena_new_wide(size_t limit_bytes, size_t first_bytes);

/* Drop all that lives in the arena. Its first block stays, for what comes next. */
void arena_clear(struct arena *arena);

/* Free the arena and all that lives in it. NULL is allowed. */
void arena_free(struct arena *arena);

/* For AUTO(arena). */
void arena_cleanup(struct arena **arena);
#define AUTO_arena __attribute__((cleanup(arena_cleanup))) struct arena *

/* Bytes that may still be asked for. */
size_t arena_left(const struct arena *arena);

/* Bytes given out so far, padding included. */
size_t arena_used(const struct arena *arena);

/* Zeroed memory, aligned for every type. Never NULL; size 0 gives a valid pointer. */
void *arena_alloc(struct arena *arena, size_t bytes);

/* Room for `count` objects of a type, zeroed. */
#define arena_array(arena, type, count) ((type *)arena_alloc_array(arena, count, sizeof(type)))
#define arena_one(arena, type)          ((type *)arena_alloc(arena, sizeof(type)))
void *arena_alloc_array(struct arena *arena, size_t count, size_t item_bytes);

/* Room that is not zeroed: the caller writes all of it that is read. */
void *arena_room(struct arena *arena, size_t bytes);

/* Make what `data` points to (of old_bytes, from this arena, or NULL) at least new_bytes long. In
 * place where it is the newest object, else a copy; what is new is zeroed. */
void *arena_grow(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes);

/* The same; what is new is not zeroed. */
void *arena_grow_room(struct arena *arena, void *data, size_t old_bytes, size_t new_bytes);

/* Copies that live in the arena. arena_string adds a NUL. */
struct text arena_text(struct arena *arena, struct text text);
void *arena_copy(struct arena *arena, const void *data, size_t bytes);
char *arena_string(struct arena *arena, struct text text);

/* printf into the arena: terminated by NUL, length known. */
struct text arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
struct text arena_vprintf(struct arena *arena, const char *format, va_list args) PRINTF_LIKE(2, 0);

/* A number in decimal. */
struct text arena_number(struct arena *arena, int64_t number);

/* A point in the life of an arena. */
struct arena_mark {
    void *block;
    size_t block_used;
    size_t used;
};

/* Where the arena stands now. */
struct arena_mark arena_mark(const struct arena *arena);

/* Drop everything that was made after the mark. Marks taken later become invalid. */
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Objects of one size that come and go singly, at most `limit` at once; for what outlives a unit of
 * work. Freed objects are reused, and poisoned under ASan while nobody has them. */
struct pool;

/* Make a pool of objects of item_bytes (> 0). The caller frees it. */
struct pool *pool_new(size_t item_bytes, size_t limit);

/* Free the pool and every object of it. NULL is allowed. */
void pool_free(struct pool *pool);

/* A zeroed object, or NULL at the limit: the caller answers that as an error. */
void *pool_take(struct pool *pool);

/* Give an object of this pool back. */
void pool_give(struct pool *pool, void *item);

/* Objects that are out now. */
size_t pool_count(const struct pool *pool);

/* An array that grows and shrinks for as long as its owner lives: make what `rows` points to (NULL: nothing)
 * `bytes` long. What is new is not zeroed. Given back by rows_free; NULL is allowed. */
void *rows_resize(void *rows, size_t bytes);
void rows_free(void *rows);

/* Immutable bytes that several owners share: the one thing that counts its owners. Counted on one
 * thread only; who hands one to another thread keeps it until that thread is done. */
struct blob {
    uint32_t length; /* there are as many blobs as records, so each byte counts */
    uint32_t owners;
    char data[]; /* terminated by NUL, which length does not count */
};

/* A copy of bytes, with one owner. */
struct blob *blob_new(struct text text);

/* One owner more. Returns the blob. */
struct blob *blob_share(struct blob *blob);

/* Has it more owners than one? */
bool blob_is_shared(const struct blob *blob);

/* One owner less; the last one frees it. NULL is allowed. */
void blob_free(struct blob *blob);

/* Its bytes. Borrowed. */
struct text blob_text(const struct blob *blob);

#endif
