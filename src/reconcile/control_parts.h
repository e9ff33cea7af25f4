#ifndef REEVE_RECONCILE_CONTROL_PARTS_H
#define REEVE_RECONCILE_CONTROL_PARTS_H

#include "base/heap.h"
#include "budget/budget.h"
#include "reconcile/control.h"
#include "health/health.h"
#include "managers/leasing.h"
#include "records/fleet.h"
#include "records/intent.h"
#include "plan/compute.h"

/* private to src/reconcile src/members src/leases src/hosts src/volumes */
/* public names start with: control_ reconciler_ pass_ unit_ call_ */

/* Internals of control.h. Each cluster has one reconciler, a state machine that never blocks. */

/* ---- write operations ---- */

/* A write operation: the change and the compare of one key, and the event about the change. */
struct unit {
    struct unit *next;
    struct text key;
    uint64_t revision; /* revision that the key must have; 0: the key must not exist */
    bool is_loose;     /* the key is not compared, because only the lease holder writes this key */
    struct text value; /* empty: delete the key */
    struct text event; /* body of the event; empty: there is no event */
    struct call *call; /* call to be started after the commit; NULL: none */
};

struct unit_row {
    struct unit *first;
    struct unit **last;
    size_t count;
};

/* ---- provider calls ---- */

enum call_kind {
    CALL_CREATE,
    CALL_DESTROY,
    CALL_FIND,
    CALL_LABEL,
    CALL_REBOOT,
    /* describes one machine, so that the plugin reads the host key of the machine */
    CALL_KEY,
    CALL_RESOURCE_DESTROY, /* the token of its intent is the key of a volume record */
};

struct intent {
    enum plan_record_state state;
    struct text token;
    struct text id;
    struct text cluster;
    struct text reason;
    uint64_t epoch;
    /* when the record was created; UINT64_MAX: the machine existed before its record */
    uint64_t created_ms;
    uint64_t age_ms; /* age of the record when the call is made */
};

/* A provider call and its outcome. It exists from a pass's decision until the outcome is
 * persisted. */
struct call {
    /* the next call in the reconciler's list of calls, or in its list of outcomes */
    struct call *next;
    struct call **link; /* the pointer in that list that refers to this call */
    struct call *after; /* the next call in its queue */
    struct reconciler *reconciler;
    struct arena *arena;
    enum call_kind kind;
    struct account *account;
    struct intent intent;
    struct provider_request request;
    struct text group;  /* group of the record */
    struct text labels; /* LABEL: the labels, canonical JSON */
    struct text labels_digest;
    struct text resource; /* RESOURCE_DESTROY: kind of the resource */
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
    RECONCILER_LEASING, /* The pass acquires the lease of the cluster. */
    RECONCILER_LISTING, /* The providers list their machines. */
    /* The store returns its latest revision, which the cache must then reach. */
    RECONCILER_READING,
    /* The pass commits its decisions. Outside of a pass: outcomes of calls are committed. */
    RECONCILER_WRITING,
};

/* A provider that the cluster uses, during one pass. */
struct source {
    struct text plugin;
    /* The id of the manager on whose host the machines of this source exist. Empty: this manager,
     * or every manager can access the machines. */
    struct text at;
    bool is_gone; /* An operator has declared the machines of that host lost. */
    /* origin of the plugin, as the groups state it; NULL: no group uses the plugin any longer */
    const struct plugin_origin *origin;
    /* the first group, by path, that uses the plugin; the hold of the source refers to it */
    struct text group;
    bool is_torn;              /* groups state different origins for the plugin */
    struct provider *provider; /* NULL: this manager has no provider for the plugin */
    struct account *account;
    struct plan_source plan;
    const struct provider_row *rows;
    size_t row_count;
    struct text known; /* marker of the previous listing; empty: request all rows */
    struct text mark;
    bool is_reported;
    bool is_same;
};

/* The common cause of failures, as its hold shows it (members/pass_causes.c). */
struct pass_cause {
    bool is_found;
    struct text attribute; /* "zone b of file" */
    struct text nodes;     /* the failed nodes that share the cause */
    struct text task;      /* the stage or task that failed first; empty: no stage or task failed */
};

struct pass {
    struct arena *arena;
    struct reconciler *reconciler;
    struct source *sources;
    struct plan_source *plan_sources;
    size_t source_count;
    size_t sources_left;
    struct host_choice *hosts; /* state of hosts_choose; NULL: it was not called */
    /* The cluster's machines use more plugins than one pass may list (LIMIT_CONTROL_SOURCES). */
    bool is_crowded;
    struct plan_world world;
    const struct provider_row **rows; /* rows of the machines of `world`, with the same indexes */
    /* By record: the pass rewrites the record's generation, although the machine is unchanged. */
    bool *is_regenerated;
    struct plan plan;
    struct counters cluster_counters;
    uint64_t cluster_counters_revision;
    bool is_tallied; /* The row with the cluster's counters must be written. */
    /* An operator's rejection of the quarantine was copied into the row. */
    bool is_rejection_taken;
    struct unit_row units;
    struct text message;
    size_t calls; /* number of calls that follow the pass */
    /* number of the archived pass (pass_archive.c); 0: the pass is not archived */
    uint64_t number;
    bool is_reporting;      /* the pass has something to report besides events */
    uint64_t pause_left_ms; /* time in ms until the next pause expires; 0: no pause expires */
    bool acts;
    bool is_decided;
    /* Tickets that the pass takes, and the groups that wait for tickets
     * (members/pass_budgets.c). */
    struct budget_asks asks;
    struct plan_hold waits[8];
    size_t wait_count;
    bool has_tickets; /* The cluster has tickets, which a later pass must release. */
    /* upper bound of the number of machines that may be evidence of a common cause */
    size_t failures;
    struct pass_cause cause;
};

/* State of the last archived pass. It is invalid if another manager has held the lease since
 * then. */
enum { KEPT_FEW = 8 };

struct kept_pages {
    uint64_t *hashes;       /* one hash for each chunk; NULL: unknown */
    uint64_t few[KEPT_FEW]; /* storage of `hashes`; large enough for most clusters */
    struct arena *arena;    /* arena of `hashes` if `few` is too small; NULL: none */
    size_t page_count;
    uint64_t first; /* the complete pass to which the chunks refer */
    uint64_t next;  /* the number of the next pass */
    uint64_t epoch;
    size_t whole_bytes; /* size of the first, complete pass */
    size_t loose_bytes; /* total size of the passes after the first one */
};

/* State after a pass that found nothing to do and has no pending timer. As long as every provider
 * reports an unchanged listing and nothing else changes, another pass would also find nothing to do
 * (pass_still.c). */
struct still {
    struct arena *arena; /* NULL: there is no such state */
    struct source *sources;
    size_t source_count;
    uint64_t version; /* version of the cluster in the record cache */
    uint64_t epoch;
    uint32_t times; /* number of passes that this state has skipped */
};

/* A pause that expires: the revision of its command, and its end by the clock of one epoch. */
enum { RECONCILER_PAUSES = 16 };
struct reconciler_pause {
    uint64_t revision; /* 0: none */
    uint64_t epoch;
    uint64_t ends_ms;
};

struct reconciler {
    struct control *control;
    struct fleet_cluster *cluster;
    struct reconciler *next;  /* the next reconciler in the list of active ones */
    struct heap_node waiting; /* node of control.waiting while the reconciler is idle */
    struct still still;
    enum reconciler_step step;
    /* revision of the lease's key in the snapshot; 0: there is no lease */
    uint64_t epoch;
    struct leasing leasing;
    uint64_t wanted_revision; /* revision that the cache must reach before the next step; 0: none */
    struct pass *pass;
    uint64_t serial;    /* number of the current pass; answers to earlier passes are ignored */
    struct unit *batch; /* write operations of the current transaction, up to batch_end */
    struct unit *batch_end;
    struct unit_row units;      /* write operations that are not sent yet */
    struct arena *settle_arena; /* arena of the write operations for outcomes */
    struct call *calls;         /* calls that are running or queued */
    struct line *lines;         /* queues of calls, one for each account */
    size_t call_count;
    struct call *outcomes;  /* calls that are completed but not persisted yet */
    unsigned failures;      /* number of consecutive failed passes */
    bool is_pass_requested; /* With is_single: control_pass has requested a pass. */
    bool is_dry;            /* The next pass is a dry run. */
    uint64_t begun_ms;
    /* Time of the next pass. A wake-up before that time only persists outcomes. */
    uint64_t due_ms;
    bool has_job; /* The cluster has a job that is not complete. */
    /* the newest revision of the specification whose desired state was reached */
    uint64_t settled_revision;
    /* When a provider last returned the id of a new machine, by the cluster's clock. */
    uint64_t made_ms;
    uint64_t took_ms;        /* duration of the last pass */
    bool is_woken;           /* something has changed since the start of the pass */
    bool is_overtaken;       /* outcomes were persisted after the listings of the pass */
    bool is_settling;        /* The write operations are outcomes of calls. */
    bool is_pass_due;        /* a pass must process the persisted outcomes soon */
    bool is_node_due;        /* stages of a node have ended, and a pass must process this soon */
    bool is_foreign;         /* The last pass ended because another manager holds the lease. */
    uint64_t clock_ahead_ms; /* The cluster's clock minus now_ms; the difference may wrap around. */
    bool has_clock;          /* clock_ahead_ms belongs to the current epoch. */
    /* Since this time the cluster's clock has run without a gap. A gap before it may have been
     * longer than the clock shows. */
    uint64_t clock_since_ms;
    /* State of the token series of this epoch (series.h). If series_last is 0, the next token
     * begins a new series. */
    unsigned char series[6];
    uint32_t series_last;
    /* pauses whose ends were computed recently */
    struct reconciler_pause pauses[RECONCILER_PAUSES];
    size_t pause_next;
    struct kept_pages kept;
    struct health *health;    /* NULL: the cluster has no probes */
    struct heap_node probing; /* node of control.probing, by the time of the next probe */
    struct finding *findings; /* results of probes that are not written to records yet */
    /* The probe results in the current write. If the store refuses the write, they are written
     * again. */
    struct finding *ills_sent;
    struct members *members; /* NULL: the cluster has no members */
    struct heap_node members_due;
    /* reboots that are requested and in progress (reboots.c); NULL: none */
    struct reboot *reboots;
    struct heap_node rebooting; /* node of control.rebooting, by the time of the next check */
    struct volumes *volumes;    /* NULL: this manager has not listed the volumes yet */
    struct heap_node volumes_due;
};

/* The manager's suspicion that its own network is at fault (suspicion.c). */
struct suspicion {
    bool is_on;
    uint32_t number; /* number of observations so far */
    uint32_t lost;   /* how many of the `of` machines do not answer */
    uint32_t of;
    uint64_t ended_ms; /* end of the last suspicion, by now_ms; 0: there was none */
};

struct control {
    struct arena *memory;
    struct store *store;
    struct cache *cache;
    struct fleet *fleet;
    struct control_ports ports;
    struct control_options options;
    char life[33];             /* incarnation of the store, hexadecimal */
    struct heap waiting;       /* idle reconcilers, by time */
    struct reconciler *active; /* reconcilers that are not idle */
    size_t active_count;
    struct pool *reconcilers;
    struct account *accounts;
    struct heap probing;   /* reconcilers, by time of their next probe */
    struct heap members;   /* reconcilers, by time of their next work on members */
    struct heap rebooting; /* reconcilers, by time of their next reboot check */
    struct heap volumes;   /* reconcilers, by time of their next listing of volumes */
    struct ask *asks;      /* running probes */
    size_t probes;         /* number of running probes */
    struct suspicion suspicion;
    struct leases *leases;
    bool is_stopped;
    on_control *reported;
    void *event_arg;
};

/* True if the node of the record with this index has not reached the desired generation or stages
 * (pass_effects.c). */
bool pass_is_outdated(const struct pass *pass, size_t index);

/* Budgets (members/pass_budgets.c). pass_budget_may takes the tickets of an action and returns true
 * if the action may be executed now; otherwise it records the tickets that the action waits for.
 * pass_budgets_end writes the tickets that the pass took and deletes unused ones. */
bool pass_budget_may(struct pass *pass, const struct plan_action *action);
void pass_budgets_end(struct pass *pass);

/* The common cause of failures (members/pass_causes.c). pass_failed_since returns since when a
 * machine fails; 0: it does not. pass_causes_lay finds the cause and marks the machines and groups
 * that share it. pass_cause_put adds the fields that only the hold for the cause has. */
uint64_t pass_failed_since(const struct plan_record *record);
void pass_causes_lay(struct pass *pass, struct plan_record *records, struct plan_group *groups);
void pass_cause_put(const struct pass *pass, struct doc_builder *builder);

/* True if work on the node of the record with this index is blocked (members_blocked). */
bool pass_is_blocked(const struct pass *pass, size_t index);

/* Returns the revision of a cluster's specification. For a deleted cluster, returns the revision of
 * its deletion command (control.c). */
uint64_t control_wanted_revision(const struct control *control, const struct fleet_cluster *cluster,
                                 bool is_gone);

/* ---- probes (probe.c) ---- */

/* A result of a probe that is not in the machine's record yet. */
enum probe_finding_kind {
    PROBE_FINDING_STATE,    /* The machine became unhealthy or healthy. */
    PROBE_FINDING_CAUSE,    /* The machine is still unhealthy, for another reason. */
    PROBE_FINDING_HOST_KEY, /* The machine presented its first host key. */
    /* The machine presented an unexpected host key. With an empty cause, it presented the expected
     * key again. */
    PROBE_FINDING_ALARM,
    /* The boot of the machine, read during a requested reboot; `cause` has the boot text. */
    PROBE_FINDING_BOOT,
};
struct finding {
    struct finding *next;
    struct arena *arena;
    struct text token;
    enum probe_finding_kind kind;
    struct text host_key;
    enum health_state state;
    uint64_t since_ms;      /* since when, by the cluster's clock; 0: the machine is healthy */
    int64_t silent_wall_ms; /* the same time by the wall clock, if the machine is unreachable */
    struct text cause;
};

/* True if the machines of a group are probed: the specification has a probe, or reeve logs in to
 * them and uses the default probe. */
bool probes_has_probe(const struct control *control, const struct fleet_group *group);

/* Handle the end of a pass: start to probe the machines of the cluster. */
void probes_note(struct reconciler *reconciler);

/* Start the probes that are due. Returns the time of the next probe. */
uint64_t probes_run(struct control *control, uint64_t now_ms);

/* Add write operations for results of probes to the transaction of call outcomes. If a record is
 * already being written, its results are written later. */
void probes_settle(struct reconciler *reconciler);

/* Handle the end of the write of probes_settle. probes_written: the results are committed.
 * probes_refused: the store refused them; they are written again with the next ones. */
void probes_written(struct reconciler *reconciler);
void probes_refused(struct reconciler *reconciler);

/* Report the host key that a machine presented. probes_host_key: its first key, which is recorded.
 * probes_alarm: an unexpected key, which raises an alarm (empty: the key is unknown), or the
 * expected key, which clears the alarm. */
void probes_host_key(struct reconciler *reconciler, struct text token, struct text host_key);
void probes_alarm(struct reconciler *reconciler, struct text token, struct text host_key,
                  struct text why);
void probes_cleared(struct reconciler *reconciler, struct text token);

/* Report the boot text that was read on a machine during a requested reboot: "BOOT SECONDS", or
 * "unknown" (reboots.c). */
void probes_boot(struct reconciler *reconciler, struct text token, struct text read);

/* probes_drop discards the results and the running probes of a cluster. probes_forget discards all
 * running probes; it is called when the port no longer answers them. */
void probes_drop(struct reconciler *reconciler);
void probes_forget(struct control *control);

/* ---- self-suspicion (suspicion.c) ---- */

/* Begin or end self-suspicion, after a probe found a machine unreachable or got an answer. A change
 * wakes the clusters that this manager reconciles. */
void suspicion_update(struct control *control);

/* Returns the name of the observation while this manager suspects itself. The name is unique among
 * all sessions of all managers and lives in the arena. */
struct text suspicion_name(const struct control *control, struct arena *arena);

/* ---- members (bootstrap.h): keys, facts and stages of nodes ---- */

struct members;
struct node_state;

/* Handle the end of a pass: start to bootstrap the nodes of the cluster. */
void members_note(struct reconciler *reconciler);

/* Do the work that is due. Returns the time of the next call. */
uint64_t members_run(struct control *control, uint64_t now_ms);

/* members_is_dirty returns true if there is a change to write. members_settle adds the change to
 * the transaction of call outcomes. */
bool members_is_dirty(const struct reconciler *reconciler);
void members_settle(struct reconciler *reconciler);

/* Handle the commit of the writes of members_settle, when the cache shows them: work that waited
 * for them continues. */
void members_written(struct reconciler *reconciler);

/* True if a group has stages that this manager runs on machines to which it logs in. */
bool members_has_stages(const struct control *control, const struct fleet_group *group);

/* Called when a probe finds a machine healthy for the first time. True: the machine is ready now.
 * False: the machine becomes ready when its bootstrap ends. */
bool members_may_serve(struct reconciler *reconciler, struct text token);

/* The state of the stages for which the job of a machine waits. */
enum members_stages {
    MEMBERS_STAGES_DONE,    /* the stages are complete, not required, or unknown */
    MEMBERS_STAGES_RUNNING, /* The stages run, or will run soon. */
    MEMBERS_STAGES_WAITING, /* The stages wait for their rollout slot. */
    /* A stage failed and no retry was requested; *out_state is set to the state of that node. */
    MEMBERS_STAGES_FAILED,
};
enum members_stages members_stages_of(const struct reconciler *reconciler, struct text token,
                                      const struct node_state **out_state);

/* True if the newest run failed for a reason outside of the stages, so that it is retried later.
 * Sets *out_state to the node's state and *out_tries to the number of consecutive runs that failed
 * in this way. */
bool members_blocked(const struct reconciler *reconciler, struct text token,
                     const struct node_state **out_state, unsigned *out_tries);

/* True if the machine comes from the inventory, its commission failed, and it is returned without
 * an operator (members_commission.c). */
bool members_is_returning(const struct reconciler *reconciler, struct text token);

/* True if a run is in progress that can complete the machine's stages. */
bool members_is_staging(const struct reconciler *reconciler, struct text token);

/* True if the machine has been ready and has not completed the desired stages of its group yet. */
bool members_is_outdated(const struct reconciler *reconciler, struct text token);

/* Rollout slots for the changed stages of a group. `waiting` members wait for a slot. `stopped` is
 * the reason why no further slot is granted until an operator decides; empty: slots are granted.
 * Texts live in the arena. */
struct members_slots {
    uint32_t waiting;
    struct text stopped;
    /* the observation that an approval covers: the rollout and its failures (G20) */
    struct text observation;
};
struct members_slots members_slots_of(const struct reconciler *reconciler, struct arena *arena,
                                      struct text group);

/* True if changed stages have begun on this machine in a current rollout of its group. Also true if
 * this is not known yet. */
bool members_is_in_rollout(const struct reconciler *reconciler, struct text token);

/* True if a job has begun with the node (members_budgets.c). */
bool members_is_begun(const struct reconciler *reconciler, struct text token);

/* True if the granted slots are known. After the start of a manager they are known when the nodes
 * have been read. */
bool members_slots_are_known(const struct reconciler *reconciler);

/* True if the state of some members has not been read yet. The pass that requests the read ends
 * without a decision. */
bool members_is_unknown(const struct reconciler *reconciler);

/* Return the progress of the rotation of the cluster's authorities, as text; empty: there is no
 * rotation. */
struct text members_rotating(const struct reconciler *reconciler);

/* True if the destroy call of this machine must wait until the machine is released, or until the
 * hooks of its stages have run (members_release.c). The call of this function permits the release.
 * members_release_revoke, which each pass calls before its effects, revokes the permission. */
bool members_must_release(struct reconciler *reconciler, const struct record *record,
                          bool is_disposable);
void members_release_revoke(struct reconciler *reconciler);

/* Abandons all runs, because another manager may hold the lease now. */
void members_drop(struct reconciler *reconciler);

/* ---- volumes and other resources besides machines (src/volumes) ---- */

struct volumes;

/* Handle the end of a pass: schedule the next listing of resources. */
void volumes_note(struct reconciler *reconciler);

/* Start the listings that are due. Returns the time of the next one. */
uint64_t volumes_run(struct control *control, uint64_t now_ms);

/* volumes_is_dirty returns true if the result of a listing must be written. volumes_settle adds
 * that result to the transaction of call outcomes, and volumes_outcome_write adds the outcome of a
 * call. */
bool volumes_is_dirty(const struct reconciler *reconciler);
void volumes_settle(struct reconciler *reconciler);
void volumes_outcome_write(struct reconciler *reconciler, const struct call *call);

/* Sets the volumes of the slots of groups (A9). */
void volumes_lay(const struct pass *pass, struct plan_group *groups, size_t count);

/* True if the cluster has records of volumes. */
bool volumes_has_any(const struct reconciler *reconciler);

/* Discards listings, because another manager may hold the lease now. */
void volumes_drop(struct reconciler *reconciler);

/* ---- hosts of machines (src/hosts) ---- */

/* Return the id of the manager on whose host a machine exists, from `at` of its record. Empty: this
 * manager, or every manager can access the machine. */
struct text hosts_at(const struct control *control, struct text at);

/* Return how many sources each plugin may need, because there is one for each host. */
size_t hosts_room(const struct control *control);

/* Add the sources of other managers' hosts, for plugins whose machines exist on hosts. */
void hosts_sources_add(struct pass *pass);

/* Return the provider of a source on another host. NULL: it is unreachable; *problem has the
 * reason. */
struct provider *hosts_provider_find(const struct pass *pass, struct source *source,
                                     const char **problem);

/* Fill in the planner's data of a source, after its listing. */
void hosts_source_listed(struct pass *pass, struct source *source);

/* Choose the host of a new machine of a group: the value of `at` for its record. */
struct text hosts_choose(struct pass *pass, struct text plugin, struct text group);

/* Return the value of `at` for the record of a machine that this source lists. */
struct text hosts_at_of(const struct pass *pass, const struct source *source);

/* True if the record must be written again, because it does not state yet that the machine exists
 * on the host of this manager. */
bool hosts_must_write(const struct pass *pass, size_t index);

/* Marks the machine of the record as confirmed gone if an operator has removed its host (manager
 * forget). */
void hosts_gone_lay(const struct pass *pass, const struct source *source,
                    struct plan_record *record);

/* ---- schedule of the reconcilers (control.c) ---- */

void control_schedule(struct reconciler *reconciler, uint64_t due_ms);

/* Return a random time between ms/2 and ms. */
uint64_t control_jitter(struct control *control, uint64_t ms);

/* Returns the time of the cluster's clock (control_clock.c). reconciler_clock_raise moves the clock
 * forward, so that no time in the store is ahead of it. */
uint64_t reconciler_now(const struct reconciler *reconciler);

/* True if a login to this machine needs its host key, the provider reports host keys, and the
 * machine was created less than `within_ms` ago. */
bool reconciler_awaits_key(const struct reconciler *reconciler, const struct control_way *way,
                           uint64_t within_ms);
void reconciler_clock_raise(struct reconciler *reconciler, uint64_t latest_ms);

/* Continue the clock from the lease. NULL: there is no lease, or it cannot be parsed. */
void reconciler_clock_set(struct reconciler *reconciler, struct arena *arena,
                          const struct doc *lease);

/* Called when another manager has the lease, or may have it. Decisions of the previous epoch are
 * then not written, and their calls are not made, even if this manager acquires the lease again
 * (G10). The next lease holder continues from the committed state. */
void reconciler_lease_lost(struct reconciler *reconciler);

/* Like reconciler_lease_lost, for a session that acquires the lease again. Only the results of its
 * own probes are kept. */
void reconciler_epoch_end(struct reconciler *reconciler);

/* True if this manager's session is still valid as far as the manager can know. The validity is
 * counted from the time at which its last heartbeat was sent (F4). This is only a hint: the compare
 * of the epoch decides. */
bool control_is_alive(const struct control *control);

/* ---- a pass (pass.c) ---- */

/* Begin a pass. */
void pass_begin(struct reconciler *reconciler);

/* List the providers. */
void pass_list_begin(struct reconciler *reconciler);

/* Continues the pass when the event for which it waited has occurred. */
void reconciler_run(struct reconciler *reconciler);

/* End the pass. */
void pass_end(struct reconciler *reconciler, enum control_end end, struct text message);

/* ---- parts of a pass ---- */

/* List all providers at which the cluster has or had machines (pass_list.c). pass_listed continues
 * the pass. */
void pass_list(struct pass *pass);

/* Return the source of a plugin's machines on the host of a manager (hosts_at); NULL: the pass has
 * none. pass_source_find returns the source on this manager, or the source with the displayed
 * name. */
struct source *pass_source_at(const struct pass *pass, struct text plugin, struct text at);
struct source *pass_source_find(const struct pass *pass, struct text name);

/* Return the source of a machine; NULL: the pass has none. Adjacent records usually have the same
 * source: `last` is the source of the previous record. */
struct source *pass_source_of_machine(const struct pass *pass, const struct fleet_machine *machine,
                                      const struct source *last);

/* Return the source for this plugin and host, and add it if it is missing. There must be room. */
struct source *pass_source_have(struct pass *pass, struct text plugin, struct text at);

/* True if every provider was listed, including providers that were used after the listing began. */
bool pass_has_asked_all(const struct pass *pass);
void pass_listed(struct reconciler *reconciler);

/* Build the world of the pass from its snapshot (pass_world.c). */
void pass_world_make(struct pass *pass);

/* Convert the plan to keys, events and calls (pass_effects.c). */
void pass_effects_make(struct pass *pass);

/* Write the decisions of the plan that wait for an approval as holds (pass_holds.c). */
void pass_holds_make(struct pass *pass);

/* pass_number_take reserves the number of the archived pass. pass_archive archives the pass if its
 * write operations report any event. Call it after effects and holds, and before the status is
 * written (pass_archive.c). */
void pass_number_take(struct pass *pass);
void pass_archive(struct pass *pass);

/* Write the status of the cluster (pass_status.c). */
void pass_status_make(struct pass *pass);

/* True if machines of a group must answer a probe or complete stages before they count as ready.
 * False if the specification of the group says that running machines count as ready. */
bool pass_is_probed(const struct pass *pass, struct text group);

/* True if the simulator has switched off a guard that the compare of this write would replace. The
 * write is then omitted. */
bool pass_hides_a_guard(const struct pass *pass);

/* Begin, update or complete the cluster's job (pass_jobs.c). */
void pass_jobs_make(struct pass *pass);

/* Remove the remaining keys of a deleted cluster without machines (pass_holds.c). */
void pass_tombstone_end(struct pass *pass);

/* Records after a pass without work whether the next passes may be skipped. */
void pass_still_note(struct pass *pass);

/* Discards this state, so that the next pass is a full one. */
void reconciler_still_drop(struct reconciler *reconciler);

/* Return the listing marker of this provider if passes may be skipped; otherwise an empty text. */
struct text reconciler_still_mark(struct reconciler *reconciler, struct text name);

/* Called when all providers have answered. True if everything is unchanged. */
bool pass_is_still(struct pass *pass);

/* True if a provider reported its listing as unchanged, so that its rows are missing. The rows are
 * needed if a change in the meantime has discarded the state of the skipped passes. */
bool pass_is_reported_same(const struct pass *pass);

/* The operator commands of a cluster or group (pass_commands.c). */
struct pass_commands {
    bool is_paused;
    bool is_deleting;
    enum plan_rollout_command roll;
    /* Retry all work that was written before this revision; 0: no retry was requested. */
    uint64_t retry_revision;
    const struct doc *victims;
    const struct doc *replace; /* {fails, tokens, until}: machines to be replaced */
    const struct doc *reboot;  /* [{by, number, tokens}]: machines to be rebooted */
    /* The name of the request to rotate the authorities; empty: none. */
    struct text rotate;
};

/* Read the commands of a group, or of the whole cluster (group empty). */
struct pass_commands pass_words_read(struct pass *pass, struct text group);

/* Return the time, by the cluster's clock, up to which machines were recorded that are replaced; 0:
 * there is no such command. */
uint64_t pass_words_replace_until(const struct pass_commands *commands);

/* True if an operator command selects this member, by name, id or token, to be removed first. */
bool pass_words_name(struct pass *pass, const struct pass_commands *commands,
                     const struct fleet_group *group, const struct plan_record *record);

/* ---- writing (reconciler_write.c) ---- */

void unit_row_init(struct unit_row *row);
struct unit *unit_add(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                      struct text value);

/* Like unit_add, but before all other operations, so that none of them is committed earlier. */
void unit_add_first(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                    struct text value);

/* True if a write operation for the key is already queued. Another one must wait for the next
 * transaction. */
bool reconciler_has_unit(const struct reconciler *reconciler, struct text key);

/* Commit reconciler->units, one transaction at a time. Each transaction compares the epoch. On
 * success reconciler->wanted_revision is set; on failure reconciler_broken is called. */
void reconciler_write(struct reconciler *reconciler);
void reconciler_broken(struct reconciler *reconciler, const struct err *err);

/* ---- calls (call.c) ---- */

struct call *call_new(struct reconciler *reconciler, enum call_kind kind, struct account *account);
void call_free(struct call *call);

/* Queue a call whose intent is committed. It starts when its account has capacity. */
void call_start(struct call *call);

/* Make the call now (account.c). */
void call_make(struct call *call);

/* Returns the delay until the next call. It depends on the fault (X15) and grows with each
 * refusal. */
uint64_t call_retry_ms(struct reconciler *reconciler, const struct call *call, uint32_t tries);

/* Convert the outcomes of calls to write operations, and free the calls. */
void reconciler_outcomes_settle(struct reconciler *reconciler);

/* ---- accounts (account.c) ---- */

/* An account limits the calls of all clusters to one provider: the number of concurrent calls, the
 * calls per second, and a circuit breaker after repeated failures (X15). The clusters take
 * turns. */
struct account;

/* Return the account of a provider. It is created if it does not exist. */
struct account *account_of(struct control *control, struct provider *provider);
struct provider *account_provider(const struct account *account);

/* True if the provider may be called now. False: *out has the reason for display. The first call
 * after a back-off is the trial of the circuit breaker. */
bool account_is_open(struct account *account, struct arena *arena, struct text *out);

/* Handles the end of a listing. A rate limit of listings applies to all clusters of the account
 * (X15). */
void account_listing_reported(struct account *account, enum outcome outcome,
                              const struct provider_answer *answer);

/* True if a listing may be requested now. False: *out has the reason. */
bool account_may_list(struct account *account, struct arena *arena, struct text *out);

/* Handle the end of a call to the provider: update its circuit breaker. */
void account_reported(struct account *account, enum outcome outcome,
                      const struct provider_answer *answer);

/* Queue this call. */
void account_put(struct account *account, struct call *call);
void account_call_ended(struct account *account);

/* Discard the queued calls of the reconciler, because they may be obsolete. */
void account_drop(struct reconciler *reconciler);

/* Discard the queued calls of all reconcilers. This manager has lost its session, so another
 * manager may make them. */
void accounts_drop(struct control *control);

/* Make the calls that are due. Returns the time of the next call, by now_ms. */
uint64_t accounts_run(struct control *control);

/* ---- keys ---- */

struct text control_key(struct arena *arena, const struct fleet_cluster *cluster, const char *kind,
                        struct text rest, enum cache_part part);

/* Set the stamp of this installation in the tags of a machine. */
void control_stamp(struct control *control, struct arena *arena, struct provider_tags *tags);

/* Reads the counters of a group, or of the cluster (group empty). Returns false if they cannot be
 * parsed; *out is then empty, and the counts start again. */
bool control_counters_read(struct arena *arena, const struct reconciler *reconciler,
                           struct text group, struct counters *out, uint64_t *out_revision);

/* The body of an event about a machine. `fact` may be empty. */
struct event {
    const char *type;
    struct text group;
    uint64_t slot;
    bool has_slot;
    struct text rule;
    struct text fact;
    struct text token;
    struct text id;
    /* name of the machine; empty: the group determines it. Its group may no longer exist. */
    struct text node;
    uint64_t pass; /* number of the pass that decided the event; 0: no pass is archived */
};
struct text control_event(struct arena *arena, const struct reconciler *reconciler,
                          const struct event *event);

#endif
