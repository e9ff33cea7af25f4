#ifndef REEVE_MANAGED_STORE_MANAGED_PARTS_H
#define REEVE_MANAGED_STORE_MANAGED_PARTS_H

#include "managed_store/managed_store.h"
#include "wire/member_ipc.h"

/* private to src/managed_store */
/* public names start with: managed_ */

/* True if the data folder has this file. */
bool managed_file_is_there(const char *data, const char *name);

/* Makes the folder of the member. A command that root runs gives it to the owner of the data
 * folder, which reeve-store becomes. */
MUST_CHECK bool managed_folder_have(const char *data, struct err *err);

/* Sets where the member listens for other hosts: nowhere without a certificate. */
void managed_arguments_listen(struct arena *arena, const struct managed_store_options *options,
                              struct member_ipc_arguments *out);

#endif
