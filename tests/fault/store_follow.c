/* Follows a store in etcd with a cache, as a manager does, and writes to it: store_follow
 * etcd:PREFIX NAME [reads|fill=N]. It prints one fact per line until its standard input ends. With
 * fill=N it writes N objects of 600 bytes and exits.
 *
 *     loading | ready REVISION        the state of the cache, when it changes
 *     fine | problem CODE TEXT        whether the store is writable, when it changes
 *     ack NUMBER | lost OUTCOME CODE  the outcome of each write of /t/Note/NAME/spec
 *     seen NUMBER                     the cache has this write
 *     other NUMBER                    the cache has the newest write of another process
 *     end NUMBER AGE                  the last acknowledged write, and the newest answer's age */

#include "etcd_env.h"
#include "state/cache.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WRITE_EVERY_MS = 50, TURN_MS = 20 };

struct run {
    struct store *store;
    struct cache *cache;
    char name[64];
    char key[128];
    uint64_t number; /* number of the newest write */
    uint64_t acked;  /* number of the newest acknowledged write */
    /* revision of the newest change of the key, from the cache, for the compare */
    uint64_t revision;
    uint64_t seen;
    uint64_t other;
    bool is_writing;
    bool was_ready;
    enum code problem;
    bool has_problem;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void write_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->is_writing = false;
    if (outcome == OUTCOME_OK) {
        run->acked = run->number;
        printf("ack %" PRIu64 "\n", run->number);
    } else {
        printf("lost %s %s\n", outcome == OUTCOME_UNKNOWN ? "unknown" : "refused",
               code_get(answer->err.code)->name);
    }
    fflush(stdout);
}

static void value_write(struct run *run)
{
    char value[32];
    struct store_op op = { .key = text_from(run->key) };

    snprintf(value, sizeof(value), "%" PRIu64, ++run->number);
    op.value = text_from(value);
    run->is_writing = true;
    store_txn(run->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, write_done, run);
}

static uint64_t cache_number(const struct cache *cache, const char *name)
{
    const struct cache_object *object = cache_find(cache, TEXT("t"), TEXT("Note"), text_from(name));
    char value[32] = "";

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL) {
        return 0;
    }
    snprintf(value, sizeof(value), "%.*s", TEXT_ARG(blob_text(object->parts[CACHE_SPEC].bytes)));
    return strtoull(value, NULL, 10);
}

static void state_report(struct run *run)
{
    bool is_ready = cache_state(run->cache) == CACHE_READY;
    struct store_status status;
    uint64_t seen;

    store_status(run->store, &status);
    if (is_ready != run->was_ready) {
        run->was_ready = is_ready;
        printf(is_ready ? "ready %" PRIu64 "\n" : "loading\n", cache_revision(run->cache));
    }
    if (status.is_writable == run->has_problem ||
        (!status.is_writable && status.problem.code != run->problem)) {
        run->has_problem = !status.is_writable;
        run->problem = status.problem.code;
        if (status.is_writable) {
            printf("fine\n");
        } else {
            printf("problem %s %s\n", code_get(status.problem.code)->name, status.problem.text);
        }
    }
    seen = is_ready ? cache_number(run->cache, run->name) : run->seen;
    if (seen != run->seen) {
        run->seen = seen;
        printf("seen %" PRIu64 "\n", seen);
    }
    seen = is_ready ? cache_number(run->cache, "other") : run->other;
    if (seen != run->other) {
        run->other = seen;
        printf("other %" PRIu64 "\n", seen);
    }
    fflush(stdout);
}

static void fill_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    size_t *left = arg;

    if (outcome != OUTCOME_OK) {
        printf("lost %s\n", answer->err.text);
        exit(1);
    }
    (*left)--;
}

/* Writes many objects, FILL_OPS per transaction, with FILL_CALLS transactions at the same time. */
static void fill(struct store *store, unsigned count)
{
    enum { FILL_OPS = 100, FILL_CALLS = 16, VALUE_BYTES = 600 };
    static char value[VALUE_BYTES];
    size_t left = 0;

    memset(value, 'x', sizeof(value));
    for (unsigned at = 0; at < count; at += FILL_OPS) {
        struct store_op ops[FILL_OPS];
        char keys[FILL_OPS][64];

        for (unsigned i = 0; i < FILL_OPS; i++) {
            snprintf(keys[i], sizeof(keys[i]), "/t/Resource/n%08u/status", at + i);
            ops[i] =
                (struct store_op){ .key = text_from(keys[i]), .value = { value, sizeof(value) } };
        }
        left++;
        store_txn(store, &(struct store_txn){ .ops = ops, .op_count = FILL_OPS }, fill_done, &left);
        while (left >= FILL_CALLS || (at + FILL_OPS >= count && left > 0)) {
            poll(&(struct pollfd){ .fd = store_descriptor(store), .events = POLLIN }, 1, TURN_MS);
            store_run(store);
        }
    }
}

int main(int argc, char **argv)
{
    static const unsigned char incarnation[17] = "0123456789abcdef";
    struct run run = { .has_problem = true };
    struct store_status status;
    uint64_t write_ms = 0;
    struct err err;

    if (argc < 3 || strncmp(argv[1], "etcd:", 5) != 0) {
        return 2;
    }
    snprintf(run.name, sizeof(run.name), "%s", argv[2]);
    snprintf(run.key, sizeof(run.key), "/t/Note/%s/spec", argv[2]);
    if (!etcd_env_open(argv[1] + 5, incarnation, &run.store, &err)) {
        printf("refused %s %s\n", code_get(err.code)->name, err.text);
        return 2;
    }
    if (argc > 3 && strncmp(argv[3], "fill=", 5) == 0) {
        fill(run.store, (unsigned)strtoul(argv[3] + 5, NULL, 10));
        store_close(run.store);
        return 0;
    }
    run.cache = cache_new(run.store, LIMIT_CACHE_CHANGES);
    for (;;) {
        struct pollfd descriptors[2] = { { .fd = store_descriptor(run.store), .events = POLLIN },
                                         { .fd = STDIN_FILENO, .events = POLLIN } };

        poll(descriptors, 2, TURN_MS);
        if (descriptors[1].revents != 0) {
            break;
        }
        store_run(run.store);
        cache_run(run.cache);
        state_report(&run);
        if (!run.is_writing && now_ms() >= write_ms && argc == 3) {
            write_ms = now_ms() + WRITE_EVERY_MS;
            value_write(&run);
        }
    }
    store_status(run.store, &status);
    printf("end %" PRIu64 " %" PRIu64 "\n", run.acked, status.linearizable_age_ms);
    cache_free(run.cache);
    store_close(run.store);
    return 0;
}
