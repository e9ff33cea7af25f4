
#include "api/request/call.h"
#include "api/request/handlers.h"
#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "records/discovered.h"
#include "sys/process.h"

#include <assert.h>

static const unsigned statuses[] = { 200, 201, 304, 400, 401, 403, 404, 405, 409, 410,
                                     412, 413, 415, 422, 428, 429, 431, 500, 503, 504 };
static const uint64_t steps_ns[METRICS_STEPS - 1] = { 100000,    1000000,    10000000,
                                                      100000000, 1000000000, 10000000000 };
static const char *const step_names[METRICS_STEPS] = { "0.0001", "0.001", "0.01", "0.1",
                                                       "1",      "10",    "+Inf" };

_Static_assert(ARRAY_COUNT(statuses) <= METRICS_STATUSES, "each status has a counter");

void metrics_count(struct metrics *metrics, const struct route *route, unsigned status,
                   uint64_t took_ns)
{
    size_t count;
    const struct route *table = route_table(&count);
    size_t row = route == NULL ? METRICS_ROUTES : (size_t)(route - table);
    size_t column = 0;
    size_t step = 0;

    assert(count <= METRICS_ROUTES);
    while (column < ARRAY_COUNT(statuses) && statuses[column] != status) {
        column++;
    }
    while (step < METRICS_STEPS - 1 && took_ns > steps_ns[step]) {
        step++;
    }
    metrics->answers[row][column < ARRAY_COUNT(statuses) ? column : METRICS_STATUSES]++;
    metrics->steps[step]++;
    metrics->sum_ns += took_ns;
}

/* ---- output ---- */

static void metrics_head_add(struct buf *buf, const char *name, const char *type, const char *help)
{
    buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void metrics_number_add(struct buf *buf, const char *name, const char *type,
                               const char *help, double value)
{
    metrics_head_add(buf, name, type, help);
    buf_printf(buf, "%s %.17g\n", name, value);
}

static void requests_add(struct buf *buf, const struct metrics *metrics)
{
    size_t count;
    const struct route *table = route_table(&count);

    metrics_head_add(buf, "reeve_http_requests_total", "counter", "Requests that were answered.");
    for (size_t row = 0; row <= METRICS_ROUTES; row++) {
        for (size_t column = 0; column <= METRICS_STATUSES; column++) {
            bool is_listed = column < ARRAY_COUNT(statuses);

            if (metrics->answers[row][column] == 0) {
                continue;
            }
            buf_printf(buf, "reeve_http_requests_total{route=\"%s%s%s\",code=\"%u\"} %llu\n",
                       row < count ? table[row].method : "", row < count ? " " : "",
                       row < count ? table[row].path : "none", is_listed ? statuses[column] : 0,
                       (unsigned long long)metrics->answers[row][column]);
        }
    }
}

static void durations_add(struct buf *buf, const struct metrics *metrics)
{
    uint64_t count = 0;

    metrics_head_add(buf, "reeve_http_request_duration_seconds", "histogram",
                     "From the last byte of a request to its answer.");
    for (size_t i = 0; i < METRICS_STEPS; i++) {
        count += metrics->steps[i];
        buf_printf(buf, "reeve_http_request_duration_seconds_bucket{le=\"%s\"} %llu\n",
                   step_names[i], (unsigned long long)count);
    }
    buf_printf(buf, "reeve_http_request_duration_seconds_sum %.9f\n",
               (double)metrics->sum_ns / 1e9);
    buf_printf(buf, "reeve_http_request_duration_seconds_count %llu\n", (unsigned long long)count);
}

static void process_add(struct buf *buf)
{
    struct process_cost cost = process_cost();

    metrics_number_add(buf, "process_cpu_seconds_total", "counter", "CPU time used.",
                       (double)cost.cpu_us / 1e6);
    metrics_number_add(buf, "process_open_fds", "gauge", "Open descriptors.",
                       (double)cost.open_files);
    metrics_number_add(buf, "process_resident_memory_bytes", "gauge", "Memory in use.",
                       (double)cost.resident_bytes);
}

static void server_add(struct buf *buf, struct api_server_figures figures)
{
    metrics_number_add(buf, "reeve_http_connections", "gauge", "Open connections.",
                       (double)figures.connections);
    metrics_number_add(buf, "reeve_http_connections_refused_total", "counter",
                       "Connections that were refused because there were too many.",
                       (double)figures.refused);
}

/* Adds the round-trip times of the links to other managers. Links without answers are left out. */
static void peers_add(struct buf *buf, const struct api *api)
{
    const struct api_options *options = &api->options;
    const struct managers *managers =
        options->peers == NULL ? NULL : options->managers(options->arg);
    struct peers_state state;

    if (managers == NULL) {
        return;
    }
    metrics_head_add(buf, "reeve_peer_rtt_seconds", "gauge",
                     "Round trip of the newest probe of the link to another manager.");
    for (size_t i = 0; i < managers_count(managers); i++) {
        const struct managers_row *row = managers_at(managers, i);

        if (peers_state_find(options->peers, row->id, &state) && state.is_reachable) {
            buf_printf(buf, "reeve_peer_rtt_seconds{manager=\"%.*s\"} %.6f\n", TEXT_ARG(row->name),
                       (double)state.rtt_us / 1e6);
        }
    }
}

/* Adds the managers of a shared store, and the clusters that they hold. */
static void managers_add(struct buf *buf, const struct api *api)
{
    static const char *const names[API_MANAGERS_STATES] = { "live",   "draining", "drained",
                                                            "silent", "ended",    "gone" };
    struct api_managers_figures figures = { 0 };

    if (api->options.managers_figures != NULL) {
        figures = api->options.managers_figures(api->options.arg);
    }
    if (figures.has_level) {
        metrics_number_add(buf, "reeve_store_level", "gauge",
                           "Service level of the shared store: 0 is A (all members answer), 1 is B "
                           "(a member is missing), 2 is C (no quorum answers this manager).",
                           (double)figures.level);
    }
    if (!figures.is_known) {
        return;
    }
    metrics_head_add(buf, "reeve_managers", "gauge", "Managers of the store, by state.");
    for (size_t i = 0; i < API_MANAGERS_STATES; i++) {
        buf_printf(buf, "reeve_managers{state=\"%s\"} %llu\n", names[i],
                   (unsigned long long)figures.states[i]);
    }
    metrics_number_add(buf, "reeve_clusters_assigned", "gauge",
                       "Clusters whose lease a live manager holds.", (double)figures.assigned);
    metrics_number_add(buf, "reeve_clusters_unassigned", "gauge",
                       "Clusters that no live manager holds.", (double)figures.unassigned);
    metrics_head_add(buf, "reeve_takeover_seconds", "summary",
                     "From the time a lease became free until this manager took it.");
    buf_printf(buf, "reeve_takeover_seconds_sum %.3f\n", (double)figures.taken_ms / 1000);
    buf_printf(buf, "reeve_takeover_seconds_count %llu\n", (unsigned long long)figures.taken);
}

/* Adds the numbers of machines in the tenant's inventory, by state and status. A machine that
 * belongs to a group counts as allocated. */
static void discovered_add(struct call *call, struct buf *buf)
{
    const struct cache *cache = call->api->options.cache;
    struct text prefix =
        arena_printf(call->arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(call->actor.tenant));
    uint64_t counts[LIFECYCLE_STATE_COUNT][LIFECYCLE_STATUS_COUNT] = { 0 };

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct discovered row;

        if (discovered_read(scratch, object, &row)) {
            counts[row.state][row.status]++;
        }
    }
    metrics_head_add(buf, "reeve_discovered_nodes", "gauge",
                     "Machines of the inventory, by state and status.");
    for (size_t i = 0; i < LIFECYCLE_STATE_COUNT; i++) {
        for (size_t j = 0; j < LIFECYCLE_STATUS_COUNT; j++) {
            if (counts[i][j] > 0) {
                buf_printf(buf, "reeve_discovered_nodes{state=\"%s\",status=\"%s\"} %llu\n",
                           lifecycle_state_name((enum lifecycle_state)i),
                           lifecycle_status_name((enum lifecycle_status)j),
                           (unsigned long long)counts[i][j]);
            }
        }
    }
}

/* Adds the numbers of nodes, summed over all clusters of the user's tenant. There is no figure per
 * cluster, because metrics require no permission for a cluster. */
static void metrics_nodes_add(struct call *call, struct buf *buf)
{
    static const char *const states[] = { "creating",  "failed",      "leaving",  "ready",
                                          "unhealthy", "unreachable", "outdated", "drifted" };
    enum { STATES = ARRAY_COUNT(states) - 2, DRIFTED = STATES + 1 };
    const struct cache *cache = call->api->options.cache;
    struct text prefix = arena_printf(call->arena, "/%.*s/Cluster/", TEXT_ARG(call->actor.tenant));
    int64_t sums[ARRAY_COUNT(states)] = { 0 };

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        AUTO(arena) scratch = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        const struct blob *bytes = object->parts[CACHE_STATUS].bytes;
        struct doc status;
        struct err err;

        if (bytes == NULL || !json_parse(scratch, blob_text(bytes), NULL, &status, &err)) {
            continue;
        }
        for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
            const struct doc *count = doc_child(doc_child(&status, "machines"), states[i]);
            int64_t number = 0;

            if (doc_is_scalar(count) && text_parse_int64(count->text, &number)) {
                sums[i] += number;
            }
        }
    }
    metrics_head_add(buf, "reeve_nodes", "gauge", "Nodes by displayed state.");
    for (size_t i = 0; i < STATES; i++) {
        buf_printf(buf, "reeve_nodes{state=\"%s\"} %lld\n", states[i], (long long)sums[i]);
    }
    metrics_number_add(buf, "reeve_nodes_outdated", "gauge",
                       "Nodes that have not reached the desired generation or stages.",
                       (double)sums[STATES]);
    metrics_number_add(buf, "reeve_verify_drift_nodes", "gauge",
                       "Nodes in service whose files differ from their baseline.",
                       (double)sums[DRIFTED]);
}

void api_metrics(struct call *call)
{
    const struct api *api = call->api;
    struct store_status status;
    struct api_stale stale = { 0 };
    struct buf buf;

    store_status(api->options.store, &status);
    buf_init(&buf, call->arena);
    metrics_head_add(&buf, "reeve_build_info", "gauge", "What runs.");
    buf_printf(&buf, "reeve_build_info{version=\"%s\",store=\"%s\"} 1\n", api->options.version,
               status.driver);
    requests_add(&buf, &api->metrics);
    durations_add(&buf, &api->metrics);
    server_add(&buf, api->options.server_figures(api->options.arg));
    metrics_number_add(&buf, "reeve_store_bytes", "gauge", "Size of the store.",
                       (double)status.bytes);
    metrics_number_add(&buf, "reeve_store_revision", "counter", "Newest revision.",
                       (double)status.revision);
    metrics_number_add(
        &buf, "reeve_events_fit_chain", "gauge",
        "Whether the store had all written events when it was opened (1) or not (0).",
        status.audit_fault == NULL ? 1 : 0);
    metrics_number_add(&buf, "reeve_store_writable", "gauge",
                       "Whether the store accepts changes (1) or not (0).",
                       status.is_writable ? 1 : 0);
    (void)api->options.is_stale(api->options.arg, &stale);
    metrics_number_add(
        &buf, "reeve_store_stale_seconds", "gauge",
        "Time since this manager last confirmed that it reads the current store; 0 for an embedded store.",
        (double)stale.age_ms / 1000);
    metrics_number_add(
        &buf, "reeve_store_damaged", "gauge",
        "Objects and events that are missing from a damaged store (at least 1); 0 if the store is not damaged.",
        status.damage == NULL ? 0
                              : (double)(status.damage->keys + status.damage->events > 0
                                             ? status.damage->keys + status.damage->events
                                             : 1));
    metrics_number_add(&buf, "reeve_cache_objects", "gauge", "Objects in the watch cache.",
                       (double)cache_count(api->options.cache));
    metrics_number_add(&buf, "reeve_watch_clients", "gauge", "Clients with an open watch.",
                       (double)api->watcher_count);
    metrics_number_add(&buf, "reeve_watch_dropped_total", "counter",
                       "Watches that were reset because the client did not read.",
                       (double)api->watch_resets);
    managers_add(&buf, api);
    peers_add(&buf, api);
    metrics_nodes_add(call, &buf);
    discovered_add(call, &buf);
    process_add(&buf);
    call_answer(call, 200, "text/plain; version=0.0.4; charset=utf-8", buf_text(&buf));
}
