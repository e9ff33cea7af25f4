#ifndef REEVE_SURVIVAL_SURVIVAL_H
#define REEVE_SURVIVAL_SURVIVAL_H

#include "base/text.h"

/* public names start with: survival_ */

/* Level D: a store of a new generation from one surviving member, when every other member is
 * proven dead (docs/spec/MANAGERS.md section 9).
 *
 * Normal case: the store has no quorum for 20 s; every other member is among the managers that
 * answer, or is proven dead; each manager that answers promises the next generation to the one with
 * the newest data; this candidate rebuilds the store from its own member; the others join it.
 *
 * Failure modes: the network is cut (the others are alive, so there is no proof, and the level
 * remains E); a manager is killed at any step (each step is in the durable state before it is
 * done); a manager that was believed dead returns (it does not vote before it knows that no newer
 * generation exists).
 *
 * All functions are pure. The caller collects the view, writes the durable state and syncs it
 * before it acts, and calls again. */

enum {
    SURVIVAL_MANAGERS_MAX = 64,
    SURVIVAL_ID_BYTES = 64, /* ids of managers and boot ids, with the NUL */
};

/* The installation's setting `survive`. */
enum survival_mode {
    SURVIVAL_MODE_AUTO,
    SURVIVAL_MODE_MANUAL, /* only by the verb `manager survive` */
    SURVIVAL_MODE_NEVER,  /* no new generation begins, so a majority always serves at once */
    SURVIVAL_MODE_COUNT,
};

/* What a candidate has begun. Each phase is durable before its act begins. */
enum survival_phase {
    SURVIVAL_PHASE_IDLE,
    SURVIVAL_PHASE_REBUILD, /* the member replays its log, is put aside and rebuilt */
    SURVIVAL_PHASE_HEAD,    /* the rebuilt member runs; the new head of the store is written */
    SURVIVAL_PHASE_COUNT,
};

/* The durable state of a manager: the file survive.json in its data folder. */
struct survival_state {
    uint64_t generation;               /* of the store that its member belongs to */
    uint64_t promised;                 /* the newest generation that it promised; 0: none */
    char candidate[SURVIVAL_ID_BYTES]; /* the manager to which it promised */
    enum survival_phase phase;         /* beyond IDLE only at the candidate */
    uint64_t lost_revision;            /* newest revision that a survivor saw acknowledged */
    char boot[SURVIVAL_ID_BYTES];      /* boot of the host in which it may vote */
    bool had_peers;                    /* the store has ever had another manager */
    enum survival_mode mode;
};

/* ---- proof of death ---- */

/* How the death of a member is proven. */
enum survival_proof_kind {
    SURVIVAL_PROOF_NONE,
    SURVIVAL_PROOF_PROVIDER, /* its provider, or its BMC */
    SURVIVAL_PROOF_OPERATOR, /* an operator typed its name */
    SURVIVAL_PROOF_COUNT,
};

/* What a provider answered about the machine of a member. */
enum survival_answer {
    SURVIVAL_ANSWER_NONE, /* no answer in time, an error, or an answer about another id */
    SURVIVAL_ANSWER_RUNNING,
    SURVIVAL_ANSWER_STOPPED,
    SURVIVAL_ANSWER_STOP_DONE, /* our stop was acknowledged */
    SURVIVAL_ANSWER_LABELLED,  /* the label reeve.fenced of a new generation was written */
};

/* The next question to the provider of a member. */
enum survival_question {
    SURVIVAL_QUESTION_NONE, /* not yet, or nothing is left to ask */
    SURVIVAL_QUESTION_DESCRIBE,
    SURVIVAL_QUESTION_STOP,
    SURVIVAL_QUESTION_LABEL,
};

/* The evidence about one member, in memory. The caller clears it while the store answers, so that
 * it always belongs to one loss of the store, and a label to its generation. The label that is
 * written is one above the generation of the manager that collects the evidence; a label is never
 * lowered. */
struct survival_proof {
    uint64_t stopped_ms;  /* first of the reports "not running" that followed each other; 0: none */
    uint64_t latest_ms;   /* latest report "not running" */
    uint64_t stop_ms;     /* time of the acknowledged stop; 0: none */
    uint64_t proven_ms;   /* time of the latest report that completes the proof; 0: no proof */
    uint64_t running_ms;  /* latest report "running"; 0: none */
    uint64_t label_ms;    /* time at which the label was written; 0: it was not */
    uint64_t operator_ms; /* time at which an operator typed its name; 0: none */
    bool has_labels;      /* its provider can label machines: a proof needs the label */
};

/* Takes over an answer of the provider. A report of a running machine begins the proof anew; a
 * missing answer changes nothing, and the proof ends by its age. */
void survival_proof_answer(struct survival_proof *proof, enum survival_answer answer,
                           uint64_t now_ms);

/* Returns the next question. A machine is stopped only after two reports, 5 s apart, that it does
 * not run, so one wrong report stops nothing. The label is written before the last report, so a
 * machine that boots after that report finds it. */
enum survival_question survival_proof_next(const struct survival_proof *proof, uint64_t now_ms);

/* Returns the kind of a proof that is valid now. `read_ms` is that of the view: a provider has to
 * report the machine as stopped within 50 s of it, because later the other members may have removed
 * this one and added members that it does not know. A report "running" of the last 30 s contradicts
 * an operator too. */
enum survival_proof_kind survival_proof_kind(const struct survival_proof *proof, uint64_t read_ms,
                                             uint64_t now_ms);

/* ---- the decision ---- */

/* A manager that this one knows, including itself. */
struct survival_manager {
    struct text id;
    /* The next three are of the newest state of the store that a manager which answers has read. */
    bool has_member;
    bool may_have_member; /* it has one, or was live then: it may have got one since */
    bool is_learner;
    bool is_self;

    /* its answer to the roll call of the last 3 s */
    bool is_answering;
    bool is_static;  /* it has no linearizable answer of the store */
    bool is_cleared; /* it may vote: see `boot` of the state */
    uint64_t generation;
    uint64_t term;     /* of its member */
    uint64_t index;    /* of its member: the applied index */
    uint64_t revision; /* newest revision that it saw acknowledged */
    uint64_t promised;
    struct text promised_to;
    bool has_begun; /* it is a candidate beyond IDLE */

    /* evidence of any manager that answers: it was in contact with this member in the last 10 s */
    bool is_in_contact;
    struct survival_proof proof;
};

/* What a manager knows now. */
struct survival_view {
    const struct survival_manager *managers;
    size_t count;
    uint64_t now_ms;
    uint64_t static_since_ms; /* level C without a gap since then; 0: the store answers */
    /* Time of the newest linearizable answer that a manager which answers has had. */
    uint64_t read_ms;
    struct text boot;  /* boot id of this host */
    uint64_t label;    /* the generation in the label reeve.fenced of this machine */
    bool has_label;    /* the provider has answered whether the machine has the label */
    bool is_commanded; /* `manager survive`: without the wait of 20 s, also with manual */
    bool is_alone;     /* `manager survive --alone`: no newer generation exists */
#ifdef REEVE_GUARD_SWITCHES
    uint32_t checks_off; /* bits by enum survival_check; only in tests */
#endif
};

/* The checks that keep two stores from being writable. Their test switches each one off, and has to
 * notice it. */
enum survival_check {
    SURVIVAL_CHECK_NONE,
    SURVIVAL_CHECK_PROOF,   /* every member that does not answer is proven dead */
    SURVIVAL_CHECK_CONTACT, /* contact of any manager contradicts a proof */
    SURVIVAL_CHECK_PROMISE, /* one promise for each generation */
    SURVIVAL_CHECK_ALL,     /* all survivors promise before the candidate begins */
    SURVIVAL_CHECK_STATIC,  /* no manager that answers reaches the store */
    SURVIVAL_CHECK_RETURN,  /* a manager that returns does not vote before it is cleared */
    SURVIVAL_CHECK_HIGHER,  /* a candidate gives up when a newer generation was promised */
    SURVIVAL_CHECK_AGE,     /* a proof is younger than 30 s */
    SURVIVAL_CHECK_BEGUN,   /* a candidate that has begun promises nothing */
    SURVIVAL_CHECK_WINDOW,  /* the others were dead before they could change the members */
    SURVIVAL_CHECK_COUNT,
};

enum survival_act {
    SURVIVAL_ACT_NONE,    /* the store answers, or nothing can be done: see `reason` */
    SURVIVAL_ACT_CLEAR,   /* write the state; then the member may vote */
    SURVIVAL_ACT_PROVE,   /* collect evidence about all managers that do not answer; `about` is the
                           * first one without a proof */
    SURVIVAL_ACT_PROMISE, /* write the state: this manager is the candidate */
    SURVIVAL_ACT_ASK,     /* request the promise of the manager `about` */
    SURVIVAL_ACT_REBUILD, /* write the state; replay, put aside and rebuild the member */
    SURVIVAL_ACT_HEAD,    /* write the new head of the store, then call survival_opened */
    SURVIVAL_ACT_JOIN,    /* write the state; put the member aside and join the manager `about` */
    SURVIVAL_ACT_COUNT,
};

/* Service levels of section 9. */
enum survival_level {
    SURVIVAL_LEVEL_SERVES, /* A or B: the members show which */
    SURVIVAL_LEVEL_C,
    SURVIVAL_LEVEL_D,
    SURVIVAL_LEVEL_E,
    SURVIVAL_LEVEL_COUNT,
};

struct survival_step {
    enum survival_act act;
    enum survival_level level;
    size_t about;               /* index of a manager; SIZE_MAX: none */
    const char *reason;         /* constant text for people */
    uint64_t generation;        /* with ASK: the generation to promise */
    struct survival_state next; /* the state to write before the act */
};

/* Returns the next step of this manager. */
struct survival_step survival_decide(const struct survival_state *state,
                                     const struct survival_view *view);

/* Decides about the request of a candidate for a promise of this manager. On success, *next is the
 * state that must be written before the answer. On failure, *reason says why. */
MUST_CHECK bool survival_promise(const struct survival_state *state,
                                 const struct survival_view *view, struct text candidate,
                                 uint64_t generation, struct survival_state *next,
                                 const char **reason);

/* Returns the state of a candidate after its rebuilt member runs, and after the head of the new
 * store was written. */
struct survival_state survival_rebuilt(const struct survival_state *state);
struct survival_state survival_opened(const struct survival_state *state);

/* Returns the state of a manager that has joined a store of this generation. */
struct survival_state survival_joined(const struct survival_state *state, uint64_t generation,
                                      struct text boot);

/* True if the member of this manager may vote, and the manager may serve writes. */
bool survival_is_cleared(const struct survival_state *state, struct text boot);

#endif
