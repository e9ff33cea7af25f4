/* Compares reeve's parsers and writer with other libraries on the same bytes. Prints, as JSON
 * lines, MB per second of processor time: the median of several rounds, in which the libraries
 * alternate. */

#include <jansson.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yaml.h>

#include "base/buf.h"
#include "codec/json.h"
#include "codec/yaml.h"

enum { ROUNDS = 7, NODES = 40000 };

struct contest {
    struct text yaml;
    struct text json;
    json_t *jansson_tree;
    struct doc tree;
    struct arena *arena;
};

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Make a document of many small maps as block YAML. json_make makes the same document as JSON. */
static struct text yaml_make(struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "nodes:\n");
    for (int i = 0; i < NODES; i++) {
        buf_printf(&buf,
                   "  - name: web-%d\n    address: 10.0.%d.%d\n    state: ready\n"
                   "    labels:\n      zone: eu-%d\n      rack: \"r%d\"\n    size: %d\n"
                   "    volumes: [data, log, \"tmp %d\"]\n    healthy: true\n",
                   i, i / 256 % 256, i % 256, i % 3, i % 40, i * 3, i);
    }
    return buf_text(&buf);
}

static void yaml_ours(struct contest *contest)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    struct yaml_docs docs;
    struct err err;

    if (!yaml_parse(arena, contest->yaml, NULL, &docs, &err)) {
        abort();
    }
    arena_free(arena);
}

static void yaml_libfyaml_events(struct contest *contest)
{
    struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET };
    struct fy_parser *parser = fy_parser_create(&cfg);
    struct fy_event *event;

    fy_parser_set_string(parser, contest->yaml.data, contest->yaml.length);
    while ((event = fy_parser_parse(parser)) != NULL) {
        fy_parser_event_free(parser, event);
    }
    fy_parser_destroy(parser);
}

static void yaml_libfyaml_document(struct contest *contest)
{
    struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET };

    fy_document_destroy(
        fy_document_build_from_string(&cfg, contest->yaml.data, contest->yaml.length));
}

static void yaml_libyaml_document(struct contest *contest)
{
    yaml_parser_t parser;
    yaml_document_t document;

    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)contest->yaml.data,
                                 contest->yaml.length);
    if (!yaml_parser_load(&parser, &document)) {
        abort();
    }
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
}

static void json_ours(struct contest *contest)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    struct doc doc;
    struct err err;

    if (!json_parse(arena, contest->json, NULL, &doc, &err)) {
        abort();
    }
    arena_free(arena);
}

static void json_jansson(struct contest *contest)
{
    json_decref(json_loadb(contest->json.data, contest->json.length, JSON_REJECT_DUPLICATES, NULL));
}

static void write_ours(struct contest *contest)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &contest->tree);
    arena_free(arena);
}

static void write_jansson(struct contest *contest)
{
    free(json_dumps(contest->jansson_tree, JSON_COMPACT | JSON_SORT_KEYS));
}

struct entrant {
    const char *work;
    const char *name;
    void (*run)(struct contest *contest);
    bool is_yaml;
    double seconds[ROUNDS];
};

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

int main(void)
{
    struct entrant entrants[] = {
        { .work = "read YAML", .name = "reeve", .run = yaml_ours, .is_yaml = true },
        { .work = "read YAML",
          .name = "libfyaml events, no tree",
          .run = yaml_libfyaml_events,
          .is_yaml = true },
        { .work = "read YAML",
          .name = "libfyaml document",
          .run = yaml_libfyaml_document,
          .is_yaml = true },
        { .work = "read YAML",
          .name = "libyaml document",
          .run = yaml_libyaml_document,
          .is_yaml = true },
        { .work = "read JSON", .name = "reeve", .run = json_ours },
        { .work = "read JSON", .name = "jansson", .run = json_jansson },
        { .work = "write canonical JSON", .name = "reeve", .run = write_ours },
        { .work = "write canonical JSON", .name = "jansson", .run = write_jansson },
    };
    struct contest contest = { .arena = arena_new((size_t)2 << 30) };
    struct yaml_docs docs;
    struct err err;
    struct buf buf;
    double ours = 0;

    contest.yaml = yaml_make(contest.arena);
    if (!yaml_parse(contest.arena, contest.yaml, NULL, &docs, &err)) {
        return 1;
    }
    contest.tree = docs.items[0];
    buf_init(&buf, contest.arena);
    json_format(&buf, &contest.tree);
    contest.json = buf_text(&buf);
    contest.jansson_tree = json_loadb(contest.json.data, contest.json.length, 0, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ARRAY_COUNT(entrants); i++) {
            double start = cpu_seconds();

            entrants[i].run(&contest);
            entrants[i].seconds[round] = cpu_seconds() - start;
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(entrants); i++) {
        struct entrant *entrant = &entrants[i];
        double bytes = (double)(entrant->is_yaml ? contest.yaml.length : contest.json.length);
        double median;

        qsort(entrant->seconds, ROUNDS, sizeof(double), double_compare);
        median = entrant->seconds[ROUNDS / 2];
        if (strcmp(entrant->name, "reeve") == 0) {
            ours = median;
        }
        printf("{\"bench\": \"%s\", \"by\": \"%s\", \"mb_per_s\": %.1f, \"cpu_ms_median\": %.1f, "
               "\"bytes\": %.0f, \"times_reeves_cpu\": %.2f}\n",
               entrant->work, entrant->name, bytes / median / 1e6, median * 1e3, bytes,
               median / ours);
    }
    json_decref(contest.jansson_tree);
    arena_free(contest.arena);
    return 0;
}
