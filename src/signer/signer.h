#ifndef REEVE_SIGNER_SIGNER_H
#define REEVE_SIGNER_SIGNER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/outcome.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "wire/sign.h"

/* The client of reeve-signer. It starts a new process when the process has ended. All functions run
 * on the loop's thread and never block. */
struct signer;

struct signer_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* absolute path of reeve-signer */
    const char *key;     /* absolute path of the file with the sealing key */
    const char *book;    /* absolute path of the signing log */
    bool can_make_key;   /* the key may be created if its file is missing, because no authority has
                          * been sealed yet */
    uint64_t call_ms;    /* time limit of a request in ms */
    /* Called when a process has started; it has no keys yet. Requests that are sent in this
     * callback precede all others, so that authorities and revocations are loaded before anything
     * is signed. */
    void (*begun)(void *arg);
    void *arg;
};

/* Starts the process. Strings of the options must outlive it. Fails with R0748 if it cannot be
 * started; *out is then not set. */
MUST_CHECK bool signer_open(const struct signer_options *options, struct signer **out,
                            struct err *err);

/* Receives the result of a request. OK: `reported` has the answer. REFUSED: the request was not
 * executed; `err` has the reason. UNKNOWN (R0751): the process has ended or was too late. A late
 * process is ended, because later requests would be late too. The arguments are valid until the
 * callback returns. */
typedef void signer_done(void *arg, enum outcome outcome, const struct sign_reply *reported,
                         const struct err *err);

/* Sends a request, and sets its id. `done` is called once, later. If no process runs, the request
 * is rejected with R0748. */
void signer_ask(struct signer *signer, const struct sign_ask *ask, signer_done *done, void *arg);

/* Returns whether the process is ready for requests. When it becomes ready, the state of its
 * sandbox is logged. */
bool signer_is_ready(const struct signer *signer);

/* Returns the id of the key with which the process seals. Empty: no process has become ready
 * yet. */
struct text signer_key(const struct signer *signer);

/* Returns the process id; 0: no process runs. */
int signer_pid(const struct signer *signer);

/* signer_close closes the client: open requests end with UNKNOWN, and no `done` is called after it
 * has returned. After it, run the loop until signer_is_over returns true, which means that the
 * process has ended; then call signer_free. All three functions accept NULL. */
void signer_close(struct signer *signer);
bool signer_is_over(const struct signer *signer);
void signer_free(struct signer *signer);

#endif
