#include "remote/node.h"

#include "base/limits.h"
#include "remote/node_parts.h"
#include "remote/program.h"
#include "sys/digest.h"

#include <assert.h>

/* Each step runs one program on the node, and the answer determines the next step. Steps begin in
 * the timer, so that no callback runs inside a call of its receiver.
 *
 * Failures: without an answer the same step is retried after a pause, until a total time limit. So
 * every program must allow that it runs twice. An answer with an error ends the job if the node has
 * too little space or rejects the step. Temporary faults are retried. */

enum { DOUBLINGS_MAX = 10, FUTILE_MAX = 20 };

/* Size of the block for the memory of a waiting job. It is usually sufficient, and every node of a
 * cluster has one. */
enum { MEMORY_BYTES_ = 2560, MEMORY_STAGE_BYTES = 768 };

const char *node_end_name(enum node_end end)
{
    static const char *const names[NODE_END_COUNT] = {
        [NODE_END_DONE] = "done",
        [NODE_END_CONTINUED] = "done, with stages that failed",
        [NODE_END_FAILED] = "stage failed",
        [NODE_END_TIMEOUT] = "stage timed out",
        [NODE_END_INTERRUPTED] = "stage interrupted",
        [NODE_END_UNREACHABLE] = "unreachable",
        [NODE_END_HOST_KEY] = "wrong host key",
        [NODE_END_USER_KEY] = "login refused",
        [NODE_END_NO_ROOT] = "cannot become root",
        [NODE_END_NO_SPACE] = "no space left",
        [NODE_END_REFUSED] = "node failed",
        [NODE_END_CANCELLED] = "cancelled",
    };

    assert(end < NODE_END_COUNT);
    return names[end];
}

const char *node_step_name(enum node_step step)
{
    static const char *const names[NODE_STEP_COUNT] = {
        [NODE_STEP_LOOK] = "look",
        [NODE_STEP_CLEAN] = "clean",
        [NODE_STEP_KEYS] = "keys",
        [NODE_STEP_TRUST] = "trust",
        [NODE_STEP_FACTS] = "facts",
        [NODE_STEP_BUNDLE] = "bundle",
        [NODE_STEP_DISTRIBUTE] = "distribute",
        [NODE_STEP_STAGE] = "stage",
        [NODE_STEP_BASELINE] = "baseline",
        [NODE_STEP_CLEANUP] = "cleanup",
        [NODE_STEP_RELEASE] = "release",
        [NODE_STEP_REBOOT] = "reboot",
        [NODE_STEP_VERIFY] = "verify",
        [NODE_STEP_DRAIN] = "drain",
    };

    assert(step < NODE_STEP_COUNT);
    return names[step];
}

/* ---- reporting, retrying, ending ---- */

void node_report(struct node_job *job, struct node_event event)
{
    event.step = job->step;
    event.stage = job->stage;
    event.wall_ms = clock_wall_ms(job->options.clock);
    job->options.reported(job->options.arg, &event);
}

void node_step_report(struct node_job *job)
{
    if (!job->has_reported_step || job->reported_step != job->step ||
        job->reported_stage != job->stage) {
        job->has_reported_step = true; /* reported only once, even if the step has several pieces
                                        * and retries */
        job->reported_step = job->step;
        job->reported_stage = job->stage;
        node_report(job, (struct node_event){ .kind = NODE_EVENT_STEP });
    }
}

void node_go(struct node_job *job, enum node_step step)
{
    assert(!job->is_over && job->call == NULL);
    if (step != job->step) {
        job->futile = 0;
    }
    job->step = step;
    job->is_waiting = false;
    loop_timer_start(job->timer, 0, 0);
}

void node_end(struct node_job *job, enum node_end end, struct text why)
{
    const struct node_track *track = &job->tracks[job->stage];
    bool is_stages = end == NODE_END_FAILED || end == NODE_END_TIMEOUT ||
                     end == NODE_END_INTERRUPTED || end == NODE_END_CONTINUED;
    struct node_event event = {
        .kind = NODE_EVENT_END, .end = end, .why = why, .verdict = job->verdict
    };

    assert(!job->is_over);
    job->is_over = true;
    loop_timer_stop(job->timer);
    if (is_stages) {
        event.attempt = job->look.stages[job->stage].attempt;
        event.code = job->look.stages[job->stage].code;
        event.line = track->first.length > 0 ? track->first : track->last;
    }
    node_report(job, event);
}

void node_again(struct node_job *job, enum node_end end, struct text why, uint64_t retry_ms)
{
    const struct node_options *options = &job->options;
    uint64_t patience = options->patience_ms > 0 ? options->patience_ms : REMOTE_PATIENCE_MS;
    unsigned doublings = job->failures < DOUBLINGS_MAX ? job->failures : DOUBLINGS_MAX;
    uint64_t pause = (options->pause_ms > 0 ? options->pause_ms : REMOTE_PAUSE_MS) << doublings;

    loop_now_update(options->loop);
    job->failures++;
    pause = pause < REMOTE_PAUSE_MAX_MS ? pause : REMOTE_PAUSE_MAX_MS;
    pause = pause > retry_ms ? pause : retry_ms;
    if (job->step == NODE_STEP_BASELINE && job->failures >= REMOTE_BASELINE_TRIES) {
        node_baseline_over(job, &(struct answer_verdict){ 0 }, why);
        return;
    }
    if (loop_now_ms(options->loop) - job->good_ms >= patience) {
        node_end(job, end, why);
        return;
    }
    node_report(job, (struct node_event){
                         .kind = NODE_EVENT_RETRY, .end = end, .why = why, .retry_ms = pause });
    if (!job->is_over) {
        loop_timer_start(job->timer, pause, 0);
    }
}

/* ---- the steps before stages ---- */

static void look_begin(struct node_job *job)
{
    const struct node_options *options = &job->options;
    struct text *words = arena_array(job->work, struct text, 5 + options->stage_count);
    size_t count = 5;

    words[0] = options->target.user;
    words[1] = options->request.length > 0 ? options->request : TEXT("-");
    words[2] = options->is_request_of_failed
                   ? TEXT("failed")
                   : arena_number(job->work, (int64_t)options->request_from);
    words[3] = arena_number(job->work, (int64_t)options->stage_count);
    words[4] = (options->with & RUN_WITH_FACTS) != 0 ? TEXT("1") : TEXT("0");
    for (size_t i = 0; i < options->stage_count; i++) {
        const struct node_stage *stage = &options->stages[i];

        words[count++] =
            stage->is_marker_trusted
                ? arena_printf(job->work, "%.*s:%s", TEXT_ARG(stage->digest), job->tracks[i].chain)
                : stage->digest;
    }
    answer_look_clear(&job->look);
    node_run(job, &(struct node_program){ .name = "look",
                                          .words = words,
                                          .count = count,
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static void clean_begin(struct node_job *job)
{
    const struct text words[] = { arena_number(job->work, (int64_t)job->options.stage_count),
                                  text_from(job->look.left) };

    node_run(job, &(struct node_program){ .name = "clean",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static void keys_begin(struct node_job *job)
{
    const struct text words[] = { job->options.target.user, job->options.stale_keys[0],
                                  job->options.stale_keys[1] };

    node_run(job, &(struct node_program){ .name = "keys",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static struct text node_digest_of(struct node_job *job, struct text bytes)
{
    char digest[DIGEST_TEXT_BYTES];

    digest_sha256(bytes, digest);
    return text_from(arena_string(job->work, text_from(digest)));
}

static void trust_begin(struct node_job *job)
{
    bool is_classic = job->classic.length > 0;
    struct text digest = node_digest_of(job, blob_text(job->trust));
    struct text words[] = { is_classic ? job->classic : digest,
                            is_classic ? digest : job->options.target.user };

    node_run(job, &(struct node_program){ .name = is_classic ? "classic" : "trust",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .bytes = job->trust,
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static void distribute_begin(struct node_job *job)
{
    struct text words[] = { text_from(job->facts.digest),
                            arena_printf(job->work, "%zu", job->facts.facts_bytes) };

    node_run(job, &(struct node_program){ .name = "distribute",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .bytes = job->facts.bytes,
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static void node_release_begin(struct node_job *job)
{
    const struct text words[] = { job->options.target.user, job->options.cluster };

    node_run(job, &(struct node_program){ .name = "release",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms = REMOTE_PROGRAM_MS });
}

static void node_cleanup_begin(struct node_job *job)
{
    const struct text words[] = { arena_number(job->work, (int64_t)job->options.cleanup_s) };

    node_run(job, &(struct node_program){ .name = "cleanup",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms =
                                              job->options.cleanup_s * 1000 + REMOTE_PROGRAM_MS });
}

static void node_drain_begin(struct node_job *job)
{
    const struct text words[] = { job->options.is_undrain ? TEXT("undrain") : TEXT("drain"),
                                  arena_number(job->work, (int64_t)job->options.cleanup_s) };

    node_run(job, &(struct node_program){ .name = "drain",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms =
                                              job->options.cleanup_s * 1000 + REMOTE_PROGRAM_MS });
}

static void node_reboot_begin(struct node_job *job)
{
    const struct text words[] = { job->options.boot.length > 0 ? job->options.boot : TEXT("-") };

    node_run(job, &(struct node_program){ .name = "reboot",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .deadline_ms = REMOTE_REBOOT_MS });
}

/* Returns a name for the state that the stages of this run produce: their chain, and the attempts
 * that completed them. The node writes its baseline only once for each name. */
static struct text run_mark(struct node_job *job)
{
    struct buf buf;

    buf_init(&buf, job->work);
    for (size_t i = 0; i < job->options.stage_count; i++) {
        buf_printf(&buf, "%s %u,", job->tracks[i].chain, job->look.stages[i].attempt);
    }
    buf_printf(&buf, "%u,", job->options.extra_attempt);
    buf_add(&buf, job->options.files);
    return node_digest_of(job, buf_text(&buf));
}

static void node_baseline_begin(struct node_job *job)
{
    const struct text words[] = { job->options.keeps_baseline ? TEXT("keep") : TEXT("take"),
                                  run_mark(job), TEXT("-") };

    node_run(job, &(struct node_program){ .name = "verify",
                                          .words = words,
                                          .count = ARRAY_COUNT(words),
                                          .head = job->options.files,
                                          .has_input = true,
                                          .deadline_ms = REMOTE_VERIFY_MS });
}

static void node_verify_begin(struct node_job *job)
{
    const struct node_options *options = &job->options;
    struct text *words = arena_array(job->work, struct text, 3 + options->stage_count);
    uint64_t deadline_ms = REMOTE_VERIFY_MS;

    words[0] = TEXT("check");
    words[1] = options->baseline.length > 0 ? options->baseline : TEXT("-");
    words[2] = options->is_hook_run ? TEXT("hook") : TEXT("checksums");
    for (size_t i = 0; i < options->stage_count; i++) {
        words[3 + i] = arena_number(job->work, (int64_t)options->stages[i].timeout_s);
        deadline_ms += options->is_hook_run ? options->stages[i].timeout_s * 1000 : 0;
    }
    node_run(job, &(struct node_program){ .name = "verify",
                                          .words = words,
                                          .count = 3 + options->stage_count,
                                          .head = options->files,
                                          .has_input = true,
                                          .deadline_ms = deadline_ms });
}

static void wait_at(struct node_job *job, struct node_event event)
{
    job->is_waiting = true;
    event.kind = NODE_EVENT_POINT;
    node_report(job, event);
}

/* Continues with the step after `step`, skipping steps that this run does not have. */
static void after(struct node_job *job, enum node_step step)
{
    unsigned with = job->options.with;

    if (step == NODE_STEP_LOOK && job->look.left[0] != '\0' && (with & RUN_WITH_STAGES) != 0) {
        node_go(job, NODE_STEP_CLEAN);
    } else if (step < NODE_STEP_KEYS && (with & RUN_WITH_KEYS) != 0) {
        node_go(job, NODE_STEP_KEYS);
    } else if (step < NODE_STEP_FACTS && (with & RUN_WITH_FACTS) != 0) {
        node_go(job, NODE_STEP_FACTS);
    } else if ((with & RUN_WITH_STAGES) != 0) {
        job->stage = 0;
        node_stage_next(job);
    } else {
        node_end(job, NODE_END_DONE, TEXT(""));
    }
}

/* Continues after a step that did not have to change anything. */
static void same_go_on(struct node_job *job)
{
    node_report(job, (struct node_event){ .kind = NODE_EVENT_SAME });
    if (!job->is_over) {
        after(job, job->step);
    }
}

static void step_begin(struct node_job *job)
{
    switch (job->step) {
    case NODE_STEP_LOOK:
        look_begin(job);
        break;
    case NODE_STEP_CLEAN:
        clean_begin(job);
        break;
    case NODE_STEP_KEYS:
        keys_begin(job);
        break;
    case NODE_STEP_TRUST:
        trust_begin(job);
        break;
    case NODE_STEP_FACTS: /* the step `look` already reports the facts, which saves one program per
                           * node */
        wait_at(job, (struct node_event){ .point = NODE_POINT_FACTS, .facts = job->facts_said });
        break;
    case NODE_STEP_DISTRIBUTE:
        if (strcmp(job->look.shared, job->facts.digest) == 0) {
            same_go_on(job);
        } else {
            distribute_begin(job);
        }
        break;
    case NODE_STEP_BUNDLE:
        node_bundle_begin(job);
        break;
    case NODE_STEP_STAGE:
        node_stage_begin(job);
        break;
    case NODE_STEP_BASELINE:
        node_baseline_begin(job);
        break;
    case NODE_STEP_CLEANUP:
        node_cleanup_begin(job);
        break;
    case NODE_STEP_RELEASE:
        node_release_begin(job);
        break;
    case NODE_STEP_VERIFY:
        node_verify_begin(job);
        break;
    case NODE_STEP_DRAIN:
        node_drain_begin(job);
        break;
    case NODE_STEP_REBOOT:
        node_reboot_begin(job);
        break;
    case NODE_STEP_COUNT:
        assert(false);
    }
}

static void node_timer_due(void *arg)
{
    struct node_job *job = arg;

    arena_clear(job->work);
    if (job->is_cancelled) {
        node_end(job, NODE_END_CANCELLED, TEXT("the run was cancelled"));
        return;
    }
    node_step_report(job);
    if (!job->is_over) {
        step_begin(job);
    }
}

/* ---- answers ---- */

static void node_broken(struct node_job *job)
{
    node_end(job, NODE_END_REFUSED, TEXT("the node sent an invalid answer"));
}

static void keys_answered(struct node_job *job, const struct answer *answer)
{
    struct answer_keys keys;

    if (!answer_keys_read(answer, !text_is(job->options.target.user, "root"), &keys)) {
        node_broken(job);
        return;
    }
    wait_at(job, (struct node_event){ .point = NODE_POINT_KEYS, .keys = keys });
}

static void trust_drop(struct node_job *job)
{
    blob_free(job->trust);
    job->trust = NULL;
}

static void same_answered(struct node_job *job, const struct answer *answer)
{
    bool is_same;

    if (!answer_same_read(answer, &is_same)) {
        node_broken(job);
        return;
    }
    if (job->step == NODE_STEP_TRUST) {
        trust_drop(job); /* freed early, because stages may run for hours */
    }
    if (is_same) {
        same_go_on(job);
    } else {
        after(job, job->step);
    }
}

/* Reports the stages that are complete because of a legacy marker. */
static void markers_report(struct node_job *job)
{
    for (size_t i = 0; i < job->options.stage_count && !job->is_over; i++) {
        const struct answer_stage *known = &job->look.stages[i];

        if (known->marker[0] != '\0' && strcmp(known->done, job->tracks[i].chain) == 0) {
            job->stage = i;
            node_report(job, (struct node_event){ .kind = NODE_EVENT_MARKED,
                                                  .line = text_from(known->marker) });
        }
    }
    job->stage = 0;
}

/* Splits the answer at the line `facts`, and keeps the following lines as facts. Returns false if
 * there is no such line. */
static bool facts_take(struct node_job *job, struct answer *answer)
{
    struct text lines = answer->lines;
    struct text word;
    struct text rest;

    for (const char *at = lines.data; answer_line(&lines, &word, &rest); at = lines.data) {
        if (text_is(word, "facts")) {
            job->facts_said = arena_text(job->memory, lines);
            answer->lines.length = (size_t)(at - answer->lines.data);
            return true;
        }
    }
    return false;
}

static void look_answered(struct node_job *job, const struct answer *whole)
{
    bool has_facts = (job->options.with & RUN_WITH_FACTS) != 0;
    struct answer *answer = &(struct answer){ .lines = whole->lines };

    if ((has_facts && !facts_take(job, answer)) || !answer_look_take(answer, &job->look)) {
        node_broken(job);
        return;
    }
    markers_report(job);
    if (!job->is_over) {
        after(job, NODE_STEP_LOOK);
    }
}

/* Handles lines "left PATH": the node has kept these files because their owner is unknown. */
static void release_answered(struct node_job *job, const struct answer *answer)
{
    struct text lines = answer->lines;
    struct text word;
    struct text rest;
    struct buf left;

    buf_init(&left, job->work);
    while (answer_line(&lines, &word, &rest)) {
        if (text_is(word, "left")) {
            buf_printf(&left, "%s%.*s", left.length == 0 ? "" : ", ", TEXT_ARG(rest));
        }
    }
    node_end(job, NODE_END_DONE, buf_text(&left));
}

/* Handles the line "boot BOOT SECONDS". */
static void reboot_answered(struct node_job *job, const struct answer *answer)
{
    struct text lines = answer->lines;
    struct text word;
    struct text rest;

    if (!answer_line(&lines, &word, &rest) || !text_is(word, "boot") || rest.length == 0) {
        node_broken(job);
        return;
    }
    node_end(job, NODE_END_DONE, rest);
}

void node_stages_over(struct node_job *job, enum node_end end)
{
    if (job->options.is_baseline_later) {
        node_end(job, end, TEXT(""));
        return;
    }
    job->stages_end = end;
    node_go(job, NODE_STEP_BASELINE);
}

void node_baseline_over(struct node_job *job, const struct answer_verdict *verdict, struct text why)
{
    node_report(
        job, (struct node_event){ .kind = NODE_EVENT_BASELINE, .verdict = *verdict, .why = why });
    if (!job->is_over) {
        node_end(job, job->stages_end, TEXT(""));
    }
}

static void cleanup_answered(struct node_job *job, const struct answer *answer)
{
    struct text failed;
    uint64_t count;

    if (!answer_cleanup_read(job->work, answer, &count, &failed)) {
        node_broken(job);
        return;
    }
    node_report(
        job, (struct node_event){ .kind = NODE_EVENT_CLEANED, .code = (int)count, .why = failed });
    if (job->is_over) {
        return;
    }
    if ((job->options.with & RUN_WITH_RELEASE) != 0) {
        node_go(job, NODE_STEP_RELEASE);
    } else {
        node_end(job, NODE_END_DONE, TEXT(""));
    }
}

static void verify_answered(struct node_job *job, const struct answer *answer)
{
    struct answer_verdict verdict;

    if (!answer_verdict_read(job->work, answer, &verdict)) {
        if (job->step == NODE_STEP_BASELINE) {
            node_baseline_over(job, &(struct answer_verdict){ 0 },
                               TEXT("the node sent an invalid answer"));
        } else {
            node_broken(job);
        }
        return;
    }
    if (job->step == NODE_STEP_BASELINE) {
        node_baseline_over(job, &verdict, TEXT(""));
        return;
    }
    job->verdict = verdict;
    node_end(job, NODE_END_DONE, TEXT(""));
}

void node_answered(struct node_job *job, const struct answer *answer)
{
    switch (job->step) {
    case NODE_STEP_LOOK:
        look_answered(job, answer);
        break;
    case NODE_STEP_CLEAN:
        after(job, NODE_STEP_CLEAN);
        break;
    case NODE_STEP_KEYS:
        keys_answered(job, answer);
        break;
    case NODE_STEP_TRUST:
    case NODE_STEP_DISTRIBUTE:
        same_answered(job, answer);
        break;
    case NODE_STEP_BUNDLE:
        node_bundle_answered(job, answer);
        break;
    case NODE_STEP_STAGE:
        node_stage_answered(job, answer);
        break;
    case NODE_STEP_CLEANUP:
    case NODE_STEP_DRAIN:
        cleanup_answered(job, answer);
        break;
    case NODE_STEP_RELEASE:
        release_answered(job, answer);
        break;
    case NODE_STEP_REBOOT:
        reboot_answered(job, answer);
        break;
    case NODE_STEP_BASELINE:
    case NODE_STEP_VERIFY:
        verify_answered(job, answer);
        break;
    case NODE_STEP_FACTS: /* this step has no program */
    case NODE_STEP_COUNT:
        assert(false);
    }
}

/* Retries a step although its answers are complete, because they bring no progress. The number of
 * such retries is limited. */
static void futile_again(struct node_job *job, struct text why)
{
    if (job->futile++ >= FUTILE_MAX) {
        if (job->step == NODE_STEP_BASELINE) {
            node_baseline_over(job, &(struct answer_verdict){ 0 }, why);
        } else {
            node_end(job, NODE_END_REFUSED, why);
        }
    } else {
        job->failures = job->futile;
        node_again(job, NODE_END_REFUSED, why, 0);
    }
}

void node_faulted(struct node_job *job, const struct answer *answer)
{
    if (job->step == NODE_STEP_CLEAN) {
        after(job, job->step); /* no other step depends on it, and the next run tries it again */
    } else if (job->step == NODE_STEP_BASELINE && !text_is(answer->fault, "busy")) {
        node_baseline_over(job, &(struct answer_verdict){ 0 }, answer->why);
    } else if (text_is(answer->fault, "space")) {
        node_end(job, NODE_END_NO_SPACE, answer->why);
    } else if (text_is(answer->fault, "busy") || text_is(answer->fault, "digest") ||
               text_is(answer->fault, "running")) {
        futile_again(job, answer->why);
    } else if (text_is(answer->fault, "bundle") && job->step >= NODE_STEP_BUNDLE) {
        job->look.bundle_count = 0; /* the node has removed the bundle */
        job->step = NODE_STEP_BUNDLE;
        futile_again(job, answer->why);
    } else {
        node_end(job, NODE_END_REFUSED, answer->why);
    }
}

/* ---- the interface ---- */

MUST_CHECK static bool node_options_check(const struct node_options *options, struct err *err)
{
    if (options->stage_count > REMOTE_STAGES) {
        return err_set(err, CODE_R0720, "a node has at most %d stages, not %zu", REMOTE_STAGES,
                       options->stage_count);
    }
    for (size_t i = 0; i < options->stage_count; i++) {
        const struct node_stage *stage = &options->stages[i];
        size_t bytes = 0;

        for (size_t n = 0; n < stage->argument_count; n++) {
            bytes += stage->arguments[n].length + 1;
            if (memchr(stage->arguments[n].data, '\0', stage->arguments[n].length) != NULL) {
                return err_set(err, CODE_R0720, "argument %zu of stage %zu has a NUL in it", n, i);
            }
        }
        if (stage->vars.length > LIMIT_VARIABLES_BYTES ||
            stage->filled.length > LIMIT_VARIABLES_BYTES ||
            text_find_byte(stage->vars, '\0') != SIZE_MAX) {
            return err_set(err, CODE_R0720,
                           "the variables of stage %zu have more than %d bytes, or a NUL", i,
                           LIMIT_VARIABLES_BYTES);
        }
        if (bytes > REMOTE_ARGUMENTS_BYTES || !answer_is_digest(stage->digest)) {
            return err_set(err, CODE_R0720,
                           "stage %zu has more than %d bytes of arguments, or no digest", i,
                           REMOTE_ARGUMENTS_BYTES);
        }
    }
    for (size_t i = 0; i < options->request.length; i++) {
        char c = options->request.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c == '-' && i > 0))) {
            return err_set(err, CODE_R0720, "'%.*s' is not a valid name of a request",
                           TEXT_ARG(options->request));
        }
    }
    return true;
}

static void node_options_copy(struct node_job *job)
{
    struct transport_target *target = &job->options.target;
    struct node_stage *stages =
        arena_array(job->memory, struct node_stage, job->options.stage_count);
    struct text *fields[] = { &job->options.name,
                              &job->options.zone,
                              &job->options.cluster,
                              &job->options.boot,
                              &job->options.files,
                              &job->options.baseline,
                              &job->options.request,
                              &target->address,
                              &target->user,
                              &target->certificate,
                              &target->host_keys,
                              &target->authority,
                              &target->host_name,
                              &job->options.stale_keys[0],
                              &job->options.stale_keys[1] };

    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        *fields[i] = text_from(arena_string(job->memory, *fields[i]));
    }
    target->key = secret_from(arena_text(job->memory, secret_reveal(target->key)));
    for (size_t i = 0; i < job->options.stage_count; i++) {
        const struct node_stage *from = &job->options.stages[i];
        struct text *arguments = arena_array(job->memory, struct text, from->argument_count);

        stages[i] = *from;
        stages[i].name = arena_text(job->memory, from->name);
        stages[i].digest = arena_text(job->memory, from->digest);
        stages[i].vars = arena_text(job->memory, from->vars);
        stages[i].filled = arena_text(job->memory, from->filled);
        for (size_t n = 0; n < from->argument_count; n++) {
            arguments[n] = arena_text(job->memory, from->arguments[n]);
        }
        stages[i].arguments = arguments;
        job->tracks[i].attempt = from->seen_attempt;
        job->tracks[i].received = from->seen_attempt > 0 ? from->seen_bytes : 0;
    }
    job->options.stages = stages;
}

static enum node_step step_first(unsigned with)
{
    return (with & RUN_WITH_CLEANUP) != 0    ? NODE_STEP_CLEANUP
           : (with & RUN_WITH_RELEASE) != 0  ? NODE_STEP_RELEASE
           : (with & RUN_WITH_REBOOT) != 0   ? NODE_STEP_REBOOT
           : (with & RUN_WITH_VERIFY) != 0   ? NODE_STEP_VERIFY
           : (with & RUN_WITH_DRAIN) != 0    ? NODE_STEP_DRAIN
           : (with & RUN_WITH_BASELINE) != 0 ? NODE_STEP_BASELINE
                                             : NODE_STEP_LOOK;
}

bool node_begin(const struct node_options *options, struct node_job **out, struct err *err)
{
    struct arena *memory;
    struct node_job *job;

    if (!node_options_check(options, err)) {
        return false;
    }
    memory =
        arena_new_small_for(SIZE_MAX, MEMORY_BYTES_ + options->stage_count * MEMORY_STAGE_BYTES);
    job = arena_one(memory, struct node_job);
    job->memory = memory;
    job->options = *options;
    job->tracks = arena_array(memory, struct node_track, options->stage_count + 1);
    job->look = answer_look_make(memory, options->stage_count);
    if (!loop_timer_open(options->loop, node_timer_due, job, &job->timer, err)) {
        arena_free(memory);
        return false;
    }
    job->work = arena_new_small(SIZE_MAX);
    job->line_memory = arena_new_small(SIZE_MAX);
    buf_init(&job->line, job->line_memory);
    node_options_copy(job);
    node_chains(job);
    loop_now_update(options->loop);
    job->good_ms = loop_now_ms(options->loop);
    node_go(job, step_first(options->with));
    *out = job;
    return true;
}

void node_trust(struct node_job *node, struct blob *files, struct text classic_name)
{
    assert(node->is_waiting && node->step == NODE_STEP_KEYS);
    node->trust = files == NULL ? NULL : blob_share(files);
    node->classic = arena_text(node->memory, classic_name);
    node->is_waiting = false;
    node->good_ms = loop_now_ms(node->options.loop);
    if (files != NULL) {
        node_go(node, NODE_STEP_TRUST);
    } else {
        after(node, NODE_STEP_TRUST);
    }
}

static void node_facts_drop(struct node_job *job)
{
    if (job->facts.bytes != NULL) {
        blob_free(job->facts.bytes);
    }
    job->facts = (struct node_facts){ 0 };
}

void node_distribute(struct node_job *node, const struct node_facts *facts)
{
    assert(node->is_waiting && node->step == NODE_STEP_FACTS);
    node_facts_drop(node);
    node->facts = *facts;
    node->is_waiting = false;
    node->good_ms = loop_now_ms(node->options.loop);
    if (facts->bytes == NULL) {
        after(node, NODE_STEP_DISTRIBUTE);
        return;
    }
    blob_share(facts->bytes);
    node_go(node, NODE_STEP_DISTRIBUTE);
}

void node_cancel(struct node_job *node)
{
    if (node->is_over || node->is_cancelled) {
        return;
    }
    node->is_cancelled = true;
    if (node->call != NULL) {
        session_pool_cancel(node->call->run);
    } else {
        loop_timer_start(node->timer, 0, 0);
    }
}

void node_free(struct node_job *node)
{
    struct text key;

    if (node == NULL) {
        return;
    }
    if (node->call != NULL) {
        node->call->job = NULL;
        session_pool_cancel(node->call->run);
    }
    key = secret_reveal(node->options.target.key);
    if (key.length > 0) {
        secret_wipe((char *)(uintptr_t)key.data, key.length);
    }
    trust_drop(node);
    node_facts_drop(node);
    loop_timer_close(node->timer);
    arena_free(node->line_memory);
    arena_free(node->work);
    arena_free(node->memory);
}
