#include "managers/assignment.h"

#include "managers/assignment_parts.h"

#include <assert.h>
#include <string.h>

/* public names start with: assignment_ */

/* Normal case: a lease is free because its cluster is new, its holder has handed it over, or the
 * process of its holder has ended. Every manager ranks the suitable managers by the same function.
 * The manager with rank 1 takes the lease immediately. Each other manager waits longer, and takes
 * the lease only if no manager with a better rank has taken it.
 *
 * Failures: two managers may temporarily see different loads or sessions and both try to take a
 * lease; the compare lets only one of them succeed. A manager that is not fresh takes no leases and
 * hands none over, because its data may be outdated. */

static bool assignment_has_id(const struct assignment *assignment)
{
    return assignment->options.manager.length > 0;
}

static struct assignment_cluster *assignment_of(struct assignment *assignment,
                                                struct fleet_cluster *cluster)
{
    if (cluster->assignment == NULL) {
        cluster->assignment = pool_take(assignment->clusters);
        assert(cluster->assignment != NULL && "there are no more clusters than keys");
        *(struct assignment_cluster *)cluster->assignment =
            (struct assignment_cluster){ .holder = NULL };
    }
    return cluster->assignment;
}

/* ---- following the leases ---- */

static void assignment_lease_seen(void *arg, enum cache_watch_state state,
                                  const struct cache_change *change)
{
    struct assignment *assignment = arg;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct fleet_cluster *cluster;
    const struct cache_object *object;

    assignment->is_dirty = true;
    if (state == CACHE_WATCH_RESET) {
        assignment->watch = NULL;
        return;
    }
    cluster = fleet_find(
        assignment->options.fleet,
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(change->tenant), TEXT_ARG(change->id)));
    object = cluster == NULL ? NULL : lease_find(assignment->options.cache, cluster);
    if (cluster != NULL && lease_session(lease_read(arena, object)).length == 0) {
        assignment->options.freed(assignment->options.arg, cluster);
    }
}

static void assignment_follow(struct assignment *assignment)
{
    struct cache *cache = assignment->options.cache;
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Lease") };

    if (assignment->watch == NULL && cache_state(cache) == CACHE_READY) {
        assignment->watch = cache_watch(cache, &scope, cache_revision(cache) + 1,
                                        assignment_lease_seen, assignment);
        assignment->is_dirty = true;
    }
}

struct assignment *assignment_new(const struct assignment_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct assignment *assignment = arena_one(memory, struct assignment);

    *assignment = (struct assignment){ .memory = memory, .options = *options, .is_dirty = true };
    assignment->options.manager = arena_text(memory, options->manager);
    assignment->options.session = arena_text(memory, options->session);
    assignment->clusters = pool_new(sizeof(struct assignment_cluster), LIMIT_STORE_KEYS);
    map_init(&assignment->sessions, memory);
    return assignment;
}

void assignment_free(struct assignment *assignment)
{
    if (assignment != NULL) {
        pool_free(assignment->clusters);
        arena_free(assignment->memory);
    }
}

static const struct assignment_session *assignment_session_of(struct assignment *assignment,
                                                              struct text name)
{
    struct assignment_session *session = map_find(&assignment->sessions, name);

    if (session == NULL && name.length > 0 && name.length < ASSIGNMENT_NAME_BYTES &&
        assignment->sessions.count < ASSIGNMENT_SESSIONS_MAX) {
        session = arena_one(assignment->memory, struct assignment_session);
        *session = (struct assignment_session){ .row = SIZE_MAX };
        memcpy(session->name, name.data, name.length);
        map_put(&assignment->sessions, text_from(session->name), session);
    }
    return session;
}

/* Reads the lease of a cluster if it has changed. */
static void assignment_lease_read(struct assignment *assignment, struct fleet_cluster *cluster,
                                  struct assignment_cluster *state)
{
    const struct cache_object *object = lease_find(assignment->options.cache, cluster);
    uint64_t revision = object == NULL ? 0 : object->parts[CACHE_STATUS].revision;
    AUTO(arena) arena = NULL;
    const struct doc *lease;
    struct text next;

    if (state->is_read && state->revision == revision) {
        return;
    }
    arena = arena_new_small(SIZE_MAX);
    lease = lease_read(arena, object);
    next = lease_next(lease);
    state->is_read = true;
    state->revision = revision;
    state->free_since_ms = 0;
    state->holder = assignment_session_of(assignment, lease_session(lease));
    state->next[0] = '\0';
    if (next.length < ASSIGNMENT_NAME_BYTES) {
        memcpy(state->next, next.data, next.length);
        state->next[next.length] = '\0';
    }
}

/* Returns the manager that has a cluster, or that gets it by a hand-over; NULL: none. */
static struct managers_row *assignment_row_of(const struct assignment *assignment,
                                              const struct assignment_cluster *state)
{
    struct managers *managers = assignment->options.managers;
    struct managers_row *row = state->holder == NULL || state->holder->row == SIZE_MAX
                                   ? NULL
                                   : managers_at(managers, state->holder->row);

    if ((row == NULL || state->is_leaving) && state->next[0] != '\0') {
        struct managers_row *next = managers_find(managers, text_from(state->next));

        return next != NULL && next->is_live && !next->is_draining ? next : row;
    }
    return row;
}

static void assignment_sessions_match(struct assignment *assignment)
{
    const struct managers *managers = assignment->options.managers;

    for (const struct map_node *node = map_first(&assignment->sessions, TEXT("")); node != NULL;
         node = map_after(&assignment->sessions, node->key)) {
        struct assignment_session *session = node->value;

        session->row = SIZE_MAX;
        for (size_t i = 0; i < managers_count(managers); i++) {
            const struct managers_row *row = managers_at(managers, i);

            if (row->is_live && text_is(row->session, session->name)) {
                session->row = i;
            }
        }
    }
}

/* Adds the load of a cluster to the load of its manager. */
static void assignment_add(struct assignment *assignment, struct fleet_cluster *cluster,
                           uint64_t now)
{
    struct assignment_cluster *state = assignment_of(assignment, cluster);
    struct managers_row *row = assignment_row_of(assignment, state);
    bool is_held = state->holder != NULL && state->holder->row != SIZE_MAX;

    state->free_since_ms = is_held ? 0 : state->free_since_ms > 0 ? state->free_since_ms : now;
    assignment->counts.assigned += is_held ? 1 : 0;
    assignment->counts.unassigned += is_held ? 0 : 1;
    if (row == NULL) {
        assignment->free_load += assignment_load(cluster);
    } else {
        row->clusters++;
        row->machines += cluster->count;
    }
}

/* Reads the managers and the changed leases, and adds up the load of every manager. */
static void assignment_look(struct assignment *assignment, uint64_t now)
{
    struct fleet_cluster *cluster = NULL;
    bool is_dirty = assignment->is_dirty;

    assignment->is_dirty = false;
    assignment->looked_ms = now;
    managers_read(assignment->options.managers);
    while (is_dirty && (cluster = fleet_next(assignment->options.fleet, cluster)) != NULL) {
        if (assignment_is_existing(cluster)) {
            assignment_lease_read(assignment, cluster, assignment_of(assignment, cluster));
        }
    }
    assignment_sessions_match(assignment);
    assignment->counts.assigned = 0;
    assignment->counts.unassigned = 0;
    assignment->free_load = 0;
    cluster = NULL;
    while ((cluster = fleet_next(assignment->options.fleet, cluster)) != NULL) {
        if (assignment_is_existing(cluster)) {
            assignment_add(assignment, cluster, now);
        }
    }
}

/* ---- taking a lease ---- */

/* Returns the reason why no manager has a cluster whose machines exist on a host. */
static struct text assignment_bound_why(const struct assignment *assignment, struct arena *arena,
                                        const struct doc *lease)
{
    return arena_printf(arena, "the machines of the cluster exist only on the host of manager %.*s",
                        TEXT_ARG(assignment_name_of(assignment, lease_manager(lease))));
}

static struct assignment_verdict assignment_wait(uint64_t wait_ms, struct text why)
{
    return (struct assignment_verdict){ ASSIGNMENT_WAIT,
                                        wait_ms < ASSIGNMENT_STEP_MS ? wait_ms : ASSIGNMENT_STEP_MS,
                                        why };
}

/* Decides about a free lease, for a manager that has an id and is fresh. */
static struct assignment_verdict assignment_judge_free(struct assignment *assignment,
                                                       struct arena *arena,
                                                       struct fleet_cluster *cluster,
                                                       const struct doc *lease)
{
    struct assignment_cluster *state = assignment_of(assignment, cluster);
    struct managers_row *next = managers_find(assignment->options.managers, lease_next(lease));
    uint64_t now = assignment_now(assignment);
    struct assignment_view view;
    uint64_t free_ms;
    uint64_t wait_ms;

    assignment_lease_read(assignment, cluster, state);
    state->free_since_ms = state->free_since_ms > 0 ? state->free_since_ms : now;
    free_ms = now - state->free_since_ms;
    assignment_view_make(assignment, cluster, &view);
    if (view.here == SIZE_MAX || !view.managers[view.here].is_able) {
        return assignment_wait(ASSIGNMENT_AGAIN_MS,
                               view.able > 0 ? TEXT("another manager takes the cluster over")
                                             : assignment_unable_why(assignment, arena, cluster));
    }
    if (next != NULL && next->is_here) {
        return (struct assignment_verdict){ .answer = ASSIGNMENT_TAKE };
    }
    if (next != NULL && next->is_live && !next->is_draining && free_ms < ASSIGNMENT_NEXT_MS) {
        return assignment_wait(ASSIGNMENT_NEXT_MS - free_ms,
                               TEXT("the cluster is handed over to another manager"));
    }
    wait_ms = plan_assign_wait_ms(&view.assign, cluster->id, view.here);
    if (free_ms < wait_ms) {
        return assignment_wait(wait_ms - free_ms, TEXT("another manager takes the cluster over"));
    }
    return (struct assignment_verdict){ .answer = ASSIGNMENT_TAKE };
}

struct assignment_verdict assignment_judge(struct assignment *assignment, struct arena *arena,
                                           struct fleet_cluster *cluster, const struct doc *lease)
{
    struct text session = lease_session(lease);
    bool is_free = session.length == 0 || roster_has_ended(assignment->options.roster, session);
    bool is_former = text_is_equal(lease_manager(lease), assignment->options.manager);

    if (!is_free) {
        return (struct assignment_verdict){ ASSIGNMENT_HELD, 0, session };
    }
    if (!assignment_has_id(assignment)) {
        return (struct assignment_verdict){ .answer = ASSIGNMENT_TAKE };
    }
    if (!roster_is_fresh(assignment->options.roster)) {
        return assignment_wait(ASSIGNMENT_BLIND_MS, TEXT("this manager cannot read its store"));
    }
    if (lease_is_bound_elsewhere(cluster, lease, assignment->options.manager)) {
        return assignment_wait(ASSIGNMENT_AGAIN_MS, assignment_bound_why(assignment, arena, lease));
    }
    if (managers_here(assignment->options.managers) == NULL) {
        assignment->is_dirty = true; /* the status of this manager is being written */
        return assignment_wait(ASSIGNMENT_BLIND_MS, TEXT("this manager has just started"));
    }
    if (is_former && lease_is_bound(cluster)) {
        return (struct assignment_verdict){ .answer = ASSIGNMENT_TAKE };
    }
    return assignment_judge_free(assignment, arena, cluster, lease);
}

struct text assignment_next(const struct assignment *assignment, struct text id)
{
    static const struct fleet_cluster none = { .is_there = false };
    struct assignment_view view;
    size_t next;

    assignment_view_make(assignment, &none, &view);
    next = plan_assign_next(&view.assign, id);
    return next == SIZE_MAX ? TEXT("") : view.managers[next].id;
}

struct text assignment_former(const struct assignment *assignment, const struct doc *lease)
{
    struct text manager = lease_manager(lease);

    return manager.length == 0 ? manager : assignment_name_of(assignment, manager);
}

struct text assignment_reason(const struct assignment *assignment, struct arena *arena,
                              const struct doc *lease)
{
    struct text former = assignment_former(assignment, lease);
    const struct managers_row *row =
        managers_find(assignment->options.managers, lease_manager(lease));

    if (former.length == 0) {
        return TEXT("no manager had the cluster");
    }
    if (lease_session(lease).length == 0) {
        return arena_text(arena, lease_reason(lease));
    }
    if (row != NULL && row->is_here) {
        return TEXT("this manager was restarted");
    }
    return arena_printf(arena, "%.*s has ended", TEXT_ARG(former));
}

void assignment_taken(struct assignment *assignment, struct fleet_cluster *cluster,
                      const struct doc *former)
{
    struct assignment_cluster *state = assignment_of(assignment, cluster);
    struct managers_row *here = managers_here(assignment->options.managers);
    uint64_t now = assignment_now(assignment);

    if (lease_manager(former).length > 0 && state->free_since_ms > 0) {
        assignment->counts.taken++;
        assignment->counts.taken_ms += now - state->free_since_ms;
    }
    if (text_has_prefix(lease_reason(former), TEXT("balance"))) {
        state->balanced_ms = now;
    }
    if (here != NULL && assignment_row_of(assignment, state) != here) {
        uint64_t load = assignment_load(cluster);

        here->clusters++;
        here->machines += cluster->count;
        assignment->free_load -= load < assignment->free_load ? load : assignment->free_load;
    }
    assignment->is_dirty = true;
}

/* ---- end of a hand-over ---- */

void assignment_left(struct assignment *assignment, struct fleet_cluster *cluster)
{
    assignment_of(assignment, cluster)->is_leaving = false;
    assignment->is_dirty = true;
}

/* ---- iteration ---- */

/* Writes the load into the status of this manager, at intervals. */
static void assignment_load_report(struct assignment *assignment, const struct managers_row *here,
                                   uint64_t now)
{
    if (assignment->load_ms == 0 || now - assignment->load_ms >= ASSIGNMENT_LOAD_MS) {
        assignment->load_ms = now;
        assignment->load_clusters = here->clusters;
        assignment->load_machines = here->machines;
    }
    managers_load_set(assignment->options.managers, assignment->load_clusters,
                      assignment->load_machines, here->is_draining && here->clusters == 0);
}

uint64_t assignment_run(struct assignment *assignment)
{
    uint64_t now = assignment_now(assignment);
    uint64_t due_ms = assignment->looked_ms + ASSIGNMENT_LOOK_MS;
    const struct managers_row *here;

    if (!assignment_has_id(assignment) || cache_state(assignment->options.cache) != CACHE_READY) {
        return UINT64_MAX;
    }
    assignment_follow(assignment);
    if (assignment->looked_ms > 0 && now < due_ms) {
        return assignment->is_dirty ? due_ms : assignment->looked_ms + ASSIGNMENT_STEP_MS;
    }
    assignment_look(assignment, now);
    assignment_plugins_forget(assignment, now);
    here = managers_here(assignment->options.managers);
    if (here != NULL && roster_is_fresh(assignment->options.roster)) {
        assignment_load_report(assignment, here, now);
        assignment_move(assignment, here, now);
    }
    return now + (assignment->is_dirty ? ASSIGNMENT_LOOK_MS : ASSIGNMENT_STEP_MS);
}

/* ---- display ---- */

struct assignment_counts assignment_counts(const struct assignment *assignment)
{
    return assignment->counts;
}

bool assignment_is_free(const struct assignment *assignment, const struct fleet_cluster *cluster)
{
    const struct assignment_cluster *state = cluster->assignment;

    (void)assignment;
    return assignment_is_existing(cluster) &&
           (state == NULL || state->holder == NULL || state->holder->row == SIZE_MAX);
}

struct assignment_row assignment_show(struct assignment *assignment, struct arena *arena,
                                      struct fleet_cluster *cluster)
{
    const struct doc *lease = lease_read(arena, lease_find(assignment->options.cache, cluster));
    struct assignment_cluster *state = assignment_of(assignment, cluster);
    struct assignment_row row = { .cluster = cluster };

    assignment_lease_read(assignment, cluster, state);
    if (state->holder != NULL && state->holder->row != SIZE_MAX) {
        row.is_assigned = true;
        row.manager =
            arena_text(arena, managers_at(assignment->options.managers, state->holder->row)->name);
        row.reason = arena_text(arena, lease_reason(lease));
        row.since_wall_ms = lease_since_wall_ms(lease);
        return row;
    }
    row.free_ms = state->free_since_ms == 0 ? 0 : assignment_now(assignment) - state->free_since_ms;
    fleet_wanted(assignment->options.fleet, cluster);
    if (lease_is_bound(cluster) && lease_manager(lease).length > 0) {
        row.reason = assignment_bound_why(assignment, arena, lease);
    } else {
        struct assignment_view view;

        assignment_view_make(assignment, cluster, &view);
        row.reason = view.able > 0 ? TEXT("a manager takes the cluster over")
                                   : assignment_unable_why(assignment, arena, cluster);
    }
    return row;
}
