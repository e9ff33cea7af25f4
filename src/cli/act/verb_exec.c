/* reeve exec: runs one command on many machines, over the manager's sessions. */
#include "base/limits.h"
#include "cli/act/exec_parts.h"
#include "cli/manager/listing.h"
#include "cli/term/glyph.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "ssh/bytes.h"
#include "sys/clock.h"
#include "sys/interrupt.h"
#include "sys/stream.h"

#include <stdio.h>
#include <string.h>

#define EXEC_USE     "reeve exec -c shop -- uname -r"
#define EXEC_TICK_MS 200

/* How long the manager may take to report the end of a command that was asked to end. The manager
 * waits up to 10 s for each machine, for 64 machines at the same time. */
#define END_WAIT_MS 60000

enum { OUT, ERROR, STREAMS };

/* A machine whose command still runs, with its output so far. */
struct speaker {
    struct arena *arena;
    struct text node;
    struct buf said[STREAMS];
};

enum form { FORM_FOLDED, FORM_LIVE, FORM_JSON, FORM_LINES };

struct execution {
    struct command *command;
    struct session session;
    struct selected selected;
    struct exec_request request;
    struct exec_dry dry;
    enum form form;
    struct arena *memory; /* memory of the map; the command's own arena is rewound */
    struct map speakers;  /* node to struct speaker */
    struct exec_fold *fold;
    struct arena *kept; /* memory of the fold */
    struct buf documents;
    size_t begun; /* number of machines that the answer lists as selected */
    size_t ended;
    size_t well;
    size_t unbegun;    /* number of machines not started because of the deadline */
    size_t broken_off; /* number of machines whose command was ended by the deadline */
    size_t unread;     /* number of rows of kinds that this version does not know */
    bool is_done;      /* the manager reported that the command has ended in this cluster */
    bool is_cut;       /* no more machines are started in any cluster */
    bool is_late;      /* a cluster was stopped early because the deadline has passed */
    bool is_shown;     /* the progress line is shown */
    /* The id by which the manager can end the command. Empty: it has not started, or cannot be
     * ended by id. */
    char run[64];
    struct text path; /* path of the present request */
    /* Time of the request that asked the manager to end the command after Ctrl-C; 0: no request was
     * sent. */
    uint64_t asked_ms;
    struct err broken; /* reason why the answer ended early */
};

/* ---- progress ---- */

static void exec_progress_wipe(struct execution *execution)
{
    struct err ignored;

    if (execution->is_shown) {
        execution->is_shown = false;
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
}

static void interrupts_report(const struct execution *execution)
{
    char text[256];

    snprintf(text, sizeof(text),
             "interrupted: the command had ended on %zu of %zu machines; on the other %zu it "
             "gets SIGTERM, or was not started",
             execution->ended, execution->begun, execution->begun - execution->ended);
    interrupt_report(text);
}

/* Ctrl-C was pressed: request that the manager ends the command, and continue to read the results
 * of each machine. If the request is not possible, the manager ends the command when this process
 * exits and its connection closes. */
static void cli_exec_end_ask(struct execution *execution)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct client client = execution->session.client;
    struct client_request request = { .method = "POST",
                                      .path = execution->path,
                                      .content_type = "application/json" };
    struct client_answer answer;
    struct err err;

    exec_progress_wipe(execution);
    (void)!stream_write_error(TEXT("\ninterrupted: the command gets SIGTERM on all machines; "
                                   "press Ctrl-C again to exit without waiting\n"),
                              &err);
    client.timeout_ms = END_WAIT_MS;
    request.body = arena_printf(arena, "{\"end\":\"%s\"}", execution->run);
    if (execution->run[0] == '\0' || !client_call(arena, &client, &request, &answer, &err) ||
        answer.head.status >= 300) {
        interrupt_end();
    }
    execution->asked_ms = clock_monotonic_ms(clock_system());
}

static void tick(void *arg)
{
    struct execution *execution = arg;
    char text[128];
    struct err ignored;

    if (interrupt_is_asked() && execution->asked_ms == 0) {
        cli_exec_end_ask(execution);
    }
    if (execution->asked_ms > 0 &&
        clock_monotonic_ms(clock_system()) - execution->asked_ms > END_WAIT_MS) {
        interrupt_end();
    }

    if (execution->form == FORM_LIVE || !execution->command->error_style.is_drawn ||
        args_has(&execution->command->args, FLAG_COMMON_QUIET)) {
        return;
    }
    snprintf(text, sizeof(text), "\r\x1b[K%zu of %zu machines have ended", execution->ended,
             execution->begun);
    execution->is_shown = true;
    (void)!stream_write_error(text_from(text), &ignored);
}

/* ---- rows ---- */

static struct speaker *speaker_have(struct execution *execution, struct text node)
{
    struct speaker *speaker = map_find(&execution->speakers, node);
    struct arena *arena;

    if (speaker == NULL) {
        arena = arena_new_small(SIZE_MAX);
        speaker = arena_one(arena, struct speaker);
        *speaker = (struct speaker){ .arena = arena, .node = arena_text(arena, node) };
        for (int i = 0; i < STREAMS; i++) {
            buf_init(&speaker->said[i], arena);
        }
        map_put(&execution->speakers, speaker->node, speaker);
    }
    return speaker;
}

/* Return a node's name, without its cluster if all nodes are of one cluster. */
static struct text short_name(const struct execution *execution, struct text node)
{
    return execution->selected.count > 1
               ? node
               : text_slice(node, text_find_byte(node, '/') + 1, node.length);
}

/* Write lines as they arrive, each with its machine; standard error goes to standard error. */
static void live_write(struct execution *execution, struct text node, struct text text, int stream)
{
    struct arena_mark mark = arena_mark(execution->command->arena);
    struct buf lines;
    struct err err;

    buf_init(&lines, execution->command->arena);
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');

        glyph_write_text(&lines, short_name(execution, node));
        buf_add_string(&lines, ": ");
        glyph_write_text(&lines, text_slice(text, 0, end));
        buf_add_string(&lines, "\n");
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, text.length);
    }
    (void)!(stream == OUT ? stream_write_out(buf_text(&lines), &err)
                          : stream_write_error(buf_text(&lines), &err));
    arena_rewind(execution->command->arena, mark);
}

static void exec_output_take(struct execution *execution, const struct doc *row, struct text node)
{
    static const struct {
        const char *name;
        int stream;
        bool is_coded;
    } members[] = { { "out", OUT, false },
                    { "err", ERROR, false },
                    { "outBase64", OUT, true },
                    { "errBase64", ERROR, true } };

    for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
        struct text text = doc_child_text(row, members[i].name);

        if (members[i].is_coded && !ssh_base64_parse(execution->command->arena, text, &text)) {
            continue;
        }
        if (text.length == 0) {
            continue;
        }
        if (execution->form == FORM_LIVE) {
            live_write(execution, node, text, members[i].stream);
        } else {
            buf_add(&speaker_have(execution, node)->said[members[i].stream], text);
        }
    }
}

/* Report the result of a machine whose output lines were already shown, unless the command
 * succeeded and no output was lost. */
static void live_end(struct execution *execution, const struct exec_answer *answer)
{
    struct buf line;
    struct err err;

    if (exec_answer_is_well(answer) && answer->dropped == 0) {
        return;
    }
    buf_init(&line, execution->command->arena);
    glyph_write_text(&line, short_name(execution, answer->node));
    if (answer->fault.length > 0) {
        buf_printf(&line, ": %s, ", answer->can_have_run ? "may have run" : "not run");
        glyph_write_text(&line, answer->fault);
        buf_add_string(&line, ": ");
        glyph_write_text(&line, answer->why);
    } else if (answer->signal.length > 0) {
        buf_add_string(&line, ": ended by signal ");
        glyph_write_text(&line, answer->signal);
    } else {
        buf_printf(&line, ": exit %lld", (long long)answer->code);
    }
    if (answer->dropped > 0) {
        buf_printf(&line, "; cut: %lld more bytes were not shown", (long long)answer->dropped);
    }
    buf_add_string(&line, "\n");
    (void)!stream_write_error(buf_text(&line), &err);
}

static void document_add(struct execution *execution, const struct exec_answer *answer)
{
    struct command *command = execution->command;
    struct doc doc = exec_answer_doc(command->arena, answer);

    if (execution->form == FORM_LINES) {
        struct buf line;
        struct err err;

        buf_init(&line, command->arena);
        json_format(&line, &doc);
        buf_add_string(&line, "\n");
        (void)!stream_write_out(buf_text(&line), &err);
        return;
    }
    buf_add_string(&execution->documents, execution->documents.length == 0 ? "[\n" : ",\n");
    json_format(&execution->documents, &doc);
}

static void exec_end_take(struct execution *execution, const struct doc *end, struct text node)
{
    struct speaker *speaker = speaker_have(execution, node);
    struct exec_answer answer = {
        .node = node,
        .out = buf_text(&speaker->said[OUT]),
        .error = buf_text(&speaker->said[ERROR]),
        .fault = doc_child_text(end, "fault"),
        .why = doc_child_text(end, "why"),
        .signal = doc_child_text(end, "signal"),
        .code = doc_child_number(end, "code"),
        .dropped = doc_child_number(end, "dropped"),
        .took_ms = doc_child_number(end, "ms"),
        .can_have_run = text_is(doc_child_text(end, "mayHaveRun"), "true"),
    };

    execution->ended++;
    /* the text for Ctrl-C is updated before the output is written, because a user may press Ctrl-C
     * immediately */
    interrupts_report(execution);
    execution->well += exec_answer_is_well(&answer);
    if (text_is(answer.fault, "deadline")) {
        *(answer.can_have_run ? &execution->broken_off : &execution->unbegun) += 1;
    }
    if (execution->form == FORM_LIVE) {
        live_end(execution, &answer);
    } else if (execution->form == FORM_FOLDED) {
        exec_fold_add(execution->fold, &answer);
    } else {
        document_add(execution, &answer);
    }
    (void)map_remove(&execution->speakers, node);
    arena_free(speaker->arena);
}

static void exec_begin_take(struct execution *execution, const struct doc *begin)
{
    struct command *command = execution->command;

    execution->begun += (size_t)doc_child_number(begin, "nodes");
    batching_seed(command, &execution->request.batching, doc_child_number(begin, "seed"));
    snprintf(execution->run, sizeof(execution->run), "%.*s",
             TEXT_ARG(doc_child_text(begin, "run")));
    interrupts_report(execution);
    if (execution->asked_ms == 0) {
        interrupt_expect(INTERRUPT_ASKING);
    }
}

static void done_take(struct execution *execution, const struct doc *done)
{
    struct text cut = doc_child_text(done, "cut");

    execution->is_done = true;
    execution->is_cut = cut.length > 0;
    execution->is_late = text_is(cut, "deadline");
}

static bool exec_row_take(void *arg, const struct client_event *event)
{
    struct execution *execution = arg;
    struct arena_mark mark = arena_mark(execution->command->arena);
    const struct doc *part;
    struct doc row;
    struct err err;

    if (!json_parse(execution->command->arena, event->data, NULL, &row, &err) ||
        !doc_is_map(&row)) {
        execution->unread++;
    } else if ((part = doc_child(&row, "begin")) != NULL) {
        exec_begin_take(execution, part);
    } else if ((part = doc_child(&row, "batch")) != NULL) {
        exec_dry_add(&execution->dry, part);
    } else if ((part = doc_child(&row, "end")) != NULL) {
        exec_progress_wipe(execution);
        exec_end_take(execution, part, doc_child_text(&row, "node"));
    } else if ((part = doc_child(&row, "broken")) != NULL) {
        err_set(&execution->broken, CODE_R0548, "the command was cancelled: %.*s",
                TEXT_ARG(part->text));
    } else if ((part = doc_child(&row, "done")) != NULL) {
        done_take(execution, part);
    } else if (doc_child(&row, "node") != NULL) {
        exec_output_take(execution, &row, doc_child_text(&row, "node"));
    }
    arena_rewind(execution->command->arena, mark);
    return true;
}

/* ---- asking ---- */

/* Evaluate the end of a stream: it is complete, or the connection to the manager was lost. */
MUST_CHECK static bool exec_end_judge(struct execution *execution, struct err *err)
{
    if (execution->is_done) {
        return true;
    }
    if (execution->broken.code != CODE_NONE) {
        *err = execution->broken;
    } else if (err->code == CODE_NONE) {
        err_set(err, CODE_R0018, "the manager ended the answer before the command had ended");
    }
    return err_note(err,
                    "the command had ended on %zu of %zu machines; the result of the others "
                    "is unknown",
                    execution->ended, execution->begun);
}

static bool exec_place_ask(struct execution *execution, const struct selected_place *place)
{
    struct command *command = execution->command;
    struct err_list before = command->errors;
    struct client_request request = { .method = "POST",
                                      .accept = "application/jsonl",
                                      .content_type = "application/json" };
    struct client_stream stream = { .event = exec_row_take,
                                    .tick = tick,
                                    .tick_ms = EXEC_TICK_MS,
                                    .arg = execution,
                                    .deadline_ms = UINT64_MAX };
    AUTO(arena) call_arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct client_answer answer;
    struct err err = { 0 };
    bool is_read;

    if (!exec_request_body(command, &execution->request, &execution->selected, place,
                           &request.body)) {
        return false;
    }
    request.path = batching_path(command, place, "exec");
    execution->path = request.path;
    execution->run[0] = '\0';
    execution->is_done = false;
    is_read = client_stream_read(call_arena, &execution->session.client, &request, &stream, &answer,
                                 &err);
    exec_progress_wipe(execution);
    if (is_read && answer.head.status >= 300) {
        session_refused(command, &answer);
        if (selected_is_empty_part(&execution->selected, &command->errors, before.count)) {
            command->errors = before;
            return true;
        }
        return false;
    }
    if (is_read) {
        err = (struct err){ 0 };
    }
    if (!exec_end_judge(execution, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}

/* ---- the verb ---- */

static enum form exec_form_of(const struct command *command)
{
    return command_output_is(command, "json")            ? FORM_JSON
           : command_output_is(command, "jsonl")         ? FORM_LINES
           : args_has(&command->args, FLAG_EXEC_NO_FOLD) ? FORM_LIVE
                                                         : FORM_FOLDED;
}

/* Report how many machines were stopped by the deadline; their names are above. */
static enum exit_code exec_late_report(struct execution *execution)
{
    struct err *err =
        err_list_set(&execution->command->errors, (struct place){ 0 }, CODE_R0796,
                     "the deadline has passed: the command was not started on %zu of %zu "
                     "machines, and was stopped on %zu",
                     execution->unbegun, execution->begun, execution->broken_off);

    (void)!err_hint(
        err,
        "--failed-of selects by a job, and this command has none: select these machines by name");
    return EXIT_CODE_TIMEOUT;
}

/* Report an interruption. This is not an error: the user pressed Ctrl-C, and its exit code takes
 * precedence over those of machines. */
static enum exit_code interrupted_report(struct execution *execution)
{
    char text[160];
    struct err ignored;

    command_flush(execution->command);
    snprintf(
        text, sizeof(text),
        "interrupted: the command exited with 0 on %zu of %zu machines; the lines above show the "
        "others\n",
        execution->well, execution->begun);
    (void)!stream_write_error(text_from(text), &ignored);
    return EXIT_CODE_INTERRUPTED;
}

static enum exit_code result_report(struct execution *execution, bool is_whole)
{
    struct command *command = execution->command;
    size_t failed = execution->ended - execution->well;

    if (execution->form == FORM_FOLDED) {
        exec_fold_write(command, execution->fold);
    } else if (execution->form == FORM_JSON) {
        buf_add(&command->out, buf_text(&execution->documents));
        buf_add_string(&command->out, execution->documents.length == 0 ? "[]\n" : "\n]\n");
    }
    if (!is_whole) {
        return EXIT_CODE_FAILED;
    }
    if (execution->asked_ms > 0) {
        return interrupted_report(execution);
    }
    if (execution->is_late) {
        return exec_late_report(execution);
    }
    if (execution->begun == 0) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780, "no machine is selected");
        return EXIT_CODE_NOT_FOUND;
    }
    if (failed == 0) {
        return EXIT_CODE_DONE;
    }
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0782,
                 "the command did not exit with 0 on %zu of %zu machines", failed,
                 execution->begun);
    return execution->well > 0 ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}

/* Run the command in one cluster after the other. False: the run ended early. */
static bool places_ask(struct execution *execution)
{
    const struct selected *selected = &execution->selected;
    size_t at = 0;

    for (; at < selected->count && !execution->is_cut; at++) {
        if (at > 0 && batching_is_late(&execution->request.batching)) {
            execution->is_cut = execution->is_late = true;
            break;
        }
        if (!exec_place_ask(execution, &selected->items[at])) {
            return false;
        }
    }
    batching_unbegun(execution->command, selected, at);
    return true;
}

static void execution_free(struct execution *execution)
{
    for (const struct map_node *at = map_first(&execution->speakers, TEXT("")); at != NULL;
         at = map_first(&execution->speakers, TEXT(""))) {
        struct speaker *speaker = at->value;

        (void)map_remove(&execution->speakers, speaker->node);
        arena_free(speaker->arena);
    }
    arena_free(execution->memory);
    arena_free(execution->kept);
}

enum exit_code verb_exec(struct command *command)
{
    struct execution execution = { .command = command, .form = exec_form_of(command) };
    enum exit_code code;
    bool is_whole;

    if (!exec_request_read(command, &execution.request)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &execution.session) ||
        !selected_read(command, &execution.session, command->args.words, command->args.words_before,
                       EXEC_USE, &execution.selected)) {
        return EXIT_CODE_FAILED;
    }
    execution.memory = arena_new_small(SIZE_MAX);
    execution.kept = arena_new_small(SIZE_MAX);
    execution.fold = exec_fold_new(execution.kept);
    exec_dry_init(&execution.dry, command, execution.kept, execution.selected.count > 1);
    map_init(&execution.speakers, execution.memory);
    buf_init(&execution.documents, execution.kept);
    command_flush(command);
    is_whole = places_ask(&execution);
    interrupt_expect(INTERRUPT_READING);
    if (execution.request.batching.is_dry && is_whole && execution.begun > 0) {
        code = exec_dry_write(&execution.dry);
    } else {
        code = result_report(&execution, is_whole);
    }
    execution_free(&execution);
    return code;
}
