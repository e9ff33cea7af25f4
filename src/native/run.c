#include "native/run.h"

#include "native/clock.h"
#include "native/file.h"
#include "native/mark.h"
#include "native/piece.h"
#include "native/say.h"
#include "native/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One process runs the stage, keeps what it writes and marks its end. When that is done and somebody whom the stage has left running can
 * still write, it goes on to keep that, without the lock. A stage does not outlive who would mark its end. */

enum {
    PIECE_BYTES = 2 * 1024 * 1024, /* of output; then another file begins */
    PIECES_MAX = 3,                /* that stay beside the beginning */
    READ_BYTES = 64 * 1024,
    KILL_MS =
        10 * 1000, /* behind the end of its time, until a stage is ended without being asked */
    DRAIN_MS = 10 * 1000, /* for what the stage has written, where others write on and on */
    LINGER_MS = 10,       /* for the end of output: most writers end with their stage */
    MARK_TRIES = 5,
};

/* Where output goes: its beginning in `output`, the rest in pieces named by the byte at which they begin. */
struct keeper {
    const struct run *run;
    int input;      /* -1: all who could write have ended */
    int piece;      /* -1: another attempt is in its place, and nothing is kept */
    uint64_t at;    /* of all output, where the newest piece begins */
    uint64_t bytes; /* in it */
};

static void path_of(const struct run *run, const char *name, char path[static MARK_PATH_BYTES])
{
    (void)snprintf(path, MARK_PATH_BYTES, "stage-%u/%s", run->stage, name);
}

static void mark_of(const struct run *run, const char *name, char path[static MARK_PATH_BYTES])
{
    (void)snprintf(path, MARK_PATH_BYTES, "marks/%u.%s", run->stage, name);
}

/* The number of the newest attempt, as its mark says. */
static uint64_t newest_attempt(const struct run *run)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    char *rest = line;
    uint64_t attempt = 0;

    mark_of(run, "attempt", path);
    return file_line(path, line) && mark_number(mark_word(&rest), &attempt) ? attempt : 0;
}

/* ---- output ---- */

/* The oldest ones go while more than these are there. */
static void pieces_limit(const struct run *run, size_t most)
{
    char path[MARK_PATH_BYTES];
    struct piece_list list;

    for (;;) {
        piece_look(run->stage, run->attempt, 0, &list);
        if (list.count <= most) {
            return;
        }
        piece_path(run->stage, run->attempt, list.oldest, path);
        if (unlink(path) != 0) {
            return;
        }
    }
}

static void piece_begin(struct keeper *keeper)
{
    char path[MARK_PATH_BYTES];
    int piece;

    if (newest_attempt(keeper->run) != keeper->run->attempt) {
        (void)close(keeper->piece);
        keeper->piece = -1;
        return;
    }
    pieces_limit(keeper->run, PIECES_MAX - 1);
    (void)fsync(keeper->piece);
    keeper->at +=
        keeper->bytes; /* also where no other file can be made, and it goes on in this one */
    keeper->bytes = 0;
    piece_path(keeper->run->stage, keeper->run->attempt, keeper->at, path);
    (void)tree_remove(path); /* of the stage's: nobody waits at a pipe in its place */
    piece = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (piece >= 0) {
        (void)close(keeper->piece);
        keeper->piece = piece;
    }
}

/* Where the disk has no room, so much is lost. */
static void piece_add(struct keeper *keeper, const char *bytes, size_t count)
{
    while (count > 0 && keeper->piece >= 0) {
        ssize_t done = write(keeper->piece, bytes, count);

        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return;
        }
        bytes += done;
        count -= (size_t)done;
        keeper->bytes += (uint64_t)done;
    }
}

/* What has come, by one read, so that it is seen as it comes. False: nothing has, or there is nobody left who could write. */
static bool output_take(struct keeper *keeper)
{
    static char bytes[READ_BYTES];
    ssize_t count = read(keeper->input, bytes, sizeof(bytes));

    if (count > 0) {
        piece_add(keeper, bytes, (size_t)count);
        if (keeper->piece >= 0 && keeper->bytes >= PIECE_BYTES) {
            piece_begin(keeper);
        }
        return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        (void)close(keeper->input);
        keeper->input = -1;
    }
    return false;
}

static void input_wait(const struct keeper *keeper, int ms)
{
    struct pollfd input = { .fd = keeper->input, .events = POLLIN };

    (void)poll(&input, 1, ms);
}

/* All that the stage has written, which has ended. Whom it has left running may write for ever. */
static void output_drain(struct keeper *keeper)
{
    uint64_t end_ms = clock_ms() + DRAIN_MS;
    bool has_lingered = false;

    while (keeper->input >= 0 && clock_ms() < end_ms) {
        if (!output_take(keeper) && keeper->input >= 0) {
            if (has_lingered) {
                return;
            }
            has_lingered = true;
            input_wait(keeper, LINGER_MS);
        }
    }
}

/* Who writes when the stage is over is kept as well, and never hears that nobody reads any more. */
static void output_keep_on(struct keeper *keeper)
{
    while (keeper->input >= 0) {
        input_wait(keeper, -1);
        while (output_take(keeper)) {
        }
    }
}

/* ---- the stage ---- */

/* Where root is at home, as the node's own file says. */
static void home_find(char home[static FILE_LINE_BYTES])
{
    FILE *users = fopen("/etc/passwd", "re");
    char line[FILE_LINE_BYTES];

    (void)snprintf(home, FILE_LINE_BYTES, "/root");
    while (users != NULL && fgets(line, sizeof(line), users) != NULL) {
        char *field = line;

        if (strncmp(line, "root:", 5) != 0) {
            continue;
        }
        for (int i = 0; i < 5 && field != NULL; i++) {
            field = strchr(field, ':');
            field = field == NULL ? NULL : field + 1;
        }
        if (field != NULL && field[0] != ':' && field[0] != '\n') {
            field[strcspn(field, ":\n")] = '\0';
            (void)snprintf(home, FILE_LINE_BYTES, "%s", field);
        }
        break;
    }
    if (users != NULL) {
        (void)fclose(users);
    }
}

/* In the child: the stage, in a login shell of root, in its own folder. Never returns. */
static _Noreturn void stage_become(const struct run *run, pid_t parent, int output)
{
    static char shell[] = "bash";
    static char login[] = "-l";
    static char command[] = "-c";
    static char script[] = "cd \"$0\" && exec bash bootstrap.sh \"$@\"";
    static char path[MARK_PATH_BYTES * 2];
    static char home[FILE_LINE_BYTES + 8];
    static char found[FILE_LINE_BYTES];
    static char number[32];
    static char attempt[48];
    static char user[] = "USER=root";
    static char name[] = "LOGNAME=root";
    static char is_shell[] = "SHELL=/bin/bash";
    static char search[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    char *const front[RUN_FRONT] = { shell, login, command, script, path };
    char *const environment[] = { home, user, name, is_shell, search, number, attempt, NULL };
    char **words = run->arguments - RUN_FRONT;
    sigset_t none;

    memcpy(words, front, sizeof(front));
    (void)snprintf(path, sizeof(path), "%.*s/stage-%u", MARK_PATH_BYTES, run->folder, run->stage);
    home_find(found);
    (void)snprintf(home, sizeof(home), "HOME=%s", found);
    (void)snprintf(number, sizeof(number), "REEVE_STAGE=%u", run->stage);
    (void)snprintf(attempt, sizeof(attempt), "REEVE_ATTEMPT=%" PRIu64, run->attempt);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)umask(022); /* as in any login shell: what a bundle installs is for all users */
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
        setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
        (void)execvpe(shell, words, environment);
    }
    dprintf(STDERR_FILENO, "bash: %s\n", strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* How a stage ended. */
struct ending {
    int code;
    bool is_timeout;
};

/* To the stage, wherever it has gone, and to all that is of its group. */
static void stage_kill(pid_t stage, int number)
{
    (void)kill(stage, number);
    (void)kill(-stage, number);
}

/* Its time is over: first it is asked, then it is ended. */
static void time_over(pid_t stage, struct ending *ending, uint64_t *inout_end_ms)
{
    if (ending->is_timeout) {
        stage_kill(stage, SIGKILL);
        ending->code = 128 + SIGKILL;
        *inout_end_ms = UINT64_MAX;
        return;
    }
    stage_kill(stage, SIGTERM);
    stage_kill(stage, SIGCONT);
    ending->is_timeout = true;
    ending->code = 124;
    *inout_end_ms += KILL_MS;
}

static int wait_ms(uint64_t end_ms)
{
    uint64_t now = clock_ms();

    return end_ms == UINT64_MAX   ? -1
           : end_ms <= now        ? 0
           : end_ms - now > 60000 ? 60000
                                  : (int)(end_ms - now);
}

/* Until the stage has ended; what it writes is kept as it comes. */
static struct ending stage_wait(struct keeper *keeper, pid_t stage, int deaths)
{
    uint64_t end_ms =
        keeper->run->timeout_s == 0 ? UINT64_MAX : clock_ms() + keeper->run->timeout_s * 1000;
    struct ending ending = { .code = -1 };
    int status;

    for (;;) {
        struct pollfd polled[2] = { { .fd = deaths, .events = POLLIN },
                                    { .fd = keeper->input, .events = POLLIN } };
        struct signalfd_siginfo death;

        (void)poll(polled, 2, wait_ms(end_ms));
        if (polled[1].revents != 0) {
            (void)output_take(keeper);
        }
        if (polled[0].revents != 0) {
            (void)!read(deaths, &death, sizeof(death));
        }
        if (waitpid(stage, &status, WNOHANG) == stage) {
            break;
        }
        if (clock_ms() >= end_ms) {
            time_over(stage, &ending, &end_ms);
        }
    }
    if (!ending.is_timeout) {
        ending.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return ending;
}

/* The system has no process for it: people read why. */
static struct ending not_started(struct keeper *keeper)
{
    char why[200];
    int count = snprintf(why, sizeof(why), "the stage cannot be started: %s\n", strerror(errno));

    piece_add(keeper, why, (size_t)count);
    return (struct ending){ .code = 126 };
}

/* ---- marks ---- */

/* One behind the other; a piece of one counts for nothing. What the stage has left in their places is not written through. What was written before
 * the end is marked is on the disk by then. */
static bool marks_write(const struct run *run, const struct ending *ending)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    int count;

    if (ending->code == 0) {
        path_of(run, "stage-complete", path);
        count = snprintf(line, sizeof(line), "reeve1 %s %s %" PRIu64 "\n", run->chain, run->digest,
                         run->attempt);
        if (!tree_remove(path)) {
            return false;
        }
        (void)umask(022);
        if (!file_put(path, 0644, line, (size_t)count)) {
            (void)umask(077);
            return false;
        }
        (void)umask(077);
        (void)file_sync(path);
    }
    mark_of(run, "end", path);
    count = snprintf(line, sizeof(line), "%" PRIu64 " %d %s\n", run->attempt, ending->code,
                     ending->is_timeout ? "timeout" : "exit");
    return file_put(path, 0600, line, (size_t)count) && file_sync(path);
}

static void output_sync(const struct keeper *keeper)
{
    char path[MARK_PATH_BYTES];

    path_of(keeper->run, "output", path);
    (void)file_sync(path);
    if (keeper->at > 0 && keeper->piece >= 0) { /* those before it are there (piece_begin) */
        (void)fsync(keeper->piece);
    }
}

static void end_mark(const struct keeper *keeper, const struct ending *ending)
{
    const struct timespec pause = { .tv_sec = 1 };
    char path[MARK_PATH_BYTES];

    mark_of(keeper->run, "reserve",
            path); /* gives them room also where the stage has filled the disk */
    (void)unlink(path);
    output_sync(keeper);
    for (int i = 0; i < MARK_TRIES && !marks_write(keeper->run, ending); i++) {
        (void)nanosleep(&pause, NULL);
    }
    path_of(keeper->run, "", path);
    (void)file_sync(path);
    (void)file_sync("marks");
}

/* ---- who runs it ---- */

/* The file of the output; that of the attempt before stays where it is until there is another attempt: then it has its number behind it. */
static int output_open(const struct run *run, bool *out_is_new)
{
    char output[MARK_PATH_BYTES];
    char path[MARK_PATH_BYTES];
    struct stat file;

    path_of(run, "output", output);
    *out_is_new = lstat(output, &file) == 0;
    if (*out_is_new) {
        (void)snprintf(path, sizeof(path), "stage-%u/output.%" PRIu64, run->stage,
                       newest_attempt(run));
        if (rename(output, path) != 0 && tree_remove(path)) { /* a folder is in its place */
            (void)rename(output, path);
        }
        path_of(run, "output-new", output);
        (void)tree_remove(output);
    }
    return open(output, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
}

/* The stage has begun from here on, and whoever began it is told. False: it has not. */
static bool begin_mark(const struct run *run, bool is_new, int told)
{
    char from[MARK_PATH_BYTES];
    char to[MARK_PATH_BYTES];
    char number[24];
    int count = snprintf(number, sizeof(number), "%ld\n", (long)getpid());

    mark_of(run, "next", from);
    mark_of(run, "attempt", to);
    if (rename(from, to) != 0) {
        return false;
    }
    if (is_new) {
        path_of(run, "output-new", from);
        path_of(run, "output", to);
        (void)rename(from, to);
    }
    mark_of(run, "pid", to);
    (void)file_put(to, 0600, number, (size_t)count);
    (void)!write(told, "", 1); /* who waits for it may be gone */
    (void)close(told);
    (void)file_sync("marks");
    (void)file_sync(".");
    return true;
}

static int deaths_open(void)
{
    sigset_t deaths;

    (void)sigemptyset(&deaths);
    (void)sigaddset(&deaths, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &deaths, NULL);
    return signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void quiet_become(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) {
        (void)dup2(null, fd);
    }
}

static _Noreturn void runner(const struct run *run, int lock, int told)
{
    struct keeper keeper = { .run = run };
    struct ending ending;
    bool is_new;
    pid_t self;
    pid_t stage;
    int ends[2];
    int deaths;

    (void)setsid();
    (void)signal(SIGPIPE, SIG_IGN);
    quiet_become();
    deaths = deaths_open();
    keeper.piece = output_open(run, &is_new);
    if (deaths < 0 || keeper.piece < 0 || pipe2(ends, O_CLOEXEC) != 0 ||
        fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 || !begin_mark(run, is_new, told)) {
        _exit(1);
    }
    self = getpid();
    keeper.input = ends[0];
    stage = fork();
    if (stage == 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        stage_become(run, self, ends[1]);
    }
    ending = stage < 0 ? not_started(&keeper) : (struct ending){ .code = -1 };
    (void)close(ends[1]);
    if (stage > 0) {
        ending = stage_wait(&keeper, stage, deaths);
    }
    output_drain(&keeper);
    end_mark(&keeper, &ending);
    if (keeper.input < 0 || fork() > 0) {
        _exit(0); /* whoever waits for the end of the stage waits for this process */
    }
    (void)close(lock);
    output_keep_on(&keeper);
    _exit(0);
}

pid_t run_begin(const struct run *run, int lock)
{
    char marked = 0;
    int told[2];
    ssize_t count;
    pid_t pid;

    if (pipe2(told, O_CLOEXEC) != 0) {
        say_fail("node", errno, "a stage cannot be begun");
    }
    say_flush(); /* or both would say it */
    pid = fork();
    if (pid < 0) {
        say_fail("node", errno, "a stage cannot be begun");
    }
    if (pid == 0) {
        (void)close(told[0]);
        runner(run, lock, told[1]);
    }
    (void)close(told[1]);
    do {
        count = read(told[0], &marked, 1);
    } while (count < 0 && errno == EINTR);
    (void)close(told[0]);
    return count == 1 ? pid : 0;
}
