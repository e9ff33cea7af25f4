#include "base/secret.h"
#include "provider/hosted_parts.h"

#include <assert.h>

/* public names start with: hosted_ */

/* Passes a credential to the plugin. It is fetched when the call is sent, is contained in only one
 * frame, and is wiped from all buffers afterwards. Waiting calls have no credential. */

/* Reserves room for the frame of a call with a credential. A growing buffer would leave copies in
 * freed memory. */
static struct text frame_make(struct arena *arena, const struct wire_message *message, size_t room)
{
    struct buf buf;

    buf_init(&buf, arena);
    (void)buf_reserve(&buf, room);
    wire_format(&buf, message);
    assert(buf.length < room);
    return buf_text(&buf);
}

MUST_CHECK static bool link_refuse(struct err *err)
{
    return err_set(err, CODE_R0604, "the plugin does not read its requests");
}

/* Parses the frame again only because the texts of the message must point into this frame. */
static bool secret_send(struct hosted *self, const struct hosted_call *call, struct text secret)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct wire_message message;
    struct text frame;
    struct err err;
    bool is_sent;
    bool is_read = wire_parse(arena, call->frame, &message, &err);

    assert(is_read && message.type == WIRE_CALL);
    if (!is_read) {
        return false;
    }
    message.call.secret = secret;
    frame = frame_make(arena, &message, call->frame.length + secret.length + 16);
    is_sent = link_send_secret(self->link, frame);
    secret_wipe((char *)(uintptr_t)frame.data, frame.length);
    return is_sent;
}

/* Reports a missing credential only at its start and its end, because calls repeat often. */
static void blindness_report(struct hosted *self, const char *why)
{
    const struct hosted_options *options = &self->options;

    if (self->is_blind == (why != NULL)) {
        return;
    }
    self->is_blind = why != NULL;
    if (self->is_blind) {
        log_error(options->log, "account", "unreadable",
                  log_text("plugin", options->facts->open.name),
                  log_text("account", options->account), log_text("tenant", options->tenant),
                  log_string("reason", why));
    } else {
        log_info(options->log, "account", "readable", log_text("plugin", options->facts->open.name),
                 log_text("account", options->account), log_text("tenant", options->tenant));
    }
}

bool hosted_hand(struct hosted *self, const struct hosted_call *call, struct err *err)
{
    const struct hosted_options *options = &self->options;
    const struct hosted_use use = {
        .tenant = options->tenant,
        .account = options->account,
        .plugin = options->facts->open.name,
        .digest = options->facts->open.digest,
    };
    char secret[LIMIT_SECRET_BYTES];
    size_t length = 0;
    bool is_sent;

    if (options->account.length == 0 || call->method == WIRE_VALIDATE) {
        return link_send(self->link, call->frame) ? true : link_refuse(err);
    }
    if (options->vault.reveal == NULL) {
        return err_set(err, CODE_R0660, "this manager has no key for secrets");
    }
    if (!options->vault.reveal(options->vault.arg, &use, secret, &length, err)) {
        blindness_report(self, err->text);
        return false;
    }
    blindness_report(self, NULL);
    assert(length <= sizeof(secret));
    is_sent = secret_send(self, call, (struct text){ secret, length });
    secret_wipe(secret, sizeof(secret));
    return is_sent ? true : link_refuse(err);
}
