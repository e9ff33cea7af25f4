/* reeved: the manager. Arguments override the configuration file, which overrides the defaults. The
 * manager serves until it is stopped. */
#include "base/exits.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/suggest.h"
#include "cli/term/report.h"
#include "codec/json.h"
#include "daemon/daemon.h"
#include "daemon/maintenance.h"
#include "daemon/config/public_url.h"
#include "installation/installation.h"
#include "model/scalar.h"
#include "sys/process.h"
#include "sys/stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum flag {
    FLAG_CHECK_CONFIG,
    FLAG_CHECK_INSTALLATION,
    FLAG_CONFIG,
    FLAG_DATA,
    FLAG_TIME_SCALE,
    FLAG_HELP,
    FLAG_JOIN,
    FLAG_JOIN_TOKEN,
    FLAG_LISTEN_PLAIN,
    FLAG_MOVE_STORE,
    FLAG_NO_CONTROL,
    FLAG_PUBLIC_URL,
    FLAG_REPLACE,
    FLAG_RESTORE,
    FLAG_REWRAP,
    FLAG_SECRET_KEY,
    FLAG_SOCKET,
    FLAG_UI_DIR,
    FLAG_VERSION,
    FLAG_COUNT,
};

static const struct {
    const char *name;
    const char *value; /* name of the value in the help; NULL: the flag takes no value */
    const char *help;
} flags[FLAG_COUNT] = {
    [FLAG_CHECK_CONFIG] = { "--check-config", NULL,
                            "check the configuration, show its errors, and exit" },
    [FLAG_CHECK_INSTALLATION] = { "--check-installation", NULL,
                                  "check programs, files and machine, show the findings as JSON, and exit" },
    [FLAG_CONFIG] = { "--config", "FILE", "read this configuration, YAML or JSON" },
    [FLAG_DATA] = { "--data", "DIR", "folder of the store (/var/lib/reeve)" },
    [FLAG_TIME_SCALE] = { "--haste", "N",
                          "for tests: make waiting times N times shorter, up to 100" },
    [FLAG_HELP] = { "--help", NULL, "show this" },
    [FLAG_JOIN] = { "--join", NULL,
                    "take the keys of another manager by a token from standard input, and exit" },
    [FLAG_JOIN_TOKEN] = { "--join-token", "TIME",
                          "print a token for --join on another host, valid for TIME, and exit" },
    [FLAG_LISTEN_PLAIN] = { "--listen-plain", "ADDRESS:PORT",
                            "also listen for HTTP without TLS, on loopback only" },
    [FLAG_MOVE_STORE] = { "--move-store", "ENGINE",
                          "move the store to managed or etcd, or back to sqlite, and exit" },
    [FLAG_NO_CONTROL] = { "--no-control", NULL,
                          "reconcile no cluster: no machine is created or destroyed" },
    [FLAG_PUBLIC_URL] = { "--public-url", "URL",
                          "address for browsers, if behind a proxy: https://reeve.example" },
    [FLAG_REPLACE] = { "--replace", NULL,
                       "with --restore: replace an existing store, which is kept" },
    [FLAG_RESTORE] = { "--restore", "FILE",
                       "create the store from a backup while no manager runs, and exit" },
    [FLAG_REWRAP] = { "--rewrap", "FILE",
                      "seal all secrets with the key in FILE (created if missing), and exit" },
    [FLAG_SECRET_KEY] = { "--secret-key", "FILE",
                          "the key that seals secrets (beside the store: DIR.key)" },
    [FLAG_SOCKET] = { "--socket", "PATH", "listen at this unix socket (/run/reeve/reeved.sock)" },
    [FLAG_UI_DIR] = { "--ui-dir", "DIR",
                      "for development of the web page: use the files of this folder instead of the built-in files" },
    [FLAG_VERSION] = { "--version", NULL, "show the version" },
};

/* One run of the program. */
struct run {
    struct arena *arena;
    struct source_set sources;
    struct err_list errors;
    struct style style;
    const char *values[FLAG_COUNT]; /* NULL: not given; "": a flag without a value was given */
};

/* ---- arguments ---- */

static void flag_unknown(struct run *run, struct text name)
{
    struct suggest suggest = suggest_start(name);
    struct err *err = err_list_set(&run->errors, (struct place){ 0 }, CODE_R0002,
                                   "reeved has no flag '%.*s'", TEXT_ARG(name));

    for (size_t i = 0; i < FLAG_COUNT; i++) {
        suggest_offer(&suggest, text_from(flags[i].name));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeved --help lists the flags");
    }
}

/* Parses the flag --name value or --name=value. Returns the number of arguments used. */
static int flag_take(struct run *run, char **arguments, int left)
{
    struct text argument = text_from(arguments[0]);
    size_t equals = text_find_byte(argument, '=');
    struct text name = text_slice(argument, 0, equals);

    for (size_t i = 0; i < FLAG_COUNT; i++) {
        if (!text_is(name, flags[i].name) && !(i == FLAG_HELP && text_is(name, "-h"))) {
            continue;
        }
        if (flags[i].value == NULL) {
            run->values[i] = "";
            return 1;
        }
        if (equals != SIZE_MAX) {
            run->values[i] = arguments[0] + equals + 1;
            return 1;
        }
        if (left < 2) {
            err_list_set(&run->errors, (struct place){ 0 }, CODE_R0003, "%s needs a value: %s",
                         flags[i].name, flags[i].value);
            return 1;
        }
        run->values[i] = arguments[1];
        return 2;
    }
    flag_unknown(run, name);
    return 1;
}

/* ---- output ---- */

static void text_show(struct text text, bool is_error)
{
    struct err err;

    /* there is no other place to report the failure */
    (void)!(is_error ? stream_write_error(text, &err) : stream_write_out(text, &err));
}

static void errors_show(struct run *run)
{
    struct report report = {
        .arena = run->arena,
        .sources = &run->sources,
        .style = &run->style,
        .format = REPORT_TEXT,
    };
    struct buf buf;

    buf_init(&buf, run->arena);
    report_write(&report, &run->errors, &buf);
    text_show(buf_text(&buf), true);
}

static void help_show(struct run *run)
{
    struct buf buf;

    buf_init(&buf, run->arena);
    buf_add_string(
        &buf,
        "reeved: the manager of reeve. It keeps the store and provides the API.\n\nUsage: reeved [FLAG...]\n\n");
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        size_t length = strlen(flags[i].name);

        buf_printf(&buf, "  %s", flags[i].name);
        if (flags[i].value != NULL) {
            buf_printf(&buf, " %s", flags[i].value);
            length += 1 + strlen(flags[i].value);
        }
        buf_printf(&buf, "%*s%s\n", length < 30 ? (int)(30 - length) : 1, "", flags[i].help);
    }
    buf_add_string(&buf,
                   "\nSignals: SIGTERM and SIGINT end it after all requests, SIGHUP reloads the "
                   "configuration.\n");
    text_show(buf_text(&buf), false);
}

/* ---- configuration ---- */

/* Parses the value of --haste, the time scale. Fails if it is not in the range. */
MUST_CHECK static bool time_scale_read(const char *value, struct config *out, struct err *err)
{
    int64_t times = 0;

    if (!text_parse_int64(text_from(value), &times) || times < 1 || times > 100) {
        return err_set(err, CODE_R0004, "--haste must be a number from 1 to 100, not '%s'", value);
    }
    out->time_scale = (uint32_t)times;
    return true;
}

/* Reads the environment variables that configure the addresses of plugins (K11). The configuration
 * file overrides them. */
static void surroundings_read(struct run *run, struct config *out)
{
    const char *releases = getenv("REEVE_RELEASE_HOST");
    const char *folder = getenv("REEVE_PLUGIN_PATH");
    struct err err;

    if (releases != NULL && releases[0] != '\0' &&
        !config_releases(out, run->arena, text_from(releases), &err)) {
        err_at(&err, TEXT("REEVE_RELEASE_HOST"));
        err_list_add(&run->errors, &err);
    }
    if (folder != NULL && folder[0] != '\0') {
        out->fetch.folder = folder;
    }
}

static bool config_make(struct run *run, struct config *out)
{
    struct err err;

    *out = config_defaults();
    surroundings_read(run, out);
    if (run->values[FLAG_CONFIG] != NULL) {
        config_read(run->arena, &run->sources, run->values[FLAG_CONFIG], out, &run->errors);
    }
    if (run->values[FLAG_DATA] != NULL) {
        out->data = run->values[FLAG_DATA];
    }
    if (run->values[FLAG_SECRET_KEY] != NULL) {
        out->secret_key = run->values[FLAG_SECRET_KEY];
    }
    if (run->values[FLAG_TIME_SCALE] != NULL &&
        !time_scale_read(run->values[FLAG_TIME_SCALE], out, &err)) {
        err_list_add(&run->errors, &err);
    }
    out->ui_dir = run->values[FLAG_UI_DIR];
    out->has_control = out->has_control && run->values[FLAG_NO_CONTROL] == NULL;
    if (run->values[FLAG_SOCKET] != NULL) {
        out->socket = run->values[FLAG_SOCKET];
    }
    if (run->values[FLAG_LISTEN_PLAIN] != NULL &&
        !config_listen_plain(out, text_from(run->values[FLAG_LISTEN_PLAIN]), &err)) {
        err_at(&err, TEXT("--listen-plain"));
        err_list_add(&run->errors, &err);
    }
    if (run->values[FLAG_PUBLIC_URL] != NULL &&
        !public_url_parse(run->arena, text_from(run->values[FLAG_PUBLIC_URL]), &out->public_url,
                          &err)) {
        err_at(&err, TEXT("--public-url"));
        err_list_add(&run->errors, &err);
    }
    return run->errors.errors == 0;
}

static bool reload(void *arg, struct config *out)
{
    struct run *run = arg;

    source_set_init(&run->sources, run->arena);
    err_list_init(&run->errors, run->arena);
    if (config_make(run, out)) {
        return true;
    }
    errors_show(run);
    return false;
}

/* ---- one run ---- */

static int daemon_refuse(struct run *run)
{
    errors_show(run);
    return (int)exit_of_errors(&run->errors, false);
}

static int live(struct run *run, const struct config *config)
{
    struct daemon_options options = {
        .config = config,
        .trusted = plugins_trusted_here,
        .config_path = run->values[FLAG_CONFIG],
        .notify_socket = getenv("NOTIFY_SOCKET"),
        .journal_stream = getenv("JOURNAL_STREAM"),
        .reload = reload,
        .arg = run,
    };
    struct daemon *daemon;
    struct err err;

    if (!daemon_open(&options, &daemon, &err)) {
        err_list_add(&run->errors, &err);
        return daemon_refuse(run);
    }
    if (!daemon_run(daemon)) {
        _Exit(EXIT_CODE_FAILED);
    }
    daemon_close(daemon);
    return EXIT_CODE_DONE;
}

/* Seals all secrets with another key. No manager may have the store open. */
static int rewrap(struct run *run, const struct config *config)
{
    const char *path = run->values[FLAG_REWRAP];
    size_t count = 0;
    struct err err;

    if (!rewrap_run(config, path, &count, &err)) {
        err_list_add(&run->errors, &err);
        return daemon_refuse(run);
    }
    text_show(arena_printf(run->arena,
                           "%zu values were sealed again; from now on: reeved --secret-key %s\n",
                           count, path),
              false);
    return EXIT_CODE_DONE;
}

static int join_fail(struct run *run, const struct err *err)
{
    err_list_add(&run->errors, err);
    return daemon_refuse(run);
}

static void move_step_show(void *arg, struct text line)
{
    const struct run *run = arg;

    text_show(arena_printf(run->arena, "%.*s\n", TEXT_ARG(line)), true);
}

/* Moves the store to another engine. No manager may have the store open. */
static int move_store(struct run *run, const struct config *config)
{
    struct text to = text_from(run->values[FLAG_MOVE_STORE]);
    bool is_to_managed = text_is(to, "managed");
    bool is_to_etcd = is_to_managed || text_is(to, "etcd");
    struct relocate_result result;
    struct err err;

    if (!is_to_etcd && !text_is(to, "sqlite")) {
        err_set(&err, CODE_R0004, "a store moves to managed, etcd or sqlite, not to '%.*s'",
                TEXT_ARG(to));
        return join_fail(run, &err);
    }
    if (config->store.is_etcd && is_to_etcd && is_to_managed != (config->store.managed != NULL)) {
        err_set(&err, CODE_R0582, "the store in the configuration is not %.*s", TEXT_ARG(to));
        err_hint(&err, is_to_managed ? "set store: managed in reeved.yaml"
                                     : "set store: {etcd: {endpoints: [...]}} in reeved.yaml");
        return join_fail(run, &err);
    }
    if (!move_store_run(config, is_to_etcd, move_step_show, run, &result, &err)) {
        return join_fail(run, &err);
    }
    text_show(arena_printf(run->arena,
                           result.objects == 0
                               ? "the store has moved to %s\n"
                               : "the store has moved to %s: %llu objects, %llu events, "
                                 "revision %llu\n",
                           is_to_managed ? "the managed store"
                           : is_to_etcd  ? "etcd"
                                         : config->data,
                           (unsigned long long)result.objects, (unsigned long long)result.events,
                           (unsigned long long)result.revision),
              false);
    text_show(is_to_etcd ? TEXT("start the manager of this host first: systemctl start reeved\n")
                         : TEXT("set store: sqlite in reeved.yaml, then: systemctl start reeved\n"),
              false);
    return EXIT_CODE_DONE;
}

/* Creates the store from a backup. No manager may have the store open. */
static int restore(struct run *run, const struct config *config)
{
    struct restore_result result;
    struct err err;

    if (!restore_run(config, run->values[FLAG_RESTORE], run->values[FLAG_REPLACE] != NULL, &result,
                     &err)) {
        err_list_add(&run->errors, &err);
        return daemon_refuse(run);
    }
    text_show(arena_printf(
                  run->arena,
                  "%s has the store of revision %llu%s\n"
                  "every cluster is held until you approve: start reeved, then\n"
                  "  reeve get holds\n"
                  "  reeve hold approve CLUSTER:store_went_back\n",
                  config->store.managed != NULL ? "the managed store"
                  : config->store.is_etcd       ? "etcd"
                                                : config->data,
                  (unsigned long long)result.revision,
                  result.is_replaced ? "; the previous store is kept in store.before-restore" : ""),
              false);
    return EXIT_CODE_DONE;
}

/* ---- keys for another host ---- */

static int join_token(struct run *run, const struct config *config)
{
    const char *value = run->values[FLAG_JOIN_TOKEN];
    struct text token;
    uint64_t ttl_ms;
    struct err err;

    if (!scalar_parse_duration(text_from(value), &ttl_ms) || ttl_ms < JOIN_TTL_MIN_MS ||
        ttl_ms > JOIN_TTL_MAX_MS) {
        err_set(&err, CODE_R0004, "the time of a token is 1s to 1d, not '%s'", value);
        return join_fail(run, &err);
    }
    if (!join_token_make(config, ttl_ms, run->arena, &token, &err)) {
        return join_fail(run, &err);
    }
    text_show(arena_printf(run->arena, "%.*s\n", TEXT_ARG(token)), false);
    text_show(arena_printf(run->arena,
                           "valid once, for %s; on the new host, as root, before its manager "
                           "starts:\n  reeve manager join TOKEN\n",
                           value),
              true);
    return EXIT_CODE_DONE;
}

static void join_key_show(const struct run *run, const char *what, const char *id,
                          const char *former)
{
    text_show(id[0] == '\0'
                  ? arena_printf(run->arena, "%s: the other manager has no such key yet\n", what)
                  : arena_printf(
                        run->arena, "%s: the key %s%s%s\n", what, id,
                        former[0] == '\0' ? "" : "; the previous key is in a file that ends in .",
                        former),
              false);
}

static int join(struct run *run, const struct config *config)
{
    char token[JOIN_TOKEN_BYTES];
    struct join_result result;
    struct err err;
    size_t length = fread(token, 1, sizeof(token), stdin);
    bool is_done = join_run(config, (struct text){ token, length }, &result, &err);

    secret_wipe(token, sizeof(token));
    if (!is_done) {
        return join_fail(run, &err);
    }
    join_key_show(run, "secrets", result.secrets, result.former_secrets);
    join_key_show(run, "authorities", result.signer, result.former_signer);
    text_show(TEXT("start the manager of this host: systemctl start reeved\n"), false);
    return EXIT_CODE_DONE;
}

/* ---- the check of the installation ---- */

static const char *key_path(const struct run *run, const struct config *config, const char *what)
{
    struct text data = text_from(config->data);

    while (data.length > 1 && data.data[data.length - 1] == '/') {
        data.length--;
    }
    return arena_string(run->arena, arena_printf(run->arena, "%.*s.%s", TEXT_ARG(data), what));
}

static void findings_show(const struct run *run, const struct installation_report *report)
{
    struct doc *items = arena_array(run->arena, struct doc, report->count + 1);
    struct doc list;
    struct buf buf;

    for (size_t i = 0; i < report->count; i++) {
        const struct installation_finding *finding = &report->items[i];
        struct doc_builder builder;

        doc_builder_init(&builder, run->arena);
        doc_builder_put(&builder, "ok", doc_bool(!finding->is_wrong, NULL));
        doc_builder_put(&builder, "what", doc_text(finding->what, NULL));
        doc_builder_put(&builder, "fix", doc_text(finding->fix, NULL));
        items[i] = doc_builder_map(&builder, NULL);
    }
    list = doc_list(items, report->count, NULL);
    buf_init(&buf, run->arena);
    json_format_pretty(&buf, &list);
    text_show(buf_text(&buf), false);
}

/* Checks the conditions that the manager needs on this host, without changing anything. `reeve
 * doctor` calls it. */
static int installation_show(const struct run *run, const struct config *config)
{
    struct installation_certificate certificates[CONFIG_LISTENERS_MAX];
    struct installation_report report;
    struct installation_facts facts = {
        .config = run->values[FLAG_CONFIG],
        .data = config->data,
        .keys = { config->secret_key != NULL ? config->secret_key : key_path(run, config, "key"),
                  key_path(run, config, "signer.key") },
        .key_count = 2,
        .socket = config->socket,
        .socket_group = config->socket_group,
        .ansible = config->playbook.ansible,
        .certificates = certificates,
    };

    for (size_t i = 0; i < config->listener_count; i++) {
        if (!config->listeners[i].is_plain) {
            certificates[facts.certificate_count++] =
                (struct installation_certificate){ config->listeners[i].certificate,
                                                   config->listeners[i].key };
        }
    }
    installation_report_init(&report, run->arena);
    installation_check(&report, &facts);
    findings_show(run, &report);
    return report.has_wrong ? EXIT_CODE_FAILED : EXIT_CODE_DONE;
}

int main(int argc, char **argv)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct run run = { .arena = arena };
    struct config config;

    heap_prepare();
    stream_prepare();
    source_set_init(&run.sources, arena);
    err_list_init(&run.errors, arena);
    run.style = style_decide(&(struct style_facts){ .is_terminal = stream_is_terminal_error(),
                                                    .columns = stream_columns_error(),
                                                    .no_color = getenv("NO_COLOR"),
                                                    .term = getenv("TERM"),
                                                    .locale = getenv("LC_ALL") });
    for (int i = 1; i < argc;) {
        i += flag_take(&run, argv + i, argc - i);
    }
    if (run.errors.errors > 0) {
        return daemon_refuse(&run);
    }
    if (run.values[FLAG_HELP] != NULL) {
        help_show(&run);
        return EXIT_CODE_DONE;
    }
    if (run.values[FLAG_VERSION] != NULL) {
        text_show(TEXT("reeved " REEVE_VERSION "\n"), false);
        return EXIT_CODE_DONE;
    }
    if (!config_make(&run, &config)) {
        return daemon_refuse(&run);
    }
    if (run.values[FLAG_CHECK_CONFIG] != NULL) {
        text_show(TEXT("the configuration is well-formed\n"), false);
        return EXIT_CODE_DONE;
    }
    if (run.values[FLAG_CHECK_INSTALLATION] != NULL) {
        return installation_show(&run, &config);
    }
    if (run.values[FLAG_RESTORE] != NULL) {
        return restore(&run, &config);
    }
    if (run.values[FLAG_MOVE_STORE] != NULL) {
        return move_store(&run, &config);
    }
    if (run.values[FLAG_JOIN_TOKEN] != NULL) {
        return join_token(&run, &config);
    }
    if (run.values[FLAG_JOIN] != NULL) {
        return join(&run, &config);
    }
    return run.values[FLAG_REWRAP] != NULL ? rewrap(&run, &config) : live(&run, &config);
}
