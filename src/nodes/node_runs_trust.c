#include "base/limits.h"
#include "base/macros.h"
#include "nodes/node_runs_parts.h"
#include "remote/trust.h"
#include "ssh/cert.h"
#include "ssh/krl.h"
#include "state/revoked.h"

/* Sets up the trusted keys of a node. Certificates are signed for the keys of the node; then the
 * node gets the public keys of the authorities. With classic trust it gets the keys of all
 * members. */

static struct text principal_of(struct arena *arena, struct text cluster)
{
    return arena_printf(arena, "cluster:%.*s", TEXT_ARG(cluster));
}

/* Returns an empty revocation list. It is needed because sshd rejects every key if the list is
 * missing. */
static struct text nothing_revoked(struct arena *arena)
{
    return ssh_krl_format(arena, &(struct ssh_krl){ .version = 1, .comment = TEXT("reeve") });
}

static void trust_write(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text principals[] = { principal_of(arena, run->way.cluster) };
    struct authorities_keys keys;
    struct text files;
    struct text list;
    struct trust trust;
    struct err err;

    switch (authorities_list(run->nodes->options.authorities, run->way.cluster, &list, &err)) {
    case AUTHORITIES_READY:
        break;
    case AUTHORITIES_WAITING:
        return;
    case AUTHORITIES_REFUSED:
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    if (!authorities_keys(run->nodes->options.authorities, run->way.cluster, arena, &keys)) {
        node_run_over(run, NODES_END_REFUSED,
                      TEXT("the SSH authority of the cluster no longer exists"));
        return;
    }
    trust = (struct trust){
        .user_authorities = keys.users,
        .user_authority_count = keys.user_count,
        .principals = principals,
        .principal_count = run->is_apart ? 0 : ARRAY_COUNT(principals),
        .revoked = list.length > 0 ? list : nothing_revoked(arena),
        .host_authorities = keys.hosts,
        .host_authority_count = keys.host_count,
        .user = run->is_apart ? TEXT("") : run->way.user,
        .lines = keys.line,
        .mark = arena_printf(arena, "cert-authority,principals=\"%.*s\" ", TEXT_ARG(principals[0])),
        .host_certificate = run->certs[0],
        .root_certificate = run->certs[1],
        .user_certificate = run->certs[2],
    };
    if (!trust_format(arena, &trust, &files, &err)) {
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->step = RUN_TRUSTS;
    run->files = blob_new(files);
    node_trust(run->job, run->files, TEXT(""));
    blob_free(run->files); /* the job holds a reference */
    run->files = NULL;
}

static void cert_reported(void *arg, enum outcome outcome, const struct sign_reply *reported,
                          const struct err *err)
{
    struct nodes_run *run = arg;

    run->is_signing = false;
    if (run->is_dropped) {
        node_run_unlink(run);
        arena_free(run->memory);
        return;
    }
    if (outcome != OUTCOME_OK) {
        node_run_over(run, NODES_END_REFUSED, text_from(err->text));
        return;
    }
    for (size_t i = 0; i < NODE_RUNS_CERTS; i++) {
        if (run->certs[i].length == 0) {
            run->certs[i] = arena_text(run->memory, text_trim(reported->certificate));
            break;
        }
    }
    if (reported->before_s > 0) {
        uint64_t now_s = (uint64_t)clock_wall_ms(run->nodes->options.clock) / 1000;
        uint64_t half_ms = reported->before_s > now_s ? (reported->before_s - now_s) * 500 : 1;

        half_ms /= run->nodes->options.time_scale;
        run->renew_ms = run->renew_ms == 0 || half_ms < run->renew_ms ? half_ms : run->renew_ms;
    }
    node_run_later(run);
}

/* Signs the next missing certificate: for the host key, for root's key, and for the user's key if
 * the user is not root. */
void node_run_sign(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct text keys[NODE_RUNS_CERTS] = { run->keys.host, run->keys.root, run->keys.user };
    struct text names[] = { run->way.name, run->way.address };
    struct text users[] = { principal_of(arena, run->way.cluster) };
    size_t at = 0;
    struct sign_ask ask = { .method = SIGN_CERTIFY,
                            .who = TEXT("reeved"),
                            .name = revoked_id(arena, run->way.name, run->way.token) };
    struct err err;

    while (at < NODE_RUNS_CERTS && (run->certs[at].length > 0 || keys[at].length == 0)) {
        at++;
    }
    if (at == NODE_RUNS_CERTS || (at > 0 && run->is_apart) || run->keeps) {
        trust_write(run);
        return;
    }
    ask.key = keys[at];
    ask.kind = at == 0 ? SSH_CERT_HOST : SSH_CERT_USER;
    ask.ttl_s = at == 0 ? 0 : run->cert_ms / 1000;
    ask.principals = at == 0 ? (struct wire_list){ names, ARRAY_COUNT(names) }
                             : (struct wire_list){ users, ARRAY_COUNT(users) };
    switch (authorities_ask(run->nodes->options.authorities, run->way.cluster, &ask, cert_reported,
                            run, &err)) {
    case AUTHORITIES_READY:
        run->is_signing = true;
        break;
    case AUTHORITIES_WAITING:
        break;
    case AUTHORITIES_REFUSED:
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        break;
    }
}

void node_runs_trust_classic(struct nodes_run *run, const struct nodes_trust *trust)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text *keys = arena_array(arena, struct text, 2 * trust->count + 1);
    struct text *hosts = arena_array(arena, struct text, trust->count + 1);
    size_t key_count = 0;
    struct text files;
    struct err err;

    for (size_t i = 0; i < trust->count; i++) {
        const struct nodes_keys *one = &trust->keys[i];

        hosts[i] = arena_printf(arena, "%.*s %.*s", TEXT_ARG(one->name), TEXT_ARG(one->host));
        if (!trust->is_apart) {
            keys[key_count++] =
                arena_printf(arena, "%.*s %.*s", TEXT_ARG(one->root), TEXT_ARG(one->name));
        }
        if (!trust->is_apart && one->user.length > 0) {
            keys[key_count++] =
                arena_printf(arena, "%.*s %.*s", TEXT_ARG(one->user), TEXT_ARG(one->name));
        }
    }
    if (!trust_classic(arena, keys, key_count, hosts, trust->count, &files, &err)) {
        node_run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->files = blob_new(files);
    run->step = RUN_TRUSTS;
    node_run_later(run);
}
