#ifndef REEVE_CONFORMANCE_CONFORMANCE_PARTS_H
#define REEVE_CONFORMANCE_CONFORMANCE_PARTS_H

#include "base/limits.h"
#include "conformance/conformance.h"
#include "provider/tags.h"

/* private to src/conformance */
/* public names start with: apart_ conformance_ stage_ rule_ schema_ */

/* Internals of the suite. stage.c makes calls and waits; rules_*.c have one function per rule. */

/* ---- schema.c: the table of properties ---- */

/* Finds faults of the table itself, one sentence each. */
void schema_look(struct arena *arena, struct conformance_about *about);

/* Returns the smallest valid properties overridden by `given` (absent: none), as JSON for the
 * plugin; *out_own has the same properties as a user would write them. Fails with R0621 if they
 * violate the plugin's own table. */
MUST_CHECK bool schema_smallest(struct arena *arena, const struct wire_hello *hello,
                                const struct doc *given, struct doc *out_own, struct text *out_json,
                                struct err *err);

/* Gets variation `i` of invalid properties, as JSON, and a description of the fault. Returns false
 * if there is no such variation. */
bool schema_wrong(struct arena *arena, const struct wire_hello *hello, const struct doc *own,
                  size_t i, struct text *out_json, struct text *out_words);

/* ---- apart.c: isolation of machines on this computer ---- */

/* Unmounts everything below a folder. Returns false if a mount remains; the folder must not be
 * walked then. */
bool apart_clear(const char *folder);

/* ---- stage.c: calls and time ---- */

/* Result of a call. Texts and rows live as long as the stage. */
struct conformance_reply {
    struct conformance_stage *stage;
    enum wire_method method;
    struct text token; /* token of a create; otherwise empty */
    bool has_come;
    enum outcome outcome;
    struct provider_answer answer;
    uint64_t begun_us;
    uint64_t took_us;
};

/* A machine to create. */
struct conformance_machine {
    struct provider_tags tags;
    struct text name;
    struct text id; /* empty: not created yet */
    struct conformance_machine *next;
    uint64_t begun_us; /* time at which a manager would have recorded the machine */
    bool is_destroyed; /* destroy was called for it */
    /* A create ended without an answer, and the provider does not compare tokens. So the suite
     * waits before it repeats the call, as a manager does (guard G26). */
    bool is_in_doubt;
};

enum { CONFORMANCE_CLUSTERS = 3 }; /* clusters per rule */

struct conformance_stage {
    struct arena *arena;
    const struct conformance_options *options;
    const struct conformance_about *about;
    struct conformance_finding *findings;
    size_t now; /* index of the current rule */
    struct conformance_result *result;
    struct loop *loop;
    struct log *log;
    int log_fd;
    char *folder;
    struct text own_folder; /* folder of the plugin, in the scratch folder */
    struct plugin_facts facts;
    struct plugin_facts hasty; /* facts of the plugin, with a shorter create deadline */
    struct hosted_patience patience;
    size_t alive;                               /* running processes */
    struct provider *main;                      /* the provider that rules use */
    struct doc own;                             /* properties as a user would write them */
    struct text properties;                     /* properties in the form that the plugin
                                                 * receives */
    struct text run;                            /* unique part of this run's cluster names */
    struct text clusters[CONFORMANCE_CLUSTERS]; /* clusters of this rule */
    size_t cluster_count;
    struct conformance_machine *machines; /* machines of all rules, the newest first */
    /* token bucket of the rate limit: calls that may be made now, in millionths of a call */
    uint64_t bucket;
    uint64_t filled_us;
    struct buf later; /* clusters that are listed again at the end, one per line */
    struct buf used;  /* clusters of earlier rules that may have machines, one per line */
    uint64_t machine_count;
    uint64_t luck;
    uint64_t longest_us[WIRE_METHOD_COUNT]; /* longest duration per method */
    unsigned unanswered;
    unsigned in_vain; /* number of waits that ended without the expected result */
};

MUST_CHECK bool stage_open(struct arena *arena, const struct conformance_options *options,
                           const struct conformance_about *about, struct conformance_stage **out,
                           struct err *err);

/* Ends all processes and removes the folder. NULL is allowed. */
void stage_close(struct conformance_stage *stage);

/* Closes the plugin's process as a manager does, and starts another process with these facts in the
 * same folder. */
void stage_renew(struct conformance_stage *stage, const struct plugin_facts *facts);

/* Milliseconds of the monotonic clock. */
uint64_t stage_now_ms(void);

/* Waits and processes events during that time. */
void stage_pause(struct conformance_stage *stage, uint64_t ms);

/* Returns a pseudo-random number below `limit`, derived from the seed. */
uint64_t stage_below(struct conformance_stage *stage, uint64_t limit);

/* stage_ask starts a call, stage_wait waits for its end. */
struct conformance_reply *stage_ask(struct conformance_stage *stage, struct provider *provider,
                                    enum wire_method method, const struct wire_call *wire);
void stage_wait(struct conformance_stage *stage, struct conformance_reply *reply);

/* Kills the process with all its children at a random moment of an active call, and waits for the
 * restart pause. The result of the call is in its reply. */
void stage_kill_during(struct conformance_stage *stage, struct conformance_reply *reply);

/* stage_cluster returns a cluster of this rule. stage_machine returns a new machine of a cluster,
 * which was not requested yet. stage_request returns the call that creates a machine. */
struct text stage_cluster(struct conformance_stage *stage);
struct conformance_machine *stage_machine(struct conformance_stage *stage, struct text cluster);
struct wire_call stage_request(struct conformance_stage *stage,
                               const struct conformance_machine *machine);

/* stage_about returns the call about a machine; stage_about_id returns the call about an id, which
 * need not belong to a machine of the suite. */
struct wire_call stage_about(const struct conformance_machine *machine);
struct wire_call stage_about_id(const struct conformance_stage *stage, struct text cluster,
                                struct text id);

/* Returns the machine with this id in this cluster; NULL: the suite has none. */
struct conformance_machine *stage_machine_of(const struct conformance_stage *stage,
                                             struct text cluster, struct text id);

/* Milliseconds since the suite decided to create the machine. */
uint64_t stage_age_ms(const struct conformance_machine *machine);

/* Lets the plugin check whether machines like this one can be created. The result is valid as long
 * as the stage exists. */
const struct provider_preflight *stage_preflight(struct conformance_stage *stage,
                                                 const struct wire_call *wire);

/* ---- violations ---- */

/* Reports that the rule is broken; the first report counts. Always returns false. */
bool stage_broken(struct conformance_stage *stage, const char *format, ...) PRINTF_LIKE(2, 3);

/* Reports why the rule cannot be tested. */
void stage_not_tried(struct conformance_stage *stage, const char *why);

/* Returns whether to stop the test, because the plugin has left several calls unanswered. */
bool stage_is_over(const struct conformance_stage *stage);

/* Makes a call, and retries it if the provider requests that. Returns false if it failed, which is
 * reported. */
bool stage_call(struct conformance_stage *stage, struct provider *provider, enum wire_method method,
                const struct wire_call *wire, struct conformance_reply **out);

/* Makes a call like stage_call(), without a report. The last reply is returned. */
struct conformance_reply *stage_call_try(struct conformance_stage *stage, struct provider *provider,
                                         enum wire_method method, const struct wire_call *wire);

/* stage_lag_ms returns how old a listing may be, with a tolerance for busy computers.
 * stage_doubt_ms returns how long a manager waits before it repeats a create call without an
 * answer. */
uint64_t stage_lag_ms(const struct conformance_stage *stage);
uint64_t stage_doubt_ms(const struct conformance_stage *stage);

/* Records that a create of the machine ended without an answer. */
void stage_doubt(const struct conformance_stage *stage, struct conformance_machine *machine,
                 const struct conformance_reply *reply);

/* Returns whether a row shows a machine that exists and is not being destroyed. */
bool stage_is_live(const struct provider_row *row);

/* ---- machine operations; false: failed, which is reported ---- */

/* Creates the machine; its id is stored, or must equal the stored one. */
bool stage_make(struct conformance_stage *stage, struct provider *provider,
                struct conformance_machine *machine);
/* Calls create for the machine, and repeats the call only after an earlier call can no longer take
 * effect. Returns the last reply. Returns NULL if the machine appeared in a listing in the
 * meantime; its id is then stored. */
struct conformance_reply *stage_make_try(struct conformance_stage *stage, struct provider *provider,
                                         struct conformance_machine *machine,
                                         const struct wire_call *request);

/* stage_make_as creates a machine like stage_make, with a request that the caller has extended.
 * stage_destroy destroys a machine. */
bool stage_make_as(struct conformance_stage *stage, struct provider *provider,
                   struct conformance_machine *machine, const struct wire_call *request);
bool stage_destroy(struct conformance_stage *stage, struct text cluster, struct text id);

/* Lists the machines of a cluster. It retries until the plugin returns a complete list without
 * duplicates. */
bool stage_list(struct conformance_stage *stage, struct text cluster,
                struct conformance_reply **out);

/* Finds one machine by its id; *out NULL: it does not exist. */
bool stage_find(struct conformance_stage *stage, struct text cluster, struct text id,
                const struct provider_row **out);

/* Lists the cluster until the listing has the machine, for at most the time that listings may be
 * outdated. */
bool stage_list_with(struct conformance_stage *stage, const struct conformance_machine *machine,
                     struct conformance_reply **out);

/* Returns the row of an id; NULL: there is none, or it shows that the machine has ended. */
const struct provider_row *stage_row(const struct conformance_reply *reply, struct text id);

/* Waits until a listing has the machine, and `count` in total, within the declared lag. `before`
 * describes the preceding action. Two machines with one token are reported as such. */
bool stage_see(struct conformance_stage *stage, const struct conformance_machine *machine,
               size_t count, const char *before);

/* Waits until the machine has disappeared, both from the listing and from lookups by id. It waits
 * at most as long as a manager would. */
bool stage_see_gone(struct conformance_stage *stage, const struct conformance_machine *machine);

/* ---- rules_*.c ---- */

/* A rule: tests one guarantee with machines of its own clusters and reports a violation, if any. */
typedef void conformance_rule(struct conformance_stage *stage);

conformance_rule rule_table;
conformance_rule rule_takes;
conformance_rule rule_refuses;
conformance_rule rule_same_token;
conformance_rule rule_same_token_at_once;
conformance_rule rule_tokens_differ;
conformance_rule rule_listed;
conformance_rule rule_tags;
conformance_rule rule_runs;
conformance_rule rule_listing_whole;
conformance_rule rule_id_stays;
conformance_rule rule_mark;
conformance_rule rule_strangers;
conformance_rule rule_label;
conformance_rule rule_reboot;
conformance_rule rule_goes;
conformance_rule rule_destroy_twice;
conformance_rule rule_destroy_one;
conformance_rule rule_other_cluster;
conformance_rule rule_unknown_ids;
conformance_rule rule_killed_create;
conformance_rule rule_killed_destroy;
conformance_rule rule_killed_describe;
conformance_rule rule_killed_validate;
conformance_rule rule_killed_label;
conformance_rule rule_killed_reboot;
conformance_rule rule_cut_off;
conformance_rule rule_given_up;
conformance_rule rule_growth;
conformance_rule rule_young_destroy;
conformance_rule rule_gone_token;
conformance_rule rule_resources_left;
conformance_rule rule_preflight_all;
conformance_rule rule_pinned;
conformance_rule rule_leftovers;

#endif
