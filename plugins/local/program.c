#include "program.h"

#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child after the fork. Only async-signal-safe functions are permitted, because the
 * parent process has threads. */
static _Noreturn void run_child(const char *const *argv, pid_t parent)
{
    static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                                               NULL };
    sigset_t none;
    int null = open("/dev/null", O_RDWR);

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && null >= 0 && dup2(null, 0) == 0 && dup2(null, 1) == 1 &&
        dup2(null, 2) == 2) {
        (void)execve(argv[0], (char *const *)(uintptr_t)argv,
                     (char *const *)(uintptr_t)environment);
    }
    _exit(127);
}

int program_run(const char *const *argv, uint64_t limit_ms)
{
    uint64_t ends_ms = work_now_ms() + limit_ms;
    pid_t parent = getpid();
    pid_t child = fork();
    unsigned rest = 1;
    int status;

    if (child < 0) {
        return -1;
    }
    if (child == 0) {
        run_child(argv, parent);
    }
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);

        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        if (ended < 0 && errno != EINTR) {
            return -1;
        }
        if (work_now_ms() > ends_ms) {
            (void)kill(child, SIGKILL);
        }
        work_rest(rest);
        rest = rest < 16 ? rest * 2 : rest;
    }
}
