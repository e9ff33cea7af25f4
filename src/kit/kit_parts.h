#ifndef REEVE_KIT_KIT_PARTS_H
#define REEVE_KIT_KIT_PARTS_H

#include "base/limits.h"
#include "kit/kit.h"
#include "provider/tags.h"

/* names: apart_ kit_ stage_ rule_ schema_ */

/* What the files of the kit share. stage.c makes calls and lets time pass, problem.c says what is wrong, rules_*.c
 * hold the rules, a function each. */

/* ---- schema.c: the table of properties ---- */

/* What is wrong with the table itself: a sentence each. */
void schema_look(struct arena *arena, struct kit_about *about);

/* The smallest that the table takes, with `given` (absent: nothing) laid over it, as the plugin gets it. R0621: it does
 * not pass the plugin's own table. *out_own is what somebody would have written. */
MUST_CHECK bool schema_smallest(struct arena *arena, const struct wire_hello *hello,
                                const struct doc *given, struct doc *out_own, struct text *out_json,
                                struct err *err);

/* Variation i of properties that the table refuses, as JSON, and what is wrong with it; false: there are no more. */
bool schema_wrong(struct arena *arena, const struct wire_hello *hello, const struct doc *own,
                  size_t i, struct text *out_json, struct text *out_words);

/* ---- apart.c: a place of its own for machines of this computer ---- */

/* Unmount all that stands below a folder. False: something still does, and the folder must not be walked. */
bool apart_clear(const char *folder);

/* ---- stage.c: calls and time ---- */

/* What came of a call. Texts and rows live as long as the stage. */
struct kit_reply {
    struct kit_stage *stage;
    enum wire_method method;
    bool has_come;
    enum outcome outcome;
    struct provider_answer answer;
    uint64_t begun_us;
    uint64_t took_us;
};

/* A machine that is asked for. */
struct kit_machine {
    struct provider_tags tags;
    struct text name;
    struct text id; /* empty: it was not made yet */
};

enum { KIT_CLUSTERS = 3 }; /* of one rule */

struct kit_stage {
    struct arena *arena;
    const struct kit_options *options;
    const struct kit_about *about;
    struct kit_finding *findings;
    size_t now; /* the rule that is tried */
    struct kit_result *result;
    struct loop *loop;
    struct log *log;
    int log_fd;
    char *folder;
    struct text own_folder; /* the plugin's, in it */
    struct plugin_facts facts;
    struct plugin_facts hasty; /* the same, with less time for a create */
    struct hosted_patience patience;
    size_t alive;                       /* processes */
    struct provider *main;              /* whom rules ask */
    struct doc own;                     /* properties as somebody would write them */
    struct text properties;             /* and as the plugin gets them */
    struct text run;                    /* in the names of clusters: no other run has it */
    struct text clusters[KIT_CLUSTERS]; /* of this rule */
    size_t cluster_count;
    struct buf used; /* clusters of earlier rules that may have left something, a line each */
    uint64_t machine_count;
    uint64_t luck;
    uint64_t longest_us[WIRE_METHOD_COUNT]; /* that a call has taken */
    unsigned unanswered;
    unsigned in_vain; /* times that something was waited for, and did not come */
};

MUST_CHECK bool stage_open(struct arena *arena, const struct kit_options *options,
                           const struct kit_about *about, struct kit_stage **out, struct err *err);

/* All processes end; the folder is removed. NULL is allowed. */
void stage_close(struct kit_stage *stage);

/* End the process that rules ask as a manager ends it, and have another one, told these facts, in the same folder. */
void stage_renew(struct kit_stage *stage, const struct plugin_facts *facts);

/* Let time pass; whatever comes is taken. */
void stage_pause(struct kit_stage *stage, uint64_t ms);

/* A whole number below `limit`, by the seed. */
uint64_t stage_below(struct kit_stage *stage, uint64_t limit);

/* Begin a call, and wait for its end. */
struct kit_reply *stage_ask(struct kit_stage *stage, struct provider *provider,
                            enum wire_method method, const struct wire_call *wire);
void stage_wait(struct kit_stage *stage, struct kit_reply *reply);

/* Kill the process with everything in it, at some moment of a call that has begun, and let the pause after that go by.
 * What came of the call stands in its reply. */
void stage_kill_during(struct kit_stage *stage, struct kit_reply *reply);

/* A cluster of this rule. A machine of it that nobody has asked for yet, and the call that asks. */
struct text stage_cluster(struct kit_stage *stage);
struct kit_machine *stage_machine(struct kit_stage *stage, struct text cluster);
struct wire_call stage_request(struct kit_stage *stage, const struct kit_machine *machine);

/* The call about a machine. */
struct wire_call stage_about(const struct kit_machine *machine);

/* ---- problem.c: what is wrong ---- */

/* The rule is broken, in these words; the first ones stay. Always returns false. */
bool stage_broken(struct kit_stage *stage, const char *format, ...) PRINTF_LIKE(2, 3);

/* It cannot be tried, for this reason. */
void stage_not_tried(struct kit_stage *stage, const char *why);

/* Is it worth going on? Not where the plugin lets one call after another hang. */
bool stage_is_over(const struct kit_stage *stage);

/* Make a call, again where the provider asks for that. False: it did not go well, told. */
bool stage_call(struct kit_stage *stage, struct provider *provider, enum wire_method method,
                const struct wire_call *wire, struct kit_reply **out);

/* ---- the same for machines; false: it did not go well, told ---- */

/* Make it; its id is kept, or must be the one it has already. */
bool stage_make(struct kit_stage *stage, struct provider *provider, struct kit_machine *machine);
bool stage_destroy(struct kit_stage *stage, struct text cluster, struct text id);

/* A whole listing, without doubles, once the plugin gives one. */
bool stage_list(struct kit_stage *stage, struct text cluster, struct kit_reply **out);

/* One machine by its id; *out NULL: it is not there. */
bool stage_find(struct kit_stage *stage, struct text cluster, struct text id,
                const struct provider_row **out);

/* The row of an id; NULL: there is none. */
const struct provider_row *stage_row(const struct kit_reply *reply, struct text id);

/* A listing has the machine, and so many in all, within the lag that is declared; `before` says what was done. More
 * machines of one token than one is said as that. */
bool stage_see(struct kit_stage *stage, const struct kit_machine *machine, size_t count,
               const char *before);

/* It goes, from the listing and by its id, as fast as a manager waits for it. */
bool stage_see_gone(struct kit_stage *stage, const struct kit_machine *machine);

/* ---- rules_*.c ---- */

/* Each tries one rule with machines of its own clusters: says what is broken, or nothing. */
typedef void kit_rule(struct kit_stage *stage);

kit_rule rule_table;
kit_rule rule_takes;
kit_rule rule_refuses;
kit_rule rule_same_token;
kit_rule rule_same_token_at_once;
kit_rule rule_tokens_differ;
kit_rule rule_listed;
kit_rule rule_tags;
kit_rule rule_runs;
kit_rule rule_listing_whole;
kit_rule rule_id_stays;
kit_rule rule_mark;
kit_rule rule_strangers;
kit_rule rule_label;
kit_rule rule_reboot;
kit_rule rule_goes;
kit_rule rule_destroy_twice;
kit_rule rule_destroy_one;
kit_rule rule_other_cluster;
kit_rule rule_unknown_ids;
kit_rule rule_killed_create;
kit_rule rule_killed_destroy;
kit_rule rule_killed_describe;
kit_rule rule_killed_validate;
kit_rule rule_killed_label;
kit_rule rule_killed_reboot;
kit_rule rule_cut_off;
kit_rule rule_given_up;
kit_rule rule_growth;
kit_rule rule_leftovers;

#endif
