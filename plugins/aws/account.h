#ifndef AWS_ACCOUNT_H
#define AWS_ACCOUNT_H

#include "aws.h"

/* public names start with: account_ */

/* The content of an account's secret. All texts point into the secret or are in the arena. */
struct account_secret {
    struct text id;
    struct text secret;
    struct text session;
    struct text role;     /* role to assume; empty: none */
    struct text external; /* external id for the role; empty: none */
    bool is_instance;     /* use the instance role of this computer */
};

/* Reads a secret: two lines, an ini file, or JSON. If it returns false, *out_why is the reason,
 * which contains no part of the secret. */
bool account_secret_parse(struct arena *arena, struct text bytes, struct account_secret *out,
                          const char **out_why);

/* Gets the keys of this call into work->keys. Reports errors. */
int32_t account_keys_get(struct aws_work *work);

/* Replaces keys that the provider has refused. Returns REEVE_OK, or the result of the call if there
 * are no new keys. */
int32_t account_keys_renew(struct aws_work *work);

/* Wipe the keys of the call. */
void account_keys_wipe(struct aws_work *work);

#endif
