#ifndef REEVE_SERVICE_CHANGE_H
#define REEVE_SERVICE_CHANGE_H

#include "state/names.h"
#include "state/objects.h"
#include "model/apply.h"
#include "plan/file_plan.h"

/* What a request would change: from documents and from the current state, to the plan that people see and
 * the records that would be written. Pure: nothing is written here, and the same request against the
 * same objects gives the same change. */

/* How the documents of a request are meant. */
enum change_mode {
    CHANGE_APPLY,   /* three-way, against the file as last applied; what is not there is made */
    CHANGE_CREATE,  /* what is there already is a fault */
    CHANGE_REPLACE, /* each document is all that its object shall be; it must exist */
    CHANGE_DELETE,  /* the objects that the documents name go */
};

/* The scope of a request whose sender has the role for it on parts of the tenant only. What the sender may not read is
 * treated as absent. */
struct change_reach {
    /* An object by its name; of a cluster only the group at `path`, or (empty) all of it. */
    bool (*may_read)(void *arg, const struct schema_kind *kind, struct text name, struct text path);
    /* The group at `path` of the cluster with this name, or (empty) the whole cluster. */
    bool (*may_write)(void *arg, struct text cluster, struct text path);
    void *arg;
};

/* The object of a request, where it was read already: it is not read again. */
struct change_known {
    const struct cache_object *object; /* NULL: none was read */
    struct stored_object stored;
    const struct doc
        *current; /* it as the document that a patch was laid on; NULL: there was no patch */
    const struct model_others
        *others; /* groups that neither this nor the document has, and that stay as
                                          they are; NULL = none */
};

struct change_request {
    struct text tenant;
    const struct change_reach *reach; /* of who asks; NULL: all of the tenant */
    struct text by;                   /* who asks */
    struct text why;                  /* in his words; may be empty */
    struct text now;                  /* RFC 3339 */
    enum change_mode mode;
    const struct doc *documents;
    size_t document_count;
    const struct text *takes; /* CHANGE_APPLY: paths where the file wins */
    size_t take_count;
    /* Groups that the documents name are written anew although nothing of them changes: the request has a revision. */
    bool rewrites_groups;
    bool refreshes_from; /* follow `from` again, or where it points elsewhere now */
    /* the one object is to be again what it was when it was this, and made from what it was made from then; NULL: it stays
     * made as it is */
    const struct text *bundles; /* digests of bundles that are sent before the change is made */
    size_t bundle_count;
    bool (*bundle_has)(void *arg, struct text digest); /* kept for the tenant? NULL: not known */
    void *bundle_arg;
    bool
        allows_missing_plugins; /* a group may come to name a plugin that the manager does not know */
    const struct stored_object *restores;
    struct names *names;                 /* NULL: every group of a cluster is looked at */
    const struct change_known *known;    /* NULL: nothing was read */
    const struct model_plugins *plugins; /* NULL: properties are not judged */
    /* The plugins here, as in struct service_controller; NULL: nobody knows which there are. */
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
    struct text old_name; /* another one: it is renamed */
    uint64_t revision;    /* of its spec as it was read; 0: it is new */
    bool is_deleted;
    bool is_changed;
    struct stored_object old_stored; /* where revision is not 0 */
    struct stored_object new_stored; /* where it is not deleted */
    struct apply apply;              /* values kept */
    size_t
        op_end; /* its ops, and its pins, end here; they begin where those of the one before end */
    size_t pin_end;
};

/* What may be destroyed or replaced by it, to be consented to. */
struct change_needs {
    uint64_t destroy; /* nodes, and clusters without any as one */
    uint64_t replace; /* nodes that stay in number, but not as they are */
    uint64_t reboot;  /* nodes */
    uint64_t rename;  /* clusters */
    uint64_t lift;    /* pauses, of what is deleted */
    uint64_t
        rerun; /* members that have served, on which stages that are not idempotent run again */
};

struct change {
    struct change_object *objects; /* in the order of the plan */
    size_t object_count;
    struct doc plan; /* see file_plan.h */
    struct file_plan_summary summary;
    struct change_needs needs;
    struct doc lifts;  /* the pauses that it lifts: a list of {at, by, kind, name, until?, why?} */
    bool is_protected; /* something that it changes says `protected: true` as it stands */
    bool is_early; /* a plugin that it names is being asked who it is: nothing was judged by it */
    struct change_op *ops;
    size_t op_count;
    struct store_compare *pins; /* every spec that was read: it must still be that one */
    size_t pin_count;
    size_t reference_count;                 /* the first of them: of what others are made from */
    uint64_t revision;                      /* of the cache when it was made */
    const struct model_question *questions; /* to plugins, before it is made true */
    size_t question_count;
};

/* Is one of these groups made from a group of the cluster of this name? */
bool change_has_sibling(const struct doc *groups, struct text cluster);

/* Compute. All faults go to `errors`, with pointers into the documents as they were sent; where there
 * is one the change must not be used. Everything lives in the arena. */
struct change change_make(struct arena *arena, const struct cache *cache,
                          const struct change_request *request, struct err_list *errors);

#endif
