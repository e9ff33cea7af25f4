#include "daemon/keep_nodes.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "daemon/keep_logs.h"
#include "engine/revoked.h"
#include "remote/facts.h"
#include "remote/node.h"
#include "remote/trust.h"
#include "ssh/cert.h"
#include "ssh/krl.h"
#include "sys/digest.h"

#include <assert.h>
#include <stdio.h>

enum run_step {
    RUN_BEGINS,  /* it wants a session */
    RUN_RENEWS,  /* it has keys that were taken back, and begins anew to make others */
    RUN_GOES,    /* its machine goes on, or waits at a point */
    RUN_SIGNS,   /* at its keys: its certificates are signed, one after the other */
    RUN_TRUSTS,  /* it installs what it is to trust */
    RUN_WRITES,  /* it writes the facts of all */
    RUN_IS_OVER, /* its end is told in the next turn */
};

enum { CERTS = 3, WAIT_MS = 100 };

/* One run. `loop_task` is what makes it go on in a turn of its own: who is told never stands in his own call. */
struct nodes_run {
    struct keep_nodes *nodes;
    struct nodes_run *next;
    struct nodes_run **link;
    struct arena *home;
    struct loop_task *task;
    struct node_job *job;
    struct control_way way;
    struct text group;
    struct text owner;
    unsigned with;
    struct node_stage *stages;
    size_t stage_count;
    struct text wish;
    bool is_wish_of_all;
    uint64_t wish_from;
    nodes_told_fn *told;
    void *arg;
    enum run_step step;
    bool is_signing;  /* the signer has a question of it */
    bool has_renewed; /* it was told to make other keys */
    bool is_dropped;  /* only the signer's answer is still to come */
    bool is_apart;    /* nobody's root is let in */
    bool keeps;       /* its certificates stay as they are */
    struct text
        stale[CERTS - 1];     /* keys of root and user that were taken back, and are to give way */
    uint64_t cert_ms;         /* life of certificates of users */
    size_t told_stage;        /* from 1; 0: none */
    struct nodes_keys keys;   /* its own, at its point */
    struct text certs[CERTS]; /* of host, root, user */
    uint64_t renew_ms;
    struct text files;       /* for node_trust */
    struct node_facts facts; /* for node_distribute */
    struct nodes_told last;  /* of its end: stage, attempt and code */
    enum nodes_end end;      /* that is told */
    struct text why;
};

struct keep_nodes {
    struct keep_nodes_options options;
    struct nodes_port port;
    struct nodes_run *runs;
    struct node_facts facts; /* that were given last: the next member of a cluster gets the same */
    bool is_told;            /* that output was lost */
};

static void run_turn(void *arg);

/* ---- telling ---- */

static void run_unlink(struct nodes_run *run)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
}

static void facts_drop(struct node_facts *facts)
{
    if (facts->bytes != NULL) {
        blob_free(facts->bytes);
    }
    *facts = (struct node_facts){ 0 };
}

static void run_release(struct nodes_run *run)
{
    facts_drop(&run->facts);
    node_free(run->job);
    run->job = NULL;
    if (run->task != NULL) {
        loop_task_cancel(run->task);
        run->task = NULL;
    }
}

static void run_free(struct nodes_run *run)
{
    run_release(run);
    run_unlink(run);
    arena_free(run->home);
}

/* In the next turn. */
static void run_later(struct nodes_run *run)
{
    struct err err;

    if (run->task == NULL &&
        !loop_task_open(run->nodes->options.loop, run_turn, run, &run->task, &err)) {
        run->task = NULL; /* no room: whoever waits for it is told by the next that moves */
    }
}

static void run_over(struct nodes_run *run, enum nodes_end end, struct text why)
{
    run->step = RUN_IS_OVER;
    run->end = end;
    run->why = arena_text(run->home, why);
    run_later(run);
}

static void tell(struct nodes_run *run, struct nodes_told told)
{
    run->told(run->arg, &told);
    run->nodes->options.wake(run->nodes->options.arg);
}

/* ---- what its machine tells ---- */

static enum nodes_end end_of(enum node_end end)
{
    switch (end) {
    case NODE_END_DONE:
        return NODES_END_DONE;
    case NODE_END_CONTINUED:
        return NODES_END_CONTINUED;
    case NODE_END_FAILED:
        return NODES_END_FAILED;
    case NODE_END_TIMEOUT:
        return NODES_END_TIMEOUT;
    case NODE_END_INTERRUPTED:
        return NODES_END_INTERRUPTED;
    case NODE_END_UNREACHABLE:
        return NODES_END_UNREACHABLE;
    case NODE_END_CANCELLED:
        return NODES_END_CANCELLED;
    case NODE_END_HOST_KEY:
    case NODE_END_USER_KEY:
    case NODE_END_NO_ROOT:
    case NODE_END_NO_SPACE:
    case NODE_END_REFUSED:
    case NODE_END_COUNT:
        break;
    }
    return NODES_END_REFUSED;
}

/* Its machine is past what it was told at a point: then it is there. */
static void passed_tell(struct nodes_run *run)
{
    if (run->step == RUN_TRUSTS) {
        run->step = RUN_GOES;
        tell(run, (struct nodes_told){ .kind = NODES_TOLD_TRUSTED, .renew_ms = run->renew_ms });
    } else if (run->step == RUN_WRITES) {
        run->step = RUN_GOES;
        tell(run, (struct nodes_told){ .kind = NODES_TOLD_GIVEN });
    }
}

/* The second word of a line. */
static struct text key_body(struct text line)
{
    struct text rest = text_slice(line, text_find_byte(line, ' ') + 1, SIZE_MAX);

    return text_slice(rest, 0, text_find_byte(rest, ' '));
}

/* Keys that were taken back with a machine may be there again: a machine that was let go and is taken once more, or an image that
 * brings them. They get no certificate: other ones are made. */
static bool keys_are_stale(struct nodes_run *run)
{
    const struct text keys[] = { run->keys.root, run->keys.user };
    bool is_any = false;

    for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
        run->stale[i] =
            authorities_is_taken(run->nodes->options.authorities, run->way.cluster, keys[i])
                ? key_body(keys[i])
                : TEXT("");
        is_any = is_any || run->stale[i].length > 0;
    }
    return is_any;
}

static void keys_tell(struct nodes_run *run, const struct node_event *event)
{
    run->keys = (struct nodes_keys){ .host = arena_text(run->home, event->keys.host),
                                     .root = arena_text(run->home, event->keys.root),
                                     .user = arena_text(run->home, event->keys.user) };
    if (keys_are_stale(run)) {
        if (run->has_renewed) {
            run_over(run, NODES_END_REFUSED,
                     TEXT("its keys were taken back, and it has made no other ones"));
            return;
        }
        run->has_renewed = true;
        run->step = RUN_RENEWS;
        run_later(run);
        return;
    }
    tell(run, (struct nodes_told){ .kind = NODES_TOLD_KEYS, .keys = run->keys });
}

static void facts_tell(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct facts_known known = { .name = run->way.name,
                                 .main_user =
                                     run->way.user.length == 0 ? TEXT("root") : run->way.user,
                                 .owner = run->owner,
                                 .address = run->way.address };
    struct doc doc;
    struct buf buf;
    struct err err;

    if (!facts_read(arena, event->facts, &known, &doc, &err)) {
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    tell(run, (struct nodes_told){ .kind = NODES_TOLD_FACTS, .facts = buf_text(&buf) });
}

/* Lines that came to another run, or to another manager of this folder, were not seen by this one. */
static struct text why_of(struct nodes_run *run, struct arena *arena,
                          const struct node_event *event)
{
    const struct node_stage *stage = &run->stages[event->stage];
    struct logs_key key = { run->way.token, (uint32_t)event->stage, event->attempt };

    return event->end == NODE_END_DONE || stage->seen_bytes == 0 ||
                   stage->seen_attempt != event->attempt || run->nodes->options.logs == NULL
               ? event->line
               : logs_why(run->nodes->options.logs, arena, &key);
}

static void stage_tell(struct nodes_run *run, const struct node_event *event,
                       enum nodes_told_kind kind)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    tell(run, (struct nodes_told){ .kind = kind,
                                   .stage = event->stage,
                                   .attempt = event->attempt,
                                   .code = event->code,
                                   .end = end_of(event->end),
                                   .why = kind == NODES_TOLD_STAGED ? why_of(run, arena, event)
                                                                    : event->line });
}

/* Keep what its end says until its machine may be freed. */
static void end_take(struct nodes_run *run, const struct node_event *event)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text why = event->why;
    bool is_of_stage = event->end == NODE_END_FAILED || event->end == NODE_END_TIMEOUT ||
                       event->end == NODE_END_INTERRUPTED || event->end == NODE_END_CONTINUED;

    if (event->end == NODE_END_DONE || is_of_stage) {
        passed_tell(run);
    }
    run->last = (struct nodes_told){ .stage = event->stage,
                                     .attempt = event->attempt,
                                     .code = event->code };
    if (is_of_stage) {
        struct text line = why_of(run, arena, event);

        why = line.length > 0 ? line : why;
    }
    run_over(run, end_of(event->end), why);
}

/* A step may begin several times: a stage is told of once. */
static void step_tell(struct nodes_run *run, const struct node_event *event)
{
    if (event->step > (run->step == RUN_TRUSTS ? NODE_STEP_TRUST : NODE_STEP_DISTRIBUTE)) {
        passed_tell(run);
    }
    if (event->step == NODE_STEP_STAGE && event->stage + 1 != run->told_stage) {
        run->told_stage = event->stage + 1;
        stage_tell(run, event, NODES_TOLD_STAGE);
    }
}

/* What cannot be kept is lost to whoever looks later, and to nobody else. */
static void line_keep(struct nodes_run *run, const struct node_event *event)
{
    struct logs_key key = { run->way.token, (uint32_t)event->stage, event->attempt };
    struct logs_line line = { event->wall_ms, event->line_end, event->line };
    struct err err;

    if (run->nodes->options.logs != NULL &&
        !logs_add(run->nodes->options.logs, &key, &line, NULL, 0, &err) && !run->nodes->is_told) {
        run->nodes->is_told = true;
        log_error(run->nodes->options.log, "logs", "lost", log_string("reason", err.text));
    }
}

static void node_told_event(void *arg, const struct node_event *event)
{
    struct nodes_run *run = arg;

    switch (event->kind) {
    case NODE_EVENT_STEP:
        step_tell(run, event);
        break;
    case NODE_EVENT_POINT:
        if (event->point == NODE_POINT_KEYS) {
            keys_tell(run, event);
        } else {
            passed_tell(run);
            facts_tell(run, event);
        }
        break;
    case NODE_EVENT_STAGE:
        stage_tell(run, event, NODES_TOLD_STAGED);
        break;
    case NODE_EVENT_HOST_KEY:
        tell(run, (struct nodes_told){ .kind = NODES_TOLD_HOST_KEY, .host_key = event->host_key });
        break;
    case NODE_EVENT_END:
        end_take(run, event);
        break;
    case NODE_EVENT_LINE:
        line_keep(run, event);
        break;
    case NODE_EVENT_SAME:
    case NODE_EVENT_RETRY:
        break;
    }
}

/* ---- beginning ---- */

/* Output that is kept already is not asked for again. */
static void seen_have(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct logs *logs = run->nodes->options.logs;
    struct logs_key *keys;
    size_t count;
    struct err err;

    if (logs == NULL || !logs_list(logs, arena, run->way.token, &keys, &count, &err)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct node_stage *stage =
            keys[i].stage < run->stage_count ? &run->stages[keys[i].stage] : NULL;

        if (stage != NULL && keys[i].attempt > stage->seen_attempt) {
            stage->seen_attempt = keys[i].attempt;
            stage->seen_bytes = logs_seen(logs, &keys[i]);
        }
    }
}

/* Bytes of a bundle that is not here: a node that has it already runs it all the same. */
static void bundles_have(struct nodes_run *run)
{
    for (size_t i = 0; i < run->stage_count; i++) {
        struct err err;

        if (run->nodes->options.depot == NULL ||
            !depot_check(run->nodes->options.depot, run->stages[i].digest, &run->stages[i].bytes,
                         &err)) {
            run->stages[i].bytes = 0;
        }
    }
}

static bool bundle_piece(void *arg, struct text digest, uint64_t offset, char *out, size_t length)
{
    const struct nodes_run *run = arg;
    struct depot *depot = run->nodes->options.depot;
    struct err err;

    return depot != NULL && depot_read(depot, digest, offset, out, length, &err);
}

static void run_begin(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct keep_nodes_options *options = &run->nodes->options;
    struct hands *hands = reach_hands(options->reach);
    struct node_options job = {
        .hands = hands,
        .loop = options->loop,
        .clock = options->clock,
        .name = run->way.token,
        .zone = run->way.zone,
        .with = run->with,
        .stages = run->stages,
        .stage_count = run->stage_count,
        .wish = run->wish,
        .stale_keys = { run->stale[0], run->stale[1] },
        .wish_failed = !run->is_wish_of_all,
        .wish_from = run->wish_from,
        .read_bundle = bundle_piece,
        .read_arg = run,
        .told = node_told_event,
        .arg = run,
    };
    struct err err;

    if (hands == NULL) {
        run_over(run, NODES_END_REFUSED, TEXT("this manager has no hands to log in with"));
        return;
    }
    switch (reach_target(options->reach, arena, &run->way, &job.target, &err)) {
    case REACH_READY:
        break;
    case REACH_WAITING:
        return;
    case REACH_REFUSED:
    case REACH_CANNOT:
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    bundles_have(run);
    seen_have(run);
    if (!node_begin(&job, &run->job, &err)) {
        run->job = NULL;
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->step = RUN_GOES;
}

/* ---- what it is to trust ---- */

static struct text principal_of(struct arena *arena, struct text cluster)
{
    return arena_printf(arena, "cluster:%.*s", TEXT_ARG(cluster));
}

/* The list of nothing: sshd without a list refuses every key. */
static struct text nothing_revoked(struct arena *arena)
{
    return ssh_krl_format(arena, &(struct ssh_krl){ .version = 1, .comment = TEXT("reeve") });
}

static void trust_write(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text principals[] = { principal_of(arena, run->way.cluster) };
    struct text hosts[] = { TEXT("*") };
    struct authorities_keys keys;
    struct text list;
    struct trust trust;
    struct err err;

    switch (authorities_list(run->nodes->options.authorities, run->way.cluster, &list, &err)) {
    case AUTHORITIES_READY:
        break;
    case AUTHORITIES_WAITING:
        return;
    case AUTHORITIES_REFUSED:
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    if (!authorities_keys(run->nodes->options.authorities, run->way.cluster, arena, &keys)) {
        run_over(run, NODES_END_REFUSED,
                 TEXT("the authority of its cluster is not there any more"));
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
        .hosts = hosts,
        .host_count = ARRAY_COUNT(hosts),
        .user = run->is_apart ? TEXT("") : run->way.user,
        .lines = keys.line,
        .mark = arena_printf(arena, "cert-authority,principals=\"%.*s\" ", TEXT_ARG(principals[0])),
        .host_certificate = run->certs[0],
        .root_certificate = run->certs[1],
        .user_certificate = run->certs[2],
    };
    if (!trust_format(run->home, &trust, &run->files, &err)) {
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->step = RUN_TRUSTS;
    node_trust(run->job, run->files, TEXT(""));
}

static void cert_told(void *arg, enum outcome outcome, const struct sign_told *told,
                      const struct err *err)
{
    struct nodes_run *run = arg;

    run->is_signing = false;
    if (run->is_dropped) {
        run_unlink(run);
        arena_free(run->home);
        return;
    }
    if (outcome != OUTCOME_OK) {
        run_over(run, NODES_END_REFUSED, text_from(err->text));
        return;
    }
    for (size_t i = 0; i < CERTS; i++) {
        if (run->certs[i].length == 0) {
            run->certs[i] = arena_text(run->home, text_trim(told->certificate));
            break;
        }
    }
    if (told->before_s > 0) {
        uint64_t now_s = (uint64_t)clock_wall_ms(run->nodes->options.clock) / 1000;
        uint64_t half_ms = told->before_s > now_s ? (told->before_s - now_s) * 500 : 1;

        half_ms /= run->nodes->options.haste;
        run->renew_ms = run->renew_ms == 0 || half_ms < run->renew_ms ? half_ms : run->renew_ms;
    }
    run_later(run);
}

/* The next certificate that it lacks: of its host key, of root's, of its user's where that is another one. */
static void cert_sign(struct nodes_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct text keys[CERTS] = { run->keys.host, run->keys.root, run->keys.user };
    struct text names[] = { run->way.name, run->way.address };
    struct text users[] = { principal_of(arena, run->way.cluster) };
    size_t at = 0;
    struct sign_ask ask = { .method = SIGN_CERTIFY,
                            .who = TEXT("reeved"),
                            .name = revoked_id(arena, run->way.name, run->way.token) };
    struct err err;

    while (at < CERTS && (run->certs[at].length > 0 || keys[at].length == 0)) {
        at++;
    }
    if (at == CERTS || (at > 0 && run->is_apart) || run->keeps) {
        trust_write(run);
        return;
    }
    ask.key = keys[at];
    ask.kind = at == 0 ? SSH_CERT_HOST : SSH_CERT_USER;
    ask.ttl_s = at == 0 ? 0 : run->cert_ms / 1000;
    ask.principals = at == 0 ? (struct wire_list){ names, ARRAY_COUNT(names) }
                             : (struct wire_list){ users, ARRAY_COUNT(users) };
    switch (authorities_ask(run->nodes->options.authorities, run->way.cluster, &ask, cert_told, run,
                            &err)) {
    case AUTHORITIES_READY:
        run->is_signing = true;
        break;
    case AUTHORITIES_WAITING:
        break;
    case AUTHORITIES_REFUSED:
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        break;
    }
}

/* ---- turns ---- */

static void over_tell(struct nodes_run *run)
{
    struct nodes_told told = run->last;
    const struct keep_nodes *nodes = run->nodes;
    nodes_told_fn *fn = run->told;
    void *arg = run->arg;
    struct arena *home = run->home;

    told.kind = NODES_TOLD_END;
    told.end = run->end;
    told.why = run->why;
    run_release(run);
    if (run->is_signing) { /* its memory waits for the signer's answer */
        run->is_dropped = true;
        home = NULL;
    } else {
        run_unlink(run);
    }
    fn(arg, &told);
    nodes->options.wake(nodes->options.arg);
    arena_free(home);
}

static void run_turn(void *arg)
{
    struct nodes_run *run = arg;

    run->task = NULL;
    switch (run->step) {
    case RUN_RENEWS:
        node_free(run->job);
        run->job = NULL;
        run->step = RUN_BEGINS;
        run_begin(run);
        break;
    case RUN_BEGINS:
        run_begin(run);
        break;
    case RUN_SIGNS:
        if (!run->is_signing) {
            cert_sign(run);
        }
        break;
    case RUN_TRUSTS:
        node_trust(run->job, run->files, run->way.cluster);
        break;
    case RUN_WRITES:
        node_distribute(run->job, &run->facts);
        facts_drop(&run->facts); /* the job has its share */
        break;
    case RUN_IS_OVER:
        over_tell(run);
        break;
    case RUN_GOES:
        break;
    }
}

void keep_nodes_go_on(struct keep_nodes *nodes)
{
    for (struct nodes_run *run = nodes->runs; run != NULL; run = run->next) {
        if (!run->is_dropped && (run->step == RUN_BEGINS || run->step == RUN_SIGNS)) {
            run_later(run);
        }
    }
}

/* ---- the port ---- */

static void stages_copy(struct nodes_run *run, const struct nodes_order *order)
{
    run->stages = arena_array(run->home, struct node_stage, order->stage_count + 1);
    run->stage_count = order->stage_count;
    for (size_t i = 0; i < order->stage_count; i++) {
        const struct nodes_stage *from = &order->stages[i];
        struct text *arguments = arena_array(run->home, struct text, from->argument_count + 1);

        for (size_t j = 0; j < from->argument_count; j++) {
            arguments[j] = arena_text(run->home, from->arguments[j]);
        }
        run->stages[i] = (struct node_stage){
            .name = arena_text(run->home, from->name),
            .digest = arena_text(run->home, from->digest),
            .arguments = arguments,
            .argument_count = from->argument_count,
            .timeout_s = from->timeout_ms / 1000,
            .tries = from->tries,
            .is_idempotent = from->is_idempotent,
            .goes_on = from->goes_on,
        };
    }
}

/* By which its output is found when it is gone. */
static void owner_write(struct nodes_run *run, struct text cluster_name)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text key = run->way.cluster;
    struct text owner = keep_logs_owner(arena, text_slice(key, 0, text_find_byte(key, '/')),
                                        cluster_name, run->way.name);
    struct logs *logs = run->nodes->options.logs;
    struct err err;

    if (logs != NULL && !logs_own(logs, run->way.token, owner, &err) && !run->nodes->is_told) {
        run->nodes->is_told = true;
        log_error(run->nodes->options.log, "logs", "lost", log_string("reason", err.text));
    }
}

static struct nodes_run *nodes_begin(void *arg, const struct nodes_order *order,
                                     nodes_told_fn *told, void *told_arg)
{
    struct keep_nodes *nodes = arg;
    struct arena *home = arena_new_small(SIZE_MAX);
    struct nodes_run *run = arena_one(home, struct nodes_run);
    struct text *texts[] = { &run->way.cluster, &run->way.machine, &run->way.token,
                             &run->way.name,    &run->way.zone,    &run->way.address,
                             &run->way.user,    &run->way.host_key };

    *run = (struct nodes_run){ .nodes = nodes,
                               .home = home,
                               .way = order->way,
                               .with = order->with,
                               .told = told,
                               .arg = told_arg };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        *texts[i] = arena_text(home, *texts[i]);
    }
    if ((run->with & NODE_WITH_STAGES) != 0) {
        owner_write(run, order->cluster_name);
    }
    run->owner = arena_text(home, order->owner);
    run->wish = arena_text(home, order->wish);
    run->is_wish_of_all = order->is_wish_of_all;
    run->wish_from = order->wish_from;
    stages_copy(run, order);
    run->next = nodes->runs;
    run->link = &nodes->runs;
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    nodes->runs = run;
    run_later(run);
    return run;
}

/* One line for each member: its keys may log in as root, and its host is known by its name. */
static void classic_write(struct nodes_run *run, const struct nodes_trust *trust)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text *keys = arena_array(arena, struct text, 2 * trust->count + 1);
    struct text *hosts = arena_array(arena, struct text, trust->count + 1);
    size_t key_count = 0;
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
    if (!trust_classic(run->home, keys, key_count, hosts, trust->count, &run->files, &err)) {
        run_over(run, NODES_END_REFUSED, text_from(err.text));
        return;
    }
    run->step = RUN_TRUSTS;
    run_later(run);
}

static void nodes_trust(void *arg, struct nodes_run *run, const struct nodes_trust *trust)
{
    (void)arg;
    run->is_apart = trust->is_apart;
    run->keeps = trust->keeps;
    run->cert_ms = trust->cert_ms;
    if (trust->is_classic) {
        classic_write(run, trust);
        return;
    }
    run->step = RUN_SIGNS;
    run_later(run);
}

/* As they were given last, or anew. */
static void facts_have(struct keep_nodes *nodes, struct text facts, struct text hosts)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text bytes = arena_printf(arena, "%.*s%.*s", TEXT_ARG(facts), TEXT_ARG(hosts));
    struct node_facts *last = &nodes->facts;

    if (last->bytes != NULL && last->facts_bytes == facts.length &&
        text_is_equal(blob_text(last->bytes), bytes)) {
        return;
    }
    facts_drop(last);
    last->bytes = blob_new(bytes);
    last->facts_bytes = facts.length;
    digest_sha256(bytes, last->digest);
}

static void nodes_distribute(void *arg, struct nodes_run *run, struct text facts, struct text hosts)
{
    struct keep_nodes *nodes = arg;

    facts_drop(&run->facts);
    if (facts.length > 0) {
        facts_have(nodes, facts, hosts);
        run->facts = nodes->facts;
        blob_share(run->facts.bytes);
    }
    run->step = RUN_WRITES;
    run_later(run);
}

static void nodes_drop(void *arg, struct nodes_run *run)
{
    (void)arg;
    if (run->is_signing) {
        run_release(run);
        run->is_dropped = true;
        return;
    }
    run_free(run);
}

static bool nodes_authority(void *arg, struct text cluster, struct nodes_mark *out)
{
    const struct keep_nodes *nodes = arg;
    struct authorities_mark mark;

    if (!authorities_mark(nodes->options.authorities, cluster, &mark)) {
        return false;
    }
    *out = (struct nodes_mark){ .signs = mark.signs, .trusts = mark.trusts, .list = mark.list };
    return true;
}

static bool nodes_rotation(void *arg, struct text cluster, struct nodes_rotation *out)
{
    static const enum nodes_phase phases[RING_PHASE_COUNT] = {
        [RING_STEADY] = NODES_STEADY,
        [RING_MADE] = NODES_MADE,
        [RING_TRUSTED] = NODES_TRUSTED,
        [RING_SIGNS] = NODES_SIGNS,
    };
    const struct keep_nodes *nodes = arg;
    struct authorities_rotation rotation;

    if (!authorities_rotation(nodes->options.authorities, cluster, &rotation) ||
        rotation.phase >= RING_PHASE_COUNT) {
        return false;
    }
    *out = (struct nodes_rotation){ .phase = phases[rotation.phase],
                                    .wish = rotation.wish,
                                    .age_ms = rotation.age_ms,
                                    .is_stepping = rotation.is_stepping };
    return true;
}

static void nodes_rotate(void *arg, struct text cluster, struct text wish, struct text event)
{
    const struct keep_nodes *nodes = arg;

    authorities_rotate(nodes->options.authorities, cluster, wish, event);
}

static bool nodes_logs_in(void *arg, struct text plugin)
{
    const struct keep_nodes *nodes = arg;

    return nodes->options.logs_in(nodes->options.arg, plugin);
}

/* ---- beginning and ending ---- */

struct keep_nodes *keep_nodes_new(const struct keep_nodes_options *options)
{
    struct keep_nodes *nodes = rows_resize(NULL, sizeof(*nodes));

    *nodes = (struct keep_nodes){
        .options = *options,
        .port = { .begin = nodes_begin,
                  .trust = nodes_trust,
                  .distribute = nodes_distribute,
                  .drop = nodes_drop,
                  .logs_in = nodes_logs_in,
                  .authority = nodes_authority,
                  .rotation = nodes_rotation,
                  .rotate = nodes_rotate,
                  .arg = nodes },
    };
    return nodes;
}

const struct nodes_port *keep_nodes_port(struct keep_nodes *nodes)
{
    return &nodes->port;
}

void keep_nodes_free(struct keep_nodes *nodes)
{
    if (nodes == NULL) {
        return;
    }
    while (nodes->runs != NULL) {
        run_free(nodes->runs); /* the signer tells nobody any more */
    }
    facts_drop(&nodes->facts);
    rows_free(nodes);
}
