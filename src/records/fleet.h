#ifndef REEVE_RECORDS_FLEET_H
#define REEVE_RECORDS_FLEET_H

#include "records/fleet_index.h"
#include "records/nodes.h"
#include "state/objects.h"
#include "records/plugin_origin.h"
#include "records/record.h"
#include "records/way.h"

/* The clusters of a store as deciding needs them, kept beside the cache by a watch: what is wanted, decoded,
 * and one packed row for each machine. One change costs one row, however many there are.
 *
 * What is borrowed from here is true within the turn of the loop. */
struct fleet;

/* A text that stands in the bytes of a record: there, and so long. */
struct fleet_place {
    uint16_t start;
    uint16_t length;
};

/* A machine, packed: half of what deciding about it takes, for there are a million of them, of which a pass looks at
 * those of one cluster. */
struct fleet_machine {
    struct blob *key;
    struct blob *bytes;
    uint64_t revision; /* of the record's key */
    uint64_t slot;
    uint64_t created_ms;
    uint64_t active_ms;
    uint64_t condemned_ms;
    uint64_t call_after_ms;
    uint64_t doubt_ms;
    uint64_t failing_since_ms;
    uint64_t failed_since_ms;
    uint64_t unreachable_since_ms;
    uint64_t rebooted_ms;
    uint64_t reboot_begun_ms;
    uint64_t reboot_number;
    uint32_t index; /* in the cluster's machines */
    uint32_t losses;
    uint32_t refusals;
    uint32_t failures;
    struct fleet_place group;
    struct fleet_place generation;
    struct fleet_place id;
    struct fleet_place labels;
    struct fleet_place zone;
    struct fleet_place plugin;
    struct fleet_place life;
    struct fleet_place host_key;
    uint16_t token; /* where it begins in the key, which ends with it */
    uint8_t state;  /* enum plan_record_state */
    uint8_t fault;  /* enum plan_fault */
    bool is_answered;
    bool is_protected;
    bool is_starting;
    bool is_unsent : 1;  /* it was to be asked for, and never was: the call was taken back. Known to
                           who keeps it alone */
    bool is_damaged : 1; /* its record cannot be read */
    bool is_alarmed : 1; /* it has shown another host key */
    bool is_outdated : 1;
    bool is_blocked : 1; /* reeve cannot do its work on it */
    bool is_boot_known : 1;
    bool is_reboot_answered : 1;
    bool is_reboot_late : 1;
    bool is_reboot_served : 1;
    /* The call was dropped from its queue before it was sent. As is_unsent. */
    bool is_reboot_unsent : 1;
};

/* Its token; and of its record what makes it, the incarnation of the store that asked for it, and the host key that it
 * has to show. */
struct text fleet_machine_token(const struct fleet_machine *machine);
struct text fleet_machine_group(const struct fleet_machine *machine);
struct text fleet_machine_plugin(const struct fleet_machine *machine);
struct text fleet_machine_life(const struct fleet_machine *machine);
struct text fleet_machine_host_key(const struct fleet_machine *machine);

/* Pack the current state in its record, whose texts are of machine->bytes; and unpack it, without source, absence and witness,
 * which are not the record's. */
void fleet_machine_pack(struct fleet_machine *machine, const struct record *record);
void fleet_machine_unpack(const struct fleet_machine *machine, struct plan_record *out);

/* The latest time in its record that is over: the cluster's clock is not before that. */
uint64_t fleet_machine_latest(const struct fleet_machine *machine);

/* What a group's machines are made of: as it is written, or by one of its alternatives. */
struct fleet_choice {
    struct text plugin;
    struct plugin_origin origin; /* where the plugin comes from, as the file says */
    struct text generation;
    struct text
        former; /* the generation with the fields in it that are changed in place: a record of a former version may have it; empty: none */
    struct text properties; /* canonical JSON: what makes its machines */
    struct text image;      /* that stands in it; empty: none does */
    const struct text *zones;
    size_t zone_count;
};

/* How the machines of a group are asked whether they do what they are for. */
struct fleet_probe {
    bool is_there;
    /* The file says nothing: it counts where the machines are logged in to (probes_has_probe). */
    bool is_default;
    /* An SSH server has to send its banner at the port by which the machine is logged in to. */
    bool is_ssh;
    uint16_t port; /* 0, and not is_ssh: it is a command, probe_argv of the group */
    uint64_t every_ms;
    uint64_t timeout_ms;
    uint64_t grace_ms; /* after its start, before it has answered once */
    uint32_t fail;     /* failures in a row that count */
};

/* A wanted group. */
/* From when on its machines count as ready, and others wait for them no more. */
enum fleet_ready {
    FLEET_READY_BOOTSTRAPPED, /* its stages are done, and its probe has answered */
    FLEET_READY_REACHABLE,    /* its probe has answered, or somebody has logged in */
    FLEET_READY_RUNNING,      /* its provider says that it runs */
};

struct fleet_group {
    struct plan_group plan;       /* without sources, alternatives and what operators have said */
    struct fleet_choice *choices; /* the first one as it is written, then its alternatives */
    size_t choice_count;
    struct text labels; /* canonical JSON of what is changed in place */
    struct text more;   /* canonical JSON of what its machines are told when they are made */
    struct naming_affix affix;
    struct fleet_probe probe;
    struct nodes_stage *stages; /* that its nodes run, in their order */
    size_t stage_count;
    struct text chain;    /* digest of what they are and are given; empty: there are none */
    uint32_t slot_canary; /* members that get the first rollout slots of changed stages */
    const struct text *probe_argv; /* of the command that is its probe */
    size_t probe_argc;
    enum fleet_ready ready;
    struct text
        key_secret;    /* with whose key reeve logs in to its machines; empty: with a certificate */
    bool takes_first;  /* an unknown host key is taken once */
    bool is_operators; /* its machines are reached by the operator's own settings of OpenSSH */
};

struct fleet_cluster {
    struct text tenant;
    struct text id;
    struct text key;          /* TENANT/ID */
    struct text name;         /* empty: not known */
    bool is_there;            /* its spec stands in the store */
    uint64_t wanted_revision; /* at which what is wanted was changed last, as far as is known */
    uint64_t version;         /* another one with each change of what is wanted, said or recorded */
    bool is_stale;            /* what is wanted is to be read anew: fleet_wanted */
    bool is_parted;           /* a change of it is under way, and may stand there in part */
    struct err problem;       /* why what is wanted cannot be read; code 0: it can */
    struct err damage;        /* a record of a machine cannot be read; code 0: all can */
    size_t damaged_count;     /* machines with such records */
    struct arena *memory;     /* of what is wanted */
    struct fleet_group *groups;
    size_t group_count;
    bool
        is_bootstrapped; /* a group has stages: all members are keyed and told each other's facts */
    bool is_classic;     /* sshTrust */
    bool is_best_effort; /* barrier */
    bool is_apart;       /* mutualRootSsh: false */
    uint64_t cert_ms;    /* sshCertTtl */
    struct fleet_machine **machines; /* in no order */
    struct fleet_index tokens;       /* of the machines */
    size_t count;
    size_t room;
    void *reconciler; /* of whoever acts for it */
};

/* Something that should be decided about has changed: what is wanted, or what an operator has said. */
typedef void fleet_changed(void *arg, struct fleet_cluster *cluster);

/* Follow a cache, which must be READY. */
struct fleet *fleet_new(struct cache *cache, fleet_changed *changed, void *arg);

/* End it, after the cache. NULL is allowed. */
void fleet_free(struct fleet *fleet);

/* To be called after cache_run: read everything anew where the cache had lost its store. */
void fleet_run(struct fleet *fleet);

/* A cluster by TENANT/ID, NULL where there is none; and all of them in order of key. */
struct fleet_cluster *fleet_find(const struct fleet *fleet, struct text key);
struct fleet_cluster *fleet_next(const struct fleet *fleet, const struct fleet_cluster *cluster);

/* The machine with this token in a cluster, NULL where there is none. */
struct fleet_machine *fleet_machine_find(const struct fleet_cluster *cluster, struct text token);

/* Read what is wanted of a cluster anew, if it changed. */
void fleet_wanted(struct fleet *fleet, struct fleet_cluster *cluster);

/* Its group with this path, NULL where there is none. */
const struct fleet_group *fleet_group_find(const struct fleet_cluster *cluster, struct text path);

/* The groups of a cluster as a change makes them, into a cluster of which nothing else is known; everything lives in the arena. False:
 * they cannot be read. */
MUST_CHECK bool fleet_groups_read(struct arena *arena, const struct stored_object *stored,
                                  struct fleet_cluster *out);

/* Leave fields that are changed in place out of the generation of a choice: their paths, as its plugin says. To be called once it is
 * known which these are; again changes nothing. */
void fleet_choice_reduce(struct arena *arena, struct fleet_group *group, size_t choice,
                         const struct text *paths, size_t count);

/* The alternatives of a group, without the providers that they are asked of. */
struct plan_choice *fleet_alternatives(struct arena *arena, const struct fleet_group *group);

/* How the machine of a record is reached; its texts are those of the record and the cluster. */
struct control_way fleet_way(const struct fleet_cluster *cluster, const struct record *record);

/* All machines. */
size_t fleet_count(const struct fleet *fleet);

#endif
