#include "signer/signer.h"

#include "base/limits.h"
#include "sys/seal.h"
#include "sys/worker.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A request becomes a frame. Answers arrive in the order of the requests, so open requests form a
 * queue.
 *
 * Failures: if the process ends or sends an invalid message, all open requests end with UNKNOWN.
 * The next process is started after a pause, which doubles until a process becomes ready. A process
 * that does not answer in time is ended. */

/* A request that waits for its answer from the process. */
struct asking {
    struct asking *next;
    uint64_t id;
    uint64_t until_ms;
    signer_done *done;
    void *arg;
};

/* A request that could not be sent. Its failure is reported in a later iteration. */
struct refusal {
    struct refusal *next;
    struct signer *signer;
    struct loop_task *task;
    struct err err;
    signer_done *done;
    void *arg;
};

struct signer {
    struct signer_options options;
    struct worker *worker; /* NULL: no process runs */
    struct loop_timer *pause;
    struct loop_timer *watch; /* timer for the deadline of the first open request */
    struct asking *first;
    struct asking **last;
    struct refusal *refusals;
    size_t count;
    uint64_t id;
    uint64_t pause_ms;
    size_t alive;
    bool is_ready;
    bool is_closed;
    char key[SEAL_ID_BYTES]; /* id of the key with which the process seals; empty: not known yet */
};

static void worker_begin(struct signer *signer);

/* ---- answers ---- */

static void watch_set(struct signer *signer)
{
    uint64_t now_ms = loop_now_ms(signer->options.loop);

    if (signer->first == NULL) {
        loop_timer_stop(signer->watch);
    } else if (!loop_timer_is_running(signer->watch)) {
        uint64_t until_ms = signer->first->until_ms;

        loop_timer_start(signer->watch, until_ms > now_ms ? until_ms - now_ms : 1, 0);
    }
}

static struct asking *asking_take(struct signer *signer)
{
    struct asking *asking = signer->first;

    signer->first = asking->next;
    if (signer->first == NULL) {
        signer->last = &signer->first;
    }
    signer->count--;
    return asking;
}

/* Ends all open requests with UNKNOWN. Their callbacks may send new requests, which are not
 * affected. */
static void all_unknown(struct signer *signer, const char *why)
{
    struct asking *open = signer->first;
    struct err err = { 0 };

    signer->first = NULL;
    signer->last = &signer->first;
    signer->count = 0;
    loop_timer_stop(signer->watch);
    err_set(&err, CODE_R0751, "the signer did not answer: %s", why);
    while (open != NULL) {
        struct asking *asking = open;

        open = asking->next;
        asking->done(asking->arg, OUTCOME_UNKNOWN, NULL, &err);
        rows_free(asking);
    }
}

static void reported_err(const struct sign_reply *reported, struct err *out)
{
    bool is_known = reported->code > CODE_NONE && reported->code < CODE_COUNT;

    *out = (struct err){ 0 };
    err_set(out, is_known ? (enum code)reported->code : CODE_R0752, "%.*s",
            TEXT_ARG(reported->message));
    err_hint(out, "%.*s", TEXT_ARG(reported->hint));
}

static void signer_answer_take(struct signer *signer, const struct sign_reply *reported)
{
    struct asking *asking;
    struct err err;

    if (signer->first == NULL || signer->first->id != reported->id) {
        worker_fail(signer->worker, "the signer sent an answer without a request");
        return;
    }
    asking = asking_take(signer);
    loop_timer_stop(signer->watch);
    watch_set(signer);
    if (reported->code == CODE_NONE) {
        asking->done(asking->arg, OUTCOME_OK, reported, NULL);
    } else {
        reported_err(reported, &err);
        asking->done(asking->arg, OUTCOME_REFUSED, NULL, &err);
    }
    rows_free(asking);
}

static void signer_ready_take(struct signer *signer, const struct sign_ready *ready)
{
    signer->is_ready = true;
    signer->pause_ms = LIMIT_SIGNER_PAUSE_MS;
    loop_timer_stop(signer->pause);
    snprintf(signer->key, sizeof(signer->key), "%.*s", TEXT_ARG(ready->key));
    log_info(signer->options.log, "signer", "ready", log_int("pid", worker_pid(signer->worker)),
             log_text("key", ready->key));
    for (size_t i = 0; i < ready->sandbox.count; i++) {
        const struct wire_pair *part = wire_item(ready->sandbox, struct wire_pair, i);

        if (!text_has_prefix(part->value, TEXT("in force"))) {
            log_warn(signer->options.log, "signer", "sandbox", log_text("part", part->name),
                     log_text("missing", part->value));
        }
    }
}

static void signer_frame_came(void *arg, struct text frame)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct signer *signer = arg;
    struct sign_message message;
    struct err err;

    if (!sign_parse(arena, frame, &message, &err)) {
        worker_fail(signer->worker, err.text);
    } else if (message.type == SIGN_REPORTED && signer->is_ready) {
        signer_answer_take(signer, &message.reported);
    } else if (message.type == SIGN_READY && !signer->is_ready) {
        signer_ready_take(signer, &message.ready);
    } else {
        worker_fail(signer->worker, "the signer sent an unexpected message");
    }
}

/* ---- end and restart of the process ---- */

/* Returns whether the previous process has failed too. Then the error is not logged again. */
static bool has_failed_before(const struct signer *signer)
{
    return signer->pause_ms > LIMIT_SIGNER_PAUSE_MS;
}

static void worker_over(struct signer *signer, const char *why)
{
    worker_close(signer->worker);
    signer->worker = NULL;
    signer->is_ready = false;
    if (!signer->is_closed) {
        if (has_failed_before(signer)) {
            log_debug(signer->options.log, "signer", "ended", log_string("reason", why),
                      log_duration("again_in", signer->pause_ms));
        } else {
            log_error(signer->options.log, "signer", "ended", log_string("reason", why),
                      log_duration("again_in", signer->pause_ms));
        }
        loop_timer_start(signer->pause, signer->pause_ms, 0);
        signer->pause_ms = signer->pause_ms * 2 > LIMIT_SIGNER_PAUSE_MAX_MS
                               ? LIMIT_SIGNER_PAUSE_MAX_MS
                               : signer->pause_ms * 2;
    }
    all_unknown(signer, why);
}

static void signer_worker_ended(void *arg, const char *why)
{
    worker_over(arg, why);
}

static void signer_worker_wrote(void *arg, struct text piece)
{
    const struct signer *signer = arg;
    struct log_field said =
        log_text("text", text_trim(text_slice(piece, 0, LIMIT_LOG_LINE_BYTES / 2)));

    if (has_failed_before(signer)) {
        log_debug(signer->options.log, "signer", "stderr", said);
    } else {
        log_warn(signer->options.log, "signer", "stderr", said);
    }
}

/* Called when the pause is over, also after a process that has never become ready. */
static void pause_over(void *arg)
{
    struct signer *signer = arg;

    if (signer->worker == NULL) {
        worker_begin(signer);
    } else {
        worker_over(signer, "the signer did not become ready");
    }
}

static void watch_over(void *arg)
{
    struct signer *signer = arg;

    if (signer->worker != NULL) {
        worker_over(signer, "the signer did not answer in time");
    }
}

MUST_CHECK static bool worker_start(struct signer *signer, struct err *err)
{
    const char *const argv[] = { "reeve-signer",
                                 signer->options.can_make_key ? "serve-new" : "serve",
                                 signer->options.key, signer->options.book, NULL };
    struct worker_options worker = {
        .loop = signer->options.loop,
        .program = signer->options.program,
        .argv = argv,
        .end_ms = LIMIT_SIGNER_END_MS,
        .queue_max = LIMIT_WIRE_FRAME_BYTES,
        .unreadable = CODE_R0752,
        .unstarted = CODE_R0748,
        .alive = &signer->alive,
        .reported = signer_frame_came,
        .ended = signer_worker_ended,
        .wrote = signer_worker_wrote,
        .keep = signer,
        .arg = signer,
    };

    return worker_open(&worker, &signer->worker, err);
}

static void worker_begin(struct signer *signer)
{
    struct err err = { 0 };

    if (!worker_start(signer, &err)) {
        worker_over(signer, err.text);
        return;
    }
    loop_timer_start(signer->pause, LIMIT_SIGNER_START_MS, 0);
    signer->options.begun(signer->options.arg);
}

bool signer_open(const struct signer_options *options, struct signer **out, struct err *err)
{
    struct signer *signer = rows_resize(NULL, sizeof(*signer));

    *signer = (struct signer){ .options = *options, .pause_ms = LIMIT_SIGNER_PAUSE_MS };
    signer->last = &signer->first;
    if (!loop_timer_open(options->loop, pause_over, signer, &signer->pause, err) ||
        !loop_timer_open(options->loop, watch_over, signer, &signer->watch, err) ||
        !worker_start(signer, err)) {
        loop_timer_close(signer->watch);
        loop_timer_close(signer->pause);
        rows_free(signer);
        return false;
    }
    loop_timer_start(signer->pause, LIMIT_SIGNER_START_MS, 0);
    *out = signer;
    options->begun(options->arg);
    return true;
}

/* ---- requests ---- */

static void refusal_unlink(struct refusal *refusal)
{
    struct refusal **link = &refusal->signer->refusals;

    while (*link != refusal) {
        link = &(*link)->next;
    }
    *link = refusal->next;
}

static void refusal_report(void *arg)
{
    struct refusal *refusal = arg;

    refusal_unlink(refusal);
    refusal->done(refusal->arg, OUTCOME_REFUSED, NULL, &refusal->err);
    rows_free(refusal);
}

/* Rejects a request in a later iteration, because `done` must not be called inside signer_ask. */
static void signer_refuse(struct signer *signer, const char *why, signer_done *done, void *arg)
{
    struct refusal *refusal = rows_resize(NULL, sizeof(*refusal));
    struct err none;

    *refusal =
        (struct refusal){ .next = signer->refusals, .signer = signer, .done = done, .arg = arg };
    signer->refusals = refusal;
    err_set(&refusal->err, CODE_R0748, "%s", why);
    err_hint(&refusal->err,
             "the manager restarts the signer automatically; the log has the reason why it ended");
    if (!loop_task_open(signer->options.loop, refusal_report, refusal, &refusal->task, &none)) {
        refusal_report(refusal);
    }
}

static bool ask_send(struct signer *signer, const struct sign_ask *ask, uint64_t id)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct sign_message message = { .type = SIGN_ASK, .ask = *ask };
    struct buf buf;

    message.ask.id = id;
    buf_init(&buf, arena);
    sign_format(&buf, &message);
    return buf.length <= LIMIT_WIRE_FRAME_BYTES && worker_send(signer->worker, buf_text(&buf));
}

void signer_ask(struct signer *signer, const struct sign_ask *ask, signer_done *done, void *arg)
{
    struct asking *asking;

    assert(!signer->is_closed && done != NULL);
    if (signer->worker == NULL) {
        signer_refuse(signer, "the signer is not running", done, arg);
        return;
    }
    if (signer->count >= LIMIT_SIGNER_CALLS || !ask_send(signer, ask, signer->id + 1)) {
        signer_refuse(signer, "too many requests wait for the signer", done, arg);
        return;
    }
    asking = rows_resize(NULL, sizeof(*asking));
    *asking =
        (struct asking){ .id = ++signer->id,
                         .until_ms = loop_now_ms(signer->options.loop) + signer->options.call_ms,
                         .done = done,
                         .arg = arg };
    *signer->last = asking;
    signer->last = &asking->next;
    signer->count++;
    watch_set(signer);
}

struct text signer_key(const struct signer *signer)
{
    return text_from(signer->key);
}

bool signer_is_ready(const struct signer *signer)
{
    return signer->is_ready;
}

int signer_pid(const struct signer *signer)
{
    return signer->worker == NULL ? 0 : worker_pid(signer->worker);
}

/* ---- closing ---- */

void signer_close(struct signer *signer)
{
    if (signer == NULL || signer->is_closed) {
        return;
    }
    signer->is_closed = true;
    worker_close(signer->worker);
    signer->worker = NULL;
    signer->is_ready = false;
    while (signer->refusals != NULL) {
        struct refusal *refusal = signer->refusals;

        loop_task_cancel(refusal->task);
        refusal_report(refusal);
    }
    all_unknown(signer, "the manager stops the signer");
    loop_timer_close(signer->pause);
    loop_timer_close(signer->watch);
}

bool signer_is_over(const struct signer *signer)
{
    return signer == NULL || (signer->is_closed && signer->alive == 0);
}

void signer_free(struct signer *signer)
{
    if (signer != NULL) {
        assert(signer_is_over(signer));
        rows_free(signer);
    }
}
