#include "base/limits.h"
#include "netboot/netboot.h"
#include "records/record.h"
#include "ssh/host_key.h"

#include <string.h>

/* Reports of machines: everything in them may be hostile. */

enum netboot_field {
    FIELD_BOOT,
    FIELD_MAC,
    FIELD_SERIAL,
    FIELD_UUID,
    FIELD_HOST_KEY,
    FIELD_CPUS,
    FIELD_MEMORY,
    FIELD_ARCHITECTURE,
    FIELD_KERNEL,
    FIELD_FIRMWARE,
    FIELD_DISKS,
    FIELD_ID,
    FIELD_STATE,
    FIELD_STEP,
    FIELD_TEXT,
};

const char *const netboot_field_names[NETBOOT_FIELDS] = {
    [FIELD_BOOT] = "boot",         [FIELD_MAC] = "mac",
    [FIELD_SERIAL] = "serial",     [FIELD_UUID] = "uuid",
    [FIELD_HOST_KEY] = "host_key", [FIELD_CPUS] = "cpus",
    [FIELD_MEMORY] = "memory_kib", [FIELD_ARCHITECTURE] = "architecture",
    [FIELD_KERNEL] = "kernel",     [FIELD_FIRMWARE] = "firmware",
    [FIELD_DISKS] = "disks",       [FIELD_ID] = "id",
    [FIELD_STATE] = "state",       [FIELD_STEP] = "step",
    [FIELD_TEXT] = "text",
};

MUST_CHECK static bool netboot_invalid(enum netboot_field field, const char *what, struct err *err)
{
    return err_set(err, CODE_R0855, "the report of the netboot system has %s in '%s'", what,
                   netboot_field_names[field]);
}

static bool is_netboot_word(struct text value)
{
    bool is_good = value.length <= NETBOOT_WORD_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];

        is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                  (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' ||
                  byte == '+';
    }
    return is_good;
}

/* A serial number or UUID as firmware has it: printable ASCII, which may have blanks. */
static bool is_netboot_label(struct text value)
{
    bool is_good = value.length <= NETBOOT_WORD_BYTES;

    for (size_t i = 0; is_good && i < value.length; i++) {
        is_good = value.data[i] >= ' ' && value.data[i] <= '~' && value.data[i] != '"' &&
                  value.data[i] != '\\';
    }
    return is_good;
}

static bool is_netboot_mac(struct text value)
{
    bool is_good = value.length == 17;

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];

        is_good =
            i % 3 == 2 ? byte == ':' : (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
    }
    return is_good;
}

static bool is_netboot_number(struct text value)
{
    int64_t number = 0;

    return value.length == 0 ||
           (value.length <= 12 && text_parse_int64(value, &number) && number > 0);
}

static struct text netboot_part_take(struct text *rest)
{
    size_t end = text_find_byte(*rest, ' ');
    struct text part = text_slice(*rest, 0, end);

    *rest = end == SIZE_MAX ? TEXT("") : text_slice(*rest, end + 1, SIZE_MAX);
    return part;
}

MUST_CHECK static bool netboot_macs_read(struct text value, struct netboot_report *out,
                                         struct err *err)
{
    while (value.length > 0) {
        struct text mac = netboot_part_take(&value);

        if (!is_netboot_mac(mac)) {
            return netboot_invalid(FIELD_MAC, "no Ethernet address", err);
        }
        if (out->mac_count < DISCOVERED_MACS) {
            out->macs[out->mac_count++] = mac;
        }
    }
    return out->mac_count > 0 || netboot_invalid(FIELD_MAC, "no Ethernet address", err);
}

MUST_CHECK static bool netboot_disks_check(struct text value, struct err *err)
{
    size_t count = 0;

    while (value.length > 0) {
        struct text name = netboot_part_take(&value);
        struct text bytes = netboot_part_take(&value);
        int64_t number;

        if (!is_netboot_word(name) || name.length == 0 || bytes.length > 18 ||
            !text_parse_int64(bytes, &number) || number <= 0 || ++count > NETBOOT_DISKS_MAX) {
            return netboot_invalid(FIELD_DISKS, "no list of disks", err);
        }
    }
    return true;
}

MUST_CHECK static bool netboot_words_check(const struct text values[NETBOOT_FIELDS],
                                           struct err *err)
{
    static const enum netboot_field words[] = { FIELD_BOOT,     FIELD_ARCHITECTURE, FIELD_KERNEL,
                                                FIELD_FIRMWARE, FIELD_ID,           FIELD_STATE,
                                                FIELD_STEP };

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (!is_netboot_word(values[words[i]])) {
            return netboot_invalid(words[i], "no word", err);
        }
    }
    if (values[FIELD_BOOT].length == 0) {
        return netboot_invalid(FIELD_BOOT, "nothing", err);
    }
    return (is_netboot_number(values[FIELD_CPUS]) ||
            netboot_invalid(FIELD_CPUS, "no number", err)) &&
           (is_netboot_number(values[FIELD_MEMORY]) ||
            netboot_invalid(FIELD_MEMORY, "no number", err)) &&
           (is_netboot_label(values[FIELD_SERIAL]) ||
            netboot_invalid(FIELD_SERIAL, "unprintable text", err)) &&
           (is_netboot_label(values[FIELD_UUID]) ||
            netboot_invalid(FIELD_UUID, "unprintable text", err));
}

bool netboot_report_read(struct arena *arena, const struct text values[NETBOOT_FIELDS],
                         struct netboot_report *out, struct err *err)
{
    struct netboot_report report = {
        .boot = values[FIELD_BOOT],
        .serial = text_trim(values[FIELD_SERIAL]),
        .uuid = text_trim(values[FIELD_UUID]),
        .cpus = values[FIELD_CPUS],
        .memory_kib = values[FIELD_MEMORY],
        .architecture = values[FIELD_ARCHITECTURE],
        .kernel = values[FIELD_KERNEL],
        .firmware = values[FIELD_FIRMWARE],
        .disks = values[FIELD_DISKS],
        .id = values[FIELD_ID],
        .state = values[FIELD_STATE],
        .step = values[FIELD_STEP],
        .text = record_sentence(arena, text_slice(values[FIELD_TEXT], 0, NETBOOT_TEXT_BYTES)),
    };
    struct err unused;

    if (!netboot_words_check(values, err) || !netboot_macs_read(values[FIELD_MAC], &report, err) ||
        !netboot_disks_check(report.disks, err)) {
        return false;
    }
    if (!text_has_prefix(values[FIELD_HOST_KEY], TEXT("ssh-ed25519 ")) ||
        !ssh_host_key_parse(arena, values[FIELD_HOST_KEY], &report.host_key, &unused)) {
        return netboot_invalid(FIELD_HOST_KEY, "no ed25519 key", err);
    }
    *out = report;
    return true;
}
