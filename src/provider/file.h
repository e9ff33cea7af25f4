#ifndef REEVE_PROVIDER_FILE_H
#define REEVE_PROVIDER_FILE_H

#include "base/err.h"
#include "engine/provider.h"

/* A provider whose machines are files: one file is one machine, FOLDER/TENANT/CLUSTER/ID.json. For trials and
 * tests with processes that die: what it has done is on the disk, whoever asked for it. A person may look at
 * the files, delete one (the machine is gone), or write "stopped" for its state.
 *
 * It does its work at once and answers in provider_run, all on the calling thread. */

/* Keep machines below this folder, which is there. */
MUST_CHECK bool file_provider_open(const char *folder, struct provider **out, struct err *err);

#endif
