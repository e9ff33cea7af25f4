#include "session/openssh.h"

#include "base/limits.h"
#include "session/openssh_config.h"
#include "session/transport_end.h"
#include "sys/child.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/random.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* The driver writes the files of a session and starts an `ssh` process as the master. After the
 * login, the master listens at its control socket and runs its LocalCommand, whose output shows
 * that the session is open. For each command, another `ssh` process connects to that socket.
 *
 * Failures: if the master ends, its output has the reason, and the session is over. If the `ssh`
 * process of a command ends without writing the end marker, the connection was lost. If the control
 * socket does not exist any more, that process would connect by itself with other settings; its
 * ProxyCommand makes this fail. */

#define CLIENT "/usr/bin/ssh"
#define OPENED "reeve-session-open\n"

/* SOCKET_SLACK_BYTES: ssh first binds its socket under a longer name. */
enum { SOCKET_SLACK_BYTES = 20, NUMBER_BYTES = 21, CODE_MAX = 256 };

enum { ARGUMENTS_MAX = 32 };

struct openssh {
    struct transport base;
    const char *folder; /* folder of the driver; the text lives in `memory` */
    struct arena *memory;
    struct random random;
    uint64_t number; /* number of the next session */
    size_t children; /* number of running children */
};

/* An `ssh` process. It may outlive its session or its call. */
struct client {
    struct openssh *self;
    struct child *child;
    struct openssh_session *session; /* session of a master process; NULL: detached */
    struct openssh_call *call;       /* call of a command process; NULL: dropped */
    char mark[OPENSSH_MARK_BYTES + 1];
    char held[OPENSSH_END_BYTES]; /* the last bytes of standard error, which may be the end
                                   * marker */
    size_t held_length;
};

struct openssh_session {
    struct transport_session base;
    struct openssh_paths paths;
    struct client *master;
    struct buf heard; /* output of the master before the session was open */
};

struct openssh_call {
    struct transport_call base;
    struct client *client;
};

static struct openssh *openssh_self_of(const struct transport_session *session)
{
    return (struct openssh *)session->transport;
}

/* ---- files ---- */

MUST_CHECK static bool openssh_file_write(const char *path, struct text bytes, struct err *err)
{
    AUTO(fd) file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    while (file >= 0 && bytes.length > 0) {
        ssize_t written = write(file, bytes.data, bytes.length);

        if (written < 0 && errno != EINTR) {
            break;
        }
        bytes = text_slice(bytes, written < 0 ? 0 : (size_t)written, bytes.length);
    }
    return (file >= 0 && bytes.length == 0) ||
           err_set(err, CODE_R0702, "%s: %s", path, strerror(errno));
}

static void keys_remove(const struct openssh_session *session)
{
    (void)!unlink(session->paths.key);
    (void)!unlink(session->paths.certificate);
    (void)!unlink(session->paths.known_hosts);
}

static void openssh_files_remove(const struct openssh_session *session)
{
    keys_remove(session);
    (void)!unlink(session->paths.config);
    (void)!unlink(session->paths.socket);
}

static const char *openssh_path_make(struct openssh_session *session, const char *suffix)
{
    const struct openssh *self = openssh_self_of(&session->base);

    return arena_printf(session->base.memory, "%s/%llu%s", self->folder,
                        (unsigned long long)self->number, suffix)
        .data;
}

static void openssh_paths_make(struct openssh_session *session)
{
    openssh_self_of(&session->base)->number++;
    session->paths = (struct openssh_paths){
        .config = openssh_path_make(session, "f"),
        .key = openssh_path_make(session, "k"),
        .certificate = openssh_path_make(session, "k-cert.pub"),
        .known_hosts = openssh_path_make(session, "h"),
        .socket = openssh_path_make(session, "s"),
    };
}

MUST_CHECK static bool openssh_files_write(struct openssh_session *session, struct err *err)
{
    const struct transport_target *target = &session->base.target;
    struct arena *memory = session->base.memory;

    return target->is_operators ||
           (openssh_file_write(session->paths.config,
                               openssh_config(memory, target, &session->paths), err) &&
            openssh_file_write(session->paths.key, secret_reveal(target->key), err) &&
            (target->certificate.length == 0 ||
             openssh_file_write(session->paths.certificate,
                                arena_printf(memory, "%.*s\n", TEXT_ARG(target->certificate)),
                                err)) &&
            openssh_file_write(session->paths.known_hosts, openssh_known_hosts(memory, target),
                               err));
}

/* ---- children ---- */

struct arguments {
    const char *words[ARGUMENTS_MAX];
    size_t count;
};

static void openssh_argument_add(struct arguments *arguments, const char *word)
{
    assert(arguments->count + 1 < ARGUMENTS_MAX);
    arguments->words[arguments->count++] = word;
}

static void option_add(struct arguments *arguments, const char *option)
{
    openssh_argument_add(arguments, "-o");
    openssh_argument_add(arguments, option);
}

/* Adds the common arguments of all `ssh` processes of a session. The operator's settings apply,
 * except those that would change how the driver uses the process. */
static void arguments_begin(struct arguments *arguments, struct arena *arena,
                            const struct openssh_session *session)
{
    const struct transport_target *target = &session->base.target;

    *arguments = (struct arguments){ .count = 0 };
    openssh_argument_add(arguments, "ssh");
    if (target->is_operators) {
        option_add(arguments, arena_printf(arena, "ControlPath=%s", session->paths.socket).data);
        if (target->user.length > 0) {
            openssh_argument_add(arguments, "-l");
            openssh_argument_add(arguments, target->user.data);
        }
        if (target->port != 0) {
            openssh_argument_add(arguments, "-p");
            openssh_argument_add(arguments, arena_printf(arena, "%u", target->port).data);
        }
    } else {
        openssh_argument_add(arguments, "-F");
        openssh_argument_add(arguments, session->paths.config);
    }
    openssh_argument_add(arguments, "-T");
    option_add(arguments, "BatchMode=yes");
    option_add(arguments, "ControlPersist=no");
    option_add(arguments, "EscapeChar=none");
}

MUST_CHECK static bool client_start(struct client *client, struct arguments *arguments,
                                    child_fed_fn *fed, child_output_fn *output, child_done *done,
                                    struct err *err)
{
    struct child_options options = {
        .path = CLIENT,
        .argv = arguments->words,
        .fed = fed,
        .deadline_ms = UINT64_MAX / 2,
        .grace_ms = LIMIT_SESSION_GRACE_MS,
        .output = output,
        .done = done,
        .arg = client,
        .is_session = true,
        .is_killed_with_parent = true,
    };

    arguments->words[arguments->count] = NULL;
    if (!child_start(client->self->base.loop, &options, &client->child, err)) {
        rows_free(client);
        return false;
    }
    client->self->children++;
    return true;
}

static struct client *client_new(struct openssh *self)
{
    struct client *client = rows_resize(NULL, sizeof(*client));
    unsigned char bytes[OPENSSH_MARK_BYTES / 2];

    *client = (struct client){ .self = self };
    random_fill(self->random, bytes, sizeof(bytes));
    text_format_hex(bytes, sizeof(bytes), client->mark);
    return client;
}

static void client_free(struct client *client)
{
    client->self->children--;
    rows_free(client);
}

/* ---- the master ---- */

static void openssh_opened(struct openssh_session *session)
{
    struct text host_key = session->base.target.host_keys;
    bool is_first = !session->base.target.is_operators && host_key.length == 0 &&
                    session->base.target.authority.length == 0;
    struct text known;
    struct err err;

    if (is_first && file_read(session->base.memory, session->paths.known_hosts,
                              LIMIT_SESSION_KEYS_BYTES, &known, &err)) {
        host_key = openssh_first_key(known);
    } else if (text_find_byte(host_key, '\n') != SIZE_MAX) {
        host_key = TEXT(""); /* the client does not report which host key matched */
    }
    keys_remove(session);
    session_opened(&session->base, host_key, is_first);
}

static void master_wrote(void *arg, enum child_stream stream, struct text piece)
{
    struct client *client = arg;
    struct openssh_session *session = client->session;

    if (session == NULL || session->base.state != SESSION_OPENING) {
        return;
    }
    if (stream == CHILD_OUT) {
        if (text_has_suffix(piece, TEXT(OPENED))) {
            openssh_opened(session);
        }
    } else if (session->heard.length + piece.length <= LIMIT_SESSION_KEYS_BYTES) {
        buf_add(&session->heard, piece);
    }
}

static void master_ended(void *arg, const struct child_end *end)
{
    struct client *client = arg;
    struct openssh_session *session = client->session;

    (void)end;
    if (session != NULL) {
        struct text heard = text_trim(buf_text(&session->heard));
        bool was_open = session->base.state == SESSION_OPEN;

        session->master = NULL;
        session_failed(
            &session->base, was_open ? TRANSPORT_FAULT_CUT : openssh_fault(heard), TEXT(""), "%.*s",
            TEXT_ARG(was_open || heard.length == 0 ? TEXT("the connection ended") : heard));
    }
    client_free(client);
}

MUST_CHECK static bool master_start(struct openssh_session *session, struct err *err)
{
    struct arena *memory = session->base.memory;
    struct client *client = client_new(openssh_self_of(&session->base));
    struct arguments arguments;

    arguments_begin(&arguments, memory, session);
    option_add(&arguments, "ControlMaster=yes");
    option_add(&arguments, "PermitLocalCommand=yes");
    option_add(&arguments, "LocalCommand=echo reeve-session-open");
    openssh_argument_add(&arguments, "-N");
    openssh_argument_add(&arguments, "--");
    openssh_argument_add(&arguments, session->base.target.address.data);
    client->session = session;
    if (!client_start(client, &arguments, NULL, master_wrote, master_ended, err)) {
        return false;
    }
    session->master = client;
    return true;
}

static void openssh_driver_begin(struct transport_session *base)
{
    struct openssh_session *session = (struct openssh_session *)base;
    struct err err;

    buf_init(&session->heard, base->memory);
    openssh_paths_make(session);
    if (!openssh_files_write(session, &err) || !master_start(session, &err)) {
        session_failed(base, TRANSPORT_FAULT_PROCESS, TEXT(""), "%s", err.text);
    }
}

/* Detaches the master process, which ends by itself, and drops the session. */
static void openssh_driver_end(struct transport_session *base)
{
    struct openssh_session *session = (struct openssh_session *)base;

    if (session->master != NULL) {
        session->master->session = NULL;
        child_stop(session->master->child);
        session->master = NULL;
    }
    if (session->paths.config != NULL) {
        openssh_files_remove(session);
    }
}

/* ---- commands ---- */

/* Handles standard error. Its last bytes may be the end marker, so they are held back until more
 * bytes arrive. */
static void error_take(struct client *client, struct text piece)
{
    char bytes[OPENSSH_END_BYTES * 2];
    size_t kept = client->held_length;

    if (piece.length >= OPENSSH_END_BYTES) {
        size_t more = piece.length - OPENSSH_END_BYTES;

        call_output(&client->call->base, TRANSPORT_ERROR, (struct text){ client->held, kept });
        if (client->call != NULL && more > 0) {
            call_output(&client->call->base, TRANSPORT_ERROR, text_slice(piece, 0, more));
        }
        memcpy(client->held, piece.data + more, OPENSSH_END_BYTES);
        client->held_length = OPENSSH_END_BYTES;
        return;
    }
    memcpy(bytes, client->held, kept);
    memcpy(bytes + kept, piece.data, piece.length);
    kept += piece.length;
    if (kept > OPENSSH_END_BYTES) {
        size_t more = kept - OPENSSH_END_BYTES;

        call_output(&client->call->base, TRANSPORT_ERROR, (struct text){ bytes, more });
        kept = OPENSSH_END_BYTES;
        memcpy(client->held, bytes + more, kept);
    } else {
        memcpy(client->held, bytes, kept);
    }
    client->held_length = kept;
}

static void command_wrote(void *arg, enum child_stream stream, struct text piece)
{
    struct client *client = arg;

    if (client->call == NULL) {
        return;
    }
    if (stream == CHILD_OUT) {
        call_output(&client->call->base, TRANSPORT_OUT, piece);
    } else {
        error_take(client, piece);
    }
}

static void openssh_command_ended(void *arg, const struct child_end *end)
{
    struct client *client = arg;
    struct text held = { client->held, client->held_length };
    struct openssh_call *call = client->call;
    int code = 0;
    size_t before = openssh_end(held, text_from(client->mark), &code);

    (void)end;
    if (call != NULL) {
        call->client = NULL;
        if (before != SIZE_MAX) {
            call_output(&call->base, TRANSPORT_ERROR, text_slice(held, 0, before));
            call_ended(&call->base, code, TEXT(""));
        } else {
            call_failed(&call->base, OUTCOME_UNKNOWN, TRANSPORT_FAULT_CUT,
                        "the connection ended before the command did");
        }
    }
    client_free(client);
}

/* Called when all given input was written to the pipe. */
static void input_gone(void *arg)
{
    const struct client *client = arg;

    if (client->call == NULL || !call_want(&client->call->base)) {
        child_feed(client->child, TEXT(""));
    }
}

static void openssh_driver_give(struct transport_call *base, struct text piece)
{
    const struct openssh_call *call = (const struct openssh_call *)base;

    if (call->client != NULL) {
        child_feed(call->client->child, piece);
    }
}

static void openssh_driver_call(struct transport_call *base)
{
    struct openssh_call *call = (struct openssh_call *)base;
    const struct openssh_session *session = (const struct openssh_session *)base->session;
    struct client *client = client_new(openssh_self_of(base->session));
    struct arguments arguments;
    struct err err;

    arguments_begin(&arguments, base->memory, session);
    option_add(&arguments, "ControlMaster=no");
    option_add(&arguments, "ProxyCommand=false");
    openssh_argument_add(&arguments, "--");
    openssh_argument_add(&arguments, session->base.target.address.data);
    openssh_argument_add(
        &arguments, openssh_command(base->memory, base->command, text_from(client->mark)).data);
    client->call = call;
    base->is_sent = true;
    if (!client_start(client, &arguments, base->input_left > 0 ? input_gone : NULL, command_wrote,
                      openssh_command_ended, &err)) {
        call_failed(base, OUTCOME_REFUSED, TRANSPORT_FAULT_PROCESS, "%s", err.text);
        return;
    }
    call->client = client;
}

static void openssh_driver_drop(struct transport_call *base)
{
    struct openssh_call *call = (struct openssh_call *)base;

    if (call->client != NULL) {
        call->client->call = NULL;
        child_stop(call->client->child);
        child_resume(call->client->child);
        call->client = NULL;
    }
}

static void openssh_driver_flow(struct transport_call *base)
{
    const struct openssh_call *call = (const struct openssh_call *)base;

    if (call->client != NULL && base->is_paused) {
        child_pause(call->client->child);
    } else if (call->client != NULL) {
        child_resume(call->client->child);
    }
}

/* ---- opening and closing ---- */

/* Waits for processes that are ending, and frees the driver. */
static void openssh_driver_free(struct transport *transport)
{
    struct openssh *self = (struct openssh *)transport;

    while (self->children > 0) {
        loop_run_once(transport->loop, LIMIT_SESSION_GRACE_MS);
    }
    transport_fini(transport);
    arena_free(self->memory);
    rows_free(self);
}

/* Rejects a folder whose path would need quotes in configuration files. */
MUST_CHECK static bool folder_check(const char *folder, struct err *err)
{
    struct sockaddr_un address;
    size_t most = sizeof(address.sun_path) - SOCKET_SLACK_BYTES - NUMBER_BYTES - 1;
    AUTO(fd) opened_folder = FD_NONE;

    assert(folder != NULL);
    if (folder[0] != '/' || strlen(folder) > most || strpbrk(folder, "%\" \\\n") != NULL) {
        return err_set(err, CODE_R0702, "%s: its path is not absolute, too long or not plain",
                       folder);
    }
    return folder_open(folder, &opened_folder, err) &&
           folder_check_owner(opened_folder, folder, err);
}

bool openssh_new(struct loop *loop, const char *folder, struct transport **out, struct err *err)
{
    static const struct transport_driver driver = {
        .name = "the OpenSSH client",
        .session_bytes = sizeof(struct openssh_session),
        .call_bytes = sizeof(struct openssh_call),
        .begin = openssh_driver_begin,
        .end = openssh_driver_end,
        .call = openssh_driver_call,
        .drop = openssh_driver_drop,
        .flow = openssh_driver_flow,
        .give = openssh_driver_give,
        .free = openssh_driver_free,
    };
    struct openssh *self;
    struct arena *memory;

    if (!folder_check(folder, err)) {
        return false;
    }
    memory = arena_new_small(SIZE_MAX);
    self = rows_resize(NULL, sizeof(*self));
    *self = (struct openssh){
        .base = { .driver = &driver, .traits = { .has_authorities = true, .has_sntrup761 = true } },
        .folder = arena_string(memory, text_from(folder)),
        .memory = memory,
        .random = random_system(),
    };
    if (!transport_init(&self->base, loop, err)) {
        openssh_driver_free(&self->base);
        return false;
    }
    *out = &self->base;
    return true;
}
