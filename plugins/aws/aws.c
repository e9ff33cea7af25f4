/* The plugin `aws`: machines of Amazon EC2. This file is the interface to reeve; README.md
 * describes the other parts. */
#include "aws.h"

#include "account.h"
#include "exchange.h"
#include "property.h"
#include "shape.h"
#include "share.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIFE_BYTES = 4 * 1024 * 1024, CALL_BYTES = 256 * 1024 * 1024, MESSAGE_BYTES = 1024 };

/* The rate limits of EC2 per region, in the order of enum aws_rate. */
static const struct rate_kind aws_rates[] = {
    [AWS_RATE_RUN] = { .per_1000s = 2000, .burst = 5 },
    [AWS_RATE_TERMINATE] = { .per_1000s = 5000, .burst = 100 },
    [AWS_RATE_DESCRIBE] = { .per_1000s = 20000, .burst = 100 },
    [AWS_RATE_CHANGE] = { .per_1000s = 5000, .burst = 50 },
    [AWS_RATE_CONSOLE] = { .per_1000s = 2000, .burst = 2 },
};

int32_t aws_refuse(struct aws_work *work, int32_t result, const char *pointer, const char *format,
                   ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    work->fault_count++;
    work->last_fault = arena_text(work->arena, text_from(message));
    work->aws->host->fault(work->call, aws_answer(text_from(pointer)),
                           aws_answer(text_from(message)));
    return result;
}

void aws_log(const struct aws *aws, int32_t level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    plain_log(aws->host, level, format, args);
    va_end(args);
}

bool aws_is_young(struct aws_work *work, struct text id)
{
    const struct reeve_host_v1 *host = work->aws->host;
    uint64_t age_ms = host->age_ms(work->call);
    uint64_t left_ms = 0;

    if (!journal_is_young(&work->aws->journal, "created", id, AWS_LAG_MS, &left_ms) &&
        age_ms >= AWS_LAG_MS) {
        return false;
    }
    host->retry_after(work->call, 5000);
    return true;
}

/* ---- calls ---- */

/* Sets up a call. At the end of the block, its memory is freed and its keys are wiped. */
#define BEGIN_AWS_CALL(work, self, with)                       \
    AUTO(arena) arena = arena_new_small(CALL_BYTES);           \
    struct aws_work *work = arena_one(arena, struct aws_work); \
    *work = (struct aws_work)                                  \
    {                                                          \
        .aws = (self), .call = (with), .arena = arena          \
    }

static int32_t aws_end(struct aws_work *work, int32_t result)
{
    account_keys_wipe(work);
    return result;
}

static int32_t aws_call_validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct shape *shape;
    BEGIN_AWS_CALL(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    shape = arena_one(arena, struct shape);
    return shape_read(work, shape);
}

static int32_t aws_call_create(void *self, struct reeve_call *call,
                               const struct reeve_wish_v1 *request)
{
    int32_t result;
    BEGIN_AWS_CALL(work, self, call);

    assert(request->struct_size >= sizeof(*request));
    if (!token_lock_take(work->aws->locks, aws_text(request->token),
                         exchange_ends_ms(work->aws->host, call))) {
        return aws_refuse(work, REEVE_UNKNOWN, "", "another call for this token is in progress");
    }
    result = aws_end(work, aws_create(work, request));
    token_lock_give(work->aws->locks, aws_text(request->token));
    return result;
}

static int32_t aws_call_destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text id, struct reeve_text reason)
{
    BEGIN_AWS_CALL(work, self, call);

    (void)reason;
    return aws_end(work, aws_destroy(work, aws_text(cluster), aws_text(id)));
}

static int32_t aws_call_describe(void *self, struct reeve_call *call,
                                 const struct reeve_query_v1 *query)
{
    BEGIN_AWS_CALL(work, self, call);

    assert(query->struct_size >= sizeof(*query));
    return aws_end(work, aws_describe(work, query));
}

static int32_t aws_call_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text labels)
{
    BEGIN_AWS_CALL(work, self, call);

    return aws_end(work, aws_label(work, aws_text(cluster), aws_text(id), aws_text(labels)));
}

static int32_t aws_call_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                               struct reeve_text id)
{
    BEGIN_AWS_CALL(work, self, call);

    return aws_end(work, aws_reboot(work, aws_text(cluster), aws_text(id)));
}

static int32_t aws_call_console(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text id)
{
    BEGIN_AWS_CALL(work, self, call);

    return aws_end(work, aws_console(work, aws_text(cluster), aws_text(id)));
}

static int32_t aws_call_resources(void *self, struct reeve_call *call, struct reeve_text cluster)
{
    BEGIN_AWS_CALL(work, self, call);

    return aws_end(work, aws_resources(work, aws_text(cluster)));
}

static int32_t aws_call_resource_destroy(void *self, struct reeve_call *call,
                                         struct reeve_text cluster, struct reeve_text kind,
                                         struct reeve_text id)
{
    BEGIN_AWS_CALL(work, self, call);

    return aws_end(work,
                   aws_resource_destroy(work, aws_text(cluster), aws_text(kind), aws_text(id)));
}

static int32_t aws_call_preflight(void *self, struct reeve_call *call,
                                  const struct reeve_need_v1 *need)
{
    BEGIN_AWS_CALL(work, self, call);

    assert(need->struct_size >= sizeof(*need));
    work->is_preflight = true;
    return aws_end(work, aws_preflight(work, need));
}

/* ---- start and stop ---- */

static void aws_stop(void *self)
{
    struct aws *aws = self;

    http_free(aws->http);
    rate_limit_free(aws->limit);
    token_locks_free(aws->locks);
    share_free(aws->share);
    explicit_bzero(aws->roles, sizeof(aws->roles));
    (void)pthread_mutex_destroy(&aws->role_mutex);
    (void)pthread_mutex_destroy(&aws->mutex);
    arena_free(aws->arena);
}

static int32_t aws_begin(struct aws *aws)
{
    const char *why = "";

    if (!aws_settings_read(aws, aws_text(aws->host->settings))) {
        return REEVE_INVALID;
    }
    if (!journal_open(aws->arena, aws_text(aws->host->folder), &aws->journal)) {
        aws_log(aws, REEVE_LOG_ERROR, "event=aws.journal_failed why=%m");
        return REEVE_TRANSIENT;
    }
    aws->locks = token_locks_new();
    aws->share = share_new();
    aws->limit = rate_limit_new(aws_rates, ARRAY_COUNT(aws_rates));
    aws->http = http_new(&(struct http_settings){ .user_agent = TEXT("reeve-aws/" REEVE_VERSION),
                                                  .ca = aws->settings.ca,
                                                  .proxy = aws->settings.proxy },
                         &why);
    if (aws->http == NULL) {
        aws_log(aws, REEVE_LOG_ERROR, "event=aws.http_failed why=%s", why);
        return REEVE_TRANSIENT;
    }
    return REEVE_OK;
}

static int32_t aws_start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new_small(LIFE_BYTES);
    struct aws *aws = arena_one(arena, struct aws);
    int32_t result;

    assert(host->struct_size >= sizeof(*host));
    aws->host = host;
    aws->arena = arena;
    (void)pthread_mutex_init(&aws->mutex, NULL);
    (void)pthread_mutex_init(&aws->role_mutex, NULL);
    result = aws_begin(aws);
    if (result != REEVE_OK) {
        aws_stop(aws);
        return result;
    }
    *self = aws;
    return REEVE_OK;
}

/* ---- properties ---- */

#define AWS_PROPERTY(of_type, of_role, called, has_flags, helps, like)                      \
    {                                                                                       \
        .name = REEVE_STATIC(called), .type = of_type, .role = of_role, .flags = has_flags, \
        .help = REEVE_STATIC(helps), .example = REEVE_STATIC(like)                          \
    }

static const struct reeve_property_v1 aws_properties[] = {
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_IMAGE, "image", 0,
                 "debian, debian-12, debian-13, ubuntu-24.04, amazonlinux-2023, rocky-9; an id "
                 "(ami-...), or ssm:/path of a parameter; default: debian",
                 "debian-12"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_MACHINE_SIZE, "instanceType", REEVE_PROPERTY_REQUIRED,
                 "type of the instance", "t3.small"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_SSH_KEY, "key", 0, "name of a key pair of EC2", "ops"),
    AWS_PROPERTY(REEVE_TYPE_ANY, REEVE_ROLE_SUBNET, "subnet", 0,
                 "id or tag Name of a subnet, or a map from zones to them", "subnet-0abc1234"),
    AWS_PROPERTY(REEVE_TYPE_TEXTS, REEVE_ROLE_SECURITY_GROUPS, "securityGroups",
                 REEVE_PROPERTY_IN_PLACE, "security groups of the subnet's VPC, by id or name",
                 "[web]"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_OWNER, "owner", 0, "value of the tag Owner",
                 "ops@example.com"),
    AWS_PROPERTY(REEVE_TYPE_LIST, REEVE_ROLE_VOLUMES, "volumes", 0,
                 "additional disks: name, size, type (gp3), iops, mount, keep",
                 "[{name: data, size: 20, mount: /srv/data}]"),
    AWS_PROPERTY(REEVE_TYPE_MAP, REEVE_ROLE_NETWORK, "network", 0,
                 "address: public gives the machine a public address, and reeve connects to it",
                 "{address: public}"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_NONE, "instanceProfileName", REEVE_PROPERTY_IN_PLACE,
                 "name or ARN of an instance profile", "reeve-node"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_NONE, "placementGroup", 0, "name of a placement group",
                 "rack"),
    AWS_PROPERTY(REEVE_TYPE_BOOLEAN, REEVE_ROLE_NONE, "ebsOptimized", 0,
                 "dedicated bandwidth to volumes, for types that do not always have it", "true"),
    AWS_PROPERTY(REEVE_TYPE_BOOLEAN, REEVE_ROLE_NONE, "publicAddress", 0,
                 "whether the machine gets a public address; default: as its subnet states",
                 "true"),
    AWS_PROPERTY(REEVE_TYPE_SIZE, REEVE_ROLE_NONE, "rootSize", 0,
                 "size of the root volume; default: as the image states", "20GiB"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_NONE, "rootType", 0,
                 "type of the root volume: gp3, gp2, io1, io2, st1, sc1, standard", "gp3"),
    AWS_PROPERTY(REEVE_TYPE_ANY, REEVE_ROLE_NONE, "spot", 0,
                 "true or {maxPrice: USD per hour}: an instance that EC2 may end at any time",
                 "{maxPrice: 0.05}"),
    AWS_PROPERTY(REEVE_TYPE_MAP, REEVE_ROLE_NONE, "metadata", 0,
                 "metadata service: tokens is required (default) or optional, hops is 1 to 64",
                 "{tokens: required, hops: 1}"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_USER, "user", 0,
                 "login user, created at the first start; default: that of the image", "admin"),
    AWS_PROPERTY(REEVE_TYPE_TEXT, REEVE_ROLE_NONE, "region", 0,
                 "region; default: that of the zone, or the first one of the settings",
                 "eu-west-1"),
    AWS_PROPERTY(REEVE_TYPE_MAP, REEVE_ROLE_NONE, "tags", 0,
                 "additional tags of the instance and its volumes", "{team: web}"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(aws_properties),
    .name = REEVE_STATIC("aws"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("machines of Amazon EC2"),
    .capabilities = REEVE_CAN_TOKEN | REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES | REEVE_CAN_HOST_KEYS,
    .lag_ms = AWS_LAG_MS,
    .late_ms = AWS_LATE_MS,
    .create_ms = AWS_CREATE_MS,
    .calls_max = AWS_CALLS_MAX,
    .properties = aws_properties,
    .start = aws_start,
    .stop = aws_stop,
    .validate = aws_call_validate,
    .create = aws_call_create,
    .destroy = aws_call_destroy,
    .describe = aws_call_describe,
    .label = aws_call_label,
    .reboot = aws_call_reboot,
    .preflight = aws_call_preflight,
    .resources = aws_call_resources,
    .resource_destroy = aws_call_resource_destroy,
    .console = aws_call_console,
};
