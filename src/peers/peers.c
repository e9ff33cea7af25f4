#include "peers/peers.h"

#include "base/text.h"
#include "peers/peers_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* public names start with: peers_ peer_ */

enum { PEER_PROBE_BYTES = 4096, NS_PER_US = 1000 };

/* ---- life ---- */

struct peers *peers_new(const struct peers_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct peers *peers = arena_one(memory, struct peers);

    *peers = (struct peers){ .options = *options, .memory = memory };
    peers->options.folder = arena_string(memory, text_from(options->folder));
    peers->options.id = arena_text(memory, options->id);
    snprintf(peers->problem, sizeof(peers->problem), "the certificates are not read yet");
    return peers;
}

/* Removes a peer, unless calls to it still exist. */
static void peer_fini(struct peer *peer)
{
    peers_call_end(peer->probe);
    peer->probe = NULL;
    peer_calls_fail(peer, "the manager is no longer a part of this installation", NULL);
    peer_spares_close(peer, UINT64_MAX);
    if (peer->calls != NULL) {
        return; /* kept until the owners have ended all of its calls */
    }
    freeaddrinfo(peer->target);
    *peer = (struct peer){ .peers = peer->peers };
}

void peers_free(struct peers *peers)
{
    if (peers == NULL) {
        return;
    }
    for (size_t i = 0; i < LIMIT_PEERS; i++) {
        if (peers->items[i].address[0] != '\0') {
            peer_fini(&peers->items[i]);
            assert(peers->items[i].calls == NULL && "all calls have ended");
        }
    }
    peer_credentials_replace(peers->credentials);
    arena_free(peers->memory);
}

/* ---- the other managers ---- */

static struct peer *peer_find(const struct peers *peers, struct text id)
{
    for (size_t i = 0; i < LIMIT_PEERS; i++) {
        const struct peer *peer = &peers->items[i];

        if (peer->address[0] != '\0' && text_is(id, peer->id)) {
            return (struct peer *)(uintptr_t)peer;
        }
    }
    return NULL;
}

/* Parses a numeric address with a port: 192.0.2.1:7443 or [2001:db8::1]:7443. Returns NULL if it is
 * invalid. */
static struct addrinfo *peer_target(struct text address)
{
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    size_t colon = address.length;
    char host[LIMIT_ADDRESS_BYTES];
    char port[8];
    struct text name;

    while (colon > 0 && address.data[colon - 1] != ':') {
        colon--;
    }
    name = text_slice(address, 0, colon == 0 ? 0 : colon - 1);
    if (name.length > 1 && name.data[0] == '[' && name.data[name.length - 1] == ']') {
        name = text_slice(name, 1, name.length - 2);
    }
    if (colon == 0 || name.length >= sizeof(host) || address.length - colon >= sizeof(port)) {
        return NULL;
    }
    snprintf(host, sizeof(host), "%.*s", TEXT_ARG(name));
    snprintf(port, sizeof(port), "%.*s", TEXT_ARG(text_slice(address, colon, SIZE_MAX)));
    return getaddrinfo(host, port, &hints, &found) == 0 ? found : NULL;
}

static void peer_add(struct peers *peers, const struct peers_manager *manager)
{
    struct addrinfo *target = peer_target(manager->address);
    struct peer *peer = NULL;

    for (size_t i = 0; i < LIMIT_PEERS && peer == NULL; i++) {
        peer = peers->items[i].address[0] == '\0' ? &peers->items[i] : NULL;
    }
    if (peer == NULL || target == NULL || manager->address.length >= sizeof(peer->address) ||
        manager->id.length >= sizeof(peer->id)) {
        if (target != NULL) {
            freeaddrinfo(target);
        }
        return;
    }
    *peer = (struct peer){ .peers = peers, .target = target, .is_wanted = true };
    snprintf(peer->id, sizeof(peer->id), "%.*s", TEXT_ARG(manager->id));
    snprintf(peer->name, sizeof(peer->name), "%.*s", TEXT_ARG(manager->name));
    snprintf(peer->address, sizeof(peer->address), "%.*s", TEXT_ARG(manager->address));
    snprintf(peer->reason, sizeof(peer->reason), "the link has not been probed yet");
}

void peers_set(struct peers *peers, const struct peers_manager *managers, size_t count)
{
    for (size_t i = 0; i < LIMIT_PEERS; i++) {
        peers->items[i].is_wanted = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct peer *peer = peer_find(peers, managers[i].id);

        if (peer != NULL && !text_is(managers[i].address, peer->address)) {
            peer_fini(peer);
            peer = peer_find(peers, managers[i].id);
        }
        if (peer != NULL) {
            peer->is_wanted = true;
            snprintf(peer->name, sizeof(peer->name), "%.*s", TEXT_ARG(managers[i].name));
        } else if (managers[i].address.length > 0 &&
                   !text_is_equal(managers[i].id, peers->options.id)) {
            peer_add(peers, &managers[i]);
        }
    }
    for (size_t i = 0; i < LIMIT_PEERS; i++) {
        if (peers->items[i].address[0] != '\0' && !peers->items[i].is_wanted) {
            peer_fini(&peers->items[i]);
        }
    }
}

bool peers_state_find(const struct peers *peers, struct text id, struct peers_state *out)
{
    const struct peer *peer = peers == NULL ? NULL : peer_find(peers, id);

    if (peer == NULL || peers->credentials == NULL) {
        return false;
    }
    *out = (struct peers_state){ .is_reachable = peer->is_reachable,
                                 .since_wall_ms = peer->since_wall_ms,
                                 .rtt_us = peer->rtt_us,
                                 .reason = peer->reason };
    return true;
}

/* ---- certificates ---- */

const char *peers_problem(const struct peers *peers)
{
    return peers->problem;
}

static void peers_problem_set(struct peers *peers, const char *problem)
{
    if (strcmp(peers->problem, problem) != 0 && problem[0] != '\0') {
        log_warn(peers->options.log, "peers", "no_links", log_string("reason", problem));
    }
    snprintf(peers->problem, sizeof(peers->problem), "%s", problem);
}

/* Reads the certificate files again if they have changed. If they are not usable, the previous
 * certificates stay in use. */
static void peers_files_look(struct peers *peers)
{
    const struct peers_options *options = &peers->options;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    uint64_t mark = peer_files_mark(options->folder);
    struct peer_credentials *credentials = NULL;
    struct peers_identity identity;
    struct peer_files files;
    struct err err;

    if (mark != 0 && mark == peers->files_mark) {
        return;
    }
    if (!peer_files_read(arena, options->folder, options->id, &files, &err) ||
        !peer_credentials_new(&files, &credentials, &err)) {
        peers_problem_set(peers, err.text);
        return;
    }
    identity = (struct peers_identity){ .authority = arena_string(arena, files.authority),
                                        .certificate = arena_string(arena, files.certificate),
                                        .key = secret_from(files.key) };
    if (!options->renewed(options->arg, &identity, &err)) {
        peer_credentials_replace(credentials);
        peers_problem_set(peers, err.text);
        return;
    }
    log_info(options->log, "peers", "certificates_read");
    peer_credentials_replace(peers->credentials);
    peers->credentials = credentials;
    peers->files_mark = mark;
    peers_problem_set(peers, "");
    for (size_t i = 0; i < LIMIT_PEERS; i++) {
        peer_spares_close(&peers->items[i], UINT64_MAX);
    }
}

/* ---- probes ---- */

static void peer_judge(struct peer *peer, bool is_reachable, const char *reason)
{
    const struct peers_options *options = &peer->peers->options;

    snprintf(peer->reason, sizeof(peer->reason), "%s", reason);
    if (peer->is_judged && peer->is_reachable == is_reachable) {
        return;
    }
    peer->is_judged = true;
    peer->is_reachable = is_reachable;
    peer->since_wall_ms = clock_wall_ms(options->clock);
    if (is_reachable) {
        log_info(options->log, "peers", "reachable", log_string("manager", peer->name));
    } else {
        log_warn(options->log, "peers", "unreachable", log_string("manager", peer->name),
                 log_string("address", peer->address), log_string("reason", reason));
    }
}

static void peer_probe_end(struct peer *peer, bool is_good, const char *reason)
{
    struct peers_call *probe = peer->probe;

    peer->probe = NULL;
    peers_call_end(probe);
    peer_judge(peer, is_good, reason);
}

static void on_probe_bytes(void *arg)
{
    const struct peers_options *options = &((const struct peer *)arg)->peers->options;
    struct peer *peer = arg;
    char bytes[PEER_PROBE_BYTES];
    bool is_end;

    (void)peers_call_read(peer->probe, bytes, sizeof(bytes), &is_end);
    if (!is_end) {
        return;
    }
    peer->good_ms = clock_monotonic_ms(options->clock);
    peer->rtt_us = (clock_monotonic_ns(options->clock) - peer->probe_ns) / NS_PER_US;
    peer_probe_end(peer, true, "");
}

static void on_probe_head(void *arg, const struct answer_head *head)
{
    char reason[PEERS_REASON_BYTES];

    if (head->status == 200) {
        on_probe_bytes(arg);
        return;
    }
    snprintf(reason, sizeof(reason), "the manager answered with the status %d", head->status);
    peer_probe_end(arg, false, reason);
}

static void on_probe_failure(void *arg, const char *reason)
{
    peer_probe_end(arg, false, reason);
}

/* Sends a probe to a peer. The previous probe has ended, at the latest by its deadline. */
static void peer_probe(struct peer *peer)
{
    static const struct peers_request request = { .method = { "GET", 3 },
                                                  .target = { "/peer/status", 12 },
                                                  .head_ms = LIMIT_PEER_CONNECT_MS,
                                                  .bytes_max = PEER_PROBE_BYTES };
    struct peers_events events = { on_probe_head, on_probe_bytes, on_probe_failure, peer };
    const struct peers_options *options = &peer->peers->options;
    uint64_t now_ms = clock_monotonic_ms(options->clock);
    struct err err;

    peer_spares_close(peer, loop_now_ms(options->loop) > LIMIT_PEER_SPARE_MS
                                ? loop_now_ms(options->loop) - LIMIT_PEER_SPARE_MS
                                : 0);
    if (peer->is_judged && !peer->is_reachable && now_ms - peer->good_ms > LIMIT_PEER_LOST_MS) {
        peer_calls_fail(peer, peer->reason, peer->probe);
    }
    if (peer->probe != NULL) {
        return;
    }
    peer->probe_ns = clock_monotonic_ns(options->clock);
    if (!peer_call_start(peer, &request, &events, &peer->probe, &err)) {
        peer->probe = NULL;
        peer_judge(peer, false, err.text);
    }
}

void peers_run(struct peers *peers)
{
    peers_files_look(peers);
    for (size_t i = 0; i < LIMIT_PEERS && peers->credentials != NULL; i++) {
        if (peers->items[i].address[0] != '\0') {
            peer_probe(&peers->items[i]);
        }
    }
}

/* ---- requests ---- */

bool peers_call_start(struct peers *peers, struct text id, const struct peers_request *request,
                      const struct peers_events *events, struct peers_call **out, struct err *err)
{
    struct peer *peer = peer_find(peers, id);

    if (peers->credentials == NULL || peer == NULL) {
        return err_set(err, CODE_R0585, "this manager has no link to manager %.*s", TEXT_ARG(id));
    }
    return peer_call_start(peer, request, events, out, err);
}
