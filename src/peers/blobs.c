#include "peers/blobs.h"

#include "base/map.h"
#include "base/text.h"
#include "peers/peers_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* public names start with: blobs_ */

/* A fetch requests pieces from one peer after the other, and continues where the previous peer has
 * stopped. The digest of the complete blob shows whether all pieces belong together. To copy a blob
 * to a peer, the manager requests that the peer fetches it.
 *
 * Failure modes: if no peer has the blob, the fetch fails, and is not repeated for
 * LIMIT_PEER_BLOB_PAUSE_MS. If a peer fails in the middle, the next peer continues. If a peer sends
 * wrong bytes, the check of the digest drops all bytes, and the fetch fails. */

enum { DIGEST_CHARACTERS = 64, BLOBS_DONE_MAX = 16, BLOBS_TARGET_BYTES = 160 };

/* A caller that waits for a fetch. */
struct blobs_waiter {
    blobs_done *done;
    void *arg;
};

/* A blob that is being fetched, or that no peer had at the last attempt. */
struct blobs_fetch {
    struct blobs *blobs;
    enum blobs_kind kind;
    char digest[DIGEST_CHARACTERS + 1]; /* empty: this entry is free */
    char first[CERTIFICATE_NAME_BYTES]; /* id of the peer that gets the first request; empty: none
                                         * is preferred */
    size_t asked;                       /* number of peers that have received a request, in order */
    struct peers_call *call;            /* NULL: no request is active */
    struct loop_task *task;             /* sends the request to the next peer */
    uint64_t size;                      /* size of the blob in bytes; 0: not known yet */
    uint64_t have;
    struct queue piece;
    uint64_t failed_ms;
    bool is_active;
    struct err err;
    struct blobs_waiter waiters[BLOBS_DONE_MAX];
    size_t waiter_count;
};

/* A blob that is being copied to peers. */
struct blobs_copy {
    struct blobs *blobs;
    enum blobs_kind kind;
    char digest[DIGEST_CHARACTERS + 1]; /* empty: this entry is free */
    size_t asked;
    size_t wanted;
    size_t copies;
    struct peers_call *call;
    bool is_good; /* the answer that is being read has status 200 */
    struct err err;
    struct blobs_waiter waiter;
};

struct blobs {
    struct blobs_options options;
    struct blobs_fetch fetches[LIMIT_PEER_BLOBS];
    struct blobs_copy copies[LIMIT_PEER_BLOBS];
    bool is_closed;
};

const char *blobs_kind_name(enum blobs_kind kind)
{
    static const char *const names[] = { [BLOBS_BUNDLE] = "bundle",
                                         [BLOBS_CONFIGURATION] = "configuration",
                                         [BLOBS_PLUGIN] = "plugin",
                                         [BLOBS_IMAGE] = "image" };

    assert(kind < BLOBS_KIND_COUNT);
    return names[kind];
}

enum blobs_kind blobs_kind_find(struct text word)
{
    enum blobs_kind kind = 0;

    while (kind < BLOBS_KIND_COUNT && !text_is(word, blobs_kind_name(kind))) {
        kind++;
    }
    return kind;
}

static bool is_blobs_digest(struct text digest)
{
    for (size_t i = 0; i < digest.length; i++) {
        char letter = digest.data[i];

        if (!((letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'))) {
            return false;
        }
    }
    return digest.length == DIGEST_CHARACTERS;
}

/* ---- peers ---- */

/* Returns the next peer to request the blob from, after `asked` other peers. The preferred peer
 * comes first, then all other reachable peers. NULL: there are no more peers. */
static const struct peer *blobs_peer_next(const struct blobs *blobs, const char *first,
                                          size_t *asked)
{
    const struct peers *peers = blobs->options.peers;

    while (*asked <= LIMIT_PEERS) {
        size_t at = (*asked)++;

        for (size_t i = 0; i < LIMIT_PEERS; i++) {
            const struct peer *peer = &peers->items[i];
            bool is_first = first[0] != '\0' && strcmp(peer->id, first) == 0;

            /* the preferred peer has just sent a request, so it is reachable */
            if (peer->address[0] != '\0' && (peer->is_reachable || is_first) &&
                (at == 0 ? is_first : i + 1 == at && !is_first)) {
                return peer;
            }
        }
    }
    return NULL;
}

/* ---- fetching ---- */

static void blobs_fetch_next(struct blobs_fetch *fetch);

static void blobs_fetch_end(struct blobs_fetch *fetch, const struct err *err)
{
    struct blobs *blobs = fetch->blobs;
    struct blobs_waiter waiters[BLOBS_DONE_MAX];
    size_t count = fetch->waiter_count;
    struct err failure;

    peers_call_end(fetch->call);
    fetch->call = NULL;
    loop_task_cancel(fetch->task);
    fetch->task = NULL;
    queue_clear(&fetch->piece);
    memcpy(waiters, fetch->waiters, sizeof(waiters));
    fetch->waiter_count = 0;
    fetch->is_active = false;
    if (err == NULL) {
        log_info(blobs->options.log, "blobs", "fetched",
                 log_string("kind", blobs_kind_name(fetch->kind)),
                 log_string("digest", fetch->digest), log_int("bytes", (int64_t)fetch->size));
        fetch->digest[0] = '\0';
    } else {
        failure = *err; /* copied, because `err` may be in the entry, and a callback may reuse the
                         * entry */
        log_debug(blobs->options.log, "blobs", "not_fetched",
                  log_string("kind", blobs_kind_name(fetch->kind)),
                  log_string("digest", fetch->digest), log_string("reason", err->text));
        fetch->failed_ms = loop_now_ms(blobs->options.loop);
    }
    for (size_t i = 0; i < count; i++) {
        waiters[i].done(waiters[i].arg, 2, err == NULL ? NULL : &failure);
    }
    if (!blobs->is_closed) {
        blobs->options.ended(blobs->options.arg);
    }
}

/* Processes a received piece. */
static void blobs_piece_take(struct blobs_fetch *fetch)
{
    const struct blobs_options *options = &fetch->blobs->options;
    struct blobs_piece piece = { .kind = fetch->kind,
                                 .digest = text_from(fetch->digest),
                                 .size = fetch->size,
                                 .offset = fetch->have,
                                 .bytes = queue_text(&fetch->piece) };
    bool is_plugin = fetch->kind == BLOBS_PLUGIN;
    uint64_t have = fetch->have + piece.bytes.length;
    uint64_t before = fetch->have;

    if (is_plugin) { /* a plugin is stored only when it is complete */
        have = piece.bytes.length;
        piece.offset = 0;
    }
    if ((!is_plugin || have == fetch->size) &&
        !options->put(options->file_arg, &piece, &have, &fetch->err)) {
        blobs_fetch_end(fetch, &fetch->err);
        return;
    }
    if (have == fetch->size) {
        blobs_fetch_end(fetch, NULL);
        return;
    }
    if (have <= before) {
        err_set(&fetch->err, CODE_R0726, "another upload of this digest is in progress");
        blobs_fetch_end(fetch, &fetch->err);
        return;
    }
    fetch->have = have;
    if (!is_plugin) {
        queue_clear(&fetch->piece);
    }
    fetch->asked--; /* the same peer also has the remaining bytes */
    blobs_fetch_next(fetch);
}

static void on_blob_bytes(void *arg)
{
    struct blobs_fetch *fetch = arg;
    bool is_end = false;
    size_t count = 1;

    while (count > 0 && !is_end) {
        char *room = queue_room(&fetch->piece, PEERS_REASON_BYTES * 64);

        count = peers_call_read(fetch->call, room, PEERS_REASON_BYTES * 64, &is_end);
        fetch->piece.length += count;
    }
    if (is_end) {
        peers_call_end(fetch->call);
        fetch->call = NULL;
        blobs_piece_take(fetch);
    }
}

/* Records why a peer did not send a piece, and requests it from the next peer. */
static void on_blob_failure(void *arg, const char *reason)
{
    struct blobs_fetch *fetch = arg;

    peers_call_end(fetch->call);
    fetch->call = NULL;
    if (fetch->kind != BLOBS_PLUGIN) {
        queue_clear(&fetch->piece);
    } else {
        fetch->piece.length = fetch->piece.gone + (size_t)fetch->have;
    }
    err_set(&fetch->err, CODE_R0585,
            "no other manager could send the data; the last one that was tried: %s", reason);
    blobs_fetch_next(fetch);
}

/* Reads the range FIRST-LAST/SIZE of a piece from the head of the answer. */
static bool blobs_range_read(const struct answer_head *head, uint64_t *first, uint64_t *size)
{
    uint64_t last = 0;
    char end = '\0';

    return sscanf(head->content_range, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64 "%c", first, &last,
                  size, &end) == 3 &&
           last >= *first && last < *size;
}

static uint64_t blobs_size_max(enum blobs_kind kind)
{
    return kind == BLOBS_IMAGE ? LIMIT_IMAGE_BYTES : LIMIT_PEER_BLOB_BYTES;
}

static void on_blob_head(void *arg, const struct answer_head *head)
{
    struct blobs_fetch *fetch = arg;
    uint64_t first = 0;
    uint64_t size = 0;

    if (head->status != 206) {
        on_blob_failure(fetch, head->status == 404 ? "the manager does not have the data"
                                                   : "the manager answered with an error");
    } else if (!blobs_range_read(head, &first, &size) || first != fetch->have ||
               (fetch->size > 0 && fetch->size != size) || size > blobs_size_max(fetch->kind)) {
        on_blob_failure(fetch, "the manager answered with a different range");
    } else {
        fetch->size = size;
        on_blob_bytes(fetch);
    }
}

/* Requests the next piece from the next peer. */
static void blobs_fetch_next(struct blobs_fetch *fetch)
{
    struct blobs *blobs = fetch->blobs;
    const struct peer *peer = blobs_peer_next(blobs, fetch->first, &fetch->asked);
    struct peers_events events = { on_blob_head, on_blob_bytes, on_blob_failure, fetch };
    char target[BLOBS_TARGET_BYTES];
    char range[64];
    struct http_field field = { "Range", range };
    struct peers_request request = { .method = TEXT("GET"),
                                     .fields = &field,
                                     .field_count = 1,
                                     .head_ms = LIMIT_PEER_HEAD_MS,
                                     .bytes_max = LIMIT_PEER_PIECE_BYTES };
    struct err err;

    snprintf(target, sizeof(target), "/peer/blobs/sha256:%s", fetch->digest);
    snprintf(range, sizeof(range), "bytes=%" PRIu64 "-%" PRIu64, fetch->have,
             fetch->have + LIMIT_PEER_PIECE_BYTES - 1);
    request.target = text_from(target);
    while (peer != NULL && !peers_call_start(blobs->options.peers, text_from(peer->id), &request,
                                             &events, &fetch->call, &err)) {
        fetch->err = err;
        peer = blobs_peer_next(blobs, fetch->first, &fetch->asked);
    }
    if (peer == NULL) {
        blobs_fetch_end(fetch, &fetch->err);
    }
}

static void blobs_fetch_due(void *arg)
{
    struct blobs_fetch *fetch = arg;

    fetch->task = NULL;
    blobs_fetch_next(fetch);
}

/* Returns the entry of a blob; creates it if necessary. NULL: too many fetches are active. */
static struct blobs_fetch *blobs_fetch_have(struct blobs *blobs, enum blobs_kind kind,
                                            struct text digest)
{
    struct blobs_fetch *place = NULL;

    for (size_t i = 0; i < LIMIT_PEER_BLOBS; i++) {
        struct blobs_fetch *fetch = &blobs->fetches[i];

        if (text_is(digest, fetch->digest) && fetch->kind == kind) {
            return fetch;
        }
        if (!fetch->is_active && (place == NULL || fetch->digest[0] == '\0')) {
            place = fetch;
        }
    }
    if (place != NULL) {
        *place = (struct blobs_fetch){ .blobs = blobs, .kind = kind };
        memcpy(place->digest, digest.data, DIGEST_CHARACTERS);
    }
    return place;
}

/* Begins the fetch in the next iteration of the loop. Returns false if the loop has no free
 * slot. */
static bool blobs_fetch_begin(struct blobs_fetch *fetch, struct text first)
{
    struct err err;

    if (!loop_task_open(fetch->blobs->options.loop, blobs_fetch_due, fetch, &fetch->task, &err)) {
        return false;
    }
    fetch->is_active = true;
    fetch->failed_ms = 0;
    fetch->asked = 0;
    fetch->have = 0;
    fetch->size = 0;
    err_set(&fetch->err, CODE_R0585, "no other manager can be reached");
    snprintf(fetch->first, sizeof(fetch->first), "%.*s", TEXT_ARG(first));
    return true;
}

bool blobs_want(struct blobs *blobs, enum blobs_kind kind, struct text digest)
{
    struct blobs_fetch *fetch;

    if (blobs == NULL || blobs->is_closed || !is_blobs_digest(digest) ||
        blobs->options.has(blobs->options.file_arg, kind, digest)) {
        return false;
    }
    fetch = blobs_fetch_have(blobs, kind, digest);
    if (fetch == NULL || fetch->is_active) {
        return fetch != NULL;
    }
    if (fetch->failed_ms > 0 &&
        loop_now_ms(blobs->options.loop) - fetch->failed_ms < LIMIT_PEER_BLOB_PAUSE_MS) {
        return false;
    }
    return blobs_fetch_begin(fetch, TEXT(""));
}

void blobs_take(struct blobs *blobs, enum blobs_kind kind, struct text digest, struct text peer,
                blobs_done *done, void *arg)
{
    struct blobs_fetch *fetch;
    struct err err;

    if (!is_blobs_digest(digest) || kind == BLOBS_KIND_COUNT) {
        err_set(&err, CODE_R0426, "'%.*s' is not the name of a blob", TEXT_ARG(digest));
        done(arg, 0, &err);
        return;
    }
    if (blobs->options.has(blobs->options.file_arg, kind, digest)) {
        done(arg, 2, NULL);
        return;
    }
    fetch = blobs->is_closed ? NULL : blobs_fetch_have(blobs, kind, digest);
    if (fetch == NULL || fetch->waiter_count == BLOBS_DONE_MAX ||
        (!fetch->is_active && !blobs_fetch_begin(fetch, peer))) {
        err_set(&err, CODE_R0422, "too many blobs are being fetched");
        done(arg, 0, &err);
        return;
    }
    fetch->waiters[fetch->waiter_count++] = (struct blobs_waiter){ done, arg };
}

/* ---- copies ---- */

static void blobs_copy_next(struct blobs_copy *copy);

static void blobs_copy_end(struct blobs_copy *copy, const struct err *err)
{
    struct blobs_waiter waiter = copy->waiter;
    size_t copies = copy->copies;
    struct err failure;

    if (err != NULL) {
        failure = *err;
    }
    peers_call_end(copy->call);
    copy->call = NULL;
    copy->digest[0] = '\0';
    waiter.done(waiter.arg, copies, err == NULL ? NULL : &failure);
}

static void on_copy_failure(void *arg, const char *reason)
{
    struct blobs_copy *copy = arg;

    peers_call_end(copy->call);
    copy->call = NULL;
    err_set(&copy->err, CODE_R0585,
            "no other manager has copied the uploaded data; the last one that was tried: %s",
            reason);
    err_hint(&copy->err, "repeat the upload; reeve manager status shows the links");
    blobs_copy_next(copy);
}

static void on_copy_bytes(void *arg)
{
    struct blobs_copy *copy = arg;
    char bytes[PEERS_REASON_BYTES];
    bool is_end = false;
    size_t count = 1;

    while (count > 0 && !is_end) {
        count = peers_call_read(copy->call, bytes, sizeof(bytes), &is_end);
    }
    if (!is_end) {
        return;
    }
    if (!copy->is_good) {
        on_copy_failure(copy, "the manager could not fetch the data");
        return;
    }
    copy->copies++;
    peers_call_end(copy->call);
    copy->call = NULL;
    blobs_copy_next(copy);
}

static void on_copy_head(void *arg, const struct answer_head *head)
{
    struct blobs_copy *copy = arg;

    copy->is_good = head->status == 200;
    on_copy_bytes(copy);
}

/* Requests that the next peer copies the blob, until there are enough copies. */
static void blobs_copy_next(struct blobs_copy *copy)
{
    struct blobs *blobs = copy->blobs;
    struct peers_events events = { on_copy_head, on_copy_bytes, on_copy_failure, copy };
    char target[BLOBS_TARGET_BYTES];
    struct peers_request request = { .method = TEXT("POST"),
                                     .head_ms = copy->kind == BLOBS_IMAGE ? LIMIT_PEER_IMAGE_MS
                                                                          : LIMIT_PEER_COPY_MS,
                                     .bytes_max = LIMIT_PEER_PIECE_BYTES };
    const struct peer *peer;

    if (copy->copies >= copy->wanted) {
        blobs_copy_end(copy, NULL);
        return;
    }
    snprintf(target, sizeof(target), "/peer/copies/sha256:%s?kind=%s", copy->digest,
             blobs_kind_name(copy->kind));
    request.target = text_from(target);
    do {
        peer = blobs_peer_next(blobs, "", &copy->asked);
    } while (peer != NULL && !peers_call_start(blobs->options.peers, text_from(peer->id), &request,
                                               &events, &copy->call, &copy->err));
    if (peer == NULL) {
        blobs_copy_end(copy, &copy->err);
    }
}

void blobs_spread(struct blobs *blobs, enum blobs_kind kind, struct text digest, size_t wanted,
                  blobs_done *done, void *arg)
{
    struct blobs_copy *copy = NULL;
    struct err err;

    for (size_t i = 0; i < LIMIT_PEER_BLOBS && copy == NULL; i++) {
        copy = blobs->copies[i].digest[0] == '\0' ? &blobs->copies[i] : NULL;
    }
    if (copy == NULL || blobs->is_closed || !is_blobs_digest(digest)) {
        err_set(&err, CODE_R0422, "too many blobs are being copied to other managers");
        done(arg, 1, &err);
        return;
    }
    *copy = (struct blobs_copy){
        .blobs = blobs, .kind = kind, .wanted = wanted, .copies = 1, .waiter = { done, arg }
    };
    memcpy(copy->digest, digest.data, DIGEST_CHARACTERS);
    err_set(&copy->err, CODE_R0585, "no other manager can be reached to copy the uploaded data");
    err_hint(&copy->err, "repeat the upload; reeve manager status shows the links");
    blobs_copy_next(copy);
}

/* ---- reading ---- */

enum blobs_kind blobs_kind_here(const struct blobs *blobs, struct text digest)
{
    const struct blobs_options *options = &blobs->options;
    enum blobs_kind kind = is_blobs_digest(digest) ? BLOBS_BUNDLE : BLOBS_KIND_COUNT;

    while (kind < BLOBS_KIND_COUNT && !options->has(options->file_arg, kind, digest)) {
        kind++;
    }
    return kind;
}

bool blobs_read(const struct blobs *blobs, struct arena *arena, struct text digest, uint64_t offset,
                uint64_t length, struct blobs_part *out, struct err *err)
{
    const struct blobs_options *options = &blobs->options;
    enum blobs_kind kind = blobs_kind_here(blobs, digest);

    if (kind < BLOBS_KIND_COUNT) {
        return options->read(options->file_arg, arena, kind, digest, offset,
                             length < LIMIT_PEER_PIECE_BYTES ? length : LIMIT_PEER_PIECE_BYTES, out,
                             err);
    }
    return err_set(err, CODE_R0403, "this manager has no blob sha256:%.*s", TEXT_ARG(digest));
}

/* ---- life ---- */

struct blobs *blobs_new(const struct blobs_options *options)
{
    struct blobs *blobs = rows_resize(NULL, sizeof(*blobs));

    *blobs = (struct blobs){ .options = *options };
    return blobs;
}

void blobs_close(struct blobs *blobs)
{
    struct err err;

    if (blobs == NULL || blobs->is_closed) {
        return;
    }
    blobs->is_closed = true;
    err_set(&err, CODE_R0428, "this manager is stopping");
    for (size_t i = 0; i < LIMIT_PEER_BLOBS; i++) {
        if (blobs->fetches[i].is_active) {
            blobs_fetch_end(&blobs->fetches[i], &err);
        }
        if (blobs->copies[i].digest[0] != '\0') {
            blobs_copy_end(&blobs->copies[i], &err);
        }
    }
}

void blobs_free(struct blobs *blobs)
{
    rows_free(blobs);
}
