#ifndef REEVE_SIGNER_SERVE_H
#define REEVE_SIGNER_SERVE_H

#include <stdbool.h>

/* Runs the process: enters the sandbox, reads the key, and answers the requests from the socket,
 * one after the other, until the socket is closed. */
struct serve_options {
    int socket;
    const char *key;   /* file with the key that seals the keyrings */
    const char *book;  /* file of the signing log; created if it is missing */
    bool can_make_key; /* the key may be created if its file is missing */
};

/* Returns the exit code. Errors are printed to standard error. */
int serve_run(const struct serve_options *options);

#endif
