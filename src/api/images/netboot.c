#include "api/request/form.h"
#include "api/request/handlers.h"
#include "api/streams/file_stream.h"
#include "image_files/image_files.h"
#include "netboot/netboot.h"
#include "peers/blobs.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <string.h>
#include <sys/stat.h>

/* public names start with: api_ netboot_ */

/* Routes for machines that boot from the network. The sender has no login, and everything that it
 * sends may be hostile. No answer has a secret. */

enum { NETBOOT_HOST_BYTES = 128 };

MUST_CHECK static bool netboot_is_enabled(struct call *call)
{
    struct err err;

    if (call->api->options.netboot == NULL) {
        err_set(&err, CODE_R0423, "machines cannot boot from this manager");
        err_hint(&err, "set netboot in the configuration of the manager (docs/guide/netboot.md)");
    } else if (!service_is_ready(call->api->options.service)) {
        err_set(&err, CODE_R0428, "this manager is still reading its store");
    } else {
        return true;
    }
    call_refuse(call, &err);
    return false;
}

/* ---- the boot script ---- */

/* The address at which the machine has reached this manager, from its own request: a script for
 * this machine. */
MUST_CHECK static bool netboot_url_make(struct call *call, struct text *out, struct err *err)
{
    struct text host = call_header(call, HTTP_HOST);
    bool is_good = host.length > 0 && host.length <= NETBOOT_HOST_BYTES;

    for (size_t i = 0; is_good && i < host.length; i++) {
        char byte = host.data[i];

        is_good = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                  (byte >= '0' && byte <= '9') || byte == '.' || byte == ':' || byte == '-' ||
                  byte == '[' || byte == ']';
    }
    *out = arena_printf(call->arena, "%s://%.*s", call->request->peer->is_tls ? "https" : "http",
                        TEXT_ARG(is_good ? host : TEXT("")));
    return is_good || err_set(err, CODE_R0426, "the request has no usable header Host");
}

/* An address as iPXE has it in a URL, 52-54-00-aa-bb-01 or with colons, in the form of rows. */
static struct text netboot_mac_of(struct call *call, struct text mac)
{
    char *out = arena_string(call->arena, text_slice(mac, 0, 17));

    for (char *at = out; *at != '\0'; at++) {
        *at = *at == '-' ? ':' : *at >= 'A' && *at <= 'F' ? (char)(*at - 'A' + 'a') : *at;
    }
    return text_from(out);
}

void api_netboot_script(struct call *call)
{
    const struct api_netboot *netboot = call->api->options.netboot;
    struct text mac = call_parameter(call, "mac");
    struct text script;
    struct text url;
    struct text why;
    struct err err;

    if (!netboot_is_enabled(call)) {
        return;
    }
    if (!netboot_url_make(call, &url, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (mac.length == 0) {
        script = arena_printf(call->arena,
                              "#!ipxe\nchain %.*s/netboot/boot.ipxe?mac=${netX/mac:hexhyp} || "
                              "chain %.*s/netboot/boot.ipxe?mac=${net0/mac:hexhyp}\n",
                              TEXT_ARG(url), TEXT_ARG(url));
    } else if (netboot_start_of(call->api->options.service, call->arena, netboot->tenant,
                                netboot_mac_of(call, mac), &why) == NETBOOT_START_DISK) {
        script = arena_printf(call->arena,
                              "#!ipxe\necho reeve: %.*s: starting from the disk\n"
                              "sanboot --no-describe --drive 0x80 || exit\n",
                              TEXT_ARG(why));
    } else {
        script = arena_printf(call->arena,
                              "#!ipxe\necho reeve: %.*s: starting the netboot system\n"
                              "kernel %.*s/netboot/vmlinuz initrd=initrd.img reeve.url=%.*s %.*s\n"
                              "initrd %.*s/netboot/initrd.img\nboot\n",
                              TEXT_ARG(why), TEXT_ARG(url), TEXT_ARG(url),
                              TEXT_ARG(netboot->kernel_arguments), TEXT_ARG(url));
    }
    call_answer(call, 200, "text/plain; charset=utf-8", script);
}

/* ---- files ---- */

void api_netboot_file(struct call *call)
{
    static const char *const names[] = { "vmlinuz", "initrd.img" };
    AUTO(fd) folder = FD_NONE;
    const char *name = NULL;
    struct stat status;
    int fd = FD_NONE;
    struct err err;

    if (!netboot_is_enabled(call)) {
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        name = text_is(call->name, names[i]) ? names[i] : name;
    }
    if (name == NULL) {
        err_set(&err, CODE_R0423, "the API has no path %.*s", TEXT_ARG(call->request->target.path));
    } else if (!folder_open(call->api->options.netboot->files, &folder, &err) ||
               !file_open_beneath(folder, name, &fd, &err)) {
        err_hint(&err, "tools/netboot-image boot makes the netboot system; copy it to the folder "
                       "netboot.files of the manager");
    } else if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        file_stream_answer(call, fd, (uint64_t)status.st_size, true);
        return;
    } else {
        fd_cleanup(&fd);
        err_set(&err, CODE_R0534, "%s is not a regular file", name);
    }
    call_refuse(call, &err);
}

void api_netboot_image(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct image_file file;
    int fd = FD_NONE;
    struct err err;

    if (!netboot_is_enabled(call)) {
        return;
    }
    if (options->images == NULL ||
        !netboot_may_read(options->service, call->arena, options->netboot->tenant, call->name,
                          call_parameter(call, "id"))) {
        err_set(&err, CODE_R0409, "no machine installs this image with this id");
    } else if (!image_files_find(options->images, call->name, &file)) {
        bool is_coming =
            options->blobs != NULL && blobs_want(options->blobs, BLOBS_IMAGE, call->name);

        err_set(&err, is_coming ? CODE_R0428 : CODE_R0854,
                is_coming ? "the image is being fetched from another manager: try again"
                          : "no manager has the file of this image");
    } else if (image_files_read_begin(options->images, call->name, &fd, &err)) {
        file_stream_answer(call, fd, file.bytes, false);
        return;
    }
    call_refuse(call, &err);
}

/* ---- reports ---- */

/* Answers with plain lines, which a shell script reads. */
static void netboot_answered(void *arg, const struct service_answer *answer)
{
    struct call *call = arg;

    if (answer->errors->errors > 0) {
        call_answered(call, answer);
    } else {
        call_answer(call, 200, "text/plain; charset=utf-8", answer->body);
    }
}

void api_netboot_report(struct call *call)
{
    const struct api_options *options = &call->api->options;
    struct text values[NETBOOT_FIELDS] = { 0 };
    struct netboot_report report;
    struct err err;

    if (!netboot_is_enabled(call)) {
        return;
    }
    if (!form_read(call->arena, call->request->body, netboot_field_names, NETBOOT_FIELDS, values,
                   &err) ||
        !netboot_report_read(call->arena, values, &report, &err)) {
        call_refuse(call, &err);
        return;
    }
    report.tenant = options->netboot->tenant;
    report.address = call->request->client;
    if (call->request->peer->is_local || report.address.length == 0) {
        err_set(&err, CODE_R0426, "a report must come from the address of the machine");
        call_refuse(call, &err);
        return;
    }
    netboot_take(options->service, call->arena, &report, netboot_answered, call);
}
