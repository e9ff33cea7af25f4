#include "nodes/host_key_runs.h"

#include "base/limits.h"
#include "ssh/key.h"

#include <stdio.h>

/* The session expects a host key that no machine has: the public half of a key pair that is created
 * for this call. The session therefore ends after the key exchange with the alarm "host key", which
 * contains the key that the machine has proved to own (session/transport.h). */

enum { HOST_KEY_DEADLINE_MS = 15 * 1000 };

struct host_key_runs {
    struct reach *reach;
    struct random random;
    uint64_t count;
    struct host_key_run *first;
};

struct host_key_run {
    struct host_key_run *next;
    struct host_key_run **link;
    struct arena *memory;
    struct host_key_runs *runs; /* NULL: the runs are closed */
    host_key_done *done;
    void *arg;
};

struct host_key_runs *host_key_runs_new(struct reach *reach, struct random random)
{
    struct host_key_runs *runs = rows_resize(NULL, sizeof(*runs));

    *runs = (struct host_key_runs){ .reach = reach, .random = random };
    return runs;
}

static void host_key_unlink(struct host_key_run *run)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    run->runs = NULL;
}

static void host_key_ran(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct host_key_run *run = arg;
    const struct transport_answer *answer = &result->answer;
    bool is_shown = outcome != OUTCOME_OK && answer->fault == TRANSPORT_FAULT_HOST_KEY &&
                    answer->host_key.length > 0;
    char why[LIMIT_ERROR_TEXT_BYTES];

    snprintf(why, sizeof(why), "%s: %.*s", transport_fault_name(answer->fault),
             TEXT_ARG(text_slice(answer->message, 0, LIMIT_RECORD_CAUSE_BYTES)));
    if (run->runs != NULL) {
        host_key_unlink(run);
        run->done(run->arg, is_shown ? answer->host_key : TEXT(""),
                  is_shown ? TEXT("") : text_from(why));
    }
    arena_free(run->memory);
}

/* Makes a key pair for one session. No machine accepts its private key. */
static void pair_make(struct host_key_run *run, struct transport_target *target)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    char file[SSH_PRIVATE_BYTES];
    struct ssh_key key;
    size_t length;

    random_fill(run->runs->random, seed, sizeof(seed));
    ssh_key_make(seed, &key, secret);
    length = ssh_key_format_private(secret, (uint32_t)run->runs->count, TEXT(""), file);
    target->key = secret_from(arena_text(run->memory, (struct text){ file, length }));
    target->host_keys = ssh_key_format(run->memory, &key, TEXT(""));
}

void host_key_runs_start(struct host_key_runs *runs, struct text address, uint16_t port,
                         host_key_done *done, void *arg)
{
    struct session_pool *pool = reach_session_pool(runs->reach);
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct host_key_run *run = arena_one(memory, struct host_key_run);
    struct session_run_spec order = {
        /* the target has a separate name, so that an earlier failure at this address causes no
         * back-off */
        .node = arena_printf(memory, "hostkey/%llu", (unsigned long long)++runs->count),
        .target = { .address = address, .port = port, .user = TEXT("root") },
        .kind = SESSION_POOL_EXEC,
        .command = TEXT("true"),
        .deadline_ms = HOST_KEY_DEADLINE_MS,
        .wait_ms = LIMIT_PROBE_WAIT_MS,
    };

    *run = (struct host_key_run){ .next = runs->first,
                                  .link = &runs->first,
                                  .memory = memory,
                                  .runs = runs,
                                  .done = done,
                                  .arg = arg };
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runs->first = run;
    pair_make(run, &order.target);
    if (pool == NULL || session_pool_run(pool, &order, host_key_ran, run) == NULL) {
        host_key_unlink(run);
        arena_free(memory);
        done(arg, TEXT(""),
             pool == NULL ? TEXT("there is no session process") : TEXT("too many runs are queued"));
    }
}

void host_key_runs_free(struct host_key_runs *runs)
{
    if (runs != NULL) {
        while (runs->first != NULL) {
            struct host_key_run *run = runs->first;

            host_key_unlink(run);
            run->done(run->arg, TEXT(""), TEXT("the manager is stopping"));
        }
        rows_free(runs);
    }
}
