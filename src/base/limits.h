#ifndef REEVE_BASE_LIMITS_H
#define REEVE_BASE_LIMITS_H

/* Every bound of the program has its name here. FILE.md section 8 and DESIGN.md section 8 settle the
 * values that people meet; the rest bounds our own memory. */

enum {
    /* documents, YAML and JSON alike */
    LIMIT_DOCUMENT_BYTES = 16 * 1024 * 1024,
    LIMIT_DOCUMENT_DEPTH = 64,
    LIMIT_DOCUMENT_NODES = 2000000,
    LIMIT_ALIAS_EXPANSIONS = 1000,
    LIMIT_LINE_INDICATORS = 250000, /* brackets, commas, colons, quotes in a line of YAML */
    LIMIT_DOCUMENTS_PER_SET = 10000,
    LIMIT_FILES_PER_SET = 1000,

    /* the model */
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

    /* errors */
    LIMIT_ERRORS_KEPT = 50,
    LIMIT_ERRORS_SHOWN = 20,
    LIMIT_ERROR_TEXT_BYTES = 320,
    LIMIT_ERROR_PATH_BYTES = 256,

    /* path expressions of the command line: brackets within brackets */
    LIMIT_PATH_DEPTH = 32,

    /* selectors */
    LIMIT_SELECTOR_BYTES = 4096,
    LIMIT_SELECTOR_CLAUSES = 32,
    LIMIT_SELECTOR_VALUES = 256,
    LIMIT_SELECTOR_KEY_BYTES = 253,

    /* the store */
    LIMIT_STORE_TXN_OPERATIONS = 128, /* compares, changes and events together */
    LIMIT_STORE_VALUE_BYTES = 256 * 1024,
    LIMIT_RECORD_BYTES =
        250 * 1024, /* of one object as stored: fits into a value with what is around it */
    LIMIT_STORE_KEY_BYTES = 512,
    LIMIT_STORE_LIST = 100000,   /* items of one list call */
    LIMIT_STORE_HISTORY = 100,   /* revisions kept of each spec */
    LIMIT_STORE_KEYS = 10000000, /* of the store in memory; versions of them as well */
    LIMIT_STORE_WATCHES = 100000,
    LIMIT_STORE_PENDING = 100000, /* calls under way */

    /* requests */
    LIMIT_LIST_BODY_BYTES =
        256 * 1024,         /* of a list that is written at once; longer ones as they are read */
    LIMIT_CHANGE_TRIES = 8, /* times a change is computed anew because others were faster */
    LIMIT_CHANGE_OBJECTS =
        12,                /* written at once: with compares, names and events one transaction */
    LIMIT_CHANGE_OPS = 40, /* keys of those; more become an operation */
    LIMIT_CHANGE_AGE_MS =
        120000, /* of a request when it is written: an older one has no effect any more */
    LIMIT_CHANGE_REFERENCES = 30,
    LIMIT_PAGE = 100000, /* objects of one page of a list */
    LIMIT_EVENTS_PAGE = 1000,
    LIMIT_WHY_BYTES = 1024,
    LIMIT_PAUSE_MIN_MS = 1000, /* of one that ends by itself */
    LIMIT_IDEMPOTENCY_KEY_BYTES = 128,
    LIMIT_EVENT_GROUPS = 8, /* that an event names */
    LIMIT_PLAN_TTL_S = 24 * 3600,
    LIMIT_JOB_KEPT_S = 7 * 24 * 3600, /* of a cluster that is gone, since it ended */
    LIMIT_REQUEST_TTL_S = 24 * 3600,  /* a repeated request is known */
    LIMIT_SWEEP_KEYS = 100,           /* expired ones removed at once */
    LIMIT_REQUESTS_WAITING = 10000,   /* for a revision */
    LIMIT_REVISION_WAIT_MS = 10000,
    LIMIT_TENANT_BYTES = 63,
    LIMIT_GRANTS = 256,       /* of one user */
    LIMIT_IDENTITY_GONE = 50, /* tokens and grants that go with their user */
    LIMIT_WRONG_TOKENS = 20,  /* of one address, in this time; further ones are answered with 429 */
    LIMIT_WRONG_TOKENS_MS = 60000,
    LIMIT_WRONG_TOKEN_ADDRESSES = 4096,
    LIMIT_TOKEN_DEPTH = 8,      /* tokens that were made with one another */
    LIMIT_PAGE_LINKS = 512,     /* to the web page, that were asked for and not used */
    LIMIT_PAGE_LINKS_USER = 8,  /* the same, of one user */
    LIMIT_PAGE_LINK_MS = 60000, /* that one counts */
    LIMIT_PAGE_SESSION_S = 12 * 3600,
    LIMIT_PAGE_LOGIN_BYTES = 4096,       /* of what somebody sends who is not known yet */
    LIMIT_PAGE_FILE_BYTES = 1024 * 1024, /* of the page, read from a folder (--ui-dir) */
    LIMIT_WATCHERS = 10000,
    LIMIT_WATCH_ORDERED = 256, /* changes that one watcher has not read of, each told by itself */
    LIMIT_WATCH_QUEUE = 512,   /* with those of which only the newest of each object is told */
    LIMIT_WATCH_ENTRIES = 2000000, /* of all watchers */
    LIMIT_WATCH_COMMENT_MS = 15000,
    LIMIT_EVENT_TAIL = 16384, /* newest events that all who follow them share */

    /* deciding */
    LIMIT_RECORD_RESOURCE_BYTES = 8192, /* of one machine's record */
    LIMIT_RECORD_TEXT_BYTES = 1024,     /* of one text in it */
    LIMIT_ROW_ADDRESS_BYTES =
        255, /* of what a provider says of a machine: all of it fits into a record */
    LIMIT_ROW_ZONE_BYTES = 255,
    LIMIT_OWNER_BYTES = 255,        /* it stands in the facts of each machine */
    LIMIT_CONTROL_PASSES = 64,      /* under way at once */
    LIMIT_CONTROL_CALLS = 65536,    /* of one cluster under way, or waiting for their turn */
    LIMIT_SECRET_BYTES = 16 * 1024, /* of the value of a secret */
    LIMIT_SECRETS_CHANGE = 64,      /* whose values one request writes */
    LIMIT_SECRET_STRAY_S =
        25 * 3600,              /* a sealed value that no secret names stays: a saved plan may */
    LIMIT_ACCOUNT_CALLS = 1024, /* under way at once, of all clusters at one provider */
    LIMIT_ACCOUNT_FAILURES = 8, /* in a row; then it is left in peace for a while */
    LIMIT_ACCOUNT_PAUSE_MS = 60000, /* the longest such while */
    LIMIT_CONTROL_SOURCES = 64,     /* providers that machines of one cluster were asked of */
    LIMIT_BACKUP_FIRST_MS =
        60 * 1000,                  /* from the start of a manager to its first scheduled backup */
    LIMIT_BACKUPS = 1000,           /* that a folder of backups may have */
    LIMIT_CONTROL_SERIES = 256,     /* of tokens whose highest number a cluster keeps */
    LIMIT_CONTROL_ABSENCES = 2000,  /* that are counted in one group at once */
    LIMIT_PASS_BYTES = 1024 * 1024, /* of what one pass has decided on: one transaction takes it */
    LIMIT_PASS_PAGES = 1024,        /* that its world is written in */
    LIMIT_PASS_CHAIN = 64,          /* passes that go back to one that is whole */
    LIMIT_PASS_CHAINS = 16,         /* that are kept of a cluster */
    LIMIT_PASSES_BYTES = 16 * 1024 * 1024, /* the same in bytes */
    LIMIT_PASSES_DAYS = 30,
    LIMIT_WHY_STEPS = 8,         /* decisions about the same thing that are shown */
    LIMIT_WHY_WORDS = 4,         /* of a provider, each another, that are shown */
    LIMIT_WHY_EVENTS = 50000,    /* the newest, that are looked through for them */
    LIMIT_PASSES_DROP = 16,      /* that are removed with one that is written */
    LIMIT_CONTROL_BOOT_MS = 500, /* between looks at a machine that has only just been made */
    LIMIT_CONTROL_STILL = 20, /* looks at what is still as it was, from one whole one to the next */
    LIMIT_CONTROL_GATHER_MS = 100,     /* outcomes of calls are waited for before it decides anew */
    LIMIT_CONTROL_RESYNC_MS = 30000,   /* from one look at a cluster to the next */
    LIMIT_CONTROL_BACKOFF_MS = 300000, /* the longest wait after failures */
    LIMIT_SESSION_TTL_MS = 15000,      /* a manager that was silent for so long has no leases */

    /* reeve simulate */
    LIMIT_TRIAL_EVENTS = 200000, /* that are kept of one run */
    LIMIT_TRIAL_TURNS = 100000,  /* of the store, until files are applied */
    LIMIT_TRIAL_DAYS = 30,

    /* HTTP */
    LIMIT_HTTP_CONNECTIONS = 20000, /* of all listeners; fewer where there are fewer descriptors */
    LIMIT_HTTP_CONNECTIONS_ADDRESS = 2048,
    LIMIT_HTTP_SPARE_FILES = 64, /* descriptors that are left for the store and the rest */
    LIMIT_HTTP_CONNECTION_BYTES = 16 * 1024, /* of memory: request line and headers fit into it */
    LIMIT_HTTP_PIECE_BYTES = 128 * 1024,     /* of a long answer, at a time */
    LIMIT_HTTP_BACKLOG = 1024,
    LIMIT_HTTP_TARGET_BYTES = 8 * 1024,
    LIMIT_HTTP_PARAMETERS = 32,
    LIMIT_HTTP_HEADERS = 64,
    LIMIT_HTTP_BODIES_BYTES = 512 * 1024 * 1024, /* being received, of all requests together */
    LIMIT_HTTP_SKIP_BYTES = 32 * 1024 * 1024,    /* of a body that is read only to be refused */
    LIMIT_HTTP_HEAD_MS = 10000,                  /* from connecting to the last header */
    LIMIT_HTTP_IDLE_MS = 60000, /* from an answer to the next request's last header */
    LIMIT_HTTP_BODY_MS = 60000,
    LIMIT_HTTP_ANSWER_MS = 300000, /* for a client to take an answer, however fast it reads */
    LIMIT_HTTP_SILENCE_S = 30,     /* while something is to be read or written */

    /* a manager */
    LIMIT_HEAP_PIECE_BYTES =
        1 << 20, /* pieces of memory from this size on go back to the system when they are freed */
    LIMIT_HEAP_SPARE_BYTES = 8 << 20,  /* of smaller ones so much is kept for what comes next */
    LIMIT_HEAP_UNUSED_BYTES = 2 << 20, /* more than that, lying free in between, goes back, too */
    LIMIT_HEAP_EXPECTED_MIN_BYTES = 16 << 20, /* what is less comes as it is asked for */
    LIMIT_HEAP_EXPECTED_BYTES = 1 << 30,
    LIMIT_CACHE_CHANGES = 65536,      /* kept for watches that are behind; a power of two */
    LIMIT_CACHE_PAST_BYTES = 1 << 20, /* of them, where all that there is weighs less */
    LIMIT_POLLS = 1000,               /* requests that wait for a change */
    LIMIT_POLL_MS = 30000,
    LIMIT_STORE_QUIET_MS =
        10000, /* without a refusal, until the log says that there is room again */
    LIMIT_STORE_RETRY_MS = 5000, /* between two attempts to write, while the store takes nothing */
    LIMIT_CACHE_PAGE = 500,      /* objects that are read at once when it is loaded */
    LIMIT_CACHE_BEHIND = 1024,   /* revisions of before its start that a cache knows one by one */
    LIMIT_COMPACT_KEEP_S = 3600, /* of what was before */
    LIMIT_EVENTS_DAYS = 90,
    LIMIT_EVENTS_ROWS = 10000000,
    LIMIT_BUNDLES_KEEP_DAYS = 14, /* that nothing names */
    LIMIT_BUNDLES_KEEP_MAX_DAYS = 3650,
    LIMIT_BUNDLES_FIRST_MS = 60 * 1000, /* from the start of a manager to its first look at them */
    LIMIT_BUNDLES_LOOK_MS = 3600 * 1000,
    LIMIT_DRAIN_MS = 10000, /* for requests that are under way at the end */
    LIMIT_CERTIFICATE_BYTES = 1024 * 1024,

    /* the loop of a process */
    LIMIT_LOOP_WATCHES = 200000, /* timers, descriptors and signals together */
    LIMIT_LOOP_TASKS = 200000,   /* put off to the end of a turn */

    /* files */
    LIMIT_PATH_BYTES = 4096,

    /* children */
    LIMIT_ADDRESS_BYTES = 64,     /* of an address in numbers, with its end */
    LIMIT_CHILD_DESCRIPTORS = 16, /* handed to one, besides its three streams */
    LIMIT_CHILD_OUTPUT_BYTES = 16 * 1024 * 1024,
    LIMIT_CHILD_DRAIN_MS = 200, /* for pipes that somebody holds when the child has ended */

    /* probes */
    LIMIT_PROBE_SSH_EVERY_MS = 1500, /* of an ssh probe, unless the file says it */
    LIMIT_PROBE_SSH_TIMEOUT_MS = 1000,
    LIMIT_PROBE_SSH_FAIL = 2,
    LIMIT_PROBE_GOOD = 2,        /* in a row, and a machine is well again */
    LIMIT_PROBE_GATHER_MS = 100, /* those that are due so soon are made together */
    LIMIT_RECORD_CAUSE_BYTES = 200,
    LIMIT_ROW_USER_BYTES = 32,
    LIMIT_ROW_HOST_KEY_BYTES = 1000, /* RSA with 4096 bits has 724 */
    LIMIT_PROBES = 128,              /* under way at once */
    LIMIT_PROBE_WAIT_MS =
        30 * 1000, /* for a turn to run its command, which is not counted against the machine */
    LIMIT_REACH_PAUSE_MS =
        10 * 1000, /* at most, before a machine that could not be reached is tried again */

    /* plugins and the processes that hold them */
    LIMIT_WIRE_FRAME_BYTES = 4 * 1024 * 1024,
    LIMIT_WIRE_ARENA_BYTES = 32 * 1024 * 1024, /* what reading one frame may cost */
    LIMIT_WIRE_LIST_ITEMS = 4096,
    LIMIT_HOST_PAGE_ROWS = 500,
    LIMIT_HOST_PAGE_BYTES = 1024 * 1024,
    LIMIT_HOST_READ_MS = 30000,    /* for describe and validate */
    LIMIT_HOST_CHANGE_MS = 120000, /* for destroy, label, reboot */
    LIMIT_HOST_CREATE_MS = 300000, /* where the plugin does not say */
    LIMIT_HOST_CREATE_MAX_MS = 3600000,
    LIMIT_HOST_STUCK_MS = 30000, /* from its deadline to the end of a process that holds it */
    LIMIT_HOST_START_MS = 10000, /* for the first word of a plugin */
    LIMIT_HOST_PAUSE_MS = 100,   /* before it is started again; doubles */
    LIMIT_HOST_PAUSE_MAX_MS = 30000,
    LIMIT_HOST_ROWS = 1000000,
    LIMIT_HOST_LIST_BYTES = 512 * 1024 * 1024, /* what they may cost the manager */
    LIMIT_HOST_RETRY_MAX_MS = 3600000,         /* a provider may put off a call by so much */
    LIMIT_HOST_LAG_MS = 24 * 3600000,          /* and be behind by so much */
    LIMIT_HOST_END_MS = 1000,                  /* from the close of its socket to SIGKILL */
    LIMIT_HOST_CALLS = 8, /* under way at once, where the plugin does not say */
    LIMIT_HOST_CALLS_MAX = 64,
    LIMIT_HOST_WAITING = 1024, /* calls that wait for a thread */
    LIMIT_HOST_STACK_BYTES = 1024 * 1024,
    LIMIT_HOST_CALL_BYTES = 256 * 1024 * 1024, /* that a plugin may have allocated for a call */
    LIMIT_HOST_FAULTS = 50,                    /* told of one call */
    LIMIT_HOST_FAULT_BYTES = 4096,             /* of one of them, and of all of them in an event */
    LIMIT_HOST_TEXT_BYTES = 256 * 1024,        /* one text of a plugin's */
    LIMIT_HOST_TAGS = 64,
    LIMIT_SANDBOX_DESCRIPTORS = 8, /* that stay open, besides the three streams */
    LIMIT_SANDBOX_DEPTH = 32,      /* of folders in a plugin's own one */
    LIMIT_SANDBOX_OPEN = 1024,
    LIMIT_SANDBOX_THREADS = 256,
    LIMIT_SANDBOX_PASSING_BYTES = 16 * 1024 * 1024, /* in its /tmp, which is memory */
    LIMIT_SANDBOX_FILE_BYTES = 1024 * 1024 * 1024,
    LIMIT_SANDBOX_DATA_BYTES = 1024 * 1024 * 1024, /* memory that it can write */
    LIMIT_MACHINE_ID_BYTES = 255,                  /* as its provider names it */
    LIMIT_PLUGIN_BYTES = 64 * 1024 * 1024,
    LIMIT_PLUGIN_PROPERTIES = 256,
    LIMIT_PLUGIN_WORDS_BYTES = 512 * 1024, /* all that it says of itself */
    LIMIT_QUESTIONS = 512,                 /* to plugins, about the properties in one change */
    LIMIT_PLUGINS = 256,                   /* of one manager */
    LIMIT_ACCOUNTS_SHOWN = 256,            /* with how they stand, for doctors */
    LIMIT_KIT_WAIT_MS = 120000, /* the conformance kit, for what a plugin declares to be slow */
    LIMIT_KIT_GROWTH_BYTES = 4 * 1024 * 1024, /* a plugin's process, over the kit's calls */

    /* sessions with nodes */
    LIMIT_SESSION_NAME_BYTES = 255, /* of a host, an address, a user */
    LIMIT_SESSION_CALLS = 16,       /* under way at once in one session */
    LIMIT_SESSION_COMMAND_BYTES = 100 * 1024,
    LIMIT_SESSION_INPUT_BYTES = 3 * 1024 * 1024, /* of one command, and of a file to put */
    LIMIT_SESSION_PIECE_BYTES =
        15 *
        1024, /* of it that is on its way at once; libssh, which doubles its buffers, needs 16 KiB */
    LIMIT_SESSION_GET_BYTES = 3 * 1024 * 1024, /* of a file to get */
    LIMIT_SESSION_LINE_BYTES = 16 * 1024,
    LIMIT_SESSION_WHY_BYTES = 1024,          /* of what a node says went wrong */
    LIMIT_SESSION_KEYS_BYTES = 64 * 1024,    /* of a key, a certificate, the keys of a host */
    LIMIT_SESSION_WINDOW_BYTES = 256 * 1024, /* of one call's output on the way to the manager */
    LIMIT_SESSION_SESSIONS =
        100, /* that one process holds, which takes 1 MiB and 55 KiB for each */
    LIMIT_SESSION_QUEUE_BYTES = 64 * 1024 * 1024, /* of frames that wait for a hand to take them */
    LIMIT_SESSION_AHEAD_BYTES = 64 * 1024,        /* of them, before it gets more of a file */
    LIMIT_SESSION_START_MS = 10000,               /* for its first word */
    LIMIT_SESSION_REST_MS = 1000,                 /* without a call, then memory goes back */
    LIMIT_SESSION_END_MS = 2000,                  /* from the close of its socket to SIGKILL */
    LIMIT_SESSION_LATE_MS = 2000,      /* past a deadline that it should have kept by itself */
    LIMIT_SESSION_GRACE_MS = 500,      /* for a client of OpenSSH, from SIGTERM to SIGKILL */
    LIMIT_SESSION_POOL = 64,           /* such processes */
    LIMIT_SESSION_POOL_RUNS = 256,     /* under way at once, in all */
    LIMIT_SESSION_POOL_ZONE_RUNS = 64, /* and in one zone */
    LIMIT_SESSION_POOL_WAITING = 100000,
    LIMIT_SESSION_POOL_IDLE_MS = 120000, /* a session that nobody uses is kept */
    LIMIT_SESSION_POOL_OPEN_MS = 20000,
    LIMIT_SESSION_POOL_PAUSE_MS =
        1000, /* before a node that could not be reached is tried again; doubles */
    LIMIT_SESSION_POOL_PAUSE_MAX_MS = 300000,
    LIMIT_SESSION_POOL_OUTPUT_BYTES = 4096, /* that are kept of a command's */

    /* commands on many nodes (reeve exec) */
    LIMIT_EXECS = 64,                      /* under way at once, of all who ask */
    LIMIT_EXEC_RUNS = 128,                 /* nodes at once of one; the pool has its own */
    LIMIT_EXEC_OUTPUT_BYTES = 1024 * 1024, /* of each stream of a node, unless it is said */
    LIMIT_EXEC_OUTPUT_MAX_BYTES = 64 * 1024 * 1024, /* and where it is */
    LIMIT_EXEC_QUEUE_BYTES = 1024 * 1024, /* not read yet by who asked: then the nodes wait */
    LIMIT_EXEC_MS = 300000,               /* on each node, unless it is said */
    LIMIT_EXEC_MAX_MS = 24 * 3600 * 1000,
    LIMIT_EXEC_TURN_MS = 120000,         /* until a node that does something else has time */
    LIMIT_EXEC_COMMAND_SHOWN_BYTES = 80, /* of the command, in the event */
    LIMIT_JOB_PROBLEMS = 5, /* that a job's row tells; of all of them it has the names */
    /* Machines that one request may name to be replaced, and that may wait for the pass that marks them. */
    LIMIT_REPLACE_MACHINES = 1000,
    LIMIT_REPLACE_WAITING = 5000,
    LIMIT_REBOOT_MACHINES = 1000,
    LIMIT_REBOOT_WAITING = 2000,
    LIMIT_JOB_NAMES = 2000, /* of each sort; whoever selects them compares each machine with all */
    LIMIT_BATCHES_NODES = 5000, /* of one job: they stand in one value of the store */
    LIMIT_BATCHES = 20,         /* jobs of one cluster that are under way at once */
    LIMIT_BATCHES_KEPT = 10,    /* jobs of one cluster that are over */

    /* fetching plugins */
    LIMIT_FETCH_URL_BYTES = 2048,
    LIMIT_FETCH_BYTES = LIMIT_PLUGIN_BYTES, /* what is fetched is loaded later */
    LIMIT_FETCH_REDIRECTS = 5,
    LIMIT_FETCH_HEAD_BYTES = 64 * 1024, /* of all headers of one answer */
    LIMIT_FETCH_ADDRESSES = 32,         /* of one host */
    LIMIT_FETCH_NETWORKS = 64,          /* that the settings allow */
    LIMIT_FETCH_CA_BYTES = 4 * 1024 * 1024,
    LIMIT_FETCH_ORDER_BYTES = 64 * 1024,
    LIMIT_FETCH_ANSWER_BYTES = 16 * 1024,
    LIMIT_FETCH_CONNECT_MS = 10 * 1000,
    LIMIT_FETCH_MS = 120 * 1000,       /* from its start to SIGTERM */
    LIMIT_FETCH_SLOW_BYTES = 4 * 1024, /* a second at least, */
    LIMIT_FETCH_SLOW_MS = 15 * 1000,   /* over so long */
    LIMIT_FETCHES = 4,                 /* under way at once */
    LIMIT_FETCH_WANTS = 1024,          /* plugins that are fetched for all tenants together */
    LIMIT_FETCH_PAUSE_MS = 5 * 1000,   /* before it is tried again; doubles */
    LIMIT_FETCH_PAUSE_MAX_MS = 3600 * 1000,

    /* OpenSSH's files, and certificates */
    LIMIT_SSH_LINE_BYTES = 64 * 1024,        /* of one key or certificate */
    LIMIT_SSH_ARENA_BYTES = 1024 * 1024,     /* what putting one together may cost */
    LIMIT_SSH_NAME_BYTES = 255,              /* of a principal, a host, a block */
    LIMIT_SSH_PRINCIPALS = 256,              /* OpenSSH reads no more */
    LIMIT_SSH_OPTIONS = 32,                  /* of each sort, in one certificate */
    LIMIT_SSH_FILE_BYTES = 16 * 1024 * 1024, /* of authorized_keys */
    LIMIT_KRL_BYTES = 4 * 1024 * 1024,
    LIMIT_KRL_ENTRIES = 65536,
    LIMIT_KRL_BITMAP_BYTES = 2048, /* OpenSSH reads no more */

    /* the process that signs (docs/decisions/0050) */
    LIMIT_SIGNER_AUTHORITIES = 4096,
    LIMIT_SIGNER_NAME_BYTES = 128,   /* of one: TENANT/ID */
    LIMIT_SIGNER_FIELD_BYTES = 255,  /* who asks; the id of a certificate */
    LIMIT_SIGNER_PRINCIPALS = 32,    /* of a host: names and addresses */
    LIMIT_SIGNER_TTL_MIN_S = 5 * 60, /* of a certificate, from now */
    LIMIT_SIGNER_TTL_MAX_S = 30 * 24 * 3600,
    LIMIT_SIGNER_TTL_USER_S = 7 * 24 * 3600,  /* where nobody says */
    LIMIT_SIGNER_BACKDATE_S = 5 * 60,         /* clocks differ */
    LIMIT_SIGNER_BURST = 10000,               /* of one authority, at once */
    LIMIT_SIGNER_PER_S = 100,                 /* then, and on and on */
    LIMIT_SIGNER_REVOKED = 32768,             /* entries of one authority's list */
    LIMIT_SIGNER_KRL_BYTES = 2 * 1024 * 1024, /* it stands in one frame */
    LIMIT_SIGNER_NAMES_BYTES = 2048, /* of all names of a host: they stand in one line of the log */
    LIMIT_SIGNER_CALLS = 16384,      /* under way at once */
    LIMIT_SIGNER_CALL_MS = 10 * 1000,
    LIMIT_SIGNER_START_MS = 10 * 1000, /* for its first word */
    LIMIT_SIGNER_PAUSE_MS = 100,       /* before it is started again; doubles */
    LIMIT_SIGNER_PAUSE_MAX_MS = 30 * 1000,
    LIMIT_AUTHORITIES_SWEPT = 1000, /* those whose clusters are gone, looked for at once */
    LIMIT_AUTHORITIES_SWEEP_MS = 300 * 1000,
    LIMIT_SIGNER_END_MS = 1000, /* from the close of its socket to SIGKILL */

    /* the log; a line is written whole where a pipe takes it whole (PIPE_BUF) */
    LIMIT_LOG_LINE_BYTES = 4096,
    LIMIT_LOG_VALUE_BYTES = 64 * 1024, /* of a field in the journal */
    LIMIT_LOG_BURST = 20,              /* of one event, in a window */
    LIMIT_LOG_WINDOW_MS = 10000,
    LIMIT_LOG_REPEATED = 64, /* events that are counted at once */
    LIMIT_LOG_WAIT_MS = 50,  /* for a reader that does not read */

    /* the store in etcd */
    LIMIT_ETCD_ENDPOINTS = 16,
    LIMIT_ETCD_ENDPOINT_BYTES = 512,
    LIMIT_ETCD_PREFIX_BYTES = 256,
    LIMIT_ETCD_CALLS = 256,          /* on the wire at once; more wait */
    LIMIT_ETCD_CALL_MS = 5000,       /* until one call has its answer */
    LIMIT_ETCD_CLOSE_MS = 2000,      /* for calls that are under way when the store is closed */
    LIMIT_ETCD_BACK_OFF_MS = 2000,   /* between two attempts to watch again, at most */
    LIMIT_ETCD_TRIES = 64,           /* of a transaction whose counters others move */
    LIMIT_ETCD_COUNTERS = 4096,      /* whose newest values are remembered */
    LIMIT_ETCD_TXN_OPERATIONS = 512, /* that etcd must take: ours become up to four of its */
    LIMIT_ETCD_EVENTS = 12000000,    /* that are looked through for what is to be dropped */
    LIMIT_ETCD_PAGE = 128,           /* items of one answer, to begin with */
    LIMIT_ETCD_PAGE_MAX = 8192,
    LIMIT_ETCD_PAGE_BYTES = 8 * 1024 * 1024,     /* what pages grow towards */
    LIMIT_ETCD_MESSAGE_BYTES = 64 * 1024 * 1024, /* of one answer */
    LIMIT_ETCD_WATCH_EVENTS = 1000000,           /* of one answer */

    /* talking to a manager */
    LIMIT_ANSWER_LINE_BYTES = 8 * 1024,
    LIMIT_ANSWER_HEAD_BYTES = 64 * 1024,
    LIMIT_ANSWER_FIELD_BYTES = 256,         /* of a field that is kept */
    LIMIT_ANSWER_BYTES = 256 * 1024 * 1024, /* of one answer of a manager; lists come in pages */
    LIMIT_ANSWER_NODES = 8 * 1024 * 1024,   /* values in it: what they cost fits into an arena */
    LIMIT_EVENT_BYTES = 16 * 1024 * 1024,   /* of a stream: one object */
    LIMIT_EVENT_NAME_BYTES = 128,
    LIMIT_STREAM_SILENCE_MS = 45 * 1000, /* three of the comments a manager sends every 15 s */
    LIMIT_REQUEST_MS = 60 * 1000,
    LIMIT_PROBE_MS = 5 * 1000,  /* whether it serves costs a manager nothing to answer */
    LIMIT_SLOW_ANSWER_MS = 300, /* then a person is told what is waited for */
    LIMIT_LIST_PAGE = 5000,     /* objects asked for at once: a page stays a document */
    LIMIT_NODES_PAGE = 10000,   /* machines asked for at once */
    LIMIT_OUT_HELD_BYTES = 4 * 1024 * 1024, /* of a list that is written while it is read */
    LIMIT_SETTINGS_BYTES = 256 * 1024,

    /* suggestions: candidates longer than this are never suggested */
    LIMIT_SUGGEST_BYTES = 64,
};

/* One command, one request: its arena may grow to this. Wide enough for a document at its limits,
 * its normalised copy and its plan; a document beyond them is refused before. */
#define LIMIT_WORK_ARENA_BYTES ((size_t)3 * 1024 * 1024 * 1024)

/* Memory that a plugin's process can name: its threads' stacks and heaps are set aside in it, long before they are
 * used. */
#define LIMIT_SANDBOX_FOLDER_BYTES  ((uint64_t)2 * 1024 * 1024 * 1024)
#define LIMIT_SANDBOX_ADDRESS_BYTES ((uint64_t)6 * 1024 * 1024 * 1024)

/* How long a pause that ends by itself may last. */
#define LIMIT_PAUSE_MAX_MS ((uint64_t)366 * 24 * 3600 * 1000)

#endif
