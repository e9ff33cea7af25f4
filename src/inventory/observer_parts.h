#ifndef REEVE_INVENTORY_OBSERVER_PARTS_H
#define REEVE_INVENTORY_OBSERVER_PARTS_H

#include "base/heap.h"
#include "base/limits.h"
#include "base/map.h"
#include "inventory/evidence.h"
#include "inventory/observer.h"

/* private to src/inventory */
/* public names start with: observer_ */

enum {
    OBSERVER_PROBES = 100, /* probes in progress at the same time */
    OBSERVER_KEYS = 10,
    OBSERVER_LOGINS = 10,
    OBSERVER_NEW_ROWS = 30,     /* new rows in one transaction */
    OBSERVER_TAGS_BYTES = 1024, /* longer tags are not stored */
    OBSERVER_ROWS = 100 * 1000, /* rows of a tenant */
    /* delay after the first failure; doubles with each further failure */
    OBSERVER_KEY_AGAIN_MS = 5 * 1000,
    OBSERVER_KEY_AGAIN_MAX_MS = 600 * 1000,
    OBSERVER_CLEANUP_AGAIN_MS = 60 * 1000,
    OBSERVER_BUSY_MS = 1000,
    OBSERVER_FACTS_ROW_BYTES = DISCOVERED_ROW_BYTES / 2, /* size limit of a row with facts */
    OBSERVER_RENEW_MS = 10 * 1000, /* time between two writes of a row's address and tags */
};

/* The properties that identify a machine. */
enum observer_identity {
    OBSERVER_BY_KEY,    /* the host key */
    OBSERVER_BY_SERIAL, /* the serial number, unless the product UUIDs differ */
    OBSERVER_BY_UUID,   /* the product UUID, unless the serial numbers differ */
    OBSERVER_IDENTITY_COUNT,
};

struct observer_tenant {
    struct observer_tenant *next;
    struct text name;
    size_t rows;
    size_t pending; /* new machines whose row is not written yet */
    bool is_source_down;
    char why[200];
    bool is_held;
    bool is_hold_dirty; /* The hold has to be written or deleted. */
    bool is_writing;
};

/* The observer's state of one row. */
struct observer_row {
    struct heap_node waiting;
    struct observer *observer; /* NULL: the row no longer exists, but an answer for it is pending */
    struct observer_tenant *tenant;
    struct text id;
    struct text key; /* TENANT/ID */
    struct evidence evidence;
    enum lifecycle_state state;
    bool has_key; /* Its host key is known. */
    /* Hashes of the properties that identify the machine; 0: unknown. */
    uint64_t identities[OBSERVER_IDENTITY_COUNT];
    bool is_suspected;
    bool is_probing;
    bool is_keying;
    bool is_cleaning;
    uint64_t cleaned_ms; /* end of the newest cleanup attempt; 0: none */
    bool is_writing;
    /* when the host key was requested; 0: not since the machine was last seen */
    uint64_t keyed_ms;
    uint64_t key_again_ms;                   /* delay of the next attempt */
    char keyed[LIMIT_ROW_ADDRESS_BYTES + 1]; /* the address from which the host key was requested */
    bool is_reading_facts;
    bool is_facts_stale;     /* The machine has returned: its facts may have changed. */
    bool is_facts_asked;     /* A group that would take the machine needs its facts. */
    uint64_t facts_ms;       /* end of the newest failed login; 0: none */
    uint64_t facts_again_ms; /* delay of the next login */
    char facts_address[LIMIT_ROW_ADDRESS_BYTES + 1]; /* the address of the login in progress */
    uint64_t renewed_ms;
    struct observer_renewal *renewal; /* a newer address or tags; NULL: none */
};

/* The report of a source about a machine. */
struct observer_renewal {
    struct arena *arena;
    struct text source;
    struct text name;
    struct text address;
    struct text tags; /* JSON; empty: none */
    enum membership_status status;
};

/* A new machine whose row is to be written. */
struct observer_new {
    struct observer_new *next;
    struct observer_tenant *tenant;
    struct observer_renewal renewal;
    struct text key; /* TENANT/SOURCE/NAME */
    bool is_written; /* Its transaction is committed: only the cache lags. */
    bool is_over;    /* The cache has a row for it, written by this manager or another one. */
};

struct observer {
    struct arena *memory;
    struct observer_options options;
    struct observer_tenant *tenants;
    /* memory of the maps below and of their keys, except the keys of `rows` */
    struct arena *indexes;
    struct map rows;    /* by TENANT/ID */
    struct map sources; /* rows by TENANT/SOURCE/NAME */
    struct map seen;    /* rows by TENANT/ADDRESS, also by previous addresses */
    struct map known;   /* rows by TENANT/HASH OF AN IDENTITY/ID */
    struct heap due;
    struct cache_watch *watch;
    struct observer_new *news; /* oldest first */
    struct observer_new **news_last;
    bool is_sending;    /* A transaction with new rows is in progress. */
    struct map pending; /* new machines without a row in the cache, by key */
    size_t probes;
    size_t keys;
    size_t logins;
    bool is_closed;
};

/* Write a changed row and its event, if the stored row still equals the row in the cache. */
void observer_row_write(struct observer_row *row, const struct discovered *changed,
                        uint64_t revision, const char *type, struct text fact);

/* Read the row from the cache. */
bool observer_row_read(struct arena *arena, const struct observer_row *row, struct discovered *out,
                       uint64_t *out_revision);

/* observer_row_wait sets the time of the next decision about the row. observer_row_wait_before only
 * makes it earlier, never later. */
void observer_row_wait(struct observer_row *row, uint64_t at_ms);
void observer_row_wait_before(struct observer_row *row, uint64_t at_ms);

/* Start to read the host key of a row, if it is unknown and an attempt is due. Sources report a
 * booting machine before its sshd listens, so the first attempts follow quickly and later ones at
 * growing intervals (observer_keys.c). */
void observer_key_begin(struct observer_row *row, const struct discovered *stored);

/* Make the host key due for reading, because the machine has another address or has returned. */
void observer_key_renew(struct observer_row *row);

/* Start a login that reads the facts of a row, if a login is permitted, configured and due
 * (observer_facts.c). observer_facts_renew makes it due. */
void observer_facts_begin(struct observer_row *row, const struct discovered *stored);
void observer_facts_renew(struct observer_row *row);

/* Drop the facts of a row whose address has changed, because another machine may have reported
 * them. */
void observer_facts_forget(struct observer_row *row, struct discovered *stored);

/* Free a row that no longer exists, once no answer for it is pending. Returns true if the row no
 * longer exists. */
bool observer_row_is_over(struct observer_row *row);

struct observer_tenant *observer_tenant_get(struct observer *observer, struct text name);

/* Returns the time multiplied by the time scale of tests, so that the windows of evidence.h apply
 * with any scale. */
uint64_t observer_now(const struct observer *observer);

/* Write the rows of new machines. */
void observer_news_write(struct observer *observer);

/* Set or clear the duplicate condition of a row. Two machines in use at the same time are different
 * machines, even if they have the same host key or serial number. Each row gets a condition with
 * the name of the other, and is commissioned only if an operator gives it by its id. The same
 * applies to a machine that presents the key of an unreachable member. The condition ends when no
 * other row has the identity. Returns the type of the event, or NULL if nothing changes. */
const char *observer_twin_lay(struct arena *arena, const struct observer_row *row,
                              struct discovered *stored, struct text *out_fact);

/* observer_identity_index indexes a row by its host key, serial number and product UUID;
 * observer_identity_remove removes it from the index. All rows that have the previous or the new
 * identity are then examined again. */
void observer_identity_index(struct observer_row *row, const struct discovered *stored);
void observer_identity_remove(struct observer_row *row);

/* Make all rows that share an identity with this row due for a decision. */
void observer_twins_wait(const struct observer_row *row);

/* The same, from the tags of a source (NodeSerial, NodeUUID). */
void observer_identity_take(struct arena *arena, struct text tags, struct discovered *row);

/* Copy the address and tags that a source reports about its machine. */
void observer_renew(struct observer_row *row);

#endif
