#include "claims.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMS_KEY "n/claims"

struct reeve_text text_of(const char *string)
{
    return (struct reeve_text){ string, strlen(string) };
}

bool is_equal(struct reeve_text a, struct reeve_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool is_address(struct reeve_text text)
{
    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        bool is_fit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                      (byte >= 'A' && byte <= 'Z') || byte == ':' ||
                      (i > 0 && (byte == '.' || byte == '-'));

        if (!is_fit) {
            return false;
        }
    }
    return text.length > 0 && text.length <= ADDRESS_BYTES;
}

struct reeve_text text_join(const struct plugin *self, struct reeve_call *call, const char *prefix,
                            struct reeve_text first, const char *middle, struct reeve_text second)
{
    size_t room = strlen(prefix) + first.length + strlen(middle) + second.length + 1;
    char *out = self->host->allocate(call, room);
    int length = snprintf(out, room, "%s%.*s%s%.*s", prefix, (int)first.length, first.bytes, middle,
                          (int)second.length, second.bytes);

    return (struct reeve_text){ out, (uint64_t)length };
}

struct reeve_text text_copy(const struct plugin *self, struct reeve_call *call,
                            struct reeve_text text)
{
    return text_join(self, call, "", text, "", REEVE_TEXT(""));
}

struct reeve_text owner_make(const struct plugin *self, struct reeve_call *call,
                             struct reeve_text cluster, struct reeve_text token)
{
    return text_join(self, call, "", cluster, "/", token);
}

struct reeve_text machine_key(const struct plugin *self, struct reeve_call *call,
                              struct reeve_text cluster, struct reeve_text token)
{
    return text_join(self, call, "c/", cluster, "/", token);
}

static struct reeve_text address_key(const struct plugin *self, struct reeve_call *call,
                                     struct reeve_text address)
{
    return text_join(self, call, "a/", address, "", REEVE_TEXT(""));
}

struct machine_entry entry_take(const struct plugin *self, struct reeve_call *call,
                                const struct reeve_entry_v1 *from)
{
    struct machine_entry entry = { .key = text_copy(self, call, from->key),
                                   .version = from->version };

    if (from->version != 0 && from->value.length > 0) {
        entry.phase = from->value.bytes[0];
        entry.bytes = self->host->allocate(call, from->value.length);
        memcpy(entry.bytes, from->value.bytes + 1, from->value.length - 1);
    }
    return entry;
}

void entry_parse(const struct plugin *self, struct reeve_call *call, const char *bytes,
                 struct reeve_row_v1 *row)
{
    struct reeve_tag *tags = self->host->allocate(call, sizeof(*tags) * MACHINE_TAGS);
    size_t length = strlen(bytes) + 1;
    char *copy = self->host->allocate(call, length);

    memcpy(copy, bytes, length);
    *row = (struct reeve_row_v1){ .struct_size = sizeof(*row) };
    machine_parse(copy, row, tags);
}

int32_t entry_write(const struct plugin *self, struct reeve_call *call, struct machine_entry *entry,
                    char phase)
{
    size_t length = strlen(entry->bytes);
    char *bytes = self->host->allocate(call, length + 1);
    int32_t result;

    bytes[0] = phase;
    memcpy(bytes + 1, entry->bytes, length);
    result = self->host->state_put(call, entry->key, (struct reeve_text){ bytes, length + 1 },
                                   &entry->version);
    if (result == REEVE_INVALID) {
        self->host->fault(call, REEVE_TEXT(""),
                          REEVE_TEXT("another request for this machine is in progress"));
        return REEVE_TRANSIENT;
    }
    return result;
}

/* ---- addresses that are in use ---- */

static void address_add(void *arg, const struct reeve_entry_v1 *entry)
{
    struct addresses *all = arg;
    struct reeve_text address = { entry->key.bytes + 2, entry->key.length - 2 };

    if (all->count == all->room) {
        uint64_t room = all->room * 2 + 64;
        struct reeve_text *more =
            all->self->host->allocate(all->call, room * sizeof(struct reeve_text));

        if (all->count > 0) {
            memcpy(more, all->taken, all->count * sizeof(*more));
        }
        all->taken = more;
        all->room = room;
    }
    all->taken[all->count++] = text_copy(all->self, all->call, address);
}

int32_t addresses_read(struct addresses *all)
{
    return all->self->host->state_list(all->call, REEVE_TEXT("a/"), address_add, all);
}

bool is_taken(const struct addresses *all, struct reeve_text address)
{
    for (uint64_t i = 0; i < all->count; i++) {
        if (is_equal(all->taken[i], address)) {
            return true;
        }
    }
    return false;
}

/* ---- owners of addresses ---- */

int32_t owner_read(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                   struct reeve_entry_v1 *out)
{
    return self->host->state_get(call, address_key(self, call, address), out);
}

int32_t address_claim(const struct plugin *self, struct reeve_call *call, struct reeve_text address,
                      struct reeve_text owner)
{
    enum { TRIES = 3 };
    struct reeve_text key = address_key(self, call, address);
    int32_t result = REEVE_INVALID;

    for (int i = 0; i < TRIES && result == REEVE_INVALID; i++) {
        struct reeve_entry_v1 entry;
        uint64_t version = 0;

        result = self->host->state_get(call, key, &entry);
        if (result == REEVE_OK && entry.version != 0) {
            return is_equal(entry.value, owner) ? REEVE_OK : REEVE_CAPACITY;
        }
        if (result == REEVE_OK) {
            result = self->host->state_put(call, key, owner, &version);
        }
    }
    return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
}

struct reeve_text entry_owner(const struct machine_entry *entry)
{
    return (struct reeve_text){ entry->key.bytes + 2, entry->key.length - 2 };
}

int32_t address_release(const struct plugin *self, struct reeve_call *call,
                        struct reeve_text address, struct reeve_text owner)
{
    struct reeve_text key = address_key(self, call, address);
    struct reeve_entry_v1 entry;
    int32_t result = self->host->state_get(call, key, &entry);

    if (result != REEVE_OK || entry.version == 0 || !is_equal(entry.value, owner)) {
        return result;
    }
    result = self->host->state_put(call, key, REEVE_TEXT(""), &entry.version);
    return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
}

/* ---- the number of claims ---- */

static int32_t claims_entry(const struct plugin *self, struct reeve_call *call,
                            struct reeve_entry_v1 *entry, uint64_t *out)
{
    int32_t result = self->host->state_get(call, REEVE_TEXT(CLAIMS_KEY), entry);

    *out = 0;
    for (uint64_t i = 0; result == REEVE_OK && i < entry->value.length; i++) {
        char digit = entry->value.bytes[i];

        if (digit < '0' || digit > '9' || *out > UINT64_MAX / 10 - 1) {
            self->host->fault(call, REEVE_TEXT(""),
                              REEVE_TEXT("the number of claims in the store is damaged"));
            return REEVE_TRANSIENT;
        }
        *out = *out * 10 + (uint64_t)(digit - '0');
    }
    return result;
}

int32_t claims_read(const struct plugin *self, struct reeve_call *call, uint64_t *out)
{
    struct reeve_entry_v1 entry;

    return claims_entry(self, call, &entry, out);
}

/* Writes the number of the newest claim plus 1, or `least` if that is greater. */
static int32_t claims_write(const struct plugin *self, struct reeve_call *call, uint64_t least,
                            uint64_t *out)
{
    /* a write fails only if another manager has made a claim at the same time */
    enum { TRIES = 16 };
    int32_t result = REEVE_INVALID;

    for (int i = 0; i < TRIES && result == REEVE_INVALID; i++) {
        struct reeve_entry_v1 entry;
        char number[24];

        result = claims_entry(self, call, &entry, out);
        if (result == REEVE_OK) {
            uint64_t version = entry.version;

            *out = *out + 1 > least ? *out + 1 : least;
            snprintf(number, sizeof(number), "%" PRIu64, *out);
            result = self->host->state_put(call, REEVE_TEXT(CLAIMS_KEY), text_of(number), &version);
        }
    }
    return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
}

int32_t claims_next(const struct plugin *self, struct reeve_call *call, uint64_t *out)
{
    return claims_write(self, call, 0, out);
}

int32_t claims_raise(const struct plugin *self, struct reeve_call *call, uint64_t number)
{
    uint64_t newest;
    int32_t result = claims_read(self, call, &newest);

    return result == REEVE_OK && newest < number ? claims_write(self, call, number, &newest)
                                                 : result;
}
