#ifndef REEVE_DAEMON_MANAGERS_PORT_H
#define REEVE_DAEMON_MANAGERS_PORT_H

#include "api/api.h"
#include "daemon/config/config.h"
#include "daemon/controller.h"
#include "voting/members_view.h"

/* Describes the managers of the store, for the service and the metrics. */
struct managers_port {
    const struct config *config;
    const struct controller *controller; /* NULL: this process reconciles no clusters */
    const struct cache *cache;
    struct peers *peers;               /* NULL: this manager has no links */
    struct members_view *members_view; /* NULL: the store is embedded */
};

/* Shows the managers: {items, store, ...}; see service_managers. */
struct doc managers_port_show(const struct managers_port *port, struct arena *arena,
                              const struct service_managers_query *query);

/* Returns the numbers of managers for metrics. */
struct api_managers_figures managers_port_figures(const struct managers_port *port);

#endif
