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

/* public names start with: model_ */

/* All documents of one command or request, and the references among them (FILE.md 1 and 6).
 *
 *     model_set_init(&set, arena, errors);
 *     model_set_add(&set, document);        for every document, in any order
 *     model_set_resolve(&set);              references, layers, leaves, all checks
 *
 * All errors go to the error list given at the start. The valid parts of an object with errors can
 * be used. Everything lives in the arena and borrows from the documents. */

/* A leaf group with its effective values. */
struct model_leaf {
    struct text path;   /* path of the group: outer/inner */
    struct place place; /* position of its name */
    /* effective document: the group merged over the defaults, without nulls */
    struct doc doc;
    struct doc given_labels;  /* the labels of the group itself; absent: none */
    struct doc parent_labels; /* labels inherited from cluster and defaults; absent: none */
    struct group group;       /* the group as a typed struct */
};

/* A group of an object that the request does not change, and that is not resolved. */
struct model_other {
    struct text path;
    struct naming_group names;
};

/* All groups of an object that the request does not change. */
struct model_others {
    size_t groups;
    uint64_t nodes;

    /* Finds the groups with members that may have the same name as a member of this group. Returns
     * their number; *out lives in the arena. */
    size_t (*find)(void *arg, struct arena *arena, const struct naming_group *group,
                   struct model_other **out);
    void *arg;
};

enum model_state { MODEL_NEW, MODEL_RESOLVING, MODEL_RESOLVED };

/* One document with its resolved form. */
struct model_object {
    const struct doc *document; /* the original document */
    const struct schema_kind *kind;
    struct text name;   /* name; CLUSTER/PATH for a NodeGroup */
    struct place place; /* position of its name, else of the document */
    /* revision that the envelope requires the object to have; 0: none */
    uint64_t revision;
    struct doc own;    /* normal form of the document */
    struct doc from;   /* the layer that its `from` contributes; absent: none */
    struct doc merged; /* from < groups' own from < own; nulls are still in it */
    /* all layers below `own`: the object's `from`, and the sources of its groups */
    struct doc layers;
    struct doc fixed;                  /* a list: paths that its template fixes; may be absent */
    const struct model_made *made;     /* NULL: its `from` must be followed */
    const struct model_others *others; /* NULL: its leaves are all its groups */
    /* The object is only a source for other objects, and not part of the request. */
    bool is_known;
    struct model_leaf *leaves; /* Cluster, ClusterTemplate: in order of path */
    size_t leaf_count;
    struct map leaf_by_path; /* path to leaf */
    uint64_t node_count;     /* members of all leaves */
    unsigned chain;          /* length of the longest chain of `from` */
    enum model_state state;
};

/* The sources of an existing object. Its `from` was followed once, when the object was created.
 * Since then these layers contain the values, even if the source changes. */
struct model_made {
    struct doc layers; /* may be absent */
    struct set groups; /* paths of its existing groups; others are new */
    /* The object's own `from` must be followed again; those of its groups are not. */
    bool is_new;
};

/* Access to the descriptions of plugins. */
struct model_plugins {
    const struct wire_hello *(*find)(void *arg, struct text name); /* NULL: unknown plugin */
    /* True while the plugin's description is being requested. NULL: no plugin is being asked. */
    bool (*is_asked)(void *arg, struct text name);
    void *arg;
};

/* A check that only a plugin can make: are these properties valid? */
struct model_question {
    struct text plugin;
    const struct wire_hello *hello;
    struct doc leaf;    /* the group with the properties */
    struct place place; /* position of the group */
    struct text object; /* name of the cluster or template */
    struct text path;   /* path of the group */
    size_t choice;      /* 0: the group's own machines; I: its alternative I - 1 */
};

struct model_set {
    struct arena *arena;
    struct err_list *errors;
    struct model_object *objects; /* objects in the order in which they were added */
    size_t count;
    size_t room;
    struct map by_name; /* "KIND/NAME" to the object */
    unsigned depth;     /* current depth of the followed chain of `from` */
    unsigned chain;     /* longest chain seen by the object that is being resolved now */
    bool is_indexed;
    bool is_full; /* the memory limit of the arena is reached, which was reported */
    /* Plugins that check properties; NULL: properties are not checked. */
    const struct model_plugins *plugins;
    struct model_question *questions; /* questions to plugins, at most LIMIT_QUESTIONS */
    size_t question_count;
    /* The document to which a patch was applied, if the added document is the result of a patch
     * (see shape_read()); NULL: none. */
    const struct doc *current;
    /* Positions of each `from:` whose source was reported as not found. */
    struct map unfound;
};

/* Initialize an empty set in memory of the caller. */
void model_set_init(struct model_set *set, struct arena *arena, struct err_list *errors);

/* Read one document into the set. The document must live as long as the arena. */
void model_set_add(struct model_set *set, const struct doc *document);

/* Add a stored object of this kind and name. `own` has the normal form. With is_known the object
 * serves only as a source for objects of the request; otherwise it is part of the set like the
 * documents of the request. */
struct model_object *model_set_add_stored(struct model_set *set, const struct schema_kind *kind,
                                          const struct doc *own, const struct model_made *made,
                                          bool is_known);

/* Index the objects by name, and move NodeGroup documents into their clusters. Objects do not move
 * after this. `own` of an existing cluster may be replaced by a copy with these groups added. */
void model_set_index(struct model_set *set);

/* Resolve and check everything. Call it once, after the last add. It calls model_set_index() if the
 * caller has not. */
void model_set_resolve(struct model_set *set);

/* Like model_set_resolve(), for stored state, which was checked when it was written. */
void model_set_resolve_current(struct model_set *set);

/* Find an object of the set; NULL if there is none. */
struct model_object *model_set_find(const struct model_set *set, const char *kind,
                                    struct text name);

/* Find the cluster of the set with the id of this object; NULL if there is none. */
struct model_object *model_set_find_id(const struct model_set *set,
                                       const struct model_object *object);

/* Return the source of a value as text: "defaults", "group", "template ct/web-std", "default". The
 * text lives in the arena. */
struct text model_origin_format(struct arena *arena, const struct origin *origin);

/* Set the position of an error to that of a value. If a template or another object contributed the
 * value, the position is that of the `from:`, and the note has the original position. */
void model_blame(struct err *err, const struct doc *value);

/* Set the pointer of every fault that has a position and no pointer yet, to the value at that
 * position in this document. */
void model_point(struct err_list *errors, const struct doc *document);

/* Return the position of an entry's key, or of the `from:` that contributed the entry. */
struct place model_place(const struct doc_entry *entry);

/* Return the built-in default of a field as a document; absent if there is none. */
struct doc model_default_find(enum schema_owner owner, struct text field);

#endif
