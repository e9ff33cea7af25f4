#ifndef AWS_INSTANCE_H
#define AWS_INSTANCE_H

#include "ec2.h"
#include "tag_codec.h"

/* names: instance_ */

enum { INSTANCE_TAGS_MAX = 60, INSTANCE_VOLUMES_MAX = 32 };

/* An instance as EC2 describes it. Texts are borrowed from the element. */
struct instance {
    struct text id; /* i-... */
    struct text state;
    struct text zone;
    struct text cluster;
    const struct xml_node *item;
    struct reeve_tag tags[INSTANCE_TAGS_MAX];
    uint32_t tag_count;
};

/* Read the element of an instance. */
void instance_read(struct arena *arena, const struct xml_node *item, struct instance *out);

/* The row of the instance; its memory is of the call. */
void instance_row(struct aws_work *work, struct text region, const struct instance *instance,
                  struct reeve_row_v1 *out);

/* Hand the instance over to the host as a row. */
void instance_report(struct aws_work *work, struct text region, const struct instance *instance);

/* Read the console of a running machine whose host key is not known, and store the key. A console
 * is read every 5 s, and 2 per second of a region: a key that is not read now is read later. */
void console_key_find(struct aws_work *work, struct text region, struct text id,
                      const struct instance *instance);

/* The last 64 KiB of the console. */
int32_t console_read(struct aws_work *work, struct text region, const struct instance *instance,
                     struct ec2_ask *ask, struct ec2_answer *answer, struct text *out);

enum instance_found {
    INSTANCE_FOUND,
    INSTANCE_GONE,  /* certainly: it has ended, or it is another cluster's, or never existed */
    INSTANCE_YOUNG, /* not found, and its creation may not have reached the listing */
    INSTANCE_FAILED /* the result of the call is in *out_result, and was reported */
};

/* Find the instance of an id and check that it is of the cluster. The element lives in the arena of
 * the call. */
enum instance_found instance_find(struct aws_work *work, struct text cluster, struct text id,
                                  struct text *out_region, struct instance *out,
                                  int32_t *out_result);

#endif
