#include "remote/facts.h"

#include "codec/json.h"
#include "remote/answer.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ADDRESS_BYTES = 64, VALUE_BYTES = 255, BITS_A_BYTE = 8 };

/* A numeric address. */
struct address {
    int family;
    size_t bytes;
    unsigned char data[16];
};

static bool facts_address_read(struct text text, struct address *out)
{
    char words[ADDRESS_BYTES];

    if (text.length == 0 || text.length >= sizeof(words)) {
        return false;
    }
    snprintf(words, sizeof(words), "%.*s", TEXT_ARG(text));
    *out = (struct address){ .family = AF_INET, .bytes = 4 };
    if (inet_pton(AF_INET, words, out->data) == 1) {
        return true;
    }
    *out = (struct address){ .family = AF_INET6, .bytes = 16 };
    return inet_pton(AF_INET6, words, out->data) == 1;
}

/* Reads ADDRESS/BITS of an interface. */
static bool network_read(struct text text, struct address *out, int64_t *out_bits)
{
    size_t slash = text_find_byte(text, '/');

    return slash != SIZE_MAX && facts_address_read(text_slice(text, 0, slash), out) &&
           text_parse_int64(text_slice(text, slash + 1, text.length), out_bits) && *out_bits >= 0 &&
           *out_bits <= (int64_t)(out->bytes * BITS_A_BYTE);
}

/* Returns the network that contains the address: ADDRESS/BITS, with the network's first address. */
static struct text subnet_format(struct arena *arena, struct address address, int64_t bits)
{
    char words[ADDRESS_BYTES];

    for (size_t i = 0; i < address.bytes; i++) {
        int64_t left = bits - (int64_t)(i * BITS_A_BYTE);

        if (left <= 0) {
            address.data[i] = 0;
        } else if (left < BITS_A_BYTE) {
            address.data[i] &= (unsigned char)(0xff << (BITS_A_BYTE - left));
        }
    }
    if (inet_ntop(address.family, address.data, words, sizeof(words)) == NULL) {
        return TEXT("");
    }
    return arena_printf(arena, "%s/%d", words, (int)bits);
}

/* Keywords in the output of the node program, and the corresponding keys in the facts file. */
struct reported {
    const char *word;
    const char *key;
    bool is_number;
    struct text value;
};

enum {
    REPORTED_HOSTNAME,
    REPORTED_ADDRESS,
    REPORTED_KERNEL,
    REPORTED_ARCHITECTURE,
    REPORTED_OS,
    REPORTED_CPUS,
    REPORTED_MEMORY,
    REPORTED_DISK,
    REPORTED_COUNT
};

MUST_CHECK static bool reported_take(struct reported reported[static REPORTED_COUNT],
                                     struct text word, struct text value, struct err *err)
{
    int64_t number;

    for (size_t i = 0; i < REPORTED_COUNT; i++) {
        if (!text_is(word, reported[i].word)) {
            continue;
        }
        if (value.length > VALUE_BYTES || !text_is_visible(value) || reported[i].value.length > 0 ||
            (reported[i].is_number && (!text_parse_int64(value, &number) || number < 0))) {
            return err_set(err, CODE_R0728, "the node reports no readable %s", reported[i].word);
        }
        reported[i].value = value;
    }
    return true; /* keywords of another version are ignored */
}

/* Returns the network that contains this address, from the networks that the node reports. */
static struct text subnet_find(struct arena *arena, struct text lines, struct text wanted)
{
    struct address address;
    struct address found;
    struct text word;
    struct text value;
    int64_t bits;

    if (!facts_address_read(wanted, &address)) {
        return TEXT("");
    }
    while (answer_line(&lines, &word, &value)) {
        if (text_is(word, "network") && network_read(text_trim(value), &found, &bits) &&
            found.family == address.family && memcmp(found.data, address.data, found.bytes) == 0) {
            return subnet_format(arena, found, bits);
        }
    }
    return TEXT("");
}

static void remote_facts_put(struct doc_builder *builder, struct arena *arena, const char *key,
                             struct text value)
{
    doc_builder_put(builder, key, doc_text(arena_text(arena, value), NULL));
}

bool facts_read(struct arena *arena, struct text lines, const struct facts_known *known,
                struct doc *out, struct err *err)
{
    struct reported reported[REPORTED_COUNT] = {
        [REPORTED_HOSTNAME] = { "hostname", "hostname", false, TEXT("") },
        [REPORTED_ADDRESS] = { "address", NULL, false, TEXT("") },
        [REPORTED_KERNEL] = { "kernel", "kernel", false, TEXT("") },
        [REPORTED_ARCHITECTURE] = { "architecture", "architecture", false, TEXT("") },
        [REPORTED_OS] = { "os", "os", false, TEXT("") },
        [REPORTED_CPUS] = { "cpus", "cpus", true, TEXT("") },
        [REPORTED_MEMORY] = { "memory", "memory_kib", true, TEXT("") },
        [REPORTED_DISK] = { "disk", "disk_kib", true, TEXT("") },
    };
    struct doc_builder builder;
    struct text rest = lines;
    struct text address;
    struct address number;
    struct text word;
    struct text value;

    while (answer_line(&rest, &word, &value)) {
        if (!reported_take(reported, word, text_trim(value), err)) {
            return false;
        }
    }
    address = known->address.length > 0 ? known->address : reported[REPORTED_ADDRESS].value;
    if (reported[REPORTED_HOSTNAME].value.length == 0 || !facts_address_read(address, &number)) {
        return err_set(err, CODE_R0728, "the node does not report its %s",
                       reported[REPORTED_HOSTNAME].value.length == 0 ? "host name" : "address");
    }
    doc_builder_init(&builder, arena);
    remote_facts_put(&builder, arena, "name", known->name);
    remote_facts_put(&builder, arena, "subnet",
                     known->subnet.length > 0 ? known->subnet : subnet_find(arena, lines, address));
    remote_facts_put(&builder, arena, "main_user", known->main_user);
    remote_facts_put(&builder, arena, "owner", known->owner);
    remote_facts_put(&builder, arena, "ip_address", address);
    for (size_t i = 0; i < REPORTED_COUNT; i++) {
        int64_t digits;

        if (reported[i].key != NULL && reported[i].is_number &&
            text_parse_int64(reported[i].value, &digits)) {
            doc_builder_put(&builder, reported[i].key, doc_int(arena, digits, NULL));
        } else if (reported[i].key != NULL && !reported[i].is_number) {
            remote_facts_put(&builder, arena, reported[i].key, reported[i].value);
        }
    }
    *out = doc_builder_map(&builder, NULL);
    return true;
}

bool facts_format(struct arena *arena, const struct facts_member *members, size_t count,
                  struct text *out, struct err *err)
{
    struct doc_builder builder;
    struct doc map;
    struct buf buf;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < count; i++) {
        doc_builder_put(&builder, arena_string(arena, members[i].name), members[i].facts);
    }
    map = doc_builder_map(&builder, NULL);
    if (map.entry_count != count) {
        return err_set(err, CODE_R0728, "two of %zu members have the same name", count);
    }
    buf_init(&buf, arena);
    json_format_pretty(&buf, &map);
    if (buf.length > REMOTE_FACTS_BYTES) {
        return err_set(err, CODE_R0728, "the facts of %zu members have more than %d bytes", count,
                       REMOTE_FACTS_BYTES);
    }
    *out = buf_text(&buf);
    return true;
}
