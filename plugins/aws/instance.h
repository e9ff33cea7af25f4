#ifndef AWS_INSTANCE_H
#define AWS_INSTANCE_H

#include "ec2.h"
#include "tag_codec.h"

/* public names start with: instance_ */

enum { INSTANCE_TAGS_MAX = 60, INSTANCE_VOLUMES_MAX = 32 };

/* An instance as EC2 describes it. Texts point into the XML element. */
struct instance {
    struct text id; /* id: i-... */
    struct text state;
    struct text zone;
    struct text cluster;
    const struct xml_node *item;
    struct reeve_tag tags[INSTANCE_TAGS_MAX];
    uint32_t tag_count;
};

/* Read the element of an instance. */
void instance_read(struct arena *arena, const struct xml_node *item, struct instance *out);

/* Makes the row of the instance, in the memory of the call. */
void instance_row(struct aws_work *work, struct text region, const struct instance *instance,
                  struct reeve_row_v1 *out);

/* Passes the instance to the host as a row. */
void instance_report(struct aws_work *work, struct text region, const struct instance *instance);

/* Reads the console of a running machine whose host key is unknown, and stores the key. A console
 * is read at most every 5 s, and at most 2 consoles per second are read in each region. If the key
 * cannot be read now, a later call tries again. */
void console_key_find(struct aws_work *work, struct text region, struct text id,
                      const struct instance *instance);

/* Reads the last 64 KiB of the console. */
int32_t console_read(struct aws_work *work, struct text region, const struct instance *instance,
                     struct ec2_ask *ask, struct ec2_answer *answer, struct text *out);

enum instance_found {
    INSTANCE_FOUND,
    INSTANCE_GONE,  /* it has certainly ended, belongs to another cluster, or never existed */
    INSTANCE_YOUNG, /* not found, but a listing may not show it yet */
    INSTANCE_FAILED /* *out_result is the result of the call; the fault was reported */
};

/* Finds the instance with this id and checks that it belongs to the cluster. The element lives in
 * the arena of the call. */
enum instance_found instance_find(struct aws_work *work, struct text cluster, struct text id,
                                  struct text *out_region, struct instance *out,
                                  int32_t *out_result);

#endif
