#include "cli/args/target.h"

#include "base/suggest.h"
#include "cli/args/subject.h"

#include <string.h>

#define KINDS_LISTED                                                                               \
    "clusters, nodegroups, clustertemplates, nodegrouptemplates, accounts, secrets, budgets; get " \
    "lists nodes, plans, resources, volumes, jobs, holds, plugins, bundles, users, grants, tokens and tenants, too"
#define MACHINES_HINT \
    "machines are listed by reeve get nodes and shown by reeve describe node CLUSTER/NODE"

bool target_is_served(const struct schema_kind *kind)
{
    return kind->is_in_files &&
           (kind->owner == OWNER_CLUSTER || kind->owner == OWNER_NODEGROUP ||
            kind->owner == OWNER_CLUSTER_TEMPLATE || kind->owner == OWNER_NODEGROUP_TEMPLATE ||
            kind->owner == OWNER_ACCOUNT || kind->owner == OWNER_SECRET ||
            kind->owner == OWNER_BUDGET);
}

/* True for words that other tools use for a machine. With the verb get, they mean the record of a
 * machine. */
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

/* Return the complete word of the command line. `word` may be only its part before the first
 * slash. */
static const char *whole_word(const struct command *command, struct text word)
{
    for (size_t i = 0; i < command->args.argument_count; i++) {
        if (text_has_prefix(text_from(command->args.words[i]), word)) {
            return command->args.words[i];
        }
    }
    return "";
}

static bool target_kind_unknown(struct command *command, struct text word)
{
    struct text meant = subject_suggest_kind(word);
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0006,
                                   "reeve has no kind '%.*s'", TEXT_ARG(word));
    const struct verb *verb = command->args.verb;
    const char *whole = whole_word(command, word);

    if (is_machine_word(word)) {
        return err_hint(err, MACHINES_HINT);
    }
    if (meant.length > 0) {
        return err_hint(err, "did you mean '%.*s'?", TEXT_ARG(meant));
    }
    if (verb->id == VERB_GET || verb->id == VERB_CREATE) {
        return err_hint(err, "kinds: " KINDS_LISTED);
    }
    return err_hint(err, "write a KIND and a NAME, or %s/NAME; use: reeve %s", whole,
                    verb->synopsis);
}

/* Reject kinds such as users and tokens: they are valid kinds, but other commands show them. */
static const struct schema_kind *kind_refuse_elsewhere(struct command *command,
                                                       const struct schema_kind *kind)
{
    static const char *const of_people[] = { "User", "Grant", "Token", "Tenant" };
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0010,
                                   "there are no %s in this version", kind->plural);

    for (size_t i = 0; i < ARRAY_COUNT(of_people); i++) {
        if (strcmp(kind->name, of_people[i]) == 0) {
            (void)!err_hint(err,
                            "such objects can only be created, listed and deleted: reeve get %s",
                            kind->plural);
            return NULL;
        }
    }
    (void)!err_hint(err, "there are " KINDS_LISTED);
    return NULL;
}

/* Reject kinds of records that reeve writes itself: users can list, watch and query them, but not
 * write them. */
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
        { "Volume", "reeve get volumes, reeve delete volume CLUSTER/NAME" },
        { "Event", "reeve events, reeve why event/CLUSTER/NUMBER" },
    };
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0004,
                                   "'reeve %s' does not accept %s in this form",
                                   command->args.verb->name, kind->singular);

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
        (void)target_kind_unknown(command, word);
        return NULL;
    }
    if (strcmp(kind->name, "Job") == 0 || strcmp(kind->name, "Hold") == 0 ||
        strcmp(kind->name, "Resource") == 0 || strcmp(kind->name, "Node") == 0 ||
        strcmp(kind->name, "Plan") == 0 || strcmp(kind->name, "Event") == 0 ||
        strcmp(kind->name, "Volume") == 0) {
        return kept_refuse_kind(command, kind);
    }
    if (!target_is_served(kind)) {
        return kind_refuse_elsewhere(command, kind);
    }
    return kind;
}

/* True if the first argument is apparently a kind, although no kind has this name. */
static bool is_kind_meant(const struct command *command, struct text word, size_t count)
{
    if (schema_kind_of_word(word) != NULL || is_machine_word(word) ||
        command->args.verb->id == VERB_CREATE) {
        return true;
    }
    return (count > 1 || command->args.verb->id == VERB_GET) &&
           subject_suggest_kind(word).length > 0;
}

/* True if there is a name before the slash and one after it. */
static bool is_pair(struct text text, size_t slash)
{
    return slash > 0 && slash + 1 < text.length;
}

static bool name_missing(struct command *command, const char *word)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "'%s' is not the name of an object", word);

    return err_hint(
        err, "write CLUSTER, CLUSTER/GROUP or KIND/NAME: shop, shop/web, ct/std; use: reeve %s",
        command->args.verb->synopsis);
}

bool target_parse(struct command *command, const char *word, struct target *out)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');
    const struct schema_kind *kind;

    if (slash == SIZE_MAX) {
        *out = (struct target){ schema_kind_find(TEXT("Cluster")), text };
        return (text.length > 0 && schema_kind_of_word(text) == NULL) ||
               name_missing(command, word);
    }
    if (schema_kind_of_word(text_slice(text, 0, slash)) == NULL && is_pair(text, slash) &&
        !is_machine_word(text_slice(text, 0, slash))) {
        *out = (struct target){ schema_kind_find(TEXT("NodeGroup")), text };
        return true;
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

/* Return the target of a name after KIND. The name may repeat the kind, as in the output of -o
 * name. The name of a group contains a slash. */
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
    if (count > 0 && strchr(words[0], '/') == NULL &&
        is_kind_meant(command, text_from(words[0]), count)) {
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
                                              : "%s takes one object at a time",
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

/* Add a hint: for clster/shop the most similar kind; for a bare word that get interprets as a
 * cluster, the existing kinds. */
static void hint_kind(struct err *err, const struct command *command, struct text word)
{
    struct text first = text_slice(word, 0, text_find_byte(word, '/'));
    struct text meant = schema_kind_of_word(first) == NULL ? subject_suggest_kind(first) : TEXT("");

    if (meant.length > 0 && first.length < word.length) {
        (void)!err_hint(err, "did you mean '%.*s%.*s'?", TEXT_ARG(meant),
                        (int)(word.length - first.length), word.data + first.length);
    } else if (command->args.verb->id == VERB_GET && first.length == word.length &&
               schema_kind_of_word(first) == NULL) {
        (void)!err_hint(err, "it is not a kind either; kinds: " KINDS_LISTED);
    }
}

void target_hint_kind(struct command *command)
{
    for (size_t i = 0; i < command->errors.count; i++) {
        struct err *err = &command->errors.items[i];

        if (err->code == CODE_R0403 && command->args.argument_count > 0) {
            hint_kind(err, command, text_from(command->args.words[0]));
        }
    }
}
