#ifndef REEVE_INSTANCES_INSTANCES_H
#define REEVE_INSTANCES_INSTANCES_H

#include "instances/instance_codec.h"
#include "peers/peers.h"
#include "reconcile/control.h"

/* Plugin instances of other managers (docs/spec/MANAGERS.md section 5): providers whose calls
 * travel over the link to the manager whose host has the machines. This module is also the
 * receiving end: it executes such calls from other managers with the plugins of this manager. A
 * call is one request, POST /peer/instances. All calls are on the loop thread. */
struct instances;

#define INSTANCES_PATH "/peer/instances"

struct instances_options {
    struct peers *peers; /* NULL: this manager has no links */
    struct log *log;
    /* Finds a plugin of this manager, as control_ports.provider_find. */
    struct provider *(*provider_find)(void *arg, struct text tenant, struct text plugin,
                                      const char **problem);
    /* True if a manager (by id) holds the lease of a cluster (TENANT/ID), according to this
     * manager's data. */
    bool (*is_holder)(void *arg, struct text manager, struct text cluster);
    void (*wake)(void *arg); /* called when instances_run has work */
    void *arg;
};

struct instances *instances_new(const struct instances_options *options);

/* Frees it, after instances_close. NULL is allowed. */
void instances_free(struct instances *instances);

/* Answers the pending calls of other managers with an error, and refuses later calls. The plugins
 * still finish the pending calls. NULL is allowed. */
void instances_refuse(struct instances *instances);

/* Ends all calls that this manager has sent, with an unknown outcome; later calls are rejected.
 * Call it before the links and the plugins are closed. */
void instances_close(struct instances *instances);

/* Returns the provider of an instance, valid until instances_free. Returns NULL if there is no link
 * to its manager; *problem then has the reason. */
struct provider *instances_find(struct instances *instances,
                                const struct control_instance *instance, const char **problem);

/* Runs all instances, as provider_run does for one provider. */
size_t instances_run(struct instances *instances);

/* True if instances_run has work. */
bool instances_are_due(const struct instances *instances);

/* Receives the answer to a request of another manager: JSON, or NULL and in `err` the reason why
 * the call was not executed. */
typedef void instances_served(void *arg, const struct text *answer, const struct err *err);

/* Executes the call that another manager requests in the body of its request. `done` is called
 * once, possibly immediately. */
void instances_serve(struct instances *instances, struct text manager, struct text body,
                     instances_served *done, void *arg);

#endif
