#include "base/limits.h"
#include "base/set.h"
#include "codec/json.h"
#include "model/merge.h"
#include "model/properties.h"
#include "model/resolve.h"
#include "model/scalar.h"
#include "reeve/plugin.h"
#include "roles/roles.h"

#include <assert.h>

/* The second step of reading: checks that need the merged object. Each error has the position of
 * the invalid value; for a missing value, a position where it can be added. */

struct completing {
    struct model_set *set;
    struct model_object *object;
};

/* Return the position for a missing field: that of the `from:` without it, else of the object. */
static struct place missing_place(const struct completing *completing)
{
    const struct doc *from = doc_child(&completing->object->own, "from");

    return doc_is_map(from) ? doc_place(from) : completing->object->place;
}

/* Format the text for an object: "cluster 'shop'", or "cluster" if it has no name. */
static struct text object_words(const struct completing *completing)
{
    const struct model_object *object = completing->object;

    return object->name.length == 0 ? text_from(object->kind->singular)
                                    : arena_printf(completing->set->arena, "%s '%.*s'",
                                                   object->kind->singular, TEXT_ARG(object->name));
}

static void field_missing(const struct completing *completing, const struct schema_field *field)
{
    const struct model_object *object = completing->object;
    const struct doc *from = doc_child(&object->own, "from");
    struct text who = object_words(completing);
    struct err *err = err_list_set(completing->set->errors, missing_place(completing), CODE_R0330,
                                   "%.*s needs '%s'", TEXT_ARG(who), field->name);

    if (doc_is_map(from)) {
        err_note(err, "neither the document nor its source sets the field");
    }
    err_hint(err, "set it in the document%s: %s is %s", doc_is_map(from) ? " or in its source" : "",
             field->name, field->help);
}

/* Check that a secret has a value, inline or from a file, or the digest of a stored value. */
static void complete_secret_check(const struct completing *completing)
{
    static const char *const sayings[] = { "file", "value", "digest" };
    const struct doc *secret = &completing->object->merged;

    for (size_t i = 0; i < ARRAY_COUNT(sayings); i++) {
        if (doc_is_present(doc_child(secret, sayings[i]))) {
            return;
        }
    }
    if (!secret->has_faults) {
        field_missing(completing, schema_field_find(OWNER_SECRET, TEXT("file")));
    }
}

/* Check the required fields at the top level. A template needs only a name. */
static void fields_check(const struct completing *completing)
{
    enum schema_owner owner = completing->object->kind->owner;
    bool is_template = owner == OWNER_CLUSTER_TEMPLATE || owner == OWNER_NODEGROUP_TEMPLATE;
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    for (size_t i = 0; i < count; i++) {
        const struct doc *value;

        if (!fields[i].is_required || !schema_has_owner(&fields[i], owner) ||
            fields[i].type.kind == TYPE_GROUPS ||
            (is_template && !text_is(TEXT("name"), fields[i].name))) {
            continue;
        }
        value = doc_child(&completing->object->merged, fields[i].name);
        if ((!doc_is_present(value) || doc_is_null(value)) &&
            !completing->object->merged.has_faults) {
            field_missing(completing, &fields[i]);
        }
    }
    if (owner == OWNER_SECRET) {
        complete_secret_check(completing);
    }
}

/* Set the position of an error: that of the value in its file, else that of the group. */
static struct err *leaf_blame(const struct model_leaf *leaf, const struct doc *value,
                              struct err *err)
{
    if (value != NULL) {
        model_blame(err, value);
    }
    err_place(err, leaf->place);
    return err;
}

static struct err *leaf_fault(const struct completing *completing, const struct model_leaf *leaf,
                              const struct doc *value, enum code code, struct text text)
{
    return leaf_blame(
        leaf, value,
        err_list_set(completing->set->errors, (struct place){ 0 }, code, "%.*s", TEXT_ARG(text)));
}

/* Report a missing field of a leaf. `is_common`: the field may also be in defaults. */
static void leaf_missing(const struct completing *completing, const struct model_leaf *leaf,
                         const char *field, bool is_common)
{
    const struct doc *from = doc_child(&leaf->doc, "from");
    bool is_made = doc_is_map(from) || doc_is_present(&completing->object->from);
    struct err *err =
        err_list_set(completing->set->errors, doc_is_map(from) ? doc_place(from) : leaf->place,
                     CODE_R0330, "group '%.*s' needs '%s'", TEXT_ARG(leaf->path), field);

    if (is_made) {
        err_note(err, "neither the group nor its source sets the field");
    }
    err_hint(err, "set it on the group%s%s%s", is_common && is_made ? "," : "",
             is_common ? (is_made ? " in defaults" : " or in defaults") : "",
             is_made ? " or in its source" : "");
}

static void complete_required_check(const struct completing *completing,
                                    const struct model_leaf *leaf)
{
    const struct doc *plugin = doc_child(&leaf->doc, "resourcePlugin");
    const struct doc *from = doc_child(&leaf->doc, "from");

    if (leaf->doc.has_faults || resolve_is_unfound(completing->set, from)) {
        /* The value was invalid, or its source was not found. Both errors are already reported. */
        return;
    }
    if (!leaf->group.has_size) {
        leaf_missing(completing, leaf, "size", false);
    }
    if (!doc_is_map(plugin)) {
        leaf_missing(completing, leaf, "resourcePlugin", true);
    } else if (leaf->group.plugin.length == 0 && !plugin->has_faults) {
        leaf_missing(completing, leaf, "resourcePlugin.name", true);
    }
}

static void complete_bounds_check(const struct completing *completing,
                                  const struct model_leaf *leaf)
{
    const struct group *group = &leaf->group;
    struct arena *arena = completing->set->arena;

    if (group->min_size > group->max_size) {
        leaf_fault(completing, leaf, doc_child(&leaf->doc, "minSize"), CODE_R0336,
                   arena_printf(arena, "minSize %u of group '%.*s' is above its maxSize %u",
                                group->min_size, TEXT_ARG(leaf->path), group->max_size));
    } else if (group->has_size && group->size > group->max_size) {
        leaf_fault(completing, leaf, doc_child(&leaf->doc, "size"), CODE_R0336,
                   arena_printf(arena, "size %u of group '%.*s' is above its maxSize %u",
                                group->size, TEXT_ARG(leaf->path), group->max_size));
    } else if (group->has_size && group->size < group->min_size) {
        leaf_fault(completing, leaf, doc_child(&leaf->doc, "size"), CODE_R0336,
                   arena_printf(arena, "size %u of group '%.*s' is below its minSize %u",
                                group->size, TEXT_ARG(leaf->path), group->min_size));
    }
}

static bool is_zero_share(const struct doc *value)
{
    struct scalar_share share;

    return doc_is_scalar(value) && scalar_parse_share(value->text, &share) && share.value == 0;
}

static void policies_check(const struct completing *completing, const struct model_leaf *leaf)
{
    const struct doc *rollout = doc_child(&leaf->doc, "rollout");
    const struct doc *probe = doc_child(doc_child(&leaf->doc, "health"), "probe");
    const struct doc *unavailable = doc_child(rollout, "unavailable");
    const struct doc *second = doc_child(probe, "exec");
    int kinds =
        (doc_child(probe, "tcp") != NULL) + (second != NULL) + (doc_child(probe, "ssh") != NULL);

    if (is_zero_share(doc_child(rollout, "surge")) &&
        (unavailable == NULL || is_zero_share(unavailable))) {
        struct err *err =
            leaf_fault(completing, leaf, doc_child(rollout, "surge"), CODE_R0342,
                       arena_printf(completing->set->arena,
                                    "a rollout of group '%.*s' may neither add a machine nor "
                                    "take one out of service",
                                    TEXT_ARG(leaf->path)));

        err_hint(err, "set surge or unavailable to 1 or more");
    }
    if (probe != NULL && !probe->has_faults && kinds != 1) {
        leaf_fault(
            completing, leaf, second == NULL ? probe : second, CODE_R0321,
            arena_printf(completing->set->arena,
                         "probe of group '%.*s' takes one of 'tcp', 'exec' and 'ssh', got %s",
                         TEXT_ARG(leaf->path), kinds == 0 ? "none" : "several"));
    } else if (doc_is_list(second) && second->item_count == 0) {
        leaf_fault(completing, leaf, second, CODE_R0321,
                   arena_printf(completing->set->arena,
                                "the probe command of group '%.*s' is empty",
                                TEXT_ARG(leaf->path)));
    }
}

/* Check that the DNS-safe form of each name is a host name: it must not begin or end with '-'. */
static void host_name_check(const struct completing *completing, const struct model_leaf *leaf)
{
    struct arena *arena = completing->set->arena;
    uint64_t last =
        (uint64_t)leaf->group.first_number + (leaf->group.size > 0 ? leaf->group.size - 1 : 0);
    struct text name = naming_format(arena, &leaf->group.affix, last);
    char *safe = arena_string(arena, name);
    size_t length = naming_make_safe(safe, name.length);
    struct err *err;

    if (length > 0 && safe[0] != '-' && safe[length - 1] != '-') {
        return;
    }
    err = leaf_fault(completing, leaf, doc_child(&leaf->doc, "naming"), CODE_R0312,
                     arena_printf(arena, "member '%.*s' of group '%.*s' has no host name",
                                  TEXT_ARG(name), TEXT_ARG(leaf->path)));
    err_hint(err,
             "host names are names in lower case with '-' for '_' and '.', at most %d bytes; they "
             "neither begin nor end with '-'",
             LIMIT_MEMBER_NAME_BYTES);
}

static void naming_check(const struct completing *completing, const struct model_leaf *leaf)
{
    const struct group *group = &leaf->group;
    const struct doc *naming = doc_child(&leaf->doc, "naming");
    const struct doc *members = doc_child(&leaf->doc, "members");
    struct arena *arena = completing->set->arena;

    if (!group->naming.has_number &&
        (group->max_size == GROUP_NO_MAX ? group->size : group->max_size) > 1) {
        struct err *err = leaf_fault(
            completing, leaf, naming, CODE_R0338,
            arena_printf(arena, "naming '%.*s' gives all members of group '%.*s' the same name",
                         TEXT_ARG(naming->text), TEXT_ARG(leaf->path)));

        err_hint(err, "add {n}: '%.*s-{n}'", TEXT_ARG(naming->text));
    }
    host_name_check(completing, leaf);
    for (size_t i = 0; doc_is_map(members) && i < members->entry_count; i++) {
        const struct doc_entry *member = &members->entries[i];
        uint64_t number;

        if (!naming_number_of(&group->affix, member->key, &number) ||
            (group->affix.has_number && number < group->first_number)) {
            struct text first = naming_format(arena, &group->affix, group->first_number);
            struct err *err = err_list_set(completing->set->errors, model_place(member), CODE_R0339,
                                           "group '%.*s' can have no member '%.*s'",
                                           TEXT_ARG(leaf->path), TEXT_ARG(member->key));

            err_hint(err, "its members have names from '%.*s' on", TEXT_ARG(first));
        }
    }
}

static void volumes_check(const struct completing *completing, const struct model_leaf *leaf)
{
    const struct doc *volumes = doc_child(&leaf->doc, "volumes");
    struct set names;

    set_init(&names, completing->set->arena);
    for (size_t i = 0; doc_is_list(volumes) && i < volumes->item_count; i++) {
        const struct doc *name = doc_child(&volumes->items[i], "name");
        struct text text =
            doc_is_scalar(name) ? name->text : arena_printf(completing->set->arena, "vol%zu", i);

        if (!set_add(&names, text)) {
            leaf_fault(completing, leaf, doc_is_scalar(name) ? name : &volumes->items[i],
                       CODE_R0306,
                       arena_printf(completing->set->arena,
                                    "two volumes of group '%.*s' are called '%.*s'",
                                    TEXT_ARG(leaf->path), TEXT_ARG(text)));
        }
    }
}

/* Add a question to a plugin about properties. Questions beyond the limit are dropped: those
 * properties are checked when a machine is created. */
static void question_add(struct model_set *set, const struct model_question *question)
{
    if ((question->hello->methods >> WIRE_VALIDATE & 1) +
                (question->hello->methods >> WIRE_PREFLIGHT & 1) ==
            0 ||
        set->question_count == LIMIT_QUESTIONS) {
        return;
    }
    if (set->questions == NULL) {
        set->questions = arena_array(set->arena, struct model_question, LIMIT_QUESTIONS);
    }
    set->questions[set->question_count++] = *question;
}

/* Check the properties by the description of the plugin, if the description is known. */
static void complete_plugin_check(const struct completing *completing,
                                  const struct model_leaf *leaf, const struct doc *doc,
                                  size_t choice)
{
    const struct model_plugins *plugins = completing->set->plugins;
    const struct doc *name = doc_child(doc_child(doc, "resourcePlugin"), "name");
    const struct wire_hello *plugin =
        plugins == NULL || !doc_is_scalar(name) ? NULL : plugins->find(plugins->arg, name->text);

    if (plugin != NULL) {
        properties_check(plugin, doc, leaf->place, completing->set->errors);
        question_add(completing->set, &(struct model_question){ .plugin = plugin->name,
                                                                .hello = plugin,
                                                                .leaf = *doc,
                                                                .place = leaf->place,
                                                                .object = completing->object->name,
                                                                .path = leaf->path,
                                                                .choice = choice });
    }
}

/* Check the properties of a group and of its alternatives, each merged over the group (FILE.md
 * 6). */
static void complete_plugins_check(const struct completing *completing,
                                   const struct model_leaf *leaf)
{
    const struct doc *alternatives = doc_child(&leaf->doc, "alternatives");

    if (completing->set->plugins == NULL) {
        return;
    }
    complete_plugin_check(completing, leaf, &leaf->doc, 0);
    for (size_t i = 0; doc_is_list(alternatives) && i < alternatives->item_count; i++) {
        struct arena *arena = completing->set->arena;
        struct doc laid = merge_layers(arena, MERGE_LEAF, &leaf->doc, &alternatives->items[i]);

        laid = merge_prune(arena, MERGE_LEAF, &laid);
        complete_plugin_check(completing, leaf, &laid, i + 1);
    }
}

/* Check that at least one plugin accepts the driver, which all plugins of the cluster receive. */
static void driver_check(const struct completing *completing)
{
    const struct model_object *object = completing->object;
    const struct model_plugins *plugins = completing->set->plugins;
    const struct doc_entry *entry = doc_entry_find(&object->merged, TEXT("driver"));
    struct text name = TEXT("");
    struct err *err;

    if (object->kind->owner != OWNER_CLUSTER || plugins == NULL || entry == NULL ||
        doc_is_null(&entry->value)) {
        return;
    }
    for (size_t i = 0; i < object->leaf_count; i++) {
        const struct doc *value =
            doc_child(doc_child(&object->leaves[i].doc, "resourcePlugin"), "name");
        const struct wire_hello *plugin =
            doc_is_scalar(value) ? plugins->find(plugins->arg, value->text) : NULL;

        if (plugin == NULL || properties_has_role(plugin, REEVE_ROLE_DRIVER)) {
            /* The plugin accepts the driver, or may accept it once the plugin is installed. */
            return;
        }
        name = plugin->name;
    }
    if (name.length > 0) {
        err = err_list_set(completing->set->errors, model_place(entry), CODE_R0347,
                           "plugin %.*s has no 'driver'", TEXT_ARG(name));
        err_hint(
            err,
            "leave the field out: it has no effect; reeve explain plugin/%.*s lists the fields of the plugin",
            TEXT_ARG(name));
        model_blame(err, &entry->value);
    }
}

static void roles_check(const struct completing *completing)
{
    struct roles_leaf *leaves =
        arena_array(completing->set->arena, struct roles_leaf, completing->object->leaf_count);
    const struct doc *map = doc_child(&completing->object->merged, "roles");
    const struct model_leaf *leaf = completing->object->leaves;
    struct text roles;
    const struct doc *closing = roles_cycle_find(completing->set->arena, map, &roles);

    for (size_t i = 0; i < completing->object->leaf_count; i++) {
        leaves[i] = (struct roles_leaf){ leaf[i].path, &leaf[i].doc };
    }
    if (closing != NULL) {
        struct err *err = err_list_set(completing->set->errors, (struct place){ 0 }, CODE_R0839,
                                       "roles need each other: %.*s", TEXT_ARG(roles));

        err_hint(err, "remove one of the roles from needs");
        model_blame(err, closing);
    } else if (completing->object->others == NULL) {
        roles_names_check(completing->set->arena, completing->set->errors, map, leaves,
                          completing->object->leaf_count);
    }
}

static void limits_check(const struct completing *completing, const struct model_leaf *leaf)
{
    const struct doc *labels = doc_child(&leaf->doc, "labels");

    if (doc_is_map(labels) && labels->entry_count > LIMIT_LABELS) {
        leaf_fault(completing, leaf, labels, CODE_R0320,
                   arena_printf(completing->set->arena,
                                "group '%.*s' has %zu labels with those it inherits, at most %d "
                                "are allowed",
                                TEXT_ARG(leaf->path), labels->entry_count, LIMIT_LABELS));
    }
    if (json_is_longer(&leaf->doc, LIMIT_LEAF_BYTES)) {
        leaf_fault(completing, leaf, NULL, CODE_R0320,
                   arena_printf(completing->set->arena,
                                "group '%.*s' has %zu bytes of effective values, at most %d are "
                                "allowed",
                                TEXT_ARG(leaf->path), json_count_bytes(&leaf->doc),
                                LIMIT_LEAF_BYTES));
    }
}

/* Check `renamedFrom` of a leaf. `old_paths` maps earlier old paths to their leaves. */
static void rename_check(const struct completing *completing, const struct model_leaf *leaf,
                         struct map *old_paths)
{
    const struct doc *old = doc_child(&leaf->doc, "renamedFrom");
    struct arena *arena = completing->set->arena;
    const struct model_leaf *other;
    struct err *err;

    if (!doc_is_scalar(old)) {
        return;
    }
    if (map_find(&completing->object->leaf_by_path, old->text) != NULL) {
        err = leaf_fault(completing, leaf, old, CODE_R0333,
                         arena_printf(arena,
                                      "group '%.*s' cannot be renamed from '%.*s', which still "
                                      "exists",
                                      TEXT_ARG(leaf->path), TEXT_ARG(old->text)));
        err_hint(err, "renamedFrom must be the old path of this group");
        return;
    }
    other = map_put(old_paths, old->text, (void *)(uintptr_t)leaf);
    if (other != NULL) {
        err = leaf_fault(
            completing, leaf, old, CODE_R0306,
            arena_printf(arena, "groups '%.*s' and '%.*s' cannot both be renamed from '%.*s'",
                         TEXT_ARG(other->path), TEXT_ARG(leaf->path), TEXT_ARG(old->text)));
        err_note(err, "the other one is here");
        err->note_place = other->place;
    }
}

/* The groups whose member names are compared: the leaves, then unchanged groups that may clash. */
struct meeting {
    struct naming_group *groups;
    struct model_other *others; /* the objects of groups[leaf_count] and those after it */
    size_t count;
    size_t room;
    struct set seen; /* paths of others */
};

static void others_gather(const struct completing *completing, struct meeting *meeting)
{
    const struct model_object *object = completing->object;
    struct arena *arena = completing->set->arena;
    size_t leaves = object->leaf_count;

    set_init(&meeting->seen, arena);
    for (size_t i = 0; object->others != NULL && i < leaves; i++) {
        struct model_other *found = NULL;
        size_t count =
            object->others->find(object->others->arg, arena, &meeting->groups[i], &found);

        for (size_t j = 0; j < count; j++) {
            if (!set_add(&meeting->seen, found[j].path)) {
                continue;
            }
            if (meeting->count == meeting->room) {
                size_t room = meeting->room * 2 + 16;

                meeting->groups =
                    arena_grow(arena, meeting->groups, meeting->room * sizeof(*meeting->groups),
                               room * sizeof(*meeting->groups));
                meeting->others = arena_grow(arena, meeting->others,
                                             (meeting->room - leaves) * sizeof(*meeting->others),
                                             (room - leaves) * sizeof(*meeting->others));
                meeting->room = room;
            }
            meeting->others[meeting->count - leaves] = found[j];
            meeting->groups[meeting->count++] = found[j].names;
        }
    }
}

static void clash_report(const struct completing *completing, const struct meeting *meeting,
                         const struct naming_clash *clash)
{
    const struct model_object *object = completing->object;
    size_t leaves = object->leaf_count;
    /* the fault is reported for the group that changes */
    bool is_swapped = clash->group_b >= leaves;
    size_t first = is_swapped ? clash->group_b : clash->group_a;
    size_t second = is_swapped ? clash->group_a : clash->group_b;
    struct text first_path =
        first < leaves ? object->leaves[first].path : meeting->others[first - leaves].path;
    struct text name = naming_format(completing->set->arena, &meeting->groups[clash->group_b].affix,
                                     clash->number);
    struct err *err;

    if (second >= leaves) {
        /* Both groups already exist. */
        return;
    }
    err = err_list_set(completing->set->errors, object->leaves[second].place, CODE_R0337,
                       "member '%.*s' of group '%.*s' has the name of a member of group '%.*s'",
                       TEXT_ARG(name), TEXT_ARG(object->leaves[second].path), TEXT_ARG(first_path));
    err_note(err, "the other group is here; names are compared in lower case, with '_' and '.' as "
                  "'-', by their first 63 bytes");
    if (first < leaves) {
        err->note_place = object->leaves[first].place;
    }
    err_hint(err, "rename a group, or give one of them another naming");
}

static void clashes_check(const struct completing *completing)
{
    const struct model_object *object = completing->object;
    struct arena *arena = completing->set->arena;
    struct meeting meeting = { .count = object->leaf_count, .room = object->leaf_count };
    struct naming_clash clashes[LIMIT_ERRORS_KEPT];
    uint64_t nodes = object->node_count + (object->others == NULL ? 0 : object->others->nodes);
    size_t found;

    if (nodes > LIMIT_CLUSTER_NODES) {
        err_list_set(completing->set->errors, object->place, CODE_R0320,
                     "cluster '%.*s' has %llu nodes, at most %d are allowed",
                     TEXT_ARG(object->name), (unsigned long long)nodes, LIMIT_CLUSTER_NODES);
        return;
    }
    meeting.groups = arena_array(arena, struct naming_group, object->leaf_count);
    for (size_t i = 0; i < object->leaf_count; i++) {
        const struct group *group = &object->leaves[i].group;
        bool is_single = !group->affix.has_number && group->size > 1; /* see naming_check() */

        meeting.groups[i] =
            (struct naming_group){ group->affix, group->first_number, is_single ? 1 : group->size };
    }
    others_gather(completing, &meeting);
    found =
        naming_find_clashes(arena, meeting.groups, meeting.count, clashes, ARRAY_COUNT(clashes));
    for (size_t i = 0; i < found; i++) {
        clash_report(completing, &meeting, &clashes[i]);
    }
}

static size_t others_count(const struct model_object *object)
{
    return object->others == NULL ? 0 : object->others->groups;
}

/* Check the limits for all groups together. The number of leaves was already checked. */
static void complete_count_check(const struct completing *completing)
{
    const struct model_object *object = completing->object;

    if (object->leaf_count + others_count(object) > LIMIT_LEAF_GROUPS) {
        err_list_set(completing->set->errors, object->place, CODE_R0320,
                     "a cluster has at most %d groups", LIMIT_LEAF_GROUPS);
    }
}

static void complete_groups_check(const struct completing *completing)
{
    const struct model_object *object = completing->object;
    const struct doc *empty = doc_child(&object->merged, "empty");
    const struct doc *groups = doc_child(&object->merged, "groups");
    bool can_be_empty = doc_is_scalar(empty) && text_is(empty->text, "true");

    if (object->leaf_count + others_count(object) > 0 || can_be_empty ||
        object->merged.has_faults || (doc_is_map(groups) && groups->has_faults)) {
        return;
    }
    if (doc_is_map(groups) && groups->entry_count > 0 && completing->set->errors->errors > 0) {
        /* The groups had a fault that is already reported. */
        return;
    }
    err_hint(err_list_set(completing->set->errors,
                          doc_is_map(groups) ? doc_place(groups) : missing_place(completing),
                          CODE_R0341, "%.*s has no groups", TEXT_ARG(object_words(completing))),
             "add one: groups: {web: {size: 2}}; or write empty: true");
}

/* Report a NodeGroup document without `cluster` or `name`. It belongs to no cluster. */
static void node_group_check(const struct completing *completing)
{
    static const char *const names[] = { "cluster", "name" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const struct doc *value = doc_child(&completing->object->own, names[i]);

        if ((value == NULL || doc_is_null(value)) && !completing->object->own.has_faults) {
            err_hint(err_list_set(completing->set->errors, completing->object->place, CODE_R0330,
                                  "nodegroup needs '%s'", names[i]),
                     "cluster: NAME is the cluster it belongs to, name: its path in it");
        }
    }
}

void complete_check(struct model_set *set, struct model_object *object)
{
    struct completing completing = { .set = set, .object = object };
    const struct doc *from = doc_child(&object->own, "from");
    bool is_whole = !doc_is_map(from) || doc_is_present(&object->from);

    struct map old_paths;

    assert(object->state == MODEL_RESOLVED);
    map_init(&old_paths, set->arena);
    if (object->kind->owner == OWNER_NODEGROUP) {
        node_group_check(&completing);
        return;
    }
    if (!is_whole) {
        /* The source of the object was not found. This is already reported. */
        return;
    }
    fields_check(&completing);
    for (size_t i = 0; i < object->leaf_count; i++) {
        const struct model_leaf *leaf = &object->leaves[i];

        if (object->kind->owner == OWNER_CLUSTER) {
            complete_required_check(&completing, leaf);
            rename_check(&completing, leaf, &old_paths);
            naming_check(&completing, leaf);
        }
        complete_bounds_check(&completing, leaf);
        policies_check(&completing, leaf);
        volumes_check(&completing, leaf);
        limits_check(&completing, leaf);
        if (object->kind->owner == OWNER_CLUSTER) {
            complete_plugins_check(&completing, leaf);
        }
    }
    if (object->kind->owner == OWNER_CLUSTER) {
        complete_groups_check(&completing);
        driver_check(&completing);
        roles_check(&completing);
        if (object->others != NULL) {
            complete_count_check(&completing);
        }
        clashes_check(&completing);
    }
}
