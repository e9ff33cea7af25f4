#include "moving/snapshot.h"

#include "base/mem.h"
#include "moving/relocate.h"
#include "sys/fd.h"

#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct snapshot {
    struct arena *memory;
    const struct etcd_options *etcd;
    const char *path;
    store_done *done;
    void *arg;
    pthread_t thread;
    int ended; /* eventfd, which becomes readable when the thread has ended */
    struct loop_descriptor *descriptor;
    struct store_answer answer; /* result, which the thread writes before it ends */
    enum outcome outcome;
};

static void *snapshot_run(void *arg)
{
    struct snapshot *snapshot = arg;
    uint64_t one = 1;
    ssize_t written;

    snapshot->outcome = relocate_snapshot(snapshot->etcd, snapshot->path,
                                          &snapshot->answer.revision, &snapshot->answer.err)
                            ? OUTCOME_OK
                            : OUTCOME_REFUSED;
    written = write(snapshot->ended, &one, sizeof(one));
    assert(written == sizeof(one));
    (void)written;
    return NULL;
}

static void on_snapshot_end(void *arg, unsigned events)
{
    struct snapshot *snapshot = arg;

    (void)events;
    loop_descriptor_want(snapshot->descriptor, 0);
    snapshot->done(snapshot->arg, snapshot->outcome, &snapshot->answer);
}

bool snapshot_start(struct loop *loop, const struct etcd_options *etcd, const char *path,
                    store_done *done, void *arg, struct snapshot **out, struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct snapshot *snapshot = arena_one(memory, struct snapshot);
    int code;

    *snapshot = (struct snapshot){ .memory = memory,
                                   .etcd = etcd,
                                   .path = arena_printf(memory, "%s", path).data,
                                   .done = done,
                                   .arg = arg,
                                   .ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
    assert(snapshot->ended >= 0);
    if (!loop_descriptor_open(loop, snapshot->ended, on_snapshot_end, snapshot,
                              &snapshot->descriptor, err)) {
        close(snapshot->ended);
        arena_free(memory);
        return false;
    }
    loop_descriptor_want(snapshot->descriptor, LOOP_READABLE);
    code = pthread_create(&snapshot->thread, NULL, snapshot_run, snapshot);
    assert(code == 0 && "a thread is needed to copy the store");
    (void)code;
    *out = snapshot;
    return true;
}

void snapshot_close(struct snapshot *snapshot)
{
    if (snapshot != NULL) {
        pthread_join(snapshot->thread, NULL);
        loop_descriptor_close(snapshot->descriptor);
        close(snapshot->ended);
        arena_free(snapshot->memory);
    }
}
