#include "access/reach.h"

#include "base/limits.h"
#include "session_pool/processes.h"

enum { SSH_PORT = 22 };

struct reach {
    struct reach_options options;
    struct session_processes *processes;
    struct session_pool *session_pool;
    size_t alive;     /* number of running processes */
    bool is_reported; /* the failure to open the pool was already logged */
    bool is_closed;
    size_t key_length;
    char key[LIMIT_SECRET_BYTES]; /* key of the last target for which a secret is used */
};

struct reach *reach_new(const struct reach_options *options)
{
    struct reach *reach = rows_resize(NULL, sizeof(*reach));

    *reach = (struct reach){ .options = *options };
    return reach;
}

/* Returns the target for the operator's own OpenSSH settings. With them, reeve manages neither
 * logins nor keys. */
static struct transport_target operators_target(const struct control_way *way)
{
    return (struct transport_target){
        .address = way->address, .port = way->port, .user = way->user, .is_operators = true
    };
}

/* Returns the name of the secret with the login key for a machine: that of its group, otherwise
 * that of the machine. Empty if there is none. */
static struct text secret_find(const struct reach *reach, struct arena *arena,
                               const struct control_way *way)
{
    return way->key_secret.length > 0 || reach->options.machine_secret == NULL
               ? way->key_secret
               : reach->options.machine_secret(reach->options.machine_arg, arena, way);
}

/* Chooses key and certificate. If there is a secret, reeve logs in with the key of the secret only,
 * so the machine need not trust the cluster's authority. */
static enum reach_answer login_find(struct reach *reach, struct arena *arena,
                                    const struct control_way *way, struct authorities_login *out,
                                    struct err *err)
{
    struct text secret = secret_find(reach, arena, way);
    struct text tenant = text_slice(way->cluster, 0, text_find_byte(way->cluster, '/'));
    enum authorities_answer word;

    if (secret.length > 0) {
        secret_wipe(reach->key, reach->key_length);
        if (!reach->options.keys.reveal(reach->options.keys.arg, tenant, secret, reach->key,
                                        &reach->key_length, err)) {
            reach->key_length = 0;
            return REACH_CANNOT;
        }
        *out = (struct authorities_login){
            .key = secret_from((struct text){ reach->key, reach->key_length }),
        };
        return REACH_READY;
    }
    word = authorities_login(reach->options.authorities, way->cluster, out, err);
    return word == AUTHORITIES_READY     ? REACH_READY
           : word == AUTHORITIES_WAITING ? REACH_WAITING
                                         : REACH_REFUSED;
}

enum reach_answer reach_target(struct reach *reach, struct arena *arena,
                               const struct control_way *way, struct transport_target *out,
                               struct err *err)
{
    struct authorities_login login;
    enum reach_answer word;

    if (way->address.length == 0) {
        err_set(err, CODE_R0712, "%.*s has no address", TEXT_ARG(way->name));
        return REACH_CANNOT;
    }
    if (way->is_operators) {
        *out = operators_target(way);
        return REACH_READY;
    }
    if (way->is_key_awaited) {
        err_set(err, CODE_R0711, "the provider has not reported the host key of %.*s yet",
                TEXT_ARG(way->name));
        return REACH_CANNOT;
    }
    if (way->host_key.length == 0 && !way->is_first_key_accepted) {
        err_set(err, CODE_R0711, "the host key of %.*s is not known", TEXT_ARG(way->name));
        err_hint(err, "ssh: {firstUse: true} accepts the first key that the machine shows");
        return REACH_CANNOT;
    }
    word = login_find(reach, arena, way, &login, err);
    if (word != REACH_READY) {
        return word;
    }
    *out = (struct transport_target){
        .address = arena_text(arena, way->address),
        .port = way->port == 0 ? SSH_PORT : way->port,
        .user = way->user.length == 0 ? TEXT("root") : arena_text(arena, way->user),
        .key = login.key,
        .certificate = login.certificate,
        .host_keys = arena_text(arena, way->host_key),
        .is_first_key_accepted = way->host_key.length == 0,
    };
    return REACH_READY;
}

MUST_CHECK static bool pool_open(struct reach *reach, struct err *err)
{
    struct session_pool_processes_options processes = {
        .loop = reach->options.loop,
        .log = reach->options.log,
        .program = reach->options.program,
        .folder = reach->options.folder,
        .alive = &reach->alive,
    };
    struct session_pool_options options = {
        .loop = reach->options.loop,
        .log = reach->options.log,
        .random = reach->options.random,
        .limits = session_pool_limits_usual(),
    };

    /* the pause is short, so that the probe that runs every ten seconds soon notices a machine that
     * is available again */
    options.limits.pause_max_ms = LIMIT_REACH_PAUSE_MS;
    if (!session_pool_processes_open(&processes, &reach->processes, err)) {
        reach->processes = NULL;
        return false;
    }
    options.maker = session_pool_processes_maker(reach->processes);
    if (!session_pool_open(&options, &reach->session_pool, err)) {
        session_pool_processes_close(reach->processes);
        reach->processes = NULL;
        reach->session_pool = NULL;
        return false;
    }
    return true;
}

struct session_pool *reach_session_pool(struct reach *reach)
{
    struct err err;

    if (reach->session_pool == NULL && !reach->is_closed && !pool_open(reach, &err) &&
        !reach->is_reported) {
        reach->is_reported = true;
        log_error(
            reach->options.log, "session", "none", log_string("reason", err.text),
            log_string(
                "means",
                "this manager cannot log in to machines of the cluster; everything else works"));
    }
    return reach->session_pool;
}

void reach_close(struct reach *reach)
{
    if (reach != NULL && !reach->is_closed) {
        reach->is_closed = true;
        session_pool_close(reach->session_pool);
        reach->session_pool = NULL;
        session_pool_processes_close(reach->processes);
        reach->processes = NULL;
    }
}

bool reach_is_over(const struct reach *reach)
{
    return reach == NULL || reach->alive == 0;
}

void reach_free(struct reach *reach)
{
    if (reach != NULL) {
        reach_close(reach);
        secret_wipe(reach->key, reach->key_length);
        rows_free(reach);
    }
}
