#include "state/commit.h"

#include "base/buf.h"
#include "base/limits.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    PART_BYTES = 200 * 1024, /* maximum size of one part, unless a single change is larger */
    PART_OPS = LIMIT_STORE_TXN_OPERATIONS - 8,
    PUTS_AT_ONCE = 64, /* parts written by one transaction */
};

struct running {
    struct arena *arena;
    struct store *store;
    struct text id;
    commit_done *done;
    void *arg;
    struct store_op *parts; /* puts of the keys of all parts */
    size_t part_count;
    size_t next_part;  /* the next part to be written or executed */
    size_t first_part; /* the first of the parts that the present transaction writes */
    /* Revisions at which the parts were written. NULL: an earlier process wrote them. */
    uint64_t *revisions;
    const struct commit *commit;
    bool is_resumed; /* an earlier process started the operation */
};

/* All unfinished operations of earlier processes. */
struct resume {
    struct arena *arena;
    struct store *store;
    commit_done *done;
    void *arg;
    bool is_sweeping; /* all heads are processed, so the remaining parts have no head */
};

static void running_end(struct running *running, enum outcome outcome,
                        const struct store_answer *answer)
{
    struct commit_answer end = { .outcome = outcome };

    if (answer != NULL) {
        end.revision = answer->revision;
        end.err = answer->err;
        end.failed_compare = answer->failed_compare;
    }
    running->done(running->arg, &end);
}

/* ---- keys and parts ---- */

#define HEADS COMMIT_HEADS
#define PARTS COMMIT_PARTS

static struct text head_key(struct running *running)
{
    return arena_printf(running->arena, HEADS "%.*s/base", TEXT_ARG(running->id));
}

static struct text part_key(struct running *running, size_t number)
{
    return arena_printf(running->arena, PARTS "%.*s.%06zu/base", TEXT_ARG(running->id), number);
}

/* Formats a change: P or D, the lengths of the key and the value, then both. */
static void op_format(struct buf *buf, const struct store_op *op)
{
    buf_printf(buf, "%c %zu %zu\n", op->is_delete ? 'D' : 'P', op->key.length,
               op->is_delete ? 0 : op->value.length);
    buf_add(buf, op->key);
    if (!op->is_delete) {
        buf_add(buf, op->value);
    }
}

/* Removes a number of at most seven digits from the start of a text, and the byte after it. */
static bool commit_number_take(struct text *rest, char end, size_t *out)
{
    size_t number = 0;
    size_t i = 0;

    while (i < rest->length && i < 8 && rest->data[i] >= '0' && rest->data[i] <= '9') {
        number = number * 10 + (size_t)(rest->data[i++] - '0');
    }
    if (i == 0 || i == 8 || i == rest->length || rest->data[i] != end) {
        return false;
    }
    *rest = text_slice(*rest, i + 1, rest->length);
    *out = number;
    return true;
}

/* Removes one change from the start of a part. Returns false at the end of the part, and if the
 * change is invalid. */
static bool op_take(struct text *rest, struct store_op *out)
{
    size_t key_length;
    size_t value_length;

    if (rest->length < 2 || (rest->data[0] != 'P' && rest->data[0] != 'D') ||
        rest->data[1] != ' ') {
        return false;
    }
    out->is_delete = rest->data[0] == 'D';
    *rest = text_slice(*rest, 2, rest->length);
    if (!commit_number_take(rest, ' ', &key_length) ||
        !commit_number_take(rest, '\n', &value_length) ||
        key_length + value_length > rest->length) {
        return false;
    }
    out->key = text_slice(*rest, 0, key_length);
    out->value = text_slice(*rest, key_length, value_length);
    *rest = text_slice(*rest, key_length + value_length, rest->length);
    return true;
}

static void commit_parts_make(struct running *running)
{
    const struct commit *commit = running->commit;
    size_t next = 0;

    running->parts = arena_array(running->arena, struct store_op, commit->op_count);
    running->revisions = arena_array(running->arena, uint64_t, commit->op_count);
    while (next < commit->op_count) {
        struct buf buf;
        size_t count = 0;

        buf_init(&buf, running->arena);
        while (next < commit->op_count && count < PART_OPS) {
            const struct store_op *op = &commit->ops[next];
            size_t bytes = op->key.length + op->value.length + 24;

            if (count > 0 && buf.length + bytes > PART_BYTES) {
                break;
            }
            op_format(&buf, op);
            count++;
            next++;
        }
        running->parts[running->part_count] =
            (struct store_op){ .key = part_key(running, running->part_count),
                               .value = buf_text(&buf) };
        running->part_count++;
    }
}

/* ---- execution of an operation ---- */

static void commit_part_read(struct running *running);

static void head_removed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    running_end(arg, outcome, answer);
}

static void part_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct running *running = arg;
    bool is_anothers = outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502;

    if (outcome != OUTCOME_OK && !is_anothers) {
        running_end(running, outcome, answer);
        return;
    }
    running->next_part++;
    commit_part_read(running);
}

/* Executes one part and removes it in the same transaction. So each part takes effect exactly once,
 * even if several managers attempt it or repeat it. A late attempt finds the part removed, so it
 * does not overwrite a later change. */
static void part_carry_out(struct running *running, struct text value, uint64_t revision)
{
    struct store_op ops[PART_OPS + 1];
    struct store_compare compare = { .key = part_key(running, running->next_part),
                                     .revision = revision };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = ops };

    while (txn.op_count < PART_OPS && op_take(&value, &ops[txn.op_count])) {
        txn.op_count++;
    }
    ops[txn.op_count++] =
        (struct store_op){ .key = part_key(running, running->next_part), .is_delete = true };
    store_txn(running->store, &txn, part_written, running);
}

static void part_got(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct running *running = arg;

    if (outcome != OUTCOME_OK) {
        running_end(running, outcome, answer);
    } else if (answer->count == 0) { /* the part was already executed */
        running->next_part++;
        commit_part_read(running);
    } else {
        part_carry_out(running, answer->items[0].value, answer->items[0].revision);
    }
}

static void commit_part_read(struct running *running)
{
    if (running->next_part == running->part_count) {
        struct store_op op = { .key = head_key(running), .is_delete = true };

        store_txn(running->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, head_removed,
                  running);
        return;
    }
    if (!running->is_resumed) {
        part_carry_out(running, running->parts[running->next_part].value,
                       running->revisions[running->next_part]);
        return;
    }
    store_get(running->store, part_key(running, running->next_part), 0, part_got, running);
}

/* ---- a change that is one transaction, or becomes an operation ---- */

static void change_made(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct running *running = arg;

    if (outcome != OUTCOME_OK || running->part_count == 0) {
        running_end(running, outcome, answer);
        return;
    }
    running->next_part = 0;
    commit_part_read(running);
}

/* Send the transaction that makes the change, which is the commit of the head. */
static void change_write(struct running *running)
{
    const struct commit *commit = running->commit;
    bool is_small = running->part_count == 0;
    size_t room = commit->first_op_count + (is_small ? commit->op_count : 1);
    struct store_op *ops = arena_array(running->arena, struct store_op, room);
    struct store_compare *compares =
        arena_array(running->arena, struct store_compare, commit->compare_count + 1);
    struct store_txn txn = {
        .compares = compares,
        .compare_count = commit->compare_count,
        .ops = ops,
        .events = commit->events,
        .event_count = commit->event_count,
    };

    for (size_t i = 0; i < commit->compare_count; i++) {
        compares[i] = commit->compares[i];
    }
    for (size_t i = 0; i < commit->first_op_count; i++) {
        ops[txn.op_count++] = commit->first_ops[i];
    }
    for (size_t i = 0; is_small && i < commit->op_count; i++) {
        ops[txn.op_count++] = commit->ops[i];
    }
    /* The transaction also compares the first part: a sweep of parts without a head removes the
     * first part before the others. */
    if (!is_small) {
        compares[txn.compare_count++] = (struct store_compare){ .key = part_key(running, 0),
                                                                .revision = running->revisions[0] };
        ops[txn.op_count++] = (struct store_op){
            .key = head_key(running),
            .value = arena_printf(running->arena, "{\"parts\":%zu}\n%.*s", running->part_count,
                                  TEXT_ARG(commit->subjects)),
        };
    }
    store_txn(running->store, &txn, change_made, running);
}

static void parts_write(struct running *running);

static void parts_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct running *running = arg;

    if (outcome != OUTCOME_OK) { /* the change was not made; the next process removes its parts */
        running_end(running, outcome, answer);
        return;
    }
    for (size_t i = running->first_part; i < running->next_part; i++) {
        running->revisions[i] = answer->revision;
    }
    parts_write(running);
}

static void parts_write(struct running *running)
{
    size_t count = running->part_count - running->next_part;

    if (count == 0) {
        change_write(running);
        return;
    }
    if (count > PUTS_AT_ONCE) {
        count = PUTS_AT_ONCE;
    }
    running->first_part = running->next_part;
    running->next_part += count;
    store_txn(running->store,
              &(struct store_txn){ .ops = running->parts + running->next_part - count,
                                   .op_count = count },
              parts_written, running);
}

void commit_start(struct arena *arena, struct store *store, const struct commit *commit,
                  commit_done *done, void *arg)
{
    struct running *running = arena_one(arena, struct running);
    size_t all =
        commit->compare_count + commit->op_count + commit->first_op_count + commit->event_count;

    assert(commit->compare_count + commit->first_op_count + commit->event_count + 1 <
           LIMIT_STORE_TXN_OPERATIONS);
    *running = (struct running){
        .arena = arena,
        .store = store,
        .id = commit->id,
        .done = done,
        .arg = arg,
        .commit = commit,
    };
    if (all > LIMIT_STORE_TXN_OPERATIONS) {
        commit_parts_make(running);
    }
    parts_write(running);
}

/* ---- after a crash ---- */

static void resume_next(struct resume *resume);

static void resume_end(struct resume *resume, enum outcome outcome,
                       const struct store_answer *answer)
{
    struct commit_answer end = { .outcome = outcome };

    if (answer != NULL) {
        end.err = answer->err;
        end.revision = answer->revision;
    }
    resume->done(resume->arg, &end);
}

static void operation_ended(void *arg, const struct commit_answer *answer)
{
    struct resume *resume = arg;

    if (answer->outcome != OUTCOME_OK) {
        resume->done(resume->arg, answer);
        return;
    }
    resume_next(resume);
}

static void sweep_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct resume *resume = arg;

    if (outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0502) {
        resume->is_sweeping = false; /* the head of this part was written in the meantime */
    } else if (outcome != OUTCOME_OK) {
        resume_end(resume, outcome, answer);
        return;
    }
    resume_next(resume);
}

/* Reads a line from a head. The subjects of the change are the lines after the first one. Returns
 * false at the end of the head. */
static bool commit_line_take(struct text *head, struct text *out)
{
    size_t end = text_find_byte(*head, '\n');

    *out = text_slice(*head, 0, end);
    *head = end == SIZE_MAX ? TEXT("") : text_slice(*head, end + 1, SIZE_MAX);
    return out->length > 0 || head->length > 0;
}

bool commit_is_of(struct text head, struct text subject)
{
    struct text line;

    while (commit_line_take(&head, &line)) {
        if (text_is_equal(line, subject)) {
            return true;
        }
    }
    return false;
}

bool commit_is_below(struct text head, struct text prefix)
{
    struct text line;

    while (commit_line_take(&head, &line)) {
        if (text_has_prefix(line, prefix)) {
            return true;
        }
    }
    return false;
}

static bool commit_head_parse(struct text value, size_t *parts)
{
    struct text prefix = TEXT("{\"parts\":");
    struct text rest = text_slice(value, prefix.length, value.length);

    return text_has_prefix(value, prefix) && commit_number_take(&rest, '}', parts);
}

/* Return the id in the key of a head, /_/Operation/ID/base. */
static struct text id_of_head(struct text key)
{
    struct text rest = text_slice(key, sizeof(HEADS) - 1, key.length);

    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Return the key of the head that belongs to the part with this key,
 * /_/OperationPart/ID.000000/base. */
static struct text head_of_part(struct resume *resume, struct text key)
{
    struct text rest = text_slice(key, sizeof(PARTS) - 1, key.length);

    return arena_printf(resume->arena, HEADS "%.*s/base",
                        TEXT_ARG(text_slice(rest, 0, text_find_byte(rest, '.'))));
}

/* Removes a part without a head, unless a running manager writes its head at this moment. */
static void part_sweep(struct resume *resume, struct text key)
{
    struct store_compare compare = { .key = head_of_part(resume, key) };
    struct store_op op = { .key = key, .is_delete = true };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    store_txn(resume->store, &txn, sweep_done, resume);
}

static void key_handle(struct resume *resume, const struct store_item *item)
{
    struct text key = arena_text(resume->arena, item->key);

    if (resume->is_sweeping) {
        part_sweep(resume, key);
    } else {
        commit_go_on(resume->arena, resume->store, key, item->value, operation_ended, resume);
    }
}

static void keys_listed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct resume *resume = arg;

    if (outcome != OUTCOME_OK) {
        resume_end(resume, outcome, answer);
    } else if (answer->count > 0) {
        key_handle(resume, &answer->items[0]);
    } else if (!resume->is_sweeping) {
        resume->is_sweeping = true;
        resume_next(resume);
    } else {
        resume_end(resume, OUTCOME_OK, answer);
    }
}

/* Continues with the next key. Keys are removed when they are handled, so the next key is always
 * the first one. */
static void resume_next(struct resume *resume)
{
    struct store_range range = {
        .prefix = resume->is_sweeping ? TEXT(PARTS) : TEXT(HEADS),
        .limit = 1,
    };

    store_list(resume->store, &range, keys_listed, resume);
}

void commit_go_on(struct arena *arena, struct store *store, struct text key, struct text head,
                  commit_done *done, void *arg)
{
    struct running *running = arena_one(arena, struct running);
    size_t parts = 0;

    /* A head that cannot be parsed is treated as one without parts, and is removed. */
    *running = (struct running){
        .arena = arena,
        .store = store,
        .id = id_of_head(key),
        .done = done,
        .arg = arg,
        .part_count = commit_head_parse(head, &parts) ? parts : 0,
        .is_resumed = true,
    };
    commit_part_read(running);
}

void commit_resume(struct arena *arena, struct store *store, commit_done *done, void *arg)
{
    struct resume *resume = arena_one(arena, struct resume);

    *resume = (struct resume){ .arena = arena, .store = store, .done = done, .arg = arg };
    resume_next(resume);
}
