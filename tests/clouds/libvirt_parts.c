/* Exposes the pure parts of the plugin libvirt, so that test_libvirt.py can check them with
 * independent tools:
 *
 *   libvirt_parts xml FOLDER        writes the XML of a domain in every variant, one file each
 *   libvirt_parts seed FILE BYTES   writes a seed disk with a script of BYTES bytes
 *   libvirt_parts key               prints a host key: the public line, then the secret one
 *   libvirt_parts choose RELEASE NAME...   prints the image that is chosen from these names
 *   libvirt_parts answers           reads lines "CODE CHANGE MESSAGE", prints a result for each
 *   libvirt_parts states            reads lines "STATE", prints the state of a row for each */
#include "answers.h"
#include "virt.h"

#include <stdio.h>
#include <stdlib.h>

enum { PARTS_BYTES = 64 * 1024 * 1024, PARTS_LINE = 4096 };

static bool parts_write(const char *path, struct text text)
{
    FILE *file = fopen(path, "wb");

    return file != NULL && fwrite(text.data, 1, text.length, file) == text.length &&
           fclose(file) == 0;
}

/* A value with characters that are special in XML, JSON or shells. */
#define PARTS_ODD "a<b>&\"'\\ \xc3\xbc \xf0\x9f\x90\x91 \xef\xbf\xbf\x7f\n"

static struct virt_domain parts_domain(struct arena *arena)
{
    struct reeve_tag *tags = arena_array(arena, struct reeve_tag, 2);
    struct virt_machine machine = { .tags = { tags, 2 }, .user = TEXT(PARTS_ODD) };

    tags[0] = (struct reeve_tag){ REEVE_TEXT("reeve.cluster_id"), REEVE_TEXT("acme/shop") };
    tags[1] = (struct reeve_tag){ REEVE_TEXT("reeve.group"), REEVE_TEXT(PARTS_ODD) };
    return (struct virt_domain){
        .arch = TEXT("x86_64"),
        .name = TEXT("web-0-0123456789ab"),
        .uuid = virt_token_id(arena, TEXT("token")),
        .machine = virt_machine_json(arena, &machine),
        .labels = virt_json_ascii(arena, TEXT("{\"labels\":{\"\xc3\xbc\":\"<&>\"}}")),
        .pool = TEXT("pool <&> 'x'"),
        .network = TEXT("net'<&>"),
        .cpus = 2,
        .memory_bytes = 536870912,
    };
}

static int parts_xml(struct arena *arena, const char *folder)
{
    static const char *const types[] = { "qemu", "kvm", "test" };
    struct virt_disk disks[VIRT_VOLUMES_MAX + 2] = {
        { .volume = TEXT("reeve-root.qcow2"), .format = "qcow2" },
        { .volume = TEXT("reeve-seed.iso"), .format = "raw", .is_read_only = true },
    };
    struct virt_domain domain = parts_domain(arena);
    struct virt_machine machine;

    if (!virt_machine_parse(arena, domain.machine, &machine) || !text_is(machine.user, PARTS_ODD)) {
        return 1;
    }
    for (size_t i = 2; i < ARRAY_COUNT(disks); i++) {
        disks[i] = (struct virt_disk){ .volume = TEXT("reeve-data.qcow2"),
                                       .format = "qcow2",
                                       .serial = TEXT("0123456789abcdef0123") };
    }
    domain.disks = disks;
    for (size_t type = 0; type < ARRAY_COUNT(types); type++) {
        for (int interface = VIRT_INTERFACE_NETWORK; interface <= VIRT_INTERFACE_USER;
             interface++) {
            for (size_t count = 2; count <= ARRAY_COUNT(disks); count += VIRT_VOLUMES_MAX / 2) {
                domain.type = types[type];
                domain.interface = (enum virt_interface)interface;
                domain.disk_count = count;
                domain.network =
                    interface == VIRT_INTERFACE_BRIDGE ? TEXT("br-0.1") : TEXT("net'<&>");
                domain.arch = type == 0 ? TEXT("aarch64") : TEXT("x86_64");
                if (!parts_write(
                        arena_printf(arena, "%s/%zu-%d-%zu.xml", folder, type, interface, count)
                            .data,
                        virt_domain_xml(arena, &domain))) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

static int parts_seed(struct arena *arena, const char *file, const char *bytes)
{
    size_t length = (size_t)atol(bytes);
    char *script = arena_alloc(arena, length + 1);
    struct virt_host_key key;

    memset(script, '#', length);
    if (!virt_host_key_make(arena, &key)) {
        return 1;
    }
    return parts_write(file,
                       virt_seed_iso(arena, virt_meta_data(arena, TEXT("id"), TEXT("web-0")),
                                     virt_user_data(arena, &key, (struct text){ script, length })))
               ? 0
               : 1;
}

static int parts_key(struct arena *arena)
{
    struct virt_host_key key;

    if (!virt_host_key_make(arena, &key)) {
        return 1;
    }
    (void)printf("%.*s\n%.*s", TEXT_ARG(key.public_line), TEXT_ARG(key.secret_pem));
    return 0;
}

static int parts_choose(struct arena *arena, int count, char **words)
{
    struct text *names = arena_array(arena, struct text, (size_t)count);

    for (int i = 1; i < count; i++) {
        names[i - 1] = text_from(words[i]);
    }
    (void)printf("%.*s\n",
                 TEXT_ARG(virt_image_choose(names, (size_t)count - 1, text_from(words[0]))));
    return 0;
}

static int parts_answers(bool is_state)
{
    static char line[PARTS_LINE];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        char *rest = line;
        int code = (int)strtol(rest, &rest, 10);
        bool is_change = strtol(rest, &rest, 10) != 0;

        (void)printf("%d\n", is_state ? virt_state_of(code)
                                      : virt_classify(code, text_trim(text_from(rest)), is_change));
    }
    return 0;
}

int main(int count, char **words)
{
    struct text what = text_from(count > 1 ? words[1] : "");
    AUTO(arena) arena = arena_new(PARTS_BYTES);

    return text_is(what, "xml") && count == 3      ? parts_xml(arena, words[2])
           : text_is(what, "seed") && count == 4   ? parts_seed(arena, words[2], words[3])
           : text_is(what, "key")                  ? parts_key(arena)
           : text_is(what, "choose") && count >= 3 ? parts_choose(arena, count - 2, words + 2)
           : text_is(what, "answers")              ? parts_answers(false)
           : text_is(what, "states")               ? parts_answers(true)
                                                   : 2;
}
