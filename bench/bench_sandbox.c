/* Measures the cost of the sandbox at the start of a process: the time from the call that creates
 * the process to its first message, alternately without a sandbox, in the profile `host` and in the
 * profile `cloud`. The end of the process is not included. */

#include "host/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 301, KINDS = SANDBOX_PROFILE_COUNT + 1, BARE = SANDBOX_PROFILE_COUNT };

static uint64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static _Noreturn void child_run(int kind, const char *folder, int out)
{
    struct sandbox_options options;
    struct sandbox_report report;
    struct err err;

    if (kind == BARE) {
        _exit(write(out, "x", 1) == 1 ? 0 : 1);
    }
    options = sandbox_options_of((enum sandbox_profile)kind);
    options.folder = folder;
    options.descriptors = &out;
    options.descriptor_count = 1;
    _exit(sandbox_enter(&options, &report, &err) && write(out, "x", 1) == 1 ? 0 : 1);
}

static uint64_t round_make(int kind, const char *folder)
{
    uint64_t start = now_us();
    uint64_t taken;
    char byte;
    int ends[2];
    int status;
    pid_t child;

    if (pipe(ends) != 0) {
        exit(1);
    }
    child = fork();
    if (child == 0) {
        child_run(kind, folder, ends[1]);
    }
    (void)!read(ends[0], &byte, 1);
    taken = now_us() - start;
    close(ends[0]);
    close(ends[1]);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fputs("bench_sandbox: a process could not be shut in\n", stderr);
        exit(1);
    }
    return taken;
}

static int number_compare(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;

    return *left < *right ? -1 : *left > *right;
}

int main(void)
{
    static uint64_t taken[KINDS][ROUNDS];
    char folder[] = "/tmp/reeve-bench-XXXXXX";

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            taken[kind][i] = round_make(kind, folder);
        }
    }
    rmdir(folder);
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(taken[kind], ROUNDS, sizeof(taken[kind][0]), number_compare);
    }
    printf("{\"bench\": \"sandbox\", \"bare_us\": %llu, \"host_us\": %llu, \"cloud_us\": %llu}\n",
           (unsigned long long)taken[BARE][ROUNDS / 2],
           (unsigned long long)taken[SANDBOX_HOST][ROUNDS / 2],
           (unsigned long long)taken[SANDBOX_CLOUD][ROUNDS / 2]);
    return 0;
}
