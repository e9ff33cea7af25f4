#include "managed_store/managed_member.h"

#include "etcd_member/member.h"
#include "managed_store/managed_parts.h"
#include "managed_store/managed_watch.h"

#include <stdio.h>
#include <string.h>

/* public names start with: managed_member_ */

enum {
    MEMBER_PAUSE_MS = 5000, /* before a request that failed is repeated */
    MEMBER_NAME_MAX = 256,
};

struct managed_member {
    struct arena *memory;
    struct managed_member_options options;
    struct managed_watch *watch; /* NULL: this host never had a member */
    struct member_call *call;    /* NULL: no request is in progress */
    uint64_t method;             /* of that request */
    uint64_t retry_ms;           /* no request but STATUS is made before */
    char name[MEMBER_NAME_MAX];
    char reason[LIMIT_ERROR_TEXT_BYTES]; /* of the latest failure, which was logged */
    bool is_known;
    bool is_running;
};

static bool managed_member_is_made(const struct managed_member *member)
{
    return managed_file_is_there(member->options.store.data, MEMBER_FOLDER "/member.json");
}

static void managed_member_failed(struct managed_member *member, const struct err *err)
{
    member->retry_ms = loop_now_ms(member->options.loop) + MEMBER_PAUSE_MS;
    if (strcmp(member->reason, err->text) != 0) {
        snprintf(member->reason, sizeof(member->reason), "%s", err->text);
        log_warn(member->options.log, "store", "member_request_failed",
                 log_string("reason", err->text));
    }
}

static void managed_member_state_take(struct managed_member *member, struct text name,
                                      bool is_running)
{
    snprintf(member->name, sizeof(member->name), "%.*s", TEXT_ARG(name));
    member->is_known = true;
    member->is_running = is_running;
}

static void managed_member_replied(void *arg, enum outcome outcome,
                                   const struct member_ipc_reply *reply, const struct err *err)
{
    static const char *const changes[MEMBER_IPC_METHOD_COUNT] = {
        [MEMBER_IPC_START] = "started",
        [MEMBER_IPC_PUT_ASIDE] = "put aside",
    };
    struct managed_member *member = arg;

    member->call = NULL;
    if (outcome != OUTCOME_OK) {
        /* reeve-store may be starting: it is asked again, and started again by the watch */
        if (member->method != MEMBER_IPC_STATUS) {
            managed_member_failed(member, err);
        }
        return;
    }
    if (changes[member->method] != NULL) {
        log_info(member->options.log, "store", "member_changed",
                 log_string("what", changes[member->method]),
                 log_text("member", member->method == MEMBER_IPC_START ? reply->arguments.name
                                                                       : text_from(member->name)));
        member->reason[0] = '\0';
    }
    managed_member_state_take(
        member, reply->state == MEMBER_IPC_ABSENT ? TEXT("") : reply->arguments.name,
        reply->state == MEMBER_IPC_RUNNING || reply->state == MEMBER_IPC_WAITING);
}

static void managed_member_ask(struct managed_member *member, const struct member_ipc_ask *ask)
{
    struct err err;

    member->method = ask->method;
    if (!member_call_start(member->options.loop, member->options.store.data, ask,
                           managed_member_replied, member, &member->call, &err)) {
        member->call = NULL;
        if (ask->method != MEMBER_IPC_STATUS) {
            managed_member_failed(member, &err);
        }
    }
}

void managed_member_look(struct managed_member *member)
{
    if (member->call != NULL) {
        return;
    }
    if (member->watch == NULL && !managed_member_is_made(member)) {
        managed_member_state_take(member, TEXT(""), false);
        return;
    }
    managed_member_ask(member, &(struct member_ipc_ask){ .method = MEMBER_IPC_STATUS });
}

/* Makes reeve-store run. */
MUST_CHECK static bool managed_member_process_have(struct managed_member *member, struct err *err)
{
    const struct managed_member_options *options = &member->options;

    return member->watch != NULL || (managed_folder_have(options->store.data, err) &&
                                     managed_watch_open(member->memory, options->loop, options->log,
                                                        options->store.data, &member->watch, err));
}

void managed_member_run(struct managed_member *member, const struct managed_member_wanted *wanted)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_ask ask = { .method = MEMBER_IPC_PUT_ASIDE };
    bool has_member = member->name[0] != '\0';
    struct err err;

    if (!member->is_known || member->call != NULL ||
        loop_now_ms(member->options.loop) < member->retry_ms ||
        (wanted == NULL ? !has_member : text_is(wanted->name, member->name))) {
        return;
    }
    if (!managed_member_process_have(member, &err)) {
        managed_member_failed(member, &err);
        return;
    }
    if (!member_is_served(member->options.store.data)) {
        return; /* the watch starts it */
    }
    if (!has_member) {
        ask.method = MEMBER_IPC_START;
        ask.arguments = (struct member_ipc_arguments){
            .manager = text_from(member->options.store.manager),
            .name = wanted->name,
            .token = wanted->name, /* etcd uses it for a new store only */
            .cluster = wanted->cluster,
            .is_joining = 1,
            .peer_advertise = wanted->peer,
        };
        managed_arguments_listen(arena, &member->options.store, &ask.arguments);
    }
    managed_member_ask(member, &ask);
}

/* ---- public ---- */

bool managed_member_open(const struct managed_member_options *options, struct managed_member **out,
                         struct err *err)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct managed_member *member = arena_one(memory, struct managed_member);

    *member = (struct managed_member){ .memory = memory, .options = *options };
    if (managed_member_is_made(member) && !managed_member_process_have(member, err)) {
        managed_member_close(member);
        return false;
    }
    *out = member;
    return true;
}

void managed_member_close(struct managed_member *member)
{
    if (member != NULL) {
        member_call_cancel(member->call);
        managed_watch_close(member->watch);
        arena_free(member->memory);
    }
}

bool managed_member_is_known(const struct managed_member *member)
{
    return member->is_known;
}

struct text managed_member_name(const struct managed_member *member)
{
    return text_from(member->name);
}

bool managed_member_is_running(const struct managed_member *member)
{
    return member->is_running;
}
