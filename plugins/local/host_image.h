#ifndef LOCAL_HOST_IMAGE_H
#define LOCAL_HOST_IMAGE_H

#include "work.h"

#include <stdint.h>

/* `image: host`: the host's own programs without its secrets. Not the host's root with holes in it, but the other
 * way round: an almost empty root file system (images/host-KEY/root) with what a Debian needs in /etc and
 * nothing else of the host; its /usr is laid over it for reading when the machine starts.
 *
 * In /etc stands what every user of the host may read, of a list of names (host_image.c); users and groups of
 * the system alone, without passwords; our own sudoers, sshd_config and shell start-up files. /root, /home,
 * /var, /opt, /srv, /boot, /usr/local are empty. */

/* Make it, once in a process's life. */
int32_t host_image_ensure(struct work *work, const char **out_layer);

/* What of /usr is hidden: makes the upper layer for a machine's /usr. False, errno tells. */
bool host_image_hide(struct work *work, const char *upper);

#endif
