#ifndef AWS_SHARE_H
#define AWS_SHARE_H

#include "aws.h"

/* public names start with: share_ */

/* One listing of all machines of reeve for all clusters of the account (setting `shareListings`).
 * With few clusters, a separate listing for each cluster is cheaper, because EC2 then filters the
 * rows. Listings are therefore shared only while at least SHARE_CLUSTERS_LEAST clusters use the
 * account. */
struct share;

/* A machine in a shared listing. */
struct share_row {
    struct text cluster;
    struct reeve_row_v1 row; /* its texts live in the arena of the listing */
};

/* A complete listing. Its readers are counted, and the last reader frees it. */
struct share_listing {
    struct arena *arena;
    struct share_row *rows;
    size_t count;
    size_t room;
    int32_t result;
    struct text why; /* if the result is not OK: the reason, for users */
    bool is_incomplete;
    unsigned readers;
};

struct share *share_new(void);

/* Frees the listings. No call may be active. NULL is allowed. */
void share_free(struct share *share);

/* True if this cluster uses shared listings. Also records that the cluster uses the account. */
bool share_is_used(struct aws_work *work, struct text cluster);

/* Copies a row into a listing. */
void share_row_add(struct share_listing *listing, struct text cluster,
                   const struct reeve_row_v1 *row);

/* Reports the machines of a cluster from a listing that was started after this call. If this caller
 * must make the listing, `make` fills it and returns the result. */
int32_t share_describe(struct aws_work *work, struct text cluster,
                       int32_t (*make)(struct aws_work *work, struct share_listing *out));

#endif
