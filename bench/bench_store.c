/* Compares the embedded store with its disk: durable writes of 1 KiB values, one or 64 at the same
 * time, alternating with plain append and fdatasync of the same number of bytes in the same folder.
 * Usage: bench_store FOLDER. Prints JSON lines. */

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "sqlite/sqlite.h"

enum { ROUNDS = 5, VALUE_BYTES = 1024, ONE_WRITES = 1000, MANY_WRITES = 40000, KEYS = 10000 };

static const unsigned char incarnation[16] = "bench-store-----";

struct run {
    struct store *store;
    unsigned started;
    unsigned finished;
    unsigned total;
    char value[VALUE_BYTES];
};

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void write_start(struct run *run);

static void write_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    if (outcome != OUTCOME_OK) {
        fprintf(stderr, "bench_store: %s\n", answer->err.text);
        exit(1);
    }
    run->finished++;
    if (run->started < run->total) {
        write_start(run);
    }
}

static void write_start(struct run *run)
{
    char key[64];
    struct store_op op;

    snprintf(key, sizeof(key), "/bench/node/%08u/spec", run->started * 7919 % KEYS);
    snprintf(run->value, 32, "%u", run->started);
    op = (struct store_op){ .key = text_from(key), .value = { run->value, VALUE_BYTES } };
    run->started++;
    store_txn(run->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, write_done, run);
}

/* Return the number of writes per second with `in_flight` writes in progress at the same time. */
static double store_rate(const char *folder, unsigned in_flight, unsigned total)
{
    struct run run = { .total = total };
    struct err err;
    double start;

    if (!sqlite_open(folder, incarnation, &run.store, &err)) {
        fprintf(stderr, "bench_store: %s\n", err.text);
        exit(1);
    }
    memset(run.value, 'v', sizeof(run.value));
    start = now_seconds();
    while (run.started < in_flight) {
        write_start(&run);
    }
    while (run.finished < total) {
        poll(&(struct pollfd){ .fd = store_descriptor(run.store), .events = POLLIN }, 1, 1000);
        store_run(run.store);
    }
    start = now_seconds() - start;
    store_close(run.store);
    return total / start;
}

/* Return the number of synced appends of the same size per second, which is the limit of the
 * disk. */
static double raw_rate(const char *folder)
{
    char path[512];
    char value[VALUE_BYTES] = { 0 };
    double start;
    int file;

    snprintf(path, sizeof(path), "%s/raw", folder);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    start = now_seconds();
    for (int i = 0; i < ONE_WRITES; i++) {
        if (write(file, value, sizeof(value)) != VALUE_BYTES || fdatasync(file) != 0) {
            perror("bench_store");
            exit(1);
        }
    }
    start = now_seconds() - start;
    close(file);
    unlink(path);
    return ONE_WRITES / start;
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    double raw[ROUNDS];
    double one[ROUNDS];
    double many[ROUNDS];
    const char *parent = argc > 1 ? argv[1] : "/tmp";
    static const char *const names[] = { "store.db", "store.db-wal", "store.db-shm", "store.lock",
                                         "store.db-note" };

    for (int round = 0; round < ROUNDS; round++) {
        char folder[256];
        char path[512];

        snprintf(folder, sizeof(folder), "%s/bench-store-XXXXXX", parent);
        if (mkdtemp(folder) == NULL) {
            perror("bench_store");
            return 1;
        }
        raw[round] = raw_rate(folder);
        one[round] = store_rate(folder, 1, ONE_WRITES);
        many[round] = store_rate(folder, 64, MANY_WRITES);
        for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
            snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
            unlink(path);
        }
        rmdir(folder);
    }
    qsort(raw, ROUNDS, sizeof(double), double_compare);
    qsort(one, ROUNDS, sizeof(double), double_compare);
    qsort(many, ROUNDS, sizeof(double), double_compare);
    printf("{\"bench\": \"append and fdatasync of 1 KiB\", \"per_s\": %.0f}\n", raw[ROUNDS / 2]);
    printf("{\"bench\": \"store, one writer of 1 KiB\", \"per_s\": %.0f, \"of_raw\": %.2f, "
           "\"target_of_raw\": 0.8}\n",
           one[ROUNDS / 2], one[ROUNDS / 2] / raw[ROUNDS / 2]);
    printf("{\"bench\": \"store, 64 writers of 1 KiB\", \"per_s\": %.0f, \"of_raw\": %.2f}\n",
           many[ROUNDS / 2], many[ROUNDS / 2] / raw[ROUNDS / 2]);
    return 0;
}
