#include "access/authority_parts.h"
#include "access/key_ring.h"
#include "base/limits.h"
#include "codec/json.h"
#include "state/objects.h"
#include "sys/seal.h"

#include <assert.h>

/* public names start with: authority_ */

/* Reads and writes the record of an authority in the store. */

/* Parses keys. Returns the number of valid keys; invalid keys are skipped, so that no file gets
 * them. */
static size_t authority_store_keys_take(const struct text *lines, size_t count, struct ssh_key *out)
{
    size_t taken = 0;

    for (size_t i = 0; i < count && taken < RING_SLOTS; i++) {
        struct text comment;
        struct err err;

        taken += ssh_key_parse(lines[i], &out[taken], &comment, &err) ? 1 : 0;
    }
    return taken;
}

/* The public keys of an authority and its sealed keys. */
struct kept {
    const struct text *users; /* lines; the signing key comes first */
    size_t user_count;
    const struct text *hosts;
    size_t host_count;
    struct text sealed;
    struct text request;
    uint64_t phase;
    int64_t at_ms;
};

/* Returns one line per trusted key. A machine that is created during a rotation gets both keys. */
static struct text authority_store_line_make(const struct authority *one)
{
    struct buf buf;

    buf_init(&buf, one->known);
    for (size_t i = 0; i < one->user_count; i++) {
        buf_printf(&buf, "%scert-authority,principals=\"cluster:%.*s\" %.*s reeve",
                   i == 0 ? "" : "\n", TEXT_ARG(one->cluster),
                   TEXT_ARG(ssh_key_format(one->known, &one->users[i], TEXT(""))));
    }
    return buf_text(&buf);
}

/* Adopts keys. If they differ from the known ones, the signer must load them and new certificates
 * are requested. */
static void known_set(struct authority *one, const struct kept *kept)
{
    struct arena *known = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    bool is_same = text_is_equal(one->sealed, kept->sealed);
    struct arena *old = one->known;

    one->known = known;
    one->sealed = arena_text(known, kept->sealed);
    one->request = arena_text(known, kept->request);
    one->phase = kept->phase;
    one->phase_wall_ms = kept->at_ms;
    one->user_count = authority_store_keys_take(kept->users, kept->user_count, one->users);
    one->host_count = authority_store_keys_take(kept->hosts, kept->host_count, one->hosts);
    one->line = authority_store_line_make(one);
    arena_free(old);
    if (!is_same) {
        one->is_loaded = false;
        one->list_given = 0;
        one->list_known = 0;
        one->renew_ms = 0;
    }
}

static size_t items_of(const struct doc *list)
{
    return doc_is_list(list) ? list->item_count : 0;
}

static const struct text *authority_store_lines_of(struct arena *arena, const struct doc *list)
{
    size_t count = items_of(list);
    struct text *lines = arena_array(arena, struct text, count + 1);

    for (size_t i = 0; i < count; i++) {
        lines[i] = doc_is_scalar(&list->items[i]) ? list->items[i].text : TEXT("");
    }
    return lines;
}

static int64_t authority_store_number_of(const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);
    int64_t number = 0;

    return doc_is_scalar(value) && text_parse_int64(value->text, &number) ? number : 0;
}

/* Parses the record. Returns false if it is invalid. Invalid keys after the first one are
 * skipped. */
static bool kept_take(struct authority *one, const struct doc *doc)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct doc *users = doc_child(doc, "users");
    const struct doc *hosts = doc_child(doc, "hosts");
    const struct doc *sealed = doc_child(doc, "sealed");
    const struct doc *request = doc_child(doc, "request");
    struct text comment;
    struct ssh_key key;
    struct err err;

    if (!doc_is_list(users) || users->item_count == 0 || !doc_is_scalar(&users->items[0]) ||
        !doc_is_scalar(sealed) || !ssh_key_parse(users->items[0].text, &key, &comment, &err)) {
        return false;
    }
    known_set(one, &(struct kept){ .users = authority_store_lines_of(arena, users),
                                   .user_count = items_of(users),
                                   .hosts = authority_store_lines_of(arena, hosts),
                                   .host_count = items_of(hosts),
                                   .sealed = sealed->text,
                                   .request = doc_is_scalar(request) ? request->text : TEXT(""),
                                   .phase = (uint64_t)authority_store_number_of(doc, "phase"),
                                   .at_ms = authority_store_number_of(doc, "at") });
    return true;
}

bool authority_read(struct authority *one)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *object = cache_find(one->all->options.cache, authority_tenant(one),
                                                   TEXT("Authority"), authority_id(one));
    struct doc doc;
    struct err err;

    if (one->line.length > 0) {
        return true;
    }
    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc, &err) ||
        !kept_take(one, &doc)) {
        return false;
    }
    one->revision = object->parts[CACHE_BASE].revision;
    return true;
}

/* ---- writing ---- */

static void key_list_add(struct buf *buf, struct wire_list keys)
{
    buf_add_byte(buf, '[');
    for (size_t i = 0; i < keys.count; i++) {
        buf_printf(buf, "%s\"%.*s\"", i == 0 ? "" : ",",
                   TEXT_ARG(*wire_item(keys, struct text, i)));
    }
    buf_add_byte(buf, ']');
}

static const struct text *texts_of(struct wire_list list)
{
    return list.count == 0 ? NULL : wire_item(list, struct text, 0);
}

static struct kept authority_store_kept_of(const struct authority *one,
                                           const struct sign_reply *reported)
{
    return (struct kept){ .users = texts_of(reported->users),
                          .user_count = reported->users.count,
                          .hosts = texts_of(reported->hosts),
                          .host_count = reported->hosts.count,
                          .sealed = reported->sealed,
                          .phase = reported->phase,
                          .at_ms = clock_wall_ms(one->all->options.clock) };
}

void authority_adopt(struct authority *one, const struct sign_reply *reported)
{
    struct kept kept = authority_store_kept_of(one, reported);

    known_set(one, &kept);
}

static struct text authority_store_value_make(struct arena *arena, const struct kept *kept,
                                              const struct sign_reply *reported)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "{\"at\":%lld,\"hosts\":", (long long)kept->at_ms);
    key_list_add(&buf, reported->hosts);
    buf_printf(&buf, ",\"phase\":%llu", (unsigned long long)kept->phase);
    if (kept->request.length > 0) {
        buf_printf(&buf, ",\"request\":\"%.*s\"", TEXT_ARG(kept->request));
    }
    buf_printf(&buf, ",\"sealed\":\"%.*s\",\"users\":", TEXT_ARG(kept->sealed));
    key_list_add(&buf, reported->users);
    buf_add_byte(&buf, '}');
    return buf_text(&buf);
}

bool authority_write(struct authority *one, const struct sign_reply *reported, struct text request,
                     struct text event, store_done *done, void *arg, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct kept kept = authority_store_kept_of(one, reported);
    struct store_compare compares[2] = {
        { .key = objects_key(arena, authority_tenant(one), TEXT("Authority"), authority_id(one),
                             CACHE_BASE),
          .revision = one->revision },
    };
    struct store_op ops[2] = { { .key = compares[0].key } };
    struct key_ring_use use;
    struct store_event said = { .cluster = one->cluster,
                                .body = event,
                                .time_ms = (uint64_t)kept.at_ms };

    kept.request = request;
    ops[0].value = authority_store_value_make(arena, &kept, reported);
    if (!key_ring_use(arena, one->all->options.cache, KEY_RING_SIGNER, seal_id(kept.sealed), &use,
                      err)) {
        return false;
    }
    compares[1] = use.compare;
    ops[1] = use.op;
    store_txn(one->all->options.store,
              &(struct store_txn){ compares, ARRAY_COUNT(compares), ops, use.has_op ? 2 : 1, &said,
                                   event.length > 0 ? 1 : 0 },
              done, arg);
    return true;
}
