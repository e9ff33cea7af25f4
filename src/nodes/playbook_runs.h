#ifndef REEVE_NODES_PLAYBOOK_RUNS_H
#define REEVE_NODES_PLAYBOOK_RUNS_H

#include "access/reach.h"
#include "nodes/stage_secrets.h"
#include "records/nodes.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "wire/playbook_ipc.h"

/* public names start with: playbook_runs_ */

/* Runs of playbooks (LIFECYCLE 8). One run is one process reeve-playbook. Nodes share a run if they
 * are ready within a short time for the same playbook of the same archive with equal variables. A
 * few runs are active at the same time; the others wait.
 *
 * A run logs in with a key that is created for it, and with a certificate that is valid for the
 * time limit of the run. All functions are called on the loop's thread and never block. */
struct playbook_runs;

/* A node's part in a run. */
struct playbook_place;

struct playbook_runs_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    const struct cache *cache;
    struct authorities *authorities;
    struct depot *archives; /* archives of configurations; NULL: none */
    const char *program;    /* absolute path of reeve-playbook */
    const char *ansible;    /* absolute path of ansible-playbook */
    size_t runs;            /* maximum number of active runs */
    struct stage_secrets secrets;
};

/* Creates the runs. The strings of the options must outlive them. */
struct playbook_runs *playbook_runs_new(const struct playbook_runs_options *options);

/* A node that is ready for a playbook. Copied by playbook_runs_join. */
struct playbook_order {
    const struct control_way *way;
    struct text cluster_name;
    /* name of the group of the node; the node may no longer be a member */
    struct text group;
    struct text digest;          /* digest of the archive */
    struct text playbook;        /* path in the archive */
    struct text vars;            /* JSON, a map; empty: none */
    uint64_t timeout_ms;         /* time limit in ms; 0: LIMIT_PLAYBOOK_MS */
    bool is_repeatable;          /* the playbook may run again after an interruption */
    enum playbook_ipc_mode mode; /* RUN or CHECK */
};

enum { PLAYBOOK_EVENT_CHANGES = 20 };

enum playbook_event_kind {
    PLAYBOOK_EVENT_BEGUN, /* the run that includes the node begins */
    PLAYBOOK_EVENT_LINE,  /* a line of output about the node */
    PLAYBOOK_EVENT_ENDED, /* the last event of the node */
};

struct playbook_event {
    enum playbook_event_kind kind;
    struct text line;
    /* ENDED: DONE, FAILED, TIMEOUT, INTERRUPTED, UNREACHABLE, REFUSED or CANCELLED. */
    enum nodes_end end;
    int code;        /* for FAILED: the exit code (rc) of the failed task; else 1 */
    struct text why; /* ROLE : TASK (FILE:LINE): message; empty: the playbook succeeded */
    size_t tasks;    /* tasks with a result */
    size_t unjudged; /* number of these tasks whose result check mode cannot predict */
    size_t changed;  /* number of these tasks that changed something, or would in check mode */
    /* The first PLAYBOOK_EVENT_CHANGES of the changed tasks: NAME (FILE:LINE). */
    const struct text *changes;
    size_t change_count;
};

/* Receives events of a node. In check mode, the node is drifted if changed > 0. The result is based
 * on `tasks - unjudged` tasks. Texts are valid until the callback returns. */
typedef void playbook_event_fn(void *arg, const struct playbook_event *event);

/* Adds a node to a run. Events are reported later, never from this call. After ENDED the place is
 * freed. */
struct playbook_place *playbook_runs_join(struct playbook_runs *runs,
                                          const struct playbook_order *order,
                                          playbook_event_fn *event, void *arg);

/* Removes a node from its run without further reports. A run without nodes ends immediately. Must
 * not be called from a callback. */
void playbook_runs_leave(struct playbook_place *place);

/* Ends a run at its next task when this was called for all of its nodes. A waiting run does not
 * start. Must not be called from a callback. */
void playbook_runs_stop(struct playbook_place *place);

/* Continues runs that wait for an authority. */
void playbook_runs_go_on(struct playbook_runs *runs);

/* Returns whether a run uses the archive with this digest. */
bool playbook_runs_names(const struct playbook_runs *runs, struct text digest);

/* playbook_runs_close ends all runs without further reports. After the call, run the loop until
 * playbook_runs_are_over returns true, then call playbook_runs_free. All three functions accept
 * NULL. */
void playbook_runs_close(struct playbook_runs *runs);
bool playbook_runs_are_over(const struct playbook_runs *runs);
void playbook_runs_free(struct playbook_runs *runs);

#endif
