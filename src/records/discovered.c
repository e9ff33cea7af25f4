#include "records/discovered.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "ssh/host_key.h"
#include "state/objects.h"

#include <assert.h>

/* ---- writing ---- */

static void discovered_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static void discovered_number_put(struct doc_builder *builder, const char *key, int64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, key, doc_int(builder->arena, value, NULL));
    }
}

/* Puts JSON that is stored as text. Text that is not valid JSON is left out. */
static void discovered_json_put(struct doc_builder *builder, const char *key, struct text json)
{
    struct doc doc;
    struct err err;

    if (json.length > 0 && json_parse(builder->arena, json, NULL, &doc, &err)) {
        doc_builder_put(builder, key, doc);
    }
}

static void discovered_map_put(struct doc_builder *builder, const char *key,
                               struct doc_builder *map)
{
    if (map->count > 0) {
        doc_builder_put(builder, key, doc_builder_map(map, NULL));
    }
}

static void identity_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc *macs = arena_array(builder->arena, struct doc, row->mac_count);
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    discovered_text_put(&map, "hostKey", row->host_key);
    for (size_t i = 0; i < row->mac_count; i++) {
        macs[i] = doc_text(row->macs[i], NULL);
    }
    if (row->mac_count > 0) {
        doc_builder_put(&map, "macs", doc_list(macs, row->mac_count, NULL));
    }
    discovered_text_put(&map, "serial", row->serial);
    discovered_text_put(&map, "uuid", row->uuid);
    discovered_map_put(builder, "identity", &map);
}

static void sources_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc *items = arena_array(builder->arena, struct doc, row->source_count);

    for (size_t i = 0; i < row->source_count; i++) {
        const struct discovered_source *source = &row->sources[i];
        struct doc_builder map;

        doc_builder_init(&map, builder->arena);
        discovered_text_put(&map, "address", source->address);
        discovered_text_put(&map, "kind", source->kind);
        discovered_number_put(&map, "lastSeen", source->seen_ms);
        discovered_text_put(&map, "name", source->name);
        discovered_text_put(&map, "note", source->note);
        discovered_number_put(&map, "since", source->since_ms);
        discovered_json_put(&map, "tags", source->tags);
        items[i] = doc_builder_map(&map, NULL);
    }
    if (row->source_count > 0) {
        doc_builder_put(builder, "sources", doc_list(items, row->source_count, NULL));
    }
}

static void claim_put(struct doc_builder *builder, const struct discovered_claim *claim)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (claim->token.length > 0) {
        discovered_text_put(&map, "cluster", claim->cluster);
        discovered_text_put(&map, "group", claim->group);
        discovered_json_put(&map, "labels", claim->labels);
        discovered_text_put(&map, "life", claim->life);
        discovered_text_put(&map, "mac", claim->mac);
        discovered_text_put(&map, "name", claim->name);
        if (claim->is_absent) {
            doc_builder_put(&map, "absent", doc_bool(true, NULL));
        }
        if (claim->is_adopted) {
            doc_builder_put(&map, "adopted", doc_bool(true, NULL));
        }
        discovered_text_put(&map, "batchJob", claim->batch_job);
        discovered_json_put(&map, "batching", claim->batching);
        if (claim->is_released) {
            doc_builder_put(&map, "released", doc_bool(true, NULL));
        }
        if (claim->is_sized) {
            doc_builder_put(&map, "sized", doc_bool(true, NULL));
        }
        doc_builder_put(&map, "slot", doc_int(builder->arena, (int64_t)claim->slot, NULL));
        discovered_text_put(&map, "token", claim->token);
    }
    discovered_map_put(builder, "claim", &map);
}

static void reservation_put(struct doc_builder *builder,
                            const struct discovered_reservation *reserved)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (reserved->cluster.length > 0) {
        if (reserved->is_adopted) {
            doc_builder_put(&map, "adopted", doc_bool(true, NULL));
        }
        discovered_number_put(&map, "at", reserved->at_ms);
        discovered_json_put(&map, "batching", reserved->batching);
        discovered_text_put(&map, "by", reserved->by);
        discovered_text_put(&map, "cluster", reserved->cluster);
        discovered_text_put(&map, "group", reserved->group);
        if (reserved->is_sized) {
            doc_builder_put(&map, "sized", doc_bool(true, NULL));
        }
    }
    discovered_map_put(builder, "reserved", &map);
}

static void approval_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (row->approved_by.length > 0) {
        discovered_number_put(&map, "at", row->approved_ms);
        discovered_text_put(&map, "by", row->approved_by);
        discovered_text_put(&map, "key", row->approved_key);
    }
    discovered_map_put(builder, "approved", &map);
}

static void reading_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    discovered_number_put(&map, "at", row->read_ms);
    discovered_text_put(&map, "error", row->read_fault);
    discovered_map_put(builder, "factsRead", &map);
}

static void conditions_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc *items = arena_array(builder->arena, struct doc, LIFECYCLE_CONDITION_COUNT);
    size_t count = 0;

    for (size_t i = 0; i < LIFECYCLE_CONDITION_COUNT; i++) {
        const struct discovered_mark *mark = &row->conditions[i];
        const char *name = lifecycle_condition_name((enum lifecycle_condition)i);
        struct doc_builder map;

        if (mark->since_ms > 0) {
            doc_builder_init(&map, builder->arena);
            discovered_text_put(&map, "reason", mark->reason);
            discovered_number_put(&map, "since", mark->since_ms);
            discovered_text_put(&map, "type", text_from(name));
            items[count++] = doc_builder_map(&map, NULL);
        }
    }
    if (count > 0) {
        doc_builder_put(builder, "conditions", doc_list(items, count, NULL));
    }
}

static void cleanup_put(struct doc_builder *builder, const struct discovered *row)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (row->cleanup.since_ms > 0) {
        discovered_text_put(&map, "cluster", row->cleanup.cluster);
        discovered_text_put(&map, "group", row->cleanup.group);
        discovered_text_put(&map, "member", row->cleanup.member);
        discovered_text_put(&map, "name", row->cleanup.name);
        discovered_number_put(&map, "since", row->cleanup.since_ms);
        discovered_text_put(&map, "token", row->cleanup.token);
    }
    discovered_map_put(builder, "cleanupPending", &map);
}

static void netboot_put(struct doc_builder *builder, const struct discovered_netboot *netboot)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (netboot->boot.length > 0) {
        discovered_text_put(&map, "boot", netboot->boot);
        discovered_number_put(&map, "since", netboot->since_ms);
    }
    discovered_map_put(builder, "netboot", &map);
}

static void install_put(struct doc_builder *builder, const struct discovered_install *install)
{
    struct doc_builder map;

    doc_builder_init(&map, builder->arena);
    if (install->id.length > 0) {
        discovered_text_put(&map, "arguments", install->arguments);
        discovered_number_put(&map, "bytes", (int64_t)install->bytes);
        discovered_text_put(&map, "digest", install->digest);
        discovered_text_put(&map, "disk", install->disk);
        discovered_text_put(&map, "format", install->format);
        discovered_text_put(&map, "id", install->id);
        discovered_text_put(&map, "image", install->image);
        discovered_text_put(&map, "keys", install->keys);
        if (install->is_off_after) {
            doc_builder_put(&map, "offAfter", doc_bool(true, NULL));
        }
        discovered_number_put(&map, "since", install->since_ms);
        discovered_text_put(&map, "state", text_from(discovered_install_name(install->state)));
        discovered_text_put(&map, "step", install->step);
        discovered_text_put(&map, "why", install->why);
        if (install->is_wiped_after) {
            doc_builder_put(&map, "wipeAfter", doc_bool(true, NULL));
        }
    }
    discovered_map_put(builder, "install", &map);
}

static void discovered_put(struct doc_builder *builder, const struct discovered *row)
{
    discovered_text_put(builder, "address", row->address);
    approval_put(builder, row);
    discovered_text_put(builder, "by", row->by);
    claim_put(builder, &row->claim);
    cleanup_put(builder, row);
    conditions_put(builder, row);
    discovered_json_put(builder, "facts", row->facts);
    reading_put(builder, row);
    discovered_number_put(builder, "flaps", row->flaps);
    identity_put(builder, row);
    if (row->is_ignored) {
        doc_builder_put(builder, "ignored", doc_bool(true, NULL));
    }
    install_put(builder, &row->install);
    discovered_text_put(builder, "name", row->name);
    netboot_put(builder, &row->netboot);
    discovered_number_put(builder, "port", row->port);
    doc_builder_put(builder, "prevState",
                    doc_text(text_from(lifecycle_state_name(row->prev_state)), NULL));
    reservation_put(builder, &row->reserved);
    discovered_text_put(builder, "secret", row->secret);
    sources_put(builder, row);
    doc_builder_put(builder, "state", doc_text(text_from(lifecycle_state_name(row->state)), NULL));
    discovered_number_put(builder, "stateSince", row->state_since_ms);
    if (row->claim.token.length == 0) {
        doc_builder_put(builder, "status",
                        doc_text(text_from(lifecycle_status_name(row->status)), NULL));
        doc_builder_put(builder, "prevStatus",
                        doc_text(text_from(lifecycle_status_name(row->prev_status)), NULL));
        discovered_number_put(builder, "statusSince", row->status_since_ms);
        discovered_text_put(builder, "why", row->why);
    }
    discovered_text_put(builder, "user", row->user);
}

struct text discovered_format(struct arena *arena, const struct discovered *row)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    discovered_put(&builder, row);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct doc discovered_show(struct arena *arena, const struct discovered *row)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    discovered_put(&builder, row);
    discovered_text_put(&builder, "fingerprint", discovered_fingerprint(arena, row));
    discovered_text_put(&builder, "id", row->id);
    return doc_builder_map(&builder, NULL);
}

/* ---- reading ---- */

static struct text discovered_json_get(struct arena *arena, const struct doc *doc, const char *key)
{
    const struct doc *value = doc_child(doc, key);
    struct buf buf;

    if (!doc_is_map(value)) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, value);
    return buf_text(&buf);
}

static void identity_get(const struct doc *identity, struct discovered *out)
{
    const struct doc *macs = doc_child(identity, "macs");

    out->host_key = doc_child_text(identity, "hostKey");
    out->serial = doc_child_text(identity, "serial");
    out->uuid = doc_child_text(identity, "uuid");
    for (size_t i = 0; doc_is_list(macs) && i < macs->item_count && i < DISCOVERED_MACS; i++) {
        out->macs[out->mac_count++] = macs->items[i].text;
    }
}

static void sources_get(struct arena *arena, const struct doc *list, struct discovered *out)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count && i < DISCOVERED_SOURCES; i++) {
        const struct doc *item = &list->items[i];

        out->sources[out->source_count++] = (struct discovered_source){
            .kind = doc_child_text(item, "kind"),
            .name = doc_child_text(item, "name"),
            .address = doc_child_text(item, "address"),
            .tags = discovered_json_get(arena, item, "tags"),
            .since_ms = doc_child_number(item, "since"),
            .seen_ms = doc_child_number(item, "lastSeen"),
            .note = doc_child_text(item, "note"),
        };
    }
}

static void conditions_get(const struct doc *list, struct discovered *out)
{
    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        const struct doc *item = &list->items[i];
        enum lifecycle_condition condition;

        if (lifecycle_condition_parse(doc_child_text(item, "type"), &condition)) {
            out->conditions[condition] = (struct discovered_mark){
                .since_ms = doc_child_number(item, "since"),
                .reason = doc_child_text(item, "reason"),
            };
        }
    }
}

static void claim_get(struct arena *arena, const struct doc *claim, struct discovered *out)
{
    int64_t slot = doc_child_number(claim, "slot");

    out->claim = (struct discovered_claim){
        .cluster = doc_child_text(claim, "cluster"),
        .token = doc_child_text(claim, "token"),
        .group = doc_child_text(claim, "group"),
        .slot = slot > 0 ? (uint64_t)slot : 0,
        .life = doc_child_text(claim, "life"),
        .mac = doc_child_text(claim, "mac"),
        .name = doc_child_text(claim, "name"),
        .labels = discovered_json_get(arena, claim, "labels"),
        .is_released = text_is(doc_child_text(claim, "released"), "true"),
        .is_absent = text_is(doc_child_text(claim, "absent"), "true"),
        .is_sized = text_is(doc_child_text(claim, "sized"), "true"),
        .is_adopted = text_is(doc_child_text(claim, "adopted"), "true"),
        .batching = discovered_json_get(arena, claim, "batching"),
        .batch_job = doc_child_text(claim, "batchJob"),
    };
}

static void install_get(const struct doc *install, struct discovered_install *out)
{
    struct text state = doc_child_text(install, "state");

    if (!doc_is_map(install)) {
        return;
    }
    *out = (struct discovered_install){
        .id = doc_child_text(install, "id"),
        .since_ms = doc_child_number(install, "since"),
        .step = doc_child_text(install, "step"),
        .why = doc_child_text(install, "why"),
        .image = doc_child_text(install, "image"),
        .digest = doc_child_text(install, "digest"),
        .format = doc_child_text(install, "format"),
        .bytes = (uint64_t)doc_child_number(install, "bytes"),
        .disk = doc_child_text(install, "disk"),
        .arguments = doc_child_text(install, "arguments"),
        .keys = doc_child_text(install, "keys"),
        .is_wiped_after = text_is(doc_child_text(install, "wipeAfter"), "true"),
        .is_off_after = text_is(doc_child_text(install, "offAfter"), "true"),
    };
    while (out->state + 1 < DISCOVERED_INSTALL_STATES &&
           !text_is(state, discovered_install_name(out->state))) {
        out->state++;
    }
}

/* Returns false if the status or a state of the row is unknown. */
MUST_CHECK static bool lifecycle_get(const struct doc *doc, struct discovered *out)
{
    bool is_claimed = out->claim.token.length > 0;

    out->status = LIFECYCLE_STATUS_ALLOCATED;
    out->prev_status = LIFECYCLE_STATUS_UNALLOCATED;
    return lifecycle_state_parse(doc_child_text(doc, "state"), &out->state) &&
           lifecycle_state_parse(doc_child_text(doc, "prevState"), &out->prev_state) &&
           (is_claimed ||
            (lifecycle_status_parse(doc_child_text(doc, "status"), &out->status) &&
             lifecycle_status_parse(doc_child_text(doc, "prevStatus"), &out->prev_status)));
}

bool discovered_parse(struct arena *arena, struct text id, struct text bytes,
                      struct discovered *out, struct err *err)
{
    struct discovered row = { .id = id };
    const struct doc *approved;
    const struct doc *reserved;
    const struct doc *cleanup;
    struct doc doc;

    if (!json_parse(arena, bytes, NULL, &doc, err)) {
        return false;
    }
    approved = doc_child(&doc, "approved");
    reserved = doc_child(&doc, "reserved");
    cleanup = doc_child(&doc, "cleanupPending");
    claim_get(arena, doc_child(&doc, "claim"), &row);
    if (!doc_is_map(&doc) || !lifecycle_get(&doc, &row)) {
        return err_set(err, CODE_R0554, "the record of machine %.*s cannot be read", TEXT_ARG(id));
    }
    row.name = doc_child_text(&doc, "name");
    row.address = doc_child_text(&doc, "address");
    row.port = (uint16_t)doc_child_number(&doc, "port");
    row.user = doc_child_text(&doc, "user");
    row.secret = doc_child_text(&doc, "secret");
    row.state_since_ms = doc_child_number(&doc, "stateSince");
    row.status_since_ms = doc_child_number(&doc, "statusSince");
    row.flaps = (uint32_t)doc_child_number(&doc, "flaps");
    row.why = doc_child_text(&doc, "why");
    row.by = doc_child_text(&doc, "by");
    row.facts = discovered_json_get(arena, &doc, "facts");
    row.read_ms = doc_child_number(doc_child(&doc, "factsRead"), "at");
    row.read_fault = doc_child_text(doc_child(&doc, "factsRead"), "error");
    row.is_ignored = text_is(doc_child_text(&doc, "ignored"), "true");
    row.netboot.boot = doc_child_text(doc_child(&doc, "netboot"), "boot");
    row.netboot.since_ms = doc_child_number(doc_child(&doc, "netboot"), "since");
    install_get(doc_child(&doc, "install"), &row.install);
    identity_get(doc_child(&doc, "identity"), &row);
    sources_get(arena, doc_child(&doc, "sources"), &row);
    conditions_get(doc_child(&doc, "conditions"), &row);
    row.approved_by = doc_child_text(approved, "by");
    row.approved_key = doc_child_text(approved, "key");
    row.approved_ms = doc_child_number(approved, "at");
    row.reserved = (struct discovered_reservation){
        .cluster = doc_child_text(reserved, "cluster"),
        .group = doc_child_text(reserved, "group"),
        .by = doc_child_text(reserved, "by"),
        .at_ms = doc_child_number(reserved, "at"),
        .is_sized = text_is(doc_child_text(reserved, "sized"), "true"),
        .is_adopted = text_is(doc_child_text(reserved, "adopted"), "true"),
        .batching = discovered_json_get(arena, reserved, "batching"),
    };
    row.cleanup = (struct discovered_cleanup){
        .cluster = doc_child_text(cleanup, "cluster"),
        .name = doc_child_text(cleanup, "name"),
        .group = doc_child_text(cleanup, "group"),
        .member = doc_child_text(cleanup, "member"),
        .token = doc_child_text(cleanup, "token"),
        .since_ms = doc_child_number(cleanup, "since"),
    };
    *out = row;
    return true;
}

bool discovered_read(struct arena *arena, const struct cache_object *object, struct discovered *out)
{
    struct err err;

    return object != NULL && object->parts[CACHE_BASE].bytes != NULL &&
           discovered_parse(arena, arena_text(arena, cache_id(object)),
                            arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), out,
                            &err);
}

bool discovered_find(struct arena *arena, const struct cache *cache, struct text tenant,
                     struct text name, struct discovered *out, uint64_t *out_revision,
                     size_t *out_count)
{
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));
    const struct cache_object *object = cache_find(cache, tenant, TEXT(DISCOVERED_KIND), name);
    const struct cache_object *found = NULL;
    size_t count = 0;

    if (discovered_read(arena, object, out)) {
        found = object;
        count = 1;
    }
    for (object = found != NULL ? NULL : cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct arena_mark mark = arena_mark(arena);
        struct discovered row;

        if (discovered_read(arena, object, &row) && text_is_equal(row.name, name)) {
            found = object;
            count++;
            *out = row;
        } else {
            arena_rewind(arena, mark);
        }
    }
    if (out_count != NULL) {
        *out_count = count;
    }
    if (out_revision != NULL && count == 1) {
        *out_revision = found->parts[CACHE_BASE].revision;
    }
    return count == 1;
}

/* ---- keys ---- */

struct text discovered_key(struct arena *arena, struct text tenant, struct text id)
{
    return objects_key(arena, tenant, TEXT(DISCOVERED_KIND), id, CACHE_BASE);
}

static struct text claim_id(struct arena *arena, struct text cluster, struct text token)
{
    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(token));
}

struct text discovered_claim_key(struct arena *arena, struct text tenant, struct text cluster,
                                 struct text token)
{
    return objects_key(arena, tenant, TEXT(DISCOVERED_CLAIM_KIND), claim_id(arena, cluster, token),
                       CACHE_BASE);
}

struct text discovered_claimed(struct arena *arena, const struct cache *cache, struct text tenant,
                               struct text cluster, struct text token)
{
    const struct cache_object *object =
        cache_find(cache, tenant, TEXT(DISCOVERED_CLAIM_KIND), claim_id(arena, cluster, token));
    struct doc doc;
    struct err err;

    return object != NULL && object->parts[CACHE_BASE].bytes != NULL &&
                   json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)),
                              NULL, &doc, &err)
               ? doc_child_text(&doc, "row")
               : TEXT("");
}

/* ---- keys of hosts ---- */

struct text discovered_fingerprint(struct arena *arena, const struct discovered *row)
{
    char out[SSH_FINGERPRINT_BYTES];

    return row->host_key.length > 0 && ssh_host_key_fingerprint(row->host_key, out)
               ? arena_text(arena, text_from(out))
               : TEXT("");
}

bool discovered_is_approved(const struct discovered *row)
{
    char shown[SSH_FINGERPRINT_BYTES];

    return row->approved_by.length > 0 && row->host_key.length > 0 &&
           ssh_host_key_fingerprint(row->host_key, shown) && text_is(row->approved_key, shown);
}

/* ---- installations ---- */

const char *discovered_install_name(enum discovered_install_state state)
{
    static const char *const names[DISCOVERED_INSTALL_STATES] = {
        [DISCOVERED_INSTALL_NONE] = "",           [DISCOVERED_INSTALL_WANTED] = "wanted",
        [DISCOVERED_INSTALL_RUNNING] = "running", [DISCOVERED_INSTALL_DONE] = "done",
        [DISCOVERED_INSTALL_FAILED] = "failed",   [DISCOVERED_INSTALL_WIPE] = "wipe",
    };

    assert(state < DISCOVERED_INSTALL_STATES);
    return names[state];
}

void discovered_failure_put(struct doc_builder *builder, const struct cache *cache,
                            struct text tenant, struct text id)
{
    struct discovered row;

    if (discovered_read(builder->arena, cache_find(cache, tenant, TEXT(DISCOVERED_KIND), id),
                        &row) &&
        row.install.state == DISCOVERED_INSTALL_FAILED) {
        doc_builder_put(
            builder, "text",
            doc_text(arena_printf(builder->arena, NODE_INSTALL_FAILURE "%.*s: %.*s",
                                  TEXT_ARG(row.install.step), TEXT_ARG(row.install.why)),
                     NULL));
    }
}

uint64_t discovered_install_limit(const struct discovered_install *install)
{
    switch (install->state) {
    case DISCOVERED_INSTALL_WANTED:
        return DISCOVERED_INSTALL_BEGIN_MS;
    case DISCOVERED_INSTALL_RUNNING:
        return DISCOVERED_INSTALL_STEP_MS;
    case DISCOVERED_INSTALL_DONE:
        return DISCOVERED_INSTALL_BOOT_MS;
    case DISCOVERED_INSTALL_NONE:
    case DISCOVERED_INSTALL_FAILED:
    case DISCOVERED_INSTALL_WIPE:
    case DISCOVERED_INSTALL_STATES:
        break;
    }
    return 0;
}

/* ---- changes ---- */

void discovered_move(struct discovered *row, enum lifecycle_status status, int64_t now_ms,
                     struct text by, struct text why)
{
    if (row->status != status) {
        row->prev_status = row->status;
        row->status = status;
        row->status_since_ms = now_ms;
    }
    row->by = by;
    row->why = why;
}

void discovered_state_set(struct discovered *row, enum lifecycle_state state, int64_t now_ms)
{
    if (row->state != state) {
        row->prev_state = row->state;
        row->state = state;
        row->state_since_ms = now_ms;
        row->flaps += row->prev_state != LIFECYCLE_STATE_UNKNOWN;
    }
}

/* ---- hooks of a pending cleanup ---- */

struct text discovered_hooks_key(struct arena *arena, struct text tenant, struct text row)
{
    return objects_key(arena, tenant, TEXT(DISCOVERED_CLEANUP_KIND), row, CACHE_BASE);
}

struct text discovered_hooks_format(struct arena *arena, const struct discovered_hooks *hooks)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    if (hooks->hook.digest.length > 0) {
        doc_builder_put(&builder, "hook", node_hook_format(arena, &hooks->hook));
    }
    doc_builder_put(&builder, "hooks", doc_bool(hooks->are_run, NULL));
    discovered_number_put(&builder, "limitMs", (int64_t)hooks->limit_ms);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct discovered_hooks discovered_hooks_read(struct arena *arena, const struct cache *cache,
                                              struct text tenant, struct text row)
{
    const struct cache_object *object =
        cache_find(cache, tenant, TEXT(DISCOVERED_CLEANUP_KIND), row);
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err)) {
        return (struct discovered_hooks){ 0 };
    }
    return (struct discovered_hooks){
        .are_run = text_is(doc_child_text(&doc, "hooks"), "true"),
        .limit_ms = (uint64_t)doc_child_number(&doc, "limitMs"),
        .hook = node_hook_parse(arena, doc_child(&doc, "hook")),
    };
}
