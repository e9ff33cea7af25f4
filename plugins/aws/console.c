/* Reads the console of a machine, and from it the host key that the first-start script wrote. */
#include "host_key.h"
#include "instance.h"

#include <string.h>

enum { CONSOLE_BYTES = 64 * 1024, CONSOLE_EVERY_MS = 5000 };

/* Decodes base64 in the memory of the text. Blanks are skipped. */
static struct text console_decode(struct arena *arena, struct text base64)
{
    char *out = arena_alloc(arena, base64.length / 4 * 3 + 4);
    size_t length = 0;
    uint32_t group = 0;
    unsigned count = 0;

    for (size_t i = 0; i < base64.length && base64.data[i] != '='; i++) {
        char byte = base64.data[i];
        unsigned value;

        if (byte >= 'A' && byte <= 'Z') {
            value = (unsigned)(byte - 'A');
        } else if (byte >= 'a' && byte <= 'z') {
            value = (unsigned)(byte - 'a') + 26;
        } else if (byte >= '0' && byte <= '9') {
            value = (unsigned)(byte - '0') + 52;
        } else if (byte == '+' || byte == '/') {
            value = byte == '+' ? 62 : 63;
        } else {
            continue;
        }
        group = group << 6 | value;
        if (++count % 4 == 0 || count % 4 == 2 || count % 4 == 3) {
            unsigned bits = count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0;

            out[length++] = (char)(group >> bits & 255);
        }
    }
    return (struct text){ out, length };
}

int32_t console_read(struct aws_work *work, struct text region, const struct instance *instance,
                     struct ec2_ask *ask, struct ec2_answer *answer, struct text *out)
{
    struct ec2_query query;

    *out = TEXT("");
    *ask = (struct ec2_ask){ .what = "GetConsoleOutput",
                             .region = region,
                             .kind = CLASSIFY_READ,
                             .rate = AWS_RATE_DESCRIBE,
                             .priority = HTTP_READ };
    /* only instances on Nitro return the latest output; other instances return the output that EC2
     * stored last */
    for (int is_latest = 1; is_latest >= 0; is_latest--) {
        ec2_query_init(&query, work->arena, "GetConsoleOutput");
        ec2_query_add(&query, "InstanceId", instance->id);
        if (is_latest != 0) {
            ec2_query_add(&query, "Latest", TEXT("true"));
        }
        ask->body = buf_text(&query.body);
        if (ec2_call(work, ask, answer) == REEVE_OK ||
            !ec2_is_refused_as(answer, "UnsupportedOperation")) {
            break;
        }
    }
    if (answer->result != REEVE_OK) {
        return answer->result;
    }
    *out = console_decode(work->arena, xml_text(answer->root, "output"));
    if (out->length > CONSOLE_BYTES) {
        *out = text_slice(*out, out->length - CONSOLE_BYTES, CONSOLE_BYTES);
    }
    return REEVE_OK;
}

/* True if the console of this machine may be read now. */
static bool console_may_read(struct aws *aws, struct text region, struct text id)
{
    uint64_t hash = text_hash(id, 0);
    uint64_t now_ms = http_now_ms();
    size_t slot = hash % AWS_CONSOLES_MAX;
    bool is_due;

    (void)pthread_mutex_lock(&aws->mutex);
    is_due =
        aws->consoles[slot].hash != hash || now_ms - aws->consoles[slot].at_ms >= CONSOLE_EVERY_MS;
    if (is_due) {
        aws->consoles[slot].hash = hash;
        aws->consoles[slot].at_ms = now_ms;
    }
    (void)pthread_mutex_unlock(&aws->mutex);
    return is_due && rate_limit_take(aws->limit, region, AWS_RATE_CONSOLE, false, now_ms) == 0;
}

void console_key_find(struct aws_work *work, struct text region, struct text id,
                      const struct instance *instance)
{
    struct text token = tag_codec_value(instance->tags, instance->tag_count, "reeve.token");
    struct ec2_answer answer;
    struct ec2_ask ask;
    struct text text;
    struct text key;

    if (!text_is(instance->state, "running") || token.length == 0 ||
        journal_find(work->arena, &work->aws->journal, "hostkey", id, &key, NULL) ||
        !console_may_read(work->aws, region, id)) {
        return;
    }
    if (console_read(work, region, instance, &ask, &answer, &text) == REEVE_OK &&
        host_key_find(text, token, &key) && !journal_put(&work->aws->journal, "hostkey", id, key)) {
        aws_log(work->aws, REEVE_LOG_WARNING, "event=aws.journal_failed id=%.*s why=%m",
                TEXT_ARG(id));
    }
}
