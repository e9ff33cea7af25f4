#ifndef REEVE_API_STREAMS_FILE_STREAM_H
#define REEVE_API_STREAMS_FILE_STREAM_H

#include "api/request/call.h"

/* public names start with: file_stream_ */

/* Answers with the bytes of an open file, from its beginning to its end, in pieces. Takes the
 * descriptor. With `has_deadline` the client must receive it within the time for answers, and
 * the answer has its size; otherwise the client may be slow. */
void file_stream_answer(struct call *call, int fd, uint64_t bytes, bool has_deadline);

#endif
