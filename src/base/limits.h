#ifndef REEVE_BASE_LIMITS_H
#define REEVE_BASE_LIMITS_H

#include <stdint.h>

/* All bounds of the program. FILE.md section 8 and DESIGN.md section 8 define the values that are
 * visible to users; the others bound the memory of the program. */

/* size of an image in the image repository; more than an enumerator holds */
#define LIMIT_IMAGE_BYTES (UINT64_C(64) << 30)

enum {
    /* size of a document, in YAML or JSON */
    LIMIT_DOCUMENT_BYTES = 16 * 1024 * 1024,
    LIMIT_MANIFEST_BYTES = 64 * 1024,
    LIMIT_VARIABLES_BYTES = 64 * 1024,  /* size of a node's variables as JSON */
    LIMIT_PLAYBOOK_MS = 60 * 60 * 1000, /* time limit of a playbook by default */
    LIMIT_PLAYBOOK_RUNS = 2,            /* playbook runs in progress at the same time, by default */
    LIMIT_PLAYBOOK_RUNS_MAX = 32,
    LIMIT_PLAYBOOK_LINE_BYTES = 64 * 1024,
    LIMIT_PLAYBOOK_OUTPUT_BYTES = 64 * 1024 * 1024, /* lines of callback output in one run */
    LIMIT_CONFIGURATION_REVISIONS = 100,
    LIMIT_VERIFIED_PATHS = 256,   /* paths of a manifest whose files belong to a baseline */
    LIMIT_VERIFY_EVERY_MS = 1000, /* shortest interval of verifications */
    LIMIT_VERIFIED_BYTES = 2048,  /* size of the list of differing files in a node's state */
    /* Maximum number of stored revisions. Revisions above LIMIT_CONFIGURATION_REVISIONS are kept
     * only while they are pinned or used by groups. */
    LIMIT_CONFIGURATION_REVISIONS_STORED = 1000,
    LIMIT_DOCUMENT_DEPTH = 64,
    LIMIT_DOCUMENT_NODES = 2000000,
    LIMIT_ALIAS_EXPANSIONS = 1000,
    LIMIT_LINE_INDICATORS = 250000, /* brackets, commas, colons, quotes in a line of YAML */
    LIMIT_DOCUMENTS_PER_SET = 10000,
    LIMIT_FILES_PER_SET = 1000,

    /* Limits of the model. */
    LIMIT_LEAF_GROUPS = 10000,
    LIMIT_GROUP_NESTING = 8,
    LIMIT_GROUP_SIZE = 100000,
    LIMIT_CLUSTER_NODES = 10000000,
    LIMIT_LEAF_BYTES = 256 * 1024,
    LIMIT_LABELS = 64,
    LIMIT_LABEL_KEY_BYTES = 63,
    LIMIT_LABEL_VALUE_BYTES = 255,
    LIMIT_GROUP_ITEMS = 32,
    LIMIT_CLUSTER_NAME_BYTES = 242,
    LIMIT_GROUP_NAME_BYTES = 63,
    LIMIT_MEMBER_NAME_BYTES = 63,
    LIMIT_ID_BYTES = 64,
    LIMIT_NAMING_WIDTH = 9,
    LIMIT_FROM_CHAIN = 64,

    /* Limits of errors. */
    LIMIT_ERRORS_KEPT = 50,
    LIMIT_ERRORS_SHOWN = 20,
    LIMIT_ERROR_TEXT_BYTES = 320,
    LIMIT_ERROR_PATH_BYTES = 256,

    /* path expressions of the command line: nested brackets */
    LIMIT_PATH_DEPTH = 32,

    /* Limits of selectors. */
    LIMIT_SELECTOR_BYTES = 4096,
    LIMIT_SELECTOR_CLAUSES = 32,
    LIMIT_SELECTOR_VALUES = 256,
    LIMIT_SELECTOR_KEY_BYTES = 253,

    /* Limits of the store. */
    LIMIT_STORE_TXN_OPERATIONS = 128, /* compares, changes and events of one transaction together */
    LIMIT_STORE_VALUE_BYTES = 256 * 1024,
    /* Size of one object as stored. Together with its metadata it fits into one value of the
     * store. */
    LIMIT_RECORD_BYTES = 250 * 1024,
    LIMIT_STORE_KEY_BYTES = 512,
    LIMIT_STORE_LIST = 100000,   /* items of one list call */
    LIMIT_STORE_HISTORY = 100,   /* revisions kept of each spec */
    LIMIT_STORE_KEYS = 10000000, /* keys of the store in memory, and versions of keys */
    LIMIT_STORE_WATCHES = 100000,
    LIMIT_STORE_PENDING = 100000, /* calls in progress */

    /* Limits of requests. */
    /* Size of a list that is written in one piece. Longer lists are streamed. */
    LIMIT_LIST_BODY_BYTES = 256 * 1024,
    LIMIT_CHANGE_TRIES = 8, /* attempts of a change after conflicts */
    /* Objects that one transaction writes, together with their compares, names and events. */
    LIMIT_CHANGE_OBJECTS = 12,
    LIMIT_CHANGE_OPS = 40, /* keys of these objects; a change with more keys becomes an operation */
    /* Maximum age of a request when it is written; an older request has no effect. */
    LIMIT_CHANGE_AGE_MS = 120000,
    LIMIT_CHANGE_REFERENCES = 30,
    LIMIT_PAGE = 100000, /* objects of one page of a list */
    LIMIT_EVENTS_PAGE = 1000,
    LIMIT_WHY_BYTES = 1024,
    LIMIT_PAUSE_MIN_MS = 1000, /* minimum duration of a pause that ends automatically */
    LIMIT_IDEMPOTENCY_KEY_BYTES = 128,
    LIMIT_EVENT_GROUPS = 8, /* groups listed in one event */
    LIMIT_PLAN_TTL_S = 24 * 3600,
    LIMIT_JOB_KEPT_S = 7 * 24 * 3600, /* how long a finished job of a deleted cluster is kept */
    LIMIT_REQUEST_TTL_S = 24 * 3600,  /* how long a repeated request is recognized */
    LIMIT_SWEEP_KEYS = 100,           /* expired keys removed in one step */
    LIMIT_REQUESTS_WAITING = 10000,   /* requests that wait for a revision */
    LIMIT_REVISION_WAIT_MS = 10000,
    LIMIT_TENANT_BYTES = 63,
    LIMIT_GRANTS = 256, /* grants of one user */
    /* tokens and grants that are deleted in one transaction with their user */
    LIMIT_IDENTITY_GONE = 50,
    /* Invalid tokens from one address within LIMIT_WRONG_TOKENS_MS; further attempts are answered
     * with 429. */
    LIMIT_WRONG_TOKENS = 20,
    LIMIT_WRONG_TOKENS_MS = 60000,
    LIMIT_WRONG_TOKEN_ADDRESSES = 4096,
    /* length of a chain of tokens, each of which was created with the previous token */
    LIMIT_TOKEN_DEPTH = 8,
    LIMIT_PAGE_LINKS = 512,     /* login links for the web page, requested and not used */
    LIMIT_PAGE_LINKS_USER = 8,  /* unused login links of one user */
    LIMIT_PAGE_LINKS_GONE = 32, /* links that are removed when a new link is created */
    LIMIT_PAGE_LINK_MS = 60000, /* validity of a link */
    LIMIT_PAGE_SESSION_S = 12 * 3600,
    LIMIT_PAGE_LOGIN_BYTES = 4096, /* size of a request by a client that is not logged in */
    /* Size of a file of the page, read from a folder (--ui-dir). */
    LIMIT_PAGE_FILE_BYTES = 1024 * 1024,
    LIMIT_WATCHERS = 10000,
    /* queued changes of one watcher; with more, changes of one object are merged */
    LIMIT_WATCH_ORDERED = 256,
    LIMIT_WATCH_QUEUE = 512,       /* queued changes of one watcher, including merged ones */
    LIMIT_WATCH_ENTRIES = 2000000, /* queued changes of all watchers */
    LIMIT_WATCH_COMMENT_MS = 15000,
    LIMIT_EVENT_TAIL = 16384, /* newest events, shared by all followers */

    /* Limits of planning and reconciling. */
    LIMIT_RECORD_RESOURCE_BYTES = 8192, /* size of one machine's record */
    LIMIT_RECORD_TEXT_BYTES = 1024,     /* size of one text in a machine's record */
    /* Sizes of a provider's data on a machine, so that all of it fits into a record. */
    LIMIT_ROW_ADDRESS_BYTES = 255,
    LIMIT_ROW_ZONE_BYTES = 255,
    LIMIT_OWNER_BYTES = 255,        /* size of an owner, which is in the facts of each machine */
    LIMIT_CONTROL_PASSES = 64,      /* reconcile passes in progress at the same time */
    LIMIT_CONTROL_CALLS = 65536,    /* calls of one cluster, in progress or queued */
    LIMIT_SECRET_BYTES = 16 * 1024, /* size of the value of a secret */
    LIMIT_SECRETS_CHANGE = 64,      /* secrets whose values one request writes */
    /* How long a sealed value without a secret is kept, because a saved plan may refer to it. */
    LIMIT_SECRET_STRAY_S = 25 * 3600,
    LIMIT_ACCOUNT_CALLS = 1024,     /* active calls of all clusters at one provider */
    LIMIT_ACCOUNT_FAILURES = 8,     /* consecutive failures before back-off */
    LIMIT_ACCOUNT_PAUSE_MS = 60000, /* maximum back-off */
    LIMIT_CONTROL_SOURCES = 64,     /* providers of the machines of one cluster */
    /* Time from the start of a manager to its first scheduled backup. */
    LIMIT_BACKUP_FIRST_MS = 60 * 1000,
    LIMIT_BACKUPS = 1000,          /* backups in one folder */
    LIMIT_CONTROL_SERIES = 256,    /* token series whose highest number a cluster keeps */
    LIMIT_CONTROL_ABSENCES = 2000, /* absences counted in one group at the same time */
    /* Size of one stored pass, so that one transaction can write it. */
    LIMIT_PASS_BYTES = 1024 * 1024,
    LIMIT_PASS_PAGES = 1024,               /* chunks of the world of one pass */
    LIMIT_PASS_CHAIN = 64,                 /* passes based on one complete pass */
    LIMIT_PASS_CHAINS = 16,                /* chains of passes kept for a cluster */
    LIMIT_PASSES_BYTES = 16 * 1024 * 1024, /* size of all passes kept for a cluster */
    LIMIT_PASSES_DAYS = 30,
    LIMIT_WHY_STEPS = 8,         /* decisions about one object that `reeve why` shows */
    LIMIT_WHY_WORDS = 4,         /* different refusals of a provider that are shown */
    LIMIT_WHY_EVENTS = 50000,    /* newest events that are searched for these texts */
    LIMIT_PASSES_DROP = 16,      /* passes removed when one is written */
    LIMIT_CONTROL_BOOT_MS = 500, /* time between observations of a newly created machine */
    /* consecutive passes that are skipped, while nothing changes, before a full pass is made */
    LIMIT_CONTROL_STILL = 20,
    LIMIT_CONTROL_GATHER_MS = 100,     /* a pass waits this long for outcomes of calls */
    LIMIT_CONTROL_RESYNC_MS = 30000,   /* interval between two observations of a cluster */
    LIMIT_VOLUMES_EVERY_MS = 600000,   /* interval between two listings of a cluster's volumes */
    LIMIT_VOLUMES_ORPHAN_MS = 600000,  /* age at which an unused resource is reported */
    LIMIT_VOLUMES_KEEP_MS = 604800000, /* time that volumes without a machine are kept: 7 d */
    LIMIT_CONTROL_BACKOFF_MS = 300000, /* maximum back-off after failures */
    LIMIT_SESSION_TTL_MS = 15000, /* a manager without contact for this long loses its leases */

    /* Limits of reeve simulate. */
    LIMIT_SIMULATION_EVENTS = 200000, /* events kept of one run */
    LIMIT_SIMULATION_TURNS = 100000,  /* iterations of the store until files are applied */
    LIMIT_SIMULATION_DAYS = 30,

    /* Limits of HTTP. */
    /* Connections of all listeners; fewer if descriptors are scarce. */
    LIMIT_HTTP_CONNECTIONS = 20000,
    LIMIT_HTTP_CONNECTIONS_ADDRESS = 2048,
    LIMIT_HTTP_SPARE_FILES = 64, /* descriptors reserved for the store and other uses */
    /* Memory of a connection, for request line and headers. */
    LIMIT_HTTP_CONNECTION_BYTES = 16 * 1024,
    LIMIT_HTTP_PIECE_BYTES = 128 * 1024, /* part of a long answer that is sent at a time */
    LIMIT_HTTP_BACKLOG = 1024,
    LIMIT_HTTP_TARGET_BYTES = 8 * 1024,
    LIMIT_HTTP_PARAMETERS = 32,
    LIMIT_HTTP_HEADERS = 64,
    /* Bodies of all requests that are being received. */
    LIMIT_HTTP_BODIES_BYTES = 512 * 1024 * 1024,
    /* Bytes read from the body of a rejected request. */
    LIMIT_HTTP_SKIP_BYTES = 32 * 1024 * 1024,
    LIMIT_HTTP_HEAD_MS = 10000, /* time from connecting to the last header */
    LIMIT_HTTP_IDLE_MS = 60000, /* time from an answer to the last header of the next request */
    LIMIT_HTTP_BODY_MS = 60000,
    LIMIT_HTTP_ANSWER_MS = 300000, /* time for a client to receive an answer */
    LIMIT_HTTP_SILENCE_S = 30,     /* time without progress of a pending read or write */

    /* Limits of a manager. */
    /* Blocks of at least this size return to the system when they are freed. */
    LIMIT_HEAP_PIECE_BYTES = 1 << 20,
    LIMIT_HEAP_SPARE_BYTES = 8 << 20, /* smaller blocks that are kept for reuse */
    /* Free fragments beyond this size also return to the system. */
    LIMIT_HEAP_UNUSED_BYTES = 2 << 20,
    LIMIT_HEAP_EXPECTED_MIN_BYTES = 16 << 20, /* below this size no memory is reserved in advance */
    LIMIT_HEAP_EXPECTED_BYTES = 1 << 30,
    LIMIT_CACHE_CHANGES = 65536,      /* changes kept for watches that lag behind; a power of two */
    LIMIT_CACHE_PAST_BYTES = 1 << 20, /* memory of these changes, if the current state is smaller */
    LIMIT_POLLS = 1000,               /* requests that wait for a change */
    LIMIT_POLL_MS = 30000,

    /* Limits of links between managers. */
    LIMIT_PEERS = 64,             /* other managers to which a manager has a link */
    LIMIT_PEER_PROBE_MS = 1000,   /* interval of probes */
    LIMIT_PEER_CONNECT_MS = 3000, /* time to connect with the handshake, and for a probe */
    /* requests to a peer end when its probes fail for this long */
    LIMIT_PEER_LOST_MS = 10000,
    LIMIT_PEER_HEAD_MS = 60000,    /* time until the head of an answer */
    LIMIT_PEER_PASS_MS = 600000,   /* time until the answer to a reconcile pass */
    LIMIT_PEER_SILENCE_MS = 60000, /* time without a byte of an answer that is being read */
    LIMIT_PEER_SPARE_MS = 5000,    /* how long an idle connection is kept */
    LIMIT_PEER_SPARES = 8,         /* idle connections for each peer */
    LIMIT_PEER_CALLS = 512,        /* requests to each peer at the same time */
    /* bytes of an answer that are queued because the client has not read them yet */
    LIMIT_PEER_QUEUE_BYTES = 262144,
    LIMIT_PEER_FILE_BYTES = 65536,     /* a file with a certificate or a key */
    LIMIT_PEER_BLOB_BYTES = 268435456, /* size of a blob */
    LIMIT_PEER_BLOBS = 64,             /* blobs that are fetched or copied at the same time */
    LIMIT_PEER_PIECE_BYTES = 4194304,  /* bytes of a blob in one answer */
    LIMIT_PEER_BLOB_PAUSE_MS = 5000,   /* time until a blob that no peer had is requested again */
    LIMIT_PEER_COPY_MS = 60000,        /* time to copy new bytes to another manager */
    LIMIT_PEER_IMAGE_MS = 3600000,     /* time to copy an image to another manager */
    /* Time without a refusal after which the log reports that there is space again. */
    LIMIT_STORE_QUIET_MS = 10000,
    LIMIT_STORE_RETRY_MS = 5000, /* time between two write attempts to a full store */
    LIMIT_CACHE_PAGE = 10000,    /* objects read in one step when the cache is loaded */
    /* bytes of keys and values read in one step when the cache is loaded */
    LIMIT_CACHE_PAGE_BYTES = 8 * 1024 * 1024,
    LIMIT_CACHE_BEHIND = 1024,   /* past revisions that a cache loads individually at its start */
    LIMIT_COMPACT_KEEP_S = 3600, /* how long old revisions are kept */
    LIMIT_EVENTS_DAYS = 90,
    LIMIT_EVENTS_ROWS = 10000000,
    LIMIT_BUNDLES_KEEP_DAYS = 14, /* how long bundles without a reference are kept */
    LIMIT_BUNDLES_KEEP_MAX_DAYS = 3650,
    LIMIT_BUNDLES_FIRST_MS = 60 * 1000, /* time from the start of a manager to the first cleanup */
    LIMIT_BUNDLES_LOOK_MS = 3600 * 1000,
    LIMIT_DRAIN_MS = 10000, /* time for requests that are in progress at shutdown */
    LIMIT_CERTIFICATE_BYTES = 1024 * 1024,
    /* `reeve doctor` reports certificates that expire within this time */
    LIMIT_CERTIFICATE_DAYS = 14,
    /* time for a program that a check of the installation runs */
    LIMIT_INSTALLATION_RUN_MS = 20 * 1000,
    LIMIT_INSTALLATION_GRACE_MS = 1000,
    LIMIT_INSTALLATION_OUTPUT_BYTES = 64 * 1024,
    /* free room that the disk of a store needs; more where the store itself is larger */
    LIMIT_INSTALLATION_ROOM_BYTES = 256 * 1024 * 1024,

    /* Limits of the loop of a process. */
    LIMIT_LOOP_WATCHES = 200000, /* timers, descriptors and signals together */
    LIMIT_LOOP_TASKS = 200000,   /* tasks deferred to the end of an iteration */

    /* Limits of files. */
    LIMIT_PATH_BYTES = 4096,

    /* Limits of child processes. */
    LIMIT_ADDRESS_BYTES = 64,     /* size of a numeric address with its NUL */
    LIMIT_CHILD_DESCRIPTORS = 16, /* descriptors passed to a child besides its three streams */
    LIMIT_CHILD_OUTPUT_BYTES = 16 * 1024 * 1024,
    /* time to read pipes that are still open after the child has ended */
    LIMIT_CHILD_DRAIN_MS = 200,

    /* Limits of probes. */
    LIMIT_PROBE_SSH_EVERY_MS = 1500, /* interval of an ssh probe, unless the file sets it */
    LIMIT_PROBE_SSH_TIMEOUT_MS = 1000,
    LIMIT_PROBE_SSH_FAIL = 2,
    LIMIT_PROBE_GOOD = 2,        /* consecutive successes that make a machine healthy again */
    LIMIT_PROBE_GATHER_MS = 100, /* probes due within this time are run together */
    LIMIT_RECORD_CAUSE_BYTES = 200,
    LIMIT_ROW_USER_BYTES = 32,
    /* size of a host key in bytes; an RSA key of 4096 bits has 724 */
    LIMIT_ROW_HOST_KEY_BYTES = 1000,
    LIMIT_PROBES = 128, /* probes in progress at the same time */
    /* Time that a probe may wait for a slot to run its command. The wait does not count against the
     * machine. */
    LIMIT_PROBE_WAIT_MS = 30 * 1000,
    /* Maximum back-off before an unreachable machine is tried again. */
    LIMIT_REACH_PAUSE_MS = 10 * 1000,

    /* Limits of membership sources. */
    /* size of one item, such as the list of all members */
    LIMIT_SERF_FRAME_BYTES = 32 * 1024 * 1024,
    LIMIT_SERF_EVENT_BYTES = 1024 * 1024, /* size of one item of an event, or of a header */
    LIMIT_SERF_ARENA_BYTES = 256 * 1024 * 1024,
    LIMIT_SERF_MEMBERS = 100000,
    LIMIT_SERF_TAGS = 64, /* tags of a member */
    LIMIT_SERF_NAME_BYTES = 253,
    LIMIT_SERF_TEXT_BYTES = 1024, /* the name or the value of a tag */
    LIMIT_SERF_ANSWER_MS = 10 * 1000,
    LIMIT_SERF_EVERY_MS = 10 * 1000, /* interval of checks that the agent still answers */
    LIMIT_SERF_PAUSE_MS = 1000,      /* back-off before a new connection; doubles */
    LIMIT_SERF_PAUSE_MAX_MS = 15 * 1000,

    /* Limits of plugins and their processes. */
    LIMIT_WIRE_FRAME_BYTES = 4 * 1024 * 1024,
    LIMIT_WIRE_ARENA_BYTES = 32 * 1024 * 1024, /* memory for decoding one frame */
    LIMIT_WIRE_LIST_ITEMS = 4096,
    /* size of a key in a plugin's state (REEVE_STATE_KEY_BYTES) */
    LIMIT_PLUGIN_STATE_KEY_BYTES = 300,
    /* size of a value in a plugin's state (REEVE_STATE_VALUE_BYTES) */
    LIMIT_PLUGIN_STATE_VALUE_BYTES = 16 * 1024,
    LIMIT_PLUGIN_STATE_PAGE_BYTES = 1024 * 1024,
    LIMIT_PLUGIN_STATE_PAGE = 1000,
    LIMIT_HOST_PAGE_ROWS = 500,
    LIMIT_HOST_PAGE_BYTES = 1024 * 1024,
    LIMIT_HOST_READ_MS = 30000,    /* deadline of describe and validate */
    LIMIT_HOST_CHANGE_MS = 120000, /* deadline of destroy, label and reboot */
    LIMIT_HOST_CREATE_MS = 300000, /* deadline of create, unless the plugin declares another one */
    LIMIT_HOST_CREATE_MAX_MS = 3600000,
    LIMIT_HOST_STUCK_MS = 30000, /* time from the deadline of a call until its process is ended */
    LIMIT_HOST_START_MS = 10000, /* time for the first message of a plugin */
    LIMIT_HOST_PAUSE_MS = 100,   /* back-off before a restart; doubles */
    LIMIT_HOST_PAUSE_MAX_MS = 30000,
    LIMIT_HOST_ROWS = 1000000,
    /* memory for the rows of one provider listing in the manager */
    LIMIT_HOST_LIST_BYTES = 512 * 1024 * 1024,
    LIMIT_HOST_RETRY_MAX_MS = 3600000, /* maximum delay of a retry that a provider may request */
    LIMIT_HOST_LAG_MS = 24 * 3600000,  /* maximum lag of listings that a provider may declare */
    /* time from the close of a plugin process's socket to SIGKILL */
    LIMIT_HOST_END_MS = 1000,
    /* calls in progress at the same time, unless the plugin declares another number */
    LIMIT_HOST_CALLS = 8,
    LIMIT_HOST_CALLS_MAX = 64,
    LIMIT_HOST_WAITING = 1024, /* calls that wait for a thread */
    LIMIT_HOST_STACK_BYTES = 1024 * 1024,
    LIMIT_HOST_CALL_BYTES = 256 * 1024 * 1024, /* memory that a plugin allocates for one call */
    LIMIT_HOST_FAULTS = 50,                    /* faults that one call reports */
    /* Size of one fault, and of all faults in an event. */
    LIMIT_HOST_FAULT_BYTES = 4096,
    LIMIT_HOST_TEXT_BYTES = 256 * 1024,   /* size of one text of a plugin */
    LIMIT_HOST_CONSOLE_BYTES = 64 * 1024, /* size of the last part of a console that is shown */
    LIMIT_HOST_TAGS = 64,
    LIMIT_SANDBOX_DESCRIPTORS = 8, /* descriptors that stay open, besides the three streams */
    LIMIT_SANDBOX_DEPTH = 32,      /* depth of folders in a plugin's own folder */
    LIMIT_SANDBOX_OPEN = 1024,
    LIMIT_SANDBOX_THREADS = 256,
    /* size of a plugin's /tmp, which is in memory */
    LIMIT_SANDBOX_PASSING_BYTES = 16 * 1024 * 1024,
    LIMIT_SANDBOX_FILE_BYTES = 1024 * 1024 * 1024,
    LIMIT_SANDBOX_DATA_BYTES = 1024 * 1024 * 1024, /* writable memory of a plugin */
    LIMIT_MACHINE_ID_BYTES = 255,                  /* size of the provider's id of a machine */
    LIMIT_PLUGIN_BYTES = 64 * 1024 * 1024,
    LIMIT_PLUGIN_PROPERTIES = 256,
    LIMIT_PLUGIN_WORDS_BYTES = 512 * 1024, /* size of a plugin's whole description */
    /* Requests to plugins about the properties in one change. */
    LIMIT_QUESTIONS = 512,
    LIMIT_PLUGINS = 256,        /* plugins of one manager */
    LIMIT_ACCOUNTS_SHOWN = 256, /* accounts that reeve doctor shows with their state */
    LIMIT_CONFORMANCE_WAIT_MS =
        120000, /* deadline of the conformance suite for a plugin that declares that it is slow */
    /* Memory growth of a plugin's process during the suite. */
    LIMIT_CONFORMANCE_GROWTH_BYTES = 4 * 1024 * 1024,

    /* Limits of sessions with nodes. */
    LIMIT_SESSION_NAME_BYTES = 255, /* size of the name of a host, an address or a user */
    LIMIT_SESSION_CALLS = 16,       /* calls in progress at the same time in one session */
    LIMIT_SESSION_COMMAND_BYTES = 100 * 1024,
    /* Size of the input of one command, or of a file that is written to a node. */
    LIMIT_SESSION_INPUT_BYTES = 3 * 1024 * 1024,
    /* Size of the part of the input that is in progress at one time. libssh doubles its buffers and
     * needs 16 KiB. */
    LIMIT_SESSION_PIECE_BYTES = 15 * 1024,
    LIMIT_SESSION_GET_BYTES = 3 * 1024 * 1024, /* size of a file that is read from a node */
    LIMIT_SESSION_LINE_BYTES = 16 * 1024,
    LIMIT_SESSION_WHY_BYTES = 1024, /* size of a node's error message */
    /* Size of a key, a certificate or the keys of a host. */
    LIMIT_SESSION_KEYS_BYTES = 64 * 1024,
    /* output of one call that is sent to the manager and not processed yet */
    LIMIT_SESSION_WINDOW_BYTES = 256 * 1024,
    /* Sessions of one process, which takes 1 MiB and 55 KiB for each session. */
    LIMIT_SESSION_SESSIONS = 100,
    /* Size of all frames queued for a session process. */
    LIMIT_SESSION_QUEUE_BYTES = 64 * 1024 * 1024,
    /* The manager stops reading a file while the frames in this queue exceed this size. */
    LIMIT_SESSION_AHEAD_BYTES = 64 * 1024,
    LIMIT_SESSION_START_MS = 10000, /* time for the first message of a session process */
    /* A session process returns free memory to the system after this time without a call. */
    LIMIT_SESSION_REST_MS = 1000,
    LIMIT_SESSION_END_MS = 2000, /* time from the close of a session process's socket to SIGKILL */
    /* Additional time after a deadline that the process itself should have enforced. */
    LIMIT_SESSION_LATE_MS = 2000,
    LIMIT_SESSION_GRACE_MS = 500,      /* time for a client of OpenSSH from SIGTERM to SIGKILL */
    LIMIT_SESSION_POOL = 64,           /* maximum number of session processes */
    LIMIT_SESSION_POOL_RUNS = 256,     /* runs in progress at the same time, in all zones */
    LIMIT_SESSION_POOL_ZONE_RUNS = 64, /* runs in progress at the same time in one zone */
    LIMIT_SESSION_POOL_WAITING = 100000,
    LIMIT_SESSION_POOL_IDLE_MS = 120000, /* how long an unused session is kept */
    LIMIT_SESSION_POOL_OPEN_MS = 20000,
    /* Back-off before an unreachable node is tried again; doubles. */
    LIMIT_SESSION_POOL_PAUSE_MS = 1000,
    LIMIT_SESSION_POOL_PAUSE_MAX_MS = 300000,
    LIMIT_SESSION_POOL_OUTPUT_BYTES = 4096, /* output of a command that is kept */

    /* Limits of commands on many nodes (reeve exec). */
    LIMIT_EXECS = 64,      /* commands in progress at the same time, of all users */
    LIMIT_EXEC_RUNS = 128, /* nodes of one command at the same time; the pool has its own limit */
    /* Size of each output stream of a node, by default. */
    LIMIT_EXEC_OUTPUT_BYTES = 1024 * 1024,
    LIMIT_EXEC_OUTPUT_MAX_BYTES = 64 * 1024 * 1024, /* maximum output size that a request can set */
    /* Output that the client has not read yet; beyond it the nodes wait. */
    LIMIT_EXEC_QUEUE_BYTES = 1024 * 1024,
    LIMIT_EXEC_MS = 300000, /* duration on each node, by default */
    LIMIT_EXEC_MAX_MS = 24 * 3600 * 1000,
    LIMIT_EXEC_TURN_MS = 120000,         /* time to wait until a busy node is free */
    LIMIT_EXEC_COMMAND_SHOWN_BYTES = 80, /* size of the command in the event */
    /* Problems that a job's row shows with details. The row has the names of all problems. */
    LIMIT_JOB_PROBLEMS = 5,
    /* Machines that one request may list for replacement, and that may wait for the pass that marks
     * them. */
    LIMIT_REPLACE_MACHINES = 1000,
    LIMIT_REPLACE_WAITING = 5000,
    LIMIT_REBOOT_MACHINES = 1000,
    LIMIT_REBOOT_WAITING = 2000,
    /* names of each kind in a selection, each of which is compared with each machine */
    LIMIT_JOB_NAMES = 2000,
    LIMIT_BATCHES_NODES = 5000, /* machines of one job, which is one value of the store */
    LIMIT_BATCHES = 20,         /* jobs of one cluster that are in progress at the same time */
    LIMIT_BATCHES_KEPT = 10,    /* finished jobs of one cluster */

    /* Limits of fetching plugins. */
    LIMIT_FETCH_URL_BYTES = 2048,
    /* size of a fetched plugin; loading a plugin has the same limit */
    LIMIT_FETCH_BYTES = LIMIT_PLUGIN_BYTES,
    LIMIT_FETCH_REDIRECTS = 5,
    LIMIT_FETCH_HEAD_BYTES = 64 * 1024, /* size of all headers of one answer */
    LIMIT_FETCH_ADDRESSES = 32,         /* addresses of one host */
    LIMIT_FETCH_NETWORKS = 64,          /* networks that the settings allow */
    LIMIT_FETCH_CA_BYTES = 4 * 1024 * 1024,
    LIMIT_FETCH_ORDER_BYTES = 64 * 1024,
    LIMIT_FETCH_ANSWER_BYTES = 16 * 1024,
    LIMIT_FETCH_CONNECT_MS = 10 * 1000,
    LIMIT_FETCH_MS = 120 * 1000,       /* time from the start of the process to SIGTERM */
    LIMIT_FETCH_SLOW_BYTES = 4 * 1024, /* minimum bytes a second */
    LIMIT_FETCH_SLOW_MS = 15 * 1000,   /* time over which the minimum speed is measured */
    LIMIT_FETCHES = 4,                 /* fetches in progress at the same time */
    LIMIT_FETCH_WANTS = 1024,          /* plugins to fetch for all tenants together */
    LIMIT_FETCH_PAUSE_MS = 5 * 1000,   /* back-off before a retry; doubles */
    LIMIT_FETCH_PAUSE_MAX_MS = 3600 * 1000,

    /* Limits of OpenSSH's files and of certificates. */
    LIMIT_SSH_LINE_BYTES = 64 * 1024, /* size of the line of one key or certificate */
    /* memory for constructing the line of a key or certificate */
    LIMIT_SSH_ARENA_BYTES = 1024 * 1024,
    /* Size of the name of a principal, a host or a block. */
    LIMIT_SSH_NAME_BYTES = 255,
    /* principals of a certificate; OpenSSH does not read more */
    LIMIT_SSH_PRINCIPALS = 256,
    LIMIT_SSH_OPTIONS = 32,                  /* options of each kind in one certificate */
    LIMIT_SSH_FILE_BYTES = 16 * 1024 * 1024, /* size of authorized_keys */
    LIMIT_KRL_BYTES = 4 * 1024 * 1024,
    LIMIT_KRL_ENTRIES = 65536,
    LIMIT_KRL_BITMAP_BYTES = 2048, /* bytes of a bitmap; OpenSSH does not read more */

    /* Limits of the signer server (docs/decisions/0050). */
    LIMIT_SIGNER_AUTHORITIES = 4096,
    LIMIT_SIGNER_NAME_BYTES = 128, /* size of the name of an authority: TENANT/ID */
    /* Size of the requester's name, and of the id of a certificate. */
    LIMIT_SIGNER_FIELD_BYTES = 255,
    LIMIT_SIGNER_PRINCIPALS = 32,    /* names and addresses of a host */
    LIMIT_SIGNER_TTL_MIN_S = 5 * 60, /* minimum lifetime of a certificate */
    LIMIT_SIGNER_TTL_MAX_S = 30 * 24 * 3600,
    LIMIT_SIGNER_TTL_USER_S = 7 * 24 * 3600, /* default lifetime of a certificate of a user */
    LIMIT_SIGNER_BACKDATE_S = 5 * 60,        /* tolerance for clock differences */
    /* Certificates of one authority that are signed in a burst. */
    LIMIT_SIGNER_BURST = 10000,
    /* Certificates of one authority a second, after the burst. */
    LIMIT_SIGNER_PER_S = 100,
    LIMIT_SIGNER_REVOKED = 32768, /* entries of one authority's revocation list */
    /* Size of a revocation list, which is sent in one frame. */
    LIMIT_SIGNER_KRL_BYTES = 2 * 1024 * 1024,
    /* Size of all names of a host, which are in one line of the log. */
    LIMIT_SIGNER_NAMES_BYTES = 2048,
    LIMIT_SIGNER_CALLS = 16384, /* calls in progress at the same time */
    LIMIT_SIGNER_CALL_MS = 10 * 1000,
    LIMIT_SIGNER_START_MS = 10 * 1000, /* time for the first message of the signer */
    LIMIT_SIGNER_PAUSE_MS = 100,       /* back-off before a restart; doubles */
    LIMIT_SIGNER_PAUSE_MAX_MS = 30 * 1000,
    LIMIT_AUTHORITIES_SWEPT = 1000, /* authorities checked for deleted clusters in one step */
    LIMIT_AUTHORITIES_SWEEP_MS = 300 * 1000,
    LIMIT_SIGNER_END_MS = 1000, /* time from the close of the signer's socket to SIGKILL */

    /* This host's member of the managed store (etcd_member). */
    LIMIT_MEMBER_FIELD_BYTES = 4096,          /* size of one argument of a member */
    LIMIT_MEMBER_CONNECTIONS = 16,            /* connections to reeve-store at the same time */
    LIMIT_MEMBER_ASK_MS = 10 * 1000,          /* time for the request of a connection */
    LIMIT_MEMBER_CALL_MS = 300 * 1000,        /* time limit of a method by default */
    LIMIT_MEMBER_CALL_MAX_MS = 3600 * 1000,   /* largest time limit of a method */
    LIMIT_MEMBER_EXTRA_MS = 5 * 1000,         /* extra time for the reply of a method */
    LIMIT_MEMBER_METRICS_BYTES = 1024 * 1024, /* size of the metrics of etcd */
    LIMIT_MEMBER_METRICS_MS = 2 * 1000,       /* time for the metrics of etcd */
    LIMIT_MEMBER_END_MS = 10 * 1000,          /* time from SIGTERM to SIGKILL of etcd */
    LIMIT_MEMBER_PAUSE_MS = 500,              /* pause before etcd is started again; doubles */
    LIMIT_MEMBER_PAUSE_MAX_MS = 60 * 1000,
    LIMIT_MEMBER_STEADY_MS = 60 * 1000,       /* time after which a start of etcd has succeeded */
    LIMIT_MEMBER_RESTORE_MS = 600 * 1000,     /* time for a restore by etcdctl */
    LIMIT_MEMBER_LINE_BYTES = 16 * 1024,      /* size of a line of etcd's log; the rest is cut */
    LIMIT_MEMBER_ASIDE_S = 14 * 24 * 3600,    /* how long data that were put aside are kept */
    LIMIT_MEMBER_LOG_BYTES = 4 * 1024 * 1024, /* size of the log of a detached reeve-store */

    /* The log. A pipe takes a line of up to PIPE_BUF bytes as a whole. */
    LIMIT_LOG_LINE_BYTES = 4096,
    LIMIT_LOG_VALUE_BYTES = 64 * 1024, /* size of a field in the journal */
    LIMIT_LOG_BURST = 20,              /* lines of one event in a window */
    LIMIT_LOG_WINDOW_MS = 10000,
    LIMIT_LOG_REPEATED = 64, /* events that are counted at the same time */
    LIMIT_LOG_WAIT_MS = 50,  /* time to wait for a process that does not read its end of the pipe */

    /* Limits of the store in etcd, and addresses of managers. */
    LIMIT_CONTEXT_URLS = 16,         /* addresses of a context of the command line */
    LIMIT_CONTEXT_CONNECT_MS = 5000, /* time to connect before the next address is tried */
    LIMIT_ETCD_ENDPOINTS = 16,
    LIMIT_ETCD_ENDPOINT_BYTES = 512,
    LIMIT_ETCD_PREFIX_BYTES = 256,
    LIMIT_ETCD_CALLS = 256,    /* calls sent at the same time; further calls wait */
    LIMIT_ETCD_CALL_MS = 5000, /* deadline of one call */
    /* deadline of each call in the first attempt to open a store that may be opened later */
    LIMIT_ETCD_ATTEMPT_MS = 1000,
    LIMIT_ETCD_REPEAT_MS = 100, /* pause before a call that no etcd member executed is repeated */
    /* connections that members may reset until a rejected certificate is assumed */
    LIMIT_ETCD_CUTS = 6,
    LIMIT_ETCD_SILENT_MS = 5000, /* time without a quorum until the store counts as not writable */
    /* interval of linearizable reads while there are no other successful calls */
    LIMIT_ETCD_PING_MS = 2000,
    LIMIT_ETCD_SIZE_MS = 60000, /* interval at which the size of the store is read */
    /* lag of a watch after which the manager writes a key to trigger an event */
    LIMIT_ETCD_NUDGE_MS = 200,
    /* a watch that has not delivered this write after this time is renewed */
    LIMIT_ETCD_STALL_MS = 3000,
    LIMIT_ETCD_REFUSE_MS = 500, /* pause before a call is refused while the store is not open */
    LIMIT_ETCD_CLOSE_MS = 2000, /* time for calls that are in progress when the store is closed */
    LIMIT_ETCD_BACK_OFF_MS = 2000, /* maximum time between two attempts to resume a watch */
    LIMIT_ETCD_TRIES = 64,         /* tries of a transaction with contended counters */
    LIMIT_ETCD_COUNTERS = 4096,    /* counters whose newest values are kept */
    /* Operations in one transaction that etcd must accept. One operation of reeve needs up to four
     * operations of etcd. */
    LIMIT_ETCD_TXN_OPERATIONS = 512,
    LIMIT_ETCD_EVENTS = 12000000, /* events that are searched for expired ones */
    LIMIT_ETCD_PAGE = 128,        /* initial number of items of one answer */
    LIMIT_ETCD_PAGE_MAX = 8192,
    LIMIT_ETCD_PAGE_BYTES = 8 * 1024 * 1024,     /* target size of a page */
    LIMIT_ETCD_MESSAGE_BYTES = 64 * 1024 * 1024, /* size of one answer */
    LIMIT_ETCD_WATCH_EVENTS = 1000000,           /* events of one answer */

    /* Limits of clients of a manager. */
    LIMIT_ANSWER_LINE_BYTES = 8 * 1024,
    LIMIT_ANSWER_HEAD_BYTES = 64 * 1024,
    LIMIT_ANSWER_FIELD_BYTES = 256,         /* size of a field that is kept */
    LIMIT_ANSWER_BYTES = 256 * 1024 * 1024, /* size of one answer of a manager; lists have pages */
    /* Values in an answer, whose memory fits into an arena. */
    LIMIT_ANSWER_NODES = 8 * 1024 * 1024,
    /* Size of one event of a stream, which has one object. */
    LIMIT_EVENT_BYTES = 16 * 1024 * 1024,
    LIMIT_EVENT_NAME_BYTES = 128,
    /* Time without a byte after which a stream is considered lost: three times the interval of the
     * comments that a manager sends. */
    LIMIT_STREAM_SILENCE_MS = 45 * 1000,
    LIMIT_REQUEST_MS = 60 * 1000,
    LIMIT_PROBE_MS = 5 * 1000, /* deadline of the request that checks whether a manager serves */
    /* The command line shows why it waits when an answer takes longer than this. */
    LIMIT_SLOW_ANSWER_MS = 300,
    LIMIT_LIST_PAGE = 5000,   /* objects in one request; a page is one document */
    LIMIT_NODES_PAGE = 10000, /* machines in one request */
    /* maximum age of a list of targets that a manager still serves */
    LIMIT_TARGETS_AGE_MS = 60000,
    LIMIT_OUT_HELD_BYTES = 4 * 1024 * 1024, /* output of a list that is held before it is written */
    LIMIT_SETTINGS_BYTES = 256 * 1024,

    /* suggestions: candidates longer than this are never suggested */
    LIMIT_SUGGEST_BYTES = 64,
};

/* Memory limit of the arena of one command or request. It suffices for a document at its limits,
 * its normalised copy and its plan; a larger document is rejected earlier. */
#define LIMIT_WORK_ARENA_BYTES ((size_t)3 * 1024 * 1024 * 1024)

/* Address space of a plugin's process. The stacks and heaps of its threads are reserved in it long
 * before they are used. */
#define LIMIT_SANDBOX_FOLDER_BYTES  ((uint64_t)2 * 1024 * 1024 * 1024)
#define LIMIT_SANDBOX_ADDRESS_BYTES ((uint64_t)6 * 1024 * 1024 * 1024)

/* Maximum duration of a pause that ends automatically. */
#define LIMIT_PAUSE_MAX_MS ((uint64_t)366 * 24 * 3600 * 1000)

#endif
