#ifndef REEVE_QUERY_SERVICE_ROWS_H
#define REEVE_QUERY_SERVICE_ROWS_H

#include "state/cache.h"
#include "change/show.h"

/* The answer to a list as a sequence of objects instead of one text. The rows share the bytes of
 * the cache and are formatted while a client reads. So a list of a hundred thousand objects costs a
 * few bytes per object, even if the client reads slowly. It shows the objects as they were at the
 * time of the request.
 *
 * The list lives in the arena in which it was created. service_rows_end releases the shared bytes;
 * the rest is freed with the arena. */
struct service_rows;

/* Create an empty list of objects of this kind. It borrows the texts. `between` is the text between
 * two rows. */
struct service_rows *service_rows_new(struct arena *arena, const struct schema_kind *kind,
                                      struct text between);

/* Add an object in its current state. */
void service_rows_add(struct service_rows *rows, const struct cache_object *object);

/* Set the text before the first row and the text after the last row. The list borrows both. */
void service_rows_frame(struct service_rows *rows, struct text before, struct text behind);

/* Return the exact length of the whole text in bytes. */
size_t service_rows_bytes(const struct service_rows *rows);

/* Write the next bytes, at most `room`. Returns their number; 0: the end is reached. */
size_t service_rows_read(struct service_rows *rows, char *out, size_t room);

/* Release the shared bytes. Every list needs this call. */
void service_rows_end(struct service_rows *rows);

#endif
