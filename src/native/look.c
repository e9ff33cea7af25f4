#include "native/look.h"

#include "native/facts.h"
#include "native/file.h"
#include "native/mark.h"
#include "native/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static uint64_t number_of(const char *word)
{
    uint64_t number;

    if (!mark_number(word, &number) || number > 1000) {
        say_fail("node", 0, "'%s' is no number of stages", word);
    }
    return number;
}

/* What an earlier look has said is to be cleaned is not, from here on (programs/clean.sh). */
static void clean_forget(void)
{
    if (access("marks/clean", F_OK) == 0) {
        int lock = mark_alone("marks/wish.lock", "cleaning stages that are no more");

        (void)unlink("marks/clean");
        (void)close(lock);
    }
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);

    return length >= strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/* Is it one of the digests, or a part of one? */
static bool is_wanted(const char *name, char **digests, bool *out_is_part)
{
    *out_is_part = ends_with(name, ".part");
    for (; *digests != NULL; digests++) {
        size_t length = strlen(*digests);

        if (strncmp(name, *digests, length) == 0 &&
            strcmp(name + length, *out_is_part ? ".part" : "") == 0) {
            return true;
        }
    }
    return false;
}

/* What is there of bundles; those that nobody wants go. */
static void bundles_say(char **digests)
{
    DIR *list = opendir("bundles");
    const struct dirent *entry;
    struct stat file;
    bool is_part;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        const char *name = entry->d_name;

        if (name[0] == '.' || ends_with(name, "lock") || ends_with(name, "pid")) {
            continue;
        }
        if (!is_wanted(name, digests, &is_part)) {
            (void)unlinkat(dirfd(list), name, 0);
        } else if (!is_part) {
            say_line("whole %s", name);
        } else if (fstatat(dirfd(list), name, &file, 0) == 0) {
            say_line("part %.64s %" PRIu64, name, (uint64_t)file.st_size);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
}

/* A stage that somebody else has run, as a marker says that reeve has believed. */
static void marker_say(unsigned stage)
{
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    char *rest = line;

    (void)snprintf(path, sizeof(path), "stage-%u/stage-complete", stage);
    if (!file_line(path, line)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        (void)mark_word(&rest);
    }
    if (strcmp(mark_word(&rest), "0") == 0) {
        say_line("marker %u %s", stage, rest);
    }
}

static void stages_say(unsigned count)
{
    struct mark mark;

    for (unsigned i = 0; i < count; i++) {
        mark_read(i, false, &mark);
        mark_say(&mark);
        marker_say(i);
    }
}

/* The number of a folder of a stage, or of its new one. False: it is none. */
static bool stage_number(const char *name, uint64_t *out)
{
    char digits[8];
    size_t length;

    if (strncmp(name, "stage-", 6) != 0) {
        return false;
    }
    length = strcspn(name + 6, ".");
    if (length == 0 || length > 2 ||
        (name[6 + length] != '\0' && strcmp(name + 6 + length, ".new") != 0)) {
        return false;
    }
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)length, name + 6);
    return mark_number(digits, out);
}

/* Are there stages that are none of these? */
static bool has_left(unsigned stages)
{
    DIR *list = opendir(".");
    const struct dirent *entry;
    bool has = false;
    uint64_t number;

    while (list != NULL && !has && (entry = readdir(list)) != NULL) {
        has = stage_number(entry->d_name, &number) && number >= stages;
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    return has;
}

static void left_say(void)
{
    char line[FILE_LINE_BYTES];
    char text[64];
    int count;

    if (!file_line("/proc/sys/kernel/random/uuid", line)) {
        return;
    }
    count = snprintf(text, sizeof(text), "%.36s\n", line);
    if (file_put("marks/clean", 0600, text, (size_t)count)) {
        say_line("left %.36s", text);
    }
}

/* Number and time of the last change of what facts were distributed to, as programs/common.sh writes them. */
static void shared_files(char out[static FILE_LINE_BYTES])
{
    static const char *const paths[] = { "/etc/cluster_facts.json", "/etc/hosts" };
    struct stat file;
    int length = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (lstat(paths[i], &file) == 0) {
            length += snprintf(out + length, FILE_LINE_BYTES - (size_t)length, "%s%llu %lld.%09ld",
                               length > 0 ? " " : "", (unsigned long long)file.st_ino,
                               (long long)file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
        }
    }
}

/* Of all facts that were distributed here, if they are still what they were. */
static void shared_say(void)
{
    int fd = open("marks/facts", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *facts = fd < 0 ? NULL : fdopen(fd, "r");
    char digest[FILE_LINE_BYTES];
    char was[FILE_LINE_BYTES];
    char now[FILE_LINE_BYTES];

    if (facts == NULL) {
        return;
    }
    if (fgets(digest, sizeof(digest), facts) != NULL && fgets(was, sizeof(was), facts) != NULL) {
        digest[strcspn(digest, "\n")] = '\0';
        was[strcspn(was, "\n")] = '\0';
        shared_files(now);
        if (strlen(digest) == 64 && strspn(digest, "0123456789abcdef") == 64 &&
            strcmp(was, now) == 0) {
            say_line("shared %s", digest);
        }
    }
    (void)fclose(facts);
}

/* What is free for bundles. */
static void room_say(void)
{
    struct statvfs disk;

    if (statvfs("bundles", &disk) == 0) {
        say_line("room %" PRIu64, (uint64_t)disk.f_bavail * disk.f_frsize / 1024);
    }
}

_Noreturn void look_main(const char *folder, const char *connection, char **words)
{
    unsigned stages;

    say_open(STDOUT_FILENO);
    stages = (unsigned)number_of(words[3]);
    mark_folders(folder);
    if (stages > 0) {
        clean_forget();
    }
    bundles_say(words + LOOK_WORDS);
    stages_say(stages);
    if (stages > 0 && has_left(stages)) {
        left_say();
    }
    say_line("native yes");
    if (number_of(words[4]) == 1) {
        shared_say();
        room_say();
        say_line("facts");
        facts_say(connection);
    }
    say_end();
}
