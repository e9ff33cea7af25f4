/* Determines whether machines run with kvm or are emulated. Even if /dev/kvm exists and libvirt
 * offers kvm, machines may not boot: inside other virtual machines they may hang before the first
 * instruction. So kvm is used only after a test: a machine without disks must reach the point at
 * which its firmware finds nothing to boot and resets the machine. */
#include "virt.h"

#include <stdlib.h>
#include <time.h>

enum { VIRT_PROBE_MS = 10000, VIRT_PROBE_STEP_MS = 100, VIRT_PROBE_LOCK_MS = 20000 };

/* Name of the lock, and prefix of the domain's name. */
#define VIRT_PROBE_NAME "reeve-probe"

struct text virt_arch(struct virt_call *work)
{
    virNodeInfo info = { 0 };

    if (work->virt->api.virNodeGetInfo(work->connection, &info) != 0 || info.model[0] == '\0') {
        return TEXT("x86_64");
    }
    return arena_text(work->arena, text_from(info.model));
}

/* The domain of the test. Its firmware resets it immediately because there is nothing to boot, and
 * libvirt then stops it. */
static struct text virt_probe_xml(struct virt_call *work, const char *type, struct text id)
{
    return arena_printf(work->arena,
                        "<domain type='%s'><name>" VIRT_PROBE_NAME "-%.8s</name>"
                        "<uuid>%.*s</uuid><memory unit='MiB'>64</memory><vcpu>1</vcpu>"
                        "<os><type arch='%.*s'>hvm</type><bios rebootTimeout='0'/></os>"
                        "<on_poweroff>destroy</on_poweroff><on_reboot>destroy</on_reboot>"
                        "<on_crash>destroy</on_crash><devices/></domain>",
                        type, id.data, TEXT_ARG(id), TEXT_ARG(virt_arch(work)));
}

/* Waits until a reset has stopped the domain. A crash is not a success. */
static bool virt_probe_wait(struct virt_call *work, virDomainPtr domain)
{
    uint64_t ends_ms = http_now_ms() + VIRT_PROBE_MS;
    struct timespec step = { .tv_nsec = VIRT_PROBE_STEP_MS * 1000000L };
    int state = VIR_DOMAIN_NOSTATE;
    int reason = 0;

    while (http_now_ms() < ends_ms &&
           work->virt->api.virDomainGetState(domain, &state, &reason, 0) == 0) {
        if (state == VIR_DOMAIN_SHUTOFF || state == VIR_DOMAIN_CRASHED) {
            return state == VIR_DOMAIN_SHUTOFF && reason == VIR_DOMAIN_SHUTOFF_SHUTDOWN;
        }
        (void)nanosleep(&step, NULL);
    }
    return false;
}

bool virt_probe(struct virt_call *work, const char *type)
{
    const struct virt_api *api = &work->virt->api;
    /* the id depends on the plugin's folder, so that two managers on one computer use different
     * domains */
    struct text id = virt_token_id(work->arena, plain_text(work->virt->host->folder));
    virDomainPtr domain =
        api->virDomainDefineXML(work->connection, virt_probe_xml(work, type, id).data);
    bool is_usable = false;

    if (domain != NULL) {
        is_usable = api->virDomainCreate(domain) == 0 && virt_probe_wait(work, domain);
        (void)api->virDomainDestroy(domain); /* this fails if the domain has already stopped */
        (void)virt_undefine(work, domain);
        (void)api->virDomainFree(domain);
    }
    api->virResetLastError();
    return is_usable;
}

/* True if libvirt offers kvm. */
static bool virt_offers_kvm(struct virt_call *work)
{
    char *xml = work->virt->api.virConnectGetCapabilities(work->connection);
    bool is_offered = xml != NULL && strstr(xml, "<domain type='kvm'") != NULL;

    free(xml);
    return is_offered;
}

static enum virt_accelerator virt_accelerator_find(struct virt_call *work)
{
    if (!virt_offers_kvm(work)) {
        virt_log(work->virt, REEVE_LOG_WARNING,
                 "event=libvirt.no_kvm why=libvirt does not offer it: machines are emulated, and "
                 "slow");
        return VIRT_ACCELERATOR_NONE;
    }
    if (!virt_probe(work, "kvm")) {
        virt_log(work->virt, REEVE_LOG_WARNING,
                 "event=libvirt.no_kvm why=a machine with kvm did not boot within 10 s: machines "
                 "are emulated, and slow");
        return VIRT_ACCELERATOR_NONE;
    }
    return VIRT_ACCELERATOR_KVM;
}

const char *virt_domain_type(struct virt_call *work)
{
    struct virt *virt = work->virt;
    const char *type = virt->api.virConnectGetType(work->connection);
    uint64_t ends_ms = http_now_ms() + VIRT_PROBE_LOCK_MS;
    const char *result;

    if (type != NULL && text_is(text_from(type), "TEST")) {
        return "test"; /* libvirt's test driver accepts no other type */
    }
    if (!token_lock_take(virt->locks, TEXT(VIRT_PROBE_NAME), ends_ms)) {
        return "qemu";
    }
    if (virt->accelerator == VIRT_ACCELERATOR_UNKNOWN) {
        virt->accelerator = virt_accelerator_find(work);
    }
    result = virt->accelerator == VIRT_ACCELERATOR_KVM ? "kvm" : "qemu";
    token_lock_give(virt->locks, TEXT(VIRT_PROBE_NAME));
    return result;
}
