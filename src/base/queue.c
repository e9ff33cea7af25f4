#include "base/queue.h"

#include "base/mem.h"
#include "base/secret.h"

#include <string.h>

void queue_clear(struct queue *queue)
{
    if (queue->is_secret && queue->data != NULL) {
        secret_wipe(queue->data, queue->room);
    }
    rows_free(queue->data);
    *queue = (struct queue){ 0 };
}

/* Move the bytes to a larger allocation. This does not use realloc, which may leave a secret in the
 * old memory. */
static void queue_grow(struct queue *queue, size_t room)
{
    struct queue grown = { .data = rows_resize(NULL, room),
                           .length = queue->length - queue->gone,
                           .room = room,
                           .is_secret = queue->is_secret };

    if (grown.length > 0) {
        memcpy(grown.data, queue->data + queue->gone, grown.length);
    }
    queue_clear(queue);
    *queue = grown;
}

char *queue_room(struct queue *queue, size_t bytes)
{
    if (queue->gone > 0 && queue->gone == queue->length) {
        queue->length = queue->gone = 0;
    }
    if (queue->room - queue->length < bytes && queue->gone > 0) {
        memmove(queue->data, queue->data + queue->gone, queue->length - queue->gone);
        queue->length -= queue->gone;
        queue->gone = 0;
    }
    if (queue->room - queue->length < bytes) {
        queue_grow(queue, queue->length + bytes + queue->room / 2);
    }
    return queue->data + queue->length;
}

struct text queue_text(const struct queue *queue)
{
    return (struct text){ queue->data + queue->gone, queue->length - queue->gone };
}

void queue_trim(struct queue *queue)
{
    if (queue->gone == queue->length) {
        queue_clear(queue);
    }
}
