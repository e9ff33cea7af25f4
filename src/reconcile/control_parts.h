#ifndef REEVE_RECONCILE_CONTROL_PARTS_H
#define REEVE_RECONCILE_CONTROL_PARTS_H

#include "base/heap.h"
#include "reconcile/control.h"
#include "reconcile/health.h"
#include "records/fleet.h"
#include "records/intent.h"
#include "plan/compute.h"

/* names: control_ reconciler_ pass_ unit_ call_ */

/* Inside of control.h. One reconciler a cluster: a state machine that never waits. */

/* ---- what is to be written ---- */

/* What belongs together: a change of one key with its compare, and the event that tells it. */
struct unit {
    struct unit *next;
    struct text key;
    uint64_t revision; /* it must have; 0: it must not be there */
    bool is_loose;     /* whatever it has: nobody but who holds the lease writes it */
    struct text value; /* empty: the key is deleted */
    struct text event; /* body; empty = none */
    struct call *call; /* follows when it is committed; NULL = none */
};

struct unit_row {
    struct unit *first;
    struct unit **last;
    size_t count;
};

/* ---- what is called ---- */

enum call_kind { CALL_CREATE, CALL_DESTROY, CALL_FIND, CALL_LABEL, CALL_REBOOT };

struct intent {
    enum plan_record_state state;
    struct text token;
    struct text id;
    struct text cluster;
    struct text reason;
    uint64_t epoch;
};

/* One call and what came of it. Lives from the pass that decided it until its outcome is written. */
struct call {
    struct call *next;  /* of the reconciler's row of calls, then of its outcomes */
    struct call **link; /* what points to it there */
    struct call *after; /* of those that wait for their turn */
    struct reconciler *reconciler;
    struct arena *arena;
    enum call_kind kind;
    struct account *account;
    struct intent intent;
    struct provider_request request;
    struct text group;  /* of the record */
    struct text labels; /* LABEL: canonical JSON */
    struct text labels_digest;
    /* the outcome */
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
    RECONCILER_LEASING, /* taking the cluster's lease */
    RECONCILER_LISTING, /* the providers list it */
    RECONCILER_READING, /* the store tells its newest revision; then the cache has to reach it */
    RECONCILER_WRITING, /* what was decided, and then what came of calls */
};

/* A provider of the cluster, in this pass. */
struct source {
    struct text plugin;
    const struct plugin_origin *origin; /* as its group says; NULL: none names it any more */
    struct text group;                  /* the first one by its path, on which its hold stands */
    bool is_torn;                       /* groups say different things of where it comes from */
    struct provider *provider;          /* NULL: there is none here */
    struct account *account;
    struct plan_source plan;
    const struct provider_row *rows;
    size_t row_count;
    struct text known; /* mark of the listing before; empty: all rows are wanted */
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
    bool is_crowded; /* machines were asked of more of them than are listed */
    struct plan_world world;
    const struct provider_row **rows; /* of the world's, by the same index */
    bool *
        is_regenerated; /* by record: it has the generation of a former version, which is written anew */
    struct plan plan;
    struct counters cluster_counters;
    uint64_t cluster_counters_revision;
    bool is_tallied;         /* the cluster's row changes */
    bool is_rejection_taken; /* an operator's rejection of the quarantine is in that row now */
    struct unit_row units;
    struct text message;
    size_t calls;           /* that follow */
    uint64_t number;        /* under which it is kept (pass_archive.c); 0: passes are not */
    bool is_reporting;      /* something of it is told that is no event */
    uint64_t pause_left_ms; /* until a pause ends by itself; 0: none does */
    bool acts;
    bool is_decided;
};

/* What is known of the pass that was kept last: nothing of it counts when another manager had the lease since. */
enum { KEPT_FEW = 8 };

struct kept_pages {
    uint64_t *hashes;       /* a page each; NULL: nothing is known */
    uint64_t few[KEPT_FEW]; /* these, of most clusters */
    struct arena *arena;    /* of more; NULL = none */
    size_t page_count;
    uint64_t first; /* pass that the pages go back to */
    uint64_t next;  /* number behind it */
    uint64_t epoch;
    size_t whole_bytes; /* of the first */
    size_t loose_bytes; /* of those behind it */
};

/* A pass that found nothing to do, on a world in which nothing waits for a time: as long as every provider says that
 * its listing is the same, and nothing else has changed either, it would find nothing again (pass_still.c). */
struct still {
    struct arena *arena; /* NULL: there is none */
    struct source *sources;
    size_t source_count;
    uint64_t version; /* of the cluster, in the fleet */
    uint64_t epoch;
    uint32_t times; /* it was relied on */
};

/* A pause that ends by itself: the revision of its word, and when that is by the cluster's clock of an epoch. */
enum { RECONCILER_PAUSES = 16 };
struct reconciler_pause {
    uint64_t revision; /* 0: none */
    uint64_t epoch;
    uint64_t ends_ms;
};

struct reconciler {
    struct control *control;
    struct fleet_cluster *cluster;
    struct reconciler *next;  /* of those under way */
    struct heap_node waiting; /* for its time, while it is idle */
    struct still still;
    enum reconciler_step step;
    uint64_t epoch;           /* revision of the lease's key, as the snapshot had it; 0 = none */
    uint64_t wanted_revision; /* that the cache has to reach before it goes on; 0 = none */
    struct pass *pass;
    uint64_t serial;    /* of the pass: what answers later is nobody's */
    struct unit *batch; /* units that are in the store's hands, up to batch_end */
    struct unit *batch_end;
    struct unit_row units;      /* still to be written */
    struct arena *settle_arena; /* of units of outcomes */
    struct call *calls;         /* under way, or waiting for their turn */
    struct line *lines;         /* of those that wait: one for each account */
    size_t call_count;
    struct call *outcomes; /* done, not written */
    unsigned failures;     /* in a row */
    bool may_pass;         /* of a single one: control_pass has asked for it */
    bool is_dry;           /* the next pass only decides and reports */
    uint64_t begun_ms;
    uint64_t due_ms;           /* of the next pass; woken before it, it only writes outcomes */
    bool has_job;              /* that is not done */
    uint64_t settled_revision; /* of what is wanted: it is as it was written then */
    uint64_t made_ms; /* by the cluster's clock: when a provider last answered with a new machine */
    uint64_t took_ms; /* of the last pass */
    bool is_woken;    /* something changed since the pass began */
    bool is_overtaken;     /* outcomes were written after its providers were asked */
    bool is_settling;      /* the units are outcomes of calls */
    bool is_pass_due;      /* and a pass is to see them soon */
    bool is_node_due;      /* the stages of a node have ended, which a pass is to count soon */
    uint64_t foreign_beat; /* of the session that holds the lease, and since when it stands still */
    uint64_t foreign_since_ms;
    uint64_t
        clock_ahead_ms; /* of the port's clock, by which the cluster's is kept; may wrap around */
    bool has_clock;     /* it is that of this epoch */
    /* Tokens of this epoch (series.h); series_last 0: the next token begins a new series. */
    unsigned char series[6];
    uint32_t series_last;
    struct reconciler_pause pauses[RECONCILER_PAUSES]; /* that end by themselves, seen lately */
    size_t pause_next;
    struct kept_pages kept;
    struct health *health;    /* NULL: nothing of it is probed */
    struct heap_node probing; /* for the time of its next probe */
    struct finding *findings; /* machines whose state is to be written */
    struct finding
        *ills_sent; /* those that are being written: to be written again where the store refuses */
    struct members *members; /* NULL: nothing of it is bootstrapped */
    struct heap_node members_due;
    struct reboot *reboots;     /* requested ones that are under way (reboots.c); NULL: none is */
    struct heap_node rebooting; /* for the time of the next look at one */
};

/* Self-suspicion of this manager (suspicion.c). */
struct suspicion {
    bool is_on;
    uint32_t number; /* of observations so far */
    uint32_t lost;   /* machines of the observation that do not answer, and all of it */
    uint32_t of;
    uint64_t ended_ms; /* when it ended last, by the port's clock; 0: there was none */
};

struct control {
    struct arena *memory;
    struct store *store;
    struct cache *cache;
    struct fleet *fleet;
    struct control_ports ports;
    struct control_options options;
    char life[33];             /* incarnation of the store */
    struct heap waiting;       /* reconcilers that are idle */
    struct reconciler *active; /* those that are not */
    size_t active_count;
    struct pool *reconcilers;
    struct account *accounts;
    struct heap probing;   /* reconcilers */
    struct heap members;   /* the same */
    struct heap rebooting; /* the same */
    struct ask *asks;      /* probes that are under way */
    size_t probes;         /* how many */
    struct suspicion suspicion;
    uint64_t beat; /* of our own session */
    uint64_t beat_due_ms;
    uint64_t beat_sent_ms; /* when the one was sent that was answered last */
    bool is_beating;
    bool is_silent; /* for so long that its leases may be another's */
    bool is_stopped;
    on_control *reported;
    void *event_arg;
};

/* Has the node of the world's record with this index not reached the desired generation or stages (pass_effects.c)? */
bool pass_is_outdated(const struct pass *pass, size_t index);

/* Is work on the node of the world's record with this index blocked (members_blocked)? */
bool pass_is_blocked(const struct pass *pass, size_t index);

/* The revision that a cluster is wanted at; of one that is gone, when its deletion was said (control.c). */
uint64_t control_wanted_revision(const struct control *control, const struct fleet_cluster *cluster,
                                 bool is_gone);

/* ---- probes (probe.c) ---- */

/* What a probe has found out of a machine, and its record does not say yet. */
enum probe_finding_kind {
    PROBE_FINDING_STATE,    /* it is ill, or well again */
    PROBE_FINDING_CAUSE,    /* it is ill as it was, for another reason */
    PROBE_FINDING_HOST_KEY, /* the host key that it has, seen for the first time */
    PROBE_FINDING_ALARM,    /* it shows another one, or (no cause) its own one again */
    PROBE_FINDING_BOOT, /* which boot it has, while a requested reboot is under way: `cause` says so */
};
struct finding {
    struct finding *next;
    struct arena *arena;
    struct text token;
    enum probe_finding_kind kind;
    struct text host_key;
    enum health_state state;
    uint64_t since_ms;      /* by the cluster's clock; 0: it is well */
    int64_t silent_wall_ms; /* where it is unreachable: the same on the wall */
    struct text cause;
};

/* Are the machines of a group probed: by what the file says, or by default because they are logged in to? */
bool probes_has_probe(const struct control *control, const struct fleet_group *group);

/* A pass has ended: its machines are probed from now on. */
void probes_note(struct reconciler *reconciler);

/* Make the probes that are due; returns when the next ones are. */
uint64_t probes_run(struct control *control, uint64_t now_ms);

/* Write down who is ill, beside what came of calls: where a record is written already, later. */
void probes_settle(struct reconciler *reconciler);

/* What probes_settle wrote is in the store; or it is not, and is written again with what is found next. */
void probes_written(struct reconciler *reconciler);
void probes_refused(struct reconciler *reconciler);

/* A machine has shown its first host key, which is written down; another one than it should have (empty: not known which); the right
 * one, by which an alarm is over. */
void probes_host_key(struct reconciler *reconciler, struct text token, struct text host_key);
void probes_alarm(struct reconciler *reconciler, struct text token, struct text host_key,
                  struct text why);
void probes_cleared(struct reconciler *reconciler, struct text token);

/* What was read of a machine whose reboot is under way: "BOOT SECONDS", or "unknown" (reboots.c). */
void probes_boot(struct reconciler *reconciler, struct text token, struct text read);

/* Forget the cluster; and, when whoever makes them has given up, those under way. */
void probes_drop(struct reconciler *reconciler);
void probes_forget(struct control *control);

/* ---- self-suspicion (suspicion.c) ---- */

/* A probe found a machine unreachable, or answered while the manager suspects itself: begin, or end. Clusters that it keeps are
 * woken where that changes. */
void suspicion_update(struct control *control);

/* The name of the observation while the manager suspects itself: no other one had it, in whichever life of a manager. */
struct text suspicion_name(const struct control *control, struct arena *arena);

/* ---- nodes (bootstrap.h): keys, facts and stages, where the cluster has any ---- */

struct members;
struct node_state;

/* A pass has ended: its nodes are bootstrapped from now on. */
void members_note(struct reconciler *reconciler);

/* Do what is due; returns when the next is. */
uint64_t members_run(struct control *control, uint64_t now_ms);

/* Is something to be written? Write it, beside what came of calls. */
bool members_is_dirty(const struct reconciler *reconciler);
void members_settle(struct reconciler *reconciler);

/* It is in the store, and the cache shows it: what waited for that goes on. */
void members_written(struct reconciler *reconciler);

/* Has a group stages that are run here, on machines that somebody logs in to? */
bool members_has_stages(const struct control *control, const struct fleet_group *group);

/* Its probe says for the first time that a machine is well. Does it serve now? Else it does when it is bootstrapped. */
bool members_may_serve(struct reconciler *reconciler, struct text token);

/* How the stages of a machine stand that its job waits for. */
enum members_stages {
    MEMBERS_STAGES_DONE,    /* or none are waited for, or nothing is known of them */
    MEMBERS_STAGES_RUNNING, /* or they are to run */
    MEMBERS_STAGES_WAITING, /* they are to run, and wait for their rollout slot */
    MEMBERS_STAGES_FAILED, /* one has, and nobody has asked to try again: *out_state is its node's */
};
enum members_stages members_stages_of(const struct reconciler *reconciler, struct text token,
                                      const struct node_state **out_state);

/* Could the newest run not do its work on it, so that it is tried again later? *out_state is its node's, *out_tries the number of
 * tries in a row that ended so. */
bool members_blocked(const struct reconciler *reconciler, struct text token,
                     const struct node_state **out_state, unsigned *out_tries);

/* Does a run go on that brings its stages to their end? */
bool members_is_staging(const struct reconciler *reconciler, struct text token);

/* Has it served, and not run the desired stages of its group to their end yet? */
bool members_is_outdated(const struct reconciler *reconciler, struct text token);

/* Rollout slots of a group's changed stages: how many members wait for theirs, and why no further one is granted until an operator
 * decides; empty: slots are granted. Of the arena. */
struct members_slots {
    uint32_t waiting;
    struct text stopped;
    struct text observation; /* that an approval covers: the rollout and its failures (G20) */
};
struct members_slots members_slots_of(const struct reconciler *reconciler, struct arena *arena,
                                      struct text group);

/* Is a rollout of changed stages open that has begun on this machine? True as long as that is not known. */
bool members_is_in_rollout(const struct reconciler *reconciler, struct text token);

/* Is it known which slots are granted? A manager that has just begun knows it after its first look at the nodes. */
bool members_slots_are_known(const struct reconciler *reconciler);

/* It is bootstrapped, and what is known of its nodes has not been read yet: the pass that does ends first. */
bool members_is_unknown(const struct reconciler *reconciler);

/* How far the change of its authorities is, in words; empty: they are not changed. */
struct text members_rotating(const struct reconciler *reconciler);

/* Does the call that ends this machine wait until it is released (members_release.c)? Only of a provider whose machines continue to
 * exist. Asking grants the release until members_release_revoke, which each pass calls before its effects. */
bool members_must_release(struct reconciler *reconciler, const struct record *record);
void members_release_revoke(struct reconciler *reconciler);

/* Another manager may do it from here on: all runs are let go. */
void members_drop(struct reconciler *reconciler);

/* ---- reconcilers in their order of time (control.c) ---- */

void control_schedule(struct reconciler *reconciler, uint64_t due_ms);
uint64_t control_jitter(struct control *control,
                        uint64_t ms); /* between half of it and all of it */

/* The cluster's clock (control_clock.c). No time that the store names may be ahead of it. */
uint64_t reconciler_now(const struct reconciler *reconciler);
void reconciler_clock_raise(struct reconciler *reconciler, uint64_t latest_ms);

/* Go on from what the lease says; NULL: there is none, or nothing to be read in it. */
void reconciler_clock_set(struct reconciler *reconciler, struct arena *arena,
                          const struct doc *lease);

/* The lease is another's, or may be: of what was decided under it nothing is written or called any more, also when
 * the lease is won again (G10). What is committed finds whoever keeps the cluster. */
void reconciler_lease_lost(struct reconciler *reconciler);

/* The same where the lease is this session's again: only what its own probes have found stays known. */
void reconciler_epoch_end(struct reconciler *reconciler);

/* Is our session still ours, as far as we can know? Counted from when a beat was sent (F4). A hint: what
 * counts is the epoch. */
bool control_is_alive(const struct control *control);

/* ---- a pass (pass.c) ---- */

/* Begin one. */
void pass_begin(struct reconciler *reconciler);

/* Go on where something was waited for. */
void reconciler_run(struct reconciler *reconciler);

/* End it. */
void pass_end(struct reconciler *reconciler, enum control_end end, struct text message);

/* ---- its parts ---- */

/* All providers that the cluster has or had machines at (pass_list.c). The pass goes on with pass_listed. */
void pass_list(struct pass *pass);

/* NULL: none of these. */
struct source *pass_source_find(const struct pass *pass, struct text plugin);

/* Has every one been asked, also those that were named or used since? */
bool pass_has_asked_all(const struct pass *pass);
void pass_listed(struct reconciler *reconciler);

/* The world of the pass, from its snapshot (pass_world.c). */
void pass_world_make(struct pass *pass);

/* What the plan means in keys, events and calls (pass_effects.c). */
void pass_effects_make(struct pass *pass);

/* What of the plan waits for a human (pass_holds.c). */
void pass_holds_make(struct pass *pass);

/* Under which number the pass will be kept, and keep it if what it has to write so far tells of anything: behind its
 * effects and holds, before what only shows how things stand (pass_archive.c). */
void pass_number_take(struct pass *pass);
void pass_archive(struct pass *pass);

/* How the cluster stands, for those who look (pass_status.c). */
void pass_status_make(struct pass *pass);

/* Has a group a probe, which its machines have to answer before they count as ready, or stages, which they have to
 * have run, and does it not say that machines count as soon as they run? */
bool pass_is_probed(const struct pass *pass, struct text group);

/* Is a guard switched off that the compares of this would stand in for? Then it is not written. */
bool pass_hides_a_guard(const struct pass *pass);

/* The cluster's job: begun, gone on with, done (pass_jobs.c). */
void pass_jobs_make(struct pass *pass);

/* What is left of a cluster that was deleted and has no machine any more (pass_holds.c). */
void pass_tombstone_end(struct pass *pass);

/* After a pass that found nothing to do: may the next ones rely on that? */
void pass_still_note(struct pass *pass);

/* Forget it. */
void reconciler_still_drop(struct reconciler *reconciler);

/* The mark that this provider gave, while it may be relied on; else empty. */
struct text reconciler_still_mark(struct reconciler *reconciler, struct text plugin);

/* All providers have told: is everything as it was? */
bool pass_is_still(struct pass *pass);

/* Has one told only that? Then its rows are not here, and may be wanted: a change in the meantime has dropped what was noted. */
bool pass_is_reported_same(const struct pass *pass);

/* What operators have said (pass_commands.c). */
struct pass_commands {
    bool is_paused;
    bool is_deleting;
    enum plan_rollout_command roll;
    uint64_t retry_revision; /* what was written before it is tried again; 0: nobody has said so */
    const struct doc *victims;
    const struct doc *replace; /* {tokens, until}: machines that are to be replaced */
    const struct doc *reboot;  /* [{by, number, tokens}]: machines that are to be rebooted */
    struct text rotate; /* names the request that authorities are changed; empty: there was none */
};

/* Of a group, or (empty) of the whole cluster. */
struct pass_commands pass_words_read(struct pass *pass, struct text group);

/* Machines that were recorded up to this time of the cluster are to be replaced; 0: none is for its time. */
uint64_t pass_words_replace_until(const struct pass_commands *commands);

/* Do they name this member as one that goes first? By its name, id or token. */
bool pass_words_name(struct pass *pass, const struct pass_commands *commands,
                     const struct fleet_group *group, const struct plan_record *record);

/* ---- writing (reconciler_write.c) ---- */

void unit_row_init(struct unit_row *row);
struct unit *unit_add(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                      struct text value);

/* The same, before all others: it is written with the first of them or before. */
void unit_add_first(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                    struct text value);

/* Is the key written already? What else there is of it waits for the next time. */
bool reconciler_has_unit(const struct reconciler *reconciler, struct text key);

/* Write reconciler->units, a transaction at a time; each compares the epoch. Then reconciler->wanted_revision is set,
 * or `reconciler_broken` follows. */
void reconciler_write(struct reconciler *reconciler);
void reconciler_broken(struct reconciler *reconciler, const struct err *err);

/* ---- calls (call.c) ---- */

struct call *call_new(struct reconciler *reconciler, enum call_kind kind, struct account *account);
void call_free(struct call *call);

/* What it waited for is committed: it is made when its account has room. */
void call_start(struct call *call);

/* Make it now (account.c). */
void call_make(struct call *call);

/* Make units of the outcomes, and forget these. */
void reconciler_outcomes_settle(struct reconciler *reconciler);

/* ---- accounts (account.c) ---- */

/* What all clusters ask of one provider goes through its account: so many calls at once, so many a second, and
 * none for a while where nothing but failures come back (X15). Clusters take turns. */
struct account;

/* That of a provider; made where there is none. */
struct account *account_of(struct control *control, struct provider *provider);
struct provider *account_provider(const struct account *account);

/* May it be asked now? Else *out says why not, for people. Whoever asks after a pause is its trial. */
bool account_is_open(struct account *account, struct arena *arena, struct text *out);

/* What was asked of it has come to an end. */
void account_reported(struct account *account, enum outcome outcome,
                      const struct provider_answer *answer);

/* This call waits for its turn. */
void account_put(struct account *account, struct call *call);
void account_call_ended(struct account *account);

/* Calls of the reconciler that still wait are not made: what they were to do may be wanted no more. */
void account_drop(struct reconciler *reconciler);

/* The same for all reconcilers: this manager was silent for so long that another one may do what they were to do. */
void accounts_drop(struct control *control);

/* Make the calls whose turn it is. Returns when it wants to be called again, by the control's clock. */
uint64_t accounts_run(struct control *control);

/* ---- keys ---- */

struct text control_key(struct arena *arena, const struct fleet_cluster *cluster, const char *kind,
                        struct text rest, enum cache_part part);

/* Stamp a machine of ours. */
void control_stamp(struct control *control, struct arena *arena, struct provider_tags *tags);

/* The row of a group, or of the cluster (group empty), as it stands. False: it cannot be read, and *out is
 * empty: counting begins anew. */
bool control_counters_read(struct arena *arena, const struct reconciler *reconciler,
                           struct text group, struct counters *out, uint64_t *out_revision);

/* Names of machines in the row of a job: as ranges under `what`Nodes, and how many there are beside them under `what`More. They are put
 * into order; of none there is nothing. --failed-of asks for those that failed, also when the job is over (select_change.c). */
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
    struct text node; /* its name, where its group may be gone; empty = as its group says */
    uint64_t pass;    /* that decided it; 0 = none that is kept */
};
struct text control_event(struct arena *arena, const struct reconciler *reconciler,
                          const struct event *event);

#endif
