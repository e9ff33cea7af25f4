#ifndef AWS_ACCOUNT_H
#define AWS_ACCOUNT_H

#include "aws.h"

/* names: account_ */

/* What the secret of an account states. All texts borrow from the secret or live in the arena. */
struct account_secret {
    struct text id;
    struct text secret;
    struct text session;
    struct text role;     /* to assume; empty: none */
    struct text external; /* id for the role; empty: none */
    bool is_instance;     /* the role of this computer itself */
};

/* Read a secret: two lines, an ini file, or JSON. Returns false and sets *out_why to a text that
 * contains no part of it. */
bool account_secret_parse(struct arena *arena, struct text bytes, struct account_secret *out,
                          const char **out_why);

/* Get the keys of this call into work->keys. Reports what is wrong. */
int32_t account_keys_get(struct aws_work *work);

/* Get other keys than those that were refused. Returns OK, or why there are none. */
int32_t account_keys_renew(struct aws_work *work);

/* Wipe the keys of the call. */
void account_keys_wipe(struct aws_work *work);

#endif
