#ifndef REEVE_RECORDS_PROVIDER_H
#define REEVE_RECORDS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outcome.h"
#include "base/text.h"
#include "plan/world.h"
#include "wire/frame.h"

/* The provider port. The engine calls it; drivers implement it (src/provider/, and the plugins
 * behind reeve-host). One conformance suite runs against all drivers.
 *
 * - Every call is asynchronous and ends in exactly one `done`, never before the call has returned.
 *   The arguments of a call must be valid until it returns; those of `done` are valid until it
 *   returns.
 * - OUTCOME_REFUSED: the call had no effect and will have none; `fault` is the reason.
 *   OUTCOME_UNKNOWN: the call may have had its effect, or may still have it within the time that
 *   the driver declares (late_ms). A retry is safe.
 * - The same token always means the same machine: create with a known token returns the id of the
 *   existing machine and creates nothing.
 * - A destroy of an id that does not exist is OK: the requested state is reached.
 * - Calls that change anything require an intent, which only a committed transaction can create
 *   (G1). */
struct provider;
struct intent;

/* Why a call was refused. Each fault has its own retry policy (X15). */
enum provider_fault {
    PROVIDER_FAULT_NONE,
    PROVIDER_FAULT_INVALID,   /* the request is wrong: wait until it changes */
    PROVIDER_FAULT_AUTH,      /* no permission: wait until the account changes */
    PROVIDER_FAULT_QUOTA,     /* The account's quota is exhausted: back off, try alternatives. */
    PROVIDER_FAULT_CAPACITY,  /* The provider has no capacity: back off, try alternatives. */
    PROVIDER_FAULT_THROTTLED, /* too many calls: slow down */
    PROVIDER_FAULT_TRANSIENT, /* A retry may succeed. */
    PROVIDER_FAULT_GONE,      /* The machine of the request no longer exists. */
    PROVIDER_FAULT_COUNT,
};

/* Return the name of a fault: "invalid", "auth", ... */
const char *provider_fault_name(enum provider_fault fault);

/* The declared properties of a driver. */
struct provider_traits {
    uint64_t lag_ms;  /* maximum age of a listing */
    uint64_t late_ms; /* how long a call without an answer may still take effect, in ms */
    bool is_strong;   /* a listing is never outdated */
    /* The provider itself guarantees one machine for each token, no matter how late a create call
     * arrives. */
    bool has_tokens;
    bool is_disposable; /* A machine may be replaced by another one. */
    bool is_pool;       /* a machine is claimed from a pool, and a destroy returns it to the pool */
    bool is_host;       /* its machines exist only on the host of this manager */
    bool can_label;     /* implements `label` */
    bool can_reboot;    /* implements `reboot` */
    bool has_resources; /* implements `resources` and `resource_destroy` */
    bool has_host_keys; /* reports the host key of a machine some minutes after its start */
    /* Paths of the fields of a group that can change without a new machine
     * (properties_in_place). */
    const struct text *in_place;
    size_t in_place_count;
    bool sends_in_place;  /* `label` changes these fields on machines that exist */
    uint32_t calls_max;   /* concurrent calls; 0: the engine decides */
    uint32_t calls_per_s; /* calls a second; 0: the engine decides */
};

/* The stamp that identifies a machine as a machine of this installation (G4). */
struct provider_tags {
    struct text cluster; /* TENANT/ID */
    struct text life;    /* incarnation of the store */
    struct text group;
    uint64_t slot;
    struct text token;
    /* Keyed digest over all fields above. Only this installation has the key. */
    struct text mac;
};

/* The requested machine. */
struct provider_request {
    struct provider_tags tags;
    struct text name; /* name of the member: web-0 */
    struct text zone; /* empty: the provider decides */
    /* Canonical JSON of the fields that define the machine: the effective fields of the group. */
    struct text properties;
    struct text labels; /* canonical JSON {labels, owner}, as for provider_label */
    /* Canonical JSON of fields that a machine receives, but that do not define it: user, driver,
     * owner. */
    struct text more;
    /* Lines of authorized_keys for reeve's logins; not part of the machine's definition. */
    struct text keys;
    struct wire_list pins; /* the meaning of symbolic values (pins.h): a list of struct wire_pair */
};

/* A machine in a listing. */
struct provider_row {
    struct text id;
    struct provider_tags tags; /* the tags that the machine has */
    enum plan_row_state state;
    struct text address; /* empty: not known yet */
    struct text zone;
    struct text user;     /* login user; empty: not stated */
    struct text host_key; /* "TYPE BASE64"; empty: not stated */
    uint16_t port;        /* port of its sshd; 0: not stated */
    /* For ENDED: the reason (user, spot, host, capacity, quota or broken) and a text for users;
     * empty: not stated. */
    struct text end_reason;
    struct text end_message;
};

/* A resource that a cluster has at a provider besides its machines (reeve_resource_v1). */
struct provider_resource {
    struct text kind;
    struct text id;
    struct text attached; /* id of the machine that uses the resource; empty: none */
    struct text zone;
    uint64_t bytes;            /* 0: the resource has no size */
    struct provider_tags tags; /* the tags that the resource has; a plugin may have none */
    struct text name;          /* tag reeve.name: name of the volume in its group */
    struct text keep;          /* tag reeve.keep: slot, node or always */
};

struct provider_answer {
    enum provider_fault fault; /* reason of an outcome REFUSED */
    struct text message;       /* explains, for display, why the outcome is not OK */
    uint64_t retry_ms;         /* delay before a retry that the provider requests; 0: not stated */
    struct text id;            /* create: the id of the machine */
    const struct provider_row *rows;
    size_t count;
    const struct provider_resource *resources; /* for a call for resources */
    size_t resource_count;
    bool is_complete; /* list: the rows are all machines */
    /* list: a marker of the listed state. Empty: part of the state may change without a provider
     * call. */
    struct text mark;
    bool is_same;        /* list: nothing has changed since the given marker; there are no rows */
    struct text console; /* console: the last part of its text */
};

/* The result of a plugin's check at its provider before machines are created. The lists have items
 * of type struct wire_pair: pointer and text, or name and value. */
struct provider_preflight {
    struct wire_list faults;   /* values that the provider would reject */
    struct wire_list notices;  /* values that could not be checked */
    struct wire_list facts;    /* values that a plan shows */
    struct wire_list pins;     /* present meaning of symbolic values */
    enum provider_fault fault; /* the class of the faults; NONE: there are none */
    struct text problem;       /* why nothing could be checked; empty: the check was made */
};

typedef void provider_done(void *arg, enum outcome outcome, const struct provider_answer *answer);

struct provider_driver {
    const char *name;
    void (*close)(struct provider *provider);
    size_t (*run)(struct provider *provider);
    uint64_t (*due)(const struct provider *provider);
    void (*create)(struct provider *provider, const struct intent *intent,
                   const struct provider_request *request, provider_done *done, void *arg);
    void (*destroy)(struct provider *provider, const struct intent *intent, provider_done *done,
                    void *arg);
    /* NULL if the driver's traits state that it has no such call. */
    void (*label)(struct provider *provider, const struct intent *intent, struct text labels,
                  provider_done *done, void *arg);
    void (*reboot)(struct provider *provider, const struct intent *intent, provider_done *done,
                   void *arg);
    void (*list)(struct provider *provider, struct text cluster, struct text known,
                 provider_done *done, void *arg);
    void (*find)(struct provider *provider, const struct intent *intent, provider_done *done,
                 void *arg);
    /* NULL if the driver's traits state that it has no such calls. */
    void (*resources)(struct provider *provider, struct text cluster, provider_done *done,
                      void *arg);
    void (*resource_destroy)(struct provider *provider, const struct intent *intent,
                             struct text kind, provider_done *done, void *arg);
};

/* First member of every driver's provider. */
struct provider {
    const struct provider_driver *driver;
    struct provider_traits traits;
};

/* Frees a provider. Before that, each running call ends with a call of its `done`. NULL is
 * allowed. */
void provider_close(struct provider *provider);

/* provider_run calls the due callbacks and returns their number. provider_due returns the time
 * until the next one is due, in ms. 0: now; UINT64_MAX: no call is running. */
size_t provider_run(struct provider *provider);
uint64_t provider_due(const struct provider *provider);

/* Creates the machine of the intent's record. OK: answer->id is the machine. */
void provider_create(struct provider *provider, const struct intent *intent,
                     const struct provider_request *request, provider_done *done, void *arg);

/* Destroy the machine with the intent's id. OK: the machine is gone or will be gone, or did not
 * exist. */
void provider_destroy(struct provider *provider, const struct intent *intent, provider_done *done,
                      void *arg);

/* Replace the labels of the intent's machine by `labels`, canonical JSON {labels, owner}, which is
 * the complete set. */
void provider_label(struct provider *provider, const struct intent *intent, struct text labels,
                    provider_done *done, void *arg);

/* Reboot the intent's machine. A stopped machine is started. */
void provider_reboot(struct provider *provider, const struct intent *intent, provider_done *done,
                     void *arg);

/* Lists all machines with the tag of a cluster (TENANT/ID). OK: rows, in any order. `known` is the
 * marker of an earlier listing, or empty. If nothing has changed since that listing, a driver may
 * set is_same instead of rows. */
void provider_list(struct provider *provider, struct text cluster, struct text known,
                   provider_done *done, void *arg);

/* Look up the machine of the intent by its id. OK with one row: it exists; OK without rows: it does
 * not exist. */
void provider_find(struct provider *provider, const struct intent *intent, provider_done *done,
                   void *arg);

/* List the resources that a cluster has besides its machines. OK: the list is complete. */
void provider_resources(struct provider *provider, struct text cluster, provider_done *done,
                        void *arg);

/* Delete the resource of this kind with the intent's id. OK: it no longer exists, or did not
 * exist. */
void provider_resource_destroy(struct provider *provider, const struct intent *intent,
                               struct text kind, provider_done *done, void *arg);

#endif
