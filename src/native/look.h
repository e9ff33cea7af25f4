#ifndef REEVE_NATIVE_LOOK_H
#define REEVE_NATIVE_LOOK_H

/* look USER WISH FROM STAGES FACTS DIGEST...: as programs/look.sh, for whoever wishes no stage to run again (WISH is -) and
 * trusts no markers of old (no DIGEST has a chain behind it): for all else the manager sends that. Ends the process. */
_Noreturn void look_main(const char *folder, const char *connection, char **words);

enum { LOOK_WORDS = 5 };

#endif
