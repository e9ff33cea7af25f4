#include "gce.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "images.h"

/* The projects and families in which Google has the images of a release. */
static const struct {
    const char *release;
    const char *project;
    const char *family;
    const char *family_arm;
} gce_images[] = {
    { "debian-12", "debian-cloud", "debian-12", "debian-12-arm64" },
    { "debian-13", "debian-cloud", "debian-13", "debian-13-arm64" },
    { "ubuntu-22.04", "ubuntu-os-cloud", "ubuntu-2204-lts", "ubuntu-2204-lts-arm64" },
    { "ubuntu-24.04", "ubuntu-os-cloud", "ubuntu-2404-lts-amd64", "ubuntu-2404-lts-arm64" },
    { "rocky-9", "rocky-linux-cloud", "rocky-linux-9", "rocky-linux-9-arm64" },
};

/* Families of machine types with ARM processors. */
static const char *const gce_arm[] = { "t2a-", "c4a-", "n4a-" };

struct text gce_type_architecture(struct text machine_type)
{
    for (size_t i = 0; i < ARRAY_COUNT(gce_arm); i++) {
        if (text_has_prefix(machine_type, text_from(gce_arm[i]))) {
            return TEXT("ARM64");
        }
    }
    return TEXT("X86_64");
}

/* Appends the existing names, for a fault. */
static struct text gce_image_names(struct arena *arena)
{
    struct buf out;

    buf_init(&out, arena);
    for (size_t i = 0; i < ARRAY_COUNT(gce_images); i++) {
        buf_printf(&out, "%s%s", i == 0 ? "" : ", ", gce_images[i].release);
    }
    return buf_text(&out);
}

/* Returns the URL of an image, or of the newest image of a family. */
static struct text gce_image_url(struct gce_call *work, struct text image, struct text architecture,
                                 struct text *out_project)
{
    const struct image_release *release = images_find(image);

    for (size_t i = 0; release != NULL && i < ARRAY_COUNT(gce_images); i++) {
        if (strcmp(gce_images[i].release, release->name) == 0) {
            *out_project = text_from(gce_images[i].project);
            return arena_printf(work->arena, "%.*s/compute/v1/projects/%s/global/images/family/%s",
                                TEXT_ARG(work->gce->settings.endpoint), gce_images[i].project,
                                text_is(architecture, "ARM64") ? gce_images[i].family_arm
                                                               : gce_images[i].family);
        }
    }
    if (text_has_prefix(image, TEXT("projects/"))) {
        size_t end = text_find_byte(text_slice(image, 9, image.length), '/');

        *out_project = text_slice(image, 9, end);
        return arena_printf(work->arena, "%.*s/compute/v1/%.*s",
                            TEXT_ARG(work->gce->settings.endpoint), TEXT_ARG(image));
    }
    return TEXT("");
}

int32_t gce_resolve_image(struct gce_call *work, struct text image, struct text architecture,
                          struct text *out)
{
    struct text project = TEXT("");
    struct text url = gce_image_url(work, image, architecture, &project);
    struct gce_answer answer;
    struct text found;

    if (url.length == 0) {
        return gce_fault(work, REEVE_INVALID, "/image",
                         "there is no image '%.*s' at Google; there are %.*s, and "
                         "projects/PROJECT/global/images/IMAGE",
                         TEXT_ARG(image), TEXT_ARG(gce_image_names(work->arena)));
    }
    if (gce_get(work, url, &answer) != REEVE_OK) {
        return gce_refuse(work, "/image", "get the image", &answer);
    }
    found = doc_child_text(&answer.doc, "architecture");
    if (found.length > 0 && !text_is_equal(found, architecture)) {
        return gce_fault(work, REEVE_INVALID, "/image",
                         "the image '%.*s' is for %.*s, the machine type has %.*s", TEXT_ARG(image),
                         TEXT_ARG(found), TEXT_ARG(architecture));
    }
    if (!text_is(doc_child_text(&answer.doc, "status"), "READY")) {
        return gce_fault(work, REEVE_INVALID, "/image", "the image '%.*s' is not ready",
                         TEXT_ARG(image));
    }
    *out = arena_printf(work->arena, "projects/%.*s/global/images/%.*s", TEXT_ARG(project),
                        TEXT_ARG(doc_child_text(&answer.doc, "name")));
    return REEVE_OK;
}

/* ---- keys ---- */

static bool is_gce_public_key(struct text key)
{
    return text_has_prefix(key, TEXT("ssh-")) || text_has_prefix(key, TEXT("ecdsa-sha2-")) ||
           text_has_prefix(key, TEXT("sk-"));
}

/* Returns the value of the project's metadata item `ssh-keys`, which has lines USER:KEY. */
static struct text gce_project_keys(const struct doc *project)
{
    const struct doc *items = doc_child(doc_child(project, "commonInstanceMetadata"), "items");

    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        if (text_is(doc_child_text(&items->items[i], "key"), "ssh-keys")) {
            return doc_child_text(&items->items[i], "value");
        }
    }
    return TEXT("");
}

/* Appends the keys of a user, and collects the names of all users. */
static void gce_keys_of(struct text lines, struct text user, struct buf *keys, struct buf *users)
{
    struct text last = TEXT("");

    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');
        struct text line = text_trim(text_slice(lines, 0, end));
        size_t colon = text_find_byte(line, ':');
        struct text name = text_slice(line, 0, colon);

        if (colon != SIZE_MAX && text_is_equal(name, user)) {
            buf_add(keys, text_slice(line, colon + 1, line.length));
            buf_add_byte(keys, '\n');
        }
        if (colon != SIZE_MAX && !text_is_equal(name, last) && users->length < 300) {
            buf_add_string(users, users->length == 0 ? "" : ", ");
            buf_add(users, name);
        }
        last = name;
        lines = end == SIZE_MAX ? TEXT("") : text_slice(lines, end + 1, lines.length);
    }
}

int32_t gce_resolve_key(struct gce_call *work, struct text key, struct text *out)
{
    struct gce_answer answer;
    struct buf users;
    struct buf keys;

    *out = key;
    if (key.length == 0 || is_gce_public_key(key)) {
        return REEVE_OK;
    }
    if (gce_get(work, TEXT(""), &answer) != REEVE_OK) {
        return gce_refuse(work, "/key", "get the project's keys", &answer);
    }
    buf_init(&users, work->arena);
    buf_init(&keys, work->arena);
    gce_keys_of(gce_project_keys(&answer.doc), key, &keys, &users);
    *out = buf_text(&keys);
    if (out->length == 0) {
        return gce_fault(work, REEVE_INVALID, "/key",
                         "the project has no keys of a user '%.*s'; its users are: %.*s. Or give "
                         "the public key itself",
                         TEXT_ARG(key), TEXT_ARG(buf_text(&users)));
    }
    return REEVE_OK;
}
