#ifndef REEVE_QUERY_SERVICE_ROWS_H
#define REEVE_QUERY_SERVICE_ROWS_H

#include "state/cache.h"
#include "service/show.h"

/* A list that is answered, as the objects it consists of and not as one text: what is listed shares the bytes of
 * the cache, and is joined while a client takes it. So a list of a hundred thousand costs a few bytes for each
 * of them, however slowly it is read, and shows them as they were when it was asked for.
 *
 * Lifetime: in the arena it was made in; ended by service_rows_end, after which only the arena has it. */
struct service_rows;

/* An empty list of objects of this kind. Borrows the texts; `between` stands between rows. */
struct service_rows *service_rows_new(struct arena *arena, const struct schema_kind *kind,
                                      struct text between);

/* Add an object, as it is now. */
void service_rows_add(struct service_rows *rows, const struct cache_object *object);

/* What stands before the first row and behind the last one; the texts live as long as the rows. */
void service_rows_frame(struct service_rows *rows, struct text before, struct text behind);

/* Bytes of all of it, exactly. */
size_t service_rows_bytes(const struct service_rows *rows);

/* Write the next bytes, at most `room`. Returns how many; 0: that was all. */
size_t service_rows_read(struct service_rows *rows, char *out, size_t room);

/* Give back what it holds. */
void service_rows_end(struct service_rows *rows);

#endif
