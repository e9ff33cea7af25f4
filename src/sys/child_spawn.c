#include "sys/child_spawn.h"

#include "base/limits.h"
#include "sys/fd.h"
#include "sys/launcher.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Creates the child by clone with CLONE_VM and CLONE_VFORK, as posix_spawn does. fork would copy
 * the page tables of a daemon that holds all objects in memory, and would cause page faults later.
 * posix_spawn itself cannot set limits, bind the child to its parent, or close all descriptors.
 *
 * Until execve the child shares the memory of this process, on a separate stack, while this thread
 * is suspended. It may only make system calls and write into its `struct start`, in which it
 * reports a failed step. All signals are blocked during this time, so that no signal handler of
 * this process runs in the child. */

enum {
    STACK_BYTES = 64 * 1024,
    GUARD_BYTES = 64 * 1024,
    MOVES_MAX = 3 + LIMIT_CHILD_DESCRIPTORS,
    KERNEL_SIGSET_BYTES = 8
};

/* Sanitizers must not instrument this code, because their data about the stack would outlive the
 * stack. */
#define IN_CHILD __attribute__((no_sanitize("address", "undefined")))

struct start {
    const struct child_options *options;
    const char *folder;
    const char *const *envp;
    struct child_descriptor moves[MOVES_MAX];
    size_t move_count;
    int highest; /* highest target number of its descriptors */
    pid_t parent;
    const char *volatile failed; /* the step that failed; NULL: none */
    volatile int number;         /* errno of that step */
};

IN_CHILD static bool child_spawn_step_failed(struct start *start, const char *step)
{
    start->number = errno;
    start->failed = step;
    return false;
}

/* Uses the system call directly, because sigaction() of libc excludes the two signals that libc
 * itself uses. If the parent ignores them, all later programs would ignore them too. All zero means
 * SIG_DFL in every layout. */
IN_CHILD static void signals_reset(void)
{
    static const uint64_t nothing[16];

    for (int number = 1; number < NSIG; number++) {
        syscall(SYS_rt_sigaction, number, nothing, NULL, KERNEL_SIGSET_BYTES);
    }
}

IN_CHILD static bool child_spawn_group_make(struct start *start)
{
    if (start->options->is_session ? setsid() < 0 : setpgid(0, 0) != 0) {
        return child_spawn_step_failed(start, "the process group cannot be made");
    }
    if (start->options->is_killed_with_parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
            return child_spawn_step_failed(start, "the process cannot be bound to its parent");
        }
        if (getppid() != start->parent) { /* the parent has ended, so it will not wait for this
                                           * child */
            _exit(127);
        }
    }
    return true;
}

IN_CHILD static bool limits_set(struct start *start)
{
    for (size_t i = 0; i < start->options->limit_count; i++) {
        const struct child_limit *limit = &start->options->limits[i];
        struct rlimit value = { limit->most, limit->most };

        if (setrlimit((__rlimit_resource_t)limit->resource, &value) != 0) {
            return child_spawn_step_failed(start, "a limit cannot be set");
        }
    }
    return true;
}

IN_CHILD static bool is_child_spawn_target(const struct start *start, int fd)
{
    for (size_t i = 0; i < start->move_count; i++) {
        if (start->moves[i].as == fd) {
            return true;
        }
    }
    return false;
}

/* First moves all descriptors above every target number, so that no descriptor is overwritten
 * before it is moved. */
IN_CHILD static bool descriptors_move(struct start *start)
{
    for (size_t i = 0; i < start->move_count; i++) {
        struct child_descriptor *move = &start->moves[i];

        move->fd = fcntl(move->fd, F_DUPFD_CLOEXEC, start->highest + 1);
        if (move->fd < 0) {
            return child_spawn_step_failed(start, "a descriptor cannot be handed over");
        }
    }
    for (size_t i = 0; i < start->move_count; i++) {
        if (dup2(start->moves[i].fd, start->moves[i].as) < 0) {
            return child_spawn_step_failed(start, "a descriptor cannot be handed over");
        }
    }
    for (int fd = 0; fd < start->highest; fd++) {
        if (!is_child_spawn_target(start, fd)) {
            close(fd);
        }
    }
    if (close_range((unsigned)start->highest + 1, ~0u, 0) != 0) {
        struct rlimit files;

        /* on a kernel before 5.9, close the descriptors one by one up to the limit */
        if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
            return child_spawn_step_failed(start, "open descriptors cannot be closed");
        }
        for (rlim_t fd = (rlim_t)start->highest + 1; fd < files.rlim_max && fd < 1048576; fd++) {
            close((int)fd);
        }
    }
    return true;
}

IN_CHILD static int child_main(void *arg)
{
    struct start *start = arg;
    sigset_t none;

    signals_reset();
    if (!child_spawn_group_make(start)) {
        _exit(127);
    }
    if (chdir(start->folder) != 0) {
        child_spawn_step_failed(start, "the working directory cannot be entered");
        _exit(127);
    }
    if (!descriptors_move(start) || !limits_set(start)) {
        _exit(127);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->options->path, (char *const *)start->options->argv, (char *const *)start->envp);
    child_spawn_step_failed(start, "the program cannot be run");
    _exit(127);
}

bool child_spawn_error(const char *path, const char *step, int number, struct err *err)
{
    err_set(err, CODE_R0533, "'%s' cannot be started: %s: %s", path, step, strerror(number));
    if (number == ENOENT) {
        return err_hint(err, "install the program; reeve doctor lists missing programs");
    }
    if (number == EAGAIN || number == ENOMEM) {
        return err_hint(err, "raise the limit of processes or memory (TasksMax=, MemoryMax= of the "
                             "service)");
    }
    return false;
}

static void moves_add(struct start *start, const int standard[static 3])
{
    const struct child_options *options = start->options;

    for (int i = 0; i < 3; i++) {
        start->moves[start->move_count++] = (struct child_descriptor){ standard[i], i };
    }
    start->highest = 2;
    for (size_t i = 0; i < options->descriptor_count; i++) {
        assert(options->descriptors[i].as > 2 &&
               !is_child_spawn_target(start, options->descriptors[i].as));
        start->moves[start->move_count++] = options->descriptors[i];
        if (options->descriptors[i].as > start->highest) {
            start->highest = options->descriptors[i].as;
        }
    }
}

bool child_spawn_for(pid_t parent, const struct child_options *options,
                     const int standard[static 3], struct child_spawned *out)
{
    static const char *const nothing[] = { NULL };
    struct start start = { .options = options,
                           .folder = options->folder == NULL ? "/" : options->folder,
                           .envp = options->envp == NULL ? nothing : options->envp,
                           .parent = parent };
    int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (parent == getpid() ? 0 : CLONE_PARENT) |
                (options->is_without_pid_fd ? 0 : CLONE_PIDFD);
    sigset_t all;
    sigset_t before;
    int pid_fd = FD_NONE;
    char *stack = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

    assert(options->descriptor_count <= LIMIT_CHILD_DESCRIPTORS);
    *out = (struct child_spawned){ .pid_fd = FD_NONE, .step = "no memory" };
    moves_add(&start, standard);
    if (stack == MAP_FAILED) {
        out->number = errno;
        return false;
    }
    if (mprotect(stack + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
        out->number = errno;
        munmap(stack, GUARD_BYTES + STACK_BYTES);
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    out->pid = clone(child_main, stack + GUARD_BYTES + STACK_BYTES, flags, &start, &pid_fd);
    out->number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stack, GUARD_BYTES + STACK_BYTES);
    if (out->pid < 0) {
        out->pid = 0;
        out->step = "a process cannot be created";
        return false;
    }
    if (start.failed != NULL) {
        fd_cleanup(&pid_fd);
        out->step = start.failed;
        out->number = start.number;
        return false;
    }
    out->pid_fd = pid_fd;
    return true;
}

bool child_spawn(const struct child_options *options, const int standard[static 3],
                 struct child_spawned *out, struct err *err)
{
    struct child_spawned spawned;

    if (launcher_is_running()) {
        return launcher_spawn(options, standard, out, err);
    }
    if (!child_spawn_for(getpid(), options, standard, &spawned)) {
        while (spawned.pid > 0 && waitpid(spawned.pid, NULL, 0) < 0 && errno == EINTR) {
        }
        return child_spawn_error(options->path, spawned.step, spawned.number, err);
    }
    *out = spawned;
    return true;
}
