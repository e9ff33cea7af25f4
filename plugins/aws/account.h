#ifndef AWS_ACCOUNT_H
#define AWS_ACCOUNT_H

#include "aws.h"

/* public names start with: account_ */

/* The content of an account's secret. All texts borrow from the secret or live in the arena. */
struct account_secret {
    struct text id;
    struct text secret;
    struct text session;
    struct text role;     /* role to assume; empty: none */
    struct text external; /* external id for the role; empty: none */
    bool is_instance;     /* use the role of this computer itself */
};

/* Reads a secret: two lines, an ini file, or JSON. If it returns false, *out_why is the reason,
 * which contains no part of the secret. */
bool account_secret_parse(struct arena *arena, struct text bytes, struct account_secret *out,
                          const char **out_why);

/* Gets the keys of this call into work->keys. Reports errors. */
int32_t account_keys_get(struct aws_work *work);

/* Gets new keys in place of those that were refused. Returns OK, or the reason why there are
 * none. */
int32_t account_keys_renew(struct aws_work *work);

/* Wipe the keys of the call. */
void account_keys_wipe(struct aws_work *work);

#endif
