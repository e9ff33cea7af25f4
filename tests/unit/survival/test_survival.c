/* Level D against a model: managers with members of a store, a network that is cut, processes that
 * are killed at every step, machines that go and return, and providers that prove death or do not.
 *
 * One step of the model is one second. After each one, two invariants are checked: at most one
 * store accepts writes, and no store accepts writes after one of a newer generation was opened. */

#include "unit.h"

#include "plan/voters.h"
#include "survival/survival.h"

enum { HOSTS = 5, STORES = 64, NONE = -1, SECOND = 1000, START_MS = 1000000 };

enum provider_mode {
    PROVIDER_PROVES,
    PROVIDER_TIMES_OUT,
    PROVIDER_SAYS_RUNNING,
    PROVIDER_FALSE_ONCE,
    PROVIDER_OTHER_ID,
    PROVIDER_MODES,
};

/* What a manager has read of the store: in a file, so that a restart of the process keeps it. */
struct reading {
    uint64_t generation;
    uint64_t read_ms;
    unsigned voters; /* bits of hosts */
    unsigned learners;
    unsigned live;
};

struct host {
    bool is_up;
    bool has_process;
    bool is_frozen; /* SIGSTOP of the manager */
    bool is_member_on;
    unsigned boot;
    int store; /* of its member; NONE: it has no member */
    uint64_t index;
    struct survival_state state;
    struct reading reading;

    /* memory of the process */
    uint64_t static_since_ms;
    struct survival_proof proofs[HOSTS];
    uint64_t contact_ms[HOSTS];
    bool is_commanded;
    bool is_alone;

    int kill_in; /* number of writes and acts until the process is killed; NONE: never */
    uint64_t restart_ms;
    enum survival_level level;
    enum provider_mode provider; /* how its provider answers about it */
    bool has_lied;
    uint64_t label; /* reeve.fenced of its machine */
};

struct model_store {
    uint64_t generation;
    unsigned voters;
    unsigned learners;
    bool is_open;
    uint64_t index;
    uint64_t heard_ms[HOSTS];   /* of managers */
    uint64_t fresh_ms[HOSTS];   /* since then fresh */
    uint64_t member_ms[HOSTS];  /* of members */
    uint64_t learner_ms[HOSTS]; /* since then a learner */
    struct survival_proof proofs[HOSTS];
};

struct model {
    struct host hosts[HOSTS];
    struct model_store stores[STORES];
    int store_count;
    bool reaches[HOSTS][HOSTS];
    uint64_t now_ms;
    uint64_t opened; /* newest generation that was opened */
    uint32_t checks_off;
    size_t violations;
    size_t stopped_running; /* machines that were stopped while they ran */
    bool has_labels;
    const char *what;
};

static const char *const host_names[HOSTS] = { "m1", "m2", "m3", "m4", "m5" };
static const char *const host_zones[HOSTS] = { "a", "b", "c", "a", "b" };

static unsigned bits_count(unsigned bits)
{
    unsigned count = 0;

    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static bool is_linked(const struct model *model, int a, int b)
{
    return a == b || (model->reaches[a][b] && model->reaches[b][a]);
}

static bool is_member(const struct model *model, int host, int store)
{
    const struct host *self = &model->hosts[host];

    return self->is_up && self->is_member_on && self->store == store;
}

/* Returns a voter that leads the store; NONE: it has no quorum. */
static int store_leader(const struct model *model, int store)
{
    const struct model_store *it = &model->stores[store];

    for (int i = 0; i < HOSTS; i++) {
        unsigned count = 0;

        if ((it->voters & 1u << i) == 0 || !is_member(model, i, store)) {
            continue;
        }
        for (int j = 0; j < HOSTS; j++) {
            count +=
                (it->voters & 1u << j) != 0 && is_member(model, j, store) && is_linked(model, i, j);
        }
        if (count >= bits_count(it->voters) / 2 + 1) {
            return i;
        }
    }
    return NONE;
}

static bool is_writable(const struct model *model, int store)
{
    return model->stores[store].is_open && store_leader(model, store) != NONE;
}

/* Returns the store that the manager reaches; NONE: it has no linearizable answer. */
static int host_store(const struct model *model, int host)
{
    for (int i = 0; i < model->store_count; i++) {
        int leader = store_leader(model, i);

        if (model->stores[i].generation == model->hosts[host].state.generation &&
            model->stores[i].is_open && leader != NONE && is_linked(model, host, leader)) {
            return i;
        }
    }
    return NONE;
}

static bool has_manager(const struct model *model, int host)
{
    const struct host *it = &model->hosts[host];

    return it->is_up && it->has_process && !it->is_frozen;
}

static void boot_name(const struct model *model, int host, char out[static SURVIVAL_ID_BYTES])
{
    snprintf(out, SURVIVAL_ID_BYTES, "boot-%u", model->hosts[host].boot);
}

static void process_forget(struct host *host)
{
    host->static_since_ms = 0;
    memset(host->proofs, 0, sizeof(host->proofs));
    memset(host->contact_ms, 0, sizeof(host->contact_ms));
    host->is_commanded = false;
    host->is_alone = false;
}

/* Ends the process at a point where it may be killed. Returns true if that happened. */
static bool is_killed(struct model *model, struct host *host)
{
    if (host->kill_in == NONE || host->kill_in-- > 0) {
        return false;
    }
    host->kill_in = NONE;
    host->has_process = false;
    host->restart_ms = model->now_ms + 4 * SECOND;
    process_forget(host);
    return true;
}

static void machine_off(struct model *model, int host)
{
    struct host *it = &model->hosts[host];

    it->is_up = false;
    it->has_process = false;
    it->is_frozen = false;
    it->is_member_on = false;
    process_forget(it);
    (void)model;
}

/* Starts a machine: its member runs only after the manager has found that it may vote. The time of
 * the former boot says nothing. */
static void machine_on(struct model *model, int host)
{
    struct host *it = &model->hosts[host];

    it->is_up = true;
    it->has_process = true;
    it->boot++;
    it->reading.read_ms = 0;
    (void)model;
}

/* ---- what a manager sees ---- */

static enum survival_answer provider_answer(struct model *model, int about, uint64_t label,
                                            enum survival_question question)
{
    struct host *it = &model->hosts[about];

    switch (it->provider) {
    case PROVIDER_TIMES_OUT:
    case PROVIDER_OTHER_ID:
        return SURVIVAL_ANSWER_NONE;
    case PROVIDER_SAYS_RUNNING:
        return SURVIVAL_ANSWER_RUNNING;
    case PROVIDER_FALSE_ONCE:
        if (!it->has_lied && question == SURVIVAL_QUESTION_DESCRIBE) {
            it->has_lied = true;
            return SURVIVAL_ANSWER_STOPPED;
        }
        break;
    case PROVIDER_PROVES:
    case PROVIDER_MODES:
        break;
    }
    if (question == SURVIVAL_QUESTION_LABEL) {
        it->label = label > it->label ? label : it->label;
        return SURVIVAL_ANSWER_LABELLED;
    }
    if (question == SURVIVAL_QUESTION_STOP) {
        model->stopped_running += it->is_up;
        machine_off(model, about);
        return SURVIVAL_ANSWER_STOP_DONE;
    }
    return it->is_up ? SURVIVAL_ANSWER_RUNNING : SURVIVAL_ANSWER_STOPPED;
}

static void evidence_collect(struct model *model, int host, const struct survival_view *view)
{
    for (int i = 0; i < HOSTS; i++) {
        struct survival_proof *proof = &model->hosts[host].proofs[i];
        enum survival_question question;

        proof->has_labels = model->has_labels;
        question = survival_proof_next(proof, model->now_ms);
        if (!view->managers[i].is_answering && question != SURVIVAL_QUESTION_NONE) {
            survival_proof_answer(
                proof, provider_answer(model, i, model->hosts[host].state.generation + 1, question),
                model->now_ms);
        }
    }
}

/* Returns the newest reading of the managers that answer. */
static const struct reading *reading_newest(const struct model *model, int host)
{
    const struct reading *newest = &model->hosts[host].reading;

    for (int i = 0; i < HOSTS; i++) {
        const struct reading *other = &model->hosts[i].reading;

        if (has_manager(model, i) && is_linked(model, host, i) &&
            (other->generation > newest->generation ||
             (other->generation == newest->generation && other->read_ms > newest->read_ms))) {
            newest = other;
        }
    }
    return newest;
}

static bool has_contact(const struct model *model, int host, int about)
{
    for (int i = 0; i < HOSTS; i++) {
        uint64_t contact_ms = model->hosts[i].contact_ms[about];

        if (has_manager(model, i) && is_linked(model, host, i) && contact_ms != 0 &&
            model->now_ms - contact_ms < 10 * SECOND) {
            return true;
        }
    }
    return false;
}

struct seen {
    struct survival_manager managers[HOSTS];
    char boots[HOSTS][SURVIVAL_ID_BYTES];
    struct survival_view view;
};

static void view_make(const struct model *model, int host, struct seen *out)
{
    const struct reading *reading = reading_newest(model, host);
    const struct host *self = &model->hosts[host];

    *out = (struct seen){ 0 };
    for (int i = 0; i < HOSTS; i++) {
        const struct host *other = &model->hosts[i];
        unsigned bit = 1u << i;

        boot_name(model, i, out->boots[i]);
        out->managers[i] = (struct survival_manager){
            .id = text_from(host_names[i]),
            .has_member = ((reading->voters | reading->learners) & bit) != 0,
            .may_have_member = ((reading->voters | reading->learners | reading->live) & bit) != 0,
            .is_learner = (reading->learners & bit) != 0,
            .is_self = i == host,
            .is_answering = i == host || (has_manager(model, i) && is_linked(model, host, i)),
            .is_in_contact = i != host && has_contact(model, host, i),
            .proof = self->proofs[i],
        };
        if (out->managers[i].is_answering) {
            out->managers[i].is_static = other->static_since_ms != 0;
            out->managers[i].is_cleared =
                survival_is_cleared(&other->state, text_from(out->boots[i]));
            out->managers[i].generation = other->state.generation;
            out->managers[i].index = other->index;
            out->managers[i].promised = other->state.promised;
            out->managers[i].promised_to = text_from(other->state.candidate);
            out->managers[i].has_begun = other->state.phase != SURVIVAL_PHASE_IDLE;
        }
    }
    out->view = (struct survival_view){ .managers = out->managers,
                                        .count = HOSTS,
                                        .now_ms = model->now_ms,
                                        .static_since_ms = self->static_since_ms,
                                        .read_ms = reading->read_ms,
                                        .boot = text_from(out->boots[host]),
                                        .label = self->label,
                                        .has_label = model->has_labels,
                                        .is_commanded = self->is_commanded,
                                        .is_alone = self->is_alone,
                                        .checks_off = model->checks_off };
}

/* ---- acts of a manager ---- */

static void promise_request(struct model *model, int about, int candidate, uint64_t generation)
{
    struct host *other = &model->hosts[about];
    struct survival_state next;
    struct seen seen;
    const char *reason;

    view_make(model, about, &seen);
    if (survival_promise(&other->state, &seen.view, text_from(host_names[candidate]), generation,
                         &next, &reason)) {
        other->state = next;
        (void)is_killed(model, other);
    }
}

static void host_rebuild(struct model *model, int host)
{
    struct host *it = &model->hosts[host];
    int store = model->store_count;

    if (it->store != NONE && model->stores[it->store].generation == it->state.promised) {
        store = it->store; /* the member has been rebuilt already */
    } else {
        assert_true(store < STORES);
        model->stores[model->store_count++] = (struct model_store){
            .generation = it->state.promised, .voters = 1u << host, .index = it->index
        };
    }
    it->store = store;
    it->is_member_on = true;
    if (!is_killed(model, it)) {
        it->state = survival_rebuilt(&it->state);
    }
}

static void host_head(struct model *model, int host)
{
    struct host *it = &model->hosts[host];
    struct model_store *store = &model->stores[it->store];

    store->is_open = true;
    if (store->generation > model->opened) {
        model->opened = store->generation;
    }
    if (!is_killed(model, it)) {
        it->state = survival_opened(&it->state);
    }
}

static void host_act(struct model *model, int host, const struct survival_step *step,
                     const struct survival_view *view)
{
    struct host *it = &model->hosts[host];
    char boot[SURVIVAL_ID_BYTES];

    boot_name(model, host, boot);
    it->level = step->level;
    it->state = step->next;
    if (step->act != SURVIVAL_ACT_NONE && step->act != SURVIVAL_ACT_PROVE && is_killed(model, it)) {
        return;
    }
    switch (step->act) {
    case SURVIVAL_ACT_PROVE:
        evidence_collect(model, host, view);
        break;
    case SURVIVAL_ACT_ASK:
        promise_request(model, (int)step->about, host, step->generation);
        break;
    case SURVIVAL_ACT_REBUILD:
        host_rebuild(model, host);
        break;
    case SURVIVAL_ACT_HEAD:
        host_head(model, host);
        break;
    case SURVIVAL_ACT_JOIN:
        it->is_member_on = false;
        it->store = NONE;
        it->state =
            survival_joined(&it->state, view->managers[step->about].generation, text_from(boot));
        break;
    case SURVIVAL_ACT_NONE:
    case SURVIVAL_ACT_CLEAR:
    case SURVIVAL_ACT_PROMISE:
    case SURVIVAL_ACT_COUNT:
        break;
    }
}

static void host_run(struct model *model, int host)
{
    struct host *it = &model->hosts[host];
    int store = host_store(model, host);
    char boot[SURVIVAL_ID_BYTES];
    struct survival_step step;
    struct seen seen;

    boot_name(model, host, boot);
    for (int i = 0; i < HOSTS; i++) {
        if (model->hosts[i].is_up && model->hosts[i].is_member_on && is_linked(model, host, i)) {
            it->contact_ms[i] = model->now_ms;
        }
    }
    if (store != NONE) {
        struct model_store *read = &model->stores[store];

        it->static_since_ms = 0;
        memset(it->proofs, 0, sizeof(it->proofs));
        it->reading =
            (struct reading){ read->generation, model->now_ms, read->voters, read->learners, 0 };
        for (int i = 0; i < HOSTS; i++) {
            it->reading.live |= read->heard_ms[i] + 30 * SECOND > model->now_ms ? 1u << i : 0;
        }
        it->state.had_peers = true;
    } else if (it->static_since_ms == 0) {
        it->static_since_ms = model->now_ms;
    }
    view_make(model, host, &seen);
    step = survival_decide(&it->state, &seen.view);
    host_act(model, host, &step, &seen.view);
    /* reeve-store runs the member of a manager that may vote */
    if (it->is_up && it->store != NONE && it->state.phase == SURVIVAL_PHASE_IDLE &&
        survival_is_cleared(&it->state, text_from(boot))) {
        it->is_member_on = true;
    } else if (!survival_is_cleared(&it->state, text_from(boot))) {
        it->is_member_on = false;
    }
}

/* ---- the housekeeper ---- */

static void voters_act_apply(struct model *model, int store, const struct plan_voters_act *act)
{
    struct model_store *it = &model->stores[store];
    int host = 0;

    while (host < HOSTS - 1 && !text_is(act->manager, host_names[host])) {
        host++;
    }
    switch (act->kind) {
    case PLAN_VOTERS_ADD:
        it->learners |= 1u << host;
        it->learner_ms[host] = model->now_ms;
        it->member_ms[host] = model->now_ms;
        model->hosts[host].store = store;
        model->hosts[host].is_member_on = true;
        break;
    case PLAN_VOTERS_PROMOTE:
        it->learners &= ~(1u << host);
        it->voters |= 1u << host;
        break;
    case PLAN_VOTERS_REMOVE:
        it->learners &= ~(1u << host);
        it->voters &= ~(1u << host);
        if (has_manager(model, host) && model->hosts[host].store == store &&
            host_store(model, host) == store) {
            model->hosts[host].store = NONE; /* the manager puts the member aside */
            model->hosts[host].is_member_on = false;
        }
        break;
    case PLAN_VOTERS_MOVE_LEADER:
    case PLAN_VOTERS_NONE:
    case PLAN_VOTERS_KIND_COUNT:
        break;
    }
}

/* The housekeeper asks the providers about machines that it does not hear. */
static void stopped_find(struct model *model, int store, int host, bool is_heard)
{
    struct survival_proof *proof = &model->stores[store].proofs[host];
    enum survival_question question = survival_proof_next(proof, model->now_ms);

    if (is_heard) {
        *proof = (struct survival_proof){ 0 };
    } else if (question != SURVIVAL_QUESTION_NONE && proof->proven_ms == 0) {
        survival_proof_answer(proof, provider_answer(model, host, 0, question), model->now_ms);
    }
}

static void housekeeper_run(struct model *model, int store, int leader)
{
    struct model_store *it = &model->stores[store];
    struct plan_voters_manager managers[HOSTS];
    struct plan_voters_member members[HOSTS];
    size_t member_count = 0;
    struct plan_voters_evidence evidence = { .has_quorum = true,
                                             .leader = (uint64_t)leader + 1,
                                             .limits = { .silent_ms = 30 * SECOND,
                                                         .fresh_ms = 60 * SECOND } };
    struct plan_voters_act act;

    for (int i = 0; i < HOSTS; i++) {
        bool is_fresh = has_manager(model, i) && host_store(model, i) == store &&
                        model->hosts[i].state.generation == it->generation;
        bool is_heard = is_member(model, i, store) && is_linked(model, leader, i);

        it->heard_ms[i] = is_fresh ? model->now_ms : it->heard_ms[i];
        it->fresh_ms[i] = !is_fresh ? 0 : it->fresh_ms[i] == 0 ? model->now_ms : it->fresh_ms[i];
        stopped_find(model, store, i, is_fresh || is_heard);
        managers[i] = (struct plan_voters_manager){ .id = text_from(host_names[i]),
                                                    .zone = text_from(host_zones[i]),
                                                    .heard_ms = it->heard_ms[i],
                                                    .fresh_since_ms = it->fresh_ms[i],
                                                    .is_stopped = it->proofs[i].proven_ms != 0 };
        it->member_ms[i] = is_heard ? model->now_ms : it->member_ms[i];
        if (((it->voters | it->learners) & 1u << i) != 0) {
            members[member_count++] = (struct plan_voters_member){
                .id = (uint64_t)i + 1,
                .manager = managers[i].id,
                .heard_ms = it->member_ms[i],
                .is_heard = is_heard,
                .is_learner = (it->learners & 1u << i) != 0,
                .is_caught_up = is_heard && model->now_ms - it->learner_ms[i] >= 2 * SECOND,
            };
        }
    }
    act = plan_voters(managers, HOSTS, members, member_count, &evidence, model->now_ms);
    voters_act_apply(model, store, &act);
}

/* ---- time ---- */

static void invariants_check(struct model *model)
{
    int writable = 0;

    for (int i = 0; i < model->store_count; i++) {
        if (!is_writable(model, i)) {
            continue;
        }
        writable++;
        if (model->stores[i].generation < model->opened) {
            model->violations++;
            model->what = "an older store accepts writes";
        }
    }
    if (writable > 1) {
        model->violations++;
        model->what = "two stores accept writes";
    }
}

static void stores_run(struct model *model)
{
    for (int i = 0; i < model->store_count; i++) {
        int leader = is_writable(model, i) ? store_leader(model, i) : NONE;

        if (leader == NONE) {
            continue;
        }
        model->stores[i].index++;
        for (int j = 0; j < HOSTS; j++) {
            if (is_member(model, j, i) && is_linked(model, leader, j)) {
                model->hosts[j].index = model->stores[i].index;
            }
        }
        for (int j = 0; j < HOSTS; j++) {
            if (has_manager(model, j) && host_store(model, j) == i) {
                housekeeper_run(model, i, leader);
                break;
            }
        }
    }
}

static void model_run(struct model *model, unsigned seconds)
{
    for (unsigned n = 0; n < seconds; n++) {
        model->now_ms += SECOND;
        for (int i = 0; i < HOSTS; i++) {
            struct host *it = &model->hosts[i];

            if (it->is_up && !it->has_process && it->restart_ms <= model->now_ms) {
                it->has_process = true;
            }
            if (has_manager(model, i)) {
                host_run(model, i);
                invariants_check(model);
            }
        }
        stores_run(model);
        invariants_check(model);
    }
}

static void model_init(struct model *model, int hosts, enum provider_mode provider)
{
    *model = (struct model){ .now_ms = START_MS, .store_count = 1, .opened = 1, .what = "" };
    for (int i = 0; i < HOSTS; i++) {
        struct host *it = &model->hosts[i];

        *it = (struct host){ .is_up = i < hosts,
                             .has_process = i < hosts,
                             .store = NONE,
                             .state = { .generation = 1 },
                             .kill_in = NONE,
                             .provider = provider };
        boot_name(model, i, it->state.boot);
        for (int j = 0; j < HOSTS; j++) {
            model->reaches[i][j] = true;
        }
    }
    model->hosts[0].store = 0;
    model->hosts[0].is_member_on = true;
    model->stores[0] = (struct model_store){ .generation = 1, .voters = 1, .is_open = true };
    model_run(model, 200);
}

static bool is_serving(const struct model *model)
{
    for (int i = 0; i < model->store_count; i++) {
        if (is_writable(model, i)) {
            return true;
        }
    }
    return false;
}

/* Runs until a store accepts writes. Returns the seconds; `limit` if none did. */
static unsigned until_serving(struct model *model, unsigned limit)
{
    for (unsigned n = 0; n < limit; n++) {
        if (is_serving(model)) {
            return n;
        }
        model_run(model, 1);
    }
    return limit;
}

/* ---- tests ---- */

static void test_grows(void **state)
{
    struct model model;

    (void)state;
    model_init(&model, 5, PROVIDER_PROVES);
    assert_int_equal(bits_count(model.stores[0].voters), 3);
    assert_int_equal(model.stores[0].learners, 0);
    model_init(&model, 2, PROVIDER_PROVES);
    assert_int_equal(bits_count(model.stores[0].voters), 1);
    assert_int_equal(bits_count(model.stores[0].learners), 1);
}

/* Loses four of five machines in this order; no operator acts. */
static void order_run(const int order[HOSTS])
{
    struct model model;

    model_init(&model, 5, PROVIDER_PROVES);
    for (int i = 0; i < HOSTS - 1; i++) {
        machine_off(&model, order[i]);
        model_run(&model, 30);
    }
    assert_in_range(until_serving(&model, 100), 0, 60);
    model_run(&model, 120);
    assert_true(is_serving(&model));
    assert_int_equal(model.violations, 0);
    assert_int_equal(model.stopped_running, 0);
    machine_off(&model, order[HOSTS - 1]);
    model_run(&model, 10);
    assert_false(is_serving(&model));
    /* all return, the last survivor as the last one: the others wait for it */
    for (int i = 0; i < HOSTS - 1; i++) {
        machine_on(&model, order[i]);
        model_run(&model, 60);
        assert_int_equal(model.violations, 0);
    }
    machine_on(&model, order[HOSTS - 1]);
    model_run(&model, 300);
    assert_int_equal(model.violations, 0);
    assert_true(is_serving(&model));
}

static void test_all_orders(void **state)
{
    size_t count = 0;

    (void)state;
    for (unsigned code = 0; code < 3125; code++) {
        int order[HOSTS];
        unsigned seen = 0;
        unsigned rest = code;

        for (int i = 0; i < HOSTS; i++) {
            order[i] = (int)(rest % HOSTS);
            seen |= 1u << order[i];
            rest /= HOSTS;
        }
        if (seen == 31) {
            order_run(order);
            count++;
        }
    }
    assert_int_equal(count, 120);
}

static void loss_run(unsigned lost, enum provider_mode provider, uint32_t checks_off,
                     size_t *violations)
{
    struct model model;
    bool has_quorum;
    bool has_data;

    model_init(&model, 5, provider);
    model.checks_off = checks_off;
    for (int i = 0; i < HOSTS; i++) {
        if ((lost & 1u << i) != 0) {
            machine_off(&model, i);
        }
    }
    has_quorum = is_serving(&model);
    has_data = (model.stores[0].voters & ~lost) != 0;
    if (has_quorum ||
        (has_data && (provider == PROVIDER_PROVES || provider == PROVIDER_FALSE_ONCE))) {
        assert_in_range(until_serving(&model, 100), 0, 60);
        model_run(&model, 200);
        assert_true(is_serving(&model));
    } else {
        model_run(&model, 600);
        if (is_serving(&model)) {
            (*violations)++;
            return;
        }
        for (int i = 0; i < HOSTS; i++) {
            assert_true((lost & 1u << i) != 0 || model.hosts[i].level == SURVIVAL_LEVEL_E);
        }
    }
    *violations += model.violations;
}

static void test_losses_at_once(void **state)
{
    size_t violations = 0;

    (void)state;
    for (int provider = 0; provider < PROVIDER_MODES; provider++) {
        for (unsigned lost = 1; lost < 31; lost++) {
            if (bits_count(lost) >= 2 && bits_count(lost) <= 4) {
                loss_run(lost, (enum provider_mode)provider, 0, &violations);
            }
        }
    }
    assert_int_equal(violations, 0);
}

/* A manager is cut off: the others are alive, so it never promotes itself, whatever its provider
 * answers, and it stops no machine that runs. */
static void test_cut_off(void **state)
{
    (void)state;
    for (int provider = 0; provider < PROVIDER_MODES; provider++) {
        for (int cut = 0; cut < HOSTS; cut++) {
            struct model model;

            model_init(&model, 5, (enum provider_mode)provider);
            for (int i = 0; i < HOSTS; i++) {
                model.reaches[cut][i] = i == cut;
            }
            model_run(&model, 400);
            assert_int_equal(model.violations, 0);
            assert_int_equal(model.stopped_running, 0);
            assert_int_equal(model.opened, 1);
            for (int i = 0; i < HOSTS; i++) {
                model.reaches[cut][i] = true;
            }
            model_run(&model, 200);
            assert_int_equal(model.violations, 0);
            assert_int_equal(bits_count(model.stores[0].voters), 3);
        }
    }
}

/* The voter of two goes, the learner serves alone, and the voter returns, with and without a
 * link to it. */
static void test_sole_voter_returns(void **state)
{
    struct model model;

    (void)state;
    model_init(&model, 2, PROVIDER_PROVES);
    machine_off(&model, 0);
    assert_in_range(until_serving(&model, 100), 1, 60);
    assert_int_equal(model.opened, 2);
    model.reaches[0][1] = false;
    machine_on(&model, 0);
    model_run(&model, 300);
    assert_int_equal(model.violations, 0);
    assert_int_equal(model.hosts[0].level, SURVIVAL_LEVEL_E);
    model.reaches[0][1] = true;
    model_run(&model, 300);
    assert_int_equal(model.violations, 0);
    assert_int_equal(bits_count(model.stores[1].learners), 1);
}

/* Two of three voters go, the third serves alone, and the old majority returns without a link to
 * it. A label on the machines tells them why they have to wait. */
static void test_old_majority_returns(void **state)
{
    (void)state;
    for (int has_labels = 0; has_labels < 2; has_labels++) {
        struct model model;

        model_init(&model, 3, PROVIDER_PROVES);
        model.has_labels = has_labels != 0;
        machine_off(&model, 0);
        machine_off(&model, 1);
        assert_in_range(until_serving(&model, 100), 1, 60);
        model.reaches[0][2] = model.reaches[1][2] = false;
        machine_on(&model, 0);
        machine_on(&model, 1);
        model_run(&model, 300);
        assert_int_equal(model.violations, 0);
        assert_int_equal(model.hosts[0].level, SURVIVAL_LEVEL_E);
        model.reaches[0][2] = model.reaches[1][2] = true;
        model_run(&model, 400);
        assert_int_equal(model.violations, 0);
        assert_int_equal(bits_count(model.stores[model.store_count - 1].voters), 3);
    }
}

/* With `never`, a majority serves at once after a boot, and nothing is ever promoted. */
static void test_never(void **state)
{
    struct model model;

    (void)state;
    model_init(&model, 3, PROVIDER_PROVES);
    for (int i = 0; i < 3; i++) {
        model.hosts[i].state.mode = SURVIVAL_MODE_NEVER;
    }
    machine_off(&model, 0);
    machine_off(&model, 1);
    model_run(&model, 300);
    assert_false(is_serving(&model));
    assert_int_equal(model.hosts[2].level, SURVIVAL_LEVEL_C);
    machine_on(&model, 1);
    assert_in_range(until_serving(&model, 10), 0, 3);
    assert_int_equal(model.opened, 1);
}

/* With `manual`, and at level E, the verb of an operator decides. */
static void test_operator(void **state)
{
    struct model model;

    (void)state;
    model_init(&model, 3, PROVIDER_TIMES_OUT);
    model.hosts[2].state.mode = SURVIVAL_MODE_MANUAL;
    machine_off(&model, 0);
    machine_off(&model, 1);
    model_run(&model, 100);
    assert_false(is_serving(&model));
    model.hosts[2].proofs[0].operator_ms = model.now_ms;
    model.hosts[2].proofs[1].operator_ms = model.now_ms;
    model_run(&model, 10);
    assert_false(is_serving(&model));
    model.hosts[2].is_commanded = true;
    assert_in_range(until_serving(&model, 100), 1, 5);
    /* all go; one of the others returns, and an operator says that nothing newer exists */
    machine_off(&model, 2);
    machine_on(&model, 1);
    model_run(&model, 60);
    assert_false(is_serving(&model));
    assert_int_equal(model.violations, 0);
    /* the name of a member that answers another manager is no proof */
    model_init(&model, 3, PROVIDER_TIMES_OUT);
    model.reaches[2][0] = model.reaches[2][1] = false;
    model_run(&model, 5);
    model.hosts[2].is_commanded = true;
    model.hosts[2].proofs[0].operator_ms = model.hosts[2].proofs[1].operator_ms = model.now_ms;
    model.reaches[2][0] = true;
    model.hosts[0].is_frozen = true;
    model_run(&model, 60);
    assert_int_equal(model.violations, 0);
    assert_int_equal(model.opened, 1);
}

/* One random event. */
static void event_random(struct model *model, uint32_t *seed)
{
    int host = (int)(unit_random(seed) % HOSTS);
    int other = (int)(unit_random(seed) % HOSTS);
    struct host *it = &model->hosts[host];

    switch (unit_random(seed) % 9) {
    case 0:
    case 1:
        machine_off(model, host);
        break;
    case 2:
    case 3:
        if (!it->is_up) {
            machine_on(model, host);
        }
        break;
    case 4:
        it->kill_in = (int)(unit_random(seed) % 4);
        break;
    case 5:
        model->reaches[host][other] = host == other;
        break;
    case 6:
        for (int i = 0; i < HOSTS; i++) {
            model->reaches[host][i] = model->reaches[i][host] = host == i;
        }
        break;
    case 7:
        for (int i = 0; i < HOSTS; i++) {
            model->reaches[host][i] = model->reaches[i][host] = true;
        }
        break;
    default:
        it->is_frozen = it->is_up && it->has_process && !it->is_frozen;
        break;
    }
}

static bool run_random(uint32_t number, uint32_t checks_off, const char **what, uint64_t *opened)
{
    uint32_t seed = number * 2654435761u + 1;
    struct model model;

    model_init(&model, 2 + (int)(number % 4), PROVIDER_PROVES);
    model.checks_off = checks_off;
    model.has_labels = number % 3 == 0;
    for (int i = 0; i < HOSTS; i++) {
        model.hosts[i].provider = unit_random(&seed) % 8 == 0
                                      ? (enum provider_mode)(unit_random(&seed) % PROVIDER_MODES)
                                      : PROVIDER_PROVES;
    }
    for (int n = 0; n < 40 && model.violations == 0 && model.store_count < STORES - 8; n++) {
        event_random(&model, &seed);
        model_run(&model, unit_random(&seed) % 3 == 0 ? 90 : unit_random(&seed) % 12);
    }
    *what = model.what;
    *opened = model.opened;
    return model.violations == 0;
}

static void test_random(void **state)
{
    size_t promoted = 0;

    (void)state;
    for (uint32_t number = 1; number <= 600; number++) {
        const char *what = "";
        uint64_t opened = 0;

        if (!run_random(number, 0, &what, &opened)) {
            fprintf(stderr, "# seed %u: %s\n", number, what);
            assert_true(false);
        }
        promoted += opened > 1;
    }
    fprintf(stderr, "# %zu of 600 runs had a promotion\n", promoted);
    assert_true(promoted > 50);
}

/* ---- each check by itself ---- */

/* Two managers: this one, m1, has a member; m2 was a voter. */
struct guarded {
    struct survival_manager managers[2];
    struct survival_view view;
    struct survival_state state;
};

static void guarded_make(struct guarded *out, uint32_t checks_off)
{
    const uint64_t now_ms = START_MS;

    *out = (struct guarded){
        .managers = { { .id = TEXT("m1"),
                        .has_member = true,
                        .may_have_member = true,
                        .is_self = true,
                        .is_answering = true,
                        .is_static = true,
                        .is_cleared = true,
                        .generation = 1,
                        .index = 7 },
                      { .id = TEXT("m2"),
                        .has_member = true,
                        .may_have_member = true,
                        .proof = { .stopped_ms = now_ms - 30 * SECOND,
                                   .latest_ms = now_ms - 1000,
                                   .stop_ms = now_ms - 20 * SECOND,
                                   .proven_ms = now_ms - 1000 } } },
        .view = { .count = 2,
                  .now_ms = now_ms,
                  .static_since_ms = now_ms - 40 * SECOND,
                  .read_ms = now_ms - 45 * SECOND,
                  .boot = TEXT("boot"),
                  .checks_off = checks_off },
        .state = { .generation = 1, .boot = "boot", .had_peers = true },
    };
}

/* m2 answers, and is static too. */
static void guarded_answers(struct guarded *it)
{
    it->managers[1] = (struct survival_manager){ .id = TEXT("m2"),
                                                 .has_member = true,
                                                 .may_have_member = true,
                                                 .is_answering = true,
                                                 .is_static = true,
                                                 .is_cleared = true,
                                                 .generation = 1 };
}

static enum survival_act guarded_act(struct guarded *it)
{
    it->view.managers = it->managers;
    return survival_decide(&it->state, &it->view).act;
}

static bool guarded_promises(struct guarded *it, struct text candidate, uint64_t generation)
{
    struct survival_state next;
    const char *reason = NULL;
    bool is_promised;

    it->view.managers = it->managers;
    is_promised = survival_promise(&it->state, &it->view, candidate, generation, &next, &reason);
    assert_true(is_promised == (reason == NULL));
    return is_promised;
}

static void promised_set(struct guarded *it, uint64_t generation, const char *candidate)
{
    it->state.promised = generation;
    snprintf(it->state.candidate, sizeof(it->state.candidate), "%s", candidate);
}

/* Returns whether the check protects its case. */
static bool is_guarded(enum survival_check check, uint32_t checks_off)
{
    struct guarded it;

    guarded_make(&it, checks_off);
    switch (check) {
    case SURVIVAL_CHECK_PROOF:
        it.managers[1].proof = (struct survival_proof){ 0 };
        return guarded_act(&it) == SURVIVAL_ACT_PROVE;
    case SURVIVAL_CHECK_CONTACT:
        it.managers[1].is_in_contact = true;
        return guarded_act(&it) == SURVIVAL_ACT_PROVE;
    case SURVIVAL_CHECK_PROMISE:
        promised_set(&it, 2, "m2");
        return !guarded_promises(&it, TEXT("m3"), 2) && guarded_promises(&it, TEXT("m2"), 2) &&
               guarded_promises(&it, TEXT("m3"), 3);
    case SURVIVAL_CHECK_ALL:
        guarded_answers(&it);
        promised_set(&it, 2, "m1");
        return guarded_act(&it) == SURVIVAL_ACT_ASK;
    case SURVIVAL_CHECK_STATIC:
        guarded_answers(&it);
        it.managers[1].is_static = false;
        return guarded_act(&it) == SURVIVAL_ACT_NONE;
    case SURVIVAL_CHECK_RETURN:
        it.view.boot = TEXT("another boot");
        return guarded_act(&it) == SURVIVAL_ACT_NONE;
    case SURVIVAL_CHECK_HIGHER:
        guarded_answers(&it);
        promised_set(&it, 2, "m1");
        it.state.phase = SURVIVAL_PHASE_REBUILD;
        it.managers[1].promised = 3;
        return guarded_act(&it) == SURVIVAL_ACT_CLEAR;
    case SURVIVAL_CHECK_AGE:
        it.managers[1].proof.proven_ms = it.view.now_ms - 31 * SECOND;
        return guarded_act(&it) == SURVIVAL_ACT_PROVE;
    case SURVIVAL_CHECK_BEGUN:
        promised_set(&it, 2, "m1");
        it.state.phase = SURVIVAL_PHASE_REBUILD;
        return !guarded_promises(&it, TEXT("m2"), 3);
    case SURVIVAL_CHECK_WINDOW:
    case SURVIVAL_CHECK_NONE:
    case SURVIVAL_CHECK_COUNT:
        break;
    }
    it.view.read_ms = it.managers[1].proof.stopped_ms - 51 * SECOND;
    return guarded_act(&it) == SURVIVAL_ACT_PROVE;
}

static void test_switches(void **state)
{
    struct guarded it;

    (void)state;
    guarded_make(&it, 0);
    assert_int_equal(guarded_act(&it), SURVIVAL_ACT_PROMISE);
    for (unsigned check = 1; check < SURVIVAL_CHECK_COUNT; check++) {
        assert_true(is_guarded((enum survival_check)check, 0));
        assert_false(is_guarded((enum survival_check)check, 1u << check));
    }
}

/* The model notices the checks that random runs depend on. */
static void test_model_notices(void **state)
{
    static const enum survival_check checks[] = { SURVIVAL_CHECK_PROOF, SURVIVAL_CHECK_RETURN };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
        bool is_noticed = false;

        for (uint32_t number = 1; number <= 500 && !is_noticed; number++) {
            const char *what = "";
            uint64_t opened;

            is_noticed = !run_random(number, 1u << checks[i], &what, &opened);
        }
        assert_true(is_noticed);
    }
}

/* One wrong report stops no machine, and a proof needs two reports, the stop and a third one. */
static void test_proof(void **state)
{
    struct survival_proof proof = { .has_labels = true };

    (void)state;
    assert_int_equal(survival_proof_next(&proof, 1000), SURVIVAL_QUESTION_DESCRIBE);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOPPED, 1000);
    assert_int_equal(survival_proof_next(&proof, 2000), SURVIVAL_QUESTION_NONE);
    assert_int_equal(survival_proof_next(&proof, 6000), SURVIVAL_QUESTION_DESCRIBE);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_RUNNING, 6000);
    assert_int_equal(survival_proof_next(&proof, 6000), SURVIVAL_QUESTION_DESCRIBE);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOPPED, 7000);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOPPED, 12000);
    assert_int_equal(survival_proof_next(&proof, 12000), SURVIVAL_QUESTION_STOP);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOP_DONE, 12000);
    assert_int_equal(survival_proof_next(&proof, 12000), SURVIVAL_QUESTION_LABEL);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOPPED, 17000);
    assert_int_equal(survival_proof_kind(&proof, 0, 40000), SURVIVAL_PROOF_NONE);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_LABELLED, 17000);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_STOPPED, 36500);
    assert_int_equal(survival_proof_kind(&proof, 0, 40000), SURVIVAL_PROOF_PROVIDER);
    assert_int_equal(survival_proof_kind(&proof, 0, 67000), SURVIVAL_PROOF_NONE);
    /* an operator is contradicted by a report of a running machine */
    proof = (struct survival_proof){ .operator_ms = 50000 };
    assert_int_equal(survival_proof_kind(&proof, 0, 60000), SURVIVAL_PROOF_OPERATOR);
    survival_proof_answer(&proof, SURVIVAL_ANSWER_RUNNING, 60000);
    assert_int_equal(survival_proof_kind(&proof, 0, 60000), SURVIVAL_PROOF_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_losses_at_once),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_sole_voter_returns),
        cmocka_unit_test(test_old_majority_returns),
        cmocka_unit_test(test_never),
        cmocka_unit_test(test_operator),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_model_notices),
        cmocka_unit_test(test_proof),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
