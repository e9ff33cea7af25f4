#include "base/limits.h"
#include "remote/node_parts.h"
#include "remote/program.h"
#include "session/script.h"

#include <assert.h>
#include <string.h>

/* Runs one program on the node and collects its answer, with limits. The job is notified exactly
 * once, however the program ends. */

/* Returns the position at which the output of the stage begins, after the marker line. Output of a
 * login shell before that line is skipped. */
static struct text output_find(struct node_call *call, struct text piece)
{
    size_t before = call->noise.length;
    struct text said;
    size_t begin;

    if (call->has_output) {
        return piece;
    }
    buf_add(&call->noise, text_slice(piece, 0, REMOTE_ANSWER_BYTES - before));
    said = buf_text(&call->noise);
    begin = answer_begin(said);
    if (begin == SIZE_MAX) {
        call->is_too_long = before + piece.length > REMOTE_ANSWER_BYTES;
        return TEXT("");
    }
    call->has_output = true;
    return text_slice(piece, begin - before, piece.length);
}

static void node_call_output_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct node_call *call = arg;
    struct buf *buf = stream == call->answers ? &call->answer : &call->noise;

    if (call->job == NULL) {
        return;
    }
    if (call->is_output && stream != call->answers) {
        piece = output_find(call, piece);
        if (piece.length > 0) {
            node_output(call->job, piece);
        }
    } else if (buf->length + piece.length > REMOTE_ANSWER_BYTES) {
        call->is_too_long = true;
    } else {
        buf_add(buf, piece);
        if (call->is_output) {
            node_stage_said(call->job, buf_text(buf));
        }
    }
}

static struct text node_call_command_write(void *arg, struct arena *arena)
{
    const struct node_call *call = arg;

    return program_command(arena, &call->program);
}

/* Returns whether the command does not exceed its maximum length, because arguments of stages can
 * be long. */
static bool command_fits(const struct node_call *call)
{
    return program_command_bytes(&call->program) <= LIMIT_SESSION_COMMAND_BYTES;
}

static const struct text *words_copy(struct arena *arena, const struct text *words, size_t count)
{
    struct text *copies = arena_array(arena, struct text, count);

    for (size_t i = 0; i < count; i++) {
        copies[i] = arena_text(arena, words[i]);
    }
    return copies;
}

/* Reads a piece of the input of this call. */
static bool input_piece(void *arg, uint64_t offset, char *out, size_t length)
{
    struct node_call *call = arg;
    const struct node_job *job = call->job;

    if (call->bytes != NULL) {
        struct text bytes = blob_text(call->bytes);

        memcpy(out, bytes.data + offset, length);
        return true;
    }
    if (offset < call->head.length) {
        struct text head = text_slice(call->head, (size_t)offset, length);

        memcpy(out, head.data, head.length);
        out += head.length;
        offset += head.length;
        length -= head.length;
    }
    if (job != NULL && length > 0 &&
        !job->options.read_bundle(job->options.read_arg, job->options.stages[job->stage].digest,
                                  call->offset + offset - call->head.length, out, length)) {
        call->is_lost = true;
    }
    return job != NULL && !call->is_lost;
}

/* Exit code of a shell that did not find a command. */
enum { EXIT_NOT_FOUND = 127 };

/* Returns the message of sudo or of the shell if the user could not become root; empty for other
 * failures. sudo may print warnings first ("unable to resolve host"), so its last line is used.
 * Shells have different messages for a missing command, but all of them contain the command. */
static struct text no_root_words(struct arena *arena, const struct node_call *call,
                                 struct text errors, int code)
{
    struct text found = TEXT("");

    while (!call->program.is_root && errors.length > 0) {
        size_t end = text_find_byte(errors, '\n');
        struct text line = text_trim(text_slice(errors, 0, end));

        if (text_has_prefix(line, TEXT("sudo:"))) {
            found = line;
        } else if (code == EXIT_NOT_FOUND && memmem(line.data, line.length, "sudo", 4) != NULL) {
            found = TEXT("sudo is not installed");
        }
        errors = end == SIZE_MAX ? TEXT("") : text_slice(errors, end + 1, SIZE_MAX);
    }
    return script_plain(arena, found);
}

/* Ends or retries a step whose program ended without a complete answer. */
static void no_answer(struct node_job *job, struct node_call *call, int code)
{
    struct buf *errors = call->is_output ? &call->answer : &call->noise;
    struct text said = script_plain(job->work, buf_text(errors));
    struct text no_root = no_root_words(job->work, call, buf_text(errors), code);

    if (no_root.length > 0) {
        node_end(job, NODE_END_NO_ROOT, no_root);
        return;
    }
    node_again(job, NODE_END_REFUSED,
               call->is_too_long ? TEXT("the answer of the node is too long")
               : said.length > 0 ? said
                                 : TEXT("the node gave no answer"),
               0);
}

static enum node_end end_of_fault(enum transport_fault fault)
{
    return fault == TRANSPORT_FAULT_HOST_KEY   ? NODE_END_HOST_KEY
           : fault == TRANSPORT_FAULT_USER_KEY ? NODE_END_USER_KEY
           : fault == TRANSPORT_FAULT_INVALID || fault == TRANSPORT_FAULT_UNSUPPORTED
               ? NODE_END_REFUSED
               : NODE_END_UNREACHABLE;
}

static void not_reached(struct node_job *job, const struct session_run_result *result)
{
    enum transport_fault fault = result->answer.fault;
    enum node_end end = end_of_fault(fault);
    struct text why = result->answer.message.length > 0
                          ? arena_text(job->work, script_plain(job->work, result->answer.message))
                          : text_from(transport_fault_name(fault));

    if (end == NODE_END_USER_KEY && job->is_release_sent) {
        node_end(job, NODE_END_DONE, TEXT("")); /* a release removes reeve's own access last, so a
                                                 * rejected login means success */
        return;
    }
    if (end == NODE_END_HOST_KEY) {
        node_report(job, (struct node_event){ .kind = NODE_EVENT_ALARM,
                                              .host_key = result->answer.host_key,
                                              .why = why });
    }
    if (end == NODE_END_HOST_KEY || end == NODE_END_REFUSED) {
        node_end(job, end, why); /* a retry would fail for the same reason */
    } else {
        node_again(job, end, why, result->retry_ms);
    }
}

static void key_report(struct node_job *job, const struct session_run_result *result)
{
    if (result->answer.is_first && result->answer.host_key.length > 0 && !job->has_reported_key) {
        job->has_reported_key = true;
        node_report(job, (struct node_event){ .kind = NODE_EVENT_HOST_KEY,
                                              .host_key = result->answer.host_key });
    }
}

static void node_call_free(struct node_call *call)
{
    if (call->bytes != NULL) {
        blob_free(call->bytes);
    }
    arena_free(call->memory);
}

static void node_call_ended(void *arg, enum outcome outcome,
                            const struct session_run_result *result)
{
    struct node_call *call = arg;
    struct node_job *job = call->job;
    struct answer answer;

    if (job != NULL) {
        job->call = NULL;
        key_report(job, result);
        job->is_release_sent |= job->step == NODE_STEP_RELEASE && outcome == OUTCOME_UNKNOWN;
        if (job->is_cancelled) {
            node_end(job, NODE_END_CANCELLED, TEXT("the run was cancelled"));
        } else if (!call->is_too_long && answer_read(buf_text(&call->answer), &answer)) {
            /* also if the connection was interrupted after the answer */
            job->failures = 0;
            loop_now_update(job->options.loop);
            job->good_ms = loop_now_ms(job->options.loop);
            (answer.fault.length > 0 ? node_faulted : node_answered)(job, &answer);
        } else if (call->is_lost) {
            node_end(job, NODE_END_REFUSED, TEXT("the manager can no longer read the bundle"));
        } else if (outcome == OUTCOME_OK) {
            no_answer(job, call, result->answer.code);
        } else {
            not_reached(job, result);
        }
    }
    node_call_free(call);
}

void node_run(struct node_job *job, const struct node_program *program)
{
    const struct transport_target *target = &job->options.target;
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct node_call *call = arena_one(memory, struct node_call);
    struct session_run_spec order = {
        .node = job->options.name,
        .zone = job->options.zone,
        .target = *target,
        .kind = SESSION_POOL_EXEC,
        .write_command = node_call_command_write,
        .input_bytes = program->bytes != NULL ? blob_text(program->bytes).length
                                              : program->head.length + program->bundle_bytes,
        .deadline_ms = program->deadline_ms,
        .limit_bytes = SIZE_MAX,
        .output = node_call_output_came,
    };

    order.read_input =
        order.input_bytes > 0 || program->bytes != NULL || program->has_input ? input_piece : NULL;
    assert(job->call == NULL);
    *call = (struct node_call){ .job = job,
                                .program = { .name = program->name,
                                             .is_root = text_is(target->user, "root"),
                                             .words =
                                                 words_copy(memory, program->words, program->count),
                                             .count = program->count },
                                .memory = memory,
                                .answers = program->is_stage ? TRANSPORT_ERROR : TRANSPORT_OUT,
                                .is_output = program->is_stage,
                                .bytes = program->bytes == NULL ? NULL : blob_share(program->bytes),
                                .head = arena_text(memory, program->head),
                                .offset = program->offset };
    buf_init(&call->answer, memory);
    buf_init(&call->noise, memory);
    if (!command_fits(call)) {
        node_call_free(call);
        node_end(job, NODE_END_REFUSED, TEXT("the stage has too many arguments"));
        return;
    }
    call->run = session_pool_run(job->options.session_pool, &order, node_call_ended, call);
    if (call->run == NULL) {
        node_call_free(call);
        node_again(job, NODE_END_UNREACHABLE, TEXT("too many runs wait for a session"), 0);
        return;
    }
    job->call = call;
    /* freed early, because hundreds of calls may wait at the same time, and the call has its own
     * copy of the words */
    arena_clear(job->work);
}
