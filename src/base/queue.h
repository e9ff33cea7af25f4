#ifndef REEVE_BASE_QUEUE_H
#define REEVE_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Bytes that are added at the end and removed at the front, for sockets. An empty queue is all
 * zero. A producer writes into queue_room() and increases `length`; a consumer increases `gone`. */
struct queue {
    char *data;
    size_t length;
    size_t room;
    size_t gone; /* bytes consumed at the front */
    /* The queue holds or held a secret, so its bytes are wiped before memory is freed. */
    bool is_secret;
};

/* Return space for `bytes` more bytes at the end. */
char *queue_room(struct queue *queue, size_t bytes);

/* Return the content. Borrowed from the queue. */
struct text queue_text(const struct queue *queue);

/* Free the memory of an empty queue, because most sockets are idle most of the time. */
void queue_trim(struct queue *queue);

/* Drop all bytes. */
void queue_clear(struct queue *queue);

#endif
