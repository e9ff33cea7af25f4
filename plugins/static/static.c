/* The plugin `static`: machines that already exist (README.md). */

#include "evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES_MAX = 4096,
    KEY_BYTES = 1000,
    USER_BYTES = 32,
    /* An abandoned write of the manager's state takes effect within this time, or not at all. */
    LATE_MS = 5 * 1000,
};

/* ---- addresses ---- */

static struct reeve_text address_at(struct plugin *self, struct reeve_call *call, uint64_t i)
{
    struct reeve_value_v1 value = self->host->member(call, REEVE_TEXT("/addresses"), i, NULL);

    return value.type == REEVE_TYPE_TEXT ? value.text : (struct reeve_text){ 0 };
}

static uint64_t address_count(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 list = self->host->value(call, REEVE_TEXT("/addresses"));

    return list.type == REEVE_TYPE_LIST ? (uint64_t)list.integer : 0;
}

static void address_fault(struct plugin *self, struct reeve_call *call, uint64_t i,
                          const char *what)
{
    char pointer[40];

    snprintf(pointer, sizeof(pointer), "/addresses/%llu", (unsigned long long)i);
    self->host->fault(call, text_of(pointer), text_of(what));
}

/* ---- logins ---- */

/* Returns whether the text is a public key line that can be copied into a file: two or more words
 * of plain characters. */
static bool is_key(struct reeve_text text)
{
    uint64_t blanks = 0;

    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\') {
            return false;
        }
        blanks += byte == ' ' && i > 0 && i + 1 < text.length;
    }
    return blanks > 0 && text.length <= KEY_BYTES && text.bytes[0] != ' ';
}

static bool is_user(struct reeve_text text)
{
    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
              (i > 0 && byte == '-'))) {
            return false;
        }
    }
    return text.length > 0 && text.length <= USER_BYTES;
}

/* Rejects invalid keys, and keys without an address: otherwise the host would have no known key. */
static int32_t keys_validate(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 map = self->host->value(call, REEVE_TEXT("/hostKeys"));
    uint64_t count = map.type == REEVE_TYPE_MAP ? (uint64_t)map.integer : 0;
    int32_t result = REEVE_OK;

    if (map.type != REEVE_TYPE_MAP && map.type != REEVE_TYPE_ANY) {
        self->host->fault(call, REEVE_TEXT("/hostKeys"), REEVE_TEXT("it is a map: ADDRESS: KEY"));
        return REEVE_INVALID;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct reeve_text address;
        struct reeve_value_v1 key = self->host->member(call, REEVE_TEXT("/hostKeys"), i, &address);
        bool is_listed = false;

        for (uint64_t j = 0; j < address_count(self, call) && !is_listed; j++) {
            is_listed = is_equal(address, address_at(self, call, j));
        }
        if (!is_listed || key.type != REEVE_TYPE_TEXT || !is_key(key.text)) {
            self->host->fault(call, REEVE_TEXT("/hostKeys"),
                              is_listed ? REEVE_TEXT("a key is a line: ssh-ed25519 AAAA...")
                                        : REEVE_TEXT("each key must belong to one of the "
                                                     "addresses"));
            result = REEVE_INVALID;
        }
    }
    return result;
}

static int32_t login_validate(struct plugin *self, struct reeve_call *call)
{
    struct reeve_value_v1 user = self->host->value(call, REEVE_TEXT("/user"));
    struct reeve_value_v1 port = self->host->value(call, REEVE_TEXT("/port"));
    int32_t result = keys_validate(self, call);

    if (user.type != REEVE_TYPE_ANY && (user.type != REEVE_TYPE_TEXT || !is_user(user.text))) {
        self->host->fault(call, REEVE_TEXT("/user"),
                          REEVE_TEXT("it is not a valid name of a user"));
        result = REEVE_INVALID;
    }
    if (port.type != REEVE_TYPE_ANY &&
        (port.type != REEVE_TYPE_INTEGER || port.integer < 1 || port.integer > 65535)) {
        self->host->fault(call, REEVE_TEXT("/port"), REEVE_TEXT("a port is 1 to 65535"));
        result = REEVE_INVALID;
    }
    return result;
}

/* Returns the login data of a machine as JSON. NULL: out of memory. */
static const char *reach_make(struct plugin *self, struct reeve_call *call,
                              struct reeve_text address)
{
    enum { ROOM = KEY_BYTES + USER_BYTES + 64 };
    char *out = self->host->allocate(call, ROOM);
    char pointer[ADDRESS_BYTES + 16];
    struct reeve_value_v1 user = self->host->value(call, REEVE_TEXT("/user"));
    struct reeve_value_v1 port = self->host->value(call, REEVE_TEXT("/port"));
    struct reeve_value_v1 key;
    int length;

    snprintf(pointer, sizeof(pointer), "/hostKeys/%.*s", (int)address.length, address.bytes);
    key = self->host->value(call, text_of(pointer));
    length = snprintf(out, ROOM, "{\"port\": %lld",
                      port.type == REEVE_TYPE_INTEGER ? (long long)port.integer : 22LL);
    if (key.type == REEVE_TYPE_TEXT && is_key(key.text)) {
        length += snprintf(out + length, ROOM - (size_t)length, ", \"hostKey\": \"%.*s\"",
                           (int)key.text.length, key.text.bytes);
    }
    if (user.type == REEVE_TYPE_TEXT && is_user(user.text)) {
        length += snprintf(out + length, ROOM - (size_t)length, ", \"user\": \"%.*s\"",
                           (int)user.text.length, user.text.bytes);
    }
    snprintf(out + length, ROOM - (size_t)length, "}");
    return out;
}

static int32_t static_validate(void *arg, struct reeve_call *call, struct reeve_text properties)
{
    struct plugin *self = arg;
    uint64_t count = address_count(self, call);
    int32_t result = REEVE_OK;

    (void)properties;
    if (count == 0 || count > ADDRESSES_MAX) {
        self->host->fault(call, REEVE_TEXT("/addresses"),
                          REEVE_TEXT("it lists 1 to 4096 addresses of machines"));
        return REEVE_INVALID;
    }
    result = login_validate(self, call);
    for (uint64_t i = 0; i < count; i++) {
        struct reeve_text address = address_at(self, call, i);

        if (!is_address(address)) {
            address_fault(self, call, i, "it is neither an address nor a host name");
            result = REEVE_INVALID;
        }
        for (uint64_t j = 0; j < i; j++) {
            if (is_equal(address, address_at(self, call, j))) {
                address_fault(self, call, i, "it is in the list already");
                result = REEVE_INVALID;
                break;
            }
        }
    }
    return result;
}

/* ---- allocation ---- */

/* Returns the index of the preferred address: member N prefers address N modulo the number of
 * addresses. */
static uint64_t first_choice(const struct reeve_wish_v1 *request, uint64_t count)
{
    for (uint32_t i = 0; i < request->tag_count; i++) {
        char number[24] = "";

        if (is_equal(request->tags[i].name, REEVE_TEXT("reeve.logical_id")) &&
            request->tags[i].value.length < sizeof(number)) {
            memcpy(number, request->tags[i].value.bytes, request->tags[i].value.length);
            return strtoull(number, NULL, 10) % count;
        }
    }
    return 0;
}

/* Makes a machine the owner of its address, and writes the evidence of the claim. Returns
 * REEVE_CAPACITY if the address belongs to another machine. */
static int32_t claim_finish(struct plugin *self, struct reeve_call *call, struct reeve_text address,
                            struct machine_entry *entry)
{
    struct reeve_text owner = entry_owner(entry);
    int32_t result = address_claim(self, call, address, owner);
    bool is_owner = result == REEVE_OK;

    if (is_owner) {
        result = evidence_write(self, call, address, owner, entry->bytes);
    }
    if (result == REEVE_OK) {
        result = entry_write(self, call, entry, OWNED);
    }
    /* the machine owns the address, so listings show it, and the result is unknown */
    return is_owner && result == REEVE_TRANSIENT ? REEVE_UNKNOWN : result;
}

/* Tries to allocate one address. The attempt is first written to the store. */
static int32_t address_try(struct plugin *self, struct reeve_call *call,
                           const struct reeve_wish_v1 *request, struct reeve_text address,
                           struct machine_entry *entry)
{
    struct machine machine = { .name = request->name,
                               .zone = request->zone,
                               .address = address,
                               .labels = request->labels,
                               .tags = request->tags,
                               .tag_count = request->tag_count,
                               .reach = text_of(reach_make(self, call, address)) };
    int32_t result;

    entry->bytes = self->host->allocate(call, REEVE_STATE_VALUE_BYTES);
    if (machine_format(&machine, entry->bytes, REEVE_STATE_VALUE_BYTES - 1) == 0) {
        self->host->fault(call, REEVE_TEXT(""),
                          REEVE_TEXT("its labels are longer than 16 KiB in all"));
        return REEVE_INVALID;
    }
    result = entry_write(self, call, entry, CLAIMING);
    if (result == REEVE_OK) {
        result = claim_finish(self, call, address, entry);
    }
    return result;
}

/* Allocates the first free address. */
static int32_t machine_take(struct plugin *self, struct reeve_call *call,
                            const struct reeve_wish_v1 *request, struct machine_entry *entry)
{
    struct addresses all = { .self = self, .call = call };
    uint64_t count = address_count(self, call);
    int32_t result = addresses_read(&all);

    for (uint64_t i = 0; i < count && result == REEVE_OK; i++) {
        struct reeve_text address =
            address_at(self, call, (first_choice(request, count) + i) % count);

        if (!is_address(address) || is_taken(&all, address)) {
            continue;
        }
        result = address_try(self, call, request, address, entry);
        if (result == REEVE_OK) {
            self->host->made(call, address);
            return REEVE_OK;
        }
        result = result == REEVE_CAPACITY ? REEVE_OK : result; /* another request was faster */
    }
    if (result != REEVE_OK) {
        return result;
    }
    if (entry->version != 0) {
        result = self->host->state_put(call, entry->key, REEVE_TEXT(""), &entry->version);
    }
    self->host->fault(call, REEVE_TEXT("/addresses"),
                      REEVE_TEXT("all of these machines are in use: list more of them"));
    return result == REEVE_OK ? REEVE_CAPACITY : REEVE_TRANSIENT;
}

/* Continues the allocation that an earlier request with this token has begun. Returns
 * REEVE_CAPACITY if its address belongs to another machine. */
static int32_t machine_continue(struct plugin *self, struct reeve_call *call,
                                struct machine_entry *entry)
{
    struct reeve_row_v1 row;
    struct reeve_text address;
    int32_t result = REEVE_OK;

    entry_parse(self, call, entry->bytes, &row);
    address = row.address;

    if (entry->phase == CLAIMING) {
        result = claim_finish(self, call, address, entry);
    }
    if (result == REEVE_OK) {
        self->host->made(call, address);
    }
    return result;
}

static int32_t static_create(void *arg, struct reeve_call *call,
                             const struct reeve_wish_v1 *request)
{
    struct plugin *self = arg;
    struct reeve_text key = machine_key(self, call, request->cluster, request->token);
    struct reeve_entry_v1 found;
    struct machine_entry entry;
    int32_t result = folder_check(self, call);

    if (result == REEVE_OK) {
        result = self->host->state_get(call, key, &found);
    }
    if (result != REEVE_OK) {
        return result;
    }
    entry = entry_take(self, call, &found);
    if (entry.version != 0 && entry.phase == RELEASING) {
        return REEVE_GONE;
    }
    result = entry.version != 0 ? machine_continue(self, call, &entry) : REEVE_CAPACITY;
    return result == REEVE_CAPACITY ? machine_take(self, call, request, &entry) : result;
}

/* ---- finding ---- */

struct search {
    struct plugin *self;
    struct reeve_call *call;
    struct reeve_text address;
    struct machine_entry found;
};

static void search_look(void *arg, const struct reeve_entry_v1 *from)
{
    struct search *search = arg;
    struct machine_entry entry = entry_take(search->self, search->call, from);

    if (search->found.version == 0 && entry.bytes != NULL) {
        struct reeve_row_v1 row;

        entry_parse(search->self, search->call, entry.bytes, &row);
        if (is_equal(row.address, search->address)) {
            search->found = entry;
        }
    }
}

/* Finds the machine of a cluster at an address. The version is 0 if there is none. */
static int32_t machine_find(struct plugin *self, struct reeve_call *call, struct reeve_text cluster,
                            struct reeve_text id, struct machine_entry *out)
{
    struct reeve_text token = self->host->token(call);
    struct search search = { .self = self, .call = call, .address = id };
    struct reeve_entry_v1 from;
    int32_t result = folder_check(self, call);

    if (result == REEVE_OK && token.length > 0) {
        result = self->host->state_get(call, machine_key(self, call, cluster, token), &from);
        if (result == REEVE_OK && from.version != 0) {
            search_look(&search, &from);
        }
    }
    if (result == REEVE_OK && search.found.version == 0) {
        result = self->host->state_list(call, machine_key(self, call, cluster, REEVE_TEXT("")),
                                        search_look, &search);
    }
    *out = search.found;
    return result;
}

/* ---- release and labels ---- */

static int32_t static_destroy(void *arg, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text reason)
{
    struct plugin *self = arg;
    struct machine_entry entry;
    int32_t result = machine_find(self, call, cluster, id, &entry);

    (void)reason;
    if (result != REEVE_OK || entry.version == 0) {
        return result; /* the address belongs to a machine of another cluster, or to none */
    }
    if (entry.phase != RELEASING) {
        result = entry_write(self, call, &entry, RELEASING);
    }
    if (result == REEVE_OK) {
        result = address_release(self, call, id, entry_owner(&entry));
    }
    if (result == REEVE_OK) {
        result = evidence_remove(self, call, id, entry_owner(&entry));
    }
    if (result == REEVE_OK) {
        result = self->host->state_put(call, entry.key, REEVE_TEXT(""), &entry.version);
    }
    return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
}

static int32_t static_label(void *arg, struct reeve_call *call, struct reeve_text cluster,
                            struct reeve_text id, struct reeve_text labels)
{
    struct plugin *self = arg;
    struct machine_entry entry;
    char *changed = self->host->allocate(call, REEVE_STATE_VALUE_BYTES);
    int32_t result = machine_find(self, call, cluster, id, &entry);

    if (result != REEVE_OK) {
        return result;
    }
    if (entry.version == 0 || entry.phase == RELEASING) {
        return REEVE_GONE;
    }
    if (machine_change(entry.bytes, "labels", labels, changed, REEVE_STATE_VALUE_BYTES - 1) == 0) {
        self->host->fault(call, REEVE_TEXT(""),
                          REEVE_TEXT("its labels are longer than 16 KiB in all"));
        return REEVE_INVALID;
    }
    entry.bytes = changed;
    return entry_write(self, call, &entry, entry.phase);
}

/* ---- listing ---- */

struct listing {
    struct plugin *self;
    struct reeve_call *call;
    int32_t result;
};

/* Reports a machine. After an interrupted allocation, it is a machine only if it owns its
 * address. */
static void machine_report(void *arg, const struct reeve_entry_v1 *from)
{
    struct listing *listing = arg;
    struct plugin *self = listing->self;
    struct machine_entry entry = entry_take(self, listing->call, from);
    struct reeve_row_v1 row;
    struct reeve_entry_v1 owner;

    if (entry.bytes == NULL || listing->result != REEVE_OK) {
        return;
    }
    entry_parse(self, listing->call, entry.bytes, &row);
    if (entry.phase == CLAIMING) {
        listing->result = owner_read(self, listing->call, row.address, &owner);
        if (listing->result != REEVE_OK || owner.version == 0 ||
            !is_equal(owner.value, entry_owner(&entry))) {
            return;
        }
    }
    row.id = row.address;
    /* only a probe can find out whether it runs */
    row.state = entry.phase == RELEASING ? REEVE_STOPPING : REEVE_RUNNING;
    self->host->row(listing->call, &row);
}

static int32_t static_describe(void *arg, struct reeve_call *call,
                               const struct reeve_query_v1 *query)
{
    struct plugin *self = arg;
    struct listing listing = { .self = self, .call = call };
    int32_t result = folder_check(self, call);

    if (result == REEVE_OK && query->id_count == 0) {
        result =
            self->host->state_list(call, machine_key(self, call, query->cluster, REEVE_TEXT("")),
                                   machine_report, &listing);
    }
    for (uint32_t i = 0; i < query->id_count && result == REEVE_OK; i++) {
        struct machine_entry entry;

        result = machine_find(self, call, query->cluster, query->ids[i], &entry);
        if (result == REEVE_OK && entry.version != 0) {
            struct reeve_entry_v1 from;

            result = self->host->state_get(call, entry.key, &from);
            if (result == REEVE_OK && from.version != 0) {
                machine_report(&listing, &from);
            }
        }
    }
    return result == REEVE_OK ? listing.result : result;
}

/* ---- the plugin ---- */

static int32_t static_start(const struct reeve_host_v1 *host, void **out)
{
    struct plugin *self = calloc(1, sizeof(*self));

    if (self == NULL) {
        return REEVE_TRANSIENT;
    }
    self->host = host;
    pthread_mutex_init(&self->mutex, NULL);
    *out = self;
    return REEVE_OK;
}

static void static_stop(void *self)
{
    free(self);
}

static const struct reeve_property_v1 properties[] = {
    {
        .name = REEVE_STATIC("addresses"),
        .type = REEVE_TYPE_TEXTS,
        .flags = REEVE_PROPERTY_REQUIRED | REEVE_PROPERTY_IN_PLACE,
        .help = REEVE_STATIC("addresses or host names of the machines"),
        .example = REEVE_STATIC("[10.0.0.11, 10.0.0.12, 10.0.0.13, 10.0.0.14]"),
    },
    {
        .name = REEVE_STATIC("user"),
        .type = REEVE_TYPE_TEXT,
        .role = REEVE_ROLE_USER,
        .initial = REEVE_STATIC("root"),
        .help = REEVE_STATIC("the user for logins by ssh"),
        .example = REEVE_STATIC("root"),
    },
    {
        .name = REEVE_STATIC("port"),
        .type = REEVE_TYPE_INTEGER,
        .initial = REEVE_STATIC("22"),
        .help = REEVE_STATIC("the port of the machines' sshd"),
        .example = REEVE_STATIC("22"),
        .least = 1,
        .most = 65535,
    },
    {
        .name = REEVE_STATIC("hostKeys"),
        .type = REEVE_TYPE_MAP,
        .flags = REEVE_PROPERTY_IN_PLACE,
        .help = REEVE_STATIC("the host key of each address, as ssh-keyscan prints it; without it, "
                             "ssh.firstUse of the group applies"),
        .example = REEVE_STATIC("{10.0.0.11: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA...}"),
    },
};

const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .name = REEVE_STATIC("static"),
    .version = REEVE_STATIC("1.0.0"),
    .about = REEVE_STATIC("existing machines, by their addresses: reserved and released"),
    .capabilities = REEVE_CAN_STRONG | REEVE_CAN_TOKEN,
    .late_ms = LATE_MS,
    .property_count = sizeof(properties) / sizeof(properties[0]),
    .properties = properties,
    .start = static_start,
    .stop = static_stop,
    .validate = static_validate,
    .create = static_create,
    .destroy = static_destroy,
    .describe = static_describe,
    .label = static_label,
};
