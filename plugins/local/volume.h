#ifndef LOCAL_VOLUME_H
#define LOCAL_VOLUME_H

#include "machine.h"

/* Volumes. The folder volumes/KEY has `disk`, a sparse file with ext4, which is mounted on `data`.
 * If this computer has no loop devices, `data` is a plain folder without a size limit. The file
 * `holder` has the id of the machine that uses the volume. */

/* Returns the volume's key. With `keep: node` it is derived from the machine, otherwise from its
 * cluster, group and slot. */
struct text volume_key(struct work *work, const struct machine *machine,
                       const struct machine_volume *volume);

/* Creates missing volumes, and attaches all volumes of the machine. Rejects a volume that another
 * machine uses. */
int32_t volume_attach(struct work *work, const struct machine *machine);

/* Detaches all volumes of the machine, and deletes the volumes with `keep: node`. A missing volume
 * is not an error. */
int32_t volume_detach(struct work *work, const struct machine *machine);

/* Returns the path of a volume's files, from which it is mounted into the machine. */
const char *volume_path(struct work *work, const struct machine_volume *volume);

/* Returns the path of the volume in the machine, without the leading '/'. */
struct text volume_target(struct work *work, const struct machine_volume *volume);

/* Returns whether the volume is a disk, and not a plain folder. */
bool volume_is_disk(struct work *work, const struct machine_volume *volume);

#endif
