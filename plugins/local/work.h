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

/* The plugin while it is loaded. What a call may change lies behind `mutex`. */
struct local {
    const struct reeve_host_v1 *host;
    struct arena *arena; /* lives as long as the plugin; under the mutex once start is over */
    const char
        *folder; /* absolute; no character in it that mount options or liblxc would misread */
    uint64_t folder_hash;
    struct settings settings;
    const char *init_path;         /* reeve-init, written by start */
    const struct runtime *runtime; /* for new machines */
    pthread_mutex_t mutex;
    pthread_cond_t image_made;
    struct image_making *making; /* images on their way, by image.c */
    bool is_stopping;
    const char *host_image; /* folder of the host's skeleton, made once; of host_image.c */
};

/* One call: what it is about, and memory that ends with it. */
struct work {
    struct local *local;
    struct reeve_call *call; /* NULL: nobody asked; what goes wrong is logged */
    struct arena *arena;
    uint64_t ends_ms; /* on the monotonic clock */
    int machine_lock; /* the descriptor of the machine's lock; 0: the call has taken none */
};

/* Say what is wrong, and where in the properties ("" = nowhere). Returns `result`, so that
 * `return work_refuse(...)` reads well. */
int32_t work_refuse(struct work *work, int32_t result, const char *pointer, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* A line for the manager's log. */
void work_log(const struct local *local, int32_t level, const char *format, ...) PRINTF_LIKE(3, 4);

/* Milliseconds until nobody waits for the answer any more; 0: it is over. */
uint64_t work_left_ms(const struct work *work);

/* The monotonic clock. */
uint64_t work_now_ms(void);

/* Rest a few milliseconds, for whoever asks again and again. */
void work_rest(unsigned milliseconds);

/* A path beneath the plugin's folder. */
const char *work_path(struct work *work, const char *format, ...) PRINTF_LIKE(2, 3);

/* The host's text as ours; borrowed. */
static inline struct text work_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}

/* And back. */
static inline struct reeve_text work_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

#endif
