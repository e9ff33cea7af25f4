#include "ocean.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "exchange.h"
#include "first_start.h"

#include <strings.h>

/* DigitalOcean may create a droplet for each POST, and its listings lag. Normal case of a create:
 * look up the token, write the entry of the journal, send one POST, wait for the action.
 *
 * - If the plugin is killed before the POST, or the answer is lost, the next create answers UNKNOWN
 *   until a lookup finds the droplet or the entry is older than late_ms.
 * - If it is killed after the answer, the entry has the droplet's id, and the next create continues
 *   with that droplet.
 * - If the action fails, the droplet is deleted before the refusal is reported. */

enum {
    OCEAN_NAME_BYTES = 50,
    OCEAN_NAME_TOKEN = 12,
    OCEAN_ID_BYTES = 20,
    OCEAN_POLL_FIRST_MS = 1000,
    OCEAN_POLL_MOST_MS = 8000,
    /* Waiting ends this time before the deadline of the call, in ms. */
    OCEAN_END_MS = 1000
};

static struct text ocean_name(struct arena *arena, struct text node, struct text token)
{
    return arena_printf(arena, "%.*s-%.*s",
                        TEXT_ARG(property_dns_name(arena, node, OCEAN_NAME_BYTES)),
                        TEXT_ARG(property_token_part(token, OCEAN_NAME_TOKEN)));
}

static bool is_ocean_id(struct text id)
{
    for (size_t i = 0; i < id.length; i++) {
        if (id.data[i] < '0' || id.data[i] > '9') {
            return false;
        }
    }
    return id.length > 0 && id.length <= OCEAN_ID_BYTES && id.data[0] != '0';
}

static void ocean_retry_after(struct ocean_call *work, uint64_t milliseconds)
{
    work->ocean->host->retry_after(work->call, milliseconds);
}

bool ocean_wait(struct ocean_call *work, uint64_t *inout_ms)
{
    uint64_t left_ms = work->ocean->host->left_ms(work->call);

    if (left_ms <= *inout_ms + OCEAN_END_MS) {
        return false;
    }
    exchange_rest(*inout_ms);
    *inout_ms = *inout_ms * 2 > OCEAN_POLL_MOST_MS ? OCEAN_POLL_MOST_MS : *inout_ms * 2;
    return true;
}

uint64_t ocean_first_wait(const struct ocean *ocean)
{
    uint64_t wait_ms =
        3600 * (uint64_t)OCEAN_POLL_FIRST_MS / (uint64_t)ocean->settings.requests_per_hour;

    return wait_ms > OCEAN_POLL_FIRST_MS ? OCEAN_POLL_FIRST_MS : wait_ms < 20 ? 20 : wait_ms;
}

/* ---- by id ---- */

/* Returns the result for "not found", which for a new droplet does not prove that it is gone. */
static int32_t ocean_not_found(struct ocean_call *work, struct text id)
{
    struct ocean *ocean = work->ocean;
    uint64_t age_ms = ocean->host->age_ms(work->call);
    uint64_t left_ms = 0;

    if (journal_is_young(&ocean->journal, "ended", id, work->ocean->settings.late_ms, NULL)) {
        return REEVE_GONE;
    }
    if (journal_is_young(&ocean->journal, "created", id, work->ocean->settings.lag_ms, &left_ms) ||
        age_ms < work->ocean->settings.lag_ms) {
        left_ms = left_ms > 0 ? left_ms : work->ocean->settings.lag_ms - age_ms;
        ocean_retry_after(work, left_ms);
        return ocean_fault(work, REEVE_TRANSIENT, "",
                           "the droplet %.*s is not shown; it is young, and may be shown later",
                           TEXT_ARG(id));
    }
    return REEVE_GONE;
}

/* True if the name ends in the digits of the token. */
static bool has_ocean_token(struct text name, struct text token)
{
    struct text part = property_token_part(token, OCEAN_NAME_TOKEN);

    return name.length > part.length &&
           strncasecmp(name.data + name.length - part.length, part.data, part.length) == 0;
}

int32_t ocean_droplet_get(struct ocean_call *work, struct text cluster, struct text id,
                          struct doc *out, struct ocean_machine *machine)
{
    struct ocean_answer answer;
    struct text token = plain_text(work->ocean->host->token(work->call));

    if (!is_ocean_id(id)) {
        return REEVE_GONE;
    }
    if (ocean_get(work, arena_printf(work->arena, "/droplets/%.*s", TEXT_ARG(id)), &answer) !=
        REEVE_OK) {
        return answer.status == 404 ? ocean_not_found(work, id)
                                    : ocean_refuse(work, "", "get the droplet", &answer);
    }
    if (!doc_is_map(doc_child(&answer.doc, "droplet"))) {
        return ocean_fault(work, REEVE_TRANSIENT, "", "get the droplet: the answer has none");
    }
    *out = *doc_child(&answer.doc, "droplet");
    ocean_machine_read(work, out, machine);
    if (text_is_equal(machine->cluster, cluster)) {
        return REEVE_OK;
    }
    /* the droplet has no tags yet, but its name contains the token of the record */
    if (machine->cluster.length == 0 && token.length > OCEAN_NAME_TOKEN &&
        has_ocean_token(doc_child_text(out, "name"), token)) {
        machine->cluster = cluster;
        machine->token = token;
        return REEVE_OK;
    }
    return REEVE_GONE;
}

/* ---- lookups of a token ---- */

static bool is_ocean_name(struct text shown, struct text name)
{
    return shown.length == name.length && strncasecmp(shown.data, name.data, name.length) == 0;
}

/* Finds a droplet by a query. *out_id is empty if there is no match. */
static int32_t ocean_find_by(struct ocean_call *work, struct text query, struct text name,
                             struct text token, struct text *out_id)
{
    struct ocean_answer answer;
    const struct doc *list;

    *out_id = TEXT("");
    if (ocean_get(work, arena_printf(work->arena, "/droplets?%.*s&per_page=200", TEXT_ARG(query)),
                  &answer) != REEVE_OK) {
        return ocean_refuse(work, "", "look the droplet up", &answer);
    }
    list = doc_child(&answer.doc, "droplets");
    if (!doc_is_list(list)) {
        return ocean_fault(work, REEVE_TRANSIENT, "",
                           "look the droplet up: the answer has no list");
    }
    for (size_t i = 0; i < list->item_count; i++) {
        struct ocean_machine machine;
        struct text id = doc_child_text(&list->items[i], "id");

        ocean_machine_read(work, &list->items[i], &machine);
        if ((text_is_equal(machine.token, token) ||
             (machine.token.length == 0 &&
              is_ocean_name(doc_child_text(&list->items[i], "name"), name))) &&
            is_ocean_id(id) &&
            !journal_is_young(&work->ocean->journal, "ended", id, work->ocean->settings.late_ms,
                              NULL)) {
            *out_id = id;
            return REEVE_OK;
        }
    }
    return REEVE_OK;
}

/* Finds the droplet of a token by its name, which is visible immediately, and by its tag. */
static int32_t ocean_find_token(struct ocean_call *work, struct text name, struct text token,
                                struct text *out_id)
{
    int32_t result =
        ocean_find_by(work, arena_printf(work->arena, "name=%.*s", TEXT_ARG(ocean_url(work, name))),
                      name, token, out_id);

    if (result != REEVE_OK || out_id->length > 0) {
        return result;
    }
    return ocean_find_by(
        work,
        arena_printf(
            work->arena, "tag_name=%.*s",
            TEXT_ARG(ocean_url(work, arena_printf(work->arena, "reeve:t:%.*s", TEXT_ARG(token))))),
        name, token, out_id);
}

/* ---- the journal's entry of a token: {"action": N, "body": TEXT, "id": N} ---- */

struct ocean_entry {
    struct text body;
    struct text id;     /* empty: no answer yet */
    struct text action; /* empty: unknown */
};

static bool ocean_entry_find(struct ocean_call *work, struct text token, struct ocean_entry *out,
                             uint64_t *out_age_ms)
{
    struct text bytes;
    struct doc doc;
    struct err err;

    *out = (struct ocean_entry){ 0 };
    if (!journal_find(work->arena, &work->ocean->journal, "requests", token, &bytes, out_age_ms) ||
        !json_parse(work->arena, bytes, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    out->body = doc_child_text(&doc, "body");
    out->id = doc_child_text(&doc, "id");
    out->action = doc_child_text(&doc, "action");
    return true;
}

static bool ocean_entry_put(struct ocean_call *work, struct text token,
                            const struct ocean_entry *entry)
{
    struct doc_builder builder;
    struct doc map;
    struct buf json;

    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "body", doc_text(entry->body, NULL));
    doc_builder_put(&builder, "id", doc_text(entry->id, NULL));
    doc_builder_put(&builder, "action", doc_text(entry->action, NULL));
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    return journal_put(&work->ocean->journal, "requests", token, buf_text(&json));
}

/* ---- the request ---- */

/* Returns the region of the request: from its zone, the property, or the setting. */
static struct text ocean_region(struct ocean_call *work, const struct ocean_shape *shape,
                                struct text zone)
{
    return zone.length > 0            ? zone
           : shape->region.length > 0 ? shape->region
                                      : work->ocean->settings.region;
}

static void ocean_put_texts(struct arena *arena, struct doc_builder *into, const char *name,
                            const struct text *texts, size_t count)
{
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(texts[i], NULL);
    }
    doc_builder_put(into, name, doc_list(items, count, NULL));
}

/* Returns the data for the tags of a new droplet. */
static struct ocean_machine ocean_new_machine(struct ocean_call *work,
                                              const struct reeve_wish_v1 *wanted,
                                              const struct ocean_shape *shape)
{
    return (struct ocean_machine){
        .tags = { arena_copy(work->arena, wanted->tags, wanted->tag_count * sizeof(*wanted->tags)),
                  wanted->tag_count },
        .token = plain_text(wanted->token),
        .labels = plain_text(wanted->labels),
        .user = shape->user,
        .shows_public = shape->shows_public,
    };
}

/* Writes to the journal that a droplet was created, with all of its tags. The provider sets some
 * tags late. Until then the journal has them, so that a destroy at that time deletes all tags. */
static bool ocean_created_put(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                              const struct ocean_shape *shape, struct text id)
{
    struct ocean_machine machine = ocean_new_machine(work, wanted, shape);
    struct tag_codec_tags tags = ocean_machine_tags(work->arena, &machine);

    return journal_put(&work->ocean->journal, "created", id,
                       tag_codec_to_json(work->arena, tags.items, tags.count));
}

/* Adds the tags of a new droplet. All tags must fit into the request that creates it. */
static void ocean_put_tags(struct ocean_call *work, struct doc_builder *into,
                           const struct reeve_wish_v1 *wanted, const struct ocean_shape *shape,
                           const struct ocean_found *found)
{
    struct ocean_machine machine = ocean_new_machine(work, wanted, shape);
    struct tag_codec_words own = ocean_machine_words(work->arena, &machine);
    struct tag_codec_words user = ocean_label_words(work->arena, machine.labels);
    struct text *all = arena_array(work->arena, struct text,
                                   1 + own.count + user.count + found->firewall_tag_count);
    size_t count = 0;

    all[count++] = TEXT(OCEAN_TAG);
    for (uint32_t i = 0; i < own.count; i++) {
        all[count++] = own.items[i];
    }
    for (uint32_t i = 0; i < user.count; i++) {
        all[count++] = user.items[i];
    }
    for (size_t i = 0; i < found->firewall_tag_count; i++) {
        all[count++] = found->firewall_tags[i];
    }
    ocean_put_texts(work->arena, into, "tags", all, count);
}

/* Makes the body of the request. Its user data is checked against the limit. */
static int32_t ocean_body(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                          const struct ocean_shape *shape, const struct ocean_found *found,
                          const struct ocean_volume *volumes, struct text region, struct text *out)
{
    struct first_start_volume mounts[DISK_MAX];
    struct text ids[DISK_MAX];
    struct first_start start = { .token = plain_text(wanted->token),
                                 .host_name = property_dns_name(
                                     work->arena, plain_text(wanted->name), OCEAN_NAME_BYTES),
                                 .user = shape->user,
                                 .keys = plain_text(wanted->keys),
                                 .init = plain_text(wanted->init),
                                 .volumes = mounts,
                                 .volume_count = shape->disk_count };
    struct doc_builder builder;
    struct text script;
    struct doc map;
    struct buf json;

    for (size_t i = 0; i < shape->disk_count; i++) {
        ids[i] = volumes[i].id;
        mounts[i] = (struct first_start_volume){
            .device = arena_printf(work->arena, "/dev/disk/by-id/scsi-0DO_Volume_%.*s",
                                   TEXT_ARG(volumes[i].key)),
            .mount = shape->disks[i].mount,
        };
    }
    script = first_start_format(work->arena, &start);
    if (script.length > FIRST_START_DIGITAL_OCEAN_BYTES) {
        return ocean_fault(work, REEVE_INVALID, "",
                           "the first-start script has %zu bytes; DigitalOcean accepts %d: make "
                           "init shorter",
                           script.length, FIRST_START_DIGITAL_OCEAN_BYTES);
    }
    doc_builder_init(&builder, work->arena);
    doc_builder_put(&builder, "name",
                    doc_text(ocean_name(work->arena, plain_text(wanted->name), start.token), NULL));
    doc_builder_put(&builder, "region", doc_text(region, NULL));
    doc_builder_put(&builder, "size", doc_text(found->size, NULL));
    doc_builder_put(&builder, "image",
                    is_ocean_id(found->image) ? doc_plain(found->image, NULL)
                                              : doc_text(found->image, NULL));
    doc_builder_put(&builder, "user_data", doc_text(script, NULL));
    if (found->ssh_key.length > 0) {
        struct doc key = doc_plain(found->ssh_key, NULL);

        doc_builder_put(&builder, "ssh_keys",
                        doc_list(arena_copy(work->arena, &key, sizeof(key)), 1, NULL));
    }
    if (found->vpc.length > 0) {
        doc_builder_put(&builder, "vpc_uuid", doc_text(found->vpc, NULL));
    }
    if (shape->is_private) {
        doc_builder_put(&builder, "public_networking", doc_bool(false, NULL));
    }
    if (shape->disk_count > 0) {
        ocean_put_texts(work->arena, &builder, "volumes", ids, shape->disk_count);
    }
    ocean_put_tags(work, &builder, wanted, shape, found);
    map = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &map);
    *out = buf_text(&json);
    return REEVE_OK;
}

/* ---- create ---- */

/* Deletes a droplet. */
static int32_t ocean_droplet_delete(struct ocean_call *work, struct text id)
{
    struct ocean_request request = {
        .method = "DELETE",
        .path = arena_printf(work->arena, "/droplets/%.*s", TEXT_ARG(id)),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct ocean_answer answer;

    if (ocean_send(work, &request, &answer) != REEVE_OK && answer.status != 404) {
        return ocean_refuse(work, "", "delete the droplet", &answer);
    }
    (void)!journal_put(&work->ocean->journal, "ended", id, TEXT(""));
    journal_delete(&work->ocean->journal, "created", id);
    return REEVE_OK;
}

/* Handles a creation that the provider accepted and that failed later. */
static int32_t ocean_failed_later(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                                  const struct ocean_shape *shape, struct text id)
{
    struct ocean_machine machine = ocean_new_machine(work, wanted, shape);
    struct tag_codec_words words = ocean_machine_words(work->arena, &machine);

    if (ocean_droplet_delete(work, id) != REEVE_OK || ocean_tags_delete(work, &words) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    journal_delete(&work->ocean->journal, "requests", plain_text(wanted->token));
    return ocean_fault(work, REEVE_CAPACITY, "",
                       "DigitalOcean accepted the droplet %.*s and did not create it",
                       TEXT_ARG(id));
}

/* Gets the status of an action or droplet. The result is GONE for a 404. */
static int32_t ocean_look(struct ocean_call *work, const char *what, struct text id,
                          struct text *out_status)
{
    struct ocean_answer answer;

    *out_status = TEXT("");
    if (ocean_get(work, arena_printf(work->arena, "/%ss/%.*s", what, TEXT_ARG(id)), &answer) !=
        REEVE_OK) {
        return answer.status == 404 ? REEVE_GONE : ocean_refuse(work, "", "get the state", &answer);
    }
    *out_status = doc_child_text(doc_child(&answer.doc, what), "status");
    return REEVE_OK;
}

/* The known state of a creation. */
enum ocean_progress { OCEAN_WAITING, OCEAN_READY, OCEAN_FAILED };

/* Checks the action once, or the droplet if the action cannot be read. With `is_late`, existing
 * objects are certainly visible by now. */
static int32_t ocean_progress(struct ocean_call *work, const struct ocean_entry *entry,
                              bool is_late, enum ocean_progress *out)
{
    struct text status = TEXT("");
    int32_t result = REEVE_GONE;

    *out = OCEAN_WAITING;
    if (entry->action.length > 0) {
        result = ocean_look(work, "action", entry->action, &status);
        if (text_is(status, "completed") || text_is(status, "errored")) {
            *out = text_is(status, "completed") ? OCEAN_READY : OCEAN_FAILED;
        }
    }
    if (result != REEVE_GONE) {
        return result;
    }
    result = ocean_look(work, "droplet", entry->id, &status);
    if (result == REEVE_OK) {
        *out = text_is(status, "new") ? OCEAN_WAITING : OCEAN_READY;
    } else if (result == REEVE_GONE) {
        *out = is_late ? OCEAN_FAILED : OCEAN_WAITING;
        result = REEVE_OK;
    }
    return result;
}

/* Waits until the droplet of an entry exists. */
static int32_t ocean_await(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                           const struct ocean_shape *shape, const struct ocean_entry *entry)
{
    uint64_t wait_ms = ocean_first_wait(work->ocean);

    for (;;) {
        enum ocean_progress progress;
        bool is_late = !journal_is_young(&work->ocean->journal, "created", entry->id,
                                         work->ocean->settings.lag_ms, NULL);

        if (ocean_progress(work, entry, is_late, &progress) != REEVE_OK) {
            return REEVE_UNKNOWN; /* the droplet may exist; the next create continues with its id */
        }
        if (progress == OCEAN_FAILED) {
            return ocean_failed_later(work, wanted, shape, entry->id);
        }
        if (progress == OCEAN_READY) {
            /* the request, of up to 64 KiB, is no longer needed */
            (void)!ocean_entry_put(
                work, plain_text(wanted->token),
                &(struct ocean_entry){ .id = entry->id, .action = entry->action });
            work->ocean->host->made(work->call, plain_answer(entry->id));
            return REEVE_OK;
        }
        if (!ocean_wait(work, &wait_ms)) {
            ocean_retry_after(work, OCEAN_POLL_FIRST_MS);
            return ocean_fault(work, REEVE_UNKNOWN, "", "the droplet %.*s is still being created",
                               TEXT_ARG(entry->id));
        }
    }
}

/* Sends the POST. It is sent only once per entry of the journal. */
static int32_t ocean_post(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                          const struct ocean_shape *shape, struct ocean_entry *entry)
{
    struct ocean_request request = {
        .method = "POST",
        .path = TEXT("/droplets"),
        .body = entry->body,
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };
    struct journal *journal = &work->ocean->journal;
    struct text token = plain_text(wanted->token);
    struct ocean_answer answer;
    const struct doc *actions;

    if (!ocean_entry_put(work, token, entry)) {
        return ocean_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    if (ocean_send(work, &request, &answer) != REEVE_OK) {
        if (answer.result == REEVE_UNKNOWN) {
            ocean_retry_after(work, work->ocean->settings.late_ms);
        } else {
            journal_delete(journal, "requests", token);
        }
        return ocean_refuse(work, "", "create the droplet", &answer);
    }
    entry->id = doc_child_text(doc_child(&answer.doc, "droplet"), "id");
    if (!is_ocean_id(entry->id)) {
        ocean_retry_after(work, work->ocean->settings.late_ms);
        return ocean_fault(work, REEVE_UNKNOWN, "", "create the droplet: the answer has no id");
    }
    actions = doc_child(doc_child(&answer.doc, "links"), "actions");
    entry->action = doc_is_list(actions) && actions->item_count > 0
                        ? doc_child_text(&actions->items[0], "id")
                        : TEXT("");
    if (!ocean_entry_put(work, token, entry) ||
        !ocean_created_put(work, wanted, shape, entry->id)) {
        return ocean_fault(work, REEVE_UNKNOWN, "", "the journal cannot be written: %m");
    }
    return REEVE_OK;
}

/* Makes and sends the request for a token that has no droplet. */
static int32_t ocean_make(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                          const struct ocean_shape *shape, struct ocean_entry *entry)
{
    struct ocean_volume volumes[DISK_MAX];
    struct ocean_found found;
    struct text region = ocean_region(work, shape, plain_text(wanted->zone));
    int32_t result = REEVE_OK;

    if (region.length == 0) {
        return ocean_fault(work, REEVE_INVALID, "/region",
                           "no region: state region, or zones of the group");
    }
    /* a stored request has volumes too, but they may have been deleted since */
    if (entry->body.length == 0 || shape->disk_count > 0) {
        result = ocean_volumes_prepare(work, shape, wanted, region, volumes);
        entry->body = TEXT("");
    }
    if (result == REEVE_OK && entry->body.length == 0) {
        result = ocean_resolve(work, shape, &region, 1, false, &found);
        if (result == REEVE_OK) {
            result = ocean_body(work, wanted, shape, &found, volumes, region, &entry->body);
        }
    }
    return result == REEVE_OK ? ocean_post(work, wanted, shape, entry) : result;
}

/* Creates a droplet, or continues what an earlier create began. The token's lock is held. */
static int32_t ocean_create_locked(struct ocean_call *work, const struct reeve_wish_v1 *wanted,
                                   const struct ocean_shape *shape)
{
    struct text token = plain_text(wanted->token);
    struct text name = ocean_name(work->arena, plain_text(wanted->name), token);
    struct ocean_entry entry;
    uint64_t age_ms = 0;
    bool has_entry = ocean_entry_find(work, token, &entry, &age_ms);
    struct text id;
    int32_t result;

    if (has_entry && is_ocean_id(entry.id) &&
        !journal_is_young(&work->ocean->journal, "ended", entry.id, work->ocean->settings.late_ms,
                          NULL)) {
        return ocean_await(work, wanted, shape, &entry);
    }
    if (has_entry && entry.id.length > 0) {
        entry = (struct ocean_entry){ 0 }; /* the droplet was destroyed, so this is a new request */
        has_entry = false;
    }
    result = ocean_find_token(work, name, token, &id);
    if (result != REEVE_OK) {
        return has_entry ? REEVE_UNKNOWN : result; /* the result of an earlier request is unknown */
    }
    if (id.length > 0) {
        entry.id = arena_text(work->arena, id);
        entry.action = TEXT("");
        if (!ocean_entry_put(work, token, &entry) ||
            !ocean_created_put(work, wanted, shape, entry.id)) {
            return ocean_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
        }
        return ocean_await(work, wanted, shape, &entry);
    }
    if (has_entry && age_ms < work->ocean->settings.late_ms) {
        ocean_retry_after(work, work->ocean->settings.late_ms - age_ms);
        return ocean_fault(work, REEVE_UNKNOWN, "",
                           "an earlier request to create this droplet got no answer: it may still "
                           "take effect");
    }
    result = ocean_make(work, wanted, shape, &entry);
    return result == REEVE_OK ? ocean_await(work, wanted, shape, &entry) : result;
}

int32_t ocean_create(struct ocean_call *work, const struct reeve_wish_v1 *request)
{
    struct text token = plain_text(request->token);
    pthread_mutex_t *lock = &work->ocean->tokens[text_hash(token, 0) % OCEAN_TOKEN_LOCKS];
    struct ocean_shape shape;
    int32_t result;

    if (token.length < OCEAN_NAME_TOKEN || token.length > JOURNAL_NAME_BYTES) {
        return ocean_fault(work, REEVE_INVALID, "", "the token was not created by reeve");
    }
    result = ocean_shape_read(work, &shape);
    if (result != REEVE_OK) {
        return result;
    }
    (void)pthread_mutex_lock(lock);
    result = ocean_create_locked(work, request, &shape);
    if (result == REEVE_OK) {
        ocean_volumes_settle(work, &shape, request);
    } else if (result != REEVE_UNKNOWN && result != REEVE_TRANSIENT && result != REEVE_THROTTLED &&
               ocean_volumes_drop(work, &shape, request,
                                  ocean_region(work, &shape, plain_text(request->zone))) !=
                   REEVE_OK) {
        result = REEVE_UNKNOWN;
    }
    (void)pthread_mutex_unlock(lock);
    return result;
}

/* ---- destroy ---- */

/* Deletes the tags of a droplet that no longer exists. The tags are in the journal before the
 * deletion, so that none remain if the plugin is killed in between. */
static int32_t ocean_destroy_tags(struct ocean_call *work, struct text id)
{
    struct tag_codec_words words = { .items =
                                         arena_array(work->arena, struct text, OCEAN_LIST_MAX) };
    struct text rest;
    int32_t result;

    if (!journal_find(work->arena, &work->ocean->journal, "going", id, &rest, NULL)) {
        return REEVE_OK;
    }
    while (rest.length > 0 && words.count < OCEAN_LIST_MAX) {
        size_t end = text_find_byte(rest, '\n');

        words.items[words.count++] = text_slice(rest, 0, end);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
    result = ocean_tags_delete(work, &words);
    if (result == REEVE_OK) {
        journal_delete(&work->ocean->journal, "going", id);
    }
    return result;
}

/* Writes to the journal that a droplet is being destroyed, together with the names of its tags. */
static int32_t ocean_destroy_begin(struct ocean_call *work, struct text id,
                                   const struct ocean_machine *machine)
{
    struct buf lines;

    buf_init(&lines, work->arena);
    for (uint32_t i = 0; i < machine->words.count; i++) {
        buf_add(&lines, machine->words.items[i]);
        buf_add_byte(&lines, '\n');
    }
    if (!journal_put(&work->ocean->journal, "going", id, buf_text(&lines))) {
        return ocean_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    if (machine->token.length > 0) {
        journal_delete(&work->ocean->journal, "requests", machine->token);
    }
    return REEVE_OK;
}

int32_t ocean_destroy(struct ocean_call *work, struct text cluster, struct text id)
{
    struct ocean_machine machine;
    struct doc droplet;
    struct text words;
    int32_t result;

    if (!is_ocean_id(id)) {
        return REEVE_OK;
    }
    /* an interrupted destroy wrote this entry after it had checked the owner; now only the answer
     * to the deletion is proof, because listings may show the droplet late or not at all */
    if (!journal_find(work->arena, &work->ocean->journal, "going", id, &words, NULL)) {
        result = ocean_droplet_get(work, cluster, id, &droplet, &machine);
        if (result == REEVE_OK) {
            result = ocean_volumes_going(work, id, &droplet);
        }
        if (result == REEVE_OK) {
            result = ocean_destroy_begin(work, id, &machine);
        }
        if (result != REEVE_OK) {
            return result == REEVE_GONE ? REEVE_OK : result;
        }
    }
    result = ocean_droplet_delete(work, id);
    if (result == REEVE_OK) {
        result = ocean_volumes_end(work, id);
    }
    return result == REEVE_OK ? ocean_destroy_tags(work, id) : result;
}

/* ---- reboot ---- */

int32_t ocean_reboot(struct ocean_call *work, struct text cluster, struct text id)
{
    struct ocean_machine machine;
    struct ocean_answer answer;
    struct doc droplet;
    struct text status;
    struct text action;
    uint64_t wait_ms = ocean_first_wait(work->ocean);
    int32_t result = ocean_droplet_get(work, cluster, id, &droplet, &machine);
    struct ocean_request request = {
        .method = "POST",
        .path = arena_printf(work->arena, "/droplets/%.*s/actions", TEXT_ARG(id)),
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };

    if (result != REEVE_OK) {
        return result;
    }
    status = doc_child_text(&droplet, "status");
    if (text_is(status, "new")) {
        return ocean_fault(work, REEVE_TRANSIENT, "", "the droplet is still being created");
    }
    request.body = text_is(status, "active") ? TEXT("{\"type\":\"power_cycle\"}")
                                             : TEXT("{\"type\":\"power_on\"}");
    if (ocean_send(work, &request, &answer) != REEVE_OK) {
        return ocean_refuse(work, "", "reboot the droplet", &answer);
    }
    action = doc_child_text(doc_child(&answer.doc, "action"), "id");
    while (is_ocean_id(action) && ocean_look(work, "action", action, &status) == REEVE_OK) {
        if (text_is(status, "errored")) {
            return ocean_fault(work, REEVE_TRANSIENT, "", "the reboot failed at DigitalOcean");
        }
        if (text_is(status, "completed") || !ocean_wait(work, &wait_ms)) {
            break;
        }
    }
    return REEVE_OK; /* the deletion was accepted and continues without this call */
}
