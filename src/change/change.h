#ifndef REEVE_CHANGE_CHANGE_H
#define REEVE_CHANGE_CHANGE_H

#include "state/names.h"
#include "state/objects.h"
#include "model/apply.h"
#include "plan/file_plan.h"

/* Computes what a request would change: from documents and the current state, to the plan for
 * display and the records to write. Pure: nothing is written here, and the same request against the
 * same objects gives the same change. */

/* How to apply the documents of a request. */
enum change_mode {
    CHANGE_APPLY,   /* three-way merge with the file as last applied; creates missing objects */
    CHANGE_CREATE,  /* An object that exists is an error. */
    CHANGE_REPLACE, /* Each document is the complete new value of its object, which must exist. */
    CHANGE_DELETE,  /* Delete the objects that the documents name. */
};

/* The access scope of a sender with a role on parts of the tenant only. Objects that the sender may
 * not read count as absent. */
struct change_reach {
    /* May the sender read an object with this name; of a cluster only the group at `path`, or
     * (empty) all of it? */
    bool (*may_read)(void *arg, const struct schema_kind *kind, struct text name, struct text path);
    /* May the sender write the group at `path` of the cluster with this name, or (empty) the whole
     * cluster? */
    bool (*may_write)(void *arg, struct text cluster, struct text path);
    void *arg;
};

/* The object of a request if it was read already, so that it is not read again. */
struct change_known {
    const struct cache_object *object; /* NULL: none was read */
    struct stored_object stored;
    /* The object as the document that a patch was applied to. NULL: there was no patch. */
    const struct doc *current;
    /* Unchanged groups that neither this nor the document contains. NULL: none. */
    const struct model_others *others;
};

struct change_request {
    struct text tenant;
    const struct change_reach *reach; /* of the sender; NULL: the whole tenant */
    struct text by;                   /* the sender */
    struct text why;                  /* the sender's reason; may be empty */
    struct text now;                  /* RFC 3339 */
    enum change_mode mode;
    const struct doc *documents;
    size_t document_count;
    const struct text *takes; /* CHANGE_APPLY: paths at which the file wins conflicts */
    size_t take_count;
    /* Write groups that the documents name even if they do not change, because the request has its
     * own revision. */
    bool is_rewriting_groups;
    bool is_refreshing_from;    /* resolve `from` again, even if it now refers to another version */
    const struct text *bundles; /* digests of bundles that are uploaded before the change */
    size_t bundle_count;
    /* Is the bundle stored for the tenant? NULL: unknown. */
    bool (*bundle_has)(void *arg, struct text digest);
    void *bundle_arg;
    /* A group may name a plugin that the manager does not know. */
    bool can_miss_plugins;
    /* A former state of the single object, which is restored together with its sources at that
     * time. NULL: the object keeps its sources. */
    const struct stored_object *restores;
    struct names *names;                 /* NULL: all groups of a cluster are checked */
    const struct change_known *known;    /* NULL: nothing was read */
    const struct model_plugins *plugins; /* NULL: properties are not validated */
    /* The plugins of this manager, as in struct service_controller. NULL: unknown. */
    struct doc (*plugins_show)(void *arg, struct arena *arena, struct text tenant);
    void *plugins_arg;
    void (*id_make)(void *arg, char out[static 37]);
    void *id_arg;
};

/* One key to write. */
struct change_op {
    struct text key;
    struct text value;
    bool is_delete;
};

/* One object of the request. */
struct change_object {
    const struct schema_kind *kind;
    struct text id;
    struct text name;
    struct text old_name; /* differs from `name` if the object is renamed */
    uint64_t revision;    /* of its spec when read; 0: the object is new */
    bool is_deleted;
    bool is_changed;
    struct stored_object old_stored; /* if revision is not 0 */
    struct stored_object new_stored; /* if it is not deleted */
    struct apply apply;              /* kept values */
    /* The ends of its ops and pins. They begin at the ends of the previous object's. */
    size_t op_end;
    size_t pin_end;
};

/* Disruptive effects of the change, which need consent. */
struct change_needs {
    uint64_t destroy; /* number of nodes; a cluster without nodes counts as one */
    uint64_t replace; /* number of nodes that stay in number but are replaced */
    uint64_t reboot;  /* number of nodes */
    uint64_t rename;  /* number of clusters */
    uint64_t lift;    /* number of pauses of deleted objects */
    /* Number of members that have been ready, on which non-idempotent stages run again. */
    uint64_t rerun;
};

struct change {
    struct change_object *objects; /* in the order of the plan */
    size_t object_count;
    struct doc plan; /* see file_plan.h */
    struct file_plan_summary summary;
    struct change_needs needs;
    struct doc lifts;  /* the lifted pauses: a list of {at, by, kind, name, until?, why?} */
    bool is_protected; /* It changes an object whose current state has `protected: true`. */
    bool is_early;     /* A plugin that it names is being queried for its traits: not validated. */
    struct change_op *ops;
    size_t op_count;
    struct store_compare *pins; /* every spec that was read, which must be unchanged */
    size_t pin_count;
    size_t reference_count;                 /* the first pins: objects that others derive from */
    uint64_t revision;                      /* of the cache when the change was computed */
    const struct model_question *questions; /* to plugins, before the change is written */
    size_t question_count;
};

/* Does one of these groups derive from a group of the cluster with this name? */
bool change_has_sibling(const struct doc *groups, struct text cluster);

/* Compute the change. All errors go to `errors`, with pointers into the documents as sent; if there
 * are any, the change must not be used. Everything lives in the arena. */
struct change change_make(struct arena *arena, const struct cache *cache,
                          const struct change_request *request, struct err_list *errors);

#endif
