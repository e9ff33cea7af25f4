#ifndef REEVE_TESTS_UNIT_ENGINE_LAB_H
#define REEVE_TESTS_UNIT_ENGINE_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "reconcile/control.h"
#include "service/service_change.h"
#include "service/service_command.h"
#include "service/service_read.h"
#include "provider/sim.h"
#include "store/memory.h"

/* The controller on a memory store and a simulated cloud, on a clock that jumps from one event to
 * the next. */

enum { RING = 4096, MINUTE = 60 * 1000 };

#define SIM "resourcePlugin: {name: sim}"

struct lab {
    struct arena *arena;
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct sim_cloud *cloud;
    struct provider *provider;
    struct sim_cloud *other_cloud; /* of the plugin "other"; NULL: there is none (other_begin) */
    struct provider *other;
    bool other_fails;
    struct control *control;
    uint64_t now_ms;
    int64_t wall_ahead_ms; /* somebody has set the clock that people see */
    bool is_dry;           /* managers begin that only decide and report */
    bool is_elsewhere;     /* managers begin on a machine whose clock nobody knows */
    uint64_t luck;
    unsigned ids;
    unsigned lives;
    size_t passes;
    size_t holds; /* that passes have told of, in all */
    enum control_end last_end;
    size_t ends[CONTROL_END_DAMAGED + 1]; /* passes that ended so */
    uint64_t last_pass_ms;
    size_t decided; /* passes that decided; the others found what the pass before them had found */
    char cluster[80];
    enum provider_fault fault; /* with which creates are refused */
    unsigned refusals;         /* so many of them */
    unsigned unknowns;         /* so many creates have no effect and no answer */
    uint64_t age_ms;           /* of the record, in the last call that destroyed a machine */
    bool is_failing;           /* so is everything that is asked */
    uint64_t limited_until_ms; /* listings are refused until then, with the delay until then */
    bool is_keeping;           /* so is every end of a machine */
    bool is_shared;            /* the store, with other managers */
    unsigned asked;            /* of creates */
    unsigned asked_in_all;
    uint64_t answer_ms; /* that a create takes */
    uint64_t list_ms;   /* that a listing takes */
    unsigned lists;
    bool finds_lie; /* who is asked by its id says the opposite */
    unsigned finds;
    bool has_addresses;         /* machines have one */
    enum control_probed probed; /* what every probe finds, and what it says */
    const char *probe_argv;
    unsigned cut; /* machines of slots below this one are unreachable, whatever probes find */
    /* A probe of such a machine is answered when its timeout is over, and not at once. */
    bool is_cut_slow;
    const char *ill_zone; /* probes of machines in it fail; NULL: none */
    const char *ill_node; /* and those of this one */
    uint32_t guards_off;  /* of the next life, where the test has the switches of guards */
    struct lab_probe {
        bool is_cut;
        bool is_ill;
        uint64_t due_ms; /* when it is answered */
        control_probe_done *done;
        void *arg;
    } probes[16]; /* under way */
    size_t probe_count;
    char probe_last[160];     /* what the newest of them is */
    unsigned probes_in_all;   /* that were begun */
    size_t (*answered)(void); /* answers calls of a test's own driver; NULL: there is none */
    uint64_t volumes_keep_ms; /* 0: as long as in production; of the next life */
    const char *missing;      /* why a plugin is not here */
    bool fetches;             /* plugins are fetched by this manager, from its next life on */
    char waits[80]; /* digest of bytes that were fetched and wait for an approval; empty: none do */
    unsigned wants; /* how often a pass said where a plugin comes from */
    bool logs_in;   /* machines have keys that let reeve in, from its next life on */
    const char *keys;               /* what they are; NULL: they are being made */
    const struct nodes_port *nodes; /* NULL: nothing of them is bootstrapped */
    unsigned damages;               /* in the store, that were told of */
    enum code damaged;              /* as the last one was */
};

extern struct lab lab;

int setup(void **state);
int setup_metal(void **state);
int setup_nodes(void **state); /* machines with addresses */
int setup_nodes_metal(
    void **state); /* such that no machine of them may be replaced by another one */
int setup_slow(void **state);
int setup_ended(void **state); /* machines that run 12 s after they were made */
int teardown(void **state);

/* A second plugin is here from now on, "other", with a cloud of its own. */
void other_begin(void);

/* One turn of everything but the controller. */
void turn(void);

/* A manager begins; the manager dies, and another one goes on from what is committed. */
void life_begin(void);
void life_anew(void);

/* Copy the store, and put the copy in its place, as a restore does (with another incarnation), or
 * as it is when files are put back by hand. The manager starts anew. */
struct store *store_save(void);
void store_put_back(struct store *saved, bool is_restore);

/* Let time go by, as fast as nothing happens. */
void pass_time(uint64_t ms);

/* The same on a busy machine: every turn takes 50 ms, and the store has its turn in every eighth
 * only. */
void pass_time_busily(uint64_t ms);

void change_do(const char *yaml, enum change_mode mode);

/* The same, with batch flags; NULL: none. */
struct service_batching;
void change_batched(const char *yaml, enum change_mode mode,
                    const struct service_batching *batching);
void apply(const char *yaml);
void apply_web(unsigned size); /* cluster shop, group web */

/* Say a word of cluster shop, or of a node of it; false: it is refused. */
bool say(enum service_command word, const char *node);

/* Answer a hold of cluster shop, or of one of its groups ("shop/web"). */
bool hold_answer(enum service_command word, const char *subject, enum plan_rule rule);

/* The holds that stand. */
size_t holds_count(void);

/* What there is: machines that run, any of them, records of machines in the store. */
size_t running(void);
struct sim_machine *any_machine(void);
size_t records(void);

/* How often people were told this of the cluster. */
size_t events_of(const char *type);

#endif
