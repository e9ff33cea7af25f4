#include "etcd/etcd_status.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

/* gRPC status codes. For codes that are not listed, the outcome is UNKNOWN. */
enum {
    GRPC_OK = 0,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_DEADLINE_EXCEEDED = 4,
    GRPC_PERMISSION_DENIED = 7,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_FAILED_PRECONDITION = 9,
    GRPC_OUT_OF_RANGE = 11,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_UNAUTHENTICATED = 16,
    GRPC_HIGHEST = 16,
    HTTP_OK = 200,
    HTTP_REFUSED_FIRST = 400,
    HTTP_FAILED_FIRST = 500,
};

/* ---- header lines ---- */

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    if (byte >= 'A' && byte <= 'F') {
        return byte - 'A' + 10;
    }
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Copies a message of etcd for display. Only plain text is kept. */
static void reason_copy(char *out, size_t out_bytes, struct text value)
{
    size_t length = 0;

    for (size_t i = 0; i < value.length && length + 1 < out_bytes; i++) {
        int byte = (unsigned char)value.data[i];

        if (byte == '%' && i + 2 < value.length && hex_digit(value.data[i + 1]) >= 0 &&
            hex_digit(value.data[i + 2]) >= 0) {
            byte = hex_digit(value.data[i + 1]) * 16 + hex_digit(value.data[i + 2]);
            i += 2;
        }
        out[length++] = byte >= ' ' && byte < 127 ? (char)byte : '?';
    }
    out[length] = '\0';
}

/* Returns the value of "NAME: value", trimmed. */
MUST_CHECK static bool header_value(struct text line, struct text name, struct text *out)
{
    if (line.length <= name.length || line.data[name.length] != ':' ||
        strncasecmp(line.data, name.data, name.length) != 0) {
        return false;
    }
    *out = text_trim(text_slice(line, name.length + 1, line.length));
    return true;
}

void etcd_exchange_header(struct etcd_exchange *exchange, struct text line)
{
    struct text value;
    int64_t number;

    if (header_value(line, TEXT("grpc-status"), &value)) {
        if (text_parse_int64(value, &number) && number >= 0 && number <= GRPC_HIGHEST) {
            exchange->status = (unsigned)number;
        }
    } else if (header_value(line, TEXT("grpc-message"), &value)) {
        reason_copy(exchange->reason, sizeof(exchange->reason), value);
    }
}

/* ---- interpretation ---- */

static void etcd_status_refuse(struct etcd_reply *reply, enum code code, const char *text)
{
    reply->outcome = OUTCOME_REFUSED;
    err_set(&reply->err, code, "%s", text);
}

/* Sets the reply for a request that etcd rejected as invalid, and so did not execute. */
static void argument_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply)
{
    if (strstr(exchange->reason, "too many operations") != NULL) {
        etcd_status_refuse(reply, CODE_R0514,
                           "etcd permits fewer operations in one transaction than are needed");
        err_hint(&reply->err, "start every member of etcd with --max-txn-ops=1024");
    } else if (strstr(exchange->reason, "too large") != NULL ||
               strstr(exchange->reason, "larger than max") != NULL) {
        etcd_status_refuse(reply, CODE_R0504, "the transaction is larger than etcd permits");
        err_hint(&reply->err, "start every member of etcd with --max-request-bytes=41943040");
    } else if (strstr(exchange->reason, "auth") != NULL) {
        etcd_status_refuse(reply, CODE_R0513, exchange->reason);
    } else {
        etcd_status_refuse(reply, CODE_R0518, exchange->reason);
    }
}

static void status_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply)
{
    reply->outcome = OUTCOME_UNKNOWN;
    switch (exchange->status) {
    case GRPC_INVALID_ARGUMENT:
    case GRPC_FAILED_PRECONDITION:
        argument_judge(exchange, reply);
        break;
    case GRPC_OUT_OF_RANGE:
        etcd_status_refuse(reply, CODE_R0503,
                           strstr(exchange->reason, "compacted") != NULL
                               ? "the revision has been compacted away"
                               : "the revision does not exist yet");
        break;
    case GRPC_PERMISSION_DENIED:
    case GRPC_UNAUTHENTICATED:
        etcd_status_refuse(reply, CODE_R0513, exchange->reason);
        break;
    case GRPC_UNIMPLEMENTED:
        etcd_status_refuse(reply, CODE_R0518,
                           "the server that answers does not support etcd's v3 API");
        break;
    case GRPC_RESOURCE_EXHAUSTED:
        if (strstr(exchange->reason, "larger than max") != NULL) {
            argument_judge(exchange, reply);
        } else if (strstr(exchange->reason, "too many requests") != NULL) {
            etcd_status_refuse(reply, CODE_R0505, "etcd has too many pending requests");
        } else {
            /* etcd also returns "out of space" for an executed transaction that reached the limit,
             * so the outcome is unknown */
            err_set(&reply->err, CODE_R0505, "etcd reports: %s", exchange->reason);
            err_hint(&reply->err, "compact and defragment etcd, then: etcdctl alarm disarm");
        }
        break;
    case GRPC_DEADLINE_EXCEEDED:
        err_set(&reply->err, CODE_R0501, "etcd did not answer in time");
        break;
    default:
        err_set(&reply->err, CODE_R0501, "etcd: %s",
                exchange->reason[0] == '\0' ? "no reason given" : exchange->reason);
        break;
    }
}

bool etcd_detail_is_reset(const char *detail)
{
    return strstr(detail, "Send failure: ") != NULL || strstr(detail, "Recv failure: ") != NULL ||
           strstr(detail, "endpoint is not connected") != NULL;
}

/* True if the TLS handshake failed only because the connection ended. This happens when a member
 * stops or restarts, and is not a fault of a certificate. The texts are those of GnuTLS. */
static bool is_cut_off(const char *detail)
{
    return strstr(detail, "non-properly terminated") != NULL ||
           strstr(detail, "Error in the pull function") != NULL ||
           strstr(detail, "Error in the push function") != NULL || etcd_detail_is_reset(detail);
}

/* Sets the reply for a call that libcurl ended: nothing was sent, or the outcome is unknown. */
static void curl_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply)
{
    enum code code = CODE_R0511;
    const char *detail = exchange->detail[0] == '\0' ? curl_easy_strerror((CURLcode)exchange->curl)
                                                     : exchange->detail;

    switch (exchange->curl) {
    case CURLE_SSL_CONNECT_ERROR:
        code = is_cut_off(detail) ? CODE_R0511 : CODE_R0512;
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_USE_SSL_FAILED:
        code = CODE_R0512;
        break;
    default:
        break;
    }
    reply->outcome = exchange->was_sent ? OUTCOME_UNKNOWN : OUTCOME_REFUSED;
    if (strstr(detail, ETCD_TLS_ALERT) != NULL) {
        /* with TLS 1.3, etcd may reject the certificate after sending has begun */
        code = CODE_R0512;
    } else if (exchange->was_sent) {
        code = CODE_R0501;
    }
    if (exchange->is_rejected && code != CODE_R0512) {
        code = CODE_R0512;
        detail = "it resets every connection at the end of the TLS handshake";
    }
    err_set(&reply->err, code, "%s: %s", exchange->endpoint, detail);
    if (exchange->is_rejected) {
        err_hint(&reply->err, "etcd may reject the certificate: its log shows the cause");
    }
}

void etcd_exchange_judge(const struct etcd_exchange *exchange, struct etcd_reply *reply)
{
    reply->status = exchange->status;
    if (exchange->is_too_large) {
        reply->outcome = OUTCOME_UNKNOWN;
        err_set(&reply->err, CODE_R0518, "the answer of %s is larger than %d bytes",
                exchange->endpoint, LIMIT_ETCD_MESSAGE_BYTES);
    } else if (exchange->status != ETCD_STATUS_NONE && exchange->status != GRPC_OK) {
        status_judge(exchange, reply);
    } else if (exchange->curl != CURLE_OK) {
        curl_judge(exchange, reply);
    } else if (exchange->http != HTTP_OK || exchange->status == ETCD_STATUS_NONE) {
        bool is_refused =
            exchange->http >= HTTP_REFUSED_FIRST && exchange->http < HTTP_FAILED_FIRST;

        reply->outcome = is_refused ? OUTCOME_REFUSED : OUTCOME_UNKNOWN;
        err_set(&reply->err, is_refused ? CODE_R0518 : CODE_R0501,
                "%s answered HTTP %u without a gRPC status", exchange->endpoint, exchange->http);
    } else if (!exchange->has_message) {
        reply->outcome = OUTCOME_UNKNOWN;
        err_set(&reply->err, CODE_R0518, "%s answered without a gRPC message", exchange->endpoint);
    } else {
        reply->outcome = OUTCOME_OK;
    }
}
