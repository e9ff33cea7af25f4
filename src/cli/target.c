#include "cli/target.h"

#include "base/suggest.h"
#include "cli/subject.h"

#include <string.h>

#define KINDS_LISTED                                                                            \
    "clusters, nodegroups, clustertemplates, nodegrouptemplates, accounts, secrets; get lists " \
    "nodes, plans, resources, jobs, holds, plugins, users, grants, tokens and tenants, too"
#define MACHINES_HINT \
    "machines are listed by reeve get nodes and shown by reeve describe node CLUSTER/NODE"

bool target_is_served(const struct schema_kind *kind)
{
    return kind->is_in_files &&
           (kind->owner == OWNER_CLUSTER || kind->owner == OWNER_NODEGROUP ||
            kind->owner == OWNER_CLUSTER_TEMPLATE || kind->owner == OWNER_NODEGROUP_TEMPLATE ||
            kind->owner == OWNER_ACCOUNT || kind->owner == OWNER_SECRET);
}

/* What others call a machine; asked for by get, it is the record of one. */
static bool is_machine_word(struct text word)
{
    static const char *const words[] = { "machine", "machines", "instance", "instances",
                                         "server",  "servers",  "vm",       "vms" };
    bool is_one = false;

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        is_one = is_one || text_is(word, words[i]);
    }
    return is_one;
}

/* The word as it was given: `word` may be what stands in front of its first slash. */
static const char *word_whole(const struct command *command, struct text word)
{
    for (size_t i = 0; i < command->args.word_count; i++) {
        if (text_has_prefix(text_from(command->args.words[i]), word)) {
            return command->args.words[i];
        }
    }
    return "";
}

static bool kind_unknown(struct command *command, struct text word)
{
    struct text meant = subject_suggest_kind(word);
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0006,
                                   "reeve has no kind '%.*s'", TEXT_ARG(word));
    const struct verb *verb = command->args.verb;
    const char *whole = word_whole(command, word);

    if (is_machine_word(word)) {
        return err_hint(err, MACHINES_HINT);
    }
    if (meant.length > 0) {
        return err_hint(err, "did you mean '%.*s'?", TEXT_ARG(meant));
    }
    if (verb->id == VERB_GET || verb->id == VERB_CREATE) {
        return err_hint(err, "kinds: " KINDS_LISTED);
    }
    if (strchr(whole, '/') == NULL) { /* the name alone */
        return err_hint(err, "the kind comes first: reeve %s cluster/%s", verb->name, whole);
    }
    return verb->id == VERB_DESCRIBE || verb->id == VERB_EVENTS
               ? err_hint(err, "the kind comes first: reeve %s nodegroup/%s, or node/%s",
                          verb->name, whole, whole)
               : err_hint(err, "the kind comes first: reeve %s nodegroup/%s", verb->name, whole);
}

/* Users, tokens: known by name, and shown in another way or later. */
static const struct schema_kind *kind_refuse_elsewhere(struct command *command,
                                                       const struct schema_kind *kind)
{
    static const char *const of_people[] = { "User", "Grant", "Token", "Tenant" };
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0010,
                                   "there are no %s in this version", kind->plural);

    for (size_t i = 0; i < ARRAY_COUNT(of_people); i++) {
        if (strcmp(kind->name, of_people[i]) == 0) {
            (void)!err_hint(err, "they are created, listed and deleted: reeve get %s",
                            kind->plural);
            return NULL;
        }
    }
    (void)!err_hint(err, "there are " KINDS_LISTED);
    return NULL;
}

/* What reeve keeps itself: it is listed, followed and asked about, but it is no object to be written. */
static const struct schema_kind *kept_refuse_kind(struct command *command,
                                                  const struct schema_kind *kind)
{
    static const struct {
        const char *kind;
        const char *hint;
    } ways[] = {
        { "Job", "reeve get job NUMBER, reeve why job/NUMBER, reeve job watch NUMBER" },
        { "Hold", "reeve get holds CLUSTER, reeve why hold/CLUSTER:RULE" },
        { "Resource",
          "reeve get resources, reeve describe node CLUSTER/NODE, reeve why CLUSTER/NODE" },
        { "Node", "reeve get nodes, reeve describe node CLUSTER/NODE, reeve ssh CLUSTER/NODE" },
        { "Plan", "reeve get plans, reeve apply plan/ID" },
        { "Event", "reeve events, reeve why event/CLUSTER/NUMBER" },
    };
    struct err *err =
        err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                     "'reeve %s' takes no %s this way", command->args.verb->name, kind->singular);

    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        if (strcmp(ways[i].kind, kind->name) == 0) {
            (void)!err_hint(err, "%s", ways[i].hint);
        }
    }
    return NULL;
}

const struct schema_kind *target_kind(struct command *command, struct text word)
{
    const struct schema_kind *kind = schema_kind_of_word(word);

    if (kind == NULL) {
        (void)kind_unknown(command, word);
        return NULL;
    }
    if (strcmp(kind->name, "Job") == 0 || strcmp(kind->name, "Hold") == 0 ||
        strcmp(kind->name, "Resource") == 0 || strcmp(kind->name, "Node") == 0 ||
        strcmp(kind->name, "Plan") == 0 || strcmp(kind->name, "Event") == 0) {
        return kept_refuse_kind(command, kind);
    }
    if (!target_is_served(kind)) {
        return kind_refuse_elsewhere(command, kind);
    }
    return kind;
}

static bool name_missing(struct command *command, const char *word)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "'%s' names no object", word);

    return err_hint(err, "write KIND/NAME: cluster/shop, nodegroup/shop/web; use: reeve %s",
                    command->args.verb->synopsis);
}

bool target_parse(struct command *command, const char *word, struct target *out)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');
    const struct schema_kind *kind;

    if (slash == SIZE_MAX) {
        return name_missing(command, word);
    }
    kind = target_kind(command, text_slice(text, 0, slash));
    if (kind == NULL) {
        return false;
    }
    if (slash + 1 == text.length) {
        return name_missing(command, word);
    }
    *out = (struct target){ kind, text_slice(text, slash + 1, text.length) };
    return true;
}

/* A name behind KIND may say its kind once more, as -o name prints it; a group's holds a slash itself. */
static struct target named(const struct schema_kind *kind, const char *word)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');

    if (slash != SIZE_MAX && schema_kind_of_word(text_slice(text, 0, slash)) == kind) {
        text = text_slice(text, slash + 1, text.length);
    }
    return (struct target){ kind, text };
}

bool targets_read(struct command *command, const char *const *words, size_t count,
                  struct targets *out)
{
    *out = (struct targets){ .items = arena_array(command->arena, struct target, count + 1) };
    if (count > 0 && strchr(words[0], '/') == NULL) {
        out->kind = target_kind(command, text_from(words[0]));
        if (out->kind == NULL) {
            return false;
        }
        for (size_t i = 1; i < count; i++) {
            out->items[out->count++] = named(out->kind, words[i]);
        }
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!target_parse(command, words[i], &out->items[out->count++])) {
            return false;
        }
    }
    return true;
}

bool target_read(struct command *command, const char *const *words, size_t count,
                 struct target *out)
{
    struct targets targets;
    struct err *err;

    if (!targets_read(command, words, count, &targets)) {
        return false;
    }
    if (targets.count != 1) {
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                           targets.count == 0 ? "%s needs the name of one object"
                                              : "%s is about one object at a time",
                           command->args.verb->name);
        return err_hint(err, "use: reeve %s", command->args.verb->synopsis);
    }
    *out = targets.items[0];
    return true;
}

struct text target_format(struct arena *arena, const struct target *target)
{
    return arena_printf(arena, "%s/%.*s", target->kind->singular, TEXT_ARG(target->name));
}

bool target_has_cluster(const struct target *target)
{
    return target->kind->owner == OWNER_CLUSTER || target->kind->owner == OWNER_NODEGROUP;
}

struct text target_cluster(const struct target *target)
{
    return target->kind->owner == OWNER_NODEGROUP
               ? text_slice(target->name, 0, text_find_byte(target->name, '/'))
               : target->name;
}
