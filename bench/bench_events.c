/* Creates a store with COUNT events of the tenant `default`, for events.py. Usage: bench_events
 * FOLDER COUNT. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "sqlite/sqlite.h"

enum { EACH = 100, IN_FLIGHT = 8, STEP_MS = 1000 };

static const unsigned char incarnation[16] = "bench-events----";

struct filling {
    struct store *store;
    uint64_t begun;
    uint64_t done;
    uint64_t count;
};

static void events_write(struct filling *filling);

static void events_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct filling *filling = arg;

    if (outcome != OUTCOME_OK) {
        fprintf(stderr, "bench_events: %s\n", answer->err.text);
        exit(1);
    }
    filling->done += EACH;
    if (filling->begun < filling->count) {
        events_write(filling);
    }
}

static void events_write(struct filling *filling)
{
    struct store_event events[EACH];
    char bodies[EACH][256];

    for (size_t i = 0; i < EACH; i++) {
        uint64_t number = filling->begun++;
        int length =
            snprintf(bodies[i], sizeof(bodies[i]),
                     "{\"actor\":\"reeve\",\"fact\":\"it answers again\",\"group\":\"web\","
                     "\"kind\":\"Cluster\",\"name\":\"shop\",\"node\":\"web-%llu\","
                     "\"rule\":\"probe\",\"type\":\"machine.healthy\"}",
                     (unsigned long long)(number % 1000));

        events[i] = (struct store_event){ .cluster = TEXT("default/shop"),
                                          .body = { bodies[i], (size_t)length },
                                          .time_ms = 1790000000000 + number * STEP_MS };
    }
    store_txn(filling->store, &(struct store_txn){ .events = events, .event_count = EACH },
              events_written, filling);
}

int main(int argc, char **argv)
{
    struct filling filling = { 0 };
    struct err err;

    if (argc != 3) {
        fprintf(stderr, "bench_events FOLDER COUNT\n");
        return 2;
    }
    filling.count = strtoull(argv[2], NULL, 10);
    if (!sqlite_open(argv[1], incarnation, &filling.store, &err)) {
        fprintf(stderr, "bench_events: %s\n", err.text);
        return 1;
    }
    for (int i = 0; i < IN_FLIGHT && filling.begun < filling.count; i++) {
        events_write(&filling);
    }
    while (filling.done < filling.count) {
        struct pollfd one = { .fd = store_descriptor(filling.store), .events = POLLIN };

        (void)!poll(&one, 1, 1000);
        store_run(filling.store);
    }
    store_close(filling.store);
    return 0;
}
