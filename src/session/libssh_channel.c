#include "base/limits.h"
#include "session/libssh_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The steps of a channel: it is opened, the command is requested, the input is written as the
 * window permits, and end of file is sent. Output arrives through callbacks, or is fetched after a
 * pause. When all output was sent, the node closes the channel. */

enum { PIECE_BYTES = 64 * 1024 };

static bool is_flowing(const struct libssh_channel *channel)
{
    return channel->call != NULL && !channel->call->base.is_paused;
}

/* Takes output from libssh. The output of a dropped call is also consumed, because it would fill
 * the window. After a pause, all buffered bytes arrive at once, and later bytes arrive in
 * pieces. */
static int data_came(ssh_session session, ssh_channel from, void *data, uint32_t length,
                     int is_stderr, void *arg)
{
    struct libssh_channel *channel = arg;
    uint32_t taken = 0;

    (void)session;
    (void)from;
    while (is_flowing(channel) && taken < length) {
        uint32_t piece = length - taken < PIECE_BYTES ? length - taken : (uint32_t)PIECE_BYTES;

        call_output(&channel->call->base, is_stderr != 0 ? TRANSPORT_ERROR : TRANSPORT_OUT,
                    (struct text){ (const char *)data + taken, piece });
        taken += piece;
    }
    return channel->call == NULL ? (int)length : (int)taken;
}

static void code_came(ssh_session session, ssh_channel from, int code, void *arg)
{
    struct libssh_channel *channel = arg;

    (void)session;
    (void)from;
    channel->code = code;
    channel->has_code = true;
}

static void signal_came(ssh_session session, ssh_channel from, const char *signal, int has_core,
                        const char *message, const char *language, void *arg)
{
    struct libssh_channel *channel = arg;

    (void)session;
    (void)from;
    (void)has_core;
    (void)message;
    (void)language;
    snprintf(channel->signal, sizeof(channel->signal), "%s",
             signal != NULL && text_is_visible(text_from(signal)) ? signal : "?");
}

static void close_came(ssh_session session, ssh_channel from, void *arg)
{
    struct libssh_channel *channel = arg;

    (void)session;
    (void)from;
    channel->is_over = true;
}

/* ---- progress ---- */

/* Delivers output that was buffered during a pause. Returns false if output is left, because the
 * call was paused again. */
static bool libssh_channel_rest_take(struct libssh_channel *channel)
{
    char piece[PIECE_BYTES];

    for (int stream = 0; stream < TRANSPORT_STREAM_COUNT; stream++) {
        while (is_flowing(channel) && ssh_channel_poll(channel->channel, stream) > 0) {
            int got = ssh_channel_read_nonblocking(channel->channel, piece, sizeof(piece), stream);

            if (got <= 0) {
                break;
            }
            call_output(&channel->call->base, (enum transport_stream)stream,
                        (struct text){ piece, (size_t)got });
        }
    }
    return is_flowing(channel);
}

static void piece_drop(struct libssh_channel *channel)
{
    char *bytes = (char *)(uintptr_t)channel->piece.data;

    if (channel->piece.length > 0) {
        secret_wipe(bytes, channel->piece.length);
        rows_free(bytes);
    }
    channel->piece = channel->input = TEXT("");
}

/* Writes the current piece of input. Returns false if the node or libssh accepts no more bytes at
 * present. */
static bool libssh_channel_piece_write(struct libssh_channel *channel)
{
    while (channel->input.length > 0 && ssh_channel_window_size(channel->channel) > 0) {
        int given = ssh_channel_write(channel->channel, channel->input.data,
                                      (uint32_t)channel->input.length);

        if (given <= 0) {
            return false;
        }
        channel->input = text_slice(channel->input, (size_t)given, channel->input.length);
    }
    if (channel->input.length > 0) {
        return false;
    }
    piece_drop(channel);
    return true;
}

/* Requests the next piece of input once the socket has accepted the previous one. Earlier requests
 * would make libssh buffer as much as the node's window permits. */
static void input_give(struct libssh_channel *channel)
{
    while (libssh_channel_piece_write(channel) && channel->call != NULL) {
        if (channel->call->base.input_left == 0) {
            if (!channel->is_eof_sent) {
                channel->is_eof_sent = ssh_channel_send_eof(channel->channel) != SSH_AGAIN;
            }
            return;
        }
        if ((ssh_get_poll_flags(channel->session->session) & SSH_WRITE_PENDING) != 0 ||
            !call_want(&channel->call->base) || channel->input.length == 0) {
            return;
        }
    }
}

static void libssh_channel_end_report(struct libssh_channel *channel)
{
    struct libssh_call *call = channel->call;

    channel->call = NULL;
    call->channel = NULL;
    if (channel->signal[0] != '\0') {
        call_ended(&call->base, -1, text_from(channel->signal));
    } else if (channel->has_code && channel->code >= 0 && channel->code <= 255) {
        call_ended(&call->base, channel->code, TEXT(""));
    } else {
        call_failed(&call->base, OUTCOME_UNKNOWN, TRANSPORT_FAULT_CUT,
                    "the node closed the channel without an exit code of the command");
    }
}

/* Ends a call whose channel the node has rejected. If the connection has ended, that is reported as
 * the fault, because a write may be the first operation to notice it. */
static void channel_refuse(struct libssh_channel *channel, const char *what)
{
    struct libssh_call *call = channel->call;
    ssh_session session = channel->session->session;
    bool is_cut = ssh_get_error_code(session) == SSH_FATAL || ssh_is_connected(session) == 0;

    channel->call = NULL;
    call->channel = NULL;
    call_failed(&call->base, is_cut && call->base.is_sent ? OUTCOME_UNKNOWN : OUTCOME_REFUSED,
                is_cut ? TRANSPORT_FAULT_CUT : TRANSPORT_FAULT_NODE, "%s: %s", what,
                ssh_get_error(session));
}

static void command_drop(struct libssh_channel *channel)
{
    rows_free(channel->command);
    channel->command = NULL;
}

/* Opens the channel and requests the command. Returns false if that is not complete yet, or was
 * rejected. */
static bool channel_ask(struct libssh_channel *channel)
{
    int came;

    if (!channel->is_open) {
        came = ssh_channel_open_session(channel->channel);
        if (came == SSH_AGAIN) {
            return false;
        }
        if (came != SSH_OK) {
            channel_refuse(channel, "the node did not open a channel");
            return false;
        }
        channel->is_open = true;
    }
    if (!channel->is_asked) {
        channel->call->base.is_sent = true;
        came = ssh_channel_request_exec(channel->channel, channel->command);
        if (came == SSH_AGAIN) {
            return false;
        }
        if (came != SSH_OK && !channel->is_over) {
            channel_refuse(channel, "the node did not run the command");
            return false;
        }
        channel->is_asked = true;
        command_drop(channel);
    }
    return true;
}

/* Continues the session. While reading, libssh may have found that the socket is writable, so no
 * further event would follow. */
static void input_go_on(const struct libssh_channel *channel)
{
    const struct libssh_call *call = channel->call;

    if (call != NULL && channel->is_asked && !channel->is_over && channel->input.length == 0 &&
        call->base.input_left > 0 && !call->base.is_wanting &&
        (ssh_get_poll_flags(channel->session->session) & SSH_WRITE_PENDING) == 0) {
        libssh_again(channel->session);
    }
}

static void channel_go(struct libssh_channel *channel)
{
    if (!channel_ask(channel) || channel->call == NULL) {
        return;
    }
    if (!channel->is_over) {
        input_give(channel);
    }
    if (libssh_channel_rest_take(channel) && channel->is_over) {
        libssh_channel_end_report(channel);
        return;
    }
    input_go_on(channel);
}

static void one_free(struct libssh_channel *channel)
{
    piece_drop(channel);
    ssh_remove_channel_callbacks(channel->channel, &channel->callbacks);
    ssh_channel_free(channel->channel);
    command_drop(channel);
    rows_free(channel);
}

void libssh_channels_go(struct libssh_session *session)
{
    for (struct libssh_channel **at = &session->channels, *channel; (channel = *at) != NULL;) {
        if (channel->call != NULL) {
            channel_go(channel);
        }
        if (channel->call == NULL) {
            *at = channel->next;
            one_free(channel);
        } else {
            at = &channel->next;
        }
    }
}

void libssh_channels_end(struct libssh_session *session)
{
    for (struct libssh_channel *channel = session->channels, *next; channel != NULL;
         channel = next) {
        next = channel->next;
        one_free(channel);
    }
    session->channels = NULL;
}

/* ---- driver callbacks of transport.c ---- */

void libssh_call(struct transport_call *base)
{
    struct libssh_call *call = (struct libssh_call *)base;
    struct libssh_session *session = (struct libssh_session *)base->session;
    struct libssh_channel *channel = rows_resize(NULL, sizeof(*channel));

    *channel = (struct libssh_channel){ .next = session->channels,
                                        .session = session,
                                        .call = call,
                                        .channel = ssh_channel_new(session->session) };
    if (channel->channel == NULL) {
        rows_free(channel);
        call_failed(base, OUTCOME_REFUSED, TRANSPORT_FAULT_LIMIT, "a channel cannot be opened: %s",
                    ssh_get_error(session->session));
        return;
    }
    channel->command = rows_resize(NULL, base->command.length + 1);
    memcpy(channel->command, base->command.data, base->command.length);
    channel->command[base->command.length] = '\0';
    base->command = TEXT("");
    channel->callbacks.userdata = channel;
    channel->callbacks.channel_data_function = data_came;
    channel->callbacks.channel_exit_status_function = code_came;
    channel->callbacks.channel_exit_signal_function = signal_came;
    channel->callbacks.channel_close_function = close_came;
    ssh_callbacks_init(&channel->callbacks);
    ssh_add_channel_callbacks(channel->channel, &channel->callbacks);
    call->channel = channel;
    session->channels = channel;
    libssh_again(session);
}

void libssh_drop(struct transport_call *base)
{
    struct libssh_call *call = (struct libssh_call *)base;

    if (call->channel != NULL) {
        call->channel->call = NULL;
        call->channel = NULL;
        libssh_again((struct libssh_session *)base->session);
    }
}

void libssh_give(struct transport_call *base, struct text piece)
{
    struct libssh_channel *channel = ((struct libssh_call *)base)->channel;

    char *bytes = rows_resize(NULL, piece.length);

    assert(channel->piece.length == 0);
    memcpy(bytes, piece.data, piece.length);
    channel->piece = channel->input = (struct text){ bytes, piece.length };
    libssh_again(channel->session);
}

void libssh_flow(struct transport_call *base)
{
    if (!base->is_paused) {
        libssh_again((struct libssh_session *)base->session);
    }
}
