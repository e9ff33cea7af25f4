#ifndef REEVE_RECORDS_ABANDONED_H
#define REEVE_RECORDS_ABANDONED_H

/* public names start with: ABANDONED_ */

/* The key with which an operator cancels the release of a machine (members_release.c), so that
 * destroy calls no longer wait for the release. Key: /TENANT/Abandoned/CLUSTER/TOKEN/base,
 * canonical JSON {at}. An event has the name of the operator. The key exists until the machine's
 * record is removed. */
#define ABANDONED_KIND "Abandoned"

#endif
