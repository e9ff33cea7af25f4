#ifndef REEVE_ETCD_MEMBER_MEMBER_ETCD_H
#define REEVE_ETCD_MEMBER_MEMBER_ETCD_H

#include "base/buf.h"
#include "wire/member_ipc.h"

/* public names start with: member_etcd_ */

/* The program etcd: its arguments, its log and its metrics. Names of files are relative to the
 * member's folder, in which etcd runs. */

#define MEMBER_ETCD_PROGRAM "/usr/bin/etcd"
#define MEMBER_ETCD_CONTROL "/usr/bin/etcdctl"
#define MEMBER_ETCD_DATA    "etcd"      /* the data folder */
#define MEMBER_ETCD_NEW     "etcd.new"  /* the data folder of a store that is being made */
#define MEMBER_ETCD_CLIENT  "client:0"  /* socket for clients on this host */
#define MEMBER_ETCD_METRICS "metrics:0" /* socket for metrics */
#define MEMBER_ETCD_PEER    "peer:0"    /* socket that stands for the address for peers */

enum { MEMBER_ETCD_REASON_BYTES = 320, MEMBER_ETCD_VERSION_BYTES = 32 };

/* What the log of one run of etcd says. */
struct member_etcd_log {
    char line[LIMIT_MEMBER_LINE_BYTES]; /* the last line, until its end arrives */
    size_t length;
    uint64_t term;
    uint64_t last;      /* index of the last entry of the log */
    uint64_t committed; /* index up to which the log was committed at the start */
    bool is_read;       /* the log has been read */
    bool is_serving;    /* clients are served */
    char version[MEMBER_ETCD_VERSION_BYTES];
    char reason[MEMBER_ETCD_REASON_BYTES]; /* the newest error that ends etcd; empty: none */
};

/* Values of the metrics. */
struct member_etcd_metrics {
    uint64_t committed;
    uint64_t applied;
    bool has_leader;
};

/* Returns the arguments of etcd, ending with NULL. `is_alone`: without peers and other clients. */
const char *const *member_etcd_run(struct arena *arena,
                                   const struct member_ipc_arguments *arguments, bool is_alone);

/* Returns the arguments of etcdctl with which a new store is made from the database. */
const char *const *member_etcd_restore(struct arena *arena,
                                       const struct member_ipc_arguments *arguments);

/* Reads a piece of the log. Calls `warned` with each message of at least level warn. */
typedef void member_etcd_warned(void *arg, struct text message);
void member_etcd_log_read(struct member_etcd_log *log, struct text piece,
                          member_etcd_warned *warned, void *arg);

/* Reads the metrics. Returns false if a value is missing. */
bool member_etcd_metrics_read(struct text text, struct member_etcd_metrics *out);

#endif
