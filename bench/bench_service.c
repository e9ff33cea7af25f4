/* Benchmark of the service with a store in memory: the cost of changing one group in a cluster of
 * 1, 100, 1,000 and 10,000 groups (requirement P3: it depends only on the size of the change), of
 * planning a file in which one group has changed, and of showing such a cluster. Usage:
 * bench_service. Prints JSON lines. It measures processor time of one thread. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "codec/json.h"
#include "service/service_read.h"
#include "store/memory.h"
#include "service/service_change.h"

enum { ROUNDS = 15, RING = 65536 };

struct world {
    struct store *store;
    struct cache *cache;
    struct service *service;
    unsigned long ids;
};

static int64_t wall_ms(void *arg)
{
    (void)arg;
    return INT64_C(1760000000000);
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08lx-0000-4000-8000-000000000000", ++((struct world *)arg)->ids);
}

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void turn(struct world *world)
{
    store_run(world->store);
    cache_run(world->cache);
    service_run(world->service);
}

struct reply {
    bool is_there;
    size_t bytes;
};

static void replied(void *arg, const struct service_answer *answer)
{
    struct reply *reply = arg;

    if (answer->errors->count > 0) {
        fprintf(stderr, "bench_service: %s\n", answer->errors->items[0].text);
        exit(1);
    }
    reply->is_there = true;
    reply->bytes = answer->body.length;
}

static void wait_for(struct world *world, const struct reply *reply)
{
    while (!reply->is_there) {
        turn(world);
    }
}

static const struct service_actor ana = { { "default", 7 }, { "ana", 3 } };

static struct doc file_make(struct arena *arena, unsigned groups, unsigned size)
{
    struct buf buf;
    struct doc doc;
    struct err err;

    buf_init(&buf, arena);
    buf_printf(&buf,
               "{\"name\":\"c%u\",\"version\":\"1\",\"defaults\":{\"image\":\"debian-12\","
               "\"resourcePlugin\":{\"name\":\"sim\"},\"user\":\"root\"},\"groups\":{",
               groups);
    for (unsigned i = 0; i < groups; i++) {
        buf_printf(&buf,
                   "%s\"g%05u\":{\"size\":%u,\"machineSize\":\"m6i.large\",\"labels\":{\"role\":"
                   "\"web\",\"team\":\"t%u\"},\"zones\":[\"a\",\"b\"],\"resourceProperties\":{"
                   "\"profile\":\"p%u\",\"tags\":{\"cost\":\"cc-%u\"}}}",
                   i == 0 ? "" : ",", i, i == groups / 2 ? size : 3, i % 9, i % 7, i);
    }
    buf_add_string(&buf, "}}");
    if (!json_parse(arena, buf_text(&buf), NULL, &doc, &err)) {
        abort();
    }
    return doc;
}

static double file_apply(struct world *world, unsigned groups, unsigned size, bool is_dry)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct doc file = file_make(arena, groups, size);
    struct reply reply = { 0 };
    double start = cpu_ms();

    service_change(world->service, arena, &ana,
                   &(struct service_change){ .documents = &file,
                                             .document_count = 1,
                                             .is_dry_run = is_dry,
                                             .allow = { .destroy = 1000 } },
                   replied, &reply);
    wait_for(world, &reply);
    start = cpu_ms() - start;
    arena_free(arena);
    return start;
}

static double group_patch(struct world *world, unsigned groups, unsigned size)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text body = arena_printf(arena, "{\"size\":%u}", size);
    struct doc patch;
    struct reply reply = { 0 };
    struct err err;
    double start = cpu_ms();

    if (!json_parse(arena, body, NULL, &patch, &err)) {
        abort();
    }
    service_patch(
        world->service, arena, &ana,
        &(struct service_patch){ .kind = objects_kind("NodeGroup"),
                                 .name = arena_printf(arena, "c%u/g%05u", groups, groups / 2),
                                 .patch = &patch,
                                 .change = { .allow = { .destroy = 1000 } } },
        replied, &reply);
    wait_for(world, &reply);
    start = cpu_ms() - start;
    arena_free(arena);
    return start;
}

static double cluster_show(struct world *world, unsigned groups)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct reply reply = { 0 };
    double start = cpu_ms();

    service_get(world->service, arena, &ana,
                &(struct service_get){ .kind = objects_kind("Cluster"),
                                       .name = arena_printf(arena, "c%u", groups) },
                replied, &reply);
    wait_for(world, &reply);
    start = cpu_ms() - start;
    arena_free(arena);
    return start;
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;

    return (first > second) - (first < second);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), compare);
    return values[ROUNDS / 2];
}

int main(void)
{
    static const unsigned sizes[] = { 1, 100, 1000, 10000 };
    struct world world = { 0 };
    double patch_100 = 0;

    world.store = memory_open((const unsigned char *)"0123456789abcdef");
    world.cache = cache_new(world.store, RING);
    world.service =
        service_new(world.store, world.cache, (struct service_ports){ wall_ms, id_make, &world });
    while (!service_is_ready(world.service)) {
        turn(&world);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        double first = file_apply(&world, sizes[i], 3, false);
        double patches[ROUNDS];
        double plans[ROUNDS];
        double shows[ROUNDS];

        for (unsigned round = 0; round < ROUNDS; round++) {
            patches[round] = group_patch(&world, sizes[i], 4 + round % 2);
            plans[round] = file_apply(&world, sizes[i], 7, true);
            shows[round] = cluster_show(&world, sizes[i]);
        }
        patch_100 = sizes[i] == 100 ? median(patches) : patch_100;
        printf("{\"bench\":\"service\",\"groups\":%u,\"create_ms\":%.2f,\"change_one_ms\":%.3f,"
               "\"plan_one_changed_ms\":%.3f,\"show_ms\":%.3f,\"change_times_100\":%.2f}\n",
               sizes[i], first, median(patches), median(plans), median(shows),
               patch_100 > 0 ? median(patches) / patch_100 : 0);
    }
    cache_free(world.cache);
    store_close(world.store);
    service_free(world.service);
    return 0;
}
