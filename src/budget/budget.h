#ifndef REEVE_BUDGET_BUDGET_H
#define REEVE_BUDGET_BUDGET_H

#include "codec/doc.h"
#include "selector/selector.h"
#include "state/cache.h"

/* A Budget of the tenant has a selector of nodes. It limits how many of these nodes reeve may take
 * out of service at the same time, and when operations may begin. An operation on such a node takes
 * a ticket: the key /TENANT/Ticket/BUDGET/N/base with N below maxUnavailable, canonical JSON {at,
 * cluster, token}. The key is written under the compare that it does not exist, and the operation
 * begins when the key is in the store. The ticket is released when its node is ready again or no
 * longer exists. */
#define TICKET_KIND "Ticket"

/* A window in which operations may begin, in UTC. */
struct budget_window {
    unsigned days; /* bit 0: Monday */
    unsigned from; /* minute of the day */
    unsigned to;   /* minute of the day; below `from`: minute of the next day */
};

enum { BUDGET_WINDOWS_MAX = 32, BUDGET_TICKETS_MAX = 1000, BUDGETS_MAX = 100 };

struct budget {
    struct text name;
    struct selector selector;
    uint32_t max;
    struct budget_window windows[BUDGET_WINDOWS_MAX];
    size_t window_count; /* 0: operations may begin at any time */
};

/* Reads a specification. Texts live in the arena or in the document. If a field is invalid, fails
 * with R0307 or R0531, and *out_field is the value of the field. */
MUST_CHECK bool budget_parse(struct arena *arena, const struct doc *spec, struct budget *out,
                             const struct doc **out_field, struct err *err);

/* True if operations may begin at this time. */
bool budget_is_open(const struct budget *budget, int64_t wall_ms);

/* A node, and the known state of the budgets. */
struct budget_question {
    const struct cache *cache;
    struct text tenant;
    struct text cluster_id;
    struct text cluster;
    struct text group;
    struct text name;
    struct text plugin;
    struct text zone;
    struct text token;
    struct text labels; /* JSON with a member `labels`, a map; may be empty */
    int64_t wall_ms;
    uint32_t guards_off; /* bits by enum plan_guard that the simulator has switched off */
    uint32_t bug;        /* enum plan_bug: the bug that the simulator has switched on */
};

/* The tickets that the caller writes next. */
struct budget_asks {
    struct arena *arena;
    struct text *keys;
    struct text *values;
    size_t count;
};

enum { BUDGET_ASKS_MAX = 200 };

/* Initialize an empty list in the arena. */
void budget_asks_init(struct budget_asks *asks, struct arena *arena);

/* True if an operation on the node may begin, because the node has a ticket of each budget that
 * matches it. If not, either the missing tickets are added to `asks`, or *out_wait is a budget that
 * has no free ticket or is outside of its time windows. The text lives in the arena of the list. */
bool budget_may(const struct budget_question *question, struct budget_asks *asks,
                struct text *out_wait);

/* Calls `found` for each ticket of a cluster. `age_ms` is its age. */
typedef void budget_ticket_fn(void *arg, struct text id, uint64_t revision, struct text token,
                              int64_t age_ms);
void budget_tickets(const struct cache *cache, struct text tenant, struct text cluster_id,
                    int64_t wall_ms, budget_ticket_fn *found, void *arg);

#endif
