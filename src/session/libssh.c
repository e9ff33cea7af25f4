#include "session/libssh.h"

#include "base/limits.h"
#include "session/libssh_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Stages of a session: it connects, libssh exchanges keys, the driver verifies the host key, libssh
 * logs in, and channels are opened and closed. On each socket event libssh continues where it
 * stopped.
 *
 * Delayed acknowledgements would cost each session two waits of 40 ms. So the socket sends
 * immediately (TCP_NODELAY) and acknowledges immediately (TCP_QUICKACK, which the kernel may
 * reset).
 *
 * Failures: libssh reports them, and may have closed its duplicate of the socket. The driver's own
 * descriptor stays open until the loop has dropped its watch. */

struct libssh {
    struct transport base;
};

static const char exchange_names[] = "curve25519-sha256,curve25519-sha256@libssh.org";
static const char host_key_names[] =
    "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,"
    "rsa-sha2-256";

enum { KEY_TYPE_BYTES = 64, HOST_KEYS_BYTES = 512, BITES = 8 };

/* BANNER_BYTES: maximum number of bytes up to the end of the banner. TURNS_MAX: maximum number of
 * iterations until the login is complete. */
enum { BANNER_BYTES = 8 * 1024, TURNS_MAX = 2000 };

static void session_go(struct libssh_session *session);

/* ---- the socket ---- */

static void acknowledge_at_once(const struct libssh_session *session)
{
    static const int yes = 1;

    (void)!setsockopt(session->socket, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof(yes));
}

MUST_CHECK static bool libssh_socket_connect(struct libssh_session *session, struct err *err)
{
    const struct transport_target *target = &session->base.target;
    static const int yes = 1;
    struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                              .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    char service[8];

    snprintf(service, sizeof(service), "%u", target->port);
    if (getaddrinfo(target->address.data, service, &hints, &found) != 0) {
        return err_set(err, CODE_R0532, "'%.*s' is not a valid address", TEXT_ARG(target->address));
    }
    session->socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (session->socket >= 0) {
        (void)!setsockopt(session->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        if (connect(session->socket, found->ai_addr, found->ai_addrlen) != 0 &&
            errno != EINPROGRESS) {
            err_set(err, CODE_R0532, "%s", strerror(errno));
            freeaddrinfo(found);
            return false;
        }
    }
    freeaddrinfo(found);
    return session->socket >= 0 ||
           err_set(err, CODE_R0532, "a socket cannot be created: %s", strerror(errno));
}

/* Sets the options. libssh gets a duplicate of the descriptor, because after an error it may close
 * its descriptor while the loop still watches it. */
static bool libssh_options_set(struct libssh_session *session)
{
    const struct transport_target *target = &session->base.target;
    static const int no = 0;
    static const int yes = 1;
    char names[HOST_KEYS_BYTES];
    ssh_session ssh = session->session;
    socket_t copy = fcntl(session->socket, F_DUPFD_CLOEXEC, 0);
    size_t type = text_find_byte(target->host_keys, ' ');
    size_t length = 0;

    /* prefer the type of the known key, because a host may have several keys */
    if (type < KEY_TYPE_BYTES && !text_has_prefix(target->host_keys, TEXT("ssh-rsa "))) {
        length = (size_t)snprintf(names, sizeof(names), "%.*s,", (int)type, target->host_keys.data);
    } else if (type < KEY_TYPE_BYTES) {
        length = (size_t)snprintf(names, sizeof(names), "rsa-sha2-512,rsa-sha2-256,");
    }
    snprintf(names + length, sizeof(names) - length, "%s", host_key_names);
    if (copy < 0 || ssh_options_set(ssh, SSH_OPTIONS_FD, &copy) != 0) {
        return false;
    }
    ssh_set_blocking(ssh, 0);
    return ssh_options_set(ssh, SSH_OPTIONS_PROCESS_CONFIG, &no) == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_SSH_DIR, "/nonexistent") == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_KNOWNHOSTS, "/dev/null") == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_HOST, target->address.data) == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_USER, target->user.data) == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_KEY_EXCHANGE, exchange_names) == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_HOSTKEYS, names) == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_COMPRESSION, "none") == 0 &&
           ssh_options_set(ssh, SSH_OPTIONS_NODELAY, &yes) == 0;
}

/* ---- keys ---- */

/* Splits a line "ssh-ed25519 AAAA... COMMENT" into the key type and the base64 text. */
static bool libssh_key_words(struct text line, struct text *type, struct text *bytes)
{
    size_t blank = text_find_byte(line, ' ');
    struct text rest;

    if (blank == SIZE_MAX) {
        return false;
    }
    *type = text_slice(line, 0, blank);
    rest = text_slice(line, blank + 1, line.length);
    *bytes = text_slice(rest, 0, text_find_byte(rest, ' '));
    return true;
}

MUST_CHECK static bool libssh_key_read(struct libssh_session *session, struct err *err)
{
    const struct transport_target *target = &session->base.target;
    ssh_key certificate = NULL;
    struct text type;
    struct text bytes;
    bool is_good;

    if (ssh_pki_import_privkey_base64(secret_reveal(target->key).data, NULL, NULL, NULL,
                                      &session->key) != SSH_OK) {
        return err_set(err, CODE_R0532, "the user's key cannot be read");
    }
    if (target->certificate.length == 0) {
        return true;
    }
    is_good =
        libssh_key_words(target->certificate, &type, &bytes) &&
        ssh_pki_import_cert_base64(arena_string(session->base.memory, bytes),
                                   ssh_key_type_from_name(arena_string(session->base.memory, type)),
                                   &certificate) == SSH_OK &&
        ssh_pki_copy_cert_to_privkey(certificate, session->key) == SSH_OK;
    ssh_key_free(certificate);
    return is_good || err_set(err, CODE_R0532, "the user's certificate cannot be read");
}

/* Returns whether the presented host key is one of the expected ones. */
static bool host_key_is_known(const struct transport_target *target, struct text shown)
{
    struct text rest = target->host_keys;

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_trim(text_slice(rest, 0, end));
        struct text type;
        struct text bytes;

        if (libssh_key_words(line, &type, &bytes) && text_has_prefix(shown, type) &&
            shown.length == type.length + 1 + bytes.length && shown.data[type.length] == ' ' &&
            text_has_suffix(shown, bytes)) {
            return true;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
    return false;
}

/* Returns the key that the host has proved to own; empty if the key cannot be determined. */
static struct text host_key_shown(struct libssh_session *session)
{
    ssh_key key = NULL;
    char *bytes = NULL;
    struct text shown = TEXT("");

    if (ssh_get_server_publickey(session->session, &key) == SSH_OK &&
        ssh_pki_export_pubkey_base64(key, &bytes) == SSH_OK) {
        enum ssh_keytypes_e type = ssh_key_type(key);

        shown = arena_printf(session->base.memory, "%s %s", ssh_key_type_to_char(type), bytes);
    }
    ssh_string_free_char(bytes);
    ssh_key_free(key);
    return shown;
}

/* Returns the fingerprint as printed by `ssh-keygen -l`. */
static struct text fingerprint_shown(const struct libssh_session *session)
{
    ssh_key key = NULL;
    unsigned char *hash = NULL;
    size_t length = 0;
    char *words = NULL;
    struct text shown = TEXT("");

    if (ssh_get_server_publickey(session->session, &key) == SSH_OK &&
        ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) == SSH_OK) {
        words = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
        shown = words == NULL ? shown
                              : arena_printf(session->base.memory, "%s (%s)", words,
                                             ssh_key_type_to_char(ssh_key_type(key)));
    }
    ssh_string_free_char(words);
    ssh_clean_pubkey_hash(&hash);
    ssh_key_free(key);
    return shown;
}

/* ---- stages ---- */

static void libssh_failed(struct libssh_session *session, enum transport_fault fault,
                          const char *what)
{
    session->stage = LIBSSH_GONE;
    session_failed(&session->base, fault, session->base.answer.host_key, "%s: %s", what,
                   ssh_get_error(session->session));
}

static void connected(struct libssh_session *session)
{
    int number = 0;
    socklen_t length = sizeof(number);

    if (getsockopt(session->socket, SOL_SOCKET, SO_ERROR, &number, &length) != 0) {
        number = errno;
    }
    if (number != 0) {
        session->stage = LIBSSH_GONE;
        session_failed(&session->base, TRANSPORT_FAULT_UNREACHABLE, TEXT(""), "%s",
                       strerror(number));
        return;
    }
    acknowledge_at_once(session);
    if (!libssh_options_set(session)) {
        libssh_failed(session, TRANSPORT_FAULT_INVALID,
                      "the settings of the session cannot be set");
        return;
    }
    session->stage = LIBSSH_BANNER;
}

/* Returns whether the bytes contain a complete banner line. This is checked because libssh would
 * read a line of any length. */
static bool banner_is_whole(struct text bytes)
{
    while (bytes.length > 0) {
        size_t end = text_find_byte(bytes, '\n');

        if (end == SIZE_MAX) {
            return false;
        }
        if (text_has_prefix(bytes, TEXT("SSH-"))) {
            return true;
        }
        bytes = text_slice(bytes, end + 1, bytes.length);
    }
    return false;
}

/* Looks for the banner without consuming bytes. The socket becomes readable again only when further
 * bytes arrive. */
static bool banner_seen(struct libssh_session *session)
{
    char bytes[BANNER_BYTES];
    ssize_t got = recv(session->socket, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
    int low = got > 0 ? (int)got + 1 : 1;

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got > 0 && banner_is_whole((struct text){ bytes, (size_t)got })) {
        low = 1;
        (void)!setsockopt(session->socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
        session->stage = LIBSSH_GREETING;
        return true;
    }
    if (got <= 0 || got == BANNER_BYTES) {
        session->stage = LIBSSH_GONE;
        session_failed(&session->base, TRANSPORT_FAULT_PROTOCOL, TEXT(""),
                       got > 0 ? "the program that answers there does not speak SSH"
                               : "the connection ended before an SSH banner arrived");
        return false;
    }
    (void)!setsockopt(session->socket, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
    return false;
}

/* Makes the socket non-blocking again, because libssh sets it to blocking mode. A node that does
 * not read would then block all other sessions. libssh writes only as many bytes as fit. */
static void socket_unblock(const struct libssh_session *session)
{
    (void)!fcntl(session->socket, F_SETFL, O_RDWR | O_NONBLOCK);
}

static bool greeted(struct libssh_session *session)
{
    const struct transport_target *target = &session->base.target;
    int came = ssh_connect(session->session);
    struct text shown;

    socket_unblock(session);
    if (came == SSH_AGAIN) {
        return false;
    }
    if (came != SSH_OK) {
        libssh_failed(session, TRANSPORT_FAULT_PROTOCOL, "no session can be established");
        return false;
    }
    shown = host_key_shown(session);
    if (shown.length == 0 || (!host_key_is_known(target, shown) &&
                              (target->host_keys.length > 0 || target->authority.length > 0 ||
                               !target->is_first_key_accepted))) {
        session->stage = LIBSSH_GONE;
        session_failed(&session->base, TRANSPORT_FAULT_HOST_KEY, shown,
                       "the host has an unexpected host key: %.*s",
                       TEXT_ARG(fingerprint_shown(session)));
        return false;
    }
    session->base.answer.host_key = shown;
    session->stage = LIBSSH_LOGIN;
    return true;
}

static void logged_in(struct libssh_session *session)
{
    int came = ssh_userauth_publickey(session->session, NULL, session->key);

    if (came == SSH_AUTH_AGAIN) {
        return;
    }
    if (came != SSH_AUTH_SUCCESS) {
        libssh_failed(session,
                      came == SSH_AUTH_ERROR && ssh_is_connected(session->session) == 0
                          ? TRANSPORT_FAULT_CUT
                          : TRANSPORT_FAULT_USER_KEY,
                      "the host rejected this key");
        return;
    }
    session->event = ssh_event_new();
    if (session->event == NULL ||
        ssh_event_add_session(session->event, session->session) != SSH_OK) {
        libssh_failed(session, TRANSPORT_FAULT_LIMIT, "there is no memory for the session");
        return;
    }
    session->stage = LIBSSH_OPEN;
    session_opened(&session->base, session->base.answer.host_key,
                   session->base.target.host_keys.length == 0);
}

/* Processes received bytes, then advances every channel. */
static void libssh_serve(struct libssh_session *session)
{
    int came = SSH_OK;

    /* at most a few packets in one step, because other sessions wait */
    for (int i = 0; i < BITES && came == SSH_OK; i++) {
        came = ssh_event_dopoll(session->event, 0);
    }
    libssh_channels_go(session);
    if (session->stage == LIBSSH_OPEN &&
        (came == SSH_ERROR || ssh_is_connected(session->session) == 0)) {
        libssh_failed(session, TRANSPORT_FAULT_CUT, "the connection ended");
    }
}

static unsigned libssh_wanted(const struct libssh_session *session)
{
    int flags = ssh_get_poll_flags(session->session);

    return session->stage == LIBSSH_CONNECTING ? LOOP_WRITABLE
           : session->stage == LIBSSH_BANNER   ? LOOP_READABLE
           : (flags & SSH_WRITE_PENDING) != 0  ? LOOP_READABLE | LOOP_WRITABLE
                                               : LOOP_READABLE;
}

static void session_go(struct libssh_session *session)
{
    session->is_busy = true;
    switch (session->stage) {
    case LIBSSH_CONNECTING:
        connected(session); /* next event: the socket becomes readable when the server sends its
                             * banner */
        break;
    case LIBSSH_BANNER:
        if (!banner_seen(session)) {
            break;
        }
        __attribute__((fallthrough));
    case LIBSSH_GREETING:
        if (!greeted(session)) {
            break;
        }
        __attribute__((fallthrough));
    case LIBSSH_LOGIN:
        logged_in(session);
        break;
    case LIBSSH_OPEN:
        libssh_serve(session);
        break;
    case LIBSSH_GONE:
        break;
    }
    session->is_busy = false;
    if (session->stage < LIBSSH_OPEN && ++session->turns > TURNS_MAX) {
        session->stage = LIBSSH_GONE;
        session_failed(&session->base, TRANSPORT_FAULT_PROTOCOL, TEXT(""),
                       "the host sends too much data before the login");
    }
    if (session->stage == LIBSSH_GONE) {
        loop_descriptor_want(session->descriptor, 0);
    } else {
        acknowledge_at_once(session);
        loop_descriptor_want(session->descriptor, libssh_wanted(session));
    }
}

static void libssh_socket_ready(void *arg, unsigned events)
{
    (void)events;
    session_go(arg);
}

static void libssh_again_due(void *arg)
{
    session_go(arg);
}

void libssh_again(struct libssh_session *session)
{
    if (!loop_timer_is_running(session->again)) {
        loop_timer_start(session->again, 0, 0);
    }
}

/* ---- driver callbacks of transport.c ---- */

static void libssh_driver_begin(struct transport_session *base)
{
    struct libssh_session *session = (struct libssh_session *)base;
    enum transport_fault fault = TRANSPORT_FAULT_INVALID;
    struct err err;

    session->socket = FD_NONE;
    session->stage = LIBSSH_CONNECTING;
    session->session = ssh_new();
    if (base->target.is_operators || base->target.authority.length > 0) {
        session_failed(base, TRANSPORT_FAULT_UNSUPPORTED, TEXT(""),
                       "libssh supports neither the operator's ssh settings nor host certificates");
        return;
    }
    if (!libssh_key_read(session, &err)) {
        session_failed(base, TRANSPORT_FAULT_INVALID, TEXT(""), "%s", err.text);
        return;
    }
    if (!libssh_socket_connect(session, &err)) {
        fault = session->socket < 0 ? TRANSPORT_FAULT_INVALID : TRANSPORT_FAULT_UNREACHABLE;
    } else if (session->session != NULL &&
               loop_timer_open(base->transport->loop, libssh_again_due, session, &session->again,
                               &err) &&
               loop_descriptor_open(base->transport->loop, session->socket, libssh_socket_ready,
                                    session, &session->descriptor, &err)) {
        loop_descriptor_want(session->descriptor, LOOP_WRITABLE);
        return;
    }
    session_failed(base, fault, TEXT(""), "%s", err.text);
}

/* Frees the libssh session. Some versions of libssh close a socket that the caller has passed to
 * them; others do not. */
static void library_end(struct libssh_session *session)
{
    int copy;

    if (session->event != NULL) {
        ssh_event_remove_session(session->event, session->session);
        ssh_event_free(session->event);
        session->event = NULL;
    }
    copy = ssh_get_fd(session->session);
    ssh_disconnect(session->session);
    ssh_free(session->session);
    session->session = NULL;
    if (copy >= 0 && fcntl(copy, F_GETFD) >= 0) { /* still open: no other descriptor can have got
                                                   * this number in the meantime */
        close(copy);
    }
}

static void libssh_driver_end(struct transport_session *base)
{
    struct libssh_session *session = (struct libssh_session *)base;

    assert(!session->is_busy);
    if (session->session == NULL) {
        return;
    }
    loop_timer_close(session->again);
    loop_descriptor_close(session->descriptor);
    session->again = NULL;
    session->descriptor = NULL;
    session->stage = LIBSSH_GONE;
    libssh_channels_end(session);
    library_end(session);
    ssh_key_free(session->key);
    session->key = NULL;
    fd_cleanup(&session->socket);
    session->socket = FD_NONE;
}

static void libssh_driver_free(struct transport *transport)
{
    transport_fini(transport);
    rows_free(transport);
}

bool libssh_new(struct loop *loop, struct transport **out, struct err *err)
{
    static const struct transport_driver driver = {
        .name = "libssh",
        .session_bytes = sizeof(struct libssh_session),
        .call_bytes = sizeof(struct libssh_call),
        .begin = libssh_driver_begin,
        .end = libssh_driver_end,
        .call = libssh_call,
        .drop = libssh_drop,
        .flow = libssh_flow,
        .give = libssh_give,
        .free = libssh_driver_free,
    };
    struct libssh *self = rows_resize(NULL, sizeof(*self));

    *self =
        (struct libssh){ .base = { .driver = &driver, .traits = { .has_signal_names = true } } };
    if (!transport_init(&self->base, loop, err)) {
        libssh_driver_free(&self->base);
        return false;
    }
    *out = &self->base;
    return true;
}
