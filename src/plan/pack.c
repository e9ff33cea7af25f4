#include "plan/pack.h"

#include "base/hex.h"
#include "base/macros.h"

#include <assert.h>
#include <string.h>

/* An item of any sort, all zero. */
union any {
    struct plan_world world;
    struct plan_source source;
    struct plan_choice choice;
    struct plan_group group;
    struct plan_record record;
    struct plan_row row;
    struct plan_quarantine quarantine;
    struct plan_limits limits;
    struct plan_action action;
    struct plan_hold hold;
};
static const union any nothing;

/* ---- shared by both directions ---- */

static bool pack_number_put(const struct plan_field *field, char *item, uint64_t number)
{
    uint32_t small = (uint32_t)number;

    if (field->bytes == sizeof(small)) {
        memcpy(item + field->offset, &small, sizeof(small));
        return number <= UINT32_MAX;
    }
    assert(field->bytes == sizeof(number));
    memcpy(item + field->offset, &number, sizeof(number));
    return true;
}

static const struct text *pack_text_at(const struct plan_field *field, const char *item)
{
    return (const struct text *)(const void *)(item + field->offset);
}

static const struct plan_seen *seen_at(const struct plan_field *field, const char *item)
{
    return (const struct plan_seen *)(const void *)(item + field->offset);
}

static size_t list_count(const struct plan_field *field, const char *item)
{
    return *(const size_t *)(const void *)(item + field->count_offset);
}

static const void *list_at(const struct plan_field *field, const char *item)
{
    return *(const void *const *)(const void *)(item + field->offset);
}

/* True if the texts are equal. The pointers are compared first, because most texts share their
 * bytes. */
static bool text_is_same(struct text a, struct text b)
{
    return a.length == b.length && (a.data == b.data || text_is_equal(a, b));
}

/* Maps a small difference of either sign to a small number. */
static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static uint64_t zagzig(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* ---- writing ---- */

void pack_init(struct pack *pack, struct arena *arena)
{
    buf_init(&pack->out, arena);
    pack->count = 0;
}

void pack_number(struct pack *pack, uint64_t number)
{
    char *room = buf_reserve(&pack->out, 10);
    size_t length = 0;

    while (number >= 0x80) {
        room[length++] = (char)(number | 0x80);
        number >>= 7;
    }
    room[length++] = (char)number;
    assert(length <= 10);
    pack->out.length += length;
}

/* Writes the length with a flag for packed hexadecimal, then the bytes. */
void pack_text(struct pack *pack, struct text text)
{
    bool is_packed = text.length >= 8 && hex_is(text);
    char *room;

    pack_number(pack, (uint64_t)text.length << 1 | is_packed);
    if (!is_packed) {
        buf_add(&pack->out, text);
        return;
    }
    room = buf_reserve(&pack->out, text.length / 2);
    hex_parse(text, room);
    pack->out.length += text.length / 2;
}

/* Writes a shared text. For a new text, writes 0 and the text. For a text that was already written,
 * writes its distance: how many shared texts ago. */
static void common_pack(struct pack *pack, struct text text)
{
    size_t known = pack->count < PACK_RECENT ? pack->count : PACK_RECENT;

    for (size_t ago = 1; ago <= known; ago++) {
        if (text_is_same(pack->recent[(pack->count - ago) % PACK_RECENT], text)) {
            pack_number(pack, ago);
            return;
        }
    }
    pack_number(pack, 0);
    pack_text(pack, text);
    pack->recent[pack->count++ % PACK_RECENT] = text;
}

static bool list_is_like(const struct plan_field *field, const char *item, const char *former);

static bool field_is_like(const struct plan_field *field, const char *item, const char *former)
{
    switch (field->shape) {
    case PLAN_SHAPE_TEXT:
    case PLAN_SHAPE_COMMON:
        return text_is_same(*pack_text_at(field, item), *pack_text_at(field, former));
    case PLAN_SHAPE_TEXTS:
    case PLAN_SHAPE_CHOICES:
        return list_is_like(field, item, former);
    case PLAN_SHAPE_SEEN: {
        const struct plan_seen *a = seen_at(field, item);
        const struct plan_seen *b = seen_at(field, former);

        return a->count == b->count && a->first_ms == b->first_ms && a->last_ms == b->last_ms;
    }
    case PLAN_SHAPE_FLAG:
    case PLAN_SHAPE_COUNT:
    case PLAN_SHAPE_NUMBER:
    case PLAN_SHAPE_TIME:
    case PLAN_SHAPE_SPAN:
    case PLAN_SHAPE_WORD:
    case PLAN_SHAPE_INDEX:
        break;
    }
    return field->bytes == sizeof(bool)
               ? item[field->offset] == former[field->offset]
               : plan_field_number(field, item) == plan_field_number(field, former);
}

static bool item_is_like(enum plan_sort sort, const void *item, const void *former)
{
    const struct plan_fields *fields = plan_fields(sort);

    for (size_t i = 0; i < fields->count; i++) {
        if (!field_is_like(&fields->items[i], item, former)) {
            return false;
        }
    }
    return true;
}

static bool list_is_like(const struct plan_field *field, const char *item, const char *former)
{
    size_t count = list_count(field, item);
    bool is_like = count == list_count(field, former);

    for (size_t i = 0; is_like && i < count; i++) {
        if (field->shape == PLAN_SHAPE_TEXTS) {
            const struct text *a = list_at(field, item);
            const struct text *b = list_at(field, former);

            is_like = text_is_equal(a[i], b[i]);
        } else {
            const struct plan_choice *a = list_at(field, item);
            const struct plan_choice *b = list_at(field, former);

            is_like = item_is_like(PLAN_SORT_CHOICE, &a[i], &b[i]);
        }
    }
    return is_like;
}

static void list_pack(struct pack *pack, const struct plan_field *field, const char *item)
{
    size_t count = list_count(field, item);

    pack_number(pack, count);
    for (size_t i = 0; i < count; i++) {
        if (field->shape == PLAN_SHAPE_TEXTS) {
            common_pack(pack, ((const struct text *)list_at(field, item))[i]);
        } else {
            const struct plan_choice *choices = list_at(field, item);

            pack_item(pack, PLAN_SORT_CHOICE, &choices[i], i == 0 ? NULL : &choices[i - 1]);
        }
    }
}

static void field_pack(struct pack *pack, const struct plan_field *field, const char *item,
                       const char *former)
{
    const struct plan_seen *seen;
    uint64_t number;

    switch (field->shape) {
    /* A flag takes no bytes: its bit in the mask means that the flag differs. */
    case PLAN_SHAPE_FLAG:
        break;
    case PLAN_SHAPE_COUNT:
    case PLAN_SHAPE_NUMBER:
    case PLAN_SHAPE_TIME:
    case PLAN_SHAPE_SPAN:
    case PLAN_SHAPE_INDEX:
        pack_number(pack,
                    zigzag(plan_field_number(field, item) - plan_field_number(field, former)));
        break;
    /* An enum value is written as text, because its number may differ between versions. */
    case PLAN_SHAPE_WORD:
        number = plan_field_number(field, item);
        assert(number < field->words->count);
        common_pack(pack, text_from(field->words->words[number]));
        break;
    case PLAN_SHAPE_TEXT:
        pack_text(pack, *pack_text_at(field, item));
        break;
    case PLAN_SHAPE_COMMON:
        common_pack(pack, *pack_text_at(field, item));
        break;
    case PLAN_SHAPE_SEEN:
        seen = seen_at(field, item);
        pack_number(pack, seen->count);
        pack_number(pack, seen->first_ms);
        pack_number(pack, zigzag(seen->last_ms - seen->first_ms));
        break;
    case PLAN_SHAPE_TEXTS:
    case PLAN_SHAPE_CHOICES:
        list_pack(pack, field, item);
        break;
    }
}

void pack_item(struct pack *pack, enum plan_sort sort, const void *item, const void *former)
{
    const struct plan_fields *fields = plan_fields(sort);
    uint64_t mask = 0;

    former = former == NULL ? &nothing : former;
    for (size_t i = 0; i < fields->count; i++) {
        if (!field_is_like(&fields->items[i], item, former)) {
            mask |= (uint64_t)1 << i;
        }
    }
    pack_number(pack, mask);
    for (size_t i = 0; i < fields->count; i++) {
        if ((mask >> i & 1) != 0) {
            field_pack(pack, &fields->items[i], item, former);
        }
    }
}

/* ---- reading ---- */

void unpack_init(struct unpack *unpack, struct arena *arena, struct text bytes)
{
    *unpack = (struct unpack){ .arena = arena, .rest = bytes };
}

static void pack_fail(struct unpack *unpack)
{
    unpack->is_bad = true;
    unpack->rest = TEXT("");
}

uint64_t unpack_number(struct unpack *unpack)
{
    uint64_t number = 0;

    for (size_t i = 0; i < 10 && i < unpack->rest.length; i++) {
        uint64_t byte = (unsigned char)unpack->rest.data[i];

        if (i == 9 && byte > 1) {
            break;
        }
        number |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            unpack->rest = text_slice(unpack->rest, i + 1, unpack->rest.length);
            return number;
        }
    }
    pack_fail(unpack);
    return 0;
}

size_t unpack_count(struct unpack *unpack)
{
    uint64_t count = unpack_number(unpack);

    if (count > unpack->rest.length) {
        pack_fail(unpack);
        return 0;
    }
    return (size_t)count;
}

static struct text pack_take(struct unpack *unpack, uint64_t length)
{
    struct text text = TEXT("");

    if (length > unpack->rest.length) {
        pack_fail(unpack);
        return text;
    }
    text = text_slice(unpack->rest, 0, (size_t)length);
    unpack->rest = text_slice(unpack->rest, (size_t)length, unpack->rest.length);
    return text;
}

struct text unpack_text(struct unpack *unpack)
{
    uint64_t head = unpack_number(unpack);
    uint64_t length = head >> 1;
    struct text packed;

    if ((head & 1) == 0) {
        return pack_take(unpack, length);
    }
    packed = pack_take(unpack, length / 2);
    if (length % 2 != 0 || unpack->is_bad) {
        pack_fail(unpack);
        return TEXT("");
    }
    return hex_format(unpack->arena, packed);
}

static struct text common_unpack(struct unpack *unpack)
{
    uint64_t ago = unpack_number(unpack);
    size_t known = unpack->count < PACK_RECENT ? unpack->count : PACK_RECENT;
    struct text text;

    if (ago > known) {
        pack_fail(unpack);
        return TEXT("");
    }
    if (ago > 0) {
        return unpack->recent[(unpack->count - ago) % PACK_RECENT];
    }
    text = unpack_text(unpack);
    unpack->recent[unpack->count++ % PACK_RECENT] = text;
    return text;
}

static void unpack_word(struct unpack *unpack, const struct plan_field *field, char *out)
{
    struct text word = common_unpack(unpack);

    for (size_t i = 0; i < field->words->count; i++) {
        if (text_is(word, field->words->words[i])) {
            (void)pack_number_put(field, out, i);
            return;
        }
    }
    pack_fail(unpack);
}

static void list_unpack(struct unpack *unpack, const struct plan_field *field, char *out)
{
    size_t count = unpack_count(unpack);
    const void *items;

    if (field->shape == PLAN_SHAPE_TEXTS) {
        struct text *texts = arena_array(unpack->arena, struct text, count);

        for (size_t i = 0; i < count; i++) {
            texts[i] = common_unpack(unpack);
        }
        items = texts;
    } else {
        struct plan_choice *choices = arena_array(unpack->arena, struct plan_choice, count);

        for (size_t i = 0; i < count; i++) {
            unpack_item(unpack, PLAN_SORT_CHOICE, &choices[i], i == 0 ? NULL : &choices[i - 1]);
        }
        items = choices;
    }
    count = unpack->is_bad ? 0 : count;
    memcpy(out + field->offset, &items, sizeof(items));
    memcpy(out + field->count_offset, &count, sizeof(count));
}

static void seen_unpack(struct unpack *unpack, const struct plan_field *field, char *out)
{
    struct plan_seen seen = { 0 };
    uint64_t count = unpack_number(unpack);

    seen.count = (uint32_t)count;
    seen.first_ms = unpack_number(unpack);
    seen.last_ms = seen.first_ms + zagzig(unpack_number(unpack));
    if (count > UINT32_MAX) {
        pack_fail(unpack);
    }
    memcpy(out + field->offset, &seen, sizeof(seen));
}

static void field_unpack(struct unpack *unpack, const struct plan_field *field, char *out)
{
    bool *flag = (bool *)(void *)(out + field->offset);
    struct text text;

    switch (field->shape) {
    case PLAN_SHAPE_FLAG:
        *flag = !*flag;
        break;
    case PLAN_SHAPE_COUNT:
    case PLAN_SHAPE_NUMBER:
    case PLAN_SHAPE_TIME:
    case PLAN_SHAPE_SPAN:
    case PLAN_SHAPE_INDEX:
        if (!pack_number_put(field, out,
                             plan_field_number(field, out) + zagzig(unpack_number(unpack)))) {
            pack_fail(unpack);
        }
        break;
    case PLAN_SHAPE_WORD:
        unpack_word(unpack, field, out);
        break;
    case PLAN_SHAPE_TEXT:
    case PLAN_SHAPE_COMMON:
        text = field->shape == PLAN_SHAPE_TEXT ? unpack_text(unpack) : common_unpack(unpack);
        memcpy(out + field->offset, &text, sizeof(text));
        break;
    case PLAN_SHAPE_SEEN:
        seen_unpack(unpack, field, out);
        break;
    case PLAN_SHAPE_TEXTS:
    case PLAN_SHAPE_CHOICES:
        list_unpack(unpack, field, out);
        break;
    }
}

/* If a difference takes a 32-bit number below zero, it wraps around in 64 bits; pack_number_put()
 * detects that. */
void unpack_item(struct unpack *unpack, enum plan_sort sort, void *out, const void *former)
{
    const struct plan_fields *fields = plan_fields(sort);
    uint64_t mask = unpack_number(unpack);

    memcpy(out, former == NULL ? &nothing : former, fields->bytes);
    if (fields->count < PLAN_FIELDS_MAX && mask >> fields->count != 0) {
        /* A later version wrote this value. */
        pack_fail(unpack);
        return;
    }
    for (size_t i = 0; i < fields->count && !unpack->is_bad; i++) {
        if ((mask >> i & 1) != 0) {
            field_unpack(unpack, &fields->items[i], out);
        }
    }
}
