/* reeve exec: one command on many machines, through the manager's hands. */
#include "base/limits.h"
#include "cli/exec_text.h"
#include "cli/glyph.h"
#include "cli/listing.h"
#include "cli/plan_writer.h"
#include "cli/selected.h"
#include "codec/json.h"
#include "ssh/bytes.h"
#include "sys/interrupt.h"
#include "sys/stream.h"

#include <stdio.h>
#include <string.h>

#define EXEC_USE     "reeve exec -c shop -- uname -r"
#define EXEC_TICK_MS 200

enum { OUT, ERROR, STREAMS };

/* A machine that has not ended yet: what it has said so far. */
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
    struct text order; /* the command */
    enum form form;
    struct arena *home;  /* of the map; the command's own is rewound */
    struct map speakers; /* node to struct speaker */
    struct exec_fold *fold;
    struct arena *kept; /* of the fold */
    struct buf documents;
    size_t begun; /* machines of which something was told that they are meant */
    size_t ended;
    size_t well;
    size_t unread;     /* rows that nobody here understands */
    bool is_done;      /* the manager said that it was all, of this cluster */
    bool is_shown;     /* the line that says how far it is */
    struct err broken; /* it ended before its end */
};

/* ---- how far it is ---- */

static void progress_wipe(struct execution *execution)
{
    struct err ignored;

    if (execution->is_shown) {
        execution->is_shown = false;
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
}

static void interrupts_tell(const struct execution *execution)
{
    char text[256];

    snprintf(text, sizeof(text),
             "interrupted: %zu of %zu machines had ended; on the other %zu the command is asked to "
             "end (SIGTERM), or is not begun",
             execution->ended, execution->begun, execution->begun - execution->ended);
    interrupt_tell(text);
}

static void tick(void *arg)
{
    struct execution *execution = arg;
    char text[128];
    struct err ignored;

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

/* A name without its cluster, where all are of one. */
static struct text short_name(const struct execution *execution, struct text node)
{
    return execution->selected.count > 1
               ? node
               : text_slice(node, text_find_byte(node, '/') + 1, node.length);
}

/* Lines as they come, each with its machine; those of standard error go there. */
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

static void output_take(struct execution *execution, const struct doc *row, struct text node)
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
        struct text text = plan_child_text(row, members[i].name);

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

/* How one ended, where its lines were shown already: said where it is not simply well. */
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
        buf_printf(&line, ": %s, ", answer->may_have_run ? "may have run" : "not run");
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

static void end_take(struct execution *execution, const struct doc *end, struct text node)
{
    struct speaker *speaker = speaker_have(execution, node);
    struct exec_answer answer = {
        .node = node,
        .out = buf_text(&speaker->said[OUT]),
        .error = buf_text(&speaker->said[ERROR]),
        .fault = plan_child_text(end, "fault"),
        .why = plan_child_text(end, "why"),
        .signal = plan_child_text(end, "signal"),
        .code = plan_child_number(end, "code"),
        .dropped = plan_child_number(end, "dropped"),
        .took_ms = plan_child_number(end, "ms"),
        .may_have_run = text_is(plan_child_text(end, "mayHaveRun"), "true"),
    };

    execution->ended++;
    execution->well += exec_answer_is_well(&answer);
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

static bool row_take(void *arg, const struct client_event *event)
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
        execution->begun += (size_t)plan_child_number(part, "nodes");
        interrupts_tell(execution);
        interrupt_expect(INTERRUPT_COUNTING);
    } else if ((part = doc_child(&row, "end")) != NULL) {
        progress_wipe(execution);
        end_take(execution, part, plan_child_text(&row, "node"));
        interrupts_tell(execution);
    } else if ((part = doc_child(&row, "broken")) != NULL) {
        err_set(&execution->broken, CODE_R0548, "it was broken off: %.*s", TEXT_ARG(part->text));
    } else if (doc_child(&row, "done") != NULL) {
        execution->is_done = true;
    } else if (doc_child(&row, "node") != NULL) {
        output_take(execution, &row, plan_child_text(&row, "node"));
    }
    arena_rewind(execution->command->arena, mark);
    return true;
}

/* ---- asking ---- */

static void put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

static bool duration_put(struct command *command, struct doc_builder *builder, const char *flag,
                         const char *name)
{
    const char *value = args_named(&command->args, flag);
    uint64_t time_ms;

    if (value == NULL) {
        return true;
    }
    if (!session_duration(command, text_from(value),
                          arena_printf(command->arena, "--%s", flag).data, &time_ms)) {
        return false;
    }
    doc_builder_put(builder, name, doc_int(command->arena, (int64_t)time_ms, NULL));
    return true;
}

static bool body_make(struct execution *execution, const struct selected_place *place,
                      struct text *out)
{
    struct command *command = execution->command;
    const char *most = args_value(&command->args, FLAG_EXEC_OUTPUT_MAX);
    struct doc_builder builder;
    struct doc body;
    struct buf buf;

    doc_builder_init(&builder, command->arena);
    put(&builder, "batch", text_from(args_value(&command->args, FLAG_EXEC_BATCH)));
    put(&builder, "command", execution->order);
    put(&builder, "maxFail", text_from(args_value(&command->args, FLAG_EXEC_MAX_FAIL)));
    put(&builder, "nodes", place->names);
    if (most != NULL) {
        doc_builder_put(&builder, "outputMax", doc_plain(text_from(most), NULL));
    }
    put(&builder, "selector", execution->selected.labels);
    put(&builder, "state", execution->selected.states);
    if (!duration_put(command, &builder, "pause-between", "pauseMs") ||
        !duration_put(command, &builder, "timeout", "timeoutMs")) {
        return false;
    }
    body = doc_builder_map(&builder, NULL);
    buf_init(&buf, command->arena);
    json_format(&buf, &body);
    *out = buf_text(&buf);
    return true;
}

/* Where all clusters are asked, most of them have no such machine. */
static bool is_empty_part(const struct execution *execution, const struct err_list *before)
{
    const struct err_list *errors = &execution->command->errors;

    return execution->selected.count > 1 && !execution->selected.is_named &&
           errors->count == before->count + 1 &&
           errors->items[errors->count - 1].code == CODE_R0780;
}

/* What a stream's end means: all was said, or the manager is gone. */
MUST_CHECK static bool end_judge(struct execution *execution, struct err *err)
{
    if (execution->is_done) {
        return true;
    }
    if (execution->broken.code != CODE_NONE) {
        *err = execution->broken;
    } else if (err->code == CODE_NONE) {
        err_set(err, CODE_R0018, "the manager ended the answer");
    }
    return err_note(err, "%zu of %zu machines had ended; what the others did is not known",
                    execution->ended, execution->begun);
}

static bool place_ask(struct execution *execution, const struct selected_place *place)
{
    struct command *command = execution->command;
    struct err_list before = command->errors;
    bool is_group = place->group.length > 0;
    struct text name = is_group ? arena_printf(command->arena, "%.*s/%.*s",
                                               TEXT_ARG(place->cluster), TEXT_ARG(place->group))
                                : place->cluster;
    struct client_request request = { .method = "POST",
                                      .accept = "application/jsonl",
                                      .content_type = "application/json" };
    struct client_stream stream = { .event = row_take,
                                    .tick = tick,
                                    .tick_ms = EXEC_TICK_MS,
                                    .arg = execution,
                                    .deadline_ms = UINT64_MAX };
    AUTO(arena) call_arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct client_answer answer;
    struct err err = { 0 };
    bool is_read;

    if (!body_make(execution, place, &request.body)) {
        return false;
    }
    request.path = arena_printf(
        command->arena, "%.*s/exec",
        TEXT_ARG(session_path(
            command, schema_kind_find(is_group ? TEXT("NodeGroup") : TEXT("Cluster")), name)));
    execution->is_done = false;
    is_read = client_stream_read(call_arena, &execution->session.client, &request, &stream, &answer,
                                 &err);
    progress_wipe(execution);
    if (is_read && answer.head.status >= 300) {
        session_refused(command, &answer);
        if (is_empty_part(execution, &before)) {
            command->errors = before;
            return true;
        }
        return false;
    }
    if (is_read) {
        err = (struct err){ 0 };
    }
    if (!end_judge(execution, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return true;
}

/* ---- the verb ---- */

static bool order_read(struct execution *execution)
{
    struct command *command = execution->command;
    const struct args *args = &command->args;
    struct buf words;

    if (!args->has_end || args->words_before == args->word_count) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "there is no command: it stands behind --"),
                        "for example: " EXEC_USE);
    }
    buf_init(&words, command->arena);
    for (size_t i = args->words_before; i < args->word_count; i++) {
        buf_add_string(&words, i == args->words_before ? "" : " ");
        buf_add_string(&words, args->words[i]);
    }
    execution->order = buf_text(&words);
    if (text_find_bad_utf8(execution->order) != SIZE_MAX) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "the command is no UTF-8"),
                        "name such files by a pattern: *");
    }
    return true;
}

static enum form form_of(const struct command *command)
{
    return command_output_is(command, "json")            ? FORM_JSON
           : command_output_is(command, "jsonl")         ? FORM_LINES
           : args_has(&command->args, FLAG_EXEC_NO_FOLD) ? FORM_LIVE
                                                         : FORM_FOLDED;
}

static enum exit_code result_tell(struct execution *execution, bool is_whole)
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
    if (execution->begun == 0) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780, "no machine is meant");
        return EXIT_CODE_NOT_FOUND;
    }
    if (failed == 0) {
        return EXIT_CODE_DONE;
    }
    err_list_set(&command->errors, (struct place){ 0 }, CODE_R0782,
                 "%zu of %zu machines did not end with 0", failed, execution->begun);
    return execution->well > 0 ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}

enum exit_code verb_exec(struct command *command)
{
    struct execution execution = { .command = command, .form = form_of(command) };
    enum exit_code code = EXIT_CODE_FAILED;
    bool is_whole = true;

    if (!order_read(&execution)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &execution.session) ||
        !selected_read(command, &execution.session, command->args.words, command->args.words_before,
                       EXEC_USE, &execution.selected)) {
        return EXIT_CODE_FAILED;
    }
    execution.home = arena_new_small(SIZE_MAX);
    execution.kept = arena_new_small(SIZE_MAX);
    execution.fold = exec_fold_new(execution.kept);
    map_init(&execution.speakers, execution.home);
    buf_init(&execution.documents, execution.kept);
    command_flush(command);
    for (size_t i = 0; is_whole && i < execution.selected.count; i++) {
        is_whole = place_ask(&execution, &execution.selected.items[i]);
    }
    interrupt_expect(INTERRUPT_READING);
    code = result_tell(&execution, is_whole);
    for (const struct map_node *at = map_first(&execution.speakers, TEXT("")); at != NULL;
         at = map_first(&execution.speakers, TEXT(""))) {
        struct speaker *speaker = at->value;

        (void)map_remove(&execution.speakers, speaker->node);
        arena_free(speaker->arena);
    }
    arena_free(execution.home);
    arena_free(execution.kept);
    return code;
}
