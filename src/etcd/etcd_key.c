#include "etcd/etcd_key.h"

#include "base/buf.h"
#include "base/limits.h"
#include "store/checksum.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum { NUMBER_BYTES = 8, LENGTH_BYTES = 2, SECTION_BYTES = 1, FLAG_BYTES = 1, INDEX_BYTES = 1 };

/* ---- numbers whose byte order is their numeric order ---- */

static void etcd_key_number_add(struct buf *buf, uint64_t number)
{
    uint64_t bytes = htobe64(number);

    buf_add(buf, (struct text){ (const char *)&bytes, sizeof(bytes) });
}

/* Reads a number from the front of the text and removes it. Returns false if the text is too
 * short. */
MUST_CHECK static bool etcd_key_number_take(struct text *rest, uint64_t *out)
{
    uint64_t bytes;

    if (rest->length < sizeof(bytes)) {
        return false;
    }
    memcpy(&bytes, rest->data, sizeof(bytes));
    *rest = text_slice(*rest, sizeof(bytes), rest->length);
    *out = be64toh(bytes);
    return true;
}

MUST_CHECK static bool etcd_key_byte_take(struct text *rest, unsigned *out)
{
    if (rest->length == 0) {
        return false;
    }
    *out = (unsigned char)rest->data[0];
    *rest = text_slice(*rest, 1, rest->length);
    return true;
}

/* Appends a text, preceded by its length, because other data follows it. */
static void counted_add(struct buf *buf, struct text text)
{
    assert(text.length <= UINT16_MAX);
    buf_add_bytes(buf, (char)(text.length >> 8), 1);
    buf_add_bytes(buf, (char)text.length, 1);
    buf_add(buf, text);
}

MUST_CHECK static bool counted_take(struct text *rest, struct text *out)
{
    unsigned high;
    unsigned low;

    if (!etcd_key_byte_take(rest, &high) || !etcd_key_byte_take(rest, &low) ||
        rest->length < (high << 8 | low)) {
        return false;
    }
    *out = text_slice(*rest, 0, high << 8 | low);
    *rest = text_slice(*rest, out->length, rest->length);
    return true;
}

/* ---- keys ---- */

struct text etcd_key_full(struct arena *arena, struct text prefix, enum etcd_section section,
                          struct text name)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add(&buf, prefix);
    buf_add_bytes(&buf, (char)section, SECTION_BYTES);
    buf_add(&buf, name);
    return buf_text(&buf);
}

bool etcd_key_name(struct text prefix, enum etcd_section section, struct text full,
                   struct text *out)
{
    if (!text_has_prefix(full, prefix) || full.length < prefix.length + SECTION_BYTES ||
        full.data[prefix.length] != (char)section) {
        return false;
    }
    *out = text_slice(full, prefix.length + SECTION_BYTES, full.length);
    return true;
}

struct text etcd_key_end(struct arena *arena, struct text begin)
{
    struct text end = arena_text(arena, begin);
    char *bytes = (char *)end.data; /* the text is in the arena and may be changed */

    while (end.length > 0 && (unsigned char)bytes[end.length - 1] == UINT8_MAX) {
        end.length--;
    }
    assert(end.length > 0); /* true: a prefix ends in '/', so the increment always succeeds */
    bytes[end.length - 1] = (char)((unsigned char)bytes[end.length - 1] + 1);
    return end;
}

bool etcd_key_has_history(struct text key)
{
    return text_has_suffix(key, TEXT("/spec"));
}

/* ---- values ---- */

static uint64_t value_checksum(enum etcd_section section, struct text name, struct text payload)
{
    return checksum_text(payload, checksum_text(name, checksum_number(section, 0)));
}

struct text etcd_value_pack(struct arena *arena, enum etcd_section section, struct text name,
                            struct text payload)
{
    struct buf buf;

    buf_init(&buf, arena);
    (void)buf_reserve(&buf, NUMBER_BYTES + payload.length);
    etcd_key_number_add(&buf, value_checksum(section, name, payload));
    buf_add(&buf, payload);
    return buf_text(&buf);
}

bool etcd_value_unpack(enum etcd_section section, struct text name, struct text value,
                       struct text *out)
{
    uint64_t checksum;

    if (!etcd_key_number_take(&value, &checksum) ||
        checksum != value_checksum(section, name, value)) {
        return false;
    }
    *out = value;
    return true;
}

/* ---- copied values ---- */

struct text etcd_copied_pack(struct arena *arena, enum etcd_section section, struct text name,
                             const struct etcd_copied *copied, struct text payload)
{
    struct buf whole;
    struct buf buf;

    /* the checksum covers the revisions too */
    buf_init(&whole, arena);
    etcd_key_number_add(&whole, copied->revision);
    etcd_key_number_add(&whole, copied->created);
    buf_add(&whole, payload);
    buf_init(&buf, arena);
    etcd_key_number_add(&buf, copied->revision);
    buf_add(&buf, etcd_value_pack(arena, section, name, buf_text(&whole)));
    return buf_text(&buf);
}

bool etcd_copied_unpack(enum etcd_section section, struct text name, struct text value,
                        struct etcd_copied *out, struct text *payload)
{
    uint64_t revision;

    return etcd_key_number_take(&value, &revision) &&
           etcd_value_unpack(section, name, value, payload) &&
           etcd_key_number_take(payload, &out->revision) &&
           etcd_key_number_take(payload, &out->created) && out->revision == revision &&
           out->created <= out->revision;
}

void etcd_copied_bounds(struct arena *arena, uint64_t revision, struct text *above,
                        struct text *below)
{
    struct buf first;
    struct buf last;

    buf_init(&first, arena);
    buf_init(&last, arena);
    etcd_key_number_add(&first, revision);
    etcd_key_number_add(&last, revision + 1);
    *above = buf_text(&first);
    *below = buf_text(&last);
}

/* ---- events ---- */

struct text etcd_event_name_pack(struct arena *arena, const struct etcd_event_name *name)
{
    struct buf buf;

    assert(name->index <= UINT8_MAX);
    buf_init(&buf, arena);
    counted_add(&buf, name->cluster);
    etcd_key_number_add(&buf, name->number);
    etcd_key_number_add(&buf, name->time_ms);
    buf_add_bytes(&buf, (char)name->index, INDEX_BYTES);
    return buf_text(&buf);
}

bool etcd_event_name_unpack(struct text name, struct etcd_event_name *out)
{
    return counted_take(&name, &out->cluster) && etcd_key_number_take(&name, &out->number) &&
           etcd_key_number_take(&name, &out->time_ms) && etcd_key_byte_take(&name, &out->index) &&
           name.length == 0;
}

struct text etcd_event_name_from(struct arena *arena, struct text cluster, uint64_t number)
{
    struct buf buf;

    buf_init(&buf, arena);
    counted_add(&buf, cluster);
    if (number > 0) {
        etcd_key_number_add(&buf, number);
    }
    return buf_text(&buf);
}

/* ---- counters and versions ---- */

struct text etcd_counter_pack(struct arena *arena, const struct etcd_counter *counter)
{
    struct buf buf;

    buf_init(&buf, arena);
    etcd_key_number_add(&buf, counter->number);
    etcd_key_number_add(&buf, counter->created);
    buf_add_bytes(&buf, counter->is_deleted, FLAG_BYTES);
    return buf_text(&buf);
}

bool etcd_counter_unpack(struct text payload, struct etcd_counter *out)
{
    unsigned is_deleted;

    if (!etcd_key_number_take(&payload, &out->number) ||
        !etcd_key_number_take(&payload, &out->created) ||
        !etcd_key_byte_take(&payload, &is_deleted)) {
        return false;
    }
    out->is_deleted = is_deleted != 0;
    return payload.length == 0;
}

struct text etcd_counter_name(struct arena *arena, enum etcd_counts counts, struct text name)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_bytes(&buf, (char)counts, 1);
    buf_add(&buf, name);
    return buf_text(&buf);
}

struct text etcd_version_name(struct arena *arena, struct text key, uint64_t number)
{
    struct buf buf;

    buf_init(&buf, arena);
    counted_add(&buf, key);
    buf_add_bytes(&buf, (char)(number % LIMIT_STORE_HISTORY), 1);
    return buf_text(&buf);
}

bool etcd_version_name_unpack(struct text name, struct text *out_key)
{
    unsigned slot;

    return counted_take(&name, out_key) && etcd_key_byte_take(&name, &slot) && name.length == 0;
}

struct text etcd_version_names(struct arena *arena, struct text key)
{
    struct buf buf;

    buf_init(&buf, arena);
    counted_add(&buf, key);
    return buf_text(&buf);
}

struct text etcd_version_pack(struct arena *arena, const struct etcd_counter *counter,
                              struct text value)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_add(&buf, etcd_counter_pack(arena, counter));
    buf_add(&buf, value);
    return buf_text(&buf);
}

bool etcd_version_unpack(struct text payload, struct etcd_counter *out, struct text *value)
{
    enum { COUNTER_BYTES = 2 * NUMBER_BYTES + FLAG_BYTES };

    if (payload.length < COUNTER_BYTES ||
        !etcd_counter_unpack(text_slice(payload, 0, COUNTER_BYTES), out)) {
        return false;
    }
    *value = text_slice(payload, COUNTER_BYTES, payload.length);
    return true;
}

/* ---- the store ---- */

struct text etcd_meta_pack(struct arena *arena, const struct etcd_meta *meta)
{
    struct buf buf;

    buf_init(&buf, arena);
    etcd_key_number_add(&buf, meta->format);
    buf_add(&buf, (struct text){ (const char *)meta->incarnation, sizeof(meta->incarnation) });
    if (meta->format >= ETCD_META_FORMAT) {
        buf_add_bytes(&buf, (char)meta->state, FLAG_BYTES);
        buf_add(&buf, (struct text){ (const char *)meta->move, sizeof(meta->move) });
        etcd_key_number_add(&buf, meta->base);
        etcd_key_number_add(&buf, meta->copied);
        counted_add(&buf, meta->place);
    }
    return buf_text(&buf);
}

MUST_CHECK static bool etcd_meta_more_unpack(struct text payload, struct etcd_meta *out)
{
    unsigned state;

    if (!etcd_key_byte_take(&payload, &state) || state >= ETCD_META_STATES ||
        payload.length < sizeof(out->move)) {
        return false;
    }
    out->state = (enum etcd_meta_state)state;
    memcpy(out->move, payload.data, sizeof(out->move));
    payload = text_slice(payload, sizeof(out->move), payload.length);
    return etcd_key_number_take(&payload, &out->base) &&
           etcd_key_number_take(&payload, &out->copied) && counted_take(&payload, &out->place);
}

bool etcd_meta_unpack(struct text payload, struct etcd_meta *out)
{
    if (!etcd_key_number_take(&payload, &out->format) ||
        payload.length < sizeof(out->incarnation)) {
        return false; /* data of a newer format may follow the known fields */
    }
    memcpy(out->incarnation, payload.data, sizeof(out->incarnation));
    payload = text_slice(payload, sizeof(out->incarnation), payload.length);
    return out->format < ETCD_META_FORMAT || etcd_meta_more_unpack(payload, out);
}
