#ifndef REEVE_PLUGIN_H
#define REEVE_PLUGIN_H

#include <stdint.h>

/* What a plugin is: a shared object that makes machines somewhere, and exports one thing,
 *
 *     const struct reeve_plugin_v1 reeve_plugin = { ... };
 *
 * reeve loads it in a process of its own (reeve-host), inside a sandbox, never in the manager. Its calls are
 * plain C that may block: each is made on a thread of its own, several at once. The tutorial
 * docs/tutorial/your-first-plugin.md builds one from nothing; `reeve plugin test ./plugin.so` says what it
 * does wrong.
 *
 * Rules of the interface:
 * - Texts come with their length and are UTF-8 without a NUL inside; `bytes` may be NULL where the length is 0.
 *   What a call is handed is valid until it returns. What a plugin hands to the host is copied at once.
 * - Structs that may grow begin with struct_size, the size that their maker knew: what lies beyond it does not
 *   exist. Members are only ever appended. A host takes plugins of its own major version, and of any minor
 *   version up to its own.
 * - errno, stdio, malloc and signals do not cross the border. A plugin may use them for itself; its standard
 *   output goes nowhere, its standard error to the manager's log.
 * - A plugin may start threads; it may not start programs (the sandbox refuses it). It has no environment and no
 *   arguments; a credential reaches it by reeve_call_credential, call by call, and is not kept. */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define REEVE_EXPORT __attribute__((visibility("default")))
#else
#define REEVE_EXPORT
#endif

#define REEVE_PLUGIN_MAGIC     UINT64_C(0x72656576652d7031) /* "reeve-p1" */
#define REEVE_PLUGIN_ABI_MAJOR 1
#define REEVE_PLUGIN_ABI_MINOR 0

struct reeve_text {
    const char *bytes;
    uint64_t length;
};

/* A text from a literal: in an expression, and as an initializer of what is static. */
#define REEVE_TEXT(literal) ((struct reeve_text)REEVE_STATIC(literal))
#define REEVE_STATIC(literal)           \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

/* How a call ended. Everything but OK and UNKNOWN says: it did not happen and will not. */
enum reeve_result {
    REEVE_OK = 0,
    REEVE_INVALID = 1,   /* what is asked for is wrong: it is not tried again until it changes */
    REEVE_AUTH = 2,      /* the credential may not: not until the account changes */
    REEVE_QUOTA = 3,     /* the account has no more of it: later, or an alternative */
    REEVE_CAPACITY = 4,  /* the provider has no more of it: later, or an alternative */
    REEVE_THROTTLED = 5, /* too many calls: later, see reeve_host_v1.retry_after */
    REEVE_TRANSIENT = 6, /* it may go well the next time */
    REEVE_GONE = 7,      /* the machine is not there any more */
    REEVE_UNKNOWN = 8, /* nobody knows whether it happened: a request was sent and no answer came */
};

enum reeve_state {
    REEVE_PENDING = 0, /* being made, or starting */
    REEVE_RUNNING = 1,
    REEVE_STOPPING = 2, /* being stopped or destroyed */
    REEVE_STOPPED = 3,  /* there, and certainly not running */
};

enum reeve_level {
    REEVE_LOG_DEBUG = 0,
    REEVE_LOG_INFO = 1,
    REEVE_LOG_WARNING = 2,
    REEVE_LOG_ERROR = 3
};

/* ---- what a plugin says of its properties ---- */

enum reeve_type {
    REEVE_TYPE_TEXT = 0,
    REEVE_TYPE_INTEGER = 1,
    REEVE_TYPE_BOOLEAN = 2,
    REEVE_TYPE_SIZE = 3,  /* bytes: 512MiB, 20GB, or a number; the plugin reads an integer */
    REEVE_TYPE_TEXTS = 4, /* a list of texts */
    REEVE_TYPE_MAP = 5,   /* a mapping, judged by `validate` alone */
    REEVE_TYPE_LIST = 6,  /* a list, judged by `validate` alone */
    REEVE_TYPE_ANY = 7,
    REEVE_TYPE_NUMBER =
        8, /* with or without a fraction; as a value: one that is no integer, its text is its JSON */
};

/* Which portable field of a group reaches the plugin as this property. */
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
#define REEVE_PROPERTY_IN_PLACE \
    UINT32_C(                   \
        2) /* a change of it makes no other machine: it is data of the provider, for machines to come */

struct reeve_property_v1 {
    struct reeve_text name;
    int32_t type;              /* enum reeve_type */
    int32_t role;              /* enum reeve_role */
    uint32_t flags;            /* REEVE_PROPERTY_... */
    uint32_t reserved;         /* 0 */
    struct reeve_text initial; /* as it would be written in a file; empty: none */
    struct reeve_text choices; /* separated by '|'; empty: any */
    struct reeve_text help;    /* one line for people */
    struct reeve_text example; /* as it would be written in a file */
    int64_t least;             /* of integers and sizes; both 0: no bounds */
    int64_t most;
};

/* ---- what a call is about ---- */

/* One call under way; the host's. */
struct reeve_call;

/* A tag as the provider keeps it; the names are reeve.cluster_id and so on. */
struct reeve_tag {
    struct reeve_text name;
    struct reeve_text value;
};

/* A machine to be made. */
struct reeve_request_v1 {
    uint32_t struct_size;
    uint32_t tag_count;
    const struct reeve_tag *tags; /* to be kept with the machine and given back by describe */
    struct reeve_text cluster;    /* TENANT/ID: one of the tags, for what a cluster shares */
    struct reeve_text token;      /* one of the tags: the same token is the same machine */
    struct reeve_text name;       /* of the machine: web-0; fit for a host's name */
    struct reeve_text zone;       /* empty: as the plugin likes */
    struct reeve_text labels;     /* canonical JSON: {"labels": {...}, "owner": "..."} */
    struct reeve_text properties; /* canonical JSON; reeve_host_v1.value reads it */
    struct reeve_text init;       /* script for the machine's first start, as root; empty: none */
    struct reeve_text keys; /* public keys that may log in as the machine's user, a line each */
};

/* Which machines are asked for. */
struct reeve_query_v1 {
    uint32_t struct_size;
    uint32_t id_count; /* 0: all of the cluster */
    const struct reeve_text *ids;
    struct reeve_text cluster; /* TENANT/ID */
    struct reeve_text known;   /* a mark that an earlier listing gave; empty: none */
};

/* A machine that is there. */
struct reeve_row_v1 {
    uint32_t struct_size;
    uint32_t tag_count;
    const struct reeve_tag *tags; /* as the provider has them, whoever put them there */
    struct reeve_text id;
    int32_t state;             /* enum reeve_state */
    uint32_t reserved;         /* 0 */
    struct reeve_text address; /* under which the manager reaches it; empty: not known */
    struct reeve_text zone;
    /* Canonical JSON: what the provider says of it; empty: nothing. Of these reeve logs in by `user`, `port` (22 where it
     * is not said) and `hostKey`, "ssh-ed25519 AAAA...": with it an unknown host is not taken on trust. */
    struct reeve_text properties;
};

/* A value of the properties, found by a JSON Pointer. */
struct reeve_value_v1 {
    int32_t type;      /* TEXT, INTEGER, NUMBER, BOOLEAN, MAP, LIST; ANY: there is none, or null */
    uint32_t reserved; /* 0 */
    int64_t integer;   /* of INTEGER; 0 or 1 of BOOLEAN; members of MAP and LIST */
    struct reeve_text text; /* of TEXT: itself; of the others: its JSON */
};

/* ---- what the host does for a plugin ---- */

struct reeve_host_v1 {
    uint32_t struct_size;
    uint32_t abi_minor;
    struct reeve_text folder; /* absolute, the plugin's own, kept from start to start */
    struct reeve_text
        settings; /* canonical JSON: what the manager's configuration says for it; "{}" */

    /* Memory that is zero, and freed when the call has returned. Never NULL. */
    void *(*allocate)(struct reeve_call *call, uint64_t bytes);
    /* What is wrong, for people, and where: a JSON Pointer into the properties, or empty. May be called several
     * times; then return a result that is not OK. */
    void (*fault)(struct reeve_call *call, struct reeve_text pointer, struct reeve_text message);
    /* The provider says when to ask again. */
    void (*retry_after)(struct reeve_call *call, uint64_t milliseconds);
    /* create: the id of the machine. */
    void (*made)(struct reeve_call *call, struct reeve_text id);
    /* describe: one machine. */
    void (*row)(struct reeve_call *call, const struct reeve_row_v1 *row);
    /* describe: these are not all; without it, the listing is complete. */
    void (*incomplete)(struct reeve_call *call);
    /* describe: how things stand, if nothing of it can change by itself; handed back as `known`. */
    void (*mark)(struct reeve_call *call, struct reeve_text mark);
    /* describe: as at the mark that is known; give no rows. */
    void (*unchanged)(struct reeve_call *call);
    /* A value of what the call was handed as properties. */
    struct reeve_value_v1 (*value)(struct reeve_call *call, struct reeve_text pointer);
    /* Member i of a map or a list: its name (empty in a list) and its value. */
    struct reeve_value_v1 (*member)(struct reeve_call *call, struct reeve_text pointer, uint64_t i,
                                    struct reeve_text *name);
    /* Until the answer is of no use any more. */
    uint64_t (*left_ms)(struct reeve_call *call);
    /* The secret of the account for this call; empty: none. Gone when the call has returned. */
    struct reeve_text (*credential)(struct reeve_call *call);
    /* For the manager's log; from any thread, also outside of calls. */
    void (*log)(const struct reeve_host_v1 *host, int32_t level, struct reeve_text message);
};

/* ---- the plugin ---- */

#define REEVE_CAN_STRONG  UINT64_C(1) /* a listing is never behind */
#define REEVE_CAN_DISPOSE UINT64_C(2) /* a machine may be replaced by another one */
#define REEVE_CAN_NETWORK UINT64_C(4) /* it makes the network of the portable field `network` */
#define REEVE_CAN_VOLUMES UINT64_C(8) /* it makes the volumes of the portable field `volumes` */

struct reeve_plugin_v1 {
    uint64_t magic; /* REEVE_PLUGIN_MAGIC */
    uint32_t abi_major;
    uint32_t abi_minor;
    uint32_t struct_size;
    uint32_t property_count;
    struct reeve_text
        name; /* as files name it: lower case, digits, dashes or camelCase, 1 to 63 bytes */
    struct reeve_text version; /* 1.2.3 */
    struct reeve_text about;   /* one line for people */
    uint64_t capabilities;     /* REEVE_CAN_... */
    uint64_t lag_ms;           /* a listing may be behind by so much */
    uint64_t late_ms;          /* a call that was given up may still have an effect for so long */
    uint64_t create_ms;        /* a create may take so long; 0: as the host likes */
    uint32_t calls_max;        /* under way at once; 0: as the host likes */
    uint32_t calls_per_s;      /* 0: as the host likes */
    const struct reeve_property_v1 *properties;

    /* Begin and end; both may be NULL. `self` is the plugin's own, handed to every call. start is called before
     * the process has any other thread. */
    int32_t (*start)(const struct reeve_host_v1 *host, void **self);
    void (*stop)(void *self);

    /* Are these properties right? Each fault by host->fault. No outside call, no effect. NULL: the table of
     * properties says everything. */
    int32_t (*validate)(void *self, struct reeve_call *call, struct reeve_text properties);
    /* Make the machine. Where the provider cannot promise that a token makes one machine only, look for the
     * token first. */
    int32_t (*create)(void *self, struct reeve_call *call, const struct reeve_request_v1 *request);
    /* End the machine with everything of it. One that is not there is OK. `reason` is rolling_update or
     * terminate. */
    int32_t (*destroy)(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id, struct reeve_text reason);
    /* Which machines are there? An id that is not there gives no row, and OK. */
    int32_t (*describe)(void *self, struct reeve_call *call, const struct reeve_query_v1 *query);
    /* Give the machine these labels, all of them: canonical JSON {"labels": {...}, "owner": "..."}. May be NULL. */
    int32_t (*label)(void *self, struct reeve_call *call, struct reeve_text cluster,
                     struct reeve_text id, struct reeve_text labels);
    /* Start the machine anew; one that is stopped is started. May be NULL. */
    int32_t (*reboot)(void *self, struct reeve_call *call, struct reeve_text cluster,
                      struct reeve_text id);
};

/* The one thing that a plugin exports, whatever its compiler hides otherwise. */
extern REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin;

#ifdef __cplusplus
}
#endif

#endif
