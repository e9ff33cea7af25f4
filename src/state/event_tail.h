#ifndef REEVE_STATE_EVENT_TAIL_H
#define REEVE_STATE_EVENT_TAIL_H

#include "base/buf.h"
#include "state/cache.h"

/* names: event_tail_ event_reader_ event_format */

/* Events as they are written, for those who follow them.
 *
 * The newest LIMIT_EVENT_TAIL of them lie in one row that all readers share, and that is read from the store once for all,
 * as the cache comes to know of newer revisions. Who is behind that row reads a page of his own, one reader at a time, until
 * he has reached it: so nobody misses anything, however slowly he reads, and nobody makes others wait. Without readers
 * nothing is read. All calls are on the loop thread. */
struct event_tail;

/* Make it. Store and cache outlive its last call. */
struct event_tail *event_tail_new(struct store *store, struct cache *cache);

/* End it, when the store is closed and no reader is left. NULL is allowed. */
void event_tail_free(struct event_tail *tail);

/* Carry on. To be called behind cache_run. */
void event_tail_run(struct event_tail *tail);

/* One who follows the events of a tenant. */
struct event_reader;

/* Begin behind a revision; of a cluster (TENANT/ID) or of all of a tenant (TENANT). `ready` says that there may be something to take; it is never called from here. */
struct event_reader *event_reader_open(struct event_tail *tail, struct text whose, uint64_t after,
                                       void (*ready)(void *arg), void *arg);

/* He goes. */
void event_reader_close(struct event_reader *reader);

/* The next event, as event_format writes it, which the caller frees; NULL: none now. *out_whole: all events up to this
 * revision were taken, and this was the last one of it; 0: more of its revision follow. */
struct blob *event_reader_take(struct event_reader *reader, uint64_t *out_whole);

/* Is what he wants still to be read from the store for him? event_tail_run does it: soon, so that he is not a page a second. */
bool event_reader_is_behind(const struct event_reader *reader);

/* Write an event as JSON: {"cluster","number","revision","time", and what it tells}. */
void event_format(struct buf *out, const struct store_event *event);

/* How many of the events that a page of all clusters has are of whole revisions: the rest comes with the next page, unless
 * it is all there is. */
size_t event_tail_whole_count(const struct store_answer *answer);

#endif
