/* Reads all data of a store and prints it, one fact per line: store_reader FOLDER, or store_reader
 * etcd:PREFIX for a store in the etcd of the environment (etcd_env.h).
 *
 *   status REVISION COMPACTED INCARNATION WRITABLE
 *   problem CODE TEXT                      why it is not writable
 *   item AT KEY REVISION CREATED VALUE     lists at the newest and at some older revisions
 *   history KEY REVISION CREATED VALUE     of every key
 *   change REVISION KEY DELETE VALUE       a watch from the oldest revision on
 *   event CLUSTER NUMBER REVISION TIME BODY
 *   end
 *
 * Exit code 0 with "end" as the last line: the output is complete. Exit code 2: "refused CODE TEXT"
 * has the reason. */

#include "etcd_env.h"
#include "sqlite/sqlite.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLDER_LISTS = 4, KEYS_MAX = 100000 };

struct run {
    struct store *store;
    struct arena *arena;
    struct store_status status;
    uint64_t at;
    uint64_t newest; /* newest change that the watch must report; writers delete nothing */
    struct text key;
    struct text *keys;
    size_t key_count;
    uint64_t seen_revision; /* newest revision that the watch has reported */
    uint64_t after;         /* number of the newest event that was read */
    bool has_more;
    bool is_done;
};

static _Noreturn void refused(const char *what, const struct err *err)
{
    printf("refused %s %s: %s\n", err->code == 0 ? "?" : code_get(err->code)->name, what,
           err->text);
    exit(2);
}

static void wait_done(struct run *run)
{
    while (!run->is_done) {
        poll(&(struct pollfd){ .fd = store_descriptor(run->store), .events = POLLIN }, 1, -1);
        store_run(run->store);
    }
    run->is_done = false;
}

static void list_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->is_done = true;
    if (outcome != OUTCOME_OK) {
        refused("list", &answer->err);
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];

        printf("item %" PRIu64 " %.*s %" PRIu64 " %" PRIu64 " %.*s\n", run->at, TEXT_ARG(item->key),
               item->revision, item->create_revision, TEXT_ARG(item->value));
        if (run->at == run->status.revision) {
            run->newest = item->revision > run->newest ? item->revision : run->newest;
            run->keys[run->key_count++] = arena_text(run->arena, item->key);
        }
    }
}

static void history_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->is_done = true;
    if (outcome != OUTCOME_OK) {
        refused("history", &answer->err);
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];

        printf("history %.*s %" PRIu64 " %" PRIu64 " %.*s\n", TEXT_ARG(item->key), item->revision,
               item->create_revision, TEXT_ARG(item->value));
    }
}

static void events_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->is_done = true;
    run->has_more = answer->has_more;
    if (outcome != OUTCOME_OK) {
        refused("events", &answer->err);
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_event *event = &answer->events[i];

        printf("event %.*s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.*s\n", TEXT_ARG(event->cluster),
               event->number, event->revision, event->time_ms, TEXT_ARG(event->body));
        run->after = event->revision;
    }
}

static void changes_seen(void *arg, enum store_watch_state state, uint64_t revision,
                         const struct store_change *changes, size_t count)
{
    struct run *run = arg;

    if (state != STORE_WATCH_CHANGES) {
        refused("watch", &(struct err){ .code = CODE_R0506, .text = "the watch was lost" });
    }
    run->seen_revision = revision;
    for (size_t i = 0; i < count; i++) {
        printf("change %" PRIu64 " %.*s %d %.*s\n", revision, TEXT_ARG(changes[i].item.key),
               changes[i].is_delete, TEXT_ARG(changes[i].item.value));
    }
    run->is_done = revision >= run->newest;
}

static void read_all(struct run *run)
{
    uint64_t oldest = run->status.compacted_revision;
    uint64_t step = (run->status.revision - oldest) / (OLDER_LISTS + 1) + 1;

    for (uint64_t at = oldest == 0 ? 1 : oldest; at < run->status.revision; at += step) {
        run->at = at;
        store_list(run->store, &(struct store_range){ .prefix = TEXT("/"), .at_revision = at },
                   list_done, run);
        wait_done(run);
    }
    run->at = run->status.revision;
    store_list(run->store, &(struct store_range){ .prefix = TEXT("/") }, list_done, run);
    wait_done(run);
    for (size_t i = 0; i < run->key_count; i++) {
        store_history(run->store, run->keys[i], history_done, run);
        wait_done(run);
    }
    do {
        store_events(run->store, TEXT(""), run->after, 0, events_done, run);
        wait_done(run);
    } while (run->has_more);
    if (run->newest > oldest) {
        store_watch(run->store, TEXT("/"), oldest + 1, changes_seen, run);
        wait_done(run);
    }
}

int main(int argc, char **argv)
{
    static const unsigned char incarnation[16] = "nobody made this";
    static struct run run;
    struct err err = { 0 };

    if (argc != 2) {
        fprintf(stderr, "usage: store_reader FOLDER|etcd:PREFIX\n");
        return 64;
    }
    alarm(60); /* a missing answer is a failure too */
    if (strncmp(argv[1], "etcd:", 5) == 0
            ? !etcd_env_open(argv[1] + 5, incarnation, &run.store, &err)
            : !sqlite_open(argv[1], incarnation, &run.store, &err)) {
        refused("open", &err);
    }
    run.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    run.keys = arena_array(run.arena, struct text, KEYS_MAX);
    store_status(run.store, &run.status);
    printf("status %" PRIu64 " %" PRIu64 " ", run.status.revision, run.status.compacted_revision);
    for (size_t i = 0; i < sizeof(run.status.incarnation); i++) {
        printf("%02x", run.status.incarnation[i]);
    }
    printf(" %d\n", run.status.is_writable);
    if (!run.status.is_writable) {
        printf("problem %s %s\n", code_get(run.status.problem.code)->name, run.status.problem.text);
    }
    read_all(&run);
    store_close(run.store);
    arena_free(run.arena);
    printf("end\n");
    return 0;
}
