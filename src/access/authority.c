#include "access/authority.h"

#include "access/authority_parts.h"
#include "base/limits.h"
#include "codec/json.h"
#include "ssh/cert.h"
#include "state/objects.h"
#include "sys/seal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Steps of one authority: generate it (MAKE), store it unless another manager has already stored
 * one, load it into the signer (LOAD), and issue certificates with it (CERTIFY). Each step begins
 * when a caller needs its result. `moved` is called at the end of a step. */

enum { OWN_TTL_S = 3600, ENDS_MARGIN_MS = 60 * 1000, TRIES = 3, RETRY_MS = 2000 };

static uint64_t authority_now_ms(const struct authorities *all)
{
    return clock_monotonic_ms(all->options.clock);
}

struct text authority_tenant(const struct authority *one)
{
    return text_slice(one->cluster, 0, text_find_byte(one->cluster, '/'));
}

struct text authority_id(const struct authority *one)
{
    return text_slice(one->cluster, text_find_byte(one->cluster, '/') + 1, one->cluster.length);
}

/* ---- errors ---- */

static void authority_problem_report(struct authorities *all, struct text cluster,
                                     const struct err *err)
{
    if (!all->is_reported) {
        all->is_reported = true;
        log_error(
            all->options.log, "authority", "problem", log_text("cluster", cluster),
            log_string("reason", err->text),
            log_string(
                "means",
                "this manager cannot log in to machines of the cluster; everything else works"));
    }
}

static void authority_problem_end(struct authorities *all)
{
    if (all->is_reported) {
        all->is_reported = false;
        log_info(all->options.log, "authority", "problem_resolved");
    }
}

void authority_failed(struct authority *one, const struct err *err)
{
    struct authorities *all = one->all;

    one->failures++;
    one->why = *err;
    one->not_before_ms = authority_now_ms(all) + RETRY_MS;
    authority_problem_report(all, one->cluster, err);
    if (one->failures < TRIES) {
        loop_timer_start(all->again, RETRY_MS + 1, 0);
    }
    all->options.moved(all->options.arg, one->cluster);
}

static void authority_again_due(void *arg)
{
    struct authorities *all = arg;
    const struct map_node *entry;

    for (entry = map_first(&all->map, TEXT("")); entry != NULL;
         entry = map_after(&all->map, entry->key)) {
        const struct authority *one = entry->value;

        if (one->failures > 0 && one->failures < TRIES) {
            all->options.moved(all->options.arg, one->cluster);
        }
    }
}

void authority_well(struct authority *one)
{
    one->failures = 0;
    one->not_before_ms = 0;
    authority_problem_end(one->all);
    one->all->options.moved(one->all->options.arg, one->cluster);
}

/* ---- the signer ---- */

static void signer_begun(void *arg)
{
    struct authorities *all = arg;
    const struct map_node *entry;

    for (entry = map_first(&all->map, TEXT("")); entry != NULL;
         entry = map_after(&all->map, entry->key)) {
        struct authority *one = entry->value;

        one->is_loaded = false; /* the new signer process has no keys yet */
        one->list_given = 0;
    }
}

static void authority_any_row(void *arg, const struct cache_object *object)
{
    (void)object;
    *(bool *)arg = true;
}

/* Returns whether any authority is already sealed. Then the signer's key must already exist: a
 * newly generated key could not open the sealed authority. */
static bool has_authority_sealed(const struct authorities *all)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Authority") };
    struct cache_page page = { 0 };
    bool is_any = false;
    struct err err;

    return !cache_list(all->options.cache, arena, &scope, &page, 1, authority_any_row, &is_any,
                       &err) ||
           is_any;
}

bool authorities_signer(struct authorities *all, struct err *err)
{
    struct signer_options options = {
        .loop = all->options.loop,
        .log = all->options.log,
        .program = all->options.program,
        .key = all->options.key,
        .book = all->options.book,
        .call_ms = LIMIT_SIGNER_CALL_MS,
        .begun = signer_begun,
        .arg = all,
    };

    if (all->signer != NULL) {
        return true;
    }
    if (authority_now_ms(all) < all->not_before_ms) {
        *err = all->problem;
        return false;
    }
    options.can_make_key = !all->options.is_reader && !has_authority_sealed(all);
    if (!signer_open(&options, &all->signer, &all->problem)) {
        all->signer = NULL;
        all->not_before_ms = authority_now_ms(all) + LIMIT_SIGNER_PAUSE_MAX_MS;
        *err = all->problem;
        return false;
    }
    return true;
}

/* ---- creating ---- */

/* Drops keys that could not be stored. The keys in the store apply. */
static void authority_unadopt(struct authority *one, const struct err *err)
{
    one->is_making = false;
    one->line = TEXT("");
    one->sealed = TEXT("");
    authority_failed(one, err);
}

static void authority_stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct authority *one = arg;
    struct err err;

    one->is_making = false;
    if (one->all->is_closed) {
        return;
    }
    if (outcome == OUTCOME_OK) {
        one->revision = answer->revision;
        authority_well(one);
        return;
    }
    /* another manager may have stored an authority, or the write may have succeeded: read the
     * cache */
    err_set(&err, CODE_R0710, "the authority could not be stored: %s",
            answer->err.code == CODE_NONE ? "another authority already exists" : answer->err.text);
    authority_unadopt(one, &err);
}

static void authority_made(void *arg, enum outcome outcome, const struct sign_reply *reported,
                           const struct err *err)
{
    struct authority *one = arg;
    struct err none;

    if (outcome == OUTCOME_OK && reported->users.count > 0 && reported->sealed.length > 0) {
        log_info(one->all->options.log, "authority", "made", log_text("cluster", one->cluster));
        authority_adopt(one, reported);
        if (!authority_write(one, reported, TEXT(""), TEXT(""), authority_stored, one, &none)) {
            authority_unadopt(one, &none);
        }
        return;
    }
    one->is_making = false;
    err_set(&none, CODE_R0710, "the signer did not create an authority");
    authority_failed(one, outcome == OUTCOME_OK ? &none : err);
}

/* Requests a new authority from the signer. Returns false if that is not possible now. */
static bool authority_make(struct authority *one)
{
    struct authorities *all = one->all;
    struct sign_ask ask = { .method = SIGN_MAKE, .authority = one->cluster, .who = TEXT("reeved") };
    struct err err;

    if (one->is_making) {
        return true;
    }
    if (all->options.is_reader || authority_now_ms(all) < one->not_before_ms) {
        return false;
    }
    if (!authorities_signer(all, &err)) {
        one->failures = TRIES;
        one->why = err;
        authority_problem_report(all, one->cluster, &err);
        return false;
    }
    one->is_making = true;
    signer_ask(all->signer, &ask, authority_made, one);
    return true;
}

struct authority *authorities_have(struct authorities *all, struct text cluster)
{
    struct authority *one = map_find(&all->map, cluster);
    struct arena *memory;

    authorities_follow(all);
    if (one == NULL) {
        memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        one = arena_one(memory, struct authority);
        *one = (struct authority){ .all = all,
                                   .memory = memory,
                                   .cluster = arena_text(memory, cluster),
                                   .known = arena_new_small(LIMIT_WORK_ARENA_BYTES),
                                   .own = arena_new_small(LIMIT_WORK_ARENA_BYTES),
                                   .list_memory = arena_new_small(SIZE_MAX) };
        map_put(&all->map, one->cluster, one);
    }
    return one;
}

bool authorities_line(struct authorities *all, struct text cluster, struct text *out)
{
    struct authority *one = authorities_have(all, cluster);

    *out = TEXT("");
    if (one->is_making) {
        return false; /* an authority must be stored before the signer uses it */
    }
    if (authority_read(one)) {
        *out = one->line;
        return true;
    }
    if (all->is_closed || all->options.is_reader) {
        return true;
    }
    return !authority_make(one) && one->failures >= TRIES;
}

/* ---- certificates ---- */

static void own_key_draw(struct authorities *all)
{
    unsigned char seed[SSH_SEED_BYTES];
    unsigned char secret[SSH_SECRET_BYTES];
    uint32_t check;
    struct ssh_key key;

    random_fill(all->options.random, seed, sizeof(seed));
    random_fill(all->options.random, &check, sizeof(check));
    ssh_key_make(seed, &key, secret);
    all->key_bytes = ssh_key_format_private(secret, check, TEXT("reeve"), all->key);
    all->key_line = ssh_key_format(all->memory, &key, TEXT(""));
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
}

static void authority_loaded(void *arg, enum outcome outcome, const struct sign_reply *reported,
                             const struct err *err)
{
    struct authority *one = arg;

    (void)reported;
    one->loads--;
    (void)err; /* the certificate request that follows reports the reason */
    if (outcome != OUTCOME_OK) {
        one->is_loaded = false;
        one->list_given = 0;
    }
    if (outcome == OUTCOME_REFUSED) { /* reload, because the store may have another authority now */
        one->line = TEXT("");
    }
}

static void authority_certified(void *arg, enum outcome outcome, const struct sign_reply *reported,
                                const struct err *err)
{
    struct authority *one = arg;
    uint64_t life_ms = (uint64_t)OWN_TTL_S * 1000;

    one->is_signing = false;
    if (outcome != OUTCOME_OK) {
        authority_failed(one, err);
        return;
    }
    arena_clear(one->own);
    one->certificate = arena_text(one->own, text_trim(reported->certificate));
    one->renew_ms = authority_now_ms(one->all) + life_ms / 2 / one->all->options.time_scale;
    one->ends_ms = authority_now_ms(one->all) + life_ms - ENDS_MARGIN_MS;
    authority_well(one);
}

/* Loads the authority into the signer. Requests sent after this call are processed after the load;
 * the signer rejects them if the load fails. */
void authority_load(struct authority *one)
{
    struct sign_ask load = {
        .method = SIGN_LOAD, .authority = one->cluster, .who = TEXT("reeved"), .sealed = one->sealed
    };

    if (!one->is_loaded) {
        /* requests sent after this are processed after the list is loaded, or are rejected with
         * it */
        one->is_loaded = true;
        one->list_given = 0;
        one->loads++;
        signer_ask(one->all->signer, &load, authority_loaded, one);
    }
    authority_list_give(one);
}

static bool authority_sign(struct authority *one)
{
    struct authorities *all = one->all;
    char principal[LIMIT_SIGNER_NAME_BYTES + sizeof("cluster:")];
    struct text principals[1];
    struct sign_ask certify = {
        .method = SIGN_CERTIFY,
        .authority = one->cluster,
        .who = TEXT("reeved"),
        .kind = SSH_CERT_USER,
        .key = all->key_line,
        .name = TEXT("reeved"),
        .principals = { principals, 1 },
        .ttl_s = OWN_TTL_S,
    };

    if (one->is_signing || all->is_closed || authority_now_ms(all) < one->not_before_ms) {
        return one->is_signing;
    }
    if (!authorities_signer(all, &one->why)) {
        authority_problem_report(all, one->cluster, &one->why);
        return false;
    }
    snprintf(principal, sizeof(principal), "cluster:%.*s", TEXT_ARG(one->cluster));
    principals[0] = text_from(principal);
    one->is_signing = true;
    authority_load(one);
    signer_ask(all->signer, &certify, authority_certified, one);
    return true;
}

enum authorities_answer authorities_login(struct authorities *all, struct text cluster,
                                          struct authorities_login *out, struct err *err)
{
    struct authority *one = authorities_have(all, cluster);
    bool is_under_way;

    if (one->certificate.length > 0 && authority_now_ms(all) < one->renew_ms) {
        is_under_way = false;
    } else if (one->is_making || !authority_read(one)) {
        is_under_way = !all->is_closed && authority_make(one);
    } else {
        is_under_way = authority_sign(one);
    }
    if (one->certificate.length > 0 && authority_now_ms(all) < one->ends_ms) {
        *out = (struct authorities_login){
            .key = secret_from((struct text){ all->key, all->key_bytes }),
            .certificate = one->certificate,
        };
        return AUTHORITIES_READY;
    }
    if (is_under_way) {
        return AUTHORITIES_WAITING;
    }
    err_set(err, CODE_R0710, "this manager cannot log in to machines of %.*s: %s",
            TEXT_ARG(one->cluster), one->why.text);
    return AUTHORITIES_REFUSED;
}

/* ---- queries ---- */

bool authorities_keys(struct authorities *all, struct text cluster, struct arena *arena,
                      struct authorities_keys *out)
{
    struct authority *one = authorities_have(all, cluster);

    *out = (struct authorities_keys){ 0 };
    if (one->is_making || !authority_read(one)) {
        (void)(!one->is_making && !all->is_closed && authority_make(one));
        return false;
    }
    *out = (struct authorities_keys){
        .users = arena_copy(arena, one->users, sizeof(one->users)),
        .user_count = one->user_count,
        .hosts = arena_copy(arena, one->hosts, sizeof(one->hosts)),
        .host_count = one->host_count,
        .line = arena_text(arena, one->line),
    };
    return true;
}

static uint64_t authority_keys_hash(const struct ssh_key *keys, size_t count, uint64_t seed)
{
    return text_hash((struct text){ (const char *)keys, count * sizeof(*keys) }, seed);
}

bool authorities_mark(struct authorities *all, struct text cluster, struct authorities_mark *out)
{
    struct authority *one = authorities_have(all, cluster);

    if (one->is_making || !authority_read(one)) {
        (void)(!one->is_making && !all->is_closed && authority_make(one));
        return false;
    }
    *out = (struct authorities_mark){
        .signs = authority_keys_hash(one->users, one->user_count > 0, 1) +
                 authority_keys_hash(one->hosts, one->host_count > 0, 2),
        .trusts = authority_keys_hash(one->users, one->user_count, 3) +
                  authority_keys_hash(one->hosts, one->host_count, 4),
        .list = authority_list_revision(one),
    };
    return true;
}

enum authorities_answer authorities_ask(struct authorities *all, struct text cluster,
                                        struct sign_ask *ask, signer_done *done, void *arg,
                                        struct err *err)
{
    struct authority *one;

    if (cache_state(all->options.cache) != CACHE_READY) {
        return AUTHORITIES_WAITING; /* it is not known yet whether a key may be generated */
    }
    one = authorities_have(all, cluster);
    if (one->is_making || !authority_read(one)) {
        if (one->is_making || (!all->is_closed && authority_make(one))) {
            return AUTHORITIES_WAITING;
        }
        err_set(err, CODE_R0710, "cluster %.*s has no authority: %s", TEXT_ARG(cluster),
                one->why.text);
        return AUTHORITIES_REFUSED;
    }
    if (all->is_closed || !authorities_signer(all, &one->why)) {
        err_set(err, CODE_R0710, "the signer process cannot sign: %s", one->why.text);
        return AUTHORITIES_REFUSED;
    }
    authority_load(one);
    ask->authority = one->cluster;
    signer_ask(all->signer, ask, done, arg);
    return AUTHORITIES_READY;
}

struct key_ring_own authorities_own_key(struct authorities *all)
{
    struct key_ring_own own = { .is_there = seal_key_is_there(all->options.key) };
    struct err err;

    if (own.is_there && !all->is_closed && !all->options.is_reader &&
        authorities_signer(all, &err)) {
        own.id = signer_key(all->signer);
    }
    return own;
}

/* ---- keys of other users ---- */

struct entering {
    struct entering *next;
    struct authorities *all;
    void (*done)(void *arg, struct text certificate, const struct err *err);
    void *arg;
};

static void entered(void *arg, enum outcome outcome, const struct sign_reply *reported,
                    const struct err *err)
{
    struct entering entering = *(struct entering *)arg;
    struct entering **link = &entering.all->entering;

    while (*link != arg) {
        link = &(*link)->next;
    }
    *link = entering.next;
    rows_free(arg);
    entering.done(entering.arg, outcome == OUTCOME_OK ? text_trim(reported->certificate) : TEXT(""),
                  outcome == OUTCOME_OK ? NULL : err);
}

void authorities_enter(struct authorities *all, struct text cluster, struct text who,
                       struct text key,
                       void (*done)(void *arg, struct text certificate, const struct err *err),
                       void *arg)
{
    struct authority *one = authorities_have(all, cluster);
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text principal = arena_printf(arena, "cluster:%.*s", TEXT_ARG(cluster));
    struct sign_ask certify = {
        .method = SIGN_CERTIFY,
        .authority = one->cluster,
        .who = who,
        .kind = SSH_CERT_USER,
        .key = key,
        .name = who,
        .principals = { &principal, 1 },
        .ttl_s = LIMIT_SIGNER_TTL_MIN_S,
    };
    struct entering *entering;
    struct err err;

    if (one->is_making || !authority_read(one)) {
        err_set(&err, CODE_R0710, "reeve does not log in to machines of %.*s yet",
                TEXT_ARG(cluster));
        done(arg, TEXT(""), &err);
        return;
    }
    if (!authorities_signer(all, &err)) {
        done(arg, TEXT(""), &err);
        return;
    }
    authority_load(one);
    entering = rows_resize(NULL, sizeof(*entering));
    *entering = (struct entering){ all->entering, all, done, arg };
    all->entering = entering;
    signer_ask(all->signer, &certify, entered, entering);
}

/* ---- beginning and ending ---- */

static void removed(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer; /* the next sweep tries again */
}

/* Returns whether the authority's cluster and all of its machine records are gone from the
 * store. */
static bool is_authority_over(const struct authorities *all, const struct cache_object *object)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text tenant = cache_tenant(object);
    struct text id = cache_id(object);
    struct text machines =
        arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(id));

    return !text_is(tenant, OBJECTS_SYSTEM_TENANT) &&
           cache_find(all->options.cache, tenant, TEXT("Cluster"), id) == NULL &&
           cache_first(all->options.cache, machines) == NULL;
}

static void authority_free(struct authority *one)
{
    arena_free(one->known);
    arena_free(one->own);
    arena_free(one->list_memory);
    arena_free(one->memory);
}

static void forgotten(void *arg, enum outcome outcome, const struct sign_reply *reported,
                      const struct err *err)
{
    (void)arg;
    (void)outcome;
    (void)reported;
    (void)err; /* a failed signer process has ended, so it holds no keys */
}

static void authority_drop(struct authorities *all, struct text cluster)
{
    struct authority *one = map_find(&all->map, cluster);
    struct sign_ask ask = { .method = SIGN_FORGET, .authority = cluster, .who = TEXT("reeved") };

    if (one == NULL || one->is_making || one->is_signing || one->is_listing || one->is_stepping ||
        one->loads > 0) {
        return;
    }
    if (one->is_loaded) {
        signer_ask(all->signer, &ask, forgotten, NULL);
    }
    (void)map_remove(&all->map, cluster);
    authority_free(one);
}

struct sweeping {
    struct authorities *all;
    struct arena *arena;
};

static void authority_row_sweep(void *arg, const struct cache_object *object)
{
    struct sweeping *sweeping = arg;
    struct text key = arena_printf(sweeping->arena, "%.*s/base", TEXT_ARG(blob_text(object->key)));
    struct store_compare compare = { .key = key, .revision = object->parts[CACHE_BASE].revision };
    struct store_op op = { .key = key, .is_delete = true };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    if (object->parts[CACHE_BASE].bytes != NULL && is_authority_over(sweeping->all, object)) {
        authority_drop(sweeping->all,
                       arena_printf(sweeping->arena, "%.*s/%.*s", TEXT_ARG(cache_tenant(object)),
                                    TEXT_ARG(cache_id(object))));
        store_txn(sweeping->all->options.store, &txn, removed, NULL);
    }
}

/* Removes authorities of clusters that no longer exist. */
static void authority_sweep_due(void *arg)
{
    struct authorities *all = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sweeping sweeping = { all, arena };
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Authority") };
    struct cache_page page = { 0 };
    struct err err;

    if (cache_state(all->options.cache) == CACHE_READY) {
        (void)!cache_list(all->options.cache, arena, &scope, &page, LIMIT_AUTHORITIES_SWEPT,
                          authority_row_sweep, &sweeping, &err);
    }
}

bool authorities_open(const struct authorities_options *options, struct authorities **out,
                      struct err *err)
{
    struct authorities *all = rows_resize(NULL, sizeof(*all));
    uint64_t every_ms = LIMIT_AUTHORITIES_SWEEP_MS / options->time_scale;

    assert(options->time_scale > 0);
    *all = (struct authorities){ .options = *options,
                                 .memory = arena_new_small(LIMIT_WORK_ARENA_BYTES) };
    map_init(&all->map, all->memory);
    own_key_draw(all);
    if (!loop_timer_open(options->loop, authority_again_due, all, &all->again, err) ||
        !loop_timer_open(options->loop, authority_sweep_due, all, &all->sweep, err)) {
        authorities_free(all);
        return false;
    }
    if (!options->is_reader) {
        loop_timer_start(all->sweep, every_ms, every_ms);
    }
    *out = all;
    return true;
}

void authorities_close(struct authorities *all)
{
    if (all != NULL && !all->is_closed) {
        all->is_closed = true;
        authorities_unfollow(all);
        signer_close(all->signer);
        loop_timer_close(all->again);
        loop_timer_close(all->sweep);
    }
}

bool authorities_are_over(const struct authorities *all)
{
    return all == NULL || all->signer == NULL || signer_is_over(all->signer);
}

void authorities_free(struct authorities *all)
{
    const struct map_node *entry;

    if (all == NULL) {
        return;
    }
    authorities_close(all);
    signer_free(all->signer);
    for (struct entering *open = all->entering, *next; open != NULL; open = next) {
        next = open->next;
        rows_free(open);
    }
    while ((entry = map_first(&all->map, TEXT(""))) != NULL) {
        struct authority *one = entry->value;

        (void)map_remove(&all->map, one->cluster);
        authority_free(one);
    }
    secret_wipe(all->key, sizeof(all->key));
    arena_free(all->memory);
    rows_free(all);
}
