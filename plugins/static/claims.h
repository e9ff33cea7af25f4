#ifndef REEVE_STATIC_CLAIMS_H
#define REEVE_STATIC_CLAIMS_H

#include "static.h"

/* Which machine has which address. The state of the plugin, which all managers share, has two
 * values for each machine, and one number:
 *
 *     a/ADDRESS          the owner of the address: CLUSTER/TOKEN
 *     c/CLUSTER/TOKEN    its phase in one letter, and the machine as JSON (../file/machine.h)
 *     n/claims           the number of the newest claim (evidence.h)
 *
 * An allocation writes the machine (CLAIMING), then the owner, which only one request can do, then
 * the evidence of the claim, then the machine again (OWNED). A release writes the machine
 * (RELEASING), deletes the owner, the evidence and then the machine. A request that was interrupted
 * is repeated with the same token, and continues. */
enum { CLAIMING = 'c', OWNED = 'o', RELEASING = 'r' };

struct machine_entry {
    struct reeve_text key;
    uint64_t version; /* 0: there is none */
    char phase;
    char *bytes; /* JSON, ends with NUL; machine_parse changes it */
};

struct reeve_text owner_make(const struct plugin *self, struct reeve_call *call,
                             struct reeve_text cluster, struct reeve_text token);

/* The key of a machine. An empty token: the prefix of all machines of the cluster. */
struct reeve_text machine_key(const struct plugin *self, struct reeve_call *call,
                              struct reeve_text cluster, struct reeve_text token);

/* The owner of a machine's address is the rest of the machine's key. */
struct reeve_text entry_owner(const struct machine_entry *entry);

struct machine_entry entry_take(const struct plugin *self, struct reeve_call *call,
                                const struct reeve_entry_v1 *from);

/* Reads a machine. Texts of *row live as long as the call. */
void entry_parse(const struct plugin *self, struct reeve_call *call, const char *bytes,
                 struct reeve_row_v1 *row);

/* Writes a machine in a phase. REEVE_TRANSIENT: another request has written the machine in the
 * meantime. */
int32_t entry_write(const struct plugin *self, struct reeve_call *call, struct machine_entry *entry,
                    char phase);

int32_t owner_read(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                   struct reeve_entry_v1 *out);

/* Claims an address for an owner. REEVE_CAPACITY: the address has another owner. */
int32_t address_claim(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                      struct reeve_text owner);

/* Releases an address, if this owner has claimed it. */
int32_t address_release(const struct plugin *self, struct reeve_call *call,
                        struct reeve_text address, struct reeve_text owner);

/* Reads the number of the newest claim. */
int32_t claims_read(const struct plugin *self, struct reeve_call *call, uint64_t *out);

/* Takes the next number. No two claims get the same number, even if different managers make
 * them. */
int32_t claims_next(const struct plugin *self, struct reeve_call *call, uint64_t *out);

/* Raises the number to at least this one. */
int32_t claims_raise(const struct plugin *self, struct reeve_call *call, uint64_t number);

struct addresses {
    struct plugin *self;
    struct reeve_call *call;
    struct reeve_text *taken;
    uint64_t count, room;
};

/* Reads the addresses in use. `all` has `self` and `call`. */
int32_t addresses_read(struct addresses *all);
bool is_taken(const struct addresses *all, struct reeve_text address);

#endif
