#ifndef REEVE_POWER_REQUESTS_POWER_REQUESTS_H
#define REEVE_POWER_REQUESTS_POWER_REQUESTS_H

#include "power/power.h"
#include "service/service.h"

/* public names start with: power_ */

/* Requests about the power of machines of the inventory. `name` is the id or the name of a row.
 * Each is answered once, now or later, with the record: {bmc, fault, order, pin, state, ...}. */

/* Sets the access to the BMC of a machine. R0860: a value is invalid. */
struct power_access {
    struct text url;    /* PROTOCOL://USER@ADDRESS[:PORT][/SYSTEM] */
    struct text secret; /* name of the secret with the password */
    struct text pin;    /* SHA256:BASE64 of the public key of a Redfish BMC; empty: CAs */
};
void power_access_set(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text name,
                      const struct power_access *access, service_done *done, void *arg);

/* Removes the access. */
void power_access_clear(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text name, service_done *done,
                        void *arg);

void power_get(struct service *service, struct arena *arena, const struct service_actor *actor,
               struct text name, service_done *done, void *arg);

/* Gives an order. R0861: the machine has no power control. R0862: the machine is a member and the
 * sender does not consent, or it is the host of a manager, or its disks are being written. */
struct power_command {
    enum power_action action;
    bool has_consent; /* also for a machine that is a member */
    /* True if an address belongs to the host of this process. NULL: not known. */
    bool (*is_own_address)(struct arena *arena, struct text address);
    struct text why;
};
void power_command(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text name, const struct power_command *command, service_done *done,
                   void *arg);

#endif
