#include "power/power.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "state/objects.h"

#include <string.h>

/* ---- words ---- */

static const char *const power_states[POWER_STATES] = { "unknown", "on", "off" };
static const char *const power_actions[POWER_ACTIONS] = { "none", "on", "off", "cycle", "netboot" };
static const char *const power_protocols[POWER_PROTOCOLS] = { "ipmi", "redfish" };
static const char *const power_steps[POWER_STEPS] = { "boot", "off", "on" };

const char *power_state_name(enum power_state state)
{
    return power_states[state];
}

const char *power_action_name(enum power_action action)
{
    return power_actions[action];
}

const char *power_protocol_name(enum power_protocol protocol)
{
    return power_protocols[protocol];
}

bool power_action_parse(struct text word, enum power_action *out)
{
    for (size_t i = POWER_ACTION_ON; i < POWER_ACTIONS; i++) {
        if (text_is(word, power_actions[i])) {
            *out = (enum power_action)i;
            return true;
        }
    }
    return false;
}

/* ---- addresses ---- */

MUST_CHECK static bool is_power_word(struct text value, size_t most, const char *marks)
{
    bool is_good = value.length > 0 && value.length <= most && value.data[0] != '-';

    for (size_t i = 0; is_good && i < value.length; i++) {
        char byte = value.data[i];

        is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                  (byte >= '0' && byte <= '9') || (byte != '\0' && strchr(marks, byte) != NULL);
    }
    return is_good;
}

/* Splits ADDRESS, ADDRESS:PORT or [V6]:PORT. */
MUST_CHECK static bool power_address_parse(struct text text, struct power *out)
{
    size_t bracket = text_find_byte(text, ']');
    size_t colon = text_find_byte(text, ':');
    struct text port = TEXT("");
    int64_t number = out->protocol == POWER_IPMI ? POWER_IPMI_PORT : POWER_REDFISH_PORT;

    out->address = text_slice(text, 0, colon);
    if (text.length > 0 && text.data[0] == '[') {
        if (bracket == SIZE_MAX) {
            return false;
        }
        out->address = text_slice(text, 1, bracket - 1);
        port = text_slice(text, bracket + 1, SIZE_MAX);
    } else if (colon != SIZE_MAX) {
        port = text_slice(text, colon, SIZE_MAX);
    }
    if (port.length > 0 &&
        (port.data[0] != ':' || !text_parse_int64(text_slice(port, 1, SIZE_MAX), &number) ||
         number < 1 || number > UINT16_MAX)) {
        return false;
    }
    out->port = (uint16_t)number;
    return is_power_word(out->address, POWER_ADDRESS_BYTES, bracket != SIZE_MAX ? ":." : ".-");
}

bool power_url_parse(struct text url, struct power *out, struct err *err)
{
    struct power parsed = *out;
    struct text rest = TEXT("");
    size_t at;
    size_t slash;

    for (size_t i = 0; i < POWER_PROTOCOLS; i++) {
        size_t length = strlen(power_protocols[i]);

        if (text_has_prefix(url, text_from(power_protocols[i])) &&
            text_has_prefix(text_slice(url, length, SIZE_MAX), TEXT("://"))) {
            parsed.protocol = (enum power_protocol)i;
            rest = text_slice(url, length + 3, SIZE_MAX);
        }
    }
    at = text_find_byte(rest, '@');
    slash = text_find_byte(rest, '/');
    parsed.user = at == SIZE_MAX ? TEXT("") : text_slice(rest, 0, at);
    parsed.system = slash == SIZE_MAX ? TEXT("") : text_slice(rest, slash, SIZE_MAX);
    rest = text_slice(rest, at + 1, slash == SIZE_MAX ? SIZE_MAX : slash - at - 1);
    if (at != SIZE_MAX && (slash == SIZE_MAX || at < slash) && power_address_parse(rest, &parsed) &&
        is_power_word(parsed.user, POWER_USER_BYTES, "._-+") &&
        (parsed.system.length == 0 ||
         (parsed.protocol == POWER_REDFISH &&
          text_has_prefix(parsed.system, TEXT("/redfish/v1/Systems/")) &&
          is_power_word(parsed.system, POWER_SYSTEM_BYTES, "/._-")))) {
        *out = parsed;
        return true;
    }
    err_set(err, CODE_R0860, "'%.*s' is not the address of a BMC",
            TEXT_ARG(text_slice(url, 0, LIMIT_TENANT_BYTES)));
    return err_hint(err, "write ipmi://USER@ADDRESS[:PORT] or "
                         "redfish://USER@ADDRESS[:PORT][/redfish/v1/Systems/ID]; the password is "
                         "a secret, and no part of it");
}

struct text power_url_format(struct arena *arena, const struct power *power)
{
    bool is_v6 = text_find_byte(power->address, ':') != SIZE_MAX;
    uint16_t usual = power->protocol == POWER_IPMI ? POWER_IPMI_PORT : POWER_REDFISH_PORT;
    struct text port =
        power->port == usual ? TEXT("") : arena_printf(arena, ":%u", (unsigned)power->port);

    return arena_printf(arena, "%s://%.*s@%s%.*s%s%.*s%.*s", power_protocol_name(power->protocol),
                        TEXT_ARG(power->user), is_v6 ? "[" : "", TEXT_ARG(power->address),
                        is_v6 ? "]" : "", TEXT_ARG(port), TEXT_ARG(power->system));
}

bool power_pin_parse(struct arena *arena, struct text value, struct text *out, struct err *err)
{
    enum { PIN_DIGITS = 43 };
    struct text digits = TEXT("");

    if (text_has_prefix(value, TEXT("SHA256:"))) {
        digits = text_slice(value, strlen("SHA256:"), SIZE_MAX);
    } else if (text_has_prefix(value, TEXT("sha256//"))) {
        digits = text_slice(value, strlen("sha256//"), SIZE_MAX);
    }
    if (digits.length == PIN_DIGITS + 1 && digits.data[PIN_DIGITS] == '=') {
        digits = text_slice(digits, 0, PIN_DIGITS);
    }
    if (digits.length != PIN_DIGITS || !is_power_word(digits, PIN_DIGITS, "+/")) {
        err_set(err, CODE_R0860, "'%.*s' is not the digest of a public key",
                TEXT_ARG(text_slice(value, 0, LIMIT_TENANT_BYTES)));
        return err_hint(err, "write SHA256:BASE64, as the message about the certificate of the BMC "
                             "shows it");
    }
    *out = arena_printf(arena, "sha256//%.*s=", TEXT_ARG(digits));
    return true;
}

/* ---- records ---- */

struct text power_key(struct arena *arena, struct text tenant, struct text row)
{
    return objects_key(arena, tenant, TEXT(POWER_KIND), row, CACHE_BASE);
}

static void power_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static void power_number_put(struct doc_builder *builder, const char *key, int64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, key, doc_int(builder->arena, value, NULL));
    }
}

static void power_order_put(struct doc_builder *builder, const struct power_order *order,
                            bool is_shown)
{
    struct doc_builder map;

    if (order->action == POWER_ACTION_NONE) {
        return;
    }
    doc_builder_init(&map, builder->arena);
    power_text_put(&map, "action", text_from(power_action_name(order->action)));
    power_text_put(&map, "by", order->by);
    if (!is_shown) {
        power_number_put(&map, "heldUntil", order->held_until_ms);
        power_text_put(&map, "holder", order->holder);
    }
    power_number_put(&map, "since", order->since_ms);
    power_text_put(&map, "step", text_from(power_steps[order->step]));
    power_text_put(&map, "why", order->why);
    doc_builder_put(builder, "order", doc_builder_map(&map, NULL));
}

static struct doc power_doc(struct arena *arena, const struct power *power, bool is_shown)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (is_shown) {
        power_text_put(&builder, "bmc", power_url_format(arena, power));
    } else {
        power_text_put(&builder, "address", power->address);
    }
    power_text_put(&builder, "fault", power->fault);
    power_number_put(&builder, "faultAt", power->fault_ms);
    power_order_put(&builder, &power->order, is_shown);
    power_text_put(&builder, "pin", power->pin);
    if (!is_shown) {
        power_number_put(&builder, "port", power->port);
        power_text_put(&builder, "protocol", text_from(power_protocol_name(power->protocol)));
        power_text_put(&builder, "secret", power->secret);
        power_text_put(&builder, "system", power->system);
        power_text_put(&builder, "user", power->user);
    }
    power_text_put(&builder, "state", text_from(power_state_name(power->state)));
    power_number_put(&builder, "stateAt", power->state_ms);
    return doc_builder_map(&builder, NULL);
}

struct text power_format(struct arena *arena, const struct power *power)
{
    struct doc doc = power_doc(arena, power, false);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct doc power_show(struct arena *arena, const struct power *power)
{
    return power_doc(arena, power, true);
}

static size_t power_word_find(struct text word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(word, words[i])) {
            return i;
        }
    }
    return 0;
}

bool power_object_read(struct arena *arena, const struct cache_object *object, struct power *out)
{
    const struct doc *order;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err)) {
        return false;
    }
    order = doc_child(&doc, "order");
    *out = (struct power){
        .row = arena_text(arena, cache_id(object)),
        .protocol = (enum power_protocol)power_word_find(doc_child_text(&doc, "protocol"),
                                                         power_protocols, POWER_PROTOCOLS),
        .address = doc_child_text(&doc, "address"),
        .port = (uint16_t)doc_child_number(&doc, "port"),
        .user = doc_child_text(&doc, "user"),
        .secret = doc_child_text(&doc, "secret"),
        .pin = doc_child_text(&doc, "pin"),
        .system = doc_child_text(&doc, "system"),
        .state = (enum power_state)power_word_find(doc_child_text(&doc, "state"), power_states,
                                                   POWER_STATES),
        .state_ms = doc_child_number(&doc, "stateAt"),
        .fault = doc_child_text(&doc, "fault"),
        .fault_ms = doc_child_number(&doc, "faultAt"),
        .order = { .action = (enum power_action)power_word_find(doc_child_text(order, "action"),
                                                                power_actions, POWER_ACTIONS),
                   .step = (enum power_step)power_word_find(doc_child_text(order, "step"),
                                                            power_steps, POWER_STEPS),
                   .since_ms = doc_child_number(order, "since"),
                   .by = doc_child_text(order, "by"),
                   .why = doc_child_text(order, "why"),
                   .holder = doc_child_text(order, "holder"),
                   .held_until_ms = doc_child_number(order, "heldUntil") },
        .revision = object->parts[CACHE_BASE].revision,
    };
    return true;
}

bool power_read(struct arena *arena, const struct cache *cache, struct text tenant, struct text row,
                struct power *out)
{
    return power_object_read(arena, cache_find(cache, tenant, TEXT(POWER_KIND), row), out);
}

/* ---- orders ---- */

void power_order_set(struct power *power, enum power_action action, int64_t now_ms, struct text by,
                     struct text why)
{
    static const enum power_step first[POWER_ACTIONS] = {
        [POWER_ACTION_ON] = POWER_STEP_ON,
        [POWER_ACTION_OFF] = POWER_STEP_OFF,
        [POWER_ACTION_CYCLE] = POWER_STEP_OFF,
        [POWER_ACTION_NETBOOT] = POWER_STEP_BOOT,
    };

    power->order = (struct power_order){
        .action = action, .step = first[action], .since_ms = now_ms, .by = by, .why = why
    };
}

bool power_order_op(struct arena *arena, const struct cache *cache, struct text tenant,
                    struct text row, enum power_action action, int64_t now_ms, struct text why,
                    struct store_op *out_op, struct store_compare *out_compare)
{
    struct power power;

    if (!power_read(arena, cache, tenant, row, &power)) {
        return false;
    }
    power_order_set(&power, action, now_ms, TEXT("reeve"), why);
    *out_op = (struct store_op){ .key = power_key(arena, tenant, row),
                                 .value = power_format(arena, &power) };
    *out_compare = (struct store_compare){ .key = out_op->key, .revision = power.revision };
    return true;
}
