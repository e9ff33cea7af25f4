#include "api/streams/watch.h"
#include "change/show.h"
#include "codec/json.h"
#include "service/service_read.h"

#include <assert.h>
#include <string.h>

/* Formats events. Only the last event of a revision has an id, because a client that resumes after
 * an id must have received the whole revision. */

static void id_put(struct watcher *watcher, struct buf *buf)
{
    buf_printf(buf, "id: %llu", (unsigned long long)watcher->reported);
    if (watcher->has_events) {
        buf_printf(buf, ".%llu", (unsigned long long)watcher->events_reported);
    }
    buf_add_string(buf, "\n");
}

static struct text hello_make(struct watcher *watcher)
{
    struct arena *arena = watcher->call->arena;
    struct store_status status;
    struct text stale;
    struct buf buf;

    store_status(watcher->call->api->options.store, &status);
    buf_init(&buf, arena);
    buf_add_string(&buf, "event: hello\n");
    watcher->reported = watcher->start;
    watcher->events_reported = watcher->events_start;
    if (!watcher->is_resuming) {
        id_put(watcher, &buf);
    }
    buf_add_string(&buf, "data: {\"store\":\"");
    for (size_t i = 0; i < sizeof(status.incarnation); i++) {
        buf_printf(&buf, "%02x", status.incarnation[i]);
    }
    buf_printf(&buf, "\",\"revision\":%llu",
               (unsigned long long)cache_revision(watcher->call->api->options.cache));
    stale = call_stale_json(watcher->call->api, arena);
    if (stale.length > 0) {
        buf_printf(&buf, ",\"stale\":%.*s", TEXT_ARG(stale));
    }
    buf_add_string(&buf, "}\n\n");
    watcher->has_hello = true;
    watcher->is_stale = stale.length > 0;
    return buf_text(&buf);
}

static struct text reset_make(struct watcher *watcher)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);
    const char *plural = "clusters";

    for (size_t i = 0; i < count; i++) { /* name the watched kind if there is only one, otherwise
                                          * clusters */
        if (watcher->kinds == UINT64_C(1) << i) {
            plural = kinds[i].plural;
        }
    }
    watcher->is_reset = false;
    watcher->is_ending = true;
    return arena_printf(watcher->call->arena, "event: reset\ndata: {\"snapshot\":\"/v1/%s\"}\n\n",
                        plural);
}

/* Returns the part of a key after /TENANT/KIND/. */
static struct text entry_id(const struct watch_entry *entry)
{
    struct text key = blob_text(entry->key);
    size_t tenant = 1 + text_find_byte(text_slice(key, 1, key.length), '/');
    size_t length = tenant + 1 + strlen(entry->kind->name) + 1;

    assert(length < key.length);
    return text_slice(key, length, key.length);
}

/* Describes a deleted object: its kind and id, and for a group also its path. */
static struct doc gone_doc(struct watcher *watcher, const struct watch_entry *entry)
{
    struct arena *arena = watcher->call->arena;
    struct text id = entry_id(entry);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (entry->kind->owner ==
        OWNER_NODEGROUP) { /* if the cluster of the group was also deleted, only ids are known */
        const struct call *call = watcher->call;
        struct text cluster =
            service_cluster_name(call->api->options.service, arena, call->actor.tenant,
                                 text_slice(id, 0, text_find_byte(id, '/')));

        if (cluster.length > 0) {
            doc_builder_put(&builder, "cluster", doc_text(cluster, NULL));
        }
    }
    doc_builder_put(&builder, "id", doc_text(arena_text(arena, id), NULL));
    doc_builder_put(&builder, "kind", doc_text(text_from(entry->kind->name), NULL));
    if (entry->kind->owner == OWNER_NODEGROUP) {
        size_t slash = text_find_byte(id, '/');

        doc_builder_put(&builder, "name",
                        doc_text(arena_text(arena, text_slice(id, slash + 1, id.length)), NULL));
    } else if (entry->kind->owner != OWNER_CLUSTER) {
        doc_builder_put(&builder, "name", doc_text(arena_text(arena, id), NULL));
    }
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)entry->revision, NULL));
    return doc_builder_map(&builder, NULL);
}

static bool is_end_of_revision(const struct watcher *watcher, const struct watch_entry *entry)
{
    return entry->next != NULL ? entry->next->revision != entry->revision
                               : entry->revision != watcher->partial_revision;
}

static void watch_event_kept_write(struct watcher *watcher, const struct watch_entry *entry,
                                   struct buf *out)
{
    const struct call *call = watcher->call;
    struct service_kept_row row = {
        .id = entry_id(entry),
        .spec = entry->spec == NULL ? TEXT("") : blob_text(entry->spec),
        .status = blob_text(entry->status),
        .revision = entry->spec_revision,
    };

    service_kept_show(call->api->options.service, call->arena, call->actor.tenant, entry->kind,
                      &row, out);
}

static struct text watch_event_entry_make(struct watcher *watcher)
{
    const struct watch_entry *entry = watcher->first;
    bool is_kept = service_is_kept(entry->kind);
    bool is_there = is_kept ? entry->status != NULL : entry->spec != NULL;
    struct buf buf;

    buf_init(&buf, watcher->call->arena);
    buf_add_string(&buf, is_there ? "event: put\n" : "event: del\n");
    if (is_end_of_revision(watcher, entry)) {
        watcher->reported = entry->revision;
        id_put(watcher, &buf);
    }
    buf_add_string(&buf, "data: ");
    if (is_kept && is_there) {
        watch_event_kept_write(watcher, entry, &buf);
    } else if (is_there) {
        show_bytes(&buf, &(struct show){
                             .kind = text_from(entry->kind->name),
                             .bytes = blob_text(entry->spec),
                             .status = entry->status == NULL ? TEXT("") : blob_text(entry->status),
                             .revision = entry->spec_revision,
                         });
    } else {
        struct doc gone = gone_doc(watcher, entry);

        json_format(&buf, &gone);
    }
    buf_add_string(&buf, "\n\n");
    watch_entry_drop(watcher);
    return buf_text(&buf);
}

/* Formats an event as in the list of events; empty: nothing now. */
static struct text happening_make(struct watcher *watcher)
{
    uint64_t whole;
    struct blob *json = watcher->events == NULL ? NULL : event_reader_take(watcher->events, &whole);
    struct buf buf;

    if (json == NULL) {
        if (watcher->events != NULL && event_reader_is_behind(watcher->events)) {
            watcher->call->api->options.loop_turn_want(watcher->call->api->options.arg);
        }
        return TEXT("");
    }
    buf_init(&buf, watcher->call->arena);
    buf_add_string(&buf, "event: event\n");
    if (whole > 0) {
        watcher->events_reported = whole;
        id_put(watcher, &buf);
    }
    buf_add_string(&buf, "data: ");
    buf_add(&buf, blob_text(json));
    buf_add_string(&buf, "\n\n");
    blob_free(json);
    return buf_text(&buf);
}

/* Formats a comment. It shows that the connection works, and whether the manager is connected to
 * its store. */
static struct text comment_make(struct watcher *watcher)
{
    struct arena *arena = watcher->call->arena;
    struct text stale = call_stale_json(watcher->call->api, arena);

    watcher->is_comment_due = false;
    watcher->is_stale = stale.length > 0;
    return stale.length == 0 ? TEXT(": fresh\n\n")
                             : arena_printf(arena, ": stale %.*s\n\n", TEXT_ARG(stale));
}

struct text watch_event_next(struct watcher *watcher)
{
    if (!watcher->has_hello) {
        return hello_make(watcher);
    }
    if (watcher->is_reset) {
        return reset_make(watcher);
    }
    if (watcher->is_ending) {
        return TEXT("");
    }
    if (watcher->is_stale != watcher->call->api->is_stale) {
        return comment_make(watcher);
    }
    watcher->is_events_turn = !watcher->is_events_turn;
    if (watcher->is_events_turn || watcher->first == NULL) {
        struct text happening = happening_make(watcher);

        if (happening.length > 0) {
            watcher->is_comment_due = false;
            return happening;
        }
    }
    if (watcher->first != NULL) {
        watcher->is_comment_due = false;
        return watch_event_entry_make(watcher);
    }
    if (watcher->is_comment_due) {
        return comment_make(watcher);
    }
    return TEXT("");
}
