#ifndef REEVE_STATIC_CLAIMS_H
#define REEVE_STATIC_CLAIMS_H

#include "static.h"

/* Assigns addresses to machines. The state of the plugin, which all managers share, has two values
 * for each machine, and one number:
 *
 *     a/ADDRESS          the owner of the address: CLUSTER/TOKEN
 *     c/CLUSTER/TOKEN    its phase in one letter, and the machine as JSON (../file/machine.h)
 *     n/claims           the number of the newest claim (evidence.h)
 *
 * An allocation writes the machine (CLAIMING), then the owner, then the evidence of the claim, then
 * the machine again (OWNED). Of several requests for an address, only one can write the owner. A
 * release writes the machine (RELEASING), and deletes the owner, the evidence and then the machine.
 * An interrupted request is repeated with the same token and continues. */
enum { CLAIMING = 'c', OWNED = 'o', RELEASING = 'r' };

struct machine_entry {
    struct reeve_text key;
    uint64_t version; /* version of the stored value; 0: there is none */
    char phase;
    char *bytes; /* JSON, ends with NUL; machine_parse changes it */
};

struct reeve_text owner_make(const struct plugin *self, struct reeve_call *call,
                             struct reeve_text cluster, struct reeve_text token);

/* Returns the key of a machine. With an empty token, returns the key prefix of all machines of the
 * cluster. */
struct reeve_text machine_key(const struct plugin *self, struct reeve_call *call,
                              struct reeve_text cluster, struct reeve_text token);

/* Returns the text that identifies the machine as an owner of addresses: its key without the
 * prefix. */
struct reeve_text entry_owner(const struct machine_entry *entry);

struct machine_entry entry_take(const struct plugin *self, struct reeve_call *call,
                                const struct reeve_entry_v1 *from);

/* Reads a machine. Texts of *row live as long as the call. */
void entry_parse(const struct plugin *self, struct reeve_call *call, const char *bytes,
                 struct reeve_row_v1 *row);

/* Writes a machine in a phase. Returns REEVE_TRANSIENT if another request has written the machine
 * in the meantime. */
int32_t entry_write(const struct plugin *self, struct reeve_call *call, struct machine_entry *entry,
                    char phase);

int32_t owner_read(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                   struct reeve_entry_v1 *out);

/* Claims an address for an owner. Returns REEVE_CAPACITY if the address has another owner. */
int32_t address_claim(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                      struct reeve_text owner);

/* Releases an address, if this owner has claimed it. */
int32_t address_release(const struct plugin *self, struct reeve_call *call,
                        struct reeve_text address, struct reeve_text owner);

/* Reads the number of the newest claim. */
int32_t claims_read(const struct plugin *self, struct reeve_call *call, uint64_t *out);

/* Takes the next claim number. Two claims never get the same number, even if different managers
 * make them. */
int32_t claims_next(const struct plugin *self, struct reeve_call *call, uint64_t *out);

/* Raises the number of the newest claim to at least `number`. */
int32_t claims_raise(const struct plugin *self, struct reeve_call *call, uint64_t number);

struct addresses {
    struct plugin *self;
    struct reeve_call *call;
    struct reeve_text *taken;
    uint64_t count, room;
};

/* Reads the addresses in use. The caller has set `self` and `call` of `all`. */
int32_t addresses_read(struct addresses *all);
bool is_taken(const struct addresses *all, struct reeve_text address);

#endif
