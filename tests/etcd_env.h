#ifndef REEVE_TESTS_ETCD_ENV_H
#define REEVE_TESTS_ETCD_ENV_H

#include "etcd/etcd.h"

/* Opens the store below a prefix of the etcd that pylib/etcd.py has started. Environment variables:
 * ETCD_ENDPOINT (endpoints separated by commas), and optionally ETCD_CA, ETCD_CERT, ETCD_KEY and
 * ETCD_TIMEOUT_MS. */
MUST_CHECK bool etcd_env_open(const char *prefix, const unsigned char incarnation[16],
                              struct store **out, struct err *err);

/* Calls `use` with the options of the environment, which are valid during the call. */
MUST_CHECK bool etcd_env_use(const char *prefix,
                             bool (*use)(const struct etcd_options *options, void *arg,
                                         struct err *err),
                             void *arg, struct err *err);

#endif
