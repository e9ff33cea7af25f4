#include "wire/sign.h"

static const struct frame_field ask_fields[] = {
    NATURAL(sign_ask, id),      NATURAL(sign_ask, method), WORDS(sign_ask, authority),
    WORDS(sign_ask, who),       WORDS(sign_ask, sealed),   NATURAL(sign_ask, kind),
    WORDS(sign_ask, key),       WORDS(sign_ask, name),     TEXTS(sign_ask, principals),
    NATURAL(sign_ask, ttl_s),   NATURAL(sign_ask, phase),  NATURAL(sign_ask, version),
    TEXTS(sign_ask, serials),   TEXTS(sign_ask, names),    TEXTS(sign_ask, keys),
    NATURAL(sign_ask, is_more),
};
static const struct frame_shape ask_shape = SHAPE(sign_ask, ask_fields);

static const struct frame_field ready_fields[] = { WORDS(sign_ready, key),
                                                   LIST(sign_ready, sandbox, frame_pair_shape) };
static const struct frame_shape ready_shape = SHAPE(sign_ready, ready_fields);

static const struct frame_field reported_fields[] = {
    NATURAL(sign_reply, id),     NATURAL(sign_reply, code),     WORDS(sign_reply, message),
    WORDS(sign_reply, hint),     WORDS(sign_reply, sealed),     NATURAL(sign_reply, phase),
    TEXTS(sign_reply, users),    TEXTS(sign_reply, hosts),      WORDS(sign_reply, certificate),
    NATURAL(sign_reply, serial), NATURAL(sign_reply, before_s), BYTES(sign_reply, krl),
};
static const struct frame_shape reported_shape = SHAPE(sign_reply, reported_fields);

static const struct frame_shape *sign_shape_of(uint64_t type)
{
    switch (type) {
    case SIGN_ASK:
        return &ask_shape;
    case SIGN_READY:
        return &ready_shape;
    case SIGN_REPORTED:
        return &reported_shape;
    default:
        return NULL;
    }
}

void sign_format(struct buf *buf, const struct sign_message *message)
{
    frame_format(buf, message->type, sign_shape_of(message->type), &message->ask);
}

bool sign_parse(struct arena *arena, struct text frame, struct sign_message *out, struct err *err)
{
    uint64_t type = 0;

    *out = (struct sign_message){ 0 };
    if (!frame_parse(arena, frame, sign_shape_of, CODE_R0752, &type, &out->ask, err)) {
        return false;
    }
    out->type = (enum sign_type)type;
    return true;
}
