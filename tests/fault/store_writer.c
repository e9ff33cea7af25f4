/* Writes to a store until it is killed: store_writer FOLDER SEED [OPTION]... [COUNT]. With
 * etcd:PREFIX instead of FOLDER, the store is in the etcd of the environment (etcd_env.h).
 *
 * DEPTH transactions are in progress at any time, each with its own key: compare with the known
 * revision of the key, put, one event. After a transaction has ended with OK, one line is written
 * to standard output with one write(2). Only then the next transaction of the key begins:
 *
 *   ack KEY TOKEN REVISION
 *
 * The value and the body of the event begin with the token, which is never used twice.
 *
 * With COUNT the program closes the store and exits after COUNT transactions. Options:
 *
 * --die: with COUNT, the program kills itself instead, so that all transactions are acknowledged
 *     and the WAL remains.
 * --patient: a write that is refused for lack of space (R0505) is reported as "full" and repeated
 *     after a delay.
 * --compact: all revisions except the newest ones are compacted from time to time.
 * --backup=PATH: a backup is made after BACKUP_AFTER acknowledged writes, and reported as "backup
 *     REVISION" or "backup refused CODE TEXT".
 * --stubborn: every other failure is reported as "lost OUTCOME CODE KEY TOKEN". The key is read
 *     until the read succeeds, and its next transaction begins from the value that was read.
 * --watch: all changes are watched and printed as "seen REVISION KEY TOKEN", and the program exits
 *     after the last one.
 * --ack-early: an injected fault that the test must detect: the line is written before the store
 *     has answered. */

#include "etcd_env.h"
#include "sqlite/sqlite.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH = 64,
    CLUSTERS = 5,
    VALUE_BYTES = 1024,
    PAUSE_MS = 5,
    COMPACT_EVERY = 1500,
    COMPACT_KEEPS = 300,
    BACKUP_AFTER = 1000
};

struct slot {
    char key[64];
    char token[64];
    uint64_t revision; /* revision of the key's newest change */
    struct run *run;
};

struct run {
    struct store *store;
    struct slot slots[DEPTH];
    const char *seed;
    bool acks_early;
    bool dies;
    bool is_patient;
    bool compacts;
    bool is_stubborn;
    bool watches;
    uint64_t newest;    /* newest acknowledged change */
    uint64_t seen;      /* newest change that the watch has reported */
    const char *backup; /* path of the backup; NULL: none, or it has already begun */
    uint64_t acknowledged;
    uint64_t random;
    uint64_t begun;
    uint64_t count; /* number of writes; 0: until the process is killed */
    size_t pending;
};

static void slot_begin(struct slot *slot);

static _Noreturn void give_up(const char *what, const struct err *err)
{
    fprintf(stderr, "%s: %s: %s\n", what, err->code == 0 ? "" : code_get(err->code)->name,
            err->text);
    exit(2);
}

static uint64_t random_next(struct run *run)
{
    run->random = run->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return run->random >> 33;
}

static void slot_report(const struct slot *slot, uint64_t revision)
{
    char line[160];
    int length =
        snprintf(line, sizeof(line), "ack %s %s %" PRIu64 "\n", slot->key, slot->token, revision);

    if (write(STDOUT_FILENO, line, (size_t)length) != length) {
        exit(3);
    }
}

static void compact_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->pending--;
    if (outcome != OUTCOME_OK) {
        give_up("compact", &answer->err);
    }
}

static void compact_begin(struct run *run, uint64_t revision)
{
    run->pending++;
    store_compact(run->store, revision - COMPACT_KEEPS, compact_done, run);
}

static void slot_read(struct slot *slot);

static void slot_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct slot *slot = arg;

    slot->run->pending--;
    if (outcome != OUTCOME_OK) {
        slot_read(slot);
        return;
    }
    slot->revision = answer->count == 0 ? 0 : answer->items[0].revision;
    if (slot->run->count == 0 || slot->run->begun < slot->run->count) {
        slot_begin(slot);
    }
}

static void slot_read(struct slot *slot)
{
    poll(NULL, 0, PAUSE_MS);
    slot->run->pending++;
    store_get(slot->run->store, text_from(slot->key), 0, slot_known, slot);
}

static void slot_lost(struct slot *slot, enum outcome outcome, const struct err *err)
{
    char line[192];
    int length = snprintf(line, sizeof(line), "lost %s %s %s %s\n",
                          outcome == OUTCOME_UNKNOWN ? "unknown" : "refused",
                          code_get(err->code)->name, slot->key, slot->token);

    if (write(STDOUT_FILENO, line, (size_t)length) != length) {
        exit(3);
    }
    slot_read(slot);
}

static void changes_seen(void *arg, enum store_watch_state state, uint64_t revision,
                         const struct store_change *changes, size_t count)
{
    struct run *run = arg;

    if (state != STORE_WATCH_CHANGES) {
        give_up("watch", &(struct err){ .text = "the watch was lost" });
    }
    for (size_t i = 0; i < count; i++) {
        char line[192];
        int length =
            snprintf(line, sizeof(line), "seen %" PRIu64 " %.*s %.*s\n", revision,
                     TEXT_ARG(changes[i].item.key),
                     TEXT_ARG(text_slice(changes[i].item.value, 0, sizeof(run->slots[0].token))));

        if (write(STDOUT_FILENO, line, (size_t)length) != length) {
            exit(3);
        }
    }
    run->seen = revision;
}

static void backup_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;
    char line[1024];
    int length = outcome == OUTCOME_OK
                     ? snprintf(line, sizeof(line), "backup %" PRIu64 "\n", answer->revision)
                     : snprintf(line, sizeof(line), "backup refused %s %s\n",
                                code_get(answer->err.code)->name, answer->err.text);

    run->pending--;
    (void)!write(STDOUT_FILENO, line, (size_t)length);
}

static void backup_begin(struct run *run)
{
    run->pending++;
    sqlite_backup(run->store, run->backup, backup_done, run);
    run->backup = NULL;
}

static void slot_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct slot *slot = arg;

    slot->run->pending--;
    if (slot->run->is_patient && outcome == OUTCOME_REFUSED && answer->err.code == CODE_R0505) {
        (void)!write(STDOUT_FILENO, "full\n", 5);
        poll(NULL, 0, PAUSE_MS);
        slot_begin(slot);
        return;
    }
    if (outcome != OUTCOME_OK && slot->run->is_stubborn) {
        slot_lost(slot, outcome, &answer->err);
        return;
    }
    if (outcome != OUTCOME_OK) {
        give_up(slot->key, &answer->err);
    }
    slot->revision = answer->revision;
    if (answer->revision > slot->run->newest) {
        slot->run->newest = answer->revision;
    }
    if (!slot->run->acks_early) {
        slot_report(slot, answer->revision);
    }
    if (slot->run->compacts && answer->revision % COMPACT_EVERY == 0) {
        compact_begin(slot->run, answer->revision);
    }
    if (++slot->run->acknowledged >= BACKUP_AFTER && slot->run->backup != NULL) {
        backup_begin(slot->run);
    }
    if (slot->run->count == 0 || slot->run->begun < slot->run->count) {
        slot_begin(slot);
    }
}

static void slot_begin(struct slot *slot)
{
    struct run *run = slot->run;
    char value[VALUE_BYTES];
    char cluster[16];
    size_t length =
        (size_t)snprintf(slot->token, sizeof(slot->token), "%s.%" PRIu64, run->seed, run->begun++);
    size_t padding = (size_t)random_next(run) % (VALUE_BYTES / 4);
    struct store_compare compare = { text_from(slot->key), slot->revision };
    struct store_op op = { .key = text_from(slot->key), .value = { value, length + padding } };
    struct store_event event = { .body = text_from(slot->token), .time_ms = run->begun };
    struct store_txn txn = { &compare, 1, &op, 1, &event, 1 };

    memset(value, '.', sizeof(value));
    memcpy(value, slot->token, length);
    snprintf(cluster, sizeof(cluster), "t/c%u", (unsigned)(random_next(run) % CLUSTERS));
    event.cluster = text_from(cluster);
    if (run->acks_early) {
        slot_report(slot, 0);
    }
    run->pending++;
    store_txn(run->store, &txn, slot_done, slot);
}

/* Reads the data that an earlier process has written. */
static void list_done(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct run *run = arg;

    run->pending--;
    if (outcome != OUTCOME_OK) {
        give_up("list", &answer->err);
    }
    for (size_t i = 0; i < answer->count; i++) {
        for (size_t s = 0; s < DEPTH; s++) {
            if (text_is(answer->items[i].key, run->slots[s].key)) {
                run->slots[s].revision = answer->items[i].revision;
            }
        }
    }
}

static void turn_until_done(struct run *run)
{
    while (run->pending > 0 || (run->watches && run->seen < run->newest)) {
        poll(&(struct pollfd){ .fd = store_descriptor(run->store), .events = POLLIN }, 1, -1);
        store_run(run->store);
    }
}

static void options_read(struct run *run, int argc, char **argv)
{
    run->seed = argv[2];
    run->random = strtoull(argv[2], NULL, 10) + 1;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--ack-early") == 0) {
            run->acks_early = true;
        } else if (strcmp(argv[i], "--die") == 0) {
            run->dies = true;
        } else if (strcmp(argv[i], "--patient") == 0) {
            run->is_patient = true;
        } else if (strcmp(argv[i], "--stubborn") == 0) {
            run->is_stubborn = true;
        } else if (strcmp(argv[i], "--watch") == 0) {
            run->watches = true;
        } else if (strcmp(argv[i], "--compact") == 0) {
            run->compacts = true;
        } else if (strncmp(argv[i], "--backup=", 9) == 0) {
            run->backup = argv[i] + 9;
        } else {
            run->count = strtoull(argv[i], NULL, 10);
        }
    }
}

int main(int argc, char **argv)
{
    static const unsigned char incarnation[16] = "fault test store";
    static struct run run;
    struct err err = { 0 };

    if (argc < 3) {
        fprintf(stderr,
                "usage: store_writer FOLDER|etcd:PREFIX SEED [--ack-early] [--die] [--patient]\n"
                "       [--compact] [--backup=PATH] [--stubborn] [--watch] [COUNT]\n");
        return 64;
    }
    options_read(&run, argc, argv);
    if (strncmp(argv[1], "etcd:", 5) == 0
            ? !etcd_env_open(argv[1] + 5, incarnation, &run.store, &err)
            : !sqlite_open(argv[1], incarnation, &run.store, &err)) {
        give_up("open", &err);
    }
    for (unsigned i = 0; i < DEPTH; i++) {
        snprintf(run.slots[i].key, sizeof(run.slots[i].key), "/t/%s/o%u/%s",
                 i % 2 == 0 ? "cluster" : "resource", i, i % 4 == 0 ? "spec" : "status");
        run.slots[i].run = &run;
    }
    run.pending = 1;
    store_list(run.store, &(struct store_range){ .prefix = TEXT("/") }, list_done, &run);
    turn_until_done(&run);
    if (run.watches) {
        store_watch(run.store, TEXT("/"), 1, changes_seen, &run);
    }
    for (size_t i = 0; i < DEPTH; i++) {
        slot_begin(&run.slots[i]);
    }
    turn_until_done(&run);
    if (run.dies) {
        raise(SIGKILL);
    }
    store_close(run.store);
    return 0;
}
