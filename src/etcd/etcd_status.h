#ifndef REEVE_ETCD_ETCD_STATUS_H
#define REEVE_ETCD_ETCD_STATUS_H

#include "etcd/etcd_link.h"

/* names: etcd_ */

/* What a call came to, in our words. All of it is made from what others say, and is bounded. */

enum { ETCD_STATUS_NONE = UINT32_MAX };

/* What was seen of one exchange of HTTP. */
struct etcd_exchange {
    unsigned curl;      /* code of libcurl */
    const char *detail; /* libcurl's words */
    const char *endpoint;
    unsigned http;     /* status, or 0 */
    unsigned status;   /* of gRPC, or ETCD_STATUS_NONE */
    char reason[256];  /* grpc-message, its % escapes taken out */
    bool was_sent;     /* has libcurl taken a byte of the message? */
    bool is_too_large; /* the answer is */
    bool has_message;  /* a whole message came */
};

/* Read one header or trailer line into the exchange. */
void etcd_exchange_header(struct etcd_exchange *exchange, struct text line);

/* Fill outcome, err and status of a reply. */
void etcd_exchange_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply);

#endif
