#include "http/certificate.h"

#include <assert.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>

enum { CERTIFICATE_REASON_BYTES = 200 };

/* Reads the common name of a certificate. Returns false if the name is missing, occurs twice, or is
 * too long. */
static bool is_certificate_named(const gnutls_datum_t *bytes, gnutls_x509_crt_fmt_t format,
                                 char out[CERTIFICATE_NAME_BYTES])
{
    char name[CERTIFICATE_NAME_BYTES];
    char second[CERTIFICATE_NAME_BYTES];
    size_t length = sizeof(name);
    size_t second_length = sizeof(second);
    gnutls_x509_crt_t certificate;
    bool is_good;

    if (gnutls_x509_crt_init(&certificate) != GNUTLS_E_SUCCESS) {
        return false;
    }
    is_good =
        gnutls_x509_crt_import(certificate, bytes, format) == GNUTLS_E_SUCCESS &&
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name,
                                      &length) == GNUTLS_E_SUCCESS &&
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 1, 0, second,
                                      &second_length) == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE &&
        length > 0 && length < sizeof(name) && strlen(name) == length;
    gnutls_x509_crt_deinit(certificate);
    if (is_good) {
        memcpy(out, name, length + 1);
    }
    return is_good;
}

/* Writes the reason why a certificate is not accepted, in one line. */
static void certificate_reason(unsigned status, char out[CERTIFICATE_REASON_BYTES])
{
    gnutls_datum_t text = { NULL, 0 };

    snprintf(out, CERTIFICATE_REASON_BYTES, "the certificate is not valid");
    if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) ==
        GNUTLS_E_SUCCESS) {
        size_t length = text.size;

        while (length > 0 && (text.data[length - 1] == ' ' || text.data[length - 1] == '.' ||
                              text.data[length - 1] == '\0')) {
            length--;
        }
        snprintf(out, CERTIFICATE_REASON_BYTES, "%.*s", (int)length, (const char *)text.data);
        gnutls_free(text.data);
    }
}

bool certificate_peer_read(gnutls_session_t session, bool is_client,
                           char out[CERTIFICATE_NAME_BYTES], struct err *err)
{
    const char *use = is_client ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER;
    gnutls_typed_vdata_st wanted = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)(uintptr_t)use };
    char reason[CERTIFICATE_REASON_BYTES];
    const gnutls_datum_t *chain;
    unsigned count = 0;
    unsigned status = 0;

    chain = gnutls_certificate_get_peers(session, &count);
    if (chain == NULL || count == 0) {
        return err_set(err, CODE_R0586, "the other end sent no certificate");
    }
    if (gnutls_certificate_verify_peers(session, &wanted, 1, &status) != GNUTLS_E_SUCCESS ||
        status != 0) {
        certificate_reason(status, reason);
        return err_set(err, CODE_R0586, "the certificate of the other end is not accepted: %s",
                       reason);
    }
    return is_certificate_named(&chain[0], GNUTLS_X509_FMT_DER, out) ||
           err_set(err, CODE_R0586, "the certificate of the other end has no common name");
}

bool certificate_name_read(const char *pem, size_t bytes, char out[CERTIFICATE_NAME_BYTES],
                           struct err *err)
{
    gnutls_datum_t datum = { (unsigned char *)(uintptr_t)pem, (unsigned)bytes };

    assert(bytes <= UINT32_MAX);
    return is_certificate_named(&datum, GNUTLS_X509_FMT_PEM, out) ||
           err_set(err, CODE_R0586, "the certificate cannot be parsed, or has no common name");
}
