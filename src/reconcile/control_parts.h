#ifndef REEVE_RECONCILE_CONTROL_PARTS_H
#define REEVE_RECONCILE_CONTROL_PARTS_H

#include "base/heap.h"
#include "reconcile/control.h"
#include "health/health.h"
#include "records/fleet.h"
#include "records/intent.h"
#include "plan/compute.h"

/* private to src/reconcile src/members */
/* names: control_ reconciler_ pass_ unit_ call_ */

/* Internals of control.h. Each cluster has one reconciler, a state machine that never blocks. */

/* ---- write operations ---- */

/* A write operation: the change of one key with its compare, and the event that reports it. */
struct unit {
    struct unit *next;
    struct text key;
    uint64_t revision; /* that the key must have; 0: the key must not exist */
    bool is_loose;     /* No compare: only the lease holder writes this key. */
    struct text value; /* empty: delete the key */
    struct text event; /* its body; empty: none */
    struct call *call; /* started after the commit; NULL: none */
};

struct unit_row {
    struct unit *first;
    struct unit **last;
    size_t count;
};

/* ---- provider calls ---- */

enum call_kind { CALL_CREATE, CALL_DESTROY, CALL_FIND, CALL_LABEL, CALL_REBOOT };

struct intent {
    enum plan_record_state state;
    struct text token;
    struct text id;
    struct text cluster;
    struct text reason;
    uint64_t epoch;
};

/* A provider call and its outcome. Lives from the pass that decided it until its outcome is
 * persisted. */
struct call {
    struct call *next;  /* in the reconciler's list of calls, then in that of outcomes */
    struct call **link; /* the pointer to this call in that list */
    struct call *after; /* the next call in its queue */
    struct reconciler *reconciler;
    struct arena *arena;
    enum call_kind kind;
    struct account *account;
    struct intent intent;
    struct provider_request request;
    struct text group;  /* group of the record */
    struct text labels; /* LABEL: canonical JSON */
    struct text labels_digest;
    /* The outcome. */
    enum outcome outcome;
    enum provider_fault fault;
    uint64_t retry_ms;
    struct text id;
    enum plan_lookup lookup;
    struct text message;
    bool is_done;
};

/* ---- a pass ---- */

enum reconciler_step {
    RECONCILER_IDLE,
    RECONCILER_LEASING, /* acquires the cluster's lease */
    RECONCILER_LISTING, /* The providers list their machines. */
    /* The store returns its newest revision. Then the cache has to reach it. */
    RECONCILER_READING,
    RECONCILER_WRITING, /* commits the decisions, then the outcomes of calls */
};

/* A provider of the cluster, in this pass. */
struct source {
    struct text plugin;
    const struct plugin_origin *origin; /* as its group states; NULL: no group names it any more */
    struct text group;         /* the first such group by path; the source's hold is on it */
    bool is_torn;              /* Groups state different origins. */
    struct provider *provider; /* NULL: this manager has none */
    struct account *account;
    struct plan_source plan;
    const struct provider_row *rows;
    size_t row_count;
    struct text known; /* marker of the former listing; empty: request all rows */
    struct text mark;
    bool is_reported;
    bool is_same;
};

struct pass {
    struct arena *arena;
    struct reconciler *reconciler;
    struct source *sources;
    struct plan_source *plan_sources;
    size_t source_count;
    size_t sources_left;
    /* The cluster's machines are at more plugins than a pass may list (LIMIT_CONTROL_SOURCES). */
    bool is_crowded;
    struct plan_world world;
    const struct provider_row **rows; /* of the machines of `world`, by the same index */
    /* By record: the machine has the generation of a former version of the specification that is
     * written again. */
    bool *is_regenerated;
    struct plan plan;
    struct counters cluster_counters;
    uint64_t cluster_counters_revision;
    bool is_tallied;         /* The row of the cluster's counters changes. */
    bool is_rejection_taken; /* The row now has an operator's rejection of the quarantine. */
    struct unit_row units;
    struct text message;
    size_t calls;           /* number of calls that follow */
    uint64_t number;        /* of the archived pass (pass_archive.c); 0: passes are not archived */
    bool is_reporting;      /* It has something to report that is not an event. */
    uint64_t pause_left_ms; /* time until a pause ends by itself; 0: none does */
    bool acts;
    bool is_decided;
};

/* State of the last archived pass. Invalid when another manager has held the lease since. */
enum { KEPT_FEW = 8 };

struct kept_pages {
    uint64_t *hashes;       /* one for each chunk; NULL: unknown */
    uint64_t few[KEPT_FEW]; /* storage of `hashes` for most clusters */
    struct arena *arena;    /* of `hashes` where there are more; NULL: none */
    size_t page_count;
    uint64_t first; /* the pass that the chunks refer to */
    uint64_t next;  /* the number of the next pass */
    uint64_t epoch;
    size_t whole_bytes; /* size of the first, complete pass */
    size_t loose_bytes; /* size of the passes after it */
};

/* State after a pass that found nothing to do and has no pending timer. While every provider
 * reports an unchanged listing and nothing else changes, a further pass finds nothing to do either
 * (pass_still.c). */
struct still {
    struct arena *arena; /* NULL: there is no such state */
    struct source *sources;
    size_t source_count;
    uint64_t version; /* of the cluster, in the record cache */
    uint64_t epoch;
    uint32_t times; /* how often passes were skipped by it */
};

/* A pause that ends by itself: the revision of its operator command, and its end by the cluster's
 * clock of an epoch. */
enum { RECONCILER_PAUSES = 16 };
struct reconciler_pause {
    uint64_t revision; /* 0: none */
    uint64_t epoch;
    uint64_t ends_ms;
};

struct reconciler {
    struct control *control;
    struct fleet_cluster *cluster;
    struct reconciler *next;  /* in the list of active reconcilers */
    struct heap_node waiting; /* in control.waiting while it is idle */
    struct still still;
    enum reconciler_step step;
    uint64_t epoch;           /* revision of the lease's key in the snapshot; 0: none */
    uint64_t wanted_revision; /* that the cache has to reach first; 0: none */
    struct pass *pass;
    uint64_t serial;    /* number of the pass: answers to an earlier one are ignored */
    struct unit *batch; /* write operations that the store is committing, up to batch_end */
    struct unit *batch_end;
    struct unit_row units;      /* still to be written */
    struct arena *settle_arena; /* of the write operations of outcomes */
    struct call *calls;         /* running or queued */
    struct line *lines;         /* its queues of calls: one for each account */
    size_t call_count;
    struct call *outcomes;  /* of completed calls, not persisted yet */
    unsigned failures;      /* number of failed passes in a row */
    bool is_pass_requested; /* With is_single: control_pass has requested a pass. */
    bool is_dry;            /* The next pass is a dry run. */
    uint64_t begun_ms;
    uint64_t due_ms;           /* of the next pass; an earlier wake-up only persists outcomes */
    bool has_job;              /* The cluster has a job that is not complete. */
    uint64_t settled_revision; /* of the specification whose desired state is reached */
    /* When a provider last returned a new machine, by the cluster's clock. */
    uint64_t made_ms;
    uint64_t took_ms;  /* duration of the last pass */
    bool is_woken;     /* Something has changed since the pass began. */
    bool is_overtaken; /* Outcomes were persisted after the pass listed its providers. */
    bool is_settling;  /* The write operations are outcomes of calls. */
    bool is_pass_due;  /* A pass has to process these outcomes soon. */
    bool is_node_due;  /* Stages of a node have ended: a pass has to process that soon. */
    /* The beat of the session that holds the lease. It has not changed since foreign_since_ms. */
    uint64_t foreign_beat;
    uint64_t foreign_since_ms;
    uint64_t clock_ahead_ms; /* The difference of the cluster's clock to now_ms; may wrap around. */
    bool has_clock;          /* clock_ahead_ms is that of this epoch */
    /* The cluster's clock has run without a gap since then. Before that it may have lost time. */
    uint64_t clock_since_ms;
    /* State of the token series of this epoch (series.h). series_last is 0: the next token begins a
     * new series. */
    unsigned char series[6];
    uint32_t series_last;
    struct reconciler_pause pauses[RECONCILER_PAUSES]; /* seen recently */
    size_t pause_next;
    struct kept_pages kept;
    struct health *health;    /* NULL: the cluster has no probes */
    struct heap_node probing; /* in control.probing, by the time of the next probe */
    struct finding *findings; /* probe findings to be written to records */
    /* The findings that are being written. They are written again if the store refuses them. */
    struct finding *ills_sent;
    struct members *members; /* NULL: the cluster has no members */
    struct heap_node members_due;
    struct reboot *reboots;     /* requested and in progress (reboots.c); NULL: none */
    struct heap_node rebooting; /* in control.rebooting, by the time of the next check */
};

/* Self-suspicion of this manager (suspicion.c). */
struct suspicion {
    bool is_on;
    uint32_t number; /* of observations so far */
    uint32_t lost;   /* machines of the observation without an answer, of `of` in total */
    uint32_t of;
    uint64_t ended_ms; /* when it ended last, by now_ms; 0: never */
};

struct control {
    struct arena *memory;
    struct store *store;
    struct cache *cache;
    struct fleet *fleet;
    struct control_ports ports;
    struct control_options options;
    char life[33];             /* incarnation of the store */
    struct heap waiting;       /* idle reconcilers, by time */
    struct reconciler *active; /* the others */
    size_t active_count;
    struct pool *reconcilers;
    struct account *accounts;
    struct heap probing;   /* reconcilers, by time of their next probe */
    struct heap members;   /* reconcilers, by time of their next work on members */
    struct heap rebooting; /* reconcilers, by time of their next reboot check */
    struct ask *asks;      /* running probes */
    size_t probes;         /* their number */
    struct suspicion suspicion;
    uint64_t beat; /* the last beat of this manager's session */
    uint64_t beat_due_ms;
    uint64_t beat_sent_ms; /* when the last acknowledged beat was sent */
    bool is_beating;
    bool is_silent; /* It had no beat for so long that another manager may hold its leases. */
    bool is_stopped;
    on_control *reported;
    void *event_arg;
};

/* Has the node of the record with this index not reached the desired generation or stages
 * (pass_effects.c)? */
bool pass_is_outdated(const struct pass *pass, size_t index);

/* Is work on the node of the record with this index blocked (members_blocked)? */
bool pass_is_blocked(const struct pass *pass, size_t index);

/* The revision of a cluster's specification; for a deleted cluster, the revision of its deletion
 * command (control.c). */
uint64_t control_wanted_revision(const struct control *control, const struct fleet_cluster *cluster,
                                 bool is_gone);

/* ---- probes (probe.c) ---- */

/* A finding of a probe that the machine's record does not have yet. */
enum probe_finding_kind {
    PROBE_FINDING_STATE,    /* It became unhealthy or healthy. */
    PROBE_FINDING_CAUSE,    /* It is still unhealthy, for another reason. */
    PROBE_FINDING_HOST_KEY, /* It showed its first host key. */
    PROBE_FINDING_ALARM,    /* It showed another host key, or (no cause) the expected one again. */
    PROBE_FINDING_BOOT,     /* Its boot id during a requested reboot; `cause` has the text. */
};
struct finding {
    struct finding *next;
    struct arena *arena;
    struct text token;
    enum probe_finding_kind kind;
    struct text host_key;
    enum health_state state;
    uint64_t since_ms;      /* by the cluster's clock; 0: it is healthy */
    int64_t silent_wall_ms; /* if it is unreachable: the same by the wall clock */
    struct text cause;
};

/* Are the machines of a group probed? Yes if the specification has a probe, or by default if reeve
 * logs in to them. */
bool probes_has_probe(const struct control *control, const struct fleet_group *group);

/* A pass has ended: start to probe its machines. */
void probes_note(struct reconciler *reconciler);

/* Start the probes that are due. Returns the time of the next ones. */
uint64_t probes_run(struct control *control, uint64_t now_ms);

/* Add write operations for findings, in the transaction of call outcomes. A record that is already
 * being written gets its finding later. */
void probes_settle(struct reconciler *reconciler);

/* The findings of probes_settle are committed (probes_written), or the store refused them
 * (probes_refused): then they are written again with the next findings. */
void probes_written(struct reconciler *reconciler);
void probes_refused(struct reconciler *reconciler);

/* A machine showed its first host key, which is recorded; another key than the expected one (empty:
 * unknown which); or the expected one, which clears the alarm. */
void probes_host_key(struct reconciler *reconciler, struct text token, struct text host_key);
void probes_alarm(struct reconciler *reconciler, struct text token, struct text host_key,
                  struct text why);
void probes_cleared(struct reconciler *reconciler, struct text token);

/* The boot text that was read on a machine during a requested reboot: "BOOT SECONDS", or "unknown"
 * (reboots.c). */
void probes_boot(struct reconciler *reconciler, struct text token, struct text read);

/* probes_drop discards the findings and probes of a cluster. probes_forget discards all running
 * probes, when the port no longer answers them. */
void probes_drop(struct reconciler *reconciler);
void probes_forget(struct control *control);

/* ---- self-suspicion (suspicion.c) ---- */

/* Begin or end self-suspicion after a probe found a machine unreachable or got an answer. A change
 * wakes the clusters that this manager reconciles. */
void suspicion_update(struct control *control);

/* The name of the observation while this manager suspects itself. It is unique across all sessions
 * of all managers. Of the arena. */
struct text suspicion_name(const struct control *control, struct arena *arena);

/* ---- members (bootstrap.h): keys, facts and stages of the nodes that have any ---- */

struct members;
struct node_state;

/* A pass has ended: start to bootstrap its nodes. */
void members_note(struct reconciler *reconciler);

/* Do the work that is due. Returns the time of the next call. */
uint64_t members_run(struct control *control, uint64_t now_ms);

/* members_is_dirty: is there something to write? members_settle adds it to the transaction of call
 * outcomes. */
bool members_is_dirty(const struct reconciler *reconciler);
void members_settle(struct reconciler *reconciler);

/* The writes of members_settle are committed and visible in the cache: work that waited for them
 * continues. */
void members_written(struct reconciler *reconciler);

/* Does a group have stages that this manager runs, on machines that it logs in to? */
bool members_has_stages(const struct control *control, const struct fleet_group *group);

/* Called when a probe finds a machine healthy for the first time. True: it is ready now. False: it
 * becomes ready when its bootstrap ends. */
bool members_may_serve(struct reconciler *reconciler, struct text token);

/* The state of the stages that the machine's job waits for. */
enum members_stages {
    MEMBERS_STAGES_DONE,    /* done, none required, or unknown */
    MEMBERS_STAGES_RUNNING, /* They run or are about to. */
    MEMBERS_STAGES_WAITING, /* They wait for their rollout slot. */
    /* A stage failed and no retry was requested; sets *out_state to that node's state. */
    MEMBERS_STAGES_FAILED,
};
enum members_stages members_stages_of(const struct reconciler *reconciler, struct text token,
                                      const struct node_state **out_state);

/* Did the newest run fail for a reason outside of the stages, so that it is retried later? Sets
 * *out_state to the node's state and *out_tries to the number of such tries in a row. */
bool members_blocked(const struct reconciler *reconciler, struct text token,
                     const struct node_state **out_state, unsigned *out_tries);

/* Is a run in progress that can complete the machine's stages? */
bool members_is_staging(const struct reconciler *reconciler, struct text token);

/* Has the machine been ready, without having completed the desired stages of its group yet? */
bool members_is_outdated(const struct reconciler *reconciler, struct text token);

/* Rollout slots for the changed stages of a group: `waiting` members wait for one. `stopped` says
 * why no further slot is granted until an operator decides; empty: slots are granted. Texts are of
 * the arena. */
struct members_slots {
    uint32_t waiting;
    struct text stopped;
    struct text observation; /* that an approval covers: the rollout and its failures (G20) */
};
struct members_slots members_slots_of(const struct reconciler *reconciler, struct arena *arena,
                                      struct text group);

/* Is a rollout of changed stages open that has begun on this machine? True while that is
 * unknown. */
bool members_is_in_rollout(const struct reconciler *reconciler, struct text token);

/* Are the granted slots known? After a start they are known once the nodes have been read. */
bool members_slots_are_known(const struct reconciler *reconciler);

/* Does the cluster have members whose state has not been read yet? The pass that requests the read
 * ends first. */
bool members_is_unknown(const struct reconciler *reconciler);

/* The progress of the rotation of the cluster's authorities, as text; empty: no rotation. */
struct text members_rotating(const struct reconciler *reconciler);

/* Must the call that destroys this machine wait until the machine is released (members_release.c)?
 * Only where the provider's machines continue to exist. The query grants the release until
 * members_release_revoke, which each pass calls before its effects. */
bool members_must_release(struct reconciler *reconciler, const struct record *record);
void members_release_revoke(struct reconciler *reconciler);

/* Another manager may hold the lease now: abandon all runs. */
void members_drop(struct reconciler *reconciler);

/* ---- schedule of the reconcilers (control.c) ---- */

void control_schedule(struct reconciler *reconciler, uint64_t due_ms);

/* A random time between ms/2 and ms. */
uint64_t control_jitter(struct control *control, uint64_t ms);

/* The cluster's clock (control_clock.c). No time in the store may be ahead of it. */
uint64_t reconciler_now(const struct reconciler *reconciler);
void reconciler_clock_raise(struct reconciler *reconciler, uint64_t latest_ms);

/* Continue the clock from the lease. NULL: there is no lease, or it cannot be parsed. */
void reconciler_clock_set(struct reconciler *reconciler, struct arena *arena,
                          const struct doc *lease);

/* The lease belongs to another manager, or may. No decision made under it is written or called any
 * more, even if the lease is won again (G10). The next lease holder finds what is committed. */
void reconciler_lease_lost(struct reconciler *reconciler);

/* The same if this session has the lease again. Only the findings of its own probes remain
 * known. */
void reconciler_epoch_end(struct reconciler *reconciler);

/* Is this manager's session still valid, as far as it can know? Counted from when its last beat was
 * sent (F4). This is a hint: the epoch compare decides. */
bool control_is_alive(const struct control *control);

/* ---- a pass (pass.c) ---- */

/* Begin a pass. */
void pass_begin(struct reconciler *reconciler);

/* Continue the pass after the event that it waited for. */
void reconciler_run(struct reconciler *reconciler);

/* End the pass. */
void pass_end(struct reconciler *reconciler, enum control_end end, struct text message);

/* ---- parts of a pass ---- */

/* List all providers at which the cluster has or had machines (pass_list.c). The pass continues
 * with pass_listed. */
void pass_list(struct pass *pass);

/* Returns NULL if no source of the pass has this plugin. */
struct source *pass_source_find(const struct pass *pass, struct text plugin);

/* Was every provider listed, also those that were named or used since? */
bool pass_has_asked_all(const struct pass *pass);
void pass_listed(struct reconciler *reconciler);

/* Build the world of the pass from its snapshot (pass_world.c). */
void pass_world_make(struct pass *pass);

/* Turn the plan into keys, events and calls (pass_effects.c). */
void pass_effects_make(struct pass *pass);

/* Record the decisions of the plan that wait for an approval (pass_holds.c). */
void pass_holds_make(struct pass *pass);

/* pass_number_take reserves the number of the archived pass. pass_archive archives the pass if its
 * write operations so far report anything. Called after effects and holds, before the status is
 * written (pass_archive.c). */
void pass_number_take(struct pass *pass);
void pass_archive(struct pass *pass);

/* Write the status of the cluster (pass_status.c). */
void pass_status_make(struct pass *pass);

/* Do machines of a group have to answer a probe or complete stages before they count as ready?
 * False also if the group says that running machines count as ready. */
bool pass_is_probed(const struct pass *pass, struct text group);

/* Is a guard switched off that this write's compares would replace? Then nothing is written. */
bool pass_hides_a_guard(const struct pass *pass);

/* Begin, update or complete the cluster's job (pass_jobs.c). */
void pass_jobs_make(struct pass *pass);

/* Remove the remaining keys of a deleted cluster without machines (pass_holds.c). */
void pass_tombstone_end(struct pass *pass);

/* A pass found nothing to do: note whether the next passes may be skipped. */
void pass_still_note(struct pass *pass);

/* Discard that note. */
void reconciler_still_drop(struct reconciler *reconciler);

/* The listing marker of this provider while passes may be skipped; else empty. */
struct text reconciler_still_mark(struct reconciler *reconciler, struct text plugin);

/* All providers have answered: is everything unchanged? */
bool pass_is_still(struct pass *pass);

/* Did a provider report its listing as unchanged? Then its rows are missing and may be needed: a
 * change in the meantime has discarded the note. */
bool pass_is_reported_same(const struct pass *pass);

/* The operator commands of a cluster or group (pass_commands.c). */
struct pass_commands {
    bool is_paused;
    bool is_deleting;
    enum plan_rollout_command roll;
    /* Retry what was written before this revision; 0: no retry was requested. */
    uint64_t retry_revision;
    const struct doc *victims;
    const struct doc *replace; /* {tokens, until}: machines to be replaced */
    const struct doc *reboot;  /* [{by, number, tokens}]: machines to be rebooted */
    /* The name of the request to rotate the authorities; empty: none. */
    struct text rotate;
};

/* Read the commands of a group, or of the whole cluster (group empty). */
struct pass_commands pass_words_read(struct pass *pass, struct text group);

/* Replace machines that were recorded up to this time of the cluster's clock; 0: no such
 * command. */
uint64_t pass_words_replace_until(const struct pass_commands *commands);

/* Do the commands name this member, by name, id or token, as one that is removed first? */
bool pass_words_name(struct pass *pass, const struct pass_commands *commands,
                     const struct fleet_group *group, const struct plan_record *record);

/* ---- writing (reconciler_write.c) ---- */

void unit_row_init(struct unit_row *row);
struct unit *unit_add(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                      struct text value);

/* The same, ahead of all others: committed with the first of them or before. */
void unit_add_first(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                    struct text value);

/* Is a write operation for the key already queued? Then a further one has to wait for the next
 * transaction. */
bool reconciler_has_unit(const struct reconciler *reconciler, struct text key);

/* Commit reconciler->units, one transaction at a time. Each compares the epoch. On success sets
 * reconciler->wanted_revision; on failure reconciler_broken follows. */
void reconciler_write(struct reconciler *reconciler);
void reconciler_broken(struct reconciler *reconciler, const struct err *err);

/* ---- calls (call.c) ---- */

struct call *call_new(struct reconciler *reconciler, enum call_kind kind, struct account *account);
void call_free(struct call *call);

/* The intent of the call is committed: queue the call until its account has capacity. */
void call_start(struct call *call);

/* Make the call now (account.c). */
void call_make(struct call *call);

/* Convert the outcomes of calls to write operations and free the calls. */
void reconciler_outcomes_settle(struct reconciler *reconciler);

/* ---- accounts (account.c) ---- */

/* An account limits the calls of all clusters to one provider: concurrent calls, calls per second,
 * and a circuit breaker after repeated failures (X15). Clusters take turns. */
struct account;

/* The account of a provider; created if there is none. */
struct account *account_of(struct control *control, struct provider *provider);
struct provider *account_provider(const struct account *account);

/* May the provider be called now? False: *out says why not, for display. The first call after a
 * back-off is the circuit breaker's trial. */
bool account_is_open(struct account *account, struct arena *arena, struct text *out);

/* A call to the provider has ended: update its circuit breaker. */
void account_reported(struct account *account, enum outcome outcome,
                      const struct provider_answer *answer);

/* Queue this call. */
void account_put(struct account *account, struct call *call);
void account_call_ended(struct account *account);

/* Discard the queued calls of the reconciler: their purpose may be obsolete. */
void account_drop(struct reconciler *reconciler);

/* The same for all reconcilers: this manager lost its session, so another manager may make these
 * calls. */
void accounts_drop(struct control *control);

/* Make the calls that are due. Returns the time of the next call by now_ms. */
uint64_t accounts_run(struct control *control);

/* ---- keys ---- */

struct text control_key(struct arena *arena, const struct fleet_cluster *cluster, const char *kind,
                        struct text rest, enum cache_part part);

/* Stamp a machine of this installation. */
void control_stamp(struct control *control, struct arena *arena, struct provider_tags *tags);

/* Read the counters of a group, or of the cluster (group empty). False: they cannot be parsed, *out
 * is empty, and counting starts again. */
bool control_counters_read(struct arena *arena, const struct reconciler *reconciler,
                           struct text group, struct counters *out, uint64_t *out_revision);

/* Put names of machines into the row of a job: as ranges under `what`Nodes, and the number of
 * further ones under `what`More. Sorts `names`; writes nothing if there are none. --failed-of reads
 * those that failed, also after the job has ended (select_change.c). */
void job_names_put(struct doc_builder *builder, const char *what, struct text *names, size_t count,
                   size_t more);

/* The body of an event about a machine; `fact` may be empty. */
struct event {
    const char *type;
    struct text group;
    uint64_t slot;
    bool has_slot;
    struct text rule;
    struct text fact;
    struct text token;
    struct text id;
    struct text node; /* its name if its group may be gone; empty: as the group states */
    uint64_t pass;    /* that decided it; 0: none is archived */
};
struct text control_event(struct arena *arena, const struct reconciler *reconciler,
                          const struct event *event);

#endif
