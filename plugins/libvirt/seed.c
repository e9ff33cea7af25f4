/* Makes the NoCloud seed disk: its files, and the ISO 9660 image that contains them. Pure. */
#include "virt.h"

#include "codec/json.h"

#include <assert.h>

/* Layout in sectors: 16 are reserved for the system; then follow descriptors, path tables, the root
 * folder, and the files one after the other. */
enum {
    ISO_SECTOR = 2048,
    ISO_VOLUME = 16,
    ISO_END = 17,
    ISO_PATHS_LITTLE = 18,
    ISO_PATHS_BIG = 19,
    ISO_ROOT = 20,
    ISO_FILES = 21,
    ISO_SECTORS_LEAST = 24,
    ISO_PATHS_BYTES = 10,
    ISO_RECORD_BYTES = 33, /* size of a folder's record, without the name */
    ISO_FOLDER = 2         /* flag of a record */
};

/* ---- numbers ---- */

static void iso_put_little(unsigned char *at, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(number >> (8 * i));
    }
}

static void iso_put_big(unsigned char *at, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(number >> (8 * (bytes - 1 - i)));
    }
}

/* Writes a number in both byte orders, as most fields require. */
static void iso_put_both(unsigned char *at, uint32_t number, size_t bytes)
{
    iso_put_little(at, number, bytes);
    iso_put_big(at + bytes, number, bytes);
}

/* ---- parts of the image ---- */

/* Writes the record of a folder. Returns its length. */
static size_t iso_record(unsigned char *at, struct text name, uint32_t sector, size_t bytes,
                         unsigned char flags)
{
    /* 2024-01-01; the date is constant, so that the same input gives the same image */
    static const unsigned char date[7] = { 124, 1, 1, 0, 0, 0, 0 };
    size_t length = (ISO_RECORD_BYTES + name.length + 1) / 2 * 2;

    at[0] = (unsigned char)length;
    iso_put_both(at + 2, sector, 4);
    iso_put_both(at + 10, (uint32_t)bytes, 4);
    memcpy(at + 18, date, sizeof(date));
    at[25] = flags;
    iso_put_both(at + 28, 1, 2); /* the volume in the set */
    at[32] = (unsigned char)name.length;
    memcpy(at + ISO_RECORD_BYTES, name.data, name.length);
    return length;
}

static void iso_volume(unsigned char *at, uint32_t sectors)
{
    at[0] = 1; /* primary volume descriptor */
    memcpy(at + 1, "CD001", 5);
    at[6] = 1;
    memset(at + 8, ' ', 64); /* names of system and volume */
    memcpy(at + 40, "cidata", 6);
    iso_put_both(at + 80, sectors, 4);
    iso_put_both(at + 120, 1, 2); /* number of volumes in the set */
    iso_put_both(at + 124, 1, 2); /* number of this volume */
    iso_put_both(at + 128, ISO_SECTOR, 2);
    iso_put_both(at + 132, ISO_PATHS_BYTES, 4);
    iso_put_little(at + 140, ISO_PATHS_LITTLE, 4);
    iso_put_big(at + 148, ISO_PATHS_BIG, 4);
    (void)iso_record(at + 156, (struct text){ "\0", 1 }, ISO_ROOT, ISO_SECTOR, ISO_FOLDER);
    memset(at + 190, ' ', 813 - 190); /* publisher and other names */
    for (size_t i = 0; i < 4; i++) {  /* dates that are not given */
        memset(at + 813 + i * 17, '0', 16);
    }
    at[881] = 1;
    at[ISO_SECTOR] = 255; /* end of the list of descriptors */
    memcpy(at + ISO_SECTOR + 1, "CD001", 5);
    at[ISO_SECTOR + 6] = 1;
}

/* Writes the path tables, which contain only the root folder. */
static void iso_paths(unsigned char *image)
{
    unsigned char *little = image + ISO_PATHS_LITTLE * ISO_SECTOR;
    unsigned char *big = image + ISO_PATHS_BIG * ISO_SECTOR;

    little[0] = big[0] = 1; /* length of the name */
    iso_put_little(little + 2, ISO_ROOT, 4);
    iso_put_big(big + 2, ISO_ROOT, 4);
    iso_put_little(little + 6, 1, 2);
    iso_put_big(big + 6, 1, 2);
}

static uint32_t iso_sectors(size_t bytes)
{
    return (uint32_t)((bytes + ISO_SECTOR - 1) / ISO_SECTOR);
}

struct text virt_seed_iso(struct arena *arena, struct text meta_data, struct text user_data)
{
    uint32_t user_sector = ISO_FILES + iso_sectors(meta_data.length);
    uint32_t sectors = user_sector + iso_sectors(user_data.length);
    unsigned char *image;
    unsigned char *record;

    sectors = sectors < ISO_SECTORS_LEAST ? ISO_SECTORS_LEAST : sectors;
    image = arena_alloc(arena, (size_t)sectors * ISO_SECTOR);
    iso_volume(image + ISO_VOLUME * ISO_SECTOR, sectors);
    iso_paths(image);
    record = image + ISO_ROOT * ISO_SECTOR;
    record += iso_record(record, (struct text){ "\0", 1 }, ISO_ROOT, ISO_SECTOR, ISO_FOLDER);
    record += iso_record(record, (struct text){ "\1", 1 }, ISO_ROOT, ISO_SECTOR, ISO_FOLDER);
    record += iso_record(record, TEXT("META-DATA.;1"), ISO_FILES, meta_data.length, 0);
    (void)iso_record(record, TEXT("USER-DATA.;1"), user_sector, user_data.length, 0);
    memcpy(image + ISO_FILES * ISO_SECTOR, meta_data.data, meta_data.length);
    memcpy(image + (size_t)user_sector * ISO_SECTOR, user_data.data, user_data.length);
    return (struct text){ (const char *)image, (size_t)sectors * ISO_SECTOR };
}

/* ---- the files ---- */

struct text virt_meta_data(struct arena *arena, struct text uuid, struct text host_name)
{
    return arena_printf(arena, "instance-id: %.*s\nlocal-hostname: %.*s\n", TEXT_ARG(uuid),
                        TEXT_ARG(host_name));
}

/* Appends base64 in lines, as MIME requires. */
static void seed_base64(struct arena *arena, struct buf *out, struct text bytes)
{
    struct text letters = virt_base64(arena, bytes);

    for (size_t i = 0; i < letters.length; i += 76) {
        buf_add(out, text_slice(letters, i, 76));
        buf_add_byte(out, '\n');
    }
}

/* Formats cloud-init's configuration with the host key. It is JSON, which is valid YAML and quotes
 * all texts. */
static struct text seed_config(struct arena *arena, const struct virt_host_key *key)
{
    struct doc_builder keys;
    struct doc_builder config;
    struct doc doc;
    struct buf out;

    doc_builder_init(&keys, arena);
    doc_builder_put(&keys, "ed25519_private", doc_text(key->secret_pem, NULL));
    doc_builder_put(&keys, "ed25519_public", doc_text(key->public_line, NULL));
    doc_builder_init(&config, arena);
    doc_builder_put(&config, "ssh_deletekeys", doc_bool(true, NULL));
    doc_builder_put(&config, "ssh_keys", doc_builder_map(&keys, NULL));
    doc = doc_builder_map(&config, NULL);
    buf_init(&out, arena);
    buf_add_string(&out, "#cloud-config\n");
    json_format(&out, &doc);
    buf_add_byte(&out, '\n');
    return buf_text(&out);
}

struct text virt_user_data(struct arena *arena, const struct virt_host_key *key, struct text script)
{
    struct buf out;

    buf_init(&out, arena);
    buf_add_string(&out, "MIME-Version: 1.0\n"
                         "Content-Type: multipart/mixed; boundary=\"==reeve-part==\"\n\n"
                         "--==reeve-part==\n"
                         "Content-Type: text/cloud-config; charset=\"utf-8\"\n"
                         "Content-Transfer-Encoding: base64\n\n");
    seed_base64(arena, &out, seed_config(arena, key));
    buf_add_string(&out, "\n--==reeve-part==\n"
                         "Content-Type: text/x-shellscript; charset=\"utf-8\"\n"
                         "Content-Disposition: attachment; filename=\"reeve-first-start\"\n"
                         "Content-Transfer-Encoding: base64\n\n");
    seed_base64(arena, &out, script);
    buf_add_string(&out, "\n--==reeve-part==--\n");
    return buf_text(&out);
}
