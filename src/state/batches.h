#ifndef REEVE_STATE_BATCHES_H
#define REEVE_STATE_BATCHES_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "bootstrap/batches.h"
#include "state/cache.h"

/* public names start with: batches_ BATCHES_ */

/* A request to run stages of many machines again, in batches (decision 0107):
 * /TENANT/Batches/CLUSTER/NAME/base, canonical JSON, written once. Its revision is the number of
 * the job that executes it; the job's row (kind Job) has the progress. Operator commands about the
 * job are in /spec of the same object: {"cancelled":{at,by,why},"paused":{at,by,why}}. For a
 * decommission, {"refused":{TOKEN:why}} in the same value has the machines that may not leave. The
 * object is deleted when the job ends. */
#define BATCHES_KIND "Batches"

/* The field of a job's row that marks it as a batch job, and its value. */
#define BATCHES_VERB         "verb"
#define BATCHES_BOOTSTRAP    "bootstrap"
#define BATCHES_ROLLOUT      "rollout"
#define BATCHES_VERIFY       "verify"
#define BATCHES_CORRECT      "correct"
#define BATCHES_DRAIN        "drain"
#define BATCHES_UNDRAIN      "undrain"
#define BATCHES_COMMISSION   "commission"
#define BATCHES_DECOMMISSION "decommission"

/* The operation that a batch job performs on each of its machines. */
enum batches_verb {
    BATCHES_VERB_BOOTSTRAP, /* runs stages again; with a chain it is a rollout */
    BATCHES_VERB_VERIFY,    /* compares the files of the node with its baseline */
    /* Runs the stages of drifted nodes again, and verifies the nodes. */
    BATCHES_VERB_CORRECT,
    BATCHES_VERB_DRAIN,   /* takes nodes out of service and runs their hooks `drain` */
    BATCHES_VERB_UNDRAIN, /* takes nodes back into service and runs their hooks `undrain` */
    /* Runs the stages of machines that an operator has commissioned. The stages do not start before
     * that request. */
    BATCHES_VERB_COMMISSION,
    /* Removes machines from their groups; each batch makes the groups smaller. */
    BATCHES_VERB_DECOMMISSION,
    BATCHES_VERB_COUNT,
};

struct batches {
    enum batches_verb verb;
    bool is_hook;  /* for verify and correct: the hooks of the stages also run */
    bool is_deep;  /* for verify and correct: the playbook also runs in check mode */
    int64_t at_ms; /* time of the request by the wall clock, in ms */
    struct text by;
    struct text why;
    /* Run only the stages again that did not succeed. If false, all stages from `from` on run. */
    bool is_failed;
    struct doc from;           /* a map from a group to the index of its first stage to run */
    const struct text *tokens; /* machines, in the order in which they begin */
    size_t count;
    const uint32_t *ends; /* for each batch, the index after its last machine */
    size_t batch_count;
    size_t canaries; /* number of canary batches */
    size_t max_fail; /* number of failed machines after which the job stops; 0: unlimited */
    uint64_t pause_ms;
    uint64_t bake_ms;
    /* Time limit for the job, in ms after the request. 0: none. */
    uint64_t deadline_ms;

    /* For a rollout of changed stages, which the reconciler creates (members/rollouts.h): the group
     * and the desired stage digest chain. Both are empty for `reeve bootstrap run`. A correction
     * has a group but no chain. */
    struct text group;
    struct text chain;
    /* For a rollout: a map from the token of a machine to its desired chain, if variables of the
     * machine make that chain differ from `chain`. Absent: no chain differs. */
    struct doc chains;
};

/* batches_chain returns the desired stage digest chain of a machine in the rollout.
 * batches_is_rollout returns whether the job is a rollout. */
struct text batches_chain(const struct batches *batches, struct text token);

bool batches_is_rollout(const struct batches *batches);

/* True if the policy of the group limits how many members the job may take out of service at the
 * same time. */
bool batches_keeps_service(const struct batches *batches);

/* True if the job only takes its nodes out of service or back into service, and runs no stages. */
bool batches_is_drain(const struct batches *batches);

/* Find the verb with this name. False: there is none. */
MUST_CHECK bool batches_verb_find(struct text name, enum batches_verb *out);

/* Return the verb for display: BATCHES_BOOTSTRAP, BATCHES_ROLLOUT, ... */
const char *batches_verb_name(const struct batches *batches);

/* Format the value. */
struct text batches_format(struct arena *arena, const struct batches *batches);

/* Return the reason why a decommission may not remove this machine, from the operator commands
 * about the job; empty: the machine may leave. */
struct text batches_refusal(const struct doc *commands, struct text token);

/* Parse the value. Texts live in the arena or in the bytes. Fails with R0755 if the bytes are
 * invalid. */
MUST_CHECK bool batches_parse(struct arena *arena, struct text bytes, struct batches *out,
                              struct err *err);

/* Sets *out to the stage from which all stages of a machine in this group run again; with is_failed
 * to the first stage. Returns false if the request does not contain the group. */
bool batches_from(const struct batches *batches, struct text group, uint64_t *out);

/* The character in `approved` for a machine without an approved failure. Every other character is
 * the mark (enum bootstrap_mark) that was approved. */
enum { BATCHES_UNAPPROVED = '-' };

/* The progress of the job, in its row. member_batches.c derives the fields for display from it. */
struct batches_progress {
    struct text request; /* name of the request in the store */
    /* Marks of all machines (bootstrap/batches.h). Empty: the request could not be parsed. */
    struct text marks;
    uint64_t rest_ms;     /* end of the pause, by the cluster's clock; all times here are in ms */
    uint64_t deadline_ms; /* point in time by the cluster's clock; 0: none */
    /* When the progress was written. The cluster's clock must not be set to an earlier time. */
    uint64_t seen_ms;
    enum bootstrap_cut cut;
    bool is_over;
    /* For a rollout: the newest executed `rollout resume` command; empty: none. */
    struct text resumed;
    /* For a rollout: for each machine the failure that an operator has approved; empty: none. */
    struct text approved;
};

void batches_progress_put(struct doc_builder *builder, const struct batches_progress *progress);
MUST_CHECK bool batches_progress_read(const struct doc *row, struct batches_progress *out);

/* Return the stored and displayed name of the reason why a job was stopped. */
const char *batches_cut_word(enum bootstrap_cut cut);

/* Return the reason why a job was stopped, as a sentence for events: "a canary has failed". */
const char *batches_cut_sentence(enum bootstrap_cut cut);

/* Return the beginning of the sentence with the result of a job, such as "out of service are"; the
 * machines follow. */
const char *batches_done_sentence(const struct batches *batches);

/* Find the completed batch jobs of a cluster, oldest first. `prefix` is the key prefix of the rows
 * of its jobs. The result has, for each job, the part of its key after the prefix. */
struct text *batches_over_find(struct arena *arena, const struct cache *cache, struct text prefix,
                               size_t *out_count);

/* Puts names of machines into the row of a job of any kind: as ranges in the member `what`Nodes,
 * and the number of further machines in `what`More. Sorts `names`; writes nothing if there are no
 * names. --failed-of reads the failed machines from these members, even after the job has ended
 * (select_change.c). */
void batches_names_put(struct doc_builder *builder, const char *what, struct text *names,
                       size_t count, size_t more);

#endif
