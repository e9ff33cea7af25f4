#ifndef REEVE_PLAYBOOK_REPORT_H
#define REEVE_PLAYBOOK_REPORT_H

#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdint.h>

/* public names start with: playbook_ */

/* Reads the lines of the callback (reeve_events.py) and determines the result of each node. Pure.
 * Lines come from a process that runs programs of a repository, so they are untrusted: a line that
 * is not an object, of an unknown kind, or about a host that is not in the run is counted and
 * ignored. Fuzzed by tests/fuzz/fuzz_playbook.c.
 *
 *     start    {ansible}
 *     play     {name}
 *     selected {hosts: [HOST]}                       hosts of the play, within the limit
 *     task     {task, name, path, action, handler}   `task` is its number, `path` FILE:LINE
 *     begin    {host, task}
 *     result   {host, task, outcome, rescued, fatal, item, msg, rc, stdout, stderr, paths, reason,
 *               hidden}; outcome: ok changed skipped failed ignored unreachable
 *     diff     {host, task, file}
 *     stats    {hosts: {HOST: {ok, changed, failures, skipped, unreachable, rescued, ignored}},
 *               last}
 *     stopped  {}
 *
 * A failure counts unless ignore_errors or a rescue around the task caught it. */
struct playbook_report;

/* Called for each line of output of a node. `text` is one line; it is valid until the call
 * returns. */
typedef void playbook_line_fn(void *arg, size_t host, struct text text);

/* Creates a report about these hosts, whose names are copied. The caller frees it. */
struct playbook_report *playbook_report_new(const struct text *hosts, size_t count,
                                            playbook_line_fn *line, void *arg);
void playbook_report_free(struct playbook_report *report);

/* Processes one line, without its line end. */
void playbook_report_take(struct playbook_report *report, struct text line);

/* True after the callback has sent its first line. */
bool playbook_report_has_started(const struct playbook_report *report);

/* True if the statistics of all hosts have arrived. */
bool playbook_report_has_stats(const struct playbook_report *report);

/* True if the run ended at a task because the callback found the stop file. */
bool playbook_report_is_stopped(const struct playbook_report *report);

/* Number of ignored lines. */
uint64_t playbook_report_bad(const struct playbook_report *report);

enum playbook_verdict {
    PLAYBOOK_UNKNOWN, /* there are no statistics, because the run was killed or has crashed */
    PLAYBOOK_DONE,
    PLAYBOOK_FAILED,
    PLAYBOOK_UNREACHABLE,
    PLAYBOOK_NOT_SELECTED, /* no play selected the node, so the statistics lack it */
    PLAYBOOK_VERDICT_COUNT
};

/* The first task that failed on a node. Texts belong to the report. */
struct playbook_failure {
    struct text play;
    struct text task; /* ROLE : NAME, or NAME */
    struct text path; /* FILE:LINE in the repository */
    struct text item; /* item of a loop; empty: none */
    struct text message;
    struct text out; /* the last parts of its outputs */
    struct text error;
    int64_t rc;
    bool has_rc;
    bool is_hidden; /* the task has no_log, so its details are hidden */
};

struct playbook_judgement {
    enum playbook_verdict verdict;
    bool has_failure; /* FAILED and UNREACHABLE: `failure` is set */
    struct playbook_failure failure;
    /* For FAILED without a failure on this node: the node whose failure ended the play
     * (any_errors_fatal). Empty: none. */
    struct text ended_by;
    bool is_selected; /* any play has selected the node */
    bool has_begun;   /* a task was started on the node */
    size_t tasks;     /* number of results, one for each task */
    size_t changed;   /* number of these tasks that changed something */
    size_t unjudged;  /* number of tasks skipped, because check mode cannot run their program */
};

/* Returns the verdict about a host of the run. */
struct playbook_judgement playbook_report_judge(const struct playbook_report *report, size_t host);

/* Returns a text such as "docker : ensure docker is started (roles/docker/tasks/main.yml:99), item
 * a: Job failed". It lives in the arena. */
struct text playbook_failure_words(struct arena *arena, const struct playbook_failure *failure);

/* Calls back for each path that tasks have written on a host. These paths form the baseline for
 * later checks. */
void playbook_report_paths(const struct playbook_report *report, size_t host,
                           void (*path)(void *arg, struct text path), void *arg);

/* Calls back for each task that changed something on a host, or would have changed something in
 * check mode: NAME (PATH). */
void playbook_report_changes(const struct playbook_report *report, size_t host,
                             void (*change)(void *arg, struct text words), void *arg);

#endif
