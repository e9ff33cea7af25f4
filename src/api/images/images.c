#include "api/images/images_run.h"
#include "api/request/body.h"
#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "codec/json.h"
#include "image_files/image_files.h"
#include "image_requests/image_requests.h"

/* public names start with: api_ images_ */

/* Routes of the image repository. The bytes of an image arrive in pieces before the request that
 * gives them a name; both are answered when another manager has a copy, if there are several. */

/* A request that waits for the check of an image. */
struct image_wait {
    struct image_wait *next;
    struct call *call;
    struct image_check *check;
    struct text digest;
    uint64_t bytes;
};

MUST_CHECK static bool images_are_stored(struct call *call)
{
    struct err err;

    if (call->api->options.images != NULL) {
        return true;
    }
    err_set(&err, CODE_R0726, "this manager cannot store images: its log has the reason");
    call_refuse(call, &err);
    return false;
}

void api_images(struct call *call)
{
    image_list(call->api->options.service, call->arena, &call->actor, call_answered, call);
}

/* ---- pushes ---- */

static void images_piece_answer(struct call *call, uint64_t have, uint64_t bytes)
{
    struct err_list errors;

    err_list_init(&errors, call->arena);
    copies_answered(
        call, &(struct service_answer){
                  .errors = &errors,
                  .body = arena_printf(
                      call->arena, "{\"bytes\":%llu,\"digest\":\"%.*s\",\"have\":%llu}",
                      (unsigned long long)bytes, TEXT_ARG(call->name), (unsigned long long)have) });
}

void api_image_piece(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct image_piece piece = { .tenant = call->actor.tenant,
                                 .digest = call->name,
                                 .bytes = call->request->body,
                                 .now_ms = clock_monotonic_ms(options->clock) };
    struct image_file file;
    uint64_t have = 0;
    struct err err;

    if (!images_are_stored(call)) {
        return;
    }
    if (!call_number(call, "bytes", &piece.size, &err) ||
        !call_number(call, "offset", &piece.offset, &err)) {
        call_refuse(call, &err);
        return;
    }
    /* a tenant that has sent it before, or has an image of it, need not send it again */
    if (image_files_find(options->images, piece.digest, &file) && file.bytes == piece.size &&
        (image_files_is_sent(options->images, piece.tenant, piece.digest) ||
         image_is_owned(options->service, call->arena, piece.tenant, piece.digest))) {
        images_piece_answer(call, piece.size, piece.size);
        return;
    }
    if (!image_files_take(options->images, &piece, &have, &err)) {
        call_refuse(call, &err);
        return;
    }
    images_piece_answer(call, have, piece.size);
}

void api_image_push(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct image_push push = { .name = call->name };
    struct image_file file;
    const struct body_member members[] = {
        { .name = "digest", .text = &push.version.digest },
        { .name = "tag", .text = &push.tag },
    };
    struct err err;

    if (!images_are_stored(call) || !body_members_take(call, members, ARRAY_COUNT(members))) {
        return;
    }
    if (!image_files_find(options->images, push.version.digest, &file) ||
        (!image_files_is_sent(options->images, call->actor.tenant, push.version.digest) &&
         !image_is_owned(options->service, call->arena, call->actor.tenant, push.version.digest))) {
        err_set(&err, CODE_R0854, "the file %.*s was not sent",
                TEXT_ARG(text_slice(push.version.digest, 0, 64)));
        err_hint(&err,
                 "reeve image push FILE --name %.*s sends it; with the API: POST "
                 "/v1/image-files/DIGEST",
                 TEXT_ARG(push.name));
        call_refuse(call, &err);
        return;
    }
    push.version.bytes = file.bytes;
    push.version.format = text_from(file.format);
    image_push(options->service, call->arena, &call->actor, &push, copies_answered, call);
}

/* ---- tags, removal ---- */

/* The reference of the image in the path, with the version of the body: a tag or sha256:DIGEST. */
static struct text images_reference(const struct call *call, struct text version)
{
    return version.length == 0 ? call->name
           : text_has_prefix(version, TEXT("sha256:"))
               ? arena_printf(call->arena, "%.*s@%.*s", TEXT_ARG(call->name), TEXT_ARG(version))
               : arena_printf(call->arena, "%.*s:%.*s", TEXT_ARG(call->name), TEXT_ARG(version));
}

void api_image_tag(struct call *call)
{
    struct text version = TEXT("");
    struct text tag = TEXT("");
    const struct body_member members[] = {
        { .name = "tag", .text = &tag },
        { .name = "version", .text = &version },
    };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        image_tag_set(call->api->options.service, call->arena, &call->actor,
                      images_reference(call, version), tag, call_answered, call);
    }
}

void api_image_gc(struct call *call)
{
    enum { KEEP = 3 };
    uint64_t keep = KEEP;
    bool is_dry = false;
    const struct body_member members[] = {
        { .name = "keep", .number = &keep },
        { .name = "dryRun", .flag = &is_dry },
    };

    if (body_members_take(call, members, ARRAY_COUNT(members))) {
        image_gc(call->api->options.service, call->arena, &call->actor, call->name, keep, is_dry,
                 call_answered, call);
    }
}

/* ---- checks ---- */

void api_image_verify(struct call *call)
{
    struct api *api = call->api;
    struct image_version version;
    struct text wanted = TEXT("");
    struct image_wait *wait;
    const struct body_member members[] = { { .name = "version", .text = &wanted } };
    struct err err;

    if (!images_are_stored(call) || !body_members_take(call, members, ARRAY_COUNT(members))) {
        return;
    }
    wait = arena_one(call->arena, struct image_wait);
    if (!image_resolve(call->arena, api->options.cache, call->actor.tenant,
                       images_reference(call, wanted), &version, &err) ||
        !image_check_begin(api->options.images, version.digest, &wait->check, &err)) {
        call_refuse(call, &err);
        return;
    }
    wait->call = call;
    wait->digest = version.digest;
    wait->bytes = version.bytes;
    wait->next = api->image_checks;
    api->image_checks = wait;
    api->options.loop_turn_want(api->options.arg);
}

static void images_check_answer(const struct image_wait *wait, bool is_good)
{
    struct call *call = wait->call;
    struct doc_builder builder;
    struct doc body;
    struct err err;

    image_check_end(wait->check);
    if (!is_good) {
        err_set(&err, CODE_R0854, "the file of image %.*s is damaged on this manager: sha256:%.*s",
                TEXT_ARG(call->name), TEXT_ARG(wait->digest));
        err_hint(&err,
                 "it was removed; push the image again, or let another manager send its copy");
        call_refuse(call, &err);
        return;
    }
    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "bytes", doc_int(call->arena, (int64_t)wait->bytes, NULL));
    doc_builder_put(&builder, "digest", doc_text(wait->digest, NULL));
    doc_builder_put(&builder, "name", doc_text(call->name, NULL));
    body = doc_builder_map(&builder, NULL);
    call_report(call, 200, &body);
}

void images_run(struct api *api)
{
    struct image_wait **link = &api->image_checks;

    /* one part of each in an iteration of the loop */
    while (*link != NULL) {
        struct image_wait *wait = *link;
        bool is_good = false;

        if (image_check_step(wait->check, &is_good)) {
            *link = wait->next;
            images_check_answer(wait, is_good);
        } else {
            link = &wait->next;
        }
    }
    if (api->image_checks != NULL) {
        api->options.loop_turn_want(api->options.arg);
    }
}

void images_end(struct api *api)
{
    while (api->image_checks != NULL) {
        struct image_wait *wait = api->image_checks;
        struct err err;

        api->image_checks = wait->next;
        image_check_end(wait->check);
        err_set(&err, CODE_R0428, "this manager is stopping");
        call_refuse(wait->call, &err);
    }
}
