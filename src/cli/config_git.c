#include "cli/config_parts.h"
#include "remote/bounds.h"
#include "sys/child.h"
#include "sys/loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* public names start with: config_ */

/* reeve config push DIR --ref COMMIT: gets the files of a commit from git archive. */

enum { GIT_DEADLINE_MS = 5 * 60 * 1000, GIT_GRACE_MS = 1000, GIT_WORDS_BYTES = 400 };

struct git_run {
    struct loop *loop;
    struct buf archive;
    struct buf words; /* standard error of git */
    int code;
    bool is_ended;
    bool is_late;
    bool is_large;
};

static void config_git_output(void *arg, enum child_stream stream, struct text piece)
{
    struct git_run *run = arg;

    if (stream == CHILD_ERROR) {
        buf_add(&run->words, text_slice(piece, 0, GIT_WORDS_BYTES));
    } else if (run->archive.length + piece.length > REMOTE_BUNDLE_BYTES) {
        run->is_large = true;
    } else {
        buf_add(&run->archive, piece);
    }
}

static void config_git_ended(void *arg, const struct child_end *end)
{
    struct git_run *run = arg;

    run->code = end->code;
    run->is_late = end->is_late;
    run->is_ended = true;
}

/* Return the path of git in PATH. Empty: it is not installed. */
static struct text config_git_find(struct arena *arena)
{
    const char *value = getenv("PATH");
    struct text rest = text_from(value == NULL ? "/usr/local/bin:/usr/bin:/bin" : value);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, ':');
        struct text path = arena_printf(arena, "%.*s/git", TEXT_ARG(text_slice(rest, 0, end)));

        if (path.data[0] == '/' && access(path.data, X_OK) == 0) {
            return path;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return TEXT("");
}

MUST_CHECK static bool config_git_judge(const struct git_run *run, const char *folder,
                                        const char *ref, struct text words, struct err *err)
{
    if (run->is_large) {
        return err_set(err, CODE_R0725, "the archive is larger than %d bytes", REMOTE_BUNDLE_BYTES);
    }
    if (run->is_late || run->code != 0) {
        size_t end = text_find_byte(words, '\n');

        err_set(err, CODE_R0011, "git archive %s in '%s' failed: %.*s", ref, folder,
                TEXT_ARG(run->is_late ? TEXT("it took too long") : text_slice(words, 0, end)));
        return err_hint(err, "--ref is a commit, a tag or a branch of the repository");
    }
    return true;
}

bool config_git_archive(struct arena *arena, const char *folder, const char *ref, struct text *out,
                        struct err *err)
{
    struct text git = config_git_find(arena);
    const char *argv[] = { "git", "-C", folder, "archive", "--format=tar", "--", ref, NULL };
    const char *home = getenv("HOME");
    const char *envp[] = { arena_string(arena,
                                        arena_printf(arena, "HOME=%s", home == NULL ? "/" : home)),
                           "LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
    struct git_run run = { .code = -1 };
    struct child_options options = {
        .path = git.data,
        .argv = argv,
        .envp = envp,
        .folder = ".",
        .deadline_ms = GIT_DEADLINE_MS,
        .grace_ms = GIT_GRACE_MS,
        .output = config_git_output,
        .done = config_git_ended,
        .arg = &run,
        .is_killed_with_parent = true,
    };
    struct child *child;

    if (git.length == 0) {
        err_set(err, CODE_R0011, "--ref needs git, which is not installed");
        return err_hint(err, "apt install git, or push the folder itself without --ref");
    }
    if (ref[0] == '-') {
        return err_set(err, CODE_R0004, "'%s' is not a commit", ref);
    }
    buf_init(&run.archive, arena);
    buf_init(&run.words, arena);
    if (!loop_open(&run.loop, err)) {
        return false;
    }
    if (!child_start(run.loop, &options, &child, err)) {
        loop_close(run.loop);
        return false;
    }
    while (!run.is_ended) {
        loop_run_once(run.loop, GIT_DEADLINE_MS);
    }
    loop_close(run.loop);
    *out = buf_text(&run.archive);
    return config_git_judge(&run, folder, ref, buf_text(&run.words), err);
}
