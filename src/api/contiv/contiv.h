#ifndef REEVE_API_CONTIV_CONTIV_H
#define REEVE_API_CONTIV_CONTIV_H

#include "api/request/call.h"
#include "records/discovered.h"
#include "service/select.h"
#include "service/service_change.h"

/* public names start with: contiv_ */

/* The compatibility API of Contiv's cluster manager (LIFECYCLE.md section 18): its routes serve one
 * cluster, whose groups are host groups. Answers have the form of the original, except that each
 * error has its own status and is one line of text. */

/* ---- requests and answers ---- */

/* The members of a body. All of them may be absent. */
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

/* Answer with no body, as the original does. */
void contiv_done(struct call *call);

/* Reject the request with one line. Scripts match `sentence`; the rest of the line has the
 * details. */
void contiv_refuse(struct call *call, unsigned status, struct text line);

/* ---- reading ---- */

/* Read from the service a document that it answers immediately. Returns false if the service has no
 * answer. */
struct contiv_reader {
    struct arena *arena;
    struct doc doc;
    bool is_there;
};
void contiv_read_done(void *arg, const struct service_answer *answer);

/* The cluster as a file that reeve apply reads; not a map if it does not exist. */
struct doc contiv_cluster_read(struct call *call);

/* The id of the cluster; empty: it does not exist. */
struct text contiv_cluster_id(const struct call *call);

/* ---- writing ---- */

/* The reason that is recorded for every change through this API. */
#define CONTIV_WHY "compatibility API of Contiv"

/* Consent to every effect for which the original API did not ask for confirmation. */
struct service_allow contiv_allow_all(void);

/* Put a field into a map of the cluster, "defaults" or "groups", in place of its previous value.
 * The cluster is created if it does not exist. */
void contiv_cluster_put(struct call *call, const char *map, struct text field, struct doc value,
                        service_done *done, void *arg);

/* ---- nodes ---- */

/* A machine of the inventory, a member of the cluster, or both. */
struct contiv_node {
    struct text name;                 /* name of the row, else of the member */
    const struct discovered *row;     /* NULL: a plugin has created it */
    const struct select_node *member; /* NULL: it is not a member */
};

struct contiv_nodes {
    struct contiv_node *items;
    size_t count;
};

/* All machines that the cluster has or could get. Returns false if the request was rejected. */
MUST_CHECK bool contiv_nodes_find(struct call *call, struct contiv_nodes *out);

/* The node with a name: the name or id of a row, or the name of a member. NULL: there is none. */
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
