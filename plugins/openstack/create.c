#include "stack.h"

#include "codec/doc_child.h"

/* nova creates a server for each POST. The network port ensures that a token gets only one server:
 * the port is created before the first POST, and only one server can use it. Normal case of a
 * create: look up the token, create the volumes and the port, write the entry of the journal, send
 * one POST, wait until the server runs, attach the volumes.
 *
 * - If the plugin is killed before the POST, or the answer is lost, the next create finds the
 *   server by its port or by its tag. Both may be visible late, so a create sends another POST only
 *   after the lag has passed. If the first request takes effect after that, its port is in use, and
 *   nova refuses it.
 * - If it is killed after the answer, the entry has the server's id, and the next create continues
 *   with that server.
 * - If the server gets the state ERROR, the server and its port are deleted before the refusal is
 *   reported. If another server of the token has the port, that server is the machine.
 *
 * Without a port, only the age of the entry shows that earlier requests can no longer take
 * effect. */

enum { STACK_TOKEN_LEAST = 12, STACK_RETRY_MS = 5000 };

/* The state of one create. */
struct stack_making {
    struct stack_call *work;
    const struct reeve_wish_v1 *wanted;
    struct stack_shape shape;
    struct stack_found found;
    struct text region;
    struct text token;
    struct text port;   /* empty: none yet */
    struct text server; /* empty: none yet */
    struct stack_volume volumes[DISK_MAX];
    bool is_resolved;
    bool has_volumes; /* the volumes were prepared */
};

/* ---- the journal's entry of a token: the server's id, or nothing before the answer ---- */

static bool stack_entry_put(struct stack_making *making)
{
    struct journal *journal = &making->work->stack->journal;

    return journal_put(journal, "requests", making->token, making->server) &&
           (making->server.length == 0 ||
            journal_put(journal, "created",
                        stack_id_format(making->work, making->region, making->server), TEXT("")));
}

static void stack_entry_delete(struct stack_making *making)
{
    journal_delete(&making->work->stack->journal, "requests", making->token);
}

/* ---- lookups ---- */

/* Finds a server of the token by its tag. With `is_loser`, finds a server other than
 * `making->server`. Otherwise finds the first server, and a server in ERROR only if there is no
 * other. */
static int32_t stack_find_tagged(struct stack_making *making, bool is_loser, struct text *out)
{
    struct stack_call *work = making->work;
    struct stack_answer answer;
    const struct doc *list;
    bool has_good = false;

    *out = TEXT("");
    if (stack_get(
            work, STACK_COMPUTE, making->region,
            arena_printf(work->arena, "/servers/detail?tags=reeve.t.%.*s", TEXT_ARG(making->token)),
            &answer) != REEVE_OK) {
        return stack_refuse(work, "", "look the server up", &answer);
    }
    list = doc_child(&answer.doc, "servers");
    if (!doc_is_list(list)) {
        return stack_no_list(work, "", "servers");
    }
    for (size_t i = 0; i < list->item_count; i++) {
        const struct doc *server = &list->items[i];
        struct text id = doc_child_text(server, "id");
        bool is_error = text_is(doc_child_text(server, "status"), "ERROR");

        if (!is_stack_uuid(id) || is_stack_deleted(server) ||
            text_is(doc_child_text(server, "OS-EXT-STS:task_state"), "deleting") ||
            journal_is_young(&work->stack->journal, "ended",
                             stack_id_format(work, making->region, id),
                             work->stack->settings.late_ms, NULL)) {
            continue;
        }
        if (is_loser ? is_error && !text_is_equal(id, making->server)
                     : out->length == 0 || (!has_good && !is_error)) {
            *out = id;
            has_good = !is_error;
        }
    }
    return REEVE_OK;
}

/* Finds the objects that earlier creates of this token made. */
static int32_t stack_find_made(struct stack_making *making)
{
    struct stack_call *work = making->work;
    struct stack_port port = { 0 };
    int32_t result = REEVE_OK;

    if (!making->shape.is_portless) {
        result = stack_port_find(work, making->region, making->token, true, &port);
        making->port = port.id;
        making->server = is_stack_uuid(port.device) ? port.device : TEXT("");
    }
    if (result == REEVE_OK && making->server.length == 0) {
        result = stack_find_tagged(making, false, &making->server);
    }
    return result;
}

/* ---- the end ---- */

/* Deletes all objects of the token, after its server has failed. */
static int32_t stack_clean(struct stack_making *making)
{
    struct stack_call *work = making->work;
    int32_t result = stack_server_remove(work, making->region, making->server);

    if (result == REEVE_OK) {
        (void)!journal_put(&work->stack->journal, "ended",
                           stack_id_format(work, making->region, making->server), TEXT(""));
        result = stack_ports_delete(work, making->region, making->token, making->server);
    }
    if (result == REEVE_OK) {
        result = stack_volumes_drop(work, &making->shape, making->wanted, making->region);
    }
    if (result == REEVE_OK) {
        stack_entry_delete(making);
    }
    return result;
}

/* Handles a server in ERROR. *out_other is true if another server of the token has the port and is
 * the machine. */
static int32_t stack_failed(struct stack_making *making, const struct doc *server, bool *out_other)
{
    struct stack_call *work = making->work;
    struct text message = doc_child_text(doc_child(server, "fault"), "message");
    struct stack_port port = { 0 };
    int32_t result = REEVE_OK;

    *out_other = false;
    if (!making->shape.is_portless) {
        result = stack_port_find(work, making->region, making->token, false, &port);
    }
    if (result != REEVE_OK) {
        return REEVE_UNKNOWN; /* the failed server was not cleaned up */
    }
    if (is_stack_uuid(port.device) && !text_is_equal(port.device, making->server)) {
        result = stack_server_remove(work, making->region, making->server);
        making->server = port.device;
        *out_other = result == REEVE_OK && stack_entry_put(making);
        return result == REEVE_OK ? REEVE_OK : REEVE_UNKNOWN;
    }
    if (stack_clean(making) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    return stack_fault(work, stack_fault_class(message), "",
                       "OpenStack accepted the server and could not create it: %.*s",
                       TEXT_ARG(text_slice(message, 0, 600)));
}

/* Handles a server that is not found. */
static int32_t stack_vanished(struct stack_making *making)
{
    struct stack_call *work = making->work;
    struct text id = stack_id_format(work, making->region, making->server);

    if (stack_ports_delete(work, making->region, making->token, making->server) != REEVE_OK ||
        stack_volumes_drop(work, &making->shape, making->wanted, making->region) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    stack_entry_delete(making);
    (void)!journal_put(&work->stack->journal, "ended", id, TEXT(""));
    return stack_fault(work, REEVE_GONE, "", "the server %.*s existed and was deleted",
                       TEXT_ARG(id));
}

/* Finds the volumes of a server that an earlier create may have made, and attaches them. */
static int32_t stack_made_volumes(struct stack_making *making)
{
    int32_t result = REEVE_OK;

    if (!making->has_volumes) {
        result = stack_volumes_prepare(making->work, &making->shape, making->wanted, making->region,
                                       making->volumes);
        making->has_volumes = result == REEVE_OK;
    }
    return result == REEVE_OK ? stack_volumes_attach(making->work, &making->shape, making->region,
                                                     making->server, making->volumes)
                              : result;
}

/* Handles a server that runs: gives it its floating address and its volumes, and reports it. */
static int32_t stack_made(struct stack_making *making, bool is_repeated)
{
    struct stack_call *work = making->work;
    struct text loser = TEXT("");
    int32_t result = REEVE_OK;

    if (making->shape.is_public) {
        if (!making->is_resolved) {
            result = stack_resolve(work, &making->shape, making->region, false, &making->found);
        }
        if (result == REEVE_OK) {
            result =
                stack_floating_create(work, making->region, making->token,
                                      plain_text(making->wanted->cluster), making->found.external);
        }
        if (result == REEVE_QUOTA || result == REEVE_CAPACITY || result == REEVE_AUTH ||
            result == REEVE_INVALID) {
            return stack_clean(making) == REEVE_OK ? result : REEVE_UNKNOWN;
        }
    }
    if (result == REEVE_OK && is_repeated) {
        result = stack_find_tagged(making, true, &loser);
        if (result == REEVE_OK && loser.length > 0) {
            result = stack_server_remove(work, making->region, loser);
        }
    }
    if (result == REEVE_OK) {
        result = stack_made_volumes(making);
    }
    if (result != REEVE_OK) {
        return REEVE_UNKNOWN; /* the server exists; the next create continues with it */
    }
    work->stack->host->made(work->call,
                            plain_answer(stack_id_format(work, making->region, making->server)));
    return REEVE_OK;
}

/* Results of one check of the server. */
enum stack_progress { STACK_WAITING, STACK_READY, STACK_FAILED, STACK_VANISHED };

static int32_t stack_look(struct stack_making *making, struct doc *out_server,
                          enum stack_progress *out)
{
    struct stack_call *work = making->work;
    struct text id = stack_id_format(work, making->region, making->server);
    struct stack_answer answer;
    struct text status;

    *out = STACK_WAITING;
    if (stack_get(work, STACK_COMPUTE, making->region,
                  arena_printf(work->arena, "/servers/%.*s", TEXT_ARG(making->server)),
                  &answer) != REEVE_OK) {
        if (!is_stack_missing(&answer)) {
            return stack_refuse(work, "", "get the server", &answer);
        }
        if (!journal_is_young(&work->stack->journal, "created", id, work->stack->settings.lag_ms,
                              NULL)) {
            *out = STACK_VANISHED;
        }
        return REEVE_OK;
    }
    if (!doc_is_map(doc_child(&answer.doc, "server"))) {
        return stack_fault(work, REEVE_TRANSIENT, "", "get the server: the answer has none");
    }
    *out_server = *doc_child(&answer.doc, "server");
    status = doc_child_text(out_server, "status");
    if (is_stack_deleted(out_server) ||
        text_is(doc_child_text(out_server, "OS-EXT-STS:task_state"), "deleting")) {
        *out = is_stack_deleted(out_server) ? STACK_VANISHED : STACK_WAITING;
    } else if (!text_is(status, "BUILD") && !text_is(status, "UNKNOWN")) {
        *out = text_is(status, "ERROR") ? STACK_FAILED : STACK_READY;
    }
    return REEVE_OK;
}

/* Waits until the server exists and runs. */
static int32_t stack_await(struct stack_making *making, bool is_repeated)
{
    struct stack_call *work = making->work;
    uint64_t wait_ms = STACK_POLL_FIRST_MS / 4;

    for (;;) {
        enum stack_progress progress;
        struct doc server = { 0 };
        bool is_other = false;

        if (stack_look(making, &server, &progress) != REEVE_OK) {
            return REEVE_UNKNOWN; /* the server may exist; the next create continues with its id */
        }
        if (progress == STACK_READY) {
            return stack_made(making, is_repeated);
        }
        if (progress == STACK_VANISHED) {
            return stack_vanished(making);
        }
        if (progress == STACK_FAILED) {
            int32_t result = stack_failed(making, &server, &is_other);

            if (!is_other) {
                return result == REEVE_OK ? REEVE_UNKNOWN : result;
            }
        }
        if (!stack_wait(work, &wait_ms)) {
            stack_retry_after(work, STACK_RETRY_MS);
            return stack_fault(work, REEVE_UNKNOWN, "", "the server is still being created");
        }
    }
}

/* ---- the only POST ---- */

/* Finds the network port of the token, and creates it if it is missing. */
static int32_t stack_take_port(struct stack_making *making)
{
    if (making->shape.is_portless || making->port.length > 0) {
        return REEVE_OK;
    }
    return stack_port_create(making->work, making->region, making->token,
                             plain_text(making->wanted->cluster), &making->found,
                             making->shape.group_count, &making->port);
}

/* Reports a failed POST. After REEVE_UNKNOWN the next create looks up the server. */
static int32_t stack_post_refused(struct stack_making *making, const struct stack_answer *answer)
{
    struct stack_call *work = making->work;

    (void)stack_refuse(work, "", "create the server", answer);
    if (answer->result == REEVE_UNKNOWN) {
        stack_retry_after(work, making->shape.is_portless ? work->stack->settings.late_ms
                                                          : work->stack->settings.lag_ms);
        return REEVE_UNKNOWN;
    }
    if (classify_contains(answer->last.message, "is still in use")) {
        /* an earlier request has taken effect, and its server has the port */
        stack_retry_after(work, STACK_RETRY_MS);
        return REEVE_UNKNOWN;
    }
    return answer->result;
}

/* Handles a refused POST. A refusal means that nothing was created, so the port is deleted before
 * the refusal is returned. */
static int32_t stack_post_failed(struct stack_making *making, int32_t result)
{
    struct stack_call *work = making->work;

    if (result == REEVE_UNKNOWN) {
        return result;
    }
    if (making->port.length > 0 &&
        stack_ports_delete(work, making->region, making->token, TEXT("")) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    if (result != REEVE_TRANSIENT && result != REEVE_THROTTLED &&
        stack_volumes_drop(work, &making->shape, making->wanted, making->region) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    stack_entry_delete(making);
    return result;
}

static int32_t stack_post(struct stack_making *making)
{
    struct stack_call *work = making->work;
    struct stack_request request = {
        .method = "POST",
        .service = STACK_COMPUTE,
        .region = making->region,
        .path = TEXT("/servers"),
        .kind = CLASSIFY_TWICE,
        .priority = HTTP_CHANGE,
    };
    struct stack_answer answer;
    int32_t result = stack_resolve(work, &making->shape, making->region, false, &making->found);

    making->is_resolved = result == REEVE_OK;
    if (result == REEVE_OK) {
        result = stack_volumes_prepare(work, &making->shape, making->wanted, making->region,
                                       making->volumes);
        making->has_volumes = result == REEVE_OK;
    }
    if (result == REEVE_OK && !stack_entry_put(making)) {
        return stack_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    if (result == REEVE_OK) {
        result = stack_take_port(making);
    }
    if (result == REEVE_OK) {
        result = stack_server_body(work, making->wanted, &making->shape, &making->found,
                                   making->volumes, making->port, &request.body);
    }
    if (result != REEVE_OK) {
        return result;
    }
    if (stack_send(work, &request, &answer) != REEVE_OK) {
        return stack_post_refused(making, &answer);
    }
    making->server = doc_child_text(doc_child(&answer.doc, "server"), "id");
    if (!is_stack_uuid(making->server)) {
        making->server = TEXT("");
        return stack_fault(work, REEVE_UNKNOWN, "", "create the server: the answer has no id");
    }
    return stack_entry_put(making)
               ? REEVE_OK
               : stack_fault(work, REEVE_UNKNOWN, "", "the journal cannot be written: %m");
}

/* ---- create ---- */

/* Chooses the region: the region of the properties, which must belong to the account, or the
 * account's first region. */
static int32_t stack_choose_region(struct stack_making *making)
{
    struct stack_call *work = making->work;

    making->region = making->shape.region;
    for (size_t i = 0; i < work->region_count; i++) {
        if (making->region.length == 0 || text_is_equal(making->region, work->regions[i])) {
            making->region = work->regions[i];
            return REEVE_OK;
        }
    }
    return stack_fault(work, REEVE_INVALID, "/region",
                       "'%.*s' is not one of the regions in the account's settings",
                       TEXT_ARG(making->region));
}

/* Creates a server, or continues what an earlier create began. The token's lock is held. */
static int32_t stack_create_locked(struct stack_making *making)
{
    struct stack_call *work = making->work;
    const struct stack_settings *settings = &work->stack->settings;
    uint64_t window_ms = making->shape.is_portless ? settings->late_ms : settings->lag_ms;
    struct text entry = TEXT("");
    uint64_t age_ms = 0;
    bool has_entry = journal_find(work->arena, &work->stack->journal, "requests", making->token,
                                  &entry, &age_ms);
    int32_t result;

    if (has_entry && is_stack_uuid(entry) &&
        !journal_is_young(&work->stack->journal, "ended",
                          stack_id_format(work, making->region, entry), settings->late_ms, NULL)) {
        making->server = entry;
        return stack_await(making, true);
    }
    result = stack_find_made(making);
    if (result != REEVE_OK) {
        return has_entry ? REEVE_UNKNOWN : result;
    }
    if (making->server.length > 0) {
        return stack_entry_put(making)
                   ? stack_await(making, true)
                   : stack_fault(work, REEVE_TRANSIENT, "", "the journal cannot be written: %m");
    }
    if (has_entry && entry.length == 0 && age_ms < window_ms) {
        stack_retry_after(work, window_ms - age_ms);
        return stack_fault(work, REEVE_UNKNOWN, "",
                           "an earlier request to create this server got no answer: it may still "
                           "take effect");
    }
    result = stack_post(making);
    return result == REEVE_OK ? stack_await(making, has_entry) : stack_post_failed(making, result);
}

int32_t stack_create(struct stack_call *work, const struct reeve_wish_v1 *wanted)
{
    struct text token = plain_text(wanted->token);
    pthread_mutex_t *lock = &work->stack->tokens[text_hash(token, 0) % STACK_TOKEN_LOCKS];
    struct stack_making making = { .work = work, .wanted = wanted, .token = token };
    int32_t result;

    if (token.length < STACK_TOKEN_LEAST || token.length > 52 ||
        stack_url(work, token).length != token.length) {
        return stack_fault(work, REEVE_INVALID, "", "the token was not created by reeve");
    }
    result = stack_shape_read(work, &making.shape);
    if (result == REEVE_OK) {
        result = stack_choose_region(&making);
    }
    if (result != REEVE_OK) {
        return result;
    }
    (void)pthread_mutex_lock(lock);
    result = stack_create_locked(&making);
    (void)pthread_mutex_unlock(lock);
    return result;
}
