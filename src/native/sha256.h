#ifndef REEVE_NATIVE_SHA256_H
#define REEVE_NATIVE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4), for a program that carries no library. By the processor's own instructions where it has them. */
struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

/* A digest that has seen nothing yet. */
void sha256_init(struct sha256 *sha);

/* It sees these bytes. */
void sha256_add(struct sha256 *sha, const void *bytes, size_t count);

/* Its digits, and a NUL. It is not to be used again. */
void sha256_end(struct sha256 *sha, char out[static 65]);

#endif
