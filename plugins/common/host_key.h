#ifndef COMMON_HOST_KEY_H
#define COMMON_HOST_KEY_H

#include "base/macros.h"
#include "base/text.h"

#include <stdbool.h>

/* public names start with: host_key_ */

/* Finds the host key that the first-start script wrote: a line `reeve-hostkey TOKEN ssh-ed25519
 * AAAA...`. *out points into the text and is "ssh-ed25519 AAAA...". Pure.
 *
 * Returns false if there is no such line, or if there are two that differ: other programs then
 * wrote to the console, and no key can be trusted. Lines with another token do not count. */
MUST_CHECK bool host_key_find(struct text console, struct text token, struct text *out);

#endif
