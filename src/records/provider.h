#ifndef REEVE_RECORDS_PROVIDER_H
#define REEVE_RECORDS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outcome.h"
#include "base/text.h"
#include "plan/world.h"

/* The provider port: whoever makes machines. The engine calls it; drivers implement it (src/provider/, later
 * the plugins behind reeve-host). One contract suite runs against all of them.
 *
 * - Every call is asynchronous and ends in exactly one `done`, never before the call has returned. What a
 *   caller hands in may go away when the call returns; what `done` is handed is valid until it returns.
 * - OUTCOME_REFUSED: it did not happen and will not, `fault` says why. OUTCOME_UNKNOWN: it may have happened,
 *   or may still happen for as long as the driver declares (late_ms); asking again is safe.
 * - The same token always means the same machine: create with a token that it knows answers its id and
 *   makes nothing.
 * - A destroy of an id that is not there is OK: the request is true.
 * - Calls that change anything take an intent, which only a committed transaction can make (G1). */
struct provider;
struct intent;

/* Why something was refused; each has its own way to be tried again (X15). */
enum provider_fault {
    PROVIDER_FAULT_NONE,
    PROVIDER_FAULT_INVALID,   /* what is asked for is wrong: wait until it changes */
    PROVIDER_FAULT_AUTH,      /* it may not: wait until the account changes */
    PROVIDER_FAULT_QUOTA,     /* the account has no more: back off, try alternatives */
    PROVIDER_FAULT_CAPACITY,  /* the provider has no more: back off, try alternatives */
    PROVIDER_FAULT_THROTTLED, /* too many calls: slow down */
    PROVIDER_FAULT_TRANSIENT, /* it may go well the next time */
    PROVIDER_FAULT_GONE,      /* what it is about is not there any more */
    PROVIDER_FAULT_COUNT,
};

/* "invalid", "auth", ... */
const char *provider_fault_name(enum provider_fault fault);

/* What a driver declares of itself. */
struct provider_traits {
    uint64_t lag_ms;    /* a listing may be behind by so much */
    uint64_t late_ms;   /* a call that was given up may still have an effect for so long */
    bool is_strong;     /* a listing is never behind */
    bool is_disposable; /* a machine may be replaced by another one */
    bool can_label;     /* it has `label` */
    bool can_reboot;    /* it has `reboot` */
    const struct text
        *in_place; /* paths of fields of a group that make no other machine (properties_in_place) */
    size_t in_place_count;
    uint32_t calls_max;   /* under way at once; 0 = as the engine likes */
    uint32_t calls_per_s; /* 0 = as the engine likes */
};

/* What a machine is stamped with, so that it is known again (G4). */
struct provider_tags {
    struct text cluster; /* TENANT/ID */
    struct text life;    /* incarnation of the store */
    struct text group;
    uint64_t slot;
    struct text token;
    struct text mac; /* over all of the above: only we can make it */
};

/* What a machine shall be. */
struct provider_request {
    struct provider_tags tags;
    struct text name;       /* of the member: web-0 */
    struct text zone;       /* empty: as the provider likes */
    struct text properties; /* canonical JSON: what makes it, the group's effective fields */
    struct text labels;     /* canonical JSON {labels, owner}, as for provider_label */
    struct text
        more; /* canonical JSON of what a machine is told, and is not made of: user, driver, owner */
    struct text
        keys; /* lines of authorized_keys that let reeve in; no part of what it is made of */
};

/* A machine as it is listed. */
struct provider_row {
    struct text id;
    struct provider_tags tags; /* as far as it has them */
    enum plan_row_state state;
    struct text address; /* empty: not known (yet) */
    struct text zone;
    struct text user;     /* who logs in; empty: not said */
    struct text host_key; /* "TYPE BASE64", by which it is known; empty: not said */
    uint16_t port;        /* of its sshd; 0: not said */
};

struct provider_answer {
    enum provider_fault fault; /* where the outcome is REFUSED */
    struct text message;       /* for people, where it is not OK */
    uint64_t retry_ms;         /* the provider says when to ask again; 0: it does not */
    struct text id;            /* create */
    const struct provider_row *rows;
    size_t count;
    bool is_complete; /* list: these are all */
    struct text mark; /* list: how it stood, if nothing of it may change by itself; empty: may be */
    bool is_same;     /* list: as at the mark that was known; there are no rows */
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
    /* NULL where the traits say that it cannot. */
    void (*label)(struct provider *provider, const struct intent *intent, struct text labels,
                  provider_done *done, void *arg);
    void (*reboot)(struct provider *provider, const struct intent *intent, provider_done *done,
                   void *arg);
    void (*list)(struct provider *provider, struct text cluster, struct text known,
                 provider_done *done, void *arg);
    void (*find)(struct provider *provider, struct text cluster, struct text id,
                 provider_done *done, void *arg);
};

/* First member of every driver's provider. */
struct provider {
    const struct provider_driver *driver;
    struct provider_traits traits;
};

/* End it. Calls that are under way end first, each with its done. NULL is allowed. */
void provider_close(struct provider *provider);

/* Call what is due; returns how many. And when there will be something, in milliseconds from now: 0, there is
 * already; UINT64_MAX, nothing is under way. */
size_t provider_run(struct provider *provider);
uint64_t provider_due(const struct provider *provider);

/* Make the machine that the intent's record asks for. OK: answer->id. */
void provider_create(struct provider *provider, const struct intent *intent,
                     const struct provider_request *request, provider_done *done, void *arg);

/* End the machine whose id the intent names. OK: it is gone, or will be; it was not there counts as OK. */
void provider_destroy(struct provider *provider, const struct intent *intent, provider_done *done,
                      void *arg);

/* Give the machine that the intent names other labels, canonical JSON {labels, owner}; all of them are meant. */
void provider_label(struct provider *provider, const struct intent *intent, struct text labels,
                    provider_done *done, void *arg);

/* Start the machine that the intent names anew; one that is stopped is started. */
void provider_reboot(struct provider *provider, const struct intent *intent, provider_done *done,
                     void *arg);

/* All machines that carry the tag of a cluster (TENANT/ID). OK: rows, in any order. `known` is the mark of an
 * earlier listing, or empty: where nothing has changed since, a driver may say that instead (is_same). */
void provider_list(struct provider *provider, struct text cluster, struct text known,
                   provider_done *done, void *arg);

/* One machine by its id. OK with one row: it is there; OK with none: it is not. */
void provider_find(struct provider *provider, struct text cluster, struct text id,
                   provider_done *done, void *arg);

#endif
