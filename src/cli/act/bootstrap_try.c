#include "cli/act/bootstrap_parts.h"
#include "cli/manager/entry.h"
#include "cli/manager/nodes.h"
#include "remote/bundle.h"
#include "session/script.h"
#include "sys/clock.h"
#include "sys/foreground.h"
#include "sys/pump.h"

enum {
    TRY_USUAL_MS = 30 * 60 * 1000, /* the default timeout of a stage */
    TRY_UNPREPARED = 201,          /* the machine could not prepare the run */
    /* exit codes of the bundle's script from this value on are reported as this value */
    TRY_LARGE = 200,
};

/* Script that the login user runs. $1 is the script for root, followed by its arguments. It
 * inserts the PID of its parent, the process that holds the connection, before them. */
static const char enter_script[] =
    "script=$1; shift; if [ \"$(id -u)\" = 0 ]; then exec sh -c \"$script\" reeve \"$PPID\" \"$@\"; fi; "
    "sudo -n true 2>/dev/null || { echo \"$(id -un) may not become root by sudo -n\" >&2; exit 201; }; "
    "exec sudo -n sh -c \"$script\" reeve \"$PPID\" \"$@\"";

/* Script that root runs, with the bundle on standard input. $1 is the process that holds the
 * connection, $2 the seconds, then the arguments of the bundle follow. The script runs the bundle
 * as remote/programs/run.sh runs a stage, in a temporary folder. When the connection ends,
 * everything is removed. */
static const char root_script[] =
    "watch=$1 limit=$2; shift 2; umask 077; "
    "dir=$(mktemp -d /var/tmp/reeve-try.XXXXXX) || exit 201; "
    "trap 'rm -rf -- \"$dir\"' EXIT; trap 'exit 129' HUP INT TERM; umask 022; "
    "{ mkdir \"$dir/stage\" && tar -xf - -C \"$dir/stage\" --no-same-owner --no-same-permissions; } || exit 201; "
    "home=$(getent passwd root | cut -d: -f6); "
    "env -i HOME=\"${home:-/root}\" USER=root LOGNAME=root SHELL=/bin/bash PATH=\"$PATH\" REEVE_STAGE=0 "
    "REEVE_ATTEMPT=1 timeout -k 10 \"$limit\" bash -l -c 'cd \"$0\" && exec bash bootstrap.sh \"$@\"' "
    "\"$dir/stage\" \"$@\" </dev/null 2>&1 & "
    "stage=$!; "
    "(while kill -0 \"$watch\"; do sleep 1; done; kill -TERM \"-$stage\"; sleep 5; kill -KILL \"-$stage\"; rm -rf -- \"$dir\") "
    "</dev/null >/dev/null 2>&1 & "
    "guard=$!; wait \"$stage\" 2>/dev/null; code=$?; kill \"$guard\"; "
    "[ \"$code\" -lt 200 ] || { echo \"exit code $code\" >&2; code=200; }; exit \"$code\"";

struct trying {
    struct command *command;
    struct bundle bundle;
    struct text cluster;
    struct text node;
    uint64_t limit_ms;
    uint64_t took_ms;
    const char *file; /* file with the bytes of the bundle */
};

/* ---- the bundle and the machine ---- */

static bool commands_read(struct trying *trying)
{
    struct command *command = trying->command;
    const char *node = args_value(&command->args, FLAG_BOOTSTRAP_NODE);
    const char *limit = args_named(&command->args, "timeout");
    struct err err;

    if (command_output_is(command, "json")) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                         "bootstrap try prints the output of the bundle directly and takes no -o"),
            "leave out -o json: the exit code of the command is the result");
    }
    if (node == NULL) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "the name of the machine is missing"),
                        "reeve bootstrap try FOLDER --node CLUSTER/NODE [-- ARGUMENT...]");
    }
    if (command->args.words_before > 2) {
        return err_hint(
            err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                         "unexpected argument '%s': arguments of the bundle come after --",
                         command->args.words[2]),
            "a bundle is tried on one machine: --node CLUSTER/NODE [-- ARGUMENT...]");
    }
    if (!nodes_word_read(command, node, "reeve bootstrap try FOLDER --node shop/web-0",
                         &trying->cluster, &trying->node) ||
        (limit != NULL &&
         !session_duration(command, text_from(limit), "--timeout", &trying->limit_ms))) {
        return false;
    }
    if (bundle_read(command->arena, BUNDLE_STAGE, command->args.words[1], &trying->bundle, &err)) {
        return true;
    }
    if (err.code != CODE_R0011) {
        err_note(&err, "this concerns '%s'", command->args.words[1]);
    }
    err_list_add(&command->errors, &err);
    return false;
}

/* ---- trying ---- */

/* Return the command as one line that every login shell of a machine understands. */
static const char *bootstrap_try_line_make(const struct trying *trying)
{
    const struct args *args = &trying->command->args;
    struct arena *arena = trying->command->arena;
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "exec sh -c ");
    buf_add(&buf, script_quote(arena, text_from(enter_script)));
    buf_add_string(&buf, " reeve ");
    buf_add(&buf, script_quote(arena, text_from(root_script)));
    buf_printf(&buf, " %llu", (unsigned long long)(trying->limit_ms + 999) / 1000);
    for (size_t i = 2; i < args->argument_count; i++) {
        buf_add_string(&buf, " ");
        buf_add(&buf, script_quote(arena, text_from(args->words[i])));
    }
    return arena_string(arena, buf_text(&buf));
}

MUST_CHECK static bool try_run(struct trying *trying, struct pump_end *out, struct err *err)
{
    const char *from[] = { "cat", "--", trying->file, NULL };
    const char *to[] = { "ssh", "-F", NULL, "--", NULL, NULL, NULL };
    uint64_t begun_ms = clock_monotonic_ms(clock_system());
    struct pump pump = { .from = from, .to = to };
    struct entry entry;
    bool is_run;

    if (!entry_open(trying->command, trying->cluster, trying->node, &entry)) {
        *out = (struct pump_end){ .to_code = -1 };
        return true;
    }
    trying->cluster = entry.cluster;
    to[2] = entry_config(&entry);
    to[4] = entry_host(&entry);
    to[5] = bootstrap_try_line_make(trying);
    command_flush(trying->command);
    is_run = pump_run(&pump, out, err);
    entry_close(&entry);
    trying->took_ms = clock_monotonic_ms(clock_system()) - begun_ms;
    return is_run;
}

/* ---- the result ---- */

static enum exit_code bootstrap_try_end_judge(struct trying *trying, const struct pump_end *end)
{
    struct command *command = trying->command;
    int code = end->to_code;
    struct err *err;

    if (end->is_interrupted) {
        return EXIT_CODE_INTERRUPTED;
    }
    if (code > TRY_LARGE) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0813,
                           "the bundle could not be tried on %.*s/%.*s", TEXT_ARG(trying->cluster),
                           TEXT_ARG(trying->node));
        (void)!err_hint(err, "the lines above show the reason; reeve ssh %.*s/%.*s",
                        TEXT_ARG(trying->cluster), TEXT_ARG(trying->node));
        return EXIT_CODE_FAILED;
    }
    if (code != 0) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0812,
                           "the bundle failed on %.*s/%.*s: exit code %d%s",
                           TEXT_ARG(trying->cluster), TEXT_ARG(trying->node), code,
                           code == TRY_LARGE ? " or more" : "");
        if (trying->limit_ms > 0 && trying->took_ms >= trying->limit_ms) {
            (void)!err_hint(err, "the bundle exceeded --timeout (default 30m)");
        }
        return EXIT_CODE_FAILED;
    }
    buf_printf(&command->notes,
               "the bundle succeeded on %.*s/%.*s in %llu s; nothing was recorded on the machine\n",
               TEXT_ARG(trying->cluster), TEXT_ARG(trying->node),
               (unsigned long long)(trying->took_ms + 500) / 1000);
    return EXIT_CODE_DONE;
}

enum exit_code bootstrap_try(struct command *command)
{
    struct trying trying = { .command = command, .limit_ms = TRY_USUAL_MS };
    struct pump_end end;
    struct err err;
    bool is_run;

    if (!commands_read(&trying)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    if (!foreground_file_make(command->arena, ".tar", trying.bundle.bytes, &trying.file, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    is_run = try_run(&trying, &end, &err);
    foreground_file_remove(trying.file);
    if (!is_run) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    return end.to_code < 0 ? EXIT_CODE_FAILED : bootstrap_try_end_judge(&trying, &end);
}
