#ifndef REEVE_INSTANCES_INSTANCES_PARTS_H
#define REEVE_INSTANCES_INSTANCES_PARTS_H

#include "instances/instances.h"
#include "base/queue.h"

/* private to src/instances */
/* public names start with: instances_ instance_ */

/* A call that this manager sends to another one. */
struct instance_sent {
    struct instance_sent *next;
    struct instance *instance;
    struct arena *arena;
    enum instance_method method;
    provider_done *done;
    void *arg;
    struct peers_call *call; /* NULL: it is not in progress */
    struct queue bytes;      /* of the answer */
    int status;
    bool is_ready;
    enum outcome outcome;
    struct provider_answer answer;
};

/* The provider for one combination of tenant, plugin and manager. */
struct instance {
    struct provider provider; /* must be first */
    struct instance *next;
    struct instances *instances;
    struct text tenant;
    struct text plugin;
    struct text manager;
    /* Its machines were declared lost: calls are answered with "does not exist" and are not
     * sent. */
    bool is_gone;
    struct instance_sent *sent;
};

/* A call of another manager to a plugin of this manager. */
struct instance_served {
    struct instance_served *next;
    struct instances *instances;
    instances_served *done; /* NULL: already answered, because this manager shuts down */
    void *arg;
};

struct instances {
    struct arena *memory;
    struct instances_options options;
    struct instance *all;
    struct instance_served *served;
    size_t ready;     /* number of finished calls that instances_run must report */
    bool is_refusing; /* calls of other managers are refused */
    bool is_closed;
};

/* Answers the pending calls of other managers with an error (instance_serve.c). */
void instances_serve_end(struct instances *instances);

#endif
