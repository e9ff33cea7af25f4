#include "nodes/probe_runs.h"

#include "base/limits.h"
#include "session/script.h"
#include "sys/dial.h"

#include <stdio.h>

/* An active probe attempt: a TCP port, or a command on the machine. */
struct probe_attempt {
    /* NULL: the probes are closed, and only the end of this run is pending */
    struct probe_runs *probes;
    struct probe_attempt *next;
    struct probe_attempt **link;
    /* Connection to a port; NULL: it could not start, and `later` reports that. */
    struct dial *dial;
    struct loop_task *later;
    enum control_probed found; /* the result that `later` reports */
    char why[LIMIT_ERROR_TEXT_BYTES];
    uint16_t port;
    bool is_ssh;
    uint64_t timeout_ms;
    struct arena *memory; /* memory of a command; NULL: a port is probed */
    struct control_way way;
    struct text command;
    bool is_waiting; /* the probe waits for login data */
    control_probe_done *done;
    void *arg;
};

struct probe_runs {
    struct loop *loop;
    struct log *log;
    struct reach *reach;
    struct probe_attempt *probe_attempts;
    void (*wake)(void *arg); /* called after each answer */
    void *arg;
    bool is_reported; /* it was logged that the manager cannot run commands */
};

struct probe_runs *probe_runs_new(struct loop *loop, struct log *log, struct reach *reach,
                                  void (*wake)(void *arg), void *arg)
{
    struct probe_runs *probes = rows_resize(NULL, sizeof(*probes));

    *probes =
        (struct probe_runs){ .loop = loop, .log = log, .reach = reach, .wake = wake, .arg = arg };
    return probes;
}

static void probe_attempt_free(struct probe_attempt *probe_attempt)
{
    arena_free(probe_attempt->memory);
    rows_free(probe_attempt);
}

static void probe_attempt_unlink(struct probe_attempt *probe_attempt)
{
    *probe_attempt->link = probe_attempt->next;
    if (probe_attempt->next != NULL) {
        probe_attempt->next->link = probe_attempt->link;
    }
}

static void probe_attempt_end(struct probe_attempt *probe_attempt, enum control_probed found,
                              const char *why, struct text host_key)
{
    char words[LIMIT_ERROR_TEXT_BYTES + 16];
    struct control_probed_answer answer = { .found = found, .host_key = host_key };
    control_probe_done *done = probe_attempt->done;
    struct probe_runs *probes = probe_attempt->probes;
    void *arg = probe_attempt->arg;

    if (probe_attempt->memory == NULL) {
        snprintf(words, sizeof(words), "%s %u: %s", probe_attempt->is_ssh ? "ssh" : "tcp",
                 probe_attempt->port, why);
    } else {
        snprintf(words, sizeof(words), "exec: %s", why);
    }
    answer.why = text_from(words);
    probe_attempt_unlink(probe_attempt);
    done(arg, &answer);
    probe_attempt_free(probe_attempt);
    probes->wake(probes->arg);
}

static void probe_attempt_later(void *arg)
{
    struct probe_attempt *probe_attempt = arg;

    probe_attempt->later = NULL;
    probe_attempt_end(probe_attempt, probe_attempt->found, probe_attempt->why, TEXT(""));
}

/* Reports the result in a later iteration of the loop, because `done` must not be called before the
 * call has returned. */
static void probe_attempt_end_later(struct probe_attempt *probe_attempt, enum control_probed found,
                                    const char *why)
{
    struct err err;

    probe_attempt->found = found;
    snprintf(probe_attempt->why, sizeof(probe_attempt->why), "%s", why);
    if (!loop_task_open(probe_attempt->probes->loop, probe_attempt_later, probe_attempt,
                        &probe_attempt->later, &err)) {
        /* without a free task slot the result is reported immediately, which the caller permits */
        probe_attempt_later(probe_attempt);
    }
}

/* ---- ports ---- */

static void dialed(void *arg, enum dial_end end, const char *why)
{
    static const enum control_probed found[] = {
        [DIAL_OPEN] = CONTROL_PROBED_WELL,
        [DIAL_REFUSED] = CONTROL_PROBED_FAILING,
        [DIAL_MUTE] = CONTROL_PROBED_FAILING,
        [DIAL_SILENT] = CONTROL_PROBED_UNREACHABLE,
    };

    probe_attempt_end(arg, found[end], end == DIAL_OPEN ? "open" : why, TEXT(""));
}

static void port_probe_attempt(struct probe_attempt *probe_attempt, struct text address)
{
    struct dial_target target = { .address = address,
                                  .port = probe_attempt->port,
                                  .is_ssh = probe_attempt->is_ssh,
                                  .timeout_ms = probe_attempt->timeout_ms };
    struct err err;

    if (!dial_start(probe_attempt->probes->loop, &target, dialed, probe_attempt,
                    &probe_attempt->dial, &err)) {
        probe_attempt->dial = NULL;
        probe_attempt_end_later(probe_attempt, CONTROL_PROBED_UNREACHABLE, err.text);
    }
}

/* ---- commands ---- */

/* Logs once that commands cannot run because of an error of the manager itself. The next command
 * that runs permits another log entry. */
static void ours_report(struct probe_runs *probes, const struct probe_attempt *probe_attempt,
                        const char *why)
{
    if (!probes->is_reported) {
        probes->is_reported = true;
        log_warn(probes->log, "probe", "not_made", log_text("cluster", probe_attempt->way.cluster),
                 log_text("node", probe_attempt->way.name), log_string("reason", why));
    }
}

static struct text first_line(struct text output)
{
    return text_trim(text_slice(output, 0, text_find_byte(output, '\n')));
}

/* Returns the result of a command that ran. `why` is the first line of its output, or of its
 * standard error if it failed and wrote to it. */
static enum control_probed ran(const struct session_run_result *result, char *why, size_t bytes)
{
    const struct transport_answer *answer = &result->answer;
    struct text line = first_line(result->output[TRANSPORT_OUT]);
    bool is_well = answer->code == 0 && answer->signal.length == 0;

    if (!is_well && first_line(result->output[TRANSPORT_ERROR]).length > 0) {
        line = first_line(result->output[TRANSPORT_ERROR]);
    }
    line = text_slice(line, 0, LIMIT_RECORD_CAUSE_BYTES);
    if (answer->signal.length > 0) {
        snprintf(why, bytes, "ended by signal %.*s", TEXT_ARG(answer->signal));
    } else {
        snprintf(why, bytes, "exit %d%s%.*s", answer->code, line.length > 0 ? ": " : "",
                 TEXT_ARG(line));
    }
    return is_well ? CONTROL_PROBED_WELL : CONTROL_PROBED_FAILING;
}

/* Returns the result of a command that did not run, or may not have run. If the session was open
 * and the command did not end, the command has failed. Other errors of the connection mean that the
 * machine is unreachable. After an error of the manager itself there is no result. */
static enum control_probed
did_not_run(enum outcome outcome, const struct session_run_result *result, char *why, size_t bytes)
{
    const struct transport_answer *answer = &result->answer;

    snprintf(why, bytes, "%s: %.*s", transport_fault_name(answer->fault),
             TEXT_ARG(text_slice(answer->message, 0, LIMIT_RECORD_CAUSE_BYTES)));
    switch (answer->fault) {
    case TRANSPORT_FAULT_PROCESS:
    case TRANSPORT_FAULT_LIMIT:
    case TRANSPORT_FAULT_CANCELLED:
    case TRANSPORT_FAULT_CLOSED:
        return CONTROL_PROBED_NOTHING;
    case TRANSPORT_FAULT_HOST_KEY:
        return CONTROL_PROBED_ALARM;
    case TRANSPORT_FAULT_LATE:
        if (outcome == OUTCOME_UNKNOWN) {
            snprintf(why, bytes, "the probe did not end in time");
            return CONTROL_PROBED_FAILING;
        }
        return CONTROL_PROBED_UNREACHABLE;
    case TRANSPORT_FAULT_NONE:
    case TRANSPORT_FAULT_INVALID:
    case TRANSPORT_FAULT_UNSUPPORTED:
    case TRANSPORT_FAULT_UNREACHABLE:
    case TRANSPORT_FAULT_PROTOCOL:
    case TRANSPORT_FAULT_USER_KEY:
    case TRANSPORT_FAULT_CUT:
    case TRANSPORT_FAULT_NODE:
    case TRANSPORT_FAULT_DIGEST:
    case TRANSPORT_FAULT_COUNT:
        break;
    }
    return CONTROL_PROBED_UNREACHABLE;
}

static void probe_runs_command_ran(void *arg, enum outcome outcome,
                                   const struct session_run_result *result)
{
    struct probe_attempt *probe_attempt = arg;
    enum control_probed found;
    char why[LIMIT_ERROR_TEXT_BYTES];

    if (probe_attempt->probes == NULL) {
        probe_attempt_free(probe_attempt);
        return;
    }
    found = outcome == OUTCOME_OK ? ran(result, why, sizeof(why))
                                  : did_not_run(outcome, result, why, sizeof(why));
    if (!result->is_asked) { /* the run did not start, or the node is in back-off */
        found = CONTROL_PROBED_NOTHING;
    } else if (found == CONTROL_PROBED_NOTHING) {
        ours_report(probe_attempt->probes, probe_attempt, why);
    } else {
        probe_attempt->probes->is_reported = false;
    }
    probe_attempt_end(probe_attempt, found, why,
                      found == CONTROL_PROBED_ALARM ||
                              (outcome == OUTCOME_OK && result->answer.is_first)
                          ? result->answer.host_key
                          : TEXT(""));
}

static void probe_runs_command_run(struct probe_attempt *probe_attempt,
                                   const struct transport_target *target)
{
    struct session_pool *session_pool = reach_session_pool(probe_attempt->probes->reach);
    struct text node =
        arena_printf(probe_attempt->memory, "%.*s/%.*s", TEXT_ARG(probe_attempt->way.cluster),
                     TEXT_ARG(probe_attempt->way.token));
    struct session_run_spec order = {
        .node = node,
        .zone = probe_attempt->way.zone,
        .target = *target,
        .kind = SESSION_POOL_EXEC,
        .command = probe_attempt->command,
        .deadline_ms = probe_attempt->timeout_ms,
        .wait_ms = LIMIT_PROBE_WAIT_MS,
    };

    if (session_pool == NULL ||
        session_pool_run(session_pool, &order, probe_runs_command_ran, probe_attempt) == NULL) {
        const char *why =
            session_pool == NULL ? "there is no session process" : "too many runs are queued";

        ours_report(probe_attempt->probes, probe_attempt, why);
        probe_attempt_end_later(probe_attempt, CONTROL_PROBED_NOTHING, why);
    }
}

static void command_probe_attempt(struct probe_attempt *probe_attempt)
{
    struct transport_target target;
    struct err err;

    probe_attempt->is_waiting = false;
    switch (reach_target(probe_attempt->probes->reach, probe_attempt->memory, &probe_attempt->way,
                         &target, &err)) {
    case REACH_READY:
        probe_runs_command_run(probe_attempt, &target);
        break;
    case REACH_WAITING:
        probe_attempt->is_waiting = true;
        break;
    case REACH_REFUSED:
        ours_report(probe_attempt->probes, probe_attempt, err.text);
        probe_attempt_end_later(probe_attempt, CONTROL_PROBED_NOTHING, err.text);
        break;
    case REACH_CANNOT:
        probe_attempt_end_later(probe_attempt, CONTROL_PROBED_UNREACHABLE, err.text);
        break;
    }
}

static struct text command_make(struct arena *arena, const struct control_probe *probe)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < probe->argument_count; i++) {
        buf_add_string(&buf, i == 0 ? "" : " ");
        buf_add(&buf, script_quote(arena, probe->words[i]));
    }
    return buf_text(&buf);
}

static void command_keep(struct probe_attempt *probe_attempt, const struct control_probe *probe)
{
    const struct control_way *way = &probe->way;

    probe_attempt->memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    probe_attempt->command = command_make(probe_attempt->memory, probe);
    probe_attempt->way = *way;
    probe_attempt->way.cluster = arena_text(probe_attempt->memory, way->cluster);
    probe_attempt->way.machine = arena_text(probe_attempt->memory, way->machine);
    probe_attempt->way.token = arena_text(probe_attempt->memory, way->token);
    probe_attempt->way.name = arena_text(probe_attempt->memory, way->name);
    probe_attempt->way.zone = arena_text(probe_attempt->memory, way->zone);
    probe_attempt->way.address = arena_text(probe_attempt->memory, way->address);
    probe_attempt->way.user = arena_text(probe_attempt->memory, way->user);
    probe_attempt->way.host_key = arena_text(probe_attempt->memory, way->host_key);
    probe_attempt->way.key_secret = arena_text(probe_attempt->memory, way->key_secret);
}

/* ---- opening and closing ---- */

void probe_runs_start(struct probe_runs *probes, const struct control_probe *probe,
                      control_probe_done *done, void *arg)
{
    struct probe_attempt *probe_attempt = rows_resize(NULL, sizeof(*probe_attempt));

    *probe_attempt = (struct probe_attempt){ .probes = probes,
                                             .next = probes->probe_attempts,
                                             .link = &probes->probe_attempts,
                                             .port = probe->port,
                                             .is_ssh = probe->is_ssh,
                                             .timeout_ms = probe->timeout_ms,
                                             .done = done,
                                             .arg = arg };
    if (probe_attempt->next != NULL) {
        probe_attempt->next->link = &probe_attempt->next;
    }
    probes->probe_attempts = probe_attempt;
    if (probe->port != 0) {
        port_probe_attempt(probe_attempt, probe->way.address);
    } else {
        command_keep(probe_attempt, probe);
        command_probe_attempt(probe_attempt);
    }
}

void probe_runs_go_on(struct probe_runs *probes)
{
    for (struct probe_attempt *probe_attempt = probes->probe_attempts, *next; probe_attempt != NULL;
         probe_attempt = next) {
        next = probe_attempt->next;
        if (probe_attempt->is_waiting) {
            command_probe_attempt(probe_attempt);
        }
    }
}

void probe_runs_free(struct probe_runs *probes)
{
    if (probes == NULL) {
        return;
    }
    for (struct probe_attempt *probe_attempt = probes->probe_attempts, *next; probe_attempt != NULL;
         probe_attempt = next) {
        next = probe_attempt->next;
        if (probe_attempt->memory != NULL && !probe_attempt->is_waiting &&
            probe_attempt->later == NULL) {
            probe_attempt->probes = NULL; /* freed when its run ends */
            continue;
        }
        if (probe_attempt->dial != NULL) {
            dial_cancel(probe_attempt->dial);
        }
        loop_task_cancel(probe_attempt->later);
        probe_attempt_free(probe_attempt);
    }
    rows_free(probes);
}
