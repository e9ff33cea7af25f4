#include "managers/lease.h"

#include "base/macros.h"
#include "codec/json.h"

const struct cache_object *lease_find(const struct cache *cache,
                                      const struct fleet_cluster *cluster)
{
    return cache_find(cache, cluster->tenant, TEXT("Lease"), cluster->id);
}

const struct doc *lease_read(struct arena *arena, const struct cache_object *lease)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    return lease != NULL && lease->parts[CACHE_STATUS].bytes != NULL &&
                   json_parse(arena, blob_text(lease->parts[CACHE_STATUS].bytes), NULL, doc, &err)
               ? doc
               : NULL;
}

static struct text lease_child(const struct doc *lease, const char *name)
{
    const struct doc *child = doc_child(lease, name);

    return doc_is_scalar(child) ? child->text : TEXT("");
}

struct text lease_session(const struct doc *lease)
{
    return lease_child(lease, "session");
}

struct text lease_manager(const struct doc *lease)
{
    return lease_child(lease, "manager");
}

struct text lease_next(const struct doc *lease)
{
    return lease_child(lease, "next");
}

struct text lease_reason(const struct doc *lease)
{
    return lease_child(lease, "reason");
}

int64_t lease_since_wall_ms(const struct doc *lease)
{
    int64_t since_ms = 0;

    return text_parse_int64(lease_child(lease, "since"), &since_ms) ? since_ms : 0;
}

static void lease_member_add(struct buf *buf, struct arena *arena, const char *name,
                             struct text value)
{
    if (value.length > 0) {
        struct doc doc = doc_text(value, NULL);
        struct buf quoted;

        buf_init(&quoted, arena);
        json_format(&quoted, &doc);
        buf_printf(buf, "\"%s\":%.*s,", name, TEXT_ARG(buf_text(&quoted)));
    }
}

struct text lease_format(struct arena *arena, const struct lease_content *content)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "{\"ahead\":%lld,\"clock\":\"%.*s\",", (long long)content->ahead,
               TEXT_ARG(content->clock));
    lease_member_add(&buf, arena, "manager", content->manager);
    lease_member_add(&buf, arena, "next", content->next);
    lease_member_add(&buf, arena, "reason", content->reason);
    buf_printf(&buf, "\"session\":\"%.*s\"", TEXT_ARG(content->session));
    if (content->since_wall_ms > 0) {
        buf_printf(&buf, ",\"since\":%lld", (long long)content->since_wall_ms);
    }
    buf_add_string(&buf, "}");
    return buf_text(&buf);
}

bool lease_is_host_plugin(struct text plugin)
{
    static const char *const names[] = { "file", "libvirt", "local", "sim" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (text_is(plugin, names[i])) {
            return true;
        }
    }
    return false;
}

bool lease_is_bound(const struct fleet_cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) {
        if (lease_is_host_plugin(fleet_machine_plugin(cluster->machines[i])) &&
            fleet_machine_at(cluster->machines[i]).length == 0) {
            return true;
        }
    }
    return false;
}

bool lease_is_bound_elsewhere(const struct fleet_cluster *cluster, const struct doc *lease,
                              struct text manager)
{
    struct text holder = lease == NULL ? TEXT("") : lease_manager(lease);

    return manager.length > 0 && holder.length > 0 && !text_is_equal(holder, manager) &&
           lease_is_bound(cluster);
}

bool lease_is_named(const struct cache *cache, struct fleet *fleet, struct text session)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(fleet, cluster)) != NULL) {
        AUTO(arena) arena = arena_new_small(SIZE_MAX);

        if ((cluster->is_there || cluster->count > 0) &&
            text_is_equal(lease_session(lease_read(arena, lease_find(cache, cluster))), session)) {
            return true;
        }
    }
    return false;
}
