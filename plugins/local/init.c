/* reeve-init: the first process of a machine. It is a static program, because it must run on any
 * Debian.
 *
 * At the machine's first start it generates the machine's host key and runs the first-start script,
 * which the plugin has put into /var/lib/reeve. The script's output goes to
 * /var/log/reeve-first-boot.log, its exit code to /var/lib/reeve/done. Each step can be repeated,
 * because the machine may be stopped in between; a script that was interrupted runs again. Then
 * reeve-init keeps sshd running, reaps orphans, and passes a SIGTERM on to all processes before it
 * exits. */
#include "base/mem.h"
#include "ssh/key.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 512, GRACE_S = 5, SSHD_REST_S = 1 };

static const char host_key[] = "/etc/ssh/ssh_host_ed25519_key";
static const char done_path[] = "/var/lib/reeve/done";
static const char script_path[] = "/var/lib/reeve/first-boot";

/* Processes of the running machine. */
struct archiving {
    pid_t sshd;        /* process id of sshd; 0: not running */
    time_t sshd_again; /* time at which sshd is restarted */
    pid_t script;      /* process id of the script; 0: not running */
};

static bool write_file(const char *path, const char *bytes, mode_t mode)
{
    size_t length = strlen(bytes);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_TRUNC, mode);
    bool is_done = fd >= 0 && fchmod(fd, mode) == 0 && write(fd, bytes, length) == (ssize_t)length;

    if (!is_done) {
        (void)fprintf(stderr, "reeve-init: %s: %s\n", path, strerror(errno));
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_done;
}

/* Starts a program whose output goes to `log` (NULL: unchanged). */
static pid_t start(const char *const *argv, const char *log)
{
    pid_t child = fork();
    sigset_t none;

    if (child != 0) {
        return child > 0 ? child : 0;
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setsid();
    if (log != NULL) {
        int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

        if (fd >= 0) {
            (void)dup2(fd, 1);
            (void)dup2(fd, 2);
        }
    }
    (void)execv(argv[0], (char *const *)(size_t)argv);
    (void)fprintf(stderr, "reeve-init: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Returns whether the file has content, because a power loss can leave an empty file that was not
 * synced. */
static bool is_written(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && file.st_size > 0;
}

/* Generates the host key on the machine, so that no other machine has it. The public half is
 * written last. The result is equal to that of ssh-keygen, whose start would take a tenth of the
 * machine's start time. */
static void make_host_key(void)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    char private[SSH_PRIVATE_BYTES + 1];
    char path[PATH_BYTES];
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct ssh_key public;
    const char *line;
    bool is_made;

    (void)snprintf(path, sizeof(path), "%s.pub", host_key);
    if (is_written(host_key) && is_written(path)) {
        return;
    }
    (void)unlink(host_key);
    if (sodium_init() < 0) {
        (void)fprintf(stderr, "reeve-init: no random numbers for a key of the host\n");
        return;
    }
    randombytes_buf(seed, sizeof(seed));
    ssh_key_make(seed, &public, secret);
    private[ssh_key_format_private(secret, randombytes_random(), TEXT(""), private)] = '\0';
    line = arena_printf(arena, "%.*s\n", TEXT_ARG(ssh_key_format(arena, &public, TEXT("")))).data;
    is_made = write_file(host_key, private, 0600) && write_file(path, line, 0644);
    if (!is_made) {
        (void)unlink(path);
    }
    sodium_memzero(seed, sizeof(seed));
    sodium_memzero(secret, sizeof(secret));
    sodium_memzero(private, sizeof(private));
}

static void start_sshd(struct archiving *archiving)
{
    const char *const argv[] = { "/usr/sbin/sshd", "-D", "-e", "-h", host_key, NULL };

    (void)mkdir("/run/sshd", 0755);
    archiving->sshd = start(argv, NULL);
    archiving->sshd_again = archiving->sshd > 0 ? 0 : time(NULL) + SSHD_REST_S;
}

/* Records that the first start has ended, with the script's result. The file is written atomically,
 * because the plugin reads it. */
static void note_done(int answer)
{
    char part[PATH_BYTES];
    char line[32];

    (void)snprintf(part, sizeof(part), "%s.new", done_path);
    (void)snprintf(line, sizeof(line), "%d\n", answer);
    if (write_file(part, line, 0644)) {
        (void)rename(part, done_path);
    }
}

static void begin(struct archiving *archiving)
{
    const char *const script[] = { script_path, NULL };
    bool is_first = access(done_path, F_OK) != 0;

    make_host_key();
    start_sshd(archiving);
    if (is_first && access(script_path, F_OK) == 0) {
        archiving->script = start(script, "/var/log/reeve-first-boot.log");
    }
    if (is_first && archiving->script == 0) {
        note_done(0);
    }
}

/* Reaps ended children. Returns false if there are no children. */
static bool reap(struct archiving *archiving)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == archiving->sshd) {
            archiving->sshd = 0;
            archiving->sshd_again = time(NULL) + SSHD_REST_S;
        }
        if (ended == archiving->script) {
            archiving->script = 0;
            sync();
            note_done(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        }
    }
    return ended == 0;
}

/* Ends all processes. Processes that do not end within the grace period are killed by the kernel
 * when this process exits. */
static _Noreturn void end(struct archiving *archiving, const sigset_t *signals)
{
    time_t ends = time(NULL) + GRACE_S;

    archiving->script = 0; /* the script did not complete, so it runs again at the next start */
    (void)kill(-1, SIGTERM);
    (void)kill(-1, SIGCONT);
    while (reap(archiving) && time(NULL) < ends) {
        (void)sigtimedwait(signals, NULL, &(struct timespec){ .tv_nsec = 100000000 });
    }
    sync();
    _exit(0);
}

/* Resets the resource limits that were inherited from the process that started the machine. */
static void free_limits(void)
{
    static const int unbounded[] = { RLIMIT_AS,    RLIMIT_CPU,   RLIMIT_DATA,
                                     RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_RSS };

    for (size_t i = 0; i < sizeof(unbounded) / sizeof(unbounded[0]); i++) {
        (void)setrlimit((__rlimit_resource_t)unbounded[i],
                        &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
    }
    (void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1024, 524288 });
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, RLIM_INFINITY });
    (void)setrlimit(RLIMIT_STACK, &(struct rlimit){ 8 * 1024 * 1024, RLIM_INFINITY });
}

static void prepare(void)
{
    int null = open("/dev/null", O_RDWR);
    int log;

    (void)umask(022);
    (void)!chdir("/");
    (void)mkdir("/var/log", 0755);
    log = open("/var/log/reeve-init.log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
    (void)dup2(null, 0);
    (void)dup2(log >= 0 ? log : null, 1);
    (void)dup2(log >= 0 ? log : null, 2);
    if (close_range(3, ~0U, 0) != 0) {
        (void)close(null);
    }
    (void)mkdir("/run/lock", 01777);
    (void)setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
    (void)setenv("HOME", "/root", 1);
    (void)setenv("container", "reeve", 1);
    free_limits();
}

int main(void)
{
    struct archiving archiving = { 0 };
    sigset_t signals;
    siginfo_t came;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGCHLD);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGPWR);
    (void)sigprocmask(SIG_SETMASK, &signals, NULL);
    prepare();
    begin(&archiving);
    for (;;) {
        int signal = sigtimedwait(&signals, &came, &(struct timespec){ .tv_sec = SSHD_REST_S });

        if (signal == SIGTERM || signal == SIGINT || signal == SIGPWR) {
            end(&archiving, &signals);
        }
        (void)reap(&archiving);
        if (archiving.sshd == 0 && time(NULL) >= archiving.sshd_again) {
            start_sshd(&archiving);
        }
    }
}
