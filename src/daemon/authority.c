#include "daemon/authority.h"

#include "base/limits.h"
#include "base/map.h"
#include "codec/json.h"
#include "engine/objects.h"
#include "signer/ring.h"
#include "signer/signer.h"
#include "ssh/cert.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The way of one authority: MAKE -> into the store, where nobody has put one meanwhile -> LOAD -> CERTIFY. Each step begins when
 * somebody wants what it leads to; whatever ends one of them tells `moved`. */

/* The authority of one cluster. */
struct authority {
    struct authorities *all;
    struct arena *home;
    struct text cluster; /* TENANT/ID */
    struct arena *known; /* of the next two */
    struct text line;    /* of authorized_keys; empty: it is not known yet */
    struct text sealed;
    struct ssh_key users[RING_SLOTS];
    size_t user_count;
    struct ssh_key hosts[RING_SLOTS];
    size_t host_count;
    struct arena *own; /* of the certificate */
    struct text certificate;
    uint64_t renew_ms; /* by the loop's clock, as all of these */
    uint64_t ends_ms;
    uint64_t not_before_ms; /* it is not tried again */
    struct err why;
    unsigned failures; /* in a row */
    bool is_making;    /* asked to be drawn, or being stored */
    bool is_signing;
    bool is_loaded; /* the signer that runs has it */
};

struct authorities {
    struct authorities_options options;
    struct arena *home;
    struct map map; /* by TENANT/ID */
    struct signer *signer;
    struct loop_timer *sweep;
    struct loop_timer *again; /* whoever waits for one that failed */
    struct err trouble;       /* why there is no signer */
    uint64_t not_before_ms;
    char key[SSH_PRIVATE_BYTES];
    size_t key_bytes;
    struct text key_line;
    struct entering *entering; /* somebody who waits for his certificate */
    bool is_told;              /* that something is wrong */
    bool is_closed;
};

enum { OWN_TTL_S = 3600, ENDS_MARGIN_MS = 60 * 1000, TRIES = 3, RETRY_MS = 2000 };

static uint64_t now_ms(const struct authorities *all)
{
    return clock_monotonic_ms(all->options.clock);
}

/* ---- what is wrong ---- */

static void trouble_tell(struct authorities *all, struct text cluster, const struct err *err)
{
    if (!all->is_told) {
        all->is_told = true;
        log_error(all->options.log, "authority", "trouble", log_text("cluster", cluster),
                  log_string("reason", err->text),
                  log_string("means", "nobody logs in to machines; they are kept as ever"));
    }
}

static void trouble_end(struct authorities *all)
{
    if (all->is_told) {
        all->is_told = false;
        log_info(all->options.log, "authority", "trouble_over");
    }
}

static void authority_failed(struct authority *one, const struct err *err)
{
    struct authorities *all = one->all;

    one->failures++;
    one->why = *err;
    one->not_before_ms = now_ms(all) + RETRY_MS;
    trouble_tell(all, one->cluster, err);
    if (one->failures < TRIES) {
        loop_timer_start(all->again, RETRY_MS + 1, 0);
    }
    all->options.moved(all->options.arg, one->cluster);
}

static void again_due(void *arg)
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

static void authority_well(struct authority *one)
{
    one->failures = 0;
    one->not_before_ms = 0;
    trouble_end(one->all);
    one->all->options.moved(one->all->options.arg, one->cluster);
}

/* ---- the signer ---- */

static void signer_begun(void *arg)
{
    struct authorities *all = arg;
    const struct map_node *entry;

    for (entry = map_first(&all->map, TEXT("")); entry != NULL;
         entry = map_after(&all->map, entry->key)) {
        ((struct authority *)entry->value)->is_loaded = false; /* it holds nothing yet */
    }
}

static void any_row(void *arg, const struct cache_object *object)
{
    (void)object;
    *(bool *)arg = true;
}

/* Is an authority sealed already? Then its key was there once, and another one does not help. */
static bool has_sealed(const struct authorities *all)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Authority") };
    struct cache_page page = { 0 };
    bool is_any = false;
    struct err err;

    return !cache_list(all->options.cache, arena, &scope, &page, 1, any_row, &is_any, &err) ||
           is_any;
}

MUST_CHECK static bool signer_have(struct authorities *all, struct err *err)
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
    if (now_ms(all) < all->not_before_ms) {
        *err = all->trouble;
        return false;
    }
    options.may_make = !all->options.is_reader && !has_sealed(all);
    if (!signer_open(&options, &all->signer, &all->trouble)) {
        all->signer = NULL;
        all->not_before_ms = now_ms(all) + LIMIT_SIGNER_PAUSE_MAX_MS;
        *err = all->trouble;
        return false;
    }
    return true;
}

/* ---- what stands in the store ---- */

/* Keys that are none are left out: they are written into nobody's files. */
static size_t keys_take(const struct text *lines, size_t count, struct ssh_key *out)
{
    size_t taken = 0;

    for (size_t i = 0; i < count && taken < RING_SLOTS; i++) {
        struct text comment;
        struct err err;

        taken += ssh_key_parse(lines[i], &out[taken], &comment, &err) ? 1 : 0;
    }
    return taken;
}

static void known_set(struct authority *one, struct text key, struct text sealed)
{
    arena_clear(one->known);
    one->sealed = arena_text(one->known, sealed);
    one->line = arena_printf(one->known, "cert-authority,principals=\"cluster:%.*s\" %.*s reeve",
                             TEXT_ARG(one->cluster), TEXT_ARG(key));
}

static struct text id_of(struct text cluster)
{
    return text_slice(cluster, text_find_byte(cluster, '/') + 1, cluster.length);
}

static struct text tenant_of(struct text cluster)
{
    return text_slice(cluster, 0, text_find_byte(cluster, '/'));
}

static size_t items_of(const struct doc *list)
{
    return doc_is_list(list) ? list->item_count : 0;
}

static const struct text *lines_of(struct arena *arena, const struct doc *list)
{
    size_t count = items_of(list);
    struct text *lines = arena_array(arena, struct text, count + 1);

    for (size_t i = 0; i < count; i++) {
        lines[i] = doc_is_scalar(&list->items[i]) ? list->items[i].text : TEXT("");
    }
    return lines;
}

/* Does the cache have it? A key that is no key is not written into anybody's files. */
static bool authority_read(struct authority *one)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *object = cache_find(one->all->options.cache, tenant_of(one->cluster),
                                                   TEXT("Authority"), id_of(one->cluster));
    const struct doc *users;
    const struct doc *sealed;
    struct text comment;
    struct ssh_key key;
    struct doc doc;
    struct err err;

    if (one->line.length > 0) {
        return true;
    }
    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc, &err)) {
        return false;
    }
    users = doc_child(&doc, "users");
    sealed = doc_child(&doc, "sealed");
    if (!doc_is_list(users) || users->item_count == 0 || !doc_is_scalar(&users->items[0]) ||
        !doc_is_scalar(sealed) || !ssh_key_parse(users->items[0].text, &key, &comment, &err)) {
        return false;
    }
    known_set(one, users->items[0].text, sealed->text);
    one->user_count = keys_take(lines_of(arena, users), users->item_count, one->users);
    one->host_count = keys_take(lines_of(arena, doc_child(&doc, "hosts")),
                                items_of(doc_child(&doc, "hosts")), one->hosts);
    return true;
}

static void key_list_add(struct buf *buf, struct wire_list keys)
{
    buf_add_byte(buf, '[');
    for (size_t i = 0; i < keys.count; i++) {
        buf_printf(buf, "%s\"%.*s\"", i == 0 ? "" : ",",
                   TEXT_ARG(*wire_item(keys, struct text, i)));
    }
    buf_add_byte(buf, ']');
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
        authority_well(one);
        return;
    }
    /* another manager's may stand there, or ours after all: the cache will show it */
    one->line = TEXT("");
    one->sealed = TEXT("");
    err_set(&err, CODE_R0710, "the authority could not be stored: %s",
            answer->err.code == CODE_NONE ? "another one is there" : answer->err.text);
    authority_failed(one, &err);
}

static void authority_store(struct authority *one, const struct sign_told *told)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text key = objects_key(arena, tenant_of(one->cluster), TEXT("Authority"),
                                  id_of(one->cluster), CACHE_BASE);
    struct store_compare compare = { .key = key };
    struct store_op op = { .key = key };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf, "{\"at\":%lld,\"hosts\":", (long long)clock_wall_ms(one->all->options.clock));
    key_list_add(&buf, told->hosts);
    buf_printf(&buf,
               ",\"phase\":%llu,\"sealed\":\"%.*s\",\"users\":", (unsigned long long)told->phase,
               TEXT_ARG(told->sealed));
    key_list_add(&buf, told->users);
    buf_add_byte(&buf, '}');
    op.value = buf_text(&buf);
    known_set(one, *wire_item(told->users, struct text, 0), told->sealed);
    one->user_count =
        keys_take(wire_item(told->users, struct text, 0), told->users.count, one->users);
    one->host_count = told->hosts.count == 0 ? 0
                                             : keys_take(wire_item(told->hosts, struct text, 0),
                                                         told->hosts.count, one->hosts);
    store_txn(one->all->options.store, &txn, authority_stored, one);
}

static void authority_made(void *arg, enum outcome outcome, const struct sign_told *told,
                           const struct err *err)
{
    struct authority *one = arg;
    struct err none;

    if (outcome == OUTCOME_OK && told->users.count > 0 && told->sealed.length > 0) {
        log_info(one->all->options.log, "authority", "made", log_text("cluster", one->cluster));
        authority_store(one, told);
        return;
    }
    one->is_making = false;
    err_set(&none, CODE_R0710, "the signer has made no authority");
    authority_failed(one, outcome == OUTCOME_OK ? &none : err);
}

/* Have it made; false: not now. */
static bool authority_make(struct authority *one)
{
    struct authorities *all = one->all;
    struct sign_ask ask = { .method = SIGN_MAKE, .authority = one->cluster, .who = TEXT("reeved") };
    struct err err;

    if (one->is_making) {
        return true;
    }
    if (all->options.is_reader || now_ms(all) < one->not_before_ms) {
        return false;
    }
    if (!signer_have(all, &err)) {
        one->failures = TRIES;
        one->why = err;
        trouble_tell(all, one->cluster, &err);
        return false;
    }
    one->is_making = true;
    signer_ask(all->signer, &ask, authority_made, one);
    return true;
}

static struct authority *authority_have(struct authorities *all, struct text cluster)
{
    struct authority *one = map_find(&all->map, cluster);
    struct arena *home;

    if (one == NULL) {
        home = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        one = arena_one(home, struct authority);
        *one = (struct authority){ .all = all,
                                   .home = home,
                                   .cluster = arena_text(home, cluster),
                                   .known = arena_new_small(LIMIT_WORK_ARENA_BYTES),
                                   .own = arena_new_small(LIMIT_WORK_ARENA_BYTES) };
        map_put(&all->map, one->cluster, one);
    }
    return one;
}

bool authorities_line(struct authorities *all, struct text cluster, struct text *out)
{
    struct authority *one = authority_have(all, cluster);

    *out = TEXT("");
    if (one->is_making) {
        return false; /* what is not in the store yet lets nobody in */
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
    all->key_line = ssh_key_format(all->home, &key, TEXT(""));
    secret_wipe(seed, sizeof(seed));
    secret_wipe(secret, sizeof(secret));
}

static void authority_loaded(void *arg, enum outcome outcome, const struct sign_told *told,
                             const struct err *err)
{
    struct authority *one = arg;

    (void)told;
    (void)err; /* the certificate that is asked for behind this says why there is none */
    one->is_loaded = outcome == OUTCOME_OK;
    if (outcome == OUTCOME_REFUSED) { /* another one may stand in the store by now */
        one->line = TEXT("");
    }
}

static void authority_certified(void *arg, enum outcome outcome, const struct sign_told *told,
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
    one->certificate = arena_text(one->own, text_trim(told->certificate));
    one->renew_ms = now_ms(one->all) + life_ms / 2 / one->all->options.haste;
    one->ends_ms = now_ms(one->all) + life_ms - ENDS_MARGIN_MS;
    authority_well(one);
}

/* What is asked for behind this finds it loaded, or is refused. */
static void authority_load(struct authority *one)
{
    struct sign_ask load = {
        .method = SIGN_LOAD, .authority = one->cluster, .who = TEXT("reeved"), .sealed = one->sealed
    };

    if (!one->is_loaded) {
        signer_ask(one->all->signer, &load, authority_loaded, one);
    }
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

    if (one->is_signing || all->is_closed || now_ms(all) < one->not_before_ms) {
        return one->is_signing;
    }
    if (!signer_have(all, &one->why)) {
        trouble_tell(all, one->cluster, &one->why);
        return false;
    }
    snprintf(principal, sizeof(principal), "cluster:%.*s", TEXT_ARG(one->cluster));
    principals[0] = text_from(principal);
    one->is_signing = true;
    authority_load(one);
    signer_ask(all->signer, &certify, authority_certified, one);
    return true;
}

enum authorities_word authorities_login(struct authorities *all, struct text cluster,
                                        struct authorities_login *out, struct err *err)
{
    struct authority *one = authority_have(all, cluster);
    bool is_under_way;

    if (one->certificate.length > 0 && now_ms(all) < one->renew_ms) {
        is_under_way = false;
    } else if (one->is_making || !authority_read(one)) {
        is_under_way = !all->is_closed && authority_make(one);
    } else {
        is_under_way = authority_sign(one);
    }
    if (one->certificate.length > 0 && now_ms(all) < one->ends_ms) {
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

/* ---- for others ---- */

bool authorities_keys(struct authorities *all, struct text cluster, struct arena *arena,
                      struct authorities_keys *out)
{
    struct authority *one = authority_have(all, cluster);

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
        .mark = arena_text(arena, one->sealed),
    };
    return true;
}

enum authorities_word authorities_ask(struct authorities *all, struct text cluster,
                                      struct sign_ask *ask, signer_done *done, void *arg,
                                      struct err *err)
{
    struct authority *one = authority_have(all, cluster);

    if (one->is_making || !authority_read(one)) {
        if (one->is_making || (!all->is_closed && authority_make(one))) {
            return AUTHORITIES_WAITING;
        }
        err_set(err, CODE_R0710, "there is no authority for %.*s: %s", TEXT_ARG(cluster),
                one->why.text);
        return AUTHORITIES_REFUSED;
    }
    if (all->is_closed || !signer_have(all, &one->why)) {
        err_set(err, CODE_R0710, "nothing can be signed: %s", one->why.text);
        return AUTHORITIES_REFUSED;
    }
    authority_load(one);
    ask->authority = one->cluster;
    signer_ask(all->signer, ask, done, arg);
    return AUTHORITIES_READY;
}

/* ---- somebody else's key ---- */

struct entering {
    struct entering *next;
    struct authorities *all;
    void (*done)(void *arg, struct text certificate, const struct err *err);
    void *arg;
};

static void entered(void *arg, enum outcome outcome, const struct sign_told *told,
                    const struct err *err)
{
    struct entering entering = *(struct entering *)arg;
    struct entering **link = &entering.all->entering;

    while (*link != arg) {
        link = &(*link)->next;
    }
    *link = entering.next;
    rows_free(arg);
    entering.done(entering.arg, outcome == OUTCOME_OK ? text_trim(told->certificate) : TEXT(""),
                  outcome == OUTCOME_OK ? NULL : err);
}

void authorities_enter(struct authorities *all, struct text cluster, struct text who,
                       struct text key,
                       void (*done)(void *arg, struct text certificate, const struct err *err),
                       void *arg)
{
    struct authority *one = authority_have(all, cluster);
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
        err_set(&err, CODE_R0710, "nobody logs in to machines of %.*s yet", TEXT_ARG(cluster));
        done(arg, TEXT(""), &err);
        return;
    }
    if (!signer_have(all, &err)) {
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
    (void)answer; /* the next sweep looks again */
}

/* Is nothing left of its cluster? */
static bool is_over(const struct authorities *all, const struct cache_object *object)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text tenant = cache_tenant(object);
    struct text id = cache_id(object);
    struct text machines =
        arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(id));

    return cache_find(all->options.cache, tenant, TEXT("Cluster"), id) == NULL &&
           cache_first(all->options.cache, machines) == NULL;
}

static void authority_free(struct authority *one)
{
    arena_free(one->known);
    arena_free(one->own);
    arena_free(one->home);
}

static void forgotten(void *arg, enum outcome outcome, const struct sign_told *told,
                      const struct err *err)
{
    (void)arg;
    (void)outcome;
    (void)told;
    (void)err; /* a process that could not, has ended and holds nothing any more */
}

static void authority_drop(struct authorities *all, struct text cluster)
{
    struct authority *one = map_find(&all->map, cluster);
    struct sign_ask ask = { .method = SIGN_FORGET, .authority = cluster, .who = TEXT("reeved") };

    if (one == NULL || one->is_making || one->is_signing) {
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

static void row_sweep(void *arg, const struct cache_object *object)
{
    struct sweeping *sweeping = arg;
    struct text key = arena_printf(sweeping->arena, "%.*s/base", TEXT_ARG(blob_text(object->key)));
    struct store_compare compare = { .key = key, .revision = object->parts[CACHE_BASE].revision };
    struct store_op op = { .key = key, .is_delete = true };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    if (object->parts[CACHE_BASE].bytes != NULL && is_over(sweeping->all, object)) {
        authority_drop(sweeping->all,
                       arena_printf(sweeping->arena, "%.*s/%.*s", TEXT_ARG(cache_tenant(object)),
                                    TEXT_ARG(cache_id(object))));
        store_txn(sweeping->all->options.store, &txn, removed, NULL);
    }
}

/* Authorities whose clusters are gone. */
static void sweep_due(void *arg)
{
    struct authorities *all = arg;
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct sweeping sweeping = { all, arena };
    struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT("Authority") };
    struct cache_page page = { 0 };
    struct err err;

    if (cache_state(all->options.cache) == CACHE_READY) {
        (void)!cache_list(all->options.cache, arena, &scope, &page, LIMIT_AUTHORITIES_SWEPT,
                          row_sweep, &sweeping, &err);
    }
}

bool authorities_open(const struct authorities_options *options, struct authorities **out,
                      struct err *err)
{
    struct authorities *all = rows_resize(NULL, sizeof(*all));
    uint64_t every_ms = LIMIT_AUTHORITIES_SWEEP_MS / options->haste;

    assert(options->haste > 0);
    *all = (struct authorities){ .options = *options,
                                 .home = arena_new_small(LIMIT_WORK_ARENA_BYTES) };
    map_init(&all->map, all->home);
    own_key_draw(all);
    if (!loop_timer_open(options->loop, again_due, all, &all->again, err) ||
        !loop_timer_open(options->loop, sweep_due, all, &all->sweep, err)) {
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
    arena_free(all->home);
    rows_free(all);
}
