/* Golden cases of the assignment of clusters: assign_cases FILE.assign...
 *
 * A case is one YAML document: `why`, the managers with their load, the clusters, and `proposals`,
 * the expected lines: for each cluster the managers in order of rank, then the skipped managers,
 * and the moves for balance. For every case, the result must not depend on the order of the
 * managers. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/yaml.h"
#include "plan/assign.h"
#include "sys/file.h"

enum { MANAGERS = 16 };

struct assign_case {
    struct arena *arena;
    const char *path;
    const struct doc *doc;
    struct plan_assign_manager managers[MANAGERS];
    struct plan_assign assign;
    bool is_turned; /* the managers are in reverse order */
};

static void give_up(const struct assign_case *test, const char *why)
{
    fprintf(stderr, "%s: %s\n", test->path, why);
    exit(2);
}

static uint64_t number_of(const struct assign_case *test, const struct doc *map, const char *key,
                          uint64_t when_absent)
{
    const struct doc *value = doc_child(map, key);
    int64_t number = 0;

    if (!doc_is_scalar(value)) {
        return when_absent;
    }
    if (!text_parse_int64(value->text, &number)) {
        give_up(test, "this is no number");
    }
    return (uint64_t)number;
}

static void managers_read(struct assign_case *test)
{
    const struct doc *managers = doc_child(test->doc, "managers");
    struct plan_assign *assign = &test->assign;

    *assign = (struct plan_assign){ .managers = test->managers,
                                    .free_load = number_of(test, test->doc, "free", 0) };
    for (size_t i = 0; doc_is_map(managers) && i < managers->entry_count && i < MANAGERS; i++) {
        const struct doc *one = &managers->entries[i].value;
        const struct doc *able = doc_child(one, "able");

        test->managers[assign->count++] = (struct plan_assign_manager){
            .id = managers->entries[i].key,
            .load = number_of(test, one, "load", 0),
            .is_able = !doc_is_scalar(able) || text_is(able->text, "true"),
        };
    }
}

/* Formats the line for a cluster. */
static struct text proposal_of(const struct assign_case *test, struct text cluster)
{
    const struct plan_assign *assign = &test->assign;
    size_t next = plan_assign_next(assign, cluster);
    struct text none = TEXT("none");
    struct buf buf;

    buf_init(&buf, test->arena);
    buf_printf(&buf, "%.*s:", TEXT_ARG(cluster));
    for (unsigned rank = 1; rank <= assign->count; rank++) {
        for (size_t i = 0; i < assign->count; i++) {
            if (plan_assign_rank(assign, cluster, i) == rank) {
                buf_printf(&buf, " %.*s after %llu ms,", TEXT_ARG(assign->managers[i].id),
                           (unsigned long long)plan_assign_wait_ms(assign, cluster, i));
            }
        }
    }
    buf_printf(&buf, " next %.*s", TEXT_ARG(next == SIZE_MAX ? none : assign->managers[next].id));
    for (size_t k = 0; k < assign->count; k++) {
        size_t i = test->is_turned ? assign->count - 1 - k : k;
        size_t to = plan_assign_balance(assign, cluster, i, PLAN_ASSIGN_CLUSTER_LOAD);

        if (to != SIZE_MAX) {
            buf_printf(&buf, ", from %.*s to %.*s", TEXT_ARG(assign->managers[i].id),
                       TEXT_ARG(assign->managers[to].id));
        }
    }
    return buf_text(&buf);
}

/* Reverses the order of the managers. */
static void managers_turn(struct assign_case *test)
{
    size_t count = test->assign.count;

    test->is_turned = !test->is_turned;
    for (size_t i = 0; i < count / 2; i++) {
        struct plan_assign_manager one = test->managers[i];

        test->managers[i] = test->managers[count - 1 - i];
        test->managers[count - 1 - i] = one;
    }
}

static bool is_expected(struct assign_case *test)
{
    const struct doc *clusters = doc_child(test->doc, "clusters");
    const struct doc *expected = doc_child(test->doc, "proposals");
    bool is_right = true;

    if (!doc_is_list(clusters) || !doc_is_list(expected)) {
        give_up(test, "there are no clusters, or no proposals");
    }
    for (size_t i = 0; i < clusters->item_count; i++) {
        struct text line = proposal_of(test, clusters->items[i].text);
        struct text turned;

        managers_turn(test);
        turned = proposal_of(test, clusters->items[i].text);
        managers_turn(test);
        if (!text_is_equal(line, turned) || i >= expected->item_count ||
            !text_is_equal(expected->items[i].text, line)) {
            printf("# - '%.*s'\n", TEXT_ARG(line));
            is_right = false;
        }
    }
    return is_right && expected->item_count == clusters->item_count;
}

int main(int argc, char **argv)
{
    static const struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    int failed = 0;

    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct assign_case test = { .arena = arena, .path = argv[i] };
        struct yaml_docs docs;
        struct text bytes;
        bool is_good;
        struct err err;

        if (!file_read(arena, argv[i], LIMIT_DOCUMENT_BYTES, &bytes, &err) ||
            !yaml_parse(arena, bytes, &origin, &docs, &err) || docs.count != 1) {
            give_up(&test, err.text);
        }
        test.doc = &docs.items[0];
        managers_read(&test);
        is_good = is_expected(&test);
        failed += !is_good;
        printf("%s %d - %s\n", is_good ? "ok" : "not ok", i, strrchr(argv[i], '/') + 1);
    }
    return failed > 0;
}
