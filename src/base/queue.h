#ifndef REEVE_BASE_QUEUE_H
#define REEVE_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Bytes that come at the end and go at the front: what a socket gives and takes. An empty queue is all zero. Who adds
 * writes into queue_room and counts `length` up; who takes counts `gone` up. */
struct queue {
    char *data;
    size_t length;
    size_t room;
    size_t gone; /* at the front */
    bool
        is_secret; /* a secret is, or was, among them: no byte stays in memory that is given back */
};

/* Room for so many bytes at the end. */
char *queue_room(struct queue *queue, size_t bytes);

/* What stands in it. Borrowed. */
struct text queue_text(const struct queue *queue);

/* What is empty needs no memory: most sockets are idle most of the time. */
void queue_trim(struct queue *queue);

/* Drop all. */
void queue_clear(struct queue *queue);

#endif
