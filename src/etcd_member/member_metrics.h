#ifndef REEVE_ETCD_MEMBER_MEMBER_METRICS_H
#define REEVE_ETCD_MEMBER_MEMBER_METRICS_H

#include "etcd_member/member_etcd.h"
#include "sys/loop.h"

/* public names start with: member_metrics_ */

/* Reads the metrics of etcd from its socket in the current folder. etcd answers there also without
 * a quorum, before it serves clients. */
struct member_metrics;

/* Called once, in a later iteration; `metrics` is NULL if etcd did not answer in time. */
typedef void member_metrics_done(void *arg, const struct member_etcd_metrics *metrics);

/* Starts to read. Fails if etcd does not listen. */
MUST_CHECK bool member_metrics_start(struct loop *loop, member_metrics_done *done, void *arg,
                                     struct member_metrics **out, struct err *err);

/* Ends the reading without a call. NULL is allowed. */
void member_metrics_cancel(struct member_metrics *metrics);

#endif
