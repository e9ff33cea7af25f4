#include "codec/json.h"
#include "reconcile/control_parts.h"

#include <assert.h>

struct text control_key(struct arena *arena, const struct fleet_cluster *cluster, const char *kind,
                        struct text rest, enum cache_part part)
{
    static const char *const parts[] = {
        [CACHE_SPEC] = "spec", [CACHE_STATUS] = "status", [CACHE_BASE] = "base"
    };

    return arena_printf(arena, "/%.*s/%s/%.*s%s%.*s/%s", TEXT_ARG(cluster->tenant), kind,
                        TEXT_ARG(cluster->id), rest.length == 0 ? "" : "/", TEXT_ARG(rest),
                        parts[part]);
}

bool control_counters_read(struct arena *arena, const struct reconciler *reconciler,
                           struct text group, struct counters *out, uint64_t *out_revision)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct text id = group.length == 0
                         ? cluster->id
                         : arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(group));
    const struct cache_object *object =
        cache_find(reconciler->control->cache, cluster->tenant, TEXT("Control"), id);
    struct err err;

    *out = (struct counters){ 0 };
    *out_revision = 0;
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL) {
        return true;
    }
    *out_revision = object->parts[CACHE_STATUS].revision;
    if (!counters_parse(arena, blob_text(object->parts[CACHE_STATUS].bytes), out, &err)) {
        *out = (struct counters){ 0 };
        return false;
    }
    return true;
}

static void control_key_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

struct text control_event(struct arena *arena, const struct reconciler *reconciler,
                          const struct event *event)
{
    const struct fleet_cluster *cluster = reconciler->cluster;
    const struct fleet_group *group = fleet_group_find(cluster, event->group);
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    control_key_text_put(&builder, "actor", TEXT("reeve"));
    control_key_text_put(&builder, "fact", event->fact);
    control_key_text_put(&builder, "group", event->group);
    control_key_text_put(&builder, "id", event->id);
    control_key_text_put(&builder, "kind", TEXT("Cluster"));
    control_key_text_put(&builder, "name", cluster->name);
    if (event->node.length > 0) {
        control_key_text_put(&builder, "node", event->node);
    } else if (event->has_slot && group != NULL) {
        control_key_text_put(&builder, "node", naming_format(arena, &group->affix, event->slot));
    }
    control_key_text_put(&builder, "object", cluster->id);
    if (event->pass > 0) {
        doc_builder_put(&builder, "pass", doc_int(arena, (int64_t)event->pass, NULL));
    }
    control_key_text_put(&builder, "rule", event->rule);
    if (event->has_slot) {
        doc_builder_put(&builder, "slot", doc_int(arena, (int64_t)event->slot, NULL));
    }
    control_key_text_put(&builder, "token", event->token);
    control_key_text_put(&builder, "type", text_from(event->type));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}
