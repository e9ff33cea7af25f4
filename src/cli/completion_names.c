#include "cli/args/completion.h"
#include "cli/manager/listing.h"
#include "cli/read/get_parts.h"

#include <string.h>

/* Time limit in ms for a request for names. */
#ifdef __SANITIZE_ADDRESS__
/* the command and the manager are several times slower with a sanitizer */
#define COMPLETION_MS 400
#else
#define COMPLETION_MS 40
#endif

void completion_add(struct candidates *candidates, struct text word, const char *about)
{
    struct buf *out = &candidates->command->out;

    if (text_has_prefix(word, candidates->current)) {
        buf_add(out, candidates->front);
        buf_add(out, word);
        if (about[0] != '\0') {
            buf_printf(out, "\t%s", about);
        }
        buf_add_bytes(out, '\n', 1);
    }
}

/* Return the names to offer after KIND/, for a verb that accepts them. */
static struct text completion_names_of(struct command *command, const struct schema_kind *kind,
                                       const struct doc *object)
{
    struct text name;

    if (strcmp(kind->name, "Job") == 0 || strcmp(kind->name, "Plan") == 0) {
        return listing_text(object, "metadata", "name");
    }
    if (strcmp(kind->name, "Hold") != 0) {
        return listing_name(command->arena, object);
    }
    name = listing_hold(command->arena, object);
    return text_slice(name, strlen("hold/"), name.length);
}

/* Get the objects of a kind. Nodes are listed by their records. */
static bool completion_names_objects_get(struct command *command, const struct session *session,
                                         const struct schema_kind *kind, struct listing *out)
{
    struct targets all = { 0 };

    if (strcmp(kind->name, "Plan") == 0) {
        return get_plans_list(command, session, &all, out);
    }
    return listing_get(command, session,
                       strcmp(kind->name, "Node") == 0 ? schema_kind_find(TEXT("Resource")) : kind,
                       TEXT(""), out);
}

/* Offer each name, between `front` and `end`. */
static void names_offer(struct candidates *candidates, const char *name, struct text front,
                        const char *end)
{
    const struct schema_kind *kind = schema_kind_find(text_from(name));
    struct command *command = candidates->command;
    struct session session;
    struct listing listing;

    if (session_open(command, &session)) {
        session.client.timeout_ms = COMPLETION_MS;
        if (completion_names_objects_get(command, &session, kind, &listing)) {
            for (size_t i = 0; i < listing.count; i++) {
                completion_add(
                    candidates,
                    arena_printf(command->arena, "%.*s%.*s%s", TEXT_ARG(front),
                                 TEXT_ARG(completion_names_of(command, kind, &listing.items[i])),
                                 end),
                    "");
            }
        }
    }
    err_list_init(&command->errors, command->arena); /* completion shows no errors */
    command->notes.length = 0;
}

void completion_names(struct candidates *candidates, const char *kind, struct text front)
{
    names_offer(candidates, kind, front, "");
}

void completion_sides(struct candidates *candidates)
{
    struct text current = candidates->current;
    bool is_path = current.length > 0 && (current.data[0] == '/' || current.data[0] == '.');

    if (!is_path && text_find_byte(current, ':') == SIZE_MAX) {
        names_offer(candidates, "Node", TEXT(""), ":");
    }
}

/* Kinds without documents, and the verbs that accept them. */
static const struct {
    enum verb_id verb;
    const char *kind;
} kept[] = {
    { VERB_GET, "Node" },          { VERB_GET, "Resource" },  { VERB_GET, "Hold" },
    { VERB_GET, "Job" },           { VERB_GET, "Plan" },      { VERB_GET, "Plugin" },
    { VERB_GET, "Bundle" },        { VERB_GET, "Config" },    { VERB_DESCRIBE, "Node" },
    { VERB_DESCRIBE, "Resource" }, { VERB_WHY, "Node" },      { VERB_WHY, "Hold" },
    { VERB_WHY, "Job" },           { VERB_WAIT, "Job" },      { VERB_APPLY, "Plan" },
    { VERB_EVENTS, "Node" },       { VERB_GET, "User" },      { VERB_GET, "Grant" },
    { VERB_GET, "Token" },         { VERB_GET, "Tenant" },    { VERB_CREATE, "User" },
    { VERB_CREATE, "Grant" },      { VERB_CREATE, "Token" },  { VERB_CREATE, "Tenant" },
    { VERB_GET, "Volume" },        { VERB_DELETE, "Volume" }, { VERB_DELETE, "User" },
    { VERB_DELETE, "Grant" },      { VERB_DELETE, "Token" },  { VERB_DELETE, "Tenant" },
};

/* Verbs that accept names without their kind, and the maximum number of these names. There can be
 * many machines, so if a verb also accepts other names, machines are offered only after the user
 * has typed a cluster. */
static const struct {
    enum verb_id verb;
    const char *kind;
    size_t words;
    bool is_behind_slash;
} bare[] = {
    { VERB_SCALE, "NodeGroup", 1, false },
    { VERB_PAUSE, "Cluster", SIZE_MAX, false },
    { VERB_PAUSE, "NodeGroup", SIZE_MAX, true },
    { VERB_RESUME, "Cluster", SIZE_MAX, false },
    { VERB_RESUME, "NodeGroup", SIZE_MAX, true },
    { VERB_TREE, "Cluster", 1, false },
    { VERB_SSH, "Node", 1, false },
    { VERB_RELEASE, "Node", SIZE_MAX, false },
    { VERB_REPLACE, "Node", SIZE_MAX, false },
    { VERB_REBOOT, "Node", SIZE_MAX, false },
    { VERB_LOGS, "Node", 1, false },
    { VERB_EXEC, "Node", SIZE_MAX, false },
    { VERB_BOOTSTRAP, "Node", SIZE_MAX, false },
    { VERB_SET, "Cluster", 1, false },
    { VERB_SET, "NodeGroup", 1, true },
    { VERB_EDIT, "Cluster", 1, false },
    { VERB_EDIT, "NodeGroup", 1, true },
    { VERB_UNDO, "Cluster", 1, false },
    { VERB_UNDO, "NodeGroup", 1, true },
    { VERB_DESCRIBE, "Cluster", 1, false },
    { VERB_DESCRIBE, "NodeGroup", 1, true },
    { VERB_DESCRIBE, "Node", 1, true },
    { VERB_EVENTS, "Cluster", 1, false },
    { VERB_EVENTS, "NodeGroup", 1, true },
    { VERB_EVENTS, "Node", 1, true },
    { VERB_DIFF, "Cluster", 2, false },
    { VERB_DIFF, "NodeGroup", 2, true },
    { VERB_DELETE, "Cluster", SIZE_MAX, false },
    { VERB_DELETE, "NodeGroup", SIZE_MAX, true },
    { VERB_WAIT, "Cluster", SIZE_MAX, false },
    { VERB_WAIT, "NodeGroup", SIZE_MAX, true },
    { VERB_WHY, "Cluster", 1, false },
    { VERB_WHY, "NodeGroup", 1, true },
    { VERB_WHY, "Node", 1, true },
    { VERB_CA, "Cluster", 2, false },
    { VERB_CA, "Node", 2, true },
};

/* True if the verb also accepts kinds. The arguments of other verbs are only names. */
static bool has_kinds(const struct verb *verb)
{
    static const enum verb_id without[] = { VERB_SSH, VERB_LOGS,      VERB_EXEC,
                                            VERB_CA,  VERB_BOOTSTRAP, VERB_TREE };

    for (size_t i = 0; verb != NULL && i < ARRAY_COUNT(without); i++) {
        if (without[i] == verb->id) {
            return false;
        }
    }
    return true;
}

/* Offer names without a kind. False: the verb accepts none. */
static bool bare_offer(struct candidates *candidates)
{
    const struct args *args = &candidates->args;
    bool has_slash = text_find_byte(candidates->current, '/') != SIZE_MAX;
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(bare) && args->verb != NULL; i++) {
        if (bare[i].verb != args->verb->id) {
            continue;
        }
        is_any = true;
        if (args->argument_count < bare[i].words && (has_slash || !bare[i].is_behind_slash)) {
            completion_names(candidates, bare[i].kind, TEXT(""));
        }
    }
    return is_any;
}

static bool is_offered(const struct candidates *candidates, const struct schema_kind *kind)
{
    bool is_taken = target_is_served(kind);

    for (size_t i = 0; i < ARRAY_COUNT(kept) && !is_taken && candidates->args.verb != NULL; i++) {
        is_taken =
            kept[i].verb == candidates->args.verb->id && strcmp(kept[i].kind, kind->name) == 0;
    }
    return is_taken;
}

void completion_targets(struct candidates *candidates)
{
    size_t slash = text_find_byte(candidates->current, '/');
    const struct args *args = &candidates->args;
    const struct schema_kind *kind;
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);

    if (slash != SIZE_MAX) {
        kind = schema_kind_of_word(text_slice(candidates->current, 0, slash));
        if (kind != NULL) {
            completion_names(candidates, kind->name, text_slice(candidates->current, 0, slash + 1));
            return;
        }
    }
    kind = args->argument_count > 0 ? schema_kind_of_word(text_from(args->words[0])) : NULL;
    if (kind != NULL) {
        completion_names(candidates, kind->name, TEXT(""));
        return;
    }
    if ((bare_offer(candidates) && args->argument_count > 0) || slash != SIZE_MAX ||
        !has_kinds(args->verb)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_offered(candidates, &kinds[i])) {
            completion_add(candidates, text_from(kinds[i].singular), kinds[i].help);
        }
    }
}
