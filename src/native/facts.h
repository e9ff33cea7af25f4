#ifndef REEVE_NATIVE_FACTS_H
#define REEVE_NATIVE_FACTS_H

/* What this node is, as lines of the answer (programs/look.sh: facts_say). `connection` is what sshd says of it: the address is the one that it was
 * reached at. */
void facts_say(const char *connection);

#endif
