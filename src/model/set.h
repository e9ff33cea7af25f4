#ifndef REEVE_MODEL_SET_H
#define REEVE_MODEL_SET_H

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/set.h"
#include "codec/doc.h"
#include "model/decode.h"
#include "model/shape.h"
#include "wire/wire.h"

/* names: model_ */

/* All documents of one command or request, resolved among themselves (FILE.md 1 and 6).
 *
 *     model_set_init(&set, arena, errors);
 *     model_set_add(&set, document);        for every document, in any order
 *     model_set_resolve(&set);              references, layers, leaves, everything checked
 *
 * All faults go to the error list given at the start; objects are usable as far as they are right.
 * Everything lives in the arena and borrows from the documents. */

/* A leaf group with its effective values. */
struct model_leaf {
    struct text path;         /* outer/inner */
    struct place place;       /* of its name */
    struct doc doc;           /* effective: defaults and group laid together, nulls gone */
    struct doc given_labels;  /* the labels the group itself has; absent = none */
    struct doc parent_labels; /* those it inherits from cluster and defaults; absent = none */
    struct group group;       /* the same, typed */
};

/* A group that an object has and that is not looked at: it does not change. */
struct model_other {
    struct text path;
    struct naming_group names;
};

/* All such groups of an object. */
struct model_others {
    size_t groups;
    uint64_t nodes;

    /* Those whose members could have the name of a member of this group; in the arena. */
    size_t (*find)(void *arg, struct arena *arena, const struct naming_group *group,
                   struct model_other **out);
    void *arg;
};

enum model_state { MODEL_NEW, MODEL_RESOLVING, MODEL_RESOLVED };

/* One document and what it means. */
struct model_object {
    const struct doc *document; /* as it was written */
    const struct schema_kind *kind;
    struct text name;   /* of a NodeGroup: CLUSTER/PATH */
    struct place place; /* of its name, else of the document */
    uint64_t revision;  /* precondition from an envelope; 0 = none */
    struct doc own;     /* normal form of what was written */
    struct doc from;    /* the layer its `from` brought; absent = none */
    struct doc merged;  /* from < groups' own from < own; nulls are still there */
    struct doc layers;  /* all that lies below `own`: from, and what groups are made from */
    struct doc fixed;   /* paths fixed by the template it is made from, a list; may be absent */
    const struct model_made *made;     /* NULL: its `from` are to be followed */
    const struct model_others *others; /* NULL: its leaves are all the groups it has */
    bool is_known;             /* others are made from it, it is not of the request itself */
    struct model_leaf *leaves; /* Cluster, ClusterTemplate: in order of path */
    size_t leaf_count;
    struct map leaf_by_path; /* path to leaf */
    uint64_t node_count;     /* members of all leaves */
    unsigned chain;          /* objects it is made from, in the longest row of them */
    enum model_state state;
};

/* What an object that exists already was made from. `from` is followed once, at creation: after that
 * its values are this layer, whatever became of their source. */
struct model_made {
    struct doc layers; /* may be absent */
    struct set groups; /* paths of the groups it has; others are new */
    bool is_new; /* the object's own `from` is to be followed again, those of its groups are not */
};

/* Who knows what plugins say of themselves. */
struct model_plugins {
    const struct wire_hello *(*find)(void *arg, struct text name); /* NULL: not known here */
    bool (*is_asked)(void *arg, struct text name); /* it is being asked who it is; NULL: none is */
    void *arg;
};

/* What only a plugin can say: are these its properties? */
struct model_question {
    struct text plugin;
    const struct wire_hello *hello;
    struct doc leaf;    /* whose properties they are */
    struct place place; /* of the group */
};

struct model_set {
    struct arena *arena;
    struct err_list *errors;
    struct model_object *objects; /* in the order they were added */
    size_t count;
    size_t room;
    struct map by_name; /* "KIND/NAME" to the object */
    unsigned depth;     /* of `from` being followed now */
    unsigned chain;     /* longest row met by the object that is being resolved now */
    bool is_indexed;
    bool is_full;                        /* the arena's budget was met, which was told */
    const struct model_plugins *plugins; /* judge properties by what these say; NULL: nobody does */
    struct model_question *questions;    /* what is left to ask them, LIMIT_QUESTIONS of them */
    size_t question_count;
    const struct doc *current; /* of the documents that are added: see shape_read; NULL: none */
    struct map unfound;        /* places of `from:` whose source was not found, which was told */
};

/* Make an empty set in memory of the caller. */
void model_set_init(struct model_set *set, struct arena *arena, struct err_list *errors);

/* Read one document into the set. The document must live as long as the arena. */
void model_set_add(struct model_set *set, const struct doc *document);

/* An object of this kind and name that stands at the manager. `own` has the normal form. Objects of
 * the request that are made from a known one find it (`is_known`); others replace the current state. */
struct model_object *model_set_add_stored(struct model_set *set, const struct schema_kind *kind,
                                          const struct doc *own, const struct model_made *made,
                                          bool is_known);

/* Make objects findable by name, and lay NodeGroup documents into their clusters. Objects do not move any
 * more; `own` of one that stands already may be replaced by what both together mean. */
void model_set_index(struct model_set *set);

/* Resolve and check everything. Called once, after the last add (and after model_set_index, which it
 * calls where nobody has). */
void model_set_resolve(struct model_set *set);

/* The same for the current state at the manager: it was checked when it was written, and is not checked again. */
void model_set_resolve_current(struct model_set *set);

/* An object of the set, NULL where there is none. */
struct model_object *model_set_find(const struct model_set *set, const char *kind,
                                    struct text name);

/* The cluster of the set that has the id of this object, NULL where there is none. */
struct model_object *model_set_find_id(const struct model_set *set,
                                       const struct model_object *object);

/* Where a value came from, in words: "defaults", "group", "template ct/web-std", "default". */
struct text model_origin_format(struct arena *arena, const struct origin *origin);

/* Say where a value is to blame: at its own place, or, where a template or clone brought it, at the
 * `from:` that did, with the place of origin in the note. */
void model_blame(struct err *err, const struct doc *value);

/* Give every fault that knows its place, and has no pointer yet, the pointer into this document to the current state there. */
void model_point(struct err_list *errors, const struct doc *document);

/* The place of an entry's key, or of the `from:` that brought the entry. */
struct place model_place(const struct doc_entry *entry);

/* The built-in default of a field as a document; absent where there is none. */
struct doc model_default_find(enum schema_owner owner, struct text field);

#endif
