#include "state/event_tail.h"

#include "base/limits.h"
#include "base/time.h"

#include <assert.h>

/* A reader takes events from its own page, if it has one, then continues in the shared queue:
 *
 *     store -> own page, while the next event is older than the queue -> the queue -> taken
 *
 * The queue has all events above `floor` and up to `seen`. If the store does not answer, the next
 * run repeats the request. If the queue drops events before a slow reader has taken them, the
 * reader reads pages again. If a reader is closed while its page is being read, the answer is
 * dropped. */

struct tail_event {
    struct blob *json;
    uint64_t revision;
};

struct tail_page {
    struct tail_event *items;
    size_t count;
    size_t next;
};

struct event_reader {
    struct event_tail *tail;
    struct event_reader *next;
    struct event_reader *before;
    struct blob *prefix; /* prefix of the tenant's events */
    uint64_t after;      /* the reader has taken all events up to this revision */
    /* the revision of which the reader has taken some events, but not all; 0: none */
    uint64_t part;
    size_t part_count; /* number of taken events of that revision */
    /* Number of the next event in the queue. If it is lower than the number of the first kept
     * event, the position must be searched. */
    uint64_t place;
    struct tail_page page; /* the reader's own page; items is NULL: none */
    uint64_t page_end;     /* the last revision of the page */
    void (*ready)(void *arg);
    void *arg;
};

struct event_tail {
    struct store *store;
    struct cache *cache;
    struct pool *readers;
    struct event_reader *first;
    struct tail_event *row; /* LIMIT_EVENT_TAIL events, a ring */
    /* numbers, from 1: that of the first kept event, and that of the next new event */
    uint64_t begin;
    uint64_t end;
    uint64_t floor;
    uint64_t seen;
    uint64_t asked; /* lowest acceptable revision of the read in progress */
    /* The reader whose page is being read. NULL: there is none, or it was closed. */
    struct event_reader *behind;
    uint64_t behind_asked;
    bool is_idle; /* there is no reader; the queue is empty and is not kept current */
    bool is_reading;
    bool is_paging;
};

/* ---- format of an event ---- */

void event_format(struct buf *out, const struct store_event *event)
{
    char time[TIME_TEXT_BYTES];

    time_format((int64_t)event->time_ms, time);
    buf_printf(out, "{\"cluster\":\"%.*s\",\"number\":%llu,\"revision\":%llu,\"time\":\"%s\"",
               TEXT_ARG(event->cluster), (unsigned long long)event->number,
               (unsigned long long)event->revision, time);
    /* The body is a JSON object that is not empty, so its entries can be appended. */
    if (event->body.length > 2) {
        buf_add_string(out, ",");
        buf_add(out, text_slice(event->body, 1, event->body.length));
    } else {
        buf_add_string(out, "}");
    }
}

size_t event_tail_whole_count(const struct store_answer *answer)
{
    size_t count = answer->count;

    if (!answer->has_more || count == 0) {
        return count;
    }
    while (count > 0 &&
           answer->events[count - 1].revision == answer->events[answer->count - 1].revision) {
        count--;
    }
    return count == 0 ? answer->count : count;
}

static struct tail_event event_tail_item_make(struct arena *arena, const struct store_event *event)
{
    struct arena_mark mark = arena_mark(arena);
    struct tail_event item = { .revision = event->revision };
    struct buf buf;

    buf_init(&buf, arena);
    event_format(&buf, event);
    item.json = blob_new(buf_text(&buf));
    arena_rewind(arena, mark);
    return item;
}

/* ---- the queue ---- */

static struct tail_event *event_tail_row_at(const struct event_tail *tail, uint64_t number)
{
    assert(number >= tail->begin && number < tail->end);
    return &tail->row[number % LIMIT_EVENT_TAIL];
}

static void event_tail_row_drop(struct event_tail *tail)
{
    struct tail_event *item = event_tail_row_at(tail, tail->begin);

    tail->floor = item->revision;
    blob_free(item->json);
    tail->begin++;
}

static void row_clear(struct event_tail *tail)
{
    while (tail->begin < tail->end) {
        event_tail_row_drop(tail);
    }
}

static void event_tail_row_add(struct event_tail *tail, struct tail_event item)
{
    if (tail->end - tail->begin == LIMIT_EVENT_TAIL) {
        event_tail_row_drop(tail);
    }
    tail->row[tail->end % LIMIT_EVENT_TAIL] = item;
    tail->end++;
}

/* Return the number of the first event above a revision. */
static uint64_t event_tail_row_find(const struct event_tail *tail, uint64_t after)
{
    uint64_t low = tail->begin;
    uint64_t high = tail->end;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (event_tail_row_at(tail, middle)->revision > after) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- reading the store ---- */

bool event_reader_is_behind(const struct event_reader *reader)
{
    return reader->page.items == NULL && reader->after < reader->tail->floor;
}

static void row_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct event_tail *tail = arg;
    size_t count = outcome == OUTCOME_OK ? event_tail_whole_count(answer) : 0;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    tail->is_reading = false;
    if (outcome != OUTCOME_OK || tail->is_idle) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (answer->events[i].revision > tail->seen) {
            event_tail_row_add(tail, event_tail_item_make(arena, &answer->events[i]));
        }
    }
    if (count > 0 && answer->events[count - 1].revision > tail->seen) {
        tail->seen = answer->events[count - 1].revision;
    }
    if (!answer->has_more && tail->asked > tail->seen) {
        tail->seen = tail->asked;
    }
    for (struct event_reader *reader = tail->first; reader != NULL && count > 0;
         reader = reader->next) {
        reader->ready(reader->arg);
    }
}

static void page_clear(struct tail_page *page)
{
    for (; page->next < page->count; page->next++) {
        blob_free(page->items[page->next].json);
    }
    rows_free(page->items);
    *page = (struct tail_page){ 0 };
}

static bool is_his(const struct event_reader *reader, const struct tail_event *item)
{
    return text_has_prefix(blob_text(item->json), blob_text(reader->prefix));
}

/* Fills a page with the reader's events, except those that were already taken. */
static void page_fill(struct event_reader *reader, const struct store_answer *answer, size_t count)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    size_t taken = reader->part_count;

    reader->page.items = rows_resize(NULL, (count + 1) * sizeof(*reader->page.items));
    for (size_t i = 0; i < count; i++) {
        struct tail_event item = event_tail_item_make(arena, &answer->events[i]);

        if (!is_his(reader, &item)) {
            blob_free(item.json);
        } else if (item.revision == reader->part && taken > 0) {
            taken--;
            blob_free(item.json);
        } else {
            reader->page.items[reader->page.count++] = item;
        }
    }
}

static void page_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct event_tail *tail = arg;
    struct event_reader *reader = tail->behind;
    size_t count = outcome == OUTCOME_OK ? event_tail_whole_count(answer) : 0;

    tail->behind = NULL;
    tail->is_paging = false;
    if (reader == NULL || outcome != OUTCOME_OK) {
        return;
    }
    page_fill(reader, answer, count);
    reader->page_end = reader->after;
    if (count > 0) {
        reader->page_end = answer->events[count - 1].revision;
    }
    if (!answer->has_more && tail->behind_asked > reader->page_end) {
        reader->page_end = tail->behind_asked;
    }
    reader->ready(reader->arg);
}

/* Reads a page for one reader at a time. While that reader takes its page, the next reader's page
 * is read. */
static void behind_read(struct event_tail *tail)
{
    struct event_reader *reader = tail->first;

    while (reader != NULL && !event_reader_is_behind(reader)) {
        reader = reader->next;
    }
    if (reader == NULL) {
        return;
    }
    tail->behind = reader;
    tail->behind_asked = cache_revision(tail->cache);
    tail->is_paging = true;
    store_events(tail->store, TEXT(""), reader->after, LIMIT_EVENTS_PAGE, page_reported, tail);
}

void event_tail_run(struct event_tail *tail)
{
    uint64_t revision = cache_revision(tail->cache);

    if (tail->first == NULL) {
        row_clear(tail);
        tail->is_idle = true;
        return;
    }
    if (cache_state(tail->cache) != CACHE_READY) {
        return;
    }
    if (tail->is_idle && !tail->is_reading) {
        tail->is_idle = false;
        tail->seen = revision;
        tail->floor = revision;
    }
    if (!tail->is_idle && !tail->is_reading && revision > tail->seen) {
        tail->is_reading = true;
        tail->asked = revision;
        store_events(tail->store, TEXT(""), tail->seen, LIMIT_EVENTS_PAGE, row_reported, tail);
    }
    if (!tail->is_idle && !tail->is_paging) {
        behind_read(tail);
    }
}

/* ---- readers ---- */

struct event_reader *event_reader_open(struct event_tail *tail, struct text whose, uint64_t after,
                                       void (*ready)(void *arg), void *arg)
{
    struct event_reader *reader = pool_take(tail->readers);
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    assert(reader != NULL && "as many as there are watchers");
    *reader = (struct event_reader){
        .tail = tail, .next = tail->first, .after = after, .ready = ready, .arg = arg
    };
    reader->prefix = blob_new(arena_printf(arena, "{\"cluster\":\"%.*s%s", TEXT_ARG(whose),
                                           text_find_byte(whose, '/') == SIZE_MAX ? "/" : "\""));
    if (tail->first != NULL) {
        tail->first->before = reader;
    }
    tail->first = reader;
    return reader;
}

void event_reader_close(struct event_reader *reader)
{
    struct event_tail *tail = reader->tail;

    if (tail->behind == reader) {
        tail->behind = NULL;
    }
    *(reader->before == NULL ? &tail->first : &reader->before->next) = reader->next;
    if (reader->next != NULL) {
        reader->next->before = reader->before;
    }
    page_clear(&reader->page);
    blob_free(reader->prefix);
    pool_give(tail->readers, reader);
}

/* Records that an event of a revision is taken. is_whole: it was the last event of that
 * revision. */
static void taken(struct event_reader *reader, uint64_t revision, bool is_whole)
{
    if (is_whole) {
        reader->after = revision;
        reader->part = 0;
        reader->part_count = 0;
        return;
    }
    reader->part_count = reader->part == revision ? reader->part_count + 1 : 1;
    reader->part = revision;
}

static struct blob *event_tail_page_take(struct event_reader *reader, uint64_t *out_whole)
{
    struct tail_page *page = &reader->page;
    struct tail_event item = page->items[page->next++];
    bool is_whole = page->next == page->count || page->items[page->next].revision != item.revision;

    taken(reader, item.revision, is_whole);
    *out_whole = is_whole ? item.revision : 0;
    return item.json;
}

static struct blob *event_tail_row_take(struct event_reader *reader, uint64_t *out_whole)
{
    const struct event_tail *tail = reader->tail;
    const struct tail_event *item;
    uint64_t next;

    if (reader->place < tail->begin) {
        reader->place = event_tail_row_find(tail, reader->after) + reader->part_count;
    }
    while (reader->place < tail->end && !is_his(reader, event_tail_row_at(tail, reader->place))) {
        reader->place++;
    }
    if (reader->place >= tail->end) {
        if (tail->seen > reader->after) {
            taken(reader, tail->seen, true);
        }
        return NULL;
    }
    item = event_tail_row_at(tail, reader->place++);
    for (next = reader->place;
         next < tail->end && event_tail_row_at(tail, next)->revision == item->revision &&
         !is_his(reader, event_tail_row_at(tail, next));
         next++) {
    }
    taken(reader, item->revision,
          next == tail->end || event_tail_row_at(tail, next)->revision != item->revision);
    *out_whole = reader->part == 0 ? item->revision : 0;
    return blob_share(item->json);
}

struct blob *event_reader_take(struct event_reader *reader, uint64_t *out_whole)
{
    *out_whole = 0;
    if (reader->page.items != NULL && reader->page.next == reader->page.count) {
        page_clear(&reader->page);
        taken(reader, reader->page_end, true);
        reader->place = 0;
    }
    if (reader->page.items != NULL) {
        return event_tail_page_take(reader, out_whole);
    }
    return reader->tail->is_idle || event_reader_is_behind(reader)
               ? NULL
               : event_tail_row_take(reader, out_whole);
}

/* ---- creation and end ---- */

struct event_tail *event_tail_new(struct store *store, struct cache *cache)
{
    struct event_tail *tail = rows_resize(NULL, sizeof(*tail));

    *tail = (struct event_tail){
        .store = store, .cache = cache, .begin = 1, .end = 1, .is_idle = true
    };
    tail->readers = pool_new(sizeof(struct event_reader), LIMIT_WATCHERS);
    tail->row = rows_resize(NULL, LIMIT_EVENT_TAIL * sizeof(*tail->row));
    return tail;
}

void event_tail_free(struct event_tail *tail)
{
    if (tail == NULL) {
        return;
    }
    assert(tail->first == NULL && !tail->is_reading && !tail->is_paging);
    row_clear(tail);
    rows_free(tail->row);
    pool_free(tail->readers);
    rows_free(tail);
}
