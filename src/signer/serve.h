#ifndef REEVE_SIGNER_SERVE_H
#define REEVE_SIGNER_SERVE_H

#include <stdbool.h>

/* Runs the process: enters the sandbox, reads the key, and answers requests from the socket one
 * after the other until it closes. */
struct serve_options {
    int socket;
    const char *key;   /* file of the sealing key */
    const char *book;  /* file of the signing log; created if missing */
    bool can_make_key; /* the key may be created if it is missing */
};

/* Returns the exit code; errors are printed on standard error. */
int serve_run(const struct serve_options *options);

#endif
