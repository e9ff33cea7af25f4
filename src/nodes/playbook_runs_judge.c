#include "base/limits.h"
#include "nodes/playbook_runs_parts.h"

#include <string.h>

/* Determines the result of each node from the end of a run. */

enum { CODE_NONE_GIVEN = 1 };

/* True if ansible-playbook itself has reported an error, for example because it cannot read the
 * playbook. */
static bool has_error(struct text tail)
{
    return memmem(tail.data, tail.length, "ERROR! ", strlen("ERROR! ")) != NULL;
}

/* Returns the last line of output in which ansible-playbook reports an error; if there is none, the
 * last line. */
static struct text tail_words(struct arena *arena, struct text tail)
{
    struct text found = TEXT("");
    struct text last = TEXT("");
    struct buf buf;

    while (tail.length > 0) {
        size_t end = text_find_byte(tail, '\n');
        struct text line = text_trim(text_slice(tail, 0, end));

        if (text_has_prefix(line, TEXT("ERROR! "))) {
            found = text_slice(line, 7, SIZE_MAX);
        }
        last = line.length > 0 ? line : last;
        tail = end == SIZE_MAX ? TEXT("") : text_slice(tail, end + 1, SIZE_MAX);
    }
    found = found.length > 0 ? found : last;
    buf_init(&buf, arena);
    for (size_t i = 0; i < found.length; i++) {
        buf_add_byte(&buf, found.data[i] >= ' ' && found.data[i] < 0x7f ? found.data[i] : '?');
    }
    return buf_text(&buf);
}

static struct playbook_event end_make(enum nodes_end end, struct text why)
{
    return (struct playbook_event){
        .kind = PLAYBOOK_EVENT_ENDED, .end = end, .code = CODE_NONE_GIVEN, .why = why
    };
}

static struct playbook_event failed_make(struct arena *arena,
                                         const struct playbook_judgement *judged)
{
    struct playbook_event event = end_make(NODES_END_FAILED, TEXT("a task failed on this node"));

    if (judged->has_failure) {
        event.why = playbook_failure_words(arena, &judged->failure);
        event.code = judged->failure.has_rc && judged->failure.rc > 0 && judged->failure.rc < 256
                         ? (int)judged->failure.rc
                         : CODE_NONE_GIVEN;
    } else if (judged->ended_by.length > 0) {
        event.why = arena_printf(arena, "the play ended because %.*s failed (any_errors_fatal)",
                                 TEXT_ARG(judged->ended_by));
    }
    return event;
}

/* Make the result of a node that the statistics of the run do not contain. */
static struct playbook_event unselected_make(const struct playbook_run *run, struct arena *arena,
                                             const struct playbook_judgement *judged)
{
    return !judged->is_selected
               ? end_make(NODES_END_FAILED,
                          arena_printf(arena, "no play of %.*s selects this node (R0833)",
                                       TEXT_ARG(run->playbook)))
               : end_make(NODES_END_FAILED,
                          arena_printf(arena, "%.*s ended before its first task on this node: %.*s",
                                       TEXT_ARG(run->playbook),
                                       TEXT_ARG(tail_words(arena, run->tail))));
}

/* Make the result of a node whose state is unknown, because the run was interrupted. */
static struct playbook_event interrupted_make(const struct playbook_run *run, struct arena *arena,
                                              const char *how)
{
    return end_make(
        NODES_END_INTERRUPTED,
        arena_printf(arena, "%s%s (R0835)", how,
                     run->is_repeatable ? " twice" : ", and the configuration is not repeatable"));
}

/* Make the result of a node if the run has no statistics. */
static struct playbook_event unknown_make(const struct playbook_run *run, struct arena *arena,
                                          const struct playbook_judgement *judged)
{
    struct text words = tail_words(arena, run->tail);

    if (!run->has_end) {
        return interrupted_make(run, arena, "the playbook was interrupted");
    }
    switch ((enum playbook_ipc_reason)run->end.reason) {
    case PLAYBOOK_IPC_LATE:
        return end_make(NODES_END_TIMEOUT,
                        arena_printf(arena, "timed out after %llu s",
                                     (unsigned long long)run->timeout_ms / 1000));
    case PLAYBOOK_IPC_STOPPED:
        return end_make(NODES_END_INTERRUPTED,
                        TEXT("stopped immediately; modules may still run on the node"));
    case PLAYBOOK_IPC_SILENT:
        return end_make(NODES_END_REFUSED,
                        arena_printf(arena, "the callback did not start (R0834)%s%.*s",
                                     words.length > 0 ? ": " : "", TEXT_ARG(words)));
    case PLAYBOOK_IPC_UNSTARTED:
        return end_make(NODES_END_REFUSED,
                        arena_printf(arena, "%.*s (R0834)", TEXT_ARG(run->end.message)));
    case PLAYBOOK_IPC_ENDED:
    case PLAYBOOK_IPC_REASON_COUNT:
        break;
    }
    if (playbook_report_is_stopped(run->report)) {
        return end_make(NODES_END_INTERRUPTED, TEXT("stopped before the next task"));
    }
    if (!playbook_report_has_started(run->report) && !has_error(run->tail)) {
        return end_make(NODES_END_REFUSED,
                        arena_printf(arena, "the callback did not start (R0834)%s%.*s",
                                     words.length > 0 ? ": " : "", TEXT_ARG(words)));
    }
    if (run->end.signal == 0 && !judged->has_begun) {
        return end_make(NODES_END_FAILED, arena_printf(arena, "%.*s: %.*s", TEXT_ARG(run->playbook),
                                                       TEXT_ARG(words)));
    }
    return interrupted_make(run, arena, "ansible-playbook ended without a result");
}

struct change_list {
    struct text items[PLAYBOOK_EVENT_CHANGES];
    size_t count;
};

/* Keeps the last calls. Changes are reported newest first, so these are the first changes of the
 * run. */
static void change_keep(void *arg, struct text words)
{
    struct change_list *list = arg;

    if (list->count == PLAYBOOK_EVENT_CHANGES) {
        memmove(list->items, list->items + 1, sizeof(list->items) - sizeof(list->items[0]));
        list->count--;
    }
    list->items[list->count++] = words;
}

static void playbook_changes_add(const struct playbook_run *run, struct arena *arena, size_t host,
                                 struct playbook_event *event)
{
    struct change_list *list = arena_one(arena, struct change_list);

    list->count = 0;
    playbook_report_changes(run->report, host, change_keep, list);
    for (size_t i = 0; i < list->count / 2; i++) { /* oldest first */
        struct text item = list->items[i];

        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = item;
    }
    event->changes = list->items;
    event->change_count = list->count;
}

struct playbook_event playbook_run_judge(const struct playbook_run *run, struct arena *arena,
                                         size_t host)
{
    struct playbook_judgement judged = playbook_report_judge(run->report, host);
    struct playbook_event event;

    switch (judged.verdict) {
    case PLAYBOOK_DONE:
        event = end_make(NODES_END_DONE, TEXT(""));
        event.code = 0;
        break;
    case PLAYBOOK_FAILED:
        event = failed_make(arena, &judged);
        break;
    case PLAYBOOK_UNREACHABLE:
        event = !run->is_repeatable && judged.tasks > 1
                    ? interrupted_make(run, arena, "the node was lost in the playbook")
                    : end_make(NODES_END_UNREACHABLE,
                               judged.has_failure ? playbook_failure_words(arena, &judged.failure)
                                                  : TEXT("the playbook could not reach the node"));
        break;
    case PLAYBOOK_NOT_SELECTED:
        event = unselected_make(run, arena, &judged);
        break;
    case PLAYBOOK_UNKNOWN:
    case PLAYBOOK_VERDICT_COUNT:
    default:
        event = unknown_make(run, arena, &judged);
        break;
    }
    event.tasks = judged.tasks;
    event.changed = judged.changed;
    event.unjudged = judged.unjudged;
    playbook_changes_add(run, arena, host, &event);
    return event;
}

bool playbook_run_is_unknown(const struct playbook_run *run)
{
    if (playbook_report_has_stats(run->report) || playbook_report_is_stopped(run->report)) {
        return false;
    }
    return !run->has_end || (run->end.reason == PLAYBOOK_IPC_ENDED && run->end.signal != 0);
}
