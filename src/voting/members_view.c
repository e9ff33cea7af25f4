#include "voting/members_view.h"

#include "plan/voters.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOK_MS = 2000,
    CALL_MS = 1500,   /* deadline of one question, below LOOK_MS */
    QUORUM_MS = 5000, /* without a linearizable answer for this time, the level is C */
    MEMBERS_MAX = 16, /* members with a link; further ones are not shown */
    NAME_BYTES = 128,
    URL_BYTES = 256,
    LAG_SHOWN = 10000, /* entries; a member that lacks more is shown as behind */
};

/* A member, its texts, and the link to it. */
struct members_view_slot {
    struct members_view *members_view;
    struct members_view_member member;
    char name[NAME_BYTES];
    char peer[URL_BYTES];
    char client[URL_BYTES];
    char version[32];
    struct etcd_members *link; /* NULL: it has no client address that can be used */
    char linked[URL_BYTES];    /* address of the link */
    struct loop_descriptor *ready;
    bool is_asking;
    bool is_listed; /* in the newest list */
};

struct members_view {
    struct members_view_options options;
    struct arena *memory;
    struct arena *reach; /* texts of options.etcd, if they were changed; NULL: they were not */
    struct etcd_members *list;
    struct loop_descriptor *list_ready;
    struct loop_timer *timer;
    bool is_listing;
    /* The member of this host, which is reached by a unix socket: it may listen for no other host.
     * The link is NULL if the store has no such endpoint. */
    struct etcd_members *own;
    struct loop_descriptor *own_ready;
    uint64_t own_id; /* 0: not known yet */
    bool is_asking_own;
    struct members_view_slot slots[MEMBERS_MAX];
    size_t count;
    uint64_t leader;
    uint64_t term;   /* newest term of a status that named a leader */
    bool is_certain; /* the newest list is that of the leader */
    char reason[LIMIT_ERROR_TEXT_BYTES + 64];
};

static void members_view_text_set(char *out, size_t bytes, struct text text)
{
    snprintf(out, bytes, "%.*s", TEXT_ARG(text));
}

/* ---- one member ---- */

static void members_view_link_close(struct members_view_slot *slot)
{
    loop_descriptor_close(slot->ready);
    slot->ready = NULL;
    etcd_members_close(slot->link);
    slot->link = NULL;
    slot->linked[0] = '\0';
}

static void members_view_link_ready(void *arg, unsigned events)
{
    struct members_view_slot *slot = arg;

    (void)events;
    etcd_members_run(slot->link);
}

static void members_view_reason_set(struct members_view_slot *slot, const char *reason)
{
    snprintf(slot->member.reason, sizeof(slot->member.reason), "%s", reason);
}

/* Returns where the member is asked: at its address for clients, or at the unix socket if it runs
 * on this host. */
static const char *members_view_endpoint(const struct members_view_slot *slot)
{
    const struct members_view *members_view = slot->members_view;

    return members_view->own_id == slot->member.row.id && members_view->own_id != 0
               ? members_view->options.etcd.endpoints[0]
               : slot->client;
}

/* Connects to a member. Failures are shown as its reason. */
static void members_view_link_open(struct members_view_slot *slot)
{
    struct members_view *members_view = slot->members_view;
    const char *endpoint = members_view_endpoint(slot);
    struct etcd_options options = members_view->options.etcd;
    struct err err;

    options.endpoints = &endpoint;
    options.endpoint_count = 1;
    options.call_timeout_ms = CALL_MS;
    if (endpoint[0] == '\0') {
        members_view_reason_set(slot, "it has never started");
        return;
    }
    if (!etcd_members_open(&options, 0, &slot->link, &err)) {
        members_view_reason_set(slot, err.text);
        slot->link = NULL;
        return;
    }
    if (!loop_descriptor_open(members_view->options.loop, etcd_members_descriptor(slot->link),
                              members_view_link_ready, slot, &slot->ready, &err)) {
        members_view_reason_set(slot, err.text);
        etcd_members_close(slot->link);
        slot->link = NULL;
        return;
    }
    loop_descriptor_want(slot->ready, LOOP_READABLE);
    snprintf(slot->linked, sizeof(slot->linked), "%s", endpoint);
}

static void members_view_status_taken(void *arg, const struct etcd_members_answer *answer)
{
    struct members_view_slot *slot = arg;
    struct members_view *members_view = slot->members_view;
    struct members_view_member *member = &slot->member;

    slot->is_asking = false;
    member->is_heard = answer->outcome == OUTCOME_OK && answer->status.id == member->row.id;
    member->problem = answer->problem;
    if (!member->is_heard) {
        members_view_reason_set(slot, answer->outcome == OUTCOME_OK
                                          ? "another member answers at its address"
                                          : answer->err.text);
        return;
    }
    member->status = answer->status;
    members_view_text_set(slot->version, sizeof(slot->version), answer->status.version);
    member->status.version = text_from(slot->version);
    member->heard_ms = loop_now_ms(members_view->options.loop);
    members_view_reason_set(slot, member->problem == ETCD_MEMBERS_FINE
                                      ? ""
                                      : etcd_members_problem_name(member->problem));
    /* a former leader that was cut off from the others still names itself */
    if (answer->status.leader != 0 && answer->status.term >= members_view->term) {
        members_view->leader = answer->status.leader;
        members_view->term = answer->status.term;
    }
}

/* Asks a member for its status, over a link to its newest address. */
static void members_view_slot_look(struct members_view_slot *slot)
{
    if (slot->is_asking) {
        return;
    }
    if (slot->link != NULL && strcmp(slot->linked, members_view_endpoint(slot)) != 0) {
        members_view_link_close(slot);
    }
    if (slot->link == NULL) {
        members_view_link_open(slot);
    }
    if (slot->link != NULL) {
        slot->is_asking = true;
        etcd_members_status(slot->link, members_view_status_taken, slot);
    } else {
        slot->member.is_heard = false;
    }
}

/* ---- the list ---- */

static struct members_view_slot *members_view_slot_find(struct members_view *members_view,
                                                        uint64_t id)
{
    for (size_t i = 0; i < members_view->count; i++) {
        if (members_view->slots[i].member.row.id == id) {
            return &members_view->slots[i];
        }
    }
    return NULL;
}

static void members_view_row_take(struct members_view *members_view,
                                  const struct etcd_members_row *row)
{
    struct members_view_slot *slot = members_view_slot_find(members_view, row->id);

    if (slot == NULL && members_view->count < MEMBERS_MAX) {
        slot = &members_view->slots[members_view->count++];
        *slot = (struct members_view_slot){ .members_view = members_view };
        slot->member.heard_ms = loop_now_ms(members_view->options.loop);
    }
    if (slot == NULL) {
        return;
    }
    members_view_text_set(slot->name, sizeof(slot->name), row->name);
    members_view_text_set(slot->peer, sizeof(slot->peer), row->peer);
    members_view_text_set(slot->client, sizeof(slot->client), row->client);
    slot->member.row = (struct etcd_members_row){ .id = row->id,
                                                  .name = text_from(slot->name),
                                                  .peer = text_from(slot->peer),
                                                  .client = text_from(slot->client),
                                                  .is_learner = row->is_learner };
    slot->is_listed = true;
}

static void members_view_list_taken(void *arg, const struct etcd_members_answer *answer)
{
    struct members_view *members_view = arg;

    members_view->is_listing = false;
    if (answer->outcome != OUTCOME_OK) {
        return;
    }
    for (size_t i = 0; i < members_view->count; i++) {
        members_view->slots[i].is_listed = false;
    }
    for (size_t i = 0; i < answer->count; i++) {
        members_view_row_take(members_view, &answer->rows[i]);
    }
    members_view->is_certain =
        members_view->leader != 0 && answer->status.id == members_view->leader;
}

/* Asks for the list: the leader, if it answers. */
static void members_view_list_ask(struct members_view *members_view)
{
    struct members_view_slot *leader = members_view_slot_find(members_view, members_view->leader);

    if (members_view->is_listing) {
        return;
    }
    members_view->is_listing = true;
    etcd_members_list(leader != NULL && leader->link != NULL && leader->member.is_heard
                          ? leader->link
                          : members_view->list,
                      members_view_list_taken, members_view);
}

/* Drops members that are no longer in the list. Called outside of callbacks of links. A slot keeps
 * its place while a question is in progress, because the question has a pointer to it. */
static void members_view_slots_sweep(struct members_view *members_view)
{
    while (members_view->count > 0) {
        struct members_view_slot *last = &members_view->slots[members_view->count - 1];

        if (last->is_listed || last->is_asking) {
            break;
        }
        members_view_link_close(last);
        members_view->count--;
    }
}

static void members_view_list_ready(void *arg, unsigned events)
{
    struct members_view *members_view = arg;

    (void)events;
    etcd_members_run(members_view->list);
}

/* ---- the member of this host ---- */

static void members_view_own_taken(void *arg, const struct etcd_members_answer *answer)
{
    struct members_view *members_view = arg;

    members_view->is_asking_own = false;
    if (answer->outcome == OUTCOME_OK) {
        members_view->own_id = answer->status.id;
    }
}

static void members_view_own_ready(void *arg, unsigned events)
{
    struct members_view *members_view = arg;

    (void)events;
    etcd_members_run(members_view->own);
}

/* Opens the link to the member of this host, if the first endpoint is a unix socket. */
MUST_CHECK static bool members_view_own_open(struct members_view *members_view, struct err *err)
{
    struct etcd_options etcd = members_view->options.etcd;

    if (etcd.endpoint_count == 0 || !text_has_prefix(text_from(etcd.endpoints[0]), TEXT("unix:"))) {
        return true;
    }
    etcd.endpoint_count = 1;
    etcd.call_timeout_ms = CALL_MS;
    if (!etcd_members_open(&etcd, 0, &members_view->own, err) ||
        !loop_descriptor_open(members_view->options.loop,
                              etcd_members_descriptor(members_view->own), members_view_own_ready,
                              members_view, &members_view->own_ready, err)) {
        return false;
    }
    loop_descriptor_want(members_view->own_ready, LOOP_READABLE);
    return true;
}

static void members_view_look(void *arg)
{
    struct members_view *members_view = arg;

    /* asked in every turn, because the member of this host can be replaced by another one */
    if (members_view->own != NULL && !members_view->is_asking_own) {
        members_view->is_asking_own = true;
        etcd_members_status(members_view->own, members_view_own_taken, members_view);
    }

    members_view_slots_sweep(members_view);
    members_view_list_ask(members_view);
    for (size_t i = 0; i < members_view->count; i++) {
        if (members_view->slots[i].is_listed) {
            members_view_slot_look(&members_view->slots[i]);
        }
    }
}

/* ---- public ---- */

bool members_view_is_certain(const struct members_view *members_view)
{
    return members_view->is_certain;
}

/* Copies the options, whose texts belong to the caller. */
static void members_view_reach_copy(struct members_view *members_view,
                                    const struct etcd_options *etcd)
{
    struct arena *arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const char **endpoints = arena_array(arena, const char *, etcd->endpoint_count);
    struct etcd_options *kept = &members_view->options.etcd;
    const char **files[] = { &kept->ca_file, &kept->certificate_file, &kept->key_file };

    kept->ca_file = etcd->ca_file;
    kept->certificate_file = etcd->certificate_file;
    kept->key_file = etcd->key_file;
    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        *files[i] = *files[i] == NULL ? NULL : arena_string(arena, text_from(*files[i]));
    }
    for (size_t i = 0; i < etcd->endpoint_count; i++) {
        endpoints[i] = arena_string(arena, text_from(etcd->endpoints[i]));
    }
    kept->endpoints = endpoints;
    kept->endpoint_count = etcd->endpoint_count;
    arena_free(members_view->reach);
    members_view->reach = arena;
}

bool members_view_reach_set(struct members_view *members_view, const struct etcd_options *etcd,
                            struct err *err)
{
    struct etcd_members *list;
    struct loop_descriptor *ready;
    struct etcd_options brief = *etcd;

    brief.prefix = members_view->options.etcd.prefix;
    brief.call_timeout_ms = CALL_MS;
    if (!etcd_members_open(&brief, 0, &list, err)) {
        return false;
    }
    if (!loop_descriptor_open(members_view->options.loop, etcd_members_descriptor(list),
                              members_view_list_ready, members_view, &ready, err)) {
        etcd_members_close(list);
        return false;
    }
    loop_descriptor_want(ready, LOOP_READABLE);
    loop_descriptor_close(members_view->list_ready);
    etcd_members_close(members_view->list);
    members_view->list = list;
    members_view->list_ready = ready;
    loop_descriptor_close(members_view->own_ready);
    etcd_members_close(members_view->own);
    members_view->own_ready = NULL;
    members_view->own = NULL;
    members_view->own_id = 0;
    for (size_t i = 0; i < members_view->count; i++) {
        members_view_link_close(&members_view->slots[i]); /* it has the former certificate */
    }
    members_view_reach_copy(members_view, etcd);
    return members_view_own_open(members_view, err);
}

bool members_view_open(const struct members_view_options *options, struct members_view **out,
                       struct err *err)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct members_view *members_view = arena_one(memory, struct members_view);
    struct etcd_options etcd = options->etcd;

    *members_view = (struct members_view){ .options = *options, .memory = memory };
    etcd.call_timeout_ms = CALL_MS;
    if (!etcd_members_open(&etcd, 0, &members_view->list, err)) {
        arena_free(memory);
        return false;
    }
    if (!loop_descriptor_open(options->loop, etcd_members_descriptor(members_view->list),
                              members_view_list_ready, members_view, &members_view->list_ready,
                              err) ||
        !members_view_own_open(members_view, err) ||
        !loop_timer_open(options->loop, members_view_look, members_view, &members_view->timer,
                         err)) {
        members_view_close(members_view);
        return false;
    }
    loop_descriptor_want(members_view->list_ready, LOOP_READABLE);
    loop_timer_start(members_view->timer, 0, LOOK_MS);
    *out = members_view;
    return true;
}

void members_view_close(struct members_view *members_view)
{
    if (members_view == NULL) {
        return;
    }
    loop_timer_close(members_view->timer);
    for (size_t i = 0; i < members_view->count; i++) {
        members_view_link_close(&members_view->slots[i]);
    }
    loop_descriptor_close(members_view->own_ready);
    etcd_members_close(members_view->own);
    loop_descriptor_close(members_view->list_ready);
    etcd_members_close(members_view->list);
    arena_free(members_view->reach);
    arena_free(members_view->memory);
}

/* Computes what depends on several members. */
static void members_view_member_complete(const struct members_view *members_view,
                                         struct members_view_slot *slot)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < members_view->count; i++) {
        const struct members_view_member *other = &members_view->slots[i].member;

        newest = other->status.index > newest ? other->status.index : newest;
    }
    slot->member.lag = newest - slot->member.status.applied;
    slot->member.is_leader = slot->member.row.id == members_view->leader && slot->member.is_heard;
}

size_t members_view_count(const struct members_view *members_view)
{
    size_t count = 0;

    for (size_t i = 0; i < members_view->count; i++) {
        count += members_view->slots[i].is_listed ? 1 : 0;
    }
    return count;
}

const struct members_view_member *members_view_at(const struct members_view *members_view,
                                                  size_t index)
{
    for (size_t i = 0; i < members_view->count; i++) {
        struct members_view_slot *slot =
            (struct members_view_slot *)(uintptr_t)&members_view->slots[i];

        if (slot->is_listed && index-- == 0) {
            members_view_member_complete(members_view, slot);
            return &slot->member;
        }
    }
    assert(false && "the index is below the count");
    return NULL;
}

const char *members_view_leader_endpoint(const struct members_view *members_view)
{
    for (size_t i = 0; i < members_view->count; i++) {
        const struct members_view_slot *slot = &members_view->slots[i];

        if (slot->is_listed && slot->member.row.id == members_view->leader) {
            return members_view_endpoint(slot);
        }
    }
    return NULL;
}

size_t members_view_spare(const struct members_view *members_view)
{
    struct plan_voters_member members[MEMBERS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < members_view->count; i++) {
        const struct members_view_slot *slot = &members_view->slots[i];

        if (slot->is_listed) {
            members[count++] =
                (struct plan_voters_member){ .id = slot->member.row.id,
                                             .is_heard = slot->member.is_heard,
                                             .is_learner = slot->member.row.is_learner };
        }
    }
    return plan_voters_spare(members, count);
}

/* Returns a voter that does not answer, or that is far behind; NULL: there is none. */
static const struct members_view_member *
members_view_unwell(const struct members_view *members_view)
{
    for (size_t i = 0; i < members_view_count(members_view); i++) {
        const struct members_view_member *member = members_view_at(members_view, i);

        if (!member->row.is_learner && (!member->is_heard || member->lag > LAG_SHOWN)) {
            return member;
        }
    }
    return NULL;
}

static const char *members_view_name(const struct members_view_member *member)
{
    return member->row.name.length > 0 ? member->row.name.data : member->row.peer.data;
}

enum members_view_level members_view_level(struct members_view *members_view, const char **reason)
{
    const struct members_view_member *unwell = members_view_unwell(members_view);
    size_t spare = members_view_spare(members_view);
    struct store_status status;

    store_status(members_view->options.store, &status);
    *reason = members_view->reason;
    members_view->reason[0] = '\0';
    if (status.linearizable_age_ms >= QUORUM_MS) {
        snprintf(members_view->reason, sizeof(members_view->reason), "no quorum answers: %s",
                 status.problem.code == CODE_NONE ? "no answer in time" : status.problem.text);
        return MEMBERS_VIEW_C;
    }
    if (unwell == NULL) {
        return MEMBERS_VIEW_A;
    }
    snprintf(members_view->reason, sizeof(members_view->reason), "member %s %s; %s",
             members_view_name(unwell), unwell->is_heard ? "is far behind" : "does not answer",
             spare == 0   ? "one more loss stops all writes"
             : spare == 1 ? "one more voter may be lost"
                          : "more voters may be lost");
    return MEMBERS_VIEW_B;
}

/* ---- display ---- */

static void members_view_put(struct doc_builder *builder, struct arena *arena, const char *key,
                             struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(arena_text(arena, value), NULL));
    }
}

static struct doc members_view_member_show(const struct members_view *members_view,
                                           struct arena *arena,
                                           const struct members_view_member *member)
{
    uint64_t silent_ms = loop_now_ms(members_view->options.loop) - member->heard_ms;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    members_view_put(&builder, arena, "client", member->row.client);
    members_view_put(&builder, arena, "id", arena_printf(arena, "%016" PRIx64, member->row.id));
    members_view_put(&builder, arena, "kind",
                     member->row.is_learner ? TEXT("learner") : TEXT("voter"));
    if (member->is_heard) {
        doc_builder_put(&builder, "lag", doc_int(arena, (int64_t)member->lag, NULL));
    }
    doc_builder_put(&builder, "leader", doc_bool(member->is_leader, NULL));
    members_view_put(&builder, arena, "name", member->row.name);
    members_view_put(&builder, arena, "peer", member->row.peer);
    if (member->problem != ETCD_MEMBERS_FINE) {
        members_view_put(&builder, arena, "problem",
                         text_from(etcd_members_problem_name(member->problem)));
    }
    members_view_put(&builder, arena, "reason", text_from(member->reason));
    if (!member->is_heard) {
        doc_builder_put(&builder, "silentSeconds",
                        doc_int(arena, (int64_t)(silent_ms / 1000), NULL));
    }
    members_view_put(&builder, arena, "state", member->is_heard ? TEXT("answers") : TEXT("silent"));
    members_view_put(&builder, arena, "version", member->status.version);
    return doc_builder_map(&builder, NULL);
}

void members_view_show(struct members_view *members_view, struct arena *arena,
                       struct doc_builder *builder)
{
    static const char *const levels[] = { "A", "B", "C" };
    size_t count = members_view_count(members_view);
    struct doc *members = arena_array(arena, struct doc, count);
    const char *reason;
    enum members_view_level level = members_view_level(members_view, &reason);

    doc_builder_put(builder, "level", doc_text(text_from(levels[level]), NULL));
    members_view_put(builder, arena, "levelReason", text_from(reason));
    for (size_t i = 0; i < count; i++) {
        members[i] =
            members_view_member_show(members_view, arena, members_view_at(members_view, i));
    }
    doc_builder_put(builder, "members", doc_list(members, count, NULL));
    doc_builder_put(builder, "spare",
                    doc_int(arena, (int64_t)members_view_spare(members_view), NULL));
}
