#include "remote/trust.h"

#include "remote/archive.h"
#include "remote/bounds.h"
#include "ssh/files.h"

#include <assert.h>

/* Folder of the files on a node. It is a link to the current version of the folder, so the path is
 * stable. */
#define ETC "/etc/ssh/reeve/"

static void file_add(struct buf *tar, const char *name, struct text content)
{
    struct archive_member member = {
        .kind = ARCHIVE_FILE, .name = text_from(name), .mode = 0644, .bytes = content.length
    };

    archive_add(tar, &member, content);
}

static void folder_add(struct buf *tar, const char *name)
{
    archive_add(
        tar,
        &(struct archive_member){ .kind = ARCHIVE_FOLDER, .name = text_from(name), .mode = 0755 },
        TEXT(""));
}

/* Adds a certificate as one line. */
static void trust_line_add(struct arena *arena, struct buf *tar, const char *name, struct text line)
{
    if (line.length > 0) {
        file_add(tar, name, arena_printf(arena, "%.*s\n", TEXT_ARG(text_trim(line))));
    }
}

MUST_CHECK static bool etc_add(struct arena *arena, const struct trust *trust, struct buf *tar,
                               struct err *err)
{
    struct buf authorities;
    struct buf principals;
    struct buf host_authorities;

    buf_init(&authorities, arena);
    buf_init(&principals, arena);
    buf_init(&host_authorities, arena);
    ssh_authorities_add(&authorities, trust->user_authorities, trust->user_authority_count);
    ssh_authorities_add(&host_authorities, trust->host_authorities, trust->host_authority_count);
    if (!ssh_principals_add(&principals, trust->principals, trust->principal_count, err)) {
        return false;
    }
    folder_add(tar, "etc");
    file_add(tar, "etc/authorities", buf_text(&authorities));
    trust_line_add(arena, tar, "etc/host-cert.pub", trust->host_certificate);
    file_add(tar, "etc/host-authorities", buf_text(&host_authorities));
    folder_add(tar, "etc/principals");
    file_add(tar, "etc/principals/root", buf_text(&principals));
    if (trust->user.length > 0 && trust->user.data[0] != '.' && !text_is(trust->user, "root") &&
        text_find_byte(trust->user, '/') == SIZE_MAX) {
        file_add(tar, arena_printf(arena, "etc/principals/%.*s", TEXT_ARG(trust->user)).data,
                 buf_text(&principals));
    }
    file_add(tar, "etc/revoked", trust->revoked);
    return true;
}

bool trust_format(struct arena *arena, const struct trust *trust, struct text *out, struct err *err)
{
    struct ssh_sshd sshd = { .authorities = ETC "authorities",
                             .host_cert = ETC "host-cert.pub",
                             .principals = ETC "principals/%u",
                             .revoked = ETC "revoked" };
    struct buf settings;
    struct buf tar;

    if (trust->revoked.length == 0) {
        return err_set(err, CODE_R0741, "a node needs a revocation list");
    }
    buf_init(&settings, arena);
    buf_init(&tar, arena);
    if (!ssh_sshd_add(&settings, &sshd, err) || !etc_add(arena, trust, &tar, err)) {
        return false;
    }
    file_add(&tar, "sshd.conf", buf_text(&settings));
    trust_line_add(arena, &tar, "root-cert.pub", trust->root_certificate);
    trust_line_add(arena, &tar, "user-cert.pub", trust->user_certificate);
    if (trust->mark.length > 0) {
        trust_line_add(arena, &tar, "mark", trust->mark);
        trust_line_add(arena, &tar, "lines", trust->lines);
    }
    archive_finish(&tar);
    *out = buf_text(&tar);
    return true;
}

/* ---- classic ---- */

MUST_CHECK static bool lines_add(struct buf *tar, const char *name, const struct text *lines,
                                 size_t count, struct err *err)
{
    struct buf buf;

    buf_init(&buf, tar->arena);
    for (size_t i = 0; i < count; i++) {
        struct text line = text_trim(lines[i]);

        if (line.length == 0 || text_find_byte(line, '\n') != SIZE_MAX ||
            text_find_byte(line, '\r') != SIZE_MAX || text_find_byte(line, '\0') != SIZE_MAX ||
            line.data[0] == '#') {
            return err_set(err, CODE_R0744, "line %zu for %s contains a line end", i + 1, name);
        }
        buf_add(&buf, line);
        buf_add_byte(&buf, '\n');
    }
    file_add(tar, name, buf_text(&buf));
    return true;
}

bool trust_classic(struct arena *arena, const struct text *keys, size_t key_count,
                   const struct text *hosts, size_t host_count, struct text *out, struct err *err)
{
    struct buf tar;

    buf_init(&tar, arena);
    if (!lines_add(&tar, "authorized_keys", keys, key_count, err) ||
        !lines_add(&tar, "known_hosts", hosts, host_count, err)) {
        return false;
    }
    archive_finish(&tar);
    *out = buf_text(&tar);
    return true;
}
