#ifndef REEVE_STATE_EVENT_TAIL_H
#define REEVE_STATE_EVENT_TAIL_H

#include "base/buf.h"
#include "state/cache.h"

/* public names start with: event_tail_ event_reader_ event_format */

/* A live stream of events for any number of readers.
 *
 * The latest LIMIT_EVENT_TAIL events are in one queue that all readers share. Events are read from
 * the store once, when the cache reaches newer revisions. A reader whose position is before the
 * queue reads its own pages from the store, one reader at a time, until it reaches the queue. So a
 * slow reader misses no event and does not delay others. Without readers nothing is read. All calls
 * are made on the loop thread. */
struct event_tail;

/* Creates a stream. The store and the cache must outlive the last call that uses it. */
struct event_tail *event_tail_new(struct store *store, struct cache *cache);

/* Frees the stream, after the store and all readers are closed. NULL is allowed. */
void event_tail_free(struct event_tail *tail);

/* Does pending work. Call it after cache_run. */
void event_tail_run(struct event_tail *tail);

/* A reader of the events of a tenant. */
struct event_reader;

/* Open a reader of the events after a revision, of a cluster (TENANT/ID) or of a whole tenant
 * (TENANT). `ready` is called when there may be events to take, never from within this function. */
struct event_reader *event_reader_open(struct event_tail *tail, struct text whose, uint64_t after,
                                       void (*ready)(void *arg), void *arg);

/* Close a reader. */
void event_reader_close(struct event_reader *reader);

/* Takes the next event, in the form of event_format. The caller frees it. Returns NULL if there is
 * no event now. If the event is the last one of its revision, *out_whole is that revision, so that
 * all events up to it are taken. It is 0 if more events of the revision follow. */
struct blob *event_reader_take(struct event_reader *reader, uint64_t *out_whole);

/* True if the reader still needs pages from the store. event_tail_run reads them, so call it soon:
 * without further calls the reader gets only one page a second. */
bool event_reader_is_behind(const struct event_reader *reader);

/* Write an event as JSON: {"cluster","number","revision","time"}, and the fields of its body. */
void event_format(struct buf *out, const struct store_event *event);

/* Return how many events of a page (of all clusters) belong to complete revisions. The other events
 * are read again with the next page, unless the page has no complete revision. */
size_t event_tail_whole_count(const struct store_answer *answer);

#endif
