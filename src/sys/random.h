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

/* The random numbers of the kernel. Early at boot it waits until the kernel has enough entropy. */
struct random random_system(void);

/* A buffer of bytes from another source: a system call for every id of every request would take
 * longer than the id. Each byte is used once, and wiped from the buffer. For one thread. */
enum { RANDOM_STOCK_BYTES = 1024 };
struct random_stock {
    struct random source;
    size_t left; /* number of unused bytes at the end of `bytes` */
    unsigned char bytes[RANDOM_STOCK_BYTES];
};

/* The port of a stock: first its remaining bytes, then more of its source. An initial stock is
 * empty with its source set. It must live as long as the port. */
struct random random_stocked(struct random_stock *stock);

/* Fill memory with random bytes. */
void random_fill(struct random random, void *out, size_t bytes);

/* A uniform integer from 0 to below `limit` (> 0). */
size_t random_below(struct random random, size_t limit);

enum { RANDOM_ID_BYTES = 37, RANDOM_TOKEN_BYTES = 65 };

/* A new id of an object (K4): a random UUID, version 4 of RFC 9562, in lower case with its NUL. Its
 * 122 random bits are unpredictable, and it does not reveal when it was created. */
void random_id(struct random random, char out[static RANDOM_ID_BYTES]);

/* A new token: 256 bits in lower-case hex with its NUL. The caller wipes it after use. */
void random_token(struct random random, char out[static RANDOM_TOKEN_BYTES]);

#endif
