#include "conformance/object.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* Examines a file by its bytes: ELF header, sections, exported names. The file is untrusted: every
 * offset is checked before use, and invalid ones count as missing. */

#if defined(__x86_64__)
#define OBJECT_MACHINE      EM_X86_64
#define OBJECT_MACHINE_NAME "x86-64"
#elif defined(__aarch64__)
#define OBJECT_MACHINE      EM_AARCH64
#define OBJECT_MACHINE_NAME "AArch64"
#else
#define OBJECT_MACHINE      EM_NONE
#define OBJECT_MACHINE_NAME "this machine"
#endif

#define SYMBOL "reeve_plugin"

struct object {
    struct text bytes;
    Elf64_Ehdr head;
    struct text section_names;
};

MUST_CHECK static bool object_refuse(const char *what, const char *hint, struct err *err)
{
    err_set(err, CODE_R0620, "%s", what);
    return err_hint(err, "%s", hint);
}

/* Copies a structure: data in a file need not be aligned. */
static bool object_piece_read(struct text bytes, uint64_t offset, void *out, size_t size)
{
    if (offset > bytes.length || size > bytes.length - offset) {
        return false;
    }
    memcpy(out, bytes.data + offset, size);
    return true;
}

static struct text piece(struct text bytes, uint64_t offset, uint64_t size)
{
    if (offset > bytes.length || size > bytes.length - offset) {
        return (struct text){ "", 0 };
    }
    return (struct text){ bytes.data + offset, (size_t)size };
}

/* Returns the name at an offset of a string table; empty if it is not terminated. */
static struct text name_at(struct text names, uint64_t at)
{
    struct text rest =
        at < names.length ? text_slice(names, (size_t)at, names.length) : (struct text){ "", 0 };
    size_t end = text_find_byte(rest, '\0');

    return end == SIZE_MAX ? (struct text){ "", 0 } : text_slice(rest, 0, end);
}

static bool section_read(const struct object *object, size_t i, Elf64_Shdr *out)
{
    uint64_t offset = object->head.e_shoff + (uint64_t)i * sizeof(*out);

    return i < object->head.e_shnum && object->head.e_shentsize == sizeof(*out) &&
           object->head.e_shoff <= object->bytes.length &&
           object_piece_read(object->bytes, offset, out, sizeof(*out));
}

static bool section_find(const struct object *object, const char *name, uint32_t type,
                         Elf64_Shdr *out)
{
    for (size_t i = 0; section_read(object, i, out); i++) {
        if ((name != NULL && text_is(name_at(object->section_names, out->sh_name), name)) ||
            (name == NULL && out->sh_type == type)) {
            return true;
        }
    }
    return false;
}

/* ---- type of the file ---- */

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "AArch64";
    case EM_386:
        return "x86 of 32 bits";
    case EM_ARM:
        return "ARM of 32 bits";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC64:
        return "POWER";
    case EM_S390:
        return "S/390";
    default:
        return "another machine";
    }
}

MUST_CHECK static bool head_check(const Elf64_Ehdr *head, struct err *err)
{
    char what[LIMIT_ERROR_TEXT_BYTES];

    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        (head->e_machine != OBJECT_MACHINE && OBJECT_MACHINE != EM_NONE)) {
        snprintf(what, sizeof(what), "the file was compiled for %s, but this machine is %s",
                 machine_name(head->e_machine), OBJECT_MACHINE_NAME);
        return object_refuse(
            what, "compile the plugin on a machine of this architecture, or with a cross compiler",
            err);
    }
    if (head->e_type != ET_DYN) {
        return object_refuse(head->e_type == ET_REL
                                 ? "the file is an object file that was not linked"
                                 : "the file is a program, not a shared object",
                             "link it with: cc -shared -fPIC -o plugin.so plugin.c", err);
    }
    return true;
}

static bool is_go(const struct object *object)
{
    Elf64_Shdr section;

    return section_find(object, ".go.buildinfo", 0, &section) ||
           section_find(object, ".gopclntab", 0, &section) ||
           section_find(object, ".note.go.buildid", 0, &section);
}

/* Returns whether the file may export the name. True if its exports cannot be determined. */
static bool may_export(const struct object *object, const char *name, bool *out_is_go)
{
    Elf64_Shdr symbols;
    Elf64_Shdr strings;
    struct text names;

    *out_is_go = false;
    if (!section_find(object, NULL, SHT_DYNSYM, &symbols) ||
        !section_read(object, symbols.sh_link, &strings)) {
        return true;
    }
    names = piece(object->bytes, strings.sh_offset, strings.sh_size);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        struct text found;

        if (!object_piece_read(object->bytes, symbols.sh_offset + at, &symbol, sizeof(symbol))) {
            break;
        }
        if (symbol.st_shndx == SHN_UNDEF) {
            continue;
        }
        found = name_at(names, symbol.st_name);
        if (text_is(found, name)) {
            return true;
        }
        *out_is_go |= text_is(found, "_cgo_topofstack") || text_is(found, "runtime.main");
    }
    return false;
}

bool object_check(struct text bytes, struct err *err)
{
    struct object object = { .bytes = bytes };
    Elf64_Shdr names;
    bool has_go_names;
    bool is_there;

    if (bytes.length < SELFMAG || memcmp(bytes.data, ELFMAG, SELFMAG) != 0) {
        return object_refuse("the file is not a shared object (it does not begin as an ELF file)",
                             "build a plugin from C with cc -shared -fPIC; see reeve help plugin",
                             err);
    }
    if (!object_piece_read(bytes, 0, &object.head, sizeof(object.head))) {
        return object_refuse("the file is only the beginning of an ELF file",
                             "the file is truncated: copy it again", err);
    }
    if (!head_check(&object.head, err)) {
        return false;
    }
    if (section_read(&object, object.head.e_shstrndx, &names)) {
        object.section_names = piece(bytes, names.sh_offset, names.sh_size);
    }
    is_there = may_export(&object, SYMBOL, &has_go_names);
    if (has_go_names || is_go(&object)) {
        return object_refuse(
            "the file is a plugin in Go for a different program: reeve loads plugins in C",
            "the interface is include/reeve/plugin.h; a plugin in C may call code in other "
            "languages",
            err);
    }
    return is_there ||
           object_refuse("the file is a shared object that does not export " SYMBOL,
                         "define `const struct reeve_plugin_v1 " SYMBOL
                         "` in it, and hide it neither by `static` nor by a version script",
                         err);
}
