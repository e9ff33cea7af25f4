#include "stack.h"

#include "codec/doc_child.h"

enum { STACK_UUID_BYTES = 36, STACK_RETRY_MS = 5000 };

bool is_stack_uuid(struct text id)
{
    for (size_t i = 0; i < id.length; i++) {
        char byte = id.data[i];
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (is_dash
                ? byte != '-'
                : !((byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'f'))) {
            return false;
        }
    }
    return id.length == STACK_UUID_BYTES;
}

bool stack_id_parse(struct text id, struct stack_id *out)
{
    size_t slash = text_find_byte(id, '/');

    if (slash == SIZE_MAX) {
        return false;
    }
    *out = (struct stack_id){ .region = text_slice(id, 0, slash),
                              .server = text_slice(id, slash + 1, id.length) };
    return is_stack_uuid(out->server);
}

struct text stack_id_format(struct stack_call *work, struct text region, struct text server)
{
    return arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(region), TEXT_ARG(server));
}

/* Returns the result for "not found", which for a new server does not prove that it is gone. */
static int32_t stack_not_found(struct stack_call *work, struct text id)
{
    const struct stack_settings *settings = &work->stack->settings;
    uint64_t age_ms = work->stack->host->age_ms(work->call);
    uint64_t left_ms = 0;

    if (journal_is_young(&work->stack->journal, "ended", id, settings->late_ms, NULL)) {
        return REEVE_GONE;
    }
    if (journal_is_young(&work->stack->journal, "created", id, settings->lag_ms, &left_ms) ||
        age_ms < settings->lag_ms) {
        stack_retry_after(work, left_ms > 0 ? left_ms : settings->lag_ms - age_ms);
        return stack_fault(work, REEVE_TRANSIENT, "",
                           "the server %.*s is not shown; it is young, and may be shown later",
                           TEXT_ARG(id));
    }
    return REEVE_GONE;
}

int32_t stack_server_get(struct stack_call *work, struct text cluster, struct text id,
                         struct doc *out, struct stack_machine *machine)
{
    struct stack_answer answer;
    struct stack_id place;
    const struct doc *server;

    if (!stack_id_parse(id, &place)) {
        return REEVE_GONE;
    }
    if (stack_get(work, STACK_COMPUTE, place.region,
                  arena_printf(work->arena, "/servers/%.*s", TEXT_ARG(place.server)),
                  &answer) != REEVE_OK) {
        return is_stack_missing(&answer) ? stack_not_found(work, id)
                                         : stack_refuse(work, "", "get the server", &answer);
    }
    server = doc_child(&answer.doc, "server");
    if (doc_is_map(server) && is_stack_deleted(server)) {
        return REEVE_GONE;
    }
    if (!doc_is_map(doc_child(server, "metadata"))) {
        stack_retry_after(work, STACK_RETRY_MS);
        return stack_fault(work, REEVE_TRANSIENT, "",
                           "the cloud does not know the state of the server %.*s: its cell does "
                           "not answer",
                           TEXT_ARG(id));
    }
    *out = *server;
    stack_machine_read(work->arena, out, machine);
    return text_is_equal(machine->cluster, cluster) ? REEVE_OK : REEVE_GONE;
}

/* Checks once whether a server no longer exists. */
static int32_t stack_server_look(struct stack_call *work, struct text region, struct text path,
                                 bool *out_gone)
{
    struct stack_answer answer;

    *out_gone = false;
    if (stack_get(work, STACK_COMPUTE, region, path, &answer) != REEVE_OK) {
        *out_gone = is_stack_missing(&answer);
        return *out_gone ? REEVE_OK : stack_refuse(work, "", "get the server", &answer);
    }
    *out_gone = is_stack_deleted(doc_child(&answer.doc, "server"));
    return REEVE_OK;
}

int32_t stack_server_remove(struct stack_call *work, struct text region, struct text server)
{
    struct stack_request request = {
        .method = "DELETE",
        .service = STACK_COMPUTE,
        .region = region,
        .path = arena_printf(work->arena, "/servers/%.*s", TEXT_ARG(server)),
        .kind = CLASSIFY_ONCE,
        .priority = HTTP_CHANGE,
    };
    uint64_t wait_ms = STACK_POLL_FIRST_MS / 4;
    struct stack_answer answer;
    bool is_gone = false;

    if (stack_send(work, &request, &answer) != REEVE_OK && !is_stack_missing(&answer)) {
        return stack_refuse(work, "", "delete the server", &answer);
    }
    for (;;) {
        if (stack_server_look(work, region, request.path, &is_gone) != REEVE_OK) {
            return REEVE_UNKNOWN; /* the deletion was accepted, but its end was not observed */
        }
        if (is_gone) {
            return REEVE_OK;
        }
        if (!stack_wait(work, &wait_ms)) {
            stack_retry_after(work, STACK_RETRY_MS);
            return stack_fault(work, REEVE_UNKNOWN, "", "the server is still being deleted");
        }
    }
}
