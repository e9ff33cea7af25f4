#include "users.h"

#include "base/buf.h"
#include "disk.h"
#include "root.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 1024 * 1024, FIRST_USER = 1000, LAST_USER = 60000 };

/* A user entry. */
struct user {
    struct text name;
    const char *memory;
    int64_t id;
    int64_t group;
    bool is_new;
};

/* Returns field i of a line such as root:x:0:0:. */
static struct text part_of(struct text line, unsigned i)
{
    for (; i > 0; i--) {
        size_t colon = text_find_byte(line, ':');

        line = colon == SIZE_MAX ? TEXT("") : text_slice(line, colon + 1, line.length);
    }
    return text_slice(line, 0, text_find_byte(line, ':'));
}

/* Finds the image's user with this name if it is a login user. The home of other users may be /bin
 * or /, so these are not used. Otherwise returns a new user with the first free number. */
static bool find_user(struct work *work, struct text passwd, struct text name, struct user *out)
{
    bool *taken = arena_array(work->arena, bool, LAST_USER + 1);
    struct text rest = passwd;

    *out = (struct user){ .name = name, .is_new = true };
    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);
        int64_t id;

        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
        if (!text_parse_int64(part_of(line, 2), &id)) {
            continue;
        }
        if (id >= 0 && id <= LAST_USER) {
            taken[id] = true;
        }
        if (text_is_equal(part_of(line, 0), name)) {
            out->id = id;
            out->memory = arena_string(work->arena, part_of(line, 5));
            out->is_new = false;
            errno = EINVAL;
            return text_parse_int64(part_of(line, 3), &out->group) &&
                   (text_is(text_from(out->memory), "/root") ||
                    text_has_prefix(text_from(out->memory), TEXT("/home/")));
        }
    }
    for (out->id = FIRST_USER; out->id <= LAST_USER && taken[out->id]; out->id++) {
    }
    out->group = out->id;
    out->memory = arena_printf(work->arena, "/home/%.*s", TEXT_ARG(name)).data;
    errno = ERANGE;
    return out->id <= LAST_USER;
}

/* Copies a file of the image, with one more line, into the machine's layer. It is not an error if
 * the file is missing. */
static bool extend(struct work *work, const char *upper, const char *lower, const char *file,
                   mode_t mode, struct text line)
{
    struct text bytes;
    struct buf buf;

    if (!disk_read_beneath(work->arena, lower, file, FILE_BYTES, &bytes)) {
        return errno == ENOENT;
    }
    buf_init(&buf, work->arena);
    buf_add(&buf, bytes);
    buf_add(&buf, line);
    return disk_write(arena_printf(work->arena, "%s/%s", upper, file).data, buf_text(&buf), mode);
}

static bool add_user(struct work *work, const char *upper, const char *lower,
                     const struct user *user)
{
    struct arena *arena = work->arena;
    struct text name = user->name;

    return extend(work, upper, lower, "etc/passwd", 0644,
                  arena_printf(arena, "%.*s:x:%lld:%lld::%s:/bin/bash\n", TEXT_ARG(name),
                               (long long)user->id, (long long)user->group, user->memory)) &&
           extend(work, upper, lower, "etc/group", 0644,
                  arena_printf(arena, "%.*s:x:%lld:\n", TEXT_ARG(name), (long long)user->group)) &&
           extend(work, upper, lower, "etc/shadow", 0600,
                  arena_printf(arena, "%.*s:*:19000:0:99999:7:::\n", TEXT_ARG(name))) &&
           extend(work, upper, lower, "etc/gshadow", 0600,
                  arena_printf(arena, "%.*s:*::\n", TEXT_ARG(name)));
}

/* Creates the home folder and its parents. Folders of the image are not changed. */
static bool put_memory(struct work *work, const char *upper, const struct user *user,
                       struct text keys)
{
    struct arena *arena = work->arena;
    const char *memory = arena_printf(arena, "%s%s", upper, user->memory).data;
    const char *folder = arena_printf(arena, "%s/.ssh", memory).data;
    const char *file = arena_printf(arena, "%s/authorized_keys", folder).data;
    const char *slash = strrchr(memory, '/');
    uid_t owner = (uid_t)user->id;
    gid_t group = (gid_t)user->group;

    assert(slash != NULL);
    if (!disk_folders(arena_string(arena, (struct text){ memory, (size_t)(slash - memory) }),
                      0755)) {
        return false;
    }
    return disk_folder(memory, 0700) && disk_folder(folder, 0700) && disk_write(file, keys, 0600) &&
           chown(memory, owner, group) == 0 && chown(folder, owner, group) == 0 &&
           chown(file, owner, group) == 0;
}

bool users_put(struct work *work, const char *name, const struct machine *machine, struct text keys)
{
    const char *upper = work_path(work, "machines/%s/upper", name);
    const char *lower = root_lower(work, machine);
    const char *sudoers = arena_printf(work->arena, "%s/etc/sudoers.d", upper).data;
    struct text passwd;
    struct user user;

    if (!disk_read_beneath(work->arena, lower, "etc/passwd", FILE_BYTES, &passwd)) {
        return false;
    }
    if (!find_user(work, passwd, machine->user, &user)) {
        (void)work_refuse(work, REEVE_INVALID, "/user",
                          "%.*s is a user of the system in this image, who does not log in",
                          TEXT_ARG(machine->user));
        return false;
    }
    if ((user.is_new && !add_user(work, upper, lower, &user)) ||
        !put_memory(work, upper, &user, keys)) {
        return false;
    }
    return user.id == 0 ||
           (disk_folder(sudoers, 0750) &&
            disk_write(arena_printf(work->arena, "%s/reeve", sudoers).data,
                       arena_printf(work->arena, "%.*s ALL=(ALL:ALL) NOPASSWD: ALL\n",
                                    TEXT_ARG(user.name)),
                       0440));
}
