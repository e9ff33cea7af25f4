/* Reads the settings of the plugin, and parses names of regions, zones and machines. */
#include "aws.h"

#include "codec/doc_child.h"
#include "codec/json.h"

enum { REGION_BYTES_MAX = 40, INSTANCE_BYTES_MAX = 32 };

/* True for a name such as "eu-west-1": letters and dashes, then one number. */
static bool settings_is_region(struct text text)
{
    size_t dashes = 0;

    if (text.length < 6 || text.length > REGION_BYTES_MAX || text.data[0] == '-' ||
        text.data[text.length - 1] < '0' || text.data[text.length - 1] > '9') {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        dashes += byte == '-';
        if (!((byte >= 'a' && byte <= 'z') || byte == '-' || (byte >= '0' && byte <= '9'))) {
            return false;
        }
    }
    return dashes >= 2;
}

struct text aws_zone_region(struct text zone)
{
    for (size_t i = 1; i < zone.length; i++) {
        size_t end = i;

        while (end < zone.length && zone.data[end] >= '0' && zone.data[end] <= '9') {
            end++;
        }
        if (end > i && zone.data[i - 1] == '-' && end < zone.length &&
            settings_is_region(text_slice(zone, 0, end))) {
            return text_slice(zone, 0, end);
        }
    }
    return TEXT("");
}

bool aws_id_split(struct text id, struct text *out_region, struct text *out_instance)
{
    size_t slash = text_find_byte(id, '/');
    struct text instance = slash == SIZE_MAX ? TEXT("") : text_slice(id, slash + 1, id.length);

    if (!settings_is_region(text_slice(id, 0, slash)) || slash == SIZE_MAX ||
        !text_has_prefix(instance, TEXT("i-")) || instance.length < 10 ||
        instance.length > INSTANCE_BYTES_MAX) {
        return false;
    }
    for (size_t i = 2; i < instance.length; i++) {
        if (!((instance.data[i] >= '0' && instance.data[i] <= '9') ||
              (instance.data[i] >= 'a' && instance.data[i] <= 'f'))) {
            return false;
        }
    }
    *out_region = text_slice(id, 0, slash);
    *out_instance = instance;
    return true;
}

bool aws_region_is_set(const struct aws *aws, struct text region)
{
    for (size_t i = 0; i < aws->settings.region_count; i++) {
        if (text_is_equal(aws->settings.regions[i], region)) {
            return true;
        }
    }
    return false;
}

static bool settings_fault(struct aws *aws, const char *pointer, const char *why)
{
    aws_log(aws, REEVE_LOG_ERROR, "event=aws.setting_invalid at=%s why=%s", pointer, why);
    return false;
}

static bool settings_read_regions(struct aws *aws, const struct doc *settings)
{
    const struct doc *regions = doc_child(settings, "regions");

    if (!doc_is_present(regions)) {
        return true;
    }
    if (!doc_is_list(regions) || regions->item_count > AWS_REGIONS_MAX) {
        return settings_fault(aws, "/settings/regions",
                              "regions must be a list of at most 32 regions like [eu-west-1]");
    }
    aws->settings.regions = arena_array(aws->arena, struct text, regions->item_count + 1);
    for (size_t i = 0; i < regions->item_count; i++) {
        const struct doc *item = &regions->items[i];

        if (!doc_is_scalar(item) || !settings_is_region(item->text)) {
            return settings_fault(aws, "/settings/regions",
                                  "an item is not the name of a region like eu-west-1");
        }
        if (!aws_region_is_set(aws, item->text)) {
            aws->settings.regions[aws->settings.region_count++] =
                arena_text(aws->arena, item->text);
        }
    }
    return true;
}

static bool settings_read_partition(struct aws *aws, const struct doc *settings)
{
    struct text partition = doc_child_text(settings, "partition");

    aws->settings.suffix = TEXT("amazonaws.com");
    if (text_is(partition, "aws-cn")) {
        aws->settings.suffix = TEXT("amazonaws.com.cn");
    } else if (partition.length > 0 && !text_is(partition, "aws") &&
               !text_is(partition, "aws-us-gov")) {
        return settings_fault(aws, "/settings/partition", "partition is aws, aws-cn or aws-us-gov");
    }
    return true;
}

static bool settings_check_keys(struct aws *aws, const struct doc *settings)
{
    static const char *const known[] = { "ca",    "endpoint", "partition",
                                         "proxy", "regions",  "shareListings" };

    for (size_t i = 0; doc_is_map(settings) && i < settings->entry_count; i++) {
        bool is_known = false;

        for (size_t k = 0; k < ARRAY_COUNT(known); k++) {
            is_known = is_known || text_is(settings->entries[i].key, known[k]);
        }
        if (!is_known) {
            aws_log(aws, REEVE_LOG_ERROR,
                    "event=aws.setting_invalid at=/settings/%.*s why=there is no such setting: "
                    "regions, endpoint, partition, ca, proxy, shareListings",
                    TEXT_ARG(settings->entries[i].key));
            return false;
        }
    }
    return true;
}

static bool settings_read_sharing(struct aws *aws, const struct doc *settings)
{
    const struct doc *sharing = doc_child(settings, "shareListings");

    aws->settings.is_sharing =
        doc_is_scalar(sharing) && text_is(doc_child_text(settings, "shareListings"), "true");
    return !doc_is_present(sharing) || aws->settings.is_sharing ||
           (doc_is_scalar(sharing) && text_is(sharing->text, "false")) ||
           settings_fault(aws, "/settings/shareListings", "shareListings must be true or false");
}

bool aws_settings_read(struct aws *aws, struct text json)
{
    struct doc settings = { 0 };
    struct text endpoint;
    struct err err;

    if (json.length > 0 && !json_parse(aws->arena, json, NULL, &settings, &err)) {
        return settings_fault(aws, "/settings", err.text);
    }
    if (!settings_check_keys(aws, &settings) || !settings_read_regions(aws, &settings) ||
        !settings_read_partition(aws, &settings)) {
        return false;
    }
    if (!settings_read_sharing(aws, &settings)) {
        return false;
    }
    endpoint = doc_child_text(&settings, "endpoint");
    while (text_has_suffix(endpoint, TEXT("/"))) {
        endpoint.length--;
    }
    if (endpoint.length > 0 && !http_url_is_allowed(endpoint)) {
        return settings_fault(aws, "/settings/endpoint",
                              "endpoint is https://HOST[:PORT], or http:// to this computer");
    }
    aws->settings.endpoint = arena_text(aws->arena, endpoint);
    aws->settings.ca = arena_text(aws->arena, doc_child_text(&settings, "ca"));
    aws->settings.proxy = arena_text(aws->arena, doc_child_text(&settings, "proxy"));
    if (aws->settings.ca.length > 0 && aws->settings.ca.data[0] != '/') {
        return settings_fault(aws, "/settings/ca", "ca must be the absolute path of a file in PEM");
    }
    return true;
}
