#ifndef REEVE_SYS_HEAP_H
#define REEVE_SYS_HEAP_H

#include <stddef.h>

/* How memory comes from the system, and goes back to it. For the main thread, which has the heap that grows in one piece;
 * an allocator that knows nothing of this, as a sanitizer's, is left alone. */

/* At the start of a process that lives long: the memory of a large request goes back to the system with it. By itself the
 * allocator learns from the first one that large pieces are usual, and keeps them from then on. */
void heap_prepare(void);

/* So many bytes will be asked for soon, in small pieces, most of which stay: have addresses for them at once, and memory in
 * pages as large as the system gives. What is not used costs nothing. Below LIMIT_HEAP_EXPECTED_MIN_BYTES nothing is done. */
void heap_expect(size_t bytes);

/* They have been: what is left of them goes back. */
void heap_settle(void);

/* From time to time, after something was done: what thousands of machines took while they were made lies free between what
 * stays of them. It goes back where it is much; else nothing is done. `known` is what the last call has returned, 0 for the first. */
size_t heap_give_back(size_t known);

/* Nothing is to be done for a while: all that is free goes back. */
void heap_rest(void);

#endif
