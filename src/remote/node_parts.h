#ifndef REEVE_REMOTE_NODE_PARTS_H
#define REEVE_REMOTE_NODE_PARTS_H

#include "base/buf.h"
#include "remote/node.h"
#include "remote/program.h"

/* names: node_ */

/* What the files of the machine of one node share. */

/* One program on its way. Outlives the job where that is freed before its end is told. */
struct node_call {
    struct node_job *job; /* NULL: nobody wants to know */
    struct session_pool_run *run;
    struct program_call program;
    enum transport_stream answers; /* where the answer comes */
    bool is_output;                /* the other one is the output of a stage, */
    bool has_output;               /* which has begun */
    struct arena *memory;
    struct buf answer;
    struct buf noise; /* what sudo or a shell says */
    bool is_too_long;
    struct blob *bytes; /* its input; NULL: */
    uint64_t offset;    /* from here on */
    bool is_lost;       /* the bundle could not be read */
};

/* What is known of a stage besides what the node says. */
struct node_track {
    char chain[ANSWER_CHAIN_BYTES];
    uint32_t attempt;  /* whose output is read; 0: none yet */
    uint64_t received; /* bytes of it */
    uint64_t asked;    /* of them, when it was asked for more */
    unsigned empty;    /* answers in a row that promised more and brought nothing */
    bool is_drained;   /* all of it was read */
    uint32_t reported; /* the newest attempt whose end was told */
    struct text first; /* line that tells of an error */
    struct text last;  /* line that is not empty */
    char *lines[2];    /* where both stand, once there are any */
};

struct node_job {
    struct node_options options;
    struct arena *memory;
    struct arena *work; /* of one call */
    struct loop_timer *timer;
    struct node_call *call;
    enum node_step step;
    bool is_waiting; /* at a point */
    bool is_over;
    bool is_cancelled;
    bool has_reported_key;
    bool has_reported_step;
    enum node_step reported_step;
    size_t reported_stage;
    struct blob *trust; /* until the node has it; NULL: none */
    struct text classic;
    struct text facts_said; /* by the node, in its look */
    struct node_facts facts;
    struct answer_look look;
    struct node_track *tracks; /* of each stage, and one where there are none */
    size_t stage;
    bool is_asking; /* how much of a bundle has arrived, after a piece that was cut */
    size_t failed;  /* stages, that may */
    size_t failed_first;
    struct buf line; /* of output, without its end yet */
    struct arena *line_memory;
    unsigned failures;    /* in a row */
    unsigned futile;      /* whole answers in a row that led nowhere */
    bool may_be_released; /* RELEASE was sent at least once, and how it ended is not known */
    unsigned hasty;       /* of a stage that runs, which came at once and brought nothing */
    uint64_t asked_ms;    /* when its output was asked for */
    uint64_t good_ms;     /* when the last whole answer came */
};

/* Tell; kind and step are filled in by the caller, the rest is as in the event. */
void node_report(struct node_job *job, struct node_event event);

/* Tell of a step that has begun, once. */
void node_step_report(struct node_job *job);

/* Go on with a step, in the next turn. */
void node_go(struct node_job *job, enum node_step step);

/* The step of now is tried again after a pause, or the job ends where its patience is over. */
void node_again(struct node_job *job, enum node_end end, struct text why, uint64_t retry_ms);

/* End it. */
void node_end(struct node_job *job, enum node_end end, struct text why);

/* Run a program; a step hears of its answer by node_answered. */
struct node_program {
    const char *name;
    const struct text *words;
    size_t count;
    struct blob *bytes;    /* not NULL: they are its input, and it is shared */
    uint64_t bundle_bytes; /* not 0: so many of the bundle of now are its input, from `offset` on */
    uint64_t offset;
    uint64_t deadline_ms;
    bool is_stage; /* its output is a stage's, its answer comes on standard error */
};
void node_run(struct node_job *job, const struct node_program *program);

/* A whole answer without a fault has come for the step of now; or one with a fault. */
void node_answered(struct node_job *job, const struct answer *answer);
void node_faulted(struct node_job *job, const struct answer *answer);

/* ---- stages (node_stage.c) ---- */

/* Chains of all stages. */
void node_chains(struct node_job *job);

/* Decide what comes next of the stage of now, and begin it. */
void node_stage_next(struct node_job *job);

/* Steps BUNDLE and STAGE: begin; an answer has come; a piece of output has come. The program of the first goes on with the stage
 * where the bundle has become whole; then so much of its answer has come, and the step is the second one. */
void node_bundle_begin(struct node_job *job);
void node_bundle_answered(struct node_job *job, const struct answer *answer);
void node_stage_begin(struct node_job *job);
void node_stage_answered(struct node_job *job, const struct answer *answer);
void node_output(struct node_job *job, struct text piece);
void node_stage_said(struct node_job *job, struct text answer);

/* What is next for a stage, of which the node says this. Pure. */
enum node_move {
    NODE_MOVE_NEXT,        /* it is complete */
    NODE_MOVE_START,       /* the next attempt */
    NODE_MOVE_FOLLOW,      /* it runs */
    NODE_MOVE_WAIT,        /* something older runs in its place */
    NODE_MOVE_FAILED,      /* for good */
    NODE_MOVE_INTERRUPTED, /* for good */
};
enum node_move node_decide(const struct node_stage *stage, const char *chain,
                           const struct answer_stage *known);

#endif
