#include "base/mem.h"
#include "client/wire.h"

#define CURL_DISABLE_TYPECHECK
#include <assert.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <limits.h>

/* The functions of libcurl that this file uses. */
struct tls_library {
    void *handle;
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_perform)(CURL *);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLcode (*easy_send)(CURL *, const void *, size_t, size_t *);
    CURLcode (*easy_recv)(CURL *, void *, size_t, size_t *);
    const char *(*easy_strerror)(CURLcode);
};

struct tls {
    struct arena *arena; /* the arena of this struct */
    struct tls_library library;
    CURL *curl;
    int fd;
};

/* Looks up a symbol. POSIX returns functions as void *; ISO C requires this conversion. */
static void symbol_take(void *handle, const char *name, void *out)
{
    *(void **)out = dlsym(handle, name);
}

MUST_CHECK static bool library_load(struct tls_library *library, struct err *err)
{
    static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };

    for (size_t i = 0; library->handle == NULL && i < ARRAY_COUNT(names); i++) {
        library->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (library->handle == NULL) {
        err_set(err, CODE_R0025, "https:// needs libcurl, which is not installed");
        return err_hint(err, "sudo apt-get install libcurl3-gnutls (Debian 13: "
                             "libcurl3t64-gnutls)");
    }
    symbol_take(library->handle, "curl_easy_init", &library->easy_init);
    symbol_take(library->handle, "curl_easy_cleanup", &library->easy_cleanup);
    symbol_take(library->handle, "curl_easy_setopt", &library->easy_setopt);
    symbol_take(library->handle, "curl_easy_perform", &library->easy_perform);
    symbol_take(library->handle, "curl_easy_getinfo", &library->easy_getinfo);
    symbol_take(library->handle, "curl_easy_send", &library->easy_send);
    symbol_take(library->handle, "curl_easy_recv", &library->easy_recv);
    symbol_take(library->handle, "curl_easy_strerror", &library->easy_strerror);
    if (library->easy_init == NULL || library->easy_cleanup == NULL ||
        library->easy_setopt == NULL || library->easy_perform == NULL ||
        library->easy_getinfo == NULL || library->easy_send == NULL || library->easy_recv == NULL ||
        library->easy_strerror == NULL) {
        return err_set(err, CODE_R0025,
                       "the libcurl of this system lacks features that https:// needs");
    }
    return true;
}

/* Sets the trusted authorities. A given file replaces the system's authorities. libcurl has a
 * default file and a default folder, and setting only one keeps the other default. So both are set;
 * without the folder, a command also avoids reading hundreds of certificates. */
static bool authorities_set(struct tls *tls, const char *ca)
{
    const struct tls_library *library = &tls->library;

    return library->easy_setopt(tls->curl, CURLOPT_CAINFO, ca) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_CAPATH, NULL) == CURLE_OK;
}

static bool tls_options_set(struct tls *tls, const struct address *address, const char *ca,
                            uint64_t timeout_ms)
{
    const struct tls_library *library = &tls->library;
    long timeout = timeout_ms > (uint64_t)LONG_MAX ? LONG_MAX : (long)timeout_ms;
    const char *url = arena_string(tls->arena, address->url);

    return library->easy_setopt(tls->curl, CURLOPT_URL, url) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_CONNECT_ONLY, 1L) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) ==
               CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) ==
               CURLE_OK &&
           library->easy_setopt(tls->curl, CURLOPT_TIMEOUT_MS, timeout) == CURLE_OK &&
           (ca == NULL || authorities_set(tls, ca));
}

MUST_CHECK static bool connect_error(const struct tls *tls, const struct address *address,
                                     CURLcode code, struct err *err)
{
    const char *why = tls->library.easy_strerror(code);

    if (code == CURLE_OPERATION_TIMEDOUT) {
        err_set(err, CODE_R0016, "the manager at %.*s did not answer in time",
                TEXT_ARG(address->url));
        return err_hint(err, "wait longer with --timeout 2m");
    }
    err_set(err, CODE_R0015, "no manager reachable at %.*s: %s", TEXT_ARG(address->url), why);
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
        return err_hint(err, "for a certificate of your own CA: reeve context login URL --ca FILE");
    }
    return err_hint(err, "check the address: reeve context show -v");
}

bool tls_open(const struct address *address, const char *ca, uint64_t timeout_ms, struct tls **out,
              struct err *err)
{
    struct arena *arena = arena_new(sizeof(struct tls) + LIMIT_PATH_BYTES + 4096);
    struct tls *tls = arena_one(arena, struct tls);
    curl_socket_t fd = CURL_SOCKET_BAD;
    CURLcode code;

    assert(address->kind == ADDRESS_TLS && address->url.length <= LIMIT_PATH_BYTES);
    tls->arena = arena;
    if (!library_load(&tls->library, err)) {
        tls_free(tls);
        return false;
    }
    tls->curl = tls->library.easy_init();
    if (tls->curl == NULL || !tls_options_set(tls, address, ca, timeout_ms)) {
        tls_free(tls);
        return err_set(err, CODE_R0025, "the libcurl of this system rejects a setting");
    }
    code = tls->library.easy_perform(tls->curl);
    if (code == CURLE_OK) {
        code = tls->library.easy_getinfo(tls->curl, CURLINFO_ACTIVESOCKET, &fd);
    }
    if (code != CURLE_OK) {
        (void)!connect_error(tls, address, code, err);
        tls_free(tls);
        return false;
    }
    tls->fd = (int)fd;
    *out = tls;
    return true;
}

void tls_free(struct tls *tls)
{
    if (tls == NULL) {
        return;
    }
    if (tls->curl != NULL) {
        tls->library.easy_cleanup(tls->curl);
    }
    arena_free(tls->arena); /* the library stays loaded: unloading it is not safe and has no use */
}

int tls_fd(const struct tls *tls)
{
    return tls->fd;
}

static enum tls_result result_of(CURLcode code)
{
    return code == CURLE_OK ? TLS_OK : code == CURLE_AGAIN ? TLS_AGAIN : TLS_BROKEN;
}

enum tls_result tls_write(struct tls *tls, struct text bytes, size_t *out_length)
{
    return result_of(tls->library.easy_send(tls->curl, bytes.data, bytes.length, out_length));
}

enum tls_result tls_read(struct tls *tls, char *out, size_t room, size_t *out_length)
{
    return result_of(tls->library.easy_recv(tls->curl, out, room, out_length));
}
