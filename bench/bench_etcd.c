/* Compares the embedded store, the store in etcd, and etcd without reeve. bench_etcd WHAT FOLDER
 * makes one measurement and prints one number. etcd_beside.py starts etcd, runs the measurements
 * alternately and compares them.
 *
 *   embedded|driver|raw IN-FLIGHT COUNT   durable writes of 1 KiB per second; raw: plain puts of
 *                                         etcd over the same connection, without transactions
 *   fill-embedded|fill-driver COUNT       puts COUNT objects of 1 KiB, 100 per transaction
 *   open-embedded                         seconds until a store is open */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "etcd_env.h"
#include "etcd/etcd_link.h"
#include "etcd/etcd_wire.h"
#include "sqlite/sqlite.h"

enum { VALUE_BYTES = 1024, KEYS = 10000, FILL_OPS = 100, IN_FLIGHT_MAX = 64 };

static const unsigned char incarnation[16] = "bench-store-----";

struct run {
    struct store *store;    /* NULL for a raw measurement */
    struct etcd_link *link; /* connection for a raw measurement */
    struct arena *arenas[IN_FLIGHT_MAX];
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

static _Noreturn void give_up(const struct err *err)
{
    fprintf(stderr, "bench_etcd: %s\n", err->text);
    exit(1);
}

static void turn(const struct run *run)
{
    int fd = run->store != NULL ? store_descriptor(run->store) : etcd_link_descriptor(run->link);

    poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 1000);
    if (run->store != NULL) {
        store_run(run->store);
    } else {
        etcd_link_run(run->link);
    }
}

static void key_write(char key[64], unsigned number)
{
    snprintf(key, 64, "/bench/node/%08u/status", number);
}

/* ---- one write after another ---- */

struct slot {
    struct run *run;
    struct arena *arena;
};

static void write_start(struct slot *slot);

static void write_end(struct slot *slot, enum outcome outcome, const struct err *err)
{
    if (outcome != OUTCOME_OK) {
        give_up(err);
    }
    slot->run->finished++;
    if (slot->run->started < slot->run->total) {
        write_start(slot);
    }
}

static void store_wrote(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    write_end(arg, outcome, &answer->err);
}

static void raw_wrote(void *arg, const struct etcd_reply *reply)
{
    write_end(arg, reply->outcome, &reply->err);
}

static void raw_start(struct slot *slot, struct text key)
{
    struct buf message;

    arena_free(slot->arena);
    slot->arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    buf_init(&message, slot->arena);
    wire_add_text(&message, 1, key); /* this message is a PutRequest */
    wire_add_text(&message, 2, (struct text){ slot->run->value, VALUE_BYTES });
    etcd_link_call(slot->run->link, "KV/Put", buf_text(&message), slot->arena, raw_wrote, slot);
}

static void write_start(struct slot *slot)
{
    struct run *run = slot->run;
    char key[64];
    struct store_op op = { .value = { run->value, VALUE_BYTES } };

    key_write(key, run->started * 7919 % KEYS);
    snprintf(run->value, 32, "%u", run->started++);
    op.key = text_from(key);
    if (run->store == NULL) {
        raw_start(slot, op.key);
    } else {
        store_txn(run->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, store_wrote, slot);
    }
}

static double writes_rate(struct run *run, unsigned in_flight, unsigned total)
{
    struct slot slots[IN_FLIGHT_MAX] = { { 0 } };
    double start;

    run->total = total / 10; /* the first pass is a warm-up, in which connections are opened */
    for (int pass = 0; pass < 2; pass++) {
        run->started = run->finished = 0;
        start = now_seconds();
        for (unsigned i = 0; i < in_flight && i < IN_FLIGHT_MAX; i++) {
            slots[i].run = run;
            write_start(&slots[i]);
        }
        while (run->finished < run->total) {
            turn(run);
        }
        start = now_seconds() - start;
        run->total = total;
    }
    for (unsigned i = 0; i < IN_FLIGHT_MAX; i++) {
        arena_free(slots[i].arena);
    }
    return total / start;
}

/* ---- many objects ---- */

static void fill_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    if (outcome != OUTCOME_OK) {
        give_up(&answer->err);
    }
    run->finished++;
}

static void fill(struct run *run, unsigned count)
{
    for (unsigned at = 0; at < count; at += FILL_OPS) {
        struct store_op ops[FILL_OPS];
        char keys[FILL_OPS][64];

        for (unsigned i = 0; i < FILL_OPS; i++) {
            key_write(keys[i], at + i);
            ops[i] = (struct store_op){ .key = text_from(keys[i]),
                                        .value = { run->value, VALUE_BYTES } };
        }
        store_txn(run->store, &(struct store_txn){ .ops = ops, .op_count = FILL_OPS }, fill_done,
                  run);
        while (run->finished * FILL_OPS < at + FILL_OPS) {
            turn(run);
        }
    }
}

/* ---- which ---- */

static void embedded_open(struct run *run, const char *folder)
{
    struct err err = { 0 };

    if (!sqlite_open(folder, incarnation, &run->store, &err)) {
        give_up(&err);
    }
}

static void driver_open(struct run *run)
{
    struct err err = { 0 };

    if (!etcd_env_open("/bench/driver/", incarnation, &run->store, &err)) {
        give_up(&err);
    }
}

static void raw_open(struct run *run)
{
    const char *endpoint = getenv("ETCD_ENDPOINT");
    struct etcd_options options = { .endpoints = &endpoint,
                                    .endpoint_count = 1,
                                    .ca_file = getenv("ETCD_CA"),
                                    .certificate_file = getenv("ETCD_CERT"),
                                    .key_file = getenv("ETCD_KEY"),
                                    .prefix = "/bench/raw/" };
    struct err err = { 0 };

    if (endpoint == NULL || !etcd_link_open(&options, &run->link, &err)) {
        give_up(&err);
    }
}

int main(int argc, char **argv)
{
    static struct run run;
    const char *what = argc > 2 ? argv[1] : "";
    unsigned first = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    unsigned second = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    double start = now_seconds();

    memset(run.value, 'v', sizeof(run.value));
    if (strstr(what, "embedded") != NULL) {
        embedded_open(&run, argv[2]);
    } else if (strstr(what, "driver") != NULL) {
        driver_open(&run);
    } else if (strcmp(what, "raw") == 0) {
        raw_open(&run);
    } else {
        fprintf(stderr, "usage: bench_etcd WHAT FOLDER [NUMBER]...\n");
        return 64;
    }
    if (strncmp(what, "open-", 5) == 0) {
        printf("%.4f\n", now_seconds() - start);
    } else if (strncmp(what, "fill-", 5) == 0) {
        fill(&run, first);
    } else {
        printf("%.0f\n", writes_rate(&run, first, second));
    }
    store_close(run.store);
    etcd_link_close(run.link);
    return 0;
}
