#include "sys/account.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>

enum { ENTRY_BYTES = 32 * 1024 }; /* enough for a group with thousands of members */

void account_user_name(uid_t uid, char out[static ACCOUNT_NAME_BYTES])
{
    struct passwd entry;
    struct passwd *found = NULL;
    char buffer[ENTRY_BYTES];

    if (uid == 0) {
        snprintf(out, ACCOUNT_NAME_BYTES, "root");
    } else if (getpwuid_r(uid, &entry, buffer, sizeof(buffer), &found) == 0 && found != NULL) {
        snprintf(out, ACCOUNT_NAME_BYTES, "%s", entry.pw_name);
    } else {
        snprintf(out, ACCOUNT_NAME_BYTES, "uid-%u", (unsigned)uid);
    }
}

bool account_user_find(const char *name, uid_t *out_user, gid_t *out_group)
{
    struct passwd entry;
    struct passwd *found = NULL;
    char buffer[ENTRY_BYTES];

    if (getpwnam_r(name, &entry, buffer, sizeof(buffer), &found) != 0 || found == NULL) {
        return false;
    }
    *out_user = entry.pw_uid;
    *out_group = entry.pw_gid;
    return true;
}

gid_t account_group_find(const char *name)
{
    struct group entry;
    struct group *found = NULL;
    char buffer[ENTRY_BYTES];

    return getgrnam_r(name, &entry, buffer, sizeof(buffer), &found) == 0 && found != NULL
               ? entry.gr_gid
               : (gid_t)-1;
}
