/* Archives as reeve-node reads them on a node: no member leads out of the folder, or beyond the bytes that are there, and each reading says the same. */
#include "fuzz.h"
#include "native/tar.h"

static void path_check(const char *path)
{
    FUZZ_CHECK(path[0] != '/');
    for (const char *part = path; part[0] != '\0';) {
        size_t length = strcspn(part, "/");

        FUZZ_CHECK(length > 0 || part[length] != '\0');
        FUZZ_CHECK(!(length == 2 && part[0] == '.' && part[1] == '.'));
        part += length;
        part += part[0] == '/' ? 1 : 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tar tar = { .bytes = (const char *)data, .count = size };
    bool is_plain = tar_is_plain(&tar);
    struct tar_member member;
    int found;

    FUZZ_CHECK(tar.at == 0);
    while ((found = tar_next(&tar, &member)) == 1) {
        path_check(member.path);
        FUZZ_CHECK(member.type == '0' || member.bytes == 0);
        FUZZ_CHECK(member.path[0] != '\0' || member.type == '5');
        FUZZ_CHECK(member.content >= (const char *)data &&
                   member.content + member.bytes <= (const char *)data + size);
        FUZZ_CHECK(member.mode <= 0777 && tar.at <= size);
    }
    FUZZ_CHECK((found == 0) == is_plain);
    return 0;
}
