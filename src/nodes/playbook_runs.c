#include "nodes/playbook_runs.h"

#include "base/limits.h"
#include "base/macros.h"
#include "nodes/playbook_runs_parts.h"
#include "ssh/cert.h"

#include <assert.h>
#include <string.h>

/* The steps of a run: it collects nodes, waits for a free slot, gets a certificate, starts a
 * process, sends files, and reads the lines of the callback plugin until the process reports the
 * end.
 *
 * Failures: if a run is interrupted (its process died, or ansible-playbook was killed), it is
 * repeated once if the configuration permits repetition. Without an authority or a process, the run
 * is rejected for all its nodes, and the caller tries again later. */

enum {
    GATHER_MS = 400,      /* a run starts when no node has joined for this time, in ms */
    GATHER_MAX_MS = 3000, /* a run starts at the latest this time after its first node, in ms */
    START_MS = 10 * 1000,
    END_MS = 5000,
    PIECE_BYTES = 256 * 1024,
    QUEUE_BYTES = 8 * 1024 * 1024,
    FORKS_MAX = 25,
    OUTPUT_LINE_BYTES = 4096,
};

static void playbook_run_begin(struct playbook_run *run);
static void playbook_runs_next(struct playbook_runs *runs);

static uint64_t playbook_now_ms(const struct playbook_runs *runs)
{
    return clock_monotonic_ms(runs->options.clock);
}

struct playbook_runs *playbook_runs_new(const struct playbook_runs_options *options)
{
    struct playbook_runs *runs = rows_resize(NULL, sizeof(*runs));

    *runs = (struct playbook_runs){ .options = *options };
    return runs;
}

/* ---- end of a run ---- */

static bool playbook_run_is_active(const struct playbook_run *run)
{
    return run->step >= PLAYBOOK_RUN_SIGNS;
}

static void playbook_run_free(struct playbook_run *run)
{
    struct playbook_runs *runs = run->runs;
    struct playbook_run **link = &runs->first;

    assert(!run->is_signing);
    while (*link != run) {
        link = &(*link)->next;
    }
    *link = run->next;
    runs->active -= playbook_run_is_active(run);
    worker_close(run->worker);
    loop_timer_close(run->timer);
    playbook_report_free(run->report);
    secret_wipe(run->key_bytes, sizeof(run->key_bytes));
    arena_free(run->memory);
}

/* Ends a run that has no nodes. If the signer is processing its request, the run is freed later,
 * because the answer needs its memory. */
static void playbook_run_drop(struct playbook_run *run)
{
    struct playbook_runs *runs = run->runs;

    worker_close(run->worker);
    run->worker = NULL;
    if (run->is_signing) {
        run->step = PLAYBOOK_RUN_ENDS;
        return;
    }
    playbook_run_free(run);
    playbook_runs_next(runs);
}

static void place_report(struct playbook_place *place, const struct playbook_event *event)
{
    place->event(place->arg, event);
}

/* Reports the same end to all nodes. Frees the run. */
static void playbook_run_refuse(struct playbook_run *run, enum nodes_end end, struct text why)
{
    struct playbook_event event = { .kind = PLAYBOOK_EVENT_ENDED, .end = end, .why = why };
    struct playbook_runs *runs = run->runs;
    struct playbook_place *places = run->places;

    run->places = NULL;
    for (struct playbook_place *place = places, *next; place != NULL; place = next) {
        next = place->next;
        place_report(place, &event);
    }
    playbook_run_free(run);
    playbook_runs_next(runs);
}

/* Detaches the process from a run, so that the run can begin again. */
static void playbook_run_reset(struct playbook_run *run)
{
    worker_close(run->worker);
    run->worker = NULL;
    playbook_report_free(run->report);
    run->report = NULL;
    secret_wipe(run->key_bytes, sizeof(run->key_bytes));
    run->key_length = 0;
    run->certificate = TEXT("");
    run->has_end = false;
    run->tail = TEXT("");
    run->file = 0;
    memset(run->files, 0, sizeof(run->files));
}

static void playbook_run_over(struct playbook_run *run)
{
    struct playbook_runs *runs = run->runs;
    struct playbook_place *places = run->places;

    log_info(runs->options.log, "playbook", "ended", log_text("cluster", run->cluster),
             log_text("playbook", run->playbook),
             log_int("code", run->has_end ? run->end.code : -1),
             log_int("bad_lines", (int64_t)playbook_report_bad(run->report)),
             log_int("dropped_lines", (int64_t)(run->has_end ? run->end.dropped : 0)));
    if (playbook_run_is_unknown(run) && run->is_repeatable && !run->is_again && !run->is_stopped) {
        run->is_again = true;
        playbook_run_reset(run);
        playbook_run_begin(run);
        return;
    }
    worker_close(run->worker);
    run->worker = NULL;
    run->places = NULL;
    for (struct playbook_place *place = places, *next; place != NULL; place = next) {
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct playbook_event event = playbook_run_judge(run, arena, place->index);

        next = place->next;
        place_report(place, &event);
    }
    playbook_run_free(run);
    playbook_runs_next(runs);
}

/* ---- messages of the process ---- */

static void playbook_line_came(void *arg, size_t host, struct text text)
{
    const struct playbook_run *run = arg;
    struct playbook_place *place = run->by_host[host];

    if (place != NULL) {
        place_report(place,
                     &(struct playbook_event){ .kind = PLAYBOOK_EVENT_LINE,
                                               .line = text_slice(text, 0, OUTPUT_LINE_BYTES) });
    }
}

static void sandbox_log(const struct playbook_run *run, const struct playbook_ipc_ready *ready)
{
    for (size_t i = 0; i < ready->sandbox.count; i++) {
        const struct wire_pair *pair = wire_item(ready->sandbox, struct wire_pair, i);

        if (!text_is(pair->value, "in force")) {
            log_debug(run->runs->options.log, "playbook", "without", log_text("part", pair->name),
                      log_text("reason", pair->value));
        }
    }
}

/* Called when the callback plugin has started. From then on the nodes may change. */
static void begun_report(struct playbook_run *run)
{
    struct playbook_event event = { .kind = PLAYBOOK_EVENT_BEGUN };

    for (struct playbook_place *place = run->places; place != NULL; place = place->next) {
        if (!place->is_begun) {
            place->is_begun = true;
            place_report(place, &event);
        }
    }
}

static void playbook_message_came(void *arg, struct text frame)
{
    AUTO(arena) arena = arena_new(LIMIT_WIRE_ARENA_BYTES);
    struct playbook_run *run = arg;
    struct playbook_ipc_message message;
    struct err err;

    if (!playbook_ipc_parse(arena, frame, &message, &err)) {
        worker_fail(run->worker, err.text);
        return;
    }
    switch (message.type) {
    case PLAYBOOK_IPC_READY:
        sandbox_log(run, &message.ready);
        break;
    case PLAYBOOK_IPC_LINE:
        playbook_report_take(run->report, message.line.bytes);
        if (playbook_report_has_started(run->report)) {
            begun_report(run);
        }
        break;
    case PLAYBOOK_IPC_OUTPUT:
        run->tail = arena_text(run->memory, message.output.bytes);
        break;
    case PLAYBOOK_IPC_END:
        if (message.end.reason >= PLAYBOOK_IPC_REASON_COUNT) {
            worker_fail(run->worker, "the report of the end has no reason");
            return;
        }
        run->has_end = true;
        run->end = message.end;
        run->end.message = arena_text(run->memory, message.end.message);
        playbook_run_over(run);
        break;
    case PLAYBOOK_IPC_FILE:
    case PLAYBOOK_IPC_START:
    case PLAYBOOK_IPC_STOP:
        worker_fail(run->worker, "it sent a message that only the manager may send");
        break;
    }
}

static void playbook_process_ended(void *arg, const char *why)
{
    struct playbook_run *run = arg;

    log_warn(run->runs->options.log, "playbook", "process_ended", log_string("reason", why));
    playbook_run_over(run);
}

static void playbook_process_wrote(void *keep, struct text piece)
{
    struct log *log = keep;

    log_warn(log, "playbook", "process_wrote", log_text("text", text_trim(piece)));
}

/* ---- sending ---- */

MUST_CHECK static bool playbook_send(struct playbook_run *run,
                                     const struct playbook_ipc_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text frame;
    struct buf buf;
    bool is_sent;

    buf_init(&buf, arena);
    playbook_ipc_format(&buf, message);
    frame = buf_text(&buf);
    is_sent = message->type == PLAYBOOK_IPC_FILE && message->piece.file != PLAYBOOK_IPC_ARCHIVE
                  ? worker_send_secret(run->worker, frame)
                  : worker_send(run->worker, frame);
    secret_wipe((char *)(uintptr_t)frame.data, frame.length);
    return is_sent;
}

/* Sends the next piece of a file. Returns false if the archive cannot be read, or if the process
 * does not read. */
MUST_CHECK static bool piece_send(struct playbook_run *run)
{
    struct playbook_run_file *file = &run->files[run->file];
    struct playbook_ipc_message message = { .type = PLAYBOOK_IPC_FILE };
    uint64_t left = file->all - file->sent;
    size_t length = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct err err;

    message.piece.file = run->file;
    if (run->file == PLAYBOOK_IPC_ARCHIVE) {
        char *bytes = arena_room(arena, length);

        if (!depot_read(run->runs->options.archives, run->digest, file->sent, bytes, length,
                        &err)) {
            return false;
        }
        message.piece.bytes = (struct text){ bytes, length };
    } else {
        message.piece.bytes = text_slice(file->bytes, (size_t)file->sent, length);
    }
    file->sent += length;
    return playbook_send(run, &message);
}

MUST_CHECK static bool start_send(struct playbook_run *run)
{
    struct playbook_ipc_message message = { .type = PLAYBOOK_IPC_START };

    message.start = (struct playbook_ipc_start){
        .ansible = text_from(run->runs->options.ansible),
        .playbook = run->playbook,
        .mode = run->mode,
        .forks = run->place_count < FORKS_MAX ? run->place_count : FORKS_MAX,
        .timeout_ms = run->timeout_ms,
        .start_ms = START_MS,
    };
    run->step = PLAYBOOK_RUN_GOES;
    return playbook_send(run, &message) &&
           (!run->is_stopped ||
            playbook_send(run, &(struct playbook_ipc_message){ .type = PLAYBOOK_IPC_STOP }));
}

/* Sends pieces until the process does not accept the next one immediately. */
static void playbook_files_give(void *arg)
{
    struct playbook_run *run = arg;
    bool is_good = true;

    while (is_good && run->step == PLAYBOOK_RUN_SENDS && worker_waiting(run->worker) == 0) {
        if (run->file == PLAYBOOK_IPC_FILE_COUNT) {
            is_good = start_send(run);
        } else if (run->files[run->file].sent == run->files[run->file].all) {
            run->file++;
        } else {
            is_good = piece_send(run);
        }
    }
    if (!is_good) {
        worker_fail(run->worker, "the files of the run cannot be sent");
    }
}

MUST_CHECK static bool process_start(struct playbook_run *run, struct err *err)
{
    static const char *const argv[] = { "reeve-playbook", "serve", NULL };
    struct playbook_runs *runs = run->runs;
    struct worker_options options = {
        .loop = runs->options.loop,
        .program = runs->options.program,
        .argv = argv,
        .end_ms = END_MS,
        .queue_max = QUEUE_BYTES,
        .unreadable = CODE_R0843,
        .unstarted = CODE_R0843,
        .alive = &runs->alive,
        .reported = playbook_message_came,
        .ended = playbook_process_ended,
        .taken = playbook_files_give,
        .wrote = playbook_process_wrote,
        .arg = run,
        .keep = runs->options.log,
    };

    return worker_open(&options, &run->worker, err);
}

/* ---- start of a run ---- */

static void hosts_number(struct playbook_run *run)
{
    struct text *names = arena_array(run->memory, struct text, run->place_count + 1);
    size_t count = 0;

    run->by_host = arena_array(run->memory, struct playbook_place *, run->place_count + 1);
    for (struct playbook_place *place = run->places; place != NULL; place = place->next) {
        place->index = count;
        run->by_host[count] = place;
        names[count++] = place->way.name;
    }
    run->report = playbook_report_new(names, count, playbook_line_came, run);
}

/* Called when the certificate has arrived: starts the process. */
static void playbook_run_start(struct playbook_run *run)
{
    struct err err;

    if (run->runs->options.archives == NULL ||
        !depot_check(run->runs->options.archives, run->digest,
                     &run->files[PLAYBOOK_IPC_ARCHIVE].all, &err)) {
        playbook_run_refuse(run, NODES_END_REFUSED,
                            TEXT("the archive of the configuration is not stored here"));
        return;
    }
    hosts_number(run);
    if (!playbook_run_files_make(run, &err) || !process_start(run, &err)) {
        playbook_run_refuse(run, NODES_END_REFUSED, arena_text(run->memory, text_from(err.text)));
        return;
    }
    log_info(run->runs->options.log, "playbook", "begun", log_text("cluster", run->cluster),
             log_text("playbook", run->playbook), log_int("nodes", (int64_t)run->place_count));
    run->step = PLAYBOOK_RUN_SENDS;
    playbook_files_give(run);
}

static void playbook_certified(void *arg, enum outcome outcome, const struct sign_reply *reported,
                               const struct err *err)
{
    struct playbook_run *run = arg;

    run->is_signing = false;
    if (run->step == PLAYBOOK_RUN_ENDS) {
        struct playbook_runs *runs = run->runs;

        playbook_run_free(run);
        playbook_runs_next(runs);
        return;
    }
    if (outcome != OUTCOME_OK) {
        playbook_run_refuse(run, NODES_END_REFUSED, arena_text(run->memory, text_from(err->text)));
        return;
    }
    run->certificate = arena_text(run->memory, text_trim(reported->certificate));
    playbook_run_start(run);
}

/* Creates the key of the run. Only this run uses it, and the manager does not write it to a
 * file. */
static void playbook_key_make(struct playbook_run *run)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    uint32_t check;
    struct ssh_key key;

    random_fill(run->runs->options.random, seed, sizeof(seed));
    random_fill(run->runs->options.random, &check, sizeof(check));
    ssh_key_make(seed, &key, secret);
    run->key_length = ssh_key_format_private(secret, check, TEXT("reeve-playbook"), run->key_bytes);
    run->key_line = ssh_key_format(run->memory, &key, TEXT(""));
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
}

static void playbook_run_sign(struct playbook_run *run)
{
    struct text principal = arena_printf(run->memory, "cluster:%.*s", TEXT_ARG(run->cluster));
    uint64_t ttl_s = run->timeout_ms / 1000 + 60;
    struct sign_ask ask = {
        .method = SIGN_CERTIFY,
        .who = TEXT("reeved"),
        .kind = SSH_CERT_USER,
        .name = TEXT("reeve-playbook"),
        .principals = { &principal, 1 },
        .ttl_s = ttl_s < LIMIT_SIGNER_TTL_MIN_S   ? LIMIT_SIGNER_TTL_MIN_S
                 : ttl_s > LIMIT_SIGNER_TTL_MAX_S ? LIMIT_SIGNER_TTL_MAX_S
                                                  : ttl_s,
    };
    struct err err;

    if (run->key_length == 0) {
        playbook_key_make(run);
    }
    ask.key = run->key_line;
    switch (authorities_ask(run->runs->options.authorities, run->cluster, &ask, playbook_certified,
                            run, &err)) {
    case AUTHORITIES_READY:
        run->is_signing = true;
        break;
    case AUTHORITIES_WAITING:
        break;
    case AUTHORITIES_REFUSED:
        playbook_run_refuse(run, NODES_END_REFUSED, arena_text(run->memory, text_from(err.text)));
        break;
    }
}

static void playbook_run_begin(struct playbook_run *run)
{
    run->step = PLAYBOOK_RUN_SIGNS;
    run->is_tried = true;
    playbook_run_sign(run);
}

/* Starts runs that wait, in the order in which their first nodes joined. A run that was stopped
 * does not start; its timer rejects it. */
static void playbook_runs_next(struct playbook_runs *runs)
{
    struct playbook_run *oldest;

    do {
        oldest = NULL;
        for (struct playbook_run *run = runs->first; run != NULL; run = run->next) {
            if (run->step == PLAYBOOK_RUN_WAITS && !run->is_stopped &&
                (oldest == NULL || run->first_ms < oldest->first_ms)) {
                oldest = run;
            }
        }
        if (oldest != NULL && runs->active < runs->options.runs && !runs->is_closed) {
            runs->active++;
            playbook_run_begin(oldest);
        } else {
            oldest = NULL;
        }
    } while (oldest != NULL);
}

static void gathered(void *arg)
{
    struct playbook_run *run = arg;

    if (run->is_stopped) {
        playbook_run_refuse(run, NODES_END_INTERRUPTED, TEXT("stopped before the first task"));
        return;
    }
    run->step = PLAYBOOK_RUN_WAITS;
    playbook_runs_next(run->runs);
}

/* Returns a run that waits for its authority and was not tried in this round. */
static struct playbook_run *unsigned_find(const struct playbook_runs *runs)
{
    struct playbook_run *run = runs->first;

    while (run != NULL && (run->step != PLAYBOOK_RUN_SIGNS || run->is_signing || run->is_tried)) {
        run = run->next;
    }
    return run;
}

void playbook_runs_go_on(struct playbook_runs *runs)
{
    struct playbook_run *run;

    if (runs == NULL || runs->is_closed) {
        return;
    }
    for (run = runs->first; run != NULL; run = run->next) {
        run->is_tried = false;
    }
    while ((run = unsigned_find(runs)) != NULL) { /* an attempt may free any of the runs */
        run->is_tried = true;
        playbook_run_sign(run);
    }
}

/* ---- nodes ---- */

static struct playbook_run *playbook_run_new(struct playbook_runs *runs,
                                             const struct playbook_order *order, struct text key)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct playbook_run *run = arena_one(memory, struct playbook_run);
    struct err err;

    *run = (struct playbook_run){
        .next = runs->first,
        .runs = runs,
        .memory = memory,
        .key = arena_text(memory, key),
        .cluster = arena_text(memory, order->way->cluster),
        .cluster_name = arena_text(memory, order->cluster_name),
        .digest = arena_text(memory, order->digest),
        .playbook = arena_text(memory, order->playbook),
        .vars = arena_text(memory, order->vars),
        .timeout_ms = order->timeout_ms > 0 ? order->timeout_ms : LIMIT_PLAYBOOK_MS,
        .is_repeatable = order->is_repeatable,
        .mode = order->mode,
        .first_ms = playbook_now_ms(runs),
    };
    if (!loop_timer_open(runs->options.loop, gathered, run, &run->timer, &err)) {
        arena_free(memory);
        return NULL;
    }
    runs->first = run;
    return run;
}

static struct text playbook_key(struct arena *arena, const struct playbook_order *order)
{
    return arena_printf(arena, "%.*s %.*s %.*s %d %d %llu %.*s", TEXT_ARG(order->way->cluster),
                        TEXT_ARG(order->digest), TEXT_ARG(order->playbook), (int)order->mode,
                        (int)order->is_repeatable, (unsigned long long)order->timeout_ms,
                        TEXT_ARG(order->vars));
}

static bool playbook_run_has(const struct playbook_run *run, struct text name)
{
    for (const struct playbook_place *place = run->places; place != NULL; place = place->next) {
        if (text_is_equal(place->way.name, name)) {
            return true;
        }
    }
    return false;
}

static void way_copy(struct arena *memory, const struct control_way *from, struct control_way *to)
{
    struct text *texts[] = { &to->cluster, &to->machine, &to->token,    &to->name,      &to->zone,
                             &to->address, &to->user,    &to->host_key, &to->key_secret };

    *to = *from;
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        *texts[i] = arena_text(memory, *texts[i]);
    }
}

struct playbook_place *playbook_runs_join(struct playbook_runs *runs,
                                          const struct playbook_order *order,
                                          playbook_event_fn *event, void *arg)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text key = playbook_key(arena, order);
    uint64_t now_ms = playbook_now_ms(runs);
    struct playbook_run *run = runs->first;
    struct playbook_place **last;
    struct playbook_place *place;
    uint64_t left_ms;

    while (run != NULL &&
           (run->step > PLAYBOOK_RUN_WAITS || run->is_stopped || !text_is_equal(run->key, key) ||
            playbook_run_has(run, order->way->name))) {
        run = run->next;
    }
    if (run == NULL) {
        run = playbook_run_new(runs, order, key);
    }
    if (run == NULL) {
        return NULL;
    }
    place = arena_one(run->memory, struct playbook_place);
    *place = (struct playbook_place){ .run = run, .event = event, .arg = arg };
    way_copy(run->memory, order->way, &place->way);
    place->group = arena_text(run->memory, order->group);
    for (last = &run->places; *last != NULL; last = &(*last)->next) {
    }
    *last = place;
    run->place_count++;
    if (run->step == PLAYBOOK_RUN_GATHERS) {
        left_ms =
            run->first_ms + GATHER_MAX_MS > now_ms ? run->first_ms + GATHER_MAX_MS - now_ms : 0;
        loop_timer_start(run->timer, left_ms < GATHER_MS ? left_ms : GATHER_MS, 0);
    }
    return place;
}

void playbook_runs_leave(struct playbook_place *place)
{
    struct playbook_run *run = place->run;
    struct playbook_place **at = &run->places;

    while (*at != place) {
        at = &(*at)->next;
    }
    *at = place->next;
    if (run->by_host != NULL) {
        run->by_host[place->index] = NULL;
    }
    run->place_count--;
    if (run->places == NULL && !run->runs->is_closed) {
        playbook_run_drop(run);
    }
}

static bool is_stopped_for_all(const struct playbook_run *run)
{
    const struct playbook_place *place = run->places;

    while (place != NULL && place->is_stopped) {
        place = place->next;
    }
    return place == NULL;
}

void playbook_runs_stop(struct playbook_place *place)
{
    struct playbook_run *run = place->run;
    struct playbook_ipc_message message = { .type = PLAYBOOK_IPC_STOP };

    place->is_stopped = true;
    if (run->is_stopped || !is_stopped_for_all(run)) {
        return;
    }
    run->is_stopped = true;
    if (run->step == PLAYBOOK_RUN_GOES && !playbook_send(run, &message)) {
        worker_fail(run->worker, "it does not receive messages");
    } else if (run->step < PLAYBOOK_RUN_SIGNS) {
        loop_timer_start(run->timer, 0, 0); /* reported in a separate iteration */
    }
}

bool playbook_runs_names(const struct playbook_runs *runs, struct text digest)
{
    const struct playbook_run *run = runs == NULL ? NULL : runs->first;

    while (run != NULL && !text_is_equal(run->digest, digest)) {
        run = run->next;
    }
    return run != NULL;
}

void playbook_runs_close(struct playbook_runs *runs)
{
    if (runs == NULL || runs->is_closed) {
        return;
    }
    runs->is_closed = true;
    for (struct playbook_run *run = runs->first; run != NULL; run = run->next) {
        worker_close(run->worker);
        run->worker = NULL;
        loop_timer_stop(run->timer);
    }
}

bool playbook_runs_are_over(const struct playbook_runs *runs)
{
    return runs == NULL || runs->alive == 0;
}

void playbook_runs_free(struct playbook_runs *runs)
{
    if (runs == NULL) {
        return;
    }
    playbook_runs_close(runs);
    while (runs->first != NULL) {
        runs->first->is_signing = false; /* the signer sends no more answers */
        playbook_run_free(runs->first);
    }
    rows_free(runs);
}
