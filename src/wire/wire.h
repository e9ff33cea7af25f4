#ifndef REEVE_WIRE_WIRE_H
#define REEVE_WIRE_WIRE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"
#include "wire/frame.h"

/* The messages between the manager and a plugin process (reeve-host), over a socket pair, in frames
 * (wire/frame.h). The parsers of both sides are fuzzed.
 *
 *     manager -> host: OPEN, then CALLs, and a STATE for each STATE_ASK.
 *     host -> manager: HELLO or FAILED, then PAGEs, ANSWERs, LOGs, STATE_ASKs. */

enum wire_type {
    WIRE_OPEN = 1,
    WIRE_CALL = 2,
    WIRE_STATE = 3,
    WIRE_HELLO = 17,
    WIRE_FAILED = 18,
    WIRE_PAGE = 19,
    WIRE_ANSWER = 20,
    WIRE_LOG = 21,
    WIRE_STATE_ASK = 22,
};

/* A request to load a plugin. */
struct wire_open {
    struct text path;
    struct text digest; /* SHA-256 in hexadecimal; a file with another digest is not loaded */
    struct text name;   /* the expected name of the plugin; empty: any */
    struct text folder; /* absolute path of the plugin's folder, which exists */
    struct text settings;
    uint64_t profile; /* enum sandbox_profile */
    uint64_t calls_max;
    /* list of struct text: the endpoints that the plugin's relay permits (host/relay.h); empty: the
     * default */
    struct wire_list endpoints;
    /* only describe the plugin: it is not started, and is unloaded afterwards */
    uint64_t is_question;
    /* the manager keeps the state of the plugin (STATE_ASK); otherwise it is in the plugin's
     * folder */
    uint64_t has_state;
};

enum wire_method {
    WIRE_VALIDATE,
    WIRE_CREATE,
    WIRE_DESTROY,
    WIRE_DESCRIBE,
    WIRE_LABEL,
    WIRE_REBOOT,
    WIRE_PREFLIGHT,
    WIRE_RESOURCES,
    WIRE_RESOURCE_DESTROY,
    WIRE_CONSOLE,
    WIRE_METHOD_COUNT,
};

/* A call of the plugin. Fields that its method does not use are empty. */
struct wire_call {
    uint64_t id;
    uint64_t method;
    uint64_t left_ms;
    struct text cluster;
    struct text machine;
    struct text token;
    struct text name;
    struct text zone;
    struct text labels;
    struct text properties;
    struct text init;
    struct text keys;
    struct text reason;
    struct text known;
    struct text secret;
    struct wire_list tags;  /* list of struct wire_pair */
    struct wire_list ids;   /* list of struct text */
    struct text kind;       /* kind of a resource */
    uint64_t age_ms;        /* age of the machine's record in ms; UINT64_MAX: unknown */
    uint64_t count;         /* number of machines that a plan would create */
    struct wire_list zones; /* list of struct text */
    struct wire_list pins;  /* list of struct wire_pair: the pointer of a property, and its resolved
                             * value */
};

struct wire_property {
    struct text name;
    uint64_t type; /* enum reeve_type */
    uint64_t role; /* enum reeve_role */
    uint64_t flags;
    struct text initial;
    struct text choices;
    struct text help;
    struct text example;
    int64_t least;
    int64_t most;
};

/* The description of the plugin, and its sandbox: the name of each part, and "in force" or the
 * reason why it is missing. */
struct wire_hello {
    struct text name;
    struct text version;
    struct text about;
    uint64_t capabilities; /* a combination of REEVE_CAN_... */
    uint64_t lag_ms;
    uint64_t late_ms;
    uint64_t create_ms;
    uint64_t calls_max;
    uint64_t calls_per_s;
    uint64_t methods;            /* one bit for each enum wire_method that the plugin supports */
    struct wire_list properties; /* list of struct wire_property */
    struct wire_list sandbox;    /* list of struct wire_pair */
    /* Version of plugin.h that the plugin was built for: major << 16 | minor; 0: unknown. */
    uint64_t contract;
};

/* The plugin could not be loaded. */
struct wire_failed {
    struct text message;
};

struct wire_row {
    struct text id;
    uint64_t state; /* enum reeve_state */
    struct text address;
    struct text zone;
    struct text properties;
    struct wire_list tags; /* list of struct wire_pair */
};

struct wire_resource {
    struct text kind;
    struct text id;
    struct text zone;
    struct text attached;
    uint64_t bytes;
    struct wire_list tags; /* list of struct wire_pair */
};

/* Some rows of a listing. Further pages may follow; the answer to the call comes after the last
 * page. */
struct wire_page {
    uint64_t call;
    struct wire_list rows;      /* list of struct wire_row */
    struct wire_list resources; /* list of struct wire_resource */
};

struct wire_answer {
    uint64_t call;
    uint64_t result; /* enum reeve_result */
    uint64_t retry_ms;
    uint64_t is_incomplete;
    uint64_t is_unchanged;
    struct text machine;
    struct text mark;
    struct wire_list faults; /* list of struct wire_pair */
    /* results of preflight, as lists of struct wire_pair */
    struct wire_list notices;
    struct wire_list facts;
    struct wire_list pins;
    struct text console;
};

struct wire_log {
    uint64_t level; /* enum reeve_level */
    struct text message;
};

/* Kinds of access to the state of the plugin, which the manager keeps as values by key. */
enum wire_access { WIRE_STATE_GET, WIRE_STATE_PUT, WIRE_STATE_LIST, WIRE_STATE_COUNT };

/* Returns whether the key is valid (reeve/plugin.h). */
bool wire_state_key_is_fit(struct text key);

struct wire_state_ask {
    uint64_t number;   /* number of the access, which the STATE message with its answer repeats */
    uint64_t call;     /* the active call of the plugin that makes the access */
    uint64_t access;   /* enum wire_access */
    struct text key;   /* LIST: prefix of the keys */
    struct text after; /* LIST: only keys greater than this one; empty: from the first key on */
    struct text value; /* PUT: the new value; empty: delete the value */
    uint64_t version;  /* PUT: version that the current value must have; 0: there must be no
                        * value */
};

struct wire_state_entry {
    struct text key;
    struct text value;
    uint64_t version; /* version of the value; 0: there is no value */
};

struct wire_state {
    uint64_t number;
    uint64_t result;          /* enum reeve_result */
    uint64_t has_more;        /* LIST: more keys follow the last entry */
    struct wire_list entries; /* list of struct wire_state_entry; for GET and PUT it has one
                               * entry */
    struct text message;      /* why the access failed */
};

struct wire_message {
    enum wire_type type;
    union {
        struct wire_open open;
        struct wire_call call;
        struct wire_hello hello;
        struct wire_failed failed;
        struct wire_page page;
        struct wire_answer answer;
        struct wire_log log;
        struct wire_state_ask state_ask;
        struct wire_state state;
    };
};

/* Append the frame of a message. */
void wire_format(struct buf *buf, const struct wire_message *message);

/* Length of the head of a frame in bytes. */
enum { WIRE_HEAD_BYTES = FRAME_HEAD_BYTES };

/* Set *out to the length of the frame at the start of these bytes; 0: its head is incomplete. Fails
 * with R0601 if the frame exceeds the maximum length. */
MUST_CHECK bool wire_measure(struct text bytes, size_t *out, struct err *err);

/* Read a complete frame. Texts borrow from the frame; lists live in the arena, whose limit bounds
 * them. Fails with R0601 if the frame is invalid or of an unknown type. */
MUST_CHECK bool wire_parse(struct arena *arena, struct text frame, struct wire_message *out,
                           struct err *err);

#endif
