/* A minimal cloud plugin for the options of the conformance suite. It needs a setting, the
 * credential of its account, and a connection to its provider through the relay. Machines are the
 * files of the plugin `file`. */
#include "bad.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#ifndef PORT
#define PORT 0 /* port of the provider on this computer; 0: no connection is needed */
#endif
#ifndef LAG_MS
#define LAG_MS 0
#endif
#ifndef RATE
#define RATE 0
#endif
#ifndef LATE_MS
#define LATE_MS 0
#endif

#ifndef IS_DOUBTFUL
#define IS_DOUBTFUL 0 /* the provider does not compare tokens, and loses two requests */
#endif

enum { RELAY = 3128, ANSWER_BYTES = 256, WANTED_BYTES = 9 };

static const struct reeve_host_v1 *real;

/* The token of the machine destroyed last, and whether a request with pins was lost. */
static char gone[64];
static bool has_lost_pinned;

static bool relay_ask(int descriptor, char answer[static ANSWER_BYTES])
{
    char request[ANSWER_BYTES];
    int length = snprintf(request, sizeof(request), "CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n", PORT);
    ssize_t got;

    if (write(descriptor, request, (size_t)length) != length) {
        return false;
    }
    got = read(descriptor, answer, ANSWER_BYTES - 1);
    answer[got < 0 ? 0 : got] = '\0';
    return strncmp(answer, "HTTP/1.1 200", 12) == 0 || strncmp(answer, "HTTP/1.0 200", 12) == 0;
}

/* Connects to the provider. The fault contains the answer of the relay. */
static bool is_reached(struct reeve_call *call)
{
    struct sockaddr_in relay = { .sin_family = AF_INET, .sin_port = htons(RELAY) };
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer[ANSWER_BYTES] = "no relay";
    bool is_open;

    relay.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open = connect(descriptor, (struct sockaddr *)&relay, sizeof(relay)) == 0 &&
              relay_ask(descriptor, answer);
    close(descriptor);
    if (!is_open) {
        real->fault(call, REEVE_TEXT(""), text_of(answer));
    }
    return is_open;
}

/* Loses the first request with pinned values, and the request for the token of a destroyed machine.
 * Neither has an effect. */
static bool is_lost(struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    if (request->token.length > 0 && request->token.length == strlen(gone) &&
        memcmp(request->token.bytes, gone, request->token.length) == 0) {
        gone[0] = '\0';
        return true;
    }
    if (has_lost_pinned || real->pinned(call, REEVE_TEXT("/image")).length == 0) {
        return false;
    }
    has_lost_pinned = true;
    return true;
}

static int32_t destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                       struct reeve_text id, struct reeve_text reason)
{
    struct reeve_text token = real->token(call);

    snprintf(gone, sizeof(gone), "%.*s", (int)token.length, token.bytes);
    return file_destroy(self, call, cluster, id, reason);
}

static int32_t preflight(void *self, struct reeve_call *call, const struct reeve_need_v1 *need)
{
    (void)self;
    (void)need;
    if (IS_DOUBTFUL) {
        real->pin(call, REEVE_TEXT("/image"), REEVE_TEXT("image-1"));
    }
    return REEVE_OK;
}

static int32_t create(void *self, struct reeve_call *call, const struct reeve_wish_v1 *request)
{
    struct reeve_text credential = real->credential(call);

    if (credential.length != WANTED_BYTES ||
        memcmp(credential.bytes, "key\nword\n", WANTED_BYTES) != 0) {
        real->fault(call, REEVE_TEXT(""), REEVE_TEXT("the key is not that of the account"));
        return REEVE_AUTH;
    }
    if (PORT != 0 && !is_reached(call)) {
        return REEVE_INVALID;
    }
    return IS_DOUBTFUL && is_lost(call, request) ? REEVE_UNKNOWN : file_create(self, call, request);
}

static int32_t start(const struct reeve_host_v1 *host, void **self)
{
    static const char wanted[] = "{\"region\":\"here\",\"zones\":[\"a\"]}";

    real = host;
    if (host->settings.length != sizeof(wanted) - 1 ||
        memcmp(host->settings.bytes, wanted, sizeof(wanted) - 1) != 0) {
        return REEVE_INVALID;
    }
    return file_start(host, self);
}

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC(BAD),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("needs an account, for tests"),
    .capabilities = IS_DOUBTFUL ? REEVE_CAN_DISPOSE : REEVE_CAN_DISPOSE | REEVE_CAN_TOKEN,
    .lag_ms = LAG_MS,
    .late_ms = LATE_MS,
    .calls_per_s = RATE,
    .start = start,
    .stop = file_stop,
    .create = create,
    .destroy = destroy,
    .describe = file_describe,
    .preflight = preflight,
};
