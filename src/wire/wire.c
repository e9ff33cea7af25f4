#include "wire/wire.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

/* One table per message. Fields are written and read in the order of the table. */

static const struct frame_field open_fields[] = {
    WORDS(wire_open, path),        WORDS(wire_open, digest),        WORDS(wire_open, name),
    WORDS(wire_open, folder),      WORDS(wire_open, settings),      NATURAL(wire_open, profile),
    NATURAL(wire_open, calls_max), NATURAL(wire_open, is_question), TEXTS(wire_open, endpoints),
    NATURAL(wire_open, has_state),
};
static const struct frame_shape open_shape = SHAPE(wire_open, open_fields);

static const struct frame_field call_fields[] = {
    NATURAL(wire_call, id),      NATURAL(wire_call, method),
    NATURAL(wire_call, left_ms), WORDS(wire_call, cluster),
    WORDS(wire_call, machine),   WORDS(wire_call, token),
    WORDS(wire_call, name),      WORDS(wire_call, zone),
    WORDS(wire_call, labels),    WORDS(wire_call, properties),
    WORDS(wire_call, init),      WORDS(wire_call, keys),
    WORDS(wire_call, reason),    WORDS(wire_call, known),
    WORDS(wire_call, secret),    LIST(wire_call, tags, frame_pair_shape),
    TEXTS(wire_call, ids),       WORDS(wire_call, kind),
    NATURAL(wire_call, age_ms),  NATURAL(wire_call, count),
    TEXTS(wire_call, zones),     LIST(wire_call, pins, frame_pair_shape),
};
static const struct frame_shape call_shape = SHAPE(wire_call, call_fields);

static const struct frame_field property_fields[] = {
    WORDS(wire_property, name),    NATURAL(wire_property, type),  NATURAL(wire_property, role),
    NATURAL(wire_property, flags), WORDS(wire_property, initial), WORDS(wire_property, choices),
    WORDS(wire_property, help),    WORDS(wire_property, example), INTEGER(wire_property, least),
    INTEGER(wire_property, most),
};
static const struct frame_shape property_shape = SHAPE(wire_property, property_fields);

static const struct frame_field hello_fields[] = {
    WORDS(wire_hello, name),
    WORDS(wire_hello, version),
    WORDS(wire_hello, about),
    NATURAL(wire_hello, capabilities),
    NATURAL(wire_hello, lag_ms),
    NATURAL(wire_hello, late_ms),
    NATURAL(wire_hello, create_ms),
    NATURAL(wire_hello, calls_max),
    NATURAL(wire_hello, calls_per_s),
    NATURAL(wire_hello, methods),
    LIST(wire_hello, properties, property_shape),
    LIST(wire_hello, sandbox, frame_pair_shape),
    NATURAL(wire_hello, contract),
};
static const struct frame_shape hello_shape = SHAPE(wire_hello, hello_fields);

static const struct frame_field failed_fields[] = { WORDS(wire_failed, message) };
static const struct frame_shape failed_shape = SHAPE(wire_failed, failed_fields);

static const struct frame_field row_fields[] = {
    WORDS(wire_row, id),   NATURAL(wire_row, state),    WORDS(wire_row, address),
    WORDS(wire_row, zone), WORDS(wire_row, properties), LIST(wire_row, tags, frame_pair_shape),
};
static const struct frame_shape row_shape = SHAPE(wire_row, row_fields);

static const struct frame_field resource_fields[] = {
    WORDS(wire_resource, kind),    WORDS(wire_resource, id),
    WORDS(wire_resource, zone),    WORDS(wire_resource, attached),
    NATURAL(wire_resource, bytes), LIST(wire_resource, tags, frame_pair_shape),
};
static const struct frame_shape resource_shape = SHAPE(wire_resource, resource_fields);

static const struct frame_field page_fields[] = { NATURAL(wire_page, call),
                                                  LIST(wire_page, rows, row_shape),
                                                  LIST(wire_page, resources, resource_shape) };
static const struct frame_shape page_shape = SHAPE(wire_page, page_fields);

static const struct frame_field answer_fields[] = {
    NATURAL(wire_answer, call),
    NATURAL(wire_answer, result),
    NATURAL(wire_answer, retry_ms),
    NATURAL(wire_answer, is_incomplete),
    NATURAL(wire_answer, is_unchanged),
    WORDS(wire_answer, machine),
    WORDS(wire_answer, mark),
    LIST(wire_answer, faults, frame_pair_shape),
    LIST(wire_answer, notices, frame_pair_shape),
    LIST(wire_answer, facts, frame_pair_shape),
    LIST(wire_answer, pins, frame_pair_shape),
    WORDS(wire_answer, console),
};
static const struct frame_shape answer_shape = SHAPE(wire_answer, answer_fields);

static const struct frame_field log_fields[] = { NATURAL(wire_log, level),
                                                 WORDS(wire_log, message) };
static const struct frame_shape log_shape = SHAPE(wire_log, log_fields);

static const struct frame_field state_ask_fields[] = {
    NATURAL(wire_state_ask, number),  NATURAL(wire_state_ask, call),
    NATURAL(wire_state_ask, access),  WORDS(wire_state_ask, key),
    WORDS(wire_state_ask, after),     WORDS(wire_state_ask, value),
    NATURAL(wire_state_ask, version),
};
static const struct frame_shape state_ask_shape = SHAPE(wire_state_ask, state_ask_fields);

static const struct frame_field state_entry_fields[] = {
    WORDS(wire_state_entry, key),
    WORDS(wire_state_entry, value),
    NATURAL(wire_state_entry, version),
};
static const struct frame_shape state_entry_shape = SHAPE(wire_state_entry, state_entry_fields);

static const struct frame_field state_fields[] = {
    NATURAL(wire_state, number),   NATURAL(wire_state, result),
    NATURAL(wire_state, has_more), LIST(wire_state, entries, state_entry_shape),
    WORDS(wire_state, message),
};
static const struct frame_shape state_shape = SHAPE(wire_state, state_fields);

static const struct frame_shape *wire_shape_of(uint64_t type)
{
    switch (type) {
    case WIRE_OPEN:
        return &open_shape;
    case WIRE_CALL:
        return &call_shape;
    case WIRE_HELLO:
        return &hello_shape;
    case WIRE_FAILED:
        return &failed_shape;
    case WIRE_PAGE:
        return &page_shape;
    case WIRE_ANSWER:
        return &answer_shape;
    case WIRE_LOG:
        return &log_shape;
    case WIRE_STATE_ASK:
        return &state_ask_shape;
    case WIRE_STATE:
        return &state_shape;
    default:
        return NULL;
    }
}

void wire_format(struct buf *buf, const struct wire_message *message)
{
    const struct frame_shape *shape = wire_shape_of(message->type);

    assert(shape != NULL);
    frame_format(buf, message->type, shape, &message->open);
}

bool wire_measure(struct text bytes, size_t *out, struct err *err)
{
    return frame_measure(bytes, CODE_R0601, out, err);
}

bool wire_parse(struct arena *arena, struct text frame, struct wire_message *out, struct err *err)
{
    uint64_t type = 0;

    *out = (struct wire_message){ 0 };
    if (!frame_parse(arena, frame, wire_shape_of, CODE_R0601, &type, &out->open, err)) {
        return false;
    }
    out->type = (enum wire_type)type;
    return true;
}

bool wire_state_key_is_fit(struct text key)
{
    size_t part = 0; /* length of the current part, between two slashes */

    for (size_t i = 0; i < key.length; i++) {
        char byte = key.data[i];

        if (byte == '/') {
            if (part == 0) {
                return false;
            }
            part = 0;
        } else if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                   (byte >= 'A' && byte <= 'Z') || (byte != '\0' && strchr("-_:@", byte) != NULL) ||
                   (byte == '.' && part > 0)) {
            part++;
        } else {
            return false;
        }
    }
    return part > 0 && key.length <= LIMIT_PLUGIN_STATE_KEY_BYTES;
}
