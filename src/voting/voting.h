#ifndef REEVE_VOTING_VOTING_H
#define REEVE_VOTING_VOTING_H

#include "plan/voters.h"
#include "state/cache.h"

/* public names start with: voting_ */

/* The members of the managed store as objects, and the housekeeper that changes them
 * (docs/spec/MANAGERS.md section 8).
 *
 *     /_/Member/NAME/status   {at, client, id, manager, peer, reason, state}
 *
 * NAME is the name of the member in etcd. It is used once: a manager whose member was removed gets
 * another member with another name, in an empty folder. `state` is an intent or an outcome:
 *
 *     adding    the housekeeper adds the member; `id` is unknown
 *     added     it is a member of etcd with this `id`; its manager runs it
 *     removing  the housekeeper removes it
 *
 * Normal case of a change: the intent is committed, etcd is changed, then the outcome is committed
 * with an event. A manager that is killed in between leaves an intent. The next housekeeper looks
 * for its effect in the list of members, and completes or withdraws it. No second change begins
 * before. */
struct voting;

enum { VOTING_MEMBERS_MAX = 16, VOTING_MANAGERS_MAX = 64, VOTING_TEXT_BYTES = 256 };

/* A manager, and where its member would be reached. Texts are valid during the call. */
struct voting_manager {
    struct plan_voters_manager plan;
    struct text peer;   /* https://HOST:PORT for other members; empty: it can hold no member */
    struct text client; /* https://HOST:PORT for clients */
};

/* A member of etcd. Texts are valid during the call. */
struct voting_row {
    uint64_t id;
    struct text name; /* empty: it has never started */
    struct text peer;
    struct text client;
    bool is_learner;
    bool is_caught_up;
    bool is_heard;
    uint64_t heard_ms;
};

/* A member that this host shall run. */
struct voting_own {
    struct text name;
    struct text cluster; /* NAME=PEER,... of all members, as etcd's --initial-cluster needs it */
    struct text peer;
    struct text client;
};

/* Reports the end of a change. is_done: etcd has made it. `is_certain` is false if it may have been
 * made; the list of members shows it later. `id` is that of an added member, if it is known. */
typedef void voting_changed(void *arg, bool is_done, bool is_certain, uint64_t id,
                            const char *reason);

/* The functions that connect the housekeeper with etcd, the managers and reeve-store. */
struct voting_ports {
    void *arg;
    uint64_t (*now_ms)(void *arg);
    int64_t (*wall_ms)(void *arg);
    bool (*is_housekeeper)(void *arg);
    bool (*has_quorum)(void *arg);
    size_t (*managers)(void *arg, struct voting_manager out[static VOTING_MANAGERS_MAX]);
    /* The newest list. *out_leader is 0 if no leader is known. Returns 0 if there is no list. */
    size_t (*members)(void *arg, struct voting_row out[static VOTING_MEMBERS_MAX],
                      uint64_t *out_leader);
    /* True if the absence of a member in the newest list shows that it was removed. */
    bool (*is_list_certain)(void *arg);
    /* Changes the members: adds one with this peer URL as a learner, or promotes, removes or makes
     * the leader the one with this id. `changed` is called once, in a later iteration. */
    void (*change)(void *arg, enum plan_voters_kind kind, uint64_t member, struct text peer,
                   voting_changed *changed, void *changed_arg);
    /* Name of the member in the folder of this host; empty: there is none, or it is not known. */
    struct text (*own_name)(void *arg);
    bool (*is_own_known)(void *arg);
    /* Runs this member on this host, in an empty folder: a former member is put aside first. NULL:
     * no member shall run here, and a former one is put aside. Repeated calls change nothing. */
    void (*own_run)(void *arg, const struct voting_own *own);
};

struct voting_options {
    struct store *store;
    struct cache *cache;
    struct text manager; /* id of this manager */
    struct voting_ports ports;
    struct plan_voters_limits limits;
};

struct voting *voting_new(const struct voting_options *options);

/* Frees it, after its store. No change may be in progress. NULL is allowed. */
void voting_free(struct voting *voting);

/* Makes the next step, if one is due. Call it about once a second, while the cache is ready. */
void voting_run(struct voting *voting);

/* Returns the latest act, or why nothing is done. */
struct plan_voters_act voting_act(const struct voting *voting);

#endif
