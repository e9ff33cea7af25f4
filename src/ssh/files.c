#include "ssh/files.h"

#include "base/limits.h"

#include <assert.h>
#include <string.h>

/* public names start with: ssh_ */

static bool is_without(struct text text, const char *bad)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] <= ' ' || text.data[i] >= 0x7f || strchr(bad, text.data[i]) != NULL) {
            return false;
        }
    }
    return true;
}

bool ssh_is_principal(struct text name)
{
    return name.length > 0 && name.length <= LIMIT_SSH_NAME_BYTES && name.data[0] != '#' &&
           name.data[0] != '-' && is_without(name, ",\"'\\*?!=");
}

/* Returns whether the text is a host or a pattern. A leading `!`, which excludes hosts, and a
 * leading |, which marks a hash, are rejected, because reeve writes neither. */
static bool is_files_host(struct text host)
{
    return host.length > 0 && host.length <= LIMIT_SSH_NAME_BYTES && host.data[0] != '#' &&
           host.data[0] != '@' && host.data[0] != '|' && is_without(host, ",\"'\\!");
}

/* Returns whether a path can be written. Blanks are rejected, because versions of OpenSSH read
 * quotes differently. A % is rejected, because some versions expand it. */
static bool is_path(struct text path, bool has_user)
{
    size_t percent = text_find_byte(path, '%');
    struct text rest = percent == SIZE_MAX ? TEXT("") : text_slice(path, percent + 2, path.length);

    if (path.length == 0 || path.length > LIMIT_PATH_BYTES || path.data[0] != '/' ||
        !is_without(path, "\"'\\#*?")) {
        return false;
    }
    return percent == SIZE_MAX ||
           (has_user && text_has_prefix(text_slice(path, percent, path.length), TEXT("%u")) &&
            text_find_byte(rest, '%') == SIZE_MAX);
}

MUST_CHECK static bool files_refuse(const char *what, struct text which, struct err *err)
{
    return err_set(err, CODE_R0744, "%s that a file of OpenSSH cannot contain: '%.*s'", what,
                   TEXT_ARG(text_slice(which, 0, LIMIT_SSH_NAME_BYTES)));
}

bool ssh_known_host_add(struct buf *buf, enum ssh_known known, const struct text *hosts,
                        size_t count, const struct ssh_key *key, struct err *err)
{
    static const char *const marks[] = { "@cert-authority ", "", "@revoked " };
    size_t before = buf->length;

    assert(count > 0 && (size_t)known < ARRAY_COUNT(marks));
    buf_add_string(buf, marks[known]);
    for (size_t i = 0; i < count; i++) {
        if (!is_files_host(hosts[i])) {
            buf->length = before;
            return files_refuse("a name of a host", hosts[i], err);
        }
        buf_add_string(buf, i == 0 ? "" : ",");
        buf_add(buf, hosts[i]);
    }
    buf_add_string(buf, " ");
    ssh_authorities_add(buf, key, 1);
    return true;
}

bool ssh_principals_add(struct buf *buf, const struct text *principals, size_t count,
                        struct err *err)
{
    size_t before = buf->length;

    for (size_t i = 0; i < count; i++) {
        if (!ssh_is_principal(principals[i])) {
            buf->length = before;
            return files_refuse("a principal", principals[i], err);
        }
        buf_add(buf, principals[i]);
        buf_add_string(buf, "\n");
    }
    return true;
}

void ssh_authorities_add(struct buf *buf, const struct ssh_key *keys, size_t count)
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_ARENA_BYTES);

    for (size_t i = 0; i < count; i++) {
        buf_add(buf, ssh_key_format(arena, &keys[i], TEXT("")));
        buf_add_string(buf, "\n");
        arena_clear(arena);
    }
}

bool ssh_sshd_add(struct buf *buf, const struct ssh_sshd *sshd, struct err *err)
{
    const struct {
        const char *name;
        const char *path;
        bool has_user;
    } lines[] = {
        { "TrustedUserCAKeys", sshd->authorities, false },
        { "HostKey", sshd->host_key, false },
        { "HostCertificate", sshd->host_cert, false },
        { "AuthorizedPrincipalsFile", sshd->principals, true },
        { "RevokedKeys", sshd->revoked, false },
    };
    size_t before = buf->length;

    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        if (lines[i].path == NULL) {
            continue;
        }
        if (!is_path(text_from(lines[i].path), lines[i].has_user)) {
            buf->length = before;
            return files_refuse("a path", text_from(lines[i].path), err);
        }
        buf_printf(buf, "%s %s\n", lines[i].name, lines[i].path);
    }
    return true;
}
