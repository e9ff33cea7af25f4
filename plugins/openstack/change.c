#include "stack.h"

#include "codec/doc_child.h"

enum { STACK_CONSOLE_BYTES = 65536, STACK_CONSOLE_LINES = 2000 };

/* ---- destroy ---- */

int32_t stack_destroy(struct stack_call *work, struct text cluster, struct text id)
{
    struct journal *journal = &work->stack->journal;
    struct text token = plain_text(work->stack->host->token(work->call));
    struct stack_machine machine;
    struct stack_id place;
    struct doc server;
    bool has_disks = true; /* if unknown, the plugin searches for them */
    bool is_begun;
    int32_t result;

    if (!stack_id_parse(id, &place)) {
        return REEVE_OK;
    }
    /* an interrupted destroy wrote this entry after it had checked the owner */
    is_begun = journal_find(work->arena, journal, "going", id, &token, NULL);
    if (!is_begun) {
        result = stack_server_get(work, cluster, id, &server, &machine);
        if (result == REEVE_GONE && token.length > 0) {
            /* nova has no server with this id in the cluster, but the port of the server may still
             * exist */
            return stack_ports_delete(work, place.region, token, place.server);
        }
        if (result != REEVE_OK) {
            return result == REEVE_GONE ? REEVE_OK : result;
        }
        token = machine.token;
        has_disks = machine.has_disks;
        result = has_disks ? stack_volumes_keep(work, place.region, &server) : REEVE_OK;
        if (result != REEVE_OK) {
            return result;
        }
        if (!journal_put(journal, "going", id, token)) {
            return stack_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
        }
    }
    result = stack_server_remove(work, place.region, place.server);
    if (result != REEVE_OK && result != REEVE_UNKNOWN && !is_begun) {
        journal_delete(journal, "going", id);
        return result;
    }
    /* the server may already be gone; a refusal would mean that nothing has changed, and no later
     * call would delete its port and its volumes */
    if (result != REEVE_OK ||
        (token.length > 0 &&
         (stack_ports_delete(work, place.region, token, place.server) != REEVE_OK ||
          (has_disks && stack_volumes_end(work, place.region, token) != REEVE_OK)))) {
        return REEVE_UNKNOWN;
    }
    (void)!journal_put(journal, "ended", id, TEXT(""));
    journal_delete(journal, "created", id);
    journal_delete(journal, "hostkey", id);
    journal_delete(journal, "requests", token);
    journal_delete(journal, "going", id);
    return REEVE_OK;
}

/* ---- label ---- */

/* Deletes one item of metadata. It is not a fault if the item does not exist. */
static int32_t stack_metadata_delete(struct stack_call *work, const struct stack_id *place,
                                     struct text key)
{
    struct stack_request request = {
        .method = "DELETE",
        .service = STACK_COMPUTE,
        .region = place->region,
        .path = arena_printf(work->arena, "/servers/%.*s/metadata/%.*s", TEXT_ARG(place->server),
                             TEXT_ARG(stack_url(work, key))),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;

    return stack_send(work, &request, &answer) == REEVE_OK || is_stack_missing(&answer)
               ? REEVE_OK
               : stack_refuse(work, "", "remove a label", &answer);
}

static int32_t stack_metadata_put(struct stack_call *work, const struct stack_id *place,
                                  struct doc metadata)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_COMPUTE,
        .region = place->region,
        .path = arena_printf(work->arena, "/servers/%.*s/metadata", TEXT_ARG(place->server)),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;
    struct doc_builder body;

    if (metadata.entry_count == 0) {
        return REEVE_OK;
    }
    doc_builder_init(&body, work->arena);
    doc_builder_put(&body, "metadata", metadata);
    request.body = stack_json(work, &body);
    return stack_send(work, &request, &answer) == REEVE_OK
               ? REEVE_OK
               : stack_refuse(work, "", "change the labels", &answer);
}

/* Gets the present labels of a server, as metadata: the labels that reeve.labels lists. */
static bool stack_labels_now(struct stack_call *work, const struct doc *metadata, struct doc *out)
{
    struct tag_codec_tags all = { .items = arena_array(work->arena, struct reeve_tag,
                                                       metadata->entry_count) };
    struct text labels;

    for (size_t i = 0; i < metadata->entry_count; i++) {
        all.items[all.count++] =
            (struct reeve_tag){ plain_answer(metadata->entries[i].key),
                                plain_answer(metadata->entries[i].value.text) };
    }
    return tag_codec_join(work->arena, &all, TEXT("reeve.labels"), '.', &labels) &&
           stack_label_metadata(work->arena, labels, out);
}

/* Writes or removes either the labels, or reeve.labels with its pieces. */
static int32_t stack_labels_apply(struct stack_call *work, const struct stack_id *place,
                                  const struct doc *wanted, const struct doc *now, bool is_record)
{
    struct doc_builder puts;
    int32_t result;

    doc_builder_init(&puts, work->arena);
    for (size_t i = 0; doc_is_map(wanted) && i < wanted->entry_count; i++) {
        if (text_has_prefix(wanted->entries[i].key, TEXT("reeve.")) == is_record) {
            doc_builder_add(&puts, &wanted->entries[i]);
        }
    }
    result = stack_metadata_put(work, place, doc_builder_map(&puts, NULL));
    for (size_t i = 0; result == REEVE_OK && doc_is_map(now) && i < now->entry_count; i++) {
        if (text_has_prefix(now->entries[i].key, TEXT("reeve.")) == is_record &&
            doc_find(wanted, now->entries[i].key) == NULL) {
            result = stack_metadata_delete(work, place, now->entries[i].key);
        }
    }
    return result;
}

int32_t stack_label(struct stack_call *work, struct text cluster, struct text id,
                    struct text labels)
{
    struct stack_machine machine;
    struct stack_id place;
    struct doc server;
    struct doc wanted;
    struct doc now = { 0 };
    int32_t result = stack_server_get(work, cluster, id, &server, &machine);

    if (result != REEVE_OK || !stack_id_parse(id, &place)) {
        return result;
    }
    if (!stack_label_metadata(work->arena, labels, &wanted)) {
        return stack_fault(work, REEVE_INVALID, "",
                           "the labels do not fit: OpenStack accepts 128 items of metadata");
    }
    if (!stack_labels_now(work, doc_child(&server, "metadata"), &now)) {
        now = (struct doc){ 0 };
    }
    /* new labels are written first, and reeve.labels last; after an interruption, the next change
     * still finds the old labels in reeve.labels and completes the change */
    result = stack_labels_apply(work, &place, &wanted, &now, false);
    return result == REEVE_OK ? stack_labels_apply(work, &place, &wanted, &now, true) : result;
}

/* ---- actions ---- */

static int32_t stack_act(struct stack_call *work, const struct stack_id *place, struct text body,
                         struct stack_answer *out)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_COMPUTE,
        .region = place->region,
        .path = arena_printf(work->arena, "/servers/%.*s/action", TEXT_ARG(place->server)),
        .body = body,
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };

    return stack_send(work, &request, out);
}

int32_t stack_reboot(struct stack_call *work, struct text cluster, struct text id)
{
    struct stack_machine machine;
    struct stack_answer answer;
    struct stack_id place;
    struct doc server;
    struct text status;
    int32_t result = stack_server_get(work, cluster, id, &server, &machine);

    if (result != REEVE_OK || !stack_id_parse(id, &place)) {
        return result;
    }
    status = doc_child_text(&server, "status");
    if (text_is(status, "BUILD")) {
        return stack_fault(work, REEVE_TRANSIENT, "", "the server is still being created");
    }
    if (text_is(status, "SHUTOFF")) {
        result = stack_act(work, &place, TEXT("{\"os-start\":null}"), &answer);
    } else {
        result = text_is(status, "ACTIVE")
                     ? stack_act(work, &place, TEXT("{\"reboot\":{\"type\":\"SOFT\"}}"), &answer)
                     : REEVE_TRANSIENT;
        /* a machine that does not react, or that is in another state, is reset */
        if (result == REEVE_TRANSIENT) {
            result = stack_act(work, &place, TEXT("{\"reboot\":{\"type\":\"HARD\"}}"), &answer);
        }
    }
    return result == REEVE_OK ? result : stack_refuse(work, "", "reboot the server", &answer);
}

int32_t stack_console_get(struct stack_call *work, struct text region, struct text server,
                          unsigned lines, struct stack_answer *out)
{
    struct stack_request request = {
        .method = "POST",
        .service = STACK_COMPUTE,
        .region = region,
        .path = arena_printf(work->arena, "/servers/%.*s/action", TEXT_ARG(server)),
        .body = arena_printf(work->arena, "{\"os-getConsoleOutput\":{\"length\":%u}}", lines),
        .kind = CLASSIFY_READ,
        .priority = HTTP_READ,
    };

    return stack_send(work, &request, out);
}

int32_t stack_console(struct stack_call *work, struct text cluster, struct text id)
{
    struct stack_machine machine;
    struct stack_answer answer;
    struct stack_id place;
    struct doc server;
    struct text all;
    int32_t result = stack_server_get(work, cluster, id, &server, &machine);

    if (result != REEVE_OK || !stack_id_parse(id, &place)) {
        return result;
    }
    if (stack_console_get(work, place.region, place.server, STACK_CONSOLE_LINES, &answer) !=
        REEVE_OK) {
        return stack_refuse(work, "", "get the console", &answer);
    }
    all = doc_child_text(&answer.doc, "output");
    if (all.length > STACK_CONSOLE_BYTES) {
        all = text_slice(all, all.length - STACK_CONSOLE_BYTES, all.length);
    }
    work->stack->host->text(work->call, plain_answer(all));
    return REEVE_OK;
}
