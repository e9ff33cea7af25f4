/* reeve cp: copies files and folders to and from machines, by tar over OpenSSH
 * (docs/decisions/0051). */
#include "cli/manager/entry.h"
#include "cli/manager/selected.h"
#include "cli/term/glyph.h"
#include "selector/ranges.h"
#include "session/script.h"
#include "sys/pump.h"
#include "sys/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CP_USE "reeve cp ./app.conf shop/web-0:/etc/app.conf"

enum {
    SCRIPT_THERE = 3,
    SCRIPT_MISSING = 4,
    SCRIPT_NOWHERE = 5,
    SCRIPT_LESS = 6,
    INTERRUPTED = 128 + 2,
    SSH_FAILED = 255,
    LARGE_BYTES = 1024 * 1024,
    AT_ONCE = 8, /* copies at the same time; each is an ssh, a tar and a shell on this computer */
};

/* One side of a copy: a path on this computer, or machines and a path on them. */
struct side {
    bool is_remote;
    const char *machines; /* CLUSTER/NODE, or a range; empty: the machines that the flags select */
    struct text path;
};

/* The copy of one machine. */
struct copy {
    struct text cluster;
    struct text name;
    struct text node; /* name as CLUSTER/NODE */
    struct entry entry;
};

struct copying {
    struct command *command;
    struct side from;
    struct side to;
    struct selected_node *nodes;
    struct copy *copies; /* copies, one for each node, in the order of the nodes */
    size_t count;
    size_t begun;
    size_t ended;
    size_t done;
    bool is_up; /* direction: to machines */
    /* copies from several machines: each machine gets a separate target folder */
    bool is_apart;
    bool is_interrupted; /* Ctrl-C was pressed */
    bool is_shown;
};

/* Runs on the receiving side: the archive is unpacked next to its target under a temporary name,
 * and is renamed when it is complete. $1 is the target, $2 the name in it, $3 `replace` or
 * empty. */
#define PUT_UNPACK                                                                \
    "to=$1; case $to in */) to=$to$2;; *) [ ! -d \"$to\" ] || to=$to/$2;; esac; " \
    "if [ -d \"$to\" ] && [ ! -L \"$to\" ] && [ \"$3\" != replace ]; then "       \
    "echo \"$to is there already\" >&2; exit 3; fi; "                             \
    "case $to in */*) dir=${to%/*}/;; *) dir=./;; esac; "                         \
    "if [ ! -d \"$dir\" ]; then echo \"$dir: no such folder\" >&2; exit 5; fi; "  \
    "before=; less=; part=$(mktemp -d \"${dir}.reeve-cp.XXXXXX\") || exit 1; "    \
    "trap 'rm -rf -- \"$part\"' EXIT; trap 'exit 1' HUP INT TERM; "               \
    "mkdir -- \"$part/in\" && tar -xpof - -C \"$part/in\" || exit 1; "
#define PUT_NAME                                                                                   \
    "[ -e \"$part/in/$2\" ] || [ -L \"$part/in/$2\" ] || exit 1; sync; trap '' HUP INT TERM; "     \
    "if [ -d \"$to\" ] && [ ! -L \"$to\" ]; then before=$part.before; "                            \
    "mv -T -- \"$to\" \"$before\" || exit 1; fi; "                                                 \
    "if mv -fT -- \"$part/in/$2\" \"$to\"; then rm -rf -- \"${before:-$part}\"; exit ${less:-0}; " \
    "else [ -z \"$before\" ] || mv -T -- \"$before\" \"$to\"; exit 1; fi"

/* Removes dangerous entries of a machine's archive after unpacking. If root unpacks it, a device
 * node would give access to the disk, and a set-uid program would give root to other users. Before
 * the removal, no other user can reach the entries: they are in two nested folders, and the archive
 * cannot change the permissions of the outer folder. */
#define PUT_SIFT                                                                             \
    "if [ -n \"$(find \"$part/in\" ! -type f ! -type d ! -type l -print)\" ]; then less=6; " \
    "find \"$part/in\" ! -type f ! -type d ! -type l "                                       \
    "-printf '%P: neither a file nor a folder nor a link; left out\\n' "                     \
    "-exec rm -f -- '{}' ';' >&2 || exit 1; fi; "                                            \
    "find \"$part/in\" -type f -perm /6000 -exec chmod ug-s -- '{}' + || exit 1; "

static const char put_script[] = PUT_UNPACK PUT_NAME;
static const char take_script[] = PUT_UNPACK PUT_SIFT PUT_NAME;

/* Runs take_script for one of several machines, in a folder for this machine. The folder is removed
 * again if nothing arrived. $4 is take_script. */
static const char apart_script[] =
    "mkdir -p -- \"$1\" || exit 1; sh -c \"$4\" reeve \"$1\" \"$2\" \"$3\"; code=$?; "
    "one=${1%/}; [ $code = 0 ] || rmdir -- \"$one\" \"${one%/*}\" 2>/dev/null; exit $code";

/* Writes a tar of the path $1, whose entry has the last part of the path as its name. A path that
 * is a link is followed. For a missing path the tar is empty, so that the other side does not
 * report a second error. The kernel reports files in /proc, /sys and the like as empty or one page
 * long, and tar trusts that; so they are read to their end first. */
static const char get_script[] =
    "from=$1; while [ \"$from\" != / ] && [ \"$from\" != \"${from%/}\" ]; do from=${from%/}; done; "
    "if [ ! -e \"$from\" ]; then echo \"$1: no such file or folder\" >&2; "
    "tar -cf - -T /dev/null; exit 4; fi; "
    "case $from in */*) dir=${from%/*}/;; *) dir=./;; esac; base=${from##*/}; "
    "if [ -f \"$from\" ]; then case $(stat -Lfc %T -- \"$from\" 2>/dev/null) in "
    "proc|sysfs|cgroup*|debugfs|tracefs|securityfs) part=$(mktemp -d) || exit 1; "
    "trap 'rm -rf -- \"$part\"' EXIT; trap 'exit 1' HUP INT TERM; "
    "cat -- \"$from\" >\"$part/$base\" && chmod --reference=\"$from\" -- \"$part/$base\" && "
    "tar -cf - -C \"$part\" -- \"./$base\"; exit;; esac; fi; "
    "if [ -L \"$from\" ] && [ ! -d \"$from\" ]; then exec tar -chf - -C \"$dir\" -- \"./$base\"; fi; "
    "exec tar -cf - -C \"$dir\" -- \"./$base\"";

/* ---- the two sides ---- */

static bool cp_refuse(struct command *command, struct text said)
{
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0784, "%.*s", TEXT_ARG(said)),
        "for example: " CP_USE);
}

/* True if the flags select machines. */
static bool has_selection(const struct args *args)
{
    static const char *const flags[] = { "cluster",   "group",    "selector", "state",
                                         "failed-of", "revision", "all" };

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (args_named(args, flags[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* True if the word before the colon is a machine: CLUSTER/NODE, or a range; with flags also NODE,
 * or nothing. */
static bool is_cp_machine(const struct args *args, struct text word)
{
    size_t slash;

    word = text_slice(word, text_has_prefix(word, TEXT("node/")) ? 5 : 0, word.length);
    slash = text_find_byte(word, '/');
    if (slash == SIZE_MAX) {
        return has_selection(args) && (word.length == 0 || ranges_is_pattern(word));
    }
    return slash > 0 && slash + 1 < word.length &&
           ranges_is_pattern(text_slice(word, slash + 1, word.length));
}

/* Read one side of the copy. Text before the first colon is a machine. A local path that contains a
 * colon must begin with / or ./ */
static bool side_read(struct command *command, const char *word, struct side *out)
{
    struct text text = text_from(word);
    size_t colon = text_find_byte(text, ':');
    struct text machine = text_slice(text, 0, colon);

    *out = (struct side){ .path = text };
    if (text.length == 0) {
        return cp_refuse(command, TEXT("a path is empty"));
    }
    if (colon == SIZE_MAX || word[0] == '/' || word[0] == '.') {
        return true;
    }
    if (!is_cp_machine(&command->args, machine)) {
        return cp_refuse(
            command,
            arena_printf(command->arena, "'%.*s' has no machine before its colon", TEXT_ARG(text)));
    }
    *out = (struct side){ .is_remote = true,
                          .machines = arena_string(command->arena, machine),
                          .path = text_slice(text, colon + 1, text.length) };
    out->path = out->path.length == 0 ? TEXT("./") : out->path;
    return true;
}

/* The last component of a path. */
static struct text cp_base_of(struct text path)
{
    size_t end = path.length;
    size_t begin;

    while (end > 1 && path.data[end - 1] == '/') {
        end--;
    }
    begin = end;
    while (begin > 0 && path.data[begin - 1] != '/') {
        begin--;
    }
    return text_slice(path, begin, end - begin);
}

/* Check that the path has a last component, which becomes the name of the copy. */
static bool cp_name_check(struct command *command, struct text path)
{
    struct text name = cp_base_of(path);

    return (name.length > 0 && !text_is(name, "/") && !text_is(name, ".") &&
            !text_is(name, "..")) ||
           cp_refuse(command,
                     arena_printf(command->arena,
                                  "'%.*s' has no name for the copy: name the file or folder itself",
                                  TEXT_ARG(path)));
}

/* ---- progress ---- */

static struct text amount(struct arena *arena, uint64_t bytes)
{
    return bytes < 10 * 1024 ? arena_printf(arena, "%llu bytes", (unsigned long long)bytes)
           : bytes < 10 * 1024 * 1024
               ? arena_printf(arena, "%llu KiB", (unsigned long long)bytes / 1024)
               : arena_printf(arena, "%llu MiB", (unsigned long long)bytes / (1024 * 1024));
}

/* Show the progress: "shop/web-0: 12 MiB"; for several machines "3 of 12 machines, 40 MiB". */
static void tick(void *arg, uint64_t bytes)
{
    struct copying *copying = arg;
    struct arena *arena = copying->command->arena;
    struct arena_mark mark = arena_mark(arena);
    struct text shown = amount(arena, bytes);
    struct err ignored;

    if (copying->command->error_style.is_drawn &&
        !args_has(&copying->command->args, FLAG_COMMON_QUIET)) {
        copying->is_shown = true;
        (void)!stream_write_error(
            copying->count == 1 ? arena_printf(arena, "\r\x1b[K%.*s: %.*s",
                                               TEXT_ARG(copying->copies[0].node), TEXT_ARG(shown))
                                : arena_printf(arena, "\r\x1b[K%zu of %zu machines, %.*s",
                                               copying->ended, copying->count, TEXT_ARG(shown)),
            &ignored);
    }
    arena_rewind(arena, mark);
}

static void cp_progress_wipe(struct copying *copying)
{
    struct err ignored;

    if (copying->is_shown) {
        copying->is_shown = false;
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
}

/* ---- one copy ---- */

/* Return a script as one line that every login shell of a machine understands. */
static const char *remote_line(struct arena *arena, const char *script, const struct text *words,
                               size_t count)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "exec sh -c ");
    buf_add(&buf, script_quote(arena, text_from(script)));
    buf_add_string(&buf, " reeve");
    for (size_t i = 0; i < count; i++) {
        buf_add_string(&buf, " ");
        buf_add(&buf, script_quote(arena, words[i]));
    }
    return arena_string(arena, buf_text(&buf));
}

static const char **local_line(struct arena *arena, const char *script, const struct text *words,
                               size_t count)
{
    const char **argv = arena_array(arena, const char *, count + 5);
    size_t at = 0;

    argv[at++] = "sh";
    argv[at++] = "-c";
    argv[at++] = script;
    argv[at++] = "reeve";
    for (size_t i = 0; i < count; i++) {
        argv[at++] = arena_string(arena, words[i]);
    }
    argv[at] = NULL;
    return argv;
}

/* Report that the target folder does not exist. */
static void nowhere_report(struct copying *copying, const struct copy *copy)
{
    struct text path = copying->to.path;
    size_t length =
        text_has_suffix(path, TEXT("/")) ? path.length : path.length - cp_base_of(path).length;
    struct err *err =
        err_list_set(&copying->command->errors, (struct place){ 0 }, CODE_R0785,
                     "%.*s: the destination folder does not exist", TEXT_ARG(copy->node));

    if (copying->is_up) {
        (void)!err_hint(err, "create it first: reeve exec %.*s -- mkdir -p '%.*s'",
                        TEXT_ARG(copy->node), (int)length, path.data);
    } else {
        (void)!err_hint(err, "create it first: mkdir -p '%.*s'", (int)length, path.data);
    }
}

/* Report a missing source path. `copy` is NULL if the path is missing on this computer and not on a
 * machine. */
static void cp_unfound_report(struct copying *copying, const struct copy *copy)
{
    struct text path = copying->from.path;
    struct text where = copying->is_up
                            ? TEXT("")
                            : arena_printf(copying->command->arena, "%.*s: ", TEXT_ARG(copy->node));
    struct err *err = err_list_set(&copying->command->errors, (struct place){ 0 }, CODE_R0785,
                                   "%.*s'%.*s' does not exist", TEXT_ARG(where), TEXT_ARG(path));

    if (copying->is_up) {
        (void)!err_hint(err,
                        "the path is looked up on this computer, relative to the current folder");
    }
}

/* Evaluate the end of a copy. */
static enum exit_code cp_end_judge(struct copying *copying, const struct copy *copy,
                                   const struct pump_end *end)
{
    struct command *command = copying->command;
    struct err *err;
    bool has_come;

    if (end->from_code == INTERRUPTED || end->to_code == INTERRUPTED) {
        return EXIT_CODE_INTERRUPTED;
    }
    if (end->from_code == 0 && end->to_code == 0) {
        return EXIT_CODE_DONE;
    }
    if (end->to_code == SCRIPT_THERE) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0785,
                           "%.*s: a folder of this name already exists", TEXT_ARG(copy->node));
        (void)!err_hint(err, "--replace replaces it as a whole");
        return EXIT_CODE_FAILED;
    }
    if (end->to_code == SCRIPT_NOWHERE) {
        nowhere_report(copying, copy);
        return EXIT_CODE_FAILED;
    }
    if (end->from_code == SCRIPT_MISSING) {
        cp_unfound_report(copying, copy);
        return EXIT_CODE_FAILED;
    }
    has_come = end->to_code == 0 || end->to_code == SCRIPT_LESS;
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0785,
                       has_come ? "%.*s: only a part was copied" : "%.*s: the copy failed",
                       TEXT_ARG(copy->node));
    (void)!err_hint(err, "%s%s",
                    end->from_code == SSH_FAILED || end->to_code == SSH_FAILED
                        ? "the connection failed or was lost; the reason that ssh gave is above"
                        : "the lines above have the reason",
                    has_come ? "" : "; the target still has its previous content");
    return EXIT_CODE_FAILED;
}

/* Return the command that unpacks on this computer. */
static const char **put_here(const struct copying *copying, const struct copy *copy,
                             struct text base, struct text replace)
{
    struct arena *arena = copying->command->arena;
    struct text path = copying->to.path;
    struct text words[] = { path, base, replace, text_from(take_script) };

    if (!copying->is_apart) {
        return local_line(arena, take_script, words, 3);
    }
    words[0] = arena_printf(arena, "%.*s%s%.*s/", TEXT_ARG(path),
                            text_has_suffix(path, TEXT("/")) ? "" : "/", TEXT_ARG(copy->node));
    return local_line(arena, apart_script, words, ARRAY_COUNT(words));
}

/* Set up the two programs of a copy, after access to its machine was granted. */
static struct pump pump_make(struct copying *copying, const struct copy *copy)
{
    struct arena *arena = copying->command->arena;
    struct text base = cp_base_of(copying->from.path);
    struct text replace =
        args_has(&copying->command->args, FLAG_CP_REPLACE) ? TEXT("replace") : TEXT("");
    struct text get_words[] = { copying->from.path };
    struct text put_words[] = { copying->to.path, base, replace };
    const char **ssh = arena_array(arena, const char *, 7);

    ssh[0] = "ssh";
    ssh[1] = "-F";
    ssh[2] = entry_config(&copy->entry);
    ssh[3] = "--";
    ssh[4] = entry_host(&copy->entry);
    ssh[5] = copying->is_up ? remote_line(arena, put_script, put_words, ARRAY_COUNT(put_words))
                            : remote_line(arena, get_script, get_words, ARRAY_COUNT(get_words));
    ssh[6] = NULL;
    return (struct pump){
        .from =
            copying->is_up ? local_line(arena, get_script, get_words, ARRAY_COUNT(get_words)) : ssh,
        .to = copying->is_up ? ssh : put_here(copying, copy, base, replace),
        .tick = tick,
        .arg = copying,
    };
}

static enum exit_code copy_report(struct copying *copying, const struct copy *copy,
                                  const struct pump_end *end)
{
    struct command *command = copying->command;
    enum exit_code code = cp_end_judge(copying, copy, end);

    copying->ended++;
    if (code != EXIT_CODE_DONE) {
        return code;
    }
    copying->done++;
    buf_printf(&command->notes, "%.*s: copied", TEXT_ARG(copy->node));
    if (end->bytes >= LARGE_BYTES) {
        buf_printf(&command->notes, ", %.*s", TEXT_ARG(amount(command->arena, end->bytes)));
    }
    buf_add_string(&command->notes, "\n");
    command_flush(command);
    return code;
}

/* Copy to or from one machine. The output of its programs is written directly to the terminal. */
static enum exit_code copy_one(struct copying *copying)
{
    struct copy *copy = &copying->copies[0];
    struct pump pump;
    struct pump_end end;
    struct err err;
    bool is_run;

    if (!entry_open(copying->command, copy->cluster, copy->name, &copy->entry)) {
        return EXIT_CODE_FAILED;
    }
    pump = pump_make(copying, copy);
    is_run = pump_run(&pump, &end, &err);
    cp_progress_wipe(copying);
    entry_close(&copy->entry);
    if (!is_run) {
        err_list_add(&copying->command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    return copy_report(copying, copy, &end);
}

/* ---- several machines ---- */

/* Start the next copy. A copy that cannot start is reported and does not stop the others. */
static void next_begin(struct copying *copying, struct pump_set *set)
{
    struct command *command = copying->command;
    size_t number = copying->begun++;
    struct copy *copy = &copying->copies[number];
    size_t before = command->errors.count;
    struct pump pump;
    struct err err;

    if (!entry_open(command, copy->cluster, copy->name, &copy->entry)) {
        if (command->errors.count > before) {
            (void)err_note(&command->errors.items[before], "this concerns %.*s",
                           TEXT_ARG(copy->node));
        }
        copying->ended++;
        return;
    }
    pump = pump_make(copying, copy);
    if (!pump_set_add(set, &pump, number, &err)) {
        (void)err_note(&err, "this concerns %.*s", TEXT_ARG(copy->node));
        err_list_add(&command->errors, &err);
        entry_close(&copy->entry);
        copying->ended++;
    }
}

/* Write the output lines of the programs of a copy, each with the name of the machine. */
static void report_copy(struct copying *copying, const struct copy *copy, struct text said)
{
    struct buf lines;

    buf_init(&lines, copying->command->arena);
    while (said.length > 0) {
        size_t end = text_find_byte(said, '\n');

        glyph_write_text(&lines, copy->node);
        buf_add_string(&lines, ": ");
        glyph_write_text(&lines, text_slice(said, 0, end));
        buf_add_string(&lines, "\n");
        said = end == SIZE_MAX ? TEXT("") : text_slice(said, end + 1, said.length);
    }
    if (lines.length > 0) {
        command_say(copying->command, buf_text(&lines));
    }
}

static enum exit_code copy_many(struct copying *copying)
{
    struct pump_set *set = pump_set_new(tick, copying);
    struct pump_set_end end;
    bool is_any = true;

    while (is_any) {
        while (copying->begun < copying->count && copying->begun - copying->ended < AT_ONCE &&
               !copying->is_interrupted) {
            next_begin(copying, set);
        }
        is_any = pump_set_next(set, &end);
        if (is_any) {
            const struct copy *copy = &copying->copies[end.number];

            cp_progress_wipe(copying);
            entry_close(&copy->entry);
            report_copy(copying, copy, end.said);
            copying->is_interrupted |=
                copy_report(copying, copy, &end.end) == EXIT_CODE_INTERRUPTED;
        }
    }
    copying->is_interrupted |= pump_set_free(set);
    return copying->is_interrupted           ? EXIT_CODE_INTERRUPTED
           : copying->done == copying->count ? EXIT_CODE_DONE
           : copying->done > 0               ? EXIT_CODE_PARTIAL
                                             : EXIT_CODE_FAILED;
}

/* ---- selection of machines ---- */

/* Use a machine that is named in full as CLUSTER/NODE, so that no request is needed to find it. */
static bool one_take(struct copying *copying, const struct side *side)
{
    struct text word = text_from(side->machines);
    size_t slash;

    word = text_slice(word, text_has_prefix(word, TEXT("node/")) ? 5 : 0, word.length);
    slash = text_find_byte(word, '/');
    if (slash == SIZE_MAX || text_find_byte(word, '[') != SIZE_MAX ||
        has_selection(&copying->command->args)) {
        return false;
    }
    copying->nodes = arena_one(copying->command->arena, struct selected_node);
    copying->nodes[0] = (struct selected_node){ text_slice(word, 0, slash),
                                                text_slice(word, slash + 1, word.length) };
    copying->count = 1;
    return true;
}

static bool cp_nodes_find(struct copying *copying, const struct side *side)
{
    struct command *command = copying->command;
    struct selected selected;
    struct session session;

    return one_take(copying, side) ||
           (session_open(command, &session) &&
            selected_read(command, &session, &side->machines, side->machines[0] == '\0' ? 0 : 1,
                          CP_USE, &selected) &&
            selected_find(command, &session, &selected, &copying->nodes, &copying->count));
}

static void copies_make(struct copying *copying)
{
    copying->copies = arena_array(copying->command->arena, struct copy, copying->count);
    for (size_t i = 0; i < copying->count; i++) {
        const struct selected_node *node = &copying->nodes[i];

        copying->copies[i] = (struct copy){
            .cluster = node->cluster,
            .name = node->name,
            .node = arena_printf(copying->command->arena, "%.*s/%.*s", TEXT_ARG(node->cluster),
                                 TEXT_ARG(node->name)),
        };
    }
}

/* Check that TARGET ends in a slash, because several machines need a folder. */
static bool apart_check(struct copying *copying)
{
    struct text target = copying->to.path;

    copying->is_apart = copying->count > 1 && !copying->is_up;
    return !copying->is_apart || text_has_suffix(target, TEXT("/")) || text_is(target, ".") ||
           cp_refuse(copying->command,
                     arena_printf(
                         copying->command->arena,
                         "%zu machines are selected, but '%.*s' names one file: end it with / to "
                         "get one folder for each machine",
                         copying->count, TEXT_ARG(target)));
}

enum exit_code verb_cp(struct command *command)
{
    struct copying copying = { .command = command };

    if (!side_read(command, command->args.words[0], &copying.from) ||
        !side_read(command, command->args.words[1], &copying.to)) {
        return EXIT_CODE_USAGE;
    }
    if (copying.from.is_remote == copying.to.is_remote) {
        (void)!cp_refuse(command, copying.to.is_remote
                                      ? TEXT("a copy from one machine to another needs two steps")
                                      : TEXT("one of the two names a machine: CLUSTER/NODE:PATH"));
        return EXIT_CODE_USAGE;
    }
    copying.is_up = copying.to.is_remote;
    if (!cp_name_check(command, copying.from.path)) {
        return EXIT_CODE_USAGE;
    }
    if (copying.is_up && access(arena_string(command->arena, copying.from.path), F_OK) != 0) {
        cp_unfound_report(&copying, NULL);
        return EXIT_CODE_FAILED;
    }
    if (!cp_nodes_find(&copying, copying.is_up ? &copying.to : &copying.from)) {
        return EXIT_CODE_FAILED;
    }
    if (!apart_check(&copying)) {
        return EXIT_CODE_USAGE;
    }
    copies_make(&copying);
    return copying.count == 1 ? copy_one(&copying) : copy_many(&copying);
}
