#include "api/streams/streams.h"
#include "api/users/access.h"
#include "base/limits.h"

#include <inttypes.h>

/* public names start with: forward_ */

/* Requests of other managers that concern this manager itself:
 *
 *     GET /peer/status                a probe: {revision, version}
 *     GET /peer/blobs/sha256:D        bytes of a blob, by Range
 *     POST /peer/copies/sha256:D      fetch this blob (kind=) from the manager that sends it
 *     POST /peer/instances            a call to a plugin of this manager (src/instances) */

#define PEER_BLOBS  "/peer/blobs/sha256:"
#define PEER_COPIES "/peer/copies/sha256:"

static void peer_status_serve(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct doc_builder builder;
    struct doc body;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "revision",
                    doc_int(call->arena, (int64_t)cache_revision(options->cache), NULL));
    doc_builder_put(&builder, "version", doc_text(text_from(options->version), NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

/* Reads bytes=FIRST-LAST of the header Range. Without the header, the range is the first piece. */
MUST_CHECK static bool peer_range_read(const struct call *call, uint64_t *first, uint64_t *length,
                                       struct err *err)
{
    struct text range = call_header(call, HTTP_RANGE);
    struct text unit = TEXT("bytes=");
    size_t dash = text_find_byte(range, '-');
    int64_t from = 0;
    int64_t to = 0;

    *first = 0;
    *length = LIMIT_PEER_PIECE_BYTES;
    if (range.length == 0) {
        return true;
    }
    if (!text_has_prefix(range, unit) || dash == SIZE_MAX ||
        !text_parse_int64(text_slice(range, unit.length, dash - unit.length), &from) ||
        !text_parse_int64(text_slice(range, dash + 1, SIZE_MAX), &to) || from < 0 || to < from ||
        to == INT64_MAX) {
        return err_set(err, CODE_R0426, "the range must be bytes=FIRST-LAST, not '%.*s'",
                       TEXT_ARG(range));
    }
    *first = (uint64_t)from;
    *length = (uint64_t)(to - from) + 1;
    return true;
}

static void peer_blob_serve(struct call *call, struct text digest)
{
    const struct api_options *options = &call->api->options;
    struct blobs_part part;
    struct http_field field = { "Content-Range", NULL };
    uint64_t first;
    uint64_t length;
    struct err err;

    if (!peer_range_read(call, &first, &length, &err) ||
        !blobs_read(options->blobs, call->arena, digest, first, length, &part, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (part.bytes.length == 0) {
        err_set(&err, CODE_R0426, "the blob has %" PRIu64 " bytes", part.size);
        call_refuse(call, &err);
        return;
    }
    field.value = arena_string(call->arena,
                               arena_printf(call->arena, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
                                            first, first + part.bytes.length - 1, part.size));
    call_answer_fields(call, &(struct http_answer){ .status = 206,
                                                    .content_type = "application/octet-stream",
                                                    .body = part.bytes,
                                                    .fields = &field,
                                                    .field_count = 1 });
}

static void peer_copy_taken(void *arg, size_t copies, const struct err *err)
{
    struct call *call = arg;

    (void)copies;
    if (err != NULL) {
        call_refuse(call, err);
    } else {
        call_answer(call, 200, "application/json", TEXT("{\"changed\":true}"));
    }
}

static void peer_instance_answered(void *arg, const struct text *answer, const struct err *err)
{
    struct call *call = arg;

    if (answer == NULL) {
        call_refuse(call, err);
    } else {
        call_answer(call, 200, "application/json", arena_text(call->arena, *answer));
    }
}

static void peer_instance_serve(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct instances *instances = options->instances(options->arg);
    struct err err;

    if (instances == NULL) {
        err_set(&err, CODE_R0585, "this manager has just started");
        call_refuse(call, &err);
        return;
    }
    instances_serve(instances, text_from(call->request->peer->name), call->request->body,
                    peer_instance_answered, call);
}

void forward_peer_serve(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct text method = call->request->method;
    struct text path = call->request->target.path;
    struct err err;

    if (!access_peer_check(call, &err)) {
        call_refuse(call, &err);
    } else if (text_is(path, "/peer/status") && text_is(method, "GET")) {
        peer_status_serve(call);
    } else if (text_is(path, INSTANCES_PATH) && text_is(method, "POST")) {
        peer_instance_serve(call);
    } else if (text_has_prefix(path, TEXT(PEER_BLOBS)) && text_is(method, "GET")) {
        peer_blob_serve(call, text_slice(path, sizeof(PEER_BLOBS) - 1, SIZE_MAX));
    } else if (text_has_prefix(path, TEXT(PEER_COPIES)) && text_is(method, "POST")) {
        blobs_take(options->blobs, blobs_kind_find(call_parameter(call, "kind")),
                   text_slice(path, sizeof(PEER_COPIES) - 1, SIZE_MAX),
                   text_from(call->request->peer->name), peer_copy_taken, call);
    } else {
        err_set(&err, CODE_R0423, "the API has no path %.*s", TEXT_ARG(path));
        call_refuse(call, &err);
    }
}
