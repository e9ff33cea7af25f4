#include "playbook/report.h"

#include "base/buf.h"
#include "base/map.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <assert.h>
#include <string.h>

enum {
    LINE_ARENA_BYTES = 16 * 1024 * 1024,
    TASKS_MAX = 20000,
    PATHS_MAX = 5000,  /* maximum for one host */
    CHANGES_MAX = 200, /* maximum for one host */
    PATH_BYTES = 1024,
    NAME_BYTES = 512,
    MESSAGE_BYTES = 1000,
    TAIL_BYTES = 400,
};

/* A task as the callback announced it. */
struct report_task {
    struct text name;
    struct text path;
};

struct report_text {
    struct report_text *next;
    struct text text;
};

struct report_host {
    struct text name;
    bool is_selected;
    bool has_begun;
    bool has_stats;
    bool has_failures; /* result by the statistics */
    bool is_unreachable;
    bool is_failed; /* `failure` is set */
    bool is_fatal;  /* the host's failure ends the play for all hosts */
    uint64_t play;  /* number of the play that was last printed for the host */
    struct playbook_failure failure;
    size_t tasks;
    size_t changed;
    size_t unjudged;
    struct map paths;
    size_t path_count;
    struct report_text *changes; /* the newest task first */
    size_t change_count;
};

struct playbook_report {
    struct arena *memory;
    playbook_line_fn *line;
    void *arg;
    struct report_host *hosts;
    size_t host_count;
    struct map by_name;        /* maps a name to struct report_host */
    struct report_task *tasks; /* hosts by number, from 1 */
    size_t task_count;
    size_t task_room;
    struct text play;
    uint64_t play_count;
    bool has_started;
    bool has_stats;
    bool is_stopped;
    uint64_t bad;
};

struct playbook_report *playbook_report_new(const struct text *hosts, size_t count,
                                            playbook_line_fn *line, void *arg)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct playbook_report *report = arena_one(memory, struct playbook_report);

    *report = (struct playbook_report){ .memory = memory,
                                        .line = line,
                                        .arg = arg,
                                        .hosts = arena_array(memory, struct report_host, count),
                                        .host_count = count };
    map_init(&report->by_name, memory);
    for (size_t i = 0; i < count; i++) {
        report->hosts[i] = (struct report_host){ .name = arena_text(memory, hosts[i]) };
        map_init(&report->hosts[i].paths, memory);
        (void)map_put(&report->by_name, report->hosts[i].name, &report->hosts[i]);
    }
    return report;
}

void playbook_report_free(struct playbook_report *report)
{
    if (report != NULL) {
        rows_free(report->tasks);
        arena_free(report->memory);
    }
}

bool playbook_report_has_started(const struct playbook_report *report)
{
    return report->has_started;
}

bool playbook_report_has_stats(const struct playbook_report *report)
{
    return report->has_stats;
}

bool playbook_report_is_stopped(const struct playbook_report *report)
{
    return report->is_stopped;
}

uint64_t playbook_report_bad(const struct playbook_report *report)
{
    return report->bad;
}

/* ---- output of a node ---- */

static void report_say(const struct playbook_report *report, const struct report_host *host,
                       struct text text)
{
    report->line(report->arg, (size_t)(host - report->hosts), text);
}

/* Writes each line of a text, indented below the task to which it belongs. */
static void report_say_all(const struct playbook_report *report, const struct report_host *host,
                           struct arena *arena, const char *what, struct text text)
{
    while (text.length > 0) {
        size_t end = text_find_byte(text, '\n');
        struct text line = text_slice(text, 0, end);

        if (text_trim(line).length > 0) {
            report_say(report, host, arena_printf(arena, "  %s%.*s", what, TEXT_ARG(line)));
        }
        text = end == SIZE_MAX ? TEXT("") : text_slice(text, end + 1, SIZE_MAX);
    }
}

/* ---- kinds of lines ---- */

static struct text report_field(const struct playbook_report *report, const struct doc *line,
                                const char *name, size_t most)
{
    return arena_text(report->memory, text_slice(doc_child_text(line, name), 0, most));
}

static bool report_flag(const struct doc *line, const char *name)
{
    return text_is(doc_child_text(line, name), "true");
}

static struct report_host *report_host_find(const struct playbook_report *report,
                                            const struct doc *line)
{
    return map_find(&report->by_name, doc_child_text(line, "host"));
}

static const struct report_task *report_task_find(const struct playbook_report *report,
                                                  const struct doc *line)
{
    static const struct report_task unknown = { { "a task", 6 }, { "", 0 } };
    int64_t number = doc_child_number(line, "task");

    return number >= 1 && (uint64_t)number <= report->task_count ? &report->tasks[number - 1]
                                                                 : &unknown;
}

MUST_CHECK static bool task_take(struct playbook_report *report, const struct doc *line)
{
    int64_t number = doc_child_number(line, "task");

    if (number < 1 || (uint64_t)number > report->task_count + 1 || number > TASKS_MAX) {
        return false;
    }
    if ((uint64_t)number == report->task_count + 1) {
        if (report->task_count == report->task_room) {
            report->task_room = report->task_room == 0 ? 64 : report->task_room * 2;
            report->tasks = rows_resize(report->tasks, report->task_room * sizeof(*report->tasks));
        }
        report->tasks[report->task_count++] =
            (struct report_task){ .name = report_field(report, line, "name", NAME_BYTES),
                                  .path = report_field(report, line, "path", NAME_BYTES) };
    }
    return true;
}

MUST_CHECK static bool selected_take(const struct playbook_report *report, const struct doc *line)
{
    const struct doc *hosts = doc_child(line, "hosts");

    for (size_t i = 0; doc_is_list(hosts) && i < hosts->item_count; i++) {
        struct report_host *host = doc_is_scalar(&hosts->items[i])
                                       ? map_find(&report->by_name, hosts->items[i].text)
                                       : NULL;

        if (host != NULL) {
            host->is_selected = true;
        }
    }
    return doc_is_list(hosts);
}

MUST_CHECK static bool begin_take(struct playbook_report *report, const struct doc *line)
{
    struct report_host *host = report_host_find(report, line);

    if (host == NULL) {
        return false;
    }
    host->has_begun = true;
    return true;
}

/* Stores the first failure of a host. The item of a loop comes before the result of its task, and
 * has more detail. */
static void failure_take(struct playbook_report *report, struct report_host *host,
                         const struct report_task *task, const struct doc *line)
{
    const struct doc *rc = doc_child(line, "rc");
    struct text out = doc_child_text(line, "stdout");
    struct text error = doc_child_text(line, "stderr");

    host->is_fatal = host->is_fatal || report_flag(line, "fatal");
    if (host->is_failed) {
        return;
    }
    host->is_failed = true;
    host->failure = (struct playbook_failure){
        .play = report->play,
        .task = task->name,
        .path = task->path,
        .item = report_field(report, line, "item", NAME_BYTES),
        .message = report_field(report, line, "msg", MESSAGE_BYTES),
        .out = arena_text(
            report->memory,
            text_slice(out, out.length > TAIL_BYTES ? out.length - TAIL_BYTES : 0, TAIL_BYTES)),
        .error =
            arena_text(report->memory,
                       text_slice(error, error.length > TAIL_BYTES ? error.length - TAIL_BYTES : 0,
                                  TAIL_BYTES)),
        .rc = doc_child_number(line, "rc"),
        .has_rc = doc_is_scalar(rc) && !doc_is_null(rc),
        .is_hidden = report_flag(line, "hidden"),
    };
}

static void paths_take(const struct playbook_report *report, struct report_host *host,
                       const struct doc *paths)
{
    for (size_t i = 0; doc_is_list(paths) && i < paths->item_count; i++) {
        struct text path = doc_is_scalar(&paths->items[i]) ? paths->items[i].text : TEXT("");

        if (path.length > 0 && path.length <= PATH_BYTES && path.data[0] == '/' &&
            host->path_count < PATHS_MAX && map_find(&host->paths, path) == NULL) {
            (void)map_put(&host->paths, arena_text(report->memory, path), host);
            host->path_count++;
        }
    }
}

static void change_take(const struct playbook_report *report, struct report_host *host,
                        const struct report_task *task)
{
    struct report_text *change;

    host->changed++;
    if (host->change_count < CHANGES_MAX) {
        change = arena_one(report->memory, struct report_text);
        *change = (struct report_text){ host->changes,
                                        arena_printf(report->memory, "%.*s (%.*s)",
                                                     TEXT_ARG(task->name), TEXT_ARG(task->path)) };
        host->changes = change;
        host->change_count++;
    }
}

/* Writes the result to the output of the node. */
static void result_say(const struct playbook_report *report, struct report_host *host,
                       const struct report_task *task, const struct doc *line, const char *outcome)
{
    AUTO(arena) arena = arena_new_small(LINE_ARENA_BYTES);
    struct text item = doc_child_text(line, "item");
    struct text message = doc_child_text(line, "msg");
    struct text reason = doc_child_text(line, "reason");
    size_t end = text_find_byte(message, '\n');

    if (report->play_count != host->play) {
        host->play = report->play_count;
        report_say(report, host, arena_printf(arena, "PLAY %.*s", TEXT_ARG(report->play)));
    }
    if (report_flag(line, "hidden")) {
        message = TEXT("hidden by no_log");
        end = SIZE_MAX;
    } else if (message.length == 0) {
        message = reason;
        end = SIZE_MAX;
    }
    report_say(report, host,
               arena_printf(arena, "%s: %.*s (%.*s)%s%.*s%s%.*s", outcome, TEXT_ARG(task->name),
                            TEXT_ARG(task->path), item.length > 0 ? ", item " : "", TEXT_ARG(item),
                            message.length > 0 ? ": " : "", TEXT_ARG(text_slice(message, 0, end))));
    if (end != SIZE_MAX) {
        report_say_all(report, host, arena, "", text_slice(message, end + 1, SIZE_MAX));
    }
    report_say_all(report, host, arena, "stdout: ", doc_child_text(line, "stdout"));
    report_say_all(report, host, arena, "stderr: ", doc_child_text(line, "stderr"));
}

MUST_CHECK static bool result_take(struct playbook_report *report, const struct doc *line)
{
    static const char *const outcomes[] = { "ok",     "changed", "skipped",
                                            "failed", "ignored", "unreachable" };
    struct report_host *host = report_host_find(report, line);
    const struct report_task *task = report_task_find(report, line);
    struct text outcome = doc_child_text(line, "outcome");
    bool is_item = doc_is_present(doc_child(line, "item"));
    bool is_rescued = report_flag(line, "rescued");
    const char *name = NULL;

    for (size_t i = 0; i < ARRAY_COUNT(outcomes); i++) {
        name = text_is(outcome, outcomes[i]) ? outcomes[i] : name;
    }
    if (host == NULL || name == NULL) {
        return false;
    }
    host->has_begun = true;
    if (strcmp(name, "failed") == 0 || strcmp(name, "unreachable") == 0) {
        host->is_unreachable = host->is_unreachable || strcmp(name, "unreachable") == 0;
        if (is_rescued) {
            name = "rescued";
        } else {
            failure_take(report, host, task, line);
            name = strcmp(name, "failed") == 0 ? "FAILED" : "UNREACHABLE";
        }
    }
    if (!is_item) {
        host->tasks++;
        host->unjudged += strcmp(name, "skipped") == 0 &&
                          text_has_prefix(doc_child_text(line, "msg"), TEXT("Command would have"));
    }
    if (!is_item && strcmp(name, "changed") == 0) {
        change_take(report, host, task);
    }
    paths_take(report, host, doc_child(line, "paths"));
    result_say(report, host, task, line, name);
    return true;
}

MUST_CHECK static bool diff_take(struct playbook_report *report, const struct doc *line)
{
    AUTO(arena) arena = arena_new_small(LINE_ARENA_BYTES);
    struct report_host *host = report_host_find(report, line);
    struct text file = doc_child_text(line, "file");

    if (host == NULL) {
        return false;
    }
    if (file.length > 0) {
        report_say(report, host, arena_printf(arena, "  differs: %.*s", TEXT_ARG(file)));
    }
    return true;
}

MUST_CHECK static bool stats_take(struct playbook_report *report, const struct doc *line)
{
    const struct doc *hosts = doc_child(line, "hosts");

    if (!doc_is_map(hosts)) {
        return false;
    }
    for (size_t i = 0; i < hosts->entry_count; i++) {
        const struct doc *counts = &hosts->entries[i].value;
        struct report_host *host = map_find(&report->by_name, hosts->entries[i].key);

        if (host == NULL || !doc_is_map(counts)) {
            report->bad++;
            continue;
        }
        host->has_stats = true;
        host->has_failures = doc_child_number(counts, "failures") != 0;
        host->is_unreachable = host->is_unreachable || doc_child_number(counts, "unreachable") != 0;
    }
    report->has_stats = report->has_stats || report_flag(line, "last");
    return true;
}

MUST_CHECK static bool line_take(struct playbook_report *report, const struct doc *line)
{
    struct text kind = doc_child_text(line, "kind");

    if (text_is(kind, "start")) {
        report->has_started = true;
        return true;
    }
    if (text_is(kind, "play")) {
        report->play = report_field(report, line, "name", NAME_BYTES);
        report->play_count++;
        return true;
    }
    if (text_is(kind, "stopped")) {
        report->is_stopped = true;
        return true;
    }
    return text_is(kind, "task")       ? task_take(report, line)
           : text_is(kind, "selected") ? selected_take(report, line)
           : text_is(kind, "begin")    ? begin_take(report, line)
           : text_is(kind, "result")   ? result_take(report, line)
           : text_is(kind, "diff")     ? diff_take(report, line)
           : text_is(kind, "stats")    ? stats_take(report, line)
                                       : false;
}

void playbook_report_take(struct playbook_report *report, struct text line)
{
    AUTO(arena) arena = arena_new_small(LINE_ARENA_BYTES);
    struct doc doc;
    struct err err;

    if (!json_parse(arena, line, NULL, &doc, &err) || !doc_is_map(&doc) ||
        !line_take(report, &doc)) {
        report->bad++;
    }
}

/* ---- judging ---- */

/* The host whose failure ended the play for all other hosts; NULL: none. */
static const struct report_host *fatal_find(const struct playbook_report *report)
{
    for (size_t i = 0; i < report->host_count; i++) {
        if (report->hosts[i].is_failed && report->hosts[i].is_fatal) {
            return &report->hosts[i];
        }
    }
    return NULL;
}

struct playbook_judgement playbook_report_judge(const struct playbook_report *report, size_t at)
{
    const struct report_host *host = &report->hosts[at];
    const struct report_host *fatal = fatal_find(report);
    struct playbook_judgement out = { .is_selected = host->is_selected || host->has_begun,
                                      .has_begun = host->has_begun,
                                      .has_failure = host->is_failed,
                                      .failure = host->failure,
                                      .tasks = host->tasks,
                                      .changed = host->changed,
                                      .unjudged = host->unjudged };

    assert(at < report->host_count);
    if (!report->has_stats || report->is_stopped) {
        out.verdict = PLAYBOOK_UNKNOWN;
    } else if (!host->has_stats && fatal == NULL) {
        out.verdict = PLAYBOOK_NOT_SELECTED;
    } else if (host->is_unreachable) {
        out.verdict = PLAYBOOK_UNREACHABLE;
    } else if (host->has_failures || host->is_failed) {
        out.verdict = PLAYBOOK_FAILED;
    } else if (fatal != NULL) {
        out.verdict = PLAYBOOK_FAILED;
        out.ended_by = fatal->name;
    } else {
        out.verdict = PLAYBOOK_DONE;
    }
    return out;
}

/* The first line of a text. */
static struct text first_line(struct text text)
{
    text = text_trim(text);
    return text_trim(text_slice(text, 0, text_find_byte(text, '\n')));
}

/* The last line of a text. */
static struct text last_line(struct text text)
{
    text = text_trim(text);
    for (size_t i = text.length; i > 0; i--) {
        if (text.data[i - 1] == '\n') {
            return text_trim(text_slice(text, i, SIZE_MAX));
        }
    }
    return text;
}

struct text playbook_failure_words(struct arena *arena, const struct playbook_failure *failure)
{
    struct text message = first_line(failure->message);
    struct text error = last_line(failure->error.length > 0 ? failure->error : failure->out);
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "%.*s", TEXT_ARG(failure->task));
    if (failure->path.length > 0) {
        buf_printf(&buf, " (%.*s)", TEXT_ARG(failure->path));
    }
    if (failure->item.length > 0) {
        buf_printf(&buf, ", item %.*s", TEXT_ARG(failure->item));
    }
    if (failure->is_hidden) {
        buf_add_string(&buf, ": hidden by no_log");
    } else if (text_is(message, "non-zero return code") && error.length > 0) {
        /* for a command, its error output has more details */
        buf_printf(&buf, ": %.*s", TEXT_ARG(error));
    } else if (message.length > 0) {
        buf_printf(&buf, ": %.*s", TEXT_ARG(message));
    }
    if (failure->has_rc && failure->rc != 0 && !failure->is_hidden) {
        buf_printf(&buf, " (rc %lld)", (long long)failure->rc);
    }
    return buf_text(&buf);
}

void playbook_report_paths(const struct playbook_report *report, size_t host,
                           void (*path)(void *arg, struct text path), void *arg)
{
    const struct map *paths = &report->hosts[host].paths;

    for (const struct map_node *at = map_first(paths, TEXT("")); at != NULL;
         at = map_after(paths, at->key)) {
        path(arg, at->key);
    }
}

void playbook_report_changes(const struct playbook_report *report, size_t host,
                             void (*change)(void *arg, struct text words), void *arg)
{
    for (const struct report_text *at = report->hosts[host].changes; at != NULL; at = at->next) {
        change(arg, at->text);
    }
}
