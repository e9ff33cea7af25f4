/* reeve-controller: makes one reconcile pass over one cluster and exits. It reads its state from
 * the store, and records every operation there before it begins. So it can be killed at any
 * instruction and run again (K1). */

#include "base/exits.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/suggest.h"
#include "cli/term/report.h"
#include "client/client.h"
#include "codec/json.h"
#include "daemon/config/config.h"
#include "daemon/controller.h"
#include "daemon/daemon.h"
#include "daemon/report.h"
#include "daemon/store_open.h"
#include "sqlite/sqlite.h"
#include "state/objects.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/loop.h"
#include "sys/stream.h"
#include "vault/vault.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "reeve-controller: make one reconcile pass over one cluster and exit.\n"
    "\n"
    "Usage: reeve-controller CLUSTER [FLAG...]\n"
    "\n"
    "CLUSTER is an id or a name. If a manager owns the store, it makes the pass, and its report is shown.\n"
    "\n"
    "  --config FILE   the manager's configuration: path of the store, settings of plugins\n"
    "  --data DIR      the store (/var/lib/reeve)\n"
    "  --dry-run       plan and show the actions; nothing is written or called\n"
    "  --haste N       for tests: make waiting times N times shorter, up to 100\n"
    "  --help          show this\n"
    "  --tenant NAME   the cluster's tenant (default)\n"
    "  --version       show the version\n"
    "\n"
    "Exit codes: 0 done, or nothing to do; 4 no such cluster; 5 something is held, or another manager\n"
    "reconciles it; 7 the store does not answer, or a provider gives no listing; 70 the store\n"
    "has invalid data.\n";

enum { PASS_DEADLINE_MS = 10 * 60 * 1000, WAIT_MS = 50 };

struct run {
    struct arena *arena;
    const char *cluster;
    const char *data; /* NULL: use the configuration */
    const char *config_path;
    struct config config;
    const char *tenant;
    uint32_t time_scale;
    bool is_dry;
    struct clock clock;
    struct random random;
    struct log *log;
    struct store *store;
    struct cache *cache;
    struct loop *loop;
    struct loop_descriptor *store_ready;
    struct vault *vault;
    struct controller *controller;
    bool is_reported;
    enum exit_code code;
    struct err err;
};

/* ---- arguments ---- */

static enum exit_code controller_main_usage(struct run *run, struct text what)
{
    err_set(&run->err, CODE_R0002, "%.*s", TEXT_ARG(what));
    err_hint(&run->err, "reeve-controller --help lists the flags");
    return EXIT_CODE_USAGE;
}

static enum exit_code controller_main_arguments_read(struct run *run, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        int64_t times = 0;

        if (strcmp(argv[i], "--dry-run") == 0) {
            run->is_dry = true;
        } else if (strcmp(argv[i], "--config") == 0 && has_value) {
            run->config_path = argv[++i];
        } else if (strcmp(argv[i], "--data") == 0 && has_value) {
            run->data = argv[++i];
        } else if (strcmp(argv[i], "--tenant") == 0 && has_value) {
            run->tenant = argv[++i];
        } else if (strcmp(argv[i], "--haste") == 0 && has_value) {
            if (!text_parse_int64(text_from(argv[++i]), &times) || times < 1 || times > 100) {
                return controller_main_usage(
                    run, arena_printf(run->arena,
                                      "--haste must be a number from 1 to 100, not '%s'", argv[i]));
            }
            run->time_scale = (uint32_t)times;
        } else if (argv[i][0] == '-' || run->cluster != NULL) {
            return controller_main_usage(
                run, arena_printf(run->arena,
                                  "'%s' is an unknown flag, a flag without its value, or a "
                                  "second cluster",
                                  argv[i]));
        } else {
            run->cluster = argv[i];
        }
    }
    return run->cluster != NULL
               ? EXIT_CODE_DONE
               : controller_main_usage(run, TEXT("name the cluster: reeve-controller CLUSTER"));
}

/* Overrides the configuration by the arguments. Returns false if there are errors, which were
 * printed. */
static bool config_take(struct run *run)
{
    struct report report = { .arena = run->arena, .format = REPORT_TEXT };
    struct source_set sources;
    struct err_list errors;
    struct style style = { 0 };
    struct buf buf;
    struct err err;

    run->config = config_defaults();
    source_set_init(&sources, run->arena);
    err_list_init(&errors, run->arena);
    if (run->config_path != NULL) {
        config_read(run->arena, &sources, run->config_path, &run->config, &errors);
    }
    run->data = run->data != NULL ? run->data : run->config.data;
    if (errors.errors == 0) {
        return true;
    }
    report.sources = &sources;
    report.style = &style;
    buf_init(&buf, run->arena);
    report_write(&report, &errors, &buf);
    /* there is no other place to report the failure */
    (void)!stream_write_error(buf_text(&buf), &err);
    return false;
}

/* ---- the pass ---- */

static void controller_main_on_pass(void *arg, const struct control_report *report)
{
    struct run *run = arg;
    struct doc doc;

    if (run->is_reported) {
        return;
    }
    run->is_reported = true;
    doc = report_doc(run->arena, report);
    report_show(&doc);
    run->code = report_code(&doc);
}

/* This program runs the store in every iteration; the event only wakes the loop. */
static void store_is_ready(void *arg, unsigned events)
{
    (void)arg;
    (void)events;
}

/* Sleeps until the store or a plugin has work, at most this long. */
static void rest(struct run *run, uint64_t ms)
{
    loop_run_once(run->loop, ms < WAIT_MS ? ms : WAIT_MS);
}

static bool controller_main_cluster_find(struct run *run, struct text *out)
{
    const struct cache_object *object = objects_find(
        run->cache, text_from(run->tenant), objects_kind("Cluster"), text_from(run->cluster));

    *out = arena_printf(run->arena, "%s/%.*s", run->tenant,
                        TEXT_ARG(object == NULL ? text_from(run->cluster) : cache_id(object)));
    return control_pass(controller_control(run->controller), *out);
}

/* Continues until the pass has ended and the results of its calls are recorded. */
static enum exit_code pass_make(struct run *run)
{
    uint64_t deadline = clock_monotonic_ms(run->clock) + PASS_DEADLINE_MS;
    struct text key = TEXT("");
    bool is_begun = false;

    while (clock_monotonic_ms(run->clock) < deadline) {
        uint64_t due;

        store_run(run->store);
        cache_run(run->cache);
        due = controller_run(run->controller);
        if (controller_control(run->controller) != NULL && !is_begun) {
            control_watch(controller_control(run->controller), controller_main_on_pass, run);
            if (!controller_main_cluster_find(run, &key)) {
                err_set(&run->err, CODE_R0403, "there is no cluster '%s'", run->cluster);
                return EXIT_CODE_NOT_FOUND;
            }
            is_begun = true;
            continue;
        }
        if (is_begun && run->is_reported && control_is_idle(controller_control(run->controller))) {
            return EXIT_CODE_DONE;
        }
        rest(run, due);
    }
    err_set(&run->err, CODE_R0501, "the pass did not complete within %d minutes",
            PASS_DEADLINE_MS / 60000);
    return EXIT_CODE_TIMEOUT;
}

/* ---- a pass by the manager that owns the store ---- */

/* Reads the address of the manager's socket from its folder. */
static bool manager_find(struct run *run, struct client *out)
{
    struct text url;
    struct err err;

    return file_read(
               run->arena,
               arena_string(run->arena,
                            arena_printf(run->arena, "%s/" CONTROLLER_ADDRESS_FILE, run->data)),
               LIMIT_PATH_BYTES, &url, &err) &&
           address_parse(text_trim(url), &out->address, &err);
}

/* Requests the pass from the manager, which has locked the store, and prints its report. */
static enum exit_code controller_main_pass_ask(struct run *run)
{
    struct client client = { .tenant = text_from(run->tenant), .timeout_ms = PASS_DEADLINE_MS };
    struct client_request request = { .method = "POST", .accept = "application/json" };
    struct client_answer answer;
    struct doc doc;
    struct buf path;
    struct err err;

    if (!manager_find(run, &client)) {
        return EXIT_CODE_UNAVAILABLE; /* exit code for R0507: the manager has gone */
    }
    buf_init(&path, run->arena);
    buf_add_string(&path, "/v1/clusters/");
    client_path_add(&path, text_from(run->cluster));
    buf_add_string(&path, run->is_dry ? "/pass?dry-run=1" : "/pass");
    request.path = buf_text(&path);
    if (!client_call(run->arena, &client, &request, &answer, &err)) {
        /* no process listens, so the owner of the store is not a manager */
        run->err = err.code == CODE_R0015 ? run->err : err;
        return EXIT_CODE_UNAVAILABLE;
    }
    if (!json_parse(run->arena, answer.body, NULL, &doc, &err)) {
        run->err = err;
        return EXIT_CODE_FAULT;
    }
    run->err = (struct err){ 0 };
    if (answer.head.status != 200) {
        const struct doc *detail = doc_child(&doc, "detail");

        err_set(&run->err, answer.head.status == 404 ? CODE_R0403 : CODE_R0548, "%.*s",
                TEXT_ARG(doc_is_scalar(detail) ? detail->text : TEXT("the manager refuses")));
        return exit_of_kind(err_kind(&run->err));
    }
    report_show(&doc);
    return report_code(&doc);
}

/* ---- start and end ---- */

static void controller_wants(void *arg)
{
    (void)arg; /* each iteration runs the controller anyway */
}

/* Makes the store's descriptor wake the loop. */
MUST_CHECK static bool controller_main_loop_wire(struct run *run)
{
    if (!loop_open(&run->loop, &run->err) ||
        !loop_descriptor_open(run->loop, store_descriptor(run->store), store_is_ready, run,
                              &run->store_ready, &run->err)) {
        return false;
    }
    loop_descriptor_want(run->store_ready, LOOP_READABLE);
    return true;
}

MUST_CHECK static bool open_all(struct run *run)
{
    unsigned char incarnation[16];
    struct controller_options options;

    run->config.data = run->data;
    if (!store_check_embedded(&run->config, "reeve-controller", &run->err)) {
        return false;
    }
    random_fill(run->random, incarnation, sizeof(incarnation));
    if (!sqlite_open_brief(run->data, incarnation, &run->store, &run->err)) {
        return false;
    }
    if (!controller_main_loop_wire(run)) {
        return false;
    }
    run->cache = cache_new_latest(run->store, LIMIT_CACHE_CHANGES);
    run->vault = vault_open(&(struct vault_options){ .store = run->store,
                                                     .cache = run->cache,
                                                     .clock = run->clock,
                                                     .log = run->log,
                                                     .data = run->data,
                                                     .key = run->config.secret_key,
                                                     .is_reader = true });
    options = (struct controller_options){
        .store = run->store,
        .cache = run->cache,
        .clock = run->clock,
        .random = run->random,
        .log = run->log,
        .folder = run->data,
        .time_scale = run->time_scale,
        .is_single = true,
        .is_dry = run->is_dry,
        .loop = run->loop,
        .plugin_settings = &run->config.plugin_settings,
        .endpoints = &run->config.endpoints,
        .trusted = plugins_trusted_here,
        .vault = vault_hosted(run->vault),
        .keys = vault_keys(run->vault),
        .fetch = &run->config.fetch,
        .wake = controller_wants,
        .arg = run,
    };
    return controller_open(&options, &run->controller, &run->err);
}

static void close_all(struct run *run)
{
    controller_close(run->controller);
    while (!controller_is_over(run->controller)) {
        rest(run, WAIT_MS);
    }
    while (run->cache != NULL && cache_state(run->cache) == CACHE_LOADING) {
        rest(run, WAIT_MS);
        store_run(run->store);
        cache_run(run->cache);
    }
    cache_free(run->cache);
    loop_descriptor_close(run->store_ready);
    store_close(run->store);
    controller_free(run->controller);
    vault_close(run->vault);
    loop_close(run->loop);
}

/* Makes the pass in this process, or requests it from the owner of the store. If the owner does not
 * answer, it may have just ended, so the store is tried again. A second pass does no harm. */
static enum exit_code run_all(struct run *run)
{
    uint64_t now;
    /* set when an answer is first missing, because the request may have been sent minutes before */
    uint64_t deadline = 0;
    enum exit_code code;

    for (;;) {
        if (open_all(run)) {
            code = pass_make(run);
            code = code == EXIT_CODE_DONE ? run->code : code;
            break;
        }
        /* the store is in use or shared, so a manager makes the pass */
        if (run->err.code != CODE_R0507 && run->err.code != CODE_R0579) {
            code = exit_of_kind(err_kind(&run->err));
            break;
        }
        code = controller_main_pass_ask(run);
        now = clock_monotonic_ms(run->clock);
        deadline = deadline == 0 ? now + DAEMON_LOCK_PATIENCE_MS : deadline;
        if (code != EXIT_CODE_UNAVAILABLE || now >= deadline) {
            break;
        }
        (void)!poll(NULL, 0, DAEMON_LOCK_RETRY_MS);
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
    struct run run = {
        .tenant = "default", .time_scale = 1, .clock = clock_system(), .random = random_system()
    };
    enum exit_code code;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0 ||
            strcmp(argv[i], "--version") == 0) {
            printf("%s", strcmp(argv[i], "--version") != 0 ? help
                                                           : "reeve-controller " REEVE_VERSION
                                                             "\n");
            return EXIT_CODE_DONE;
        }
    }
    run.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    run.log = log_new(&(struct log_options){ .clock = run.clock,
                                             .identifier = "reeve-controller",
                                             .fd = STDERR_FILENO,
                                             .level = LOG_LEVEL_ERROR });
    code = controller_main_arguments_read(&run, argc, argv);
    if (code == EXIT_CODE_DONE) {
        code = config_take(&run) ? run_all(&run) : EXIT_CODE_INVALID;
    }
    err_show(&run.err);
    log_free(run.log);
    arena_free(run.arena);
    return (int)code;
}
