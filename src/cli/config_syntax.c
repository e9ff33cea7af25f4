#include "cli/config_parts.h"
#include "playbook/unpack.h"
#include "sys/child.h"
#include "sys/loop.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* public names start with: config_ */

/* reeve config check and push: ansible-playbook --syntax-check over the playbooks of a repository,
 * where ansible-playbook is installed. The checked files come from the archive, not from the
 * folder. */

enum {
    SYNTAX_DEADLINE_MS = 60 * 1000,
    SYNTAX_GRACE_MS = 1000,
    SYNTAX_OUTPUT_BYTES = 64 * 1024,
    SYNTAX_DESCRIPTORS = 16,
};

#define ANSIBLE "/usr/bin/ansible-playbook"

struct syntax_run {
    struct arena *arena;
    struct text words;
    int code;
    bool is_ended;
    bool is_late;
};

static void syntax_ended(void *arg, const struct child_end *end)
{
    struct syntax_run *run = arg;

    run->words = arena_printf(run->arena, "%.*s\n%.*s", TEXT_ARG(end->output[CHILD_ERROR]),
                              TEXT_ARG(end->output[CHILD_OUT]));
    run->code = end->code;
    run->is_late = end->is_late;
    run->is_ended = true;
}

/* Runs ansible-playbook to its end. Returns false if it cannot be started. */
MUST_CHECK static bool syntax_run(struct arena *arena, const char *folder, struct text playbook,
                                  struct syntax_run *out, struct err *err)
{
    const char *const argv[] = { "ansible-playbook",
                                 "-i",
                                 "localhost,",
                                 "--syntax-check",
                                 arena_string(arena, playbook),
                                 NULL };
    const char *const envp[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "LC_ALL=C.UTF-8",
        "ANSIBLE_NOCOLOR=1",
        "PYTHONDONTWRITEBYTECODE=1",
        arena_string(arena, arena_printf(arena, "HOME=%s/home", folder)),
        arena_string(arena, arena_printf(arena, "ANSIBLE_LOCAL_TEMP=%s/home", folder)),
        NULL,
    };
    struct child_options options = {
        .path = ANSIBLE,
        .argv = argv,
        .envp = envp,
        .folder = arena_string(arena, arena_printf(arena, "%s/files", folder)),
        .deadline_ms = SYNTAX_DEADLINE_MS,
        .grace_ms = SYNTAX_GRACE_MS,
        .output_max = SYNTAX_OUTPUT_BYTES,
        .done = syntax_ended,
        .arg = out,
        .is_killed_with_parent = true,
    };
    AUTO(loop) loop = NULL;
    struct child *child;

    *out = (struct syntax_run){ .arena = arena, .code = -1 };
    if (!loop_open(&loop, err) || !child_start(loop, &options, &child, err)) {
        return false;
    }
    while (!out->is_ended) {
        loop_run_once(loop, SYNTAX_DEADLINE_MS);
    }
    return true;
}

/* Returns the text between the delimiters `before` and `after`; empty if there is none. */
static struct text text_between(struct text words, const char *before, const char *after)
{
    const char *start = memmem(words.data, words.length, before, strlen(before));
    struct text rest;
    const char *end;

    if (start == NULL) {
        return TEXT("");
    }
    rest = text_slice(words, (size_t)(start - words.data) + strlen(before), SIZE_MAX);
    end = memmem(rest.data, rest.length, after, strlen(after));
    return end == NULL ? TEXT("") : text_slice(rest, 0, (size_t)(end - rest.data));
}

/* Reports the error at FILE:LINE:COLUMN of the repository. Ansible says
 * "ERROR! MESSAGE ... The error appears to be in 'PATH': line 5, column 7, but may ...". */
static void syntax_report(struct arena *arena, const char *folder, struct text playbook,
                          const struct syntax_run *run, struct err_list *errors)
{
    struct text top = arena_printf(arena, "%s/files/", folder);
    struct text message = text_between(run->words, "ERROR! ", "\n");
    struct text path = text_between(run->words, "appears to be in '", "': line ");
    struct text line = text_between(run->words, "': line ", ", column ");
    struct text column = text_between(run->words, ", column ", ",");

    path = text_has_prefix(path, top) ? text_slice(path, top.length, SIZE_MAX) : path;
    if (path.length == 0) {
        path = playbook;
    }
    err_hint(err_list_set(errors, (struct place){ 0 }, CODE_R0828, "%.*s%s%.*s%s%.*s: %.*s",
                          TEXT_ARG(path), line.length > 0 ? ":" : "", TEXT_ARG(line),
                          column.length > 0 ? ":" : "", TEXT_ARG(column),
                          TEXT_ARG(run->is_late          ? TEXT("the check took too long")
                                   : message.length == 0 ? TEXT("ansible-playbook rejects it")
                                                         : message)),
             "ansible-playbook --syntax-check %.*s shows the same", TEXT_ARG(playbook));
}

static int syntax_remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    (void)!remove(path);
    return 0;
}

static bool syntax_folders_make(struct arena *arena, const char *folder)
{
    return mkdir(arena_string(arena, arena_printf(arena, "%s/home", folder)), 0700) == 0 &&
           mkdir(arena_string(arena, arena_printf(arena, "%s/files", folder)), 0755) == 0;
}

bool config_syntax_check(struct arena *arena, struct text archive, const struct doc *hooks,
                         struct err_list *errors)
{
    size_t before = errors->count;
    char folder[] = "/tmp/reeve-config-XXXXXX";
    struct syntax_run run;
    struct err err;

    if (!doc_is_map(hooks) || access(ANSIBLE, X_OK) != 0 || mkdtemp(folder) == NULL) {
        /* no separate report is needed, because the run of the playbook reports the error */
        return true;
    }
    if (syntax_folders_make(arena, folder) &&
        unpack_archive(archive, arena_string(arena, arena_printf(arena, "%s/files", folder)),
                       &err)) {
        for (size_t i = 0; i < hooks->entry_count; i++) {
            struct text playbook = hooks->entries[i].value.text;

            if (syntax_run(arena, folder, playbook, &run, &err) && run.code != 0) {
                syntax_report(arena, folder, playbook, &run, errors);
            }
        }
    }
    (void)!nftw(folder, syntax_remove_one, SYNTAX_DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return errors->count == before;
}
