#ifndef REEVE_SYS_RANDOM_H
#define REEVE_SYS_RANDOM_H

#include <stddef.h>

/* The port for unpredictable numbers: ids, tokens, salts, jitter. A test or the simulator provides
 * its own sequence. There is no error: if the system has no random numbers, the process ends with a
 * message, because predictable numbers would be unsafe. */
struct random {
    void (*fill)(void *arg, void *out, size_t bytes);
    void *arg;
};

/* Return the port to the random numbers of the kernel. Early at boot, they wait until the kernel
 * has enough entropy. */
struct random random_system(void);

/* A buffer of random bytes from another source. Without it, every id would cost a system call,
 * which takes longer than making the id. Each byte is used once, and wiped from the buffer. For one
 * thread only. */
enum { RANDOM_STOCK_BYTES = 1024 };
struct random_stock {
    struct random source;
    size_t left; /* number of unused bytes at the end of `bytes` */
    unsigned char bytes[RANDOM_STOCK_BYTES];
};

/* Return the port of a stock. It uses the remaining bytes, and then refills them from its source. A
 * new stock is empty and has its source set. It must live as long as the port. */
struct random random_stocked(struct random_stock *stock);

/* Fill memory with random bytes. */
void random_fill(struct random random, void *out, size_t bytes);

/* Return a uniformly distributed integer from 0 to limit - 1; `limit` must be above 0. */
size_t random_below(struct random random, size_t limit);

enum { RANDOM_ID_BYTES = 37, RANDOM_TOKEN_BYTES = 65 };

/* Write a new id of an object (K4): a random UUID, version 4 of RFC 9562, in lower case, with a
 * final NUL. Its 122 random bits are unpredictable, and it does not reveal its time of creation. */
void random_id(struct random random, char out[static RANDOM_ID_BYTES]);

/* Write a new token: 256 random bits in lower-case hex, with a final NUL. The caller wipes it after
 * use. */
void random_token(struct random random, char out[static RANDOM_TOKEN_BYTES]);

#endif
