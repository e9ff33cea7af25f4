#include "native/stage.h"

#include "native/file.h"
#include "native/follow.h"
#include "native/mark.h"
#include "native/receive.h"
#include "native/run.h"
#include "native/say.h"
#include "native/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The happy path: the bundle comes and is checked; its tree is made in a new folder, which takes the place of the old one when all of it is on the disk; an
 * attempt is prepared (marks/N.next), and whoever runs it makes that the mark; its output is followed. Each step may be cut: what has no name yet is made
 * again by the next one, and an attempt that is marked is never begun again. */

enum { RESERVE_BYTES = 64 * 1024 };

struct order {
    const char *folder;
    unsigned stage;
    const char *digest;
    const char *chain;
    uint64_t attempt;
    bool is_start;
    uint64_t timeout_s;
    bool is_idempotent;
    struct follow follow;
    struct receive receive;
    char **arguments; /* with room for RUN_FRONT words before them */
};

static uint64_t number_of(const char *word)
{
    uint64_t number;

    if (!mark_number(word, &number)) {
        say_fail("node", 0, "'%s' is no number", word);
    }
    return number;
}

/* A word that becomes part of a name. */
static const char *digest_of(const char *word)
{
    if (strlen(word) != 64 || strspn(word, "0123456789abcdef") != 64) {
        say_fail("node", 0, "'%s' is no digest", word);
    }
    return word;
}

static struct order order_read(const char *folder, char **words)
{
    struct order order = { .folder = folder,
                           .stage = (unsigned)(number_of(words[0]) & 0xffff),
                           .digest = digest_of(words[1]),
                           .chain = digest_of(words[2]),
                           .attempt = number_of(words[3]),
                           .is_start = number_of(words[4]) == 1,
                           .timeout_s = number_of(words[5]),
                           .is_idempotent = number_of(words[6]) == 1,
                           .arguments = words + STAGE_WORDS };

    order.follow = (struct follow){ .attempt = order.attempt,
                                    .offset = number_of(words[7]),
                                    .seconds = number_of(words[8]) };
    receive_init(&order.receive, order.digest);
    order.receive.bytes = number_of(words[9]);
    order.receive.from = strcmp(words[10], "-1") == 0 ? -1 : (int64_t)number_of(words[10]);
    order.receive.room = number_of(words[11]);
    return order;
}

static void path_of(const struct order *order, const char *name, char path[static MARK_PATH_BYTES])
{
    (void)snprintf(path, MARK_PATH_BYTES, "stage-%u%.64s", order->stage, name);
}

static void mark_of(const struct order *order, const char *name, char path[static MARK_PATH_BYTES])
{
    (void)snprintf(path, MARK_PATH_BYTES, "marks/%u.%s", order->stage, name);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- the tree ---- */

/* Is the tree that is there of this chain? */
static bool is_expanded(const struct order *order)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];

    path_of(order, "/.reeve", path);
    return file_line(path, line) && strcmp(line, order->chain) == 0;
}

static void new_tree(const struct order *order, const char *archive, const char *new)
{
    char path[MARK_PATH_BYTES];
    char line[80];
    int count = snprintf(line, sizeof(line), "%s\n", order->chain);
    int folder;

    if (!tree_remove(new) || mkdir(new, 0700) != 0) {
        say_fail("node", errno, "cannot make '%s'", new);
    }
    tree_expand(archive, new);
    path_of(order, ".new/.reeve", path);
    if (!file_put(path, 0600, line, (size_t)count)) {
        int error = errno;

        (void)tree_remove(new);
        say_fail("node", error, "cannot write '%s'", path);
    }
    folder = open(new, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || syncfs(folder) != 0) {
        int error = errno;

        (void)tree_remove(new);
        say_fail("node", error, "cannot bring '%s' to the disk", new);
    }
    (void)close(folder);
}

/* A fresh tree for this chain takes the place of whatever was there. Its way to the disk takes along what was written before it. True: so it was. */
static bool expand(struct order *order)
{
    struct receive *receive = &order->receive;
    char stage[MARK_PATH_BYTES];
    char new[MARK_PATH_BYTES];
    char path[MARK_PATH_BYTES];
    bool has_whole = is_there(receive->whole);

    if (is_expanded(order)) {
        return false;
    }
    if (!has_whole && !receive->is_checked) {
        say_fail("bundle", 0, "the bundle is not there");
    }
    path_of(order, ".new", new);
    new_tree(order, has_whole ? receive->whole : receive->part, new);
    receive_keep(receive, true);
    path_of(order, "", stage);
    mark_of(order, "pid", path);
    if (!tree_remove(stage) || (unlink(path) != 0 && errno != ENOENT) || rename(new, stage) != 0) {
        say_fail("node", errno, "cannot make '%s'", stage);
    }
    return true;
}

/* ---- beginning it ---- */

/* Who runs it makes this the mark, so that none says it has begun that nobody has run. */
static void next_write(const struct order *order, uint64_t tries)
{
    char path[MARK_PATH_BYTES];
    char line[FILE_LINE_BYTES];
    int count = snprintf(line, sizeof(line), "%" PRIu64 " %s %" PRIu64 " %s\n", order->attempt,
                         order->chain, tries, order->digest);

    mark_of(order, "next", path);
    if (!file_put(path, 0600, line, (size_t)count)) {
        say_fail("node", errno, "cannot write '%s'", path);
    }
}

/* Marks are to be written also when the stage has filled the disk. */
static void reserve_write(const struct order *order)
{
    static char blanks[RESERVE_BYTES];
    char path[MARK_PATH_BYTES];

    memset(blanks, ' ', sizeof(blanks));
    mark_of(order, "reserve", path);
    if (!file_put(path, 0600, blanks, sizeof(blanks))) {
        int error = errno;

        (void)unlink(path);
        say_fail("node", error, "cannot write '%s'", path);
    }
}

/* The attempt before this one stays for people, by its beginning; of all others nothing does. */
static void output_clear(const struct order *order, uint64_t before)
{
    char name[MARK_PATH_BYTES];
    char path[MARK_PATH_BYTES];
    const struct dirent *entry;
    DIR *list;

    mark_of(order, "pid", path);
    (void)unlink(path);
    if (before == 0) {
        return;
    }
    path_of(order, "", path);
    list = opendir(path);
    while (list != NULL && (entry = readdir(list)) != NULL) {
        if (strncmp(entry->d_name, "output.", 7) == 0 && strstr(entry->d_name, ".at-") != NULL) {
            (void)unlinkat(dirfd(list), entry->d_name, 0);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    (void)snprintf(name, sizeof(name), "/output.%" PRIu64, before - 1);
    path_of(order, name, path);
    (void)unlink(path);
}

static void start(struct order *order, struct mark *mark, int lock)
{
    struct run run = { .folder = order->folder,
                       .stage = order->stage,
                       .digest = order->digest,
                       .chain = order->chain,
                       .attempt = order->attempt,
                       .timeout_s = order->timeout_s,
                       .arguments = order->arguments };
    char path[MARK_PATH_BYTES];
    bool is_same;

    mark_read(order->stage, true, mark);
    is_same = strcmp(mark->chain, order->chain) == 0;
    if (mark->attempt >= order->attempt || strcmp(mark->done, order->chain) == 0 ||
        (is_same && !order->is_idempotent)) {
        return; /* the last: it has begun once; the manager is told how that went */
    }
    next_write(order, is_same ? mark->tries + 1 : 1);
    if (!expand(order)) {
        mark_of(order, "next", path);
        if (!file_sync(path)) {
            say_fail("space", errno, "cannot bring '%s' to the disk", path);
        }
    }
    reserve_write(order);
    output_clear(order, mark->attempt);
    order->follow.runner = run_begin(&run, lock);
}

_Noreturn void stage_main(const char *folder, char **words)
{
    static const char first[] =
        "\nreeve1\n"; /* what a login shell says on standard output is before that */
    struct order order;
    struct mark mark;
    int null;

    say_open(STDERR_FILENO);
    order = order_read(folder, words);
    mark_folders(folder);
    if (order.receive.bytes > 0) {
        if (!receive_piece(&order.receive)) {
            say_end();
        }
        say_flush();
        null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        (void)dup2(null, STDIN_FILENO); /* of what is whole, nobody reads more */
    }
    if (order.is_start) {
        int lock = mark_lock(order.stage);

        if (lock >= 0) {
            start(&order, &mark, lock);
            (void)close(lock);
        }
    }
    receive_keep(&order.receive, false); /* if no tree was made of it */
    if (!file_write(STDOUT_FILENO, first, sizeof(first) - 1)) {
        _exit(1);
    }
    mark_read(order.stage, false, &mark);
    follow_output(&order.follow, &mark);
    mark_say(&mark);
    if (order.follow.has_more) {
        say_line("more %u %" PRIu64, order.stage, order.follow.more);
    }
    say_end();
}
