/* Changes of an existing machine. Each change reads the machine first. A machine of another cluster
 * is treated as not existing. */
#include "codec/doc_child.h"
#include "codec/json.h"
#include "in_place.h"
#include "instance.h"
#include "run.h"
#include "volume.h"

#include <string.h>

static struct ec2_ask change_ask(const char *what, struct text region, struct ec2_query *query,
                                 enum aws_rate rate)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = CLASSIFY_ONCE,
                             .rate = rate,
                             .priority = HTTP_CHANGE };
}

static int32_t change_refuse_young(struct aws_work *work, struct text id)
{
    return aws_refuse(work, REEVE_TRANSIENT, "", "EC2 does not show the new machine %.*s yet",
                      TEXT_ARG(id));
}

/* Handles a rejected change of an existing machine. "Not found" may be wrong for a new machine,
 * which some replicas of the provider do not know yet. */
static int32_t change_refuse(struct aws_work *work, struct text id, const struct ec2_ask *ask,
                             const struct ec2_answer *answer)
{
    if (!ec2_is_refused_as(answer, "InvalidInstanceID.NotFound") &&
        !ec2_is_refused_as(answer, "InvalidID")) {
        return ec2_refuse(work, "", ask, answer);
    }
    return aws_is_young(work, id)
               ? change_refuse_young(work, id)
               : aws_refuse(work, REEVE_GONE, "", "the machine %.*s does not exist", TEXT_ARG(id));
}

/* True if the instance has ended, or will end. */
static bool change_is_over(const struct instance *instance)
{
    return text_is(instance->state, "terminated") || text_is(instance->state, "shutting-down");
}

/* Finds the machine for a change. Returns OK if the machine can be changed. */
static int32_t change_find(struct aws_work *work, struct text cluster, struct text id,
                           struct text *out_region, struct instance *out)
{
    int32_t result = REEVE_OK;

    switch (instance_find(work, cluster, id, out_region, out, &result)) {
    case INSTANCE_FOUND:
        if (!change_is_over(out)) {
            return REEVE_OK;
        }
        break;
    case INSTANCE_YOUNG:
        return change_refuse_young(work, id);
    case INSTANCE_FAILED:
        return result;
    case INSTANCE_GONE:
        break;
    }
    return aws_refuse(work, REEVE_GONE, "", "the machine %.*s does not exist", TEXT_ARG(id));
}

/* ---- destroy ---- */

static int32_t change_terminate(struct aws_work *work, struct text region, struct text instance,
                                struct text id)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "TerminateInstances");
    ec2_query_add(&query, "InstanceId.1", instance);
    ask = change_ask("TerminateInstances", region, &query, AWS_RATE_TERMINATE);
    if (ec2_call(work, &ask, &answer) == REEVE_OK) {
        return REEVE_OK;
    }
    if (ec2_is_refused_as(&answer, "InvalidInstanceID.NotFound")) {
        return aws_is_young(work, id) ? change_refuse_young(work, id) : REEVE_OK;
    }
    return ec2_refuse(work, "", &ask, &answer);
}

int32_t aws_destroy(struct aws_work *work, struct text cluster, struct text id)
{
    struct instance *instance = arena_one(work->arena, struct instance);
    struct text region;
    int32_t result = REEVE_OK;

    switch (instance_find(work, cluster, id, &region, instance, &result)) {
    case INSTANCE_GONE:
        return REEVE_OK;
    case INSTANCE_YOUNG:
        return change_refuse_young(work, id);
    case INSTANCE_FAILED:
        return result;
    case INSTANCE_FOUND:
        break;
    }
    if (!change_is_over(instance)) {
        result = volume_mark_kept(work, region, instance);
    }
    if (result == REEVE_OK && !change_is_over(instance)) {
        result = change_terminate(work, region, instance->id, id);
    }
    if (result == REEVE_OK) {
        journal_delete(&work->aws->journal, "hostkey", id);
    }
    return result;
}

/* ---- label ---- */

/* True if the tag belongs to reeve or the plugin, so that it is not a label. */
static bool change_is_fixed(struct text name)
{
    return text_is(name, "Name") || text_has_prefix(name, TEXT("aws:")) ||
           (text_has_prefix(name, TEXT("reeve.")) && !text_has_prefix(name, TEXT("reeve.labels")));
}

static bool change_has_tag(const struct tag_codec_tags *list, struct text name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (text_is_equal(aws_text(list->items[i].name), name)) {
            return true;
        }
    }
    return false;
}

static int32_t change_set_tags(struct aws_work *work, struct text region, struct text id,
                               struct text instance, const struct tag_codec_tags *list)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "CreateTags");
    ec2_query_add(&query, "ResourceId.1", instance);
    for (uint32_t i = 0; i < list->count; i++) {
        ec2_query_addf(&query, aws_text(list->items[i].name), "Tag.%u.Key", i + 1);
        ec2_query_addf(&query, aws_text(list->items[i].value), "Tag.%u.Value", i + 1);
    }
    ask = change_ask("CreateTags", region, &query, AWS_RATE_CHANGE);
    return ec2_call(work, &ask, &answer) == REEVE_OK ? REEVE_OK
                                                     : change_refuse(work, id, &ask, &answer);
}

/* Returns the present labels of the instance as tags: the tags that reeve.labels lists. */
static void change_old_labels(struct aws_work *work, const struct instance *instance,
                              struct tag_codec_tags *out)
{
    struct text labels = tag_codec_value(instance->tags, instance->tag_count, "reeve.labels");

    *out = (struct tag_codec_tags){ 0 };
    run_label_tags(work->arena, labels, out);
}

/* Removes the tags of labels that are no longer set. */
static int32_t change_drop_tags(struct aws_work *work, struct text region, struct text id,
                                const struct instance *instance,
                                const struct tag_codec_tags *wanted)
{
    struct tag_codec_tags old;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    unsigned count = 0;

    change_old_labels(work, instance, &old);
    ec2_query_init(&query, work->arena, "DeleteTags");
    ec2_query_add(&query, "ResourceId.1", instance->id);
    for (uint32_t i = 0; i < old.count; i++) {
        struct text name = aws_text(old.items[i].name);

        if (!change_is_fixed(name) && !change_has_tag(wanted, name)) {
            ec2_query_addf(&query, name, "Tag.%u.Key", ++count);
        }
    }
    if (count == 0) {
        return REEVE_OK;
    }
    ask = change_ask("DeleteTags", region, &query, AWS_RATE_CHANGE);
    return ec2_call(work, &ask, &answer) == REEVE_OK ? REEVE_OK
                                                     : change_refuse(work, id, &ask, &answer);
}

/* Removes the properties from the labels, because only the labels are stored as tags. */
static bool change_take_properties(struct aws_work *work, struct text *inout_labels,
                                   struct doc *out)
{
    struct doc_builder builder;
    const struct doc *properties;
    struct doc labels;
    struct err err;
    struct buf json;

    if (!json_parse(work->arena, *inout_labels, NULL, &labels, &err) ||
        (properties = doc_child(&labels, "properties")) == NULL) {
        return false;
    }
    *out = *properties;
    doc_builder_init(&builder, work->arena);
    for (size_t i = 0; i < labels.entry_count; i++) {
        if (!text_is(labels.entries[i].key, "properties")) {
            doc_builder_add(&builder, &labels.entries[i]);
        }
    }
    labels = doc_builder_map(&builder, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &labels);
    *inout_labels = buf_text(&json);
    return true;
}

int32_t aws_label(struct aws_work *work, struct text cluster, struct text id, struct text labels)
{
    struct instance *instance = arena_one(work->arena, struct instance);
    struct tag_codec_tags wanted = { 0 };
    struct doc properties;
    bool has_properties;
    struct text region;
    int32_t result = change_find(work, cluster, id, &region, instance);

    if (result != REEVE_OK) {
        return result;
    }
    has_properties = change_take_properties(work, &labels, &properties);
    run_label_tags(work->arena, labels, &wanted);
    result = change_set_tags(work, region, id, instance->id, &wanted);
    if (result == REEVE_OK) {
        result = change_drop_tags(work, region, id, instance, &wanted);
    }
    return result == REEVE_OK && has_properties
               ? in_place_apply(work, region, instance, &properties)
               : result;
}

/* ---- reboot, console ---- */

int32_t aws_reboot(struct aws_work *work, struct text cluster, struct text id)
{
    struct instance *instance = arena_one(work->arena, struct instance);
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct text region;
    const char *action;
    int32_t result = change_find(work, cluster, id, &region, instance);

    if (result != REEVE_OK) {
        return result;
    }
    action = text_is(instance->state, "stopped") ? "StartInstances" : "RebootInstances";
    ec2_query_init(&query, work->arena, action);
    ec2_query_add(&query, "InstanceId.1", instance->id);
    ask = change_ask(action, region, &query, AWS_RATE_CHANGE);
    return ec2_call(work, &ask, &answer) == REEVE_OK ? REEVE_OK
                                                     : change_refuse(work, id, &ask, &answer);
}

int32_t aws_console(struct aws_work *work, struct text cluster, struct text id)
{
    struct instance *instance = arena_one(work->arena, struct instance);
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct text region;
    struct text text;
    int32_t result = change_find(work, cluster, id, &region, instance);

    if (result != REEVE_OK) {
        return result;
    }
    if (console_read(work, region, instance, &ask, &answer, &text) != REEVE_OK) {
        return change_refuse(work, id, &ask, &answer);
    }
    work->aws->host->text(work->call, aws_answer(text));
    return REEVE_OK;
}
