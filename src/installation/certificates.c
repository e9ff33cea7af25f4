/* Checks the dates of the certificates that listeners present. */
#include "base/limits.h"
#include "installation/installation.h"
#include "sys/file.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { DAY_S = 24 * 3600 };

/* Reads the validity dates of the first certificate in a file, which is the server's
 * certificate. */
static bool dates_read(struct text bytes, int64_t *out_from_s, int64_t *out_until_s)
{
    gnutls_datum_t datum = { (unsigned char *)(uintptr_t)bytes.data, (unsigned)bytes.length };
    gnutls_x509_crt_t certificate;
    bool is_read;

    if (gnutls_x509_crt_init(&certificate) < 0) {
        return false;
    }
    is_read = gnutls_x509_crt_import(certificate, &datum, GNUTLS_X509_FMT_PEM) >= 0;
    if (is_read) {
        *out_from_s = gnutls_x509_crt_get_activation_time(certificate);
        *out_until_s = gnutls_x509_crt_get_expiration_time(certificate);
    }
    gnutls_x509_crt_deinit(certificate);
    return is_read;
}

static void dates_check(struct installation_report *report, const char *path, int64_t from_s,
                        int64_t until_s)
{
    struct text fix = TEXT("renew the certificate, then: systemctl reload reeved");
    int64_t now_s = time(NULL);
    int64_t days = (until_s - now_s) / DAY_S;

    if (now_s < from_s) {
        installation_add(report, true,
                         arena_printf(report->arena,
                                      "the certificate %s is not valid for another %" PRId64
                                      " days; or the clock of this machine is wrong",
                                      path, (from_s - now_s + DAY_S - 1) / DAY_S),
                         fix);
    } else if (now_s >= until_s) {
        installation_add(report, true,
                         arena_printf(report->arena,
                                      "the certificate %s expired %" PRId64 " days ago", path,
                                      (now_s - until_s) / DAY_S),
                         fix);
    } else {
        installation_add(report, days < LIMIT_CERTIFICATE_DAYS,
                         arena_printf(report->arena,
                                      "the certificate %s is valid for %" PRId64 " days", path,
                                      days),
                         fix);
    }
}

void installation_certificates_check(struct installation_report *report,
                                     const struct installation_facts *facts)
{
    for (size_t i = 0; i < facts->certificate_count; i++) {
        const char *path = facts->certificates[i].certificate;
        struct text bytes;
        int64_t from_s;
        int64_t until_s;
        struct err err;

        installation_key_check(report, facts->certificates[i].key);
        if (geteuid() != 0 && access(path, R_OK) != 0) {
            continue; /* this user cannot read the file, but the manager reads it as root */
        }
        if (!file_read(report->arena, path, LIMIT_CERTIFICATE_BYTES, &bytes, &err)) {
            installation_add(report, true, arena_text(report->arena, text_from(err.text)),
                             TEXT("correct `listen` in the configuration, or put the file there"));
        } else if (!dates_read(bytes, &from_s, &until_s)) {
            installation_add(report, true,
                             arena_printf(report->arena, "%s has no certificate in PEM", path),
                             TEXT("correct `listen` in the configuration, or replace the file"));
        } else {
            dates_check(report, path, from_s, until_s);
        }
    }
}
