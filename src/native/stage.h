#ifndef REEVE_NATIVE_STAGE_H
#define REEVE_NATIVE_STAGE_H

/* stage N DIGEST CHAIN WANTED BEGIN TIMEOUT IDEMPOTENT OFFSET SECONDS SIZE FROM ROOM ARG...: as programs/stage.sh without its first word. Ends the process. */
_Noreturn void stage_main(const char *folder, char **words);

enum { STAGE_WORDS = 12 };

#endif
