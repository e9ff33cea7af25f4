#include "base/limits.h"
#include "codec/json.h"
#include "engine/service_parts.h"
#include "engine/show.h"

#include <assert.h>

/* A list as it was at a revision, read from the store in pages; the token of a page is REVISION/KEY, so that all pages are
 * of one revision. */

struct past_list {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_list list;
    struct text prefix;
    struct text after;
    size_t limit;
    size_t count;
    struct text last; /* key of the row that was added last */
    struct buf buf;
    service_done *done;
    void *arg;
};

static void refuse(struct past_list *past, const struct err *err)
{
    service_refuse(past->service, past->arena, err, past->done, past->arg);
}

static void tell(struct past_list *past, bool has_more)
{
    struct service_answer answer = { .revision = cache_revision(past->service->cache) };
    struct err_list errors;

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

static void row_add(struct past_list *past, const struct store_item *item)
{
    struct show show = { .kind = text_from(past->list.kind->name),
                         .bytes = arena_text(past->arena, item->value),
                         .revision = item->revision };
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
    past->last = arena_text(past->arena, item->key);
}

static void page_read(struct past_list *past);

static void page_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past_list *past = arg;

    if (outcome != OUTCOME_OK) {
        refuse(past, &answer->err);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        if (!text_has_suffix(answer->items[i].key, TEXT("/spec"))) {
            continue;
        }
        if (past->count == past->limit) {
            tell(past, true);
            return;
        }
        row_add(past, &answer->items[i]);
    }
    if (!answer->has_more) {
        tell(past, false);
        return;
    }
    past->after = arena_text(past->arena, answer->items[answer->count - 1].key);
    page_read(past);
}

static void page_read(struct past_list *past)
{
    store_list(past->service->store,
               &(struct store_range){ .prefix = past->prefix,
                                      .after = past->after,
                                      .limit = past->limit + 1,
                                      .at_revision = past->list.at_revision },
               page_known, past);
}

static void cluster_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past_list *past = arg;
    struct text id = past->list.cluster;

    if (outcome != OUTCOME_OK) {
        refuse(past, &answer->err);
        return;
    }
    if (answer->count > 0) {
        id = arena_text(past->arena, answer->items[0].value);
    }
    past->prefix = objects_group_prefix(past->arena, past->actor.tenant, id);
    page_read(past);
}

/* REVISION/KEY, of a key of this list. */
MUST_CHECK static bool token_read(struct past_list *past, struct err *err)
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
        return err_set(err, CODE_R0537, "next= is no token of this list at this revision");
    }
    past->after = text_slice(token, slash, token.length);
    return true;
}

static void revision_known(void *arg, uint64_t revision, const struct err *fault)
{
    struct past_list *past = arg;
    struct err err;

    if (fault != NULL) {
        refuse(past, fault);
        return;
    }
    past->list.at_revision = revision;
    if (!token_read(past, &err)) {
        refuse(past, &err);
        return;
    }
    if (past->list.cluster.length > 0 && past->list.kind->owner != OWNER_NODEGROUP) {
        tell(past,
             false); /* only groups are of a cluster; who may read one cluster sees no other */
        return;
    }
    if (past->list.cluster.length == 0) {
        past->prefix = arena_printf(past->arena, "/%.*s/%s/", TEXT_ARG(past->actor.tenant),
                                    past->list.kind->name);
        page_read(past);
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
    if (list->selector.length > 0) {
        err_set(&err, CODE_R0426, "at= shows a whole list; it goes with no selector");
        refuse(past, &err);
        return;
    }
    if (!list->is_lines) {
        buf_add_string(&past->buf, "{\"items\":[");
    }
    if (list->at_revision > 0) {
        revision_known(past, list->at_revision, NULL);
    } else {
        service_seek(service, arena, list->at_ms, revision_known, past);
    }
}
