#ifndef REEVE_MOVING_LEAVE_H
#define REEVE_MOVING_LEAVE_H

#include "managers/managers.h"
#include "peers/blobs.h"
#include "remote/depot.h"
#include "sys/log.h"

/* Handles an operator's request that a manager leaves its store permanently (docs/decisions/0190).
 * The manager waits until nothing depends on it, and its status shows the reason of the wait:
 *
 *   1. it holds no lease of a cluster, and not the lease of housekeeping;
 *   2. no machine exists on its host;
 *   3. another manager has each of its blobs;
 *   4. its host has no member of a managed store: the housekeeper removes it.
 *
 * Then it writes LEAVE_FILE, which makes later starts fail, and ends. */
struct leave;

/* Name of a file in the data folder of a manager that has left its store. */
#define LEAVE_FILE "manager.left"

struct leave_options {
    struct cache *cache;
    struct log *log;
    struct blobs *blobs;    /* NULL: this manager has no links to others */
    struct depot *bundles;  /* bundles of this manager; NULL: none */
    struct depot *archives; /* archives of this manager; NULL: none */
    const char *folder;     /* data folder of the manager */
    /* The managers of the store; NULL: they are not known yet. */
    struct managers *(*managers)(void *arg);
    bool (*is_housekeeper)(void *arg);
    /* returns the number of machines on the host of a manager */
    uint64_t (*hosted)(void *arg, struct text id);
    /* true if its host has a member of a managed store */
    bool (*has_member)(void *arg);
    void (*end)(void *arg); /* called once, when the process must end */
    void *arg;
};

struct leave *leave_new(const struct leave_options *options);

/* Frees the state, after the blobs. NULL is allowed. */
void leave_free(struct leave *leave);

/* Continues to leave if an operator has requested it. Call it every second. */
void leave_look(struct leave *leave);

/* True if the manager of this data folder has left its store. */
bool leave_has_left(int folder);

/* Fails with R0590 if the manager of this data folder (opened as `folder`) has left its store. */
MUST_CHECK bool leave_check(int folder, const char *path, struct err *err);

/* Removes LEAVE_FILE, because the manager has joined a store again. */
MUST_CHECK bool leave_undo(int folder, struct err *err);

#endif
