#ifndef REEVE_ETCD_MEMBER_MEMBER_RECORD_H
#define REEVE_ETCD_MEMBER_MEMBER_RECORD_H

#include "base/err.h"
#include "wire/member_ipc.h"

/* public names start with: member_record_ */

/* What a member shall do, as the file member.json in the member's folder. It is written before
 * anything is done, so a new process continues where a killed one was. */

/* The steps of a rebuild. */
enum member_phase {
    MEMBER_PHASE_NONE,
    MEMBER_PHASE_REPLAY,  /* etcd runs without peers, until it has applied its log */
    MEMBER_PHASE_RESTORE, /* a new store is being made from the database */
    MEMBER_PHASE_SWAP,    /* the new store is complete and takes the place of the former one */
    MEMBER_PHASE_COUNT
};

struct member_record {
    struct arena *memory; /* of the texts */
    bool has_member;
    bool shall_run;
    bool has_begun; /* the data of the member exist: if they are missing, they were lost */
    struct member_ipc_arguments arguments;
    enum member_phase phase;
    struct member_ipc_arguments next; /* arguments of the rebuilt member */
};

/* True if both have the same values. */
bool member_record_is_equal(const struct member_ipc_arguments *a,
                            const struct member_ipc_arguments *b);

/* Copies the texts into the arena. */
struct member_ipc_arguments member_record_copy(struct arena *arena,
                                               const struct member_ipc_arguments *arguments);

/* Checks arguments that were received: no field is too long or has bytes below ' ', name and token
 * are set, URLs are https://ADDRESS:PORT. Fails with R0596. */
MUST_CHECK bool member_record_check(const struct member_ipc_arguments *arguments, struct err *err);

/* Reads the file; without a file the record is that of an empty folder. Fails with R0596. */
MUST_CHECK bool member_record_read(int folder, struct member_record *out, struct err *err);

/* Writes the file durably. Fails with R0534. */
MUST_CHECK bool member_record_write(int folder, const struct member_record *record,
                                    struct err *err);

/* Frees the texts. */
void member_record_free(struct member_record *record);

#endif
