#include "membership/serf_frame.h"

#include "base/limits.h"
#include "codec/msgpack.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

static const char *const COMMAND_NAMES[] = {
    [SERF_COMMAND_HANDSHAKE] = "handshake", [SERF_COMMAND_AUTH] = "auth",
    [SERF_COMMAND_STATS] = "stats",         [SERF_COMMAND_STREAM] = "stream",
    [SERF_COMMAND_MEMBERS] = "members",
};

static const char *const EVENT_NAMES[] = {
    [MEMBERSHIP_JOIN] = "member-join",      [MEMBERSHIP_FAILED] = "member-failed",
    [MEMBERSHIP_LEFT] = "member-leave",     [MEMBERSHIP_REAPED] = "member-reap",
    [MEMBERSHIP_UPDATED] = "member-update",
};

void serf_request_add(struct buf *buf, enum serf_command command, struct text key)
{
    assert(command < SERF_COMMAND_COUNT);
    msgpack_add_map(buf, 2);
    msgpack_add_text(buf, TEXT("Command"));
    msgpack_add_text(buf, text_from(COMMAND_NAMES[command]));
    msgpack_add_text(buf, TEXT("Seq"));
    msgpack_add_natural(buf, command);
    switch (command) {
    case SERF_COMMAND_HANDSHAKE:
        msgpack_add_map(buf, 1);
        msgpack_add_text(buf, TEXT("Version"));
        msgpack_add_natural(buf, 1);
        break;
    case SERF_COMMAND_AUTH:
        msgpack_add_map(buf, 1);
        msgpack_add_text(buf, TEXT("AuthKey"));
        msgpack_add_text(buf, key);
        break;
    case SERF_COMMAND_STREAM:
        msgpack_add_map(buf, 1);
        msgpack_add_text(buf, TEXT("Type"));
        msgpack_add_text(buf, TEXT("*"));
        break;
    case SERF_COMMAND_STATS:
    case SERF_COMMAND_MEMBERS:
    case SERF_COMMAND_COUNT:
        break;
    }
}

/* ---- the ends of items ---- */

enum { INVALID_HEAD = 0xc1 }; /* the only first byte that MessagePack does not define */

enum serf_scan_end serf_scan_next(struct serf_scan *scan, struct text bytes, size_t max_bytes)
{
    if (!scan->is_started) {
        scan->is_started = true;
        scan->items = 1;
    }
    while (scan->items > 0) {
        struct text rest = text_slice(bytes, scan->at, bytes.length);
        struct msgpack_reader reader = msgpack_read(rest);
        const unsigned char *first = reader.at;
        struct msgpack_item item;
        size_t more;

        if (!msgpack_next(&reader, &item)) {
            if (rest.length >= max_bytes ||
                (rest.length > 0 && (unsigned char)rest.data[0] == INVALID_HEAD)) {
                return SERF_SCAN_INVALID;
            }
            return bytes.length > max_bytes ? SERF_SCAN_INVALID : SERF_SCAN_PARTIAL;
        }
        more = item.kind == MSGPACK_LIST  ? item.count
               : item.kind == MSGPACK_MAP ? 2 * item.count
                                          : 0;
        scan->at += (size_t)(reader.at - first);
        scan->items--;
        /* Each item has at least one byte, so a count above the number of bytes is invalid. */
        if (scan->at > max_bytes || more > max_bytes - scan->at ||
            scan->items > max_bytes - scan->at - more) {
            return SERF_SCAN_INVALID;
        }
        scan->items += more;
    }
    scan->is_started = false;
    return SERF_SCAN_COMPLETE;
}

/* ---- headers ---- */

/* Reads the key of the next pair of a map. A key that is not a text counts as an empty one. */
MUST_CHECK static bool serf_key_next(struct msgpack_reader *reader, struct text *out)
{
    struct msgpack_reader before = *reader;
    struct msgpack_item item;

    if (!msgpack_next(reader, &item)) {
        return false;
    }
    *out = item.bytes;
    if (item.kind != MSGPACK_TEXT && item.kind != MSGPACK_BINARY) {
        *out = TEXT("");
        *reader = before;
        return msgpack_pass(reader);
    }
    return true;
}

/* Reads a value that should be a text. Another value is skipped and counts as an empty text. */
MUST_CHECK static bool serf_text_next(struct msgpack_reader *reader, struct text *out)
{
    return serf_key_next(reader, out);
}

MUST_CHECK static bool serf_map_next(struct msgpack_reader *reader, size_t *out)
{
    struct msgpack_item item;

    if (!msgpack_next(reader, &item) || item.kind != MSGPACK_MAP) {
        return false;
    }
    *out = item.count;
    return true;
}

bool serf_header_read(struct text item, struct serf_header *out)
{
    struct msgpack_reader reader = msgpack_read(item);
    bool has_number = false;
    size_t pairs;

    *out = (struct serf_header){ 0 };
    if (!serf_map_next(&reader, &pairs)) {
        return false;
    }
    for (; pairs > 0; pairs--) {
        struct text key;
        struct msgpack_item number;

        if (!serf_key_next(&reader, &key)) {
            return false;
        }
        if (text_is(key, "Error")) {
            if (!serf_text_next(&reader, &out->error)) {
                return false;
            }
        } else if (text_is(key, "Seq")) {
            if (!msgpack_next(&reader, &number) || number.kind != MSGPACK_NATURAL ||
                number.natural >= SERF_COMMAND_COUNT) {
                return false;
            }
            out->command = (enum serf_command)number.natural;
            has_number = true;
        } else if (!msgpack_pass(&reader)) {
            return false;
        }
    }
    return has_number;
}

bool serf_has_body(const struct serf_header *header, bool is_answered)
{
    if (header->error.length > 0) {
        return false;
    }
    return header->command == SERF_COMMAND_STATS || header->command == SERF_COMMAND_MEMBERS ||
           (header->command == SERF_COMMAND_STREAM && is_answered);
}

/* ---- members ---- */

/* Memory that must be left before a small allocation. */
enum { SERF_ARENA_SPARE = 4096 };

/* True if a text can be a name or a tag of a record. */
static bool is_usable(struct text text, size_t max_bytes)
{
    if (text.length > max_bytes || text_find_bad_utf8(text) != SIZE_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

/* The address has 4 or 16 raw bytes. Older agents send an IPv4 address as a mapped IPv6 address. */
static struct text serf_address(struct arena *arena, struct text raw)
{
    static const unsigned char MAPPED[12] = { [10] = 0xff, [11] = 0xff };
    char text[INET6_ADDRSTRLEN];
    bool is_mapped = raw.length == 16 && memcmp(raw.data, MAPPED, sizeof(MAPPED)) == 0;

    if (raw.length != 4 && raw.length != 16) {
        return TEXT("");
    }
    if (inet_ntop(raw.length == 4 || is_mapped ? AF_INET : AF_INET6,
                  is_mapped ? raw.data + sizeof(MAPPED) : raw.data, text, sizeof(text)) == NULL) {
        return TEXT("");
    }
    return arena_text(arena, text_from(text));
}

static enum membership_status serf_status(struct text status)
{
    return text_is(status, "alive")    ? MEMBERSHIP_ALIVE
           : text_is(status, "left")   ? MEMBERSHIP_GONE_LEFT
           : text_is(status, "failed") ? MEMBERSHIP_GONE_FAILED
                                       : MEMBERSHIP_STATUS_UNKNOWN;
}

MUST_CHECK static bool serf_tags_next(struct arena *arena, struct msgpack_reader *reader,
                                      struct wire_list *out, size_t *skipped)
{
    struct msgpack_reader before = *reader;
    struct msgpack_item item;
    struct wire_pair *pairs;
    size_t room;

    if (!msgpack_next(reader, &item)) {
        return false;
    }
    if (item.kind != MSGPACK_MAP) { /* an agent without tags sends nil */
        *reader = before;
        return msgpack_pass(reader);
    }
    room = item.count < LIMIT_SERF_TAGS ? item.count : LIMIT_SERF_TAGS;
    if (arena_left(arena) < SERF_ARENA_SPARE + room * sizeof(*pairs)) {
        return false;
    }
    pairs = arena_array(arena, struct wire_pair, room);
    *out = (struct wire_list){ .items = pairs };
    for (size_t i = 0; i < item.count; i++) {
        struct wire_pair pair;

        if (!serf_key_next(reader, &pair.name) || !serf_text_next(reader, &pair.value)) {
            return false;
        }
        if (out->count == LIMIT_SERF_TAGS || pair.name.length == 0 ||
            !is_usable(pair.name, LIMIT_SERF_TEXT_BYTES) ||
            !is_usable(pair.value, LIMIT_SERF_TEXT_BYTES)) {
            (*skipped)++;
            continue;
        }
        pairs[out->count++] = pair;
    }
    return true;
}

MUST_CHECK static bool serf_member_next(struct arena *arena, struct msgpack_reader *reader,
                                        struct membership_member *out, size_t *skipped)
{
    struct text value;
    size_t pairs;

    *out = (struct membership_member){ .status = MEMBERSHIP_STATUS_UNKNOWN };
    if (!serf_map_next(reader, &pairs)) {
        return false;
    }
    for (; pairs > 0; pairs--) {
        struct text key;
        bool is_read;

        if (!serf_key_next(reader, &key) || arena_left(arena) < SERF_ARENA_SPARE) {
            return false;
        }
        if (text_is(key, "Name")) {
            is_read = serf_text_next(reader, &out->name);
        } else if (text_is(key, "Addr")) {
            is_read = serf_text_next(reader, &value);
            out->address = is_read ? serf_address(arena, value) : TEXT("");
        } else if (text_is(key, "Status")) {
            is_read = serf_text_next(reader, &value);
            out->status = is_read ? serf_status(value) : MEMBERSHIP_STATUS_UNKNOWN;
        } else if (text_is(key, "Tags")) {
            is_read = serf_tags_next(arena, reader, &out->tags, skipped);
        } else {
            is_read = msgpack_pass(reader);
        }
        if (!is_read) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool serf_list_read(struct arena *arena, struct msgpack_reader *reader,
                                      struct membership_report *out, size_t *skipped)
{
    struct msgpack_reader before = *reader;
    struct msgpack_item item;
    struct membership_member *members;

    if (!msgpack_next(reader, &item)) {
        return false;
    }
    if (item.kind == MSGPACK_NIL) { /* an empty list */
        return true;
    }
    if (item.kind != MSGPACK_LIST || item.count > LIMIT_SERF_MEMBERS ||
        arena_left(arena) < SERF_ARENA_SPARE + item.count * sizeof(*members)) {
        *reader = before;
        return false;
    }
    members = arena_array(arena, struct membership_member, item.count);
    out->members = members;
    for (size_t i = 0; i < item.count; i++) {
        struct membership_member *member = &members[out->count];

        if (!serf_member_next(arena, reader, member, skipped)) {
            return false;
        }
        if (member->name.length == 0 || !is_usable(member->name, LIMIT_SERF_NAME_BYTES)) {
            (*skipped)++;
            continue;
        }
        out->count++;
    }
    return true;
}

static enum membership_change serf_change(struct text event)
{
    for (size_t i = 0; i < ARRAY_COUNT(EVENT_NAMES); i++) {
        if (EVENT_NAMES[i] != NULL && text_is(event, EVENT_NAMES[i])) {
            return (enum membership_change)i;
        }
    }
    return MEMBERSHIP_CHANGE_COUNT;
}

bool serf_members_read(struct arena *arena, struct text item, bool is_event,
                       struct membership_report *out, size_t *skipped)
{
    struct msgpack_reader reader = msgpack_read(item);
    bool has_list = false;
    size_t pairs;

    *skipped = 0;
    *out = (struct membership_report){ .change = is_event ? MEMBERSHIP_CHANGE_COUNT
                                                          : MEMBERSHIP_SNAPSHOT };
    if (!serf_map_next(&reader, &pairs)) {
        return false;
    }
    for (; pairs > 0; pairs--) {
        struct text key;
        struct text event;
        bool is_read;

        if (!serf_key_next(&reader, &key)) {
            return false;
        }
        if (text_is(key, "Members") && !has_list) {
            has_list = true;
            is_read = serf_list_read(arena, &reader, out, skipped);
        } else if (is_event && text_is(key, "Event")) {
            is_read = serf_text_next(&reader, &event);
            out->change = is_read ? serf_change(event) : MEMBERSHIP_CHANGE_COUNT;
        } else {
            is_read = msgpack_pass(&reader);
        }
        if (!is_read) {
            return false;
        }
    }
    if (is_event && out->change == MEMBERSHIP_CHANGE_COUNT) {
        out->count = 0;
    }
    return has_list || (is_event && out->change == MEMBERSHIP_CHANGE_COUNT);
}

struct text serf_own_read(struct text item)
{
    struct msgpack_reader reader = msgpack_read(item);
    struct text own = TEXT("");
    size_t pairs;

    if (!serf_map_next(&reader, &pairs)) {
        return own;
    }
    for (; pairs > 0; pairs--) {
        struct text key;
        size_t values;

        if (!serf_key_next(&reader, &key)) {
            return TEXT("");
        }
        if (!text_is(key, "agent")) {
            if (!msgpack_pass(&reader)) {
                return TEXT("");
            }
            continue;
        }
        if (!serf_map_next(&reader, &values)) {
            return TEXT("");
        }
        for (; values > 0; values--) {
            struct text value;

            if (!serf_key_next(&reader, &key) || !serf_text_next(&reader, &value)) {
                return TEXT("");
            }
            if (text_is(key, "name") && is_usable(value, LIMIT_SERF_NAME_BYTES)) {
                own = value;
            }
        }
    }
    return own;
}
