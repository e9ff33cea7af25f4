/* reeve-controller: one pass over one cluster, then the end. What it knows comes from the store, what it began is
 * in the store; killed at any instruction and run again it is safe (K1). */

#include "base/exits.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/suggest.h"
#include "client/client.h"
#include "codec/json.h"
#include "daemon/keep.h"
#include "engine/objects.h"
#include "store/sqlite.h"
#include "sys/fd.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "reeve-controller: one pass over one cluster: look, decide, record, act. Then it ends.\n"
    "\n"
    "Usage: reeve-controller CLUSTER [FLAG...]\n"
    "\n"
    "CLUSTER is an id or a name.\n"
    "\n"
    "  --data DIR      the store (/var/lib/reeve)\n"
    "  --dry-run       decide and say what would be done; nothing is written or called\n"
    "  --haste N       for trials: what waits minutes waits so many times less, up to 100\n"
    "  --help          show this\n"
    "  --tenant NAME   the cluster's tenant (default)\n"
    "  --version       show the version\n"
    "\n"
    "Exit codes: 0 done, or nothing to do; 4 no such cluster; 5 something is held, or another manager\n"
    "keeps it; 7 the store is in use or does not answer, or a provider gives no listing; 70 the store\n"
    "has what cannot be understood.\n";

enum { PASS_DEADLINE_MS = 10 * 60 * 1000, WAIT_MS = 50 };

struct run {
    struct arena *arena;
    const char *cluster;
    const char *data;
    const char *tenant;
    uint32_t haste;
    bool is_dry;
    struct clock clock;
    struct random random;
    struct log *log;
    struct store *store;
    struct cache *cache;
    struct keep *keep;
    bool is_told;
    enum control_end end;
    struct err err;
};

/* ---- arguments ---- */

static enum exit_code usage(struct run *run, struct text what)
{
    err_set(&run->err, CODE_R0002, "%.*s", TEXT_ARG(what));
    err_hint(&run->err, "reeve-controller --help lists the flags");
    return EXIT_CODE_USAGE;
}

static enum exit_code arguments_read(struct run *run, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        int64_t times = 0;

        if (strcmp(argv[i], "--dry-run") == 0) {
            run->is_dry = true;
        } else if (strcmp(argv[i], "--data") == 0 && has_value) {
            run->data = argv[++i];
        } else if (strcmp(argv[i], "--tenant") == 0 && has_value) {
            run->tenant = argv[++i];
        } else if (strcmp(argv[i], "--haste") == 0 && has_value) {
            if (!text_parse_int64(text_from(argv[++i]), &times) || times < 1 || times > 100) {
                return usage(run,
                             arena_printf(run->arena, "--haste is a number from 1 to 100, not '%s'",
                                          argv[i]));
            }
            run->haste = (uint32_t)times;
        } else if (argv[i][0] == '-' || run->cluster != NULL) {
            return usage(run, arena_printf(run->arena,
                                           "'%s' is no flag, or lacks its value, or is one cluster "
                                           "too many",
                                           argv[i]));
        } else {
            run->cluster = argv[i];
        }
    }
    return run->cluster != NULL ? EXIT_CODE_DONE
                                : usage(run, TEXT("name the cluster: reeve-controller CLUSTER"));
}

/* ---- the pass ---- */

static void plan_show(const struct control_report *report)
{
    for (size_t i = 0; i < report->plan->action_count; i++) {
        const struct plan_action *action = &report->plan->actions[i];

        printf("%-9s %.*s/%llu  %.*s  [%s]\n", plan_act_name(action->act), TEXT_ARG(action->group),
               (unsigned long long)action->slot, TEXT_ARG(action->fact),
               plan_rule_name(action->rule));
    }
    for (size_t i = 0; i < report->plan->hold_count; i++) {
        const struct plan_hold *hold = &report->plan->holds[i];

        printf("hold      %.*s  %.*s  [%s]\n",
               TEXT_ARG(hold->group.length == 0 ? TEXT("the cluster") : hold->group),
               TEXT_ARG(hold->fact), plan_rule_name(hold->rule));
    }
}

static void pass_told(void *arg, const struct control_report *report)
{
    struct run *run = arg;

    if (run->is_told) {
        return;
    }
    run->is_told = true;
    run->end = report->end;
    if (report->plan != NULL) {
        plan_show(report);
    }
    printf("%zu machines, %zu actions, %zu holds, revision %llu%s%.*s\n", report->machines,
           report->actions, report->holds, (unsigned long long)report->revision,
           report->message.length > 0 ? ": " : "", TEXT_ARG(report->message));
}

/* Sleep until the store has something to say, or for so long. */
static void rest(struct run *run, uint64_t ms)
{
    struct pollfd ready = { .fd = store_descriptor(run->store), .events = POLLIN };

    (void)!poll(&ready, 1, (int)(ms < WAIT_MS ? ms : WAIT_MS));
}

static bool cluster_find(struct run *run, struct text *out)
{
    const struct cache_object *object = objects_find(
        run->cache, text_from(run->tenant), objects_kind("Cluster"), text_from(run->cluster));

    *out = arena_printf(run->arena, "%s/%.*s", run->tenant,
                        TEXT_ARG(object == NULL ? text_from(run->cluster) : object->id));
    return control_pass(keep_control(run->keep), *out);
}

/* Go on until the pass has ended and what it called for is answered and written. */
static enum exit_code pass_make(struct run *run)
{
    uint64_t deadline = clock_monotonic_ms(run->clock) + PASS_DEADLINE_MS;
    struct text key = TEXT("");
    bool is_begun = false;

    while (clock_monotonic_ms(run->clock) < deadline) {
        uint64_t due;

        store_run(run->store);
        cache_run(run->cache);
        due = keep_run(run->keep);
        if (keep_control(run->keep) != NULL && !is_begun) {
            control_watch(keep_control(run->keep), pass_told, run);
            if (!cluster_find(run, &key)) {
                err_set(&run->err, CODE_R0403, "there is no cluster '%s'", run->cluster);
                return EXIT_CODE_NOT_FOUND;
            }
            is_begun = true;
            continue;
        }
        if (is_begun && run->is_told && control_is_idle(keep_control(run->keep))) {
            return EXIT_CODE_DONE;
        }
        if (due > 0) {
            rest(run, due);
        }
    }
    err_set(&run->err, CODE_R0501, "the pass did not end in %d minutes", PASS_DEADLINE_MS / 60000);
    return EXIT_CODE_TIMEOUT;
}

static enum exit_code end_code(enum control_end end)
{
    switch (end) {
    case CONTROL_END_DONE:
    case CONTROL_END_QUIET:
        return EXIT_CODE_DONE;
    case CONTROL_END_HELD:
    case CONTROL_END_FOREIGN:
        return EXIT_CODE_CONFLICT;
    case CONTROL_END_UNHEARD:
    case CONTROL_END_BROKEN:
        return EXIT_CODE_UNAVAILABLE;
    case CONTROL_END_DAMAGED:
        break;
    }
    return EXIT_CODE_FAULT;
}

/* ---- beginning and ending ---- */

MUST_CHECK static bool open_all(struct run *run)
{
    unsigned char incarnation[16];
    struct keep_options options;

    random_fill(run->random, incarnation, sizeof(incarnation));
    if (!sqlite_open(run->data, incarnation, &run->store, &run->err)) {
        return false;
    }
    run->cache = cache_new(run->store, LIMIT_CACHE_CHANGES);
    options = (struct keep_options){
        .store = run->store,
        .cache = run->cache,
        .clock = run->clock,
        .random = run->random,
        .log = run->log,
        .folder = run->data,
        .haste = run->haste,
        .is_single = true,
        .is_dry = run->is_dry,
    };
    return keep_open(&options, &run->keep, &run->err);
}

static void close_all(struct run *run)
{
    keep_close(run->keep);
    while (run->cache != NULL && cache_state(run->cache) == CACHE_LOADING) {
        rest(run, WAIT_MS);
        store_run(run->store);
        cache_run(run->cache);
    }
    cache_free(run->cache);
    store_close(run->store);
    keep_free(run->keep);
}

static enum exit_code run_all(struct run *run)
{
    enum exit_code code = EXIT_CODE_DONE;

    if (!open_all(run)) {
        if (run->err.code == CODE_R0507) {
            err_hint(&run->err,
                     "a manager keeps every cluster of its store by itself: "
                     "reeve get resources -c %s",
                     run->cluster);
        }
        code =
            run->err.code == CODE_R0507 ? EXIT_CODE_UNAVAILABLE : exit_of_kind(err_kind(&run->err));
    } else {
        code = pass_make(run);
        code = code == EXIT_CODE_DONE ? end_code(run->end) : code;
    }
    close_all(run);
    return code;
}

static void err_show(const struct err *err)
{
    if (err->code != CODE_NONE) {
        fprintf(stderr, "reeve-controller: error[%s]: %s\n", code_get(err->code)->name, err->text);
    }
    if (err->hint[0] != '\0') {
        fprintf(stderr, "   hint: %s\n", err->hint);
    }
}

int main(int argc, char **argv)
{
    struct run run = { .data = "/var/lib/reeve",
                       .tenant = "default",
                       .haste = 1,
                       .clock = clock_system(),
                       .random = random_system() };
    enum exit_code code;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--version") == 0) {
            printf("%s", argv[i][2] == 'h' ? help : "reeve-controller " REEVE_VERSION "\n");
            return EXIT_CODE_DONE;
        }
    }
    run.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    run.log = log_new(&(struct log_options){ .clock = run.clock,
                                             .identifier = "reeve-controller",
                                             .fd = STDERR_FILENO,
                                             .level = LOG_LEVEL_ERROR });
    code = arguments_read(&run, argc, argv);
    if (code == EXIT_CODE_DONE) {
        code = run_all(&run);
    }
    err_show(&run.err);
    log_free(run.log);
    arena_free(run.arena);
    return (int)code;
}
