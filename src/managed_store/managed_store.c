#include "managed_store/managed_store.h"

#include "etcd_member/member.h"
#include "managed_store/managed_parts.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/fd.h"
#include "sys/folder.h"
#include "sys/launcher.h"
#include "sys/loop.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MANAGED_LAUNCH_MS = 20 * 1000,
    MANAGED_UNIT_MS = 5 * 1000, /* time for the service manager to start reeve-store */
    MANAGED_RETRY_MS = 50,
    MANAGED_FILE_BYTES = 64 * 1024,
    MANAGED_NAME_ID = 8, /* characters of ids in the name of a member */
    MANAGED_OUTPUT_BYTES = 4096,
};

/* The certificate of this manager for the store. Certificate and key are one file, so that they
 * always match: a manager draws a new key at each start, and may get its certificate only when the
 * store is open. */
#define MANAGED_FOLDER    "peer"
#define MANAGED_CA_NAME   "store-ca.pem"
#define MANAGED_PAIR_NAME "store.pem"
#define MANAGED_CA        MANAGED_FOLDER "/" MANAGED_CA_NAME
#define MANAGED_PAIR      MANAGED_FOLDER "/" MANAGED_PAIR_NAME

/* ---- the process ---- */

struct managed_launch {
    struct loop *loop;
    struct arena *arena;
    struct text output;
    int code;
};

static void on_store_launched(void *arg, const struct child_end *end)
{
    struct managed_launch *launch = arg;

    launch->code = end->code;
    launch->output = arena_text(launch->arena, text_trim(end->output[CHILD_ERROR]));
    loop_stop(launch->loop);
}

/* Starts reeve-store in the background. The launcher adds the folder itself. */
MUST_CHECK static bool managed_process_launch(struct arena *arena, const char *data,
                                              struct err *err)
{
    struct managed_launch launch = { .arena = arena };
    const char *argv[] = { "reeve-store", "detach", launcher_is_running() ? NULL : data, NULL };
    struct child_options options = {
        .path = arena_string(
            arena, arena_printf(arena, "%.*s/reeve-store", TEXT_ARG(process_folder(arena)))),
        .argv = argv,
        .deadline_ms = MANAGED_LAUNCH_MS,
        .grace_ms = MANAGED_RETRY_MS,
        .output_max = MANAGED_OUTPUT_BYTES,
        .done = on_store_launched,
        .arg = &launch,
    };
    AUTO(loop) loop = NULL;
    struct child *child;

    if (!loop_open(&loop, err)) {
        return false;
    }
    launch.loop = loop;
    if (!child_start(loop, &options, &child, err)) {
        return false;
    }
    loop_run(loop);
    if (launch.code != 0 && !member_is_served(data)) {
        return err_set(err, CODE_R0595, "reeve-store cannot be started: %.*s",
                       TEXT_ARG(launch.output));
    }
    return true;
}

static bool managed_is_served_within(const char *data, uint64_t ms)
{
    struct clock clock = clock_system();
    uint64_t until_ms = clock_monotonic_ms(clock) + ms;

    while (!member_is_served(data)) {
        if (clock_monotonic_ms(clock) >= until_ms) {
            return false;
        }
        (void)!poll(NULL, 0, MANAGED_RETRY_MS);
    }
    return true;
}

bool managed_folder_have(const char *data, struct err *err)
{
    AUTO(fd) folder = FD_NONE;
    struct stat above;
    struct stat member;

    if (!folder_open(data, &folder, err) ||
        !folder_ensure_beneath(folder, MEMBER_FOLDER, 0700, err)) {
        return false;
    }
    if (geteuid() == 0 && fstat(folder, &above) == 0 &&
        fstatat(folder, MEMBER_FOLDER, &member, AT_SYMLINK_NOFOLLOW) == 0 && member.st_uid == 0 &&
        above.st_uid != 0 &&
        fchownat(folder, MEMBER_FOLDER, above.st_uid, above.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
        return err_set(err, CODE_R0596, "the owner of %s/" MEMBER_FOLDER ": %s", data,
                       strerror(errno));
    }
    return true;
}

/* Makes reeve-store run. The unit reeve-store.path starts it as soon as the folder exists; without
 * a service manager, and if the unit is disabled, it is started here. */
MUST_CHECK static bool managed_process_have(struct arena *arena, const char *data, struct err *err)
{
    if (!managed_folder_have(data, err)) {
        return false;
    }
    if (member_is_served(data) ||
        (getenv("INVOCATION_ID") != NULL && managed_is_served_within(data, MANAGED_UNIT_MS))) {
        return true;
    }
    return managed_process_launch(arena, data, err);
}

/* ---- files ---- */

bool managed_store_certificate_find(struct arena *arena, const char *data, const char **ca,
                                    const char **certificate)
{
    const char *ca_path = arena_string(arena, arena_printf(arena, "%s/" MANAGED_CA, data));
    const char *pair_path = arena_string(arena, arena_printf(arena, "%s/" MANAGED_PAIR, data));

    if (access(ca_path, R_OK) != 0 || access(pair_path, R_OK) != 0) {
        return false;
    }
    *ca = ca_path;
    *certificate = pair_path;
    return true;
}

enum { MANAGED_KEY_ID_BYTES = 64 };

/* True if the key is that of the certificate. After a start, DATA/peer may have a new key and the
 * certificate of the former one. */
static bool managed_pair_matches(struct text certificate, struct text key)
{
    gnutls_datum_t certificate_bytes = { (unsigned char *)(uintptr_t)certificate.data,
                                         (unsigned)certificate.length };
    gnutls_datum_t key_bytes = { (unsigned char *)(uintptr_t)key.data, (unsigned)key.length };
    unsigned char ids[2][MANAGED_KEY_ID_BYTES];
    size_t sizes[2] = { MANAGED_KEY_ID_BYTES, MANAGED_KEY_ID_BYTES };
    gnutls_x509_privkey_t private = NULL;
    gnutls_x509_crt_t public = NULL;
    bool is_equal;

    is_equal =
        gnutls_x509_crt_init(&public) == 0 && gnutls_x509_privkey_init(&private) == 0 &&
        gnutls_x509_crt_import(public, &certificate_bytes, GNUTLS_X509_FMT_PEM) == 0 &&
        gnutls_x509_privkey_import(private, &key_bytes, GNUTLS_X509_FMT_PEM) == 0 &&
        gnutls_x509_crt_get_key_id(public, GNUTLS_KEYID_USE_SHA256, ids[0], &sizes[0]) == 0 &&
        gnutls_x509_privkey_get_key_id(private, GNUTLS_KEYID_USE_SHA256, ids[1], &sizes[1]) == 0 &&
        sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
    gnutls_x509_privkey_deinit(private);
    gnutls_x509_crt_deinit(public);
    return is_equal;
}

bool managed_store_certificate_write(int folder,
                                     const struct managed_store_certificate *certificate,
                                     struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text pair = arena_printf(arena, "%.*s\n%.*s", TEXT_ARG(certificate->certificate),
                                    TEXT_ARG(secret_reveal(certificate->key)));
    AUTO(fd) peer = FD_NONE;
    bool is_written;

    if (!managed_pair_matches(certificate->certificate, secret_reveal(certificate->key))) {
        secret_wipe((void *)(uintptr_t)pair.data, pair.length);
        return true; /* the matching certificate follows */
    }
    is_written = folder_make_beneath(folder, MANAGED_FOLDER, 0700, &peer, err) &&
                 file_replace(peer, MANAGED_CA_NAME, certificate->authority, 0600, err) &&
                 file_replace(peer, MANAGED_PAIR_NAME, pair, 0600, err);
    secret_wipe((void *)(uintptr_t)pair.data, pair.length);
    return is_written;
}

void managed_store_certificate_remove(int folder)
{
    (void)unlinkat(folder, MANAGED_PAIR, 0);
    (void)unlinkat(folder, MANAGED_CA, 0);
}

/* Adds the addresses of the file of members. */
static void managed_members_read(struct arena *arena, const char *data,
                                 struct managed_store_found *out)
{
    AUTO(fd) folder = FD_NONE;
    struct text bytes;
    struct err err;

    if (!folder_open(data, &folder, &err) ||
        !file_read_beneath(arena, folder, MANAGED_STORE_MEMBERS, MANAGED_FILE_BYTES, &bytes,
                           &err)) {
        return;
    }
    while (bytes.length > 0 && out->endpoint_count < LIMIT_ETCD_ENDPOINTS) {
        size_t end = text_find_byte(bytes, '\n');
        struct text line = text_trim(text_slice(bytes, 0, end));

        if (line.length > 0 && line.length < LIMIT_ETCD_ENDPOINT_BYTES) {
            out->endpoints[out->endpoint_count++] = arena_string(arena, line);
        }
        bytes = text_slice(bytes, end == SIZE_MAX ? bytes.length : end + 1, SIZE_MAX);
    }
}

bool managed_store_members_write(int folder, const struct text *urls, size_t count, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text former = TEXT("");
    struct err none;
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&buf, "%.*s\n", TEXT_ARG(urls[i]));
    }
    return (file_read_beneath(arena, folder, MANAGED_STORE_MEMBERS, MANAGED_FILE_BYTES, &former,
                              &none) &&
            text_is_equal(former, buf_text(&buf))) ||
           file_replace(folder, MANAGED_STORE_MEMBERS, buf_text(&buf), 0600, err);
}

bool managed_file_is_there(const char *data, const char *name)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", data, name);
    return access(path, F_OK) == 0;
}

bool managed_store_is_there(const char *data)
{
    return managed_file_is_there(data, MEMBER_FOLDER "/member.json") ||
           managed_file_is_there(data, MANAGED_STORE_MEMBERS);
}

/* ---- the member ---- */

static struct text managed_url(struct arena *arena, struct text address)
{
    return arena_printf(arena, "https://%.*s", TEXT_ARG(address));
}

/* A new store with one member. Its names are random: a name is never used again. */
static void managed_arguments_new(struct arena *arena, const struct managed_store_options *options,
                                  struct member_ipc_arguments *out)
{
    char manager[RANDOM_ID_BYTES];
    char member[RANDOM_ID_BYTES];
    char token[RANDOM_ID_BYTES];

    random_id(options->random, manager);
    random_id(options->random, member);
    random_id(options->random, token);
    out->manager =
        arena_text(arena, text_from(options->manager != NULL ? options->manager : manager));
    out->name =
        arena_printf(arena, "%.*s-%.*s", TEXT_ARG(text_slice(out->manager, 0, MANAGED_NAME_ID)),
                     MANAGED_NAME_ID, member);
    out->token = arena_text(arena, text_from(token));
    out->peer_advertise =
        managed_url(arena, options->address.length > 0 ? options->address : TEXT("127.0.0.1:2380"));
    out->cluster =
        arena_printf(arena, "%.*s=%.*s", TEXT_ARG(out->name), TEXT_ARG(out->peer_advertise));
}

void managed_arguments_listen(struct arena *arena, const struct managed_store_options *options,
                              struct member_ipc_arguments *out)
{
    const char *ca = "";
    const char *certificate = "";
    bool is_open = options->address.length > 0 &&
                   managed_store_certificate_find(arena, options->data, &ca, &certificate);
    struct text none = TEXT("");

    out->peer_listen = is_open ? managed_url(arena, options->address) : none;
    out->client_listen = is_open ? managed_url(arena, options->clients) : none;
    out->client_advertise =
        options->clients.length > 0 ? managed_url(arena, options->clients) : none;
    out->ca = is_open ? text_from(ca) : none;
    out->certificate = is_open ? text_from(certificate) : none;
    out->key = out->certificate;
}

/* Checks that the member in the folder is this manager's. */
MUST_CHECK static bool managed_member_check(const struct managed_store_options *options,
                                            const struct member_ipc_arguments *arguments,
                                            struct err *err)
{
    if (options->manager == NULL || text_is(arguments->manager, options->manager)) {
        return true;
    }
    err_set(err, CODE_R0596,
            "the folder %s/" MEMBER_FOLDER " has a member of the manager %.*s, this is %s",
            options->data, TEXT_ARG(arguments->manager), options->manager);
    return err_hint(err, "it was copied from another host: remove it from this one");
}

/* Starts the member of this host. Without one, makes a new store unless others are known. */
MUST_CHECK static bool managed_member_start(struct arena *arena,
                                            const struct managed_store_options *options,
                                            struct managed_store_found *out, struct err *err)
{
    struct member_ipc_ask ask = { .method = MEMBER_IPC_STATUS };
    struct member_ipc_reply reply;

    if (!managed_process_have(arena, options->data, err) ||
        !member_call_wait(arena, options->data, &ask, &reply, err)) {
        return false;
    }
    ask = (struct member_ipc_ask){ .method = MEMBER_IPC_START, .arguments = reply.arguments };
    if (reply.state == MEMBER_IPC_REBUILDING) {
        ask.method = MEMBER_IPC_STATUS; /* it is started when that is complete */
    } else if (reply.state != MEMBER_IPC_ABSENT) {
        if (!managed_member_check(options, &reply.arguments, err)) {
            return false;
        }
    } else if (out->endpoint_count > 0) {
        return true; /* a client of the others */
    } else if (options->can_create) {
        managed_arguments_new(arena, options, &ask.arguments);
    } else {
        err_set(err, CODE_R0582, "the folder %s has no member of a managed store", options->data);
        return err_hint(err, "start reeved once: its first start makes a store");
    }
    managed_arguments_listen(arena, options, &ask.arguments);
    if (!member_call_wait(arena, options->data, &ask, &reply, err)) {
        return false;
    }
    snprintf(out->manager, sizeof(out->manager), "%.*s", TEXT_ARG(reply.arguments.manager));
    out->has_member = true;
    return true;
}

bool managed_store_open(struct arena *arena, const struct managed_store_options *options,
                        struct managed_store_found *out, struct err *err)
{
    char local[MEMBER_ENDPOINT_BYTES];

    *out = (struct managed_store_found){ 0 };
    snprintf(out->manager, sizeof(out->manager), "%s",
             options->manager != NULL ? options->manager : "");
    managed_members_read(arena, options->data, out);
    /* A member that does not start, for example because the others have removed it, does not keep
     * its manager from using the store: the manager is a client of the others meanwhile. */
    if ((out->endpoint_count == 0 ||
         managed_file_is_there(options->data, MEMBER_FOLDER "/member.json")) &&
        !managed_member_start(arena, options, out, err) &&
        (out->endpoint_count == 0 || err->code != CODE_R0597)) {
        return false;
    }
    if (managed_store_certificate_find(arena, options->data, &out->ca, &out->certificate)) {
        out->key = out->certificate;
    } else {
        if (!out->has_member) {
            err_set(err, CODE_R0586,
                    "the members of the store admit only managers with a "
                    "certificate, and %s/peer has none",
                    options->data);
            return err_hint(
                err, "copy the files store.pem and store-ca.pem from a backup of that folder");
        }
        /* others cannot be reached before this manager has its certificate */
        out->endpoint_count = 0;
    }
    if (out->has_member) {
        if (!member_endpoint(options->data, local, err)) {
            return false;
        }
        if (out->endpoint_count == LIMIT_ETCD_ENDPOINTS) {
            out->endpoint_count--;
        }
        memmove(out->endpoints + 1, out->endpoints,
                out->endpoint_count * sizeof(out->endpoints[0]));
        out->endpoints[0] = arena_string(arena, text_from(local));
        out->endpoint_count++;
    }
    return true;
}

bool managed_store_is_behind(const struct managed_store_options *options)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct member_ipc_ask ask = { .method = MEMBER_IPC_STATUS };
    struct member_ipc_arguments wanted = { .is_joining = 0 };
    struct member_ipc_reply reply;
    struct err err;

    if (!member_call_wait(arena, options->data, &ask, &reply, &err) ||
        (reply.state != MEMBER_IPC_RUNNING && reply.state != MEMBER_IPC_WAITING)) {
        return false;
    }
    managed_arguments_listen(arena, options, &wanted);
    return !text_is_equal(wanted.peer_listen, reply.arguments.peer_listen) ||
           !text_is_equal(wanted.client_listen, reply.arguments.client_listen);
}
