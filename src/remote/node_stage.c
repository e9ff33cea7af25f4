#include "remote/node_parts.h"
#include "remote/program.h"
#include "sys/digest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bundles and stages. Only node_decide determines what to do next, from the latest answer of the
 * node. */

/* A bundle needs space for itself, its tree and a reserve, and at least twice its own size. */
enum { WORDS = 14, ROOM_PERCENT = 110, WAIT_MS = 2000, EMPTY_MAX = 5, LINE_KEPT_BYTES = 256 };

static const struct node_stage *stage_now(const struct node_job *job)
{
    return &job->options.stages[job->stage];
}

void node_chains(struct node_job *job)
{
    for (size_t i = 0; i < job->options.stage_count; i++) {
        const struct node_stage *stage = &job->options.stages[i];
        struct digest_stream *stream = digest_stream_new();

        digest_stream_add(stream, i == 0 ? TEXT("reeve1") : text_from(job->tracks[i - 1].chain));
        digest_stream_add(stream, stage->digest);
        for (size_t n = 0; n < stage->argument_count; n++) {
            digest_stream_add(stream, stage->arguments[n]);
            digest_stream_add(stream, (struct text){ "", 1 });
        }
        if (stage->vars.length > 0) { /* two NULs as a separator, because an argument is followed by
                                       * one */
            digest_stream_add(stream, (struct text){ "\0vars", 6 });
            digest_stream_add(stream, stage->vars);
        }
        digest_stream_end(stream, job->tracks[i].chain);
    }
}

enum node_move node_decide(const struct node_stage *stage, const char *chain,
                           const struct answer_stage *known)
{
    bool is_ours = strcmp(known->chain, chain) == 0;

    if (known->state == ANSWER_RUNNING) {
        return is_ours ? NODE_MOVE_FOLLOW : NODE_MOVE_WAIT;
    }
    if (strcmp(known->done, chain) == 0) {
        return NODE_MOVE_NEXT;
    }
    if (!is_ours || known->state == ANSWER_ABSENT) {
        return NODE_MOVE_START;
    }
    if (known->state == ANSWER_ENDED && known->code != 0) {
        return stage->is_idempotent && known->tries < stage->tries ? NODE_MOVE_START
                                                                   : NODE_MOVE_FAILED;
    }
    /* the attempt was lost (ANSWER_LOST), or it succeeded but its completion marker was removed */
    return stage->is_idempotent && known->tries < stage->tries + REMOTE_LOST_TRIES
               ? NODE_MOVE_START
               : NODE_MOVE_INTERRUPTED;
}

/* ---- output ---- */

bool node_line_is_error(struct text line)
{
    static const char *const words[] = { "error",   "fatal",        "failed",    "failure",
                                         "cannot",  "not found",    "denied",    "no such",
                                         "refused", "unrecognized", "traceback", "unbound" };
    char small[256];
    size_t length = line.length < sizeof(small) - 1 ? line.length : sizeof(small) - 1;

    for (size_t i = 0; i < length; i++) {
        char c = line.data[i];

        small[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c == '\0' ? ' ' : c);
    }
    small[length] = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (strstr(small, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Keeps a line for display. A trailing carriage return is removed, because ssh ends its lines with
 * one. */
static struct text line_keep(struct node_job *job, char **room, struct text line)
{
    struct text cut = text_slice(text_trim(line), 0, LINE_KEPT_BYTES);

    if (*room == NULL) { /* allocated only now, because most jobs wait in the queue and need no
                          * memory for lines */
        *room = arena_room(job->memory, LINE_KEPT_BYTES);
    }
    memcpy(*room, cut.data, cut.length);
    return (struct text){ *room, cut.length };
}

/* Reports one line of output. `end` is the position after it in the output. */
static void line_report(struct node_job *job, struct text line, uint64_t end)
{
    struct node_track *track = &job->tracks[job->stage];

    if (text_trim(line).length > 0) {
        track->last = line_keep(job, &track->lines[1], line);
        if (track->first.length == 0 && node_line_is_error(line)) {
            track->first = line_keep(job, &track->lines[0], line);
        }
    }
    node_report(job, (struct node_event){ .kind = NODE_EVENT_LINE,
                                          .attempt = track->attempt,
                                          .line = line,
                                          .line_end = end });
}

static void node_stage_line_end(struct node_job *job, uint64_t end)
{
    line_report(job, buf_text(&job->line), end);
    arena_clear(job->line_memory);
    buf_init(&job->line, job->line_memory);
}

/* Called when the bundle is complete and the same program continues with the stage. */
static void stage_reach(struct node_job *job)
{
    if (job->step == NODE_STEP_BUNDLE && !job->is_over) {
        job->step = NODE_STEP_STAGE; /* `futile` is not reset here, but only when an answer shows
                                      * progress */
        node_step_report(job);
    }
}

void node_output(struct node_job *job, struct text piece)
{
    struct node_track *track = &job->tracks[job->stage];

    stage_reach(job);
    while (piece.length > 0 && !job->is_over) {
        size_t room = REMOTE_LINE_BYTES - job->line.length;
        size_t end = text_find_byte(piece, '\n');
        bool is_whole = end != SIZE_MAX && end <= room;
        size_t length = is_whole ? end : piece.length < room ? piece.length : room;

        buf_add(&job->line, text_slice(piece, 0, length));
        length += is_whole ? 1 : 0;
        track->received += length;
        piece = text_slice(piece, length, piece.length);
        if (is_whole || job->line.length == REMOTE_LINE_BYTES) {
            node_stage_line_end(job, track->received);
        }
    }
}

/* Skips output that the node has dropped, up to position `at`. */
static void node_stage_gap_report(struct node_job *job, uint64_t at)
{
    struct node_track *track = &job->tracks[job->stage];
    char text[80];
    int length;

    if (job->line.length > 0) { /* the end of this line was dropped, so report what has arrived of
                                 * it */
        node_stage_line_end(job, track->received);
    }
    length = snprintf(text, sizeof(text),
                      "(%" PRIu64 " bytes are missing: the output exceeded its limit)",
                      at - track->received);
    track->received = at;
    if (!job->is_over) {
        node_report(job, (struct node_event){ .kind = NODE_EVENT_LINE,
                                              .attempt = track->attempt,
                                              .line = { text, (size_t)length },
                                              .line_end = at });
    }
}

/* Selects the attempt whose output is read. It is read from its beginning, or from the last byte
 * that an earlier run has received. */
static void attempt_set(struct node_job *job, uint32_t attempt)
{
    struct node_track *track = &job->tracks[job->stage];

    if (track->attempt != attempt) {
        job->hasty = 0;
        track->attempt = attempt;
        track->received = 0;
        track->first = TEXT("");
        track->last = TEXT("");
        arena_clear(job->line_memory);
        buf_init(&job->line, job->line_memory);
    }
    track->is_drained = false;
}

/* ---- bundles ---- */

static struct answer_bundle *bundle_now(struct node_job *job)
{
    for (size_t i = 0; i < job->look.bundle_count; i++) {
        if (text_is(stage_now(job)->digest, job->look.bundles[i].digest)) {
            return &job->look.bundles[i];
        }
    }
    return NULL;
}

/* The piece of a bundle that is sent with the start of its stage. */
struct piece {
    uint64_t size; /* size of the bundle; 0: no piece is sent */
    int64_t from;
    uint64_t bytes;
    uint64_t room_kib; /* free space in KiB that the node must have; 0: it is known to have
                        * enough */
};

static void stage_run(struct node_job *job, const struct piece *piece)
{
    const struct node_stage *stage = stage_now(job);
    const struct answer_stage *known = &job->look.stages[job->stage];
    struct node_track *track = &job->tracks[job->stage];
    bool is_start = node_decide(stage, track->chain, known) == NODE_MOVE_START;
    struct text content = stage->filled.length > 0 ? stage->filled : stage->vars;
    struct text vars = is_start ? content : TEXT("");
    struct text *words = arena_array(job->work, struct text, WORDS + stage->argument_count);

    job->look.has_room = false; /* the free space is unknown now, because running stages change
                                 * it */
    attempt_set(job, is_start ? known->attempt + 1 : known->attempt);
    track->asked = track->received;
    loop_now_update(job->options.loop);
    job->asked_ms = loop_now_ms(job->options.loop);
    words[0] = arena_number(job->work, (int64_t)job->stage);
    words[1] = stage->digest;
    words[2] = text_from(track->chain);
    words[3] = arena_number(job->work, (int64_t)track->attempt);
    words[4] = is_start ? TEXT("1") : TEXT("0");
    words[5] = arena_number(job->work, (int64_t)stage->timeout_s);
    words[6] = stage->is_idempotent ? TEXT("1") : TEXT("0");
    words[7] = arena_number(job->work, (int64_t)track->received);
    words[8] = arena_number(job->work, REMOTE_FOLLOW_S);
    words[9] = arena_number(job->work, (int64_t)piece->size);
    words[10] = arena_number(job->work, piece->from);
    words[11] = arena_number(job->work, (int64_t)piece->room_kib);
    words[12] = arena_number(job->work, (int64_t)vars.length);
    words[13] = stage->name.length > 0 ? stage->name : TEXT("-");
    for (size_t i = 0; i < stage->argument_count; i++) {
        words[WORDS + i] = stage->arguments[i];
    }
    node_run(job, &(struct node_program){ .name = "stage",
                                          .words = words,
                                          .count = WORDS + stage->argument_count,
                                          .head = vars,
                                          .bundle_bytes = piece->bytes,
                                          .offset = piece->from > 0 ? (uint64_t)piece->from : 0,
                                          .deadline_ms =
                                              (piece->size > 0 ? UINT64_C(1) * REMOTE_SEND_MS : 0) +
                                              REMOTE_START_MS + REMOTE_FOLLOW_S * UINT64_C(1000),
                                          .is_stage = true });
}

void node_stage_begin(struct node_job *job)
{
    stage_run(job, &(struct piece){ 0 });
}

/* Checks that the node has space for a bundle, if it does not have the bundle yet. Returns false if
 * the job has ended. */
static bool room_check(struct node_job *job, uint64_t *inout_kib)
{
    const struct answer_look *look = &job->look;

    if (!look->has_room) {
        return true; /* the node itself checks it */
    }
    if (look->room_kib < *inout_kib) {
        node_end(job, NODE_END_NO_SPACE,
                 arena_printf(job->work, "%" PRIu64 " KiB are free, but %" PRIu64 " KiB are needed",
                              look->room_kib, *inout_kib));
        return false;
    }
    *inout_kib = 0;
    return true;
}

void node_bundle_begin(struct node_job *job)
{
    const struct node_stage *stage = stage_now(job);
    const struct answer_bundle *known = bundle_now(job);
    uint64_t have = known == NULL ? 0 : known->bytes;
    uint64_t size = stage->bytes;
    uint64_t left = size > have ? size - have : 0;
    uint64_t tree = stage->expanded_bytes > size ? stage->expanded_bytes : size;
    struct piece piece = {
        .size = size,
        .from = (int64_t)have,
        .bytes = left < REMOTE_PIECE_BYTES ? left : (uint64_t)REMOTE_PIECE_BYTES,
        .room_kib = (size + tree) / 100 * ROOM_PERCENT / 1024 + 1,
    };

    if (known != NULL && known->is_whole) {
        node_go(job, NODE_STEP_STAGE);
        return;
    }
    if (size == 0) {
        node_end(job, NODE_END_REFUSED, TEXT("neither the manager nor the node has the bundle"));
        return;
    }
    job->is_asking = job->failures > 0;
    /* without a piece, the node only reports how much of the bundle it has */
    if (job->is_asking) {
        piece.from = -1;
        piece.bytes = 0;
    }
    if (have > 0 || piece.from < 0 || room_check(job, &piece.room_kib)) {
        stage_run(job, &piece);
    }
}

void node_stage_said(struct node_job *job, struct text answer)
{
    struct text word;
    struct text rest;

    while (job->step == NODE_STEP_BUNDLE && answer_line(&answer, &word, &rest)) {
        if (text_is(word, "whole")) {
            stage_reach(job);
            return;
        }
    }
}

void node_bundle_answered(struct node_job *job, const struct answer *answer)
{
    const struct answer_bundle *known = bundle_now(job);
    uint64_t before = known == NULL ? 0 : known->bytes;

    if (!answer_look_take(answer, &job->look) || bundle_now(job) == NULL) {
        node_end(job, NODE_END_REFUSED,
                 TEXT("the node does not report which part of the bundle it has"));
        return;
    }
    known = bundle_now(job);
    if (known->is_whole) {
        node_go(job, NODE_STEP_STAGE);
    } else if (known->bytes > before || job->is_asking) {
        job->futile = 0;
        loop_timer_start(job->timer, 0, 0);
    } else {
        node_faulted(job,
                     &(struct answer){ .fault = TEXT("busy"),
                                       .why = TEXT("the bundle does not arrive at the node") });
    }
}

/* ---- stages ---- */

/* Reports the end of an attempt, unless it was already reported. */
static void node_stage_report(struct node_job *job, enum node_end end)
{
    struct node_track *track = &job->tracks[job->stage];
    const struct answer_stage *known = &job->look.stages[job->stage];

    if (track->reported == known->attempt) {
        return;
    }
    track->reported = known->attempt;
    node_report(job, (struct node_event){ .kind = NODE_EVENT_STAGE,
                                          .attempt = known->attempt,
                                          .code = known->code,
                                          .end = end,
                                          .line = end == NODE_END_DONE      ? TEXT("")
                                                  : track->first.length > 0 ? track->first
                                                                            : track->last });
}

/* Returns whether there is more output. A node that announces more output several times but never
 * sends any is ignored. */
static bool node_stage_more_take(struct node_job *job)
{
    struct node_track *track = &job->tracks[job->stage];
    const struct answer_more *more = &job->look.more;

    if (!more->is_reported || more->stage != job->stage ||
        job->look.stages[job->stage].attempt != track->attempt) {
        return false;
    }
    if (more->at > track->received) {
        node_stage_gap_report(job, more->at);
    }
    track->empty = track->received > track->asked ? 0 : track->empty + 1;
    return !job->is_over && track->empty < EMPTY_MAX;
}

/* Follows a running stage again. Normally the node delays its answer until there is news. If it
 * cannot, for example because the stage has removed its own output, the pauses become longer.
 * Otherwise the manager would poll without a pause while the stage runs. */
static void follow_again(struct node_job *job)
{
    const struct node_track *track = &job->tracks[job->stage];
    uint64_t now_ms = loop_now_ms(job->options.loop);
    uint64_t pause_ms = (uint64_t)REMOTE_PAUSE_MS << job->hasty;

    pause_ms = pause_ms < WAIT_MS ? pause_ms : WAIT_MS;
    if (track->received > track->asked || now_ms - job->asked_ms >= WAIT_MS) {
        job->hasty = 0;
        node_go(job, NODE_STEP_STAGE);
        return;
    }
    job->hasty += pause_ms < WAIT_MS ? 1 : 0;
    node_report(job,
                (struct node_event){ .kind = NODE_EVENT_RETRY,
                                     .why = TEXT("the node did not wait for output of the stage"),
                                     .retry_ms = pause_ms });
    if (!job->is_over) {
        loop_timer_start(job->timer, pause_ms, 0);
    }
}

void node_stage_answered(struct node_job *job, const struct answer *answer)
{
    struct node_track *track = &job->tracks[job->stage];
    const struct answer_stage *known = &job->look.stages[job->stage];
    uint32_t before = known->attempt;
    bool is_begun;

    if (!answer_look_take(answer, &job->look)) {
        node_end(job, NODE_END_REFUSED, TEXT("the node did not report the state of the stage"));
        return;
    }
    if (node_stage_more_take(job)) {
        node_go(job, NODE_STEP_STAGE);
        return;
    }
    if (known->state != ANSWER_RUNNING && known->attempt == track->attempt) {
        if (job->line.length > 0) { /* no further output will come */
            node_stage_line_end(job, track->received);
        }
        track->is_drained = true;
    }
    if (job->is_over) {
        return;
    }
    is_begun = known->attempt >= track->attempt || known->state == ANSWER_RUNNING ||
               strcmp(known->done, track->chain) == 0;
    /* for example, the process that should start it no longer exists */
    if (!is_begun && known->attempt == before) {
        node_faulted(job, &(struct answer){ .fault = TEXT("busy"),
                                            .why = TEXT("the node did not start the stage") });
        return;
    }
    if (known->attempt == before &&
        node_decide(stage_now(job), track->chain, known) == NODE_MOVE_FOLLOW) {
        follow_again(job);
    } else {
        node_stage_next(job);
    }
}

static enum node_end end_of_move(enum node_move move, const struct answer_stage *known)
{
    return move == NODE_MOVE_INTERRUPTED ? NODE_END_INTERRUPTED
           : known->is_timeout           ? NODE_END_TIMEOUT
                                         : NODE_END_FAILED;
}

/* Called when a stage has ended, successfully or not. */
static void stage_over(struct node_job *job, enum node_move move)
{
    const struct answer_stage *known = &job->look.stages[job->stage];
    enum node_end end = move == NODE_MOVE_NEXT ? NODE_END_DONE : end_of_move(move, known);
    bool is_new = job->tracks[job->stage].is_drained;

    if (end != NODE_END_DONE || is_new) {
        node_stage_report(job, end);
    } else {
        node_report(job, (struct node_event){ .kind = NODE_EVENT_SAME });
    }
    if (job->is_over) {
        return;
    }
    if (end != NODE_END_DONE && !stage_now(job)->goes_on) {
        node_end(job, end,
                 end == NODE_END_INTERRUPTED
                     ? TEXT("the stage was interrupted, and is not restarted automatically")
                     : TEXT(""));
        return;
    }
    if (end != NODE_END_DONE && job->failed++ == 0) {
        job->failed_first = job->stage;
    }
    job->stage++;
    node_stage_next(job);
}

/* Returns whether all output was received and its end reported. If no attempt was made, there is no
 * output. */
static bool is_read(const struct node_job *job, enum node_move move)
{
    const struct node_track *track = &job->tracks[job->stage];
    const struct node_stage *stage = stage_now(job);
    uint32_t attempt = job->look.stages[job->stage].attempt;

    if (track->is_drained && track->attempt == attempt) {
        return true;
    }
    return move == NODE_MOVE_NEXT &&
           (attempt == 0 || (stage->is_seen_whole && stage->seen_attempt == attempt));
}

void node_stage_next(struct node_job *job)
{
    const struct node_stage *stage;
    const struct answer_stage *known;
    const struct node_track *track;
    enum node_move move;

    if (job->stage == job->options.stage_count) {
        job->stage = job->failed > 0 ? job->failed_first : job->stage == 0 ? 0 : job->stage - 1;
        node_stages_over(job, job->failed > 0 ? NODE_END_CONTINUED : NODE_END_DONE);
        return;
    }
    stage = stage_now(job);
    known = &job->look.stages[job->stage];
    track = &job->tracks[job->stage];
    move = node_decide(stage, track->chain, known);
    job->step = NODE_STEP_STAGE;
    if (move == NODE_MOVE_START) {
        if (strcmp(known->chain, track->chain) == 0 && known->attempt == track->attempt) {
            node_stage_report(job, end_of_move(known->state == ANSWER_LOST ? NODE_MOVE_INTERRUPTED
                                                                           : NODE_MOVE_FAILED,
                                               known));
        }
        if (!job->is_over) {
            node_go(job, NODE_STEP_BUNDLE);
        }
    } else if (move == NODE_MOVE_WAIT) {
        node_report(
            job, (struct node_event){ .kind = NODE_EVENT_RETRY,
                                      .why = TEXT("the stage is still running with another bundle"),
                                      .retry_ms = WAIT_MS });
        loop_timer_start(job->timer, WAIT_MS, 0);
    } else if (move == NODE_MOVE_FOLLOW || !is_read(job, move)) {
        node_go(job, NODE_STEP_STAGE);
    } else {
        stage_over(job, move);
    }
}
