/* Uses the session pool in the same way as a manager, for bench/hands.py:
 *
 *     bench_session_pool REEVE-HAND FOLDER HOSTS PORT KEY rounds COUNT    `true` on all hosts, so many times
 *     bench_session_pool ... turn COUNT                                   on so many hosts, one after the other
 *     bench_session_pool ... idle COPIES                                  so many sessions with each host, and what they cost
 *
 * REEVE-HAND is the path of reeve-session. HOSTS is a file with lines "ADDRESS TYPE BASE64". Prints
 * JSON lines. Processor time and memory include this process and all session processes, with their
 * starts. */
#include "base/buf.h"
#include "base/limits.h"
#include "session_pool/processes.h"
#include "sys/account.h"
#include "sys/file.h"
#include "sys/stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    HOSTS_MAX = 4096,
    FILE_BYTES = 4 << 20,
    TURN_MS = 1000,
    DEADLINE_MS = 300000,
    PIDS = 64,
    REST_MS = 2000
};

struct host {
    struct text address;
    struct text key;
};

struct bench {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct session_processes *processes;
    struct session_pool *session_pool;
    struct host hosts[HOSTS_MAX];
    size_t host_count;
    struct text key;
    uint16_t port;
    size_t alive;
    size_t left;
    size_t failed;
};

static void die(const char *why)
{
    fprintf(stderr, "bench_hands: %s\n", why);
    exit(1);
}

/* ---- figures ---- */

static double seconds(clockid_t clock)
{
    struct timespec now;

    return clock_gettime(clock, &now) == 0 ? (double)now.tv_sec + (double)now.tv_nsec / 1e9 : 0;
}

/* Collect a process and its only child, because a sandboxed session process has a parent that waits
 * for it. */
static size_t family(int pid, int out[static 2])
{
    char path[64];
    FILE *file;

    out[0] = pid;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    file = fopen(path, "r");
    if (file == NULL) {
        return 1;
    }
    pid = fscanf(file, "%d", &out[1]) == 1 ? 2 : 1;
    fclose(file);
    return (size_t)pid;
}

static double cpu_of(int pid)
{
    clockid_t clock;

    return clock_getcpuclockid(pid, &clock) == 0 ? seconds(clock) : 0;
}

static double pss_of(int pid)
{
    char path[64];
    char line[128];
    long kib = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "Pss: %ld", &kib) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return (double)kib / 1024;
}

static double sum(const struct bench *bench, double (*of)(int pid))
{
    double total = of(getpid());
    int pids[PIDS];
    size_t count = session_pool_processes_pids(bench->processes, pids, PIDS);

    for (size_t i = 0; i < count && i < PIDS; i++) {
        int members[2];
        size_t members_count = family(pids[i], members);

        for (size_t j = 0; j < members_count; j++) {
            total += of(members[j]);
        }
    }
    return total;
}

/* ---- runs ---- */

static void came(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct bench *bench = arg;

    bench->left--;
    if (outcome != OUTCOME_OK || result->answer.code != 0) {
        bench->failed++;
        fprintf(stderr, "bench_hands: %s: %.*s\n", transport_fault_name(result->answer.fault),
                TEXT_ARG(result->answer.message));
    }
}

static void begin(struct bench *bench, size_t host, size_t copy)
{
    struct session_run_spec order = {
        .node = arena_printf(bench->arena, "%zu/%zu", host, copy),
        .zone = TEXT("a"),
        .target = { .address = bench->hosts[host].address,
                    .port = bench->port,
                    .user = TEXT("root"),
                    .key = secret_from(bench->key),
                    .host_keys = bench->hosts[host].key },
        .command = TEXT("true"),
        .deadline_ms = DEADLINE_MS,
    };

    bench->left++;
    if (session_pool_run(bench->session_pool, &order, came, bench) == NULL) {
        die("too many wait");
    }
}

static void wait_all(struct bench *bench)
{
    while (bench->left > 0) {
        loop_run_once(bench->loop, TURN_MS);
    }
    if (bench->failed > 0) {
        die("a run failed");
    }
}

static void rounds(struct bench *bench, size_t count)
{
    for (size_t round = 0; round < count; round++) {
        double wall = seconds(CLOCK_MONOTONIC);
        double cpu = round == 0 ? 0 : sum(bench, cpu_of);

        for (size_t i = 0; i < bench->host_count; i++) {
            begin(bench, i, 0);
        }
        wait_all(bench);
        wall = seconds(CLOCK_MONOTONIC) - wall;
        printf("{\"wall_ms\": %.3f, \"cpu_ms\": %.3f, \"hosts\": %zu}\n", wall * 1e3,
               (sum(bench, cpu_of) - cpu) * 1e3, bench->host_count);
    }
}

static void in_turn(struct bench *bench, size_t count)
{
    for (size_t i = 0; i < count && i < bench->host_count; i++) {
        double wall = seconds(CLOCK_MONOTONIC);

        begin(bench, i, 0);
        wait_all(bench);
        printf("{\"wall_ms\": %.3f}\n", (seconds(CLOCK_MONOTONIC) - wall) * 1e3);
    }
}

static void idle(struct bench *bench, size_t copies)
{
    double end;

    for (size_t copy = 0; copy < copies; copy++) {
        for (size_t i = 0; i < bench->host_count; i++) {
            begin(bench, i, copy);
        }
    }
    wait_all(bench);
    for (end = seconds(CLOCK_MONOTONIC) + REST_MS / 1e3; seconds(CLOCK_MONOTONIC) < end;) {
        loop_run_once(bench->loop, 100);
    }
    printf("{\"sessions\": %zu, \"hands\": %zu, \"pss_mib\": %.2f}\n",
           session_pool_state(bench->session_pool).sessions,
           session_pool_state(bench->session_pool).session_pool, sum(bench, pss_of));
}

/* ---- beginning ---- */

static void hosts_read(struct bench *bench, const char *path)
{
    struct text rest;
    struct err err;

    if (!file_read(bench->arena, path, FILE_BYTES, &rest, &err)) {
        die(err.text);
    }
    while (rest.length > 0 && bench->host_count < HOSTS_MAX) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);
        size_t blank = text_find_byte(line, ' ');

        bench->hosts[bench->host_count++] =
            (struct host){ text_slice(line, 0, blank), text_slice(line, blank + 1, line.length) };
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
}

static void bench_open(struct bench *bench, char **argv)
{
    struct err err;

    bench->arena = arena_new(SIZE_MAX);
    bench->log = log_new(&(struct log_options){ .fd = STDERR_FILENO });
    bench->port = (uint16_t)atoi(argv[4]);
    hosts_read(bench, argv[3]);
    if (!file_read(bench->arena, argv[5], FILE_BYTES, &bench->key, &err) ||
        !loop_open(&bench->loop, &err) ||
        !session_pool_processes_open(
            &(struct session_pool_processes_options){ .loop = bench->loop,
                                                      .log = bench->log,
                                                      .program = argv[1],
                                                      .folder = argv[2],
                                                      .alive = &bench->alive },
            &bench->processes, &err) ||
        !session_pool_open(
            &(struct session_pool_options){ .loop = bench->loop,
                                            .log = bench->log,
                                            .random = random_system(),
                                            .maker = session_pool_processes_maker(bench->processes),
                                            .limits = session_pool_limits_usual() },
            &bench->session_pool, &err)) {
        die(err.text);
    }
}

static void bench_close(struct bench *bench)
{
    session_pool_close(bench->session_pool);
    session_pool_processes_close(bench->processes);
    while (bench->alive > 0) {
        loop_run_once(bench->loop, TURN_MS);
    }
    loop_close(bench->loop);
    log_free(bench->log);
    arena_free(bench->arena);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    size_t count;

    if (argc != 8) {
        die("REEVE-HAND FOLDER HOSTS PORT KEY rounds|turn|idle COUNT");
    }
    stream_prepare();
    bench_open(&bench, argv);
    count = (size_t)strtoul(argv[7], NULL, 10);
    if (strcmp(argv[6], "rounds") == 0) {
        rounds(&bench, count);
    } else if (strcmp(argv[6], "turn") == 0) {
        in_turn(&bench, count);
    } else {
        idle(&bench, count);
    }
    bench_close(&bench);
    return 0;
}
