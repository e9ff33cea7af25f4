#ifndef AWS_EC2_H
#define AWS_EC2_H

#include "aws.h"
#include "base/buf.h"
#include "classify.h"
#include "codec/doc.h"
#include "sign_aws.h"
#include "xml.h"

/* public names start with: ec2_ */

/* The body of a request in the query protocol: Action=...&Version=...&NAME=VALUE. */
struct ec2_query {
    struct buf body;
};

void ec2_query_init(struct ec2_query *query, struct arena *arena, const char *action);

/* Adds a parameter. The value is encoded. */
void ec2_query_add(struct ec2_query *query, const char *name, struct text value);

/* Adds a parameter whose name has numbers: "Filter.%zu.Name". */
void ec2_query_addf(struct ec2_query *query, struct text value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds filter number `i` (from 1) with one value, in which '*', '?' and '\' have no special
 * meaning. */
void ec2_query_filter(struct ec2_query *query, size_t i, const char *name, struct text value);

/* A request to a service of AWS. */
struct ec2_ask {
    const char *service; /* NULL: ec2 */
    const char *target;  /* for a service with JSON: the value of x-amz-target; NULL: XML */
    const char *what;    /* name of the operation for users: "RunInstances" */
    struct text region;
    struct text body;
    enum classify_kind kind;
    bool has_token;
    enum aws_rate rate;
    enum http_priority priority;
    /* additional, earlier deadline, on the clock of http_now_ms(); 0: none */
    uint64_t ends_ms;
    const char *rows; /* path of the rows in the answer; NULL: none */
    xml_on_row *on_row;
    const char *const *kept; /* names of the children of a row to read; NULL: all */
    void *arg;
    const struct aws_keys *keys; /* keys; NULL: the keys of the call */
};

struct ec2_answer {
    int32_t result;
    struct classify_attempt last;
    struct classify_state state;
    const struct xml_node *root; /* answer of a service with XML */
    struct doc json;             /* answer of a service with JSON */
};

/* Executes an operation. Returns its result, which *out also contains. Nothing is reported to the
 * user. */
int32_t ec2_call(struct aws_work *work, const struct ec2_ask *ask, struct ec2_answer *out);

/* Reports the provider's text as a fault. Returns the result of the answer. */
int32_t ec2_refuse(struct aws_work *work, const char *pointer, const struct ec2_ask *ask,
                   const struct ec2_answer *answer);

/* True if the answer is a refusal with this code. */
bool ec2_is_refused_as(const struct ec2_answer *answer, const char *code);

/* Returns the provider's time, in seconds since 1970. */
int64_t ec2_now_s(struct aws *aws);

/* The table of known answers. */
extern const struct classify_table ec2_table;

#endif
