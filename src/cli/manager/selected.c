#include "cli/manager/selected.h"

#include "base/limits.h"
#include "base/map.h"
#include "cli/manager/listing.h"
#include "cli/manager/nodes.h"
#include "selector/ranges.h"
#include "sys/file.h"

/* The state while the arguments are assigned to clusters. */
struct sorting {
    struct command *command;
    const struct session *session;
    const char *use;
    struct text cluster; /* cluster in -c or -g */
    struct text group;
    struct map places; /* cluster to struct buf of the names in it */
    /* machines of all clusters; requested when the first name without a cluster is read */
    struct listing machines;
    bool has_machines;
};

static struct err *selected_fault(struct sorting *sorting, enum code code, struct text said)
{
    return err_list_set(&sorting->command->errors, (struct place){ 0 }, code, "%.*s",
                        TEXT_ARG(said));
}

static void selected_name_add(struct sorting *sorting, struct text cluster, struct text name)
{
    struct buf *names = map_find(&sorting->places, cluster);

    if (names == NULL) {
        names = arena_one(sorting->command->arena, struct buf);
        buf_init(names, sorting->command->arena);
        map_put(&sorting->places, cluster, names);
    }
    buf_add_string(names, names->length == 0 ? "" : ",");
    buf_add(names, name);
}

/* Add a name without a cluster, if only one cluster has machines that match it. */
static bool bare_add(struct sorting *sorting, struct text name)
{
    struct command *command = sorting->command;
    struct text found;

    if (sorting->cluster.length > 0) {
        selected_name_add(sorting, sorting->cluster, name);
        return true;
    }
    if (!sorting->has_machines &&
        !listing_get(command, sorting->session, schema_kind_find(TEXT("Resource")), TEXT(""),
                     &sorting->machines)) {
        return false;
    }
    sorting->has_machines = true;
    if (!nodes_memory_find(command, &sorting->machines, name, &found)) {
        return false;
    }
    selected_name_add(sorting, found, name);
    return true;
}

/* Read shop/web-0, node/shop/web-0, resource/shop/web-0 or web-0, each also as a range. */
static bool selected_word_add(struct sorting *sorting, struct text word)
{
    static const char *const kinds[] = { "node/", "resource/" };
    size_t slash;

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        struct text kind = text_from(kinds[i]);

        if (text_has_prefix(word, kind)) {
            word = text_slice(word, kind.length, word.length);
        }
    }
    if (!ranges_is_pattern(word)) {
        return err_hint(
            selected_fault(sorting, CODE_R0005,
                           arena_printf(sorting->command->arena, "'%.*s' is not a range of names",
                                        TEXT_ARG(word))),
            "write 'shop/web-[0-3,7]', in quotes");
    }
    slash = text_find_byte(word, '/');
    if (slash == SIZE_MAX) {
        return bare_add(sorting, word);
    }
    if (slash == 0 || slash + 1 == word.length) {
        return err_hint(
            selected_fault(sorting, CODE_R0005,
                           arena_printf(sorting->command->arena,
                                        "'%.*s' is not the name of a machine", TEXT_ARG(word))),
            "write its cluster and its name: %s", sorting->use);
    }
    selected_name_add(sorting, text_slice(word, 0, slash),
                      text_slice(word, slash + 1, word.length));
    return true;
}

static bool words_add(struct sorting *sorting, struct text text)
{
    struct text word;
    size_t count = 0;

    while (ranges_next(&text, &word)) {
        count++;
        if (!selected_word_add(sorting, word)) {
            return false;
        }
    }
    return count > 0 || err_hint(selected_fault(sorting, CODE_R0780, TEXT("no machine is given")),
                                 "an empty list never means all machines");
}

/* Add one argument; `-` and @FILE contain one or more names per line. */
static bool selected_argument_add(struct sorting *sorting, const char *argument)
{
    struct arena *arena = sorting->command->arena;
    bool is_stdin = text_is(text_from(argument), "-");
    struct text bytes;
    struct err err;

    if (!is_stdin && argument[0] != '@') {
        return words_add(sorting, text_from(argument));
    }
    if (!(is_stdin ? file_read_stdin(arena, LIMIT_DOCUMENT_BYTES, &bytes, &err)
                   : file_read(arena, argument + 1, LIMIT_DOCUMENT_BYTES, &bytes, &err))) {
        err_list_add(&sorting->command->errors, &err);
        return false;
    }
    return words_add(sorting, bytes);
}

/* ---- clusters ---- */

static bool scope_read(struct sorting *sorting)
{
    const struct args *args = &sorting->command->args;
    struct text cluster = text_from(args_named(args, "cluster"));
    struct text group = text_from(args_named(args, "group"));
    size_t slash = text_find_byte(group, '/');

    sorting->cluster = cluster;
    if (group.length == 0) {
        return true;
    }
    if (slash == SIZE_MAX && cluster.length > 0) {
        sorting->group = group;
        return true;
    }
    if (slash == SIZE_MAX || slash == 0 || slash + 1 == group.length ||
        (cluster.length > 0 && !text_is_equal(cluster, text_slice(group, 0, slash)))) {
        return err_hint(
            selected_fault(sorting, CODE_R0005,
                           arena_printf(sorting->command->arena,
                                        "'%.*s' is not a group of a cluster", TEXT_ARG(group))),
            "write it in full: -g shop/web");
    }
    sorting->cluster = text_slice(group, 0, slash);
    sorting->group = text_slice(group, slash + 1, group.length);
    return true;
}

bool selected_everywhere(struct command *command, const struct session *session,
                         struct selected *out)
{
    struct listing clusters;

    if (!listing_get(command, session, schema_kind_find(TEXT("Cluster")), TEXT(""), &clusters)) {
        return false;
    }
    out->items = arena_array(command->arena, struct selected_place, clusters.count + 1);
    for (size_t i = 0; i < clusters.count; i++) {
        out->items[out->count++] =
            (struct selected_place){ .cluster =
                                         listing_text(&clusters.items[i], "metadata", "name") };
    }
    return true;
}

/* Combine -c and -g with names: only these names in that cluster or group are selected. Names of
 * other clusters match nothing. */
static bool selected_named_take(struct sorting *sorting, struct selected *out)
{
    size_t room = sorting->places.count + 1;

    out->items = arena_array(sorting->command->arena, struct selected_place, room);
    for (const struct map_node *at = map_first(&sorting->places, TEXT("")); at != NULL;
         at = map_after(&sorting->places, at->key)) {
        if (sorting->cluster.length > 0 && !text_is_equal(at->key, sorting->cluster)) {
            return err_hint(
                selected_fault(sorting, CODE_R0780,
                               arena_printf(sorting->command->arena, "machines of '%.*s' are named",
                                            TEXT_ARG(at->key))),
                "-c or -g name another cluster: leave out one of them");
        }
        out->items[out->count++] = (struct selected_place){ .cluster = at->key,
                                                            .group = sorting->group,
                                                            .names = buf_text(at->value) };
    }
    return true;
}

bool selected_read(struct command *command, const struct session *session, const char *const *words,
                   size_t count, const char *use, struct selected *out)
{
    struct sorting sorting = { .command = command, .session = session, .use = use };
    const struct args *args = &command->args;

    *out = selected_conditions(args);
    map_init(&sorting.places, command->arena);
    if (!scope_read(&sorting)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!selected_argument_add(&sorting, words[i])) {
            return false;
        }
    }
    if (count > 0) {
        out->is_named = true;
        return selected_named_take(&sorting, out);
    }
    if (sorting.cluster.length > 0) {
        out->items = arena_one(command->arena, struct selected_place);
        out->items[0] =
            (struct selected_place){ .cluster = sorting.cluster, .group = sorting.group };
        out->count = 1;
        return true;
    }
    if (out->labels.length + out->states.length + out->failed_of.length + out->revision.length ==
            0 &&
        args_named(args, "all") == NULL) {
        return err_hint(selected_fault(&sorting, CODE_R0005, TEXT("no machines are selected")),
                        "name them, or use -c CLUSTER, -g CLUSTER/GROUP, -l SELECTOR or --all: %s",
                        use);
    }
    return selected_everywhere(command, session, out);
}
