#include "native/mark.h"

#include "native/file.h"
#include "native/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 5, LOCK_PAUSE_MS = 50, ALONE_TRIES = 200 };

/* ---- words ---- */

char *mark_word(char **line)
{
    char *word = *line + strspn(*line, " \t");
    char *end = word + strcspn(word, " \t");

    *line = *end == '\0' ? end : end + 1;
    *end = '\0';
    return word;
}

bool mark_number(const char *word, uint64_t *out)
{
    uint64_t number = 0;

    if (word[0] == '\0' || strlen(word) > 18) {
        return false;
    }
    for (; *word != '\0'; word++) {
        if (*word < '0' || *word > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(*word - '0');
    }
    *out = number;
    return true;
}

void mark_folders(const char *folder)
{
    static const char *const parts[] = { "bundles", "marks" };

    if (chdir(folder) != 0 && (errno != ENOENT || mkdir(folder, 0700) != 0 || chdir(folder) != 0)) {
        say_fail("node", errno, "cannot go to '%s'", folder);
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (mkdir(parts[i], 0700) != 0 && errno != EEXIST) {
            say_fail("node", errno, "cannot make '%s/%s'", folder, parts[i]);
        }
    }
}

/* ---- locks ---- */

static int lock_open(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
}

static bool lock_wait(int fd, unsigned tries)
{
    const struct timespec pause = { .tv_nsec = LOCK_PAUSE_MS * 1000000L };

    for (unsigned i = 0; i < tries; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

int mark_lock(unsigned stage)
{
    char path[MARK_PATH_BYTES];
    int fd;

    (void)snprintf(path, sizeof(path), "marks/%u.lock", stage);
    fd = lock_open(path);
    if (fd < 0) {
        say_fail("node", errno, "cannot open '%s'", path);
    }
    if (!lock_wait(fd, LOCK_TRIES)) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

int mark_alone(const char *path, const char *what)
{
    int fd = lock_open(path);

    if (fd < 0) {
        say_fail("node", errno, "cannot open '%s'", path);
    }
    if (!lock_wait(fd, ALONE_TRIES)) {
        say_fail("busy", 0, "somebody else is amid %s", what);
    }
    return fd;
}

/* Does somebody run the stage? Whoever does holds the lock: the kernel drops it with them, however they end. */
static bool is_held(unsigned stage)
{
    char path[MARK_PATH_BYTES];
    bool is_free;
    int fd;

    (void)snprintf(path, sizeof(path), "marks/%u.lock", stage);
    fd = lock_open(path);
    is_free = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return !is_free;
}

/* ---- a stage ---- */

static void word_copy(char out[static MARK_WORD_BYTES], const char *word)
{
    (void)snprintf(out, MARK_WORD_BYTES, "%.64s", word[0] != '\0' ? word : "-");
}

static bool is_hex(const char *word)
{
    return word[0] != '\0' && strspn(word, "0123456789abcdef") == strlen(word);
}

static void attempt_read(struct mark *mark)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    char *rest = line;
    char *attempt;
    char *chain;

    (void)snprintf(path, sizeof(path), "marks/%u.attempt", mark->stage);
    if (!file_line(path, line)) {
        return;
    }
    attempt = mark_word(&rest);
    chain = mark_word(&rest);
    if (!mark_number(attempt, &mark->attempt) || !mark_number(mark_word(&rest), &mark->tries)) {
        mark->attempt = 0;
        mark->tries = 0;
        return;
    }
    word_copy(mark->chain, chain);
}

/* Has the newest attempt ended? Its mark is the last that it does. */
static bool end_read(struct mark *mark)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    char *rest = line;
    uint64_t attempt;
    uint64_t code;

    (void)snprintf(path, sizeof(path), "marks/%u.end", mark->stage);
    if (!file_line(path, line) || !mark_number(mark_word(&rest), &attempt) ||
        attempt != mark->attempt || !mark_number(mark_word(&rest), &code) || code > 255) {
        return false;
    }
    mark->state = MARK_ENDED;
    mark->code = (int)code;
    mark->is_timeout = strcmp(mark_word(&rest), "timeout") == 0;
    return true;
}

static void done_read(struct mark *mark)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    char *rest = line;
    char *chain;

    (void)snprintf(path, sizeof(path), "stage-%u/stage-complete", mark->stage);
    if (!file_line(path, line)) {
        return;
    }
    (void)mark_word(&rest);
    chain = mark_word(&rest);
    if (is_hex(chain)) { /* else it is somebody else's */
        word_copy(mark->done, chain);
    }
}

void mark_read(unsigned stage, bool is_mine, struct mark *out)
{
    *out = (struct mark){ .stage = stage, .code = -1, .chain = "-", .done = "-" };
    attempt_read(out);
    if (out->attempt > 0 && !end_read(out)) {
        if (!is_mine && is_held(stage)) {
            out->state = MARK_RUNNING;
        } else if (!end_read(out)) { /* not in between either */
            out->state = MARK_LOST;
        }
    }
    done_read(out); /* after the end, for it is written before that */
    if (out->state == MARK_LOST &&
        strcmp(out->done, out->chain) == 0) { /* killed between the two marks */
        out->state = MARK_ENDED;
        out->code = 0;
    }
}

void mark_say(const struct mark *mark)
{
    static const char *const states[] = { [MARK_ABSENT] = "absent",
                                          [MARK_RUNNING] = "running",
                                          [MARK_ENDED] = "ended",
                                          [MARK_LOST] = "lost" };
    const char *how = mark->state != MARK_ENDED ? "-" : mark->is_timeout ? "timeout" : "exit";

    say_line("stage %u %s %" PRIu64 " %s %" PRIu64 " %d %s %s", mark->stage, states[mark->state],
             mark->attempt, mark->chain, mark->tries, mark->code, how, mark->done);
}
