#include "cli/term/get_views.h"

#include "base/macros.h"

#include <string.h>

static const struct output_column cluster_columns[] = {
    { "NAME", ".metadata.name", OUTPUT_KEEP, false },
    { "VERSION", ".spec.version", OUTPUT_DROP, false },
    { "GROUPS", ".groups", OUTPUT_KEEP, true },
    { "NODES", ".nodes", OUTPUT_KEEP, true },
    { "READY", ".status.machines.ready", OUTPUT_DROP, true },
    { "FAILED", ".status.machines.failed", OUTPUT_DROP, true },
    { "UNHEALTHY", ".status.machines.unhealthy", OUTPUT_DROP, true },
    { "UNREACHABLE", ".status.machines.unreachable", OUTPUT_DROP, true },
    { "OUTDATED", ".status.machines.outdated", OUTPUT_DROP, true },
    { "HOLDS", ".status.holds", OUTPUT_WIDE, true },
    { "REVISION", ".metadata.revision", OUTPUT_DROP, true },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CHANGED", ".changed", OUTPUT_DROP, false },
    { "PROTECTED", ".spec.protected", OUTPUT_WIDE, false },
    { "LABELS", ".spec.labels", OUTPUT_WIDE, false },
    { "ID", ".metadata.id", OUTPUT_WIDE, false },
};
static const struct output_column group_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "SIZE", ".effective.size", OUTPUT_KEEP, true },
    { "READY", ".counts.ready", OUTPUT_KEEP, true },
    { "FAILED", ".counts.failed", OUTPUT_DROP, true },
    { "UNHEALTHY", ".counts.unhealthy", OUTPUT_DROP, true },
    { "UNREACHABLE", ".counts.unreachable", OUTPUT_DROP, true },
    { "OUTDATED", ".counts.outdated", OUTPUT_DROP, true },
    { "IMAGE", ".effective.image", OUTPUT_DROP, false },
    { "CONFIGURATION", ".effective.configuration", OUTPUT_WIDE, false },
    { "MACHINESIZE", ".effective.machineSize", OUTPUT_DROP, false },
    { "ZONES", ".effective.zones", OUTPUT_DROP, false },
    { "REVISION", ".metadata.revision", OUTPUT_DROP, true },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CHANGED", ".changed", OUTPUT_DROP, false },
    { "PLUGIN", ".effective.plugin", OUTPUT_WIDE, false },
    { "LABELS", ".effective.labels", OUTPUT_WIDE, false },
    { "ID", ".metadata.id", OUTPUT_WIDE, false },
};
static const struct output_column template_columns[] = {
    { "NAME", ".metadata.name", OUTPUT_KEEP, false },
    { "FIXED", ".spec.fixed", OUTPUT_DROP, false },
    { "REVISION", ".metadata.revision", OUTPUT_DROP, true },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CHANGED", ".changed", OUTPUT_DROP, false },
};
static const struct output_column account_columns[] = {
    { "NAME", ".metadata.name", OUTPUT_KEEP, false },
    { "PLUGIN", ".spec.plugin", OUTPUT_KEEP, false },
    { "SECRET", ".spec.secret", OUTPUT_DROP, false },
    { "RATE", ".spec.rate", OUTPUT_DROP, true },
    { "SHA256", ".spec.sha256", OUTPUT_WIDE, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CHANGED", ".changed", OUTPUT_DROP, false },
};
static const struct output_column secret_columns[] = {
    { "NAME", ".metadata.name", OUTPUT_KEEP, false },
    { "DIGEST", ".spec.digest", OUTPUT_DROP, false },
    { "USED BY", ".usedBy", OUTPUT_DROP, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CHANGED", ".changed", OUTPUT_DROP, false },
    { "KEY", ".spec.key", OUTPUT_WIDE, false },
};
static const struct output_column node_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "STATE", ".status.state", OUTPUT_KEEP, false },
    { "OUTDATED", ".status.outdated", OUTPUT_DROP, false },
    { "GROUP", ".metadata.group", OUTPUT_DROP, false },
    { "ZONE", ".status.zone", OUTPUT_DROP, false },
    { "ADDRESS", ".status.address", OUTPUT_DROP, false },
    { "PLUGIN", ".status.plugin", OUTPUT_DROP, false },
    { "MACHINE", ".status.id", OUTPUT_WIDE, false },
    { "HOST", ".status.host", OUTPUT_WIDE, false },
    { "USER", ".status.user", OUTPUT_WIDE, false },
    { "PORT", ".status.port", OUTPUT_WIDE, true },
    { "LABELS", ".metadata.labels", OUTPUT_WIDE, false },
    { "TOKEN", ".metadata.id", OUTPUT_WIDE, false },
};
static const struct output_column plan_columns[] = {
    { "NAME", ".metadata.name", OUTPUT_KEEP, false },
    { "MADE", ".made", OUTPUT_KEEP, false },
    { "BY", ".by", OUTPUT_KEEP, false },
    { "WHAT", ".what", OUTPUT_KEEP, false },
    { "CREATE", ".sums.create", OUTPUT_DROP, true },
    { "DESTROY", ".sums.destroy", OUTPUT_DROP, true },
    { "REPLACE", ".sums.replace", OUTPUT_DROP, true },
    { "WHY", ".why", OUTPUT_DROP, false },
    { "UNTIL", ".until", OUTPUT_WIDE, false },
};
static const struct output_column resource_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "STATE", ".status.state", OUTPUT_KEEP, false },
    { "GROUP", ".metadata.group", OUTPUT_DROP, false },
    { "PLUGIN", ".status.plugin", OUTPUT_DROP, false },
    { "MACHINE", ".status.id", OUTPUT_DROP, false },
    { "ADDRESS", ".status.address", OUTPUT_DROP, false },
    { "BECAUSE", ".status.reason", OUTPUT_DROP, false },
    { "TRIES", ".status.tries", OUTPUT_WIDE, true },
    { "FAULT", ".status.fault", OUTPUT_WIDE, false },
    { "GENERATION", ".status.generation", OUTPUT_WIDE, false },
    { "TOKEN", ".metadata.id", OUTPUT_WIDE, false },
};
static const struct output_column hold_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "ANSWER", ".answer", OUTPUT_KEEP, false },
    { "FACT", ".fact", OUTPUT_KEEP, false },
    { "DESTROY", ".status.wouldDestroy", OUTPUT_KEEP, true },
    { "CREATE", ".status.wouldCreate", OUTPUT_KEEP, true },
    { "SINCE", ".since", OUTPUT_DROP, false },
    { "NODES", ".problems.names", OUTPUT_DROP, false },
    { "CAUSE", ".problems.cause", OUTPUT_DROP, false },
    { "NEXT", ".problems.next", OUTPUT_DROP, false },
    { "WHY", ".status.why", OUTPUT_DROP, false },
    { "ADVICE", ".status.advice", OUTPUT_WIDE, false },
};
static const struct output_column volume_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "STATE", ".status.state", OUTPUT_KEEP, false },
    { "KIND", ".status.kind", OUTPUT_DROP, false },
    { "SIZE", ".size", OUTPUT_DROP, false },
    { "NODE", ".status.node", OUTPUT_DROP, false },
    { "ZONE", ".status.zone", OUTPUT_DROP, false },
    { "KEEP", ".status.keep", OUTPUT_DROP, false },
    { "SINCE", ".since", OUTPUT_DROP, false },
    { "DELETED", ".until", OUTPUT_KEEP, false },
    { "VOLUME", ".status.id", OUTPUT_DROP, false },
    { "CAUSE", ".status.cause", OUTPUT_DROP, false },
    { "GROUP", ".metadata.group", OUTPUT_WIDE, false },
    { "PLUGIN", ".status.plugin", OUTPUT_WIDE, false },
    { "MACHINE", ".status.attached", OUTPUT_WIDE, false },
    { "BY", ".status.by", OUTPUT_WIDE, false },
    { "KEY", ".metadata.id", OUTPUT_WIDE, false },
};
static const struct output_column job_columns[] = {
    { "JOB", ".metadata.name", OUTPUT_KEEP, true },
    { "CLUSTER", ".metadata.cluster", OUTPUT_KEEP, false },
    { "STATE", ".status.state", OUTPUT_KEEP, false },
    { "READY", ".status.machines.ready", OUTPUT_KEEP, true },
    { "WANTED", ".status.machines.wanted", OUTPUT_KEEP, true },
    { "MAKING", ".status.machines.creating", OUTPUT_DROP, true },
    { "GOING", ".status.machines.leaving", OUTPUT_DROP, true },
    { "FAILED", ".status.machines.failed", OUTPUT_DROP, true },
    { "OUTDATED", ".status.machines.outdated", OUTPUT_DROP, true },
    { "VERB", ".verb", OUTPUT_DROP, false },
    { "BY", ".status.by", OUTPUT_DROP, false },
    { "BEGUN", ".begun", OUTPUT_DROP, false },
    { "WHY", ".status.why", OUTPUT_DROP, false },
    { "WAITS", ".status.waits", OUTPUT_WIDE, false },
};
static const struct output_column user_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "RIGHTS", ".rights", OUTPUT_KEEP, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CREATED", ".when", OUTPUT_DROP, false },
};
static const struct output_column grant_columns[] = {
    { "USER", ".spec.user", OUTPUT_KEEP, false }, { "ROLE", ".spec.role", OUTPUT_KEEP, false },
    { "ON", ".on", OUTPUT_KEEP, false },          { "ID", ".metadata.id", OUTPUT_KEEP, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false }, { "CREATED", ".when", OUTPUT_DROP, false },
};
static const struct output_column token_columns[] = {
    { "ID", ".metadata.id", OUTPUT_KEEP, false }, { "USER", ".spec.user", OUTPUT_KEEP, false },
    { "EXPIRES", ".until", OUTPUT_KEEP, false },  { "NOTE", ".spec.note", OUTPUT_DROP, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false }, { "CREATED", ".when", OUTPUT_DROP, false },
};
static const struct output_column tenant_columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "BY", ".metadata.by", OUTPUT_DROP, false },
    { "CREATED", ".when", OUTPUT_DROP, false },
};
static const struct output_view user_view = { "{ref}", user_columns, ARRAY_COUNT(user_columns) };
static const struct output_view grant_view = { "{ref}", grant_columns, ARRAY_COUNT(grant_columns) };
static const struct output_view token_view = { "{ref}", token_columns, ARRAY_COUNT(token_columns) };
static const struct output_view tenant_view = { "{ref}", tenant_columns,
                                                ARRAY_COUNT(tenant_columns) };
static const struct output_view cluster_view = { "{ref}", cluster_columns,
                                                 ARRAY_COUNT(cluster_columns) };
static const struct output_view group_view = { "{ref}", group_columns, ARRAY_COUNT(group_columns) };
static const struct output_view template_view = { "{ref}", template_columns,
                                                  ARRAY_COUNT(template_columns) };

static const struct output_view account_view = { "{ref}", account_columns,
                                                 ARRAY_COUNT(account_columns) };
static const struct output_view secret_view = { "{ref}", secret_columns,
                                                ARRAY_COUNT(secret_columns) };
static const struct output_view resource_view = { "{ref}", resource_columns,
                                                  ARRAY_COUNT(resource_columns) };
static const struct output_view job_view = { "{ref}", job_columns, ARRAY_COUNT(job_columns) };
static const struct output_view volume_view = { "{ref}", volume_columns,
                                                ARRAY_COUNT(volume_columns) };
static const struct output_view hold_view = { "{ref}", hold_columns, ARRAY_COUNT(hold_columns) };
static const struct output_view node_view = { "{ref}", node_columns, ARRAY_COUNT(node_columns) };
static const struct output_view plan_view = { "{ref}", plan_columns, ARRAY_COUNT(plan_columns) };

const struct output_view *get_view_of(const struct schema_kind *kind)
{
    return strcmp(kind->name, "Resource") == 0 ? &resource_view
           : strcmp(kind->name, "Hold") == 0   ? &hold_view
           : strcmp(kind->name, "Job") == 0    ? &job_view
           : strcmp(kind->name, "Volume") == 0 ? &volume_view
           : strcmp(kind->name, "Node") == 0   ? &node_view
           : strcmp(kind->name, "Plan") == 0   ? &plan_view
           : strcmp(kind->name, "User") == 0   ? &user_view
           : strcmp(kind->name, "Grant") == 0  ? &grant_view
           : strcmp(kind->name, "Token") == 0  ? &token_view
           : strcmp(kind->name, "Tenant") == 0 ? &tenant_view
           : kind->owner == OWNER_CLUSTER      ? &cluster_view
           : kind->owner == OWNER_NODEGROUP    ? &group_view
           : kind->owner == OWNER_ACCOUNT      ? &account_view
           : kind->owner == OWNER_SECRET       ? &secret_view
                                               : &template_view;
}
