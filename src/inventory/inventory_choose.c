#include "codec/doc_child.h"
#include "codec/json.h"
#include "codec/json_member.h"
#include "inventory/rivals.h"
#include "inventory/traits.h"
#include "state/objects.h"

#include <stdio.h>

/* public names start with: choose_ inventory_ */

/* Chooses the inventory row for a member.
 *
 * Rows that an operator has reserved for the group come first. Other rows are allocated only with
 * autoCommission: they must be discovered, unallocated and unchanged for a minute, and match the
 * group's selector. They must also be approved, or be listed (`listed`), or be in a network (a
 * CIDR) that was approved in advance. */

/* True if the JSON of a row has this key. Most examined rows lack it, so this check avoids parsing
 * them. */
static bool choose_has(const struct cache_object *object, const char *member)
{
    struct text value;

    return object->parts[CACHE_BASE].bytes != NULL &&
           json_member_find(blob_text(object->parts[CACHE_BASE].bytes), text_from(member), &value);
}

enum { CHOOSE_NAME_BYTES = 256 };

/* ---- pins ---- */

static bool choose_has_pin(const struct doc *member)
{
    return doc_child_text(member, "serial").length + doc_child_text(member, "mac").length +
               doc_child_text(member, "hostKey").length >
           0;
}

/* True if the pins of a slot select this row. */
static bool choose_is_pinned(struct arena *arena, const struct doc *member,
                             const struct discovered *row)
{
    struct text serial = doc_child_text(member, "serial");
    struct text mac = doc_child_text(member, "mac");
    struct text key = doc_child_text(member, "hostKey");
    bool has_mac = mac.length == 0;

    for (size_t i = 0; i < row->mac_count; i++) {
        has_mac = has_mac || text_is_equal(row->macs[i], mac);
    }
    return choose_has_pin(member) && has_mac &&
           (serial.length == 0 || text_is_equal(row->serial, serial)) &&
           (key.length == 0 || text_is_equal(row->host_key, key) ||
            text_is_equal(discovered_fingerprint(arena, row), key));
}

/* True if no pin excludes the row for the member: neither the member's own pin nor the pin of
 * another slot. */
static bool choose_pins_permit(struct arena *arena, const struct inventory_wanted *wanted,
                               const struct discovered *row, bool *out_is_listed)
{
    const struct doc *members = wanted->members;

    *out_is_listed = false;
    for (size_t i = 0; doc_is_map(members) && i < members->entry_count; i++) {
        const struct doc *member = &members->entries[i].value;
        bool is_own = text_is_equal(members->entries[i].key, wanted->name);
        bool is_pinned = choose_is_pinned(arena, member, row);

        if (is_own ? choose_has_pin(member) && !is_pinned : is_pinned) {
            return false;
        }
        *out_is_listed = *out_is_listed || (is_own && is_pinned);
    }
    return true;
}

/* ---- fitting machines ---- */

static bool choose_is_in(struct text address, struct text cidr)
{
    size_t slash = text_find_byte(cidr, '/');
    uint32_t network;
    uint32_t own;
    uint32_t mask;
    int64_t bits;

    if (slash == SIZE_MAX || !text_parse_int64(text_slice(cidr, slash + 1, SIZE_MAX), &bits) ||
        bits < 0 || bits > 32 || !text_parse_v4(text_slice(cidr, 0, slash), &network) ||
        !text_parse_v4(address, &own)) {
        return false;
    }
    mask = bits == 0 ? 0 : UINT32_MAX << (32 - bits);
    return (network & mask) == (own & mask);
}

static bool choose_matches(struct arena *arena, const struct discovered *row, struct text match)
{
    struct selector selector;
    struct err err;

    return match.length == 0 || (selector_parse(arena, match, &selector, &err) &&
                                 traits_row_matches(arena, row, &selector));
}

static bool choose_is_fit(struct arena *arena, const struct inventory_wanted *wanted,
                          const struct discovered *row)
{
    static const enum lifecycle_condition against[] = {
        LIFECYCLE_CONDITION_FAILED,      LIFECYCLE_CONDITION_CLEANUP_PENDING,
        LIFECYCLE_CONDITION_DUPLICATE,   LIFECYCLE_CONDITION_FLAPPING,
        LIFECYCLE_CONDITION_QUARANTINED,
    };
    int64_t steady_ms = INVENTORY_STEADY_MS / wanted->times;
    bool is_listed;

    if (row->approved_by.length > 0 && !discovered_is_approved(row)) {
        /* a different host key was approved before, so only an operator may approve this key */
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(against); i++) {
        if (row->conditions[against[i]].since_ms > 0) {
            return false;
        }
    }
    if ((row->netboot.boot.length > 0) != (wanted->image.length > 0)) {
        return false;
    }
    if (row->status != LIFECYCLE_STATUS_UNALLOCATED || row->claim.token.length > 0 ||
        row->reserved.cluster.length > 0 || row->is_ignored || row->cleanup.since_ms > 0 ||
        row->state != LIFECYCLE_STATE_DISCOVERED || row->host_key.length == 0 ||
        wanted->now_ms - row->state_since_ms < steady_ms ||
        !choose_pins_permit(arena, wanted, row, &is_listed)) {
        return false;
    }
    if (text_is(wanted->automatic, "listed") ? !is_listed && !discovered_is_approved(row)
                                             : !choose_is_in(row->address, wanted->automatic)) {
        return false;
    }
    if (choose_matches(arena, row, wanted->match)) {
        return true;
    }
    if (row->read_ms == 0 && wanted->facts_ask != NULL) {
        wanted->facts_ask(wanted->facts_arg, row->id);
    }
    return false;
}

/* ---- the choice ---- */

static bool is_reserved_for(const struct discovered *row, const struct inventory_wanted *wanted)
{
    return row->claim.token.length == 0 && row->cleanup.since_ms == 0 &&
           text_is_equal(row->reserved.cluster, wanted->cluster) &&
           text_is_equal(row->reserved.group, wanted->group);
}

/* True if the first row is preferred to the second. */
static bool choose_is_before(const struct discovered *a, const struct discovered *b)
{
    if ((a->reserved.cluster.length > 0) != (b->reserved.cluster.length > 0)) {
        return a->reserved.cluster.length > 0;
    }
    return a->reserved.at_ms != b->reserved.at_ms ? a->reserved.at_ms < b->reserved.at_ms
                                                  : text_compare(a->name, b->name) < 0;
}

/* Names of machines that are reserved for the group or match it, but cannot be allocated. Empty:
 * there are none. */
struct choose_refused {
    struct text away;
    struct text unapproved;
    struct text unfit; /* It has no system, and the group no image, or the reverse. */
    /* A machine that another group would take as well, and that group, CLUSTER/GROUP. */
    char contested[CHOOSE_NAME_BYTES];
    struct text rival;
};

/* A reserved row is claimed while the machine is reachable and presents the host key that an
 * operator has approved (I27). If it cannot be claimed, *refused gets the reason. */
static bool choose_is_ready(const struct inventory_wanted *wanted, const struct discovered *row,
                            struct choose_refused *refused)
{
    if (row->state != LIFECYCLE_STATE_DISCOVERED) {
        refused->away = row->name;
        return false;
    }
    if (row->reserved.cluster.length > 0 && !discovered_is_approved(row)) {
        refused->unapproved = row->name;
        return false;
    }
    if ((row->netboot.boot.length > 0) != (wanted->image.length > 0) && !row->reserved.is_adopted) {
        refused->unfit = row->name;
        return false;
    }
    return true;
}

/* True if another group could allocate the row automatically too, and no pin assigns it to this
 * member (C18). */
static bool choose_is_contested(struct arena *arena, const struct inventory_wanted *wanted,
                                const struct rivals *rivals, const struct discovered *row,
                                struct choose_refused *refused)
{
    bool is_listed;

    if (!choose_pins_permit(arena, wanted, row, &is_listed) || is_listed) {
        return false;
    }
    for (size_t i = 0; i < rivals->count; i++) {
        if (choose_is_fit(arena, &rivals->items[i], row)) {
            /* copied, because the memory of the row is freed during the search */
            snprintf(refused->contested, sizeof(refused->contested), "%.*s", TEXT_ARG(row->name));
            refused->rival = rivals->items[i].name;
            return true;
        }
    }
    return false;
}

static struct text choose_why(struct arena *arena, const struct cache *cache, struct text tenant,
                              const struct inventory_wanted *wanted,
                              const struct choose_refused *refused)
{
    struct text cluster = objects_cluster_name(cache, arena, tenant, wanted->cluster);
    bool is_automatic = wanted->automatic.length > 0 && !text_is(wanted->automatic, "off");

    if (refused->unapproved.length > 0) {
        return arena_printf(arena,
                            "machine %.*s of the inventory is reserved for group %.*s, but "
                            "its host key is not approved: reeve discover approve "
                            "%.*s=FINGERPRINT",
                            TEXT_ARG(refused->unapproved), TEXT_ARG(wanted->group),
                            TEXT_ARG(refused->unapproved));
    }
    if (refused->away.length > 0) {
        return arena_printf(arena,
                            "machine %.*s of the inventory is reserved for group %.*s, but "
                            "has disappeared",
                            TEXT_ARG(refused->away), TEXT_ARG(wanted->group));
    }
    if (refused->unfit.length > 0) {
        return arena_printf(
            arena,
            wanted->image.length > 0
                ? "machine %.*s of the inventory is reserved for group %.*s, which "
                  "installs an image: start the machine from the network"
                : "machine %.*s of the inventory has booted from the network and has "
                  "no system, and group %.*s names no `image`",
            TEXT_ARG(refused->unfit), TEXT_ARG(wanted->group));
    }
    if (refused->rival.length > 0) {
        return arena_printf(arena,
                            "machine %s of the inventory fits group %.*s/%.*s and group %.*s, so "
                            "neither takes it: make their `match` exclude each other, or reeve "
                            "commission NODE -g %.*s/%.*s",
                            refused->contested, TEXT_ARG(cluster), TEXT_ARG(wanted->group),
                            TEXT_ARG(refused->rival), TEXT_ARG(cluster), TEXT_ARG(wanted->group));
    }
    return arena_printf(
        arena,
        "no machine of the inventory is reserved for group %.*s%s%.*s%s%.*s: reeve commission "
        "NODE -g %.*s/%.*s reserves one",
        TEXT_ARG(wanted->group), is_automatic ? ", and none that waits fits autoCommission " : "",
        TEXT_ARG(is_automatic ? wanted->automatic : TEXT("")),
        is_automatic && wanted->match.length > 0 ? " with match " : "",
        TEXT_ARG(is_automatic ? wanted->match : TEXT("")), TEXT_ARG(cluster),
        TEXT_ARG(wanted->group));
}

bool inventory_choose(struct arena *arena, const struct cache *cache, struct text tenant,
                      const struct fleet *fleet, const struct inventory_wanted *wanted,
                      struct discovered *out, uint64_t *out_revision, struct text *out_why)
{
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));
    bool is_automatic = wanted->automatic.length > 0 && !text_is(wanted->automatic, "off");
    struct rivals rivals =
        is_automatic ? rivals_read(arena, fleet, tenant, wanted) : (struct rivals){ 0 };
    struct choose_refused refused = { 0 };
    bool is_found = false;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        bool is_reserved = choose_has(object, "reserved");
        struct discovered row;
        bool is_listed;

        if ((!is_reserved && (!is_automatic || choose_has(object, "claim"))) ||
            !discovered_read(arena, object, &row) ||
            !(is_reserved ? is_reserved_for(&row, wanted) &&
                                choose_pins_permit(arena, wanted, &row, &is_listed)
                          : choose_is_fit(arena, wanted, &row) &&
                                !choose_is_contested(arena, wanted, &rivals, &row, &refused))) {
            arena_rewind(arena, mark);
            continue;
        }
        if (choose_is_ready(wanted, &row, &refused) && (!is_found || choose_is_before(&row, out))) {
            *out = row;
            *out_revision = object->parts[CACHE_BASE].revision;
            is_found = true;
        }
    }
    if (!is_found) {
        *out_why = choose_why(arena, cache, tenant, wanted, &refused);
    }
    return is_found;
}

static void choose_install_read(struct arena *arena, const struct doc *install,
                                struct inventory_wanted *out)
{
    const struct doc *disks = doc_child(install, "disks");
    const struct doc *arguments = doc_child(install, "kernelArgs");
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; doc_is_list(arguments) && i < arguments->item_count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : " ", TEXT_ARG(arguments->items[i].text));
    }
    out->arguments = buf_text(&buf);
    if (doc_is_list(disks) && disks->item_count > 0) {
        out->disk = doc_child_text(&disks->items[0], "match");
    }
}

void inventory_wanted_read(struct arena *arena, struct text more, struct inventory_wanted *out,
                           struct text *out_user)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    *out_user = TEXT("");
    if (more.length > 0 && json_parse(arena, more, NULL, doc, &err)) {
        out->automatic = doc_child_text(doc, "autoCommission");
        out->match = doc_child_text(doc, "match");
        out->members = doc_child(doc, "members");
        *out_user = doc_child_text(doc, "user");
        out->image = doc_child_text(doc, "image");
        out->is_wiped = text_is(doc_child_text(doc_child(doc, "decommission"), "wipe"), "quick");
        out->is_switched_off =
            text_is(doc_child_text(doc_child(doc, "decommission"), "power"), "off");
        choose_install_read(arena, doc_child(doc, "install"), out);
    }
}
