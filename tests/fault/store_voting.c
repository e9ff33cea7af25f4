/* Runs the housekeeper of members on a real etcd: store_voting etcd:PREFIX. One manager exists for
 * each line "manager ID NAME PEER" of the standard input, "lost ID" ends one, and "end" ends the
 * program. `NAME` is the member in the manager's folder; "-": none. Windows are 20 times shorter.
 *
 * It prints:
 *     run ID NAME PEER CLUSTER   this manager runs this member, in an empty folder
 *     aside ID                   this manager puts its member aside
 *     act TEXT                   the reason of the housekeeper's latest decision, when it changes
 */

#include "etcd_env.h"
#include "sys/clock.h"
#include "voting/voting_etcd.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOSTS = 8, LOOK_MS = 200, HURRY = 20 };

struct host {
    char id[32];
    char own[64];
    char peer[128];
    bool is_live;
    uint64_t since_ms;
    uint64_t heard_ms;
    struct voting *voting;
};

static struct {
    struct loop *loop;
    struct store *store;
    struct cache *cache;
    struct members_view *members_view;
    struct voting_etcd *etcd;
    struct host hosts[HOSTS];
    size_t count;
    char line[1024];
    size_t length;
    const char *reason;
} run;

static uint64_t run_now(void *arg)
{
    (void)arg;
    return loop_now_ms(run.loop);
}

static int64_t run_wall(void *arg)
{
    (void)arg;
    return clock_wall_ms(clock_system());
}

/* The first manager that is live. */
static bool run_is_housekeeper(void *arg)
{
    for (size_t i = 0; i < run.count; i++) {
        if (run.hosts[i].is_live) {
            return &run.hosts[i] == arg;
        }
    }
    return false;
}

static bool run_has_quorum(void *arg)
{
    struct store_status status;

    (void)arg;
    store_status(run.store, &status);
    return status.linearizable_age_ms < 5000;
}

static size_t run_managers(void *arg, struct voting_manager out[static VOTING_MANAGERS_MAX])
{
    (void)arg;
    for (size_t i = 0; i < run.count; i++) {
        struct host *host = &run.hosts[i];

        host->heard_ms = host->is_live ? loop_now_ms(run.loop) : host->heard_ms;
        out[i] = (struct voting_manager){ .plan = { .id = text_from(host->id),
                                                    .heard_ms = host->heard_ms,
                                                    .fresh_since_ms =
                                                        host->is_live ? host->since_ms : 0 },
                                          .peer = text_from(host->peer) };
    }
    return run.count;
}

static bool run_is_certain(void *arg)
{
    (void)arg;
    return members_view_is_certain(run.members_view);
}

static size_t run_members(void *arg, struct voting_row out[static VOTING_MEMBERS_MAX],
                          uint64_t *out_leader)
{
    (void)arg;
    return voting_etcd_members(run.etcd, out, out_leader);
}

static void run_change(void *arg, enum plan_voters_kind kind, uint64_t member, struct text peer,
                       voting_changed *changed, void *changed_arg)
{
    (void)arg;
    voting_etcd_change(run.etcd, kind, member, peer, changed, changed_arg);
}

static struct text run_own_name(void *arg)
{
    return text_from(((struct host *)arg)->own);
}

static bool run_is_own_known(void *arg)
{
    return ((struct host *)arg)->is_live;
}

static void run_own(void *arg, const struct voting_own *own)
{
    struct host *host = arg;

    if (own == NULL) {
        host->own[0] = '\0';
        printf("aside %s\n", host->id);
    } else if (!text_is(own->name, host->own)) {
        snprintf(host->own, sizeof(host->own), "%.*s", TEXT_ARG(own->name));
        printf("run %s %s %.*s %.*s\n", host->id, host->own, TEXT_ARG(own->peer),
               TEXT_ARG(own->cluster));
    }
}

static void host_add(const char *id, const char *own, const char *peer)
{
    struct host *host = &run.hosts[run.count++];

    snprintf(host->id, sizeof(host->id), "%s", id);
    snprintf(host->own, sizeof(host->own), "%s", strcmp(own, "-") == 0 ? "" : own);
    snprintf(host->peer, sizeof(host->peer), "%s", peer);
    host->is_live = true;
    host->since_ms = loop_now_ms(run.loop);
    host->voting = voting_new(
        &(struct voting_options){ .store = run.store,
                                  .cache = run.cache,
                                  .manager = text_from(host->id),
                                  .ports = { .arg = host,
                                             .now_ms = run_now,
                                             .wall_ms = run_wall,
                                             .is_housekeeper = run_is_housekeeper,
                                             .has_quorum = run_has_quorum,
                                             .managers = run_managers,
                                             .members = run_members,
                                             .is_list_certain = run_is_certain,
                                             .change = run_change,
                                             .own_name = run_own_name,
                                             .is_own_known = run_is_own_known,
                                             .own_run = run_own },
                                  .limits = { .silent_ms = PLAN_VOTERS_SILENT_MS / HURRY * 4,
                                              .fresh_ms = PLAN_VOTERS_FRESH_MS / HURRY } });
}

static void line_take(const char *line)
{
    char id[32] = "";
    char own[64] = "";
    char peer[128] = "";

    if (sscanf(line, "manager %31s %63s %127s", id, own, peer) == 3 && run.count < HOSTS) {
        host_add(id, own, peer);
    } else if (sscanf(line, "lost %31s", id) == 1) {
        for (size_t i = 0; i < run.count; i++) {
            run.hosts[i].is_live = run.hosts[i].is_live && strcmp(run.hosts[i].id, id) != 0;
        }
    } else {
        loop_stop(run.loop);
    }
}

static void on_input(void *arg, unsigned events)
{
    ssize_t count = read(STDIN_FILENO, run.line + run.length, sizeof(run.line) - 1 - run.length);
    char *end;

    (void)arg;
    (void)events;
    if (count <= 0) {
        loop_stop(run.loop);
        return;
    }
    run.length += (size_t)count;
    run.line[run.length] = '\0';
    while ((end = strchr(run.line, '\n')) != NULL) {
        *end = '\0';
        line_take(run.line);
        run.length -= (size_t)(end + 1 - run.line);
        memmove(run.line, end + 1, run.length + 1);
    }
}

static void on_store(void *arg, unsigned events)
{
    (void)arg;
    (void)events;
    store_run(run.store);
    cache_run(run.cache);
}

static void on_look(void *arg)
{
    on_store(arg, 0);
    for (size_t i = 0; i < run.count; i++) {
        if (run.hosts[i].is_live) {
            voting_run(run.hosts[i].voting);
        }
        if (run_is_housekeeper(&run.hosts[i])) {
            const char *reason = voting_act(run.hosts[i].voting).reason;

            if (reason != run.reason) {
                printf("act %s\n", reason);
                run.reason = reason;
            }
        }
    }
}

MUST_CHECK static bool options_use(const struct etcd_options *options, void *arg, struct err *err)
{
    static const unsigned char incarnation[16] = { 1 };
    struct loop_descriptor *input;
    struct loop_descriptor *store;
    struct loop_timer *timer;

    (void)arg;
    if (!loop_open(&run.loop, err) || !etcd_open(options, incarnation, &run.store, err) ||
        !members_view_open(&(struct members_view_options){ run.loop, run.store, *options },
                           &run.members_view, err)) {
        return false;
    }
    run.cache = cache_new(run.store, 1024);
    run.etcd =
        voting_etcd_new(&(struct voting_etcd_options){ run.loop, *options, run.members_view });
    if (!loop_descriptor_open(run.loop, STDIN_FILENO, on_input, NULL, &input, err) ||
        !loop_descriptor_open(run.loop, store_descriptor(run.store), on_store, NULL, &store, err) ||
        !loop_timer_open(run.loop, on_look, NULL, &timer, err)) {
        return false;
    }
    loop_descriptor_want(input, LOOP_READABLE);
    loop_descriptor_want(store, LOOP_READABLE);
    loop_timer_start(timer, LOOK_MS, LOOK_MS);
    loop_run(run.loop);
    voting_etcd_free(run.etcd);
    members_view_close(run.members_view);
    loop_descriptor_close(store);
    cache_free(run.cache);
    store_close(run.store);
    for (size_t i = 0; i < run.count; i++) {
        voting_free(run.hosts[i].voting);
    }
    loop_close(run.loop);
    return true;
}

int main(int argc, char **argv)
{
    struct err err;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2 || strncmp(argv[1], "etcd:", 5) != 0 ||
        !etcd_env_use(argv[1] + 5, options_use, NULL, &err)) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: store_voting etcd:PREFIX" : err.text);
        return 1;
    }
    return 0;
}
