#ifndef REEVE_CLI_UPGRADE_IMAGES_H
#define REEVE_CLI_UPGRADE_IMAGES_H

#include "cli/args/target.h"
#include "cli/manager/session.h"

/* Images of groups, for `reeve upgrade`: which names resolve to a newer image at their
 * providers now, and the change that moves a group to another image. */

/* Put the image that --image names into the patch of a group, or of the defaults of a cluster. If
 * the target has that image already, and its provider has a newer one by this name, the patch
 * renews it (imageAsOf). *out_is_changed: false if the target has the newest image; a note says so.
 * False: an error was added. */
bool upgrade_image_put(struct command *command, const struct session *session,
                       const struct target *target, struct doc *patch, bool *out_is_changed);

/* A list of at most `room` rows. */
struct upgrade_rows {
    struct doc *items;
    size_t count;
    size_t room;
};

/* Add a row for each group whose image is not the newest one of its name. A provider that does not
 * answer is a note. False: an error was added. */
bool upgrade_images_list(struct command *command, const struct session *session,
                         struct upgrade_rows *rows);

#endif
