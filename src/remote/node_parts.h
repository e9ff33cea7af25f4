#ifndef REEVE_REMOTE_NODE_PARTS_H
#define REEVE_REMOTE_NODE_PARTS_H

#include "base/buf.h"
#include "remote/node.h"
#include "remote/program.h"

/* private to src/remote */
/* public names start with: node_ */

/* Declarations that the files of a node's job share. */

/* A running program. If its job is freed before the end of the program is reported, this struct
 * outlives the job. */
struct node_call {
    struct node_job *job; /* NULL: the job was freed */
    struct session_pool_run *run;
    struct program_call program;
    enum transport_stream answers; /* the stream that has the answer */
    bool is_output;                /* the other stream is the output of a stage */
    bool has_output;               /* the output has begun */
    struct arena *memory;
    struct buf answer;
    struct buf noise; /* output of sudo or of a shell */
    bool is_too_long;
    struct blob *bytes; /* input; NULL: the input is the bundle */
    struct text head;   /* input that precedes the bytes of the bundle */
    uint64_t offset;    /* position in the bundle of the first byte to send */
    bool is_lost;       /* the bundle could not be read */
};

/* The manager's state of a stage, in addition to the state on the node. */
struct node_track {
    char chain[ANSWER_CHAIN_BYTES];
    uint32_t attempt;  /* attempt whose output is read; 0: none yet */
    uint64_t received; /* number of bytes of this output that were received */
    uint64_t asked;    /* value of `received` at the latest request */
    unsigned empty;    /* number of consecutive answers that announced more output but contained
                        * none */
    bool is_drained;   /* all output was received */
    uint32_t reported; /* the latest attempt whose end was reported */
    struct text first; /* first line of output that reports an error */
    struct text last;  /* last line that is not empty */
    char *lines[2];    /* memory of both lines, if they exist */
};

struct node_job {
    struct node_options options;
    struct arena *memory;
    struct arena *work; /* arena for one call */
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
    struct blob *trust; /* kept until the node has received it; NULL: none */
    struct text classic;
    /* result of the stages, which is reported after the baseline was written */
    enum node_end stages_end;
    struct answer_verdict verdict; /* for a run that verifies; valid while its answer is handled */
    struct text facts_said;        /* the facts that the node reported in the step `look` */
    struct node_facts facts;
    struct answer_look look;
    struct node_track *tracks; /* one per stage; at least one element */
    size_t stage;
    /* true: the node must first report how much of the bundle it has, because a piece was
     * interrupted */
    bool is_asking;
    size_t failed; /* number of stages that failed although the job continued */
    size_t failed_first;
    struct buf line; /* incomplete line of output */
    struct arena *line_memory;
    unsigned failures;    /* number of consecutive retries */
    unsigned futile;      /* number of consecutive complete answers without progress */
    bool is_release_sent; /* RELEASE was sent at least once, and its result is not known */
    unsigned hasty;       /* number of consecutive answers about a running stage that came
                           * immediately and had no output */
    uint64_t asked_ms;    /* time of the latest request for output */
    uint64_t good_ms;     /* time of the latest complete answer */
};

/* Reports an event. The caller sets the kind and its members; this adds the step and the time. */
void node_report(struct node_job *job, struct node_event event);

/* Reports that a step has begun, if that was not reported yet. */
void node_step_report(struct node_job *job);

/* Makes the job continue with this step, in the next iteration of the loop. */
void node_go(struct node_job *job, enum node_step step);

/* Retries the current step after a pause. If the job's patience has expired, ends the job. */
void node_again(struct node_job *job, enum node_end end, struct text why, uint64_t retry_ms);

/* Ends the job. */
void node_end(struct node_job *job, enum node_end end, struct text why);

/* Called when the stages have ended and the node can have a baseline. Writes the baseline, and then
 * ends the job with the result `end`. */
void node_stages_over(struct node_job *job, enum node_end end);

/* Reports the baseline of the node, and ends the job. If the digest is empty, the node has no
 * baseline, for the reason `why`. */
void node_baseline_over(struct node_job *job, const struct answer_verdict *verdict,
                        struct text why);

/* A program to run; node_answered receives its answer. */
struct node_program {
    const char *name;
    const struct text *words;
    size_t count;
    struct blob *bytes; /* input if not NULL; shared */
    struct text head;   /* input before the bundle */
    bool has_input;     /* the program reads its input, even if it is empty */
    /* not 0: number of bytes of the current bundle to send as input, from `offset` on */
    uint64_t bundle_bytes;
    uint64_t offset;
    uint64_t deadline_ms;
    bool is_stage; /* standard output is the output of a stage, so the answer is on standard
                    * error */
};
void node_run(struct node_job *job, const struct node_program *program);

/* Handle a complete answer of the current step: node_answered an answer without a fault,
 * node_faulted an answer with a fault. */
void node_answered(struct node_job *job, const struct answer *answer);
void node_faulted(struct node_job *job, const struct answer *answer);

/* ---- stages (node_stage.c) ---- */

/* Computes the chains of all stages. */
void node_chains(struct node_job *job);

/* Decides what to do next for the current stage, and begins it. */
void node_stage_next(struct node_job *job);

/* The steps BUNDLE and STAGE: begin the step, handle an answer, and handle output. When the bundle
 * is complete, the program of BUNDLE continues with the stage. When the answer shows this, the step
 * becomes STAGE. */
void node_bundle_begin(struct node_job *job);
void node_bundle_answered(struct node_job *job, const struct answer *answer);
void node_stage_begin(struct node_job *job);
void node_stage_answered(struct node_job *job, const struct answer *answer);
void node_output(struct node_job *job, struct text piece);
void node_stage_said(struct node_job *job, struct text answer);

/* Decides what to do next for a stage with this state on the node. Pure. */
enum node_move {
    NODE_MOVE_NEXT,        /* the stage is complete */
    NODE_MOVE_START,       /* start the next attempt */
    NODE_MOVE_FOLLOW,      /* the attempt runs: follow its output */
    NODE_MOVE_WAIT,        /* an older attempt runs */
    NODE_MOVE_FAILED,      /* the stage has failed, and is not tried again */
    NODE_MOVE_INTERRUPTED, /* the stage was interrupted, and is not tried again */
};
enum node_move node_decide(const struct node_stage *stage, const char *chain,
                           const struct answer_stage *known);

#endif
