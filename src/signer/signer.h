#ifndef REEVE_SIGNER_SIGNER_H
#define REEVE_SIGNER_SIGNER_H

#include "base/err.h"
#include "base/macros.h"
#include "base/outcome.h"
#include "sys/log.h"
#include "sys/loop.h"
#include "wire/sign.h"

/* Asks reeve-signer, and starts it again when it ends. All on the loop's thread; never waits. */
struct signer;

struct signer_options {
    struct loop *loop;
    struct log *log;
    const char *program; /* reeve-signer; absolute */
    const char *key;     /* file of the key that seals authorities; absolute */
    const char *book;    /* file of the log of signings; absolute */
    bool may_make;       /* the key, where it is not there: no authority was sealed yet */
    uint64_t call_ms;    /* until a question has its answer */
    /* A process has begun and holds nothing: what is asked from here comes before everything else, so that authorities are
     * loaded, and lists taken back, before anything is signed. */
    void (*begun)(void *arg);
    void *arg;
};

/* Start it. Strings of the options must outlive it. R0748: it could not be; nothing is to be closed then. */
MUST_CHECK bool signer_open(const struct signer_options *options, struct signer **out,
                            struct err *err);

/* What came of a question. OK: `told` says what. REFUSED: it was not done; `err` says why. UNKNOWN (R0751): the process ended, or
 * was late; a late one is ended, for those behind it would be late as well. What is told is valid until it returns. */
typedef void signer_done(void *arg, enum outcome outcome, const struct sign_reply *reported,
                         const struct err *err);

/* Ask; the id is given here. `done` comes once, later. While no process runs it is refused (R0748). */
void signer_ask(struct signer *signer, const struct sign_ask *ask, signer_done *done, void *arg);

/* Does it wait for questions? What its sandbox is made of, was logged when it began to. */
bool signer_is_ready(const struct signer *signer);

/* Its process id; 0: there is none. */
int signer_pid(const struct signer *signer);

/* End it: questions that are open are unknown now, and no `done` comes after this has returned. The loop has to turn until
 * signer_is_over, before signer_free. NULL is allowed in all three. */
void signer_close(struct signer *signer);
bool signer_is_over(const struct signer *signer);
void signer_free(struct signer *signer);

#endif
