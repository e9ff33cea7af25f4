#include "cli/manager/wait_set.h"

#include "cli/args/when.h"
#include "cli/manager/listing.h"
#include "cli/manager/nodes.h"
#include "codec/doc_child.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of named objects that are requested one by one. For more objects, whole lists are
 * read. */
#define WAIT_ONE_BY_ONE 8

/* ---- items ---- */

static struct text wait_set_key_of(struct arena *arena, const struct schema_kind *kind,
                                   struct text name)
{
    return arena_printf(arena, "%s/%.*s", kind->singular, TEXT_ARG(name));
}

static struct wait_item *wait_set_item_add(struct wait_set *set, const struct target *target)
{
    struct wait_item *item = arena_one(set->arena, struct wait_item);

    item->target = (struct target){ target->kind, arena_text(set->arena, target->name) };
    if (set->count == set->room) {
        size_t room = set->room * 2 + 16;

        set->items = arena_grow(set->arena, set->items, set->room * sizeof(*set->items),
                                room * sizeof(*set->items));
        set->room = room;
    }
    set->items[set->count++] = item;
    map_put(&set->by_name, wait_set_key_of(set->arena, target->kind, target->name), item);
    return item;
}

/* Find the item of an object by its kind and one of its names; NULL if it is not in the set. */
static struct wait_item *item_find(const struct wait_set *set, const struct schema_kind *kind,
                                   struct text cluster, struct text name)
{
    char key[LIMIT_PATH_BYTES];
    int length = snprintf(key, sizeof(key), "%s/%.*s%s%.*s", kind->singular, TEXT_ARG(cluster),
                          cluster.length > 0 ? "/" : "", TEXT_ARG(name));

    return length < 0 || (size_t)length >= sizeof(key)
               ? NULL
               : map_find(&set->by_name, (struct text){ key, (size_t)length });
}

static void item_known(struct wait_item *item, int64_t revision, struct text by, struct text at)
{
    item->is_there = true;
    item->is_lost = false;
    item->revision = revision > item->revision ? revision : item->revision;
    snprintf(item->by, sizeof(item->by), "%.*s", TEXT_ARG(by));
    snprintf(item->at, sizeof(item->at), "%.*s", TEXT_ARG(at));
}

static void item_gone(struct wait_item *item, int64_t revision)
{
    item->is_lost = item->is_lost || item->is_there;
    item->is_there = false;
    item->revision = revision > item->revision ? revision : item->revision;
}

static void counts_take(struct wait_item *item, const struct doc *machines)
{
    AUTO(arena) scratch = arena_new_small(SIZE_MAX);
    struct buf buf;

    buf_init(&buf, scratch);
    nodes_counts_write(&buf, machines, item->wanted);
    snprintf(item->counts, sizeof(item->counts), "%.*s", TEXT_ARG(buf_text(&buf)));
}

/* Store the counts that the controller reports for a cluster. */
static void wait_set_ready_take(struct wait_item *item, const struct doc *status)
{
    const struct doc *machines = doc_child(status, "machines");

    item->ready = doc_child_number(machines, "ready");
    item->wanted = doc_child_number(machines, "wanted");
    item->outdated = doc_child_number(machines, "outdated");
    item->observed = doc_child_number(status, "observed");
    item->is_ready = doc_is_present(machines) && item->ready == item->wanted &&
                     doc_child_number(machines, "creating") == 0 &&
                     doc_child_number(machines, "leaving") == 0 &&
                     doc_child_number(status, "holds") == 0;
    counts_take(item, machines);
}

/* Update the item of an object from the manager's answer. The object may be given by its id or by
 * its name. */
static void wait_set_object_take(struct wait_set *set, const struct schema_kind *kind,
                                 const struct doc *object)
{
    const struct doc *meta = doc_child(object, "metadata");
    struct text cluster = doc_child_text(meta, "cluster");
    struct text name = doc_child_text(meta, "name");
    int64_t revision = doc_child_number(meta, "revision");
    struct wait_item *item = item_find(set, kind, cluster, name);

    if (item == NULL) {
        item = item_find(set, kind, TEXT(""), doc_child_text(meta, "id"));
    }
    if (item == NULL && set->kind == kind) {
        struct target target = { kind, listing_name(set->arena, object) };

        item = wait_set_item_add(set, &target);
    }
    if (item != NULL) {
        wait_set_ready_take(item, doc_child(object, "status"));
        item_known(item, revision, doc_child_text(meta, "by"), doc_child_text(meta, "updated"));
    }
    /* a change in a cluster counts as a change of the cluster */
    if (kind->owner == OWNER_NODEGROUP) {
        item = item_find(set, schema_kind_find(TEXT("Cluster")), TEXT(""), cluster);
        if (item != NULL && item->is_there && revision > item->revision) {
            item->revision = revision;
        }
    }
}

/* ---- targets and conditions ---- */

PRINTF_LIKE(4, 5)
static bool wait_set_refuse(struct command *command, enum code code, const char *hint,
                            const char *format, ...)
{
    struct text text;
    va_list args;

    va_start(args, format);
    text = arena_vprintf(command->arena, format, args);
    va_end(args);
    return err_hint(
        err_list_set(&command->errors, (struct place){ 0 }, code, "%.*s", TEXT_ARG(text)), "%s",
        hint);
}

const char *const wait_set_conditions[] = { "exists", "gone", "ready", "revision=", "updated" };
const size_t wait_set_condition_count = ARRAY_COUNT(wait_set_conditions);

static bool condition_take(struct wait_set *set, struct command *command, struct text word)
{
    static const char *const later[] = { "verified" };
    char name[LIMIT_ERROR_PATH_BYTES];
    bool is_later = text_has_prefix(word, TEXT("state=")) || text_has_prefix(word, TEXT("job="));

    if (text_is(word, "exists")) {
        set->is_presence_wanted = true;
        return true;
    }
    if (text_is(word, "gone")) {
        set->is_absence_wanted = true;
        return true;
    }
    if (text_is(word, "ready")) {
        set->is_presence_wanted = set->is_ready_wanted = true;
        return true;
    }
    if (text_is(word, "updated")) {
        set->is_presence_wanted = set->is_ready_wanted = set->is_update_wanted = true;
        return true;
    }
    if (text_has_prefix(word, TEXT("revision=")) &&
        text_parse_int64(text_slice(word, 9, word.length), &set->wants_revision) &&
        set->wants_revision > 0) {
        set->is_presence_wanted = true;
        return true;
    }
    for (size_t i = 0; i < ARRAY_COUNT(later); i++) {
        is_later = is_later || text_is(word, later[i]);
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(word));
    return wait_set_refuse(
        command, is_later ? CODE_R0010 : CODE_R0004,
        "conditions: exists, gone, revision=N; for clusters ready and updated; for a job job=done",
        "there is no condition '%s' in this version", name);
}

static bool conditions_read(struct wait_set *set, struct command *command)
{
    const char *words = args_value(&command->args, FLAG_WAIT_FOR);
    struct text rest = text_from(words);

    if (words == NULL) {
        return wait_set_refuse(command, CODE_R0004, "reeve wait cluster/shop --for exists",
                               "wait needs %s", "--for");
    }
    for (;;) {
        size_t end = text_find_byte(rest, ',');

        if (!condition_take(set, command, text_trim(text_slice(rest, 0, end)))) {
            return false;
        }
        if (end == SIZE_MAX) {
            break;
        }
        rest = text_slice(rest, end + 1, rest.length);
    }
    return !(set->is_absence_wanted && set->is_presence_wanted) ||
           wait_set_refuse(command, CODE_R0004, "an object that does not exist has no revision",
                           "'%s' can never be met", words);
}

/* Read --min N or P%. False: an error was added. */
static bool least_read(struct wait_set *set, struct command *command)
{
    const char *word = args_value(&command->args, FLAG_WAIT_MIN);
    struct text text = text_from(word);
    bool is_share = text_has_suffix(text, TEXT("%"));
    int64_t number = 0;

    if (word == NULL) {
        return true;
    }
    if (!text_parse_int64(text_slice(text, 0, text.length - is_share), &number) || number < 1 ||
        number > (is_share ? 100 : LIMIT_GROUP_SIZE)) {
        return wait_set_refuse(command, CODE_R0004,
                               "write how many are enough, as a number or a percentage: 5, 80%",
                               "--min does not accept '%s'", word);
    }
    if (is_share) {
        set->percent = (unsigned)number;
    } else {
        set->least = (size_t)number;
    }
    return set->kind != NULL || set->least <= set->count ||
           wait_set_refuse(command, CODE_R0004, "name more objects, or wait for fewer of them",
                           "--min %s is more than the number of given objects", word);
}

/* Read KIND alone, with -l and -c, which selects all matching objects. */
static bool selection_read(struct wait_set *set, struct command *command)
{
    const char *selector = args_value(&command->args, FLAG_WAIT_SELECTOR);
    const char *cluster = args_value(&command->args, FLAG_WAIT_CLUSTER);
    struct buf query;

    if (cluster != NULL && set->kind->owner != OWNER_NODEGROUP) {
        return wait_set_refuse(command, CODE_R0005, "reeve wait nodegroups -c shop --for exists",
                               "-c is for nodegroups, not for %s", set->kind->plural);
    }
    buf_init(&query, set->arena);
    buf_add_string(&query, "fields=metadata,status");
    if (selector != NULL) {
        buf_add_string(&query, "&selector=");
        client_path_add(&query, text_from(selector));
    }
    if (cluster != NULL) {
        buf_add_string(&query, "&cluster=");
        client_path_add(&query, text_from(cluster));
    }
    set->query = buf_text(&query);
    return true;
}

/* Check that the objects are clusters, because managers report only clusters as ready. A wait for a
 * group would never end. */
static bool are_clusters(const struct wait_set *set, struct command *command)
{
    const struct schema_kind *cluster = schema_kind_find(TEXT("Cluster"));
    const struct schema_kind *other = set->kind == cluster ? NULL : set->kind;

    for (size_t i = 0; i < set->count && other == NULL; i++) {
        other = set->items[i]->target.kind == cluster ? NULL : set->items[i]->target.kind;
    }
    return !set->is_ready_wanted || other == NULL ||
           wait_set_refuse(
               command, CODE_R0004,
               "for clusters: reeve wait cluster/NAME --for ready; for jobs: reeve wait job/N --for job=done",
               "--for ready is only for clusters, not for %s", other->plural);
}

bool wait_set_read(struct wait_set *set, struct command *command)
{
    const struct args *args = &command->args;
    bool is_narrowed = args_has(args, FLAG_WAIT_SELECTOR) || args_has(args, FLAG_WAIT_CLUSTER);
    struct targets targets;

    assert(set->arena != NULL);
    map_init(&set->by_name, set->arena);
    if (!conditions_read(set, command) ||
        !targets_read(command, args->words, args->argument_count, &targets)) {
        return false;
    }
    if (targets.count > 0 && is_narrowed) {
        return wait_set_refuse(command, CODE_R0005, "leave one of them out",
                               "names and %s exclude each other",
                               args_has(args, FLAG_WAIT_SELECTOR) ? "-l" : "-c");
    }
    for (size_t i = 0; i < targets.count; i++) {
        struct text key =
            wait_set_key_of(command->arena, targets.items[i].kind, targets.items[i].name);

        if (map_find(&set->by_name, key) == NULL) {
            wait_set_item_add(set, &targets.items[i]);
        }
    }
    set->kind = targets.count == 0 ? targets.kind : NULL;
    return are_clusters(set, command) && least_read(set, command) &&
           (set->kind == NULL || selection_read(set, command));
}

/* ---- looking ---- */

/* Get the state of one object from its history, because that answer is short even if the object is
 * large. */
static bool item_look(struct wait_set *set, struct command *command, const struct session *session,
                      struct wait_item *item)
{
    struct text path = session_path(command, item->target.kind, item->target.name);
    struct client_request request = {
        .method = "GET",
        .path = arena_printf(command->arena, "%.*s?view=history", TEXT_ARG(path)),
        .accept = "application/json",
    };
    struct client_answer answer;
    const struct doc *newest;
    struct doc history;
    int64_t revision;

    if (!session_call(command, session, &request, &answer)) {
        return false;
    }
    if (answer.head.status == 404) {
        item_gone(item, 0);
        return true;
    }
    if (!session_is_done(&answer)) {
        session_refused(command, &answer);
        return false;
    }
    if (!session_parse(command, &answer, &history)) {
        return false;
    }
    revision = doc_child_number(&history, "revision");
    if (set->revision == 0 || (uint64_t)revision < set->revision) {
        /* keep the revision of the first answer, so that the stream misses no later change */
        set->revision = (uint64_t)revision;
    }
    newest = doc_at(&history, TEXT("/items/0"));
    if (newest == NULL || text_is(doc_child_text(newest, "deleted"), "true")) {
        item_gone(item, newest == NULL ? 0 : doc_child_number(newest, "revision"));
    } else {
        item_known(item, doc_child_number(newest, "revision"), doc_child_text(newest, "by"),
                   doc_child_text(newest, "updated"));
    }
    return true;
}

static bool kind_is_waited_for(const struct wait_set *set, const struct schema_kind *kind)
{
    bool is_any = set->kind == kind;

    for (size_t i = 0; i < set->count && !is_any; i++) {
        is_any = set->items[i]->target.kind == kind;
    }
    return is_any;
}

/* Get all objects of a kind. An object that is not in the list does not exist. */
static bool kind_look(struct wait_set *set, struct command *command, const struct session *session,
                      const struct schema_kind *kind)
{
    bool *was_there = arena_array(command->arena, bool, set->count + 1);
    size_t count = set->count;
    struct listing listing;

    if (!listing_get(command, session, kind,
                     set->kind == NULL ? TEXT("fields=metadata,status") : set->query, &listing)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        was_there[i] = set->items[i]->is_there;
        if (set->items[i]->target.kind == kind) {
            set->items[i]->is_there = false;
        }
    }
    for (size_t i = 0; i < listing.count; i++) {
        wait_set_object_take(set, kind, &listing.items[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (was_there[i] && !set->items[i]->is_there) {
            set->items[i]->is_lost = true;
        }
    }
    if (set->revision == 0 || listing.revision < set->revision) {
        set->revision = listing.revision;
    }
    return true;
}

/* Get the state of each named object. The answer for a missing object has no revision. Such objects
 * before the first answer with a revision are requested again: they may have been created in
 * between, and the stream starts only at that revision. */
static bool each_look(struct wait_set *set, struct command *command, const struct session *session)
{
    size_t unsure = 0;

    for (size_t i = 0; i < set->count; i++) {
        if (!item_look(set, command, session, set->items[i])) {
            return false;
        }
        unsure = set->revision == 0 ? i + 1 : unsure;
    }
    for (size_t i = 0; i < unsure && set->revision > 0; i++) {
        if (!item_look(set, command, session, set->items[i])) {
            return false;
        }
    }
    return true;
}

static bool all_look(struct wait_set *set, struct command *command, const struct session *session)
{
    size_t kind_count;
    const struct schema_kind *kinds = schema_kinds(&kind_count);

    set->revision = 0;
    if (set->kind == NULL && set->count <= WAIT_ONE_BY_ONE && !set->is_ready_wanted) {
        return each_look(set, command, session);
    }
    for (size_t i = 0; i < kind_count; i++) {
        if (kind_is_waited_for(set, &kinds[i]) && !kind_look(set, command, session, &kinds[i])) {
            return false;
        }
    }
    return true;
}

bool wait_set_look(struct wait_set *set, struct command *command, const struct session *session)
{
    struct arena_mark mark = arena_mark(command->arena);

    assert(set->arena != command->arena);
    if (!all_look(set, command, session)) {
        return false;
    }
    /* print the output, and free the answers: this function may run often */
    command_flush(command);
    arena_rewind(command->arena, mark);
    buf_init(&command->out, command->arena);
    buf_init(&command->notes, command->arena);
    return true;
}

bool wait_set_take(struct wait_set *set, struct text type, const struct doc *doc)
{
    const struct schema_kind *kind = schema_kind_find(doc_child_text(doc, "kind"));
    const struct schema_kind *cluster = schema_kind_find(TEXT("Cluster"));
    struct wait_item *item;

    if (text_is(type, "put") && kind != NULL) {
        wait_set_object_take(set, kind, doc);
        return true;
    }
    if (!text_is(type, "del") || kind == NULL) {
        /* without a revision the stream starts at the present and earlier changes may be missed, so
         * the objects must be read again */
        return text_is(type, "hello") && set->revision > 0;
    }
    if (!kind_is_waited_for(set, kind) && !kind_is_waited_for(set, cluster)) {
        return true;
    }
    item = item_find(set, kind, doc_child_text(doc, "cluster"), doc_child_text(doc, "name"));
    if (item == NULL) {
        item = item_find(set, kind, TEXT(""), doc_child_text(doc, "id"));
    }
    if (item != NULL) {
        item_gone(item, doc_child_number(doc, "revision"));
    }
    /* a group that was deleted with its cluster is reported without its cluster's name */
    return item != NULL || (doc_child(doc, "name") != NULL && kind->owner != OWNER_NODEGROUP);
}

/* ---- judging ---- */

bool wait_set_holds(const struct wait_set *set, const struct wait_item *item)
{
    if (set->is_absence_wanted) {
        return !item->is_there;
    }
    return item->is_there && item->revision >= set->wants_revision &&
           (!set->is_ready_wanted || (item->is_ready && item->observed >= item->revision)) &&
           (!set->is_update_wanted || item->outdated == 0);
}

bool wait_set_is_hopeless(const struct wait_set *set, const struct wait_item *item)
{
    return !set->is_absence_wanted && item->is_lost && !item->is_there;
}

size_t wait_set_missing(const struct wait_set *set)
{
    size_t missing = 0;

    for (size_t i = 0; i < set->count; i++) {
        missing += !wait_set_holds(set, set->items[i]);
    }
    return missing;
}

/* Return the number of objects that must meet the condition. For an empty selection this is at
 * least one, so that the wait does not succeed. */
static size_t wait_set_wanted_count(const struct wait_set *set)
{
    if (set->least > 0) {
        return set->least;
    }
    if (set->percent > 0) {
        return (set->count * set->percent + 99) / 100;
    }
    return set->count == 0 && !set->is_absence_wanted ? 1 : set->count;
}

bool wait_set_is_met(const struct wait_set *set)
{
    return set->count - wait_set_missing(set) >= wait_set_wanted_count(set);
}

size_t wait_set_lacking(const struct wait_set *set)
{
    size_t wanted = wait_set_wanted_count(set);

    return set->kind != NULL && wanted > set->count ? wanted - set->count : 0;
}

bool wait_set_check(const struct wait_set *set, struct command *command)
{
    struct buf names;

    if (!set->is_absence_wanted || wait_set_lacking(set) == 0) {
        return true;
    }
    buf_init(&names, command->arena);
    for (size_t i = 0; i < set->count && i < WAIT_REPORT_NAMES; i++) {
        buf_printf(&names, "%s%.*s", i == 0 ? "" : ", ",
                   TEXT_ARG(target_format(command->arena, &set->items[i]->target)));
    }
    return wait_set_refuse(command, CODE_R0004,
                           arena_printf(command->arena, "there %s %zu%s%.*s%s",
                                        set->count == 1 ? "is" : "are", set->count,
                                        set->count == 0 ? "" : ": ", TEXT_ARG(buf_text(&names)),
                                        set->count > WAIT_REPORT_NAMES ? ", ..." : "")
                               .data,
                           "there are fewer than %zu such %s, so that many cannot be deleted",
                           set->least, set->kind->plural);
}

bool wait_set_is_lost(const struct wait_set *set)
{
    size_t possible = 0;
    size_t hopeless = 0;

    for (size_t i = 0; i < set->count; i++) {
        hopeless += wait_set_is_hopeless(set, set->items[i]);
    }
    possible = set->count - hopeless;
    return hopeless > 0 && set->kind == NULL && possible < wait_set_wanted_count(set);
}

struct text wait_set_why(const struct wait_set *set, const struct command *command,
                         const struct wait_item *item)
{
    struct text ref = target_format(command->arena, &item->target);
    struct text when = when_format(command, text_from(item->at));

    if (item->is_lost && !item->is_there) {
        return item->revision > 0
                   ? arena_printf(command->arena, "%.*s was deleted at revision %lld",
                                  TEXT_ARG(ref), (long long)item->revision)
                   : arena_printf(command->arena, "%.*s was deleted", TEXT_ARG(ref));
    }
    if (!item->is_there) {
        return arena_printf(command->arena, "%.*s does not exist yet", TEXT_ARG(ref));
    }
    if (set->is_absence_wanted) {
        return arena_printf(command->arena, "%.*s still exists, last changed by %s, %.*s",
                            TEXT_ARG(ref), item->by, TEXT_ARG(when));
    }
    if (item->revision >= set->wants_revision) {
        return arena_printf(
            command->arena, "%.*s: %s%s", TEXT_ARG(ref),
            item->observed < item->revision ? "the newest change is not planned yet" : item->counts,
            item->ready == item->wanted && item->observed >= item->revision &&
                    (!set->is_update_wanted || item->outdated == 0)
                ? ", but machines are being created or destroyed, or are held: reeve get holds"
                : "");
    }
    return arena_printf(command->arena,
                        "%.*s is at revision %lld, not %lld; last changed by %s, %.*s",
                        TEXT_ARG(ref), (long long)item->revision, (long long)set->wants_revision,
                        item->by, TEXT_ARG(when));
}
