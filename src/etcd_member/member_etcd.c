#include "etcd_member/member_etcd.h"

#include "base/limits.h"
#include "codec/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

enum { MEMBER_ARGUMENTS_MAX = 48 };

struct member_arguments {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void member_argument_add(struct member_arguments *out, const char *name, struct text value)
{
    assert(out->count + 1 < MEMBER_ARGUMENTS_MAX);
    out->items[out->count++] =
        arena_string(out->arena, arena_printf(out->arena, "--%s=%.*s", name, TEXT_ARG(value)));
}

/* Returns the addresses to listen at: the socket in the folder, and a URL unless it is empty. */
static struct text member_listen(struct arena *arena, const char *socket, struct text url)
{
    return arena_printf(arena, "unix://%s%s%.*s", socket, url.length > 0 ? "," : "", TEXT_ARG(url));
}

/* TLS with certificates of both ends. A certificate of the managers' authority admits a member; the
 * address from which it connects proves nothing. */
static void member_tls_add(struct member_arguments *out,
                           const struct member_ipc_arguments *arguments)
{
    member_argument_add(out, "cert-file", arguments->certificate);
    member_argument_add(out, "key-file", arguments->key);
    member_argument_add(out, "trusted-ca-file", arguments->ca);
    member_argument_add(out, "client-cert-auth", TEXT("true"));
    member_argument_add(out, "peer-cert-file", arguments->certificate);
    member_argument_add(out, "peer-key-file", arguments->key);
    member_argument_add(out, "peer-trusted-ca-file", arguments->ca);
    member_argument_add(out, "peer-client-cert-auth", TEXT("true"));
    member_argument_add(out, "experimental-peer-skip-client-san-verification", TEXT("true"));
}

const char *const *member_etcd_run(struct arena *arena,
                                   const struct member_ipc_arguments *arguments, bool is_alone)
{
    struct member_arguments out = { .arena = arena,
                                    .items =
                                        arena_array(arena, const char *, MEMBER_ARGUMENTS_MAX) };
    struct text none = TEXT("");
    struct text peer = is_alone ? none : arguments->peer_listen;
    struct text client = is_alone ? none : arguments->client_listen;
    /* an address is needed even if nothing can connect to it */
    struct text advertised = arguments->client_advertise.length > 0
                                 ? arguments->client_advertise
                                 : TEXT("unix://" MEMBER_ETCD_CLIENT);

    out.items[out.count++] = "etcd";
    member_argument_add(&out, "name", arguments->name);
    member_argument_add(&out, "data-dir", TEXT(MEMBER_ETCD_DATA));
    member_argument_add(&out, "listen-client-urls",
                        member_listen(arena, MEMBER_ETCD_CLIENT, client));
    member_argument_add(&out, "advertise-client-urls", advertised);
    member_argument_add(&out, "listen-peer-urls",
                        peer.length > 0 ? peer : member_listen(arena, MEMBER_ETCD_PEER, none));
    member_argument_add(&out, "initial-advertise-peer-urls", arguments->peer_advertise);
    member_argument_add(&out, "initial-cluster", arguments->cluster);
    member_argument_add(&out, "initial-cluster-token", arguments->token);
    member_argument_add(&out, "initial-cluster-state",
                        arguments->is_joining ? TEXT("existing") : TEXT("new"));
    member_argument_add(&out, "listen-metrics-urls", TEXT("unix://" MEMBER_ETCD_METRICS));
    member_argument_add(&out, "pre-vote", TEXT("true"));
    member_argument_add(&out, "strict-reconfig-check", TEXT("true"));
    member_argument_add(&out, "snapshot-count", TEXT("10000"));
    member_argument_add(&out, "max-txn-ops", TEXT("1024"));
    member_argument_add(&out, "max-request-bytes", TEXT("41943040"));
    member_argument_add(&out, "quota-backend-bytes", TEXT("8589934592"));
    member_argument_add(&out, "logger", TEXT("zap"));
    member_argument_add(&out, "log-outputs", TEXT("stderr"));
    if (peer.length > 0 || client.length > 0) {
        member_tls_add(&out, arguments);
    }
    return out.items;
}

const char *const *member_etcd_restore(struct arena *arena,
                                       const struct member_ipc_arguments *arguments)
{
    struct member_arguments out = { .arena = arena,
                                    .items =
                                        arena_array(arena, const char *, MEMBER_ARGUMENTS_MAX) };

    out.items[out.count++] = "etcdctl";
    out.items[out.count++] = "snapshot";
    out.items[out.count++] = "restore";
    out.items[out.count++] = MEMBER_ETCD_DATA "/member/snap/db";
    out.items[out.count++] = "--skip-hash-check";
    member_argument_add(&out, "name", arguments->name);
    member_argument_add(&out, "initial-cluster", arguments->cluster);
    member_argument_add(&out, "initial-cluster-token", arguments->token);
    member_argument_add(&out, "initial-advertise-peer-urls", arguments->peer_advertise);
    member_argument_add(&out, "data-dir", TEXT(MEMBER_ETCD_NEW));
    return out.items;
}

/* ---- the log ---- */

/* Returns the number behind a word of a line; 0: there is none. */
static uint64_t member_number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);

    return at == NULL ? 0 : strtoull(at + strlen(word), NULL, 10);
}

static void member_string_after(const char *line, const char *word, char *out, size_t room)
{
    const char *at = strstr(line, word);
    const char *end = at == NULL ? NULL : strchr(at + strlen(word), '"');

    if (end != NULL) {
        snprintf(out, room, "%.*s", (int)(end - at - (ptrdiff_t)strlen(word)), at + strlen(word));
    }
}

static struct text member_doc_text(const struct doc *doc, const char *name)
{
    const struct doc *value = doc_child(doc, name);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

/* A message of at least level warn. The last one of level error or above explains an end. */
static void member_etcd_message_read(struct member_etcd_log *log, struct text line,
                                     member_etcd_warned *warned, void *arg)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct text message;
    struct text level;
    struct text detail;
    struct doc doc;
    struct err err;

    if (!json_parse(arena, line, NULL, &doc, &err)) {
        return;
    }
    level = member_doc_text(&doc, "level");
    detail = member_doc_text(&doc, "error");
    message = member_doc_text(&doc, "msg");
    message = detail.length == 0
                  ? message
                  : arena_printf(arena, "%.*s: %.*s", TEXT_ARG(message), TEXT_ARG(detail));
    if (!text_is(level, "warn")) {
        snprintf(log->reason, sizeof(log->reason), "%.*s", TEXT_ARG(message));
    }
    warned(arg, message);
}

static void member_etcd_line_read(struct member_etcd_log *log, member_etcd_warned *warned,
                                  void *arg)
{
    const char *line = log->line;

    if (strstr(line, "\"msg\":\"newRaft ") != NULL) {
        log->term = member_number_after(line, "term: ");
        log->last = member_number_after(line, "lastindex: ");
        log->committed = member_number_after(line, "commit: ");
        log->is_read = true;
    } else if (strstr(line, "\"msg\":\"starting an etcd server\"") != NULL) {
        member_string_after(line, "\"etcd-version\":\"", log->version, sizeof(log->version));
    } else if (strstr(line, "\"msg\":\"published local member to cluster through raft\"") != NULL) {
        log->is_serving = true;
    } else if (line[0] == '{' && strstr(line, "{\"level\":\"info\"") == NULL) {
        member_etcd_message_read(log, (struct text){ line, log->length }, warned, arg);
    } else if (strncmp(line, "panic: ", sizeof("panic: ") - 1) == 0 && log->reason[0] == '\0') {
        snprintf(log->reason, sizeof(log->reason), "%.*s", MEMBER_ETCD_REASON_BYTES - 1, line);
    } else if (line[0] != '{' && strstr(line, "etcd") != NULL && log->reason[0] == '\0') {
        /* errors before the log begins, such as those in the arguments */
        snprintf(log->reason, sizeof(log->reason), "%.*s", MEMBER_ETCD_REASON_BYTES - 1, line);
    }
}

void member_etcd_log_read(struct member_etcd_log *log, struct text piece,
                          member_etcd_warned *warned, void *arg)
{
    for (size_t i = 0; i < piece.length; i++) {
        if (piece.data[i] != '\n') {
            if (log->length < sizeof(log->line) - 1) {
                log->line[log->length++] = piece.data[i] == '\0' ? ' ' : piece.data[i];
            }
            continue;
        }
        log->line[log->length] = '\0';
        member_etcd_line_read(log, warned, arg);
        log->length = 0;
    }
}

/* ---- metrics ---- */

/* Finds the value of a metric without labels. Values above a million have an exponent. */
static bool member_metric_find(struct text text, const char *name, uint64_t *out)
{
    size_t length = strlen(name);

    for (size_t at = 0; at < text.length;) {
        struct text rest = text_slice(text, at, SIZE_MAX);
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);

        if (line.length > length + 1 && memcmp(line.data, name, length) == 0 &&
            line.data[length] == ' ') {
            char number[64];
            double value;

            snprintf(number, sizeof(number), "%.*s",
                     TEXT_ARG(text_slice(line, length + 1, sizeof(number) - 1)));
            value = strtod(number, NULL);
            *out = value > 0 && value < 9e18 ? (uint64_t)(value + 0.5) : 0;
            return true;
        }
        at += line.length + 1;
    }
    return false;
}

bool member_etcd_metrics_read(struct text text, struct member_etcd_metrics *out)
{
    struct member_etcd_metrics metrics = { 0 };
    uint64_t has_leader = 0;

    if (!member_metric_find(text, "etcd_server_proposals_committed_total", &metrics.committed) ||
        !member_metric_find(text, "etcd_server_proposals_applied_total", &metrics.applied) ||
        !member_metric_find(text, "etcd_server_has_leader", &has_leader)) {
        return false;
    }
    metrics.has_leader = has_leader != 0;
    *out = metrics;
    return true;
}
