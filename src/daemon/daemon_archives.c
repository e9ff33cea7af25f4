#include "codec/doc.h"
#include "daemon/configurations.h"
#include "daemon/daemon_state.h"
#include "images/images.h"

#include <stdio.h>
#include <string.h>

/* public names start with: daemon_ */

/* Bundles of stages and archives of configurations: uploads by clients, and the depots on the disk
 * of this manager. */

bool daemon_bundle_take(void *arg, struct text bytes, struct arena *arena, struct doc *out,
                        struct err *err)
{
    const struct daemon *daemon = arg;
    struct doc_builder builder;
    struct bundle bundle;

    if (daemon->bundles == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    if (!bundle_from_archive(arena, BUNDLE_STAGE, bytes, &bundle, err) ||
        !depot_put(daemon->bundles, &bundle, err)) {
        return false;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)bundle.bytes.length, NULL));
    doc_builder_put(&builder, "digest",
                    doc_text(arena_text(arena, text_from(bundle.digest)), NULL));
    doc_builder_put(&builder, "members", doc_int(arena, (int64_t)bundle.members, NULL));
    *out = doc_builder_map(&builder, NULL);
    return true;
}

/* Reports an error if the archive is still being transferred from another manager. */
MUST_CHECK static bool configuration_check(const struct daemon *daemon, struct text digest,
                                           struct err *err)
{
    return !blobs_want(daemon->blobs, BLOBS_CONFIGURATION, digest) ||
           err_set(err, CODE_R0428,
                   "this revision is being fetched from another manager: try again in a moment");
}

bool daemon_configuration_read(void *arg, struct text digest, struct arena *arena, struct doc *out,
                               struct err_list *errors)
{
    const struct daemon *daemon = arg;
    struct err err;

    if (!configuration_check(daemon, digest, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    return configurations_read(&(struct configurations){ daemon->archives, daemon->bundles },
                               digest, arena, out, errors);
}

bool daemon_configuration_files(void *arg, struct text digest, struct arena *arena, struct doc *out,
                                struct err *err)
{
    const struct daemon *daemon = arg;

    return configuration_check(daemon, digest, err) &&
           configurations_files(&(struct configurations){ daemon->archives, daemon->bundles },
                                digest, arena, out, err);
}

/* Called when a tenant has sent a complete bundle in pieces, and so may use it. The tenant must
 * send all bytes, even if another tenant has sent them, so that knowing only the digest gives no
 * access. */
static void proof_end(struct bundle_proof *proof)
{
    if (proof->stream != NULL) {
        char unused[DIGEST_TEXT_BYTES];

        digest_stream_end(proof->stream, unused);
    }
    *proof = (struct bundle_proof){ .stream = NULL };
}

/* Returns the upload entry of this tenant and digest, or a new entry. If all entries are used, the
 * one that has been idle longest is replaced. */
static struct bundle_proof *proof_have(struct daemon *daemon, const struct service_piece *piece)
{
    char name[LIMIT_TENANT_BYTES + DIGEST_TEXT_BYTES + 1];
    struct bundle_proof *oldest = &daemon->proofs[0];

    snprintf(name, sizeof(name), "%.*s/%.*s", TEXT_ARG(piece->tenant), TEXT_ARG(piece->digest));
    for (size_t i = 0; i < DAEMON_PROOFS; i++) {
        struct bundle_proof *proof = &daemon->proofs[i];

        if (proof->stream != NULL && strcmp(proof->name, name) == 0) {
            return proof;
        }
        oldest = proof->used_ms < oldest->used_ms ? proof : oldest;
    }
    proof_end(oldest);
    memcpy(oldest->name, name, sizeof(name));
    oldest->stream = digest_stream_new();
    return oldest;
}

/* Writes the bytes of a piece that the depot lacks. *out_have becomes the number of bytes in the
 * depot. */
MUST_CHECK static bool depot_fill(struct daemon *daemon, const struct service_piece *piece,
                                  uint64_t *out_have, struct err *err)
{
    struct depot_piece taken = { .digest = piece->digest,
                                 .size = piece->size,
                                 .offset = piece->offset,
                                 .bytes = piece->bytes,
                                 .now_ms = clock_wall_ms(daemon->clock) };
    uint64_t end = piece->offset + piece->bytes.length;
    struct depot *depot = piece->is_configuration ? daemon->archives : daemon->bundles;

    if (!depot_take(depot, &taken, out_have, err)) {
        return false;
    }
    if (*out_have > piece->offset && *out_have < end) { /* other tenants have sent a part of it */
        taken.offset = *out_have;
        taken.bytes = text_slice(piece->bytes, (size_t)(*out_have - piece->offset), SIZE_MAX);
        return depot_take(depot, &taken, out_have, err);
    }
    return true;
}

MUST_CHECK static bool proof_take(struct daemon *daemon, const struct service_piece *piece,
                                  uint64_t *out_have, struct err *err)
{
    struct bundle_proof *proof = proof_have(daemon, piece);
    char digest[DIGEST_TEXT_BYTES];
    uint64_t kept;

    proof->used_ms = clock_monotonic_ms(daemon->clock);
    if (piece->offset != proof->offset) {
        *out_have = proof->offset;
        return true;
    }
    if (!depot_fill(daemon, piece, &kept, err)) {
        proof_end(proof);
        return false;
    }
    /* the upload waits for a free slot, or a newer upload replaced it */
    if (kept < proof->offset + piece->bytes.length) {
        if (kept < proof->offset) {
            proof_end(proof);
            kept = 0;
        }
        *out_have = kept < proof->offset ? kept : proof->offset;
        return true;
    }
    digest_stream_add(proof->stream, piece->bytes);
    proof->offset += piece->bytes.length;
    *out_have = proof->offset;
    if (proof->offset < piece->size) {
        return true;
    }
    digest_stream_end(proof->stream, digest);
    *proof = (struct bundle_proof){ .stream = NULL };
    if (!text_is(piece->digest, digest)) {
        return err_set(err, CODE_R0721, "the received bytes do not have the digest of the bundle");
    }
    *out_have = kept; /* the client sends a replaced upload again */
    return true;
}

bool daemon_piece_take(void *arg, const struct service_piece *piece, uint64_t *out_have,
                       struct err *err)
{
    struct daemon *daemon = arg;

    if ((piece->is_configuration ? daemon->archives : daemon->bundles) == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    return piece->is_owned ? depot_fill(daemon, piece, out_have, err)
                           : proof_take(daemon, piece, out_have, err);
}

bool daemon_bundle_has(void *arg, struct text digest)
{
    const struct daemon *daemon = arg;

    struct depot *depots[] = { daemon->bundles, daemon->archives };

    for (size_t i = 0; i < ARRAY_COUNT(depots); i++) {
        if (depots[i] != NULL && depot_has(depots[i], digest)) {
            /* the client asks because it is about to store a reference to the bundle */
            depot_use(depots[i], digest);
            return true;
        }
    }
    /* fetch the bundle from another manager, unless a recent attempt found none */
    return blobs_want(daemon->blobs, BLOBS_BUNDLE, digest);
}

static bool bundle_is_run(void *arg, struct text digest)
{
    const struct daemon *daemon = arg;

    return daemon->controller != NULL && controller_runs_bundle(daemon->controller, digest);
}

/* Opens a depot in the data folder. NULL: the depot cannot be used; the reason was logged. */
static struct depot *depot_start(struct daemon *daemon, const char *name, enum bundle_kind kind,
                                 const char *means)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const char *path = arena_string(arena, arena_printf(arena, "%s/%s", daemon->config.data, name));
    struct depot *depot;
    struct err err;

    if (!depot_open(path, kind, &depot, &err)) {
        log_error(daemon->log, "bundles", "none", log_string("folder", name),
                  log_string("reason", err.text), log_string("means", means));
        return NULL;
    }
    return depot;
}

static struct bundles *sweeper_start(struct daemon *daemon, struct depot *depot)
{
    return depot == NULL ? NULL
                         : bundles_new(&(struct bundles_options){
                               .store = daemon->store,
                               .cache = daemon->cache,
                               .depot = depot,
                               .log = daemon->log,
                               .clock = daemon->clock,
                               .retention_ms = daemon->config.bundles_retention_ms,
                               .every_ms = LIMIT_BUNDLES_LOOK_MS / daemon->config.time_scale,
                               .first_ms = LIMIT_BUNDLES_FIRST_MS / daemon->config.time_scale,
                               .is_run = bundle_is_run,
                               .arg = daemon,
                           });
}

void daemon_archives_start(struct daemon *daemon)
{
    daemon->archives = depot_start(daemon, "configurations", BUNDLE_CONFIGURATION,
                                   "no configuration can be pushed");
    daemon->bundles = depot_start(daemon, "bundles", BUNDLE_STAGE,
                                  "a stage runs only on a node that already has its bundle");
    daemon->blob_files.bundles = daemon->bundles;
    daemon->blob_files.archives = daemon->archives;
    daemon->sweeper = sweeper_start(daemon, daemon->bundles);
    daemon->archive_sweeper = sweeper_start(daemon, daemon->archives);
}

struct image_files *daemon_images_start(struct daemon *daemon)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct err err;

    if (!image_files_open(
            arena_string(arena, arena_printf(arena, "%s/images", daemon->config.data)),
            &daemon->images, &err)) {
        log_error(daemon->log, "images", "none", log_string("folder", "images"),
                  log_string("reason", err.text), log_string("means", "no image can be pushed"));
        daemon->images = NULL;
    }
    daemon->blob_files.images = daemon->images;
    return daemon->images;
}

static bool is_image_used(void *arg, struct text digest)
{
    return images_have(((const struct daemon *)arg)->cache, digest);
}

void daemon_images_sweep(struct daemon *daemon)
{
    uint64_t now_ms = clock_monotonic_ms(daemon->clock);
    size_t removed;

    if (daemon->images == NULL || cache_state(daemon->cache) != CACHE_READY ||
        now_ms < daemon->images_due_ms) {
        return;
    }
    daemon->images_due_ms = now_ms + IMAGE_FILES_YOUNG_MS / daemon->config.time_scale;
    removed = image_files_sweep(daemon->images, clock_wall_ms(daemon->clock),
                                daemon->config.time_scale, is_image_used, daemon);
    if (removed > 0) {
        log_info(daemon->log, "images", "swept", log_int("images", (int64_t)removed));
    }
}

void daemon_archives_close(struct daemon *daemon)
{
    for (size_t i = 0; i < DAEMON_PROOFS; i++) {
        proof_end(&daemon->proofs[i]);
    }
    depot_close(daemon->bundles);
    depot_close(daemon->archives);
    image_files_close(daemon->images);
}
