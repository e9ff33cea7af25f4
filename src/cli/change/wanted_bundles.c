#include "cli/change/load.h"
#include "cli/change/wanted.h"
#include "codec/json.h"
#include "remote/bundle.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

/* Sends the bundles that the manager does not have before the documents that name them. */

/* When the manager already receives the most uploads at the same time, this client waits and
 * retries. */
enum { PIECE_BYTES = 2 * 1024 * 1024, PIECE_PAUSE_MS = 500, PIECE_IDLE_MAX = 120 };

MUST_CHECK static bool bundle_fail(struct command *command, const struct load_bundle *bundle,
                                   struct err *err)
{
    err_note(err, "it was sent for the bundle %s", bundle->path);
    err_list_add(&command->errors, err);
    return false;
}

/* Find out whether the manager has this bundle. */
MUST_CHECK static bool bundle_is_kept(struct command *command, const struct session *session,
                                      const struct load_bundle *bundle, bool *out, struct err *err)
{
    struct client_request request = {
        .method = "GET",
        .path = arena_printf(command->arena, "/v1/bundles/%s", bundle->digest),
        .accept = "application/json",
    };
    struct client_answer answer;

    if (!client_call(command->arena, &session->client, &request, &answer, err)) {
        return false;
    }
    *out = answer.head.status == 200;
    return true;
}

/* Read how many bytes of a bundle the manager has. False: the answer does not contain it. */
MUST_CHECK static bool have_read(struct arena *arena, const struct client_answer *answer,
                                 uint64_t most, uint64_t *out)
{
    struct doc doc;
    const struct doc *have;
    struct err err;
    int64_t number;

    if (!json_parse(arena, answer->body, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    have = doc_child(&doc, "have");
    if (have == NULL || !doc_is_scalar(have) || !text_parse_int64(have->text, &number) ||
        number < 0 || (uint64_t)number > most) {
        return false;
    }
    *out = (uint64_t)number;
    return true;
}

/* Send a bundle in pieces, so that neither side needs memory for all of a large one. Starts at the
 * offset that the manager reports. */
static bool pieces_send(struct command *command, const struct session *session,
                        const struct load_bundle *wanted, const struct bundle *bundle)
{
    uint64_t have = 0;
    unsigned idle = 0;
    struct err err;

    while (have < bundle->bytes.length && idle < PIECE_IDLE_MAX) {
        AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
        struct client_request request = {
            .method = "POST",
            .path = arena_printf(arena, "/v1/bundles/%s?bytes=%zu&offset=%" PRIu64, bundle->digest,
                                 bundle->bytes.length, have),
            .accept = "application/json",
            .content_type = "application/octet-stream",
            .body = text_slice(bundle->bytes, (size_t)have, PIECE_BYTES),
        };
        struct client_answer answer;
        uint64_t before = have;

        if (!client_call(arena, &session->client, &request, &answer, &err)) {
            return bundle_fail(command, wanted, &err);
        }
        if (answer.head.status >= 300) {
            session_refused(command, &answer);
            return false;
        }
        if (!have_read(arena, &answer, bundle->bytes.length, &have)) {
            err_set(&err, CODE_R0726, "the manager does not report how much of the bundle it has");
            return bundle_fail(command, wanted, &err);
        }
        idle = have > before ? 0 : idle + 1;
        if (have == before) {
            (void)poll(NULL, 0, PIECE_PAUSE_MS);
        }
    }
    if (have < bundle->bytes.length) {
        err_set(&err, CODE_R0726,
                "the manager accepts no more bundles now: too many are being sent");
        err_hint(&err, "try again in a minute");
        return bundle_fail(command, wanted, &err);
    }
    return true;
}

static bool bundle_send(struct command *command, const struct session *session,
                        const struct load_bundle *wanted)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
    struct bundle bundle;
    struct err err;
    bool is_kept;

    if (!bundle_is_kept(command, session, wanted, &is_kept, &err)) {
        return bundle_fail(command, wanted, &err);
    }
    if (is_kept) {
        return true;
    }
    if (!bundle_read(arena, wanted->path, &bundle, &err)) {
        return bundle_fail(command, wanted, &err);
    }
    if (strcmp(bundle.digest, wanted->digest) != 0) {
        err_set(&err, CODE_R0011, "the bundle %s changed while it was being read", wanted->path);
        return bundle_fail(command, wanted, &err);
    }
    return pieces_send(command, session, wanted, &bundle);
}

bool wanted_send_bundles(struct command *command, const struct session *session,
                         const struct wanted *wanted)
{
    const struct load_bundle *bundle = wanted->bundles;

    while (bundle != NULL && bundle_send(command, session, bundle)) {
        bundle = bundle->next;
    }
    return bundle == NULL;
}
