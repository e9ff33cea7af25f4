#include "base/limits.h"
#include "ssh/bytes.h"
#include "ssh/krl.h"
#include "ssh/krl_parts.h"

#include <assert.h>

/* public names start with: ssh_ */

/* The state of a reader. All arrays grow in the arena, with one limit for their total number of
 * entries. */
struct reading {
    struct arena *arena;
    struct ssh_krl_part *parts;
    size_t part_count;
    struct ssh_key *keys;
    size_t key_count;
    size_t entries;
    const char *why; /* reason of a failure */
};

/* The arrays of the current authority. */
struct part_reading {
    struct ssh_serials *serials;
    size_t serial_count;
    struct text *ids;
    size_t id_count;
};

static bool krl_read_refuse(struct reading *reading, const char *why)
{
    reading->why = why;
    return false;
}

static bool damaged(struct reading *reading)
{
    return krl_read_refuse(reading, "it is damaged");
}

static bool krl_read_entry_count(struct reading *reading)
{
    return ++reading->entries <= LIMIT_KRL_ENTRIES || krl_read_refuse(reading, "it is too large");
}

/* Reserves space for one more item. If `count` is a power of two, the array is full, and its size
 * is doubled. */
static void *list_grow(struct arena *arena, void *list, size_t count, size_t item_bytes)
{
    if (count != 0 && (count & (count - 1)) != 0) {
        return list;
    }
    return arena_grow(arena, list, count * item_bytes, (count == 0 ? 1 : count * 2) * item_bytes);
}

/* ---- of one authority ---- */

static bool range_add(struct reading *reading, struct part_reading *part, uint64_t first,
                      uint64_t last)
{
    if (first == 0 || first > last) {
        return damaged(reading);
    }
    if (part->serial_count > 0 && part->serials[part->serial_count - 1].last + 1 == first) {
        part->serials[part->serial_count - 1].last = last;
        return true;
    }
    if (!krl_read_entry_count(reading)) {
        return false;
    }
    part->serials =
        list_grow(reading->arena, part->serials, part->serial_count, sizeof(*part->serials));
    part->serials[part->serial_count++] = (struct ssh_serials){ first, last };
    return true;
}

static bool serials_take(struct reading *reading, struct part_reading *part, struct text rest)
{
    uint64_t serial;

    while (rest.length > 0) {
        if (!ssh_take_u64(&rest, &serial)) {
            return damaged(reading);
        }
        if (!range_add(reading, part, serial, serial)) {
            return false;
        }
    }
    return true;
}

static bool span_take(struct reading *reading, struct part_reading *part, struct text rest)
{
    uint64_t first;
    uint64_t last;

    if (!ssh_take_u64(&rest, &first) || !ssh_take_u64(&rest, &last) || rest.length > 0) {
        return damaged(reading);
    }
    return range_add(reading, part, first, last);
}

/* Reads the form in which ssh-keygen writes dense numbers. Bit i, counted from the lowest bit of
 * the last byte, means the number offset + i. */
static bool bitmap_take(struct reading *reading, struct part_reading *part, struct text rest)
{
    uint64_t offset;
    struct text bits;

    if (!ssh_take_u64(&rest, &offset) || !ssh_take_string(&rest, &bits) || rest.length > 0 ||
        bits.length > LIMIT_KRL_BITMAP_BYTES || offset > UINT64_MAX - bits.length * 8) {
        return damaged(reading);
    }
    for (size_t i = 0; i < bits.length * 8; i++) {
        unsigned byte = (unsigned char)bits.data[bits.length - 1 - i / 8];

        if ((byte >> i % 8 & 1) != 0 && !range_add(reading, part, offset + i, offset + i)) {
            return false;
        }
    }
    return true;
}

static bool ids_take(struct reading *reading, struct part_reading *part, struct text rest)
{
    struct text id;

    while (rest.length > 0) {
        if (!ssh_take_string(&rest, &id) || id.length == 0) {
            return damaged(reading);
        }
        if (!krl_read_entry_count(reading)) {
            return false;
        }
        part->ids = list_grow(reading->arena, part->ids, part->id_count, sizeof(*part->ids));
        part->ids[part->id_count++] = id;
    }
    return true;
}

static bool krl_read_piece_take(struct reading *reading, struct part_reading *part, uint8_t type,
                                struct text body)
{
    switch (type) {
    case KRL_SERIALS:
        return serials_take(reading, part, body);
    case KRL_RANGE:
        return span_take(reading, part, body);
    case KRL_BITMAP:
        return bitmap_take(reading, part, body);
    case KRL_IDS:
        return ids_take(reading, part, body);
    default:
        return krl_read_refuse(reading, "a section for an authority has an unknown kind");
    }
}

static bool part_take(struct reading *reading, struct text rest)
{
    struct part_reading part = { 0 };
    struct ssh_key authority;
    struct text reserved;
    struct text packed;
    struct text body;
    uint8_t type;

    if (!ssh_take_string(&rest, &packed) || !ssh_take_string(&rest, &reserved)) {
        return damaged(reading);
    }
    if (!ssh_key_take(&packed, &authority) || packed.length > 0) {
        return krl_read_refuse(reading,
                               "it contains no authority, or one with a different kind of key");
    }
    while (rest.length > 0) {
        if (!ssh_take_byte(&rest, &type) || !ssh_take_string(&rest, &body)) {
            return damaged(reading);
        }
        if (!krl_read_piece_take(reading, &part, type, body)) {
            return false;
        }
    }
    if (!krl_read_entry_count(reading)) { /* an empty array also needs memory, so it counts as an
                                           * entry */
        return false;
    }
    reading->parts =
        list_grow(reading->arena, reading->parts, reading->part_count, sizeof(*reading->parts));
    reading->parts[reading->part_count++] = (struct ssh_krl_part){
        .authority = authority,
        .serials = part.serials,
        .serial_count = part.serial_count,
        .ids = part.ids,
        .id_count = part.id_count,
    };
    return true;
}

/* ---- the list ---- */

static bool krl_read_keys_take(struct reading *reading, struct text rest)
{
    struct ssh_key key;
    struct text packed;

    while (rest.length > 0) {
        if (!ssh_take_string(&rest, &packed)) {
            return damaged(reading);
        }
        if (!ssh_key_take(&packed, &key) || packed.length > 0) {
            return krl_read_refuse(reading, "it has keys of a different kind");
        }
        if (!krl_read_entry_count(reading)) {
            return false;
        }
        reading->keys =
            list_grow(reading->arena, reading->keys, reading->key_count, sizeof(*reading->keys));
        reading->keys[reading->key_count++] = key;
    }
    return true;
}

static bool sections_take(struct reading *reading, struct text rest)
{
    struct text body;
    uint8_t type;

    while (rest.length > 0) {
        if (!ssh_take_byte(&rest, &type) || !ssh_take_string(&rest, &body)) {
            return damaged(reading);
        }
        if (type == KRL_CERTIFICATES) {
            if (!part_take(reading, body)) {
                return false;
            }
        } else if (type != KRL_KEYS) {
            return krl_read_refuse(reading,
                                   "it has digests of keys, signatures or unknown content");
        } else if (!krl_read_keys_take(reading, body)) {
            return false;
        }
    }
    return true;
}

static bool krl_read_head_take(struct reading *reading, struct text *rest, struct ssh_krl *out)
{
    struct text reserved;
    uint32_t format;
    uint64_t flags;

    if (!text_has_prefix(*rest, (struct text){ KRL_MAGIC, sizeof(KRL_MAGIC) })) {
        return krl_read_refuse(reading, "it is not a revocation list");
    }
    *rest = text_slice(*rest, sizeof(KRL_MAGIC), rest->length);
    if (!ssh_take_u32(rest, &format)) {
        return damaged(reading);
    }
    if (format != KRL_FORMAT) {
        return krl_read_refuse(reading, "its format is newer than reeve");
    }
    return (ssh_take_u64(rest, &out->version) && ssh_take_u64(rest, &out->at_s) &&
            ssh_take_u64(rest, &flags) && ssh_take_string(rest, &reserved) &&
            ssh_take_string(rest, &out->comment)) ||
           damaged(reading);
}

bool ssh_krl_parse(struct arena *arena, struct text bytes, struct ssh_krl *out, struct err *err)
{
    struct reading reading = { .arena = arena };
    struct ssh_krl krl = { 0 };
    struct text rest = bytes;

    if (bytes.length > LIMIT_KRL_BYTES) {
        (void)krl_read_refuse(&reading, "it is too large");
    } else if (krl_read_head_take(&reading, &rest, &krl) && sections_take(&reading, rest)) {
        krl.parts = reading.parts;
        krl.part_count = reading.part_count;
        krl.keys = reading.keys;
        krl.key_count = reading.key_count;
        *out = krl;
        return true;
    }
    return err_set(err, CODE_R0743, "the revocation list cannot be read: %s", reading.why);
}
