#include "base/macros.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "inventory/observer_parts.h"

/* public names start with: observer_ */

/* Finds machines with the same identity. Either they were created from one image, or a machine
 * moved to another address while its previous row still counts as present. */

/* ---- identities ---- */

static char observer_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_observer_same_text(struct text a, struct text b)
{
    bool is_same = a.length == b.length;

    for (size_t i = 0; is_same && i < a.length; i++) {
        is_same = observer_lower(a.data[i]) == observer_lower(b.data[i]);
    }
    return is_same;
}

/* True if a serial number or UUID does not identify a machine, because manufacturers use it for
 * many machines. */
static bool is_observer_worthless(struct text value)
{
    static const char *const many[] = { "1234567890", "0123456789",     "To be filled by O.E.M.",
                                        "None",       "Default string", "System Serial Number",
                                        "N/A",        "Not Specified" };
    char first = 0;
    bool is_one = true; /* all its letters and digits are the same digit, or all are F */

    for (size_t i = 0; i < value.length; i++) {
        char byte = observer_lower(value.data[i]);

        if (byte != '-') {
            first = first == 0 ? byte : first;
            is_one = is_one && byte == first && ((byte >= '0' && byte <= '9') || byte == 'f');
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(many); i++) {
        is_one = is_one || is_observer_same_text(value, text_from(many[i]));
    }
    return is_one;
}

void observer_identity_take(struct arena *arena, struct text tags, struct discovered *row)
{
    struct doc map;
    struct err err;

    if (tags.length == 0 || !json_parse(arena, tags, NULL, &map, &err)) {
        return;
    }
    observer_identity_set(doc_child_text(&map, "NodeSerial"), doc_child_text(&map, "NodeUUID"),
                          row);
}

void observer_identity_set(struct text serial, struct text uuid, struct discovered *row)
{
    serial = text_trim(serial);
    uuid = text_trim(uuid);
    if (!is_observer_worthless(serial)) {
        row->serial = serial;
    }
    if (!is_observer_worthless(uuid)) {
        row->uuid = uuid;
    }
}

/* True if two rows have the same value of an identity. */
static bool is_observer_twin(enum observer_identity identity, const struct discovered *row,
                             const struct discovered *other)
{
    switch (identity) {
    case OBSERVER_BY_KEY:
        return row->host_key.length > 0 && text_is_equal(row->host_key, other->host_key);
    case OBSERVER_BY_SERIAL:
        return row->serial.length > 0 && text_is_equal(row->serial, other->serial) &&
               (row->uuid.length == 0 || other->uuid.length == 0 ||
                is_observer_same_text(row->uuid, other->uuid));
    case OBSERVER_BY_UUID:
        return row->uuid.length > 0 && is_observer_same_text(row->uuid, other->uuid) &&
               (row->serial.length == 0 || other->serial.length == 0 ||
                text_is_equal(row->serial, other->serial));
    case OBSERVER_IDENTITY_COUNT:
        break;
    }
    return false;
}

/* ---- duplicates ---- */

/* Returns the common prefix, up to the id, of the index keys of all rows that share an identity
 * with this row. */
static struct text observer_known_prefix(struct arena *arena, const struct observer_row *row,
                                         enum observer_identity identity)
{
    return arena_printf(arena, "%.*s/%016llx/", TEXT_ARG(row->tenant->name),
                        (unsigned long long)row->identities[identity]);
}

/* True if the machine of a row is reachable, or is or was a member. A second row for that machine
 * is then a duplicate. */
static bool is_observer_in_use(const struct discovered *row)
{
    return row->state == LIFECYCLE_STATE_DISCOVERED || row->claim.token.length > 0 ||
           row->reserved.cluster.length > 0 || row->cleanup.since_ms > 0;
}

/* Find another row that shares an identity with this one; with is_in_use only a row that is in
 * use. */
static bool observer_twin_find(const struct observer_row *row, struct arena *arena,
                               const struct discovered *stored, enum observer_identity identity,
                               bool is_in_use, struct discovered *out)
{
    const struct map *known = &row->observer->known;
    struct text prefix = observer_known_prefix(arena, row, identity);
    uint64_t revision;

    for (const struct map_node *node = map_first(known, prefix);
         row->identities[identity] != 0 && node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(known, node->key)) {
        const struct observer_row *other = node->value;

        if (other != row && observer_row_read(arena, other, out, &revision) &&
            is_observer_twin(identity, stored, out) && (!is_in_use || is_observer_in_use(out))) {
            return true;
        }
    }
    return false;
}

const char *observer_twin_lay(struct arena *arena, const struct observer_row *row,
                              struct discovered *stored, struct text *out_fact)
{
    static const char *const names[] = {
        [OBSERVER_BY_KEY] = "host key",
        [OBSERVER_BY_SERIAL] = "serial number",
        [OBSERVER_BY_UUID] = "product UUID",
    };
    struct discovered_mark *duplicate = &stored->conditions[LIFECYCLE_CONDITION_DUPLICATE];
    const struct observer *observer = row->observer;
    bool is_marked = duplicate->since_ms > 0;
    struct discovered twin;

    for (enum observer_identity i = 0; i < OBSERVER_IDENTITY_COUNT; i++) {
        if ((!is_marked && stored->state != LIFECYCLE_STATE_DISCOVERED) ||
            !observer_twin_find(row, arena, stored, i, !is_marked, &twin)) {
            continue;
        }
        if (is_marked) {
            return NULL;
        }
        *out_fact = arena_printf(arena, "%.*s (%.*s) at %.*s has the same %s", TEXT_ARG(twin.name),
                                 TEXT_ARG(twin.id), TEXT_ARG(twin.address), names[i]);
        *duplicate =
            (struct discovered_mark){ observer->options.wall_ms(observer->options.arg), *out_fact };
        return "node.duplicate";
    }
    if (is_marked) {
        *out_fact =
            TEXT("no other machine has the same host key, serial number or product UUID now");
        *duplicate = (struct discovered_mark){ 0 };
        return "node.unique";
    }
    return NULL;
}

/* ---- the index ---- */

static void observer_known_wait(const struct observer_row *row, enum observer_identity identity)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct map *known = &row->observer->known;
    struct text prefix = observer_known_prefix(arena, row, identity);

    for (const struct map_node *node = map_first(known, prefix);
         row->identities[identity] != 0 && node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(known, node->key)) {
        observer_row_wait(node->value, 0);
    }
}

static void observer_known_index(struct observer_row *row, enum observer_identity identity,
                                 uint64_t hash)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct map *known = &row->observer->known;

    if (hash == row->identities[identity]) {
        return;
    }
    if (row->identities[identity] != 0) {
        map_remove(known, arena_printf(arena, "%.*s%.*s",
                                       TEXT_ARG(observer_known_prefix(arena, row, identity)),
                                       TEXT_ARG(row->id)));
        observer_known_wait(row, identity);
    }
    row->identities[identity] = hash;
    if (hash != 0) {
        map_put(known,
                arena_printf(known->arena, "%.*s%.*s",
                             TEXT_ARG(observer_known_prefix(arena, row, identity)),
                             TEXT_ARG(row->id)),
                row);
        observer_known_wait(row, identity);
    }
}

/* Returns a hash of an identity, never 0. Equal values of different kinds of identities have
 * different hashes. */
static uint64_t observer_identity_hash(enum observer_identity identity, struct text value)
{
    return value.length == 0 ? 0 : text_hash(value, (uint64_t)identity + 1) | 1;
}

void observer_identity_index(struct observer_row *row, const struct discovered *stored)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    char *uuid = arena_string(arena, stored->uuid);

    for (char *at = uuid; *at != '\0'; at++) {
        *at = observer_lower(*at);
    }
    observer_known_index(row, OBSERVER_BY_KEY,
                         observer_identity_hash(OBSERVER_BY_KEY, stored->host_key));
    observer_known_index(row, OBSERVER_BY_SERIAL,
                         observer_identity_hash(OBSERVER_BY_SERIAL, stored->serial));
    observer_known_index(row, OBSERVER_BY_UUID,
                         observer_identity_hash(OBSERVER_BY_UUID, text_from(uuid)));
}

void observer_identity_remove(struct observer_row *row)
{
    for (enum observer_identity i = 0; i < OBSERVER_IDENTITY_COUNT; i++) {
        observer_known_index(row, i, 0);
    }
}

void observer_twins_wait(const struct observer_row *row)
{
    for (enum observer_identity i = 0; i < OBSERVER_IDENTITY_COUNT; i++) {
        observer_known_wait(row, i);
    }
}
