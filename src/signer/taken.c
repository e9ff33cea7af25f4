#include "signer/taken.h"

#include "base/limits.h"
#include "signer/book.h"

#include <assert.h>

struct taken *taken_new(void)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct taken *taken = arena_one(arena, struct taken);

    taken->arena = arena;
    map_init(&taken->ids, arena);
    map_init(&taken->keys, arena);
    return taken;
}

void taken_free(struct taken *taken)
{
    if (taken != NULL) {
        arena_free(taken->arena);
    }
}

MUST_CHECK static bool taken_entry_count(struct taken *taken, struct err *err)
{
    return ++taken->count <= LIMIT_SIGNER_REVOKED ||
           err_set(err, CODE_R0747, "the revocation list would have more than %d entries",
                   LIMIT_SIGNER_REVOKED);
}

MUST_CHECK static bool entry_refuse(const char *what, struct text entry, struct err *err)
{
    return err_set(err, CODE_R0746, "%s that cannot be revoked: '%.*s'", what,
                   TEXT_ARG(text_slice(entry, 0, 64)));
}

/* Reads a serial number: a decimal number above 0 of at most 64 bits. */
static bool serial_parse(struct text text, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < text.length; i++) {
        unsigned digit = (unsigned)text.data[i] - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return value > 0;
}

MUST_CHECK static bool taken_serials_add(struct taken *taken, const struct wire_list *list,
                                         struct err *err)
{
    size_t bytes = sizeof(*taken->serials);

    taken->serials = arena_grow(taken->arena, taken->serials, taken->serial_count * bytes,
                                (taken->serial_count + list->count) * bytes);
    for (size_t i = 0; i < list->count; i++) {
        struct text entry = *wire_item(*list, struct text, i);
        size_t dash = text_find_byte(entry, '-');
        struct ssh_serials *range = &taken->serials[taken->serial_count];

        if (!serial_parse(text_slice(entry, 0, dash), &range->first)) {
            return entry_refuse("a number", entry, err);
        }
        range->last = range->first;
        if (dash != SIZE_MAX &&
            (!serial_parse(text_slice(entry, dash + 1, entry.length), &range->last) ||
             range->last < range->first)) {
            return entry_refuse("a number", entry, err);
        }
        taken->serial_count++;
        if (!taken_entry_count(taken, err)) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool taken_ids_add(struct taken *taken, const struct wire_list *list,
                                     struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct text id = *wire_item(*list, struct text, i);

        if (!book_is_word(id, LIMIT_SIGNER_FIELD_BYTES)) {
            return entry_refuse("an id", id, err);
        }
        if (map_find(&taken->ids, id) == NULL) {
            (void)map_put(&taken->ids, arena_text(taken->arena, id), taken);
            if (!taken_entry_count(taken, err)) {
                return false;
            }
        }
    }
    return true;
}

MUST_CHECK static bool taken_keys_add(struct taken *taken, const struct wire_list *list,
                                      struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct text comment;
        struct ssh_key key;
        struct text bytes = { (const char *)key.bytes, SSH_KEY_BYTES };

        if (!ssh_key_parse(*wire_item(*list, struct text, i), &key, &comment, err)) {
            return false;
        }
        if (map_find(&taken->keys, bytes) == NULL) {
            (void)map_put(&taken->keys, arena_text(taken->arena, bytes), taken);
            if (!taken_entry_count(taken, err)) {
                return false;
            }
        }
    }
    return true;
}

bool taken_add(struct taken *taken, const struct sign_ask *ask, struct err *err)
{
    return taken_serials_add(taken, &ask->serials, err) && taken_ids_add(taken, &ask->names, err) &&
           taken_keys_add(taken, &ask->keys, err);
}

bool taken_has(const struct taken *taken, const struct ssh_key *key, struct text id)
{
    return taken != NULL && (map_find(&taken->ids, id) != NULL ||
                             map_find(&taken->keys, (struct text){ (const char *)key->bytes,
                                                                   SSH_KEY_BYTES }) != NULL);
}

/* ---- the list ---- */

static const struct text *ids_list(struct arena *arena, const struct taken *taken)
{
    struct text *ids = arena_array(arena, struct text, taken->ids.count);
    size_t count = 0;

    for (const struct map_node *node = map_first(&taken->ids, TEXT("")); node != NULL;
         node = map_after(&taken->ids, node->key)) {
        ids[count++] = node->key;
    }
    return ids;
}

static const struct ssh_key *keys_list(struct arena *arena, const struct taken *taken)
{
    struct ssh_key *keys = arena_array(arena, struct ssh_key, taken->keys.count);
    size_t count = 0;

    for (const struct map_node *node = map_first(&taken->keys, TEXT("")); node != NULL;
         node = map_after(&taken->keys, node->key)) {
        memcpy(keys[count++].bytes, node->key.data, SSH_KEY_BYTES);
    }
    return keys;
}

bool taken_list(struct arena *arena, const struct taken *taken, const struct ring *ring,
                uint64_t version, uint64_t now_s, struct text *out, struct err *err)
{
    struct ssh_krl_part parts[RING_KINDS * RING_SLOTS];
    struct ssh_krl krl = { .version = version, .at_s = now_s, .parts = parts };
    const struct text *ids = ids_list(arena, taken);
    struct text bytes;

    for (int kind = SSH_CERT_USER; kind <= SSH_CERT_HOST; kind++) {
        struct ssh_key trusted[RING_SLOTS];
        size_t count = ring_trusted(ring, (enum ssh_cert_kind)kind, trusted);

        for (size_t i = 0; i < count; i++) {
            parts[krl.part_count++] = (struct ssh_krl_part){ .authority = trusted[i],
                                                             .serials = taken->serials,
                                                             .serial_count = taken->serial_count,
                                                             .ids = ids,
                                                             .id_count = taken->ids.count };
        }
    }
    krl.keys = keys_list(arena, taken);
    krl.key_count = taken->keys.count;
    if (krl.part_count * (1 + taken->serial_count + taken->ids.count) + krl.key_count >
        LIMIT_KRL_ENTRIES) {
        return err_set(err, CODE_R0747, "the revocation list would have more than %d entries",
                       LIMIT_KRL_ENTRIES);
    }
    bytes = ssh_krl_format(arena, &krl);
    if (bytes.length > LIMIT_SIGNER_KRL_BYTES) {
        return err_set(err, CODE_R0747, "the revocation list would have %zu bytes; %d are allowed",
                       bytes.length, LIMIT_SIGNER_KRL_BYTES);
    }
    *out = bytes;
    return true;
}
