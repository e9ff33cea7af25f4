#ifndef REEVE_SYS_RANDOM_H
#define REEVE_SYS_RANDOM_H

#include <stddef.h>

/* The port for what nobody can guess: ids, tokens, salts, jitter. A test or the simulator puts a
 * sequence of its own behind it. There is no failure: where the system has no random numbers to give,
 * the process ends with a message, for every way to go on would be guessable. */
struct random {
    void (*fill)(void *arg, void *out, size_t bytes);
    void *arg;
};

/* The random numbers of the kernel. Waits, early at boot, until it has gathered enough. */
struct random random_system(void);

/* Bytes that are drawn from another source many at a time: a call of the system for every id of every request would
 * take longer than the id. A byte is given once, and nothing of it stays here. For one thread. */
enum { RANDOM_STOCK_BYTES = 1024 };
struct random_stock {
    struct random source;
    size_t left; /* at the end of bytes */
    unsigned char bytes[RANDOM_STOCK_BYTES];
};

/* What is left of the stock, then more of its source. The stock is empty at first, with its source set, and lives as
 * long as what is returned. */
struct random random_stocked(struct random_stock *stock);

/* Fill memory. */
void random_fill(struct random random, void *out, size_t bytes);

/* A whole number from 0 to below `limit` (> 0), each as likely. */
size_t random_below(struct random random, size_t limit);

enum { RANDOM_ID_BYTES = 37, RANDOM_TOKEN_BYTES = 65 };

/* A new id of an object (K4): a random UUID, version 4 of RFC 9562, in lower case, with its NUL. Its
 * 122 bits cannot be guessed, and it does not tell when it was made. */
void random_id(struct random random, char out[static RANDOM_ID_BYTES]);

/* A new token: 256 bits in lower-case hex, with its NUL. The caller wipes it after use. */
void random_token(struct random random, char out[static RANDOM_TOKEN_BYTES]);

#endif
