#include "base/limits.h"
#include "leases/leases_parts.h"
#include "managers/lease.h"
#include "state/objects.h"

/* public names start with: housekeeping_ */

/* The lease for work that concerns the whole store: one manager compacts the store, drops old
 * events and removes expired objects. The lease is taken, kept and handed over like the lease of a
 * cluster. It does not strictly exclude other managers, because it does no harm if two managers do
 * this work. */

#define HOUSEKEEPING_ID "housekeeping"

enum { HOUSEKEEPING_LOOK_MS = 1000 };

static const struct cache_object *housekeeping_find(const struct control *control)
{
    return cache_find(control->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Lease"),
                      TEXT(HOUSEKEEPING_ID));
}

static void housekeeping_reported(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct leases *leases = arg;

    (void)outcome; /* the answer is not needed, because the cache shows the holder of the lease */
    (void)answer;
    leases->is_housekeeping_sent = false;
}

static void housekeeping_write(struct leases *leases, struct arena *arena, uint64_t revision,
                               const struct lease_content *content)
{
    leases->is_housekeeping_sent = true;
    lease_writes_put(
        leases->writes,
        &(struct lease_write){ .key = objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Lease"),
                                                  TEXT(HOUSEKEEPING_ID), CACHE_STATUS),
                               .revision = revision,
                               .value = lease_format(arena, content),
                               .done = housekeeping_reported,
                               .arg = leases });
}

/* Takes the lease if no manager has it, and releases it if this manager is being drained. */
static void housekeeping_look(struct leases *leases)
{
    const struct control_options *options = &leases->control->options;
    const struct cache_object *object = housekeeping_find(leases->control);
    const struct managers_row *here = managers_here(leases->managers);
    uint64_t revision = object == NULL ? 0 : object->parts[CACHE_STATUS].revision;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct doc *lease = lease_read(arena, object);
    struct text session = lease_session(lease);
    struct lease_content content = {
        .clock = options->clock,
        .manager = options->manager.id,
        .since_wall_ms = leases->control->ports.wall_ms(leases->control->ports.arg),
    };

    leases->is_housekeeper = text_is_equal(session, options->session);
    if (here == NULL || leases->is_housekeeping_sent || !roster_is_fresh(leases->roster)) {
        return;
    }
    if (leases->is_housekeeper && here->is_draining) {
        content.next = assignment_next(leases->assignment, TEXT(HOUSEKEEPING_ID));
        content.reason = TEXT("drain");
        if (content.next.length > 0) {
            housekeeping_write(leases, arena, revision, &content);
        }
        return;
    }
    if (!leases->is_housekeeper && !here->is_draining &&
        (session.length == 0 || roster_has_ended(leases->roster, session)) &&
        text_is_equal(assignment_next(leases->assignment, TEXT(HOUSEKEEPING_ID)),
                      options->manager.id)) {
        content.session = options->session;
        housekeeping_write(leases, arena, revision, &content);
    }
}

uint64_t housekeeping_run(struct leases *leases, uint64_t now)
{
    if (leases->control->options.manager.id.length == 0 ||
        cache_state(leases->control->cache) != CACHE_READY) {
        return UINT64_MAX;
    }
    if (now - leases->housekeeping_ms >= HOUSEKEEPING_LOOK_MS) {
        leases->housekeeping_ms = now;
        housekeeping_look(leases);
    }
    return leases->housekeeping_ms + HOUSEKEEPING_LOOK_MS;
}

bool leases_is_housekeeper(const struct leases *leases)
{
    return leases->roster == NULL || leases->is_housekeeper;
}

struct text housekeeping_manager(const struct leases *leases, struct arena *arena)
{
    return lease_manager(lease_read(arena, housekeeping_find(leases->control)));
}
