#include "access/authority_parts.h"
#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "state/revoked.h"

#include <string.h>

/* public names start with: authority_ authorities_ */

/* Revocation lists of authorities. The store has an entry for each destroyed machine
 * (state/revoked.h). The manager sends the entries to the signer, which builds the list for the
 * machines. The revision of the latest entry identifies the list. So the list is the same for every
 * manager, and the expiry of an entry does not create a new list.
 *
 * Failures: if the signer is not available, the machines keep the previous list, and no certificate
 * is issued, because the signer needs the current list first. If there are more entries than a list
 * can hold, the oldest are left out, which is logged. */

enum { PART = 1000 }; /* entries per request */

/* Bytes of a revoked id in the list for each trusted authority key, and bytes of a revoked public
 * key. */
enum { ID_BYTES = 4, KEY_BYTES = 56, LIST_ROOM = LIMIT_SIGNER_KRL_BYTES - 65536 };

/* ---- entries ---- */

struct entry {
    struct revoked revoked;
    uint64_t revision;
};

static struct text authority_list_prefix_of(struct arena *arena, const struct authority *one)
{
    return arena_printf(arena, "/%.*s/" REVOKED_KIND "/%.*s/", TEXT_ARG(authority_tenant(one)),
                        TEXT_ARG(authority_id(one)));
}

/* Returns the revision of the newest entry; 0: there are no entries. */
static uint64_t list_revision(struct authority *one)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct cache *cache = one->all->options.cache;
    struct text prefix = authority_list_prefix_of(arena, one);

    if (one->is_list_read) {
        return one->list_revision;
    }
    one->list_revision = 0;
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        const struct cache_bytes *base = &object->parts[CACHE_BASE];

        if (base->bytes != NULL && base->revision > one->list_revision) {
            one->list_revision = base->revision;
        }
    }
    /* without a watch, the entries are read each time */
    one->is_list_read = one->all->revoked_watch != NULL;
    return one->list_revision;
}

static int authority_list_newest_first(const void *a, const void *b, void *arg)
{
    const struct entry *left = a;
    const struct entry *right = b;

    (void)arg;
    return left->revision < right->revision ? 1 : left->revision > right->revision ? -1 : 0;
}

static struct entry *authority_list_entries_read(struct arena *arena, const struct authority *one,
                                                 size_t *out_count)
{
    struct cache *cache = one->all->options.cache;
    struct text prefix = authority_list_prefix_of(arena, one);
    struct entry *entries;
    size_t room = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        room++;
    }
    entries = arena_array(arena, struct entry, room + 1);
    *out_count = 0;
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct entry *entry = &entries[*out_count];
        struct err err;

        if (base->bytes != NULL && revoked_parse(arena, arena_text(arena, blob_text(base->bytes)),
                                                 &entry->revoked, &err)) {
            entry->revision = base->revision;
            ++*out_count;
        }
    }
    sort_stable(arena, entries, *out_count, sizeof(*entries), authority_list_newest_first, NULL);
    return entries;
}

/* ---- the list ---- */

/* The request to the signer. */
struct list {
    struct text *ids;
    size_t id_count;
    struct text *keys;
    size_t key_count;
    size_t left_out; /* number of machines left out */
};

/* Fills the list, newest entries first: ids of certificates and, as far as there is room, their
 * keys. */
static void list_fill(struct arena *arena, const struct entry *entries, size_t count,
                      struct list *out)
{
    const size_t slots = (size_t)RING_KINDS * RING_SLOTS;
    size_t bytes = 0;
    size_t taken = 0;

    *out = (struct list){
        .ids = arena_array(arena, struct text, count + 1),
        .keys = arena_array(arena, struct text, count * REVOKED_KEYS + 1),
    };
    for (; taken < count; taken++) {
        size_t more = slots * (entries[taken].revoked.id.length + ID_BYTES);

        if (bytes + more > LIST_ROOM || (taken + 1) * slots > LIMIT_KRL_ENTRIES / 2) {
            break;
        }
        bytes += more;
        out->ids[out->id_count++] = entries[taken].revoked.id;
    }
    out->left_out = count - taken;
    for (size_t i = 0; i < taken; i++) {
        for (size_t k = 0; k < REVOKED_KEYS; k++) {
            struct text key = entries[i].revoked.keys[k];

            if (key.length > 0 && bytes + KEY_BYTES <= LIST_ROOM &&
                out->id_count + out->key_count < LIMIT_SIGNER_REVOKED) {
                bytes += KEY_BYTES;
                out->keys[out->key_count++] = key;
            }
        }
    }
}

static void list_reported(void *arg, enum outcome outcome, const struct sign_reply *reported,
                          const struct err *err)
{
    struct authority *one = arg;

    one->is_listing = false;
    if (one->all->is_closed) {
        return;
    }
    if (outcome != OUTCOME_OK) {
        one->list_given = 0;
        authority_failed(one, err);
        return;
    }
    arena_clear(one->list_memory);
    one->list = arena_text(one->list_memory, reported->krl);
    one->list_known = one->list_given;
    if (one->list_known != list_revision(one)) { /* an entry was added while the signer built the
                                                  * list */
        authority_load(one);
        return;
    }
    one->failures = 0;
    log_info(one->all->options.log, "authority", "revoked", log_text("cluster", one->cluster),
             log_int("list", (int64_t)one->list_known),
             log_int("bytes", (int64_t)one->list.length));
    one->all->options.listed(one->all->options.arg, one->cluster);
}

static void part_reported(void *arg, enum outcome outcome, const struct sign_reply *reported,
                          const struct err *err)
{
    (void)arg;
    (void)outcome;
    (void)reported;
    (void)err; /* the reply to the last part has the result of all parts */
}

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sends the list to the signer in parts that fit into a frame, ids first. */
static void list_ask(struct authority *one, const struct list *list, uint64_t revision)
{
    size_t all = list->id_count + list->key_count;

    for (size_t at = 0; at < all;) {
        bool is_of_ids = at < list->id_count;
        size_t first = is_of_ids ? at : at - list->id_count;
        size_t count = less(PART, (is_of_ids ? list->id_count : list->key_count) - first);
        struct sign_ask ask = { .method = SIGN_REVOKE,
                                .authority = one->cluster,
                                .who = TEXT("reeved"),
                                .version = revision };
        bool is_last = at + count == all;

        if (is_of_ids) {
            ask.names = (struct wire_list){ &list->ids[first], count };
        } else {
            ask.keys = (struct wire_list){ &list->keys[first], count };
        }
        ask.is_more = is_last ? 0 : 1;
        signer_ask(one->all->signer, &ask, is_last ? list_reported : part_reported, one);
        at += count;
    }
}

void authority_list_give(struct authority *one)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    uint64_t revision = list_revision(one);
    struct list list;
    struct entry *entries;
    size_t count;

    if (revision == 0 || one->list_given == revision || one->is_listing) {
        return;
    }
    entries = authority_list_entries_read(arena, one, &count);
    list_fill(arena, entries, count, &list);
    if (list.id_count == 0) {
        one->list_known = revision; /* no entry can be parsed, so the list is empty */
        arena_clear(one->list_memory);
        one->list = TEXT("");
        return;
    }
    if (list.left_out > 0) {
        log_error(one->all->options.log, "authority", "list_full",
                  log_text("cluster", one->cluster), log_int("left_out", (int64_t)list.left_out),
                  log_string("means",
                             "the oldest certificates of destroyed machines are accepted again; "
                             "reeve ca rotate invalidates them all"));
    }
    one->is_listing = true;
    one->list_given = revision;
    list_ask(one, &list, revision);
}

bool authorities_is_taken(struct authorities *all, struct text cluster, struct text key)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct authority *one = authorities_have(all, cluster);
    struct ssh_key wanted;
    struct text comment;
    struct entry *entries;
    size_t count;
    struct err err;

    if (key.length == 0 || list_revision(one) == 0 ||
        !ssh_key_parse(key, &wanted, &comment, &err)) {
        return false;
    }
    entries = authority_list_entries_read(arena, one, &count);
    for (size_t i = 0; i < count * REVOKED_KEYS; i++) {
        struct ssh_key other;

        if (ssh_key_parse(entries[i / REVOKED_KEYS].revoked.keys[i % REVOKED_KEYS], &other,
                          &comment, &err) &&
            memcmp(other.bytes, wanted.bytes, sizeof(wanted.bytes)) == 0) {
            return true;
        }
    }
    return false;
}

enum authorities_answer authorities_list(struct authorities *all, struct text cluster,
                                         struct text *out, struct err *err)
{
    struct authority *one = authorities_have(all, cluster);

    *out = TEXT("");
    if (list_revision(one) == 0) {
        return AUTHORITIES_READY;
    }
    if (one->list_known == list_revision(one)) {
        *out = one->list;
        return AUTHORITIES_READY;
    }
    if (!all->is_closed && authority_read(one) && !one->is_making &&
        clock_monotonic_ms(all->options.clock) >= one->not_before_ms &&
        authorities_signer(all, &one->why)) {
        authority_load(one);
        return one->list_known == list_revision(one) ? AUTHORITIES_READY : AUTHORITIES_WAITING;
    }
    err_set(err, CODE_R0710, "the revocation list cannot be made: %s", one->why.text);
    return AUTHORITIES_REFUSED;
}

uint64_t authority_list_revision(struct authority *one)
{
    return list_revision(one);
}

/* ---- store watches ---- */

static void all_forget(struct authorities *all)
{
    for (const struct map_node *entry = map_first(&all->map, TEXT("")); entry != NULL;
         entry = map_after(&all->map, entry->key)) {
        struct authority *one = entry->value;

        one->is_list_read = false;
        one->line = one->is_making ? one->line : TEXT("");
        one->is_stepping = false;
    }
}

static struct text authority_list_cluster_of(struct arena *arena, const struct cache_change *change)
{
    struct text id = text_slice(change->id, 0, text_find_byte(change->id, '/'));

    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(change->tenant), TEXT_ARG(id));
}

static void revoked_seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct authorities *all = arg;
    struct authority *one;
    struct text cluster;

    if (state == CACHE_WATCH_RESET) {
        all->revoked_watch = NULL;
        all_forget(all);
        return;
    }
    cluster = authority_list_cluster_of(arena, change);
    one = map_find(&all->map, cluster);
    if (one != NULL) {
        one->is_list_read = false;
    }
    all->options.listed(all->options.arg, cluster);
}

static void base_seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct authorities *all = arg;
    struct authority *one;

    if (state == CACHE_WATCH_RESET) {
        all->base_watch = NULL;
        all_forget(all);
        return;
    }
    /* an authority without an entry in the map is read when it is first used */
    one = map_find(&all->map, authority_list_cluster_of(arena, change));
    if (one != NULL && !one->is_making && change->bytes != NULL &&
        change->revision > one->revision) {
        one->line = TEXT("");
        one->is_stepping = false;
        all->options.moved(all->options.arg, one->cluster);
    }
}

void authorities_follow(struct authorities *all)
{
    static const struct cache_scope revoked = { .prefix = TEXT("/"), .kind = TEXT(REVOKED_KIND) };
    static const struct cache_scope base = { .prefix = TEXT("/"), .kind = TEXT("Authority") };
    struct cache *cache = all->options.cache;

    if (all->is_closed || cache_state(cache) != CACHE_READY) {
        return;
    }
    if (all->revoked_watch == NULL) {
        all->revoked_watch =
            cache_watch(cache, &revoked, cache_revision(cache) + 1, revoked_seen, all);
    }
    if (all->base_watch == NULL) {
        all->base_watch = cache_watch(cache, &base, cache_revision(cache) + 1, base_seen, all);
    }
}

void authorities_unfollow(struct authorities *all)
{
    if (all->revoked_watch != NULL) {
        cache_watch_close(all->revoked_watch);
        all->revoked_watch = NULL;
    }
    if (all->base_watch != NULL) {
        cache_watch_close(all->base_watch);
        all->base_watch = NULL;
    }
}
