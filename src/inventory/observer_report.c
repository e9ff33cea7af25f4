#include "base/limits.h"
#include "codec/json.h"
#include "inventory/observer_parts.h"
#include "model/check.h"
#include "records/record.h"
#include "state/objects.h"

#include <stdio.h>
#include <string.h>

/* Processes reports of sources: finds the row of a reported member, and creates rows for new
 * machines. */

/* ---- members ---- */

static struct text observer_tag(const struct membership_member *member, const char *name)
{
    for (size_t i = 0; i < member->tags.count; i++) {
        const struct wire_pair *pair = wire_item(member->tags, const struct wire_pair, i);

        if (text_is(pair->name, name)) {
            return pair->value;
        }
    }
    return TEXT("");
}

static struct text observer_tags_json(struct arena *arena, const struct membership_member *member)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < member->tags.count; i++) {
        const struct wire_pair *pair = wire_item(member->tags, const struct wire_pair, i);

        doc_builder_put(&builder, arena_string(arena, record_sentence(arena, pair->name)),
                        doc_text(record_sentence(arena, pair->value), NULL));
    }
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return builder.count == 0 || buf.length > OBSERVER_TAGS_BYTES ? TEXT("") : buf_text(&buf);
}

/* Returns the name of a row: label-serial, or else the name at the source. */
static struct text observer_name(struct arena *arena, const struct observer_renewal *renewal,
                                 struct text label, struct text serial)
{
    return label.length > 0 && serial.length > 0
               ? record_sentence(
                     arena, arena_printf(arena, "%.*s-%.*s", TEXT_ARG(label), TEXT_ARG(serial)))
           : renewal->name.length > 0 ? record_sentence(arena, renewal->name)
                                      : renewal->address;
}

static struct observer_renewal observer_renewal_make(struct text source,
                                                     const struct membership_member *member)
{
    struct arena *arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text address = observer_tag(member, "NodeAddr");
    struct err err;

    return (struct observer_renewal){
        .arena = arena,
        .source = arena_text(arena, source),
        .name = arena_text(arena, record_sentence(arena, member->name)),
        .address = arena_text(arena, check_address(address, &err) ? address : member->address),
        .tags = observer_tags_json(arena, member),
        .status = member->status,
    };
}

/* ---- known machines ---- */

/* Returns the entry of the source in the row, added if missing. Returns NULL if there is no
 * room. */
static struct discovered_source *
observer_source_get(struct discovered *row, const struct observer_renewal *renewal, int64_t wall_ms)
{
    for (size_t i = 0; i < row->source_count; i++) {
        if (text_is_equal(row->sources[i].kind, renewal->source) &&
            text_is_equal(row->sources[i].name, renewal->name)) {
            return &row->sources[i];
        }
    }
    if (row->source_count == DISCOVERED_SOURCES) {
        return NULL;
    }
    row->sources[row->source_count] = (struct discovered_source){ .kind = renewal->source,
                                                                  .name = renewal->name,
                                                                  .since_ms = wall_ms };
    return &row->sources[row->source_count++];
}

/* A tag never changes a claim. For a machine of a group, a new address is only recorded next to the
 * old one, because the member's record has the address. The same applies to a reserved machine,
 * because an operator has confirmed its address. The address of a machine with a pending cleanup is
 * updated, because reeve logs in to it only if it has the approved key. */
void observer_renew(struct observer_row *row)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct observer *observer = row->observer;
    struct observer_renewal *renewal = row->renewal;
    int64_t wall_ms = observer->options.wall_ms(observer->options.arg);
    struct discovered_source *source;
    struct discovered stored;
    struct text fact = TEXT("");
    uint64_t revision;

    if (renewal == NULL || row->is_writing || !observer_row_read(arena, row, &stored, &revision)) {
        return;
    }
    if (row->renewed_ms > 0 && observer_now(observer) - row->renewed_ms < OBSERVER_RENEW_MS) {
        observer_row_wait(row, row->renewed_ms + OBSERVER_RENEW_MS);
        return;
    }
    source = observer_source_get(&stored, renewal, wall_ms);
    if (source != NULL && (!text_is_equal(source->address, renewal->address) ||
                           !text_is_equal(source->tags, renewal->tags))) {
        source->address = renewal->address;
        source->tags = renewal->tags;
        source->seen_ms = wall_ms;
        if (stored.claim.token.length == 0 && stored.reserved.cluster.length == 0 &&
            renewal->address.length > 0 && !text_is_equal(stored.address, renewal->address)) {
            fact = arena_printf(arena, "%.*s says that it is at %.*s, and was at %.*s",
                                TEXT_ARG(renewal->source), TEXT_ARG(renewal->address),
                                TEXT_ARG(stored.address));
            stored.address = renewal->address;
            /* another machine may have this address, so the host key must be read and approved
             * again */
            stored.host_key = TEXT("");
            observer_key_renew(row);
            observer_facts_forget(row, &stored);
        }
        if (stored.claim.token.length == 0 && stored.read_ms == 0) {
            observer_identity_take(arena, source->tags, &stored);
        }
        if (stored.status == LIFECYCLE_STATUS_INCOMPLETE && stored.address.length > 0) {
            discovered_move(&stored, LIFECYCLE_STATUS_UNALLOCATED, wall_ms, TEXT("reeve"),
                            TEXT("the address of the machine is known"));
        }
        if (discovered_format(arena, &stored).length <= DISCOVERED_ROW_BYTES) {
            observer_row_write(row, &stored, revision, fact.length > 0 ? "node.readdressed" : NULL,
                               fact);
            row->renewed_ms = observer_now(observer);
        }
    }
    arena_free(renewal->arena);
    row->renewal = NULL;
}

static void observer_known_take(struct observer_row *row, struct observer_renewal *renewal,
                                enum evidence_source word)
{
    struct observer *observer = row->observer;

    if (row->renewal != NULL) {
        arena_free(row->renewal->arena);
    }
    row->renewal = arena_one(renewal->arena, struct observer_renewal);
    *row->renewal = *renewal;
    evidence_report(&row->evidence, word, observer_now(observer));
    observer_row_wait(row, 0);
}

/* ---- new machines ---- */

/* True if a machine of a cluster has the address. The report is then about that machine, which gets
 * no row. */
static bool observer_is_of_cluster(const struct observer *observer, struct map *addresses,
                                   struct arena *arena, struct text tenant, struct text address)
{
    struct text prefix = arena_printf(arena, "/%.*s/Resource/", TEXT_ARG(tenant));

    if (addresses->arena == NULL) {
        map_init(addresses, arena);
        for (const struct cache_object *object = cache_first(observer->options.cache, prefix);
             object != NULL; object = cache_next(observer->options.cache, prefix, object)) {
            struct text token =
                text_slice(cache_id(object), text_find_byte(cache_id(object), '/') + 1, SIZE_MAX);
            struct record record;
            struct err err;

            if (object->parts[CACHE_STATUS].bytes != NULL &&
                record_parse(arena, token, blob_text(object->parts[CACHE_STATUS].bytes), &record,
                             &err) &&
                record.address.length > 0 && !text_has_prefix(record.plan.id, TEXT("m-"))) {
                map_put(addresses, record.address, addresses);
            }
        }
    }
    return map_find(addresses, address) != NULL;
}

static void observer_new_add(struct observer *observer, struct observer_tenant *tenant,
                             struct observer_renewal *renewal, struct text key)
{
    struct observer_new *one = arena_one(renewal->arena, struct observer_new);

    if (tenant->rows + tenant->pending >= OBSERVER_ROWS ||
        map_find(&observer->pending, key) != NULL) {
        arena_free(renewal->arena);
        return;
    }
    *one = (struct observer_new){ .tenant = tenant, .renewal = *renewal };
    one->key = arena_text(renewal->arena, key);
    *observer->news_last = one;
    observer->news_last = &one->next;
    map_put(&observer->pending, one->key, one);
    tenant->pending++;
}

struct observer_batch {
    struct observer *observer;
    struct observer_new *items;
};

static void observer_news_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct observer_batch *batch = arg;
    struct observer *observer = batch->observer;

    (void)answer;
    observer->is_sending = false;
    /* machines that were not written are reported again by the next snapshot; the others are
     * pending until the cache has their rows. The cache may already have had the rows before this
     * answer. */
    for (struct observer_new *one = batch->items, *next; one != NULL; one = next) {
        next = one->next;
        if (outcome == OUTCOME_OK && !one->is_over) {
            one->is_written = true;
            continue;
        }
        if (!one->is_over) {
            map_remove(&observer->pending, one->key);
            one->tenant->pending--;
        }
        arena_free(one->renewal.arena);
    }
    rows_free(batch);
    if (!observer->is_closed) {
        observer->options.wake(observer->options.arg);
    }
}

/* Make an id that differs from the ids of all rows of the tenant and of the rows in the same
 * transaction. Among 10,000 random ids duplicates are likely, and a duplicate would make the whole
 * transaction fail. */
static struct text observer_new_id(const struct observer *observer, struct arena *arena,
                                   struct text tenant, const struct store_op *ops, size_t count)
{
    for (;;) {
        char made[37];
        struct text id;
        struct text key;
        bool is_used;

        observer->options.id_make(observer->options.arg, made);
        id = arena_printf(arena, "m-%.6s", made);
        key = discovered_key(arena, tenant, id);
        is_used = map_find(&observer->rows, arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant),
                                                         TEXT_ARG(id))) != NULL;
        for (size_t i = 0; i < count && !is_used; i++) {
            is_used = text_is_equal(ops[i].key, key);
        }
        if (!is_used) {
            return id;
        }
    }
}

static struct discovered observer_new_row(struct observer *observer, struct arena *arena,
                                          const struct observer_new *one)
{
    const struct observer_renewal *renewal = &one->renewal;
    int64_t wall_ms = observer->options.wall_ms(observer->options.arg);
    struct text label = TEXT("");
    struct text serial = TEXT("");
    struct discovered row = { .address = renewal->address,
                              .prev_status = LIFECYCLE_STATUS_INCOMPLETE,
                              .by = TEXT("reeve"),
                              .source_count = 1 };
    struct doc tags;
    struct err err;

    if (renewal->tags.length > 0 && json_parse(arena, renewal->tags, NULL, &tags, &err)) {
        const struct doc *label_tag = doc_child(&tags, "NodeLabel");
        const struct doc *serial_tag = doc_child(&tags, "NodeSerial");

        label = doc_is_scalar(label_tag) ? label_tag->text : label;
        serial = doc_is_scalar(serial_tag) ? serial_tag->text : serial;
    }
    row.name = observer_name(arena, renewal, label, serial);
    row.status = row.name.length > 0 && row.address.length > 0 ? LIFECYCLE_STATUS_UNALLOCATED
                                                               : LIFECYCLE_STATUS_INCOMPLETE;
    row.status_since_ms = wall_ms;
    row.why = arena_printf(arena, "seen by %.*s", TEXT_ARG(renewal->source));
    row.sources[0] = (struct discovered_source){ .kind = renewal->source,
                                                 .name = renewal->name,
                                                 .address = renewal->address,
                                                 .tags = renewal->tags,
                                                 .since_ms = wall_ms,
                                                 .seen_ms = wall_ms };
    observer_identity_take(arena, renewal->tags, &row);
    discovered_state_set(&row, LIFECYCLE_STATE_DISCOVERED, wall_ms);
    return row;
}

void observer_news_write(struct observer *observer)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct store_compare compares[OBSERVER_NEW_ROWS];
    struct store_event events[OBSERVER_NEW_ROWS];
    struct store_op ops[OBSERVER_NEW_ROWS];
    struct observer_new *first = NULL;
    struct observer_batch *batch;
    size_t count = 0;

    if (observer->news == NULL || observer->is_sending) {
        return;
    }
    while (observer->news != NULL && count < OBSERVER_NEW_ROWS) {
        struct observer_new *one = observer->news;
        struct discovered row;

        observer->news = one->next;
        if (one->is_over) {
            arena_free(one->renewal.arena);
            continue;
        }
        one->next = first;
        first = one;
        row = observer_new_row(observer, arena, one);
        row.id = observer_new_id(observer, arena, one->tenant->name, ops, count);
        ops[count] = (struct store_op){ .key = discovered_key(arena, one->tenant->name, row.id),
                                        .value = discovered_format(arena, &row) };
        compares[count] = (struct store_compare){ .key = ops[count].key };
        events[count] = (struct store_event){
            .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(one->tenant->name)),
            .body = arena_printf(arena,
                                 "{\"actor\":\"reeve\",\"fact\":\"%.*s (%.*s) at %.*s, seen by "
                                 "%.*s\",\"id\":\"%.*s\",\"type\":\"node.seen\"}",
                                 TEXT_ARG(row.name), TEXT_ARG(row.id), TEXT_ARG(row.address),
                                 TEXT_ARG(one->renewal.source), TEXT_ARG(row.id)),
            .time_ms = (uint64_t)observer->options.wall_ms(observer->options.arg),
        };
        count++;
    }
    if (observer->news == NULL) {
        observer->news_last = &observer->news;
    }
    if (count == 0) {
        return;
    }
    batch = rows_resize(NULL, sizeof(*batch));
    *batch = (struct observer_batch){ observer, first };
    observer->is_sending = true;
    store_txn(observer->options.store,
              &(struct store_txn){ compares, count, ops, count, events, count },
              observer_news_written, batch);
}

/* ---- reports ---- */

static enum evidence_source observer_word(enum membership_change change,
                                          enum membership_status status)
{
    switch (change) {
    case MEMBERSHIP_FAILED:
        return EVIDENCE_SOURCE_FAILED;
    case MEMBERSHIP_LEFT:
        return EVIDENCE_SOURCE_LEFT;
    case MEMBERSHIP_REAPED:
        return EVIDENCE_SOURCE_REAPED;
    case MEMBERSHIP_JOIN:
        return EVIDENCE_SOURCE_ALIVE;
    case MEMBERSHIP_SNAPSHOT:
    case MEMBERSHIP_UPDATED:
    case MEMBERSHIP_UNAVAILABLE:
    case MEMBERSHIP_AVAILABLE:
    case MEMBERSHIP_CHANGE_COUNT:
        break;
    }
    return status == MEMBERSHIP_ALIVE         ? EVIDENCE_SOURCE_ALIVE
           : status == MEMBERSHIP_GONE_LEFT   ? EVIDENCE_SOURCE_LEFT
           : status == MEMBERSHIP_GONE_FAILED ? EVIDENCE_SOURCE_FAILED
                                              : EVIDENCE_SOURCE_NONE;
}

/* Find the row of a member by its name at the source, else by its address. The index of addresses
 * also has previous addresses, which may belong to other machines by now, so the address in the row
 * is compared. */
static struct observer_row *observer_member_find(const struct observer *observer,
                                                 struct arena *arena, struct text tenant,
                                                 const struct observer_renewal *renewal)
{
    struct observer_row *row = map_find(
        &observer->sources, arena_printf(arena, "%.*s/%.*s/%.*s", TEXT_ARG(tenant),
                                         TEXT_ARG(renewal->source), TEXT_ARG(renewal->name)));
    struct discovered stored;
    uint64_t revision;

    if (row != NULL || renewal->address.length == 0) {
        return row;
    }
    row = map_find(&observer->seen,
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(renewal->address)));
    return row != NULL && observer_row_read(arena, row, &stored, &revision) &&
                   text_is_equal(stored.address, renewal->address)
               ? row
               : NULL;
}

static void observer_members_take(struct observer *observer, struct observer_tenant *tenant,
                                  struct text source, const struct membership_report *report)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct map addresses = { 0 };

    for (size_t i = 0; i < report->count; i++) {
        const struct membership_member *member = &report->members[i];
        enum evidence_source word = observer_word(report->change, member->status);
        struct observer_renewal renewal;
        struct observer_row *row;

        if (report->own.length > 0 && text_is_equal(member->name, report->own)) {
            continue; /* the manager's own host needs no probe */
        }
        renewal = observer_renewal_make(source, member);
        row = observer_member_find(observer, arena, tenant->name, &renewal);
        if (row != NULL) {
            observer_known_take(row, &renewal, word);
        } else if (word == EVIDENCE_SOURCE_ALIVE &&
                   !observer_is_of_cluster(observer, &addresses, arena, tenant->name,
                                           renewal.address)) {
            observer_new_add(observer, tenant, &renewal,
                             arena_printf(arena, "%.*s/%.*s/%.*s", TEXT_ARG(tenant->name),
                                          TEXT_ARG(source), TEXT_ARG(renewal.name)));
        } else {
            arena_free(renewal.arena);
        }
    }
}

/* Members that the source reported earlier and that a snapshot lacks count as removed from the
 * source. */
static void observer_missing_take(struct observer *observer, struct observer_tenant *tenant,
                                  struct text source, const struct membership_report *report)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix =
        arena_printf(arena, "%.*s/%.*s/", TEXT_ARG(tenant->name), TEXT_ARG(source));
    struct map there;

    map_init(&there, arena);
    for (size_t i = 0; i < report->count; i++) {
        map_put(&there, record_sentence(arena, report->members[i].name), &there);
    }
    for (const struct map_node *node = map_first(&observer->sources, prefix);
         node != NULL && text_has_prefix(node->key, prefix);
         node = map_after(&observer->sources, node->key)) {
        struct observer_row *row = node->value;

        if (map_find(&there, text_slice(node->key, prefix.length, SIZE_MAX)) == NULL) {
            evidence_report(&row->evidence, EVIDENCE_SOURCE_REAPED, observer_now(observer));
            observer_row_wait(row, 0);
        }
    }
}

/* Record the reason why a source sends no reports. */
static void observer_why_set(struct observer_tenant *tenant, struct text source, struct text why)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text sentence = record_sentence(arena, why);

    if (sentence.length > 0) {
        snprintf(tenant->why, sizeof(tenant->why), "%.*s: %.*s", TEXT_ARG(source),
                 TEXT_ARG(sentence));
    } else {
        snprintf(tenant->why, sizeof(tenant->why), "%.*s does not answer", TEXT_ARG(source));
    }
}

void observer_report(struct observer *observer, struct text tenant_name, struct text source,
                     const struct membership_report *report)
{
    struct observer_tenant *tenant;

    if (observer->is_closed || cache_state(observer->options.cache) != CACHE_READY) {
        return; /* the source reports everything again after its next connection */
    }
    tenant = observer_tenant_get(observer, tenant_name);
    if (report->change == MEMBERSHIP_UNAVAILABLE) {
        tenant->is_source_down = true;
        observer_why_set(tenant, source, report->why);
    } else if (report->change == MEMBERSHIP_SNAPSHOT) {
        size_t others = report->count;

        for (size_t i = 0; i < report->count; i++) {
            others -= text_is_equal(report->members[i].name, report->own);
        }
        tenant->is_source_down = report->count > 0 && others == 0;
        if (tenant->is_source_down) {
            snprintf(tenant->why, sizeof(tenant->why), "the agent of %.*s sees no other members",
                     TEXT_ARG(source));
        }
    }
    (void)observer_run(observer); /* rows in the cache are loaded first */
    if (report->count > 0) {
        observer_members_take(observer, tenant, source, report);
    }
    if (report->change == MEMBERSHIP_SNAPSHOT && !tenant->is_source_down) {
        observer_missing_take(observer, tenant, source, report);
    }
    observer->options.wake(observer->options.arg);
}
