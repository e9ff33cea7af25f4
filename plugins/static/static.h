#ifndef REEVE_STATIC_STATIC_H
#define REEVE_STATIC_STATIC_H

#include "../file/machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_BYTES = 4096, ADDRESS_BYTES = 253 };

struct plugin {
    const struct reeve_host_v1 *host;
    pthread_mutex_t mutex;
    /* the folder was compared with the state (evidence.h); protected by the mutex */
    bool is_checked;
};

struct reeve_text text_of(const char *string);
bool is_equal(struct reeve_text a, struct reeve_text b);

/* Joins texts in the call's memory. */
struct reeve_text text_join(const struct plugin *self, struct reeve_call *call, const char *prefix,
                            struct reeve_text first, const char *middle, struct reeve_text second);
struct reeve_text text_copy(const struct plugin *self, struct reeve_call *call,
                            struct reeve_text text);

/* Returns whether the text has only characters of addresses, host names and file names. */
bool is_address(struct reeve_text text);

#endif
