#include "evidence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLAIMS "/.claims"
#define SUFFIX ".json"

/* The content of an evidence file. */
struct evidence {
    uint64_t number;
    struct reeve_text address;
    struct reeve_text owner; /* CLUSTER/TOKEN */
    char *bytes;             /* the machine as JSON, ends with NUL */
};

static int32_t disk_failed(const struct plugin *self, struct reeve_call *call)
{
    self->host->fault(call, REEVE_TEXT(""), text_of(strerror(errno)));
    return REEVE_TRANSIENT;
}

/* Returns FOLDER/.claims/ADDRESS. The address has no slash (is_address). */
static const char *evidence_path(const struct plugin *self, struct reeve_call *call,
                                 struct reeve_text address)
{
    return text_join(self, call, "", self->host->folder, CLAIMS "/", address).bytes;
}

/* ---- files ---- */

/* Syncs the folder, so that renamed and removed files are durable. Returns false if that failed. */
static bool folder_sync(const struct plugin *self, struct reeve_call *call)
{
    int folder = open(text_join(self, call, "", self->host->folder, CLAIMS, REEVE_TEXT("")).bytes,
                      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_done = folder >= 0 && fsync(folder) == 0;
    int error = errno;

    if (folder >= 0) {
        close(folder);
    }
    errno = error;
    return is_done;
}

/* Writes a file under a temporary name, and syncs it before it is renamed. Each concurrent call has
 * a separate temporary file, whose name cannot be an address. */
static bool file_write(const struct reeve_call *call, const char *path, struct reeve_text bytes)
{
    char new[PATH_BYTES + 32];
    int file, error;
    bool is_done;

    snprintf(new, sizeof(new), "%s=%p", path, (const void *)call);
    file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    is_done = write(file, bytes.bytes, bytes.length) == (ssize_t)bytes.length && fsync(file) == 0 &&
              rename(new, path) == 0;
    error = errno;
    close(file);
    if (!is_done) {
        unlink(new);
    }
    errno = error;
    return is_done;
}

/* Reads the evidence of an address. Returns false if there is no evidence, or it cannot be read. */
static bool evidence_read(const struct plugin *self, struct reeve_call *call,
                          struct reeve_text address, struct evidence *out)
{
    char *bytes = machine_read(self->host, call, evidence_path(self, call, address));
    char *line = bytes == NULL ? NULL : strchr(bytes, '\n');
    char *owner;

    if (line == NULL) {
        return false;
    }
    *line = '\0';
    errno = 0;
    out->number = strtoull(bytes, &owner, 10);
    out->address = address;
    out->bytes = line + 1;
    if (errno != 0 || out->number == 0 || *owner != ' ') {
        return false;
    }
    out->owner = text_of(owner + 1);
    return strchr(owner + 1, '/') != NULL;
}

/* Writes the evidence of a claim with this number. */
static int32_t evidence_put(const struct plugin *self, struct reeve_call *call,
                            const struct evidence *evidence)
{
    char number[24];
    struct reeve_text head;

    snprintf(number, sizeof(number), "%" PRIu64, evidence->number);
    head = text_join(self, call, number, REEVE_TEXT(""), " ", evidence->owner);
    return file_write(call, evidence_path(self, call, evidence->address),
                      text_join(self, call, "", head, "\n", text_of(evidence->bytes))) &&
                   folder_sync(self, call)
               ? REEVE_OK
               : disk_failed(self, call);
}

int32_t evidence_write(const struct plugin *self, struct reeve_call *call,
                       struct reeve_text address, struct reeve_text owner, const char *bytes)
{
    struct evidence evidence = { .address = address,
                                 .owner = owner,
                                 .bytes = (char *)text_copy(self, call, text_of(bytes)).bytes };
    int32_t result = claims_next(self, call, &evidence.number);

    return result == REEVE_OK ? evidence_put(self, call, &evidence) : result;
}

int32_t evidence_remove(const struct plugin *self, struct reeve_call *call,
                        struct reeve_text address, struct reeve_text owner)
{
    struct evidence evidence;

    if (!is_address(address) || !evidence_read(self, call, address, &evidence) ||
        !is_equal(evidence.owner, owner)) {
        /* the evidence belongs to a claim of another manager, or another machine has the address */
        return REEVE_OK;
    }
    return (unlink(evidence_path(self, call, address)) == 0 || errno == ENOENT) &&
                   folder_sync(self, call)
               ? REEVE_OK
               : disk_failed(self, call);
}

/* ---- the check ---- */

/* Replaces the owner of an address in a restored older state. That owner had released the address
 * after the backup. */
static int32_t owner_replace(const struct plugin *self, struct reeve_call *call,
                             const struct evidence *evidence)
{
    struct reeve_entry_v1 entry;
    struct reeve_text former;
    int32_t result = owner_read(self, call, evidence->address, &entry);

    if (result != REEVE_OK || entry.version == 0 || is_equal(entry.value, evidence->owner)) {
        return result;
    }
    former = text_copy(self, call, entry.value);
    result = address_release(self, call, evidence->address, former);
    if (result == REEVE_OK) {
        struct reeve_text key = text_join(self, call, "c/", former, "", REEVE_TEXT(""));

        result = self->host->state_get(call, key, &entry);
        if (result == REEVE_OK && entry.version != 0) {
            result = self->host->state_put(call, key, REEVE_TEXT(""), &entry.version);
        }
    }
    return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
}

/* Writes a claim into the state, if the state has no machine of this owner. */
static int32_t claim_restore(const struct plugin *self, struct reeve_call *call,
                             const struct evidence *evidence)
{
    struct machine_entry entry = {
        .key = text_join(self, call, "c/", evidence->owner, "", REEVE_TEXT("")),
        .bytes = evidence->bytes,
    };
    struct reeve_entry_v1 found;
    int32_t result = owner_replace(self, call, evidence);

    if (result == REEVE_OK) {
        result = address_claim(self, call, evidence->address, evidence->owner);
    }
    if (result == REEVE_OK) {
        result = self->host->state_get(call, entry.key, &found);
        entry.version = found.version;
    }
    return result == REEVE_OK ? entry_write(self, call, &entry, OWNED) : result;
}

/* Compares one evidence file with the state. `newest` is the number of the newest claim in the
 * state. */
static int32_t claim_check(const struct plugin *self, struct reeve_call *call,
                           struct reeve_text address, uint64_t newest)
{
    struct evidence evidence;
    struct reeve_entry_v1 entry;
    int32_t result;

    if (!evidence_read(self, call, address, &evidence)) {
        return REEVE_OK;
    }
    if (evidence.number > newest) {
        self->host->log(self->host, REEVE_LOG_WARNING,
                        text_join(self, call, "", address,
                                  ": the store is older than the claim of this address, which is "
                                  "written into the store again",
                                  REEVE_TEXT("")));
        result = claim_restore(self, call, &evidence);
        return result == REEVE_OK ? claims_raise(self, call, evidence.number) : result;
    }
    result = owner_read(self, call, address, &entry);
    if (result == REEVE_OK && (entry.version == 0 || !is_equal(entry.value, evidence.owner))) {
        unlink(evidence_path(self, call, address)); /* another manager has released the address */
    }
    return result;
}

/* ---- machines of releases before 1.3 ---- */

static struct reeve_text tag_of(const struct reeve_row_v1 *row, const char *name)
{
    for (uint32_t i = 0; i < row->tag_count; i++) {
        if (is_equal(row->tags[i].name, text_of(name))) {
            return row->tags[i].value;
        }
    }
    return (struct reeve_text){ 0 };
}

/* Migrates a file FOLDER/ADDRESS.json, in which former releases stored a machine: writes it into
 * the state and as evidence. Returns REEVE_CAPACITY if its address belongs to another machine. */
static int32_t file_migrate(const struct plugin *self, struct reeve_call *call, const char *path,
                            struct reeve_text address)
{
    char *bytes = machine_read(self->host, call, path);
    char *slim = self->host->allocate(call, MACHINE_BYTES);
    char *made = self->host->allocate(call, REEVE_STATE_VALUE_BYTES);
    struct reeve_text quoted = text_join(self, call, "\"", address, "\"", REEVE_TEXT(""));
    struct machine_entry entry = { .bytes = made };
    struct reeve_row_v1 row;
    struct reeve_text cluster, token;
    int32_t result;

    if (bytes == NULL ||
        machine_change(bytes, "properties", REEVE_TEXT("{}"), slim, MACHINE_BYTES) == 0 ||
        machine_change(slim, "address", quoted, made, REEVE_STATE_VALUE_BYTES - 1) == 0) {
        return bytes == NULL ? REEVE_OK : REEVE_CAPACITY;
    }
    entry_parse(self, call, made, &row);
    cluster = tag_of(&row, "reeve.cluster_id");
    token = tag_of(&row, "reeve.token");
    if (cluster.length == 0 || token.length == 0) {
        return REEVE_CAPACITY;
    }
    entry.key = machine_key(self, call, cluster, token);
    result = address_claim(self, call, address, entry_owner(&entry));
    if (result == REEVE_OK) {
        result = evidence_write(self, call, address, entry_owner(&entry), made);
    }
    if (result == REEVE_OK) {
        result = entry_write(self, call, &entry, OWNED);
        /* the machine was already written by a process that was killed before it removed the
         * file */
        result = result == REEVE_TRANSIENT ? REEVE_OK : result;
    }
    return result;
}

static int32_t former_check(const struct plugin *self, struct reeve_call *call, const char *name)
{
    size_t length = strlen(name);
    struct reeve_text address = { name, length - strlen(SUFFIX) };
    const char *path = text_join(self, call, "", self->host->folder, "/", text_of(name)).bytes;
    int32_t result;

    if (length <= strlen(SUFFIX) || strcmp(name + address.length, SUFFIX) != 0 ||
        !is_address(address)) {
        return REEVE_OK;
    }
    result = file_migrate(self, call, path, address);
    if (result == REEVE_OK) {
        unlink(path);
    } else if (result == REEVE_CAPACITY) {
        self->host->log(self->host, REEVE_LOG_ERROR,
                        text_join(self, call, "", text_of(path),
                                  ": the address belongs to another machine, and this file is "
                                  "ignored",
                                  REEVE_TEXT("")));
        result = REEVE_OK;
    }
    return result;
}

/* ---- both ---- */

/* Checks all files of FOLDER/.claims, or the files of former releases in FOLDER itself. */
static int32_t files_check(const struct plugin *self, struct reeve_call *call, const char *below,
                           uint64_t newest)
{
    DIR *listing =
        opendir(text_join(self, call, "", self->host->folder, below, REEVE_TEXT("")).bytes);
    const struct dirent *entry;
    int32_t result = listing == NULL ? disk_failed(self, call) : REEVE_OK;

    while (result == REEVE_OK && (entry = readdir(listing)) != NULL) {
        struct reeve_text name = text_copy(self, call, text_of(entry->d_name));

        if (below[0] == '\0') {
            result = former_check(self, call, name.bytes);
        } else if (is_address(name)) {
            result = claim_check(self, call, name, newest);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return result;
}

int32_t folder_check(struct plugin *self, struct reeve_call *call)
{
    int32_t result = REEVE_OK;

    pthread_mutex_lock(&self->mutex);
    if (!self->is_checked) {
        const char *claims =
            text_join(self, call, "", self->host->folder, CLAIMS, REEVE_TEXT("")).bytes;
        uint64_t newest;

        if (mkdir(claims, 0700) != 0 && errno != EEXIST) {
            result = disk_failed(self, call);
        }
        result = result == REEVE_OK ? claims_read(self, call, &newest) : result;
        result = result == REEVE_OK ? files_check(self, call, CLAIMS, newest) : result;
        result = result == REEVE_OK ? files_check(self, call, "", newest) : result;
        self->is_checked = result == REEVE_OK;
    }
    pthread_mutex_unlock(&self->mutex);
    return result;
}
