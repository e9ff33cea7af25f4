#include "api/users/attempts.h"

#include <assert.h>
#include <string.h>

/* Number of table entries that an address may use, from the entry of its hash on. */
enum { PROBES = 8 };

/* Makes the key of a source: an IPv4 address, an IPv6 network, or a user of the unix socket. */
static void attempts_key_make(struct text address, char out[static FETCH_IP_TEXT_BYTES])
{
    size_t length = address.length < FETCH_IP_TEXT_BYTES ? address.length : FETCH_IP_TEXT_BYTES - 1;
    struct fetch_ip ip;

    if (fetch_ip_find(address, &ip)) {
        memset(&ip.bytes[8], 0, ip.is_six ? 8 : 0);
        fetch_ip_format(&ip, out);
        return;
    }
    memcpy(out, address.data, length);
    out[length] = '\0';
}

/* Returns the entry of this address. If it has none, returns a free entry or the oldest one among
 * the entries that the address may use. */
static struct attempts_entry *attempts_entry_find(struct attempts *attempts, const char *key)
{
    size_t place = (size_t)text_hash(text_from(key), 0);
    struct attempts_entry *oldest = NULL;

    for (size_t i = 0; i < PROBES; i++) {
        struct attempts_entry *entry =
            &attempts->entries[(place + i) % LIMIT_WRONG_TOKEN_ADDRESSES];

        if (strcmp(entry->address, key) == 0) {
            return entry;
        }
        oldest = oldest == NULL || entry->since_ms < oldest->since_ms ? entry : oldest;
    }
    return oldest;
}

unsigned attempts_count(struct attempts *attempts, struct text address, uint64_t now_ms)
{
    char key[FETCH_IP_TEXT_BYTES];
    struct attempts_entry *entry;

    attempts_key_make(address, key);
    entry = attempts_entry_find(attempts, key);
    assert(entry != NULL);
    if (strcmp(entry->address, key) != 0 || now_ms - entry->since_ms >= LIMIT_WRONG_TOKENS_MS) {
        *entry = (struct attempts_entry){ .since_ms = now_ms };
        memcpy(entry->address, key, strlen(key) + 1);
    }
    entry->count += entry->count < UINT32_MAX;
    return entry->count;
}
