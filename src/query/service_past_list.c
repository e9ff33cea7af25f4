#include "base/limits.h"
#include "change/show.h"
#include "codec/json.h"
#include "query/query_parts.h"

#include <assert.h>

/* Reads a list at an earlier revision from the store, in pages. The token of the next page is
 * REVISION/KEY, so that all pages show the same revision.
 *
 * A selector also needs the status. The status follows its spec, but keys of groups may be in
 * between. So each spec waits until its status is read, or until a later key shows that it has
 * none. Rows stay in the order of their specs. */

struct waiting {
    struct waiting *next;
    struct blob *key; /* key of the spec */
    uint64_t revision;
    struct cache_bytes parts[CACHE_PART_COUNT];
};

struct past_list {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_list list;
    struct text prefix;
    struct text after;
    size_t limit;
    size_t count;
    struct text last;         /* key of the last added row */
    struct selector selector; /* a selector without clauses selects all objects */
    struct waiting *first;
    struct waiting *newest; /* valid if `first` is not NULL */
    struct pool *pool;
    struct buf buf;
    service_done *done;
    void *arg;
};

/* ---- waiting specs ---- */

static void waiting_drop(struct past_list *past)
{
    struct waiting *first = past->first;

    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        blob_free(first->parts[part].bytes);
        blob_free(first->parts[part].traits);
    }
    blob_free(first->key);
    past->first = first->next;
    pool_give(past->pool, first);
}

static void waiting_fini(struct past_list *past)
{
    while (past->first != NULL) {
        waiting_drop(past);
    }
    pool_free(past->pool);
    past->pool = NULL;
}

/* Add a spec that waits for its status. */
static void waiting_add(struct past_list *past, const struct store_item *item)
{
    struct waiting *waiting = pool_take(past->pool);

    assert(waiting != NULL && "a store has fewer objects");
    *waiting = (struct waiting){ .key = blob_new(item->key), .revision = item->revision };
    waiting->parts[CACHE_SPEC].bytes = blob_new(item->value);
    if (past->first == NULL) {
        past->first = waiting;
    } else {
        past->newest->next = waiting;
    }
    past->newest = waiting;
}

/* Return the key of an object without its last part. */
static struct text object_of(struct text key)
{
    size_t length = key.length;

    while (length > 0 && key.data[length - 1] != '/') {
        length--;
    }
    return text_slice(key, 0, length);
}

/* True if this key is after the position where the status of a waiting spec would be. */
static bool is_passed(const struct waiting *waiting, struct text key)
{
    struct text object = object_of(blob_text(waiting->key));
    struct text name = TEXT("status");
    int order = text_compare(object, text_slice(key, 0, object.length));

    return order < 0 ||
           (order == 0 && text_compare(name, text_slice(key, object.length, key.length)) <= 0);
}

static void status_take(struct past_list *past, const struct store_item *item)
{
    struct text object = object_of(item->key);
    /* a status usually belongs to the newest waiting spec */
    struct waiting *waiting = past->first == NULL ? NULL : past->newest;

    if (waiting == NULL || !text_is_equal(object_of(blob_text(waiting->key)), object)) {
        waiting = past->first;
    }
    while (waiting != NULL && !text_is_equal(object_of(blob_text(waiting->key)), object)) {
        waiting = waiting->next;
    }
    if (waiting != NULL) {
        assert(waiting->parts[CACHE_STATUS].bytes == NULL);
        waiting->parts[CACHE_STATUS].bytes = blob_new(item->value);
    }
}

/* ---- answers ---- */

static void past_list_refuse(struct past_list *past, const struct err *err)
{
    waiting_fini(past);
    service_refuse(past->service, past->arena, err, past->done, past->arg);
}

static void past_list_report(struct past_list *past, bool has_more)
{
    struct service_answer answer = { .revision = cache_revision(past->service->cache) };
    struct err_list errors;

    waiting_fini(past);
    if (has_more) {
        answer.next =
            arena_printf(past->arena, "%llu%.*s", (unsigned long long)past->list.at_revision,
                         TEXT_ARG(past->last));
    }
    if (!past->list.is_lines) {
        buf_add_string(&past->buf, "]");
        if (has_more) {
            struct doc token = doc_text(answer.next, NULL);

            buf_add_string(&past->buf, ",\"next\":");
            json_format(&past->buf, &token);
        }
        buf_printf(&past->buf, ",\"revision\":%llu}", (unsigned long long)past->list.at_revision);
    }
    err_list_init(&errors, past->arena);
    answer.errors = &errors;
    answer.body = buf_text(&past->buf);
    past->done(past->arg, &answer);
}

static void past_list_row_add(struct past_list *past, const struct waiting *waiting)
{
    struct show show = { .kind = text_from(past->list.kind->name),
                         .bytes =
                             arena_text(past->arena, blob_text(waiting->parts[CACHE_SPEC].bytes)),
                         .revision = waiting->revision };
    struct buf row;

    buf_init(&row, past->arena);
    show_bytes(&row, &show);
    if (past->count++ > 0 && !past->list.is_lines) {
        buf_add_string(&past->buf, ",");
    }
    service_row_trim(past->arena, &past->buf, past->list.fields, buf_text(&row));
    if (past->list.is_lines) {
        buf_add_string(&past->buf, "\n");
    }
    past->last = arena_text(past->arena, blob_text(waiting->key));
}

/* Adds the rows of waiting specs, up to the first spec whose status may come after `key`; an empty
 * key adds all. False: the list is full. */
static bool waiting_go_on(struct past_list *past, struct text key)
{
    while (past->first != NULL &&
           (key.length == 0 || past->selector.count == 0 || is_passed(past->first, key))) {
        if (past->selector.count == 0 || cache_parts_match(&past->selector, past->first->parts)) {
            if (past->count == past->limit) {
                return false;
            }
            past_list_row_add(past, past->first);
        }
        waiting_drop(past);
    }
    return true;
}

static void past_list_page_read(struct past_list *past);

static void page_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past_list *past = arg;

    if (outcome != OUTCOME_OK) {
        past_list_refuse(past, &answer->err);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];

        if (text_has_suffix(item->key, TEXT("/spec"))) {
            waiting_add(past, item);
        } else if (text_has_suffix(item->key, TEXT("/status"))) {
            status_take(past, item);
        }
        if (!waiting_go_on(past, item->key)) {
            past_list_report(past, true);
            return;
        }
    }
    if (!answer->has_more) {
        past_list_report(past, !waiting_go_on(past, TEXT("")));
        return;
    }
    past->after = arena_text(past->arena, answer->items[answer->count - 1].key);
    past_list_page_read(past);
}

static void past_list_page_read(struct past_list *past)
{
    store_list(past->service->store,
               &(struct store_range){ .prefix = past->prefix,
                                      .after = past->after,
                                      .limit = past->selector.count > 0 ? LIMIT_CACHE_PAGE
                                                                        : past->limit + 1,
                                      .at_revision = past->list.at_revision },
               page_known, past);
}

static void cluster_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past_list *past = arg;
    struct text id = past->list.cluster;

    if (outcome != OUTCOME_OK) {
        past_list_refuse(past, &answer->err);
        return;
    }
    if (answer->count > 0) {
        id = arena_text(past->arena, answer->items[0].value);
    }
    past->prefix = objects_group_prefix(past->arena, past->actor.tenant, id);
    past_list_page_read(past);
}

/* Parse a token REVISION/KEY, with a key of this list. */
MUST_CHECK static bool past_list_token_read(struct past_list *past, struct err *err)
{
    struct text token = past->list.next;
    size_t slash = text_find_byte(token, '/');
    int64_t revision = 0;

    if (token.length == 0) {
        return true;
    }
    if (slash == SIZE_MAX || !text_parse_int64(text_slice(token, 0, slash), &revision) ||
        (uint64_t)revision != past->list.at_revision ||
        token.length - slash > LIMIT_STORE_KEY_BYTES) {
        return err_set(err, CODE_R0537, "next= is not a token of this list at this revision");
    }
    past->after = text_slice(token, slash, token.length);
    return true;
}

static void past_list_revision_known(void *arg, uint64_t revision, const struct err *fault)
{
    struct past_list *past = arg;
    struct err err;

    if (fault != NULL) {
        past_list_refuse(past, fault);
        return;
    }
    past->list.at_revision = revision;
    if (!past_list_token_read(past, &err)) {
        past_list_refuse(past, &err);
        return;
    }
    assert(past->list.cluster.length == 0 || past->list.kind->owner == OWNER_NODEGROUP);
    if (past->list.cluster.length == 0) {
        past->prefix = arena_printf(past->arena, "/%.*s/%s/", TEXT_ARG(past->actor.tenant),
                                    past->list.kind->name);
        past_list_page_read(past);
        return;
    }
    store_get(past->service->store,
              objects_key(past->arena, past->actor.tenant, TEXT("Name"),
                          arena_printf(past->arena, "Cluster/%.*s", TEXT_ARG(past->list.cluster)),
                          CACHE_BASE),
              revision, cluster_known, past);
}

void service_past_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_list *list,
                       service_done *done, void *arg)
{
    struct past_list *past = arena_one(arena, struct past_list);
    struct err err;

    assert(list->at_revision > 0 || list->at_ms > 0);
    *past = (struct past_list){
        .service = service,
        .arena = arena,
        .actor = *actor,
        .list = *list,
        .limit = list->limit == 0 || list->limit > LIMIT_PAGE ? LIMIT_PAGE : list->limit,
        .done = done,
        .arg = arg,
    };
    buf_init(&past->buf, arena);
    past->pool = pool_new(sizeof(struct waiting), LIMIT_STORE_KEYS);
    if (list->selector.length > 0 &&
        !selector_parse(arena, list->selector, &past->selector, &err)) {
        past_list_refuse(past, &err);
        return;
    }
    if (!list->is_lines) {
        buf_add_string(&past->buf, "{\"items\":[");
    }
    if (list->at_revision > 0) {
        past_list_revision_known(past, list->at_revision, NULL);
    } else {
        service_seek(service, arena, list->at_ms, past_list_revision_known, past);
    }
}
