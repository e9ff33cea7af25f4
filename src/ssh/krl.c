#include "ssh/krl.h"

#include "base/limits.h"
#include "ssh/bytes.h"
#include "ssh/krl_parts.h"

#include <assert.h>

/* public names start with: ssh_ */

/* Writes the serial numbers. Single numbers share one section, with eight bytes each. Each range
 * gets a separate section. */
static void krl_serials_add(struct buf *buf, const struct ssh_krl_part *part)
{
    size_t at = 0;
    bool is_open = false;

    for (size_t i = 0; i < part->serial_count; i++) {
        const struct ssh_serials *range = &part->serials[i];

        assert(range->first > 0 && range->first <= range->last);
        if (range->first == range->last && !is_open) {
            buf_add_bytes(buf, KRL_SERIALS, 1);
            at = ssh_string_begin(buf);
            is_open = true;
        } else if (range->first != range->last && is_open) {
            ssh_string_end(buf, at);
            is_open = false;
        }
        if (range->first == range->last) {
            ssh_add_u64(buf, range->first);
            continue;
        }
        buf_add_bytes(buf, KRL_RANGE, 1);
        at = ssh_string_begin(buf);
        ssh_add_u64(buf, range->first);
        ssh_add_u64(buf, range->last);
        ssh_string_end(buf, at);
    }
    if (is_open) {
        ssh_string_end(buf, at);
    }
}

static void krl_ids_add(struct buf *buf, const struct ssh_krl_part *part)
{
    size_t at;

    if (part->id_count == 0) {
        return;
    }
    buf_add_bytes(buf, KRL_IDS, 1);
    at = ssh_string_begin(buf);
    for (size_t i = 0; i < part->id_count; i++) {
        assert(part->ids[i].length > 0);
        ssh_add_string(buf, part->ids[i]);
    }
    ssh_string_end(buf, at);
}

static void krl_part_add(struct buf *buf, const struct ssh_krl_part *part)
{
    size_t section;
    size_t at;

    buf_add_bytes(buf, KRL_CERTIFICATES, 1);
    section = ssh_string_begin(buf);
    at = ssh_string_begin(buf);
    ssh_key_add(buf, &part->authority);
    ssh_string_end(buf, at);
    ssh_add_string(buf, TEXT("")); /* reserved */
    krl_serials_add(buf, part);
    krl_ids_add(buf, part);
    ssh_string_end(buf, section);
}

static void krl_keys_add(struct buf *buf, const struct ssh_krl *krl)
{
    size_t section;

    if (krl->key_count == 0) {
        return;
    }
    buf_add_bytes(buf, KRL_KEYS, 1);
    section = ssh_string_begin(buf);
    for (size_t i = 0; i < krl->key_count; i++) {
        size_t at = ssh_string_begin(buf);

        ssh_key_add(buf, &krl->keys[i]);
        ssh_string_end(buf, at);
    }
    ssh_string_end(buf, section);
}

static size_t krl_entries_count(const struct ssh_krl *krl)
{
    size_t count = krl->key_count;

    for (size_t i = 0; i < krl->part_count; i++) {
        count += krl->parts[i].serial_count + krl->parts[i].id_count;
    }
    return count;
}

struct text ssh_krl_format(struct arena *arena, const struct ssh_krl *krl)
{
    struct buf buf;

    assert(krl_entries_count(krl) <= LIMIT_KRL_ENTRIES);
    buf_init(&buf, arena);
    buf_add(&buf, (struct text){ KRL_MAGIC, sizeof(KRL_MAGIC) });
    ssh_add_u32(&buf, KRL_FORMAT);
    ssh_add_u64(&buf, krl->version);
    ssh_add_u64(&buf, krl->at_s);
    ssh_add_u64(&buf, 0); /* flags */
    ssh_add_string(&buf, TEXT(""));
    ssh_add_string(&buf, krl->comment);
    for (size_t i = 0; i < krl->part_count; i++) {
        krl_part_add(&buf, &krl->parts[i]);
    }
    krl_keys_add(&buf, krl);
    return buf_text(&buf);
}

/* ---- lookup ---- */

static bool part_has(const struct ssh_krl_part *part, const struct ssh_cert *cert)
{
    if (!ssh_key_is_equal(&part->authority, &cert->authority)) {
        return false;
    }
    for (size_t i = 0; i < part->serial_count; i++) {
        if (cert->serial >= part->serials[i].first && cert->serial <= part->serials[i].last) {
            return true;
        }
    }
    for (size_t i = 0; i < part->id_count; i++) {
        if (text_is_equal(part->ids[i], cert->id)) {
            return true;
        }
    }
    return false;
}

bool ssh_krl_has(const struct ssh_krl *krl, const struct ssh_cert *cert)
{
    for (size_t i = 0; i < krl->key_count; i++) {
        if (ssh_key_is_equal(&krl->keys[i], &cert->key) ||
            ssh_key_is_equal(&krl->keys[i], &cert->authority)) {
            return true;
        }
    }
    for (size_t i = 0; i < krl->part_count; i++) {
        if (part_has(&krl->parts[i], cert)) {
            return true;
        }
    }
    return false;
}
