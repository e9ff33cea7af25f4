/* The programs of reeve call each other, so they must have the same version. */
#include "base/limits.h"
#include "installation/installation.h"
#include "sys/child.h"
#include "sys/process.h"

#include <string.h>
#include <unistd.h>

/* ---- running a program ---- */

struct run_wait {
    struct loop *loop;
    struct arena *arena;
    struct text out;
    int code;
};

static void on_run_end(void *arg, const struct child_end *end)
{
    struct run_wait *wait = arg;

    wait->code = end->code;
    wait->out = arena_text(wait->arena, end->output[CHILD_OUT]);
    loop_stop(wait->loop);
}

bool installation_run(struct arena *arena, const char *const *argv, struct text *out, int *out_code,
                      struct err *err)
{
    struct run_wait wait = { .arena = arena, .code = -1 };
    struct child_options options = {
        .path = argv[0],
        .argv = argv,
        .deadline_ms = LIMIT_INSTALLATION_RUN_MS,
        .grace_ms = LIMIT_INSTALLATION_GRACE_MS,
        .output_max = LIMIT_INSTALLATION_OUTPUT_BYTES,
        .done = on_run_end,
        .arg = &wait,
    };
    AUTO(loop) loop = NULL;
    struct child *child;

    if (!loop_open(&loop, err)) {
        return false;
    }
    wait.loop = loop;
    if (!child_start(loop, &options, &child, err)) {
        return false;
    }
    loop_run(loop);
    *out = wait.out;
    *out_code = wait.code;
    return true;
}

/* ---- versions ---- */

/* Returns the version that a program prints after its name. Empty: the program prints something
 * else. */
static struct text version_of(struct arena *arena, const char *path, const char *name)
{
    const char *const argv[] = { path, strcmp(name, "reeve") == 0 ? "version" : "--version", NULL };
    struct text front = arena_printf(arena, "%s ", name);
    struct text out = TEXT("");
    struct err err;
    int code;

    if (!installation_run(arena, argv, &out, &code, &err) || code != 0 ||
        !text_has_prefix(out, front)) {
        return TEXT("");
    }
    return text_trim(text_slice(out, front.length, out.length - front.length));
}

static bool program_check(struct installation_report *report, struct text folder, const char *name)
{
    struct arena *arena = report->arena;
    const char *path = arena_string(arena, arena_printf(arena, "%.*s/%s", TEXT_ARG(folder), name));
    struct text fix = TEXT("install all programs of one version: sudo apt-get install --reinstall "
                           "reeve reeved reeve-plugins");
    struct text version;

    if (access(path, X_OK) != 0) {
        installation_add(
            report, true,
            arena_printf(arena, "the program %s is missing in %.*s", name, TEXT_ARG(folder)), fix);
        return false;
    }
    version = version_of(arena, path, name);
    if (text_is(version, REEVE_VERSION)) {
        return true;
    }
    installation_add(report, true,
                     arena_printf(arena, "%s is of version %.*s, and reeved of " REEVE_VERSION,
                                  path, TEXT_ARG(version.length == 0 ? TEXT("unknown") : version)),
                     fix);
    return false;
}

void installation_programs_check(struct installation_report *report)
{
    static const char *const names[] = { "reeve",          "reeve-controller", "reeve-fetch",
                                         "reeve-playbook", "reeve-host",       "reeve-session",
                                         "reeve-signer",   "reeve-store" };
    struct text folder = process_folder(report->arena);
    bool is_whole = true;

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        is_whole = program_check(report, folder, names[i]) && is_whole;
    }
    if (is_whole) {
        installation_add(report, false,
                         arena_printf(report->arena,
                                      "the programs in %.*s are of version " REEVE_VERSION,
                                      TEXT_ARG(folder)),
                         TEXT(""));
    }
}
