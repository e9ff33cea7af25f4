#include "base/text.h"
#include "peers/peers_parts.h"
#include "sys/file.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const peer_file_names[] = { "ca.pem", "certificate.pem", "key.pem" };

uint64_t peer_files_mark(const char *folder)
{
    uint64_t mark = UINT64_C(1469598103934665603);

    for (size_t i = 0; i < ARRAY_COUNT(peer_file_names); i++) {
        char path[4096];
        struct stat status;
        uint64_t parts[4];

        snprintf(path, sizeof(path), "%s/%s", folder, peer_file_names[i]);
        if (stat(path, &status) != 0) {
            return 0;
        }
        parts[0] = (uint64_t)status.st_ino;
        parts[1] = (uint64_t)status.st_size;
        parts[2] = (uint64_t)status.st_mtim.tv_sec;
        parts[3] = (uint64_t)status.st_mtim.tv_nsec;
        for (size_t j = 0; j < ARRAY_COUNT(parts); j++) {
            mark = (mark ^ parts[j]) * UINT64_C(1099511628211);
        }
    }
    return mark == 0 ? 1 : mark;
}

bool peer_files_read(struct arena *arena, const char *folder, struct text id,
                     struct peer_files *out, struct err *err)
{
    struct text *files[] = { &out->authority, &out->certificate, &out->key };
    char name[CERTIFICATE_NAME_BYTES];

    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        const char *path =
            arena_string(arena, arena_printf(arena, "%s/%s", folder, peer_file_names[i]));
        struct stat status;

        if (stat(path, &status) != 0) {
            return err_set(err, CODE_R0586, "peer/%s is missing in the data folder",
                           peer_file_names[i]);
        }
        if (files[i] == &out->key && (status.st_mode & (S_IWGRP | S_IRWXO)) != 0) {
            return err_set(err, CODE_R0586, "other users can read peer/key.pem");
        }
        if (!file_read(arena, path, LIMIT_PEER_FILE_BYTES, files[i], err)) {
            return false;
        }
    }
    if (!certificate_name_read(out->certificate.data, out->certificate.length, name, err)) {
        return false;
    }
    return text_is(id, name) ||
           err_set(err, CODE_R0586, "peer/certificate.pem names the manager '%s', not '%.*s'", name,
                   TEXT_ARG(id));
}

static gnutls_datum_t peer_datum(struct text text)
{
    return (gnutls_datum_t){ (unsigned char *)(uintptr_t)text.data, (unsigned)text.length };
}

bool peer_credentials_new(const struct peer_files *files, struct peer_credentials **out,
                          struct err *err)
{
    gnutls_datum_t authority = peer_datum(files->authority);
    gnutls_datum_t certificate = peer_datum(files->certificate);
    gnutls_datum_t key = peer_datum(files->key);
    gnutls_certificate_credentials_t gnutls;
    int code;

    if (gnutls_certificate_allocate_credentials(&gnutls) != GNUTLS_E_SUCCESS) {
        return err_set(err, CODE_R0586, "the TLS library has no memory");
    }
    code = gnutls_certificate_set_x509_trust_mem(gnutls, &authority, GNUTLS_X509_FMT_PEM);
    if (code <= 0) {
        gnutls_certificate_free_credentials(gnutls);
        return err_set(err, CODE_R0586, "peer/ca.pem has no certificate");
    }
    code = gnutls_certificate_set_x509_key_mem(gnutls, &certificate, &key, GNUTLS_X509_FMT_PEM);
    if (code < 0) {
        gnutls_certificate_free_credentials(gnutls);
        return err_set(err, CODE_R0586, "peer/certificate.pem and peer/key.pem cannot be used: %s",
                       gnutls_strerror(code));
    }
    *out = rows_resize(NULL, sizeof(**out));
    **out = (struct peer_credentials){ .gnutls = gnutls };
    return true;
}

static void peer_credentials_settle(struct peer_credentials *credentials)
{
    if (credentials->is_replaced && credentials->users == 0) {
        gnutls_certificate_free_credentials(credentials->gnutls);
        rows_free(credentials);
    }
}

void peer_credentials_replace(struct peer_credentials *credentials)
{
    if (credentials != NULL) {
        credentials->is_replaced = true;
        peer_credentials_settle(credentials);
    }
}

void peer_credentials_leave(struct peer_credentials *credentials)
{
    assert(credentials->users > 0);
    credentials->users--;
    peer_credentials_settle(credentials);
}
