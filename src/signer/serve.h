#ifndef REEVE_SIGNER_SERVE_H
#define REEVE_SIGNER_SERVE_H

#include <stdbool.h>

/* The process: shut itself in, take the key, and answer what comes from the socket, one after the other, until it closes. */
struct serve_options {
    int socket;
    const char *key;  /* file of the key that seals */
    const char *book; /* file of the log of signings; made where it is not there */
    bool may_make;    /* the key, where it is not there */
};

/* Returns the exit code; what went wrong is said on standard error. */
int serve_run(const struct serve_options *options);

#endif
