#ifndef COMMON_SINGLE_FLIGHT_H
#define COMMON_SINGLE_FLIGHT_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: single_flight_ token_lock_ */

/* Shares one listing among all callers that wait for one. A caller that arrives while a listing is
 * in progress waits for the next listing, so that callers never get a listing that began before
 * their request. */
struct single_flight;

struct single_flight *single_flight_new(void);

/* Frees it. No caller may be waiting. NULL is allowed. */
void single_flight_free(struct single_flight *flight);

enum single_flight_role {
    SINGLE_FLIGHT_LEADER, /* this caller makes the listing, then calls single_flight_end() */
    SINGLE_FLIGHT_SHARED, /* *out is the result of a listing that another caller made */
    SINGLE_FLIGHT_LATE,   /* the deadline has passed */
};

/* Waits for a listing. Blocks until this caller becomes the leader, until a listing that began
 * after this call has ended, or until the deadline (by http_now_ms()). *out lives in the arena;
 * *out_code is the leader's code. */
enum single_flight_role single_flight_join(struct single_flight *flight, struct arena *arena,
                                           uint64_t ends_ms, struct text *out, int32_t *out_code);

/* Called by the leader: ends the listing, and passes the result, in a format of the callers, to all
 * waiting callers. The result is copied. */
void single_flight_end(struct single_flight *flight, struct text result, int32_t code);

/* Locks by token: of several calls with the same token, only one continues at a time. */
struct token_locks;

struct token_locks *token_locks_new(void);
void token_locks_free(struct token_locks *locks);

/* token_lock_take takes the lock of a token; it returns false at the deadline. token_lock_give
 * releases the lock. Tokens that are longer than 64 bytes share a lock if their first 64 bytes are
 * equal. */
bool token_lock_take(struct token_locks *locks, struct text token, uint64_t ends_ms);
void token_lock_give(struct token_locks *locks, struct text token);

#endif
