#include "wire/session_ipc.h"

#include <assert.h>

/* One table per message. Fields are written and read in the order of the table. */

static const struct frame_field begin_fields[] = {
    NATURAL(session_ipc_begin, is_openssh),
    WORDS(session_ipc_begin, folder),
};
static const struct frame_shape begin_shape = SHAPE(session_ipc_begin, begin_fields);

static const struct frame_field open_fields[] = {
    NATURAL(session_ipc_open, session),
    NATURAL(session_ipc_open, left_ms),
    WORDS(session_ipc_open, address),
    NATURAL(session_ipc_open, port),
    WORDS(session_ipc_open, user),
    BYTES(session_ipc_open, key),
    WORDS(session_ipc_open, certificate),
    WORDS(session_ipc_open, host_keys),
    WORDS(session_ipc_open, authority),
    WORDS(session_ipc_open, host_name),
    NATURAL(session_ipc_open, is_first_key_accepted),
    NATURAL(session_ipc_open, is_operators),
    NATURAL(session_ipc_open, exchange),
};
static const struct frame_shape open_shape = SHAPE(session_ipc_open, open_fields);

static const struct frame_field call_fields[] = {
    NATURAL(session_ipc_call, call),        NATURAL(session_ipc_call, session),
    NATURAL(session_ipc_call, kind),        NATURAL(session_ipc_call, left_ms),
    BYTES(session_ipc_call, command),       NATURAL(session_ipc_call, input_bytes),
    NATURAL(session_ipc_call, output_max),  NATURAL(session_ipc_call, is_linewise),
    NATURAL(session_ipc_call, is_listened), BYTES(session_ipc_call, path),
    NATURAL(session_ipc_call, mode),        WORDS(session_ipc_call, digest),
    NATURAL(session_ipc_call, limit),
};
static const struct frame_shape call_shape = SHAPE(session_ipc_call, call_fields);

static const struct frame_field cancel_fields[] = {
    NATURAL(session_ipc_cancel, call),
};
static const struct frame_shape cancel_shape = SHAPE(session_ipc_cancel, cancel_fields);

static const struct frame_field more_fields[] = {
    NATURAL(session_ipc_more, call),
    NATURAL(session_ipc_more, bytes),
};
static const struct frame_shape more_shape = SHAPE(session_ipc_more, more_fields);

static const struct frame_field close_fields[] = {
    NATURAL(session_ipc_close, session),
};
static const struct frame_shape close_shape = SHAPE(session_ipc_close, close_fields);

static const struct frame_field input_fields[] = {
    NATURAL(session_ipc_input, call),
    BYTES(session_ipc_input, bytes),
};
static const struct frame_shape input_shape = SHAPE(session_ipc_input, input_fields);

static const struct frame_field ready_fields[] = {
    WORDS(session_ipc_ready, version),
    NATURAL(session_ipc_ready, has_signal_names),
    NATURAL(session_ipc_ready, has_authorities),
    NATURAL(session_ipc_ready, has_sntrup761),
    LIST(session_ipc_ready, sandbox, frame_pair_shape),
};
static const struct frame_shape ready_shape = SHAPE(session_ipc_ready, ready_fields);

static const struct frame_field failed_fields[] = {
    WORDS(session_ipc_failed, message),
};
static const struct frame_shape failed_shape = SHAPE(session_ipc_failed, failed_fields);

static const struct frame_field opened_fields[] = {
    NATURAL(session_ipc_opened, session), NATURAL(session_ipc_opened, outcome),
    NATURAL(session_ipc_opened, fault),   WORDS(session_ipc_opened, message),
    WORDS(session_ipc_opened, host_key),  NATURAL(session_ipc_opened, is_first),
};
static const struct frame_shape opened_shape = SHAPE(session_ipc_opened, opened_fields);

static const struct frame_field lost_fields[] = {
    NATURAL(session_ipc_lost, session),
    NATURAL(session_ipc_lost, fault),
    WORDS(session_ipc_lost, message),
};
static const struct frame_shape lost_shape = SHAPE(session_ipc_lost, lost_fields);

static const struct frame_field output_fields[] = {
    NATURAL(session_ipc_output, call),
    NATURAL(session_ipc_output, stream),
    BYTES(session_ipc_output, bytes),
};
static const struct frame_shape output_shape = SHAPE(session_ipc_output, output_fields);

static const struct frame_field ended_fields[] = {
    NATURAL(session_ipc_ended, call),        NATURAL(session_ipc_ended, outcome),
    NATURAL(session_ipc_ended, fault),       WORDS(session_ipc_ended, message),
    INTEGER(session_ipc_ended, code),        WORDS(session_ipc_ended, signal),
    NATURAL(session_ipc_ended, out_bytes),   NATURAL(session_ipc_ended, error_bytes),
    NATURAL(session_ipc_ended, out_dropped), NATURAL(session_ipc_ended, error_dropped),
    BYTES(session_ipc_ended, content),
};
static const struct frame_shape ended_shape = SHAPE(session_ipc_ended, ended_fields);

static const struct frame_field want_fields[] = {
    NATURAL(session_ipc_want, call),
};
static const struct frame_shape want_shape = SHAPE(session_ipc_want, want_fields);

static const struct frame_shape *session_ipc_shape_of(uint64_t type)
{
    switch (type) {
    case SESSION_IPC_BEGIN:
        return &begin_shape;
    case SESSION_IPC_OPEN:
        return &open_shape;
    case SESSION_IPC_CALL:
        return &call_shape;
    case SESSION_IPC_CANCEL:
        return &cancel_shape;
    case SESSION_IPC_MORE:
        return &more_shape;
    case SESSION_IPC_CLOSE:
        return &close_shape;
    case SESSION_IPC_INPUT:
        return &input_shape;
    case SESSION_IPC_READY:
        return &ready_shape;
    case SESSION_IPC_FAILED:
        return &failed_shape;
    case SESSION_IPC_OPENED:
        return &opened_shape;
    case SESSION_IPC_LOST:
        return &lost_shape;
    case SESSION_IPC_OUTPUT:
        return &output_shape;
    case SESSION_IPC_ENDED:
        return &ended_shape;
    case SESSION_IPC_WANT:
        return &want_shape;
    default:
        return NULL;
    }
}

void session_ipc_format(struct buf *buf, const struct session_ipc_message *message)
{
    const struct frame_shape *shape = session_ipc_shape_of(message->type);

    assert(shape != NULL);
    frame_format(buf, message->type, shape, &message->begin);
}

bool session_ipc_parse(struct arena *arena, struct text frame, struct session_ipc_message *out,
                       struct err *err)
{
    uint64_t type = 0;

    *out = (struct session_ipc_message){ 0 };
    if (!frame_parse(arena, frame, session_ipc_shape_of, CODE_R0701, &type, &out->begin, err)) {
        return false;
    }
    out->type = (enum session_ipc_type)type;
    return true;
}
