#ifndef REEVE_CLI_MANAGER_KEPT_H
#define REEVE_CLI_MANAGER_KEPT_H

#include "cli/args/target.h"

/* Parses references to objects of the manager on the command line. */

/* The arguments after a verb, each with its kind. A kind given once at the front applies to all:
 * "cluster shop lab" means cluster/shop and cluster/lab. */
struct kept_words {
    const char **items;
    size_t count;
};

/* Read these arguments. If the first argument is a kind, it applies to all following arguments. No
 * cluster can have the name of a kind. False: R0005 was added. */
bool kept_words_read(struct command *command, const char *const *words, size_t count,
                     struct kept_words *out);

/* Read shop, cluster/shop, shop/web or nodegroup/shop/web. False: R0005 was added. */
bool kept_read(struct command *command, const char *word, struct target *out);

/* Read a hold: hold/shop:RULE, hold/shop/RULE or hold/shop/web:RULE; hold/ may be missing. *out is
 * the cluster or group of the hold. False: R0005 was added. */
bool kept_hold_read(struct command *command, const char *word, struct target *out,
                    struct text *rule);

/* Add R0005: the argument matches none of the forms that `form` lists. Always returns false. */
bool kept_refuse(struct command *command, const char *word, const char *form);

/* Read the number of a job: 912, job/912 or job/shop/912 (a job belongs to one change and may cover
 * several clusters). False: it is not a job number, and *out is 0. */
bool kept_job_number(struct text word, uint64_t *out);

#endif
