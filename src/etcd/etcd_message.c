#include "etcd/etcd_message.h"

#include <assert.h>

/* ---- requests ---- */

enum {
    RANGE_KEY = 1,
    RANGE_END = 2,
    RANGE_LIMIT = 3,
    RANGE_REVISION = 4,
    RANGE_ORDER = 5,
    RANGE_TARGET = 6,
    RANGE_KEYS_ONLY = 8,
    RANGE_MIN_MOD_REVISION = 10,
    RANGE_MAX_MOD_REVISION = 11,
    ORDER_ASCEND = 1,
    ORDER_DESCEND = 2,
    TARGET_MOD = 3,

    COMPARE = 1, /* field numbers of a TxnRequest */
    COMPARE_RESULT = 1,
    COMPARE_TARGET = 2,
    COMPARE_KEY = 3,
    COMPARE_MOD_REVISION = 6,
    COMPARE_VALUE = 7,
    COMPARE_RESULT_GREATER = 1,
    COMPARE_RESULT_LESS = 2,
    COMPARE_TARGET_MOD = 2,
    COMPARE_TARGET_VALUE = 3,

    OP_RANGE = 1,
    OP_PUT = 2,
    OP_DELETE = 3,
    PUT_KEY = 1,
    PUT_VALUE = 2,

    WATCH_CREATE = 1,
    WATCH_CANCEL = 2,
    CREATE_KEY = 1,
    CREATE_END = 2,
    CREATE_REVISION = 3,
    CREATE_PROGRESS = 4,
    CREATE_ID = 7,
};

void message_range_add(struct buf *buf, const struct message_range *range)
{
    assert(range->key.length > 0);
    wire_add_text(buf, RANGE_KEY, range->key);
    if (range->end.length > 0) {
        wire_add_text(buf, RANGE_END, range->end);
    }
    wire_add_number(buf, RANGE_LIMIT, range->limit);
    wire_add_number(buf, RANGE_REVISION, range->revision);
    if (range->is_by_revision) {
        wire_add_number(buf, RANGE_ORDER, range->is_newest_first ? ORDER_DESCEND : ORDER_ASCEND);
        wire_add_number(buf, RANGE_TARGET, TARGET_MOD);
    }
    wire_add_number(buf, RANGE_KEYS_ONLY, range->has_keys_only);
    wire_add_number(buf, RANGE_MIN_MOD_REVISION, range->min_mod_revision);
    wire_add_number(buf, RANGE_MAX_MOD_REVISION, range->max_mod_revision);
}

void message_compare_add(struct buf *buf, struct text key, uint64_t revision)
{
    size_t compare = wire_open(buf, COMPARE);

    assert(key.length > 0);
    wire_add_number(buf, COMPARE_TARGET, COMPARE_TARGET_MOD);
    wire_add_text(buf, COMPARE_KEY, key);
    if (revision == 0) {
        wire_add_zero(buf, COMPARE_MOD_REVISION); /* a member of a oneof must be written even if it
                                                   * is 0 */
    } else {
        wire_add_number(buf, COMPARE_MOD_REVISION, revision);
    }
    wire_close(buf, compare);
}

static void message_value_add(struct buf *buf, struct text key, unsigned result, struct text value)
{
    size_t compare = wire_open(buf, COMPARE);

    wire_add_number(buf, COMPARE_RESULT, result);
    wire_add_number(buf, COMPARE_TARGET, COMPARE_TARGET_VALUE);
    wire_add_text(buf, COMPARE_KEY, key);
    wire_add_text(buf, COMPARE_VALUE, value);
    wire_close(buf, compare);
}

void message_compare_value_add(struct buf *buf, struct text key, uint64_t revision_max,
                               struct text above, struct text below)
{
    size_t compare = wire_open(buf, COMPARE);

    wire_add_number(buf, COMPARE_RESULT, COMPARE_RESULT_LESS);
    wire_add_number(buf, COMPARE_TARGET, COMPARE_TARGET_MOD);
    wire_add_text(buf, COMPARE_KEY, key);
    wire_add_number(buf, COMPARE_MOD_REVISION, revision_max + 1);
    wire_close(buf, compare);
    message_value_add(buf, key, COMPARE_RESULT_GREATER, above);
    message_value_add(buf, key, COMPARE_RESULT_LESS, below);
}

void message_txn_range_add(struct buf *buf, enum message_branch branch,
                           const struct message_range *range)
{
    size_t operation = wire_open(buf, branch);
    size_t request = wire_open(buf, OP_RANGE);

    message_range_add(buf, range);
    wire_close(buf, request);
    wire_close(buf, operation);
}

void message_txn_put_add(struct buf *buf, struct text key, struct text value)
{
    size_t operation = wire_open(buf, MESSAGE_BRANCH_SUCCESS);
    size_t request = wire_open(buf, OP_PUT);

    wire_add_text(buf, PUT_KEY, key);
    wire_add_text(buf, PUT_VALUE, value);
    wire_close(buf, request);
    wire_close(buf, operation);
}

void message_txn_delete_add(struct buf *buf, struct text key)
{
    size_t operation = wire_open(buf, MESSAGE_BRANCH_SUCCESS);
    size_t request = wire_open(buf, OP_DELETE);

    wire_add_text(buf, 1, key);
    wire_close(buf, request);
    wire_close(buf, operation);
}

void message_txn_delete_range_add(struct buf *buf, struct text key, struct text end)
{
    size_t operation = wire_open(buf, MESSAGE_BRANCH_SUCCESS);
    size_t request = wire_open(buf, OP_DELETE);

    wire_add_text(buf, RANGE_KEY, key);
    wire_add_text(buf, RANGE_END, end);
    wire_close(buf, request);
    wire_close(buf, operation);
}

void message_compact_add(struct buf *buf, uint64_t revision)
{
    wire_add_number(buf, 1, revision);
}

void message_watch_add(struct buf *buf, int64_t watch_id, struct text key, struct text end,
                       uint64_t from_revision)
{
    size_t create = wire_open(buf, WATCH_CREATE);

    assert(watch_id > 0 && from_revision > 0);
    wire_add_text(buf, CREATE_KEY, key);
    if (end.length > 0) {
        wire_add_text(buf, CREATE_END, end);
    }
    wire_add_number(buf, CREATE_REVISION, from_revision);
    wire_add_number(buf, CREATE_PROGRESS, 1);
    wire_add_number(buf, CREATE_ID, (uint64_t)watch_id);
    wire_close(buf, create);
}

void message_watch_cancel_add(struct buf *buf, int64_t watch_id)
{
    size_t cancel = wire_open(buf, WATCH_CANCEL);

    wire_add_number(buf, 1, (uint64_t)watch_id);
    wire_close(buf, cancel);
}

/* ---- answers ---- */

/* Returns the value of a field. If the field has another type, *is_good becomes false. */
static uint64_t etcd_message_number_of(const struct wire_field *field, bool *is_good)
{
    *is_good = *is_good && !field->is_bytes;
    return field->value;
}

static uint64_t revision_of(const struct wire_field *field, bool *is_good)
{
    *is_good = *is_good && !field->is_bytes && field->value <= INT64_MAX;
    return field->value;
}

static struct text etcd_message_bytes_of(const struct wire_field *field, bool *is_good)
{
    *is_good = *is_good && field->is_bytes;
    return field->bytes;
}

/* Returns how often a field occurs in a message; SIZE_MAX if the message is invalid. */
static size_t fields_count(struct text message, uint32_t number)
{
    struct wire_field field;
    enum wire_step step;
    size_t count = 0;

    while ((step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        count += field.number == number;
    }
    return step == WIRE_STEP_END ? count : SIZE_MAX;
}

MUST_CHECK static bool header_read(struct text message, struct message_header *out)
{
    struct wire_field field;
    enum wire_step step;
    bool is_good = true;

    while (is_good && (step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.number == 1) {
            out->etcd_id = etcd_message_number_of(&field, &is_good);
        } else if (field.number == 3) {
            out->revision = revision_of(&field, &is_good);
        }
    }
    return is_good && step == WIRE_STEP_END;
}

MUST_CHECK static bool etcd_message_item_read(struct text message, struct message_item *out)
{
    struct wire_field field;
    enum wire_step step;
    bool is_good = true;

    *out = (struct message_item){ .value = TEXT("") };
    while (is_good && (step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        switch (field.number) {
        case 1:
            out->key = etcd_message_bytes_of(&field, &is_good);
            break;
        case 2:
            out->create_revision = revision_of(&field, &is_good);
            break;
        case 3:
            out->revision = revision_of(&field, &is_good);
            break;
        case 5:
            out->value = etcd_message_bytes_of(&field, &is_good);
            break;
        default:
            break;
        }
    }
    return is_good && step == WIRE_STEP_END && out->key.length > 0 && out->revision > 0;
}

bool message_found_read(struct arena *arena, struct text bytes, size_t limit,
                        struct message_header *header, struct message_found *out)
{
    size_t count = fields_count(bytes, 2);
    struct message_item *items;
    struct wire_field field;
    bool is_good = true;

    if (count > limit) {
        return false;
    }
    items = arena_array(arena, struct message_item, count);
    *out = (struct message_found){ .items = items };
    while (is_good && wire_next(&bytes, &field) == WIRE_STEP_FIELD) {
        switch (field.number) {
        case 1:
            is_good = field.is_bytes && header_read(field.bytes, header);
            break;
        case 2:
            is_good = field.is_bytes && etcd_message_item_read(field.bytes, &items[out->count]);
            out->count += is_good;
            break;
        case 3:
            out->has_more = etcd_message_number_of(&field, &is_good) != 0;
            break;
        default:
            break;
        }
    }
    return is_good;
}

/* Reads one ResponseOp. Its own header is empty and is ignored. */
MUST_CHECK static bool done_read(struct arena *arena, struct text message, size_t limit,
                                 struct message_done *out)
{
    struct message_header unused;
    struct wire_field field;
    enum wire_step step;

    *out = (struct message_done){ 0 };
    while ((step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.number == OP_RANGE) {
            if (!field.is_bytes || out->is_range ||
                !message_found_read(arena, field.bytes, limit, &unused, &out->found)) {
                return false;
            }
            out->is_range = true;
        }
    }
    return step == WIRE_STEP_END;
}

bool message_txn_read(struct arena *arena, struct text bytes, size_t limit,
                      struct message_header *header, struct message_txn_answer *out)
{
    size_t count = fields_count(bytes, 3);
    struct message_done *done;
    struct wire_field field;
    bool is_good = true;

    if (count > limit) {
        return false;
    }
    done = arena_array(arena, struct message_done, count);
    *out = (struct message_txn_answer){ .done = done };
    while (is_good && wire_next(&bytes, &field) == WIRE_STEP_FIELD) {
        switch (field.number) {
        case 1:
            is_good = field.is_bytes && header_read(field.bytes, header);
            break;
        case 2:
            out->has_succeeded = etcd_message_number_of(&field, &is_good) != 0;
            break;
        case 3:
            is_good = field.is_bytes && done_read(arena, field.bytes, limit, &done[out->count]);
            out->count += is_good;
            break;
        default:
            break;
        }
    }
    return is_good;
}

bool message_status_read(struct text bytes, struct message_header *header, uint64_t *out_bytes)
{
    struct wire_field field;
    enum wire_step step;
    bool is_good = true;

    *out_bytes = 0;
    while (is_good && (step = wire_next(&bytes, &field)) == WIRE_STEP_FIELD) {
        if (field.number == 1) {
            is_good = field.is_bytes && header_read(field.bytes, header);
        } else if (field.number == 3) {
            /* in other answers this field number has another meaning, and the value is ignored */
            *out_bytes = field.value;
        }
    }
    return is_good && step == WIRE_STEP_END;
}

bool message_header_read(struct text bytes, struct message_header *header)
{
    uint64_t unused;

    return message_status_read(bytes, header, &unused);
}

MUST_CHECK static bool etcd_message_event_read(struct text message, struct message_event *out)
{
    struct wire_field field;
    enum wire_step step;
    bool is_good = true;
    bool has_item = false;

    *out = (struct message_event){ 0 };
    while (is_good && (step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.number == 1) {
            out->is_delete = etcd_message_number_of(&field, &is_good) != 0;
        } else if (field.number == 2) {
            is_good = field.is_bytes && etcd_message_item_read(field.bytes, &out->item);
            has_item = true;
        }
    }
    return is_good && step == WIRE_STEP_END && has_item;
}

MUST_CHECK static bool watch_field_read(const struct wire_field *field,
                                        struct message_watch_answer *out,
                                        struct message_event *events)
{
    bool is_good = true;

    switch (field->number) {
    case 1:
        return field->is_bytes && header_read(field->bytes, &out->header);
    case 2:
        out->watch_id = (int64_t)etcd_message_number_of(field, &is_good);
        break;
    case 3:
        out->is_created = etcd_message_number_of(field, &is_good) != 0;
        break;
    case 4:
        out->is_canceled = etcd_message_number_of(field, &is_good) != 0;
        break;
    case 5:
        out->compact_revision = revision_of(field, &is_good);
        break;
    case 6:
        out->reason = etcd_message_bytes_of(field, &is_good);
        break;
    case 11:
        if (!field->is_bytes || !etcd_message_event_read(field->bytes, &events[out->count])) {
            return false;
        }
        out->count++;
        break;
    default:
        break;
    }
    return is_good;
}

bool message_watch_read(struct arena *arena, struct text bytes, size_t limit,
                        struct message_watch_answer *out)
{
    size_t count = fields_count(bytes, 11);
    struct message_event *events;
    struct wire_field field;

    if (count > limit) {
        return false;
    }
    events = arena_array(arena, struct message_event, count);
    *out = (struct message_watch_answer){ .reason = TEXT(""), .events = events };
    while (wire_next(&bytes, &field) == WIRE_STEP_FIELD) {
        if (!watch_field_read(&field, out, events)) {
            return false;
        }
    }
    return true;
}
