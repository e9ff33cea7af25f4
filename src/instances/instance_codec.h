#ifndef REEVE_INSTANCES_INSTANCE_CODEC_H
#define REEVE_INSTANCES_INSTANCE_CODEC_H

#include "base/err.h"
#include "records/provider.h"

/* public names start with: instance_codec_ */

/* JSON format of calls to the plugin instances of other managers, and of the answers. */

enum instance_method {
    INSTANCE_CREATE,
    INSTANCE_DESTROY,
    INSTANCE_LABEL,
    INSTANCE_REBOOT,
    INSTANCE_LIST,
    INSTANCE_FIND,
    INSTANCE_METHOD_COUNT
};

struct instance_call {
    enum instance_method method;
    struct text tenant;
    struct text plugin;  /* NAME or NAME/ACCOUNT */
    struct text cluster; /* TENANT/ID */
    struct text token;
    struct text id;
    struct text reason;
    struct text labels;              /* LABEL */
    struct text known;               /* LIST */
    uint64_t age_ms;                 /* age of the record; UINT64_MAX: unknown */
    struct provider_request request; /* CREATE */
};

/* True if the method changes nothing. */
bool instance_codec_is_reading(enum instance_method method);

/* Parsed texts are in the arena, or point into `bytes`. */
struct text instance_codec_call_format(struct arena *arena, const struct instance_call *call);
MUST_CHECK bool instance_codec_call_parse(struct arena *arena, struct text bytes,
                                          struct instance_call *out, struct err *err);

struct text instance_codec_answer_format(struct arena *arena, enum outcome outcome,
                                         const struct provider_answer *answer);
MUST_CHECK bool instance_codec_answer_parse(struct arena *arena, struct text bytes,
                                            enum outcome *out_outcome, struct provider_answer *out,
                                            struct err *err);

#endif
