#ifndef REEVE_STATE_COMMIT_H
#define REEVE_STATE_COMMIT_H

#include "base/mem.h"
#include "state/store.h"

/* A change of any size to the store, written completely or not at all.
 *
 * A change that fits is one transaction. Otherwise it becomes an operation (DESIGN.md section 4):
 *
 *     /_/OperationPart/ID.000000/base   the changes, written first, in as many parts as needed
 *     /_/Operation/ID/base              the head: {"parts":N}, then the subjects of the change, one
 *                                       on each line. One transaction writes the head with the
 *                                       compares and the events. It commits the change.
 *
 * Then the parts are executed, each together with its own removal, and the head is removed last.
 * Until then the change may be visible partially (a partial commit), and no reconcile pass makes
 * decisions about its subjects. A manager that finds a head at its start continues that operation.
 * A running manager that has seen a head for a long time also continues the operation
 * (service_parted.c). Parts without a head were never committed and are removed. */

/* Prefix of the keys of parts. A part is written to the final keys of its content when it is
 * executed, so watches of the store may ignore the parts themselves. */
#define COMMIT_PARTS "/_/OperationPart/"

/* Prefix of the keys of heads. */
#define COMMIT_HEADS "/_/Operation/"

/* True if the operation with this head changes this subject. */
bool commit_is_of(struct text head, struct text subject);

/* True if the operation with this head changes a subject with this prefix, for example
 * "TENANT/". */
bool commit_is_below(struct text head, struct text prefix);

/* The change to be written. Everything must live as long as the arena. */
struct commit {
    struct text id;       /* id of the operation, if the change becomes an operation */
    struct text subjects; /* subjects of the change, one on each line */
    const struct store_compare *compares;
    size_t compare_count;
    const struct store_op *ops;
    size_t op_count;
    /* Store operations that are always in the transaction that makes the change, even if the change
     * is large. */
    const struct store_op *first_ops;
    size_t first_op_count;
    const struct store_event *events;
    size_t event_count;
};

/* The result. REFUSED with R0502: a compare failed; failed_compare is its index. OK: the change is
 * made and completely written; `revision` is the revision of the last write. */
struct commit_answer {
    enum outcome outcome;
    uint64_t revision;
    struct err err;
    size_t failed_compare;
};

typedef void commit_done(void *arg, const struct commit_answer *answer);

/* Start a change. Its memory and its state while it runs are in the arena. */
void commit_start(struct arena *arena, struct store *store, const struct commit *commit,
                  commit_done *done, void *arg);

/* Continue the operation with the head under this key. Another manager may be executing it at the
 * same time. The key and the head must live as long as the arena. */
void commit_go_on(struct arena *arena, struct store *store, struct text key, struct text head,
                  commit_done *done, void *arg);

/* Continue all operations in the store, of all tenants, and remove parts without a head. `done` is
 * called when no operation is left, or when the store rejects a call. */
void commit_resume(struct arena *arena, struct store *store, commit_done *done, void *arg);

#endif
