#include "wire/member_ipc.h"

#include "base/macros.h"

/* The fields of the arguments, which are part of both messages. */
#define MEMBER_IPC_ARGUMENTS(type)                                                             \
    WORDS(type, arguments.manager), WORDS(type, arguments.name), WORDS(type, arguments.token), \
        WORDS(type, arguments.cluster), NATURAL(type, arguments.is_joining),                   \
        WORDS(type, arguments.peer_listen), WORDS(type, arguments.peer_advertise),             \
        WORDS(type, arguments.client_listen), WORDS(type, arguments.client_advertise),         \
        WORDS(type, arguments.ca), WORDS(type, arguments.certificate), WORDS(type, arguments.key)

static const struct frame_field member_ask_fields[] = {
    NATURAL(member_ipc_ask, method),
    MEMBER_IPC_ARGUMENTS(member_ipc_ask),
    NATURAL(member_ipc_ask, timeout_ms),
};
static const struct frame_shape member_ask_shape = SHAPE(member_ipc_ask, member_ask_fields);

static const struct frame_field member_reply_fields[] = {
    NATURAL(member_ipc_reply, code),        WORDS(member_ipc_reply, message),
    WORDS(member_ipc_reply, hint),          NATURAL(member_ipc_reply, state),
    MEMBER_IPC_ARGUMENTS(member_ipc_reply), NATURAL(member_ipc_reply, pid),
    NATURAL(member_ipc_reply, crashes),     WORDS(member_ipc_reply, reason),
    NATURAL(member_ipc_reply, is_serving),  NATURAL(member_ipc_reply, term),
    NATURAL(member_ipc_reply, last),        NATURAL(member_ipc_reply, committed),
    NATURAL(member_ipc_reply, applied),     NATURAL(member_ipc_reply, has_leader),
    WORDS(member_ipc_reply, version),       NATURAL(member_ipc_reply, bytes),
    NATURAL(member_ipc_reply, free_bytes),
};
static const struct frame_shape member_reply_shape = SHAPE(member_ipc_reply, member_reply_fields);

static const struct frame_shape *member_ipc_shape_of(uint64_t type)
{
    switch (type) {
    case MEMBER_IPC_ASK:
        return &member_ask_shape;
    case MEMBER_IPC_REPLY:
        return &member_reply_shape;
    default:
        return NULL;
    }
}

void member_ipc_format(struct buf *buf, const struct member_ipc_message *message)
{
    frame_format(buf, message->type, member_ipc_shape_of(message->type), &message->ask);
}

bool member_ipc_parse(struct arena *arena, struct text frame, struct member_ipc_message *out,
                      struct err *err)
{
    uint64_t type = 0;

    *out = (struct member_ipc_message){ 0 };
    if (!frame_parse(arena, frame, member_ipc_shape_of, CODE_R0595, &type, &out->ask, err)) {
        return false;
    }
    out->type = (enum member_ipc_type)type;
    return true;
}
