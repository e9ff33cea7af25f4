#ifndef REEVE_RECORDS_RECORD_H
#define REEVE_RECORDS_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "records/provider.h"

/* The records of a cluster's machines, as canonical JSON, one value for each record (SAFETY.md 5):
 *
 *     /TENANT/Resource/CLUSTER/TOKEN/status      a machine: requested, active, or being destroyed
 *     /TENANT/Control/CLUSTER/status             counters of the whole cluster
 *     /TENANT/Control/CLUSTER/GROUP/status       counters of one group: absences, lookups by id
 *     /TENANT/Control/CLUSTER[/GROUP]/spec       operator commands (pass_commands.c)
 *     /TENANT/Hold/CLUSTER/RULE[/GROUP]/status   a decision that waits for an approval
 *     /TENANT/Pass/CLUSTER/...                   inputs and decisions of passes (pass_index.h)
 *     /TENANT/Lease/CLUSTER/status               the session that may act; revision: the epoch
 *
 * CLUSTER is the id. Records are parsed at each of their changes, so their texts are borrowed from
 * the bytes and have no escapes; other texts are rejected (record_is_plain). */

/* A machine. */
struct record {
    struct plan_record plan; /* without source, absence and lookup, which are not in the record */
    struct text plugin;
    /* The id of the manager on whose host the machine exists. Empty: every manager can access the
     * machine, or it is on the host of the manager that last held the lease of its cluster. */
    struct text at;
    struct text image;  /* image that it was created from; empty: its group has no image */
    struct text name;   /* name of the member: web-0 */
    struct text life;   /* incarnation of the store that requested it */
    struct text reason; /* name of the rule that caused CREATE or DELETE */
    enum provider_fault fault;
    struct text address;
    struct text user;     /* login user; empty: root */
    struct text host_key; /* "TYPE BASE64" of the expected host key; empty: unknown */
    uint16_t port;        /* port of its sshd; 0: the default */
    /* Description of a host key alarm: the machine presented another key. While there is an alarm,
     * reeve does not log in. Empty: no alarm. */
    struct text alarm;
    struct text shown; /* the other host key that the machine presented, if known */
    /* Why the machine is unhealthy, unreachable or refused: the text of the probe or provider. */
    struct text cause;
    /* Requested reboots (docs/decisions/0120): the number of the newest request whose reboot has
     * begun, and its operator. `boot` identifies the machine's boot before the reboot: the boot id,
     * and the start time of its first process, which distinguishes containers of one host.
     * "unknown": the boot could not be read. Empty: not read yet. */
    uint64_t reboot_number;
    struct text reboot_by;
    struct text boot;
    /* The machine has not reached the desired generation or stages. The reconcile pass writes this
     * marker, which is independent of the displayed state (displayed.h). */
    bool is_outdated;
    /* For CREATE, if the provider does not compare tokens: a create call was committed, and its
     * outcome is not recorded yet. */
    bool is_asked;
    /* The latest run could not do its work on the node; node_state.blocked has the cause. The
     * reconcile pass also writes this marker. */
    bool is_blocked;
    /* number of the last archived pass that decided about the machine; 0: none */
    uint64_t pass;
    int64_t made_wall_ms;   /* when the machine was created, for display */
    int64_t silent_wall_ms; /* for display: since when the machine does not answer; 0: it answers */
};

/* True if the text may be in a record: it is printable ASCII without quotes and backslashes, and
 * not too long. */
bool record_is_plain(struct text text);

/* True if the text may be in a record as a sentence, which may also have blanks. */
bool record_is_sentence(struct text text);

/* Converts foreign text to a sentence for a record: cut to LIMIT_RECORD_CAUSE_BYTES, without
 * terminal colours, and with '?' for each character that is not allowed. */
struct text record_sentence(struct arena *arena, struct text words);

/* Sets the host key that the machine must present, and clears an alarm. */
void record_host_key_set(struct record *record, struct text host_key);

/* Copy the access data from the provider's row of the machine. Texts are borrowed from the row. */
void record_reach_take(struct record *record, const struct provider_row *row);

/* Return the generation of a machine that an operator wants replaced: its own generation with a
 * marker. No group has this value, so every comparison of generations finds the machine outdated,
 * and the rollout of its group replaces the machine. */
struct text record_replaced_generation(struct arena *arena, struct text generation);
bool record_is_replaced(struct text generation);

/* Begins a reboot: clears earlier results of probes. Probes are not run until the reboot ends. */
void record_reboot_begin(struct record *record, uint64_t now_ms, uint64_t number, struct text by);

/* Records that the machine has booted. `serves`: the machine counts as ready without another
 * check. */
void record_reboot_end(struct record *record, uint64_t now_ms, bool serves);

/* Return the text about a requested reboot: "reboot, asked by anna". */
struct text record_reboot_cause(struct arena *arena, const struct record *record);

/* Value of `boot` when the boot could not be read. */
#define RECORD_BOOT_UNKNOWN "unknown"

/* Record that the machine is ready: clear its earlier problems. */
void record_serve(struct record *record);

/* Format the value of .../status. */
struct text record_format(struct arena *arena, const struct record *record);

/* Parses a record. `token` is the token in its key. All texts are borrowed from the bytes;
 * `scratch` is used during the call only. */
MUST_CHECK bool record_parse(struct arena *scratch, struct text token, struct text bytes,
                             struct record *out, struct err *err);

/* Return the name of a state: "create", "active", "delete". */
const char *record_state_name(enum plan_record_state state);

/* ---- counters ---- */

/* The counter of one token or id. */
struct counter {
    struct text key;
    struct plan_seen seen;
    /* The result on which the lookups by id agree; NONE in counters of absences and sightings. */
    enum plan_lookup lookup;
    bool is_spared;
};

/* The counters of a group or of the cluster. Every array is in order of key. */
struct counters {
    struct counter *absent; /* by token: number of listings without the machine */
    size_t absent_count;
    /* By token: missing machines whose absence an operator has approved. */
    struct counter *believed;
    size_t believed_count;
    struct counter *said; /* by token: results of lookups by id */
    size_t lookup_count;
    struct counter *sighted; /* by id: listed machines without a record; cluster only */
    size_t sighted_count;
    /* By id: number of complete listings that lack a machine of `sighted`; cluster only. */
    struct counter *missed;
    size_t missed_count;
    /* The used part of the disruption budget. Each item has a time (seen.last_ms) and a number of
     * machines (seen.count), and no key. */
    struct counter *spent;
    size_t spent_count;
    /* By plugin: number of consecutive failed or incomplete listings; cluster only. */
    struct counter *unheard;
    size_t unheard_count;
    /* By token series: seen.count is the highest token number (series.h); cluster only, unsorted
     * while entries are added. */
    struct counter *series;
    size_t series_count;
    /* By generation: number of its failed machines without a replacement in the same slot; groups
     * only. */
    struct counter *failed;
    size_t failed_count;
    struct text life;    /* incarnation of the store, as recorded in this row; cluster only */
    uint64_t life_since; /* when that incarnation began by a restore; 0: without a restore */
    bool is_life_held;   /* no operator has approved since the restore that reeve may act again */
};

struct text counters_format(struct arena *arena, const struct counters *counters);

/* Parses a row. All data is copied into the arena. */
MUST_CHECK bool counters_parse(struct arena *arena, struct text bytes, struct counters *out,
                               struct err *err);

/* Returns the sighting of a machine. A new sighting is added at the end, unsorted; counters_format
 * sorts them. Returns NULL if there are too many sightings. */
struct counter *counters_sighting(struct arena *arena, struct counters *counters, struct text id);

/* Find the counter with this key; NULL: there is none. */
struct counter *counter_find(struct counter *counters, size_t count, struct text key);

/* Return the latest time in the counters. */
uint64_t counters_latest(const struct counters *counters);

#endif
