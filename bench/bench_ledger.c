/* Benchmark of recording decisions (plan/ledger.h): processor time and bytes for the record of a
 * pass over 1,000 and 10,000 machines, of a complete record and of a record with one machine
 * changed since the previous pass. For comparison, also the cost of deciding. Usage: bench_ledger.
 * Prints JSON lines. It measures processor time of one thread, without a store. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "plan/ledger.h"

enum { ROUNDS = 15 };

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), order);
    return values[ROUNDS / 2];
}

static void machines_make(struct arena *arena, size_t count, struct plan_world *world)
{
    struct plan_source *source = arena_one(arena, struct plan_source);
    struct plan_group *group = arena_one(arena, struct plan_group);
    struct plan_record *records = arena_array(arena, struct plan_record, count);
    struct plan_row *rows = arena_array(arena, struct plan_row, count);

    *source = (struct plan_source){ .name = TEXT("file"), .is_complete = true };
    *group = (struct plan_group){ .path = TEXT("web"),
                                  .size = (uint32_t)count,
                                  .generation = TEXT("aa6f9b0a1af609bc"),
                                  .batch = 1 };
    for (size_t i = 0; i < count; i++) {
        uint64_t luck = (i + 1) * 0x9e3779b97f4a7c15u;

        records[i] = (struct plan_record){
            .token = arena_printf(arena, "%016llx%016llx", (unsigned long long)luck,
                                  (unsigned long long)(luck * luck)),
            .id = arena_printf(arena, "file-%020llx", (unsigned long long)luck),
            .group = group->path,
            .slot = i,
            .generation = group->generation,
            .state = PLAN_RECORD_ACTIVE,
            .created_ms = 1000 + i / 10,
            .active_ms = 2000 + i / 10,
            .is_answered = true,
        };
        rows[i] = (struct plan_row){ .id = records[i].id,
                                     .token = records[i].token,
                                     .group = group->path,
                                     .slot = i,
                                     .state = PLAN_ROW_RUNNING,
                                     .is_verified = true };
    }
    *world = (struct plan_world){ .now_ms = 1000000,
                                  .sources = source,
                                  .source_count = 1,
                                  .groups = group,
                                  .group_count = 1,
                                  .records = records,
                                  .record_count = count,
                                  .rows = rows,
                                  .row_count = count };
}

/* Run one pass: decide, sort the decisions, and write the record. */
static size_t pass_write(const struct plan_world *world, bool is_known, uint64_t *hashes,
                         size_t page_count, double *out_decide, double *out_write)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct plan_limits limits = plan_limits_default();
    struct ledger_order places;
    struct plan plan;
    struct ledger_entry entry = { .head = { .number = 2, .base = 1, .page_count = page_count },
                                  .limits = &limits,
                                  .world = world,
                                  .order = &places };
    double begin = cpu_ms();
    struct text value;

    plan_compute(arena, world, &limits, &plan);
    *out_decide = cpu_ms() - begin;
    begin = cpu_ms();
    ledger_order_make(arena, world, page_count, &places);
    entry.decision = ledger_decision(arena, world, &places, &plan);
    value = ledger_write(arena, &entry, is_known, hashes);
    *out_write = cpu_ms() - begin;
    return value.length;
}

static void measure(size_t count)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    double decide[ROUNDS];
    double whole[ROUNDS];
    double loose[ROUNDS];
    struct plan_world world;
    size_t page_count;
    uint64_t *hashes;
    size_t whole_bytes = 0;
    size_t loose_bytes = 0;

    machines_make(arena, count, &world);
    page_count = ledger_page_count(&world);
    hashes = arena_array(arena, uint64_t, page_count);
    for (size_t i = 0; i < ROUNDS; i++) {
        struct plan_record *one = (struct plan_record *)(uintptr_t)&world.records[i * 7];

        whole_bytes = pass_write(&world, false, hashes, page_count, &decide[i], &whole[i]);
        one->is_calling = !one->is_calling;
        loose_bytes = pass_write(&world, true, hashes, page_count, &decide[i], &loose[i]);
    }
    printf(
        "{\"name\": \"ledger/%zu\", \"unit\": \"ms\", \"decide\": %.3f, \"whole\": %.3f, \"changed\": %.3f, "
        "\"whole_bytes\": %zu, \"changed_bytes\": %zu}\n",
        count, middle(decide), middle(whole), middle(loose), whole_bytes, loose_bytes);
    arena_free(arena);
}

int main(void)
{
    measure(1000);
    measure(10000);
    return 0;
}
