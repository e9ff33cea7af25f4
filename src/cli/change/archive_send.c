#include "cli/change/archive_send.h"

#include "codec/json.h"

#include <inttypes.h>
#include <poll.h>

/* Size of one piece in bytes. If the manager already receives its maximum number of uploads, the
 * client waits PIECE_PAUSE_MS and retries, at most PIECE_IDLE_MAX times. */
enum { PIECE_BYTES = 2 * 1024 * 1024, PIECE_PAUSE_MS = 500, PIECE_IDLE_MAX = 120 };

MUST_CHECK static bool archive_fail(struct command *command, const char *what, struct err *err)
{
    err_note(err, "the data was sent for %s", what);
    err_list_add(&command->errors, err);
    return false;
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

bool archive_send(struct command *command, const struct session *session, const char *route,
                  const char *what, const struct bundle *bundle)
{
    uint64_t have = 0;
    unsigned idle = 0;
    struct err err;

    while (have < bundle->bytes.length && idle < PIECE_IDLE_MAX) {
        AUTO(arena) arena = arena_new((size_t)LIMIT_WORK_ARENA_BYTES);
        struct client_request request = {
            .method = "POST",
            .path = arena_printf(arena, "%s/%s?bytes=%zu&offset=%" PRIu64, route, bundle->digest,
                                 bundle->bytes.length, have),
            .accept = "application/json",
            .content_type = "application/octet-stream",
            .body = text_slice(bundle->bytes, (size_t)have, PIECE_BYTES),
        };
        struct client_answer answer;
        uint64_t before = have;

        if (!client_call(arena, &session->client, &request, &answer, &err)) {
            return archive_fail(command, what, &err);
        }
        if (answer.head.status >= 300) {
            session_refused(command, &answer);
            return false;
        }
        if (!have_read(arena, &answer, bundle->bytes.length, &have)) {
            err_set(&err, CODE_R0726, "the manager does not report how much of the bundle it has");
            return archive_fail(command, what, &err);
        }
        idle = have > before ? 0 : idle + 1;
        if (have == before) {
            (void)poll(NULL, 0, PIECE_PAUSE_MS);
        }
    }
    if (have < bundle->bytes.length) {
        err_set(&err, CODE_R0726,
                "the manager accepts no more uploads now: too many are in progress");
        err_hint(&err, "try again in a minute");
        return archive_fail(command, what, &err);
    }
    return true;
}
