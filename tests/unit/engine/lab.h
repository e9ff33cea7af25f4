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

/* The controller with a store in memory and a simulated cloud, on a clock that jumps from event to
 * event. */

enum { RING = 4096, MINUTE = 60 * 1000 };

#define SIM "resourcePlugin: {name: sim}"

struct lab {
    struct arena *arena;
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct sim_cloud *cloud;
    struct provider *provider;
    /* cloud of the plugin "other"; NULL: there is none (other_begin) */
    struct sim_cloud *other_cloud;
    struct provider *other;
    bool other_fails;
    struct control *control;
    uint64_t now_ms;
    int64_t wall_ahead_ms; /* offset by which the wall clock was changed */
    bool is_dry;           /* new managers only decide and report */
    /* new managers run on a machine whose clock is unrelated to that of earlier managers */
    bool is_elsewhere;
    uint64_t luck;
    unsigned ids;
    unsigned lives;
    size_t passes;
    size_t holds; /* total number of holds that passes have reported */
    enum control_end last_end;
    size_t ends[CONTROL_END_DAMAGED + 1]; /* number of passes by their end */
    uint64_t last_pass_ms;
    size_t decided; /* number of passes that made a decision; the others found an unchanged state */
    char cluster[80];
    enum provider_fault fault; /* fault with which creates are refused */
    unsigned refusals;         /* number of creates that are refused with `fault` */
    unsigned unknowns;         /* number of creates that have no effect and no answer */
    uint64_t age_ms;           /* age of the record in the last destroy call */
    bool is_failing;           /* all calls are refused */
    /* listings are refused until this time, with the delay until this time */
    uint64_t limited_until_ms;
    bool is_keeping; /* destroy calls are refused */
    bool is_shared;  /* the store is shared with other managers */
    unsigned asked;  /* number of create calls */
    unsigned asked_in_all;
    uint64_t answer_ms; /* duration of a create */
    uint64_t list_ms;   /* duration of a listing */
    unsigned lists;
    bool finds_lie; /* lookups by id return the opposite of the truth */
    unsigned finds;
    bool has_addresses;         /* machines have an address */
    enum control_probed probed; /* result and text of every probe */
    const char *probe_argv;
    unsigned cut; /* machines of slots below this one are unreachable, regardless of `probed` */
    /* Probes of these machines are answered at their timeout, and not immediately. */
    bool is_cut_slow;
    const char *ill_zone; /* probes of machines in this zone fail; NULL: none */
    const char *ill_node; /* probes of this node fail too */
    /* switched-off guards of the next manager, in tests that are built with these switches */
    uint32_t guards_off;
    struct lab_probe {
        bool is_cut;
        bool is_ill;
        uint64_t due_ms; /* time at which the probe is answered */
        control_probe_done *done;
        void *arg;
    } probes[16]; /* probes in progress */
    size_t probe_count;
    char probe_last[160];   /* description of the newest probe */
    unsigned probes_in_all; /* total number of started probes */
    /* answers calls of a driver that the test provides; NULL: there is none */
    size_t (*answered)(void);
    uint64_t volumes_keep_ms; /* how long the next manager keeps volumes; 0: as in production */
    const char *missing;      /* reason why a plugin is missing */
    bool fetches;             /* the next managers fetch plugins */
    char waits[80];           /* digest of fetched bytes that wait for an approval; empty: none */
    unsigned wants;           /* number of passes that reported the source of a plugin */
    bool logs_in;     /* for the next managers, machines have keys with which reeve can log in */
    const char *keys; /* these keys; NULL: they are not ready yet */
    const struct nodes_port *nodes; /* NULL: nodes are not bootstrapped */
    unsigned damages;               /* number of reported damages of the store */
    enum code damaged;              /* code of the last reported damage */
};

extern struct lab lab;

int setup(void **state);
int setup_metal(void **state);
int setup_nodes(void **state);       /* set up machines with addresses */
int setup_nodes_metal(void **state); /* set up bare-metal machines, which may not be replaced */
int setup_slow(void **state);
int setup_ended(void **state); /* set up machines that run 12 s after their creation */
int teardown(void **state);

/* Adds a second plugin, "other", with a separate cloud. */
void other_begin(void);

/* Runs one iteration of everything except the controller. */
void turn(void);

/* life_begin starts a manager. life_anew ends the manager and starts another one, which continues
 * from the committed state. */
void life_begin(void);
void life_anew(void);

/* store_save copies the store. store_put_back replaces the store by the copy, as a restore with a
 * new incarnation, or as when files are put back by hand. The manager is restarted. */
struct store *store_save(void);
void store_put_back(struct store *saved, bool is_restore);

/* Lets time pass; the clock jumps from event to event. */
void pass_time(uint64_t ms);

/* Same as pass_time, on a busy computer: every iteration takes 50 ms, and the store runs only in
 * every eighth iteration. */
void pass_time_busily(uint64_t ms);

void change_do(const char *yaml, enum change_mode mode);

/* Same as `change`, with batch flags; NULL: none. */
struct service_batching;
void change_batched(const char *yaml, enum change_mode mode,
                    const struct service_batching *batching);
void apply(const char *yaml);
void apply_web(unsigned size); /* apply cluster shop with group web */

/* Sends an operator command about cluster shop, or about one of its nodes. Returns false if it is
 * refused. */
bool say(enum service_command word, const char *node);

/* Approves or rejects a hold of cluster shop, or of one of its groups ("shop/web"). */
bool hold_answer(enum service_command word, const char *subject, enum plan_rule rule);

/* Returns the number of holds. */
size_t holds_count(void);

/* Return the number of running machines, any running machine, and the number of machine records in
 * the store. */
size_t running(void);
struct sim_machine *any_machine(void);
size_t records(void);

/* Returns the number of events of this type of the cluster. */
size_t events_of(const char *type);

#endif
