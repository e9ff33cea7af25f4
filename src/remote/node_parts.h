#ifndef REEVE_REMOTE_NODE_PARTS_H
#define REEVE_REMOTE_NODE_PARTS_H

#include "base/buf.h"
#include "remote/node.h"
#include "remote/program.h"

/* private to src/remote */
/* public names start with: node_ */

/* Internals of the job of one node. */

/* A running program. If its job is freed before the end of the program is reported, the program
 * outlives the job. */
struct node_call {
    struct node_job *job; /* NULL: the job was freed */
    struct session_pool_run *run;
    struct program_call program;
    enum transport_stream answers; /* stream of the answer */
    bool is_output;                /* the other stream is the output of a stage */
    bool has_output;               /* the output has begun */
    struct arena *memory;
    struct buf answer;
    struct buf noise; /* output of sudo or a shell */
    bool is_too_long;
    struct blob *bytes; /* input; NULL: the input is the bundle */
    struct text head;   /* input before the bytes of the bundle */
    uint64_t offset;    /* position of the first byte in the bundle */
    bool is_lost;       /* the bundle could not be read */
};

/* The manager's state of a stage, in addition to the state that the node reports. */
struct node_track {
    char chain[ANSWER_CHAIN_BYTES];
    uint32_t attempt;  /* number of the attempt whose output is read; 0: none yet */
    uint64_t received; /* number of bytes of this output received */
    uint64_t asked;    /* value of `received` at the last request */
    unsigned empty;    /* consecutive answers that announced more output but contained none */
    bool is_drained;   /* all output was read */
    uint32_t reported; /* the latest attempt whose end was reported */
    struct text first; /* first line that reports an error */
    struct text last;  /* last line that is not empty */
    char *lines[2];    /* memory of both lines, if they exist */
};

struct node_job {
    struct node_options options;
    struct arena *memory;
    struct arena *work; /* memory for one call */
    struct loop_timer *timer;
    struct node_call *call;
    enum node_step step;
    bool is_waiting; /* the job waits at a barrier */
    bool is_over;
    bool is_cancelled;
    bool has_reported_key;
    bool has_reported_step;
    enum node_step reported_step;
    size_t reported_stage;
    struct blob *trust; /* kept until the node has it; NULL: none */
    struct text classic;
    /* End of the stages, which is reported when the baseline is written. */
    enum node_end stages_end;
    struct answer_verdict verdict; /* for a run that verifies; valid while its answer is handled */
    struct text facts_said;        /* facts that the node reported in the step `look` */
    struct node_facts facts;
    struct answer_look look;
    struct node_track *tracks; /* one per stage; one element if there are no stages */
    size_t stage;
    /* after an interrupted piece it is unknown how much of the bundle the node has, so this is
     * requested from the node */
    bool is_asking;
    size_t failed; /* number of stages that failed although their policy permits that */
    size_t failed_first;
    struct buf line; /* incomplete line of output */
    struct arena *line_memory;
    unsigned failures;    /* number of consecutive retries */
    unsigned futile;      /* number of consecutive complete answers without progress */
    bool is_release_sent; /* RELEASE was sent at least once, and its result is unknown */
    unsigned hasty;       /* consecutive immediate answers about a running stage, without output */
    uint64_t asked_ms;    /* time of the request for output */
    uint64_t good_ms;     /* time of the last complete answer */
};

/* Reports an event. The caller sets kind and its members; step and time are added. */
void node_report(struct node_job *job, struct node_event event);

/* Reports that a step has begun, if that was not reported yet. */
void node_step_report(struct node_job *job);

/* Continues with a step in the next iteration. */
void node_go(struct node_job *job, enum node_step step);

/* Retries the current step after a pause, or ends the job if its patience has expired. */
void node_again(struct node_job *job, enum node_end end, struct text why, uint64_t retry_ms);

/* Ends the job. */
void node_end(struct node_job *job, enum node_end end, struct text why);

/* Called when the stages have ended and the node may have a baseline. Writes the baseline, and then
 * ends the job with this end. */
void node_stages_over(struct node_job *job, enum node_end end);

/* Reports the baseline of the node, and ends the job. Without a digest the node has no baseline,
 * for the reason `why`. */
void node_baseline_over(struct node_job *job, const struct answer_verdict *verdict,
                        struct text why);

/* Runs a program; node_answered receives its answer. */
struct node_program {
    const char *name;
    const struct text *words;
    size_t count;
    struct blob *bytes; /* input if not NULL; shared */
    struct text head;   /* input before the bundle */
    bool has_input;     /* the program reads its input, even if it is empty */
    /* if not 0: number of bytes of the current bundle as input, from `offset` on */
    uint64_t bundle_bytes;
    uint64_t offset;
    uint64_t deadline_ms;
    bool is_stage; /* standard output is that of a stage; the answer comes on standard error */
};
void node_run(struct node_job *job, const struct node_program *program);

/* Handle a complete answer for the current step: node_answered one without a fault, node_faulted
 * one with a fault. */
void node_answered(struct node_job *job, const struct answer *answer);
void node_faulted(struct node_job *job, const struct answer *answer);

/* ---- stages (node_stage.c) ---- */

/* Computes the chains of all stages. */
void node_chains(struct node_job *job);

/* Decides the next action for the current stage and begins it. */
void node_stage_next(struct node_job *job);

/* Steps BUNDLE and STAGE: begin the step, handle an answer, and handle output. The program of
 * BUNDLE continues with the stage when the bundle is complete. At that point of its answer the step
 * becomes STAGE. */
void node_bundle_begin(struct node_job *job);
void node_bundle_answered(struct node_job *job, const struct answer *answer);
void node_stage_begin(struct node_job *job);
void node_stage_answered(struct node_job *job, const struct answer *answer);
void node_output(struct node_job *job, struct text piece);
void node_stage_said(struct node_job *job, struct text answer);

/* Decides the next action for a stage with this state on the node. Pure. */
enum node_move {
    NODE_MOVE_NEXT,        /* the stage is complete */
    NODE_MOVE_START,       /* start the next attempt */
    NODE_MOVE_FOLLOW,      /* the attempt runs: follow its output */
    NODE_MOVE_WAIT,        /* an older attempt runs */
    NODE_MOVE_FAILED,      /* the stage failed permanently */
    NODE_MOVE_INTERRUPTED, /* permanent */
};
enum node_move node_decide(const struct node_stage *stage, const char *chain,
                           const struct answer_stage *known);

#endif
