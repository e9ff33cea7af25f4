/* Benchmark of the watch cache with 100,000 objects: the cost of a list compared with a lower bound
 * (the same JSON, written by special code from structs), the cost of notifying 1,000 watchers of
 * one change, and the memory overhead of the cache. Usage: bench_cache. Prints JSON lines. It
 * measures processor time of one thread. */

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "state/cache.h"

enum {
    ROUNDS = 9,
    OBJECTS = 100000,
    WATCHERS = 1000,
    LIST_BYTES = 240,
    KEPT_BYTES = 1024,
    OUT_BYTES = 64 << 20,
    RING_STEPS = 65536
};

/* ---- a store that makes up what it lists, and so takes no memory ---- */

struct fake {
    struct store store;
    store_done *done;
    void *done_arg;
    size_t next; /* index of the first object of the next page */
    size_t value_bytes;
    store_watch_seen *seen;
    void *seen_arg;
    uint64_t revision;
};

static void node_write(char *out, size_t bytes, size_t i, int version)
{
    int used = snprintf(
        out, bytes + 1,
        "{\"address\":\"10.1.2.3\",\"created\":\"2026-01-01T00:00:00Z\",\"generation\":%d,"
        "\"group\":\"workers\",\"id\":\"%08zx-0000-4000-8000-%012zx\",\"labels\":{\"role\":\"%s\","
        "\"zone\":\"a\"},\"name\":\"node-%zu\",\"observed\":3,\"state\":\"active\",\"x\":\"",
        version, i, i, i % 10 == 0 ? "db" : "web", i);

    memset(out + used, 'x', bytes - (size_t)used);
    memcpy(out + bytes - 2, "\"}", 3);
}

static void fake_list(struct store *store, const struct store_range *range, store_done *done,
                      void *arg)
{
    struct fake *fake = (struct fake *)store;

    (void)range;
    fake->done = done;
    fake->done_arg = arg;
}

static size_t fake_run(struct store *store)
{
    struct fake *fake = (struct fake *)store;
    enum { PAGE = 1000 };
    static struct store_item items[PAGE];
    static char keys[PAGE][64];
    static char values[PAGE][KEPT_BYTES + 1];
    struct store_answer answer = { .revision = fake->revision, .items = items, .count = PAGE };

    if (fake->done == NULL) {
        return 0;
    }
    for (size_t i = 0; i < PAGE; i++, fake->next++) {
        snprintf(keys[i], sizeof(keys[i]), "/shop/node/%08zx-0000-4000-8000-%012zx/spec",
                 fake->next, fake->next);
        node_write(values[i], fake->value_bytes, fake->next, 3);
        items[i] =
            (struct store_item){ text_from(keys[i]), { values[i], fake->value_bytes }, 1, 1 };
    }
    answer.has_more = fake->next < OBJECTS;
    fake->done(fake->done_arg, OUTCOME_OK, &answer);
    if (!answer.has_more) {
        fake->done = NULL;
    }
    return 1;
}

static struct store_watch *fake_watch(struct store *store, struct text prefix,
                                      uint64_t from_revision, store_watch_seen *seen, void *arg)
{
    struct fake *fake = (struct fake *)store;

    (void)prefix;
    (void)from_revision;
    fake->seen = seen;
    fake->seen_arg = arg;
    return (struct store_watch *)fake;
}

static void fake_watch_close(struct store *store, struct store_watch *watch)
{
    (void)store;
    (void)watch;
}

static void fake_status(const struct store *store, struct store_status *out)
{
    *out = (struct store_status){ .driver = "fake",
                                  .revision = ((const struct fake *)store)->revision };
}

static const struct store_driver fake_driver = {
    .status = fake_status,
    .name = "fake",
    .list = fake_list,
    .run = fake_run,
    .watch = fake_watch,
    .watch_close = fake_watch_close,
};

static struct cache *cache_fill(struct fake *fake, size_t value_bytes, size_t ring)
{
    struct cache *cache;

    *fake = (struct fake){ { &fake_driver }, .value_bytes = value_bytes, .revision = 1 };
    /* the cache follows a new store from its first revision and does not list it */
    cache = cache_new_latest(&fake->store, ring);
    while (cache_state(cache) == CACHE_LOADING) {
        store_run(&fake->store);
    }
    return cache;
}

/* Change one object. The cache notifies its watchers in cache_run. */
static void object_change(struct fake *fake, size_t i)
{
    char key[64];
    static char value[KEPT_BYTES + 1];
    struct store_change change = { .is_delete = false };

    snprintf(key, sizeof(key), "/shop/node/%08zx-0000-4000-8000-%012zx/spec", i, i);
    fake->revision++;
    node_write(value, fake->value_bytes, i, 4);
    change.item =
        (struct store_item){ text_from(key), { value, fake->value_bytes }, 1, fake->revision };
    fake->seen(fake->seen_arg, STORE_WATCH_CHANGES, fake->revision, &change, 1);
}

/* ---- measuring ---- */

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double rss_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%*u %llu", &pages) != 1) {
        exit(1);
    }
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(double), double_compare);
    return values[ROUNDS / 2];
}

/* ---- the floor: the same list from structs, by a writer made for it ---- */

struct node {
    char id[40];
    char name[32];
    char group[16];
    char state[16];
    char address[16];
    unsigned wanted;
    unsigned seen;
    uint64_t revision;
    char rest[96];
};

static char *put(char *at, const char *string)
{
    size_t length = strlen(string);

    memcpy(at, string, length);
    return at + length;
}

static char *put_quoted(char *at, const char *string)
{
    *at++ = '"';
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\' || (unsigned char)*string < 32) {
            *at++ = '\\';
        }
        *at++ = *string;
    }
    *at++ = '"';
    return at;
}

static char *put_number(char *at, uint64_t number)
{
    char digits[24];
    int count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

static struct node *nodes_make(void)
{
    struct node *nodes = calloc(OBJECTS, sizeof(*nodes));

    for (size_t i = 0; i < OBJECTS; i++) {
        snprintf(nodes[i].id, sizeof(nodes[i].id), "%08zx-0000-4000-8000-%012zx", i, i);
        snprintf(nodes[i].name, sizeof(nodes[i].name), "node-%zu", i);
        strcpy(nodes[i].group, "workers");
        strcpy(nodes[i].state, "active");
        strcpy(nodes[i].address, "10.1.2.3");
        nodes[i].wanted = nodes[i].seen = 3;
        nodes[i].revision = i;
    }
    return nodes;
}

static size_t floor_write(const struct node *nodes, char *out)
{
    char *at = out;

    *at++ = '[';
    for (size_t i = 0; i < OBJECTS; i++) {
        at = put(at, "{\"id\":");
        at = put_quoted(at, nodes[i].id);
        at = put(at, ",\"name\":");
        at = put_quoted(at, nodes[i].name);
        at = put(at, ",\"group\":");
        at = put_quoted(at, nodes[i].group);
        at = put(at, ",\"state\":");
        at = put_quoted(at, nodes[i].state);
        at = put(at, ",\"address\":");
        at = put_quoted(at, nodes[i].address);
        at = put(at, ",\"generation\":");
        at = put_number(at, nodes[i].wanted);
        at = put(at, ",\"observed\":");
        at = put_number(at, nodes[i].seen);
        at = put(at, ",\"revision\":");
        at = put_number(at, nodes[i].revision);
        at = put(at, ",\"labels\":{\"zone\":\"a\",\"role\":\"worker\"},"
                     "\"created\":\"2026-01-01T00:00:00Z\"},");
    }
    return (size_t)(at - out);
}

/* ---- the contest ---- */

struct joined {
    char *at;
    size_t rows;
};

/* Write a row in the same way as the API: the head with the revision, and the stored bytes
 * unchanged. */
static void row_join(void *arg, const struct cache_object *object)
{
    struct joined *joined = arg;
    const struct cache_bytes *spec = &object->parts[CACHE_SPEC];

    joined->at = put(joined->at, "{\"revision\":");
    joined->at = put_number(joined->at, spec->revision);
    joined->at = put(joined->at, ",\"spec\":");
    memcpy(joined->at, spec->bytes->data, spec->bytes->length);
    joined->at += spec->bytes->length;
    joined->at = put(joined->at, "},");
    joined->rows++;
}

static size_t list_write(struct cache *cache, struct cache_scope scope, size_t page_rows, char *out,
                         size_t *out_rows)
{
    struct joined joined = { out };
    struct cache_page page = { .revision = 0 };
    struct arena *kept = arena_new((size_t)1 << 30);

    do {
        struct err err;

        if (!cache_list(cache, kept, &scope, &page, page_rows, row_join, &joined, &err)) {
            fprintf(stderr, "bench_cache: %s\n", err.text);
            exit(1);
        }
    } while (page.token.length > 0);
    arena_free(kept);
    *out_rows = joined.rows;
    return (size_t)(joined.at - out);
}

static void list_print(const char *what, double seconds, double floor, size_t bytes, size_t rows)
{
    printf("{\"bench\": \"%s\", \"cpu_ms\": %.2f, \"rows\": %zu, \"bytes\": %zu, "
           "\"times_floor\": %.2f, \"target_times_floor\": 5}\n",
           what, seconds * 1e3, rows, bytes, seconds / floor);
}

static void lists_measure(void)
{
    static const struct {
        const char *what;
        size_t page_rows;
        bool is_selected;
    } lists[] = {
        { "list of 100,000 objects", OBJECTS, false },
        { "the same in pages of 500", 500, false },
        { "the same by a selector that 90 % match, asked before", OBJECTS, true },
    };
    struct fake fake;
    struct cache *cache = cache_fill(&fake, LIST_BYTES, RING_STEPS);
    struct arena *arena = arena_new((size_t)1 << 30);
    struct node *nodes = nodes_make();
    char *out = malloc(OUT_BYTES);
    struct selector selector;
    double floor[ROUNDS];
    double ours[ROUNDS];
    double floor_median;
    size_t bytes = 0;
    size_t rows = 0;
    double first;
    struct err err;

    memset(out, 1, OUT_BYTES);
    if (!selector_parse(arena, TEXT("role=web"), &selector, &err)) {
        exit(1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();

        bytes = floor_write(nodes, out);
        floor[round] = cpu_seconds() - start;
    }
    floor_median = median(floor);
    printf("{\"bench\": \"floor: JSON of 100,000 nodes from structs\", \"cpu_ms\": %.2f, "
           "\"bytes\": %zu}\n",
           floor_median * 1e3, bytes);
    first = cpu_seconds();
    list_write(cache, (struct cache_scope){ TEXT("/"), TEXT(""), &selector }, OBJECTS, out, &rows);
    printf("{\"bench\": \"the first list by a selector, which reads all labels\", \"cpu_ms\": "
           "%.2f, \"rows\": %zu}\n",
           (cpu_seconds() - first) * 1e3, rows);
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        struct cache_scope scope = { .prefix = TEXT("/shop/node/"),
                                     .selector = lists[i].is_selected ? &selector : NULL };

        for (int round = 0; round < ROUNDS; round++) {
            double start = cpu_seconds();

            bytes = list_write(cache, scope, lists[i].page_rows, out, &rows);
            ours[round] = cpu_seconds() - start;
        }
        list_print(lists[i].what, median(ours), floor_median, bytes, rows);
    }
    cache_free(cache);
    arena_free(arena);
    free(nodes);
    free(out);
}

/* Measure one page of a list that began 60,000 changes ago, for which the cache must search the
 * past state of each object. */
static void old_page_measure(void)
{
    enum { CHANGES = 60000 };
    struct fake fake;
    struct cache *cache = cache_fill(&fake, LIST_BYTES, RING_STEPS);
    struct arena *arena = arena_new((size_t)1 << 30);
    struct cache_scope scope = { .prefix = TEXT("/shop/node/") };
    struct cache_page page = { .revision = 0 };
    char *out = malloc(OUT_BYTES);
    struct joined joined = { out };
    double start = 0;
    struct err err;

    for (int i = 0; i < 2; i++) {
        start = cpu_seconds();
        if (!cache_list(cache, arena, &scope, &page, 500, row_join, &joined, &err)) {
            exit(1);
        }
        start = cpu_seconds() - start;
        for (size_t change = 0; i == 0 && change < CHANGES; change++) {
            object_change(&fake, change * 7919 % OBJECTS);
        }
    }
    printf("{\"bench\": \"a page of 500 that began 60,000 changes ago\", \"cpu_ms\": %.2f}\n",
           start * 1e3);
    cache_free(cache);
    arena_free(arena);
    free(out);
}

static void change_count(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    (void)change;
    *(size_t *)arg += state == CACHE_WATCH_CHANGE ? 1 : 0;
}

static void watches_measure(bool is_selected)
{
    struct fake fake;
    struct cache *cache = cache_fill(&fake, LIST_BYTES, RING_STEPS);
    struct arena *arena = arena_new((size_t)1 << 20);
    struct cache_scope scope = { .prefix = TEXT("/shop/") };
    struct selector selector;
    double seconds[ROUNDS];
    size_t reported = 0;
    struct err err;

    if (!selector_parse(arena, TEXT("role in (web,db), zone=a"), &selector, &err)) {
        exit(1);
    }
    scope.selector = is_selected ? &selector : NULL;
    for (size_t i = 0; i < WATCHERS; i++) {
        cache_watch(cache, &scope, cache_revision(cache) + 1, change_count, &reported);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();

        object_change(&fake, (size_t)round * 977);
        cache_run(cache);
        seconds[round] = cpu_seconds() - start;
    }
    if (reported != (size_t)WATCHERS * ROUNDS) {
        fprintf(stderr, "bench_cache: %zu were told\n", reported);
        exit(1);
    }
    printf("{\"bench\": \"one change told to 1,000 watchers%s\", \"cpu_ms\": %.3f, "
           "\"target_cpu_ms\": 2}\n",
           is_selected ? ", each with a selector" : "", median(seconds) * 1e3);
    cache_free(cache);
    arena_free(arena);
}

static void memory_measure(void)
{
    struct fake fake;
    double heap = heap_bytes();
    double rss = rss_bytes();
    struct cache *cache = cache_fill(&fake, KEPT_BYTES, RING_STEPS);
    double held = (double)OBJECTS * KEPT_BYTES;

    heap = heap_bytes() - heap;
    rss = rss_bytes() - rss;
    printf("{\"bench\": \"memory of 100,000 objects of 1 KiB\", \"malloc_bytes\": %.0f, "
           "\"rss_bytes\": %.0f, \"times_bytes_malloc\": %.2f, \"times_bytes_rss\": %.2f, "
           "\"target_times_bytes\": 1.6}\n",
           heap, rss, heap / held, rss / held);
    cache_free(cache);
}

int main(void)
{
    memory_measure(); /* memory is measured first, before freed memory can be reused */
    lists_measure();
    old_page_measure();
    watches_measure(false);
    watches_measure(true);
    return 0;
}
