#include "etcd/etcd_dump.h"

#include "base/limits.h"
#include "base/sort.h"

#include <assert.h>

/* Reads a whole store at one revision, section by section. The calls block. */

enum { DUMP_PAGE = 256, DUMP_FULL_PAGE_BYTES = 4 * 1024 * 1024 };

/* One page of a section. */
struct dump_page {
    const struct message_item *items;
    size_t count;
    bool has_more;
    uint64_t revision; /* etcd's revision that the answer shows */
};

MUST_CHECK static bool dump_page_read(struct etcd_store *store, struct arena *arena,
                                      const struct message_range *range, struct dump_page *out,
                                      size_t *out_bytes, struct err *err)
{
    struct message_header header = { 0 };
    struct message_found found;
    struct buf message;
    struct text bytes;

    buf_init(&message, arena);
    message_range_add(&message, range);
    if (!etcd_call_wait(store, "KV/Range", &message, &bytes, err)) {
        return false;
    }
    if (!message_found_read(arena, bytes, LIMIT_ETCD_PAGE_MAX, &header, &found)) {
        return err_set(err, CODE_R0518, "an answer of etcd is malformed");
    }
    if (!etcd_header_is_ours(store, &header)) {
        return err_set(err, CODE_R0519, "the etcd that answers is not the one that was opened");
    }
    *out = (struct dump_page){ found.items, found.count, found.has_more, header.revision };
    *out_bytes = bytes.length;
    return true;
}

bool etcd_dump_section(struct etcd_store *store, enum etcd_section section, struct text begins,
                       uint64_t *at, etcd_dump_item *item, void *arg, struct err *err)
{
    AUTO(arena) keys = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text begin = etcd_key_full(keys, store->prefix, section, begins);
    struct text end = etcd_key_end(keys, begin);
    char next[LIMIT_STORE_KEY_BYTES * 2 + LIMIT_ETCD_PREFIX_BYTES + 1];
    struct message_range range = { .key = begin, .end = end, .limit = DUMP_PAGE };
    struct dump_page page = { .has_more = true };

    while (page.has_more) {
        AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
        size_t bytes = 0;

        range.revision = *at;
        if (!dump_page_read(store, arena, &range, &page, &bytes, err)) {
            return false;
        }
        *at = *at == 0 ? page.revision : *at;
        for (size_t i = 0; i < page.count; i++) {
            if (!item(arg, &page.items[i], err)) {
                return false;
            }
        }
        if (page.has_more) {
            struct text last = page.count == 0 ? TEXT("") : page.items[page.count - 1].key;

            if (last.length == 0 || last.length >= sizeof(next)) {
                return err_set(err, CODE_R0518, "an answer of etcd is malformed");
            }
            memcpy(next, last.data, last.length);
            next[last.length] = '\0';
            range.key = (struct text){ next, last.length + 1 };
            range.limit = range.limit * DUMP_FULL_PAGE_BYTES / (bytes + 1);
            range.limit = range.limit < DUMP_PAGE             ? DUMP_PAGE
                          : range.limit > LIMIT_ETCD_PAGE_MAX ? LIMIT_ETCD_PAGE_MAX
                                                              : range.limit;
        }
    }
    return true;
}

/* ---- objects ---- */

struct dump {
    struct etcd_store *store;
    const struct store_dump_sink *sink;
    struct arena *arena; /* arena for the versions of one key */
    struct text key;     /* the key whose versions are collected */
    struct store_dump_row *rows;
    size_t count;
};

MUST_CHECK static bool dump_damaged(struct text key, struct err *err)
{
    return err_set(err, CODE_R0506, "etcd's value of the key '%.*s' differs from what was written",
                   TEXT_ARG(key));
}

MUST_CHECK static bool dump_object(void *arg, const struct message_item *item, struct err *err)
{
    struct dump *dump = arg;
    struct etcd_revisions revisions;
    struct store_dump_row row = { .number = 1, .is_newest = true };

    if (!etcd_key_name(dump->store->prefix, ETCD_SECTION_OBJECT, item->key, &row.key) ||
        !etcd_item_read(dump->store, ETCD_SECTION_OBJECT, row.key, item, &revisions, &row.value)) {
        return dump_damaged(item->key, err);
    }
    if (etcd_name_is_nudge(row.key) || etcd_key_has_history(row.key)) {
        return true; /* the versions of a specification are passed on separately, and the newest
                      * version has this value */
    }
    row.created = revisions.created;
    row.revision = revisions.revision;
    return dump->sink->row(dump->sink->arg, &row, err);
}

static int dump_is_older(const void *a, const void *b, void *arg)
{
    const struct store_dump_row *left = a;
    const struct store_dump_row *right = b;

    (void)arg;
    return (left->number > right->number) - (left->number < right->number);
}

/* Passes on the collected versions of a key. */
MUST_CHECK static bool dump_versions_flush(struct dump *dump, struct err *err)
{
    bool is_good = true;

    sort_stable(dump->arena, dump->rows, dump->count, sizeof(*dump->rows), dump_is_older, NULL);
    for (size_t i = 0; is_good && i < dump->count; i++) {
        dump->rows[i].is_newest = i + 1 == dump->count;
        is_good = dump->sink->row(dump->sink->arg, &dump->rows[i], err);
    }
    arena_clear(dump->arena);
    dump->count = 0;
    return is_good;
}

MUST_CHECK static bool dump_version(void *arg, const struct message_item *item, struct err *err)
{
    struct dump *dump = arg;
    struct etcd_revisions revisions;
    struct etcd_counter counter;
    struct text payload;
    struct text value;
    struct text name;
    struct text key;

    if (!etcd_key_name(dump->store->prefix, ETCD_SECTION_HISTORY, item->key, &name) ||
        !etcd_version_name_unpack(name, &key) ||
        !etcd_item_read(dump->store, ETCD_SECTION_HISTORY, name, item, &revisions, &payload) ||
        !etcd_version_unpack(payload, &counter, &value)) {
        return dump_damaged(item->key, err);
    }
    if (dump->count > 0 && (!text_is_equal(key, dump->key) || dump->count == LIMIT_STORE_HISTORY) &&
        !dump_versions_flush(dump, err)) {
        return false;
    }
    if (dump->count == 0) {
        dump->key = arena_text(dump->arena, key);
        dump->rows = arena_array(dump->arena, struct store_dump_row, LIMIT_STORE_HISTORY);
    }
    dump->rows[dump->count++] = (struct store_dump_row){
        .key = dump->key,
        .value = arena_text(dump->arena, value),
        .created = counter.created == 0 ? revisions.revision : counter.created,
        .revision = revisions.revision,
        .number = counter.number,
        .is_delete = counter.is_deleted,
    };
    return true;
}

/* ---- events ---- */

MUST_CHECK static bool dump_event(void *arg, const struct message_item *item, struct err *err)
{
    const struct dump *dump = arg;
    struct etcd_revisions revisions;
    struct etcd_event_name parts;
    struct store_event event;
    struct text name;
    struct text body;

    if (!etcd_key_name(dump->store->prefix, ETCD_SECTION_EVENT, item->key, &name) ||
        !etcd_event_name_unpack(name, &parts) ||
        !etcd_item_read(dump->store, ETCD_SECTION_EVENT, name, item, &revisions, &body)) {
        return dump_damaged(item->key, err);
    }
    event = (struct store_event){ parts.cluster, body, parts.number, revisions.revision,
                                  parts.time_ms };
    return dump->sink->event(dump->sink->arg, &event, parts.index, err);
}

bool etcd_dump(struct etcd_store *store, const struct store_dump_sink *sink, uint64_t *out_revision,
               struct err *err)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct dump dump = { .store = store, .sink = sink, .arena = arena };
    uint64_t at = 0;
    bool is_good =
        etcd_dump_section(store, ETCD_SECTION_OBJECT, TEXT(""), &at, dump_object, &dump, err) &&
        etcd_dump_section(store, ETCD_SECTION_HISTORY, TEXT(""), &at, dump_version, &dump, err) &&
        dump_versions_flush(&dump, err) &&
        etcd_dump_section(store, ETCD_SECTION_EVENT, TEXT(""), &at, dump_event, &dump, err);

    *out_revision = at - store->base;
    return is_good;
}
