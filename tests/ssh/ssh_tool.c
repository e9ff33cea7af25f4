/* Makes the functions of src/ssh available on the command line, for the tests that compare them
 * with OpenSSH. Seeds are in hexadecimal. An error is written to standard error with its code, and
 * the exit code is 1.
 *
 *     ssh_tool key SEED COMMENT FILE            writes FILE (0600), prints the public line
 *     ssh_tool public LINE                      prints fingerprint and comment
 *     ssh_tool cert SEED KIND LINE ID SERIAL AFTER BEFORE PRINCIPALS [NAME[=VALUE]...]   prints the certificate
 *     ssh_tool read LINE                        prints its content
 *     ssh_tool check LINE AUTHORITY KIND PRINCIPAL NOW
 *     ssh_tool krl FILE VERSION AUTHORITY SERIALS IDS [LINE...]        - stands for none; serials 5,7-9
 *     ssh_tool krl-read FILE                    prints it
 *     ssh_tool known MARK HOSTS LINE            ssh_tool principals NAMES
 *     ssh_tool block FILE NAME [LINE...]        prints the file with reeve's block of these lines
 *     ssh_tool sshd AUTHORITIES KEY CERT PRINCIPALS REVOKED */
#include "base/hex.h"
#include "base/limits.h"
#include "ssh/block.h"
#include "ssh/bytes.h"
#include "ssh/files.h"
#include "ssh/krl.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 100000 };

struct tool {
    struct arena *arena;
    char **words; /* arguments after the name of the command, ends with NULL */
    int count;
};

static _Noreturn void fail(const struct err *err)
{
    fprintf(stderr, "%s %u:%u %s\n", code_get(err->code)->name, err->place.line, err->place.column,
            err->text);
    exit(1);
}

static struct ssh_key key_of(const char *line)
{
    struct text comment;
    struct ssh_key key;
    struct err err = { 0 };

    if (!ssh_key_parse(text_from(line), &key, &comment, &err)) {
        fail(&err);
    }
    return key;
}

static void seed_of(const char *digits, unsigned char out[static SSH_SEED_BYTES])
{
    if (strlen(digits) != (size_t)2 * SSH_SEED_BYTES || !hex_is(text_from(digits))) {
        fputs("no seed\n", stderr);
        exit(2);
    }
    hex_parse(text_from(digits), (char *)out);
}

/* Returns the parts of A,B,C. "-" means none. */
static const struct text *list_of(struct arena *arena, const char *words, size_t *count)
{
    struct text *list = arena_array(arena, struct text, MANY);
    struct text rest = text_from(words);

    *count = 0;
    while (rest.length > 0 && !text_is(rest, "-")) {
        size_t comma = text_find_byte(rest, ',');

        list[(*count)++] = text_slice(rest, 0, comma);
        rest = comma == SIZE_MAX ? TEXT("") : text_slice(rest, comma + 1, rest.length);
    }
    return list;
}

static void out_line(struct text text)
{
    printf("%.*s\n", TEXT_ARG(text));
}

static void run_key(struct tool *tool)
{
    unsigned char secret[SSH_SECRET_BYTES];
    unsigned char seed[SSH_SEED_BYTES];
    char file[SSH_PRIVATE_BYTES];
    struct ssh_key key;
    size_t length;
    int fd = open(tool->words[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    seed_of(tool->words[0], seed);
    ssh_key_make(seed, &key, secret);
    length = ssh_key_format_private(secret, 0x12345678, text_from(tool->words[1]), file);
    if (fd < 0 || write(fd, file, length) != (ssize_t)length) {
        exit(2);
    }
    close(fd);
    out_line(ssh_key_format(tool->arena, &key, text_from(tool->words[1])));
}

static void run_public(struct tool *tool)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];
    struct text comment;
    struct ssh_key key;
    struct err err = { 0 };

    if (!ssh_key_parse(text_from(tool->words[0]), &key, &comment, &err)) {
        fail(&err);
    }
    ssh_key_fingerprint(&key, fingerprint);
    printf("%s %.*s\n", fingerprint, TEXT_ARG(comment));
}

/* Parses NAME or NAME=VALUE, where the value is encoded as a string. */
static struct ssh_option option_of(struct arena *arena, const char *word)
{
    struct text text = text_from(word);
    size_t equal = text_find_byte(text, '=');
    struct buf buf;

    if (equal == SIZE_MAX) {
        return (struct ssh_option){ .name = text };
    }
    buf_init(&buf, arena);
    ssh_add_string(&buf, text_slice(text, equal + 1, text.length));
    return (struct ssh_option){ .name = text_slice(text, 0, equal), .value = buf_text(&buf) };
}

static void run_cert(struct tool *tool)
{
    char **words = tool->words;
    unsigned char secret[SSH_SECRET_BYTES];
    unsigned char seed[SSH_SEED_BYTES];
    struct ssh_option *must = arena_array(tool->arena, struct ssh_option, LIMIT_SSH_OPTIONS);
    struct ssh_option *may = arena_array(tool->arena, struct ssh_option, LIMIT_SSH_OPTIONS);
    struct ssh_cert cert = { .must = must, .may = may };
    struct ssh_key authority;

    seed_of(words[0], seed);
    ssh_key_make(seed, &authority, secret);
    memset(cert.nonce, 7, sizeof(cert.nonce));
    cert.kind = strcmp(words[1], "host") == 0 ? SSH_CERT_HOST : SSH_CERT_USER;
    cert.key = key_of(words[2]);
    cert.id = text_from(words[3]);
    cert.serial = strtoull(words[4], NULL, 10);
    cert.after_s = strtoull(words[5], NULL, 10);
    cert.before_s = strtoull(words[6], NULL, 10);
    cert.principals = list_of(tool->arena, words[7], &cert.principal_count);
    for (int i = 8; i < tool->count; i++) {
        if (strchr(words[i], '=') != NULL) {
            must[cert.must_count++] = option_of(tool->arena, words[i]);
        } else {
            may[cert.may_count++] = option_of(tool->arena, words[i]);
        }
    }
    ssh_cert_sign(&cert, secret);
    out_line(ssh_cert_format(tool->arena, &cert, TEXT("by the tool")));
}

static struct ssh_cert cert_of(struct tool *tool, const char *line)
{
    struct ssh_cert cert;
    struct err err = { 0 };

    if (!ssh_cert_parse(tool->arena, text_from(line), &cert, &err)) {
        fail(&err);
    }
    return cert;
}

static void options_print(const char *what, const struct ssh_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s %.*s %zu\n", what, TEXT_ARG(options[i].name), options[i].value.length);
    }
}

static void run_read(struct tool *tool)
{
    struct ssh_cert cert = cert_of(tool, tool->words[0]);

    printf("kind %s\nserial %llu\nid %.*s\nafter %llu\nbefore %llu\n",
           cert.kind == SSH_CERT_HOST ? "host" : "user", (unsigned long long)cert.serial,
           TEXT_ARG(cert.id), (unsigned long long)cert.after_s, (unsigned long long)cert.before_s);
    for (size_t i = 0; i < cert.principal_count; i++) {
        printf("principal %.*s\n", TEXT_ARG(cert.principals[i]));
    }
    options_print("must", cert.must, cert.must_count);
    options_print("may", cert.may, cert.may_count);
    printf("key ");
    out_line(ssh_key_format(tool->arena, &cert.key, TEXT("")));
    printf("authority ");
    out_line(ssh_key_format(tool->arena, &cert.authority, TEXT("")));
}

static void run_check(struct tool *tool)
{
    struct ssh_cert cert = cert_of(tool, tool->words[0]);
    struct ssh_key authority = key_of(tool->words[1]);
    struct ssh_claim claim = {
        .kind = strcmp(tool->words[2], "host") == 0 ? SSH_CERT_HOST : SSH_CERT_USER,
        .authorities = &authority,
        .authority_count = 1,
        .principal = text_from(tool->words[3]),
        .now_s = strtoull(tool->words[4], NULL, 10),
    };
    struct err err = { 0 };

    if (!ssh_cert_check(&cert, &claim, &err)) {
        fail(&err);
    }
    puts("holds");
}

static void run_krl(struct tool *tool)
{
    struct ssh_serials *serials = arena_array(tool->arena, struct ssh_serials, MANY);
    struct ssh_key *keys = arena_array(tool->arena, struct ssh_key, (size_t)tool->count);
    struct ssh_krl_part part = { .authority = key_of(tool->words[2]), .serials = serials };
    struct ssh_krl krl = { .version = strtoull(tool->words[1], NULL, 10),
                           .at_s = 1700000000,
                           .comment = TEXT("by the tool"),
                           .parts = &part,
                           .part_count = 1,
                           .keys = keys };
    FILE *file = fopen(tool->words[0], "we");
    const struct text *words;
    struct text bytes;

    words = list_of(tool->arena, tool->words[3], &part.serial_count);
    for (size_t i = 0; i < part.serial_count; i++) {
        char *end;

        serials[i].first = strtoull(words[i].data, &end, 10);
        serials[i].last = *end == '-' ? strtoull(end + 1, NULL, 10) : serials[i].first;
    }
    part.ids = list_of(tool->arena, tool->words[4], &part.id_count);
    for (int i = 5; i < tool->count; i++) {
        keys[krl.key_count++] = key_of(tool->words[i]);
    }
    bytes = ssh_krl_format(tool->arena, &krl);
    if (file == NULL || fwrite(bytes.data, 1, bytes.length, file) != bytes.length ||
        fclose(file) != 0) {
        exit(2);
    }
}

static void part_print(struct arena *arena, const struct ssh_krl_part *part)
{
    printf("authority ");
    out_line(ssh_key_format(arena, &part->authority, TEXT("")));
    for (size_t i = 0; i < part->serial_count; i++) {
        printf("serials %llu-%llu\n", (unsigned long long)part->serials[i].first,
               (unsigned long long)part->serials[i].last);
    }
    for (size_t i = 0; i < part->id_count; i++) {
        printf("id %.*s\n", TEXT_ARG(part->ids[i]));
    }
}

static struct text file_of(struct tool *tool, const char *path)
{
    char *bytes = arena_alloc(tool->arena, LIMIT_KRL_BYTES + 1);
    FILE *file = fopen(path, "re");
    size_t got;

    if (file == NULL) {
        exit(2);
    }
    got = fread(bytes, 1, LIMIT_KRL_BYTES + 1, file);
    fclose(file);
    return (struct text){ bytes, got };
}

static void run_krl_read(struct tool *tool)
{
    struct err err = { 0 };
    struct ssh_krl krl;

    if (!ssh_krl_parse(tool->arena, file_of(tool, tool->words[0]), &krl, &err)) {
        fail(&err);
    }
    printf("version %llu\ncomment %.*s\n", (unsigned long long)krl.version, TEXT_ARG(krl.comment));
    for (size_t i = 0; i < krl.part_count; i++) {
        part_print(tool->arena, &krl.parts[i]);
    }
    for (size_t i = 0; i < krl.key_count; i++) {
        printf("key ");
        out_line(ssh_key_format(tool->arena, &krl.keys[i], TEXT("")));
    }
}

static void run_known(struct tool *tool)
{
    static const char *const marks[] = { "authority", "host", "revoked" };
    struct ssh_key key = key_of(tool->words[2]);
    struct err err = { 0 };
    struct buf buf;

    buf_init(&buf, tool->arena);
    for (size_t i = 0; i < ARRAY_COUNT(marks); i++) {
        size_t count;
        const struct text *hosts = list_of(tool->arena, tool->words[1], &count);

        if (strcmp(marks[i], tool->words[0]) == 0 &&
            !ssh_known_host_add(&buf, (enum ssh_known)i, hosts, count, &key, &err)) {
            fail(&err);
        }
    }
    printf("%.*s", TEXT_ARG(buf_text(&buf)));
}

static void run_principals(struct tool *tool)
{
    struct err err = { 0 };
    struct buf buf;
    size_t count;
    const struct text *names = list_of(tool->arena, tool->words[0], &count);

    buf_init(&buf, tool->arena);
    if (!ssh_principals_add(&buf, names, count, &err)) {
        fail(&err);
    }
    printf("%.*s", TEXT_ARG(buf_text(&buf)));
}

static void run_block(struct tool *tool)
{
    struct text *lines = arena_array(tool->arena, struct text, (size_t)tool->count);
    struct text out;
    struct err err = { 0 };

    for (int i = 2; i < tool->count; i++) {
        lines[i - 2] = text_from(tool->words[i]);
    }
    if (!ssh_block_put(tool->arena, file_of(tool, tool->words[0]), text_from(tool->words[1]), lines,
                       (size_t)tool->count - 2, &out, &err)) {
        fail(&err);
    }
    printf("%.*s", TEXT_ARG(out));
}

static void run_sshd(struct tool *tool)
{
    struct ssh_sshd sshd = { tool->words[0], tool->words[1], tool->words[2], tool->words[3],
                             tool->words[4] };
    struct err err = { 0 };
    struct buf buf;

    buf_init(&buf, tool->arena);
    if (!ssh_sshd_add(&buf, &sshd, &err)) {
        fail(&err);
    }
    printf("%.*s", TEXT_ARG(buf_text(&buf)));
}

static const struct {
    const char *name;
    int words; /* minimum number of arguments */
    void (*run)(struct tool *tool);
} commands[] = {
    { "key", 3, run_key },     { "public", 1, run_public },
    { "cert", 8, run_cert },   { "read", 1, run_read },
    { "check", 5, run_check }, { "krl", 5, run_krl },
    { "sshd", 5, run_sshd },   { "krl-read", 1, run_krl_read },
    { "known", 3, run_known }, { "principals", 1, run_principals },
    { "block", 2, run_block },
};

int main(int argc, char **argv)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct tool tool = { arena, argv + 2, argc - 2 };

    if (sodium_init() < 0) {
        return 2;
    }
    for (size_t i = 0; argc > 1 && i < ARRAY_COUNT(commands); i++) {
        if (strcmp(commands[i].name, argv[1]) == 0 && tool.count >= commands[i].words) {
            commands[i].run(&tool);
            return fflush(stdout) == 0 ? 0 : 2;
        }
    }
    fputs("ssh_tool: no such command, or too few words\n", stderr);
    return 2;
}
