#ifndef REEVE_EXPORTS_EXPORT_FORMATS_H
#define REEVE_EXPORTS_EXPORT_FORMATS_H

#include "service/select.h"

/* Formats of other tools for machines (UX.md 6.1). */

enum export_form {
    EXPORT_ANSIBLE,      /* a static inventory: JSON that Ansible's yaml plugin reads */
    EXPORT_ANSIBLE_LIST, /* the output that Ansible expects of an inventory script for --list, with
                          * _meta */
    EXPORT_SSH,          /* a file for the directive Include of ssh_config; each host with its host
                          * key */
    EXPORT_HOSTS,        /* a block of /etc/hosts, between marker lines */
    EXPORT_PROMETHEUS,   /* file_sd and http_sd */
    EXPORT_TERRAFORM,    /* a Terraform variable, as in *.tfvars.json */
    EXPORT_CSV,          /* CSV by RFC 4180 */
    /* CLUSTER/NODE on each line, of all selected machines; reeve reads this format from `-` */
    EXPORT_NAMES,
    EXPORT_COUNT,
};

/* Find a format by its name. R0786: the format does not exist. */
MUST_CHECK bool export_form_read(struct text word, enum export_form *out, struct err *err);

/* Return the media type of a format: "application/json", ... */
const char *export_type(enum export_form form);

struct export_options {
    /* true: the request is for one cluster, so machines have their bare names; otherwise
     * NAME.CLUSTER */
    bool is_one_cluster;
    uint16_t port; /* EXPORT_PROMETHEUS: port to scrape; 0: 9100 */
};

/* Write the machines in a format. Machines that the format cannot express (no address, an invalid
 * name) are skipped. R0787: two groups of an Ansible inventory would have the same name. */
MUST_CHECK bool export_format(struct arena *arena, enum export_form form,
                              const struct select_nodes *nodes,
                              const struct export_options *options, struct text *out,
                              struct err *err);

/* One page of a list of machines: the parameters of the request, and data for the answer. */
struct export_page {
    /* maximum number of machines; 0: all */
    size_t limit;
    /* `next` of the previous answer; empty: begin with the first machine */
    struct text next;
    /* current revision of the cache */
    uint64_t revision;
    /* Returns the problem of a machine as JSON, for the member `problem`; empty: it has none. NULL:
     * problems are not requested. */
    struct text (*problem)(void *arg, const struct select_node *node);
    void *arg;
};

/* Answer one page of the machines as a list:
 * {"items":[{"facts","kind":"Node","metadata":{cluster,group,id,labels,name},
 * "status":{address,alarm,hostKey,id,plugin,port,roles,state,user,zone}}],"next","changed","revision":N}.
 * Unknown fields are omitted. A page begins after the last name of the previous page, in the fixed
 * order of all machines. So a machine that exists during all requests is on exactly one page.
 * "changed" is true if this page shows a newer revision than the first page. R0426: `next` is
 * invalid. */
MUST_CHECK bool export_nodes(struct arena *arena, const struct select_nodes *nodes,
                             const struct export_page *page, struct text *out, struct err *err);

#endif
