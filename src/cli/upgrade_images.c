#include "cli/upgrade_images.h"

#include "base/time.h"
#include "cli/args/fields.h"
#include "cli/change/change.h"
#include "codec/doc_child.h"
#include "sys/clock.h"

/* public names start with: upgrade_ */

#define IMAGE_OWN "resourceProperties."

/* ---- pinned images ---- */

/* Get what the names of pinned images stand for: all, or those of a cluster or group. False: an
 * error was added. */
static bool images_get(struct command *command, const struct session *session,
                       const struct target *target, struct doc *out)
{
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/upgrades");
    if (target != NULL) {
        struct text cluster = target_cluster(target);

        buf_add_string(&path, "?cluster=");
        client_path_add(&path, cluster);
        if (target->kind->owner == OWNER_NODEGROUP) {
            buf_add_string(&path, "&group=");
            client_path_add(&path,
                            text_slice(target->name, cluster.length + 1, target->name.length));
        }
    }
    return session_get(command, session, buf_text(&path), out);
}

/* True if the provider has something newer by the name of this item. */
static bool image_is_old(const struct doc *item)
{
    struct text now = doc_child_text(item, "now");

    return now.length > 0 && !text_is_equal(now, doc_child_text(item, "pinned"));
}

static struct text image_group(struct arena *arena, const struct doc *item)
{
    return arena_printf(arena, "%.*s/%.*s", TEXT_ARG(doc_child_text(item, "cluster")),
                        TEXT_ARG(doc_child_text(item, "group")));
}

/* ---- the list ---- */

bool upgrade_images_list(struct command *command, const struct session *session,
                         struct upgrade_rows *rows)
{
    const struct doc *items;
    struct doc answer;

    if (!images_get(command, session, NULL, &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        const struct doc *item = &items->items[i];
        struct text group = image_group(command->arena, item);
        struct text problem = doc_child_text(item, "problem");
        struct doc_builder builder;

        if (problem.length > 0) {
            buf_printf(&command->notes, "%.*s: its provider was not asked about '%.*s': %.*s\n",
                       TEXT_ARG(group), TEXT_ARG(doc_child_text(item, "name")), TEXT_ARG(problem));
        }
        if (!image_is_old(item) || rows->count == rows->room) {
            continue;
        }
        doc_builder_init(&builder, command->arena);
        doc_builder_put(&builder, "current", *doc_child(item, "pinned"));
        doc_builder_put(&builder, "group", doc_text(group, NULL));
        doc_builder_put(&builder, "image", doc_text(doc_child_text(item, "name"), NULL));
        doc_builder_put(&builder, "newest", *doc_child(item, "now"));
        rows->items[rows->count++] = doc_builder_map(&builder, NULL);
    }
    return true;
}

/* ---- the field that has the image ---- */

/* The name of the plugin's own property for images; empty if it has none. False: an error was
 * added. */
static bool image_property(struct command *command, const struct session *session,
                           struct text plugin, struct text *out)
{
    const struct doc *properties;
    struct doc answer;

    *out = TEXT("");
    plugin = text_slice(plugin, 0, text_find_byte(plugin, '/'));
    if (plugin.length == 0) {
        return true;
    }
    if (!session_get(command, session,
                     arena_printf(command->arena, "/v1/plugins/%.*s", TEXT_ARG(plugin)), &answer)) {
        return false;
    }
    properties = doc_child(&answer, "properties");
    for (size_t i = 0; doc_is_list(properties) && i < properties->item_count; i++) {
        if (text_is(doc_child_text(&properties->items[i], "field"), "image")) {
            *out = doc_child_text(&properties->items[i], "name");
        }
    }
    return true;
}

/* The image of a target, and where it is set. */
struct image_place {
    struct text path;  /* "image", or "resourceProperties.NAME" of the plugin's own property */
    struct text value; /* empty: none is set */
};

/* The scalar at a path of an effective group; empty if there is none. */
static struct text image_value_find(const struct doc *values, struct text path)
{
    for (size_t i = 0; doc_is_list(values) && i < values->item_count; i++) {
        const struct doc *value = doc_child(&values->items[i], "value");

        if (text_is_equal(doc_child_text(&values->items[i], "path"), path) &&
            doc_is_scalar(value)) {
            return value->text;
        }
    }
    return TEXT("");
}

/* Look into the plugin's own property if `image` is not set. */
static bool image_own_find(struct command *command, const struct session *session,
                           struct text plugin, const struct doc *values, const struct doc *own,
                           struct image_place *out)
{
    struct text property;
    struct text path;
    struct text value;

    if (!image_property(command, session, plugin, &property)) {
        return false;
    }
    path = arena_printf(command->arena, IMAGE_OWN "%.*s", TEXT_ARG(property));
    value = values != NULL                           ? image_value_find(values, path)
            : doc_is_scalar(doc_find(own, property)) ? doc_find(own, property)->text
                                                     : TEXT("");
    if (property.length > 0 && value.length > 0) {
        *out = (struct image_place){ path, value };
    }
    return true;
}

/* Find the effective image of a group. False: an error was added. */
static bool image_group_find(struct command *command, const struct session *session,
                             const struct target *target, struct image_place *out)
{
    struct text cluster = target_cluster(target);
    struct text path = text_slice(target->name, cluster.length + 1, target->name.length);
    const struct doc *group = NULL;
    const struct doc *groups;
    struct doc answer;

    if (!session_get(command, session,
                     arena_printf(command->arena, "%.*s?view=effective",
                                  TEXT_ARG(session_path(command, schema_kind_find(TEXT("Cluster")),
                                                        cluster))),
                     &answer)) {
        return false;
    }
    groups = doc_child(&answer, "groups");
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (text_is_equal(doc_child_text(&groups->items[i], "path"), path)) {
            group = &groups->items[i];
        }
    }
    if (group == NULL) {
        struct text pin;

        return change_pin_get(command, session, target, &pin); /* adds the error */
    }
    out->value = image_value_find(doc_child(group, "values"), TEXT("image"));
    return out->value.length > 0 ||
           image_own_find(command, session, doc_child_text(group, "plugin"),
                          doc_child(group, "values"), NULL, out);
}

/* Find the image in the defaults of a cluster. False: an error was added. */
static bool image_defaults_find(struct command *command, const struct session *session,
                                const struct target *target, struct image_place *out)
{
    const struct doc *defaults;
    struct doc answer;

    if (!session_get(command, session, session_path(command, target->kind, target->name),
                     &answer)) {
        return false;
    }
    defaults = doc_child(doc_child(&answer, "spec"), "defaults");
    out->value = doc_child_text(defaults, "image");
    return out->value.length > 0 || !doc_is_map(doc_child(defaults, "resourceProperties")) ||
           image_own_find(command, session,
                          doc_child_text(doc_child(defaults, "resourcePlugin"), "name"), NULL,
                          doc_child(defaults, "resourceProperties"), out);
}

/* ---- the change ---- */

/* The target has the image already: find out whether its provider has a newer one by this name.
 * False: an error was added. */
static bool image_renewal_find(struct command *command, const struct session *session,
                               const struct target *target, struct text image, bool *out_is_old)
{
    const char *name = arena_string(command->arena, target_format(command->arena, target));
    const struct doc *items;
    struct text pinned = TEXT("");
    struct text problem = TEXT("");
    struct doc answer;

    *out_is_old = false;
    if (!images_get(command, session, target, &answer)) {
        return false;
    }
    items = doc_child(&answer, "items");
    for (size_t i = 0; doc_is_list(items) && i < items->item_count; i++) {
        const struct doc *item = &items->items[i];

        if (!text_is_equal(doc_child_text(item, "name"), image)) {
            continue;
        }
        *out_is_old = *out_is_old || image_is_old(item);
        pinned = doc_child_text(item, "pinned");
        problem =
            doc_is_present(doc_child(item, "problem")) ? doc_child_text(item, "problem") : problem;
    }
    if (*out_is_old) {
        return true;
    }
    if (problem.length > 0) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0607,
                                     "%s: its provider was not asked what '%.*s' stands for: %.*s",
                                     name, TEXT_ARG(image), TEXT_ARG(problem)),
                        "repeat the command later: reeve doctor");
    }
    if (pinned.length > 0) {
        buf_printf(&command->notes, "%s has this image: '%.*s' is still %.*s\n", name,
                   TEXT_ARG(image), TEXT_ARG(pinned));
    } else {
        buf_printf(&command->notes,
                   "%s has the image '%.*s' already; to make its machines again: reeve replace\n",
                   name, TEXT_ARG(image));
    }
    return true;
}

bool upgrade_image_put(struct command *command, const struct session *session,
                       const struct target *target, struct doc *patch, bool *out_is_changed)
{
    bool is_group = target->kind->owner == OWNER_NODEGROUP;
    struct text image = text_from(args_value(&command->args, FLAG_UPGRADE_IMAGE));
    struct image_place place = { TEXT("image"), TEXT("") };
    struct text value = image;
    char now[TIME_TEXT_BYTES];

    *out_is_changed = true;
    if (!(is_group ? image_group_find(command, session, target, &place)
                   : image_defaults_find(command, session, target, &place))) {
        return false;
    }
    if (text_is_equal(place.value, image)) {
        if (!image_renewal_find(command, session, target, image, out_is_changed)) {
            return false;
        }
        if (!*out_is_changed) {
            return true;
        }
        time_format(clock_wall_ms(clock_system()), now);
        place.path = TEXT("imageAsOf");
        value = arena_text(command->arena, text_from(now));
    }
    return fields_put(
        command, patch,
        arena_printf(command->arena, "%s%.*s", is_group ? "" : "defaults.", TEXT_ARG(place.path)),
        0, doc_text(value, NULL));
}
