#ifndef LOCAL_HOST_IMAGE_H
#define LOCAL_HOST_IMAGE_H

#include "work.h"

#include <stdint.h>

/* `image: host`: a root file system with the host's programs but without its secrets. The root file
 * system (images/host-KEY/root) is almost empty. Its /etc has only the files that Debian needs, and
 * nothing else of the host. The host's /usr is mounted read-only over /usr when the machine starts.
 *
 * /etc contains listed files (host_image.c) that every user of the host may read, only system users
 * and groups, without passwords, and the plugin's sudoers, sshd_config and shell start-up files.
 * /root, /home, /var, /opt, /srv, /boot and /usr/local are empty. */

/* Creates the image, once per process. */
int32_t host_image_ensure(struct work *work, const char **out_layer);

/* Creates the upper layer for a machine's /usr, which hides parts of the host's /usr. On failure
 * errno is set. */
bool host_image_hide(struct work *work, const char *upper);

#endif
