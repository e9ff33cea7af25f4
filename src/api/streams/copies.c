#include "api/streams/streams.h"
#include "codec/json.h"

/* public names start with: copies_ */

/* Uploaded bytes are first on the disk of this manager only. They count as stored when another
 * manager has a copy too, so that the loss of one manager loses no acknowledged bytes. */

enum { COPIES_MANY_MANAGERS = 5 };

/* An upload whose answer waits until other managers have copies. Lives in the arena of its call. */
struct copies {
    struct call *call;
    struct service_answer answer;
    struct err_list errors; /* an empty list, for the answer */
    route_fn *run;          /* runs after the search for the bundle; NULL: the answer is sent */
};

/* Returns the number of live managers. */
static size_t copies_managers(const struct api_options *options)
{
    const struct managers *managers =
        options->managers == NULL ? NULL : options->managers(options->arg);
    size_t count = 0;

    for (size_t i = 0; managers != NULL && i < managers_count(managers); i++) {
        count += managers_at(managers, i)->is_live;
    }
    return count;
}

static void copies_done(void *arg, size_t count, const struct err *err)
{
    struct copies *copies = arg;
    struct call *call = copies->call;

    if (err != NULL) {
        call_refuse(call, err);
        return;
    }
    if (text_has_prefix(copies->answer.body, TEXT("{\""))) {
        copies->answer.body = arena_printf(call->arena, "{\"copies\":%zu,%.*s", count,
                                           TEXT_ARG(text_slice(copies->answer.body, 1, SIZE_MAX)));
    }
    call_answered(call, &copies->answer);
}

/* Returns a member of the answer. */
static struct text copies_member(const struct doc *answer, const char *name)
{
    const struct doc *member = doc_is_map(answer) ? doc_child(answer, name) : NULL;

    return doc_is_scalar(member) ? member->text : TEXT("");
}

/* If the bytes of the answer are complete, requests copies from other managers before the call is
 * answered. */
void copies_answered(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;
    const struct api_options *options = &call->api->options;
    size_t managers = copies_managers(options);
    struct copies *copies = arena_one(call->arena, struct copies);
    struct text digest;
    struct text have;
    struct doc body = { .kind = DOC_KIND_NONE };
    struct err err;

    *copies = (struct copies){ .call = call, .answer = *answer };
    err_list_init(&copies->errors, call->arena);
    /* the errors of the service are freed when this call returns */
    copies->answer.errors = &copies->errors;
    if (managers == 0 || answer->errors->errors > 0 ||
        !json_parse(call->arena, answer->body, NULL, &body, &err)) {
        call_answered(call, answer);
        return;
    }
    digest = copies_member(&body, "digest");
    have = copies_member(&body, "have");
    if (have.length > 0 && !text_is_equal(have, copies_member(&body, "bytes"))) {
        call_answered(call, answer); /* more pieces of the archive follow */
    } else if (managers == 1 || options->blobs == NULL) {
        copies_done(copies, 1, NULL);
    } else if (blobs_kind_here(options->blobs, digest) == BLOBS_KIND_COUNT) {
        /* the plugin is built into reeve, so there are no bytes to copy */
        call_answered(call, answer);
    } else {
        blobs_spread(options->blobs, blobs_kind_here(options->blobs, digest), digest,
                     managers >= COPIES_MANY_MANAGERS ? 3 : 2, copies_done, copies);
    }
}

static void copies_taken(void *arg, size_t count, const struct err *err)
{
    const struct copies *copies = arg;

    (void)count;
    /* no other manager has the bundle: validate the request with the bundles of this manager */
    (void)err;
    copies->run(copies->call);
}

void copies_bundle_have(struct call *call, struct text digest, route_fn *run)
{
    struct blobs *blobs = call->api->options.blobs;
    struct copies *copies = arena_one(call->arena, struct copies);

    *copies = (struct copies){ .call = call, .run = run };
    if (blobs == NULL) {
        run(call);
    } else {
        blobs_take(blobs, BLOBS_BUNDLE, digest, TEXT(""), copies_taken, copies);
    }
}
