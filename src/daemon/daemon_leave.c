#include "codec/doc_child.h"
#include "daemon/daemon_state.h"
#include "moving/leave.h"

#include <signal.h>

/* public names start with: daemon_ */

/* The ports of `reeve manager leave`: what keeps this manager in the store, and its end. */

static struct managers *leave_managers(void *arg)
{
    return controller_managers(((const struct daemon *)arg)->controller);
}

static bool leave_is_housekeeper(void *arg)
{
    return controller_is_housekeeper(((const struct daemon *)arg)->controller);
}

static uint64_t leave_hosted(void *arg, struct text id)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct managers_query query = { .host = id };
    struct doc_builder builder;
    struct doc shown;
    int64_t machines = 0;

    doc_builder_init(&builder, arena);
    controller_managers_show(((const struct daemon *)arg)->controller, arena, &query, &builder);
    shown = doc_builder_map(&builder, NULL);
    (void)!text_parse_int64(doc_child_text(doc_child(&shown, "hosted"), "machines"), &machines);
    return (uint64_t)machines;
}

static bool leave_has_member(void *arg)
{
    return daemon_voting_has_member(arg);
}

static void leave_ended(void *arg)
{
    struct daemon *daemon = arg;

    roster_remove_own(controller_roster(daemon->controller));
    daemon_drain_start(daemon, SIGTERM);
}

void daemon_leave_start(struct daemon *daemon)
{
    if (daemon->config.store.is_etcd && daemon->controller != NULL) {
        daemon->leave = leave_new(&(struct leave_options){ .cache = daemon->cache,
                                                           .log = daemon->log,
                                                           .blobs = daemon->blobs,
                                                           .bundles = daemon->bundles,
                                                           .archives = daemon->archives,
                                                           .folder = daemon->config.data,
                                                           .managers = leave_managers,
                                                           .is_housekeeper = leave_is_housekeeper,
                                                           .hosted = leave_hosted,
                                                           .has_member = leave_has_member,
                                                           .end = leave_ended,
                                                           .arg = daemon });
    }
}
