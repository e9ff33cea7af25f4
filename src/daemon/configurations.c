#include "daemon/configurations.h"

#include "codec/json.h"
#include "remote/revision.h"

/* An archive is mapped while it is read, so that a large archive does not fill the memory. The
 * texts that are read borrow from it; they are copied before it is unmapped. */

MUST_CHECK static bool archive_map(const struct configurations *configurations, struct text digest,
                                   struct text *out, struct err *err)
{
    if (configurations->archives == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store configurations: its log has the reason");
    }
    return depot_map(configurations->archives, digest, out, err);
}

MUST_CHECK static bool configurations_copy(struct arena *arena, const struct doc *doc,
                                           struct doc *out, struct err *err)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return json_parse(arena, buf_text(&buf), NULL, out, err);
}

MUST_CHECK static bool bundles_put(const struct configurations *configurations,
                                   const struct revision *revision, struct err *err)
{
    if (configurations->bundles == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    for (size_t i = 0; i < revision->bundle_count; i++) {
        if (!depot_put(configurations->bundles, &revision->bundles[i], err)) {
            return false;
        }
    }
    return true;
}

/* Stores the bundles of a revision. *out describes the revision. */
MUST_CHECK static bool revision_take(const struct configurations *configurations,
                                     struct arena *arena, struct text archive, struct doc *out,
                                     struct err_list *errors)
{
    struct doc_builder builder;
    struct revision revision;
    struct doc content;
    struct err err;

    if (!revision_read(arena, archive, NULL, &revision, errors)) {
        return false;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bundles", revision.stages);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)archive.length, NULL));
    if (doc_is_list(&revision.files)) {
        doc_builder_put(&builder, "files", revision.files);
    }
    if (doc_is_map(&revision.hooks)) {
        doc_builder_put(&builder, "hooks", revision.hooks);
    }
    if (doc_is_map(&revision.secrets)) {
        doc_builder_put(&builder, "secrets", revision.secrets);
    }
    if (doc_is_map(&revision.vars)) {
        doc_builder_put(&builder, "vars", revision.vars);
    }
    content = doc_builder_map(&builder, NULL);
    if (!bundles_put(configurations, &revision, &err) ||
        !configurations_copy(arena, &content, out, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    return true;
}

bool configurations_read(const struct configurations *configurations, struct text digest,
                         struct arena *arena, struct doc *out, struct err_list *errors)
{
    struct text archive;
    struct err err;
    bool is_good;

    if (!archive_map(configurations, digest, &archive, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    is_good = revision_take(configurations, arena, archive, out, errors);
    depot_unmap(archive);
    return is_good;
}

bool configurations_files(const struct configurations *configurations, struct text digest,
                          struct arena *arena, struct doc *out, struct err *err)
{
    struct text archive;
    struct doc files;
    bool is_good;

    if (!archive_map(configurations, digest, &archive, err)) {
        return false;
    }
    is_good =
        revision_files(arena, archive, &files, err) && configurations_copy(arena, &files, out, err);
    depot_unmap(archive);
    return is_good;
}
