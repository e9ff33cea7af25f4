#ifndef REEVE_EXPORTS_EXPORT_FORMATS_H
#define REEVE_EXPORTS_EXPORT_FORMATS_H

#include "service/select.h"

/* Machines in the formats of other tools (UX.md 6.1). */

enum export_form {
    EXPORT_ANSIBLE,      /* a static inventory: JSON that Ansible's yaml plugin reads */
    EXPORT_ANSIBLE_LIST, /* the output of an inventory script for --list, with _meta */
    EXPORT_SSH,          /* ssh_config for Include, each host with its host key */
    EXPORT_HOSTS,        /* a block of /etc/hosts, between marker lines */
    EXPORT_PROMETHEUS,   /* file_sd and http_sd */
    EXPORT_TERRAFORM,    /* a Terraform variable, as in *.tfvars.json */
    EXPORT_CSV,          /* CSV by RFC 4180 */
    /* CLUSTER/NODE on each line, of all selected machines: the format that reeve reads from `-`. */
    EXPORT_NAMES,
    EXPORT_COUNT,
};

/* Find a format by its name. R0786: there is no such format. */
MUST_CHECK bool export_form_read(struct text word, enum export_form *out, struct err *err);

/* Return the media type of a format: "application/json", ... */
const char *export_type(enum export_form form);

struct export_options {
    /* The request is for one cluster: machines have their bare names. Otherwise names are
     * NAME.CLUSTER. */
    bool is_one_cluster;
    uint16_t port; /* EXPORT_PROMETHEUS: port to scrape; 0: 9100 */
};

/* Write the machines in a format. Machines that the format cannot express (no address, an invalid
 * name) are left out. R0787: two groups of an Ansible inventory would have one name. */
MUST_CHECK bool export_format(struct arena *arena, enum export_form form,
                              const struct select_nodes *nodes,
                              const struct export_options *options, struct text *out,
                              struct err *err);

/* One page of a list of machines: the request, and data for the answer. */
struct export_page {
    /* Maximal number of machines; 0: all. */
    size_t limit;
    /* `next` of the previous answer; empty: start with the first machine. */
    struct text next;
    /* The current revision of the cache. */
    uint64_t revision;
    /* Returns the problem of a machine as JSON, shown as `problem`; empty: it has none. NULL:
     * problems are not requested. */
    struct text (*problem)(void *arg, const struct select_node *node);
    void *arg;
};

/* Answer one page of the machines as a list:
 * {"items":[{"facts","kind":"Node","metadata":{cluster,group,id,labels,name},
 * "status":{address,alarm,hostKey,id,plugin,port,roles,state,user,zone}}],"next","changed","revision":N}.
 * Unknown fields are left out. Each page continues after a name, in the fixed order of all
 * machines, so that a machine that exists the whole time is on exactly one page. "changed" is true
 * if this page shows a newer revision than the first page. R0426: `next` is invalid. */
MUST_CHECK bool export_nodes(struct arena *arena, const struct select_nodes *nodes,
                             const struct export_page *page, struct text *out, struct err *err);

#endif
