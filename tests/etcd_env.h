#ifndef REEVE_TESTS_ETCD_ENV_H
#define REEVE_TESTS_ETCD_ENV_H

#include "etcd/etcd.h"

/* Open the store below a prefix of the etcd that pylib/etcd.py has started: ETCD_ENDPOINT
 * (several: with commas), ETCD_CA, ETCD_CERT and ETCD_KEY (may be missing), ETCD_TIMEOUT_MS (may
 * be missing). */
MUST_CHECK bool etcd_env_open(const char *prefix, const unsigned char incarnation[16],
                              struct store **out, struct err *err);

#endif
