#include "daemon/probe_runs.h"

#include "base/limits.h"
#include "session/script.h"
#include "sys/dial.h"

#include <stdio.h>

/* One knock under way: at a port, or by a command on the machine. */
struct knock {
    struct probe_runs *probes; /* NULL: the probes are over, and only its run is still to end */
    struct knock *next;
    struct knock **link;
    struct dial *dial; /* at a port; NULL: it could not be begun, `later` tells so */
    struct loop_task *later;
    enum control_probed found; /* that `later` tells */
    char why[LIMIT_ERROR_TEXT_BYTES];
    uint16_t port;
    bool is_ssh;
    uint64_t timeout_ms;
    struct arena *home; /* of a command; NULL: it is a port */
    struct control_way way;
    struct text command;
    bool is_waiting; /* for what it logs in with */
    control_probe_done *done;
    void *arg;
};

struct probe_runs {
    struct loop *loop;
    struct log *log;
    struct reach *reach;
    struct knock *knocks;
    void (*wake)(void *arg); /* after each answer */
    void *arg;
    bool is_reported; /* that commands cannot be run */
};

struct probe_runs *probe_runs_new(struct loop *loop, struct log *log, struct reach *reach,
                                  void (*wake)(void *arg), void *arg)
{
    struct probe_runs *probes = rows_resize(NULL, sizeof(*probes));

    *probes =
        (struct probe_runs){ .loop = loop, .log = log, .reach = reach, .wake = wake, .arg = arg };
    return probes;
}

static void knock_free(struct knock *knock)
{
    arena_free(knock->home);
    rows_free(knock);
}

static void knock_unlink(struct knock *knock)
{
    *knock->link = knock->next;
    if (knock->next != NULL) {
        knock->next->link = knock->link;
    }
}

static void knock_end(struct knock *knock, enum control_probed found, const char *why,
                      struct text host_key)
{
    char words[LIMIT_ERROR_TEXT_BYTES + 16];
    struct control_probed_answer answer = { .found = found, .host_key = host_key };
    control_probe_done *done = knock->done;
    struct probe_runs *probes = knock->probes;
    void *arg = knock->arg;

    if (knock->home == NULL) {
        snprintf(words, sizeof(words), "%s %u: %s", knock->is_ssh ? "ssh" : "tcp", knock->port,
                 why);
    } else {
        snprintf(words, sizeof(words), "exec: %s", why);
    }
    answer.why = text_from(words);
    knock_unlink(knock);
    done(arg, &answer);
    knock_free(knock);
    probes->wake(probes->arg);
}

static void knock_later(void *arg)
{
    struct knock *knock = arg;

    knock->later = NULL;
    knock_end(knock, knock->found, knock->why, TEXT(""));
}

/* Tell it in a turn of its own: nobody is told before his call has returned. */
static void knock_end_later(struct knock *knock, enum control_probed found, const char *why)
{
    struct err err;

    knock->found = found;
    snprintf(knock->why, sizeof(knock->why), "%s", why);
    if (!loop_task_open(knock->probes->loop, knock_later, knock, &knock->later, &err)) {
        knock_later(knock); /* no room for a task: told at once, which who asked bears */
    }
}

/* ---- ports ---- */

static void dialed(void *arg, enum dial_end end, const char *why)
{
    static const enum control_probed found[] = {
        [DIAL_OPEN] = CONTROL_PROBED_WELL,
        [DIAL_REFUSED] = CONTROL_PROBED_SICK,
        [DIAL_MUTE] = CONTROL_PROBED_SICK,
        [DIAL_SILENT] = CONTROL_PROBED_UNREACHABLE,
    };

    knock_end(arg, found[end], end == DIAL_OPEN ? "open" : why, TEXT(""));
}

static void port_knock(struct knock *knock, struct text address)
{
    struct dial_target target = { .address = address,
                                  .port = knock->port,
                                  .is_ssh = knock->is_ssh,
                                  .timeout_ms = knock->timeout_ms };
    struct err err;

    if (!dial_start(knock->probes->loop, &target, dialed, knock, &knock->dial, &err)) {
        knock->dial = NULL;
        knock_end_later(knock, CONTROL_PROBED_UNREACHABLE, err.text);
    }
}

/* ---- commands ---- */

/* Commands cannot be run, for a reason of ours: said once, until one was run. */
static void ours_report(struct probe_runs *probes, const struct knock *knock, const char *why)
{
    if (!probes->is_reported) {
        probes->is_reported = true;
        log_warn(probes->log, "probe", "not_made", log_text("cluster", knock->way.cluster),
                 log_text("node", knock->way.name), log_string("reason", why));
    }
}

static struct text first_line(struct text output)
{
    return text_trim(text_slice(output, 0, text_find_byte(output, '\n')));
}

/* What ran, and the first line that it wrote: to its standard error where it failed and wrote there. */
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
    return is_well ? CONTROL_PROBED_WELL : CONTROL_PROBED_SICK;
}

/* What did not run, or is not known to have. A session that was open and a command that did not end is the command's; whatever
 * else went wrong on the way there is the way's; what went wrong here says nothing. */
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
            snprintf(why, bytes, "it did not end in time");
            return CONTROL_PROBED_SICK;
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

static void command_ran(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct knock *knock = arg;
    enum control_probed found;
    char why[LIMIT_ERROR_TEXT_BYTES];

    if (knock->probes == NULL) {
        knock_free(knock);
        return;
    }
    found = outcome == OUTCOME_OK ? ran(result, why, sizeof(why))
                                  : did_not_run(outcome, result, why, sizeof(why));
    if (!result->is_asked) { /* its turn did not come, or it is left in peace */
        found = CONTROL_PROBED_NOTHING;
    } else if (found == CONTROL_PROBED_NOTHING) {
        ours_report(knock->probes, knock, why);
    } else {
        knock->probes->is_reported = false;
    }
    knock_end(knock, found, why,
              found == CONTROL_PROBED_ALARM || (outcome == OUTCOME_OK && result->answer.is_first)
                  ? result->answer.host_key
                  : TEXT(""));
}

static void command_run(struct knock *knock, const struct transport_target *target)
{
    struct session_pool *session_pool = reach_session_pool(knock->probes->reach);
    struct text node = arena_printf(knock->home, "%.*s/%.*s", TEXT_ARG(knock->way.cluster),
                                    TEXT_ARG(knock->way.token));
    struct session_run_spec order = {
        .node = node,
        .zone = knock->way.zone,
        .target = *target,
        .kind = SESSION_POOL_EXEC,
        .command = knock->command,
        .deadline_ms = knock->timeout_ms,
        .wait_ms = LIMIT_PROBE_WAIT_MS,
    };

    if (session_pool == NULL ||
        session_pool_run(session_pool, &order, command_ran, knock) == NULL) {
        const char *why = session_pool == NULL ? "there are no hands" : "too many runs wait";

        ours_report(knock->probes, knock, why);
        knock_end_later(knock, CONTROL_PROBED_NOTHING, why);
    }
}

static void command_knock(struct knock *knock)
{
    struct transport_target target;
    struct err err;

    knock->is_waiting = false;
    switch (reach_target(knock->probes->reach, knock->home, &knock->way, &target, &err)) {
    case REACH_READY:
        command_run(knock, &target);
        break;
    case REACH_WAITING:
        knock->is_waiting = true;
        break;
    case REACH_REFUSED:
        ours_report(knock->probes, knock, err.text);
        knock_end_later(knock, CONTROL_PROBED_NOTHING, err.text);
        break;
    case REACH_CANNOT:
        knock_end_later(knock, CONTROL_PROBED_UNREACHABLE, err.text);
        break;
    }
}

static struct text command_make(struct arena *arena, const struct control_probe *probe)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < probe->word_count; i++) {
        buf_add_string(&buf, i == 0 ? "" : " ");
        buf_add(&buf, script_quote(arena, probe->words[i]));
    }
    return buf_text(&buf);
}

static void command_keep(struct knock *knock, const struct control_probe *probe)
{
    const struct control_way *way = &probe->way;

    knock->home = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    knock->command = command_make(knock->home, probe);
    knock->way = *way;
    knock->way.cluster = arena_text(knock->home, way->cluster);
    knock->way.machine = arena_text(knock->home, way->machine);
    knock->way.token = arena_text(knock->home, way->token);
    knock->way.name = arena_text(knock->home, way->name);
    knock->way.zone = arena_text(knock->home, way->zone);
    knock->way.address = arena_text(knock->home, way->address);
    knock->way.user = arena_text(knock->home, way->user);
    knock->way.host_key = arena_text(knock->home, way->host_key);
    knock->way.key_secret = arena_text(knock->home, way->key_secret);
}

/* ---- beginning and ending ---- */

void probe_runs_start(struct probe_runs *probes, const struct control_probe *probe,
                      control_probe_done *done, void *arg)
{
    struct knock *knock = rows_resize(NULL, sizeof(*knock));

    *knock = (struct knock){ .probes = probes,
                             .next = probes->knocks,
                             .link = &probes->knocks,
                             .port = probe->port,
                             .is_ssh = probe->is_ssh,
                             .timeout_ms = probe->timeout_ms,
                             .done = done,
                             .arg = arg };
    if (knock->next != NULL) {
        knock->next->link = &knock->next;
    }
    probes->knocks = knock;
    if (probe->port != 0) {
        port_knock(knock, probe->way.address);
    } else {
        command_keep(knock, probe);
        command_knock(knock);
    }
}

void probe_runs_go_on(struct probe_runs *probes)
{
    for (struct knock *knock = probes->knocks, *next; knock != NULL; knock = next) {
        next = knock->next;
        if (knock->is_waiting) {
            command_knock(knock);
        }
    }
}

void probe_runs_free(struct probe_runs *probes)
{
    if (probes == NULL) {
        return;
    }
    for (struct knock *knock = probes->knocks, *next; knock != NULL; knock = next) {
        next = knock->next;
        if (knock->home != NULL && !knock->is_waiting && knock->later == NULL) {
            knock->probes = NULL; /* its run ends it */
            continue;
        }
        if (knock->dial != NULL) {
            dial_cancel(knock->dial);
        }
        loop_task_cancel(knock->later);
        knock_free(knock);
    }
    rows_free(probes);
}
