#include "provider/hosted.h"

#include "codec/json.h"
#include "model/properties.h"
#include "provider/hosted_parts.h"
#include "provider/tags.h"
#include "records/intent.h"
#include "reeve/plugin.h"
#include "sys/folder.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LATE "the plugin has not answered in time"

/* Maximum divisor of deadlines with a time scale. Processes do not run faster in scaled time, so
 * shorter deadlines would fail. */
enum { TIME_SCALE_MAX = 10 };

static struct hosted *hosted_self_of(struct provider *provider)
{
    return (struct hosted *)provider;
}

static uint64_t hosted_now_ms(const struct hosted *self)
{
    return loop_now_ms(self->options.loop);
}

/* ---- ends of calls ---- */

/* Updates the counts of active calls after a call of the process has ended. */
static void call_take_back(struct hosted *self, struct hosted_call *call)
{
    assert(!call->is_under_way || self->under_way > 0);
    self->under_way -= call->is_under_way;
    self->reading -= call->is_under_way && hosted_is_reading(call);
    call->is_under_way = false;
}

static bool has_hosted_words(struct text text, const char *words)
{
    return memmem(text.data, text.length, words, strlen(words)) != NULL;
}

/* Handles a failure that a full disk of the plugin's folder has caused. Plugins report this in
 * different ways or not at all, so the outcome becomes "no capacity" with the name of the
 * folder. */
static void disk_judge(struct hosted *self, struct hosted_call *call, enum outcome outcome)
{
    struct provider_answer *answer = &call->answer;
    struct text folder = self->options.folder;

    if (outcome == OUTCOME_OK ||
        (outcome == OUTCOME_REFUSED && answer->fault != PROVIDER_FAULT_TRANSIENT &&
         answer->fault != PROVIDER_FAULT_CAPACITY && answer->fault != PROVIDER_FAULT_NONE) ||
        !(has_hosted_words(answer->message, strerror(ENOSPC)) ||
          has_hosted_words(answer->message, strerror(EDQUOT)) ||
          folder_is_full(arena_string(call->arena, folder)))) {
        return;
    }
    answer->message = arena_printf(
        call->arena, "no space left for plugin %.*s; make room on the disk of %.*s%s%.*s",
        TEXT_ARG(self->options.facts->open.name), TEXT_ARG(folder),
        answer->message.length > 0 ? ": " : "", TEXT_ARG(answer->message));
    answer->fault = PROVIDER_FAULT_CAPACITY;
}

void hosted_call_ready(struct hosted *self, struct hosted_call *call, enum outcome outcome)
{
    assert(!call->is_ready && !call->is_given_up);
    disk_judge(self, call, outcome);
    self->waiting -= !call->is_sent && call->frame.length > 0;
    call_take_back(self, call);
    call->is_ready = true;
    call->outcome = outcome;
    self->ready++;
    self->options.wake(self->options.arg);
}

bool hosted_is_reading(const struct hosted_call *call)
{
    return call->method == WIRE_DESCRIBE || call->method == WIRE_VALIDATE ||
           call->method == WIRE_PREFLIGHT || call->method == WIRE_RESOURCES ||
           call->method == WIRE_CONSOLE;
}

void hosted_call_fail(struct hosted *self, struct hosted_call *call, const char *why)
{
    call->answer = (struct provider_answer){ .fault = PROVIDER_FAULT_TRANSIENT };
    call->answer.message =
        arena_printf(call->arena, "plugin %.*s: %s", TEXT_ARG(self->options.facts->open.name), why);
    hosted_call_ready(
        self, call, call->is_sent && !hosted_is_reading(call) ? OUTCOME_UNKNOWN : OUTCOME_REFUSED);
}

static void hosted_call_free(struct hosted_call *call)
{
    arena_free(call->arena);
}

/* ---- the process ---- */

void hosted_forget(struct hosted *self, const char *why)
{
    uint64_t pause = self->options.patience.pause_ms;

    snprintf(self->why, sizeof(self->why), "%s", why);
    if (!self->is_closed) {
        log_warn(self->options.log, "plugin", "ended",
                 log_text("plugin", self->options.facts->open.name),
                 log_text("tenant", self->options.tenant),
                 log_text("reason", text_from(self->why)));
    }
    for (unsigned i = 0; i < self->failures && pause < self->options.patience.pause_max_ms; i++) {
        pause *= 2;
    }
    self->failures++;
    self->not_before_ms = hosted_now_ms(self) + pause;
    link_close(self->link);
    self->link = NULL;
    hosted_state_drop(self);
    self->is_greeted = false;
    self->is_renewing = false;
    for (struct hosted_call **at = &self->calls, *call; (call = *at) != NULL;) {
        if (call->is_given_up) {
            *at = call->next;
            call_take_back(self, call);
            hosted_call_free(call);
            continue;
        }
        if (!call->is_ready) {
            hosted_call_fail(self, call, self->why);
        }
        at = &call->next;
    }
    self->last = &self->calls;
    while (*self->last != NULL) {
        self->last = &(*self->last)->next;
    }
}

static void host_ended(void *arg, const char *why)
{
    hosted_forget(arg, why);
}

void hosted_call_remove(struct hosted *self, struct hosted_call *gone)
{
    struct hosted_call **at = &self->calls;

    while (*at != gone) {
        at = &(*at)->next;
    }
    *at = gone->next;
    if (self->last == &gone->next) {
        self->last = at;
    }
    call_take_back(self, gone);
    hosted_call_free(gone);
}

/* ---- sending ---- */

/* Starts the process if it is not running. Returns false if that is impossible now; self->why has
 * the reason. */
static bool host_have(struct hosted *self)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct link_options options = {
        .loop = self->options.loop,
        .log = self->options.log,
        .alive = self->options.alive,
        .program = self->options.program,
        .end_ms = self->options.patience.end_ms,
        .open = self->options.facts->open,
        .reported = hosted_event,
        .ended = host_ended,
        .arg = self,
    };
    struct err err;

    if (self->link != NULL) {
        return true;
    }
    if (self->failures > 0 && hosted_now_ms(self) < self->not_before_ms) {
        return false;
    }
    options.open.folder = self->options.folder;
    options.open.settings = hosted_settings_merged(self, arena);
    options.open.has_state = self->options.state.access != NULL;
    self->starts++;
    self->greeted_until_ms = hosted_now_ms(self) + self->options.patience.start_ms;
    if (!link_open(&options, &self->link, &err)) {
        self->link = NULL;
        hosted_forget(self, err.text);
        return false;
    }
    return true;
}

static uint64_t patience_ms(const struct hosted *self, enum wire_method method)
{
    const struct hosted_patience *patience = &self->options.patience;
    uint64_t own = self->options.facts->hello.create_ms;

    switch (method) {
    case WIRE_CREATE:
        return own != 0 && own < LIMIT_HOST_CREATE_MAX_MS ? own : patience->create_ms;
    case WIRE_DESCRIBE:
    case WIRE_PREFLIGHT:
    case WIRE_RESOURCES:
    case WIRE_CONSOLE:
        return patience->read_ms;
    case WIRE_VALIDATE:
        return patience->judge_ms;
    case WIRE_DESTROY:
    case WIRE_LABEL:
    case WIRE_REBOOT:
    case WIRE_RESOURCE_DESTROY:
    case WIRE_METHOD_COUNT:
        break;
    }
    return patience->change_ms;
}

static struct hosted_call *hosted_call_new(struct hosted *self, enum wire_method method)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct hosted_call *call = arena_one(arena, struct hosted_call);

    call->arena = arena;
    call->id = ++self->next_id;
    call->method = method;
    call->deadline_ms = hosted_now_ms(self) + patience_ms(self, method);
    *self->last = call;
    self->last = &call->next;
    return call;
}

/* Returns whether the process may get one more call of this kind. A quarter of the calls is
 * reserved for reads and a quarter for changes, so that neither kind blocks the other. Otherwise
 * the listings of many clusters could take all slots, and creates would have to wait. */
static bool has_window_room(const struct hosted *self, const struct hosted_call *call)
{
    uint64_t most = self->options.facts->hello.calls_max;
    size_t same = hosted_is_reading(call) ? self->reading : self->under_way - self->reading;

    most = most == 0 ? LIMIT_HOST_CALLS : most;
    most = most < LIMIT_HOST_CALLS_MAX ? most : LIMIT_HOST_CALLS_MAX;
    return self->under_way < most && same < most - most / 4;
}

/* Sends a call to the process. From now on the call may have an effect, and its deadline starts. */
static void hosted_call_send(struct hosted *self, struct hosted_call *call)
{
    struct err err;

    self->waiting--;
    self->under_way++;
    self->reading += hosted_is_reading(call);
    call->is_sent = call->is_under_way = true;
    call->deadline_ms = hosted_now_ms(self) + patience_ms(self, call->method);
    if (!hosted_hand(self, call, &err)) {
        call->is_sent = false;
        self->waiting++;
        hosted_call_fail(self, call, err.text);
    }
}

/* Rejects waiting calls, because the process cannot be started for a while. */
static void hosted_waiting_refuse(struct hosted *self)
{
    uint64_t now = hosted_now_ms(self);
    uint64_t pause = self->not_before_ms > now ? self->not_before_ms - now : 0;

    for (struct hosted_call *call = self->calls; call != NULL; call = call->next) {
        if (!call->is_ready && !call->is_sent) {
            hosted_call_fail(self, call, self->why);
            call->answer.retry_ms = pause;
        }
    }
}

/* Sends waiting calls while the window has room. Further calls wait here and not in the process,
 * because an unsent call certainly has no effect. */
void hosted_send(struct hosted *self)
{
    if (self->waiting == 0 || self->is_closed || self->is_renewing) {
        return;
    }
    if (!host_have(self)) {
        hosted_waiting_refuse(self);
        return;
    }
    for (struct hosted_call *call = self->calls;
         call != NULL && self->waiting > 0 && self->under_way < LIMIT_HOST_CALLS_MAX;
         call = call->next) {
        if (!call->is_ready && !call->is_sent && has_window_room(self, call)) {
            hosted_call_send(self, call);
        }
    }
}

static void call_ask(struct hosted *self, struct hosted_call *call, struct wire_call wire)
{
    struct wire_message message = { .type = WIRE_CALL };
    struct buf buf;

    wire.id = call->id;
    wire.method = call->method;
    wire.left_ms = patience_ms(self, call->method);
    message.call = wire;
    buf_init(&buf, call->arena);
    wire_format(&buf, &message);
    call->frame = buf_text(&buf);
    call->is_known_sent = wire.known.length > 0;
    call->is_one = call->method == WIRE_DESCRIBE && wire.ids.count == 1;
    self->waiting++;
    self->made++;
    if (call->frame.length > LIMIT_WIRE_FRAME_BYTES) {
        hosted_call_fail(self, call, "the request is longer than the maximum message");
        return;
    }
    hosted_send(self);
}

static struct hosted_call *port_call(struct provider *port, enum wire_method method,
                                     provider_done *done, void *arg)
{
    struct hosted_call *call = hosted_call_new(hosted_self_of(port), method);

    call->done = done;
    call->arg = arg;
    return call;
}

/* Returns the group's properties for this plugin. */
static struct text request_properties(const struct hosted *self, struct arena *arena,
                                      const struct provider_request *request)
{
    struct doc leaf = { 0 };
    struct doc more = { 0 };
    struct doc made;
    struct err err;
    struct buf buf;

    (void)!json_parse(arena, request->properties, NULL, &leaf, &err);
    (void)!json_parse(arena, request->more, NULL, &more, &err);
    made = properties_make(arena, &self->options.facts->hello, &leaf, &more);
    buf_init(&buf, arena);
    json_format(&buf, &made);
    return buf_text(&buf);
}

void hosted_create(struct provider *port, const struct provider_request *request,
                   provider_done *done, void *arg)
{
    struct hosted *self = hosted_self_of(port);
    struct hosted_call *call = port_call(port, WIRE_CREATE, done, arg);

    call_ask(self, call,
             (struct wire_call){ .cluster = request->tags.cluster,
                                 .token = request->tags.token,
                                 .name = request->name,
                                 .zone = request->zone,
                                 .labels = request->labels,
                                 .properties = request_properties(self, call->arena, request),
                                 .keys = request->keys,
                                 .pins = request->pins,
                                 .tags = tags_write(call->arena, &request->tags) });
}

static void driver_create(struct provider *port, const struct intent *intent,
                          const struct provider_request *request, provider_done *done, void *arg)
{
    (void)intent;
    hosted_create(port, request, done, arg);
}

/* Returns one of the two reasons that a plugin knows (K15). The event has the exact reason. */
static struct text reason_of(const struct intent *intent)
{
    return text_has_prefix(intent_reason(intent), TEXT("roll")) ? TEXT("rolling_update")
                                                                : TEXT("terminate");
}

static struct wire_call about(const struct intent *intent)
{
    return (struct wire_call){ .cluster = intent_cluster(intent),
                               .machine = intent_id(intent),
                               .token = intent_token(intent),
                               .age_ms = intent_age_ms(intent) };
}

static void driver_destroy(struct provider *port, const struct intent *intent, provider_done *done,
                           void *arg)
{
    struct wire_call wire = about(intent);

    wire.reason = reason_of(intent);
    call_ask(hosted_self_of(port), port_call(port, WIRE_DESTROY, done, arg), wire);
}

/* Returns the labels for the plugin. `fields` of the group, the properties that the plugin changes
 * in place, become `properties` in the plugin's own spelling. */
static struct text labels_of(const struct hosted *self, struct arena *arena, struct text labels)
{
    const struct wire_hello *hello = &self->options.facts->hello;
    const struct wire_property *properties = hello->properties.items;
    struct doc_builder in_place;
    struct doc_builder builder;
    const struct doc *fields;
    struct doc made;
    struct doc doc;
    struct err err;
    struct buf buf;

    if (!json_parse(arena, labels, NULL, &doc, &err) ||
        (fields = doc_child(&doc, "fields")) == NULL) {
        return labels;
    }
    made = properties_make(arena, hello, fields, NULL);
    doc_builder_init(&in_place, arena);
    for (size_t i = 0; i < hello->properties.count; i++) {
        const struct doc *value = doc_find(&made, properties[i].name);

        if ((properties[i].flags & REEVE_PROPERTY_IN_PLACE) != 0 && value != NULL) {
            doc_builder_add(&in_place,
                            &(struct doc_entry){ .key = properties[i].name, .value = *value });
        }
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < doc.entry_count; i++) {
        if (!text_is(doc.entries[i].key, "fields")) {
            doc_builder_add(&builder, &doc.entries[i]);
        }
    }
    doc_builder_put(&builder, "properties", doc_builder_map(&in_place, NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void driver_label(struct provider *port, const struct intent *intent, struct text labels,
                         provider_done *done, void *arg)
{
    struct hosted *self = hosted_self_of(port);
    struct hosted_call *call = port_call(port, WIRE_LABEL, done, arg);
    struct wire_call wire = about(intent);

    wire.labels = labels_of(self, call->arena, labels);
    call_ask(self, call, wire);
}

static void driver_reboot(struct provider *port, const struct intent *intent, provider_done *done,
                          void *arg)
{
    call_ask(hosted_self_of(port), port_call(port, WIRE_REBOOT, done, arg), about(intent));
}

static void driver_list(struct provider *port, struct text cluster, struct text known,
                        provider_done *done, void *arg)
{
    call_ask(hosted_self_of(port), port_call(port, WIRE_DESCRIBE, done, arg),
             (struct wire_call){ .cluster = cluster, .known = known });
}

static void driver_find(struct provider *port, const struct intent *intent, provider_done *done,
                        void *arg)
{
    struct wire_call wire = about(intent);
    struct text id = wire.machine;

    wire.machine = TEXT("");
    wire.ids = (struct wire_list){ &id, 1 };
    call_ask(hosted_self_of(port), port_call(port, WIRE_DESCRIBE, done, arg), wire);
}

static void driver_resources(struct provider *port, struct text cluster, provider_done *done,
                             void *arg)
{
    call_ask(hosted_self_of(port), port_call(port, WIRE_RESOURCES, done, arg),
             (struct wire_call){ .cluster = cluster });
}

static void driver_resource_destroy(struct provider *port, const struct intent *intent,
                                    struct text kind, provider_done *done, void *arg)
{
    call_ask(hosted_self_of(port), port_call(port, WIRE_RESOURCE_DESTROY, done, arg),
             (struct wire_call){
                 .cluster = intent_cluster(intent), .kind = kind, .machine = intent_id(intent) });
}

void hosted_validate(struct provider *provider, struct text properties, hosted_judged *done,
                     void *arg)
{
    struct hosted *self = hosted_self_of(provider);
    struct hosted_call *call = hosted_call_new(self, WIRE_VALIDATE);

    call->judged = done;
    call->arg = arg;
    call_ask(self, call, (struct wire_call){ .properties = properties });
}

void hosted_preflight(struct provider *provider, const struct wire_call *wire,
                      hosted_preflighted *done, void *arg)
{
    struct hosted *self = hosted_self_of(provider);
    struct hosted_call *call = hosted_call_new(self, WIRE_PREFLIGHT);

    call->preflighted = done;
    call->arg = arg;
    call_ask(self, call, *wire);
}

void hosted_console(struct provider *provider, const struct wire_call *wire, provider_done *done,
                    void *arg)
{
    call_ask(hosted_self_of(provider), port_call(provider, WIRE_CONSOLE, done, arg), *wire);
}

void hosted_try(struct provider *provider, enum wire_method method, const struct wire_call *wire,
                provider_done *done, void *arg)
{
    assert(method < WIRE_METHOD_COUNT && done != NULL);
    call_ask(hosted_self_of(provider), port_call(provider, method, done, arg), *wire);
}

/* ---- running ---- */

/* Abandons a call. A copy of the call reports to the engine; the original waits for its answer. */
static void call_give_up(struct hosted *self, struct hosted_call *call)
{
    struct hosted_call *reported = hosted_call_new(self, call->method);

    log_warn(self->options.log, "plugin", "late",
             log_text("plugin", self->options.facts->open.name),
             log_text("tenant", self->options.tenant), log_string("reason", LATE));
    reported->is_sent = true;
    reported->done = call->done;
    reported->judged = call->judged;
    reported->preflighted = call->preflighted;
    reported->arg = call->arg;
    hosted_call_fail(self, reported, LATE);
    call->is_given_up = true;
    call->deadline_ms = hosted_now_ms(self) + self->options.patience.stuck_ms;
}

/* Returns whether the process has not yet answered an abandoned call. */
static bool is_hosted_late(const struct hosted *self)
{
    const struct hosted_call *call = self->calls;

    while (call != NULL && !call->is_given_up) {
        call = call->next;
    }
    return call != NULL;
}

/* Kills a stuck process. All its calls fail with the message of the first abandoned call, so that a
 * plugin that hangs is reported as one problem with one start time. */
static void stuck_kill(struct hosted *self)
{
    log_warn(self->options.log, "plugin", "killed",
             log_text("plugin", self->options.facts->open.name),
             log_text("tenant", self->options.tenant),
             log_string("reason", "the process of the plugin did not answer, and was killed"));
    hosted_forget(self, LATE);
}

static void hosted_deadlines_look(struct hosted *self)
{
    uint64_t now = hosted_now_ms(self);
    bool is_stuck = false;

    for (struct hosted_call *call = self->calls; call != NULL; call = call->next) {
        if (call->is_ready || now < call->deadline_ms) {
            continue;
        }
        if (call->is_given_up) {
            is_stuck = true;
        } else if (call->is_sent) {
            call_give_up(self, call);
        } else {
            hosted_call_fail(self, call,
                             is_hosted_late(self)
                                 ? LATE
                                 : "the plugin was busy with other calls until the deadline");
        }
    }
    if (self->link == NULL) {
        return;
    }
    if (is_stuck) {
        stuck_kill(self);
    } else if (!self->is_greeted && now >= self->greeted_until_ms) {
        hosted_forget(self, "the process of the plugin did not start in time, and was killed");
    }
}

static void judgement_report(const struct hosted_call *call)
{
    bool is_judged = call->outcome == OUTCOME_OK || call->answer.fault == PROVIDER_FAULT_INVALID;

    if (is_judged) {
        call->judged(call->arg, call->faults, TEXT(""));
    } else {
        call->judged(call->arg, (struct wire_list){ 0 },
                     call->answer.message.length > 0 ? call->answer.message
                                                     : TEXT("the plugin gave no reason"));
    }
}

/* If the provider refuses the machines, that is a finding. Any other failure is a problem of the
 * check itself. */
static void preflight_report(struct hosted_call *call)
{
    struct provider_preflight *found = &call->found;
    bool is_found =
        call->outcome == OUTCOME_REFUSED &&
        (call->answer.fault == PROVIDER_FAULT_INVALID ||
         call->answer.fault == PROVIDER_FAULT_AUTH || call->answer.fault == PROVIDER_FAULT_QUOTA ||
         call->answer.fault == PROVIDER_FAULT_CAPACITY);

    if (is_found) {
        struct wire_pair *pair = arena_one(call->arena, struct wire_pair);

        *pair = (struct wire_pair){ TEXT(""), TEXT("the provider refuses such machines") };
        found->fault = call->answer.fault;
        found->faults = call->faults.count > 0 ? call->faults : (struct wire_list){ pair, 1 };
    } else if (call->outcome != OUTCOME_OK) {
        found->problem = call->answer.message.length > 0 ? call->answer.message
                                                         : TEXT("the plugin gave no reason");
    }
    call->preflighted(call->arg, found);
}

static void call_report(struct hosted_call *call)
{
    if (call->preflighted != NULL) {
        preflight_report(call);
    } else if (call->judged != NULL) {
        judgement_report(call);
    } else {
        call->done(call->arg, call->outcome, &call->answer);
    }
}

/* Ready calls are removed from the list before their callbacks, because a callback may make new
 * calls. */
static size_t driver_run(struct provider *port)
{
    struct hosted *self = hosted_self_of(port);
    struct hosted_call *ready = NULL;
    struct hosted_call **end = &ready;
    size_t count = 0;

    hosted_deadlines_look(self);
    hosted_send(self);
    if (self->ready == 0) {
        return 0;
    }
    for (struct hosted_call **at = &self->calls, *call; (call = *at) != NULL;) {
        if (call->is_ready) {
            *at = call->next;
            call->next = NULL;
            *end = call;
            end = &call->next;
            count++;
        } else {
            at = &call->next;
            self->last = at;
        }
    }
    if (self->calls == NULL) {
        self->last = &self->calls;
    }
    self->ready -= count;
    for (struct hosted_call *call = ready, *next; call != NULL; call = next) {
        next = call->next;
        call_report(call);
        hosted_call_free(call);
    }
    return count;
}

static uint64_t driver_due(const struct provider *port)
{
    const struct hosted *self = (const struct hosted *)port;
    uint64_t now = hosted_now_ms(self);
    uint64_t due = UINT64_MAX;

    if (self->ready > 0) {
        return 0;
    }
    for (const struct hosted_call *call = self->calls; call != NULL; call = call->next) {
        uint64_t left = call->deadline_ms > now ? call->deadline_ms - now : 0;

        due = left < due ? left : due;
    }
    if (self->link != NULL && !self->is_greeted) {
        uint64_t left = self->greeted_until_ms > now ? self->greeted_until_ms - now : 0;

        due = left < due ? left : due;
    }
    return due;
}

static void driver_close(struct provider *port)
{
    struct hosted *self = hosted_self_of(port);

    self->is_closed = true;
    hosted_forget(self, "the manager is stopping");
    while (self->ready > 0) {
        driver_run(port);
    }
    arena_free(self->shut);
    arena_free(self->memory);
    rows_free(self->settings);
    rows_free(self);
}

struct hosted_patience hosted_patience_hastened(uint32_t time_scale)
{
    uint64_t times = time_scale == 0               ? 1
                     : time_scale < TIME_SCALE_MAX ? time_scale
                                                   : TIME_SCALE_MAX;

    return (struct hosted_patience){
        .times = (uint32_t)times,
        .judge_ms = LIMIT_HOST_READ_MS,
        .read_ms = LIMIT_HOST_READ_MS / times,
        .change_ms = LIMIT_HOST_CHANGE_MS / times,
        .create_ms = LIMIT_HOST_CREATE_MS / times,
        .stuck_ms = LIMIT_HOST_STUCK_MS / times,
        .start_ms = LIMIT_HOST_START_MS,
        .end_ms = LIMIT_HOST_END_MS,
        .pause_ms = LIMIT_HOST_PAUSE_MS,
        .pause_max_ms = LIMIT_HOST_PAUSE_MAX_MS / times,
    };
}

struct hosted_state hosted_state(const struct provider *provider)
{
    const struct hosted *self = (const struct hosted *)provider;
    struct hosted_state state = {
        .pid = self->link == NULL ? 0 : link_pid(self->link),
        .starts = self->starts,
        .calls = self->made,
        .why = text_from(self->why),
        .sandbox = self->sandbox,
    };

    for (const struct hosted_call *call = self->calls; call != NULL; call = call->next) {
        state.under_way++;
    }
    return state;
}

/* Returns the provider's traits. The plugin declares how long an abandoned call may still take
 * effect; in scaled time this is shortened like the deadlines. */
static struct provider_traits traits_of(const struct wire_hello *hello, uint32_t times)
{
    uint64_t late_ms = hello->late_ms < LIMIT_HOST_LAG_MS ? hello->late_ms : LIMIT_HOST_LAG_MS;

    assert(times > 0);
    return (struct provider_traits){
        .lag_ms = hello->lag_ms < LIMIT_HOST_LAG_MS ? hello->lag_ms : LIMIT_HOST_LAG_MS,
        .late_ms = late_ms / times,
        .is_strong = (hello->capabilities & REEVE_CAN_STRONG) != 0,
        .has_tokens = (hello->capabilities & REEVE_CAN_TOKEN) != 0,
        .is_disposable = (hello->capabilities & REEVE_CAN_DISPOSE) != 0,
        .is_host = (hello->capabilities & REEVE_CAN_HOST) != 0,
        .has_host_keys = (hello->capabilities & REEVE_CAN_HOST_KEYS) != 0,
        .can_label = (hello->methods >> WIRE_LABEL & 1) != 0,
        .can_reboot = (hello->methods >> WIRE_REBOOT & 1) != 0,
        .has_resources = (hello->methods >> WIRE_RESOURCES & 1) != 0 &&
                         (hello->methods >> WIRE_RESOURCE_DESTROY & 1) != 0,
        .calls_max = hello->calls_max < UINT32_MAX ? (uint32_t)hello->calls_max : UINT32_MAX,
        .calls_per_s = hello->calls_per_s < UINT32_MAX ? (uint32_t)hello->calls_per_s : UINT32_MAX,
    };
}

void hosted_rate(struct provider *provider, uint32_t calls_per_s)
{
    const struct hosted_options *options = &hosted_self_of(provider)->options;
    uint32_t own = traits_of(&options->facts->hello, options->patience.times).calls_per_s;

    provider->traits.calls_per_s =
        own == 0 || (calls_per_s != 0 && calls_per_s < own) ? calls_per_s : own;
}

struct provider *hosted_open(const struct hosted_options *options)
{
    static const struct provider_driver driver = {
        .name = "hosted",
        .close = driver_close,
        .run = driver_run,
        .due = driver_due,
        .create = driver_create,
        .destroy = driver_destroy,
        .label = driver_label,
        .reboot = driver_reboot,
        .list = driver_list,
        .find = driver_find,
        .resources = driver_resources,
        .resource_destroy = driver_resource_destroy,
    };
    struct hosted *self = rows_resize(NULL, sizeof(*self));

    *self = (struct hosted){
        .provider = { .driver = &driver,
                      .traits = traits_of(&options->facts->hello, options->patience.times) },
        .options = *options,
        .memory = arena_new_small(SIZE_MAX),
    };
    self->options.tenant = arena_text(self->memory, options->tenant);
    self->options.folder = arena_text(self->memory, options->folder);
    self->options.account = arena_text(self->memory, options->account);
    self->options.program = arena_string(self->memory, text_from(options->program));
    self->provider.traits.in_place_count =
        properties_in_place(self->memory, &options->facts->hello, &self->provider.traits.in_place);
    self->provider.traits.sends_in_place = self->provider.traits.can_label;
    self->last = &self->calls;
    return &self->provider;
}
