#ifndef REEVE_API_CONTIV_CONTIV_H
#define REEVE_API_CONTIV_CONTIV_H

#include "api/request/call.h"
#include "records/discovered.h"
#include "service/select.h"
#include "service/service_change.h"

/* public names start with: contiv_ */

/* The compatibility API of Contiv's cluster manager (LIFECYCLE.md section 18). Its routes serve one
 * cluster, whose groups are Contiv's host groups. Answers have the form of Contiv's answers, except
 * that each error has a suitable HTTP status and is one line of text. */

/* ---- requests and answers ---- */

/* The members of a request's body. All of them may be absent. */
struct contiv_body {
    struct text *nodes;
    size_t node_count;
    struct text *addresses;
    size_t address_count;
    struct text host_group;
    struct doc vars; /* `extra_vars`, parsed: a map */
    bool has_vars;
    struct doc whole;
};

/* Read the body. Returns false if the request was rejected. */
MUST_CHECK bool contiv_body_read(struct call *call, struct contiv_body *out);

/* Answer with an empty body, as Contiv's cluster manager does. */
void contiv_done(struct call *call);

/* Reject the request with one line of text. Scripts match the beginning of the line; the rest has
 * the details. */
void contiv_refuse(struct call *call, unsigned status, struct text line);

/* ---- reading ---- */

/* Holds a document that the service answered immediately. contiv_read_done fills it; is_there is
 * false if the service had no answer. */
struct contiv_reader {
    struct arena *arena;
    struct doc doc;
    bool is_there;
};
void contiv_read_done(void *arg, const struct service_answer *answer);

/* Return the cluster in the form of a file for reeve apply; not a map if it does not exist. */
struct doc contiv_cluster_read(struct call *call);

/* Return the id of the cluster; empty if it does not exist. */
struct text contiv_cluster_id(const struct call *call);

/* ---- writing ---- */

/* The reason that is recorded for every change through this API. */
#define CONTIV_WHY "compatibility API of Contiv"

/* Returns consent to every effect, because Contiv's cluster manager never asks for confirmation. */
struct service_allow contiv_allow_all(void);

/* Set the entry `field` of one of the cluster's maps, "defaults" or "groups"; its previous value is
 * replaced. The cluster is created if it does not exist. */
void contiv_cluster_put(struct call *call, const char *map, struct text field, struct doc value,
                        service_done *done, void *arg);

/* ---- nodes ---- */

/* A machine of the inventory, a member of the cluster, or both. */
struct contiv_node {
    struct text name;                 /* name of the row; without a row, of the member */
    const struct discovered *row;     /* NULL: not in the inventory, because a plugin created the
                                       * machine */
    const struct select_node *member; /* NULL: it is not a member */
};

struct contiv_nodes {
    struct contiv_node *items;
    size_t count;
};

/* Find all machines that belong to the cluster or are free to join it. Returns false if the request
 * was rejected. */
MUST_CHECK bool contiv_nodes_find(struct call *call, struct contiv_nodes *out);

/* Return the node with a name: the name or id of a row, or the name of a member. NULL if there is
 * none. */
const struct contiv_node *contiv_node_find(const struct contiv_nodes *nodes, struct text name);

enum lifecycle_status contiv_node_status(const struct contiv_node *node);
enum lifecycle_state contiv_node_state(const struct contiv_node *node);
struct text contiv_node_group(const struct contiv_node *node);

/* Return a status or state with a capital first letter. */
struct text contiv_capital(struct arena *arena, const char *word);

/* ---- jobs ---- */

/* Ends the streams of logs. */
void contiv_logs_drain(struct api *api);
/* Continues the streams of logs. */
void contiv_logs_run(struct api *api);

#endif
