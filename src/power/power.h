#ifndef REEVE_POWER_POWER_H
#define REEVE_POWER_POWER_H

#include "base/err.h"
#include "state/cache.h"
#include "state/store.h"

/* public names start with: power_ */

/* Power control of machines of the inventory by their BMC (decision 0188).
 *
 *     /TENANT/Power/m-XXXXXX/base    {address, order, pin, ...}, of the row with this id
 *
 * The record has the access to the BMC, the state that it has reported, and at most one order. The
 * password is not in it: it names a secret of the tenant. An order is carried out by the manager
 * that holds it (power_runner.h); its steps are stored, and repeating a step has no further effect,
 * so that a manager that ends within an order loses nothing and nothing happens twice. */
#define POWER_KIND "Power"

enum {
    POWER_ADDRESS_BYTES = 253,
    POWER_USER_BYTES = 64,
    POWER_SYSTEM_BYTES = 200,
    POWER_PIN_BYTES = 60,
    POWER_IPMI_PORT = 623,
    POWER_REDFISH_PORT = 443,
    POWER_ORDER_MS = 5 * 60 * 1000, /* after this time an order that does not succeed has failed */
    POWER_HOLD_MS = 90 * 1000,      /* how long an order belongs to the manager that took it */
};

enum power_protocol { POWER_IPMI, POWER_REDFISH, POWER_PROTOCOLS };

enum power_state { POWER_STATE_UNKNOWN, POWER_STATE_ON, POWER_STATE_OFF, POWER_STATES };

/* What an operator or reeve wants. `cycle` switches off, then on. `netboot` does the same, after
 * the BMC has been set to start the machine from the network once. */
enum power_action {
    POWER_ACTION_NONE,
    POWER_ACTION_ON,
    POWER_ACTION_OFF,
    POWER_ACTION_CYCLE,
    POWER_ACTION_NETBOOT,
    POWER_ACTIONS,
};

/* The steps of orders, in their order. An order ends with the step `on` or `off`. */
enum power_step { POWER_STEP_BOOT, POWER_STEP_OFF, POWER_STEP_ON, POWER_STEPS };

/* One call to a BMC. */
enum power_call { POWER_CALL_STATUS, POWER_CALL_BOOT, POWER_CALL_OFF, POWER_CALL_ON, POWER_CALLS };

/* Why a call failed. Those of `power_fault_is_final` are not repeated, because repeating them may
 * lock the account. */
enum power_fault {
    POWER_FAULT_NONE,
    POWER_FAULT_SILENT,      /* no answer in time */
    POWER_FAULT_LOGIN,       /* user or password is wrong, or the account is locked */
    POWER_FAULT_PRIVILEGE,   /* the user may not switch power */
    POWER_FAULT_CERTIFICATE, /* its certificate is not trusted */
    POWER_FAULT_SECRET,      /* the secret with the password cannot be read */
    POWER_FAULT_TOOL,        /* ipmitool is not installed */
    POWER_FAULT_BUSY,        /* the BMC is busy, or has too many sessions */
    POWER_FAULT_OTHER,       /* an answer that cannot be used */
};

struct power_order {
    enum power_action action; /* POWER_ACTION_NONE: there is no order */
    enum power_step step;
    int64_t since_ms;
    struct text by;
    struct text why;
    struct text holder; /* session of the manager that carries it out; empty: none */
    int64_t held_until_ms;
};

struct power {
    struct text row; /* id of the row of the inventory */
    enum power_protocol protocol;
    struct text address;
    uint16_t port;
    struct text user;
    struct text secret; /* name of the secret with the password */
    struct text pin; /* redfish: sha256//BASE64 of the public key of the certificate; empty: CAs */
    struct text system; /* redfish: path of the system; empty: the only one */
    enum power_state state;
    int64_t state_ms;  /* since when the state is known to be so; 0: unknown */
    struct text fault; /* why the newest call failed; empty: it succeeded */
    int64_t fault_ms;
    struct power_order order;
    uint64_t revision; /* revision of the store; 0: not stored */
};

/* The words for a state and an action, as they are stored and shown. */
const char *power_state_name(enum power_state state);
const char *power_action_name(enum power_action action);
const char *power_protocol_name(enum power_protocol protocol);
MUST_CHECK bool power_action_parse(struct text word, enum power_action *out);

/* Parses PROTOCOL://USER@ADDRESS[:PORT][/SYSTEM] into the fields of the access. Texts are parts of
 * `url`. R0860 with the form of such addresses. */
MUST_CHECK bool power_url_parse(struct text url, struct power *out, struct err *err);
struct text power_url_format(struct arena *arena, const struct power *power);

/* Checks a pin: SHA256:BASE64 or sha256//BASE64; *out is the second form. R0860. */
MUST_CHECK bool power_pin_parse(struct arena *arena, struct text value, struct text *out,
                                struct err *err);

struct text power_key(struct arena *arena, struct text tenant, struct text row);
struct text power_format(struct arena *arena, const struct power *power);
MUST_CHECK bool power_object_read(struct arena *arena, const struct cache_object *object,
                                  struct power *out);

/* Reads the power control of a row. False: it has none. Texts live in the arena. */
bool power_read(struct arena *arena, const struct cache *cache, struct text tenant, struct text row,
                struct power *out);

/* Gives an order, which replaces the present one. */
void power_order_set(struct power *power, enum power_action action, int64_t now_ms, struct text by,
                     struct text why);

/* Makes the operation and the comparison that give an order to the machine of a row, for a
 * transaction that has another purpose. False: the row has no power control. */
bool power_order_op(struct arena *arena, const struct cache *cache, struct text tenant,
                    struct text row, enum power_action action, int64_t now_ms, struct text why,
                    struct store_op *out_op, struct store_compare *out_compare);

/* Shows the record: without the name of the secret and the holder of the order. */
struct doc power_show(struct arena *arena, const struct power *power);

/* ---- decisions (power_decide.c, pure) ---- */

bool power_fault_is_final(enum power_fault fault);

/* What the order needs next: *out_call, after a wait of *out_wait_ms. `sent_ms` is when the present
 * step was sent to the BMC, by the clock of now_ms; 0: not yet. False: the order is complete; it is
 * then POWER_ACTION_NONE. A completed step moves the order to the next one and sets
 * *out_is_moved. */
struct power_next {
    enum power_call call;
    uint64_t wait_ms;
    bool is_moved;
};
MUST_CHECK bool power_decide(struct power *power, bool is_fresh, uint64_t sent_ms, uint64_t now_ms,
                             struct power_next *out);

#endif
