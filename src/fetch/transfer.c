#include "fetch/transfer.h"

#include "base/limits.h"
#include "sys/digest.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OK = 200, STATUS_ABSENT = 404, STATUS_GONE = 410, MAGIC_BYTES = 4 };

struct transfer {
    const struct fetch_order *order;
    const struct fetch_target *target;
    const char *authorities;
    int out;
    CURL *curl;
    struct arena *arena; /* arena for one request */
    struct digest_stream *stream;
    char digest[DIGEST_TEXT_BYTES];
    char magic[MAGIC_BYTES];
    uint64_t bytes;
    size_t head_bytes;
    long status;
    bool is_file;   /* the source is a file, and not a server */
    bool is_closed; /* this code has rejected a connection */
    struct text next;
    struct err err; /* set by a callback that has stopped the transfer; code NONE: no error */
};

/* ---- received bytes ---- */

MUST_CHECK static bool transfer_bytes_write(struct transfer *transfer, struct text bytes,
                                            struct err *err)
{
    while (bytes.length > 0) {
        ssize_t written = write(transfer->out, bytes.data, bytes.length);

        if (written < 0 && errno != EINTR) {
            return err_set(err, CODE_R0642, "the received bytes cannot be written: %s",
                           strerror(errno));
        }
        bytes = text_slice(bytes, written < 0 ? 0 : (size_t)written, bytes.length);
    }
    return true;
}

/* Checks whether the first bytes are those of a plugin. If they are those of a web page, such as a
 * login form, the error says so. */
MUST_CHECK static bool magic_check(struct transfer *transfer, struct text bytes, struct err *err)
{
    static const char magic[MAGIC_BYTES] = { 0x7f, 'E', 'L', 'F' };

    for (size_t i = 0; i < bytes.length && transfer->bytes + i < MAGIC_BYTES; i++) {
        transfer->magic[transfer->bytes + i] = bytes.data[i];
        if (bytes.data[i] != magic[transfer->bytes + i]) {
            err_set(err, CODE_R0646, "the received file is not a shared object (ELF)%s",
                    transfer->magic[0] == '<' ? ", it looks like a web page" : "");
            return err_hint(err, "the address should be that of the file itself");
        }
    }
    return true;
}

bool transfer_take(struct transfer *transfer, struct text bytes, struct err *err)
{
    transfer->is_file = transfer->target == NULL;
    if (bytes.length > LIMIT_FETCH_BYTES - transfer->bytes) {
        return err_set(err, CODE_R0645, "the file is larger than %d MiB",
                       LIMIT_FETCH_BYTES / (1024 * 1024));
    }
    if (!magic_check(transfer, bytes, err) || !transfer_bytes_write(transfer, bytes, err)) {
        return false;
    }
    if (transfer->stream == NULL) {
        transfer->stream = digest_stream_new();
    }
    digest_stream_add(transfer->stream, bytes);
    transfer->bytes += bytes.length;
    return true;
}

bool transfer_finish(struct transfer *transfer, struct err *err)
{
    struct text expected = transfer->order->sha256;

    if (transfer->stream == NULL || transfer->bytes < MAGIC_BYTES) {
        return err_set(err, CODE_R0646, "the received file is empty, or too short for a plugin");
    }
    digest_stream_end(transfer->stream, transfer->digest);
    transfer->stream = NULL;
    if (expected.length > 0 && !text_is(expected, transfer->digest)) {
        return err_set(err, CODE_R0644, "the digest of the file is %s, but %.*s is expected",
                       transfer->digest, TEXT_ARG(expected));
    }
    return true;
}

void transfer_digest(const struct transfer *transfer, struct fetch_answer *answer)
{
    memcpy(answer->digest, transfer->digest, sizeof(answer->digest));
    answer->bytes = transfer->bytes;
}

/* ---- callbacks ---- */

static size_t body_came(char *data, size_t size, size_t count, void *arg)
{
    struct transfer *transfer = arg;
    struct text bytes = { data, size * count };
    long status = 0;

    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != STATUS_OK) {
        return CURL_WRITEFUNC_ERROR; /* the body of an error response is ignored */
    }
    return transfer_take(transfer, bytes, &transfer->err) ? bytes.length : CURL_WRITEFUNC_ERROR;
}

/* Returns the value of a header line. Returns false if its name is not `name`, which includes the
 * colon. */
static bool head_find(struct text line, const char *name, struct text *out)
{
    size_t length = strlen(name);

    if (line.length < length || strncasecmp(line.data, name, length) != 0) {
        return false;
    }
    *out = text_trim(text_slice(line, length, line.length));
    return true;
}

/* Keeps the URL of a redirect as it was sent. libcurl would normalize it, which would hide
 * violations from the strict check. If it is only a path, it is for the same server. */
static void location_keep(struct transfer *transfer, struct text location)
{
    struct text whole = transfer->target->url.whole;
    struct text server = text_slice(whole, 0, whole.length - transfer->target->url.path.length);
    bool is_path = text_has_prefix(location, TEXT("/")) && !text_has_prefix(location, TEXT("//"));

    transfer->next =
        is_path ? arena_printf(transfer->arena, "%.*s%.*s", TEXT_ARG(server), TEXT_ARG(location))
                : arena_text(transfer->arena, location);
}

static size_t head_came(char *data, size_t size, size_t count, void *arg)
{
    struct transfer *transfer = arg;
    struct text line = { data, size * count };
    struct text value;

    transfer->head_bytes += line.length;
    if (transfer->head_bytes > LIMIT_FETCH_HEAD_BYTES) {
        err_set(&transfer->err, CODE_R0645, "the server's headers are longer than %d KiB",
                LIMIT_FETCH_HEAD_BYTES / 1024);
        return 0;
    }
    if (head_find(line, "location:", &value)) {
        location_keep(transfer, value);
    }
    if (head_find(line, "content-encoding:", &value) && !text_is(value, "identity")) {
        err_set(&transfer->err, CODE_R0646,
                "the server sends the file compressed (Content-Encoding), which is not supported");
        return 0;
    }
    return line.length;
}

/* Opens the socket of a connection, only to a validated address. This is the final check, even if
 * parsing, resolving or a redirect had a fault. */
static curl_socket_t transfer_socket_open(void *arg, curlsocktype purpose,
                                          struct curl_sockaddr *address)
{
    struct transfer *transfer = arg;

    if (purpose != CURLSOCKTYPE_IPCXN ||
        !fetch_target_has(transfer->target, &address->addr, address->addrlen)) {
        transfer->is_closed = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- a request ---- */

static void curl_prepare(struct transfer *transfer, uint64_t left_ms)
{
    CURL *curl = transfer->curl;
    uint64_t connect_ms = left_ms < LIMIT_FETCH_CONNECT_MS ? left_ms : LIMIT_FETCH_CONNECT_MS;
    uint64_t slow_s = (transfer->order->slow_ms + 999) / 1000;

    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, arena_string(transfer->arena, transfer->target->url.whole));
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L); /* redirects are validated by this
                                                         * program */
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_NONE);
    curl_easy_setopt(curl, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(curl, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "reeve-fetch/" REEVE_VERSION);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(curl, CURLOPT_CAINFO, transfer->authorities);
    curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)LIMIT_FETCH_BYTES);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)left_ms);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)LIMIT_FETCH_SLOW_BYTES);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)slow_s);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_came);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, head_came);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, transfer_socket_open);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer);
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Describes a failure. libcurl's message comes last, as a detail. */
static enum transfer_end transfer_failure_report(const struct transfer *transfer, CURLcode code,
                                                 const char *words, struct err *err)
{
    const char *more = words[0] != '\0' ? words : curl_easy_strerror(code);

    if (transfer->err.code != CODE_NONE) {
        *err = transfer->err;
    } else if (transfer->is_closed) {
        err_set(err, CODE_R0641,
                "the connection would have used an address that was not validated");
    } else if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_ISSUER_ERROR ||
               code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM) {
        err_set(err, CODE_R0643, "the server's certificate cannot be verified: %s", more);
        err_hint(err, "for your own CA, set fetch: {ca: FILE} in the configuration of the manager");
    } else if (code == CURLE_FILESIZE_EXCEEDED) {
        err_set(err, CODE_R0645, "the file is larger than %d MiB",
                LIMIT_FETCH_BYTES / (1024 * 1024));
    } else if (code == CURLE_OPERATION_TIMEDOUT && transfer->bytes > 0) {
        bool is_slow = strstr(more, "too slow") != NULL;

        err_set(err, CODE_R0645, "%s, after %llu bytes",
                is_slow ? "the transfer is too slow" : "the deadline of the fetch has passed",
                (unsigned long long)transfer->bytes);
    } else if (code == CURLE_PARTIAL_FILE || (code == CURLE_RECV_ERROR && transfer->bytes > 0)) {
        err_set(err, CODE_R0646, "the server closed the connection early, after %llu bytes",
                (unsigned long long)transfer->bytes);
    } else {
        err_set(err, CODE_R0642, "%s", more);
    }
    return TRANSFER_FAILED;
}

static enum transfer_end answer_judge(struct transfer *transfer, CURLcode code, const char *words,
                                      struct err *err)
{
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->status);
    if (transfer->err.code == CODE_NONE && is_redirect(transfer->status)) {
        if (transfer->next.length > 0) {
            return TRANSFER_ELSEWHERE;
        }
        err_set(err, CODE_R0648, "the server redirects without an address");
        return TRANSFER_FAILED;
    }
    if (transfer->err.code == CODE_NONE && transfer->status != 0 && transfer->status != STATUS_OK) {
        bool is_absent = transfer->status == STATUS_ABSENT || transfer->status == STATUS_GONE;

        err_set(err, CODE_R0642, "the server answers %ld%s", transfer->status,
                is_absent ? ": not found" : "");
        return is_absent ? TRANSFER_ABSENT : TRANSFER_FAILED;
    }
    if (code != CURLE_OK) {
        return transfer_failure_report(transfer, code, words, err);
    }
    return transfer_finish(transfer, err) ? TRANSFER_DONE : TRANSFER_FAILED;
}

/* Prepares libcurl for a request, without any state of the previous one. */
MUST_CHECK static bool begin_anew(struct transfer *transfer, const struct fetch_target *target,
                                  struct err *err)
{
    char unused[DIGEST_TEXT_BYTES];

    if (transfer->stream != NULL) {
        digest_stream_end(transfer->stream, unused);
        transfer->stream = NULL;
    }
    transfer->target = target;
    transfer->bytes = 0;
    transfer->head_bytes = 0;
    transfer->status = 0;
    transfer->is_closed = false;
    transfer->next = TEXT("");
    transfer->err = (struct err){ 0 };
    arena_clear(transfer->arena);
    if (ftruncate(transfer->out, 0) != 0 || lseek(transfer->out, 0, SEEK_SET) != 0) {
        return err_set(err, CODE_R0642, "the received bytes cannot be written: %s",
                       strerror(errno));
    }
    return true;
}

enum transfer_end transfer_run(struct transfer *transfer, const struct fetch_target *target,
                               uint64_t left_ms, struct err *err)
{
    char words[CURL_ERROR_SIZE] = "";
    struct curl_slist *addresses;
    enum transfer_end end;
    CURLcode code;

    assert(target->count > 0);
    if (!begin_anew(transfer, target, err)) {
        return TRANSFER_FAILED;
    }
    addresses = curl_slist_append(NULL, fetch_target_words(transfer->arena, target));
    curl_prepare(transfer, left_ms);
    curl_easy_setopt(transfer->curl, CURLOPT_RESOLVE, addresses);
    curl_easy_setopt(transfer->curl, CURLOPT_ERRORBUFFER, words);
    code = curl_easy_perform(transfer->curl);
    end = answer_judge(transfer, code, words, err);
    curl_easy_setopt(transfer->curl, CURLOPT_ERRORBUFFER, NULL);
    curl_easy_setopt(transfer->curl, CURLOPT_RESOLVE, NULL);
    curl_slist_free_all(addresses);
    return end;
}

struct text transfer_next(const struct transfer *transfer)
{
    return transfer->next;
}

struct transfer *transfer_new(const struct fetch_order *order, const char *authorities, int out)
{
    struct transfer *transfer = rows_resize(NULL, sizeof(*transfer));

    *transfer = (struct transfer){ .order = order,
                                   .authorities = authorities,
                                   .out = out,
                                   .curl = curl_easy_init(),
                                   .arena = arena_new_small(SIZE_MAX) };
    assert(transfer->curl != NULL);
    return transfer;
}

void transfer_free(struct transfer *transfer)
{
    char unused[DIGEST_TEXT_BYTES];

    if (transfer->stream != NULL) {
        digest_stream_end(transfer->stream, unused);
    }
    curl_easy_cleanup(transfer->curl);
    arena_free(transfer->arena);
    rows_free(transfer);
}
