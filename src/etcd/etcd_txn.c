#include "base/limits.h"
#include "etcd/etcd_counter.h"

#include <assert.h>
#include <string.h>

/* Transactions. A transaction of the store is one transaction of etcd: compares become compares of
 * mod_revision, and all changes get one revision.
 *
 * Event numbers and version slots come from counters. A counter is a key that the transaction
 * compares and changes. The values of counters are cached, so most transactions succeed at the
 * first attempt. If another manager has changed a counter, the transaction has no effect. Its
 * failure branch then returns the current values, and the transaction is retried.
 *
 * The failure branch also reads every compared key at the same revision. This shows which compare
 * failed first. */

/* ---- counters of a transaction ---- */

/* Copies the transaction and adds its counters. */
static struct etcd_moves *moves_new(struct etcd_job *job, const struct store_txn *txn)
{
    struct etcd_moves *moves = arena_one(job->arena, struct etcd_moves);
    struct store_compare *compares =
        arena_array(job->arena, struct store_compare, txn->compare_count);
    struct store_op *ops = arena_array(job->arena, struct store_op, txn->op_count);
    struct store_event *events = arena_array(job->arena, struct store_event, txn->event_count);

    moves->counters = arena_array(job->arena, struct etcd_move, txn->op_count + txn->event_count);
    for (size_t i = 0; i < txn->compare_count; i++) {
        compares[i] = txn->compares[i];
        compares[i].key = arena_text(job->arena, compares[i].key);
    }
    for (size_t i = 0; i < txn->op_count; i++) {
        ops[i] = txn->ops[i];
        ops[i].key = arena_text(job->arena, ops[i].key);
        ops[i].value = arena_text(job->arena, ops[i].value);
        if (etcd_key_has_history(ops[i].key)) {
            etcd_move_add(job, moves, ETCD_COUNTS_VERSIONS, ops[i].key);
        }
    }
    for (size_t i = 0; i < txn->event_count; i++) {
        events[i] = txn->events[i];
        events[i].cluster = arena_text(job->arena, events[i].cluster);
        events[i].body = arena_text(job->arena, events[i].body);
        if (etcd_move_find(moves, ETCD_COUNTS_EVENTS, events[i].cluster) == NULL) {
            etcd_move_add(job, moves, ETCD_COUNTS_EVENTS, events[i].cluster);
        }
    }
    moves->txn = (struct store_txn){ compares, txn->compare_count, ops, txn->op_count,
                                     events,   txn->event_count };
    return moves;
}

/* ---- the request ---- */

static void put_add(struct etcd_job *job, struct buf *message, enum etcd_section section,
                    struct text name, struct text payload)
{
    message_txn_put_add(message, etcd_key_full(job->arena, job->store->prefix, section, name),
                        etcd_value_pack(job->arena, section, name, payload));
}

/* For a change of a key with history, adds the next version, in the next slot. */
static void version_add(struct etcd_job *job, struct buf *message, struct etcd_move *counter,
                        const struct store_op *op)
{
    bool exists = counter->revision > 0 && !counter->value.is_deleted;
    uint64_t created =
        counter->value.created != 0 ? counter->value.created : counter->revision - job->store->base;

    counter->is_moved = exists || !op->is_delete;
    if (!counter->is_moved) {
        return;
    }
    counter->next = (struct etcd_counter){
        .number = counter->value.number + 1,
        .created = exists ? created : 0,
        .is_deleted = op->is_delete,
    };
    put_add(job, message, ETCD_SECTION_HISTORY,
            etcd_version_name(job->arena, op->key, counter->next.number),
            etcd_version_pack(job->arena, &counter->next, op->is_delete ? TEXT("") : op->value));
}

static void ops_add(struct etcd_job *job, struct buf *message)
{
    const struct etcd_moves *moves = job->state;

    for (size_t i = 0; i < moves->txn.op_count; i++) {
        const struct store_op *op = &moves->txn.ops[i];
        struct etcd_move *counter = etcd_move_find(moves, ETCD_COUNTS_VERSIONS, op->key);

        if (op->is_delete) {
            message_txn_delete_add(message, etcd_key_full(job->arena, job->store->prefix,
                                                          ETCD_SECTION_OBJECT, op->key));
        } else {
            put_add(job, message, ETCD_SECTION_OBJECT, op->key, op->value);
        }
        if (counter != NULL) {
            version_add(job, message, counter, op);
        }
    }
}

static void events_add(struct etcd_job *job, struct buf *message)
{
    const struct etcd_moves *moves = job->state;

    for (size_t i = 0; i < moves->txn.event_count; i++) {
        const struct store_event *event = &moves->txn.events[i];
        struct etcd_move *counter = etcd_move_find(moves, ETCD_COUNTS_EVENTS, event->cluster);
        struct etcd_event_name name = { event->cluster, 0, event->time_ms, (unsigned)i };

        assert(counter != NULL);
        if (!counter->is_moved) {
            counter->next = counter->value;
            counter->is_moved = true;
        }
        name.number = ++counter->next.number;
        put_add(job, message, ETCD_SECTION_EVENT, etcd_event_name_pack(job->arena, &name),
                event->body);
    }
}

static void moves_send(struct etcd_job *job);

static struct text object_key(struct etcd_job *job, struct text key)
{
    return etcd_key_full(job->arena, job->store->prefix, ETCD_SECTION_OBJECT, key);
}

static void etcd_txn_failure_add(struct etcd_job *job, struct buf *message)
{
    const struct etcd_moves *moves = job->state;

    message_txn_range_add(
        message, MESSAGE_BRANCH_FAILURE,
        &(struct message_range){ .key = job->store->meta_key, .has_keys_only = true });
    for (size_t i = 0; i < moves->txn.compare_count; i++) {
        message_txn_range_add(
            message, MESSAGE_BRANCH_FAILURE,
            &(struct message_range){ .key = object_key(job, moves->txn.compares[i].key),
                                     /* the revision of a copied object is in its value, so the
                                      * value is needed */
                                     .has_keys_only = moves->txn.compares[i].revision >
                                                      etcd_copied_revision(job->store) });
    }
    for (size_t i = 0; i < moves->count; i++) {
        message_txn_range_add(message, MESSAGE_BRANCH_FAILURE,
                              &(struct message_range){ .key = moves->counters[i].full });
    }
}

/* ---- the answer ---- */

/* Ends the transaction and releases its counters. Transactions that wait for these counters
 * continue. */
static void moves_end(struct etcd_job *job, enum outcome outcome, bool is_known)
{
    struct etcd_store *store = job->store;
    const struct etcd_moves *moves = job->state;
    struct etcd_jobs held;

    etcd_moves_give(job, moves, is_known);
    if (moves->count > 0) {
        held = store->held;
        store->held = (struct etcd_jobs){ 0 };
        for (struct etcd_job *next = etcd_jobs_take(&held); next != NULL;
             next = etcd_jobs_take(&held)) {
            if (etcd_moves_take(next, next->state)) {
                moves_send(next);
            } else {
                etcd_jobs_add(&store->held, next);
            }
        }
    }
    etcd_job_end(job, outcome);
}

static void moves_refuse(struct etcd_job *job, enum code code, const char *text, bool is_known)
{
    err_set(&job->answer.err, code, "%s", text);
    moves_end(job, OUTCOME_REFUSED, is_known);
}

static uint64_t found_revision(const struct message_done *done)
{
    return done->found.count == 0 ? 0 : done->found.items[0].revision;
}

/* Handles a transaction that had no effect, because a compare of the caller failed or a counter had
 * another value. */
static void moves_failed(struct etcd_job *job, const struct message_txn_answer *answer)
{
    struct etcd_store *store = job->store;
    struct etcd_moves *moves = job->state;
    const struct store_txn *txn = &moves->txn;

    if (found_revision(&answer->done[0]) != store->meta) {
        store->is_other = true;
        moves_refuse(job, CODE_R0519, "the store was created again after it was opened", false);
        return;
    }
    if (!etcd_moves_read(moves, answer->done + 1 + txn->compare_count)) {
        moves_refuse(job, CODE_R0506, "etcd's value of a counter differs from what was written",
                     false);
        return;
    }
    for (size_t i = 0; i < txn->compare_count; i++) {
        if (!etcd_compare_is_met(store, &answer->done[1 + i].found, txn->compares[i].revision)) {
            job->answer.failed_compare = i;
            moves_refuse(job, CODE_R0502, "a key has changed since it was read", true);
            return;
        }
    }
    if (moves->tries >= LIMIT_ETCD_TRIES) {
        moves_refuse(job, CODE_R0517, "other managers kept writing events of the same clusters",
                     true);
        return;
    }
    moves_send(job);
}

static void moves_done(struct etcd_job *job, uint64_t revision)
{
    struct etcd_moves *moves = job->state;

    for (size_t i = 0; i < moves->count; i++) {
        if (moves->counters[i].is_moved) {
            moves->counters[i].revision = revision;
            moves->counters[i].value = moves->counters[i].next;
        }
    }
    job->answer.revision = revision - job->store->base;
    moves_end(job, OUTCOME_OK, true);
}

static void moves_got(struct etcd_job *job, const struct etcd_reply *reply)
{
    struct etcd_store *store = job->store;
    struct etcd_moves *moves = job->state;
    struct message_header header = { 0 };
    struct message_txn_answer answer;
    size_t reads = 1 + moves->txn.compare_count + moves->count;

    etcd_health_note_write(store, reply);
    if (reply->outcome != OUTCOME_OK) {
        job->answer.err = reply->err;
        moves_end(job, reply->outcome, false);
        return;
    }
    if (!message_txn_read(job->arena, reply->message, LIMIT_ETCD_TXN_OPERATIONS, &header,
                          &answer) ||
        (!answer.has_succeeded && answer.count != reads)) {
        err_set(&job->answer.err, CODE_R0518, "an answer of etcd is malformed");
        moves_end(job, OUTCOME_UNKNOWN, false);
        return;
    }
    if (!etcd_header_is_ours(store, &header)) {
        err_set(&job->answer.err, CODE_R0519,
                "the etcd that answers is not the one that was opened");
        moves_end(job, OUTCOME_UNKNOWN, false);
        return;
    }
    if (answer.has_succeeded) {
        moves_done(job, header.revision);
    } else {
        moves_failed(job, &answer);
    }
}

/* ---- the call ---- */

static void moves_send(struct etcd_job *job)
{
    struct etcd_store *store = job->store;
    struct etcd_moves *moves = job->state;
    struct buf message;

    arena_rewind(job->arena, moves->mark);
    buf_init(&message, job->arena);
    message_compare_add(&message, store->meta_key, store->meta);
    for (size_t i = 0; i < moves->txn.compare_count; i++) {
        etcd_compare_add(store, &message, object_key(job, moves->txn.compares[i].key),
                         moves->txn.compares[i].revision);
    }
    for (size_t i = 0; i < moves->count; i++) {
        moves->counters[i].is_moved = false;
        message_compare_add(&message, moves->counters[i].full, moves->counters[i].revision);
    }
    ops_add(job, &message);
    events_add(job, &message);
    for (size_t i = 0; i < moves->count; i++) {
        if (moves->counters[i].is_moved) {
            put_add(job, &message, ETCD_SECTION_COUNTER, moves->counters[i].name,
                    etcd_counter_pack(job->arena, &moves->counters[i].next));
        }
    }
    etcd_txn_failure_add(job, &message);
    moves->tries++;
    etcd_job_send(job, "KV/Txn", &message, moves_got);
}

void etcd_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg)
{
    struct etcd_store *etcd = (struct etcd_store *)store;
    struct etcd_job *job = etcd_job_new(etcd, done, arg);
    struct etcd_moves *moves;

    if (!store_txn_check(txn, &job->answer.err)) {
        etcd_job_end_later(job, OUTCOME_REFUSED);
        return;
    }
    if (!etcd_job_is_open(job)) {
        return;
    }
    moves = moves_new(job, txn);
    moves->mark = arena_mark(job->arena);
    job->state = moves;
    if (etcd_moves_take(job, moves)) {
        moves_send(job);
    } else {
        etcd_jobs_add(&etcd->held, job);
    }
}
