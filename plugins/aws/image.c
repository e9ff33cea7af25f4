/* Resolves names of images. Publishers announce the newest image of a release as a parameter of
 * SSM. If there is no parameter, the newest image of the publisher whose name matches is used. */
#include "image.h"

#include "codec/doc_child.h"
#include "ec2.h"

#include <string.h>

enum { IMAGE_KNOWN_MS = 600000 };

/* A symbolic name. `parameter` and `pattern` have '@' in place of the architecture, which each
 * publisher spells differently. */
static const struct image_row {
    const char *name;
    const char *user;
    const char *parameter; /* NULL: none */
    const char *owner;
    const char *pattern;
    bool is_amd64; /* the publisher writes amd64 for x86_64 */
} image_rows[] = {
    { "debian", "admin", "/aws/service/debian/release/12/latest/@", "136693071363", "debian-12-@-*",
      true },
    { "debian-13", "admin", "/aws/service/debian/release/13/latest/@", "136693071363",
      "debian-13-@-*", true },
    { "debian-12", "admin", "/aws/service/debian/release/12/latest/@", "136693071363",
      "debian-12-@-*", true },
    { "ubuntu", "ubuntu",
      "/aws/service/canonical/ubuntu/server/24.04/stable/current/@/hvm/ebs-gp3/ami-id",
      "099720109477", "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-@-server-*", true },
    { "ubuntu-24.04", "ubuntu",
      "/aws/service/canonical/ubuntu/server/24.04/stable/current/@/hvm/ebs-gp3/ami-id",
      "099720109477", "ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-@-server-*", true },
    { "ubuntu-22.04", "ubuntu",
      "/aws/service/canonical/ubuntu/server/22.04/stable/current/@/hvm/ebs-gp2/ami-id",
      "099720109477", "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-@-server-*", true },
    { "amazonlinux", "ec2-user", "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-@",
      "137112412989", "al2023-ami-2023.*-@", false },
    { "amazonlinux-2023", "ec2-user",
      "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-@", "137112412989",
      "al2023-ami-2023.*-@", false },
    { "amazonlinux-2", "ec2-user",
      "/aws/service/ami-amazon-linux-latest/amzn2-ami-kernel-5.10-hvm-@-gp2", "137112412989",
      "amzn2-ami-kernel-5.10-hvm-*-@-gp2", false },
    { "rocky", "rocky", NULL, "792107900819", "Rocky-9-EC2-Base-9.*.@", false },
    { "rocky-9", "rocky", NULL, "792107900819", "Rocky-9-EC2-Base-9.*.@", false },
};

static const struct image_row *image_row_find(struct text image)
{
    for (size_t i = 0; i < ARRAY_COUNT(image_rows); i++) {
        if (text_is(image, image_rows[i].name)) {
            return &image_rows[i];
        }
    }
    return NULL;
}

bool image_is_known(struct text image)
{
    return image_row_find(image) != NULL ||
           (text_is_visible(image) && ((text_has_prefix(image, TEXT("ami-")) && image.length > 8) ||
                                       (text_has_prefix(image, TEXT("ssm:/")))));
}

bool image_is_symbolic(struct text image)
{
    return !text_has_prefix(image, TEXT("ami-"));
}

struct text image_user(struct text image)
{
    const struct image_row *row = image_row_find(image);

    return row == NULL ? TEXT("admin") : text_from(row->user);
}

struct text image_pinned(struct text pin, struct text region)
{
    if (text_find_byte(pin, '=') == SIZE_MAX) {
        return pin;
    }
    while (pin.length > 0) {
        size_t end = text_find_byte(pin, ' ');
        struct text part = text_slice(pin, 0, end);
        size_t sign = text_find_byte(part, '=');

        if (sign != SIZE_MAX && text_is_equal(text_slice(part, 0, sign), region)) {
            return text_slice(part, sign + 1, part.length);
        }
        pin = end == SIZE_MAX ? TEXT("") : text_slice(pin, end + 1, pin.length);
    }
    return TEXT("");
}

/* Replaces '@' by the architecture as the publisher spells it. */
static struct text image_fill(struct arena *arena, const struct image_row *row, const char *pattern,
                              struct text architecture)
{
    struct text whole = text_from(pattern);
    size_t at = text_find_byte(whole, '@');

    if (row->is_amd64 && text_is(architecture, "x86_64")) {
        architecture = TEXT("amd64");
    }
    if (at == SIZE_MAX) {
        return whole;
    }
    return arena_printf(arena, "%.*s%.*s%.*s", TEXT_ARG(text_slice(whole, 0, at)),
                        TEXT_ARG(architecture), TEXT_ARG(text_slice(whole, at + 1, whole.length)));
}

/* Gets the value of a parameter of SSM. *out is empty if it does not exist. */
static int32_t image_parameter(struct aws_work *work, struct text region, struct text path,
                               struct text *out, struct ec2_ask *ask, struct ec2_answer *answer)
{
    const struct doc *parameters;

    *ask = (struct ec2_ask){ .service = "ssm",
                             .target = "AmazonSSM.GetParameters",
                             .what = "GetParameters",
                             .region = region,
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_READ };
    ask->body = arena_printf(work->arena, "{\"Names\":[\"%.*s\"]}", TEXT_ARG(path));
    *out = TEXT("");
    if (ec2_call(work, ask, answer) != REEVE_OK) {
        return answer->result;
    }
    parameters = doc_child(&answer->json, "Parameters");
    if (doc_is_list(parameters) && parameters->item_count > 0) {
        *out = doc_child_text(&parameters->items[0], "Value");
    }
    return REEVE_OK;
}

static void image_read(const struct xml_node *item, struct image *out)
{
    *out = (struct image){ .id = xml_text(item, "imageId"),
                           .root_device = xml_text(item, "rootDeviceName"),
                           .architecture = xml_text(item, "architecture"),
                           .state = xml_text(item, "imageState"),
                           .name = xml_text(item, "name") };
}

/* Finds the newest image whose name matches. Of equally new images, the image with the lowest id is
 * used. */
static int32_t image_newest(struct aws_work *work, struct text region, const struct image_row *row,
                            struct text architecture, struct text *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    struct text newest = { 0 };
    struct ec2_ask ask = { .what = "DescribeImages",
                           .region = region,
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    ec2_query_init(&query, work->arena, "DescribeImages");
    ec2_query_add(&query, "Owner.1", text_from(row->owner));
    ec2_query_add(&query, "Filter.1.Name", TEXT("name"));
    ec2_query_add(&query, "Filter.1.Value.1",
                  image_fill(work->arena, row, row->pattern, architecture));
    ec2_query_add(&query, "Filter.2.Name", TEXT("state"));
    ec2_query_add(&query, "Filter.2.Value.1", TEXT("available"));
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/image", &ask, &answer);
    }
    for (const struct xml_node *item = xml_find(answer.root, "imagesSet/item"); item != NULL;
         item = item->next) {
        struct text date = xml_text(item, "creationDate");
        int order = text_compare(date, newest);

        if (order > 0 || (order == 0 && text_compare(xml_text(item, "imageId"), *out) > 0)) {
            newest = date;
            *out = xml_text(item, "imageId");
        }
    }
    return REEVE_OK;
}

int32_t image_resolve(struct aws_work *work, struct text region, struct text image,
                      struct text architecture, struct text *out_id)
{
    const struct image_row *row = image_row_find(image);
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct text path = { 0 };
    int32_t result;

    if (text_has_prefix(image, TEXT("ami-"))) {
        *out_id = image;
        return REEVE_OK;
    }
    *out_id = TEXT("");
    if (row == NULL) {
        path = text_slice(image, 4, image.length);
    } else if (row->parameter != NULL) {
        path = image_fill(work->arena, row, row->parameter, architecture);
    }
    if (path.length > 0) {
        result = image_parameter(work, region, path, out_id, &ask, &answer);
        if (result != REEVE_OK && (row == NULL || result != REEVE_AUTH)) {
            return ec2_refuse(work, "/image", &ask, &answer);
        }
    }
    if (row != NULL && out_id->length == 0) {
        result = image_newest(work, region, row, architecture, out_id);
        if (result != REEVE_OK) {
            return result;
        }
    }
    if (!text_has_prefix(*out_id, TEXT("ami-"))) {
        return aws_refuse(work, REEVE_INVALID, "/image",
                          "there is no image '%.*s' for %.*s in %.*s: name another one, or an id "
                          "(ami-...)",
                          TEXT_ARG(image), TEXT_ARG(architecture), TEXT_ARG(region));
    }
    return REEVE_OK;
}

int32_t image_describe(struct aws_work *work, struct text region, struct text id, struct image *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    const struct xml_node *item;
    struct ec2_ask ask = { .what = "DescribeImages",
                           .region = region,
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    ec2_query_init(&query, work->arena, "DescribeImages");
    ec2_query_add(&query, "ImageId.1", id);
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/image", &ask, &answer);
    }
    item = xml_find(answer.root, "imagesSet/item");
    if (item == NULL) {
        return aws_refuse(work, REEVE_INVALID, "/image",
                          "there is no image '%.*s' in %.*s that this account may use",
                          TEXT_ARG(id), TEXT_ARG(region));
    }
    image_read(item, out);
    return REEVE_OK;
}

int32_t image_architecture(struct aws_work *work, struct text region, struct text instance_type,
                           struct text *out)
{
    struct ec2_query query;
    struct ec2_answer answer;
    const struct xml_node *item;
    struct ec2_ask ask = { .what = "DescribeInstanceTypes",
                           .region = region,
                           .kind = CLASSIFY_READ,
                           .rate = AWS_RATE_DESCRIBE,
                           .priority = HTTP_READ };

    ec2_query_init(&query, work->arena, "DescribeInstanceTypes");
    ec2_query_add(&query, "InstanceType.1", instance_type);
    ask.body = buf_text(&query.body);
    if (ec2_call(work, &ask, &answer) != REEVE_OK) {
        return ec2_refuse(work, "/instanceType", &ask, &answer);
    }
    item = xml_find(answer.root, "instanceTypeSet/item/processorInfo/supportedArchitectures/item");
    *out = TEXT("x86_64");
    for (; item != NULL; item = item->next) {
        /* the architecture i386 of t2 and older types is ignored */
        if (text_is(item->text, "arm64") || text_is(item->text, "x86_64")) {
            *out = item->text;
            return REEVE_OK;
        }
    }
    return REEVE_OK;
}

/* ---- names that were found ---- */

static bool image_known_find(struct aws *aws, struct arena *arena, struct text key,
                             struct text *out)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&aws->mutex);
    for (size_t i = 0; i < AWS_IMAGES_MAX && !is_found; i++) {
        is_found = aws->images[i].at_ms > 0 &&
                   http_now_ms() - aws->images[i].at_ms < IMAGE_KNOWN_MS &&
                   text_is(key, aws->images[i].key);
        if (is_found) {
            *out = arena_text(arena, text_from(aws->images[i].id));
        }
    }
    (void)pthread_mutex_unlock(&aws->mutex);
    return is_found;
}

/* Stores a result in the cache. It replaces the result with the same key, or the oldest result. */
static void image_known_put(struct aws *aws, struct text key, struct text id)
{
    size_t at = 0;

    if (key.length >= AWS_IMAGE_KEY_BYTES || id.length >= AWS_IMAGE_ID_BYTES) {
        return;
    }
    (void)pthread_mutex_lock(&aws->mutex);
    for (size_t i = 0; i < AWS_IMAGES_MAX; i++) {
        if (text_is(key, aws->images[i].key)) {
            at = i;
            break;
        }
        at = aws->images[i].at_ms < aws->images[at].at_ms ? i : at;
    }
    memcpy(aws->images[at].key, key.data, key.length);
    aws->images[at].key[key.length] = '\0';
    memcpy(aws->images[at].id, id.data, id.length);
    aws->images[at].id[id.length] = '\0';
    aws->images[at].at_ms = http_now_ms();
    (void)pthread_mutex_unlock(&aws->mutex);
}

void image_forget(struct aws *aws)
{
    (void)pthread_mutex_lock(&aws->mutex);
    memset(aws->images, 0, sizeof(aws->images));
    (void)pthread_mutex_unlock(&aws->mutex);
}

int32_t image_of_type(struct aws_work *work, struct text region, struct text image,
                      struct text instance_type, struct text *out_id)
{
    struct text key = arena_printf(work->arena, "%.*s %.*s %.*s", TEXT_ARG(region),
                                   TEXT_ARG(instance_type), TEXT_ARG(image));
    struct text architecture;
    int32_t result;

    if (image_known_find(work->aws, work->arena, key, out_id)) {
        return REEVE_OK;
    }
    result = image_architecture(work, region, instance_type, &architecture);
    if (result == REEVE_OK) {
        result = image_resolve(work, region, image, architecture, out_id);
    }
    if (result == REEVE_OK) {
        image_known_put(work->aws, key, *out_id);
    }
    return result;
}
