#ifndef REEVE_NODES_PLAYBOOK_RUNS_PARTS_H
#define REEVE_NODES_PLAYBOOK_RUNS_PARTS_H

#include "nodes/playbook_runs.h"
#include "playbook/report.h"
#include "ssh/key.h"
#include "sys/worker.h"

/* private to src/nodes */
/* public names start with: playbook_runs_ playbook_run */

/* Internals of playbook_runs.h. */

enum playbook_run_step {
    PLAYBOOK_RUN_GATHERS, /* waits for further nodes */
    PLAYBOOK_RUN_WAITS,   /* waits until fewer runs are active */
    PLAYBOOK_RUN_SIGNS,   /* needs a certificate */
    PLAYBOOK_RUN_SENDS,   /* sends its files to the process */
    PLAYBOOK_RUN_GOES,    /* the playbook runs */
    PLAYBOOK_RUN_ENDS,    /* waits until its process has ended */
};

struct playbook_place {
    struct playbook_place *next;
    struct playbook_run *run;
    struct control_way way;
    struct text group;
    playbook_event_fn *event;
    void *arg;
    size_t index;  /* index of the host in the inventory and in reports */
    bool is_begun; /* BEGUN was reported */
    bool is_stopped;
};

/* A file that is sent to the process. */
struct playbook_run_file {
    struct text bytes;
    uint64_t sent;
    uint64_t all;
};

struct playbook_run {
    struct playbook_run *next;
    struct playbook_runs *runs;
    struct arena *memory;
    struct text key; /* nodes with equal keys share a run */
    struct text cluster;
    struct text cluster_name;
    struct text digest;
    struct text playbook;
    struct text vars;
    uint64_t timeout_ms;
    bool is_repeatable;
    enum playbook_ipc_mode mode;
    struct playbook_place *places; /* next run, in order of arrival */
    size_t place_count;
    uint64_t first_ms; /* time at which the first node joined */
    struct loop_timer *timer;
    enum playbook_run_step step;
    bool is_signing; /* the signer has a request of this run */
    bool is_tried;   /* playbook_runs_go_on has already tried the run in this round */
    bool is_stopped; /* the run ends at its next task and is not repeated */
    bool is_again;   /* this is its second attempt, because the first one was interrupted */
    char key_bytes[SSH_PRIVATE_BYTES];
    size_t key_length;
    struct text key_line;
    struct text certificate;
    struct playbook_run_file files[PLAYBOOK_IPC_FILE_COUNT];
    size_t file; /* the file that is being sent */
    struct worker *worker;
    struct playbook_report *report;
    struct playbook_place **by_host; /* nodes, by number of the host; NULL: the node has left */
    bool has_end;
    struct playbook_ipc_end end; /* result of the process; its message lives in `memory` */
    struct text tail;            /* the last part of ansible-playbook's output */
};

struct playbook_runs {
    struct playbook_runs_options options;
    struct playbook_run *first;
    size_t active;
    size_t alive; /* number of processes that have not exited */
    bool is_closed;
};

/* Makes inventory, limit and known hosts. In playbook_runs_files.c. */
MUST_CHECK bool playbook_run_files_make(struct playbook_run *run, struct err *err);

/* Determines the end of each node and reports it. In playbook_runs_judge.c. */
struct playbook_event playbook_run_judge(const struct playbook_run *run, struct arena *arena,
                                         size_t host);

/* True if the result of the run is unknown for all of its nodes. */
bool playbook_run_is_unknown(const struct playbook_run *run);

#endif
