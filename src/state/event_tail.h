#ifndef REEVE_STATE_EVENT_TAIL_H
#define REEVE_STATE_EVENT_TAIL_H

#include "base/buf.h"
#include "state/cache.h"

/* names: event_tail_ event_reader_ event_format */

/* A live stream of events for any number of readers.
 *
 * The newest LIMIT_EVENT_TAIL events are in one queue that all readers share. Events are read from
 * the store once, when the cache reaches newer revisions. A reader that is behind the queue reads
 * pages of its own, one reader at a time, until it has reached the queue. So a slow reader misses
 * no event and does not delay others. Without readers nothing is read. All calls are on the loop
 * thread. */
struct event_tail;

/* Create it. Store and cache must outlive its last call. */
struct event_tail *event_tail_new(struct store *store, struct cache *cache);

/* Free it after the store is closed and all readers are closed. NULL is allowed. */
void event_tail_free(struct event_tail *tail);

/* Do pending work. Call after cache_run. */
void event_tail_run(struct event_tail *tail);

/* A reader of the events of a tenant. */
struct event_reader;

/* Open a reader of the events after a revision, of a cluster (TENANT/ID) or of a whole tenant
 * (TENANT). `ready` is called when there may be events to take, never from within this function. */
struct event_reader *event_reader_open(struct event_tail *tail, struct text whose, uint64_t after,
                                       void (*ready)(void *arg), void *arg);

/* Close a reader. */
void event_reader_close(struct event_reader *reader);

/* Take the next event, as event_format writes it. The caller frees it. Returns NULL if there is no
 * event now. Sets *out_whole to the revision of the event if it was the last event of that
 * revision, so that all events up to there are taken. Sets it to 0 if more events of the revision
 * follow. */
struct blob *event_reader_take(struct event_reader *reader, uint64_t *out_whole);

/* True if the reader still needs pages from the store. event_tail_run reads them: call it soon,
 * otherwise the reader gets one page a second. */
bool event_reader_is_behind(const struct event_reader *reader);

/* Write an event as JSON: {"cluster","number","revision","time"}, and the fields of its body. */
void event_format(struct buf *out, const struct store_event *event);

/* The number of events of a page (of all clusters) that belong to complete revisions. The rest is
 * read again with the next page, unless the page has no complete revision. */
size_t event_tail_whole_count(const struct store_answer *answer);

#endif
