/* A configuration repository: an arbitrary archive or, if the first byte is m, an arbitrary
 * manifest with two folders. The stages of an accepted revision have bundles that are equal after
 * parsing. A refusal has a reason, and its position is within the manifest. */
#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "fuzz.h"
#include "remote/archive.h"
#include "remote/bounds.h"
#include "remote/revision.h"

enum { SOURCE = 3 };

static uint32_t lines_of(struct text text)
{
    uint32_t lines = 1;

    for (size_t i = 0; i < text.length; i++) {
        lines += text.data[i] == '\n';
    }
    return lines;
}

static void revision_check(const struct revision *revision)
{
    const struct doc *stages = &revision->stages;

    if (doc_is_map(&revision->hooks)) { /* with runner ansible */
        FUZZ_CHECK(revision->bundle_count == 0 && stages->item_count == 1);
        FUZZ_CHECK(doc_child_text(&stages->items[0], "playbook").length > 0);
        return;
    }
    FUZZ_CHECK(revision->bundle_count > 0 && revision->bundle_count <= REMOTE_STAGES);
    FUZZ_CHECK(stages->item_count == revision->bundle_count);
    for (size_t i = 0; i < revision->bundle_count; i++) {
        AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
        const struct bundle *bundle = &revision->bundles[i];
        struct bundle again;
        struct err err;

        FUZZ_CHECK(bundle_from_archive(arena, BUNDLE_STAGE, bundle->bytes, &again, &err));
        FUZZ_CHECK(strcmp(again.digest, bundle->digest) == 0);
        FUZZ_CHECK(text_has_suffix(doc_child_text(&stages->items[i], "bundle"),
                                   text_from(bundle->digest)));
        FUZZ_CHECK(doc_child(&stages->items[i], "tar") == NULL);
    }
}

static void repository_take(struct arena *arena, struct text bytes)
{
    static const struct origin origin = { .kind = ORIGIN_FILE, .source = SOURCE };
    struct revision revision;
    struct err_list errors;
    struct text manifest;
    struct bundle whole;
    struct buf json;
    struct doc files;
    struct doc read;
    struct err err;

    if (!bundle_from_archive(arena, BUNDLE_CONFIGURATION, bytes, &whole, &err)) {
        FUZZ_CHECK(err.code >= CODE_R0721 && err.code <= CODE_R0725 && err.text[0] != '\0');
        return;
    }
    FUZZ_CHECK(revision_files(arena, whole.bytes, &files, &err));
    FUZZ_CHECK(files.item_count <= whole.members);
    manifest = revision_manifest(arena, whole.bytes);
    err_list_init(&errors, arena);
    if (revision_read(arena, whole.bytes, &origin, &revision, &errors)) {
        FUZZ_CHECK(errors.errors == 0);
        revision_check(&revision);
        buf_init(&json, arena);
        json_format(&json, &revision.stages);
        FUZZ_CHECK(json_parse(arena, buf_text(&json), NULL, &read, &err));
        return;
    }
    FUZZ_CHECK(errors.errors > 0);
    for (size_t i = 0; i < errors.count; i++) {
        const struct place *place = &errors.items[i].place;

        FUZZ_CHECK(errors.items[i].text[0] != '\0');
        FUZZ_CHECK(!place_is_known(*place) ||
                   (place->source == SOURCE && place->line <= lines_of(manifest)));
    }
}

static void file_add(struct buf *tar, const char *name, struct text content)
{
    struct archive_member member = {
        .kind = ARCHIVE_FILE, .name = text_from(name), .mode = 0644, .bytes = content.length
    };

    archive_add(tar, &member, content);
}

/* Makes a repository with this manifest. */
static struct text manifest_wrap(struct arena *arena, struct text manifest)
{
    struct buf tar;

    buf_init(&tar, arena);
    file_add(&tar, "base/bootstrap.sh", TEXT("echo base\n"));
    file_add(&tar, REVISION_MANIFEST, manifest);
    file_add(&tar, "web/more/file", TEXT("content\n"));
    file_add(&tar, "web/bootstrap.sh", TEXT("echo web\n"));
    archive_finish(&tar);
    return buf_text(&tar);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct text rest = { (const char *)data + 1, size - 1 };

    if (size == 0) {
        return 0;
    }
    repository_take(arena, data[0] == 'm' ? manifest_wrap(arena, rest) : rest);
    return 0;
}
