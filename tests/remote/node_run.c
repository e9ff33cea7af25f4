/* Runs the state machine of one node from the command line, for tests: node_run KEY=VALUE... [stage
 * KEY=VALUE... [args ARG...]]...
 *
 *     hand=PROGRAM folder=FOLDER address= port= user= key=FILE host-key=LINE with=7 patience=MS request= from=N|failed
 *     trust=FILE classic=NAME hosts=LINES facts=FILE hold=FILE (facts are given when it is there: the
 *     barrier; hosts go with the facts behind them)
 *     stage tar=FILE timeout=S tries=N idempotent=0|1 continue=0|1 markers=0|1 seen=ATTEMPT:BYTES[:whole]
 *
 * It prints each event as a line on standard output, without buffering. The exit code is 10 plus
 * the number of the end. */

#include "session_pool/processes.h"
#include "remote/node.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 64 * 1024 * 1024, TURN_MS = 1000, HELD_MS = 20, EXIT_USAGE = 99 };

struct run {
    struct arena *arena;
    struct node_options options;
    struct node_stage stages[REMOTE_STAGES + 1];
    struct text bundles[REMOTE_STAGES + 1];
    struct node_job *node;
    const char *program;
    const char *folder;
    struct text trust;
    struct text classic;
    const char *hosts;
    struct node_facts facts;
    const char *hold;
    bool is_held;
    size_t alive;
    bool is_over;
    enum node_end end;
};

static void die(const char *why)
{
    fprintf(stderr, "node_run: %s\n", why);
    _exit(EXIT_USAGE);
}

static struct text read_all(struct run *run, const char *path)
{
    struct text bytes;
    struct err err;

    if (!file_read(run->arena, path, FILE_BYTES, &bytes, &err)) {
        die(err.text);
    }
    return bytes;
}

static void facts_read_all(struct run *run, const char *path)
{
    struct text facts = read_all(run, path);
    const char *hosts = run->hosts == NULL ? "192.0.2.7 other\n" : run->hosts;
    struct text bytes = arena_printf(run->arena, "%.*s%s", TEXT_ARG(facts), hosts);

    run->facts.bytes = blob_new(bytes);
    run->facts.facts_bytes = facts.length;
    digest_sha256(bytes, run->facts.digest);
}

/* ---- words ---- */

static void stage_word(struct run *run, struct node_stage *stage, const char *key,
                       const char *value)
{
    char digest[DIGEST_TEXT_BYTES];

    if (strcmp(key, "tar") == 0) {
        struct text *bundle = &run->bundles[stage - run->stages];

        *bundle = read_all(run, value);
        stage->bytes = bundle->length;
        digest_sha256(*bundle, digest);
        stage->digest = text_from(arena_string(run->arena, text_from(digest)));
    } else if (strcmp(key, "name") == 0) {
        stage->name = text_from(value);
    } else if (strcmp(key, "timeout") == 0) {
        stage->timeout_s = strtoul(value, NULL, 10);
    } else if (strcmp(key, "tries") == 0) {
        stage->tries = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "idempotent") == 0) {
        stage->is_idempotent = value[0] == '1';
    } else if (strcmp(key, "continue") == 0) {
        stage->goes_on = value[0] == '1';
    } else if (strcmp(key, "markers") == 0) {
        stage->is_marker_trusted = value[0] == '1';
    } else if (strcmp(key, "seen") == 0) {
        char *end;

        stage->seen_attempt = (uint32_t)strtoul(value, &end, 10);
        stage->seen_bytes = strtoul(end + 1, &end, 10);
        stage->is_seen_whole = strcmp(end, ":whole") == 0;
    } else {
        die(key);
    }
}

static bool bundle_piece(void *arg, struct text digest, uint64_t offset, char *out, size_t length)
{
    const struct run *run = arg;

    for (size_t i = 0; i < run->options.stage_count; i++) {
        if (text_is_equal(digest, run->stages[i].digest)) {
            memcpy(out, run->bundles[i].data + offset, length);
            return true;
        }
    }
    return false;
}

static bool text_word(struct run *run, const char *key, const char *value)
{
    struct transport_target *target = &run->options.target;
    const struct {
        const char *key;
        struct text *out;
    } words[] = { { "address", &target->address },       { "user", &target->user },
                  { "host-key", &target->host_keys },    { "request", &run->options.request },
                  { "cluster", &run->options.cluster },  { "classic", &run->classic },
                  { "baseline", &run->options.baseline } };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (strcmp(words[i].key, key) == 0) {
            *words[i].out = text_from(value);
            return true;
        }
    }
    return false;
}

static void word(struct run *run, const char *key, const char *value)
{
    struct node_options *options = &run->options;

    if (text_word(run, key, value)) {
        return;
    }
    if (strcmp(key, "hand") == 0) {
        run->program = value;
    } else if (strcmp(key, "folder") == 0) {
        run->folder = value;
    } else if (strcmp(key, "port") == 0) {
        options->target.port = (uint16_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "key") == 0) {
        options->target.key = secret_from(read_all(run, value));
    } else if (strcmp(key, "with") == 0) {
        options->with = (unsigned)strtoul(value, NULL, 10);
    } else if (strcmp(key, "patience") == 0) {
        options->patience_ms = strtoul(value, NULL, 10);
    } else if (strcmp(key, "from") == 0) {
        options->is_request_of_failed = strcmp(value, "failed") == 0;
        options->request_from = strtoul(value, NULL, 10);
    } else if (strcmp(key, "cleanup") == 0) {
        options->cleanup_s = strtoul(value, NULL, 10);
    } else if (strcmp(key, "files") == 0) {
        options->files = arena_printf(run->arena, "%s\n", value);
    } else if (strcmp(key, "hook") == 0) {
        options->is_hook_run = value[0] == '1';
    } else if (strcmp(key, "keep") == 0) {
        options->keeps_baseline = value[0] == '1';
    } else if (strcmp(key, "trust") == 0) {
        run->trust = read_all(run, value);
    } else if (strcmp(key, "hold") == 0) {
        run->hold = value;
    } else if (strcmp(key, "hosts") == 0) {
        run->hosts = value;
    } else if (strcmp(key, "facts") == 0) {
        facts_read_all(run, value);
    } else {
        die(key);
    }
}

static void words(struct run *run, char **list, int count)
{
    struct node_stage *stage = NULL;

    for (int i = 0; i < count; i++) {
        char *value = strchr(list[i], '=');

        if (strcmp(list[i], "stage") == 0) {
            stage = &run->stages[run->options.stage_count++];
            *stage = (struct node_stage){ .timeout_s = 600, .tries = 1 };
        } else if (strcmp(list[i], "args") == 0) {
            struct text *arguments = arena_array(run->arena, struct text, (size_t)count);

            stage->arguments = arguments;
            while (i + 1 < count && strcmp(list[i + 1], "stage") != 0) {
                arguments[stage->argument_count++] = text_from(list[++i]);
            }
        } else if (value == NULL) {
            die(list[i]);
        } else {
            *value = '\0';
            if (stage != NULL) {
                stage_word(run, stage, list[i], value + 1);
            } else {
                word(run, list[i], value + 1);
            }
        }
    }
}

/* ---- output of events ---- */

static void point(struct run *run, const struct node_event *event)
{
    struct blob *trust;

    if (event->point == NODE_POINT_KEYS) {
        printf("point keys\nkey host %.*s\nkey root %.*s\nkey user %.*s\n",
               TEXT_ARG(event->keys.host), TEXT_ARG(event->keys.root), TEXT_ARG(event->keys.user));
        trust = run->trust.length > 0 ? blob_new(run->trust) : NULL;
        node_trust(run->node, trust, run->classic);
        blob_free(trust);
    } else {
        printf("point facts\n%.*s", TEXT_ARG(event->facts));
        run->is_held = true;
    }
}

/* Passes the barrier: all members have reported their facts. */
static void barrier(struct run *run)
{
    if (run->is_held && (run->hold == NULL || access(run->hold, F_OK) == 0)) {
        run->is_held = false;
        node_distribute(run->node, &run->facts);
    }
}

static void reported(void *arg, const struct node_event *event)
{
    struct run *run = arg;

    switch (event->kind) {
    case NODE_EVENT_STEP:
        printf("step %s %zu\n", node_step_name(event->step), event->stage);
        break;
    case NODE_EVENT_SAME:
        printf("same %s %zu\n", node_step_name(event->step), event->stage);
        break;
    case NODE_EVENT_MARKED:
        printf("marked %zu %.*s\n", event->stage, TEXT_ARG(event->line));
        break;
    case NODE_EVENT_BASELINE:
        printf("baseline %.*s %.*s\n", TEXT_ARG(event->verdict.digest), TEXT_ARG(event->why));
        break;
    case NODE_EVENT_CLEANED:
        printf("cleaned %d %.*s\n", event->code, TEXT_ARG(event->why));
        break;
    case NODE_EVENT_POINT:
        point(run, event);
        break;
    case NODE_EVENT_LINE:
        printf("line %zu %u %" PRIu64 " %.*s\n", event->stage, event->attempt, event->line_end,
               TEXT_ARG(event->line));
        break;
    case NODE_EVENT_STAGE:
        printf("stage %zu %u %d %s: %.*s\n", event->stage, event->attempt, event->code,
               node_end_name(event->end), TEXT_ARG(event->line));
        break;
    case NODE_EVENT_RETRY:
        printf("retry %s %" PRIu64 " %.*s\n", node_step_name(event->step), event->retry_ms,
               TEXT_ARG(event->why));
        break;
    case NODE_EVENT_ALARM:
        printf("alarm %.*s: %.*s\n", TEXT_ARG(event->host_key), TEXT_ARG(event->why));
        break;
    case NODE_EVENT_HOST_KEY:
        printf("first %.*s\n", TEXT_ARG(event->host_key));
        break;
    case NODE_EVENT_END:
        if (event->verdict.digest.length > 0) {
            printf("verdict %" PRIu64 " %.*s\n%.*s\n", event->verdict.file_count,
                   TEXT_ARG(event->verdict.unknown), TEXT_ARG(event->verdict.files));
        }
        printf("end %s: %.*s: %.*s\n", node_end_name(event->end), TEXT_ARG(event->why),
               TEXT_ARG(event->line));
        run->is_over = true;
        run->end = event->end;
        break;
    }
}

int main(int count, char **list)
{
    struct run run = { .arena = arena_new(SIZE_MAX) };
    struct log *log = log_new(&(struct log_options){ .fd = 2 });
    struct session_processes *processes = NULL;
    struct session_pool_options session_pool;
    struct err err;

    setvbuf(stdout, NULL, _IOLBF, 0);
    run.options = (struct node_options){ .name = TEXT("node"),
                                         .zone = TEXT("here"),
                                         .stages = run.stages,
                                         .with = RUN_WITH_STAGES,
                                         .pause_ms = 20,
                                         .clock = clock_system(),
                                         .read_bundle = bundle_piece,
                                         .read_arg = &run,
                                         .reported = reported,
                                         .arg = &run };
    words(&run, list + 1, count - 1);
    if (!loop_open(&run.options.loop, &err) ||
        !session_pool_processes_open(
            &(struct session_pool_processes_options){ .loop = run.options.loop,
                                                      .log = log,
                                                      .program = run.program,
                                                      .folder = run.folder,
                                                      .alive = &run.alive },
            &processes, &err)) {
        die(err.text);
    }
    session_pool = (struct session_pool_options){ .loop = run.options.loop,
                                                  .log = log,
                                                  .random = random_system(),
                                                  .maker = session_pool_processes_maker(processes),
                                                  .limits = session_pool_limits_usual() };
    session_pool.limits.pause_ms = 20;
    session_pool.limits.pause_max_ms = 200;
    if (!session_pool_open(&session_pool, &run.options.session_pool, &err) ||
        !node_begin(&run.options, &run.node, &err)) {
        die(err.text);
    }
    while (!run.is_over) {
        loop_run_once(run.options.loop, run.is_held ? HELD_MS : TURN_MS);
        barrier(&run);
    }
    node_free(run.node);
    if (run.facts.bytes != NULL) {
        blob_free(run.facts.bytes);
    }
    session_pool_close(run.options.session_pool);
    session_pool_processes_close(processes);
    while (run.alive > 0) {
        loop_run_once(run.options.loop, TURN_MS);
    }
    loop_close(run.options.loop);
    log_free(log);
    arena_free(run.arena);
    return 10 + (int)run.end;
}
