#ifndef REEVE_STATE_COMMIT_H
#define REEVE_STATE_COMMIT_H

#include "base/mem.h"
#include "state/store.h"

/* A change of any size on its way into the store, all of it or nothing.
 *
 * What fits is one transaction. What does not becomes an operation (DESIGN.md section 4):
 *
 *     /_/OperationPart/ID.000000/base   the changes, written first, in as many parts as it takes
 *     /_/Operation/ID/base              {"parts":N}: with this, in one transaction with the compares
 *                                          and the events, the change is made, and acknowledged;
 *                                          behind it what it is a change of, a line each
 *
 * Then the parts are carried out, each together with its own removal, and the head goes last: until then
 * only a part of it may stand there, and nobody decides on that. Whoever starts and finds a head goes on where
 * it stood, and so does whoever lives and sees one for long (service_parted.c); parts without a head were never made and are
 * removed. */

/* The keys of parts begin with this. What they say comes once more when they are carried out, so who follows the
 * store may pass them over. */
#define COMMIT_PARTS "/_/OperationPart/"

/* The keys of heads begin with this. */
#define COMMIT_HEADS "/_/Operation/"

/* Is it a change of this one, by the current state in its head? */
bool commit_is_of(struct text head, struct text subject);

/* Is it one of those that begin so: of a tenant's ("TENANT/"), above all? */
bool commit_is_below(struct text head, struct text prefix);

/* What is to be written. Everything lives as long as the arena. */
struct commit {
    struct text id;       /* of the operation, if it becomes one */
    struct text subjects; /* what it is a change of, a line each */
    const struct store_compare *compares;
    size_t compare_count;
    const struct store_op *ops;
    size_t op_count;
    const struct store_op
        *first_ops; /* are in the transaction that makes the change, whatever its size */
    size_t first_op_count;
    const struct store_event *events;
    size_t event_count;
};

/* How it ended. REFUSED with R0502: a compare did not hold, failed_compare says which. OK: it is made,
 * and all of it is written; `revision` is that of the last write. */
struct commit_answer {
    enum outcome outcome;
    uint64_t revision;
    struct err err;
    size_t failed_compare;
};

typedef void commit_done(void *arg, const struct commit_answer *answer);

/* Start. The commit's own memory, and what it has under way, live in the arena. */
void commit_start(struct arena *arena, struct store *store, const struct commit *commit,
                  commit_done *done, void *arg);

/* Go on with one operation, of a manager that may live as well: with the head under this key, which lives as long as the arena. */
void commit_go_on(struct arena *arena, struct store *store, struct text key, struct text head,
                  commit_done *done, void *arg);

/* Go on with all operations that the store has, of all tenants, and remove parts that belong to none.
 * `done` comes when there are none left, or where the store refuses. */
void commit_resume(struct arena *arena, struct store *store, commit_done *done, void *arg);

#endif
