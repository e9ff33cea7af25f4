#ifndef REEVE_MOVING_LEAVE_H
#define REEVE_MOVING_LEAVE_H

#include "managers/managers.h"
#include "peers/blobs.h"
#include "remote/depot.h"
#include "sys/log.h"

/* A manager that leaves its store for good, on the request of an operator
 * (docs/decisions/0190). It waits until nothing depends on it, and reports what it waits for in its
 * status:
 *
 *   1. it holds no lease of a cluster, nor that of housekeeping;
 *   2. no machine exists on its host;
 *   3. another manager has each of its blobs.
 *
 * Then it writes LEAVE_FILE, which makes later starts fail, and ends. */
struct leave;

/* File in the data folder of a manager that has left its store. */
#define LEAVE_FILE "manager.left"

struct leave_options {
    struct cache *cache;
    struct log *log;
    struct blobs *blobs;    /* NULL: this manager has no links to others */
    struct depot *bundles;  /* NULL: none */
    struct depot *archives; /* NULL: none */
    const char *folder;     /* data folder */
    /* The managers of the store; NULL: they are not known yet. */
    struct managers *(*managers)(void *arg);
    bool (*is_housekeeper)(void *arg);
    uint64_t (*hosted)(void *arg, struct text id); /* number of machines on the host of a manager */
    void (*end)(void *arg);                        /* called once: the process must end */
    void *arg;
};

struct leave *leave_new(const struct leave_options *options);

/* Frees it, after the blobs. NULL is allowed. */
void leave_free(struct leave *leave);

/* Continues if an operator has requested that this manager leaves. Call it every second. */
void leave_look(struct leave *leave);

/* True if the manager of this data folder has left its store. */
bool leave_has_left(int folder);

/* Fails with R0590 if the manager of this data folder (opened as `folder`) has left its store. */
MUST_CHECK bool leave_check(int folder, const char *path, struct err *err);

/* Removes LEAVE_FILE: the manager has joined again. */
MUST_CHECK bool leave_undo(int folder, struct err *err);

#endif
