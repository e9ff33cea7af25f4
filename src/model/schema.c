#include "model/schema.h"

#include "base/buf.h"
#include "base/limits.h"
#include "install/install.h"
#include "model/check.h"
#include "model/naming.h"
#include "roles/roles.h"

#include <assert.h>
#include <stddef.h>

/* The aliases in schema.def. */
#define IN(owner) (UINT64_C(1) << OWNER_##owner)
#define CLUSTERS  (IN(CLUSTER) | IN(CLUSTER_TEMPLATE))
#define STAGES    (IN(BOOTSTRAP) | IN(STAGE))
#define TEMPLATES (IN(CLUSTER_TEMPLATE) | IN(NODEGROUP_TEMPLATE))
#define LEAVES    (IN(GROUP) | IN(NODEGROUP) | IN(NODEGROUP_TEMPLATE))
#define PARTIAL   (LEAVES | IN(DEFAULTS) | IN(ALTERNATIVE) | IN(MEMBER))

#define T_TEXT            \
    {                     \
        .kind = TYPE_TEXT \
    }
#define T_BOOL            \
    {                     \
        .kind = TYPE_BOOL \
    }
#define T_DURATION            \
    {                         \
        .kind = TYPE_DURATION \
    }
#define T_DURATION_FROM(ms)              \
    {                                    \
        .kind = TYPE_DURATION, .min = ms \
    }
#define T_DURATION_IN(low, high)                       \
    {                                                  \
        .kind = TYPE_DURATION, .min = low, .max = high \
    }
#define T_SHARE            \
    {                      \
        .kind = TYPE_SHARE \
    }
#define T_SHARE_FROM(low)              \
    {                                  \
        .kind = TYPE_SHARE, .min = low \
    }
#define T_OPAQUE            \
    {                       \
        .kind = TYPE_OPAQUE \
    }
#define T_GROUPS            \
    {                       \
        .kind = TYPE_GROUPS \
    }
#define T_SIZE(unit_)                    \
    {                                    \
        .kind = TYPE_SIZE, .unit = unit_ \
    }
#define T_WORD(list)                     \
    {                                    \
        .kind = TYPE_WORD, .words = list \
    }
#define T_INT(low, high)                          \
    {                                             \
        .kind = TYPE_INT, .min = low, .max = high \
    }
#define T_CHECKED(words_, check_)                          \
    {                                                      \
        .kind = TYPE_TEXT, .what = words_, .check = check_ \
    }
#define T_LIST_TEXT(limit)                                   \
    {                                                        \
        .kind = TYPE_TEXT, .shape = SHAPE_LIST, .max = limit \
    }
#define T_SET_TEXT(limit)                                                    \
    {                                                                        \
        .kind = TYPE_TEXT, .shape = SHAPE_LIST, .max = limit, .is_set = true \
    }
#define T_SET_CHECKED(words_, check_, limit)                                                   \
    {                                                                                          \
        .kind = TYPE_TEXT, .shape = SHAPE_LIST, .what = words_, .check = check_, .max = limit, \
        .is_set = true                                                                         \
    }
#define T_LIST_CHECKED(words_, check_, limit)                                                 \
    {                                                                                         \
        .kind = TYPE_TEXT, .shape = SHAPE_LIST, .what = words_, .check = check_, .max = limit \
    }
#define T_LABELS                                                           \
    {                                                                      \
        .kind = TYPE_TEXT, .shape = SHAPE_MAP, .check = check_label_value, \
        .check_key = check_label_key, .max = LIMIT_LABELS                  \
    }
#define T_OBJECT(owner_)                             \
    {                                                \
        .kind = TYPE_OBJECT, .owner = OWNER_##owner_ \
    }
#define T_LIST_OBJECT(owner_, limit)                                                    \
    {                                                                                   \
        .kind = TYPE_OBJECT, .shape = SHAPE_LIST, .owner = OWNER_##owner_, .max = limit \
    }
#define T_MAP_OBJECT(owner_, check_, limit)                                                    \
    {                                                                                          \
        .kind = TYPE_OBJECT, .shape = SHAPE_MAP, .owner = OWNER_##owner_, .check_key = check_, \
        .max = limit                                                                           \
    }

static const struct schema_field fields[] = {
#define FIELD(owners, name, aliases, type, required, default_text, help, since) \
    { owners, name, aliases, type, required, default_text, help, since },
#include "model/schema.def"
#undef FIELD
};

_Static_assert(ARRAY_COUNT(fields) <= SCHEMA_FIELDS_MAX, "SCHEMA_FIELDS_MAX is too small");

static const struct schema_kind kinds[] = {
#define KIND(name, singular, plural, abbreviation, in_files, owner, since, help) \
    { #name, singular, plural, abbreviation, in_files, owner, since, help },
#include "model/schema.def"
#undef KIND
};

/* Maps names of other tools (words separated by blanks) to the name of the field in reeve. */
static const struct {
    const char *words;
    const char *name;
} foreigns[] = {
#define FOREIGN(words, name) { words, name },
#include "model/schema.def"
#undef FOREIGN
};

/* The display name of each owner, and its argument of `reeve explain`. */
static const struct {
    const char *words;
    const char *path;
} owners[OWNER_COUNT] = {
    [OWNER_CLUSTER] = { "a cluster", "cluster" },
    [OWNER_CLUSTER_TEMPLATE] = { "a cluster template", "clustertemplate" },
    [OWNER_NODEGROUP] = { "a node group", "nodegroup" },
    [OWNER_NODEGROUP_TEMPLATE] = { "a node group template", "nodegrouptemplate" },
    [OWNER_ACCOUNT] = { "an account", "account" },
    [OWNER_SECRET] = { "a secret", "secret" },
    [OWNER_CONFIG] = { "a configuration", "config" },
    [OWNER_BUDGET] = { "a budget", "budget" },
    [OWNER_WINDOW] = { "a window", "budget.windows" },
    [OWNER_GROUP] = { "a group", "cluster.groups" },
    [OWNER_DEFAULTS] = { "defaults", "cluster.defaults" },
    [OWNER_ALTERNATIVE] = { "an alternative", "nodegroup.alternatives" },
    [OWNER_MEMBER] = { "a member", "nodegroup.members" },
    [OWNER_FROM_CLUSTER] = { "from of a cluster", "cluster.from" },
    [OWNER_FROM_GROUP] = { "from of a group", "nodegroup.from" },
    [OWNER_PLUGIN] = { "resourcePlugin", "nodegroup.resourcePlugin" },
    [OWNER_NETWORK] = { "network", "nodegroup.network" },
    [OWNER_VOLUME] = { "a volume", "nodegroup.volumes" },
    [OWNER_BALANCE] = { "balance", "nodegroup.balance" },
    [OWNER_KEEP_FAILED] = { "keepFailed", "nodegroup.keepFailed" },
    [OWNER_ROLLOUT] = { "rollout", "nodegroup.rollout" },
    [OWNER_HEALTH] = { "health", "nodegroup.health" },
    [OWNER_PROBE] = { "probe", "nodegroup.health.probe" },
    [OWNER_SSH] = { "ssh", "nodegroup.ssh" },
    [OWNER_CONFIGURED] = { "the content of a configuration", "nodegroup.configured" },
    [OWNER_VERIFY] = { "verify", "nodegroup.verify" },
    [OWNER_DECOMMISSION] = { "decommission", "nodegroup.decommission" },
    [OWNER_INSTALL] = { "install", "nodegroup.install" },
    [OWNER_INSTALL_DISK] = { "a disk", "nodegroup.install.disks" },
    [OWNER_ROLE] = { "the rule of a role", "cluster.roles" },
    [OWNER_STAGE] = { "a stage of a configuration", "nodegroup.configured.bundles" },
    [OWNER_BOOTSTRAP] = { "a bootstrap item", "nodegroup.bootstrap" },
    [OWNER_QUOTA] = { "quota", "account.quota" },
};

static const char *const since_words[SINCE_COUNT] = {
    [SINCE_HOUSE] = "this version",
    [SINCE_DECIDING] = "the controller",
    [SINCE_PLUGINS] = "plugins",
    [SINCE_SESSION_POOL] = "bootstrap over SSH",
    [SINCE_INVENTORY] = "the inventory of discovered and netbooted machines",
    [SINCE_CONFIGURATION] = "configuration repositories",
    [SINCE_LATER_CONFIGURATION] = "the runner of playbooks and hooks",
    [SINCE_LATER_IMAGES] = "images and unattended installation",
    [SINCE_LATER_BUDGETS] = "budgets above groups",
    [SINCE_LATER_FACES] = "the compatibility APIs for other tools",
    [SINCE_LATER_SHARING] = "templates that tenants share",
};

const struct schema_field *schema_fields(size_t *out_count)
{
    *out_count = ARRAY_COUNT(fields);
    return fields;
}

const struct schema_kind *schema_kinds(size_t *out_count)
{
    *out_count = ARRAY_COUNT(kinds);
    return kinds;
}

bool schema_has_owner(const struct schema_field *field, enum schema_owner owner)
{
    assert(owner < OWNER_COUNT);
    return (field->owners >> owner & 1) != 0;
}

const struct schema_field *schema_field_find(enum schema_owner owner, struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields) && name.length > 0; i++) {
        if (fields[i].name[0] == name.data[0] && schema_has_owner(&fields[i], owner) &&
            text_is(name, fields[i].name)) {
            return &fields[i];
        }
    }
    return NULL;
}

/* Remove the next word from the front of a list separated by spaces; empty at the end. */
static struct text next_word(struct text *list)
{
    size_t end = text_find_byte(*list, ' ');
    struct text word = text_slice(*list, 0, end);

    *list = end == SIZE_MAX ? TEXT("") : text_slice(*list, end + 1, list->length);
    return word;
}

static bool words_have(const char *words, struct text wanted)
{
    struct text list = text_from(words);

    while (list.length > 0) {
        if (text_is_equal(next_word(&list), wanted)) {
            return true;
        }
    }
    return false;
}

const struct schema_field *schema_alias_find(enum schema_owner owner, struct text alias)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (fields[i].aliases[0] != '\0' && schema_has_owner(&fields[i], owner) &&
            words_have(fields[i].aliases, alias)) {
            return &fields[i];
        }
    }
    return NULL;
}

bool schema_makes_leaf(struct text name)
{
    static const struct text names[] = { TEXT("alternatives"), TEXT("from"), TEXT("resourcePlugin"),
                                         TEXT("resourceProperties"), TEXT("size") };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is_equal(name, names[i])) {
            return true;
        }
    }
    return false;
}

const struct schema_field *schema_field_anywhere(struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (text_is(name, fields[i].name)) {
            return &fields[i];
        }
    }
    return NULL;
}

struct text schema_foreign_find(enum schema_owner owner, struct text word)
{
    for (size_t i = 0; i < ARRAY_COUNT(foreigns); i++) {
        struct text words = text_from(foreigns[i].words);

        while (words.length > 0) {
            if (text_is_equal(next_word(&words), word) &&
                schema_field_find(owner, text_from(foreigns[i].name)) != NULL) {
                return text_from(foreigns[i].name);
            }
        }
    }
    return TEXT("");
}

const struct schema_kind *schema_kind_find(struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (text_is(name, kinds[i].name)) {
            return &kinds[i];
        }
    }
    return NULL;
}

const struct schema_kind *schema_kind_of_word(struct text word)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (text_is(word, kinds[i].singular) || text_is(word, kinds[i].plural) ||
            text_is(word, kinds[i].abbreviation) || text_is(word, kinds[i].name)) {
            return &kinds[i];
        }
    }
    return NULL;
}

void schema_suggest_fields(enum schema_owner owner, struct suggest *suggest)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (schema_has_owner(&fields[i], owner) && schema_is_usable(fields[i].since)) {
            suggest_offer(suggest, text_from(fields[i].name));
        }
    }
}

void schema_suggest_kinds(struct suggest *suggest)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (kinds[i].is_in_files) {
            suggest_offer(suggest, text_from(kinds[i].name));
        }
    }
}

const char *schema_owner_words(enum schema_owner owner)
{
    assert(owner < OWNER_COUNT);
    return owners[owner].words;
}

const char *schema_owner_path(enum schema_owner owner)
{
    assert(owner < OWNER_COUNT);
    return owners[owner].path;
}

const char *schema_since_words(enum schema_since since)
{
    assert(since < SINCE_COUNT);
    return since_words[since];
}

bool schema_is_usable(enum schema_since since)
{
    return since <= SINCE_INVENTORY;
}

struct text schema_word_find(const struct schema_type *type, struct text spelling)
{
    struct text list = text_from(type->words);

    assert(type->kind == TYPE_WORD);
    while (list.length > 0) {
        struct text word = next_word(&list);
        size_t equals = text_find_byte(word, '=');

        if (text_is_equal(text_slice(word, 0, equals), spelling)) {
            return equals == SIZE_MAX ? word : text_slice(word, equals + 1, word.length);
        }
    }
    return TEXT("");
}

struct text schema_word_at(const struct schema_type *type, size_t index)
{
    struct text list = text_from(type->words);

    assert(type->kind == TYPE_WORD);
    while (list.length > 0) {
        struct text word = next_word(&list);

        if (text_find_byte(word, '=') == SIZE_MAX && index-- == 0) {
            return word;
        }
    }
    return TEXT("");
}

static void schema_words_format(struct buf *buf, const struct schema_type *type)
{
    struct text word = schema_word_at(type, 0);

    for (size_t i = 0; word.length > 0; i++) {
        struct text next = schema_word_at(type, i + 1);

        if (i > 0) {
            buf_add_string(buf, next.length > 0 ? ", " : " or ");
        }
        buf_add(buf, word);
        word = next;
    }
}

/* Write a duration in the largest unit of which it is a whole multiple. */
static void duration_add(struct buf *buf, int64_t ms)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = { { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };

    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (ms % units[i].ms == 0) {
            buf_printf(buf, "%lld%s", (long long)(ms / units[i].ms), units[i].name);
            return;
        }
    }
    buf_printf(buf, "%lldms", (long long)ms);
}

static void one_format(struct buf *buf, const struct schema_type *type)
{
    switch (type->kind) {
    case TYPE_TEXT:
        buf_add_string(buf, type->what == NULL ? "text" : type->what);
        break;
    case TYPE_INT:
        buf_printf(buf, "integer %lld..%lld", (long long)type->min, (long long)type->max);
        break;
    case TYPE_BOOL:
        buf_add_string(buf, "true or false");
        break;
    case TYPE_WORD:
        schema_words_format(buf, type);
        break;
    case TYPE_SIZE:
        buf_add_string(buf, "size like 20GiB");
        if (type->unit != NULL) {
            buf_printf(buf, ", a bare number counts %s", type->unit);
        }
        break;
    case TYPE_DURATION:
        buf_add_string(buf, "duration like 1h30m");
        if (type->min > 0) {
            buf_add_string(buf, type->max > 0 ? ", from " : ", at least ");
            duration_add(buf, type->min);
        }
        if (type->max > 0) {
            buf_add_string(buf, " to ");
            duration_add(buf, type->max);
        }
        break;
    case TYPE_SHARE:
        buf_add_string(buf, "count or percentage");
        if (type->min > 0) {
            buf_printf(buf, ", at least %lld", (long long)type->min);
        }
        break;
    case TYPE_OBJECT:
        buf_add_string(buf, "object");
        break;
    case TYPE_OPAQUE:
        buf_add_string(buf, "any map");
        break;
    case TYPE_GROUPS:
        buf_add_string(buf, "groups");
        break;
    case TYPE_KIND_COUNT:
        assert(false);
    }
}

struct text schema_type_format(struct arena *arena, const struct schema_type *type)
{
    struct buf buf;

    assert(type->kind < TYPE_KIND_COUNT);
    buf_init(&buf, arena);
    if (type->shape == SHAPE_LIST) {
        buf_add_string(&buf, "list of ");
    } else if (type->shape == SHAPE_MAP) {
        buf_add_string(&buf, "map of ");
    }
    if (type->shape != SHAPE_ONE && type->kind == TYPE_OBJECT) {
        buf_add_string(&buf, "objects");
    } else {
        one_format(&buf, type);
    }
    return buf_text(&buf);
}
