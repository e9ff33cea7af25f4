#include "session/openssh_config.h"

#include "base/buf.h"
#include "session/script.h"

#include <string.h>

/* Name of the host in the known hosts file, unless a certificate requires another name. It is
 * fixed, because addresses change. */
#define ALIAS "node"

static const char *const exchanges[TRANSPORT_EXCHANGE_COUNT] = {
    [TRANSPORT_CURVE25519] = "curve25519-sha256,curve25519-sha256@libssh.org",
    [TRANSPORT_SNTRUP761] = "sntrup761x25519-sha512@openssh.com",
};

static struct text alias_of(const struct transport_target *target)
{
    return target->host_name.length > 0 ? target->host_name : TEXT(ALIAS);
}

static bool is_openssh_config_pinned(const struct transport_target *target)
{
    return target->host_keys.length > 0 || target->authority.length > 0;
}

struct text openssh_config(struct arena *arena, const struct transport_target *target,
                           const struct openssh_paths *paths)
{
    struct buf buf;

    buf_init(&buf, arena);
    buf_printf(&buf,
               "HostName %.*s\nPort %u\nUser \"%.*s\"\nHostKeyAlias %.*s\nKexAlgorithms %s\n"
               "IdentityFile \"%s\"\n",
               TEXT_ARG(target->address), target->port, TEXT_ARG(target->user),
               TEXT_ARG(alias_of(target)), exchanges[target->exchange], paths->key);
    if (target->certificate.length > 0) {
        buf_printf(&buf, "CertificateFile \"%s\"\n", paths->certificate);
    }
    buf_printf(&buf,
               "UserKnownHostsFile \"%s\"\nStrictHostKeyChecking %s\nControlPath \"%s\"\n"
               "GlobalKnownHostsFile /dev/null\nUpdateHostKeys no\nCheckHostIP no\n"
               "HashKnownHosts no\nVerifyHostKeyDNS no\nIdentitiesOnly yes\nIdentityAgent none\n"
               "PreferredAuthentications publickey\nPasswordAuthentication no\n"
               "KbdInteractiveAuthentication no\nGSSAPIAuthentication no\n"
               "HostbasedAuthentication no\nClearAllForwardings yes\nForwardAgent no\n"
               "ForwardX11 no\nServerAliveInterval 15\nServerAliveCountMax 3\nLogLevel ERROR\n",
               paths->known_hosts, is_openssh_config_pinned(target) ? "yes" : "accept-new",
               paths->socket);
    return buf_text(&buf);
}

static void openssh_config_host_add(struct buf *buf, const char *word, struct text alias,
                                    struct text lines)
{
    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');
        struct text line = text_trim(text_slice(lines, 0, end));

        if (line.length > 0) {
            buf_printf(buf, "%s%.*s %.*s\n", word, TEXT_ARG(alias), TEXT_ARG(line));
        }
        lines = end == SIZE_MAX ? TEXT("") : text_slice(lines, end + 1, lines.length);
    }
}

struct text openssh_known_hosts(struct arena *arena, const struct transport_target *target)
{
    struct buf buf;

    buf_init(&buf, arena);
    openssh_config_host_add(&buf, "", alias_of(target), target->host_keys);
    openssh_config_host_add(&buf, "@cert-authority ", alias_of(target), target->authority);
    return buf_text(&buf);
}

struct text openssh_first_key(struct text known_hosts)
{
    struct text line = text_slice(known_hosts, 0, text_find_byte(known_hosts, '\n'));
    size_t name = text_find_byte(line, ' ');

    return name == SIZE_MAX ? TEXT("") : text_trim(text_slice(line, name + 1, line.length));
}

static bool says(struct text words, const char *what)
{
    return words.length > 0 && memmem(words.data, words.length, what, strlen(what)) != NULL;
}

enum transport_fault openssh_fault(struct text words)
{
    static const struct {
        const char *words;
        enum transport_fault fault;
    } table[] = {
        /* messages about a cause come before messages about its consequences */
        { "Host key verification failed", TRANSPORT_FAULT_HOST_KEY },
        { "no matching host key type", TRANSPORT_FAULT_HOST_KEY },
        { "Load key ", TRANSPORT_FAULT_INVALID },
        { "Bad configuration", TRANSPORT_FAULT_INVALID },
        { "Permission denied", TRANSPORT_FAULT_USER_KEY },
        { "Too many authentication failures", TRANSPORT_FAULT_USER_KEY },
        { "Connection refused", TRANSPORT_FAULT_UNREACHABLE },
        { "Connection timed out", TRANSPORT_FAULT_UNREACHABLE },
        { "No route to host", TRANSPORT_FAULT_UNREACHABLE },
        { "Network is unreachable", TRANSPORT_FAULT_UNREACHABLE },
        { "Could not resolve hostname", TRANSPORT_FAULT_UNREACHABLE },
    };

    for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
        if (says(words, table[i].words)) {
            return table[i].fault;
        }
    }
    return TRANSPORT_FAULT_PROTOCOL;
}

struct text openssh_command(struct arena *arena, struct text command, struct text mark)
{
    struct text quoted = script_quote(arena, command);

    /* suppresses this shell's messages about a command that a signal ended */
    return arena_printf(arena,
                        "exec sh -c 'exec 4>&2 2>/dev/null; (exec 2>&4 4>&-; exec sh -c \"$0\"); "
                        "printf \"\\n%.*s:%%d\" $? >&4' %.*s",
                        TEXT_ARG(mark), TEXT_ARG(quoted));
}

size_t openssh_end(struct text bytes, struct text mark, int *code)
{
    size_t longest = bytes.length < OPENSSH_END_BYTES ? bytes.length : OPENSSH_END_BYTES;

    for (size_t length = mark.length + 3; length <= longest; length++) {
        size_t start = bytes.length - length;
        struct text end = text_slice(bytes, start + 1, length);
        int64_t number;

        if (bytes.data[start] == '\n' && text_has_prefix(end, mark) &&
            end.data[mark.length] == ':' &&
            text_parse_int64(text_slice(end, mark.length + 1, end.length), &number) &&
            number >= 0 && number <= 255) {
            *code = (int)number;
            return start;
        }
    }
    return SIZE_MAX;
}
