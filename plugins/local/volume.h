#ifndef LOCAL_VOLUME_H
#define LOCAL_VOLUME_H

#include "machine.h"

/* Volumes: volumes/KEY with `disk` (a sparse file with an ext4 in it) mounted on `data`; where this computer has
 * no loop devices, `data` is a plain folder without a bound on its size. `holder` names the machine that has it. */

/* Which volume it is: of the machine alone (keep: node), or of its cluster, group and slot. */
struct text volume_key(struct work *work, const struct machine *machine,
                       const struct machine_volume *volume);

/* Make what is missing, and attach all of the machine's. One that another machine has is refused. */
int32_t volume_attach(struct work *work, const struct machine *machine);

/* Take them off the machine; those of the machine alone are deleted. What is not there is right. */
int32_t volume_detach(struct work *work, const struct machine *machine);

/* Where a volume's files are, for mounting it into the machine. */
const char *volume_path(struct work *work, const struct machine_volume *volume);

/* Where it appears in the machine: without the '/' in front. */
struct text volume_target(struct work *work, const struct machine_volume *volume);

/* Has it a disk of its own, or is it a folder? */
bool volume_is_disk(struct work *work, const struct machine_volume *volume);

#endif
