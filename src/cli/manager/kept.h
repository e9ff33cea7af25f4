#ifndef REEVE_CLI_MANAGER_KEPT_H
#define REEVE_CLI_MANAGER_KEPT_H

#include "cli/args/target.h"

/* What the manager keeps, as the command line names it. */

/* Words behind a verb, each with its kind where one was said for all of them: "cluster shop lab" is
 * cluster/shop and cluster/lab. */
struct kept_words {
    const char **items;
    size_t count;
};

/* A word of a kind, without a name, is of those after it: no cluster can be called so. False: R0005
 * was added. */
bool kept_words_read(struct command *command, const char *const *words, size_t count,
                     struct kept_words *out);

/* shop, cluster/shop, shop/web, nodegroup/shop/web. False: R0005 was added. */
bool kept_read(struct command *command, const char *word, struct target *out);

/* A hold: hold/shop:RULE, hold/shop/RULE, hold/shop/web:RULE, with or without hold/. *out is its
 * cluster or group. False: R0005 was added. */
bool kept_hold_read(struct command *command, const char *word, struct target *out,
                    struct text *rule);

/* R0005: the word names none of what `form` says. Always false. */
bool kept_refuse(struct command *command, const char *word, const char *form);

/* The number of a job: 912, job/912 or job/shop/912, for a job is of one change and may be of
 * several clusters. False: it is none, *out is 0. */
bool kept_job_number(struct text word, uint64_t *out);

#endif
