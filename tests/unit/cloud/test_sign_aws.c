/* Signature version 4: test vectors made by botocore's SigV4Auth with its clock set to
 * 2026-11-27T16:00:00Z. */
#include "unit.h"

#include "sign_aws.h"

#define AT_S INT64_C(1795795200)

static const struct http_header *header_find(const struct http_header *headers, size_t count,
                                             const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(headers[i].name, name)) {
            return &headers[i];
        }
    }
    return NULL;
}

static void query_is_signed(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct sign_aws_keys keys = { TEXT("AKIDEXAMPLE"),
                                  TEXT("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), TEXT("") };
    struct http_header headers[] = {
        { TEXT("content-type"), TEXT("application/x-www-form-urlencoded; charset=utf-8") },
    };
    struct sign_aws_request request = {
        .method = TEXT("POST"),
        .host = TEXT("ec2.eu-west-1.amazonaws.com"),
        .path = TEXT("/"),
        .headers = headers,
        .header_count = 1,
        .body = TEXT("Action=DescribeInstances&Version=2016-11-15"),
        .region = TEXT("eu-west-1"),
        .service = TEXT("ec2"),
        .at_s = AT_S,
    };
    struct http_header out[SIGN_AWS_HEADERS_MAX];
    size_t count = sign_aws(arena, &keys, &request, out);

    (void)state;
    assert_int_equal(count, 3);
    assert_text(header_find(out, count, "x-amz-date")->value, "20261127T160000Z");
    assert_null(header_find(out, count, "x-amz-security-token"));
    assert_text(header_find(out, count, "authorization")->value,
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261127/eu-west-1/ec2/aws4_request, "
                "SignedHeaders=content-type;host;x-amz-date, Signature="
                "4086df0d849f809fc55f92f645d5d308e77b9de24bd1dc51656e60b9b371590d");
}

static void session_and_target_are_signed(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 20);
    struct sign_aws_keys keys = { TEXT("AKIDEXAMPLE"),
                                  TEXT("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                                  TEXT("SESSION/TOKEN==") };
    struct http_header headers[] = {
        { TEXT("content-type"), TEXT("application/x-amz-json-1.1") },
        { TEXT("x-amz-target"), TEXT("AmazonSSM.GetParameters") },
    };
    struct sign_aws_request request = {
        .method = TEXT("POST"),
        .host = TEXT("ssm.us-east-1.amazonaws.com"),
        .path = TEXT("/"),
        .headers = headers,
        .header_count = 2,
        .body = TEXT("{\"Names\":[\"/x\"]}"),
        .region = TEXT("us-east-1"),
        .service = TEXT("ssm"),
        .at_s = AT_S,
    };
    struct http_header out[SIGN_AWS_HEADERS_MAX];
    size_t count = sign_aws(arena, &keys, &request, out);

    (void)state;
    assert_int_equal(count, 5);
    assert_text(header_find(out, count, "x-amz-security-token")->value, "SESSION/TOKEN==");
    assert_text(header_find(out, count, "authorization")->value,
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261127/us-east-1/ssm/aws4_request, "
                "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
                "Signature=b840c365fe7dbd14ff8966682a832cfa56048d8bd3c33817729838ab67046345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_is_signed),
        cmocka_unit_test(session_and_target_are_signed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
