#include "in_place.h"

#include "codec/doc_child.h"
#include "network.h"

static struct ec2_ask in_place_ask(const char *what, struct text region, struct ec2_query *query,
                                   bool is_change)
{
    return (struct ec2_ask){ .what = what,
                             .region = region,
                             .body = buf_text(&query->body),
                             .kind = is_change ? CLASSIFY_ONCE : CLASSIFY_READ,
                             .rate = is_change ? AWS_RATE_CHANGE : AWS_RATE_DESCRIBE,
                             .priority = HTTP_CHANGE };
}

/* ---- security groups ---- */

static bool in_place_has_group(const struct xml_node *item, struct text id)
{
    for (const struct xml_node *group = xml_find(item, "groupSet/item"); group != NULL;
         group = group->next) {
        if (text_is_equal(xml_text(group, "groupId"), id)) {
            return true;
        }
    }
    return false;
}

static bool in_place_has_groups(const struct xml_node *item, const struct network *network)
{
    size_t count = 0;

    for (const struct xml_node *group = xml_find(item, "groupSet/item"); group != NULL;
         group = group->next) {
        count++;
    }
    for (size_t i = 0; i < network->group_count; i++) {
        if (!in_place_has_group(item, network->groups[i])) {
            return false;
        }
    }
    return count == network->group_count;
}

static int32_t in_place_groups(struct aws_work *work, struct text region,
                               const struct instance *instance, const struct doc *list)
{
    struct text names[SHAPE_GROUPS_MAX] = { TEXT("default") };
    struct network network;
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    size_t count = 0;
    int32_t result;

    for (size_t i = 0; doc_is_list(list) && i < list->item_count && count < SHAPE_GROUPS_MAX; i++) {
        names[count++] = list->items[i].text;
    }
    result = network_groups(work, region, xml_text(instance->item, "vpcId"), names,
                            count > 0 ? count : 1, &network);
    if (result != REEVE_OK || in_place_has_groups(instance->item, &network)) {
        return result;
    }
    ec2_query_init(&query, work->arena, "ModifyInstanceAttribute");
    ec2_query_add(&query, "InstanceId", instance->id);
    for (size_t i = 0; i < network.group_count; i++) {
        ec2_query_addf(&query, network.groups[i], "GroupId.%zu", i + 1);
    }
    ask = in_place_ask("ModifyInstanceAttribute", region, &query, true);
    return ec2_call(work, &ask, &answer) == REEVE_OK
               ? REEVE_OK
               : ec2_refuse(work, "/securityGroups", &ask, &answer);
}

/* ---- the instance profile ---- */

/* True if the instance has the wanted profile, given by its name or ARN. Also true if none is
 * wanted and the instance has none. */
static bool in_place_has_profile(const struct xml_node *item, struct text wanted)
{
    struct text arn = xml_text(item, "iamInstanceProfile/arn");

    return text_is_equal(arn, wanted) ||
           (wanted.length > 0 && arn.length > wanted.length && text_has_suffix(arn, wanted) &&
            arn.data[arn.length - wanted.length - 1] == '/');
}

/* Gets the id of the present association of an instance profile. *out is empty if there is none. */
static int32_t in_place_association(struct aws_work *work, struct text region,
                                    const struct instance *instance, struct text *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;

    ec2_query_init(&query, work->arena, "DescribeIamInstanceProfileAssociations");
    ec2_query_filter(&query, 1, "instance-id", instance->id);
    ask = in_place_ask("DescribeIamInstanceProfileAssociations", region, &query, false);
    *out = TEXT("");
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/instanceProfileName", &ask, &answer);
    }
    for (const struct xml_node *item =
             xml_find(answer.root, "iamInstanceProfileAssociationSet/item");
         item != NULL; item = item->next) {
        struct text state = xml_text(item, "state");

        if (text_is(state, "associated") || text_is(state, "associating")) {
            *out = xml_text(item, "associationId");
        }
    }
    return REEVE_OK;
}

static int32_t in_place_profile(struct aws_work *work, struct text region,
                                const struct instance *instance, struct text wanted)
{
    struct text association = TEXT("");
    struct ec2_query query;
    struct ec2_answer answer;
    struct ec2_ask ask;
    const char *what;
    int32_t result;

    if (in_place_has_profile(instance->item, wanted)) {
        return REEVE_OK;
    }
    result = in_place_association(work, region, instance, &association);
    if (result != REEVE_OK || (wanted.length == 0 && association.length == 0)) {
        return result;
    }
    what = wanted.length == 0       ? "DisassociateIamInstanceProfile"
           : association.length > 0 ? "ReplaceIamInstanceProfileAssociation"
                                    : "AssociateIamInstanceProfile";
    ec2_query_init(&query, work->arena, what);
    if (association.length > 0) {
        ec2_query_add(&query, "AssociationId", association);
    } else {
        ec2_query_add(&query, "InstanceId", instance->id);
    }
    if (wanted.length > 0) {
        ec2_query_add(&query,
                      text_has_prefix(wanted, TEXT("arn:")) ? "IamInstanceProfile.Arn"
                                                            : "IamInstanceProfile.Name",
                      wanted);
    }
    ask = in_place_ask(what, region, &query, true);
    return ec2_call(work, &ask, &answer) == REEVE_OK
               ? REEVE_OK
               : ec2_refuse(work, "/instanceProfileName", &ask, &answer);
}

int32_t in_place_apply(struct aws_work *work, struct text region, const struct instance *instance,
                       const struct doc *properties)
{
    int32_t result =
        in_place_groups(work, region, instance, doc_child(properties, "securityGroups"));

    return result == REEVE_OK ? in_place_profile(work, region, instance,
                                                 doc_child_text(properties, "instanceProfileName"))
                              : result;
}
