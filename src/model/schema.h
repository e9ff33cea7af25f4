#ifndef REEVE_MODEL_SCHEMA_H
#define REEVE_MODEL_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/suggest.h"
#include "base/text.h"

/* The schema of all documents: the rows of schema.def as tables. Reading, `reeve explain`, the JSON
 * Schema for editors and did-you-mean all use it. */

/* The capability that a field or kind needs. This version has all capabilities up to
 * SINCE_INVENTORY. It is an error to use a field of a LATER capability; the message names the
 * capability. */
enum schema_since {
    SINCE_HOUSE,
    SINCE_DECIDING,
    SINCE_PLUGINS,
    SINCE_SESSION_POOL,
    SINCE_CONFIGURATION,
    SINCE_INVENTORY,
    SINCE_LATER_CONFIGURATION,
    SINCE_LATER_IMAGES,
    SINCE_LATER_BUDGETS,
    SINCE_LATER_FACES,
    SINCE_LATER_SHARING,
    SINCE_COUNT,
};

/* The object, or the part of an object, that a field belongs to. A row has a set of them. */
enum schema_owner {
    OWNER_CLUSTER,
    OWNER_CLUSTER_TEMPLATE,
    OWNER_NODEGROUP,
    OWNER_NODEGROUP_TEMPLATE,
    OWNER_ACCOUNT,
    OWNER_SECRET,
    OWNER_CONFIG,
    OWNER_BUDGET,
    OWNER_GROUP, /* a group below `groups:` */
    OWNER_DEFAULTS,
    OWNER_ALTERNATIVE,
    OWNER_MEMBER,
    OWNER_FROM_CLUSTER,
    OWNER_FROM_GROUP,
    OWNER_PLUGIN,
    OWNER_NETWORK,
    OWNER_VOLUME,
    OWNER_BALANCE,
    OWNER_KEEP_FAILED,
    OWNER_ROLLOUT,
    OWNER_HEALTH,
    OWNER_PROBE,
    OWNER_SSH,
    OWNER_BOOTSTRAP,
    OWNER_CONFIGURED,
    OWNER_VERIFY,
    OWNER_DECOMMISSION,
    OWNER_INSTALL,
    OWNER_INSTALL_DISK,
    OWNER_STAGE, /* a stage of a configuration */
    OWNER_ROLE,  /* the rule of a role */
    OWNER_QUOTA,
    OWNER_WINDOW,
    OWNER_COUNT,
};

enum schema_type_kind {
    TYPE_TEXT,
    TYPE_INT,      /* integer from min to max */
    TYPE_BOOL,     /* true, false */
    TYPE_WORD,     /* one of `words` */
    TYPE_SIZE,     /* 20GiB; a bare number only if `unit` is set */
    TYPE_DURATION, /* duration such as 1h30m */
    TYPE_SHARE,    /* a count or a percentage */
    TYPE_OBJECT,   /* fields of `owner` */
    TYPE_OPAQUE,   /* any map; the schema does not check it, but another component does */
    TYPE_GROUPS,   /* mapping name -> group, or list of named groups */
    TYPE_KIND_COUNT,
};

/* Whether a field has one value of its type, a list of such values, or a map of them. */
enum schema_shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP };

/* A check of a text, of a list's item or of a map's key. Fails with false and *err. */
typedef bool schema_check(struct text value, struct err *err);

struct schema_type {
    enum schema_type_kind kind;
    enum schema_shape shape;
    enum schema_owner owner; /* used by TYPE_OBJECT */
    int64_t min;             /* used by TYPE_INT */
    int64_t max;             /* used by TYPE_INT */
    const char *words;       /* TYPE_WORD: separated by blanks; `old=own` defines an alias */
    const char *unit;        /* TYPE_SIZE: unit of a bare number; NULL: none allowed */
    const char *what;        /* TYPE_TEXT: kind of text, for display: "a CIDR"; may be NULL */
    schema_check *check;     /* check of each text; NULL: any text is valid */
    schema_check *check_key; /* check of each key of SHAPE_MAP; NULL: any key is valid */
    bool is_set;             /* SHAPE_LIST of TYPE_TEXT: the texts are unique */
};

struct schema_field {
    uint64_t owners; /* bits of enum schema_owner */
    const char *name;
    const char *aliases; /* names that are accepted and never written; separated by blanks */
    struct schema_type type;
    bool is_required;         /* required in a complete object; a partial object may omit it */
    const char *default_text; /* the built-in default in its spelling, "" = none */
    const char *help;
    enum schema_since since;
};

/* A kind of object, with its words for the command line. */
struct schema_kind {
    const char *name;     /* such as "ClusterTemplate" */
    const char *singular; /* such as "clustertemplate" */
    const char *plural;
    const char *abbreviation;
    /* Can be written in a file; objects of other kinds are made by verbs. */
    bool is_in_files;
    enum schema_owner owner; /* owner of its fields; OWNER_COUNT: it has none */
    enum schema_since since;
    const char *help;
};

/* Upper bound of the rows, for arrays with one item per row. */
enum { SCHEMA_FIELDS_MAX = 192 };

/* Return all fields, in the order of schema.def (which is the order of writing). */
const struct schema_field *schema_fields(size_t *out_count);

/* Return all kinds, in the order of schema.def. */
const struct schema_kind *schema_kinds(size_t *out_count);

/* True if the field may occur in this owner. */
bool schema_has_owner(const struct schema_field *field, enum schema_owner owner);

/* Return the field of an owner by its own name; NULL if there is none. */
const struct schema_field *schema_field_find(enum schema_owner owner, struct text name);

/* Return the field of an owner with this alias; NULL if there is none. */
const struct schema_field *schema_alias_find(enum schema_owner owner, struct text alias);

/* True if a group with the field of this name has its own machines (FILE.md 3). */
bool schema_makes_leaf(struct text name);

/* Find a field of this name in any owner, to distinguish "misplaced" from "unknown". */
const struct schema_field *schema_field_anywhere(struct text name);

/* Return the field of this owner that other tools call `word`; empty if there is none. */
struct text schema_foreign_find(enum schema_owner owner, struct text word);

/* Find a kind by its name in files ("Cluster"), or by any of its words ("cl", "clusters"). */
const struct schema_kind *schema_kind_find(struct text name);
const struct schema_kind *schema_kind_of_word(struct text word);

/* Offer the names of an owner's usable fields, or of the kinds in files. */
void schema_suggest_fields(enum schema_owner owner, struct suggest *suggest);
void schema_suggest_kinds(struct suggest *suggest);

/* Return the description of an owner for a sentence: "a group", "a volume". */
const char *schema_owner_words(enum schema_owner owner);

/* Return the argument of `reeve explain` that shows an owner: "nodegroup", "nodegroup.volumes". */
const char *schema_owner_path(enum schema_owner owner);

/* Return the description of a later capability for a sentence: "the inventory of machines". */
const char *schema_since_words(enum schema_since since);

/* True if the capability is usable in this version. */
bool schema_is_usable(enum schema_since since);

/* Return the canonical word for a spelling of a TYPE_WORD; empty if there is none. */
struct text schema_word_find(const struct schema_type *type, struct text spelling);

/* Return the canonical word number `index` of a TYPE_WORD; empty after the last. */
struct text schema_word_at(const struct schema_type *type, size_t index);

/* Return the type for display: "integer 0..100000", "list of volumes", "replace, reboot or off".
 * The text lives in the arena. */
struct text schema_type_format(struct arena *arena, const struct schema_type *type);

#endif
