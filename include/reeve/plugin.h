#ifndef REEVE_PLUGIN_H
#define REEVE_PLUGIN_H

#include <stdint.h>

/* The plugin interface. A plugin is a shared object that makes machines at a provider. It exports
 * one symbol:
 *
 *     const struct reeve_plugin_v1 reeve_plugin = { ... };
 *
 * reeve loads it in a process of its own (reeve-host), inside a sandbox, never in the manager. Its
 * functions are plain C and may block: each call has a thread of its own, and several run at once.
 * The tutorial docs/tutorial/your-first-plugin.md builds a plugin from nothing; `reeve plugin test
 * ./plugin.so` reports its errors.
 *
 * Rules of the interface:
 * - Texts have a length and are UTF-8 without NUL; `bytes` may be NULL if the length is 0.
 *   Arguments of a call are valid until it returns. The host immediately copies everything that a
 *   plugin passes to it.
 * - Structs that may grow begin with struct_size, the size of the struct when the side that filled
 *   it was compiled. Members beyond it do not exist. Members are only ever appended. A host accepts
 *   plugins of its own major version, and of any minor version up to its own.
 * - errno, stdio, malloc and signals are not shared across the interface. A plugin may use them
 *   internally. Its standard output is dropped, and its standard error goes to the manager's log.
 * - A plugin may start threads. It may not start programs (the sandbox prevents it). It has no
 *   environment and no arguments. It gets a credential by reeve_host_v1.credential for one call,
 *   and must not keep it. */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define REEVE_EXPORT __attribute__((visibility("default")))
#else
#define REEVE_EXPORT
#endif

#define REEVE_PLUGIN_MAGIC     UINT64_C(0x72656576652d7031) /* the bytes "reeve-p1" */
#define REEVE_PLUGIN_ABI_MAJOR 1
#define REEVE_PLUGIN_ABI_MINOR 3

struct reeve_text {
    const char *bytes;
    uint64_t length;
};

/* A text from a literal: as an expression, and as an initializer of a static object. */
#define REEVE_TEXT(literal) ((struct reeve_text)REEVE_STATIC(literal))
#define REEVE_STATIC(literal)           \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

/* The result of a call. Every result except OK and UNKNOWN means that the operation did not happen
 * and will not happen later. */
enum reeve_result {
    REEVE_OK = 0,
    REEVE_INVALID = 1,   /* the request is invalid: no retry before it changes */
    REEVE_AUTH = 2,      /* the credential is rejected: no retry before the account changes */
    REEVE_QUOTA = 3,     /* the account's quota is exhausted: retry later, or an alternative */
    REEVE_CAPACITY = 4,  /* the provider has no capacity: retry later, or an alternative */
    REEVE_THROTTLED = 5, /* too many calls: retry later, see reeve_host_v1.retry_after */
    REEVE_TRANSIENT = 6, /* a retry may succeed */
    /* The machine no longer exists. From create (since 1.1): a machine with this token existed and
     * has ended; reeve asks again with another token. */
    REEVE_GONE = 7,
    REEVE_UNKNOWN = 8, /* the outcome is not known: a request was sent and no answer arrived */
};

enum reeve_state {
    REEVE_PENDING = 0, /* being created, or starting */
    REEVE_RUNNING = 1,
    REEVE_STOPPING = 2, /* being stopped or destroyed */
    REEVE_STOPPED = 3,  /* exists, and is certainly not running */
    /* Since 1.1: it existed and has ended for ever, and the provider still shows it. Its properties
     * may state `endMessage`, a text for users, and `endReason`: user, spot, host, capacity, quota
     * or broken. */
    REEVE_ENDED = 4,
};

enum reeve_level {
    REEVE_LOG_DEBUG = 0,
    REEVE_LOG_INFO = 1,
    REEVE_LOG_WARNING = 2,
    REEVE_LOG_ERROR = 3
};

/* ---- properties of a plugin ---- */

enum reeve_type {
    REEVE_TYPE_TEXT = 0,
    REEVE_TYPE_INTEGER = 1,
    REEVE_TYPE_BOOLEAN = 2,
    REEVE_TYPE_SIZE = 3,  /* bytes: 512MiB, 20GB, or a number; the plugin gets an integer */
    REEVE_TYPE_TEXTS = 4, /* a list of texts */
    REEVE_TYPE_MAP = 5,   /* a mapping; only `validate` checks it */
    REEVE_TYPE_LIST = 6,  /* a list; only `validate` checks it */
    REEVE_TYPE_ANY = 7,
    /* With or without a fraction. A value that is not an integer is passed as its JSON text. */
    REEVE_TYPE_NUMBER = 8,
};

/* The portable field of a group that the plugin gets as this property. */
enum reeve_role {
    REEVE_ROLE_NONE = 0,
    REEVE_ROLE_IMAGE = 1,
    REEVE_ROLE_MACHINE_SIZE = 2,
    REEVE_ROLE_VOLUMES = 3, /* a list of mappings; `size` in each is an integer, in bytes */
    REEVE_ROLE_SUBNET = 4,
    REEVE_ROLE_SECURITY_GROUPS = 5,
    REEVE_ROLE_SSH_KEY = 6,
    REEVE_ROLE_USER = 7,
    REEVE_ROLE_OWNER = 8,
    REEVE_ROLE_NETWORK = 9,
    REEVE_ROLE_DRIVER = 10,
};

#define REEVE_PROPERTY_REQUIRED UINT32_C(1)
/* A change needs no other machine: `label` gets the value for machines that exist, if the plugin
 * has it; otherwise the provider uses it for machines created later. */
#define REEVE_PROPERTY_IN_PLACE UINT32_C(2)

struct reeve_property_v1 {
    struct reeve_text name;
    int32_t type;              /* enum reeve_type */
    int32_t role;              /* enum reeve_role */
    uint32_t flags;            /* bits REEVE_PROPERTY_... */
    uint32_t reserved;         /* must be 0 */
    struct reeve_text initial; /* the default, as written in a file; empty: none */
    struct reeve_text choices; /* separated by '|'; empty: any */
    struct reeve_text help;    /* one line, for users */
    struct reeve_text example; /* as written in a file */
    int64_t least;             /* bounds of integers and sizes; both 0: no bounds */
    int64_t most;
};

/* ---- arguments of calls ---- */

/* An active call; the host owns it. */
struct reeve_call;

/* A tag in the provider's storage. The names are reeve.cluster_id and so on. */
struct reeve_tag {
    struct reeve_text name;
    struct reeve_text value;
};

/* A machine to create. */
struct reeve_wish_v1 {
    uint32_t struct_size;
    uint32_t tag_count;
    const struct reeve_tag *tags; /* to be stored with the machine and returned by describe */
    struct reeve_text cluster; /* TENANT/ID: one of the tags, for resources shared by a cluster */
    struct reeve_text token;   /* one of the tags: the same token is the same machine */
    struct reeve_text name;    /* name of the machine, such as web-0; valid as a host name */
    struct reeve_text zone;    /* empty: any zone */
    struct reeve_text labels;  /* canonical JSON: {"labels": {...}, "owner": "..."} */
    struct reeve_text properties; /* canonical JSON; reeve_host_v1.value reads it */
    struct reeve_text init; /* script for the machine's first boot, run as root; empty: none */
    struct reeve_text keys; /* public keys for logins as the machine's user, one per line */
};

/* Selects the machines to describe. */
struct reeve_query_v1 {
    uint32_t struct_size;
    uint32_t id_count; /* 0: all machines of the cluster */
    const struct reeve_text *ids;
    struct reeve_text cluster; /* id of the cluster: TENANT/ID */
    struct reeve_text known;   /* marker of an earlier listing; empty: none */
};

/* An existing machine. */
struct reeve_row_v1 {
    uint32_t struct_size;
    uint32_t tag_count;
    const struct reeve_tag *tags; /* as stored at the provider, from any source */
    struct reeve_text id;
    int32_t state;     /* enum reeve_state */
    uint32_t reserved; /* must be 0 */
    /* The address at which the manager reaches the machine; empty: not known. */
    struct reeve_text address;
    struct reeve_text zone;
    /* Canonical JSON: the provider's data on the machine; empty: none. reeve logs in by `user`,
     * `port` (default 22) and `hostKey`, "ssh-ed25519 AAAA...". With `hostKey` an unknown host key
     * is not accepted on first use. */
    struct reeve_text properties;
};

/* What a plan needs: machines that may be created soon. Since 1.1. */
struct reeve_need_v1 {
    uint32_t struct_size;
    uint32_t zone_count; /* 0: any zone */
    const struct reeve_text *zones;
    struct reeve_text cluster;    /* id of the cluster: TENANT/ID */
    struct reeve_text properties; /* canonical JSON; reeve_host_v1.value reads it */
    /* number of additional machines; 0: only the properties are checked */
    uint64_t count;
};

/* What a cluster has at the provider beside its machines: volumes, addresses, ports. Since 1.1. */
struct reeve_resource_v1 {
    uint32_t struct_size;
    uint32_t tag_count;
    const struct reeve_tag *tags;
    struct reeve_text kind; /* volume, address, port, disk, key or tag */
    struct reeve_text id;
    struct reeve_text zone;
    struct reeve_text attached; /* id of the machine that uses it; empty: none */
    uint64_t bytes;             /* 0: the resource has no size */
};

/* A value of the properties, at a JSON Pointer. */
struct reeve_value_v1 {
    int32_t type;           /* TEXT, INTEGER, NUMBER, BOOLEAN, MAP, LIST; ANY: absent or null */
    uint32_t reserved;      /* must be 0 */
    int64_t integer;        /* INTEGER: its value; BOOLEAN: 0 or 1; MAP, LIST: number of members */
    struct reeve_text text; /* TEXT: its value; otherwise its JSON */
};

/* A value of the plugin's state. Since 1.3. */
struct reeve_entry_v1 {
    uint32_t struct_size;
    uint32_t reserved; /* must be 0 */
    struct reeve_text key;
    struct reeve_text value;
    uint64_t version; /* changes with each change of the value; 0: there is no value */
};

#define REEVE_STATE_KEY_BYTES   UINT64_C(300)
#define REEVE_STATE_VALUE_BYTES UINT64_C(16384)

/* ---- functions of the host for a plugin ---- */

struct reeve_host_v1 {
    uint32_t struct_size;
    uint32_t abi_minor;
    struct reeve_text folder; /* absolute; the plugin's own folder, kept across restarts */
    /* Canonical JSON: the plugin's settings in the manager's configuration, and over them those of
     * the account; "{}" if there are none. */
    struct reeve_text settings;

    /* Allocate zeroed memory. It is freed when the call has returned. Never NULL. */
    void *(*allocate)(struct reeve_call *call, uint64_t bytes);
    /* Report a fault to the user, with its position: a JSON Pointer into the properties, or empty.
     * It may be called several times. A call that reports a fault must not return OK. */
    void (*fault)(struct reeve_call *call, struct reeve_text pointer, struct reeve_text message);
    /* The time before a retry, as requested by the provider. */
    void (*retry_after)(struct reeve_call *call, uint64_t milliseconds);
    /* create: report the id of the machine. */
    void (*made)(struct reeve_call *call, struct reeve_text id);
    /* describe: report one machine. */
    void (*row)(struct reeve_call *call, const struct reeve_row_v1 *row);
    /* describe: report that the listing is incomplete; without it, it is complete. */
    void (*incomplete)(struct reeve_call *call);
    /* describe: report a marker of the current state, if that state cannot change by itself. The
     * host passes the marker to the next describe as `known`. */
    void (*mark)(struct reeve_call *call, struct reeve_text mark);
    /* describe: the state is still that of the marker in `known`; report no rows. */
    void (*unchanged)(struct reeve_call *call);
    /* Read a value of the properties of the call. */
    struct reeve_value_v1 (*value)(struct reeve_call *call, struct reeve_text pointer);
    /* Read member i of a map or a list: its name (empty in a list) and its value. */
    struct reeve_value_v1 (*member)(struct reeve_call *call, struct reeve_text pointer, uint64_t i,
                                    struct reeve_text *name);
    /* Milliseconds until the deadline of the call. */
    uint64_t (*left_ms)(struct reeve_call *call);
    /* The secret of the account for this call; empty: none. Wiped when the call has returned. */
    struct reeve_text (*credential)(struct reeve_call *call);
    /* Write to the manager's log. It may be called from any thread, also outside of calls. */
    void (*log)(const struct reeve_host_v1 *host, int32_t level, struct reeve_text message);

    /* ---- since 1.1 ---- */

    /* destroy, label, reboot, console, describe of one id: the token of the machine's record; empty
     * if there is no record. */
    struct reeve_text (*token)(struct reeve_call *call);
    /* destroy, label, reboot, console, describe of one id: milliseconds since the record was
     * created; UINT64_MAX: not known. A provider that does not find a young machine may show it
     * later. */
    uint64_t (*age_ms)(struct reeve_call *call);
    /* preflight: report what could not be checked, and why. It is shown and prevents nothing. */
    void (*notice)(struct reeve_call *call, struct reeve_text pointer, struct reeve_text message);
    /* preflight: report a value for the plan: arch, pricePerHour (JSON number and currency, "0.0464
     * USD"), quotaLeft. */
    void (*fact)(struct reeve_call *call, struct reeve_text name, struct reeve_text value);
    /* preflight: what a symbolic value means now: "/image", "ami-0abc". reeve keeps it for all
     * machines of this generation of the group and shows it in the plan. */
    void (*pin)(struct reeve_call *call, struct reeve_text pointer, struct reeve_text value);
    /* create, preflight: the kept value of a pin; empty: none, and the plugin resolves the value
     * itself. */
    struct reeve_text (*pinned)(struct reeve_call *call, struct reeve_text pointer);
    /* console: report the end of the machine's console. Bytes that are not UTF-8 are replaced. */
    void (*text)(struct reeve_call *call, struct reeve_text text);
    /* resources: report one resource. */
    void (*resource)(struct reeve_call *call, const struct reeve_resource_v1 *resource);

    /* ---- since 1.3 ---- */

    /* The state of the plugin: values by key. All processes of the plugin share it, on all managers
     * of the tenant, and each account of a plugin has its own. A plugin with the scope `world` has
     * nothing in its folder on which a decision depends. Keys consist of letters, digits and
     * `-_.:/@`, without empty parts between slashes, and no part begins with a dot. The functions
     * block until the manager has
     * answered. They return REEVE_TRANSIENT (no effect) or REEVE_UNKNOWN if the manager or its
     * store does not answer. `validate` has no state. */

    /* Read a value. out->version is 0 if there is none. */
    int32_t (*state_get)(struct reeve_call *call, struct reeve_text key,
                         struct reeve_entry_v1 *out);
    /* Write a value (empty: delete it), if its version is *version (0: if there is none), and set
     * *version to its new version. REEVE_INVALID: it has another version; nothing is written. */
    int32_t (*state_put)(struct reeve_call *call, struct reeve_text key, struct reeve_text value,
                         uint64_t *version);
    /* Call `each` for every value whose key begins with the prefix, in order of the keys. Changes
     * during the listing may be in it. */
    int32_t (*state_list)(struct reeve_call *call, struct reeve_text prefix,
                          void (*each)(void *arg, const struct reeve_entry_v1 *entry), void *arg);
};

/* ---- the plugin ---- */

#define REEVE_CAN_STRONG  UINT64_C(1) /* a listing is never outdated */
#define REEVE_CAN_DISPOSE UINT64_C(2) /* a machine may be replaced by another one */
#define REEVE_CAN_NETWORK UINT64_C(4) /* provides the network of the portable field `network` */
#define REEVE_CAN_VOLUMES UINT64_C(8) /* provides the volumes of the portable field `volumes` */
/* Since 1.1: the provider itself guarantees one machine per token, however late a request arrives.
 * Without it, reeve repeats a create whose outcome is unknown only after late_ms and lag_ms. */
#define REEVE_CAN_TOKEN UINT64_C(16)
/* Since 1.2, the scope `host`: its machines exist on the host of its process, and the plugins of
 * other managers do not see them. Without it, every manager reaches the same machines. */
#define REEVE_CAN_HOST UINT64_C(32)
/* Since 1.3: the rows have the host key of each machine some minutes after its start at the latest,
 * when the machine has shown it (on its console, for example). */
#define REEVE_CAN_HOST_KEYS UINT64_C(64)

struct reeve_plugin_v1 {
    uint64_t magic; /* REEVE_PLUGIN_MAGIC */
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t struct_size;
    uint32_t property_count;
    /* The name in specification files: lower case, digits, dashes or camelCase, 1 to 63 bytes. */
    struct reeve_text name;
    struct reeve_text version; /* version, such as 1.2.3 */
    struct reeve_text about;   /* one line, for users */
    uint64_t capabilities;     /* bits REEVE_CAN_... */
    uint64_t lag_ms;           /* maximum age of a listing */
    uint64_t late_ms;          /* how long an abandoned call may still take effect */
    uint64_t create_ms;        /* maximum duration of a create; 0: the host's default */
    uint32_t calls_max;        /* concurrent calls; 0: the host's default */
    uint32_t calls_per_s;      /* calls per second; 0: the host's default */
    const struct reeve_property_v1 *properties;

    /* Start and stop the plugin; both may be NULL. `self` is the plugin's own pointer, passed to
     * every call. start is called before the process has any other thread. */
    int32_t (*start)(const struct reeve_host_v1 *host, void **self);
    void (*stop)(void *self);

    /* Check these properties and report each fault by host->fault. No external calls, no side
     * effects. NULL: the table of properties is sufficient. */
    int32_t (*validate)(void *self, struct reeve_call *call, struct reeve_text properties);
    /* Create the machine. If the provider cannot guarantee one machine per token, search for the
     * token first. */
    int32_t (*create)(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request);
    /* Destroy the machine with all of its resources. Return OK if it does not exist. `reason` is
     * rolling_update or terminate. */
    int32_t (*destroy)(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id, struct reeve_text reason);
    /* List machines. An id that does not exist gives no row, and OK. */
    int32_t (*describe)(void *self, struct reeve_call *call, const struct reeve_query_v1 *query);
    /* Replace all labels of the machine: canonical JSON {"labels": {...}, "owner": "..."}. If the
     * plugin has properties with REEVE_PROPERTY_IN_PLACE, there may also be "properties": {...},
     * those of them that are stated now: the machine gets these values, and for the others what a
     * new machine would get. May be NULL. */
    int32_t (*label)(void *self, struct reeve_call *call, struct reeve_text cluster,
                     struct reeve_text id, struct reeve_text labels);
    /* Reboot the machine; start it if it is stopped. May be NULL. */
    int32_t (*reboot)(void *self, struct reeve_call *call, struct reeve_text cluster,
                      struct reeve_text id);

    /* ---- since 1.1; each may be NULL ---- */

    /* Check at the provider whether machines with these properties can be created, and change
     * nothing. Report every fault by host->fault, and by host->notice what could not be checked.
     * Deadline: 30 s. */
    int32_t (*preflight)(void *self, struct reeve_call *call, const struct reeve_need_v1 *need);
    /* List what the cluster has beside its machines, by host->resource. */
    int32_t (*resources)(void *self, struct reeve_call *call, struct reeve_text cluster);
    /* Delete one resource of the cluster. Return OK if it does not exist. */
    int32_t (*resource_destroy)(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text kind, struct reeve_text id);
    /* Hand over the last 64 KiB of the machine's console by host->text. */
    int32_t (*console)(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id);
};

/* The only exported symbol of a plugin. REEVE_EXPORT keeps it visible if the compiler hides
 * others. */
extern REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin;

#ifdef __cplusplus
}
#endif

#endif
