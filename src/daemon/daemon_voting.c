#include "daemon/daemon_state.h"
#include "etcd_member/member.h"
#include "managed_store/managed_member.h"
#include "managers/managers.h"
#include "sys/folder.h"
#include "voting/voting_etcd.h"

#include <stdio.h>
#include <string.h>

/* public names start with: daemon_ */

/* Connects the housekeeper of the managed store's members (voting/voting.h) with this manager: with
 * the other managers, with etcd, and with the member of this host. */

enum {
    VOTING_QUORUM_MS = 5000,
    /* A member that is not heard for this time is named in the status of this manager, so that two
     * managers have to miss a member before it is removed. */
    VOTING_SILENT_MS = 5000,
    /* The status of members is asked every two seconds, so shorter windows would find a member
     * silent that is not, also where a test divides the time. */
    VOTING_SILENT_MIN_MS = 15000,
    VOTING_FRESH_MIN_MS = 2000,
};

/* Since when a manager has sent its heartbeats without a gap. */
struct daemon_fresh {
    char manager[RANDOM_ID_BYTES];
    char session[RANDOM_ID_BYTES];
    uint64_t since_ms; /* 0: the place is free */
};

struct daemon_voting {
    struct daemon *daemon;
    struct voting *voting;
    struct voting_etcd *voting_etcd;
    struct managed_member *member;
    struct arena *reach; /* texts of daemon->etcd; NULL: they are those of the configuration */
    struct daemon_fresh fresh[VOTING_MANAGERS_MAX];
    const char *reason; /* of the latest act, which was logged */
};

static uint64_t voting_now_ms(void *arg)
{
    return loop_now_ms(((const struct daemon_voting *)arg)->daemon->loop);
}

static int64_t voting_wall_ms(void *arg)
{
    return clock_wall_ms(((const struct daemon_voting *)arg)->daemon->clock);
}

static bool voting_is_housekeeper(void *arg)
{
    return controller_is_housekeeper(((const struct daemon_voting *)arg)->daemon->controller);
}

static bool voting_has_quorum(void *arg)
{
    const struct daemon_voting *it = arg;
    struct store_status status;

    store_status(it->daemon->store, &status);
    return status.linearizable_age_ms < VOTING_QUORUM_MS;
}

/* ---- managers ---- */

/* Returns the place of a manager: its own, or a free one; NULL: all are taken. */
static struct daemon_fresh *voting_fresh_of(struct daemon_voting *it, struct text manager)
{
    struct daemon_fresh *open = NULL;

    for (size_t i = 0; i < ARRAY_COUNT(it->fresh); i++) {
        if (it->fresh[i].since_ms == 0) {
            open = &it->fresh[i];
        } else if (text_is(manager, it->fresh[i].manager)) {
            return &it->fresh[i];
        }
    }
    return open;
}

static void voting_id_set(char out[static RANDOM_ID_BYTES], struct text id)
{
    snprintf(out, RANDOM_ID_BYTES, "%.*s", TEXT_ARG(id));
}

/* Returns since when the manager has been fresh; 0: it is not. */
static uint64_t voting_fresh_since(struct daemon_voting *it, const struct managers_row *row)
{
    const struct roster *roster = controller_roster(it->daemon->controller);
    struct daemon_fresh *fresh = voting_fresh_of(it, row->id);

    if (fresh == NULL) {
        return 0;
    }
    if (!row->is_live || row->session.length == 0 ||
        (!row->is_here && roster_misses_beats(roster, row->session))) {
        fresh->since_ms = 0;
        return 0;
    }
    if (fresh->since_ms == 0 || !text_is(row->session, fresh->session)) {
        voting_id_set(fresh->manager, row->id);
        voting_id_set(fresh->session, row->session);
        fresh->since_ms = voting_now_ms(it);
    }
    return fresh->since_ms;
}

static size_t voting_managers(void *arg, struct voting_manager out[static VOTING_MANAGERS_MAX])
{
    struct daemon_voting *it = arg;
    struct managers *managers = controller_managers(it->daemon->controller);
    uint64_t now_ms = voting_now_ms(it);
    size_t count = 0;

    for (size_t i = 0;
         managers != NULL && i < managers_count(managers) && count < VOTING_MANAGERS_MAX; i++) {
        const struct managers_row *row = managers_at(managers, i);
        bool has_beats = row->is_here || row->is_live;

        if (row->state == MANAGERS_GONE) {
            continue;
        }
        out[count++] = (struct voting_manager){
            .plan = { .id = row->id,
                      .zone = row->zone,
                      .heard_ms =
                          !has_beats || row->silent_ms > now_ms ? 0 : now_ms - row->silent_ms,
                      .fresh_since_ms = voting_fresh_since(it, row),
                      .is_leaving = row->is_leaving },
            .peer = row->member_peer,
            .client = row->member_client,
        };
    }
    return count;
}

/* ---- members ---- */

/* True if another manager that is fresh does not hear the member either. */
static bool voting_is_missed_elsewhere(struct daemon_voting *it, struct text name)
{
    struct managers *managers = controller_managers(it->daemon->controller);

    for (size_t i = 0; managers != NULL && i < managers_count(managers); i++) {
        const struct managers_row *row = managers_at(managers, i);

        if (row->is_here || voting_fresh_since(it, row) == 0) {
            continue;
        }
        for (size_t j = 0; j < row->silent_count; j++) {
            if (text_is_equal(row->silent[j], name)) {
                return true;
            }
        }
    }
    return false;
}

/* A member counts as silent only if two managers, or the host of the leader, do not hear it: the
 * connection between this host and the member may be what is broken. */
static size_t voting_members(void *arg, struct voting_row out[static VOTING_MEMBERS_MAX],
                             uint64_t *out_leader)
{
    struct daemon_voting *it = arg;
    size_t count = voting_etcd_members(it->voting_etcd, out, out_leader);
    struct text own = managed_member_name(it->member);
    bool is_leader = false;

    for (size_t i = 0; i < count; i++) {
        is_leader = is_leader ||
                    (out[i].id == *out_leader && own.length > 0 && text_is_equal(out[i].name, own));
    }
    for (size_t i = 0; i < count; i++) {
        /* a member that has never started has no name, and nobody hears it */
        if (!out[i].is_heard && !is_leader && out[i].name.length > 0 &&
            !voting_is_missed_elsewhere(it, out[i].name)) {
            out[i].heard_ms = voting_now_ms(it);
        }
    }
    return count;
}

static bool voting_is_list_certain(void *arg)
{
    return members_view_is_certain(((const struct daemon_voting *)arg)->daemon->members_view);
}

static void voting_change_ask(void *arg, enum plan_voters_kind kind, uint64_t member,
                              struct text peer, voting_changed *changed, void *changed_arg)
{
    voting_etcd_change(((const struct daemon_voting *)arg)->voting_etcd, kind, member, peer,
                       changed, changed_arg);
}

/* ---- the member of this host ---- */

static struct text voting_own_name(void *arg)
{
    return managed_member_name(((const struct daemon_voting *)arg)->member);
}

static bool voting_is_own_known(void *arg)
{
    return managed_member_is_known(((const struct daemon_voting *)arg)->member);
}

static void voting_own_ask(void *arg, const struct voting_own *own)
{
    const struct daemon_voting *it = arg;

    managed_member_run(it->member, own == NULL
                                       ? NULL
                                       : &(struct managed_member_wanted){ .name = own->name,
                                                                          .cluster = own->cluster,
                                                                          .peer = own->peer,
                                                                          .client = own->client });
}

/* ---- how the store is reached ---- */

/* Returns the clients' URLs of the members on other hosts. */
static size_t voting_clients(const struct daemon_voting *it, struct text out[LIMIT_ETCD_ENDPOINTS])
{
    const struct members_view *view = it->daemon->members_view;
    struct text own = managed_member_name(it->member);
    size_t count = 0;

    for (size_t i = 0; i < members_view_count(view) && count < LIMIT_ETCD_ENDPOINTS - 1; i++) {
        const struct members_view_member *member = members_view_at(view, i);

        if (member->row.client.length > 0 &&
            member->row.client.length < LIMIT_ETCD_ENDPOINT_BYTES &&
            !(own.length > 0 && text_is_equal(member->row.name, own))) {
            out[count++] = member->row.client;
        }
    }
    return count;
}

static bool voting_reach_is_same(const struct etcd_options *former, const struct etcd_options *next)
{
    bool is_same = former->endpoint_count == next->endpoint_count &&
                   (former->ca_file == NULL) == (next->ca_file == NULL);

    for (size_t i = 0; is_same && i < next->endpoint_count; i++) {
        is_same = strcmp(former->endpoints[i], next->endpoints[i]) == 0;
    }
    return is_same;
}

/* Reaches the store by the member of this host and the other members, and keeps their addresses in
 * DATA/store.members for the next start. A list without others is not written while this host has
 * no member, because the next start would find no store. */
static void voting_reach_look(struct daemon_voting *it)
{
    struct daemon *daemon = it->daemon;
    struct arena *arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const char **endpoints = arena_array(arena, const char *, LIMIT_ETCD_ENDPOINTS);
    struct etcd_options next = daemon->etcd;
    struct text clients[LIMIT_ETCD_ENDPOINTS];
    size_t client_count = voting_clients(it, clients);
    AUTO(fd) folder = FD_NONE;
    struct err err;

    next.endpoints = endpoints;
    next.endpoint_count = 0;
    if ((client_count > 0 || managed_member_is_running(it->member)) &&
        (!folder_open(daemon->config.data, &folder, &err) ||
         !managed_store_members_write(folder, clients, client_count, &err))) {
        log_warn(daemon->log, "store", "members_not_kept", log_string("reason", err.text));
    }
    if (managed_member_is_running(it->member)) {
        char local[MEMBER_ENDPOINT_BYTES];

        if (member_endpoint(daemon->config.data, local, &err)) {
            endpoints[next.endpoint_count++] = arena_string(arena, text_from(local));
        }
    }
    if (managed_store_certificate_find(arena, daemon->config.data, &next.ca_file,
                                       &next.certificate_file)) {
        next.key_file = next.certificate_file;
        for (size_t i = 0; i < client_count; i++) {
            endpoints[next.endpoint_count++] = arena_string(arena, clients[i]);
        }
    }
    if (next.endpoint_count == 0 || voting_reach_is_same(&daemon->etcd, &next)) {
        arena_free(arena);
        return;
    }
    if (!etcd_reach_set(daemon->store, &next, &err) ||
        !members_view_reach_set(daemon->members_view, &next, &err)) {
        log_warn(daemon->log, "store", "endpoints_not_used", log_string("reason", err.text));
        arena_free(arena);
        return;
    }
    log_info(daemon->log, "store", "endpoints", log_int("count", (int64_t)next.endpoint_count),
             log_string("first", next.endpoints[0]));
    daemon->etcd = next;
    voting_etcd_reach_set(it->voting_etcd, &next);
    arena_free(it->reach);
    it->reach = arena;
}

/* Names the members that this manager does not hear in its status. */
static void voting_silent_tell(struct daemon_voting *it)
{
    struct managers *managers = controller_managers(it->daemon->controller);
    const struct members_view *view = it->daemon->members_view;
    struct text names[VOTING_MEMBERS_MAX];
    uint64_t now_ms = voting_now_ms(it);
    size_t count = 0;

    for (size_t i = 0; i < members_view_count(view) && count < VOTING_MEMBERS_MAX; i++) {
        const struct members_view_member *member = members_view_at(view, i);

        if (!member->is_heard && member->row.name.length > 0 &&
            now_ms - member->heard_ms >= VOTING_SILENT_MS) {
            names[count++] = member->row.name;
        }
    }
    if (managers != NULL) {
        managers_silent_set(managers, names, count);
    }
}

/* ---- public ---- */

static uint64_t voting_window(uint64_t ms, uint32_t time_scale, uint64_t least_ms)
{
    return ms / time_scale > least_ms ? ms / time_scale : least_ms;
}

bool daemon_voting_start(struct daemon *daemon, struct err *err)
{
    uint32_t time_scale = daemon->config.time_scale;
    struct daemon_voting *it;

    if (daemon->config.store.managed == NULL || daemon->controller == NULL) {
        return true;
    }
    it = arena_one(daemon->memory, struct daemon_voting);
    it->daemon = daemon;
    if (!managed_member_open(
            &(struct managed_member_options){
                .loop = daemon->loop,
                .log = daemon->log,
                .store =
                    store_managed_options(&daemon->config, daemon->member.id, daemon->random) },
            &it->member, err)) {
        return false;
    }
    it->voting_etcd = voting_etcd_new(&(struct voting_etcd_options){
        .loop = daemon->loop, .etcd = daemon->etcd, .members_view = daemon->members_view });
    it->voting = voting_new(&(struct voting_options){
        .store = daemon->store,
        .cache = daemon->cache,
        .manager = text_from(daemon->member.id),
        .ports = { .arg = it,
                   .now_ms = voting_now_ms,
                   .wall_ms = voting_wall_ms,
                   .is_housekeeper = voting_is_housekeeper,
                   .has_quorum = voting_has_quorum,
                   .managers = voting_managers,
                   .members = voting_members,
                   .is_list_certain = voting_is_list_certain,
                   .change = voting_change_ask,
                   .own_name = voting_own_name,
                   .is_own_known = voting_is_own_known,
                   .own_run = voting_own_ask },
        .limits = {
            .silent_ms = voting_window(PLAN_VOTERS_SILENT_MS, time_scale, VOTING_SILENT_MIN_MS),
            .fresh_ms = voting_window(PLAN_VOTERS_FRESH_MS, time_scale, VOTING_FRESH_MIN_MS) } });
    daemon->voting = it;
    return true;
}

void daemon_voting_look(struct daemon *daemon)
{
    struct daemon_voting *it = daemon->voting;
    struct plan_voters_act act;

    if (it == NULL) {
        return;
    }
    voting_silent_tell(it);
    voting_run(it->voting);
    managed_member_look(it->member);
    act = voting_act(it->voting);
    if (voting_is_housekeeper(it) && act.reason != it->reason) {
        it->reason = act.reason;
        log_info(daemon->log, "store", "members", log_string("reason", act.reason));
    }
    if (managed_member_is_known(it->member) && members_view_count(daemon->members_view) > 0 &&
        members_view_is_certain(daemon->members_view)) {
        voting_reach_look(it);
    }
}

bool daemon_voting_has_member(const struct daemon *daemon)
{
    const struct daemon_voting *it = daemon->voting;

    return it != NULL &&
           (!managed_member_is_known(it->member) || managed_member_name(it->member).length > 0);
}

void daemon_voting_end(struct daemon *daemon)
{
    struct daemon_voting *it = daemon->voting;

    if (it != NULL) {
        voting_etcd_free(it->voting_etcd);
        managed_member_close(it->member);
        it->voting_etcd = NULL;
        it->member = NULL;
    }
}

void daemon_voting_free(struct daemon *daemon)
{
    if (daemon->voting != NULL) {
        voting_free(daemon->voting->voting);
        arena_free(daemon->voting->reach);
    }
}
