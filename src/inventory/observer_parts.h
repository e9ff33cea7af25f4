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
    OBSERVER_PROBES = 100, /* under way at the same time */
    OBSERVER_KEYS = 10,
    OBSERVER_NEW_ROWS = 30,           /* of one transaction */
    OBSERVER_TAGS_BYTES = 1024,       /* longer tags are left out */
    OBSERVER_ROWS = 100 * 1000,       /* of a tenant */
    OBSERVER_KEY_AGAIN_MS = 5 * 1000, /* after the first failure; doubled by each one */
    OBSERVER_KEY_AGAIN_MAX_MS = 600 * 1000,
    OBSERVER_CLEANUP_AGAIN_MS = 60 * 1000,
    OBSERVER_BUSY_MS = 1000,
    OBSERVER_RENEW_MS = 10 * 1000, /* between two writes of address and tags of a row */
};

/* What distinguishes machines. */
enum observer_identity {
    OBSERVER_BY_KEY,    /* the host key */
    OBSERVER_BY_SERIAL, /* the serial number, unless the product UUIDs differ */
    OBSERVER_IDENTITY_COUNT,
};

struct observer_tenant {
    struct observer_tenant *next;
    struct text name;
    size_t rows;
    size_t pending; /* machines that get a row */
    bool is_source_down;
    char why[200];
    bool is_held;
    bool is_hold_dirty; /* The hold has to be written or deleted. */
    bool is_writing;
};

/* One row, as it is observed. */
struct observer_row {
    struct heap_node waiting;
    struct observer *observer; /* NULL: the row is gone; an answer is pending */
    struct observer_tenant *tenant;
    struct text id;
    struct text key; /* TENANT/ID */
    struct evidence evidence;
    enum lifecycle_state state;
    bool has_key; /* Its host key is known. */
    /* Hashes of what its machine is known by; 0: not known. */
    uint64_t identities[OBSERVER_IDENTITY_COUNT];
    bool is_suspected;
    bool is_probing;
    bool is_keying;
    bool is_cleaning;
    uint64_t cleaned_ms; /* end of the newest attempt; 0: none */
    bool is_writing;
    uint64_t keyed_ms;     /* when its host key was asked for; 0: never since it is there */
    uint64_t key_again_ms; /* delay of the next attempt */
    char keyed[LIMIT_ROW_ADDRESS_BYTES + 1]; /* the address that was asked for it */
    uint64_t renewed_ms;
    struct observer_renewal *renewal; /* a newer address or tags; NULL: none */
};

/* What a source says of a machine. */
struct observer_renewal {
    struct arena *arena;
    struct text source;
    struct text name;
    struct text address;
    struct text tags; /* JSON; empty: none */
    enum membership_status status;
};

/* A machine that gets a row. */
struct observer_new {
    struct observer_new *next;
    struct observer_tenant *tenant;
    struct observer_renewal renewal;
    struct text key; /* TENANT/SOURCE/NAME */
    bool is_written; /* Its transaction is committed: only the cache lags. */
    bool is_over;    /* The cache has a row for it, of this manager or another one. */
};

struct observer {
    struct arena *memory;
    struct observer_options options;
    struct observer_tenant *tenants;
    struct arena *indexes; /* of the maps that follow, and of the keys of all but the first */
    struct map rows;       /* by TENANT/ID */
    struct map sources;    /* rows by TENANT/SOURCE/NAME */
    struct map seen;       /* rows by TENANT/ADDRESS, also by former addresses */
    struct map known;      /* rows by TENANT/HASH OF AN IDENTITY/ID */
    struct heap due;
    struct cache_watch *watch;
    struct observer_new *news; /* oldest first */
    struct observer_new **news_last;
    bool is_sending;    /* A transaction with new rows is under way. */
    struct map pending; /* of these, and of those without a row in the cache, by key */
    size_t probes;
    size_t keys;
    bool is_closed;
};

/* Write what has changed of a row, with its event, if the row is as the cache has it. */
void observer_row_write(struct observer_row *row, const struct discovered *changed,
                        uint64_t revision, const char *type, struct text fact);

/* Read the row as the cache has it. */
bool observer_row_read(struct arena *arena, const struct observer_row *row, struct discovered *out,
                       uint64_t *out_revision);

/* observer_row_wait sets the time at which the row is examined again. observer_row_wait_before does
 * so only if that time is earlier than the one that is set. */
void observer_row_wait(struct observer_row *row, uint64_t at_ms);
void observer_row_wait_before(struct observer_row *row, uint64_t at_ms);

/* Read the host key of a row, if it is not known and an attempt is due. A machine that boots
 * announces itself before its sshd listens: attempts follow each other soon at first, then rarely
 * (observer_keys.c). */
void observer_key_begin(struct observer_row *row, const struct discovered *stored);

/* Read its host key immediately: the machine is at another address, or has returned. */
void observer_key_renew(struct observer_row *row);

/* Free a row that is gone, once no answer for it is pending. Returns true if the row is gone. */
bool observer_row_is_over(struct observer_row *row);

struct observer_tenant *observer_tenant_get(struct observer *observer, struct text name);

/* The time, multiplied: windows are those of evidence.h in any haste. */
uint64_t observer_now(const struct observer *observer);

/* Send the rows of machines that are new. */
void observer_news_write(struct observer *observer);

/* Two machines that are in use at the same time cannot be one, whatever key or serial they show:
 * each names the other, and neither is commissioned unless an operator names it by its id. So it is
 * for a machine that shows the key of a member that is away. The condition ends when no other row
 * has the identity any more. Returns the type of the event; NULL: nothing changes. */
const char *observer_twin_lay(struct arena *arena, const struct observer_row *row,
                              struct discovered *stored, struct text *out_fact);

/* observer_identity_index indexes a row by its host key and its serial number;
 * observer_identity_remove removes it from the index. All rows that have the previous or the new
 * identity are then examined again. */
void observer_identity_index(struct observer_row *row, const struct discovered *stored);
void observer_identity_remove(struct observer_row *row);

/* Decide again about the rows with an identity of a row. */
void observer_twins_wait(const struct observer_row *row);

/* Take serial and product UUID from the tags of a source (NodeSerial, NodeUUID), unless the value
 * is one that many machines show. */
void observer_identity_take(struct arena *arena, struct text tags, struct discovered *row);

/* Take what a source says of the address and tags of its machine. */
void observer_renew(struct observer_row *row);

#endif
