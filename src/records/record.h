#ifndef REEVE_RECORDS_RECORD_H
#define REEVE_RECORDS_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "records/provider.h"

/* What reeve writes down of the machines of a cluster, as canonical JSON, one value a record (SAFETY.md 5):
 *
 *     /TENANT/Resource/CLUSTER/TOKEN/status      a machine: asked for, there, or going
 *     /TENANT/Control/CLUSTER/status             what the engine counts for the whole cluster
 *     /TENANT/Control/CLUSTER/GROUP/status       and for one group: absences, answers by id
 *     /TENANT/Control/CLUSTER[/GROUP]/spec       what operators have said (pass_commands.c)
 *     /TENANT/Hold/CLUSTER/RULE[/GROUP]/status   what waits for a human
 *     /TENANT/Pass/CLUSTER/...                   what was decided, and on what (pass_index.h)
 *     /TENANT/Lease/CLUSTER/status               which session may act; its revision is the epoch
 *
 * CLUSTER is the id. Records are read with every change of theirs, so their texts are borrowed from the bytes
 * where they have no escape; only such texts are let in (record_is_plain). */

/* A machine. */
struct record {
    struct plan_record plan; /* without source, absence and witness, which stand elsewhere */
    struct text plugin;
    struct text image;  /* that it was created from; empty: its group names none */
    struct text name;   /* of the member: web-0 */
    struct text life;   /* incarnation of the store that asked for it */
    struct text reason; /* DELETE: the rule; CREATE: the rule as well */
    enum provider_fault fault;
    struct text address;
    struct text user;     /* who logs in there; empty: root */
    struct text host_key; /* "TYPE BASE64" that it has to show; empty: not known */
    uint16_t port;        /* of its sshd; 0: the usual one */
    struct text alarm;    /* it has shown another host key: what, and nobody logs in; empty: none */
    struct text shown;    /* that key, where it is known */
    struct text
        cause; /* of its sickness, why it is unreachable, or was refused: what probe or provider said */
    /* Requested reboots (docs/decisions/0122). The number of the newest request whose reboot has begun, and who made it. The boot that
     * the machine had before: its boot id, and when its first process started, which tells containers of one host apart; "unknown":
     * it could not be read. Empty: not read yet. */
    uint64_t reboot_number;
    struct text reboot_by;
    struct text boot;
    /* It has not reached the desired generation or stages. The reconcile pass writes this mark; it stands beside the
     * displayed state (displayed.h). */
    bool is_outdated;
    /* The newest run could not do its work on the node (node_state.blocked says why). As is_outdated. */
    bool is_blocked;
    uint64_t pass;          /* that decided about it last; 0 = none that is kept */
    int64_t made_wall_ms;   /* for people */
    int64_t silent_wall_ms; /* the same: since when nothing was heard of it; 0: something is */
};

/* May this text stand in a record: printable ASCII without quote and backslash, not too long? */
bool record_is_plain(struct text text);

/* The same with blanks: what somebody said. */
bool record_is_sentence(struct text text);

/* Words of a stranger as such a sentence: cut to LIMIT_RECORD_CAUSE_BYTES, without colours of terminals, and what may not stand in it is
 * a '?'. */
struct text record_sentence(struct arena *arena, struct text words);

/* This is the host key that it has to show: an alarm is over. */
void record_host_key_set(struct record *record, struct text host_key);

/* Take from its provider's row how it is reached. Texts are the row's. */
void record_reach_take(struct record *record, const struct provider_row *row);

/* A machine that an operator wants replaced has a generation that no group has: what it was made from, with a mark. So everything
 * that compares generations takes it for outdated, and it is replaced by the rollout of its group. */
struct text record_replaced_generation(struct arena *arena, struct text generation);
bool record_is_replaced(struct text generation);

/* Its reboot begins: probes wait, and what they found before is over. */
void record_reboot_begin(struct record *record, uint64_t now_ms, uint64_t number, struct text by);

/* It has booted anew. `serves`: nothing has to find out first whether it serves. */
void record_reboot_end(struct record *record, uint64_t now_ms, bool serves);

/* "reboot, asked by anna". */
struct text record_reboot_cause(struct arena *arena, const struct record *record);

/* The boot that could not be read. */
#define RECORD_BOOT_UNKNOWN "unknown"

/* From here on it serves: what went wrong before is over. */
void record_serve(struct record *record);

/* The value below .../status. */
struct text record_format(struct arena *arena, const struct record *record);

/* Read it. The token comes from the key. All texts are of the bytes; `scratch` is used for the reading alone. */
MUST_CHECK bool record_parse(struct arena *scratch, struct text token, struct text bytes,
                             struct record *out, struct err *err);

/* "create", "active", "delete". */
const char *record_state_name(enum plan_record_state state);

/* ---- what is counted ---- */

/* Of one token or id. */
struct counter {
    struct text key;
    struct plan_seen seen;
    enum plan_lookup lookup; /* of answers by id; NONE: absences, or sightings */
    bool is_spared;
};

/* The row of a group, or of the cluster. Every array in order of key. */
struct counters {
    struct counter *absent; /* by token: listings that lacked it */
    size_t absent_count;
    struct counter
        *believed; /* by token: missing machines whose listing an operator has approved */
    size_t believed_count;
    struct counter *said; /* by token: answers by id */
    size_t said_count;
    struct counter *sighted; /* by id: machines nobody asked for; in the row of the cluster alone */
    size_t sighted_count;
    struct counter
        *missed; /* by id: whole listings that lacked one that was sighted; of the cluster alone */
    size_t missed_count;
    struct counter *spent; /* the budget: seen.last_ms is when, seen.count how many; key is empty */
    size_t spent_count;
    struct counter *
        unheard; /* by plugin: listings that did not come or were not whole, in a row; of the cluster alone */
    size_t unheard_count;
    /* By series of tokens: seen.count is the highest number that a token has (series.h); of the cluster
     * alone, in no order while it is added to. */
    struct counter *series;
    size_t series_count;
    struct counter
        *failed; /* by generation: machines of it that failed and whose slot nothing goes on with;
                             of groups alone */
    size_t failed_count;
    struct text life;    /* of the store, as this row knows it; of the cluster alone */
    uint64_t life_since; /* when it began by a restore; 0 = it is the first */
    bool is_life_held;   /* no operator has approved since the restore that reeve acts again */
};

struct text counters_format(struct arena *arena, const struct counters *counters);

/* Everything is copied into the arena. */
MUST_CHECK bool counters_parse(struct arena *arena, struct text bytes, struct counters *out,
                               struct err *err);

/* The sighting of a machine, which is added where there is none. NULL: there are too many. Added ones stand
 * behind the others, in no order; formatting sorts them. */
struct counter *counters_sighting(struct arena *arena, struct counters *counters, struct text id);

/* The one with this key, NULL where there is none. */
struct counter *counter_find(struct counter *counters, size_t count, struct text key);

/* The latest time that stands in it. */
uint64_t counters_latest(const struct counters *counters);

#endif
