/* reeve cp: files and folders to machines and back, by tar over OpenSSH (docs/decisions/0063). */
#include "base/sort.h"
#include "cli/entry.h"
#include "cli/listing.h"
#include "hand/script.h"
#include "model/ranges.h"
#include "sys/pump.h"
#include "sys/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CP_USE "reeve cp ./app.conf shop/web-0:/etc/app.conf"

enum { SCRIPT_THERE = 3, SCRIPT_MISSING = 4, INTERRUPTED = 128 + 2, LARGE_BYTES = 1024 * 1024 };

/* One side of a copy: a path of this computer, or machines and a path of theirs. */
struct side {
    struct text cluster; /* empty: this computer */
    struct text names;   /* a name or a range */
    struct text path;
};

struct copying {
    struct command *command;
    struct side from;
    struct side to;
    struct text node; /* CLUSTER/NODE at hand */
    uint64_t bytes;   /* of the last one */
    bool is_shown;
};

/* On whichever side it ends: what comes is unpacked beside its place under a name that nobody has, and gets its own name when all
 * of it is there. $1 where to, $2 what it is called there, $3 `replace` or nothing. */
static const char put_script[] =
    "to=$1; case $to in */) to=$to$2;; *) [ ! -d \"$to\" ] || to=$to/$2;; esac; "
    "if [ -d \"$to\" ] && [ ! -L \"$to\" ] && [ \"$3\" != replace ]; then "
    "echo \"$to is there already\" >&2; exit 3; fi; "
    "case $to in */*) dir=${to%/*}/;; *) dir=./;; esac; "
    "before=; part=$(mktemp -d \"${dir}.reeve-cp.XXXXXX\") || exit 1; "
    "trap 'rm -rf -- \"$part\"' EXIT; trap 'exit 1' HUP INT TERM; "
    "tar -xpof - -C \"$part\" || exit 1; "
    "[ -e \"$part/$2\" ] || [ -L \"$part/$2\" ] || exit 1; sync; trap '' HUP INT TERM; "
    "if [ -d \"$to\" ] && [ ! -L \"$to\" ]; then before=$part.before; "
    "mv -T -- \"$to\" \"$before\" || exit 1; fi; "
    "if mv -fT -- \"$part/$2\" \"$to\"; then rm -rf -- \"${before:-$part}\"; else "
    "[ -z \"$before\" ] || mv -T -- \"$before\" \"$to\"; exit 1; fi";

/* $1 a path: a tar of it, in which it is called as its last part. A path that is a link is what it leads to. */
static const char get_script[] =
    "from=$1; while [ \"$from\" != / ] && [ \"$from\" != \"${from%/}\" ]; do from=${from%/}; done; "
    "if [ ! -e \"$from\" ]; then echo \"$1: no such file or folder\" >&2; exit 4; fi; "
    "case $from in */*) dir=${from%/*}/;; *) dir=./;; esac; base=${from##*/}; "
    "case $base in ''|.|..) echo \"$1: name the file or folder itself\" >&2; exit 4;; esac; "
    "if [ -L \"$from\" ] && [ ! -d \"$from\" ]; then exec tar -chf - -C \"$dir\" -- \"./$base\"; fi; "
    "exec tar -cf - -C \"$dir\" -- \"./$base\"";

/* ---- the two sides ---- */

static bool refuse(struct command *command, struct text said)
{
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0784, "%.*s", TEXT_ARG(said)),
        "for example: " CP_USE);
}

/* CLUSTER/NODE:PATH; a path with a slash before its first colon and no machine in front of it is one of this computer when it
 * begins with / or ./ */
static bool side_read(struct command *command, const char *word, struct side *out)
{
    struct text text = text_from(word);
    size_t colon = text_find_byte(text, ':');
    struct text machine = text_slice(text, 0, colon);
    size_t slash = text_find_byte(machine, '/');

    *out = (struct side){ .path = text };
    if (text.length == 0) {
        return refuse(command, TEXT("a path is empty"));
    }
    if (colon == SIZE_MAX || word[0] == '/' || word[0] == '.') {
        return true;
    }
    if (text_has_prefix(machine, TEXT("node/"))) {
        machine = text_slice(machine, 5, machine.length);
        slash = text_find_byte(machine, '/');
    }
    if (slash == SIZE_MAX || slash == 0 || slash + 1 == machine.length ||
        !ranges_is_pattern(text_slice(machine, slash + 1, machine.length))) {
        return refuse(command,
                      arena_printf(command->arena, "'%.*s' names no machine in front of its colon",
                                   TEXT_ARG(text)));
    }
    *out = (struct side){ .cluster = text_slice(machine, 0, slash),
                          .names = text_slice(machine, slash + 1, machine.length),
                          .path = text_slice(text, colon + 1, text.length) };
    out->path = out->path.length == 0 ? TEXT("./") : out->path;
    return true;
}

/* The last part of a path. */
static struct text base_of(struct text path)
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

/* ---- how far it is ---- */

static struct text amount(struct arena *arena, uint64_t bytes)
{
    return bytes < 10 * 1024 ? arena_printf(arena, "%llu bytes", (unsigned long long)bytes)
           : bytes < 10 * 1024 * 1024
               ? arena_printf(arena, "%llu KiB", (unsigned long long)bytes / 1024)
               : arena_printf(arena, "%llu MiB", (unsigned long long)bytes / (1024 * 1024));
}

static void tick(void *arg, uint64_t bytes)
{
    struct copying *copying = arg;
    struct arena *arena = copying->command->arena;
    struct arena_mark mark = arena_mark(arena);
    struct err ignored;

    if (copying->command->error_style.is_drawn &&
        !args_has(&copying->command->args, FLAG_COMMON_QUIET)) {
        copying->is_shown = true;
        (void)!stream_write_error(arena_printf(arena, "\r\x1b[K%.*s: %.*s", TEXT_ARG(copying->node),
                                               TEXT_ARG(amount(arena, bytes))),
                                  &ignored);
    }
    arena_rewind(arena, mark);
}

static void progress_wipe(struct copying *copying)
{
    struct err ignored;

    if (copying->is_shown) {
        copying->is_shown = false;
        (void)!stream_write_error(TEXT("\r\x1b[K"), &ignored);
    }
}

/* ---- one copy ---- */

/* A script as one line for the login shell of a machine, which may be any. */
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

/* How it went. */
static enum exit_code end_judge(struct copying *copying, const struct pump_end *end)
{
    struct command *command = copying->command;
    struct err *err;

    if (end->from_code == INTERRUPTED || end->to_code == INTERRUPTED) {
        return EXIT_CODE_INTERRUPTED;
    }
    if (end->from_code == 0 && end->to_code == 0) {
        return EXIT_CODE_DONE;
    }
    if (end->to_code == SCRIPT_THERE) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0785,
                           "%.*s: a folder is there already", TEXT_ARG(copying->node));
        (void)!err_hint(err, "--replace puts the new one in its place, as a whole");
        return EXIT_CODE_FAILED;
    }
    if (end->from_code == SCRIPT_MISSING) {
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0785, "%.*s: '%.*s' is not there",
                     TEXT_ARG(copying->node), TEXT_ARG(copying->from.path));
        return EXIT_CODE_FAILED;
    }
    err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0785,
                       end->to_code == 0 ? "%.*s: it was copied, but not all of it"
                                         : "%.*s: it was not copied",
                       TEXT_ARG(copying->node));
    (void)!err_hint(err, "the lines above say what went wrong%s",
                    end->to_code == 0 ? "" : "; what stood under that name is as it was");
    return EXIT_CODE_FAILED;
}

static enum exit_code copy(struct copying *copying, struct text cluster, struct text name)
{
    struct command *command = copying->command;
    struct arena *arena = command->arena;
    bool is_up = copying->to.cluster.length > 0;
    struct text get_words[] = { copying->from.path };
    struct text put_words[] = { copying->to.path, base_of(copying->from.path),
                                args_has(&command->args, FLAG_CP_REPLACE) ? TEXT("replace")
                                                                          : TEXT("") };
    const char *ssh[] = { "ssh", "-F", NULL, "--", NULL, NULL, NULL };
    struct pump pump = { .tick = tick, .arg = copying };
    struct pump_end end;
    struct entry entry;
    struct err err;
    bool is_run;

    copying->node = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(name));
    if (!entry_open(command, cluster, name, &entry)) {
        return EXIT_CODE_FAILED;
    }
    ssh[2] = entry_config(&entry);
    ssh[4] = entry_host(&entry);
    ssh[5] = is_up ? remote_line(arena, put_script, put_words, ARRAY_COUNT(put_words))
                   : remote_line(arena, get_script, get_words, ARRAY_COUNT(get_words));
    pump.from = is_up ? local_line(arena, get_script, get_words, ARRAY_COUNT(get_words)) : ssh;
    pump.to = is_up ? ssh : local_line(arena, put_script, put_words, ARRAY_COUNT(put_words));
    is_run = pump_run(&pump, &end, &err);
    progress_wipe(copying);
    entry_close(&entry);
    if (!is_run) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_FAILED;
    }
    copying->bytes = end.bytes;
    return end_judge(copying, &end);
}

/* ---- to many ---- */

static int name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* The machines that a range names. */
static bool names_find(struct copying *copying, const struct side *side, struct text **out,
                       size_t *out_count)
{
    struct command *command = copying->command;
    struct session session;
    struct listing listing;
    struct text *names;
    struct buf query;
    size_t count = 0;

    buf_init(&query, command->arena);
    buf_add_string(&query, "cluster=");
    client_path_add(&query, side->cluster);
    if (!session_open(command, &session) ||
        !listing_get(command, &session, schema_kind_find(TEXT("Resource")), buf_text(&query),
                     &listing)) {
        return false;
    }
    names = arena_array(command->arena, struct text, listing.count + 1);
    for (size_t i = 0; i < listing.count; i++) {
        struct text name = listing_text(&listing.items[i], "metadata", "name");

        if (ranges_has(side->names, name)) {
            names[count++] = name;
        }
    }
    sort_stable(command->arena, names, count, sizeof(*names), name_compare, NULL);
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !text_is_equal(names[i], names[i - 1])) {
            names[(*out_count)++] = names[i];
        }
    }
    *out = names;
    return *out_count > 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0780,
                                 "no machine of '%.*s' is '%.*s'", TEXT_ARG(side->cluster),
                                 TEXT_ARG(side->names)),
                    "reeve tree %.*s shows what there is", TEXT_ARG(side->cluster));
}

static enum exit_code copy_all(struct copying *copying, const struct side *side)
{
    struct command *command = copying->command;
    enum exit_code code = EXIT_CODE_DONE;
    struct text one = side->names;
    struct text *names = &one;
    size_t count = 1;
    size_t done = 0;

    if (text_find_byte(side->names, '[') != SIZE_MAX &&
        !names_find(copying, side, &names, &count)) {
        return EXIT_CODE_FAILED;
    }
    if (count > 1 && copying->to.cluster.length == 0) {
        (void)!refuse(command,
                      arena_printf(command->arena,
                                   "'%.*s' are several machines, and there is one place here",
                                   TEXT_ARG(side->names)));
        return EXIT_CODE_USAGE;
    }
    for (size_t i = 0; i < count && code != EXIT_CODE_INTERRUPTED; i++) {
        code = copy(copying, side->cluster, names[i]);
        if (code != EXIT_CODE_DONE) {
            continue;
        }
        done++;
        buf_printf(&command->notes, "%.*s: copied", TEXT_ARG(copying->node));
        if (copying->bytes >= LARGE_BYTES) {
            buf_printf(&command->notes, ", %.*s", TEXT_ARG(amount(command->arena, copying->bytes)));
        }
        buf_add_string(&command->notes, "\n");
        command_flush(command);
    }
    if (code == EXIT_CODE_INTERRUPTED) {
        return code;
    }
    return done == count ? EXIT_CODE_DONE : done > 0 ? EXIT_CODE_PARTIAL : EXIT_CODE_FAILED;
}

enum exit_code verb_cp(struct command *command)
{
    struct copying copying = { .command = command };

    if (!side_read(command, command->args.words[0], &copying.from) ||
        !side_read(command, command->args.words[1], &copying.to)) {
        return EXIT_CODE_USAGE;
    }
    if ((copying.from.cluster.length > 0) == (copying.to.cluster.length > 0)) {
        (void)!refuse(command, copying.to.cluster.length > 0
                                   ? TEXT("from one machine to another there is no way in one step")
                                   : TEXT("one of the two names a machine: CLUSTER/NODE:PATH"));
        return EXIT_CODE_USAGE;
    }
    return copy_all(&copying, copying.to.cluster.length > 0 ? &copying.to : &copying.from);
}
