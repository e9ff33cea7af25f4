#include "etcd/etcd_members.h"

#include "base/limits.h"
#include "etcd/etcd_link.h"
#include "etcd/etcd_wire.h"

#include <assert.h>
#include <string.h>

/* Field numbers of etcd's messages of the services Cluster and Maintenance. */
enum {
    ANSWER_HEADER = 1,
    HEADER_CLUSTER = 1,
    HEADER_MEMBER = 2,

    MEMBER_ID = 1,
    MEMBER_NAME = 2,
    MEMBER_PEER = 3,
    MEMBER_CLIENT = 4,
    MEMBER_LEARNER = 5,

    ADD_PEER = 1,
    ADD_LEARNER = 2,
    LIST_LINEARIZABLE = 1,
    CHANGE_ID = 1,
    CHANGE_PEER = 2,

    ADDED_MEMBER = 2,
    ADDED_MEMBERS = 3,
    LISTED_MEMBERS = 2,

    STATUS_VERSION = 2,
    STATUS_BYTES = 3,
    STATUS_LEADER = 4,
    STATUS_INDEX = 5,
    STATUS_TERM = 6,
    STATUS_APPLIED = 7,
    STATUS_ERRORS = 8,
    STATUS_LEARNER = 10,
};

/* gRPC status codes of these services. */
enum { MEMBERS_GRPC_NOT_FOUND = 5, MEMBERS_GRPC_PRECONDITION = 9 };

enum members_kind {
    MEMBERS_LIST,
    MEMBERS_ADD,
    MEMBERS_CHANGE,
    MEMBERS_REMOVE,
    MEMBERS_MOVE,
    MEMBERS_STATUS,
};

struct members_call {
    struct etcd_members *members;
    struct arena *arena;
    enum members_kind kind;
    etcd_members_done *done;
    void *arg;
};

struct etcd_members {
    struct arena *memory; /* holds this struct */
    struct etcd_link *link;
    uint64_t cluster_id;
    struct pool *calls;
    size_t in_progress;
};

static const char *const problem_names[ETCD_MEMBERS_PROBLEM_COUNT] = {
    [ETCD_MEMBERS_FINE] = "fine",           [ETCD_MEMBERS_UNREACHABLE] = "unreachable",
    [ETCD_MEMBERS_NO_QUORUM] = "no quorum", [ETCD_MEMBERS_FULL] = "full",
    [ETCD_MEMBERS_REPLACED] = "replaced",   [ETCD_MEMBERS_DAMAGED] = "damaged",
    [ETCD_MEMBERS_REJECTED] = "rejected",
};

const char *etcd_members_problem_name(enum etcd_members_problem problem)
{
    assert(problem < ETCD_MEMBERS_PROBLEM_COUNT);
    return problem_names[problem];
}

/* ---- answers ---- */

MUST_CHECK static bool members_header_read(struct text message, uint64_t *out_cluster,
                                           uint64_t *out_member)
{
    struct wire_field field;
    enum wire_step step;

    while ((step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.number == HEADER_CLUSTER && !field.is_bytes) {
            *out_cluster = field.value;
        } else if (field.number == HEADER_MEMBER && !field.is_bytes) {
            *out_member = field.value;
        }
    }
    return step == WIRE_STEP_END;
}

MUST_CHECK static bool members_row_read(struct text message, struct etcd_members_row *out)
{
    struct wire_field field;
    enum wire_step step;

    *out = (struct etcd_members_row){ .name = TEXT("") };
    while ((step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.is_bytes != (field.number >= MEMBER_NAME && field.number <= MEMBER_CLIENT)) {
            return false;
        }
        switch (field.number) {
        case MEMBER_ID:
            out->id = field.value;
            break;
        case MEMBER_NAME:
            out->name = field.bytes;
            break;
        case MEMBER_PEER:
            out->peer = out->peer.length == 0 ? field.bytes : out->peer;
            break;
        case MEMBER_CLIENT:
            out->client = out->client.length == 0 ? field.bytes : out->client;
            break;
        case MEMBER_LEARNER:
            out->is_learner = field.value != 0;
            break;
        default:
            return false;
        }
    }
    return step == WIRE_STEP_END && out->id != 0;
}

/* True if the text contains the word. */
static bool members_has_word(struct text text, struct text word)
{
    for (size_t at = 0; at + word.length <= text.length; at++) {
        if (memcmp(text.data + at, word.data, word.length) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes over an error of a status: "etcdserver: no leader", "memberID:12 alarm:CORRUPT". */
static void members_status_error(struct text error, struct etcd_members_answer *out)
{
    if (members_has_word(error, TEXT("CORRUPT"))) {
        out->problem = ETCD_MEMBERS_DAMAGED;
    } else if (out->problem == ETCD_MEMBERS_FINE && members_has_word(error, TEXT("NOSPACE"))) {
        out->problem = ETCD_MEMBERS_FULL;
    } else if (out->problem == ETCD_MEMBERS_FINE && members_has_word(error, TEXT("no leader"))) {
        out->problem = ETCD_MEMBERS_NO_QUORUM;
    }
}

MUST_CHECK static bool members_status_field(const struct wire_field *field,
                                            struct etcd_members_answer *out)
{
    struct etcd_members_status *status = &out->status;

    if (field->number <= STATUS_LEARNER &&
        field->is_bytes != (field->number == STATUS_VERSION || field->number == STATUS_ERRORS)) {
        return false;
    }
    switch (field->number) {
    case STATUS_VERSION:
        status->version = field->bytes;
        break;
    case STATUS_BYTES:
        status->bytes = field->value;
        break;
    case STATUS_LEADER:
        status->leader = field->value;
        break;
    case STATUS_INDEX:
        status->index = field->value;
        break;
    case STATUS_TERM:
        status->term = field->value;
        break;
    case STATUS_APPLIED:
        status->applied = field->value;
        break;
    case STATUS_ERRORS:
        members_status_error(field->bytes, out);
        break;
    case STATUS_LEARNER:
        status->is_learner = field->value != 0;
        break;
    default:
        break;
    }
    return true;
}

/* Reads the rows of a list, or the added member and all members. */
MUST_CHECK static bool members_rows_field(const struct members_call *call,
                                          const struct wire_field *field,
                                          struct etcd_members_row *rows,
                                          struct etcd_members_answer *out)
{
    uint32_t list = call->kind == MEMBERS_ADD ? ADDED_MEMBERS : LISTED_MEMBERS;
    struct etcd_members_row added;

    if (field->number == list) {
        if (!field->is_bytes || out->count == ETCD_MEMBERS_MAX ||
            !members_row_read(field->bytes, &rows[out->count])) {
            return false;
        }
        out->count++;
    } else if (call->kind == MEMBERS_ADD && field->number == ADDED_MEMBER) {
        if (!field->is_bytes || !members_row_read(field->bytes, &added)) {
            return false;
        }
        out->added = added.id;
    }
    return true;
}

/* Reads an answer. Returns false if it is not a valid message. */
MUST_CHECK static bool members_answer_read(const struct members_call *call, struct text message,
                                           struct etcd_members_answer *out)
{
    struct etcd_members_row *rows =
        arena_array(call->arena, struct etcd_members_row, ETCD_MEMBERS_MAX);
    struct wire_field field;
    enum wire_step step;
    bool is_good = true;

    out->rows = rows;
    while (is_good && (step = wire_next(&message, &field)) == WIRE_STEP_FIELD) {
        if (field.number == ANSWER_HEADER) {
            is_good = field.is_bytes &&
                      members_header_read(field.bytes, &out->cluster_id, &out->status.id);
        } else if (call->kind == MEMBERS_STATUS) {
            is_good = members_status_field(&field, out);
        } else {
            is_good = members_rows_field(call, &field, rows, out);
        }
    }
    /* etcd 3.4 answers the move of a leader without a header */
    return is_good && step == WIRE_STEP_END && (out->cluster_id != 0 || call->kind == MEMBERS_MOVE);
}

/* Finds the kind of problem of a call that failed. */
static enum etcd_members_problem members_problem(const struct etcd_reply *reply)
{
    struct text text = text_from(reply->err.text);

    if (reply->status == MEMBERS_GRPC_PRECONDITION || reply->status == MEMBERS_GRPC_NOT_FOUND ||
        members_has_word(text, TEXT("re-configuration failed")) ||
        members_has_word(text, TEXT("unhealthy cluster")) ||
        members_has_word(text, TEXT("learner"))) {
        return ETCD_MEMBERS_REJECTED;
    }
    if (reply->err.code == CODE_R0505) {
        return ETCD_MEMBERS_FULL;
    }
    if (members_has_word(text, TEXT("corrupt"))) {
        return ETCD_MEMBERS_DAMAGED;
    }
    return reply->status == UINT32_MAX ? ETCD_MEMBERS_UNREACHABLE : ETCD_MEMBERS_NO_QUORUM;
}

static void members_answer_set(const struct members_call *call, const struct etcd_reply *reply,
                               struct etcd_members_answer *out)
{
    uint64_t expected = call->members->cluster_id;

    *out = (struct etcd_members_answer){ .outcome = reply->outcome };
    if (reply->outcome != OUTCOME_OK) {
        out->err = reply->err;
        out->problem = members_problem(reply);
        if (call->kind == MEMBERS_REMOVE && reply->status == MEMBERS_GRPC_NOT_FOUND) {
            *out = (struct etcd_members_answer){ .outcome = OUTCOME_OK };
        } else if (out->problem == ETCD_MEMBERS_REJECTED) {
            out->outcome = OUTCOME_REFUSED; /* etcd checks a change before it begins */
        }
        return;
    }
    if (!members_answer_read(call, reply->message, out)) {
        out->outcome = OUTCOME_UNKNOWN;
        out->problem = ETCD_MEMBERS_UNREACHABLE;
        err_set(&out->err, CODE_R0518, "an answer about the members of etcd cannot be read");
    } else if (expected != 0 && out->cluster_id != 0 && out->cluster_id != expected) {
        out->outcome = OUTCOME_UNKNOWN;
        out->problem = ETCD_MEMBERS_REPLACED;
        err_set(&out->err, CODE_R0519, "the etcd that answers is not the one of this store");
        err_hint(&out->err, "check the endpoints: reeve manager status");
    }
}

static void members_replied(void *arg, const struct etcd_reply *reply)
{
    struct members_call *call = arg;
    struct etcd_members *members = call->members;
    struct arena *arena = call->arena;
    struct etcd_members_answer answer;

    members_answer_set(call, reply, &answer);
    members->in_progress--;
    call->done(call->arg, &answer);
    pool_give(members->calls, call);
    arena_free(arena);
}

/* ---- calls ---- */

static struct members_call *members_call_new(struct etcd_members *members, enum members_kind kind,
                                             etcd_members_done *done, void *arg)
{
    struct members_call *call = pool_take(members->calls);

    assert(call != NULL && "too many calls about members are in progress");
    *call = (struct members_call){ .members = members,
                                   .arena = arena_new(LIMIT_WORK_ARENA_BYTES),
                                   .kind = kind,
                                   .done = done,
                                   .arg = arg };
    members->in_progress++;
    return call;
}

static void members_call_send(struct members_call *call, const char *method, struct buf *message)
{
    etcd_link_call(call->members->link, method, buf_text(message), call->arena, members_replied,
                   call);
}

void etcd_members_list(struct etcd_members *members, etcd_members_done *done, void *arg)
{
    struct members_call *call = members_call_new(members, MEMBERS_LIST, done, arg);
    struct buf message;

    buf_init(&message, call->arena);
    /* etcd 3.5 and later; etcd 3.4 skips this field and answers from the member */
    wire_add_number(&message, LIST_LINEARIZABLE, 1);
    members_call_send(call, "Cluster/MemberList", &message);
}

void etcd_members_status(struct etcd_members *members, etcd_members_done *done, void *arg)
{
    struct members_call *call = members_call_new(members, MEMBERS_STATUS, done, arg);
    struct buf message;

    buf_init(&message, call->arena);
    members_call_send(call, "Maintenance/Status", &message);
}

void etcd_members_add(struct etcd_members *members, struct text peer, etcd_members_done *done,
                      void *arg)
{
    struct members_call *call = members_call_new(members, MEMBERS_ADD, done, arg);
    struct buf message;

    buf_init(&message, call->arena);
    wire_add_text(&message, ADD_PEER, peer);
    wire_add_number(&message, ADD_LEARNER, 1);
    members_call_send(call, "Cluster/MemberAdd", &message);
}

static void members_change(struct etcd_members *members, enum members_kind kind, uint64_t id,
                           const char *method, etcd_members_done *done, void *arg)
{
    struct members_call *call = members_call_new(members, kind, done, arg);
    struct buf message;

    buf_init(&message, call->arena);
    wire_add_number(&message, CHANGE_ID, id);
    members_call_send(call, method, &message);
}

void etcd_members_promote(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                          void *arg)
{
    members_change(members, MEMBERS_CHANGE, id, "Cluster/MemberPromote", done, arg);
}

void etcd_members_remove(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                         void *arg)
{
    members_change(members, MEMBERS_REMOVE, id, "Cluster/MemberRemove", done, arg);
}

void etcd_members_move_leader(struct etcd_members *members, uint64_t id, etcd_members_done *done,
                              void *arg)
{
    members_change(members, MEMBERS_MOVE, id, "Maintenance/MoveLeader", done, arg);
}

void etcd_members_update(struct etcd_members *members, uint64_t id, struct text peer,
                         etcd_members_done *done, void *arg)
{
    struct members_call *call = members_call_new(members, MEMBERS_CHANGE, done, arg);
    struct buf message;

    buf_init(&message, call->arena);
    wire_add_number(&message, CHANGE_ID, id);
    wire_add_text(&message, CHANGE_PEER, peer);
    members_call_send(call, "Cluster/MemberUpdate", &message);
}

/* ---- the link ---- */

bool etcd_members_open(const struct etcd_options *options, uint64_t cluster_id,
                       struct etcd_members **out, struct err *err)
{
    struct etcd_members *members;
    struct etcd_link *link;
    struct arena *memory;

    if (!etcd_link_open(options, &link, err)) {
        return false;
    }
    memory = arena_new_small(SIZE_MAX);
    members = arena_one(memory, struct etcd_members);
    *members = (struct etcd_members){
        .memory = memory,
        .link = link,
        .cluster_id = cluster_id,
        .calls = pool_new(sizeof(struct members_call), ETCD_MEMBERS_CALLS),
    };
    *out = members;
    return true;
}

void etcd_members_close(struct etcd_members *members)
{
    if (members == NULL) {
        return;
    }
    etcd_link_abort(members->link);
    assert(members->in_progress == 0);
    etcd_link_close(members->link);
    pool_free(members->calls);
    arena_free(members->memory);
}

int etcd_members_descriptor(const struct etcd_members *members)
{
    return etcd_link_descriptor(members->link);
}

void etcd_members_run(struct etcd_members *members)
{
    (void)etcd_link_run(members->link);
}

bool etcd_members_has_room(const struct etcd_members *members)
{
    return members->in_progress < ETCD_MEMBERS_CALLS;
}
