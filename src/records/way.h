#ifndef REEVE_RECORDS_WAY_H
#define REEVE_RECORDS_WAY_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* names: control_ */

/* How a machine is reached. */
struct control_way {
    struct text cluster; /* TENANT/ID */
    struct text machine; /* the provider's id */
    struct text token;
    struct text name;
    struct text zone;
    struct text address;
    struct text user;     /* empty: root */
    struct text host_key; /* "TYPE BASE64"; empty: not known */
    struct text
        key_secret; /* reeve logs in with the key in this secret; empty: with a certificate of its own */
    uint16_t port;     /* of its sshd; 0: the usual one */
    bool takes_first;  /* an unknown host key is taken */
    bool is_operators; /* by the operator's own settings of OpenSSH */
};

#endif
