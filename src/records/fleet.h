#ifndef REEVE_RECORDS_FLEET_H
#define REEVE_RECORDS_FLEET_H

#include "records/fleet_index.h"
#include "records/nodes.h"
#include "state/objects.h"
#include "records/plugin_origin.h"
#include "records/record.h"
#include "records/way.h"
#include "roles/roles.h"

/* The record cache: the clusters of a store, decoded for the planner. A watch of the object cache
 * keeps it current. It contains the decoded specification of each cluster, and one packed row for
 * each machine. A change of one machine updates one row, regardless of the number of rows.
 *
 * Pointers into the cache are valid until the current callback of the event loop returns. */
struct fleet;

struct model_plugins;

/* A text inside the bytes of a record, by its offset and its length. */
struct fleet_place {
    uint16_t start;
    uint16_t length;
};

/* A packed machine. It takes half the memory of the planner's form. A store may have a million
 * machines, while a pass unpacks only those of one cluster. */
struct fleet_machine {
    struct blob *key;
    struct blob *bytes;
    uint64_t revision; /* revision of the record's key */
    uint64_t slot;
    uint64_t created_ms;
    uint64_t active_ms;
    uint64_t condemned_ms;
    uint64_t call_after_ms;
    uint64_t doubt_ms;
    uint64_t failing_since_ms;
    uint64_t failed_since_ms;
    uint64_t drifted_since_ms;
    uint64_t maintenance_since_ms;
    uint64_t unreachable_since_ms;
    uint64_t rebooted_ms;
    uint64_t reboot_begun_ms;
    uint64_t reboot_number;
    uint32_t index; /* index in the cluster's array of machines */
    uint32_t losses;
    uint32_t refusals;
    uint32_t failures;
    struct fleet_place group;
    struct fleet_place generation;
    struct fleet_place id;
    struct fleet_place labels;
    struct fleet_place zone;
    struct fleet_place plugin;
    struct fleet_place at;
    struct fleet_place life;
    struct fleet_place host_key;
    uint16_t token; /* offset of the token, which is the last part of the key */
    uint8_t state;  /* enum plan_record_state */
    uint8_t fault;  /* enum plan_fault */
    bool is_answered;
    bool is_protected;
    bool is_starting;
    /* The create call was dropped from its queue before it was sent. Only the reconciler that holds
     * the lease knows this. */
    bool is_unsent : 1;
    bool is_asked : 1; /* A create call was committed, and its outcome is not recorded yet. */
    bool is_evicted : 1;
    bool is_damaged : 1; /* The record cannot be parsed. */
    bool is_alarmed : 1; /* the machine presented a host key that differs from the recorded one */
    bool is_outdated : 1;
    bool is_blocked : 1; /* work on the machine's node is blocked */
    bool is_boot_known : 1;
    bool is_reboot_answered : 1;
    bool is_reboot_late : 1;
    bool is_reboot_served : 1;
    /* The reboot call was dropped from its queue before it was sent. Like is_unsent, only the
     * reconciler that holds the lease knows this. */
    bool is_reboot_unsent : 1;
};

/* Return texts of the machine: its token (from the key), and from its record the group, the plugin,
 * the manager to whose host it belongs, the incarnation of the store that requested it, and the
 * expected host key. */
struct text fleet_machine_token(const struct fleet_machine *machine);
struct text fleet_machine_group(const struct fleet_machine *machine);
struct text fleet_machine_plugin(const struct fleet_machine *machine);
struct text fleet_machine_at(const struct fleet_machine *machine);
struct text fleet_machine_life(const struct fleet_machine *machine);
struct text fleet_machine_host_key(const struct fleet_machine *machine);

/* fleet_machine_pack packs the fields of a record. The texts of the record must be parts of
 * machine->bytes. fleet_machine_unpack unpacks all fields except source, absence and lookup, which
 * are not in the record. */
void fleet_machine_pack(struct fleet_machine *machine, const struct record *record);
void fleet_machine_unpack(const struct fleet_machine *machine, struct plan_record *out);

/* Return the latest time in the machine's record. The cluster's clock must not be set to an earlier
 * time. */
uint64_t fleet_machine_latest(const struct fleet_machine *machine);

/* The values that define the machines of a group: those of the group itself, or of one of its
 * alternatives. */
struct fleet_choice {
    struct text plugin;
    struct plugin_origin origin; /* the origin of the plugin, as the specification states it */
    struct text generation;
    /* The generation as earlier versions of reeve computed it, including fields that are changed in
     * place. A record that such a version wrote may have this value. Empty: none. */
    struct text former;
    struct text properties; /* canonical JSON of the fields that define a machine */
    /* Canonical JSON of the fields that `label` changes in place; empty: the plugin has no such
     * fields, or is not known yet. */
    struct text in_place;
    struct text image; /* the image in `properties`; empty: none */
    const struct text *zones;
    size_t zone_count;
};

/* The probe of a group's machines. */
struct fleet_probe {
    bool is_there;
    /* The specification has no probe, and this is the default one. It is used if reeve logs in to
     * the machines (probes_has_probe). */
    bool is_default;
    /* The probe succeeds if the port of the machine's sshd sends an SSH banner. */
    bool is_ssh;
    /* port to probe; 0 if is_ssh is false: the probe runs the command probe_argv of the group */
    uint16_t port;
    uint64_t every_ms;
    uint64_t timeout_ms;
    uint64_t grace_ms; /* time for the start of a machine, until its first successful probe */
    uint32_t fail;     /* consecutive failures after which the machine is unhealthy */
};

/* The condition under which machines of the group count as ready, so that other machines no longer
 * wait for them. */
enum fleet_ready {
    FLEET_READY_BOOTSTRAPPED, /* the stages are complete, and the probe succeeds */
    FLEET_READY_REACHABLE,    /* the probe succeeds, or a login has succeeded */
    FLEET_READY_RUNNING,      /* the provider reports the machine as running */
};

/* ---- groups of the specification ---- */
/* When the nodes of a group are verified. */
struct fleet_verify {
    uint64_t every_ms; /* interval of verifications; 0: no interval */
    bool is_on_return;
    bool is_correcting; /* drift is corrected if a verification by interval finds it */
    bool is_hook;       /* the hooks of the stages also run */
};

/* The reaction when changed stages fail on a member (decision 0156). */
enum fleet_on_fail {
    FLEET_ON_FAIL_KEEP,   /* it remains failed, and out of service */
    FLEET_ON_FAIL_REVERT, /* the previous stages of the member run again */
    FLEET_ON_FAIL_CLEAN,  /* the machine is cleaned up and leaves the group */
};

/* The machines that run the hooks `cleanup` of their stages when they leave a group. */
enum fleet_cleanup {
    FLEET_CLEANUP_RETAINED, /* machines that continue to exist */
    FLEET_CLEANUP_ALWAYS,
    FLEET_CLEANUP_NEVER,
};

/* The hooks of a configuration that are playbooks. */
enum fleet_hook {
    FLEET_HOOK_VERIFY,
    FLEET_HOOK_DRAIN,
    FLEET_HOOK_UNDRAIN,
    FLEET_HOOK_CLEANUP,
    FLEET_HOOK_UPGRADE,
    FLEET_HOOK_COUNT,
};

/* The stages of a member with its own variables, which differ from those of its group (decision
 * 0155). */
struct fleet_variant {
    uint64_t slot;
    struct fleet_group *group; /* the group as it applies to the member, with its stages */
};

struct fleet_group {
    struct plan_group plan;       /* without sources, alternatives and operator commands */
    struct fleet_choice *choices; /* the choice of the group itself first, then its alternatives */
    size_t choice_count;
    struct text labels; /* canonical JSON of the labels, which are changed in place */
    /* Canonical JSON of the fields that a machine receives when it is created, but that do not
     * define it. */
    struct text more;
    struct naming_affix affix;
    struct fleet_probe probe;
    struct nodes_stage *stages; /* the stages of the group's nodes, in order */
    size_t stage_count;
    size_t configured_from;    /* number of the first stage of its configuration; 0: it has none */
    struct text configuration; /* "web@r17"; empty: it has none */
    /* Playbooks in the archive of the last stage, if that stage is a playbook; empty: there is
     * none. */
    struct text hooks[FLEET_HOOK_COUNT];
    struct text files; /* paths of the configuration's files, each with a newline after it */
    struct fleet_verify verify;
    enum fleet_cleanup cleanup;
    uint64_t cleanup_ms; /* time limit of the hooks */
    struct text chain;   /* stage digest chain of members without a variant; empty: no stages */
    enum fleet_on_fail on_fail;
    /* number of canaries, which get the first rollout slots of changed stages */
    uint32_t slot_canary;
    const struct text *probe_argv; /* arguments of the probe command */
    size_t probe_argc;
    enum fleet_ready ready;
    /* The secret with the private key for logins to the machines; empty: reeve uses
     * certificates. */
    struct text key_secret;
    struct roles_group roles;       /* roles of the group's members */
    bool is_first_key_accepted;     /* Accept an unknown host key once. */
    bool is_operators;              /* Log in with the operator's own OpenSSH settings. */
    struct fleet_variant *variants; /* the variants, in order of slot */
    size_t variant_count;
};

/* Sort the variants. */
void fleet_variants_sort(struct arena *arena, struct fleet_group *group);

/* Make a map of the stage digest chains of members with their own variables, from slot to chain.
 * Absent: there are none, or more than a row can have. */
struct doc fleet_chains_format(struct arena *arena, const struct fleet_group *group);

/* Return the group as it applies to the member in this slot. NULL if the given group is NULL. */
const struct fleet_group *fleet_group_for(const struct fleet_group *group, uint64_t slot);

/* Fills in the playbook of a hook from the archive of the group's last stage. `playbook` is its
 * path; empty: the path of the stage itself. Returns false if the group has no such playbook. */
MUST_CHECK bool fleet_hook_find(const struct fleet_group *group, struct text playbook,
                                struct nodes_stage *out);

struct fleet_cluster {
    struct text tenant;
    struct text id;
    struct text key;          /* TENANT/ID */
    struct text name;         /* empty: unknown */
    bool is_there;            /* the specification of the cluster exists in the store */
    uint64_t wanted_revision; /* revision of the latest known change of the specification */
    uint64_t version;         /* differs after each change of specification, commands or records */
    bool is_stale;            /* fleet_wanted must read the specification again */
    /* A change of the cluster is committed partially, so the specification may be incomplete. */
    bool is_parted;
    struct err problem; /* why the specification cannot be read; code 0: it can */
    /* The error of a machine record that cannot be parsed; code 0: all records can. */
    struct err damage;
    size_t damaged_count; /* number of records that cannot be parsed */
    struct arena *memory; /* arena of the decoded specification */
    /* number of times that the specification was read; texts borrowed from it are valid until it
     * changes */
    uint64_t readings;
    struct fleet_group *groups;
    size_t group_count;
    /* Some group has stages, so all members get keys and the facts of all members. */
    bool is_bootstrapped;
    struct roles_rules rules;        /* rules of roles, including the built-in ones */
    bool is_classic;                 /* the setting sshTrust is classic */
    bool is_best_effort;             /* the setting barrier is bestEffort */
    bool is_apart;                   /* the setting mutualRootSsh is false */
    uint64_t cert_ms;                /* the setting sshCertTtl, in ms */
    struct fleet_machine **machines; /* unordered */
    struct fleet_index tokens;       /* index of `machines`, by token */
    size_t count;
    size_t room;
    void *reconciler; /* state of the cluster's reconciler; owned by the reconciler */
    void *assignment; /* state of the assignment to managers; owned by the assignment module */
};

/* Called when the planner's input has changed: the specification, or an operator command. */
typedef void fleet_changed(void *arg, struct fleet_cluster *cluster);

/* Creates the record cache for an object cache, which must be READY. */
struct fleet *fleet_new(struct cache *cache, fleet_changed *changed, void *arg);

/* Frees the record cache. The object cache must be freed first. NULL is allowed. */
void fleet_free(struct fleet *fleet);

/* Call it after cache_run. Reads everything again if the object cache has lost its store. */
void fleet_run(struct fleet *fleet);

/* fleet_find returns the cluster with the key TENANT/ID; NULL: there is none. fleet_next returns
 * the cluster that follows `cluster` in order of key, or the first one if `cluster` is NULL. At the
 * end it returns NULL. */
struct fleet_cluster *fleet_find(const struct fleet *fleet, struct text key);
struct fleet_cluster *fleet_next(const struct fleet *fleet, const struct fleet_cluster *cluster);

/* Find the machine with this token in a cluster; NULL if there is none. */
struct fleet_machine *fleet_machine_find(const struct fleet_cluster *cluster, struct text token);

/* Read the specification of a cluster again if it changed. */
void fleet_wanted(struct fleet *fleet, struct fleet_cluster *cluster);

/* Find the group of a cluster with this path; NULL if there is none. */
const struct fleet_group *fleet_group_find(const struct fleet_cluster *cluster, struct text path);

/* Reads the groups of a changed specification into a cluster that has no other data. The groups
 * live in the arena. Returns false if the groups cannot be read. */
MUST_CHECK bool fleet_groups_read(struct arena *arena, const struct stored_object *stored,
                                  struct fleet_cluster *out);

/* Removes the fields that are changed in place from the generation of a choice. `paths` are the
 * fields that the plugin declares as such. With `is_sent`, the provider call `label` changes them
 * on existing machines, so they are part of the digest of the labels. Call it when the plugin's
 * declaration is known; a second call changes nothing. */
void fleet_choice_reduce(struct arena *arena, struct fleet_group *group, size_t choice,
                         const struct text *paths, size_t count, bool is_sent);

/* Removes the fields that their plugins change in place from the generations of the groups of a
 * changed specification. `plugins` may be NULL. */
void fleet_in_place_reduce(struct arena *arena, const struct model_plugins *plugins,
                           struct fleet_cluster *cluster);

/* Return the argument of the provider call `label` for a machine of this plugin and generation: the
 * labels, and in `fields` the fields that the plugin changes in place. It lives in the arena. */
struct text fleet_labels_of(struct arena *arena, const struct fleet_group *group,
                            struct text plugin, struct text generation);

/* Return the alternatives of a group, without their providers. They live in the arena. */
struct plan_choice *fleet_alternatives(struct arena *arena, const struct fleet_group *group);

/* Return how the machine of a record is accessed. The result borrows texts from the record and the
 * cluster. */
struct control_way fleet_way(const struct fleet_cluster *cluster, const struct record *record);

/* Return the number of machines of all clusters. */
size_t fleet_count(const struct fleet *fleet);

#endif
