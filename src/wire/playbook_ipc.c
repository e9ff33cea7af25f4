#include "wire/playbook_ipc.h"

#include "base/macros.h"

static const struct frame_field piece_fields[] = { NATURAL(playbook_ipc_piece, file),
                                                   BYTES(playbook_ipc_piece, bytes) };
static const struct frame_shape piece_shape = SHAPE(playbook_ipc_piece, piece_fields);

static const struct frame_field start_fields[] = {
    WORDS(playbook_ipc_start, ansible),      WORDS(playbook_ipc_start, playbook),
    NATURAL(playbook_ipc_start, mode),       NATURAL(playbook_ipc_start, forks),
    NATURAL(playbook_ipc_start, timeout_ms), NATURAL(playbook_ipc_start, start_ms),
};
static const struct frame_shape start_shape = SHAPE(playbook_ipc_start, start_fields);

static const struct frame_field stop_fields[] = { NATURAL(playbook_ipc_stop, is_now) };
static const struct frame_shape stop_shape = SHAPE(playbook_ipc_stop, stop_fields);

static const struct frame_field playbook_ready_fields[] = { LIST(playbook_ipc_ready, sandbox,
                                                                 frame_pair_shape) };
static const struct frame_shape playbook_ready_shape =
    SHAPE(playbook_ipc_ready, playbook_ready_fields);

static const struct frame_field line_fields[] = { BYTES(playbook_ipc_line, bytes) };
static const struct frame_shape line_shape = SHAPE(playbook_ipc_line, line_fields);

static const struct frame_field playbook_output_fields[] = { NATURAL(playbook_ipc_output, is_error),
                                                             BYTES(playbook_ipc_output, bytes) };
static const struct frame_shape playbook_output_shape =
    SHAPE(playbook_ipc_output, playbook_output_fields);

static const struct frame_field end_fields[] = {
    NATURAL(playbook_ipc_end, reason), INTEGER(playbook_ipc_end, code),
    INTEGER(playbook_ipc_end, signal), NATURAL(playbook_ipc_end, dropped),
    WORDS(playbook_ipc_end, message),
};
static const struct frame_shape end_shape = SHAPE(playbook_ipc_end, end_fields);

static const struct frame_shape *playbook_ipc_shape_of(uint64_t type)
{
    switch (type) {
    case PLAYBOOK_IPC_FILE:
        return &piece_shape;
    case PLAYBOOK_IPC_START:
        return &start_shape;
    case PLAYBOOK_IPC_STOP:
        return &stop_shape;
    case PLAYBOOK_IPC_READY:
        return &playbook_ready_shape;
    case PLAYBOOK_IPC_LINE:
        return &line_shape;
    case PLAYBOOK_IPC_OUTPUT:
        return &playbook_output_shape;
    case PLAYBOOK_IPC_END:
        return &end_shape;
    default:
        return NULL;
    }
}

void playbook_ipc_format(struct buf *buf, const struct playbook_ipc_message *message)
{
    frame_format(buf, message->type, playbook_ipc_shape_of(message->type), &message->piece);
}

bool playbook_ipc_parse(struct arena *arena, struct text frame, struct playbook_ipc_message *out,
                        struct err *err)
{
    uint64_t type = 0;

    *out = (struct playbook_ipc_message){ 0 };
    if (!frame_parse(arena, frame, playbook_ipc_shape_of, CODE_R0843, &type, &out->piece, err)) {
        return false;
    }
    out->type = (enum playbook_ipc_type)type;
    return true;
}
