/* reeve-fetch: fetches one file for reeved, or makes one call to a BMC, in a sandbox that permits
 * only network access. It reads one order and writes one answer. The bytes of a file go to a
 * descriptor that the manager has opened (fetch/order.h); the password of a BMC comes from one
 * (fetch/redfish.h). For IPMI it becomes ipmitool (fetch/ipmi.h). It starts no processes, and does
 * not execute what it has fetched. */
#include "base/limits.h"
#include "fetch/fetch.h"
#include "fetch/ipmi.h"
#include "fetch/redfish.h"
#include "host/sandbox.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/stream.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Debian's file with all trusted CAs. */
#define MACHINE_AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"

enum { READ_BYTES = 64 * 1024, FILE_SLACK_BYTES = 4096 };

MUST_CHECK static bool fetch_bytes_put(int memory, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t written = write(memory, bytes.data, bytes.length);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, written < 0 ? 0 : (size_t)written, bytes.length);
    }
    return true;
}

MUST_CHECK static bool fetch_own_put(int memory)
{
    char bytes[READ_BYTES];
    size_t all = 0;
    ssize_t got;

    while ((got = read(FETCH_FD_CA, bytes, sizeof(bytes))) > 0) {
        all += (size_t)got;
        if (all > LIMIT_FETCH_CA_BYTES ||
            !fetch_bytes_put(memory, (struct text){ bytes, (size_t)got })) {
            return false;
        }
    }
    return got == 0;
}

/* Collects all trusted CAs, those of the machine and those of the manager, in memory that is
 * readable inside the sandbox. If there are none, no server is trusted. */
MUST_CHECK static bool authorities_gather(bool has_ca, int *out, struct err *err)
{
    AUTO(arena) arena = arena_new((size_t)LIMIT_FETCH_CA_BYTES * 4);
    AUTO(fd) memory = memfd_create("authorities", MFD_CLOEXEC);
    struct text machine = TEXT("");
    struct err none;

    (void)!file_read(arena, MACHINE_AUTHORITIES, LIMIT_FETCH_CA_BYTES, &machine, &none);
    if (memory < 0 || !fetch_bytes_put(memory, machine) || !fetch_bytes_put(memory, TEXT("\n")) ||
        (has_ca && !fetch_own_put(memory))) {
        return err_set(err, CODE_R0643, "the trusted CAs cannot be read");
    }
    *out = memory;
    memory = FD_NONE;
    return true;
}

/* Enters the sandbox, which permits the network and open descriptors only. This may fork. */
MUST_CHECK static bool fetch_shut_in(int authorities, struct err *err)
{
    const int kept[] = { FETCH_FD_OUT, FETCH_FD_FILE, authorities };
    struct sandbox_options options = sandbox_options_of(SANDBOX_CLOUD);
    struct sandbox_report report;

    options.descriptors = kept;
    options.descriptor_count = ARRAY_COUNT(kept);
    options.file_bytes = (uint64_t)LIMIT_FETCH_BYTES + FILE_SLACK_BYTES;
    return sandbox_enter(&options, &report, err);
}

static int answer_send(struct arena *arena, const struct fetch_answer *answer)
{
    struct text text = fetch_answer_format(arena, answer);
    struct err err;

    return stream_write_out(text, &err) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int fetch_serve(void)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_FETCH_ORDER_BYTES * 64);
    AUTO(fd) authorities = FD_NONE;
    struct fetch_answer answer = { 0 };
    struct fetch_order order;
    struct text bytes;
    char path[64];

    if (!file_read_stdin(arena, LIMIT_FETCH_ORDER_BYTES, &bytes, &answer.err) ||
        !fetch_order_parse(arena, bytes, &order, &answer.err) ||
        !authorities_gather(order.has_ca, &authorities, &answer.err) ||
        !fetch_shut_in(authorities, &answer.err)) {
        return answer_send(arena, &answer);
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        err_set(&answer.err, CODE_R0650, "the HTTPS library cannot be initialized");
        return answer_send(arena, &answer);
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", authorities);
    fetch_run(arena, &order, fetch_resolver_system(), path, FETCH_FD_OUT, &answer);
    curl_global_cleanup();
    return answer_send(arena, &answer);
}

/* Reads the password from the descriptor that the manager has opened. */
MUST_CHECK static bool redfish_password_read(char out[static REDFISH_PASSWORD_BYTES],
                                             size_t *out_length)
{
    ssize_t got = read(FETCH_FD_OUT, out, REDFISH_PASSWORD_BYTES);

    *out_length = got > 0 ? (size_t)got : 0;
    return got > 0 && got < REDFISH_PASSWORD_BYTES;
}

static int redfish_serve(void)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_FETCH_ORDER_BYTES * 64);
    AUTO(fd) authorities = FD_NONE;
    char password[REDFISH_PASSWORD_BYTES];
    struct redfish_order order;
    struct text answer;
    struct text bytes;
    size_t length;
    char path[64];
    struct err err;

    if (!redfish_password_read(password, &length)) {
        answer = redfish_refusal(arena, "secret", "has a password that is too long or empty");
    } else if (!file_read_stdin(arena, REDFISH_ORDER_BYTES, &bytes, &err) ||
               !redfish_order_parse(arena, bytes, &order, &err) ||
               !authorities_gather(order.has_ca, &authorities, &err) ||
               !fetch_shut_in(authorities, &err)) {
        answer = redfish_refusal(arena, "other", err.text);
    } else if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        answer = redfish_refusal(arena, "other", "the HTTPS library cannot be initialized");
    } else {
        snprintf(path, sizeof(path), "/proc/self/fd/%d", authorities);
        answer = redfish_run(arena, &order, secret_from((struct text){ password, length }), path);
        curl_global_cleanup();
    }
    secret_wipe(password, sizeof(password));
    return stream_write_out(answer, &err) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int ipmi_serve(void)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_FETCH_ORDER_BYTES * 64);
    struct text bytes;
    struct err err;

    if (file_read_stdin(arena, REDFISH_ORDER_BYTES, &bytes, &err)) {
        ipmi_exec(arena, bytes, &err);
    }
    fprintf(stderr, "%s\n", err.text);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    stream_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("reeve-fetch " REEVE_VERSION);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "redfish") == 0) {
        /* without the work at exit: a sanitizer looks for leaks then, which the sandbox prevents */
        _exit(redfish_serve());
    }
    if (argc == 2 && strcmp(argv[1], "ipmi") == 0) {
        return ipmi_serve();
    }
    if (argc != 2 || strcmp(argv[1], "serve") != 0) {
        bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;

        fputs("reeve-fetch fetches plugins for reeved, in a sandbox. It is not started by hand:\n"
              "`reeve plugin install URL` has a plugin fetched.\n",
              is_help ? stdout : stderr);
        return is_help ? EXIT_SUCCESS : 2;
    }
    return fetch_serve();
}
