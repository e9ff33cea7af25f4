#ifndef REEVE_ETCD_ETCD_STATUS_H
#define REEVE_ETCD_ETCD_STATUS_H

#include "etcd/etcd_link.h"

/* public names start with: etcd_ */

/* Determines outcome and error from the result of a call. All inputs come from outside and have
 * size limits. */

enum { ETCD_STATUS_OK = 0, ETCD_STATUS_NONE = UINT32_MAX };

/* The part of libcurl's message that a TLS alert of the other side has (the text of GnuTLS). */
#define ETCD_TLS_ALERT "TLS fatal alert"

/* Data of one HTTP exchange. */
struct etcd_exchange {
    unsigned curl;      /* libcurl's result code */
    const char *detail; /* libcurl's error message */
    const char *endpoint;
    unsigned http;     /* HTTP status; 0: none */
    unsigned status;   /* gRPC status, or ETCD_STATUS_NONE */
    char reason[256];  /* grpc-message, unescaped */
    bool was_sent;     /* libcurl has read at least one byte of the message */
    bool is_rejected;  /* members have reset each of many new connections */
    bool is_too_large; /* the answer is too large */
    bool has_message;  /* a complete message was received */
};

/* True if libcurl's message says that the other side reset the connection. With TLS 1.3 a member
 * rejects a certificate after our side of the handshake, and its alert is often lost that way. */
bool etcd_detail_is_reset(const char *detail);

/* Reads one header or trailer line of HTTP into the exchange. */
void etcd_exchange_header(struct etcd_exchange *exchange, struct text line);

/* Sets outcome, err and status of a reply. */
void etcd_exchange_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply);

#endif
