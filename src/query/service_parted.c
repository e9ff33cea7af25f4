#include "base/limits.h"
#include "query/query_parts.h"

/* public names start with: service_ */

/* Partial commits: a change in several transactions is partly visible between them (commit.h).
 * During this time, the manager that writes it starts no other change. Other managers see the head
 * of the change in the store and wait too, because they would compute from an inconsistent state.
 *
 * A manager that crashes in between leaves the head in the store. Another manager completes the
 * change once the head has existed for as long as a manager without heartbeats keeps its leases. If
 * the first manager was only slow, both write the change, but each part takes effect once. */

struct following {
    struct service *service;
    struct arena *arena;
};

static struct text parted_head_of(const struct cache_object *object)
{
    const struct cache_bytes *head = &object->parts[CACHE_BASE];

    return head->bytes == NULL ? TEXT("") : blob_text(head->bytes);
}

bool service_is_parted(const struct service *service, struct text subjects)
{
    struct text heads = TEXT(COMMIT_HEADS);

    for (const struct cache_object *head = cache_first(service->cache, heads); head != NULL;
         head = cache_next(service->cache, heads, head)) {
        if (commit_is_below(parted_head_of(head), subjects)) {
            return true;
        }
    }
    return false;
}

/* Return the oldest such change in progress; NULL: none. */
static const struct cache_object *oldest_find(const struct service *service)
{
    struct text heads = TEXT(COMMIT_HEADS);
    const struct cache_object *oldest = NULL;

    for (const struct cache_object *head = cache_first(service->cache, heads); head != NULL;
         head = cache_next(service->cache, heads, head)) {
        if (parted_head_of(head).length > 0 &&
            (oldest == NULL ||
             head->parts[CACHE_BASE].revision < oldest->parts[CACHE_BASE].revision)) {
            oldest = head;
        }
    }
    return oldest;
}

static void followed(void *arg, const struct commit_answer *answer)
{
    struct following *following = arg;

    (void)answer; /* if it failed, the change is continued again after the same time */
    following->service->is_following = false;
    following->service->head_revision = 0;
    arena_free(following->arena);
}

void service_follow(struct service *service)
{
    const struct cache_object *head = oldest_find(service);
    uint64_t revision = head == NULL ? 0 : head->parts[CACHE_BASE].revision;
    int64_t now = service->ports.wall_ms(service->ports.arg);
    struct following *following;
    struct arena *arena;

    if (service->is_following || service->operations > 0) {
        return;
    }
    if (revision != service->head_revision || now < service->head_since_ms) {
        service->head_revision = revision;
        service->head_since_ms = now;
    }
    if (revision == 0 || now - service->head_since_ms < LIMIT_SESSION_TTL_MS) {
        return;
    }
    arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    following = arena_one(arena, struct following);
    *following = (struct following){ service, arena };
    service->is_following = true;
    commit_go_on(arena, service->store,
                 arena_printf(arena, "%.*s/base", TEXT_ARG(blob_text(head->key))),
                 arena_text(arena, parted_head_of(head)), followed, following);
}
