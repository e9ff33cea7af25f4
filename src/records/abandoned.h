#ifndef REEVE_RECORDS_ABANDONED_H
#define REEVE_RECORDS_ABANDONED_H

/* names: ABANDONED_ */

/* An operator has said that nobody waits for a machine to be released (members_release.c): /TENANT/Abandoned/CLUSTER/TOKEN/base,
 * canonical JSON {at}; an event says who. It stands until the machine's record goes. */
#define ABANDONED_KIND "Abandoned"

#endif
