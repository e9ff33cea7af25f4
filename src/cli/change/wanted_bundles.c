#include "cli/change/archive_send.h"
#include "cli/change/load.h"
#include "cli/change/wanted.h"
#include "remote/bundle.h"

#include <string.h>

/* Sends the bundles that the manager lacks before the documents that refer to them. */

MUST_CHECK static bool bundle_fail(struct command *command, const struct load_bundle *bundle,
                                   struct err *err)
{
    err_note(err, "the data was sent for the bundle %s", bundle->path);
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
    if (!bundle_read(arena, BUNDLE_STAGE, wanted->path, &bundle, &err)) {
        return bundle_fail(command, wanted, &err);
    }
    if (strcmp(bundle.digest, wanted->digest) != 0) {
        err_set(&err, CODE_R0011, "the bundle %s changed while it was being read", wanted->path);
        return bundle_fail(command, wanted, &err);
    }
    return archive_send(command, session, "/v1/bundles", wanted->path, &bundle);
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
