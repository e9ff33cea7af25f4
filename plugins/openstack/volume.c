#include "stack.h"

#include "codec/doc_child.h"

#include <time.h>

/* Volumes of cinder. cinder creates a volume for each POST, and names need not be unique. So a
 * volume is named after its key, and is looked up before it is created. The journal has an entry
 * `disks` for a key from before the POST until the volume is attached. So a POST without an answer
 * is repeated only when it can no longer take effect, and a volume with an entry has never held
 * data. */

enum { STACK_VOLUME_PAGE = 500, STACK_VOLUME_PAGES_MAX = 100, STACK_VOLUME_RETRY_MS = 5000 };

static struct stack_request stack_volume_request(struct text region, const char *method,
                                                 struct text path, enum classify_kind kind)
{
    return (struct stack_request){
        .method = method,
        .service = STACK_VOLUME,
        .region = region,
        .path = path,
        .kind = kind,
        .priority = HTTP_CHANGE,
    };
}

/* Returns the value of one item of metadata. */
static struct text stack_volume_tag(const struct doc *volume, const char *name)
{
    return doc_child_text(doc_child(volume, "metadata"), name);
}

static struct text stack_volume_server(const struct doc *volume)
{
    const struct doc *list = doc_child(volume, "attachments");

    return doc_is_list(list) && list->item_count > 0 ? doc_child_text(&list->items[0], "server_id")
                                                     : TEXT("");
}

static bool is_stack_volume_going(const struct doc *volume)
{
    return text_has_prefix(doc_child_text(volume, "status"), TEXT("deleting"));
}

/* ---- lists ---- */

/* Reads all volumes that a query selects, in pages. A failure is reported. */
static int32_t stack_volume_list(struct stack_call *work, struct text region, struct text query,
                                 struct doc **out, size_t *out_count)
{
    struct text marker = TEXT("");
    unsigned restarts = 0;

    *out = NULL;
    *out_count = 0;
    for (unsigned page = 0; page < STACK_VOLUME_PAGES_MAX; page++) {
        struct stack_answer answer;
        const struct doc *list;
        struct text path =
            arena_printf(work->arena, "/volumes/detail?%.*s&limit=%d%s%.*s", TEXT_ARG(query),
                         STACK_VOLUME_PAGE, marker.length > 0 ? "&marker=" : "", TEXT_ARG(marker));

        if (stack_get(work, STACK_VOLUME, region, path, &answer) != REEVE_OK) {
            if (marker.length > 0 && stack_is_marker_gone(&answer) &&
                restarts++ < STACK_RESTARTS_MAX) {
                marker = TEXT("");
                *out_count = 0;
                continue;
            }
            return stack_refuse(work, "", "list the volumes", &answer);
        }
        list = doc_child(&answer.doc, "volumes");
        if (!doc_is_list(list)) {
            return stack_no_list(work, "", "volumes");
        }
        *out = arena_grow(work->arena, *out, *out_count * sizeof(**out),
                          (*out_count + list->item_count) * sizeof(**out));
        for (size_t i = 0; i < list->item_count; i++) {
            (*out)[(*out_count)++] = list->items[i];
        }
        if (list->item_count == 0 || doc_child(&answer.doc, "volumes_links") == NULL) {
            return REEVE_OK;
        }
        marker = doc_child_text(&list->items[list->item_count - 1], "id");
    }
    return stack_fault(work, REEVE_TRANSIENT, "", "the listing of volumes does not end");
}

/* Reads the volumes with an item of metadata. The result is filtered again, because a cloud may
 * ignore the filter. */
static int32_t stack_volume_list_tagged(struct stack_call *work, struct text region,
                                        const char *name, struct text value, struct doc **out,
                                        size_t *out_count)
{
    struct text filter =
        /* the format that cinder parses */
        arena_printf(work->arena, "{'%s': '%.*s'}", name, TEXT_ARG(value));
    size_t count = 0;
    int32_t result = stack_volume_list(
        work, region, arena_printf(work->arena, "metadata=%.*s", TEXT_ARG(stack_url(work, filter))),
        out, out_count);

    for (size_t i = 0; i < *out_count; i++) {
        if (text_is_equal(stack_volume_tag(&(*out)[i], name), value)) {
            (*out)[count++] = (*out)[i];
        }
    }
    *out_count = count;
    return result;
}

/* Gets a volume. GONE: cinder has none with this id, which is not reported. */
static int32_t stack_volume_get(struct stack_call *work, struct text region, struct text id,
                                struct doc *out)
{
    struct stack_answer answer;
    const struct doc *volume;

    if (stack_get(work, STACK_VOLUME, region,
                  arena_printf(work->arena, "/volumes/%.*s", TEXT_ARG(id)), &answer) != REEVE_OK) {
        return is_stack_missing(&answer) ? REEVE_GONE
                                         : stack_refuse(work, "", "get the volume", &answer);
    }
    volume = doc_child(&answer.doc, "volume");
    if (!doc_is_map(volume)) {
        return stack_fault(work, REEVE_TRANSIENT, "", "get the volume: the answer has none");
    }
    *out = *volume;
    return REEVE_OK;
}

/* ---- one volume ---- */

/* Deletes a volume. A missing volume is not a fault. */
static int32_t stack_volume_delete(struct stack_call *work, struct text region, struct text id)
{
    struct stack_request request = stack_volume_request(
        region, "DELETE", arena_printf(work->arena, "/volumes/%.*s", TEXT_ARG(id)), CLASSIFY_ONCE);
    struct stack_answer answer;

    return stack_send(work, &request, &answer) == REEVE_OK || is_stack_missing(&answer)
               ? REEVE_OK
               : stack_refuse(work, "", "delete the volume", &answer);
}

/* Finds the volume with a key. Of several volumes, the attached volume is used, or else the oldest,
 * which has the data. */
static int32_t stack_volume_find(struct stack_call *work, struct text region, struct text key,
                                 const struct doc **out)
{
    struct doc *list;
    size_t count;
    int32_t result = stack_volume_list(
        work, region, arena_printf(work->arena, "name=%.*s", TEXT_ARG(stack_url(work, key))), &list,
        &count);

    *out = NULL;
    for (size_t i = 0; result == REEVE_OK && i < count; i++) {
        const struct doc *volume = &list[i];
        bool is_used = stack_volume_server(volume).length > 0;

        if (!text_is_equal(stack_volume_tag(volume, "reeve.volume"), key) ||
            is_stack_volume_going(volume)) {
            continue;
        }
        if (*out == NULL || (is_used && stack_volume_server(*out).length == 0) ||
            (is_used == (stack_volume_server(*out).length > 0) &&
             text_compare(doc_child_text(volume, "created_at"),
                          doc_child_text(*out, "created_at")) < 0)) {
            *out = volume;
        }
    }
    return result;
}

static struct text stack_volume_body(struct stack_call *work, const struct disk *disk,
                                     const struct reeve_wish_v1 *wanted, struct text key)
{
    struct doc_builder metadata;
    struct doc_builder volume;
    struct doc_builder body;

    doc_builder_init(&metadata, work->arena);
    for (uint32_t i = 0; i < wanted->tag_count; i++) {
        stack_put_pieces(work->arena, &metadata, plain_text(wanted->tags[i].name),
                         plain_text(wanted->tags[i].value));
    }
    doc_builder_put(&metadata, "reeve.volume", doc_text(key, NULL));
    doc_builder_put(&metadata, "reeve.keep", doc_text(disk->keep, NULL));
    doc_builder_put(&metadata, "reeve.name", doc_text(disk->name, NULL));
    doc_builder_init(&volume, work->arena);
    doc_builder_put(&volume, "name", doc_text(key, NULL));
    doc_builder_put(&volume, "description",
                    doc_text(arena_printf(work->arena, "%.*s-%.*s",
                                          TEXT_ARG(plain_text(wanted->name)), TEXT_ARG(disk->name)),
                             NULL));
    doc_builder_put(&volume, "size", doc_int(work->arena, disk->gib, NULL));
    doc_builder_put(&volume, "metadata", doc_builder_map(&metadata, NULL));
    if (wanted->zone.length > 0) {
        doc_builder_put(&volume, "availability_zone", doc_text(plain_text(wanted->zone), NULL));
    }
    if (disk->type.length > 0) {
        doc_builder_put(&volume, "volume_type", doc_text(disk->type, NULL));
    }
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "volume", doc_builder_map(&volume, NULL));
    return stack_json(work, &body);
}

/* Creates a volume, unless an earlier request for it may still take effect. */
static int32_t stack_volume_create(struct stack_call *work, const struct disk *disk,
                                   const struct reeve_wish_v1 *wanted, struct text region,
                                   struct text key, struct text *out_id)
{
    struct journal *journal = &work->stack->journal;
    struct stack_request request =
        stack_volume_request(region, "POST", TEXT("/volumes"), CLASSIFY_TWICE);
    struct stack_answer answer;
    struct text entry;
    uint64_t age_ms = 0;

    if (journal_find(work->arena, journal, "disks", key, &entry, &age_ms) && entry.length == 0 &&
        age_ms < work->stack->settings.late_ms) {
        stack_retry_after(work, work->stack->settings.late_ms - age_ms);
        return stack_fault(work, REEVE_UNKNOWN, "/volumes",
                           "an earlier request to create the volume %.*s got no answer: it may "
                           "still take effect",
                           TEXT_ARG(disk->name));
    }
    if (!journal_put(journal, "disks", key, TEXT(""))) {
        return stack_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    request.body = stack_volume_body(work, disk, wanted, key);
    if (stack_send(work, &request, &answer) != REEVE_OK) {
        if (answer.result != REEVE_UNKNOWN) {
            journal_delete(journal, "disks", key);
        }
        return stack_refuse(work, "/volumes", "create the volume", &answer);
    }
    *out_id = doc_child_text(doc_child(&answer.doc, "volume"), "id");
    if (!is_stack_uuid(*out_id)) {
        return stack_fault(work, REEVE_UNKNOWN, "/volumes",
                           "create the volume: the answer has no id");
    }
    return journal_put(journal, "disks", key, *out_id)
               ? REEVE_OK
               : stack_fault(work, REEVE_UNKNOWN, "", "the journal cannot be written: %m");
}

static int32_t stack_volume_check(struct stack_call *work, const struct disk *disk, size_t i,
                                  struct text zone, const struct doc *volume)
{
    struct text at = doc_child_text(volume, "availability_zone");
    int64_t gib = doc_child_number(volume, "size");

    if (zone.length > 0 && !text_is_equal(at, zone)) {
        return stack_fault(work, REEVE_INVALID, "/volumes",
                           "the kept volume %.*s (%.*s) is in the zone %.*s, and the machine is "
                           "for %.*s: disks do not move between zones",
                           TEXT_ARG(doc_child_text(volume, "id")), TEXT_ARG(disk->name),
                           TEXT_ARG(at), TEXT_ARG(zone));
    }
    if (gib != disk->gib) {
        return stack_fault(work, REEVE_INVALID,
                           arena_printf(work->arena, "/volumes/%zu/size", i).data,
                           "the kept volume %.*s (%.*s) has %lld GiB, and %lld are requested: "
                           "change the size at the cloud, or delete the volume",
                           TEXT_ARG(doc_child_text(volume, "id")), TEXT_ARG(disk->name),
                           (long long)gib, (long long)disk->gib);
    }
    return REEVE_OK;
}

/* Waits until cinder has created a volume. If the creation fails, the volume is deleted. */
static int32_t stack_volume_await(struct stack_call *work, const struct disk *disk,
                                  struct text region, const struct stack_volume *volume)
{
    uint64_t wait_ms = STACK_POLL_FIRST_MS / 4;

    for (;;) {
        struct doc now;
        struct text status;
        int32_t result = stack_volume_get(work, region, volume->id, &now);

        if (result != REEVE_OK && result != REEVE_GONE) {
            return REEVE_UNKNOWN; /* the next create finds the volume */
        }
        status = result == REEVE_OK ? doc_child_text(&now, "status") : TEXT("");
        if (text_is(status, "error")) {
            result = stack_volume_delete(work, region, volume->id);
            journal_delete(&work->stack->journal, "disks", volume->key);
            return result == REEVE_OK
                       ? stack_fault(work, REEVE_CAPACITY, "/volumes",
                                     "the cloud accepted the volume %.*s and could not create it",
                                     TEXT_ARG(disk->name))
                       : REEVE_UNKNOWN;
        }
        if (result == REEVE_OK && !text_is(status, "creating")) {
            return REEVE_OK;
        }
        if (!stack_wait(work, &wait_ms)) {
            stack_retry_after(work, STACK_VOLUME_RETRY_MS);
            return stack_fault(work, REEVE_UNKNOWN, "/volumes",
                               "the volume %.*s is still being created", TEXT_ARG(disk->name));
        }
    }
}

int32_t stack_volumes_prepare(struct stack_call *work, const struct stack_shape *shape,
                              const struct reeve_wish_v1 *wanted, struct text region,
                              struct stack_volume out[static DISK_MAX])
{
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];
        const struct doc *known;

        out[i] = (struct stack_volume){ .key = disk_key(work->arena, disk->name, disk->is_node,
                                                        wanted) };
        result = stack_volume_find(work, region, out[i].key, &known);
        if (result == REEVE_OK && known != NULL) {
            out[i].id = doc_child_text(known, "id");
            out[i].has_kept_tag = stack_volume_tag(known, "reeve.kept").length > 0;
            result = stack_volume_check(work, disk, i, plain_text(wanted->zone), known);
        } else if (result == REEVE_OK) {
            result = stack_volume_create(work, disk, wanted, region, out[i].key, &out[i].id);
        }
        if (result == REEVE_OK) {
            result = stack_volume_await(work, disk, region, &out[i]);
        }
    }
    return result;
}

struct text stack_volume_device(struct stack_call *work, struct text id)
{
    /* the serial number of a virtio disk has at most 20 bytes */
    return arena_printf(work->arena, "/dev/disk/by-id/virtio-%.*s",
                        TEXT_ARG(text_slice(id, 0, 20)));
}

/* ---- attach ---- */

/* Sends the request that attaches a volume. With `keep: node`, nova will delete the volume with the
 * server. A refusal is not a failure here, because the state of the volume shows the result. */
static void stack_volume_post(struct stack_call *work, const struct disk *disk, struct text region,
                              struct text server, struct text id)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_COMPUTE,
        .region = region,
        .path = arena_printf(work->arena, "/servers/%.*s/os-volume_attachments", TEXT_ARG(server)),
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };
    struct doc_builder attachment;
    struct doc_builder body;
    struct stack_answer answer;

    doc_builder_init(&attachment, work->arena);
    doc_builder_put(&attachment, "volumeId", doc_text(id, NULL));
    doc_builder_put(&attachment, "delete_on_termination", doc_bool(disk->is_node, NULL));
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "volumeAttachment", doc_builder_map(&attachment, NULL));
    request.body = stack_json(work, &body);
    if (stack_send(work, &request, &answer) != REEVE_OK) {
        (void)stack_refuse(work, "/volumes", "attach the volume", &answer);
    }
}

static int32_t stack_volume_unmark(struct stack_call *work, struct text region,
                                   const struct stack_volume *volume)
{
    struct stack_request request = stack_volume_request(
        region, "DELETE",
        arena_printf(work->arena, "/volumes/%.*s/metadata/reeve.kept", TEXT_ARG(volume->id)),
        CLASSIFY_ONCE);
    struct stack_answer answer;

    return !volume->has_kept_tag || stack_send(work, &request, &answer) == REEVE_OK ||
                   is_stack_missing(&answer)
               ? REEVE_OK
               : stack_refuse(work, "/volumes", "change the volume", &answer);
}

/* Attaches a volume. Waits if it is still attached to a server that is ending. */
static int32_t stack_volume_attach(struct stack_call *work, const struct disk *disk,
                                   struct text region, struct text server,
                                   const struct stack_volume *volume)
{
    uint64_t wait_ms = STACK_POLL_FIRST_MS / 4;

    for (;;) {
        struct doc now;
        struct text status;

        if (stack_volume_get(work, region, volume->id, &now) != REEVE_OK) {
            return stack_fault(work, REEVE_UNKNOWN, "/volumes", "the volume %.*s is not there",
                               TEXT_ARG(disk->name));
        }
        status = doc_child_text(&now, "status");
        if (text_is(status, "in-use") && text_is_equal(stack_volume_server(&now), server)) {
            journal_delete(&work->stack->journal, "disks", volume->key);
            return stack_volume_unmark(work, region, volume);
        }
        if (text_is(status, "available")) {
            stack_volume_post(work, disk, region, server, volume->id);
        }
        if (!stack_wait(work, &wait_ms)) {
            stack_retry_after(work, STACK_VOLUME_RETRY_MS);
            return stack_fault(work, REEVE_UNKNOWN, "/volumes",
                               "the volume %.*s is not attached yet; it is %.*s",
                               TEXT_ARG(disk->name), TEXT_ARG(status));
        }
    }
}

int32_t stack_volumes_attach(struct stack_call *work, const struct stack_shape *shape,
                             struct text region, struct text server,
                             const struct stack_volume *volumes)
{
    for (size_t i = 0; i < shape->disk_count; i++) {
        if (stack_volume_attach(work, &shape->disks[i], region, server, &volumes[i]) != REEVE_OK) {
            return REEVE_UNKNOWN; /* the server exists; the next create continues with it */
        }
    }
    return REEVE_OK;
}

/* ---- the end ---- */

int32_t stack_volumes_drop(struct stack_call *work, const struct stack_shape *shape,
                           const struct reeve_wish_v1 *wanted, struct text region)
{
    struct journal *journal = &work->stack->journal;
    int32_t result = REEVE_OK;

    for (size_t i = 0; i < shape->disk_count && result == REEVE_OK; i++) {
        const struct disk *disk = &shape->disks[i];
        struct text key = disk_key(work->arena, disk->name, disk->is_node, wanted);
        const struct doc *known = NULL;
        struct text entry;

        if (!journal_find(work->arena, journal, "disks", key, &entry, NULL) && !disk->is_node) {
            continue;
        }
        result = stack_volume_find(work, region, key, &known);
        if (result == REEVE_OK && known != NULL && stack_volume_server(known).length == 0) {
            result = stack_volume_delete(work, region, doc_child_text(known, "id"));
        }
        if (result == REEVE_OK) {
            journal_delete(journal, "disks", key);
        }
    }
    return result;
}

static int32_t stack_volume_mark(struct stack_call *work, struct text region, struct text id)
{
    struct stack_request request = stack_volume_request(
        region, "POST", arena_printf(work->arena, "/volumes/%.*s/metadata", TEXT_ARG(id)),
        CLASSIFY_ONCE);
    struct stack_answer answer;

    request.body = arena_printf(work->arena, "{\"metadata\":{\"reeve.kept\":\"%lld\"}}",
                                (long long)time(NULL));
    return stack_send(work, &request, &answer) == REEVE_OK || is_stack_missing(&answer)
               ? REEVE_OK
               : stack_refuse(work, "", "mark the kept volume", &answer);
}

int32_t stack_volumes_keep(struct stack_call *work, struct text region, const struct doc *server)
{
    const struct doc *list = doc_child(server, "os-extended-volumes:volumes_attached");

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        struct text id = doc_child_text(&list->items[i], "id");
        struct doc volume;
        int32_t result = stack_volume_get(work, region, id, &volume);

        if (result == REEVE_OK && stack_volume_tag(&volume, "reeve.volume").length > 0 &&
            !text_is(stack_volume_tag(&volume, "reeve.keep"), "node")) {
            result = stack_volume_mark(work, region, id);
        }
        if (result != REEVE_OK && result != REEVE_GONE) {
            return result;
        }
    }
    return REEVE_OK;
}

/* Tries once to delete the remaining volumes of a list. *out_left is the number of volumes that
 * nova has not detached yet. */
static int32_t stack_volumes_end_once(struct stack_call *work, struct text region,
                                      struct text token, size_t *out_left)
{
    struct doc *list;
    size_t count;
    int32_t result = stack_volume_list_tagged(work, region, "reeve.token", token, &list, &count);

    *out_left = 0;
    for (size_t i = 0; result == REEVE_OK && i < count; i++) {
        struct text status = doc_child_text(&list[i], "status");

        if (!text_is(stack_volume_tag(&list[i], "reeve.keep"), "node") ||
            is_stack_volume_going(&list[i])) {
            continue;
        }
        if (text_is(status, "available") || text_has_prefix(status, TEXT("error"))) {
            result = stack_volume_delete(work, region, doc_child_text(&list[i], "id"));
        } else {
            *out_left += 1;
        }
    }
    return result;
}

int32_t stack_volumes_end(struct stack_call *work, struct text region, struct text token)
{
    uint64_t wait_ms = STACK_POLL_FIRST_MS / 4;

    for (;;) {
        size_t left;

        if (stack_volumes_end_once(work, region, token, &left) != REEVE_OK) {
            return REEVE_UNKNOWN;
        }
        if (left == 0) {
            return REEVE_OK;
        }
        if (!stack_wait(work, &wait_ms)) {
            stack_retry_after(work, STACK_VOLUME_RETRY_MS);
            return stack_fault(work, REEVE_UNKNOWN, "", "a volume is still attached");
        }
    }
}

/* ---- resources ---- */

int32_t stack_volume_resources(struct stack_call *work, struct text region, struct text cluster)
{
    struct doc *list;
    size_t count;
    int32_t result =
        stack_endpoint(work, "volumev3", region).length == 0 &&
                stack_endpoint(work, "block-storage", region).length == 0
            ? REEVE_GONE
            : stack_volume_list_tagged(work, region, "reeve.cluster_id", cluster, &list, &count);

    if (result != REEVE_OK) {
        return result == REEVE_GONE ? REEVE_OK : result; /* a cloud without volumes */
    }
    for (size_t i = 0; i < count; i++) {
        struct text server = stack_volume_server(&list[i]);
        struct stack_machine tags;
        struct reeve_resource_v1 row = {
            .struct_size = sizeof(row),
            .kind = REEVE_TEXT("volume"),
            .id = plain_answer(stack_id_format(work, region, doc_child_text(&list[i], "id"))),
            .zone = plain_answer(doc_child_text(&list[i], "availability_zone")),
            .bytes = (uint64_t)doc_child_number(&list[i], "size") << 30,
        };

        stack_machine_read(work->arena, &list[i], &tags);
        row.tags = tags.tags.items;
        row.tag_count = tags.tags.count;
        if (server.length > 0) {
            row.attached = plain_answer(stack_id_format(work, region, server));
        }
        if (!is_stack_volume_going(&list[i])) {
            work->stack->host->resource(work->call, &row);
        }
    }
    return REEVE_OK;
}

int32_t stack_volume_destroy(struct stack_call *work, struct text region, struct text cluster,
                             struct text id)
{
    struct doc volume;
    int32_t result = stack_volume_get(work, region, id, &volume);

    if (result != REEVE_OK || is_stack_volume_going(&volume) ||
        !text_is_equal(stack_volume_tag(&volume, "reeve.cluster_id"), cluster)) {
        return result == REEVE_GONE ? REEVE_OK : result;
    }
    return stack_volume_delete(work, region, id);
}
