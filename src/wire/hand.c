#include "wire/hand.h"

#include <assert.h>

/* One table for each message says what is written and read, in this order. */

static const struct frame_field begin_fields[] = {
    NATURAL(hand_begin, is_openssh),
    WORDS(hand_begin, folder),
};
static const struct frame_shape begin_shape = SHAPE(hand_begin, begin_fields);

static const struct frame_field open_fields[] = {
    NATURAL(hand_open, session),     NATURAL(hand_open, left_ms),
    WORDS(hand_open, address),       NATURAL(hand_open, port),
    WORDS(hand_open, user),          BYTES(hand_open, key),
    WORDS(hand_open, certificate),   WORDS(hand_open, host_keys),
    WORDS(hand_open, authority),     WORDS(hand_open, host_name),
    NATURAL(hand_open, takes_first), NATURAL(hand_open, is_operators),
    NATURAL(hand_open, exchange),
};
static const struct frame_shape open_shape = SHAPE(hand_open, open_fields);

static const struct frame_field call_fields[] = {
    NATURAL(hand_call, call),        NATURAL(hand_call, session),
    NATURAL(hand_call, kind),        NATURAL(hand_call, left_ms),
    BYTES(hand_call, command),       NATURAL(hand_call, input_bytes),
    NATURAL(hand_call, output_max),  NATURAL(hand_call, is_linewise),
    NATURAL(hand_call, is_listened), BYTES(hand_call, path),
    NATURAL(hand_call, mode),        WORDS(hand_call, digest),
    NATURAL(hand_call, limit),
};
static const struct frame_shape call_shape = SHAPE(hand_call, call_fields);

static const struct frame_field cancel_fields[] = {
    NATURAL(hand_cancel, call),
};
static const struct frame_shape cancel_shape = SHAPE(hand_cancel, cancel_fields);

static const struct frame_field more_fields[] = {
    NATURAL(hand_more, call),
    NATURAL(hand_more, bytes),
};
static const struct frame_shape more_shape = SHAPE(hand_more, more_fields);

static const struct frame_field close_fields[] = {
    NATURAL(hand_close, session),
};
static const struct frame_shape close_shape = SHAPE(hand_close, close_fields);

static const struct frame_field input_fields[] = {
    NATURAL(hand_input, call),
    BYTES(hand_input, bytes),
};
static const struct frame_shape input_shape = SHAPE(hand_input, input_fields);

static const struct frame_field ready_fields[] = {
    WORDS(hand_ready, version),
    NATURAL(hand_ready, tells_signals),
    NATURAL(hand_ready, has_authorities),
    NATURAL(hand_ready, has_sntrup761),
    LIST(hand_ready, sandbox, frame_pair_shape),
};
static const struct frame_shape ready_shape = SHAPE(hand_ready, ready_fields);

static const struct frame_field failed_fields[] = {
    WORDS(hand_failed, message),
};
static const struct frame_shape failed_shape = SHAPE(hand_failed, failed_fields);

static const struct frame_field opened_fields[] = {
    NATURAL(hand_opened, session), NATURAL(hand_opened, outcome), NATURAL(hand_opened, fault),
    WORDS(hand_opened, message),   WORDS(hand_opened, host_key),  NATURAL(hand_opened, is_first),
};
static const struct frame_shape opened_shape = SHAPE(hand_opened, opened_fields);

static const struct frame_field lost_fields[] = {
    NATURAL(hand_lost, session),
    NATURAL(hand_lost, fault),
    WORDS(hand_lost, message),
};
static const struct frame_shape lost_shape = SHAPE(hand_lost, lost_fields);

static const struct frame_field output_fields[] = {
    NATURAL(hand_output, call),
    NATURAL(hand_output, stream),
    BYTES(hand_output, bytes),
};
static const struct frame_shape output_shape = SHAPE(hand_output, output_fields);

static const struct frame_field ended_fields[] = {
    NATURAL(hand_ended, call),        NATURAL(hand_ended, outcome),
    NATURAL(hand_ended, fault),       WORDS(hand_ended, message),
    INTEGER(hand_ended, code),        WORDS(hand_ended, signal),
    NATURAL(hand_ended, out_bytes),   NATURAL(hand_ended, error_bytes),
    NATURAL(hand_ended, out_dropped), NATURAL(hand_ended, error_dropped),
    BYTES(hand_ended, content),
};
static const struct frame_shape ended_shape = SHAPE(hand_ended, ended_fields);

static const struct frame_field want_fields[] = {
    NATURAL(hand_want, call),
};
static const struct frame_shape want_shape = SHAPE(hand_want, want_fields);

static const struct frame_shape *shape_of(uint64_t type)
{
    switch (type) {
    case HAND_BEGIN:
        return &begin_shape;
    case HAND_OPEN:
        return &open_shape;
    case HAND_CALL:
        return &call_shape;
    case HAND_CANCEL:
        return &cancel_shape;
    case HAND_MORE:
        return &more_shape;
    case HAND_CLOSE:
        return &close_shape;
    case HAND_INPUT:
        return &input_shape;
    case HAND_READY:
        return &ready_shape;
    case HAND_FAILED:
        return &failed_shape;
    case HAND_OPENED:
        return &opened_shape;
    case HAND_LOST:
        return &lost_shape;
    case HAND_OUTPUT:
        return &output_shape;
    case HAND_ENDED:
        return &ended_shape;
    case HAND_WANT:
        return &want_shape;
    default:
        return NULL;
    }
}

void hand_format(struct buf *buf, const struct hand_message *message)
{
    const struct frame_shape *shape = shape_of(message->type);

    assert(shape != NULL);
    frame_format(buf, message->type, shape, &message->begin);
}

bool hand_parse(struct arena *arena, struct text frame, struct hand_message *out, struct err *err)
{
    uint64_t type = 0;

    *out = (struct hand_message){ 0 };
    if (!frame_parse(arena, frame, shape_of, CODE_R0701, &type, &out->begin, err)) {
        return false;
    }
    out->type = (enum hand_type)type;
    return true;
}
