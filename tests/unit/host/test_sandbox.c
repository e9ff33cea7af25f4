/* Tests the effect of the sandbox. Each attempt is made in the complete sandbox, where it must
 * fail, and without the parts that prevent it, where it must succeed; otherwise the attempt would
 * prove nothing. The tests run as the present user and, if that is root, also as an ordinary
 * user. */

#include "host/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* Results of an attempt, as exit codes of its process. */
enum { REFUSED = 0, WENT_WELL = 1, CANNOT_REPORT = 2, NOT_ENTERED = 3, STUCK = 4 };

enum { USER = 1000, PATIENCE_S = 20, STRAY = 60, MANY = 40, FEW = 20 };

/* The objects outside of the sandbox that attempts try to access. */
struct outside {
    char top[64];    /* folder with all of these */
    char folder[96]; /* the only folder that may be written */
    char secret[96]; /* a file that every user can read */
    char open[96];   /* a folder that every user can write */
    pid_t other;     /* another process of the same user */
    int listener;    /* on the abstract socket */
    char abstract[32];
    struct sandbox_options options;
};

typedef int attempt_fn(const struct outside *outside);

#define BIT(part) (1u << (part))
#define ALL_PARTS (BIT(SANDBOX_PART_COUNT) - 1)

/* ---- doing ---- */

static void without_set(struct sandbox_options *options, unsigned without)
{
    for (int part = 0; part < SANDBOX_PART_COUNT; part++) {
        options->without[part] = (without & BIT(part)) != 0;
    }
}

/* Runs an attempt in the child process. */
static _Noreturn void attempt_run(const struct outside *outside, attempt_fn *attempt,
                                  unsigned without, enum sandbox_profile profile)
{
    struct sandbox_options options = outside->options;
    struct sandbox_report report;
    struct err err;

    for (int number = 1; number < NSIG; number++) {
        /* cmocka's handler would continue with the other tests in this process */
        signal(number, SIG_DFL);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    options.profile = profile;
    without_set(&options, without);
    setenv("REEVE_CANARY", "outside", 1);
    dup2(STDOUT_FILENO, STRAY);
    _exit(sandbox_enter(&options, &report, &err) ? attempt(outside) : NOT_ENTERED);
}

/* Waits for the child. Returns its exit code, or 128 + N after signal N. */
static int child_wait(pid_t child)
{
    int status = 0;

    for (int i = 0; i < PATIENCE_S * 100; i++) {
        if (waitpid(child, &status, WNOHANG) == child) {
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        usleep(10000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return STUCK;
}

static int attempt_make(const struct outside *outside, attempt_fn *attempt, unsigned without,
                        enum sandbox_profile profile)
{
    pid_t child = fork();

    if (child == 0) {
        attempt_run(outside, attempt, without, profile);
    }
    return child_wait(child);
}

/* ---- the world outside ---- */

static _Noreturn void other_run(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    for (;;) {
        pause();
    }
}

static void file_make(const char *path, mode_t mode)
{
    int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(file >= 0);
    assert_int_equal(write(file, "canary", 6), 6);
    assert_int_equal(fchmod(file, mode), 0);
    close(file);
}

static void outside_make(struct outside *outside)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    socklen_t length;

    *outside = (struct outside){ .listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                                 .options = sandbox_options_of(SANDBOX_CLOUD) };
    snprintf(outside->top, sizeof(outside->top), "/tmp/reeve-sandbox-XXXXXX");
    assert_non_null(mkdtemp(outside->top));
    assert_int_equal(chmod(outside->top, 0755), 0);
    snprintf(outside->folder, sizeof(outside->folder), "%s/own", outside->top);
    snprintf(outside->secret, sizeof(outside->secret), "%s/secret", outside->top);
    snprintf(outside->open, sizeof(outside->open), "%s/open", outside->top);
    assert_int_equal(mkdir(outside->folder, 0700), 0);
    assert_int_equal(mkdir(outside->open, 0777), 0);
    assert_int_equal(chmod(outside->open, 0777), 0);
    file_make(outside->secret, 0644);
    snprintf(outside->abstract, sizeof(outside->abstract), "reeve-test-%d", getpid());
    memcpy(address.sun_path + 1, outside->abstract, strlen(outside->abstract));
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(outside->abstract));
    assert_int_equal(bind(outside->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(outside->listener, 64), 0);
    outside->options.folder = outside->folder;
    outside->other = fork();
    if (outside->other == 0) {
        other_run();
    }
}

static void outside_remove(struct outside *outside)
{
    char command[160];

    kill(outside->other, SIGKILL);
    waitpid(outside->other, NULL, 0);
    close(outside->listener);
    snprintf(command, sizeof(command), "rm -rf '%s'", outside->top);
    assert_int_equal(system(command), 0);
}

/* ---- attempts ---- */

static int reported(bool went_well)
{
    return went_well ? WENT_WELL : REFUSED;
}

static int secret_read(const struct outside *outside)
{
    return reported(open(outside->secret, O_RDONLY | O_CLOEXEC) >= 0);
}

static int passwords_read(const struct outside *outside)
{
    (void)outside;
    return reported(open("/etc/shadow", O_RDONLY | O_CLOEXEC) >= 0);
}

static int memory_read(const struct outside *outside)
{
    (void)outside;
    return reported(open("/root", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
}

static int outside_write(const struct outside *outside)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/mine", outside->open);
    return reported(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0);
}

static int system_write(const struct outside *outside)
{
    (void)outside;
    return reported(mkdir("/usr/reeve-test", 0700) == 0 && rmdir("/usr/reeve-test") == 0);
}

static int environment_read(const struct outside *outside)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/environ", outside->other);
    return reported(open(path, O_RDONLY | O_CLOEXEC) >= 0);
}

static int other_seen(const struct outside *outside)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/cmdline", outside->other);
    return reported(open(path, O_RDONLY | O_CLOEXEC) >= 0);
}

static int other_killed(const struct outside *outside)
{
    return reported(kill(outside->other, SIGWINCH) == 0);
}

static int other_traced(const struct outside *outside)
{
    return reported(ptrace(PTRACE_SEIZE, outside->other, 0, 0) == 0);
}

static int tree_mounted(const struct outside *outside)
{
    (void)outside;
    return reported(mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
}

static int space_made(const struct outside *outside)
{
    (void)outside;
    return reported(unshare(CLONE_NEWUSER) == 0);
}

static int program_run(const struct outside *outside)
{
    char *const arguments[] = { (char *)"false", NULL }; /* this program exits with WENT_WELL */

    (void)outside;
    execv("/usr/bin/false", arguments);
    return REFUSED;
}

static int process_made(const struct outside *outside)
{
    pid_t child;

    (void)outside;
    child = fork();
    if (child == 0) {
        _exit(0);
    }
    return reported(child > 0);
}

static int socket_reached(const struct outside *outside)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t length = strlen(outside->abstract);

    memcpy(address.sun_path + 1, outside->abstract, length);
    return reported(fd >= 0 &&
                    connect(fd, (struct sockaddr *)&address,
                            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0);
}

static int user_file_made(const struct outside *outside)
{
    char path[128];
    int file;

    snprintf(path, sizeof(path), "%s/suid", outside->folder);
    file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 04755);
    if (file >= 0) {
        return WENT_WELL;
    }
    file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0755);
    if (file < 0) {
        return CANNOT_REPORT;
    }
    return reported(fchmod(file, 04755) == 0 || chmod(path, 06755) == 0 ||
                    fchmodat(AT_FDCWD, path, 02755, 0) == 0);
}

static int somebody_become(const struct outside *outside)
{
    (void)outside;
    errno = 0;
    /* the process already has this user, so only the filter can prevent it */
    (void)!setuid(getuid());
    return reported(errno == 0);
}

static int key_pressed(const struct outside *outside)
{
    (void)outside;
    errno = 0;
    (void)!ioctl(STRAY + 1, TIOCSTI, "x");
    return reported(errno != EPERM);
}

static int death_undone(const struct outside *outside)
{
    (void)outside;
    return reported(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0);
}

static int dumps_undone(const struct outside *outside)
{
    (void)outside;
    return reported(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

#if !defined(__SANITIZE_ADDRESS__) /* AddressSanitizer needs more memory than any limit */
static int memory_taken(const struct outside *outside)
{
    size_t bytes = (size_t)8 * 1024 * 1024 * 1024;

    (void)outside;
    return reported(mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);
}
#endif

static int core_written(const struct outside *outside)
{
    struct rlimit limit;

    (void)outside;
    return reported(getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 0 ||
                    prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0);
}

static int name_known(const struct outside *outside)
{
    struct utsname name;

    (void)outside;
    return reported(uname(&name) != 0 || strcmp(name.nodename, "plugin") != 0);
}

static void *thread_wait(void *arg)
{
    (void)arg;
    for (;;) {
        pause();
    }
    return NULL;
}

static int threads_begun(const struct outside *outside)
{
    int count = 0;
    pthread_t thread;

    (void)outside;
    while (count < MANY && pthread_create(&thread, NULL, thread_wait, NULL) == 0) {
        count++;
    }
    return count == 0 ? CANNOT_REPORT : reported(count == MANY);
}

#define SPACES \
    (BIT(SANDBOX_USER) | BIT(SANDBOX_FILES) | BIT(SANDBOX_PROCESSES) | BIT(SANDBOX_IDENTITY))
#define RULES  (BIT(SANDBOX_LANDLOCK) | BIT(SANDBOX_SCOPES))
#define POWERS (BIT(SANDBOX_CAPABILITIES) | BIT(SANDBOX_PRIVILEGES))

/* The attempts, with the parts of the sandbox that prevent each. Without these parts it
 * succeeds. */
static const struct attempt {
    const char *name;
    attempt_fn *make;
    unsigned against;
    bool is_roots; /* only for root, because it always fails for an ordinary user */
} attempts[] = {
    { "read a file of everybody's, outside", secret_read, BIT(SANDBOX_FILES) | RULES, false },
    { "read /etc/shadow", passwords_read, SPACES | RULES, true },
    { "read /root", memory_read, SPACES | RULES, true },
    { "write where everybody may", outside_write, BIT(SANDBOX_FILES) | RULES, false },
    { "write where root may", system_write, SPACES | RULES, true },
    { "read another process' environment", environment_read,
      SPACES | RULES | BIT(SANDBOX_CAPABILITIES) | BIT(SANDBOX_DUMPS), false },
    { "see another process", other_seen, BIT(SANDBOX_PROCESSES) | BIT(SANDBOX_FILES) | RULES,
      false },
    { "signal another process", other_killed, SPACES | RULES, false },
    { "trace another process", other_traced, SPACES | RULES | POWERS | BIT(SANDBOX_CALLS), false },
    { "mount", tree_mounted,
      BIT(SANDBOX_USER) | BIT(SANDBOX_IDENTITY) | RULES | POWERS | BIT(SANDBOX_CALLS), true },
    { "make a namespace", space_made, BIT(SANDBOX_CALLS) | BIT(SANDBOX_THREADS), false },
    { "run a program", program_run, BIT(SANDBOX_CALLS) | RULES, false },
    { "make a process", process_made, BIT(SANDBOX_CALLS), false },
    { "reach an abstract socket", socket_reached, BIT(SANDBOX_CALLS) | RULES, false },
    { "make a set-user-ID file", user_file_made, BIT(SANDBOX_CALLS), false },
    { "become somebody", somebody_become, BIT(SANDBOX_CALLS), false },
    { "press a key in a terminal", key_pressed, BIT(SANDBOX_CALLS), false },
    { "outlive its manager", death_undone, BIT(SANDBOX_CALLS), false },
    { "show its memory", dumps_undone, BIT(SANDBOX_CALLS), false },
    { "have its memory written out", core_written, BIT(SANDBOX_DUMPS), false },
    { "know this machine's name", name_known, BIT(SANDBOX_NAME), false },
    { "begin many threads", threads_begun, BIT(SANDBOX_THREADS), false },
#if !defined(__SANITIZE_ADDRESS__)
    { "take more memory than it may", memory_taken, BIT(SANDBOX_LIMITS), false },
#endif
};

/* ---- what must go well ---- */

static int folder_written(const struct outside *outside)
{
    char from[128];
    char to[128];
    int file;

    snprintf(from, sizeof(from), "%s/a", outside->folder);
    snprintf(to, sizeof(to), "%s/b", outside->folder);
    file = open(from, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    return reported(file >= 0 && write(file, "x", 1) == 1 && fsync(file) == 0 &&
                    rename(from, to) == 0 && unlink(to) == 0 && mkdir(from, 0700) == 0 &&
                    rmdir(from) == 0);
}

static int passing_written(const struct outside *outside)
{
    (void)outside;
    return reported(open("/tmp/passing", O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0);
}

static int loopback_used(const struct outside *outside)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)outside;
    return reported(bind(listener, (struct sockaddr *)&address, length) == 0 &&
                    listen(listener, 1) == 0 &&
                    getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
                    connect(caller, (struct sockaddr *)&address, length) == 0 &&
                    accept(listener, NULL, NULL) >= 0);
}

static void *thread_answer(void *arg)
{
    return arg;
}

static int thread_used(const struct outside *outside)
{
    pthread_t thread;
    void *answer = NULL;

    return reported(pthread_create(&thread, NULL, thread_answer, (void *)(uintptr_t)outside) == 0 &&
                    pthread_join(thread, &answer) == 0 && answer == (const void *)outside);
}

static int object_loaded(const struct outside *outside)
{
    (void)outside;
    return reported(dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) != NULL);
}

static int sockets_paired(const struct outside *outside)
{
    int pair[2];

    (void)outside;
    return reported(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
}

static int nothing_left(const struct outside *outside)
{
    (void)outside;
    return reported(getenv("REEVE_CANARY") == NULL && fcntl(STRAY, F_GETFD) < 0);
}

static const struct {
    const char *name;
    attempt_fn *make;
} uses[] = {
    { "write in its folder", folder_written },
    { "write in /tmp", passing_written },
    { "use the network", loopback_used },
    { "use a thread", thread_used },
    { "load a shared object", object_loaded },
    { "make a pair of sockets", sockets_paired },
    { "find no variable and no descriptor of before", nothing_left },
};

/* ---- cases ---- */

static bool is_root(void)
{
    return getuid() == 0;
}

static unsigned attempts_judge(const struct outside *outside)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < ARRAY_COUNT(attempts); i++) {
        const struct attempt *attempt = &attempts[i];
        int inside = attempt_make(outside, attempt->make, 0, SANDBOX_CLOUD);
        int bare = attempt->is_roots && !is_root()
                       ? WENT_WELL
                       : attempt_make(outside, attempt->make, attempt->against, SANDBOX_CLOUD);

        if (inside != REFUSED || bare != WENT_WELL) {
            print_error("# uid %u: %s: %d inside (should be %d), %d with nothing against it (%d)\n",
                        getuid(), attempt->name, inside, REFUSED, bare, WENT_WELL);
            wrong++;
        }
    }
    return wrong;
}

static unsigned uses_judge(const struct outside *outside)
{
    unsigned wrong = 0;

    for (size_t i = 0; i < ARRAY_COUNT(uses); i++) {
        int inside = attempt_make(outside, uses[i].make, 0, SANDBOX_CLOUD);

        if (inside != WENT_WELL) {
            print_error("# uid %u: %s: %d (should be %d)\n", getuid(), uses[i].name, inside,
                        WENT_WELL);
            wrong++;
        }
    }
    return wrong;
}

/* Runs `judge` as this user, or in a child as another user. Returns the number of wrong results. */
static unsigned judge_as(uid_t user, unsigned (*judge)(const struct outside *))
{
    struct outside outside;
    unsigned wrong;
    pid_t child = fork();

    if (child > 0) {
        int status = 0;

        waitpid(child, &status, 0);
        return WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 1;
    }
    if (user != getuid() &&
        (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)) {
        _exit(1);
    }
    /* restore the state after a program start, which the change of the user has cleared */
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    outside_make(&outside);
    outside.options.threads_max = FEW;
    wrong = judge(&outside);
    outside_remove(&outside);
    _exit(wrong > 100 ? 100 : (int)wrong);
}

static void judge_all(unsigned (*judge)(const struct outside *))
{
    assert_int_equal(judge_as(getuid(), judge), 0);
    if (is_root()) {
        assert_int_equal(judge_as(USER, judge), 0);
    } else {
        print_message("# SKIP as root: this is an ordinary user\n");
    }
}

static void what_must_not_be(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    print_message(
        "# SKIP take more memory than it may: the sanitizer needs more (see the release build)\n");
#endif
    judge_all(attempts_judge);
}

static void what_must_be(void **state)
{
    (void)state;
    judge_all(uses_judge);
}

/* ---- system calls by number ---- */

static const struct {
    long number;
    const char *name;
} refused_calls[] = {
    { SYS_bpf, "bpf" },
    { SYS_io_uring_setup, "io_uring_setup" },
    { SYS_keyctl, "keyctl" },
    { SYS_add_key, "add_key" },
    { SYS_perf_event_open, "perf_event_open" },
    { SYS_userfaultfd, "userfaultfd" },
    { SYS_setns, "setns" },
    { SYS_unshare, "unshare" },
    { SYS_mount, "mount" },
    { SYS_umount2, "umount2" },
    { SYS_pivot_root, "pivot_root" },
    { SYS_open_tree, "open_tree" },
    { SYS_fsopen, "fsopen" },
    { SYS_move_mount, "move_mount" },
    { SYS_ptrace, "ptrace" },
    { SYS_process_vm_readv, "process_vm_readv" },
    { SYS_process_vm_writev, "process_vm_writev" },
    { SYS_pidfd_getfd, "pidfd_getfd" },
    { SYS_pidfd_open, "pidfd_open" },
    { SYS_personality, "personality" },
    { SYS_init_module, "init_module" },
    { SYS_finit_module, "finit_module" },
    { SYS_kexec_load, "kexec_load" },
    { SYS_execve, "execve" },
    { SYS_execveat, "execveat" },
    { SYS_chroot, "chroot" },
    { SYS_seccomp, "seccomp" },
    { SYS_memfd_create, "memfd_create" },
    { SYS_shmget, "shmget" },
    { SYS_mq_open, "mq_open" },
    { SYS_setresuid, "setresuid" },
    { SYS_capset, "capset" },
    { SYS_mknodat, "mknodat" },
    { SYS_name_to_handle_at, "name_to_handle_at" },
    { SYS_quotactl, "quotactl" },
    { SYS_reboot, "reboot" },
};

/* Returns the number of the first call that is not refused, added to the numbers of the other
 * results. */
static int calls_refused(const struct outside *outside)
{
    (void)outside;
    for (size_t i = 0; i < ARRAY_COUNT(refused_calls); i++) {
        errno = 0;
        if (syscall(refused_calls[i].number, -1L, -1L, -1L, -1L, -1L, -1L) != -1 ||
            errno != EPERM) {
            return 10 + (int)i;
        }
    }
    errno = 0;
    return syscall(SYS_clone3, NULL, 0) == -1 && errno == ENOSYS ? REFUSED : 9;
}

/* In the profile `host` these calls are permitted, because plugins create machines with them, and
 * users work in those machines. */
static int machine_calls_stay(const struct outside *outside)
{
    static const long stay[] = { SYS_mount, SYS_unshare, SYS_setns, SYS_keyctl,
                                 SYS_process_vm_readv };
    pid_t child;

    (void)outside;
    for (size_t i = 0; i < ARRAY_COUNT(stay); i++) {
        errno = 0;
        (void)!syscall(stay[i], -1L, -1L, -1L, -1L, -1L, -1L);
        if (errno == EPERM) {
            return 10 + (int)i;
        }
    }
    child = fork();
    if (child == 0) {
        char *const arguments[] = { (char *)"true", NULL };

        execv("/usr/bin/true", arguments);
        _exit(1);
    }
    if (child < 0 || child_wait(child) != 0) {
        return 9;
    }
    return reported(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
}

static int machine_calls_refused(const struct outside *outside)
{
    static const long refused[] = { SYS_kexec_load, SYS_init_module, SYS_perf_event_open,
                                    SYS_open_by_handle_at };

    (void)outside;
    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        errno = 0;
        (void)!syscall(refused[i], -1L, -1L, -1L, -1L, -1L, -1L);
        if (errno != EPERM) {
            return 10 + (int)i;
        }
    }
    return REFUSED;
}

static void calls_by_number(void **state)
{
    struct outside outside;

    (void)state;
    outside_make(&outside);
    assert_int_equal(attempt_make(&outside, calls_refused, 0, SANDBOX_CLOUD), REFUSED);
    assert_int_not_equal(attempt_make(&outside, calls_refused, BIT(SANDBOX_CALLS), SANDBOX_CLOUD),
                         REFUSED);
    outside_remove(&outside);
}

static void a_host_makes_machines(void **state)
{
    struct outside outside;

    (void)state;
    if (!is_root()) {
        print_message("# SKIP the profile host: this is an ordinary user\n");
        skip();
    }
    outside_make(&outside);
    assert_int_equal(attempt_make(&outside, machine_calls_stay, 0, SANDBOX_HOST), WENT_WELL);
    assert_int_equal(attempt_make(&outside, machine_calls_refused, 0, SANDBOX_HOST), REFUSED);
    assert_int_not_equal(
        attempt_make(&outside, machine_calls_refused, BIT(SANDBOX_CALLS), SANDBOX_HOST), REFUSED);
    assert_int_equal(attempt_make(&outside, core_written, 0, SANDBOX_HOST), REFUSED);
    assert_int_equal(attempt_make(&outside, nothing_left, 0, SANDBOX_HOST), WENT_WELL);
    outside_remove(&outside);
}

/* ---- beginning and ending ---- */

static int ends_with_seven(const struct outside *outside)
{
    (void)outside;
    return getpid() == 1 ? 7 : CANNOT_REPORT;
}

static int ends_badly(const struct outside *outside)
{
    (void)outside;
    abort();
}

static void its_end_is_reported(void **state)
{
    struct outside outside;
    int code;

    (void)state;
    outside_make(&outside);
    assert_int_equal(attempt_make(&outside, ends_with_seven, 0, SANDBOX_CLOUD), 7);
    code = attempt_make(&outside, ends_badly, 0, SANDBOX_CLOUD);
    assert_true(code > 128 && code != 128 + SIGKILL);
    outside_remove(&outside);
}

/* Holds its standard output open until its standard input ends. */
static int stays(const struct outside *outside)
{
    char byte;

    (void)outside;
    (void)!write(STDOUT_FILENO, "x", 1);
    (void)!read(STDIN_FILENO, &byte, 1);
    return 0;
}

/* Returns whether the sandboxed process ends as soon as the process that waits for it is killed.
 * The end of the pipe shows it. */
static bool ends_with_waiter(const struct outside *outside, unsigned without)
{
    struct pollfd end = { .events = POLLIN };
    char byte;
    int ends[2];
    int stay[2];
    bool is_over;
    pid_t child;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pipe2(stay, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
        close(stay[1]);
        dup2(stay[0], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        attempt_run(outside, stays, without, SANDBOX_CLOUD);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    end.fd = ends[0];
    is_over = poll(&end, 1, without == 0 ? PATIENCE_S * 1000 : 500) == 1;
    close(stay[1]);
    while (read(ends[0], &byte, 1) > 0) { /* wait until the process has ended in any case */
    }
    close(stay[0]);
    close(ends[0]);
    return is_over;
}

static void it_dies_with_who_waits(void **state)
{
    struct outside outside;

    (void)state;
    outside_make(&outside);
    assert_true(ends_with_waiter(&outside, 0));
    assert_false(ends_with_waiter(&outside, BIT(SANDBOX_DEATH)));
    outside_remove(&outside);
}

static void what_is_there_is_known(void **state)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct sandbox_report report;
    struct err err;

    (void)state;
    assert_true(sandbox_probe(SANDBOX_CLOUD, &report, &err));
    for (int i = 0; i < SANDBOX_PART_COUNT; i++) {
        struct text words = sandbox_part_words(arena, &report, (enum sandbox_part)i);

        print_message("# %s: %.*s\n", sandbox_part_name((enum sandbox_part)i), TEXT_ARG(words));
        assert_true(i == SANDBOX_NETWORK || report.parts[i].state != SANDBOX_NOT_MEANT);
    }
    assert_int_equal(report.parts[SANDBOX_CALLS].state, SANDBOX_IN_FORCE);
}

/* Moves the test into separate namespaces, because successful attempts have real effects; a mount
 * would otherwise be made on the whole computer. */
static int apart(void **state)
{
    (void)state;
    if (!is_root()) {
        return 0;
    }
    return unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_known), cmocka_unit_test(what_must_not_be),
        cmocka_unit_test(what_must_be),           cmocka_unit_test(calls_by_number),
        cmocka_unit_test(a_host_makes_machines),  cmocka_unit_test(its_end_is_reported),
        cmocka_unit_test(it_dies_with_who_waits),
    };

    return cmocka_run_group_tests(tests, apart, NULL);
}
