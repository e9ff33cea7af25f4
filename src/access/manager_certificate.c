#include "access/manager_certificate.h"

#include "base/limits.h"
#include "signer/x509.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <string.h>
#include <unistd.h>

/* public names start with: manager_certificate_ */

#define MANAGER_CERTIFICATE_FOLDER "peer"

enum {
    MANAGER_CERTIFICATE_TTL_S = LIMIT_SIGNER_TTL_MAX_S,
    MANAGER_CERTIFICATE_RETRY_MS = 1000,
};

struct manager_certificate {
    struct arena *memory;
    struct manager_certificate_options options;
    struct loop_timer *due;
    int folder; /* the folder DATA/peer */
    struct text key_line;
    struct err problem;
    bool has_problem;
    bool is_asking;
};

static void manager_certificate_failed(struct manager_certificate *one, const struct err *err)
{
    /* a problem that persists is logged once */
    if (!one->has_problem || strcmp(one->problem.text, err->text) != 0) {
        log_warn(one->options.log, "peer", "no_certificate", log_string("reason", err->text),
                 log_string("means", "other managers cannot be reached"));
    }
    one->problem = *err;
    one->has_problem = true;
    loop_timer_start(one->due, MANAGER_CERTIFICATE_RETRY_MS, 0);
}

MUST_CHECK static bool manager_certificate_write(const struct manager_certificate *one,
                                                 const struct sign_reply *reported, struct err *err)
{
    return file_replace(one->folder, "ca.pem", reported->krl, 0644, err) &&
           file_replace(one->folder, "certificate.pem", reported->certificate, 0644, err);
}

static void manager_certificate_came(void *arg, enum outcome outcome,
                                     const struct sign_reply *reported, const struct err *err)
{
    struct manager_certificate *one = arg;
    uint64_t life_ms = (uint64_t)MANAGER_CERTIFICATE_TTL_S * 1000;
    struct err failed;

    one->is_asking = false;
    if (outcome != OUTCOME_OK) {
        manager_certificate_failed(one, err);
        return;
    }
    if (!manager_certificate_write(one, reported, &failed)) {
        manager_certificate_failed(one, &failed);
        return;
    }
    one->has_problem = false;
    log_info(one->options.log, "peer", "certificate", log_text("id", one->options.id));
    loop_timer_start(one->due, life_ms / 2 / one->options.time_scale, 0);
}

static void manager_certificate_due(void *arg)
{
    struct manager_certificate *one = arg;
    struct sign_ask ask = {
        .method = SIGN_CERTIFY_MANAGER,
        .who = TEXT("reeved"),
        .key = one->key_line,
        .name = one->options.id,
        .principals = { one->options.addresses, one->options.address_count },
        .ttl_s = MANAGER_CERTIFICATE_TTL_S,
    };
    struct err err;

    if (one->is_asking) {
        return;
    }
    switch (authorities_ask(one->options.authorities, TEXT(SIGN_MANAGERS), &ask,
                            manager_certificate_came, one, &err)) {
    case AUTHORITIES_READY:
        one->is_asking = true;
        break;
    case AUTHORITIES_WAITING:
        loop_timer_start(one->due, MANAGER_CERTIFICATE_RETRY_MS, 0);
        break;
    case AUTHORITIES_REFUSED:
        manager_certificate_failed(one, &err);
        break;
    }
}

/* Generates the key and writes it. This replaces the file of an earlier key; the certificate of
 * that key is replaced later. */
MUST_CHECK static bool manager_certificate_key_draw(struct manager_certificate *one,
                                                    struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    struct ssh_key key;
    struct text pem;
    bool is_written;

    random_fill(one->options.random, seed, sizeof(seed));
    ssh_key_make(seed, &key, secret);
    pem = x509_private(arena, secret);
    one->key_line = ssh_key_format(one->memory, &key, TEXT(""));
    is_written = file_replace(one->folder, "key.pem", pem, 0600, err);
    secret_wipe((char *)(uintptr_t)pem.data, pem.length);
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
    return is_written;
}

bool manager_certificate_open(const struct manager_certificate_options *options,
                              struct manager_certificate **out, struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct manager_certificate *one = arena_one(memory, struct manager_certificate);
    struct text *addresses = arena_array(memory, struct text, options->address_count + 1);

    *one = (struct manager_certificate){ .memory = memory, .options = *options, .folder = FD_NONE };
    addresses[0] = one->options.id = arena_text(memory, options->id);
    for (size_t i = 0; i < options->address_count; i++) {
        addresses[i + 1] = arena_text(memory, options->addresses[i]);
    }
    /* the signer requires at least one name */
    one->options.addresses = options->address_count > 0 ? addresses + 1 : addresses;
    one->options.address_count = options->address_count > 0 ? options->address_count : 1;
    if (!loop_timer_open(options->loop, manager_certificate_due, one, &one->due, err)) {
        arena_free(memory);
        return false;
    }
    if (!folder_make_beneath(options->folder, MANAGER_CERTIFICATE_FOLDER, 0700, &one->folder,
                             err)) {
        manager_certificate_close(one);
        return false;
    }
    *out = one;
    if (faccessat(one->folder, "external", F_OK, 0) == 0) {
        log_info(options->log, "peer", "external",
                 log_string("means", "an operator issues the certificate of this manager"));
        return true;
    }
    if (!manager_certificate_key_draw(one, err)) {
        manager_certificate_close(one);
        return false;
    }
    loop_timer_start(one->due, 1, 0);
    return true;
}

struct text manager_certificate_problem(const struct manager_certificate *one)
{
    return one != NULL && one->has_problem ? text_from(one->problem.text) : TEXT("");
}

void manager_certificate_close(struct manager_certificate *one)
{
    if (one != NULL) {
        loop_timer_close(one->due);
        fd_cleanup(&one->folder);
        arena_free(one->memory);
    }
}
