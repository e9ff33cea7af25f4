/* Opens the connection to libvirt, which all calls share, and reports libvirt's errors. */
#include "virt.h"

#include "answers.h"

#include <assert.h>
#include <stdio.h>

enum { VIRT_KEEPALIVE_S = 5, VIRT_KEEPALIVE_COUNT = 3, VIRT_MESSAGE_BYTES = 1024 };

/* ---- faults and the log ---- */

int32_t virt_fault(struct virt_call *work, int32_t result, const char *pointer, const char *format,
                   ...)
{
    char message[VIRT_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    for (char *at = message; *at != '\0'; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    work->virt->host->fault(work->call, plain_answer(text_from(pointer)),
                            plain_answer(text_trim(text_from(message))));
    return result;
}

void virt_log(struct virt *virt, int32_t level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    plain_log(virt->host, level, format, args);
    va_end(args);
}

int virt_code(struct virt_call *work)
{
    virErrorPtr error = work->virt->api.virGetLastError();

    return error == NULL ? 0 : error->code;
}

int32_t virt_refuse(struct virt_call *work, const char *pointer, const char *what, bool is_change)
{
    virErrorPtr error = work->virt->api.virGetLastError();
    const char *message =
        error == NULL || error->message == NULL ? "libvirt states no reason" : error->message;
    int code = error == NULL ? 0 : error->code;

    return virt_fault(work, virt_classify(code, text_from(message), is_change), pointer,
                      "%s: %s (libvirt error %d)", what, message, code);
}

/* ---- events ---- */

/* Runs libvirt's event loop, which sends keepalive messages. */
static void *virt_run_events(void *arg)
{
    struct virt *virt = arg;

    while (!atomic_load(&virt->is_stopping)) {
        if (virt->api.virEventRunDefaultImpl() != 0) {
            virt_log(virt, REEVE_LOG_ERROR, "event=libvirt.events_failed");
            break;
        }
    }
    return NULL;
}

static void virt_on_wake(int timer, void *arg)
{
    (void)timer;
    (void)arg;
}

static bool virt_events_start(struct virt *virt)
{
    if (virt->has_events) {
        return true;
    }
    virt->has_events = virt->api.virEventRegisterDefaultImpl() == 0 &&
                       pthread_create(&virt->events, NULL, virt_run_events, virt) == 0;
    return virt->has_events;
}

void virt_connection_close(struct virt *virt)
{
    if (virt->connection != NULL) {
        (void)virt->api.virConnectClose(virt->connection);
        virt->connection = NULL;
    }
    if (virt->has_events) {
        atomic_store(&virt->is_stopping, true);
        (void)virt->api.virEventAddTimeout(0, virt_on_wake, NULL, NULL);
        (void)pthread_join(virt->events, NULL);
        virt->has_events = false;
    }
}

/* ---- the connection ---- */

/* Opens the connection, or reopens it after a restart of the daemon. The mutex must be locked. */
static bool virt_open(struct virt *virt)
{
    if (virt->connection != NULL && virt->api.virConnectIsAlive(virt->connection) == 1) {
        return true;
    }
    if (virt->connection != NULL) {
        (void)virt->api.virConnectClose(virt->connection);
        virt->connection = NULL;
        virt_log(virt, REEVE_LOG_WARNING, "event=libvirt.reconnect uri=%s", virt->settings.uri);
    }
    if (!virt_events_start(virt)) {
        return false;
    }
    virt->connection = virt->api.virConnectOpen(virt->settings.uri);
    if (virt->connection == NULL) {
        return false;
    }
    if (virt->api.virConnectSetKeepAlive(virt->connection, VIRT_KEEPALIVE_S, VIRT_KEEPALIVE_COUNT) <
        0) {
        /* a driver inside this process has no connection, so keepalive fails */
        virt->api.virResetLastError();
    }
    return true;
}

int32_t virt_connect(struct virt_call *work)
{
    struct virt *virt = work->virt;
    bool must_sweep = false;

    if (work->connection != NULL) {
        return REEVE_OK;
    }
    (void)pthread_mutex_lock(&virt->mutex);
    if (virt_open(virt)) {
        work->connection = virt->connection;
        (void)virt->api.virConnectRef(work->connection);
        must_sweep = !virt->is_swept;
        virt->is_swept = true;
    }
    (void)pthread_mutex_unlock(&virt->mutex);
    if (work->connection == NULL) {
        return virt_refuse(
            work, "", arena_printf(work->arena, "connect to %s", virt->settings.uri).data, false);
    }
    if (must_sweep) {
        virt_sweep(work);
    }
    return REEVE_OK;
}

void virt_disconnect(struct virt_call *work)
{
    if (work->connection != NULL) {
        (void)work->virt->api.virConnectClose(work->connection);
        work->connection = NULL;
    }
}

/* ---- locks of machines ---- */

bool virt_lock(struct virt_call *work, struct text id)
{
    uint64_t ends_ms = http_now_ms() + work->virt->host->left_ms(work->call);

    if (token_lock_take(work->virt->locks, id, ends_ms)) {
        return true;
    }
    (void)virt_fault(work, REEVE_TRANSIENT, "",
                     "another call for this machine is active: try again");
    return false;
}

void virt_unlock(struct virt_call *work, struct text id)
{
    token_lock_give(work->virt->locks, id);
}
