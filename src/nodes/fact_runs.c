#include "nodes/fact_runs.h"

#include "base/limits.h"
#include "codec/json.h"
#include "remote/answer.h"
#include "remote/facts.h"
#include "remote/program.h"
#include "session/script.h"

#include <string.h>

/* names: fact_ */

enum { FACT_DEADLINE_MS = 30 * 1000, FACT_VALUE_BYTES = 128 };

struct fact_runs {
    struct reach *reach;
    uint64_t count;
    struct fact_run *first;
};

struct fact_run {
    struct fact_run *next;
    struct fact_run **link;
    struct arena *memory;
    struct fact_runs *runs; /* NULL: the runs are closed */
    struct text address;
    struct text user;
    struct text secret;
    fact_run_done *done;
    void *arg;
};

struct fact_runs *fact_runs_new(struct reach *reach)
{
    struct fact_runs *runs = rows_resize(NULL, sizeof(*runs));

    *runs = (struct fact_runs){ .reach = reach };
    return runs;
}

static void fact_run_unlink(struct fact_run *run)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    run->runs = NULL;
}

/* Reports the end of a run that no session refers to any longer, and frees it. */
static void fact_run_end(struct fact_run *run, const struct discovered_found *found)
{
    fact_run_unlink(run);
    run->done(run->arg, found);
    arena_free(run->memory);
}

static void fact_run_fail(struct fact_run *run, struct text why)
{
    fact_run_end(run, &(struct discovered_found){ .why = why });
}

/* ---- the answer ---- */

/* Return the value of a line, if it may be stored. It is checked because the machine may be
 * compromised. */
static struct text fact_value(struct text value)
{
    value = text_trim(value);
    return value.length <= FACT_VALUE_BYTES && text_is_visible(value) ? value : TEXT("");
}

static void fact_identity_read(struct text lines, struct discovered_found *out)
{
    struct text word;
    struct text value;

    while (answer_line(&lines, &word, &value)) {
        value = fact_value(value);
        if (text_is(word, "serial")) {
            out->serial = value;
        } else if (text_is(word, "uuid")) {
            out->uuid = value;
        } else if (text_is(word, "mac") && value.length > 0 && out->mac_count < DISCOVERED_MACS) {
            out->macs[out->mac_count++] = value;
        }
    }
}

/* Adds data about the hardware to the facts. Invalid values are omitted. */
static struct doc fact_hardware_add(struct arena *arena, const struct doc *facts, struct text lines)
{
    static const struct {
        const char *word;
        const char *key;
        bool is_number;
    } known[] = {
        { "disks", "disks", true },
        { "firmware", "firmware", false },
        { "firmware-version", "firmware_version", false },
        { "gpu-model", "gpu_model", false },
        { "gpus", "gpus", true },
        { "storage", "storage_kib", true },
    };
    struct doc_builder builder;
    struct text word;
    struct text value;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < facts->entry_count; i++) {
        doc_builder_add(&builder, &facts->entries[i]);
    }
    while (answer_line(&lines, &word, &value)) {
        int64_t number;

        value = fact_value(value);
        for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
            if (!text_is(word, known[i].word) || value.length == 0) {
                continue;
            }
            if (!known[i].is_number) {
                doc_builder_put(&builder, known[i].key, doc_text(value, NULL));
            } else if (text_parse_int64(value, &number) && number >= 0) {
                doc_builder_put(&builder, known[i].key, doc_int(arena, number, NULL));
            }
        }
    }
    return doc_builder_map(&builder, NULL);
}

/* Reads the answer of the program. If it is invalid, returns false and sets the reason. */
static bool fact_answer_read(struct fact_run *run, struct text output, struct discovered_found *out)
{
    const struct facts_known known = { .address = run->address };
    struct answer answer;
    struct doc facts;
    struct err err;
    struct buf buf;

    if (!answer_read(output, &answer)) {
        out->why = TEXT("the machine gave no complete answer");
        return false;
    }
    if (answer.fault.length > 0) {
        out->why = answer.why;
        return false;
    }
    if (!facts_read(run->memory, answer.lines, &known, &facts, &err)) {
        out->why = arena_text(run->memory, text_from(err.text));
        return false;
    }
    facts = fact_hardware_add(run->memory, &facts, answer.lines);
    buf_init(&buf, run->memory);
    json_format(&buf, &facts);
    out->facts = buf_text(&buf);
    fact_identity_read(answer.lines, out);
    return true;
}

/* Return the reason why a session ended without an answer, in terms of what an operator can
 * change. */
static struct text fact_why(struct fact_run *run, const struct transport_answer *answer)
{
    if (answer->fault == TRANSPORT_FAULT_USER_KEY) {
        return arena_printf(run->memory, "%.*s is not accepted with the key '%.*s'",
                            TEXT_ARG(run->user), TEXT_ARG(run->secret));
    }
    if (answer->fault == TRANSPORT_FAULT_HOST_KEY) {
        return TEXT("the machine shows another host key than the approved one");
    }
    return arena_printf(run->memory, "%s: %.*s", transport_fault_name(answer->fault),
                        TEXT_ARG(text_slice(answer->message, 0, LIMIT_RECORD_CAUSE_BYTES)));
}

static void fact_run_over(void *arg, enum outcome outcome, const struct session_run_result *result)
{
    struct fact_run *run = arg;
    struct discovered_found found = { 0 };
    struct text errors;

    if (run->runs == NULL) {
        arena_free(run->memory);
        return;
    }
    found.login = arena_printf(run->memory, "%.*s with the key '%.*s'", TEXT_ARG(run->user),
                               TEXT_ARG(run->secret));
    errors = script_plain(run->memory, result->output[TRANSPORT_ERROR]);
    if (outcome != OUTCOME_OK) {
        found.why = fact_why(run, &result->answer);
    } else if (!fact_answer_read(run, result->output[TRANSPORT_OUT], &found) && errors.length > 0) {
        found.why = errors;
    }
    fact_run_end(run, &found);
}

/* ---- the run ---- */

static void fact_run_begin(struct fact_run *run, const struct transport_target *target)
{
    struct session_pool *pool = reach_session_pool(run->runs->reach);
    /* the program becomes root itself if necessary, so that a user without sudo also gets facts */
    const struct program_call call = { .name = "machine", .is_root = true };
    struct session_run_spec order = {
        /* Each run has its own name, so that the session pool applies no back-off. The observer
         * decides when the next run is due. */
        .node = arena_printf(run->memory, "facts/%llu", (unsigned long long)++run->runs->count),
        .target = *target,
        .kind = SESSION_POOL_EXEC,
        .command = program_command(run->memory, &call),
        .deadline_ms = FACT_DEADLINE_MS,
        .wait_ms = LIMIT_PROBE_WAIT_MS,
    };

    if (pool == NULL) {
        fact_run_fail(run, TEXT("there is no session process"));
    } else if (session_pool_run(pool, &order, fact_run_over, run) == NULL) {
        fact_run_fail(run, TEXT("too many runs are queued"));
    }
}

void fact_runs_start(struct fact_runs *runs, struct text tenant, const struct discovered *row,
                     const struct fact_login *login, fact_run_done *done, void *arg)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct fact_run *run = arena_one(memory, struct fact_run);
    struct control_way way = { .cluster = arena_printf(memory, "%.*s/", TEXT_ARG(tenant)),
                               .machine = row->id,
                               .name = row->name,
                               .address = row->address,
                               .user = login->user,
                               .host_key = row->host_key,
                               .key_secret = login->secret,
                               .port = row->port };
    struct transport_target target;
    struct err err;

    *run = (struct fact_run){
        .next = runs->first,
        .link = &runs->first,
        .memory = memory,
        .runs = runs,
        .address = arena_text(memory, row->address),
        .user = login->user.length > 0 ? arena_text(memory, login->user) : TEXT("root"),
        .secret = arena_text(memory, login->secret),
        .done = done,
        .arg = arg,
    };
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runs->first = run;
    /* a login with a secret never waits for an authority */
    if (reach_target(runs->reach, memory, &way, &target, &err) != REACH_READY) {
        fact_run_fail(run, text_from(err.text));
        return;
    }
    fact_run_begin(run, &target);
}

void fact_runs_free(struct fact_runs *runs)
{
    if (runs == NULL) {
        return;
    }
    while (runs->first != NULL) {
        struct fact_run *run = runs->first;

        fact_run_unlink(run);
        run->done(run->arg, &(struct discovered_found){ .why = TEXT("the manager is stopping") });
    }
    rows_free(runs);
}
