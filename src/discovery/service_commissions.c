#include "base/sort.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "query/query_parts.h"
#include "records/discovered.h"
#include "state/batches.h"

#include <string.h>

/* public names start with: commissions_ service_ */

/* Makes the batch job of a commission that has batches (decision 0166).
 *
 * Normal case: an operator has commissioned machines in batches. The batches are stored in the
 * reservation of each row, and later in its claim. When all machines of the request are claimed,
 * one transaction writes the request of the job and its name into each claim. Until then no stages
 * begin on the machines (members_commission.c).
 *
 * Failures: a machine that disappears before it is claimed delays the others for at most a minute.
 * If it is claimed later, it gets a separate job. If a row changes in the meantime, the transaction
 * fails, and the rows are read again. */

enum {
    COMMISSIONS_MAX = 100,               /* maximum number of machines in one job */
    COMMISSIONS_AGAIN_MS = 2 * 1000,     /* time until the rows are read again */
    COMMISSIONS_PATIENCE_MS = 60 * 1000, /* how long claimed machines wait for the others */
};

/* A claimed machine of the request. */
struct commissions_machine {
    struct discovered row;
    uint64_t revision;
    int64_t batch;
};

struct commissions {
    struct service *service;
    struct cache_watch *watch;
    bool is_due;      /* rows may have changed since the last check */
    bool is_writing;  /* a transaction is pending */
    int64_t again_ms; /* next check without a change, by the wall clock; 0: none */
    struct text tenant;
    struct text request; /* name of the request under construction */
    struct doc batching; /* batch settings of the request */
    struct commissions_machine machines[COMMISSIONS_MAX];
    size_t count;
    size_t missing; /* machines of the request that are not claimed */
};

static void commissions_seen(void *arg, enum cache_watch_state state,
                             const struct cache_change *change)
{
    static const char member[] = "\"batching\"";
    struct commissions *commissions = arg;

    if (state == CACHE_WATCH_RESET) {
        commissions->watch = NULL;
    } else if (change->part == CACHE_BASE && change->bytes != NULL) {
        struct text bytes = blob_text(change->bytes);

        commissions->is_due = commissions->is_due ||
                              memmem(bytes.data, bytes.length, member, sizeof(member) - 1) != NULL;
    }
}

/* ---- which machines ---- */

static void commissions_add(struct commissions *commissions, const struct discovered *row,
                            uint64_t revision, const struct doc *batching)
{
    if (commissions->count < COMMISSIONS_MAX) {
        commissions->machines[commissions->count++] = (struct commissions_machine){
            .row = *row, .revision = revision, .batch = doc_child_number(batching, "batch")
        };
        commissions->batching = *batching;
    }
}

/* Read the batches from the claim of a row, or else from its reservation. Returns false if there
 * are none. */
static bool commissions_read(struct arena *arena, const struct cache_object *object,
                             struct discovered *out, struct doc *out_batching)
{
    struct err err;
    struct text bytes;

    if (!text_is(cache_kind(object), DISCOVERED_KIND) || !discovered_read(arena, object, out)) {
        return false;
    }
    bytes = out->claim.token.length > 0 ? out->claim.batching : out->reserved.batching;
    return bytes.length > 0 && json_parse(arena, bytes, NULL, out_batching, &err);
}

/* Find the machines of one request: the first request in the order of names after `passed` that has
 * a claimed machine. */
static void commissions_find(struct commissions *commissions, struct arena *arena,
                             struct text passed)
{
    const struct cache *cache = commissions->service->cache;

    commissions->count = 0;
    commissions->missing = 0;
    commissions->request = TEXT("");
    for (size_t turn = 0; turn < 2; turn++) {
        /* the first iteration chooses the request, the second one collects its machines */
        for (const struct cache_object *object = cache_first(cache, TEXT("/")); object != NULL;
             object = cache_next(cache, TEXT("/"), object)) {
            struct discovered row;
            struct doc batching;
            struct text request;

            if (!commissions_read(arena, object, &row, &batching)) {
                continue;
            }
            request = doc_child_text(&batching, "request");
            if (turn == 0) {
                if (row.claim.token.length > 0 && text_compare(request, passed) > 0 &&
                    (commissions->request.length == 0 ||
                     text_compare(request, commissions->request) < 0)) {
                    commissions->request = request;
                    commissions->tenant = arena_text(arena, cache_tenant(object));
                }
            } else if (text_is_equal(request, commissions->request) &&
                       text_is_equal(cache_tenant(object), commissions->tenant)) {
                if (row.claim.token.length > 0) {
                    commissions_add(commissions, &row, object->parts[CACHE_BASE].revision,
                                    &batching);
                } else {
                    commissions->missing++;
                }
            }
        }
    }
}

/* ---- the job ---- */

static int commissions_compare(const void *a, const void *b, void *arg)
{
    const struct commissions_machine *left = a;
    const struct commissions_machine *right = b;

    (void)arg;
    if (left->batch != right->batch) {
        return left->batch < right->batch ? -1 : 1;
    }
    return (left->row.claim.slot > right->row.claim.slot) -
           (left->row.claim.slot < right->row.claim.slot);
}

static uint64_t commissions_number(const struct commissions *commissions, const char *name)
{
    int64_t number = doc_child_number(&commissions->batching, name);

    return number > 0 ? (uint64_t)number : 0;
}

/* Returns the request of the job, with the machines in the order of their batches. */
static struct text commissions_format(struct commissions *commissions, struct arena *arena)
{
    const struct service_ports *ports = &commissions->service->ports;
    struct text *tokens = arena_array(arena, struct text, commissions->count);
    uint32_t *ends = arena_array(arena, uint32_t, commissions->count);
    struct batches request = {
        .verb = BATCHES_VERB_COMMISSION,
        .at_ms = ports->wall_ms(ports->arg),
        .by = doc_child_text(&commissions->batching, "by"),
        .why = doc_child_text(&commissions->batching, "why"),
        .is_failed = true,
        .tokens = tokens,
        .count = commissions->count,
        .ends = ends,
        .max_fail = commissions_number(commissions, "maxFail"),
        .pause_ms = commissions_number(commissions, "pause"),
        .bake_ms = commissions_number(commissions, "bake"),
        .deadline_ms = commissions_number(commissions, "deadline"),
        .group = commissions->machines[0].row.claim.group,
    };

    for (size_t i = 0; i < commissions->count; i++) {
        const struct commissions_machine *machine = &commissions->machines[i];

        tokens[i] = machine->row.claim.token;
        if (i + 1 == commissions->count || machine[1].batch != machine->batch) {
            request.canaries +=
                machine->batch < doc_child_number(&commissions->batching, "canaries");
            ends[request.batch_count++] = (uint32_t)i + 1;
        }
    }
    return batches_format(arena, &request);
}

static void commissions_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct commissions *commissions = arg;
    struct service *service = commissions->service;

    (void)answer;
    commissions->is_writing = false;
    commissions->is_due = true; /* another request may wait */
    if (outcome != OUTCOME_OK) {
        commissions->again_ms = service->ports.wall_ms(service->ports.arg) + COMMISSIONS_AGAIN_MS;
    }
    arena_free(service->commissions_arena);
    service->commissions_arena = NULL;
}

/* Write the request of the job, and its name into the claims of its machines. */
static void commissions_write(struct commissions *commissions, struct arena *arena)
{
    struct service *service = commissions->service;
    struct store_op *ops = arena_array(arena, struct store_op, commissions->count + 1);
    struct store_compare *compares =
        arena_array(arena, struct store_compare, commissions->count + 1);
    struct text cluster;
    struct text name;

    sort_stable(arena, commissions->machines, commissions->count, sizeof(*commissions->machines),
                commissions_compare, NULL);
    cluster = commissions->machines[0].row.claim.cluster;
    name = arena_printf(arena, "%016llx",
                        (unsigned long long)text_hash(commissions->machines[0].row.claim.token,
                                                      text_hash(commissions->request, 1)));
    for (size_t i = 0; i < commissions->count; i++) {
        struct commissions_machine *machine = &commissions->machines[i];

        machine->row.claim.batching = TEXT("");
        machine->row.claim.batch_job = name;
        ops[i] = (struct store_op){
            .key = discovered_key(arena, commissions->tenant, machine->row.id),
            .value = discovered_format(arena, &machine->row),
        };
        compares[i] = (struct store_compare){ ops[i].key, machine->revision };
    }
    ops[commissions->count] = (struct store_op){
        .key = objects_key(arena, commissions->tenant, TEXT(BATCHES_KIND),
                           arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(name)),
                           CACHE_BASE),
        .value = commissions_format(commissions, arena),
    };
    compares[commissions->count] = (struct store_compare){ ops[commissions->count].key, 0 };
    commissions->is_writing = true;
    service->commissions_arena = arena;
    store_txn(service->store,
              &(struct store_txn){ compares, commissions->count + 1, ops, commissions->count + 1,
                                   NULL, 0 },
              commissions_written, commissions);
}

static bool commissions_is_ready(const struct commissions *commissions)
{
    const struct service_ports *ports = &commissions->service->ports;

    return commissions->missing == 0 || commissions->count == COMMISSIONS_MAX ||
           ports->wall_ms(ports->arg) >=
               doc_child_number(&commissions->batching, "at") + COMMISSIONS_PATIENCE_MS;
}

static void commissions_look(struct commissions *commissions)
{
    const struct service_ports *ports = &commissions->service->ports;
    struct arena *arena = arena_new(SIZE_MAX);
    struct text passed = TEXT("");

    commissions->is_due = false;
    commissions->again_ms = 0;
    for (;;) {
        commissions_find(commissions, arena, passed);
        if (commissions->count == 0) {
            break;
        }
        if (commissions_is_ready(commissions)) {
            commissions_write(commissions, arena);
            return;
        }
        commissions->again_ms = ports->wall_ms(ports->arg) + COMMISSIONS_AGAIN_MS;
        passed = commissions->request;
    }
    arena_free(arena);
}

void service_commissions(struct service *service)
{
    const struct service_ports *ports = &service->ports;
    struct cache *cache = service->cache;
    const struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT(DISCOVERED_KIND) };
    struct commissions *commissions = service->commissions;

    /* only in the process that reconciles the clusters, so that it is done once */
    if (!service_is_ready(service) || service->reconciler.pass == NULL) {
        return;
    }
    if (commissions == NULL) {
        commissions = service->commissions = arena_one(service->memory, struct commissions);
        *commissions = (struct commissions){ .service = service };
    }
    if (commissions->watch == NULL) {
        commissions->watch =
            cache_watch(cache, &scope, cache_revision(cache) + 1, commissions_seen, commissions);
        commissions->is_due = true;
    }
    if (!commissions->is_writing &&
        (commissions->is_due ||
         (commissions->again_ms > 0 && ports->wall_ms(ports->arg) >= commissions->again_ms))) {
        commissions_look(commissions);
    }
}
