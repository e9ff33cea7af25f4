#ifndef REEVE_CHANGE_CHANGE_H
#define REEVE_CHANGE_CHANGE_H

#include "state/names.h"
#include "state/objects.h"
#include "model/apply.h"
#include "plan/file_plan.h"

/* Computes the effect of a request. The input is the documents and the current state; the output is
 * the plan for display and the records to write. The module is pure: it writes nothing, and the
 * same request for the same objects gives the same change. */

/* How to apply the documents of a request. */
enum change_mode {
    CHANGE_APPLY,   /* three-way merge with the file as last applied; creates missing objects */
    CHANGE_CREATE,  /* Create the objects; an object that exists is an error. */
    CHANGE_REPLACE, /* Each document is the complete new value of its object, which must exist. */
    CHANGE_DELETE,  /* Delete the objects that the documents name. */
};

/* The access scope of a sender whose role covers only parts of the tenant. Objects outside of the
 * scope are treated as absent. */
struct change_reach {
    /* True if the sender may read an object with this name. In a cluster, `path` selects one group;
     * empty: the whole cluster. */
    bool (*may_read)(void *arg, const struct schema_kind *kind, struct text name, struct text path);
    /* True if the sender may write the group at `path` of the cluster with this name. With an empty
     * path: the whole cluster. */
    bool (*may_write)(void *arg, struct text cluster, struct text path);
    void *arg;
};

/* The object of a request that the caller has already read, so that it is not read again. */
struct change_known {
    const struct cache_object *object; /* the object; NULL: none was read */
    struct stored_object stored;
    /* The object as the document to which a patch was applied. NULL: there was no patch. */
    const struct doc *current;
    /* Unchanged groups that are neither in `current` nor in the document of the request. NULL:
     * there are none. */
    const struct model_others *others;
};

struct change_request {
    struct text tenant;
    const struct change_reach *reach; /* scope of the sender; NULL: the whole tenant */
    struct text by;                   /* the sender */
    struct text why;                  /* the sender's reason; may be empty */
    struct text now;                  /* current time in RFC 3339 */
    enum change_mode mode;
    const struct doc *documents;
    size_t document_count;
    const struct text *takes; /* CHANGE_APPLY: paths at which the file wins conflicts */
    size_t take_count;
    /* Write the groups that the documents contain even if they do not change, because the request
     * needs a new revision. */
    bool is_rewriting_groups;
    /* Resolve `from` again, even if it now refers to another version. */
    bool is_refreshing_from;
    const struct text *bundles; /* digests of bundles that are uploaded before the change is made */
    size_t bundle_count;
    /* True if the bundle is stored for the tenant. NULL: it is unknown which bundles are stored. */
    bool (*bundle_has)(void *arg, struct text digest);
    void *bundle_arg;
    /* A group may use a plugin that the manager does not know yet. */
    bool can_miss_plugins;
    /* An earlier state of the object, which is the only one of the request. It is restored together
     * with the sources that it had at that time. NULL: the object keeps its sources. */
    const struct stored_object *restores;
    /* index of member names; NULL: all groups of a cluster are read and checked */
    struct names *names;
    const struct change_known *known;    /* NULL: no object was read */
    const struct model_plugins *plugins; /* NULL: properties are not validated */
    /* Shows the plugins of this manager, as in struct service_controller. NULL: the plugins are
     * unknown. */
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
    uint64_t revision;    /* revision of its spec when the spec was read; 0: a new object */
    bool is_deleted;
    bool is_changed;
    struct stored_object old_stored; /* valid if revision is not 0 */
    struct stored_object new_stored; /* valid if the object is not deleted */
    struct apply apply;              /* values of the file that a newer change overrides */
    /* The ends of this object's ranges in the arrays `ops` and `pins`. The ranges begin where those
     * of the previous object end. */
    size_t op_end;
    size_t pin_end;
};

/* Counts of the disruptive effects of the change, which need the sender's consent. */
struct change_needs {
    uint64_t destroy; /* number of nodes; a cluster without nodes counts as one */
    /* number of nodes that are replaced while the number of nodes stays the same */
    uint64_t replace;
    uint64_t reboot; /* number of nodes */
    uint64_t rename; /* number of clusters */
    uint64_t lift;   /* number of pauses of deleted objects that the change removes */
    /* Number of members that have been ready and on which stages run again that are not
     * idempotent. */
    uint64_t rerun;
};

struct change {
    struct change_object *objects; /* in the order of the plan */
    size_t object_count;
    struct doc plan; /* see file_plan.h */
    struct file_plan_summary summary;
    struct change_needs needs;
    /* the pauses that the change removes: a list of {at, by, kind, name, until?, why?} */
    struct doc lifts;
    /* the number of volumes that the change attaches, creates, deletes and keeps, by these names;
     * absent: none (volumes/effects.h) */
    struct doc volumes;
    bool is_protected; /* the change affects an object whose current state is protected */
    /* The change uses a plugin that has not reported its traits yet, so its properties were not
     * validated. */
    bool is_early;
    struct change_op *ops;
    size_t op_count;
    /* the revisions of all specs that were read; they must be unchanged when the change is
     * written */
    struct store_compare *pins;
    size_t pin_count;
    /* the first `reference_count` pins belong to objects from which other objects derive */
    size_t reference_count;
    uint64_t revision; /* revision of the cache when the change was computed */
    /* questions to plugins, to be answered before the change is written */
    const struct model_question *questions;
    size_t question_count;
};

/* True if a group in `groups` derives from a group of the cluster with this name. */
bool change_has_sibling(const struct doc *groups, struct text cluster);

/* Computes the change. All errors are added to `errors`, with pointers into the documents as they
 * were sent. If there are errors, the change must not be used. All results live in the arena. */
struct change change_make(struct arena *arena, const struct cache *cache,
                          const struct change_request *request, struct err_list *errors);

#endif
