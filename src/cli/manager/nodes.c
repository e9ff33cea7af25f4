#include "cli/manager/nodes.h"

#include "base/macros.h"
#include "base/sort.h"
#include "codec/doc_child.h"
#include "selector/ranges.h"
#include "sys/clock.h"

#include <assert.h>
#include <string.h>

static struct text nodes_group_of(const struct doc *node)
{
    return listing_text(node, "metadata", "group");
}

/* The displayed states that the manager reports, in the order in which lists show them. The last
 * word is for a machine without a reported state. */
static const char *const words[] = { "refused",  "failed",   "unhealthy", "unreachable",
                                     "creating", "starting", "leaving",   "maintenance",
                                     "drifted",  "ready",    "unknown" };
enum {
    RANK_UNKNOWN = ARRAY_COUNT(words) - 1,
    RANK_READY = RANK_UNKNOWN - 1,
    RANK_DRIFTED = RANK_READY - 1,
};

static size_t rank_of(const struct doc *node)
{
    struct text displayed = listing_text(node, "status", "displayed");
    size_t rank = 0;

    while (rank < RANK_UNKNOWN && !text_is(displayed, words[rank])) {
        rank++;
    }
    return rank;
}

bool nodes_is_outdated(const struct doc *node)
{
    return text_is(listing_text(node, "status", "outdated"), "true");
}

struct doc nodes_counts(struct arena *arena, const struct nodes *nodes)
{
    size_t counts[ARRAY_COUNT(words)] = { 0 };
    struct doc_builder builder;
    size_t outdated = 0;
    size_t blocked = 0;

    for (size_t i = 0; i < nodes->count; i++) {
        counts[rank_of(&nodes->items[i])]++;
        outdated += nodes_is_outdated(&nodes->items[i]);
        blocked += text_is(listing_text(&nodes->items[i], "status", "blocked"), "true");
    }
    counts[RANK_READY] += counts[RANK_DRIFTED]; /* drifted nodes count as ready */
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < RANK_UNKNOWN; i++) {
        doc_builder_put(&builder, words[i], doc_int(arena, (int64_t)counts[i], NULL));
    }
    doc_builder_put(&builder, "blocked", doc_int(arena, (int64_t)blocked, NULL));
    doc_builder_put(&builder, "outdated", doc_int(arena, (int64_t)outdated, NULL));
    return doc_builder_map(&builder, NULL);
}

void nodes_counts_write(struct buf *out, const struct doc *counts, int64_t wanted)
{
    static const char *const others[] = { "failed",  "unhealthy", "unreachable", "maintenance",
                                          "drifted", "blocked",   "outdated" };

    buf_printf(out, "ready %lld/%lld", (long long)doc_child_number(counts, "ready"),
               (long long)wanted);
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        int64_t count = doc_child_number(counts, others[i]);

        if (count > 0) {
            buf_printf(out, ", %s %lld", others[i], (long long)count);
        }
    }
}

const char *nodes_state(const struct doc *node)
{
    return words[rank_of(node)];
}

bool nodes_is_serving(const struct doc *node)
{
    return strcmp(nodes_state(node), "ready") == 0 || strcmp(nodes_state(node), "drifted") == 0;
}

const char *nodes_state_word(size_t index)
{
    static const char *const marks[] = { "outdated", "blocked" };

    return index < RANK_UNKNOWN                        ? words[index]
           : index < RANK_UNKNOWN + ARRAY_COUNT(marks) ? marks[index - RANK_UNKNOWN]
                                                       : NULL;
}

static struct text nodes_word_of(const struct doc *step, const char *name)
{
    return doc_is_map(step) ? doc_child_text(step, name) : TEXT("");
}

bool nodes_is_failed(const struct doc *node)
{
    return text_is(nodes_word_of(doc_child(doc_child(node, "status"), "node"), "step"), "failed");
}

bool nodes_has_failure(const struct doc *node)
{
    const struct doc *step = doc_child(doc_child(node, "status"), "node");

    return nodes_is_failed(node) || nodes_word_of(step, "end").length > 0;
}

/* Compare names: shorter names come first, names of equal length are ordered by their characters.
 * So web-2 is before web-10. */
static int nodes_name_compare(struct text a, struct text b)
{
    return a.length != b.length ? (a.length > b.length) - (a.length < b.length)
                                : text_compare(a, b);
}

static int nodes_compare(const void *a, const void *b, void *arg)
{
    int order = text_compare(nodes_group_of(a), nodes_group_of(b));

    (void)arg;
    if (order == 0) {
        order = (int)rank_of(a) - (int)rank_of(b);
    }
    if (order == 0) {
        order = (int)nodes_has_failure(b) - (int)nodes_has_failure(a);
    }
    return order != 0 ? order
                      : nodes_name_compare(listing_text(a, "metadata", "name"),
                                           listing_text(b, "metadata", "name"));
}

struct text nodes_word_bare(struct text word)
{
    size_t slash = text_find_byte(word, '/');
    const struct schema_kind *kind = schema_kind_of_word(text_slice(word, 0, slash));

    return slash != SIZE_MAX && kind != NULL &&
                   (strcmp(kind->name, "Node") == 0 || strcmp(kind->name, "Resource") == 0)
               ? text_slice(word, slash + 1, word.length)
               : word;
}

bool nodes_word_read(struct command *command, const char *word, const char *use,
                     struct text *out_cluster, struct text *out_node)
{
    struct text text = nodes_word_bare(text_from(word));
    size_t slash = text_find_byte(text, '/');

    *out_cluster = slash == SIZE_MAX ? TEXT("") : text_slice(text, 0, slash);
    *out_node = slash == SIZE_MAX ? text : text_slice(text, slash + 1, text.length);
    return (slash != 0 && out_node->length > 0) ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                 "'%s' is not the name of a machine", word),
                    "write its cluster and its name: %s", use);
}

bool nodes_memory_find(struct command *command, const struct listing *machines, struct text name,
                       struct text *out)
{
    bool is_cluster = false;

    *out = TEXT("");
    for (size_t i = 0; i < machines->count; i++) {
        const struct doc *item = &machines->items[i];
        struct text cluster = listing_text(item, "metadata", "cluster");

        is_cluster |= text_is_equal(cluster, name);
        if (!ranges_has(name, listing_text(item, "metadata", "name")) ||
            text_is_equal(*out, cluster)) {
            continue;
        }
        if (out->length > 0) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                         "several clusters have a machine '%.*s'", TEXT_ARG(name)),
                            "name one: %.*s/%.*s, %.*s/%.*s", TEXT_ARG(*out), TEXT_ARG(name),
                            TEXT_ARG(cluster), TEXT_ARG(name));
        }
        *out = cluster;
    }
    if (out->length == 0) {
        struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                       "there is no machine '%.*s'", TEXT_ARG(name));

        return is_cluster
                   ? err_hint(
                         err,
                         "that is a cluster: write %.*s/NODE, or -c %.*s for all of its machines",
                         TEXT_ARG(name), TEXT_ARG(name))
                   : err_hint(err, "reeve get nodes lists the machines");
    }
    return true;
}

bool nodes_memory_ask(struct command *command, const struct session *session, struct text name,
                      struct text *cluster)
{
    struct listing machines;

    return cluster->length > 0 || (listing_get(command, session, schema_kind_find(TEXT("Resource")),
                                               TEXT(""), &machines) &&
                                   nodes_memory_find(command, &machines, name, cluster));
}

bool nodes_get_named(struct command *command, const struct session *session, struct text cluster,
                     struct text name, struct nodes *out)
{
    struct listing listing;
    struct buf query;

    buf_init(&query, command->arena);
    buf_add_string(&query, "cluster=");
    client_path_add(&query, cluster);
    if (name.length > 0) {
        buf_add_string(&query, "&nodes=");
        client_path_add(&query, name);
    }
    if (!listing_get(command, session, schema_kind_find(TEXT("Resource")), buf_text(&query),
                     &listing)) {
        return false;
    }
    sort_stable(command->arena, listing.items, listing.count, sizeof(*listing.items), nodes_compare,
                NULL);
    *out = (struct nodes){ listing.items, listing.count };
    return true;
}

bool nodes_get(struct command *command, const struct session *session, struct text cluster,
               struct nodes *out)
{
    return nodes_get_named(command, session, cluster, TEXT(""), out);
}

/* Return the index of the first node whose group is equal to or after `group`. With is_past, return
 * the index of the first node whose group is after `group`. */
static size_t nodes_bound_find(const struct nodes *nodes, struct text group, bool is_past)
{
    size_t low = 0;
    size_t high = nodes->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = text_compare(nodes_group_of(&nodes->items[middle]), group);

        if (order < 0 || (is_past && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct nodes nodes_of(const struct nodes *nodes, struct text group)
{
    size_t first = nodes_bound_find(nodes, group, false);

    return (struct nodes){ nodes->items + first, nodes_bound_find(nodes, group, true) - first };
}

const struct doc *nodes_find(const struct nodes *nodes, struct text name)
{
    const struct doc *found = NULL;

    for (size_t i = 0; i < nodes->count; i++) {
        const struct doc *node = &nodes->items[i];

        if (text_is_equal(listing_text(node, "metadata", "id"), name) ||
            text_is_equal(listing_text(node, "status", "id"), name)) {
            return node;
        }
        if (text_is_equal(listing_text(node, "metadata", "name"), name) &&
            (found == NULL || strcmp(nodes_state(found), "leaving") == 0)) {
            found = node;
        }
    }
    return found;
}

int64_t nodes_moment(const struct doc *status, const char *field)
{
    int64_t made_ms = doc_child_moment(status, "made");
    int64_t moment_ms = doc_child_number(status, field);

    if (strcmp(field, "made") == 0) {
        return made_ms;
    }
    return moment_ms <= 0 || made_ms <= 0
               ? 0
               : made_ms + moment_ms - doc_child_number(status, "created");
}

/* ---- steps ---- */

/* Format an age: "for 12 s". A negative age counts as 0, because the clocks of two computers may
 * differ slightly. */
static struct text nodes_age_format(struct command *command, int64_t since_ms)
{
    int64_t age_s = (clock_wall_ms(clock_system()) - since_ms) / 1000;

    age_s = age_s < 0 ? 0 : age_s;
    return age_s < 120    ? arena_printf(command->arena, "for %lld s", (long long)age_s)
           : age_s < 7200 ? arena_printf(command->arena, "for %lld min", (long long)age_s / 60)
                          : arena_printf(command->arena, "for %lld h", (long long)age_s / 3600);
}

/* Format a stage: "stage-1 hello", "stage-1 hello, attempt 2". */
static struct text stage_format(struct command *command, const struct doc *step)
{
    struct text name = nodes_word_of(step, "stage");
    int64_t attempt = doc_child_number(step, "attempt");

    return arena_printf(
        command->arena, "stage-%lld%s%.*s%.*s", (long long)doc_child_number(step, "number"),
        name.length > 0 ? " " : "", TEXT_ARG(name),
        TEXT_ARG(attempt > 1 ? arena_printf(command->arena, ", attempt %lld", (long long)attempt)
                             : TEXT("")));
}

struct text nodes_failure(struct command *command, const struct doc *step)
{
    struct text why = nodes_word_of(step, "why");
    int64_t code = doc_child_number(step, "code");
    struct text end = code > 0 ? arena_printf(command->arena, "exit %lld", (long long)code)
                               : nodes_word_of(step, "end");

    /* a timeout is reported by its reason, which is more precise than the exit code */
    if (text_has_prefix(why, TEXT("timed out after "))) {
        return arena_printf(command->arena, "%.*s: %.*s", TEXT_ARG(stage_format(command, step)),
                            TEXT_ARG(why));
    }
    return why.length == 0
               ? arena_printf(command->arena, "%.*s: %.*s, without any output",
                              TEXT_ARG(stage_format(command, step)), TEXT_ARG(end))
               : arena_printf(command->arena, "%.*s: %.*s (%.*s)",
                              TEXT_ARG(stage_format(command, step)), TEXT_ARG(why), TEXT_ARG(end));
}

/* Format the next try of a pending release: "; next try in 8 s". */
static struct text retry_format(struct command *command, const struct doc *step)
{
    int64_t left_ms = doc_child_moment(step, "retryAt") - clock_wall_ms(clock_system());

    return doc_child_moment(step, "retryAt") <= 0
               ? TEXT("")
               : arena_printf(command->arena, "; next try in %lld s",
                              (long long)(left_ms > 0 ? (left_ms + 999) / 1000 : 0));
}

struct text nodes_step(struct command *command, const struct doc *node)
{
    const struct doc *step = doc_child(doc_child(node, "status"), "node");
    struct text word = nodes_word_of(step, "step");
    struct text why = nodes_word_of(step, "why");

    if (!doc_is_map(step) || (word.length == 0 && why.length == 0)) {
        return TEXT(""); /* nothing is known here; the caller may print another text */
    }
    if (nodes_is_failed(node)) {
        return nodes_failure(command, step);
    }
    if (nodes_word_of(step, "end").length > 0) {
        return arena_printf(command->arena, "%.*s, but %.*s", TEXT_ARG(word),
                            TEXT_ARG(nodes_failure(command, step)));
    }
    if (!text_is(word, "bootstrapped") && doc_child_moment(step, "since") > 0) {
        word = arena_printf(command->arena, "%.*s, %.*s",
                            TEXT_ARG(text_has_prefix(word, TEXT("stage-"))
                                         ? stage_format(command, step)
                                     : word.length == 0       ? TEXT("nothing yet")
                                     : text_is(word, "facts") ? TEXT("waits for facts of others")
                                                              : word),
                            TEXT_ARG(nodes_age_format(command, doc_child_moment(step, "since"))));
    }
    return why.length == 0 ? word
                           : arena_printf(command->arena, "%.*s%s%.*s%.*s", TEXT_ARG(word),
                                          word.length > 0 ? ": " : "", TEXT_ARG(why),
                                          TEXT_ARG(retry_format(command, step)));
}

size_t nodes_alike(const struct nodes *nodes, size_t first)
{
    size_t count = 1;

    assert(first < nodes->count);
    while (first + count < nodes->count &&
           rank_of(&nodes->items[first + count]) == rank_of(&nodes->items[first])) {
        count++;
    }
    return count;
}
