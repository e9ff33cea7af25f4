#ifndef LOCAL_WORK_H
#define LOCAL_WORK_H

#include "base/mem.h"
#include "base/text.h"
#include "reeve/plugin.h"
#include "settings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct runtime;
struct image_making;

/* The loaded plugin. Members that calls change are protected by `mutex`. */
struct local {
    const struct reeve_host_v1 *host;
    /* Memory that is valid as long as the plugin is loaded; protected by the mutex after the
     * start. */
    struct arena *arena;
    /* The plugin's folder: an absolute path without characters that mount options or liblxc would
     * misinterpret. */
    const char *folder;
    uint64_t folder_hash;
    struct settings settings;
    const char *init_path;         /* path of reeve-init, which the start has written */
    const struct runtime *runtime; /* runtime of new machines */
    pthread_mutex_t mutex;
    pthread_cond_t image_made;
    struct image_making *making; /* images being created; used by image.c */
    bool is_stopping;
    const char *host_image; /* folder of the host image, created once; used by host_image.c */
};

/* One call and its memory. */
struct work {
    struct local *local;
    struct reeve_call *call; /* NULL: this is not a call of the host, so errors are logged */
    struct arena *arena;
    uint64_t ends_ms; /* deadline, by the monotonic clock */
    int machine_lock; /* descriptor of the machine's lock; 0: not held */
};

/* Reports an error with the pointer of the property that caused it ("": none). Returns `result`, so
 * that callers can `return work_refuse(...)`. */
int32_t work_refuse(struct work *work, int32_t result, const char *pointer, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Writes a line to the manager's log. */
void work_log(const struct local *local, int32_t level, const char *format, ...) PRINTF_LIKE(3, 4);

/* Returns the milliseconds until the call's deadline; 0 if it has passed. */
uint64_t work_left_ms(const struct work *work);

/* Returns the time of the monotonic clock, in milliseconds. */
uint64_t work_now_ms(void);

/* Sleeps for some time, in loops that poll. */
void work_rest(unsigned milliseconds);

/* Returns a path below the plugin's folder. */
const char *work_path(struct work *work, const char *format, ...) PRINTF_LIKE(2, 3);

/* Converts a text of the host. The bytes are not copied. */
static inline struct text work_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}

/* Converts a text for the host. The bytes are not copied. */
static inline struct reeve_text work_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

#endif
