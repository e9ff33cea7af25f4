#include "etcd_env.h"

#include <stdlib.h>
#include <string.h>

bool etcd_env_use(const char *prefix,
                  bool (*use)(const struct etcd_options *options, void *arg, struct err *err),
                  void *arg, struct err *err)
{
    const char *endpoints[LIMIT_ETCD_ENDPOINTS + 1];
    const char *timeout_ms = getenv("ETCD_TIMEOUT_MS");
    const char *named = getenv("ETCD_ENDPOINT");
    char copy[LIMIT_ETCD_ENDPOINT_BYTES];
    struct etcd_options options = {
        .endpoints = endpoints,
        .ca_file = getenv("ETCD_CA"),
        .certificate_file = getenv("ETCD_CERT"),
        .key_file = getenv("ETCD_KEY"),
        .prefix = prefix,
        .is_patient = getenv("ETCD_PATIENT") != NULL,
        .call_timeout_ms = timeout_ms == NULL ? 0 : (unsigned)strtoul(timeout_ms, NULL, 10),
    };
    char *rest = NULL;

    if (named == NULL || strlen(named) >= sizeof(copy)) {
        return err_set(err, CODE_R0516, "no ETCD_ENDPOINT: run this by pylib/with_etcd.py");
    }
    strcpy(copy, named);
    for (char *one = strtok_r(copy, ",", &rest);
         one != NULL && options.endpoint_count < LIMIT_ETCD_ENDPOINTS;
         one = strtok_r(NULL, ",", &rest)) {
        endpoints[options.endpoint_count++] = one;
    }
    return use(&options, arg, err);
}

struct etcd_env_opening {
    const unsigned char *incarnation;
    struct store **out;
};

MUST_CHECK static bool etcd_env_open_with(const struct etcd_options *options, void *arg,
                                          struct err *err)
{
    const struct etcd_env_opening *opening = arg;

    return etcd_open(options, opening->incarnation, opening->out, err);
}

bool etcd_env_open(const char *prefix, const unsigned char incarnation[16], struct store **out,
                   struct err *err)
{
    struct etcd_env_opening opening = { incarnation, out };

    return etcd_env_use(prefix, etcd_env_open_with, &opening, err);
}
