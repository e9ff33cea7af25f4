#ifndef REEVE_STATIC_EVIDENCE_H
#define REEVE_STATIC_EVIDENCE_H

#include "claims.h"

/* The evidence of claims, which survives the restore of an older store: FOLDER/.claims/ADDRESS has
 * the number of the claim, its owner and the machine, in the folder of the manager that made it.
 *
 * The first call of a process compares the files with the state. The state has the number of the
 * newest claim, so a file with a greater number was written after the backup from which the store
 * was restored. Its claim is written into the state again. The listing then shows a machine that
 * the restored records lack, which causes a hold of the cluster. A file that is missing in the
 * state, although the state has later claims, was released by another manager and is removed. */

/* Makes this check, once in a process. It also migrates the files of releases before interface
 * 1.3. */
int32_t folder_check(struct plugin *self, struct reeve_call *call);

/* Writes the evidence of a new claim of this address. */
int32_t evidence_write(const struct plugin *self, struct reeve_call *call,
                       struct reeve_text address, struct reeve_text owner, const char *bytes);

/* Removes the evidence of this owner's claim. */
int32_t evidence_remove(const struct plugin *self, struct reeve_call *call,
                        struct reeve_text address, struct reeve_text owner);

#endif
