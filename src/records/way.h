#ifndef REEVE_RECORDS_WAY_H
#define REEVE_RECORDS_WAY_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: control_ */

/* How a machine is accessed. */
struct control_way {
    struct text cluster; /* TENANT/ID */
    struct text machine; /* the provider's id */
    struct text token;
    struct text name;
    struct text zone;
    struct text address;
    struct text user;     /* empty: root */
    struct text host_key; /* "TYPE BASE64"; empty: unknown */
    /* The secret with the private key for the login; empty: reeve uses its own certificate. */
    struct text key_secret;
    uint16_t port;              /* port of its sshd; 0: the default */
    bool is_first_key_accepted; /* Accept an unknown host key. */
    bool is_key_awaited;        /* The provider will report the host key soon. */
    bool is_operators;          /* Log in with the operator's own OpenSSH configuration. */
};

#endif
