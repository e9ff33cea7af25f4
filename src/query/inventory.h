#ifndef REEVE_QUERY_INVENTORY_H
#define REEVE_QUERY_INVENTORY_H

#include "service/select.h"

/* Machines in the forms of other tools (UX.md 6.1). */

enum inventory_form {
    INVENTORY_ANSIBLE,      /* a static inventory, JSON that its yaml plugin reads */
    INVENTORY_ANSIBLE_LIST, /* what an inventory script answers to --list, with _meta */
    INVENTORY_SSH,          /* ssh_config for Include, each host with its host key */
    INVENTORY_HOSTS,        /* a block of /etc/hosts, between marks */
    INVENTORY_PROMETHEUS,   /* file_sd and http_sd */
    INVENTORY_TERRAFORM,    /* a variable, as *.tfvars.json has it */
    INVENTORY_CSV,          /* RFC 4180 */
    INVENTORY_NAMES, /* CLUSTER/NODE a line, of all that are meant: what reeve itself reads from `-` */
    INVENTORY_COUNT,
};

/* R0786: there is no such form. */
MUST_CHECK bool inventory_form_read(struct text word, enum inventory_form *out, struct err *err);

/* Of its bytes: "application/json", ... */
const char *inventory_type(enum inventory_form form);

struct inventory_options {
    bool
        is_one_cluster; /* asked for by its name: machines go by their bare names, else NAME.CLUSTER */
    uint16_t port;      /* INVENTORY_PROMETHEUS: of what is scraped; 0: 9100 */
};

/* Write them. What cannot be said in a form (no address, a name that it cannot spell) is left out of it. */
struct text inventory_format(struct arena *arena, enum inventory_form form,
                             const struct select_nodes *nodes,
                             const struct inventory_options *options);

/* A page of machines: which of them, and what its answer says. */
struct inventory_page {
    /* At most so many; 0: all. */
    size_t limit;
    /* Where it goes on, as the answer before said; empty: from the first. */
    struct text next;
    /* What is known of now. */
    uint64_t revision;
    /* The JSON of what is wrong with a machine, which becomes its `problem`; empty: nothing is. NULL: nobody asks. */
    struct text (*problem)(void *arg, const struct select_node *node);
    void *arg;
};

/* The machines as a list of the API: {"items":[{"facts","kind":"Node","metadata":{cluster,group,id,labels,name},
 * "status":{address,alarm,hostKey,id,plugin,port,state,user,zone}}],"next","changed","revision":N}. What is not known is left out. Pages go on behind a name, in the order
 * that all machines have: a machine that is there all the while is on one of them, once. "changed" is true where this
 * page shows a newer revision than the first did. R0426: `next` is of no such answer. */
MUST_CHECK bool inventory_nodes(struct arena *arena, const struct select_nodes *nodes,
                                const struct inventory_page *page, struct text *out,
                                struct err *err);

#endif
