#include "base/limits.h"
#include "hands/hands_parts.h"

#include <assert.h>

/* A run begins with the session of its node, or with a new one; a session with the first hand that has room, or a new
 * one, or in the place of the session that was idle for longest.
 *
 * Failures: the node cannot be reached: it has a pause. The hand ended before the node was asked for anything: the run is
 * tried again, for nothing has happened. A kept session turns out to be gone: the same. */

enum { TRIES_MAX = 3, PAUSE_DOUBLINGS_MAX = 20 };

static uint64_t now_ms(const struct hands *hands)
{
    return loop_now_ms(hands->options.loop);
}

/* Doubles with each failure; between half of it and all. */
static uint64_t pause_ms(const struct hands *hands, unsigned failures)
{
    const struct hands_limits *limits = &hands->options.limits;
    unsigned doublings = failures < PAUSE_DOUBLINGS_MAX ? failures : PAUSE_DOUBLINGS_MAX;
    uint64_t pause = limits->pause_ms << (doublings == 0 ? 0 : doublings - 1);

    pause = pause < limits->pause_max_ms ? pause : limits->pause_max_ms;
    return pause / 2 + random_below(hands->options.random, (size_t)(pause / 2) + 1);
}

/* ---- hands ---- */

/* One that ends may have met what no other one will; one after the other has a reason. */
static void hand_failed(struct hands *hands)
{
    hands->hand_not_before_ms =
        hands->hand_failures == 0 ? 0 : now_ms(hands) + pause_ms(hands, hands->hand_failures);
    hands->hand_failures++;
}

static void hand_idle_set(struct hand *hand)
{
    struct hands *hands = hand->hands;

    if (hand->sessions == 0) {
        heap_put(&hands->idle_hands, &hand->idle, now_ms(hands) + hands->options.limits.idle_ms);
    } else {
        heap_remove(&hands->idle_hands, &hand->idle);
    }
    hands_stir(hands);
}

static void hand_ended(void *arg, const char *why)
{
    struct hand *hand = arg;
    struct hands *hands = hand->hands;

    log_warn(hands->options.log, "hand", "ended", log_string("reason", why));
    hand->is_over = true;
    hand_failed(hands);
    hands_stir(hands);
}

MUST_CHECK static bool hand_make(struct hands *hands, bool is_openssh, struct hand **out,
                                 struct err *err)
{
    const struct hands_maker *maker = &hands->options.maker;
    struct hand *hand = rows_resize(NULL, sizeof(*hand));

    *hand = (struct hand){ .hands = hands, .is_openssh = is_openssh };
    if (!maker->make(maker->arg, is_openssh, hand_ended, hand, &hand->transport, err)) {
        hand_failed(hands);
        rows_free(hand);
        return false;
    }
    hand->next = hands->hand_list;
    hands->hand_list = hand;
    hands->hand_count++;
    *out = hand;
    return true;
}

static struct hand *hand_with_room(const struct hands *hands, bool is_openssh)
{
    for (struct hand *hand = hands->hand_list; hand != NULL; hand = hand->next) {
        if (hand->is_openssh == is_openssh && !hand->is_over &&
            hand->sessions < hands->options.limits.hand_sessions) {
            return hand;
        }
    }
    return NULL;
}

/* Of all idle sessions of such hands the one that will be closed next. */
static bool idle_evict(struct hands *hands, bool is_openssh)
{
    struct node *oldest = NULL;

    for (size_t i = 0; i < hands->idle.count; i++) {
        struct node *node = heap_owner(hands->idle.nodes[i], struct node, idle);

        if (node->session != NULL && node->hand->is_openssh == is_openssh && !node->hand->is_over &&
            (oldest == NULL || node->idle.due < oldest->idle.due)) {
            oldest = node;
        }
    }
    if (oldest != NULL) {
        hands_session_close(oldest);
    }
    return oldest != NULL;
}

MUST_CHECK static bool hand_have(struct hands *hands, bool is_openssh, struct hand **out,
                                 struct err *err)
{
    *out = hand_with_room(hands, is_openssh);
    if (*out != NULL) {
        return true;
    }
    if (hands->hand_count < hands->options.limits.hands) {
        if (now_ms(hands) < hands->hand_not_before_ms) {
            return err_set(err, CODE_R0700, "it ended a moment ago, and is not started yet");
        }
        return hand_make(hands, is_openssh, out, err);
    }
    if (idle_evict(hands, is_openssh)) {
        *out = hand_with_room(hands, is_openssh);
    }
    return *out != NULL || err_set(err, CODE_R0700, "there are as many sessions as there may be");
}

void hands_sweep(struct hands *hands, bool is_all)
{
    for (struct hand **at = &hands->hand_list, *hand; (hand = *at) != NULL;) {
        bool is_idle = hand->idle.is_in && hand->idle.due <= now_ms(hands);

        if (hand->sessions == 0 && (is_all || hand->is_over || is_idle)) {
            *at = hand->next;
            heap_remove(&hands->idle_hands, &hand->idle);
            hands->options.maker.drop(hands->options.maker.arg, hand->transport);
            hands->hand_count--;
            rows_free(hand);
        } else {
            at = &hand->next;
        }
    }
}

/* ---- runs ---- */

static bool may_again(const struct hands_run *run)
{
    return run->tries < TRIES_MAX && !run->is_cancelled && !run->node->hands->is_closing;
}

static void again(struct hands_run *run)
{
    hands_session_close(run->node);
    hands_run_begin(run);
}

static void output_came(void *arg, enum transport_stream stream, struct text piece)
{
    struct hands_run *run = arg;
    struct buf *kept = &run->output[stream];

    buf_add(kept, text_slice(piece, 0, LIMIT_HANDS_OUTPUT_BYTES - kept->length));
    if (run->order.output != NULL) {
        run->order.output(run->arg, stream, piece);
    }
}

static void call_ended(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct hands_run *run = arg;
    bool is_gone = answer->fault == TRANSPORT_FAULT_CLOSED ||
                   answer->fault == TRANSPORT_FAULT_CUT || answer->fault == TRANSPORT_FAULT_HAND;

    run->call = NULL;
    if (outcome == OUTCOME_REFUSED && is_gone && may_again(run)) {
        again(run);
        return;
    }
    hands_run_end(run, outcome, answer);
}

/* Only the piece that is on its way is in memory, of as many runs as there are. */
static void input_wanted(void *arg)
{
    struct hands_run *run = arg;
    const struct hands_order *order = &run->order;
    char piece[LIMIT_HAND_PIECE_BYTES];
    uint64_t left = order->input_bytes - run->given;
    size_t length = left < sizeof(piece) ? (size_t)left : sizeof(piece);
    uint64_t offset = run->given;

    run->given += length;
    if (order->read_input == NULL) {
        transport_give(run->call, text_slice(order->input, (size_t)offset, length));
    } else if (order->read_input(run->arg, offset, piece, length)) {
        transport_give(run->call, (struct text){ piece, length });
    } else {
        hands_cancel(run);
    }
}

static void call_begin(struct hands_run *run)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct hands_order *order = &run->order;
    struct transport_session *session = run->node->session;
    uint64_t now = now_ms(run->node->hands);
    uint64_t left_ms = run->due_ms > now ? run->due_ms - now : 1;
    struct transport_command command = {
        .command =
            order->write_command == NULL ? order->command : order->write_command(run->arg, arena),
        .input_bytes = order->input_bytes,
        .wants = input_wanted,
        .deadline_ms = left_ms,
        .output_max = order->output == NULL   ? LIMIT_HANDS_OUTPUT_BYTES
                      : order->output_max > 0 ? order->output_max
                                              : UINT64_MAX,
        .is_linewise = order->is_linewise,
        .output = output_came,
    };
    char digest[DIGEST_TEXT_BYTES];
    struct transport_file file = { .path = order->path,
                                   .input_bytes = order->input_bytes,
                                   .wants = input_wanted,
                                   .mode = order->mode,
                                   .deadline_ms = left_ms };

    if (order->kind == HANDS_PUT) {
        digest_sha256(order->input, digest);
        file.digest = text_from(digest);
    }
    run->is_asked = true;
    run->given = 0;
    run->call = order->kind == HANDS_EXEC  ? transport_exec(session, &command, call_ended, run)
                : order->kind == HANDS_PUT ? transport_put(session, &file, call_ended, run)
                                           : transport_get(session, order->path, order->limit_bytes,
                                                           left_ms, call_ended, run);
    if (run->is_paused) {
        transport_pause(run->call);
    }
}

/* ---- sessions ---- */

void hands_session_close(struct node *node)
{
    struct transport_session *session = node->session;
    struct hand *hand = node->hand;

    if (session == NULL) {
        return;
    }
    node->session = NULL; /* whoever is told by the close finds none */
    node->hand = NULL;
    transport_close(session);
    hand->sessions--;
    hand_idle_set(hand);
}

/* What is wrong here, and not with the node. */
static bool is_ours(enum transport_fault fault)
{
    return fault == TRANSPORT_FAULT_INVALID || fault == TRANSPORT_FAULT_UNSUPPORTED ||
           fault == TRANSPORT_FAULT_CANCELLED || fault == TRANSPORT_FAULT_CLOSED ||
           fault == TRANSPORT_FAULT_LIMIT || fault == TRANSPORT_FAULT_HAND;
}

static void session_opened(void *arg, enum outcome outcome, const struct transport_answer *answer)
{
    struct node *node = arg;
    struct hands *hands = node->hands;
    struct hands_run *run = node->running;
    struct transport_answer told = *answer;

    if (run == NULL || hands->is_closing) {
        return; /* it is being closed */
    }
    arena_clear(node->home);
    node->host_key = arena_text(node->home, answer->host_key);
    node->why = arena_text(node->home, answer->message);
    node->is_first = answer->is_first;
    if (outcome == OUTCOME_OK) {
        node->failures = 0;
        hands->hand_failures = 0;
        if (run->is_cancelled) {
            hands_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED, "it was cancelled");
        } else {
            call_begin(run);
        }
        return;
    }
    told.message = node->why;
    told.host_key = node->host_key;
    if (answer->fault == TRANSPORT_FAULT_HAND && may_again(run)) {
        again(run);
        return;
    }
    if (!is_ours(answer->fault)) {
        node->failures++;
        node->fault = answer->fault;
        node->not_before_ms = now_ms(hands) + pause_ms(hands, node->failures);
    }
    hands_session_close(node);
    hands_run_end(run, OUTCOME_REFUSED, &told);
}

/* Nobody used it, or the run that did has been told. */
static void session_lost(void *arg, enum transport_fault fault, struct text why)
{
    struct node *node = arg;

    (void)fault;
    (void)why;
    hands_session_close(node);
}

static void session_begin(struct hands_run *run)
{
    const struct transport_target *target = &run->order.target;
    struct node *node = run->node;
    struct hands *hands = node->hands;
    bool is_openssh = target->is_operators || target->authority.length > 0 ||
                      target->exchange == TRANSPORT_SNTRUP761;
    uint64_t left_ms = run->due_ms > now_ms(hands) ? run->due_ms - now_ms(hands) : 1;
    uint64_t most_ms = hands->options.limits.open_ms;
    struct hand *hand;
    struct err err;

    if (!hand_have(hands, is_openssh, &hand, &err)) {
        hands_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_HAND, err.text);
        return;
    }
    run->is_asked = true;
    hand->sessions++;
    hands->opened++;
    node->hand = hand;
    memcpy(node->target, run->target, sizeof(node->target));
    memcpy(node->login, run->login, sizeof(node->login));
    hand_idle_set(hand);
    node->session = transport_open(hand->transport, target, left_ms < most_ms ? left_ms : most_ms,
                                   session_lost, session_opened, node);
}

/* A wrong host key says nothing of a target that should have another one, and a refused login nothing of another key of the user. */
static bool is_left_in_peace(const struct node *node, const struct hands_run *run)
{
    bool is_other = node->fault == TRANSPORT_FAULT_HOST_KEY
                        ? memcmp(node->target, run->target, sizeof(node->target)) != 0
                        : node->fault == TRANSPORT_FAULT_USER_KEY &&
                              memcmp(node->login, run->login, sizeof(node->login)) != 0;

    return now_ms(node->hands) < node->not_before_ms && !is_other;
}

void hands_run_begin(struct hands_run *run)
{
    struct node *node = run->node;

    assert(node->running == run);
    run->tries++;
    if (run->is_cancelled) {
        hands_run_fail(run, OUTCOME_REFUSED, TRANSPORT_FAULT_CANCELLED, "it was cancelled");
        return;
    }
    if (is_left_in_peace(node, run)) {
        struct transport_answer answer = { .fault = node->fault,
                                           .message = node->why,
                                           .host_key = node->host_key };

        hands_run_end(run, OUTCOME_REFUSED, &answer);
        return;
    }
    if (node->session != NULL && (memcmp(node->target, run->target, sizeof(node->target)) != 0 ||
                                  !transport_is_open(node->session))) {
        hands_session_close(node);
    }
    if (node->session != NULL) {
        call_begin(run);
    } else {
        session_begin(run);
    }
}
